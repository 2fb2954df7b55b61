"""Tables of values with their intervals, where there is no baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.numbers import number, plain
from duckmetrics.charts.rows import axis
from duckmetrics.charts.rows import values as drawn
from duckmetrics.charts.scales import span as room
from duckmetrics.report.reading import digits
from duckmetrics.report.words import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.scales import Domain
    from duckmetrics.report.forest import Entry
    from duckmetrics.report.model import Metric, Row
    from duckmetrics.report.reading import Reading

UNIT: Domain = (0.0, 1.0)


class ValueLine(NamedTuple):
    """A row as it is shown."""

    label: str
    note: str
    value: str
    within: str
    n: str
    plot: str


class ValueGroup(NamedTuple):
    """Rows under a heading; an empty heading is not shown."""

    title: str
    lines: list[ValueLine]


class Values(NamedTuple):
    """A table of values; `axis` is empty if no row has a plot."""

    first: str
    groups: list[ValueGroup]
    axis: str
    level: str
    unit: str


def metric_values(reading: Reading, entries: Sequence[Entry]) -> Values:
    """Return a row for each metric; those between 0 and 1 share one axis."""
    lines = [
        _line(entry, UNIT if _is_share(reading.metrics[entry.row.metric]) else None) for entry in entries
    ]
    shown = axis(UNIT, plain) if any(line.plot for line in lines) else ""
    return _table(reading, "metric", [ValueGroup("", lines)], shown)


def values_of(
    reading: Reading, first: str, groups: Sequence[tuple[str, Sequence[Entry]]], guide: float | None = None
) -> Values:
    """Return rows of one metric on one axis.

    Args:
        guide: the overall value, drawn as a line.
    """
    rows = [entry.row for _, entries in groups for entry in entries]
    ends = [end for row in rows for end in (row.lower, row.upper, row.value)]
    domain = room([*ends, guide])
    shown = [ValueGroup(title, [_line(one, domain, guide) for one in entries]) for title, entries in groups]
    return _table(reading, first, shown, axis(domain, plain))


def _table(reading: Reading, first: str, groups: list[ValueGroup], drawn_axis: str) -> Values:
    level = "interval" if reading.data.level is None else f"{100 * reading.data.level:g}% interval"
    return Values(first, groups, drawn_axis, level, reading.data.unit)


def _is_share(metric: Metric) -> bool:
    return (metric.low, metric.high) == UNIT


def _line(entry: Entry, domain: Domain | None, guide: float | None = None) -> ValueLine:
    row: Row = entry.row
    places = digits(row)
    plot = "" if domain is None else drawn([(row.value, row.lower, row.upper, "s1")], domain, guide)
    within = span(row.lower, row.upper, places)
    return ValueLine(
        entry.label, entry.note, number(row.value, places), within, f"{row.units:,}", plot
    )  # fmt: skip
