"""The rows of a summary on an engine: computed once, kept, and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.compose.functions import inlined, linked
from duckmetrics.engines.engine import Feature
from duckmetrics.summaries.ranking import JOINED

if TYPE_CHECKING:
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine


def materialized(engine: Engine, query: exp.Select) -> exp.Select:
    """Keep the step that every measure reads, with the engine of the results, if it would be computed again.

    It has as many rows as there are systems and slices.
    """
    if engine.supports(Feature.SHARED_STEPS):
        return query
    name = engine.name(JOINED)
    engine.collect(name, query)
    return engine.results().kept(name)


def on_engine(catalog: Catalog, engine: Engine, query: exp.Query) -> exp.Query:
    """Define the functions that a query calls, or write their calls out."""
    if not engine.supports(Feature.FUNCTIONS):
        return inlined(catalog, query)
    linked_query, macros = linked(catalog, query)
    engine.define(macros)
    return linked_query


def kept_rows(results: Engine, query: exp.Select) -> tuple[tuple[dict[str, Any], ...], exp.Query]:
    """Run the query of a summary once; return its rows and where they are kept.

    Args:
        results: the engine that has the results.
    """
    table = results.name("summary")
    results.keep(table, query)
    kept = results.kept(table)
    names = query.named_selects
    return tuple(dict(zip(names, row, strict=True)) for row in results.rows(kept)), kept
