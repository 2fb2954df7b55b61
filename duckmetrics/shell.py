"""The DuckDB shell with the macros loaded."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.api import macros_sql
from duckmetrics.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "duckdb"
HOME_FILE = Path("~/.duckdbrc")


def run(arguments: Sequence[str]) -> int:
    """Run the DuckDB shell on this terminal until it ends.

    Args:
        arguments: go on to the shell.
    Returns: its exit code.
    Raises:
        UnsupportedError: no DuckDB shell is installed.
    """
    program = find()
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "duckmetrics.sql"
        own = HOME_FILE.expanduser()
        read = f".read {own}\n" if own.is_file() else ""
        start.write_text(read + macros_sql(), "utf-8")
        return subprocess.run([program, "-init", str(start), *arguments], check=False).returncode


def find() -> str:
    """Return the path of the DuckDB shell: beside this Python, or on the PATH.

    Raises:
        UnsupportedError: there is none.
    """
    beside = Path(sys.executable).with_name(PROGRAM)
    program = str(beside) if beside.is_file() else shutil.which(PROGRAM)
    if program is None:
        raise UnsupportedError(
            f"{PROGRAM}: no such program; install the DuckDB shell with 'pip install duckdb-cli', or see "
            "https://duckdb.org/install"
        )
    return program
