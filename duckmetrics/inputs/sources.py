"""Tables as people name them: paths, patterns, SQL, tables of the connection; and files that change."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


# The time of the last change in nanoseconds, the size in bytes, and the number of a file on its disk.
State = tuple[int, int, int]
WHILE = "changed while it was read, so that the checks and the numbers may be of different rows"
SINCE = "changed after it was evaluated, so that this would be about other rows than the values"


def states_of(pattern: str) -> dict[str, State]:
    """Return the state of each file that matches a pattern."""
    return {path: _state(path) for path in glob.glob(pattern, recursive=True)}


def refuse_changed(states: Mapping[str, State], what: str) -> None:
    """Refuse files that are not in these states any more.

    Args:
        what: what is wrong with such a file.

    Raises:
        InputError: names the first one.
    """
    for path, state in states.items():
        if _state(path) != state:
            raise InputError(path, what, "evaluate it again, or copy it first")


def _state(path: str) -> State:
    """Return the state of a file, zeros if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


Role = Literal[
    "predictions",
    "truth",
    "queries",
    "population",
    "history",
    "items",
    "reference",
    "values",
    "counts",
    "data",
    "before",
]
ROLES: tuple[Role, ...] = (
    "predictions", "truth", "queries", "population", "history", "items", "reference", "values"
)  # fmt: skip
FILE_SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json",
    ".jsonl": "json", ".ndjson": "json", ".run": "trec", ".trec": "trec", ".qrels": "trec",
    ".qrel": "trec", ".txt": "trec", ".eval": "trec",
}  # fmt: skip
_COMPRESSED = (".gz", ".zst")
_SQL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:(?:SELECT|FROM|WITH)\b|\()", re.IGNORECASE | re.DOTALL)
# Usual names of the columns that distinguish systems if one table holds several.
RUN = re.compile(
    r"(system|model|run|variant|algorithm|recommender|ranker)(_?(id|name|tag|version))?|tag", re.I
)
# Functions of other names than sqlglot knows, which give another value at every call.
_VOLATILE = ("nextval", "uuidv4", "uuidv7")


class TextFile(Protocol):
    """Files whose types are guessed from their first rows."""

    @property
    def relation(self) -> exp.Expr:
        """The rows."""

    def narrowed(self, columns: Collection[str]) -> TextFile:
        """Return the files with only some of their columns."""

    def whole(self, columns: Collection[str]) -> TextFile:
        """Return the files with types that hold for every value of some columns.

        Raises:
            InputError: a line cannot be read.
        """

    def place_of(self, column: str) -> str:
        """Return where the first value of a column is no number, empty if that is unknown."""


@dataclass(frozen=True)
class Source:
    """A table as the engine found it.

    Attributes:
        label: its name in messages.
        relation: the text in FROM.
        columns: name -> type, in the words of DuckDB.
        ordered: whether the rows have an order of their own (a file, a frame).
        rowid: whether the rows are numbered by the database (a base table).
        renamed: names of the user that the database changes, because they differ in case only.
        empty: whether there is no row.
        statistics: whether the smallest and largest value of a column are known without a scan.
        in_place: whether it costs little to read it again; it does not for text, a remote table or a query.
        unread: columns that were left out when the table was read; like `columns`.
        original: the text in FROM of the table with all its columns, None if none was left out.
        layout: the layout that is known by the name of the file.
        aliases: canonical column -> the column of a layout, None for one that the layout does not read.
        positive: the label that counts as 1, every other as 0, where labels are text.
        has_holes: whether NULL in a list is an empty place, as in a row of columns rec_1, rec_2, ...
        labels: some of the labels, where they are text and none is named as positive.
        dialect: the SQL of the engine that has it.
        frame: the kind of a frame of Python, as advice calls it; empty for any other table.
        files: the state of each local file that is read where it is, when the table was found.
        text: the lines that it was read from, None if it is no text file; see `TextFile`.
        text_ids: whether ids are text by the format, as the keys of JSON and the words of TREC are.
    """

    label: str
    relation: exp.Expr
    columns: Mapping[str, str]
    ordered: bool = False
    rowid: bool = False
    statistics: bool = False
    empty: bool = False
    in_place: bool = True
    unread: Mapping[str, str] = field(default_factory=dict)
    original: exp.Expr | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    layout: str | None = None
    aliases: Mapping[str, str | None] = field(default_factory=dict)
    positive: str | None = None
    has_holes: bool = False
    labels: tuple[str, ...] = ()
    dialect: str = DIALECT
    frame: str = ""
    files: Mapping[str, State] = field(default_factory=dict)
    text: TextFile | None = None
    text_ids: bool = False

    @property
    def all_columns(self) -> list[str]:
        """The names of all columns, also of those that were left out when it was read."""
        return [*self.columns, *self.unread]

    @property
    def words(self) -> str:
        """The words of advice about the table."""
        return self.frame or self.dialect

    @property
    def whole(self) -> Source:
        """The table with all its columns, which may have to be read again."""
        if self.original is None:
            return self
        columns = {**self.columns, **self.unread}
        return replace(self, relation=self.original, columns=columns, unread={}, original=None)

    def find(self, name: str) -> str | None:
        """Return the column called `name`, by its layout or by itself.

        Raises:
            InputError: there are several candidates, and none is called exactly so.
        """
        return self.aliases[name] if name in self.aliases else self.named(name)

    def named(self, name: str) -> str | None:
        """Return the column called `name` itself; case and blanks around it decide only between candidates.

        Raises:
            InputError: there are several candidates, and none is called exactly so.
        """
        if name in self.renamed:
            return self.renamed[name]
        if name in self.columns:
            return name
        folded = [column for column in (*self.columns, *self.renamed) if column.lower() == name.lower()]
        if not folded:
            bare = name.strip().lower()
            folded = [column for column in (*self.columns, *self.renamed) if column.strip().lower() == bare]
        if len(folded) > 1:
            raise InputError(
                self.label,
                f"columns {' and '.join(map(repr, folded))} differ in case only, and none is called {name!r}",
                f"map the one that is meant with columns={{{name!r}: {folded[0]!r}}}",
            )
        return folded[0] if folded else None


