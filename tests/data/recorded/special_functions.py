"""Writes special_functions.json: values of the special functions, exact and then rounded to doubles.

python -m pip install mpmath scipy && python tests/data/recorded/special_functions.py    (five minutes)

scipy only says where on the axis a p-value lies; the values come from mpmath alone, each from
another formula than the SQL has, and each twice, with 420 and with 480 digits: enough that
1 - 1e-300 keeps a hundred.
"""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import mpmath as mp
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable

P = (1e-300, 1e-200, 1e-100, 1e-40, 1e-20, 1e-10, 1e-5, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999,
     1 - 1e-6, 1 - 1e-10, 1 - 1e-16)  # fmt: skip
DF = (1, 2, 3, 4, 5, 7.5, 10, 29, 50, 99.5, 300, 1000, 10_000, 100_000)
FEW = (1, 2, 5, 18, 100, 2500, 100_000)
MORE_DF = (*DF, 1.5, 1e6, 1e12)
POSITIVE = (0.0, 1e-300, 1e-12, 1e-3, 0.1, 0.25, 0.46875, 0.469, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 4.1, 6.0, 9.0,
            15.0, 20.0, 26.0)  # fmt: skip
AXIS = [sign * x for x in POSITIVE for sign in (-1, 1)]
NORMAL = [*AXIS, -37.5, -30.0, -8.0, -1.96, 1.96, 8.0, 30.0, 37.0]
SHAPES = (1e-3, 0.3, 0.5, 1.0, 2.5, 15.9, 16.0, 100.0, 1e5, 1e9)
ABOVE_MINUS_1 = (-1 + 1e-15, -0.9, -0.5, -1e-3, -1e-10, -1e-300, 0.0, 1e-300, 1e-16, 3e-16, 1e-8, 1e-3, 0.5,
                 1.0, 10.0, 1e10, 1e300)  # fmt: skip
RATIOS = (1e-9, 0.1, 0.5, 0.6, 0.61, 0.99, 1 - 1e-9, 1 + 1e-6, 1.5, 1.66, 1.67, 40.0, 1e9)
DISTANCES = (0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.6, 0.8199, 0.82, 0.9, 1.0, 1.36, 2.0, 3.0, 5.0,
             10.0, 15.0, 18.5)  # fmt: skip
BROWNIAN = (*DISTANCES, 0.25, 2.5, 2.9999, 3.0001, 3.5, 7.0, 25.0, 37.0)
QUANTILES = (*P, 0.075, 0.0749, 0.925, 0.926, 1.3e-11, 1.4e-11, 1 / 3)
UNIFORM = (1e-300, 0.1, 0.36, 0.37, 0.5, 0.7357, 0.7358, 0.92, 0.98, 0.982, 0.997, 0.9995, 0.99992, 0.9999899,
           0.999999, 0.9999999, 1 - 2e-9)  # fmt: skip
# Fractions of which 1 - x is exact.
SHARES = (2**-14, 0.125, 0.5, 0.75, 0.875, 1 - 2**-9, 1 - 2**-14)

Points = list[tuple[float, ...]]


def points() -> dict[str, Points]:
    """The arguments of every function."""
    return {
        **normal_points(),
        **step_points(),
        **distribution_points(),
        **power_points(),
        **sequential_points(),
    }


def normal_points() -> dict[str, Points]:
    return {
        "erf": [(x,) for x in AXIS],
        "erfc": [(x,) for x in AXIS],
        "erf_near_zero": [(x,) for x in AXIS if abs(x) <= 0.46875],
        "scaled_erfc": [(x,) for x in (*AXIS, 100.0, 1e8, 1e200) if x > 0.46875],
        "exp_minus_square": [(x,) for x in AXIS],
        "normal_cdf": [(z,) for z in NORMAL],
        "normal_sf": [(z,) for z in NORMAL],
        "normal_p": [(z,) for z in NORMAL],
        "normal_quantile": [(p,) for p in QUANTILES],
    }


