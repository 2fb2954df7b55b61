"""Quantiles once more: their intervals from order statistics."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.aggregation import percentile
from duckmetrics.reference.distributions import binomial_cdf, incomplete_beta

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

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
