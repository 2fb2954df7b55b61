"""Simulations: intervals hold the true value as often as they say, and equal systems are called equal.

The repetitions are slices of one table, so that one call evaluates all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics

if TYPE_CHECKING:
    from duckmetrics import Evaluation

ITEMS = 10


def covered(result: Evaluation, metric: str, truth: float) -> float:
    """The share of the slices whose interval holds the truth."""
    rows = [row for row in result.rows if row["metric"] == metric and row["slice"]]
    return sum(row["lower"] <= truth <= row["upper"] for row in rows) / len(rows)


def rankings(repetitions: int, queries: int, seed: int) -> pa.Table:
    """One relevant item at a random rank of ten: a log with labels, and the repetition of every query."""
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    query = np.repeat(np.arange(n), ITEMS)
    return pa.table({
        "query_id": query,
        "item_id": np.tile(np.arange(ITEMS), n),
        "label": (np.tile(np.arange(ITEMS), n) == 0).astype(np.int32),
        "score": generator.random(n * ITEMS),
        "repetition": query // queries,
    })  # fmt: skip


@pytest.mark.parametrize("queries", [60, 200])
def test_intervals_of_means_over_queries(queries: int) -> None:
    """The mean reciprocal rank of a uniform rank is the harmonic number over the number of ranks."""
    data = rankings(1000, queries, seed=queries)
    result = duckmetrics.evaluate(data, metrics="mrr", by=["repetition"], interval=0.95)
    truth = sum(1 / rank for rank in range(1, ITEMS + 1)) / ITEMS
    assert 0.93 <= covered(result, "mrr", truth) <= 0.97


def impressions(repetitions: int, users: int, seed: int) -> pa.Table:
    """Users who click more see more: a log whose rows are not independent."""
    generator = np.random.default_rng(seed)
    n = repetitions * users
    keen = generator.random(n) < 0.5
    seen = generator.geometric(np.where(keen, 1 / 15, 1 / 5))
    taste = np.where(keen, 0.4, 0.1)
    user = np.repeat(np.arange(n), seen)
    p = np.clip(taste[user] + 0.1 * generator.standard_normal(n)[user], 0.02, 0.98)
    label = generator.random(len(user)) < p
    score = np.clip(p + 0.15 * generator.standard_normal(len(user)), 0.01, 0.99)
    return pa.table({
        "user_id": user, "label": label.astype(np.int32), "score": score, "repetition": user // users,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("metrics", "repetitions"), [(["auc", "ctr", "log_loss", "calibration_ratio", "normalized_entropy"], 600)]
)
def test_intervals_by_clusters(metrics: list[str], repetitions: int) -> None:
    """The truth is what a hundred thousand users show; by rows the intervals hold it far too rarely."""
    population = duckmetrics.evaluate(impressions(1, 100_000, seed=1), metrics=metrics)
    data = impressions(repetitions, 200, seed=2)
    clustered = duckmetrics.evaluate(
        data, metrics=metrics, by=["repetition"], interval=0.95, cluster="user_id"
    )
    for metric in metrics:
        truth: Any = population[metric]
        assert 0.93 <= covered(clustered, metric, truth) <= 0.97, metric
    by_row = duckmetrics.evaluate(data, metrics=["ctr"], by=["repetition"], interval=0.95)
    assert covered(by_row, "ctr", population["ctr"]) < 0.85  # type: ignore[arg-type]


def test_equal_systems_are_rarely_called_different() -> None:
    """5 % of the comparisons, give or take what 2,000 repetitions allow."""
    systems = {name: rankings(2000, 30, seed) for name, seed in (("A", 11), ("B", 12))}
    found = duckmetrics.compare(systems, None, "mrr", by=["repetition"], adjust="none")
    p = [row["p"] for row in found.rows if row["slice"] and row["p"] is not None]
    assert len(p) == 2000
    assert 0.035 <= np.mean(np.array(p) < 0.05) <= 0.065
    for alpha in (0.01, 0.2, 0.5, 0.8):
        assert np.mean(np.array(p) < alpha) == pytest.approx(
            alpha, abs=4 * (alpha * (1 - alpha) / 2000) ** 0.5
        )
