"""The scalar functions under sql/functions, made macros of the database for the queries that call them.

A file is one expression over ``$parameters`` and may call other files by name. As a macro it is called
``duckmetrics_<name>``, so that no macro of the caller is replaced. The arguments of a query become
what the header declares: 0.1, which DuckDB reads as a DECIMAL, is computed with as a DOUBLE.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition


PREFIX = "duckmetrics_"

_TYPES: dict[type, str] = {float: "DOUBLE", int: "BIGINT", str: "VARCHAR", bool: "BOOLEAN", tuple: "DOUBLE[]"}


def linked(catalog: Catalog, query: exp.Query, prefix: str = PREFIX) -> tuple[exp.Query, list[exp.Create]]:
    """Point the calls of a query at our macros.

    Args:
        prefix: what their names begin with.
    Returns: the query with the calls renamed, and the statements that define what it calls, each
        after those that it builds on.
    Raises:
        DefinitionError: a function calls itself, directly or through others.
    """
    query = query.copy()
    for select in list(query.find_all(exp.Select)):
        _call_together(catalog, select)
    needed: dict[str, Definition] = {}
    for name in sorted(_rename(catalog, query, prefix, cast=True)):
        _gather(catalog, name, needed, ())
    return query, [macro(catalog, definition, prefix) for definition in needed.values()]


def _call_together(catalog: Catalog, select: exp.Select) -> None:
    """Let several calls of a function with a loop be one over a list, in place.

    DuckDB writes a function out wherever it is called, and such a one takes long to bind and to run. Only
    calls that differ in one argument are put together, and only where each row of the table gives one row.
    """
    parts = ("joins", "group", "having", "qualify", "windows", "laterals")
    table = select.args.get("from_")
    if table is None or select.is_star or any(select.args.get(part) for part in parts):
        return
    own = [call for call in select.find_all(exp.Anonymous) if call.find_ancestor(exp.Select) is select]
    calls: dict[str, list[exp.Anonymous]] = {}
    for call in own:
        if call.name.lower() in catalog.functions and _has_loop(catalog, call.name.lower()):
            calls.setdefault(call.name.lower(), []).append(call)
    lists = {name: found for name, alike in calls.items() if (found := _varying(select, alike)) is not None}
    if not lists or next(select.find_all(exp.AggFunc, exp.Window), None) is not None:
        return
    read = table.this
    columns: list[exp.Expr] = [exp.Star()]
    for i, (name, (place, values)) in enumerate(lists.items()):
        shared = f"called_{i}"
        body = calls[name][0].copy()
        body.expressions[place].replace(exp.to_identifier(f"of_{shared}"))
        function = exp.Lambda(this=body, expressions=[exp.to_identifier(f"of_{shared}")])
        array = exp.Array(expressions=[value.copy() for value in values])
        columns.append(exp.Transform(this=array, expression=function).as_(shared))
        for call in calls[name]:
            number = values.index(call.expressions[place])
            call.replace(exp.Bracket(this=exp.column(shared), expressions=[literal(number)]))
    inner = exp.select(*columns).from_(read.copy())
    select.set("from_", exp.From(this=inner.subquery(read.alias_or_name)))


def _varying(select: exp.Select, calls: Sequence[exp.Anonymous]) -> tuple[int, list[exp.Expr]] | None:
    """Return the place of the only argument in which calls differ, and its values; None if there is none."""
    if any(call.find_ancestor(exp.Lambda, exp.Anonymous) for call in calls):
        return None
    places = [
        i
        for i, values in enumerate(zip(*(c.expressions for c in calls), strict=True))
        if len(set(values)) > 1
    ]
    if len(places) != 1:
        return None
    made = {projection.alias for projection in select.selects if projection.alias}
    if any(column.name in made for call in calls for column in call.find_all(exp.Column)):
        return None
    return places[0], list(dict.fromkeys(call.expressions[places[0]] for call in calls))


@cache
def _has_loop(catalog: Catalog, name: str) -> bool:
    """Return whether a function of the catalog goes over a list, itself or by what it calls."""
    definition = catalog.functions[name]
    is_loop = any(call.name.lower() == "list_reduce" for call in definition.query.find_all(exp.Anonymous))
    return is_loop or any(_has_loop(catalog, other) for other in called(catalog, definition))


@cache
def macro(catalog: Catalog, definition: Definition, prefix: str = PREFIX) -> exp.Create:
    """Write a function as ``CREATE OR REPLACE TEMPORARY MACRO prefix_name(params) AS (expression)``.

    All callers share the statement: copy it before you change it.
    """
    body = definition.query.copy()
    _rename(catalog, body, prefix)
    for placeholder in list(body.find_all(exp.Placeholder)):
        placeholder.replace(exp.column(placeholder.name))
    return exp.Create(
        this=exp.UserDefinedFunction(
            this=exp.to_table(prefix + definition.name),
            expressions=[exp.to_identifier(name) for name in definition.own_params],
            wrapped=True,
        ),
        kind="MACRO",
        replace=True,
        expression=exp.paren(body.selects[0].unalias()),
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
    )


def inlined(catalog: Catalog, query: exp.Query) -> exp.Query:
    """Write the calls of a query out, for engines that cannot define our functions.

    An argument stands wherever the function reads it. A list of one element that a lambda is applied to, by
    which a file names an intermediate value, is written out as well.
    """
    query = query.copy()
    for call in reversed(list(query.find_all(exp.Func))):
        name = call.name.lower() if isinstance(call, exp.Anonymous) else call.sql_name().lower()
        if name in catalog.functions:
            definition = catalog.functions[name]
            body = inlined(catalog, definition.query)
            given = dict(zip(definition.own_params, _arguments(call), strict=True))
            for placeholder in list(body.find_all(exp.Placeholder)):
                placeholder.replace(exp.paren(given[placeholder.name].copy()))
            call.replace(exp.paren(_without_names(body.selects[0].unalias())))
    return query


def _without_names(body: exp.Expr) -> exp.Expr:
    """Write ``list_transform([value], lambda name: expression)[1]`` as the expression of the value."""
    whole = exp.paren(body, copy=False)
    for named in reversed(list(whole.find_all(exp.Bracket))):
        applied = named.this
        if isinstance(applied, exp.Transform) and len(applied.this.expressions) == 1:
            (value,), (name,) = applied.this.expressions, applied.expression.expressions
            for use in list(applied.expression.this.find_all(exp.Identifier)):
                if use.name == name.name and not isinstance(use.parent, exp.Column):
                    use.replace(exp.paren(value.copy()))
            named.replace(exp.paren(applied.expression.this))
    return whole


@cache
def called(catalog: Catalog, definition: Definition) -> frozenset[str]:
    """Return the functions of the catalog that a definition calls directly."""
    return frozenset(_rename(catalog, definition.query.copy(), PREFIX))


def _rename(catalog: Catalog, tree: exp.Expr, prefix: str, cast: bool = False) -> set[str]:
    """Put the prefix before every call of a function of the catalog, in place; return their names."""
    names = set()
    for call in reversed(list(tree.find_all(exp.Func))):  # the calls within a call first
        name = call.name.lower() if isinstance(call, exp.Anonymous) else call.sql_name().lower()
        if name in catalog.functions:
            names.add(name)
            arguments = _arguments(call)
            if cast:
                types = [_TYPES[param.type] for param in catalog.functions[name].own_params.values()]
                arguments = [exp.cast(a, t) for a, t in zip(arguments, types, strict=False)]
            call.replace(exp.Anonymous(this=prefix + name, expressions=arguments))
    return names


def _arguments(call: exp.Func) -> list[exp.Expr]:
    """Return the arguments of a call in order, also if sqlglot stores them under its own names."""
    if isinstance(call, exp.Anonymous):
        return call.expressions
    given = (call.args.get(key) for key in call.arg_types)
    return [
        a for value in given if value is not None for a in (value if isinstance(value, list) else [value])
    ]


def _gather(catalog: Catalog, name: str, needed: dict[str, Definition], callers: Sequence[str]) -> None:
    """Add a function to `needed`, after all functions that it calls."""
    definition = catalog.functions[name]
    if name in callers:
        raise DefinitionError(
            definition.path, f"calls itself by {' -> '.join((*callers, name))}", "break the circle"
        )
    if name not in needed:
        for other in sorted(called(catalog, definition)):
            _gather(catalog, other, needed, (*callers, name))
        needed[name] = definition
