"""The effect of the order of equal scores on metrics."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, cast

from duckmetrics.catalog.definition import RANKING
from duckmetrics.compose.composer import Composer
from duckmetrics.errors import MetricError
from duckmetrics.expressions.build import picked
from duckmetrics.inputs.ranking import SIDE_INPUTS
from duckmetrics.results.tabular import Printed, Shown, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.session import Session


BOUNDS = ("pessimistic", "optimistic")


@dataclass(frozen=True)
class Tied:
    """Effect of the order of equal scores on one metric of one system.

    Attributes:
        value: under the convention asked for.
        pessimistic, optimistic: with the relevant items last, and first, among equal scores,
            and the unjudged ones before, and after, those of grade 0.
        n_dependent: the queries whose value depends on that order, of `n_queries` in the population.
    """

    system: str | None
    metric: str
    value: float | None
    pessimistic: float | None
    optimistic: float | None
    n_dependent: int
    n_queries: int

    @property
    def share(self) -> float:
        """Share of the queries whose value depends on the order of equal scores."""
        return self.n_dependent / self.n_queries if self.n_queries else 0.0


@dataclass(frozen=True, repr=False)
class TieReport(Printed):
    """Effect of the order of equal scores on each metric."""

    command = "ties"

    rows: tuple[Tied, ...]

    @property
    def summary(self) -> pa.Table:
        """One row per system and metric."""
        import pyarrow as pa

        numbers = dict.fromkeys(("value", *BOUNDS, "share"), pa.float64())
        counts = dict.fromkeys(("n_dependent", "n_queries"), pa.int64())
        text = {"system": pa.string(), "metric": pa.string()}
        rows = [{**asdict(row), "share": row.share} for row in self.rows]
        schema = pa.schema([*text.items(), *numbers.items(), *counts.items()])
        return readable(pa.Table.from_pylist(rows, schema))

    def shown(self) -> Shown:
        """Return the rows, with the share of queries as a percentage."""
        header = [
            *(["system"] if self.rows[0].system else []),
            "metric",
            "value",
            *BOUNDS,
            "queries",
            "share",
        ]
        cells = [
            [
                str(row.system), row.metric, *map(_cell, (row.value, row.pessimistic, row.optimistic)),
                f"{row.n_dependent} of {row.n_queries}", f"{row.share:.1%}",
            ][-len(header):]
            for row in self.rows
        ]  # fmt: skip
        return Shown(header, cells, ("value", *BOUNDS, "share"))


def _cell(value: float | None) -> str:
    return "NULL" if value is None else f"{value:.4f}"


def tie_report(session: Session, specs: Sequence[str]) -> TieReport:
    """Evaluate metrics under the order of ties that is asked for, and under the worst and the best one.

    Raises:
        MetricError: a metric cannot be read, or has no order of ties, as AUC has none.
        InputError: the data cannot be evaluated as they are.
    """
    measures = session.measures(specs)
    for measure in measures:
        _refuse_without_order(measure)
    return TieReport(tuple(_report(session, measures)))


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
    """Evaluate every measure three times along with the others."""
    bounds = [replace(m.bound(ties=bound), text=_name(m, bound)) for bound in BOUNDS for m in measures]
    (part,) = session.parts([*measures, *bounds])
    values = {(row["system"], row["metric"]): row["value"] for row in part.rows if row["slice"] == ""}
    found = []
    for measure in measures:
        dependent = dict.fromkeys((row["system"] for row in part.rows), (0, 0))
        query = _disagreeing(
            session.catalog, cast("exp.Query", part.per_query), *(_name(measure, bound) for bound in BOUNDS)
        )
        dependent |= {system: (few, all_) for system, few, all_ in session.engine.rows(query)}
        for system, (few, all_) in dependent.items():
            worst, best = (values[system, _name(measure, bound)] for bound in BOUNDS)
            found.append(Tied(system, measure.text, values[system, measure.text], worst, best, few, all_))
    return found


def _disagreeing(catalog: Catalog, per_query: exp.Query, one: str, other: str) -> exp.Select:
    """Count the queries whose values of two measures differ: system, how many, of how many."""
    composer = Composer(catalog, {"per_query": per_query})
    step = composer.relation("disagreements", {"one": one, "other": other})
    return composer.complete(picked(step, "system", "n_different", "n"))


def _name(measure: Measure, bound: str) -> str:
    return f"{measure.text} {bound}"
