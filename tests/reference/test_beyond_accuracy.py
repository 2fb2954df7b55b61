"""The metrics beyond accuracy in plain Python: values that the peers publish, and values by hand."""

from __future__ import annotations

import inspect
import math
import re
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.reference import Query, Row, Status, categories, per_query, popularity, propensity, status
from duckmetrics.reference import versions as between
from duckmetrics.reference.history import History
from duckmetrics.reference.policies import BEYOND_ACCURACY, OF_LISTS
from support.loops import each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXACT = 1e-12
MODULES = (popularity, propensity, categories, between)
Lists = dict[Any, list[Any]]


def measure(name: str, query: Query, *tables: Any, **params: Any) -> float | None:
    value: float | None = BEYOND_ACCURACY[name](query, *tables, **params)
    return value


def listed(items: Sequence[Any], relevant: Sequence[Any] = (), query_id: Any = None) -> Query:
    """Return the items as a list, best first; other items than the relevant ones are not judged."""
    grades = dict.fromkeys(relevant, 1.0)
    rows = [Row(item, -rank, grades.get(item)) for rank, item in enumerate(items, start=1)]
    return Query(rows, grades, query_id)


def rows_of(lists: Lists) -> list[tuple[str, Any, Any, float]]:
    return [("", query, item, -float(i)) for query, items in lists.items() for i, item in enumerate(items)]


def values(name: str, lists: Lists, relevant: Lists | None = None, **params: Any) -> list[float | None]:
    """Return the values of all queries, in the order of the lists."""
    truth = None if relevant is None else [(q, item, 1.0) for q, items in relevant.items() for item in items]
    found = per_query(name, rows_of(lists), truth, **params)
    return [found["", query] for query in lists]


def same(value: float | None, expected: float | None, tolerance: float = EXACT) -> bool:
    if value is None or expected is None:
        return value is expected
    return math.isclose(value, expected, rel_tol=0, abs_tol=tolerance)


def of_users(lists: Mapping[Any, Sequence[Any]]) -> list[tuple[Any, Any]]:
    return [(user, item) for user, items in lists.items() for item in items]


# --- published by the peers ----------------------------------------------------------------------

