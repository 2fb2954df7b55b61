"""At the door: from a user's table and column mapping to the canonical inputs of the metrics.

The user's column names are mapped here, once; no metric file ever sees them. All names and values
become AST nodes, so that a column called ``"; DROP TABLE`` is just a column.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from duckmetrics.catalog.catalog import DIALECT
from duckmetrics.compose.optimizer import EXACT
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Role = Literal["predictions", "truth", "queries", "population", "counts", "data"]

ROLES: tuple[Role, ...] = ("predictions", "truth", "queries", "population")
CANONICAL = (
    "query_id", "item_id", "score", "rank", "position", "relevance", "label", "weight", "group_id",
    "cluster_id", "items", "scores", "relevant",
)  # fmt: skip
# Columns that several of the user's can make up together, as in user+day.
KEYS = ("query_id", "item_id", "group_id", "cluster_id")

FILE_SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json",
    ".jsonl": "json", ".ndjson": "json", ".run": "trec", ".trec": "trec", ".qrels": "trec",
    ".qrel": "trec", ".txt": "trec",
}  # fmt: skip
_COMPRESSED = (".gz", ".zst")
_SQL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:(?:SELECT|FROM|WITH)\b|\()", re.IGNORECASE | re.DOTALL)
_INTEGER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\)")
_NUMBER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\)|FLOAT|DOUBLE")
_LIST = re.compile(r"(.*)\[\d*\]")
# Columns that tell systems apart where several stand in one table, by what people call them.
RUN = re.compile(
    r"(system|model|run|variant|algorithm|recommender|ranker)(_?(id|name|tag|version))?|tag", re.I
)
# Functions of other names than sqlglot knows, which give another value at every call.
_VOLATILE = ("nextval", "uuidv4", "uuidv7")
_ITEM_LISTS = ("items", "relevant")
# Types with more digits than a DOUBLE: it keeps 53 bits of whole numbers, and 15 digits of decimals.
_WIDE = re.compile(r"U?(?:BIGINT|HUGEINT)|DECIMAL\((?:1[6-9]|[23]\d),(?P<scale>\d+)\)")
_NARROW = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER)|BIGINT")


@dataclass(frozen=True)
class Source:
    """A table as the engine found it.

    Attributes:
        label: how messages call it.
        relation: what stands in FROM.
        columns: name -> type, in the words of DuckDB.
        ordered: whether the rows have an order of their own (a file, a frame).
        rowid: whether the rows are numbered by the database (a base table).
        renamed: names of the user that the database calls otherwise, because they differ in case only.
        empty: whether there is no row.
        statistics: whether the smallest and largest value of a column are known without a scan.
    """

    label: str
    relation: exp.Expr
    columns: Mapping[str, str]
    ordered: bool = False
    rowid: bool = False
    statistics: bool = False
    empty: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str | None:
        """Return the column called `name`; letter case decides only between two candidates.

        Raises:
            InputError: there are several candidates, and none is called exactly so.
        """
        if name in self.renamed:
            return self.renamed[name]
        if name in self.columns:
            return name
        folded = [column for column in (*self.columns, *self.renamed) if column.lower() == name.lower()]
        if len(folded) > 1:
            raise InputError(
                f"{self.label}: columns {' and '.join(map(repr, folded))} differ in case only, and none is "
                f"called {name!r}; map the one that is meant with columns={{{name!r}: {folded[0]!r}}}"
            )
        return folded[0] if folded else None


def kind_of_text(text: str) -> str:
    """Tell what a string names: ``sql``, ``file``, or ``name`` (a table, a view, then a file)."""
    for prefix in ("table:", "file:", "sql:"):
        if text.startswith(prefix):
            return prefix[:-1]
    if _SQL.match(text):
        return "sql"
    if any(mark in text for mark in "/\\*?") or file_format(text):
        return "file"
    return "name"


def label_of_sql(text: str) -> str:
    """How messages call a query of the user."""
    return f"sql:{' '.join(text.split())[:40]}"


def is_of_spark(table: object) -> bool:
    """Say whether a table is a DataFrame of Spark, classic or of Spark Connect."""
    return type(table).__module__.partition(".")[0] == "pyspark" and hasattr(table, "sparkSession")


def file_format(path: str) -> str | None:
    """Return the format that a file's suffix tells: parquet, csv, json, trec, or None."""
    lowered = path.lower()
    for compression in _COMPRESSED:
        lowered = lowered.removesuffix(compression)
    return next((f for suffix, f in FILE_SUFFIXES.items() if lowered.endswith(suffix)), None)


