"""The errors of predicted numbers; the label is any number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from duckmetrics.reference.observation import mean, present, ratio, total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

__all__ = [
    "mae",
    "r2",
    "rmse",
]


def rmse(rows: Sequence[Observation]) -> float | None:
    """Return sqrt(mean (y - s)^2); the label is any number.

    Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079.
    """
    square = mean(rows, lambda row: (row.label - row.score) * (row.label - row.score))
    return None if square is None else math.sqrt(square)


def mae(rows: Sequence[Observation]) -> float | None:
    """Return the mean |y - s|; the label is any number.

    Willmott and Matsuura, Climate Research 2005, doi:10.3354/cr030079.
    """
    return mean(rows, lambda row: abs(row.label - row.score))


def r2(rows: Sequence[Observation]) -> float | None:
    """Return 1 - sum of w (y - s)^2 / sum of w (y - mean y)^2; the label is any number.

    The coefficient of determination of Wright, "Correlation and causation", 1921, as scikit-learn.
    """
    rows = present(rows)
    error = mean(rows, lambda row: (row.label - row.score) * (row.label - row.score))
    if error is None:
        return None
    n = total(rows)
    centre = sum((Fraction(row.weight) * Fraction(row.label) for row in rows), Fraction()) / n
    spread = sum((Fraction(row.weight) * (Fraction(row.label) - centre) ** 2 for row in rows), Fraction())
    unexplained = ratio(Fraction(error) * n, spread)
    return None if unexplained is None else 1 - unexplained