# recommenders, tests/unit/recommenders/evaluation/conftest.py
MICROSOFT = {
    "lists": {1: [3, 5], 2: [2, 5], 3: [1, 2]},
    "history": of_users({1: [1, 2, 4], 2: [3, 4], 3: [3, 4, 5]}),
    "vectors": {1: [0, 1, 1, 0, 0], 2: [0, 1, 0, 1, 0], 3: [0, 0, 1, 1, 0], 4: [0, 0, 1, 0, 1],
                5: [0, 0, 0, 1, 1]},
}  # fmt: skip
# The users of an item as its vector: the cosine of two is their co-occurrence.
CO_OCCURRENCE = {
    item: [float((user, item) in MICROSOFT["history"]) for user in (1, 2, 3)]  # type: ignore[operator]
    for item in range(1, 6)
}
# RecTools, docstrings of rectools/metrics
MIUF_LISTS, MIUF_HISTORY = {1: [3], 2: [2, 3], 3: [1, 2]}, of_users({1: [1, 2], 2: [1], 3: [1]})
ARP_LISTS, ARP_HISTORY = {1: [1, 2], 2: [3, 1, 2], 3: [3, 2]}, of_users({1: [1, 2], 2: [1, 3], 3: [1, 2]})
SERENDIPITY = {
    "lists": {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i3"], "u4": ["i2", "i3"]},
    "relevant": {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i2"], "u4": ["i2"]},
    "history": of_users({"u1": ["i1", "i2"], "u2": ["i1", "i2"], "u3": ["i1"]}),
    "catalog": ("i1", "i2", "i3", "i4"),
}
ILD_LISTS, ILD_CATEGORIES = {1: [1, 2, 3], 2: [1, 4]}, {2: {"b"}, 3: {"a", "b"}}
# RePlay, docstrings of replay/metrics
REPLAY_LISTS: Lists = {1: [3, 7, 10, 11, 2], 2: [5, 8, 11, 1, 3], 3: [4, 9, 2]}
REPLAY_HISTORY = of_users({1: [5, 6, 8, 9, 2], 2: [5, 8, 11, 1, 3], 3: [4, 9, 2]})
REPLAY_BASE = [(1, 3, 0.5), (1, 7, 0.5), (1, 2, 0.7), (2, 5, 0.6), (2, 8, 0.6), (2, 3, 0.3), (3, 4, 1.0),
               (3, 9, 0.5)]  # fmt: skip
REPLAY_CATEGORIES = {item: {str(item)} for items in REPLAY_LISTS.values() for item in items}
# evidently, tests/metrics/recsys/test_diversity.py
EVIDENTLY_LISTS = {1: ["0a", "1a", "5a", "6a"], 2: ["0a", "1a", "5a", "6a"], 3: ["0a", "4a", "6a", "10a"]}
EVIDENTLY_VECTORS = {"0a": (1, 0), "1a": (1, 0.1), "5a": (1, 1), "6a": (-0.1, 0.9), "4a": (1, 0.9),
                     "10a": (-1, -1)}  # fmt: skip

PUBLISHED: list[tuple[str, Any, dict[str, Any], list[float | None]]] = [
    ("self_information", {item: [item] for item in range(1, 6)},
     {"history": MICROSOFT["history"], "popularity": "interactions"}, [3, 3, 2, 1.41503749927884, 3]),
    ("intra_list_distance", MICROSOFT["lists"], {"vectors": MICROSOFT["vectors"]}, [0.5, 0.5, 0.5]),
    ("intra_list_distance", MICROSOFT["lists"], {"vectors": CO_OCCURRENCE}, [0.29289321881345, 1, 0]),
    ("intra_list_similarity", MICROSOFT["lists"], {"vectors": CO_OCCURRENCE}, [0.70710678118655, 0, 1]),
    ("self_information", MIUF_LISTS, {"history": MIUF_HISTORY, "k": 1},
     [1.584962500721156, 1.584962500721156, 0]),
    ("self_information", MIUF_LISTS, {"history": MIUF_HISTORY, "k": 3},
     [1.584962500721156, 1.584962500721156, 0.792481250360578]),
    ("average_popularity", ARP_LISTS, {"history": ARP_HISTORY, "k": 1}, [3, 1, 1]),
    ("average_popularity", ARP_LISTS, {"history": ARP_HISTORY, "k": 3}, [2.5, 2, 1.5]),
    ("average_popularity", ARP_LISTS, {"history": ARP_HISTORY, "k": 3, "scale": "share"},
     [5 / 12, 1 / 3, 0.25]),
    ("serendipity", SERENDIPITY["lists"], {**SERENDIPITY, "k": 1}, [0, 0.25, 0, 0.25]),
    ("serendipity", SERENDIPITY["lists"], {**SERENDIPITY, "k": 2}, [0, 0.5, 0, 0.125]),
    ("category_distance", ILD_LISTS, {"categories": ILD_CATEGORIES, "k": 1, "single": "zero"}, [0, 0]),
    ("category_distance", ILD_LISTS, {"categories": ILD_CATEGORIES, "k": 2, "single": "zero"}, [1, 0]),
    ("category_distance", ILD_LISTS, {"categories": ILD_CATEGORIES, "k": 3, "single": "zero"}, [4 / 3, 0]),
    ("unseen_share", REPLAY_LISTS, {"history": REPLAY_HISTORY, "k": 2}, [1, 0, 0]),
    ("self_information", REPLAY_LISTS, {"history": REPLAY_HISTORY, "k": 2, "scale": "max", "norm": "k"},
     [1, 0.3690702464285426, 0.6845351232142713]),
    ("unexpectedness", REPLAY_LISTS, {"reference": REPLAY_BASE, "k": 2}, [0.5, 0, 0]),
    ("unexpectedness", REPLAY_LISTS, {"reference": REPLAY_BASE, "k": 4}, [0.5, 0.5, 0.5]),
    ("category_diversity", REPLAY_LISTS, {"categories": REPLAY_CATEGORIES, "k": 3}, [1, 1, 1]),
    ("category_diversity", REPLAY_LISTS, {"categories": REPLAY_CATEGORIES, "k": 5}, [1, 1, 0.6]),
    # evidently leaves a cold item out: means 1.5 and 1.18872 in its tests test_popularity_bias, test_novelty
    ("average_popularity", MIUF_LISTS, {"history": MIUF_HISTORY, "popularity": "users", "cold": "skip"},
     [None, 1, 2]),
    ("self_information", MIUF_LISTS, {"history": MIUF_HISTORY, "cold": "skip"},
     [None, 1.584962500721156, 0.792481250360578]),
]  # fmt: skip


@each("case", PUBLISHED, label=lambda case: f"{case[0]} {case[2]}")
def test_published_values(case: tuple[str, Lists, dict[str, Any], list[float | None]]) -> None:
    name, lists, given, expected = case
    tables = {key: value for key, value in given.items() if key not in ("lists", "relevant")}
    found = values(name, lists, given.get("relevant"), **tables)
    assert all(same(a, b) for a, b in zip(found, expected, strict=True)), (found, expected)


def test_diversity_of_evidently_is_divided_by_the_number_of_items() -> None:
    found = values("intra_list_distance", EVIDENTLY_LISTS, vectors=EVIDENTLY_VECTORS, divide_by="items")
    assert same(math.fsum(value or 0 for value in found) / 3, 1.0963345074906863)


# LensKit, tests/eval/test_lip.py and test_ils.py; an item that the reference lacks does not count there.
@pytest.mark.parametrize(
    ("items", "reference", "expected"),
    [
        ([1, 2, 3], [10, 11, 12], 0),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 0),
        ([6, 2, 3, 1], [1, 2, 3, 4, 5, 6], 2),
        ([7, 6, 2, 3], [1, 2, 3, 4, 5, 6, 7], 3),
    ],
)
def test_least_item_promoted_of_lenskit(items: list[int], reference: list[int], expected: float) -> None:
    assert measure("least_promoted", listed(items), listed(reference), k=3, start="cutoff") == expected


# diffir, diffir/test/test_tauap.py: scores of the same items in the reference and in the list
@pytest.mark.parametrize(
    ("reference", "scores", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 2, 5], [1, 9, 10], 1),
        ([3, 1, 2], [1, 2, 3], 0),
        ([1, 2, 4, 3, 5], [1, 2, 3, 4, 5], 0.75),
        ([2, 1, 3, 4, 5], [1, 2, 3, 4, 5], 0.875),
    ],
)
def test_tau_ap_of_diffir(reference: list[int], scores: list[int], expected: float) -> None:
    ranking = sorted(range(len(scores)), key=lambda item: -scores[item])
    other = sorted(range(len(scores)), key=lambda item: -reference[item])
    assert same(measure("tau_ap", listed(ranking), listed(other)), expected)


# --- by hand -------------------------------------------------------------------------------------

# c: a 5 (of 3 users), b 2, c 2, d 1; C = 10, N = 4. x is cold.
HISTORY = History([("u", "a"), ("u", "a"), ("u", "a"), ("v", "a"), ("w", "a"),
                   ("u", "b"), ("v", "b"), ("u", "c"), ("w", "c"), ("z", "d")])  # fmt: skip