def exact_path(path: str) -> str:
    """Write a path as a pattern in which whatever exists under its literal name means just that.

    A file ``run[1].parquet`` would else be read as a pattern, and ``run1.parquet`` beside it instead.
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
                f"{label}: {path} is a pipe or device, and tables are read several times; write it to a "
                "file first, as in 'cat > run.csv'"
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
        name = _volatile(node)
        if name is not None and not _orders_all_rows(node):
            raise InputError(
                f"{label}: {name} gives other rows at every reading, and tables are read several times; "
                "store the rows first, as in CREATE TABLE ... AS or COPY ... TO, and give that table or file"
            )


def _volatile(node: exp.Expr) -> str | None:
    """Return what gives something else at every reading; a seed makes it the same."""
    if isinstance(node, exp.TableSample):
        return None if node.args.get("seed") else "a sample without a seed"
    if isinstance(node, exp.Rand):
        return None if node.this else "random()"
    if isinstance(node, exp.Uuid):
        return "uuid()"
    return f"{node.name}()" if node.name.lower() in _VOLATILE else None


def _orders_all_rows(node: exp.Expr) -> bool:
    """Say whether chance only puts rows in order, and all of them are kept."""
    order = node.find_ancestor(exp.Order)
    inside = order.parent if order is not None else None
    if not isinstance(inside, exp.Query):
        return False
    while inside is not None and not (inside.args.get("limit") or inside.args.get("offset")):
        inside = inside.parent
    return inside is None


@dataclass(frozen=True)
class ColumnMap:
    """The user's names for the canonical columns; ``truth.query_id`` is for one table only."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, name in self.names.items():
            if not (isinstance(key, str) and isinstance(name, str)):
                raise InputError(
                    f"columns: {key!r}: {name!r} are no names; write text, as in {{'query_id': 'user_id'}}"
                )
            table, _, column = key.rpartition(".")
            if column not in CANONICAL and name in CANONICAL:
                raise InputError(
                    f"columns: {{{key!r}: {name!r}}} is the wrong way round; write {{{name!r}: {key!r}}}, "
                    f"on the command line --column {name}={key}"
                )
            if column not in CANONICAL or (table and table not in ROLES):
                raise InputError(
                    f"columns: {key!r} is no canonical column; "
                    f"{suggestion(key, [*CANONICAL, *(f'{r}.{c}' for r in ROLES[:3] for c in CANONICAL)])}"
                )

    def given(self, role: Role, column: str) -> str | None:
        """Return the name mapped for a column of a table, None when there is none."""
        return self.names.get(f"{role}.{column}", self.names.get(column))

    def find(self, source: Source, role: Role, column: str) -> str | None:
        """Return the user's column for a canonical one, or None when the table lacks it.

        Raises:
            InputError: a column was mapped to a name that the table does not have.
        """
        own = self.names.get(f"{role}.{column}")
        name = own if own is not None else self.names.get(column, column)
        found = source.find(name)
        if found is None and "+" in name and column not in KEYS:
            raise InputError(
                f"{source.label}: no column {name!r} for {column}; {_found(source)}; only keys such as "
                "query_id are made of several columns"
            )
        if found is None and own is None and column in self.names and not _composite(source, name):
            found = source.find(column)
        if found is None and self.given(role, column) is not None and "+" not in name:
            raise InputError(
                f"{source.label}: no column {name!r} for {column}; {_found(source)}; "
                f"map it with columns={{'{role}.{column}': ...}}"
            )
        return found


@dataclass(frozen=True)
class Key:
    """An id column, or several that make up an id together.

    Attributes:
        parts: the user's columns.
        kinds: what each of them holds: integer, text, date, ...
    """

    label: str
    parts: tuple[str, ...]
    types: tuple[str, ...]
    kinds: tuple[str, ...]


def key_of(source: Source, columns: ColumnMap, role: Role, column: str) -> Key:
    """Find an id column and the kind of its values.

    Raises:
        InputError: the column is missing, or of a type that cannot be an id.
    """
    found = columns.find(source, role, column)
    mapped = columns.given(role, column) or column
    parts = (found,) if found is not None else tuple(p.strip() for p in mapped.split("+"))
    names = [source.find(part) for part in parts]
    if None in names:
        raise missing_column(source, column, role)
    known = tuple(name for name in names if name is not None)
    types = tuple(source.columns[name] for name in known)
    return Key(
        source.label,
        known,
        types,
        tuple(_id_kind(source.label, column, n, t) for n, t in zip(known, types, strict=True)),
    )