def step_points() -> dict[str, Points]:
    return {
        "log1p": [(x,) for x in ABOVE_MINUS_1],
        "stirling_error": [(x,) for x in (*SHAPES, 1e-10, 8.25, 1e15)],
        "stirling_series": [(x,) for x in SHAPES if x >= 16],
        "deviance": [(o, o * ratio) for o in (1e-5, 1.0, 33.0, 1e6) for ratio in RATIOS],
        "log_beta": list(product(SHAPES, SHAPES)),
        "gamma_weight": [(a, a * ratio) for a in SHAPES[1:9] for ratio in (1e-3, 0.5, 0.99, 1.0, 1.01, 3.0)],
        "beta_weight": [
            (a, b, x, 1 - x) for a, b, x in product((0.5, 1.0, 8.5, 1e3), (0.5, 1.0, 8.5, 1e3), SHARES)
        ],
        "beta_fraction": [
            (a, b, x, 1 - x)
            for a, b, x in product((0.5, 1.0, 8.5, 1024.0, 5e4), (0.5, 1.0, 8.5, 1024.0, 5e4), SHARES)
            if x < (a + 1) / (a + b + 2)
        ],
        "student_t_weight": [*product(DF, (1e-3, 0.5, 3.0)), (1.0, 1e200), (2.5, 1e90)],
        "student_t_expansion": list(product((-3.0, 0.5, 2.0), DF)),
    }


def distribution_points() -> dict[str, Points]:
    return {
        "incomplete_gamma_q": [(df / 2, x / 2) for x, df in chi_square_points()[::3]],
        "chi_square_sf": chi_square_points(),
        "incomplete_beta": beta_points(),
        "incomplete_beta_xy": [(a, b, x, 1 - x) for a, b, x in beta_points() if x >= 0.5],
        "student_t_p": [(t, df) for t, df in student_points() if t >= 0],
        "student_t_sf": student_points(),
        "student_t_quantile": list(product(P, MORE_DF)),
        "student_t_critical": list(product(P[:-3:2], MORE_DF[::2])),
        "f_sf": f_points(),
        "binomial_cdf": binomial_points(),
        "kolmogorov_sf": [(x,) for x in DISTANCES],
        "brownian_range_sf": [(x,) for x in BROWNIAN],
    }


