"""Frames and relations of Python that DuckDB reads as tables."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.connections.duckdb_errors import first_line
from duckmetrics.engines.engine import new_name
from duckmetrics.errors import InputError, UnsupportedError
from duckmetrics.inputs.advice import COLUMNS, PAIRS, words_of
from duckmetrics.inputs.sources import Source, is_of_spark

if TYPE_CHECKING:
    import pyarrow as pa

    from duckmetrics.connections.connection import DuckDBConnection
    from duckmetrics.inputs.sources import Role

# Objects that compute, or fetch, their rows whenever they are read.
_DEAR = ("LazyFrame", "FileSystemDataset", "Dataset", "UnionDataset")
# Methods that return all rows as Arrow: of BigQuery and Iceberg, and of cursors of Snowflake and others.
_FETCHES = ("to_arrow", "fetch_arrow_all", "fetch_arrow_table", "fetchall_arrow")
_READ_ONCE = ("RecordBatchReader", "RecordBatch", "Scanner")


def frame_source(connection: DuckDBConnection, table: Any, role: Role) -> Source:
    """Take an Arrow, pandas or Polars frame, or a relation of this connection.

    Raises:
        InputError: it is not a table.
        UnsupportedError: it is a DataFrame of Spark.
    """
    kind, words = type(table).__name__, words_of(table)
    label = f"{role} ({'dict' if words in (COLUMNS, PAIRS) else kind})"
    if is_of_spark(table):
        raise UnsupportedError(
            label,
            "a DataFrame of Spark, whose rows would all pass through the driver",
            (
                "write it to Parquet, or hand over frame.toArrow() if it is small; check, evaluate, compare, "
                "leaderboard, explain and curve run on Spark"
            ),
        )
    name = new_name(role)
    table = _with_index(table)
    if isinstance(table, duckdb.DuckDBPyRelation):
        return replace(_relation(connection, table, name, label), frame=words)
    try:
        if kind in _READ_ONCE or not _registers(table):
            table = _streamed(table, label)
        connection.register(name, _with_wide_floats(table))
    except TypeError as error:
        raise InputError(
            label, "not a table", "give a path, a table name, SQL, a relation or a frame"
        ) from error
    except InputError:
        raise
    except Exception as error:  # each package has classes of its own
        raise InputError(label, first_line(error), "give another kind of table") from error
    return Source(label, exp.to_table(name), {}, ordered=True, in_place=kind not in _DEAR, frame=words)


def frame_columns(table: Any) -> list[str] | None:
    """Return the names of the columns of a frame, None if the object is not a frame."""
    schema = getattr(table, "schema", None)
    names = getattr(schema, "names", None) or getattr(table, "columns", None)
    is_frame = not isinstance(table, str | os.PathLike | list | tuple | duckdb.DuckDBPyRelation)
    return [str(name) for name in names] if is_frame and names is not None and not callable(names) else None


def _with_index(table: Any) -> Any:
    """Return a frame of pandas with its named index as columns, which DuckDB ignores; columns win."""
    names = getattr(getattr(table, "index", None), "names", None)
    if type(table).__module__.partition(".")[0] != "pandas" or names is None:
        return table
    new = [name for name in names if name is not None and name not in table.columns]
    return table.reset_index(level=new) if new else table


def _with_wide_floats(table: Any) -> Any:
    """Return a table of Arrow or Polars with its half floats as floats, because DuckDB has no half floats."""
    package = type(table).__module__.partition(".")[0]
    if package == "pyarrow" and hasattr(table, "cast"):
        import pyarrow as pa

        wide = {f.name: f.with_type(pa.float32()) for f in table.schema if pa.types.is_float16(f.type)}
        return table.cast(pa.schema([wide.get(f.name, f) for f in table.schema])) if wide else table
    if hasattr(table, "collect_schema") and "Float16" in map(str, table.collect_schema().dtypes()):
        from polars import Float16, Float32

        return table.cast({Float16: Float32})
    return table


def _registers(table: Any) -> bool:
    """Return whether DuckDB can scan the object itself."""
    module = type(table).__module__.partition(".")[0]
    return module in ("pandas", "pyarrow", "polars")


def _streamed(table: Any, label: str) -> pa.Table:
    """Read a stream that can be read only once into Arrow memory."""
    import pyarrow as pa

    if hasattr(table, "to_pyarrow_dataset"):  # of Delta
        return table.to_pyarrow_dataset().to_table()
    if type(table).__module__.partition(".")[0] == "datasets":
        return _of_hugging_face(table, label)
    if hasattr(type(table), "scan"):  # of Iceberg
        table = table.scan()
    fetch = next((name for name in _FETCHES if hasattr(table, name)), None)
    if fetch is not None and not hasattr(table, "__arrow_c_stream__"):
        table = getattr(table, fetch)()
        if table is None:  # as of Snowflake, whose cursor has no Arrow table without rows
            raise InputError(label, "no rows, or they were fetched already", "run the query again")
    if hasattr(table, "read_all"):
        return table.read_all()
    if hasattr(table, "to_table"):
        return table.to_table()
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    raise TypeError(label)


def _of_hugging_face(table: Any, label: str) -> pa.Table:
    """Read a dataset of Hugging Face, whose rows may be a selection of others, in another order."""
    if hasattr(table, "keys"):
        advice = f"give one of them, as in data[{next(iter(table), 'test')!r}]"
        raise InputError(label, f"has the splits {', '.join(map(str, table))}", advice)
    if not hasattr(table, "num_rows"):
        raise InputError(label, "is a stream, which is read only once", "load it with streaming=False")
    return table.with_format("arrow")[:]


def _relation(
    connection: DuckDBConnection, relation: duckdb.DuckDBPyRelation, name: str, label: str
) -> Source:
    try:
        # DuckDB refuses a relation of another database here, where its text would name our tables.
        connection.raw.sql("FROM relation LIMIT 0")
        connection.raw.sql(relation.sql_query())  # binds, because a failed statement aborts a transaction
        connection.see_one_moment()
        connection.create_view(name, relation.sql_query())
    except duckdb.Error as error:
        # A relation over frames, or of another connection, cannot be written as text.
        rows = relation.to_arrow_table()
        try:
            connection.register(name, rows)
        except duckdb.TransactionException:  # an older DuckDB, where the call has a transaction open
            advice = "hand over its rows, as in relation.to_arrow_table()"
            raise InputError(label, "is a relation of another connection", advice) from error
    return Source(label, exp.to_table(name), {})
