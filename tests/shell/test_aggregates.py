"""Macros in a SELECT list: each is the metric of the Python package, under any grouping."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from sqlglot import exp

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.shell.aggregates import aggregate_macros
from support.cases import CATALOG, TOGETHER
from support.cases import open_case as open_ranking
from support.classification import (
    APART,
    METRICS,
    PROBABILITIES,
    REQUIRED,
    UNBOUNDED,
    open_case,
    open_together,
    reads,
    same,
    specs_of,
    takes_any_score,
)
from support.duckdb_shell import connected, refusal, text, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
# The metrics that the issue about the shell asks for, in addition to p-values.
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
    "ks",
    "reciprocal_rank",
    "recall_at",
    "precision_at",
    "hit_rate",
    "dcg",
    "ndcg",
]
TOLERANCE = 1e-12


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create the cases that have a value for every metric, in one table."""
    connection = open_together(PROBABILITIES)
    connection.execute(text())
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def nothing() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create a session with the macros and no table."""
    with connected() as connection:
        yield connection


def python_of(name: str, connection: duckdb.DuckDBPyConnection, weighted: bool) -> Told:
    """Return the values of the Python package: (case, spec) -> value; some of the weights are 0."""
    specs = {spec for spec, _ in metric_specs(name)}
    result = duckmetrics.evaluate(
        "predictions", None, sorted(specs), by="name", connection=connection, weighted=weighted
    )
    return {(row["name"], row["metric"]): row["value"] for row in result.rows}


def metric_specs(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every combination of a macro's parameters, as the spec of Python and as arguments."""
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
    """Other metrics read the rows twice, and are table macros."""
    tables_only = {m.name for m in METRICS} - {m.metric.name for m in OF_CLASSES.values() if m.metric}
    assert {"auc_pairwise", "gauc", "r2"} <= tables_only
    for name in tables_only:
        metric = CATALOG.metrics["classification", name]
        read = [d.query for d in (metric, *CATALOG.foundations(metric))]
        assert any(query.find(exp.Window, exp.Join) for query in read), f"{name} could be an aggregate"


