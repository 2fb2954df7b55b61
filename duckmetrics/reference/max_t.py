"""Comparisons that are adjusted together by the largest statistic of random signs, once more."""

from __future__ import annotations

import math
import random
from statistics import NormalDist
from typing import TYPE_CHECKING

from duckmetrics.reference.distributions import normal_p
from duckmetrics.reference.draws import drawn_p
from duckmetrics.reference.paired import EPSILON

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from duckmetrics.reference.paired import PerQuery, Row

    Differences = dict[Hashable, float]


def max_t(
    rows: Iterable[PerQuery],
    baseline: str,
    resamples: int = 10_000,
    seed: int = 42,
    groups: int = 2000,
    alpha: float = 0.05,
) -> list[Row]:
    found = _differences(list(rows), baseline)
    units = sorted({unit for own in found.values() for unit in own}, key=str)
    generator = random.Random(seed)
    group = {unit: generator.randrange(groups) if len(units) > groups else unit for unit in units}
    sums = {key: _by_group(own, group) for key, own in found.items()}
    family = sorted((key for key in found if len(found[key]) > 1), key=lambda key: -score(sums[key].values()))
    draws = [_with_signs(sums, generator) for _ in range(resamples)]
    tops = [[max(score(draw[key]) for key in family[i:]) for i in range(len(family))] for draw in draws]
    numbers: dict[tuple[str, str], tuple[float, float]] = {}
    highest = 0.0
    for place, key in enumerate(family):
        least, total = score(sums[key].values()) * (1 - 1e-9), abs(math.fsum(sums[key].values()))
        p = drawn_p(abs(math.fsum(draw[key])) >= total - EPSILON for draw in draws)
        highest = max(highest, p, drawn_p(top[place] >= least for top in tops))
        numbers[key] = p, highest
    critical = sorted(top[0] for top in tops)[math.ceil((1 - alpha) * resamples) - 1] if family else 0.0
    return [
        (*key, len(own), math.fsum(own.values()) / len(own), _statistic(list(sums[key].values())),
         *numbers.get(key, (None, None)), normal_p(critical) if key in numbers else None, resamples)
        for key, own in sorted(found.items())
    ]  # fmt: skip


def score(differences: Iterable[float]) -> float:
    """Return the size of a paired t statistic on the scale of a normal distribution."""
    known = list(differences)
    n, total, square = len(known), math.fsum(known), math.fsum(d * d for d in known)
    largest = -NormalDist().inv_cdf(2.0 ** -min(n, 1000))
    if not square:
        return 0.0
    if total * total >= n * square * (1 - EPSILON):
        return largest
    spread = -(n - 1) * math.log1p(-total * total / (n * square))
    return min(largest * (1 - 1e-7), (8 * n - 7) / (8 * n - 5) * math.sqrt(spread))


def _differences(rows: Sequence[PerQuery], baseline: str) -> dict[tuple[str, str], Differences]:
    """Return the differences of the units with both values; ties are 0."""
    values = {(system, metric, unit): value for system, metric, unit, value in rows if value is not None}
    sizes: dict[tuple[str, str], list[float]] = {}
    found: dict[tuple[str, str], Differences] = {}
    for (system, metric, unit), value in values.items():
        before = values.get((baseline, metric, unit))
        if system != baseline and before is not None:
            sizes.setdefault((system, metric), []).append(max(abs(value), abs(before)))
            found.setdefault((system, metric), {})[unit] = value - before
    for key, own in found.items():
        alike = EPSILON * math.fsum(sizes[key]) / len(own)
        found[key] = {unit: 0.0 if abs(d) <= alike else d for unit, d in own.items()}
    return found


def _by_group(own: Differences, group: Mapping[Hashable, Hashable]) -> Differences:
    summed: Differences = {}
    for unit, difference in own.items():
        summed[group[unit]] = summed.get(group[unit], 0.0) + difference
    return summed


def _with_signs(
    sums: Mapping[tuple[str, str], Differences], generator: random.Random
) -> dict[tuple[str, str], list[float]]:
    """Return the differences of all comparisons with a random sign for each unit."""
    units = sorted({unit for own in sums.values() for unit in own}, key=str)
    signs = dict(zip(units, generator.choices((-1.0, 1.0), k=len(units)), strict=True))
    return {key: [signs[unit] * d for unit, d in own.items()] for key, own in sums.items()}


def _statistic(differences: Sequence[float]) -> float | None:
    n, total, square = len(differences), math.fsum(differences), math.fsum(d * d for d in differences)
    if total * total >= n * square * (1 - EPSILON):
        return None
    return total / math.sqrt((n * square - total * total) / (n - 1))
