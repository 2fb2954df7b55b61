"""The log of runs: results of many runs in a DuckDB file, or in a folder with a Parquet file for each run.

An append is one transaction of the file, or one new file in the folder: it is there as a whole or not at all,
also if several processes append at once or are killed.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import uniform
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import uuid4

import duckdb
from sqlglot import exp

from duckmetrics.engines import results_database
from duckmetrics.engines.results_database import (
    OLDEST_STORAGE,
    RUN_DIGITS,
    RUN_ID,
    RUN_TIME,
    InUseError,
    Rows,
)
from duckmetrics.engines.targets import DATABASE_SUFFIXES, is_database, refuse_places
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import cast_to
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from duckmetrics.results.per_query import LogPlace

# The tables of a database, and the folders below a folder.
RESULTS, VALUES = "runs", "run_values"
# The columns that each log has.
COLUMNS = (
    "run_time",
    "run_id",
    "release",
    "tags",
    "system",
    "metric",
    "slice",
    "segment",
    "value",
    "signature",
)
# The seconds that an append waits for the other ones.
PATIENCE = 300.0
_PAUSE = (0.01, 0.05)
_FILE = "run-{}-{}.parquet"
_NO_VALUES = """CREATE VIEW run_values AS SELECT NULL::TIMESTAMPTZ AS run_time, NULL::VARCHAR AS run_id,
    NULL::VARCHAR AS system, NULL::VARCHAR AS metric, NULL::VARCHAR AS query_id, NULL::DOUBLE AS value
    WHERE FALSE"""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def _is_database(path: Path) -> bool:
    """Return whether a log is a DuckDB file; else it is a folder."""
    return path.is_file() if path.exists() else path.suffix.lower() in DATABASE_SUFFIXES


def refuse(place: LogPlace) -> None:
    """Refuse a place that cannot be a log, before anything is computed.

    Raises:
        InputError: it is another file, a folder with something else, or has a run of this name.
    """
    path = place.path
    results_database.checked_run(place.run_id)
    if place.replace and place.run_id is None:
        raise InputError("replace", "no run is named", "name the run to replace with run_id= (--run-id)")
    if _is_database(place.path):
        _waiting(lambda: results_database.refuse(path, [RESULTS, VALUES]))
    else:
        if not path.is_dir():
            refuse_places(path)
            if path.suffix:
                advice = f"call it {path.stem}.duckdb, or name a folder"
                raise InputError(path, "is neither a DuckDB file nor a folder", advice)
        others = [name for name in os.listdir(path) if not _is_ours(name)] if path.is_dir() else []
        if others:
            raise InputError(
                path, f"holds something else ({others[0]})", "name a new folder, or an empty one"
            )
    if place.run_id is not None and not place.replace and place.run_id in run_ids(path):
        raise _there(place)


def append(place: LogPlace, results: pa.Table, values: Path | None = None) -> str:
    """Append the results of a run, and return its name.

    Args:
        results: the rows, without the time and the name of the run.
        values: a Parquet file with the values per query.

    Raises:
        InputError: there is a run of this name, or the log is in use for too long.
    """
    named = replace(place, run_id=place.run_id or uuid4().hex[:RUN_DIGITS])
    if not _is_database(place.path):
        refuse(place)
        _append_to_folder(named, results, values)
        return str(named.run_id)
    with _queued(place.path):
        refuse(place)
        _append_to_database(named, results, values)
    return str(named.run_id)


def run_ids(path: Path) -> list[str]:
    """Return the names of the runs of a log, the oldest first; none if there is no log yet."""
    if not path.exists():
        return []
    query = (
        exp.select(RUN_ID)
        .from_(RESULTS)
        .group_by(RUN_ID)
        .order_by(exp.Min(this=exp.column(RUN_TIME)), RUN_ID)
    )
    try:
        with opened(path) as connection:
            return [run for (run,) in connection.execute(query.sql("duckdb")).fetchall()]
    except NoRunsError:
        return []


class NoRunsError(InputError):
    """A log without a run."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "has no run", "log one with --log (Evaluation.log)")


@contextmanager
def opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a log to read it: the results are the view ``runs``, the values per query ``run_values``.

    Raises:
        InputError: it is no log, or has no run.
    """
    if not path.exists():
        advice = "write one with --log (Evaluation.log)"
        raise InputError(path, "no such log", advice)
    with closing(duckdb.connect()) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        if _is_database(path):
            _attach(path, connection)
        else:
            _view_folder(path, connection)
        _refuse_others(path, connection)
        yield connection


def _refuse_others(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse a table, or files, of this name that are no log."""
    columns = connection.view(RESULTS).columns
    if lacking := [name for name in COLUMNS if name not in columns]:
        what = f"holds no log of runs: there is no column {lacking[0]!r}"
        raise InputError(path, what, "name the file or folder that --log wrote")


