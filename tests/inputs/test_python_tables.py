"""Dictionaries as tables: runs of pytrec_eval and ranx, arrays of scikit-learn."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.errors import InputError

RUN = {
    "q1": {"a": 0.9, "b": 0.5, "c": 0.5},
    "q2": {"a": 0.1, "d": 0.7},
    "q3": {"z": 1.0},
    "q4": {"a": np.float32(0.25), "b": 1},
}
QRELS = {"q1": {"b": 2, "c": 1, "x": 1}, "q2": {"d": 1, "a": 0}, "q4": {"a": 1}, "q5": {"a": 1}}
SPECS = ["ndcg@10", "map", "mrr", "precision@2"]


def rows(nested: dict[str, dict[str, Any]], value: str) -> pa.Table:
    """Return the same as a table, written in the long form."""
    found = [(q, i, float(v)) for q, items in nested.items() for i, v in items.items()]
    return pa.table(
        {"query_id": [r[0] for r in found], "item_id": [r[1] for r in found], value: [r[2] for r in found]}
    )


def values(result: duckmetrics.Evaluation) -> list[Any]:
    return [(row["system"], row["metric"], row["value"], row["n"], row["n_missing"]) for row in result.rows]


def test_a_run_and_its_qrels_are_what_the_tables_are() -> None:
    found = duckmetrics.evaluate(RUN, QRELS, SPECS)
    assert values(found) == values(duckmetrics.evaluate(rows(RUN, "score"), rows(QRELS, "relevance"), SPECS))
    assert [row["n_missing"] for row in found.rows] == [1] * len(SPECS)


def test_it_is_what_pytrec_eval_says() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    plain = {q: {i: float(v) for i, v in items.items()} for q, items in RUN.items()}
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut_10"}).evaluate(plain)
    ours = duckmetrics.evaluate(RUN, QRELS, ["map", "ndcg@10"], like="pytrec_eval")
    for spec, name in (("map", "map"), ("ndcg@10", "ndcg_cut_10")):
        expected = np.mean([measures[name] for measures in theirs.values()])
        assert ours[spec] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_systems_may_be_runs() -> None:
    other = {q: {i: -v for i, v in items.items()} for q, items in RUN.items()}
    systems = {"A": RUN, "B": other, "C": rows(RUN, "score")}
    found = duckmetrics.evaluate(None, QRELS, "mrr", system=systems)
    assert [row["system"] for row in found.rows] == ["A", "B", "C"]
    a, b, c = (row["value"] for row in found.rows)
    assert a == c != b
    compared = duckmetrics.compare({"A": RUN, "B": other}, QRELS, "mrr")
    assert compared.row("mrr", "B")["value"] == b


def test_arrays_are_columns() -> None:
    label, score = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8, 0.7])
    expected = duckmetrics.evaluate(pa.table({"label": label, "score": score}), metrics=["auc", "log_loss"])
    for given in ({"label": label, "score": score}, {"label": list(label), "score": tuple(score)}):
        assert values(duckmetrics.evaluate(given, metrics=["auc", "log_loss"])) == values(expected)
    renamed = duckmetrics.evaluate(
        {"y": label, "p": score}, metrics="auc", columns={"label": "y", "score": "p"}
    )
    assert renamed["auc"] == expected["auc"] == pytest.approx(3 / 6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"label": [0, 1], "score": np.eye(2)}, r"column 'score' has 2 dimensions; .*score\[:, 1\]"),
        ({"label": [0, 1], "score": [0.5]}, "columns of several lengths: label 2, score 1"),
        ({"label": [0, "no"], "score": [0.5, 0.5]}, "label cannot be read"),
        ({"q": {"a": 1.0, 3: 2.0}}, "item_id cannot be read"),
        ({"q": {"a": "high"}}, "the score of 'a' in 'q' is the text 'high'; give numbers"),
        ({"q": {}}, "not a table"),
        ({}, "no system"),
    ],
    ids=["two dimensions", "lengths", "types", "ids of two types", "no number", "no item", "empty"],
)
def test_what_is_no_table_is_refused(given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        duckmetrics.evaluate(given, None, "auc")
    assert re.match(r"predictions( \(dict\))?: ", str(raised.value))
