"""Whole evaluations on Spark have the numbers, checks and messages of DuckDB, and use all workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.portable import reason_against
from duckmetrics.engines import duckdb_tables, plans
from duckmetrics.errors import EngineError, InputError, MetricError, UnsupportedError
from support.cases import CATALOG, ROOT
from support.classification import PLAIN, TABLES, plain_spec
from support.command_line import Command, results
from support.other_engines import spark_session
from support.spark_stages import stages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.spark

LABELED = ["label", "probability"]
SHOP = ROOT / "data/shop"
RANKINGS: dict[str, Any] = {
    "predictions": str(SHOP / "recommendations.parquet"),
    "truth": str(SHOP / "purchases.parquet"),
    "columns": {"query_id": "user_id"},
    "system": "model",
}
CLICKS: dict[str, Any] = {
    "predictions": str(SHOP / "impressions.parquet"),
    "columns": {"label": "clicked", "score": "pctr", "group_id": "user_id"},
}


@pytest.fixture(scope="module")
def spark() -> Any:
    # The number of tasks equals the number of parts, so a stage has one task only if it must.
    return spark_session(**{
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    })  # fmt: skip


def differences(spark: Any, specs: Sequence[str], **arguments: Any) -> list[str]:
    """Return where the results or findings of both engines differ by more than 1e-12."""
    found = duckmetrics.evaluate(metrics=specs, engine=spark, **arguments)
    wanted = duckmetrics.evaluate(metrics=specs, **arguments)
    assert found.checks == wanted.checks
    assert len(found.rows) == len(wanted.rows) > 0
    return [
        f"{theirs['metric']}: {name} is {mine[name]}, DuckDB has {value}"
        for mine, theirs in zip(found.rows, wanted.rows, strict=True)
        for name, value in theirs.items()
        if not same(mine[name], value)
    ]


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return found == wanted or abs(found - wanted) <= 1e-12 * max(1.0, abs(wanted))
    return bool(found == wanted)


# ---- the numbers


def test_every_ranking_metric_of_the_shop(spark: Any) -> None:
    known = [m for (family, _), m in CATALOG.metrics.items() if family == "ranking"]
    names = [metric for metric in known if not metric.further_inputs]
    given = {"beta": 1, "recall": 0.5}
    specs = []
    for metric in names:
        needed = ", ".join(f"{p.name}={given[p.name]}" for p in metric.own_params.values() if p.required)
        specs.append(f"ranking.{metric.name}" + (f"({needed})" if needed else ""))
    queries = str(SHOP / "users.parquet")
    assert (
        differences(spark, specs, **RANKINGS, by=[["country"], ["country", "device"]], queries=queries) == []
    )


def test_metrics_with_a_history_and_a_catalog(spark: Any) -> None:
    given = {"category": "kitchen"}
    specs = []
    for (family, _), metric in CATALOG.metrics.items():
        if family == "ranking" and metric.further_inputs and "reference" not in metric.further_inputs:
            needed = ", ".join(f"{n}={given[n]}" for n, p in metric.own_params.items() if p.required)
            specs.append(f"ranking.{metric.name}" + (f"({needed})@10" if needed else "@10"))
    tables = {"history": str(SHOP / "history.parquet"), "items": str(SHOP / "items.parquet")}
    columns = {**RANKINGS["columns"], "items.vector": "embedding"}
    assert differences(spark, specs, **{**RANKINGS, "columns": columns}, **tables, no_relevant="zero") == []


def test_weights_of_queries(spark: Any, tmp_path: Path) -> None:
    queries = tmp_path / "queries.parquet"
    users = f"SELECT user_id, country, user_id % 4 AS traffic FROM '{SHOP}/users.parquet'"
    duckdb.sql(users).write_parquet(str(queries))
    columns = {**RANKINGS["columns"], "weight": "traffic"}
    call = {**RANKINGS, "columns": columns, "queries": str(queries), "interval": 0.9}
    assert differences(spark, ["ndcg@10", "map(agg=gmean)"], **call, by=["country"]) == []


@pytest.mark.parametrize("agg", ["median", "p90", "gmean", "sum"])
def test_aggregations(spark: Any, agg: str) -> None:
    assert differences(spark, [f"ndcg(agg={agg})@10"], **RANKINGS) == []


@pytest.mark.parametrize(
    "switches",
    [
        {"ties": "pessimistic", "population": "both"},
        {"missing": "skip", "no_relevant": "zero"},
        {"like": "trec_eval", "missing": "zero"},
        {"like": "pytrec_eval", "missing": "zero"},
    ],
    ids=str,
)
def test_switches_and_presets(spark: Any, switches: dict[str, Any]) -> None:
    assert differences(spark, ["ndcg@10", "map@20"], **RANKINGS, **switches) == []


def portable(specs: Sequence[str]) -> list[str]:
    return [s for s in specs if reason_against(CATALOG, parse_measure(CATALOG, s).metric) is None]


def test_every_classification_metric_of_the_shop(spark: Any) -> None:
    specs = [spec for spec in portable(PLAIN) if "pairwise" not in spec]
    assert len(specs) > 35
    assert differences(spark, specs, **CLICKS, by=["country"]) == []


@pytest.mark.parametrize(
    "table",
    [table for table in TABLES if reason_against(CATALOG, table) is None],
    ids=lambda table: table.name,
)
def test_every_table_of_the_shop(spark: Any, table: Any) -> None:
    found, wanted = (
        duckmetrics.curve(
            CLICKS["predictions"], plain_spec(table), columns=CLICKS["columns"], by=["device"], **more
        )
        for more in ({"engine": spark}, {})
    )
    assert found.column_names == wanted.column_names
    for mine, theirs in zip(found.to_pylist(), wanted.to_pylist(), strict=True):
        assert all(same(mine[name], value) for name, value in theirs.items()), (mine, theirs)


# ---- tables


def test_tables_views_queries_and_frames(spark: Any, tmp_path: Path) -> None:
    wanted = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10"]).rows
    predictions = spark.read.parquet(RANKINGS["predictions"])
    truth = spark.read.parquet(RANKINGS["truth"])
    predictions.createOrReplaceTempView("shown")
    truth.repartition(3).write.parquet(str(tmp_path / "bought"))
    truth.repartition(3).write.csv(str(tmp_path / "bought.csv"), header=True)
    sources = [
        (predictions, truth),
        ("shown", str(tmp_path / "bought")),
        ("table:shown", [str(tmp_path / "bought")]),
        ("SELECT * FROM shown", tmp_path / "bought.csv"),
    ]
    for one, other in sources:
        found = duckmetrics.evaluate(
            one, other, ["ndcg@10"], columns={"query_id": "user_id"}, system="model", engine=spark
        )
        for mine, theirs in zip(found.rows, wanted, strict=True):
            assert same(mine["value"], theirs["value"])


@pytest.fixture
def no_collecting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a whole frame is handed to DuckDB."""
    monkeypatch.setattr(
        duckdb_tables, "frame_source", lambda *_: pytest.fail("the rows came through the driver")
    )


