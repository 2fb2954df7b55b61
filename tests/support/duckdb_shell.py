"""Calls of the macros of the DuckDB shell, in this process and on the command line."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from duckmetrics import macros_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Row = dict[str, Any]
_FREE: list[duckdb.DuckDBPyConnection] = []
# A value macro fails when it reads its message as a number.
OURS = re.compile(r"[\w ]*Error: (Could not convert string ')?duckmetrics: ")
ABOUT_INIT = re.compile(r"(\x1b\[\d+m)*-- Loading resources from \S+\n?(\x1b\[\d+m)*\n?")


@cache
def text() -> str:
    """Return the file that people load; a test checks that it matches the definitions."""
    return macros_sql()


def rows(session: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """Return the rows of a query, each by the names of its columns."""
    result = session.execute(query)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


@contextmanager
def connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a session that has loaded the file, in an empty database.

    Loading takes more than a second, so the next test gets the same session, emptied.
    """
    connection = _FREE.pop() if _FREE else _loaded()
    try:
        yield connection
    finally:  # also after a call that was refused
        _empty(connection)
        _FREE.append(connection)


def _empty(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what a test made."""
    connection.execute("USE memory.main")
    for kind in ("view", "table", "schema"):
        columns = "database_name, schema_name" + (f", {kind}_name" if kind != "schema" else "")
        query = f"SELECT {columns} FROM duckdb_{kind}s() WHERE NOT internal"
        for names in connection.execute(query).fetchall():
            dropped = ".".join('"' + name.replace('"', '""') + '"' for name in names)
            connection.execute(f"DROP {kind} IF EXISTS {dropped} CASCADE")


def _loaded() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(text())
    return connection


def call(macro: str, predictions: str = "predictions", truth: str = "truth", **arguments: Any) -> str:
    """Write a call of a macro of rankings."""
    named = (f'"{name}" := {written(value)}' for name, value in arguments.items())
    return f"FROM {macro}({', '.join([written(predictions), written(truth), *named])})"


def unweighted(table: str) -> str:
    """Write a query of a table without a column `weight`, which macros take only if a call names it."""
    return f"SELECT COLUMNS(lambda c: lower(c) <> 'weight') FROM {table}"


def written(value: Any) -> str:
    """Write a value of Python as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return str(value)


def same(found: Any, wanted: Any) -> bool:
    """Return whether two values, rows or lists are the same: numbers up to their last digits.

    A sum of doubles has no order in SQL. So even results of Python differ in the last bits between two
    runs, and with the other metrics of the call.
    """
    if isinstance(wanted, float):
        return type(found) is float and math.isclose(found, wanted, rel_tol=1e-13, abs_tol=1e-15)
    if isinstance(wanted, list | tuple):
        return type(found) is type(wanted) and len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, dict):
        return isinstance(found, dict) and same([*found.items()], [*wanted.items()])
    return type(found) is type(wanted) and bool(found == wanted)


def differences(found: Sequence[Any], wanted: Sequence[Any]) -> list[str]:
    """Return where rows differ from the expected ones, in their order."""
    if len(found) != len(wanted):
        return [f"{len(found)} rows, should be {len(wanted)}: {found} {wanted}"]
    pairs = zip(found, wanted, strict=True)
    return [f"is {row!r}, should be {other!r}" for row, other in pairs if not same(row, other)]


def refusal(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """Return the message of a macro that must refuse the call."""
    with pytest.raises(duckdb.Error) as raised:
        connection.execute(query).fetchall()
    message = str(raised.value)
    assert OURS.match(message), f"{query}\nis not refused in words of ours: {message}"
    return message


def comments(session: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    """Return name, kind and comment of every macro that people call, with the lines that comments share."""
    ((shared,),) = session.execute("SELECT string_split(duckmetrics_fn_help_lines(), chr(10))").fetchall()
    found = []
    query = """
        SELECT DISTINCT function_name, function_type, comment FROM duckdb_functions()
        WHERE starts_with(comment, 'duckmetrics') ORDER BY ALL
    """
    for name, kind, comment in session.execute(query).fetchall():
        lines = []
        for line in comment.split("\n"):
            first, _, last = line.removeprefix("~").partition("-")
            lines += shared[int(first) - 1 : int(last or first)] if line.startswith("~") else [line]
        found.append((name, kind, "\n".join(lines)))
    return found


def executable() -> str:
    """Return the command duckdb: that of this environment, or the one on the path."""
    neighbor = shutil.which("duckdb", path=str(Path(sys.executable).parent))
    found = neighbor or shutil.which("duckdb")
    if found is None:
        pytest.fail(f"no command 'duckdb' next to {sys.executable} or on PATH; pip install duckdb-cli")
    return found


class CommandLine:
    """Runs the DuckDB shell, each time as a new process that loads the file first."""

    def __init__(self, folder: Path) -> None:
        self.executable = executable()
        self.init = folder / "duckmetrics.sql"
        self.init.write_text(text(), "utf-8")

    def run(self, script: str) -> list[list[Row]]:
        """Return the rows of every query of a script; no query may fail."""
        done = self.process(script)
        assert done.returncode == 0, done.stderr
        assert not ABOUT_INIT.sub("", done.stderr), done.stderr
        return list(_documents(done.stdout))

    def process(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.executable, "-init", str(self.init), "-batch", "-bail", "-json"],
            input=script, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip


def _documents(printed: str) -> Iterator[list[Row]]:
    """Yield the JSON of each query."""
    decoder = json.JSONDecoder()
    rest = printed.lstrip()
    while rest:
        document, end = decoder.raw_decode(rest)
        yield document
        rest = rest[end:].lstrip()
