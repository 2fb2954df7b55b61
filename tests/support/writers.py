"""The same tables as other programs write them to Parquet: their statistics leave NaN out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


NAN = math.nan


# The number of rows of a row group, small enough that every table has several groups.
ROW_GROUP = 50

LISTS = {"query_id": [1, 1, 1, 2, 2], "item_id": [1, 2, 3, 1, 2], "score": [0.1, NAN, 0.5, 0.2, 0.1]}
WANTED = {"query_id": [1, 2], "item_id": [2, 1], "relevance": [1.0, 2.0]}
ROWS = {"label": [0.0, 1.0, 0.0, 1.0], "score": [0.1, 0.6, 0.3, 0.5], "weight": [1.0, 1.0, 2.0, 1.0]}


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


def with_nan(table: dict[str, list[Any]], column: str) -> dict[str, list[Any]]:
    return {**table, column: [*table[column][:-1], NAN]}


def written(folder: Path, writer: str, table: dict[str, list[Any]], rows: int = 2) -> Path:
    path = folder / f"{uuid4()}.parquet"
    WRITERS[writer](pa.table(table), path, rows)
    return path
