"""Evaluation of a part of the queries at a time, for data that are larger than memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import selects
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.inputs.inputs import Inputs

KEY = "query_id"


def chunks_of(inputs: Inputs, number: int) -> Iterator[Inputs]:
    """Yield the inputs of each part of the queries in turn, by a hash of the query id.

    Tables without a query id, such as the list of the systems, are in every part.
    """
    for place in range(number):
        parts = {name: _part(query, number, place) for name, query in inputs.queries.items()}
        yield replace(inputs, queries=parts)


def _part(query: exp.Query, number: int, place: int) -> exp.Query:
    """Return the rows of some of the queries."""
    if KEY not in query.named_selects:
        return query
    query = query.copy() if selects(query) else exp.select(exp.Star()).from_(query.subquery("whole"))
    for select in selects(query):
        key = next((p.unalias() for p in select.selects if p.alias_or_name == KEY), exp.column(KEY))
        hashed = exp.Anonymous(this="hash", expressions=[key.copy()])
        remainder = exp.Mod(this=hashed, expression=literal(number))
        select.where(exp.EQ(this=remainder, expression=literal(place)), copy=False)
    return query
