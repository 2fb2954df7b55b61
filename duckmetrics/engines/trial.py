"""A database without rows and without access to anything, in which DuckDB reads a text of a user."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb

from duckmetrics.engines.duckdb_errors import unbound
from duckmetrics.errors import EngineError
from duckmetrics.expressions.build import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Types = Sequence[tuple[str, str]]

# Nothing in this database reaches a file, the network, an extension or a variable of Python.
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "threads": 1,
}
_LINE = re.compile(r"^LINE (\d+):", re.M)
_KIND = re.compile(r"^(?:DuckDB: )?\w+(?: \w+)* Error: ")
_UNGROUPED = re.compile(r'column "([^"]+)" must appear in the GROUP BY')
_FUNCTION = re.compile(r"Function with name \S+ does not exist")


def column_types(
    tables: Mapping[str, Types],
    made: Mapping[str, str],
    text: str,
    values: Mapping[str, Any],
    read: Collection[str],
) -> dict[str, str] | None:
    """Return the columns and types of a query as DuckDB reads it; None if only its own database can tell.

    Args:
        tables: table -> the names and types of its columns.
        made: table -> the query that it comes from.
        text: one query.
        values: of its parameters.
        read: the tables that the text reads, whose columns it may name.

    Raises:
        EngineError: DuckDB refuses the text; the place is the line.
    """
    connection = _closed().cursor()
    connection.begin()
    try:
        return _types(connection, tables, made, text, values, read)
    finally:
        connection.close()  # which rolls back


@cache
def _closed() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config=CLOSED)


def _types(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, Types],
    made: Mapping[str, str],
    text: str,
    values: Mapping[str, Any],
    read: Collection[str],
) -> dict[str, str] | None:
    try:
        for name, types in tables.items():
            columns = ", ".join(f"{quoted(column).sql()} {type_}" for column, type_ in types)
            connection.execute(f"CREATE TABLE {quoted(name).sql()} ({columns})")
        for name, query in made.items():
            connection.execute(f"CREATE TABLE {quoted(name).sql()} AS {query}")
    except duckdb.Error:  # a type of an extension, for example
        return None
    columns = "SELECT DISTINCT column_name FROM duckdb_columns() WHERE table_name IN $read ORDER BY 1"
    known = [name for (name,) in connection.execute(columns, {"read": sorted(read)}).fetchall()]
    try:
        connection.execute(f"DESCRIBE{text}", values)
    except duckdb.Error as error:
        if _FUNCTION.search(str(error)):  # the connection of the user may have it
            return None
        raise _refused(error, known) from error
    return {str(name): str(type_) for name, type_, *_ in connection.fetchall()}


def _refused(error: duckdb.Error, known: Sequence[str]) -> EngineError:
    line, ungrouped = _LINE.search(str(error)), _UNGROUPED.search(str(error))
    if ungrouped is not None:
        what, advice = (
            f"{ungrouped[1]} stands outside of an aggregate",
            f"aggregate it, as in max({ungrouped[1]})",
        )
    else:
        what, advice = unbound(error, known, "fix the query")
    return EngineError(line[1] if line else "", said(what), advice)


def said(message: str) -> str:
    """Return the first line of a message of DuckDB, without the kind of the error."""
    return _KIND.sub("", message).partition("\n")[0].rstrip(".").removesuffix("; found ")
