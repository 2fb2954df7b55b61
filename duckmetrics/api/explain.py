"""Why a number is as it is: the items or rows behind a value, or behind a difference of two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.api.arguments import session_of
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import refuse_metrics_as_truth, refuse_misspelled
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError
from duckmetrics.evaluation.explaining import explained
from duckmetrics.evaluation.session import opened
from duckmetrics.inputs.request import read_request

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Unpack

    import duckdb
    from pyspark.sql import SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.switches import Switches


def explain(
    predictions: Any,
    truth: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    query: Any = None,
    by: str | None = None,
    baseline: str | None = None,
    of: str | None = None,
    items: Any = None,
    show: str | Sequence[str] = (),
    n: int = 10,
    system: str | Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | Mapping[str, str] | None = None,
    score: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    version: int | Mapping[str, int] | None = None,
    as_of: str | date | Mapping[str, str | date] | None = None,
    queries: Any = None,
    positive: str | float | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    engine: SparkSession | str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
    time_zone: str | None = None,
    like: str | None = None,
    **switches: Unpack[Switches],
) -> Explanation | ExplainedGroups:
    """Show which items or rows make a value, or the difference of two systems.

    What an item or row adds to a value comes from the SQL file of the metric: its term of the sum, divided
    by whatever the file divides the sum by.

    Args:
        predictions, truth, system, columns, layout, score, where, version, as_of, queries, positive,
            connection, engine, threads, memory_limit, temp_directory, snapshot, time_zone, like, **switches:
            as for `evaluate`.
        metrics: of several, the first one that is a sum over items, or rows, is explained. By default
            ndcg@10 for rankings and auc for classifiers.
        query: the id of a query of rankings; of a composite id, its parts.
        by: instead of a query, groups. Of items over all queries: ``"grade"``, ``"rank"``, ``"item_id"``,
            ``"item.COLUMN"`` of the table of items, or ``"query.COLUMN"``, an attribute of the queries. Of
            the rows of classifiers: a column or an expression with a name, or ``"row"`` for each row.
        baseline: the system to compare with; of two systems, the first one by default.
        of: the name of the system to explain, if there are more than two, or one is explained alone.
        items: a table keyed by item_id with columns of the items.
        show: columns of that table to print next to each item; columns of the rows of a classifier.
        n: the number of ranks, or groups, that are shown.

    Returns:
        One row per item, see `Explanation`; with ``by``, one row per group, see `ExplainedGroups`.

    Raises:
        MetricError: a metric or switch cannot be read, or there is neither a query nor a grouping.
        InputError: the data cannot be evaluated, there is no such query or column, or an item occurs several
            times in the table of items.
        UnsupportedError: the metric is not a sum over items or rows.
        EngineError: the database refused a query.

    Example:
        old = {"q1": {"a": 0.9, "b": 0.5}}
        new = {"q1": {"a": 0.1, "b": 0.5}}
        found = duckmetrics.explain({"old": old, "new": new}, {"q1": {"b": 1}}, "mrr", query="q1")
        found.delta  # 0.5
        found.sentences[0]  # 'b (grade 1) rose from rank 2 to rank 1: +0.5000'
    """
    refuse_misspelled(explain, switches)
    refuse_metrics_as_truth(truth, metrics, connection)
    if engine is None:
        engine = session_of(predictions, truth, queries, system, items, *switches.values())
    request = read_request(
        catalog(), predictions, truth, system=system, columns=columns, queries=queries, like=like,
        switches=switches, layout=layout, positive=positive, score=score, where=where,
        version=version, as_of=as_of,
    )  # fmt: skip
    used = open_engine(engine, connection, threads, memory_limit, temp_directory, snapshot, time_zone)
    with opened(request, used, keep=False) as session:
        usual = session.usual if query is None else session.catalog.usual(RANKING)
        measures = session.measures(read_specs(usual if metrics is None else metrics))
        if query is not None and all(measure.family != RANKING for measure in measures):
            raise MetricError(
                measures[0].text, "is not a metric of rankings, which have queries",
                "explain groups of rows with by= (--by), such as by='country'",
            )  # fmt: skip
        if all(measure.family == RANKING for measure in measures):
            explained(session.catalog, measures)  # refuses them before the tables that they need are missed
        evaluation = session.evaluation(measures)
        given: dict[str, Any] = {"system": of, "baseline": baseline, "items": items, "show": show, "n": n}
        return evaluation.explain(query, by=by, **given)
