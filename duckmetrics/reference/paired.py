"""The statistics of per-query values once more: against a baseline, and of each system alone.

A row is (system, metric, query_id, value); the results have the columns of the SQL file of the
same name. Random numbers come from Python's generator, not from the hashes of the SQL.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from statistics import fmean, stdev, variance
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.distributions import (
    binomial_cdf,
    chi_square_sf,
    normal_p,
    poisson_count,
    student_t_critical,
    student_t_mde,
    student_t_p,
    student_t_sf,
)
from duckmetrics.reference.draws import choices_of_signs, drawn_p, signed_sums
from duckmetrics.reference.exact_tests import signed_ranks_p

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    PerQuery = tuple[str, str, Hashable, float | None]
    Pair = tuple[float, float]

EPSILON = 1e-12
Row = tuple[Any, ...]


def pairs(rows: Iterable[PerQuery], baseline: str) -> Iterator[tuple[str, str, list[Pair]]]:
    """Yield (system, metric, [(value of the baseline, value)]) of the units with both."""
    values = {(system, metric, query): value for system, metric, query, value in rows if value is not None}
    found: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for (system, metric, query), value in values.items():
        if system != baseline and (baseline, metric, query) in values:
            found[system, metric].append((values[baseline, metric, query], value))
    for (system, metric), both in sorted(found.items()):
        yield system, metric, both


def rounding(both: Sequence[Pair]) -> float:
    """Return the largest difference of equal values: a share of their mean size."""
    return EPSILON * fmean(max(abs(a), abs(b)) for a, b in both)


def signs(both: Sequence[Pair]) -> tuple[int, int, int]:
    """Return wins, ties and losses."""
    alike = rounding(both)
    wins = sum(b - a > alike for a, b in both)
    losses = sum(a - b > alike for a, b in both)
    return wins, len(both) - wins - losses, losses


def mean_interval(rows: Iterable[PerQuery], level: float = 0.95) -> list[Row]:
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for system, metric, _, value in rows:
        groups[system, metric] += [] if value is None else [value]
    found: list[Row] = []
    for key, values in sorted(groups.items()):
        n = len(values)
        if n < 2:
            found.append((*key, n, values[0] if values else None, None, None, None, None))
            continue
        mean, sd = fmean(values), stdev(values)
        half = student_t_critical(1 - level, n - 1) * sd / math.sqrt(n)
        found.append((*key, n, mean, sd, sd / math.sqrt(n), mean - half, mean + half))
    return found


def paired_t(
    rows: Iterable[PerQuery], baseline: str, level: float = 0.95, alpha: float = 0.05, power: float = 0.8
) -> list[Row]:
    return [(*key, *_paired_t(both, level, alpha, power)) for *key, both in pairs(rows, baseline)]


def _paired_t(both: Sequence[Pair], level: float, alpha: float, power: float) -> Row:
    n, differences = len(both), [b - a for a, b in both]
    before, after = fmean(a for a, _ in both), fmean(b for _, b in both)
    delta = fmean(differences)
    change = delta / abs(before) if before else None
    if n < 2:
        return (n, before, after, delta, None, None, None, None, change, None, None, None, None, None,
                *signs(both), None, 0, None, None)  # fmt: skip
    spread = (variance(a for a, _ in both) + variance(b for _, b in both)) / 2
    d_av = delta / math.sqrt(spread) if spread else None
    sd = stdev(differences)
    lower, upper = _relative_bounds(both, level)
    alike = EPSILON * max(abs(before), abs(after), math.sqrt(spread))
    if sd <= alike:
        p = 1.0 if abs(delta) <= alike else fair_coin_p(0, n)
        return (n, before, after, delta, sd, 0.0, delta, delta, change, lower, upper, None, d_av, None,
                *signs(both), None, n - 1, p, None)  # fmt: skip
    se, d_z = sd / math.sqrt(n), delta / sd
    half = student_t_critical(1 - level, n - 1) * se
    mde = student_t_mde(se, n - 1, alpha, power)
    hedges = d_z * (1 - 3 / (4 * (n - 1) - 1))
    return (n, before, after, delta, sd, se, delta - half, delta + half, change, lower, upper, d_z, d_av,
            hedges, *signs(both), delta / se, n - 1, student_t_p(delta / se, n - 1), mde)  # fmt: skip


def paired_tost(
    rows: Iterable[PerQuery], baseline: str, margin: float, relative: bool = False, alpha: float = 0.05
) -> list[Row]:
    return [(*key, *_paired_tost(both, margin, relative, alpha)) for *key, both in pairs(rows, baseline)]


def _paired_tost(both: Sequence[Pair], margin: float, relative: bool, alpha: float) -> Row:
    n, before, after = len(both), fmean(a for a, _ in both), fmean(b for _, b in both)
    delta = fmean(b - a for a, b in both)
    size = margin * abs(before) if relative else margin
    if n < 2 or not size:
        size_and_bounds = (size or None, *((None,) * 2 if n < 2 else _bounds(both, alpha)))
        se = None if n < 2 else _error([b - a for a, b in both], both)
        return (n, before, after, delta, se, *size_and_bounds, None, None, n - 1, None, None, None)
    share = math.copysign(margin, before)
    over, under = ([b - a + way * (share * a if relative else margin) for a, b in both] for way in (1, -1))
    t_over, t_under = _statistic(over, both), _statistic(under, both)
    higher = _one_sided(t_over, over, both)
    lower = _one_sided(None if t_under is None else -t_under, [-x for x in under], both)
    return (n, before, after, delta, _error([b - a for a, b in both], both), size, *_bounds(both, alpha),
            t_over, t_under, n - 1, higher, lower, max(higher, lower))  # fmt: skip


def _alike(both: Sequence[Pair]) -> float:
    spread = (variance(a for a, _ in both) + variance(b for _, b in both)) / 2
    return EPSILON * max(abs(fmean(a for a, _ in both)), abs(fmean(b for _, b in both)), math.sqrt(spread))


def _error(differences: Sequence[float], both: Sequence[Pair]) -> float:
    sd = stdev(differences)
    return 0.0 if sd <= _alike(both) else sd / math.sqrt(len(both))


def _bounds(both: Sequence[Pair], alpha: float) -> tuple[float, float]:
    differences = [b - a for a, b in both]
    half = student_t_critical(2 * alpha, len(both) - 1) * _error(differences, both)
    return fmean(differences) - half, fmean(differences) + half


def _statistic(values: Sequence[float], both: Sequence[Pair]) -> float | None:
    error = _error(values, both)
    return fmean(values) / error if error else None


def _one_sided(t: float | None, values: Sequence[float], both: Sequence[Pair]) -> float:
    """Return P(T >= t), or that of heads only if all values are equal."""
    if t is None:
        return 0.5 ** len(both) if fmean(values) > _alike(both) else 1.0
    return student_t_sf(t, len(both) - 1)


def _relative_bounds(both: Sequence[Pair], level: float) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of mean(b) / mean(a) - 1 by the delta method, in units of abs(mean(a))."""
    n, before = len(both), fmean(a for a, _ in both)
    if not before:
        return None, None
    ratio = fmean(b for _, b in both) / before
    change = math.copysign(1, before) * (ratio - 1)
    se = stdev([b - ratio * a for a, b in both]) / (math.sqrt(n) * abs(before))
    half = student_t_critical(1 - level, n - 1) * se
    return change - half, change + half


