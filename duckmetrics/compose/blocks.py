"""The aggregates of a composed query, and the columns that belong to each measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import CLASSIFICATION, RANKING

if TYPE_CHECKING:
    from sqlglot import exp

# The columns that a metric of each family is grouped by.
KEYS = {RANKING: ("system", "query_id"), CLASSIFICATION: ("system", "segment")}


@dataclass(frozen=True)
class Columns:
    """The columns of the per-query table that belong to one measure."""

    value: str
    no_relevant: str
    undefined: str


@dataclass
class Block:
    """One aggregate over one step: the metrics that read it, side by side."""

    name: str
    source: exp.Select
    keys: dict[str, exp.Expr]
    columns: dict[str, exp.Expr] = field(default_factory=dict)

    def add(self, value: exp.Expr, name: str = "") -> str:
        """Add a projection, unless it is there already, and return its column.

        Args:
            name: the column if it is a new one; by default the next number.
        """
        for column, known in self.columns.items():
            if known == value:
                return column
        column = name or f"v{len(self.columns) + 1}"
        self.columns[column] = value
        return column

    def query(self) -> exp.Select:
        """Return the query of the aggregate: its keys, then its columns."""
        query = self.source.copy()
        keys = (key.copy() for key in self.keys.values())
        query.set("expressions", [*keys, *(v.as_(c) for c, v in self.columns.items())])
        return query