def test_a_condition_selects_the_rows(spark: Any) -> None:
    for condition in (
        "country = 'DE' AND score > 0.5", "event_date = DATE '2025-06-05'",
        "year(event_date) = 2025 AND country IN ('DE', 'FR')",
    ):  # fmt: skip
        where = {"predictions": condition}
        assert differences(spark, ["ndcg@10", "map"], **RANKINGS, where=where, missing="skip") == []
    for condition, words in (
        ("nothing = 1", "where predictions: .*nothing.*; fix the condition"),
        ("country = 'XX'", "no row is left"),
    ):
        with pytest.raises(InputError, match=words):
            duckmetrics.evaluate(metrics=["map"], engine=spark, **RANKINGS, where={"predictions": condition})


def test_a_frame_brings_its_session(spark: Any, no_collecting: None) -> None:
    """The driver collected these rows before, without a message."""
    run = spark.createDataFrame([("q", "a", 2.0), ("q", "b", 1.0)], ["query_id", "item_id", "score"])
    truth = spark.createDataFrame([("q", "a")], ["query_id", "item_id"])
    for arguments in ({"predictions": run}, {"predictions": None, "system": {"A": run, "B": run}}):
        ev = duckmetrics.evaluate(truth=truth, metrics=["mrr"], **arguments)
        assert [row["value"] for row in ev.rows] == [1.0] * len(ev.rows)
        assert "LIMIT" not in ev.sql
    clicks = spark.createDataFrame([(1, 0.9), (0, 0.1)], ["label", "score"])
    assert duckmetrics.evaluate(clicks, metrics=["auc"])["auc"] == 1.0
    assert duckmetrics.curve(clicks, "roc_curve").num_rows > 1


