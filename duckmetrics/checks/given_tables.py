"""The tables that only some calls have: which of them a measure depends on, and which are absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.ranking_inputs.cuts import CUTS
from duckmetrics.ranking_inputs.side_tables import MEANINGS, OF_COLUMNS, table_of

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.inputs.inputs import Inputs

POPULATION = "population"
OPTIONAL = {CUTS, *OF_COLUMNS}


def side_tables_of(measure: Measure, inputs: Inputs) -> set[str]:
    """Return the history, the catalogue and the reference run, if a measure reads them."""
    tables: set[str] = {table_of(name) for name in measure.metric.further_inputs}
    # Without a catalogue, the items are those of the history.
    return tables | {HISTORY} if ITEMS in tables and ITEMS not in inputs.labels else tables


def lacks_a_table(inputs: Inputs, definition: Definition) -> bool:
    """Return whether a table that a check cannot do without was not given.

    Relations read a population only if there is one, so a check needs it only if it reads it itself.
    """
    if POPULATION in definition.tables and POPULATION not in inputs.queries:
        return True
    read = definition.inputs.keys()
    return bool((read & MEANINGS.keys()) - inputs.labels.keys() or (read & OPTIONAL) - inputs.queries.keys())
