"""Quantiles once more: their intervals from order statistics, and their differences between arms."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.reference.aggregation import percentile
from duckmetrics.reference.distributions import (
    binomial_cdf,
    incomplete_beta,
    normal_p,
    normal_quantile,
    student_t_critical,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Row = tuple[Any, ...]


def quantile_interval(
    rows: Iterable[tuple[str, str, Hashable, float | None]], q: float = 0.5, level: float = 0.95
) -> list[Row]:
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for system, metric, _, value in rows:
        if value is not None:
            groups[system, metric].append(value)
    return [(*key, *_bounds(sorted(values), q, level)) for key, values in sorted(groups.items())]


def _bounds(values: list[float], q: float, level: float) -> Row:
    """Return n, the quantile, two of the values, their ranks, and the probability of these ranks."""
    n, tail = len(values), (1 - level) / 2
    lower = sum(binomial_cdf(rank - 1, n, q) <= tail for rank in range(1, n + 1))
    upper = n + 1 - sum(binomial_cdf(rank - 1, n, 1 - q) <= tail for rank in range(1, n + 1))
    coverage = (1.0 if upper > n else binomial_cdf(upper - 1, n, q)) - binomial_cdf(lower - 1, n, q)
    return (
        n, percentile(values, 100 * q), values[lower - 1] if lower else None,
        values[upper - 1] if upper <= n else None, lower or None, upper if upper <= n else None, coverage,
    )  # fmt: skip


def quantile_rank(n: float, n_effective: float, q: float, tail: float) -> float:
    """Count the ranks whose value is above the quantile with a probability of at most `tail`."""

    def above(rank: int) -> float:
        fewer = (rank - 1) * n_effective / n
        return incomplete_beta(n_effective - fewer, fewer + 1, 1 - q, q)

    return bisect_right(range(1, int(n) + 1), tail, key=above)


class ArmQuantile(NamedTuple):
    """A quantile of an arm with its bounds; those beyond the values are None."""

    n: int
    n_effective: float | None
    quantile: float
    lower: float | None
    upper: float | None


def quantile_difference(
    rows: Iterable[tuple[str, float | None, Hashable]], control: str, q: float = 0.5, level: float = 0.95
) -> list[Row]:
    groups: dict[str, list[tuple[float, Hashable]]] = defaultdict(list)
    for place, (arm, value, unit) in enumerate(rows):
        groups[arm] += [] if value is None else [(value, ("row", place) if unit is None else unit)]
    arms = {arm: _of_arm(own, q, level) for arm, own in sorted(groups.items()) if own}
    before = arms.pop(control, None)
    return [] if before is None else [(arm, *_apart(before, after, level)) for arm, after in arms.items()]


def _of_arm(own: Sequence[tuple[float, Hashable]], q: float, level: float) -> ArmQuantile:
    values, n = sorted(value for value, _ in own), len(own)
    quantile = percentile(values, 100 * q)
    share = {value: (value < quantile) + (value == quantile) / 2 for value in values}
    mean = math.fsum(share[value] for value in values) / n
    units: dict[Hashable, list[float]] = defaultdict(list)
    for value, unit in own:
        units[unit].append(share[value] - mean)
    m, worth, critical = len(units), float(n), normal_quantile((1 + level) / 2)
    if m < n:
        effective = n**2 / sum(len(unit) ** 2 for unit in units.values())
        if m < 2:
            return ArmQuantile(n, None, quantile, None, None)
        independent = math.fsum((share[value] - mean) ** 2 for value in values) * n / (n - 1)
        clustered = math.fsum(math.fsum(unit) ** 2 for unit in units.values()) * m / (m - 1)
        worth = min(n, n * independent / clustered) if clustered else n
        if effective < 1.001:
            return ArmQuantile(n, worth, quantile, None, None)
        critical = student_t_critical(1 - level, effective - 1)
    z = critical**2 / worth
    center, half = (q + z / 2) / (1 + z), math.sqrt(q * (1 - q) * z + z * z / 4) / (1 + z)
    lower, upper = (_at(values, n * end + 0.5) for end in (center - half, center + half))
    return ArmQuantile(n, worth, quantile, lower, upper)


def _at(values: Sequence[float], rank: float) -> float | None:
    """Return the value at a rank, between two values in a straight line; None beyond the values."""
    if not 1 <= rank <= len(values):
        return None
    low = math.floor(rank)
    return values[low - 1] + (rank - low) * (values[min(low, len(values) - 1)] - values[low - 1])


def _apart(a: ArmQuantile, b: ArmQuantile, level: float) -> Row:
    delta, sizes = b.quantile - a.quantile, (a.n, b.n, a.n_effective, b.n_effective)
    change = delta / abs(a.quantile) if a.quantile else None
    below, above = _margins(a, b)
    ends = (None if below is None else delta - below, None if above is None else delta + above)
    start = (a.quantile, b.quantile, delta, *ends, change, *_ratios(a, b))
    if below is None or above is None:
        return *start, None, *sizes, None, None
    se = (below if delta > 0 else above) / normal_quantile((1 + level) / 2)
    alike = 1e-12 * max(abs(a.quantile), abs(b.quantile))
    if se <= alike:
        return *start, 1.0 if abs(delta) <= alike else None, *sizes, se, None
    return *start, normal_p(delta / se), *sizes, se, delta / se


def _margins(a: ArmQuantile, b: ArmQuantile) -> tuple[float | None, float | None]:
    """Return the lengths of the interval of the difference below and above it; None without a bound."""
    below = above = None
    if b.lower is not None and a.upper is not None:
        below = math.hypot(b.quantile - b.lower, a.upper - a.quantile)
    if b.upper is not None and a.lower is not None:
        above = math.hypot(b.upper - b.quantile, a.quantile - a.lower)
    return below, above


def _ratios(a: ArmQuantile, b: ArmQuantile) -> Row:
    """Return the interval of the relative change, from that of the difference of the logarithms."""
    if a.lower is None or b.lower is None or a.lower <= 0 or b.lower <= 0:
        return None, None
    logs = [
        ArmQuantile(arm.n, None, math.log(arm.quantile), math.log(lower), arm.upper and math.log(arm.upper))
        for arm, lower in ((a, a.lower), (b, b.lower))
    ]
    ratio, (below, above) = b.quantile / a.quantile, _margins(*logs)
    low = None if below is None else ratio * math.exp(-below) - 1
    return low, None if above is None else ratio * math.exp(above) - 1
