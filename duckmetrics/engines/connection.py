"""A connection to DuckDB: how it is opened, limited, shared and restored."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import near_names
from duckmetrics.engines.duckdb_errors import first_line, refused
from duckmetrics.engines.settings import (
    SCHEMES,
    SESSION,
    UTC,
    ZONE,
    Limits,
    SessionSettings,
    Statement,
    assignment,
    checked_limits,
    has_extension,
    has_variables,
    private_folder,
    read_zone,
    secret_options,
    set_usual,
)
from duckmetrics.engines.transactions import CallTransaction, second
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import file_format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from duckmetrics.errors import EngineError


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


# The secret of an object store, and the endpoint that the user may have set instead.
_SECRET = "duckmetrics_aws"
_ENDPOINT = "SELECT nullif(current_setting('s3_endpoint'), 's3.amazonaws.com')"
# The setting that keeps parts of remote files in memory.
_CACHE = "enable_external_file_cache"


@dataclass
class _Shared:
    """State that all engines on one connection of a caller share.

    Attributes:
        lock: held by the thread whose call uses the connection.
        left: temporary objects that are no longer needed. They are dropped by the next call, because a
            statement at any other time would end a result that the caller is reading.
        dropped: those that the open transaction dropped, which are back if it is undone.
        transaction: the transaction of the call that uses the connection.
        settings: those of the session that the call changes.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    left: list[tuple[str, str]] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    transaction: CallTransaction = field(default_factory=CallTransaction)
    settings: SessionSettings = field(default_factory=SessionSettings)


_SHARED: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, _Shared] = weakref.WeakKeyDictionary()
_SHARED_LOCK = threading.Lock()
# The connections that we opened and that are still there.
_OWN: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()


def _shared(connection: duckdb.DuckDBPyConnection) -> _Shared:
    with _SHARED_LOCK:
        return _SHARED.setdefault(connection, _Shared())