def test_what_is_not_for_spark_refuses_its_frames(spark: Any) -> None:
    run = spark.createDataFrame([("q", "a", 2.0)], ["query_id", "item_id", "score"])
    calls = [
        lambda: duckmetrics.run_test("holm", run),
    ]
    for call in calls:
        with pytest.raises(UnsupportedError, match="leaderboard, explain and curve run on Spark"):
            call()


def test_a_frame_of_another_session_is_refused(spark: Any) -> None:
    other = spark.newSession().createDataFrame([("q", "a", 2.0)], ["query_id", "item_id", "score"])
    own = spark.createDataFrame([("q", "a")], ["query_id", "item_id"])
    with pytest.raises(InputError, match="another session"):
        duckmetrics.evaluate(other, own, ["mrr"])


def test_a_folder_of_a_delta_table_is_refused(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "table"
    spark.createDataFrame([("q", "a", 2.0)], ["query_id", "item_id", "score"]).write.parquet(str(folder))
    truth = spark.createDataFrame([("q", "a")], ["query_id", "item_id"])
    assert duckmetrics.evaluate(str(folder), truth, ["mrr"], engine=spark)["mrr"] == 1.0
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "00000000000000000000.json").write_text("{}\n")
    for path in (folder, f"{folder}/*.parquet", f"file://{folder}", [str(folder)]):
        with pytest.raises(InputError, match=r"delta\.`"):
            duckmetrics.evaluate(path, truth, ["mrr"], engine=spark)


def test_lists(spark: Any, tmp_path: Path) -> None:
    """Lists of items come with and without scores, and both sides may be empty."""
    path, truth = str(tmp_path / "lists.parquet"), str(tmp_path / "truth.parquet")
    duckdb.sql(
        "SELECT * FROM (VALUES (1, ['a', 'b', 'c'], [1e0, 3e0, 2e0]), (2, [], []), (3, ['d'], [1e0]), "
        "(4, NULL, NULL)) AS t(query_id, items, scores)"
    ).write_parquet(path)
    duckdb.sql(
        "SELECT * FROM (VALUES (1, ['b', 'c']), (2, ['a']), (3, []), (5, ['a'])) AS t(query_id, relevant)"
    ).write_parquet(truth)
    for table in (path, f"SELECT query_id, items FROM parquet.`{path}`"):
        own = table if table == path else f"SELECT query_id, items FROM '{path}'"
        found = duckmetrics.evaluate(table, truth, ["ndcg@2", "map", "mrr"], engine=spark).rows
        assert [row["value"] for row in found] == pytest.approx(
            [row["value"] for row in duckmetrics.evaluate(own, truth, ["ndcg@2", "map", "mrr"]).rows],
            abs=1e-15,
        )


def test_ids_of_several_columns_and_kinds(spark: Any) -> None:
    rows = (
        "SELECT CAST(i % 7 AS {0}) AS a, i % 5 AS b, CAST(i % 11 AS {0}) AS item_id, i % 13 / 4e0 AS score, "
        "i % 3 = 0 AS label FROM range({1}) AS t(i) WHERE i < 385"
    )
    for kind, theirs in (("BIGINT", "BIGINT"), ("VARCHAR", "STRING")):
        mine = (
            rows.format(theirs, "385")
            .replace("AS t(i)", "AS t")
            .replace("i %", "id %")
            .replace("WHERE i", "WHERE id")
        )
        found = duckmetrics.evaluate(mine, None, ["ndcg@3", "map"], columns={"query_id": "a+b"}, engine=spark)
        wanted = duckmetrics.evaluate(
            rows.format(kind, "385"), None, ["ndcg@3", "map"], columns={"query_id": "a+b"}
        )
        assert [r["value"] for r in found.rows] == pytest.approx([r["value"] for r in wanted.rows], abs=1e-14)