def sign_test(rows: Iterable[PerQuery], baseline: str) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        wins, ties, losses = signs(both)
        p = fair_coin_p(wins, losses) if len(both) > 1 else None
        found.append((system, metric, len(both), wins, ties, losses, p))
    return found


def fair_coin_p(heads: int, tails: int) -> float:
    return min(1.0, 2 * binomial_cdf(min(heads, tails), heads + tails, 0.5))


def mcnemar(rows: Iterable[PerQuery], baseline: str) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        cells = Counter((a > 0, b > 0) for a, b in both)
        b, c = cells[True, False], cells[False, True]
        n, known = len(both), len(both) > 1
        statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c) if known and b + c else None
        found.append((
            system, metric, n, cells[True, True], b, c, cells[False, False],
            fair_coin_p(b, c) if known else None,
            statistic, None if statistic is None else chi_square_sf(statistic, 1),
        ))  # fmt: skip
    return found


def wilcoxon(
    rows: Iterable[PerQuery],
    baseline: str,
    zeros: str = "wilcox",
    correction: bool = False,
    exact: bool | None = None,
) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        alike = rounding(both) or 1.0
        differences = [round(EPSILON * (b - a) / alike, 12) for a, b in both]
        found.append((system, metric, len(both), *_wilcoxon(differences, zeros, correction, exact)))
    return found