LIST = listed("acxdb", relevant="cdby", query_id="w")
D = [1 / math.log2(rank + 1) for rank in range(1, 6)]
# Weights 1 / p for gamma = 1: c 1/2, d 1, b 1/2, and y, which is cold, 1.
SETS = {
    "a": frozenset("mn"),
    "b": frozenset("m"),
    "c": frozenset("n"),
    "d": frozenset("mnop"),
    "z": frozenset(),
}
VECTORS = {"a": (3.0, 4.0), "c": (0.0, 2.0), "d": (1.0,), "b": (0.0, 0.0)}
LOG4 = math.log2(10)

OF_HISTORY: list[tuple[str, dict[str, Any], float | None]] = [
    ("average_popularity", {}, (5 + 2 + 0 + 1 + 2) / 5),
    ("average_popularity", {"k": 3}, 7 / 3),
    ("average_popularity", {"k": 8}, 10 / 5),
    ("average_popularity", {"k": 8, "norm": "k"}, 10 / 8),
    ("average_popularity", {"norm": "k"}, 10 / 5),
    ("average_popularity", {"k": 3, "cold": "skip"}, 7 / 2),
    ("average_popularity", {"k": 3, "cold": "skip", "norm": "k"}, 7 / 3),
    ("average_popularity", {"cold": "skip"}, 10 / 4),
    ("average_popularity", {"cold": "skip", "norm": "k"}, 10 / 5),
    ("average_popularity", {"popularity": "users"}, (3 + 2 + 0 + 1 + 2) / 5),
    ("average_popularity", {"k": 2, "scale": "share"}, (0.5 + 0.2) / 2),
    ("average_popularity", {"k": 2, "scale": "share", "popularity": "users"}, (3 / 4 + 2 / 4) / 2),
    ("average_popularity", {"k": 2, "scale": "max"}, (1 + 2 / 5) / 2),
    ("average_popularity", {"k": 2, "scale": "max", "popularity": "users"}, (1 + 2 / 3) / 2),
    # The head is a, b, c with 9 of 10; for 0.7 a and b, for 0.5 a.
    ("long_tail_share", {}, 2 / 5),
    ("long_tail_share", {"cold": "head"}, 1 / 5),
    ("long_tail_share", {"boundary": 0.7}, 3 / 5),
    ("long_tail_share", {"boundary": 0.5}, 4 / 5),
    ("long_tail_share", {"boundary": 0}, 1),
    ("long_tail_share", {"boundary": 1, "cold": "head"}, 0),
    ("long_tail_share", {"boundary": 0.7, "k": 2}, 1 / 2),
    ("long_tail_share", {"k": 10, "norm": "k"}, 2 / 10),
    # Of the 4 items: d; for 0.5 d and b, which stands before c; for 0.25 d, b, c.
    ("long_tail_share", {"tail": "items", "cold": "head"}, 1 / 5),
    ("long_tail_share", {"tail": "items", "cold": "head", "boundary": 0.75}, 1 / 5),
    ("long_tail_share", {"tail": "items", "cold": "head", "boundary": 0.5, "k": 2}, 0),
    ("long_tail_share", {"tail": "items", "cold": "head", "boundary": 0.5}, 2 / 5),
    ("long_tail_share", {"tail": "items", "cold": "head", "boundary": 0.25}, 3 / 5),
    ("long_tail_share", {"tail": "count", "boundary": 2}, 4 / 5),
    ("long_tail_share", {"tail": "count", "boundary": 1.5, "cold": "head"}, 1 / 5),
    ("long_tail_count", {}, 2),
    ("long_tail_count", {"k": 3}, 1),
    ("long_tail_count", {"k": 3, "cold": "head"}, 0),
    ("self_information", {}, (math.log2(4 / 3) + 1 + 2 + 2 + 1) / 5),
    ("self_information", {"cold": "skip", "k": 3}, (math.log2(4 / 3) + 1) / 2),
    ("self_information", {"cold": "skip", "k": 3, "norm": "k"}, (math.log2(4 / 3) + 1) / 3),
    ("self_information", {"scale": "max", "k": 3}, (math.log2(4 / 3) + 1 + 2) / 2 / 3),
    ("self_information", {"popularity": "interactions", "k": 3}, (1 + math.log2(5) + LOG4) / 3),
    ("self_information", {"popularity": "interactions", "k": 1, "scale": "max"}, 1 / LOG4),
    # Quantiles: d 1/4, b and c 2.5/4, a 1.
    ("popularity_percentile", {}, (1 + 2.5 / 4 + 0 + 1 / 4 + 2.5 / 4) / 5),
    ("popularity_percentile", {"cold": "skip"}, (1 + 2.5 / 4 + 1 / 4 + 2.5 / 4) / 4),
    ("popularity_percentile", {"k": 1, "popularity": "interactions"}, 1),
    ("popularity_percentile", {"k": 10, "norm": "k"}, 2.5 / 10),
    ("epc", {}, (D[1] * 2 / 4 + D[3] * 3 / 4 + D[4] * 2 / 4) / sum(D)),
    ("epc", {"k": 2}, D[1] * 2 / 4 / (D[0] + D[1])),
    ("epc", {"rel": 2}, 0),
    ("epc", {"k": 3, "relevance": "none"}, (1 / 4 + D[1] / 2 + D[2]) / sum(D[:3])),
    ("epc", {"k": 2, "popularity": "interactions"}, D[1] * 8 / 10 / (D[0] + D[1])),
    ("efd", {"k": 2}, D[1] * math.log2(5) / (D[0] + D[1])),
    ("efd", {"k": 3, "relevance": "none"}, (1 + D[1] * math.log2(5) + D[2] * LOG4) / sum(D[:3])),
    ("efd", {"k": 3, "relevance": "none", "cold": "skip"}, (1 + D[1] * math.log2(5)) / sum(D[:2])),
    ("efd", {"k": 2, "popularity": "users", "relevance": "none"}, (math.log2(4 / 3) + D[1]) / sum(D[:2])),
    ("unseen_share", {}, 3 / 5),
    ("unseen_share", {"k": 3}, 1 / 3),
    ("unseen_share", {"k": 10, "norm": "k"}, 3 / 10),
    ("repeated_share", {}, 2 / 5),
    ("repeated_share", {"k": 10, "norm": "k"}, 2 / 10),
    ("propensity_recall", {"exponent": 1}, (1 / 2 + 1 + 1 / 2) / 3),
    ("propensity_recall", {"exponent": 1, "k": 2}, (1 / 2) / 3),
    ("propensity_recall", {"exponent": -1, "k": 2}, 1 / 4),
    ("propensity_recall", {}, (2 * 2**-1.5 + 1) / (2 * 2**-1.5 + 2)),
    ("propensity_recall", {"rel": 2}, None),
    ("propensity_precision", {"exponent": 1, "k": 2}, (1 / 2) / 2),
    ("propensity_precision", {"exponent": 1, "k": 4}, (3 / 2) / 3),
    ("propensity_precision", {"exponent": 1, "k": 3}, (1 / 2) / 2.5),
    ("propensity_precision", {"exponent": 1}, 2 / 3),
    ("propensity_ndcg", {"exponent": 1}, (D[1] / 2 + D[3] + D[4] / 2) / (1 + D[1] + D[2] / 2 + D[3] / 2)),
    ("propensity_ndcg", {"exponent": 1, "k": 2}, (D[1] / 2) / (1 + D[1])),
    ("propensity_ndcg", {"exponent": -1, "k": 2}, D[1] / (1 + D[1])),
]  # fmt: skip
# 1 + A (u + 1.5)^-0.55 for u = 2 and u = 1
JAIN = [1 + (math.log(4) - 1) * (2.5 / (u + 1.5)) ** 0.55 for u in (2, 1)]
OF_HISTORY += [
    ("propensity_recall", {"propensity": "jain", "k": 2}, JAIN[0] / (2 * JAIN[0] + 2 * JAIN[1])),
    ("propensity_precision", {"propensity": "jain", "k": 3}, JAIN[0] / (JAIN[0] + 2 * JAIN[1])),
]

