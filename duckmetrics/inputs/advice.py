"""Advice that contains SQL, in the words of the engine that has the table."""

from __future__ import annotations

import re

import sqlglot

from duckmetrics.catalog.definition import DIALECT

_REPLACE = re.compile(r'"?SELECT \* REPLACE \((?P<text>.+) AS (?P<name>\w+)\) FROM \.\.\."?')


def in_dialect(advice: str, dialect: str) -> str:
    """Write the queries in an advice of DuckDB for another engine."""
    if dialect == DIALECT:
        return advice
    return _REPLACE.sub(lambda found: replaced(found["name"], found["text"], dialect), advice)


def replaced(name: str, text: str, dialect: str = DIALECT) -> str:
    """Return a quoted query that reads a table with another expression in place of a column.

    Args:
        text: the expression, in DuckDB's words.
        dialect: of the engine that has the table.
    """
    if dialect == DIALECT:
        return f'"SELECT * REPLACE ({text} AS {name}) FROM ..."'
    written = sqlglot.parse_one(text, read=DIALECT).sql(dialect)
    return f'"SELECT * EXCEPT ({name}), {written} AS {name} FROM ..."'
