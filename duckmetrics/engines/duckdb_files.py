"""Files that DuckDB reads as tables: Parquet, CSV, JSON and TREC, folders, Delta Lake and Iceberg."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import duckdb_csv, lakes, near_names
from duckmetrics.engines.duckdb_errors import extension_advice, first_line
from duckmetrics.engines.duckdb_texts import DuckDBTexts
from duckmetrics.engines.engine import new_name
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import (
    FILE_SUFFIXES,
    WHILE,
    Source,
    exact_path,
    file_format,
    kind_of_text,
    refuse_changed,
    refuse_streams,
    states_of,
)
from duckmetrics.inputs.versions import versioned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import pyarrow as pa

    from duckmetrics.engines.connection import DuckDBConnection
    from duckmetrics.engines.lakes import Lake
    from duckmetrics.inputs.sources import Role, State
    from duckmetrics.inputs.versions import Version


DELTA, ICEBERG = "Delta", "Iceberg"
_FUNCTIONS = {DELTA: "delta_scan", ICEBERG: "iceberg_scan"}
_PACKAGES = {DELTA: "deltalake", ICEBERG: "pyiceberg"}
# How DuckDB refuses a function of an extension that is not there.
_UNKNOWN = re.compile("does not exist|not in the catalog")
_VERSION = re.compile(r"v?([0-9]+)")
METADATA = ".metadata.json"
_CHECK = "check the table"
# The size in bytes of the largest metadata file that is read.
_LARGEST = 1 << 30
# The number of snapshots that a message lists.
_SHOWN = 3
_LOG = re.compile(r"(\d{20})\.json$")
# The fields that are read from each line in the log of a Delta table.
_COMMIT = exp.Struct(expressions=[
    exp.PropertyEQ(this=exp.to_identifier("commitInfo"), expression=literal("STRUCT(timestamp BIGINT)"))
])  # fmt: skip
# The fields that are read from the metadata of an Iceberg table: the snapshots that were once current.
_HISTORY = exp.Struct(expressions=[
    exp.PropertyEQ(
        this=exp.to_identifier("snapshot-log", quoted=True),
        expression=literal('STRUCT("timestamp-ms" BIGINT, "snapshot-id" BIGINT)[]'),
    )
])  # fmt: skip
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


class DuckDBLakes:
    """Reads tables of formats that keep older versions of their rows.

    Args:
        listed: returns the files that match a pattern.
    """

    def __init__(self, connection: DuckDBConnection, listed: Callable[[str], Sequence[str]]) -> None:
        self._connection, self._listed = connection, listed

    def reads(self, lake: Lake, path: str) -> bool:
        """Return whether a path is that of a whole table in a format that can be read."""
        if lake.format.name not in _FUNCTIONS:
            return False
        return _place(path) == _place(lake.folder) or _is_metadata(lake, path)

    def source(self, lake: Lake, path: str, version: Version | None = None) -> Source:
        """Return the current version of a table, or another one; of Iceberg, that of a metadata file.

        Raises:
            InputError: it cannot be read, has no such version, or there is nothing that reads it.
        """
        place = lake.folder
        if lake.format.name == ICEBERG:
            place = path if _is_metadata(lake, path) else self._latest(lake.folder)
        label = f"{path}@{version.text}" if version else path
        if version is not None and version.time is not None:
            number = self._last(lake, place, version.time, label)
            version = replace(version, number=number, time=None)
        function = exp.Anonymous(this=_FUNCTIONS[lake.format.name], expressions=[literal(place)])
        if version is not None:
            function.append("expressions", _argument(lake, version))
        scan = exp.Table(this=function)
        try:
            lacking = self._lacks(scan, label)
            if not lacking:
                return Source(label, scan, {}, in_place=False)
            table = self._opened(lake, place, label, version, lacking)
        except InputError as error:
            advice = error.advice if version is None else self._known(lake, place) or error.advice
            raise InputError(label, error.what, advice) from error
        if table is None:
            package = _PACKAGES[lake.format.name]
            raise InputError(
                label,
                f"is {lake.called}, and neither an extension of DuckDB nor the package {package} is here",
                f"pip install {package}; or {lacking}",
            )
        name = new_name("lake")
        self._connection.register(name, table)
        return Source(label, exp.to_table(name), {}, in_place=False)

    def _lacks(self, scan: exp.Table, path: str) -> str:
        """Return how to get the extension that a scan needs, empty if it is there.

        Raises:
            InputError: it is there, and cannot read the table.
        """
        text = exp.select(exp.Star()).from_(scan.copy()).sql(DIALECT)
        try:
            with self._connection.lock:
                self._connection.raw.sql(text)  # binds, and does not run
        except duckdb.Error as error:
            advice = extension_advice(error)
            if advice:
                return advice
            if _UNKNOWN.search(str(error)) and scan.name in str(error):
                return f"load the extension of DuckDB that has {scan.name}"
            raise InputError(path, f"cannot be read: {first_line(error)}", _CHECK) from error
        return ""

    def _last(self, lake: Lake, place: str, time: datetime, label: str) -> int:
        """Return the number of the last version at a time, by which all readers know it."""
        history = self._history(lake, place)
        if any(written is None for written, _ in history):
            raise InputError(label, "its log has no times", "name the version by its number, as in @v3")
        moment = time.timestamp() * 1000
        known = [number for written, number in history if written is not None and written <= moment]
        if not known:
            raise InputError(label, "every version is newer than this time", "choose a later one")
        return known[-1]

    def _known(self, lake: Lake, place: str) -> str:
        """Return advice that names the versions of a table, empty if they cannot be read."""
        try:
            numbers = list(dict.fromkeys(number for _, number in self._history(lake, place)))
        except EngineError:
            return ""
        if not numbers:
            return ""
        if lake.format.name == DELTA:
            return f"choose a version from {numbers[0]} to {numbers[-1]}"
        return f"choose a snapshot, such as {' or '.join(map(str, numbers[-_SHOWN:]))}"

    def _history(self, lake: Lake, place: str) -> list[tuple[int | None, int]]:
        """Return when each version of a table was written, in milliseconds, and its number, oldest first.

        The time is None if it is unknown.
        """
        if lake.format.name == ICEBERG:
            column = exp.column("snapshot-log", quoted=True)
            log = exp.select(column).from_(_json([place], "unstructured", _HISTORY))
            ((entries,),) = self._connection.rows(log)
            return [(entry["timestamp-ms"], entry["snapshot-id"]) for entry in entries or ()]
        found = {path: _LOG.search(path) for path in self._listed(f"{lake.folder}/_delta_log/*.json")}
        numbers = {path: int(name[1]) for path, name in found.items() if name}
        if not numbers:
            return []
        time = exp.Max(this=exp.Dot(this=exp.column("commitInfo"), expression=exp.to_identifier("timestamp")))
        commits = _json(list(numbers), "newline_delimited", _COMMIT)
        times = self._connection.rows(exp.select("filename", time).from_(commits).group_by("filename"))
        return sorted(((time, numbers[path]) for path, time in times), key=lambda entry: entry[1])

    def _opened(self, lake: Lake, place: str, path: str, version: Version | None, other: str) -> Any:
        """Return the table by the package of its format, None if that is not installed.

        Args:
            other: how to get the extension, which reads more tables.
        """
        try:
            return _delta(place, version) if lake.format.name == DELTA else _iceberg(place, version)
        except ImportError:
            return None
        except Exception as error:  # each package has classes of its own
            said = " ".join(_COLOR.sub("", str(error)).split())
            raise InputError(path, f"cannot be read: {said}", f"{_CHECK}, or {other}") from error

    def _latest(self, folder: str) -> str:
        """Return the metadata file of the current version of an Iceberg table."""
        files = self._listed(f"{folder.rstrip('/')}/metadata/*{METADATA}")
        return max(files, key=_version)


def _delta(place: str, version: Version | None) -> Any:
    """Return a Delta table by its package."""
    from deltalake import DeltaTable

    found = DeltaTable(place, version=version.number if version else None).to_pyarrow_dataset()
    has_views = any(_has_views(part.physical_schema) for part in found.get_fragments())
    return found.to_table() if has_views else found


def _has_views(schema: pa.Schema) -> bool:
    """Return whether a file has texts of a type on which PyArrow evaluates no condition."""
    import pyarrow as pa

    return any(kind in (pa.string_view(), pa.binary_view()) for kind in schema.types)


def _iceberg(place: str, version: Version | None) -> Any:
    """Return an Iceberg table by its package."""
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(place).scan(snapshot_id=version.number if version else None).to_arrow()


def _argument(lake: Lake, version: Version) -> exp.Expr:
    """Return the argument of DuckDB's function that names a version."""
    name = "version" if lake.format.name == DELTA else "snapshot_from_id"
    return exp.PropertyEQ(this=exp.to_identifier(name), expression=literal(version.number))


