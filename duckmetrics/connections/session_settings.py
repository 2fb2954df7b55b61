"""Settings of a session of DuckDB that decide about numbers: the usual ones for a call, then those before."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections.duckdb_errors import first_line, refused
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.expressions.folding import Value

ZONE, UTC = "TimeZone", "UTC"
# The usual values, as `duckdb_settings` writes them. Others give other rows, another order, another value
# of the same expression, or an error.
USUAL = {
    ZONE: UTC, "Calendar": "gregorian", "disable_timestamptz_casts": "false", "default_collation": "",
    "default_order": "ASCENDING", "default_null_order": "NULLS_LAST", "preserve_insertion_order": "true",
    "integer_division": "false", "ieee_floating_point_ops": "true", "old_implicit_casting": "false",
    "scalar_subquery_error_on_multiple_rows": "true", "dialect_compatibility_mode": "NONE",
    "errors_as_json": "false",
}  # fmt: skip
# Other names of the usual values.
_SAME = {"Etc/UTC": UTC, "ASC": "ASCENDING"}
SESSION, _LOCAL = "SESSION", "LOCAL"
# Those of the settings that this release has, found once.
_PRESENT: list[str] = []
# Aborts a transaction, as an error did before.
_ABORT = "SELECT error(text) FROM (VALUES ('')) AS aborted (text)"


def read_zone(connection: duckdb.DuckDBPyConnection, text: object) -> str:
    """Return the name of a time zone as the database of zones spells it.

    Raises:
        InputError: there is no such zone.
    """
    listed = exp.select("name").from_(exp.Table(this=exp.Anonymous(this="pg_timezone_names")))
    names = [name for (name,) in _rows(connection, listed)]
    found = {name.lower(): name for name in names}.get(str(text).lower())
    if found is None:
        advice = suggestion(str(text), names, "write one such as Europe/Berlin (--time-zone Europe/Berlin)")
        raise InputError(f"time_zone={text!r}", "no such time zone", advice)
    return found


@dataclass
class SessionSettings:
    """The settings of one connection, which calls on it change and put back; a call may be part of another.

    Attributes:
        depth: the number of calls that have begun and not ended.
        before: name, value and scope of the settings that are changed.
    """

    depth: int = 0
    before: list[tuple[str, str, str]] = field(default_factory=list)

    @contextmanager
    def usual(self, connection: duckdb.DuckDBPyConnection, zone: str) -> Iterator[None]:
        """Give a session the usual settings, and those of the caller at the end.

        Raises:
            InputError: the configuration is locked, and a setting is not the usual one.
        """
        self.depth += 1
        try:
            if self.depth == 1:
                self._set(connection, zone)
            yield
        finally:
            self.depth -= 1
            if not self.depth:
                self._restore(connection)

    def _set(self, connection: duckdb.DuckDBPyConnection, zone: str) -> None:
        unusual = _unusual(connection, zone)
        scopes = _scopes(connection) if unusual else {}
        for name, wanted, value in unusual:
            _assign(connection, name, wanted, value)
            self.before.append((name, value, scopes[name]))

    def _restore(self, connection: duckdb.DuckDBPyConnection) -> None:
        if not self.before:
            return
        before, self.before = self.before, []
        try:
            _give_back(connection, before)
        except duckdb.TransactionException:
            # An error aborted a transaction of the caller. It can only be rolled back, so that a new one that
            # is aborted, too, makes no difference to the caller.
            connection.execute("ROLLBACK")
            _give_back(connection, before)
            connection.execute("BEGIN TRANSACTION")
            try:
                connection.execute(_ABORT).fetchall()
            except duckdb.Error:
                return
        except duckdb.ConnectionException:  # the connection was closed
            return


def set_usual(connection: duckdb.DuckDBPyConnection, zone: str) -> None:
    """Give a session of our own the usual settings."""
    for name, wanted, value in _unusual(connection, zone):
        _assign(connection, name, wanted, value)


def _unusual(connection: duckdb.DuckDBPyConnection, zone: str) -> list[tuple[str, str, str]]:
    """Return each setting that is not as usual: its name, the value that it should have, and its value."""
    if not _PRESENT:
        _PRESENT.extend(_scopes(connection))
    (values,) = _rows(connection, exp.select(*map(_current, _PRESENT)))
    wanted = {**USUAL, ZONE: zone}
    return [
        (name, wanted[name], value)
        for name, value in zip(_PRESENT, values, strict=True)
        if _SAME.get(value, value) != _SAME.get(wanted[name], wanted[name])
    ]


def _scopes(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return those of the settings that this release has, and whether each was set for the session alone."""
    listed = exp.Table(this=exp.Anonymous(this="duckdb_settings"))
    query = exp.select("name", exp.column("scope")).from_(listed).where(exp.column("name").isin(*USUAL))
    return {row[0]: row[1] for row in _rows(connection, query)}


def _current(name: str) -> exp.Expr:
    return exp.cast(exp.func("current_setting", literal(name), dialect=DIALECT), "VARCHAR")


def _rows(connection: duckdb.DuckDBPyConnection, query: exp.Query) -> list[tuple[str, ...]]:
    text = query.sql(DIALECT)
    try:
        return connection.execute(text).fetchall()
    except duckdb.Error as error:
        raise refused(error, text) from error


def _assign(connection: duckdb.DuckDBPyConnection, name: str, wanted: str, value: str) -> None:
    try:
        connection.execute(assignment(name, wanted, SESSION))
    except duckdb.Error as error:
        advice = f"run SET {name} = '{wanted}' before its configuration is locked"
        if name == ZONE:
            advice = f"write time_zone={value!r} (--time-zone {value}), or {advice}"
        what = f"{name} is {value!r}, and results need {wanted!r}: {first_line(error)}"
        raise InputError("connection", what, advice) from error


def _give_back(connection: duckdb.DuckDBPyConnection, before: list[tuple[str, str, str]]) -> None:
    for name, value, scope in before:
        if scope != _LOCAL:
            connection.execute(f"RESET SESSION {name}")
            if _rows(connection, exp.select(_current(name))) == [(value,)]:
                continue
        connection.execute(assignment(name, value, SESSION))


def assignment(name: str, value: Value, scope: str | None = None) -> str:
    """Return the statement that sets an option of DuckDB."""
    equality = exp.EQ(this=exp.to_identifier(name), expression=literal(value))
    return exp.Set(expressions=[exp.SetItem(this=equality, kind=scope)]).sql(DIALECT)
