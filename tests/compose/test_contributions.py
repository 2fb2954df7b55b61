"""The contributions of a query add up to its value, for every metric that is a sum over items."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
from sqlglot import exp

from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contributions import (
    NotASumError,
    _leaf_of,
    _row_term,
    explainable,
    items_query,
    reason_against,
    terms,
)
from duckmetrics.errors import MetricError, UnsupportedError
from support.cases import (
    ALONE,
    CATALOG,
    RANKING,
    TOGETHER,
    open_case,
    ranking,
    specs_of,
    values_per_query,
)
from support.loops import each

if TYPE_CHECKING:
    import duckdb

    from duckmetrics.catalog.definition import Definition

SUMS = [metric for metric in RANKING if reason_against(CATALOG, metric) is None]
OTHERS = {"f_beta", "first_rank", "idcg", "iprec", "n_relevant", "n_returned", "query_auc",
          "set_average_precision", "user_coverage"}  # fmt: skip
# The tiny cases have copies of items, negative grades and NULL grades.
TOLERANT = {"duplicates": "count", "null_relevance": "zero"}
SWITCHES: list[dict[str, Any]] = [
    {"ties": "item_desc"}, {"ties": "item_asc_text"}, {"ties": "item_desc_text"}, {"ties": "pessimistic"},
    {"ties": "optimistic"}, {"ties": "input"}, {"ties": "expected"}, {"scores": "float32"},
    {"unjudged": "skip"}, {"duplicates": "first"}, {"labels": "returned"}, {"rel": 2},
    {"population": "predictions"}, {"population": "both"}, {"missing": "skip"},
    {"no_relevant": "zero"}, {"no_relevant": "one"}, {"no_relevant": "one", "missing": "skip"},
    {"catalog_size": 100},
]  # fmt: skip


def name_of(metric: Definition) -> str:
    return metric.name


def check_sums(connection: duckdb.DuckDBPyConnection, spec: str, **switches: Any) -> int:
    """Compare the sum of the contributions of each query with its value; return how many there are."""
    given = {**TOLERANT, **switches}
    measure = parse_measure(CATALOG, spec, given, ranking)
    rows = connection.execute(items_query(Composer(CATALOG), measure).sql("duckdb")).fetchall()
    values = values_per_query(connection, [spec], **given)[spec]
    found: dict[Any, list[float | None]] = {}
    for system, query, *_, contribution in rows:
        found.setdefault((system, query), []).append(contribution)
    for key, contributions in found.items():
        value = values[key]
        if None in contributions:
            # A policy gave the value, or there is none; then no item has a contribution.
            assert set(contributions) == {None}, f"{spec} {switches} {key}"
            assert value in (None, 0.0, 1.0), f"{spec} {switches} {key}"
        else:
            assert fsum(filter(None, contributions)) == pytest.approx(value, rel=1e-12, abs=1e-12), (
                f"{spec} {switches} {key}"
            )
    return sum(None not in contributions for contributions in found.values())


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["average_precision", "bpref", "err", "judged", "ndcg", "reciprocal_rank"])
def test_contributions_add_up_to_the_value(name: str) -> None:
    (spec, *_) = specs_of(CATALOG.metrics["ranking", name], (2,), one_at_a_time=True)
    assert check_sums(open_case(TOGETHER), spec) > 5


@pytest.mark.slow
@each("metric", SUMS, name_of)
def test_contributions_add_up_in_every_case_and_for_every_parameter(metric: Definition) -> None:
    for case in (TOGETHER, *ALONE):
        connection = open_case(case)
        for spec in specs_of(metric, one_at_a_time=True):
            if case == "graded" and "err" in spec:
                continue  # a grade of 5, which the default scale does not have
            check_sums(connection, spec)


@pytest.mark.slow
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_contributions_add_up_under_every_switch(switches: dict[str, Any]) -> None:
    n = 0
    for case in (TOGETHER, "ties"):
        connection = open_case(case)
        for metric in SUMS:
            (spec, *_) = specs_of(metric, (2,), one_at_a_time=True)
            try:
                n += check_sums(connection, spec, **switches)
            except (MetricError, UnsupportedError):
                continue  # the metric does not have this switch, or it changes nothing, or is no sum with it
    assert n > 10


@pytest.mark.slow
@pytest.mark.parametrize("switches", [{"ties": "expected"}, {"catalog_size": 100}], ids=str)
def test_contributions_add_up_under_some_switches(switches: dict[str, Any]) -> None:
    assert check_sums(open_case(TOGETHER), "ndcg@2", **switches) > 5


def test_the_metrics_that_are_sums_are_those_that_the_manual_lists() -> None:
    assert {*explainable(CATALOG)} == {metric.name for metric in RANKING} - OTHERS


@each("name", sorted(OTHERS))
def test_other_metrics_say_that_they_are_no_sums(name: str) -> None:
    metric = CATALOG.metrics["ranking", name]
    with pytest.raises(UnsupportedError, match=r"sum over.*; explain average_precision, bpref"):
        terms(Composer(CATALOG), metric, {})


def test_metrics_of_rows_are_no_sums_over_items() -> None:
    assert reason_against(CATALOG, CATALOG.metrics["classification", "auc"])


@pytest.mark.parametrize(
    ("value", "term"),
    [
        ("sum(x)", "COALESCE(x, 0)"),
        ("sum(x) FILTER (WHERE c)", "COALESCE(CASE WHEN c THEN x END, 0)"),
        ("count(*)", "COALESCE(1, 0)"),
        ("count(x) FILTER (WHERE c)", "COALESCE(CASE WHEN c AND NOT x IS NULL THEN 1 END, 0)"),
        ("coalesce(sum(x) / max(m), 0)", "COALESCE(COALESCE(x, 0) / MAX(m), 0)"),
        ("(1 - 0.8) * sum(x)", "(1 - 0.8) * COALESCE(x, 0)"),
        ("sum(x) * 2", "COALESCE(x, 0) * 2"),
        ("CAST(count(*) AS DOUBLE)", "CAST(COALESCE(1, 0) AS DOUBLE)"),
    ],
)
def test_a_sum_becomes_the_term_of_a_row(value: str, term: str) -> None:
    found = _row_term(sqlglot.parse_one(value), _leaf_of({}, []), lambda node: node.copy())
    assert found.sql("duckdb") == term


@pytest.mark.parametrize(
    "value",
    ["max(x)", "1 - sum(x)", "sum(x) + sum(y)", "coalesce(sum(x), 1)", "1 / sum(x)", "sum(x) * max(y)",
     "CASE WHEN c THEN sum(x) END", "x"],
)  # fmt: skip
def test_other_expressions_are_no_sums(value: str) -> None:
    with pytest.raises(NotASumError):
        _row_term(sqlglot.parse_one(value), _leaf_of({}, []), lambda node: node.copy())


def test_the_query_of_a_metric_does_not_carry_the_items() -> None:
    """Only contributions read which item a row belongs to."""
    for metric in SUMS:
        for ties in ("item_asc", "expected"):
            try:
                measure = parse_measure(CATALOG, metric.name, {"ties": ties}, ranking)
            except MetricError:
                continue
            query, _ = Composer(CATALOG).per_query([measure])
            assert not [c for c in query.find_all(exp.Column) if c.name in ("item", "place")], metric.name
