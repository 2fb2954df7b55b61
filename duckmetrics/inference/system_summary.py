"""Metrics of all lists of a system together, such as coverage: one number per system and slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer, with_directions
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.expressions.build import everything, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.ranking_summary import (
    JOINED,
    SOURCE,
    aim_of,
    attributed,
    in_rows,
    none,
    shown_value,
    sliced,
    systems_of,
    with_joined,
)
from duckmetrics.inputs.inputs import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


SEGMENT = "segment"
KEYS = ("system", SEGMENT)
COUNTS = ("n_population", "n_missing")
# The relation of the values of lists whose mean is a measure, and what it reads.
INFLUENCE, SLOPES, VALUES = "exposure_influence", "slopes", "system_values"
NO_INTERVAL, SMOOTH = "none, ", "none, it does not change smoothly with the lists"
# The band of the terms of sums, see `exact_sums`: they are lists, or products of numbers of lists.
BANDS = (48,)


class SystemSummary:
    """Writes the queries of these metrics.

    Args:
        queries: the name of the table with system, query_id and missing, one row per query of the population.

    Attributes:
        listed: the name of the table of `lists`.
        influences: text of a measure -> the table of the values of lists whose mean it is.
    """

    def __init__(self, catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], queries: str) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.measures = measures
        self.queries = queries
        self.listed = ""
        self.influences: dict[str, str] = {}
        self.by = {name: f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}
        self._slice_keys = ("slice", "slice_number", *self.by.values())

    def segments(self) -> exp.Query:
        """Number the slices, the overall one first."""
        none_in_force = (exp.null().as_(alias) for alias in self.by.values())
        overall = exp.select(literal("").as_("slice"), literal(0).as_("slice_number"), *none_in_force)
        found = exp.union(overall, exp.select(*self._slice_keys).from_(SOURCE), distinct=True)
        order = exp.Order(expressions=[exp.Ordered(this=exp.column(k), desc=False)
                                       for k in ("slice_number", *self.by.values())])  # fmt: skip
        number = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=literal(1))
        query = exp.select(number.as_(SEGMENT), *self._slice_keys).from_(found.subquery("found"))
        return self._with_slices(query)

    def lists(self, segments: str) -> exp.Query:
        """Return every query once in each slice that it belongs to: system, query_id, missing, segment."""
        same = [
            exp.NullSafeEQ(this=exp.column(key, SOURCE), expression=exp.column(key, segments))
            for key in self._slice_keys
        ]
        cluster = [CLUSTER] if self.inputs.cluster else []
        columns = (exp.column(name, SOURCE) for name in ("system", "query_id", *cluster, "missing"))
        query = exp.select(*columns, exp.column(SEGMENT, segments)).from_(SOURCE)
        return self._with_slices(query.join(segments, on=exp.and_(*same)))

    def values(self, composer: Composer, *, exact: bool) -> exp.Select:
        """Return one row per system and segment: the values side by side, and the numbers of queries.

        Args:
            composer: over the inputs, with the answered queries as the input `lists`.
            exact: whether sums are the same in any order of the rows.
        """
        metrics = [(measure.metric, measure.values) for measure in self.measures]
        return joined_values(composer, metrics, self.listed, exact=exact)

    def slopes(self, composer: Composer, i: int) -> exp.Select:
        """Return the change of a measure with each list that has an item: system, segment, item_id, ...

        Args:
            composer: as for `values`.
            i: the place of the measure.
        """
        measure = self.measures[i]
        return composer.complete(everything(composer.relation(str(slopes_of(measure)), measure.values)))

    def influence(self, composer: Composer, i: int, values: str, slopes: exp.Query) -> exp.Select:
        """Return the values of all lists whose mean is a measure: system, segment, query_id, value.

        Args:
            composer, i: as for `slopes`.
            values: the name of the table of `values`.
            slopes: the rows of `slopes` where they are kept.
        """
        measure = self.measures[i]
        of_measure = exp.select(*KEYS, exp.column(f"value_{i}").as_("value")).from_(values)
        inputs = {**composer.inputs, SLOPES: slopes, VALUES: of_measure}
        whole = Composer(self.catalog, inputs, composer.constants, composer.facts)
        return whole.complete(everything(whole.relation(INFLUENCE, measure.values)))

    def units(self, kept: Sequence[int], segments: str | None) -> exp.Query:
        """Return one row per system, measure, segment and list, or cluster, in the form of `Units`.

        Args:
            kept: the places of the measures that are wanted.
            segments: the table of the segments.
        """
        parts = []
        for place, i in enumerate(kept):
            segment = exp.Mul(this=exp.column(SEGMENT, "lists"), expression=literal(len(kept)))
            key = exp.Add(this=segment, expression=literal(place)).as_("metric")
            part = exp.select(exp.column("system", "lists"), key, exp.column("query_id", "lists"))
            lists = exp.to_table(self.influences[self.measures[i].text]).as_("lists", table=True)
            part = part.from_(lists)
            if self.inputs.cluster:
                same = (exp.EQ(this=exp.column(k, self.listed), expression=exp.column(k, "lists"))
                        for k in (*KEYS, "query_id"))  # fmt: skip
                part = part.select(exp.column(CLUSTER, self.listed)).join(self.listed, on=exp.and_(*same))
            parts.append(part.select(exp.column("value", "lists")))
        return exp.select("*").from_(stacked(parts).subquery("units"))

    def without_units(self, measure: Measure) -> str | None:
        """Return why a measure has no interval; None if the delta method gives one."""
        has_slopes = slopes_of(measure) is not None
        return None if has_slopes else measure.metric.header.get("interval", SMOOTH).removeprefix(NO_INTERVAL)

    def joined(self, values: str, segments: str) -> exp.Select:
        """Return one row per system and slice, the measures side by side.

        Args:
            values: the name of the table of `values`.
            segments: the name of the table of `segments`.
        """
        # The overall row of every system is there, also if no query counts.
        overall = exp.select("system", literal(0).as_(SEGMENT)).from_(
            systems_of(self.inputs).subquery("systems")
        )
        every = exp.union(overall, exp.select(*KEYS).from_(values), distinct=True).subquery("frame")
        joined = exp.select(
            *(exp.column(k, "frame") for k in KEYS),
            *(exp.func("coalesce", exp.column(n, values), literal(0)).as_(n) for n in COUNTS),
            *(exp.column(f"value_{i}", values) for i, _ in enumerate(self.measures)),
            *(exp.column(k, segments) for k in self._slice_keys),
        ).from_(every)  # fmt: skip
        same = (exp.EQ(this=exp.column(k, values), expression=exp.column(k, "frame")) for k in KEYS)
        of_slice = exp.EQ(this=exp.column(SEGMENT, segments), expression=exp.column(SEGMENT, "frame"))
        return joined.join(values, on=exp.and_(*same), join_type="left").join(segments, on=of_slice)

    def query(self, joined: exp.Select) -> exp.Select:
        """Return one row per system, slice and measure, overall first.

        Args:
            joined: the query of `joined`, or of a table that it is kept in.
        """
        parts = [self._row(i, measure) for i, measure in enumerate(self.measures)]
        return with_joined(in_rows(parts, self.by, (SEGMENT,)), joined)

    def _row(self, i: int, measure: Measure) -> exp.Select:
        """Return the columns of one measure as results have them."""
        unnamed = exp.cast(exp.null(), "VARCHAR")
        system = unnamed if self.inputs.one_system else exp.column("system")
        value, why = shown_value(self.catalog, exp.column(f"value_{i}"), literal(0))
        answered = exp.Sub(this=exp.column(COUNTS[0]), expression=exp.column(COUNTS[1]))
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
        return with_directions(query)


def joined_values(
    composer: Composer,
    metrics: Sequence[tuple[Definition, Mapping[str, Value]]],
    listed: str,
    keys: Sequence[str] = KEYS,
    *,
    exact: bool,
) -> exp.Select:
    """Return one row per system and segment: the keys, the numbers of queries, and the values side by side.

    Args:
        composer: over the inputs, with the answered queries as the input `lists`.
        metrics: each with the values of its parameters.
        listed: the table of queries, with system, segment and missing.
        keys: the columns of this table that tell rows apart.
        exact: whether sums are the same in any order of the rows.
    """
    values = [composer.value(metric, known) for metric, known in metrics]
    composer.settle()
    missing = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.column("missing")))
    counts = (exp.Count(this=exp.Star()).as_(COUNTS[0]), missing.as_(COUNTS[1]))
    frame = exp.select(*keys, *counts).from_(listed).group_by(*keys)
    query = exp.select(*(exp.column(name, "frame") for name in (*keys, *COUNTS)))
    query = query.from_(frame.subquery("frame"))
    for block in composer.blocks:
        same = [exp.EQ(this=exp.column(k, block.name), expression=exp.column(k, "frame")) for k in KEYS]
        query = query.join(block.name, on=exp.and_(*same), join_type="left")
    for i, value in enumerate(values):
        query = query.select(cast("exp.Expr", value).as_(f"value_{i}"), copy=False)
    return cast("exp.Select", with_exact_sums(composer.assemble(query), BANDS if exact else None))


def slopes_of(measure: Measure) -> str | None:
    """Return the relation of the change of a measure with each list that has an item, None if it has none."""
    return measure.metric.header.get("influence")
