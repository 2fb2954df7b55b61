"""Standard errors of metrics of all lists: a jackknife, and a simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

import duckmetrics
from benchmarks.simulations.intervals import coverage
from duckmetrics.catalog.specs import parse_measure
from support.cases import CATALOG, ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = 40
CATALOG_ITEMS = range(ITEMS + 5)
HISTORY = [
    (user, item)
    for user in range(30)
    for item in range(ITEMS - 4)
    if (user * 7 + item * item) % 11 < 1 + item % 5
]
SPECS = [
    "ranking.gini@5", "ranking.gini(discount=geometric)@5",
    "ranking.gini(over=recommended, denominator=n_minus_1)",
    "ranking.gini(over=recommended, discount=log2)@5", "evenness(discount=log2)@5", "shannon_entropy@5",
    "shannon_entropy(weights=lists)@5", "shannon_entropy(scale=max)",
    "shannon_entropy(unit=nats, scale=items)", "effective_catalog_size@5",
    "effective_catalog_size(kind=entropy)", "personalization", "personalization(norm=k)@5",
    "personalization(norm=full_k)@5", "item_novelty@5", "item_novelty(cold=skip)",
    "item_novelty(cold=one)@3",
]  # fmt: skip
SIMULATED = [
    "ranking.gini@5",
    "shannon_entropy@5",
    "effective_catalog_size@5",
    "personalization@5",
    "item_novelty@5",
]
TRUE_LISTS = 200_000


def lists_of(n: int, rng: np.random.Generator, items: int = ITEMS) -> np.ndarray:
    """Return n lists of different items, the first ones more often: of 10 places, some stay empty (-1)."""
    keys = rng.exponential(size=(n, items)) * (1 + np.arange(items) / 4)
    lists = np.argsort(keys, axis=1)[:, :10]
    return np.where(np.arange(10) < rng.integers(3, 11, size=(n, 1)), lists, -1)


def table_of(lists: np.ndarray, repetition: np.ndarray | int = 0) -> pa.Table:
    n = len(lists)
    kept = lists.ravel() >= 0
    columns = {
        "repetition": np.repeat(np.broadcast_to(repetition, n), 10), "query_id": np.repeat(np.arange(n), 10),
        "item_id": lists.ravel(), "rank": np.tile(np.arange(1, 11), n),
    }  # fmt: skip
    return pa.table({name: column[kept] for name, column in columns.items()})


def evaluated(table: pa.Table, specs: Sequence[str], **options: Any) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(
        table, None, specs,
        items=pa.table({"item_id": [*CATALOG_ITEMS]}),
        history=pa.table(dict(zip(("query_id", "item_id"), zip(*HISTORY, strict=True), strict=True))),
        **options,
    )  # fmt: skip


def intervals_of(lists: np.ndarray, specs: Sequence[str]) -> dict[str, float]:
    """Return the standard errors behind the intervals."""
    width = 2 * scipy.stats.t.ppf(0.975, len(lists) - 1)
    rows = evaluated(table_of(lists), specs, interval=0.95).rows
    return {row["metric"]: (row["upper"] - row["lower"]) / width for row in rows}


def jackknife(lists: np.ndarray, specs: Sequence[str]) -> dict[str, float]:
    """Return the standard errors of the values without one list, each of them a slice."""
    n = len(lists)
    kept = np.concatenate([np.delete(np.arange(n), i) for i in range(n)])
    found = evaluated(table_of(lists[kept], np.repeat(np.arange(n), n - 1)), specs, by=["repetition"])
    values = found.to_pandas().query("slice != ''").groupby("metric")["value"]
    return {spec: math.sqrt((n - 1) ** 2 / n * values.get_group(spec).var()) for spec in specs}


@pytest.mark.slow
def test_standard_errors_are_those_of_a_jackknife() -> None:
    """To first order: within 5 % for 300 lists."""
    lists = lists_of(300, np.random.default_rng(33))
    expected = jackknife(lists, SPECS)
    for spec, error in intervals_of(lists, SPECS).items():
        assert error == pytest.approx(expected[spec], rel=0.05), spec


@pytest.mark.slow
def test_standard_errors_are_those_of_a_jackknife_if_most_items_are_in_few_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Derivatives would give a third too little for most of them; a discount is an approximation."""
    monkeypatch.setitem(globals(), "CATALOG_ITEMS", range(405))
    lists = lists_of(60, np.random.default_rng(33), 400)
    specs = [spec for spec in SPECS if "novelty" not in spec]
    expected = jackknife(lists, specs)
    for spec, error in intervals_of(lists, specs).items():
        assert error == pytest.approx(expected[spec], rel=0.1 if "discount" in spec else 0.03), spec


@pytest.mark.slow
def test_intervals_contain_the_value_of_many_lists() -> None:
    """As often as they claim, with 250 recommendations for each item; for fewer, see gini."""
    rng = np.random.default_rng(7)
    truth = evaluated(table_of(lists_of(TRUE_LISTS, rng, 20)), SIMULATED)
    data = table_of(lists_of(400 * 1000, rng, 20), np.arange(400 * 1000) % 400)
    result = evaluated(data, SIMULATED, by=["repetition"], interval=0.95)
    for spec in SIMULATED:
        assert 0.92 <= coverage(result, spec, truth[spec]) <= 0.97, spec


@pytest.mark.slow
def test_few_recommendations_for_each_item_are_reported() -> None:
    """Intervals of 95 % then contain the value of many lists in less than 90 % of the cases."""
    wanted = {spec for spec in SIMULATED if "few" in parse_measure(CATALOG, spec, {}, ranking).metric.header}
    assert len(wanted) == 3
    for n, told in ((60, wanted), (2000, set())):
        found = evaluated(table_of(lists_of(n, np.random.default_rng(1), 20)), SIMULATED, interval=0.95)
        messages = [one.message for one in found.checks if "recommendations for each of" in one.message]
        assert {spec for spec in SIMULATED if any(f"moves {spec} by" in text for text in messages)} == told
        assert len(messages) == len(told)
    assert not evaluated(table_of(lists_of(60, np.random.default_rng(1), 20)), SIMULATED).checks


def test_few_recommendations_in_a_slice_are_reported() -> None:
    lists = lists_of(2000, np.random.default_rng(1), 20)
    found = evaluated(
        table_of(lists, np.arange(2000) // 1950), ["evenness@5"], by=["repetition"], interval=0.95
    )
    (message,) = (one.message for one in found.checks if "recommendations for each of" in one.message)
    assert message.startswith("intervals: in a slice, ")
