"""Small tables of Spark are collected and evaluated by DuckDB; large ones stay with the executors."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import duckmetrics
from duckmetrics.engines import spark as spark_small
from duckmetrics.inputs.advice import in_words
from support import faults
from support.cases import ROOT
from support.command_line import Command, document
from support.other_engines import spark_session
from support.spark_stages import jobs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark

SHOP = ROOT / "data/shop"
RANKINGS: dict[str, Any] = {
    "predictions": str(SHOP / "recommendations.parquet"),
    "truth": str(SHOP / "purchases.parquet"),
    "columns": {"query_id": "user_id"},
    "system": "model",
}
MOST_ROWS = spark_small.MOST_ROWS


@pytest.fixture(scope="module")
def spark() -> Any:
    # The queries of many checks are planned faster so, and mean the same.
    quick = {"spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false"}
    return spark_session(**quick, **{"spark.sql.shuffle.partitions": "1"})


@pytest.fixture
def small(tables_stay_with_spark: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_small, "MOST_ROWS", MOST_ROWS)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"by": ["country"], "queries": str(SHOP / "users.parquet"), "interval": 0.9},
        {"missing": "skip", "where": {"predictions": "score > 0.3"}},
    ],
    ids=str,
)
def test_an_evaluation_of_the_shop_starts_few_jobs(spark: Any, small: None, asked: dict[str, Any]) -> None:
    asked = {**RANKINGS, "metrics": ["ndcg@10", "map", "ndcg(agg=median)@5"], **asked}
    before = len(jobs(spark))
    found = duckmetrics.evaluate(**asked, engine=spark)
    assert len(jobs(spark)) - before <= 6
    wanted = duckmetrics.evaluate(**asked)
    assert found.checks == wanted.checks
    for mine, theirs in zip(found.rows, wanted.rows, strict=True):
        assert mine["value"] == theirs["value"]
        # The last bit of a bound depends on the order of the sums.
        assert mine == {**theirs, "lower": mine["lower"], "upper": mine["upper"]}
        assert (mine["lower"], mine["upper"]) == pytest.approx((theirs["lower"], theirs["upper"]), abs=1e-12)
    assert found.sql.startswith("-- by DuckDB")


def test_the_limit_of_the_session_counts(spark: Any, small: None) -> None:
    """The predictions are collected, and then not used, because the truth is larger than the limit."""
    asked: dict[str, Any] = {
        "predictions": RANKINGS["truth"], "truth": RANKINGS["predictions"], "metrics": ["mrr"],
        "columns": {"query_id": "user_id", "predictions.score": "relevance"}, "duplicates": "first",
    }  # fmt: skip
    usual = spark.conf.get(spark_small.LIMIT)
    spark.conf.set(spark_small.LIMIT, "100KB")
    try:
        found = duckmetrics.evaluate(**asked, engine=spark)
    finally:
        spark.conf.set(spark_small.LIMIT, usual)
    assert not found.sql.startswith("-- by DuckDB")
    assert found["mrr"] == pytest.approx(duckmetrics.evaluate(**asked)["mrr"], abs=1e-12)


SIZES = {"10MB": 10 * 2**20, "310.6 KiB": 310.6 * 2**10, "10485760b": 10485760, "8.0 EiB": None, "-1": None}


@pytest.mark.parametrize(("text", "size"), SIZES.items())
def test_sizes(text: str, size: float | None) -> None:
    assert spark_small._bytes(text) == size


def test_an_estimate_that_is_too_low_is_noticed(
    spark: Any, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark takes the rows that a list becomes for one row."""
    monkeypatch.setattr(spark_small, "MOST_ROWS", 1000)
    rows = "SELECT explode(sequence(1, 1001)) AS item_id, 1 AS query_id, rand(1) AS score, true AS label"
    found = duckmetrics.evaluate(rows, None, ["mrr"], engine=spark)
    assert not found.sql.startswith("-- by DuckDB")
    assert found["mrr"] == 1.0


