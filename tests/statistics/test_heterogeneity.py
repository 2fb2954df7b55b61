"""Cochran's Q and shrunken estimates: statsmodels, a published example, edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.oneway import anova_generic

from duckmetrics import run_test

pytestmark = pytest.mark.engine

# Seven trials of aspirin after a heart attack, log odds ratios: Fleiss, Statistical Methods in Medical
# Research 1993, doi:10.1177/096228029300200202, from the counts of deaths.
DEATHS = (
    (49, 615, 67, 624), (44, 758, 64, 771), (102, 832, 126, 850), (32, 317, 38, 309), (85, 810, 52, 406),
    (246, 2267, 219, 2257), (1570, 8587, 1720, 8600),
)  # fmt: skip


def found(name: str, estimates: Any, errors: Any, df: Any = None, **params: Any) -> list[dict[str, Any]]:
    n = len(estimates)
    table = {"family": ["m"] * n, "slice": [f"s{i}" for i in range(n)], "estimate": list(estimates)}
    given = {**table, "se": pa.array(errors, pa.float64())}
    if df is not None:
        given["df"] = pa.array(df, pa.float64())
    return list(run_test(name, pa.table(given), **params).rows)


def aspirin() -> tuple[np.ndarray, np.ndarray]:
    a, n, c, m = np.array(DEATHS, dtype=float).T
    return np.log(a / (n - a) / (c / (m - c))), np.sqrt(1 / a + 1 / (n - a) + 1 / c + 1 / (m - c))


def test_statsmodels_finds_the_same() -> None:
    estimates, errors = aspirin()
    (row,) = found("heterogeneity", estimates, errors)
    known = combine_effects(estimates, errors**2, method_re="dl")
    assert row["q"] == pytest.approx(known.q, rel=1e-9)
    assert row["tau2"] == pytest.approx(known.tau2, rel=1e-9)
    assert row["i2"] == pytest.approx(known.i2, rel=1e-9)
    assert row["p"] == pytest.approx(known.test_homogeneity().pvalue, rel=1e-9)
    assert (row["mean"], row["se"]) == pytest.approx((known.mean_effect_re, known.sd_eff_w_re), rel=1e-9)
    low, high = known.conf_int(alpha=0.05, use_t=False)[1]
    assert (row["lower"], row["upper"]) == pytest.approx((low, high), rel=1e-9)


def test_the_published_example() -> None:
    """Fleiss prints Q = 9.95 for the log odds ratios of seven trials."""
    (row,) = found("heterogeneity", *aspirin())
    assert (row["n"], row["df"]) == (7, 6)
    assert row["q"] == pytest.approx(9.95, abs=0.02)


def test_degrees_of_freedom_give_welch() -> None:
    means, sds, sizes = np.array([1.0, 2.5, 1.7]), np.array([1.0, 2.0, 0.7]), np.array([12, 9, 15])
    (row,) = found("heterogeneity", means, sds / np.sqrt(sizes), sizes - 1)
    known = anova_generic(means, sds**2, sizes, use_var="unequal", welch_correction=True)
    assert row["p"] == pytest.approx(known.pvalue, rel=1e-9)


def test_shrunken_estimates_lie_between_the_estimate_and_the_mean() -> None:
    estimates, errors = np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.5, 2.0])
    (pooled,), rows = found("heterogeneity", estimates, errors), found("shrinkage", estimates, errors)
    share = errors**2 / (errors**2 + pooled["tau2"])
    expected = pooled["mean"] + (1 - share) * (estimates - pooled["mean"])
    spread = np.sqrt((1 - share) * errors**2 + share**2 * pooled["se"] ** 2)
    assert [row["shrunk"] for row in rows] == pytest.approx(expected, rel=1e-9)
    assert [row["shrunk_se"] for row in rows] == pytest.approx(spread, rel=1e-9)
    # The imprecise one moves most.
    moved = [abs(row["shrunk"] - row["estimate"]) / abs(row["estimate"] - pooled["mean"]) for row in rows]
    assert max(moved) == moved[2]


def test_equal_estimates_become_their_mean() -> None:
    (row,) = found("heterogeneity", [2.0, 2.0], [1.0, 0.5])
    assert (row["q"], row["i2"], row["tau2"], row["p"], row["mean"]) == (0.0, 0.0, 0.0, 1.0, 2.0)
    assert [row["shrunk"] for row in found("shrinkage", [2.0, 2.0], [1.0, 0.5])] == [2.0, 2.0]


def test_what_has_no_error_is_left_out() -> None:
    (row,) = found("heterogeneity", [1.0, 2.0, 9.0, 9.0], [1.0, 1.0, 0.0, None])
    assert row["n"] == 2
    (alone,) = found("heterogeneity", [1.0, 5.0], [0.5, 0.0])
    assert (alone["n"], alone["p"], alone["q"], alone["mean"], alone["se"]) == (1, None, None, 1.0, 0.5)
    (shrunk,) = found("shrinkage", [1.0, 5.0], [0.5, 0.0])
    assert (shrunk["shrunk"], shrunk["shrunk_se"]) == (1.0, 0.5)
