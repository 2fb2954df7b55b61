"""The statistics of arms against a control once more: proportions, means, ratios, ranks."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from itertools import combinations
from statistics import fmean
from statistics import variance as variance_of
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.reference.choice import choose
from duckmetrics.reference.distributions import (
    normal_p,
    normal_quantile,
    satterthwaite_df,
    student_t_critical,
    student_t_mde,
    student_t_p,
)
from duckmetrics.reference.draws import drawn_p
from duckmetrics.reference.exact_tests import pairs_won_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Row = tuple[Any, ...]


def _proportions(rows: Iterable[tuple[str, float | None, float | None]]) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for arm, hits, n in rows:
        if hits is not None and n is not None:
            before = found.get(arm, (0.0, 0.0))
            found[arm] = before[0] + hits, before[1] + n
    return dict(sorted(found.items()))


def wilson(hits: float, n: float, level: float) -> tuple[float, float]:
    """Return the proportions p with (hits / n - p)^2 = z^2 p (1 - p) / n, by the quadratic formula."""
    z, share = normal_quantile((1 + level) / 2), hits / n
    a, b, c = 1 + z * z / n, -(2 * share + z * z / n), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def wilson_interval(rows: Iterable[tuple[str, float | None, float | None]], level: float = 0.95) -> list[Row]:
    return [
        (arm, hits, n, *((hits / n, *wilson(hits, n, level)) if n else (None,) * 3))
        for arm, (hits, n) in _proportions(rows).items()
    ]


def two_proportion_z(
    rows: Iterable[tuple[str, float | None, float | None]], control: str, level: float = 0.95
) -> list[Row]:
    arms = {arm: counts for arm, counts in _proportions(rows).items() if counts[1]}
    x, m = arms.pop(control, (0.0, 0.0))
    return [(arm, *_two_proportions(x, m, hits, n, level)) for arm, (hits, n) in arms.items() if m]


def _two_proportions(x: float, m: float, y: float, n: float, level: float) -> Row:
    p, q, both = x / m, y / n, (x + y) / (m + n)
    (low_p, high_p), (low_q, high_q) = wilson(x, m, level), wilson(y, n, level)
    delta = q - p
    low, high = delta - math.hypot(q - low_q, high_p - p), delta + math.hypot(high_q - q, p - low_p)
    ratio = q / p if x else None
    relative: Row = (None if ratio is None else ratio - 1, None, None)
    if ratio:
        half = normal_quantile((1 + level) / 2) * math.sqrt(1 / x - 1 / m + 1 / y - 1 / n)
        relative = ratio - 1, math.exp(math.log(ratio) - half) - 1, math.exp(math.log(ratio) + half) - 1
    h = 2 * (math.asin(math.sqrt(q)) - math.asin(math.sqrt(p)))
    known = min(m, n) >= 2
    if both in (0, 1):
        return p, q, delta, low, high, *relative, 1.0 if known else None, m, n, h, None
    z = delta / math.sqrt(both * (1 - both) * (1 / m + 1 / n))
    return p, q, delta, low, high, *relative, normal_p(z) if known else None, m, n, h, z


class Sample(NamedTuple):
    """The size of an arm, its mean, and the variance of the mean, None of one value."""

    n: int
    mean: float
    error: float | None

    def relative(self) -> Sample:
        """Return the logarithm of the mean, by the delta method."""
        error = None if self.error is None or self.mean <= 0 else self.error / self.mean**2
        return Sample(self.n, math.log(self.mean) if self.mean > 0 else math.nan, error)


def sample(values: Sequence[float]) -> Sample:
    error = variance_of(values) / len(values) if len(values) > 1 else None
    return Sample(len(values), fmean(values), error)


def satterthwaite(one: Sample, other: Sample) -> tuple[float, float] | None:
    """Return the standard error of a difference and its degrees of freedom."""
    if one.error is None or other.error is None or not one.error + other.error:
        return None
    df = satterthwaite_df(one.error, one.n - 1, other.error, other.n - 1)
    return math.sqrt(one.error + other.error), df


def groups_of(rows: Iterable[tuple[str, float | None]]) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for arm, value in rows:
        groups[arm] += [] if value is None else [value]
    return dict(sorted(groups.items()))


def welch_t(rows: Iterable[tuple[str, float | None]], control: str, level: float = 0.95) -> list[Row]:
    groups = {arm: values for arm, values in groups_of(rows).items() if values}
    before = groups.pop(control, [])
    return [(arm, *_welch(before, after, level)) for arm, after in groups.items() if before]


def _welch(before: Sequence[float], after: Sequence[float], level: float) -> Row:
    one, other = sample(before), sample(after)
    delta = other.mean - one.mean
    start, sizes = (one.mean, other.mean, delta), (one.n, other.n)
    ratio = other.mean / one.mean if one.mean else None
    change = delta / abs(one.mean) if one.mean else None
    relative: Row = (change, None, None)
    if ratio is not None and (spread := satterthwaite(one.relative(), other.relative())):
        factor = math.exp(student_t_critical(1 - level, spread[1]) * spread[0])
        relative = change, ratio / factor - 1, ratio * factor - 1
    found = satterthwaite(one, other)
    if found is None:
        if one.error is None or other.error is None:
            return *start, None, None, *relative, None, *sizes, None, None, None, None
        if ratio is not None and one.mean > 0 and other.mean > 0:
            relative = (ratio - 1,) * 3
        return *start, delta, delta, *relative, None if delta else 1.0, *sizes, 0.0, None, None, None
    se, df = found
    half, n = student_t_critical(1 - level, df) * se, one.n + other.n
    pooled = ((one.n - 1) * variance_of(before) + (other.n - 1) * variance_of(after)) / (n - 2)
    return (*start, delta - half, delta + half, *relative, student_t_p(delta / se, df), *sizes, se,
            delta / math.sqrt(pooled), delta / se, df)  # fmt: skip


def unpaired_t(
    rows: Iterable[tuple[str, str, object, float | None]], baseline: str, level: float = 0.95,
    alpha: float = 0.05, power: float = 0.8,
) -> list[Row]:  # fmt: skip
    """Return Welch's test of every system, in the columns of a comparison."""
    found: list[Row] = []
    metrics: dict[str, list[tuple[str, float | None]]] = defaultdict(list)
    for system, metric, _, value in rows:
        metrics[metric].append((system, value))
    for metric, values in metrics.items():
        for system, before, after, delta, low, high, *change, p, m, n, se, d, t, df in welch_t(
            values, baseline, level
        ):
            if df is None and change[1] is not None:
                change[1:] = [change[0]] * 2
            mde = None if df is None else student_t_mde(se, df, alpha, power)
            found.append(
                (system, metric, m, n, before, after, delta, se, low, high, *change, d, t, df, p, mde)
            )
    return sorted(found)


