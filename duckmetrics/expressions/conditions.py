"""Conditions of callers: one expression over the columns of a row, read and never pasted."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

DIALECT = "duckdb"
# What a condition must not hold, because other rows or another moment would decide.
_OTHERS: dict[type[exp.Expr], str] = {
    exp.Query: "a query", exp.AggFunc: "an aggregate", exp.Window: "a window", exp.Rand: "random()",
    exp.Uuid: "uuid()", exp.Alias: "a name", exp.Placeholder: "a placeholder", exp.Parameter: "a parameter",
}  # fmt: skip


def read_condition(text: str) -> exp.Expr:
    """Read one condition.

    Raises:
        ValueError: says what else the text is.
    """
    try:
        parsed = sqlglot.parse(text, dialect=DIALECT)
    except SqlglotError as error:
        raise ValueError(str(error).splitlines()[0].rstrip(".")) from error
    found = parsed[0] if len(parsed) == 1 else None
    if found is None:
        raise ValueError("not one expression")
    for node in found.walk():
        for kind, what in _OTHERS.items():
            if isinstance(node, kind):
                raise ValueError(f"{what} in a condition of a row")
    if not isinstance(found, exp.Condition):
        raise ValueError(f"{found.key.upper()} is no condition")
    return found
