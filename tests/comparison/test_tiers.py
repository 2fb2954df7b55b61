"""Compact letters: two systems share one if and only if no test distinguishes them, for any set of pairs."""

from __future__ import annotations

import string
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duckmetrics.comparison.contest import tiers
from duckmetrics.results.tabular import letter_of

Pair = tuple[int, int]


def shared(groups: list[list[int]]) -> set[Pair]:
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_the_property_holds_for_every_set_of_pairs(count: int) -> None:
    """All 64 ways in which the pairs of four systems can differ, also those that are not transitive."""
    systems = list(range(count))
    pairs = list(combinations(systems, 2))
    for size in range(len(pairs) + 1):
        for differing in combinations(pairs, size):
            groups = tiers(systems, differing)
            assert shared(groups) == set(pairs) - set(differing)
            assert {system for group in groups for system in group} == set(systems)
            assert groups == sorted(groups)


@given(st.integers(5, 18).flatmap(lambda n: st.tuples(
    st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2))))
)))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_property_holds_for_many_systems(case: tuple[int, set[Pair]]) -> None:
    count, differing = case
    groups = tiers(range(count), sorted(differing))
    assert shared(groups) == set(combinations(range(count), 2)) - differing
    assert {system for group in groups for system in group} == set(range(count))
    # No group could be left out, so that there is no letter too many.
    for group in groups:
        rest = [other for other in groups if other != group]
        alone = {system for other in rest for system in other} < set(range(count))
        assert alone or shared(rest) < shared(groups)


def test_letters_do_not_depend_on_the_order_of_the_pairs() -> None:
    differing = [(0, 3), (0, 4), (1, 4)]
    assert tiers(range(5), differing) == tiers(range(5), differing[::-1]) == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]


def test_cases_that_are_not_transitive() -> None:
    # b is like a and like c, and a and c differ.
    assert tiers("abc", [("a", "c")]) == [["a", "b"], ["b", "c"]]
    # The best is like both others, which differ.
    assert tiers("abc", [("b", "c")]) == [["a", "b"], ["a", "c"]]
    assert tiers("abc", []) == [["a", "b", "c"]]
    assert tiers("abc", list(combinations("abc", 2))) == [["a"], ["b"], ["c"]]


def test_there_are_never_more_groups_than_pairs() -> None:
    """The number of all maximal groups would be 2^15 here."""
    groups = tiers(range(30), [(i, i + 1) for i in range(0, 30, 2)])
    assert len(groups) < 30 * 29 / 2
    assert shared(groups) == set(combinations(range(30), 2)) - {(i, i + 1) for i in range(0, 30, 2)}


def test_letters_go_on_after_z() -> None:
    letters = [letter_of(place) for place in range(60)]
    assert letters[:25] == [mark for mark in string.ascii_lowercase if mark != "q"]
    assert (letters[25], letters[59], len(set(letters))) == ("a2", "j3", 60)
