"""Results in tables of a database: rows are appended all or none, and some targets are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import InputError
from duckmetrics.engines.results_database import Rows, append
from support.command_line import Command
from support.little import DCG, PREDICTIONS, RR, TRUTH, evaluation

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engine

USERS = "SELECT DISTINCT query_id, if(query_id = 'q1', 'DE', 'FR') AS country FROM truth"
EVALUATE = ("evaluate", "p.parquet", "t.parquet", "-m", "rr")
LABELS = "SELECT * FROM (VALUES (1, 0.9), (0, 0.2), (1, 0.4), (0, 0.5)) AS t(label, score)"
ARMS = "SELECT i AS unit, if(i % 2 = 0, 'A', 'B') AS arm, i % 7 AS revenue FROM range(100) AS t(i)"
COMMANDS = {
    "evaluate": EVALUATE,
    "compare": ("compare", "p.parquet", "reverse.parquet", "--truth", "t.parquet", "-m", "rr"),
    "check": ("check", "p.parquet", "t.parquet"),
    "ab": ("ab", ARMS, "--variant", "arm", "--control", "A", "-m", "revenue"),
    "test": ("test", "sample-ratio", 5000, 5200),
    "curve": ("curve", "roc_curve", LABELS),
    "ties": ("ties", "p.parquet", "t.parquet", "-m", "rr"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("shop.duckdb") as connection:
        connection.execute(f"CREATE TABLE p AS FROM {PREDICTIONS}; CREATE TABLE t AS FROM {TRUTH}")
        connection.execute("COPY p TO 'p.parquet'; COPY t TO 't.parquet'")
        connection.execute("COPY (FROM p SELECT * REPLACE (-score AS score)) TO 'reverse.parquet'")
        connection.execute("CREATE VIEW v AS FROM p; CREATE TABLE runs (run_id VARCHAR, status VARCHAR)")
    return tmp_path


@pytest.fixture
def here(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def rows(text: str, path: str = "w.duckdb") -> list[tuple[Any, ...]]:
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(text).fetchall()


def types(table: str = "metrics", path: str = "w.duckdb") -> dict[str, str]:
    return {row[0]: row[1] for row in rows(f"DESCRIBE {table}", path)}


# --- appending rows ---------------------------------------------------------------------------------


def test_rows_are_appended_run_after_run(folder: Path) -> None:
    first = duckmetrics.append(evaluation(), "w.duckdb", "metrics")
    assert duckmetrics.append(evaluation(metric="dcg"), "w.duckdb", table="metrics", run_id="b") == "b"
    assert first
    assert rows("SELECT run_id, metric, round(value, 9), n FROM metrics ORDER BY run_time") == [
        (first, "rr", round(RR, 9), 3), ("b", "dcg", round(DCG, 9), 3)
    ]  # fmt: skip
    known = types()
    assert list(known)[:4] == ["run_time", "run_id", "system", "metric"]
    assert (known["run_time"], known["value"], known["n"]) == ("TIMESTAMP WITH TIME ZONE", "DOUBLE", "BIGINT")
    ((seconds, runs),) = rows(
        "SELECT max(abs(epoch(run_time) - epoch(now()))), count(DISTINCT run_id) FROM metrics"
    )
    assert (seconds < 60, runs) == (True, 2)


@pytest.mark.slow
def test_missing_columns_are_added(folder: Path) -> None:
    duckmetrics.append(evaluation(), "w.duckdb", "metrics", "plain")
    before = types()
    sliced = evaluation(by="country", queries=USERS, interval=0.95)
    duckmetrics.append(sliced, "w.duckdb", "metrics", "sliced")
    duckmetrics.append(evaluation(), "w.duckdb", "METRICS", "plain again")
    added = types().keys() - before.keys()
    assert added == {"country", "n_units", "n_effective"}
    assert rows("SELECT run_id, country, value FROM metrics WHERE slice = '' ORDER BY run_time") == [
        ("plain", None, RR), ("sliced", None, RR), ("plain again", None, RR)
    ]  # fmt: skip
    assert rows("SELECT count(*) FROM metrics WHERE run_id = 'sliced' AND slice = 'country'") == [(2,)]


@pytest.mark.slow
def test_numbers_have_the_widest_usual_type_whatever_the_data_have(folder: Path) -> None:
    for value, n, age in ((pa.float32(), pa.int8(), pa.int32()), (pa.int64(), pa.uint32(), pa.int64())):
        columns = {"metric": ["m"], "value": pa.array([2], value), "n": pa.array([1], n)}
        whole = pa.table({**columns, "age": pa.array([3], age), "of": pa.array(["x"]).dictionary_encode()})
        duckmetrics.append(whole, "w.duckdb", "metrics")
    assert list(types().values())[2:] == ["VARCHAR", "DOUBLE", "BIGINT", "BIGINT", "VARCHAR"]
    assert rows("SELECT value, n, age FROM metrics") == [(2.0, 1, 3)] * 2


def test_values_per_query_are_appended_without_the_results(folder: Path) -> None:
    found = evaluation(metric=["rr", "dcg"])
    for _ in range(2):
        found.write_per_query("w.duckdb", table="queries", run_id="a")
    (found_again,) = rows("SELECT run_id, count(*), sum(value) FROM queries WHERE metric = 'rr' GROUP BY ALL")
    assert found_again == ("a", 6, 6 * RR)
    assert set(os.listdir()) == {"p.parquet", "t.parquet", "reverse.parquet", "shop.duckdb", "w.duckdb"}


@pytest.mark.slow
def test_a_schema_and_a_name_in_quotes_are_tables_too(folder: Path) -> None:
    with duckdb.connect("w.duckdb") as connection:
        connection.execute("CREATE SCHEMA eval")
    for name in ("eval.metrics", '"my metrics; --"', 'eval."a.b"'):
        duckmetrics.append(evaluation(), "w.duckdb", name, "a")
        assert rows(f"SELECT run_id, value FROM {name}") == [("a", RR)]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_with_rows_appends_them(here: Command, command: str) -> None:
    for run in ("a", "b"):
        outcome = here(*COMMANDS[command], "-o", "w.duckdb", "--table", "r", "--run-id", run)
        assert (outcome.code, outcome.out) == (0, ""), outcome
    found = rows("SELECT run_id, count(*) FROM r GROUP BY ALL ORDER BY ALL")
    assert [run for run, _ in found] == ["a", "b"]
    assert found[0][1] == found[1][1] > 0


@pytest.mark.slow
def test_results_and_values_per_query_are_one_run(here: Command) -> None:
    more = ("--per-query", "w.duckdb", "--per-query-table", "queries")
    assert here(*EVALUATE, "-o", "w.duckdb", "--table", "metrics", *more).code == 0
    assert rows("SELECT count(DISTINCT run_id), count(DISTINCT run_time), count(*) "
                "FROM (SELECT run_id, run_time FROM metrics UNION ALL SELECT run_id, run_time FROM queries)"
                ) == [(1, 1, 4)]  # fmt: skip
    outcome = here(*EVALUATE, *more, "--temp-directory", "spill")  # a file that does not exist yet
    assert (outcome.code, "rr" in outcome.out) == (0, True)
    assert rows("SELECT count(*) FROM queries") == [(6,)]


@pytest.mark.slow
def test_the_database_of_the_inputs_may_get_the_results(here: Command) -> None:
    inputs = ("evaluate", "p", "t", "-m", "rr", "--database", "shop.duckdb")
    more = ("--per-query", "shop.duckdb", "--per-query-table", "queries")
    for _ in range(2):
        outcome = here(*inputs, "-o", "shop.duckdb", "--table", "metrics", *more)
        assert outcome.code == 0, outcome
    assert rows("SELECT value FROM metrics", "shop.duckdb") == [(RR,), (RR,)]
    assert rows("SELECT count(*) FROM queries", "shop.duckdb") == [(6,)]


@pytest.mark.slow
def test_an_open_connection_of_the_caller_sees_the_rows(folder: Path) -> None:
    with duckdb.connect("shop.duckdb") as connection:
        found = duckmetrics.evaluate("p", "t", "rr", connection=connection)
        duckmetrics.append(found, "shop.duckdb", "metrics")
        assert connection.execute("SELECT value FROM metrics").fetchall() == [(RR,)]


# --- refusals ---------------------------------------------------------------------------------------


REFUSED = {
    "no table": (["-o", "w.duckdb"], "w.duckdb: is a database, and no table is named; "
                 "write -o w.duckdb --table metrics"),
    "no table per query": (["--per-query", "w.duckdb"],
                           "write --per-query w.duckdb --per-query-table metrics"),
    "no database": (["--table", "m"], "--table m: there is no database; write -o results.duckdb --table m"),
    "a file": (["-o", "r.csv", "--table", "m"], "write -o results.duckdb --table m"),
    "no database per query": (["--per-query-table", "m"], "write --per-query results.duckdb"),
    "a run without a database": (["--run-id", "a"], "--run-id: there is no database"),
    "a run of nothing": (["-o", "w.duckdb", "--table", "m", "--run-id", " "], "names no run"),
    "a format": (["-o", "w.duckdb", "--table", "m", "--format", "csv"], "--format: w.duckdb is a database"),
    "a view": (["-o", "shop.duckdb", "--table", "v"], "shop.duckdb: v is a view; name a table"),
    "a table of the user": (["-o", "shop.duckdb", "--table", "p"], "table p is not one of duckmetrics"),
    "half a table of ours": (["-o", "shop.duckdb", "--table", "runs"], "it lacks run_time"),
    "another file": (["-o", "text.db", "--table", "m"], "text.db: exists and is not a DuckDB database"),
    "a folder": (["-o", "f.db", "--table", "m"], "f.db: cannot be written"),
    "no folder": (["-o", "none/w.duckdb", "--table", "m"], "cannot be written"),
    "no name": (["-o", "w.duckdb", "--table", "a b"], "table 'a b': is not the name of a table"),
    "a query": (["-o", "w.duckdb", "--table", "(SELECT 1)"], "is not the name of a table"),
    "one table for both": (["-o", "w.duckdb", "--table", "m", "--per-query", "w.duckdb",
                            "--per-query-table", "m"], "two results would go to the table m"),
}  # fmt: skip


@pytest.mark.some(4)
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_before_anything_is_computed(
    here: Command, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr("duckmetrics.api.functions.evaluate", never)
    (folder / "text.db").write_text("SQLite format 3")
    (folder / "f.db").mkdir()
    options, message = REFUSED[name]
    before = Path("shop.duckdb").read_bytes()
    code, out, err = here(*EVALUATE, *options)
    assert (code, out, message in err) == (2, "", True), err
    assert Path("shop.duckdb").read_bytes() == before
    assert not Path("w.duckdb").exists()


@pytest.mark.slow
def test_a_column_of_another_type_is_refused_and_no_row_is_there(folder: Path) -> None:
    duckmetrics.append(evaluation(), "w.duckdb", "metrics", "a")
    with duckdb.connect("w.duckdb") as connection:
        connection.execute("ALTER TABLE metrics ADD COLUMN country BIGINT")
    sliced = evaluation(by="country", queries=USERS, interval=0.95)
    with pytest.raises(InputError, match=r"w\.duckdb: column 'country' of table metrics is BIGINT, and of .*"
                       "VARCHAR; name another table"):  # fmt: skip
        duckmetrics.append(sliced, "w.duckdb", "metrics", "b")
    assert rows("SELECT run_id FROM metrics") == [("a",)]
    assert "n_units" not in types()


def test_rows_that_fail_leave_neither_rows_nor_columns_nor_a_database(folder: Path) -> None:
    duckmetrics.append(evaluation(), "w.duckdb", "metrics", "a")
    with duckdb.connect("w.duckdb") as connection:
        connection.execute("CREATE UNIQUE INDEX one_run ON metrics (run_id)")
    two = evaluation(by="country", queries=USERS).summary
    more = Rows("more", evaluation().summary)
    with pytest.raises(duckmetrics.EngineError, match=r"w\.duckdb: DuckDB: "):
        append("w.duckdb", [more, Rows("metrics", two)], "b")
    assert rows("SELECT table_name FROM duckdb_tables()") == [("metrics",)]
    assert rows("SELECT run_id FROM metrics") == [("a",)]
    assert "country" not in types()
    Path("broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(duckmetrics.EngineError):
        append("new.duckdb", [more, Rows("metrics", Path("broken.parquet"))])
    assert not list(folder.glob("new*"))


@pytest.mark.slow
def test_other_results_need_another_table(folder: Path) -> None:
    found = evaluation()
    duckmetrics.append(found, "w.duckdb", "metrics")
    before = types()
    severities = {name: ["x"] for name in ("severity", "check", "table", "column", "message", "advice")}
    others = {
        "values per query": found.per_query,
        "a comparison": found.summary.append_column("verdict", [["better"]]),
        "findings": pa.table(severities),
        "a curve": pa.table({"threshold": [0.5], "tpr": [1.0], "fpr": [0.0]}),
    }
    for other in others.values():
        message = r"w\.duckdb: table metrics holds other results \(system, metric, .*\); name another table"
        with pytest.raises(InputError, match=message):
            duckmetrics.append(other, "w.duckdb", "metrics")
    with pytest.raises(InputError, match="holds other results"):
        found.write_per_query("w.duckdb", table="metrics")
    assert (types(), rows("SELECT count(*) FROM metrics")) == (before, [(1,)])


@pytest.mark.slow
def test_a_slice_called_as_a_column_of_the_run_is_refused(folder: Path) -> None:
    users = "SELECT DISTINCT query_id, 1 AS Run_ID FROM truth"
    with pytest.raises(InputError, match="by: 'Run_ID' is also a column of the table metrics"):
        duckmetrics.append(evaluation(by="Run_ID", queries=users), "w.duckdb", "metrics")
    assert not Path("w.duckdb").exists()


def test_a_result_must_be_a_table(folder: Path) -> None:
    with pytest.raises(InputError, match=r"result \(str\): is not a table"):
        duckmetrics.append("metrics", "w.duckdb", "metrics")
    with pytest.raises(InputError, match=r"w\.duckdb: is a database, and no table is named"):
        evaluation().write_per_query("w.duckdb")


def test_a_name_of_another_format_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"w\.csv: is not the name of a DuckDB database; call it w\.duckdb"):
        duckmetrics.append(evaluation(), "w.csv", "metrics")
    with pytest.raises(InputError, match=r"w\.csv: values per query are a Parquet file; call it w\.parquet"):
        evaluation().write_per_query("w.csv")
    assert not Path("w.csv").exists()


@pytest.mark.slow
def test_a_device_and_a_link_stay_what_they_are(folder: Path) -> None:
    with pytest.raises(InputError, match="is not a file"):
        duckmetrics.append(evaluation(), "/dev/null", "metrics")
    os.symlink("kept.duckdb", "w.duckdb")
    Path("kept.duckdb").touch()  # a file of mktemp
    for _ in range(2):
        duckmetrics.append(evaluation(), "w.duckdb", "metrics")
    assert (os.readlink("w.duckdb"), rows("SELECT count(*) FROM metrics", "kept.duckdb")) == (
        "kept.duckdb", [(2,)]
    )  # fmt: skip


@pytest.fixture
def locked(folder: Path) -> Iterator[None]:
    """Open the database for writing in another process."""
    code = (
        "import duckdb, sys; c = duckdb.connect('shop.duckdb'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate("")


@pytest.mark.usefixtures("locked")
def test_a_database_in_use_is_named(here: Command) -> None:
    code, out, err = here(*EVALUATE, "-o", "shop.duckdb", "--table", "metrics")
    assert (code, out) == (2, "")
    assert "shop.duckdb: is in use by another process (PID " in err
    assert err.rstrip().endswith("close the database there, and run again")


def test_a_database_that_is_open_to_read_only_is_named(folder: Path) -> None:
    found = duckmetrics.evaluate("p", "t", "rr", connection="shop.duckdb")
    with pytest.raises(InputError, match=r"shop\.duckdb: is open in this process with other settings"):
        duckmetrics.append(found, "shop.duckdb", "metrics")


@pytest.mark.slow
def test_an_old_duckdb_can_read_the_database(folder: Path) -> None:
    duckmetrics.append(evaluation(), "w.duckdb", "metrics")
    ((tags,),) = rows("SELECT tags FROM duckdb_databases() WHERE database_name = 'w'")
    assert tags["storage_version"].startswith("v1.4")
