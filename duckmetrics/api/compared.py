"""Systems that are evaluated to be compared: with a baseline, or all with each other."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.comparison.comparer import Comparer
from duckmetrics.comparison.families import refuse_unfit
from duckmetrics.comparison.from_evaluations import family_of_evaluations
from duckmetrics.comparison.pairing import find_test, of_all_pairs, read_planned
from duckmetrics.comparison.rows import of_own_queries, without_unanswered
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError
from duckmetrics.evaluation.session import opened
from duckmetrics.inference.adjustment import HOLM, NONE, find_adjustment
from duckmetrics.inputs.interval_options import read_flag, read_probability
from duckmetrics.inputs.request import read_request
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.words.verdicts import MAX_T

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.interval_options import Inference


class EvaluatedSystems(NamedTuple):
    """The systems after their evaluation.

    Attributes:
        specs: the metrics as typed; None if the systems were evaluated before.
    """

    session: Session
    parts: list[FamilyEvaluation]
    specs: list[str] | None


def read_comparer(
    inference: Inference,
    test: str,
    adjust: str | None,
    alpha: Any,
    power: Any,
    allow_different: bool,
    pairs: bool | None,
    planned: Any = None,
    unpaired: bool = False,
) -> Comparer:
    """Read the options of the tests, see `compare`.

    Args:
        pairs: None if it depends on the test.
        planned: the number of units that an always-valid test is planned for, None for the usual one.
        unpaired: whether the systems have other units.

    Raises:
        MetricError: a test, method or probability cannot be read, or a method that does not fit the test.
    """
    unpaired, allow_different = read_flag("unpaired", unpaired), read_flag("allow_different", allow_different)
    chosen = find_test(catalog(), test, unpaired)
    method = find_adjustment(catalog(), adjust or (NONE if of_all_pairs(chosen) else HOLM), of_units=True)
    all_pairs = of_all_pairs(chosen) if pairs is None else read_flag("pairs", pairs)
    refuse_unfit(chosen, method, all_pairs)
    error_rate = read_probability("alpha", alpha, 0.05)
    inference = replace(
        inference, alpha=error_rate, adjusted=method != NONE, pairs=all_pairs, compares=True,
        resampling=inference.resampling or "resamples" in chosen.own_params or method == MAX_T,
    )  # fmt: skip
    wanted = read_probability("power", power, 0.8)
    units = read_planned(chosen, planned)
    return Comparer(catalog(), chosen, method, inference, wanted, allow_different, all_pairs, planned=units)


@contextmanager
def compared(
    comparer: Comparer,
    predictions: Any,
    metrics: str | Sequence[str] | None,
    system: str | Mapping[str, Any] | None,
    chunks: int | None,
    given: Mapping[str, Any],
    switches: Mapping[str, Any],
    engine: tuple[Any, ...],
) -> Iterator[EvaluatedSystems]:
    """Evaluate all systems on one population, with the units that tests need.

    Args:
        predictions: tables, or results of `evaluate` by the names of systems.
        given: the arguments of `read_request` that results of `evaluate` have already used.
        engine: the arguments of `open_engine`: the engine, the connection, and the options of one.

    Raises:
        MetricError: a metric cannot be read, or is not a mean; or options that do not fit together.
        InputError: the data cannot be evaluated.
    """
    if isinstance(predictions, list | tuple) and system is None:
        raise MetricError(
            comparer.command,
            "a list is one table of several files",
            "name the systems, as in {'A': ..., 'B': ...}",
        )
    evaluated = _evaluations(comparer.command, predictions)
    unused = {**given, **switches, "engine": engine[0]}
    if evaluated is not None and (spare := [name for name, value in unused.items() if value is not None]):
        raise MetricError(
            comparer.command, "results of evaluate are compared as they are", f"leave out {', '.join(spare)}"
        )
    inference = comparer.inference
    request = read_request(
        catalog(), predictions, **given, system=system, chunks=chunks, inference=inference, switches=switches
    )
    used = open_engine(*engine)
    with opened(request, used) as session:
        if evaluated is not None:
            specs = None if metrics is None else read_specs(metrics)
            different = comparer.allow_different
            part = family_of_evaluations(session, evaluated, specs, inference, different)
            yield EvaluatedSystems(session, [part], None)
        else:
            specs = read_specs(session.usual if metrics is None else metrics)
            measures = session.measures(specs)
            if comparer.is_unpaired:
                measures = of_own_queries(session, specs, measures)
            _means(measures)
            if comparer.margins is not None:
                comparer.margins.of(measures)  # refuses those that do not fit, before anything is evaluated
            parts = session.parts(measures)
            yield EvaluatedSystems(
                session, without_unanswered(parts) if comparer.is_unpaired else parts, specs
            )


def _evaluations(command: str, predictions: Any) -> dict[str, Evaluation] | None:
    """Return the results that are to be compared, None if the predictions are tables."""
    if isinstance(predictions, Evaluation):
        raise MetricError(
            command, "one result of evaluate", "name two or more, as in {'A': evaluation, 'B': other}"
        )
    if not isinstance(predictions, Mapping):
        return None
    found = {str(name): one for name, one in predictions.items() if isinstance(one, Evaluation)}
    if found and len(found) < len(predictions):
        raise MetricError(command, "results of evaluate together with tables", "give either")
    return found or None


def _means(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if measure.aggregation not in (None, DEFAULT_AGGREGATION):
            raise MetricError(
                measure.text,
                f"is the {measure.aggregation} of the queries, and the tests compare means",
                "leave the aggregation out",
            )
