"""run_test and 'duckmetrics test': their inputs, their results, and all refusals."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from sqlglot import exp

import duckmetrics
from duckmetrics import DefinitionError, InputError, MetricError, run_test
from duckmetrics.catalog.catalog import Catalog
from duckmetrics.checks.counting import singular
from duckmetrics.statistics.checks import KINDS
from duckmetrics.statistics.counts import ROWS as GIVEN_ROWS
from duckmetrics.statistics.inputs import input_of
from support.cases import CATALOG
from support.command_line import Command
from support.statistics import FIRST, ROWS, own_names, settings, trapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engine

NAMES = CATALOG.statistic_names
OUTCOMES = {"variant": ["A", "A", "A", "B", "B", "B", "B"], "revenue": [1.0, 2.0, 4.0, 3.0, 6.0, None, 5.0]}
COLUMNS = {"arm": "variant", "value": "revenue"}
EXPECTED = scipy.stats.ttest_ind([3.0, 6.0, 5.0], [1.0, 2.0, 4.0], equal_var=False)


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        for table, query in ROWS.items():
            connection.execute(f"CREATE TABLE {table} AS {query}")
        trials = "VALUES ('A', 300, 200), ('A', 3, 9), ('B', 3, 2)"
        connection.execute(f"CREATE TABLE trials AS FROM ({trials}) AS t(arm, hits, n)")
        yield connection


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write every input as a file, and a database of them."""
    folder = tmp_path_factory.mktemp("trials")
    with duckdb.connect(str(folder / "trials.duckdb")) as connection:
        for table, query in ROWS.items():
            connection.execute(f"CREATE TABLE {table} AS {query}")
            connection.execute(f"COPY {table} TO '{folder}/{table}.parquet'")
    return folder


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(folder)
    return Command(capsys)


# ---- results ------------------------------------------------------------------------------------


@pytest.mark.some(0)
@pytest.mark.parametrize("name", NAMES)
def test_every_statistic_and_alias_runs(
    database: duckdb.DuckDBPyConnection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    alias = NAMES[name]
    (table,) = alias.metric.inputs
    given = next(settings(alias))
    result = run_test(name, table, connection=database, **given)
    dashed = name.replace("_", "-").upper()
    columns = own_names(alias.metric)
    assert run_test(dashed, trapped(table), columns=columns, connection=database, **given) == result
    assert result.name == alias.metric.name
    assert result.title == alias.metric.title
    assert list(result.rows) == result.summary.to_pylist()
    assert result.summary.column_names == alias.metric.query.named_selects
    assert result.params.items() >= {**given, **alias.bound}.items()
    assert not [n for n, t in zip(result.summary.column_names, result.summary.schema.types, strict=True)
                if pa.types.is_decimal(t)]  # fmt: skip
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["rows"][0].keys() == result.rows[0].keys()
    lines = repr(result).splitlines()
    assert lines[0].startswith(alias.metric.title)
    assert lines[1].split() == result.summary.column_names
    assert len(lines) == 3 + len(result.rows) + len(result.warnings)


@pytest.mark.slow
def test_the_rows_have_an_order(database: duckdb.DuckDBPyConnection) -> None:
    backwards = f"FROM ({ROWS['per_query']}) ORDER BY system DESC, metric DESC"
    result = run_test("paired_t", backwards, baseline="B")
    assert [(r["system"], r["metric"]) for r in result.rows] == [
        ("A", "map"), ("A", "ndcg@10"), ("C", "map"), ("C", "ndcg@10"),
    ]  # fmt: skip
    pairs = run_test("tukey_hsd", "per_query", connection=database, resamples=20).rows
    assert [(r["system"], r["other"]) for r in pairs[:3]] == [("A", "B"), ("A", "C"), ("B", "C")]


@pytest.mark.some(0)
@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(OUTCOMES), pl.DataFrame(OUTCOMES), pa.table(OUTCOMES),
        "SELECT unnest(['A', 'A', 'A', 'B', 'B', 'B']) AS Variant, unnest([1, 2, 4, 3, 6, 5]) AS REVENUE",
    ],
    ids=lambda table: type(table).__name__,
)  # fmt: skip
def test_a_table_in_every_shape_as_scipy(table: Any) -> None:
    (row,) = run_test("welch-t", table, columns=COLUMNS, control="A").rows
    assert (row["statistic"], row["df"], row["p"]) == pytest.approx(
        (EXPECTED.statistic, EXPECTED.df, EXPECTED.pvalue), rel=1e-12
    )
    assert (row["n_control"], row["n"]) == (3, 3)