def power_points() -> dict[str, Points]:
    errors = ((1e-6, 0.5), (0.001, 0.99), (0.05, 0.8), (0.3, 0.9999999))
    proportions = ((0.0, 1.0), (0.06, 0.064), (0.5, 0.5001), (0.9, 0.2), (1e-6, 2e-6))
    samples = ((0.0, 1.0), (0.2, 500.0), (3.7, 12.0), (1e100, 1e9))
    return {
        "poisson_count": [(u,) for u in UNIFORM],
        "paired_mde": [(*sample, *error) for sample in samples for error in errors],
        "student_t_mde": [
            (se, df, *error)
            for se, df in ((0.0, 1.0), (0.2, 2.0), (3.7, 12.5), (1e100, 1e9))
            for error in errors
        ],
        "student_t_power": [
            (effect, df, alpha)
            for effect in (0.0, 0.1, -2.8, 5.0)
            for df in (1.0, 7.5, 1e9)
            for alpha in (1e-6, 0.05, 0.3)
        ],
        "one_sided_t_power": [
            (effect, df, alpha)
            for effect in (0.0, 0.1, -2.8, 5.0)
            for df in (1.0, 7.5, 1e9)
            for alpha in (1e-6, 0.05, 0.3)
        ],
        "planned_units": [
            (sd, difference, alpha, power, arms)
            for sd, difference in ((0.2, 0.02), (1.0, 0.5), (3.0, 40.0))
            for alpha, power in ((0.05, 0.8), (1e-6, 0.99), (0.3, 0.5))
            for arms in (1.0, 2.0)
        ],
        "planned_arm_units": [
            (sd, difference, alpha, power, share)
            for sd, difference in ((0.2, 0.02), (1.0, -0.5), (3.0, 40.0))
            for alpha, power in ((0.05, 0.8), (1e-6, 0.99), (0.3, 0.5))
            for share in (0.5, 0.9, 0.125)
        ],
        "planned_t_units": [
            (spread, alpha, power, per_unit, lost)
            for spread in (0.0, 0.3, 10.0)
            for alpha, power in ((0.05, 0.8), (1e-6, 0.99))
            for per_unit, lost in ((1.0, 1.0), (0.5, 2.0), (0.03125, 1.0))
        ],
        "satterthwaite_df": [
            (*a, *b)
            for a, b in product(((0.0, 3.0), (0.04, 9.0), (1e100, 1e9)), ((1e-12, 1.0), (0.01, 24.5)))
        ],
        "two_sample_mde": [(*a, *b, *error) for a, b, error in product(samples, samples, errors)],
        "two_proportion_sample_size": [(*pair, *error) for pair in proportions for error in errors],
        "two_proportion_units": [
            (*pair, *error, share) for pair in proportions for error in errors for share in (0.1, 0.75)
        ],
        "two_proportion_power": [
            (*pair, n, alpha, share)
            for pair in ((0.06, 0.064), (0.064, 0.06), (0.5, 0.5), (0.9, 0.2), (1e-6, 2e-6))
            for n in (2.0, 500.0, 1e6)
            for alpha in (1e-6, 0.05)
            for share in (0.1, 0.75)
        ],
        "two_proportion_mde": [
            (p, n, *error, share)
            for p in (1e-6, 0.03, 0.5, 0.96875)
            for n in (300.0, 2500.0, 1e9)
            for error in errors
            for share in (0.1, 0.5, 0.9)
        ],
    }


def sequential_points() -> dict[str, Points]:
    sizes = (
        (1.0, 1.0, 1e3),
        (4.5, 20.0, 1e3),
        (99.0, 100.0, 1e3),
        (1e3, 1e3, 2e2),
        (1e6, 1e6, 1e4),
        (1e9, 1e9, 1e12),
    )
    return {
        "prior_units": [(1.0,), (250.0,), (1e3,), (12_345.6,), (1e15,)],
        "always_valid_p": [(t, *size) for t in (0.0, 0.01, 1.0, 2.5, -4.0, 6.5, 30.0, 1e9) for size in sizes],
        "always_valid_critical": [
            (alpha, *size)
            for alpha in (1e-12, 1e-3, 0.05, 0.2, 0.9)
            for size in sizes
            if mp.log(alpha**-2) < size[0] * mp.log1p(size[1] / size[2])
        ],
    }


def near(value: float) -> float:
    return float(f"{value:.6g}")


def chi_square_points() -> Points:
    found = [(near(stats.chi2.isf(p, df)), float(df)) for p, df in product(P, DF)]
    return [(x, df) for x, df in found if 0 < x < math.inf]


def student_points() -> Points:
    found = [(near(stats.t.isf(p, df)), float(df)) for p, df in product(P, (*DF, 1e6, 1e12))]
    found += [
        (6.4e299, 1.0),
        (6.4e199, 1.0),
        (1e150, 2.0),
        (1e100, 3.0),
        (0.0, 7.0),
        (-2.6166126275785, 8.741072916154),
    ]
    return sorted({(t, df) for t, df in found if math.isfinite(t)})


def f_points() -> Points:
    found = [(near(stats.f.isf(p, d, e)), float(d), float(e)) for p, d, e in product(P[::3], FEW, FEW)]
    return [point for point in found if 0 < point[0] < math.inf]


def beta_points() -> Points:
    found = [(d / 2, e / 2, near(stats.beta.ppf(p, d / 2, e / 2))) for p, d, e in product(P[::3], FEW, FEW)]
    return [point for point in found if 0 < point[2] < 1]


