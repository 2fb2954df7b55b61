"""A parameter is refused exactly if it cannot change the metric.

Every ranking metric runs with every value of every parameter, on tables drawn at random, in the
plain-Python reference, which knows nothing of the headers.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import MetricError
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference import per_query
from support.cases import CATALOG, RANKING, reference_params

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition

NUMBERS: dict[str, tuple[Any, ...]] = {
    "rel": (2,), "beta": (0.5,), "p": (0.5,), "max_grade": (3,), "recall": (0.3, 0, 1), "catalog_size": (40,),
}  # fmt: skip
# Refusing is not a value, and the population is common to all metrics.
LEFT_OUT = {
    ("missing", "error"),
    ("population", "predictions"),
    ("population", "both"),
    ("population", "table"),
}
# They decide which queries count as undefined; and a cut-off is never refused.
NO_VALUES = {("first_rank", "missing"), ("first_rank", "labels"), ("n_returned", "labels"), ("judged", "k"),
             ("user_coverage", "labels")}  # fmt: skip
# It matters for a list that unjudged=skip leaves empty.
FIRST_OF_NONE = {"k": 1, "norm": "returned"}
WORLDS, QUERIES = 24, 6
Spec = dict[str, Any]


@cache
def worlds() -> list[tuple[list[Any], list[Any]]]:
    """Return tables with ties, missing queries, nothing relevant; some need a switch that allows them."""
    chance = random.Random(20)
    found = []
    for number in range(WORLDS):
        kind = ("plain", "sampled", "duplicates", "null", "negative", "plain")[number % 6]
        run, truth = [], []
        for query in range(QUERIES):
            for system in "AB":
                items = chance.sample(range(8, 16), chance.randint(2 if kind == "sampled" else 1, 7))
                scores = [chance.choice([0.5, 1, 1, 1 + 1e-12, 2]) for _ in items]
                if chance.random() < 0.8:
                    run += [(system, query, item, score) for item, score in zip(items, scores, strict=True)]
            if kind == "sampled":
                truth.append((query, chance.choice(items), chance.choice([1.0, 2.0, 3.0])))
                continue
            grades = {"null": [None], "negative": [-1.0]}.get(kind, [])
            for item in chance.sample(range(8, 16), chance.randint(1, 6)):
                truth.append((query, item, chance.choice([0.0, 0.0, 1.0, 2.0, 3.0, *grades])))
            if kind == "duplicates" and run:
                run.append((*run[-1][:3], 0.75))
                truth.append((query, truth[-1][1], 3.0))
        found.append((run, truth))
    return found


class Values:
    """The values of a metric in every world, each computed at first use."""

    def __init__(self, metric: Definition, said: Spec) -> None:
        needed = {name: NUMBERS[name][0] for name, param in metric.own_params.items() if param.required}
        self.name = metric.name
        self.params = reference_params(parse_measure(CATALOG, written(metric, needed))) | said
        self.known: list[Any] = []

    def of(self, world: int) -> Any:
        while len(self.known) <= world:
            try:
                self.known.append(per_query(self.name, *worlds()[len(self.known)], **self.params))
            except (ValueError, OverflowError) as error:
                self.known.append(type(error))
        return self.known[world]

    def equal(self, other: Values) -> bool:
        """Return whether all worlds give the same values; most differ in the first one."""
        return all(self.of(world) == other.of(world) for world in range(WORLDS))


def written(metric: Definition, said: Spec) -> str:
    return f"ranking.{metric.name}({', '.join(f'{name}={value}' for name, value in said.items())})"


def is_refused(metric: Definition, said: Spec, name: str) -> bool:
    try:
        parse_measure(CATALOG, written(metric, said))
    except MetricError as error:
        return f": {name}={said[name]} changes nothing" in str(error)
    return False


def at_an_end(said: Spec) -> bool:
    """Return whether a list of cut-offs begins with 1, or one of recall levels with 0."""
    return said.get("k") == 1 or said.get("recall") in (0, 1)


def is_read(metric: Definition, said: Spec) -> bool:
    try:
        parse_measure(CATALOG, written(metric, said))
    except MetricError:
        return False
    return True


def choices(metric: Definition, name: str) -> list[Any]:
    param = CATALOG.params(metric)[name]
    if name == "k":
        return [1, 2, 3]
    return [
        v
        for v in (*param.choices, *NUMBERS.get(name, ()))
        if v != param.default and (name, v) not in LEFT_OUT
    ]


def contexts(metric: Definition, most: int) -> Iterator[Spec]:
    """Yield every combination of a number of the metric's own parameters, and the labels."""
    own = [[None, *choices(metric, name)] for name in metric.own_params]
    for chosen in product(*own, [None, "returned"]):
        said = dict(zip([*metric.own_params, "labels"], chosen, strict=True))
        given = {name: value for name, value in said.items() if value is not None}
        for name, param in metric.own_params.items():
            if param.required:
                given.setdefault(name, NUMBERS[name][0])
        changed = sum(name in given and not metric.own_params[name].required for name in metric.own_params)
        if changed <= most and is_read(metric, given):
            yield given


