"""duckmetrics is a guest in a session of Spark: it reads rows once, leaves nothing, and can be stopped."""

from __future__ import annotations

import gc
import os
import random
import re
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.engines.spark import is_in_place
from duckmetrics.engines.spark_sessions import cause, is_stopped
from duckmetrics.errors import EngineError, InputError, MetricError, UnsupportedError
from support.other_engines import spark_session
from support.spark_stages import jobs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark

RUN = "SELECT * FROM VALUES ('q', 'a', 2D), ('q', 'b', 1D), ('r', 'c', 3D) AS t(query_id, item_id, score)"
TRUTH = "SELECT * FROM VALUES ('q', 'b'), ('r', 'c') AS t(query_id, item_id)"


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session()


def views(session: Any) -> list[str]:
    return [t.name for t in session.catalog.listTables() if t.name.startswith("duckmetrics")]


def kept(session: Any) -> int:
    gc.collect()
    return int(session.sparkContext._jsc.getPersistentRDDs().size())


# ---- nothing is left behind


def test_a_call_leaves_no_view_and_no_rows(spark: Any) -> None:
    before = kept(spark)
    found = duckmetrics.evaluate(RUN, TRUTH, ["mrr", "map"], engine=spark)
    assert views(spark) == []
    assert kept(spark) > before
    assert sorted(found.per_query["value"].to_pylist()) == [0.5, 0.5, 1.0, 1.0]
    assert views(spark) == []
    del found
    assert kept(spark) == before


def test_a_refused_call_leaves_no_view(spark: Any) -> None:
    """The tables before the one of another session were attached already."""
    other = spark.newSession()
    queries = other.sql("SELECT 'q' AS query_id, 1 AS x")
    before = kept(spark)
    with pytest.raises(InputError, match=r"queries .*belongs to another session of Spark; make all tables"):
        duckmetrics.evaluate(spark.sql(RUN), TRUTH, "mrr", by="x", queries=queries)
    assert views(spark) == views(other) == []
    assert kept(spark) == before


def test_two_frames_of_a_session_are_fine(spark: Any) -> None:
    """Any table brings the session, also a history; two objects of Python may be one session."""
    found = duckmetrics.compare({"a": spark.sql(RUN), "b": spark.sql(RUN)}, spark.sql(TRUTH), "mrr")
    assert [row["value"] for row in found.rows] == [0.75, 0.75]
    history = spark.sql("SELECT 'q' AS query_id, 'a' AS item_id")
    assert duckmetrics.evaluate(RUN, TRUTH, "mrr", history=history)["mrr"] == 0.75
    assert not duckmetrics.check(RUN, TRUTH, "mrr", history=history).errors


def test_the_settings_of_a_session_stay(spark: Any) -> None:
    def settings() -> list[Any]:
        level = spark._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().toString()
        return [spark.conf.get("spark.app.name"), level, spark.catalog.currentDatabase()]

    spark.sparkContext.setLogLevel("FATAL")
    before = settings()
    try:
        duckmetrics.evaluate(RUN, TRUTH, "mrr", engine="spark")
        assert settings() == before
    finally:
        spark.sparkContext.setLogLevel("ERROR")


# ---- checks and metrics see the same rows


def test_a_function_of_python_runs_once_for_each_row(spark: Any) -> None:
    calls = spark.sparkContext.accumulator(0)

    def scored(item: str) -> float:
        calls.add(1)
        return random.random()

    from pyspark.sql.functions import udf

    rows = spark.sql(RUN).withColumn("score", udf(scored, "double")("item_id"))
    duckmetrics.evaluate(rows, TRUTH, ["mrr", "ndcg@10"])
    assert calls.value == 3


