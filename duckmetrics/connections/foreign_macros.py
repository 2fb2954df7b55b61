"""Macros of the caller that stand in for functions of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

# Macros that DuckDB finds before its own function of the same name.
_MACROS = """SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE NOT internal AND (database_name = 'temp'
        OR (database_name = current_database() AND list_contains(current_schemas(TRUE), schema_name)))"""
_BUILT_IN = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal"


def refuse_other_functions(rows: Callable[[str], list[tuple[Any, ...]]]) -> None:
    """Refuse macros that stand in for functions of DuckDB, because our queries would call them.

    Args:
        rows: runs a query on the connection.

    Raises:
        InputError: names them.
    """
    macros = [name for (name,) in rows(_MACROS)]
    if not macros:  # listing the functions again takes longer than many queries
        return
    own = {name for (name,) in rows(_BUILT_IN)}
    if found := sorted(name for name in macros if name.lower() in own):
        names = ", ".join(found)
        raise InputError(
            "connection",
            f"a macro stands in for the function {names} of DuckDB, which would change our numbers",
            "rename or drop it, or pass another connection",
        )
