"""The areas under the ROC curve and under the precision-recall curve."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.observation import auc_bounds, class_weights, grouped, present, ratio, steps, total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "auc",
    "auc_pairwise",
    "average_precision",
    "gauc",
    "gini",
    "partial_auc",
]


def auc(rows: Sequence[Observation], *, approx: int | None = None) -> float | None:
    """Return the sum over positives of (negatives below + half of the negatives tied) / (P N).

    approx: the number of bins of equal width; the result is the middle of their bounds (`auc_bounds`).
    Hanley and McNeil, Radiology 1982, doi:10.1148/radiology.143.1.7063747.
    """
    if approx is not None:
        bounds = auc_bounds(rows, approx)
        return None if bounds is None else sum(bounds) / 2
    positives, negatives = class_weights(rows)
    won = sum(
        (step.positives * (negatives - step.fp + step.negatives / 2) for step in steps(rows)), Fraction()
    )
    return ratio(won, positives * negatives)


def auc_pairwise(rows: Sequence[Observation]) -> float | None:
    """Return the share of the pairs of a positive and a negative that are in the right order, ties half.

    Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491.
    """
    positives = [row for row in present(rows) if row.positive]
    negatives = [row for row in present(rows) if not row.positive]
    won = math.fsum(
        a.weight * b.weight * ((a.score > b.score) + 0.5 * (a.score == b.score))
        for a in positives
        for b in negatives
    )
    pairs = float(total(positives) * total(negatives))
    return won / pairs if pairs else None


def gini(rows: Sequence[Observation]) -> float | None:
    """Return 2 AUC - 1.

    Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831.
    """
    area = auc(rows)
    return None if area is None else 2 * area - 1


def partial_auc(rows: Sequence[Observation], *, max_fpr: float, norm: str = "mcclish") -> float | None:
    """Return the area A under the ROC curve where FPR <= m = max_fpr; linear between distinct scores.

    norm: raw = A, max_fpr = A / m, mcclish = (1 + (A - m^2/2) / (m - m^2/2)) / 2, so that chance
    is 1/2. McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.
    """
    positives, negatives = class_weights(rows)
    m, area = Fraction(max_fpr), Fraction()
    for step in steps(rows):
        width = min(step.fp, m * negatives) - (step.fp - step.negatives)
        if width > 0:
            before = step.tp - step.positives
            area += width * (before + step.positives * width / step.negatives / 2)
    pairs = positives * negatives
    parts = {"raw": (area, pairs), "max_fpr": (area, m * pairs)}
    chance = m * m / 2
    parts["mcclish"] = (area + (m - 2 * chance) * pairs, 2 * (m - chance) * pairs)
    return ratio(*choose(parts, norm))


def gauc(rows: Sequence[Observation], *, average: str = "impressions") -> float | None:
    """Return AUC of each group, averaged over the groups that have both classes.

    Weighted by: impressions = P + N of the group, positives = its P, pairs = its P N, uniform = 1.
    Zhou et al., "Deep interest network", KDD 2018, doi:10.1145/3219819.3219823.
    """
    products, weights = [], []
    for members in grouped(rows).values():
        p, n = class_weights(members)
        by = {"impressions": p + n, "positives": p, "pairs": p * n, "uniform": Fraction(1)}
        weight, area = float(choose(by, average)), auc(members)
        if area is not None:
            products.append(weight * area)
            weights.append(weight)
    return math.fsum(products) / math.fsum(weights) if weights else None


def average_precision(rows: Sequence[Observation], *, interpolation: str = "step") -> float | None:
    """Return the sum over distinct scores, descending, of (recall - recall before) * precision.

    interpolation='trapezoid': * (precision + precision before) / 2, before the first: 1. The step
    form is scikit-learn's; Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874, on why the
    line between two points is too optimistic.
    """
    positives, _ = class_weights(rows)
    terms, before = [], 1.0
    for step in steps(rows):
        here = float(step.tp / (step.tp + step.fp))
        height = choose({"step": here, "trapezoid": (here + before) / 2}, interpolation)
        terms.append(float(step.positives / positives) * height if positives else 0.0)
        before = here
    return math.fsum(terms) if positives else None
