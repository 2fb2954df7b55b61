"""From per-query values to one number per system, slice and metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.exact_sums import bands_of, with_exact_sums
from duckmetrics.compose.one_scan import Ranges, divided
from duckmetrics.engines import plans
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import InputError, UnsupportedError
from duckmetrics.expressions.build import cast_to, everything, over, row_count, stacked
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.inputs.slices import slice_label
from duckmetrics.results.findings import NOTE, Finding
from duckmetrics.words.lists import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


# The name that stands for the slice and its columns in an aggregation file.
SEGMENT = "segment"
# The ends of weights of queries, whose squares are numbers.
LEAST_WEIGHT, MOST_WEIGHT = 1e-150, 1e150


def bound_aggregation(
    catalog: Catalog, name: str, column: str, bands: Sequence[int] | None, weighted: bool = False
) -> exp.Select:
    """Bind an aggregation file to its parameters and to the column that it aggregates.

    Args:
        name: the name or alias of the aggregation.
        bands: those of the values, see `exact_sums`; None if sums need not be exact.
        weighted: whether queries count by the column `weight`.

    Raises:
        UnsupportedError: there are weights, and the aggregation has no form with them.
    """
    alias = catalog.aggregation_names[name]
    if weighted and WEIGHTED not in alias.metric.own_params:
        what = "has no form with weights of queries"
        raise UnsupportedError(f"agg={name}", what, "leave agg or the weights out")
    values: dict[str, Value] = {
        name: param.type(alias.bound[name]) if name in alias.bound else param.default
        for name, param in alias.metric.own_params.items()
    }
    values |= {WEIGHTED: weighted} if WEIGHTED in values else {}
    query = cast("exp.Select", with_exact_sums(bind(alias.metric.query, values), bands))
    for found in list(query.find_all(exp.Column)):
        if found.name == "value":
            found.set("this", exp.to_identifier(column))
    return query


def by_slice(select: exp.Select, keys: Sequence[str]) -> exp.Select:
    """Write the columns of a slice for `segment`, in place.

    Args:
        keys: the columns that identify slices.
    """
    columns = [exp.column(key) for key in keys]
    for window in select.find_all(exp.Window):
        window.set("partition_by", _spread(window.args.get("partition_by") or [], columns))
    select.set("expressions", _spread(select.expressions, columns))
    return select


def grouped(select: exp.Select, keys: Sequence[str]) -> exp.Select:
    """Group a query by keys, which become its first columns, in place."""
    select.set("expressions", [*(exp.column(k) for k in keys), *select.expressions])
    return select.group_by(*keys, copy=False)


def counts(i: int, columns: Columns) -> list[exp.Expr]:
    """Return the numbers of queries that the summary of a measure shows.

    Args:
        i: the place of the measure; the first one also has the numbers that all measures share.
    """
    own = [
        exp.Count(this=exp.column(columns.value)).as_(f"n_{i}"),
        _number_with(columns.no_relevant).as_(f"n_no_relevant_{i}"),
        _number_with(columns.undefined).as_(f"n_undefined_{i}"),
    ]
    if i > 0:
        return own
    every = exp.Count(this=exp.Star()).as_("n_population")
    return [every, _number_with("missing").as_("n_missing"), *own]


def _number_with(condition: str) -> exp.Expr:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.column(condition)))


def _spread(expressions: Sequence[exp.Expr], keys: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Write keys for the name `segment` in a list of expressions."""
    spread: list[exp.Expr] = []
    for expression in expressions:
        is_segment = isinstance(expression, exp.Column) and expression.name == SEGMENT
        spread += [key.copy() for key in keys] if is_segment else [expression]
    return spread


def units_of(inputs: Inputs) -> dict[str, str]:
    """Return the columns of the cluster and of the weight of queries, where there are some: alias -> name."""
    found = {CLUSTER: inputs.cluster, WEIGHT: inputs.weight}
    return {alias: name for alias, name in found.items() if name}


