"""Macros in a SELECT list: each is the metric of the Python package, under any grouping."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from sqlglot import exp

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.macros.aggregates import aggregate_macros
from support.cases import CATALOG, TOGETHER
from support.cases import open_case as open_ranking
from support.classification import (
    APART,
    METRICS,
    PROBABILITIES,
    REQUIRED,
    UNBOUNDED,
    of_any_score,
    open_case,
    open_together,
    reads,
    same,
    specs_of,
)
from support.duckdb_shell import connected, refusal, text, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

Told = dict[tuple[str | None, str], float | None]
AGGREGATES = {
    macro.name: macro for macro in aggregate_macros(CATALOG)
    if not macro.is_table and macro.metric and "where_" in {a.name for a in macro.overloads[0].arguments}
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


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """The cases that every metric can be told of, one below the other."""
    connection = open_together(PROBABILITIES)
    connection.execute(text())
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def nothing() -> Iterator[duckdb.DuckDBPyConnection]:
    """A session with the macros and no table."""
    with connected() as connection:
        yield connection


@pytest.fixture(scope="module")
def told(connection: duckdb.DuckDBPyConnection) -> Told:
    """What the Python package says: (case, spec) -> value; composing costs more than computing."""
    specs = {spec for name in OF_CLASSES for spec, _ in metric_specs(name)}
    result = duckmetrics.evaluate(
        "predictions", None, sorted(specs), by="name", connection=connection, weighted=False
    )
    return {(row["name"], row["metric"]): row["value"] for row in result.rows}


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
    assert {"auc_pairwise", "ks", "r2"} <= tables_only
    for name in tables_only:
        metric = CATALOG.metrics["classification", name]
        read = [d.query for d in (metric, *CATALOG.foundations(metric))]
        assert any(query.find(exp.Window, exp.Join) for query in read), f"{name} could be an aggregate"


@pytest.mark.some(1)
@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_macro_is_the_metric_of_every_case(
    name: str, connection: duckdb.DuckDBPyConnection, told: Told
) -> None:
    specs = metric_specs(name)
    assert specs
    columns = ", ".join(call(name, "label", "score", arguments) for _, arguments in specs)
    rows = connection.execute(f"SELECT name, {columns} FROM predictions GROUP BY ROLLUP (name)").fetchall()
    assert {case for case, *_ in rows} == {None, *PROBABILITIES}
    assert len(rows) == len(PROBABILITIES) + 1
    for case, *values in rows:
        for (spec, _), value in zip(specs, values, strict=True):
            wanted = told[case, spec]
            if wanted is None:
                assert value is None or not math.isfinite(value), (spec, case)
            else:
                assert same(value, wanted, TOLERANCE), (spec, case, value, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*UNBOUNDED, *APART])
def test_macros_of_any_score(case: str) -> None:
    """Scores that are no probabilities, labels that are -1 and 1, ratings."""
    connection = open_case(case)
    connection.execute(text())
    taken = {}
    for name, macro in OF_CLASSES.items():
        assert macro.metric
        spec, arguments = metric_specs(name)[0]
        query = f"SELECT {call(name, 'label', 'score', arguments)} FROM predictions"
        of_numbers = not reads(macro.metric, "labeled")
        if (case in UNBOUNDED and not of_any_score(macro.metric)) or (case == "ratings" and not of_numbers):
            refusal(connection, query)
        else:
            ((found,),) = connection.execute(query).fetchall()
            taken[name] = spec, found
    specs = sorted({spec for spec, _ in taken.values()})
    assert len(specs) >= 2
    result = duckmetrics.evaluate("predictions", None, specs, connection=connection, weighted=False)
    for name, (spec, found) in taken.items():
        wanted = result[spec]
        if wanted is None:
            assert found is None or not math.isfinite(found), (name, found)
        else:
            assert same(found, wanted, TOLERANCE), (name, found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("case", [TOGETHER, "graded", "integer_ids", "ties"])
def test_aggregates_of_a_ranking(case: str) -> None:
    """Every item of the truth that was returned, in the order of the scores, equal ones worst first."""
    connection = open_ranking(case)
    connection.execute(text())
    connection.execute(
        "CREATE TABLE log AS SELECT DISTINCT ON (query_id, item_id) query_id, item_id, score, "
        "greatest(coalesce(relevance, 0), 0) AS relevance "
        "FROM predictions LEFT JOIN truth USING (query_id, item_id)"
    )
    ranked = (
        "(SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) AS place FROM log)"
    )
    of_scores = {"reciprocal_rank": call("reciprocal_rank", "relevance > 0", "score", {})}
    for k in (None, 1, 2, 50):
        of_scores[f"ndcg@{k}" if k else "ndcg"] = call("ndcg", "relevance", "score", {"k": k} if k else {})
    of_places = {
        "dcg": call("dcg", "relevance", "place", {}),
        "dcg@2": call("dcg", "relevance", "place", {"k": 2}),
    }
    for asked, table, options in (
        (of_scores, "log", {"ties": "pessimistic"}),
        (of_places, ranked, {"no_relevant": "zero"}),
    ):
        result = duckmetrics.evaluate("log", "log", [*asked], connection=connection, **options)
        columns = (result.per_query[c].to_pylist() for c in ("query_id", "metric", "value"))
        wanted = {(query, metric): value for query, metric, value in zip(*columns, strict=True)}
        query = f"SELECT query_id, {', '.join(asked.values())} FROM {table} GROUP BY query_id"
        found = {
            (query, metric): value
            for query, *values in connection.execute(query).fetchall()
            for metric, value in zip(asked, values, strict=True)
        }
        assert found.keys() == wanted.keys()
        wrong = {key: found[key] for key, value in wanted.items() if not same(found[key], value, TOLERANCE)}
        assert wrong == {}, wanted


@pytest.mark.slow
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
    assert found
    assert wanted
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


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("roc_auc(NULL, 0.5)", "label is NULL"),
        ("roc_auc(1, NULL)", "score is NULL"),
        ("roc_auc(1, 'nan'::DOUBLE)", "score is NaN"),
        ("roc_auc(2, 0.5)", "none of 0, 1"),
        ("roc_auc('yes', 0.5)", "label is VARCHAR"),
        ("roc_auc(1, true)", "score is BOOLEAN"),
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
def test_what_is_refused(nothing: duckdb.DuckDBPyConnection, asked: str, problem: str) -> None:
    assert problem in refusal(nothing, f"SELECT {asked} FROM (SELECT 1)")


def test_both_negative_labels_are_refused(nothing: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT roc_auc(l, s) FROM (VALUES (-1, 0.1), (0, 0.2), (1, 0.3)) AS t(l, s)"
    assert "rows with the label -1" in refusal(nothing, query)


def test_columns_called_like_the_names_inside(nothing: duckdb.DuckDBPyConnection) -> None:
    """Lambdas and parameters capture nothing of the caller's."""
    names = (
        "_entry",
        "_place",
        "_hits",
        "_given",
        "_b",
        "_duckmetrics_none",
        "_duckmetrics_entry",
        "label",
        "score",
        "k",
        "bins",
        "where_",
    )
    columns = ", ".join(f"{i} AS {name}" for i, name in enumerate(names, start=100))
    connection = nothing
    connection.execute(
        f"CREATE TEMP TABLE t AS SELECT {columns}, * FROM (VALUES (1, 0.9), (0, 0.8), (1, 0.7)) AS t(y, p)"
    )
    asked = (
        "roc_auc(y, p), average_precision(y, p), ece(y, p), ndcg(y, p, k := 2), reciprocal_rank(y, p), "
        "log_loss(label := y, score := p)"
    )
    found = connection.execute(f"SELECT {asked} FROM t").fetchone()
    assert found == connection.execute(f"SELECT {asked} FROM (SELECT y, p FROM t)").fetchone()
    assert found is not None
    assert found[0] == 0.5
