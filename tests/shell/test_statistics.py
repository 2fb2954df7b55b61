"""Macros of the statistics give the results of `run_test` up to the last digits, and the same refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from support.cases import CATALOG, ROOT
from support.duckdb_shell import CommandLine, connected, differences, refusal, same, written
from support.statistics import ROWS, columns_of, own_names, settings, trapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duckmetrics.catalog.catalog import Alias

pytestmark = pytest.mark.engine

Row = dict[str, Any]
NAMES = CATALOG.statistic_names
EVERY = [(name, i, given) for name, alias in NAMES.items() for i, given in enumerate(settings(alias))]
BY_NAME = "per_query"
# The file that people load; another test checks that it is fresh.
FILE = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Create the macros, and every input as a table with the macro's internal name, a view and a file."""
    folder = tmp_path_factory.mktemp("trials")
    with connected() as connection:
        connection.execute("SET threads = 1")
        for table in ROWS:
            connection.execute(f"CREATE TABLE {table} AS {trapped(table)}")
            connection.execute(f"CREATE VIEW {table}_view AS FROM {table}")
            connection.execute(f"COPY {table} TO '{folder}/{table}.parquet'")
        connection.execute(f"SET VARIABLE folder = '{folder}'")
        yield connection


def call(name: str, source: str, given: Row, **columns: str) -> str:
    """Write a call; columns are expressions, or the names of columns of values per query."""
    ((table, canonical),) = NAMES[name].metric.inputs.items()
    if table == BY_NAME:
        arguments = [f'"{c}" := {written(columns[c])}' for c in canonical if c in columns]
    else:
        optional = NAMES[name].metric.optional
        arguments = [
            f"{c} := {columns[c]}" if c in optional else columns[c] for c in canonical if c in columns
        ]
    arguments += [f'"{key}" := {written(value)}' for key, value in given.items()]
    return f"FROM {name}({', '.join([written(source), *arguments])})"


def mine(alias: Alias) -> dict[str, str]:
    """Return the columns of the user, as a macro takes them."""
    ((table, columns),) = alias.metric.inputs.items()
    return {name: f"my {name}" if table == BY_NAME else f'"my {name}"' for name in columns}


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "place", "given"), EVERY, ids=str)
def test_a_macro_gives_what_python_gives(
    session: duckdb.DuckDBPyConnection, name: str, place: int, given: Row
) -> None:
    """A table is read under each setting, a view and a file under the first."""
    alias = NAMES[name]
    (table,) = alias.metric.inputs
    columns = own_names(alias.metric)
    wanted = duckmetrics.run_test(name, table, columns=columns, connection=session, **given)
    assert wanted.rows
    ((folder,),) = session.execute("SELECT getvariable('folder')").fetchall()
    for source in (table, f"{table}_view", f"{folder}/{table}.parquet")[: 1 if place else 3]:
        assert not differences(rows(session, call(name, source, given, **mine(alias))), wanted.rows), source


@pytest.mark.some(2)
@pytest.mark.parametrize("name", [n for n, alias in NAMES.items() if alias.metric.optional])
def test_a_column_may_be_missing(session: duckdb.DuckDBPyConnection, name: str) -> None:
    alias = NAMES[name]
    ((table, columns),) = alias.metric.inputs.items()
    there = [c for c in columns if c not in alias.metric.optional]
    query = f"SELECT {', '.join(there)} FROM ({ROWS[table]})"
    given = next(settings(alias))
    wanted = duckmetrics.run_test(name, query, **given)
    assert not differences(rows(session, call(name, query, given, **{c: c for c in there})), wanted.rows)


