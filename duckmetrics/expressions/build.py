"""Small builders of SQL expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def stacked(queries: Iterable[exp.Select]) -> exp.Query:
    """UNION ALL of canonical queries."""
    first, *others = queries
    result: exp.Query = first
    for other in others:
        result = exp.union(result, other, distinct=False, copy=False)
    return result


def quoted(name: str) -> exp.Column:
    """A user's column, whatever its name holds."""
    return exp.column(exp.to_identifier(name, quoted=True))


def over(query: exp.Query, columns: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Return what a query of one table computes, by name, over expressions in place of its columns."""
    query = query.copy()
    for column in list(query.find_all(exp.Column)):
        if column.name in columns:
            column.replace(columns[column.name].copy())
    return {projection.alias_or_name: projection.unalias() for projection in query.selects}