OF_CATEGORIES: list[tuple[str, dict[str, Any], float | None]] = [
    ("category_diversity", {}, 4 / 5),
    ("category_diversity", {"k": 2}, 2 / 2),
    ("category_diversity", {"k": 3, "norm": "none"}, 2),
    ("category_diversity", {"k": 10}, 4 / 10),
    ("category_diversity", {"k": 10, "norm": "returned"}, 4 / 5),
    # Weights of m, n: 1/2 and 3/2, or 1/2 and 1; with d and b: m 7/4, n 7/4, o 1/4, p 1/4.
    ("category_entropy", {"k": 2}, 1 / 4 * 2 + 3 / 4 * math.log2(4 / 3)),
    ("category_entropy", {"k": 3}, 1 / 4 * 2 + 3 / 4 * math.log2(4 / 3)),
    ("category_entropy", {"k": 1, "smoothing": 0.5}, 2 / 3 * math.log2(3) + 1 / 3 * math.log2(6)),
    (
        "category_entropy",
        {"k": 2, "discount": "geometric", "patience": 0.5},
        1 / 3 * math.log2(3) + 2 / 3 * math.log2(3 / 2),
    ),
    ("category_entropy", {}, 2 * 7 / 16 * math.log2(16 / 7) + 2 * 1 / 16 * 4),
    # a mn, c n, x nothing: 1 + 2 + 1
    ("category_distance", {"k": 3}, 4 / 3),
    ("category_distance", {"k": 3, "divide_by": "items"}, 4 / 3),
    ("category_distance", {"k": 2, "divide_by": "items"}, 1 / 2),
    ("category_distance", {"k": 4}, (4 + 2 + 3 + 4) / 6),
    ("category_distance", {"k": 4, "divide_by": "items"}, 13 / 4),
    ("category_distance", {"k": 1}, None),
    ("category_distance", {"k": 1, "single": "zero"}, 0),
    ("exposure", {"category": "m", "k": 4}, (D[0] + D[3]) / sum(D[:4])),
    ("exposure", {"category": "m", "discount": "none"}, 3 / 5),
    ("exposure", {"category": "m", "discount": "geometric", "k": 2}, 1 / 1.85),
    ("exposure", {"category": "n", "discount": "geometric", "k": 3, "patience": 0.5}, 1.5 / 1.75),
    ("exposure", {"category": "q"}, 0),
]

OF_VECTORS: list[tuple[str, dict[str, Any], float | None]] = [
    # Cosines of a, c 0.8; a, d 0.6; c, d 0; x has no vector, and that of b has no direction.
    ("intra_list_distance", {"k": 2}, 0.2),
    ("intra_list_distance", {}, (0.2 + 0.4 + 1) / 3),
    ("intra_list_distance", {"divide_by": "items"}, (0.2 + 0.4 + 1) / 3),
    ("intra_list_distance", {"k": 3, "divide_by": "items"}, 0.2 / 2),
    ("intra_list_distance", {"k": 1}, None),
    ("intra_list_distance", {"k": 1, "single": "zero"}, 0),
    ("intra_list_distance", {"no_vector": "distant"}, (0.2 + 0.4 + 8) / 10),
    ("intra_list_distance", {"no_vector": "distant", "divide_by": "items", "k": 3}, (0.2 + 2) / 3),
    ("intra_list_similarity", {"no_vector": "distant"}, (0.8 + 0.6) / 10),
    ("intra_list_similarity", {}, (0.8 + 0.6 + 0) / 3),
    ("intra_list_similarity", {"k": 1}, None),
    ("intra_list_similarity", {"k": 1, "single": "one"}, 1),
]

