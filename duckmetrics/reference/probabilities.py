"""The losses of probabilities, and their gain over the base rate."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.logistic import clip
from duckmetrics.reference.observation import class_weights, mean, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "base_entropy",
    "brier",
    "brier_skill",
    "log_loss",
    "normalized_entropy",
    "rig",
]


def log_loss(rows: Sequence[Observation], *, eps: float = 1e-15) -> float | None:
    """Return -mean(y ln p + (1 - y) ln(1 - p)), p clipped to [eps, 1 - eps].

    eps=0: not clipped; infinite where p = 0 of a positive or p = 1 of a negative.
    Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x.
    """
    if any(_surprise(clip(row.score, eps), row.positive) == math.inf for row in present(rows)):
        return math.inf
    return mean(rows, lambda row: _surprise(clip(row.score, eps), row.positive))


def base_entropy(rows: Sequence[Observation], *, base_rate: float | None = None) -> float | None:
    """Return -(c ln c + (1 - c) ln(1 - c)), c: the base rate of these rows, or the one given; not 0 or 1.

    He et al., "Practical lessons from predicting clicks on ads at Facebook", ADKDD 2014,
    doi:10.1145/2648584.2648589.
    """
    rate = _rate(rows, base_rate) if present(rows) else None
    if rate is None or rate in (0, 1):
        return None
    rarer = float(min(rate, 1 - rate))
    return -(rarer * math.log(rarer) + (1 - rarer) * math.log1p(-rarer))


def normalized_entropy(
    rows: Sequence[Observation], *, eps: float = 1e-15, base_rate: float | None = None
) -> float | None:
    """Return log loss / -(c ln c + (1 - c) ln(1 - c)), c: the base rate of these rows, or the one given.

    He et al., "Practical lessons from predicting clicks on ads at Facebook", ADKDD 2014,
    doi:10.1145/2648584.2648589.
    """
    loss, entropy = log_loss(rows, eps=eps), base_entropy(rows, base_rate=base_rate)
    return None if loss is None or entropy is None else loss / entropy


def rig(rows: Sequence[Observation], *, eps: float = 1e-15, base_rate: float | None = None) -> float | None:
    """Return the relative information gain, 1 - normalized entropy.

    Yi, Chen, Li, Sett and Yan, KDD 2013, doi:10.1145/2487575.2488215.
    """
    entropy = normalized_entropy(rows, eps=eps, base_rate=base_rate)
    return None if entropy is None else 1 - entropy


def brier(rows: Sequence[Observation]) -> float | None:
    """Return the mean (p - y)^2.

    Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    """
    return mean(rows, lambda row: (row.score - row.y) * (row.score - row.y))


def brier_skill(rows: Sequence[Observation], *, base_rate: float | None = None) -> float | None:
    """Return 1 - Brier score / mean (c - y)^2, c: the base rate of these rows, or the one given.

    Murphy, Journal of Applied Meteorology 1973,
    doi:10.1175/1520-0450(1973)012<0215:HASSFP>2.0.CO;2.
    """
    score, rate = brier(rows), _rate(rows, base_rate)
    if score is None or rate is None:
        return None
    p, n = class_weights(rows)
    of_rate = float((p * (1 - rate) ** 2 + n * rate**2) / (p + n))
    return 1 - score / of_rate if of_rate else None


def _surprise(p: float, positive: bool) -> float:
    """Return -ln of the probability of the label; log1p keeps the digits of a small p."""
    if p == (0 if positive else 1):
        return math.inf
    return -math.log(p) if positive else -math.log1p(-p)


def _rate(rows: Sequence[Observation], given: float | None) -> Fraction | None:
    """Return the base rate as an exact fraction, unless it is given."""
    if given is not None:
        return Fraction(given)
    positives, negatives = class_weights(rows)
    return positives / (positives + negatives) if positives + negatives else None
