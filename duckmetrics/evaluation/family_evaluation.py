"""The results of one family of metrics: what its evaluation returns, with or without intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.optimizer import SORTED, ranking_plan
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import UnsupportedError
from duckmetrics.inference.kept import kept_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inference.ranking_summary import RankingSummary
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.request import Request
    from duckmetrics.results.evaluation import Verification
    from duckmetrics.results.findings import Finding


@dataclass(frozen=True)
class FamilyEvaluation:
    """The results of the measures of one family.

    Attributes:
        rows: the summary, one dictionary per system, slice and measure.
        summary: its query.
        per_query: the query of the values per query, where there are queries.
        verified: the results of the reference for a sample, if they were asked for.
        units: the basis of intervals and comparisons, if they were asked for.
        query_name: the user's column that identifies a query, of rankings.
        is_given: whether the values were computed elsewhere, so that there are no rows behind them.
        values: the summary of the values per query, where there are queries.
    """

    rows: tuple[dict[str, Any], ...]
    by: tuple[tuple[str, ...], ...]
    findings: tuple[Finding, ...]
    measures: tuple[Measure, ...]
    summary: exp.Query
    per_query: exp.Query | None = None
    verified: tuple[Verification, ...] = ()
    units: Units | None = None
    query_name: str = ""
    is_given: bool = False
    values: RankingSummary | None = None


def refuse_unsupported(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure]
) -> None:
    """Refuse metrics and features that an engine lacks.

    Raises:
        UnsupportedError: the engine cannot run a metric, or lacks a feature that was asked for.
    """
    name = DIALECTS[engine.dialect].engine
    for measure in measures:
        if (reason := engine.reason_against(catalog, measure.metric)) is not None:
            raise UnsupportedError(measure.text, f"not on {name}: {reason}", "evaluate it with DuckDB")
        if request.verify is not None and (why := _not_verified(measure)):
            raise UnsupportedError(measure.text, f"verify= recomputes {why}", "leave verify= out")
    asked = {"chunks": request.chunks or None, "verify": request.verify, "interval": request.inference}
    for option, given in asked.items():
        if given is not None and not engine.supports(Feature[option.upper()]):
            raise UnsupportedError(
                option, f"not on {name}", "leave it out, or write the values per query and go on with DuckDB"
            )


def _not_verified(measure: Measure) -> str | None:
    """Return which other values are recomputed, None if those of a measure are, too."""
    if measure.family == MULTICLASS:
        return "metrics of rankings and of two classes"
    if measure.metric.is_of_systems:
        return "values of queries, and this metric has one value for all lists"
    if measure.metric.further_inputs:
        return "values from predictions and truth only"
    return None


def plan_of(engine: Engine, measures: Sequence[Measure]) -> str:
    """Return how an engine finds the ranks that the measures need, see `ranking_plan`."""
    return ranking_plan(measures) if engine.supports(Feature.GLOBAL_SORTS) else SORTED


def with_bounds(
    catalog: Catalog, engine: Engine, inference: Inference, part: FamilyEvaluation, units: Units
) -> FamilyEvaluation:
    """Return the results with their intervals."""
    from duckmetrics.inference.intervals import biased, with_intervals

    results = engine.results()
    summary, told = with_intervals(catalog, results, inference, units, part.summary)
    rows, kept = kept_rows(results, summary)
    findings = (*part.findings, *told, *biased(units, rows))
    return replace(part, rows=rows, summary=kept, findings=findings, units=units)
