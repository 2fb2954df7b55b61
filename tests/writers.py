"""The same tables as other programs write them to Parquet: their statistics leave NaN out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

# So many rows have the groups of rows, so that every table has several.
ROW_GROUP = 50


def by_pyarrow(table: pa.Table, path: Path, rows: int = ROW_GROUP) -> None:
    """Write a table as pandas and pyarrow do, with statistics."""
    pq.write_table(table, path, row_group_size=rows)


def by_pyarrow_without_statistics(table: pa.Table, path: Path, rows: int = ROW_GROUP) -> None:
    """Write a table without statistics."""
    pq.write_table(table, path, row_group_size=rows, write_statistics=False)


def by_polars(table: pa.Table, path: Path, rows: int = ROW_GROUP) -> None:
    """Write a table as Polars does, with statistics."""
    _frame(table).write_parquet(path, row_group_size=rows)


def by_polars_without_statistics(table: pa.Table, path: Path, rows: int = ROW_GROUP) -> None:
    """Write a table as Polars does, without statistics."""
    _frame(table).write_parquet(path, row_group_size=rows, statistics=False)


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(table)
    return frame


WRITERS: dict[str, Callable[..., None]] = {
    "pyarrow": by_pyarrow,
    "pyarrow without statistics": by_pyarrow_without_statistics,
    "polars": by_polars,
    "polars without statistics": by_polars_without_statistics,
}
