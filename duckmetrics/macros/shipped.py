"""The macros as they ship with the package, or written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog, sql_root

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

MACROS_FILE, DATABASE_FILE = "duckmetrics.sql", "duckmetrics_database.sql"


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


def database_file() -> Path:
    """Return the path of the file with the macros of a database, which ships with the package."""
    return sql_root() / DATABASE_FILE


def written_database_macros() -> str:
    """Write the text of the macros of a database from the definitions, which takes minutes."""
    from duckmetrics.macros.database import database_script

    return database_script(catalog())


def macros_database(path: str | os.PathLike[str], progress: Callable[[float], None] | None = None) -> None:
    """Write a DuckDB database that holds the macros, to be attached as ``dm`` and called as ``dm.name(...)``.

    Every macro stands for itself, whatever the database is called there; DuckDB 1.4 can attach it.
    This takes some seconds.

    Args:
        path: the new file; an existing one is replaced only if it holds such macros.
        progress: called with the percent done, again and again.

    Raises:
        EngineError: the file cannot be written.

    Example:
        import duckdb
        duckmetrics.macros_database("duckmetrics.duckdb")
        connection = duckdb.connect()
        connection.execute("ATTACH 'duckmetrics.duckdb' AS dm (READ_ONLY)")
        connection.sql("FROM dm.duckmetrics_help()")
    """
    from duckmetrics.engines.macros_database import statements_of, write_database

    shipped = database_file()
    text = shipped.read_text("utf-8") if shipped.is_file() else written_database_macros()
    write_database(path, _counted(statements_of(text), progress))


def _counted(statements: Sequence[str], progress: Callable[[float], None] | None) -> Iterator[str]:
    """Yield statements, and tell after each how many percent of them have run."""
    for done, statement in enumerate(statements, start=1):
        yield statement
        if progress is not None:
            progress(100 * done / len(statements))