# w has a and c: p of m 1/4, of n 3/4. L up to 3 has the same; up to 4 m 3/4, n 7/4, o 1/4, p 1/4 of 3.
KL4 = [0.25 * math.log(0.25 / (0.99 * 0.25 + 0.01 * 0.25)), 0.75 * math.log(0.75 / (0.99 * 7 / 12 + 0.0075))]
MISCALIBRATION: list[tuple[dict[str, Any], float | None]] = [
    ({"k": 3}, 0),
    ({"k": 1}, 0.25 * math.log(0.25 / 0.4975) + 0.75 * math.log(0.75 / 0.5025)),
    ({"k": 1, "mixture": 1}, 0),
    ({"k": 4}, sum(KL4)),
    ({"k": 2, "discount": "log2", "mixture": 0.5},
     0.25 * math.log(0.25 / (0.25 / (1 + D[1]) + 0.125))
     + 0.75 * math.log(0.75 / (0.5 * (0.5 + D[1]) / (1 + D[1]) + 0.375))),
]  # fmt: skip

# The list of the fixture of RBO in LensKit, and a reference that is longer.
REFERENCE = listed([1, 2, 3, 4, 5])
OTHER = listed([3, 2, 6, 7, 1])
WEIGHTS = [0.9 ** (d - 1) for d in range(1, 6)]
AGREEMENT = [0, 1 / 2, 2 / 3, 2 / 4, 3 / 5]
RBO_SUM = math.fsum(a * w for a, w in zip(AGREEMENT, WEIGHTS, strict=True))

OF_VERSIONS: list[tuple[str, Query, Query, dict[str, Any], float | None]] = [
    ("overlap", OTHER, REFERENCE, {}, 3 / 5),
    ("overlap", OTHER, REFERENCE, {"k": 2}, 1 / 2),
    ("overlap", OTHER, REFERENCE, {"k": 10}, 3 / 10),
    ("overlap", OTHER, REFERENCE, {"k": 10, "norm": "returned"}, 3 / 5),
    ("overlap", OTHER, REFERENCE, {"norm": "jaccard"}, 3 / 7),
    ("overlap", OTHER, REFERENCE, {"k": 2, "norm": "jaccard"}, 1 / 3),
    ("unexpectedness", OTHER, REFERENCE, {"k": 10}, 7 / 10),
    ("unexpectedness", OTHER, REFERENCE, {"k": 10, "norm": "returned"}, 2 / 5),
    ("rbo", OTHER, REFERENCE, {"rest": "truncated"}, 0.1 * RBO_SUM),
    ("rbo", OTHER, REFERENCE, {"rest": "normalized"}, RBO_SUM / sum(WEIGHTS)),
    ("rbo", OTHER, REFERENCE, {"rest": "normalized", "k": 6},
     (RBO_SUM + 3 / 6 * 0.9**5) * 0.1 / (1 - 0.9**6)),
    ("rbo", OTHER, REFERENCE, {"rest": "extrapolated"}, 0.1 * RBO_SUM + 3 / 5 * 0.9**5),
    ("rbo", OTHER, REFERENCE, {"k": 2, "p": 0.5}, 0.5 * (0 + 0.5 / 2) + 0.25 / 2),
    ("rbo", REFERENCE, REFERENCE, {}, 1),
    ("rbo", listed([8, 9]), REFERENCE, {}, 0),
    # Two ranks against four, p = 1/2: X = 0, 1, 2, 2; what the short list lacks agrees as half of it does.
    ("rbo", listed("ab"), listed("cbad"), {"p": 0.5},
     0.5 * (0 + 1 / 2 / 2 + 2 / 3 / 4 + 2 / 4 / 8) + 0.5 * (1 / (2 * 3) / 4 + 2 / (2 * 4) / 8)
     + ((2 - 1) / 4 + 1 / 2) / 16),
    ("rbo", listed("cbad"), listed("ab"), {"p": 0.5, "rest": "truncated"},
     0.5 * (0 + 1 / 2 / 2 + 2 / 3 / 4 + 2 / 4 / 8)),
    # 3, 2, 1 are the items of both.
    ("kendall_tau", OTHER, REFERENCE, {}, -1),
    ("kendall_tau", listed("bacx"), listed("yabc"), {}, 1 / 3),
    ("kendall_tau", listed("bacx"), listed("yabc"), {"k": 3}, -1),
    ("kendall_tau", listed("bacx"), listed("yabc"), {"k": 2}, None),
    ("tau_ap", listed("bacx"), listed("yabc"), {}, 2 / 2 * (0 + 1) - 1),
    ("tau_ap", listed("acbx"), listed("yabc"), {}, 2 / 2 * (1 + 1 / 2) - 1),
    ("tau_ap", listed("acbx"), listed("yabc"), {"k": 1}, None),
    ("top_changed", OTHER, REFERENCE, {}, 1),
    ("top_changed", listed([1, 3]), REFERENCE, {}, 0),
    ("least_promoted", listed([6, 2, 3, 1]), listed([1, 2, 3, 4, 5, 6]), {}, 5),
    ("least_promoted", listed([1, 5, 3]), REFERENCE, {}, 3),
    ("least_promoted", listed([1, 5, 9]), REFERENCE, {}, 3),
    ("least_promoted", listed([1, 2, 9]), REFERENCE, {"k": 2}, 0),
    ("least_promoted", listed([9, 5]), REFERENCE, {}, 5),
    ("least_promoted", listed([9, 5]), REFERENCE, {"start": "cutoff"}, 2),
    ("least_promoted", listed([9, 5]), REFERENCE, {"start": "cutoff", "k": 3}, 1),
]  # fmt: skip


@each("case", [*OF_HISTORY], label=str)
def test_history_by_hand(case: tuple[str, dict[str, Any], float | None]) -> None:
    name, params, expected = case
    value = measure(name, LIST, HISTORY, **params)
    assert same(value, expected), (value, expected)


