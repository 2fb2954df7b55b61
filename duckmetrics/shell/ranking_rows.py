"""The last part of the query of a ranking macro: means, values of queries, or both for a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.measure import (
    AGGREGATION,
    CUTOFF,
    DEFAULT_AGGREGATION,
    DIGEST,
    OF_QUERIES,
    VERSION,
    WEIGHTS,
    written,
)
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inference.ranking_summary import aim_of, bound_aggregation, shown_value
from duckmetrics.inference.unit_values import scale_of_queries
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.shell.forms import KINDS, OPEN
from duckmetrics.shell.macro import HIDDEN, Argument, call, concatenated, given, reference, signature_name
from duckmetrics.shell.query import COUNTS, METRICS
from duckmetrics.shell.ranking_call import METRIC, OF_METRICS, PLACE, K
from duckmetrics.shell.template import chosen
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.shell.forms import Entry
    from duckmetrics.shell.ranking_call import RankingText
    from duckmetrics.shell.template import Part


PER_QUERY, PER_SLICE = "per_query", "sliced"
# The step with what is known of each metric before the data are read.
FACTS = "facts"
SLICE_KEYS = ("slice_number", "slice", "attributes")
AIM = ("better", "target")
# Stands for the table with the rows of the queries. The slice of all queries.
ROWS_OF_QUERIES = "rows_of_queries"
OVERALL = {"slice_number": literal(0), "slice": literal("")}
# The only system has no name: NULL.
NAMED_SYSTEM = exp.Nullif(this=exp.column("system"), expression=literal("")).as_("system")
# The parameter that says which rows are wanted: means, values of queries, or both for a comparison.
ROWS, MEANS, VALUES, COMPARED = "rows", "means", "values", "compared"
ASKED_ROWS = Argument(ROWS, MEANS)
METRICS_ASKED = Argument(METRICS, required=True)
# The columns of a value and of a mean in a comparison; those that queries lack are NULL.
UNIT = ("system", "query_id", "value", "scale", "low", "high")
ABSENT = {"n_effective": "DOUBLE", "hits": "BOOLEAN"}
NUMBER = ("system", "metric", "signature", *AIM)
# The columns of means and values, where a call is refused.
SHOWN = (
    "system", "metric", "slice", "query_id", "value", "missing", "no_relevant", "reason", *COUNTS, *AIM,
    "signature",
)  # fmt: skip
# The columns of a comparison after those of its slice.
COLUMNS = (
    "value", "lower", "upper", "baseline", "delta", "delta_lower", "delta_upper", "relative_change",
    "relative_lower", "relative_upper", "p", "p_adjusted", "verdict", "n", "n_undefined", "n_units",
    "effect_size", "mde", "wins", "ties", "losses", "statistic", "df", "test", "adjust", "n_tests", "alpha",
    "interval_level", "reason", *AIM, "signature",
)  # fmt: skip


class RankingRows:
    """Writes the last part of a query whose step `per_query` has the values of every query."""

    # The steps with the values, without slices and with them.
    whole, sliced = PER_QUERY, PER_SLICE

    def __init__(self, text: RankingText) -> None:
        self.text, self.of, self.catalog = text, text.of, text.catalog
        self.takes_aggregation = any(argument.name == AGGREGATION for argument in self.of.arguments)
        is_compared = exp.EQ(this=reference(ROWS), expression=literal(COMPARED))
        of_comparison = exp.Case().when(is_compared, names([*RESERVED, *COLUMNS]))
        text.reserved = of_comparison.else_(names(RESERVED))

    def result(self) -> list[Part]:
        """Return the last part, with slices or without them."""
        kinds = {VALUES: self.values, COMPARED: self.compared}
        parts = []
        for has_slices in (True, False):
            found = self.overall(has_slices)
            for name, write in kinds.items():
                is_asked = exp.EQ(this=reference(ROWS), expression=literal(name))
                found = [chosen(is_asked, write(has_slices), found)]
            parts.append(found)
        return [", ", *self.facts(), chosen(self.of.has_slices, *parts)]

    def problems(self) -> list[exp.Query]:
        """Return the query of an aggregation that does not exist."""
        if not self.takes_aggregation:
            return []
        given_ = exp.cast(reference(AGGREGATION), "VARCHAR")
        names = [literal(name) for name in self.catalog.aggregation_names]
        is_known = exp.func("coalesce", exp.In(this=given_, expressions=names), exp.false())
        shown = exp.func("coalesce", given_.copy(), literal("NULL"))
        choices = f"'; choose {' or '.join(sorted(self.catalog.aggregation_names))}"
        text = concatenated(f"{AGGREGATION} cannot be '", shown, choices)
        return [exp.select(text.as_("problem")).where(exp.not_(is_known))]

    def facts(self) -> list[Part]:
        """Return the step with a row for each metric asked for: its name, aim, scale and signature."""
        pieces = []
        for entry in self.of.entries:
            scale = scale_of_queries(entry.asked.measure)
            ends = {
                name: exp.cast(literal(value), "DOUBLE")
                for name, value in (("low", scale.low), ("high", scale.high))
            }
            pieces.append(self.text.struct({
                "place": exp.var(PLACE), "metric": exp.var(METRIC), "signature": self._signature(entry),
                "agg": self._aggregation(entry), **aim_columns(entry.asked.measure),
                "scale": literal(scale.name), **ends,
            }))  # fmt: skip
        query = exp.select(exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        return [*self.text.of_metrics(self.text.cte(FACTS, query), pieces)]

    def _aggregation(self, entry: Entry) -> exp.Expr:
        """Return the aggregation of a metric: its own, that of the call, or the mean."""
        if entry.asked.agg is not None:
            return literal(entry.asked.agg)
        return reference(AGGREGATION) if self.takes_aggregation else literal(DEFAULT_AGGREGATION)

    def _signature(self, entry: Entry) -> exp.Expr:
        """Return the signature of a metric, with marks for its cut-off and the values of its parameters."""
        measure = entry.measure(OPEN)
        parts = [signature_name(self.catalog, measure), f"@{K}" if entry.has_cutoff else ""]
        for name, value in measure.params:
            if name != CUTOFF:
                parts.append(f"|{name}:{self._signed(entry, name, value)}")
        if self.of.takes_weight:
            signed = exp.Case().when(self.of.has_weight, literal(f"|{WEIGHTS}:{OF_QUERIES}"))
            parts.append(self.text.template.mark(signed.else_(literal(""))))
        parts += [f"|{DIGEST}:{measure.metric.digest}"] if measure.metric.is_own else []
        return literal("".join([*parts, self.signed_aggregation(entry), f"|{VERSION}:{__version__}"]))

    def signed_aggregation(self, entry: Entry) -> str:
        """Return the part of a signature with the aggregation."""
        if entry.asked.agg is not None or not self.takes_aggregation:
            return f"|{AGGREGATION}:{entry.asked.agg or DEFAULT_AGGREGATION}"
        return f"|{AGGREGATION}:{self._shown(exp.cast(reference(AGGREGATION), 'VARCHAR'))}"

    def _signed(self, entry: Entry, name: str, value: Value) -> str:
        """Return the value of a parameter in a signature; of one that changes nothing, its default."""
        if not isinstance(value, Parameter):
            return written(value)
        param, given_ = self.text.params[value.name], self.of.values[value.name]
        idle = self.catalog.idle(entry.asked.measure.metric).get(name)
        if idle == exp.true():
            return written(param.default)
        if idle is not None:
            condition = exp.paren(idle.copy(), copy=False)
            for column in list(condition.find_all(exp.Column)):
                known = entry.measure(OPEN).values[column.name]
                read = self.of.values[known.name].copy() if isinstance(known, Parameter) else literal(known)
                column.replace(exp.paren(read))
            is_idle = exp.func("coalesce", condition, exp.false())
            given_ = exp.Case().when(is_idle, literal(param.default)).else_(given_.copy())
        return self._shown(given_, is_word=bool(param.choices))

    def _shown(self, value: exp.Expr, *, is_word: bool = True) -> str:
        """Return the mark of the text of a value in a signature."""
        text = (
            exp.func("coalesce", value.copy(), literal("null")) if is_word
            else call(self.catalog, "signature_value", value.copy())
        )  # fmt: skip
        quoted = exp.Anonymous(this="replace", expressions=[text, literal("'"), literal("''")])
        return self.text.template.mark(quoted)

    def values(self, has_slices: bool) -> list[Part]:
        """Return one row for every system, metric and query."""
        columns = [*(["attributes"] if has_slices else []), "missing"]
        rows = self._each_value(["system", *columns], self.sliced if has_slices else self.whole)
        if has_slices:
            rows = rows.where(exp.EQ(this=exp.column("slice_number"), expression=literal(1)))
        by = [exp.var("_attributes.*")] if has_slices else []
        shown: list[exp.Expr | str] = [
            NAMED_SYSTEM, "metric", *by, "query_id", "value", "missing", "no_relevant"
        ]  # fmt: skip
        result = exp.select(*shown).from_(rows.subquery("numbers"))
        return [" ", self.text.shown(result.join(FACTS, using=["place"]))]

    def compared(self, has_slices: bool) -> list[Part]:
        """Return one row for every value of a query in its slices, and one for every mean."""
        keys = ["system", *(SLICE_KEYS if has_slices else ())]
        of_slice = ["slice_number", "attributes"] if has_slices else []
        rows = self._each_value([*keys, "missing"], self.sliced if has_slices else self.whole)
        absent = (exp.cast(exp.null(), type_).as_(name) for name, type_ in ABSENT.items())
        units = exp.select(*of_slice, "metric", "missing", "no_relevant", *UNIT, *absent)
        units = units.from_(rows.subquery("values")).join(FACTS, using=["place"])
        value, why = self.shown_value()
        known = ["slice_number", "slice"] if has_slices else [
            value_.as_(name) for name, value_ in OVERALL.items()
        ]  # fmt: skip
        numbers = exp.select(
            *(["attributes"] if has_slices else []), *known, *NUMBER, value.as_("value"),
            why.as_("reason"), *COUNTS,
        ).from_("told").join(FACTS, using=["place"])  # fmt: skip
        before, after = self.text.cte("numbers", numbers).split(f"{HIDDEN}told")
        every = " UNION ALL BY NAME ".join(
            self.text.text(exp.select("*", is_unit.as_("is_unit")).from_(name))
            for name, is_unit in (("units", exp.true()), ("numbers", exp.false()))
        )
        return [
            f", {self.text.cte('units', units)}, ", before, "(", *self._means(keys), f") AS {HIDDEN}told",
            after, f" {every}",
        ]  # fmt: skip

    def _each_value(self, columns: Sequence[str], table: str) -> exp.Select:
        """Return a row for every query, or query in a slice, and metric."""
        told = {name: exp.column(name) for name in ("value", "no_relevant")}
        query = exp.select(*columns, "query_id", self.text.of_each(told)).from_(table)
        return query.join("checked", join_type="cross").where(exp.column("fine"))

    def overall(self, has_slices: bool) -> list[Part]:
        """Return one row for every system, slice and metric."""
        value, why = self.shown_value()
        by = [exp.var("_attributes.*")] if has_slices else []
        columns: list[exp.Expr | str] = [
            NAMED_SYSTEM, "metric", exp.column("slice") if has_slices else literal("").as_("slice"), *by,
            value.as_("value"), why.as_("reason"), *COUNTS, *AIM, "signature",
        ]  # fmt: skip
        order = ["slice_number", "attributes"] if has_slices else []
        result = exp.select(*columns).from_(exp.to_table("numbers")).join(FACTS, using=["place"])
        # With its table, because a column of the user may have the name of one.
        result = result.order_by(*(exp.column(c, "numbers") for c in (*order, "place", "system")))
        before, after = self.text.shown(result).split(f"{HIDDEN}numbers", 1)
        keys = ["system", *(SLICE_KEYS if has_slices else ())]
        return [f" {before}", "(", *self.numbers(keys), f") AS {HIDDEN}numbers", after]

    def numbers(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics in every system and slice.

        Args:
            keys: the columns that tell them apart.
        """
        means = self._means(keys)
        if self.of.takes_weight:
            means = [chosen(self.of.has_weight, self._means(keys, is_weighted=True), means)]
        return [chosen(self.of.is_mean, means, self._aggregated(keys))]

    def shown_value(self) -> tuple[exp.Expr, exp.Expr]:
        """Return a mean as results show it, and the reason if there is none."""
        return shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))

    def _means(self, keys: Sequence[str], *, is_weighted: bool = False) -> list[Part]:
        """Return the numbers of the metrics where all are means, side by side in one scan."""
        aggregation = bound_aggregation(self.catalog, DEFAULT_AGGREGATION, "value", None, is_weighted)
        mean = aggregation.selects[-1].unalias()
        counts = (
            c for c in cast("exp.Select", self.text.shell("counted")).selects if c.alias.startswith("n")
        )
        told = {"v": mean.copy(), **{c.alias: c.unalias() for c in counts}}
        return self.of_systems(exp.select(*keys, self.text.of_each(told)), keys, group_by=keys)

    def _aggregated(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics where some are not means, from one row per metric and query."""
        told = {kind: exp.column(kind) for kind in KINDS}
        rows = self.of_systems(exp.select(*keys, "query_id", "missing", self.text.of_each(told)), keys)
        segment = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier(f"_{name}"), expression=exp.column(name))
            for name in ("place", *keys)
        ])  # fmt: skip
        values = exp.select(segment.as_("segment"), "agg", "query_id", "missing", *KINDS).from_("told")
        values = values.join(FACTS, using=["place"])
        before, after = self.text.cte("query_values", values).split(f"{HIDDEN}told")
        counts = ("n_population", *COUNTS)
        value = exp.func("coalesce", exp.column("value", "counted"), exp.column("value", "placed"))
        numbers = exp.select(exp.var(f"unnest({HIDDEN}counted._segment)"), value.as_("v"), *counts).from_(
            "counted"
        )
        same = exp.EQ(this=exp.column("segment", "placed"), expression=exp.column("segment", "counted"))
        numbers = numbers.join("placed", on=same, join_type="left")
        return [
            "WITH ", before, "(", *rows, f") AS {HIDDEN}told", after, ", ",
            f"{self.text.cte('counted', _counted(self.text))}, ",
            self.text.cte("placed", _placed(self.catalog)), " ", self.text.text(numbers),
        ]  # fmt: skip

    def of_systems(self, query: exp.Select, keys: Sequence[str], group_by: Sequence[str] = ()) -> list[Part]:
        """Return a query over the rows of every system.

        A switch may leave no query in the population. Each system then has a row without values.
        """
        name = self.sliced if len(keys) > 1 else self.whole
        query = query.from_(ROWS_OF_QUERIES).join("checked", join_type="cross").where(exp.column("fine"))
        start, rest = self.text.text(query.group_by(*group_by)).split(f"{HIDDEN}{ROWS_OF_QUERIES}", 1)
        each = exp.select("*").from_("systems").join(name, using=["system"], join_type="left")
        if len(keys) > 1:
            defaults = (exp.func("coalesce", exp.column(n), value).as_(n) for n, value in OVERALL.items())
            each.selects[0].set("replace", [*defaults])
        every = [f"({self.text.text(each)}) AS {HIDDEN}{name}"]
        usual = [f"{HIDDEN}{name}"]
        rows = chosen(self.of.has_systems, [chosen(self.of.is_open, every, usual)], usual)
        return [start, rows, rest]


class SystemRows(RankingRows):
    """Writes the last part of a query of metrics of all lists of a system, without values of queries."""

    whole = sliced = "per_slice"

    def result(self) -> list[Part]:
        """Return one row for every system, slice and metric."""
        parts = (self.overall(has_slices) for has_slices in (True, False))
        return [", ", *self.facts(), chosen(self.of.has_slices, *parts)]

    def problems(self) -> list[exp.Query]:
        """Return nothing: no values of queries are aggregated."""
        return []

    def signed_aggregation(self, entry: Entry) -> str:
        """Return nothing: no values of queries are aggregated."""
        return ""

    def numbers(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics in every system and slice."""
        n_population, n_missing = (
            exp.func("coalesce", exp.column(name), literal(0)) for name in ("n_population", "n_missing")
        )
        known = {"n": exp.Sub(this=n_population, expression=n_missing), "n_missing": n_missing.copy()}
        told = {
            "v": exp.column("value"), "n_population": n_population.copy(),
            **{name: known.get(name, literal(0)) for name in COUNTS},
        }  # fmt: skip
        return self.of_systems(exp.select(*keys, self.text.of_each(told)), keys)


def _counted(text: RankingText) -> exp.Query:
    """Count the queries behind every number, and compute the number if one aggregate is enough."""
    value, catalog = exp.Case(), text.catalog
    for definition in catalog.aggregations.values():
        if not definition.query.args.get("with_"):
            number = bound_aggregation(catalog, definition.name, "value", None).selects[-1].unalias()
            value = value.when(_is_aggregated_by(catalog, definition), number, copy=False)
    return cast("exp.Select", text.shell("counted")).select(value.as_("value"))


def _placed(catalog: Catalog) -> exp.Query:
    """Return the aggregation under sql/aggregations that needs the values in order."""
    parts: list[exp.Query] = []
    for definition in catalog.aggregations.values():
        if definition.query.args.get("with_"):
            values = {name: _bound(catalog, definition, name) for name in definition.own_params}
            part = cast("exp.Query", given(definition.query.copy(), values))
            without_system(part)
            for cte in part.ctes:
                cast("exp.Select", cte.this).where(_is_aggregated_by(catalog, definition), copy=False)
            parts.append(part)
    (placed_,) = parts
    return placed_


def _is_aggregated_by(catalog: Catalog, definition: Definition) -> exp.Expr:
    names = [n for n, alias in catalog.aggregation_names.items() if alias.metric is definition]
    return exp.In(this=exp.column(AGGREGATION), expressions=[literal(name) for name in names])


def _bound(catalog: Catalog, definition: Definition, param: str) -> exp.Expr:
    """Return the value to which the name of an aggregation binds a parameter."""
    value = exp.Case(this=exp.column(AGGREGATION))
    for name, alias in catalog.aggregation_names.items():
        if alias.metric is definition:
            bound = definition.own_params[param].type(alias.bound[param])
            value = value.when(literal(name), literal(bound), copy=False)
    return value


def names(columns: Sequence[str]) -> exp.Expr:
    """Return a list of names."""
    return exp.Array(expressions=[literal(name) for name in columns])


def aim_columns(measure: Measure) -> dict[str, exp.Expr]:
    """Return the columns that say which values of a metric are better."""
    return {name: column.unalias() for name, column in zip(AIM, aim_of(measure), strict=True)}


def without_system(query: exp.Query) -> None:
    """Remove the column of the system from a file under sql/aggregations; the segment has it."""
    for select in query.find_all(exp.Select):
        select.set("expressions", [p for p in select.expressions if p.alias_or_name != "system"])
        group = select.args.get("group")
        if group is not None:
            group.set("expressions", [key for key in group.expressions if key.name != "system"])
    for window in query.find_all(exp.Window):
        kept = [key for key in window.args.get("partition_by") or [] if key.name != "system"]
        window.set("partition_by", kept)
