"""The sequential statistics once more: p-values and intervals that hold at every look at the data."""

from __future__ import annotations

import math
from functools import cache
from statistics import fmean, stdev, variance
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.arms import (
    by_moments,
    effective,
    ratio_delta,
    sample,
    satterthwaite,
    welch_t,
    without_each,
)
from duckmetrics.reference.choice import choose
from duckmetrics.reference.paired import EPSILON, pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.reference.paired import PerQuery

Row = tuple[Any, ...]

TIGHTEST = 0.05


@cache
def _tightest(alpha: float) -> float:
    """Return the n in units of the prior at which the interval of level 1 - alpha is the tightest."""
    x = 1.0
    for _ in range(100):
        x = math.log((1 + x) / alpha**2)
    return x


def prior_units(planned: float) -> float:
    return planned / _tightest(TIGHTEST)


def always_valid_p(t: float, df: float, n: float, planned: float) -> float:
    c = 1 + n / prior_units(planned)
    power = (df + 1) / 2 * (math.log1p(t * t / df) - math.log1p(t * t / (c * df)))
    return min(1.0, math.exp(math.log(c) / 2 - power))


def always_valid_critical(alpha: float, df: float, n: float, planned: float) -> float:
    """Return the t whose p is alpha, by bisection; infinity if there is none."""
    low, high = 0.0, 1e9
    if always_valid_p(high, df, n, planned) > alpha:
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if always_valid_p(middle, df, n, planned) > alpha else (low, middle)
    return high


def always_valid(
    rows: Iterable[PerQuery], baseline: str, level: float = 0.95, planned: int = 1000
) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        n, differences = len(both), [b - a for a, b in both]
        before, delta = fmean(a for a, _ in both), fmean(differences)
        change = delta / abs(before) if before else None
        if n < 2:
            found.append((system, metric, n, delta, None, None, None, change, *(None,) * 3, 0, None))
            continue
        sd, critical = stdev(differences), always_valid_critical(1 - level, n - 1, n, planned)
        bounds = _bounds(delta, critical, sd / math.sqrt(n))
        relative: Row = (None, None)
        if change is not None:
            slope = delta / before
            errors = [b - a - slope * a for a, b in both]
            relative = _bounds(change, critical, stdev(errors) / (math.sqrt(n) * abs(before)))
        spread = (variance(a for a, _ in both) + variance(b for _, b in both)) / 2
        alike = EPSILON * max(abs(before), abs(before + delta), math.sqrt(spread))
        if sd <= alike:
            p = 1.0 if abs(delta) <= alike else min(1.0, (n + 1) * 2.0**-n)
            bounds = _bounds(delta, critical, 0.0)
            found.append((system, metric, n, delta, 0.0, *bounds, change, *relative, None, n - 1, p))
            continue
        t = delta / sd * math.sqrt(n)
        p = always_valid_p(t, n - 1, n, planned)
        found.append((system, metric, n, delta, sd / math.sqrt(n), *bounds, change, *relative, t, n - 1, p))
    return found


def _bounds(center: float, critical: float, se: float) -> Row:
    if math.isinf(critical):
        return None, None
    return center - critical * se, center + critical * se


def sequential_mean(
    rows: Iterable[tuple[str, float | None]], control: str, level: float = 0.95, planned: int = 5000
) -> list[Row]:
    """Take differences, errors and degrees of freedom from Welch's test."""
    given = list(rows)
    found: list[Row] = []
    for row in welch_t(given, control, level):
        arm, before, after, delta, _, _, change, *_, m, n, se, _, t, df = row
        groups = [[v for a, v in given if a == name and v is not None] for name in (control, arm)]
        logs = satterthwaite(*(sample(values).relative() for values in groups))
        if se is not None:
            pooled = _pooled([(len(values), variance(values)) for values in groups])
            se, logs = _larger(se, logs, pooled, [(m, before), (n, after)])
            t = None if t is None else delta / se
        spread = None if df is None else (se, df)
        bounds = _arms(delta, spread, logs, change, m, n, level, planned)
        p = row[9] if df is None else always_valid_p(t, df, 4 / (1 / m + 1 / n), planned)
        found.append((arm, before, after, delta, *bounds, p, m, n, se, t, df))
    return found