@pytest.mark.some(1)
@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_macro_is_the_metric_of_every_case(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    told = python_of(name, connection, weighted=False)
    assert differing(name, connection, told, "") == []


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "name", [n for n, m in OF_CLASSES.items() if m.overloads[0].arguments[-1].name == "weight"]
)
def test_a_macro_is_the_metric_of_weighted_rows(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    told = python_of(name, connection, weighted=True)
    assert differing(name, connection, told, ", weight := weight") == []


def differing(name: str, connection: duckdb.DuckDBPyConnection, told: Told, more: str) -> list[Any]:
    """Return where a macro differs from the Python package: by case, and over all rows."""
    specs = metric_specs(name)
    assert specs
    columns = ", ".join(f"{call(name, 'label', 'score', arguments)[:-1]}{more})" for _, arguments in specs)
    rows = connection.execute(f"SELECT name, {columns} FROM predictions GROUP BY ROLLUP (name)").fetchall()
    assert {case for case, *_ in rows} == {None, *PROBABILITIES}
    assert len(rows) == len(PROBABILITIES) + 1
    wrong = []
    for case, *values in rows:
        for (spec, _), value in zip(specs, values, strict=True):
            wanted = told[case, spec]
            if wanted is None:
                fits = value is None or not math.isfinite(value)
            else:
                fits = same(value, wanted, TOLERANCE)
            wrong += [] if fits else [(spec, case, value, wanted)]
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("case", [*UNBOUNDED, *APART])
def test_macros_of_any_score(case: str) -> None:
    """Scores are not probabilities, labels are -1 and 1, or ratings."""
    connection = open_case(case)
    connection.execute(text())
    taken = {}
    for name, macro in OF_CLASSES.items():
        assert macro.metric
        spec, arguments = metric_specs(name)[0]
        query = f"SELECT {call(name, 'label', 'score', arguments)} FROM predictions"
        of_numbers = not reads(macro.metric, "labeled")
        if (case in UNBOUNDED and not takes_any_score(macro.metric, spec)) or (
            case == "ratings" and not of_numbers
        ):
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
    """Each query has the returned items of the truth in the order of the scores, ties worst first."""
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
    of_scores = {}
    for metric in ("ndcg", "reciprocal_rank", "recall", "precision", "hit_rate"):
        macro = f"{metric}_at" if metric in ("recall", "precision") else metric
        for k in (None, 1, 2, 50):
            asked_of = call(macro, "relevance", "score", {"k": k} if k else {})
            of_scores[f"{metric}@{k}" if k else metric] = asked_of
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


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_curves_of_many_rows(nothing: duckdb.DuckDBPyConnection, seed: int, digits: int) -> None:
    """The rows have many, few and no ties, infinite scores and rare classes, by hand and with weights."""
    nothing.execute(
        f"""
        CREATE OR REPLACE TABLE t AS SELECT i // 40 AS g,
            hash(i + {seed}) % (2 + i // 40) = 0 AS y,
            CASE hash(i * 7 + {seed}) % 50 WHEN 0 THEN 'inf' WHEN 1 THEN '-inf'
                ELSE round(hash(i * 3 + {seed}) % 1000003 / 1000003, {digits}) END::DOUBLE AS s,
            hash(i * 5 + {seed}) % 4 / 3 AS w
        FROM range(400) AS t(i)
        """
    )
    found = nothing.execute(
        """
        SELECT g, list((y, s, 1)), roc_auc(y, s), average_precision(y, s), ks(y, s) FROM t GROUP BY g
        UNION ALL
        SELECT g, list((y, s, w)) FILTER (w > 0),
            roc_auc(y, s, weight := w), average_precision(y, s, weight := w), ks(y, s, weight := w)
        FROM t GROUP BY g
        """
    ).fetchall()
    assert len(found) == 20
    for _, rows, *values in found:
        wanted = by_hand([(bool(y), float(s), float(w)) for y, s, w in rows])
        assert all(same(*pair, TOLERANCE) for pair in zip(values, wanted, strict=True)), (values, wanted)


def by_hand(rows: list[tuple[bool, float, float]]) -> list[float | None]:
    """Return the AUC, average precision and KS distance, from pairs and from every threshold."""
    p, n = (math.fsum(w for y, _, w in rows if y is kind) for kind in (True, False))
    pairs = [(v * w, 1 if s > r else 0.5) for y, s, v in rows if y for z, r, w in rows if not z and s >= r]
    area = math.fsum(weight * won for weight, won in pairs)
    precision, before, farthest = 0.0, 0.0, 0.0
    for threshold in sorted({s for _, s, _ in rows}, reverse=True):
        tp, fp = (math.fsum(w for y, s, w in rows if y is kind and s >= threshold) for kind in (True, False))
        precision += (tp - before) * tp / (tp + fp)
        farthest = max(farthest, abs(tp / p - fp / n)) if p and n else farthest
        before = tp
    both = bool(p and n)
    return [area / (p * n) if both else None, precision / p if p else None, farthest if both else None]


def test_what_has_no_weighted_form_takes_no_weight() -> None:
    weightless = {n for n, m in OF_CLASSES.items() if m.overloads[0].arguments[-1].name != "weight"}
    assert weightless == {"spiegelhalter_p", "spiegelhalter_z"}


def test_an_alias_can_be_used_again(connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB refuses an alias of an expression with side effects in HAVING, QUALIFY and expressions."""
    values = connection.execute(
        "SELECT name, roc_auc(label, score), ece(label, score) FROM predictions GROUP BY name"
    ).fetchall()
    kept = [(n, a, a + e) for n, a, e in values if a is not None and a > 0.5]
    query = """
        SELECT name, roc_auc(label, score) AS auc, auc + ece(label, score) AS both
        FROM predictions GROUP BY {}
        HAVING auc > 0.5 QUALIFY row_number() OVER (ORDER BY auc DESC, name) <= {}
    """
    assert 2 < len(kept) < len(values)
    assert sorted(connection.execute(query.format("name", 99)).fetchall()) == sorted(kept)
    assert sorted(connection.execute(query.split("QUALIFY")[0].format("ALL")).fetchall()) == sorted(kept)
    best = max(kept, key=lambda row: row[1])[1]
    assert [a for _, a, _ in connection.execute(query.format("name", 1)).fetchall()] == [best]


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss", "ece", "ks"])
def test_what_is_written_again_is_not_computed_again(
    connection: duckdb.DuckDBPyConnection, name: str
) -> None:
    asked = f"{name}(label, score)"
    (plan,) = connection.execute(f"EXPLAIN SELECT {asked}, {asked}, 1 + {asked} FROM predictions").fetchall()
    (alone,) = connection.execute(f"EXPLAIN SELECT {asked} FROM predictions").fetchall()
    for aggregate in ("list(", "min(", "bit_or(", "sum("):
        assert plan[1].count(aggregate) == alone[1].count(aggregate), aggregate
    functions = "SELECT DISTINCT stability FROM duckdb_functions() WHERE function_name = 'error'"
    assert connection.execute(functions).fetchall() != [("CONSISTENT",)]
    macro = "SELECT macro_definition FROM duckdb_functions() WHERE function_name = ?"
    ((body,), *_) = connection.execute(macro, [name if name != "roc_auc" else "auc"]).fetchall()
    assert "error(" not in body


def test_rows_without_a_value_are_looked_at_too(nothing: duckdb.DuckDBPyConnection) -> None:
    """DuckDB 2.0 does not compute a term that is added to NULL, so a check must not depend on one."""
    for rows in ("(1, 0.3), (1, NULL)", "(1, NULL)", "(1, 0.3), (3, 0.2)"):
        for name in ("roc_auc", "ks", "gini"):
            query = f"SELECT g, {name}(y, s) FROM (VALUES {rows}) AS t(y, s), range(3) AS r(g) GROUP BY g"
            assert "; found, label=" in refusal(nothing, query)
    refusal(nothing, "SELECT roc_auc(1, 0.5, weight := -1) FROM range(2)")


def test_statistics_of_a_file_do_not_hide_nan(nothing: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    nothing.execute(f"COPY (SELECT 1 AS y, 0.5::DOUBLE AS s UNION ALL SELECT 0, 'nan'::DOUBLE) TO '{file}'")
    for name in ("roc_auc", "log_loss", "brier", "rmse"):
        assert "score is NaN" in refusal(nothing, f"SELECT {name}(y, s) FROM '{file}'")


@pytest.mark.slow
def test_bad_rows_that_are_not_wanted_are_left_alone(nothing: duckdb.DuckDBPyConnection) -> None:
    rows = """
        (VALUES (1, 0.9::DOUBLE, 1), (0, 0.2, 1),
            (7, 0.5, 1), (1, NULL, 1), (0, 'nan', 1), (1, -3, 1), (1, 0.5, -1))
    """
    query = """
        SELECT {}(y, s{}, where_ := y < 2 AND s BETWEEN 0 AND 1 AND w > 0) FROM {} AS t(y, s, w)
    """
    for name, macro in OF_CLASSES.items():
        known = {"weight": "w", **REQUIRED}
        given = "".join(
            f", {a.name} := {known[a.name]}" for a in macro.overloads[0].arguments
            if a.name in known and (a.required or a.name == "weight")
        )  # fmt: skip
        nothing.execute(query.format(name, given, rows)).fetchall()


@pytest.mark.slow
def test_settings_change_no_value(nothing: duckdb.DuckDBPyConnection) -> None:
    names = [
        n
        for n, macro in AGGREGATES.items()
        if not {a.name for a in macro.overloads[0].arguments} & {*REQUIRED}
    ]
    asked = ", ".join(f"{name}(y, p)" for name in names if name != "dcg")
    query = f"SELECT {asked} FROM (VALUES (1, 0.9), (0, 0.9), (0, 0.8), (1, 0.7), (0, 0.1)) AS t(y, p)"
    wanted = nothing.execute(query).fetchall()
    settings = {
        "default_order": "desc", "default_null_order": "nulls_first", "integer_division": True, "threads": 1,
    }  # fmt: skip
    nothing.execute("; ".join(f"SET {setting} = '{value}'" for setting, value in settings.items()))
    found = nothing.execute(query).fetchall()
    nothing.execute("; ".join(f"RESET {setting}" for setting in settings))
    assert found == wanted


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
        ("roc_auc(2, 0.5)", "label is not 0, 1"),
        ("roc_auc('yes', 0.5)", "label is VARCHAR"),
        ("roc_auc(1, true)", "score is BOOLEAN"),
        ("log_loss(1, 1.5)", "outside of"),
        ("log_loss(1, 0.5, eps := 0.7)", "eps cannot be '0.7'"),
        ("ece(1, 0.5, bins := 0)", "bins cannot be '0'"),
        ("ece(1, 0.5, bins := 2.5)", "a whole number"),
        ("ece(1, 0.5, edges := [0, 0.5])", "a list of numbers and begin with 0 and end with 1"),
        ("ece(1, 0.5, edges := [0, 0.7, 0.5, 1])", "rise without repeating a value"),
        ("ece(1, 0.5, edges := 'x')", "edges cannot be 'x'"),
        ("ndcg(-1, 0.5)", "rel >= 0"),
        ("log_loss(1, 0.5, weight := -1)", "weight is negative"),
        ("roc_auc(1, 0.5, weight := NULL::INT)", "weight is NULL"),
        ("roc_auc(1, 0.5, weight := 'w')", "weight is VARCHAR"),
        ("recall_at(1, 0.5, k := 0)", "k cannot be '0'"),
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
    """Lambdas and parameters do not capture names of the caller."""
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
        "edges",
        "edge",
        "_edge",
        "where_",
        "weight",
    )
    columns = ", ".join(f"{i} AS {name}" for i, name in enumerate(names, start=100))
    connection = nothing
    connection.execute(
        f"CREATE TEMP TABLE t AS SELECT {columns}, * FROM (VALUES (1, 0.9), (0, 0.8), (1, 0.7)) AS t(y, p)"
    )
    asked = (
        "roc_auc(y, p), average_precision(y, p), ece(y, p), ndcg(y, p, k := 2), reciprocal_rank(y, p), "
        "log_loss(label := y, score := p), roc_auc(y, p, weight := p), "
        "ks(y, p, weight := p), recall_at(y, p, k := 1)"
    )
    found = connection.execute(f"SELECT {asked} FROM t").fetchone()
    assert found == connection.execute(f"SELECT {asked} FROM (SELECT y, p FROM t)").fetchone()
    assert found is not None
    assert found[0] == 0.5