def test_a_plan_that_changes_or_works_is_read_once(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    spark.sql(RUN).write.parquet(str(tmp_path / "run"))
    stored = spark.read.parquet(str(tmp_path / "run"))
    joined = stored.join(spark.sql(TRUTH).select("query_id"), "query_id")
    cached = joined.cache()
    cheap = [stored, stored.where("score > 1").selectExpr("upper(query_id)"), stored.union(spark.sql(RUN))]
    costly = [stored.withColumn("score", F.rand()), stored.limit(2), stored.sample(0.5), joined.distinct(),
              stored.withColumn("i", F.monotonically_increasing_id()), spark.read.text(str(tmp_path / "run")),
              stored.dropDuplicates(["query_id"]), cached.union(stored.limit(1))]  # fmt: skip
    assert [is_in_place(frame) for frame in [*cheap, cached]] == [True] * 4
    assert not any(is_in_place(frame) for frame in costly)
    cached.unpersist()


# ---- it can be stopped, and says what went wrong


def test_an_interrupt_cancels_the_jobs(spark: Any) -> None:
    """The handler of PySpark would cancel all jobs, also of others; in a notebook it is not in place."""
    system = spark._jvm.java.lang.System
    begun = "coalesce(java_method('java.lang.System', 'setProperty', 'duckmetrics.task', 'begun'), '')"
    slept = "java_method('java.lang.Thread', 'sleep', 5000L)"
    rows = spark.range(6, numPartitions=2).selectExpr(
        "id % 2 AS query_id", "id AS item_id", f"length({begun}) + length({slept}) AS score"
    )
    truth = spark.range(2).selectExpr("id AS query_id", "id AS item_id")
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    before = {job.jobId() for job in jobs(spark)}

    def interrupt() -> None:
        while system.getProperty("duckmetrics.task") is None:
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            duckmetrics.evaluate(rows, truth, "mrr")
    finally:
        signal.signal(signal.SIGINT, handler)
        system.clearProperty("duckmetrics.task")
    tracker, until = spark.sparkContext.statusTracker(), time.time() + 10
    while tracker.getActiveJobsIds() and time.time() < until:
        time.sleep(0.1)
    assert list(tracker.getActiveJobsIds()) == []
    # The job that slept did not end by itself, and none came after it.
    last = next(job for job in jobs(spark) if job.jobId() not in before)
    assert last.status().toString() == "FAILED"
    assert views(spark) == []
    assert spark.sql("SELECT 1 AS one").collect()[0].one == 1


def test_the_cause_of_a_failing_function_is_shown(spark: Any) -> None:
    from pyspark.sql.functions import udf

    def failing(score: float) -> float:
        raise ValueError("no model for this score")

    rows = spark.sql(RUN).withColumn("score", udf(failing, "double")("score"))
    with pytest.raises(
        InputError, match=r"ValueError: no model for this score \(line \d+ of .*, in failing\)"
    ):
        duckmetrics.evaluate(rows, TRUTH, "mrr")


def test_a_message_without_a_traceback_is_its_first_line() -> None:
    assert cause(ValueError("\n one. \n two")) == "one"


def test_a_stopped_session_is_refused_in_words(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, "mrr", engine=spark)
    assert not is_stopped(spark)
    monkeypatch.setattr(spark.sparkContext, "_jsc", None)
    for call in (lambda: duckmetrics.evaluate(RUN, TRUTH, "mrr", engine=spark), lambda: found.per_query):
        with pytest.raises(EngineError, match="Spark: the session was stopped; start a new one"):
            call()


# ---- tables


def test_tables_are_named_as_in_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark.sql(RUN).write.partitionBy("query_id").parquet(str(tmp_path / "bought"))
    spark.sql(TRUTH).write.orc(str(tmp_path / "judged"))
    spark.sql(RUN).write.mode("overwrite").saveAsTable("guest_run")
    monkeypatch.chdir(tmp_path)
    for run, truth in (
        (f"parquet.`{tmp_path}/bought`", f"orc.`{tmp_path}/judged`"),
        ("bought", "judged"),
        ("spark_catalog.default.guest_run", str(tmp_path / "judged")),
        ("GUEST_RUN", f"file:{tmp_path}/judged"),
    ):
        assert duckmetrics.evaluate(run, truth, "mrr", engine=spark)["mrr"] == 0.75, run
    spark.sql(TRUTH).createOrReplaceTempView("judged")
    try:
        with pytest.raises(InputError, match="is a table and a folder; write 'table:judged' or 'file:jud"):
            duckmetrics.evaluate("bought", "judged", "mrr", engine=spark)
    finally:
        spark.catalog.dropTempView("judged")
    (tmp_path / "bought" / "_delta_log").mkdir()
    (tmp_path / "bought" / "_delta_log" / "00000000000000000000.json").write_text("{}\n")
    with pytest.raises(InputError, match=r"delta\.`"):
        duckmetrics.evaluate(f"parquet.`{tmp_path}/bought`", TRUTH, "mrr", engine=spark)


def test_columns_of_one_name_are_refused(spark: Any) -> None:
    rows = spark.sql(RUN)
    with pytest.raises(InputError, match="several columns are called 'score'; drop or rename one"):
        duckmetrics.evaluate(rows.select("*", "score"), TRUTH, "mrr")
    with pytest.raises(InputError, match="'SCORE' and 'Score' differ in case only"):
        duckmetrics.evaluate(
            rows.selectExpr("query_id", "item_id", "score SCORE", "-score Score"), TRUTH, "mrr"
        )
    mapped = duckmetrics.evaluate(rows.selectExpr("*", "-score AS Score"), TRUTH, "mrr",
                                  columns={"score": "Score"})  # fmt: skip
    assert mapped["mrr"] == 1.0


def test_a_condition_on_a_partition_reads_only_that_partition(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "days")
    days = f"SELECT * FROM ({RUN}) CROSS JOIN (SELECT explode(array(1, 2, 3)) AS day)"
    spark.sql(days).write.partitionBy("day").parquet(path)
    plans = []

    def noted(frame: Any) -> bool:
        plans.append(frame._jdf.queryExecution().toString())
        return is_in_place(frame)

    monkeypatch.setattr("duckmetrics.engines.spark.is_in_place", noted)
    found = duckmetrics.evaluate(path, TRUTH, "mrr", engine=spark, where={"predictions": "day = 2"})
    assert found["mrr"] == 0.75
    scans = [line for plan in plans for line in plan.splitlines() if "FileScan" in line]
    assert scans
    assert all(re.search(r"PartitionFilters: \[isnotnull\(day#\d+\), \(day#\d+ = 2\)\]", s) for s in scans)


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.sql.ansi.enabled": "false", "spark.sql.adaptive.enabled": "false"},
        {"spark.sql.caseSensitive": "true", "spark.sql.session.timeZone": "America/St_Johns"},
    ],
    ids=["neither ANSI nor AQE", "letter case and time zone"],
)
def test_settings_change_no_number(spark: Any, settings: dict[str, str]) -> None:
    rows = """
        SELECT timestamp'2026-01-01 00:00:00+00:00' + make_dt_interval(0, id % 5) AS Query_ID, id AS item_id,
            id * 7 % 11 AS Score, id % 3 = 0 AS label, named_struct('day', date'2026-01-01') AS at
        FROM range(60)
    """
    calls = [{"metrics": ["ndcg@3", "map"]}, {"metrics": ["auc", "brier"], "columns": {"score": "p"}}]
    tables = [rows, f"SELECT *, at.day AS day, Score / 11D AS p FROM ({rows})"]
    wanted = [
        duckmetrics.evaluate(t, engine=spark, **call).rows for t, call in zip(tables, calls, strict=True)
    ]
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        found = [duckmetrics.evaluate(t, engine=spark, **c).rows for t, c in zip(tables, calls, strict=True)]
    finally:
        for name in settings:
            spark.conf.set(name, "UTC") if name.endswith("timeZone") else spark.conf.unset(name)
    for mine, theirs in zip(found, wanted, strict=True):
        assert [row["value"] for row in mine] == pytest.approx([row["value"] for row in theirs], rel=1e-14)


