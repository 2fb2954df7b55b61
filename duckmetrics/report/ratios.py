"""Calibration by slice: predicted over observed positives, around 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.figures import key
from duckmetrics.charts.numbers import number, plain
from duckmetrics.charts.rows import axis
from duckmetrics.charts.rows import values as drawn
from duckmetrics.charts.scales import span
from duckmetrics.report.rankings import lines_of
from duckmetrics.report.reading import OVERALL, label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.report.model import Key, Row
    from duckmetrics.report.reading import Reading

RATIO = "calibration_ratio"
# The chart is short; the matrix of all metrics has every slice.
MOST_ROWS = 20


class RatioLine(NamedTuple):
    """A slice: its name, the plot, and the values in words."""

    label: str
    plot: str
    value: str


class Ratios(NamedTuple):
    """The chart of calibration by slice."""

    title: str
    text: str
    key: str
    lines: list[RatioLine]
    axis: str


def ratios(reading: Reading) -> Ratios | None:
    """Return calibration by slice; None without slices or without the metric calibration_ratio."""
    if RATIO not in reading.metrics or not reading.slices:
        return None
    names = lines_of(reading)
    found: list[tuple[Key, list[Row]]] = []
    for place in (OVERALL, *reading.slices[:MOST_ROWS]):
        rows = [row for system, _ in names if (row := reading.row(system, RATIO, place)) is not None]
        if len(rows) == len(names) and all(row.value is not None for row in rows):
            found.append((place, rows))
    if len(found) < 2:
        return None
    domain = span(
        [1.0, *(end for _, rows in found for row in rows for end in (row.value, row.lower, row.upper))]
    )
    place, rows = max(found[1:], key=lambda one: _distance(one[1][-1]))
    marks = key([(name or "value", "ring" if kind == "s0" else "dot") for name, kind in names])
    lines = [_line(place, rows, [kind for _, kind in names], domain) for place, rows in found]
    return Ratios(
        f"Predicted over observed positives: {number(rows[-1].value, 2)} in {label_of(place)}",
        "calibration ratio with its interval; below 1: too low, above 1: too high", marks, lines,
        axis(domain, plain),
    )  # fmt: skip


def _line(place: Key, rows: Sequence[Row], kinds: Sequence[str], domain: tuple[float, float]) -> RatioLine:
    shapes = [(row.value, row.lower, row.upper, kind) for row, kind in zip(rows, kinds, strict=True)]
    values = " → ".join(number(row.value, 2) for row in rows)
    return RatioLine(label_of(place), drawn(shapes, domain, 1.0), values)


def _distance(row: Row) -> float:
    """Return how far a ratio is from 1; half and twice are equally far."""
    return abs(math.log(row.value)) if row.value is not None and row.value > 0 else math.inf
