"""The history, counted once, and the further tables that metrics need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.compose.reading import needed_by
from duckmetrics.engines.engine import keep_new
from duckmetrics.expressions.build import everything, picked
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.ranking_inputs.side_tables import SIDE_INPUTS, refuse_absent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

# The relations that count the whole history. The second one also has the column of the first.
COUNTED = ("item_history", "item_users", "history_users")


def with_side_inputs(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> Inputs:
    """Return the inputs, and next to them the counts of the history that the measures read, in tables.

    Without a catalogue, the items are those of the history.

    Raises:
        InputError: a measure reads a table, or a column of the catalogue, that was not given.
    """
    needed = needed_by(catalog, measures)
    queries = dict(inputs.queries)
    is_of_history = ITEMS in needed and ITEMS not in queries and HISTORY in queries
    if is_of_history:
        needed.setdefault(COUNTED[0], needed.pop(ITEMS))
    read = {name: text for name, text in needed.items() if name in SIDE_INPUTS}
    refuse_absent(queries, read, inputs.labels, inputs.catalog_columns)
    if inputs.derived:
        queries["attributes"] = engine.kept(keep_new(engine, "attributes", queries["attributes"]))
    queries |= _counted(catalog, engine, inputs, [name for name in COUNTED if name in needed])
    if is_of_history:
        queries[ITEMS] = picked(queries[COUNTED[0]].subquery(COUNTED[0]), "item_id")
    return replace(inputs, queries=queries)


def _counted(
    catalog: Catalog, engine: Engine, inputs: Inputs, names: Sequence[str]
) -> Mapping[str, exp.Query]:
    """Keep relations of the history in tables: they have a row for each item, however long the history is."""
    kept: dict[str, exp.Query] = {}
    of_items, of_users, _ = COUNTED
    for name in names:
        if name == of_items and of_users in names:
            continue
        composer = inputs.composer(catalog)
        step = composer.relation(name, {})
        kept[name] = engine.kept(keep_new(engine, name, composer.complete(everything(step))))
    if of_items in names and of_users in names:
        kept[of_items] = picked(kept[of_users].subquery(of_users), "item_id", "n_interactions")
    return kept