def _composite(source: Source, name: str) -> bool:
    """Say whether a mapped name means several columns that are all there."""
    return "+" in name and all(source.find(part.strip()) for part in name.split("+"))


def missing_column(source: Source, column: str, role: Role) -> InputError:
    return InputError(
        f"{source.label}: no column {column!r}; {_found(source)}; "
        f"map it with columns={{'{column}': ...}} (on the command line --column {column}=...)"
    )


def _found(source: Source) -> str:
    return f"found {', '.join(source.columns)}"


def _id_kind(label: str, column: str, name: str, type_: str) -> str:
    where = f"{label}: column {name!r} is {type_}"
    if _INTEGER.fullmatch(type_):
        return "integer"
    if type_ == "VARCHAR" or type_.startswith("ENUM("):
        return "text"
    if type_ in ("UUID", "DATE", "BOOLEAN"):
        return type_.lower()
    if type_ == "TIMESTAMP WITH TIME ZONE":
        return "timestamp with time zone"
    if type_.startswith("TIMESTAMP"):
        return "timestamp"
    if type_.endswith("]") and column == "item_id":
        raise InputError(
            f"{where}, a list and not an id; if it lists the items of a query, the best first, map it with "
            f"columns={{'items': {name!r}}}, in the truth with columns={{'relevant': {name!r}}}"
        )
    if type_ == "BLOB":
        raise InputError(
            f"{where}, not an id; if it holds text, read the file with binary_as_string: "
            "\"SELECT * FROM read_parquet('...', binary_as_string = true)\""
        )
    if _NUMBER.fullmatch(type_):
        raise InputError(
            f"{where}, not an id: such numbers are not told apart exactly; "
            f'cast it, as in "SELECT * REPLACE (CAST({name} AS BIGINT) AS {name}) FROM ..."'
        )
    raise InputError(f"{where}, not an id; use a number, text, UUID, date, timestamp or boolean")


def same_kind(left: Key, right: Key, column: str) -> None:
    """Refuse ids that DuckDB would compare only after a silent cast.

    Raises:
        InputError: names both types and the CAST to write.
    """
    if left.kinds == right.kinds:
        return
    if len(left.parts) != len(right.parts):
        raise InputError(
            f"{column}: {left.label} has the key {'+'.join(left.parts)}, {right.label} has "
            f"{'+'.join(right.parts)}; map the same number of columns with columns={{...}}"
        )
    for i, kinds in enumerate(zip(left.kinds, right.kinds, strict=True)):
        if kinds[0] != kinds[1]:
            name = right.parts[i]
            raise InputError(
                f"{column}: {left.label} has {left.parts[i]} of type {left.types[i]}, {right.label} "
                f"has {name} of type {right.types[i]}; make them one kind, as in "
                f'"SELECT * REPLACE (CAST({name} AS {left.types[i]}) AS {name}) FROM ..."'
            )


def common_types(keys: Sequence[Key]) -> tuple[str | None, ...]:
    """Return the type to cast each part of an id to, None where all tables agree already."""
    return tuple(
        _common(kinds[0], [key.types[i] for key in keys])
        for i, kinds in enumerate(zip(*(key.kinds for key in keys), strict=True))
    )


def _common(kind: str, types: Sequence[str]) -> str | None:
    if kind == "text":
        return None if set(types) == {"VARCHAR"} else "VARCHAR"
    if len(set(types)) == 1:
        return None
    if kind == "integer":
        return "BIGINT" if all(_NARROW.fullmatch(t) for t in types) else "HUGEINT"
    if kind == "timestamp":
        return "TIMESTAMP_NS" if "TIMESTAMP_NS" in types else "TIMESTAMP"
    return None


def narrow(key: Key, source: Source) -> bool:
    """Say whether the extremes of an id are worth a look: a wide integer with statistics."""
    return source.statistics and key.kinds == ("integer",)


def key_expression(key: Key, types: Sequence[str | None], names: Sequence[str]) -> exp.Expr:
    """Write an id; several columns become a struct, which is exact where a joined text is not."""
    parts = [
        exp.cast(_column(part), type_, dialect=DIALECT) if type_ else _column(part)
        for part, type_ in zip(key.parts, types, strict=True)
    ]
    if len(parts) == 1:
        return parts[0]
    fields = [
        exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=part)
        for name, part in zip(names, parts, strict=True)
    ]
    # An id is as unknown as its parts: a struct with a NULL inside would not be NULL.
    whole = exp.and_(*(exp.not_(exp.Is(this=part.copy(), expression=exp.null())) for part in parts))
    return exp.Case().when(whole, exp.Struct(expressions=fields))


