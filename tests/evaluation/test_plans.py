"""Faster ways to the values of queries change no value: codes of ids, stored order, branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics as dm
from duckmetrics.evaluation import ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

pytestmark = pytest.mark.engine

ORDER = ("system", "query_id", "metric")
COLUMNS = ("query_id", "item_id", "score")
SPECS = ("ndcg@2", "map", "mrr", "recall@1", "n_returned")
PREDICTIONS = """
SELECT * FROM (VALUES
    ('b', 'two words', 'i1', 0.5), ('b', 'two words', 'i2', 0.5), ('b', 'ü', 'i3', 0.1),
    ('a', 'two words', 'i2', 0.9), ('a', 'two words', 'i1', 0.1), ('a', 'unjudged', 'i1', 0.1)
) AS rows(system, query_id, item_id, score)"""
TRUTH = """
SELECT * FROM (VALUES
    ('two words', 'i1', 2), ('ü', 'i3', 1), ('ü', 'i4', 3), ('without an answer', 'i1', 1)
) AS rows(query_id, item_id, relevance)"""
POPULATION = "SELECT * FROM (VALUES ('ü'), ('in no other table')) AS rows(query_id)"
QUERIES = """
SELECT * FROM (VALUES ('two words', 'x'), ('ü', 'y'), ('without an answer', 'y')) AS rows(query_id, region)"""
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "slices": {"by": "region", "queries": QUERIES},
    "parts": {"chunks": 3},
    "of predictions": {"population": "predictions"},
    "of a table": {"population": POPULATION},
    "tied": {"ties": "item_desc"},
    "copied": {"duplicates": "first"},
    "with intervals": {"interval": True},
}


def evaluated(**options: Any) -> tuple[list[dict[str, Any]], pa.Table, str]:
    with duckdb.connect() as connection:
        found = dm.evaluate(PREDICTIONS, TRUTH, SPECS, system="system", connection=connection, **options)
        order = [(name, "ascending") for name in ORDER]
        return list(found.rows), found.per_query.sort_by(order), found.sql


@pytest.mark.some(0)
@pytest.mark.parametrize("name", OPTIONS)
def test_codes_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "LARGE", 0)
    rows, per_query, sql = evaluated(**OPTIONS[name])
    assert "codes_of_query_id" in sql
    assert "codes_of_system" in sql
    monkeypatch.setattr(ranking, "LARGE", 1_000)
    plain, values, without = evaluated(**OPTIONS[name])
    assert "codes_of" not in without
    assert rows == plain
    assert per_query == values
    assert {row["system"] for row in rows} == {"a", "b"}


@pytest.mark.parametrize("large", [0, 1000])
def test_users_with_an_empty_list_have_a_code(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in no row of the predictions and in no other table; a system may have no other lists."""
    monkeypatch.setattr(ranking, "LARGE", large)
    rows = "('a', 'u', ['i', 'j']), ('a', 'v', []), ('b', 'u', [])"
    lists = f"SELECT * FROM (VALUES {rows}) AS rows(system, user_id, items)"
    truth = "SELECT 'u' AS user_id, 'j' AS item_id"
    found = dm.evaluate(
        lists, truth, ["recall@2", "n_returned"], system="system", columns={"query_id": "user_id"},
        population="predictions", no_relevant="zero",
    )  # fmt: skip
    assert ("codes_of" in found.sql) == (large == 0)
    values = {(row["system"], row["metric"]): (row["value"], row["n"]) for row in found.rows}
    assert values == {
        ("a", "recall@2"): (0.5, 2), ("a", "n_returned"): (1.0, 2),
        ("b", "recall@2"): (0.0, 2), ("b", "n_returned"): (0.0, 2),
    }  # fmt: skip


UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")


