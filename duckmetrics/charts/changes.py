"""Charts of a comparison: the relative change of all metrics, or of all slices, and the verdict of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.charts.curves import Picture
from duckmetrics.charts.forest import WORDS, Forest, Group, Line
from duckmetrics.charts.numbers import digits_of, number, percent
from duckmetrics.charts.rows import interval_parts
from duckmetrics.charts.scales import focus
from duckmetrics.charts.words import half_width, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.charts.scales import Domain

    Row = Mapping[str, Any]

HEADS = ("from → to", "change", "worse ← 0 → better", "verdict")
WORSE = "worse"


@dataclass(frozen=True)
class Change:
    """The difference of a system to the baseline.

    Attributes:
        label: the metric, slice or system that a chart names it by.
        row: the row of the comparison: value, delta and its bounds, relative_change, verdict, n.
        before: the value of the baseline.
        direction: 1 if higher is better, -1 if lower is, 0 if neither is or a value is aimed at.
        target: the value that is aimed at.
    """

    label: str
    row: Row
    before: float | None
    direction: int
    target: float | None = None

    @property
    def relative(self) -> tuple[float | None, float | None, float | None]:
        """The relative change and the ends of its interval, right is better; None if it has no direction."""
        if not self.direction or not self.before or self.row["delta"] is None:
            return (None, None, None)
        x, lower, upper = (self._of_baseline(name) for name in ("change", "lower", "upper"))
        if lower is None or upper is None:
            return (x, None, None)
        return (x, min(lower, upper), max(lower, upper))

    def _of_baseline(self, name: str) -> float | None:
        found = self.row[f"relative_{name}"]
        return None if found is None else self.direction * float(found)

    def line(self, domain: Domain, note: str, guide: float | None = None) -> Line:
        """Return the row of a forest plot.

        Args:
            domain: the axis of all rows.
            note: the text below the label.
            guide: the overall change.
        """
        x, lower, upper = self.relative
        digits = digits_of(half_width(self.row, "delta_lower", "delta_upper"))
        values = f"{number(self.before, digits)} → {number(self.row['value'], digits)}"
        verdict = self.row["verdict"]
        if x is None:
            words = self._words(digits)
            return Line(
                self.label, note, (values, number(self.row["delta"], digits, True)), None, verdict, words
            )
        plot = interval_parts(x, lower, upper, verdict, domain, guide)
        return Line(self.label, note, (values, percent(self.direction * x)), plot, verdict)

    def _words(self, digits: int) -> str:
        value = self.row["value"]
        if self.target is None or self.before is None or value is None:
            return "no direction is better" if not self.direction else "no interval"
        off = [number(abs(x - self.target), digits) for x in (self.before, value)]
        return f"aims at {self.target:g}: {off[0]} off, now {off[1]}"


def intervals(baseline: str, changes: Mapping[str, Sequence[Change]]) -> Picture:
    """Draw the change of every metric.

    Args:
        baseline: the system compared with.
        changes: by metric, one change for each other system.
    """
    every = [change for of_metric in changes.values() for change in of_metric]
    domain = _domain(every)
    systems = list(dict.fromkeys(str(change.row["system"]) for change in every))
    if len(systems) == 1:
        lines = [change.line(domain, _way(change)) for change in every]
        groups = [Group("", lines, domain)]
    else:
        groups = [
            Group(f"{metric} ({_way(own[0])})", [change.line(domain, "") for change in own])
            for metric, own in changes.items()
        ]
        groups[-1] = Group(groups[-1].heading, groups[-1].lines, domain)
    told = [f"{system}: {_verdicts([c for c in every if c.row['system'] == system])}" for system in systems]
    title = f"Against {baseline}, {'; '.join(told[:3])}" + ("; …" if len(told) > 3 else "")
    first = "metric" if len(systems) == 1 else "system"
    return Picture(title, _in_words(every), Forest(groups, (first, *HEADS)))


def slices(metric: str, system: str, changes: Mapping[str, Sequence[Change]], overall: Change) -> Picture:
    """Draw the change of a metric in every slice, the worst first, and the overall one as a dotted line.

    Args:
        changes: by slicing, one change for each slice.
        overall: the change of all rows or queries.
    """
    every = [change for of_slicing in changes.values() for change in of_slicing]
    domain = _domain([*every, overall])
    guide = overall.relative[0]
    groups = [Group("", [overall.line(domain, _size(overall))])]
    for slicing, own in changes.items():
        lines = [change.line(domain, _size(change), guide) for change in sorted(own, key=_order)]
        groups.append(Group(f"by {slicing}", lines))
    groups[-1] = Group(groups[-1].heading, groups[-1].lines, domain)
    worse = sorted((change for change in every if change.row["verdict"] == WORSE), key=_order)
    if worse:
        told = f"worse in {len(worse)} of {len(every)} slices, most in {worse[0].label}"
    else:
        least = min(every, key=_order)
        told = f"worse in none of {len(every)} slices; the lowest change is {_text(least)} in {least.label}"
    return Picture(
        f"{system} by {metric}: {told}", _in_words([overall, *every]), Forest(groups, ("slice", *HEADS))
    )


def _domain(changes: Sequence[Change]) -> Domain:
    """Return the axis: all intervals, except the ends of wild ones."""
    ends: list[float | None] = []
    for change in changes:
        x, lower, upper = change.relative
        ends += [x] if lower is None else [lower, upper]
    return focus(ends)


def _order(change: Change) -> float:
    """Return the key that puts the worst change first; with a target, the one that moved away most."""
    x, after = change.relative[0], change.row["value"]
    if x is not None:
        return x
    if change.target is None or change.before is None or after is None:
        return float("inf")
    return abs(change.before - change.target) - abs(float(after) - change.target)


def _text(change: Change) -> str:
    x = change.relative[0]
    return number(change.row["delta"], 4, True) if x is None else percent(x)


def _way(change: Change) -> str:
    if change.direction:
        return "higher is better" if change.direction > 0 else "lower is better"
    return "no direction is better" if change.target is None else f"best at {change.target:g}"


def _size(change: Change) -> str:
    return f"n = {change.row['n_units'] or change.row['n']:,}"


def _verdicts(changes: Sequence[Change]) -> str:
    """Return ``better on 5 metrics, worse on 1``."""
    counts = Counter(str(change.row["verdict"]) for change in changes)
    told = [f"{WORDS.get(name, name)} on {count}" for name, count in _sorted(counts)]
    return joined(told) + (" metrics" if sum(counts.values()) > 1 else " metric")


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    order = ("better", "worse", "different", "not distinguishable", "not tested")
    return [(name, counts[name]) for name in order if counts[name]]


def _in_words(changes: Sequence[Change]) -> str:
    told: list[str] = []
    for change in changes:
        x, lower, upper = change.relative
        within = "" if lower is None else f", interval {percent(lower)} to {percent(upper)}"
        verdict = WORDS.get(change.row["verdict"], change.row["verdict"])
        told.append(f"{change.label} {_text(change) if x is not None else ''}{within}: {verdict}")
    return "; ".join(told) + "."