def test_ids_of_different_widths(spark: Any) -> None:
    rows = "SELECT CAST({id} % 7 AS {wide}) AS query_id, {id} AS item_id, {id} % 13 AS score FROM range(70)"
    truth = "SELECT {id} % 6 AS query_id, CAST({id} AS {wide}) AS item_id FROM range(0, 70, 3)"
    mine, theirs = ({"id": name, "wide": "DECIMAL(20, 0)"} for name in ("id", "range"))
    found = duckmetrics.evaluate(rows.format(**mine), truth.format(**mine), ["ndcg@3"], engine=spark)
    assert found["ndcg@3"] == pytest.approx(
        duckmetrics.evaluate(rows.format(**theirs), truth.format(**theirs), ["ndcg@3"])["ndcg@3"], abs=1e-15
    )


def test_a_table_for_each_system(spark: Any, tmp_path: Path) -> None:
    for model in ("baseline", "candidate"):
        duckdb.sql(f"SELECT * FROM '{RANKINGS['predictions']}' WHERE model = '{model}'").write_parquet(
            str(tmp_path / f"{model}.parquet")
        )
    systems = {model: str(tmp_path / f"{model}.parquet") for model in ("candidate", "baseline")}
    arguments = {**RANKINGS, "predictions": None, "system": systems}
    assert (
        differences(spark, ["ndcg@10"], **arguments, by=["country"], queries=str(SHOP / "users.parquet"))
        == []
    )


@pytest.mark.parametrize("by", ["lower(country) AS c", "date_trunc('week', DATE '2026-01-07') AS w"])
def test_slices_by_expressions(spark: Any, by: str) -> None:
    queries = str(SHOP / "users.parquet")
    found = duckmetrics.evaluate(metrics="ndcg@10", engine=spark, by=by, queries=queries, **RANKINGS)
    wanted = duckmetrics.evaluate(metrics="ndcg@10", by=by, queries=queries, **RANKINGS)
    assert [(row["slice"], row["n"]) for row in found.rows] == [
        (row["slice"], row["n"]) for row in wanted.rows
    ]
    assert all(same(a["value"], b["value"]) for a, b in zip(found.rows, wanted.rows, strict=True))
    with pytest.raises(EngineError, match="NOPE"):
        duckmetrics.evaluate(metrics="rr", engine=spark, by="nope(country) AS c", queries=queries, **RANKINGS)


def test_signed_zeros_tie(spark: Any) -> None:
    score = "CASE {id} WHEN 1 THEN -0e0 ELSE 0e0 END AS score"
    rows = f"SELECT 1 AS query_id, {{id}} AS item_id, {score}, {{id}} = 2 AS label"
    mine, theirs = (rows.format(id=name) for name in ("id", "range"))
    found = duckmetrics.evaluate(f"{mine} FROM range(4)", None, ["mrr", "ranking.query_auc"], engine=spark)
    wanted = duckmetrics.evaluate(f"{theirs} FROM range(4)", None, ["mrr", "ranking.query_auc"])
    assert [row["value"] for row in found.rows] == [row["value"] for row in wanted.rows] == [1 / 3, 0.5]


def test_values_per_query_are_written_by_spark(spark: Any, tmp_path: Path) -> None:
    found = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10", "map"], engine=spark)
    path = tmp_path / "values.parquet"
    found.write_per_query(path)
    wanted = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10", "map"])
    read = f"SELECT * EXCLUDE (signature) FROM '{path}/*.parquet' ORDER BY system, metric, query_id"
    written = duckdb.sql(read).fetchall()
    mine = wanted.per_query
    assert mine is not None
    rows = duckdb.sql("FROM mine ORDER BY system, metric, query_id").fetchall()
    assert len(written) == len(rows) > 4000
    assert all(same(a[-1], b[-1]) and a[:-1] == b[:-1] for a, b in zip(written, rows, strict=True))
    with pytest.raises(InputError, match="is there already"):
        found.write_per_query(path)


