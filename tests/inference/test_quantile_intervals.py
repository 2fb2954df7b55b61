"""Intervals of medians, percentiles and geometric means: against scipy, numpy, and values by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.special
import scipy.stats

import duckmetrics
from duckmetrics import MetricError
from support.intervals import fewer

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

SPECS = {"mrr(agg=p10)": 0.1, "mrr(agg=median)": 0.5, "mrr(agg=p90)": 0.9}


def ranks(n: int, seed: int, users: int = 0) -> pa.Table:
    """Return a log with one relevant item per query; without users, every query has its own."""
    source = np.random.default_rng(seed)
    user = np.arange(n) if not users else source.integers(0, users, n)
    taste = source.integers(1, 15, users if users else n)[user]
    rank = 1 + (taste + source.integers(0, 4, n)) % 20
    query, item = np.repeat(np.arange(n), 20), np.tile(np.arange(20), n)
    return pa.table({
        "query_id": query, "item_id": item, "score": -item, "label": (item == rank[query] - 1).astype(int),
        "user_id": user[query],
    })  # fmt: skip


def values(log: pa.Table) -> np.ndarray[Any, Any]:
    """Return the reciprocal ranks of the queries."""
    hit = np.flatnonzero(log["label"].to_numpy())
    return 1 / (1 + log["item_id"].to_numpy()[hit])


def bounds(row: dict[str, Any]) -> tuple[float, float]:
    return row["lower"], row["upper"]


@pytest.mark.some(0)
@pytest.mark.parametrize("n", [36, pytest.param(223, marks=pytest.mark.slow)])
def test_percentiles_as_scipy(n: int) -> None:
    """The value of the aggregation is that of numpy, its bounds are those of scipy."""
    log = ranks(n, seed=n)
    found = duckmetrics.evaluate(log, metrics=list(SPECS), interval=0.9)
    for row in found.rows:
        test = scipy.stats.quantile_test(values(log), p=SPECS[row["metric"]])
        expected = test.confidence_interval(0.9)
        assert bounds(row) == pytest.approx((expected.low, expected.high), rel=1e-15)
        assert row["value"] == pytest.approx(np.quantile(values(log), SPECS[row["metric"]]), rel=1e-15)
        assert (row["n_units"], row["n_effective"], row["reason"]) == (n, n, None)
    assert f"intervals of mrr(agg=p10), mrr(agg=median) and mrr(agg=p90): order statistics over {n}" in str(
        found
    ).replace("\n  ", " ")
    assert "read them with care" not in str(found)


@pytest.mark.slow
def test_too_few_queries_have_no_interval() -> None:
    log = ranks(20, seed=1)
    first, median, last = duckmetrics.evaluate(log, metrics=list(SPECS), interval=0.95).rows
    assert bounds(first) == bounds(last) == (None, None)
    for row in (first, last):
        assert "at this level, it needs at least 36 independent values of queries" in row["reason"]
    assert None not in bounds(median)
    (row,) = duckmetrics.evaluate(ranks(1, seed=1), metrics="mrr(agg=median)", interval=0.95).rows
    assert row["reason"] == "no interval: there is one unit only"


def independent(value: np.ndarray[Any, Any], user: np.ndarray[Any, Any], q: float, level: float) -> float:
    """Return the number of independent values, by the formulas of Woodruff and of Korn and Graubard."""
    n, pivot = len(value), np.sort(value)[math.floor((len(value) - 1) * q)]
    below, tied = (value < pivot).sum(), (value == pivot).sum()
    share = np.where(value == pivot, min(max((q * n - below) / tied, 0), 1), value < pivot)
    sizes = np.unique(user, return_counts=True)[1]
    totals = np.array([(share[user == one] - share.mean()).sum() for one in np.unique(user)])
    between = len(sizes) / (len(sizes) - 1) * (totals**2).sum() / n**2
    effective = n**2 / (sizes**2).sum()
    ratio = scipy.stats.norm.isf((1 - level) / 2) / scipy.stats.t.isf((1 - level) / 2, effective - 1)
    return float(min(n, share.var(ddof=1) / between * ratio**2))


def lower_rank(n: int, effective: float, q: float, tail: float) -> int:
    at = np.arange(n) * effective / n
    return int((scipy.special.betainc(effective - at, at + 1, 1 - q) <= tail).sum())


@pytest.mark.some(0)
@pytest.mark.parametrize("users", [25, pytest.param(90, marks=pytest.mark.slow)])
def test_percentiles_of_clusters_as_numpy(users: int) -> None:
    log = ranks(400, seed=users, users=users)
    value = values(log)
    user = log["user_id"].to_numpy()[::20]
    found = duckmetrics.evaluate(log, metrics=list(SPECS), interval=0.95, cluster="user_id")
    for row in found.rows:
        q = SPECS[row["metric"]]
        effective = independent(value, user, q, 0.95)
        low, high = lower_rank(400, effective, q, 0.025), lower_rank(400, effective, 1 - q, 0.025)
        ordered = np.sort(value)
        assert effective < 250
        assert bounds(row) == pytest.approx((ordered[low - 1], ordered[400 - high]), rel=1e-15)
        assert row["n_units"] == len(np.unique(user))
    assert (users < 30) == ("effective of" in str(found))


@pytest.mark.slow
def test_a_geometric_mean_as_scipy() -> None:
    log = ranks(50, seed=3)
    (row,) = duckmetrics.evaluate(log, metrics="mrr(agg=gmean)", interval=0.95).rows
    logs = np.log(values(log))
    df = fewer(49, logs.tolist())
    expected = scipy.stats.t.interval(0.95, df, logs.mean(), scipy.stats.sem(logs))
    assert bounds(row) == pytest.approx(tuple(np.exp(expected)), rel=1e-12)
    assert row["value"] == pytest.approx(scipy.stats.gmean(values(log)), rel=1e-12)


@pytest.mark.slow
def test_slices_and_resamples_leave_the_ranks_alone() -> None:
    log = ranks(120, seed=5, users=4)
    whole = duckmetrics.evaluate(log, metrics=["mrr(agg=median)", "mrr"], interval=0.95, by=["user_id"])
    for row in whole.rows:
        if row["slice"] and row["metric"] != "mrr":
            own = values(log)[log["user_id"].to_numpy()[::20] == row["user_id"]]
            expected = scipy.stats.quantile_test(own).confidence_interval(0.95)
            assert bounds(row) == pytest.approx((expected.low, expected.high), rel=1e-15)
    drawn = duckmetrics.evaluate(
        log, metrics=["mrr(agg=median)", "mrr"], interval=0.95, interval_method="bootstrap", resamples=200
    )
    assert bounds(drawn.rows[0]) == bounds(whole.rows[0])
    assert bounds(drawn.rows[1]) != bounds(whole.rows[1])


def test_medians_are_not_compared() -> None:
    systems: Sequence[str] = ("A", "B")
    logs = {name: ranks(30, seed=i) for i, name in enumerate(systems)}
    with pytest.raises(MetricError, match="is the median of the queries, and the tests compare means"):
        duckmetrics.compare(logs, None, "mrr(agg=median)")