def _wilcoxon(differences: Sequence[float], zeros: str, correction: bool, exact: bool | None) -> Row:
    ranked = [abs(d) for d in differences if d or zeros == "pratt"]
    plus = math.fsum(midrank(d, ranked) for d in differences if d > 0)
    minus = math.fsum(midrank(-d, ranked) for d in differences if d < 0)
    ties = differences.count(0)
    if ties == len(differences):
        return ties, plus, minus, None, None, 1.0 if ties > 1 else None, exact is not False
    # Under the hypothesis every rank has a sign of its own.
    scores = [midrank(abs(d), ranked) for d in differences if d]
    surplus, sd = plus - math.fsum(scores) / 2, math.sqrt(math.fsum(s * s for s in scores)) / 2
    if correction and surplus:
        surplus -= math.copysign(0.5, surplus)
    biserial = (plus - minus) / (plus + minus)
    few = exact is not False and len(scores) <= (500 if exact else 200) and len(ranked) <= 1000
    if len(differences) < 2:
        return ties, plus, minus, biserial, None, None, few
    p = normal_p(surplus / sd)
    if few:
        p = signed_ranks_p([round(2 * score) for score in scores], round(2 * abs(plus - minus)))
    return ties, plus, minus, biserial, surplus / sd, p, few


def movers(rows: Iterable[PerQuery], baseline: str, n: int = 20) -> list[Row]:
    """Return the units that gain and lose most, in the order of their differences."""
    values = {(system, metric, query): value for system, metric, query, value in rows if value is not None}
    rows = [(*key, value) for key, value in values.items()]
    alike = {(system, metric): rounding(both) for system, metric, both in pairs(rows, baseline)}
    moved: dict[tuple[str, str, str], list[tuple[float, Any]]] = defaultdict(list)
    for (system, metric, query), value in values.items():
        difference = value - values.get((baseline, metric, query), math.nan)
        if abs(difference) > alike.get((system, metric), math.inf):
            moved[system, metric, "gain" if difference > 0 else "loss"].append((-abs(difference), query))
    return [
        (*key, place, query, values[baseline, key[1], query], values[key[0], key[1], query],
         values[key[0], key[1], query] - values[baseline, key[1], query])
        for key, units in sorted(moved.items())
        for place, (_, query) in enumerate(sorted(units)[:n], start=1)
    ]  # fmt: skip


def midrank(value: float, values: Sequence[float]) -> float:
    """Return the middle of the ranks of all values that equal this one."""
    return sum(other < value for other in values) + (values.count(value) + 1) / 2


def randomization_test(
    rows: Iterable[PerQuery],
    baseline: str,
    resamples: int = 10_000,
    seed: int = 42,
    exact: bool | None = None,
) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        differences, n = [b - a for a, b in both], len(both)
        draws, every = choices_of_signs(n, resamples, seed, exact)
        enough = abs(sum(differences)) - n * rounding(both)
        p = drawn_p((abs(total) >= enough for total in signed_sums(differences, draws)), every)
        p = max(p, fair_coin_p(0, n))
        found.append((system, metric, n, fmean(differences), sum(differences), p if n > 1 else None,
                      len(draws), every))  # fmt: skip
    return found


