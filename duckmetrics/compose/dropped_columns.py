"""Plan rules for a whole query: a column with one value in every row is not a key, and not in a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import constants_of, without, without_idle_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.expressions.folding import Value


def dropped(query: exp.Query, constants: Mapping[str, Value]) -> exp.Select:
    """Return a query without the columns that are the same in every row.

    A SELECT without other columns keeps them. A step of one row is not joined if no column of it is read.
    """
    if not constants:
        return cast("exp.Select", query.copy())
    query = without(query, constants)
    for select in query.find_all(exp.Select):
        kept = [p for p in select.expressions if not _is_one_of(p, constants)]
        select.set("expressions", kept or select.expressions)
        order = select.args.get("order")
        if order is not None:
            keys = [key for key in order.expressions if not _reads(key, constants)]
            select.set("order", exp.Order(expressions=keys) if keys else None)
    _drop_idle_joins(query)
    return cast("exp.Select", without_idle_steps(query))


def _is_one_of(projection: exp.Expr, constants: Mapping[str, Value]) -> bool:
    return projection.alias_or_name in constants and isinstance(projection.unalias(), exp.Literal)


def _reads(key: exp.Expr, constants: Mapping[str, Value]) -> bool:
    column = key.find(exp.Column)
    return column is not None and column.name in constants


def _drop_idle_joins(query: exp.Query) -> None:
    """Remove the cross joins with a step of one row if no column of it is read, in place."""
    single = {cte.alias for cte in query.ctes if _has_one_row(cast("exp.Query", cte.this))}
    for select in query.find_all(exp.Select):
        read = {column.table for column in select.find_all(exp.Column)}
        joins = select.args.get("joins") or []
        idle = [j for j in joins if j.kind == "CROSS" and j.this.name in single - read]
        select.set("joins", [join for join in joins if join not in idle])


def _has_one_row(query: exp.Query) -> bool:
    """Return whether a query is a SELECT of literals without a table."""
    return query.args.get("from_") is None and len(constants_of(query)) == len(query.selects)