@pytest.mark.parametrize(
    ("column", "advice"),
    [
        ("'1' AS query_id, 1e0 AS score", "CAST(query_id AS STRING) AS query_id FROM"),
        ("1e0 AS query_id, 1e0 AS score", "CAST(query_id AS BIGINT) AS query_id FROM"),
        ("CAST('a' AS BINARY) AS query_id, 1e0 AS score", "if it holds text, .*CAST(query_id AS STRING)"),
        ("1 AS query_id, now() AS score", "UNIX_TIMESTAMP(score) AS score FROM"),
    ],
)
def test_advice_is_in_the_sql_of_spark(spark: Any, column: str, advice: str) -> None:
    """The advice is a query of Spark, which its parser takes."""
    with pytest.raises(InputError) as refused:
        duckmetrics.evaluate(f"SELECT {column}, 1 AS item_id", "SELECT 1 AS query_id, 1 AS item_id", "mrr",
                             engine=spark)  # fmt: skip
    text = refused.value.advice.partition('"')[2].partition('"')[0]
    assert advice.rpartition(".*")[2] in text
    spark._jsparkSession.sessionState().sqlParser().parsePlan(text.replace("...", "t"))
    with pytest.raises(InputError, match="Spark reads rows in no fixed one"):
        duckmetrics.evaluate(RUN, TRUTH, "mrr", engine=spark, ties="input")


