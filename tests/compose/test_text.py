"""The printed SQL runs on the tables of a user as they stand, and has the numbers of `evaluate`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.catalog.presets import presets
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.errors import DuckmetricsError, MetricError
from support.cases import CATALOG, RANKING
from support.cases import open_case as open_rankings
from support.cases import specs_of as ranking_specs
from support.classification import EVERY, EVERY_ANY_SCORE, PLAIN, TABLES, Row, plain_spec, same
from support.classification import open_case as open_rows
from support.command_line import exports, run
from support.must_run import no_case
from support.user_tables import SYSTEM, rankings_of_a_user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.command_line import Command

__all__ = ["exports", "run"]
# The numbers of a summary that a text returns, too.
RANKING_COLUMNS = ("metric", "value", "n", "n_missing", "n_no_relevant", "n_undefined")
ROW_COLUMNS = ("metric", "value", "lower", "upper", "n_undefined", "n", "n_positive")
SHORT = [spec for metric in RANKING for spec in ranking_specs(metric, (None, 2), one_at_a_time=True)]
# One form of every metric of rankings, with a cut-off where there is one.
ONE_EACH = [list(ranking_specs(metric, (None, 2), one_at_a_time=True))[-1] for metric in RANKING]
AGGREGATED = [f"{m}(agg={agg})" for m in ("ndcg", "map") for agg in CATALOG.aggregation_names]


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    result = connection.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def assert_same(found: Sequence[Row], wanted: Sequence[Row]) -> None:
    """Check for equal rows in the same order, and numbers within 1e-12."""
    assert [row["metric"] for row in found] == [row["metric"] for row in wanted]
    for row, other in zip(found, wanted, strict=True):
        for name, value in row.items():
            assert same(value, other[name]), f"{name} of {row['metric']}: {value}, {other[name]}"


def test_a_text_demands_only_what_it_reads() -> None:
    with rankings_of_a_user() as connection:
        text = duckmetrics.sql("ndcg@2")
        assert "-- predictions (query_id, item_id, score)\n-- truth (query_id, item_id, relevance)\n" in text
        ((metric, value, n, n_missing, n_no_relevant, n_undefined),) = connection.execute(text).fetchall()
    assert (metric, n, n_missing, n_no_relevant, n_undefined) == ("ndcg@2", 4, 2, 2, 0)
    # In query 1, item 2 and then item 9, the smallest id of five equal scores; by hand.
    by_hand = [2 / (3 + 2 / 1.584962500721156), 1 / 1.584962500721156, 0, 1 / 1.584962500721156]
    assert value == pytest.approx(sum(by_hand) / 4, rel=1e-12)


def test_a_text_reads_no_truth_where_no_metric_needs_one() -> None:
    """As `evaluate`, the text counts the queries that were answered; 1 of 2 items agrees."""
    connection = duckdb.connect()
    for name, first, second in (("predictions", "a", "b"), ("reference", "a", "c")):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT * FROM (VALUES ('q', '{first}', 2.0), ('q', '{second}', 1.0)) "
            "AS t(query_id, item_id, score)"
        )
    text = duckmetrics.sql("rbo(rest=truncated)@2")
    assert "-- truth" not in text
    ((_, value, n, *others),) = connection.execute(text).fetchall()
    assert (value, n, others) == (pytest.approx(0.1 * (1 + 0.9 / 2)), 1, [0, 0, 0])
    (row,) = duckmetrics.evaluate(
        "predictions", metrics="rbo(rest=truncated)@2", reference="reference", connection=connection
    ).rows
    assert (row["value"], row["n"], row["n_no_relevant"]) == (pytest.approx(value), 1, 0)


@pytest.mark.parametrize(("population", "n"), [("truth", 2), ("both", 1)])
def test_a_text_reads_the_truth_that_the_population_names(population: str, n: int) -> None:
    """Query 1 is in both tables, 2 in the predictions only, 3 in the truth only; no metric reads a grade."""
    connection = duckdb.connect()
    predictions = "(1, 'a', 2.0), (1, 'b', 1.0), (2, 'a', 1.0)"
    for name, rows in (("predictions", predictions), ("truth", "(1, 'a', 1.0), (3, 'b', 1.0)")):
        columns = "query_id, item_id, score" if name == "predictions" else "query_id, item_id, relevance"
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM (VALUES {rows}) AS t({columns})")
    found = rows_of(connection, duckmetrics.sql("n_returned", population=population))
    wanted = duckmetrics.evaluate(
        "predictions", "truth", "n_returned", connection=connection, population=population
    )
    assert_same(found, wanted.rows)
    assert found[0]["n"] == n


@pytest.mark.slow
@pytest.mark.parametrize(
    "specs",
    [[*ONE_EACH, *AGGREGATED], SHORT],
    ids=["one each", "every parameter"],
)
def test_means_of_rankings(specs: list[str]) -> None:
    with rankings_of_a_user() as connection:
        wanted = duckmetrics.evaluate("predictions", "truth", specs, connection=connection).rows
        found = rows_of(connection, duckmetrics.sql(specs))
        assert tuple(found[0]) == RANKING_COLUMNS
        assert_same(found, wanted)
        assert {row["n_missing"] for row in found} == {2}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "switches",
    [
        {"ties": "pessimistic", "unjudged": "skip"},
        {"population": "predictions", "missing": "skip", "no_relevant": "zero"},
        {"population": "both", "no_relevant": "one"},
        {"ties": "item_desc_text", "duplicates": "first"},
        {"ties": "item_asc_text", "scores": "float32", "rel": 2},
        {"labels": "returned"},
        {"agg": "p90"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("systems", [False, True])
def test_switches_of_rankings(switches: dict[str, Any], systems: bool) -> None:
    if systems and switches.get("labels") == "returned":
        no_case("a table of labels has the rows of one system, so evaluate refuses several")
    specs = ["ndcg@2", "map", "recall@3", "success@1", "bpref", "rbp", "mrr"]
    column = SYSTEM if systems else None
    with rankings_of_a_user(systems=systems) as connection:
        result = duckmetrics.evaluate(
            "predictions", "truth", specs, connection=connection, system=column, **switches
        )
        found = rows_of(connection, duckmetrics.sql(specs, system=column, **switches))
    assert_same(found, result.rows)
    assert {row.get("system") for row in found} == ({"A", "B"} if systems else {None})


@pytest.mark.some(2)
@pytest.mark.parametrize(("tool", "spec"), [
    (tool.name, f"{metric.name}@2" if "k" in metric.own_params else metric.name)
    for tool in presets().values() if "ranking" in tool.families
    for metric in RANKING if metric.name in tool.families["ranking"].metrics
    if set(metric.inputs) <= {"predictions", "truth", "population"}
])  # fmt: skip
def test_the_conventions_of_a_tool(tool: str, spec: str) -> None:
    with rankings_of_a_user() as connection:
        numbered = "SELECT *, row_number() OVER () AS position FROM predictions"
        connection.execute(f"CREATE OR REPLACE TABLE predictions AS {numbered}")
        try:
            result = duckmetrics.evaluate("predictions", "truth", spec, connection=connection, like=tool)
        except DuckmetricsError:
            no_case("the tool needs something of these tables that they do not have")
        assert_same(rows_of(connection, duckmetrics.sql(spec, like=tool)), result.rows)


def test_what_a_tool_needs_stands_above_the_text() -> None:
    text = duckmetrics.sql("classification.recall", like="catboost")
    needs = "is the number of the tool only if all rows satisfy predictions (score <> threshold)"
    assert text.splitlines()[0] == f"-- classification.recall {needs}"
    with pytest.raises(MetricError, match="like: is for metrics, and roc_curve is a table"):
        duckmetrics.sql("roc_curve", like="catboost")


def test_rows_per_query() -> None:
    with rankings_of_a_user() as connection:
        found = rows_of(connection, duckmetrics.sql(["ndcg@2", "map"], per_query=True))
        result = duckmetrics.evaluate("predictions", "truth", ["ndcg@2", "map"], connection=connection)
        values = {(row["metric"], row["query_id"]): row["value"] for row in result.per_query.to_pylist()}
    assert "system" not in found[0]
    assert len(values) == 2 * len(found) == 12
    for row in found:
        for metric in ("ndcg@2", "map"):
            assert same(row[metric], values[metric, row["query_id"]])
        assert row["missing"] == (row["query_id"] in (3, 6))


@pytest.mark.some(0)
@pytest.mark.parametrize("case", ["no_relevant", "nothing_retrieved", "ties", "unjudged", "unicode_ids"])
@pytest.mark.parametrize(
    "specs", [ONE_EACH, pytest.param(SHORT, marks=pytest.mark.slow)], ids=["one each", "every parameter"]
)
def test_cases_of_rankings(case: str, specs: list[str]) -> None:
    with open_rankings(case) as connection:
        result = duckmetrics.evaluate("predictions", "truth", specs, connection=connection, system="system")
        assert_same(rows_of(connection, duckmetrics.sql(specs, system="system")), result.rows)


@pytest.mark.some(0)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "case",
    [
        "booleans",
        "one_class_groups",
        "ties",
        "one_row",
        "positives_only",
        "weights",
        "weightless",
        "infinite",
    ],
)
@pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "every parameter"]
)
def test_values_of_rows(case: str, weighted: bool, every: bool) -> None:
    specs = [
        spec for spec in (EVERY if case != "infinite" else EVERY_ANY_SCORE)
        if (every or spec in PLAIN or "approx" in spec) and (not weighted or _weighs(spec))
    ]  # fmt: skip
    with open_rows(case) as connection:
        result = duckmetrics.evaluate("predictions", None, specs, connection=connection, weighted=weighted)
        found = rows_of(connection, duckmetrics.sql(specs, weighted=weighted))
    assert tuple(found[0]) == ROW_COLUMNS
    assert_same(found, result.rows)


def _weighs(spec: str) -> bool:
    try:
        duckmetrics.sql(spec, weighted=True)
    except MetricError:
        return False
    return True


@pytest.mark.some(3)
@pytest.mark.parametrize("spec", [plain_spec(table) for table in TABLES])
def test_tables_of_rows(spec: str) -> None:
    with open_rows("ties") as connection:
        wanted = duckmetrics.curve("predictions", spec, connection=connection, weighted=False).to_pylist()
        found = rows_of(connection, duckmetrics.sql(spec))
    assert found
    assert found[0].keys() == wanted[0].keys()
    for row, other in zip(*(sorted(rows, key=str) for rows in (found, wanted)), strict=True):
        assert all(same(value, other[name]) for name, value in row.items()), (row, other)


def test_numbers_of_other_types_are_read_as_double() -> None:
    """With FLOAT, the ten bins would have other edges."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE predictions AS SELECT CAST(i / 10 AS FLOAT) AS score, i % 3 = 0 AS label "
            "FROM range(11) AS _(i)"
        )
        result = duckmetrics.evaluate("predictions", None, ["ece", "auc", "log_loss"], connection=connection)
        assert_same(rows_of(connection, duckmetrics.sql(["ece", "auc", "log_loss"])), result.rows)