def _json(paths: Sequence[str], format_: str, columns: exp.Expr) -> exp.Table:
    """Return the table of some fields in files of JSON, with the names of the files."""
    options = {
        "format": literal(format_), "columns": columns, "filename": exp.true(),
        "maximum_object_size": literal(_LARGEST),
    }  # fmt: skip
    if paths[0].endswith(f".gz{METADATA}"):
        options["compression"] = literal("gzip")
    named = [exp.EQ(this=exp.to_identifier(name), expression=value) for name, value in options.items()]
    listed = exp.Array(expressions=[literal(path) for path in paths])
    return exp.Table(this=exp.Anonymous(this="read_json", expressions=[listed, *named]))


def _version(file: str) -> tuple[int, str]:
    name = file.replace("\\", "/").rpartition("/")[2]
    found = _VERSION.match(name)
    return (int(found[1]) if found else -1, name)


def _is_metadata(lake: Lake, path: str) -> bool:
    return lake.format.name == ICEBERG and path.endswith(METADATA)


def _place(path: str) -> str:
    return path.rstrip("/") if "://" in path else os.path.realpath(os.path.expanduser(path))


_READERS = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}
_REMOTE = re.compile(r"[a-z0-9]+://")


class DuckDBFiles:
    """Finds the files that a path means, and writes how DuckDB reads them.

    Attributes:
        texts: reads text files.
        used: the patterns of all files that were asked for, such as "file:a.parquet".
        seen: the states of the files that are read in place.
    """

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection
        self.texts = DuckDBTexts(connection)
        self._lakes = DuckDBLakes(connection, self._matches)
        self.used: list[str] = []
        self.seen: dict[str, State] = {}

    def named(self, path: str, role: Role, version: Version | None = None) -> Source:
        """Read one path: a file, a pattern or a folder.

        Args:
            version: the version of the table that the path means, None if the path names it, or for the last.

        Raises:
            InputError: there is no such file or version, or it cannot be read as a table.
        """
        expanded = path if os.path.exists(path) else os.path.expanduser(path)
        self._connection.reach(path)
        folder, behind = self._split(path)
        if version is not None and behind is not None:
            what = f"names a version already, and {version.option} names {version.text}"
            raise InputError(path, what, "keep one of them")
        asked = version or behind
        if asked is not None:
            return self._of_version(folder, asked)
        lake = self._lake(path)
        if lake is not None and self._lakes.reads(lake, path):
            self.used.append(f"file:{lake.folder}/**")
            return self._lakes.source(lake, path)
        if lake is not None:
            raise lake.refusal(path, DIALECT)
        if _is_remote_folder(path):
            return self._remote_folder(path, role)
        if os.path.isdir(expanded):
            return self._folder(path, expanded, role)
        return self._files([expanded], role, path)

    def has_versions(self, path: str) -> bool:
        """Return whether a path means a table that keeps older versions."""
        self._connection.reach(path)
        folder, _ = self._split(path)
        lake = self._lake(folder)
        return lake is not None and self._lakes.reads(lake, folder)

    def _split(self, path: str) -> tuple[str, Version | None]:
        """Split the version off a path, unless a file or folder has that very name."""
        return (path, None) if os.path.exists(os.path.expanduser(path)) else versioned(path)

    def _of_version(self, folder: str, version: Version) -> Source:
        """Read an older version of a table.

        Raises:
            InputError: there is no such table or version.
        """
        lake = self._lake(folder)
        if lake is None or not self._lakes.reads(lake, folder):
            what = f"is not a Delta or Iceberg table, so it has no version {version.text}"
            raise InputError(folder, what, "give the folder of a table, or leave the version out")
        self.used.append(f"file:{lake.folder}/**")
        return self._lakes.source(lake, folder, version)

    def listed(self, paths: Sequence[str], role: Role) -> Source:
        """Read several files and patterns as one table.

        Raises:
            InputError: there is no such file, or they cannot be read as a table.
        """
        for path in paths:
            self._connection.reach(path)
            lake = self._lake(path)
            if lake is not None:
                raise lake.refusal(path, DIALECT)
        if not any(kind_of_text(path) == "file" or os.path.exists(path) for path in paths):
            raise InputError(
                ", ".join(paths),
                "none of these files exists; a list of texts is read as paths",
                "check the paths; a ranking is written as {query: {item: score}}",
            )
        return self._files(paths, role, ", ".join(paths))

    def _folder(self, path: str, expanded: str, role: Role) -> Source:
        """Read all files of a folder; they must have one format."""
        refuse_streams(path, glob.iglob(os.path.join(glob.escape(expanded), "**"), recursive=True))
        every = glob.glob(os.path.join(glob.escape(expanded), "**", "*.*"), recursive=True)
        inside = [file for file in every if not _is_hidden(os.path.relpath(file, expanded))]
        formats = {file_format(file): file for file in sorted(inside)}
        known = [f for f in ("parquet", "csv", "json", "trec") if f in formats]
        if len(known) != 1:
            raise InputError(
                path,
                f"a folder with {' and '.join(known) or 'no'} files",
                f"give a pattern such as '{os.path.join(path, '**/*.parquet')}'",
            )
        suffix = Path(str(formats[known[0]])).suffix
        if len(inside) < len(every):
            files = [glob.escape(file) for file in inside if file.endswith(suffix)]
            return self._read(sorted(files), role, path, known[0])
        pattern = os.path.join(glob.escape(expanded), "**", f"*{suffix}")
        return self._read([pattern], role, path, known[0])

    def _files(self, paths: Sequence[str], role: Role, label: str) -> Source:
        """Read files and patterns of one format; a name that exists is not taken for a pattern."""
        exact = []
        for path in paths:
            if _REMOTE.match(path):
                exact.append(path)
                continue
            exact.append(exact_path(path if os.path.exists(path) else os.path.expanduser(path)))
            found = glob.glob(exact[-1], recursive=True)
            if not found:
                raise InputError(path, "no such file", near_names.advice_for(path))
            refuse_streams(label, found)
        return self._read(exact, role, label)

    def _read(self, paths: Sequence[str], role: Role, label: str, format_: str | None = None) -> Source:
        formats = {format_ or file_format(path) for path in paths}
        known = self.texts.found(paths, formats, role, label)
        if known is not None:
            self.used += [f"file:{path}" for path in paths]
            return known
        if len(formats) != 1 or None in formats:
            suffix = os.path.splitext(paths[0])[1]
            what = f"{suffix} cannot be read as a table" if suffix else "the name does not show the format"
            suffixes = ", ".join(sorted(FILE_SUFFIXES))
            raise InputError(label, what, f"export it as Parquet or CSV; the suffixes are {suffixes}")
        kind = formats.pop()
        self.used += [f"file:{path}" for path in paths]
        if kind == "csv":
            return self.texts.separated(paths, {}, label)
        listed = exp.Array(expressions=[literal(path) for path in paths])
        is_parquet = kind == "parquet"
        options = {"union_by_name": exp.true(), **({} if is_parquet else duckdb_csv.WHOLE)}
        reader = exp.Anonymous(this=_READERS[str(kind)], expressions=[listed, *duckdb_csv.named(options)])
        local = [path for path in paths if is_parquet and _REMOTE.match(path) is None]
        states = {file: state for path in local for file, state in states_of(path).items()}
        self.seen |= states
        return Source(
            label, exp.Table(this=reader), {}, ordered=True, statistics=is_parquet,
            in_place=is_parquet and not any(map(_REMOTE.match, paths)), files=states,
        )  # fmt: skip

    # --- changes ---------------------------------------------------------------------------------

    def refuse_changed(self) -> None:
        """Refuse results of files that changed while they were read, and forget them.

        Raises:
            InputError: names one.
        """
        seen, self.seen = self.seen, {}
        refuse_changed(seen, WHILE)

    # --- lakes -----------------------------------------------------------------------------------

    def _lake(self, path: str) -> Lake | None:
        """Return the table that a path is part of, if that keeps older versions of its rows; see `lakes`."""
        expanded = os.path.expanduser(path)
        if _REMOTE.match(path) is None:
            # A name with wildcards that exists means that file.
            place = glob.escape(expanded) if os.path.exists(expanded) else expanded
            return lakes.find(place, os.path.isdir(expanded), self._first)
        return lakes.find(path, not file_format(path), self._first)

    def _first(self, pattern: str) -> str | None:
        return next(iter(self._matches(pattern, limit=1)), None)

    def _matches(self, pattern: str, limit: int | None = None) -> list[str]:
        """Return files that match a pattern."""
        if _REMOTE.match(pattern) is None:
            return list(islice(glob.iglob(pattern, recursive=True), limit))
        listed = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(pattern)]))
        query = exp.select("file").from_(listed)
        try:
            return [str(file) for (file,) in self._connection.tried(query.limit(limit) if limit else query)]
        except EngineError:
            return []  # a folder that cannot be listed is read, or refused, as it was named

    def _remote_folder(self, path: str, role: Role) -> Source:
        """Read all files of a folder in a store of objects; they must have one format."""
        patterns = {kind: f"{path.rstrip('/')}/**/*.{kind}" for kind in _READERS}
        known = [kind for kind, pattern in patterns.items() if self._first(pattern) is not None]
        if len(known) != 1:
            raise InputError(
                path,
                f"a folder with {' and '.join(known) or 'no'} files that could be read",
                "check the address, the key and the endpoint (CREATE SECRET in a file for --init), or give a "
                f"pattern such as '{path.rstrip('/')}/**/*.parquet'",
            )
        return self._read([patterns[known[0]]], role, path)


def _is_hidden(path: str) -> bool:
    """Return whether other tools skip a file: files that are being written have such names."""
    return any(part.startswith(("_", ".")) and "=" not in part for part in Path(path).parts)


def _is_remote_folder(path: str) -> bool:
    return (
        _REMOTE.match(path) is not None and "*" not in path and (path.endswith("/") or not file_format(path))
    )
