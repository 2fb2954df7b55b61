"""Charts of a comparison: the relative change of all metrics, or of all slices, and the verdict of each."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.pages.curves import Picture
from duckmetrics.pages.forest import SHORT, Forest, ForestColumn, ForestLine, Group, interval_parts
from duckmetrics.pages.marks import between, digits_of, focus, half_width, interval_name, number, percent
from duckmetrics.words.lists import FEW_NAMES, joined, p_text
from duckmetrics.words.verdict import (
    HIGHER,
    LOWER,
    NO_DIRECTION,
    TARGET,
    ComparedSystem,
    Pair,
    direction,
    fact_of,
    leading_sentence,
    sentence_of_pairs,
    toward_with_distances,
    verdict_of_pair,
)
from duckmetrics.words.verdicts import ADJUSTED_P_SHORT, p_heading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.pages.marks import Domain

    Row = Mapping[str, Any]

# The sign of a direction: 1 if higher is better, -1 if lower is; others, such as a target, have none.
DIRECTIONS = {HIGHER: 1, LOWER: -1}
WORSE, DIFFERENT = "worse", "different"


@dataclass(frozen=True)
class Change:
    """The difference of a system to the baseline.

    Attributes:
        label: the metric, slice or system that a chart names it by.
        row: the row of the comparison: value, delta and its bounds, relative_change, verdict, n.
        before: the value of the baseline.
        direction: 1 if higher is better, -1 if lower is, 0 if neither is or a value is aimed at.
        target: the value that is aimed at.
        note: the text below the label.
    """

    label: str
    row: Row
    before: float | None
    direction: int
    target: float | None = None
    note: str = ""

    @property
    def relative(self) -> tuple[float | None, float | None, float | None]:
        """The relative change and the ends of its interval, right is better; None if it has no direction."""
        x, lower, upper = (self._of_baseline(name) for name in ("change", "lower", "upper"))
        if x is None or lower is None or upper is None:
            return (x, None, None)
        return (x, min(lower, upper), max(lower, upper))

    @property
    def signed(self) -> tuple[float | None, float | None, float | None]:
        """The relative change and the ends of its interval as numbers, which have the sign of the value."""
        x, lower, upper = self.relative
        if self.direction > 0 or x is None:
            return x, lower, upper
        return -x, None if upper is None else -upper, None if lower is None else -lower

    def _of_baseline(self, name: str) -> float | None:
        """Return a relative number of the row, or the difference over the value of the baseline."""
        found = self.row[f"relative_{name}"]
        if found is None:
            delta = self.row["delta" if name == "change" else f"delta_{name}"]
            found = delta / abs(self.before) if delta is not None and self.before else None
        return self.direction * float(found) if self.direction and found is not None else None

    @property
    def better(self) -> str | None:
        """Which values are better: ``higher``, ``lower``, ``target``; None if none are."""
        known = next((better for better, sign in DIRECTIONS.items() if sign == self.direction), None)
        return TARGET if known is None and self.target is not None else known

    def line(self, domain: Domain, guide: float | None = None) -> ForestLine:
        """Return the row of a forest plot.

        Args:
            domain: the axis of all rows.
            guide: the overall change.
        """
        x, lower, upper = self.relative
        digits, row, verdict = digits_of_row(self.row), self.row, self.row["verdict"]
        values = f"{number(self.before, digits)} → {number(row['value'], digits)}"
        if x is None:
            within = between(row["delta_lower"], row["delta_upper"], lambda end: number(end, digits, True))
            cells = (values, number(row["delta"], digits, True), within, p_text(row.get("p_adjusted")))
            return ForestLine(self.label, self.note, cells, None, verdict, self._words(digits))
        plot = interval_parts(x, lower, upper, verdict, domain, guide)
        change, low, high = self.signed
        cells = (values, percent(change or 0.0), between(low, high, percent), p_text(row.get("p_adjusted")))
        return ForestLine(self.label, self.note, cells, plot, verdict)

    def _words(self, digits: int) -> str:
        """Return why a change has no place on the axis."""
        value = self.row["value"]
        if self.before is None or value is None:
            return self.row.get("reason") or "no value"
        if self.target is None:
            return "no relative change from 0" if self.direction else NO_DIRECTION
        return toward_with_distances(
            self.target, self.before, float(value), self.row["verdict"], lambda x: number(x, digits)
        )


class SlicedChanges(NamedTuple):
    """The changes of one metric and system in the slices of a grouping.

    Attributes:
        heading: the metric and the grouping in words.
        overall: the change of all rows or units.
    """

    heading: str
    overall: Change
    changes: Sequence[Change]


def digits_of_row(row: Row) -> int:
    """Return the number of decimals that the interval of a difference, or of the value, supports."""
    half = half_width(row, "delta_lower", "delta_upper")
    return digits_of(half_width(row) if half is None else half)


def forest(
    first: str,
    groups: Iterable[tuple[str, Sequence[Change]]],
    guide: float | Sequence[float | None] | None = None,
    level: float | None = None,
) -> Forest:
    """Put changes on one axis, of which right is better.

    Args:
        first: the name of the first column.
        groups: headings with their changes; an empty heading is not shown.
        guide: the overall change, drawn as a dotted line; or one for each group.
        level: the level of the intervals.
    """
    given = list(groups)
    guides = [guide] * len(given) if guide is None or isinstance(guide, int | float) else guide
    domain = _domain([change for _, own in given for change in own], guides)
    shown = [
        Group(heading, [change.line(domain, own_guide) for change in own])
        for (heading, own), own_guide in zip(given, guides, strict=True)
    ]
    # One axis below all groups is enough.
    shown[-1] = replace(shown[-1], domain=domain)
    every = (change.row for _, own in given for change in own)
    tested = [row for row in every if row.get("p_adjusted") is not None]
    columns = (
        ForestColumn("from → to"),
        ForestColumn("change", "n c"),
        ForestColumn(interval_name(level), "ci", False),
        ForestColumn(p_heading(tested, ADJUSTED_P_SHORT), SHORT, False),
    )
    return Forest(shown, first, columns, "worse ← 0 → better", "verdict")


def intervals(
    baseline: str,
    changes: Mapping[str, Sequence[Change]],
    level: float | None = None,
    subject: str = "system",
    by_slice: Sequence[SlicedChanges] = (),
    pairs: Iterable[Row] = (),
) -> Picture:
    """Draw the change of every metric, and below it those of slices; the best system is the first.

    Args:
        baseline: the system compared with.
        changes: by metric, one change for each other system.
        level: the level of the intervals.
        subject: the word for what is compared.
        by_slice: the changes in slices; their overall change is a dotted line.
        pairs: the comparisons of all pairs, if they were tested.
    """
    given = [change for of_metric in changes.values() for change in of_metric]
    changes = _best_first(changes)
    every = [change for of_metric in changes.values() for change in of_metric]
    systems = list(dict.fromkeys(str(change.row["system"]) for change in every))
    groups: list[tuple[str, Sequence[Change]]]
    if len(systems) == 1:
        groups = [("", [replace(change, note=_way(change)) for change in every])]
    else:
        groups = [(f"{metric} ({_way(own[0])})", own) for metric, own in changes.items()]
    if len(systems) > FEW_NAMES:
        title = _sentence(baseline, given, pairs)
    else:
        told = [f"{name}: {_verdicts([c for c in every if c.row['system'] == name])}" for name in systems]
        title = f"Against {baseline}, {'; '.join(told)}"
    first = "metric" if len(systems) == 1 else subject
    guides = [None] * len(groups) + [sliced.overall.relative[0] for sliced in by_slice]
    groups += [
        (sliced.heading, [_sized(change) for change in sorted(sliced.changes, key=_order)])
        for sliced in by_slice
    ]
    if by_slice:
        first, title = f"{first}, slice", title + _worse_somewhere(by_slice)
    every += [
        replace(change, label=f"{sliced.heading}, {change.label}")
        for sliced in by_slice for change in sliced.changes
    ]  # fmt: skip
    return Picture(title, _in_words(every), forest(first, groups, guides, level))


def pairs_of(metric: str, rows: Iterable[Row]) -> list[Pair]:
    """Return the verdicts on all pairs by one metric, over all rows or queries."""
    return [
        Pair(str(row["system"]), str(row["against"]), verdict_of_pair(row))
        for row in rows if row["metric"] == metric and not row["slice"]
    ]  # fmt: skip


def _sentence(baseline: str, changes: Sequence[Change], pairs: Iterable[Row]) -> str:
    """Return how the systems stand by the first metric, as a screen and a report say it.

    Args:
        pairs: the comparisons of all pairs; none if only those with the baseline were tested.
    """
    metric = str(changes[0].row["metric"])
    found = pairs_of(metric, pairs)
    if found:
        systems = dict.fromkeys(name for pair in found for name in (pair.against, pair.system))
        return sentence_of_pairs(metric, list(systems), found)
    facts = [fact_of(one.row, one.before, one.better, one.target) for one in changes]
    return leading_sentence(ComparedSystem(baseline, facts))


def _best_first(changes: Mapping[str, Sequence[Change]]) -> dict[str, list[Change]]:
    """Return the changes with the best system by the first metric first; one without a change is last."""
    first = next(iter(changes.values()))
    known = sorted((change for change in first if math.isfinite(_order(change))), key=_order, reverse=True)
    order = [change.row["system"] for change in known]
    order += [system for change in first if (system := change.row["system"]) not in order]
    return {metric: sorted(own, key=lambda change: order.index(change.row["system"]))
            for metric, own in changes.items()}  # fmt: skip


def _worse_somewhere(by_slice: Sequence[SlicedChanges]) -> str:
    """Return in how many slices a change is worse, with the worst of them."""
    own = [change for sliced in by_slice for change in sliced.changes]
    worse = sorted((change for change in own if change.row["verdict"] == WORSE), key=_order)
    several = len({change.row["metric"] for change in own}) > 1
    most = f", most in {worse[0].label}" if worse else ""
    by = f" by {worse[0].row['metric']}" if worse and several else ""
    of = " of the metrics" if several else ""
    return f"; worse in {len(worse) or 'none'} of {len(own)} slices{of}{most}{by}"


def slices(
    metric: str,
    system: str,
    changes: Mapping[str, Sequence[Change]],
    overall: Change,
    level: float | None = None,
) -> Picture:
    """Draw the change of a metric in every slice, the worst first, and the overall one as a dotted line.

    Args:
        changes: by slicing, one change for each slice.
        overall: the change of all rows or queries.
        level: the level of the intervals.
    """
    every = [change for of_slicing in changes.values() for change in of_slicing]
    groups: list[tuple[str, Sequence[Change]]] = [("", [_sized(overall)])]
    for slicing, own in changes.items():
        groups.append((f"by {slicing}", [_sized(change) for change in sorted(own, key=_order)]))
    worse = sorted((change for change in every if change.row["verdict"] == WORSE), key=_order)
    if overall.target is not None:
        told = _of_target(overall.target, every)
    elif worse:
        told = f"worse in {len(worse)} of {len(every)} slices, most in {worse[0].label}"
    else:
        least = min(every, key=_order)
        told = f"worse in none of {len(every)} slices; the least favorable is {_text(least)} in {least.label}"
    drawn = forest("slice", groups, overall.relative[0], level)
    return Picture(f"{system} by {metric}: {told}", _in_words([overall, *every]), drawn)


def _of_target(target: float, changes: Sequence[Change]) -> str:
    """Return in how many slices a value clearly moved away from its target, which may be called different."""
    away = sorted(
        (c for c in changes if c.row["verdict"] in (WORSE, DIFFERENT) and _order(c) < 0), key=_order
    )
    most = f", most in {away[0].label}" if away else ""
    return f"clearly farther from {number(target, 0)} in {len(away) or 'none'} of {len(changes)} slices{most}"


def _domain(changes: Sequence[Change], guides: Iterable[float | None]) -> Domain:
    """Return the axis: all intervals, except the ends of wild ones; a change without one may be far away."""
    found = [change.relative for change in changes]
    tested = [ends for ends in found if ends[1] is not None] or found
    return focus([*guides, *(end for ends in tested for end in ends)])


def _order(change: Change) -> float:
    """Return the key that puts the worst change first; with a target, the one that moved away most."""
    x, after = change.relative[0], change.row["value"]
    if x is not None:
        return x
    if change.target is None or change.before is None or after is None:
        return float("inf")
    return abs(change.before - change.target) - abs(float(after) - change.target)


def _text(change: Change) -> str:
    x = change.signed[0]
    return number(change.row["delta"], 4, True) if x is None else percent(x)


def _way(change: Change) -> str:
    return direction(change.better, change.target)


def _sized(change: Change) -> Change:
    return replace(change, note=f"n = {change.row['n_units'] or change.row['n']:,}")


def _verdicts(changes: Sequence[Change]) -> str:
    """Return ``better on 5 metrics, worse on 1``."""
    counts = Counter(str(change.row["verdict"]) for change in changes)
    told = [f"{name} on {count}" for name, count in _sorted(counts)]
    return joined(told) + (" metrics" if sum(counts.values()) > 1 else " metric")


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    order = (
        "better", "worse", "equivalent", "not worse", "different", "inconclusive", "unclear",
        "not tested",
    )  # fmt: skip
    return [(name, counts[name]) for name in order if counts[name]]


def _in_words(changes: Sequence[Change]) -> str:
    told: list[str] = []
    for change in changes:
        x, lower, upper = change.signed
        within = "" if lower is None else f", interval {percent(lower)} to {percent(upper)}"
        verdict = change.row["verdict"]
        told.append(f"{change.label} {_text(change) if x is not None else ''}{within}: {verdict}")
    return "; ".join(told) + "."
