"""Units that are too many to move: sums that are made where the rows are give the same intervals and tests.

The engine of the rows is a second DuckDB here; tests/engines/test_spark_large.py has Spark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.engine import Feature
from duckmetrics.errors import UnsupportedError
from duckmetrics.inference import kept

if TYPE_CHECKING:
    from sqlglot import exp

LISTS = """
    CREATE TABLE lists AS
    SELECT 's' || s AS system, q AS query_id, i AS item_id, hash(q, i, s) % 1000 / 1e1 AS score,
        hash(q, i) % 7 = 0 AS label, q // 3 AS user_id, nullif(q % 3, 0) AS part
    FROM range(200) AS qs(q), range(10) AS items(i), range(2) AS systems(s)
"""
ROWS = """
    CREATE TABLE clicks AS
    SELECT (i * 31 + i // 7) % 10 < 3 AS label, i * 7919 % 1009 / 1009 AS p, i * i % 83 / 83 AS noise,
        1e0 + i % 4 AS w, 'u' || i * i % 211 AS user_id, nullif(i % 3, 0) AS part
    FROM range(1000) AS t(i)
"""


class Elsewhere(DuckDBEngine):
    """An engine of rows whose results are in another one, with the features of Spark."""

    features = frozenset({Feature.INTERVAL})

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection)
        self._results = DuckDBEngine()
        self.collected: list[str] = []

    def results(self) -> DuckDBEngine:
        return self._results

    def collect(self, name: str, query: exp.Query) -> None:
        self.collected.append(name.removeprefix("duckmetrics_").rstrip("_0123456789"))
        self._results.connection.register(name, self.arrow(query))


@pytest.fixture(scope="module")
def tables() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for statement in (LISTS, ROWS):
        connection.execute(statement)
    return connection


@pytest.fixture(autouse=True)
def few_can_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_UNITS", 100)


OF_LISTS: dict[str, Any] = {"predictions": "lists", "system": "system"}
OF_ROWS: dict[str, Any] = {
    "predictions": "clicks", "score": {"A": "p", "B": "noise"}, "columns": {"weight": "w"}, "by": ["part"],
}  # fmt: skip


def differences(found: Any, wanted: Any) -> list[str]:
    """Return where the rows of two results differ."""
    assert len(found.rows) == len(wanted.rows) > 0
    assert {*found.checks} == {*wanted.checks}
    return [
        f"{row['metric']}: {name} is {own[name]}, not {value}"
        for own, row in zip(found.rows, wanted.rows, strict=True)
        for name, value in row.items()
        if not (
            math.isclose(own[name], value, rel_tol=1e-9, abs_tol=1e-12)
            if isinstance(value, float) and own[name] is not None else own[name] == value
        )
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [None, "user_id"])
@pytest.mark.parametrize(
    ("metrics", "asked"),
    [
        (["ndcg@5", "hit_rate@1"], {**OF_LISTS, "baseline": "s0", "by": ["part"]}),
        (["auc", "log_loss", "f1", "accuracy", "calibration_ratio"], OF_ROWS),
    ],
    ids=["queries", "rows"],
)
def test_systems_are_compared_by_sums(
    tables: duckdb.DuckDBPyConnection, metrics: list[str], asked: dict[str, Any], cluster: str | None
) -> None:
    engine = Elsewhere(tables)
    found = duckmetrics.compare(**asked, metrics=metrics, cluster=cluster, engine=engine)
    wanted = duckmetrics.compare(**asked, metrics=metrics, cluster=cluster, connection=tables)
    sums = {"unit_sums", "difference_sums", *(["effective_size", "unmatched"] if cluster else [])}
    assert sums <= {*engine.collected}
    assert "moved" not in engine.collected
    assert differences(found, wanted) + differences(found.evaluation, wanted.evaluation) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "more", "name"),
    [
        ("compare", {"test": "wilcoxon"}, "wilcoxon"),
        ("compare", {"test": "bootstrap"}, "paired_bootstrap"),
        ("compare", {"test": "randomization"}, "randomization_test"),
        ("compare", {"adjust": "max_t"}, "max_t"),
        ("compare", {"margin": 0.1}, "paired_tost"),
        ("compare", {"unpaired": True}, "unpaired_t"),
        ("leaderboard", {}, "probability_best"),
        ("evaluate", {"interval": 0.9, "interval_method": "bootstrap"}, "bootstrap_interval"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_methods_that_read_every_unit_are_refused(
    tables: duckdb.DuckDBPyConnection, function: str, more: dict[str, Any], name: str
) -> None:
    message = (
        f"{name}: it reads every unit; there are 400 values of units, and at most 100 can move .*test='t'"
    )
    asked = {**OF_LISTS, **more} | ({"baseline": "s0"} if function == "compare" else {})
    with pytest.raises(UnsupportedError, match=message):
        getattr(duckmetrics, function)(**asked, metrics=["mrr"], engine=Elsewhere(tables))


def test_order_statistics_are_refused(tables: duckdb.DuckDBPyConnection) -> None:
    message = "interval: 400 values of units, and at most 100 can move from DuckDB"
    asked: dict[str, Any] = {"metrics": ["mrr(agg=median)"], "interval": 0.9}
    with pytest.raises(UnsupportedError, match=message):
        duckmetrics.evaluate(**OF_LISTS, **asked, engine=Elsewhere(tables))
