"""Tables whose folder also keeps files of older versions, which must not be read as plain Parquet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count, islice
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


_WHOLE = "give the folder of the table, {}"
_EXPORT = "export the current version to Parquet first"
FORMATS = (
    Format("Delta", "_delta_log/*.json", LEVELS,
           {"duckdb": _WHOLE, "spark": "SELECT * FROM delta.`{}`"}),
    Format("Iceberg", "metadata/*.metadata.json", LEVELS,
           {"duckdb": _WHOLE, "spark": "SELECT * FROM iceberg.`{}`"}),
    Format("Hudi", ".hoodie/hoodie.propert*", LEVELS,
           {"duckdb": _EXPORT, "spark": "SELECT * FROM hudi.`{}`"}),
    Format("DuckLake", "ducklake-*.parquet", 1,
           {"duckdb": "attach its catalog (ATTACH 'ducklake:...') and name the table", "spark": _EXPORT}),
)  # fmt: skip


@dataclass(frozen=True)
class Lake:
    """A table of a format, found by a path in it.

    Attributes:
        folder: the folder of the table, with slashes.
        marker: the file that says so.
    """

    format: Format
    folder: str
    marker: str

    @property
    def called(self) -> str:
        """The name of the table in messages."""
        return f"{'an' if self.format.name.startswith('I') else 'a'} {self.format.name} table"

    def refusal(self, path: str, engine: str) -> InputError:
        """Return the error for files of a table that also keeps those of older versions.

        It names the format, and the SQL that reads the current version.
        """
        reader = self.format.readers[engine].format(self.folder.replace("'", "''"))
        how = f'read it as SQL: "{reader}"' if reader.startswith("SELECT") else reader
        what = f"belongs to {self.called}, whose folder also holds rows of older versions"
        return InputError(path, what, how)


def find(path: str, is_folder: bool, found: Callable[[str], str | None]) -> Lake | None:
    """Return the table that keeps older versions next to the current one, and that a path is part of.

    Args:
        path: a file, folder or pattern, with slashes.
        found: returns one file that matches a pattern, or None.
    """
    for format_, pattern in _patterns(path, is_folder):
        match = found(pattern)
        if match is not None:
            return Lake(format_, _folder(match, format_), match)
    return None


def refuse(path: str, engine: str, is_folder: bool, found: Callable[[str], str | None]) -> None:
    """Refuse the files of a table that keeps older versions next to the current one; see `find`.

    Raises:
        InputError: names the format, and the SQL that reads the current version.
    """
    lake = find(path, is_folder, found)
    if lake is not None:
        raise lake.refusal(path, engine)


def _patterns(path: str, is_folder: bool) -> Iterator[tuple[Format, str]]:
    """Yield the patterns at which the marker of each format would be."""
    slashed = path.replace("\\", "/")
    inside, _, _ = slashed.rpartition("/")
    inside = f"{inside}/" if "/" in slashed else ""
    start = f"{slashed.rstrip('/')}/" if is_folder else inside
    for format_ in FORMATS:
        if is_folder:
            yield format_, f"{start}**/{format_.marker}"
        for folder in islice(_above(start), format_.levels):
            yield format_, f"{folder}{format_.marker}"


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and those above it; a store of objects knows no `..`, and ends at its bucket."""
    scheme, remote, key = folder.partition("://")
    while remote:
        yield f"{scheme}://{key}"
        bucket_and_more = key.rstrip("/").rpartition("/")[0]
        if not bucket_and_more:
            return
        key = f"{bucket_and_more}/"
    yield from (f"{folder}{'../' * level}" for level in count())


def _folder(match: str, format_: Format) -> str:
    """Return the folder of the table, from the path of its marker."""
    parts = match.replace("\\", "/").split("/")[: -1 - format_.marker.count("/")]
    folder = "/".join(parts) or "."
    while (shorter := re.sub(r"[^/]+(?<!\.\.)/\.\./?", "", folder, count=1)) != folder:
        folder = shorter
    return folder.rstrip("/") or "."
