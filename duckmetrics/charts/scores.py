"""Charts of the scores of a classifier: calibration, and the scores of each class."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from duckmetrics.charts.curves import Picture, of_systems
from duckmetrics.charts.figures import Axis
from duckmetrics.charts.marks import text_of
from duckmetrics.charts.numbers import number, percent, whole
from duckmetrics.charts.plots import Panel, Panels, Plot
from duckmetrics.charts.scales import Domain, span
from duckmetrics.charts.shapes import band, bars, line, path, stretched
from duckmetrics.charts.words import each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.charts.curves import BySystem, Rows

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
    x = Axis(domain, "predicted probability, mean of a bin")
    y = Axis(domain, f"observed share with 95 % interval; {bins} bins of {rows_in} rows; dotted: calibrated")
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


def histogram(by_system: BySystem) -> Picture:
    """Draw the scores of each class: positives up, negatives down; of several systems, small charts.

    Args:
        by_system: rows with lo, hi, n, and positives and negatives with their shares.
    """
    filled = {system: [row for row in rows if row["n"]] for system, rows in by_system.items()}
    every = [row for rows in filled.values() for row in rows]
    x = Axis(_between([row["lo"] for row in every], [row["hi"] for row in every]), "score")
    tops = [max((row[f"{name}_share"] or 0.0 for row in every), default=0.0) for name in
            ("positive", "negative")]  # fmt: skip
    room = 0.08 * (tops[0] + tops[1] or 1.0)
    y = Axis(
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
