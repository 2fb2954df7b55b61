"""The metrics of a classifier that look for a point among all of its thresholds."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.observation import captured, class_weights, ratio, steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "ks",
    "lift",
    "max_f1",
    "precision_at_recall",
    "recall_at_precision",
    "tpr_at_fpr",
]


def ks(rows: Sequence[Observation]) -> float | None:
    """Return the largest |TPR - FPR| over the distinct scores.

    Smirnov, Annals of Mathematical Statistics 1948, doi:10.1214/aoms/1177730256.
    """
    p, n = class_weights(rows)
    widest = max((abs(step.tp * n - step.fp * p) for step in steps(rows)), default=Fraction())
    return ratio(widest, p * n)


def tpr_at_fpr(rows: Sequence[Observation], *, fpr: float) -> float | None:
    """Return the largest TPR over the point (0, 0) and the distinct scores whose FPR is not above fpr.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    p, n = class_weights(rows)
    if not p or not n:
        return None
    return max([float(step.tp / p) for step in steps(rows) if float(step.fp / n) <= fpr], default=0.0)


def max_f1(rows: Sequence[Observation]) -> float | None:
    """Return the largest F1 = 2 TP / (TP + FP + P) over the thresholds that are distinct scores.

    Lipton, Elkan and Narayanaswamy, ECML 2014, doi:10.1007/978-3-662-44851-9_15.
    """
    positives, _ = class_weights(rows)
    return max([float(2 * step.tp / (step.tp + step.fp + positives)) for step in steps(rows)], default=None)


def recall_at_precision(rows: Sequence[Observation], *, precision: float) -> float | None:
    """Return the largest recall over the distinct scores whose precision is not below the parameter.

    Eban et al., "Scalable learning of non-decomposable objectives", AISTATS 2017.
    """
    points = _precision_recall_points(rows)
    return max([r for p, r in points if p >= precision], default=None)


def precision_at_recall(rows: Sequence[Observation], *, recall: float) -> float | None:
    """Return the largest precision over the distinct scores whose recall is not below the parameter.

    Eban et al., "Scalable learning of non-decomposable objectives", AISTATS 2017.
    """
    points = _precision_recall_points(rows)
    return max([p for p, r in points if r >= recall], default=None)


def lift(rows: Sequence[Observation], *, top: float) -> float | None:
    """Return (positives among the top share of the rows / that share) / base rate.

    Rows with the score at the cut count in proportion. Ling and Li, "Data mining for direct
    marketing: problems and solutions", KDD 1998.
    """
    positives, negatives = class_weights(rows)
    share = Fraction(top)
    return ratio(captured(steps(rows), share * (positives + negatives)), share * positives)


def _precision_recall_points(rows: Sequence[Observation]) -> list[tuple[float, float]]:
    """Return (precision, recall) at every distinct score; none without positives."""
    positives, _ = class_weights(rows)
    if not positives:
        return []
    return [(float(step.tp / (step.tp + step.fp)), float(step.tp / positives)) for step in steps(rows)]
