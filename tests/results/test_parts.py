"""The parts that all results have: an answer, a method, warnings and notes."""

from __future__ import annotations

from typing import Any

import pytest

import duckmetrics
from duckmetrics import MetricError

pytestmark = pytest.mark.engine

QRELS = {f"q{i}": {"b": 1} for i in range(9)}
RUNS = {
    name: {f"q{i}": {"a": (i % k) / 4, "b": 0.5} for i in range(9)}
    for name, k in (("A", 3), ("B", 4), ("C", 2))
}
USERS = {"variant": list("AAABBBCCC"), "revenue": [0, 2, 1, 5, 6, 4, 1, 0, 2]}
DECISIONS: dict[str, Any] = {
    "compare": lambda: duckmetrics.compare({name: RUNS[name] for name in "AB"}, QRELS, "mrr"),
    "pairs": lambda: duckmetrics.compare(RUNS, QRELS, "mrr", pairs=True),
    "leaderboard": lambda: duckmetrics.leaderboard(RUNS, QRELS, "mrr"),
    "ab": lambda: duckmetrics.ab(USERS, variant="variant", control="A", metrics="revenue"),
    "plan": lambda: duckmetrics.plan(sd=0.2, difference=0.02),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_is_in_the_document_as_in_python(name: str) -> None:
    result = DECISIONS[name]()
    document = result.to_dict()
    assert result.verdict == document["verdict"]
    assert "\n" not in result.verdict
    assert result.method == document["method"]
    assert list(result.warnings) == document["warnings"]
    assert list(result.notes) == document["notes"]
    assert isinstance(result.rows, tuple)
    assert result.to_arrow().num_rows == result.summary.num_rows
    assert "; No" not in result.verdict


def test_other_results_have_warnings_and_notes() -> None:
    ev = duckmetrics.evaluate(RUNS["A"], QRELS, "mrr", interval=0.95)
    explained = ev.explain("q1")
    for result in (ev, explained, duckmetrics.ties(RUNS["A"], QRELS, "mrr"), duckmetrics.chi_square([3, 7])):
        assert isinstance(result.warnings, tuple)
        assert list(result.notes) == result.to_dict()["notes"]
    assert ev.notes == ("95 % intervals of the values: Student's t over 9 queries",)
    assert duckmetrics.chi_square([3, 7]).rows[0]["df"] == 1


def test_an_evaluation_is_a_collection_of_metrics() -> None:
    ev = duckmetrics.evaluate(RUNS["A"], QRELS, ["mrr", "map"])
    assert list(ev) == ["mrr", "map"]
    assert "map" in ev
    assert "ndcg" not in ev
    with pytest.raises(MetricError, match="compare: one result of evaluate; name two or more"):
        duckmetrics.compare(ev)
