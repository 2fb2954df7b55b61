"""Do intervals of percentiles contain the true value as often as they claim, and is no drift called drift?

The repetitions are slices of one table, so one call evaluates many of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics
from benchmarks.simulations.intervals import described

if TYPE_CHECKING:
    from collections.abc import Iterator

ITEMS = 5
# With more, more than a tenth of the queries have an NDCG of 1, and every interval of p90 contains it.
MOST_SKILL = 0.5
# The arms that share a control in one call. Their results are alike, so they are few.
ARMS = 5
METRICS = ("ndcg(agg=median)", "ndcg(agg=gmean)", "ndcg(agg=p10)", "ndcg(agg=p90)")


def graded(repetitions: int, queries: int, seed: int) -> pa.Table:
    """Return independent queries with graded items, so that NDCG is nearly continuous."""
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    return _log(generator, np.arange(n) // queries, MOST_SKILL * generator.random(n), np.arange(n))


def of_users(repetitions: int, users: int, seed: int) -> pa.Table:
    """Return queries of users, who have different numbers of queries and rankings of different quality."""
    generator = np.random.default_rng(seed)
    n = repetitions * users
    user = np.repeat(np.arange(n), generator.geometric(0.2, n))
    skill = np.clip(generator.random(n)[user] + 0.1 * generator.standard_normal(len(user)), 0, 1)
    skill *= MOST_SKILL
    return _log(generator, user // users, skill, user)


def _log(
    generator: np.random.Generator,
    repetition: np.ndarray,
    skill: np.ndarray,
    user: np.ndarray,
) -> pa.Table:
    """Return a log where the skill of a query is how well its scores follow the grades."""
    n = len(skill)
    query, item = np.repeat(np.arange(n), ITEMS), np.tile(np.arange(ITEMS), n)
    grade = generator.gamma(0.5, 1, n * ITEMS)
    score = np.repeat(skill, ITEMS) * grade + np.repeat(1 - skill, ITEMS) * generator.random(n * ITEMS)
    return pa.table({
        "query_id": query, "item_id": item, "label": grade, "score": score, "user_id": user[query],
        "repetition": repetition[query],
    })  # fmt: skip


def false_alarms(test: str, repetitions: int, size: int) -> float:
    """Return how often a test of drift has p < 0.05 for samples of one distribution."""
    p: list[float] = []
    for seed in range(max(1, repetitions // ARMS)):
        value = np.random.default_rng([size, seed]).standard_normal(size * (ARMS + 1))
        arm = np.repeat(np.arange(ARMS + 1), size).astype(str)
        found = duckmetrics.run_test(test, pa.table({"arm": arm, "value": value}), control="0")
        p += [row["p"] for row in found.rows if row["p"] is not None]
    return float(np.mean(np.array(p) < 0.05))


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: coverage of the intervals, alone and in clusters."""
    yield "| interval of | units | coverage |\n|---|---:|---:|"
    metrics = list(METRICS)
    truth = duckmetrics.evaluate(graded(1, 500_000, seed=1), metrics=metrics)
    for queries in (20, 50, 200):
        data = graded(repetitions, queries, seed=queries)
        result = duckmetrics.evaluate(data, metrics=metrics, by=["repetition"], interval=0.95)
        # The other percentiles need 36 queries.
        for metric in metrics[: 2 if queries == 20 else None]:
            yield f"| {metric} | {queries} queries | {described(result, metric, truth[metric])} |"
    truth = duckmetrics.evaluate(of_users(1, 100_000, seed=2), metrics=metrics)
    for users in (30, 100):
        data = of_users(repetitions, users, seed=users)
        result = duckmetrics.evaluate(
            data, metrics=metrics, by=["repetition"], interval=0.95, cluster="user_id"
        )
        for metric in metrics:
            yield f"| {metric} | {users} users | {described(result, metric, truth[metric])} |"
    ignored = duckmetrics.evaluate(data, metrics=metrics, by=["repetition"], interval=0.95)
    for metric in metrics:
        yield f"| {metric}, users ignored | {users} users | {described(ignored, metric, truth[metric])} |"
    yield "\n| test of equal distributions | values per sample | called different |\n|---|---:|---:|"
    for test in ("kolmogorov_smirnov", "population_stability"):
        # With fewer than 1,000 values, a bin expects too few for a p of psi.
        for size in (20, 100, 1000) if test != "population_stability" else (1000,):
            share = false_alarms(test, repetitions, size)
            yield f"| {test} | {size:,} | {share:.1%} |"
