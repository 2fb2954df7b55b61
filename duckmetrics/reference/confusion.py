"""The metrics of a classifier at a threshold, from the four weights on its two sides."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.observation import class_weights, confusion_at, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "accuracy",
    "balanced_accuracy",
    "base_rate",
    "cohen_kappa",
    "f_beta",
    "fnr",
    "fpr",
    "mcc",
    "npv",
    "precision",
    "recall",
    "specificity",
]


def base_rate(rows: Sequence[Observation]) -> float | None:
    """Return P / (P + N): prevalence; of clicks, the click-through rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    positives, negatives = class_weights(rows)
    return ratio(positives, positives + negatives)


def accuracy(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return (TP + TN) / (P + N).

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    return ratio(tp + tn, tp + fp + fn + tn)


def precision(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return TP / (TP + FP): the positive predictive value.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, fp, _, _ = confusion_at(rows, threshold)
    return ratio(tp, tp + fp)


def recall(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return TP / P: the true positive rate, sensitivity.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, _, fn, _ = confusion_at(rows, threshold)
    return ratio(tp, tp + fn)


def specificity(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return TN / N: the true negative rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    _, fp, _, tn = confusion_at(rows, threshold)
    return ratio(tn, fp + tn)


def fpr(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return FP / N: the false positive rate, fall-out.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    _, fp, _, tn = confusion_at(rows, threshold)
    return ratio(fp, fp + tn)


def fnr(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return FN / P: the false negative rate, miss rate.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    tp, _, fn, _ = confusion_at(rows, threshold)
    return ratio(fn, tp + fn)


def npv(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return TN / (TN + FN): the negative predictive value.

    Altman and Bland, BMJ 1994, doi:10.1136/bmj.309.6947.102.
    """
    _, _, fn, tn = confusion_at(rows, threshold)
    return ratio(tn, tn + fn)


def f_beta(rows: Sequence[Observation], *, beta: float, threshold: float = 0.5) -> float | None:
    """Return (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP).

    van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    tp, fp, fn, _ = confusion_at(rows, threshold)
    square = Fraction(beta) ** 2
    return ratio((1 + square) * tp, (1 + square) * tp + square * fn + fp)


def balanced_accuracy(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return (TP / P + TN / N) / 2.

    Brodersen, Ong, Stephan and Buhmann, ICPR 2010, doi:10.1109/ICPR.2010.764.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    return ratio(tp * (fp + tn) + tn * (tp + fn), 2 * (tp + fn) * (fp + tn))


def mcc(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).

    Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    difference = tp * tn - fp * fn
    square = ratio(difference**2, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return None if square is None else math.copysign(math.sqrt(square), difference)


def cohen_kappa(rows: Sequence[Observation], *, threshold: float = 0.5) -> float | None:
    """Return (a - e) / (1 - e): a, the agreement, is the accuracy; e is expected of independent classes.

    e = ((TP + FP) (TP + FN) + (TN + FP) (TN + FN)) / n^2. Cohen, Educational and Psychological
    Measurement 1960, doi:10.1177/001316446002000104.
    """
    tp, fp, fn, tn = confusion_at(rows, threshold)
    n = tp + fp + fn + tn
    by_chance = (tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)
    return ratio((tp + tn) * n - by_chance, n * n - by_chance)
