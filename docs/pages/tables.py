"""The tables that a metric reads, and sample data that have them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.composer import tables_of
from duckmetrics.inputs.inputs import HISTORY, ITEMS
from duckmetrics.inputs.ranking import MEANINGS, OF_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.definition import Definition

TRUTH = "truth"
RECOMMENDED, PURCHASES = "data/shop/recommendations.parquet", "data/shop/purchases.parquet"
IMAGES = ("data/digits/pixels.parquet", "data/digits/qrels.parquet")
WINES = "data/wine/wines.parquet"
# The further tables of the shop; the baseline stands for the last release.
SHOP = {
    "history": "data/shop/history.parquet",
    "items": "data/shop/items.parquet",
    "reference": RECOMMENDED,
}
LAST_RELEASE = {"reference": "model = 'baseline'"}
SHOP_COLUMNS = {"query_id": "user_id"}
VECTORS = {"items.vector": "embedding"}
# The tables of a metric next to the predictions, in the order of a call.
ROLES = (TRUTH, *MEANINGS)
# The columns of the tables that every caller names.
COLUMNS = {
    "predictions": ["query_id", "item_id", "score"],
    TRUTH: ["query_id", "item_id", "relevance"],
}


@dataclass(frozen=True)
class Sample:
    """The tables of a call on sample data, and the arguments that say how to read them."""

    predictions: str
    truth: str | None
    system: str
    others: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    classes: str = ""

    def given(self) -> dict[str, Any]:
        """Return the arguments of `evaluate` by name, in the order of a call; those of no use are absent."""
        every = {
            **self.others, "system": self.system, "where": self.where, "columns": self.columns,
            "classes": self.classes,
        }  # fmt: skip
        return {name: value for name, value in every.items() if value}


@cache
def needed(definition: Definition, spec: str) -> frozenset[str]:
    """Return the tables, next to the predictions, that the value of a spec of a metric depends on."""
    read = tables_of(catalog(), parse_measure(catalog(), f"{definition.family}.{spec}"))
    named = {ITEMS if name in OF_COLUMNS else name for name in read}
    return frozenset(named & {*ROLES})


def sample_of(definition: Definition, spec: str) -> Sample:
    """Return sample data that have the tables of a spec: wines, images of digits, or the shop."""
    if definition.family == MULTICLASS:
        return Sample(WINES, None, "model", columns={"label": "cultivar"}, classes="p_*")
    shop = shop_of(definition, spec)
    return shop if shop.others else Sample(*IMAGES, "system")


def shop_of(definition: Definition, spec: str) -> Sample:
    """Return the tables of the shop that the value of a spec of a metric needs."""
    names = needed(definition, spec)
    others = {name: table for name, table in SHOP.items() if name in names}
    truth = PURCHASES if TRUTH in names or not others else None
    columns = SHOP_COLUMNS | (VECTORS if "item_vectors" in definition.inputs else {})
    where = LAST_RELEASE if "reference" in names else {}
    return Sample(RECOMMENDED, truth, "model", others, where, columns)


def shop_of_tools(definition: Definition, spec: str) -> Sample:
    """Return the same with the items of the history as the catalogue, as some tools demand it."""
    shop = shop_of(definition, spec)
    if ITEMS not in definition.inputs or ITEMS not in shop.others:
        return shop
    others = {name: table for name, table in shop.others.items() if name != ITEMS}
    return replace(shop, others={HISTORY: SHOP[HISTORY], **others})


def columns_of(definition: Definition, table: str) -> list[str]:
    """Return the columns that a metric reads of a table, by their names in a call."""
    if table in COLUMNS:
        return COLUMNS[table]
    if table != ITEMS:
        return list(definition.inputs[table])
    return ["item_id", *(column for name, column in OF_COLUMNS.items() if name in definition.inputs)]
