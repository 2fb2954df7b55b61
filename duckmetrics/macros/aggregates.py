"""Macros that stand in a SELECT list, as aggregates do: ``roc_auc(label, score)`` under any GROUP BY.

A metric that is one aggregate over the rows is taken from its own file. One that has to sort or to
bin them has a second file under sql/macros/aggregates, which works on lists.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import Alias
from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, substituted
from duckmetrics.catalog.meanings import meanings
from duckmetrics.checks.examination import protected
from duckmetrics.compose import functions
from duckmetrics.compose.blocks import KEYS
from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, Value, bind, fold, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.macro_queries.macro import (
    FUNCTIONS,
    QUOTED,
    Argument,
    Macro,
    Overload,
    given,
    hidden,
    reference,
)
from duckmetrics.macro_queries.parameters import allowed, refusal
from duckmetrics.macro_queries.shell_files import concatenated, fixed, typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition, Param

PREFIX = "duckmetrics: "
WHERE = "where_"
COLUMNS = {"label": "grade", "score": "number"}  # with the file under sql/macros that reads each
ROWS = "predictions"
_REQUIRED = re.compile(r"\w+\s*\(([^()]*)\)")


def aggregate_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield every metric that can be an aggregate, under all its names, after the shared checks of rows."""
    shelf = _Shelf(catalog)
    own = dict(catalog.aggregates)
    found: dict[str, Macro] = {}
    for (family, name), alias in catalog.names.items():
        if family != CLASSIFICATION:
            continue
        definition = catalog.aggregates.get(alias.metric.name, alias.metric)
        own.pop(definition.name, None)
        for other in sorted({name, alias.metric.macros.get(name, name)} - set(QUOTED)):
            if other not in found and (macro := shelf.macro(definition, alias, other)) is not None:
                found[other] = macro
    for definition in own.values():
        if (macro := shelf.macro(definition, Alias(definition, {}), definition.name)) is not None:
            found[definition.name] = macro
    yield from (*shelf.checks.values(), *found.values())


