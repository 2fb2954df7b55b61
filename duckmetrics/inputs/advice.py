"""Advice that contains SQL, in the words of the engine that has the table."""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT

_REPLACE = re.compile(r"SELECT \* REPLACE \(.+\)(?= FROM \.\.\.)")


def in_dialect(advice: str, dialect: str) -> str:
    """Write the queries in an advice of DuckDB for another engine."""
    return advice if dialect == DIALECT else _REPLACE.sub(lambda found: _excepting(found[0], dialect), advice)


def replaced(name: str, text: str, dialect: str = DIALECT) -> str:
    """Return a quoted query that reads a table with another expression in place of a column.

    Args:
        text: the expression, in DuckDB's words, with {} for the column.
        dialect: of the engine that has the table.
    """
    column = exp.to_identifier(name).sql(DIALECT)
    return in_dialect(f'"SELECT * REPLACE ({text.format(column)} AS {column}) FROM ..."', dialect)


def _excepting(query: str, dialect: str) -> str:
    """Write the replaced column of a query as a new one, for engines without REPLACE."""
    (star,) = sqlglot.parse_one(query, read=DIALECT, into=exp.Select).selects
    (new,) = star.args["replace"]
    others = exp.Star(except_=[exp.column(new.args["alias"].copy())])
    return exp.select(others, new).sql(dialect)
