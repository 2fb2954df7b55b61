"""From per-query values to one number per system, slice and metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.compose.one_scan import Ranges, divided
from duckmetrics.engines import plans
from duckmetrics.engines.engine import Feature
from duckmetrics.expressions.build import cast_to, over, row_count
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.inputs.slices import slice_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# The name that stands for the slice and its columns in an aggregation file.
SEGMENT = "segment"


def bound_aggregation(catalog: Catalog, name: str, column: str, bands: Sequence[int] | None) -> exp.Select:
    """Bind an aggregation file to its parameters and to the column that it aggregates.

    Args:
        name: the name or alias of the aggregation.
        bands: those of the values, see `exact_sums`; None if sums need not be exact.
    """
    alias = catalog.aggregation_names[name]
    values = {
        name: param.type(alias.bound[name]) if name in alias.bound else param.default
        for name, param in alias.metric.own_params.items()
    }
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


def attributed(inputs: Inputs, by: Mapping[str, str], table: str) -> list[tuple[str, exp.Query]]:
    """Return the steps up to ``attributed``: the values of queries next to the attributes of the queries.

    Args:
        by: slicing column -> its alias.
        table: where the values are kept.
    """
    cluster = {inputs.cluster: CLUSTER} if inputs.cluster else {}
    known = [*by.items(), *cluster.items()]
    if not known:
        return [("attributed", exp.select(exp.Star()).from_(table))]
    minima = [
        exp.Min(this=exp.column(exp.to_identifier(name, quoted=True))).as_(alias) for name, alias in known
    ]
    source = inputs.queries["attributes"].subquery("rows")
    grouped = exp.select("query_id", *minima).from_(source).group_by("query_id")
    joined = (
        exp.select(f"{table}.*", *(exp.column(a, "attributes") for _, a in known))
        .from_(table)
        .join("attributes", on=f"attributes.query_id = {table}.query_id", join_type="left")
    )
    return [("attributes", grouped), ("attributed", joined)]


def sliced(inputs: Inputs, by: Mapping[str, str], columns: Sequence[Columns]) -> exp.Query:
    """Return every query of ``attributed`` once per grouping; the slicing columns not in force are NULL.

    Args:
        by: slicing column -> its alias.
        columns: those of the measures.
    """
    values = dict.fromkeys(name for c in columns for name in (c.value, c.no_relevant, c.undefined))
    cluster = [CLUSTER] if inputs.cluster else []
    whole: exp.Query | None = None
    for number, grouping in enumerate(((), *inputs.by)):
        in_force = [
            (exp.column(alias) if name in grouping else exp.null()).as_(alias) for name, alias in by.items()
        ]
        part = exp.select(
            "system", "query_id", *cluster, "missing", *map(exp.column, values),
            literal(slice_label(grouping)).as_("slice"),
            literal(number).as_("slice_number"), *in_force,
        ).from_("attributed", copy=False)  # fmt: skip
        whole = part if whole is None else exp.union(whole, part, distinct=False, copy=False)
    return cast("exp.Query", whole)


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
        """Return the largest size of a value of a query, and the smallest above 0."""
        sizes = [exp.Abs(this=exp.column(c)) for c in dict.fromkeys(c.value for c in self.columns)]
        largest = exp.func("greatest", *(exp.Max(this=size) for size in sizes), literal(0.0))
        above_0 = (exp.func("nullif", size.copy(), literal(0.0)) for size in sizes)
        smallest = exp.func("least", *(exp.Min(this=size) for size in above_0), literal(1.0))
        return exp.select(largest, smallest).from_(self.table)

    def sorted_columns(self) -> list[str]:
        """Return the columns whose aggregation sorts the queries, such as those of a median."""
        found = (
            column.value
            for measure, column in zip(self.measures, self.columns, strict=True)
            if bound_aggregation(self.catalog, str(measure.aggregation), column.value, None).find(exp.Window)
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
        whole: exp.Query = parts[0]
        for part in parts[1:]:
            whole = exp.union(whole, part, distinct=False, copy=False)
        shown = {alias: name for name, alias in self.by.items()}
        names = [name for name in parts[0].named_selects if name not in ("slice_number", "measure_number")]
        result = exp.select(*(exp.column(n).as_(shown.get(n, n), quoted=n in shown) for n in names))
        result = result.from_(whole.subquery("summary", copy=False), copy=False)
        for key in ("slice_number", *shown, "measure_number", "system"):
            result = result.order_by(exp.column(key, "summary"), copy=False)
        return with_joined(result, joined)

    def per_query(self) -> exp.Select:
        """Return the long form: one row per system, measure and query."""
        parts = []
        for measure, column in zip(self.measures, self.columns, strict=True):
            parts.append(exp.select(
                self._shown_system(), literal(measure.text).as_("metric"),
                *(exp.column(alias).as_(name, quoted=True) for name, alias in self.by.items()),
                self._shown_query(), _finite(exp.column(column.value)).as_("value"),
            ).from_("attributed"))  # fmt: skip
        whole: exp.Query = parts[0]
        for part in parts[1:]:
            whole = exp.union(whole, part, distinct=False, copy=False)
        result = exp.select(exp.Star()).from_(whole.subquery("per_query"))
        for name, step in self._attributes():
            result = result.with_(name, as_=step, copy=False)
        return result

    def flagged(self) -> exp.Select:
        """Return one row per system and query: attributes, whether it is missing, and columns of measures."""
        names = dict.fromkeys(n for c in self.columns for n in (c.value, c.no_relevant, c.undefined))
        by = (exp.column(alias).as_(name, quoted=True) for name, alias in self.by.items())
        query = exp.select("system", "missing", *names, *by).from_("attributed")
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
            columns = [exp.column(CLUSTER)] if self.inputs.cluster else []
            value = exp.column(self.columns[i].value).as_("value")
            parts.append(exp.select(
                "system", key.as_("metric"), "query_id", *columns, value
            ).from_("numbered" if segments else SOURCE, copy=False))  # fmt: skip
        whole: exp.Query = parts[0]
        for part in parts[1:]:
            whole = exp.union(whole, part, distinct=False, copy=False)
        units = exp.select("*").from_(whole.subquery("units"))
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
        query = bound_aggregation(self.catalog, str(measure.aggregation), columns.value, self.bands)
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


def with_joined(result: exp.Select, joined: exp.Select) -> exp.Select:
    """Put the step that a summary reads, and those before it, in front of the summary."""
    for cte in joined.ctes:
        result = result.with_(cte.alias, as_=cte.this, copy=False)
    joined.set("with_", None)
    result = result.with_(JOINED, as_=joined, copy=False)
    return cast("exp.Select", with_directions(result))


def systems_of(inputs: Inputs) -> exp.Query:
    """Return the query of the systems, a row each."""
    predictions = inputs.queries["predictions"].subquery("predictions")
    return inputs.queries.get("systems") or exp.select("system").distinct().from_(predictions)


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
