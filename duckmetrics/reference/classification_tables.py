"""The tables of the classification family: curves and counts, one dictionary per row.

Without rows there is no table. The notation is that of `classification`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, pairwise
from math import floor
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from duckmetrics.reference import classification
from duckmetrics.reference.bins import binned, gap
from duckmetrics.reference.choice import choose
from duckmetrics.reference.observation import (
    Confusion,
    Step,
    captured,
    class_weights,
    confusion_at,
    grouped,
    mean,
    present,
    ratio,
    steps,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

Table: TypeAlias = list[dict[str, Any]]

__all__ = [
    "brier_decomposition",
    "calibration_curve",
    "confusion",
    "corp_curve",
    "corp_decomposition",
    "ecce_curve",
    "gains_curve",
    "group_auc",
    "pr_curve",
    "roc_curve",
    "score_histogram",
    "threshold_table",
]

ABOVE_ALL = Step(math.inf, *[Fraction()] * 4)
Z = 1.959963984540054  # the 97.5 % point of the normal distribution
BROWNIAN_RANGE = 2.49767216104865  # the 95 % point of the range of a Brownian motion on [0, 1]


def confusion(rows: Sequence[Observation], *, threshold: float = 0.5) -> Table:
    """Return TP, FP, FN and TN where score >= threshold predicts a positive.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    return [_counts(threshold, confusion_at(rows, threshold))] if present(rows) else []


