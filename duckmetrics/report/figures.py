"""The charts of a report: which numbers each of them shows, for the baseline and the best system."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duckmetrics.charts import queries, values
from duckmetrics.charts.tables import DRAWINGS, has_numbers
from duckmetrics.report.model import CLASSIFICATION
from duckmetrics.report.reading import OVERALL, label_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from duckmetrics.charts.curves import Picture
    from duckmetrics.report.model import AtCutoff, Key
    from duckmetrics.report.reading import Reading

# The chart of a metric that aims at a number is short; the matrix of all metrics has every slice.
MOST_SLICES = 20


def figures(reading: Reading) -> list[Picture]:
    """Return the charts that the data have numbers for."""
    if reading.data.kind == CLASSIFICATION:
        drawn = [*_of_tables(reading), _target(reading)]
    else:
        drawn = [_at_cutoffs(reading), _differences(reading)]
    return [picture for picture in drawn if picture is not None]


def _of_tables(reading: Reading) -> list[Picture]:
    """Return the charts of the tables of a classifier."""
    found = []
    for curve in reading.data.pictures.curves:
        own = {
            system or None: [row for row in curve.rows if row["system"] == system] for system in reading.drawn
        }
        if has_numbers(curve.drawing, own.values()):
            found.append(DRAWINGS[curve.drawing].draw(own))
    return found


def _at_cutoffs(reading: Reading) -> Picture | None:
    pictures = reading.data.pictures
    shown = [one for one in pictures.at_k if one.value is not None and one.system in reading.drawn]
    known = _until_constant(shown, reading.primary.k or 1)
    if len({one.k for one in known}) < 2:
        return None
    own = {system or None: [vars(one) for one in known if one.system == system] for system in reading.drawn}
    return queries.at_k(pictures.at_k_name, own, reading.data.level)


def _until_constant(points: Sequence[AtCutoff], asked: int) -> list[AtCutoff]:
    """Leave out the deepest cut-offs if they change nothing, as where no list is that long.

    Args:
        asked: the cut-off of the metric, which is always shown.
    """
    last = {one.system: one for one in sorted(points, key=lambda one: one.k)}
    changing = [one.k for one in points if not _is_same(one, last[one.system])]
    ends = sorted({one.k for one in points if one.k > max([asked - 1, *changing])})
    return [one for one in points if not ends or one.k <= ends[0]]


def _is_same(one: AtCutoff, other: AtCutoff) -> bool:
    """Return whether two points have the same value and interval, up to rounding."""
    pairs = ((one.value, other.value), (one.lower, other.lower), (one.upper, other.upper))
    return all(a == b or (a is not None and b is not None and math.isclose(a, b)) for a, b in pairs)


def _differences(reading: Reading) -> Picture | None:
    row, steps, baseline = reading.top, reading.data.pictures.differences, reading.data.baseline
    if baseline is None or len(steps) < 2 or row is None or row.wins is None or row.losses is None:
        return None
    counts = {row.system: (row.wins, row.ties or 0, row.losses)}
    is_lower = reading.sign(row.metric) < 0
    return queries.differences(
        row.metric, baseline, {row.system: steps}, counts, is_lower, reading.data.unit
    )  # fmt: skip


def _target(reading: Reading) -> Picture | None:
    """Return the values of the first metric that aims at a number, in slices where all systems have one."""
    metric = next((one for one in reading.data.metrics if one.target is not None), None)
    if metric is None:
        return None
    found: list[Mapping[str, Any]] = []
    for place in (OVERALL, *reading.slices[:MOST_SLICES]):
        found += _values(reading, metric.name, place)
    if not any(row["slice"] for row in found):
        return None
    return values.slices(
        metric.name, found, lambda row: label_of((row["by"], row["segment"])), metric.target,
        reading.data.level,
    )  # fmt: skip


def _values(reading: Reading, metric: str, place: Key) -> list[Mapping[str, Any]]:
    """Return a row of each system; none if a system has no value."""
    rows = [reading.row(system, metric, place) for system in reading.drawn]
    known = [row for row in rows if row is not None and row.value is not None]
    if len(known) < len(rows):
        return []
    return [{**vars(row), "system": row.system or None, "slice": ", ".join(row.by)} for row in known]
