"""The rows of a summary on an engine: computed once, kept, and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.compose.functions import inlined, linked
from duckmetrics.summaries.ranking import JOINED

if TYPE_CHECKING:
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine


def materialized(engine: Engine, query: exp.Select) -> exp.Select:
    """Keep the step that every measure reads, except in DuckDB: others compute it as often as it is read.

    It has as many rows as there are systems and slices, so other engines hand it over.
    """
    if not engine.portable:
        return query
    name = engine.name(JOINED)
    engine.collect(name, query)
    return engine.kept(name)


def on_engine(catalog: Catalog, engine: Engine, query: exp.Query) -> exp.Query:
    """Define the functions that a query calls, or write their calls out."""
    if engine.portable:
        return inlined(catalog, query)
    linked_query, macros = linked(catalog, query)
    engine.define(macros)
    return linked_query


def kept_rows(engine: Engine, query: exp.Select) -> tuple[tuple[dict[str, Any], ...], exp.Query]:
    """Run the query of a summary once; return its rows and where they are kept."""
    table = engine.name("summary")
    engine.keep(table, query)
    kept = engine.kept(table)
    names = query.named_selects
    return tuple(dict(zip(names, row, strict=True)) for row in engine.rows(kept)), kept
