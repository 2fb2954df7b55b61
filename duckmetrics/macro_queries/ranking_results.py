"""The last part of the query of a ranking macro: one row for every slice and metric, or for every query."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from sqlglot import exp

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF, written
from duckmetrics.catalog.signature import AGGREGATION, VERSION
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries.forms import KINDS, OPEN
from duckmetrics.macro_queries.macro import HIDDEN, given, reference
from duckmetrics.macro_queries.query import COUNTS
from duckmetrics.macro_queries.ranking_text import METRIC, OF_METRICS, PLACE, K
from duckmetrics.macro_queries.shell_files import call, concatenated
from duckmetrics.macro_queries.template import chosen, joined
from duckmetrics.summaries.ranking import aim_of, shown_value
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macro_queries.forms import Entry
    from duckmetrics.macro_queries.ranking_text import RankingText
    from duckmetrics.macro_queries.template import Part

PER_QUERY, PER_SLICE = "per_query", "sliced"
SLICE_KEYS = ("slice_number", "slice", "attributes")
# The only system has no name: NULL.
AIM = ("better", "target")
# Stands for the table with the rows of the queries. The slice of all queries.
ROWS = "rows_of_queries"
OVERALL = {"slice_number": literal(0), "slice": literal("")}
# The step with the rows of several calls, the place of the metric of a row, and its number within its call.
# No table or column of the user has these names.
EACH, PLACED, NUMBERED = "_duckmetrics_each", "_duckmetrics_place", "_duckmetrics_row"
NAMED_SYSTEM = exp.Nullif(this=exp.column("system"), expression=literal("")).as_("system")


class Results:
    """Writes the last part of a query."""

    columns: ClassVar[Sequence[str]]
    # The column of the metric in the rows of several calls.
    metric_of_calls: ClassVar[str] = "metric"
    # The arguments that only the last part of the query reads.
    own: ClassVar[Sequence[str]] = ()
    # The steps with the values of queries, without slices and with them.
    whole: ClassVar[str] = PER_QUERY
    sliced: ClassVar[str] = PER_SLICE

    def __init__(self, text: RankingText) -> None:
        self.text, self.of, self.catalog = text, text.of, text.catalog

    def result(self) -> list[Part]:
        """Return the last part: one of two, with slices and without them."""
        return [chosen(self.of.has_slices, self.of_slices(has_slices=True), self.of_slices(has_slices=False))]

    def of_slices(self, *, has_slices: bool) -> list[Part]:
        """Return the last part of a query with slices, or without them."""
        raise NotImplementedError

    def of_calls(self) -> list[Part]:
        """Return the last part of a query that reads the rows of several calls, each for some metrics."""
        raise NotImplementedError

    def problems(self) -> list[exp.Query]:
        """Return the queries of the problems of the arguments that the result needs."""
        return []

    def steps(self) -> list[Part]:
        """Return the steps that the queries of problems read."""
        return []


class ByQuery(Results):
    """One row for every system, metric and query."""

    columns = ("system", "metric", "query_id", "value", "missing", "no_relevant")
    metric_of_calls = "_metric"

    def of_slices(self, *, has_slices: bool) -> list[Part]:
        """Return one row for every system, metric and query."""
        pieces = {
            "metric": exp.var(METRIC),
            "value": exp.column("value"),
            "no_relevant": exp.column("no_relevant"),
        }
        keys = ["system", "query_id", "missing", *(["attributes"] if has_slices else [])]
        query = exp.select(*keys, exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        query = query.from_(PER_SLICE if has_slices else PER_QUERY)
        if has_slices:
            query = query.where(exp.EQ(this=exp.column("slice_number"), expression=literal(1)))
        numbers = query.join("checked", join_type="cross").where(exp.column("fine"))
        result = exp.select(*self._shown(has_slices)).from_(numbers.subquery("numbers"))
        return [*self.text.of_metrics(self.text.shown(result), [self.text.struct(pieces)])]

    def of_calls(self) -> list[Part]:
        """Return the values among the rows of the calls."""
        texts = []
        for has_slices in (True, False):
            rows = exp.select(*self._shown(has_slices)).from_(exp.to_table(EACH)).where(exp.column("is_unit"))
            if has_slices:
                rows = rows.where(exp.EQ(this=exp.column("slice_number"), expression=literal(1)))
            texts.append([f" {self.text.shown(rows)}"])
        return [chosen(self.of.has_slices, *texts)]

    @staticmethod
    def _shown(has_slices: bool) -> list[exp.Expr | str]:
        by = [exp.var("_attributes.*")] if has_slices else []
        return [NAMED_SYSTEM, "metric", *by, "query_id", "value", "missing", "no_relevant"]


class Overall(Results):
    """One row for every system, slice and metric."""

    columns: ClassVar[Sequence[str]] = (
        "system", "metric", "slice", "value", "reason", *COUNTS, *AIM, "signature",
    )  # fmt: skip

    def of_slices(self, *, has_slices: bool) -> list[Part]:
        """Return one row for every system, slice and metric."""
        value, why = self.shown_value()
        by = [exp.var("_attributes.*")] if has_slices else []
        columns: list[exp.Expr | str] = [
            NAMED_SYSTEM, "metric", exp.column("slice") if has_slices else literal("").as_("slice"), *by,
            value.as_("value"), why.as_("reason"), *COUNTS, *AIM, "signature",
        ]  # fmt: skip
        order = ["slice_number", "attributes"] if has_slices else []
        result = exp.select(*columns).from_(exp.to_table("numbers"))
        # With its table, because a column of the user may have the name of one.
        result = result.order_by(*(exp.column(c, "numbers") for c in (*order, "place", "system")))
        before, after = self.text.shown(result).split(f"{HIDDEN}numbers", 1)
        keys = ["system", *(SLICE_KEYS if has_slices else ())]
        return [before, "(", *self.numbers(keys), f") AS {HIDDEN}numbers", after]

    def numbers(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics in every system and slice.

        Args:
            keys: the columns that tell them apart.
        """
        return [chosen(self._is_mean, self.means(keys), self._aggregated(keys))]

    def problems(self) -> list[exp.Query]:
        """Return the query of an aggregation that does not exist."""
        if not self._takes_aggregation:
            return []
        given_ = exp.cast(reference(AGGREGATION), "VARCHAR")
        names = [literal(name) for name in self.catalog.aggregation_names]
        is_known = exp.func("coalesce", exp.In(this=given_, expressions=names), exp.false())
        shown = exp.func("coalesce", given_.copy(), literal("NULL"))
        choices = f"'; choose {' or '.join(sorted(self.catalog.aggregation_names))}"
        text = concatenated(f"{AGGREGATION} cannot be '", shown, choices)
        return [exp.select(text.as_("problem")).where(exp.not_(is_known))]

    def of_calls(self) -> list[Part]:
        """Return the rows of the calls, sorted by slice, metric and system.

        The rows of each metric are those of the same slices and systems, in the same order.
        """
        row = exp.Window(
            this=exp.RowNumber(), partition_by=[exp.column(PLACED)],
            order=exp.Order(expressions=[exp.column(NUMBERED)]),
        )  # fmt: skip
        systems = exp.Window(this=exp.Count(this=exp.Distinct(expressions=[exp.column("system")])))
        slice_ = exp.IntDiv(this=exp.paren(row - 1), expression=exp.func("greatest", literal(1), systems))
        hidden_ = [exp.to_identifier(name) for name in (PLACED, NUMBERED)]
        query = exp.select(exp.Star(**{"except_": hidden_})).from_(EACH)
        order = (slice_, exp.column(PLACED), exp.column(NUMBERED))
        return [" ", self.text.template.text(query.order_by(*order))]

    def means(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics where all are means, side by side in one scan."""
        mean = self.catalog.aggregation_names[DEFAULT_AGGREGATION].metric.query.selects[-1].unalias()
        counts = (
            c for c in cast("exp.Select", self.text.shell("counted")).selects if c.alias.startswith("n")
        )
        told = {"v": mean.copy(), **{c.alias: c.unalias() for c in counts}}
        query = exp.select(*keys, exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        return self.of_systems(query, keys, self.told(told), group_by=keys)

    def _aggregated(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics where some are not means, from one row per metric and query."""
        query = exp.select(
            *keys, "query_id", "missing", exp.var(f"unnest([{OF_METRICS}], recursive := true)")
        )
        rows = self.of_systems(query, keys, self.told({k: exp.column(k) for k in KINDS}))
        fields = ("place", "metric", "signature", *AIM, *keys)
        segment = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier(f"_{name}"), expression=exp.column(name)) for name in fields
        ])  # fmt: skip
        values = exp.select(segment.as_("segment"), "agg", "query_id", "missing", *KINDS).from_("told")
        before, after = self.text.cte("query_values", values).split(f"{HIDDEN}told")
        steps = {"counted": self._counted(), "placed": self._placed()}
        counts = ("n_population", *COUNTS)
        value = exp.func("coalesce", exp.column("value", "counted"), exp.column("value", "placed"))
        numbers = exp.select(exp.var(f"unnest({HIDDEN}counted._segment)"), value.as_("v"), *counts).from_(
            "counted"
        )
        same = exp.EQ(this=exp.column("segment", "placed"), expression=exp.column("segment", "counted"))
        numbers = numbers.join("placed", on=same, join_type="left")
        return [
            "WITH ", before, "(", *rows, f") AS {HIDDEN}told", after, ", ",
            *(f"{self.text.cte(name, step)}, " for name, step in list(steps.items())[:1]),
            self.text.cte("placed", steps["placed"]), " ", self.text.text(numbers),
        ]  # fmt: skip

    def of_systems(
        self, query: exp.Select, keys: Sequence[str], pieces: Sequence[str], group_by: Sequence[str] = ()
    ) -> list[Part]:
        """Return a query over the rows of every system, with pieces of the metrics at its mark.

        A switch may leave no query in the population. Each system then has a row without values.
        """
        name = self.sliced if len(keys) > 1 else self.whole
        query = query.from_(ROWS).join("checked", join_type="cross").where(exp.column("fine"))
        *before, after = self.text.of_metrics(self.text.text(query.group_by(*group_by)), pieces)
        start, rest = after.split(f"{HIDDEN}{ROWS}", 1)
        each = exp.select("*").from_("systems").join(name, using=["system"], join_type="left")
        if len(keys) > 1:
            defaults = (exp.func("coalesce", exp.column(n), value).as_(n) for n, value in OVERALL.items())
            each.selects[0].set("replace", [*defaults])
        every = [f"({self.text.text(each)}) AS {HIDDEN}{name}"]
        usual = [f"{HIDDEN}{name}"]
        rows = chosen(self.of.has_systems, [chosen(self.of.is_open, every, usual)], usual)
        return [*before, start, rows, rest]

    def _counted(self) -> exp.Query:
        """Count the queries behind every number, and compute the number if one aggregate is enough."""
        value = exp.Case()
        for definition in self.catalog.aggregations.values():
            if not definition.query.args.get("with_"):
                number = definition.query.selects[-1].unalias().copy()
                value = value.when(self._is_aggregated_by(definition), number, copy=False)
        return cast("exp.Select", self.text.shell("counted")).select(value.as_("value"))

    def _placed(self) -> exp.Query:
        """Return the aggregation under sql/aggregations that needs the values in order."""
        parts: list[exp.Query] = []
        for definition in self.catalog.aggregations.values():
            if definition.query.args.get("with_"):
                values = {name: self._bound(definition, name) for name in definition.own_params}
                part = cast("exp.Query", given(definition.query.copy(), values))
                without_system(part)
                for cte in part.ctes:
                    cast("exp.Select", cte.this).where(self._is_aggregated_by(definition), copy=False)
                parts.append(part)
        (placed_,) = parts
        return placed_

    def _is_aggregated_by(self, definition: Definition) -> exp.Expr:
        names = [n for n, alias in self.catalog.aggregation_names.items() if alias.metric is definition]
        return exp.In(this=exp.column(AGGREGATION), expressions=[literal(name) for name in names])

    def _bound(self, definition: Definition, param: str) -> exp.Expr:
        """Return the value to which the name of an aggregation binds a parameter."""
        value = exp.Case(this=exp.column(AGGREGATION))
        for name, alias in self.catalog.aggregation_names.items():
            if alias.metric is definition:
                bound = definition.own_params[param].type(alias.bound[param])
                value = value.when(literal(name), literal(bound), copy=False)
        return value

    @property
    def _is_mean(self) -> exp.Expr:
        """The condition that all metrics asked for are means over the queries."""
        given_ = exp.EQ(
            this=exp.cast(reference(AGGREGATION), "VARCHAR"), expression=literal(DEFAULT_AGGREGATION)
        )
        others = [
            name
            for one in self.of.offered
            if one.agg not in (None, DEFAULT_AGGREGATION)
            for name in one.names
        ]
        if not others:
            return given_
        asked = self.of.asks_for(others)
        return exp.false() if asked is None else exp.and_(given_, exp.not_(asked))

    def shown_value(self) -> tuple[exp.Expr, exp.Expr]:
        """Return a mean as results show it, and the reason if there is none."""
        return shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))

    def told(self, values: Mapping[str, exp.Expr]) -> list[str]:
        """Return the place, name, signature and numbers of every metric, as one value each."""
        texts = []
        for entry in self.of.entries:
            agg = self._aggregation(entry)
            known = {
                "place": exp.var(PLACE), "metric": exp.var(METRIC), "signature": self._signature(entry),
                "agg": agg, **aim_columns(entry.asked.measure),
            }  # fmt: skip
            texts.append(self.text.struct({**known, **values}))
        return texts

    def _aggregation(self, entry: Entry) -> exp.Expr:
        """Return the aggregation of a metric: its own, that of the call, or the mean."""
        if entry.asked.agg is not None:
            return literal(entry.asked.agg)
        return reference(AGGREGATION) if self._takes_aggregation else literal(DEFAULT_AGGREGATION)

    @property
    def _takes_aggregation(self) -> bool:
        return any(argument.name == AGGREGATION for argument in self.of.arguments)

    def _signature(self, entry: Entry) -> exp.Expr:
        """Return the signature of a metric, with a mark for its cut-off; the query puts it together."""
        measure = entry.measure(OPEN)
        parts: list[str | exp.Expr] = [
            signature_name(self.catalog, measure),
            f"@{K}" if entry.has_cutoff else "",
        ]
        for name, value in measure.params:
            if name != CUTOFF:
                parts += [f"|{name}:", self._signed(entry, name, value)]
        return joined([*parts, *self.aggregated(entry), f"|{VERSION}:{__version__}"])

    def aggregated(self, entry: Entry) -> list[str | exp.Expr]:
        """Return the part of a signature with the aggregation."""
        return [f"|{AGGREGATION}:", self._shown(self._aggregation(entry))]

    def _signed(self, entry: Entry, name: str, value: Value) -> str | exp.Expr:
        """Return the value of a parameter in a signature; of one that changes nothing, its default."""
        if not isinstance(value, Parameter):
            return written(value)
        param, given_ = self.text.params[value.name], self.text.values[value.name]
        idle = self.catalog.idle(entry.asked.measure.metric).get(name)
        if idle is not None:
            condition = exp.paren(idle.copy(), copy=False)
            for column in list(condition.find_all(exp.Column)):
                known = entry.measure(OPEN).values[column.name]
                read = self.text.values[known.name].copy() if isinstance(known, Parameter) else literal(known)
                column.replace(exp.paren(read))
            is_idle = exp.func("coalesce", condition, exp.false())
            given_ = exp.Case().when(is_idle, literal(param.default)).else_(given_.copy())
        return self._shown(given_, is_word=bool(param.choices))

    def _shown(self, value: exp.Expr, *, is_word: bool = True) -> exp.Expr:
        """Return the text of a value in a signature."""
        if is_word:
            return exp.func("coalesce", value.copy(), literal("null"))
        return call(self.catalog, "signature_value", value.copy())


def aim_columns(measure: Measure) -> dict[str, exp.Expr]:
    """Return the columns that say which values of a metric are better."""
    return {name: column.unalias() for name, column in zip(AIM, aim_of(measure), strict=True)}


def signature_name(catalog: Catalog, measure: Measure) -> str:
    """Return the name of a metric in its signature, with the family if the name alone is ambiguous."""
    name = measure.metric.name
    families = [family for family, known in catalog.names if known == name]
    is_ambiguous = len(families) > 1 and measure.values.get(CUTOFF) is None
    return f"{measure.metric.family}.{name}" if is_ambiguous else name


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
