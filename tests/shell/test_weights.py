"""Weights of queries in the macros of rankings: equal to the Python API, and mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from evaluation.test_query_weights import MAPPED, T

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engine

METRICS = "ndcg@5, mrr, recall@3, average_precision@5"
WEIGHT = "queries := 'queries', weight := 'traffic'"


@pytest.fixture(scope="module")
def shell() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(duckmetrics.macros_sql())
        for name, table in T.items():
            connection.register(name, table)
        connection.execute(
            "CREATE TABLE two AS SELECT *, 'A' AS s FROM run UNION ALL SELECT *, 'B' FROM other"
        )
        yield connection


def rows(shell: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    found = shell.sql(query)
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def weighted(run: Any = "run", **options: Any) -> list[dict[str, Any]]:
    run = T[run] if isinstance(run, str) else run
    call = {"queries": T["queries"], "columns": MAPPED, **options}
    return list(duckmetrics.evaluate(run, T["truth"], METRICS, **call).rows)


SHARED = ("system", "metric", "slice", "n", "n_missing", "n_no_relevant", "signature")


@pytest.mark.parametrize("by", [None, "country"])
@pytest.mark.parametrize("several", [False, True])
def test_means_are_those_of_python(shell: duckdb.DuckDBPyConnection, by: str | None, several: bool) -> None:
    options = ", system := 's'" if several else ""
    options += f", by := '{by}'" if by else ""
    table = "two" if several else "run"
    found = rows(shell, f"FROM evaluate('{table}', 'truth', '{METRICS}', {WEIGHT}{options})")
    run = shell.sql("FROM two").df() if several else "run"
    expected = weighted(run, by=by, system="s" if several else None)
    keys = (*SHARED, *([by] if by else []))
    in_order = [
        sorted((tuple(map(str, map(row.get, keys))), row["value"]) for row in every)
        for every in (found, expected)
    ]
    assert in_order[0] == [(row, pytest.approx(value, rel=1e-14)) for row, value in in_order[1]]
    plain = rows(shell, f"FROM evaluate('{table}', 'truth', '{METRICS}', queries := 'queries'{options})")
    assert all(one["value"] != row["value"] for one, row in zip(plain, found, strict=True))


def test_one_metric_and_values_of_queries(shell: duckdb.DuckDBPyConnection) -> None:
    expected = {row["metric"]: row["value"] for row in weighted()}
    (found,) = rows(shell, f"FROM ndcg('run', 'truth', 5, {WEIGHT})")
    assert found["value"] == pytest.approx(expected["ndcg@5"], rel=1e-14)
    values = rows(shell, f"FROM evaluate_by_query('run', 'truth', 'ndcg@5', {WEIGHT})")
    traffic = dict(zip(T["queries"]["query_id"], T["queries"]["traffic"], strict=True))
    assert {row["query_id"] for row in values} == {query for query, n in traffic.items() if n > 0} & {
        *T["truth"]["query_id"]
    }
    known = [(row["value"], traffic[row["query_id"]]) for row in values if row["value"] is not None]
    mean = sum(value * n for value, n in known) / sum(n for _, n in known)
    assert mean == pytest.approx(expected["ndcg@5"], rel=1e-12)


def test_a_tool_reads_weights(shell: duckdb.DuckDBPyConnection) -> None:
    call = {"queries": T["queries"], "columns": MAPPED, "like": "trec_eval", "missing": "zero"}
    expected = duckmetrics.evaluate(T["run"], T["truth"], "ndcg@5", **call)["ndcg@5"]
    options = f"{WEIGHT}, \"like\" := 'trec_eval', missing := 'zero'"
    for metrics in ("ndcg@5", "ndcg@5, mrr"):
        found = rows(shell, f"FROM evaluate('run', 'truth', '{metrics}', {options})")
        assert found[0]["value"] == pytest.approx(expected, rel=1e-14)


def test_weights_of_the_truth(shell: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT truth.*, traffic FROM truth JOIN queries USING (query_id)"
    (found,) = rows(shell, f"FROM evaluate('run', '{query}', 'mrr', weight := 'traffic')")
    expected = next(row for row in weighted() if row["metric"] == "mrr")
    assert (found["value"], found["n"]) == (pytest.approx(expected["value"], rel=1e-14), expected["n"])


MISTAKES = {
    "weight := 'nope'": "no table has a column 'nope'; name one of queries, truth or predictions",
    "queries := 'queries', weight := 'country'": "column 'country' is VARCHAR, and a weight is a number",
    f"{WEIGHT}, agg := 'median'": "agg := 'mean' alone reads weights; leave one of them out",
    "weight := 'relevance'": r"column 'relevance' varies within a query \(query_id=\d+, 0 and \d\)",
    "queries := 'SELECT query_id, traffic FROM queries WHERE query_id > 5', weight := 'traffic'":
        r"is no weight for query_id=[0-5] \(NULL\); give every query a number",
    "queries := 'SELECT query_id, -traffic AS traffic FROM queries', weight := 'traffic'": "is no weight for",
    "queries := 'SELECT query_id, 1 / 0 AS traffic FROM queries', weight := 'traffic'": "is no weight for",
}  # fmt: skip


@pytest.mark.parametrize("options", MISTAKES)
def test_mistakes_are_refused(shell: duckdb.DuckDBPyConnection, options: str) -> None:
    with pytest.raises(duckdb.Error, match=f"duckmetrics: weight: .*{MISTAKES[options]}"):
        rows(shell, f"FROM evaluate('run', 'truth', 'ndcg@5', {options})")
