"""Tables of changes: a row for each metric, slice or system, with its numbers and a mark on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.marks import KINDS, SIGNS
from duckmetrics.charts.numbers import number, percent
from duckmetrics.charts.rows import axis, interval
from duckmetrics.charts.scales import clipped, focus, known
from duckmetrics.report.reading import digits
from duckmetrics.report.words import percents, span, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.scales import Domain
    from duckmetrics.report.model import Row
    from duckmetrics.report.reading import Reading


class Entry(NamedTuple):
    """A row to show: its name, a note below the name, and its numbers."""

    label: str
    note: str
    row: Row


class Line(NamedTuple):
    """A row as it is shown; `words` stand in the place of the plot where no direction is better."""

    label: str
    note: str
    values: str
    change: str
    within: str
    plot: str
    words: str
    sign: str
    word: str
    kind: str


class Group(NamedTuple):
    """Rows under a heading; an empty heading is not shown."""

    title: str
    lines: list[Line]


class Forest(NamedTuple):
    """A table of changes.

    Attributes:
        first: the name of the first column.
        axis: the labels of the axis; empty if no row has a plot.
    """

    first: str
    groups: list[Group]
    axis: str
    level: str


def forest(
    reading: Reading, first: str, groups: Sequence[tuple[str, Sequence[Entry]]], guide: float | None = None
) -> Forest:
    """Put rows on one axis of relative change, of which right is better.

    Args:
        groups: headings with their rows.
        guide: the overall change, drawn as a dotted line.
    """
    rows = [entry.row for _, entries in groups for entry in entries]
    tested = [row for row in rows if reading.ends(row)] or rows  # others may be far away
    ends = [end for row in tested for end in (*(reading.ends(row) or ()), reading.change(row))]
    domain = focus(ends)
    shown = [
        Group(title, [_line(reading, one, domain, guide) for one in entries]) for title, entries in groups
    ]
    level = "interval" if reading.data.level is None else f"{100 * reading.data.level:g}% interval"
    return Forest(first, shown, axis(domain) if known(ends) else "", level)


def _line(reading: Reading, entry: Entry, domain: Domain, guide: float | None) -> Line:
    row, base = entry.row, reading.base(entry.row)
    change, ends, places = reading.change(row), reading.ends(row), digits(row)
    plot, words = "", ""
    if change is not None:
        # Without an interval, a mark beyond the axis gets its arrow from one of no length.
        low, high = ends or ((None, None) if clipped(change, domain) == change else (change, change))
        plot = interval(change, low, high, row.verdict, domain, guide)
        shown, within = percent(reading.shown_change(row)), percents(reading.shown_ends(row))
    else:
        words = _words(reading, row, places)
        shown = number(row.delta, places, sign=True)
        within = span(row.delta_lower, row.delta_upper, places, sign=True)
    before = number(None if base is None else base.value, places)
    return Line(
        entry.label, entry.note, f"{before} → {number(row.value, places)}", shown, within, plot, words,
        SIGNS[row.verdict], word(row.verdict), KINDS.get(row.verdict, "none"),
    )  # fmt: skip


def _words(reading: Reading, row: Row, places: int) -> str:
    """Return why a change has no place on the axis."""
    metric, base = reading.metrics[row.metric], reading.base(row)
    if row.value is None or base is None or base.value is None:
        return row.reason or "no value"
    if metric.target is not None:
        off = [number(abs(value - metric.target), places) for value in (base.value, row.value)]
        return f"aims at {metric.target:g}: off by {off[0]} before, by {off[1]} now"
    return "no relative change from 0" if metric.better else "no direction is better"