@pytest.mark.slow
def test_pairs_as_scipy_from_what_evaluate_returns() -> None:
    query = "SELECT q AS query_id, i AS item_id, {} AS score FROM range(40) AS a(q), range(12) AS b(i)"
    systems = {"A": query.format("(i * 7 + q * 3) % 11"), "B": query.format("(i * 5 + q * q) % 13")}
    truth = "SELECT q AS query_id, (q * q) % 12 AS item_id, 1 AS relevance FROM range(40) AS a(q)"
    evaluated = duckmetrics.evaluate(None, truth, "mrr", system=systems)
    result = run_test("paired_t", evaluated.per_query, baseline="A")
    values = evaluated.per_query.to_pandas().pivot(index="query_id", columns="system", values="value")
    expected = scipy.stats.ttest_rel(values["B"], values["A"])
    (row,) = result.rows
    assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)
    assert row["n"] == 40
    assert result.warnings == ()


@pytest.mark.slow
def test_names_may_be_of_any_type() -> None:
    arms: list[tuple[list[Any], Any]] = [
        ([0, 1], 0), ([0, 1], "0"), ([False, True], False), (["it's", "'B"], "it's"), (["it's", "'B"], "'B"),
        (["null", "x"], "null"),
    ]  # fmt: skip
    for names, control in arms:
        table = pa.table({"arm": names * 4, "value": [1.0, 2.0, 4.0, 3.0, 6.0, 2.5, 5.0, 8.0]})
        (row,) = run_test("mann_whitney", table, control=control).rows
        assert row["n"] == row["n_control"] == 4, control


def test_booleans_are_numbers() -> None:
    clicks: dict[str, list[Any]] = {"arm": ["A", "B"] * 10, "value": [i % 3 == 0 for i in range(20)]}
    as_numbers = {**clicks, "value": [int(v) for v in clicks["value"]]}
    found, wanted = (run_test("mann_whitney", pa.table(t), control="A").rows for t in (clicks, as_numbers))
    assert found == wanted


@pytest.mark.slow
def test_chi_square_is_what_chi_square_says(database: duckdb.DuckDBPyConnection) -> None:
    for name, table in (("chi_square", "counts"), ("chi_square_independence", "cells")):
        columns = {"row": "row_value", "column": "column_value"} if table == "cells" else {}
        known = duckmetrics.chi_square(table, columns=columns, connection=database)
        result = run_test(name, table, connection=database)
        (row,) = result.rows
        assert row == {column: getattr(known, column) for column in row}
        assert result.warnings == known.warnings
    few = "SELECT unnest([1, 2, 1.5]) AS observed"
    rough = run_test("chi_square", few).warnings
    assert rough == duckmetrics.chi_square(few).warnings
    assert len(rough) == 2


def test_counts_may_be_a_list() -> None:
    expected = scipy.stats.chisquare([5000, 5200])
    for observed in ([5000, 5200], np.array([5000, 5200]), pl.Series([5000, 5200])):
        (row,) = run_test("sample-ratio", observed).rows
        assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    (row,) = run_test("fisher_exact", [[12, 5], [3, 14]]).rows
    assert row["p"] == pytest.approx(scipy.stats.fisher_exact([[12, 5], [3, 14]]).pvalue, rel=1e-10)


def test_a_proportion_that_is_null_is_left_out() -> None:
    rows = "FROM (VALUES ('A', 3, 10), ('A', NULL, 5), ('A', 4, NULL), ('B', NULL, NULL)) AS t(arm, hits, n)"
    (row,) = run_test("wilson_interval", rows).rows
    assert (row["arm"], row["hits"], row["n"]) == ("A", 3, 10)


def test_the_only_system_needs_no_name() -> None:
    values = "SELECT NULL AS system, 'ndcg' AS metric, i AS query_id, i / 9e0 AS value FROM range(10) AS t(i)"
    (row,) = run_test("mean_interval", values).rows
    assert (row["system"], row["n"], row["mean"]) == (None, 10, pytest.approx(0.5, rel=1e-15))