def score_expression(source: Source, columns: ColumnMap) -> exp.Expr:
    """Write the score, higher first; a mapped rank counts as a score that falls.

    Raises:
        InputError: neither or both are there, or the column holds no numbers.
    """
    score = columns.find(source, "predictions", "score")
    rank = columns.find(source, "predictions", "rank")
    if score is not None and rank is not None:
        asked = [c for c in ("score", "rank") if columns.given("predictions", c) is not None]
        if len(asked) != 1:
            raise InputError(
                f"{source.label}: both {score!r} and {rank!r} could order the items; say which with "
                "columns={'score': ...} or columns={'rank': ...}"
            )
        score, rank = (score, None) if asked == ["score"] else (None, rank)
    name = score if score is not None else rank
    if name is None:
        if source.find("relevance") is not None:
            raise InputError(
                f"{source.label}: no column 'score' but one 'relevance', as a truth has; the predictions "
                "come first, then the truth; else map the score with columns={'score': ...}"
            )
        raise missing_column(source, "score", "predictions")
    number = number_expression(source, name)
    return number if score is not None else exp.Neg(this=number)


def number_expression(source: Source, name: str, name_of: str = "") -> exp.Expr:
    """Write a numeric column as DOUBLE; booleans are 0 and 1 only where a grade is meant.

    Args:
        name_of: the canonical column that it stands for, where the advice depends on it.
    """
    type_ = source.columns[name]
    if type_ == "DOUBLE":
        return _column(name)
    if not _NUMBER.fullmatch(type_):
        text, how = f"CAST({name} AS DOUBLE)", "cast it"
        if type_.startswith(("TIMESTAMP", "DATE")):
            text, how = f"epoch({name})", "take its seconds"
        elif name_of == "label":
            text, how = f"({name} = 'yes')", "compare it"
        raise InputError(
            f"{source.label}: column {name!r} is {type_}, not a number; "
            f'{how}, as in "SELECT * REPLACE ({text} AS {name}) FROM ..."'
        )
    number = exp.cast(_column(name), "DOUBLE")
    number.meta[EXACT] = type_ != "FLOAT"
    return number


def is_wide(type_: str) -> bool:
    """Say whether a DOUBLE may lose digits of the numbers of a type, so that different numbers tie."""
    return _WIDE.fullmatch(type_) is not None


def exact_number(number: exp.Expr, type_: str) -> exp.Expr:
    """Write the text of a number with more digits than a DOUBLE is sure to keep; NULL of any other."""
    wide = _WIDE.fullmatch(type_)
    if wide is None:
        return exp.cast(exp.null(), "VARCHAR")
    limit = 2.0**53 if wide["scale"] is None else 10.0 ** (15 - int(wide["scale"]))
    size = exp.Abs(this=exp.cast(number.copy(), "DOUBLE"))
    is_large = exp.GTE(this=size, expression=literal(limit))
    return exp.Case().when(is_large, exp.cast(number.copy(), "VARCHAR"))


def grade_expression(source: Source, name: str | None, name_of: str = "") -> exp.Expr:
    """Write the relevance as DOUBLE; without a column every row is relevant, grade 1."""
    if name is None:
        return literal(1.0)
    if source.columns[name] == "BOOLEAN":
        return exp.cast(exp.cast(_column(name), "INT"), "DOUBLE")
    return number_expression(source, name, name_of)


def position_expression(source: Source, columns: ColumnMap, needed: bool) -> exp.Expr:
    """Write the place of a row in its table, for ``ties=input``; NULL where nobody asks.

    Raises:
        InputError: the rows have no order of their own.
    """
    if not needed:
        return exp.null()
    mapped = columns.find(source, "predictions", "position")
    if mapped is not None:
        return _column(mapped)
    if source.rowid:
        return _column("rowid")
    if source.ordered:
        return exp.Window(this=exp.RowNumber())
    raise InputError(
        f"{source.label}: ties=input needs an order, and a view or query has none; "
        "map a column with columns={'position': ...}"
    )