def misjudged(metric: Definition, most: int) -> list[str]:
    """Return specs that are refused but change a value in some world, or are allowed and change none."""
    wrong = []
    for context in contexts(metric, most):
        usual = Values(metric, context)
        for name in CATALOG.params(metric):
            for value in choices(metric, name) if name not in context else ():
                said = {**context, name: value}
                refused = is_refused(metric, said, name)
                if (metric.name, name) in NO_VALUES or said.items() >= FIRST_OF_NONE.items():
                    continue
                if not (refused or is_read(metric, said)):
                    continue
                if at_an_end(said) and not refused:
                    continue
                if refused != Values(metric, said).equal(usual):
                    wrong.append(f"{written(metric, said)}: {'is' if refused else 'is not'} refused")
    return wrong


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_what_changes_nothing_is_refused_and_nothing_else(metric: Definition) -> None:
    assert misjudged(metric, 1) == []


@pytest.mark.slow
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_what_changes_nothing_beside_two_others_is_refused(metric: Definition) -> None:
    assert misjudged(metric, 2) == []


def test_ties_of_judged_and_unjudged_items_decide_what_is_judged() -> None:
    """By hand: x is judged nonrelevant, y is not judged, and both have the same score."""
    pa = pytest.importorskip("pyarrow")
    run = pa.table({"query_id": [1, 1], "item_id": ["x", "y"], "score": [1.0, 1.0]})
    truth = pa.table({"query_id": [1, 1], "item_id": ["x", "z"], "relevance": [0, 1]})
    for kinds in (run, run.set_column(1, "item_id", [["y", "x"]])):
        (found,) = duckmetrics.ties(kinds, truth, "judged@1").rows
        assert (found.pessimistic, found.optimistic, found.n_dependent) == (0, 1, 1)


def test_a_switch_of_the_call_is_for_the_metrics_that_it_changes() -> None:
    run = [{"query_id": 1, "item_id": item, "score": 3 - item} for item in (1, 2)]
    truth = [{"query_id": 1, "item_id": 1, "relevance": 2}, {"query_id": 1, "item_id": 2, "relevance": 5}]
    pa = pytest.importorskip("pyarrow")
    tables = pa.Table.from_pylist(run), pa.Table.from_pylist(truth)
    found = duckmetrics.evaluate(*tables, ["ndcg@10", "mrr"], rel=4)
    assert found["mrr"] == 0.5
    assert [("rel:4" in row["signature"]) for row in found.rows] == [False, True]
    with pytest.raises(
        MetricError, match=r"switch rel=4: ndcg@10: rel=4 changes nothing where gain <> 'binary'"
    ):
        duckmetrics.evaluate(*tables, "ndcg@10", rel=4)
    assert duckmetrics.evaluate(*tables, "ndcg(gain=binary, rel=4)@10")["ndcg(gain=binary, rel=4)@10"] < 1
