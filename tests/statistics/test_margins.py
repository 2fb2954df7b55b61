"""Tests of a margin as scipy and statsmodels compute them, and at the edges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from statsmodels.stats.weightstats import ttost_paired

from duckmetrics import MetricError, run_test

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine


def tost(a: Sequence[float | None], b: Sequence[float | None], **params: Any) -> dict[str, Any]:
    """Return the result for two systems on the queries 0, 1, ..."""
    table = pa.table({
        "system": ["A"] * len(a) + ["B"] * len(b), "metric": ["m"] * (len(a) + len(b)),
        "query_id": [*range(len(a)), *range(len(b))], "value": pa.array([*a, *b], pa.float64()),
    })  # fmt: skip
    (row,) = run_test("paired_tost", table, baseline="A", **params).rows
    return row


def noisy(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    a = np.round(source.random(n), 1)  # with ties
    return a, np.clip(a + 0.2 * source.standard_normal(n).round(1), 0, 1)


@pytest.mark.parametrize(("n", "margin", "alpha"), [(7, 0.1, 0.05), (60, 0.03, 0.01)])
def test_an_absolute_margin_as_statsmodels_and_scipy(n: int, margin: float, alpha: float) -> None:
    a, b = noisy(n)
    row = tost(a.tolist(), b.tolist(), margin=margin, alpha=alpha)
    p, (t_higher, p_higher, df), (t_lower, p_lower, _) = ttost_paired(b, a, -margin, margin)
    bounds = scipy.stats.ttest_rel(b, a).confidence_interval(1 - 2 * alpha)
    expected = {
        "p_equivalent": p, "p_higher": p_higher, "p_lower": p_lower, "statistic_higher": t_higher,
        "statistic_lower": t_lower, "df": df, "delta_lower": bounds.low, "delta_upper": bounds.high,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert (row["p_higher"] < alpha) == (row["delta_lower"] > -margin)
    assert (row["p_lower"] < alpha) == (row["delta_upper"] < margin)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_relative_margin_as_scipy(sign: int) -> None:
    a, b = (sign * values for values in noisy(40))
    row = tost(a.tolist(), b.tolist(), margin=0.2, relative=True)
    low, high = (1 - sign * 0.2, 1 + sign * 0.2)
    higher = scipy.stats.ttest_1samp(b - low * a, 0, alternative="greater")
    lower = scipy.stats.ttest_1samp(b - high * a, 0, alternative="less")
    assert row["p_higher"] == pytest.approx(higher.pvalue, rel=1e-9)
    assert row["p_lower"] == pytest.approx(lower.pvalue, rel=1e-9)
    assert row["p_equivalent"] == max(row["p_higher"], row["p_lower"])
    assert row["margin"] == pytest.approx(0.2 * abs(a.mean()), rel=1e-12)


@pytest.mark.slow
def test_equal_differences_have_the_p_of_the_sign_test() -> None:
    a = [0.1, 0.2, 0.3, 0.4]
    coin = scipy.stats.binomtest(4, 4, alternative="greater").pvalue
    for shift, higher, lower in ((0.0, coin, coin), (0.3, coin, 1), (-0.3, 1, coin), (0.1, coin, 1)):
        row = tost(a, [value + shift for value in a], margin=0.1)
        assert (row["statistic_higher"], row["statistic_lower"]) == (None, None)
        assert (row["p_higher"], row["p_lower"]) == pytest.approx((higher, lower), rel=1e-12)


@pytest.mark.slow
def test_missing_units_one_unit_and_a_baseline_of_zero() -> None:
    a, b = noisy(9)
    row = tost([*a.tolist(), None, 0.5], [*b.tolist(), 0.5, None], margin=0.1)
    assert row == tost(a.tolist(), b.tolist(), margin=0.1)
    single = tost([0.5], [0.6], margin=0.2)
    assert (single["n"], single["p_higher"], single["p_lower"], single["p_equivalent"]) == (1, *[None] * 3)
    assert single["delta"] == pytest.approx(0.1)
    nothing = tost([0.0] * 5, [0.1, 0.2, 0.1, 0.3, 0.1], margin=0.1, relative=True)
    assert (nothing["margin"], nothing["p_higher"], nothing["p_equivalent"]) == (None, None, None)
    assert math.isfinite(nothing["delta_lower"])


@pytest.mark.parametrize("params", [{"margin": 0}, {"margin": -1}, {"margin": 0.1, "alpha": 0.5}, {}])
def test_margins_and_levels_that_mean_nothing_are_refused(params: dict[str, float]) -> None:
    with pytest.raises(MetricError, match=r"margin|alpha"):
        tost([0.1, 0.2], [0.2, 0.1], **params)
