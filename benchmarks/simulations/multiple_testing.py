"""How often does a family of comparisons have a false verdict, and how many true differences are found?

Ten systems, one of them the baseline, and five correlated metrics are 45 comparisons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.functions import linked
from duckmetrics.inference.units import over_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SYSTEMS, METRICS = 10, 5
# Four of the nine systems are better than the baseline, by less than half of the spread of a difference.
BETTER, EFFECT = 4, 0.085
# Fewer than the usual 10,000 draws, so that a thousand families take minutes.
RESAMPLES = 2000
ALPHA = 0.05
# The families whose values are in memory at once.
BATCH = 200


def families(count: int, queries: int, effect: float, seed: int) -> np.ndarray:
    """Return values by family, metric, query and system: metrics correlate, and so do systems."""
    generator = np.random.default_rng(seed)
    shape = (count, METRICS, queries, SYSTEMS)
    easy = generator.random((count, 1, queries, 1)) + 0.1 * generator.standard_normal((*shape[:3], 1))
    own = 0.12 * generator.standard_normal((count, 1, queries, SYSTEMS)) + 0.1 * generator.standard_normal(
        shape
    )
    own[..., 1 : 1 + BETTER] += effect
    return easy + own


def table(values: np.ndarray, first: int = 0) -> pa.Table:
    """Return the rows of per_query; the metrics of every family have numbers of their own.

    Args:
        first: the first query; the signs of a query depend on it.
    """
    count, metrics, queries, systems = values.shape
    return pa.table({
        "system": np.tile(np.arange(systems), values.size // systems).astype(str),
        "metric": np.repeat(np.arange(count * metrics), queries * systems),
        "query_id": np.repeat(np.tile(first + np.arange(queries), count * metrics), systems),
        "value": values.reshape(-1),
    })  # fmt: skip


def tested(values: np.ndarray) -> np.ndarray:
    """Return the p-values of paired_t by family and comparison: metric by metric, each with all systems."""
    p = np.ones((len(values), METRICS, SYSTEMS - 1))
    for row in duckmetrics.run_test("paired_t", table(values), baseline="0").rows:
        family, metric = divmod(int(row["metric"]), METRICS)
        p[family, metric, int(row["system"]) - 1] = 1.0 if row["p"] is None else row["p"]
    return p.reshape(len(values), -1)


def holm(p: np.ndarray) -> np.ndarray:
    """Return the p-values of every row adjusted as adjusted_p does, for all families at once."""
    places = np.arange(p.shape[1], 0, -1)
    return _stepped(p, lambda ordered: np.maximum.accumulate(ordered * places, axis=1))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Return the p-values of every row adjusted for the share of false verdicts."""
    m = p.shape[1]
    share = m / np.arange(1, m + 1)
    return _stepped(p, lambda ordered: np.minimum.accumulate((ordered * share)[:, ::-1], axis=1)[:, ::-1])


def _stepped(p: np.ndarray, adjusted: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    order = np.argsort(p, axis=1)
    found = np.empty_like(p)
    np.put_along_axis(found, order, adjusted(np.take_along_axis(p, order, axis=1)), axis=1)
    return np.minimum(found, 1)


def max_t(values: np.ndarray, p: np.ndarray, first: int) -> np.ndarray:
    """Return the p-values that max_t adjusts, family by family; as in compare, none is below p.

    Each family has queries and therefore signs of its own: with the same signs, all would err together.

    Args:
        first: the number of the first family.
    """
    rows = exp.select("system", "metric", "query_id", "value").from_("family")
    params = {"baseline": "0", "resamples": RESAMPLES}
    query, macros = linked(catalog(), over_rows(catalog(), "max_t", rows, params))
    text, found = query.sql("duckdb"), np.empty_like(p).reshape(len(p), METRICS, SYSTEMS - 1)
    with duckdb.connect(config={"threads": 1}) as connection:
        for macro in macros:
            connection.execute(macro.sql("duckdb"))
        for number, family in enumerate(values):
            connection.register("family", table(family[None], (first + number) * family.shape[1]))
            known = connection.execute(f"SELECT metric, system, p_adjusted FROM ({text})").fetchall()
            for metric, system, adjusted in known:
                found[number, metric, int(system) - 1] = adjusted
    return np.maximum(found.reshape(p.shape), p)


def verdicts(count: int, queries: int, effect: float, seed: int) -> dict[str, np.ndarray]:
    """Return which comparisons have a verdict, by method, family and comparison."""
    found: dict[str, list[np.ndarray]] = {}
    for first in range(0, count, BATCH):
        values = families(min(BATCH, count - first), queries, effect, seed + first)
        p = tested(values)
        adjusted = {"none": p, "holm": holm(p), "benjamini_hochberg": benjamini_hochberg(p)}
        adjusted["max_t"] = max_t(values, p, first)
        for method, own in adjusted.items():
            found.setdefault(method, []).append(own < ALPHA)
    return {method: np.concatenate(own) for method, own in found.items()}


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: false verdicts of equal systems, and those found of different ones."""
    yield (
        f"{SYSTEMS} systems and {METRICS} metrics; max_t draws {RESAMPLES:,} signs. Some better: {BETTER} "
        "systems are better than the baseline; found: the share of their comparisons that have a verdict.\n"
    )
    yield "| adjusted by | queries | any verdict, all equal | any false verdict, some better | found |"
    yield "|---|---:|---:|---:|---:|"
    is_better = np.tile(np.arange(1, SYSTEMS) <= BETTER, METRICS)
    for queries in (20, 50, 200):
        equal = verdicts(repetitions, queries, 0.0, seed=queries)
        mixed = verdicts(repetitions, queries, EFFECT, seed=100_000 + queries)
        for method, own in equal.items():
            some = mixed[method]
            false, found = some[:, ~is_better].any(axis=1).mean(), some[:, is_better].mean()
            yield f"| {method} | {queries} | {own.any(axis=1).mean():.1%} | {false:.1%} | {found:.1%} |"