def attributed(
    inputs: Inputs, by: Mapping[str, str], table: str, every: bool = False
) -> list[tuple[str, exp.Query]]:
    """Return the steps up to ``attributed``: the values of queries next to the attributes of the queries.

    Args:
        by: slicing column -> its alias.
        table: where the values are kept.
        every: whether queries of weight 0 are there, too.
    """
    known = [*by.items(), *((name, alias) for alias, name in units_of(inputs).items())]
    if not known:
        return [("attributed", exp.select(exp.Star()).from_(table))]
    joined = (
        exp.select(f"{table}.*", *(exp.column(a, "attributes") for _, a in known))
        .from_(table)
        .join("attributes", on=f"attributes.query_id = {table}.query_id", join_type="left")
    )
    if inputs.weight and not every:
        joined = joined.where(exp.GT(this=exp.column(WEIGHT, "attributes"), expression=literal(0)))
    return [("attributes", _attributes(inputs, known)), ("attributed", joined)]


def _attributes(inputs: Inputs, known: Sequence[tuple[str, str]]) -> exp.Select:
    """Return a row for each query with some columns, each under its alias."""
    query = exp.select("query_id").from_(inputs.queries["attributes"].subquery("rows"))
    for name, alias in known:
        value: exp.Expr = exp.Min(this=exp.column(exp.to_identifier(name, quoted=True)))
        query = query.select((exp.cast(value, "DOUBLE") if alias == WEIGHT else value).as_(alias), copy=False)
    return query.group_by("query_id")


def weights_of(inputs: Inputs) -> exp.Select | None:
    """Return the weights of the queries that count: query_id, weight; None if every query counts as 1."""
    if inputs.weight is None:
        return None
    known = _attributes(inputs, [(inputs.weight, WEIGHT)]).subquery("attributes")
    return everything(known).where(exp.GT(this=exp.column(WEIGHT), expression=literal(0)))


def weighing(engine: Engine, inputs: Inputs, table: str) -> list[Finding]:
    """Return a note about the weights of queries, if there are some.

    Args:
        table: where the values of the queries are kept.

    Raises:
        InputError: a weight is neither 0 nor between the ends; names the column and three queries.
    """
    if inputs.weight is None:
        return []
    weight = exp.column(WEIGHT)
    none = exp.EQ(this=weight, expression=literal(0))
    usable = exp.Between(this=weight.copy(), low=literal(LEAST_WEIGHT), high=literal(MOST_WEIGHT))
    wrong = exp.not_(exp.func("coalesce", exp.or_(none, usable), exp.false()))
    known = exp.select("query_id", weight.copy()).distinct().from_("attributed")
    for name, step in attributed(inputs, {}, table, every=True):
        known = known.with_(name, as_=step, copy=False)
    counts = (exp.CountIf(this=condition.copy()) for condition in (wrong, none))
    ((n_wrong, n_left_out),) = engine.rows(exp.select(*counts).from_(known.subquery("known")))
    label = inputs.labels.get(inputs.by_source or "", WEIGHT)
    if n_wrong:
        rows = engine.rows(known.where(wrong).order_by("query_id").limit(3))
        shown = ", ".join(f"{query}: {'NULL' if value is None else value}" for query, value in rows)
        raise InputError(
            label,
            f"column {inputs.weight!r} is no weight for {counted(n_wrong, 'query', 'queries')} ({shown})",
            f"give every query a number from {LEAST_WEIGHT} to {MOST_WEIGHT}; 0 leaves a query out",
        )
    message = f"{label}: column {inputs.weight!r} weights the queries"
    if n_left_out:
        message += f"; {counted(n_left_out, 'query', 'queries')} of weight 0 are left out"
    return [Finding("weighted_queries", NOTE, label, inputs.weight, n_left_out, (), message, "")]


def sliced(inputs: Inputs, by: Mapping[str, str], columns: Sequence[Columns]) -> exp.Query:
    """Return every query of ``attributed`` once per grouping; the slicing columns not in force are NULL.

    Args:
        by: slicing column -> its alias.
        columns: those of the measures.
    """
    values = dict.fromkeys(name for c in columns for name in (c.value, c.no_relevant, c.undefined))
    parts = []
    for number, grouping in enumerate(((), *inputs.by)):
        in_force = [
            (exp.column(alias) if name in grouping else exp.null()).as_(alias) for name, alias in by.items()
        ]
        parts.append(exp.select(
            "system", "query_id", *units_of(inputs), "missing", *map(exp.column, values),
            literal(slice_label(grouping)).as_("slice"),
            literal(number).as_("slice_number"), *in_force,
        ).from_("attributed", copy=False))  # fmt: skip
    return stacked(parts)


