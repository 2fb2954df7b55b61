"""The time of the first recommendation or judgment of each query: its history should end before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, stacked
from duckmetrics.expressions.column_types import NUMBER, is_zoned
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.inputs import HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.ranking_inputs.tables import RankingIds, RankingTables, Table

CUTS = "cuts"
TIME = "timestamp"
DAY, MOMENT, ZONED, COUNTED = "day", "moment", "zoned", "number"


def cuts(tables: RankingTables, ids: RankingIds) -> tuple[exp.Query | None, bool]:
    """Write the input `cuts`: one row for each query of a table with times that the history can precede.

    Returns:
        The query, None if the tables have no times of one kind; and whether times are compared by day,
        because a table has dates only.
    """
    history = tables.extra.get(HISTORY)
    kind = None if history is None else kind_of_time(history, tables.columns)
    found = list(_comparable(tables, kind))
    if not found:
        return None, False
    by_day = DAY in {kind, *(of_table for _, _, of_table in found)}
    times = stacked(
        selected(table.source, {
            "query_id": ids.query_id(table),
            "cut": exp.cast(quoted(name), "DATE") if by_day else quoted(name),
        })
        for table, name, _ in found
    )  # fmt: skip
    first = exp.Min(this=exp.column("cut")).as_("cut")
    return exp.select("query_id", first).from_(times.subquery("times")).group_by("query_id"), by_day


def _comparable(tables: RankingTables, kind: str | None) -> Iterator[tuple[Table, str, str]]:
    """Yield the predictions and the truth with times of this kind, their columns, and their own kinds."""
    same = {DAY: {DAY, MOMENT}, MOMENT: {DAY, MOMENT}, ZONED: {ZONED}, COUNTED: {COUNTED}}.get(
        str(kind), set()
    )
    for table in (*tables.predictions, *([tables.truth] if tables.truth is not None else [])):
        name, of_table = time_column(table, tables.columns), kind_of_time(table, tables.columns)
        if name is not None and of_table in same:
            yield table, name, str(of_table)


def time_column(table: Table, columns: ColumnMap) -> str | None:
    """Return the column with the time of a row; a name that is mapped for all tables may be absent in one.

    Raises:
        InputError: the name that is mapped for this table is absent.
    """
    if f"{table.role}.{TIME}" in columns.names:
        return table.find(columns, TIME)
    try:
        mapped = table.source.find(columns.names.get(TIME, TIME))
        return mapped if mapped is not None else table.source.find(TIME)
    except InputError:  # two columns differ in case only, and nobody asked for one of them
        return None


def kind_of_time(table: Table, columns: ColumnMap) -> str | None:
    """Return the kind of the times of a table; times of different kinds cannot be compared."""
    name = time_column(table, columns)
    type_ = "" if name is None else table.source.columns[name]
    if type_ == "DATE":
        return DAY
    if type_.startswith("TIMESTAMP"):
        return ZONED if is_zoned(type_) else MOMENT
    return COUNTED if NUMBER.fullmatch(type_) else None
