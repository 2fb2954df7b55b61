"""A part of the queries: one after the other for data that are larger than memory, or one query alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.optimizer import selects
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import column_type, first_of_parts, picked, try_cast
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


KEY = "query_id"
Condition = Callable[[exp.Expr], exp.Expr]


def chunks_of(engine: Engine, inputs: Inputs, number: int) -> Iterator[Inputs]:
    """Yield the inputs of each part of the queries in turn.

    Tables without a query id, such as the list of the systems, are in every part.

    Plan rule: if the ids are numbers or text, a part is a range of them. If a file is in their order, DuckDB
    skips what it has of other parts.
    """
    edges = _edges(engine, inputs, number)
    conditions = _in_ranges(edges) if edges else _by_hash(number)
    for condition in conditions:
        yield narrowed(inputs, condition)


def _edges(engine: Engine, inputs: Inputs, number: int) -> list[int | str]:
    """Return the first id of each part but the first, so that parts have about the same size; or nothing."""
    rows = picked(inputs.queries["predictions"].subquery("predictions"), KEY)
    ids = [row[0] for row in engine.rows(first_of_parts(rows, KEY, number))][1:]
    return ids if all(type(one) in (int, str) for one in ids) else []


def _in_ranges(edges: Sequence[int | str]) -> Iterator[Condition]:
    """Yield the conditions of the ranges below, between and above some ids."""
    for low, high in zip((None, *edges), (*edges, None), strict=True):

        def in_range(key: exp.Expr, low: int | str | None = low, high: int | str | None = high) -> exp.Expr:
            bounds: list[exp.Expr] = []
            if low is not None:
                bounds.append(exp.GTE(this=key.copy(), expression=literal(low)))
            if high is not None:
                bounds.append(exp.LT(this=key.copy(), expression=literal(high)))
            return exp.and_(*bounds)

        yield in_range


def _by_hash(number: int) -> Iterator[Condition]:
    """Yield the conditions of parts by a hash of the id."""
    for place in range(number):

        def in_part(key: exp.Expr, place: int = place) -> exp.Expr:
            hashed = exp.Anonymous(this="hash", expressions=[key])
            remainder = exp.Mod(this=hashed, expression=literal(number))
            return exp.EQ(this=remainder, expression=literal(place))

        yield in_part


def narrowed(inputs: Inputs, condition: Condition) -> Inputs:
    """Return the inputs with the rows of some of the queries.

    Args:
        condition: takes the id of the query in each table.
    """
    parts = {name: _part(query, condition) for name, query in inputs.queries.items()}
    return replace(inputs, queries=parts)


def one_query(engine: Engine, inputs: Inputs, query: Any) -> Inputs:
    """Return the inputs with the rows of one query.

    Args:
        query: the id, or the parts of a composite one, in any type that can be written as that of the tables.

    Raises:
        InputError: a composite id has another number of parts.
    """
    parts = inputs.query_parts
    if len(parts) == 1:
        type_ = dict(engine.columns(inputs.queries["predictions"]))[KEY]
        value = try_cast(literal(str(query)), column_type(type_))
        return narrowed(inputs, lambda key: exp.EQ(this=key, expression=value.copy()))
    given = _parts_of(query, parts)

    def same(key: exp.Expr) -> exp.Expr:
        texts = (exp.cast(exp.func("struct_extract", key.copy(), literal(part)), "VARCHAR") for part in parts)
        return exp.and_(*(exp.EQ(this=t, expression=literal(g)) for t, g in zip(texts, given, strict=True)))

    return narrowed(inputs, same)


def _parts_of(query: Any, parts: Sequence[str]) -> list[str]:
    """Return the parts of a composite id: of a mapping, a list, or a text with plus signs."""
    if isinstance(query, Mapping):
        given = [str(query[part]) for part in parts if part in query]
    else:
        given = [str(part) for part in (query.split("+") if isinstance(query, str) else query)]
    if len(given) != len(parts):
        raise InputError(f"query {query!r}", f"the id has the parts {'+'.join(parts)}", "give each of them")
    return given


def _part(query: exp.Query, condition: Condition) -> exp.Query:
    """Return the rows of some of the queries."""
    if KEY not in query.named_selects:
        return query
    query = query.copy() if selects(query) else exp.select(exp.Star()).from_(query.subquery("whole"))
    for select in selects(query):
        key = next((p.unalias() for p in select.selects if p.alias_or_name == KEY), exp.column(KEY))
        select.where(condition(key.copy()), copy=False)
    return query
