"""The user's columns, mapped to canonical names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.column_types import INTEGER
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.sources import ROLES, Role, Source
from duckmetrics.layouts.layouts import judged_by, likely

CANONICAL = (
    "query_id", "item_id", "score", "rank", "position", "relevance", "label", "weight", "group_id",
    "cluster_id", "items", "scores", "relevant", "category", "vector", "timestamp",
)  # fmt: skip
WEIGHT = "weight"
PLURALS = {RANKING: "rankings", CLASSIFICATION: "classifiers"}
# The families that read a column, where it is not both.
READERS = {
    **dict.fromkeys((WEIGHT, "group_id"), frozenset([CLASSIFICATION])),
    **dict.fromkeys(
        ("rank", "position", "relevance", "items", "scores", "relevant", "category", "vector", "timestamp"),
        frozenset([RANKING]),
    ),
}
# DuckDB's names of the columns of a file without names, and the delimiters between names in one line.
_UNNAMED = re.compile(r"column[0-9]+")
_DELIMITER = re.compile(r"[ :;|,/^~]+")
# Tables whose columns are mapped separately, because the predictions may have others of the same name.
NAMED = (HISTORY, ITEMS, REFERENCE)
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
            if column not in CANONICAL and name in CANONICAL:
                raise InputError(
                    "columns",
                    f"{{{key!r}: {name!r}}} is the wrong way round",
                    f"write {{{name!r}: {key!r}}}, on the command line --column {name}={key}",
                )
            if column not in CANONICAL or (table and table not in ROLES):
                raise InputError(
                    "columns",
                    f"{key!r} is not a canonical column",
                    suggestion(key, [*CANONICAL, *(f"{r}.{c}" for r in ROLES[:3] for c in CANONICAL)]),
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
    meant = {key_of(name, role): known for name, known in meant.items()}
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


def key_of(column: str, role: Role) -> str:
    """Return the key that maps a column; that of a history, a catalogue or a reference names the table."""
    return f"{role}.{column}" if role in NAMED else column


def _mapped(source: Source, column: str, role: Role) -> str:
    """Return how to name a column; a text file may lack the line of names, or have an odd delimiter."""
    only = next(iter(source.all_columns), "")
    delimiter = _DELIMITER.search(only)
    if len(source.all_columns) == 1 and delimiter and column in only.lower():
        return f"name the delimiter, as in \"FROM read_csv('{source.label}', delim = '{delimiter[0]}')\""
    key = key_of(column, role)
    how = f"map it with columns={{'{key}': ...}} (on the command line --column {key}=...)"
    if column == "score" and role == REFERENCE:
        rank = key_of("rank", role)
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
