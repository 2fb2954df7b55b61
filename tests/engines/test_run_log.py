"""The log of runs: what it keeps, several writers, killed ones, wrong places."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.engines import run_log

if TYPE_CHECKING:
    from pathlib import Path

RUN = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}, "q3": {"a": 0.2, "b": 0.8}}
TRUTH = {
    "query_id": ["q1", "q2", "q3"], "item_id": ["b", "b", "a"], "relevance": [1, 1, 1],
    "country": ["JP", "DE", None], "day": ["2026-11-01", "2026-11-02", "2026-11-02"],
}  # fmt: skip
LOGS = ("runs.duckdb", "runs")


def evaluated(**options: Any) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(RUN, TRUTH, ["mrr", "ndcg@10"], by="country", **options)


def read(path: Path, query: str) -> list[tuple[Any, ...]]:
    with run_log.opened(path) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("name", LOGS)
def test_all_values_are_kept(tmp_path: Path, name: str) -> None:
    found = evaluated(interval=0.9)
    run = found.log(tmp_path / name, tags={"commit": "1a2b3c"}, time="2026-11-20", values=True)
    rows = read(
        tmp_path / name, "SELECT metric, slice, segment, value, lower, n, signature, level, tags FROM runs"
    )
    assert len(rows) == len(found.rows) == 8
    for row, (metric, label, segment, value, lower, n, signature, level, tags) in zip(
        found.rows, rows, strict=True
    ):
        assert (row["metric"], row["slice"], row["value"], row["n"]) == (metric, label, value, n)
        assert (row["lower"], row["signature"], level) == (lower, signature, 0.9)
        assert dict(segment) == ({"country": row["country"]} if label else {})
        assert dict(tags) == {"commit": "1a2b3c"}
    known = "SELECT DISTINCT run_id, n_rows, n_queries, release, strftime(run_time, '%Y-%m-%d') FROM runs"
    assert read(tmp_path / name, known) == [(run, 6, 3, duckmetrics.__version__, "2026-11-20")]
    values = read(tmp_path / name, "SELECT metric, query_id, value FROM run_values ORDER BY ALL")
    assert values == sorted((r["metric"], r["query_id"], r["value"]) for r in found.per_query.to_pylist())


@pytest.mark.parametrize("name", LOGS)
def test_a_run_is_there_once(tmp_path: Path, name: str) -> None:
    log = tmp_path / name
    assert evaluated().log(log, run_id="monday", values=True) == "monday"
    with pytest.raises(InputError, match="has a run 'monday' already; choose another"):
        evaluated().log(log, run_id="monday")
    duckmetrics.evaluate(RUN, TRUTH, "mrr").log(log, run_id="monday", values=True, replace=True)
    assert read(log, "SELECT count(*), count(DISTINCT metric) FROM runs") == [(1, 1)]
    assert read(log, "SELECT count(*) FROM run_values") == [(3,)]
    other = evaluated().log(log)
    assert run_log.run_ids(log) == ["monday", other]


def test_ids_of_queries_have_a_fingerprint(tmp_path: Path) -> None:
    """The same queries in another order have the same one, others another one."""
    truth = {"q1": {"b": 1}, "q2": {"b": 1}, "q3": {"a": 1}}
    turned = dict(reversed(truth.items()))
    fewer = {query: truth[query] for query in ("q1", "q2")}
    for name, one in {"a": truth, "b": turned, "c": fewer}.items():
        duckmetrics.evaluate(RUN, one, "mrr").log(tmp_path / "runs", run_id=name)
    hashes = dict(read(tmp_path / "runs", "SELECT run_id, any_value(query_hash) FROM runs GROUP BY run_id"))
    assert hashes["a"] == hashes["b"] != hashes["c"]


def test_the_days_of_the_data_are_kept(tmp_path: Path) -> None:
    day = pa.array([20_000, 20_003], pa.date32())
    rows = pa.table({"label": [1, 0], "score": [0.9, 0.1], "day": day})
    pq.write_table(rows, tmp_path / "clicks.parquet")
    duckmetrics.evaluate(tmp_path / "clicks.parquet", metrics="auc").log(tmp_path / "runs")
    assert read(tmp_path / "runs", "SELECT n_rows, first_day, last_day FROM runs") == [
        (2, "2024-10-04", "2024-10-07")
    ]


def test_results_of_classifiers_and_comparisons(tmp_path: Path) -> None:
    clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
    duckmetrics.evaluate({"A": clicks, "B": clicks}, metrics="auc").log(tmp_path / "runs.duckdb", values=True)
    assert read(tmp_path / "runs.duckdb", "SELECT system, value FROM runs ORDER BY 1") == [
        ("A", 0.75),
        ("B", 0.75),
    ]
    assert read(tmp_path / "runs.duckdb", "SELECT count(*) FROM run_values") == [(0,)]


# --- wrong places ------------------------------------------------------------------------------------


def test_wrong_places_are_refused(tmp_path: Path) -> None:
    result = duckmetrics.evaluate(RUN, TRUTH, "mrr")
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    (tmp_path / "bad.duckdb").write_text("mine" * 100, "utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.csv").write_text("a\n1\n", "utf-8")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE runs (a INT)")
    wrong = {
        "notes.txt": "is not a DuckDB",
        "bad.duckdb": "is not a DuckDB",
        "runs.csv": "is neither a DuckDB file nor a folder; call it runs.duckdb",
        "full": "holds something else",
        "other.duckdb": "is not one of duckmetrics",
        "none/runs.duckdb": "cannot be written",
        "none/runs": "cannot be written",
    }
    for name, said in wrong.items():
        with pytest.raises(InputError, match=said):
            result.log(tmp_path / name)
    assert (tmp_path / "notes.txt").read_text("utf-8") == "mine"
    with pytest.raises(InputError, match="no run is named"):
        result.log(tmp_path / "runs", replace=True)
    with pytest.raises(InputError, match="names no run"):
        result.log(tmp_path / "runs", run_id=" ")
    with pytest.raises(MetricError, match="'yesterday' is not a time"):
        result.log(tmp_path / "runs", time="yesterday")
    for name, said in {
        "nope": "no such log",
        "notes.txt": "is not a DuckDB file",
        "full": "has no run",
    }.items():
        with pytest.raises(InputError, match=said):
            duckmetrics.runs(tmp_path / name)


def test_an_empty_file_becomes_a_log(tmp_path: Path) -> None:
    log = tmp_path / "runs.duckdb"
    log.touch()
    duckmetrics.evaluate(RUN, TRUTH, "mrr").log(log, run_id="first")
    assert duckmetrics.runs(log)["run_id"].to_pylist() == ["first"]


# --- several writers ---------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
import pyarrow as pa
from duckmetrics.engines import run_log
from duckmetrics.results.per_query import LogPlace
pairs = pa.array([[]] * 20, pa.map_(pa.string(), pa.string()))
rows = pa.table({"metric": ["m"] * 20, "value": list(map(float, range(20))), "slice": [""] * 20,
                 "tags": pairs, "signature": ["s"] * 20, "system": [None] * 20, "segment": pairs,
                 "release": ["1"] * 20})
for run in sys.argv[2:]:
    run_log.append(LogPlace(Path(sys.argv[1]), run), rows)
    print(run, flush=True)
"""


