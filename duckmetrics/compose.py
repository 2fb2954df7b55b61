"""Composition: many measures, one query, every shared step computed once.

A metric file reads relations; a relation file reads relations and inputs. `Composer` binds each
file to the parameters of a measure and keeps the outcome as a named step. Two measures that need
the same relation under the same parameters arrive at the same SQL text, and so share the step.
Metrics that aggregate the same step by the same columns become one aggregate, side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError as UnsupportedDialectFeature

from duckmetrics.catalog import DIALECT, POLICIES, Catalog, Definition
from duckmetrics.errors import DefinitionError, UnsupportedError
from duckmetrics.fold import Value, bind, fold
from duckmetrics.plan import depth_of, prune, without_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.measure import Measure

KEYS = ("system", "query_id")
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
        keys = [exp.column(key) for key in KEYS]
        query.set("expressions", [*keys, *(v.as_(c) for c, v in self.columns.items())])
        return query


class Composer:
    """Builds the query of several measures from the files of a catalog.

    Args:
        catalog: the definitions.
        inputs: canonical queries by input name; an input that is not listed is left as a table
            of that name. A relation of the same name is replaced by the input.
        one_system: no more than one system is evaluated, so that it need not tell rows apart.
    """

    def __init__(
        self,
        catalog: Catalog,
        inputs: Mapping[str, exp.Query] | None = None,
        one_system: bool = False,
    ) -> None:
        self.catalog = catalog
        self.inputs = dict(inputs or {})
        self.one_system = one_system
        self.steps: dict[str, exp.Query] = {}
        self.blocks: list[Block] = []
        self._names: dict[str, str] = {}
        self._relations: dict[Binding, str] = {}
        self._grains: dict[str, tuple[str, ...]] = {}
        self._values: dict[Binding, exp.Expr] = {}

    def per_query(self, measures: Sequence[Measure]) -> tuple[exp.Select, list[Columns]]:
        """Return the query of one row per system and query, and which columns are whose."""
        depth = depth_of(measures)
        outer = exp.Select()
        names: list[Columns] = []
        projections: dict[str, exp.Expr] = {}
        for measure in measures:
            values = {**measure.values, "depth": depth}
            names.append(self._policies(measure.metric, values, outer, projections))
        query = outer.select(*(e.as_(name) for name, e in projections.items()))
        for block in self.blocks:
            self.steps[block.name] = block.query()
        needed = self._needed(query)
        self.steps = {n: s.copy() for n, s in self.steps.items() if n in needed}
        computed = {n: s for n, s in self.steps.items() if n not in self.inputs}
        prune(computed, query, self._grains)
        return self.complete(query), names

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

    def text(self, measures: Sequence[Measure], dialect: str = DIALECT, steps: bool = False) -> str:
        """Write the query of measures as text; with `steps`, as one table after the other.

        Raises:
            UnsupportedError: the dialect is unknown or lacks something the query needs.
        """
        query, names = self.per_query(measures)
        for column, measure in zip(names, measures, strict=True):
            for projection in query.expressions:
                if projection.alias == column.value:
                    projection.set("alias", exp.to_identifier(str(measure), quoted=True))
        tables = [(cte.alias, cte.this) for cte in query.ctes]
        written: list[exp.Expr] = [query]
        if steps:
            query.set("with_", None)
            temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
            written = [
                exp.Create(this=exp.to_table(n), kind="TABLE", expression=q, properties=temporary.copy())
                for n, q in tables
            ] + [query]
        try:
            return ";\n\n".join(
                tree.sql(dialect, pretty=True, unsupported_level=ErrorLevel.RAISE) for tree in written
            )
        except (ValueError, UnsupportedDialectFeature) as error:
            raise UnsupportedError(f"{dialect}: {error}; choose another dialect") from error

    def relation(self, name: str, values: Mapping[str, Value]) -> str:
        """Make a relation under these parameters a step and return the step's name."""
        if name in self.inputs or name not in self.catalog.relations:
            return self._input(name)
        definition = self.catalog.relations[name]
        binding = self.binding(definition, values)
        if binding not in self._relations:
            step = self._step(name, self.resolved(definition, values))
            self._relations[binding] = step
            self._grains[step] = definition.grain
        return self._relations[binding]

    def binding(self, definition: Definition, values: Mapping[str, Value]) -> Binding:
        """What makes a definition yield the same query: the values of the parameters it uses."""
        used = self.catalog.placeholders(definition)
        return definition.path, tuple((name, values[name]) for name in sorted(used & values.keys()))

    def _known(self, definition: Definition, values: Mapping[str, Value]) -> dict[str, Value]:
        """The values, and the defaults of the file if there are parameters without one."""
        known = dict(values)
        if not self.catalog.placeholders(definition) <= known.keys():
            declared = {**definition.own_params, **definition.switches}
            known = {name: param.default for name, param in declared.items()} | known
        return known

    def resolved(self, definition: Definition, values: Mapping[str, Value]) -> exp.Query:
        """Bind a file to parameters; its tables become steps, its own CTEs too."""
        known = self._known(definition, values)
        query = cast("exp.Query", bind(definition.query, known))
        local: dict[str, str] = {}
        ctes = query.ctes
        query.set("with_", None)
        for cte in ctes:
            step = self._linked(cast("exp.Query", cte.this.pop()), known, local)
            local[cte.alias] = self._step(cte.alias, step)
        return self._linked(query, known, local)

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
            if isinstance(select, exp.Select):
                self._inline(select)
        return query

    def _inline(self, select: exp.Select) -> None:
        """Read through a step that only renames or computes columns of one table."""
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
        for column in [c for c in select.find_all(exp.Column) if c.find_ancestor(exp.Select) is select]:
            if column.name in expressions:
                replacement = expressions[column.name].copy()
                if isinstance(column.parent, exp.Binary | exp.Unary | exp.Is) and isinstance(
                    replacement, exp.Binary
                ):
                    replacement = exp.paren(replacement)
                column.replace(replacement)
        select.set("from_", inner.args["from_"].copy())
        fold(select)
        select.set("expressions", [_unaliased(p) for p in select.expressions])

    def _step(self, name: str, query: exp.Query) -> str:
        """Keep a query as a step, unless the same query is there already."""
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
        definition = self.catalog.relations[POLICIES]
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
        for name in (*KEYS, "missing"):
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
                                for key in KEYS))  # fmt: skip
                outer.join(exp.to_table(block.name), on=on, join_type="left", copy=False)
        replaced = cast("exp.Select", _requalified(status, aliases))
        replaced.set("expressions", [p.unalias().as_(p.alias_or_name) for p in replaced.expressions])
        for column in list(replaced.find_all(exp.Column)):
            if column.table == "metric" and column.name == "value":
                column.replace(exp.paren(value))
        return replaced

    def _value(self, metric: Definition, values: Mapping[str, Value]) -> exp.Expr:
        """Return a metric as an expression over block columns, adding what the blocks lack."""
        binding = self.binding(metric, values)
        if binding not in self._values:
            self._values[binding] = self._new_value(metric, values)
        return self._values[binding].copy()

    def _new_value(self, metric: Definition, values: Mapping[str, Value]) -> exp.Expr:
        parts = [d for d in self.catalog.sources(metric) if d.family == metric.family]
        if parts:
            return self._value_of_parts(metric, parts, values)
        query = self.resolved(metric, values)
        if not isinstance(query, exp.Select) or not query.args.get("group"):
            raise DefinitionError(f"{metric.path}: no GROUP BY; aggregate by {', '.join(KEYS)}")
        value = next((p for p in query.expressions if p.alias_or_name == "value"), None)
        if value is None:
            raise DefinitionError(f"{metric.path}: no column 'value'; name the result so")
        source = query.copy()
        source.set("expressions", [])
        block = next((b for b in self.blocks if b.source == source), None)
        if block is None:
            block = Block(self._free(f"per_query_of_{source.args['from_'].this.name}"), source)
            self.blocks.append(block)
        return exp.column(block.add(value.unalias()), block.name)

    def _value_of_parts(
        self, metric: Definition, parts: Iterable[Definition], values: Mapping[str, Value]
    ) -> exp.Expr:
        """A metric of other metrics of the same grain is an expression over their values."""
        inner: dict[str, exp.Expr] = {}
        for part in parts:
            declared = self.catalog.params(part)
            passed = {n: values.get(n, p.default) for n, p in declared.items()}
            inner[part.name] = self._value(part, {**passed, "depth": values.get("depth")})
        query = cast("exp.Select", bind(metric.query, values))
        value = next(p for p in query.expressions if p.alias_or_name == "value")
        for column in list(value.find_all(exp.Column)):
            if column.table in inner and column.name == "value":
                column.replace(inner[column.table].copy())
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
        return without_system(step) if self.one_system else step


def with_directions(query: exp.Query) -> exp.Query:
    """Write ASC out wherever it is meant: a connection may have another default order."""
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
