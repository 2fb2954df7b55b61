"""The macros as they ship with the package, or written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog, sql_root

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

MACROS_FILE = "duckmetrics.sql"


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


def macros_database(path: str | os.PathLike[str], progress: Callable[[float], None] | None = None) -> None:
    """Write a DuckDB database that holds the macros, to be attached as ``dm`` and called as ``dm.name(...)``.

    Every macro stands for itself, whatever the database is called there; DuckDB 1.4 can attach it.
    This takes a minute or two.

    Args:
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
    from duckmetrics.engines.macros_database import write_database
    from duckmetrics.macros.database import statements

    write_database(path, statements(catalog(), progress))
