"""ties=expected against the mean over all orders of equal scores, each order counted by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import permutations, product
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytestmark = pytest.mark.engine


def precisions(hits: Sequence[bool], k: int) -> float:
    """Return the sum of the precisions at the ranks of the hits."""
    return sum(sum(hits[: i + 1]) / (i + 1) for i in range(min(k, len(hits))) if hits[i])


def f_beta(hits: Sequence[bool], m: int, k: int, beta: float) -> float:
    found = sum(hits[:k])
    precision, recall = found / k, found / m
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if found else 0.0


# The value of one order: whether each item is relevant, in order, the number of relevant items, the cut-off.
VALUES: dict[str, Callable[[Sequence[bool], int, int], float]] = {
    "hits": lambda hits, m, k: sum(hits[:k]),
    "precision": lambda hits, m, k: sum(hits[:k]) / k,
    "precision(norm=returned)": lambda hits, m, k: sum(hits[:k]) / min(k, len(hits)) if hits else 0,
    "recall": lambda hits, m, k: sum(hits[:k]) / m,
    "recall(norm=min_k)": lambda hits, m, k: sum(hits[:k]) / min(k, m),
    "hit_rate": lambda hits, m, k: float(any(hits[:k])),
    "reciprocal_rank": lambda hits, m, k: next((1 / (i + 1) for i, hit in enumerate(hits[:k]) if hit), 0),
    "average_precision": lambda hits, m, k: precisions(hits, k) / m,
    "average_precision(norm=min_k)": lambda hits, m, k: precisions(hits, k) / min(k, m),
    "average_precision(norm=k)": lambda hits, m, k: precisions(hits, k) / k,
    "f_beta(beta=1)": lambda hits, m, k: f_beta(hits, m, k, 1),
    "f_beta(beta=2)": lambda hits, m, k: f_beta(hits, m, k, 2),
}
WHOLE = ("hits", "recall", "hit_rate", "reciprocal_rank", "average_precision")


def lists(seed: int, n: int) -> Iterator[tuple[dict[str, float], dict[str, int]]]:
    """Yield scores and grades of queries, with unjudged items, and relevant ones that are not returned."""
    source = random.Random(seed)
    for _ in range(n):
        items = [f"i{place}" for place in range(source.randint(0, 6))]
        scores = {item: float(source.randint(0, source.choice([0, 1, 2, 5]))) for item in items}
        judged = [item for item in [*items, "x", "y"] if source.random() < 0.7]
        yield scores, {item: source.choice([0, 1, 1, 2]) for item in judged} or {"z": 0}


def orders(scores: dict[str, float]) -> list[list[str]]:
    """Return all orders in which no item comes before one with a higher score."""
    groups = defaultdict(list)
    for item, score in scores.items():
        groups[-score].append(item)
    every = product(*(permutations(groups[key]) for key in sorted(groups)))
    return [[item for group in order for item in group] for order in every]


def mean(spec: str, scores: dict[str, float], grades: dict[str, int], k: int) -> float:
    m = sum(grade > 0 for grade in grades.values())
    return fmean(VALUES[spec]([grades.get(item, 0) > 0 for item in order], m, k) for order in orders(scores))


def test_values_are_means_over_all_orders() -> None:
    """The cut-offs run before, through and after groups of equal scores."""
    queries = dict(enumerate(lists(3, 40)))
    run = {query: scores for query, (scores, _) in queries.items() if scores}
    truth = {query: grades for query, (_, grades) in queries.items()}
    specs = {f"{spec}@{k}": (spec, k) for spec in VALUES for k in (1, 2, 3, 9)}
    specs |= {spec: (spec, 99) for spec in WHOLE}
    found = duckmetrics.evaluate(run, truth, [*specs, "r_precision"], ties="expected").per_query.to_pylist()
    values = {(row["metric"], row["query_id"]): row["value"] for row in found}
    n = 0
    for query, (scores, grades) in queries.items():
        m = sum(grade > 0 for grade in grades.values())
        for text, (spec, k) in specs.items():
            if m:
                assert values[text, query] == pytest.approx(mean(spec, scores, grades, k), abs=1e-14), text
                n += 1
            else:
                assert values[text, query] is None
        if m:
            expected = mean("precision", scores, grades, m)
            assert values["r_precision", query] == pytest.approx(expected, abs=1e-14)
    assert n > 1000


def test_one_large_list_as_a_simulation() -> None:
    """9,000 items have three scores; the bound is five standard errors of 20,000 random orders, or more."""
    source = random.Random(1)
    relevant = set(range(0, 9000, 700))
    groups = [list(range(start, start + 3000)) for start in (0, 3000, 6000)]
    found = duckmetrics.evaluate(
        {"q": {item: -float(place) for place, group in enumerate(groups) for item in group}},
        {"q": dict.fromkeys(relevant, 1)}, ["mrr@500", "hit_rate@500", "map@500", "hits@500"],
        ties="expected",
    )  # fmt: skip
    drawn = defaultdict(list)
    for _ in range(20_000):
        # The places of the five relevant items of the first group, in a random order.
        ranks = sorted(source.sample(range(1, 3001), len(relevant.intersection(groups[0]))))
        hits = [rank for rank in ranks if rank <= 500]
        drawn["hits@500"].append(len(hits))
        drawn["hit_rate@500"].append(bool(hits))
        drawn["mrr@500"].append(1 / hits[0] if hits else 0)
        drawn["map@500"].append(sum((i + 1) / rank for i, rank in enumerate(hits)) / len(relevant))
    for name, values in drawn.items():
        assert found[name] == pytest.approx(fmean(values), rel=0.06), name


def test_a_mean_over_orders_is_no_sum_over_items() -> None:
    with pytest.raises(duckmetrics.UnsupportedError, match="explain it with one order of equal scores"):
        duckmetrics.explain({"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}}, "map@2", query="q", ties="expected")
