"""The parts of the query of a ranking macro, as texts into which the arguments of a call are put."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF, written
from duckmetrics.catalog.signature import AGGREGATION, VERSION
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.folding import Parameter, bind, literal
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macros import checks
from duckmetrics.macros.forms import CLOSED, OPEN, SOME_CUTOFF
from duckmetrics.macros.macro import FUNCTIONS, given, hidden, nested, reference
from duckmetrics.macros.query import COUNTS, METRICS, SOURCE, in_one, placed, shown, tables_of_user
from duckmetrics.macros.shell_files import BY_RANK, TYPES, by_rank, call, concatenated, is_null, query_of, source
from duckmetrics.macros.template import chosen, joined, merged
from duckmetrics.summaries.ranking import shown_value
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macros.forms import Composed, Entry, Form
    from duckmetrics.macros.query import Steps
    from duckmetrics.macros.ranking_query import RankingQuery
    from duckmetrics.macros.template import Part, Template

DEPTH, POPULATION, TABLE = "depth", "population", "table"
PER_QUERY, PER_SLICE = "per_query", "sliced"
SLICE_KEYS = ("slice_number", "slice", "attributes")
# Results: a row for every metric and slice, or for every metric and query; and their columns.
OVERALL, BY_QUERY, COMPARED = "overall", "by_query", "compared"
SUMMARY = ("system", "metric", "slice", "value", "reason", *COUNTS, "signature")
VALUES = ("system", "metric", "query_id", "value", "missing", "no_relevant")
# Nobody named the only system: NULL.
NAMED_SYSTEM = exp.Nullif(this=exp.column("system"), expression=literal("")).as_("system")
KINDS = ("value", "no_relevant", "undefined")
# Marks in texts, which stand for what belongs to the metrics asked for.
METRIC, PLACE, OF_METRICS = "__metric__", "__place__", "__of_metrics__"
K = "__k__"


class Parts:
    """Writes the parts of a query into a template.

    Args:
        of: the metrics, and what is known of the arguments.
    """

    def __init__(self, of: RankingQuery, template: Template) -> None:
        self.of, self.catalog, self.template = of, of.catalog, template
        self.params = {v.symbol: v.param for vs in of.offer.variants.values() for v in vs}
        types = {symbol: TYPES[param.type] for symbol, param in self.params.items()}
        switches = {s: value for s, value in of.values.items() if s != CUTOFF}
        self.values: dict[str, exp.Expr] = {
            **{s: template.quoted(v, "" if types[s] == "VARCHAR" else types[s]) for s, v in switches.items()},
            DEPTH: exp.cast(self._number(of.depth), "INT"), BY_RANK: by_rank(),
            METRICS: template.quoted(exp.cast(of.asked_for.metrics, "VARCHAR")),
        }  # fmt: skip
        self.switches = switches
        self._pieces: list[Sequence[str]] = []

    def _number(self, value: exp.Expr) -> exp.Expr:
        """Return the mark of a number or NULL."""
        return self.template.raw(exp.func("coalesce", exp.cast(value.copy(), "VARCHAR"), literal("NULL")))

    # ---- texts

    def text(self, tree: exp.Expr) -> str:
        """Write a query with hidden names."""
        bound = cast("exp.Query", given(tree.copy(), self.values))
        calling, _ = linked(self.catalog, bound, FUNCTIONS)
        text = self.template.text(hidden(given(calling, {})))
        if str(SOME_CUTOFF) in text:
            text = text.replace(str(SOME_CUTOFF), self._number(self.of.asked_for.largest).name)
        return text

    def cte(self, name: str, query: exp.Expr) -> str:
        """Write a step."""
        return f"_dm_{name} AS ({self.text(query)})"

    def columns(self, columns: Mapping[str, exp.Expr]) -> str:
        """Write columns of one metric; its cut-off and place are put in when the macro is called."""
        if not columns:
            return ""
        query = exp.select(*(value.copy().as_(f"{name}_{PLACE}") for name, value in columns.items()))
        calling, _ = linked(self.catalog, cast("exp.Query", given(query, self.values)), FUNCTIONS)
        text = self.template.text(hidden(given(calling, {}))).removeprefix("SELECT ")
        return text.replace(str(SOME_CUTOFF), K)

    def of_metrics(self, text: str, pieces: Sequence[str]) -> list[Part]:
        """Return a text with pieces of the metrics asked for at its mark.

        Args:
            pieces: a text for every entry, empty for none; or one text for all of them.
        """
        before, after = text.split(OF_METRICS)
        if not any(pieces):
            return [before.rstrip().removesuffix(","), after]
        return [before, self.template.fragment(self.of.asked_for.pieces(self._known(pieces))), after]

    def _known(self, pieces: Sequence[str]) -> Sequence[str]:
        """Return pieces that were written before if they hold the same, so that DuckDB binds them once."""
        for known in self._pieces:
            if len(known) == len(pieces) and all(p in ("", k) for p, k in zip(pieces, known, strict=True)):
                return known
        self._pieces.append(pieces)
        return pieces

    # ---- steps

    def tables(self) -> list[Part]:
        """Return the beginning of the query: the tables of the user, under the names of the metrics."""
        several, one = (
            [f"{self.cte(n, self._of_form(query, form))}, " for n, query in tables_of_user(self.catalog)]
            for form in (OPEN, CLOSED[0])
        )  # fmt: skip
        return ["WITH ", *merged(self.of.has_systems, several, one)]

    def steps(self, form: Form) -> list[Part]:
        """Return the steps up to the row of each query with its values."""
        composed = self.of.composed(form)
        population = f"{self.cte(POPULATION, self._population(form))}, "
        texts = [self._step(composed, name) for name in composed.steps]
        if self.of.is_listed:
            steps: list[Part] = [self._needed(composed, [joined([*text, ", "]) for text in texts])]
        else:
            steps = ["".join(map(str, (*text, ", "))) for text in texts]
        return [population, *steps, *self._per_query(composed), ", "]

    def _of_form(self, query: exp.Query, form: Form) -> exp.Query:
        """Leave out what tells systems apart where there is one system."""
        if form.has_systems:
            return query
        query = query.copy()
        for select in query.find_all(exp.Select):
            if any(p.find(exp.Placeholder) and p.alias.startswith("system") for p in select.selects):
                kept = (_one_system(p) for p in select.selects)
                select.set("expressions", [p for p in kept if p is not None])
        return query

    def _population(self, form: Form) -> exp.Query:
        if not form.is_open:
            return exp.select("query_id").from_("truth").where(exp.false())
        is_table = exp.EQ(this=self.of.values[POPULATION].copy(), expression=literal(TABLE))
        listed = exp.Case().when(is_table, reference(POPULATION)).else_(reference("truth"))
        return query_of(self.catalog, POPULATION, {SOURCE: source(self.catalog, listed, "read_trec_qrels")})

    def _step(self, composed: Composed, name: str) -> list[Part]:
        """Return a step; an aggregate has the columns of the metrics asked for."""
        if name not in composed.blocks:
            return [self.cte(name, composed.steps[name])]
        block = composed.steps[name].copy()
        own = {column for found in composed.aggregates for column in found[name]}
        block.set("expressions", [*(p for p in block.selects if p.alias_or_name not in own), exp.var(OF_METRICS)])
        pieces = self._of_entries(composed, [self.columns(found[name]) for found in composed.aggregates])
        return self.of_metrics(self.cte(name, block), pieces)

    def _per_query(self, composed: Composed) -> list[Part]:
        outer = composed.outer.copy()
        outer.set("expressions", [*(k.copy() for k in composed.keys().values()), exp.var(OF_METRICS)])
        joins = {join.this.name: join for join in outer.args.pop("joins", None) or []}
        head = self.cte("per_query", outer).removesuffix(")")
        pieces = self._of_entries(composed, [self._values_of(values) for values in composed.values])
        texts = [f" {self.text(joins[name]).strip()}" if name in joins else "" for name in composed.steps]
        if self.of.is_listed:
            return [*self.of_metrics(head, pieces), self._needed(composed, [joined([t]) for t in texts]), ")"]
        return [*self.of_metrics(head, pieces), *texts, ")"]

    def _values_of(self, values: Mapping[str, exp.Expr]) -> str:
        """Write the columns of a metric; those of its aggregates end with its place."""
        renamed = {}
        for kind, value in values.items():
            holder = exp.paren(value.copy(), copy=False)
            for column in holder.find_all(exp.Column):
                if column.table.startswith("per_query_of_"):
                    column.this.set("this", f"{column.name}_{PLACE}")
            renamed[kind] = cast("exp.Expr", holder.this)
        return self.columns(renamed)

    def _of_entries(self, composed: Composed, texts: Sequence[str]) -> list[str]:
        """Return a text for every entry, empty for those that the form does not have."""
        known = dict(zip(composed.entries, texts, strict=True))
        return [known.get(entry, "") for entry in self.of.entries]

    def _needed(self, composed: Composed, texts: Sequence[exp.Expr]) -> exp.Expr:
        """Return the texts of the steps that the metrics asked for need."""
        bit = {name: 1 << i for i, name in enumerate(composed.steps)}
        checks_, _ = self._data_checks(composed)
        of_checks = composed.closure({t.name for query in checks_ for t in query.find_all(exp.Table)})
        masks = {
            entry: sum(bit[name] for name in needed | of_checks)
            for entry, needed in zip(composed.entries, composed.needed, strict=True)
        }
        mask = self.of.asked_for.needed([masks.get(entry, 0) for entry in self.of.entries])
        return call(self.catalog, "needed_steps", mask, exp.Array(expressions=[*texts]))

    # ---- slices

    @property
    def label(self) -> exp.Expr:
        """The mark of the columns by which results are split, as the column `slice` shows them."""
        reserved = exp.Array(expressions=[literal(name) for name in RESERVED])
        return self.template.quoted(call(self.catalog, "slice_label", self.of.slices, reserved))

    def slices(self) -> list[Part]:
        """Return the steps that put every query into its slice as well, empty without slices."""
        tables = [
            exp.Case().when(is_null(reference("queries")), reference(table)).else_(reference("queries"))
            for table in ("truth", "predictions")
        ]  # fmt: skip
        values = {
            SOURCE: source(self.catalog, tables[0], "read_trec_qrels"),
            "otherwise": source(self.catalog, tables[1], "read_trec_run"),
            "named_columns": self.template.raw(call(self.catalog, "attribute_columns", self.of.slices)),
            "attributes": self.template.raw(call(self.catalog, "attribute_values", self.of.slices)),
        }
        steps = {
            "attributes": query_of(self.catalog, "attributes", values),
            "sliced": query_of(self.catalog, "sliced", {"slice_label": self.label}),
        }
        parts = [part for name, step in steps.items() for part in (self.cte(name, step), ", ")]
        return [chosen(self.of.has_slices, parts, [])]

    # ---- checks

    def checked(self) -> list[Part]:
        """Return the steps that refuse bad arguments and bad rows."""
        usual, opened = (self._problems(form) for form in (CLOSED[-1], OPEN))
        arguments = [f" UNION ALL {self.text(placed(query, -1))}" for query in self.of.offer.problems()]
        slices = f" UNION ALL {self.text(placed(self._shell('bad_attributes', slice_label=self.label), 99))}"
        return [
            chosen(self.of.is_changed, [*self._specs(), ", "], []),
            *self.contestants(), *merged(self.of.is_open, opened, usual),
            *(f" UNION ALL {self.text(placed(query, i - 100))}" for i, query in enumerate(self.problems_of_arguments())),
            chosen(self.of.is_changed, arguments, []), *self._unfollowed(),
            chosen(self.of.has_slices, [slices], []), "), ", self.cte("checked", self._shell("checked")), " ",
        ]  # fmt: skip

    def contestants(self) -> list[Part]:
        """Return the step with the systems, if the result compares them."""
        return []

    def problems_of_arguments(self) -> list[exp.Query]:
        """Return the queries of what is wrong with arguments other than switches."""
        return []

    def result(self) -> list[Part]:
        """Return the last part of the query."""
        return self.overall() if self.of.result == OVERALL else self.by_query()

    def _unfollowed(self) -> list[Part]:
        """Return the query of why a tool cannot be followed."""
        if self.of.likeness is None:
            return []
        told = exp.select(self.of.likeness.problem.as_("problem")).subquery("told")
        query = exp.select("problem").from_(told).where(exp.not_(is_null(exp.column("problem"))))
        return [chosen(self.of.follows, [f" UNION ALL {self.text(placed(query, -2))}"], [])]

    def _problems(self, form: Form) -> list[Part]:
        composed = self.of.composed(form)
        found, steps = self._data_checks(composed)
        files = ("no_rows", "no_order", "mixed_ids") if form.is_open else ("no_rows", "mixed_ids")
        refused = [*(self._settled(self._shell(name), form) for name in files), *found]
        own = [f"{self.cte(name, step)}, " for name, step in steps]
        first, *others = (self.text(placed(query, place)) for place, query in enumerate(refused))
        return [*own, "_dm_problems AS (", first, *(f" UNION ALL {text}" for text in others)]

    def _settled(self, query: exp.Query, form: Form) -> exp.Query:
        return query

    def _data_checks(self, composed: Composed) -> tuple[list[exp.Query], Steps]:
        form = composed.form
        return checks.of_data(self.catalog, composed.measures, composed.steps, form.constants, self.of.only)

    def _shell(self, name: str, **values: exp.Expr) -> exp.Query:
        """Return the query of a file under sql/macros; a parameter that the macro does not take has its default."""
        taken = {argument.name for argument in self.of.arguments}
        declared = self.catalog.shell[name].own_params.values()
        absent = {p.name: literal(p.default) for p in declared if not p.required and p.name not in taken}
        return query_of(self.catalog, name, {**absent, **self.values, **values})

    def _specs(self) -> list[Part]:
        """Return the steps with the metrics asked for, a row each."""
        rows = [
            exp.Tuple(expressions=[literal(n), literal(o.measure.text), literal(o.has_cutoff)])
            for o in self.of.offered for n in o.names
        ]  # fmt: skip
        names = [exp.to_identifier(name) for name in ("name", "measure", "has_cutoff")]
        alias = exp.TableAlias(this=exp.to_identifier("names"), columns=names)
        known = exp.select("name", "measure", "has_cutoff").from_(exp.Values(expressions=rows, alias=alias))
        specs = query_of(self.catalog, "several_metrics", {METRICS: self.values[METRICS]})
        return [self.cte("known", known), ", ", self.cte("specs", specs)]

    def refused(self) -> list[Part]:
        """Return the query where a metric is not known or its cut-off cannot be read, which is an error."""
        problems = in_one([self._shell("bad_metrics"), self._shell("unreadable_metrics")])
        names = SUMMARY if self.of.result == OVERALL else VALUES
        nothing = exp.select(*(exp.null().as_(name) for name in names)).from_("checked").where(exp.column("fine"))
        return [
            "WITH ", *self._specs(), ", ", self.cte("problems", problems), ", ",
            self.cte("checked", self._shell("checked")), " ", self._shown(nothing),
        ]  # fmt: skip

    # ---- results

    def by_query(self) -> list[Part]:
        """Return one row for every system, metric and query."""
        return [chosen(self.of.has_slices, self._by_query(True), self._by_query(False))]

    def _by_query(self, has_slices: bool) -> list[Part]:
        pieces = {"metric": exp.var(METRIC), "value": exp.column("value"), "no_relevant": exp.column("no_relevant")}
        keys = ["system", "query_id", "missing", *(["attributes"] if has_slices else [])]
        query = exp.select(*keys, exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        query = query.from_(PER_SLICE if has_slices else PER_QUERY)
        if has_slices:
            query = query.where(exp.EQ(this=exp.column("slice_number"), expression=literal(1)))
        numbers = query.join("checked", join_type="cross").where(exp.column("fine"))
        by = [exp.var("_attributes.*")] if has_slices else []
        columns = [NAMED_SYSTEM, "metric", *by, "query_id", "value", "missing", "no_relevant"]
        result = exp.select(*columns).from_(numbers.subquery("numbers"))
        return self.of_metrics(self._shown(result), [self._struct(pieces)])

    def _shown(self, query: exp.Select) -> str:
        """Write the last part of a query, whose columns have the names that people see."""
        bound = given(query.copy(), self.values)
        return self.template.text(shown(cast("exp.Query", hidden(bound))))

    def overall(self) -> list[Part]:
        """Return one row for every system, slice and metric."""
        return [chosen(self.of.has_slices, self._overall(True), self._overall(False))]

    def _overall(self, has_slices: bool) -> list[Part]:
        value, why = self.shown_value()
        by = [exp.var("_attributes.*")] if has_slices else []
        columns: list[exp.Expr | str] = [
            NAMED_SYSTEM, "metric", exp.column("slice") if has_slices else literal("").as_("slice"), *by,
            value.as_("value"), why.as_("reason"), *COUNTS, "signature",
        ]  # fmt: skip
        order = ["slice_number", "attributes"] if has_slices else []
        result = exp.select(*columns).from_(exp.to_table("numbers"))
        result = result.order_by(*(exp.column(c) for c in (*order, "place", "system")))
        before, after = self._shown(result).split(" FROM _dm_numbers")
        keys = ["system", *(SLICE_KEYS if has_slices else ())]
        numbers = chosen(self._is_mean, self._means(keys), self._aggregated(keys))
        return [before, " FROM (", numbers, ") AS _dm_numbers", after]

    def _means(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics where all are means, side by side in one scan."""
        mean = self.catalog.aggregation_names[DEFAULT_AGGREGATION].metric.query.selects[-1].unalias()
        counts = (c for c in cast("exp.Select", self._shell("counted")).selects if c.alias.startswith("n"))
        told = {"v": mean.copy(), **{c.alias: c.unalias() for c in counts}}
        query = exp.select(*keys, exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        query = query.from_(PER_SLICE if len(keys) > 1 else PER_QUERY).join("checked", join_type="cross")
        text = self.text(query.where(exp.column("fine")).group_by(*keys))
        return self.of_metrics(text, self._told(told))

    def _aggregated(self, keys: Sequence[str]) -> list[Part]:
        """Return the numbers of the metrics where some are not means, from one row per metric and query."""
        query = exp.select(*keys, "query_id", "missing", exp.var(f"unnest([{OF_METRICS}], recursive := true)"))
        query = query.from_(PER_SLICE if len(keys) > 1 else PER_QUERY).join("checked", join_type="cross")
        rows = self.of_metrics(self.text(query.where(exp.column("fine"))), self._told({k: exp.column(k) for k in KINDS}))
        fields = ("place", "metric", "signature", *keys)
        segment = exp.Struct(expressions=[
            exp.PropertyEQ(this=exp.to_identifier(f"_{name}"), expression=exp.column(name)) for name in fields
        ])  # fmt: skip
        values = exp.select(segment.as_("segment"), "agg", "query_id", "missing", *KINDS).from_("told")
        before, after = self.cte("query_values", values).split("_dm_told")
        steps = {"counted": self._counted(), "placed": self._placed()}
        counts = ("n_population", *COUNTS)
        value = exp.func("coalesce", exp.column("value", "counted"), exp.column("value", "placed"))
        numbers = exp.select(exp.var("unnest(_dm_counted._segment)"), value.as_("v"), *counts).from_("counted")
        same = exp.EQ(this=exp.column("segment", "placed"), expression=exp.column("segment", "counted"))
        numbers = numbers.join("placed", on=same, join_type="left")
        return [
            "WITH ", before, "(", *rows, ") AS _dm_told", after, ", ",
            *(f"{self.cte(name, step)}, " for name, step in list(steps.items())[:1]),
            self.cte("placed", steps["placed"]), " ", self.text(numbers),
        ]  # fmt: skip

    def _counted(self) -> exp.Query:
        """Count the queries behind every number, and compute the number if one aggregate is enough."""
        value = exp.Case()
        for definition in self.catalog.aggregations.values():
            if not definition.query.args.get("with_"):
                number = definition.query.selects[-1].unalias().copy()
                value = value.when(self._is_aggregated_by(definition), number, copy=False)
        return cast("exp.Select", self._shell("counted")).select(value.as_("value"))

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
        given_ = exp.EQ(this=exp.cast(reference(AGGREGATION), "VARCHAR"), expression=literal(DEFAULT_AGGREGATION))
        others = [name for one in self.of.offered if one.agg not in (None, DEFAULT_AGGREGATION) for name in one.names]
        if not others:
            return given_
        asked = self.of.asks_for(others)
        return exp.false() if asked is None else exp.and_(given_, exp.not_(asked))

    def shown_value(self) -> tuple[exp.Expr, exp.Expr]:
        """Return a mean as results show it, and the reason if there is none."""
        return shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))

    def _told(self, values: Mapping[str, exp.Expr]) -> list[str]:
        """Return what is told of every metric as one value: its place, name, signature and numbers."""
        texts = []
        for entry in self.of.entries:
            agg = self._aggregation(entry)
            signature = exp.var(self._signature(entry))
            known = {"place": exp.var(PLACE), "metric": exp.var(METRIC), "signature": signature, "agg": agg}
            texts.append(self._struct({**known, **values}))
        return texts

    def _aggregation(self, entry: Entry) -> exp.Expr:
        """Return the aggregation of a metric: its own, that of the call, or the mean."""
        if entry.asked.agg is not None:
            return literal(entry.asked.agg)
        is_taken = any(argument.name == AGGREGATION for argument in self.of.arguments)
        return reference(AGGREGATION) if is_taken else literal(DEFAULT_AGGREGATION)

    def _signature(self, entry: Entry) -> str:
        """Return the literal of the signature of a metric, with marks for its parameters and cut-off."""
        measure = entry.measure(OPEN)
        parts = [f"{signature_name(self.catalog, measure)}{f'@{K}' if entry.has_cutoff else ''}"]
        for name, value in measure.params:
            if name != CUTOFF:
                parts.append(f"{name}:{self._signed(entry, name, value)}")
        agg = self._mark_of(self._aggregation(entry))
        text = "|".join([*parts, f"{AGGREGATION}:{agg}", f"{VERSION}:{__version__}"])
        return f"'{text}'"

    def _signed(self, entry: Entry, name: str, value: Value) -> str:
        """Return the value of a parameter in a signature; one that changes nothing has its default, as in Python."""
        if not isinstance(value, Parameter):
            return written(value).replace("'", "''")
        param, given_ = self.params[value.name], self.switches[value.name]
        idle = self.catalog.idle(entry.asked.measure.metric).get(name)
        if idle is not None:
            condition = exp.paren(idle.copy(), copy=False)
            for column in list(condition.find_all(exp.Column)):
                known = entry.measure(OPEN).values[column.name]
                read = self.switches[known.name].copy() if isinstance(known, Parameter) else literal(known)
                column.replace(exp.paren(read))
            is_idle = exp.func("coalesce", condition, exp.false())
            given_ = exp.Case().when(is_idle, literal(param.default)).else_(given_.copy())
        return self._mark_of(given_, bool(param.choices))

    def _mark_of(self, value: exp.Expr, is_word: bool = False) -> str:
        """Return the mark of a value in a signature."""
        if is_word:
            return self.template.mark(exp.func("coalesce", exp.cast(value.copy(), "VARCHAR"), literal("null")))
        return self.template.mark(call(self.catalog, "signature_value", value.copy()))

    def _struct(self, values: Mapping[str, exp.Expr]) -> str:
        """Write values of the metric at a place as one value."""
        query = exp.select(*(value.copy().as_(name) for name, value in values.items()))
        for column in query.find_all(exp.Column):
            if column.name in KINDS:
                column.this.set("this", f"{column.name}_{PLACE}")
        pairs = {p.alias: p.unalias() for p in cast("exp.Select", hidden(query)).selects}
        parts = [exp.PropertyEQ(this=exp.to_identifier(n), expression=v) for n, v in pairs.items()]
        return self.template.text(exp.Struct(expressions=parts))


def _one_system(projection: exp.Expr) -> exp.Expr | None:
    """Return a projection where there is one system; None for a column that is read only to name systems."""
    if projection.alias == "system" and isinstance(projection.unalias(), exp.Case):
        return literal(ONE_SYSTEM).as_("system")
    return None if projection.alias.startswith("system") else projection


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
