"""What several macros are made of: the small files under sql/shell, put in where they are called."""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog import DIALECT, Param, substituted
from duckmetrics.fold import constant, literal
from duckmetrics.macros.statement import given, reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog import Catalog

# The macros of the functions; those that the Python package makes for a query have other names,
# so that it can drop them again.
FUNCTIONS = "duckmetrics_fn_"

_CASTS: dict[type, str] = {int: "INT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN"}


def call(catalog: Catalog, name: str, *arguments: exp.Expr) -> exp.Expr:
    """The expression of a file under sql/shell, with these arguments, and those that it calls."""
    definition = catalog.shell[name]
    values = dict(zip(definition.own_params, arguments, strict=True))
    return expanded(catalog, given(definition.query.selects[0].unalias().copy(), values))


def query_of(catalog: Catalog, name: str, values: Mapping[str, exp.Expr]) -> exp.Query:
    """The query of a file under sql/shell; parameters without a value are those of the macro."""
    query = cast("exp.Query", given(catalog.shell[name].query.copy(), values))
    return cast("exp.Query", expanded(catalog, query))


def expanded(catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Put the files under sql/shell in where they are called."""
    for found in reversed(list(tree.find_all(exp.Anonymous))):  # the calls within a call first
        name = found.name.lower()
        if name in catalog.shell:
            inner = call(catalog, name, *(a.copy() for a in found.expressions))
            if found is tree:
                return inner
            found.replace(exp.paren(inner) if isinstance(inner, exp.Binary) else inner)
    return tree


def source(catalog: Catalog, argument: exp.Expr, reader: str | None = None) -> exp.Expr:
    """SQL text that reads what the argument of a macro names.

    Args:
        reader: the file that says how a TREC file is read, where it may be one.
    """
    trec = literal("")
    if reader is not None:
        trec = literal(re.sub(r"\$path\b", "{files}", catalog.shell[reader].query.sql(DIALECT)))
    return call(catalog, "source", argument, trec)


def typed(param: Param) -> exp.Expr:
    """A parameter in the type it is declared with; what cannot be read is NULL, which is refused."""
    value = reference(param.name)
    return value if param.type is bool else exp.TryCast(
        this=value, to=exp.DataType.build(_CASTS[param.type], dialect=DIALECT)
    )  # fmt: skip


def fixed(param: Param) -> bool:
    """Say whether no other value than the default is allowed."""
    if param.required:
        return False
    if param.type is bool and param.default is not None:
        return any(constant(substituted(c, {param.name: not param.default})) is False for c in param.checks)
    only_null = (isinstance(c, exp.Is) and isinstance(c.expression, exp.Null) for c in param.checks)
    return len(param.choices) == 1 or any(only_null)


def concatenated(*parts: str | exp.Expr) -> exp.Expr:
    """Texts one after the other."""
    pieces = [literal(part) if isinstance(part, str) else part for part in parts]
    return reduce(lambda left, right: exp.DPipe(this=left, expression=right, safe=True), pieces)


def is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=value, expression=exp.null())


def is_distinct(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.NullSafeNEQ(this=one, expression=other)