@pytest.mark.parametrize("specs", [["ndcg@2", "map"], ["auc", "ece"]])
def test_steps_give_the_same(specs: list[str]) -> None:
    with rankings_of_a_user() as connection:
        if specs[0] == "auc":
            connection.execute("CREATE OR REPLACE TABLE predictions AS SELECT score > 2 AS label, "
                               "score / 10 AS score FROM predictions")  # fmt: skip
        wanted = connection.execute(duckmetrics.sql(specs)).fetchall()
        assert connection.execute(duckmetrics.sql(specs, steps=True)).fetchall() == wanted


def test_rows_have_no_queries() -> None:
    with pytest.raises(MetricError, match="auc has no queries; leave it out"):
        duckmetrics.sql("auc", per_query=True)


@pytest.mark.some(1)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_text_names_no_system_unless_asked(dialect: str) -> None:
    for spec in ("ndcg@10", "map(agg=median)@5", "auc", "roc_curve"):
        text = duckmetrics.sql(spec, dialect)
        for word in ("system", "segment", "position"):
            assert not re.search(rf"\b{word}\b", text), spec
    assert "CAST(predictions.model AS" in duckmetrics.sql("ndcg@10", dialect, system="model")


def test_the_command_line_prints_it(run: Command) -> None:
    shown = run("sql", "ndcg@10", "--per-query", "--system", "model").out
    assert shown == duckmetrics.sql("ndcg@10", per_query=True, system="model") + ";\n"
    assert run("sql", "ndcg@10", "map").out == duckmetrics.sql(["ndcg@10", "map"]) + ";\n"
