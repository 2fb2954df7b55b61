"""Macros in a SELECT list: each is the metric of the Python package, under any grouping."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from classification import (
    APART,
    METRICS,
    PROBABILITIES,
    REQUIRED,
    UNBOUNDED,
    open_case,
    open_together,
    same,
    specs_of,
)
from conftest import CATALOG, TOGETHER
from conftest import open_case as open_ranking
from shell import text, written

import duckmetrics
from duckmetrics.macros.script import macros
from duckmetrics.measure import parse_measure

if TYPE_CHECKING:
    from collections.abc import Iterator


AGGREGATES = {
    macro.name: macro for macro in macros(CATALOG)
    if not macro.is_table and macro.metric and macro.overloads[0].arguments[-1].name == "where_"
}  # fmt: skip
OF_CLASSES = {
    name: macro for name, macro in AGGREGATES.items()
    if any(family == "classification" and name in (n, alias.metric.macros.get(n, n))
           for (family, n), alias in CATALOG.names.items())
}  # fmt: skip
# What the issue of the shell asks for, beside p-values.
WANTED = [
    "roc_auc",
    "average_precision",
    "gini",
    "log_loss",
    "brier",
    "ece",
    "calibration_ratio",
    "normalized_entropy",
    "accuracy",
    "precision_score",
    "recall_score",
    "f1_score",
    "mcc",
    "rmse",
    "mae",
    "reciprocal_rank",
    "dcg",
    "ndcg",
]
TOLERANCE = 1e-12


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_together(PROBABILITIES)
    connection.execute(text())
    yield connection
    connection.close()


def metric_specs(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Every combination of the parameters that a macro has, as the spec of Python and as arguments."""
    alias = next(
        a for (family, n), a in CATALOG.names.items()
        if family == "classification" and name in (n, a.metric.macros.get(n, n))
    )  # fmt: skip
    known = {a.name for a in AGGREGATES[name].overloads[0].arguments}
    found = []
    for spec in specs_of(alias.metric):
        measure = parse_measure(CATALOG, spec)
        given = {p.name: v for p, (_, v) in zip(measure.declared, measure.params, strict=True)
                 if p.name in alias.metric.own_params and (p.required or v != p.default)}  # fmt: skip
        bound = all(
            str(given.get(n)) == f"{float(v)}" or str(given.get(n)) == v for n, v in alias.bound.items()
        )
        if bound and given.keys() - alias.bound.keys() <= known:
            found.append((spec, {n: v for n, v in given.items() if n not in alias.bound}))
    return found


def call(name: str, label: str, score: str, arguments: dict[str, Any]) -> str:
    named = "".join(f', "{n}" := {written(v)}' for n, v in arguments.items())
    return f"{name}({label}, {score}{named})"


def test_what_people_reach_for_is_there() -> None:
    assert set(WANTED) <= AGGREGATES.keys()


def test_the_metrics_that_are_one_aggregate_all_have_a_macro() -> None:
    """The others look at the rows twice, and are tables."""
    tables_only = {m.name for m in METRICS} - {m.metric.name for m in OF_CLASSES.values() if m.metric}
    for name in tables_only:
        metric = CATALOG.metrics["classification", name]
        read = {d.name for d in (metric, *CATALOG.foundations(metric))}
        windows = any(
            "OVER" in d.query.sql() for d in (metric, *CATALOG.foundations(metric)) if d.name in read
        )
        assert windows or read & {"bins", "calibration_fit"}, f"{name} could be an aggregate"


