"""A call of a ranking macro: its arguments as conditions and values, its tables, its text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.measure import AGGREGATION, CUTOFF, DEFAULT_AGGREGATION
from duckmetrics.compose.composer import tables_of
from duckmetrics.compose.functions import linked
from duckmetrics.compose.optimizer import SHALLOW
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.ranking import MEANINGS, OF_COLUMNS, table_of
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.shell.forms import KINDS, SOME_CUTOFF, USUAL, Composed
from duckmetrics.shell.forms import SHALLOW as SHALLOW_FORM
from duckmetrics.shell.macro import (
    BY_RANK,
    FUNCTIONS,
    HIDDEN,
    QUERY,
    TYPES,
    Argument,
    by_rank,
    call,
    concatenated,
    given,
    hidden,
    is_distinct,
    is_null,
    query_of,
    reference,
    source,
)
from duckmetrics.shell.query import (
    JUDGED,
    METRICS,
    NAMES_RUNS,
    SOURCE,
    SYSTEM,
    advise,
    asks_for,
    of_one_system,
    refuse_other_kinds,
    shown,
)
from duckmetrics.shell.template import either, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Role
    from duckmetrics.shell.forms import AskedMetrics, Entry, Form
    from duckmetrics.shell.own_columns import OwnColumns
    from duckmetrics.shell.parameters import Offer, OfferedMetric
    from duckmetrics.shell.template import Part, Template


COLUMNS = {
    "item_id": "the column of the item, in every table",
    "category": "the column of the items with the category, or a list of categories",
    "vector": "the column of the items with the vector, a list of numbers",
}
# The files that read TREC files of a table.
READERS: dict[Role, str] = {HISTORY: "read_trec_qrels", REFERENCE: "read_trec_run"}
# What stands for the catalogue if there is none.
OF_HISTORY = f"{MEANINGS[ITEMS]}; by default the items of the history"
FOR_ITEMS = f"{MEANINGS[HISTORY]}, whose items stand for the catalogue if that is not given"
OR_HISTORY = f"{MEANINGS[ITEMS]}, or else give {HISTORY} := ..."


@dataclass(frozen=True)
class SideTable:
    """The tables next to predictions and truth that one metric reads.

    Attributes:
        measure: the metric, with the defaults of its parameters.
        names: its names in a list of metrics.
        values: the parameters of the metric, whose names a parameter for a column cannot have, with an
            expression for the value of each in a call.
    """

    catalog: Catalog
    measure: Measure
    names: Sequence[str]
    values: Mapping[str, exp.Expr]

    @property
    def metric(self) -> Definition:
        return self.measure.metric

    @property
    def renamed(self) -> dict[str, str]:
        """The parameters for columns that have another name than the column: column -> parameter."""
        return {name: f"{name}_column" for name in self.values}

    @cached_property
    def inputs(self) -> list[str]:
        """The inputs that these tables hold: those of the metric, and the rows of its tables for checks."""
        known = {*self.metric.inputs, *(table_of(name) for name in self.metric.inputs)}
        return [name for name in (*MEANINGS, *OF_COLUMNS) if name in known]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The parameters for the tables."""
        told = {name: Argument(name, is_needed=True, meanings={"": MEANINGS[name]}) for name in self._tables}
        if self.is_of_history(ITEMS):
            has_history = HISTORY in told
            meaning = OF_HISTORY if has_history else OR_HISTORY
            told[ITEMS] = Argument(ITEMS, is_needed=not has_history, meanings={"": meaning})
            told.setdefault(HISTORY, Argument(HISTORY, meanings={"": FOR_ITEMS}))
        return tuple(told[name] for name in MEANINGS if name in told)

    def columns(self, shared: Sequence[Argument]) -> tuple[Argument, ...]:
        """Return the parameters for columns: those of predictions and truth, and those of these tables."""
        own = (Argument(column, column) for name, column in OF_COLUMNS.items() if name in self.inputs)
        known = (
            replace(a, meanings={"": COLUMNS[a.name]}) if a.name in COLUMNS else a for a in (*shared, *own)
        )
        return tuple(replace(a, name=self.renamed.get(a.name, a.name)) for a in known)

    @property
    def _tables(self) -> list[Role]:
        """The tables that hold the inputs."""
        return [name for name in MEANINGS if name in self.inputs]

    def is_of_history(self, name: str) -> bool:
        """Return whether the items of the history stand for a table that is not given."""
        return name == ITEMS and ITEMS in self.inputs and not {*OF_COLUMNS} & {*self.inputs}

    @cached_property
    def without_catalog(self) -> list[dict[str, Value]]:
        """The values of parameters under which the metric reads no catalogue, of those that decide it."""
        options = {p.name: p.choices for p in self.metric.own_params.values() if p.choices}
        every = [dict(zip(options, chosen, strict=True)) for chosen in product(*options.values())]
        read = {tuple(v.items()): self._reads_catalog(v) for v in every}
        decisive = [
            name for name, choices in options.items()
            if any(len({read[tuple({**v, name: choice}.items())] for choice in choices}) > 1 for v in every)
        ]  # fmt: skip
        found = ({n: v[n] for n in decisive} for v in every if not read[tuple(v.items())])
        return [*{tuple(values.items()): values for values in found}.values()]

    def _reads_catalog(self, values: Mapping[str, Value]) -> bool:
        return ITEMS in tables_of(self.catalog, self.measure.bound(**values))