def test_empty_tables_are_refused(spark: Any, small: None) -> None:
    empty = "SELECT 1 AS query_id, id AS item_id, 1e0 AS score FROM range(0)"
    with pytest.raises(duckmetrics.InputError, match="no rows"):
        duckmetrics.evaluate(empty, empty, ["mrr"], engine=spark)


def test_values_per_query_are_written_by_spark(spark: Any, small: None, tmp_path: Path) -> None:
    found = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10"], engine=spark)
    found.write_per_query(tmp_path / "values")
    assert (tmp_path / "values/_SUCCESS").exists()
    mine = found.per_query
    assert mine is not None
    written = duckdb.sql(f"SELECT count(*), fsum(value) FROM '{tmp_path}/values/*.parquet'").fetchall()
    assert written == duckdb.sql("SELECT count(*), fsum(value) FROM mine").fetchall()


def test_jobs_are_described(spark: Any) -> None:
    context = spark.sparkContext
    context.setJobDescription("mine")
    before = {job.jobId() for job in jobs(spark)}
    duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10"], engine=spark)
    texts = {job.description().get() for job in jobs(spark) if job.jobId() not in before}
    assert context.getLocalProperty("spark.job.description") == "mine"
    context.setLocalProperty("spark.job.description", None)
    steps = {"read predictions", "check the rows", "values per query", "means of the queries"}
    assert {f"duckmetrics: {step}" for step in steps} <= texts
    assert all(text.startswith("duckmetrics: ") for text in texts)


# ---- check and verify, with the executors and with DuckDB


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    faults.write(folder)
    return folder


OF_DUCKDB = {"ranking, a population with a hole"}  # its population is SQL of DuckDB
TOLD = [name for name in faults.EVERY if name not in OF_DUCKDB]


def told(folder: Path, name: str, **engine: Any) -> duckmetrics.Findings:
    fault = faults.EVERY[name]
    truth = str(folder / f"{name}.truth.parquet") if fault.truth else None
    options = {**faults.side_tables(folder, name), **fault.options, **engine}
    return duckmetrics.check(str(folder / f"{name}.predictions.parquet"), truth, **options)


# A query for DuckDB only.
SAID_BY_DUCKDB = re.compile(r"; WHERE TRY_CAST\(\w+ AS DOUBLE\) IS NULL finds what is not a number")


def in_words_of_spark(findings: duckmetrics.Findings) -> list[Any]:
    """Return findings of DuckDB with the SQL of their advice as Spark writes it."""

    def in_spark(text: str, column: str) -> str:
        return in_words(SAID_BY_DUCKDB.sub("", text), "spark", column)

    return [
        replace(one, message=in_spark(one.message, one.column), advice=in_spark(one.advice, one.column))
        for one in findings.rows
    ]


ADVISED = re.compile(r"SELECT \* .+?(?= FROM \.\.\.)")


def assert_same_advice(spark: Any, own: str, of_duckdb: str) -> bool:
    """Return whether an advice has SQL, which must be SQL of Spark that makes the same column anew."""
    found, wanted = ADVISED.findall(own), ADVISED.findall(of_duckdb)
    assert len(found) == len(wanted)
    assert ADVISED.sub("", own) == ADVISED.sub("", of_duckdb)
    for text, replacing in zip(found, wanted, strict=True):
        spark._jsparkSession.sessionState().sqlParser().parsePlan(f"{text} FROM t")
        star, new = sqlglot.parse_one(text, read="spark").selects
        (replaced,) = sqlglot.parse_one(replacing, read="duckdb").selects[0].args["replace"]
        assert [column.name for column in star.args["except_"]] == [new.alias] == [replaced.alias]
        own_columns, columns = (
            {column.name for column in one.this.find_all(exp.Column)} for one in (new, replaced)
        )
        assert own_columns == columns
    return bool(found)


