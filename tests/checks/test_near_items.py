"""Item ids that an export damaged for some queries only, so that other queries have the right spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import duckmetrics
from support.duckdb_shell import connected

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

# All queries have 20 items; the truth has six of the ten predicted, with nonrelevant ones among them.
LISTS = """SELECT printf('q%02d', q) AS query_id, printf('i%02d', (q + i) % 20) AS item_id, 100 - i AS score,
    i % 2 AS relevance, q, i FROM range(40) AS _(q), range(10) AS __(i)"""
PREDICTIONS = f"SELECT query_id, {{item}} AS item_id, score FROM ({LISTS})"
TRUTH = f"SELECT query_id, {{item}} AS item_id, relevance FROM ({LISTS}) WHERE i % 5 <> 2"
DAMAGES = ["item_id || ' '", "upper(item_id)", "'0' || item_id", "' ' || item_id", "item_id || '.0'"]
HALF = "if(q % 2 = 0, {damage}, item_id)"


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


@pytest.mark.some(0)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("side", ["predictions", "truth"])
def test_ids_damaged_for_half_of_the_queries_are_found(
    session: duckdb.DuckDBPyConnection, damage: str, side: str
) -> None:
    half = HALF.format(damage=damage)
    predictions = PREDICTIONS.format(item=half if side == "predictions" else "item_id")
    truth = TRUTH.format(item=half if side == "truth" else "item_id")
    found = {f.check: f for f in duckmetrics.check(predictions, truth, "ndcg@10").warnings}
    assert found["near_item_id"].count == 20
    assert "item_id" in found["near_item_id"].column
    assert found["near_item_id"].examples[0].count("=") == 2
    session.execute(f"CREATE OR REPLACE TABLE predictions AS {predictions}")
    session.execute(f"CREATE OR REPLACE TABLE truth AS {truth}")
    told = "SELECT \"count\" FROM inspect('predictions', 'truth') WHERE \"check\" = 'near_item_id'"
    assert session.execute(told).fetchall() == [(20,)]


def test_the_example_is_of_one_query() -> None:
    predictions = PREDICTIONS.format(item="if(q < 20, item_id || ' ', item_id)")
    found = duckmetrics.check(predictions, TRUTH.format(item="item_id"), "ndcg@10").warnings
    (near,) = (f for f in found if f.check == "near_item_id")
    assert near.examples[0] == "in_predictions='i00 ', in_truth=i00"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("predicted", "judged"),
    [
        ("item_id", "item_id"),
        # Ids whose case distinguishes two items: every one is predicted and judged in its own spelling.
        ("if(i % 2 = 0, upper(item_id), item_id)", "if(i % 2 = 0, upper(item_id), item_id)"),
        ("if(q % 2 = 0, upper(item_id), item_id)", "if(q % 2 = 0, upper(item_id), item_id)"),
        # Other items that happen to have similar ids in other queries.
        ("item_id", "if(i < 5, item_id, item_id || 'x')"),
    ],
)
def test_clean_ids_are_left_in_peace(predicted: str, judged: str) -> None:
    found = duckmetrics.check(PREDICTIONS.format(item=predicted), TRUTH.format(item=judged), "ndcg@10")
    assert "near_item_id" in found.performed
    assert "near_item_id" not in {f.check for f in found.rows}


def test_an_item_is_told_once() -> None:
    """One spelling is in one table only; the other spellings are in both."""
    predictions = PREDICTIONS.format(item="if(q % 3 = 0, item_id || ' ', upper(item_id))")
    found = {f.check: f for f in duckmetrics.check(predictions, TRUTH.format(item="item_id"), "ndcg@10").rows}
    assert found["near_item_id"].count == 20


@pytest.mark.slow
def test_numbers_are_not_compared_as_text() -> None:
    predictions = PREDICTIONS.format(item="(q + i) % 20 + if(q % 2 = 0, 100, 0)")
    found = duckmetrics.check(predictions, TRUTH.format(item="(q + i) % 20"), "ndcg@10")
    assert "near_item_id" not in found.performed