def unpaired_randomization(
    rows: Iterable[tuple[str, str, object, float | None]], baseline: str, resamples: int = 10_000,
    seed: int = 42, exact: bool | None = None,
) -> list[Row]:  # fmt: skip
    """Return how often Welch's statistic is as far from 0 after an exchange of units."""
    found: list[Row] = []
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for system, metric, _, value in rows:
        values[metric, system] += [] if value is None else [value]
    for (metric, system), own in sorted(values.items()):
        base = values.get((metric, baseline), [])
        m, n = len(base), len(own)
        if system == baseline or not base or not own:
            continue
        both, fits = [*base, *own], math.comb(m + n, m) <= resamples
        every = m + n <= 20 and (exact or (exact is None and fits))
        draws = combinations(range(m + n), m) if every else _random_choices(m, n, resamples, seed)
        seen = _distance(both, range(m))
        far = [_distance(both, chosen) >= seen - abs(seen) * 1e-9 for chosen in draws]
        delta, is_known = fmean(own) - fmean(base), min(m, n) > 1
        t = math.copysign(seen, delta) if is_known and 0 <= seen < math.inf else None
        p = max(drawn_p(far, every), (1 + (m == n)) / math.comb(m + n, m))
        found.append((system, metric, m, n, delta, t, p if is_known else None, len(far), every))
    return found


