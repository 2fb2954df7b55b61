"""Intervals and comparisons on Spark: units are made where the rows are, and tested by DuckDB as always."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.engines import plans
from duckmetrics.errors import InputError
from duckmetrics.results.gates import failures, read_gates
from support.cases import ROOT
from support.command_line import Command, document
from support.other_engines import spark_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.spark

SHOP = ROOT / "data/shop"
RANKINGS: dict[str, Any] = {
    "predictions": str(SHOP / "recommendations.parquet"),
    "truth": str(SHOP / "purchases.parquet"),
    "columns": {"query_id": "user_id"},
    "system": "model",
}
CLICKS: dict[str, Any] = {
    "predictions": str(SHOP / "impressions.parquet"),
    "columns": {"label": "clicked", "score": "pctr"},
}
SUMS = ["log_loss", "brier", "f1", "calibration_ratio", "auc"]


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two systems of 60 queries; ids are text, several queries belong to a user, and scores tie."""
    path = str(tmp_path_factory.mktemp("tables") / "run.parquet")
    duckdb.sql("""
        SELECT CASE s WHEN 0 THEN 'A' ELSE 'B' END AS system, 'q' || q * 7919 % 1009 AS query_id,
            TIMESTAMPTZ '2025-01-01 00:00:00+00' + to_hours(q) AS at, q // 3 AS user_id, i AS item_id,
            (q * 31 + i * 17 + s * (q % 5) * i * 7) % 101 / 1e2 AS score, (q * 13 + i * 5) % 7 < 2 AS label,
            nullif(q % 3, 0) AS part
        FROM range(60) AS qs(q), range(8) AS items(i), range(2) AS systems(s)
    """).write_parquet(path)
    return path


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The rows of a classifier: two scores, weights, users of unequal size, and a slice that is NULL."""
    path = str(tmp_path_factory.mktemp("tables") / "rows.parquet")
    duckdb.sql("""
        SELECT (i * 31 + i // 7) % 10 < 3 AS label, i * 7919 % 100003 / 1e5 AS p,
            least(greatest(i * 7919 % 100003 / 1e5 + i % 7 / 5e1, 1e-3), 1e0) AS other,
            nullif(i % 3, 0) AS part, i % 10 AS block, 1e0 + i % 4 AS w, 'u' || i * i % 211 AS user_id
        FROM range(4000) AS t(i)
    """).write_parquet(path)
    return path


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12)
    return bool(found == wanted)


def differences(found: Any, wanted: Any) -> list[str]:
    """Return where the rows, pairs or findings of two results differ."""
    told = [str(one) for one in {*found.checks} ^ {*wanted.checks}]
    for mine, theirs in ((found.rows, wanted.rows), *_pairs(found, wanted)):
        assert len(mine) == len(theirs) > 0
        told += [
            f"{row['metric']}: {name} is {own[name]}, DuckDB has {value}"
            for own, row in zip(mine, theirs, strict=True) for name, value in row.items()
            if not same(own[name], value)
        ]  # fmt: skip
    return told


def _pairs(found: Any, wanted: Any) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    if getattr(wanted, "pairs", ()):
        yield found.pairs, wanted.pairs


def of_both(function: Any, spark: Any, **arguments: Any) -> tuple[Any, Any]:
    """Call a function with Spark and with DuckDB, and return both results, which must be equal."""
    found, wanted = function(**arguments, engine=spark), function(**arguments)
    assert differences(found, wanted) == []
    return found, wanted


# ---- rankings


def test_a_comparison_of_the_shop(spark: Any) -> None:
    """Every column is equal, in all formats; movers and gates, too."""
    found, wanted = of_both(
        duckmetrics.compare, spark, **RANKINGS, metrics=["ndcg@10", "hit_rate@5"], baseline="baseline",
        by=["country"], queries=str(SHOP / "users.parquet"),
    )  # fmt: skip
    assert {row["verdict"] for row in found.rows} == {"baseline", "better", "worse", "unclear"}
    assert (str(found), found._repr_html_()) == (str(wanted), wanted._repr_html_())
    own, theirs = (one.movers(n=5).to_pylist() for one in (found, wanted))
    assert len(own) == len(theirs) == 20
    assert all(same(a[name], value) for a, b in zip(own, theirs, strict=True) for name, value in b.items())
    gates = read_gates(["ndcg@10 delta_lower < 0.1", "ndcg@10 delta < 0.01"])
    failed = [failures(gates, one.rows, one.evaluation.canonical) for one in (found, wanted)]
    assert failed[0] == failed[1]
    assert len(failed[0]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"test": "randomization"},
        {"test": "bootstrap", "interval_method": "bootstrap", "columns": {"query_id": "at"}},
        {"test": "wilcoxon", "cluster": "user_id", "by": ["part"]},
        {"test": "tukey"},
    ],
    ids=lambda arguments: arguments["test"],
)
def test_every_kind_of_test(spark: Any, run: str, arguments: dict[str, Any]) -> None:
    """Draws come from the hashes of ids, which stay the same: text, timestamps, clusters."""
    of_both(duckmetrics.compare, spark, predictions=run, metrics=["ndcg@5", "hit_rate@1"], system="system",
            baseline="A", **arguments)  # fmt: skip


def test_metrics_of_all_lists(spark: Any, run: str) -> None:
    metrics = ["personalization@3", "effective_catalog_size@3", "ndcg(agg=median)@3", "shannon_entropy@3",
               "ranking.gini(over=recommended, discount=log2)@3"]  # fmt: skip
    of_both(duckmetrics.evaluate, spark, predictions=run, metrics=metrics, system="system", interval=0.9)


def test_a_leaderboard(spark: Any, run: str) -> None:
    of_both(duckmetrics.leaderboard, spark, predictions=run, metrics=["mrr"], system="system")


def test_frames_bring_their_session(spark: Any, run: str) -> None:
    frame = spark.read.parquet(run)
    systems = {name: frame.where(frame.system == name).drop("system") for name in "AB"}
    tables = {name: f"SELECT * EXCLUDE (system) FROM '{run}' WHERE system = '{name}'" for name in "AB"}
    found, wanted = (duckmetrics.compare(given, metrics=["mrr"]) for given in (systems, tables))
    assert "-- by DuckDB" in found.evaluation.sql
    assert all(
        same(own[k], v) for own, row in zip(found.rows, wanted.rows, strict=True) for k, v in row.items()
    )


def test_systems_with_other_queries_are_refused(spark: Any, run: str) -> None:
    given = f"SELECT * FROM parquet.`{run}` WHERE system = 'A' OR item_id < 7 AND query_id <> 'q0'"
    arguments = {"metrics": ["mrr"], "system": "system", "baseline": "A", "missing": "skip"}
    with pytest.raises(InputError, match="B and A have values of different queries: 1 queries"):
        duckmetrics.compare(given, engine=spark, **arguments)


# ---- classifiers


def test_sums_of_users(spark: Any) -> None:
    """The intervals of clusters: the jackknife over sums and influences that Spark made."""
    of_both(duckmetrics.evaluate, spark, **CLICKS, metrics=SUMS, cluster="user_id", interval=0.95)


def test_groups_are_clusters(spark: Any) -> None:
    columns = {**CLICKS["columns"], "group_id": "user_id"}
    of_both(duckmetrics.evaluate, spark, predictions=CLICKS["predictions"], metrics=["gauc", "brier"],
            columns=columns, interval=0.95)  # fmt: skip


def test_two_scores_of_weighted_rows(spark: Any, rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The influence on AUC is found in ranges of scores, as its value is."""
    monkeypatch.setattr(plans, "FEW_SCORES", 2)
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 500)
    found, _ = of_both(
        duckmetrics.compare, spark, predictions=rows, metrics=["auc", "brier"], by=["part"],
        cluster="user_id", score={"A": "p", "B": "other"}, columns={"weight": "w"}, test="randomization",
    )  # fmt: skip
    assert "score_range" in found.evaluation.sql


def test_rows_are_units_of_their_own(spark: Any, rows: str) -> None:
    arguments = {"predictions": rows, "metrics": ["log_loss", "auc"], "score": {"A": "p", "B": "other"}}
    of_both(duckmetrics.compare, spark, **arguments)


def test_metrics_without_units_say_so(spark: Any, rows: str) -> None:
    ev = duckmetrics.evaluate(rows, None, "average_precision", score={"A": "p"}, engine=spark, interval=0.9,
                              interval_method="bootstrap", cluster="user_id")  # fmt: skip
    assert ev.rows[0]["lower"] is None
    assert ev.rows[0]["reason"].startswith("no interval: it is not a function of sums over rows; evaluate it")


# ---- the command line


def test_the_command_line(spark: Any, run: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = Command(capsys)
    asked = ("-m", "ndcg@5", "--system", "system", "--baseline", "A", "--format", "json", "--engine")
    found, wanted = (document(command("compare", run, *asked, engine).out) for engine in ("spark", "duckdb"))
    for own, row in zip(found["rows"], wanted["rows"], strict=True):
        assert all(same(own[name], value) for name, value in row.items())
    assert found["rows"][1]["p_adjusted"] is not None
