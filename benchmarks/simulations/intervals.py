"""Do intervals contain the true value as often as they claim, and are equal systems called equal?

The repetitions are slices of one table, so one call evaluates many of them.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics import Evaluation

ITEMS = 10
# The mean reciprocal rank if all ten ranks are equally likely.
UNIFORM_RR = sum(1 / rank for rank in range(1, ITEMS + 1)) / ITEMS
COMPARED = ("auc", "log_loss", "normalized_entropy", "gauc", "gauc(average=pairs)", "calibration_ratio")
OF_HEAVY_USERS = (
    "auc", "log_loss", "ctr", "normalized_entropy", "calibration_ratio", "gauc", "gauc(average=uniform)",
    "gauc(average=positives)", "gauc(average=pairs)", "classification.f1(threshold=0.3)",
    "classification.precision(threshold=0.3)", "classification.recall(threshold=0.3)",
)  # fmt: skip
OF_ROWS = ("auc", "ctr", "log_loss", "calibration_ratio", "normalized_entropy", "gauc", "classification.f1")


def rankings(repetitions: int, queries: int, seed: int) -> pa.Table:
    """Return a log with one relevant item at a random rank of ten, and the repetition of every query."""
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    query = np.repeat(np.arange(n), ITEMS)
    item = np.tile(np.arange(ITEMS), n)
    return pa.table({
        "query_id": query, "item_id": item, "label": (item == 0).astype(np.int32),
        "score": generator.random(n * ITEMS), "repetition": query // queries,
    })  # fmt: skip


def impressions(repetitions: int, users: int, seed: int) -> pa.Table:
    """Return a log whose rows are not independent: users who click more also see more."""
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


def heavy_impressions(repetitions: int, users: int, seed: int) -> pa.Table:
    """Return a log with heavy users: Pareto sizes up to 400 rows, and different tastes."""
    generator = np.random.default_rng(seed)
    n = repetitions * users
    seen = np.minimum(400, np.ceil(generator.random(n) ** (-1 / 1.5))).astype(int)
    user = np.repeat(np.arange(n), seen)
    taste, moment, noise = (generator.standard_normal(size) for size in (n, len(user), len(user)))
    label = generator.random(len(user)) < 1 / (1 + np.exp(1.5 - 1.2 * taste[user] - moment))
    score = 1 / (1 + np.exp(1.5 - 0.96 * taste[user] - 0.7 * moment - 0.5 * noise))
    return pa.table({
        "user_id": user, "label": label.astype(np.int32), "score": score, "repetition": user // users,
    })  # fmt: skip


def nearly_all_hits(repetitions: int, queries: int, seed: int) -> pa.Table:
    """Return lists with the relevant item at rank 1 to 4: hit rates of .9 @1, .97 @2 and .99 @3."""
    n = repetitions * queries
    rank = np.random.default_rng(seed).choice(4, n, p=[0.9, 0.07, 0.02, 0.01])
    query, item = np.repeat(np.arange(n), 4), np.tile(np.arange(4), n)
    return pa.table({
        "query_id": query, "item_id": item, "label": (item == rank[query]).astype(np.int32), "score": -item,
        "repetition": query // queries,
    })  # fmt: skip


def two_normals(repetitions: int, positives: int, negatives: int, area: float, seed: int) -> pa.Table:
    """Return independent rows with normal scores in each class, so that the AUC is known."""
    generator = np.random.default_rng(seed)
    label = np.tile(np.repeat([1, 0], [positives, negatives]), repetitions)
    shift = NormalDist().inv_cdf(area) * 2**0.5
    score = generator.standard_normal(len(label)) + shift * label
    repetition = np.repeat(np.arange(repetitions), positives + negatives)
    return pa.table({"label": label, "score": score, "repetition": repetition})


def of_heavy_users(repetitions: int) -> Iterator[str]:
    metrics, columns = list(OF_HEAVY_USERS), {"group_id": "user_id"}
    truth = duckmetrics.evaluate(heavy_impressions(1, 500_000, seed=1), metrics=metrics, columns=columns)
    for users in (30, 100, 500):
        result = duckmetrics.evaluate(
            heavy_impressions(repetitions, users, seed=users), metrics=metrics, by=["repetition"],
            columns=columns, interval=0.95, cluster="user_id",
        )  # fmt: skip
        for metric in metrics:
            yield f"| {metric} | {users} heavy users | {described(result, metric, truth[metric])} |"


def of_proportions(repetitions: int) -> Iterator[str]:
    for queries in (20, 50, 200, 1000):
        data = nearly_all_hits(repetitions, queries, seed=queries)
        metrics = {"hit_rate@1": 0.9, "hit_rate@2": 0.97, "hit_rate@3": 0.99}
        result = duckmetrics.evaluate(data, metrics=list(metrics), by=["repetition"], interval=0.95)
        for metric, truth in metrics.items():
            yield f"| hit rate {truth} | {queries} queries | {described(result, metric, truth)} |"


def of_small_samples(repetitions: int) -> Iterator[str]:
    for area, positives, negatives in (
        (0.8, 10, 10), (0.95, 20, 20), (0.95, 50, 50), (0.98, 20, 200), (0.98, 50, 50), (0.98, 100, 900),
    ):  # fmt: skip
        # Chance alone moves a coverage of 95 % by 1.4 points in 1,000 repetitions, by 0.6 in 5,000.
        data = two_normals(5 * repetitions, positives, negatives, area, seed=positives + negatives)
        result = duckmetrics.evaluate(data, metrics="auc", by=["repetition"], interval=0.95)
        rows = f"{positives} + {negatives} rows, {5 * repetitions:,} repetitions"
        yield f"| AUC {area} | {rows} | {described(result, 'auc', area)} |"


def described(result: Evaluation, metric: str, truth: float | None) -> str:
    """Return how often the intervals contain the truth, and how many slices have none."""
    rows = [row for row in result.rows if row["metric"] == metric and row["slice"]]
    without = sum(row["lower"] is None for row in rows) / len(rows)
    refused = f" ({without:.1%} have none)" if without else ""
    return f"{coverage(result, metric, truth):.1%}{refused}"


def heavy_p_values(repetitions: int, users: int, seed: int) -> dict[str, np.ndarray]:
    """Return by metric the p-values of comparisons of two systems that differ by noise alone."""
    log = heavy_impressions(repetitions, users, seed)
    odds = np.log(log["score"].to_numpy() / (1 - log["score"].to_numpy()))
    systems = {}
    for i, name in enumerate("AB"):
        noise = np.random.default_rng([seed, i]).standard_normal(len(odds))
        systems[name] = log.set_column(2, "score", pa.array(1 / (1 + np.exp(-odds - 0.5 * noise))))
    found = duckmetrics.compare(
        systems, None, list(COMPARED), by=["repetition"], columns={"group_id": "user_id"}, cluster="user_id",
        adjust="none",
    )  # fmt: skip
    rows = [row for row in found.rows if row["slice"] and row["p"] is not None]
    return {metric: np.array([row["p"] for row in rows if row["metric"] == metric]) for metric in COMPARED}


def coverage(result: Evaluation, metric: str, truth: float | None) -> float:
    """Return the share of the slices whose interval contains the truth."""
    assert truth is not None
    rows = [
        row for row in result.rows if row["metric"] == metric and row["slice"] and row["lower"] is not None
    ]
    return sum(row["lower"] <= truth <= row["upper"] for row in rows) / len(rows)


def p_values(repetitions: int, queries: int, seed: int) -> np.ndarray:
    """Return the p-values of comparisons of two systems that rank at random."""
    systems = {name: rankings(repetitions, queries, seed + i) for i, name in enumerate("AB")}
    found = duckmetrics.compare(systems, None, "mrr", by=["repetition"], adjust="none")
    return np.array([row["p"] for row in found.rows if row["slice"] and row["p"] is not None])


def family_errors(repetitions: int, queries: int, systems: int, metrics: int, seed: int) -> dict[str, float]:
    """Return how often a family of comparisons of equal systems has a verdict, with Holm and unadjusted.

    The values per query are drawn; the tests are paired_t and adjusted_p of the package.
    """
    generator = np.random.default_rng(seed)
    count = repetitions * metrics
    common = generator.random((count, queries, 1))
    values = np.clip(common + 0.3 * generator.standard_normal((count, queries, systems)), 0, 1)
    table = pa.table({
        "system": np.tile(np.arange(systems), count * queries).astype(str),
        "metric": np.repeat(np.arange(count), queries * systems).astype(str),
        "query_id": np.repeat(np.tile(np.arange(queries), count), systems), "value": values.reshape(-1),
    })  # fmt: skip
    p: list[list[float]] = [[] for _ in range(repetitions)]
    for row in duckmetrics.run_test("paired_t", table, baseline="0").rows:
        p[int(row["metric"]) // metrics].append(1.0 if row["p"] is None else row["p"])
    # Holm multiplies the smallest of m p-values by m; a family errs if the product is below 5 %.
    smallest = np.array([min(one) for one in p])
    return {
        "holm": float(np.mean(metrics * (systems - 1) * smallest < 0.05)),
        "none": float(np.mean(smallest < 0.05)),
    }


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: coverage of the intervals, and verdicts about equal systems."""
    yield "| interval of | units | coverage |\n|---|---:|---:|"
    for queries in (30, 100, 1000):
        data = rankings(repetitions, queries, seed=queries)
        result = duckmetrics.evaluate(data, metrics="mrr", by=["repetition"], interval=0.95)
        yield f"| mean reciprocal rank | {queries} queries | {coverage(result, 'mrr', UNIFORM_RR):.1%} |"
    metrics, columns = list(OF_ROWS), {"group_id": "user_id"}
    truth = duckmetrics.evaluate(impressions(1, 500_000, seed=1), metrics=metrics, columns=columns)
    for users in (50, 400):
        data = impressions(repetitions, users, seed=users)
        result = duckmetrics.evaluate(
            data, metrics=metrics, by=["repetition"], columns=columns, interval=0.95, cluster="user_id"
        )
        for metric in metrics:
            yield f"| {metric} | {users} users | {coverage(result, metric, truth[metric]):.1%} |"
    by_row = duckmetrics.evaluate(data, metrics=["auc", "ctr"], by=["repetition"], interval=0.95)
    for metric in ("auc", "ctr"):
        yield f"| {metric}, users ignored | {users} users | {coverage(by_row, metric, truth[metric]):.1%} |"
    yield from of_heavy_users(repetitions)
    yield from of_proportions(repetitions)
    yield from of_small_samples(repetitions)
    yield "\n| test of equal systems | called different |\n|---|---:|"
    for queries in (30, 100, 1000):
        yield f"| paired t, {queries} queries | {np.mean(p_values(repetitions, queries, 7) < 0.05):.1%} |"
    for users in (30, 100):
        for metric, p in heavy_p_values(repetitions, users, seed=users).items():
            yield f"| {metric}, {users} heavy users | {np.mean(p < 0.05):.1%} |"
    errors = family_errors(min(repetitions, 1000), 50, systems=4, metrics=3, seed=9)
    for adjust, share in errors.items():
        yield f"| any of 9 comparisons of equal systems, 50 queries, adjusted: {adjust} | {share:.1%} |"