class DuckDBConnection:
    """A connection of the caller, or one of our own, and the temporary objects that we make on it.

    Args:
        given: a connection, the path of a database file, opened read-only, or None for a new one in memory.
        threads: the number of threads that DuckDB may use.
        memory_limit: such as "4GB"; more is spilled to disk.
        temp_directory: the folder for data that memory cannot hold.
        setup: statements that a connection of our own runs first.

    Attributes:
        raw: the connection of DuckDB itself.
        is_own: whether we opened it.
        is_new: whether its database has nothing but what we make in it.
        time_zone: the zone of the session during a call.
        lock: held by the thread whose call uses the connection.
        temporary: kind and name of each temporary object that is in use.
    """

    def __init__(
        self,
        given: duckdb.DuckDBPyConnection | str | os.PathLike[str] | None,
        threads: int | None,
        memory_limit: str | None,
        temp_directory: str | os.PathLike[str] | None,
        setup: Sequence[Statement] = (),
    ) -> None:
        self.is_own = not isinstance(given, duckdb.DuckDBPyConnection)
        self.is_new = given is None and not setup
        limits = checked_limits(threads, memory_limit, temp_directory, self.is_own)
        self.raw = _opened(given)
        self._limits = Limits(self.raw, self.is_own, limits)
        self.temporary: list[tuple[str, str]] = []
        self._shared = _shared(self.raw)
        self.lock = self._shared.lock
        if self.is_own:
            _OWN.add(self.raw)
            self._limits.set()
            for statement in setup:
                statement.run(self.raw)
        self.time_zone = UTC
        self.use_zone(None)
        self._finalizer = weakref.finalize(self, _leave, self._shared.left, self.temporary)

    # --- settings --------------------------------------------------------------------------------

    def use_zone(self, time_zone: str | None) -> None:
        """Let the next calls compute in a time zone; None for the one that is in use.

        Raises:
            InputError: there is no such zone.
        """
        if time_zone is not None:
            self.time_zone = read_zone(self.raw, time_zone)
        if self.is_new:  # all other settings are the usual ones
            self.raw.execute(assignment(ZONE, self.time_zone, SESSION))
        elif self.is_own:
            set_usual(self.raw, self.time_zone)

    @contextmanager
    def usual(self) -> Iterator[None]:
        """Give a caller's session the settings that results need, and then its own ones again."""
        if self.is_own:
            yield
            return
        with self.lock, self._shared.settings.usual(self.raw, self.time_zone):
            yield

    def reach(self, path: str) -> None:
        """Open an object store by AWS_* variables, on a connection of our own.

        A secret for the path, or an endpoint that is set, takes precedence. If DuckDB has no extension
        for object stores, nothing happens: the error comes when the object is read.

        Raises:
            InputError: a variable of the environment is not a URL.
        """
        is_meant = self.is_own and path.startswith(SCHEMES) and has_variables(os.environ)
        if not is_meant or not has_extension(self.raw):
            return
        secret = exp.Table(this=exp.func("which_secret", literal(path), literal("s3"), dialect=DIALECT))
        if self.rows(exp.select(exp.Star()).from_(secret)) or self.rows(_ENDPOINT)[0][0]:
            return
        options = secret_options(os.environ)
        # The parser has no node for this statement; the values are literals of its own.
        values = ", ".join(f"{name} {literal(value).sql(DIALECT)}" for name, value in options.items())
        sql = f"CREATE TEMPORARY SECRET {_SECRET} (TYPE s3, {values})"
        Statement("AWS_* variables", sql, tuple(map(str, options.values()))).run(self.raw)

    def without_cache(self) -> None:
        """Cache no parts of remote files, on a connection of our own, as they are read once.

        DuckDB also reads the columns between a part that it needs and one that is in the cache.
        """
        if self.is_own:
            self.execute(assignment(_CACHE, False))

    # --- statements ------------------------------------------------------------------------------

    def text(self, query: exp.Expr | str, pretty: bool = False, copy: bool = True) -> str:
        """Write a statement.

        Args:
            copy: whether the statement is needed again: to write it changes it.
        """
        return query if isinstance(query, str) else query.sql(DIALECT, pretty=pretty, copy=copy)

    def execute(self, query: exp.Expr | str) -> duckdb.DuckDBPyConnection:
        """Run a statement.

        Raises:
            EngineError: DuckDB refuses it.
        """
        text = self.text(query, copy=False)
        try:
            return self.raw.execute(text)
        except duckdb.Error as error:
            raise self.refused(error, text) from error
        except RuntimeError as error:  # the client raises it for Ctrl-C while a query runs
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from error
            raise

    def rows(self, query: exp.Expr | str) -> list[tuple[Any, ...]]:
        """Run a query and return its (few) rows."""
        with self.lock, self.usual():
            found = self.execute(query)
            try:
                return found.fetchall()
            except duckdb.InvalidInputException as error:
                # The client needs a further package for times with a zone; Arrow does not.
                if "pytz" not in str(error):
                    raise
            if abort := getattr(found, "abort", None):  # since 2.0, another statement has to wait for it
                abort()
            table = arrow_of(self.raw.sql(self.text(query)))
            return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def tried(self, query: exp.Expr) -> list[tuple[Any, ...]]:
        """Run a query over files that may fail, and then aborts no transaction.

        Raises:
            EngineError: DuckDB refuses it.
        """
        if self.is_own and not self.is_in_transaction:
            return self.rows(query)
        text = self.text(query)
        try:
            with self.lock, second(self.raw, self.time_zone) as other:
                return other.execute(text).fetchall()
        except duckdb.Error as error:
            raise refused(error, text) from error

    def refused(self, error: duckdb.Error, text: str) -> EngineError:
        """Return our error for a statement; after it aborted a transaction, all others have the same."""
        return self._shared.transaction.refused(error, text)

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction of this call is open."""
        return self._shared.transaction.is_open

    def columns(self, query: exp.Query) -> list[tuple[str, str]]:
        """Return the names and types of a query's columns without running it."""
        with self.lock, self.usual():
            described = self.execute(exp.Describe(this=query)).fetchall()
        return [(row[0], row[1]) for row in described]

    def create_view(self, name: str, text: str) -> None:
        """Make the user's own SQL a temporary view, where no step of ours is in its scope."""
        view = exp.Create(
            this=exp.to_table(name), kind="VIEW", expression=exp.Var(this=text),
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )  # fmt: skip
        self.raw.execute(view.sql(DIALECT))
        self.temporary.append(("VIEW", name))

    def register(self, name: str, table: Any) -> None:
        """Give a frame a name in SQL."""
        self.raw.register(name, table)
        self.temporary.append(("VIEW", name))

    # --- one call after another ------------------------------------------------------------------

    @contextmanager
    def exclusive(self, keep: bool = True) -> Iterator[None]:
        """Keep other threads from the connection for one call; drop what former calls left behind.

        Args:
            keep: whether results are read later from the tables that the call makes.
        """
        with self.lock, self.usual():
            self._sweep()
            if not self.is_new:
                refuse_other_functions(self.rows)
            before = len(self.temporary)
            is_needed = keep or self.is_own
            try:
                if not self.is_own:
                    self._limits.set()
                with self._shared.transaction.around(self.raw):
                    yield
            except BaseException:
                # The caller may keep the error, and with it all that its frames refer to.
                is_needed = False
                self._shared.left += self._shared.dropped
                raise
            finally:
                if not is_needed:
                    _leave(self._shared.left, self.temporary, before)
                    self._sweep()
                self.release()
                if not self._shared.transaction.is_open:
                    self._shared.dropped.clear()

    def see_one_moment(self) -> None:
        """Let the statements of this call see one state of each database, from now on.

        Raises:
            EngineError: an error aborted the transaction of the caller.
        """
        self._shared.transaction.begin(self.raw)

    def release(self) -> None:
        """Restore the settings of a caller's connection, and remove our macros from it."""
        self._limits.restore()
        macros = [made for made in self.temporary if made[0] == "MACRO"]
        self.temporary[:] = [made for made in self.temporary if made not in macros]
        self.temporary += self._drop(macros)

    def discard(self, kind: str, name: str) -> None:
        """Drop a temporary object that nothing reads any more."""
        self.temporary.remove((kind, name))
        self.temporary += self._drop([(kind, name)])

    def _sweep(self) -> None:
        self._shared.left[:] = self._drop(self._shared.left)

    def _drop(self, objects: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Drop temporary objects, and return those that an aborted transaction still keeps."""
        if self._shared.transaction.is_open:
            self._shared.dropped += objects
        return _drop(self.raw, objects)


@atexit.register
def _close_own() -> None:
    """Close our connections at the exit, because a closed database deletes the files that it spilled to."""
    for connection in list(_OWN):
        connection.close()


def arrow_of(relation: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return the rows of a relation as an Arrow table; DuckDB 1.4 has the older name only."""
    fetch = getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table
    return fetch()


def _opened(given: duckdb.DuckDBPyConnection | str | os.PathLike[str] | None) -> duckdb.DuckDBPyConnection:
    """Return a caller's connection as it is; open a file read-only, or else a database in memory."""
    if isinstance(given, duckdb.DuckDBPyConnection):
        return given
    if given is None:
        return duckdb.connect(config={"temp_directory": private_folder()})
    if not isinstance(given, str | os.PathLike):
        advice = "pass what duckdb.connect() returns, or the path of a database file"
        raise InputError("connection", f"{given!r} is not a connection of DuckDB", advice)
    path = Path(os.fspath(given))
    if not path.is_file():
        raise InputError(path, "no such database file", near_names.advice_for(str(path)))
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        advice = "give a DuckDB database file"
        if "lock" in str(error):
            advice = "close the program that writes to it, or copy the file"
        elif file_format(str(path)) is not None:
            advice = "name it as a table instead, because it is not a database"
        raise InputError(path, first_line(error), advice) from error


def _leave(left: list[tuple[str, str]], temporary: list[tuple[str, str]], start: int = 0) -> None:
    """Leave temporary objects to the next call, which drops them."""
    left += temporary[start:]
    del temporary[start:]


def _drop(connection: duckdb.DuckDBPyConnection, temporary: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop temporary objects, and return those that an aborted transaction still keeps."""
    kept: list[tuple[str, str]] = []
    for kind, name in reversed(temporary):
        try:
            # Before 30.30 or so, sqlglot writes `this`, and later the first of `tables`.
            parts = {"this": exp.to_table(name), "tables": [exp.to_table(name)]}
            connection.execute(exp.Drop(**parts, kind=kind, exists=True).sql(DIALECT))
        except duckdb.TransactionException:
            kept.insert(0, (kind, name))
        except duckdb.Error:
            continue
    return kept
