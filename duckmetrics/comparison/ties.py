"""The effect of the order of equal scores on metrics."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.comparison.shuffled import Shuffled
from duckmetrics.compose.composer import Composer
from duckmetrics.errors import MetricError
from duckmetrics.evaluation.tied import ADVICE, BOUNDS, Span, told, undecided
from duckmetrics.evaluation.tied import CHECK as UNDECIDED
from duckmetrics.expressions.build import picked
from duckmetrics.inputs.ranking import SIDE_INPUTS
from duckmetrics.results.findings import NOTE, Examined, Finding
from duckmetrics.results.tabular import Printed, Shown, document, readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inference.ranking_summary import RankingSummary


@dataclass(frozen=True)
class Tied:
    """Effect of the order of equal scores on one metric of one system.

    Attributes:
        value: under the convention asked for.
        pessimistic, optimistic: with the relevant items last, and first, among equal scores,
            and the unjudged ones before, and after, those of grade 0.
        sd: the standard deviation of the value if equal scores are in a random order; None if the value is
            not a mean over queries.
        n_orders: the random orders of each list with ties that `sd` comes from; 0 without ties.
        n_dependent: the queries whose value depends on that order, of `n_queries` in the population.
    """

    system: str | None
    metric: str
    value: float | None
    pessimistic: float | None
    optimistic: float | None
    sd: float | None
    n_orders: int
    n_dependent: int
    n_queries: int

    @property
    def share(self) -> float:
        """Share of the queries whose value depends on the order of equal scores."""
        return self.n_dependent / self.n_queries if self.n_queries else 0.0


@dataclass(frozen=True, repr=False)
class TieReport(Examined, Printed):
    """Effect of the order of equal scores on each metric.

    Attributes:
        checks: notes about metrics whose ties could change which system is best, or that have no `sd`.
    """

    command = "ties"

    rows: tuple[Tied, ...]
    checks: tuple[Finding, ...] = ()

    @property
    def summary(self) -> pa.Table:
        """One row per system and metric."""
        import pyarrow as pa

        numbers = dict.fromkeys(("value", *BOUNDS, "sd", "share"), pa.float64())
        counts = dict.fromkeys(("n_orders", "n_dependent", "n_queries"), pa.int64())
        text = {"system": pa.string(), "metric": pa.string()}
        rows = [{**asdict(row), "share": row.share} for row in self.rows]
        schema = pa.schema([*text.items(), *numbers.items(), *counts.items()])
        return readable(pa.Table.from_pylist(rows, schema))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics ties`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.summary.to_pylist(), self.checks)

    def shown(self) -> Shown:
        """Return the rows, with the share of queries as a percentage, and the notes below."""
        header = [
            *(["system"] if self.rows[0].system else []),
            "metric",
            "value",
            *BOUNDS,
            "sd",
            "queries",
            "share",
        ]
        cells = [
            [
                str(row.system), row.metric, *map(_cell, (row.value, row.pessimistic, row.optimistic)),
                _cell(row.sd, ".2g"), f"{row.n_dependent} of {row.n_queries}", f"{row.share:.1%}",
            ][-len(header):]
            for row in self.rows
        ]  # fmt: skip
        return Shown(header, cells, ("value", *BOUNDS, "sd", "share"), notes=self.lines_below())


def _cell(value: float | None, digits: str = ".4f") -> str:
    return "NULL" if value is None else f"{value:{digits}}"


def tie_report(session: Session, specs: Sequence[str]) -> TieReport:
    """Evaluate metrics under the asked, the worst, the best and random orders of ties.

    Raises:
        MetricError: a metric cannot be read, or has no order of ties, as AUC has none.
        InputError: the data cannot be evaluated as they are.
    """
    measures = session.measures(specs)
    for measure in measures:
        _refuse_without_order(measure)
    rows = _report(session, measures)
    return TieReport(tuple(rows), tuple(_notes(measures, rows)))


def _refuse_without_order(measure: Measure) -> None:
    """Refuse metrics that do not depend on the order of equal scores, or need more than a ranking."""
    if measure.family != RANKING:
        raise MetricError(measure.text, "does not depend on the order of equal scores", "leave it out")
    if measure.metric.is_of_systems:
        raise MetricError(measure.text, "has no values of queries, which ties counts", "leave it out")
    if not SIDE_INPUTS.isdisjoint(measure.metric.inputs):
        what = "reads a table besides predictions and truth, which ties does not take"
        raise MetricError(measure.text, what, "leave it out")


def _report(session: Session, measures: Sequence[Measure]) -> list[Tied]:
    """Evaluate every measure three times along with the others, and then in random orders."""
    bounds = [replace(m.bound(ties=bound), text=_name(m, bound)) for bound in BOUNDS for m in measures]
    (part,) = session.parts([*measures, *bounds])
    values = {(row["system"], row["metric"]): row["value"] for row in part.rows if row["slice"] == ""}
    summary = cast("RankingSummary", part.values)
    asked = summary.measures[: len(measures)]
    deviations = Shuffled(session.catalog, session.engine, summary, asked).deviations()
    found = []
    for place, measure in enumerate(measures):
        dependent = dict.fromkeys((row["system"] for row in part.rows), (0, 0))
        query = _disagreeing(
            session.catalog, cast("exp.Query", part.per_query), *(_name(measure, bound) for bound in BOUNDS)
        )
        dependent |= {system: (few, all_) for system, few, all_ in session.engine.rows(query)}
        for system, (few, all_) in dependent.items():
            value, worst, best = (values[system, name] for name in _names(measure))
            sd, n = deviations.get((system, place), (None if value is None else 0.0, 0))
            if measure.aggregation != DEFAULT_AGGREGATION:
                sd, n = None, 0
            found.append(Tied(system, measure.text, value, worst, best, sd, n, few, all_))
    return found


def _notes(measures: Sequence[Measure], rows: Sequence[Tied]) -> Iterator[Finding]:
    """Yield a note about each metric that has no deviation, or whose ties could change the best system."""
    for measure in measures:
        own = [row for row in rows if row.metric == measure.text]
        if measure.aggregation != DEFAULT_AGGREGATION:
            why = f"it is the {measure.aggregation} of the queries, not their mean"
            yield Finding("tie_deviation", NOTE, "", "", 0, (), f"{measure.text}: no sd, because {why}")
        if (note := _undecided_note(measure, own)) is not None:
            yield note


def _undecided_note(measure: Measure, rows: Sequence[Tied]) -> Finding | None:
    """Return the note that the order of ties could put another system first; None if it could not."""
    spans = [Span(row.system, row.value, row.pessimistic, row.optimistic) for row in rows]
    if (pair := undecided(measure, spans)) is None:
        return None
    deviations = [row.sd for row in rows if row.system in (pair[0].system, pair[1].system)]
    parts = [told(measure.text, *pair)]
    known = [sd for sd in deviations if sd is not None]
    if len(known) == len(deviations):
        sd = math.hypot(*known)
        parts.append(f"in random orders, the difference has a standard deviation of {sd:.2g}")
    return Finding(UNDECIDED, NOTE, "", "", 0, (), "; ".join([*parts, ADVICE]), ADVICE)


def _disagreeing(catalog: Catalog, per_query: exp.Query, one: str, other: str) -> exp.Select:
    """Count the queries whose values of two measures differ: system, how many, of how many."""
    composer = Composer(catalog, {"per_query": per_query})
    step = composer.relation("disagreements", {"one": one, "other": other})
    return composer.complete(picked(step, "system", "n_different", "n"))


def _names(measure: Measure) -> list[str]:
    return [measure.text, *(_name(measure, bound) for bound in BOUNDS)]


def _name(measure: Measure, bound: str) -> str:
    return f"{measure.text} {bound}"