class SideTables:
    """The tables next to predictions and truth that some metrics read, each only where it is asked for.

    Args:
        tables: those of each entry of the metrics that can be asked for.
        shared: the parameters for columns of predictions and truth.
    """

    def __init__(self, catalog: Catalog, tables: Sequence[SideTable], shared: Sequence[Argument]) -> None:
        self.catalog, self.tables = catalog, tables
        known = (*shared, *(Argument(column, column) for column in OF_COLUMNS.values()))
        # A metric may have a parameter with the name of a column.
        self.renamed = {
            a.name: f"{a.name}_column" for a in known if any(a.name in one.values for one in tables)
        }
        self.columns = tuple(replace(a, name=self.renamed.get(a.name, a.name)) for a in known)

    def advised(self, mark: Callable[[exp.Expr], str]) -> dict[str, str]:
        """Return the names of the parameters for columns, as the macro of the metric asked for has them."""
        found = {}
        for column, name in self.renamed.items():
            is_taken = self._asks_for([one for one in self.tables if column in one.values])
            found[column] = mark(exp.Case().when(is_taken, literal(name)).else_(literal(column)))
        return found

    def needed(self, name: str) -> list[bool]:
        """Return for each entry whether it has an input; all have those of predictions and truth."""
        is_side = name in (*MEANINGS, *OF_COLUMNS)
        return [not is_side or name in one.inputs for one in self.tables]

    def steps(self, advised: Mapping[str, str]) -> Iterator[tuple[str, exp.Query, list[bool]]]:
        """Yield the steps that read the tables, with canonical names of columns, and who needs each.

        Args:
            advised: column -> the parameter that messages name.
        """
        for name in (*MEANINGS, *OF_COLUMNS):
            for of_history in (False, True) if name == ITEMS else (False,):
                needed = [name in one.inputs and one.is_of_history(name) == of_history for one in self.tables]
                if any(needed):
                    query = self._of_reference() if name == REFERENCE else self._of_file(name)
                    # Without a catalogue, the rows are those of the history, with an item many times.
                    query = cast("exp.Select", query).distinct() if of_history else query
                    refuse_other_kinds(
                        self.catalog, cast("exp.Select", query), table_of(name), JUDGED, "truth"
                    )
                    advise(query, advised)
                    yield name, query, needed

    def problems(self) -> Iterator[tuple[exp.Query, list[bool]]]:
        """Yield the queries of tables without rows, and the metrics that need each."""
        for name in MEANINGS:
            needed = [name in one.inputs for one in self.tables]
            if any(needed):
                rows = exp.Table(this=exp.Anonymous(this=QUERY, expressions=[self._source(name)]))
                some = exp.Exists(this=exp.select("1").from_(rows))
                text = literal(f"{name}: no rows; check how it was exported")
                yield exp.select(text.as_("problem")).where(exp.not_(some)), needed

    def _of_file(self, name: str) -> exp.Query:
        """Return the query of an input that has a file under sql/macros."""
        columns = {column: reference(known) for column, known in self.renamed.items()}
        return query_of(self.catalog, name, {SOURCE: self._source(table_of(name)), **columns})

    def _of_reference(self) -> exp.Query:
        """Return the query of the reference run, which is read as predictions are."""
        values = {SOURCE: self._source(REFERENCE), SYSTEM: exp.null(), NAMES_RUNS: exp.false()}
        run = of_one_system(query_of(self.catalog, "predictions", values))
        for text in list(run.find_all(exp.Literal)):
            if text.is_string:
                text.set("this", text.this.replace("predictions: ", f"{REFERENCE}: "))
        return exp.select("query_id", "item_id", "score").from_(run.subquery("run"))

    def _source(self, name: Role) -> exp.Expr:
        """Return SQL text that reads a table; a missing one is an error where a metric asked for needs it.

        Without a catalogue, the items of the history stand for it where a metric does not read more of it, or
        the predictions if it reads no catalogue at all.
        """
        given: exp.Expr = reference(name)
        reader = READERS.get(name)
        of_history = [one for one in self.tables if one.is_of_history(name)]
        if of_history:
            reader = READERS[HISTORY]
            either = exp.func("coalesce", reference(ITEMS), reference(HISTORY))
            given = exp.Case().when(self._asks_for(of_history), either).else_(given)
            for one in of_history:
                for values in () if HISTORY in one.inputs else one.without_catalog:
                    same = (
                        exp.EQ(this=one.values[n].copy(), expression=literal(v)) for n, v in values.items()
                    )
                    unread = exp.and_(is_null(either.copy()), self._asks_for([one]), *same)
                    given = exp.Case().when(unread, reference("predictions")).else_(given)
        needing = [one for one in self.tables if name in {table_of(read) for read in one.inputs}]
        advice = exp.Case()
        for column in OF_COLUMNS.values() if name == ITEMS else ():
            reading = [one for one in needing if any(OF_COLUMNS.get(read) == column for read in one.inputs)]
            if reading:
                advice = advice.when(self._asks_for(reading), literal(f" with {column}"), copy=False)
        usual = literal(f", such as {name} := '{name}'")
        asked = call(self.catalog, "asked_metrics", reference(METRICS))
        metric = exp.Anonymous(this="list_extract", expressions=[asked, literal(1)])
        text = concatenated(
            "duckmetrics: ", call(self.catalog, "metric_name", metric),
            f": needs {name} := ..., {MEANINGS[name]}; give a table",
            advice.else_(usual) if advice.args.get("ifs") else usual,
        )  # fmt: skip
        refused = exp.Anonymous(this="error", expressions=[text])
        is_missing = exp.and_(self._asks_for(needing), is_null(given))
        found = exp.Case().when(is_missing, refused).when(is_null(given.copy()), literal(""))
        return found.else_(source(self.catalog, given.copy(), reader))

    def _asks_for(self, tables: Sequence[SideTable]) -> exp.Expr:
        """Return the condition that the metric of one of some tables is asked for."""
        return asks_for(self.catalog, reference(METRICS), [name for one in tables for name in one.names])