def _attach(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    if not path.stat().st_size:
        raise NoRunsError(path)
    if not is_database(path):
        raise InputError(path, "is not a DuckDB file", "name the file that --log wrote")

    def attach() -> None:
        try:
            connection.execute(f"ATTACH {literal(str(path)).sql('duckdb')} AS log (READ_ONLY)")
        except duckdb.Error as error:
            raise results_database.refusal(path, error) from error

    _waiting(attach)
    names = {name for (name,) in connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'log'").fetchall()}  # fmt: skip
    if RESULTS not in names:
        raise NoRunsError(path)
    for name in (RESULTS, VALUES):
        if name in names:
            connection.sql(f"FROM log.main.{name}").create_view(name)
        else:
            connection.execute(_NO_VALUES)


def _view_folder(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    for name, folder in ((RESULTS, path), (VALUES, path / VALUES)):
        files = [str(folder / one) for one in _listed(folder) if _is_ours(one) and one.endswith(".parquet")]
        if not files:
            if name == RESULTS:
                raise NoRunsError(path)
            connection.execute(_NO_VALUES)
            continue
        try:
            connection.read_parquet(files, union_by_name=True).create_view(name)
        except duckdb.Error as error:
            raise results_database.refusal(path, error) from error


def _listed(folder: Path) -> list[str]:
    return os.listdir(folder) if folder.is_dir() else []


def _is_ours(name: str) -> bool:
    return name == VALUES or name.startswith((".duckmetrics-", "run-"))


def _there(place: LogPlace) -> InputError:
    advice = "choose another --run-id, or replace it with --replace-run (replace=True)"
    return InputError(place.path, f"has a run {place.run_id!r} already", advice)


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(path, f"cannot be written: {error.strerror or error}", "choose another one")


# --- a database --------------------------------------------------------------------------------------


def _append_to_database(place: LogPlace, results: pa.Table, values: Path | None) -> None:
    _make(place.path)
    rows = [Rows(RESULTS, results), *([] if values is None else [Rows(VALUES, values)])]

    def append() -> None:
        results_database.append(
            place.path, rows, place.run_id, once=[RESULTS, VALUES], replace=place.replace, time=place.time
        )

    try:
        _waiting(append)
    except results_database.RunExistsError:
        raise _there(place) from None


@contextmanager
def _queued(path: Path) -> Iterator[None]:
    """Let one writer at a time come to a database; the others wait for a lock, which the system releases.

    Raises:
        InputError: the lock is not free for longer than `PATIENCE`, or cannot be made.
    """
    try:
        import fcntl
    except ImportError:  # on Windows, writers try again and again
        yield
        return
    try:
        file = path.with_name(f".{path.name}.lock").open("a")
    except OSError as error:
        raise _unwritable(path, error) from error
    with file:

        def lock() -> None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUseError(path, "is in use by other writers", "run again later") from None

        _waiting(lock)
        yield


def _make(path: Path) -> None:
    """Make an empty database, unless there is one: another process may make it at the same time."""
    target = Path(os.path.realpath(path))
    if target.exists() and target.stat().st_size:
        return
    try:
        with TemporaryDirectory(prefix=".duckmetrics-", dir=target.parent) as folder:
            draft = Path(folder) / "log.duckdb"
            duckdb.connect(str(draft), config={"storage_compatibility_version": OLDEST_STORAGE}).close()
            if target.exists() and not target.stat().st_size:  # as mktemp makes it
                target.unlink(missing_ok=True)
            os.link(draft, target)
    except FileExistsError:
        return
    except OSError as error:
        raise _unwritable(path, error) from error


def _waiting(act: Callable[[], None]) -> None:
    """Act, and try again while another process uses the database.

    Raises:
        InputError: it is in use for longer than `PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            act()
            return
        except InUseError:
            if time.monotonic() > end:
                raise
            time.sleep(uniform(*_PAUSE))


# --- a folder ----------------------------------------------------------------------------------------


def _append_to_folder(place: LogPlace, results: pa.Table, values: Path | None) -> None:
    """Write the files of a run; the results come last, because a run without results is none."""
    run = str(place.run_id)
    name = _FILE.format(_UNSAFE.sub("_", run)[:60], sha256(run.encode()).hexdigest()[:8])
    is_new = not (place.path / name).exists()
    stamp = cast_to(literal((place.time or datetime.now(UTC)).isoformat(sep=" ")), "TIMESTAMPTZ").as_(
        RUN_TIME
    )
    with closing(duckdb.connect()) as connection:
        connection.register(RESULTS, results)
        parts: list[tuple[Path, exp.Expr, bool]] = [(place.path, exp.to_table(RESULTS), place.replace)]
        if values is not None:
            read = exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(str(values))]))
            parts.insert(0, (place.path / VALUES, read, place.replace or is_new))
        elif place.replace:
            (place.path / VALUES / name).unlink(missing_ok=True)
        for folder, rows, replaces in parts:
            query = exp.select(stamp.copy(), literal(run).as_(RUN_ID), exp.Star()).from_(rows)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with TemporaryDirectory(prefix=".duckmetrics-", dir=folder) as scratch:
                    draft = Path(scratch) / name
                    connection.sql(query.sql("duckdb")).write_parquet(str(draft))
                    _publish(draft, folder / name, replaces)
            except FileExistsError:
                raise _there(place) from None
            except OSError as error:
                raise _unwritable(place.path, error) from error


def _publish(draft: Path, target: Path, replaces: bool) -> None:
    """Move a complete file into place.

    Raises:
        FileExistsError: there is one, and it is not replaced.
    """
    if replaces:
        draft.replace(target)
    else:
        os.link(draft, target)
