"""Curves: of a classifier, of its scores, of a metric over cut-offs, of the differences of queries."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from duckmetrics.pages.chart import ChartAxis, Panel, Panels, Plot
from duckmetrics.pages.marks import (
    MOST_LINES,
    Domain,
    band,
    bars,
    bracket,
    clipped,
    decimals_of,
    each,
    extremes,
    interval_name,
    key_of,
    kinds_of,
    known,
    line,
    number,
    path,
    percent,
    plain,
    span,
    stretched,
    text_of,
    ticks,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.pages.chart import Drawing

    Rows = Sequence[Mapping[str, Any]]
    BySystem = Mapping[str | None, Rows]
    Draw = Callable[[Rows, str], str]

    class Developing(Protocol):
        """A trend: the metrics, and the chart of each over time."""

        @property
        def metrics(self) -> list[str]: ...
        def picture(self, metric: str) -> Picture: ...


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
    x, y = (
        ChartAxis(xd, "k, the number of first places", plain, labels),
        ChartAxis(yd, "value", decimals_of(yd)),
    )
    if known(row["lower"] for row in every):
        within = "its interval" if level is None else interval_name(level)
        y = ChartAxis(yd, f"value with {within}", decimals_of(yd))

    def draw(rows: Rows, kind: str) -> str:
        there = [row for row in rows if row["value"] is not None]
        bounds = [(row["k"], row["lower"], row["upper"]) for row in there if row["lower"] is not None]
        return band(bounds, kind, xd, yd) + line([(row["k"], row["value"]) for row in there], kind, xd, yd)

    title = _cutoffs_title(metric, by_system, cutoffs)
    return Picture(
        title, _cutoffs_in_words(by_system), of_systems(by_system, draw, x, y, "", _cutoffs_in_words)
    )


def _cutoffs_title(metric: str, by_system: BySystem, cutoffs: Sequence[int]) -> str:
    """Return which of two systems is above the other, else the values at the first and last cut-off."""
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
    found = {k: {system: _value_at(rows, k) for system, rows in by_system.items()} for k in ends}
    of = ""
    if len(by_system) == 1:
        ((system, rows),) = by_system.items()
        of = "" if system is None else f" of {system}"
        found = {k: {None: _value_at(rows, k)} for k in ends}
    write = extremes if len(by_system) > MOST_LINES else each
    told = "; ".join(f"at {k}: {write(values, number)}" for k, values in found.items())
    return f"{metric}{of} {told}" + (f"; {len(by_system)} systems" if write is extremes else "")


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
    x = ChartAxis(
        (0.0, 1.0), f"{unit}, from the largest loss to the largest gain", whole, (0, 0.25, 0.5, 0.75, 1)
    )
    way = "; lower is better" if lower_is_better else ""
    y = ChartAxis(yd, f"difference in {metric} to {baseline}{way}", decimals_of(yd, True))
    plots = {}
    for system, values in quantiles.items():
        wins, _, losses = counts[system]
        ordered = known(values)[::-1] if lower_is_better else known(values)
        key = ((f"lose ({losses:,})", "down"), (f"gain ({wins:,})", "up"))
        plots[system] = Plot(stretched(_query_areas(ordered, yd, lower_is_better)), x, y, key)
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


def _query_areas(values: Sequence[float], yd: Domain, lower_is_better: bool) -> str:
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


# The chance that the title names a bin of a calibrated model, and the normal quantile of the intervals.
ALPHA, Z = 0.05, 1.9599639845400541
CLASSES = (("positives", "pos"), ("negatives", "neg"))


def calibration(by_system: BySystem) -> Picture:
    """Draw the observed share of positives against the mean prediction of each bin, with intervals.

    Args:
        by_system: rows with lo, hi, n, mean_score, mean_label, lower, upper and gap.
    """
    filled = {system: [row for row in rows if row["n"]] for system, rows in by_system.items()}
    every = [row for rows in filled.values() for row in rows]
    ends = [row.get(name) for row in every for name in ("mean_score", "lower", "upper", "hi")]
    domain = (0.0, min(1.0, span([0.0, *ends], 0.05)[1]))

    def draw(rows: Rows, kind: str) -> str:
        spans = "".join(
            _span(row, kind, domain)
            for row in rows if row.get("lo") is not None
        )  # fmt: skip
        intervals = [(row["mean_score"], row["lower"], row["upper"]) for row in rows]
        points = [(row["mean_score"], row["mean_label"]) for row in rows]
        return spans + band(intervals, kind, domain, domain) + line(points, kind, domain, domain)

    counts = sorted(row["n"] for row in every) or [0]
    bins = max((len(rows) for rows in filled.values()), default=0)
    rows_in = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    x = ChartAxis(domain, "predicted probability, mean of a bin")
    y = ChartAxis(
        domain, f"observed share with 95 % interval; {bins} bins of {rows_in} rows; dotted: calibrated"
    )
    guide = line([(0.0, 0.0), (domain[1], domain[1])], "ref", domain, domain)
    drawing = of_systems(filled, draw, x, y, guide, _bins_in_words)
    return Picture(_calibration_title(filled), _bins_in_words(filled), drawing)


def _calibration_title(filled: BySystem) -> str:
    system, rows = list(filled.items())[-1]
    of = "" if system is None else f" of {system}"
    outside = [row for row in rows if _is_off(row, len(rows))]
    if not outside:
        return f"Calibration{of}: no bin is off by more than chance"
    worst = max(outside, key=lambda row: abs(row["gap"]))
    told = f"predicted {number(worst['mean_score'], 2)}, observed {number(worst['mean_label'], 2)}"
    return f"Calibration{of}: {len(outside)} of {len(rows)} bins are off by more than chance, most: {told}"


def _span(row: Mapping[str, Any], kind: str, domain: Domain) -> str:
    """Draw the scores of a bin as a line at its observed share, with its numbers where a pointer rests."""
    ends = path([(row[end], row["mean_label"]) for end in ("lo", "hi")], domain, domain)
    return f'<path class="span {kind}" d="{ends}"><title>{text_of(_bin_in_words(row))}</title></path>'


def _is_off(row: Mapping[str, Any], bins: int) -> bool:
    """Return whether a bin is off by more than chance, as one of a number of bins.

    The interval says how many independent rows the bin is worth. The test is the one of this interval at
    the level of Bonferroni, with a correction for continuity, because a bin can have few positives.
    """
    share, predicted = row["mean_label"], row["mean_score"]
    far, near = (share, row["lower"] * row["upper"]) if share > 0.5 else (
        1 - share, (1 - row["lower"]) * (1 - row["upper"])
    )  # fmt: skip
    worth = Z**2 / max(far**2 / near - 1, 1e-300)
    spread = math.sqrt(max(predicted * (1 - predicted), 0.0) / worth)
    limit = NormalDist().inv_cdf(1 - ALPHA / (2 * bins)) * spread + 0.5 / worth
    return bool(abs(share - predicted) > limit)


def _bins_in_words(filled: BySystem) -> str:
    told = []
    for system, rows in filled.items():
        bins = "; ".join(map(_bin_in_words, rows))
        told.append(f"{'' if system is None else f'{system}: '}{bins}.")
    return " ".join(told)


def _bin_in_words(row: Mapping[str, Any]) -> str:
    return f"predicted {number(row['mean_score'])}, observed {number(row['mean_label'])}, n {row['n']:,}"


def isotonic(by_system: BySystem) -> Picture:
    """Draw the recalibrated probability against the predicted one, in blocks that the data choose.

    Args:
        by_system: rows with lo, hi, n, mean_score, mean_label and gap.
    """
    every = [row for rows in by_system.values() for row in rows]
    ends = [row[name] for row in every for name in ("hi", "mean_label")]
    domain = (0.0, min(1.0, span([0.0, *ends], 0.05)[1]))

    def draw(rows: Rows, kind: str) -> str:
        points = [(row[end], row["mean_label"]) for row in rows for end in ("lo", "hi")]
        return line(points, kind, domain, domain)

    x = ChartAxis(domain, "predicted probability")
    y = ChartAxis(domain, "recalibrated probability, by isotonic regression; dotted: calibrated")
    guide = line([(0.0, 0.0), (domain[1], domain[1])], "ref", domain, domain)
    gaps = {
        system: sum(row["n"] * abs(row["gap"]) for row in rows) / (sum(row["n"] for row in rows) or 1)
        for system, rows in by_system.items()
    }
    title = f"Calibration without bins: mean gap {each(gaps, number)}"
    return Picture(title, _bins_in_words(by_system), of_systems(by_system, draw, x, y, guide, _bins_in_words))


def cumulative(by_system: BySystem) -> Picture:
    """Draw the summed differences of label and probability, and the height that chance explains.

    The curve is compared by its height alone, so a bracket next to it has this height.

    Args:
        by_system: rows with share, score, deviation, lower and upper, in the order of share.
    """
    every = [row for rows in by_system.values() for row in rows]
    yd = span([row[name] for row in every for name in ("deviation", "lower", "upper")])

    def draw(rows: Rows, kind: str) -> str:
        return line([(row["share"], row["deviation"]) for row in rows], kind, UNIT, yd)

    x = ChartAxis(UNIT, "share of the rows, lowest probabilities first", labels=LABELS)
    y = ChartAxis(
        yd,
        "sum of label − probability, / rows; the height from the lowest to the highest point is the "
        "estimated cumulative calibration error (ECCE)",
        decimals_of(yd),
    )
    guide = line([(0.0, 0.0), (1.0, 0.0)], "ref", UNIT, yd)
    drawing = of_systems(by_system, draw, x, y, guide, _sums_in_words)
    return Picture(_sums_title(by_system), _sums_in_words(by_system), _with_brackets(drawing, by_system, yd))


# The words of the key for the bracket, with its swatch; and the space for it.
BY_CHANCE, BRACKET_ROOM = ("height by chance, 95 %", "bracket"), 12


def _with_brackets(drawing: Drawing, by_system: BySystem, yd: Domain) -> Drawing:
    """Draw a bracket as high as chance explains next to the last system of a chart, or each small chart."""

    def with_bracket(plot: Plot, rows: Rows) -> Plot:
        return replace(
            plot, body=plot.body + bracket(rows[0]["lower"], rows[0]["upper"], yd), right=BRACKET_ROOM
        )

    *_, last = by_system.values()
    if isinstance(drawing, Plot):
        return replace(with_bracket(drawing, last), key=(*drawing.key, BY_CHANCE))
    if isinstance(drawing, Panels):
        panels = [
            replace(panel, plot=with_bracket(panel.plot, by_system[panel.name])) for panel in drawing.panels
        ]
        return replace(drawing, panels=panels, key=(*drawing.key, BY_CHANCE))
    return drawing


def _sums_title(by_system: BySystem) -> str:
    """Return whether chance explains the curve of the last system, and where it changes most."""
    system, rows = list(by_system.items())[-1]
    of = "" if system is None else f" of {system}"
    begun, ended = _steepest(rows)
    gap = ended["deviation"] - begun["deviation"]
    if abs(gap) <= rows[0]["upper"] - rows[0]["lower"]:
        return f"Cumulative calibration{of}: ECCE {_two_digits(abs(gap))}, not more than chance explains"
    way = "low" if gap > 0 else "high"
    after = next(row for row in rows if row["share"] > begun["share"])
    scores = f"{_two_digits(after['score'])} to {_two_digits(ended['score'])}"
    off = _two_digits(abs(gap) / (ended["share"] - begun["share"]))
    size = _two_digits(abs(gap))
    return f"Cumulative calibration{of}: ECCE {size}; probabilities from {scores} are {off} too {way}"


def _two_digits(x: float) -> str:
    return f"{x:.2g}".replace("-", "−")


def _steepest(rows: Rows) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the points where the largest rise or fall of a curve begins and ends: its two extremes."""
    ends = (f(rows, key=lambda row: row["deviation"]) for f in (min, max))
    begun, ended = sorted(ends, key=lambda row: float(row["share"]))
    return begun, ended