def threshold_table(rows: Sequence[Observation], *, points: int = 11) -> Table:
    """Return counts and rates at the thresholds 0, 1/(points - 1), ..., 1.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    if points < 2:
        raise ValueError(f"points={points}: both 0 and 1 are thresholds")
    table: Table = []
    for threshold in (i / (points - 1) for i in range(points if present(rows) else 0)):
        tp, fp, fn, tn = confusion_at(rows, threshold)
        rates = {
            "precision": ratio(tp, tp + fp),
            "recall": ratio(tp, tp + fn),
            "specificity": ratio(tn, tn + fp),
            "f1": ratio(2 * tp, 2 * tp + fn + fp),
            "accuracy": ratio(tp + tn, tp + fp + fn + tn),
        }
        table.append({**_counts(threshold, Confusion(tp, fp, fn, tn)), **rates})
    return table


def roc_curve(rows: Sequence[Observation], *, points: int | None = None) -> Table:
    """Return one row per distinct score, descending, after one above them all (threshold infinity).

    area: under the curve to the left of the row, so AUC in the last. points: no more rows than
    these, at equal lengths of the curve. Fawcett, Pattern Recognition Letters 2006,
    doi:10.1016/j.patrec.2005.10.010.
    """
    positives, negatives = class_weights(rows)
    area, table = Fraction(), list[dict[str, Any]]()
    for step in [ABOVE_ALL, *steps(rows)] if present(rows) else []:
        area += step.negatives * (step.tp - step.positives / 2)
        counts = {"threshold": step.threshold, "tp": float(step.tp), "fp": float(step.fp)}
        rates = {"tpr": ratio(step.tp, positives), "fpr": ratio(step.fp, negatives)}
        table.append({**counts, **rates, "area": ratio(area, positives * negatives)})
    return _thinned(table, points, ("tpr", "fpr"))


def pr_curve(rows: Sequence[Observation], *, points: int | None = None) -> Table:
    """Return one row per distinct score, descending; area: average precision so far, step form.

    points: no more rows than these, at equal lengths of the curve. Davis and Goadrich, ICML 2006,
    doi:10.1145/1143844.1143874.
    """
    positives, _ = class_weights(rows)
    area, table = Fraction(), list[dict[str, Any]]()
    for step in steps(rows):
        precision, recall = float(step.tp / (step.tp + step.fp)), ratio(step.tp, positives)
        area += Fraction((ratio(step.positives, positives) or 0.0) * precision)
        counts = {"threshold": step.threshold, "tp": float(step.tp), "fp": float(step.fp)}
        reached = {"recall": recall, "area": float(area) if positives else None}
        table.append({**counts, "precision": precision, **reached})
    return _thinned(table, points, ("recall", "precision"))


def calibration_curve(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
) -> Table:
    """Return the mean p and mean y of every bin, with the 95 % interval of mean y; empty bins included.

    n: the number of rows; the interval counts a weight of 3 as three rows. lo, hi: the edges
    (binning='mass': the smallest and the largest p). DeGroot and Fienberg, The Statistician 1983,
    doi:10.2307/2987588; Wilson, JASA 1927, doi:10.1080/01621459.1927.10502953.
    """
    members = binned(rows, bins, binning, edges) if present(rows) else []
    given = None if edges is None else [*pairwise(edges)]
    return [
        {"bin": b, **_edges(b, bins, those, binning, given), "n": len(those), **_means(those)}
        for b, those in enumerate(members)
    ]


def ecce_curve(rows: Sequence[Observation], *, points: int | None = None) -> Table:
    """Return C_k = sum of w (y - p) over the k lowest distinct p / sum of w (deviation), from C_0 = 0 on.

    lower, upper: around the middle of the curve, the range that a Brownian motion whose variance is the sum
    of w^2 p (1 - p) exceeds with the probability 0.05. points: the number of equal shares of the weight,
    each with its last, its first highest and its first lowest row. Arrieta-Ibarra, Gujral, Tannen, Tygert
    and Xu, JMLR 2022, 23(351); Feller, Annals of Mathematical Statistics 1951, doi:10.1214/aoms/1177729589.
    """
    weight, reached, deviated = total(rows), Fraction(), Fraction()
    table: Table = [{"share": 0.0, "score": None, "deviation": 0.0}] if weight else []
    for step in reversed(steps(rows)):
        reached += step.positives + step.negatives
        deviated += step.positives - Fraction(step.threshold) * (step.positives + step.negatives)
        table.append(
            {"share": float(reached / weight), "score": step.threshold, "deviation": float(deviated / weight)}
        )
    sums = [row["deviation"] for row in table]
    spread = math.sqrt(math.fsum(row.weight**2 * row.score * (1 - row.score) for row in rows))
    for row in table:
        middle, half = (max(sums) + min(sums)) / 2, BROWNIAN_RANGE / 2 * spread / float(weight)
        row |= {"lower": middle - half, "upper": middle + half}
    parts: dict[int, Table] = defaultdict(list)
    for row in table:
        parts[math.ceil(row["share"] * points - 1e-9) if points else 0].append(row)
    kept = []
    for part in parts.values():
        ranked = [math.floor(row["deviation"] * 1e12 + 0.5) for row in part]
        places = {len(part) - 1, ranked.index(max(ranked)), ranked.index(min(ranked))}
        kept += [part[i] for i in sorted(places)]
    return kept if points else table


def gains_curve(rows: Sequence[Observation], *, bins: int = 10, points: int | None = None) -> Table:
    """Return the share of the positives (gain) in the top 0, 1/bins, 2/bins, ... of the rows, and its lift.

    threshold: the score at the cut, whose rows count in proportion; infinite for the first row, which
    has no lift. points: the most distinct scores between the cuts, at equal lengths of the curve. Ling
    and Li, "Data mining for direct marketing: problems and solutions", KDD 1998.
    """
    scores = steps(rows)
    positives, n = class_weights(rows)[0], total(rows)
    nothing = {"share": 0.0, "threshold": math.inf, "gain": ratio(Fraction(), positives), "lift": None}
    table: Table = [nothing] if scores else []
    for share in (Fraction(i, bins) for i in range(1, bins + 1) if scores):
        cut = next(step.threshold for step in scores if step.tp + step.fp >= share * n)
        found = captured(scores, share * n)
        gain, lift = ratio(found, positives), ratio(found, share * positives)
        table.append({"share": float(share), "threshold": cut, "gain": gain, "lift": lift})
    between: Table = []
    for step in scores if points else []:
        share, gain = (step.tp + step.fp) / n, ratio(step.tp, positives)
        lift = ratio(step.tp, share * positives)
        between.append({"share": float(share), "threshold": step.threshold, "gain": gain, "lift": lift})
    if points and len(between) > points:
        between = _reaching([nothing, *between], points, ("share", "gain"))
    cuts = {row["share"] for row in table}
    return sorted([*table, *(row for row in between if row["share"] not in cuts)], key=itemgetter("share"))


def score_histogram(rows: Sequence[Observation], *, bins: int = 40) -> Table:
    """Return the weights of the positives and the negatives in bins of equal width, empty bins included.

    n: the number of rows. The bins begin at the lowest finite score and end at the highest, so infinite
    scores are in the outer ones. shares: of the weight of the class. Murphy and Winkler, Monthly Weather
    Review 1987, doi:10.1175/1520-0493(1987)115<1330:AGFFFV>2.0.CO;2.
    """
    finite = [row.score for row in present(rows) if math.isfinite(row.score)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    members: list[list[Observation]] = [[] for _ in range(bins)]
    for row in present(rows):
        members[_bin_between(row.score, low, high, bins)].append(row)
    return [
        {**_between(low, high, b, bins), "n": len(those), **_of_classes(those, rows)}
        for b, those in enumerate(members if present(rows) else [])
    ]


def brier_decomposition(
    rows: Sequence[Observation],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
) -> Table:
    """Return Brier score = reliability - resolution + uncertainty + within_variance - within_covariance.

    With n_b, p_b, y_b the weight and the means of bin b, each a sum over bins of n_b/n times:
    (p_b - y_b)^2; (y_b - mean y)^2; the variance of p in b; twice its covariance with y. The third
    is mean y * (1 - mean y). Stephenson, Coelho and Jolliffe, Weather and Forecasting 2008,
    doi:10.1175/2007WAF2006116.1.
    """
    rate = classification.base_rate(rows)
    if rate is None:
        return []
    n, parts = float(total(rows)), []
    for members in binned(rows, bins, binning, edges):
        p, y = mean(members, lambda row: row.score), mean(members, lambda row: row.y)
        if p is None or y is None:
            continue
        share = float(total(members)) / n
        variance = math.fsum(row.weight * (row.score - p) ** 2 for row in members) / n
        covariance = 2 * math.fsum(row.weight * (row.score - p) * (row.y - y) for row in members) / n
        parts.append((share * (p - y) ** 2, share * (y - rate) ** 2, variance, covariance))
    reliability, resolution, variance, covariance = map(math.fsum, zip(*parts, strict=True))
    return [
        {
            "brier": classification.brier(rows),
            "reliability": reliability,
            "resolution": resolution,
            "uncertainty": rate * (1 - rate),
            "within_variance": variance,
            "within_covariance": covariance,
        }
    ]


def corp_curve(rows: Sequence[Observation]) -> Table:
    """Return the blocks of the isotonic regression of y on p, from the lowest p on.

    Dimitriadis, Gneiting and Jordan, PNAS 2021, doi:10.1073/pnas.2016191118.
    """
    table = []
    for i, block in enumerate(_isotonic_blocks(rows)):
        low, high = block[-1].threshold, block[0].threshold
        members = [row for row in present(rows) if low <= row.score <= high]
        p, y = mean(members, lambda row: row.score), mean(members, lambda row: row.y)
        means = {"mean_score": p, "mean_label": y, "gap": gap(members)}
        table.append({"block": i, "lo": low, "hi": high, "n": len(members), **means})
    return table


def corp_decomposition(rows: Sequence[Observation]) -> Table:
    """Return Brier score = miscalibration - discrimination + uncertainty, by isotonic recalibration x of p.

    Miscalibration: mean (p - y)^2 - mean (x - y)^2. Uncertainty: mean (mean y - y)^2. Discrimination:
    uncertainty - mean (x - y)^2. Dimitriadis, Gneiting and Jordan, PNAS 2021,
    doi:10.1073/pnas.2016191118.
    """
    brier, weight = classification.brier(rows), total(rows)
    if brier is None:
        return []
    share, recalibrated = class_weights(rows)[0] / weight, Fraction()
    for block in _isotonic_blocks(rows):
        positives, size = _counts_of(block)
        recalibrated += positives * (size - positives) / size / weight
    uncertainty = share * (1 - share)
    return [
        {
            "brier": brier,
            "miscalibration": brier - float(recalibrated),
            "discrimination": float(uncertainty - recalibrated),
            "uncertainty": float(uncertainty),
        }
    ]


def _isotonic_blocks(rows: Sequence[Observation]) -> list[list[Step]]:
    """Return the distinct scores of each block, the lowest last in a block and first of the blocks.

    Pool adjacent violators: a stack of blocks, whose last two are joined until the shares rise.
    """
    blocks: list[list[Step]] = []
    for step in reversed(steps(rows)):
        blocks.append([step])
        while len(blocks) > 1 and _share(blocks[-2]) >= _share(blocks[-1]):
            blocks[-2:] = [blocks[-1] + blocks[-2]]
    return blocks


def _share(block: Sequence[Step]) -> Fraction:
    positives, size = _counts_of(block)
    return positives / size


def _counts_of(block: Sequence[Step]) -> tuple[Fraction, Fraction]:
    """Return the weight of the positives of a block, and of all its rows."""
    positives = sum((step.positives for step in block), Fraction())
    return positives, positives + sum((step.negatives for step in block), Fraction())


def group_auc(rows: Sequence[Observation]) -> Table:
    """Return AUC of every group; of one class: None.

    Zhou et al., "Deep interest network", KDD 2018, doi:10.1145/3219819.3219823.
    """
    table = []
    for key, members in grouped(rows).items():
        positives, negatives = map(float, class_weights(members))
        counts = {"group_id": key, "positives": positives, "negatives": negatives}
        table.append({**counts, "auc": classification.auc(members)})
    return table


def _counts(threshold: float, counts: Confusion) -> dict[str, Any]:
    return {"threshold": threshold, **{name: float(weight) for name, weight in counts._asdict().items()}}


def _thinned(table: Table, points: int | None, axes: tuple[str, str]) -> Table:
    """Keep the first and the last row, and the first row behind each of some equal lengths."""
    if points is None or len(table) <= points:
        return table
    if points < 2:
        raise ValueError(f"points={points}: the first and the last row are kept")
    inner = _reaching(table, points - (2 if "precision" in axes else 1), axes)
    return [table[0], *(row for row in inner if row is not table[-1]), table[-1]]


def _reaching(table: Table, parts: int, axes: tuple[str, str]) -> Table:
    """Return the first row at or behind the end of each of `parts` equal parts of the curve.

    The length is the sum of the changes along both axes. An axis without values has no length.
    """
    changes = [
        sum(abs((row[axis] or 0.0) - (last[axis] or 0.0)) for axis in axes) for last, row in pairwise(table)
    ]
    lengths = [0.0, *accumulate(changes)]
    # A length that equals a part but for rounding has reached it.
    places = [floor(length * parts / (lengths[-1] or 1.0) + 1e-9) for length in lengths]
    return [row for row, (last, place) in zip(table[1:], pairwise(places), strict=True) if place > last]


def _edges(
    b: int,
    bins: int,
    members: Sequence[Observation],
    binning: str,
    given: Sequence[tuple[float, float]] | None,
) -> dict[str, float | None]:
    """Return the ends of bin b; `given` has those of bins with given edges."""
    scores = [row.score for row in members]
    width = (b / bins, (b + 1) / bins) if given is None else given[b]
    mass = (min(scores, default=None), max(scores, default=None))
    lo, hi = choose({"width": width, "mass": mass}, "width" if given else binning)
    return {"lo": lo, "hi": hi}


def _means(members: Sequence[Observation]) -> dict[str, float | None]:
    label = mean(members, lambda row: row.y)
    lower, upper = (None, None) if label is None else _wilson(label, float(total(members)))
    score = mean(members, lambda row: row.score)
    means = {"mean_score": score, "mean_label": label, "lower": lower, "upper": upper}
    return {**means, "gap": gap(members)}


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Return (share + z^2/2n -+ z sqrt(share (1 - share)/n + z^2/4n^2)) / (1 + z^2/n)."""
    centre, scale = share + Z**2 / (2 * n), 1 + Z**2 / n
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def _bin_between(score: float, low: float, high: float, bins: int) -> int:
    """Return the bin of a score; halves keep the differences of huge scores finite."""
    if score > high:
        return bins - 1
    if score < low or low == high:
        return 0
    return min(bins - 1, math.floor((score / 2 - low / 2) / (high / 2 - low / 2) * bins))


def _between(low: float, high: float, b: int, bins: int) -> dict[str, float]:
    lo, hi = (low * (1 - edge / bins) + high * (edge / bins) for edge in (b, b + 1))
    return {"bin": b, "lo": lo, "hi": hi}


def _of_classes(members: Sequence[Observation], rows: Sequence[Observation]) -> dict[str, float | None]:
    own, whole = class_weights(members), class_weights(rows)
    counts = {name: float(weight) for name, weight in zip(("positives", "negatives"), own, strict=True)}
    shares = [ratio(weight, of) for weight, of in zip(own, whole, strict=True)]
    return {**counts, "positive_share": shares[0], "negative_share": shares[1]}