def assert_alike(spark: Any, folder: Path, name: str) -> bool:
    """Return whether an advice has SQL; all else is equal in both engines."""
    found, wanted = told(folder, name, engine=spark), told(folder, name)
    assert list(found.rows) == in_words_of_spark(wanted)
    assert (found.performed, found.looked_at) == (wanted.performed, wanted.looked_at)
    advices = [
        (own.advice, SAID_BY_DUCKDB.sub("", one.advice))
        for own, one in zip(found.rows, wanted.rows, strict=True)
    ]
    with_sql = [assert_same_advice(spark, *pair) for pair in advices]
    return any(with_sql)


# Spark plans the query of all checks in seconds, so by default its executors look for few of the faults only:
# one in 27, and some that once differed.
USUAL = (
    *TOLD[::27], "ranking, scores that are text", "ranking, sampled candidates", "rows, two negative classes"
)  # fmt: skip


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in TOLD]
)
def test_the_executors_find_the_same(spark: Any, folder: Path, name: str) -> None:
    assert_alike(spark, folder, name)


def test_check_finds_the_same_in_small_tables(spark: Any, small: None, folder: Path) -> None:
    with_sql = [name for name in TOLD if assert_alike(spark, folder, name)]
    assert with_sql


def test_frames_are_checked_where_they_are(spark: Any) -> None:
    frame = spark.createDataFrame([("q", "a", 0.5), ("q", "a", 0.4)], ["query_id", "item_id", "score"])
    truth = spark.createDataFrame([("q", "a")], ["query_id", "item_id"])
    assert "duplicate_prediction" in {one.check for one in duckmetrics.check(frame, truth).errors}


@pytest.mark.parametrize("is_small", [True, False])
def test_verify(spark: Any, request: pytest.FixtureRequest, is_small: bool) -> None:
    if is_small:
        request.getfixturevalue("small")
    ev = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10", "map"], verify=20, engine=spark)
    assert [(one.recomputed > 0, one.agrees) for one in ev.verified] == [(True, True)] * 2
    clicks = {"columns": {"label": "clicked", "score": "pctr"}, "verify": 10, "engine": spark}
    ev = duckmetrics.evaluate(str(SHOP / "impressions.parquet"), None, ["auc", "log_loss"], **clicks)
    assert [(one.recomputed > 0, one.agrees) for one in ev.verified] == [(True, True)] * 2


def test_the_command_line(spark: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Command(capsys)
    tables = [folder / f"ranking, rows exported twice.{role}.parquet" for role in ("predictions", "truth")]
    outcome = run("check", *tables, "--engine", "spark", "--format", "json")
    assert outcome.code == 1
    assert document(outcome.out)["rows"] == document(run("check", *tables, "--format", "json").out)["rows"]
    refused = run("check", *tables, "--engine", "spark", "--threads", "2")
    assert (refused.code, "--threads: belongs to DuckDB" in refused.err) == (2, True)


@pytest.mark.parametrize("zone", ["America/New_York", "+02:00"])
def test_times_are_in_utc_or_the_zone_asked_for(spark: Any, small: None, zone: str) -> None:
    """The zone of the session of Spark does not matter, and stays as it is."""
    rows = "SELECT 1 AS query_id, id AS item_id, 1e0 * id AS score, id = 1 AS label, {at} AS at FROM range(2)"
    at = "CAST('2025-01-01 03:00:00+00:00' AS TIMESTAMP)"
    asked: dict[str, Any] = {"metrics": ["mrr"], "by": "CAST(at AS DATE) AS day", "engine": spark}
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        for named, day in ((None, "2025-01-01"), ("America/Los_Angeles", "2024-12-31")):
            found = duckmetrics.evaluate(rows.format(at=at), None, **asked, time_zone=named)
            assert [str(row["day"]) for row in found.rows] == ["None", day]
            assert f"|time_zone:{named or 'UTC'}|" in found.rows[0]["signature"]
            assert spark.conf.get("spark.sql.session.timeZone") == zone
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
