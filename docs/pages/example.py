"""The worked example of a metric, and the rows that it is about."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import RANKING
from pages.calls import arguments, spec
from pages.computed import sample
from pages.markdown import fenced, paragraphs, sentence, table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.explanation import Explanation, Step
    from pages.computed import Numbers

_RETURNED = """
    SELECT query_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC), item_id, relevance
    FROM predictions LEFT JOIN truth USING (query_id, item_id)
    ORDER BY ALL
"""
_MISSED = """
    SELECT query_id, NULL, item_id, relevance
    FROM truth ANTI JOIN predictions USING (query_id, item_id)
"""
_USERS = """
    SELECT
        group_id,
        string_agg(format('{:.2f}', score), ', ' ORDER BY score DESC) FILTER (WHERE label = 1),
        string_agg(format('{:.2f}', score), ', ' ORDER BY score DESC) FILTER (WHERE label = 0)
    FROM predictions
    GROUP BY ALL
    ORDER BY ALL
"""
_RELEVANT = "An item is relevant if its grade is above 0. An item without a grade is not relevant."
_LAST = 99  # sorts items that the system does not return after the others


def example_section(definition: Definition, words: Explanation, numbers: Numbers) -> list[str]:
    """Show the example by hand, next to the rows that it is about."""
    if definition.is_table:
        return []
    asked = spec(definition, arguments(definition, sample=True))
    if not words.worked:
        value = f"{numbers['sample']:.6f}".rstrip("0")
        text = f"`{asked}` of the sample below is **{value}**. {sentence(words.not_worked)}"
        return [*paragraphs("## Example", text), *_rows(definition.family), ""]
    lines = [*paragraphs("## Worked example", f"`{asked}`, by hand:"), *_rows(definition.family)]
    if definition.family == RANKING:
        lines += paragraphs(_RELEVANT)
    for step in words.worked:
        lines += _step(step)
    if definition.family == RANKING:
        mean = f"{numbers['sample']:.4f}"
        lines += paragraphs(f"The value of the system is the mean over the queries: **{mean}**.")
    return lines


def _step(step: Step) -> list[str]:
    of = f"Query {step.of}:" if step.of else "All rows:"
    return [*paragraphs(of), *fenced("console", f"  {_wrapped(step.expression)}\n= {step.value}"), ""]


def _wrapped(expression: str, width: int = 76) -> str:
    """Break a long sum before its plus signs."""
    lines: list[str] = []
    line = ""
    for part in re.split(r" (?=\+ )", expression):
        if line and len(line) + len(part) > width:
            lines.append(line)
            line = part
        else:
            line = f"{line} {part}".strip()
    return "\n  ".join([*lines, line])


@cache
def _rows(family: str) -> list[str]:
    """Return the rows of the sample as a table."""
    with sample(family) as connection:
        return _items(connection) if family == RANKING else _users(connection)


def _items(connection: DuckDBPyConnection) -> list[str]:
    """Return returned and missed items, by query and rank."""
    rows = [*connection.execute(_RETURNED).fetchall(), *connection.execute(_MISSED).fetchall()]
    cells = [
        (query, rank or "not returned", item, "not judged" if grade is None else f"{float(grade):g}")
        for query, rank, item, grade in sorted(rows, key=lambda row: (row[0], row[1] or _LAST))
    ]
    return table(("query", "rank", "item", "grade"), cells, right="rank grade")


def _users(connection: DuckDBPyConnection) -> list[str]:
    """Return the scores of each user, by label."""
    rows = connection.execute(_USERS).fetchall()
    cells = [(user, ones or "none", zeros or "none") for user, ones, zeros in rows]
    return table(("user", "scores of rows with label 1", "scores of rows with label 0"), cells)
