"""Users and judgments that other tests of the tools leave out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import InputError

RUN = pa.table({"query_id": ["u1", "u1"], "item_id": ["a", "x"], "rank": [1, 2]})
TRUTH = pa.table({"query_id": ["u1", "u2"], "item_id": ["a", "a"]})
# Printed by RecTools 0.19.0: a user without recommendations counts 0, the mean is over both.
RECTOOLS = {
    "ndcg@1": 0.5,  # NDCG(k=1)
    "ndcg@2": 0.30657359638272924,  # NDCG(k=2): the ideal fills both places
    "ndcg(ideal=judged)@2": 0.5,  # NDCG(k=2, divide_by_achievable=True)
    "map@2": 0.5,  # MAP(k=2)
}


@pytest.mark.some(1)
@pytest.mark.parametrize(("spec", "value"), RECTOOLS.items())
def test_a_user_missing_from_the_run_counts_zero_in_rectools(spec: str, value: float) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, spec, like="rectools")
    assert found[spec] == pytest.approx(value, rel=1e-12)


RANKED, GRADES = "bacxd", {"a": 1, "b": -1, "c": 0, "d": 1, "e": 2}


def judged(grades: dict[str, int]) -> list[pa.Table]:
    run = {"query_id": ["q"] * 5, "item_id": [*RANKED], "score": [5.0, 4.0, 3.0, 2.5, 2.0]}
    truth = {"query_id": ["q"] * 5, "item_id": [*grades], "relevance": [*grades.values()]}
    return [pa.table(run), pa.table(truth)]


def printed(grades: dict[str, int]) -> dict[str, Any]:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run = {"q": dict(zip(RANKED, [5.0, 4.0, 3.0, 2.5, 2.0], strict=True))}
    (found,) = pytrec_eval.RelevanceEvaluator({"q": grades}, {"infAP", "bpref"}).evaluate(run).values()
    return dict(found)


@pytest.mark.some(1)
@pytest.mark.parametrize("like", ["trec_eval", "trec_eval9", "pytrec_eval", "ir_measures"])
@pytest.mark.parametrize(("spec", "name"), [("infap", "infAP"), ("bpref", "bpref")])
def test_a_pooled_item_that_nobody_judged_is_refused_and_not_taken_as_nonrelevant(
    like: str, spec: str, name: str
) -> None:
    """For trec_eval a grade of -1 is an unjudged item of the pool, which is not a grade of 0."""
    nonrelevant = {**GRADES, "b": 0}
    assert printed(GRADES)[name] > printed(nonrelevant)[name] + 0.1
    assert duckmetrics.evaluate(*judged(nonrelevant), spec, like=like)[spec] == pytest.approx(
        printed(nonrelevant)[name], rel=1e-12
    )
    for asked in (spec, f"{spec}(negative_grade=zero)"):
        with pytest.raises(InputError, match=r"relevance >= 0.*relevance=-1"):
            duckmetrics.evaluate(*judged(GRADES), asked, like=like)