# ---- values per query


def test_values_per_query_as_a_frame_and_a_table(spark: Any, tmp_path: Path) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, ["mrr", "ndcg(gain=exp2)@1"], engine=spark)
    wide = found.per_query_frame(wide=True)
    assert wide.columns == ["system", "query_id", "mrr", "ndcg(gain=exp2)@1"]
    spark.sql("DROP TABLE IF EXISTS guest_values")
    found.write_per_query(table="guest_values", run_id="a", partition_by="metric")
    with pytest.raises(
        InputError, match="table guest_values: is there already; append to it with mode='append'"
    ):
        found.write_per_query(table="guest_values", run_id="a")
    found.write_per_query(table="guest_values", run_id="b", mode="append", partition_by="metric")
    rows = spark.sql(
        "SELECT run_id, metric, sum(value) FROM guest_values GROUP BY ALL ORDER BY ALL"
    ).collect()
    assert [tuple(row) for row in rows] == [
        (run, metric, value) for run in "ab" for metric, value in (("mrr", 1.5), ("ndcg(gain=exp2)@1", 1.0))
    ]
    assert len(spark.sql("SHOW PARTITIONS guest_values").collect()) == 2
    path = tmp_path / "values"
    found.write_per_query(path, wide=True)
    found.write_per_query(path, wide=True, mode="overwrite")
    assert duckdb.sql(f"SELECT sum(mrr) FROM '{path}/*.parquet'").fetchall() == [(1.5,)]
    del found
    gc.collect()
    assert sorted(row["mrr"] for row in wide.collect()) == [0.5, 1.0]


def test_places_that_do_not_fit_are_refused(spark: Any) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, "mrr", engine=spark)
    for arguments, message in (
        ({}, "neither a path nor a table"),
        ({"path": "x", "table": "y"}, "a table of Spark has no path"),
        ({"table": "y", "mode": "apend"}, "did you mean 'append'"),
        ({"table": "y", "partition_by": "metrics"}, "did you mean 'metric'"),
    ):
        with pytest.raises(MetricError, match=message):
            found.write_per_query(**arguments)
    with pytest.raises(InputError, match=r"write table='lake\.values' for a table of Spark, or \./lake"):
        found.write_per_query("lake.values")
    rows = duckdb.sql("SELECT 'q' AS query_id, 'a' AS item_id, 1e0 AS score, true AS label")
    mine = duckmetrics.evaluate(rows, metrics="mrr", connection=duckdb.default_connection())
    for call in (mine.per_query_frame, lambda: mine.write_per_query("v.parquet", mode="append"),
                 lambda: mine.write_per_query("v.parquet", wide=True)):  # fmt: skip
        with pytest.raises(UnsupportedError, match="is for Spark"):
            call()
