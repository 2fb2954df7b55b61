"""Metrics of all lists of a system equal the plain-Python reference, in every slice."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.errors import DuckmetricsError, MetricError
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
from support.side_tables import CATALOGUE, HISTORY, RUN, TRUTH, items_table, rows_of, side_of, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RUN, TRUTH, HISTORY, CATALOGUE, RUN, st.booleans(), st.data())
def test_random_tables_equal_the_reference(
    run: Any, qrels: Any, history: Any, catalogue: Any, other: Any, judged: bool, data: st.DataObject
) -> None:
    """Without a truth, every list counts."""
    specs = data.draw(st.lists(st.sampled_from(SHORT), min_size=1, max_size=8, unique=True), label="specs")
    if not judged:
        specs = [spec for spec in specs if "pop_reo" not in spec] or ["shannon_entropy"]
    rows, names = rows_of(run), ("query_id", "item_id")
    shared = qrels if run.keys() & qrels.keys() else qrels | run
    truth = rows_of(shared) if judged else None
    found = duckmetrics.evaluate(
        table(rows, (*names, "score")),
        None if truth is None else table(truth, (*names, "relevance")),
        specs,
        history=table(history, names),
        items=items_table(catalogue),
        reference=table(rows_of(other), (*names, "score")),
    )
    for row in found.rows:
        measure = parse_measure(CATALOG, row["metric"], {}, ranking)
        params = reference_params(measure)
        if truth is None:
            del params["population"]
        listed = [("", *own) for own in rows]
        side = side_of(history, catalogue, other)
        expected = per_system(measure.metric.name, listed, truth, **side, **params)
        assert_equal({("", None): row["value"]}, {("", None): expected[""]}, row["metric"])


@pytest.fixture(scope="module")
def sample() -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(with_two_systems("sample")) as connection:
        yield connection


def evaluated(
    sample: duckdb.DuckDBPyConnection, specs: Sequence[str], **options: Any
) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(
        "both_systems", "truth", specs, system="system", connection=sample, **SIDE_TABLES, **options
    )


def test_there_are_no_values_per_query(sample: duckdb.DuckDBPyConnection) -> None:
    found = evaluated(sample, ["coverage@2", "ndcg@2"]).per_query.to_pylist()
    assert {row["metric"] for row in found} == {"ndcg@2"}
    with pytest.raises(MetricError, match="no metric of queries was asked for"):
        _ = evaluated(sample, ["coverage@2"]).per_query


def test_parts_of_the_queries_change_nothing(sample: duckdb.DuckDBPyConnection) -> None:
    one, other = (evaluated(sample, ["shannon_entropy@2"], chunks=chunks).rows for chunks in (None, 2))
    assert one == other


@pytest.mark.parametrize(
    ("specs", "options", "message"),
    [
        (["coverage(agg=median)@2"], {}, "agg combines values of queries, and coverage has one value"),
        (["coverage@2"], {"agg": "median"}, "switch 'agg': no metric asked for takes it"),
        (["shannon_entropy@2"], {"verify": 10}, "recomputes values of queries, and this metric has"),
        (["coverage@2"], {"missing": "zero"}, "missing cannot be 'zero'"),
        (["personalization(norm=k)"], {}, "norm=k needs k; write it as in @10"),
        (["score_psi@2"], {"unjudged": "skip"}, "unjudged cannot be 'skip'"),
    ],
)  # fmt: skip
def test_mistakes_are_refused(
    sample: duckdb.DuckDBPyConnection, specs: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DuckmetricsError, match=re.escape(message)):
        evaluated(sample, specs, **options)


def test_a_system_without_any_item_of_the_catalogue_covers_nothing() -> None:
    run = table([("A", "q1", "x", 1.0), ("B", "q1", "a", 1.0)], ("system", "query_id", "item_id", "score"))
    items = table([("a",), ("b",)], ("item_id",))
    specs = ["coverage", "coverage(scale=count)", "ranking.gini"]
    ev = duckmetrics.evaluate(run, None, specs, items=items, system="system")
    assert [ev.value(spec, "A") for spec in specs] == [0, 0, None]
    assert [ev.value(spec, "B") for spec in specs] == [0.5, 1, 0.5]
    assert any("1 of 2 systems without any item of the catalogue" in text for text in ev.warnings)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    ["coverage(over=recommended, scale=count)", "ranking.gini(over=recommended)", "shannon_entropy",
     "effective_catalog_size", "personalization"],
)  # fmt: skip
def test_a_catalogue_is_only_needed_where_it_counts(spec: str) -> None:
    run = table([("q1", "a", 1.0), ("q2", "b", 1.0)], ("query_id", "item_id", "score"))
    assert duckmetrics.evaluate(run, None, spec)[spec] is not None


@pytest.mark.slow
def test_systems_are_compared(sample: duckdb.DuckDBPyConnection) -> None:
    """The difference of two systems with the same lists is 0; metrics without intervals have a reason."""
    specs = [f"{metric.name}@2" if metric.name != "gini" else "ranking.gini@2" for metric in OF_SYSTEMS]
    found = duckmetrics.compare(
        "both_systems", "truth", specs, system="system", baseline="one", population="both",
        connection=sample, **SIDE_TABLES,
    )  # fmt: skip
    assert [*dict.fromkeys(row["metric"] for row in found.rows)] == specs
    for row in found.rows:
        if "influence" not in parse_measure(CATALOG, row["metric"]).metric.header:
            assert row["p"] is None, row["metric"]
    ordered = [spec for spec in specs if "item_novelty" not in spec]
    assert duckmetrics.leaderboard(
        "both_systems", "truth", ordered, system="system", population="both", connection=sample, **SIDE_TABLES
    ).rows


@pytest.mark.some(2)
@pytest.mark.parametrize("name", [m.name for m in OF_SYSTEMS if "influence" not in m.header])
def test_systems_are_compared_by_a_metric_without_a_test(
    sample: duckdb.DuckDBPyConnection, name: str
) -> None:
    found = duckmetrics.compare(
        "both_systems", "truth", f"{name}@2", system="system", baseline="one", population="both",
        connection=sample, **SIDE_TABLES,
    )  # fmt: skip
    assert [row["verdict"] for row in found.rows if row["system"] != "one"] == ["not tested"]
    assert "not tested" in found.verdict