def binomial_points() -> Points:
    found = {(float(stats.binom.ppf(q, n, p)), float(n), p) for q, n, p in
             product(P[::3], (1, 9, 50, 1000, 100_000), (1e-5, 0.01, 0.3, 0.5, 0.99))}  # fmt: skip
    return sorted((k, n, p) for k, n, p in found if 0 <= k < n)


# ---- the values ---------------------------------------------------------------------------------


def lower_gamma(a: mp.mpf, x: mp.mpf) -> mp.mpf:
    """P(a, x) by its power series, all terms positive."""
    term = total = 1 / a
    n = a
    while term > total * mp.eps:
        n += 1
        term *= x / n
        total += term
    return total * mp.exp(a * mp.log(x) - x - mp.loggamma(a))


def gamma_q(a: mp.mpf, x: mp.mpf) -> mp.mpf:
    return 1 - lower_gamma(a, x)


def beta_share(a: mp.mpf, b: mp.mpf, x: mp.mpf, y: mp.mpf) -> mp.mpf:
    """I_x(a, b) by the series with positive terms x^a y^b / (a B) * sum of (a+b)_n / (a+1)_n x^n."""
    return 1 - beta_share_below(b, a, y, x) if x > 0.5 else beta_share_below(a, b, x, y)


def beta_share_below(a: mp.mpf, b: mp.mpf, x: mp.mpf, y: mp.mpf) -> mp.mpf:
    term = total = mp.mpf(1)
    n = 0
    while term > total * mp.eps:
        term *= (a + b + n) / (a + 1 + n) * x
        n += 1
        total += term
    return total * mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta(a, b)) / a


def log_beta(a: mp.mpf, b: mp.mpf) -> mp.mpf:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def student_p(t: mp.mpf, df: mp.mpf) -> mp.mpf:
    if t == 0:
        return mp.mpf(1)
    return beta_share(df / 2, mp.mpf(1) / 2, df / (df + t * t), t * t / (df + t * t))


def student_density(t: mp.mpf, df: mp.mpf) -> mp.mpf:
    return mp.exp(-(df + 1) / 2 * mp.log1p(t * t / df) - log_beta(df / 2, mp.mpf(1) / 2)) / mp.sqrt(df)


def student_sf(t: mp.mpf, df: mp.mpf) -> mp.mpf:
    return student_p(t, df) / 2 if t >= 0 else 1 - student_p(t, df) / 2


def student_critical(alpha: mp.mpf, df: mp.mpf) -> mp.mpf:
    """Newton's method for ln p in terms of ln t, from the power law of the tail or the normal value."""
    log_x = student_log_x(alpha, df)
    t = max(mp.sqrt(df * mp.expm1(max(-log_x, 0))), -normal_quantile(alpha / 2))
    for _ in range(8):
        p = student_p(t, df)
        t *= mp.exp(mp.log(p / alpha) * p / (2 * t * student_density(t, df)))
    return t


def student_quantile(p: mp.mpf, df: mp.mpf) -> mp.mpf:
    if p == mp.mpf(1) / 2:
        return mp.mpf(0)
    return mp.sign(p - mp.mpf(1) / 2) * student_critical(2 * min(p, 1 - p), df)


def normal_quantile(p: mp.mpf) -> mp.mpf:
    if p > mp.mpf(1) / 2:
        return -normal_quantile(1 - p)
    start = mp.mpf(float(stats.norm.ppf(float(p))))
    return mp.findroot(lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2) - mp.log(p), start)


def kolmogorov(x: mp.mpf) -> mp.mpf:
    return 2 * mp.fsum((-1) ** (i - 1) * mp.exp(-2 * i * i * x * x) for i in range(1, 1500))


