"""Metrics of all lists of a system together, such as coverage: one number per system and slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.expressions.folding import literal
from duckmetrics.summaries.query_slices import attributed, sliced
from duckmetrics.summaries.ranking import JOINED, SOURCE, aim_of, none, shown_value, with_joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.inputs.inputs import Inputs

SEGMENT, MEMBERS = "segment", "members"
# The factor with which sums are whole numbers: their terms are lists, or products of numbers of lists.
SCALE = 2.0**50
KEYS = ("system", SEGMENT)


class SystemSummary:
    """Writes the queries of these metrics.

    Args:
        queries: the name of the table with system, query_id and missing, one row per query of the population.
    """

    def __init__(self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], queries: str) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.measures = measures
        self.queries = queries
        self.by = {name: f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}
        self._slice_keys = ("slice", "slice_number", *self.by.values())

    def segments(self) -> exp.Query:
        """Number the slices, the overall one first."""
        found = exp.select(*self._slice_keys).distinct().from_(SOURCE)
        order = exp.Order(expressions=[exp.Ordered(this=exp.column(k), desc=False)
                                       for k in ("slice_number", *self.by.values())])  # fmt: skip
        number = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=literal(1))
        query = exp.select(number.as_(SEGMENT), *self._slice_keys).from_(found.subquery("found"))
        return self._with_slices(query)

    def members(self, segments: str) -> exp.Query:
        """Return every query once in each slice that it belongs to: system, query_id, segment, missing."""
        same = [
            exp.NullSafeEQ(this=exp.column(key, SOURCE), expression=exp.column(key, segments))
            for key in self._slice_keys
        ]
        columns = (exp.column(name, SOURCE) for name in ("system", "query_id", "missing"))
        query = exp.select(*columns, exp.column(SEGMENT, segments)).from_(SOURCE)
        return self._with_slices(query.join(segments, on=exp.and_(*same)))

    def values(self, composer: Composer, members: str, *, exact: bool) -> exp.Select:
        """Return one row per system and segment: the values side by side, and the numbers of queries.

        Args:
            composer: over the inputs, with the answered queries as the input `members`.
            members: the name of the table with all of them.
            exact: whether sums are the same in any order of the rows.
        """
        values = [composer.value(measure.metric, measure.values) for measure in self.measures]
        composer.settle()
        missing = exp.Filter(
            this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.column("missing"))
        )
        frame = exp.select(*KEYS, exp.Count(this=exp.Star()).as_("n_population"), missing.as_("n_missing"))
        frame = frame.from_(members).group_by(*KEYS)
        query = exp.select(exp.column("frame.*")).from_(frame.subquery("frame"))
        query.set("expressions", [exp.column(name, "frame") for name in (*KEYS, "n_population", "n_missing")])
        for block in composer.blocks:
            same = [exp.EQ(this=exp.column(k, block.name), expression=exp.column(k, "frame")) for k in KEYS]
            query = query.join(block.name, on=exp.and_(*same), join_type="left")
        for i, value in enumerate(values):
            query = query.select(cast("exp.Expr", value).as_(f"value_{i}"), copy=False)
        whole = composer.assemble(query)
        return cast("exp.Select", with_exact_sums(whole, SCALE if exact else None))

    def query(self, values: str, segments: str) -> exp.Select:
        """Return one row per system, slice and measure, overall first.

        Args:
            values: the name of the table of `values`.
        """
        joined = exp.select(f"{values}.*", *(exp.column(k, segments) for k in self._slice_keys)).from_(values)
        same = exp.EQ(this=exp.column(SEGMENT, segments), expression=exp.column(SEGMENT, values))
        joined = joined.join(segments, on=same)
        parts = [self._row(i, measure) for i, measure in enumerate(self.measures)]
        whole: exp.Query = parts[0]
        for part in parts[1:]:
            whole = exp.union(whole, part, distinct=False, copy=False)
        shown = {alias: name for name, alias in self.by.items()}
        names = [name for name in parts[0].named_selects if name not in (SEGMENT, "measure_number")]
        result = exp.select(*(exp.column(n).as_(shown.get(n, n), quoted=n in shown) for n in names))
        result = result.from_(whole.subquery("summary", copy=False), copy=False)
        for key in (SEGMENT, "measure_number", "system"):
            result = result.order_by(exp.column(key, "summary"), copy=False)
        return with_joined(result, cast("exp.Select", joined))

    def _row(self, i: int, measure: Measure) -> exp.Select:
        """Return the columns of one measure as results have them."""
        unnamed = exp.cast(exp.null(), "VARCHAR")
        system = unnamed if self.inputs.one_system else exp.column("system")
        value, why = shown_value(self.catalog, exp.column(f"value_{i}"), literal(0))
        answered = exp.Sub(this=exp.column("n_population"), expression=exp.column("n_missing"))
        return exp.select(
            system.as_("system"), literal(measure.text).as_("metric"), exp.column("slice"),
            *map(exp.column, self.by.values()), value.as_("value"),
            none("DOUBLE", "lower"), none("DOUBLE", "upper"), why.as_("reason"),
            answered.as_("n"), exp.column("n_missing"), literal(0).as_("n_no_relevant"),
            literal(0).as_("n_undefined"), none("BIGINT", "n_positive"), *aim_of(measure),
            literal(measure.signature).as_("signature"), exp.column(SEGMENT),
            literal(i).as_("measure_number"),
        ).from_(JOINED, copy=False)  # fmt: skip

    def _with_slices(self, query: exp.Select) -> exp.Query:
        """Put the steps that end with every query once per grouping in front of a query."""
        steps = [*attributed(self.inputs, self.by, self.queries), (SOURCE, sliced(self.inputs, self.by, ()))]
        for name, step in steps:
            query = query.with_(name, as_=step, copy=False)
        return cast("exp.Query", with_directions(query))
