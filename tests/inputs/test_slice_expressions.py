"""Slices by expressions, such as the week of a day: their tables, combinations and refusals."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from support.command_line import exports, results, run
from support.little import PREDICTIONS, RR, TRUTH, evaluation, little

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

# q1 is of the week of 5 January 2026, the others of the next one.
USERS = """SELECT * FROM (VALUES ('q1', DATE '2026-01-07', 'DE'), ('q2', DATE '2026-01-12', 'FR'),
    ('q3', DATE '2026-01-18', 'DE')) AS u(query_id, "Day", country)"""
WEEK = "strftime(date_trunc('week', day), '%m-%d') AS week"
WEEKS = {("", None): (RR, 3), ("week", "01-05"): (1 / 2, 1), ("week", "01-12"): (1 / 2, 2)}
LABELS = """SELECT i % 2 AS label, (i * 7 % 10) / 10 AS score, DATE '2026-01-05' + i::INTEGER AS day
    FROM range(14) AS t(i)"""


def values(result: Any, *keys: str) -> dict[tuple[Any, ...], tuple[float | None, int]]:
    return {tuple(row[key] for key in keys): (row["value"], row["n"]) for row in result.rows}


# --- the table of an expression ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.engine
def test_the_table_of_queries_has_the_columns() -> None:
    result = evaluation(by=WEEK, queries=USERS)
    assert values(result, "slice", "week") == WEEKS
    assert result.value("rr", week="01-12") == 1 / 2
    assert result.by == ("week",)
    assert result.per_query.column_names == ["system", "metric", "week", "query_id", "value"]


@pytest.mark.slow
def test_so_have_the_truth_and_the_predictions() -> None:
    truth = f"SELECT t.*, day FROM {TRUTH} JOIN ({USERS}) AS u USING (query_id)"
    assert values(evaluation(truth=truth, by=WEEK), "slice", "week") == WEEKS
    rows = f"SELECT p.*, day FROM {PREDICTIONS} JOIN ({USERS}) AS u USING (query_id)"
    runs = {"A": rows, "B": rows.replace("day", '"Day" AS "DAY"', 1)}
    result = evaluation(runs, by=WEEK)
    assert values(result, "slice", "week", "system")["week", "01-05", "B"] == (1 / 2, 1)


@pytest.mark.engine
def test_rows_of_classifiers_have_them() -> None:
    plain = duckmetrics.evaluate(
        f"SELECT *, date_trunc('week', day) AS w FROM ({LABELS})", metrics="auc", by="w"
    )
    found = duckmetrics.evaluate(LABELS, metrics="auc", by="date_trunc('week', day) AS w")
    assert found.rows == plain.rows
    assert len(found.rows) == 3
    curve = duckmetrics.curve(LABELS, "roc_curve", by="month(day) AS month")
    assert set(curve.column("month").to_pylist()) == {None, 1}


def test_a_field_of_a_structure_and_a_column_in_other_letters() -> None:
    users = f'SELECT query_id, {{\'Day\': "Day"}} AS "Of It" FROM ({USERS})'
    found = evaluation(by='day("of it".day) AS d', queries=users)
    assert {row["d"] for row in found.rows} == {None, 7, 12, 18}


@pytest.mark.slow
@pytest.mark.engine
def test_a_time_with_a_zone_is_a_slice() -> None:
    users = f"SELECT query_id, \"Day\"::TIMESTAMP AT TIME ZONE 'UTC' AS t FROM ({USERS})"
    with little() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        result = evaluation(by="date_trunc('week', t) AS week", queries=users, connection=connection)
    assert [row["week"] for row in result.rows][1:] == [
        datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 12, tzinfo=UTC)
    ]  # fmt: skip
    assert result.value("rr", week=datetime(2026, 1, 5, tzinfo=UTC)) == 1 / 2


def test_the_name_may_be_that_of_the_column() -> None:
    result = evaluation(by="lower(country) AS country", queries=USERS)
    assert {row["country"] for row in result.rows} == {None, "de", "fr"}


# --- combinations -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_expressions_and_columns_in_several_groupings() -> None:
    result = evaluation(by=[["country"], [WEEK], ["country", WEEK]], queries=USERS)
    assert list(result.groupings) == ["", "country", "week", "country,week"]
    assert values(result, "slice", "country", "week")["country,week", "DE", "01-12"] == (0, 1)


@pytest.mark.slow
def test_intervals_verification_and_chunks() -> None:
    result = evaluation(by=WEEK, queries=USERS, verify=10, interval=0.95, cluster="country", chunks=2)
    assert all(one.agrees for one in result.verified)
    assert values(result, "slice", "week") == WEEKS
    rows = duckmetrics.evaluate(LABELS, metrics="auc", by="day(day) > 11 AS late", verify=1, interval=0.9)
    assert all(one.agrees for one in rows.verified)


@pytest.mark.slow
def test_compare_and_check_take_them() -> None:
    runs = {"A": "predictions", "B": "SELECT * REPLACE (-score AS score) FROM predictions"}
    result = duckmetrics.compare(runs, "truth", "rr", by=WEEK, queries=USERS, connection=little())
    assert {row["week"] for row in result.rows} == {None, "01-05", "01-12"}
    assert not duckmetrics.check(
        "predictions", "truth", "rr", by=WEEK, queries=USERS, connection=little()
    ).errors


def test_an_expression_that_varies_within_a_query_is_refused() -> None:
    users = f"{USERS} UNION ALL SELECT 'q1', DATE '2026-01-12', 'DE'"
    with pytest.raises(InputError, match=r"column 'week': differs within 1 .*\(q1: 01-05, 01-12\)"):
        evaluation(by=WEEK, queries=users)


def test_the_command_line_splits_at_commas_outside_of_parentheses(run: Command) -> None:
    users = USERS.replace('"Day"', "day")
    options = ["--queries", users, "--format", "json"]
    evaluate = ["evaluate", "p.parquet", "t.parquet", "-m", "rr"]
    found = results(run(*evaluate, "--by", f"country, {WEEK}", *options))
    assert (found[1]["country"], found[1]["week"]) == ("DE", "01-05")
    found = results(run(*evaluate, "--by-each", "country", "--by-each", WEEK, *options))
    assert [row["week"] for row in found][-2:] == ["01-05", "01-12"]


# --- refusals ---------------------------------------------------------------------------------------

REFUSED = {
    "(SELECT 1) AS x": "a subquery",
    "country IN (SELECT 'DE') AS x": "a subquery",
    "EXISTS (FROM users) AS x": "a subquery",
    "count(*) AS x": "an aggregate",
    "max(day) AS x": "an aggregate",
    "row_number() OVER () AS x": "a window",
    "random() > 0.5 AS x": r"random\(\)",
    "uuid() AS x": r"uuid\(\)",
    "nextval('s') AS x": r"nextval\(\)",
    "now() - day AS x": "the current time",
    "today() - day AS x": "the current time",
    "current_date - day AS x": "the current time",
    "current_timestamp AS x": "the current time",
    "age(day) AS x": "the current time",
    "unnest([country]) AS x": "a function that makes rows",
    "list_filter([day], d -> true) AS x": "a lambda",
    "$day AS x": "a parameter",
    "COLUMNS('d.*') AS x": r"COLUMNS\(\)",
    "country AS x; DROP TABLE users; day AS y": "several statements",
    "SELECT country AS x": "a query",
    "CAST(day AS VARCHAR)": "has no name; name the expression, as in",
    "country AS x, day AS y": "fix it, or name the expression",
    "lower(country AS x": "fix it",
}  # fmt: skip


@pytest.mark.some(6)
@pytest.mark.parametrize("by", REFUSED)
def test_it_is_refused_with_the_reason(by: str) -> None:
    with pytest.raises(MetricError, match=f"by .*: .*{REFUSED[by]}"):
        evaluation(by=by, queries=USERS)


@pytest.mark.parametrize("by", ["date_trunc('week', day)", "day::VARCHAR"])
def test_without_a_name_there_is_advice(by: str) -> None:
    with pytest.raises(
        InputError, match=r"column .*; name the expression, as in date_trunc\('week', day\) AS"
    ):
        evaluation(by=by, queries=USERS)
    with pytest.raises(InputError, match=r"column .*; name the expression"):
        duckmetrics.evaluate(LABELS, metrics="auc", by=by)


def test_two_slices_of_one_name_are_refused() -> None:
    for other in ("country", "day AS Country"):
        with pytest.raises(MetricError, match=r"another slice is called '[cC]ountry' too"):
            evaluation(by=[["lower(country) AS country"], [other]], queries=USERS)
    assert len(evaluation(by=[[WEEK], [WEEK]], queries=USERS).rows) == 3


def test_a_name_of_a_column_of_the_results_is_refused() -> None:
    with pytest.raises(InputError, match="by: 'n' is also a column of the results"):
        evaluation(by="lower(country) AS n", queries=USERS)


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(InputError, match=r"by: no table has a column 'nope'; found query_id, Day, country"):
        evaluation(by="lower(nope) || country AS x", queries=USERS)
    with pytest.raises(InputError, match=r"by: .* has no column 'nope'; found label"):
        duckmetrics.evaluate(LABELS, metrics="auc", by="lower(nope) AS x")


WORDS = r"by 'x': (.* does not take \(VARCHAR\); cast its|needs more than one row)"


@pytest.mark.engine
@pytest.mark.parametrize("by", ["month(country) AS x", "histogram(country) AS x"])
def test_what_duckdb_does_not_bind_is_an_input_error(by: str) -> None:
    with pytest.raises(InputError, match=WORDS):
        evaluation(by=by, queries=USERS)
    with pytest.raises(InputError, match=WORDS):
        duckmetrics.evaluate(f"SELECT *, 'a' AS country FROM ({LABELS})", metrics="auc", by=by)


def test_a_function_that_is_unknown_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"by 'x': no function 'nope'; did you mean"):
        evaluation(by="nope(country) AS x", queries=USERS)


@pytest.mark.slow
def test_a_column_may_hold_the_word_in_its_name() -> None:
    users = f'SELECT query_id, country AS "known as is", country AS basis FROM ({USERS})'
    assert evaluation(by='"known as is" AS k', queries=users).by == ("k",)
    assert evaluation(by="basis", queries=users).by == ("basis",)
