"""Rows that Apache Spark writes: a folder of Parquet files, or a table of its catalog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from duckmetrics.connections.spark_sessions import cause, is_of_spark
from duckmetrics.errors import InputError, MetricError, unknown
from duckmetrics.inputs.sources import file_format
from duckmetrics.outputs.overlaps import url_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, DataFrameWriter

# What to do with rows that are there already.
NEW, APPEND, OVERWRITE = MODES = ("new", "append", "overwrite")
_IS_THERE = "append to it with mode='append', replace it with mode='overwrite', or give a new name"


def checked_mode(mode: str | None) -> str:
    """Return a mode, by default the one that replaces nothing.

    Raises:
        MetricError: there is no such mode.
    """
    if mode is not None and mode not in MODES:
        raise MetricError("mode", *unknown("mode", mode, MODES))
    return mode or NEW


def write_folder(frame: DataFrame, path: str | Path, mode: str | None, partition_by: Sequence[str]) -> None:
    """Write rows to a folder of Parquet files.

    Raises:
        InputError: it is there already, or is the name of a table.
    """
    target, chosen = url_of(path) or os.path.expanduser(str(path)), checked_mode(mode)
    is_name = os.path.basename(target) == target and "." in target and file_format(target) is None
    if is_name:
        advice = f"write table={target!r} for a table of Spark, or ./{target} for a folder"
        raise InputError(path, "may be a table or a folder", advice)
    if chosen == NEW and os.path.exists(target):
        raise InputError(path, "is there already, and Spark writes a folder", _IS_THERE)
    try:
        _writer(frame, chosen, partition_by).parquet(target)
    except Exception as error:
        raise _refused(error, path) from error


def write_table(frame: DataFrame, table: str, mode: str | None, partition_by: Sequence[str]) -> None:
    """Write rows to a table of the catalog, such as ``lake.values``; columns are found by their names.

    Raises:
        InputError: it is there already, or cannot take the rows.
    """
    try:
        _writer(frame, checked_mode(mode), partition_by).saveAsTable(table)
    except Exception as error:
        raise _refused(error, f"table {table}") from error


def _writer(frame: DataFrame, mode: str, partition_by: Sequence[str]) -> DataFrameWriter:
    writer = frame.write if mode == NEW else frame.write.mode(mode)
    return writer.partitionBy(*partition_by) if partition_by else writer


def _refused(error: Exception, place: object) -> Exception:
    """Return the error for a place that cannot take the rows; a mistake of ours stays as it is."""
    if not is_of_spark(error):
        return error
    text = cause(error)
    if "ALREADY_EXISTS" in text or "already exists" in text:
        return InputError(place, "is there already", _IS_THERE)
    return InputError(place, f"cannot be written: {text}", "check the name, and the columns of the table")
