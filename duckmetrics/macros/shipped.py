"""The macros as they ship with the package, or written anew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog, sql_root
from duckmetrics.macro_queries.macro import TEMPORARY

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

MACROS_FILE = "duckmetrics.sql"
# The usual name of an attached database of macros.
DATABASE = "dm"
_CREATED = re.compile(r"^CREATE OR REPLACE TEMP MACRO ", re.MULTILINE)
_NAMES = re.compile(rf"{_CREATED.pattern}(\w+)", re.MULTILINE)
# A call of a macro: the names of ours are in capitals where SQL calls them.
_CALLED = re.compile(r"(?<![\w.])\w+(?=\()")


def macros_sql() -> str:
    """Return the macros of the DuckDB shell as the text of one file, which ships with the package.

    They are temporary: they live in the session that executes the text, and work in read-only databases.

    Example:
        import duckdb
        connection = duckdb.connect()
        connection.execute(duckmetrics.macros_sql())
        query = "SELECT roc_auc(label, score) FROM 'data/breast_cancer/predictions.parquet'"
        connection.execute(query).fetchone()[0]  # 0.9952
    """
    shipped = macros_file()
    return shipped.read_text("utf-8") if shipped.is_file() else written_macros()


def macros_file() -> Path:
    """Return the path of the file of macros that ships with the package."""
    return sql_root() / MACROS_FILE


def written_macros() -> str:
    """Write the text of the file of macros from the definitions, which takes seconds."""
    from duckmetrics.macros.script import script

    return script(catalog())


def qualified(text: str, schema: str) -> str:
    """Return the text of the file of macros for a database that is attached under a name.

    The macros of an attached database are looked up in that of the session, so each call names its database.
    """
    text = text.replace(TEMPORARY, f"{schema}.")
    names = {*_NAMES.findall(text)}
    names |= {name.upper() for name in names}
    text = _CREATED.sub("CREATE OR REPLACE MACRO ", text)
    return _CALLED.sub(lambda found: f"{schema}.{found[0]}" if found[0] in names else found[0], text)


def macros_database(
    path: str | os.PathLike[str], progress: Callable[[float], None] | None = None, *, name: str = DATABASE
) -> None:
    """Write a DuckDB database that holds the macros, to be attached as ``dm`` and called as ``dm.name(...)``.

    The macros call each other by this name, so the database must be attached under it; DuckDB 1.4 can attach
    it.

    Args:
        path: the new file; an existing one is replaced only if it holds such macros.
        progress: called with the percent done, again and again.
        name: the name under which the database will be attached.

    Raises:
        InputError: no database can have the name, or the file holds something else.
        EngineError: the file cannot be written.

    Example:
        import duckdb
        duckmetrics.macros_database("duckmetrics.duckdb")
        connection = duckdb.connect()
        connection.execute("ATTACH 'duckmetrics.duckdb' AS dm (READ_ONLY)")
        connection.sql("FROM dm.duckmetrics_help()")
    """
    from duckmetrics.engines.macros_database import refuse_name, statements_of, write_database

    refuse_name(name)
    write_database(path, name, _counted(statements_of(qualified(macros_sql(), name)), progress))


def _counted(statements: Sequence[str], progress: Callable[[float], None] | None) -> Iterator[str]:
    """Yield statements, and tell after each how many percent of them have run."""
    for done, statement in enumerate(statements, start=1):
        yield statement
        if progress is not None:
            progress(100 * done / len(statements))
