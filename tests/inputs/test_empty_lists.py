"""An empty list is an answer; a query is missing only if its row is absent or NULL."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import duckmetrics

TEXTS = pa.list_(pa.string())
LISTS = pa.table({"query_id": ["u1", "u2", "u3"], "items": pa.array([["a"], [], None], TEXTS)})
TRUTH = pa.table({"query_id": ["u1", "u2", "u3", "u4"], "item_id": ["a", "b", "c", "d"]})
EXPECTED: dict[str, tuple[dict[str, Any], tuple[float, int, int]]] = {
    "spark": ({"like": "spark"}, (1 / 2, 2, 2)),
    "default": ({}, (1 / 4, 4, 2)),
    "skip": ({"missing": "skip"}, (1 / 2, 2, 2)),
    "answered": ({"population": "predictions"}, (1 / 2, 2, 0)),
}


@pytest.mark.some(1)
@pytest.mark.parametrize(("options", "expected"), EXPECTED.values(), ids=EXPECTED)
def test_an_empty_list_is_an_answer(options: dict[str, Any], expected: tuple[float, int, int]) -> None:
    """In Spark's own suite, "few predictions", precision at 1 of a right and an empty list is 0.5."""
    found = duckmetrics.evaluate(LISTS, TRUTH, "precision@1", verify=10, **options)
    (row,) = found.rows
    assert (row["value"], row["n"], row["n_missing"]) == expected
    assert all(one.agrees for one in found.verified)


@pytest.mark.slow
def test_so_it_is_for_several_systems_and_lists_with_scores() -> None:
    scored = LISTS.append_column("scores", pa.array([[0.5], [], None], pa.list_(pa.float64())))
    rows = pa.table({"query_id": ["u1"], "item_id": ["x"], "score": [1.0]})
    found = duckmetrics.evaluate({"A": scored, "B": rows}, TRUTH, "precision@1", missing="skip")
    assert [(row["value"], row["n"]) for row in found.rows] == [(1 / 2, 2), (0, 1)]
    parts = duckmetrics.evaluate({"A": scored, "B": rows}, TRUTH, "precision@1", missing="skip", chunks=3)
    assert parts.rows == found.rows
    none = LISTS.set_column(1, "items", pa.array([[], [], []], TEXTS))
    assert duckmetrics.evaluate({"A": none, "B": LISTS}, TRUTH, "mrr").value("mrr", system="A") == 0


def test_a_value_that_overflows_is_null_per_query() -> None:
    truth = pa.table({"query_id": ["u1", "u2"], "item_id": ["a", "b"], "relevance": [3000.0, 1.0]})
    values = duckmetrics.evaluate(LISTS, truth, "ndcg(gain=exp2)@3").per_query.to_pylist()
    assert {row["query_id"]: row["value"] for row in values} == {"u1": None, "u2": 0}
