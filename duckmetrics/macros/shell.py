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

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import exact_path, file_format
from duckmetrics.macro_queries.shell_files import query_of
from duckmetrics.macros.shipped import macros_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog

PROGRAM = "duckdb"
HOME_FILE = Path("~/.duckdbrc")


def run(arguments: Sequence[str]) -> int:
    """Run the DuckDB shell on this terminal until it ends.

    Args:
        arguments: data files, which become views named after their stem; other arguments, a database
            and options, go to the shell.
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
    """Leave Ctrl-C to the shell: it ends a query in the shell, and must not end this process."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # the shell itself starts with the default
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def find() -> str:
    """Return the path of the DuckDB shell: in the folder of this Python, or on the PATH.

    Raises:
        UnsupportedError: there is no DuckDB shell.
    """
    neighbor = Path(sys.executable).with_name(PROGRAM)
    program = str(neighbor) if neighbor.is_file() else shutil.which(PROGRAM)
    if program is None:
        raise UnsupportedError(
            PROGRAM,
            "no such program",
            "install the DuckDB shell with 'pip install duckdb-cli', or see https://duckdb.org/install",
        )
    return program


def views(catalog: Catalog, files: Sequence[str]) -> str:
    """Write statements that make a temporary view of each data file, called by its stem.

    Raises:
        InputError: a file is not there, or two have one stem.
    """
    found: dict[str, str] = {}
    for file in files:
        name = Path(file).name.split(".")[0]
        if not Path(file).is_file():
            raise InputError(file, "no such file")
        if name in found:
            raise InputError(file, f"{found[name]} is called {name!r} too", "rename one, or open it alone")
        found[name] = file
    return "".join(_view(catalog, name, file) for name, file in found.items())


def _view(catalog: Catalog, name: str, file: str) -> str:
    view = exp.Create(
        this=exp.Table(this=exp.to_identifier(name, quoted=True)),
        kind="VIEW",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=_read(catalog, file),
    )
    return view.sql(DIALECT) + ";\n"


def _read(catalog: Catalog, file: str) -> exp.Query:
    format_ = file_format(file)
    if format_ == "trec":
        reader = "read_trec_qrels" if ".qrel" in file.lower() else "read_trec_run"
        return query_of(catalog, reader, {"path": literal(exact_path(file))})
    function = exp.Anonymous(this=f"read_{format_}", expressions=[literal(exact_path(file))])
    return exp.select("*").from_(exp.Table(this=function))
