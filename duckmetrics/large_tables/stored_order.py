"""The ranks of many predictions as the places of sorted rows in a table.

DuckDB sorts a whole table in less time than the rows of each query in a window. The number of a row in the
sorted table, less the rows of the queries before it, is its rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import PLACE, without_idle_steps
from duckmetrics.engines.engine import keep_readable
from duckmetrics.expressions.build import equal_columns, picked, row_count, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.large_tables.sort_keys import UPWARD, are_many, sort_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.large_tables.sort_keys import SortKeys

# The step of the ranks, and its column.
RANKED, RANK = "ranked", "rank"
# The name of a table of sorted rows.
IN_ORDER = "in_order"


@dataclass(frozen=True)
class InOrder:
    """Rows in the order of a window.

    Attributes:
        tables: the names of the tables that have them.
        places: the query of the ids and places of the rows; those of a query have successive places.
        rows: the query of all columns and places.
    """

    tables: tuple[str, ...]
    places: exp.Select
    rows: exp.Query


def with_stored_order(engine: Engine, query: exp.Select, by_numbers: bool) -> tuple[exp.Select, list[str]]:
    """Return a query that reads the ranks from sorted tables, and the names of these tables.

    Args:
        by_numbers: whether one number per row may sort the rows.
    """
    query = query.copy()
    tables: list[str] = []
    for cte in query.ctes:
        if cte.alias == RANKED and _is_plain(cte.this):
            ranked, used = _stored(engine, query, cte, by_numbers)
            tables += used
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


def _stored(
    engine: Engine, query: exp.Select, cte: exp.CTE, by_numbers: bool
) -> tuple[exp.Select, tuple[str, ...]]:
    """Keep the rows of a step in order; return the query of their ranks, and the names of the tables."""
    step = cast("exp.Select", cte.this)
    columns = _columns(step)
    window = cast("exp.Window", columns.pop(RANK))
    rows = step.copy()
    rows.set("qualify", None)
    rows.set("with_", query.args["with_"].copy())
    rows = without_idle_steps(rows)
    constant = {name for name, value in columns.items() if isinstance(value, exp.Literal)}
    read = {name: value for name, value in columns.items() if name not in constant}
    numbers = sort_keys(engine, rows, window) if by_numbers else None
    in_order = None if numbers is None else _by_numbers(engine, numbers, read)
    in_order = in_order or _by_window(engine, rows, window, read)
    selected = [
        value.copy().as_(name) if name in constant else exp.column(name, IN_ORDER)
        for name, value in columns.items()
    ]
    qualify = step.args.get("qualify")
    keys = [key.name for key in window.args["partition_by"]]
    deepest = None if qualify is None else qualify.this.expression
    return _ranked(in_order, keys, selected, deepest), in_order.tables


def _by_window(
    engine: Engine, rows: exp.Select, window: exp.Window, columns: Mapping[str, exp.Expr]
) -> InOrder:
    """Keep the columns of rows that are sorted by ids, score and item."""
    order = (*window.args["partition_by"], *window.args["order"].expressions)
    kept = rows.copy().select(*(value.copy().as_(name) for name, value in columns.items()), append=False)
    table = keep_readable(engine, IN_ORDER, kept.order_by(*(key.copy() for key in order)))
    places = picked(table, *columns, exp.column("rowid").as_(PLACE))
    return InOrder((table,), places, places.copy())


def _by_numbers(engine: Engine, keys: SortKeys, columns: Mapping[str, exp.Expr]) -> InOrder | None:
    """Keep the columns of rows that are sorted by one number each; None if many numbers are equal."""
    ids = keys.unpacked()
    others = {name: value for name, value in columns.items() if name not in ids}
    table = keep_readable(engine, IN_ORDER, keys.numbered(others).order_by(UPWARD.copy()))
    read = [(ids[name] if name in ids else exp.column(name)).as_(name) for name in columns]
    places = picked(table, *read, exp.column("rowid").as_(PLACE))
    n_equal = 0 if keys.is_exact else keys.count_equal(engine, table)
    if n_equal == 0:
        return InOrder((table,), places, places.copy())
    if are_many(n_equal, engine.rows(row_count(table))[0][0]):
        engine.discard(table)
        return None
    again = keep_readable(engine, "equal_rows", keys.equal_rows(table, others))
    is_same = exp.EQ(this=exp.column(PLACE, again), expression=exp.column("rowid", table))
    unequal = places.copy().join(again, on=is_same, join_type="anti")
    return InOrder(
        (table, again), places, stacked([unequal, picked(again, *(r.copy() for r in read), PLACE)])
    )


def _ranked(
    in_order: InOrder, keys: Sequence[str], selected: list[exp.Expr], deepest: exp.Expr | None
) -> exp.Select:
    """Return the query of the ranks."""
    before = exp.Sub(this=exp.Min(this=exp.column(PLACE)), expression=literal(1)).as_("before")
    starts = picked(in_order.places.subquery("places"), *keys, before).group_by(*keys).subquery("starts")
    rank = exp.Sub(this=exp.column(PLACE, IN_ORDER), expression=exp.column("before", "starts"))
    rows = picked(in_order.rows.subquery(IN_ORDER), *selected, rank.as_(RANK))
    ranked = rows.join(starts, on=equal_columns(keys, "starts", IN_ORDER))
    return ranked if deepest is None else ranked.where(exp.LTE(this=rank.copy(), expression=deepest.copy()))
