"""Intervals as lines of text on one axis: ├─▲─┤, with │ at zero."""

from __future__ import annotations

from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.screens.widths import padded

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_WIDTH, MOST_WIDTH = 14, 40
WORSE_SIDE, BETTER_SIDE = "worse", "better"
# An interval that is longer than this number of usual ones is cut at the edge.
WILD = 6


class Interval(NamedTuple):
    """An interval to draw; right is better.

    Attributes:
        low, high: its ends.
        point: the place of the sign.
        sign: the sign of the verdict.
    """

    low: float
    point: float
    high: float
    sign: str

    @property
    def turned(self) -> Interval:
        """The interval where lower values are better, so that right is better."""
        return Interval(-self.high, -self.point, -self.low, self.sign)


class Axis(NamedTuple):
    """An axis from `low` to `high` on a number of columns."""

    low: float
    high: float
    width: int

    @classmethod
    def of(cls, intervals: Sequence[Interval], width: int) -> Axis:
        """Return an axis with zero, and all intervals that are not much longer than the others."""
        lengths = [one.high - one.low for one in intervals]
        usual = median_low(lengths) if lengths else 0.0
        tame = [one for one in intervals if one.high - one.low <= WILD * usual]
        low = min([0.0, *(one.low for one in tame)])
        high = max([0.0, *(one.high for one in tame)])
        margin = (high - low or 1.0) / 4
        left = margin if any(one.point < low for one in intervals) else 0.0
        right = margin if high == low or any(one.point > high for one in intervals) else 0.0
        return cls(low - left, high + right, width)

    def place(self, value: float) -> int:
        """Return the column of a value; one beyond an edge has the column of the edge."""
        share = (value - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * (self.width - 1))

    def header(self) -> str:
        """Write which side is better, and where zero is."""
        zero, ends = self.place(0.0), (len(WORSE_SIDE) + 1, self.width - len(BETTER_SIDE) - 1)
        marks = [*WORSE_SIDE.ljust(self.width - len(BETTER_SIDE)), *BETTER_SIDE]
        if zero < ends[0]:
            marks[: len(WORSE_SIDE)] = " " * len(WORSE_SIDE)
        elif zero >= ends[1]:
            marks[-len(BETTER_SIDE) :] = " " * len(BETTER_SIDE)
        marks[zero] = "0"
        return "".join(marks)

    def drawn(self, interval: Interval | None) -> str:
        """Draw an interval; none is a line that only shows zero."""
        marks = [" "] * self.width
        zero = self.place(0.0)
        marks[zero] = "│"
        if interval is None:
            return "".join(marks)
        start, end = self._ends(interval)
        for i in range(start, end + 1):
            marks[i] = "┼" if i == zero and start < i < end else "─"
        marks[start] = "←" if interval.low < self.low else "├"
        marks[end] = "→" if interval.high > self.high else "┤"
        marks[self._place_of_sign(interval, start, end)] = interval.sign
        return "".join(marks)

    def _ends(self, interval: Interval) -> tuple[int, int]:
        """Return the columns of the ends; one that is cut has room for an arrow next to the sign."""
        start, end = self.place(interval.low), self.place(interval.high)
        if interval.low < self.low:
            end = max(end, start + 1)
        if interval.high > self.high:
            start = min(start, end - 1)
        return start, end

    def _place_of_sign(self, interval: Interval, start: int, end: int) -> int:
        """Return the column of the sign, which hides no arrow."""
        place = self.place(interval.point)
        first, last = start + (interval.low < self.low), end - (interval.high > self.high)
        return min(max(place, first), last)


def drawings(rows: Sequence[Interval | str | None], width: int) -> tuple[str, list[str]]:
    """Draw intervals on one axis; return its header, and a drawing for each row.

    Args:
        rows: intervals, or words where there is no direction to draw.
        width: the columns of each drawing.
    """
    axis = Axis.of([row for row in rows if isinstance(row, Interval)], width)
    return axis.header(), [padded(row, width) if isinstance(row, str) else axis.drawn(row) for row in rows]
