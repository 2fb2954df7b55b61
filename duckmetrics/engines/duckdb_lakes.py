"""Delta and Iceberg tables, read by DuckDB's extension, or else by the package of the format."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections.duckdb_errors import extension_advice, first_line
from duckmetrics.engines.engine import new_name
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import pyarrow as pa

    from duckmetrics.connections.connection import DuckDBConnection
    from duckmetrics.engines.lakes import Lake
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