@pytest.mark.parametrize("name", LOGS)
def test_killed_writers_leave_whole_runs(tmp_path: Path, name: str) -> None:
    appended(tmp_path / name, writers=3, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
def test_many_killed_writers_leave_whole_runs(tmp_path: Path, name: str) -> None:
    appended(tmp_path / name, writers=25, runs=8)


def appended(log: Path, writers: int, runs: int) -> None:
    """Append runs by several processes at once, of which a third are killed; whatever they said is there."""
    chance = random.Random(3)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(log), *(f"{i}-{j}" for j in range(runs))],
            stdout=subprocess.PIPE, text=True,
        )
        for i in range(writers)
    ]  # fmt: skip
    for process in processes[::3]:
        time.sleep(chance.uniform(0, 0.5))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
    said = [run for process in processes for run in process.communicate()[0].split()]
    whole = {f"{i}-{j}" for i in range(writers) if i % 3 for j in range(runs)}
    counts = dict(read(log, "SELECT run_id, count(*) FROM runs GROUP BY run_id"))
    assert set(counts.values()) == {20}
    assert whole <= set(said) <= set(counts)
    subprocess.run([sys.executable, "-c", WRITER, str(log), "after"], check=True)
    assert "after" in run_log.run_ids(log)


@pytest.mark.parametrize("name", ["runs", "runs.duckdb"])
def test_runs_within_a_second_keep_their_order(tmp_path: Path, name: str) -> None:
    found = duckmetrics.evaluate(values={"q": {"m": 1.0}})
    for run, part in (("b", 1), ("c", 2), ("a", 3)):
        found.log(tmp_path / name, run_id=run, time=f"2026-11-20T06:30:00.{part}")
    assert duckmetrics.runs(tmp_path / name)["run_id"].to_pylist() == ["a", "c", "b"]
