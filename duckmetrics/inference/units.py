"""The basis of intervals and comparisons: values of units, such as queries, whose mean is the metric."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.engines.plans import PLAN, SORTED
from duckmetrics.expressions.build import everything, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.row_summary import ADDED_UP
from duckmetrics.words.visible import hashable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.plans import Plan
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


# The tests under sql/statistics read units under the names of the table that evaluations write.
PER_QUERY = "per_query"
# The name of the table that they read when they compare systems with a baseline.
DIFFERENCES = "differences"
# The kinds of units without clusters. Rows of one table are those of all its systems.
QUERIES, ROWS, SHARED_ROWS = "queries", "rows", "rows of one table"
KEYS = ("system", "metric", "query_id", "value")
PART = "part"
# The same for all units of a measure: their effective number, NULL if it is their number; and whether they
# are clusters of queries whose values are all 0 or 1, NULL if the values show it. Then the part of a cluster
# of queries in a mean, which has the sign of the cluster; NULL where there are no clusters of queries.
SIZES = {"n_effective": "DOUBLE", "hits": "BOOLEAN", PART: "DOUBLE"}
# The tests that flip or count the signs of units.
SIGNED = ("randomization_test", "randomization_tost", "sign_test", "tukey_hsd", "wilcoxon")
# Scales of intervals.
MEAN, HITS, PROPORTION, LOGIT, LOG = "mean", "hits", "proportion", "logit", "log"
UNIT_INTERVALS = "unit_intervals"
# The column of a test of systems with other units than the baseline.
N_BASELINE = "n_baseline"
# The relation that computes these tests again for clusters of unequal size.
RESIZED = {
    "paired_t": "effective_t", "paired_tost": "effective_tost", "always_valid": "effective_sequence",
    "unpaired_t": "effective_unpaired_t",
}  # fmt: skip

SEGMENT, DRAW, SAMPLES, OBSERVED = "segment", "draw", "samples", "observed"
# The number of the sample that has every unit once.
WHOLE = -1
# The name of the table of samples that shows which system is the best.
MEANS = "resample_means"


def _constant(value: str | float) -> exp.Expr:
    if isinstance(value, str):
        return literal(value)
    return literal(value) if math.isfinite(value) else exp.cast(literal(str(value)), "DOUBLE")


def over_rows(catalog: Catalog, statistic: str, rows: exp.Query, values: Mapping[str, Value]) -> exp.Select:
    """Write a file under sql/statistics over rows that stand for the one table it reads."""
    definition = catalog.statistics[statistic]
    (table,) = definition.inputs
    composer = Composer(catalog, {table: rows})
    return composer.complete(composer.resolved(definition, values))


def struct(*names: str) -> exp.Expr:
    """Combine columns into one, which distinguishes rows as they do together."""
    fields = [exp.PropertyEQ(this=exp.to_identifier(n), expression=exp.column(n)) for n in names]
    return exp.Struct(expressions=fields)


def no_units() -> exp.Select:
    """Return a query of units without rows."""
    nothing: Any = exp.select(*(exp.null().as_(key) for key in (*KEYS, *SIZES)))
    return cast("exp.Select", nothing.where(exp.false()))


def of_measures(query: exp.Query, measures: Sequence[str], texts: Collection[str]) -> exp.Select:
    """Return the rows of some measures; the column metric is as in `Units.query`.

    Args:
        measures: the texts of all measures, in their places.
        texts: those that are wanted.
    """
    number = exp.cast(exp.column("metric"), "BIGINT")
    places = [literal(place) for place, text in enumerate(measures) if text in texts]
    wanted = exp.Mod(this=number, expression=literal(len(measures))).isin(*places)
    return exp.select(exp.Star()).from_(query.subquery("units")).where(wanted)


class Scale(NamedTuple):
    """The scale that an interval is made on, and the ends of the range that it stays within.

    name: mean; hits, proportion, logit or log, see sql/relations/inference/unit_intervals.sql.
    """

    name: str = MEAN
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class Units:
    """The values of every unit, of every measure in every segment.

    Attributes:
        query: system, metric, query_id (the unit), value and `SIZES`. `metric` is the number of the segment
            times the number of the measures, plus the place of the measure.
        segments: segment, slice and the slicing columns of every segment; None where there is only one.
        columns: slicing column -> its alias in `segments`.
        measures: the texts of the measures, in their places.
        kind: what the units are, as a sentence goes on: "queries", "clusters of user_id".
        without: text of a measure -> why it has no units.
        linearized: whether the values come from the delta method or the jackknife.
        clustered: whether units are clusters of rows or queries, which may weigh unequally.
        scales: the scales that intervals of the measures are made on, in their places.
        speaking: system, metric (as in `query`), n: how many units a measure of rows depends on.
        members: system, unit, fingerprint of what must be the same for systems to be compared, where the
            values of the units do not show it: the rows of a cluster, its queries.
        samples: the values of measures that have no units on bootstrap samples, where they were drawn.
        aggregated: the units of measures that have intervals but no tests, such as percentiles.
        method: how their intervals are made, in words; empty for those of means.
    """

    query: exp.Query
    segments: exp.Query | None
    columns: Mapping[str, str]
    measures: tuple[str, ...]
    kind: str
    without: Mapping[str, str] = field(default_factory=dict)
    linearized: bool = False
    clustered: bool = False
    scales: tuple[Scale, ...] = ()
    samples: Samples | None = None
    members: exp.Query | None = None
    speaking: exp.Query | None = None
    aggregated: tuple[Units, ...] = ()
    method: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether the intervals hold for any number of units."""
        return False

    def tested(
        self, catalog: Catalog, statistic: str, values: Mapping[str, Value], unread: Collection[str] = ()
    ) -> exp.Select:
        """Write a test over the units; its rows name measure and slice as the results do.

        Args:
            unread: columns of the test that nothing reads.
        Returns: system, metric (the text), slice, the slicing columns by alias, then what the test yields.
        """
        definition = catalog.statistics[statistic]
        read = self.parts() if statistic in SIGNED else self
        composer = Composer(catalog, read.of_tests(catalog, values))
        query = composer.resolved(definition, values)
        if unread:
            query = query.select(*(p for p in query.selects if p.alias_or_name not in unread), append=False)
        name = composer.step(statistic, query)
        others = [column for column in query.named_selects if column not in ("system", "metric")]
        if self.clustered and statistic in RESIZED:
            whole = composer.complete(exp.select("system", "metric", *others).from_(name))
            return self._resized(catalog, RESIZED[statistic], whole, others, values)
        return composer.complete(self.named(name, others))

    def parts(self) -> Units:
        """Return the units with the part of each cluster of queries, if there are some, as its value."""
        if not self.clustered or self.linearized:
            return self
        others = [name for name in (*KEYS, *SIZES) if name not in ("value", PART)]
        parts = exp.select(*others, exp.column(PART).as_("value"), PART).from_(self.query.subquery("units"))
        return replace(self, query=parts)

    def each(self, reader: str) -> exp.Query:
        """Return the query of the units for a method that reads every one.

        Args:
            reader: its name in messages.
        """
        return self.query

    def of_tests(self, catalog: Catalog, values: Mapping[str, Value]) -> dict[str, exp.Query]:
        """Return what tests read: name -> query."""
        return {PER_QUERY: self.query}

    def of_sizes(self, catalog: Catalog, values: Mapping[str, Value]) -> dict[str, exp.Query]:
        """Return what the effective numbers of clusters are computed from: name -> query."""
        return {"units": self.query}

    def of_intervals(self, catalog: Catalog) -> dict[str, exp.Query]:
        """Return what intervals are computed from: name -> query."""
        return {"units": self._scaled()}

    def reduced(self, catalog: Catalog, stem: str, query: exp.Query) -> exp.Query:
        """Return a query of the units, of few rows, in the terms of the engine of the results."""
        return query

    def of_systems(self, systems: Collection[str]) -> Units:
        """Return the units of these systems only."""
        known = exp.In(this=exp.column("system"), expressions=list(map(literal, systems)))
        return replace(self, query=exp.select(exp.Star()).from_(self.query.subquery("units")).where(known))

    def _resized(
        self,
        catalog: Catalog,
        relation: str,
        tested: exp.Query,
        others: Sequence[str],
        values: Mapping[str, Value],
    ) -> exp.Select:
        """Return the test with as many degrees of freedom as clusters of unequal size are worth."""
        composer = Composer(catalog, {"tested": tested, **self.of_sizes(catalog, values)})
        effective = composer.relation(relation, values)
        changed = catalog.relations[relation].query.named_selects
        columns = [
            exp.column(name, effective if name in changed else "tested").as_(name)
            for name in ("system", "metric", *others)
        ]
        same = [exp.EQ(this=exp.column(key, effective), expression=exp.column(key, "tested"))
                for key in ("system", "metric")]  # fmt: skip
        whole = exp.select(*columns, exp.column("n_effective", effective)).from_("tested")
        composer.relation("tested", {})
        name = composer.step("resized", whole.join(effective, on=exp.and_(*same)))
        return composer.complete(self.named(name, [*others, "n_effective"]))

    def intervals(self, catalog: Catalog, level: float) -> exp.Select:
        """Return the bounds of every measure, by system, measure and slice, or why there are none."""
        composer = Composer(catalog, self.of_intervals(catalog))
        values: dict[str, Value] = {"level": level, "clustered": self.clustered}
        step = composer.relation(UNIT_INTERVALS, values)
        return composer.complete(self.named(step, ("n", "n_effective", "lower", "upper", "varies", "why")))

    def _scaled(self) -> exp.Select:
        """Return the units with the scale of their measure."""
        scales = self.scales or (Scale(),) * len(self.measures)
        columns = self.by_measure({
            "scale" if name == "name" else name: [scale[number] for scale in scales]
            for number, name in enumerate(Scale._fields)
        })  # fmt: skip
        return exp.select(*KEYS, *SIZES, *columns).from_(self.query.subquery("units"))

    def by_measure(self, columns: Mapping[str, Sequence[str | float]]) -> list[exp.Expr]:
        """Return columns of the units that are constants of their measure.

        Args:
            columns: name -> the constants of the measures, in their places.
        """
        place = exp.Mod(this=exp.cast(exp.column("metric"), "BIGINT"), expression=literal(len(self.measures)))
        found: list[exp.Expr] = []
        for name, constants in columns.items():
            case = exp.Case()
            for i, constant in enumerate(constants):
                same = exp.EQ(this=place.copy(), expression=literal(i))
                case = case.when(same, _constant(constant), copy=False)
            found.append(case.as_(name))
        return found

    def named(self, table: str, others: Sequence[str]) -> exp.Select:
        """Return the rows of a table with the names of measures and slices in place of their number.

        Args:
            table: it has the columns system and metric, and `others`.
        """
        count = literal(len(self.measures))
        key = exp.cast(exp.column("metric", table), "BIGINT")
        text = exp.Case()
        for place, measure in enumerate(self.measures):
            same = exp.EQ(this=exp.Mod(this=key.copy(), expression=count.copy()), expression=literal(place))
            text = text.when(same, literal(measure), copy=False)
        slices: list[exp.Expr] = [literal("").as_("slice")]
        if self.segments is not None:
            slices = [exp.column(name, "segments") for name in ("slice", *self.columns.values())]
        rest = [exp.column(name, table) for name in others]
        query = exp.select(exp.column("system", table), text.as_("metric"), *slices, *rest).from_(table)
        if self.segments is None:
            return query
        number = exp.IntDiv(this=key.copy(), expression=count.copy())
        same = exp.EQ(this=exp.column("segment", "segments"), expression=number)
        return query.join(self.segments.subquery("segments"), on=same)

    def counts(self, catalog: Catalog) -> exp.Select:
        """Count the units with a value: system, metric, slice, the slicing columns by alias, n."""
        n = exp.Count(this=exp.column("value")).as_("n")
        counted = exp.select("system", "metric", n).from_(self.query.subquery("units"))
        step = self.reduced(catalog, "counted", counted.group_by("system", "metric"))
        return self.named("counted", ("n",)).with_("counted", as_=step, copy=False)

    def speakers(self) -> exp.Select | None:
        """Count the units that a measure of rows depends on: system, metric, slice, slicing columns, n."""
        if self.speaking is None or not self.measures:
            return None
        return self.named("speaking", ("n",)).with_("speaking", as_=self.speaking.copy(), copy=False)

    def sizes(self, members: exp.Query) -> exp.Select:
        """Count all units of rows, for every measure, in the columns of `speakers`."""
        return self.named("counted", ("n",)).with_("counted", as_=self.numbers(members), copy=False)

    def numbers(self, members: exp.Query) -> exp.Select:
        """Count all units of rows: system, metric (as in `query`), n."""
        segment = exp.Dot(this=exp.column("unit"), expression=exp.to_identifier("segment"))
        places = exp.Values(
            expressions=[exp.Tuple(expressions=[literal(i)]) for i in range(len(self.measures))],
            alias=exp.TableAlias(this=exp.to_identifier("places"), columns=[exp.to_identifier("place")]),
        )
        number = exp.Add(
            this=exp.Mul(this=segment, expression=literal(len(self.measures))), expression=exp.column("place")
        )
        counted = exp.select("system", number.as_("metric"), exp.Count(this=exp.Star()).as_("n"))
        counted = counted.from_(members.subquery("members")).join(places, join_type="cross")
        return counted.group_by("system", number.copy())

    def unmatched(self, catalog: Catalog, baseline: str) -> exp.Query:
        """Count the members that are not the same in a system as in the baseline: system, number."""
        composer = Composer(catalog, {} if self.members is None else {"members": self.members})
        step = composer.relation("unmatched", {"baseline": baseline})
        return self.reduced(
            catalog, "unmatched", composer.complete(exp.select("system", "number").from_(step))
        )

    def shared(self, catalog: Catalog, baseline: str) -> exp.Select:
        """Count the units in common with the baseline: system, metric, slice, columns, n, correlation."""
        composer = Composer(catalog, {"units": self.query})
        step = composer.relation("shared_units", {"baseline": baseline})
        return composer.complete(self.named(step, ("n", "correlation")))

    def row_key(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the key that a row of a test and a row of the results have in common."""
        return tuple(hashable(row[c]) for c in ("system", "metric", "slice", *self.columns.values()))


@dataclass(frozen=True)
class Samples:
    """The values of measures on bootstrap samples, kept in a table.

    Attributes:
        units: the measures and segments of the samples.
        table: system, segment with draw, value_0, value_1, ...; draw `WHOLE` has every unit once.
        number: how many samples.
        unbounded: the texts of measures whose samples distinguish systems, but give no interval of a value.
    """

    units: Units
    table: str
    level: float
    number: int
    unbounded: frozenset[str] = frozenset()

    def bounds(self, catalog: Catalog, members: exp.Query) -> exp.Select:
        """Return percentiles, or why there are none, in the columns of `Units.intervals` but ``varies``.

        Args:
            members: see `Units`.
        """
        composer = Composer(catalog, {SAMPLES: self._long(), "sizes": self.units.numbers(members)})
        step = composer.relation("sample_intervals", {"level": self.level})
        named = self.units.named(step, ("lower", "upper", "n", "n_effective", "why"))
        if self.unbounded:
            texts = [literal(text) for text in sorted(self.unbounded)]
            known = named.subquery("named")
            named = exp.select("*").from_(known).where(
                exp.not_(exp.In(this=exp.column("metric"), expressions=texts))
            )  # fmt: skip
        return composer.complete(named)

    def differences(self, catalog: Catalog, baseline: str) -> exp.Select:
        """Return intervals of the difference to the baseline over the samples, with p of its sign."""
        composer = Composer(catalog, {SAMPLES: self._long(), OBSERVED: self._long(drawn=False)})
        values: dict[str, Value] = {"level": self.level, "baseline": baseline}
        step = composer.relation("sample_differences", values)
        bounds = ("delta_lower", "delta_upper", "relative_lower", "relative_upper")
        return composer.complete(self.units.named(step, (*bounds, "p")))

    def margins(self, catalog: Catalog, values: Mapping[str, Value]) -> exp.Select:
        """Return the tests of a margin over the samples: p_higher, p_lower, p_equivalent."""
        composer = Composer(catalog, {SAMPLES: self._long(), OBSERVED: self._long(drawn=False)})
        step = composer.relation("sample_margins", values)
        return composer.complete(self.units.named(step, ("p_higher", "p_lower", "p_equivalent")))

    def best(self, catalog: Catalog, values: Mapping[str, Value], texts: Collection[str]) -> exp.Select:
        """Return the share of the samples in which each system is the best, for some of the measures."""
        composer = Composer(catalog, {MEANS: of_measures(self._long(), self.units.measures, texts)})
        step = composer.relation("shares_of_best", values)
        return composer.complete(self.units.named(step, ("probability",)))

    def _long(self, drawn: bool = True) -> exp.Select:
        """Return a row for every system, measure, segment and sample that has a finite value.

        Args:
            drawn: whether to return the samples that were drawn, or the one that has every unit once.
        """
        count = len(self.units.measures)
        parts = []
        for place in range(count):
            segment, draw = (exp.Dot(this=exp.column(SEGMENT), expression=exp.to_identifier(n))
                             for n in (SEGMENT, DRAW))  # fmt: skip
            number = exp.Add(this=exp.Mul(this=segment, expression=literal(count)), expression=literal(place))
            value = exp.column(f"value_{place}")
            part = exp.select("system", number.as_("metric"), draw.as_("draw"), value.as_("value"))
            part = part.from_(self.table).where(exp.Anonymous(this="isfinite", expressions=[value.copy()]))
            kind = exp.GT if drawn else exp.EQ
            parts.append(part.where(kind(this=draw.copy(), expression=literal(WHOLE))))
        return everything(stacked(parts).subquery("values"))


# The relations of units and of segments.
OF_UNITS, OF_SEGMENTS = "unit_placements", ADDED_UP


def with_placements(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], plan: Mapping[str, Plan]
) -> Inputs:
    """Return the inputs with the sums of the placements of each unit in a table, and the pairs from them.

    Inputs without clusters are returned as they are, and those with a measure whose influence needs other
    placements: with weights, or in the groups of scores.

    Args:
        plan: how the pairs of each measure are counted.
    """
    readers = [measure for measure in measures if _reads_placements(catalog, measure)]
    if inputs.cluster is None or not readers or not engine.supports(Feature.GLOBAL_SORTS):
        return inputs
    if any(plan[measure.text].get(PLAN) != SORTED for measure in readers):
        return inputs
    queries = dict(inputs.queries)
    for name, values in ((OF_UNITS, {**readers[0].values, PLAN: SORTED}), (OF_SEGMENTS, {})):
        composer = inputs.composer(catalog, queries)
        query = composer.complete(everything(composer.relation(name, values)))
        queries[name] = engine.kept(keep_new(engine, name, query))
    return replace(inputs, queries=queries)


def _reads_placements(catalog: Catalog, measure: Measure) -> bool:
    """Return whether the influence of units on a measure comes from their placements."""
    influences = (
        catalog.relations.get(one.header.get("influence", ""))
        for one in (measure.metric, *catalog.foundations(measure.metric))
    )
    return any(
        source.name == OF_UNITS
        for one in influences
        if one is not None
        for source in catalog.foundations(one)
    )
