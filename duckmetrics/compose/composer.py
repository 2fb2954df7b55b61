"""Composition: many measures, one query, every shared step computed once, and the policies of a query.

A metric file reads relations; a relation file reads relations and inputs. `Composer` binds each
file to the parameters of a measure and keeps the outcome as a named step. Two measures that need
the same relation under the same parameters arrive at the same SQL text, and so share the step.
Metrics that aggregate the same step by the same columns become one aggregate, side by side.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, MULTICLASS, POLICIES, RANKING, Definition
from duckmetrics.compose.optimizer import SORTED, constants_of, depth_of, drop, prune, without
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import Value, bind, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure

    Relation = Callable[[str, Mapping[str, Value]], str]

# The columns that a metric of each family is grouped by.
_OF_ROWS = (CLASSIFICATION, MULTICLASS)
KEYS = {RANKING: ("system", "query_id"), **dict.fromkeys(_OF_ROWS, ("system", "segment"))}


@dataclass(frozen=True)
class Columns:
    """The columns of the per-query table that belong to one measure."""

    value: str
    no_relevant: str
    undefined: str


@dataclass
class AggregateBlock:
    """One aggregate over one step: the metrics that read it, side by side."""

    name: str
    source: exp.Select
    keys: dict[str, exp.Expr]
    columns: dict[str, exp.Expr] = field(default_factory=dict)

    def add(self, value: exp.Expr, name: str = "") -> str:
        """Add a projection, unless it is there already, and return its column.

        Args:
            name: the column if it is a new one; by default the next number.
        """
        for column, known in self.columns.items():
            if known == value:
                return column
        column = name or f"v{len(self.columns) + 1}"
        self.columns[column] = value
        return column

    def query(self) -> exp.Select:
        """Return the query of the aggregate: its keys, then its columns."""
        query = self.source.copy()
        keys = (key.copy() for key in self.keys.values())
        query.set("expressions", [*keys, *(v.as_(c) for c, v in self.columns.items())])
        return query


class QueryOfUnits:
    """The outer query: one row per system and query, the measures side by side under their policies.

    Args:
        relation: makes a relation under parameters a step, and returns the name of the step.
        blocks: the aggregates that the measures read; each measure may add some.
    """

    def __init__(self, relation: Relation, blocks: Sequence[AggregateBlock]) -> None:
        self.relation = relation
        self.blocks = blocks
        self._outer = exp.Select()
        self._projections: dict[str, exp.Expr] = {}

    def query(self) -> exp.Select:
        """Return the query of all measures that were added."""
        return self._outer.select(*(e.as_(name) for name, e in self._projections.items()))

    def add(self, family: str, policies: exp.Select, values: Mapping[str, Value], value: exp.Expr) -> Columns:
        """Wrap a metric in population, missing and no_relevant, as `evaluated` defines them.

        Args:
            policies: the query of `evaluated`, bound to the parameters of the measure.
            values: the parameters of the measure.
            value: the metric, as an expression over the columns of the blocks.
        """
        status = cast("exp.Select", policies.args["with_"].expressions[0].this)
        replaced = self._with_value(self._joined(status, values), value)
        columns = {p.alias_or_name: p.unalias() for p in replaced.expressions}
        final = exp.select(*(p.unalias().as_(p.alias_or_name) for p in policies.expressions))
        for column in list(final.find_all(exp.Column)):
            if not column.table and column.name in columns:
                column.replace(exp.paren(columns[column.name]))
        fold(final)
        results = {p.alias_or_name: _stripped(p.unalias()) for p in final.expressions}
        for name in (*KEYS[family], "missing"):
            self._projections.setdefault(name, results[name])
        return Columns(*(self._kept(kind, results[kind]) for kind in ("value", "no_relevant", "undefined")))

    def _joined(self, status: exp.Select, values: Mapping[str, Value]) -> exp.Select:
        """Add the tables of `status` to the outer query; return it in terms of their aliases."""
        first = status.args["from_"].this.name
        step = self.relation(first, values)
        if self._outer.args.get("from_") is None:
            self._outer.set("from_", exp.From(this=_table(step, first)))
            step = first
        aliases = {first: step}
        for join in status.args["joins"]:
            name = join.this.name
            if name != "metric":
                aliases[name] = self.relation(name, values)
                self._join(aliases[name], _requalified(join.args["on"], aliases))
        for block in self.blocks:
            self._join(
                block.name,
                exp.and_(
                    *(
                        exp.EQ(this=exp.column(key, block.name), expression=exp.column(key, first))
                        for key in block.keys
                    )
                ),
            )
        return cast("exp.Select", _requalified(status, aliases))

    def _join(self, step: str, on: exp.Expr) -> None:
        """Join a step to the outer query, unless it is there already."""
        if step not in {join.alias_or_name for join in self._outer.args.get("joins") or []}:
            self._outer.join(exp.table_(step), on=on, join_type="left", copy=False)

    def _with_value(self, status: exp.Select, value: exp.Expr) -> exp.Select:
        """Put the value of the metric in place of the column that `status` reads, in place."""
        status.set("expressions", [p.unalias().as_(p.alias_or_name) for p in status.expressions])
        for column in list(status.find_all(exp.Column)):
            if column.table == "metric" and column.name == "value":
                column.replace(exp.paren(value))
        return status

    def _kept(self, kind: str, expression: exp.Expr) -> str:
        """Add a projection under a numbered name, unless it is there already; return its name."""
        count = 1
        while (name := f"{kind}_{count}") in self._projections:
            if self._projections[name] == expression:
                return name
            count += 1
        self._projections[name] = expression
        return name


def defined(policies: exp.Select, value: exp.Expr, n: exp.Expr) -> exp.Expr:
    """Return the expression for a value that may be undefined.

    Args:
        policies: the query of `defined`, bound to the parameters of the measure.
        n: the number of rows that take part.
    """
    holder = exp.paren(next(p.unalias() for p in policies.selects if p.alias_or_name == "value"), copy=False)
    for column in list(holder.find_all(exp.Column)):
        column.replace(exp.paren({"value": value, "n": n}[column.name].copy()))
    return _stripped(fold(holder))


def _stripped(expression: exp.Expr) -> exp.Expr:
    while isinstance(expression, exp.Paren):
        expression = expression.this
    for paren in list(expression.find_all(exp.Paren)):
        inner = paren.this
        operand = isinstance(paren.parent, exp.Binary | exp.Unary | exp.Is | exp.In)
        if (
            not operand
            or not isinstance(inner, exp.Binary | exp.Unary | exp.Is | exp.In)
            or isinstance(inner, exp.Paren)
        ):
            paren.replace(inner)
    return expression


def _requalified(node: exp.Expr, aliases: Mapping[str, str]) -> exp.Expr:
    node = node.copy()
    for column in node.find_all(exp.Column):
        if column.table in aliases:
            column.set("table", exp.to_identifier(aliases[column.table]))
    return node


def _table(name: str, alias: str) -> exp.Expr:
    return exp.table_(name, alias=None if name == alias else alias)


# Expressions that cost nothing, however often they are written.
PLAIN = (exp.Column, exp.Literal, exp.Null)
# Expressions whose operands need parentheses.
OPERATORS = (exp.Binary, exp.Unary, exp.Is)


def step_read_by(select: exp.Select) -> str | None:
    """Return the name of the one step that a query reads; None if it joins several."""
    source = select.args.get("from_")
    if source is None or select.args.get("joins") or not isinstance(source.this, exp.Table):
        return None
    return str(source.this.name)


def inline(select: exp.Select, step: exp.Query | None) -> None:
    """Write what a step computes into the query that reads it, in place.

    An expression that is read more than once stays in the step, and so does all that a query inside reads.
    A constant never does.

    Args:
        step: the query of the one step that is read; None if it must stay as it is.
    """
    if not isinstance(step, exp.Select) or not _is_projection(step):
        return
    expressions = {p.alias_or_name: p.unalias() for p in step.expressions}
    for projection in select.expressions:
        if isinstance(projection, exp.Column):
            projection.replace(projection.as_(projection.name))
    columns, inside = _columns_of(select)
    is_read_inside = select.args["from_"].this.alias_or_name in {column.table for column in inside}
    whole = not is_read_inside and not _is_any_repeated(columns, expressions)
    if not whole:
        expressions = {n: e for n, e in expressions.items() if isinstance(e, exp.Literal | exp.Null)}
    for column in columns:
        if column.name in expressions:
            _replace(column, expressions[column.name].copy())
    if whole:
        select.set("from_", step.args["from_"].copy())
    fold(select)
    select.set("expressions", [_unaliased(p) for p in select.expressions])


def _columns_of(select: exp.Select) -> tuple[list[exp.Column], list[exp.Column]]:
    """Return the columns of a query, and those of the queries inside it."""
    own: list[exp.Column] = []
    inside: list[exp.Column] = []
    for column in select.find_all(exp.Column):
        (own if column.find_ancestor(exp.Select) is select else inside).append(column)
    return own, inside


def _is_any_repeated(columns: Sequence[exp.Column], expressions: dict[str, exp.Expr]) -> bool:
    """Return whether an expression that costs something would be written twice.

    DuckDB repeats the argument of a macro wherever its body reads it, so an argument always counts.
    """
    costly = [c for c in columns if not isinstance(expressions.get(c.name, c), PLAIN)]
    uses = Counter(c.name for c in costly)
    return max(uses.values(), default=0) > 1 or any(c.find_ancestor(exp.Anonymous) for c in costly)


def _replace(column: exp.Column, expression: exp.Expr) -> None:
    """Put an expression in place of a column, in parentheses where it is an operand."""
    if isinstance(column.parent, OPERATORS) and isinstance(expression, exp.Binary):
        expression = exp.paren(expression)
    column.replace(expression)


def _is_projection(query: exp.Select) -> bool:
    """Return whether a query only computes columns, row by row, from one table."""
    clauses = {name for name, value in query.args.items() if value}
    source = query.args.get("from_")
    return (
        clauses <= {"expressions", "from_"}
        and source is not None
        and isinstance(source.this, exp.Table)
        and isinstance(source.this.this, exp.Identifier)
        and not query.find(exp.Window, exp.AggFunc)
        # A star that leaves columns out, or replaces them, names none of those that it changes.
        and not any(value for star in query.find_all(exp.Star) for value in star.args.values())
    )


def _unaliased(projection: exp.Expr) -> exp.Expr:
    """Write ``x AS x`` as ``x``."""
    inner = projection.unalias()
    plain = isinstance(inner, exp.Column) and inner.name == projection.alias
    return inner if plain else projection


def drop_constants(select: exp.Select, steps: Mapping[str, exp.Query]) -> None:
    """Drop columns that are constants in the steps that are read from GROUP BY and PARTITION BY, in place."""
    joins = [select.args.get("from_"), *(select.args.get("joins") or [])]
    read = [steps.get(clause.this.name) for clause in joins if clause is not None]
    constants: dict[str, Value] = {}
    varying: set[str] = set()
    for step in read:
        if step is None:
            return
        found = constants_of(step)
        constants |= found
        varying |= {name for name in step.named_selects if name not in found}
    kept = {name: value for name, value in constants.items() if name not in varying}
    if kept:
        drop(select, kept)


# Families whose relations may have the grain of a metric already, so that no grouping is needed.
UNGROUPED = _OF_ROWS
Binding = tuple[Path, tuple[tuple[str, Value], ...]]


class Composer:
    """Builds the query of several measures from the files of a catalog.

    Args:
        catalog: the definitions.
        inputs: canonical queries by input name; an input that is not listed is left as a table
            of that name. A relation of the same name is replaced by the input.
        constants: the columns that are the same in every row, as the system is when there is one,
            with their value; they are not needed to distinguish rows.
        facts: the known facts about the inputs, as values of parameters: by_rank.
    """

    def __init__(
        self,
        catalog: Catalog,
        inputs: Mapping[str, exp.Query] | None = None,
        constants: Mapping[str, Value] | None = None,
        facts: Mapping[str, Value] | None = None,
    ) -> None:
        self.catalog = catalog
        self.inputs = dict(inputs or {})
        self.constants = dict(constants or {})
        self.facts = dict(facts or {})
        self.steps: dict[str, exp.Query] = {}
        self.blocks: list[AggregateBlock] = []
        self._names: dict[str, str] = {}
        self._relations: dict[Binding, str] = {}
        self._grains: dict[str, tuple[str, ...]] = {}
        self._values: dict[tuple[Path, tuple[tuple[str, Value], ...], str], exp.Expr | None] = {}

    def per_query(self, measures: Sequence[Measure], plan: str = SORTED) -> tuple[exp.Select, list[Columns]]:
        """Return the query of one row per system and query, and the columns of each measure.

        Args:
            plan: how the ranks are found, see `optimizer.ranking_plan`.
        """
        query, names = self.values_per_query(measures, plan)
        return self.assemble(query), names

    def values_per_query(
        self, measures: Sequence[Measure], plan: str, *, all_ranks: bool = False
    ) -> tuple[exp.Select, list[Columns]]:
        """Return the query that `per_query` assembles, perhaps with the ranks below cut-offs, and columns."""
        depth = None if all_ranks else depth_of(measures)
        outer = QueryOfUnits(self.relation, self.blocks)
        names: list[Columns] = []
        for measure in measures:
            values: dict[str, Value] = {**measure.values, "depth": depth, "plan": plan}
            known, policies = self._policies(measure.metric, values)
            value = self._value(measure.metric, values)
            if measure.metric.is_own:  # which may count, or multiply by a literal, which is a DECIMAL
                value = exp.cast(value, "DOUBLE")
            names.append(outer.add(measure.family, policies, known, value))
        return outer.query(), names

    def assemble(self, query: exp.Select) -> exp.Select:
        """Write the whole query once all values are known: blocks, pruning, steps in front."""
        self.settle()
        needed = _steps_of(query, self.steps)
        self.steps = {n: s.copy() for n, s in self.steps.items() if n in needed}
        computed = {n: s for n, s in self.steps.items() if n not in self.inputs}
        prune(computed, query, self._grains)
        return self.complete(query)

    def settle(self) -> None:
        """Make a step of each block that is known so far, so that later steps can read it."""
        for block in self.blocks:
            self.steps[block.name] = block.query()

    def complete(self, query: exp.Query) -> exp.Select:
        """Put the steps that a query needs in front of it, in the order they build on each other."""
        whole = cast("exp.Select", query.copy())
        needed = _steps_of(query, self.steps)
        for name, step in self.steps.items():
            if name in needed:
                scanned_again = False if name in self.inputs else None
                whole = whole.with_(
                    name, as_=self._final(step), materialized=scanned_again, dialect=DIALECT, copy=False
                )
        return cast("exp.Select", with_directions(self._final(whole)))

    def relation(self, name: str, values: Mapping[str, Value]) -> str:
        """Make a relation under these parameters a step and return the step's name."""
        if name in self.inputs or name not in self.catalog.relations:
            return self._input(name)
        definition = self.catalog.relations[name]
        binding = self.binding(definition, values)
        if binding not in self._relations:
            step = self.step(name, self.resolved(definition, values))
            self._relations[binding] = step
            self._grains[step] = definition.grain
        return self._relations[binding]

    def stand_in(self, name: str, values: Mapping[str, Value], other: str) -> None:
        """Let another relation, or an input, stand for a relation under these parameters."""
        self._relations[self.binding(self.catalog.relations[name], values)] = self.relation(other, values)

    def binding(self, definition: Definition, values: Mapping[str, Value]) -> Binding:
        """Return a key that is equal for equal queries of a definition: the values of its parameters."""
        used = self.catalog.placeholders(definition)
        return definition.path, tuple((name, values[name]) for name in sorted(used & values.keys()))

    def known(self, definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return the values, with the defaults of the file if a parameter has no value."""
        known = {**self.facts, **values}
        if not self.catalog.placeholders(definition) <= known.keys():
            declared = {**definition.own_params, **definition.switches}
            known = {name: param.default for name, param in declared.items()} | known
        return known

    def resolved(self, definition: Definition, values: Mapping[str, Value]) -> exp.Query:
        """Bind a file to parameters; its tables become steps, its own CTEs too."""
        known = self.known(definition, values)
        return self.resolved_query(cast("exp.Query", bind(definition.query, known)), known)

    def resolved_query(self, query: exp.Query, known: Mapping[str, Value]) -> exp.Query:
        """Make the tables and CTEs of a bound query steps, in place."""
        local: dict[str, str] = {}
        with_ = query.args.get("with_")
        if with_ is not None and with_.args.get("recursive"):
            return self._linked(query, known, {cte.alias: cte.alias for cte in query.ctes})
        ctes = query.ctes
        query.set("with_", None)
        for cte in ctes:
            step = self._linked(cast("exp.Query", cte.this.pop()), known, local)
            local[cte.alias] = self.step(cte.alias, step)
        return self._linked(query, known, local)

    def linked(self, query: exp.Query, values: Mapping[str, Value]) -> exp.Query:
        """Make steps of the tables that a query of no file reads."""
        return self._linked(query.copy(), values, {})

    def _linked(self, query: exp.Query, values: Mapping[str, Value], local: Mapping[str, str]) -> exp.Query:
        """Replace the tables that a query reads by the steps they mean."""
        found = list(query.find_all(exp.Table, exp.Select))
        for table in found:
            if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
                continue
            name = table.name
            step = local[name] if name in local else self.relation(name, values)
            if step != name:
                table.replace(exp.table_(step, alias=table.alias or name))
        for select in found:
            if isinstance(select, exp.Select) and not (
                query.args.get("with_") and _read_from(select) in local
            ):
                read = step_read_by(select)
                inline(select, None if read is None or read in self.inputs else self.steps.get(read))
                drop_constants(select, {**self.inputs, **self.steps})
        return query

    def step(self, name: str, query: exp.Query) -> str:
        """Keep a query as a step of about this name, unless it is there already; return its name."""
        text = query.sql(DIALECT)
        if text not in self._names:
            self._names[text] = self._free(name)
            self.steps[self._names[text]] = query
        return self._names[text]

    def _input(self, name: str) -> str:
        if name in self.inputs and name not in self.steps:
            self.steps[name] = self.inputs[name]
        return name

    def _free(self, name: str) -> str:
        taken = {*self.steps, *self.inputs, *(block.name for block in self.blocks)}
        candidates = (name if i == 1 else f"{name}_{i}" for i in range(1, len(taken) + 2))
        return next(c for c in candidates if c not in taken)

    def value(
        self, metric: Definition, values: Mapping[str, Value], column: str = "value"
    ) -> exp.Expr | None:
        """Return a metric as an expression over block columns, adding what the blocks lack.

        Args:
            column: the projection of the file.

        Returns:
            None if the file has no such projection, or if it is NULL under these parameters.
        """
        binding = (*self.binding(metric, values), column)
        if binding not in self._values:
            self._values[binding] = self._new_value(metric, values, column)
        known = self._values[binding]
        return None if known is None else known.copy()

    def defined(
        self, metric: Definition, values: Mapping[str, Value], value: exp.Expr, n: exp.Expr
    ) -> exp.Expr:
        """Replace a value that is not defined as the relation `defined` says.

        Args:
            n: the number of rows that take part.
        """
        return defined(self._policies(metric, values)[1], value, n)

    def _policies(
        self, metric: Definition, values: Mapping[str, Value]
    ) -> tuple[dict[str, Value], exp.Select]:
        """Bind the file that says which values of a metric count; return its parameters and the query."""
        definition = self.catalog.relations[POLICIES[metric.family]]
        known = self.known(definition, values)
        return known, cast("exp.Select", bind(definition.query, known))

    def _value(self, metric: Definition, values: Mapping[str, Value]) -> exp.Expr:
        value = self.value(metric, values)
        if value is None:
            raise DefinitionError(metric.path, "no column 'value'", "name the result so")
        return value

    def _new_value(self, metric: Definition, values: Mapping[str, Value], column: str) -> exp.Expr | None:
        parts = self.catalog.parts(metric)
        if parts:
            return self._value_of_parts(metric, parts, values, column)
        query = self.resolved(metric, values)
        keys = metric.grain
        if not isinstance(query, exp.Select) or not (query.args.get("group") or metric.family in UNGROUPED):
            raise DefinitionError(metric.path, "no GROUP BY", f"aggregate by {', '.join(keys)}")
        value = next((p.unalias() for p in query.expressions if p.alias_or_name == column), None)
        if value is None or isinstance(value, exp.Null):
            return None
        known = {p.alias_or_name: p for p in query.expressions}
        source = query.copy()
        source.set("expressions", [])
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            name = f"per_{keys[-1].removesuffix('_id')}_of_{_read_from(source)}"
            block = AggregateBlock(self._free(name), source, {key: known[key] for key in keys})
            self.blocks.append(block)
        return exp.column(block.add(value), block.name)

    def values_of_part(
        self, metric: Definition, part: Definition, values: Mapping[str, Value]
    ) -> dict[str, Value]:
        """Return the parameters of a metric that another metric is made of."""
        declared = self.catalog.params(metric)
        plan = {name: value for name, value in values.items() if name not in declared}
        passed = {n: values.get(n, p.default) for n, p in self.catalog.params(part).items()}
        return {**passed, **plan}

    def _value_of_parts(
        self, metric: Definition, parts: Iterable[Definition], values: Mapping[str, Value], column: str
    ) -> exp.Expr | None:
        """Write a metric of other metrics of the same grain as an expression over their values."""
        inner = {part.name: self._value(part, self.values_of_part(metric, part, values)) for part in parts}
        query = cast("exp.Select", bind(metric.query, values))
        value = next((p for p in query.expressions if p.alias_or_name == column), None)
        if value is None:
            return None
        for reference in list(value.find_all(exp.Column)):
            if reference.table in inner and reference.name == "value":
                part_value = inner[reference.table].copy()
                reference.replace(exp.paren(part_value) if isinstance(part_value, exp.Binary) else part_value)
        return cast("exp.Expr", value.unalias())

    def _final(self, step: exp.Query) -> exp.Query:
        return without(step, self.constants) if self.constants else step


def with_directions(query: exp.Query) -> exp.Query:
    """Write ASC out wherever it is meant: a connection may have another default order."""
    for order in query.find_all(exp.Order):
        keys = (k if isinstance(k, exp.Ordered) else exp.Ordered(this=k) for k in order.expressions)
        order.set("expressions", list(keys))
    for key in query.find_all(exp.Ordered):
        key.set("desc", bool(key.args.get("desc")))
    return query


def _steps_of(query: exp.Expr, steps: Mapping[str, exp.Query]) -> set[str]:
    """Return the names of the steps that a query reads, or that these read."""
    needed: set[str] = set()
    pending = [query]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            if table.name in steps and table.name not in needed:
                needed.add(table.name)
                pending.append(steps[table.name])
    return needed


def _read_from(query: exp.Select) -> str:
    """Return the name of the step that a query reads first, empty if there is none."""
    source = query.args.get("from_")
    return str(source.this.name) if source is not None else ""


TRUTH = "truth"
QUERIES, LISTS = "queries", "lists"
# The switches where no table says which items are relevant, and no metric asks: the answered queries count.
WITHOUT_TRUTH = {"population": "predictions"}
# The switches under which queries of the truth count, whatever the metrics ask.
OF_TRUTH = ({"population": "truth"}, {"population": "both"})


def needs_truth(catalog: Catalog, measures: Iterable[Measure]) -> bool:
    """Return whether a value of a measure depends on the relevant items, under its parameters."""
    return truth_reader(catalog, measures) is not None


def truth_reader(catalog: Catalog, measures: Iterable[Measure]) -> str | None:
    """Return the text of the first measure whose value depends on the relevant items; None if none does."""
    return next((measure.text for measure in measures if TRUTH in tables_of(catalog, measure)), None)


def needed_by(catalog: Catalog, measures: Sequence[Measure]) -> dict[str, str]:
    """Map the inputs and relations that values need to the text of the first measure that reads them.

    Only measures with inputs that not every call has are looked at. The inputs in the conditions that a
    preset, or a metric, imposes on the rows are among them.
    """
    needed: dict[str, str] = {}
    for measure in measures:
        if measure.metric.further_inputs:
            read = tables_of(catalog, measure) | _required(measure)
            needed |= {name: needed.get(name, measure.text) for name in read}
    return needed


def _required(measure: Measure) -> set[str]:
    conditions = measure.requires
    return {*conditions, *(t.name for one in conditions.values() for t in one.find_all(exp.Table))}


def tables_of(catalog: Catalog, measure: Measure) -> set[str]:
    """Return the inputs and relations that the value of a measure needs under its parameters.

    The population, which decides the queries and lists that count, is not among them.
    """
    composer = Composer(catalog, {name: everything(name) for name in (QUERIES, LISTS)})
    value = composer.value(measure.metric, measure.values)
    composer.settle()
    read: set[str] = set()
    pending: list[exp.Expr] = [] if value is None else [b.query() for b in composer.blocks]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            if table.name not in read:
                read.add(table.name)
                pending += [composer.steps[table.name]] if table.name in composer.steps else []
    return read
