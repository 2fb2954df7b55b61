"""Metrics of all lists of a system equal the plain-Python reference, in every slice."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference import per_system
from support.cases import (
    CATALOG,
    OF_SYSTEMS,
    TOGETHER,
    TOLERANT,
    open_case,
    ranking,
    reference_params,
    side_tables_of,
    specs_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

    from duckmetrics.catalog.definition import Definition

QUICK = [spec for metric in OF_SYSTEMS for spec in specs_of(metric, (2,), one_at_a_time=True)]
SHORT = [spec for metric in OF_SYSTEMS for spec in specs_of(metric, (None, 1, 3), one_at_a_time=True)]
SWITCHES: list[dict[str, Any]] = [
    {"ties": "item_desc"},
    {"ties": "pessimistic", "scores": "float32"},
    {"unjudged": "skip"},
    {"duplicates": "first"},
    {"population": "predictions"},
    {"population": "both", "missing": "skip"},
    {"rel": 2},
]
SIDE_TABLES = {name: name for name in ("history", "items", "reference")}
# A second system: the same rows in another order, without the answers to a third of the queries.
TWO_SYSTEMS = """
CREATE TABLE both_systems AS
SELECT 'one' AS system, query_id, item_id, score FROM predictions
UNION ALL
SELECT 'two' AS system, query_id, item_id, floor(-score) AS score FROM predictions
WHERE ascii(right(query_id::VARCHAR, 1)) % 3 > 0;
CREATE TABLE parts AS
SELECT query_id, ascii(right(query_id::VARCHAR, 1)) % 2 AS part
FROM (SELECT query_id FROM predictions UNION SELECT query_id FROM truth) AS ids
WHERE query_id IS NOT NULL
"""
Key = tuple[str, Any]


def with_two_systems(name: str) -> duckdb.DuckDBPyConnection:
    connection = open_case(name)
    connection.execute(TWO_SYSTEMS)
    return connection


def found_of(
    connection: duckdb.DuckDBPyConnection, specs: Sequence[str], **switches: Any
) -> dict[str, dict[Key, float | None]]:
    """Return spec -> (system, part) -> value; the part None is all queries."""
    result = duckmetrics.evaluate(
        "both_systems", "truth", specs, system="system", queries="parts", by="part",
        connection=connection, **SIDE_TABLES, **switches,
    )  # fmt: skip
    found: dict[str, dict[Key, float | None]] = {spec: {} for spec in specs}
    for row in result.rows:
        found[row["metric"]][row["system"], row["part"]] = row["value"]
    return found


def expected_of(connection: duckdb.DuckDBPyConnection, spec: str, **switches: Any) -> dict[Key, float | None]:
    """Return the same by the reference; a slice in which a system has no list is left out."""
    predictions = connection.execute("SELECT system, query_id, item_id, score FROM both_systems").fetchall()
    truth = connection.execute("SELECT query_id, item_id, relevance FROM truth").fetchall()
    parts = connection.execute("SELECT query_id, part FROM parts").fetchall()
    measure = parse_measure(CATALOG, spec, switches, ranking)
    given = {**side_tables_of(connection), **reference_params(measure)}
    found: dict[Key, float | None] = {}
    for part in (None, *sorted({part for _, part in parts})):
        queries = [query for query, own in parts if part in (None, own)]
        values = per_system(measure.metric.name, predictions, truth, queries=queries, **given)
        found |= {(system, part): value for system, value in values.items()}
    return found


def assert_equal(found: Mapping[Key, float | None], expected: Mapping[Key, float | None], about: str) -> None:
    """Check for equal values; a system without a list in a slice has none."""
    assert {key: value for key, value in found.items() if key not in expected and value is not None} == {}
    for key, value in expected.items():
        assert (found.get(key) is None) == (value is None), f"{about} {key}: {found.get(key)} not {value}"
        if value is not None:
            assert found[key] == pytest.approx(value, rel=1e-12, abs=1e-12), f"{about} {key}"


def check(name: str, specs: Iterable[str], **switches: Any) -> None:
    specs = [*specs]
    with closing(with_two_systems(name)) as connection:
        found = found_of(connection, specs, **switches)
        for spec in specs:
            assert_equal(found[spec], expected_of(connection, spec, **switches), f"{name} {spec}")


def test_equals_the_reference() -> None:
    check(TOGETHER, QUICK, **TOLERANT)


@pytest.mark.slow
@pytest.mark.parametrize("case", [TOGETHER, "graded", "integer_ids", "ties"])
@pytest.mark.parametrize("metric", OF_SYSTEMS, ids=lambda metric: metric.name)
def test_equals_the_reference_with_every_parameter(metric: Definition, case: str) -> None:
    check(case, specs_of(metric), **TOLERANT)


@pytest.mark.slow
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_equals_the_reference_with_every_switch(switches: dict[str, Any]) -> None:
    """A metric that does not take a switch is refused, which is tested with the specs."""
    check(TOGETHER, SHORT, **{**TOLERANT, **switches})
