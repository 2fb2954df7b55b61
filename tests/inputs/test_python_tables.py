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


@pytest.mark.slow
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


@pytest.mark.slow
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


USERS: dict[str, list[Any]] = {"variant": ["A", "A", "B", "B"], "value": [0, 2, 3, 5]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [USERS, {name: tuple(column) for name, column in USERS.items()},
     {"variant": np.array(USERS["variant"]), "value": USERS["value"]}],
    ids=["lists", "tuples", "an array and a list"],
)  # fmt: skip
def test_an_experiment_and_a_statistic_take_arrays_by_name(given: Any) -> None:
    frame = pa.table(USERS)
    options: dict[str, Any] = {"variant": "variant", "control": "A", "metrics": "value"}
    assert duckmetrics.ab(given, **options).rows == duckmetrics.ab(frame, **options).rows
    asked: dict[str, Any] = {"columns": {"arm": "variant"}, "control": "A"}
    found = duckmetrics.run_test("welch_t", given, **asked)
    assert found.rows == duckmetrics.run_test("welch_t", frame, **asked).rows
    assert found.rows[0]["delta"] == 3


def test_counts_may_be_arrays_by_name() -> None:
    expected = duckmetrics.chi_square([3, 7])
    assert duckmetrics.chi_square({"observed": [3, 7]}) == expected
    assert duckmetrics.run_test("chi_square", {"observed": [3, 7]}).rows[0]["p"] == expected.p
    cells = {"shown": ["A", "A", "B", "B"], "clicked": [0, 1, 0, 1], "n": np.array([90, 10, 70, 30])}
    columns = {"row": "shown", "column": "clicked"}
    assert duckmetrics.chi_square(cells, columns=columns) == duckmetrics.chi_square([[90, 10], [70, 30]])


def test_attributes_of_queries_may_be_lists_by_name() -> None:
    queries = {"user": ["q1", "q2", "q3", "q4"], "country": ["DE", "FR", "DE", "FR"]}
    columns = {"queries.query_id": "user"}
    found = duckmetrics.evaluate(RUN, QRELS, "mrr", queries=queries, by="country", columns=columns)
    table = pa.table(queries)
    assert values(found) == values(
        duckmetrics.evaluate(RUN, QRELS, "mrr", queries=table, by="country", columns=columns)
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"variant": ["A"], "value": [1, 2]}, "columns of several lengths: variant 1, value 2"),
        ({"variant": ["A", "B"], "value": [1, "x"]}, "value cannot be read"),
        ({"variant": [], "value": []}, "no rows"),
        ({"variant": "A", "value": [1]}, "not a table"),
        ({"A": {"value": 1}}, "not a table"),
        ({}, "not a table"),
    ],
    ids=["lengths", "types", "empty columns", "a text", "nested", "empty"],
)
def test_what_is_no_table_of_units_is_refused(given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        duckmetrics.ab(given, variant="variant", control="A", metrics="value")
    with pytest.raises(InputError, match=said):
        duckmetrics.run_test("welch_t", given, columns={"arm": "variant"}, control="A")