@each("case", OF_CATEGORIES, label=str)
def test_categories_by_hand(case: tuple[str, dict[str, Any], float | None]) -> None:
    name, params, expected = case
    value = measure(name, LIST, SETS, **params)
    assert same(value, expected), (value, expected)


@each("case", OF_VECTORS, label=str)
def test_vectors_by_hand(case: tuple[str, dict[str, Any], float | None]) -> None:
    name, params, expected = case
    value = measure(name, LIST, VECTORS, **params)
    assert same(value, expected), (value, expected)


@each("case", MISCALIBRATION, label=str)
def test_miscalibration_by_hand(case: tuple[dict[str, Any], float | None]) -> None:
    params, expected = case
    value = measure("miscalibration", LIST, HISTORY, SETS, **params)
    assert same(value, expected), (value, expected)


@each("case", OF_VERSIONS, label=lambda case: f"{case[0]} {case[3]}")
def test_versions_by_hand(case: tuple[str, Query, Query, dict[str, Any], float | None]) -> None:
    name, query, reference, params, expected = case
    value = measure(name, query, reference, **params)
    assert same(value, expected), (value, expected)


def test_serendipity_by_hand() -> None:
    # Dense ranks of the popularity: a 1, b and c 2, d 3; of 6 items.
    items = [*"abcdxy"]
    terms = [max(5 - 5, 0) / 6, max(3 - 4, 0) / 6, max(2 - 5, 0) / 6]  # c at 2, d at 4, b at 5
    assert measure("serendipity", LIST, HISTORY, items) == sum(terms) / 5 == 0
    reverse = listed("dcbxa", relevant="dxa")  # d: 6 - 4; x: 3 - 0; a: 2 - 6
    assert same(measure("serendipity", reverse, HISTORY, items), (2 + 3) / 6 / 5)
    assert same(measure("serendipity", reverse, HISTORY, items, k=3), 2 / 6 / 3)
    assert same(measure("serendipity", reverse, HISTORY, items, k=10, norm="k"), 5 / 6 / 10)
    assert measure("serendipity", reverse, HISTORY, items, rel=2) == 0


def test_the_published_rbo_of_lenskit() -> None:
    value = measure("rbo", OTHER, REFERENCE, rest="normalized")
    assert same(value, 0.426891, tolerance=0.5e-6)


def test_the_least_popular_item_stands_for_a_cold_one() -> None:
    """Elliot has the largest novelty of the history there, which is not always that of one interaction."""
    history = History([("u", "a"), ("v", "a"), ("w", "a"), ("u", "b"), ("v", "b")])
    cold = listed("x")
    params = {"relevance": "none", "popularity": "users"}
    assert same(measure("efd", cold, history, cold="least", **params), math.log2(3 / 2))
    assert same(measure("efd", cold, history, cold="one", **params), math.log2(3))


def test_a_boundary_that_no_double_hits() -> None:
    """0.55 * 20 > 11 and (1 - 0.9) * 20 < 2 as doubles; the numbers meant are 11 and 2."""
    ones = History([("u", item) for item in range(20)])
    everything = listed(range(20))
    assert measure("long_tail_count", everything, ones, boundary=0.55) == 9
    assert measure("long_tail_count", everything, ones, tail="items", boundary=0.9) == 2
    assert measure("long_tail_count", listed([0, 1, 2]), ones, tail="items", boundary=0.9) == 2
    assert measure("long_tail_count", listed([0, 1, 2]), ones, boundary=0.9) == 0
    assert measure("long_tail_count", everything, ones, tail="items", boundary=0.99) == 1


# --- edges ---------------------------------------------------------------------------------------

TABLES = {
    "history": HISTORY,
    "categories": SETS,
    "vectors": VECTORS,
    "catalog": [*"abcdxy"],
    "reference": listed("ab"),
}
NEEDED = {"category": "m"}


def of_any_table(name: str, query: Query, tables: Mapping[str, Any], **params: Any) -> float | None:
    """Return a metric with the tables that it asks for, by name."""
    known = inspect.signature(BEYOND_ACCURACY[name]).parameters
    given = {key: value for key, value in {**tables, **NEEDED}.items() if key in known}
    return measure(name, query, **{**given, **params})


@each("name", BEYOND_ACCURACY)
def test_an_empty_list_has_no_value(name: str) -> None:
    """Unless the metric divides by the truth, as recall does."""
    expected = 0 if name.startswith("propensity") else None
    assert of_any_table(name, listed([], relevant="ab"), TABLES) == expected


@each("name", BEYOND_ACCURACY)
def test_rows_below_the_cut_off_do_not_matter(name: str) -> None:
    if "k" in inspect.signature(BEYOND_ACCURACY[name]).parameters:
        long, short = listed("abcdxyz", relevant="bdy"), listed("abcd", relevant="bdy")
        assert of_any_table(name, long, TABLES, k=4) == of_any_table(name, short, TABLES, k=4)


@each("name", BEYOND_ACCURACY)
def test_a_given_rank_without_an_item_is_not_returned(name: str) -> None:
    """The mean is over the items; a discount is that of the rank."""
    rows = listed("ac", relevant="ac", query_id="w").rows
    holes = [Row(None, -1, None), rows[0], Row(None, -3, None), rows[1]]
    value = of_any_table(name, Query(holes, {"a": 1.0, "c": 1.0}, "w"), TABLES)
    by_rank = (
        "epc",
        "efd",
        "serendipity",
        "propensity_ndcg",
        "exposure",
        "rbo",
        "least_promoted",
        "top_changed",
    )
    if name not in by_rank:
        assert value == of_any_table(name, listed("ac", relevant="ac", query_id="w"), TABLES)
    assert (value is None) == (name in ("kendall_tau", "tau_ap", "top_changed"))


