"""Every metric equals the plain-Python reference, per query."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from support.cases import (
    CATALOG,
    RANKING,
    SHORT,
    TOGETHER,
    TOLERANT,
    assert_same,
    open_case,
    reference_values,
    specs_of,
    values_per_query,
)

if TYPE_CHECKING:
    import duckdb

    from duckmetrics.catalog.definition import Definition

AVERAGED = [
    metric for metric in RANKING if "expected" in getattr(CATALOG.params(metric).get("ties"), "choices", ())
]
SWITCHES = [
    {"ties": "item_desc"},
    {"ties": "item_desc_text"},
    {"ties": "pessimistic"},
    {"ties": "optimistic"},
    {"ties": "input"},
    {"scores": "float32"},
    {"scores": "float32", "ties": "item_desc_text", "missing": "skip", "no_relevant": "zero"},
    {"unjudged": "skip"},
    {"unjudged": "skip", "ties": "pessimistic"},
    {"duplicates": "first"},
    {"duplicates": "first", "unjudged": "skip", "ties": "optimistic"},
    {"population": "predictions"},
    {"population": "both"},
    {"missing": "skip"},
    {"no_relevant": "zero"},
    {"no_relevant": "one"},
    {"rel": 2},
    {"rel": 0},
    {"rel": 2, "gain": "binary"},
    {"catalog_size": 23},
    {"catalog_size": 10, "unjudged": "skip", "duplicates": "first"},
]


def test_equals_the_reference() -> None:
    """All cases that fit into one table are evaluated at once, with every metric."""
    with closing(open_case(TOGETHER)) as connection:
        actual = values_per_query(connection, SHORT, **TOLERANT)
        for spec in SHORT:
            assert_same(actual[spec], reference_values(connection, spec, **TOLERANT), spec)


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
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
    case: duckdb.DuckDBPyConnection, switches: dict[str, object]
) -> None:
    switches = {**TOLERANT, **switches}
    actual = values_per_query(case, SHORT, **switches)
    for spec in SHORT:
        assert_same(actual[spec], reference_values(case, spec, **switches), f"{spec} {switches}")


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", AVERAGED, ids=lambda metric: metric.name)
def test_ties_can_be_averaged_over(case: duckdb.DuckDBPyConnection, metric: Definition) -> None:
    specs = [spec for spec in specs_of(metric) if "full_k" not in spec or "@" in spec]
    switches = {**TOLERANT, "ties": "expected"}
    actual = values_per_query(case, specs, **switches)
    for spec in specs:
        assert_same(actual[spec], reference_values(case, spec, **switches), spec)
