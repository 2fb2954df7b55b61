"""Systems that are evaluated to be compared: with a baseline, or all with each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.comparison.comparer import Comparer, Recounting
from duckmetrics.comparison.families import OF_METRIC, refuse_unfit
from duckmetrics.comparison.from_evaluations import family_of_evaluations
from duckmetrics.comparison.margins import margins_for
from duckmetrics.comparison.pairing import find_test, of_all_pairs, read_planned
from duckmetrics.comparison.rows import of_own_queries, without_unanswered
from duckmetrics.errors import MetricError
from duckmetrics.inference.adjustment import HOLM, NONE, find_adjustment
from duckmetrics.inputs.interval_options import LEVEL, PAIRED, read_flag, read_inference, read_probability
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.words.verdicts import ALPHA, MAX_T

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.results.comparison import Comparison


USUAL_POWER = 0.8


class EvaluatedSystems(NamedTuple):
    """The systems after their evaluation.

    Attributes:
        specs: the metrics as typed; None if the systems were evaluated before.
    """

    session: Session
    parts: list[FamilyEvaluation]
    specs: list[str] | None


def read_comparer(inference: Inference, given: Mapping[str, Any]) -> Comparer:
    """Read the options of the tests, see `compare`.

    Args:
        given: the options by name; those that are absent are off.

    Raises:
        MetricError: a test, method or probability cannot be read, or a method that does not fit the test.
    """
    unpaired = read_flag("unpaired", given.get("unpaired", False))
    allow_different = read_flag("allow_different", given.get("allow_different", False))
    chosen = find_test(catalog(), given["test"], unpaired)
    adjust, pairs = given["adjust"], given.get("pairs")
    method = find_adjustment(catalog(), adjust or (NONE if of_all_pairs(chosen) else HOLM), of_units=True)
    all_pairs = of_all_pairs(chosen) if pairs is None else read_flag("pairs", pairs)
    refuse_unfit(chosen, method, all_pairs)
    error_rate = read_probability("alpha", given["alpha"], 0.05)
    inference = replace(
        inference, alpha=error_rate, adjusted=method != NONE, pairs=all_pairs, compares=True,
        resampling=inference.resampling or "resamples" in chosen.own_params or method == MAX_T,
    )  # fmt: skip
    wanted = read_probability("power", given.get("power", USUAL_POWER), USUAL_POWER)
    units = read_planned(chosen, given.get("planned"))
    comparer = Comparer(
        catalog(), chosen, method, inference, wanted, allow_different, all_pairs, planned=units
    )
    return replace(comparer, margins=margins_for(given.get("margin"), chosen, method, error_rate))


def read_contest(inference: Inference, given: Mapping[str, Any]) -> Comparer:
    """Read the options of a leaderboard, which compares all pairs; see `leaderboard`.

    Raises:
        MetricError: as in `read_comparer`.
    """
    inference = replace(inference, resampling=True)  # the chances to be the best
    comparer = read_comparer(inference, {**given, "test": given["test"] or PAIRED, "pairs": True})
    return replace(comparer, families=OF_METRIC, command="leaderboard")


def read_pilot(given: Mapping[str, Any], has_systems: bool) -> Comparer:
    """Read the options of a plan, which needs the spread of the differences; see `plan`.

    Systems with other units are evaluated as `compare` does it: each on the queries that it answered.

    Raises:
        MetricError: as in `read_comparer`.
    """
    own = {"allow_different": given["allow_different"], "unpaired": given["unpaired"] and has_systems}
    usual = {"test": PAIRED, "adjust": NONE, "alpha": ALPHA, "pairs": False}
    comparer = read_comparer(read_inference(LEVEL, cluster=given["cluster"]), {**usual, **own})
    return replace(comparer, command="plan")


def compared(comparer: Comparer, session: Session, metrics: str | Sequence[str] | None) -> EvaluatedSystems:
    """Evaluate all systems on one population, with the units that tests need.

    Raises:
        MetricError: a metric cannot be read, or is not a mean; or options that do not fit together.
        InputError: the data cannot be evaluated.
    """
    predictions = session.request.predictions
    if isinstance(predictions, list | tuple) and session.request.system is None:
        raise MetricError(
            comparer.command,
            "a list is one table of several files",
            "name the systems, as in {'A': ..., 'B': ...}",
        )
    evaluated = evaluations_in(comparer.command, predictions)
    if evaluated is not None:
        specs = None if metrics is None else read_specs(metrics)
        different = comparer.allow_different
        part = family_of_evaluations(session, evaluated, specs, comparer.inference, different)
        return EvaluatedSystems(session, [part], None)
    specs = session.specs(metrics)
    measures = session.measures(specs)
    if comparer.is_unpaired:
        measures = of_own_queries(session, specs, measures)
    _means(measures)
    if comparer.margins is not None:
        comparer.margins.of(measures)  # refuses those that do not fit, before anything is evaluated
    parts = session.parts(measures)
    return EvaluatedSystems(session, without_unanswered(parts) if comparer.is_unpaired else parts, specs)


def compared_with(comparer: Comparer, found: EvaluatedSystems, baseline: str | None) -> Comparison:
    """Compare systems with a baseline.

    Raises:
        MetricError: a column names the systems, and no baseline is given; or there is no such baseline.
    """
    session, parts, specs = found
    if specs is None:
        return comparer.result(session, parts, baseline)
    if baseline is None and session.request.has_system_column and not comparer.pairs:
        known = " or ".join(map(repr, comparer.systems(session, parts)))
        raise MetricError("baseline", "not given", f"set baseline= (--baseline) to {known}")
    result = comparer.result(session, parts, baseline)
    return replace(result, recount=Recounting(comparer, session, specs, result.baseline))


def evaluations_in(command: str, predictions: Any) -> dict[str, Evaluation] | None:
    """Return the results that are to be compared, None if the predictions are tables.

    Raises:
        MetricError: there is only one result, or there are tables next to results.
    """
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