@each("name", [name for name in BEYOND_ACCURACY if name not in OF_LISTS])
def test_relevant_is_any_grade_from_rel_on(name: str) -> None:
    grades = {"c": 2.0, "d": 1.0, "x": 0.5, "b": 0.0}
    query = Query([Row(item, 0, grades.get(item)) for item in "dxb"], grades)
    assert of_any_table(name, query, TABLES) == of_any_table(name, query, TABLES, rel=0.5)
    assert of_any_table(name, query, TABLES) != of_any_table(name, query, TABLES, rel=1)


def test_cold_items_alone() -> None:
    cold = listed("xy", query_id="w")
    assert measure("average_popularity", cold, HISTORY) == 0
    assert measure("average_popularity", cold, HISTORY, cold="skip") is None
    assert measure("average_popularity", cold, HISTORY, cold="skip", norm="k", k=2) is None
    assert measure("self_information", cold, HISTORY) == 2
    assert measure("self_information", cold, HISTORY, cold="skip") is None
    assert measure("popularity_percentile", cold, HISTORY) == 0
    assert measure("popularity_percentile", cold, HISTORY, cold="skip") is None
    assert measure("efd", cold, HISTORY, cold="skip", relevance="none") is None
    assert measure("epc", cold, HISTORY, relevance="none") == 1
    assert measure("long_tail_share", cold, HISTORY) == 1
    assert measure("long_tail_count", cold, HISTORY, cold="head") == 0


def test_users_without_history() -> None:
    unknown = listed("ab", query_id="nobody")
    assert measure("unseen_share", unknown, HISTORY) == 1
    assert measure("repeated_share", unknown, HISTORY) == 0
    assert measure("miscalibration", unknown, HISTORY, SETS) is None


def test_items_without_category_or_vector() -> None:
    unknown = listed("xy", query_id="w")
    assert measure("category_diversity", unknown, SETS) == 0
    assert measure("category_entropy", unknown, SETS) is None
    assert measure("category_distance", unknown, SETS) == 0
    assert measure("miscalibration", unknown, HISTORY, SETS) is None
    assert measure("miscalibration", listed("a", query_id="w"), HISTORY, {"b": frozenset("m")}) is None
    assert measure("exposure", unknown, SETS, category="m") == 0
    assert measure("intra_list_distance", unknown, VECTORS) is None
    assert measure("intra_list_distance", unknown, VECTORS, single="zero") == 0
    assert measure("intra_list_distance", listed([]), VECTORS, single="zero") is None
    assert measure("category_distance", listed([]), SETS, single="zero") is None


def test_a_miscalibration_counts_every_interaction() -> None:
    once, twice = History([("w", "b"), ("w", "c")]), History([("w", "b"), ("w", "b"), ("w", "c")])
    query = listed("bc", query_id="w")
    assert same(measure("miscalibration", query, once, SETS), 0)
    expected = 2 / 3 * math.log(2 / 3 / (0.495 + 0.02 / 3)) + 1 / 3 * math.log(1 / 3 / (0.495 + 0.01 / 3))
    assert same(measure("miscalibration", query, twice, SETS), expected)


def test_one_user_has_no_scale() -> None:
    alone = History([("u", "a")])
    assert measure("self_information", listed("a"), alone) == 0
    assert measure("self_information", listed("a"), alone, scale="max") is None
    assert same(measure("propensity_recall", listed("ab", relevant="ab"), alone, propensity="jain", k=1), 0.5)


def test_an_item_that_is_returned_twice() -> None:
    """It counts as often as it is returned; between two runs it has its first rank."""
    twice = listed("aab", query_id="z")
    assert measure("average_popularity", twice, HISTORY) == (5 + 5 + 2) / 3
    assert measure("long_tail_share", listed("dda"), HISTORY) == 2 / 3
    assert measure("category_distance", twice, SETS) == (0 + 1 + 1) / 3
    assert measure("overlap", twice, listed("ax"), k=2) == 1 / 2
    assert measure("overlap", twice, listed("ax"), norm="jaccard") == 1 / 3
    assert measure("kendall_tau", listed("abab"), listed("ab")) == 1
    assert same(measure("rbo", twice, listed("ab"), p=0.5, rest="truncated"), 0.5 * (1 + 0.5 / 2 + 2 / 3 / 4))


@each("name", between.__all__)
def test_no_reference_no_value(name: str) -> None:
    assert of_any_table(name, listed("ab"), {"reference": listed([])}) is None


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("average_popularity", {"popularity": "views"}),
        ("average_popularity", {"scale": "log"}),
        ("average_popularity", {"cold": "one"}),
        ("average_popularity", {"norm": "n"}),
        ("self_information", {"cold": "zero"}),
        ("self_information", {"scale": "nats"}),
        ("long_tail_share", {"tail": "users"}),
        ("long_tail_share", {"cold": "skip"}),
        ("epc", {"relevance": "graded"}),
        ("efd", {"cold": "zero"}),
        ("propensity_ndcg", {"propensity": "users"}),
        ("category_diversity", {"norm": "n"}),
        ("category_distance", {"divide_by": "all"}),
        ("category_distance", {"single": "one"}),
        ("intra_list_similarity", {"single": "zero"}),
        ("intra_list_distance", {"no_vector": "zero"}),
        ("miscalibration", {"discount": "dcg"}),
        ("exposure", {"discount": "dcg"}),
        ("overlap", {"norm": "n"}),
        ("unexpectedness", {"norm": "jaccard"}),
        ("rbo", {"rest": "min"}),
        ("least_promoted", {"start": "k"}),
    ],
)
def test_what_is_no_choice(name: str, params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(params.values()))!r} is none of"):
        of_any_table(name, LIST, TABLES, **params)


# --- all queries ---------------------------------------------------------------------------------

LISTS: Lists = {"w": ["a", "x"], "q": ["b"]}


