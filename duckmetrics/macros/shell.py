"""The DuckDB shell with the macros loaded."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.errors import UnsupportedError
from duckmetrics.inputs.sources import file_format
from duckmetrics.macros.data_views import views
from duckmetrics.macros.shipped import macros_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROGRAM = "duckdb"
HOME_FILE = Path("~/.duckdbrc")


def run(arguments: Sequence[str]) -> int:
    """Run the DuckDB shell on this terminal until it ends.

    Args:
        arguments: data files, which become views called by their stem; what else there is, a database
            and options, goes on to the shell.
    Returns: its exit code.
    Raises:
        InputError: a data file is not there.
        UnsupportedError: no DuckDB shell is installed.
    """
    program = find()
    files = [given for given in takewhile(lambda text: text[:1] != "-", arguments) if file_format(given)]
    rest = [given for given in arguments if given not in files]
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "duckmetrics.sql"
        own = HOME_FILE.expanduser()
        read = f'.read "{own}"\n' if own.is_file() else ""
        start.write_text(read + macros_sql() + (views(catalog(), files) if files else ""), "utf-8")
        with _interrupts_ignored():
            return subprocess.run([program, "-init", str(start), *rest], check=False).returncode


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Leave Ctrl-C to the shell: it ends a query there, and must not end this process."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # the shell itself starts with the default
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def find() -> str:
    """Return the path of the DuckDB shell: in the folder of this Python, or on the PATH.

    Raises:
        UnsupportedError: there is none.
    """
    beside = Path(sys.executable).with_name(PROGRAM)
    program = str(beside) if beside.is_file() else shutil.which(PROGRAM)
    if program is None:
        raise UnsupportedError(
            PROGRAM,
            "no such program",
            "install the DuckDB shell with 'pip install duckdb-cli', or see https://duckdb.org/install",
        )
    return program
