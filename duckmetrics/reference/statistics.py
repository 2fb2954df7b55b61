"""The statistics and the special functions once more, from their definitions, all by the names of the SQL.

Chi-square is here, the special functions are in `distributions`, the other statistics in the
modules named after the things that they compare.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.reference.arms import (
    cuped,
    mann_whitney,
    ratio_delta,
    ratio_interval,
    two_proportion_z,
    unpaired_randomization,
    unpaired_t,
    welch_t,
    wilson_interval,
)
from duckmetrics.reference.choice import choose
from duckmetrics.reference.distributions import (
    binomial_cdf,
    brownian_range_sf,
    chi_square_sf,
    erf,
    erfc,
    f_sf,
    incomplete_beta,
    incomplete_gamma_q,
    kolmogorov_sf,
    log1p,
    log_beta,
    normal_cdf,
    normal_p,
    normal_quantile,
    normal_sf,
    one_sided_t_power,
    paired_mde,
    planned_arm_units,
    planned_t_units,
    planned_units,
    poisson_count,
    satterthwaite_df,
    student_t_critical,
    student_t_mde,
    student_t_p,
    student_t_power,
    student_t_quantile,
    student_t_sf,
    two_proportion_mde,
    two_proportion_power,
    two_proportion_sample_size,
    two_proportion_units,
    two_sample_mde,
)
from duckmetrics.reference.drift import (
    category_drift,
    jensen_shannon,
    kolmogorov_smirnov,
    population_stability,
)
from duckmetrics.reference.estimates import heterogeneity, shrinkage
from duckmetrics.reference.exact_tests import binomial_test, delong, fisher_exact, sample_ratio
from duckmetrics.reference.interleaving import interleaving
from duckmetrics.reference.max_t import max_t
from duckmetrics.reference.paired import (
    bootstrap_interval,
    mcnemar,
    mean_interval,
    movers,
    paired_bootstrap,
    paired_t,
    paired_tost,
    randomization_test,
    randomization_tost,
    sign_test,
    wilcoxon,
)
from duckmetrics.reference.quantiles import quantile_difference, quantile_interval, quantile_rank
from duckmetrics.reference.sequential import (
    always_valid,
    always_valid_critical,
    always_valid_p,
    prior_units,
    sequential_mean,
    sequential_ratio,
    sequential_sample_ratio,
)
from duckmetrics.reference.several import adjusted_p, anova, friedman, probability_best, tukey_hsd

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

__all__ = [
    "adjusted_p",
    "always_valid",
    "always_valid_critical",
    "always_valid_p",
    "anova",
    "binomial_cdf",
    "binomial_test",
    "bootstrap_interval",
    "brownian_range_sf",
    "category_drift",
    "chi_square",
    "chi_square_independence",
    "chi_square_sf",
    "cuped",
    "delong",
    "erf",
    "erfc",
    "f_sf",
    "fisher_exact",
    "friedman",
    "heterogeneity",
    "incomplete_beta",
    "incomplete_gamma_q",
    "interleaving",
    "jensen_shannon",
    "kolmogorov_sf",
    "kolmogorov_smirnov",
    "log1p",
    "log_beta",
    "mann_whitney",
    "max_t",
    "mcnemar",
    "mean_interval",
    "movers",
    "normal_cdf",
    "normal_p",
    "normal_quantile",
    "normal_sf",
    "one_sided_t_power",
    "paired_bootstrap",
    "paired_mde",
    "paired_t",
    "paired_tost",
    "planned_arm_units",
    "planned_t_units",
    "planned_units",
    "poisson_count",
    "population_stability",
    "prior_units",
    "probability_best",
    "quantile_difference",
    "quantile_interval",
    "quantile_rank",
    "randomization_test",
    "randomization_tost",
    "ratio_delta",
    "ratio_interval",
    "sample_ratio",
    "satterthwaite_df",
    "sequential_mean",
    "sequential_ratio",
    "sequential_sample_ratio",
    "shrinkage",
    "sign_test",
    "student_t_critical",
    "student_t_mde",
    "student_t_p",
    "student_t_power",
    "student_t_quantile",
    "student_t_sf",
    "tukey_hsd",
    "two_proportion_mde",
    "two_proportion_power",
    "two_proportion_sample_size",
    "two_proportion_units",
    "two_proportion_z",
    "two_sample_mde",
    "unpaired_randomization",
    "unpaired_t",
    "welch_t",
    "wilcoxon",
    "wilson_interval",
]


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
    """Return the sum of (observed - expected)^2 / expected, rounded once."""
    return float(sum((o - e) ** 2 / e for o, e in pairs))


def likelihood_ratio(pairs: Sequence[tuple[Fraction, Fraction]]) -> float:
    """Return 2 * sum of observed * ln(observed / expected), as ln(1 + (observed - expected) / expected)."""
    return 2 * math.fsum(o * math.log1p((o - e) / e) for o, e in pairs if o)


STATISTICS: dict[str, Callable[[Sequence[tuple[Fraction, Fraction]]], float]] = {
    "pearson": pearson,
    "g": likelihood_ratio,
}
