"""Questions about the data of a report: its best system, rows by name, changes where more is better."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from duckmetrics.charts.changes import DIRECTIONS, Change, digits_of_row
from duckmetrics.charts.values import Named
from duckmetrics.sentences.changes import gain_of
from duckmetrics.sentences.units import sized
from duckmetrics.sentences.verdict import place_of as segment_words
from duckmetrics.verdicts import WORSE

if TYPE_CHECKING:
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
    def drawn(self) -> tuple[str, ...]:
        """The systems that a chart shows: the baseline and the best one."""
        return (self.best,) if self.data.baseline is None else (self.data.baseline, self.best)

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
        return DIRECTIONS.get(self.metrics[metric].better or "", 0)

    def as_change(self, row: Row, label: str = "", note: str = "") -> Change:
        """Return a row as the change that charts draw."""
        base, target = self.base(row), self.metrics[row.metric].target
        before = None if base is None else base.value
        return Change(label, vars(row), before, self.sign(row.metric), target, note)

    def named(self, row: Row, label: str, note: str = "") -> Named:
        """Return a row as the value that charts draw."""
        return Named(label, note, [{**vars(row), "system": None}])

    def change(self, row: Row | None) -> float | None:
        """Return the relative change, turned so that more is better; None if no direction is."""
        return None if row is None else self.as_change(row).relative[0]

    def shown_change(self, row: Row | None) -> float | None:
        """Return the relative change of the value, as a reader computes it from both values."""
        change = self.change(row)
        return None if change is None or row is None else self.sign(row.metric) * change

    def shown_ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `shown_change`."""
        ends = self.ends(row)
        return ends if ends is None or self.sign(row.metric) > 0 else (-ends[1], -ends[0])

    def ends(self, row: Row) -> tuple[float, float] | None:
        """Return the interval of `change`."""
        _, lower, upper = self.as_change(row).relative
        return None if lower is None or upper is None else (lower, upper)

    def segments_of(self, system: str, verdict: str) -> list[Row]:
        """Return the rows of the first metric in the slices that have a verdict, the worst first."""
        found = (self.row(system, None, key) for key in self.slices)
        rows = [row for row in found if row is not None and row.verdict == verdict]
        return sorted(rows, key=self.badness)

    def worse_elsewhere(self, system: str) -> list[Row]:
        """Return the rows in slices where a system is worse by another metric, but not by the first."""
        known = {row.key for row in self.segments_of(system, WORSE)}
        return [
            row
            for name in self.metrics if name != self.primary.name
            for key in self.slices if key not in known
            if (row := self.row(system, name, key)) is not None and row.verdict == WORSE
        ]  # fmt: skip

    @property
    def total(self) -> str:
        """The number of units behind the first metric; of clusters, also that of their rows or queries."""
        if self.top is None:
            return f"0 {self.data.counted}"
        more = f", {self.top.n or 0:,} {self.data.counted}"
        return self.size(self.top) + (more if self.data.unit != self.data.counted else "")

    def size(self, row: Row) -> str:
        """Write the number of units behind a value: ``2,400 users``."""
        return sized(row.n_units, self.data.unit, row.n or 0, self.data.counted)

    def gain(self, row: Row) -> float | None:
        """Return the change, higher for better, as a screen sorts by it; None if there is none."""
        base, metric = self.base(row), self.metrics[row.metric]
        return gain_of(vars(row), None if base is None else base.value, metric.better, metric.target)

    def badness(self, row: Row) -> float:
        """Return the key that sorts rows, the worst first: the change, or the value without a baseline."""
        if self.data.baseline is None:
            return math.inf if row.value is None else self.worth_of(row.value)
        gain = self.gain(row)
        return math.inf if gain is None else gain


def digits(row: Row | None) -> int:
    """Return the number of decimals that the interval of a row supports."""
    return 3 if row is None else digits_of_row(vars(row))


def place_of(row: Row) -> str:
    """Return the slice of a row in words: ``country JP``."""
    return place_of_key(row.key)


def place_of_key(key: Key) -> str:
    """Return a slice in words."""
    return segment_words(dict(zip(*key, strict=True)))


def label_of(key: Key) -> str:
    """Return the values of a slice."""
    return ", ".join(key[1]) or "overall"
