"""Messages about rankings that cannot be evaluated: where, what, and what to do next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics import InputError
from support.bad_rankings import TABLES
from support.little import evaluation, little

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.little import Connection

pytestmark = pytest.mark.engine

FORM = re.compile(r".+: .+; .+")
Case = tuple[str | None, str | None, dict[str, Any], str]
CASES: dict[str, Case] = {
    "missing column": (
        "no_item", "truth", {},
        "no_item: no column 'query_id'; found query, doc, score; map it with columns={'query_id': ...} "
        "(on the command line --column query_id=...)"),
    "missing item": (
        "no_item", "truth", {"columns": {"predictions.query_id": "query"}},
        "no_item: no column 'item_id'; found query, doc, score; map it with columns={'item_id': ...} (on "
        "the command line --column item_id=...)"),
    "missing score": (
        "no_score", "truth", {},
        "no_score: no column 'score'; found query_id, item_id; map it with columns={'score': ...} (on "
        "the command line --column score=...)"),
    "missing label": (
        "predictions", None, {},
        "predictions: no truth table, which rr needs, and no column 'label'; found query_id, item_id, score; "
        "give a truth table (--truth), or map columns={'label': ...} (--column label=...)"),
    "missing system": (
        "predictions", "truth", {"system": "model"},
        "predictions: no column 'model' to tell systems apart; found query_id, item_id, score; name one "
        "of them with system= (--system)"),
    "mapped column missing": (
        "predictions", "truth", {"columns": {"predictions.score": "scoer"}},
        "predictions: no column 'scoer' for score; found query_id, item_id, score; did you mean 'score'?"),
    "mapping of no column": (
        "predictions", "truth", {"columns": {"querry_id": "q"}},
        "columns: 'querry_id' is not a canonical column; did you mean 'query_id'?"),
    "score and rank": (
        "ranked", "truth", {},
        "ranked: both 'score' and 'rank' could order the items; say which with columns={'score': ...} or "
        "columns={'rank': ...}"),
    "no such table": (
        "runs", "truth", {},
        "runs: no such table, view or file; check the name, or pass connection= (on the command line "
        "--database) if it lives in a database"),
    "no such file": (
        "runs.parquet", "truth", {},
        "runs.parquet: no such file; check the path"),
    "no predictions": (
        None, "truth", {},
        "predictions: none given; name a table, or map systems to tables"),
    "empty table": (
        "no_rows", "truth", {},
        "no_rows: no rows; check how it was exported"),
    "not one query": (
        "SELECT 1; SELECT 2", "truth", {},
        "sql:SELECT 1; SELECT 2: not one SELECT; give a single query"),
    "ids of FLOAT": (
        "float_ids", "truth", {},
        "float_ids: column 'query_id' is FLOAT, not an id: such numbers are not exact keys; cast "
        'it, as in "SELECT * REPLACE (CAST(query_id AS BIGINT) AS query_id) FROM ..."'),
    "ids of DOUBLE": (
        "double_items", "truth", {},
        "double_items: column 'item_id' is DOUBLE, not an id: such numbers are not exact keys; "
        'cast it, as in "SELECT * REPLACE (CAST(item_id AS BIGINT) AS item_id) FROM ..."'),
    "ids of DECIMAL": (
        "decimal_ids", "truth", {},
        "decimal_ids: column 'query_id' is DECIMAL(5,2), not an id: such numbers are not exact "
        'keys; cast it, as in "SELECT * REPLACE (CAST(query_id AS BIGINT) AS query_id) FROM ..."'),
    "ids of BLOB": (
        "blob_ids", "truth", {},
        "blob_ids: column 'query_id' is BLOB, not an id; if it holds text, read the file with "
        "binary_as_string: \"SELECT * FROM read_parquet('...', binary_as_string = true)\""),
    "nested ids": (
        "list_ids", "truth", {},
        "list_ids: column 'query_id' is INTEGER[], not an id; use a number, text, UUID, date, timestamp "
        "or boolean"),
    "ids of two kinds": (
        "number_ids", "text_truth", {},
        "query_id: number_ids has query_id of type INTEGER, text_truth has query_id of type VARCHAR; "
        'make them one kind, as in "SELECT * REPLACE (CAST(query_id AS VARCHAR) AS query_id) FROM ..."'),
    "keys of two lengths": (
        "predictions", "truth", {"columns": {"query_id": "query_id+item_id", "truth.query_id": "query_id"}},
        "query_id: predictions has the key query_id+item_id, truth has query_id; map the same number of "
        "columns with columns={...}"),
    "NULL query": (
        "null_query", "truth", {},
        "null_query: column 'query_id': 1 row with no query_id (item_id=a); drop or correct these rows"),
    "NULL item": (
        "null_item", "truth", {},
        "null_item: column 'item_id': 2 rows with no item_id (query_id=q1; query_id=q2); drop or correct "
        "these rows"),
    "NULL query in the truth": (
        "predictions", "null_judge", {},
        "null_judge: column 'query_id': 1 row with no query_id (item_id=a); drop or correct these rows"),
    "NULL item in the truth": (
        "predictions", "null_judged", {},
        "null_judged: column 'item_id': 1 row with no item_id (query_id=q1); drop or correct these rows"),
    "NULL score": (
        "null_score", "truth", {},
        "null_score: column 'score': 2 rows whose score is NULL (query_id=q1, item_id=c; query_id=q2, "
        "item_id=d); drop these rows or give them the lowest score"),
    "NaN score": (
        "nan_score", "truth", {},
        "nan_score: column 'score': 2 rows whose score is NaN, which would sort before every number "
        "(query_id=q1, item_id=c; query_id=q2, item_id=d); drop these rows or give them the lowest score"),
    "text score": (
        "text_score", "truth", {},
        "text_score: column 'score' is VARCHAR, not a number; cast it, as in \"SELECT * REPLACE "
        '(CAST(score AS DOUBLE) AS score) FROM ..."; '
        'WHERE TRY_CAST(score AS DOUBLE) IS NULL finds what is not a number; if it has decimal commas, as '
        'in "SELECT * REPLACE (CAST(replace(score, ' "',', '.') AS DOUBLE) AS score) FROM ...\""),
    "NULL relevance": (
        "predictions", "null_grade", {},
        "null_grade: column 'relevance': 1 row whose relevance is NULL (query_id=q1, item_id=x); drop "
        "them, or set null_relevance=zero if NULL means nonrelevant"),
    "infinite relevance": (
        "predictions", "infinite_grade", {},
        "infinite_grade: column 'relevance': 1 row whose relevance is NaN or infinite (query_id=q1, "
        "item_id=x, relevance=inf); drop or correct these rows"),
    "negative grades": (
        "predictions", "bad_grades", {},
        "bad_grades: column 'relevance': 5 rows whose relevance is negative (query_id=q1, item_id=x, "
        "relevance=-1.0; query_id=q2, item_id=x, relevance=-2.0; query_id=q3, item_id=x, "
        "relevance=-3.0); correct them, or set negative_grade=zero if they mean judged and nonrelevant"),
    "text relevance": (
        "predictions", "text_grade", {},
        "text_grade: column 'relevance' is VARCHAR, not a number; cast it, as in \"SELECT * REPLACE "
        '(CAST(relevance AS DOUBLE) AS relevance) FROM ..."; '
        'WHERE TRY_CAST(relevance AS DOUBLE) IS NULL finds what is not a number; if it has decimal commas, '
        'as in "SELECT * REPLACE (CAST(replace(relevance, ' "',', '.') AS DOUBLE) AS relevance) FROM ...\""),
    "duplicate predictions": (
        "twice", "truth", {},
        "twice: column 'item_id': 2 items predicted more than once for a query (query_id=q1, item_id=a; "
        "query_id=q2, item_id=a); drop them, name the column that identifies the run with system=, or "
        "set duplicates=first"),
    "duplicate judgments": (
        "predictions", "judged_twice", {},
        "judged_twice: column 'item_id': 1 item judged more than once for a query (query_id=q1, "
        "item_id=b); drop them, or set duplicates=first to keep the highest grade"),
    "NULL system": (
        "models", "truth", {"system": "model"},
        "models: column 'model': 2 rows with no system (query_id=q1, item_id=a; query_id=q2, item_id=a); "
        "drop these rows or give them a name"),
    "no common query": (
        "strangers", "truth", {},
        "strangers: column 'query_id': 5 queries, none of them in both tables (query_id=xq1, "
        "found_in=predictions; query_id=xq2, found_in=predictions; query_id=q1, found_in=truth; "
        "query_id=q2, found_in=truth; query_id=q3, found_in=truth); check that both tables use the same "
        "ids"),
    "missing queries": (
        "predictions", "truth", {"missing": "error"},
        "predictions: column 'query_id': 1 query of the population with no predictions (query_id=q3); "
        "predict them, or set missing=zero or missing=skip"),
    "by of no column": (
        "predictions", "truth", {"by": "country"},
        "by: no table has a column 'country'; found query_id, item_id, relevance, score; give the "
        "attributes of the queries with queries= (--queries)"),
    "by of a reserved name": (
        "predictions", "truth", {"by": "value"},
        "by: 'value' is also a column of the results; give it another name: by='value AS "
        "my_value' (--by 'value AS my_value')"),
    "by that varies": (
        "predictions", "truth", {"by": "item_id"},
        "truth: column 'item_id': differs within 1 queries (q1: b, c); slice rankings by an attribute of "
        "the query, or give one value per query with queries=; if there is a list for each item_id, make it "
        "part of the query with columns={'query_id': 'query_id+item_id'} "
        "(--column query_id=query_id+item_id)"),
    "order of a query": (
        "FROM predictions", "truth", {"ties": "input"},
        "sql:FROM predictions: ties=input needs an order, and a view or query has none; map a column "
        "with columns={'position': ...}"),
    "grade above the scale": (
        "predictions", "truth", {"metric": "err(max_grade=1)"},
        "truth: column 'relevance': 1 row outside of what err(max_grade=1) needs, relevance <= 1 "
        "(query_id=q1, item_id=c, relevance=2.0); correct them or change the parameter"),
    "two names for systems": (
        "predictions", "truth", {"system": {"A": "predictions"}},
        "system: maps systems to tables, and predictions are given too; leave predictions out (None)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with little() as connection:
        for name, query in TABLES.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        yield connection


@pytest.mark.some(3)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_data_is_named_with_what_to_do_next(connection: Connection, case: Case) -> None:
    predictions, truth, options, message = case
    with pytest.raises(InputError) as caught:
        evaluation(predictions, truth, connection=connection, **options)
    assert str(caught.value) == message
    assert FORM.fullmatch(message)


def test_several_errors_are_told_at_once(connection: Connection) -> None:
    with pytest.raises(InputError) as caught:
        evaluation("null_score", "null_grade", connection=connection)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == ["null_grade", "null_score"]


def test_no_item_in_common_is_a_warning_with_three_ids_of_each_side(connection: Connection) -> None:
    predictions = "SELECT 'q1' AS query_id, unnest(['1', '2', '3', '4']) AS item_id, 1 AS score"
    result = evaluation(predictions, "truth", connection=connection)
    (warning,) = [finding for finding in result.checks if finding.check == "no_common_item"]
    assert (result["rr"], warning.severity, warning.table[:4], warning.column) == (
        0,
        "warning",
        "sql:",
        "item_id",
    )
    assert warning.examples == (
        "item_id=1, found_in=predictions", "item_id=2, found_in=predictions",
        "item_id=3, found_in=predictions", "item_id=a, found_in=truth", "item_id=b, found_in=truth",
        "item_id=c, found_in=truth")  # fmt: skip
    assert "so every value is 0" in warning.message
    assert warning.message.endswith("; check that both tables use the same ids")