BY, QUERIES, LIKE = "by", "queries", "like"


class RankingCall:
    """The arguments of a ranking macro, and the metrics that it offers.

    Args:
        offer: the parameters of the metrics.
        entries: the metrics that can be asked for.
        asked_for: the metrics asked for.
        arguments: the parameters of the macro.
        own: the columns that only metrics of users read.
        side: the tables next to predictions and truth, if the macro reads any.
    """

    def __init__(
        self,
        catalog: Catalog,
        offer: Offer,
        entries: Sequence[Entry],
        asked_for: AskedMetrics,
        arguments: Sequence[Argument],
        own: OwnColumns,
        side: SideTables | None = None,
    ) -> None:
        self.catalog, self.offer, self.entries, self.asked_for = catalog, offer, entries, asked_for
        self.arguments, self.own, self.side, self.values = arguments, own, side, offer.values()
        self.offered = list(dict.fromkeys(entry.asked for entry in entries))
        self._composed: dict[Form, Composed] = {}

    def composed(self, form: Form) -> Composed:
        """Return the metrics composed in a form."""
        if form not in self._composed:
            self._composed[form] = Composed(self.catalog, self.entries, form)
        return self._composed[form]

    def closed(self, write: Callable[[Form], list[Part]]) -> list[Part]:
        """Return what is written for the closed forms, where conditions choose between them."""
        found = (
            [
                either(self.has_systems, *texts)
                for texts in zip(write(form), write(replace(form, has_systems=False)), strict=True)
            ]
            for form in (SHALLOW_FORM, USUAL)
        )
        return merged(self.is_shallow, *found)

    @property
    def slices(self) -> exp.Expr:
        """The columns by which results are split, a list."""
        return call(self.catalog, "slice_names", reference(BY))

    @property
    def has_systems(self) -> exp.Expr:
        return exp.not_(is_null(reference(SYSTEM)))

    @property
    def has_slices(self) -> exp.Expr:
        text = exp.func("coalesce", exp.cast(reference(BY), "VARCHAR"), literal(""))
        names = exp.Anonymous(this="trim", expressions=[text, literal("[] ")])
        return exp.NEQ(this=names, expression=literal(""))

    @property
    def takes_weight(self) -> bool:
        """Whether queries may have weights."""
        return any(argument.name == WEIGHT for argument in self.arguments)

    @property
    def has_weight(self) -> exp.Expr:
        return exp.not_(is_null(reference(WEIGHT))) if self.takes_weight else exp.false()

    @property
    def is_mean(self) -> exp.Expr:
        """The condition that all metrics asked for are means over the queries."""
        given_ = exp.EQ(
            this=exp.cast(reference(AGGREGATION), "VARCHAR"), expression=literal(DEFAULT_AGGREGATION)
        )
        others = [n for one in self.offered if one.agg not in (None, DEFAULT_AGGREGATION) for n in one.names]
        return exp.and_(given_, exp.not_(self.asks_for(others))) if others else given_

    @property
    def is_changed(self) -> exp.Expr:
        """The condition that a switch is set."""
        return self._changed(name for name in self.offer.variants if name != CUTOFF)

    @property
    def follows(self) -> exp.Expr:
        """The condition that a tool is named."""
        return exp.not_(is_null(reference(LIKE)))

    @property
    def lenient(self) -> exp.Expr | None:
        """The condition that a tool set the switches, if the macro can follow one."""
        return self.follows if any(argument.name == LIKE for argument in self.arguments) else None

    @property
    def is_open(self) -> exp.Expr:
        """The condition that a switch is set that changes the steps."""
        closed = {name for entry in self.entries for name in entry.closed}
        return self._changed(name for name in self.offer.variants if name in closed)

    def _changed(self, names: Iterable[str]) -> exp.Expr:
        """Return the condition that one of some arguments is not its default."""
        known = {a.name: a for a in self.arguments}
        chosen_ = [known[name] for name in names if name in known]
        if not chosen_:
            return exp.false()
        # One cast of a row: DuckDB takes its time over each cast, and the condition stands at many places.
        rows = ([reference(a.name) for a in chosen_], [literal(a.default) for a in chosen_])
        texts = (exp.cast(exp.Anonymous(this="row", expressions=row), "VARCHAR") for row in rows)
        return is_distinct(*texts)

    @property
    def is_shallow(self) -> exp.Expr:
        """The condition that few ranks of each query are looked at."""
        return exp.func("coalesce", exp.LTE(this=self.depth, expression=literal(SHALLOW)), exp.false())

    @cached_property
    def depth(self) -> exp.Expr:
        """The deepest rank that a metric asked for looks at; NULL for all ranks."""
        unlimited: dict[exp.Expr, list[str]] = {}
        for one in self.offered:
            text = one.measure.metric.header.get("depth")
            if text not in (CUTOFF, None):
                tree = bind(sqlglot.parse_one(str(text), dialect=DIALECT), one.measure.values, exp.Column)
                unlimited.setdefault(tree, []).extend(one.names)
        deeper: list[exp.Expr] = []
        for tree, names in unlimited.items():
            # With any cut-off, the depth is NULL where the metric looks at all ranks.
            is_unlimited = is_null(given(exp.paren(tree.copy()), {**self.values, CUTOFF: literal(1)}))
            deeper.append(exp.and_(self.asks_for(names), is_unlimited))
        deepest = self.asked_for.deepest
        return exp.Case().when(exp.or_(*deeper), exp.null()).else_(deepest) if deeper else deepest

    def asks_for(self, names: Sequence[str]) -> exp.Expr:
        """Return the condition that one of some metrics is asked for."""
        return asks_for(self.catalog, self.asked_for.metrics, names)

    def flags(self, offered: Sequence[OfferedMetric]) -> list[bool]:
        """Return for each entry whether its metric is one of some."""
        metrics = [one.measure.metric for one in offered]
        return [entry.asked.measure.metric in metrics for entry in self.entries]

    def only(self, measures: Sequence[Measure]) -> exp.Expr | None:
        """Return the condition that one of some measures is asked for, None if it always holds."""
        metrics = {(m.metric.name, m.text) for m in measures}
        concerned = [o for o in self.offered if (o.measure.metric.name, o.measure.text) in metrics]
        if len(concerned) == len(self.offered):
            return None
        return self.asks_for([name for one in concerned for name in one.names])


