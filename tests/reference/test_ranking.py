"""The plain-Python reference against hand computation and against the tools that it follows.

Random data: integer ids whose text order is another one (10 < 9), scores with many ties, some of
which exist only in single precision, graded, zero and missing judgments, queries that nobody
answered, queries without a relevant item, queries only one side knows. Peers get ids as text.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import math
import random
import re
import shutil
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from ir_measures import AP, ERR, RR, Bpref, IPrec, Judged, P, R, Rprec, SetF, Success, infAP, nDCG
from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

from duckmetrics import reference
from duckmetrics.reference import Query, Row, Status, aggregate, per_query, ranking, status
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXACT = 1e-12
Values = dict[tuple[str, str], float | None]


# --- data ----------------------------------------------------------------------------------------


def shown(value: object) -> str:
    """Return the same name of a test in every process, because a set has no fixed order."""
    return str(sorted(value)) if isinstance(value, set) else str(value)


class World(NamedTuple):
    """Two tables, in the form of the reference and in that of the peers."""

    predictions: list[tuple[str, str, int, float]]
    truth: list[tuple[str, int, int]]

    @property
    def run(self) -> dict[str, dict[str, float]]:
        run: dict[str, dict[str, float]] = {}
        for _, query, item, score in self.predictions:
            run.setdefault(query, {})[str(item)] = score
        return run

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        qrels: dict[str, dict[str, int]] = {}
        for query, item, grade in self.truth:
            qrels.setdefault(query, {})[str(item)] = grade
        return qrels

    def queries(self) -> Iterator[tuple[str, list[int], list[float]]]:
        """Return grades (unjudged: 0) and scores of the returned rows of every query."""
        for query, scores in self.run.items():
            grades = self.qrels.get(query, {})
            yield query, [grades.get(item, 0) for item in scores], list(scores.values())


# 1.000000001, and the two numbers at 1e300, are ties in single precision only.
TIED_SCORES = [-2.0, 0.0, 0.5, 0.5, 1.0, 1.000000001, 1.0000001, 2.0, 1e300, 2e300, -math.inf]


def world(seed: int, *, ties: bool = True) -> World:
    rng = random.Random(seed)
    predictions: list[tuple[str, str, int, float]] = []
    truth: list[tuple[str, int, int]] = []
    for number in range(1, 21):
        query, kind = str(number), rng.random()
        grades = [0] if kind < 0.15 else [0, 0, 0, 1, 1, 2, 3, 4]
        if kind < 0.95:
            judged = rng.sample(range(1, 31), rng.randint(1, 15))
            truth += [(query, item, rng.choice(grades)) for item in judged]
        if not 0.1 < kind < 0.3:
            returned = rng.sample(range(1, 31), rng.choice([1, 2, 3, 8, 25]))
            score = (lambda: rng.choice(TIED_SCORES)) if ties else rng.random
            predictions += [("A", query, item, score()) for item in returned]
    return World(predictions, truth)


WORLDS = [world(seed) for seed in range(6)]
UNTIED = [world(seed, ties=False) for seed in range(100, 103)]

# The order of trec_eval 9, and so of pytrec_eval.
TREC = {
    "ties": "item_desc_text",
    "scores": "float32",
    "missing": "skip",
    "no_relevant": "zero",
}


def same(value: float | None, expected: float, tolerance: float = EXACT) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=0, abs_tol=tolerance)


def differences(values: Values, expected: dict[str, float], tolerance: float = EXACT) -> list[Any]:
    """Return every query that the peer has a value for, with both values, if they differ."""
    assert expected
    return [
        (query, values[("A", query)], number)
        for query, number in expected.items()
        if not same(values[("A", query)], number, tolerance)
    ]


# --- pytrec_eval ---------------------------------------------------------------------------------

PYTREC = [
    ("map", "average_precision", {}),
    ("map_cut_1", "average_precision", {"k": 1}),
    ("map_cut_5", "average_precision", {"k": 5}),
    ("P_1", "precision", {"k": 1}),
    ("P_5", "precision", {"k": 5}),
    ("P_10", "precision", {"k": 10}),
    ("set_P", "precision", {}),
    ("set_P", "precision", {"norm": "returned"}),
    ("recall_1", "recall", {"k": 1}),
    ("recall_5", "recall", {"k": 5}),
    ("set_recall", "recall", {}),
    ("set_F", "f_beta", {"beta": 1}),
    ("set_map", "set_average_precision", {}),
    ("set_F.4", "f_beta", {"beta": 2}),  # trec_eval's parameter is beta squared
    ("recip_rank", "reciprocal_rank", {}),
    ("success_1", "hit_rate", {"k": 1}),
    ("success_5", "hit_rate", {"k": 5}),
    ("num_rel_ret", "hits", {}),
    ("num_rel", "n_relevant", {}),
    ("Rprec", "r_precision", {}),
    ("bpref", "bpref", {}),
    ("infAP", "infap", {}),
    ("ndcg", "ndcg", {}),
    ("ndcg_cut_1", "ndcg", {"k": 1}),
    ("ndcg_cut_5", "ndcg", {"k": 5}),
    ("ndcg_cut_50", "ndcg", {"k": 50}),
    *((f"iprec_at_recall_{level}", "iprec", {"recall": level}) for level in (0, 0.1, 0.4, 0.5, 1)),
]


def pytrec(data: World, measure: str, level: int = 1, judged_only: bool = False) -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator(data.qrels, {measure}, level, judged_only)
    values = evaluator.evaluate(data.run)
    return {query: value for query, row in values.items() for value in row.values()}


@pytest.mark.some(47)
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("measure", "name", "params"), PYTREC)
def test_pytrec_eval(measure: str, name: str, params: dict[str, Any], level: int) -> None:
    rel = {} if name == "ndcg" else {"rel": level}
    for data in WORLDS + UNTIED:
        values = per_query(name, data.predictions, data.truth, **params, **rel, **TREC)
        assert differences(values, pytrec(data, measure, level)) == []


@pytest.mark.parametrize("gain_rel", [None, 1, 2, 4])
def test_relevance_level_leaves_graded_gains_alone(gain_rel: int | None) -> None:
    for data in WORLDS:
        values = per_query("ndcg", data.predictions, data.truth, k=5, rel=gain_rel, **TREC)
        assert differences(values, pytrec(data, "ndcg_cut_5")) == []


@pytest.mark.some(48)
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("measure", "name", "params"), PYTREC)
def test_pytrec_eval_judged_only(measure: str, name: str, params: dict[str, Any], level: int) -> None:
    rel = {} if name == "ndcg" else {"rel": level}
    switches = {**TREC, "unjudged": "skip"}
    for data in WORLDS:
        values = per_query(name, data.predictions, data.truth, **params, **rel, **switches)
        expected = pytrec(data, measure, level, judged_only=True)
        if measure == "set_P" or name == "iprec":  # see the next test
            expected = {query: expected[query] for query in expected.keys() - emptied(data)}
        assert differences(values, expected) == []


def test_pytrec_eval_on_lists_without_a_judged_row() -> None:
    """The two disagree: h / n is 0 there, undefined here; its iprec is 0 / 0, not a number."""
    switches = {**TREC, "unjudged": "skip"}
    for data in WORLDS:
        precisions = per_query("precision", data.predictions, data.truth, **switches)
        iprecs = per_query("iprec", data.predictions, data.truth, recall=0, **switches)
        for query in emptied(data):
            relevant = any(data.qrels[query].values())
            assert pytrec(data, "set_P", judged_only=True)[query] == 0
            assert precisions[("A", query)] == (None if relevant else 0)
            assert math.isnan(pytrec(data, "iprec_at_recall_0", judged_only=True)[query])
            assert iprecs[("A", query)] == 0
    assert any(emptied(data) for data in WORLDS)


def emptied(data: World) -> set[str]:
    """Return queries of both sides whose returned rows are all unjudged."""
    return {
        query
        for query in data.run.keys() & data.qrels.keys()
        if not data.run[query].keys() & data.qrels[query].keys()
    }


def test_pytrec_eval_skips_the_queries_that_are_undefined_here() -> None:
    for data in WORLDS:
        values = per_query("average_precision", data.predictions, data.truth, **TREC)
        states = status("average_precision", data.predictions, data.truth, **TREC)
        answered = {key for key, state in states.items() if not state.missing}
        assert {query for _, query in answered} == set(pytrec(data, "map"))
        skipped = {key for key, state in states.items() if state.missing}
        assert {key for key, value in values.items() if value is None} == skipped


def test_geometric_mean_is_that_of_trec_eval() -> None:
    for data in WORLDS:
        logs = pytrec(data, "gm_map")
        values = per_query("average_precision", data.predictions, data.truth, **TREC)
        answered = [values[("A", query)] for query in logs]
        expected = pytrec_eval.compute_aggregated_measure("gm_map", list(logs.values()))
        assert same(aggregate(answered, "gmean"), expected)


@pytest.mark.parametrize(
    ("switch", "word"),
    [
        ("ties", "item_asc"),
        ("ties", "item_desc"),
        ("ties", "input"),
        ("ties", "pessimistic"),
        ("ties", "optimistic"),
        ("scores", "double"),
        ("unjudged", "skip"),
    ],
)
def test_the_data_tell_the_switches_apart(switch: str, word: str) -> None:
    """Any other choice gives other numbers, so the agreement with pytrec_eval is evidence."""
    for name in ("average_precision", "ndcg", "reciprocal_rank"):
        values = [per_query(name, data.predictions, data.truth, **{**TREC, switch: word}) for data in WORLDS]
        trec = [per_query(name, data.predictions, data.truth, **TREC) for data in WORLDS]
        assert values != trec


# --- ir_measures ---------------------------------------------------------------------------------

IR = {**TREC, "missing": "zero"}
TEXT_ASCENDING = {"no_relevant": "zero"}  # with text ids: these two read scores in full

IR_MEASURES = [
    (AP(rel=2), "average_precision", {"rel": 2}, IR),
    (AP(rel=2) @ 5, "average_precision", {"rel": 2, "k": 5}, IR),
    (AP(judged_only=True) @ 5, "average_precision", {"unjudged": "skip", "k": 5}, IR),
    (P(rel=2) @ 3, "precision", {"rel": 2, "k": 3}, IR),
    (R(rel=2) @ 3, "recall", {"rel": 2, "k": 3}, IR),
    (RR(rel=2), "reciprocal_rank", {"rel": 2}, IR),
    (Rprec(rel=3), "r_precision", {"rel": 3}, IR),
    (Bpref(rel=3), "bpref", {"rel": 3}, IR),
    (infAP(rel=3), "infap", {"rel": 3}, IR),
    (Success(rel=3) @ 4, "hit_rate", {"rel": 3, "k": 4}, IR),
    (SetF(beta=4.0), "f_beta", {"beta": 2}, IR),  # its beta is trec_eval's, the square
    (IPrec @ 0.3, "iprec", {"recall": 0.3}, IR),
    (nDCG @ 4, "ndcg", {"k": 4}, IR),
    (RR @ 1, "reciprocal_rank", {"k": 1}, TEXT_ASCENDING),
    (RR @ 4, "reciprocal_rank", {"k": 4}, TEXT_ASCENDING),
    (RR(rel=2) @ 4, "reciprocal_rank", {"rel": 2, "k": 4}, TEXT_ASCENDING),
    (Judged, "judged", {}, TEXT_ASCENDING),
    (Judged @ 1, "judged", {"k": 1}, TEXT_ASCENDING),
    (Judged @ 4, "judged", {"k": 4}, TEXT_ASCENDING),
]


def with_text_items(rows: list[Any]) -> list[Any]:
    """Return ids in the form of the peer: the item is the last column but one."""
    return [(*row[:-2], str(row[-2]), row[-1]) for row in rows]


def ir_values(data: World, measure: Any) -> dict[str, float]:
    return {row.query_id: row.value for row in ir_measures.iter_calc([measure], data.qrels, data.run)}


@pytest.mark.parametrize(("measure", "name", "params", "switches"), IR_MEASURES, ids=shown)
def test_ir_measures(measure: Any, name: str, params: dict[str, Any], switches: dict[str, Any]) -> None:
    for data in WORLDS:
        predictions, truth = with_text_items(data.predictions), with_text_items(data.truth)
        values = per_query(name, predictions, truth, **params, **switches)
        expected = ir_values(data, measure)
        assert {query for _, query in values} == set(expected)
        assert differences(values, expected) == []


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script")
@pytest.mark.parametrize("k", [1, 3, 20])
@pytest.mark.parametrize(
    ("measure", "name", "params"),
    [(ERR, "err", {}), (nDCG(dcg="exp-log2"), "ndcg", {"gain": "exp2"})],
    ids=["ERR", "nDCG"],
)
def test_gdeval(measure: Any, name: str, params: dict[str, Any], k: int) -> None:
    """gdeval prints five decimals, reads scores in full, and breaks ties as trec_eval does."""
    switches = {"ties": "item_desc_text", "no_relevant": "zero"}
    for data in WORLDS[:2]:
        values = per_query(name, data.predictions, data.truth, k=k, **params, **switches)
        expected = ir_values(data, measure @ k)
        assert {query for _, query in values} == set(expected)
        assert differences(values, expected, tolerance=0.5e-5 + EXACT) == []


# --- scikit-learn --------------------------------------------------------------------------------

TRANSFORMED: dict[str, Callable[[int], float]] = {
    "linear": lambda grade: grade,
    "exp2": lambda grade: 2**grade - 1,
    "binary": lambda grade: grade >= 2,
}
SKLEARN = {
    "ties": "expected",
    "population": "predictions",
    "rel": 2,
    "no_relevant": "zero",
}


@pytest.mark.some(6)
@pytest.mark.parametrize("k", [None, 1, 3, 10])
@pytest.mark.parametrize("gain", TRANSFORMED)
@pytest.mark.parametrize(
    ("name", "score", "params"),
    [("dcg", dcg_score, {}), ("ndcg", ndcg_score, {"ideal": "returned"})],
    ids=["dcg", "ndcg"],
)
def test_sklearn_averages_ties(
    name: str, score: Any, params: dict[str, Any], gain: str, k: int | None
) -> None:
    for data in WORLDS:
        params = {**params, **SKLEARN, "k": k, "gain": gain}
        values = per_query(name, data.predictions, data.truth, **params)
        expected = {
            query: score([[float(TRANSFORMED[gain](grade)) for grade in grades]], [finite(scores)], k=k)
            for query, grades, scores in data.queries()
            if len(grades) > 1
        }
        assert differences(values, expected) == []


@pytest.mark.parametrize("k", [None, 3])
def test_sklearn_without_ties(k: int | None) -> None:
    switches = {"k": k, "ideal": "returned", "population": "predictions", "no_relevant": "zero"}
    for data in UNTIED:
        values = per_query("ndcg", data.predictions, data.truth, **switches)
        expected = {
            query: ndcg_score([grades], [scores], k=k, ignore_ties=True)
            for query, grades, scores in data.queries()
            if len(grades) > 1
        }
        assert differences(values, expected) == []


@pytest.mark.parametrize("rel", [1, 2])
def test_sklearn_roc_auc_is_query_auc(rel: int) -> None:
    for data in WORLDS:
        values = per_query("query_auc", data.predictions, data.truth, rel=rel)
        expected = {}
        for query, grades, scores in data.queries():
            labels = [grade >= rel for grade in grades]
            if len(set(labels)) == 2:
                expected[query] = roc_auc_score(labels, finite(scores))
            else:  # one class
                assert values.get(("A", query)) is None
        assert differences(values, expected) == []


def finite(scores: list[float]) -> list[float]:
    """Return finite scores with the same order and ties, because scikit-learn refuses infinity."""
    return [max(score, -1e308) for score in scores]


# --- by hand -------------------------------------------------------------------------------------


def ranked(grades: list[float | None], unreturned: list[float] | None = None, scores: Any = None) -> Query:
    """Return a list with these grades in rank order, and judged items that were not returned."""
    scores = scores or range(len(grades), 0, -1)
    rows = [Row(i, score, g) for i, (g, score) in enumerate(zip(grades, scores, strict=True))]
    judged = {row.item: row.grade for row in rows if row.grade is not None}
    return Query(rows, judged | {-1 - i: g for i, g in enumerate(unreturned or [])})


# Relevant at ranks 1, 4 and 6 and once unreturned: m = 4, n = 6. At rel = 2: ranks 1, 6, m = 2.
SIX = ranked([2, None, 0, 1, None, 3], unreturned=[1, 0], scores=[5, 5, 4, 3, 3, 1])
E = 0.00001  # the epsilon of infAP

BY_HAND: list[tuple[str, dict[str, Any], float | None]] = [
    ("precision", {}, 3 / 6),
    ("precision", {"k": 4}, 2 / 4),
    ("precision", {"k": 4, "rel": 2}, 1 / 4),
    ("precision", {"k": 10}, 3 / 10),
    ("precision", {"k": 10, "norm": "returned"}, 3 / 6),
    ("precision", {"k": 4, "norm": "returned"}, 2 / 4),
    ("recall", {}, 3 / 4),
    ("recall", {"norm": "min_k"}, 3 / 4),
    ("recall", {"k": 2}, 1 / 4),
    ("recall", {"k": 2, "norm": "min_k"}, 1 / 2),
    ("recall", {"k": 6, "norm": "min_k"}, 3 / 4),
    ("f_beta", {"beta": 1}, 2 / (6 / 3 + 4 / 3)),
    ("f_beta", {"beta": 2, "k": 10}, 5 / (1 / (3 / 10) + 4 / (3 / 4))),
    ("f_beta", {"beta": 0.5, "k": 4}, 1.25 / (1 / (2 / 4) + 0.25 / (2 / 4))),
    ("f_beta", {"beta": 1, "k": 5, "rel": 3}, 0),
    ("set_average_precision", {}, 3 * 3 / (6 * 4)),
    ("set_average_precision", {"k": 10}, 3 * 3 / (10 * 4)),
    ("set_average_precision", {"k": 5, "rel": 3}, 0),
    ("hit_rate", {}, 1),
    ("hit_rate", {"k": 5, "rel": 3}, 0),
    ("hits", {}, 3),
    ("n_returned", {}, 6),
    ("user_coverage", {}, 1),
    ("user_coverage", {"at_least": 6}, 1),
    ("user_coverage", {"at_least": 7}, 0),
    ("n_relevant", {}, 4),
    ("n_relevant", {"rel": 3}, 1),
    ("hits", {"k": 5}, 2),
    ("average_precision", {}, (1 + 2 / 4 + 3 / 6) / 4),
    ("average_precision", {"rel": 2}, (1 + 2 / 6) / 2),
    ("average_precision", {"k": 4}, (1 + 2 / 4) / 4),
    ("average_precision", {"k": 2, "norm": "min_k"}, 1 / 2),
    ("average_precision", {"k": 6, "norm": "min_k"}, 2 / 4),
    ("average_precision", {"norm": "min_k"}, 2 / 4),
    ("average_precision", {"k": 4, "norm": "hits"}, (1 + 2 / 4) / 2),
    ("average_precision", {"k": 3, "norm": "hits", "rel": 3}, 0),
    ("average_precision", {"k": 5, "norm": "k"}, (1 + 2 / 4) / 5),
    ("reciprocal_rank", {}, 1),
    ("reciprocal_rank", {"rel": 3}, 1 / 6),
    ("reciprocal_rank", {"rel": 3, "k": 6}, 1 / 6),
    ("reciprocal_rank", {"rel": 3, "k": 5}, 0),
    ("first_rank", {"rel": 3}, 6),
    ("first_rank", {"rel": 3, "k": 5}, None),
    ("cg", {"k": 4}, 3),
    ("cg", {"k": 4, "rel": 2}, 3),
    ("cg", {"gain": "exp2", "rel": 2}, 3 + 1 + 7),
    ("cg", {"gain": "binary"}, 3),
    ("cg", {"gain": "binary", "rel": 2}, 2),
    ("cg", {"k": 1, "ties": "expected"}, 1),
    ("dcg", {}, 2 + 1 / math.log2(5) + 3 / math.log2(7)),
    ("dcg", {"discount": "log2_clip"}, 2 + 1 / 2 + 3 / math.log2(6)),
    ("dcg", {"discount": "reciprocal"}, 2 + 1 / 4 + 3 / 6),
    ("dcg", {"discount": "reciprocal", "ties": "expected"}, 1 + 1 / 2 + 0.5 / 4 + 0.5 / 5 + 3 / 6),
    ("idcg", {"discount": "reciprocal"}, 3 + 2 / 2 + 1 / 3 + 1 / 4),
    ("idcg", {"discount": "reciprocal", "ideal": "returned"}, 3 + 2 / 2 + 1 / 3),
    ("idcg", {"discount": "reciprocal", "ideal": "returned", "k": 2}, 3 + 2 / 2),
    ("idcg", {"discount": "reciprocal", "ideal": "full_k", "k": 3}, 3 + 3 / 2 + 3 / 3),
    ("idcg", {"discount": "reciprocal", "k": 1, "gain": "exp2"}, 7),
    ("idcg", {"gain": "binary", "rel": 2}, 1 + 1 / math.log2(3)),
    ("ndcg", {"discount": "reciprocal"}, (2 + 1 / 4 + 3 / 6) / (3 + 2 / 2 + 1 / 3 + 1 / 4)),
    ("ndcg", {"discount": "reciprocal", "k": 3, "ideal": "full_k"}, 2 / 5.5),
    (
        "ndcg",
        {"discount": "log2_clip", "k": 3, "ideal": "returned"},
        2 / (3 + 2 + 1 / math.log2(3)),
    ),
    ("ndcg", {"k": 1, "gain": "exp2", "ties": "expected"}, 1.5 / 7),
    ("r_precision", {}, 2 / 4),
    ("r_precision", {"rel": 2}, 1 / 2),
    ("bpref", {}, (1 + (1 - 1 / 2) + (1 - 1 / 2)) / 4),
    ("bpref", {"rel": 2}, (1 + 0) / 2),
    ("infap", {}, (1 + 1 / 4 + 2 / 4 / 2 + 1 / 6 + 3 / 6 * (2 + E) / (3 + 2 * E)) / 4),
    ("rbp", {}, 0.2 * (1 + 0.8**3 + 0.8**5)),
    ("rbp", {"p": 0.5, "k": 4}, 0.5 * (1 + 1 / 8)),
    ("rbp", {"p": 0.5, "rel": 3}, 0.5 / 32),
    ("err", {}, 3 / 16 + 13 / 16 * 1 / 16 / 4 + 13 / 16 * 15 / 16 * 7 / 16 / 6),
    ("err", {"max_grade": 3, "k": 4}, 3 / 8 + 5 / 8 * 1 / 8 / 4),
    ("iprec", {"recall": 0.0}, 1),
    ("iprec", {"recall": 0.3}, 1 / 2),
    ("iprec", {"recall": 0.3, "rounding": "nearest"}, 1),
    ("iprec", {"recall": 0.5, "rounding": "nearest"}, 1 / 2),
    ("iprec", {"recall": 1.0, "rel": 2}, 2 / 6),
    ("iprec", {"recall": 1.0}, 0),
    ("judged", {}, 4 / 6),
    ("judged", {"k": 2}, 1 / 2),
    ("judged", {"k": 10}, 4 / 6),
    ("query_auc", {}, 3 / 9),
    ("query_auc", {"rel": 2}, 3.5 / 8),
    ("query_auc", {"rel": 0}, (0.5 + 1 + 1 + 0.5) / 8),
    ("query_auc", {"rel": 4}, None),
]


def measure(name: str, query: Query, **params: Any) -> float | None:
    value: float | None = getattr(ranking, name)(query, **params)
    return value


@pytest.mark.parametrize(("name", "params", "expected"), BY_HAND, ids=shown)
def test_by_hand(name: str, params: dict[str, Any], expected: float | None) -> None:
    value = measure(name, SIX, **params)
    assert value is None if expected is None else same(value, expected)


def test_every_metric_is_computed_by_hand() -> None:
    assert {name for name, _, _ in BY_HAND} == set(ranking.__all__)


@pytest.mark.parametrize(
    ("name", "params", "of_nothing", "of_nothing_relevant"),
    [
        ("precision", {}, None, 0),
        ("precision", {"k": 5}, 0, 0),
        ("precision", {"k": 5, "norm": "returned"}, None, 0),
        ("recall", {}, 0, None),
        ("f_beta", {"beta": 1}, 0, None),
        ("set_average_precision", {}, 0, None),
        ("hit_rate", {}, 0, 0),
        ("hits", {}, 0, 0),
        ("average_precision", {}, 0, None),
        ("average_precision", {"norm": "hits"}, 0, 0),
        ("reciprocal_rank", {}, 0, 0),
        ("first_rank", {}, None, None),
        ("cg", {}, 0, 0),
        ("dcg", {}, 0, 0),
        ("idcg", {}, 1, 0),
        ("idcg", {"ideal": "returned"}, 0, 0),
        ("idcg", {"ideal": "full_k", "k": 1}, 1, 0),
        ("ndcg", {}, 0, None),
        ("ndcg", {"ties": "expected"}, 0, None),
        ("ndcg", {"ideal": "returned"}, None, None),
        ("r_precision", {}, 0, None),
        ("bpref", {}, 0, None),
        ("infap", {}, 0, None),
        ("rbp", {}, 0, 0),
        ("err", {}, 0, 0),
        ("iprec", {"recall": 0.5}, 0, 0),
        ("judged", {}, None, 1 / 2),
        ("query_auc", {}, None, None),
    ],
    ids=shown,
)
def test_of_nothing(name: str, params: dict[str, Any], of_nothing: Any, of_nothing_relevant: Any) -> None:
    assert measure(name, ranked([], unreturned=[1]), **params) == of_nothing
    assert measure(name, ranked([0, None]), **params) == of_nothing_relevant


@pytest.mark.parametrize("name", ranking.__all__)
def test_relevant_is_any_grade_above_zero(name: str) -> None:
    """Without rel, half a grade is enough: 0 < 0.5 < 1."""
    half = ranked([0, 0.5, 0, None, 0.5], unreturned=[0, 0.5])
    known = inspect.signature(getattr(ranking, name)).parameters
    given = {"beta": 1, "recall": 0.5, "gain": "binary"}
    params = {key: value for key, value in given.items() if key in known}
    if "rel" in known:
        value = measure(name, half, **params)
        assert value == measure(name, half, **params, rel=0.5)
        assert value != measure(name, half, **params, rel=1)
    else:
        assert name in {"err", "judged", "n_returned", "user_coverage"}


def test_rel_zero_makes_judged_items_relevant_but_not_unjudged_ones() -> None:
    assert ranking.hits(SIX, rel=0) == 4
    assert ranking.cg(SIX, gain="binary", rel=0) == 4


def test_bpref_counts_no_more_nonrelevant_rows_than_there_are_relevant_ones() -> None:
    assert ranking.bpref(ranked([0, 0, 0, 1])) == 0
    assert ranking.bpref(ranked([None, None, 1, 0])) == 1
    assert ranking.bpref(ranked([0, 1, 1, 1])) == 0  # min(N, R) is N
    assert ranking.bpref(ranked([0, 1, 1, 1], unreturned=[0])) == 1 / 2


def test_full_k_of_no_judgments() -> None:
    assert ranking.idcg(Query([], {}), k=2, ideal="full_k") == 0


def test_linear_gains_of_any_size() -> None:
    seconds = ranked([86400.0, 1e300])
    assert ranking.ndcg(seconds, k=1) == 86400 / 1e300


@pytest.mark.parametrize("k", [None, 1, 2, 4])
@pytest.mark.parametrize("scores", [[3, 3, 2, 2, 2, 1], [1] * 6, [6, 5, 5, 5, 5, 1]], ids=shown)
def test_expected_is_the_mean_over_all_orders_of_the_ties(scores: list[int], k: int | None) -> None:
    query = ranked([0, 3, None, 1, 2, 2], unreturned=[4], scores=scores)
    orders = [
        Query(rows, query.grades)
        for rows in itertools.permutations(query.rows)
        if [row.score for row in rows] == scores
    ]
    assert len(orders) > 1
    for name, params in [("cg", {}), ("dcg", {"gain": "exp2"}), ("ndcg", {})]:
        mean = statistics.fmean(measure(name, order, k=k, **params) or 0 for order in orders)
        assert same(measure(name, query, k=k, ties="expected", **params), mean)


# One tiny list each, and the value that the named tool printed for it.
FOUND_TWO_OF_FIVE = ranked([1, None, 1], unreturned=[1, 1, 1])
PEERS = [
    ("trec_eval map_cut.3", "average_precision", FOUND_TWO_OF_FIVE, {"k": 3}, 1 / 3),
    (
        "Spark meanAveragePrecisionAt(3)",
        "average_precision",
        FOUND_TWO_OF_FIVE,
        {"k": 3, "norm": "min_k"},
        0.5555555555555555,
    ),
    (
        "torchmetrics retrieval_average_precision(top_k=3)",
        "average_precision",
        FOUND_TWO_OF_FIVE,
        {"k": 3, "norm": "hits"},
        0.8333333333333334,
    ),
    (
        "RecTools MAP(k=3, divide_by_k=True)",
        "average_precision",
        FOUND_TWO_OF_FIVE,
        {"k": 3, "norm": "k"},
        0.5555555555555555,
    ),
    ("LensKit Recall(3)", "recall", FOUND_TWO_OF_FIVE, {"k": 3, "norm": "min_k"}, 2 / 3),
    (
        "LensKit Precision(4)",
        "precision",
        ranked([1, None], [1]),
        {"k": 4, "norm": "returned"},
        0.5,
    ),
    (
        "RecTools NDCG(2)",
        "ndcg",
        ranked([1, None]),
        {"k": 2, "ideal": "full_k"},
        0.6131471927654584,
    ),
    (
        "sklearn ndcg_score()",
        "ndcg",
        ranked([0, 0, 1], scores=[1, 1, 1]),
        {"ties": "expected"},
        0.7103099178571524,
    ),
    ("trec_eval bpref", "bpref", ranked([None, 1, 1]), {}, 1.0),
]


@pytest.mark.parametrize(("call", "name", "query", "params", "printed"), PEERS, ids=lambda x: str(x)[:50])
def test_value_that_a_peer_printed(
    call: str, name: str, query: Query, params: dict[str, Any], printed: float
) -> None:
    assert same(measure(name, query, **params), printed), call


# --- the worked examples of the literature -------------------------------------------------------

WORKED = json.loads((ROOT / "tests/data/recorded/worked_examples.json").read_text("utf-8"))


def hits_at(ranks: list[int], relevant: int) -> Query:
    grades = [1.0 if rank in ranks else None for rank in range(1, max(ranks) + 1)]
    return ranked(grades, unreturned=[1] * (relevant - len(ranks)))


def worked_examples() -> dict[str, Any]:
    """Return the value of every example by its name; ideal lists there are of the returned rows."""
    given = WORKED["inputs"]
    topics = {
        topic: ranking.average_precision(hits_at(ranks, given["map_topics"]["relevant_total"][topic]))
        for topic, ranks in given["map_topics"]["hit_ranks"].items()
    }
    ratings = given["ndcg_ratings"]
    rated = ratings["returned_grades_in_order"]
    rating = ranked(rated, unreturned=ratings["all_grades"][len(rated) :])
    linear = ranked(given["dcg_31232"]["returned_grades_in_order"])
    exponential = ranked(given["exp_32301"]["returned_grades_in_order"])
    lists = {name: ranked(given["binary_r1_r2"][name]) for name in ("R1", "R2")}
    users = {
        user: ranking.average_precision(ranked(grades), k=6, norm="min_k")
        for user, grades in given["map6_users"].items()
    }
    five = [
        ranked([0] * 9 if rank is None else [0] * (rank - 1) + [1], [1])
        for rank in given["mrr5"]["first_hit_rank"]
    ]
    three = [hits_at([rank], 1) for rank in given["mrr_three_queries"]["first_hit_rank"]]
    return {
        "map_topics/ap": topics,
        "map_topics/map": aggregate(topics.values(), "mean"),
        "ndcg_ratings/dcg@5": ranking.dcg(rating, k=5, gain="exp2"),
        "ndcg_ratings/idcg@5": ranking.idcg(rating, k=5, gain="exp2"),
        "ndcg_ratings/ndcg@5": ranking.ndcg(rating, k=5, gain="exp2"),
        "dcg_31232/dcg": ranking.dcg(linear),
        "dcg_31232/idcg": ranking.idcg(linear),
        "dcg_31232/ndcg": ranking.ndcg(linear),
        "dcg_31232/cumulative_gain": ranking.cg(linear),
        "binary_r1_r2/dcg": {name: ranking.dcg(query) for name, query in lists.items()},
        "binary_r1_r2/idcg": {name: ranking.idcg(query) for name, query in lists.items()},
        "binary_r1_r2/ndcg": {name: ranking.ndcg(query) for name, query in lists.items()},
        "exp_32301/dcg": ranking.dcg(exponential, gain="exp2"),
        "exp_32301/idcg": ranking.idcg(exponential, gain="exp2"),
        "exp_32301/ndcg": ranking.ndcg(exponential, gain="exp2"),
        "ap_101010/ap": ranking.average_precision(ranked(given["ap_101010"]["returned"])),
        "map6_users/ap@6": users,
        "map6_users/map@6": aggregate(users.values(), "mean"),
        "mrr5/mrr@5": aggregate([ranking.reciprocal_rank(query, k=5) for query in five], "mean"),
        "hr3/hr@3": aggregate(hit_rates_at_3().values(), "mean"),
        "mrr_three_queries/mrr": aggregate(map(ranking.reciprocal_rank, three), "mean"),
    }


def hit_rates_at_3() -> Values:
    given = WORKED["inputs"]["hr3"]
    predictions = [
        ("A", user, item, -rank) for user, items in given["top3"].items() for rank, item in enumerate(items)
    ]
    truth = [(user, item, 1) for user, items in given["truth"].items() for item in items]
    return per_query("hit_rate", predictions, truth, k=3)


def test_worked_examples() -> None:
    computed = worked_examples()
    for example in WORKED["values"]:
        if example["name"] != "coin/chi_square":
            assert computed.pop(example["name"]) == pytest.approx(example["exact"], rel=0, abs=EXACT)
    assert computed == {}


# --- policies ------------------------------------------------------------------------------------

# A answers q1, q3 and q4; B answers q1; q2 has no relevant item; q4 is not in the truth.
PREDICTIONS = [
    ("A", "q1", "a", 2.0),
    ("A", "q1", "x", 1.0),
    ("A", "q3", "x", 1.0),
    ("A", "q4", "a", 1.0),
    ("B", "q1", "x", 2.0),
    ("B", "q1", "a", 1.0),
]
TRUTH = [("q1", "a", 3), ("q1", "b", 1), ("q2", "a", 0), ("q3", "a", 1), ("q3", "y", 0)]


@pytest.mark.parametrize(
    ("population", "expected"),
    [
        ("truth", {("A", "q1"), ("A", "q2"), ("A", "q3"), ("B", "q1"), ("B", "q2"), ("B", "q3")}),
        (
            "predictions",
            {("A", "q1"), ("A", "q3"), ("A", "q4"), ("B", "q1"), ("B", "q3"), ("B", "q4")},
        ),
        ("both", {("A", "q1"), ("B", "q1")}),
        (["q2", "q9"], {("A", "q2"), ("A", "q9"), ("B", "q2"), ("B", "q9")}),
    ],
    ids=shown,
)
def test_population(population: Any, expected: set[tuple[str, str]]) -> None:
    assert set(per_query("hits", PREDICTIONS, TRUTH, population=population)) == expected
    assert set(status("hits", PREDICTIONS, TRUTH, population=population)) == expected


def test_a_query_outside_the_truth_has_no_relevant_item() -> None:
    params = {"population": "predictions", "no_relevant": "one"}
    values = per_query("recall", PREDICTIONS, TRUTH, **params)
    assert (values[("A", "q4")], values[("B", "q4")]) == (1, 0)
    states = status("recall", PREDICTIONS, TRUTH, **params)
    assert states[("A", "q4")] == Status(missing=False, no_relevant=True)
    assert states[("B", "q4")] == Status(missing=True, no_relevant=True)


def test_a_system_without_rows_misses_every_query() -> None:
    values = per_query("recall", PREDICTIONS, TRUTH, systems=["C", "A"], no_relevant="one")
    assert {query: value for (system, query), value in values.items() if system == "C"} == {
        "q1": 0,
        "q2": 0,
        "q3": 0,
    }
    assert {system for system, _ in values} == {"A", "B", "C"}
    assert per_query("recall", PREDICTIONS, TRUTH, systems=["C"], population="both") == {}


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("no_relevant", ["null", "zero", "one"])
def test_missing_and_no_relevant(missing: str, no_relevant: str) -> None:
    values = per_query("recall", PREDICTIONS, TRUTH, missing=missing, no_relevant=no_relevant)
    of_missing = {"zero": 0, "skip": None}[missing]
    of_both = None if no_relevant == "null" else of_missing
    assert values == {
        ("A", "q1"): 0.5,
        ("A", "q2"): of_both,  # also missing, which comes first
        ("A", "q3"): 0,
        ("B", "q1"): 0.5,
        ("B", "q2"): of_both,
        ("B", "q3"): of_missing,
    }


def test_status_counts_both() -> None:
    assert status("recall", PREDICTIONS, TRUTH) == {
        ("A", "q1"): Status(missing=False, no_relevant=False),
        ("A", "q2"): Status(missing=True, no_relevant=True),
        ("A", "q3"): Status(missing=False, no_relevant=False),
        ("B", "q1"): Status(missing=False, no_relevant=False),
        ("B", "q2"): Status(missing=True, no_relevant=True),
        ("B", "q3"): Status(missing=True, no_relevant=False),
    }


@pytest.mark.parametrize(
    ("name", "params", "without"),
    [
        ("recall", {}, {"q2"}),
        ("recall", {"rel": 2}, {"q2", "q3"}),
        ("recall", {"rel": 0}, set()),
        ("query_auc", {"rel": 2}, {"q2", "q3"}),
        ("err", {}, {"q2"}),
        ("ndcg", {"rel": 2}, {"q2"}),
        ("ndcg", {"rel": 2, "gain": "exp2"}, {"q2"}),
        ("ndcg", {"rel": 2, "gain": "binary"}, {"q2", "q3"}),
        ("cg", {"rel": 4, "gain": "binary"}, {"q1", "q2", "q3"}),
        ("ndcg", {"ideal": "returned"}, {"q2", "q3"}),
        ("idcg", {"ideal": "returned"}, {"q2", "q3"}),
        ("idcg", {"ideal": "full_k", "k": 2}, {"q2"}),
        ("ndcg", {"ideal": "returned", "gain": "binary", "rel": 4}, {"q1", "q2", "q3"}),
        ("first_rank", {"rel": 2}, {"q2", "q3"}),
        ("judged", {}, set()),
    ],
    ids=shown,
)
def test_what_no_relevant_means(name: str, params: dict[str, Any], without: set[str]) -> None:
    states = status(name, PREDICTIONS, TRUTH, **params)
    assert {
        query for (system, query), state in states.items() if system == "A" and state.no_relevant
    } == without


def test_a_missing_query_is_judged_by_its_truth_when_the_ideal_is_returned() -> None:
    values = per_query("ndcg", PREDICTIONS, TRUTH, ideal="returned", no_relevant="one")
    assert values[("A", "q3")] == 1  # returned, but no returned item has a gain
    assert values[("B", "q3")] == 0  # missing
    assert values[("B", "q2")] == 0  # missing, and without a relevant item


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("no_relevant", ["null", "zero", "one"])
def test_no_policy_makes_a_rank_of_nothing(missing: str, no_relevant: str) -> None:
    values = per_query("first_rank", PREDICTIONS, TRUTH, missing=missing, no_relevant=no_relevant)
    assert {key: value for key, value in values.items() if value is not None} == {
        ("A", "q1"): 1,
        ("B", "q1"): 2,
    }


def test_judged_does_not_ask_for_relevant_items() -> None:
    predictions = [*PREDICTIONS, ("A", "q2", "a", 1.0)]
    values = per_query("judged", predictions, TRUTH, no_relevant="one")
    assert values[("A", "q2")] == 1
    assert values[("B", "q2")] == 0
    assert per_query("judged", predictions, TRUTH, missing="skip")[("B", "q2")] is None


def test_a_query_whose_rows_are_all_unjudged_is_not_missing() -> None:
    params = {"unjudged": "skip", "missing": "skip"}
    assert per_query("recall", PREDICTIONS, TRUTH, **params)[("A", "q3")] == 0
    assert per_query("judged", PREDICTIONS, TRUTH, **params)[("A", "q3")] is None
    assert not status("recall", PREDICTIONS, TRUTH, **params)[("A", "q3")].missing
    assert status("ndcg", PREDICTIONS, TRUTH, ideal="returned", **params)[("A", "q3")].no_relevant


def test_unjudged_rows_leave_before_ranking() -> None:
    predictions = [("A", "q", "x", 3.0), ("A", "q", "a", 2.0), ("A", "q", "b", 1.0)]
    truth = [("q", "a", 0), ("q", "b", 1), ("other", "x", 1)]
    assert per_query("first_rank", predictions, truth)[("A", "q")] == 3
    assert per_query("first_rank", predictions, truth, unjudged="skip")[("A", "q")] == 2


# Five rows of one score, in this order; 3 and 20 are relevant, 100 is judged 0.
TIED = [("A", "q", item, 1.0) for item in (20, 100, 3, 2, 11)]
TIED_TRUTH = [("q", 3, 1), ("q", 20, 2), ("q", 100, 0)]


@pytest.mark.parametrize(
    ("ties", "grades"),
    [
        ("item_asc", [0, 1, 0, 2, 0]),  # 2 3 11 20 100
        ("item_desc", [0, 2, 0, 1, 0]),
        ("item_desc_text", [1, 2, 0, 0, 0]),  # 3 20 2 11 100
        ("pessimistic", [0, 0, 0, 1, 2]),
        ("optimistic", [2, 1, 0, 0, 0]),
        ("input", [2, 0, 1, 0, 0]),
        ("expected", [0.6] * 5),
    ],
)
def test_order_of_equal_scores(ties: str, grades: list[float]) -> None:
    for k in range(1, 6):
        values = per_query("cg", TIED, TIED_TRUTH, k=k, ties=ties)
        assert values == {("A", "q"): pytest.approx(sum(grades[:k]))}


@pytest.mark.parametrize(
    ("ties", "judged"),
    [
        ("pessimistic", [0, 1 / 2, 2 / 3, 3 / 4, 4 / 5]),  # 11 2 100 3 20
        ("optimistic", [1, 1, 1, 1, 4 / 5]),  # 20 3 2 100 11
    ],
)
def test_an_unjudged_item_stands_below_grade_zero(ties: str, judged: list[float]) -> None:
    truth = [*TIED_TRUTH, ("q", 2, 0)]  # 11 is unjudged
    for k in range(1, 6):
        values = per_query("judged", TIED, truth, ties=ties, k=k)
        assert values == {("A", "q"): judged[k - 1]}


def test_expected_belongs_to_means_with_a_formula() -> None:
    means = {"cg", "dcg", "ndcg", "precision", "recall", "f_beta", "hits", "hit_rate", "average_precision",
             "reciprocal_rank", "r_precision"}  # fmt: skip
    for name in set(ranking.__all__) - means:
        with pytest.raises(ValueError, match="expected"):
            per_query(name, TIED, TIED_TRUTH, ties="expected")


def test_single_precision_makes_ties_and_tie_groups() -> None:
    predictions = [
        ("A", "q", 1, 1.0),
        ("A", "q", 2, 1.000000001),
        ("A", "q", 3, -1e300),
        ("A", "q", 4, -2e300),
    ]
    truth = [("q", 2, 1), ("q", 3, 1)]
    assert per_query("first_rank", predictions, truth) == {("A", "q"): 1}
    assert per_query("first_rank", predictions, truth, scores="float32") == {("A", "q"): 2}
    tied = {"scores": "float32", "ties": "expected"}
    assert per_query("cg", predictions, truth, k=1, **tied) == {("A", "q"): 0.5}
    assert per_query("cg", predictions, truth, k=3, **tied) == {("A", "q"): 1.5}
    assert per_query("query_auc", predictions, truth) == {("A", "q"): 3 / 4}
    assert per_query("query_auc", predictions, truth, scores="float32") == {("A", "q"): 2 / 4}


def test_duplicates() -> None:
    predictions = [
        ("A", "q", "x", 1.0),
        ("A", "q", "a", 2.0),
        ("A", "q", "x", 3.0),
        ("A", "q", "a", 4.0),
    ]
    truth = [("q", "a", 1)]
    assert per_query("hits", predictions, truth) == {("A", "q"): 2}
    assert per_query("hits", predictions, truth, duplicates="first") == {("A", "q"): 1}
    assert per_query("precision", predictions, truth, duplicates="first") == {("A", "q"): 1 / 2}
    assert per_query("first_rank", predictions, truth, duplicates="first") == {("A", "q"): 1}
    with pytest.raises(ValueError, match=r"predictions: more than one row for \('A', 'q', 'x'\)"):
        per_query("hits", predictions, truth, duplicates="error")


def test_three_duplicates_are_named() -> None:
    predictions = [("A", "q", item, 1.0) for item in (1, 2, 3, 4)] * 2
    with pytest.raises(ValueError, match=r": more than one row for (\('A', 'q', [123]\)(, |$)){3}$"):
        per_query("hits", predictions, TIED_TRUTH, duplicates="error")


def test_the_best_ranked_of_two_rows_stays() -> None:
    predictions = [("A", "q", "b", 3.0), ("A", "q", "a", 2.0), ("A", "q", "b", 1.0)]
    truth = [("q", "a", 1)]
    assert per_query("first_rank", predictions, truth, duplicates="first") == {("A", "q"): 2}
    also = [*predictions, ("B", "q", "a", 1.0), ("A", "r", "a", 1.0)]  # no duplicates of those
    assert per_query("hits", also[1:], truth, duplicates="error")[("A", "q")] == 1


@pytest.mark.parametrize("grades", [(1, 3), (3, 1)])
def test_the_highest_grade_of_an_item_stays(grades: tuple[int, int]) -> None:
    truth = [("q", "a", grade) for grade in grades]
    predictions = [("A", "q", "a", 1.0)]
    for duplicates in ("first", "count"):
        assert per_query("cg", predictions, truth, duplicates=duplicates) == {("A", "q"): 3}
    with pytest.raises(ValueError, match=r"truth: more than one row for \('q', 'a'\)"):
        per_query("cg", predictions, truth, duplicates="error")


@pytest.mark.parametrize(("grade", "switch"), [(-1, "negative_grade"), (None, "null_relevance")])
def test_grades_that_are_none(grade: int | None, switch: str) -> None:
    predictions, truth = [("A", "q", "a", 1.0)], [("q", "a", grade), ("q", "b", 2)]
    other = {"negative_grade", "null_relevance"} - {switch}
    with pytest.raises(ValueError, match=switch.split("_")[0]):
        per_query("cg", predictions, truth, **dict.fromkeys(other, "zero"))
    assert per_query("cg", predictions, truth, **{switch: "zero"}) == {("A", "q"): 0}
    assert per_query("judged", predictions, truth, **{switch: "zero"}) == {("A", "q"): 1}


def test_tables_may_be_iterators() -> None:
    values = per_query("recall", iter(PREDICTIONS), iter(TRUTH))
    assert values == per_query("recall", PREDICTIONS, TRUTH)


@pytest.mark.parametrize(
    ("name", "params", "error"),
    [
        ("ndgc", {}, ValueError),
        ("ndcg", {"gain": "exp"}, ValueError),
        ("ndcg", {"discount": "ln"}, ValueError),
        ("ndcg", {"ideal": "best"}, ValueError),
        ("ndcg", {"ideal": "full_k"}, ValueError),
        ("average_precision", {"norm": "k"}, ValueError),
        ("average_precision", {"norm": "m"}, ValueError),
        ("precision", {"norm": "relevant"}, ValueError),
        ("recall", {"norm": "k"}, ValueError),
        ("iprec", {"recall": 0.5, "rounding": "down"}, ValueError),
        ("recall", {"ties": "random"}, ValueError),
        ("recall", {"scores": "float16"}, ValueError),
        ("recall", {"missing": "null"}, ValueError),
        ("recall", {"population": "all"}, ValueError),
        ("err", {"rel": 1}, TypeError),
        ("iprec", {}, TypeError),
    ],
    ids=shown,
)
def test_what_is_no_parameter(name: str, params: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        per_query(name, PREDICTIONS, TRUTH, **params)


# --- aggregation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 10, 37])
def test_aggregations(size: int) -> None:
    rng = random.Random(size)
    defined = [rng.choice([0.0, 0.25, rng.random()]) for _ in range(size)]
    values = [None, *defined, None]
    for percent in (0, 10, 25, 50, 75, 90, 99, 100):
        assert same(aggregate(values, f"p{percent}"), float(np.percentile(defined, percent)))
    assert same(aggregate(values, "mean"), float(np.mean(defined)))
    assert same(aggregate(values, "median"), float(np.median(defined)))
    assert same(aggregate(values, "sum"), float(np.sum(defined)))
    assert same(aggregate(values, "gmean"), math.prod(max(v, 1e-5) for v in defined) ** (1 / size))


def test_aggregation_of_nothing() -> None:
    for how in ("mean", "median", "sum", "gmean", "p10"):
        assert aggregate([None], how) is None
        assert aggregate([], how) is None
    for how in ("average", "p101", "p", "P10"):
        with pytest.raises(ValueError, match=how):
            aggregate([1.0], how)


# --- the package itself --------------------------------------------------------------------------

MODULES = sorted(Path(reference.__path__[0]).rglob("*.py"))


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_imports_the_standard_library_and_itself_only(path: Path) -> None:
    for module in imported_modules(path):
        own = module == "duckmetrics.reference" or module.startswith("duckmetrics.reference.")
        assert own or module.partition(".")[0] in sys.stdlib_module_names


def test_every_metric_names_its_source() -> None:
    assert len(ranking.__all__) == len(set(ranking.__all__))
    for name in ranking.__all__:
        text = getattr(ranking, name).__doc__
        assert re.search(r"doi:10\.|\b(19|20)\d\d\b|trec_eval", text), name