def sequential_ratio(
    rows: Iterable[tuple[str, float | None, float | None]],
    control: str,
    level: float = 0.95,
    planned: int = 5000,
    variance: str = "jackknife",
) -> list[Row]:
    """Take ratios and errors from the jackknife or the moments."""
    given = list(rows)
    taken = choose({"jackknife": without_each, "delta": by_moments}, variance)
    found: list[Row] = []
    for row in ratio_delta(given, control, level, variance):
        arm, before, after, delta, _, _, change, _, _, p, m, n, se, t, _ = row
        pair = [[(y, x) for a, y, x in given if a == name and y is not None and x is not None]
                for name in (control, arm)]  # fmt: skip
        samples, sizes = [taken(units) for units in pair], [effective(units) for units in pair]
        spread = _spread([one.error for one in samples], sizes)
        logs = _spread([one.relative().error for one in samples], sizes)
        if spread is not None:
            pooled = _pooled([(size, size * one.error) for size, one in zip((m, n), samples, strict=True)])
            se, logs = _larger(spread[0], logs, pooled, [(m, before), (n, after)])
            spread = se, spread[1]
            t = None if t is None else delta / se
        df = None if spread is None or t is None else spread[1]
        bounds = _arms(delta, spread if df else None, logs, change, m, n, level, planned)
        p = p if df is None else always_valid_p(t, df, 4 / (1 / m + 1 / n), planned)
        found.append((arm, before, after, delta, *bounds, p, m, n, se, t, df))
    return found


def _pooled(arms: Sequence[tuple[int, float]]) -> float:
    """Return the variance of a unit of both arms together, from the size and the variance of each."""
    return math.fsum((n - 1) * one for n, one in arms) / (sum(n for n, _ in arms) - 2)


def _larger(
    se: float, logs: tuple[float, float] | None, pooled: float, arms: Sequence[tuple[int, float]]
) -> tuple[float, tuple[float, float] | None]:
    """Return the errors of the arms, or those of the pooled variance if they are larger.

    Args:
        arms: the size of each, and its mean or ratio.
    """
    larger = max(se, math.sqrt(pooled * math.fsum(1 / n for n, _ in arms)))
    if logs is None:
        return larger, None
    relative = math.sqrt(pooled * math.fsum(1 / (n * value**2) for n, value in arms))
    return larger, (max(logs[0], relative), logs[1])


def _spread(errors: Sequence[float | None], sizes: Sequence[float]) -> tuple[float, float] | None:
    """Return the standard error of a difference, and its degrees of freedom."""
    known = [error for error in errors if error is not None]
    total = math.fsum(known)
    if len(known) < 2 or not total:
        return None
    return math.sqrt(total), total**2 / math.fsum(e**2 / (n - 1) for e, n in zip(known, sizes, strict=True))


def _arms(
    delta: float, spread: tuple[float, float] | None, logs: tuple[float, float] | None, change: float | None,
    m: int, n: int, level: float, planned: int,
) -> Row:  # fmt: skip
    """Return the bounds of a difference, the relative change, and its bounds on the scale of logarithms."""
    size = 4 / (1 / m + 1 / n)
    bounds: Row = (None, None)
    if spread is not None:
        bounds = _bounds(delta, always_valid_critical(1 - level, spread[1], size, planned), spread[0])
    relative: Row = (None, None)
    if logs is not None and change is not None:
        critical = always_valid_critical(1 - level, logs[1], size, planned)
        low, high = _bounds(math.log1p(change), critical, logs[0])
        relative = (None, None) if low is None else (math.expm1(low), math.expm1(high))
    return *bounds, change, *relative


def sequential_sample_ratio(
    rows: Iterable[tuple[float, float]], alpha: float = 0.001, planned: int = 5000
) -> list[Row]:
    """Divide the likelihood of the counts under shares from a Dirichlet distribution by that of the plan."""
    arms = [(o, e) for o, e in rows if o or e]
    if not arms:
        return []
    n, whole, prior = math.fsum(o for o, _ in arms), math.fsum(e for _, e in arms), prior_units(planned)
    statistic = math.lgamma(prior) - math.lgamma(prior + n)
    for o, e in arms:
        share = e / whole
        if not share:
            statistic = math.inf
            break
        a = share * prior
        statistic += math.lgamma(a + o) - math.lgamma(a) - o * math.log(share)
    df = len(arms) - 1
    p = min(1.0, math.exp(-statistic)) if df else None
    return [(statistic, df, p, n, None if p is None else p < alpha)]