# ---- mistakes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"predictions": 3}, InputError, "not a table of Spark"),
        ({"as_of": {"truth": "2026-01-01"}}, UnsupportedError, "as_of: not on Apache Spark.*; write SQL"),
        ({"memory_limit": "1GB"}, MetricError, "memory_limit: is for DuckDB"),
        ({"metrics": ["ndgc@10"]}, MetricError, "did you mean 'ndcg'"),
    ],
    ids=str,
)
def test_errors(spark: Any, arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {**RANKINGS, "metrics": ["ndcg@10"], **arguments}
    with pytest.raises(error, match=message):
        duckmetrics.evaluate(**given, engine=spark)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("SELECT 1 AS query_id, 2 AS item_id, 1e0 AS score FROM range(3)", "more than once"),
        ("SELECT 1 AS query_id, id AS item_id, CAST('NaN' AS DOUBLE) AS score FROM range(3)", "NaN"),
        ("SELECT 1 AS query_id, id AS item_id, CAST(NULL AS DOUBLE) AS score FROM range(3)", "NULL"),
        ("SELECT CAST(NULL AS BIGINT) AS query_id, id AS item_id, 1e0 AS score FROM range(3)", "no query_id"),
        ("SELECT 9 AS query_id, id AS item_id, 1e0 AS score FROM range(3)", "none of them in both tables"),
        ("SELECT '1' AS query_id, id AS item_id, 1e0 AS score FROM range(3)", "make them one kind"),
    ],
)
def test_bad_data_are_refused(spark: Any, rows: str, message: str) -> None:
    truth = "SELECT 1 AS query_id, id AS item_id FROM range(2)"
    with pytest.raises(InputError, match=message):
        duckmetrics.evaluate(rows, truth, ["ndcg@10"], engine=spark)


# ---- scores that are hard to sort, without a global sort

HARD = {
    "distinct": "i * 7919 % 100003 / 1e5",
    "skewed": "CASE WHEN i % 50 > 0 THEN 0.25e0 ELSE i * 7919 % 100003 / 1e9 END",
    "heavy tail": "exp(-(i * 7919 % 100003) / 1e3)",
    "few": "i % 7 / 8e0",
    "tiny and huge": "power(10e0, i * 7919 % 601 - 300)",
    "next to each other": "1e0 + (i * 7919 % 3000) * 2.220446049250313e-16",
    "denormal": "(i * 7919 % 3000) * 4.9406564584124654e-324",
    "infinite and signed zeros": "CASE i % 5 WHEN 0 THEN CAST('Infinity' AS DOUBLE) "
    "WHEN 1 THEN -0e0 WHEN 2 THEN 0e0 "
    "WHEN 3 THEN CAST('-Infinity' AS DOUBLE) ELSE (i % 501 - 250) / 7e0 END",
}


@pytest.mark.parametrize("name", HARD)
def test_ranges_of_scores_change_nothing(
    spark: Any, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """AUC is a ratio of whole numbers, equal to the last bit."""
    path = str(tmp_path / "rows.parquet")
    duckdb.sql(
        f"SELECT (i * 31 + i // 7) % 10 < 3 AS label, CAST({HARD[name]} AS DOUBLE) AS score, i % 3 AS part, "
        "1e0 + i % 4 AS w FROM range(4000) AS t(i)"
    ).write_parquet(path)
    monkeypatch.setattr(plans, "FEW_SCORES", 2)
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 130)
    metrics = [
        "auc",
        "gini",
        "average_precision",
        "ks",
        "max_f1",
        "partial_auc(max_fpr=0.3)",
        "lift(top=0.1)",
    ]
    found = duckmetrics.evaluate(path, None, metrics, by=["part"], engine=spark)
    wanted = duckmetrics.evaluate(path, None, metrics, by=["part"])
    assert "score_range" in found.sql
    for mine, theirs in zip(found.rows, wanted.rows, strict=True):
        assert same(mine["value"], theirs["value"]), (mine, theirs)
        if mine["metric"] == "auc":
            assert mine["value"] == theirs["value"]
    columns = {"weight": "w"}
    for table in ("roc_curve", "pr_curve", "roc_curve(points=9)", "gains_curve", "score_histogram"):
        curves = [
            duckmetrics.curve(path, table, columns=columns, by=["part"], **more).to_pylist()
            for more in ({"engine": spark}, {})
        ]
        for mine, theirs in zip(*curves, strict=True):
            assert all(same(mine[column], value) for column, value in theirs.items()), (table, mine, theirs)