def _sums_in_words(by_system: BySystem) -> str:
    told = []
    for system, rows in by_system.items():
        begun, ended = _steepest(rows)
        ends = " to ".join(
            f"{_two_digits(row['deviation'])} at {number(row['share'], 2)}" for row in (begun, ended)
        )
        told.append(f"{'' if system is None else f'{system}: '}from {ends} of the rows.")
    return " ".join(told)


def histogram(by_system: BySystem) -> Picture:
    """Draw the scores of each class: positives up, negatives down; of several systems, small charts.

    Args:
        by_system: rows with lo, hi, n, and positives and negatives with their shares.
    """
    filled = {system: [row for row in rows if row["n"]] for system, rows in by_system.items()}
    every = [row for rows in filled.values() for row in rows]
    x = ChartAxis(_between([row["lo"] for row in every], [row["hi"] for row in every]), "score")
    tops = [max((row[f"{name}_share"] or 0.0 for row in every), default=0.0) for name in
            ("positive", "negative")]  # fmt: skip
    room = 0.08 * (tops[0] + tops[1] or 1.0)
    y = ChartAxis(
        (-tops[1] - room, tops[0] + room), "share of the class in each bin; positives up, negatives down",
        lambda share: whole(abs(share)) if share else "0",
    )  # fmt: skip
    plots = {system: Plot(stretched(_bars(rows, x.domain, y.domain)), x, y, _classes(rows))
             for system, rows in filled.items()}  # fmt: skip
    overlaps = {system: _overlap(rows) for system, rows in filled.items()}
    title = f"Scores by class: overlap {each(overlaps, lambda share: percent(share, False))}"
    if len(plots) == 1:
        return Picture(title, _classes_in_words(filled), next(iter(plots.values())))
    panels = [Panel(str(system), _classes_in_words({system: filled[system]}), plot)
              for system, plot in plots.items()]  # fmt: skip
    return Picture(title, _classes_in_words(filled), Panels(panels, CLASSES))


