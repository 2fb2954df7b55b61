"""A table of the caller with the attributes of items, keyed by item_id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import picked, quoted
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.ids import key_of
from duckmetrics.inputs.python_tables import as_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.sources import Role, Source

ITEMS: Role = "items"
# The relation of the items with several rows, and how many of them a message names.
REPEATED, MOST_NAMED = "repeated_items", 3


@dataclass(frozen=True)
class ItemTable:
    """Attributes of items.

    Attributes:
        source: the table of the caller.
        key: its column of item ids.
    """

    source: Source
    key: str

    def query(self, columns: Mapping[str, str]) -> exp.Select:
        """Return item_id and columns of the caller, each under the name that it is mapped to.

        Raises:
            InputError: there is no such column.
        """
        found = {name: quoted(self.column(column)) for name, column in columns.items()}
        return selected(self.source, {"item_id": quoted(self.key), **found})

    def column(self, name: str) -> str:
        """Return the spelling of a column in the table.

        Raises:
            InputError: there is no such column.
        """
        found = self.source.find(name)
        if found is None:
            known = self.source.all_columns
            raise InputError(
                self.source.label, f"no column {name!r}; found {', '.join(known)}", suggestion(name, known)
            )
        return found


def item_table(catalog: Catalog, engine: Engine, table: Any, columns: ColumnMap, inputs: Inputs) -> ItemTable:
    """Attach a table of items.

    Raises:
        InputError: it cannot be read, its ids are of another kind than those of the predictions, or an item
            occurs several times in it.
    """
    source = engine.once(engine.attach(as_table(table, ITEMS), ITEMS))
    key = key_of(source, columns, ITEMS, "item_id")
    if key.kinds != inputs.item_kinds:
        raise InputError(
            source.label,
            f"item_id is {', '.join(key.kinds)}, and of the predictions {', '.join(inputs.item_kinds)}",
            "make them one kind with CAST",
        )
    if len(key.parts) > 1:
        raise InputError(source.label, "item ids of several columns", "make them one column in all tables")
    found = ItemTable(source, key.parts[0])
    composer = inputs.composer(catalog, {ITEMS: found.query({})})
    step = composer.relation(REPEATED, {})
    repeated = engine.rows(
        composer.complete(picked(step, "item_id", "copies").order_by("item_id").limit(MOST_NAMED))
    )
    if repeated:
        named = ", ".join(f"{item} ({copies} rows)" for item, copies in repeated)
        raise InputError(
            source.label, f"items that occur several times: {named}", "keep one row for each item"
        )
    return found
