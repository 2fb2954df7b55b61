"""Slices that no table has a column for: the history of the user, and how popular the relevant items are."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import InputError
from support.little import RR, evaluation, little

if TYPE_CHECKING:
    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine

# a has 9 interactions, b 2 and c 1: a and b are the head, with at least 80 % of the 12.
HISTORY = """SELECT * FROM (VALUES ('q1', 'a'), ('q1', 'c'), ('q2', 'b'), ('q2', 'b'), ('q9', 'a'))
    AS h(query_id, item_id) UNION ALL SELECT 'q2', 'a' FROM range(7)"""
USERS = """SELECT * FROM (VALUES ('q1', 'DE'), ('q2', 'FR'), ('q3', 'DE')) AS u(query_id, country)"""
# The values of `little`: q1 1/2, q2 1, and nobody answered q3.
LENGTHS = {"1 to 9": (3 / 4, 2), "0": (0.0, 1)}
POPULARITY = {"mixed": (1 / 2, 1), "head": (1.0, 1), "tail": (0.0, 1)}


def slices(result: Evaluation, *columns: str) -> dict[Any, tuple[Any, int]]:
    found = {}
    for row in result.rows:
        if row["slice"] == ",".join(columns):
            found[tuple(row[c] for c in columns)] = row["value"], row["n"]
    return {key[0] if len(key) == 1 else key: value for key, value in found.items()}


def test_users_are_sliced_by_the_number_of_their_interactions() -> None:
    result = evaluation(by="history_length", history=HISTORY)
    assert slices(result, "history_length") == LENGTHS
    assert result["rr"] == RR
    assert not [finding for finding in result.checks if finding.check == "null_slice"]


def test_queries_are_sliced_by_the_popularity_of_their_relevant_items() -> None:
    assert slices(evaluation(by="truth_popularity", history=HISTORY), "truth_popularity") == POPULARITY


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("n", "slice_"), [(9, "1 to 9"), (10, "10 to 99"), (99, "10 to 99"), (100, "100 or more")]
)
def test_the_bounds_belong_to_the_longer_history(n: int, slice_: str) -> None:
    history = f"SELECT 'q2' AS query_id, 'i' || i AS item_id FROM range({n}) AS _(i)"
    result = evaluation(by="history_length", history=history)
    assert slices(result, "history_length") == {"0": (1 / 4, 2), slice_: (1.0, 1)}


def test_columns_of_tables_and_slices_of_the_history_are_combined() -> None:
    by = [["country"], ["history_length"], ["Country", "truth_popularity"]]
    result = evaluation(by=by, queries=USERS, history=HISTORY)
    assert slices(result, "country") == {"DE": (1 / 4, 2), "FR": (1.0, 1)}
    assert slices(result, "history_length") == LENGTHS
    assert slices(result, "country", "truth_popularity") == {
        ("DE", "mixed"): (1 / 2, 1), ("FR", "head"): (1.0, 1), ("DE", "tail"): (0.0, 1),
    }  # fmt: skip


@pytest.mark.slow
def test_an_attribute_that_some_queries_lack_is_still_null() -> None:
    users = f"SELECT * FROM ({USERS}) WHERE query_id <> 'q3'"
    result = evaluation(by=["country", "history_length"], queries=users, history=HISTORY)
    assert slices(result, "country", "history_length")[None, "0"] == (0.0, 1)


@pytest.mark.some(0)
@pytest.mark.parametrize("table", ["queries", "truth", "predictions"])
def test_a_column_of_the_user_has_precedence(table: str) -> None:
    own = "SELECT *, 'mine' AS history_length FROM "
    tables: dict[str, Any] = {
        "queries": {"queries": f"{own} ({USERS})"},
        "truth": {"truth": f"{own} truth"},
        "predictions": {"predictions": f"{own} predictions"},
    }[table]
    result = evaluation(by="history_length", history=HISTORY, **tables)
    assert slices(result, "history_length")["mine"][1] == (2 if table == "predictions" else 3)
    renamed = evaluation(by="upper('x') AS history_length", history=HISTORY)
    assert slices(renamed, "history_length")["X"][1] == 3


@pytest.mark.slow
def test_without_a_history_the_error_names_it() -> None:
    with pytest.raises(InputError, match=r"a column 'history_length'.*with history= \(--history\)"):
        evaluation(by="history_length")
    with pytest.raises(InputError, match=r"truth_popularity.*--history.*truth_popularity comes from them"):
        evaluation(by=["country", "truth_popularity"], queries=USERS)
    with pytest.raises(InputError, match=r"no table has a column 'city'.*--queries"):
        evaluation(by=["city", "truth_popularity"], queries=USERS, history=HISTORY)
    with pytest.raises(InputError, match=r"'truth_popularity' needs the relevant items; .*--truth"):
        duckmetrics.evaluate(
            {"q1": {"a": 1}}, metrics="arp", history="SELECT 'q1' AS query_id, 'a' AS item_id",
            by="truth_popularity",
        )  # fmt: skip


@pytest.mark.slow
def test_queries_without_a_relevant_item_are_a_slice_of_their_own() -> None:
    truth = "SELECT query_id, item_id, if(query_id = 'q2', 0, relevance) AS relevance FROM truth"
    result = evaluation("predictions", truth, by="truth_popularity", history=HISTORY)
    assert slices(result, "truth_popularity")["none"] == (None, 0)


@pytest.mark.slow
def test_an_empty_list_is_an_answer_of_a_known_query() -> None:
    lists = "SELECT unnest(['q1', 'q4']) AS query_id, unnest([['a'], []]) AS items"
    result = duckmetrics.evaluate(lists, metrics="arp", history=HISTORY, by="history_length")
    assert {row["history_length"] for row in result.rows if row["slice"]} == {"0", "1 to 9"}


@pytest.mark.slow
def test_metrics_of_systems_and_comparisons_have_these_slices() -> None:
    sides = {"history": HISTORY, "by": "history_length"}
    coverage = evaluation(metric="coverage", **sides)
    # q1 has a, b and c, and q2 has a and d, which the history does not have; nobody answered q3.
    assert slices(coverage, "history_length")["1 to 9"] == (1.0, 2)
    runs = {"A": "predictions", "B": "SELECT * REPLACE (-score AS score) FROM predictions"}
    compared = duckmetrics.compare(runs, "truth", "rr", baseline="A", connection=little(), **sides)
    found = {row["history_length"]: (row["value"], row["n"]) for row in compared.rows if row["slice"]}
    assert found == LENGTHS


# --- a plain count ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_slices_are_those_of_a_plain_count(seed: int) -> None:
    random = Random(seed)
    users, items = range(40), range(30)
    history = [
        (user, item) for user in users for item in items
        for _ in range(random.choice([0, 0, 0, 1, 1 + user // 2])) if item < 25 and user % 9
    ]  # fmt: skip
    truth = [(user, item, random.choice([0, 0, 1, 2])) for user in users for item in random.sample(items, 2)]
    predictions = [(user, item, random.random()) for user in users for item in random.sample(items, 5)]
    tables = [
        "SELECT * FROM (VALUES " + ", ".join(map(str, rows)) + f") AS t({columns})"
        for rows, columns in (
            (predictions, "query_id, item_id, score"),
            (truth, "query_id, item_id, relevance"),
            (history, "query_id, item_id"),
        )
    ]
    result = duckmetrics.evaluate(
        *tables[:2], "arp", history=tables[2], by=[["history_length"], ["truth_popularity"]]
    )
    lengths = Counter(_length(Counter(user for user, _ in history)[user]) for user in users)
    popularity = Counter(_popularity(truth, _head(history)).get(user, "none") for user in users)
    assert {key: n for key, (_, n) in slices(result, "history_length").items()} == lengths
    assert {key: n for key, (_, n) in slices(result, "truth_popularity").items()} == popularity
    assert len(popularity) == 4


def _length(n: int) -> str:
    return "0" if n == 0 else "1 to 9" if n < 10 else "10 to 99" if n < 100 else "100 or more"


def _head(history: list[tuple[int, int]]) -> set[int]:
    """Return the fewest most popular items with 80 % of the interactions."""
    counts = Counter(item for _, item in history)
    head: set[int] = set()
    for item in sorted(counts, key=lambda item: (-counts[item], item)):
        if 5 * sum(counts[known] for known in head) >= 4 * len(history):
            break
        head.add(item)
    return head


def _popularity(truth: list[tuple[int, int, int]], head: set[int]) -> dict[int, str]:
    relevant = defaultdict(list)
    for user, item, grade in truth:
        if grade > 0:
            relevant[user].append(item in head)
    return {
        user: "head" if all(found) else "mixed" if any(found) else "tail" for user, found in relevant.items()
    }
