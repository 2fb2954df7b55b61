"""States of several days: merged into one evaluation."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.api.options import IntervalOptions, RunOptions, SliceOptions, chosen, declared

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Unpack

    from duckmetrics.api import options as of
    from duckmetrics.api.options import Metrics
    from duckmetrics.results.evaluation import Evaluation


@declared(SliceOptions, IntervalOptions, RunOptions, full=(RunOptions,))
def merge(
    states: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    metrics: Metrics = None,
    **options: Unpack[of.MergeCall],
) -> Evaluation:
    """Merge states, such as those of the days of a month, into the evaluation of all their rows at once.

    Args:
        states: files that `Evaluation.state` wrote: paths, patterns or folders.
        metrics: those to merge, as the states have them; all by default.
        by: slicing columns that the states have.
        cluster: a column of the states; by default, that of the evaluations that wrote them.

    Returns:
        The values, as `evaluate` has them for the rows of all states together.

    Raises:
        InputError: a file is no state, states do not fit together, or have the same rows or queries.
        MetricError: a state does not have a metric, or under other conventions.
        EngineError: the database refused a query.

    Example:
        for day, label in enumerate([[1, 0], [0, 1]]):
            clicks = {"label": label, "score": [0.8, 0.3 + day / 10]}
            duckmetrics.evaluate(clicks, metrics="auc").state(folder / f"{day}.state.parquet")
        duckmetrics.merge(folder / "*.state.parquet")["auc"]  # 0.5
    """
    from duckmetrics.catalog.catalog import catalog
    from duckmetrics.engines.opening import open_engine
    from duckmetrics.evaluation import merging
    from duckmetrics.inputs.interval_options import read_intervals
    from duckmetrics.inputs.slices import read_groupings
    from duckmetrics.results.evaluation import MergedEvaluation

    given = cast("dict[str, Any]", options)
    inference = read_intervals(*(given[name] for name in IntervalOptions.__annotations__))
    by = read_groupings(given["by"])
    engine = open_engine(**chosen(given, RunOptions))
    paths = [states] if isinstance(states, str) or hasattr(states, "__fspath__") else list(states)
    with engine.exclusive():
        found = merging.read_states(engine, cast("list[str | os.PathLike[str]]", paths))
        wanted = merging.chosen_metrics(found, metrics)
        merging.refuse_absent_columns(found, "by", (column for grouping in by for column in grouping))
        if inference is not None and inference.cluster is not None:
            merging.refuse_absent_columns(found, "cluster", inference.cluster.split("+"))
        request = merging.request_of(found, wanted, by, inference)
        session = merging.MergedSession(catalog(), found, request, engine)
        result = session.evaluation(session.measures_of(wanted))
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    return MergedEvaluation(**{**values, "checks": (*result.checks, *found.notes)})