@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_macro_is_the_metric_of_every_case(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    specs = metric_specs(name)
    assert specs
    result = duckmetrics.evaluate("predictions", None, [s for s, _ in specs], by="name",
                                  connection=connection, weighted=False)  # fmt: skip
    columns = ", ".join(call(name, "label", "score", arguments) for _, arguments in specs)
    rows = connection.execute(f"SELECT name, {columns} FROM predictions GROUP BY ROLLUP (name)").fetchall()
    told = {(row["name"], row["metric"]): row["value"] for row in result.rows}
    assert len(rows) == len(PROBABILITIES) + 1
    for case, *values in rows:
        for (spec, _), value in zip(specs, values, strict=True):
            wanted = told[case, spec]
            if wanted is None:
                assert value is None or not math.isfinite(value), (spec, case)
            else:
                assert same(value, wanted, TOLERANCE), (spec, case, value, wanted)


@pytest.mark.parametrize("case", [*UNBOUNDED, *APART])
def test_macros_of_any_score(case: str) -> None:
    """Scores that are no probabilities, labels that are -1 and 1, ratings."""
    connection = open_case(case)
    connection.execute(text())
    tried = 0
    for name, macro in OF_CLASSES.items():
        for spec, arguments in metric_specs(name)[:1]:
            try:
                wanted = duckmetrics.evaluate(
                    "predictions", None, [spec], connection=connection, weighted=False
                )[spec]
            except duckmetrics.InputError:
                with pytest.raises(duckdb.Error, match="duckmetrics: "):
                    connection.execute(
                        f"SELECT {call(name, 'label', 'score', arguments)} FROM predictions"
                    ).fetchall()
                continue
            found = connection.execute(
                f"SELECT {call(name, 'label', 'score', arguments)} FROM predictions"
            ).fetchall()
            assert wanted is None or same(found[0][0], wanted, TOLERANCE), (spec, found, wanted)
            tried += 1
    assert tried > 3, macro


@pytest.mark.parametrize("case", [TOGETHER, "graded", "integer_ids", "ties"])
def test_aggregates_of_a_ranking(case: str) -> None:
    """Every item of the truth that was returned, in the order of the scores, equal ones worst first."""
    connection = open_ranking(case)
    connection.execute(text())
    connection.execute(
        "CREATE TABLE log AS SELECT DISTINCT ON (query_id, item_id) query_id, item_id, score, "
        "greatest(coalesce(relevance, 0), 0) AS relevance FROM predictions LEFT JOIN truth USING (query_id, item_id)"
    )
    for k, metric in product((None, 1, 2, 50), ("ndcg", "reciprocal_rank")):
        if k is not None and metric == "reciprocal_rank":
            continue
        spec = metric if k is None else f"{metric}@{k}"
        result = duckmetrics.evaluate(
            "log", "log", [spec], connection=connection, ties="pessimistic",
        )  # fmt: skip
        wanted = dict(zip(*(result.per_query[c].to_pylist() for c in ("query_id", "value")), strict=True))
        label = "relevance > 0" if metric == "reciprocal_rank" else "relevance"
        asked = call(metric, label, "score", {} if k is None else {"k": k})
        found = dict(connection.execute(f"SELECT query_id, {asked} FROM log GROUP BY query_id").fetchall())
        assert found.keys() == wanted.keys()
        for query, value in wanted.items():
            assert same(found[query], value, TOLERANCE), (spec, query)
    ranked = (
        "(SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) AS place FROM log)"
    )
    for k in (None, 2):
        spec = "dcg" if k is None else f"dcg@{k}"
        result = duckmetrics.evaluate("log", "log", [spec], connection=connection, no_relevant="zero")
        asked = call("dcg", "relevance", "place", {} if k is None else {"k": k})
        found = dict(
            connection.execute(f"SELECT query_id, {asked} FROM {ranked} GROUP BY query_id").fetchall()
        )
        for query, value in zip(
            *(result.per_query[c].to_pylist() for c in ("query_id", "value")), strict=True
        ):
            assert same(found[query], value, TOLERANCE), (spec, query)


def test_a_condition_takes_the_place_of_filter(connection: duckdb.DuckDBPyConnection) -> None:
    arguments = {name: macro.overloads[0].arguments for name, macro in OF_CLASSES.items()}
    required = {name: {a.name: REQUIRED[a.name] for a in known if a.required and a.name in REQUIRED}
                for name, known in arguments.items()}  # fmt: skip
    asked = [
        call(n, "label", "score", required[n])[:-1] + ", where_ := name <> 'sample' AND score < 0.7)"
        for n in arguments
    ]
    kept = [call(n, "label", "score", required[n]) for n in arguments]
    found = connection.execute(f"SELECT {', '.join(asked)} FROM predictions").fetchone()
    wanted = connection.execute(
        f"SELECT {', '.join(kept)} FROM predictions WHERE name <> 'sample' AND score < 0.7"
    ).fetchone()
    assert found and wanted
    for name, value, other in zip(arguments, found, wanted, strict=True):
        assert value is other is None or math.isclose(value, other, rel_tol=TOLERANCE), name
    nothing = [f"{a[:-1]}, where_ := FALSE)" for a in kept]
    (empty,) = connection.execute(f"SELECT {', '.join(nothing)} FROM predictions").fetchall()
    assert set(empty) <= {None, 0.0}


def test_groupings_and_having(connection: duckdb.DuckDBPyConnection) -> None:
    query = """
        SELECT {}, roc_auc(label, score) AS auc, count(*) AS n FROM predictions
        GROUP BY {} HAVING roc_auc(label, score) > 0.5 ORDER BY ALL
    """
    cube = connection.execute(query.format("name, group_id", "CUBE (name, group_id)")).fetchall()
    sets = connection.execute(
        query.format("name, group_id", "GROUPING SETS ((name, group_id), (name), (group_id), ())")
    ).fetchall()
    assert cube == sets
    assert len(cube) > 10
    by_name = connection.execute(query.format("name, NULL", "ROLLUP (name)")).fetchall()
    assert set(by_name) <= set(sets)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("roc_auc(NULL, 0.5)", "label is NULL"),
        ("roc_auc(1, NULL)", "score is NULL"),
        ("roc_auc(1, 'nan'::DOUBLE)", "score is NaN"),
        ("roc_auc(2, 0.5)", "none of 0, 1"),
        ("roc_auc('yes', 0.5)", "label is VARCHAR"),
        ("log_loss(1, 1.5)", "outside of"),
        ("log_loss(1, 0.5, eps := 0.7)", "eps cannot be '0.7'"),
        ("ece(1, 0.5, bins := 0)", "bins cannot be '0'"),
        ("ece(1, 0.5, bins := 2.5)", "a whole number"),
        ("ndcg(-1, 0.5)", "rel >= 0"),
        ("ndcg(1, 0.5, k := 0)", "k cannot be '0'"),
        ("dcg(1, 0)", "rank >= 1"),
        ("dcg(1, 1, k := 'ten')", "k cannot be 'ten'"),
        ("f1_score(1, 0.5, threshold := NULL)", "threshold"),
    ],
)
def test_what_is_refused(asked: str, problem: str) -> None:
    connection = duckdb.connect()
    connection.execute(text())
    with pytest.raises(duckdb.Error, match="duckmetrics: ") as raised:
        connection.execute(f"SELECT {asked} FROM (SELECT 1)").fetchall()
    assert problem in str(raised.value)


