"""Two samples once more: is the distribution of an arm that of the control?"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.arms import groups_of
from duckmetrics.reference.distributions import chi_square_sf, kolmogorov_sf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Row = tuple[Any, ...]
MOST_STEPS = {None: 200_000, True: 2_000_000, False: -1}


def _samples(
    rows: Iterable[tuple[str, float | None]], control: str
) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yield each arm with the sorted values of the control and its own."""
    groups = {arm: sorted(values) for arm, values in groups_of(rows).items() if values}
    before = groups.pop(control, [])
    for arm, after in groups.items():
        if before:
            yield arm, before, after


def kolmogorov_smirnov(
    rows: Iterable[tuple[str, float | None]], control: str, exact: bool | None = None
) -> list[Row]:
    return [
        (arm, *_distance(before, after, MOST_STEPS[exact])) for arm, before, after in _samples(rows, control)
    ]


def _distance(before: Sequence[float], after: Sequence[float], most_steps: int) -> Row:
    m, n = len(before), len(after)
    gaps = {x: abs(bisect_right(after, x) * m - bisect_right(before, x) * n) for x in (*before, *after)}
    largest = max(gaps.values())
    place = min(x for x, gap in gaps.items() if gap == largest)
    is_exact = (m + n) * min(m, n) <= most_steps
    p = _share_of_orders(m, n, largest) if is_exact else kolmogorov_sf(largest / math.sqrt(m * n * (m + n)))
    return p, m, n, largest / (m * n), place, is_exact


def _share_of_orders(m: int, n: int, largest: int) -> float:
    """Count the orders of m and n values with a difference that reaches `largest`, in whole numbers."""
    below: Counter[tuple[int, int]] = Counter({(0, 0): 1 if largest else 0})
    for i in range(m + 1):
        for j in range(n + 1):
            if i + j and abs(i * n - j * m) < largest:
                below[i, j] = below[i - 1, j] + below[i, j - 1]
    every = math.comb(m + n, n)
    return (every - below[m, n]) / every


def population_stability(
    rows: Iterable[tuple[str, float | None]], control: str, bins: int = 10, smallest: float = 0.0001
) -> list[Row]:
    return [
        (arm, *_stability(before, after, bins, smallest)) for arm, before, after in _samples(rows, control)
    ]


def _stability(before: Sequence[float], after: Sequence[float], bins: int, smallest: float) -> Row:
    m, n = len(before), len(after)
    # The last value of a bin is the one that brings the number of values past a multiple of m / bins.
    last = [
        x for x in sorted({*before})
        if min(bisect_right(before, x) * bins // m, bins - 1) > bisect_left(before, x) * bins // m
    ]  # fmt: skip
    shares = []
    for sample in (before, after):
        counts = Counter(bisect_left(last, x) for x in sample)
        shares.append({place: count / len(sample) for place, count in counts.items()})
    old, new = shares
    places = sorted({*old, *new})
    pairs = [(max(new.get(i, 0), smallest), max(old.get(i, 0), smallest)) for i in places]
    value = math.fsum((a - b) * math.log(a / b) for a, b in pairs)
    statistic, df = value / (1 / m + 1 / n), len(places) - 1
    # With fewer expected values, the distribution of the statistic is not chi-square.
    is_large = min(max(old.get(i, 0), smallest) for i in places) * min(m, n) >= 100
    return chi_square_sf(statistic, df) if df and is_large else None, m, n, value, statistic, df
