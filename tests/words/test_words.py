"""Names, numbers, units and directions as parts of sentences."""

from __future__ import annotations

import pytest

from duckmetrics.words.lists import counted, joined, named, ordinal, spanned
from duckmetrics.words.units import cluster_units, plural, sized
from duckmetrics.words.verdict import direction, meaning_of_difference, toward, toward_with_distances
from duckmetrics.words.verdicts import BETTER, DIFFERENT, UNCLEAR, WORSE


def test_names_are_listed_or_counted() -> None:
    assert [joined(list("abc")[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert joined(["a", "b"], "or") == "a or b"
    assert named(list("abc"), "systems") == "a, b and c"
    assert named(list("abcd"), "systems") == "4 systems"


def test_numbers_have_their_noun() -> None:
    assert [counted(n, "row") for n in (0, 1, 1234)] == ["0 rows", "1 row", "1,234 rows"]
    assert counted(2, "query", "queries") == "2 queries"
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "112th",
    ]  # fmt: skip
    assert [spanned(n) for n in ([], [7, 7], [9, 1000])] == ["0", "7", "9 to 1,000"]


@pytest.mark.parametrize(
    ("column", "units"),
    [("user_id", "users"), ("company_id", "companies"), ("day_id", "days"), ("sales_id", "sales"),
     ("ad_group_id", "ad groups"), ("shop", "clusters of shop"), ("my user_id", "clusters of my user_id")],
)  # fmt: skip
def test_units_are_named_after_their_column(column: str, units: str) -> None:
    assert cluster_units(column) == units
    assert plural(column) == ("" if units.startswith("clusters") else units)


def test_a_value_without_units_counts_its_rows() -> None:
    assert sized(5, "users", 1200, "rows") == "5 users"
    assert sized(None, "users", 1200, "rows") == "1,200 rows"


@pytest.mark.parametrize(
    ("before", "after", "verdict", "words"),
    [
        (1.4, 1.1, BETTER, "nearer to 1"), (1.1, 1.4, WORSE, "farther from 1"),
        (1.4, 1.1, UNCLEAR, "aims at 1"), (None, 1.1, DIFFERENT, "aims at 1"),
        (1.5, 0.5, DIFFERENT, "aims at 1"),
    ],
)  # fmt: skip
def test_whether_a_value_is_nearer_to_its_target(
    before: float | None, after: float, verdict: str, words: str
) -> None:
    assert toward(1.0, before, after, verdict) == words


def test_distances_stand_next_to_it() -> None:
    told = toward_with_distances(1.0, 1.4, 0.9, BETTER, "{:.1f}".format)
    assert told == "nearer to 1: 0.4 off, now 0.1"


def test_a_difference_without_a_direction_has_a_meaning() -> None:
    assert meaning_of_difference(None, 1.0, 2.0) == "no direction is better"
    assert meaning_of_difference(1.0, 0.5, 1.2) == "on the other side of 1"
    assert meaning_of_difference(1.0, 1.5, 1.2) == "no test shows which value is nearer to 1"


def test_directions() -> None:
    assert direction("lower", None) == "lower is better"
    assert direction("target", 0.5) == "best at 0.5"
    assert direction(None, None) == "no direction is better"
