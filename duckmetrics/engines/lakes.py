"""Tables whose folder also keeps files of older versions, which must not be read as plain Parquet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# A file of a table with partitions lies some folders below the one that has the marker.
LEVELS = 4


@dataclass(frozen=True)
class Format:
    """A format of tables.

    Attributes:
        marker: the files, within the folder of the table, that say so.
        levels: how far above a data file these may be.
        readers: by engine, the SQL that reads such a table, with {} for its folder; or what else to do.
    """

    name: str
    marker: str
    levels: int
    readers: Mapping[str, str]


_EXPORT = "export the current version to Parquet first"
FORMATS = (
    Format("Delta", "_delta_log/*.json", LEVELS,
           {"duckdb": "SELECT * FROM delta_scan('{}')", "spark": "SELECT * FROM delta.`{}`"}),
    Format("Iceberg", "metadata/*.metadata.json", LEVELS,
           {"duckdb": "SELECT * FROM iceberg_scan('{}')", "spark": "SELECT * FROM iceberg.`{}`"}),
    Format("Hudi", ".hoodie/hoodie.properties", LEVELS,
           {"duckdb": _EXPORT, "spark": "SELECT * FROM hudi.`{}`"}),
    Format("DuckLake", "ducklake-*.parquet", 1,
           {"duckdb": "attach its catalog (ATTACH 'ducklake:...') and name the table", "spark": _EXPORT}),
)  # fmt: skip


def refuse(path: str, engine: str, is_folder: bool, found: Callable[[str], str | None]) -> None:
    """Refuse the files of a table that keeps older versions next to the current one.

    Args:
        path: a file, folder or pattern, with slashes.
        found: returns one file that matches a pattern, or None.

    Raises:
        InputError: names the format, and the SQL that reads the current version.
    """
    for format_, pattern in _patterns(path, is_folder):
        match = found(pattern)
        if match is not None:
            folder = _folder(match, format_)
            reader = format_.readers[engine].format(folder.replace("'", "''"))
            how = f'read it as SQL: "{reader}"' if reader.startswith("SELECT") else reader
            raise InputError(
                path,
                f"belongs to a {format_.name} table, whose folder also holds rows of older versions",
                how,
            )


def _patterns(path: str, is_folder: bool) -> Iterator[tuple[Format, str]]:
    """Yield the patterns at which the marker of each format would be."""
    slashed = path.replace("\\", "/")
    inside, _, _ = slashed.rpartition("/")
    inside = f"{inside}/" if "/" in slashed else ""
    for format_ in FORMATS:
        if is_folder:
            yield format_, f"{slashed.rstrip('/')}/**/{format_.marker}"
        start = f"{slashed.rstrip('/')}/" if is_folder else inside
        for level in range(format_.levels):
            yield format_, f"{start}{'../' * level}{format_.marker}"


def _folder(match: str, format_: Format) -> str:
    """Return the folder of the table, from the path of its marker."""
    parts = match.replace("\\", "/").split("/")[: -1 - format_.marker.count("/")]
    folder = "/".join(parts) or "."
    while (shorter := re.sub(r"[^/]+(?<!\.\.)/\.\./?", "", folder, count=1)) != folder:
        folder = shorter
    return folder.rstrip("/") or "."
