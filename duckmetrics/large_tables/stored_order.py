"""The ranks of many predictions as the places of sorted rows in a table.

DuckDB sorts a whole table in less time than the rows of each query in a window. The number of a row in the
sorted table, less the rows of the queries before it, is its rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.engines.engine import keep_readable
from duckmetrics.expressions.build import picked
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from duckmetrics.engines.engine import Engine

# The step of the ranks, and its column.
RANKED, RANK = "ranked", "rank"


def with_stored_order(engine: Engine, query: exp.Select) -> tuple[exp.Select, list[str]]:
    """Return a query that reads the ranks from sorted tables, and the names of these tables."""
    query = query.copy()
    tables = []
    for cte in query.ctes:
        if cte.alias == RANKED and _is_plain(cte.this):
            ranked, table = _stored(engine, query, cte)
            tables.append(table)
            cte.set("this", ranked)
            cte.set("materialized", None)
    return without_idle_steps(query), tables


def _is_plain(step: exp.Expr) -> bool:
    """Return whether a step numbers the rows that it reads, and does nothing else but drop deep ranks."""
    window = _columns(step).get(RANK) if isinstance(step, exp.Select) else None
    qualify = step.args.get("qualify")
    is_cut = qualify is None or isinstance(qualify.this, exp.LTE)
    return is_cut and isinstance(window, exp.Window) and isinstance(window.this, exp.RowNumber)


def _columns(step: exp.Select) -> dict[str, exp.Expr]:
    return {p.alias_or_name: p.unalias() for p in step.selects}


def _stored(engine: Engine, query: exp.Select, cte: exp.CTE) -> tuple[exp.Select, str]:
    """Keep the rows of a step in order; return the query of their ranks, and the name of the table."""
    step = cast("exp.Select", cte.this)
    columns = _columns(step)
    window = cast("exp.Window", columns.pop(RANK))
    constant = {name for name, value in columns.items() if isinstance(value, exp.Literal)}
    kept = [value.copy().as_(name) for name, value in columns.items() if name not in constant]
    keys = [key.name for key in window.args["partition_by"]]
    order = (key.copy() for key in (*window.args["partition_by"], *window.args["order"].expressions))
    rows = step.copy()
    rows.set("qualify", None)
    rows.set("expressions", kept)
    rows = rows.order_by(*order)
    rows.set("with_", query.args["with_"].copy())
    table = keep_readable(engine, "in_order", without_idle_steps(rows))
    selected = [
        columns[name].copy().as_(name) if name in constant else exp.column(name, table) for name in columns
    ]
    qualify = step.args.get("qualify")
    return _ranked(table, keys, selected, None if qualify is None else qualify.this.expression), table


def _ranked(table: str, keys: list[str], selected: list[exp.Expr], deepest: exp.Expr | None) -> exp.Select:
    """Return the query of the ranks."""
    before = exp.Sub(this=exp.Min(this=exp.column("rowid")), expression=literal(1)).as_("before")
    starts = picked(table, *keys, before).group_by(*keys).subquery("starts")
    rank = exp.Sub(this=exp.column("rowid", table), expression=exp.column("before", "starts"))
    same = [exp.EQ(this=exp.column(key, "starts"), expression=exp.column(key, table)) for key in keys]
    ranked = picked(table, *selected, rank.as_(RANK)).join(starts, on=exp.and_(*same))
    return ranked if deepest is None else ranked.where(exp.LTE(this=rank.copy(), expression=deepest.copy()))