def run_columns(source: Source, columns: ColumnMap, others: Iterable[str] = ()) -> list[str]:
    """Return the columns that are called as those which tell systems apart, but are for something else.

    Args:
        others: columns that were asked for by name.
    """
    mapped = (part.strip() for name in columns.names.values() for part in (name, *name.split("+")))
    taken = {name.lower() for name in (*mapped, *others, *CANONICAL)}
    return [name for name in source.columns if RUN.fullmatch(name) and name.lower() not in taken]


def is_name(type_: str) -> bool:
    """Say whether values of a type can name a system."""
    return bool(_INTEGER.fullmatch(type_)) or type_.startswith(
        ("VARCHAR", "ENUM", "DATE", "UUID", "TIMESTAMP")
    )


def run_expression(names: Sequence[str]) -> exp.Expr:
    """Write what columns call the system of a row; NULL where there are none."""
    if not names:
        return exp.cast(exp.null(), "VARCHAR")
    first, *others = (
        exp.func("coalesce", exp.cast(_column(name), "VARCHAR"), literal("NULL")) for name in names
    )
    whole: exp.Expr = first
    for other in others:
        apart = exp.DPipe(this=whole, expression=literal(", "), safe=True)
        whole = exp.DPipe(this=apart, expression=other, safe=True)
    return whole


def list_column(source: Source, columns: ColumnMap, role: Role, column: str) -> str | None:
    """Return the column that holds lists, when the table is in list form.

    A list mapped by name may itself be called item_id; else a column item_id is one of single items.
    """
    is_open = column in _ITEM_LISTS and columns.given(role, column) is None
    if is_open and columns.find(source, role, "item_id") is not None:
        return None
    name = columns.find(source, role, column)
    return name if name is not None and _LIST.fullmatch(source.columns[name]) else None


def items_of(source: Source, column: str) -> Source:
    """The same table with the element type of a list column, so that it can be checked by itself."""
    element = _LIST.fullmatch(source.columns[column])
    type_ = element[1] if element else source.columns[column]
    return replace(source, columns={**source.columns, column: type_}, statistics=False)


def unnested(source: Source, column: str) -> exp.Expr:
    """One row per element of a list."""
    return exp.Anonymous(this="unnest", expressions=[_list(source, column)])


def _list(source: Source, column: str) -> exp.Expr:
    """A list column; an array of fixed length becomes a list."""
    if source.columns[column].endswith("[]"):
        return _column(column)
    element = items_of(source, column).columns[column]
    return exp.cast(_column(column), f"{element}[]", dialect=DIALECT)


def length(source: Source, column: str) -> exp.Expr:
    """The number of elements of a list."""
    return exp.Anonymous(this="len", expressions=[_list(source, column)])


def size(source: Source, column: str) -> exp.Expr:
    """The number of elements of a list, where it is not unnested."""
    return exp.ArraySize(this=_list(source, column))


def places(source: Source, column: str) -> exp.Expr:
    """1, 2, ... beside the elements of a list."""
    stop = exp.Add(this=length(source, column), expression=literal(1))
    numbers = exp.Anonymous(this="range", expressions=[literal(1), stop])
    return exp.Anonymous(this="unnest", expressions=[numbers])


def judged_lists(source: Source, column: str) -> tuple[exp.Expr, exp.Expr]:
    """The items and grades of list-form truth; an empty list keeps its query, with no item."""
    empty = "coalesce(len(x), 0) = 0"
    items = sqlglot.parse_one(f"CASE WHEN {empty} THEN [NULL] ELSE x END", dialect=DIALECT)
    grade = sqlglot.parse_one(f"CASE WHEN {empty} THEN 0e0 ELSE 1e0 END", dialect=DIALECT)
    for tree in (items, grade):
        for reference in list(tree.find_all(exp.Column)):
            reference.replace(_list(source, column))
    return exp.Anonymous(this="unnest", expressions=[items]), grade


def selected(source: Source, expressions: Mapping[str, exp.Expr]) -> exp.Select:
    """SELECT the expressions under their canonical names."""
    return exp.select(*(e.as_(name) for name, e in expressions.items())).from_(source.relation.copy())


def stacked(queries: Iterable[exp.Select]) -> exp.Query:
    """UNION ALL of canonical queries."""
    first, *others = queries
    result: exp.Query = first
    for other in others:
        result = exp.union(result, other, distinct=False, copy=False)
    return result


def column(name: str) -> exp.Column:
    """A user's column, whatever its name holds."""
    return exp.column(exp.to_identifier(name, quoted=True))


_column = column