def test_the_connection_is_left_as_it_was(database: duckdb.DuckDBPyConnection) -> None:
    def objects() -> list[Any]:
        views = "SELECT view_name FROM duckdb_views() WHERE NOT internal UNION ALL "
        made = "SELECT function_name FROM duckdb_functions() WHERE NOT internal"
        return database.execute(f"{views} SELECT table_name FROM duckdb_tables() UNION ALL {made}").fetchall()

    before = objects()
    run_test("paired_t", ROWS["per_query"], connection=database, baseline="A")
    assert sorted(objects()) == sorted(before)


@pytest.mark.slow
def test_the_sql_is_what_ran(database: duckdb.DuckDBPyConnection) -> None:
    result = run_test("welch_t", "observations", connection=database, control="A")
    with duckdb.connect() as other:
        other.execute("SET threads = 1")
        other.execute(f"CREATE TABLE observations AS {ROWS['observations']}")
        *first, last = [s.query for s in other.extract_statements(result.sql)]
        for statement in first:
            other.execute(statement.replace("memory.main.", "").replace('"memory"."main".', ""))
        assert other.execute(last).fetchall() == [tuple(row.values()) for row in result.rows]


# ---- the output ---------------------------------------------------------------------------------


def test_pairs_are_read_from_an_evaluation() -> None:
    runs = {name: {f"q{i}": {"a": i % k, "b": 1} for i in range(9)} for name, k in (("A", 3), ("B", 4))}
    ev = duckmetrics.evaluate(runs, {f"q{i}": {"a": 1} for i in range(9)}, "mrr")
    found = run_test("paired_t", ev, baseline="A")
    assert found.rows == run_test("paired_t", ev.per_query, baseline="A").rows
    assert found.rows[0]["n"] == 9


def test_a_p_value_is_never_0() -> None:
    far = "SELECT unnest([100000, 1]) AS observed"
    result = run_test("chi_square", far)
    assert result.rows[0]["p"] == result.summary["p"][0].as_py() == 1e-300
    assert "<1e-300" in repr(result)
    assert result.to_dict()["rows"][0]["p"] == 1e-300
    near = run_test("chi_square", "SELECT unnest([3, 7]) AS observed")
    assert "0.2059" in repr(near)
    assert near.to_dict()["rows"][0]["p"] == near.rows[0]["p"]


@pytest.mark.slow
def test_warnings(database: duckdb.DuckDBPyConnection) -> None:
    wilcoxon = run_test("wilcoxon", "per_query", connection=database, baseline="A")
    assert "does not compare means" in wilcoxon.warnings[0]
    assert wilcoxon.warnings[1].startswith("14 units are fewer than 30")
    assert repr(wilcoxon).endswith(f"warning: {wilcoxon.warnings[1]}")
    assert run_test("welch_t", "observations", connection=database, control="A").warnings == ()
    assert run_test("holm", "p_values", connection=database).warnings == ()
    # The number of queries, and not that of systems.
    anova = run_test("anova", "per_query", connection=database)
    assert anova.warnings[0].startswith(f"{min(row['n'] for row in anova.rows)} units")
    alone = run_test("paired_t", f"FROM ({ROWS['per_query']}) WHERE system = 'A'", baseline="A")
    assert alone.rows == ()
    assert alone.warnings[0].startswith("no rows: ")


def test_a_null_is_told_as_such() -> None:
    result = run_test("holm", "SELECT unnest(['a', 'b']) AS test, unnest([0.01, NULL]) AS p")
    assert repr(result).splitlines()[-1].split() == ["b", "NULL", "NULL"]
    assert result.to_pandas()["p_adjusted"].isna().tolist() == [False, True]
    assert result.to_polars()["test"].to_list() == ["a", "b"]


# ---- refusals -----------------------------------------------------------------------------------

