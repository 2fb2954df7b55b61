"""Charts of rankings: a metric at each cut-off, and how the queries differ between two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.charts.curves import Picture, of_systems
from duckmetrics.charts.figures import Axis
from duckmetrics.charts.numbers import number, percent, plain, whole
from duckmetrics.charts.plots import Panel, Panels, Plot
from duckmetrics.charts.scales import known, span, ticks
from duckmetrics.charts.shapes import band, line, stretched
from duckmetrics.charts.words import MOST_LINES, decimals_of, each, interval_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.charts.curves import BySystem, Rows
    from duckmetrics.charts.scales import Domain

# Cut-offs that all have a label.
FEW = 8


def at_k(metric: str, by_system: BySystem, level: float | None = None) -> Picture:
    """Draw the values of a metric at each cut-off with their intervals.

    Args:
        metric: its name without a cut-off.
        by_system: rows with k, value, lower and upper, in the order of k.
        level: the level of the intervals.
    """
    every = [row for rows in by_system.values() for row in rows]
    cutoffs = sorted({row["k"] for row in every})
    low, high = (cutoffs[0], cutoffs[-1]) if cutoffs else (1, 1)
    xd = (float(low), float(high)) if high > low else (low - 0.5, low + 0.5)
    yd = span([row[name] for row in every for name in ("value", "lower", "upper")])
    labels = cutoffs if len(cutoffs) <= FEW else [low, *(t for t in ticks(low, high) if t > low)]
    x, y = Axis(xd, "k, the number of first places", plain, labels), Axis(yd, "value", decimals_of(yd))
    if known(row["lower"] for row in every):
        within = "its interval" if level is None else interval_name(level)
        y = Axis(yd, f"value with {within}", decimals_of(yd))

    def draw(rows: Rows, kind: str) -> str:
        there = [row for row in rows if row["value"] is not None]
        bounds = [(row["k"], row["lower"], row["upper"]) for row in there if row["lower"] is not None]
        return band(bounds, kind, xd, yd) + line([(row["k"], row["value"]) for row in there], kind, xd, yd)

    title = _cutoffs_title(metric, by_system, cutoffs)
    return Picture(
        title, _cutoffs_in_words(by_system), of_systems(by_system, draw, x, y, "", _cutoffs_in_words)
    )


def _cutoffs_title(metric: str, by_system: BySystem, cutoffs: Sequence[int]) -> str:
    """Return which of two systems is above the other, else the values at the ends."""
    ends = (cutoffs[0], cutoffs[-1]) if cutoffs else (1, 1)
    if len(by_system) == MOST_LINES and ends[0] < ends[1]:
        (before, old), (after, new) = by_system.items()
        pairs = [(_value_at(old, k), _value_at(new, k)) for k in cutoffs]
        gaps = [b - a for a, b in pairs if a is not None and b is not None]
        above, below = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
        if above or below:
            side, often = ("above", above) if above >= below else ("below", below)
            seen = f"{metric} of {after} is {side} {before} at"
            if often < len(gaps):
                return f"{seen} {often} of {len(gaps)} cut-offs from {ends[0]} to {ends[1]}"
            sizes = sorted(map(abs, gaps))
            by = " to ".join(dict.fromkeys(map(number, (sizes[0], sizes[-1]))))
            return f"{seen} every cut-off from {ends[0]} to {ends[1]}, by {by}"
    first, last = ({system: _value_at(rows, k) for system, rows in by_system.items()} for k in ends)
    title = f"{metric} at {ends[0]}: {each(first, number)}"
    return title + (f"; at {ends[1]}: {each(last, number)}" if ends[0] < ends[1] else "")


def _value_at(rows: Rows, k: int) -> float | None:
    return next((row["value"] for row in rows if row["k"] == k), None)


def _cutoffs_in_words(by_system: BySystem) -> str:
    told = []
    for system, rows in by_system.items():
        values = "; ".join(f"{number(row['value'])} at {row['k']}" for row in rows)
        told.append(f"{'' if system is None else f'{system}: '}{values}.")
    return " ".join(told)


def differences(
    metric: str,
    baseline: str,
    quantiles: Mapping[str, Sequence[float]],
    counts: Mapping[str, tuple[int, int, int]],
    lower_is_better: bool = False,
    unit: str = "queries",
) -> Picture:
    """Draw the sorted differences of the queries to a baseline, losses at the left.

    Args:
        quantiles: by system, the differences at equal shares of the queries, ascending.
        counts: by system, the number of queries that gain, are equal, and lose.
        lower_is_better: whether a negative difference is a gain.
        unit: the name of the queries in the plural, such as users.
    """
    top = max((abs(value) for values in quantiles.values() for value in known(values)), default=0.0) or 1.0
    yd = (-1.05 * top, 1.05 * top)
    x = Axis((0.0, 1.0), f"{unit}, from the largest loss to the largest gain", whole, (0, 0.25, 0.5, 0.75, 1))
    way = "; lower is better" if lower_is_better else ""
    y = Axis(yd, f"difference in {metric} to {baseline}{way}", decimals_of(yd, True))
    plots = {}
    for system, values in quantiles.items():
        wins, _, losses = counts[system]
        ordered = known(values)[::-1] if lower_is_better else known(values)
        key = ((f"lose ({losses:,})", "down"), (f"gain ({wins:,})", "up"))
        plots[system] = Plot(stretched(_areas(ordered, yd, lower_is_better)), x, y, key)
    said = " ".join(
        f"{system}: {wins:,} {unit} gain, {ties:,} are equal, {losses:,} lose."
        for system, (wins, ties, losses) in counts.items()
    )
    if len(plots) == 1:
        ((system, plot),) = plots.items()
        return Picture(f"{system}: {_shares(counts[system], unit)}", said, plot)
    panels = [
        Panel(f"{system}: {_shares(counts[system], unit)}", said, plot) for system, plot in plots.items()
    ]
    key = (("lose", "down"), ("gain", "up"))
    title = f"Differences in {metric} of {len(plots)} systems to {baseline}"
    return Picture(title, said, Panels(panels, key))


def _shares(counts: tuple[int, int, int], unit: str) -> str:
    wins, _, losses = counts
    total = sum(counts) or 1
    return f"{percent(wins / total, False)} of the {unit} gain, {percent(losses / total, False)} lose"


def _areas(values: Sequence[float], yd: Domain, lower_is_better: bool) -> str:
    """Draw the areas of losses and gains between the line of 0 and the sorted differences."""
    last = max(len(values) - 1, 1)
    points = [(i / last, value) for i, value in enumerate(values)]
    if len(points) == 1:
        points.append((1.0, points[0][1]))
    shapes = ""
    for kind, sign in (("worse", -1.0), ("better", 1.0)):
        way = -sign if lower_is_better else sign
        inside = [way * value > 0 for _, value in points]
        near = [
            (x, min(value, 0.0) if way < 0 else 0.0, 0.0 if way < 0 else max(value, 0.0))
            for i, (x, value) in enumerate(points)
            if any(inside[max(0, i - 1) : i + 2])
        ]
        shapes += band(near, kind, (0.0, 1.0), yd)
    return shapes + line([(0.0, 0.0), (1.0, 0.0)], "ref", (0.0, 1.0), yd)