def test_bins_of_equal_mass_and_sums_of_differences_in_ranges(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "FEW_SCORES", 2)
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 1000)
    specs = ["ece(binning=mass)", "ace(binning=mass, bins=7)", "hosmer_lemeshow", "ecce", "ecce_p"]
    specs += ["ece(edges=[0, 0.05, 0.2, 1])", "hosmer_lemeshow(edges=[0, 0.05, 0.1, 0.2, 1])"]
    assert differences(spark, specs, **CLICKS, by=["country"]) == []


def test_sums_of_differences_in_ranges_at_each_point(
    spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = str(tmp_path / "rows.parquet")
    duckdb.sql(
        "SELECT (i * 31 + i // 7) % 10 < 3 AS label, (i * 17 % 701) / 701 AS score, i % 3 AS part, "
        "1e0 + i % 4 AS weight FROM range(4000) AS t(i)"
    ).write_parquet(path)
    monkeypatch.setattr(plans, "FEW_SCORES", 2)
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 130)
    for points in (None, 9):
        mine, theirs = (
            duckmetrics.curve(path, "ecce_curve", by=["part"], points=points, **more).to_pylist()
            for more in ({"engine": spark}, {})
        )
        assert len(mine) == len(theirs) > 9
        for one, other in zip(mine, theirs, strict=True):
            assert all(same(one[column], value) for column, value in other.items()), (points, one, other)


@pytest.mark.parametrize(
    ("specs", "table", "asked"),
    [
        (
            ["auc", "max_f1", "ks", "log_loss", "ece(binning=mass)", "ecce_p", "hosmer_lemeshow", "r2"],
            "{}",
            {},
        ),
        (["ndcg@10", "map", "bpref"], "{}", {}),
        (["auc", "log_loss", "gauc"], "{}", {"interval": 0.9, "cluster": "group_id"}),
        (["auc", "log_loss"], "SELECT label, score FROM parquet.`{}`", {"interval": 0.9}),
    ],
    ids=["classification", "ranking", "intervals of clusters", "intervals of rows"],
)
def test_no_stage_over_rows_has_one_task(
    spark: Any, specs: list[str], table: str, asked: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    n, few = 40_000, 2_500
    spark.sql(
        "SELECT id % 2000 AS query_id, id AS item_id, id % 10 < 3 AS label, "
        f"(id * 7919 % 1000003) / 1e7 AS score, id % 100 AS group_id FROM range({n})"
    ).repartition(8).write.parquet(str(tmp_path / "rows"))
    monkeypatch.setattr(plans, "FEW_SCORES", 1000)
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 1000)
    before = {number for number, *_ in stages(spark)}
    spark.conf.set("spark.sql.files.maxPartitionBytes", "65536")
    try:
        duckmetrics.evaluate(table.format(tmp_path / "rows"), None, specs, engine=spark, **asked)
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    ran = [stage for stage in stages(spark) if stage[0] not in before]
    assert sum(rows for _, _, rows in ran) > 5 * n
    assert [stage for stage in ran if stage[1] == 1 and stage[2] > few] == []


def test_a_global_window_would_be_found(spark: Any) -> None:
    """The test above can fail."""
    before = {number for number, *_ in stages(spark)}
    spark.range(40_000).repartition(4).createOrReplaceTempView("many")
    spark.sql("SELECT max(r) FROM (SELECT rank() OVER (ORDER BY id) AS r FROM many) AS t").collect()
    assert any(tasks == 1 and rows == 40_000 for number, tasks, rows in stages(spark) if number not in before)


# ---- the command line