CALLS: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
    (MetricError, "unknown statistic 'paired-tt'; did you mean 'paired_t'?", ("paired-tt", "per_query"), {}),
    (MetricError, "unknown statistic 'paired_t(level=1)'", ("paired_t(level=1)", "per_query"), {}),
    (MetricError, "paired_t: unknown parameter 'lvel'; did you mean 'level'?", ("paired_t", "per_query"),
     {"baseline": "A", "lvel": 0.9}),
    (MetricError, "paired_t: level is 1, but must satisfy level < 1", ("paired_t", "per_query"),
     {"baseline": "A", "level": 1}),
    (MetricError, "level must be a number, got 'x'", ("mean_interval", "per_query"), {"level": "x"}),
    (MetricError, "adjusted_p: method cannot be 'hulm'; did you mean 'holm'?", ("adjusted_p", "p_values"),
     {"method": "hulm"}),
    (MetricError, "holm fixes method already; write adjusted_p(...)", ("holm", "p_values"),
     {"method": "holm"}),
    (MetricError, "resamples must be a whole number", ("tukey_hsd", "per_query"), {"resamples": 1.5}),
    (MetricError, "paired_t: baseline is missing; choose A, B or C", ("paired_t", "per_query"), {}),
    (MetricError, "welch_t: control is missing; choose A, B or C", ("welch_t", "observations"),
     {"control": None}),
    (InputError, "per_query: baseline 'a' is no system; there are A, B and C", ("paired_t", "per_query"),
     {"baseline": "a"}),
    (InputError, "scores: baseline 'X' is no system; there are A and B", ("delong", "scores"),
     {"baseline": "X"}),
    (InputError, "no column 'value'; found arm, hits, n; map it with columns={'value': ...}",
     ("welch_t", "proportions"), {"control": "A"}),
    (InputError, "no column 'revenue' for value", ("welch_t", "observations"),
     {"control": "A", "columns": {"value": "revenue"}}),
    (InputError, "columns: 'val': 'x' maps no column of welch_t; did you mean 'value'?",
     ("welch_t", "observations"), {"control": "A", "columns": {"val": "x"}}),
    (InputError, "column 'arm' is VARCHAR, not a number", ("welch_t", "observations"),
     {"control": "A", "columns": {"value": "arm"}}),
    (InputError, "no rows; check how it was exported", ("welch_t", "FROM observations WHERE false"),
     {"control": "A"}),
    (InputError, "column 'value': 100 rows with NaN or an infinite value",
     ("welch_t", "SELECT arm, 'inf'::DOUBLE AS value FROM observations"), {"control": "A"}),
    (InputError, "column 'x': 100 rows with NaN",
     ("welch_t", "SELECT arm, 'nan'::DOUBLE AS x FROM observations"),
     {"control": "A", "columns": {"value": "x"}}),
    (InputError, "column 'p': 1 p-value outside of [0, 1] (test=a, p=2); give p-values, not statistics",
     ("adjusted_p", "SELECT 'a' AS test, 2 AS p"), {}),
    (InputError, "column 'arm': 33 rows without a name",
     ("welch_t", "SELECT nullif(arm, 'C') AS arm, value FROM observations"), {"control": "A"}),
    (InputError, "column 'query_id': 114 rows without a unit",
     ("paired_t", "SELECT * REPLACE (NULL AS query_id) FROM per_query"), {"baseline": "A"}),
    (InputError, "114 units with several rows", ("paired_t", "FROM per_query UNION ALL FROM per_query"),
     {"baseline": "A"}),
    (InputError, "observed': 1 row whose count is missing, negative",
     ("sample_ratio", "SELECT unnest([1, -2]) AS observed"), {}),
    (InputError, "a table with fewer than two rows or columns",
     ("fisher_exact", "SELECT row_value AS row, 1 AS column FROM cells"), {}),
    (InputError, "trials: column 'hits': 2 rows with more hits than trials (arm=A, hits=300, n=200; arm=B, "
     "hits=3, n=2); check whether hits and n are swapped", ("two_proportion_z", "trials"), {"control": "A"}),
    (InputError, "1 row with more hits than trials (arm=A, hits=2, of=1); check whether hits and n are "
     "swapped",
     ("wilson_interval", "SELECT 'A' AS arm, 2 AS hits, 1 AS of"), {"columns": {"n": "of"}}),
    (InputError, "column 'hits': 1 row with fewer than 0 hits (arm=A, hits=-1, n=2)",
     ("wilson_interval", "SELECT 'A' AS arm, -1 AS hits, 2 AS n"), {}),
    (InputError, "column 'n': 1 row without trials (arm=B, hits=0, n=0); leave them out",
     ("two_proportion_z", "FROM (VALUES ('A', 1, 2), ('B', 0, 0)) AS t(arm, hits, n)"), {"control": "A"}),
    (InputError, "column 'n': 1 row without trials (arm=A, hits=-1, n=-1)",
     ("wilson_interval", "SELECT 'A' AS arm, -1 AS hits, -1 AS n"), {}),
    (MetricError, "welch_t: level is 95, but must satisfy level < 1; write 0.95", ("welch_t", "observations"),
     {"control": "A", "level": 95}),
    (MetricError, "level is 100, but must satisfy level < 1; write level=0.95", ("welch_t", "observations"),
     {"control": "A", "level": 100}),
    (InputError, 'column \'arm\' is VARCHAR, not a number; give one row per category with its count, as in '
     '"SELECT arm, count(*) AS observed FROM ... GROUP BY arm"', ("sample_ratio", "observations"),
     {"columns": {"observed": "arm"}}),
    (InputError, "no column 'observed'; found arm, value; map it with columns={'observed': ...} (on the "
     "command line --column observed=...); of names give one row each with its count, as in SELECT variant, "
     "count(*) AS observed ... GROUP BY variant",
     ("sample_ratio", "observations"), {}),
    (InputError, "rows of counts; the test is of one list", ("sample_ratio", [[3, 7], [5, 5]]), {}),
    (InputError, "one list of counts; the test compares rows", ("fisher_exact", [3, 7]), {}),
    (InputError, "'x' is not a number", ("binomial_test", [3, "x"]), {}),
    (InputError, "nowhere: no such table, view or file", ("paired_t", "nowhere"), {"baseline": "A"}),
]  # fmt: skip


