"""Relations and rows that are kept on an engine, or moved to that of the results."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.functions import inlined, linked
from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.build import picked, row_count
from duckmetrics.inference.ranking_summary import JOINED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Binding
    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.plans import Plan
    from duckmetrics.inputs.inputs import Inputs


class SharedRelations:
    """Keeps the relations that at least two tables of the same predictions read.

    Args:
        tables: the tables that are going to be read.
    """

    def __init__(self, catalog: Catalog, engine: Engine, tables: Iterable[Definition]) -> None:
        self._catalog, self._engine = catalog, engine
        read = Counter(source.name for table in tables for source in catalog.sources(table))
        self._names = {name for name, times in read.items() if times > 1 and name in catalog.relations}
        self._kept: dict[Binding, exp.Query] = {}

    def queries(self, inputs: Inputs, measure: Measure, plan: Plan) -> dict[str, exp.Query]:
        """Return the kept relations that a table reads, by name, and keep those that are not yet.

        Args:
            measure: the table with its parameters.
            plan: the parameters that say how it is computed.
        """
        found: dict[str, exp.Query] = {}
        values = {**measure.values, **plan}
        for source in self._catalog.sources(measure.metric):
            if source.name in self._names:
                composer = inputs.composer(self._catalog)
                binding = composer.binding(source, composer.known(source, values))
                if binding not in self._kept:
                    step, columns = composer.relation(source.name, values), source.query.named_selects
                    query = composer.assemble(picked(step, *columns))
                    table = self._engine.name(source.name)
                    self._engine.keep(table, on_engine(self._catalog, self._engine, query))
                    self._kept[binding] = picked(table, *columns)
                found[source.name] = self._kept[binding]
        return found


# The most rows of units that move to the engine of the results: a few hundred megabytes.
MOST_UNITS = 5_000_000
FEWER = (
    "ask for fewer metrics and slices in one call; name larger units of rows with cluster= (--cluster); "
    "or write the values per query and test them with DuckDB"
)


def materialized(engine: Engine, query: exp.Select) -> exp.Select:
    """Keep the step that every measure reads, with the engine of the results, if it would be computed again.

    It has as many rows as there are systems and slices.
    """
    if engine.supports(Feature.SHARED_STEPS):
        return query
    return cast("exp.Select", collected(engine, JOINED, query))


def collected(engine: Engine, stem: str, query: exp.Query) -> exp.Query:
    """Hand few rows to the engine of the results, if that is another one, and return their query there."""
    if engine.results() is engine:
        return query
    name = engine.name(stem)
    engine.collect(name, query)
    return engine.results().kept(name)


def moved(engine: Engine, table: str) -> str:
    """Move a table of units that was kept to the engine of the results, if that is another one.

    Everything behind the units, such as tests, runs there.

    Returns:
        The name of the table there.

    Raises:
        UnsupportedError: it has too many rows.
    """
    if engine.results() is engine:
        return table
    refuse_many(engine, engine.kept(table))
    return moved_to_results(engine, table)


def moved_to_results(engine: Engine, table: str) -> str:
    """Move a table of units that are few enough, and return its name there."""
    name = engine.name("moved")
    engine.collect(name, engine.kept(table))
    return name


def moved_query(engine: Engine, stem: str, query: exp.Query) -> exp.Query:
    """Move the units of a query, see `moved`, and return their query there."""
    if engine.results() is engine:
        return query
    return engine.results().kept(moved(engine, keep_new(engine, stem, query)))


def refuse_many(engine: Engine, units: exp.Query) -> None:
    """Refuse units that are too many to move to the engine of the results.

    Raises:
        UnsupportedError: they are.
    """
    count = too_many(engine, units)
    if count is not None:
        name = DIALECTS[engine.dialect].engine
        raise UnsupportedError(
            "interval",
            f"{count:,} values of units, and at most {MOST_UNITS:,} can move from {name} to DuckDB",
            FEWER,
        )


def too_many(engine: Engine, units: exp.Query) -> int | None:
    """Return the number of units if it is more than can move to the engine of the results."""
    if engine.results() is engine:
        return None
    ((count,),) = engine.rows(row_count(units.subquery("units")))
    return count if count > MOST_UNITS else None


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