def test_the_command_line(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Command(capsys)
    target = tmp_path / "values.parquet"
    tables = (RANKINGS["predictions"], RANKINGS["truth"])
    mapped = ("--column", "query_id=user_id", "--system", "model")
    where = ("--engine", "spark", "--per-query", target, "--format", "json")
    outcome = run("evaluate", *tables, "-m", "ndcg@10", *mapped, *where)
    values = [row["value"] for row in results(outcome)]
    wanted = duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@10"])
    assert values == pytest.approx([row["value"] for row in wanted.rows], abs=1e-12)
    assert (target / "_SUCCESS").exists()
    refused = run("evaluate", "a.parquet", "-m", "auc", "--engine", "spark", "--threads", "2")
    assert refused.code == 2
    assert "--threads: belongs to DuckDB" in refused.err


def test_layouts_are_read_on_spark(spark: Any, no_collecting: None) -> None:
    """Names of tools, labels that are text, and two scores in one table are read."""
    columns = ["userID", "itemID", "prediction"]
    run = spark.createDataFrame([(1, 7, 0.9), (1, 5, 0.4), (2, 6, 0.5)], columns)
    truth = spark.createDataFrame([(1, 5), (2, 6)], ["userId", "movieId"])
    found = duckmetrics.evaluate(run, truth, "mrr")
    assert found["mrr"] == 0.75
    told = [f.message.split("read as ")[1] for f in found.checks if f.check == "layout"]
    assert [text.split()[0] for text in told] == ["recommenders", "MovieLens"]
    rows = [("yes", 0.9, 0.1), ("no", 0.3, 0.8), ("yes", 0.4, 0.7), ("no", 0.2, 0.6)]
    frame = spark.createDataFrame(rows, ["label", "a", "b"])
    result = duckmetrics.evaluate(frame, metrics="auc", positive="yes", score={"A": "a", "B": "b"})
    assert [row["value"] for row in result.rows] == [1.0, 0.25]


# Lists of items as tools write them. Scores tie, a query has no relevant item, and one has no list.
OF_LISTS = {
    "als": """
        SELECT user, collect_list(named_struct('movie', item, 'rating', score)) AS recommendations
        FROM (SELECT user, item, CAST(score AS FLOAT) AS score FROM ranked) GROUP BY user
    """,
    "als_of_other_case": """
        SELECT collect_list(named_struct('MovieId', item, 'rating', score)) AS Recommendations, user
        FROM ranked GROUP BY user
    """,
    "structs": """
        SELECT user AS query_id, collect_list(named_struct('item', item, 'score', score)) AS items
        FROM ranked GROUP BY user
    """,
    "kaggle": """
        SELECT user AS customer_id, concat_ws(', ', collect_list(item)) AS prediction
        FROM ranked GROUP BY user
    """,
    "wide": """
        SELECT user AS user_id, items[0] AS rec_1, get(items, 1) AS rec_2, get(items, 2) AS rec_3
        FROM (SELECT user, collect_list(item) AS items FROM ranked GROUP BY user)
    """,
}
RANKED = """
    SELECT * FROM VALUES
        (1, 11, 0.9D), (1, 10, 0.9D), (1, 12, 0.5D), (2, 13, 0.7D), (2, 12, 0.25D), (4, 10, 0.5D)
        AS t(user, item, score)
"""
TRUTH = """
    SELECT * FROM VALUES (1, 10, 1D), (1, 12, 2D), (2, 12, 1D), (2, 10, 0D), (3, 10, 1D), (4, 10, 0D)
        AS t(query_id, item_id, relevance)
"""


@pytest.mark.parametrize("name", OF_LISTS)
def test_layouts_of_lists_have_the_numbers_of_duckdb(spark: Any, tmp_path: Path, name: str) -> None:
    spark.sql(RANKED).coalesce(1).createOrReplaceTempView("ranked")
    spark.sql(OF_LISTS[name]).write.parquet(str(tmp_path / "run.parquet"))
    truth = spark.sql(TRUTH)
    if name == "kaggle":
        truth = truth.selectExpr("query_id", "CAST(item_id AS STRING) AS item_id", "relevance")
    truth.write.parquet(str(tmp_path / "truth.parquet"))
    arguments = {"predictions": str(tmp_path / "run.parquet/*.parquet"),
                 "truth": str(tmp_path / "truth.parquet/*.parquet")}  # fmt: skip
    assert differences(spark, ["ndcg@2", "mrr"], **arguments) == []
    # The order of a list counts. Spark ALS and structs have scores instead, which tie for query 1.
    found = duckmetrics.evaluate(metrics="mrr", **arguments)
    first = 1 if name in ("als", "als_of_other_case", "structs") else 1 / 2
    assert found["mrr"] == pytest.approx((first + 1 / 2 + 0) / 3)


def test_vectors_of_spark_ml_are_read(spark: Any, tmp_path: Path) -> None:
    """Vectors are dense or sparse; a sparse vector leaves out a probability of 0."""
    from pyspark.ml.linalg import Vectors

    vectors = [Vectors.dense([0.2, 0.8]), Vectors.sparse(2, [0], [1.0]), Vectors.dense([0.1, 0.9]),
               Vectors.sparse(2, [0, 1], [0.3, 0.7]), Vectors.sparse(2, [1], [1.0])]  # fmt: skip
    frame = spark.createDataFrame(list(zip([1.0, 0.0, 0.0, 1.0, 1.0], vectors, strict=True)), LABELED)
    frame.write.parquet(str(tmp_path / "scored.parquet"))
    path = str(tmp_path / "scored.parquet/*.parquet")
    assert differences(spark, ["auc", "log_loss", "brier"], predictions=path) == []
    for table in (path, frame):
        found = duckmetrics.evaluate(table, metrics="brier", engine=spark)
        assert found["brier"] == pytest.approx((0.2**2 + 0 + 0.9**2 + 0.3**2 + 0) / 5)
        assert "read as Spark ML (label, score of probability)" in found.checks[0].message


def test_lists_of_probabilities_are_read(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("SELECT * FROM VALUES (1, array(0.2D, 0.8D)), (0, array(0.6D, 0.4D)) AS t(a, b)")
    frame.toDF(*LABELED).write.parquet(str(tmp_path / "scored.parquet"))
    path = str(tmp_path / "scored.parquet/*.parquet")
    assert differences(spark, ["log_loss", "brier"], predictions=path) == []
    short = spark.sql("SELECT 1 AS label, array(0.2D) AS probability")
    with pytest.raises(InputError, match="score"):
        duckmetrics.evaluate(short, metrics="auc")


def test_predictions_of_bigquery_are_read(spark: Any, tmp_path: Path) -> None:
    spark.sql("""
        SELECT churn, 'yes' AS predicted_churn, array(
            named_struct('label', 'no', 'prob', 1 - p), named_struct('label', 'yes', 'prob', p)
        ) AS predicted_churn_probs
        FROM VALUES ('yes', 0.75D), ('no', 0.5D), ('yes', 0.5D), ('no', 0.125D) AS t(churn, p)
    """).write.parquet(str(tmp_path / "predicted.parquet"))
    path = str(tmp_path / "predicted.parquet/*.parquet")
    assert differences(spark, ["auc", "log_loss"], predictions=path, positive="yes") == []
    assert duckmetrics.evaluate(path, metrics="auc", positive="yes")["auc"] == 3.5 / 4
    with pytest.raises(InputError, match=r"the positive one is not named.*positive='yes'"):
        duckmetrics.evaluate(path, metrics="auc", engine=spark)


# ---- explanations


def test_explanations_are_those_of_duckdb(spark: Any) -> None:
    found, wanted = (
        duckmetrics.evaluate(**RANKINGS, metrics=["ndcg@5", "map@10"], **engine)
        for engine in ({"engine": spark}, {})
    )
    for arguments in ({"query": 10191}, {"by": "grade"}, {"by": "query.country", "metric": "map@10"}):
        mine, theirs = (ev.explain(baseline="baseline", **arguments) for ev in (found, wanted))
        assert len(mine.rows) == len(theirs.rows) > 2
        for one, other in zip(mine.rows, theirs.rows, strict=True):
            assert all(same(one[name], value) for name, value in other.items()), (one, other)