@pytest.mark.some(19)
@pytest.mark.parametrize(("error", "message", "arguments", "given"), CALLS, ids=[call[1] for call in CALLS])
def test_what_is_wrong_is_said(
    database: duckdb.DuckDBPyConnection,
    error: type[Exception],
    message: str,
    arguments: tuple[Any, ...],
    given: dict[str, Any],
) -> None:
    with pytest.raises(error) as raised:
        run_test(*arguments, connection=database, **given)
    assert message in str(raised.value)


def test_every_check_of_rows_is_tried() -> None:
    told = [message for _, message, _, _ in CALLS]
    for check in CATALOG.statistic_checks.values():
        titles = (check.title.partition(" or ")[0], singular(check.title).partition(" or ")[0])
        assert any(title in message for title in titles for message in told), check.name


def test_a_check_of_rows_declares_what_readers_need() -> None:
    for check in CATALOG.statistic_checks.values():
        keys = {"name", "title", "severity", "why", "inputs", "advice"}
        assert check.header.keys() - {"column", "note"} == keys
        assert check.tables == check.inputs.keys() == {GIVEN_ROWS}
        read = {column.name for column in check.query.find_all(exp.Column)}
        assert read == {*check.inputs[GIVEN_ROWS]}
        assert check.header.get("column", f"{GIVEN_ROWS}.").startswith(f"{GIVEN_ROWS}.")


def test_a_check_of_rows_runs_as_it_stands(database: duckdb.DuckDBPyConnection) -> None:
    columns = "1.0 AS p, 2.0 AS hits, 1.0 AS n, 'inf'::DOUBLE AS number, NULL AS unit, 'a' AS name"
    with database.cursor() as connection:
        connection.execute(f"CREATE TEMP TABLE {GIVEN_ROWS} AS SELECT {columns}")
        for check in CATALOG.statistic_checks.values():
            found = connection.execute(check.text).fetchall()
            assert len(found) == (check.name in ("infinite_number", "more_hits", "no_unit")), check.name


def test_no_column_of_a_statistic_is_called_like_a_kind_of_columns() -> None:
    columns = {column for d in CATALOG.statistics.values() for column in input_of(d)[1]}
    assert not columns & KINDS.keys()


def test_many_names_are_not_all_listed() -> None:
    table = pa.table({"arm": [f"v{i:02}" for i in range(30)] * 2, "value": np.arange(60.0)})
    with pytest.raises(InputError, match=r"there are v00, v01, .*, v19 \.\.\.$"):
        run_test("welch_t", table, control="A")


