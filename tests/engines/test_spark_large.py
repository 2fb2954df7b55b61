"""Large data on Spark: no task reads all rows, and units that are too many to move are summed where they are."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.summaries import plans
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
