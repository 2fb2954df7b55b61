"""Relations that several tables read: computed once, and kept for the tables that follow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from duckmetrics.expressions.build import picked
from duckmetrics.summaries.kept import on_engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Binding
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.summaries.plans import Plan


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
