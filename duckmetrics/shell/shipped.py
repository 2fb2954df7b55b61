"""The macros as they ship with the package, for a session, a database, or DuckDB's own shell."""

from __future__ import annotations

import gc
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import add, catalog, catalog_with, known_everywhere, sql_root
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import exact_path, file_format
from duckmetrics.shell.macro import TEMPORARY, query_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog


MACROS_FILE = "duckmetrics.sql"
# The usual name of an attached database of macros.
DATABASE = "dm"
_CREATED = re.compile(r"^CREATE OR REPLACE TEMP MACRO ", re.MULTILINE)
_NAMES = re.compile(rf"{_CREATED.pattern}(\w+)", re.MULTILINE)
# A macro of a user may have a name between quotes, which no other macro calls.
_QUOTED = re.compile(r'^(CREATE OR REPLACE MACRO )(?=")', re.MULTILINE)
# A call of a macro: the names of ours are in capitals where SQL calls them.
_CALLED = re.compile(r"(?<![\w.])\w+(?=\()")


def macros_sql(definitions: Any = ()) -> str:
    """Return the macros of the DuckDB shell as the text of one file, which ships with the package.

    They are temporary: they live in the session that executes the text, and work in read-only databases.

    Args:
        definitions: files and folders of metrics of your own, which get macros like ours. The text is then
            written anew, which takes minutes. Metrics of packages and of DUCKMETRICS_PATH are
            always there.

    Raises:
        MetricError: there is no such file or folder.
        DefinitionError: a file is no definition of a metric, or its name cannot be that of a macro.

    Example:
        import duckdb
        connection = duckdb.connect()
        connection.execute(duckmetrics.macros_sql())
        query = "SELECT roc_auc(label, score) FROM 'data/breast_cancer/predictions.parquet'"
        connection.execute(query).fetchone()[0]  # 0.9952
    """
    names = [*known_everywhere(), *add(definitions)]
    if names:
        return written_macros(names)
    shipped = macros_file()
    return shipped.read_text("utf-8") if shipped.is_file() else written_macros()


def macros_file() -> Path:
    """Return the path of the file of macros that ships with the package."""
    return sql_root() / MACROS_FILE


def written_macros(names: Collection[str] = ()) -> str:
    """Write the text of the file of macros from the definitions, which takes minutes.

    Args:
        names: the metrics of users that it has, too.
    """
    from duckmetrics.shell.script import script

    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])  # a third of the time goes into looking for garbage
    try:
        return script(catalog_with(names))
    finally:
        gc.set_threshold(*before)


def qualified(text: str, schema: str) -> str:
    """Return the text of the file of macros for a database that is attached under a name.

    The macros of an attached database are looked up in that of the session, so each call names its database.
    """
    text = text.replace(TEMPORARY, f"{schema}.")
    names = {*_NAMES.findall(text)}
    names |= {name.upper() for name in names}
    text = _CREATED.sub("CREATE OR REPLACE MACRO ", text)
    text = _QUOTED.sub(rf"\1{schema}.", text)
    return _CALLED.sub(lambda found: f"{schema}.{found[0]}" if found[0] in names else found[0], text)


def macros_database(
    path: str | os.PathLike[str],
    progress: Callable[[float], None] | None = None,
    *,
    name: str = DATABASE,
    definitions: Any = (),
) -> None:
    """Write a DuckDB database that holds the macros, to be attached as ``dm`` and called as ``dm.name(...)``.

    The macros call each other by this name, so the database must be attached under it; DuckDB 1.4 can attach
    it.

    Args:
        path: the new file; an existing one is replaced only if it holds such macros.
        progress: called with the percent done, again and again.
        name: the name under which the database will be attached.
        definitions: files and folders of metrics of your own, as `macros_sql` takes them.

    Raises:
        InputError: no database can have the name, or the file holds something else.
        EngineError: the file cannot be written.

    Example:
        import duckdb
        duckmetrics.macros_database("duckmetrics.duckdb")
        connection = duckdb.connect()
        connection.execute("ATTACH 'duckmetrics.duckdb' AS dm (READ_ONLY)")
        connection.sql("FROM dm.duckmetrics_help()")
    """
    from duckmetrics.engines.results_database import refuse_name, statements_of, write_database

    refuse_name(name)
    write_database(path, name, _counted(statements_of(qualified(macros_sql(definitions), name)), progress))


def _counted(statements: Sequence[str], progress: Callable[[float], None] | None) -> Iterator[str]:
    """Yield statements, and tell after each how many percent of them have run."""
    for done, statement in enumerate(statements, start=1):
        yield statement
        if progress is not None:
            progress(100 * done / len(statements))


PROGRAM = "duckdb"
HOME_FILE = Path("~/.duckdbrc")


def run(arguments: Sequence[str], definitions: Sequence[str] = ()) -> int:
    """Run the DuckDB shell on this terminal until it ends.

    Args:
        arguments: data files, which become views named after their stem; other arguments, a database
            and options, go to the shell.
        definitions: files and folders of metrics of the user.
    Returns: its exit code.
    Raises:
        InputError: a data file is not there.
        UnsupportedError: no DuckDB shell is installed.
    """
    program = find()
    macros = macros_sql(definitions)
    files = [given for given in takewhile(lambda text: text[:1] != "-", arguments) if file_format(given)]
    rest = [given for given in arguments if given not in files]
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "duckmetrics.sql"
        own = HOME_FILE.expanduser()
        read = f'.read "{own}"\n' if own.is_file() else ""
        start.write_text(read + macros + (views(catalog(), files) if files else ""), "utf-8")
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