@pytest.mark.slow
def test_values_per_query_are_read_as_evaluate_writes_them(
    session: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Columns are found by name, in either case; a single system needs no name."""
    session.execute(f"COPY ({ROWS[BY_NAME]}) TO '{tmp_path}/values.parquet'")
    upper = f"SELECT system AS SYSTEM, value AS Value, metric, query_id FROM '{tmp_path}/values.parquet'"
    found = rows(session, f"FROM paired_t('{tmp_path}/values.parquet', baseline := 'A')")
    assert same(found, rows(session, f"FROM paired_t({written(upper)}, 'A')"))
    assert [row["system"] for row in found] == ["B", "B", "C", "C"]
    alone = f"SELECT * REPLACE (NULL AS system) FROM '{tmp_path}/values.parquet' WHERE system = 'A'"
    (first, _) = rows(session, f"FROM mean_interval({written(alone)})")
    assert (first["system"], first["metric"], first["n"]) == (None, "map", 18)


def test_a_baseline_may_be_a_number(session: duckdb.DuckDBPyConnection) -> None:
    numbered = written(f"SELECT * REPLACE (ascii(arm) - 65 AS arm) FROM ({ROWS['observations']})")
    assert len(rows(session, f"FROM welch_t({numbered}, arm, value, control := 0)")) == 2


def test_a_cte_is_read_and_settings_change_nothing(session: duckdb.DuckDBPyConnection) -> None:
    query = f"WITH per_query AS ({ROWS[BY_NAME]}) FROM wilcoxon('per_query', baseline := 'A')"
    usual = rows(session, query)
    session.execute("SET default_order = 'desc'; SET default_null_order = 'nulls_first'")
    session.execute("SET integer_division = true")
    try:
        assert same(rows(session, query), usual)
    finally:
        session.execute("RESET default_order; RESET default_null_order; RESET integer_division")


REFUSED = {
    "FROM paired_t('v')": "baseline is missing; choose A, B, C",
    "FROM paired_t('v', baseline := 'X')": "baseline 'X' is no system; there are A, B, C",
    "FROM delong('s', system, row_id, label, score, baseline := 'X')": "baseline 'X' is no system",
    "FROM kolmogorov_smirnov('o', arm, arm, control := 'A')": "to compare categories, use category_drift",
    "FROM welch_t('o', arm, value)": "control is missing; choose A, B, C",
    "FROM welch_t('o', arm, value, control := 'Z')": "control 'Z' is no arm; there are A, B, C",
    "FROM welch_t('o', arm, arm, control := 'A')": "value is VARCHAR, not a number",
    "FROM welch_t('o', arm, 1 / (value - value), control := 'A')": "value: rows with NaN or",
    "FROM welch_t('o', nullif(arm, 'B'), value, control := 'A')": "arm: rows without a name",
    "FROM welch_t('o', 'arm', 'value', control := 'A')":
        "is VARCHAR, not a number; cast it to DOUBLE; if it is the name of a column, write it without quotes",
    "FROM welch_t('o', 'arm', value, control := 'A')":
        "control 'A' is no arm; there are arm; if that is the name of a column, write it without quotes",
    "FROM sample_ratio('o', arm)": "SELECT variant, count(*) AS observed ... GROUP BY variant",
    "FROM two_proportion_z('r', arm, n, hits, control := 'A')":
        "data: hits: rows with more hits than trials (arm=",
    "FROM wilson_interval('r', arm, n, hits + 1)": "check whether hits and n are swapped",
    "FROM wilson_interval('r', arm, hits - 1, n)": "rows with fewer than 0 hits (arm=C, hits=-1.0, n=50.0)",
    "FROM wilson_interval('r', arm, 0 * hits, 0 * n)": "data: n: rows without trials (arm=",
    "FROM paired_t('v', baseline := 'A', level := 95)": "level > 0 and level < 1; write 0.95",
    "FROM paired_t('v', baseline := 'A', level := 1)": "level cannot be '1'",
    "FROM paired_t('v', baseline := 'A', level := NULL)": "level cannot be 'NULL'",
    "FROM paired_t('v', baseline := 'A', level := 'wide')": "level cannot be 'wide'",
    "FROM paired_t('FROM v WHERE false', baseline := 'A')": "data: no rows",
    "FROM paired_t('FROM v UNION ALL FROM v', baseline := 'A')": "units with several rows (system=",
    "FROM paired_t('SELECT * REPLACE (NULL AS query_id) FROM v', baseline := 'A')": "rows without a unit",
    "FROM paired_t('v', baseline := 'A', value := 'metric')": "value is VARCHAR, not a number",
    "FROM wilcoxon('v', baseline := 'A', zeros := 'keep')": "zeros cannot be 'keep'",
    "FROM adjusted_p('p', test, p, method := 'none')": "method cannot be 'none'",
    "FROM randomization_test('v', baseline := 'A', resamples := 0)": "resamples cannot be '0'",
    "FROM chi_square('c', -observed)": "counts.observed: rows whose count is missing, negative",
    "FROM chi_square('c', 0 * observed)": "counts: nothing was observed",
    "FROM chi_square('FROM c LIMIT 1', observed)": "counts: fewer than two categories",
    "FROM fisher_exact('x', row_value, 1)": "cells: a table with fewer than two rows or columns",
}  # fmt: skip


@pytest.fixture(scope="module")
def plain(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    views = {"v": BY_NAME, "o": "observations", "s": "scores", "p": "p_values", "c": "counts", "x": "cells",
             "r": "proportions"}  # fmt: skip
    for name, table in views.items():
        session.execute(f"CREATE VIEW {name} AS {ROWS[table]}")
    return session


@pytest.mark.some(1)
@pytest.mark.parametrize("query", REFUSED)
def test_a_macro_says_what_is_wrong(plain: duckdb.DuckDBPyConnection, query: str) -> None:
    assert REFUSED[query] in refusal(plain, query)


@pytest.mark.slow
def test_hints_stand_where_they_help_alone(plain: duckdb.DuckDBPyConnection) -> None:
    """Hints about quotes and percentages appear only if they fix the call."""
    alone = "FROM paired_t('FROM v WHERE system = ''A''', baseline := 'X')"
    several = "FROM welch_t('o', arm, value, control := 'Z')"
    for query in (alone, several, "FROM paired_t('v', baseline := 'A', value := 'metric')"):
        assert "quotes" not in refusal(plain, query)
    for level in (1, 1.5, 100, -3, "NULL"):
        assert "write" not in refusal(plain, f"FROM paired_t('v', baseline := 'A', level := {level})")


def test_a_column_that_is_not_there_is_named(plain: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match="revenue"):
        plain.execute("FROM paired_t('v', baseline := 'A', value := 'revenue')")


def test_the_help_knows_them(session: duckdb.DuckDBPyConnection) -> None:
    listed = {row["name"] for row in rows(session, "FROM duckmetrics_help()") if row["kind"] == "table"}
    assert NAMES.keys() <= listed
    told = {row["topic"]: row["about"] for row in rows(session, "FROM duckmetrics_help('holm')")}
    assert told["call"] == "FROM holm(data, test, p)"
    assert "method" not in told
    told = {row["topic"]: row["about"] for row in rows(session, "FROM duckmetrics_help('paired_t')")}
    assert told["call"] == "FROM paired_t(data, baseline := ...)"
    assert told["baseline"] == "the system that the others are compared with; must be given"
    assert "does not compare means" in str(rows(session, "FROM duckmetrics_help('sign_test')"))
    assert "above 0" in next(
        row["about"] for row in rows(session, "FROM duckmetrics_help('mcnemar')") if row["topic"] == "warning"
    )


def test_the_help_finds_words_in_any_order(session: duckdb.DuckDBPyConnection) -> None:
    for pattern in ("t_test", "T-Test", "test t"):
        found = {row["name"] for row in rows(session, f"FROM duckmetrics_help('{pattern}')")}
        assert found == {
            "paired_t", "paired_tost", "unpaired_t", "welch_t", "student_t_mde", "student_t_power",
            "planned_units", "planned_arm_units",
        }, pattern  # fmt: skip
    wanted = {row["name"] for row in rows(session, "FROM duckmetrics_help('interval wilson')")}
    assert wanted == {"wilson_interval"}
    assert [row["topic"] for row in rows(session, "FROM duckmetrics_help('paired nothing')")] == ["unknown"]


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.duckdb_shell.text", lambda: FILE)
    file = tmp_path / "values.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS[BY_NAME]}) TO '{file}'")
    test = "SELECT system, metric, n, p FROM paired_t('{}', baseline := 'A')"
    p_values = f"SELECT system || ' ' || metric AS test, p FROM paired_t('{file}', baseline := 'A')"
    adjusted = f"SELECT test, p_adjusted FROM holm({written(p_values)}, test, p)"
    found, holm = CommandLine(tmp_path).run(f"{test.format(file)}; {adjusted};")
    result = duckmetrics.run_test("paired_t", file, baseline="A")
    assert [row["p"] for row in found] == pytest.approx([row["p"] for row in result.rows], rel=1e-13)
    ranked = sorted(row["p"] for row in result.rows)
    largest = max(p * (len(ranked) - i) for i, p in enumerate(ranked[:1]))
    assert min(row["p_adjusted"] for row in holm) == pytest.approx(min(1, largest), rel=1e-13)


def test_every_input_is_tried() -> None:
    assert {table for alias in NAMES.values() for table in alias.metric.inputs} == ROWS.keys()
    assert all(columns_of(table) for table in ROWS)
