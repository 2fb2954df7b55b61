"""Small builders of SQL expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.expressions.folding import Value


def stacked(queries: Iterable[exp.Query]) -> exp.Query:
    """Return the UNION ALL of queries with the same columns."""
    first, *others = queries
    result: exp.Query = first
    for other in others:
        result = exp.union(result, other, distinct=False, copy=False)
    return result


def everything(source: str | exp.Expr) -> exp.Select:
    """Return SELECT * of a table, by name or as an expression."""
    return exp.select(exp.Star()).from_(source)


def picked(source: str | exp.Expr, *columns: str | exp.Expr) -> exp.Select:
    """Return a SELECT of some columns of a table, by name or as an expression."""
    return exp.select(*columns).from_(source)


def call(function: str, *arguments: exp.Expr) -> exp.Anonymous:
    """Call a function that the SQL files define."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def row_count(source: str | exp.Expr, counted: exp.Expr | None = None) -> exp.Select:
    """Count the rows of a table, or the values of an expression in them."""
    return exp.select(exp.Count(this=counted or exp.Star())).from_(source)


def distinct(column: str) -> exp.Distinct:
    """Return DISTINCT and a column, to be counted."""
    return exp.Distinct(expressions=[exp.column(column)])


def cast_to(value: exp.Expr | None, type_: str) -> exp.Cast:
    """Return the CAST of a value, or of NULL."""
    return exp.cast(exp.null() if value is None else value, type_)


def values_table(name: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> exp.Values:
    """Return a table of literals."""
    tuples = [exp.Tuple(expressions=[literal(value) for value in row]) for row in rows]
    named = [exp.to_identifier(column) for column in columns]
    return exp.Values(expressions=tuples, alias=exp.TableAlias(this=exp.to_identifier(name), columns=named))


def quoted(name: str) -> exp.Column:
    """Return a user's column, whatever its name holds."""
    return exp.column(exp.to_identifier(name, quoted=True))


def over(query: exp.Query, columns: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Return the columns of a query of one table by name, over expressions in place of its columns."""
    query = query.copy()
    for column in list(query.find_all(exp.Column)):
        if column.name in columns:
            column.replace(columns[column.name].copy())
    return {projection.alias_or_name: projection.unalias() for projection in query.selects}