def value_ranges(engine: Engine, summary: RankingSummary) -> Mapping[str, Ranges]:
    """Return column -> the ranges of its values, for the measures whose aggregation sorts the queries.

    An engine that sorts all rows on one machine needs none, and few queries need none.
    """
    columns = summary.sorted_columns()
    if not columns or engine.supports(Feature.GLOBAL_SORTS):
        return {}
    ((n,),) = engine.rows(row_count(exp.to_table(summary.table)))
    number = min(n // plans.ROWS_OF_RANGE + 1, plans.MOST_RANGES)
    if number < 2:
        return {}
    shares = exp.Array(expressions=[literal(i / number) for i in range(1, number)])
    edges = (exp.ApproxQuantile(this=exp.column(c), quantile=shares.copy()) for c in columns)
    (found,) = engine.rows(exp.select(*edges).from_(summary.table))
    return {
        column: Ranges(column, known, "query_id")
        for column, known in zip(columns, found, strict=True)
        if known
    }


def bands_of_values(engine: Engine, summary: RankingSummary) -> Sequence[int] | None:
    """Return the bands of the values of queries; None if their sums need not be exact."""
    if not engine.supports(Feature.EXACT_SUMS):
        return None
    ((largest, smallest),) = engine.rows(summary.extent())
    return bands_of(largest, smallest)


SOURCE, JOINED = "query_values", "joined"


class RankingSummary:
    """Writes the queries over the table of per-query values.

    Args:
        table: its name; one row per system and query, `columns` name the columns of each measure.
    """

    def __init__(
        self,
        catalog: Catalog,
        inputs: Inputs,
        measures: Sequence[Measure],
        columns: Sequence[Columns],
        table: str,
    ) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self.measures = measures
        self.columns = columns
        self.table = table
        self.by = {name: f"by_{i}" for i, name in enumerate(inputs.by_columns, start=1)}
        self.bands: Sequence[int] | None = None
        self.ranges: Mapping[str, Ranges] = {}
        self.keys = ("system", "slice", "slice_number", *self.by.values())

    def extent(self) -> exp.Select:
        """Return the largest size of a term of a mean of queries, and the smallest above 0."""
        sizes: list[exp.Expr] = [
            exp.Abs(this=exp.column(c)) for c in dict.fromkeys(c.value for c in self.columns)
        ]
        if self.inputs.weight:
            weight = exp.column(WEIGHT)
            sizes = [weight, *(exp.Mul(this=weight.copy(), expression=size) for size in sizes)]
        largest = exp.func("greatest", *(exp.Max(this=size) for size in sizes), literal(0.0))
        above_0 = (exp.func("nullif", size.copy(), literal(0.0)) for size in sizes)
        smallest = exp.func("least", *(exp.Min(this=size) for size in above_0), literal(1.0))
        return self._with_attributes(exp.select(largest, smallest).from_("attributed"))

    def sorted_columns(self) -> list[str]:
        """Return the columns whose aggregation sorts the queries, such as those of a median."""
        found = (
            column.value
            for measure, column in zip(self.measures, self.columns, strict=True)
            if self._bound(measure, column, None).find(exp.Window)
        )
        return list(dict.fromkeys(found))

    def joined(
        self, bands: Sequence[int] | None = None, ranges: Mapping[str, Ranges] | None = None
    ) -> exp.Select:
        """Return one row per system and slice, the measures side by side.

        Args:
            bands: those of the values, see `exact_sums`; None if sums need not be exact.
            ranges: column -> the ranges that its values are sorted in, where one task must not sort all.
        """
        self.bands, self.ranges = bands, ranges or {}
        *steps, (_, joined) = self._steps()
        for name, step in steps:
            joined = joined.with_(name, as_=step, copy=False)
        return cast("exp.Select", joined)

    def query(self, joined: exp.Select) -> exp.Select:
        """Return one row per system, slice and measure, overall first.

        Args:
            joined: the query of `joined`, or of a table that it is kept in.
        """
        parts = [self._row(i, measure) for i, measure in enumerate(self.measures)]
        return with_joined(in_rows(parts, self.by, ("slice_number", *self.by.values())), joined)

    def per_query(self) -> exp.Select:
        """Return the long form: one row per system, measure and query."""
        parts = []
        for measure, column in zip(self.measures, self.columns, strict=True):
            parts.append(exp.select(
                self._shown_system(), literal(measure.text).as_("metric"),
                *(exp.column(alias).as_(name, quoted=True) for name, alias in self.by.items()),
                self._shown_query(), _finite(exp.column(column.value)).as_("value"),
                *([WEIGHT] if self.inputs.weight and WEIGHT not in self.by else []),
            ).from_("attributed"))  # fmt: skip
        return self._with_attributes(everything(stacked(parts).subquery("per_query")))

    def with_flags(self) -> exp.Select:
        """Return the long form with what `per_query` leaves out: the cluster, and why there is no value."""
        parts = []
        for measure, column in zip(self.measures, self.columns, strict=True):
            flags = {"no_relevant": column.no_relevant, "undefined": column.undefined}
            parts.append(exp.select(
                self._shown_system(), literal(measure.text).as_("metric"), self._shown_query(),
                *(map(exp.column, units_of(self.inputs))),
                *(exp.column(alias).as_(name, quoted=True) for name, alias in self.by.items()),
                exp.column(column.value).as_("value"), "missing",
                *(exp.column(name).as_(flag) for flag, name in flags.items()),
            ).from_("attributed"))  # fmt: skip
        return self._with_attributes(everything(stacked(parts).subquery("per_query")))

    def flagged(self) -> exp.Select:
        """Return one row per system and query: attributes, whether it is missing, and columns of measures."""
        names = dict.fromkeys(n for c in self.columns for n in (c.value, c.no_relevant, c.undefined))
        by = (exp.column(alias).as_(name, quoted=True) for name, alias in self.by.items())
        weight = [WEIGHT] if self.inputs.weight else []
        return self._with_attributes(
            exp.select("system", "missing", *names, *weight, *by).from_("attributed")
        )

    def _with_attributes(self, query: exp.Select) -> exp.Select:
        """Add the steps that join the attributes of the queries."""
        for name, step in self._attributes():
            query = query.with_(name, as_=step, copy=False)
        return query

    def units(self, kept: Sequence[int], segments: str | None) -> exp.Query:
        """Return one row per system, measure, segment and query, or cluster, in the form of `Units`.

        Args:
            kept: the places of the measures that are wanted.
            segments: the table of the segments, where there are slices.
        """
        number: exp.Expr = exp.column(SEGMENT) if segments else literal(0)
        parts = []
        for place, i in enumerate(kept):
            segment = exp.Mul(this=number.copy(), expression=literal(len(kept)))
            key = exp.Add(this=segment, expression=literal(place))
            columns = map(exp.column, units_of(self.inputs))
            value = exp.column(self.columns[i].value).as_("value")
            parts.append(exp.select(
                "system", key.as_("metric"), "query_id", *columns, value
            ).from_("numbered" if segments else SOURCE, copy=False))  # fmt: skip
        units = everything(stacked(parts).subquery("units"))
        steps = [*self._attributes(), (SOURCE, self._slices())]
        if segments:
            same = [exp.NullSafeEQ(this=exp.column(key, SOURCE), expression=exp.column(key, segments))
                    for key in self.keys[1:]]  # fmt: skip
            numbered = exp.select(f"{SOURCE}.*", exp.column(SEGMENT, segments)).from_(SOURCE)
            steps.append(("numbered", numbered.join(segments, on=exp.and_(*same))))
        for name, step in steps:
            units = units.with_(name, as_=step, copy=False)
        return units

    def segments(self) -> exp.Query | None:
        """Number the slices; return None if there are no slices."""
        if not self.by:
            return None
        keys = self.keys[1:]
        found = exp.select(*keys).distinct().from_(SOURCE)
        order = exp.Order(expressions=[exp.Ordered(this=exp.column(k), desc=False)
                                       for k in ("slice_number", *self.by.values())])  # fmt: skip
        number = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=literal(1))
        query = exp.select(number.as_(SEGMENT), *keys).from_(found.subquery("found"))
        for name, step in (*self._attributes(), (SOURCE, self._slices())):
            query = query.with_(name, as_=step, copy=False)
        return query

    def without_units(self, measure: Measure) -> str | None:
        """Return why a measure is not a mean of values of queries; None if it is one."""
        is_mean = measure.aggregation == DEFAULT_AGGREGATION
        return None if is_mean else f"it is the {measure.aggregation} of the queries, not their mean"

    def _shown_system(self) -> exp.Expr:
        """Return the system; the only system has no name, so it is NULL."""
        unnamed = exp.cast(exp.null(), "VARCHAR")
        return (unnamed if self.inputs.one_system else exp.column("system")).as_("system")

    def _shown_query(self) -> exp.Expr:
        """Return the query id in the type that the user knows."""
        column, type_ = exp.column("query_id"), self.inputs.query_type
        return (cast_to(column, type_) if type_ else column).as_("query_id")

    def _attributes(self) -> list[tuple[str, exp.Query]]:
        """Return the steps that end with the values of queries next to their attributes."""
        return attributed(self.inputs, self.by, self.table)

    def _steps(self) -> list[tuple[str, exp.Query]]:
        steps = [*self._attributes(), (SOURCE, self._slices())]
        aggregates: list[exp.Expr] = []
        blocks: list[str] = []
        for i, (measure, columns) in enumerate(zip(self.measures, self.columns, strict=True)):
            own, value = self._aggregation(i, measure, columns)
            steps += own
            if value is not None:
                aggregates.append(value.as_(f"value_{i}"))
            else:
                blocks.append(own[-1][0])
            aggregates += counts(i, columns)
        steps.append(("aggregated", grouped(exp.select(*aggregates).from_(SOURCE, copy=False), self.keys)))
        steps.append(("frame", self._frame()))
        steps.append((JOINED, self._joined(["aggregated", *blocks])))
        return steps

    def _slices(self) -> exp.Query:
        """Return every query once per grouping."""
        return sliced(self.inputs, self.by, self.columns)

    def _aggregation(
        self, i: int, measure: Measure, columns: Columns
    ) -> tuple[list[tuple[str, exp.Query]], exp.Expr | None]:
        """Return the value of an aggregation, or else the steps that compute it: an own block at the end."""
        query = self._bound(measure, columns, self.bands)
        value = query.expressions[-1].unalias()
        with_ = query.args.get("with_")
        if with_ is None:
            return [], value
        steps: list[tuple[str, exp.Query]] = []
        for cte in with_.expressions:
            step = by_slice(cast("exp.Select", cte.this), self.keys[1:])
            known = self.ranges.get(columns.value)
            name = f"{cte.alias}_{i}"
            steps += [(name, step)] if known is None else divided(name, step, known)
            query.args["from_"].this.set("this", exp.to_identifier(f"{cte.alias}_{i}"))
        final = exp.select(value.as_(f"value_{i}")).from_(query.args["from_"].this)
        return [*steps, (f"block_{i}", grouped(final, self.keys))], None

    def _bound(self, measure: Measure, columns: Columns, bands: Sequence[int] | None) -> exp.Select:
        """Return the aggregation of a measure over its column of values."""
        weighted = self.inputs.weight is not None
        return bound_aggregation(self.catalog, str(measure.aggregation), columns.value, bands, weighted)

    def _frame(self) -> exp.Query:
        """Return the rows that must be there: every slice, and the overall one of every system."""
        overall = exp.select("system", literal("").as_("slice"), literal(0).as_("slice_number"),
                             *(exp.null().as_(a) for a in self.by.values()))  # fmt: skip
        overall = overall.from_(systems_of(self.inputs).subquery("systems"))
        return exp.union(overall, exp.select(*self.keys).from_("aggregated"), distinct=True)

    def _joined(self, blocks: Sequence[str]) -> exp.Select:
        columns: list[exp.Expr] = [exp.column(key, "frame") for key in self.keys]
        numbers = ["n_population", "n_missing", *(f"{n}_{i}" for i in range(len(self.measures))
                                                 for n in ("n", "n_no_relevant", "n_undefined"))]  # fmt: skip
        columns += [exp.func("coalesce", exp.column(name), literal(0)).as_(name) for name in numbers]
        columns += [exp.column(f"value_{i}") for i in range(len(self.measures))]
        joined = exp.select(*columns).from_("frame")
        for block in blocks:
            same = [
                exp.NullSafeEQ(this=exp.column(key, block), expression=exp.column(key, "frame"))
                for key in self.keys
            ]
            joined = joined.join(block, on=exp.and_(*same), join_type="left")
        return joined

    def _row(self, i: int, measure: Measure) -> exp.Select:
        value, why = shown_value(self.catalog, exp.column(f"value_{i}"), exp.column(f"n_no_relevant_{i}"))
        return exp.select(
            self._shown_system(), literal(measure.text).as_("metric"), exp.column("slice"),
            *map(exp.column, self.by.values()), value.as_("value"),
            none("DOUBLE", "lower"), none("DOUBLE", "upper"), why.as_("reason"),
            exp.column(f"n_{i}").as_("n"), exp.column("n_missing"),
            exp.column(f"n_no_relevant_{i}").as_("n_no_relevant"),
            exp.column(f"n_undefined_{i}").as_("n_undefined"),
            none("BIGINT", "n_positive"), *aim_of(measure), literal(measure.signature).as_("signature"),
            exp.column("slice_number"), literal(i).as_("measure_number"),
        ).from_(JOINED, copy=False)  # fmt: skip


