"""Queries that this process has composed before, for the same metrics over inputs of the same text."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.composer import with_directions

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.blocks import Columns
    from duckmetrics.compose.composer import Composer

# The number of queries that are remembered; the one that was composed first is forgotten first.
MOST = 32
_KNOWN: dict[Hashable, tuple[exp.Select, list[Columns]]] = {}
_LOCK = threading.Lock()


def per_query(composer: Composer, measures: Sequence[Measure], plan: str) -> tuple[exp.Select, list[Columns]]:
    """Return what `Composer.per_query` returns, and compose it only once."""
    key = (
        composer.catalog, plan, tuple((measure.metric, measure.params) for measure in measures),
        _items(composer.constants), _items(composer.facts),
        tuple((name, _text(query)) for name, query in composer.inputs.items()),
    )  # fmt: skip
    with _LOCK:
        known = _KNOWN.get(key)
    if known is not None:
        return _over(composer, known[0]), list(known[1])
    query, columns = composer.per_query(measures, plan)
    with _LOCK:
        while len(_KNOWN) >= MOST:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = query.copy(), list(columns)
    return query, columns


def _items(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))


def _text(query: exp.Query) -> str | None:
    """Return the text of an input; None for a temporary table, which has another name in each evaluation."""
    return None if _is_table(query) else query.sql(DIALECT)


def _is_table(query: exp.Query) -> bool:
    """Return whether an input is all of one table, of whose columns the composer knows nothing."""
    clauses = {name for name, value in query.args.items() if value}
    source = query.args.get("from_")
    if source is None or clauses != {"expressions", "from_"} or query.expressions != [exp.Star()]:
        return False
    return isinstance(source.this, exp.Table)


def _over(composer: Composer, known: exp.Select) -> exp.Select:
    """Return a copy of a query that reads the temporary tables of this evaluation."""
    query = known.copy()
    for cte in query.ctes:
        table = composer.inputs.get(cte.alias)
        if table is not None and _is_table(table):
            cte.set("this", with_directions(table.copy()))
    return query
