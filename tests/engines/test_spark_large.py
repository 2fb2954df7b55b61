"""Large data on Spark: no task reads all rows, and units that are too many to move are summed there."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.engines import plans
from duckmetrics.errors import UnsupportedError
from duckmetrics.inference import kept
from support.other_engines import spark_session
from support.spark_stages import largest_task, new_stages

pytestmark = [pytest.mark.spark, pytest.mark.slow]

# Without the merging of small parts, a stage has one task only if it must.
APART = {"spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.coalescePartitions.enabled": "false"}


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session()


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two systems of 3,000 queries, each in four files; most reciprocal ranks are one of few values."""
    path = tmp_path_factory.mktemp("lists")
    for system in range(2):
        (path / f"s{system}").mkdir()
        for part in range(4):
            duckdb.sql(f"""
                SELECT q AS query_id, i AS item_id, hash(q, i, {system}) % 1000 / 1e1 AS score,
                    hash(q, i) % 7 = 0 AS label, q // 3 AS user_id
                FROM range({part}, 3000, 4) AS qs(q), range(10) AS items(i)
            """).write_parquet(str(path / f"s{system}/{part}.parquet"))
    return {f"s{system}": str(path / f"s{system}/*.parquet") for system in range(2)}


def same(found: Any, wanted: Any, relative: float) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=relative, abs_tol=1e-3 * relative)
    return bool(found == wanted)


def differences(found: Any, wanted: Any, relative: float = 1e-9) -> list[str]:
    """Return where the rows of two results differ."""
    assert len(found.rows) == len(wanted.rows) > 0
    return [
        f"{row['metric']}: {name} is {own[name]}, not {value}"
        for own, row in zip(found.rows, wanted.rows, strict=True)
        for name, value in row.items()
        if not same(own[name], value, relative)
    ]


# ---- medians


def test_medians_in_ranges(spark: Any, lists: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of queries are placed in ranges, those of a frequent value in parts."""
    monkeypatch.setattr(plans, "ROWS_OF_RANGE", 300)
    metrics = ["ndcg(agg=median)@10", "mrr(agg=p90)", "mrr(agg=p1)", "mrr", "hit_rate(agg=median)@3"]
    with new_stages(spark, **APART) as ran:
        found = duckmetrics.evaluate(lists["s0"], None, metrics, engine=spark)
    assert differences(found, duckmetrics.evaluate(lists["s0"], None, metrics), 1e-12) == []
    assert "range_part" in found.sql
    # Without ranges, a task sorts all 3,000 queries.
    over_rows = [(number, rows) for number, _, rows in ran if rows >= 3000]
    assert len(over_rows) > 5
    assert [stage for stage in over_rows if largest_task(spark, stage[0]) > 0.6 * stage[1]] == []


# ---- more units than can move


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The rows of a classifier: scores with ties, weights, users of unequal size, and NULL as a slice."""
    path = str(tmp_path_factory.mktemp("tables") / "rows.parquet")
    duckdb.sql("""
        SELECT (i * 31 + i // 7) % 10 < 3 AS label, i * 7919 % 10007 / 10007 AS p, i * i % 83 / 83 AS noise,
            least(greatest(i * 7919 % 10007 / 10007 + i % 7 / 5e1, 1e-3), 1e0) AS other,
            nullif(i % 3, 0) AS part, 1e0 + i % 4 AS w, 'u' || i * i % 211 AS user_id
        FROM range(3000) AS t(i)
    """).write_parquet(path)
    return path


@pytest.fixture
def few_can_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_UNITS", 100)


def compared(spark: Any, **asked: Any) -> list[str]:
    """Return where a comparison by sums differs from one of DuckDB, from all units."""
    found, wanted = (duckmetrics.compare(**asked, **more) for more in ({"engine": spark}, {}))
    assert "unit_sums" in found.evaluation.sql
    assert {*found.checks} == {*wanted.checks}
    return differences(found, wanted) + differences(found.evaluation, wanted.evaluation)


@pytest.mark.usefixtures("few_can_move")
@pytest.mark.parametrize("more", [{}, {"cluster": "user_id"}], ids=["queries", "clusters of queries"])
def test_queries_are_compared_by_sums(spark: Any, lists: dict[str, str], more: dict[str, Any]) -> None:
    assert compared(spark, predictions=lists, metrics=["ndcg@5", "hit_rate@1"], **more) == []
    asked: dict[str, Any] = {"metrics": ["mrr(agg=gmean)"], "interval": 0.9, **more}
    found = duckmetrics.evaluate(lists["s0"], engine=spark, **asked)
    assert differences(found, duckmetrics.evaluate(lists["s0"], **asked)) == []


@pytest.mark.usefixtures("few_can_move")
@pytest.mark.parametrize("more", [{}, {"cluster": "user_id"}], ids=["rows", "clusters of rows"])
def test_rows_are_compared_by_sums(spark: Any, rows: str, more: dict[str, Any]) -> None:
    """Metrics of several scales, some with influences; the noise is far from a constant."""
    assert compared(
        spark, predictions=rows, metrics=["auc", "log_loss", "f1", "accuracy", "calibration_ratio"],
        score={"A": "p", "B": "other", "C": "noise"}, columns={"weight": "w"}, by=["part"], **more,
    ) == []  # fmt: skip


@pytest.mark.usefixtures("few_can_move")
def test_methods_that_read_every_unit_are_refused(spark: Any, lists: dict[str, str]) -> None:
    """One evaluation is compared in several ways."""
    asked: dict[str, Any] = {"predictions": lists, "metrics": ["mrr"], "engine": spark}
    message = (
        "{}: it reads every unit; there are 6,000 values of units, and at most 100 can move from .*test='t'"
    )
    for test, name in (
        ("wilcoxon", "wilcoxon"), ("bootstrap", "paired_bootstrap"), ("randomization", "randomization_test"),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError, match=message.format(name)):
            duckmetrics.compare(**asked, test=test)
    with pytest.raises(UnsupportedError, match=message.format("bootstrap_interval")):
        duckmetrics.evaluate(**asked, interval=0.9, interval_method="bootstrap")
    with pytest.raises(UnsupportedError, match=message.format("max_t")):
        duckmetrics.compare(**asked, adjust="max_t")
    with pytest.raises(UnsupportedError, match=r"interval: 6,000 values of units, and at most 100 can move"):
        duckmetrics.evaluate(**{**asked, "metrics": ["mrr(agg=median)"]}, interval=0.9)
