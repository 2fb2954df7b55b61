"""The user's columns, mapped to canonical names: ids, their kinds, and the values of scores and grades."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import TABLES, columns_of_users
from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, MULTICLASS, RANKING
from duckmetrics.catalog.layouts import judged_by, likely
from duckmetrics.compose.optimizer import EXACT
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import INTEGER, NARROW, NUMBER, WIDE, cast_to, is_zoned, quoted, try_cast
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.advice import replaced
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE, VALUES
from duckmetrics.inputs.sources import ROLES, RUN, Role, Source, no_rows

if TYPE_CHECKING:
    from collections.abc import Iterable


CANONICAL = (
    "query_id", "item_id", "score", "rank", "position", "relevance", "label", "weight", "group_id",
    "cluster_id", "items", "scores", "relevant", "category", "vector", "timestamp",
)  # fmt: skip
# The columns of values that were computed elsewhere, next to the ids.
OF_VALUES = ("metric", "value", "signature")
WEIGHT = "weight"
PLURALS = {RANKING: "rankings", CLASSIFICATION: "classifiers", MULTICLASS: "several classes"}
# The families that read a column, where it is not both.
READERS = {
    "group_id": frozenset([CLASSIFICATION, MULTICLASS]),
    **dict.fromkeys(
        ("rank", "position", "relevance", "items", "scores", "relevant", "category", "vector", "timestamp"),
        frozenset([RANKING]),
    ),
}
# DuckDB's names of the columns of a file without names, and the delimiters between names in one line.
_UNNAMED = re.compile(r"column[0-9]+")
_DELIMITER = re.compile(r"[ :;|,/^~]+")
# Tables whose columns are mapped separately, because the predictions may have others of the same name.
NAMED = (HISTORY, ITEMS, REFERENCE, VALUES)
# Columns that several of the user's columns can form together, as in user+day.
KEYS = ("query_id", "item_id", "group_id", "cluster_id")
# The columns of a result that was written as JSON.
_OF_RESULTS = {"duckmetrics", "command", "rows"}
# The advice where tables are swapped.
FIRST = "the predictions come first, then the truth"
# Columns that one column cannot be at the same time.
_APART = (("label", "score"), ("query_id", "item_id"))


@dataclass(frozen=True)
class ColumnMap:
    """The user's names for the canonical columns; ``truth.query_id`` is for one table only."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, name in self.names.items():
            if not (isinstance(key, str) and isinstance(name, str)):
                raise InputError(
                    "columns", f"{key!r}: {name!r} are not names", "write text, as in {'query_id': 'user_id'}"
                )
            table, _, column = key.rpartition(".")
            is_of_values = table == VALUES and column in OF_VALUES
            if column not in CANONICAL and name in CANONICAL and not is_of_values:
                raise InputError(
                    "columns",
                    f"{{{key!r}: {name!r}}} is the wrong way round",
                    f"write {{{name!r}: {key!r}}}, on the command line --column {name}={key}",
                )
            tables = (table,) if table else TABLES
            is_known = column in CANONICAL or is_of_values
            is_known = is_known or any(column in columns_of_users(one) for one in tables)
            if not is_known or (table and table not in ROLES):
                raise InputError(
                    "columns",
                    f"{key!r} is not a canonical column",
                    suggestion(
                        key,
                        [
                            *CANONICAL,
                            *(f"{r}.{c}" for r in ROLES[:3] for c in CANONICAL),
                            *(f"{VALUES}.{c}" for c in OF_VALUES),
                        ],
                    ),
                )
        for one, other in _APART:
            if one in self.names and self.names[one] == self.names.get(other):
                raise InputError(
                    "columns",
                    f"{one} and {other} are the same column {self.names[one]!r}",
                    "map each one to a column of its own",
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
        found = source.named(name) if name != column or own is not None else source.find(name)
        if found is None and "+" in name and column not in KEYS:
            raise InputError(
                source.label,
                f"no column {name!r} for {column}; {shown_columns(source)}",
                "only keys such as query_id are made of several columns",
            )
        if found is None and own is None and column in self.names and not composite(source, name):
            found = source.find(column)
        if found is None and self.given(role, column) is not None and "+" not in name:
            raise InputError(
                source.label,
                f"no column {name!r} for {column}; {shown_columns(source)}",
                suggestion(
                    name,
                    source.all_columns,
                    f"map it with columns={{'{role}.{column}': ...}} (--column {role}.{column}=...)",
                ),
            )
        return found


def missing_column(source: Source, column: str, role: Role) -> InputError:
    """Return the error for a table without a column; it names those that may be meant."""
    if set(source.all_columns) >= _OF_RESULTS:
        return InputError(
            source.label, "is a result of duckmetrics", "give the tables that it was computed from"
        )
    what = f"no column {column!r}; {shown_columns(source)}"
    if column == "query_id" and source.find("label") is not None and source.find("score") is not None:
        advice = (
            f"for a classifier, name metrics of classifiers; for rankings, {_mapped(source, column, role)}"
        )
        return InputError(source.label, f"{what}: metrics of rankings need it", advice)
    tool = judged_by(source.whole.columns) if role == "predictions" else None
    if tool is not None:
        what += f", as the truth of {tool} has"
        return InputError(source.label, what, FIRST)
    meant = likely(role, source.whole.columns)
    if column not in meant:
        return InputError(source.label, what, _mapped(source, column, role))
    meant = {mapping_key(name, role): known for name, known in meant.items()}
    options = " ".join(f"--column {name}={known}" for name, known in meant.items())
    advice = f"map it with columns={meant} (on the command line {options})"
    if column == "score" and role == "predictions" and source.find("relevance") is None:
        advice += f"; if this is the truth, {FIRST}"
    return InputError(source.label, what, advice)


def longer_key(parts: Sequence[str], name: str) -> str:
    """Return the advice to make a column part of the query id."""
    key = "+".join((*parts, name))
    return f"make it part of the query with columns={{'query_id': {key!r}}} (--column query_id={key})"


def looks_like_a_truth(source: Source) -> bool:
    """Return whether a table has grades, and nothing that orders items."""
    return (
        source.find("relevance") is not None and source.find("score") is None and source.find("rank") is None
    )


def swapped(source: Source) -> InputError:
    """Return the error for a truth in the place of predictions."""
    return InputError(
        source.label,
        "no column 'score' but one 'relevance', as a truth has",
        f"{FIRST}; for 'duckmetrics compare' and 'leaderboard', name the "
        "truth with --truth, or the column of the systems with --system; else map the score with "
        "columns={'score': ...} (--column score=...)",
    )


def mapping_key(column: str, role: Role) -> str:
    """Return the key that maps a column; that of a history, a catalogue or a reference names the table."""
    return f"{role}.{column}" if role in NAMED else column


def _mapped(source: Source, column: str, role: Role) -> str:
    """Return how to name a column; a text file may lack the line of names, or have an odd delimiter."""
    only = next(iter(source.all_columns), "")
    delimiter = _DELIMITER.search(only)
    if len(source.all_columns) == 1 and delimiter and column in only.lower():
        return f"name the delimiter, as in \"FROM read_csv('{source.label}', delim = '{delimiter[0]}')\""
    key = mapping_key(column, role)
    how = f"map it with columns={{'{key}': ...}} (on the command line --column {key}=...)"
    if column == "score" and role == REFERENCE:
        rank = mapping_key("rank", role)
        how += f", or a rank with columns={{'{rank}': ...}} (--column {rank}=...)"
    if all(map(_UNNAMED.fullmatch, source.all_columns)):
        return f"if its first line holds no names, put them above it; or {how}"
    return how


def shown_columns(source: Source) -> str:
    return f"found {', '.join(source.all_columns)}"


def is_name(type_: str) -> bool:
    """Return whether values of a type can name a system."""
    return bool(INTEGER.fullmatch(type_)) or type_.startswith(
        ("VARCHAR", "ENUM", "DATE", "UUID", "TIMESTAMP")
    )


def columns_of_own(
    source: Source, columns: ColumnMap, role: Role, wanted: Mapping[str, str]
) -> dict[str, exp.Expr]:
    """Write the columns of a table that metrics of the user read.

    Args:
        wanted: column -> the metric that reads it.

    Raises:
        InputError: the table lacks one.
    """
    found: dict[str, exp.Expr] = {}
    for name, metric in wanted.items():
        own = columns.find(source, role, name)
        if own is None:
            raise InputError(
                source.label,
                f"no column {name!r}, which {metric} reads; {shown_columns(source)}",
                f"map it with columns={{'{role}.{name}': ...}} (--column {role}.{name}=...)",
            )
        found[name] = quoted(own)
    return found


def selected(source: Source, expressions: Mapping[str, exp.Expr]) -> exp.Select:
    """Select the expressions under their canonical names."""
    return exp.select(*(e.as_(name) for name, e in expressions.items())).from_(source.relation.copy())


def filtered(source: Source, condition: exp.Expr) -> Source:
    """Return a table with only the rows that a condition keeps; they have no numbers of the database."""
    rows = exp.select(exp.Star()).from_(source.relation.copy()).where(condition.copy())
    return replace(source, relation=rows.subquery("filtered"), rowid=False, statistics=False)


def first_row(source: Source) -> exp.Select:
    """Select something of one row; a table without rows gives nothing."""
    return exp.select("1").from_(source.relation.copy()).limit(1)


def composite(source: Source, name: str) -> bool:
    """Return whether a mapped name means several columns that are all there."""
    return "+" in name and all(source.find(part.strip()) for part in name.split("+"))


def read_columns(columns: Any) -> ColumnMap:
    """Read the mapping of canonical names to the user's.

    Raises:
        InputError: it is not a mapping, or a key is not a canonical name.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            "columns",
            f"{columns!r} maps nothing",
            "write canonical names and yours, as in {'query_id': 'user_id'}",
        )
    return ColumnMap(dict(columns or {}))


# CAST would write bytes that are not ASCII as escapes.
_OF_BYTES = (
    "if it holds text, read the file with binary_as_string: \"SELECT * FROM read_parquet('...', "
    'binary_as_string = true)"'
)

# The kinds of which a cast gives any other.
ZONED = "timestamp with time zone"
TIMES = frozenset({"date", "timestamp", ZONED})


@dataclass(frozen=True)
class Key:
    """An id column, or several that make up an id together.

    Attributes:
        parts: the user's columns.
        kinds: what each of them holds: integer, text, date, ...
        words: of advice about the table.
    """

    label: str
    parts: tuple[str, ...]
    types: tuple[str, ...]
    kinds: tuple[str, ...]
    words: str = DIALECT


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
    return id_key(source, column, [name for name in names if name is not None])


def id_key(source: Source, column: str, names: Sequence[str]) -> Key:
    """Return the columns of an id, and the kinds of their values.

    Args:
        column: the name of the id for messages.

    Raises:
        InputError: a column is of a type that cannot be an id.
    """
    types = tuple(source.columns[name] for name in names)
    kinds = tuple(_id_kind(source, column, n, t) for n, t in zip(names, types, strict=True))
    return Key(source.label, tuple(names), types, kinds, source.words)


def _id_kind(source: Source, column: str, name: str, type_: str) -> str:
    label, words = source.label, source.words
    what = f"column {name!r} is {type_}"
    if INTEGER.fullmatch(type_):
        return "integer"
    if type_ == "VARCHAR" or type_.startswith("ENUM("):
        return "text"
    if type_ in ("UUID", "DATE", "BOOLEAN"):
        return type_.lower()
    if is_zoned(type_):
        return ZONED
    if type_.startswith("TIMESTAMP"):
        return "timestamp"
    if type_.endswith("]") and column == "item_id":
        raise InputError(
            label,
            f"{what}, a list and not an id",
            (
                "if it lists the items of a query, the best first, map it with columns={'items': "
                f"{name!r}}}, in the truth with columns={{'relevant': {name!r}}}"
            ),
        )
    if type_ == "BLOB":
        as_text = replaced(name, "decoded", words)
        raise InputError(
            label,
            f"{what}, not an id",
            _OF_BYTES if words == DIALECT else f"if it holds text, cast it, as in {as_text}",
        )
    if NUMBER.fullmatch(type_):
        raise InputError(
            label,
            f"{what}, not an id: such numbers are not exact keys",
            f"cast it, as in {replaced(name, 'integer', words)}",
        )
    raise InputError(label, f"{what}, not an id", "use a number, text, UUID, date, timestamp or boolean")


def same_kind(left: Key, right: Key, column: str) -> None:
    """Refuse ids that DuckDB would compare only after a silent cast.

    Raises:
        InputError: names both types and the CAST to write.
    """
    if left.kinds == right.kinds:
        return
    if len(left.parts) != len(right.parts):
        raise InputError(
            column,
            f"{left.label} has the key {'+'.join(left.parts)}, {right.label} has {'+'.join(right.parts)}",
            "map the same number of columns with columns={...}",
        )
    for i, kinds in enumerate(zip(left.kinds, right.kinds, strict=True)):
        if kinds[0] != kinds[1]:
            raise InputError(
                column,
                (
                    f"{left.label} has {left.parts[i]} of type {left.types[i]}, {right.label} has "
                    f"{right.parts[i]} of type {right.types[i]}"
                ),
                _one_kind(left, right, i),
            )


def _one_kind(left: Key, right: Key, i: int) -> str:
    """Return the advice to cast a part of one key, or of both if no cast gives the other kind."""
    kinds = left.kinds[i], right.kinds[i]
    are_times = TIMES.issuperset(kinds)
    cast, like = (left, right) if kinds[1] == "text" or (are_times and kinds[0] == "date") else (right, left)
    change = like.kinds[i] if are_times else "text"
    return (
        f"make them one kind, as in {replaced(cast.parts[i], change, cast.words)}"
        f"{'' if are_times or 'text' in kinds else ', in both tables'}"
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
        return "BIGINT" if all(NARROW.fullmatch(t) for t in types) else "HUGEINT"
    if kind == "timestamp":
        return "TIMESTAMP_NS" if "TIMESTAMP_NS" in types else "TIMESTAMP"
    if kind == ZONED:
        return "TIMESTAMPTZ_NS"
    return None


def key_expression(key: Key, types: Sequence[str | None], names: Sequence[str]) -> exp.Expr:
    """Write an id; several columns become a struct, which is exact where a joined text is not."""
    parts = [
        cast_to(quoted(part), type_) if type_ else quoted(part)
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


def narrow(key: Key, source: Source) -> bool:
    """Return whether the extremes of an id are worth reading: it is a wide integer with statistics."""
    return source.statistics and key.kinds == ("integer",)


def score_expression(source: Source, columns: ColumnMap, role: Role = "predictions") -> exp.Expr:
    """Write the score, higher first; a mapped rank counts as a score that falls.

    Args:
        role: the table, a run of predictions or the reference run.

    Raises:
        InputError: neither or both are there, or the column holds no numbers.
    """
    score = columns.find(source, role, "score")
    rank = columns.find(source, role, "rank")
    if score is not None and rank is not None:
        asked = [c for c in ("score", "rank") if columns.given(role, c) is not None]
        if len(asked) != 1:
            raise InputError(
                source.label,
                f"both {score!r} and {rank!r} could order the items",
                f"say which with columns={{'{mapping_key('score', role)}': ...}} or "
                f"columns={{'{mapping_key('rank', role)}': ...}}",
            )
        score, rank = (score, None) if asked == ["score"] else (None, rank)
    name = score if score is not None else rank
    if name is None:
        if role == "predictions" and looks_like_a_truth(source):
            raise swapped(source)
        raise missing_column(source, "score", role)
    number = number_expression(source, name)
    return number if score is not None else exp.Neg(this=number)


def number_expression(source: Source, name: str, name_of: str = "") -> exp.Expr:
    """Write a numeric column as DOUBLE; booleans are 0 and 1 only where a grade is meant.

    Args:
        name_of: the canonical column that it stands for, where the advice depends on it.
    """
    type_ = source.columns[name]
    if type_ == "DOUBLE":
        return quoted(name)
    if not NUMBER.fullmatch(type_):
        if source.empty:  # a file with a header only has columns of text
            raise no_rows(source)
        advice = _as_number(source, name, name_of == "label")
        place = source.text.place_of(name) if source.text is not None and type_ == "VARCHAR" else ""
        what = f"column {name!r} is {type_}, not a number"
        raise InputError(source.label, f"{what} ({place})" if place else what, advice)
    number = exp.cast(quoted(name), "DOUBLE")
    number.meta[EXACT] = type_ != "FLOAT"
    return number


def _as_number(source: Source, name: str, is_label: bool) -> str:
    """Return advice on how to make numbers of a column that holds something else."""
    type_, words = source.columns[name], source.words
    is_time = type_.startswith(("TIMESTAMP", "DATE"))
    if type_.endswith("]"):
        if is_label:
            return f"a row has one label; take one class, as in {replaced(name, 'first', words)}"
        element = "second" if type_.endswith("[]") else "second of an array"
        return f"take one of its values, as in {replaced(name, element, words)}"
    if is_label:
        if not is_time and not source.labels:
            return "give labels of 0 and 1"
        if is_time:
            return f"compare it, as in {replaced(name, 'positive date', words)}"
        one = source.labels[-1]
        return (
            f"it has {', '.join(source.labels)}: name the one that counts as 1, as in positive={one!r} "
            f"(--positive {shlex.quote(one)}); every other counts as 0"
        )
    if is_time:
        return f"take its seconds, as in {replaced(name, 'seconds', words)}"
    advice = f"cast it, as in {replaced(name, 'number', words)}"
    if type_ != "VARCHAR":
        return advice
    if words == DIALECT:
        column = exp.to_identifier(name).sql(DIALECT)
        advice += f"; WHERE TRY_CAST({column} AS DOUBLE) IS NULL finds what is not a number"
    return f"{advice}; if it has decimal commas, as in {replaced(name, 'number with decimal commas', words)}"


def exact_number(number: exp.Expr, type_: str) -> exp.Expr:
    """Write the text of a number with more digits than a DOUBLE is sure to keep; NULL of any other."""
    wide = WIDE.fullmatch(type_)
    if wide is None:
        return exp.cast(exp.null(), "VARCHAR")
    limit = 2.0**53 if wide["scale"] is None else 10.0 ** (15 - int(wide["scale"]))
    size = exp.Abs(this=exp.cast(number.copy(), "DOUBLE"))
    is_large = exp.GTE(this=size, expression=literal(limit))
    return exp.Case().when(is_large, exp.cast(number.copy(), "VARCHAR"))


def grade_expression(source: Source, name: str | None, name_of: str = "") -> exp.Expr:
    """Write the relevance as DOUBLE; without a column every row is relevant, grade 1.

    If the user names the positive label, it is 1 and every other label is 0.
    """
    if name is None:
        return literal(1.0)
    if source.positive is not None:
        return exp.cast(exp.cast(is_positive(source, name, source.positive), "INT"), "DOUBLE")
    if source.columns[name] == "BOOLEAN":
        return exp.cast(exp.cast(quoted(name), "INT"), "DOUBLE")
    return number_expression(source, name, name_of)


def is_positive(source: Source, name: str, label: str) -> exp.Expr:
    """Write whether a label is the positive one, also where DuckDB reads yes and no as booleans.

    A label that is stored as 1.0 is also called 1.
    """
    if source.columns[name] == "BOOLEAN":
        boolean = try_cast(literal(label), "BOOLEAN")
        return exp.EQ(this=quoted(name), expression=boolean)
    type_ = source.columns[name]
    if NUMBER.fullmatch(type_) and not INTEGER.fullmatch(type_):
        number = try_cast(literal(label), "DOUBLE")
        return exp.EQ(this=exp.cast(quoted(name), "DOUBLE"), expression=number)
    return exp.EQ(this=exp.cast(quoted(name), "VARCHAR"), expression=literal(label))


def position_expression(source: Source, columns: ColumnMap, needed: bool) -> exp.Expr:
    """Write the place of a row in its table, for ``ties=input``; NULL where nobody asks.

    Raises:
        InputError: the rows have no order of their own.
    """
    if not needed:
        return exp.null()
    mapped = columns.find(source, "predictions", "position")
    if mapped is not None:
        return quoted(mapped)
    if source.rowid:
        return quoted("rowid")
    if source.ordered:
        return exp.Window(this=exp.RowNumber())
    what = "a view or query has none" if source.dialect == DIALECT else "Spark reads rows in no fixed one"
    raise InputError(
        source.label,
        f"ties=input needs an order, and {what}",
        "map a column with columns={'position': ...}",
    )


def run_columns(source: Source, columns: ColumnMap, others: Iterable[str] = ()) -> list[str]:
    """Return the columns that are named like a column of systems, except those used for something else.

    Args:
        others: columns that were asked for by name.
    """
    mapped = (part.strip() for name in columns.names.values() for part in (name, *name.split("+")))
    taken = {name.lower() for name in (*mapped, *others, *CANONICAL)}
    return [name for name in source.columns if RUN.fullmatch(name) and name.lower() not in taken]


def run_expression(names: Sequence[str]) -> exp.Expr:
    """Write the name of the system of a row from columns; NULL if there are none."""
    if not names:
        return exp.cast(exp.null(), "VARCHAR")
    first, *others = (
        exp.func("coalesce", exp.cast(quoted(name), "VARCHAR"), literal("NULL")) for name in names
    )
    whole: exp.Expr = first
    for other in others:
        apart = exp.DPipe(this=whole, expression=literal(", "), safe=True)
        whole = exp.DPipe(this=apart, expression=other, safe=True)
    return whole
