"""Verdicts: what tests say about values next to those of a baseline, and why some say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import call

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
    improvement = call(IMPROVEMENT, *map(exp.column, catalog.functions[IMPROVEMENT].own_params))
    arguments = {name: exp.column(name) for name in catalog.functions[VERDICT].own_params}
    judged = call(VERDICT, *{**arguments, IMPROVEMENT: improvement}.values())
    return _over(catalog, engine, judged, (IMPROVEMENT, VERDICT), rows)


def reasons(catalog: Catalog, engine: Engine, rows: Sequence[Mapping[str, Any]]) -> list[str | None]:
    """Return why each row has no p-value, or what to know about it, if there is anything.

    Args:
        rows: the arguments of `verdict_reason.sql`, by their names; a missing one is NULL.
    """
    why = call(REASON, *map(exp.column, catalog.functions[REASON].own_params))
    return _over(catalog, engine, why, (REASON,), rows)


def _over(
    catalog: Catalog,
    engine: Engine,
    value: exp.Expr,
    functions: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> list[Any]:
    """Compute an expression over each row.

    Args:
        functions: those that the expression calls, whose parameters are the columns of the rows.
    """
    import pyarrow as pa

    if not rows:
        return []
    types = {float: pa.float64(), int: pa.int64(), str: pa.string(), bool: pa.bool_()}
    params = {
        p.name: types[p.type] for name in functions for p in catalog.functions[name].own_params.values()
    }
    columns = {name: pa.array([row.get(name) for row in rows], type_) for name, type_ in params.items()}
    results = engine.results()
    source = results.attach(pa.table({"place": range(len(rows)), **columns}), "queries")
    query = exp.select("place", value.as_("value")).from_(source.relation.copy())
    calling, macros = linked(catalog, query)
    results.define(macros)
    return [found for _, found in sorted(results.rows(calling), key=lambda row: row[0])]