@pytest.mark.some(2)
@pytest.mark.parametrize("type_", UNSIGNED)
@pytest.mark.parametrize("column", ["query_id", "item_id"])
@pytest.mark.parametrize("listed", [True, False])
def test_unsigned_ids(type_: str, column: str, listed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    types = {"query_id": "INTEGER", "item_id": "INTEGER", column: type_}
    rows = f"""SELECT (i // 4)::{types["query_id"]} AS query_id, (i % 4)::{types["item_id"]} AS item_id,
        i * 7 % 11 / 10.0 AS score FROM range(40) AS rows(i)"""
    truth = f"SELECT query_id, item_id FROM ({rows}) WHERE score > 0.5"
    lists = f"SELECT query_id, list(item_id ORDER BY score DESC) AS items FROM ({rows}) GROUP BY query_id"
    found = []
    for large in (0, 1000):
        monkeypatch.setattr(ranking, "LARGE", large)
        found.append(dm.evaluate(lists if listed else rows, truth, ["map", "mrr"]).rows)
    assert found[0] == found[1]


def test_whole_numbers_have_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "LARGE", 0)
    ids = "SELECT 1 AS query_id, 2 AS item_id"
    found = dm.evaluate(f"{ids}, 0.5 AS score", ids, "mrr")
    assert found["mrr"] == 1
    assert "codes_of" not in found.sql


# --- branches ---------------------------------------------------------------------------------------

MANY = """
SELECT
    'q' || number % 7 AS query_id, 'i' || (number // 7) AS item_id,
    round(sin(number * number) * 5) AS score
FROM range(100) AS rows(number)"""
JUDGED = """
SELECT 'q' || number % 8 AS query_id, 'i' || (number * 3 // 8) AS item_id, number % 4 AS relevance
FROM range(40) AS rows(number)"""


def summaries(specs: Sequence[str], **options: Any) -> tuple[list[dict[str, Any]], str]:
    with duckdb.connect() as connection:
        found = dm.evaluate(MANY, JUDGED, specs, connection=connection, **options)
        return list(found.rows), found.sql


@pytest.mark.some(1)
@pytest.mark.parametrize("ties", ["item_asc", "item_desc_text", "pessimistic", "expected"])
@pytest.mark.parametrize("depth", ["", "@40"])
def test_codes_and_branches_change_nothing(ties: str, depth: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("ndcg", "dcg(gain=exp2)", "map", "mrr", "rbp")
    specs = [f"{name}{depth}" for name in names]
    monkeypatch.setattr(ranking, "LARGE", 0)
    rows, sql = summaries(specs, ties=ties)
    # With ties=expected, the relation has three branches; that of rbp, which knows no such ties, has two.
    assert f"per_query_of_relevant{'_2' if ties == 'expected' else ''}_part_2" in sql
    monkeypatch.setattr(ranking, "LARGE", 1_000)
    monkeypatch.setattr(ranking, "by_branch", lambda query: query)
    plain, without = summaries(specs, ties=ties)
    assert "_part_2" not in without
    assert rows == plain


# --- queries with the same grades -----------------------------------------------------------------

# Equal scores, scores that are equal to many digits, and queries of very different length.
NEAR = """
SELECT
    '{system}' AS system, CAST(number * number % 11 - 5 AS {type}) AS query_id, number AS item_id,
    CASE WHEN number % 3 = 0 THEN 0.25 ELSE 0.1 + number % 5 * 1e-17 + number // 50 * {step} END AS score
FROM range(300) AS rows(number)"""
GRADED = """
SELECT number % 17 AS query_id, number AS item_id, {grade} AS relevance
FROM range(400) AS rows(number) WHERE number % 17 <> 3"""
GRADES = {
    "binary": ("number % 2", True),
    "few": ("number * 7 % 5 / 2.0 - 0.5", True),
    "one": ("1", True),
    "none": ("0", False),
    "many": ("number % 9 + 1", False),
}


@pytest.mark.some(0)
@pytest.mark.parametrize("grades", GRADES)
def test_queries_with_the_same_grades_share_their_ideal_order(
    grades: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = ["ndcg@5", "ndcg", "map", "r_precision", "dcg(gain=exp2)"]
    grade, is_shared = GRADES[grades]
    runs = {name: NEAR.format(system=name, type="INT", step="1e-3") for name in ("a", "b")}
    runs["b"] = runs["b"].replace("number % 3", "number % 7")
    for one in (runs, runs["a"]):
        found = []
        for large in (0, 10**9):
            monkeypatch.setattr(ranking, "LARGE", large)
            options = {"negative_grade": "zero"}
            result = dm.evaluate(one, GRADED.format(grade=grade), metrics, **options)
            assert ("same_as" in result.sql) == (is_shared and large == 0)
            found.append((result.rows, result.per_query.sort_by([(n, "ascending") for n in ORDER])))
        assert found[0] == found[1]
