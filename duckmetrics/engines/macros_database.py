"""Database files that hold our macros."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from duckmetrics.connections.duckdb_errors import refused
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.outputs import targets

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

# The format that every supported DuckDB reads; macros with typed parameters ask for it.
OLDEST_STORAGE = "v1.4.0"
# Each of our macros has a comment, or a name that only ours have.
_CONTENTS = """SELECT
    (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_sequences())
        + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)
        + (SELECT count(*) FROM duckdb_types() WHERE NOT internal),
    count(*) FILTER (comment IS NULL AND NOT starts_with(function_name, 'duckmetrics_')),
    count(*) FILTER (function_name = 'duckmetrics_help')
    FROM duckdb_functions() WHERE NOT internal"""


def write_database(path: str | os.PathLike[str], name: str, statements: Iterable[str]) -> None:
    """Make a new database file by running statements in it, all in one transaction.

    See `outputs` for what may be replaced.

    Args:
        name: the name under which the database is attached, which the statements use.
        statements: create the contents; they run one by one, with the new database in use.

    Raises:
        InputError: the file cannot be written, or holds something else.
        EngineError: the database refuses a statement.
    """
    target = Path(path)
    targets.refuse(target, targets.DATABASE)
    if target.is_file() and target.stat().st_size and not holds_only_macros(target):
        raise InputError(path, "a database that holds more than our macros", "choose a new file")
    with targets.replacing(target, targets.DATABASE) as draft, duckdb.connect() as connection:
        place, version = (literal(text).sql("duckdb") for text in (str(draft), OLDEST_STORAGE))
        try:
            connection.execute(f"ATTACH {place} AS {name} (STORAGE_VERSION {version})")
            connection.execute(f"USE {name}")
            connection.execute("BEGIN")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute(f"USE memory; DETACH {name}")
        except duckdb.Error as error:
            raise refused(error, f"ATTACH {place}") from error


def refuse_name(name: str) -> None:
    """Refuse a name that no attached database can have, or that cannot stand before the name of a macro.

    Raises:
        InputError: it is a word of SQL, a database that is always there, or not a plain name.
    """
    try:
        if not name.isidentifier():
            raise ValueError(name)
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH ':memory:' AS {name}; CREATE MACRO {name}.one() AS 1")
    except (duckdb.Error, ValueError) as error:
        reason = f"{name!r} cannot be the name of a database with macros"
        raise InputError("name", reason, "choose a plain word, such as dm") from error


def statements_of(text: str) -> list[str]:
    """Return the statements of a text, one by one."""
    with duckdb.connect() as connection:
        return [statement.query for statement in connection.extract_statements(text)]


def holds_only_macros(path: Path) -> bool:
    """Return whether a database holds our macros, and nothing of anybody else."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            ((tables_and_views, others, own),) = connection.execute(_CONTENTS).fetchall()
    except duckdb.Error:
        return False
    return not tables_and_views and not others and own > 0
