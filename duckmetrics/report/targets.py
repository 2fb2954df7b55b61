"""A metric that aims at a number, such as calibration at 1: its values in every slice."""

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
from duckmetrics.report.words import inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.scales import Domain
    from duckmetrics.report.model import Key, Row
    from duckmetrics.report.reading import Reading

# The chart is short; the matrix of all metrics has every slice.
MOST_ROWS = 20


class TargetLine(NamedTuple):
    """A slice: its name, the plot, and the values in words."""

    label: str
    plot: str
    value: str


class Targets(NamedTuple):
    """The chart of a metric that aims at a number."""

    metric: str
    title: str
    text: str
    key: str
    lines: list[TargetLine]
    axis: str


def targets(reading: Reading) -> Targets | None:
    """Return the chart of the first metric that aims at a number; None without one, or without slices."""
    metric = next((one for one in reading.data.metrics if one.target is not None), None)
    if metric is None or metric.target is None:
        return None
    found = _rows(reading, metric.name)
    if len(found) < 2:
        return None
    target, kinds = metric.target, [kind for _, kind in lines_of(reading)]
    ends = [end for _, rows in found for row in rows for end in (row.value, row.lower, row.upper)]
    domain = span([target, *ends])
    place, rows = max(found[1:], key=lambda one: _distance(one[1][-1], target))
    title = f"{metric.name} aims at {target:g}: {number(rows[-1].value, 2)} in {label_of(place)}"
    text = f"{inside(metric.title)}, with its interval; the line is {target:g}"
    marks = [(name, "ring" if kind == "s0" else "dot") for name, kind in lines_of(reading)]
    names = key(marks) if len(marks) > 1 else ""
    lines = [_line(place, rows, kinds, domain, target) for place, rows in found]
    return Targets(metric.name, title, text, names, lines, axis(domain, plain))


def _rows(reading: Reading, metric: str) -> list[tuple[Key, list[Row]]]:
    """Return the rows of the systems overall and in the slices, where all have a value."""
    names = lines_of(reading)
    found: list[tuple[Key, list[Row]]] = []
    for place in (OVERALL, *reading.slices[:MOST_ROWS]):
        rows = [row for system, _ in names if (row := reading.row(system, metric, place)) is not None]
        if len(rows) == len(names) and all(row.value is not None for row in rows):
            found.append((place, rows))
    return found


def _line(place: Key, rows: Sequence[Row], kinds: Sequence[str], domain: Domain, target: float) -> TargetLine:
    shapes = [(row.value, row.lower, row.upper, kind) for row, kind in zip(rows, kinds, strict=True)]
    values = " → ".join(number(row.value, 2) for row in rows)
    return TargetLine(label_of(place), drawn(shapes, domain, target), values)


def _distance(row: Row, target: float) -> float:
    """Return how far a value is from the target; of ratios, half and twice are equally far."""
    value = math.inf if row.value is None else row.value
    return abs(math.log(value / target)) if value > 0 and target > 0 else abs(value - target)
