"""A part of the queries: one after the other for data that are larger than memory, or one query alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.optimizer import selects
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

KEY = "query_id"
Condition = Callable[[exp.Expr], exp.Expr]


def chunks_of(inputs: Inputs, number: int) -> Iterator[Inputs]:
    """Yield the inputs of each part of the queries in turn, by a hash of the query id.

    Tables without a query id, such as the list of the systems, are in every part.
    """
    for place in range(number):

        def in_part(key: exp.Expr, place: int = place) -> exp.Expr:
            hashed = exp.Anonymous(this="hash", expressions=[key])
            remainder = exp.Mod(this=hashed, expression=literal(number))
            return exp.EQ(this=remainder, expression=literal(place))

        yield narrowed(inputs, in_part)


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
        value = try_cast(literal(str(query)), exp.DataType.build(type_, dialect=DIALECT))
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
