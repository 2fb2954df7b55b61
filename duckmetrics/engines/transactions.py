"""One transaction around the statements of a call, so that all of them see one state of each database."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from duckmetrics.engines.duckdb_errors import refused
from duckmetrics.engines.settings import assignment, set_usual

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.errors import EngineError


# The time at which the transaction began. Without an open transaction, every statement has one of its own.
_BEGAN = "SELECT epoch_us(now())"
# The settings of this connection alone that say how stores of objects are reached.
_STORES = "SELECT name, value FROM duckdb_settings() WHERE scope = 'LOCAL' AND starts_with(name, 's3_')"


@dataclass
class CallTransaction:
    """The transaction of the call that uses a connection; a call may be part of another one.

    Attributes:
        depth: the number of calls that have begun and not ended.
        is_open: whether the transaction is open. It is ours, never one of the caller.
        failed: the first error within the call, which aborted the transaction.
    """

    depth: int = 0
    is_open: bool = False
    failed: EngineError | None = None

    @contextmanager
    def around(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """End the transaction with the outermost call; an error undoes it."""
        self.failed = self.failed if self.depth else None
        self.depth += 1
        end = "ROLLBACK"
        try:
            yield
            end = "COMMIT"
        finally:
            self.depth -= 1
            if self.is_open and not self.depth:
                self.is_open = False
                _end(connection, end)

    @contextmanager
    def within(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Run statements in one transaction."""
        with self.around(connection):
            self.begin(connection)
            yield

    def begin(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Open a transaction for the rest of the call, unless the caller has one open."""
        if self.is_open or not self.depth or is_in_transaction(connection):
            return
        connection.execute("BEGIN TRANSACTION")
        self.is_open = True

    def refused(self, error: duckdb.Error, text: str) -> EngineError:
        """Return our error for a statement; after an abort, the error that was its cause."""
        if isinstance(error, duckdb.TransactionException) and "aborted" in str(error) and self.failed:
            return self.failed
        self.failed = self.failed or refused(error, text)
        return refused(error, text)


def second(connection: duckdb.DuckDBPyConnection, zone: str) -> duckdb.DuckDBPyConnection:
    """Return a connection to the same database, on which an error aborts no transaction.

    It reaches stores of objects in the same way, and has the usual settings.
    """
    other = connection.cursor()
    set_usual(other, zone)
    for name, value in connection.execute(_STORES).fetchall():
        other.execute(assignment(name, value))
    return other


def is_in_transaction(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a transaction is open; a second BEGIN would abort it."""
    try:
        first, second = (connection.execute(_BEGAN).fetchall() for _ in range(2))
    except duckdb.Error as error:
        raise refused(error, _BEGAN) from error
    return first == second


def _end(connection: duckdb.DuckDBPyConnection, end: str) -> None:
    """Commit or roll back; a transaction that an error aborted cannot be committed."""
    try:
        connection.execute(end)
    except duckdb.Error as error:
        if end == "ROLLBACK":
            return  # the connection was closed, or DuckDB has rolled back itself
        _end(connection, "ROLLBACK")
        raise refused(error, end) from error