def _random_choices(m: int, n: int, resamples: int, seed: int) -> Iterator[list[int]]:
    generator = random.Random(seed)
    for _ in range(min(resamples, max(1000, 40_000_000 // (m + n)))):
        yield generator.sample(range(m + n), m)


def _distance(values: Sequence[float], chosen: Iterable[int]) -> float:
    """Return how far Welch's statistic is from 0; if no values vary, -1 or infinity."""
    places = set(chosen)
    one = [value for i, value in enumerate(values) if i in places]
    other = [value for i, value in enumerate(values) if i not in places]
    delta = abs(fmean(other) - fmean(one))
    error = sum(variance_of(side) / len(side) for side in (one, other) if len(side) > 1)
    if error > 1e-26 * fmean(value * value for value in values):
        return float(delta / math.sqrt(error))
    return math.inf if delta > 1e-12 * max(map(abs, values)) else -1.0


def cuped(
    rows: Iterable[tuple[str, float | None, float | None]], control: str, level: float = 0.95
) -> list[Row]:
    known = [(arm, y, x) for arm, y, x in rows if y is not None]
    both = [(y, x) for _, y, x in known if x is not None]
    center = fmean(x for _, x in both) if both else 0.0
    mean = fmean(y for y, _ in both) if both else 0.0
    spread = math.fsum((x - center) ** 2 for _, x in both)
    theta = math.fsum((y - mean) * (x - center) for y, x in both) / spread if spread else 0.0
    adjusted = groups_of((arm, y - theta * (0.0 if x is None else x - center)) for arm, y, x in known)
    raw = groups_of((arm, y) for arm, y, _ in known)
    found: list[Row] = []
    for arm in adjusted:
        if arm == control or control not in adjusted:
            continue
        tested = _welch(adjusted[control], adjusted[arm], level)
        p, m, n, se, _, statistic, df = tested[8:]
        plain = _welch(raw[control], raw[arm], level)
        plain_delta, plain_se = plain[2], plain[11]
        reduction = None if se is None or not plain_se else 1 - (se / plain_se) ** 2
        found.append((arm, *tested[:5], p, reduction, m, n, se, plain_delta, plain_se, theta, statistic, df))
    return found


def ratio_delta(
    rows: Iterable[tuple[str, float | None, float | None]],
    control: str,
    level: float = 0.95,
    variance: str = "jackknife",
) -> list[Row]:
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for arm, y, x in rows:
        groups[arm] += [] if y is None or x is None else [(y, x)]
    taken = choose({"jackknife": without_each, "delta": by_moments}, variance)
    arms = {arm: (taken(units), effective(units)) for arm, units in sorted(groups.items()) if units}
    before = arms.pop(control, None)
    return [
        (arm, *_ratios(before, after, level, variance == "delta")) for arm, after in arms.items() if before
    ]


def ratio_interval(
    rows: Iterable[tuple[str, float | None, float | None]], level: float = 0.95, variance: str = "jackknife"
) -> list[Row]:
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for arm, y, x in rows:
        groups[arm] += [] if y is None or x is None else [(y, x)]
    taken = choose({"jackknife": without_each, "delta": by_moments}, variance)
    return [
        (arm, *_ratio(taken(units), effective(units), level, variance == "delta"))
        for arm, units in sorted(groups.items()) if units
    ]  # fmt: skip


def _ratio(found: Sample, m: float, level: float, is_normal: bool) -> Row:
    worth = None if math.isnan(m) else m
    if found.error is None or math.isnan(found.mean):
        return found.n, worth, None if math.isnan(found.mean) else found.mean, *(None,) * 4
    se = math.sqrt(max(found.error, 0.0))
    sd = se * math.sqrt(found.n)
    if not is_normal and m <= 1:
        return found.n, worth, found.mean, sd, se, None, None
    critical = normal_quantile((1 + level) / 2) if is_normal else student_t_critical(1 - level, m - 1)
    return found.n, worth, found.mean, sd, se, found.mean - critical * se, found.mean + critical * se


def effective(units: Sequence[tuple[float, float]]) -> float:
    """Return the effective number of units."""
    square = math.fsum(x * x for _, x in units)
    return math.fsum(x for _, x in units) ** 2 / square if square else math.nan


def without_each(units: Sequence[tuple[float, float]]) -> Sample:
    """Return the ratio of the sums, and its variance by leaving out one unit after the other."""
    n, y, x = len(units), math.fsum(y for y, _ in units), math.fsum(x for _, x in units)
    if not x:
        return Sample(n, math.nan, None)
    if n < 2 or any(own == x for _, own in units):
        return Sample(n, y / x, None)
    without = [(y - own_y) / (x - own_x) for own_y, own_x in units]
    return Sample(n, y / x, (n - 1) ** 2 / n * variance_of(without))


def by_moments(units: Sequence[tuple[float, float]]) -> Sample:
    """Return the ratio of the sums, and its variance by var(y), var(x) and cov(y, x)."""
    n, my, mx = len(units), fmean(y for y, _ in units), fmean(x for _, x in units)
    if not mx:
        return Sample(n, math.nan, None)
    if n < 2:
        return Sample(n, my / mx, None)
    vy, vx = variance_of(y for y, _ in units), variance_of(x for _, x in units)
    covariance = math.fsum((y - my) * (x - mx) for y, x in units) / (n - 1)
    ratio = my / mx
    return Sample(n, ratio, (vy - 2 * ratio * covariance + ratio * ratio * vx) / (n * mx * mx))


def _ratios(
    control: tuple[Sample, float], treated: tuple[Sample, float], level: float, is_normal: bool
) -> Row:
    (before, m), (after, n) = control, treated
    start, sizes = tuple(None if math.isnan(s.mean) else s.mean for s in (before, after)), (before.n, after.n)
    delta = after.mean - before.mean
    if math.isnan(delta):
        return *start, *(None,) * 7, *sizes, None, None, None
    lift = after.mean / before.mean if before.mean else None
    change = delta / abs(before.mean) if before.mean else None
    if before.error is None or after.error is None:
        return *start, delta, None, None, change, None, None, None, *sizes, None, None, None
    se, critical, df = _error(before.error, m, after.error, n, level, is_normal)
    relative: Row = (None, None)
    if lift is not None and before.mean > 0 and after.mean > 0:
        errors = before.error / before.mean**2, after.error / after.mean**2
        log_se, log_critical, _ = _error(errors[0], m, errors[1], n, level, is_normal)
        factor = math.exp(log_critical * log_se)
        relative = lift / factor - 1, lift * factor - 1
    alike = 1e-12 * max(abs(before.mean), abs(after.mean))
    start = (*start, delta, delta - critical * se, delta + critical * se, change, *relative)
    if se <= alike:
        return *start, 1.0 if abs(delta) <= alike else None, *sizes, se, None, None
    p = normal_p(delta / se) if df is None else student_t_p(delta / se, df)
    return *start, p, *sizes, se, delta / se, df


def _error(
    one: float, m: float, other: float, n: float, level: float, is_normal: bool
) -> tuple[float, float, float | None]:
    """Return the standard error of a difference, the critical value, and its degrees of freedom."""
    se = math.sqrt(max(one + other, 0.0))
    if is_normal:
        return se, normal_quantile((1 + level) / 2), None
    if not one + other:
        return se, 0.0, None
    df = satterthwaite_df(one, m - 1, other, n - 1)
    return se, student_t_critical(1 - level, df), df


def mann_whitney(
    rows: Iterable[tuple[str, float | None]], control: str, exact: bool | None = None
) -> list[Row]:
    groups = {arm: values for arm, values in groups_of(rows).items() if values}
    before = groups.pop(control, [])
    found: list[Row] = []
    for arm, after in groups.items() if before else ():
        u = sum((y > x) + (y == x) / 2 for y in after for x in before)
        m, n, pooled = len(before), len(after), [*before, *after]
        total, surplus = m + n, u - m * n / 2
        # The variance of a rank sum is that of m draws from all ranks without putting back.
        ranks = [sum(b < a for b in pooled) + (pooled.count(a) + 1) / 2 for a in pooled]
        spread = math.fsum((rank - (total + 1) / 2) ** 2 for rank in ranks)
        sd = math.sqrt(m * n / (total * (total - 1)) * spread)
        z = math.copysign(max(abs(surplus) - 0.5, 0), surplus) / sd if sd else None
        p = 1.0 if z is None else normal_p(z)
        few = exact is not False and m * n <= (40_000 if exact else 10_000) and total <= 1000
        if few:
            p = pairs_won_p([round(2 * rank) for rank in ranks], round(abs(2 * surplus)), min(m, n))
        found.append((arm, u / (m * n), p, m, n, u, z, few))
    return found
