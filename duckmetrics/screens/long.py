"""Values below each other: a line per system, slice and metric, with its interval and all counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.expressions.visible import visible, visible_key
from duckmetrics.screens.columns import Column, fitted, table_lines
from duckmetrics.screens.reasons import reason_lines
from duckmetrics.screens.widths import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]

# Numbers of units that differ by less are shown as equal.
SHOWN_DIFFERENCE = 0.05
COUNTS = ("n", "n_missing", "n_no_relevant", "n_undefined", "n_positive")
# The number of units of an interval, and how many of equal weight they are worth.
SIZES = ("n_units", "n_effective")
REASON = "reason"
# A reason does not take the place of these columns: it stands below the table instead.
BEFORE_REASON = frozenset({"lower", "upper", "n"})
NUMERIC = ("value", "lower", "upper", *COUNTS, *SIZES)
# A narrow screen leaves out the columns of rank 1 first.
RANKS = {
    "n_effective": 1, "n_units": 2, "n_positive": 3, "n_undefined": 4, "n_no_relevant": 5, "n_missing": 6,
    "n": 7, "lower": 8, "upper": 8,
}  # fmt: skip


class Values(Protocol):
    """The parts of an evaluation that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def groupings(self) -> Mapping[str, Sequence[str]]: ...
    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


def long_cells(result: Values) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells for a reader."""
    shown = [
        column for column in ("system", *result.by, "metric", *NUMERIC, REASON)
        if column in ("metric", "value", "n", *result.by)
        or any(_says_more(row, column) for row in result.rows)
    ]  # fmt: skip
    return shown, [[_cell(result, row, column) for column in shown] for row in result.rows]


def long_lines(result: Values, width: int) -> list[str]:
    """Return the lines for a screen; counts are less important than values.

    Reasons stand below the table if they would take the place of the interval or of n.
    """
    header, cells = long_cells(result)
    keys = ("system", *result.by, "metric")
    columns = [
        Column(visible(name), list(column), name in NUMERIC, RANKS.get(name, 0), name in keys)
        for name, column in zip(header, zip(*cells, strict=True), strict=True)
    ]
    numbers = [column for column in columns if column.name != REASON]
    kept, without = fitted(columns, width), fitted(numbers, width)
    if _names(kept) >= _names(without) & BEFORE_REASON:
        return table_lines(kept, width)
    reasons = (wrapped(visible(line), width, "  ") for line in reason_lines(result, result.rows))
    return [*table_lines(without, width), "", *(part for parts in reasons for part in parts)]


def _names(columns: Iterable[Column]) -> set[str]:
    return {column.name for column in columns}


def _cell(result: Values, row: Row, column: str) -> str:
    value = row.get(column)
    if column == "value" and value is None:
        return "NULL"
    if isinstance(value, float) and column in NUMERIC:
        return f"{value:.1f}" if column in SIZES else f"{value:.4f}"
    if column in result.groupings[row["slice"]]:
        return visible_key(value)
    return "" if value is None else visible(str(value))


def _says_more(row: Row, column: str) -> bool:
    """Return whether a cell is worth a column: a number of units, where it is not that of rows or queries."""
    value = row.get(column)
    if column not in SIZES or value is None:
        return bool(value)
    return bool(row["n_units"] != row["n"] or abs(row["n_effective"] - row["n_units"]) >= SHOWN_DIFFERENCE)