def _between(low: Sequence[float], high: Sequence[float]) -> Domain:
    """Return the domain of the bins; scores that are all equal are in the middle of one."""
    if not low or min(low) == max(high):
        middle = low[0] if low else 0.0
        return (middle - 0.5, middle + 0.5)
    return (min(low), max(high))


def _bars(rows: Rows, xd: Domain, yd: Domain) -> str:
    shapes = ""
    for (name, kind), sign in zip(CLASSES, (1.0, -1.0), strict=True):
        share = f"{name.removesuffix('s')}_share"
        filled = [(*_ends(row), 0.0, sign * row[share]) for row in rows if row[share]]
        shapes += bars(filled, kind, xd, yd)
    return shapes


def _ends(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return the ends of a bin; one of no width is drawn with some."""
    return (row["lo"], row["hi"]) if row["hi"] > row["lo"] else (row["lo"] - 0.02, row["lo"] + 0.02)


def _overlap(rows: Rows) -> float | None:
    """Return the share of both classes that lies in the same bins; None if there is one class only."""
    if any(row["positive_share"] is None or row["negative_share"] is None for row in rows):
        return None
    return float(sum(min(row["positive_share"], row["negative_share"]) for row in rows))


def _sums(rows: Rows) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) for name, _ in CLASSES}


def _classes(rows: Rows) -> tuple[tuple[str, str], ...]:
    sums = _sums(rows)
    return tuple((f"{name} ({sums[name]:,.10g})", kind) for name, kind in CLASSES)


def _classes_in_words(filled: Mapping[str | None, Sequence[Mapping[str, Any]]]) -> str:
    told = []
    for system, rows in filled.items():
        sums = _sums(rows)
        counts = " and ".join(f"{sums[name]:,.10g} {name}" for name, _ in CLASSES)
        told.append(f"{'' if system is None else f'{system}: '}{counts} in {len(rows)} bins.")
    return " ".join(told)


UNIT = (0.0, 1.0)
LABELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DIAGONAL = ((0.0, 0.0), (1.0, 1.0))
# Where a description reads a curve.
READ_AT = (0.1, 0.2, 0.5)
# A line bends if the share of the area above the straight line differs by more.
STRAIGHT = 0.01
# The share of the rows that the title of a gains curve is about.
TOP = 0.2


class Picture(NamedTuple):
    """A chart without its data: what is seen, the numbers in words, and the drawing."""

    title: str
    said: str
    drawing: Drawing


@dataclass(frozen=True)
class Curve:
    """A kind of curve.

    Attributes:
        x, y: the columns of the two axes.
        x_name, y_name: the names of the axes.
    """

    x: str
    y: str
    x_name: str
    y_name: str

    def points(self, rows: Rows) -> list[tuple[float, float]]:
        """Return the points that have both numbers."""
        return [(row[self.x], row[self.y]) for row in rows if None not in (row[self.x], row[self.y])]

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        """Return the points of the drawn line."""
        return self.points(rows)

    def at(self, rows: Rows, x: float) -> float | None:
        """Return the height of the drawn line at x."""
        before: tuple[float, float] | None = None
        for point in self.outline(rows):
            if point[0] >= x:
                if before is None or point[0] == before[0]:
                    return point[1]
                weight = (x - before[0]) / (point[0] - before[0])
                return before[1] + weight * (point[1] - before[1])
            before = point
        return None

    def said(self, by_system: BySystem) -> str:
        """Return some points of each curve in words."""
        told = []
        for system, rows in by_system.items():
            read = "; ".join(f"{number(self.at(rows, x))} at {x:g}" for x in READ_AT)
            told.append(f"{'' if system is None else f'{system}: '}{self.y} by {self.x}: {read}.")
        return " ".join(told)

    def draw(self, by_system: BySystem, guide: str) -> Drawing:
        """Draw the curves of all systems; `guide` is the line of chance."""
        x = ChartAxis(UNIT, self.x_name, labels=LABELS)
        y = ChartAxis(UNIT, self.y_name, labels=LABELS)
        return of_systems(
            by_system, lambda rows, kind: line(self.outline(rows), kind, UNIT, UNIT), x, y, guide, self.said
        )


class _Roc(Curve):
    """A curve of which the rows have the exact area; the drawn line has the same area.

    If rows are left out, the straight line between two points has another area than the curve. So it bends.
    """

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        drawn: list[tuple[float, float]] = []
        last = 0.0
        for row in rows:
            if None in (row["fpr"], row["tpr"], row["area"]):
                continue
            x, y = row["fpr"], row["tpr"]
            if drawn and x > drawn[-1][0] and y > drawn[-1][1]:
                x0, y0 = drawn[-1]
                above = clipped(((row["area"] - last) / (x - x0) - y0) / (y - y0), UNIT)
                if abs(above - 0.5) > STRAIGHT:
                    drawn.append((x0 + (1 - above) * (x - x0), y0 + above * (y - y0)))
            drawn.append((x, y))
            last = row["area"]
        return drawn


class _Steps(Curve):
    """Precision at each recall in steps, as average precision counts it: a step has the area of its rows."""

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        drawn: list[tuple[float, float]] = []
        reached = last = 0.0
        for row in rows:
            if row["recall"] is None or row["area"] is None or row["recall"] <= reached:
                continue
            height = (row["area"] - last) / (row["recall"] - reached)
            drawn += [(reached, height), (row["recall"], height)]
            reached, last = row["recall"], row["area"]
        return drawn


ROC = _Roc("fpr", "tpr", "false positive rate", "true positive rate; dotted: chance")
PR = _Steps("recall", "precision", "recall", "precision")
GAINS = Curve(
    "share", "gain", "share of the rows, highest scores first", "share of the positives found; dotted: chance"
)


def roc(by_system: BySystem) -> Picture:
    """Draw the true against the false positive rate.

    Args:
        by_system: rows with fpr, tpr and area.
    """
    guide = line(DIAGONAL, "ref", UNIT, UNIT)
    areas = each(_areas(by_system), number)
    return Picture(f"ROC: area {areas}", ROC.said(by_system), ROC.draw(by_system, guide))


def precision_recall(by_system: BySystem) -> Picture:
    """Draw the precision against the recall, with the base rate as the line of chance.

    Args:
        by_system: rows with recall, precision and area.
    """
    rates = [rows[-1]["precision"] for rows in by_system.values() if rows]
    guide, curve = "", PR
    if rates and rates[-1] is not None:
        guide = line([(0.0, rates[-1]), (1.0, rates[-1])], "ref", UNIT, UNIT)
        curve = _Steps(PR.x, PR.y, PR.x_name, f"precision; dotted: {percent(rates[-1], False)} positives")
    areas = each(_areas(by_system), number)
    title = f"Precision and recall: average precision {areas}"
    return Picture(title, PR.said(by_system), curve.draw(by_system, guide))


def gains(by_system: BySystem) -> Picture:
    """Draw the share of the positives among the top rows.

    Args:
        by_system: rows with share and gain.
    """
    found = {system: GAINS.at(rows, TOP) for system, rows in by_system.items()}
    guide = line(DIAGONAL, "ref", UNIT, UNIT)
    shares = each(found, lambda x: percent(x, False))
    title = (
        f"Gains: the top {percent(TOP, False).replace('.0', '')} of the rows hold {shares} of the positives"
    )
    if len(found) > 1:
        title = f"Gains: positives in the top {TOP:.0%} of the rows: {shares}"
    return Picture(title, GAINS.said(by_system), GAINS.draw(by_system, guide))


def of_systems(
    by_system: BySystem, draw: Draw, x: ChartAxis, y: ChartAxis, guide: str, said: Callable[[BySystem], str]
) -> Drawing:
    """Draw one or two systems in one chart; of more, each in a small chart with the first system dashed.

    Args:
        draw: draws the rows of a system as lines of a class.
        guide: shapes that each chart has.
        said: writes the numbers of systems in words.
    """
    systems = list(by_system)
    if len(systems) <= MOST_LINES:
        kinds = kinds_of(systems)
        shapes = "".join(draw(rows, kinds[system]) for system, rows in by_system.items())
        return Plot(stretched(guide + shapes), x, y, key_of(systems))
    first = systems[0]
    before = guide + draw(by_system[first], "s0")
    panels = [
        Panel(str(name), said({name: by_system[name]}),
              Plot(stretched(before + draw(by_system[name], "s1")), x, y))
        for name in systems[1:]
    ]  # fmt: skip
    return Panels(panels, ((f"{first}, in each chart", "s0"),))


def _areas(by_system: BySystem) -> dict[str | None, float | None]:
    return {system: rows[-1]["area"] if rows else None for system, rows in by_system.items()}
