"""Questions about the data of a report: its best system, rows by name, changes where more is better."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from duckmetrics.charts.numbers import digits_of
from duckmetrics.report.model import WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.report.model import Key, ReportData, Row

OVERALL: Key = ((), ())


class Reading:
    """The data of a report with the answers that several sections need."""

    def __init__(self, data: ReportData) -> None:
        self.data = data
        self.metrics = {metric.name: metric for metric in data.metrics}
        self.primary = data.metrics[0]
        self.rows = {(row.system, row.metric, row.key): row for row in data.rows}
        self.others = tuple(name for name in data.systems if name != data.baseline)
        self.slices = tuple(dict.fromkeys(row.key for row in data.rows if row.by))

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems other than the baseline, the best first."""
        return tuple(sorted(self.others, key=self._place))

    def _place(self, system: str) -> float:
        row = self.row(system)
        return -self.worth_of(None if row is None else row.value)

    @property
    def best(self) -> str:
        """The system that the report is about: the best one that is not the baseline."""
        return self.ranked[0]

    @property
    def top(self) -> Row | None:
        """The overall row of that system for the first metric."""
        return self.row(self.best)

    def worth_of(self, value: float | None) -> float:
        """Return a number that grows as a value of the first metric gets better; no value is worst."""
        if value is None:
            return -math.inf
        if self.primary.target is not None:
            return -abs(value - self.primary.target)
        return -value if self.primary.better == "lower" else value

    def row(self, system: str, metric: str | None = None, key: Key = OVERALL) -> Row | None:
        """Return a row, by default of the first metric overall; None if there is none."""
        return self.rows.get((system, metric or self.primary.name, key))

    def base(self, row: Row) -> Row | None:
        """Return the row of the baseline for the same metric and slice."""
        if self.data.baseline is None:
            return None
        return self.rows.get((self.data.baseline, row.metric, row.key))

    def sign(self, metric: str) -> int:
        """Return 1 if higher is better, -1 if lower is, 0 if neither is."""
        return {"higher": 1, "lower": -1}.get(self.metrics[metric].better or "", 0)

    def change(self, row: Row | None) -> float | None:
        """Return the relative change, turned so that more is better; None if no direction is."""
        sign = 0 if row is None else self.sign(row.metric)
        if row is None or not sign:
            return None
        change = self._relative(row, row.delta) if row.relative_change is None else row.relative_change
        return None if change is None else sign * change

    def shown_change(self, row: Row | None) -> float | None:
        """Return the relative change of the value, as a reader computes it from both values."""
        change = self.change(row)
        return None if change is None or row is None else self.sign(row.metric) * change

    def shown_ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `shown_change`."""
        ends = self.ends(row)
        return ends if ends is None or self.sign(row.metric) > 0 else (-ends[1], -ends[0])

    def _relative(self, row: Row, difference: float | None) -> float | None:
        """Return a difference relative to the value of the baseline; None if that is 0."""
        base = self.base(row)
        if difference is None or base is None or not base.value:
            return None
        return difference / abs(base.value)

    def ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `change`."""
        sign, (lower, upper) = self.sign(row.metric), self._relative_ends(row)
        if lower is None or upper is None or not sign:
            return None
        return (lower, upper) if sign > 0 else (-upper, -lower)

    def _relative_ends(self, row: Row) -> tuple[float | None, float | None]:
        """Return the interval of the relative change, or that of the difference over the baseline."""
        if row.relative_lower is not None:
            return row.relative_lower, row.relative_upper
        return self._relative(row, row.delta_lower), self._relative(row, row.delta_upper)

    def curve(self, table: str, system: str) -> list[Mapping[str, Any]]:
        """Return the rows of a table of a classifier for one system; none if there is no such table."""
        rows = self.data.pictures.curves.get(table, ())
        return [row for row in rows if row.get("system", system) in (system, None)]

    def segments_of(self, system: str, verdict: str) -> list[Row]:
        """Return the rows of the first metric in the slices that have a verdict, the worst first."""
        found = (self.row(system, None, key) for key in self.slices)
        rows = [row for row in found if row is not None and row.verdict == verdict]
        return sorted(rows, key=self.badness)

    def badness(self, row: Row) -> tuple[int, float]:
        """Return a key that sorts rows: certainly worse ones first, then by the change."""
        order = {WORSE: 0, "better": 2}.get(row.verdict, 1)
        change = self.change(row)
        if change is None:
            change = 0.0 if row.value is None else self.worth_of(row.value)
        return order, change


def digits(row: Row | None) -> int:
    """Return the number of decimals that the interval of a row supports."""
    if row is None:
        return 3
    for low, high in ((row.delta_lower, row.delta_upper), (row.lower, row.upper)):
        if low is not None and high is not None:
            return digits_of((high - low) / 2)
    return 4


def place_of(row: Row) -> str:
    """Return a slice in words: ``country JP``."""
    return ", ".join(f"{column} {value}" for column, value in zip(row.by, row.segment, strict=True))


def label_of(key: Key) -> str:
    """Return the values of a slice."""
    return ", ".join(key[1]) or "overall"
