"""The note that ties could change which system is best: that of `ties`, also from a sample."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest

import duckmetrics
from duckmetrics.evaluation import tied

pytestmark = pytest.mark.engine
COMMAND = "ties could change which system is best"


def made(seed: int, digits: int, n: int = 12, lead: float = 0.0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return lists of two systems with scores of a few digits, and a truth with a query that has no list.

    Args:
        lead: how much higher B scores relevant items.
    """
    rng = random.Random(seed)
    truth = {f"q{q}": {f"i{rng.randrange(8)}": rng.randint(1, 3) for _ in range(3)} for q in range(n)}
    systems = {
        name: {
            q: {f"i{i}": round(rng.random() + lead * (name == "B" and f"i{i}" in truth[q]), digits)
                for i in range(8)}
            for q in list(truth)[1:]
        } for name in "AB"
    }  # fmt: skip
    return systems, truth


def notes(checks: Any) -> list[str]:
    return [one.message for one in checks if one.check == "undecided_tie"]


@pytest.mark.parametrize("metric", ["ndcg@3", "mrr", "recall", "precision@2", "first_rank"])
@pytest.mark.parametrize("seed", [0, 2, 5])
def test_the_note_is_that_of_ties(metric: str, seed: int) -> None:
    systems, truth = made(seed, digits=1, lead=seed / 10)
    found = notes(duckmetrics.evaluate(systems, truth, metric).checks)
    wanted = notes(duckmetrics.ties(systems, truth, metric).checks)
    assert [one.partition(";")[0] for one in found] == [one.partition(";")[0] for one in wanted]


def test_both_outcomes_are_among_these_cases() -> None:
    told = [bool(notes(duckmetrics.evaluate(*made(seed, 1, lead=seed / 10), "ndcg@3").checks))
            for seed in range(6)]  # fmt: skip
    assert {True, False} == set(told)


def test_without_ties_or_without_another_system_nothing_is_told() -> None:
    systems, truth = made(1, digits=15)
    assert notes(duckmetrics.evaluate(systems, truth, "ndcg@3").checks) == []
    with patch.object(tied.TiedSample, "_moved", side_effect=AssertionError("the bounds are computed")):
        duckmetrics.evaluate(systems, truth, "ndcg@3")
    systems, truth = made(1, digits=1)
    for call in (
        {"predictions": systems["A"], "truth": truth, "metrics": "ndcg@3"},
        {"predictions": systems, "truth": truth, "metrics": "ndcg@3", "ties": "expected"},
        {"predictions": systems, "truth": truth, "metrics": "ndcg(agg=median)@3"},
        {"predictions": {"A": systems["A"], "B": systems["A"]}, "truth": {"q9": {"none": 1}},
         "metrics": "recall", "population": "both"},
    ):  # fmt: skip
        assert notes(duckmetrics.evaluate(**call).checks) == [], call


def test_the_note_is_on_the_first_metric_that_ties_could_decide() -> None:
    """A metric whose lead is too large does not hide the next one; equal systems lead by nothing."""
    found = set()
    for seed in range(7):
        systems, truth = made(seed, digits=1, lead=0.3)
        for metrics in (["mrr", "ndcg@3"], ["ndcg@3", "mrr"]):
            wanted = {
                note.partition(":")[0] for note in notes(duckmetrics.ties(systems, truth, metrics).checks)
            }
            (told,) = [*notes(duckmetrics.evaluate(systems, truth, metrics).checks), ""][:1]
            assert told.partition(":")[0] == next((m for m in metrics if m in wanted), "")
            found |= {tuple(sorted(wanted))}
    assert len(found) > 2
    systems, truth = made(1, digits=1)
    three = {"A": systems["A"], "A2": systems["A"], "C": systems["B"]}
    for checks in (
        duckmetrics.evaluate(three, truth, "mrr").checks,
        duckmetrics.ties(three, truth, "mrr").checks,
    ):
        assert not [one for one in notes(checks) if "by 0," in one]


def test_long_lists_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    systems, truth = made(3, digits=1, n=40)
    monkeypatch.setattr(tied, "MOST_ROWS", 100)
    monkeypatch.setattr(tied, "LEAST", 20)
    (note,) = notes(duckmetrics.evaluate(systems, truth, "ndcg@3").checks)
    assert "as 20 of 40 queries show" in note


def test_a_comparison_has_the_note_once_and_names_what_to_do() -> None:
    systems, truth = made(1, digits=1)
    compared = duckmetrics.compare(systems, truth, ["n_returned", "ndcg@3", "mrr"])
    (note,) = notes(compared.checks)
    assert note.startswith(f"ndcg@3: {COMMAND}: ")
    assert note.endswith("export scores without rounding; ties shows by how much")


@pytest.mark.parametrize("population", ["truth", "predictions", "both"])
def test_a_sample_of_the_queries_is_enough(population: str) -> None:
    systems, truth = made(3, digits=1, n=90)
    call = {"metrics": "ndcg@3", "population": population}
    (whole,) = notes(duckmetrics.evaluate(systems, truth, **call).checks)
    with patch.object(tied, "SAMPLED", 30):
        (note,) = notes(duckmetrics.evaluate(systems, truth, **call).checks)
    n = 90 if population == "truth" else 89
    assert note == whole.replace("; export", f", as 30 of {n} queries show; export")


def test_ids_of_several_columns_are_sampled() -> None:
    systems, truth = made(3, digits=1, n=40)
    rows = [(q[1:], int(q[1:]) % 2, item, score, name) for name, lists in systems.items()
            for q, items in lists.items() for item, score in items.items()]  # fmt: skip
    run = dict(zip(("user", "day", "item_id", "score", "system"), zip(*rows, strict=True), strict=True))
    judged = [
        (q[1:], int(q[1:]) % 2, item, grade) for q, items in truth.items() for item, grade in items.items()
    ]
    known = dict(zip(("user", "day", "item_id", "relevance"), zip(*judged, strict=True), strict=True))
    call: dict[str, Any] = {"system": "system", "columns": {"query_id": "user+day"}}
    lists = ({name: list(values) for name, values in table.items()} for table in (run, known))
    with patch.object(tied, "SAMPLED", 20):
        (note,) = notes(duckmetrics.evaluate(*lists, "ndcg@3", **call).checks)
    assert "as 20 of 40 queries show" in note
