"""The tables of databases that a command appends its results to, and the objects that it writes."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli.config import from_file
from duckmetrics.engines import targets
from duckmetrics.engines.targets import DATABASE_SUFFIXES, refuse_url, url_of
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.results_database import Rows

# The options that name files to write; all others may name files to read.
WRITTEN = ("output", "per_query", "movers")
# The same, with those that no table and no object can be.
FILES = (*WRITTEN, "junit")
# The key, next to the options, that says whether the columns of the results are known before.
KNOWN = "are_columns_known"
# The key of the options that holds the suffixes of the results with their formats.
SUFFIXES_OF = "suffixes"
# Each option that names a file, and the one that names the table if that file is a database.
TABLES = {"output": ("-o", "--table"), "per_query": ("--per-query", "--per-query-table")}
TABLE_OPTIONS = {"output": "output_table", "per_query": "per_query_table"}


def is_database(path: str | Path | None) -> bool:
    """Return whether a file has a suffix of DuckDB databases."""
    return path is not None and Path(path).suffix.lower() in DATABASE_SUFFIXES


def goes_to_table(options: Mapping[str, Any], option: str) -> bool:
    """Return whether results go to a table: of a database file, or of an attached database."""
    target = options.get(option)
    return (option in TABLES and is_database(target)) or attached_name(options, target) is not None


def checked_tables(options: dict[str, Any]) -> None:
    """Refuse tables that cannot take results, before anything is computed.

    Raises:
        InputError: a database without a table, or one that cannot take the results.
        UsageError: a table or the name of a run without a database.
    """
    from duckmetrics.engines.results_database import checked_run, refuse

    named: dict[Path, list[str]] = {}
    for option in TABLES:
        path, table = options.get(option), _table_of(options, option)
        flag, table_flag = TABLES[option]
        if is_database(path) and table is None:
            advice = f"write {flag} {shlex.quote(str(path))} {table_flag} metrics"
            raise InputError(path, "is a database, and no table is named", advice)
        if not is_database(path) and table is not None and not from_file(TABLE_OPTIONS[option]):
            raise click.UsageError(
                f"{table_flag} {table}: there is no database; write {flag} results.duckdb {table_flag} "
                f"{shlex.quote(table)}"
            )
        if is_database(path) and table is not None:
            named.setdefault(Path(str(path)), []).append(table)
    checked_run(options.get("run_id"))
    is_any = named or any(goes_to_table(options, option) for option in WRITTEN)
    is_any = is_any or bool(options.get("mlflow")) or options.get("log") is not None
    if options.get("run_id") is not None and not is_any and not from_file("run_id"):
        raise click.UsageError("--run-id: there is no database; add -o results.duckdb --table metrics")
    if goes_to_table(options, "output") and options["format_"] is not None:
        raise click.UsageError(
            f"--format: {options['output']} is a database, whose tables have none; drop it"
        )
    for path, tables in named.items():
        if len(set(tables)) < len(tables):
            raise click.UsageError(f"two results would go to the table {tables[0]}; give each its own")
        refuse(path, tables)


def _table_of(options: dict[str, Any], option: str) -> str | None:
    table: str | None = options.get(TABLE_OPTIONS[option])
    return table


def scratch(options: dict[str, Any]) -> Path:
    """Return a private folder for rows on their way to a database; it is deleted when the command ends."""
    asked = options["temp_directory"]
    parent = asked if asked is not None and Path(asked).is_dir() else None  # DuckDB makes it, if it needs it
    folder = tempfile.TemporaryDirectory(prefix="duckmetrics-", dir=parent)
    return Path(click.get_current_context().with_resource(folder))


def rows_of(options: dict[str, Any], option: str, source: Path) -> Rows:
    """Return the rows of a Parquet file with the table that the option names."""
    from duckmetrics.engines.results_database import Rows

    is_attached = attached_name(options, options[option]) is not None
    return Rows(str(options[option] if is_attached else _table_of(options, option)), source)


def append_all(options: dict[str, Any], engine: Engine, rows: dict[str, Rows]) -> None:
    """Append rows to their tables, those of one database in one transaction.

    Args:
        engine: has the attached databases, and is then closed, because it may have a file open.
        rows: by the option that names their database.
    """
    from duckmetrics.engines.results_database import append

    run: str | None = options.get("run_id")
    parts: dict[Path, list[Rows]] = {}
    attached: dict[str, list[Rows]] = {}
    for option, part in rows.items():
        name = attached_name(options, options[option])
        if name is None:
            parts.setdefault(Path(str(options[option])), []).append(part)
        else:
            attached.setdefault(name, []).append(part)
    for several in attached.values():
        run = append(connection_of(engine), several, run)
    engine.close()
    for path, several in parts.items():
        run = append(path, several, run)


# --- results that only a connection reaches ----------------------------------------------------------


def attached_name(options: Mapping[str, Any], target: str | Path | None) -> str | None:
    """Return the name of the attached database that a target such as wh.results is a table of."""
    text = "" if target is None else str(target)
    first, dot, _ = text.partition(".")
    names = [pair.partition("=")[0] for pair in options.get("attach") or ()]
    return first if dot and "/" not in text and first in names else None


def written_databases(options: Mapping[str, Any]) -> set[str]:
    """Return the names of the attached databases that results go to."""
    names = (attached_name(options, options.get(option)) for option in WRITTEN)
    return {name for name in names if name is not None}


def refuse_urls(options: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse objects that are inputs, before anything is computed."""
    given = list(inputs)
    for url, _ in _urls(options):
        refuse_url(url, given)


def refuse_targets(options: Mapping[str, Any], engine: Engine) -> None:
    """Refuse objects that must not be replaced, and tables that cannot take results.

    Raises:
        InputError: names one.
    """
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.engines.results_database import refuse_on

    reached = engine.results()
    if not isinstance(reached, DuckDBEngine):
        return
    for url, format_ in _urls(options):
        if not options.get("partition_by"):
            reached.store.refuse(
                url, format_, known=options.get(KNOWN, False) or url != url_of(options["output"])
            )
    tables = [str(options[name]) for name in WRITTEN if attached_name(options, options.get(name))]
    if len(set(tables)) < len(tables):
        raise click.UsageError(f"two results would go to the table {tables[0]}; give each its own")
    refuse_on(reached.connection, tables)


def connection_of(engine: Engine) -> Any:
    """Return the connection that has the attached databases."""
    return getattr(engine.results(), "connection", None)


def _urls(options: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each URL to write to with its format."""
    for option in WRITTEN:
        url = url_of(options.get(option))
        if url is not None:
            is_result = option == "output"
            asked = options.get("format_") if is_result else None
            suffixes = options.get(SUFFIXES_OF, targets.SUFFIXES) if is_result else targets.SUFFIXES
            yield url, "parquet" if option == "per_query" else targets.format_of(Path(url), asked, suffixes)
