"""The names of what a result counts: queries or rows, and the units of its intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = Mapping[str, Any]

QUERIES, ROWS = "queries", "rows"
# The beginning of the kind of units that several rows or queries share.
CLUSTERS = "clusters of "


def kind_of(rows: Iterable[Row]) -> str:
    """Return what an evaluation counts: rankings have queries, classifiers have rows."""
    return QUERIES if any(row.get("n_missing") is not None for row in rows) else ROWS


def plural(column: str) -> str:
    """Return the units that a column identifies in the plural: ``users`` for user_id; empty if unclear."""
    stem = column.removesuffix("_id")
    if stem == column or not stem.isidentifier():
        return ""
    words = stem.replace("_", " ")
    if words.endswith("y") and words[-2:-1] not in "aeiou":
        return f"{words[:-1]}ies"
    return words if words.endswith("s") else f"{words}s"


def cluster_units(column: str) -> str:
    """Return the units of intervals by clusters: ``users`` for user_id, else ``clusters of shop``."""
    return plural(column) or f"{CLUSTERS}{column}"


def sized(n_units: int | None, units: str, n: int, counted: str) -> str:
    """Write the number of units, or of rows or queries where a value has no units.

    Args:
        units: the units of the intervals in the plural.
        counted: the rows or queries in the plural.
    """
    return f"{n:,} {counted}" if n_units is None else f"{n_units:,} {units}"
