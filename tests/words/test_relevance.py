"""Queries without a relevant item are named with their number and their convention."""

from __future__ import annotations

from typing import Any

import pytest

import duckmetrics
from duckmetrics.words.units import no_relevant_of, no_relevant_sentence
from support.made import evaluation, value
from support.reports import Page


def row(metric: str = "mrr", n: int = 7, n_no_relevant: int = 3, **switches: str) -> dict[str, Any]:
    """Return a row of an evaluation of 10 queries."""
    named = {"missing": "zero", "no_relevant": "null", **switches}
    signature = "|".join([metric, *(f"{name}:{choice}" for name, choice in named.items()), "v:0"])
    return {
        **value("A", metric, 0.5, n=n), "n_missing": 1, "n_no_relevant": n_no_relevant,
        "signature": signature,
    }  # fmt: skip


def told(*rows: dict[str, Any]) -> list[str]:
    return [no_relevant_sentence(fact) for fact in no_relevant_of(rows)]


@pytest.mark.parametrize(
    ("given", "start", "how"),
    [
        (row(), "3 of 10 queries have", "do not count (no_relevant=null)"),
        (row(n=10, no_relevant="zero"), "3 of 10 queries have", "count as 0 (no_relevant=zero)"),
        (row(n=10, no_relevant="one"), "3 of 10 queries have", "count as 1 (no_relevant=one)"),
        (row(n=9, n_no_relevant=1), "1 of 10 queries has", "does not count (no_relevant=null)"),
        # Without the queries that are skipped, the counts do not add up to the population.
        (row(n=6, missing="skip"), "3 queries have", "do not count (no_relevant=null)"),
    ],
)
def test_the_sentence_has_the_number_and_the_convention(given: dict[str, Any], start: str, how: str) -> None:
    assert told(given) == [f"{start} no relevant item and {how}"]


def test_nothing_is_said_without_such_queries() -> None:
    assert told(row(n_no_relevant=0)) == []
    assert told(row(no_relevant="keep")) == []
    assert told({**row(), "slice": "country"}) == []


def test_metrics_of_which_it_does_not_hold_are_left_out() -> None:
    rows = [row(), row("map"), row("n_returned", n=10, no_relevant="keep")]
    assert told(*rows) == [
        "3 of 10 queries have no relevant item and do not count for mrr and map (no_relevant=null)"
    ]
    assert told(row(), {**row(n=8, n_no_relevant=2), "system": "B"}) == [
        "3 of 10 queries have no relevant item and do not count for A (no_relevant=null)",
        "2 of 10 queries have no relevant item and do not count for B (no_relevant=null)",
    ]


def test_the_screen_has_the_sentence_below_the_table() -> None:
    expected = "3 of 10 queries have no relevant item and do not count (no_relevant=null)"
    assert evaluation([row()]).lines(width=100)[-2:] == ["", expected]
    assert expected in evaluation([row(), {**row(), "system": "B"}]).lines(width=100)
    assert expected in evaluation([row()]).shown().notes


@pytest.mark.slow
def test_the_page_has_the_sentence_in_the_part_about_the_data() -> None:
    truth = "SELECT i AS user_id, 1 AS item_id, if(i < 2, 0, 1) AS relevance FROM range(9) AS t(i)"
    runs = {name: f"SELECT i AS user_id, 1 AS item_id, {score} AS score FROM range(9) AS t(i)"
            for name, score in (("A", "i"), ("B", "-i"))}  # fmt: skip
    columns = {"query_id": "user_id"}
    result = duckmetrics.compare(runs, truth, ["mrr", "n_returned"], columns=columns)
    page = Page(result.report().html)
    assert "2 of 9 users have no relevant item and do not count for mrr (no_relevant=null)." in page.shown
    assert page.numbers["no_relevant"] == [
        {"n": 2, "of": 9, "policy": "null", "metrics": ["mrr"], "systems": []}
    ]
