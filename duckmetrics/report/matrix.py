"""Tables of marks: metrics by slices or systems, so that no bad cell hides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.marks import KINDS
from duckmetrics.charts.numbers import number, percent
from duckmetrics.report.reading import digits
from duckmetrics.verdicts import SIGNS, UNTESTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.report.model import Row
    from duckmetrics.report.reading import Reading

# With more columns, a narrow screen turns their names.
FEW = 4


class Cell(NamedTuple):
    """A mark and a number; `said` is read instead of the mark."""

    sign: str
    text: str
    said: str
    kind: str


class Matrix(NamedTuple):
    """A table of marks."""

    first: str
    heads: list[str]
    lines: list[tuple[str, list[Cell]]]
    many: bool


def matrix(
    reading: Reading, first: str, heads: Sequence[str], lines: Sequence[tuple[str, Sequence[Row | None]]]
) -> Matrix:
    """Return a cell for each row of the data; of values without a baseline, the number alone."""
    cell = _value if reading.data.baseline is None else _mark
    shown = [(label, [cell(reading, row) for row in rows]) for label, rows in lines]
    return Matrix(first, list(heads), shown, len(heads) > FEW)


def _mark(reading: Reading, row: Row | None) -> Cell:
    if row is None or row.verdict == UNTESTED:
        return Cell(SIGNS[UNTESTED], "", "not tested", "none")
    change = reading.shown_change(row)
    text = percent(change) if change is not None else number(row.delta, digits(row), sign=True)
    return Cell(SIGNS[row.verdict], text, row.verdict, KINDS[row.verdict])


def _value(reading: Reading, row: Row | None) -> Cell:
    if row is None or row.value is None:
        return Cell("–", "", "no value", "none")
    return Cell("", number(row.value, min(3, digits(row))), "", "plain")