def test_a_query_without_a_list_is_undefined_and_one_without_relevant_items_keeps_its_value() -> None:
    truth = [("w", "a", 1.0), ("q", "b", 0.0), ("missing", "a", 1.0)]
    choices: list[dict[str, Any]] = [{}, {"missing": "undefined", "no_relevant": "keep"}]
    for words in choices:
        found = per_query("average_popularity", rows_of(LISTS), truth, history=HISTORY.rows, **words)
        assert found == {("", "w"): 2.5, ("", "q"): 2, ("", "missing"): None}
        states = status("average_popularity", rows_of(LISTS), truth, history=HISTORY.rows, **words)
        assert states["", "q"] == Status(missing=False, no_relevant=False)
        assert states["", "missing"] == Status(missing=True, no_relevant=False)


def test_metrics_of_relevance_keep_the_usual_policies() -> None:
    truth = [("w", "x", 1.0), ("q", "b", 0.0), ("missing", "a", 1.0)]
    given: dict[str, Any] = {"history": HISTORY.rows}
    found = per_query("propensity_recall", rows_of(LISTS), truth, **given)
    assert found == {("", "w"): 1, ("", "q"): None, ("", "missing"): 0}
    found = per_query("epc", rows_of(LISTS), truth, **given, missing="skip", no_relevant="zero")
    assert found == {("", "w"): D[1] / (1 + D[1]), ("", "q"): 0, ("", "missing"): None}
    found = per_query("epc", rows_of(LISTS), truth, **given, relevance="none")
    assert found["", "q"] == 1 / 2


def test_without_a_truth_the_predictions_are_the_population() -> None:
    assert values("long_tail_count", LISTS, history=HISTORY.rows) == [1, 0]
    assert values("unseen_share", LISTS, history=iter(HISTORY.rows)) == [0.5, 1]


def test_the_catalogue_is_that_of_the_history_unless_it_is_given() -> None:
    relevant = {"w": ["x"], "q": ["b"]}
    given: dict[str, Any] = {"history": HISTORY.rows}
    assert same(values("serendipity", LISTS, relevant, **given)[0], 3 / 4 / 2)
    assert same(values("serendipity", LISTS, relevant, **given, catalog=range(10))[0], 9 / 10 / 2)


def test_the_reference_run_is_ranked_by_the_same_rule() -> None:
    reference = [("w", "b", 1.0), ("w", "a", 1.0), ("w", "x", 1.0 + 1e-12)]
    found = {
        ties: values("top_changed", LISTS, reference=reference, ties=ties, scores="float32")[0]
        for ties in ("item_asc", "item_desc", "input")
    }
    assert found == {"item_asc": 0, "item_desc": 1, "input": 1}
    assert values("top_changed", LISTS, reference=reference) == [1, None]


def test_given_ranks_of_both_runs() -> None:
    predictions = [("", "w", "a", -1.0), ("", "w", "b", -4.0)]
    reference = [("w", "b", -6.0), ("w", "a", -2.0)]
    ranks: dict[str, Any] = {"by_rank": True, "reference_by_rank": True}
    assert per_query("least_promoted", predictions, reference=reference, **ranks) == {("", "w"): 2}
    scores = [("w", "b", 0.5), ("w", "a", 0.7)]
    assert per_query("least_promoted", predictions, reference=scores, by_rank=True) == {("", "w"): 0}
    assert per_query("average_popularity", predictions, history=HISTORY.rows, by_rank=True) == {
        ("", "w"): 3.5
    }


def test_a_list_whose_items_nobody_judged() -> None:
    truth = [("w", "b", 1.0), ("q", "b", 1.0)]
    params: dict[str, Any] = {"history": HISTORY.rows, "unjudged": "skip"}
    found = per_query("average_popularity", rows_of(LISTS), truth, **params)
    assert found == {("", "w"): None, ("", "q"): 2}


@each("name", BEYOND_ACCURACY)
def test_a_table_that_is_not_given(name: str) -> None:
    needed: dict[str, Any] = NEEDED if name == "exposure" else {}
    with pytest.raises(TypeError, match=f"{name} reads .*which is not given"):
        per_query(name, rows_of(LISTS), [("w", "a", 1.0)], **needed)


def test_a_sample_of_the_items_has_no_such_value() -> None:
    with pytest.raises(ValueError, match="average_popularity"):
        per_query("average_popularity", rows_of(LISTS), history=HISTORY.rows, catalog_size=10)


# --- the modules ---------------------------------------------------------------------------------


def test_every_metric_is_computed_by_hand() -> None:
    cases = [*OF_HISTORY, *OF_CATEGORIES, *OF_VECTORS, *OF_VERSIONS]
    assert {case[0] for case in cases} | {"serendipity", "miscalibration"} == set(BEYOND_ACCURACY)


def test_every_metric_names_its_source() -> None:
    names = [name for module in MODULES for name in module.__all__]
    assert len(names) == len(set(names)) == len(BEYOND_ACCURACY) == 27
    for name, metric in BEYOND_ACCURACY.items():
        assert re.search(r"doi:10\.|\b(18|19|20)\d\d\b", metric.__doc__ or ""), name


def test_the_metrics_of_lists_look_at_no_relevance() -> None:
    accurate = {"epc", "efd", "serendipity", *propensity.__all__}
    assert set(BEYOND_ACCURACY) - set(OF_LISTS) == accurate


def test_the_popularity_of_an_item() -> None:
    assert (HISTORY.n_users, HISTORY.n_interactions, sorted(HISTORY.items)) == (4, 10, [*"abcd"])
    assert [HISTORY.interactions(item) for item in "abcdx"] == [5, 2, 2, 1, 0]
    assert [HISTORY.users(item) for item in "abcdx"] == [3, 2, 2, 1, 0]
    assert sorted(HISTORY.items_of("u")) == [*"aaabc"]
    assert HISTORY.items_of("nobody") == []
