"""The macro that compares classifiers: the counterpart of `duckmetrics.compare` for rows.

The label and the score are expressions, so the macro itself reads the rows and checks them. The rest is a
text that is written when the macro is called, with the metrics asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.plans import APPROX, by_group, plans
from duckmetrics.expressions.folding import Parameter, Value, literal
from duckmetrics.inference.adjustment import HOLM
from duckmetrics.inference.linear import speaking
from duckmetrics.inference.row_summary import COUNTS, per_slice, shown_value
from duckmetrics.inference.row_units import Jackknife, can_be_bootstrapped
from duckmetrics.inference.sums import Sums
from duckmetrics.inference.unit_values import scale_of_rows
from duckmetrics.inference.units import PER_QUERY, RESIZED, SIZES, UNIT_INTERVALS
from duckmetrics.inputs.classification import GROUP, UNIT, WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import Inputs
from duckmetrics.shell.comparison_results import (
    ADJUST,
    BASELINE,
    FAMILIES,
    INTERVALS,
    NAMED_TEST,
    NUMBERS,
    NUMBERS_GIVEN,
    TEST,
    TESTED,
    UNITS,
    adjusted_steps,
    contestants,
    problems_of_comparison,
)
from duckmetrics.shell.forms import AskedMetrics, Entry
from duckmetrics.shell.macro import (
    HIDDEN,
    QUERY,
    Argument,
    Macro,
    Overload,
    Written,
    call,
    given,
    hidden,
    query_of,
    reference,
)
from duckmetrics.shell.own_columns import OwnColumns, read_by
from duckmetrics.shell.parameters import Offer, OfferedMetric, aliases_of
from duckmetrics.shell.query import METRICS, SYSTEM, Steps, read_from, shown
from duckmetrics.shell.ranking_call import PLACE
from duckmetrics.shell.ranking_rows import AIM
from duckmetrics.shell.row_body import (
    BY,
    CLUSTER,
    CONSTANTS,
    DATA,
    GUARD,
    METRICS_ASKED,
    ROWS,
    SEGMENT,
    SETTLED,
    SLICED_BY,
    OfRows,
    RowSignatures,
    RowSlices,
    columns_of_rows,
    named_columns,
    ordered,
    row_text,
    written_over_rows,
)
from duckmetrics.shell.template import BETWEEN_PIECES, Template, bound_once, chosen, joined, whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.shell.template import Part


# The counts of queries, which rows do not have.
OF_QUERIES = ("n_missing", "n_no_relevant")
OBSERVED, SLICED, SUMS, SIGNED = "observed", "slices", "unit_sums", "signed"
COLUMNS = (
    "value", "lower", "upper", "baseline", "delta", "delta_lower", "delta_upper", "relative_change",
    "relative_lower", "relative_upper", "p", "p_adjusted", "verdict", "n", "n_undefined", "n_units",
    "effect_size", "mde", "wins", "ties", "losses", "statistic", "df", "n_effective", "test", "adjust",
    "n_tests", "alpha", "interval_level", "cluster", "reason", *AIM, "signature",
)  # fmt: skip
BOOTSTRAP = (
    "; Python and the command line compare it on bootstrap samples: duckmetrics.compare(..., "
    "interval_method='bootstrap'), or duckmetrics compare ... --interval-method bootstrap"
)


class UnitsOfMetric:
    """A metric of rows as a function of sums over the rows of each cluster.

    Attributes:
        without: why the metric is no such function, None if it is one.
    """

    def __init__(self, catalog: Catalog, asked: OfferedMetric) -> None:
        self.catalog, self.asked, self.measure = catalog, asked, asked.measure
        own = read_by(catalog, self.measure.metric, "predictions")
        rows = exp.select("system", SEGMENT, "label", "score", WEIGHT, GROUP, UNIT, *own).from_(OBSERVED)
        self.rows = {"predictions": rows}
        self.plan = plans(catalog, [self.measure], None)
        inputs = Inputs(self.rows, {}, True, None, False, (), None, weighted=True, cluster=CLUSTER,
                        own_columns=own)  # fmt: skip
        self.sums = Sums(catalog, inputs, [self.measure], False, self.plan)
        self.without = self.sums.without.get(self.measure.text)
        if self.without is not None and can_be_bootstrapped(catalog, self.measure):
            self.without += BOOTSTRAP

    def numbers(self) -> exp.Select:
        """Return one row for every system and segment: the place of the metric, its value and its counts."""
        query = per_slice(Composer(self.catalog, self.rows), [self.measure], self.plan)
        known = query.named_selects
        undefined: exp.Expr = exp.cast(exp.null(), "BIGINT")
        if "n_undefined_0" in known:
            undefined = exp.func("coalesce", exp.column("n_undefined_0"), literal(0))
        counts = {c: f"{c}_{WEIGHTED}" if f"{c}_{WEIGHTED}" in known else c for c in COUNTS}
        return exp.select(
            exp.var(PLACE).as_("place"), "system", SEGMENT, exp.column("value_0").as_("v"),
            undefined.as_("n_undefined"), exp.column("n").as_("n_all"),
            *(exp.func("coalesce", exp.column(own), literal(0)).as_(c) for c, own in counts.items()),
        ).from_(query.subquery("found"))  # fmt: skip

    def units(self) -> exp.Select:
        """Return one row for every system, segment and cluster: its value, and what the interval needs."""
        return exp.select("*").from_(self._units().subquery("of_metric"))

    def _units(self) -> exp.Select:
        steps: list[tuple[str, exp.Query]] = []
        kept = {}
        for column, query in self.sums.influence_queries().items():
            kept[column] = f"influence_{column}"
            steps.append((kept[column], query))
        steps.append((SUMS, self.sums.per_unit(kept)))
        values = Jackknife(self.sums, SUMS).values()
        counts = cast("exp.Query", speaking(self.sums.linear, SUMS))
        steps += [("of_units", values), ("counts", counts)]
        scale = scale_of_rows(self.measure)
        ends = (
            exp.cast(literal(str(value)), "DOUBLE").as_(name)
            for name, value in (("low", scale.low), ("high", scale.high))
        )
        key = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier("segment"), expression=exp.column("metric", "of_units")),
            exp.PropertyEQ(this=exp.to_identifier("place"), expression=exp.var(PLACE)),
        ])  # fmt: skip
        same = (exp.EQ(this=exp.column(k, "counts"), expression=exp.column(k, "of_units"))
                for k in ("system", "metric"))  # fmt: skip
        query = exp.select(
            exp.column("system", "of_units"), key.as_("metric"), "query_id", "value", *SIZES,
            literal(scale.name).as_("scale"), *ends, exp.column("n", "counts").as_("speakers"),
        ).from_("of_units").join("counts", on=exp.and_(*same), join_type="left")  # fmt: skip
        for name, step in steps:
            query = query.with_(name, as_=step, copy=False)
        return query


class RowComparisonText:
    """Writes the last part of the query of a comparison of rows.

    Args:
        units: every metric that can be asked for.
        columns: those that only metrics of users read.
    """

    def __init__(
        self,
        catalog: Catalog,
        offer: Offer,
        arguments: Sequence[Argument],
        units: Sequence[UnitsOfMetric],
        columns: Sequence[str],
    ) -> None:
        self.catalog, self.columns = catalog, columns
        self.template = Template([argument.name for argument in arguments])
        self.units = [one for one in units if one.without is None]
        quoted = self.template.quoted
        self.values: dict[str, exp.Expr] = {
            **offer.values(), **{name: quoted(reference(name), "DOUBLE") for name in NUMBERS_GIVEN},
            "allow_different": exp.true(),
        }  # fmt: skip

    def query(self) -> exp.Select:
        """Return the query that runs the text."""
        entries = [Entry(one.asked, has_cutoff=False, closed=frozenset()) for one in self.units]
        asked = AskedMetrics(self.catalog, entries, reference(METRICS))
        texts = [
            BETWEEN_PIECES.join([self._text(one.numbers()), self._text(one.units())])
            for one in self.units
        ]  # fmt: skip
        nothing = exp.select(*(exp.null().as_(name) for name in ("system", "metric", "slice", *COLUMNS)))
        nothing = nothing.from_("checked").where(exp.column("fine"))
        text = joined([chosen(asked.can_be_written, self._parts(), [self._shown(nothing)])])
        filled = self.template.filled(bound_once("_pieces", asked.pieces(texts), whole(text)))
        return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[filled])))

    def _parts(self) -> list[Part]:
        """Return the text of the comparison."""
        parts: list[Part] = ["WITH ", self._cte(SLICED, self._slices()), ", ",
                             self._cte(OBSERVED, self._observed())]  # fmt: skip
        for place, name in enumerate(("found", UNITS), start=1):
            pieces = call(self.catalog, "united", exp.column("_pieces"), literal(place))
            parts += [f", {HIDDEN}{name} AS (", pieces, ")"]
        for name, step in self._steps():
            parts += [", ", self._cte(name, step)]
        is_sliced = call(self.catalog, "has_names", reference(BY))
        results = ([self._result(has_slices=has_slices)] for has_slices in (True, False))
        return [*parts, " ", chosen(is_sliced, *results)]

    def _steps(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps from the values of the units to the comparison."""
        yield NUMBERS, self._numbers()
        speakers = exp.Max(this=exp.column("speakers")).as_("n")
        yield "speaking", exp.select("system", "metric", speakers).from_(UNITS).group_by("system", "metric")
        yield from self._statistics()
        yield from adjusted_steps(self.catalog, FAMILIES)
        yield "compared", query_of(self.catalog, "compared", {**self.values, NAMED_TEST: literal(TEST)})

    def _slices(self) -> exp.Select:
        """Return the slices, numbered in the order of their attributes."""
        kinds = {n: _of_slice(exp.column("slice"), n) for n in ("slice", "attributes")}
        found = exp.select(*(value.as_(name) for name, value in kinds.items())).distinct().from_(ROWS)
        found = found.where(exp.NEQ(this=kinds["slice"].copy(), expression=literal("")))
        number = exp.Window(this=exp.RowNumber(), order=exp.Order(
            expressions=[exp.Ordered(this=exp.column("attributes"), nulls_first=False)]))  # fmt: skip
        return exp.select(number.as_(SEGMENT), "slice", "attributes").from_(found.subquery("found"))

    def _observed(self) -> exp.Select:
        """Return the rows with the numbers of their slices."""
        of_slice = {n: _of_slice(exp.column("slice", ROWS), n) for n in ("system", "attributes", UNIT)}
        number = exp.func("coalesce", exp.column(SEGMENT, SLICED), literal(0)).as_(SEGMENT)
        same = exp.NullSafeEQ(this=exp.column("attributes", SLICED), expression=of_slice["attributes"])
        query = exp.select(
            of_slice["system"].as_("system"), number, of_slice[UNIT].as_(UNIT),
            *(exp.column(name, ROWS) for name in ("label", "score", WEIGHT, GROUP, *self.columns)),
        )  # fmt: skip
        return query.from_(ROWS).join(SLICED, on=same, join_type="left")

    def _numbers(self) -> exp.Select:
        """Return the value of every system, metric and slice, or the reason why it has none."""
        meant = {"value": "v", "n": "n_all", "counted": "n"}
        value, why = shown_value(self.catalog, {name: exp.column(c) for name, c in meant.items()})
        is_slice = exp.NEQ(this=exp.column(SEGMENT, "found"), expression=literal(0))
        key = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=exp.column(name, "found"))
            for name in (SEGMENT, "place")
        ])  # fmt: skip
        named = exp.func("coalesce", exp.column("slice", SLICED), literal(""))
        query = exp.select(
            key.as_(SEGMENT), exp.Case().when(is_slice, literal(1)).else_(literal(0)).as_("slice_number"),
            named.as_("slice"), exp.column("attributes", SLICED), exp.column("system", "found"), "metric",
            "signature", *AIM, value.as_("value"), why.as_("reason"), "n", "n_undefined",
            *(exp.cast(exp.null(), "BIGINT").as_(name) for name in OF_QUERIES),
        ).from_("found")  # fmt: skip
        of_metric = exp.EQ(this=exp.column("place", SIGNED), expression=exp.column("place", "found"))
        of_slice = exp.EQ(this=exp.column(SEGMENT, SLICED), expression=exp.column(SEGMENT, "found"))
        query = query.join(SIGNED, on=of_metric).join(SLICED, on=of_slice, join_type="left")
        return query.join("checked", join_type="cross").where(exp.column("fine"))

    def _statistics(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the intervals, the tests over the units, and what the tests say about the metrics."""
        relations, statistics = self.catalog.relations, self.catalog.statistics
        yield "members", self._members()
        yield from self._file(INTERVALS, relations[UNIT_INTERVALS])
        yield from self._file("tested", statistics[TEST])
        yield from self._file("strangers", relations["unmatched"])
        yield from self._file("resized", relations[RESIZED[TEST]])
        yield TESTED, query_of(self.catalog, "compared_rows", self.values)

    def _file(self, name: str, file: Definition) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps of a file over the units, the last of which has the name."""
        params: dict[str, Value] = {key: Parameter(key) for key in (*NUMBERS_GIVEN, BASELINE)}
        composer = Composer(self.catalog)
        query = composer.resolved(file, {**params, "clustered": True})
        names = {step: f"{name}_of_{step}" for step in composer.steps}
        for step, tree in [*((names[n], tree) for n, tree in composer.steps.items()), (name, query)]:
            yield step, read_from(tree, {**names, PER_QUERY: UNITS})

    def _members(self) -> exp.Select:
        """Return the clusters with what all systems share: the rows of each class, weights and groups."""
        unit, counts = (
            exp.Struct(expressions=[
                exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in columns.items()
            ])
            for columns in (
                {SEGMENT: exp.column(SEGMENT), UNIT: exp.column(UNIT)},
                {"n": exp.Count(this=exp.Star()), "n_positive": exp.Filter(
                    this=exp.Count(this=exp.Star()),
                    expression=exp.Where(this=exp.GT(this=exp.column("label"), expression=literal(0)))),
                 **{f"{end}_{name}": exp.func(end, exp.column(name))
                    for name in (WEIGHT, GROUP) for end in ("min", "max")}},
            )
        )  # fmt: skip
        weighs = exp.GT(this=exp.column(WEIGHT), expression=literal(0))
        query = exp.select("system", unit.as_("unit"), counts.as_("fingerprint")).from_(OBSERVED)
        return query.where(weighs).group_by("system", SEGMENT, UNIT)

    def _result(self, *, has_slices: bool) -> str:
        """Return the text of the rows that people see, those of the baseline first."""
        same = (exp.EQ(this=exp.column(one, TESTED), expression=exp.column(other, "compared"))
                for one, other in (("system", "system"), ("metric", SEGMENT)))  # fmt: skip
        number = exp.Bracket(this=exp.column(SEGMENT, "compared"), expressions=[literal(SEGMENT)])
        of_slice = exp.EQ(this=exp.column(SEGMENT, SLICED), expression=number)
        rows = exp.select(
            exp.Column(this=exp.Star(), table=exp.to_identifier("compared")),
            exp.column("n_effective", TESTED), exp.column("attributes", SLICED)
        ).from_("compared")  # fmt: skip
        rows = rows.join(TESTED, on=exp.and_(*same)).join(SLICED, on=of_slice, join_type="left")
        by = [exp.var("_attributes.*")] if has_slices else []
        columns = [reference(CLUSTER).as_(CLUSTER) if n == CLUSTER else exp.column(n) for n in COLUMNS]
        result = exp.select("system", "metric", "slice", *by, *columns).from_(rows.subquery("compared"))
        known = {n: exp.column(n, "compared") for n in ("slice_number", SEGMENT, "system", "baseline")}
        is_other = exp.NEQ(this=known["system"].copy(), expression=known["baseline"])
        order = [known["slice_number"], known[SEGMENT], is_other, known["system"]]
        return self._shown(result.order_by(*order))

    def _cte(self, name: str, query: exp.Query) -> str:
        return f"{HIDDEN}{name} AS ({self._text(query)})"

    def _text(self, query: exp.Query) -> str:
        """Write a query with hidden names."""
        return row_text(self.catalog, self.template, query, self.values)

    def _shown(self, query: exp.Select) -> str:
        """Write the last part of a query, whose columns have the names that people see."""
        return self.template.text(shown(cast("exp.Query", hidden(given(query.copy(), self.values)))))


def _of_slice(slice_: exp.Expr, name: str) -> exp.Expr:
    """Return a part of the slice of a row."""
    return exp.Bracket(this=slice_, expressions=[literal(name)])


NAME = "compare_classification"
# The step with the arguments that are names of columns.
NAMED = "named"
KNOWN = ("metric", "is_binary", "undefined", "infinite", "better", "target")


def comparison_macro(catalog: Catalog, own: OwnColumns) -> Macro:
    """Return the macro that compares systems of rows with a baseline.

    Args:
        own: the columns that only metrics of users read.
    """
    refused = not_compared(catalog)
    names = [name for one in _offer(catalog).asked for name in one.names if name not in refused]
    offer = _offer(catalog, names)
    arguments = ordered(
        *DATA, METRICS_ASKED, GUARD, *of_comparison(catalog), Argument(GROUP), Argument(WEIGHT),
        *offer.arguments, *own.arguments(),
    )  # fmt: skip
    query = _ComparedRows(catalog, offer, arguments, refused, own).query
    title = "Systems of classified rows next to a baseline, with tests over clusters"
    return Macro(NAME, (Overload(arguments, Written(query)),), title)


def of_comparison(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the parameters of a comparison."""
    declared = catalog.statistics[TEST].own_params
    needed = {
        SYSTEM: "the name of the column that identifies the system",
        BASELINE: "the system that the others are compared with",
        CLUSTER: "the name of the column of independent units, such as users",
    }
    return (
        *(Argument(name, is_needed=True, meanings={"": said}) for name, said in needed.items()),
        SLICED_BY, *(Argument(name, declared[name].default) for name in NUMBERS_GIVEN),
        Argument(ADJUST, HOLM),
    )  # fmt: skip


def not_compared(catalog: Catalog) -> dict[str, str]:
    """Return the metrics that the macro does not compare, by each of their names, with the reason."""
    every = [UnitsOfMetric(catalog, one) for one in _offer(catalog).asked]
    return {name: one.without for one in every if one.without is not None for name in one.asked.names}


def _offer(catalog: Catalog, names: Collection[str] = ()) -> Offer:
    """Return metrics, all by default. An approximation has no values of units."""
    return Offer(catalog, aliases_of(catalog, CLASSIFICATION, names), {**SETTLED, APPROX: None})


class _ComparedRows(OfRows):
    """The query of a comparison of rows: one row per system, slice and metric, next to the baseline.

    Args:
        refused: name of a metric that is not compared -> the reason.
    """

    def __init__(
        self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], refused: Mapping[str, str],
        own: OwnColumns,
    ) -> None:  # fmt: skip
        super().__init__(catalog, offer, arguments, exp.select(exp.null()), own)
        weighted = exp.select("is_weighted").from_("predictions").limit(1).subquery()
        self.signatures = RowSignatures(catalog, weighted)
        self.refused = refused
        self.units = [UnitsOfMetric(catalog, one) for one in offer.asked]

    def query(self) -> exp.Query:
        """Return the rows of the comparison, after all checks pass."""
        columns = self.own.columns("predictions")
        text = RowComparisonText(self.catalog, self.offer, self.arguments, self.units, columns)
        refused = [
            *problems_of_comparison(self.catalog, _name_of(SYSTEM)), self.shell("bad_clusters"),
            self.shell("not_compared"), self._split_groups(), *self.nulls(),
        ]  # fmt: skip
        steps: Steps = [
            (NAMED, named_columns(self.catalog, (SYSTEM, CLUSTER))), *self.specs(),
            ("contestants", contestants()),
            *self.checked(CONSTANTS, "bad_metrics", "no_data", "quoted_columns", also=refused),
            ("signed", self._signed()),
        ]  # fmt: skip
        named = exp.func("coalesce", reference(CLUSTER), literal(""))
        slices = RowSlices(self.catalog, named, COLUMNS)
        return written_over_rows(self, steps, text.query(), literal(""), slices)

    def internal(self) -> dict[str, exp.Expr]:
        return {**super().internal(), SYSTEM: _name_of(SYSTEM), CLUSTER: _name_of(CLUSTER)}

    def known(self) -> exp.Query:
        """Return the table of all metrics, also those that are refused."""
        known = super().known()
        rows = [exp.Tuple(expressions=[literal(name), literal(why)]) for name, why in self.refused.items()]
        alias = exp.TableAlias(
            this=exp.to_identifier("others"), columns=list(map(exp.to_identifier, ("name", "without")))
        )
        given = {"name": exp.column("name"), "measure": exp.column("name"), "without": exp.column("without")}
        others = exp.select(
            *(given.get(column, exp.null()).as_(column) for column in known.named_selects)
        ).from_(exp.Values(expressions=rows, alias=alias))  # fmt: skip
        return exp.union(known, others, distinct=False)

    def columns_of(self, one: OfferedMetric) -> dict[str, Value | exp.Expr]:
        known = columns_of_rows(self.catalog, self.signatures, one)
        return {**super().columns_of(one), **known, "without": None}

    def _signed(self) -> exp.Select:
        """Return the metrics asked for by their places, with their signatures."""
        place = exp.Add(this=exp.column("segment"), expression=literal(1))
        signature = self.signatures.signature(exp.column("signature"))
        return exp.select(place.as_("place"), *KNOWN, signature.as_("signature")).from_("specs")

    def _split_groups(self) -> exp.Query:
        """Return the problem of metrics by group, if one is asked for."""
        grouped = [one for one in self.asked if by_group(one.measure)]
        query = exp.select("problem").from_(self.shell("split_groups").subquery("split"))
        return query.where(self.is_asked(grouped))


def _name_of(argument: str) -> exp.Expr:
    """Return an argument that is the name of a column, from the step with all of them."""
    return exp.select(argument).from_(NAMED).subquery()