def by_table(option: str, given: Any, example: str) -> Iterator[tuple[Role, Any]]:
    """Yield the values of an option that is given by the table.

    Args:
        example: how it is written.

    Raises:
        InputError: it is not a mapping, or names no table of an evaluation.
    """
    if given is not None and not isinstance(given, Mapping):
        raise InputError(option, f"{given!r} names no table", f"write {example}")
    for table, value in (given or {}).items():
        if table not in ROLES:
            advice = suggestion(str(table), ROLES)
            raise InputError(option, f"{table!r} is not a table of an evaluation", advice)
        yield table, value


def kind_of_text(text: str) -> str:
    """Return the kind of a string: ``sql``, ``file``, or ``name`` (a table, a view, then a file)."""
    for prefix in ("table:", "file:", "sql:"):
        if text.startswith(prefix):
            return prefix[:-1]
    if _SQL.match(text):
        return "sql"
    if any(mark in text for mark in "/\\*?") or file_format(text):
        return "file"
    return "name"


def label_of_sql(text: str) -> str:
    """Return the name of a user's query in messages."""
    return f"sql:{' '.join(text.split())[:40]}"


def is_of_spark(table: object) -> bool:
    """Return whether a table is a DataFrame of Spark, classic or of Spark Connect."""
    return type(table).__module__.partition(".")[0] == "pyspark" and hasattr(table, "sparkSession")


def file_format(path: str) -> str | None:
    """Return the format of a file by its suffix: parquet, csv, json, trec, or None."""
    lowered = path.lower()
    for compression in _COMPRESSED:
        lowered = lowered.removesuffix(compression)
    return next((f for suffix, f in FILE_SUFFIXES.items() if lowered.endswith(suffix)), None)


def exact_path(path: str) -> str:
    """Write a path as a pattern in which a part that exists under its literal name stands for itself.

    Otherwise, ``run[1].parquet`` would be read as a pattern, and match ``run1.parquet`` instead.
    """
    if path.startswith("~"):  # DuckDB would put the home folder in its place
        path = os.path.join(".", path)
    head, exact = os.path.split(path), ""
    parts = [head[1]]
    while head[1] and head[0]:
        head = os.path.split(head[0])
        parts.insert(0, head[1] or head[0])
    for i, part in enumerate(parts):
        if not os.path.lexists(os.path.join(exact, part)):
            return os.path.join(glob.escape(exact), *parts[i:])
        exact = os.path.join(exact, part)
    return glob.escape(exact)


def refuse_streams(label: str, paths: Iterable[str]) -> None:
    """Refuse pipes and devices, which can be read only once, where a table is read several times.

    Raises:
        InputError: one of the paths is neither a file nor a folder.
    """
    for path in paths:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise InputError(
                label,
                f"{path} is a pipe or device, and tables are read several times",
                "write it to a file first, as in 'cat > run.csv'",
            )


def paths_in_sql(text: str) -> Iterator[str]:
    """Yield the texts that a query reads as files; none if we cannot read the query."""
    try:
        query = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        return
    for table in query.find_all(exp.Table):
        yield table.name
        yield from (literal.name for literal in table.find_all(exp.Literal) if literal.is_string)


def refuse_volatile(label: str, text: str, dialect: str = DIALECT) -> None:
    """Refuse queries that give other rows at every reading, where a table is checked before it is measured.

    Raises:
        InputError: the query samples without a seed, or calls a function such as random().
    """
    try:
        query = sqlglot.parse_one(text, dialect=dialect)
    except SqlglotError:
        return
    for node in query.find_all(exp.TableSample, exp.Rand, exp.Uuid, exp.Anonymous):
        name = volatile(node)
        if name is not None and not _orders_all_rows(node):
            raise InputError(
                label,
                f"{name} gives other rows at every reading, and tables are read several times",
                (
                    "store the rows first, as in CREATE TABLE ... AS or COPY ... TO, and give that table or "
                    "file"
                ),
            )


def volatile(node: exp.Expr) -> str | None:
    """Return the part that gives other values at every reading; with a seed, a sample stays the same."""
    if isinstance(node, exp.TableSample):
        return None if node.args.get("seed") else "a sample without a seed"
    if isinstance(node, exp.Rand):
        return None if node.this else "random()"
    if isinstance(node, exp.Uuid):
        return "uuid()"
    return f"{node.name}()" if node.name.lower() in _VOLATILE else None


def _orders_all_rows(node: exp.Expr) -> bool:
    """Return whether chance only puts rows in order, and all of them are kept."""
    order = node.find_ancestor(exp.Order)
    inside = order.parent if order is not None else None
    if not isinstance(inside, exp.Query):
        return False
    while inside is not None and not (inside.args.get("limit") or inside.args.get("offset")):
        inside = inside.parent
    return inside is None


def no_rows(source: Source) -> InputError:
    """Return the error for a table without rows."""
    return InputError(source.label, "no rows", "check how it was exported")
