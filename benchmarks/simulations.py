"""``python -m benchmarks.simulations``: do intervals hold the true value as often as they say?

The repetitions are slices of one table, so that one call evaluates many of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics import Evaluation

ITEMS = 10
# The mean reciprocal rank where every rank of ten is as likely.
UNIFORM_RR = sum(1 / rank for rank in range(1, ITEMS + 1)) / ITEMS
OF_ROWS = ("auc", "ctr", "log_loss", "calibration_ratio", "normalized_entropy", "gauc", "classification.f1")


def rankings(repetitions: int, queries: int, seed: int) -> pa.Table:
    """One relevant item at a random rank of ten: a log with labels, and the repetition of every query."""
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    query = np.repeat(np.arange(n), ITEMS)
    item = np.tile(np.arange(ITEMS), n)
    return pa.table({
        "query_id": query, "item_id": item, "label": (item == 0).astype(np.int32),
        "score": generator.random(n * ITEMS), "repetition": query // queries,
    })  # fmt: skip


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


def coverage(result: Evaluation, metric: str, truth: float | None) -> float:
    """The share of the slices whose interval holds the truth."""
    assert truth is not None
    rows = [
        row for row in result.rows if row["metric"] == metric and row["slice"] and row["lower"] is not None
    ]
    return sum(row["lower"] <= truth <= row["upper"] for row in rows) / len(rows)


def p_values(repetitions: int, queries: int, seed: int) -> np.ndarray:
    """Those of comparisons of two systems that rank at random."""
    systems = {name: rankings(repetitions, queries, seed + i) for i, name in enumerate("AB")}
    found = duckmetrics.compare(systems, None, "mrr", by=["repetition"], adjust="none")
    return np.array([row["p"] for row in found.rows if row["slice"] and row["p"] is not None])


def family_errors(repetitions: int, queries: int, systems: int, metrics: int, seed: int) -> dict[str, float]:
    """How often a family of comparisons of equal systems has a verdict, adjusted by Holm and not at all.

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
    # The smallest of m p-values is m times itself after Holm; a family errs if that is below 5 %.
    smallest = np.array([min(one) for one in p])
    return {
        "holm": float(np.mean(metrics * (systems - 1) * smallest < 0.05)),
        "none": float(np.mean(smallest < 0.05)),
    }


def lines(repetitions: int) -> Iterator[str]:
    """The lines of a page: how often intervals hold the truth, and equal systems are called different."""
    yield f"# Simulations\n\n{repetitions:,} repetitions; intervals of 95 %, tests at 5 %.\n"
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
    yield "\n| test of equal systems | called different |\n|---|---:|"
    for queries in (30, 100, 1000):
        yield f"| paired t, {queries} queries | {np.mean(p_values(repetitions, queries, 7) < 0.05):.1%} |"
    errors = family_errors(min(repetitions, 1000), 50, systems=4, metrics=3, seed=9)
    for adjust, share in errors.items():
        yield f"| any of 9 comparisons of equal systems, 50 queries, adjusted: {adjust} | {share:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/simulations.md"))
    options = parser.parse_args()
    page = []
    for line in lines(options.repetitions):
        page.append(line)
        print(line, flush=True)
    options.output.write_text("\n".join(page) + "\n", "utf-8")


if __name__ == "__main__":
    main()
