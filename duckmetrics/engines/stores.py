"""Results in stores of objects such as S3, and those that Spark writes.

An object appears when it is complete. It is replaced only if it is an output of ours, see `targets`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.engines import targets
from duckmetrics.engines.spark_sessions import cause, is_of_spark
from duckmetrics.engines.targets import url_of
from duckmetrics.errors import EngineError, InputError, MetricError, unknown
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import file_format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, DataFrameWriter

    from duckmetrics.engines.connection import DuckDBConnection


_ANOTHER = "choose another name, or delete it first"
# Text files of ours are smaller than this number of bytes.
_LARGEST = 2**26
_NOT_THERE = ("404", "No files found", "NoSuchKey", "BlobNotFound")


class Store:
    """Writes and looks at objects."""

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection

    def refuse(self, url: str, format_: str, known: bool = True) -> None:
        """Refuse an object that is there and is not an output of ours; see `targets.refuse`.

        Raises:
            InputError: it must not be replaced, or the store refuses to show it.
        """
        names = self._columns(url, format_)
        if names is None or (known and names and not targets.is_ours(names)):
            raise InputError(
                url, f"exists and is not {targets.called(format_)} file of duckmetrics", _ANOTHER
            )

    @contextmanager
    def replacing(self, url: str, format_: str) -> Iterator[Path]:
        """Give the path of a draft on this machine, and send it to the store when it is complete.

        Raises:
            InputError: the object is not an output of ours, or the store refuses it.
        """
        with TemporaryDirectory(prefix="duckmetrics-") as folder:
            draft = Path(folder) / "draft"
            yield draft
            own = targets.columns_of(draft, format_)
            self._refuse_another(url, format_, frozenset() if own is None else own)
            content = exp.select("content").from_(_blob(str(draft)))
            self._written(url, content, [_format("BLOB")])

    def copy(self, query: exp.Query, url: str, partition_by: Sequence[str] = ()) -> None:
        """Write the rows of a query as Parquet.

        Args:
            partition_by: columns whose values become folders below the URL, which must be empty.

        Raises:
            InputError: the object must not be replaced, or the store refuses it.
        """
        self._connection.reach(url)
        options = [_format("PARQUET")]
        if partition_by:
            pattern = f"{url.rstrip('/')}/**"
            listed = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(pattern)]))
            if self._connection.tried(exp.select("file").from_(listed).limit(1)):
                raise InputError(url, "is not empty, and folders of a store are not replaced", _ANOTHER)
            options.append(partitions(partition_by))
        else:
            self._refuse_another(
                url, "parquet", frozenset(name for name, _ in self._connection.columns(query))
            )
        self._written(url, query, options)

    def _refuse_another(self, url: str, format_: str, own: frozenset[str]) -> None:
        names = self._columns(url, format_)
        if names is None or (names and names != own and not targets.is_ours(names)):
            raise InputError(url, "exists and holds something else than these results", _ANOTHER)

    def _columns(self, url: str, format_: str) -> frozenset[str] | None:
        """Return the columns of an object, none if it is not there; None if it is not one of ours."""
        self._connection.reach(url)
        size = self._size(url)
        if not size:
            return frozenset()
        if format_ == "parquet":
            reader = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(url)]))
            read = exp.Describe(this=exp.select(exp.Star()).from_(reader))
            try:
                return frozenset(str(row[0]) for row in self._connection.tried(read))
            except EngineError:
                return None
        if size > _LARGEST:
            return None
        with TemporaryDirectory(prefix="duckmetrics-") as folder:
            path = Path(folder) / "object"
            self._written(str(path), exp.select("content").from_(_blob(url)), [_format("BLOB")])
            return targets.columns_of(path, format_)

    def _size(self, url: str) -> int:
        """Return the number of bytes, zero if there is no such object."""
        try:
            found = self._connection.tried(exp.select("size").from_(_blob(url)))
        except EngineError as error:
            if any(words in error.what for words in _NOT_THERE):
                return 0
            raise InputError(url, f"cannot be looked at: {error.what}", error.advice) from error
        return int(found[0][0]) if found else 0

    def _written(self, target: str, query: exp.Query, options: Sequence[exp.CopyParameter]) -> None:
        copy = exp.Copy(this=query.subquery(), kind=False, files=[literal(target)], params=[*options])
        try:
            self._connection.execute(copy)
        except EngineError as error:
            advice = error.advice or "check what the key may write"
            raise InputError(target, f"cannot be written: {error.what}", advice) from error


def partitions(columns: Sequence[str]) -> exp.CopyParameter:
    """Return the option of COPY that puts the rows of each value into a folder."""
    names = exp.Tuple(expressions=[exp.column(exp.to_identifier(name, quoted=True)) for name in columns])
    return exp.CopyParameter(this=exp.var("PARTITION_BY"), expression=names)


def _format(name: str) -> exp.CopyParameter:
    return exp.CopyParameter(this=exp.var("FORMAT"), expression=exp.var(name))


def _blob(path: str) -> exp.Table:
    return exp.Table(this=exp.Anonymous(this="read_blob", expressions=[literal(path)]))


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