def randomization_tost(
    rows: Iterable[PerQuery],
    baseline: str,
    margin: float,
    relative: bool = False,
    resamples: int = 10_000,
    seed: int = 42,
    exact: bool | None = None,
) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        n, mean = len(both), fmean(a for a, _ in both)
        draws, every = choices_of_signs(n, resamples, seed, exact)
        size, sign = margin * abs(mean) if relative else margin, math.copysign(1, mean)
        shares, statistics = [], []
        for way in (1, -1):
            moved = [way * (b - a) + (sign * margin * a if relative else margin) for a, b in both]
            enough = sum(moved) - n * rounding(both)
            share = drawn_p((total >= enough for total in signed_sums(moved, draws)), every)
            shares.append(max(share, fair_coin_p(0, n) / 2))
            statistics.append(way * sum(moved) if max(moved) - min(moved) > rounding(both) else None)
        if not size:
            statistics = [None, None]
        p = [*shares, max(shares)] if size and n > 1 else [None] * 3
        found.append((system, metric, n, mean, fmean(b for _, b in both), fmean(b - a for a, b in both),
                      size or None, *statistics, *p, len(draws), every))  # fmt: skip
    return found


def paired_bootstrap(
    rows: Iterable[PerQuery],
    baseline: str,
    resamples: int = 10_000,
    seed: int = 42,
    level: float = 0.95,
    method: str = "studentized",
) -> list[Row]:
    found: list[Row] = []
    for system, metric, both in pairs(rows, baseline):
        differences, alike = [b - a for a, b in both], rounding(both)
        drawn = _drawn(differences, resamples, seed)
        means = sorted(mean for mean, _ in drawn)
        numbers: Row = (None,) * 4
        if len(both) > 1:
            se, low, high = _spread(means, level)
            beyond = min(sum(m <= alike for m in means), sum(m >= -alike for m in means))
            p = min(1.0, 2 * (1 + beyond) / (1 + len(means)))
            if method == "studentized":
                low, high, p = _studentized(differences, drawn, level)
            p = max(p, fair_coin_p(0, len(both)))
            if stdev(differences) <= alike:
                p = 1.0 if abs(fmean(differences)) <= alike else fair_coin_p(0, len(both))
            numbers = se, low, high, p
        found.append((system, metric, len(both), fmean(differences), *numbers, len(means)))
    return found


def _studentized(
    differences: Sequence[float], drawn: Sequence[tuple[float, float]], level: float
) -> tuple[Any, Any, float]:
    """Return bounds and p, by the distance of the resampled means from the mean in their standard errors."""
    delta, se = fmean(differences), stdev(differences) / math.sqrt(len(differences))
    if not se:
        return delta, delta, 1.0
    far = sorted(abs(mean - delta) / error if error else math.inf for mean, error in drawn)
    p = (1 + sum(t >= abs(delta) / se * (1 - EPSILON) for t in far)) / (1 + len(far))
    place = math.ceil(level * (len(far) + 1) - 1e-9)
    half = far[place - 1] * se if place <= len(far) else math.inf
    return (delta - half, delta + half, p) if math.isfinite(half) else (None, None, p)


def bootstrap_interval(
    rows: Iterable[PerQuery], resamples: int = 10_000, seed: int = 42, level: float = 0.95
) -> list[Row]:
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for system, metric, _, value in rows:
        groups[system, metric] += [] if value is None else [value]
    found: list[Row] = []
    for key, values in sorted(groups.items()):
        means = _resampled(values, resamples, seed)
        numbers = _spread(means, level) if len(values) > 1 else (None,) * 3
        found.append((*key, len(values), fmean(values) if values else None, *numbers, len(means)))
    return found


def _resampled(values: Sequence[float], resamples: int, seed: int) -> list[float]:
    """Return the weighted means of the resamples that have any weight, sorted."""
    return sorted(mean for mean, _ in _drawn(values, resamples, seed))


def _drawn(values: Sequence[float], resamples: int, seed: int) -> list[tuple[float, float]]:
    """Return mean and standard error of the resamples with any weight; 0 if all drawn values are equal."""
    generator = random.Random(seed)
    found = []
    for _ in range(resamples):
        drawn = [value for value in values for _ in range(int(poisson_count(generator.random())))]
        if drawn:
            mean = fmean(drawn)
            known = len(set(drawn)) > 1
            found.append((mean, stdev(drawn) / math.sqrt(len(drawn)) if known else 0.0))
    return found


def _spread(means: Sequence[float], level: float) -> tuple[float, float, float]:
    """Return the deviation of the resampled means and their percentiles."""
    return stdev(means), percentile(means, (1 - level) / 2), percentile(means, (1 + level) / 2)


def percentile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
