"""Delta and Iceberg tables, read by DuckDB's extension, or else by the package of the format."""

from __future__ import annotations

import os
import re
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
    from duckmetrics.engines.lakes import Lake

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

    def source(self, lake: Lake, path: str) -> Source:
        """Return the current version of a table; of Iceberg, that of a metadata file.

        Raises:
            InputError: it cannot be read, or there is nothing that reads it.
        """
        place = lake.folder
        if lake.format.name == ICEBERG:
            place = path if _is_metadata(lake, path) else self._latest(lake.folder)
        function = exp.Anonymous(this=_FUNCTIONS[lake.format.name], expressions=[literal(place)])
        scan = exp.Table(this=function)
        lacking = self._lacks(scan, path)
        if not lacking:
            return Source(path, scan, {}, in_place=False)
        table = self._opened(lake, place, path)
        if table is None:
            package = _PACKAGES[lake.format.name]
            raise InputError(
                path,
                f"is {lake.called}, and neither an extension of DuckDB nor the package {package} is here",
                f"pip install {package}; or {lacking}",
            )
        name = new_name("lake")
        self._connection.register(name, table)
        return Source(path, exp.to_table(name), {}, in_place=False)

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

    def _opened(self, lake: Lake, place: str, path: str) -> Any:
        """Return the table by the package of its format, None if that is not installed."""
        try:
            if lake.format.name == DELTA:
                from deltalake import DeltaTable

                return DeltaTable(place).to_pyarrow_dataset()
            from pyiceberg.table import StaticTable

            return StaticTable.from_metadata(place).scan().to_arrow()
        except ImportError:
            return None
        except Exception as error:  # each package has classes of its own
            raise InputError(path, f"cannot be read: {error}", "check the table") from error

    def _latest(self, folder: str) -> str:
        """Return the metadata file of the current version of an Iceberg table."""
        files = self._listed(f"{folder.rstrip('/')}/metadata/*{METADATA}")
        return max(files, key=_version)


def _version(file: str) -> tuple[int, str]:
    name = file.replace("\\", "/").rpartition("/")[2]
    found = _VERSION.match(name)
    return (int(found[1]) if found else -1, name)


def _is_metadata(lake: Lake, path: str) -> bool:
    return lake.format.name == ICEBERG and path.endswith(METADATA)


def _place(path: str) -> str:
    return path.rstrip("/") if "://" in path else os.path.realpath(os.path.expanduser(path))
