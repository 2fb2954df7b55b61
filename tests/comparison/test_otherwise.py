"""Verdicts under other conventions, and quantiles of the differences of queries."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import MetricError

# q3 has an unjudged item first with A; q4 is not answered by B.
A = {"q1": {"a": 3, "b": 2}, "q2": {"a": 1, "b": 2}, "q3": {"x": 3, "a": 2}, "q4": {"a": 1}, "q5": {"b": 1}}
B = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1, "b": 2}, "q3": {"x": 1, "a": 2}, "q5": {"a": 2, "b": 1}}
TRUTH = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}, "q5": {"a": 1, "b": 0}}
# The reciprocal ranks of A are 1, 0.5, 0.5, 1, 0, those of B 0.5, 0.5, 1, 0, 1.
DIFFERENCES = [-1.0, -0.5, 0.0, 0.5, 1.0]


def compared(metrics: str = "mrr", **options: Any) -> duckmetrics.Comparison:
    return duckmetrics.compare({"A": A, "B": B}, TRUTH, metrics, **options)


@pytest.mark.slow
def test_other_conventions_give_the_rows_of_a_comparison_with_them() -> None:
    result = compared()
    table = result.otherwise([{"unjudged": "skip"}, {"missing": "skip"}, {"population": "both"}]).to_pylist()
    assert [row["otherwise"] for row in table] == ["", "unjudged=skip", "missing=skip", "population=both"]
    for row, options in zip(table[:2], ({}, {"unjudged": "skip"}), strict=True):
        other = compared(**options).row("mrr")
        for name in ("value", "delta", "p_adjusted", "verdict", "n", "relative_lower"):
            assert row[name] == other[name], name
    assert table[1]["baseline_value"] == pytest.approx((1 + 0.5 + 1 + 1 + 0.5) / 5)
    assert table[2]["value"] is None
    assert "1 queries have a value on one side only" in table[2]["reason"]
    assert (table[3]["n"], table[3]["delta"]) == (4, pytest.approx(0.25))


def test_a_convention_that_no_metric_takes_is_a_row_with_the_reason() -> None:
    (_, row) = compared().otherwise([{"nope": 1}]).to_pylist()
    assert row["verdict"] is None
    assert row["reason"].startswith("switch 'nope': no metric asked for takes it")


@pytest.mark.slow
def test_a_table_of_the_population_is_kept_or_replaced() -> None:
    result = compared(population={"query_id": ["q1", "q2", "q3"]})
    kept, replaced = (
        result.otherwise([switches]).to_pylist()[1]
        for switches in ({"ties": "pessimistic"}, {"population": "truth"})
    )
    assert (kept["n"], replaced["n"]) == (3, 5)


@pytest.mark.slow
def test_other_conventions_leave_nothing_behind_on_the_connection() -> None:
    with duckdb.connect() as connection:
        result = compared(connection=connection)
        before = connection.sql("SHOW ALL TABLES").fetchall()
        result.otherwise([{"unjudged": "skip"}])
        assert len(connection.sql("SHOW ALL TABLES").fetchall()) <= len(before)
        assert result.per_query.num_rows == 10


@pytest.mark.slow
def test_results_that_are_compared_as_they_are_have_no_other_conventions() -> None:
    one, two = (duckmetrics.evaluate(run, TRUTH, "mrr") for run in (A, {**B, "q4": {"b": 1}}))
    with pytest.raises(MetricError, match="compare the tables instead"):
        duckmetrics.compare({"A": one, "B": two}).otherwise([{"ties": "pessimistic"}])


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("points", "places"), [(101, [0, 1, 2, 3, 4]), (5, [0, 1, 2, 3, 4]), (3, [0, 2, 4]), (2, [0, 4])]
)
def test_quantiles_are_differences_at_equal_distances(points: int, places: list[int]) -> None:
    table = compared().differences("mrr", points=points)
    assert table["place"].to_pylist() == places
    assert table["difference"].to_pylist() == [DIFFERENCES[place] for place in places]
    assert table["share"].to_pylist() == [place / 4 for place in places]
    assert set(table["n"].to_pylist()) == {5}


def test_quantiles_of_many_queries_begin_and_end_at_the_extremes() -> None:
    queries = [f"q{i}" for i in range(250)]
    truth = {q: {"a": 1} for q in queries}
    other = {q: {"a": 1.0, **{f"x{j}": 2.0 for j in range(i % 7)}} for i, q in enumerate(queries)}
    result = duckmetrics.compare({"A": {q: {"a": 1.0} for q in queries}, "B": other}, truth, "mrr")
    wanted = sorted(1 / (1 + i % 7) - 1 for i in range(250))
    table = result.differences(points=101)
    assert table.num_rows == 101
    assert table["difference"].to_pylist() == pytest.approx([wanted[i] for i in table["place"].to_pylist()])
    assert table["place"].to_pylist()[::100] == [0, 249]


@pytest.mark.slow
def test_one_common_query_is_one_quantile() -> None:
    result = duckmetrics.compare({"A": {"q1": A["q1"]}, "B": {"q1": B["q1"]}}, {"q1": {"a": 1}}, "mrr")
    assert result.differences().to_pylist() == [
        {"system": "B", "metric": "mrr", "place": 0, "share": 0.0, "difference": -0.5, "n": 1}
    ]


@pytest.mark.some(2)
@pytest.mark.parametrize("others", ["ties", {}, [{}], [["ties"]], None])
def test_conventions_are_switches_with_values(others: Any) -> None:
    with pytest.raises(MetricError, match="otherwise: takes switches with their values"):
        compared().otherwise(others)


def test_one_convention_needs_no_list() -> None:
    assert compared().otherwise({"ties": "item_desc"}).equals(compared().otherwise([{"ties": "item_desc"}]))


@pytest.mark.slow
def test_quantiles_need_a_known_metric_and_system_and_a_number() -> None:
    result = compared("mrr,recall@1")
    with pytest.raises(MetricError, match="metric 'mmr': not compared; did you mean 'mrr'"):
        result.differences("mmr")
    with pytest.raises(MetricError, match="system 'A': not compared"):
        result.differences("mrr", system="A")
    with pytest.raises(MetricError, match="baseline 'Z': not evaluated"):
        result.evaluation.differences("Z")
    with pytest.raises(MetricError, match="points: 1 is not a number of quantiles; write 2 or more"):
        result.differences("mrr", points=1)