def _finite(value: exp.Expr) -> exp.Expr:
    """Return a value, NULL if it overflows."""
    return exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())


def in_rows(parts: Sequence[exp.Select], by: Mapping[str, str], order: Sequence[str]) -> exp.Select:
    """Return the rows of all measures below each other, by slice, measure and system.

    Args:
        parts: the rows of each measure, with its place as measure_number.
        by: slicing column -> its alias.
        order: the columns that sort the slices; the first one numbers them, and is not shown.
    """
    shown = {alias: name for name, alias in by.items()}
    names = [name for name in parts[0].named_selects if name not in (order[0], "measure_number")]
    result = exp.select(*(exp.column(n).as_(shown.get(n, n), quoted=n in shown) for n in names))
    result = result.from_(stacked(parts).subquery("summary", copy=False), copy=False)
    for key in (*order, "measure_number", "system"):
        result = result.order_by(exp.column(key, "summary"), copy=False)
    return result


def with_joined(result: exp.Select, joined: exp.Select) -> exp.Select:
    """Put the step that a summary reads, and those before it, in front of the summary."""
    for cte in joined.ctes:
        result = result.with_(cte.alias, as_=cte.this, copy=False)
    joined.set("with_", None)
    result = result.with_(JOINED, as_=joined, copy=False)
    return cast("exp.Select", with_directions(result))


def systems_of(inputs: Inputs) -> exp.Query:
    """Return the query of the systems, a row each."""
    if "systems" in inputs.queries:
        return inputs.queries["systems"]
    return exp.select("system").distinct().from_(inputs.queries["predictions"].subquery("predictions"))


def shown_value(catalog: Catalog, value: exp.Expr, n_no_relevant: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """Return a value as results show it, and the reason if there is no value."""
    columns = {"value": value, "n_no_relevant": n_no_relevant}
    found = over(catalog.relations["ranking_results"].query, columns)
    return found["value"], found["reason"]


def aim_of(measure: Measure) -> tuple[exp.Expr, exp.Expr]:
    """Return the columns `better` and `target`: whether higher, lower or values near a target are better."""
    aim = measure.metric.range
    return (
        exp.cast(literal(aim.direction), "VARCHAR").as_("better"),
        exp.cast(literal(aim.target), "DOUBLE").as_("target"),
    )


def none(type_: str, name: str) -> exp.Expr:
    """Return a column of the results that rankings do not have, as NULL."""
    return exp.cast(exp.null(), type_).as_(name)
