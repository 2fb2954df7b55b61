"""Queries without predictions and with only nonrelevant judgments: `missing` before `no_relevant`."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import pytrec_eval

from duckmetrics.reference import per_query
from support.duckdb_shell import connected
from support.little import evaluation

RUN = "SELECT 'q1' AS query_id, 'b' AS item_id, 2.0 AS score UNION ALL SELECT 'q1', 'a', 1"
TRUTH = """SELECT * FROM (VALUES ('q1', 'a', 1), ('q1', 'b', 0), ('q2', 'a', 0), ('q3', 'a', 0),
    ('q4', 'c', 1)) AS t(query_id, item_id, relevance)"""
"""q1 is answered; the run lacks q2 and q3, which have nothing relevant, and q4, which has."""


@pytest.mark.slow
def test_pytrec_eval_leaves_out_what_the_run_lacks_whatever_its_judgments() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0}, "q3": {"a": 0}, "q4": {"c": 1}}
    printed = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate({"q1": {"b": 2.0, "a": 1.0}})
    assert printed == {"q1": {"map": 0.5}}
    for tool in ("pytrec_eval", "trec_eval9", "spark"):
        run = duckdb.sql(RUN).arrow()
        (row,) = evaluation(run, TRUTH, "map", like=tool).rows
        assert (row["value"], row["n"], row["n_missing"], row["n_no_relevant"]) == (0.5, 1, 3, 2), tool


EXPECTED = {
    ("skip", "zero"): (1 / 2, 1), ("skip", "one"): (1 / 2, 1), ("skip", "null"): (1 / 2, 1),
    ("zero", "zero"): (1 / 8, 4), ("zero", "one"): (1 / 8, 4), ("zero", "null"): (1 / 4, 2),
}  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(("switches", "expected"), EXPECTED.items(), ids=str)
def test_missing_is_asked_before_no_relevant(switches: tuple[str, str], expected: tuple[float, int]) -> None:
    """By hand: q1 is 1/2; null leaves out queries without a relevant item, whether answered or not."""
    said: dict[str, Any] = dict(zip(("missing", "no_relevant"), switches, strict=True))
    (row,) = evaluation(RUN, TRUTH, "map", **said).rows
    assert (row["value"], row["n"]) == (pytest.approx(expected[0]), expected[1])
    run = [("", *row) for row in duckdb.sql(RUN).fetchall()]
    values = per_query("average_precision", run, duckdb.sql(TRUTH).fetchall(), **said)
    kept = [value for value in values.values() if value is not None]
    assert (sum(kept) / len(kept), len(kept)) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.slow
def test_the_shell_agrees() -> None:
    with connected() as connection:
        connection.execute(f"CREATE TABLE run AS {RUN}; CREATE TABLE qrels AS {TRUTH}")
        for (missing, no_relevant), expected in EXPECTED.items():
            said = f"missing := '{missing}', no_relevant := '{no_relevant}'"
            found = connection.execute(f"SELECT value, n FROM map_at(run, qrels, {said})").fetchall()
            assert found == [(pytest.approx(expected[0]), expected[1])]
        liked = "SELECT value, n FROM map_at(run, qrels, like := 'pytrec_eval')"
        assert connection.execute(liked).fetchall() == [(0.5, 1)]
