"""Delta and Iceberg tables, read by DuckDB's extension, or else by the package of the format."""

from __future__ import annotations

import os
import re
from datetime import UTC
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections.duckdb_errors import extension_advice, first_line
from duckmetrics.engines.engine import new_name
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.connections.connection import DuckDBConnection
    from duckmetrics.engines.lakes import Lake, Version

DELTA, ICEBERG = "Delta", "Iceberg"
_FUNCTIONS = {DELTA: "delta_scan", ICEBERG: "iceberg_scan"}
_PACKAGES = {DELTA: "deltalake", ICEBERG: "pyiceberg"}
# How DuckDB refuses a function of an extension that is not there.
_UNKNOWN = re.compile("does not exist|not in the catalog")
_VERSION = re.compile(r"v?([0-9]+)")
METADATA = ".metadata.json"


class DuckDBLakes:
    """Reads tables of formats that keep older versions of their rows.

    Args:
        listed: returns the files that match a pattern.
    """

    def __init__(self, connection: DuckDBConnection, listed: Callable[[str], Sequence[str]]) -> None:
        self._connection, self._listed = connection, listed

    def reads(self, lake: Lake, path: str) -> bool:
        """Say whether a path means a whole table of a format that can be read."""
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
        function = exp.Anonymous(this=_FUNCTIONS[lake.format.name], expressions=[literal(place)])
        if version is not None:
            function.append("expressions", _argument(lake, version))
        scan = exp.Table(this=function)
        # The function of Delta knows versions by number only.
        is_known = lake.format.name != DELTA or version is None or version.time is None
        lacking = self._lacks(scan, label) if is_known else "name the version by its number, as in @v3"
        if not lacking:
            return Source(label, scan, {}, in_place=False)
        table = self._opened(lake, place, label, version)
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
            raise InputError(path, f"cannot be read: {first_line(error)}", "check the table") from error
        return ""

    def _opened(self, lake: Lake, place: str, path: str, version: Version | None) -> Any:
        """Return the table by the package of its format, None if that is not installed."""
        try:
            return _delta(place, version) if lake.format.name == DELTA else _iceberg(place, version)
        except ImportError:
            return None
        except Exception as error:  # each package has classes of its own
            raise InputError(path, f"cannot be read: {error}", "check the table") from error

    def _latest(self, folder: str) -> str:
        """Return the metadata file of the current version of an Iceberg table."""
        files = self._listed(f"{folder.rstrip('/')}/metadata/*{METADATA}")
        return max(files, key=_version)


def _delta(place: str, version: Version | None) -> Any:
    """Return a Delta table by its package."""
    from deltalake import DeltaTable

    number = version.number if version else None
    if version is not None and version.time is not None:
        # The package itself takes the first version for any time before it.
        told, moment = DeltaTable(place).history(), version.time.timestamp() * 1000
        known = [commit["version"] for commit in told if commit["timestamp"] <= moment]
        if not known:
            raise ValueError(f"no version is as old as {version.text}")
        number = max(known)
    return DeltaTable(place, version=number).to_pyarrow_dataset()


def _iceberg(place: str, version: Version | None) -> Any:
    """Return an Iceberg table by its package."""
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(place)
    snapshot = version.number if version else None
    if version is not None and version.time is not None:
        found = table.snapshot_as_of_timestamp(int(version.time.timestamp() * 1000))
        if found is None:
            raise ValueError(f"no snapshot is as old as {version.text}")
        snapshot = found.snapshot_id
    return table.scan(snapshot_id=snapshot).to_arrow()


def _argument(lake: Lake, version: Version) -> exp.Expr:
    """Return the argument of DuckDB's function that names a version."""
    if version.time is not None:
        name = "snapshot_from_timestamp"
        moment = version.time.astimezone(UTC).replace(tzinfo=None)
        value: exp.Expr = exp.cast(literal(str(moment)), "TIMESTAMP")
    else:
        name = "version" if lake.format.name == DELTA else "snapshot_from_id"
        value = literal(version.number)
    return exp.PropertyEQ(this=exp.to_identifier(name), expression=value)


def _version(file: str) -> tuple[int, str]:
    name = file.replace("\\", "/").rpartition("/")[2]
    found = _VERSION.match(name)
    return (int(found[1]) if found else -1, name)


def _is_metadata(lake: Lake, path: str) -> bool:
    return lake.format.name == ICEBERG and path.endswith(METADATA)


def _place(path: str) -> str:
    return path.rstrip("/") if "://" in path else os.path.realpath(os.path.expanduser(path))
