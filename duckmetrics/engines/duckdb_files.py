"""Files that DuckDB reads as tables: Parquet, CSV, JSON and TREC, single ones, patterns and folders."""

from __future__ import annotations

import glob
import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections import near_names
from duckmetrics.engines import duckdb_csv, lakes
from duckmetrics.engines.duckdb_lakes import DuckDBLakes
from duckmetrics.engines.duckdb_texts import DuckDBTexts
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.changes import WHILE, refuse_changed, states_of
from duckmetrics.inputs.sources import (
    FILE_SUFFIXES,
    Source,
    exact_path,
    file_format,
    kind_of_text,
    refuse_streams,
)
from duckmetrics.inputs.versions import versioned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.connections.connection import DuckDBConnection
    from duckmetrics.engines.lakes import Lake
    from duckmetrics.inputs.changes import State
    from duckmetrics.inputs.sources import Role
    from duckmetrics.inputs.versions import Version

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
