"""Table arguments as frames of Apache Spark, and the types of their columns."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import lakes
from duckmetrics.engines.spark_sessions import cause, is_of_spark, of_session
from duckmetrics.errors import InputError
from duckmetrics.inputs.sources import file_format, kind_of_text, label_of_sql, refuse_volatile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from duckmetrics.inputs.sources import Role


SPARK = "spark"
_FORMATS = ("parquet", "csv", "json", "orc")
# A table as Spark's SQL names a path: delta.`s3a://bucket/run`.
_PATH_OF_FORMAT = re.compile(r"(?P<format>[a-z]\w*)\.`(?P<path>[^`]+)`", re.I)
# The names of Spark's types in DuckDB.
_TYPES = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB", "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
# Spark's name of the type of a vector, which SQL cannot read.
VECTOR = "vector"


class SparkTables:
    """Finds the tables of a call in a session.

    Args:
        session: the caller's.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def found(self, table: Any, role: Role) -> tuple[str, DataFrame]:
        """Return the name of a table argument in messages, and its frame."""
        if hasattr(table, "createOrReplaceTempView"):
            label = f"{role} ({type(table).__name__})"
            if not of_session(table, self._session):
                raise InputError(
                    label,
                    "belongs to another session of Spark",
                    "make all tables with one session, and give that as engine=",
                )
            _refuse_repeated(label, table.schema.names)
            return label, table
        if isinstance(table, os.PathLike):
            return self._file([os.fspath(table)])
        if isinstance(table, list | tuple) and all(isinstance(p, str | os.PathLike) for p in table):
            return self._file([os.fspath(p) for p in table])
        if not isinstance(table, str):
            raise InputError(
                f"{role} ({type(table).__name__})",
                "not a table of Spark",
                (
                    "give a path, a table or view, SQL, or a DataFrame of Spark "
                    "(session.createDataFrame(...) makes one)"
                ),
            )
        if (named := _PATH_OF_FORMAT.fullmatch(table)) is not None:
            return self._path_of_format(table, named["format"].lower(), named["path"])
        kind = kind_of_text(table)
        text = table.removeprefix(f"{kind}:")
        if kind == "sql":
            refuse_volatile(label_of_sql(text), text, "spark")
            return self._read(label_of_sql(text), lambda: self._session.sql(text))
        if kind == "file":
            return self._file([text])
        return self._table(text) if kind == "table" else self._named(text)

    def _table(self, name: str) -> tuple[str, DataFrame]:
        return self._read(name, lambda: self._session.table(name))

    def _named(self, name: str) -> tuple[str, DataFrame]:
        """Read a table or view, or else a folder of this name.

        Raises:
            InputError: there is neither, or both.
        """
        if not os.path.exists(expanded(name)):
            return self._table(name)
        if self._session.catalog.tableExists(name):
            raise InputError(name, "is a table and a folder", f"write 'table:{name}' or 'file:{name}'")
        return self._file([os.path.abspath(expanded(name))])

    def _path_of_format(self, text: str, format_: str, path: str) -> tuple[str, DataFrame]:
        if format_ in _FORMATS:
            lakes.refuse(path, SPARK, not file_format(path), self._first_file)
        return self._table(text)

    def _format_of(self, path: str) -> str:
        """Return the format of a file by its suffix, of a folder by its files; usually Parquet."""
        if path.lower().endswith(".orc"):
            return "orc"
        inside = (one for one in _FORMATS if self._first_file(f"{expanded(path).rstrip('/')}/*.{one}*"))
        return file_format(path) or next(inside, "parquet")

    def _file(self, paths: list[str]) -> tuple[str, DataFrame]:
        """Read files, or folders of files, as Spark writes them."""
        label = ", ".join(paths)
        formats = {self._format_of(path) for path in paths}
        if len(formats) != 1 or not formats <= set(_FORMATS):
            raise InputError(label, f"Spark reads {', '.join(_FORMATS)} here", "write one of these")
        (kind,) = formats
        for path in paths:
            lakes.refuse(expanded(path), SPARK, not file_format(path), self._first_file)
        reader = self._session.read
        if kind == "csv":
            reader = reader.option("header", True).option("inferSchema", True)
        return self._read(label, lambda: reader.format(kind).load([expanded(path) for path in paths]))

    def _first_file(self, pattern: str) -> str | None:
        """Return one file of a pattern, as this process or Spark sees it; None if there is none."""
        if "://" not in pattern:
            return next(glob.iglob(pattern, recursive=True), None)
        if "/**/" in pattern or "/../" in pattern:
            return None  # Hadoop has no such patterns
        try:
            return next(iter(self._session.read.text(pattern).inputFiles()), None)
        except Exception as error:
            if not is_of_spark(error):
                raise
            return None

    def _read(self, label: str, read: Callable[[], DataFrame]) -> tuple[str, DataFrame]:
        try:
            frame = read()
            _refuse_repeated(label, frame.schema.names)
            return label, frame
        except Exception as error:
            if not is_of_spark(error):
                raise
            raise InputError(label, cause(error), "check the name or path") from error


def _refuse_repeated(label: str, names: Sequence[str]) -> None:
    """Refuse a frame, such as that of a join, in which a name could mean two columns.

    Raises:
        InputError: names the columns.
    """
    repeated = [repr(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        advice = "drop or rename one of each, as frame.drop(other[...]) does after a join"
        raise InputError(label, f"several columns are called {', '.join(repeated)}", advice)


def told_apart(frame: DataFrame) -> tuple[DataFrame, dict[str, str]]:
    """Return a frame in which letter case distinguishes no columns, and the names that it changed."""
    taken = Counter(name.lower() for name in frame.schema.names)
    changed = {
        name: f"{name} ({place})" for place, name in enumerate(frame.schema.names) if taken[name.lower()] > 1
    }
    return frame.toDF(
        *(changed.get(name, name) for name in frame.schema.names)
    ) if changed else frame, changed


def columns_of(frame: DataFrame) -> dict[str, str]:
    return {field.name: _type_of(field.dataType) for field in frame.schema.fields}


def _type_of(type_: Any) -> str:
    """Return DuckDB's name of a type of Spark."""
    if hasattr(type_, "elementType"):
        return f"{_type_of(type_.elementType)}[]"
    if hasattr(type_, "fields"):
        fields = (f"{_quoted_name(field.name)} {_type_of(field.dataType)}" for field in type_.fields)
        return f"STRUCT({', '.join(fields)})"
    text: str = type_.simpleString()
    return _TYPES.get(text, text.upper())


def _quoted_name(name: str, dialect: str = DIALECT) -> str:
    return exp.Identifier(this=name, quoted=True).sql(dialect)


def with_lists(frame: DataFrame) -> DataFrame:
    """Return a frame with the vectors of Spark ML as lists, which SQL can read."""
    vectors = [field.name for field in frame.schema.fields if field.dataType.simpleString() == VECTOR]
    if not vectors:
        return frame
    from pyspark.ml.functions import vector_to_array

    return frame.withColumns({name: vector_to_array(frame[_quoted_name(name, SPARK)]) for name in vectors})


def expanded(path: str) -> str:
    return os.path.expanduser(path)
