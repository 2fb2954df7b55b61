"""Columns of any name, and the accepted forms of a row: lists, labels, ranks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from duckmetrics import InputError
from support.little import DCG, PREDICTIONS, RR, TRUTH, UNGRADED_DCG, evaluation, little, overall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.little import Connection

RENAMED = "SELECT query_id AS user, item_id AS sku, score AS estimate FROM predictions"
RENAMED_TRUTH = "SELECT query_id AS customer, item_id AS sku, relevance AS stars FROM truth"
ODD = ["a b", 'a"b', "a'b", "ünï", "日本", '"; DROP TABLE predictions; --', "select", "$k", "?", "a.b", "*",
       "{x}", "%s", "1", "a\nb", "/", "table:x"]  # fmt: skip


@pytest.fixture
def connection() -> Iterator[Connection]:
    with little() as connection:
        yield connection


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- mapping ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_columns_are_mapped_for_all_tables_or_for_one() -> None:
    columns = {"predictions.query_id": "user", "truth.query_id": "customer", "item_id": "sku",
               "score": "estimate", "relevance": "stars"}  # fmt: skip
    assert overall(RENAMED, RENAMED_TRUTH, columns=columns) == pytest.approx(DCG)
    columns["query_id"] = columns.pop("predictions.query_id")
    assert overall(RENAMED, RENAMED_TRUTH, columns=columns) == pytest.approx(DCG)


def test_a_table_without_the_mapped_column_keeps_the_canonical_one() -> None:
    columns = {"query_id": "user", "item_id": "sku", "score": "estimate"}
    assert overall(RENAMED, "truth", columns=columns) == pytest.approx(DCG)


@pytest.mark.parametrize("column", ["query_id", "item_id", "score", "relevance", "rank", "predictions.score"])
def test_a_mapping_to_a_column_that_no_table_has_is_refused(column: str) -> None:
    with pytest.raises(InputError, match="'scoer'"):
        overall("predictions", columns={column: "scoer"})


@pytest.mark.parametrize(
    ("table", "metric", "query", "message"),
    [
        ("history", "arp@10", "SELECT 1 AS x",
         "no column 'query_id'; found x; map it with columns={'history.query_id': ...} (on the command line "
         "--column history.query_id=...)"),
        ("items", "coverage@10", "SELECT 1 AS x",
         "no column 'item_id'; found x; map it with columns={'items.item_id': ...} (on the command line "
         "--column items.item_id=...)"),
        ("reference", "overlap@10", "SELECT query_id, item_id, 1 AS relevance FROM truth",
         "no column 'score'; found query_id, item_id, relevance; map it with "
         "columns={'reference.score': ...} "
         "(on the command line --column reference.score=...), or a rank with columns={'reference.rank': ...} "
         "(--column reference.rank=...)"),
        ("reference", "overlap@10", "SELECT *, 1 AS rank FROM predictions",
         "both 'score' and 'rank' could order the items; say which with columns={'reference.score': ...} or "
         "columns={'reference.rank': ...}"),
    ],
)  # fmt: skip
def test_advice_on_a_column_names_the_table(table: str, metric: str, query: str, message: str) -> None:
    with pytest.raises(InputError, match=f"{re.escape(message)}$"):
        evaluation("predictions", "truth", metric, **{table: query})


@pytest.mark.slow
def test_letter_case_matters_only_between_two_candidates() -> None:
    predictions = 'SELECT query_id AS "Query_ID", item_id AS ITEM_ID, score AS Score FROM predictions'
    assert overall(predictions) == pytest.approx(DCG)


def test_composite_keys_stay_apart_where_a_joined_text_would_not() -> None:
    predictions = "SELECT 'x' AS item_id, 1 AS score, * FROM (VALUES ('a|b', 'c'), ('q', 'r')) AS p(a, b)"
    truth = "SELECT 'x' AS item_id, * FROM (VALUES ('a', 'b|c'), ('q', 'r')) AS t(a, b)"
    result = evaluation(predictions, truth, columns={"query_id": "a+b"})
    (row,) = result.rows
    assert (row["value"], row["n"], row["n_missing"]) == (0.5, 2, 1)
    assert {tuple(r["query_id"].values()) for r in result.per_query.to_pylist()} == {("a", "b|c"), ("q", "r")}


def test_composite_keys_may_have_other_names_and_widths_on_each_side() -> None:
    predictions = "SELECT 'u' AS who, 7::SMALLINT AS day, 1 AS i, 2 AS j, 1 AS score"
    truth = "SELECT 'u' AS customer, 7::BIGINT AS at, 1::BIGINT AS k, 2::UTINYINT AS l"
    columns = {
        "query_id": "who + day",
        "truth.query_id": "customer+at",
        "item_id": "i+j",
        "truth.item_id": "k+l",
    }
    assert overall(predictions, truth, "rr", columns=columns) == 1


def test_a_composite_key_may_contain_the_canonical_column() -> None:
    rows = "SELECT 'u' AS query_id, 'x' AS item_id, unnest([1, 2]) AS day, 1 AS score, day AS relevance"
    (row,) = evaluation(rows, rows, "cg", columns={"query_id": "query_id+day"}).rows
    assert (row["value"], row["n"]) == (1.5, 2)


def test_a_column_whose_name_has_a_plus_is_one_column() -> None:
    predictions = 'SELECT query_id AS "a+b", item_id, score FROM predictions'
    assert overall(predictions, columns={"predictions.query_id": "a+b"}) == pytest.approx(DCG)


@pytest.mark.some(1)
@pytest.mark.parametrize("key", ["query_id", "item_id"])
def test_a_composite_key_with_a_null_part_is_a_null_id(key: str) -> None:
    other = "item_id" if key == "query_id" else "query_id"
    rows = f"SELECT 'x' AS {other}, 'a' AS a, NULL::INTEGER AS b, 1 AS score"
    with pytest.raises(InputError, match="column 'a\\+b'"):
        overall(rows, rows, columns={key: "a+b"})


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ODD)
def test_a_column_name_is_data_never_code(connection: Connection, name: str) -> None:
    predictions = f"SELECT query_id AS {quoted(name)}, item_id, score FROM predictions"
    columns = {"predictions.query_id": name}
    assert overall(predictions, columns=columns, connection=connection) == pytest.approx(DCG)
    predictions = f"SELECT query_id, item_id, score AS {quoted(name)} FROM predictions"
    assert overall(predictions, columns={"score": name}, connection=connection) == pytest.approx(DCG)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ODD)
def test_a_table_name_is_data_never_code(connection: Connection, name: str) -> None:
    connection.execute(f"CREATE TABLE {quoted(name)} AS FROM predictions")
    assert overall(f"table:{quoted(name)}", connection=connection) == pytest.approx(DCG)
    if "." not in name:
        assert overall(f"table:{name}", connection=connection) == pytest.approx(DCG)


def test_schema_and_database_qualify_a_table(connection: Connection) -> None:
    connection.execute("ATTACH ':memory:' AS other; CREATE SCHEMA other.\"my schema\"")
    connection.execute(
        f'CREATE TABLE other."my schema"."my run" AS FROM {PREDICTIONS} WHERE query_id = \'q2\''
    )
    name = 'other."my schema"."my run"'
    assert overall(name, connection=connection) == pytest.approx(1 / 3)


# --- lists, labels, ranks --------------------------------------------------------------------------

LISTS = "SELECT 'q1' AS query_id, ['a', 'b', 'c'] AS items UNION ALL SELECT 'q2', ['a', 'd']"
SCORED = """SELECT 'q1' AS query_id, ['c', 'a', 'b'] AS items, [1.0, 3.0, 2.5] AS scores
    UNION ALL SELECT 'q2', ['d', 'a'], [1.0, 2.0]"""
RELEVANT = """SELECT 'q1' AS query_id, ['b', 'c'] AS relevant UNION ALL SELECT 'q2', ['a']
    UNION ALL SELECT 'q3', ['z']"""


@pytest.mark.some(1)
@pytest.mark.parametrize("predictions", [LISTS, SCORED, "predictions"], ids=["items", "scores", "long"])
@pytest.mark.parametrize("truth", [RELEVANT, "truth"], ids=["relevant", "long"])
def test_lists_are_rows_in_their_order(predictions: str, truth: str) -> None:
    expected = DCG if truth == "truth" else UNGRADED_DCG
    assert overall(predictions, truth) == pytest.approx(expected)


def test_lists_are_mapped_like_other_columns() -> None:
    predictions = LISTS.replace("items", "basket")
    truth = RELEVANT.replace("relevant", "bought")
    columns = {"items": "basket", "relevant": "bought"}
    assert overall(predictions, truth, columns=columns) == pytest.approx(UNGRADED_DCG)


def test_arrays_of_fixed_length_are_lists() -> None:
    predictions = "SELECT 'q1' AS query_id, CAST(['a', 'b', 'c'] AS VARCHAR[3]) AS items"
    assert overall(predictions, RELEVANT, "rr") == pytest.approx(1 / 6)


def test_empty_lists_keep_their_query() -> None:
    truth = f"{RELEVANT} UNION ALL SELECT 'q4', [] UNION ALL SELECT 'q5', NULL"
    (row,) = evaluation(LISTS, truth).rows
    assert (row["value"], row["n"], row["n_missing"], row["n_no_relevant"]) == (RR, 3, 3, 2)
    (row,) = evaluation(f"{LISTS} UNION ALL SELECT 'q3', []", RELEVANT).rows
    # An empty list is an answer: only a query without a row is missing.
    assert (row["value"], row["n"], row["n_missing"]) == (RR, 3, 0)


@pytest.mark.slow
def test_lists_of_ids_are_compared_by_kind() -> None:
    predictions = "SELECT 1 AS query_id, [1::SMALLINT, 2] AS items"
    assert overall(predictions, "SELECT 1 AS query_id, [2::HUGEINT] AS relevant", "rr") == 0.5
    with pytest.raises(InputError, match="has relevant of type VARCHAR; make them one kind"):
        overall(predictions, "SELECT 1 AS query_id, ['2'] AS relevant")


def test_the_scores_of_a_list_are_checked_like_a_column() -> None:
    with pytest.raises(InputError, match="column 'scores' is VARCHAR"):
        overall("SELECT 'q1' AS query_id, ['a', 'b'] AS items, ['10', '9'] AS scores")
    with pytest.raises(InputError, match="column 'scores'"):
        overall("SELECT 'q1' AS query_id, ['a', 'b'] AS items, [1.0] AS scores")


LOGS = """SELECT *, item_id IN ('b', 'c') AS label FROM predictions"""


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "label", ["label::BOOLEAN", "label::INTEGER", "label::DOUBLE", "label::DECIMAL(3, 1)"]
)
def test_one_table_with_labels_is_both_sides(label: str) -> None:
    (row,) = evaluation(f"SELECT * REPLACE ({label} AS label) FROM ({LOGS})", None).rows
    assert (row["value"], row["n"], row["n_missing"], row["n_no_relevant"]) == (0.5, 1, 0, 1)
    (row,) = evaluation(f"SELECT * RENAME (label AS clicked) FROM ({LOGS})", None,
                        columns={"label": "clicked"}).rows  # fmt: skip
    assert row["value"] == 0.5


def test_labels_may_come_with_several_systems() -> None:
    reverse = f"SELECT * REPLACE (-score AS score) FROM ({LOGS})"
    rows = f"SELECT 'A' AS model, * FROM ({LOGS}) UNION ALL SELECT 'B', * FROM ({reverse})"
    result = evaluation(rows, None, system="model")
    assert {row["system"]: row["value"] for row in result.rows} == {"A": 0.5, "B": 1.0}
    result = evaluation({"A": LOGS, "B": reverse}, None)
    assert {row["system"]: row["value"] for row in result.rows} == {"A": 0.5, "B": 1.0}


@pytest.mark.slow
def test_a_rank_counts_as_a_score_that_falls() -> None:
    place = "row_number() OVER (PARTITION BY query_id ORDER BY score DESC)"
    ranked = f"SELECT query_id, item_id, {place} AS rank FROM predictions"
    assert overall(ranked) == pytest.approx(DCG)
    assert overall(ranked.replace("rank", "place"), columns={"rank": "place"}) == pytest.approx(DCG)


@pytest.mark.slow
def test_a_mapping_decides_between_a_score_and_a_rank() -> None:
    place = "row_number() OVER (PARTITION BY query_id ORDER BY score DESC)"
    both = f"SELECT *, {place} AS rank FROM predictions"
    assert overall(both, columns={"score": "score"}) == pytest.approx(DCG)
    assert overall(both, columns={"rank": "rank"}) == pytest.approx(DCG)
    with pytest.raises(InputError, match="both 'score' and 'rank' could order the items"):
        overall(both)


@pytest.mark.some(1)
@pytest.mark.parametrize("type_", ["FLOAT", "DECIMAL(5, 1)", "DOUBLE"])
def test_scores_and_grades_may_be_any_number(type_: str) -> None:
    predictions = f"SELECT * REPLACE (score::{type_} AS score) FROM {PREDICTIONS}"
    assert overall(predictions, f"SELECT * REPLACE (relevance::{type_} AS relevance) FROM {TRUTH}") == (
        pytest.approx(DCG)
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("grade", ["true AS relevance", "NULL AS other"])
def test_boolean_grades_are_one_and_absent_grades_too(grade: str) -> None:
    assert overall("predictions", f"SELECT query_id, item_id, {grade} FROM truth") == pytest.approx(
        UNGRADED_DCG
    )


@pytest.mark.parametrize(
    ("truth", "columns", "warned"),
    [
        ("SELECT * RENAME (relevance AS Rating) FROM truth", {}, ["Rating"]),
        ("SELECT * RENAME (relevance AS rel) FROM truth", {"relevance": "rel"}, []),
        ("SELECT *, 5 AS rating FROM truth", {}, []),
        ("SELECT * EXCLUDE (relevance), relevance > 1 AS clicked FROM truth", {}, ["clicked"]),
        ("SELECT * EXCLUDE (relevance), 'high' AS rating FROM truth", {}, []),
        ("SELECT * EXCLUDE (relevance), 9.5 AS price FROM truth", {}, []),
    ],
)
def test_grades_under_another_name_are_warned_of(
    truth: str, columns: dict[str, str], warned: list[str]
) -> None:
    """Without a column of grades, every item of the truth has grade 1."""
    found = evaluation("predictions", truth, "dcg", columns=columns).checks
    unread = [one for one in found if one.check == "unread_grade"]
    assert [(one.column, one.severity) for one in unread] == [(name, "warning") for name in warned]
    assert all(f"--column relevance={one.column})" in one.advice for one in unread)
