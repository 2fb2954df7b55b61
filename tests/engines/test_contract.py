"""Every engine keeps one contract: the same numbers, the same refusals, and nothing left behind.

Spark Connect runs in a process of its own: ``pytest -m connect``.
"""

from __future__ import annotations

import datetime
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.portable import reason_against
from duckmetrics.engines.engine import Engine, Feature
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import InputError, UnsupportedError
from support.cases import CATALOG, ROOT
from support.other_engines import spark_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOP = ROOT / "data/shop"
RANKINGS: dict[str, Any] = {
    "predictions": str(SHOP / "recommendations.parquet"), "truth": str(SHOP / "purchases.parquet"),
    "columns": {"query_id": "user_id"}, "system": "model",
}  # fmt: skip
CLICKS: dict[str, Any] = {
    "predictions": str(SHOP / "impressions.parquet"), "columns": {"label": "clicked", "score": "pctr"},
}  # fmt: skip
# The call that needs a feature, and the option that it is refused for.
NEEDS = {
    Feature.CHUNKS: ({"chunks": 2}, "chunks"),
    Feature.VERIFY: ({"verify": 3}, "verify"),
    Feature.INTERVAL: ({"interval": 0.9}, "interval"),
    Feature.VERSIONS: ({"version": 1}, "version"),
}


class Used(NamedTuple):
    """An engine that a test uses, and how a call names it."""

    name: str
    given: dict[str, Any]
    engine: Engine


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("duckdb", marks=pytest.mark.slow),
        pytest.param("spark", marks=pytest.mark.spark),
        pytest.param("connect", marks=pytest.mark.connect),
    ],
)
def used(request: pytest.FixtureRequest) -> Iterator[Used]:
    if request.param == "duckdb":
        with duckdb.connect() as connection:
            yield Used("duckdb", {"connection": connection}, open_engine(connection=connection))
        return
    session = spark_session() if request.param == "spark" else connect_session()
    yield Used(request.param, {"engine": session}, open_engine(session))


def connect_session() -> Any:
    """Start a server of Spark Connect on this machine, and return its client."""
    pytest.importorskip("grpc")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]")
    for name, value in {
        "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g", "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
    }.items():  # fmt: skip
        builder = builder.config(name, value)
    return builder.getOrCreate()


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return found == wanted or abs(found - wanted) <= 1e-9 * max(1.0, abs(wanted))
    return bool(found == wanted)


def assert_same(found: Any, wanted: Any) -> None:
    assert found.checks == wanted.checks
    assert len(found.rows) == len(wanted.rows) > 0
    for mine, theirs in zip(found.rows, wanted.rows, strict=True):
        assert all(same(mine[name], value) for name, value in theirs.items()), (mine, theirs)


def tables_of(used: Used) -> list[str]:
    """Return the names of tables and views that a caller sees."""
    if used.name == "duckdb":
        return [str(name) for (name,) in used.given["connection"].sql("SHOW TABLES").fetchall()]
    return [table.name for table in used.given["engine"].catalog.listTables()]


def test_rankings_with_slices(used: Used) -> None:
    asked = {"metrics": ["ndcg@10", "map", "ndcg(agg=median)@10"], "by": ["country"],
             "queries": str(SHOP / "users.parquet")}  # fmt: skip
    before = tables_of(used)
    found, wanted = (duckmetrics.evaluate(**RANKINGS, **asked, **one) for one in (used.given, {}))
    assert_same(found, wanted)
    keys = ("system", "metric", "query_id")
    values = [{tuple(row[k] for k in keys): row["value"] for row in one.per_query.to_pylist()}
              for one in (found, wanted)]  # fmt: skip
    assert values[0].keys() == values[1].keys()
    assert all(same(value, values[1][key]) for key, value in values[0].items())
    if used.name != "duckdb":  # there, the tables of values stay as long as the result
        assert [one for one in tables_of(used) if one not in before] == []


def test_a_comparison(used: Used) -> None:
    asked = {"metrics": ["ndcg@10"], "baseline": "baseline"}
    assert_same(*(duckmetrics.compare(**RANKINGS, **asked, **one) for one in (used.given, {})))


def test_a_classifier_with_intervals_of_clusters(used: Used) -> None:
    asked = {"metrics": ["auc", "log_loss"], "interval": 0.95, "cluster": "user_id"}
    assert_same(*(duckmetrics.evaluate(**CLICKS, **asked, **one) for one in (used.given, {})))


def test_timestamps_are_ids_and_slices(used: Used, tmp_path: Path) -> None:
    """No package beyond those of an installation has to know time zones."""
    path = str(tmp_path / "rows.parquet")
    duckdb.sql("""
        SELECT TIMESTAMPTZ '2026-01-01 12:00:00+00' + to_hours(i % 3) AS query_id, i AS item_id,
            i * 7 % 5 AS score, i % 2 = 0 AS label,
            TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_days(i % 3) AS day
        FROM range(30) AS t(i)
    """).write_parquet(path)
    found = duckmetrics.evaluate(path, metrics="mrr", by="day", **used.given)
    assert {row["day"] for row in found.rows[1:]} == {
        datetime.datetime(2026, 1, day, tzinfo=datetime.UTC) for day in (1, 2, 3)
    }
    assert sorted(found.per_query["query_id"].to_pylist())[0].hour == 12


@pytest.mark.parametrize("feature", NEEDS, ids=lambda feature: feature.name)
def test_a_feature_that_an_engine_lacks_is_refused_by_its_option(used: Used, feature: Feature) -> None:
    arguments, option = NEEDS[feature]
    call = lambda: duckmetrics.evaluate(**RANKINGS, metrics="mrr", **arguments, **used.given)  # noqa: E731
    if not used.engine.supports(feature):
        with pytest.raises(UnsupportedError, match=f"^{option}: not on "):
            call()
    elif feature is Feature.VERSIONS:
        with pytest.raises(InputError, match=option):  # Parquet keeps none
            call()
    else:
        assert len(call().rows) == 2


def test_a_metric_that_an_engine_lacks_is_refused_with_the_reason(used: Used) -> None:
    reasons = {
        name: reason for (family, name), metric in CATALOG.metrics.items()
        if family == "classification" and (reason := used.engine.reason_against(CATALOG, metric))
    }  # fmt: skip
    assert set(reasons.values()) <= {
        reason_against(CATALOG, parse_measure(CATALOG, f"classification.{name}").metric) for name in reasons
    }
    assert bool(reasons) is (used.name != "duckdb")
    for name, reason in reasons.items():
        with pytest.raises(UnsupportedError) as refused:
            duckmetrics.evaluate(**CLICKS, metrics=name, **used.given)
        assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": "no/where.parquet"}, "no/where.parquet"),
        ({"predictions": "nowhere"}, "nowhere"),
        ({"columns": {"query_id": "user"}}, "no table has a column 'user'"),
        ({"where": {"predictions": "nothing = 1"}}, "nothing"),
        ({"where": {"predictions": "model = 'XX'"}}, "no row is left"),
    ],
    ids=str,
)
def test_mistakes_are_errors_of_the_input(used: Used, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        duckmetrics.evaluate(**{**RANKINGS, **arguments}, metrics="mrr", **used.given)
