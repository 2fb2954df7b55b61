"""Verdicts: what tests say about values next to those of a baseline, and why some say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import call
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine

# The functions under sql/functions; the first one is read by the second.
IMPROVEMENT, VERDICT, REASON = "improvement", "verdict", "verdict_reason"


def verdicts(catalog: Catalog, engine: Engine, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the verdict of each row.

    Args:
        rows: the arguments of `improvement.sql` and `verdict.sql`, by their names; a missing one is NULL.
    """
    return _over(catalog, engine, (IMPROVEMENT, VERDICT), rows)


def reasons(catalog: Catalog, engine: Engine, rows: Sequence[Mapping[str, Any]]) -> list[str | None]:
    """Return why each row has no p-value, or what to know about it, if there is anything.

    Args:
        rows: the arguments of `verdict_reason.sql`, by their names; a missing one is NULL.
    """
    return _over(catalog, engine, (REASON,), rows)


def _over(
    catalog: Catalog, engine: Engine, functions: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> list[Any]:
    """Return the last of some functions over each row.

    Args:
        functions: their parameters are the columns of the rows, or functions before them. Each is computed in
            a query of its own: DuckDB expands a function wherever another one reads its value.
    """
    if not rows:
        return []
    declared = [p for name in functions for p in catalog.functions[name].own_params.values()]
    params = {p.name: p for p in declared if p.name not in functions}
    columns = [_column([row.get(name) for row in rows], p.type).as_(name) for name, p in params.items()]
    read: exp.Expr = exp.select(_column(range(len(rows)), int).as_("place"), *columns).subquery("given")
    for name in functions:
        value = call(name, *map(exp.column, catalog.functions[name].own_params))
        read = exp.select(exp.Star(), value.as_(name)).from_(read).subquery(f"with_{name}")
    calling, macros = linked(catalog, exp.select("place", functions[-1]).from_(read))
    results = engine.results()
    results.define(macros)
    return [found for _, found in sorted(results.rows(calling), key=lambda row: row[0])]


def _column(values: Sequence[Any], type_: type) -> exp.Expr:
    """Write a column of values. One text holds all numbers: many literals take long."""
    if type_ is str:
        distinct = dict.fromkeys(value for value in values if value is not None)
        texts = {text: place for place, text in enumerate(distinct, start=1)}
        known = exp.cast(exp.Array(expressions=[literal(text) for text in texts]), "VARCHAR[]")
        places = _column([texts.get(value) for value in values], int)
        return exp.Anonymous(this="list_extract", expressions=[known, places])
    shown = ", ".join("NULL" if value is None else repr(type_(value)) for value in values)
    kind = {int: "BIGINT[]", float: "DOUBLE[]", bool: "BOOLEAN[]"}[type_]
    return exp.Explode(this=exp.cast(literal(f"[{shown}]"), kind))
