"""The statistics of estimates of slices once more: do they differ, and what are they, moved to their mean?"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.reference.distributions import chi_square_sf, f_sf, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Estimate = tuple[str, str, float | None, float | None, float | None]

Row = tuple[Any, ...]


class Pooled(NamedTuple):
    """The estimates of a family together."""

    q: float
    tau2: float | None
    mean: float
    se: float


def _families(rows: Iterable[Estimate]) -> dict[str, list[tuple[str, float, float, float | None]]]:
    found: dict[str, list[tuple[str, float, float, float | None]]] = defaultdict(list)
    for family, name, estimate, se, df in rows:
        if estimate is not None and se is not None and se > 0:
            found[family].append((name, estimate, se, df))
    return dict(sorted(found.items()))


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(w * x for w, x in zip(weights, values, strict=True)) / math.fsum(weights)


def _pooled(values: Sequence[float], errors: Sequence[float]) -> Pooled:
    weights = [1 / se**2 for se in errors]
    center, total = _mean(values, weights), math.fsum(weights)
    q = math.fsum(w * (x - center) ** 2 for w, x in zip(weights, values, strict=True))
    tau2 = None
    if len(values) > 1:
        tau2 = max(0.0, (q - len(values) + 1) / (total - math.fsum(w * w for w in weights) / total))
    wider = [1 / (se**2 + (tau2 or 0.0)) for se in errors]
    return Pooled(q, tau2, _mean(values, wider), 1 / math.sqrt(math.fsum(wider)))


def heterogeneity(rows: Iterable[Estimate], level: float = 0.95) -> list[Row]:
    found: list[Row] = []
    for family, own in _families(rows).items():
        values, errors = [x for _, x, _, _ in own], [se for _, _, se, _ in own]
        n, pooled = len(own), _pooled(values, errors)
        half = normal_quantile((1 + level) / 2) * pooled.se
        end = (pooled.tau2, pooled.mean, pooled.se, pooled.mean - half, pooled.mean + half)
        if n < 2:
            found.append((family, n, None, 0, None, None, *end))
            continue
        p = _p(pooled.q, errors, [df for *_, df in own])
        i2 = max(0.0, 1 - (n - 1) / pooled.q) if pooled.q else 0.0
        found.append((family, n, pooled.q, n - 1, p, i2, *end))
    return found


def _p(q: float, errors: Sequence[float], dfs: Sequence[float | None]) -> float:
    """Return the p of Welch's test of equal means, or of the chi-square test if the errors are known."""
    n, total = len(errors), math.fsum(1 / se**2 for se in errors)
    excess = math.fsum(
        (1 - 1 / se**2 / total) ** 2 / df for se, df in zip(errors, dfs, strict=True) if df is not None
    )
    if excess <= 1e-9:
        return chi_square_sf(q, n - 1)
    f = q / (n - 1) / (1 + 2 * (n - 2) / (n * n - 1) * excess)
    return f_sf(f, n - 1, (n * n - 1) / (3 * excess))


def shrinkage(rows: Iterable[Estimate], level: float = 0.95) -> list[Row]:
    return [
        (family, *row) for family, own in _families(rows).items()
        for row in _shrunken([one[:3] for one in own], normal_quantile((1 + level) / 2))
    ]  # fmt: skip


def _shrunken(own: Sequence[tuple[str, float, float]], z: float) -> Iterator[Row]:
    pooled = _pooled([x for _, x, _ in own], [se for _, _, se in own])
    for name, estimate, se in own:
        b = se**2 / (se**2 + (pooled.tau2 or 0.0))
        shrunk = pooled.mean + (1 - b) * (estimate - pooled.mean)
        error = math.sqrt((1 - b) * se**2 + b**2 * pooled.se**2)
        yield name, estimate, se, shrunk, error, shrunk - z * error, shrunk + z * error