def brownian_range(x: mp.mpf) -> mp.mpf:
    """Return the survival function from the series that converges slowly at x."""
    if x < 3:
        return 4 * mp.fsum((-1) ** (k - 1) * k * mp.erfc(k * x / mp.sqrt(2)) for k in range(1, 1800))
    u = mp.pi**2 / (2 * x * x)
    return 1 - 8 / mp.pi**2 * mp.fsum(
        (2 * u + 1 / mp.mpf(m) ** 2) * mp.exp(-m * m * u) for m in range(1, 1800, 2)
    )


def binomial(k: mp.mpf, n: mp.mpf, p: mp.mpf) -> mp.mpf:
    return beta_share(n - k, k + 1, 1 - p, p)


def scaled_erfc(x: mp.mpf) -> mp.mpf:
    if x < 1e3:
        return mp.exp(x * x) * mp.erfc(x)
    return mp.nsum(lambda i: (-1) ** int(i) * mp.fac2(2 * i - 1) / (2 * x * x) ** i, [0, 20]) / (
        x * mp.sqrt(mp.pi)
    )


def stirling(x: mp.mpf) -> mp.mpf:
    return mp.loggamma(x + 1) - (x + 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2


def beta_weight(a: mp.mpf, b: mp.mpf, x: mp.mpf, y: mp.mpf) -> mp.mpf:
    return mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta(a, b))


def beta_fraction(a: mp.mpf, b: mp.mpf, x: mp.mpf, y: mp.mpf) -> mp.mpf:
    return beta_weight(a, b, x, y) / (beta_share_below if x < 0.9 else beta_share)(a, b, x, y)


def f_survival(f: mp.mpf, df1: mp.mpf, df2: mp.mpf) -> mp.mpf:
    return beta_share(df2 / 2, df1 / 2, df2 / (df2 + df1 * f), df1 * f / (df2 + df1 * f))


def student_weight(df: mp.mpf, s: mp.mpf) -> mp.mpf:
    return mp.exp(mp.log(s) - (df + 1) / 2 * mp.log1p(s * s) - log_beta(df / 2, mp.mpf(1) / 2))


def student_log_x(alpha: mp.mpf, df: mp.mpf) -> mp.mpf:
    return (mp.log(alpha * df / 2) + log_beta(df / 2, mp.mpf(1) / 2)) * 2 / df


def student_expansion(z: mp.mpf, df: mp.mpf) -> mp.mpf:
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)


def poisson_count(u: mp.mpf) -> mp.mpf:
    return mp.mpf(next(k for k in range(99) if mp.gammainc(k + 1, 1, regularized=True) > u))


def student_mde(se: mp.mpf, df: mp.mpf, alpha: mp.mpf, power: mp.mpf) -> mp.mpf:
    t = student_critical(alpha, df)
    return se * (t * (1 - 1 / (4 * df)) + normal_quantile(power) * mp.sqrt(1 + t * t / (2 * df)))


def student_power(effect: mp.mpf, df: mp.mpf, alpha: mp.mpf) -> mp.mpf:
    t = student_critical(alpha, df)
    u, s = t * (1 - 1 / (4 * df)), mp.sqrt(1 + t * t / (2 * df))
    return mp.ncdf((effect - u) / s) + mp.ncdf((-effect - u) / s)


def planned_units(sd: mp.mpf, difference: mp.mpf, alpha: mp.mpf, power: mp.mpf, arms: mp.mpf) -> mp.mpf:
    return planned_t_units(arms * sd / difference, alpha, power, mp.mpf(1), arms)


def planned_arm_units(sd: mp.mpf, difference: mp.mpf, alpha: mp.mpf, power: mp.mpf, share: mp.mpf) -> mp.mpf:
    a, b = 1 / share, 1 / (1 - share)
    spread = sd * mp.sqrt(a + b) / abs(difference)
    return planned_t_units(spread, alpha, power, (a + b) ** 2 / (a**3 + b**3), mp.mpf(2))


