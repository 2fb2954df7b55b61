"""Metrics of users behind the questions that ours answer: parts of the queries, tests, samples, reports."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from catalog.test_own import PROFIT, REVENUE, ROWS, folder, priced, write
from shell.test_own_macros import made, revenue

import duckmetrics
from duckmetrics import MetricError, UnsupportedError

__all__ = ["folder"]
pytestmark = pytest.mark.engine

K = 3
SPEC = f"revenue.sql@{K}"
# The median of the margins of the positives: no function of sums.
MEDIAN = """-- name:   {name}
-- inputs: predictions (label, score{more})
-- range:  (-inf, inf), higher is better
SELECT system, segment, median({value}) FILTER (WHERE label = 1) AS value
FROM predictions GROUP BY system, segment"""


def tables(seed: int = 5) -> tuple[pa.Table, pa.Table, dict[tuple[str, int], float | None]]:
    """Write the metric; return predictions of A and B, the truth, and each value as counted by hand."""
    write("revenue", REVENUE)
    run, truth = made(seed)
    return pa.table(run), pa.table(truth), revenue(run, truth, K)


def paired(values: dict[tuple[str, int], float | None]) -> np.ndarray[Any, Any]:
    """Return B minus A of the queries with a value."""
    numbers = [(values["A", query], values["B", query]) for system, query in values if system == "A"]
    return np.array([b - a for a, b in numbers if a is not None and b is not None])


def test_parts_of_the_queries_change_no_value() -> None:
    run, truth, values = tables()
    whole, parts = (
        duckmetrics.evaluate(run, truth, [SPEC, "ndcg@3"], system="system", by="country", chunks=chunks)
        for chunks in (None, 3)
    )
    assert whole.rows == parts.rows
    known = {
        (r["system"], r["query_id"]): r["value"] for r in parts.per_query.to_pylist() if "rev" in r["metric"]
    }
    assert known == {key: None if v is None else pytest.approx(v) for key, v in values.items()}


def test_a_leaderboard_and_a_margin_test_what_numpy_tests() -> None:
    run, truth, values = tables()
    ranked = duckmetrics.leaderboard(run, truth, SPEC, system="system")
    means = {s: np.mean([v for (of, _), v in values.items() if of == s and v is not None]) for s in "AB"}
    assert {row["system"]: row["value"] for row in ranked.rows} == pytest.approx(means)
    assert ranked.rows[0]["system"] == max(means, key=lambda system: means[system])
    changes = paired(values)
    error = changes.std(ddof=1) / math.sqrt(len(changes))
    for margin, verdict in ((0.9, "equivalent"), (error / 100, "inconclusive")):
        row = duckmetrics.compare(run, truth, SPEC, system="system", baseline="A", margin=margin).row(
            f"revenue@{K}", "B"
        )
        assert row["delta"] == pytest.approx(changes.mean())
        assert row["verdict"] == verdict
    report = duckmetrics.compare(run, truth, SPEC, system="system", baseline="A").report().html
    assert f"revenue@{K}" in report
    shown = [float(number) for number in re.findall(r"\b0\.\d{3}\b", report)]
    assert all(any(abs(mean - number) <= 5e-4 for number in shown) for mean in means.values())


def test_items_and_groups_of_items_add_up_to_the_values() -> None:
    run, truth, values = tables()
    options: dict[str, Any] = {"system": "system", "of": "A"}
    query = next(q for (system, q), value in values.items() if system == "A" and value)
    found = duckmetrics.explain(run, truth, SPEC, query=query, **options)
    parts = [row["contribution"] for row in found.rows]
    assert sum(parts) == pytest.approx(values["A", query])
    prices = {
        i: p
        for q, i, p in zip(*(truth[c].to_pylist() for c in ("query_id", "item_id", "price")), strict=True)
        if q == query
    }
    listed = {
        row["item_id"]: row["contribution"]
        for row in found.rows
        if row["rank"] is not None and row["rank"] <= K
    }
    assert listed == {item: pytest.approx(prices.get(item, 0) / sum(prices.values())) for item in listed}
    known = [v for (system, _), v in values.items() if system == "A" and v is not None]
    for by in ("rank", "item_id", "grade", "query.country"):
        groups = duckmetrics.explain(run, truth, SPEC, by=by, **options)
        assert sum(row["contribution"] or 0 for row in groups.rows) == pytest.approx(np.mean(known)), by


def test_a_sum_without_ranks_is_not_explained() -> None:
    run, truth, _ = tables()
    for name, value in (("whole", "sum(truth.price)"), ("largest", "max(truth.price)")):
        reason = (
            "is a sum over rows without ranks; join ranked" if name == "whole" else "is not a sum over items"
        )
        with pytest.raises(UnsupportedError, match=f"{name}: {reason}"):
            duckmetrics.explain(run, truth, priced(name, value), query=2, system="system", of="A")


def test_samples_have_the_columns_of_a_metric() -> None:
    """With the score in a column of the user, the bounds are those of the score."""
    rng = np.random.default_rng(3)
    score = rng.random(80)
    rows = {
        "label": rng.integers(0, 2, 80), "score": score, "twin": score, "user_id": np.arange(80) // 4,
        "country": np.where(np.arange(80) % 8 < 4, "x", "y"),
    }  # fmt: skip
    for name, value, more in (("middle", "score", ""), ("middle_twin", "twin", ", twin")):
        write(name, MEDIAN.format(name=name, value=value, more=more))
    call: dict[str, Any] = {
        "by": "country",
        "cluster": "user_id",
        "interval_method": "bootstrap",
        "resamples": 200,
    }
    found = duckmetrics.evaluate(rows, metrics=["middle.sql", "middle_twin.sql"], interval=0.9, **call)
    bounds = {
        name: [(row["value"], row["lower"], row["upper"]) for row in found.rows if row["metric"] == name]
        for name in ("middle", "middle_twin")
    }
    assert bounds["middle"] == bounds["middle_twin"]
    assert bounds["middle"][0][0] == pytest.approx(np.median(score[rows["label"] == 1]))
    assert all(lower < value < upper for value, lower, upper in bounds["middle"])
    other = {**rows, "score": score[::-1], "twin": score[::-1]}
    compared = duckmetrics.compare(
        {"A": rows, "B": other}, metrics=["middle", "middle_twin"], cluster="user_id",
        interval_method="bootstrap", resamples=200,
    )  # fmt: skip
    one, twin = (compared.row(name, "B") for name in ("middle", "middle_twin"))
    assert all(one[name] == twin[name] is not None for name in ("delta", "delta_lower", "delta_upper", "p"))


def test_without_samples_the_result_says_why_there_is_no_interval() -> None:
    write("middle", MEDIAN.format(name="middle", value="margin", more=", margin"))
    write("profit", PROFIT)
    found = duckmetrics.evaluate(ROWS, metrics=["middle.sql", "profit.sql"], interval=0.9)
    reasons = {row["metric"]: row["reason"] for row in found.rows}
    assert "MEDIAN(margin)" in reasons["middle"]
    assert "is not a sum over rows" in reasons["middle"]
    assert reasons["profit"] is None


def test_rows_add_up_to_a_metric_of_sums() -> None:
    write("profit", PROFIT)
    groups = duckmetrics.explain(ROWS, metrics="profit.sql", by="country")
    # Of a, one row is above the threshold and earns 2 - 0.1; of b, two, with 3 - 0.1 and -0.1.
    assert {row["country"]: row["contribution"] for row in groups.rows} == pytest.approx(
        {"a": 1.9 / 4, "b": 2.8 / 4}
    )
    write("middle", MEDIAN.format(name="middle", value="margin", more=", margin"))
    with pytest.raises((UnsupportedError, MetricError), match="middle"):
        duckmetrics.explain(ROWS, metrics="middle.sql", by="country")
