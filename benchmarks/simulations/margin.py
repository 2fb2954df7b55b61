"""How often is a system called "not worse" or "equivalent" that is worse by just the margin?

The repetitions are slices of one table, so one call compares many of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import duckmetrics
from benchmarks.simulations.intervals import heavy_impressions
from duckmetrics.reference.statistics import student_t_mde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics import Comparison

MARGIN = 0.02
# The share of queries whose reciprocal rank changes by one half.
CHANGED = 0.3
QUERIES = (20, 50, 200)


def values(repetitions: int, queries: int, shift: float, spread: float, seed: int) -> pa.Table:
    """Return values per query of two systems, the means of which differ by a shift."""
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    before = generator.beta(2, 2, n)
    after = before + shift + spread * (generator.exponential(size=n) - generator.exponential(size=n))
    return pa.table({
        "system": np.repeat(["A", "B"], n),
        "metric": np.tile(np.arange(n) // queries, 2).astype(str),
        "query_id": np.tile(np.arange(n), 2), "value": np.concatenate([before, after]),
    })  # fmt: skip


def tested(table: pa.Table, **options: Any) -> list[dict[str, Any]]:
    return duckmetrics.run_test("paired_tost", table, baseline="A", **options).rows


def share(found: list[Any], column: str) -> float:
    """Return the share of rows with a p below 5 %."""
    return float(np.mean([row[column] is not None and row[column] < 0.05 for row in found]))


def rankings(repetitions: int, queries: int, worse: float, seed: int) -> dict[str, pa.Table]:
    """Return two systems whose reciprocal ranks are 1 and 1/2, and differ in some queries.

    Args:
        worse: by how much the mean of the second system is lower.
    """
    generator = np.random.default_rng(seed)
    n = repetitions * queries
    first = generator.random(n) < 0.5
    # Of those in which the first system has rank 1, a share is lost; of the others, fewer are gained.
    lost, gained = CHANGED + 2 * worse, CHANGED - 2 * worse
    change = generator.random(n)
    second = np.where(first, change >= lost, change < gained)
    query, item = np.repeat(np.arange(n), 2), np.tile(np.arange(2), n)
    return {
        name: pa.table({
            "query_id": query, "item_id": item, "label": (item == 0).astype(np.int32),
            "score": np.where(item == 0, np.repeat(hits, 2) - 0.5, 0), "repetition": query // queries,
        })
        for name, hits in (("A", first), ("B", second))
    }  # fmt: skip


def of_rankings(repetitions: int) -> Iterator[str]:
    """Compare reciprocal ranks that are lower by just the margin, as a user does."""
    margin = 0.1
    for queries in QUERIES:
        systems = rankings(3 * repetitions, queries, margin, seed=queries)
        for name, given in (("0.1", margin), ("13.3 %", f"{100 * margin / 0.75}%")):
            found = duckmetrics.compare(systems, None, "mrr", by=["repetition"], adjust="none", margin=given)
            what = f"mrr, margin {name}, {3 * repetitions:,} repetitions"
            yield _line(what, f"{queries} queries", found, "not worse", "p_not_worse")
        drawn = duckmetrics.compare(
            systems, None, "mrr", by=["repetition"], adjust="none", margin=margin, test="randomization",
            resamples=1000,
        )  # fmt: skip
        what = f"mrr, margin {margin}, randomization, {3 * repetitions:,} repetitions"
        yield _line(what, f"{queries} queries", drawn, "not worse", "p_not_worse")


def of_clusters(repetitions: int) -> Iterator[str]:
    """Compare the AUC of heavy users, where the second system is worse by just the margin."""
    large = noisy(heavy_impressions(1, 400_000, seed=1), seed=1)
    known = duckmetrics.evaluate(large["A"], metrics="auc"), duckmetrics.evaluate(large["B"], metrics="auc")
    before, after = (one["auc"] or math.nan for one in known)
    margins = {"absolute": before - after, "relative": f"{100 * (before - after) / before}%"}
    for users in (30, 100, 500):
        systems = noisy(heavy_impressions(repetitions, users, seed=users), seed=users)
        for name, margin in margins.items():
            found = duckmetrics.compare(
                systems, None, "auc", by=["repetition"], cluster="user_id", adjust="none", margin=margin
            )
            yield _line(f"AUC, {name} margin", f"{users} heavy users", found, "not worse", "p_not_worse")
            if name == "absolute":
                yield _line(
                    "AUC, absolute margin", f"{users} heavy users", found, "equivalent", "p_equivalent"
                )


def noisy(log: pa.Table, seed: int) -> dict[str, pa.Table]:
    """Return a log, and the same with scores that have some noise."""
    odds = np.log(log["score"].to_numpy() / (1 - log["score"].to_numpy()))
    noise = np.random.default_rng([seed, 7]).standard_normal(len(odds))
    worse = pa.array(1 / (1 + np.exp(-odds - 0.7 * noise)))
    return {"A": log, "B": log.set_column(log.column_names.index("score"), "score", worse)}


def _line(what: str, units: str, found: Comparison, verdict: str, column: str) -> str:
    rows = [row for row in found.rows if row["slice"] and row["system"] != "A"]
    return f"| {what} | {units} | {verdict} | {share(rows, column):.1%} |"


def of_values(repetitions: int) -> Iterator[str]:
    """Test values whose true difference is the margin, on either side."""
    for queries in QUERIES:
        for way, shift, verdicts in (
            ("lower", -MARGIN, {"not worse": "p_higher", "equivalent": "p_equivalent"}),
            ("higher", MARGIN, {"equivalent": "p_equivalent"}),
        ):  # fmt: skip
            # The spread shrinks with the queries, so that the test of the other side has power.
            spread = MARGIN * math.sqrt(queries) / 6
            # Chance alone moves a share of 5 % by 0.7 points in 1,000 repetitions, by 0.3 in 5,000.
            found = tested(values(5 * repetitions, queries, shift, spread, seed=queries), margin=MARGIN)
            what = f"values, {way} by the margin, {5 * repetitions:,} repetitions"
            for verdict, column in verdicts.items():
                yield f"| {what} | {queries} queries | {verdict} | {share(found, column):.1%} |"


def of_power(repetitions: int) -> Iterator[str]:
    """Test equal systems at the margin that a one-sided test of 5 % finds with a power of 80 %."""
    for queries in QUERIES:
        spread = 0.1
        # The variance of the difference of two exponential values is 2. A two-sided test at 10 % is a
        # one-sided one at 5 %.
        margin = student_t_mde(spread * math.sqrt(2 / queries), queries - 1, 0.1, 0.8)
        assert margin is not None
        found = tested(values(5 * repetitions, queries, 0, spread, seed=queries + 1), margin=margin)
        yield f"| equal systems | {queries} queries | {margin:.4f} | {share(found, 'p_higher'):.1%} |"


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: false verdicts at the margin, and power."""
    yield "| the true difference is the margin | units | false verdict | share |\n|---|---|---|---:|"
    yield from of_values(repetitions)
    yield from of_rankings(repetitions)
    yield from of_clusters(repetitions)
    yield '\n| power of "not worse", planned for 80 % | units | margin | share |\n|---|---|---:|---:|'
    yield from of_power(repetitions)
    yield (
        "\nThe differences of mrr have three values, and losses are more frequent than gains. With 50 "
        "queries, a t-test of such skewed differences errs more often than 5 %. `--test randomization` does "
        "not."
    )
