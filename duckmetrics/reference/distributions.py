"""The special functions once more, from their definitions.

Where the SQL expands a function into fractions and series, this module adds up finite sums, counts
exactly in integers, or integrates the density.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 1 / 128
ROOT_2 = math.sqrt(2)


def erf(x: float) -> float:
    return math.erf(x)


def erfc(x: float) -> float:
    return math.erfc(x)


def log1p(x: float) -> float:
    return math.log1p(x)


def normal_cdf(z: float) -> float:
    return math.erfc(-z / ROOT_2) / 2


def normal_sf(z: float) -> float:
    return math.erfc(z / ROOT_2) / 2


def normal_p(z: float) -> float:
    return math.erfc(abs(z) / ROOT_2)


def normal_quantile(p: float) -> float:
    return _quantile(normal_sf, p)


def chi_square_sf(x: float, df: int) -> float:
    """Return the finite sum of Abramowitz and Stegun 26.4.4 and 26.4.5, for every whole df."""
    if x <= 0:
        return 1.0
    half, start = x / 2, 0.5 * (df % 2)
    first = math.erfc(math.sqrt(half)) if df % 2 else 0.0
    exponents = (start + i for i in range(df // 2))
    return first + math.fsum(math.exp(a * math.log(half) - half - math.lgamma(a + 1)) for a in exponents)


def student_t_p(t: float, df: float) -> float:
    """Return twice the integral of the density from abs(t) on, where s = abs(t) / u."""
    t = abs(t)
    if t < 1:
        return 1 - 2 * integral(lambda s: _student_t_density(s, df), t)
    return 2 * integral(lambda u: _student_t_density(t / u, df) * t / (u * u), 1)


def _student_t_density(t: float, df: float) -> float:
    return math.exp(-(df + 1) / 2 * math.log1p(t * t / df) - log_beta(df / 2, 0.5)) / math.sqrt(df)


def student_t_sf(t: float, df: float) -> float:
    return student_t_p(t, df) / 2 if t >= 0 else 1 - student_t_p(t, df) / 2


def student_t_quantile(p: float, df: float) -> float:
    return _quantile(lambda t: student_t_sf(t, df), p)


@cache
def student_t_critical(alpha: float, df: float) -> float:
    return -student_t_quantile(alpha / 2, df)


def f_sf(f: float, df1: float, df2: float) -> float:
    if f <= 0:
        return 1.0
    return incomplete_beta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f), df1 * f / (df2 + df1 * f))


def binomial_cdf(k: float, n: int, p: float) -> float:
    """Return the sum of comb(n, i) p^i (1-p)^(n-i) over i <= k, in whole numbers."""
    hits, trials = p.as_integer_ratio()
    last = min(math.floor(k), n)
    ways: int = sum(math.comb(n, i) * hits**i * (trials - hits) ** (n - i) for i in range(last + 1))
    of: int = trials**n
    return ways / of


def kolmogorov_sf(x: float) -> float:
    """Return the alternating sum of its definition; it needs about 7 / x terms."""
    if x < 0.04:
        return 1.0
    return 2 * math.fsum(
        (-1) ** (i - 1) * math.exp(-2 * i * i * x * x) for i in range(1, math.ceil(8 / x) + 2)
    )


def brownian_range_sf(x: float) -> float:
    """Return the alternating sum of its definition; it needs about 9 / x terms, and below 0.25 it is 1."""
    if x < 0.25:
        return 1.0
    return 4 * math.fsum(
        (-1) ** (k - 1) * k * math.erfc(k * x / math.sqrt(2)) for k in range(1, math.ceil(9 / x) + 2)
    )


def log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def incomplete_beta(a: float, b: float, x: float, rest: float | None = None) -> float:
    """Return the integral of t^(a-1) (1-t)^(b-1) / B(a, b) from 0 to x, on the side where it is smaller.

    rest: 1 - x, if it is known with more digits than the difference has.
    """
    if x > a / (a + b):
        return 1 - incomplete_beta(b, a, 1 - x if rest is None else rest, x)
    log_scale = log_beta(a, b)
    return integral(lambda t: math.exp((a - 1) * math.log(t) + (b - 1) * math.log1p(-t) - log_scale), x)


def incomplete_gamma_q(a: float, x: float) -> float:
    """Return the integral of t^(a-1) exp(-t) / Gamma(a) from x on, or 1 minus that up to x."""

    def density(t: float) -> float:
        return math.exp((a - 1) * math.log(t) - t - math.lgamma(a))

    if x < a:
        return 1 - integral(density, x)
    scale = 1 + math.sqrt(a)
    return integral(lambda u: density(x + scale * u / (1 - u)) * scale / (1 - u) ** 2 if u < 1 else 0.0, 1)


def poisson_count(u: float) -> float:
    """Return the smallest k with P(X <= k) > u of a Poisson variable X with mean 1, up to 11."""
    total, k = math.exp(-1), 0
    while total <= u and k < 11:
        k += 1
        total += math.exp(-1) / math.factorial(k)
    return float(k)


def paired_mde(sd: float, n: float, alpha: float, power: float) -> float:
    return two_sample_mde(sd * sd, n, 0.0, 1.0, alpha, power)


def student_t_mde(se: float, df: float, alpha: float, power: float) -> float:
    """Return the minimum detectable effect of a t-test, by a normal approximation near the critical t."""
    t = student_t_critical(alpha, df)
    return se * (t * (1 - 1 / (4 * df)) + normal_quantile(power) * math.sqrt(1 + t * t / (2 * df)))


def student_t_power(effect: float, df: float, alpha: float) -> float:
    """Return the probability that a t statistic lies beyond the critical value on either side."""
    t = student_t_critical(alpha, df)
    critical, scale = t * (1 - 1 / (4 * df)), math.sqrt(1 + t * t / (2 * df))
    return normal_cdf((effect - critical) / scale) + normal_cdf((-effect - critical) / scale)


def one_sided_t_power(effect: float, df: float, alpha: float) -> float:
    """Return the probability that a t statistic lies above the one-sided critical value."""
    t = student_t_critical(2 * alpha, df)
    return normal_cdf((effect - t * (1 - 1 / (4 * df))) / math.sqrt(1 + t * t / (2 * df)))


def planned_units(sd: float, difference: float, alpha: float, power: float, arms: float) -> float:
    return planned_t_units(arms * sd / difference, alpha, power, 1.0, arms)


def planned_arm_units(sd: float, difference: float, alpha: float, power: float, share: float) -> float:
    """Return the units of both arms, with the degrees of freedom of Welch for arms of one variance."""
    a, b = 1 / share, 1 / (1 - share)
    spread = sd * math.sqrt(a + b) / abs(difference)
    return planned_t_units(spread, alpha, power, (a + b) ** 2 / (a**3 + b**3), 2.0)


def planned_t_units(spread: float, alpha: float, power: float, per_unit: float, lost: float) -> float:
    """Return the smallest n at which a t-test finds a difference of 1, by bisection."""
    low, high = math.ceil((1 + lost) / per_unit) - 1, 2**40
    while high - low > 1:
        n = (low + high) // 2
        found = student_t_mde(spread / math.sqrt(n), n * per_unit - lost, alpha, power) <= 1
        low, high = (low, n) if found else (n, high)
    return high


def satterthwaite_df(error: float, df: float, other_error: float, other_df: float) -> float:
    """Return the degrees of freedom of the sum of two squared standard errors."""
    return (error + other_error) ** 2 / (error**2 / df + other_error**2 / other_df)


def two_sample_mde(var_c: float, n_c: float, var_t: float, n_t: float, alpha: float, power: float) -> float:
    """Return the minimum detectable effect of a z-test: critical value plus the quantile of `power`."""
    return (-normal_quantile(alpha / 2) + normal_quantile(power)) * math.sqrt(var_c / n_c + var_t / n_t)


def two_proportion_sample_size(p1: float, p2: float, alpha: float, power: float) -> float:
    """Return the n at which the critical difference equals the one that is found with `power`."""
    p = (p1 + p2) / 2
    critical = -normal_quantile(alpha / 2) * math.sqrt(2 * p * (1 - p))
    reserve = normal_quantile(power) * math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    return ((critical + reserve) / (p2 - p1)) ** 2


def two_proportion_errors(p1: float, p2: float, n: float, share: float) -> tuple[float, float]:
    """Return the standard errors of a difference of equal proportions, and of these two."""
    m, k, p = n * share, n * (1 - share), share * p1 + (1 - share) * p2
    return math.sqrt(p * (1 - p) * (1 / m + 1 / k)), math.sqrt(p1 * (1 - p1) / m + p2 * (1 - p2) / k)


def two_proportion_units(p1: float, p2: float, alpha: float, power: float, share: float) -> float:
    """Return the units of both arms: standard errors shrink by the root of their number."""
    pooled, own = two_proportion_errors(p1, p2, 1.0, share)
    return ((-normal_quantile(alpha / 2) * pooled + normal_quantile(power) * own) / (p2 - p1)) ** 2


def two_proportion_power(p1: float, p2: float, n: float, alpha: float, share: float) -> float:
    """Return the probability that the difference lies beyond the critical one on either side."""
    pooled, own = two_proportion_errors(p1, p2, n, share)
    critical = -normal_quantile(alpha / 2) * pooled
    return normal_cdf((p2 - p1 - critical) / own) + normal_cdf((p1 - p2 - critical) / own)


def two_proportion_mde(p: float, n: float, alpha: float, power: float, share: float) -> float:
    """Return the smallest increase that needs no more than n units, by bisection."""
    low, high = 0.0, 1 - p
    if two_proportion_units(p, 1.0, alpha, power, share) > n:
        return math.inf
    while low < (middle := (low + high) / 2) < high:
        enough = two_proportion_units(p, p + middle, alpha, power, share) <= n if p + middle > p else False
        low, high = (low, middle) if enough else (middle, high)
    return high


def integral(function: Callable[[float], float], end: float) -> float:
    """Integrate from 0 to `end` by the tanh-sinh rule, which bears infinite values at both ends.

    Takahasi and Mori, Publications of RIMS 1974, doi:10.2977/prims/1195192451.
    """
    total = []
    for i in range(-round(4 / STEP), round(4 / STEP) + 1):
        s = 1 / (1 + math.exp(-math.pi * math.sinh(i * STEP)))
        rest = 1 / (1 + math.exp(math.pi * math.sinh(i * STEP)))
        if 0 < end * s < end:
            total.append(function(end * s) * math.pi * math.cosh(i * STEP) * s * rest)
    return end * STEP * math.fsum(total)


def _quantile(survival: Callable[[float], float], p: float) -> float:
    """Return the p-quantile of a distribution around 0, by bisection of the tail that has p or 1 - p."""
    tail = min(p, 1 - p)
    if tail == 0.5:
        return 0.0
    low, high = 0.0, 1.0
    while survival(high) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if survival(middle) > tail else (low, middle)
    return math.copysign(high, p - 0.5)
