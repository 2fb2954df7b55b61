"""Composition: many measures, one query, every shared step computed once.

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

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, POLICIES, RANKING, Definition
from duckmetrics.compose.optimizer import SORTED, constants_of, depth_of, drop, prune, without
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import Value, bind, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure

KEYS = {RANKING: ("system", "query_id"), CLASSIFICATION: ("system", "segment")}
# Families whose relations may have the grain of a metric already, so that nothing is to be grouped.
UNGROUPED = (CLASSIFICATION,)
# Expressions that cost nothing, however often they are written.
PLAIN = (exp.Column, exp.Literal, exp.Null)
Binding = tuple[Path, tuple[tuple[str, Value], ...]]


@dataclass(frozen=True)
class Columns:
    """The columns of the per-query table that belong to one measure."""

    value: str
    no_relevant: str
    undefined: str


@dataclass
class Block:
    """One aggregate over one step: the metrics that read it, side by side."""

    name: str
    source: exp.Select
    keys: dict[str, exp.Expr]
    columns: dict[str, exp.Expr] = field(default_factory=dict)

    def add(self, value: exp.Expr) -> str:
        """Add a projection, unless it is there already, and return its column."""
        for column, known in self.columns.items():
            if known == value:
                return column
        column = f"v{len(self.columns) + 1}"
        self.columns[column] = value
        return column

    def query(self) -> exp.Select:
        query = self.source.copy()
        keys = (key.copy() for key in self.keys.values())
        query.set("expressions", [*keys, *(v.as_(c) for c, v in self.columns.items())])
        return query


class Composer:
    """Builds the query of several measures from the files of a catalog.

    Args:
        catalog: the definitions.
        inputs: canonical queries by input name; an input that is not listed is left as a table
            of that name. A relation of the same name is replaced by the input.
        constants: the columns that are the same in every row, as the system is when there is one,
            with their value; they need not tell rows apart.
        facts: what is known of the inputs, as values of parameters: by_rank.
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
        self.blocks: list[Block] = []
        self._names: dict[str, str] = {}
        self._relations: dict[Binding, str] = {}
        self._grains: dict[str, tuple[str, ...]] = {}
        self._values: dict[tuple[Path, tuple[tuple[str, Value], ...], str], exp.Expr | None] = {}

    def per_query(self, measures: Sequence[Measure], plan: str = SORTED) -> tuple[exp.Select, list[Columns]]:
        """Return the query of one row per system and query, and which columns are whose.

        Args:
            plan: how the ranks are found, see `plan.ranking_plan`.
        """
        depth = depth_of(measures)
        outer = exp.Select()
        names: list[Columns] = []
        projections: dict[str, exp.Expr] = {}
        for measure in measures:
            values = {**measure.values, "depth": depth, "plan": plan}
            names.append(self._policies(measure.metric, values, outer, projections))
        query = outer.select(*(e.as_(name) for name, e in projections.items()))
        return self.assemble(query), names

    def assemble(self, query: exp.Select) -> exp.Select:
        """Write the whole query once all values are known: blocks, pruning, steps in front."""
        for block in self.blocks:
            self.steps[block.name] = block.query()
        needed = self._needed(query)
        self.steps = {n: s.copy() for n, s in self.steps.items() if n in needed}
        computed = {n: s for n, s in self.steps.items() if n not in self.inputs}
        prune(computed, query, self._grains)
        return self.complete(query)

    def complete(self, query: exp.Query) -> exp.Select:
        """Put the steps that a query needs in front of it, in the order they build on each other."""
        whole = cast("exp.Select", query.copy())
        needed = self._needed(query)
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

    def binding(self, definition: Definition, values: Mapping[str, Value]) -> Binding:
        """What makes a definition yield the same query: the values of the parameters it uses."""
        used = self.catalog.placeholders(definition)
        return definition.path, tuple((name, values[name]) for name in sorted(used & values.keys()))

    def _known(self, definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
        """The values, and the defaults of the file if there are parameters without one."""
        known = {**self.facts, **values}
        if not self.catalog.placeholders(definition) <= known.keys():
            declared = {**definition.own_params, **definition.switches}
            known = {name: param.default for name, param in declared.items()} | known
        return known

    def resolved(self, definition: Definition, values: Mapping[str, Value]) -> exp.Query:
        """Bind a file to parameters; its tables become steps, its own CTEs too."""
        known = self._known(definition, values)
        query = cast("exp.Query", bind(definition.query, known))
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
                alias = table.alias or name
                table.replace(exp.to_table(step).as_(alias, table=True))
        for select in found:
            if isinstance(select, exp.Select) and not (
                query.args.get("with_") and _read_from(select) in local
            ):
                self._inline(select)
                self._drop_constants(select)
        return query

    def _drop_constants(self, select: exp.Select) -> None:
        """Group and partition by no column that is a constant in the steps that are read."""
        source = select.args.get("from_")
        tables = [t.this for t in (source, *(select.args.get("joins") or [])) if t is not None]
        steps = [self.steps.get(table.name, self.inputs.get(table.name)) for table in tables]
        constants: dict[str, Value] = {}
        varying: set[str] = set()
        for step in steps:
            if step is None:
                return
            found = constants_of(step)
            constants |= found
            varying |= {name for name in step.named_selects if name not in found}
        kept = {name: value for name, value in constants.items() if name not in varying}
        if kept:
            drop(select, kept)

    def _inline(self, select: exp.Select) -> None:
        """Read through a step that only renames or computes columns of one table.

        What the step computes stays there when it is read more than once; a constant never does.
        """
        source = select.args.get("from_")
        if source is None or select.args.get("joins") or not isinstance(source.this, exp.Table):
            return
        name = source.this.name
        inner = None if name in self.inputs else self.steps.get(name)
        if not isinstance(inner, exp.Select) or not _is_projection(inner):
            return
        expressions = {p.alias_or_name: p.unalias() for p in inner.expressions}
        for projection in select.expressions:
            if isinstance(projection, exp.Column):
                projection.replace(projection.as_(projection.name))
        columns = [c for c in select.find_all(exp.Column) if c.find_ancestor(exp.Select) is select]
        uses = Counter(c.name for c in columns if not isinstance(expressions.get(c.name), PLAIN))
        whole = max(uses.values(), default=0) < 2
        if not whole:
            expressions = {n: e for n, e in expressions.items() if isinstance(e, exp.Literal | exp.Null)}
        for column in columns:
            if column.name in expressions:
                replacement = expressions[column.name].copy()
                if isinstance(column.parent, exp.Binary | exp.Unary | exp.Is) and isinstance(
                    replacement, exp.Binary
                ):
                    replacement = exp.paren(replacement)
                column.replace(replacement)
        if whole:
            select.set("from_", inner.args["from_"].copy())
        fold(select)
        select.set("expressions", [_unaliased(p) for p in select.expressions])

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

    def _policies(
        self,
        metric: Definition,
        values: Mapping[str, Value],
        outer: exp.Select,
        projections: dict[str, exp.Expr],
    ) -> Columns:
        """Wrap a metric in population, missing and no_relevant, as `evaluated` defines them."""
        definition = self.catalog.relations[POLICIES[metric.family]]
        known = self._known(definition, values)
        query = cast("exp.Select", bind(definition.query, known))
        status = cast("exp.Select", query.args["with_"].expressions[0].this)
        value = self._value(metric, values)
        replaced = self._join(status, known, value, outer)
        columns = {p.alias_or_name: p.unalias() for p in replaced.expressions}
        final = exp.select(*(p.unalias().as_(p.alias_or_name) for p in query.expressions))
        for column in list(final.find_all(exp.Column)):
            if not column.table and column.name in columns:
                column.replace(exp.paren(columns[column.name]))
        fold(final)
        results = {p.alias_or_name: _stripped(p.unalias()) for p in final.expressions}
        for name in (*KEYS[metric.family], "missing"):
            projections.setdefault(name, results[name])
        return Columns(*(_kept(projections, kind, results[kind])
                         for kind in ("value", "no_relevant", "undefined")))  # fmt: skip

    def _join(
        self,
        status: exp.Select,
        values: Mapping[str, Value],
        value: exp.Expr,
        outer: exp.Select,
    ) -> exp.Select:
        """Add the tables of `status` to the outer step; return it in terms of their aliases."""
        aliases: dict[str, str] = {}
        first = status.args["from_"].this.name
        aliases[first] = self.relation(first, values)
        if outer.args.get("from_") is None:
            outer.set("from_", exp.From(this=_table(aliases[first], first)))
            aliases[first] = first
        else:
            aliases[first] = first
        present = {join.alias_or_name for join in outer.args.get("joins") or []}
        for join in status.args["joins"]:
            name = join.this.name
            if name == "metric":
                continue
            aliases[name] = self.relation(name, values)
            if aliases[name] not in present:
                on = _requalified(join.args["on"], aliases)
                outer.join(exp.to_table(aliases[name]), on=on, join_type="left", copy=False)
        present |= {join.alias_or_name for join in outer.args.get("joins") or []}
        for block in self.blocks:
            if block.name not in present:
                on = exp.and_(*(exp.EQ(this=exp.column(key, block.name), expression=exp.column(key, first))
                                for key in block.keys))  # fmt: skip
                outer.join(exp.to_table(block.name), on=on, join_type="left", copy=False)
        replaced = cast("exp.Select", _requalified(status, aliases))
        replaced.set("expressions", [p.unalias().as_(p.alias_or_name) for p in replaced.expressions])
        for column in list(replaced.find_all(exp.Column)):
            if column.table == "metric" and column.name == "value":
                column.replace(exp.paren(value))
        return replaced

    def value(
        self, metric: Definition, values: Mapping[str, Value], column: str = "value"
    ) -> exp.Expr | None:
        """Return a metric as an expression over block columns, adding what the blocks lack.

        Args:
            column: the projection of the file; None is returned where there is none of that name,
                or where it is NULL under these parameters.
        """
        binding = (*self.binding(metric, values), column)
        if binding not in self._values:
            self._values[binding] = self._new_value(metric, values, column)
        known = self._values[binding]
        return None if known is None else known.copy()

    def defined(
        self, metric: Definition, values: Mapping[str, Value], value: exp.Expr, n: exp.Expr
    ) -> exp.Expr:
        """Put what the relation `defined` says in place of a value that is not defined.

        Args:
            n: the number of rows that take part.
        """
        definition = self.catalog.relations[POLICIES[metric.family]]
        query = cast("exp.Select", bind(definition.query, self._known(definition, values)))
        holder = exp.paren(next(p.unalias() for p in query.selects if p.alias_or_name == "value"), copy=False)
        for column in list(holder.find_all(exp.Column)):
            column.replace(exp.paren({"value": value, "n": n}[column.name].copy()))
        return _stripped(fold(holder))

    def _value(self, metric: Definition, values: Mapping[str, Value]) -> exp.Expr:
        value = self.value(metric, values)
        if value is None:
            raise DefinitionError(f"{metric.path}: no column 'value'; name the result so")
        return value

    def _new_value(self, metric: Definition, values: Mapping[str, Value], column: str) -> exp.Expr | None:
        parts = [d for d in self.catalog.sources(metric) if d.family == metric.family and not d.is_table]
        if parts:
            return self._value_of_parts(metric, parts, values, column)
        query = self.resolved(metric, values)
        keys = KEYS[metric.family]
        if not isinstance(query, exp.Select) or not (query.args.get("group") or metric.family in UNGROUPED):
            raise DefinitionError(f"{metric.path}: no GROUP BY; aggregate by {', '.join(keys)}")
        value = next((p.unalias() for p in query.expressions if p.alias_or_name == column), None)
        if value is None or isinstance(value, exp.Null):
            return None
        known = {p.alias_or_name: p for p in query.expressions}
        source = query.copy()
        source.set("expressions", [])
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            name = f"per_{keys[-1].removesuffix('_id')}_of_{_read_from(source)}"
            block = Block(self._free(name), source, {key: known[key] for key in keys})
            self.blocks.append(block)
        return exp.column(block.add(value), block.name)

    def _value_of_parts(
        self, metric: Definition, parts: Iterable[Definition], values: Mapping[str, Value], column: str
    ) -> exp.Expr | None:
        """A metric of other metrics of the same grain is an expression over their values."""
        inner: dict[str, exp.Expr] = {}
        declared = self.catalog.params(metric)
        plan = {name: value for name, value in values.items() if name not in declared}
        for part in parts:
            passed = {n: values.get(n, p.default) for n, p in self.catalog.params(part).items()}
            inner[part.name] = self._value(part, {**passed, **plan})
        query = cast("exp.Select", bind(metric.query, values))
        value = next((p for p in query.expressions if p.alias_or_name == column), None)
        if value is None:
            return None
        for reference in list(value.find_all(exp.Column)):
            if reference.table in inner and reference.name == "value":
                part_value = inner[reference.table].copy()
                reference.replace(exp.paren(part_value) if isinstance(part_value, exp.Binary) else part_value)
        return cast("exp.Expr", value.unalias())

    def _needed(self, query: exp.Expr) -> set[str]:
        needed: set[str] = set()
        pending = [query]
        while pending:
            for table in pending.pop().find_all(exp.Table):
                if table.name in self.steps and table.name not in needed:
                    needed.add(table.name)
                    pending.append(self.steps[table.name])
        return needed

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


def _is_projection(query: exp.Select) -> bool:
    """Say whether a query only computes columns, row by row, from one table."""
    clauses = {name for name, value in query.args.items() if value}
    source = query.args.get("from_")
    return (
        clauses <= {"expressions", "from_"}
        and source is not None
        and isinstance(source.this, exp.Table)
        and isinstance(source.this.this, exp.Identifier)
        and not query.find(exp.Window, exp.AggFunc)
    )


def _unaliased(projection: exp.Expr) -> exp.Expr:
    """Write ``x AS x`` as ``x``."""
    inner = projection.unalias()
    plain = isinstance(inner, exp.Column) and inner.name == projection.alias
    return inner if plain else projection


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


def _read_from(query: exp.Select) -> str:
    """The name of the step that a query reads first, empty where there is none."""
    source = query.args.get("from_")
    return str(source.this.name) if source is not None else ""


def _table(name: str, alias: str) -> exp.Expr:
    return exp.to_table(name) if name == alias else exp.to_table(name).as_(alias, table=True)


def _kept(projections: dict[str, exp.Expr], kind: str, expression: exp.Expr) -> str:
    """Add a projection under a numbered name, unless it is there already."""
    count = 1
    while (name := f"{kind}_{count}") in projections:
        if projections[name] == expression:
            return name
        count += 1
    projections[name] = expression
    return name
