"""Limits of a call: threads, memory, and the folder for more. They hold for the whole database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections.duckdb_errors import first_line
from duckmetrics.connections.session_settings import assignment
from duckmetrics.connections.spill_folder import writable_folder
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    import os

# Examples of the limits of a call.
_EXAMPLES = {"threads": 4, "memory_limit": "4GB", "temp_directory": "/tmp"}


def checked_limits(
    threads: int | None,
    memory_limit: str | None,
    temp_directory: str | os.PathLike[str] | None,
    is_own: bool,
) -> dict[str, int | str]:
    """Check the limits before a statement could abort a transaction of the caller.

    Raises:
        InputError: names the first that cannot be set.
    """
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise InputError(f"threads={threads!r}", "not a number of threads", "write threads=4")
    if memory_limit is not None and not is_own:
        raise InputError(
            f"memory_limit={memory_limit!r}",
            "DuckDB shows the limit of your connection rounded only, so it could not be put back",
            "run SET memory_limit = '4GB' on the connection",
        )
    folder = None if temp_directory is None else writable_folder(temp_directory)
    limits = {"threads": threads, "memory_limit": memory_limit, "temp_directory": folder}
    return {name: value for name, value in limits.items() if value is not None}


class Limits:
    """The limits of the calls on one connection, and those of a caller's connection before."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, is_own: bool, limits: dict[str, int | str]
    ) -> None:
        self._connection = connection
        self._is_own = is_own
        self._limits = limits
        self._before: dict[str, Any] = {}

    def set(self) -> None:
        """Set the limits; keep those of a caller's connection for `restore`.

        Raises:
            InputError: DuckDB refuses one.
        """
        for name, value in self._limits.items():
            try:
                if not self._is_own:
                    current = exp.func("current_setting", literal(name), dialect=DIALECT)
                    before = self._beside(exp.select(current).sql(DIALECT)).fetchall()[0][0]
                    self._before.setdefault(name, before)
                self._beside(assignment(name, value))
            except duckdb.Error as error:
                advice = f"write {name}={_EXAMPLES[name]!r} (--{name.replace('_', '-')} {_EXAMPLES[name]})"
                raise InputError(f"{name}={value!r}", first_line(error), advice) from error

    def restore(self) -> None:
        for name, value in self._before.items():
            self._beside(assignment(name, value))
        self._before.clear()

    def _beside(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement that holds for the whole database, outside of a transaction of the caller."""
        return (self._connection if self._is_own else self._connection.cursor()).execute(text)
