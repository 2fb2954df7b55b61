"""The calibration line: logistic regression of the label on the logit of the probability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.reference.observation import present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.reference.observation import Observation

STEPS = 25
SMALL_STEP = 1e-10


class Line(NamedTuple):
    """P(y = 1) = 1 / (1 + exp(-(intercept + slope * logit p)))."""

    intercept: float
    slope: float


def clip(p: float, eps: float) -> float:
    """Return p, at least eps and at most 1 - eps."""
    return min(max(p, eps), 1 - eps)


def calibration_line(rows: Sequence[Observation], eps: float) -> Line | None:
    """Return the maximum-likelihood line, by Newton's steps from (0, 0) until one is below 1e-10.

    None if 25 steps do not get there (the classes are separated), with one class or constant p but for
    rounding, and where 1 - eps is 1, so that a p of 1 has no logit. The logits are moved to -1 to 1.
    """
    rows = present(rows)
    p = [clip(row.score, eps) for row in rows]
    if 0 in p or 1 in p:
        return None
    x = [_logit(value) for value in p]
    low, high = min(x, default=0.0), max(x, default=0.0)
    if high - low <= 1e-12 * max(1.0, high, -low) or len({row.positive for row in rows}) < 2:
        return None
    middle, half = (low + high) / 2, (high - low) / 2
    x = [(value - middle) / half for value in x]
    line = Line(0.0, 0.0)
    for _ in range(STEPS):
        step = _newton_step(rows, x, line)
        if step is None:
            return None
        line = Line(line.intercept + step.intercept, line.slope + step.slope)
        if max(map(abs, step)) < SMALL_STEP:
            return Line(line.intercept - line.slope * middle / half, line.slope / half)
    return None


def _newton_step(rows: Sequence[Observation], x: Sequence[float], line: Line) -> Line | None:
    """Solve information * step = gradient, both sums over the rows; None if it has no solution.

    gradient: w (y - q) (1, x); information: w q (1 - q) (1, x; x, x^2); q: the line's probability.
    """
    logits = [line.intercept + line.slope * value for value in x]
    residuals = [
        row.weight * (_probability(-z) if row.positive else -_probability(z))
        for row, z in zip(rows, logits, strict=True)
    ]
    spreads = [row.weight * _probability(z) * _probability(-z) for row, z in zip(rows, logits, strict=True)]
    g0, g1 = _moment(residuals, x, 0), _moment(residuals, x, 1)
    s0, s1, s2 = (_moment(spreads, x, power) for power in (0, 1, 2))
    determinant = s0 * s2 - s1 * s1
    if not determinant > 0:
        return None
    return Line((s2 * g0 - s1 * g1) / determinant, (s0 * g1 - s1 * g0) / determinant)


def _moment(factors: Sequence[float], x: Sequence[float], power: int) -> float:
    return math.fsum(factor * value**power for factor, value in zip(factors, x, strict=True))


def _logit(p: float) -> float:
    return math.log(p) - math.log1p(-p)


def _probability(z: float) -> float:
    """Return 1 / (1 + exp(-z)), without overflow."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
