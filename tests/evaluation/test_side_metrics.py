"""Metrics of a history, a catalog or a reference run equal the plain-Python reference, per query."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.composer import needs_truth
from duckmetrics.reference.policies import per_query
from support.cases import (
    CATALOG,
    SIDE,
    TOGETHER,
    TOLERANT,
    assert_same,
    open_case,
    ranking,
    reference_params,
    reference_values,
    specs_of,
    values_per_query,
)
from support.side_tables import CATALOGUE, HISTORY, RUN, TRUTH, items_table, rows_of, side_of, table

if TYPE_CHECKING:
    import duckdb

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

QUICK = [spec for metric in SIDE for spec in specs_of(metric, (2,), one_at_a_time=True)]
SHORT = [spec for metric in SIDE for spec in specs_of(metric, (None, 1, 3), one_at_a_time=True)]
SWITCHES: list[dict[str, Any]] = [
    {"ties": "item_desc"},
    {"ties": "pessimistic", "scores": "float32"},
    {"unjudged": "skip"},
    {"duplicates": "first", "unjudged": "skip", "ties": "optimistic"},
    {"population": "predictions"},
    {"population": "both", "missing": "skip"},
    {"rel": 2, "no_relevant": "zero"},
    {"labels": "returned"},
]


def test_equals_the_reference() -> None:
    with closing(open_case(TOGETHER)) as connection:
        actual = values_per_query(connection, QUICK, **TOLERANT)
        for spec in QUICK:
            assert_same(actual[spec], reference_values(connection, spec, **TOLERANT), spec)


@pytest.mark.slow
def test_the_published_values_of_rectools() -> None:
    """The values in the docstrings of RecTools, per user."""
    pairs, ranked = ("query_id", "item_id"), ("query_id", "item_id", "rank")
    run = table([(1, 3, 1), (2, 2, 1), (2, 3, 2), (3, 1, 1), (3, 2, 2)], ranked)
    history = table([(1, 1), (1, 2), (2, 1), (3, 1)], pairs)
    found = per_user(duckmetrics.evaluate(run, None, ["miuf@1", "miuf@3"], history=history))
    assert found["miuf@1"] == pytest.approx([1.5849625, 1.5849625, 0])
    assert found["miuf@3"] == pytest.approx([1.5849625, 1.5849625, 0.79248125])
    run = table([(1, 1, 1), (1, 2, 2), (2, 3, 1), (2, 1, 2), (2, 2, 3), (3, 3, 1), (3, 2, 2)], ranked)
    history = table([(1, 1), (1, 2), (2, 1), (2, 3), (3, 1), (3, 2)], pairs)
    specs = ["arp@1", "arp@3", "arp(scale=share)@3"]
    found = per_user(duckmetrics.evaluate(run, None, specs, history=history))
    assert [found[spec] for spec in specs[:2]] == [[3, 1, 1], [2.5, 2, 1.5]]
    assert found[specs[2]] == pytest.approx([0.41666667, 0.33333333, 0.25])
    run = table([(1, 1, 1), (1, 2, 2), (2, 2, 1), (2, 3, 2), (3, 3, 1), (4, 2, 1), (4, 3, 2)], ranked)
    truth = table([(1, 1), (1, 2), (2, 2), (2, 3), (3, 2), (4, 2)], pairs)
    history = table([(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)], pairs)
    items, specs = table([(1,), (2,), (3,), (4,)], ("item_id",)), ["serendipity@1", "serendipity@2"]
    found = per_user(duckmetrics.evaluate(run, truth, specs, history=history, items=items))
    assert [found[spec] for spec in specs] == [[0, 0.25, 0, 0.25], [0, 0.5, 0, 0.125]]


@pytest.mark.slow
def test_weights_of_any_size_add_up() -> None:
    """By hand: an item of one interaction weighs as much as the 100,000 of the other, to a power."""
    run = table([(1, "c", 1), (1, "a", 2), (2, "b", 1), (2, "a", 2)], ("query_id", "item_id", "rank"))
    truth = table([(1, "a"), (1, "b"), (2, "a"), (2, "b")], ("query_id", "item_id"))
    history = (
        "SELECT i AS query_id, CASE WHEN i > 0 THEN 'a' ELSE 'b' END AS item_id FROM range(100001) AS r(i)"
    )
    for gamma in (2, 5, 10):
        spec = f"propensity_recall(exponent={gamma})@2"
        found = per_user(duckmetrics.evaluate(run, truth, spec, history=history))[spec]
        assert found == pytest.approx([1 / (1 + 100_000 ** ((gamma + 1) / 2)), 1], rel=1e-12)


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", SIDE, ids=lambda metric: metric.name)
def test_equals_the_reference_with_every_parameter(
    case: duckdb.DuckDBPyConnection, metric: Definition
) -> None:
    specs = specs_of(metric)
    actual = values_per_query(case, specs, **TOLERANT)
    for spec in specs:
        assert_same(actual[spec], reference_values(case, spec, **TOLERANT), spec)


@pytest.mark.some(0)
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_equals_the_reference_with_every_switch(
    case: duckdb.DuckDBPyConnection, switches: dict[str, Any]
) -> None:
    switches = {**TOLERANT, **switches}
    actual = values_per_query(case, SHORT, **switches)
    for spec in SHORT:
        assert_same(actual[spec], reference_values(case, spec, **switches), f"{spec} {switches}")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RUN, TRUTH, HISTORY, CATALOGUE, RUN, st.booleans(), st.data())
def test_random_tables_equal_the_reference(
    run: Any, qrels: Any, history: Any, catalogue: Any, other: Any, judged: bool, data: st.DataObject
) -> None:
    """The call checks the tables and sums exactly; without a truth, every list counts."""
    specs = data.draw(st.lists(st.sampled_from(SHORT), min_size=1, max_size=8, unique=True), label="specs")
    if not judged:
        specs = [spec for spec in specs if not needs_truth(CATALOG, [measure_of(spec)])] or [
            "average_popularity"
        ]
    rows = rows_of(run)
    shared = qrels if run.keys() & qrels.keys() else qrels | run
    truth = rows_of(shared) if judged else None
    names = ("query_id", "item_id")
    catalogue = {**catalogue, "in no list": ({"d", "c0"}, None)}  # Others than an item has are refused.
    found = duckmetrics.evaluate(
        table(rows, (*names, "score")),
        None if truth is None else table(truth, (*names, "relevance")),
        specs,
        history=table(history, names),
        items=items_table(catalogue),
        reference=table(rows_of(other), (*names, "score")),
        missing="skip",
    ).per_query.to_pylist()
    for spec in specs:
        measure = measure_of(spec)
        params = reference_params(measure)
        if truth is None:
            del params["population"]
        name, listed = measure.metric.name, [("", *row) for row in rows]
        expected = per_query(name, listed, truth, **side_of(history, catalogue, other), **params)
        actual = {("", row["query_id"]): row["value"] for row in found if row["metric"] == spec}
        assert_same(actual, expected, spec)


def measure_of(spec: str) -> Measure:
    return parse_measure(CATALOG, spec, {"missing": "skip"}, ranking)


def per_user(result: duckmetrics.Evaluation) -> dict[str, list[Any]]:
    """Return metric -> the values of the queries, in the order of their ids."""
    found: dict[str, list[Any]] = {}
    for row in sorted(result.per_query.to_pylist(), key=lambda row: row["query_id"]):
        found.setdefault(row["metric"], []).append(row["value"])
    return found
