"""Input of a classification metric: labeled, scored, weighted rows; and the steps that metrics share.

P and N: the weights of the positives and of the negatives. Weights are added up as fractions, so
that values made of counts alone are rounded once, at the end. A row of weight 0 does not
count. -0.0 is 0.0; otherwise scores are equal when they are exactly equal.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Observation:
    """A row: the label is 0 or 1 (-1 is read as 0), a higher score is more positive.

    `columns`: what metrics of users read.
    """

    label: float
    score: float
    weight: float = 1.0
    group: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def positive(self) -> bool:
        """The label is 1, not 0 or -1."""
        return self.label > 0

    @property
    def y(self) -> float:
        """The label as the number 0 or 1 of the formulas."""
        return 1.0 if self.positive else 0.0


def present(rows: Sequence[Observation]) -> list[Observation]:
    """Return the rows that weigh something."""
    return [row for row in rows if row.weight > 0]


def unweighted(rows: Sequence[Observation]) -> list[Observation]:
    """Return all rows, each with the weight 1."""
    return [replace(row, weight=1.0) for row in rows]


def grouped(rows: Sequence[Observation]) -> dict[Any, list[Observation]]:
    """Return the rows of every group; None is a group as well, the last one."""
    groups = defaultdict(list)
    for row in present(rows):
        groups[row.group].append(row)
    return {key: groups[key] for key in sorted(groups, key=lambda key: (key is None, key))}


def total(rows: Iterable[Observation]) -> Fraction:
    """Return the sum of the weights."""
    weights = Counter(row.weight for row in rows)
    return sum((Fraction(weight) * count for weight, count in weights.items()), Fraction())


def class_weights(rows: Sequence[Observation]) -> tuple[Fraction, Fraction]:
    """Return P and N."""
    return total(row for row in rows if row.positive), total(row for row in rows if not row.positive)


def mean(rows: Sequence[Observation], of: Callable[[Observation], float]) -> float | None:
    """Return the weighted mean of a number of each row; None without rows, and where it is not finite."""
    rows = present(rows)
    if not rows:
        return None
    try:
        value = math.fsum(row.weight * of(row) for row in rows) / math.fsum(row.weight for row in rows)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def defined(value: float | None, rows: Sequence[Observation], undefined: str = "null") -> float | None:
    """Return the value in place of an undefined one: null, zero or one; None without rows."""
    stands = choose({"null": None, "zero": 0.0, "one": 1.0}, undefined)
    return stands if value is None and present(rows) else value


def ratio(part: Fraction, whole: Fraction) -> float | None:
    """Return the nearest double of part / whole; None if the whole is 0."""
    return float(part / whole) if whole else None


class Confusion(NamedTuple):
    """The four weights at a threshold; predicted positive: score >= threshold."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction


def confusion_at(rows: Sequence[Observation], threshold: float) -> Confusion:
    """Count the rows on either side of the threshold."""
    tp, fp = class_weights([row for row in rows if row.score >= threshold])
    fn, tn = class_weights([row for row in rows if not row.score >= threshold])
    return Confusion(tp, fp, fn, tn)


class Step(NamedTuple):
    """A distinct score: the weights of the rows that have it, and of those at or above it."""

    threshold: float
    positives: Fraction
    negatives: Fraction
    tp: Fraction
    fp: Fraction


def steps(rows: Sequence[Observation]) -> list[Step]:
    """Return the table of distinct scores, descending: every other way to cut the rows in two."""
    weights: dict[float, tuple[Fraction, Fraction]] = {}
    for row in present(rows):
        positives, negatives = weights.get(row.score, (Fraction(), Fraction()))
        weight = Fraction(row.weight)
        added = (positives + weight, negatives) if row.positive else (positives, negatives + weight)
        weights[row.score] = added
    table, tp, fp = [], Fraction(), Fraction()
    for score in sorted(weights, reverse=True):
        positives, negatives = weights[score]
        tp, fp = tp + positives, fp + negatives
        table.append(Step(score + 0.0, positives, negatives, tp, fp))  # -0.0 + 0.0 is 0.0
    return table


def captured(table: Sequence[Step], weight: Fraction) -> Fraction:
    """Return the positives among the top rows of that weight; at the cut, tied rows count in proportion.

    That is the expectation over all orders of the rows with the score at the cut.
    """
    found, left = Fraction(), weight
    for step in table:
        size = step.positives + step.negatives
        taken = min(left, size)
        found += step.positives * taken / size
        left -= taken
    return found


def auc_bounds(rows: Sequence[Observation], bins: int) -> tuple[float, float] | None:
    """Return the lower and upper bound of AUC, by the scores' bins alone; one class: None.

    lower: pairs of different bins that are right / (P N); upper: and those within a bin.
    """
    positives, negatives = class_weights(rows)
    low_to_high = reversed(steps(_scores_to_bins(rows, bins)))
    right, within, below = Fraction(), Fraction(), Fraction()
    for step in low_to_high:
        right += step.positives * below
        within += step.positives * step.negatives
        below += step.negatives
    pairs = positives * negatives
    return (float(right / pairs), float((right + within) / pairs)) if pairs else None


def _scores_to_bins(rows: Sequence[Observation], bins: int) -> list[Observation]:
    """Put the number of its bin in place of every score: floor((score - low) / (high - low) * bins).

    In doubles, at most bins - 1; infinite scores are in the first and the last bin. All terms are
    halved, so that the width is finite whatever the scores are.
    """
    scores = [row.score / 2 for row in present(rows) if math.isfinite(row.score)]
    low, high = min(scores, default=0.0), max(scores, default=0.0)

    def bin_of(score: float) -> int:
        if math.isinf(score):
            return bins - 1 if score > 0 else 0
        share = (score / 2 - low) / (high - low) if high > low else 0.0
        return min(math.floor(share * bins), bins - 1)

    return [replace(row, score=float(bin_of(row.score))) for row in present(rows)]
