"""CSV files, read with types that hold for all their rows.

DuckDB decides the types of a file on its first 20,480 rows, and fits later values to them: it rounds 0.5 to a
whole number, reads the id 007 as 7, and drops a time of day. Here, such columns are read as text, and each
value is cast where it is read. A value that the cast would change stops the reading; then the types of the
columns are those that hold for the whole file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines.transactions import is_in_transaction
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import quoted, try_cast
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from duckmetrics.engines.connection import DuckDBConnection
    from duckmetrics.inputs.sources import Source

    Copy = Callable[[Source, Sequence[exp.Expr]], exp.Table]

TEXT = "VARCHAR"
# Options that decide the types of JSON on all rows; that takes a second pass.
WHOLE = {"sample_size": literal(-1)}
# The words of DuckDB about a line of a CSV file, and about a file that is not Parquet.
_LINE_OF, _FILE_OF = re.compile(r"CSV Error on Line: (\d+)"), re.compile(r"^  file = (.+)$", re.M)
_REASON = re.compile(
    r"^(?:Expected Number of Columns.*|.*Could not convert.*|Value with unterminated.*)$", re.M
)
_NO_PARQUET = re.compile("too small to be a Parquet file|No magic bytes found")
_CHECK = "check that it is whole, and of the format that its name says"
_FILE, _LINE, _VALUE = "_file", "_line", "_value"
# Whether a text is a value of a type as it stands; of a number, only digits that no DOUBLE keeps are lost.
_FITS = {
    "BOOLEAN": "TRY_CAST(given AS BOOLEAN) IS NOT NULL AND given NOT IN ('0', '1')",
    "BIGINT": "CAST(TRY_CAST(given AS BIGINT) AS VARCHAR) = given",
    "HUGEINT": "CAST(TRY_CAST(given AS HUGEINT) AS VARCHAR) = given",
    "DOUBLE": r"TRY_CAST(given AS DOUBLE) IS NOT NULL AND NOT regexp_matches(given, '^ *(\+|-?0[0-9a-z])|_')",
    "DATE": "strlen(given) <= 10 AND TRY_CAST(given AS DATE) IS NOT NULL",
    "TIMESTAMP": (
        "TRY_CAST(given AS TIMESTAMP) IS NOT NULL AND NOT regexp_matches(substr(given, 11), '[^T0-9:. ]')"
    ),
    "TIMESTAMP WITH TIME ZONE": (
        "TRY_CAST(given AS TIMESTAMPTZ) IS NOT NULL AND regexp_matches(substr(given, 11), '[^T0-9:. ]')"
    ),
}
# Whether a text is the digits of a number as we write it, at less cost than to write them; some are left out.
# No other text begins above 0, and is as short as its number: only an exponent, of two zeros or more.
_WHOLE_NUMBER = "BIGINT"
_WRITTEN_SO = "given >= '1' AND number % 100 <> 0 AND number >= list_extract(powers, strlen(given))"
_POWERS = exp.Array(expressions=[literal(10**digits) for digits in range(19)])
# The types to try if a later value does not fit; text holds every value.
_WIDER = {"BIGINT": ("HUGEINT", "DOUBLE"), "HUGEINT": ("DOUBLE",), "DATE": ("TIMESTAMP",)}
# DuckDB reads these as they are: a whole number in a column of DOUBLE is the same number.
_TYPED = ("DOUBLE",)
# The columns of sniff_csv: the sign of quotes, "(empty)" for none, and the formats of times.
_SNIFFED, _NONE = (exp.column("Quote"), exp.column("DateFormat"), exp.column("TimestampFormat")), "(empty)"
# The format of times that DuckDB does not name, or next to others.
_ISO = (None, "%Y-%m-%d", "%Y-%m-%d %H:%M:%S")


@dataclass(frozen=True)
class CSV:
    """Files of comma-separated values, and the types that their columns have.

    Attributes:
        connection: the one that reads them.
        label: their name in messages.
        paths: the files or patterns.
        options: those of read_csv.
        types: column -> type.
        checked: whether every value was compared with the types.
        kept: columns whose values have a format that DuckDB itself obeys.
    """

    connection: DuckDBConnection
    label: str
    paths: tuple[str, ...]
    options: Mapping[str, exp.Expr]
    types: Mapping[str, str]
    checked: bool = False
    kept: frozenset[str] = frozenset()

    def reader(self, more: Mapping[str, exp.Expr] | None = None) -> exp.Table:
        """Write the call of read_csv."""
        arguments = [listed(self.paths), *named({**self.options, **(more or {})})]
        return exp.Table(this=exp.Anonymous(this="read_csv", expressions=arguments))

    @property
    def relation(self) -> exp.Expr:
        """The rows, each value cast to the type of its column, or refused."""
        as_text = [name for name, type_ in self.types.items() if self._is_cast(name, type_)]
        if not as_text:
            return self.reader()
        columns = [
            self._cast(name, type_) if name in as_text else quoted(name) for name, type_ in self.types.items()
        ]
        rows: exp.Table | exp.Subquery = self.reader({"types": _as_text(as_text)})
        whole = [name for name in as_text if self.types[name] == _WHOLE_NUMBER]
        if whole:
            numbers = [
                try_cast(quoted(name), _WHOLE_NUMBER).as_(_number(name), quoted=True) for name in whole
            ]
            rows = exp.select(exp.Star(), *numbers).from_(rows).subquery("csv")
        return exp.select(*columns).from_(rows).subquery("csv")

    def _is_cast(self, name: str, type_: str) -> bool:
        """Return whether a column is read as text first, also one that proved to hold a text."""
        if self.checked and type_ == TEXT:
            return True
        return name not in self.kept and type_ in _FITS and (self.checked or type_ not in _TYPED)

    @staticmethod
    def _cast(name: str, type_: str) -> exp.Expr:
        if type_ == TEXT:
            return quoted(name)
        said = exp.DPipe(this=literal(f"{name}: "), expression=quoted(name), safe=True)
        refused = exp.Anonymous(this="error", expressions=[said])
        value = exp.Case()
        if type_ == _WHOLE_NUMBER:
            # Plan rule: DuckDB casts once what an inner query names, and writes few numbers as text again.
            number = exp.column(_number(name), quoted=True)
            value = value.when(is_written_so(quoted(name), number), number)
        # Plan rule: a condition without NOT and coalesce costs a quarter less; of NULL, it is NULL.
        value = value.when(_fits(name, type_), try_cast(quoted(name), type_))
        is_given = exp.Is(this=quoted(name), expression=exp.null()).not_()
        return value.when(is_given, refused).as_(name, quoted=True)

    def narrowed(self, columns: Collection[str]) -> CSV:
        """Return the files with only some of their columns."""
        return replace(self, types={name: type_ for name, type_ in self.types.items() if name in columns})

    def whole(self, columns: Collection[str]) -> CSV:
        """Return the files with the types that hold for all values of some columns.

        Raises:
            InputError: a line cannot be read.
        """
        # A layout has other columns than the files.
        read = columns if self.types.keys() >= set(columns) else self.types
        tried = {
            name: (type_, *_WIDER.get(type_, ()))
            for name in read
            if (type_ := self.types[name]) in _FITS and name not in self.kept
        }
        if not tried:
            return replace(self, checked=True)
        fits = [
            exp.EQ(this=exp.CountIf(this=_fits(name, type_)), expression=exp.Count(this=quoted(name)))
            for name, types in tried.items() for type_ in types
        ]  # fmt: skip
        query = exp.select(*fits).from_(self.reader({"types": _as_text(self.types)}))
        try:
            found = iter(self.connection.tried(query)[0])
        except EngineError as error:
            if error.out_of_memory:
                raise
            raise unreadable(self.label, error) from error
        types = dict(self.types)
        for name, wider in tried.items():
            held = [type_ for type_ in wider if next(found)]
            types[name] = held[0] if held else TEXT
        return replace(self, types=types, checked=True)

    def place_of(self, column: str) -> str:
        """Return the file, line and value where a column first holds no number; empty if it holds numbers."""
        if column not in self.types:
            return ""
        more = {"types": _as_text(self.types), "filename": literal(_FILE)}
        values = exp.select(
            exp.column(_FILE), quoted(column).as_(_VALUE), exp.Window(this=exp.RowNumber()).as_(_LINE)
        )
        first = exp.select(_FILE, in_file(_LINE, _FILE).as_(_LINE), _VALUE)
        first = exp.select(exp.Star()).from_(
            first.from_(values.from_(self.reader(more)).subquery("lines")).subquery("lines")
        )
        is_bad = exp.func("coalesce", _fits(_VALUE, "DOUBLE"), exp.false()).not_()
        is_given = exp.Is(this=exp.column(_VALUE), expression=exp.null()).not_()
        bad = first.where(is_bad, is_given).order_by(_FILE, _LINE).limit(1)
        found = self.connection.tried(bad)
        if not found:
            return ""
        file, line, value = found[0]
        # Without names in the first line, DuckDB calls the columns column0, column1.
        above = int(any(name != f"column{place}" for place, name in enumerate(self.types)))
        place = "" if file == self.label else f"{file}, "
        return f"{place}line {line + above}: {value!r}"


def of_files(
    connection: DuckDBConnection, paths: Sequence[str], options: Mapping[str, exp.Expr], label: str
) -> CSV:
    """Return CSV files with the types of their first rows.

    Args:
        options: those of read_csv; the others are found in the first rows.

    Raises:
        InputError: they cannot be read.
    """
    try:
        return _of_files(connection, paths, options, label)
    except EngineError as error:
        if error.out_of_memory:
            raise
        raise unreadable(label, error) from error


def _of_files(
    connection: DuckDBConnection, paths: Sequence[str], options: Mapping[str, exp.Expr], label: str
) -> CSV:
    found = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(paths[0])]))
    first = connection.tried(exp.select("file").from_(found).limit(1))
    sniffed = exp.Anonymous(
        this="sniff_csv", expressions=[literal(first[0][0] if first else paths[0]), *named(options)]
    )
    asked = exp.select(*_SNIFFED).from_(exp.Table(this=sniffed))
    ((quote, date, time),) = connection.tried(asked)
    given = {**options, "union_by_name": exp.true()}
    if quote == _NONE:
        # Quotes that begin later would be part of the values.
        given |= {"quote": literal('"'), "escape": literal('"')}
    csv = CSV(connection, label, tuple(paths), given, {})
    types = dict(connection.columns(exp.select(exp.Star()).from_(csv.reader())))
    # A format that was found is obeyed in each row.
    obeyed = {kind for kind, form in (("DATE", date), ("TIMESTAMP", time)) if form not in _ISO}
    return replace(csv, types=types, kept=frozenset(n for n, type_ in types.items() if type_ in obeyed))


def named(options: Mapping[str, exp.Expr]) -> list[exp.Expr]:
    """Write options of a function of DuckDB."""
    return [exp.EQ(this=exp.to_identifier(key), expression=value.copy()) for key, value in options.items()]


def copied(
    held: DuckDBConnection, source: Source, columns: Sequence[str], copy: Copy
) -> tuple[exp.Table, Mapping[str, str]]:
    """Copy columns of a table, and return the copy and its types, which those of a text may differ from.

    Raises:
        InputError: it cannot be read.
    """
    names = [quoted(name) for name in columns]
    if source.text is None:
        return copy(source, names), source.columns
    if source.relation == source.text.relation:
        text = source.text.narrowed(columns)
        source = replace(source, relation=text.relation, text=text)
    cause = None
    # A statement that fails would end a transaction.
    if not held.is_in_transaction and (held.is_own or not is_in_transaction(held.raw)):
        try:
            return copy(source, names), source.columns
        except InputError as error:
            cause = error.__cause__
    try:
        source = of_all_rows(held, source, columns)
    except InputError as refused:
        raise refused from refused.__cause__ or cause
    return copy(source, names), source.columns


def of_all_rows(held: DuckDBConnection, source: Source, columns: Collection[str]) -> Source:
    """Return a table in text files with types that hold for every value of some columns.

    Raises:
        InputError: a line cannot be read.
    """
    if source.text is None:
        return source
    before, text = source.text.relation, source.text.whole(columns)
    relation = source.relation.transform(lambda node: text.relation if node == before else node)
    types = dict(held.columns(exp.select(exp.Star()).from_(relation.copy())))
    return replace(source, relation=relation, columns=types, text=text)


def in_file(line: str, file: str) -> exp.Expr:
    """Write the number of a line in its file from its number among all lines, as a partition has no order."""
    first = exp.Window(this=exp.Min(this=exp.column(line)), partition_by=[exp.column(file)])
    return exp.Add(this=exp.Sub(this=exp.column(line), expression=first), expression=literal(1))


def _as_text(names: Sequence[str] | Mapping[str, str]) -> exp.Expr:
    """Write that columns are text."""
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=literal(TEXT))
            for name in names
        ]
    )


def _fits(name: str, type_: str) -> exp.Expr:
    """Write whether the text of a column is a value of a type; for NULL, it is NULL or false."""
    condition = sqlglot.parse_one(_FITS[type_], dialect=DIALECT)
    fits: exp.Expr = condition.transform(lambda node: quoted(name) if isinstance(node, exp.Column) else node)
    return fits


def is_written_so(given: exp.Expr, number: exp.Expr) -> exp.Expr:
    """Write a condition that holds only if a text is the digits of the number that was read from it."""
    parts = {"given": given, "number": number, "powers": _POWERS}
    condition = sqlglot.parse_one(_WRITTEN_SO, dialect=DIALECT)
    written: exp.Expr = condition.transform(
        lambda node: parts[node.name].copy() if isinstance(node, exp.Column) else node
    )
    return written


def _number(name: str) -> str:
    """Return the name of the number that was read from a column."""
    return f"{name} as {_WHOLE_NUMBER}"


def listed(paths: Sequence[str]) -> exp.Expr:
    return exp.Array(expressions=[literal(path) for path in paths])


def unreadable(label: str, error: EngineError, advice: str = "") -> InputError:
    """Return our error for a table that DuckDB cannot read, with the line that it names.

    Args:
        advice: what to do, by default to check the file.
    """
    said = str(error.__cause__)
    line, not_text = _LINE_OF.search(said), "not utf-8 encoded" in said
    file = _FILE_OF.search(said)
    where = f"{file[1]}, " if file and file[1] != label else ""
    where += f"line {line[1]}" if line else "it"
    if not_text:
        what = f"cannot be read: {where} is not text in UTF-8"
        return InputError(label, what, "save it as UTF-8, as with 'iconv -f LATIN1 -t UTF-8' or -f UTF-16")
    if _NO_PARQUET.search(said):
        what = "cannot be read: it is not a whole Parquet file"
        return InputError(label, what, "check that the export or download finished, or write it again")
    reason = _REASON.search(said)
    what = f"{where}: {reason[0].strip()}" if line and reason else f"{error.where}: {error.what}"
    return InputError(label, f"cannot be read: {what}", error.advice or advice or _CHECK)