# ---- the command line ---------------------------------------------------------------------------


def test_the_command_lists_every_statistic(run: Command) -> None:
    listed = run("test", "--help").out
    for definition in CATALOG.statistics.values():
        assert definition.name.replace("_", "-") in listed
    assert "Wilson interval" in listed


@pytest.mark.parametrize("name", NAMES)
def test_the_command_explains_every_statistic(run: Command, name: str) -> None:
    alias = NAMES[name]
    told = run("test", name.replace("_", "-"), "--help")
    if name == "chi_square":
        return
    flat = " ".join(told.out.split())
    assert told.code == 0
    assert alias.metric.title in told.out
    assert " ".join(alias.metric.header["source"].split()) in flat
    for param in alias.metric.own_params:
        assert f"set {param}=" in flat
    assert max(map(len, told.out.splitlines())) <= 100


@pytest.mark.slow
def test_the_command_prints_every_format(run: Command, folder: Path) -> None:
    call = ("test", "wilcoxon", "per_query.parquet", "--set", "baseline=A")
    result = run_test("wilcoxon", folder / "per_query.parquet", baseline="A")
    table = run(*call)
    assert (table.code, table.err) == (0, "")
    assert table.out.splitlines()[0] == repr(result).splitlines()[0]
    assert f"warning: {result.warnings[0]}" in table.out
    found = json.loads(run(*call, "--format", "json").out)
    assert found["params"] == {"baseline": "A", "zeros": "wilcox", "correction": False, "exact": None}
    assert found["warnings"] == list(result.warnings)
    assert [row["p"] for row in found["rows"]] == pytest.approx([row["p"] for row in result.rows], rel=1e-12)
    printed = run(*call, "--format", "csv")
    assert printed.out.splitlines()[0] == ",".join(result.summary.column_names)
    assert len(printed.out.splitlines()) == 1 + len(result.rows)
    assert printed.err == "".join(f"warning: {warning}\n" for warning in result.warnings)
    assert run(*call, "--format", "markdown").out.startswith("| system | metric | n |")


def test_the_command_writes_files(run: Command, tmp_path: Path) -> None:
    call = ("test", "holm", "SELECT 'a' AS name, 0.02 AS p", "--column", "test=name")
    for suffix in ("json", "csv", "md", "txt", "parquet"):
        assert run(*call, "-o", tmp_path / f"out.{suffix}").code == 0
    assert json.loads((tmp_path / "out.json").read_text())["rows"] == [
        {"test": "a", "p": 0.02, "p_adjusted": 0.02}
    ]
    assert (tmp_path / "out.csv").read_text() == "test,p,p_adjusted\na,0.02,0.02\n"
    assert pq.read_table(tmp_path / "out.parquet").to_pylist()[0]["test"] == "a"
    assert "method=holm" in (tmp_path / "out.txt").read_text()