class _Shelf:
    """Writes the macros; those that are the same but for the name call the first of them."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.checks: dict[exp.Expr, Macro] = {}
        self.known: dict[tuple[str, tuple[tuple[str, str], ...]], Macro | None] = {}

    def macro(self, definition: Definition, alias: Alias, name: str) -> Macro | None:
        """Return the macro of one definition, None if it is not an aggregate over the rows."""
        key = (definition.name, tuple(alias.bound.items()))
        if key not in self.known:
            self.known[key] = self._new(definition, alias, name)
            return self.known[key]
        first = self.known[key]
        if first is None:
            return None
        (overload,) = first.overloads
        passed = [reference(argument.name) for argument in overload.arguments]
        body = exp.Anonymous(this=first.name, expressions=passed)
        return replace(first, name=name, overloads=(Overload(overload.arguments, body),))

    def _new(self, definition: Definition, alias: Alias, name: str) -> Macro | None:
        values, params = self._values(definition, alias)
        value = _Aggregate(self.catalog, definition, values).value
        if value is None:
            return None
        columns = [definition.macros.get(column, column) for column in COLUMNS]
        own = (
            Argument(
                p.name, p.default, p.required, p.choices, meanings=meanings(self.catalog, definition, p)
            )
            for p in params
        )  # fmt: skip
        arguments = (
            *(Argument(column, required=True) for column in columns),
            *sorted(own, key=lambda argument: not argument.required), Argument(WHERE, True, type="BOOLEAN"),
        )  # fmt: skip
        body = self._checked(definition, params, value, values)
        arguments_of = dict(zip(COLUMNS, columns, strict=True))
        linked, _ = functions.linked(self.catalog, exp.select(_of_arguments(body, arguments_of)), FUNCTIONS)
        whole = given(hidden(linked.selects[0]), {param.name: typed(param) for param in params})
        title = alias.metric.title if alias.metric.family == CLASSIFICATION else definition.title
        return Macro(name, (Overload(arguments, whole),), title, definition, is_table=False)

    def _values(self, definition: Definition, alias: Alias) -> tuple[dict[str, Value], list[Param]]:
        """Return a value for each parameter, and the parameters of the macro."""
        values: dict[str, Value] = {WEIGHTED: False}
        params: list[Param] = []
        decided = self.catalog.placeholders(definition)
        for name, param in self.catalog.params(definition).items():
            if name in alias.bound:
                values[name] = param.type(alias.bound[name])
            elif name != WEIGHTED:
                open_ = name in decided and (
                    definition.family == CLASSIFICATION or name in definition.own_params
                )
                values[name] = Parameter(name) if open_ and not fixed(param) else param.default
                if isinstance(values[name], Parameter):
                    params.append(param)
        return values, params

    def _checked(
        self, definition: Definition, params: Sequence[Param], value: exp.Expr, values: Mapping[str, Value]
    ) -> exp.Expr:
        """Compute the value only once nothing speaks against the rows; they are looked at once."""
        body = exp.Case()
        for param in params:
            text = concatenated(PREFIX, refusal(param.name, [param]))
            body = body.when(exp.not_(allowed(param)), _error(text), copy=False)
        of_row: list[tuple[exp.Expr, str]] = []
        for condition, said in _problems(self.catalog, definition, values):
            exists = condition.find(exp.Exists)
            if exists is None:
                of_row.append((condition, said))
                continue
            other = cast("exp.Select", exists.this).args["where"].this
            exists.replace(exp.true())
            both = (exp.GT(this=_filtered(exp.Count(this=exp.Star()), c.copy()), expression=literal(0))
                    for c in (condition, other))  # fmt: skip
            body = body.when(exp.and_(*both), _error(literal(PREFIX + said)), copy=False)
        problem = _filtered(exp.Min(this=self._check(definition, of_row)), exp.true())
        found = exp.not_(exp.Is(this=problem, expression=exp.null()))
        body = body.when(found, _error(concatenated(PREFIX, problem.copy())), copy=False)
        return body.else_(_only_wanted(value))

    def _check(self, definition: Definition, problems: Sequence[tuple[exp.Expr, str]]) -> exp.Expr:
        """Return a call of the macro that describes the problem of a row."""
        names = [definition.macros.get(column, column) for column in COLUMNS]
        text = exp.Case()
        row = [part for n, c in zip(names, COLUMNS, strict=True) for part in (f", {n}=", _text(c))]
        for condition, said_of_it in problems:
            text = text.when(condition.copy(), concatenated(f"{said_of_it}; found", *row), copy=False)
        body = _of_arguments(text, dict(zip(COLUMNS, names, strict=True)))
        if body not in self.checks:
            arguments = tuple(Argument(name, required=True) for name in names)
            name = f"duckmetrics_problem_{len(self.checks) + 1}"
            self.checks[body] = Macro(name, (Overload(arguments, body),), "", is_table=False)
        return exp.Anonymous(this=self.checks[body].name, expressions=[reference(name) for name in names])


def _only_wanted(value: exp.Expr) -> exp.Expr:
    """Let every aggregate see the rows that the caller wants."""
    holder = exp.paren(value, copy=False)
    for aggregate in list(holder.find_all(exp.AggFunc)):
        filtered = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else None
        condition = filtered.expression.this if filtered else exp.true()
        (filtered or aggregate).replace(_filtered(aggregate.copy(), condition.copy()))
    return cast("exp.Expr", holder.this)


class _Aggregate:
    """The value of a metric in terms of label and score alone."""

    def __init__(self, catalog: Catalog, definition: Definition, values: Mapping[str, Value]) -> None:
        self.catalog = catalog
        self.composer = Composer(catalog)
        parts = [d for d in catalog.sources(definition) if d.family == CLASSIFICATION and not d.is_table]
        if parts:
            value = self._of_parts(definition, parts, values)
        elif definition.family == CLASSIFICATION:
            tree = self.composer.value(definition, values)
            self.blocks = {block.name: block for block in self.composer.blocks}
            value = None if tree is None else self._over_blocks(tree)
        else:
            query = cast("exp.Select", self.composer.resolved(definition, values))
            value = self._over(query.selects[0].unalias(), query)
        self.value = value if value is not None and _is_aggregate(value) else None

    def _of_parts(
        self, definition: Definition, parts: Sequence[Definition], values: Mapping[str, Value]
    ) -> exp.Expr | None:
        """Write a metric of other metrics as an expression over their values."""
        query = cast("exp.Select", bind(definition.query, values))
        holder = exp.paren(next(p.unalias() for p in query.selects if p.alias_or_name == "value"), copy=False)
        for part in parts:
            inner = _Aggregate(self.catalog, self.catalog.aggregates.get(part.name, part), values).value
            if inner is None:
                return None
            for column in list(holder.find_all(exp.Column)):
                if column.table == part.name:
                    column.replace(exp.paren(inner.copy()))
        return fold(cast("exp.Expr", holder.this))

    def _over_blocks(self, tree: exp.Expr) -> exp.Expr | None:
        """Write what the blocks compute where their columns stand."""
        holder = exp.paren(tree, copy=False)
        for column in list(holder.find_all(exp.Column)):
            block = self.blocks[column.table]
            inner = self._over(block.columns[column.name].copy(), block.source)
            if inner is None:
                return None
            column.replace(exp.paren(inner) if isinstance(inner, exp.Binary) else inner)
        return cast("exp.Expr", holder.this)

    def _over(self, tree: exp.Expr, query: exp.Query) -> exp.Expr | None:
        """Write a tree over the columns that a query reads as one over those of the rows."""
        if not isinstance(query, exp.Select) or not _is_plain(query):
            return None
        name = query.args["from_"].this.name
        if name == ROWS:
            return tree
        inner = self.composer.steps[name]
        if not isinstance(inner, exp.Select):
            return None
        known = {p.alias_or_name: p.unalias() for p in inner.selects}
        holder = exp.paren(tree, copy=False)
        for column in list(holder.find_all(exp.Column)):
            if column.name in known:
                replacement = self._over(known[column.name].copy(), inner)
                if replacement is None:
                    return None
                column.replace(exp.paren(replacement) if isinstance(replacement, exp.Binary) else replacement)
        return fold(cast("exp.Expr", holder.this))


def _is_plain(query: exp.Select) -> bool:
    """Say whether a query only computes columns of one table, or aggregates all of its rows."""
    clauses = {name for name, value in query.args.items() if value}
    keys = {key.name for key in query.args["group"].expressions} if query.args.get("group") else set()
    return (
        clauses <= {"expressions", "from_", "group"}
        and isinstance(query.args["from_"].this, exp.Table)
        and keys <= set(KEYS[CLASSIFICATION])
        and not query.find(exp.Window)
    )


def _is_aggregate(tree: exp.Expr) -> bool:
    """Say whether there is an aggregate, and none inside of another."""
    found = list(tree.find_all(exp.AggFunc))
    return bool(found) and not tree.find(exp.Window) and not any(a.find_ancestor(exp.AggFunc) for a in found)


def _problems(
    catalog: Catalog, definition: Definition, values: Mapping[str, Value]
) -> Iterator[tuple[exp.Expr, str]]:
    """Yield the conditions of the checks of the rows that a metric reads, and their messages."""
    read = {CLASSIFICATION, definition.name, *(d.name for d in catalog.foundations(definition))}
    for check in catalog.checks.values():
        where = check.query.args.get("where")
        concerned = check.header["severity"] == "error" and read & protected(check)
        other = {column.name for column in check.query.find_all(exp.Column)} - set(COLUMNS)
        if concerned and where and not other:
            yield substituted(where.this, {}), f"{check.title}; {check.header['advice']}"
    for text in _REQUIRED.findall(definition.header.get("requires", "")):
        condition = substituted(exp.maybe_parse(text, dialect=DIALECT), values)
        shown = text
        for column, name in definition.macros.items():
            shown = re.sub(rf"\b{column}\b", name, shown)
        yield exp.not_(exp.paren(condition)), f"rows outside of what {definition.name} needs, {shown}"


def _filtered(aggregate: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Restrict an aggregate to the rows that the caller wants."""
    wanted = reference(WHERE) if condition == exp.true() else exp.and_(reference(WHERE), condition)
    return exp.Filter(this=aggregate, expression=exp.Where(this=wanted))


def _text(column: str) -> exp.Expr:
    return exp.func("coalesce", exp.cast(exp.column(column), "VARCHAR"), literal("NULL"))


def _error(text: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="error", expressions=[text])


def _of_arguments(tree: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    """Write the arguments of the macro, as numbers, for the columns of the rows."""
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name in names and not _is_bound(column):
            name = names[column.name]
            reading = FUNCTIONS + COLUMNS[column.name]
            column.replace(exp.Anonymous(this=reading, expressions=[reference(name), literal(name)]))
    return tree


def _is_bound(column: exp.Column) -> bool:
    """Say whether a name is that of a lambda's parameter."""
    parent = column.parent
    while parent is not None:
        if isinstance(parent, exp.Lambda) and column.name in {p.name for p in parent.expressions}:
            return True
        parent = parent.parent
    return False
