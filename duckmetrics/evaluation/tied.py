"""Whether the order of equal scores could change which system is best, as a sample of the queries shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.branches import per_query
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.optimizer import CONTENDERS, SORTED, ranking_plan
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
# This number of queries shows how far ties move a mean.
SAMPLED = 1000
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
    return next(((best, other) for other in others if max(other.ends(sign)) > worst), None)


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
        self.catalog, self.engine = catalog, engine
        self.measures, self.table, self.columns = measures, table, columns
        ((self.n,),) = engine.rows(row_count(exp.to_table(table), distinct("query_id")))
        self.tables: list[str] = []
        queries = {name: query for name, query in inputs.queries.items() if name != CONTENDERS}
        if self.n > SAMPLED:
            queries |= {name: self._kept(name, rows) for name, rows in self._of_sample(queries)}
        self.inputs = replace(inputs, queries=queries)

    def note(self, rows: Sequence[Mapping[str, Any]]) -> Finding | None:
        """Return the note that ties could change which system is best; None if they could not.

        It is on the first metric that ties could decide: each takes time.

        Args:
            rows: the summary.
        """
        means = {
            measure: {row["system"]: row["value"] for row in rows
                      if row["metric"] == measure.text and row["slice"] == "" and row["value"] is not None}
            for measure in self.measures if self._has_order(measure)
        }  # fmt: skip
        shares = self._tied_lists(list(means)) if any(len(of) > 1 for of in means.values()) else {}
        asked = (measure for measure, of in means.items() if _could_differ(measure, of, shares))
        # Some metrics read the order and do not depend on it, such as recall without a cut-off.
        first = next(((one, by) for one in asked if any(map(any, (by := self._moved(one)).values()))), None)
        if first is None:
            return None
        measure, moved = first
        spans = (
            Span(system, value, *(value + by for by in moved.get(system, (0.0, 0.0))))
            for system, value in means[measure].items()
        )
        if (pair := undecided(measure, spans)) is None:
            return None
        text = told(measure.text, *pair)
        if self.n > SAMPLED:
            text += f", as {SAMPLED:,} of {counted(self.n, 'query', 'queries')} show"
        advice = f"{ADVICE}; ties shows by how much"
        return Finding(CHECK, NOTE, "", "", 0, (), f"{text}; {advice}", advice)

    def _of_sample(self, queries: Mapping[str, exp.Query]) -> Iterator[tuple[str, exp.Query]]:
        """Yield the tables with a row for each of a query, with the rows of a sample of the queries."""
        text = cast_to(exp.column("query_id"), "VARCHAR").as_("id_text")
        ids = exp.select("query_id", text).distinct().from_(self.table).subquery()
        numbered = relation_over("sampled_queries", {"query_ids": ids}, SAMPLED)
        sample = self._kept("queries", numbered).subquery("sample")
        some = picked(sample, "query_id").where(exp.column("number") <= literal(SAMPLED)).subquery()
        for name in OF_QUERIES:
            if name in queries:
                rows = exp.select("*").from_(queries[name].subquery("given"))
                yield name, rows.where(exp.In(this=exp.column("query_id"), query=some.copy()))

    def _kept(self, name: str, query: exp.Query) -> exp.Select:
        self.tables.append(keep_new(self.engine, f"sampled_{name}", query))
        return self.engine.kept(self.tables[-1])

    def _has_order(self, measure: Measure) -> bool:
        """Return whether ties can move a mean of queries, which a sample shows."""
        return (
            "ties" in self.catalog.placeholders(measure.metric)
            and measure.metric.range.direction in ("higher", "lower")
            and measure.aggregation == DEFAULT_AGGREGATION
            and measure.values.get("ties") != "expected"
            and not measure.metric.is_of_systems
            and SIDE_INPUTS.isdisjoint(measure.metric.inputs)
        )

    def _tied_lists(self, measures: Sequence[Measure]) -> dict[str | None, float]:
        """Return the share of the lists of each system in which the order of equal scores can matter."""
        composer = self.inputs.composer(self.catalog)
        searched = {"plan": SORTED, "depth": None}
        steps = dict.fromkeys(
            composer.relation("tied_lists", {**one.values, **searched, "any_items": one.metric.is_own})
            for one in measures
        )
        found: dict[str | None, float] = {}
        for step in steps:
            counts = picked(step, "system", exp.Count(this=exp.Star())).group_by("system")
            for system, n in self.engine.rows(composer.complete(counts)):
                found[system] = max(found.get(system, 0.0), n / min(self.n, SAMPLED))
        return found

    def _moved(self, measure: Measure) -> dict[str | None, tuple[float, ...]]:
        """Return by how much the worst and the best order move the mean of each system."""
        orders = [replace(measure.bound(ties=bound), text=f"{measure.text} {bound}") for bound in BOUNDS]
        query, named = per_query(self.inputs.composer(self.catalog), orders, ranking_plan(orders))
        asked = exp.column(self.columns[self.measures.index(measure)].value, "asked")
        moved = (
            exp.Avg(this=exp.Sub(this=exp.column(one.value, "tied"), expression=asked.copy()))
            for one in named
        )
        tied, known = query.subquery("tied"), exp.to_table(self.table).as_("asked", table=True)
        same = equal_columns(("system", "query_id"), "tied", "asked")
        system = exp.column("system", "tied")
        means = exp.select(system, *moved).from_(tied).join(known, on=same).group_by(system.copy())
        rows = self.engine.rows(with_directions(means))
        return {name: tuple(by or 0.0 for by in moves) for name, *moves in rows}


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