DEPTH = "depth"
# Marks in texts, which stand for parts that belong to the metrics asked for.
METRIC, PLACE, OF_METRICS, K = "__metric__", "__place__", "__of_metrics__", "__k__"


class RankingText:
    """Writes pieces of a query into a template.

    Args:
        of: the metrics, and the conditions on the arguments.
    """

    def __init__(self, of: RankingCall, template: Template) -> None:
        self.of, self.catalog, self.template = of, of.catalog, template
        # The columns of the results, which no slicing column may be called.
        self.reserved: exp.Expr = exp.Array(expressions=[literal(name) for name in RESERVED])
        self._values: dict[str, str] = {}
        self.params = {v.symbol: v.param for vs in of.offer.variants.values() for v in vs}
        self.values: dict[str, exp.Expr] = {
            **{symbol: self._switch(symbol) for symbol in of.values if symbol != CUTOFF},
            DEPTH: exp.cast(self.number(of.depth), "INT"), BY_RANK: by_rank(self.catalog),
            METRICS: template.quoted(exp.cast(of.asked_for.metrics, "VARCHAR")),
        }  # fmt: skip

    def _switch(self, symbol: str) -> exp.Expr:
        """Return the value of a switch as the query reads it: the argument, cast to its type.

        The text for the argument is the same wherever the query reads it: DuckDB binds it once.
        """
        type_, given_ = TYPES[self.params[symbol].type], self.of.offer.values()[symbol]
        read = given_.this if isinstance(given_, exp.TryCast) else given_
        if isinstance(read, exp.Var):
            return read.copy() if type_ == "VARCHAR" else given_.copy()
        return self.template.quoted(self.of.values[symbol].copy(), "" if type_ == "VARCHAR" else type_)

    def number(self, value: exp.Expr) -> exp.Expr:
        """Return the mark of a number or NULL."""
        return self.template.raw(exp.func("coalesce", exp.cast(value.copy(), "VARCHAR"), literal("NULL")))

    def text(self, tree: exp.Expr) -> str:
        """Write a query with hidden names."""
        bound = cast("exp.Query", given(tree.copy(), self.values))
        calling, _ = linked(self.catalog, bound, FUNCTIONS)
        text = self._with_values(self.template.text(hidden(steady(given(calling, {})))))
        if str(SOME_CUTOFF) in text:
            text = text.replace(str(SOME_CUTOFF), self.number(self.of.asked_for.largest).name)
        return text

    def cte(self, name: str, query: exp.Expr) -> str:
        """Write a step."""
        return f"{HIDDEN}{name} AS ({self.text(query)})"

    def columns(self, columns: Mapping[str, exp.Expr]) -> str:
        """Write columns of one metric; its cut-off and place are put in when the macro is called."""
        if not columns:
            return ""
        query = exp.select(*(value.copy().as_(f"{name}_{PLACE}") for name, value in columns.items()))
        calling, _ = linked(self.catalog, cast("exp.Query", given(query, self.values)), FUNCTIONS)
        text = self.template.text(hidden(steady(given(calling, {})))).removeprefix("SELECT ")
        return text.replace(str(SOME_CUTOFF), K)

    def of_metrics(self, text: str, pieces: Sequence[str]) -> list[str]:
        """Return a text with pieces of the metrics asked for at its mark.

        Args:
            pieces: a text for every entry, empty for none; or one text for all of them.
        """
        before, after = text.split(OF_METRICS)
        if not any(pieces):
            return [before.rstrip().removesuffix(","), after]
        every = pieces if len(pieces) > 1 else [*pieces] * len(self.of.entries)
        return [before, self.template.piece(every), after]

    def shell(self, name: str, **values: exp.Expr) -> exp.Query:
        """Return the query of a file under sql/macros, with defaults for parameters that the macro lacks."""
        taken = {argument.name for argument in self.of.arguments}
        declared = self.catalog.shell[name].own_params.values()
        absent = {p.name: literal(p.default) for p in declared if not p.required and p.name not in taken}
        return query_of(self.catalog, name, {**absent, **self.values, **values})

    def shown(self, query: exp.Select) -> str:
        """Write the last part of a query, whose columns have the names that people see."""
        bound = given(query.copy(), self.values)
        return self._with_values(self.template.text(shown(cast("exp.Query", hidden(bound)))))

    def of_each(self, values: Mapping[str, exp.Expr]) -> exp.Expr:
        """Return a projection that lists values of the metrics asked for, with their places, as rows."""
        mark = f"__values_{len(self._values)}__"
        self._values[mark] = self.template.of_each(self.struct({"place": exp.var(PLACE), **values}))
        return exp.var(f"unnest([{mark}], recursive := true)")

    def _with_values(self, text: str) -> str:
        """Put the texts of `of_each` in the place of their marks."""
        for mark, values in self._values.items():
            text = text.replace(mark, values)
        return text

    def struct(self, values: Mapping[str, exp.Expr]) -> str:
        """Write values of the metric at a place as one value."""
        query = exp.select(*(value.copy().as_(name) for name, value in values.items()))
        for column in query.find_all(exp.Column):
            if column.name in KINDS:
                column.this.set("this", f"{column.name}_{PLACE}")
        pairs = {p.alias: p.unalias() for p in cast("exp.Select", hidden(steady(query))).selects}
        parts = [exp.PropertyEQ(this=exp.to_identifier(n), expression=v) for n, v in pairs.items()]
        return self.template.text(exp.Struct(expressions=parts))

    @property
    def label(self) -> exp.Expr:
        """The columns by which results are split, as the column `slice` shows them."""
        return call(self.catalog, "slice_label", self.of.slices, self.reserved.copy())


def steady(query: exp.Expr) -> exp.Expr:
    """Write sums and means that keep their last digits when threads add the rows in another order, in place.

    The functions compensate for rounding (Kahan, "Further remarks on reducing truncation errors", 1965).
    """
    for node in list(query.find_all(exp.Sum, exp.Avg)):
        if not isinstance(node.parent, exp.Window) and not node.find_ancestor(exp.AggFunc):
            name = "fsum" if isinstance(node, exp.Sum) else "favg"
            node.replace(exp.Anonymous(this=name, expressions=[node.this]))
    return query
