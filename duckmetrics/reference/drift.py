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
    return _index(_bins(before, after, bins), len(before), len(after), smallest)


def _index(shares: Sequence[tuple[float, float]], m: int, n: int, smallest: float) -> Row:
    """Return p, the sizes, the index, its statistic, and the degrees of freedom."""
    pairs = [(max(a, smallest), max(b, smallest)) for a, b in shares]
    value = math.fsum((a - b) * math.log(a / b) for a, b in pairs)
    statistic, df = value / (1 / m + 1 / n), len(pairs) - 1
    # With fewer expected values, the distribution of the statistic is not chi-square.
    is_large = min(b for _, b in pairs) * min(m, n) >= 100
    return chi_square_sf(statistic, df) if df and is_large else None, m, n, value, statistic, df


def _bins(before: Sequence[float], after: Sequence[float], bins: int) -> list[tuple[float, float]]:
    """Return the shares of the arm and of the control in each bin."""
    m = len(before)
    # The last value of a bin is the one that brings the number of values past a multiple of m / bins.
    last = [
        x for x in sorted({*before})
        if min(bisect_right(before, x) * bins // m, bins - 1) > bisect_left(before, x) * bins // m
    ]  # fmt: skip
    old, new = (Counter(bisect_left(last, x) for x in sample) for sample in (before, after))
    return [(new[i] / len(after), old[i] / m) for i in sorted({*old, *new})]


def jensen_shannon(rows: Iterable[tuple[str, float | None]], control: str, bins: int = 10) -> list[Row]:
    return [
        (arm, len(before), len(after), _apart(_bins(before, after, bins)))
        for arm, before, after in _samples(rows, control)
    ]


def _apart(shares: Sequence[tuple[float, float]]) -> float:
    """Return the square root of the entropy of the mean, less the mean of both entropies, in bits."""

    def entropy(parts: Iterable[float]) -> float:
        return -math.fsum(part * math.log2(part) for part in parts if part)

    one, other = ([pair[i] for pair in shares] for i in (0, 1))
    mean = [(a + b) / 2 for a, b in shares]
    return math.sqrt(max(entropy(mean) - (entropy(one) + entropy(other)) / 2, 0.0))


def category_drift(
    rows: Iterable[tuple[str, object]], control: str, most: int = 100, smallest: float = 0.0001
) -> list[Row]:
    counts: dict[str, Counter[str | None]] = {}
    for arm, category in rows:
        counts.setdefault(arm, Counter())[None if category is None else str(category)] += 1
    old = counts.pop(control, Counter())
    return [(arm, *_categories(old, new, most, smallest)) for arm, new in sorted(counts.items()) if old]


def _categories(old: Counter[str | None], new: Counter[str | None], most: int, smallest: float) -> Row:
    m, n = old.total(), new.total()
    known = sorted({*old, *new}, key=lambda c: (-new[c] / n - old[c] / m, c is None, c or ""))
    shares = [(new[c] / n, old[c] / m) for c in known[:most]]
    if rare := known[most:]:
        shares.append((sum(new[c] for c in rare) / n, sum(old[c] for c in rare) / m))
    p, *_, value, statistic, df = _index(shares, m, n, smallest)
    return (
        p, m, n, value, _apart(shares), statistic, df, len(known), len(rare),
        sum(new[c] for c in known if not old[c]) / n, _names(c for c in known if not old[c]),
        sum(old[c] for c in known if not new[c]) / m, _names(c for c in known if not new[c]),
    )  # fmt: skip


def _names(categories: Iterable[str | None]) -> str | None:
    names = ["NULL" if c is None else c for c in categories]
    return ", ".join(names if len(names) <= 20 else [*names[:20], "..."]) or None
