"""Lists in columns: one row per query, its items in a list."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.expressions.build import quoted
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.sources import Role, Source


_LIST = re.compile(r"(.*)\[\d*\]")
_STRUCTS = re.compile(r"STRUCT\((.*)\)\[\d*\]")
# Usual names of the fields of a struct that hold the item and its score.
_ITEM_FIELDS = (
    "item_id",
    "item",
    "itemid",
    "doc_id",
    "docno",
    "docid",
    "id",
    "product_id",
    "movie_id",
    "movieid",
)
_SCORE_FIELDS = ("score", "rating", "prediction", "prob", "probability", "weight", "value")
_ITEM_LISTS = ("items", "relevant")


def list_column(source: Source, columns: ColumnMap, role: Role, column: str) -> str | None:
    """Return the column that holds lists, when the table is in list form.

    A list mapped by name may itself be called item_id; else a column item_id is one of single items.
    """
    is_open = column in _ITEM_LISTS and columns.given(role, column) is None
    if is_open and columns.find(source, role, "item_id") is not None:
        return None
    name = columns.find(source, role, column)
    return name if name is not None and _LIST.fullmatch(source.columns[name]) else None


def is_list(source: Source, column: str) -> bool:
    """Return whether a column holds lists, or arrays."""
    return _LIST.fullmatch(source.columns[column]) is not None


def struct_fields(type_: str) -> tuple[str, str | None] | None:
    """Return the fields with the item and its score, of a list of structs; None for another type.

    If no field is named like an item, the only field that is not a score is the item.
    """
    inside = _STRUCTS.fullmatch(type_)
    if inside is None:
        return None
    names = [
        field.this.name for field in exp.DataType.build(type_, dialect=DIALECT).expressions[0].expressions
    ]
    scores = [name for name in names if name.lower() in _SCORE_FIELDS]
    items = [name for name in names if name.lower() in _ITEM_FIELDS]
    if not items and len(names) - len(scores) == 1:
        items = [name for name in names if name not in scores]
    return (items[0], scores[0] if len(scores) == 1 else None) if len(items) == 1 else None


def items_of(source: Source, column: str) -> Source:
    """Return the table with the element type of a list column, so that the elements can be checked."""
    element = _LIST.fullmatch(source.columns[column])
    type_ = element[1] if element else source.columns[column]
    return replace(source, columns={**source.columns, column: type_}, statistics=False)


def elements(source: Source, column: str) -> exp.Expr:
    """Write one row per element of a list."""
    return exp.Anonymous(this="unnest", expressions=[_list(source, column)])


def _list(source: Source, column: str) -> exp.Expr:
    """Write a list column; an array of fixed length becomes a list."""
    if source.columns[column].endswith("[]"):
        return quoted(column)
    element = items_of(source, column).columns[column]
    return exp.cast(quoted(column), f"{element}[]", dialect=DIALECT)


def list_length(source: Source, column: str) -> exp.Expr:
    """Write the number of elements of a list."""
    return exp.Anonymous(this="len", expressions=[_list(source, column)])


def list_size(source: Source, column: str) -> exp.Expr:
    """Write the number of elements of a list, for a query that does not unnest it; a hole is none."""
    if not source.has_holes:
        return exp.ArraySize(this=_list(source, column))
    filled = sqlglot.parse_one("list_filter(x, lambda one: one IS NOT NULL)", dialect=DIALECT)
    next(c for c in filled.find_all(exp.Column) if c.name == "x").replace(_list(source, column))
    return exp.ArraySize(this=filled)


def list_places(source: Source, column: str) -> exp.Expr:
    """Write 1, 2, ... next to the elements of a list."""
    stop = exp.Add(this=list_length(source, column), expression=literal(1))
    numbers = exp.Anonymous(this="range", expressions=[literal(1), stop])
    return exp.Anonymous(this="unnest", expressions=[numbers])


def judged_lists(source: Source, column: str) -> tuple[exp.Expr, exp.Expr]:
    """Write the items and grades of list-form truth; an empty list keeps its query, with no item."""
    empty = "coalesce(len(x), 0) = 0"
    items = sqlglot.parse_one(f"CASE WHEN {empty} THEN [NULL] ELSE x END", dialect=DIALECT)
    grade = sqlglot.parse_one(f"CASE WHEN {empty} THEN 0e0 ELSE 1e0 END", dialect=DIALECT)
    for tree in (items, grade):
        for reference in list(tree.find_all(exp.Column)):
            reference.replace(_list(source, column))
    return exp.Anonymous(this="unnest", expressions=[items]), grade
