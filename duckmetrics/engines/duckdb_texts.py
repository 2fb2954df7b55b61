"""Text files that are known by their lines or their name: TREC, LETOR, JSON of objects, files of layouts."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from duckmetrics.catalog.catalog import definition
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.layouts import layout, text_layout
from duckmetrics.engines import duckdb_csv
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import CANONICAL
from duckmetrics.inputs.inputs import VALUES
from duckmetrics.inputs.layout_tables import LETOR
from duckmetrics.inputs.sources import Source, file_format

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from duckmetrics.engines.connection import DuckDBConnection
    from duckmetrics.inputs.sources import Role


# The files under sql/macros that read a kind of text, by the table that it is.
_TREC: dict[str, str] = {
    "predictions": "read_trec_run", "truth": "read_trec_qrels", VALUES: "read_trec_values",
}  # fmt: skip
# The columns of their lines, and the one that is read as a number.
_FORMATS: dict[str, str] = {
    "predictions": "query Q0 item rank score tag", "truth": "query 0 item grade",
    VALUES: "measure query value",
}  # fmt: skip
_NUMBERS: dict[str, str] = {"predictions": "score", "truth": "grade", VALUES: "value"}
_LETOR, _JSON = "read_letor", "read_nested_json"
# The canonical names of the columns that lines of other formats have.
_VALUE: dict[str, dict[str, str | None]] = {
    "predictions": {"score": "value"}, "truth": {"relevance": "value"}, VALUES: {"metric": "item_id"},
}  # fmt: skip
# The types of columns that DuckDB finds in {query: {item: number}}, and its word where one is too large.
_OBJECT = re.compile(r"STRUCT\(.*\)|MAP\(VARCHAR, .*\)")
_TOO_LARGE = "maximum_object_size"
# Bytes of an object in JSON that DuckDB reads without an option, and of a packed one for each of its bytes.
_LARGEST_OBJECT = 2**24
_PACKED = 20
# Functions in SQL that guess types from the first rows, and their options that decide them.
_GUESSING = re.compile(r"read_(csv|json|ndjson)(_auto|_objects)?")
_DECIDING = (
    "sample_size",
    "types",
    "dtypes",
    "column_types",
    "columns",
    "all_varchar",
    "auto_detect",
    "maximum_sample_files",
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class TRECFile:
    """TREC runs or qrels, whose columns have the types of the format.

    Attributes:
        connection: the one that reads them.
        relation: their rows.
        paths: the files or patterns.
        role: whether they are a run or qrels.
        label: their name in messages.
    """

    connection: DuckDBConnection
    relation: exp.Expr
    paths: tuple[str, ...]
    role: Role
    label: str

    def narrowed(self, columns: Collection[str]) -> TRECFile:
        """Return the files as they are: each of their few columns is read."""
        return self

    def whole(self, columns: Collection[str]) -> TRECFile:
        """Return the files as they are.

        Raises:
            InputError: a line is not of the format; it names the first.
        """
        try:
            found = self.connection.tried(self._refused_lines())
        except EngineError as error:
            raise duckdb_csv.unreadable(self.label, error) from error
        wanted = _FORMATS[self.role]
        for file, line, text in found:
            place = "" if file == self.label else f"{file}, "
            what = (
                f"{place}line {line}: {text!r} is not '{wanted}' with a number as the {_NUMBERS[self.role]}"
            )
            raise InputError(self.label, what, "correct the line; ids of TREC text contain no blanks")
        return self

    def place_of(self, column: str) -> str:
        """Return nothing: a line without a number is refused when it is read."""
        return ""

    def _refused_lines(self) -> exp.Select:
        """Write the first line that the file under sql/macros refuses, with its file and number."""
        query = _reading(_TREC[self.role], {"path": _listed(self.paths)})
        case = query.args["where"].this
        number = next(query.find_all(exp.Coalesce)).this
        is_right = exp.and_(case.args["ifs"][0].this, exp.Is(this=number, expression=exp.null()).not_())
        lines = query.args["from_"].this.this
        reader = lines.args["from_"].this
        reader.this.append("expressions", exp.EQ(this=exp.to_identifier("filename"), expression=exp.true()))
        place = exp.Window(this=exp.RowNumber()).as_("place")
        every = exp.select("filename", "line", place, lines.selects[0]).from_(reader).subquery("lines")
        number = duckdb_csv.in_file("place", "filename").as_("number")
        numbered = exp.select(exp.Star(), number).from_(every).subquery("lines")
        wrong = exp.func("coalesce", is_right, exp.false()).not_()
        bad = exp.select("filename", "number", "line").from_(numbered).where(wrong, lines.args["where"].this)
        return bad.order_by("filename", "number").limit(1)


class DuckDBTexts:
    """Recognizes text files, and writes how DuckDB reads them."""

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection

    def found(
        self, paths: Sequence[str], formats: Collection[str | None], role: Role, label: str
    ) -> Source | None:
        """Return the table in text files, None if they are read by their suffix only.

        Args:
            formats: what the suffixes say, see `file_format`.

        Raises:
            InputError: a TREC file cannot have this role, or the run and the qrels are swapped.
        """
        value = _VALUE.get(role, {})
        if formats == {"json"} and value and self._is_nested(paths):
            return Source(
                label, self._nested(paths), {}, ordered=True, in_place=False, aliases=value, text_ids=True
            )
        if not set(formats) <= {None, "csv", "trec"}:
            return None
        named = {text_layout(os.path.basename(path)) for path in paths}
        if len(named) == 1 and (name := named.pop()) is not None:
            text = layout(name).text
            given = {"delim": literal(text.delimiter), "header": exp.convert(text.header)} if text else {}
            return replace(self.separated(paths, given, label), layout=name)
        fields = self._first_line(paths) if role in _TREC else []
        if _is_letor(fields, role):
            lines = _reading(_LETOR, {"path": _listed(paths)}).subquery("lines")
            return Source(label, lines, {}, ordered=True, in_place=False, layout=LETOR, aliases=value)
        if formats == {"trec"} or _is_trec(fields, role):
            rows = self._trec(paths, fields, role, label)
            file = TRECFile(self._connection, rows, tuple(paths), role, label)
            return Source(label, rows, {}, ordered=True, in_place=False, text=file, text_ids=True)
        return None

    def separated(self, paths: Sequence[str], options: Mapping[str, exp.Expr], label: str) -> Source:
        """Read files of comma-separated values.

        Args:
            options: those of read_csv that are known.

        Raises:
            InputError: they cannot be read.
        """
        csv = duckdb_csv.of_files(self._connection, paths, options, label)
        return Source(label, csv.relation, {}, ordered=True, in_place=False, text=csv)

    def read_whole(self, text: str, is_entry: Callable[[str], bool]) -> str:
        """Return a query of the user that reads text files with types that hold for all their rows.

        Args:
            is_entry: whether a name is one of the connection.

        Raises:
            InputError: a file cannot be read.
        """
        try:
            query = sqlglot.parse_one(text, dialect=DIALECT)
        except SqlglotError:
            return text
        changed = [self._widened(table, is_entry) for table in list(query.find_all(exp.Table))]
        return query.sql(DIALECT) if any(changed) else text

    def _widened(self, table: exp.Table, is_entry: Callable[[str], bool]) -> bool:
        """Let all rows decide the types of a table in SQL, and return whether the first ones did."""
        called, path, alias = table.this, table.name, table.name
        if isinstance(called, exp.Func):
            alias = str(called.name if isinstance(called, exp.Anonymous) else called.sql_name()).lower()
            options = [e for e in called.expressions if isinstance(e, exp.EQ | exp.PropertyEQ)]
            if _GUESSING.fullmatch(alias) is None or any(option.this.name in _DECIDING for option in options):
                return False
            if not isinstance(called, exp.ReadCSV) or options or not isinstance(called.this, exp.Literal):
                called.set("expressions", [*called.expressions, *duckdb_csv.named(duckdb_csv.WHOLE)])
                return True
            path = called.this.name
        elif table.db or file_format(path) not in ("csv", "json") or is_entry(path):
            return False
        elif not any(mark in path for mark in "*?["):
            # DuckDB calls the rows of a file so.
            alias = os.path.basename(path).split(".")[0]
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        if file_format(path) == "json":
            arguments = [literal(path), *duckdb_csv.named(duckdb_csv.WHOLE)]
            table.set("this", exp.Anonymous(this="read_json", expressions=arguments))
            return True
        csv = duckdb_csv.of_files(self._connection, [path], {}, path)
        rows = csv.whole(csv.types).relation
        table.set("this", rows.this if isinstance(rows, exp.Table) else exp.Subquery(this=rows.this))
        return True

    def _first_line(self, paths: Sequence[str]) -> list[str]:
        """Return the words of the first line, nothing where it cannot be read."""
        lines = _reading(_TREC["predictions"], {"path": _listed(paths)}).args["from_"].this
        try:
            found = self._connection.tried(exp.select("fields").from_(lines).limit(1))
        except EngineError:
            return []  # the next reading refuses the file, and names its fault
        return found[0][0] if found else []

    @staticmethod
    def _trec(paths: Sequence[str], fields: Sequence[str], role: Role, label: str) -> exp.Expr:
        """Read a TREC run or qrels file: blanks separate the columns, ids are text."""
        if role not in _TREC:
            raise InputError(label, "a TREC file can be predictions, truth or values only", "use Parquet")
        # A run has six columns, and qrels have four.
        if len(fields) == {"predictions": 4, "truth": 6}.get(role):
            seems, wanted = ("as qrels have", "run") if role == "predictions" else ("as a run has", "qrels")
            raise InputError(
                label,
                f"{len(fields)} columns, {seems}, in place of the {wanted}",
                "give the run first, then the qrels",
            )
        return _reading(_TREC[role], {"path": _listed(paths)}).subquery("trec")

    def _is_nested(self, paths: Sequence[str]) -> bool:
        """Return whether a file holds one object of objects, {query: {item: number}}, and not columns."""
        reader = exp.Anonymous(this="read_json", expressions=[_listed(paths)])
        probe = exp.select(exp.Star()).from_(exp.Table(this=reader))
        try:
            types = {row[0]: row[1] for row in self._connection.tried(exp.Describe(this=probe))}
        except EngineError as error:
            return _TOO_LARGE in str(error)
        return not types.keys() & set(CANONICAL) and all(map(_OBJECT.fullmatch, types.values()))

    @staticmethod
    def _nested(paths: Sequence[str]) -> exp.Expr:
        """Write how such files are read; each is one value of JSON, however large."""
        files = [file for path in paths for file in glob.glob(path, recursive=True)]
        packed = {file: _PACKED if file.endswith((".gz", ".zst")) else 1 for file in files}
        size = max([_LARGEST_OBJECT, *(os.path.getsize(file) * times for file, times in packed.items())])
        return _reading(_JSON, {"path": _listed(paths), "size": literal(size)}).subquery("json")


def _is_trec(fields: Sequence[str], role: Role) -> bool:
    """Return whether a line is one of a run or of qrels: the second word is Q0, or 0; or of trec_eval."""
    if role == VALUES:
        return len(fields) == 3 and (fields[1] == "all" or _NUMBER.fullmatch(fields[2]) is not None)
    return (len(fields) == 6 and fields[1] == "Q0") or (len(fields) == 4 and fields[1] in ("0", "Q0"))


def _is_letor(fields: Sequence[str], role: Role) -> bool:
    """Return whether a line is `label qid:query feature:value ...`, or of predictions a number alone."""
    if role == "predictions":
        return len(fields) == 1 and _NUMBER.fullmatch(fields[0]) is not None
    return len(fields) > 1 and fields[1].startswith("qid:")


def _listed(paths: Sequence[str]) -> exp.Expr:
    return exp.Array(expressions=[literal(path) for path in paths])


def _reading(name: str, values: dict[str, exp.Expr]) -> exp.Select:
    """Return the query of a file under sql/macros with its parameters filled in."""
    query = definition("macros", name).query.copy()
    for placeholder in list(query.find_all(exp.Placeholder)):
        placeholder.replace(values[placeholder.name].copy())
    return query  # type: ignore[return-value]
