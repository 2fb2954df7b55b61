"""The randomization test of other units: scipy's permutations of Welch's statistic, and its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from duckmetrics import run_test

pytestmark = pytest.mark.engine


def exchanged(before: Any, after: Any, **options: Any) -> dict[str, Any]:
    values = [*map(float, before), *map(float, after)]
    table = pa.table({
        "system": ["A"] * len(before) + ["B"] * len(after), "metric": ["m"] * len(values),
        "query_id": range(len(values)), "value": values,
    })  # fmt: skip
    (row,) = run_test("unpaired_randomization", table, baseline="A", **options).rows
    return row


def welch(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    """Return how far Welch's statistic is from 0."""
    error = x.var(axis=axis, ddof=1) / x.shape[axis] + y.var(axis=axis, ddof=1) / y.shape[axis]
    with np.errstate(divide="ignore"):
        return np.abs(y.mean(axis=axis) - x.mean(axis=axis)) / np.sqrt(error)


@pytest.mark.parametrize(("m", "n"), [(5, 6), (2, 11), (7, 6)])
@pytest.mark.parametrize("digits", [None, 1])
def test_all_exchanges_as_scipy(m: int, n: int, digits: int | None) -> None:
    generator = np.random.default_rng([m, n])
    before, after = generator.exponential(size=m), generator.exponential(size=n) + 0.8
    if digits is not None:  # ties
        before, after = before.round(digits), after.round(digits)
    row = exchanged(before, after)
    known = scipy.stats.permutation_test(
        (before, after), welch, vectorized=True, n_resamples=np.inf, alternative="greater"
    )
    assert row["exact"]
    assert abs(row["statistic"]) == pytest.approx(known.statistic, rel=1e-9)
    assert row["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert row["delta"] == pytest.approx(after.mean() - before.mean(), rel=1e-9)


def test_random_exchanges_are_near_all_of_them() -> None:
    generator = np.random.default_rng(5)
    before, after = generator.exponential(size=6), generator.exponential(size=9) + 0.5
    every, drawn = exchanged(before, after), exchanged(before, after, exact=False)
    assert (every["exact"], drawn["exact"], drawn["resamples"]) == (True, False, 10_000)
    error = np.sqrt(every["p"] * (1 - every["p"]) / 10_000)
    assert abs(drawn["p"] - every["p"]) < 4 * error
    # Other sizes, and values that are moved, change nothing but the draws.
    moved = exchanged(before + 1e6, after + 1e6)
    assert moved["p"] == pytest.approx(every["p"], rel=1e-9)


def test_values_without_variance_and_few_units() -> None:
    assert exchanged([0] * 5, [1] * 5)["p"] == pytest.approx(2 / 252, rel=1e-12)
    assert (exchanged([1] * 5, [1] * 5)["p"], exchanged([1] * 5, [1] * 5)["statistic"]) == (1.0, None)
    assert exchanged([1], [1, 2, 3])["p"] is None
    one_side = exchanged([3] * 4, [1, 2, 1, 2])
    known = scipy.stats.permutation_test(
        ([3.0] * 4, [1.0, 2, 1, 2]), welch, vectorized=True, n_resamples=np.inf, alternative="greater"
    )
    assert one_side["p"] == pytest.approx(known.pvalue, rel=1e-12)


@pytest.mark.slow
def test_many_units_take_fewer_draws() -> None:
    source = np.random.default_rng(2)
    row = exchanged(source.normal(size=9000), source.normal(size=7000))
    assert (row["resamples"], row["exact"]) == (2500, False)
    assert row["p"] > 0.001