def planned_t_units(spread: mp.mpf, alpha: mp.mpf, power: mp.mpf, per_unit: mp.mpf, lost: mp.mpf) -> mp.mpf:
    with mp.workdps(30):  # the effects of two numbers of units differ by far more
        z = normal_quantile(1 - alpha / 2) + normal_quantile(power)
        n = max(mp.ceil((1 + lost) / per_unit), mp.floor((spread * z) ** 2))
        while student_mde(spread / mp.sqrt(n), n * per_unit - lost, alpha, power) > 1:
            n += 1
    return n


def one_sided_t_power(effect: mp.mpf, df: mp.mpf, alpha: mp.mpf) -> mp.mpf:
    t = student_critical(2 * alpha, df)
    return mp.ncdf((effect - t * (1 - 1 / (4 * df))) / mp.sqrt(1 + t * t / (2 * df)))


def satterthwaite_df(error: mp.mpf, df: mp.mpf, other_error: mp.mpf, other_df: mp.mpf) -> mp.mpf:
    return (error + other_error) ** 2 / (error**2 / df + other_error**2 / other_df)


def two_sample_mde(
    var_c: mp.mpf, n_c: mp.mpf, var_t: mp.mpf, n_t: mp.mpf, alpha: mp.mpf, power: mp.mpf
) -> mp.mpf:
    return (normal_quantile(1 - alpha / 2) + normal_quantile(power)) * mp.sqrt(var_c / n_c + var_t / n_t)


def two_proportion_size(p1: mp.mpf, p2: mp.mpf, alpha: mp.mpf, power: mp.mpf) -> mp.mpf:
    p = (p1 + p2) / 2
    critical = normal_quantile(1 - alpha / 2) * mp.sqrt(2 * p * (1 - p))
    return ((critical + normal_quantile(power) * mp.sqrt(p1 - p1 * p1 + p2 - p2 * p2)) / (p2 - p1)) ** 2