def test_the_command_reads_a_database(run: Command) -> None:
    call = ("test", "wilson-interval", "proportions", "--database", "trials.duckdb", "--format", "json")
    rows = json.loads(run(*call).out)["rows"]
    assert [row["arm"] for row in rows] == ["A", "B", "C"]
    expected = scipy.stats.binomtest(30, 100).proportion_ci(method="wilson")
    assert (rows[0]["lower"], rows[0]["upper"]) == pytest.approx((expected.low, expected.high), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paired-tt", "per_query.parquet"), "did you mean 'paired_t'?"),
        (("paired-t", "per_query.parquet"), "baseline is missing; choose A, B or C"),
        (("paired-t", "per_query.parquet", "--set", "baseline=Z"), "baseline 'Z' is no system"),
        (("paired-t", "per_query.parquet", "--set", "baseline=A", "--set", "level=2"), "level < 1"),
        (("paired-t", "per_query.parquet", "--set", "baseline"), "write --set NAME=VALUE"),
        (("paired-t", "nowhere.parquet", "--set", "baseline=A"), "no such file"),
        (("welch-t", "per_query.parquet", "--set", "control=A"), "--column arm=..."),
        (("paired-t", "per_query.parquet", "--set", "connection=1"), "--set connection: not a switch"),
        (("paired-t",), "Missing argument 'TABLE'"),
        (("holm", "p_values.parquet", "--format", "parquet"), "needs a file"),
        (("wilson-interval", "SELECT 'A' AS arm, 3 AS hits, 2 AS n"), "check whether hits and n are swapped"),
        (("sample-ratio", "observations.parquet", "--column", "observed=arm"), "count(*) AS observed"),
        (("sample-ratio", "3", "x"), "'x': not counts"),
        (("sample-ratio", "3,7", "5,5"), "rows of counts; the test is of one list"),
        (("sample-ratio", "counts.parquet", "--expected", "1,2"), "expected: is given with a table"),
        (("fisher-exact", "3", "7"), "one list of counts; the test compares rows"),
        (("fisher-exact", "3,7", "5,5", "--expected", "1,2"), "No such option"),
        (("sample-ratio",), "Missing argument 'COUNT COUNT"),
        (("sample-ratio", "3", "7", "--column", "observed=x"), "no column 'x' for observed"),
    ],
)  # fmt: skip
def test_the_command_ends_with_one_message(run: Command, arguments: tuple[str, ...], message: str) -> None:
    ended = run("test", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_counts_on_the_command_line_stay_as_they_were(run: Command) -> None:
    (found,) = json.loads(run("test", "chi-square", "3", "7", "--format", "json").out)["rows"]
    assert found["p"] == pytest.approx(0.2059032107320683, rel=1e-14)
    assert math.isclose(found["statistic"], 1.6)


@pytest.mark.slow
def test_what_reads_counts_takes_numbers_on_the_command_line(run: Command) -> None:
    def rows(*arguments: str) -> list[dict[str, Any]]:
        ended = run("test", *arguments, "--format", "json")
        assert (ended.code, ended.err) == (0, "")
        found: list[dict[str, Any]] = json.loads(ended.out)["rows"]
        return found

    (srm,) = rows("sample-ratio", "5000", "5200")
    assert srm["p"] == pytest.approx(scipy.stats.chisquare([5000, 5200]).pvalue, rel=1e-12)
    (srm,) = rows("sample-ratio", "5000", "2600", "--expected", "2,1", "--set", "alpha=0.5")
    assert srm["p"] == pytest.approx(
        scipy.stats.chisquare([5000, 2600], [7600 * 2 / 3, 7600 / 3]).pvalue, rel=1e-9
    )
    assert srm["mismatch"] is True
    (binomial,) = rows("binomial-test", "3", "7", "--expected", "1,3")
    assert binomial["p"] == pytest.approx(scipy.stats.binomtest(3, 10, 0.25).pvalue, rel=1e-10)
    (fisher,) = rows("fisher-exact", "12,5", "3,14")
    assert fisher["p"] == pytest.approx(scipy.stats.fisher_exact([[12, 5], [3, 14]]).pvalue, rel=1e-10)
    assert rows("sample-ratio", "counts.parquet") == rows("sample-ratio", "30", "47", "--expected", "1,2")
    for definition in CATALOG.statistics.values():
        is_counts = definition.inputs.keys() & {"counts", "cells"}
        told = run("test", definition.name.replace("_", "-"), "--help").out
        assert bool(is_counts) == bool("COUNT COUNT" in told or "ROW ROW" in told), definition.name


def test_two_statistics_cannot_share_a_name(tmp_path: Path) -> None:
    (tmp_path / "statistics").mkdir()
    for name in ("first", "second"):
        text = f"-- name: {name}\n-- alias: shared (x = 1)\n-- optional: x = 1, y = NULL\nSELECT 1 AS x"
        (tmp_path / "statistics" / f"{name}.sql").write_text(text)
    catalog = Catalog.read(tmp_path)
    assert catalog.statistics["first"].optional == {"x": 1, "y": None}
    with pytest.raises(DefinitionError, match=r"second\.sql: alias 'shared' is taken by .*first\.sql"):
        _ = catalog.statistic_names


def test_first_is_in_every_table_that_needs_it(database: duckdb.DuckDBPyConnection) -> None:
    for parameter, column in (("baseline", "system"), ("control", "arm")):
        tables = {t for d in CATALOG.statistics.values() if parameter in d.own_params for t in d.inputs}
        assert tables
        for table in tables:
            found = database.execute(f"SELECT count(*) FROM {table} WHERE {column} = ?", [FIRST[parameter]])
            assert found.fetchall()[0][0] > 0
