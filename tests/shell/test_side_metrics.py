"""Macros of metrics that `evaluate` does not offer give the values of the Python API.

They read a history, a catalogue or another run, or have one value for all lists of a system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from shell.test_ranking import COMPARED, grouped

import duckmetrics
from support.cases import (
    CATALOG,
    OF_SYSTEMS,
    SIDE,
    TOLERANT,
    load_together,
    open_tables,
    side_tables,
    specs_of,
)
from support.duckdb_shell import call, connected, differences, refusal
from support.duckdb_shell import rows as table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from duckmetrics.catalog.definition import Definition

pytestmark = pytest.mark.engine

# Every query is a slice of its own, so the rows have the values of all queries.
SLICED = {"system": "system", "by": "name", "queries": "names"}
# The predictions of one system, and a truth that needs no switch.
ONE = """
    CREATE VIEW one AS SELECT DISTINCT ON (query_id, item_id) query_id, item_id, score
    FROM predictions WHERE system = 'A';
    CREATE VIEW judged AS SELECT DISTINCT ON (query_id, item_id) query_id, item_id, relevance
    FROM truth WHERE relevance >= 0;
"""
SWITCHES: list[dict[str, Any]] = [
    {},
    {"ties": "item_desc", "scores": "float32"},
    {"unjudged": "skip", "ties": "pessimistic"},
    {"population": "predictions", "missing": "skip"},
]


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        load_together(connection)
        open_tables(connection)
        connection.execute(ONE)
        connection.execute("CREATE TABLE names AS SELECT DISTINCT query_id, query_id AS name FROM truth")
        yield connection


def assert_agrees(
    session: duckdb.DuckDBPyConnection, metric: Definition, specs: Sequence[str], **switches: Any
) -> None:
    """Compare the rows of all systems and queries with those of `duckmetrics.evaluate`."""
    tables = side_tables(metric)
    given = {**TOLERANT, **switches}
    for group in grouped(specs):
        found = duckmetrics.evaluate(
            "predictions", "truth", group.specs, connection=session, **SLICED, **tables, **given
        )
        told = group.expected(metric.name, dict.fromkeys(group.specs, ()))
        macro = metric.macros.get(metric.name, metric.name)
        label = dict(zip(group.specs, told, strict=True))
        wanted = {
            (row["system"], row["name"], *label[row["metric"]]): tuple(row[c] for c in COMPARED)
            for row in found.rows
        }
        query = call(macro, **group.named, **tables, **SLICED, **given)
        rows = {
            (row["system"] or "", row["name"], row["metric"]): tuple(row[c] for c in COMPARED)
            for row in table(session, query)
        }
        assert len(wanted) > 10
        assert rows.keys() == wanted.keys()
        assert not differences([rows[key] for key in wanted], [*wanted.values()]), query


@pytest.mark.some(0)
@pytest.mark.parametrize("name", ["serendipity", "average_popularity", "category_diversity", "overlap"])
def test_a_macro_equals_python(session: duckdb.DuckDBPyConnection, name: str) -> None:
    assert_agrees(session, CATALOG.metrics["ranking", name], [f"{name}@2"])


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", SIDE, ids=lambda metric: metric.name)
def test_every_macro_equals_python_with_every_parameter(
    session: duckdb.DuckDBPyConnection, metric: Definition
) -> None:
    specs = specs_of(metric, (None, 1, 3), one_at_a_time=True)
    assert_agrees(session, metric, specs)
    for switches in SWITCHES:
        assert_agrees(session, metric, specs[-1:], **switches)


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", OF_SYSTEMS, ids=lambda metric: metric.name)
def test_a_macro_of_all_lists_of_a_system_equals_python(
    session: duckdb.DuckDBPyConnection, metric: Definition
) -> None:
    assert_agrees(session, metric, [f"ranking.{metric.name}@2"])


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", OF_SYSTEMS, ids=lambda metric: metric.name)
def test_every_macro_of_all_lists_equals_python_with_every_parameter(
    session: duckdb.DuckDBPyConnection, metric: Definition
) -> None:
    specs = [f"ranking.{spec}" for spec in specs_of(metric, (None, 1, 3), one_at_a_time=True)]
    assert_agrees(session, metric, specs)
    for switches in SWITCHES:
        if metric.name != "score_psi" or "population" in switches:
            assert_agrees(session, metric, specs[-1:], **switches)


@pytest.mark.some(1)
@pytest.mark.parametrize(("alias", "name"), [("arp", "average_popularity"), ("novelty", "self_information")])
def test_an_alias_has_a_macro(session: duckdb.DuckDBPyConnection, alias: str, name: str) -> None:
    found, wanted = (
        session.execute(f"FROM {macro}(one, judged, k := 2, history := history)").fetchall()
        for macro in (alias, name)
    )
    assert [row[1] for row in found] == [f"{alias}@2"]
    assert [row[3] for row in found] == [row[3] for row in wanted]


@pytest.mark.parametrize(
    ("called", "message"),
    [
        ("arp(one, judged)", "arp: needs history := ..., the interactions"),
        ("ild(one, judged, k := 2)", "ild: needs items := ..., the catalogue of all items; "
         "give a table with vector"),
        ("overlap(one, judged)", "overlap: needs reference := ..., the run to compare with"),
        ("arp(one, judged, history := 'FROM history WHERE false')", "history: no rows"),
        ("ild(one, judged, items := 'FROM items WHERE false')", "items: no rows"),
        ("arp(one, judged, popularity := 'users', history := 'SELECT 1 AS query_id, item_id FROM history')",
         "history has query_id of type INTEGER, truth has query_id of type VARCHAR"),
        ("ild(one, judged, items := 'SELECT 1 AS item_id, vector FROM items')",
         "items has item_id of type INTEGER, truth has item_id of type VARCHAR"),
        ("ild(one, judged, items := items, vector := 'category')",
         "items: column 'category' is VARCHAR[], not a list of numbers"),
        ("ild(one, judged, items := items, vector := 'embedding')",
         "items: no column 'embedding'; name it with vector := ..."),
        ("category_diversity(one, judged, items := items, category := 'genre')",
         "items: no column 'genre'; name it with category := ..."),
        ("exposure(one, judged, 'd', items := items, category_column := 'genre')",
         "items: no column 'genre'; name it with category_column := ..."),
        ("epc(one, judged, history := history, relevance_column := 'grade')",
         "truth: no column 'grade'; name it with relevance_column := ..."),
        ("overlap(one, judged, reference := 'SELECT query_id, item_id FROM reference')",
         "reference: no column 'score'; name it with score := or rank :="),
        ("aplt(one, judged, history := history, boundary := 2)", "boundary is '2', but must satisfy"),
        ("gini_at(one, judged)", "gini: needs items := ..., the catalogue of all items"),
        ("coverage(one, judged, over := 'recommended')", "coverage: needs items := ..."),
        ("pop_reo(one, judged)", "pop_reo: needs history := ..., the interactions"),
        ("psi(one, judged, k := 2)", "psi: needs reference := ..., the run to compare with"),
        ("coverage(one, judged, history := 'FROM history WHERE false')", "items: no rows"),
        ("coverage(one, judged, items := 'SELECT 1 AS item_id')",
         "items has item_id of type INTEGER, truth has item_id of type VARCHAR"),
        ("personalization(one, judged, k := 0)", "'personalization@0': the cut-off must be a positive"),
        ("coverage(one, judged, k := 2, items := items, \"like\" := 'replay2')", "like cannot be 'replay2'"),
        ("evenness(one, judged, items := items, padding := -1)", "padding cannot be '-1' for what is asked"),
        ("evenness(one, judged, items := items, missing := 'zero')", "missing cannot be 'zero'"),
        ("pop_rsp(one, judged, history := history, missing := 'error')", "queries of the population with no"),
        ("coverage(one, judged, items := items, \"by\" := 'age')", "by: no table has all of age"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_refused(session: duckdb.DuckDBPyConnection, called: str, message: str) -> None:
    assert message in refusal(session, f"FROM {called}")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("called", "same"),
    [
        ("category_diversity({}, k := 2, items := 'SELECT item_id, category[1] AS genre FROM items', "
         "category := 'genre')",
         "category_diversity({}, k := 2, items := 'SELECT item_id, category[:1] AS category FROM items')"),
        ("category_diversity({}, items := 'SELECT * REPLACE (ascii(category[1]) AS category) FROM items')",
         "category_diversity({}, items := 'SELECT item_id, category[1][:1] AS category FROM items')"),
        ("ild({}, items := 'FROM items SELECT item_id, [2 * x for x in vector]::INT[] AS v', "
         "vector := 'v')",
         "ild({}, items := 'SELECT item_id, vector FROM items')"),
        ("exposure({}, 'd', items := 'SELECT item_id, category AS c FROM items', category_column := 'c')",
         "exposure({}, category := 'd', items := items)"),
        ("serendipity({}, k := 2, history := history)",
         "serendipity({}, k := 2, history := history, items := 'SELECT DISTINCT item_id FROM history')"),
        ("overlap({}, k := 2, reference := 'SELECT query_id, item_id, -score AS rank FROM reference')",
         "overlap({}, k := 2, reference := reference)"),
        ("coverage({}, k := 2, history := history)",
         "item_coverage({}, k := 2, items := 'SELECT DISTINCT item_id FROM history')"),
        ("coverage({}, k := 2, items := items, history := 'FROM history WHERE false')",
         "catalog_coverage({}, k := 2, items := items)"),
        ("gini_at({}, k := 2, over := 'recommended')",
         "gini_at({}, k := 2, over := 'recommended', items := items)"),
        ("coverage({}, k := 2, over := 'recommended', scale := 'count')",
         "coverage({}, k := 2, over := 'recommended', scale := 'count', history := history)"),
        ("personalization(one, one, k := 2)",
         "personalization(one, 'SELECT DISTINCT query_id, item_id FROM one', k := 2)"),
        ("arp(one, one, history := history)",
         "arp(one, 'SELECT DISTINCT query_id, item_id FROM one', history := history)"),
    ],
    ids=str,
)  # fmt: skip
def test_calls_that_mean_the_same(session: duckdb.DuckDBPyConnection, called: str, same: str) -> None:
    values = [
        session.execute(f"SELECT value, n FROM {text.format('one, judged')}").fetchall()
        for text in (called, same)
    ]
    assert values[0][0][0] is not None
    assert not differences(*values)
