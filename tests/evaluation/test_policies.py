"""The switches for unusual queries and rows, on six queries computed by hand.

query  in the truth   relevant  predicted        reciprocal rank
q1     yes            b         a, b             1/2
q2     yes            c         a                0
q3     yes            z         no               missing
q4     no                       x                no relevant item
q5     yes            none      no               no relevant item, missing
q6     yes            none      a                no relevant item
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from support.little import evaluation, little, overall

if TYPE_CHECKING:
    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

PREDICTIONS = """SELECT * FROM (VALUES ('q1', 'a', 3), ('q1', 'b', 2), ('q2', 'a', 1), ('q4', 'x', 1),
    ('q6', 'a', 1)) AS p(query_id, item_id, score)"""
TRUTH = """SELECT * FROM (VALUES ('q1', 'b', 1), ('q2', 'c', 1), ('q2', 'a', 0), ('q3', 'z', 1),
    ('q5', 'y', 0), ('q6', 'a', 0)) AS t(query_id, item_id, relevance)"""
COUNTS = ("value", "n", "n_missing", "n_no_relevant", "n_undefined")


def counted(result: Evaluation) -> tuple[Any, ...]:
    (row,) = result.rows
    return tuple(row[column] for column in COUNTS)


def six(metric: str = "rr", **switches: Any) -> tuple[Any, ...]:
    """Return (value, n, n_missing, n_no_relevant, n_undefined) of the six queries."""
    return counted(evaluation(PREDICTIONS, TRUTH, metric, **switches))


# --- queries ---------------------------------------------------------------------------------------


def test_the_defaults_count_a_missing_query_as_zero_and_leave_out_one_without_a_relevant_item() -> None:
    assert six() == (pytest.approx(1 / 6), 3, 2, 2, 0)


QUERIES = {
    ("zero", "null"): (1 / 6, 3), ("zero", "zero"): (1 / 10, 5), ("zero", "one"): (3 / 10, 5),
    ("skip", "null"): (1 / 4, 2), ("skip", "zero"): (1 / 6, 3), ("skip", "one"): (1 / 2, 3),
}  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize(("switches", "expected"), QUERIES.items(), ids=str)
def test_missing_and_no_relevant_decide_together(
    switches: tuple[str, str], expected: tuple[float, int]
) -> None:
    missing, no_relevant = switches
    assert six(missing=missing, no_relevant=no_relevant) == (pytest.approx(expected[0]), expected[1], 2, 2, 0)
    spec = f"rr(missing={missing}, no_relevant={no_relevant})"
    assert six(spec) == (pytest.approx(expected[0]), expected[1], 2, 2, 0)


def test_a_missing_query_can_be_an_error() -> None:
    with pytest.raises(
        InputError, match=r"column 'query_id': 2 queries .*\(query_id=q3; query_id=q5\); predict"
    ):
        six(missing="error")
    assert six(missing="error", population="both") == (1 / 4, 2, 0, 1, 0)


POPULATIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "truth": ("truth", (pytest.approx(1 / 6), 3, 2, 2, 0)),
    "predictions": ("predictions", (1 / 4, 2, 0, 2, 0)),
    "both": ("both", (1 / 4, 2, 0, 1, 0)),
    "SQL": ("SELECT unnest(['q1', 'q3', 'q9', 'q1']) AS query_id", (1 / 4, 2, 2, 1, 0)),
    "frame": (pl.DataFrame({"query_id": ["q1", "q3", "q9"]}), (1 / 4, 2, 2, 1, 0)),
}


@pytest.mark.some(2)
@pytest.mark.parametrize(("population", "expected"), POPULATIONS.values(), ids=POPULATIONS)
def test_the_population_says_which_queries_count(population: Any, expected: tuple[Any, ...]) -> None:
    assert six(population=population) == expected


@pytest.mark.parametrize("population", ["predictions", "both"])
def test_queries_of_several_systems_count_once(population: str) -> None:
    rows = "SELECT * FROM (VALUES (1, 10, 1.0), (2, 20, 1.0)) AS t (query_id, item_id, score)"
    truth = "SELECT * FROM (VALUES (1, 10, 1), (2, 21, 1)) AS t (query_id, item_id, relevance)"
    result = duckmetrics.evaluate(None, truth, "rr", system={"A": rows, "B": rows}, population=population)
    assert [(row["value"], row["n"]) for row in result.rows] == [(0.5, 2), (0.5, 2)]


@pytest.mark.slow
def test_a_population_table_is_mapped_and_checked_like_the_others() -> None:
    population = "SELECT 'q1' AS customer"
    assert six(population=population, columns={"population.query_id": "customer"}) == (1 / 2, 1, 0, 0, 0)
    with pytest.raises(InputError, match="no query_id"):
        six(population="SELECT NULL::VARCHAR AS query_id UNION ALL SELECT 'q1'")
    with pytest.raises(InputError, match="no rows"):
        six(population="SELECT 'q1' AS query_id WHERE false")


@pytest.mark.slow
def test_a_query_that_has_no_rank_is_undefined_not_zero() -> None:
    assert six("first_rank") == (2, 1, 2, 2, 2)
    assert six("first_rank", missing="skip") == (2, 1, 2, 2, 1)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("switches", "reason"),
    [
        ({"population": "SELECT 'q5' AS query_id"}, "no query has a relevant item"),
        ({"population": "SELECT 'q3' AS query_id", "missing": "skip"}, "no query has predictions"),
        ({"metric": "first_rank", "population": "SELECT 'q2' AS query_id"}, "no query has a value"),
    ],
)
def test_a_null_value_has_a_reason(switches: dict[str, str], reason: str) -> None:
    (row,) = evaluation(PREDICTIONS, TRUTH, **switches).rows
    assert (row["value"], row["reason"], row["n"]) == (None, reason, 0)


def test_the_counts_and_the_value_agree_with_the_values_per_query() -> None:
    result = evaluation(PREDICTIONS, TRUTH, "rr", no_relevant="one")
    values = {row["query_id"]: row["value"] for row in result.per_query.to_pylist()}
    assert values == {"q1": 0.5, "q2": 0.0, "q3": 0.0, "q5": 0.0, "q6": 1.0}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        ("mean", 1 / 6),
        ("median", 0),
        ("sum", 1 / 2),
        ("p75", 1 / 4),
        ("p90", 0.4),
        ("gmean", (0.5e-10) ** (1 / 3)),
    ],
)
def test_values_are_aggregated_as_asked(aggregation: str, expected: float) -> None:
    assert six(f"rr(agg={aggregation})")[0] == pytest.approx(expected)
    assert six("rr", agg=aggregation)[0] == pytest.approx(expected)


# --- rows ------------------------------------------------------------------------------------------


def rows(*triples: tuple[str, float | None], last: str = "score") -> str:
    """Create rows of the one query q."""
    literals = ", ".join(f"('q', '{item}', {'NULL' if x is None else x}::DOUBLE)" for item, x in triples)
    return f"SELECT * FROM (VALUES {literals}) AS rows(query_id, item_id, {last})"


def judged(*triples: tuple[str, float | None]) -> str:
    return rows(*triples, last="relevance")


@pytest.mark.slow
def test_unjudged_items_are_nonrelevant_or_skipped() -> None:
    predictions, truth = rows(("u", 4), ("a", 3), ("b", 2), ("v", 1)), judged(("a", 0), ("b", 1))
    assert overall(predictions, truth, "rr") == pytest.approx(1 / 3)
    assert overall(predictions, truth, "rr", unjudged="skip") == 1 / 2
    assert overall(predictions, truth, "p@2") == 0
    assert overall(predictions, truth, "p@2", unjudged="skip") == 1 / 2
    assert overall(predictions, truth, "p(norm=returned)@4", unjudged="skip") == 1 / 2


@pytest.mark.slow
def test_a_query_with_unjudged_items_only_is_answered_all_the_same() -> None:
    truth = judged(("b", 1))
    assert counted(evaluation(rows(("u", 1)), truth, unjudged="skip", missing="skip")) == (0.0, 1, 0, 0, 0)


def test_duplicate_predictions_are_refused_or_kept_or_reduced_to_the_best() -> None:
    predictions, truth = rows(("a", 3), ("b", 2), ("b", 1), ("c", 0.5)), judged(("c", 1))
    for spec in ("recall", "precision@3"):  # with a cut-off, only rows that can reach it are examined
        with pytest.raises(InputError, match="1 item predicted more than once"):
            overall(predictions, truth, spec)
    assert overall(predictions, truth, "first_rank", duplicates="first") == 3
    assert overall(predictions, truth, "first_rank", duplicates="count") == 4
    best = rows(("a", 3), ("b", 1), ("b", 4))
    assert overall(best, judged(("b", 1)), "first_rank", duplicates="first") == 1


@pytest.mark.slow
def test_a_duplicate_that_can_come_to_the_cutoff_is_found_in_the_last_of_many_queries() -> None:
    """All rows of the first queries are searched; in the others, only rows that can reach the cut-off."""
    predictions = """SELECT 'q' || lpad(CAST(i AS VARCHAR), 5, '0') AS query_id, 'a' AS item_id, 1.0 AS score
        FROM range(6000) AS t(i) UNION ALL SELECT unnest(['r', 'r']), 'a', unnest([2.0, 1.0])"""
    for spec in ("recall", "precision@3"):
        with pytest.raises(InputError, match=r"1 item predicted more than once for a query .*query_id=r"):
            overall(predictions, "SELECT 'r' AS query_id, 'a' AS item_id", spec)


@pytest.mark.slow
def test_duplicate_judgments_are_refused_or_reduced_to_the_highest() -> None:
    predictions, truth = rows(("a", 3)), judged(("a", 1), ("a", 3), ("b", 1))
    with pytest.raises(InputError, match="1 item judged more than once"):
        overall(predictions, truth)
    assert overall(predictions, truth, "cg", duplicates="first") == 3
    assert overall(predictions, truth, "recall", duplicates="first") == 1 / 2


@pytest.mark.slow
def test_the_same_item_for_two_systems_or_two_queries_is_no_duplicate() -> None:
    both = f"SELECT 'A' AS m, * FROM ({PREDICTIONS}) UNION ALL SELECT 'B', * FROM ({PREDICTIONS})"
    result = evaluation(both, TRUTH, system="m")
    assert [row["value"] for row in result.rows] == [pytest.approx(1 / 6)] * 2
    with pytest.raises(InputError, match="predicted more than once"):
        evaluation(both, TRUTH)


def test_negative_grades_are_refused_or_judged_nonrelevant() -> None:
    predictions, truth = rows(("a", 3), ("b", 2)), judged(("a", -2), ("b", 2))
    with pytest.raises(InputError, match="1 row whose relevance is negative"):
        overall(predictions, truth)
    assert overall(predictions, truth, "cg", negative_grade="zero") == 2
    assert overall(predictions, truth, "judged@2", negative_grade="zero") == 1


def test_null_relevance_is_refused_or_judged_nonrelevant() -> None:
    predictions, truth = rows(("a", 3), ("b", 2)), judged(("a", None), ("b", 2))
    with pytest.raises(InputError, match="1 row whose relevance is NULL"):
        overall(predictions, truth)
    assert overall(predictions, truth, "cg", null_relevance="zero") == 2
    assert counted(evaluation(predictions, judged(("a", None)), null_relevance="zero"))[1:4] == (0, 0, 1)


@pytest.mark.slow
def test_a_threshold_moves_what_is_relevant_but_not_the_graded_gain() -> None:
    predictions, truth = rows(("a", 3), ("b", 2)), judged(("a", 1), ("b", 2), ("c", 0))
    assert overall(predictions, truth, "rr") == 1
    assert overall(predictions, truth, "rr", rel=2) == 1 / 2
    assert overall(predictions, truth, "rr(rel=0.5)") == 1
    with pytest.raises(MetricError, match="rel=2 changes nothing where gain <> 'binary'"):
        overall(predictions, truth, "cg", rel=2)
    assert overall(predictions, truth, "cg(gain=binary)", rel=2) == 1
    assert counted(evaluation(predictions, truth, rel=3)) == (None, 0, 0, 1, 0)


def test_infinite_scores_are_ranked_and_noted() -> None:
    predictions = (
        "SELECT * REPLACE (CASE score WHEN 2 THEN 'inf' WHEN 1 THEN '-inf' ELSE '0' END::DOUBLE AS score)"
    )
    result = evaluation(f"{predictions} FROM ({rows(('a', 3), ('b', 2), ('c', 1))})", judged(("b", 1)))
    assert result["rr"] == 1
    assert [(f.check, f.severity, f.count) for f in result.checks] == [("infinite_score", "note", 2)]


TIES = {
    "item_asc": 3, "item_desc": 2, "item_desc_text": 1, "pessimistic": 4, "optimistic": 1, "input": 4,
}  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize(("ties", "rank"), TIES.items())
def test_ties_are_ordered_as_the_switch_says(ties: str, rank: int) -> None:
    predictions = pl.DataFrame({"query_id": [1] * 4, "item_id": [8, 10, 1, 9], "score": [1.0] * 4})
    truth = pl.DataFrame({"query_id": [1], "item_id": [9]})
    assert overall(predictions, truth, "first_rank", ties=ties) == rank


def test_the_order_of_the_input_is_that_of_a_column_a_list_or_the_rows() -> None:
    tied = (
        "SELECT 'q' AS query_id, unnest(['b', 'c', 'a']) AS item_id, 1 AS score, unnest([3, 1, 2]) AS place"
    )
    truth = judged(("a", 1))
    columns = {"position": "place"}
    assert overall(tied, truth, "first_rank", ties="input", columns=columns) == 2
    with pytest.raises(InputError, match="ties=input needs an order"):
        overall(tied, truth, "first_rank", ties="input")
    listed = "SELECT 'q' AS query_id, ['b', 'c', 'a'] AS items, [1, 1, 1] AS scores"
    assert overall(listed, truth, "first_rank", ties="input") == 3
    connection = little()
    connection.execute(f"CREATE TABLE tied AS {tied}")
    assert overall("tied", truth, "first_rank", ties="input", connection=connection) == 3


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"no_relevant": "zero"},
        {"population": "predictions", "no_relevant": "one"},
        {"population": "both"},
    ],
    ids=str,
)
def test_labels_of_the_returned_rows_only(switches: dict[str, str]) -> None:
    """Items that were not returned do not exist, but the queries are still those of the population."""
    run = "('q', 'a', 3), ('q', 'x', 2), ('q', 'b', 1), ('s', 'a', 1), ('only', 'a', 1)"
    qrels = "('q', 'a', 1), ('q', 'b', 2), ('q', 'c', 1), ('missing', 'b', 1), ('s', 'z', 1)"
    result = duckmetrics.evaluate(
        f"FROM (VALUES {run}) AS t(query_id, item_id, score)",
        f"FROM (VALUES {qrels}) AS t(query_id, item_id, relevance)",
        ["map@3", "ndcg@3", "recall@1", "mrr", "bpref", "precision(norm=returned)@5"],
        labels="returned", verify=10, **switches,
    )  # fmt: skip
    assert [one.largest for one in result.verified] == [0.0] * 6
    assert not result.checks or all(finding.severity != "error" for finding in result.checks)
    two = "SELECT 'q' AS query_id, unnest(['a', 'b']) AS item_id"
    one = "SELECT 'q' AS query_id, 'a' AS item_id, 1 AS score"
    assert duckmetrics.evaluate(one, two, "recall", labels="returned")["recall"] == 1.0
