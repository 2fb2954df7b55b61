"""The scalar functions under sql/functions, made macros of the database for the queries that call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog import Catalog, Definition

PREFIX = "duckmetrics_"


def linked(catalog: Catalog, query: exp.Query) -> tuple[exp.Query, list[exp.Create]]:
    """Point the calls of a query at our macros.

    Returns: the query with the calls renamed, and the statements that define what it calls, each
        after those that it builds on.
    """
    query = query.copy()
    needed: dict[str, Definition] = {}
    for name in _renamed(catalog, query):
        _gather(catalog, name, needed)
    return query, [macro(catalog, definition) for definition in needed.values()]


def macro(catalog: Catalog, definition: Definition, prefix: str = PREFIX) -> exp.Create:
    """Write a function as ``CREATE OR REPLACE TEMPORARY MACRO``; arguments become what its params say."""
    body = definition.query.copy()
    list(_renamed(catalog, body, prefix))
    for placeholder in list(body.find_all(exp.Placeholder)):
        column = exp.column(placeholder.name)
        placeholder.replace(exp.cast(column, "DOUBLE"))
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


def _renamed(catalog: Catalog, tree: exp.Expr, prefix: str = PREFIX) -> Iterator[str]:
    for call in list(tree.find_all(exp.Anonymous)):
        name = call.name.lower()
        if name in catalog.functions:
            call.set("this", prefix + name)
            yield name


def _gather(catalog: Catalog, name: str, needed: dict[str, Definition]) -> None:
    if name in needed:
        return
    definition = catalog.functions[name]
    for other in sorted(_renamed(catalog, definition.query.copy())):
        _gather(catalog, other, needed)
    needed[name] = definition