def test_both_negative_labels_are_refused() -> None:
    connection = duckdb.connect()
    connection.execute(text())
    with pytest.raises(duckdb.Error, match="duckmetrics: rows with the label -1"):
        connection.execute(
            "SELECT roc_auc(l, s) FROM (VALUES (-1, 0.1), (0, 0.2), (1, 0.3)) AS t(l, s)"
        ).fetchall()


def test_columns_called_like_the_names_inside() -> None:
    """Lambdas and parameters capture nothing of the caller's."""
    names = ("_entry", "_place", "_hits", "_given", "_b", "label", "score", "k", "bins", "where_")
    columns = ", ".join(f"{i} AS {name}" for i, name in enumerate(names, start=100))
    connection = duckdb.connect()
    connection.execute(text())
    connection.execute(
        f"CREATE TABLE t AS SELECT {columns}, * FROM (VALUES (1, 0.9), (0, 0.8), (1, 0.7)) AS t(y, p)"
    )
    found = connection.execute(
        "SELECT roc_auc(y, p), average_precision(y, p), ece(y, p), ndcg(y, p, k := 2), reciprocal_rank(y, p), "
        "log_loss(label := y, score := p) FROM t"
    ).fetchone()
    plain = connection.execute(
        "SELECT roc_auc(y, p), average_precision(y, p), ece(y, p), ndcg(y, p, k := 2), reciprocal_rank(y, p), "
        "log_loss(y, p) FROM (SELECT y, p FROM t)"
    ).fetchone()
    assert found == plain
    assert found is not None
    assert found[0] == 0.5
