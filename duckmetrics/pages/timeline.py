"""The chart of a metric over time: its series, their intervals, and the ranges that they usually stay in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

from duckmetrics.pages.chart import NORMAL, ChartAxis, Panel, Panels, Plot, columns_of, shortened
from duckmetrics.pages.curves import Picture
from duckmetrics.pages.marks import (
    MOST_LINES,
    Domain,
    band,
    decimals_of,
    each,
    height,
    interval_name,
    known,
    line,
    mark,
    number,
    path,
    place,
    share,
    span,
    stretched,
    text_of,
    ticks,
)
from duckmetrics.words.lists import verb
from duckmetrics.words.times import label_of_day, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from duckmetrics.pages.chart import Drawing
    from duckmetrics.pages.curves import BySystem, Rows

    Row = Mapping[str, Any]


# Where a value lies that left its usual range.
BELOW, ABOVE = "below", "above"
# The colors of one or two series, which are equals: none is a baseline.
COLORS = ("s1", "s2")
# The words of the key, with their swatches.
USUAL = ("usual range", "usual")
OUTSIDE = ("outside the usual range", "out")
CHANGED = ("another release or tag", "ref")
# The width in pixels of the labels of an axis on a narrow screen, in one chart and in small charts.
WIDTH, SMALL_WIDTH = 330, 150
# The least distance between two labels of an axis in pixels, and between two names in per cent.
GAP, LEAST_STEP = 10, 6.0
# The most characters of a name at the end of a line.
MOST_CHARACTERS = 14
# An axis of fewer days than these has labels at hours or minutes, at multiples of these minutes.
MOST_DAYS = 2
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)
A_DAY = 1440


def over_time(
    metric: str, by_series: BySystem, level: float | None = None, marks: Sequence[tuple[float, str]] = ()
) -> Picture:
    """Draw the values of a metric over time, with their intervals and usual ranges.

    One or two series are lines of one chart; of more, each has a small chart.

    Args:
        by_series: rows with day (a number, see `words.times.days`), value, lower and upper, in time order;
            and usual, usual_lower and usual_upper, if there are enough earlier runs.
        level: the level of the intervals.
        marks: days at which something changed, such as the release, and what it was.
    """
    drawing = _Timeline(metric, by_series, level, marks).drawing()
    return Picture(_title(metric, by_series), _in_words(by_series), drawing)


def is_outside(row: Row) -> bool:
    """Return whether a value left its usual range."""
    return row.get("usual") in (BELOW, ABOVE)


def distance(row: Row) -> float:
    """Return how far a value is from its usual range, in lengths of the range."""
    low, high = row["usual_lower"], row["usual_upper"]
    away = float(max(low - row["value"], row["value"] - high))
    return away / (high - low) if high > low else float("inf")


@dataclass(frozen=True)
class _Timeline:
    """The series of a chart over time; the attributes are the arguments of `over_time`."""

    metric: str
    by_series: BySystem
    level: float | None
    marks: Sequence[tuple[float, str]]

    def drawing(self) -> Drawing:
        """Draw the series as equals in one chart, or in small charts."""
        if len(self.by_series) > MOST_LINES:
            x, y = self._x(SMALL_WIDTH), self._y
            panels = [
                Panel(str(name), _in_words({name: rows}), Plot(self._body([rows]), x, y))
                for name, rows in self.by_series.items()
            ]
            return Panels(panels, self._key)
        names = [shortened(str(name), MOST_CHARACTERS) for name in self.by_series if name is not None]
        # A name that was shortened stands in the key, too.
        whole = zip(map(str, self.by_series), COLORS, strict=False) if self._several else ()
        key = (*(one for one in whole if one[0] not in names), *self._key)
        right = ceil(max(map(columns_of, names)) * NORMAL) if self._several else 0
        body = self._body([*self.by_series.values()]) + (self._names() if self._several else "")
        return Plot(body, self._x(WIDTH - right), self._y, key, right=right)

    @property
    def _several(self) -> bool:
        return len(self.by_series) > 1

    @property
    def _every(self) -> list[Row]:
        return [row for rows in self.by_series.values() for row in rows]

    @property
    def _has_ranges(self) -> bool:
        """Whether usual ranges are drawn: in a chart of two series, they would hide each other."""
        is_known = any(row.get("usual_lower") is not None for row in self._every)
        return is_known and len(self.by_series) != MOST_LINES

    @property
    def _key(self) -> tuple[tuple[str, str], ...]:
        there = (
            (USUAL, self._has_ranges), (OUTSIDE, any(map(is_outside, self._every))),
            (CHANGED, bool(self.marks)),
        )  # fmt: skip
        return tuple(entry for entry, is_drawn in there if is_drawn)

    @property
    def _xd(self) -> Domain:
        at = [row["day"] for row in self._every]
        low, high = (min(at), max(at)) if at else (0.0, 1.0)
        return (low, high) if high > low else (low - 0.5, low + 0.5)

    @property
    def _yd(self) -> Domain:
        ends = ["value", "lower", "upper"] + (["usual_lower", "usual_upper"] if self._has_ranges else [])
        return span([row.get(name) for row in self._every for name in ends])

    def _x(self, width: float) -> ChartAxis:
        """Return the axis of time, whose labels fit into a width."""
        xd, days = self._xd, {row["day"] for row in self._every}
        text = partial(label_of_day, span=spread(days))
        labels = list(days) if len(days) == 1 else _readable(_round_times(*xd), text, xd, width)
        return ChartAxis(xd, "time", text, labels)

    @property
    def _y(self) -> ChartAxis:
        has_intervals = known(row["lower"] for row in self._every)
        within = f" with {interval_name(self.level)}" if has_intervals else ""
        return ChartAxis(self._yd, f"{self.metric}{within}", decimals_of(self._yd))

    def _body(self, series: Sequence[Rows]) -> str:
        """Draw the lines of some series, the runs at which something changed, and unusual values."""
        xd, yd = self._xd, self._yd
        guide = "".join(
            f'<path class="line ref" d="{path([(day, yd[0]), (day, yd[1])], xd, yd)}">'
            f"<title>{text_of(what)}</title></path>"
            for day, what in self.marks
        )
        lines = "".join(self._line(rows, kind) for rows, kind in zip(series, COLORS, strict=False))
        rings = "".join(
            mark("ring", place(row["day"], xd), height(row["value"], yd))
            for rows in series for row in rows if is_outside(row)
        )  # fmt: skip
        return stretched(guide + lines) + (f'<g class="diff">{rings}</g>' if rings else "")

    def _line(self, rows: Rows, kind: str) -> str:
        xd, yd = self._xd, self._yd
        there = [row for row in rows if row["value"] is not None]
        bounds = [(row["day"], row["lower"], row["upper"]) for row in there if row["lower"] is not None]
        ranges = _usual_ranges(rows, xd, yd) if self._has_ranges else ""
        points = [(row["day"], row["value"]) for row in there]
        return ranges + band(bounds, kind, xd, yd) + line(points, kind, xd, yd)

    def _names(self) -> str:
        """Write the names of two series at the ends of their lines, one above the other."""
        ends = [(name, kind, _ends(rows)[-1:]) for (name, rows), kind in
                zip(self.by_series.items(), COLORS, strict=False)]  # fmt: skip
        found = [(100 - 100 * share(row["value"], self._yd), row["day"], name, kind)
                 for name, kind, last in ends for row in last]  # fmt: skip
        found.sort(key=lambda one: one[0])
        step = max(0.0, LEAST_STEP - (found[-1][0] - found[0][0])) / 2 if len(found) > 1 else 0.0
        return "".join(
            f'<text class="end {kind}" x="{place(day, self._xd)}" y="{y + (step if i else -step):.4g}%" '
            f'dx="8" dy=".32em">{text_of(shortened(str(name), MOST_CHARACTERS))}</text>'
            for i, (y, day, name, kind) in enumerate(found)
        )


def _usual_ranges(rows: Rows, xd: Domain, yd: Domain) -> str:
    """Draw the usual range of each run as a step that begins at the run before."""
    steps = [
        (day, row["usual_lower"], row["usual_upper"])
        for before, row in pairwise(rows) if row.get("usual_lower") is not None
        for day in (before["day"], row["day"])
    ]  # fmt: skip
    return band(steps, USUAL[1], xd, yd)


def _round_times(low: float, high: float) -> list[float]:
    """Return round days, or hours and minutes of fewer days; the first time if no minute begins."""
    if high - low >= MOST_DAYS:
        return [day for day in ticks(low, high) if day == int(day)]
    minutes = (high - low) * A_DAY
    step = next(step for step in STEPS if step * 5 >= minutes or step == STEPS[-1])
    first, last = ceil(low * A_DAY / step - 1e-6), int(high * A_DAY / step + 1e-6)
    return [i * step / A_DAY for i in range(first, last + 1)] or [low]


def _readable(labels: Iterable[float], text: Callable[[float], str], xd: Domain, width: float) -> list[float]:
    """Leave out each label that has the text of the one before, or that would overlap it."""
    kept: list[float] = []
    for at in labels:
        if kept:
            room = (columns_of(text(kept[-1])) + columns_of(text(at))) / 2 * NORMAL + GAP
            is_near = width * (share(at, xd) - share(kept[-1], xd)) < room
            if is_near or text(at) == text(kept[-1]):
                continue
        kept.append(at)
    return kept


def _ends(rows: Rows) -> Rows:
    """Return the first and the last row with a value; one row if they are the same."""
    there = [row for row in rows if known([row["value"]])]
    return there if len(there) < 2 else [there[0], there[-1]]


def _title(metric: str, by_series: BySystem) -> str:
    """Return how one or two series went, or of more the one that is most unusual or changed most."""
    days = spread(row["day"] for rows in by_series.values() for row in rows)
    if len(by_series) > MOST_LINES:
        return _title_of_many(metric, by_series, days)
    told: list[str] = []
    before: list[float] = []
    for name, rows in by_series.items():
        at = [row["day"] for row in _ends(rows)]
        of = "" if name is None else f"of {name} "
        told.append(f"{of}{_course(rows, days, has_days=not told or at != before)}")
        before = at
    return f"{metric} {'; '.join(told)}" if told else metric


def _title_of_many(metric: str, by_series: BySystem, days: float) -> str:
    total = len(by_series)
    outside = {name: rows for name, rows in by_series.items() if rows and is_outside(rows[-1])}
    if outside:
        name = max(outside, key=lambda series: distance(outside[series][-1]))
        others = len(outside) - 1
        more = f"{others} of {total - 1} other series {verb(others, 'is', 'are')} outside theirs"
        only = f"the only one of {total} series"
        return f"{metric} of {name} {_course(outside[name], days)}; {more if others else only}"
    changes = {name: abs(ends[1]["value"] - ends[0]["value"])
               for name, rows in by_series.items() if len(ends := _ends(rows)) > 1}  # fmt: skip
    if changes:
        name = max(changes, key=lambda series: changes[series])
        return f"{metric} of {name} {_course(by_series[name], days)}, the largest change of {total} series"
    values = {name: rows[-1]["value"] if rows else None for name, rows in by_series.items()}
    return f"{metric}: {each(values, number)}"


def _course(rows: Rows, days: float, has_days: bool = True) -> str:
    """Return the first and the last value of a series, and its usual range if it left that.

    Args:
        days: the length of the axis.
        has_days: whether to name the days.
    """
    ends = _ends(rows)
    if not ends:
        return "has no value"
    told = [number(row["value"]) for row in ends]
    if has_days:
        at = [f" on {label_of_day(row['day'], days)}" for row in ends]
        # Two runs within a minute have one time.
        told = [f"{value}{day if day not in at[i + 1 :] else ''}" for i, (value, day) in
                enumerate(zip(told, at, strict=True))]  # fmt: skip
    text = " to ".join(told)
    text = f"{'went ' if has_days else ''}from {text}" if len(ends) > 1 else f"is {text}"
    if not is_outside(rows[-1]):
        return text
    usual = [number(rows[-1][f"usual_{end}"]) for end in ("lower", "upper")]
    return f"{text}, outside its usual range of {' to '.join(usual)}"


def _in_words(by_series: BySystem) -> str:
    told = []
    for series, rows in by_series.items():
        width = spread(row["day"] for row in rows)
        values = "; ".join(
            f"{number(row['value'])} on {label_of_day(row['day'], width)}"
            f"{f' ({OUTSIDE[0]})' if is_outside(row) else ''}"
            for row in rows
        )
        told.append(f"{'' if series is None else f'{series}: '}{values}.")
    return " ".join(told)
