"""Gains, discounts and ideal lists of the cumulated-gain metrics."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from duckmetrics.reference.choice import choose
from duckmetrics.reference.query import Query, is_relevant

Gain = Callable[[float | None, float | None], float]

GAINS: Mapping[str, Gain] = {
    "linear": lambda grade, rel: grade or 0.0,
    "exp2": lambda grade, rel: 2 ** (grade or 0.0) - 1,
    "binary": lambda grade, rel: 1.0 if is_relevant(grade, rel) else 0.0,
}

DISCOUNTS: Mapping[str, Callable[[int], float]] = {
    "log2": lambda rank: 1 / math.log2(rank + 1),
    "log2_clip": lambda rank: 1 / max(1.0, math.log2(rank)),
    "reciprocal": lambda rank: 1 / rank,
}


def discounted_sum(gains: Iterable[float], discount: str) -> float:
    """Return the sum of gain(i) * discount(i) over the ranks i = 1, 2, ..."""
    weight = choose(DISCOUNTS, discount)
    return math.fsum(gain * weight(rank) for rank, gain in enumerate(gains, start=1))


def returned_gains(query: Query, gain: str, rel: float | None, ties: str) -> list[float]:
    """Return the gain of every returned row; ties='expected': the mean gain of its tie group.

    That mean is the expectation over all orders of equal scores: McSherry and Najork, "Computing
    information retrieval performance measures efficiently in the presence of tied scores", ECIR
    2008. A tie group counts as a whole, also where a cut-off runs through it.
    """
    of_grade = choose(GAINS, gain)
    gains = [of_grade(row.grade, rel) for row in query.rows]
    if ties != "expected":
        return gains
    tied = defaultdict(list)
    for row, value in zip(query.rows, gains, strict=True):
        tied[row.score].append(value)
    return [fmean(tied[row.score]) for row in query.rows]


def ideal_gains(query: Query, k: int | None, gain: str, ideal: str, rel: float | None) -> list[float]:
    """Return the gains of the list that DCG is measured against, best first, cut at k."""
    of_grade = choose(GAINS, gain)
    judged = [of_grade(grade, rel) for grade in query.grades.values()]
    returned = [of_grade(row.grade, rel) for row in query.rows]
    candidates = choose({"judged": judged, "returned": returned, "full_k": judged}, ideal)
    best = sorted(candidates, reverse=True)[:k]
    if ideal != "full_k":
        return best
    if k is None:
        raise ValueError("ideal='full_k' needs a cut-off k")
    return best[:1] * k
