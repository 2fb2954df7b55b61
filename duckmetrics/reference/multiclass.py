"""The metrics of several classes: one function per metric, one number per set of rows.

A row has a score for each class, and a right class. The predicted class is the one with the highest score; of
equal scores, the class that is named first comes first. Counts, sums and means are weighted. None: undefined.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference import classification
from duckmetrics.reference.observation import Observation, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "accuracy",
    "auc",
    "average_precision",
    "balanced_accuracy",
    "brier",
    "cohen_kappa",
    "confusion_matrix",
    "ece",
    "f_beta",
    "log_loss",
    "mcc",
    "precision",
    "recall",
]


@dataclass(frozen=True)
class Classified:
    """A row: its right class, the score of each class, and its weight."""

    actual: str
    scores: Mapping[str, float]
    weight: float = 1.0

    @property
    def order(self) -> list[str]:
        """The classes, that with the highest score first."""
        return sorted(self.scores, key=lambda name: -self.scores[name])


def _mean(rows: Sequence[Classified], of: Callable[[Classified], float]) -> float | None:
    weight = math.fsum(row.weight for row in rows)
    return math.fsum(row.weight * of(row) for row in rows) / weight if weight > 0 else None


def accuracy(rows: Sequence[Classified], *, k: int = 1) -> float | None:
    """Return the share of the rows whose right class is among the k with the highest scores.

    Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002.
    """
    return _mean(rows, lambda row: float(row.actual in row.order[:k]))


def _counts(rows: Sequence[Classified]) -> dict[str, tuple[Fraction, Fraction, Fraction]]:
    """Return the weights of the rows of each class: that have it, are predicted to have it, and both."""
    found: dict[str, list[Fraction]] = {}
    for row in rows:
        weight, predicted = Fraction(row.weight), row.order[0]
        for name in row.scores:
            counts = found.setdefault(name, [Fraction(), Fraction(), Fraction()])
            counts[0] += weight * (name == row.actual)
            counts[1] += weight * (name == predicted)
            counts[2] += weight * (name == row.actual == predicted)
    return {name: (a, p, c) for name, (a, p, c) in found.items()}


def balanced_accuracy(rows: Sequence[Classified]) -> float | None:
    """Return the mean recall of the classes that have rows.

    Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764.
    """
    shares = [float(correct / actual) for actual, _, correct in _counts(rows).values() if actual]
    return math.fsum(shares) / len(shares) if shares else None


def _averaged(
    rows: Sequence[Classified],
    average: str,
    of: Callable[[Fraction, Fraction, Fraction], float | None],
) -> float | None:
    """Return the average of a function of the counts of the classes that have rows or are predicted."""
    counts = [one for one in _counts(rows).values() if one[0] or one[1]]
    if not counts:
        return None
    if average == "micro":
        return of(*(sum((one[i] for one in counts), Fraction()) for i in range(3)))
    values = [of(*one) or 0.0 for one in counts]
    if average == "macro":
        return math.fsum(values) / len(values)
    whole = math.fsum(float(one[0]) for one in counts)
    return math.fsum(float(one[0]) * v for one, v in zip(counts, values, strict=True)) / whole


def precision(rows: Sequence[Classified], *, average: str = "macro") -> float | None:
    """Return the share of the rows predicted to have a class that have it, averaged over the classes.

    Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002.
    """
    return _averaged(rows, average, lambda actual, predicted, correct: ratio(correct, predicted))


def recall(rows: Sequence[Classified], *, average: str = "macro") -> float | None:
    """Return the share of the rows of a class that are predicted to have it, averaged over the classes.

    Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002.
    """
    return _averaged(rows, average, lambda actual, predicted, correct: ratio(correct, actual))


def f_beta(rows: Sequence[Classified], *, beta: float, average: str = "macro") -> float | None:
    """Return (1 + beta^2) correct / (beta^2 actual + predicted), averaged over the classes.

    Sokolova and Lapalme, Information Processing and Management 2009, doi:10.1016/j.ipm.2009.03.002.
    """
    square = Fraction(beta) ** 2
    return _averaged(
        rows,
        average,
        lambda actual, predicted, correct: ratio((1 + square) * correct, square * actual + predicted),
    )


def cohen_kappa(rows: Sequence[Classified]) -> float | None:
    """Return (p_o - p_e) / (1 - p_e).

    Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104.
    """
    counts = _counts(rows).values()
    n = sum((actual for actual, _, _ in counts), Fraction())
    if not n:
        return None
    observed = sum((correct for _, _, correct in counts), Fraction()) / n
    expected = sum((actual * predicted for actual, predicted, _ in counts), Fraction()) / (n * n)
    return ratio(observed - expected, 1 - expected)


def mcc(rows: Sequence[Classified]) -> float | None:
    """Return the correlation of the predicted and the right class.

    Gorodkin, Computational Biology and Chemistry 2004, doi:10.1016/j.compbiolchem.2004.09.006.
    """
    counts = _counts(rows).values()
    n = sum((actual for actual, _, _ in counts), Fraction())
    correct = sum((correct for _, _, correct in counts), Fraction())
    covariance = n * correct - sum((a * p for a, p, _ in counts), Fraction())
    actual = n * n - sum((a * a for a, _, _ in counts), Fraction())
    predicted = n * n - sum((p * p for _, p, _ in counts), Fraction())
    return float(covariance) / math.sqrt(actual) / math.sqrt(predicted) if actual and predicted else None


def log_loss(rows: Sequence[Classified], *, eps: float = 1e-15) -> float | None:
    """Return -mean(ln p); p is the probability of the right class, clipped to [eps, 1 - eps].

    Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x.
    """

    def loss(row: Classified) -> float:
        p = min(max(row.scores[row.actual], eps), 1 - eps)
        return -math.log(p) if p > 0 else math.inf

    return _mean(rows, loss)


def brier(rows: Sequence[Classified]) -> float | None:
    """Return the mean over the rows of the sum over the classes of (p - y)^2.

    Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    """
    return _mean(
        rows,
        lambda row: math.fsum((p - (name == row.actual)) ** 2 for name, p in row.scores.items()),
    )


def _against_the_rest(rows: Sequence[Classified], average: str) -> list[list[Observation]]:
    """Return the rows of each class as labels 1 and 0 with its score; all of them together for micro."""
    found: dict[str, list[Observation]] = defaultdict(list)
    for row in rows:
        for name, score in row.scores.items():
            key = "" if average == "micro" else name
            found[key].append(Observation(float(name == row.actual), score, row.weight))
    return list(found.values())


def _of_classes(
    rows: Sequence[Classified], average: str, of: Callable[[Sequence[Observation]], float | None]
) -> float | None:
    pairs = [
        (of(own), math.fsum(o.weight * o.label for o in own)) for own in _against_the_rest(rows, average)
    ]
    known = [(value, size) for value, size in pairs if value is not None]
    if not known:
        return None
    if average != "weighted":
        return math.fsum(value for value, _ in known) / len(known)
    whole = math.fsum(size for _, size in known)
    return math.fsum(value * size for value, size in known) / whole if whole else None


def auc(rows: Sequence[Classified], *, average: str = "macro") -> float | None:
    """Return the AUC of each class against the rest, averaged over the classes that have one.

    Fawcett, Pattern Recognition Letters 2006, doi:10.1016/j.patrec.2005.10.010.
    """
    return _of_classes(rows, average, classification.auc)


def average_precision(rows: Sequence[Classified], *, average: str = "macro") -> float | None:
    """Return the average precision of each class against the rest, averaged over the classes that have rows.

    Davis and Goadrich, ICML 2006, doi:10.1145/1143844.1143874.
    """
    return _of_classes(rows, average, classification.average_precision)


def ece(
    rows: Sequence[Classified],
    *,
    bins: int = 10,
    binning: str = "width",
    edges: Sequence[float] | None = None,
    kind: str = "top",
) -> float | None:
    """Return the sum over bins of n_b |mean p - mean y| / n, of the predicted class or of every class.

    Guo et al., ICML 2017, arXiv:1706.04599.
    """
    of_class: dict[str, list[Observation]] = defaultdict(list)
    for row in rows:
        for name in row.scores if kind == "class" else row.order[:1]:
            observed = Observation(float(name == row.actual), row.scores[name], row.weight)
            of_class[name if kind == "class" else ""].append(observed)
    values = [classification.ece(own, bins=bins, binning=binning, edges=edges) for own in of_class.values()]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def confusion_matrix(rows: Sequence[Classified]) -> list[dict[str, object]]:
    """Return the weight of the rows of each right and predicted class, and its share of the right class.

    Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899.
    """
    counts: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for row in rows:
        counts[row.actual, row.order[0]] += Fraction(row.weight)
    whole: dict[str, Fraction] = defaultdict(Fraction)
    for (actual, _), weight in counts.items():
        whole[actual] += weight
    return [
        {"actual": a, "predicted": p, "n": float(weight), "share": float(weight / whole[a])}
        for (a, p), weight in sorted(counts.items())
    ]
