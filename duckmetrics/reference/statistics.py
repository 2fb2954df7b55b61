"""The statistics and the special functions once more, from their definitions.

Where the SQL expands a function into fractions and series, this module adds up finite sums, counts
exactly in integers, or integrates the density.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

STEP = 1 / 128
ROOT_2 = math.sqrt(2)


class Outcome(NamedTuple):
    """A test on counts; cramers_v is for tables of two attributes."""

    statistic: float
    df: int
    p: float
    n: float
    min_expected: float
    cramers_v: float | None = None


def chi_square(counts: Iterable[tuple[float, float]], statistic: str = "pearson") -> Outcome:
    """Compare (observed, expected) of every category, where expected is a count or a share."""
    pairs = [(Fraction(o), Fraction(e)) for o, e in counts if o or e]
    n = sum(o for o, _ in pairs)
    total = sum(e for _, e in pairs)
    scaled = [(o, e * n / total) for o, e in pairs]
    value = choose(STATISTICS, statistic)(scaled)
    df = len(scaled) - 1
    return Outcome(value, df, chi_square_sf(value, df), float(n), float(min(e for _, e in scaled)))


def chi_square_independence(
    cells: Iterable[tuple[Hashable, Hashable, float]], statistic: str = "pearson", correction: bool = False
) -> Outcome:
    """Compare the cells (row, column, n) with row total * column total / n."""
    table: Counter[tuple[Hashable, Hashable]] = Counter()
    for row, column, count in cells:
        table[row, column] += Fraction(count)  # type: ignore[assignment]
    rows = {i: sum(c for (r, _), c in table.items() if r == i) for i, _ in table}
    columns = {j: sum(c for (_, k), c in table.items() if k == j) for _, j in table}
    n = Fraction(sum(table.values()))
    pairs = [
        (Fraction(table[i, j]), r * c / n) for i, r in rows.items() if r for j, c in columns.items() if c
    ]
    further = [sum(map(bool, totals.values())) - 1 for totals in (rows, columns)]
    df = further[0] * further[1]
    moved = [(_towards(o, e), e) for o, e in pairs] if correction and df == 1 else pairs
    value = choose(STATISTICS, statistic)(moved)
    v = math.sqrt(pearson(pairs) / (n * min(further)))
    return Outcome(value, df, chi_square_sf(value, df), float(n), float(min(e for _, e in pairs)), v)


def _towards(observed: Fraction, expected: Fraction) -> Fraction:
    """Move a count by up to 1/2 to what is expected (Yates)."""
    half = Fraction(1, 2)
    return min(observed + half, expected) if observed < expected else max(observed - half, expected)


def pearson(pairs: Sequence[tuple[Fraction, Fraction]]) -> float:
    """The sum of (observed - expected)^2 / expected, rounded once."""
    return float(sum((o - e) ** 2 / e for o, e in pairs))


def likelihood_ratio(pairs: Sequence[tuple[Fraction, Fraction]]) -> float:
    """2 * sum of observed * ln(observed / expected), written ln(1 + (observed - expected) / expected)."""
    return 2 * math.fsum(o * math.log1p((o - e) / e) for o, e in pairs if o)


STATISTICS: dict[str, Callable[[Sequence[tuple[Fraction, Fraction]]], float]] = {
    "pearson": pearson,
    "g": likelihood_ratio,
}


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
    """Abramowitz and Stegun 26.4.4 and 26.4.5: a finite sum for every whole df."""
    if x <= 0:
        return 1.0
    half, start = x / 2, 0.5 * (df % 2)
    first = math.erfc(math.sqrt(half)) if df % 2 else 0.0
    exponents = (start + i for i in range(df // 2))
    return first + math.fsum(math.exp(a * math.log(half) - half - math.lgamma(a + 1)) for a in exponents)


def student_t_p(t: float, df: float) -> float:
    """Twice the integral of the density from abs(t) on, where s = abs(t) / u."""
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


def student_t_critical(alpha: float, df: float) -> float:
    return -student_t_quantile(alpha / 2, df)


def f_sf(f: float, df1: float, df2: float) -> float:
    if f <= 0:
        return 1.0
    return incomplete_beta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f), df1 * f / (df2 + df1 * f))


def binomial_cdf(k: float, n: int, p: float) -> float:
    """The sum of comb(n, i) p^i (1-p)^(n-i) over i <= k, in whole numbers."""
    hits, trials = p.as_integer_ratio()
    last = min(math.floor(k), n)
    ways: int = sum(math.comb(n, i) * hits**i * (trials - hits) ** (n - i) for i in range(last + 1))
    of: int = trials**n
    return ways / of


def kolmogorov_sf(x: float) -> float:
    """The alternating sum of its definition; it needs about 7 / x terms."""
    if x < 0.04:
        return 1.0
    return 2 * math.fsum(
        (-1) ** (i - 1) * math.exp(-2 * i * i * x * x) for i in range(1, math.ceil(8 / x) + 2)
    )


def log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def incomplete_beta(a: float, b: float, x: float, rest: float | None = None) -> float:
    """The integral of t^(a-1) (1-t)^(b-1) / B(a, b) from 0 to x, on the side where it is smaller.

    rest: 1 - x, where it is known better than the difference tells.
    """
    if x > a / (a + b):
        return 1 - incomplete_beta(b, a, 1 - x if rest is None else rest, x)
    log_scale = log_beta(a, b)
    return integral(lambda t: math.exp((a - 1) * math.log(t) + (b - 1) * math.log1p(-t) - log_scale), x)


def incomplete_gamma_q(a: float, x: float) -> float:
    """The integral of t^(a-1) exp(-t) / Gamma(a) from x on, or 1 minus that up to x."""

    def density(t: float) -> float:
        return math.exp((a - 1) * math.log(t) - t - math.lgamma(a))

    if x < a:
        return 1 - integral(density, x)
    scale = 1 + math.sqrt(a)
    return integral(lambda u: density(x + scale * u / (1 - u)) * scale / (1 - u) ** 2 if u < 1 else 0.0, 1)


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
    """Where a distribution around 0 has p below it, by bisection of the tail that p or 1 - p is in."""
    tail = min(p, 1 - p)
    if tail == 0.5:
        return 0.0
    low, high = 0.0, 1.0
    while survival(high) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if survival(middle) > tail else (low, middle)
    return math.copysign(high, p - 0.5)
