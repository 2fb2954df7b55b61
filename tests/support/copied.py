"""The texts that the page offers to copy, run where a reader pastes them; each returns rows."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Row = Mapping[str, Any]


def key_of(row: Row) -> tuple[object, ...]:
    """Return what distinguishes the rows of a result."""
    return row["system"], row["metric"], row["slice"], row.get("country") or row.get("radius")


def by_command(text: str, folder: Path) -> list[Row]:
    """Run a copied command."""
    words = shlex.split(text.replace("\\\n", " "))
    assert words[0] == "duckmetrics"
    done = subprocess.run(
        [sys.executable, "-m", "duckmetrics", *words[1:], "--format", "json"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows: list[Row] = json.loads(done.stdout)["rows"]
    return rows


def by_python(text: str, folder: Path) -> list[Row]:
    """Run copied Python."""
    more = "import json\nprint()\nprint(json.dumps(result.summary.to_pylist(), default=str))"
    done = subprocess.run(
        [sys.executable, "-c", f"{text}\n{more}"], cwd=folder, capture_output=True, text=True, check=True
    )
    rows: list[Row] = json.loads(done.stdout.splitlines()[-1])
    return rows


def by_sql(text: str, folder: Path) -> list[Row]:
    """Run SQL as `duckmetrics shell` does: each file that the first line names is a view."""
    connection = duckdb.connect()
    connection.execute(duckmetrics.macros_sql())
    first, _, rest = text.partition("\n")
    for file in shlex.split(first.removeprefix("-- duckmetrics shell ")):
        path = folder / file
        connection.execute(f"CREATE VIEW {path.stem} AS FROM '{path}'")
    *before, last = connection.extract_statements(rest)
    for statement in before:
        connection.execute(statement)
    result = connection.execute(last)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


ELSEWHERE = {"command": by_command, "python": by_python, "sql": by_sql}
