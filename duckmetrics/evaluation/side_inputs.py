"""The history, counted once, and the further tables that metrics need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.build import everything, picked
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.ranking_inputs.side_tables import SIDE_INPUTS, refuse_absent
from duckmetrics.summaries.systems import LISTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

TRUTH = "truth"
# The relations that count the whole history.
COUNTED = ("item_history", "item_users", "history_users")


def needs_truth(catalog: Catalog, measures: Sequence[Measure]) -> bool:
    """Return whether a value of a measure depends on the relevant items, under its parameters."""
    return any(TRUTH in tables_of(catalog, measure) for measure in measures)


def tables_of(catalog: Catalog, measure: Measure) -> set[str]:
    """Return the inputs and relations that the value of a measure needs under its parameters.

    The population, which decides the lists that count, is not among them.
    """
    composer = Composer(catalog, {LISTS: everything(LISTS)})
    value = composer.value(measure.metric, measure.values)
    composer.settle()
    read: set[str] = set()
    pending: list[exp.Expr] = [] if value is None else [b.query() for b in composer.blocks]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            if table.name not in read:
                read.add(table.name)
                pending += [composer.steps[table.name]] if table.name in composer.steps else []
    return read


def with_side_inputs(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> Inputs:
    """Return the inputs with the history counted in tables, as far as the measures read them.

    Without a catalogue, the items are those of the history.

    Raises:
        InputError: a measure reads a table, or a column of the catalogue, that was not given.
    """
    needed: dict[str, str] = {}
    for measure in measures:
        if measure.metric.inputs.keys() & SIDE_INPUTS:
            needed |= {name: needed.get(name, measure.text) for name in tables_of(catalog, measure)}
    queries = dict(inputs.queries)
    is_of_history = ITEMS in needed and ITEMS not in queries and HISTORY in queries
    if is_of_history:
        needed.setdefault(COUNTED[0], needed.pop(ITEMS))
    read = {name: text for name, text in needed.items() if name in SIDE_INPUTS}
    refuse_absent(queries, read, inputs.labels, inputs.catalog_columns)
    queries |= _counted(catalog, engine, inputs, [name for name in COUNTED if name in needed])
    if is_of_history:
        queries[ITEMS] = picked(queries[COUNTED[0]].subquery(COUNTED[0]), "item_id")
    return replace(inputs, queries=queries)


def _counted(
    catalog: Catalog, engine: Engine, inputs: Inputs, names: Sequence[str]
) -> Mapping[str, exp.Query]:
    """Keep relations of the history in tables: they have a row for each item, however long the history is."""
    kept: dict[str, exp.Query] = {}
    for name in names:
        composer = inputs.composer(catalog)
        step = composer.relation(name, {})
        table = engine.name(name)
        engine.keep(table, composer.complete(everything(step)))
        kept[name] = engine.kept(table)
    return kept
