"""Welch's test of systems with other units: scipy, edges, and clusters of unequal weight."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from duckmetrics import run_test

pytestmark = pytest.mark.engine


def table(**systems: list[float | None]) -> str:
    """Return values of units of their own for each system."""
    rows = [
        f"('{system}', 'm', '{system}{i}', CAST({'NULL' if value is None else repr(value)} AS DOUBLE))"
        for system, values in systems.items() for i, value in enumerate(values)
    ]  # fmt: skip
    return f"SELECT * FROM (VALUES {', '.join(rows)}) AS _(system, metric, query_id, value)"


def welch(**systems: list[float | None]) -> dict[str, object]:
    (row,) = run_test("unpaired_t", table(**systems), baseline="A").rows
    return row


@pytest.mark.some(0)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_scipy_finds_the_same(level: float) -> None:
    generator = np.random.default_rng(4)
    a, b = generator.lognormal(0, 1, 37), generator.lognormal(0.4, 0.5, 11)
    (row,) = run_test("unpaired_t", table(A=a.tolist(), B=b.tolist()), baseline="A", level=level).rows
    known = scipy.stats.ttest_ind(b, a, equal_var=False)
    bounds = known.confidence_interval(level)
    for name, value in {
        "statistic": known.statistic, "p": known.pvalue, "df": known.df, "delta_lower": bounds.low,
        "delta_upper": bounds.high, "delta": b.mean() - a.mean(), "n": 11, "n_baseline": 37,
    }.items():  # fmt: skip
        assert row[name] == pytest.approx(value, rel=1e-9), name


def test_the_relative_interval_is_that_of_the_ratio_of_means() -> None:
    """The logarithms of the means, by the delta method."""
    a, b = [1.0, 2.0, 4.0, 3.0], [5.0, 7.0, 6.0]
    row = welch(A=list(a), B=list(b))
    errors = [np.var(x, ddof=1) / len(x) / np.mean(x) ** 2 for x in (a, b)]
    df = sum(errors) ** 2 / (errors[0] ** 2 / 3 + errors[1] ** 2 / 2)
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(sum(errors))
    assert row["relative_change"] == pytest.approx(6 / 2.5 - 1, rel=1e-12)
    assert row["relative_lower"] == pytest.approx(6 / 2.5 * np.exp(-half) - 1, rel=1e-9)
    assert row["relative_upper"] == pytest.approx(6 / 2.5 * np.exp(half) - 1, rel=1e-9)


@pytest.mark.slow
def test_values_that_are_null_are_left_out() -> None:
    assert welch(A=[1.0, 2.0, None, 4.0], B=[None, 3.0, 5.0]) == welch(A=[1.0, 2.0, 4.0], B=[3.0, 5.0])


def test_one_unit_gives_a_difference_without_an_interval() -> None:
    row = welch(A=[1.0, 2.0], B=[4.0])
    assert (row["delta"], row["n"], row["n_baseline"]) == (2.5, 1, 2)
    assert [row[name] for name in ("se", "delta_lower", "p", "statistic", "df", "mde")] == [None] * 6


@pytest.mark.slow
def test_constant_values() -> None:
    equal, apart = welch(A=[0.1 + 0.2, 0.3], B=[0.3, 0.3, 0.3]), welch(A=[0.0, 0.0], B=[1.0, 1.0])
    assert (equal["p"], equal["statistic"], equal["se"]) == (1.0, None, 0.0)
    assert (apart["p"], apart["delta_lower"], apart["delta_upper"], apart["mde"]) == (None, 1.0, 1.0, None)
    # One constant side is no reason to refuse.
    assert welch(A=[0.0, 0.0], B=[1.0, 1.5])["p"] == pytest.approx(
        scipy.stats.ttest_ind([1.0, 1.5], [0.0, 0.0], equal_var=False).pvalue, rel=1e-9
    )


def test_a_mean_that_is_not_positive_has_no_relative_interval() -> None:
    row = welch(A=[-1.0, -3.0], B=[1.0, 2.0])
    assert (row["relative_change"], row["relative_lower"], row["relative_upper"]) == (1.75, None, None)


def test_a_baseline_without_values_gives_no_rows() -> None:
    assert not run_test("unpaired_t", table(A=[None], B=[1.0, 2.0]), baseline="A").rows
