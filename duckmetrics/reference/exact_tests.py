"""Tests on counts once more, in whole numbers, and the AUC by its pairs of rows."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.distributions import chi_square_sf, normal_p, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    Scored = tuple[str, Hashable, float | None, float | None]
    Placements = dict[tuple[Hashable, bool], float]

Row = tuple[Any, ...]
# Probabilities that differ by less, relative to their size, are alike.
ALIKE = 1 + Fraction(1, 10**7)


def sample_ratio(rows: Iterable[tuple[float, float]], alpha: float = 0.001) -> list[Row]:
    arms = [(Fraction(o), Fraction(e)) for o, e in rows if o or e]
    if not arms:
        return []
    n, planned = sum(o for o, _ in arms), sum(e for _, e in arms)
    scaled = [(o, e * n / planned) for o, e in arms]
    statistic = math.fsum(float((o - e) ** 2 / e) if e else math.inf for o, e in scaled)
    df = len(arms) - 1
    p = chi_square_sf(statistic, df) if df else None
    return [(statistic, df, p, float(n), None if p is None else p < alpha)]


def binomial_test(rows: Iterable[tuple[float, float]]) -> list[Row]:
    arms = [(Fraction(o), Fraction(e)) for o, e in rows]
    if not arms:
        return []
    n, planned = sum(o for o, _ in arms), sum(e for _, e in arms)
    k, e = min(arms, key=lambda arm: (arm[0] - arm[1] * n / planned, arm[0], arm[1]))
    share = e / planned
    if len(arms) != 2 or not n or k.denominator > 1 or n.denominator > 1:
        return [(float(k), float(share * n), float(n), None)]
    trials = int(n)
    chances = [math.comb(trials, x) * share**x * (1 - share) ** (trials - x) for x in range(trials + 1)]
    p = sum(chance for chance in chances if chance <= chances[int(k)] * ALIKE)
    return [(float(k), float(share * n), float(n), float(p))]


def fisher_exact(cells: Iterable[tuple[str, str, int]]) -> list[Row]:
    table: Counter[tuple[str, str]] = Counter()
    for row, column, count in cells:
        table[row, column] += count
    if not table:
        return []
    total = sum(table.values())
    rows, columns = (sorted({key[i] for key in table}) for i in (0, 1))
    if len(rows) != 2 or len(columns) != 2 or not total:
        return [(total, None, None)]
    a, b, c, d = (table[row, column] for row in rows for column in columns)
    ways = [math.comb(a + b, x) * math.comb(c + d, a + c - x) for x in range(a + c + 1)]
    p = Fraction(sum(w for w in ways if w <= ways[a] * ALIKE), sum(ways))
    odds = a * d / (b * c) if b * c else math.inf if a * d else None
    return [(total, odds, float(p))]


def delong(rows: Iterable[Scored], baseline: str | None = None, level: float = 0.95) -> list[Row]:
    systems: dict[str, dict[tuple[Hashable, bool], float]] = {}
    for system, row_id, label, score in rows:
        if label is not None and score is not None:
            systems.setdefault(system, {})[row_id, label > 0] = score
    placed = {system: _placements(scores) for system, scores in sorted(systems.items())}
    z = normal_quantile((1 + level) / 2)
    found: list[Row] = []
    for system, own in placed.items():
        sizes = tuple(sum(positive is wanted for _, positive in systems[system]) for wanted in (True, False))
        auc, square = _auc(own)
        other = {} if baseline in (None, system) else placed.get(str(baseline), {})
        base, base_square = _auc(other)
        delta = None if auc is None or base is None else auc - base
        between = None
        if square is not None and base_square is not None:
            between = max(square + base_square - 2 * _covariance(own, other), 0.0)
        compared = _interval(delta, between, z)
        tail: Row = (None, None)
        if delta is not None and compared[0]:
            tail = delta / compared[0], normal_p(delta / compared[0])
        found.append((system, *sizes, auc, *_interval(auc, square, z), delta, *compared, *tail))
    return found


def _placements(scores: dict[tuple[Hashable, bool], float]) -> Placements:
    """Return the share of the other class that a row is on the right side of, pair by pair."""
    positives = [s for (_, positive), s in scores.items() if positive]
    negatives = [s for (_, positive), s in scores.items() if not positive]
    if not positives or not negatives:
        return {}
    return {
        key: fmean(_won(score, other) for other in negatives) if key[1]
        else fmean(_won(other, score) for other in positives)
        for key, score in scores.items()
    }  # fmt: skip


def _won(positive: float, negative: float) -> float:
    return (positive > negative) + (positive == negative) / 2


def _classes(placed: Placements) -> tuple[list[float], list[float]]:
    return [v for (_, positive), v in placed.items() if positive], [
        v for (_, positive), v in placed.items() if not positive
    ]


def _auc(placed: Placements) -> tuple[float | None, float | None]:
    """Return the AUC and its variance, None where a class has fewer than two rows."""
    if not placed:
        return None, None
    positives, negatives = _classes(placed)
    if min(len(positives), len(negatives)) < 2:
        return fmean(positives), None
    return fmean(positives), sum(variance(values) / len(values) for values in (positives, negatives))


def _covariance(one: Placements, other: Placements) -> float:
    total = 0.0
    for wanted, a, b in zip((True, False), _classes(one), _classes(other), strict=True):
        common = [key for key in one if key in other and key[1] is wanted]
        products = math.fsum((one[key] - fmean(a)) * (other[key] - fmean(b)) for key in common)
        total += products / math.sqrt(len(a) * (len(a) - 1) * len(b) * (len(b) - 1))
    return total


def _interval(value: float | None, square: float | None, z: float) -> Sequence[float | None]:
    if value is None or square is None or square < 1e-30:
        return None, None, None
    se = math.sqrt(square)
    return se, value - z * se, value + z * se


def signed_ranks_p(doubled: Sequence[int], gap: int) -> float:
    """Return the share of all choices of signs whose sum is at least as far from 0."""
    bits, ways = len(doubled) + 1, 1
    for rank in doubled:
        ways += ways << rank * bits
    total = sum(doubled)
    far = sum(number for gains, number in enumerate(_digits(ways, bits)) if abs(2 * gains - total) >= gap)
    return far / (1 << len(doubled))


def pairs_won_p(doubled: Sequence[int], gap: int, n: int) -> float:
    """Return the share of all choices of n ranks whose sum is at least as far from its mean.

    Args:
        doubled: twice the midranks of all values.
        gap: twice the distance of the observed sum from its mean.
    """
    bits, ways = len(doubled) + 1, [1] + [0] * n
    for rank in doubled:
        for taken in range(n, 0, -1):
            ways[taken] += ways[taken - 1] << rank * bits
    middle = n * (len(doubled) + 1)
    far = sum(number for total, number in enumerate(_digits(ways[n], bits)) if abs(total - middle) >= gap)
    return far / math.comb(len(doubled), n)


def _digits(number: int, bits: int) -> Iterator[int]:
    """Yield the numbers of choices by their sum: the digits of one whole number, `bits` bits each."""
    text = f"{number:b}"
    text = text.zfill(-(-len(text) // bits) * bits)
    for end in range(len(text), 0, -bits):
        yield int(text[end - bits : end], 2)
