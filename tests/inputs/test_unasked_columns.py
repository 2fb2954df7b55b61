"""Columns whose name suggests a meaning: taken or not, the same at each door, with one note."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from sklearn.metrics import roc_auc_score

import duckmetrics
from duckmetrics.cli.main import cli
from duckmetrics.errors import InputError
from support.duckdb_shell import connected

PEOPLE = Path(__file__).parents[1] / "data" / "people"
LISTS = PEOPLE / "weighted_lists.csv"


def noted(found: Any) -> list[str]:
    return [one.message for one in found.checks if one.check == "unasked_column"]


def test_weights_of_rankings_are_used_where_they_are_named() -> None:
    """LightGBM weights the queries and gives .9631; here each one counts as 1 until the column is mapped."""
    found = duckmetrics.evaluate(str(LISTS), metrics="ndcg")
    second = 1 / 1.584962500721156  # the relevant item has rank 2: 1 / log2(3)
    assert found["ndcg"] == pytest.approx((1 + second) / 2)
    (note,) = noted(found)
    assert "column 'weight': is not used by rankings" in note
    weighted = duckmetrics.evaluate(str(LISTS), metrics="ndcg", columns={"weight": "weight"})
    assert weighted["ndcg"] == pytest.approx((90 + 10 * second) / 100)
    assert noted(weighted) == []
    done = CliRunner().invoke(cli, ["evaluate", str(LISTS), "-m", "ndcg", "--column", "weight=weight"])
    assert "0.9631" in done.output
    assert "unasked_column" in [one.check for one in duckmetrics.check(str(LISTS), metrics="ndcg")]


def test_a_column_that_is_used_otherwise_is_not_noted() -> None:
    found = duckmetrics.evaluate(str(LISTS), metrics="ndcg", by="weight")
    assert noted(found) == []


def test_weights_of_rows_are_taken_and_noted() -> None:
    rows = duckdb.sql(f"FROM '{LISTS}'").fetchnumpy()
    weighted = roc_auc_score(rows["label"], rows["score"], sample_weight=rows["weight"])
    plain = roc_auc_score(rows["label"], rows["score"])
    assert weighted != plain
    found = duckmetrics.evaluate(str(LISTS), metrics="auc")
    assert found["auc"] == pytest.approx(weighted)
    (note,) = noted(found)
    assert "column 'weight': weights the rows" in note
    done = CliRunner().invoke(cli, ["evaluate", str(LISTS), "-m", "auc"])
    assert note in done.output
    # The advice of the note, both ways.
    mapped = duckmetrics.evaluate(str(LISTS), metrics="auc", columns={"weight": "weight"})
    assert (mapped["auc"], noted(mapped)) == (found["auc"], [])
    without = duckmetrics.evaluate(str(LISTS), metrics="auc", weighted=False)
    assert (without["auc"], noted(without)) == (pytest.approx(plain), [])


# --- the same at each door -------------------------------------------------------------------------


def test_a_macro_refuses_weights_until_an_argument_says_whether_they_count() -> None:
    weighted = duckmetrics.evaluate(str(LISTS), metrics="auc")["auc"]
    plain = duckmetrics.evaluate(str(LISTS), metrics="auc", weighted=False)["auc"]
    with connected() as session:
        for argument, expected in (("1", plain), ("weight", weighted)):
            query = f"SELECT value FROM auc('{LISTS}', label, score, weight := {argument})"
            assert session.execute(query).fetchall() == [(pytest.approx(expected),)]
        for macro in (
            "auc('{}', label, score)",
            "evaluate_classification('{}', label, score, 'log_loss, auc')",
        ):
            with pytest.raises(
                duckdb.Error, match=r"'weight': is not used.* set weight := weight, or weight := 1"
            ):
                session.execute(f"FROM {macro.format(LISTS)}")


# --- swapped tables --------------------------------------------------------------------------------

RUN = {"q1": {"a": 0.2, "x": 0.9, "c": 0.5}, "q2": {"d": 0.1, "y": 0.3, "e": 0.05}}
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": 1}}
RATINGS = "SELECT * FROM (VALUES ('u1', 'a', 5.0), ('u1', 'b', 3.0)) AS t(user_id, item_id, rating)"
SCORED = "SELECT * FROM (VALUES ('u1', 'a', 0.9), ('u1', 'c', 0.8)) AS t(user_id, item_id, score)"


def test_swapped_dictionaries_are_found() -> None:
    """ranx takes the qrels first."""
    assert duckmetrics.evaluate(RUN, QRELS, "mrr")["mrr"] == pytest.approx(1 / 2)
    with pytest.raises(InputError, match=r"look like grades.*the predictions come first, then the truth"):
        duckmetrics.evaluate(QRELS, RUN, "mrr")


def test_swapped_tables_are_found() -> None:
    assert duckmetrics.evaluate(SCORED, RATINGS, "mrr")["mrr"] == 1
    with pytest.raises(InputError, match=r"no grades but a column 'score'.*the predictions come first"):
        duckmetrics.evaluate(RATINGS, SCORED, "mrr")
    with pytest.raises(InputError, match="if this is the truth, the predictions come first"):
        duckmetrics.evaluate(RATINGS, SCORED, "mrr", columns={"query_id": "user_id"})


def test_the_advice_about_swapped_tables_works() -> None:
    """Read a rating as the score, and the other table as a truth."""
    mapped = {"query_id": "user_id", "score": "rating", "truth.relevance": "score"}
    assert duckmetrics.evaluate(RATINGS, SCORED, "mrr", columns=mapped)["mrr"] == 1


def test_a_run_in_the_place_of_the_truth_is_called_so() -> None:
    found = duckmetrics.evaluate(SCORED, SCORED, "mrr")
    (warning,) = (one for one in found.checks if one.check == "unread_grade")
    assert (
        "if this is the run, the predictions come first, then the truth; if it is a grade" in warning.message
    )
