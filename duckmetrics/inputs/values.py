"""Scores, grades and positions of a user's table, as the numbers that metrics read.

The user's column names are mapped here, once; no metric file ever sees them. All names and values
become AST nodes, so that a column called ``"; DROP TABLE`` is only a column.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.optimizer import EXACT
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, try_cast
from duckmetrics.expressions.column_types import INTEGER, NUMBER, WIDE
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.advice import replaced
from duckmetrics.inputs.columns import (
    CANONICAL,
    ColumnMap,
    key_of,
    looks_like_a_truth,
    missing_column,
    swapped,
)
from duckmetrics.inputs.sources import RUN, Role, Source, no_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.inputs.ids import Key


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
                f"say which with columns={{'{key_of('score', role)}': ...}} or "
                f"columns={{'{key_of('rank', role)}': ...}}",
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
