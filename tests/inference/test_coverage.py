"""Simulations: intervals contain the true value as often as they claim; equal systems rarely differ."""

from __future__ import annotations

import numpy as np
import pytest

import duckmetrics
from benchmarks.simulations.intervals import UNIFORM_RR, coverage, impressions, p_values, rankings


@pytest.mark.some(0)
@pytest.mark.parametrize("queries", [200, 60])
def test_intervals_of_means_over_queries(queries: int) -> None:
    data = rankings(1000, queries, seed=queries)
    result = duckmetrics.evaluate(data, metrics="mrr", by=["repetition"], interval=0.95)
    assert 0.93 <= coverage(result, "mrr", UNIFORM_RR) <= 0.97


@pytest.mark.slow
def test_intervals_by_clusters() -> None:
    """The truth comes from a hundred thousand users; intervals by rows contain it far too rarely."""
    metrics = ["auc", "ctr", "log_loss", "calibration_ratio", "normalized_entropy"]
    population = duckmetrics.evaluate(impressions(1, 100_000, seed=1), metrics=metrics)
    data = impressions(600, 200, seed=2)
    clustered = duckmetrics.evaluate(
        data, metrics=metrics, by=["repetition"], interval=0.95, cluster="user_id"
    )
    for metric in metrics:
        assert 0.93 <= coverage(clustered, metric, population[metric]) <= 0.97, metric
    by_row = duckmetrics.evaluate(data, metrics=["ctr"], by=["repetition"], interval=0.95)
    assert coverage(by_row, "ctr", population["ctr"]) < 0.85


@pytest.mark.slow
def test_equal_systems_are_rarely_called_different() -> None:
    """5 % of the comparisons differ, within the error of 2,000 repetitions."""
    p = p_values(2000, 30, seed=11)
    assert len(p) == 2000
    assert 0.035 <= np.mean(p < 0.05) <= 0.065
    for alpha in (0.01, 0.2, 0.5, 0.8):
        assert np.mean(p < alpha) == pytest.approx(alpha, abs=4 * (alpha * (1 - alpha) / 2000) ** 0.5)
