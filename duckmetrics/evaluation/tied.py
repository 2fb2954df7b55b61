"""Whether the order of equal scores could change which system is best, as a sample of the queries shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION, ORDERED, declares, holds
from duckmetrics.compose.branches import per_query
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.optimizer import CONTENDERS, depth_of, ranking_plan
from duckmetrics.engines.engine import keep_new
from duckmetrics.evaluation.samples import relation_over
from duckmetrics.expressions.build import cast_to, distinct, equal_columns, picked, row_count
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.ranking import SIDE_INPUTS
from duckmetrics.results.findings import NOTE, Finding
from duckmetrics.words.lists import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

CHECK, ADVICE = "undecided_tie", "export scores without rounding"
BOUNDS = ("pessimistic", "optimistic")
# Values that differ by less differ by rounding only.
ROUNDING = 1e-12
# The most queries of a sample that shows how far ties move a mean, and about how many predictions it has; a
# sample of long lists has at least so few queries.
SAMPLED, MOST_ROWS, LEAST = 1000, 200_000, 100
# The tables with rows of a query.
OF_QUERIES = ("predictions", "truth", "population", "answers")


class Span(NamedTuple):
    """The value of a system, and its values in the worst and the best order of equal scores."""

    system: str | None
    value: float | None
    pessimistic: float | None
    optimistic: float | None

    def ends(self, sign: float) -> list[float]:
        """Return the values in several orders, so that higher is better."""
        return [sign * value for value in self[1:] if value is not None]


def undecided(measure: Measure, spans: Iterable[Span]) -> tuple[Span, Span] | None:
    """Return the best system and the next one that could be better in another order; None if none could."""
    if measure.metric.range.direction not in ("higher", "lower"):
        return None
    sign = -1.0 if measure.lower_is_better else 1.0
    known = [one for one in spans if one.value is not None]
    if len(known) < 2:
        return None
    best, *others = sorted(known, key=lambda one: -sign * (one.value or 0.0))
    worst = min(best.ends(sign)) + ROUNDING
    behind = (other for other in others if other.value != best.value)
    return next(((best, other) for other in behind if max(other.ends(sign)) > worst), None)


def told(metric: str, best: Span, other: Span) -> str:
    """Return the sentence that the order of ties could put another system first."""
    lead = abs((best.value or 0.0) - (other.value or 0.0))
    return (
        f"{metric}: ties could change which system is best: {best.system} leads {other.system} by "
        f"{lead:.2g}, and an order against it reverses this"
    )


class TiedSample:
    """The lists of some queries, in the worst and the best order of equal scores.

    Args:
        table: the kept values of all queries.
        columns: which columns of the table belong to which measure.

    Attributes:
        tables: the names of the tables that the sample is kept in.
    """

    def __init__(
        self, catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], table: str,
        columns: Sequence[Columns],
    ) -> None:  # fmt: skip
        self.catalog, self.engine, self.inputs = catalog, engine, inputs
        self.measures, self.table, self.columns = measures, table, columns
        self.tables: list[str] = []

    def note(self, rows: Sequence[Mapping[str, Any]]) -> Finding | None:
        """Return the note that ties could change which system is best by a metric; None if they could not.

        It is on the first such metric.

        Args:
            rows: the summary.
        """
        asked = [one for one in self.measures if declares(self.catalog, ORDERED, one)]
        if not all(holds(self.catalog, ORDERED, one) for one in asked):
            return None  # whoever asks for another order knows of the ties
        means = {
            measure: {row["system"]: row["value"] for row in rows
                      if row["metric"] == measure.text and row["slice"] == "" and row["value"] is not None}
            for measure in asked if _has_means(measure)
        }  # fmt: skip
        if not any(len(set(of.values())) > 1 for of in means.values()):
            return None
        n, size = self._sampled()
        shares = self._tied_lists(list(means), size)
        close = [measure for measure, of in means.items() if _could_differ(measure, of, shares)]
        for measure, moved in zip(close, self._moved(close) if close else (), strict=True):
            spans = (
                Span(system, value, *(value + by for by in moved.get(system, (0.0, 0.0))))
                for system, value in means[measure].items()
            )
            if (pair := undecided(measure, spans)) is not None:
                of_all = f", as {size:,} of {counted(n, 'query', 'queries')} show" if size < n else ""
                advice = f"{ADVICE}; ties shows by how much"
                text = f"{told(measure.text, *pair)}{of_all}; {advice}"
                return Finding(CHECK, NOTE, "", "", 0, (), text, advice)
        return None

    def _sampled(self) -> tuple[int, int]:
        """Take a sample of the queries, unless they are few; return their number, and that of the sample."""
        ((n,),) = self.engine.rows(row_count(exp.to_table(self.table), distinct("query_id")))
        queries = {name: query for name, query in self.inputs.queries.items() if name != CONTENDERS}
        ((n_rows,),) = self.engine.rows(row_count(queries["predictions"].subquery("predictions")))
        size = min(n, SAMPLED, max(LEAST, MOST_ROWS * n // max(n_rows, 1)))
        if size < n:
            queries |= {name: self._kept(name, rows) for name, rows in self._of_sample(queries, size)}
        self.inputs = replace(self.inputs, queries=queries)
        return n, size

    def _of_sample(self, queries: Mapping[str, exp.Query], size: int) -> Iterator[tuple[str, exp.Query]]:
        """Yield the tables with a row for each of a query, with the rows of a sample of the queries."""
        text = cast_to(exp.column("query_id"), "VARCHAR").as_("id_text")
        ids = exp.select("query_id", text).distinct().from_(self.table).subquery()
        numbered = relation_over("sampled_queries", {"query_ids": ids}, size)
        sample = self._kept("queries", numbered).subquery("sample")
        some = picked(sample, "query_id").where(exp.column("number") <= literal(size)).subquery()
        for name in OF_QUERIES:
            if name in queries:
                rows = exp.select("*").from_(queries[name].subquery("given"))
                yield name, rows.where(exp.In(this=exp.column("query_id"), query=some.copy()))

    def _kept(self, name: str, query: exp.Query) -> exp.Select:
        self.tables.append(keep_new(self.engine, f"sampled_{name}", query))
        return self.engine.kept(self.tables[-1])

    def _tied_lists(self, measures: Sequence[Measure], size: int) -> dict[str | None, float]:
        """Return the share of the lists of each system in which the order of equal scores can matter.

        Args:
            size: the number of queries.
        """
        composer = self.inputs.composer(self.catalog)
        searched = {"plan": ranking_plan(measures), "depth": depth_of(measures)}
        steps = dict.fromkeys(
            composer.relation("tied_lists", {**one.values, **searched, "any_items": one.metric.is_own})
            for one in measures
        )
        found: dict[str | None, float] = {}
        for step in steps:
            counts = picked(step, "system", exp.Count(this=exp.Star())).group_by("system")
            for system, n in self.engine.rows(composer.complete(counts)):
                found[system] = max(found.get(system, 0.0), n / size)
        return found

    def _moved(self, measures: Sequence[Measure]) -> list[dict[str | None, tuple[float, ...]]]:
        """Return by how much the worst and the best order move the mean of each measure, by system."""
        orders = [
            replace(one.bound(ties=bound), text=f"{one.text} {bound}") for one in measures for bound in BOUNDS
        ]
        query, named = per_query(self.inputs.composer(self.catalog), orders, ranking_plan(orders))
        asked = [self.columns[self.measures.index(one)].value for one in measures for _ in BOUNDS]
        moved = (
            exp.Avg(this=exp.Sub(this=exp.column(column.value, "tied"), expression=exp.column(own, "asked")))
            for column, own in zip(named, asked, strict=True)
        )
        tied, known = query.subquery("tied"), exp.to_table(self.table).as_("asked", table=True)
        same = equal_columns(("system", "query_id"), "tied", "asked")
        system = exp.column("system", "tied")
        means = exp.select(system, *moved).from_(tied).join(known, on=same).group_by(system.copy())
        rows = self.engine.rows(with_directions(means))
        return [
            {name: tuple(by or 0.0 for by in moves[2 * place : 2 * place + 2]) for name, *moves in rows}
            for place in range(len(measures))
        ]


def _has_means(measure: Measure) -> bool:
    """Return whether a measure is a mean of queries, one of which is better, and needs no further tables."""
    return (
        measure.metric.range.direction in ("higher", "lower")
        and measure.aggregation == DEFAULT_AGGREGATION
        and not measure.metric.is_of_systems
        and SIDE_INPUTS.isdisjoint(measure.metric.inputs)
    )


def _could_differ(
    measure: Measure, means: Mapping[str | None, float], shares: Mapping[str | None, float]
) -> bool:
    """Return whether ties in these shares of the lists could turn the lead of the best system."""
    low, high = measure.metric.range[:2]
    sign = -1.0 if measure.lower_is_better else 1.0
    ranked = sorted(means.items(), key=lambda one: -sign * one[1])
    (best, lead), others = ranked[0] if ranked else ("", 0.0), ranked[1:]
    return any(
        lead != value
        and (share := shares.get(best, 0.0) + shares.get(name, 0.0)) > 0
        and (high - low) * share > abs(lead - value)
        for name, value in others
    )
