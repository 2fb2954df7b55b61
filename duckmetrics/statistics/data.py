"""The table of a statistical test, as the files under sql/statistics and sql/checks read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS: Final = "counts"
CELLS: Final = "cells"
# The name of any other table in the files under sql/checks/statistics.
ROWS: Final = "given_rows"


@dataclass(frozen=True)
class Data:
    """A table as a statistic reads it.

    Attributes:
        table: its name in the statistic.
        label: its name in messages.
        query: the canonical columns.
        names: canonical column -> the user's.
        words: of advice about the table.
    """

    table: str
    label: str
    query: exp.Select
    names: Mapping[str, str]
    words: str

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.names)

    @property
    def is_counted(self) -> bool:
        """Whether the rows are counts, which a test adds up."""
        return self.table in (COUNTS, CELLS)

    def grouped(self) -> exp.Select:
        """Return one row per cell that is there; all other tables as they are."""
        if self.table != CELLS:
            return self.query
        keys = ("row_value", "column_value")
        total = exp.Sum(this=exp.column("n")).as_("n")
        return exp.select(*keys, total).from_(self.query.subquery(CELLS)).group_by(*keys)


def reading(query: exp.Expr, relation: exp.Expr) -> exp.Query:
    """Return a query that reads `relation` in place of counts, cells or rows."""
    read = cast("exp.Query", query.copy())
    for table in list(read.find_all(exp.Table)):
        if table.name in (COUNTS, CELLS, ROWS):
            table.replace(exp.alias_(relation.copy(), table.name, table=True))
    return read
