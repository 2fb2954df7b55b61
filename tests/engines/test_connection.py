"""The caller's connection: its pending results, transactions, settings and threads stay the same."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError
from support.little import DCG, RR, evaluation, little, overall
from support.must_run import no_case

if TYPE_CHECKING:
    from support.little import Connection


@pytest.fixture
def connection() -> Connection:
    return little()


def names(connection: Connection) -> set[str]:
    made = "SELECT view_name FROM duckdb_views() WHERE NOT internal UNION SELECT function_name "
    made += "FROM duckdb_functions() WHERE NOT internal"
    query = f"SELECT table_name FROM duckdb_tables() UNION {made}"
    return {name for (name,) in connection.execute(query).fetchall()}


# --- pending results --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_pending_result_survives_the_end_of_an_evaluation(connection: Connection) -> None:
    found = evaluation(connection=connection)
    pending = connection.execute("FROM range(100000)")
    assert len(pending.fetchmany(10)) == 10
    del found
    gc.collect()
    assert len(pending.fetchall()) == 99990


@pytest.mark.slow
def test_what_is_left_is_dropped_by_the_next_call(connection: Connection) -> None:
    counts = []
    for _ in range(4):
        found = evaluation(connection=connection)
        counts.append(len(names(connection)))
        del found
        gc.collect()
    assert counts[0] == counts[-1]
    duckmetrics.check("predictions", "truth", "rr", connection=connection)
    gc.collect()
    with pytest.raises(InputError):
        overall("none", connection=connection)
    assert names(connection) == {"predictions", "truth"}


@pytest.mark.parametrize("predictions", ["none", "SELECT 1 AS x", "SELECT *, query_id AS q FROM predictions"])
def test_nothing_is_left_while_an_exception_is_held(connection: Connection, predictions: str) -> None:
    frame = connection.sql("FROM truth").to_arrow_table() if hasattr(duckdb, "x") else "truth"
    with pytest.raises(duckmetrics.DuckmetricsError) as held:
        duckmetrics.evaluate(predictions, frame, "rr(agg=sum)", connection=connection, like="none")
    with pytest.raises(duckmetrics.DuckmetricsError) as again:
        duckmetrics.evaluate(predictions, "truth", "rr", connection=connection, by="nothing")
    assert names(connection) == {"predictions", "truth"}
    assert held.value is not again.value


# --- transactions -----------------------------------------------------------------------------------


@pytest.mark.some(6)
@pytest.mark.parametrize(
    "options",
    [{"threads": 0}, {"threads": "x"}, {"memory_limit": "much"}, {"memory_limit": "1GB"},
     {"temp_directory": "/no/such/folder"}, {"predictions": "SELECT nocol FROM predictions"},
     {"predictions": "FROM nothing"}, {"predictions": "SELEC 1 ("}, {"predictions": "nothing"},
     {"predictions": "SELECT 1 AS x; DROP TABLE truth"}, {"predictions": "(FROM predictions"},
     {"metric": "nothing"}, {"by": "nothing"}, {"queries": "FROM nothing"}],
)  # fmt: skip
def test_what_is_refused_does_not_abort_a_transaction(connection: Connection, options: Any) -> None:
    connection.execute("BEGIN; INSERT INTO predictions VALUES ('q9', 'z', 1.0)")
    with pytest.raises(duckmetrics.DuckmetricsError):
        evaluation(**{"connection": connection, **options})
    assert connection.execute("SELECT count(*) FROM predictions").fetchall() == [(6,)]
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM predictions").fetchall() == [(5,)]


@pytest.mark.slow
def test_a_transaction_stays_open_and_is_the_callers(connection: Connection) -> None:
    connection.execute("BEGIN; DELETE FROM predictions WHERE query_id = 'q2'")
    assert overall("predictions", metric="rr", connection=connection) == pytest.approx(0.5 / 3)
    connection.execute("ROLLBACK")
    assert overall("predictions", metric="rr", connection=connection) == pytest.approx(RR)


@pytest.mark.slow
def test_an_aborted_transaction_keeps_nothing_for_ever(connection: Connection) -> None:
    found = evaluation(connection=connection)
    connection.execute("BEGIN")
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT error('x') FROM predictions").fetchall()
    del found
    gc.collect()
    with pytest.raises(duckmetrics.DuckmetricsError):
        overall("predictions", connection=connection)
    connection.execute("ROLLBACK")
    with pytest.raises(InputError):
        overall("none", connection=connection)
    assert names(connection) == {"predictions", "truth"}


@pytest.mark.slow
@pytest.mark.parametrize("end", ["ROLLBACK", "COMMIT"])
def test_an_evaluation_within_a_transaction(connection: Connection, end: str) -> None:
    connection.execute("BEGIN")
    assert overall("predictions", connection=connection) == pytest.approx(DCG)
    connection.execute(end)
    gc.collect()
    assert overall("predictions", connection=connection) == pytest.approx(DCG)


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "text",
    ["DELETE FROM truth", "DROP TABLE truth", "COPY truth TO 'x.csv'", "ATTACH 'x.duckdb'", "INSTALL httpfs",
     "SELECT 1; DELETE FROM truth", "FROM truth; DROP TABLE truth", "SET threads = 1",
     "CALL pragma_version()",
     "WITH x AS (SELECT 1) DELETE FROM truth", "(DELETE FROM truth RETURNING *)", "PRAGMA version",
     "FROM (DELETE FROM truth RETURNING *)", "WITH x AS (DELETE FROM truth RETURNING *) FROM x",
     "EXPLAIN ANALYZE DELETE FROM truth", "SELECT 1 --\n; DELETE FROM truth"],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", "sql:"])
def test_an_input_cannot_change_data(
    connection: Connection, text: str, prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        overall(prefix + text, connection=connection)
    assert connection.execute("SELECT count(*) FROM truth").fetchall() == [(4,)]
    assert os.listdir() == []


# --- settings ---------------------------------------------------------------------------------------


def settings(connection: Connection) -> list[Any]:
    names = ("threads", "memory_limit", "temp_directory")
    return [connection.execute(f"SELECT current_setting('{name}')").fetchall() for name in names]


@pytest.mark.slow
def test_settings_are_restored_and_a_limit_is_never_changed(connection: Connection, tmp_path: Path) -> None:
    connection.execute("SET memory_limit = '1.5GB'; SET threads = 3")
    before = settings(connection)
    for _ in range(3):
        evaluation(connection=connection, threads=1, temp_directory=tmp_path)
        with pytest.raises(InputError, match="run SET memory_limit"):
            evaluation(connection=connection, threads=1, memory_limit="1GB")
        with pytest.raises(InputError):
            overall("none", connection=connection, threads=2)
        assert settings(connection) == before
    assert evaluation("FROM (VALUES ('q1', 'b', 1.0)) AS t(query_id, item_id, score)",
                      "SELECT 'q1' AS query_id, 'b' AS item_id", connection=None,
                      memory_limit="1GB")["rr"] == 1  # fmt: skip


def test_settings_are_restored_in_an_aborted_transaction(connection: Connection) -> None:
    connection.execute("SET threads = 3; BEGIN")
    bad = "SELECT query_id, item_id, error('x')::DOUBLE AS score FROM predictions"
    with pytest.raises(duckmetrics.DuckmetricsError, match="x"):
        overall(bad, connection=connection, threads=1)
    connection.execute("ROLLBACK")
    assert settings(connection)[0] == [(3,)]


# --- functions --------------------------------------------------------------------------------------


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ["sum", "COUNT", "log", "coalesce", "ln"])
@pytest.mark.parametrize("temporary", ["", "TEMP "])
def test_a_macro_in_place_of_a_function_is_refused(connection: Connection, name: str, temporary: str) -> None:
    arguments = "a, b" if name in ("log", "coalesce") else "x"
    connection.execute(f"CREATE {temporary}MACRO {name}({arguments}) AS 7")
    if name == "coalesce":  # syntax, not a function
        assert overall("predictions", connection=connection) == pytest.approx(DCG)
        return
    with pytest.raises(InputError, match=f"the function (?i:{name}) of DuckDB"):
        overall("predictions", connection=connection)


def test_other_macros_change_nothing(connection: Connection) -> None:
    connection.execute("CREATE MACRO mine(x) AS 0; CREATE SCHEMA s; CREATE MACRO s.sum(x) AS 0")
    assert overall("predictions", connection=connection) == pytest.approx(DCG)


@pytest.mark.slow
def test_macros_may_depend_on_each_other(connection: Connection) -> None:
    connection.execute("SET enable_macro_dependencies = true")
    reverse = "SELECT * REPLACE (-score AS score) FROM predictions"
    for _ in range(2):
        found = duckmetrics.compare({"a": "predictions", "b": reverse}, "truth", "dcg", connection=connection)
        assert found.rows[0]["value"] == pytest.approx(DCG)


@pytest.mark.slow
@pytest.mark.parametrize("weight", ["1e308", "1.7e308", "1e251"])
def test_weights_whose_sum_overflows_are_refused(weight: str) -> None:
    rows = f"SELECT i % 2 AS label, 0.1 * i AS score, {weight}::DOUBLE AS weight FROM range(8) AS _(i)"
    for metric in ("rmse", "brier", "fpr", "calibration_ratio", "auc", "log_loss"):
        with pytest.raises(InputError, match="infinite, above 1e250 or from"):
            duckmetrics.evaluate(rows, None, metric)


# --- threads ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_threads_may_share_a_connection(connection: Connection) -> None:
    found: list[Any] = []

    def work() -> None:
        for _ in range(4):
            try:
                one = evaluation(connection=connection, metric="dcg")
                per_query = sum(one.per_query["value"].to_pylist()) / 3
                found.append((round(one["dcg"] or 0, 12), round(per_query, 12)))
            except Exception as error:
                found.append(error)

    running = [threading.Thread(target=work) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert set(map(str, found)) == {str((round(DCG, 12), round(DCG, 12)))}


# --- the folder for spilling ------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def spilled_to() -> Path:
    from duckmetrics.engines.duckdb import DuckDBEngine

    ((folder,),) = DuckDBEngine().rows("SELECT current_setting('temp_directory')")
    return Path(folder)


def test_the_folder_is_private(scratch: Path) -> None:
    (scratch / f"duckmetrics-{os.getuid()}").mkdir(mode=0o755)
    for _ in range(2):
        folder = spilled_to()
        assert folder == scratch / f"duckmetrics-{os.getuid()}"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("planted", ["link", "file", "of another"])
def test_what_somebody_planted_is_not_used(scratch: Path, planted: str) -> None:
    path = scratch / f"duckmetrics-{os.getuid()}"
    (scratch / "elsewhere").mkdir()
    if planted == "link":
        path.symlink_to(scratch / "elsewhere")
    elif planted == "file":
        path.write_text("")
    else:
        path.mkdir()
        if os.getuid():
            no_case("only root can make a folder of another user")
        os.chown(path, 12345, 12345)
    folder = spilled_to()
    assert folder.parent == scratch
    assert folder not in (path, scratch / "elsewhere")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    many = "SELECT range AS query_id, range AS item_id, hash(range)::DOUBLE AS score FROM range(10)"
    assert duckmetrics.evaluate(many, many.replace("score", "relevance"), "rr")["rr"] == 1
    assert list((scratch / "elsewhere").iterdir()) == []


# --- the end of a process ---------------------------------------------------------------------------

# A table that memory cannot hold, on a connection that a circle of references keeps until the very end.
SPILLED = """
import atexit, gc, os, sys
from duckmetrics.engines.connection import DuckDBConnection
atexit.register(gc.freeze)
held = DuckDBConnection(None, 1, "50MB", sys.argv[1])
held.circle = held
held.execute("CREATE TEMPORARY TABLE many AS SELECT hash(i) AS h FROM range(10_000_000) AS t(i)")
del held
print(sum(entry.stat().st_size for entry in os.scandir(sys.argv[1])))
"""


@pytest.mark.slow
def test_a_process_deletes_what_its_database_spilled(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SPILLED, str(tmp_path)]
    spilled = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert int(spilled) > 0
    assert os.listdir(tmp_path) == []
