"""Files that DuckDB reads as tables: Parquet, CSV, JSON and TREC, single ones, patterns and folders."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import definition
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import lakes
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import CANONICAL
from duckmetrics.inputs.sources import FILE_SUFFIXES, Source, exact_path, file_format, refuse_streams
from duckmetrics.layouts.layouts import layout, text_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.engines.duckdb_connection import DuckDBConnection
    from duckmetrics.inputs.sources import Role

_READERS = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}
# The file under sql/macros that reads a TREC file.
_TREC_READERS: dict[str, str] = {"predictions": "read_trec_run", "truth": "read_trec_qrels"}
# Those that read {query: {item: number}}, and the types of columns that such a file seems to have.
_JSON_READERS: dict[str, str] = {"predictions": "read_json_run", "truth": "read_json_qrels"}
_OBJECT = re.compile(r"STRUCT\(.*\)|MAP\(VARCHAR, .*\)")
_TOO_LARGE = "maximum_object_size"
# Bytes of an object in JSON that DuckDB reads without being told.
_LARGEST_OBJECT = 2**24
# Of a packed file, for each of its bytes.
_PACKED = 20
_REMOTE = re.compile(r"[a-z0-9]+://")


class DuckDBFiles:
    """Finds the files that a path means, and writes how DuckDB reads them.

    Attributes:
        used: the patterns of all files that were asked for, such as "file:a.parquet".
    """

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection
        self.used: list[str] = []

    def named(self, path: str, role: Role) -> Source:
        """Read one path: a file, a pattern or a folder.

        Raises:
            InputError: there is no such file, or it cannot be read as a table.
        """
        expanded = path if os.path.exists(path) else os.path.expanduser(path)
        self._refuse_lake(path)
        if os.path.isdir(expanded):
            return self._folder(path, expanded, role)
        return self._files([expanded], role, path)

    def listed(self, paths: Sequence[str], role: Role) -> Source:
        """Read several files and patterns as one table.

        Raises:
            InputError: there is no such file, or they cannot be read as a table.
        """
        for path in paths:
            self._refuse_lake(path)
        return self._files(paths, role, ", ".join(paths))

    def _folder(self, path: str, expanded: str, role: Role) -> Source:
        """Read all files of a folder; they must have one format."""
        refuse_streams(path, glob.iglob(os.path.join(glob.escape(expanded), "**"), recursive=True))
        inside = glob.glob(os.path.join(glob.escape(expanded), "**", "*.*"), recursive=True)
        formats = {file_format(file): file for file in sorted(inside)}
        known = [f for f in ("parquet", "csv", "json", "trec") if f in formats]
        if len(known) != 1:
            raise InputError(
                path,
                f"a folder with {' and '.join(known) or 'no'} files",
                "give a pattern such as 'folder/**/*.parquet'",
            )
        suffix = Path(str(formats[known[0]])).suffix
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
                raise InputError(path, "no such file", "check the path")
            refuse_streams(label, found)
        return self._read(exact, role, label)

    def _read(self, paths: Sequence[str], role: Role, label: str, format_: str | None = None) -> Source:
        if format_ is None and (known := self._known_text(paths, role, label)) is not None:
            return known
        formats = {format_ or file_format(path) for path in paths}
        if len(formats) != 1 or None in formats:
            raise InputError(
                label,
                "the format cannot be told from the name",
                f"use one of {', '.join(sorted(FILE_SUFFIXES))}",
            )
        kind = formats.pop()
        self.used += [f"file:{path}" for path in paths]
        listed = exp.Array(expressions=[literal(path) for path in paths])
        if kind == "trec":
            return Source(label, self._trec(listed, role, label), {}, ordered=True, is_text=True)
        options = [exp.EQ(this=exp.to_identifier("union_by_name"), expression=exp.true())]
        reader = exp.Anonymous(this=_READERS[str(kind)], expressions=[listed, *options])
        if kind == "json" and role in _JSON_READERS and self._is_nested(reader):
            return Source(label, self._nested(paths, role), {}, ordered=True, is_text=True)
        is_parquet = kind == "parquet"
        return Source(
            label, exp.Table(this=reader), {}, ordered=True, statistics=is_parquet, is_text=not is_parquet
        )

    # --- text that is known by its name or its first line ----------------------------------------

    def _known_text(self, paths: Sequence[str], role: Role, label: str) -> Source | None:
        """Read a file whose name a layout knows, or whose first line is one of TREC; else return None."""
        if {file_format(path) for path in paths} - {None, "csv"}:
            return None
        listed = exp.Array(expressions=[literal(path) for path in paths])
        named = {text_layout(os.path.basename(path)) for path in paths}
        if len(named) == 1 and (name := named.pop()) is not None:
            text = layout(name).text
            options = {"delim": literal(text.delimiter), "header": exp.convert(text.header)} if text else {}
            options = {**options, "union_by_name": exp.true()}
            pairs = [exp.EQ(this=exp.to_identifier(key), expression=one) for key, one in options.items()]
            reader = exp.Table(this=exp.Anonymous(this="read_csv", expressions=[listed, *pairs]))
            self.used += [f"file:{path}" for path in paths]
            return Source(label, reader, {}, ordered=True, is_text=True, layout=name)
        if role in _TREC_READERS and self._is_trec(listed, role):
            self.used += [f"file:{path}" for path in paths]
            return Source(label, self._trec(listed, role, label), {}, ordered=True, is_text=True)
        return None

    def _is_trec(self, listed: exp.Expr, role: Role) -> bool:
        """Say whether the first line is one of a run or of qrels: their second column is Q0 or 0."""
        query = definition("macros", _TREC_READERS[role]).query.copy()
        for placeholder in list(query.find_all(exp.Placeholder)):
            placeholder.replace(listed.copy())
        try:
            found = self._connection.rows(exp.select("fields").from_(query.args["from_"].this).limit(1))
        except EngineError:
            return False
        fields = found[0][0] if found else []
        return (len(fields) == 6 and fields[1] == "Q0") or (len(fields) == 4 and fields[1] in ("0", "Q0"))

    # --- JSON of objects in an object ------------------------------------------------------------

    def _is_nested(self, reader: exp.Expr) -> bool:
        """Say whether a file holds one object of objects, {query: {item: number}}, and not columns."""
        probe = exp.select(exp.Star()).from_(exp.Table(this=reader.copy()))
        try:
            types = dict(self._connection.columns(probe))
        except EngineError as error:
            return _TOO_LARGE in str(error)
        return not types.keys() & set(CANONICAL) and all(map(_OBJECT.fullmatch, types.values()))

    def _nested(self, paths: Sequence[str], role: Role) -> exp.Expr:
        """Write how such files are read; each is one value of JSON, however large."""
        files = [file for path in paths for file in glob.glob(path, recursive=True)]
        sizes = [
            _LARGEST_OBJECT,
            *(os.path.getsize(file) * (_PACKED if file.endswith((".gz", ".zst")) else 1) for file in files),
        ]
        values = {
            "path": exp.Array(expressions=[literal(path) for path in paths]), "size": literal(max(sizes))
        }  # fmt: skip
        query = definition("macros", _JSON_READERS[role]).query.copy()
        for placeholder in list(query.find_all(exp.Placeholder)):
            placeholder.replace(values[placeholder.name].copy())
        return query.subquery("json")

    # --- lakes -----------------------------------------------------------------------------------

    def _refuse_lake(self, path: str) -> None:
        """Refuse the files of a table that keeps older versions of its rows; see `lakes`."""
        expanded = os.path.expanduser(path)
        if _REMOTE.match(path) is None:
            # A name with wildcards that exists means that file.
            place = glob.escape(expanded) if os.path.exists(expanded) else expanded
            lakes.refuse(place, DIALECT, os.path.isdir(expanded), _first_match)
        else:
            lakes.refuse(path, DIALECT, not file_format(path), self._first_remote)

    def _first_remote(self, pattern: str) -> str | None:
        listed = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(pattern)]))
        try:
            found = self._connection.rows(exp.select("file").from_(listed).limit(1))
        except EngineError:
            return None  # a folder that cannot be listed is read, or refused, as it was named
        return str(found[0][0]) if found else None

    # --- TREC ------------------------------------------------------------------------------------

    def _trec(self, listed: exp.Expr, role: Role, label: str) -> exp.Expr:
        """Read a TREC run or qrels file: blanks separate the columns, ids are text."""
        reader = _TREC_READERS.get(role)
        if reader is None:
            raise InputError(label, "a TREC file can be predictions or truth only", "use Parquet")
        query = definition("macros", reader).query.copy()
        for placeholder in list(query.find_all(exp.Placeholder)):
            placeholder.replace(listed.copy())
        self._refuse_swapped(query, role, label)
        return query.subquery("trec")

    def _refuse_swapped(self, query: exp.Query, role: Role, label: str) -> None:
        """Refuse qrels in place of a run, and a run in place of qrels: a run has six columns."""
        lines = query.args["from_"].this.copy()
        try:
            found = self._connection.rows(
                exp.select(exp.func("len", exp.column("fields"))).from_(lines).limit(1)
            )
        except EngineError:
            return  # the next reading refuses the file, and names its fault
        if found and found[0][0] == {"predictions": 4, "truth": 6}[role]:
            seems, wanted = ("as qrels have", "run") if role == "predictions" else ("as a run has", "qrels")
            raise InputError(
                label,
                f"{found[0][0]} columns, {seems}, in place of the {wanted}",
                "give the run first, then the qrels",
            )


def _first_match(pattern: str) -> str | None:
    return next(glob.iglob(pattern, recursive=True), None)