def errors_of_two(p1: mp.mpf, p2: mp.mpf, share: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    p = share * p1 + (1 - share) * p2
    pooled = mp.sqrt((p - p * p) * (1 / share + 1 / (1 - share)))
    return pooled, mp.sqrt((p1 - p1 * p1) / share + (p2 - p2 * p2) / (1 - share))


def two_proportion_units(p1: mp.mpf, p2: mp.mpf, alpha: mp.mpf, power: mp.mpf, share: mp.mpf) -> mp.mpf:
    pooled, own = errors_of_two(p1, p2, share)
    return ((normal_quantile(1 - alpha / 2) * pooled + normal_quantile(power) * own) / (p2 - p1)) ** 2


def two_proportion_power(p1: mp.mpf, p2: mp.mpf, n: mp.mpf, alpha: mp.mpf, share: mp.mpf) -> mp.mpf:
    pooled, own = errors_of_two(p1, p2, share)
    critical, found = normal_quantile(1 - alpha / 2) * pooled, abs(p2 - p1) * mp.sqrt(n)
    return mp.ncdf((found - critical) / own) + mp.ncdf((-found - critical) / own)


def two_proportion_mde(p: mp.mpf, n: mp.mpf, alpha: mp.mpf, power: mp.mpf, share: mp.mpf) -> mp.mpf:
    if two_proportion_units(p, mp.mpf(1), alpha, power, share) > n:
        return mp.inf
    with mp.workdps(60):
        low, high = mp.mpf(0), 1 - p
        z, reserve = normal_quantile(1 - alpha / 2), normal_quantile(power)
        for _ in range(190):
            d = (low + high) / 2
            pooled, own = errors_of_two(p, p + d, share)
            low, high = (low, d) if z * pooled + reserve * own <= d * mp.sqrt(n) else (d, high)
    return high


def prior_units(planned: mp.mpf) -> mp.mpf:
    return planned / mp.findroot(lambda x: x - mp.log(1 + x) - mp.log(400), 8)


def always_valid_p(t: mp.mpf, df: mp.mpf, n: mp.mpf, planned: mp.mpf) -> mp.mpf:
    c = 1 + n / prior_units(planned)
    ratio = ((1 + t * t / df) / (1 + t * t / (c * df))) ** ((df + 1) / 2) / mp.sqrt(c)
    return min(mp.mpf(1), 1 / ratio)


def always_valid_critical(alpha: mp.mpf, df: mp.mpf, n: mp.mpf, planned: mp.mpf) -> mp.mpf:
    c = 1 + n / prior_units(planned)
    g = (c / alpha**2) ** (1 / (df + 1))
    return mp.sqrt(df * (g - 1) / (1 - g / c))


VALUES: dict[str, Callable[..., mp.mpf]] = {
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erf_near_zero": mp.erf,
    "scaled_erfc": scaled_erfc,
    "exp_minus_square": lambda x: mp.exp(-x * x),
    "log1p": mp.log1p,
    "normal_cdf": lambda z: mp.erfc(-z / mp.sqrt(2)) / 2,
    "normal_sf": lambda z: mp.erfc(z / mp.sqrt(2)) / 2,
    "normal_p": lambda z: mp.erfc(abs(z) / mp.sqrt(2)),
    "normal_quantile": normal_quantile,
    "stirling_error": stirling,
    "stirling_series": stirling,
    "deviance": lambda o, e: o * mp.log(o / e) + e - o,
    "log_beta": log_beta,
    "gamma_weight": lambda a, x: mp.exp(a * mp.log(x) - x - mp.loggamma(a)),
    "beta_weight": beta_weight,
    "beta_fraction": beta_fraction,
    "incomplete_gamma_q": gamma_q,
    "chi_square_sf": lambda x, df: gamma_q(df / 2, x / 2),
    "incomplete_beta": lambda a, b, x: beta_share(a, b, x, 1 - x),
    "incomplete_beta_xy": beta_share,
    "student_t_p": student_p,
    "student_t_sf": student_sf,
    "student_t_weight": student_weight,
    "student_t_expansion": student_expansion,
    "student_t_quantile": student_quantile,
    "student_t_critical": student_critical,
    "f_sf": f_survival,
    "binomial_cdf": binomial,
    "kolmogorov_sf": kolmogorov,
    "brownian_range_sf": brownian_range,
    "poisson_count": poisson_count,
    "paired_mde": lambda sd, n, alpha, power: two_sample_mde(sd * sd, n, 0, 1, alpha, power),
    "student_t_mde": student_mde,
    "student_t_power": student_power,
    "one_sided_t_power": one_sided_t_power,
    "planned_units": planned_units,
    "planned_arm_units": planned_arm_units,
    "planned_t_units": planned_t_units,
    "satterthwaite_df": satterthwaite_df,
    "two_sample_mde": two_sample_mde,
    "two_proportion_sample_size": two_proportion_size,
    "two_proportion_units": two_proportion_units,
    "two_proportion_power": two_proportion_power,
    "two_proportion_mde": two_proportion_mde,
    "prior_units": prior_units,
    "always_valid_p": always_valid_p,
    "always_valid_critical": always_valid_critical,
}


def value(name: str, point: tuple[float, ...]) -> float:
    with mp.workdps(420):
        once = VALUES[name](*map(mp.mpf, point))
    with mp.workdps(480):
        again = VALUES[name](*map(mp.mpf, point))
    if once != again and abs(once - again) > abs(again) * mp.mpf("1e-40"):
        raise ArithmeticError(f"{name}{point}: {once} and {again}")
    return float(again)


def main() -> None:
    lines = []
    for name, grid in points().items():
        rows = [[*point, value(name, point)] for point in grid]
        kept = [row for row in rows if row[-1] == 0 or 1e-300 <= abs(row[-1]) < math.inf]
        lines.append(f'"{name}": {json.dumps(kept)}')
    text = ",\n".join(lines)
    Path(__file__).with_suffix(".json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
