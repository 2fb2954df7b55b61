"""The worked example of a metric, and the rows that it is about."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import MULTICLASS, RANKING
from pages.calls import arguments, spec
from pages.computed import OF_PICTURES, sample
from pages.markdown import fenced, paragraphs, sentence, table
from pages.tables import TRUTH, needed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.meanings import MetricMeaning, Step
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
_PICTURES = """
    SELECT picture, label, {classes}
    FROM predictions
    ORDER BY picture
"""
_RANKED = """
    SELECT query_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC), item_id
    FROM {table}
    ORDER BY ALL
"""
_INTERACTIONS = """
    SELECT item_id, string_agg(query_id, ', ' ORDER BY query_id)
    FROM items LEFT JOIN history USING (item_id)
    GROUP BY ALL
    ORDER BY ALL
"""
_CATALOG = """
    SELECT item_id, array_to_string(category, ', '), array_to_string(vector, ', ')
    FROM items
    ORDER BY ALL
"""
_PREDICTED = "The class with the highest probability, in bold, is predicted."
_RELEVANT = "An item is relevant if its grade is above 0. An item without a grade is not relevant."
# The further tables of the sample, with the sentence above each.
SHOWN = {
    "history": "The history, one row for each item. A query appears once for each interaction:",
    "items": "The catalogue:",
    "reference": "The reference run:",
}
HEADS = {
    "history": (("item", "queries with an interaction"), ""),
    "items": (("item", "categories", "vector"), ""),
}
_LAST = 99  # sorts items that the system does not return after the others


def example_section(definition: Definition, words: MetricMeaning, numbers: Numbers) -> list[str]:
    """Show the example by hand, next to the rows that it is about."""
    if definition.is_table:
        return []
    asked = spec(definition, arguments(definition, sample=True))
    if not words.worked:
        value = f"{numbers['sample']:.6f}".rstrip("0")
        text = f"`{asked}` of the sample below is **{value}**. {sentence(words.not_worked)}"
        return [*paragraphs("## Example", text), *_sample(definition, asked), ""]
    lines = [*paragraphs("## Worked example", f"`{asked}`, by hand:"), *_sample(definition, asked)]
    for step in words.worked:
        lines += _step(step, "All lists" if definition.is_of_systems else "All rows")
    if definition.family == RANKING and not definition.is_of_systems:
        mean = f"{numbers['sample']:.4f}"
        lines += paragraphs(f"The value of the system is the mean over the queries: **{mean}**.")
    return lines


def _sample(definition: Definition, asked: str) -> list[str]:
    """Show the tables of the sample that the metric reads."""
    if definition.family == MULTICLASS:
        return [*_rows(MULTICLASS), *paragraphs(_PREDICTED)]
    if definition.family != RANKING:
        return _rows(definition.family)
    read = needed(definition, asked)
    lines = [*_rows(RANKING), *paragraphs(_RELEVANT)] if TRUTH in read else [*_shown("predictions")]
    for name in SHOWN:
        if name in read:
            lines += [*paragraphs(SHOWN[name]), *_shown(name)]
    return lines


@cache
def _shown(name: str) -> list[str]:
    """Return a table of the sample without grades."""
    with sample(RANKING) as connection:
        query = {"history": _INTERACTIONS, "items": _CATALOG}.get(name, _RANKED.format(table=name))
        rows = connection.execute(query).fetchall()
    head, right = HEADS.get(name, (("query", "rank", "item"), "rank"))
    return table(head, ([cell or "none" for cell in row] for row in rows), right=right)


def _step(step: Step, others: str) -> list[str]:
    of = f"Query {step.of}:" if step.of else f"{others}:"
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
    shown = {RANKING: _items, MULTICLASS: _pictures}.get(family, _users)
    with sample(family) as connection:
        return shown(connection)


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


def _pictures(connection: DuckDBPyConnection) -> list[str]:
    """Return the probabilities of each picture; that of the predicted class, the first highest, is bold."""
    query = _PICTURES.format(classes=", ".join(OF_PICTURES))
    cells = []
    for picture, label, *scores in connection.execute(query).fetchall():
        predicted = scores.index(max(scores))
        shown = [f"**{p}**" if place == predicted else p for place, p in enumerate(scores)]
        cells.append((picture, label, *shown))
    return table(("picture", "right class", *OF_PICTURES), cells, right=" ".join(OF_PICTURES))
