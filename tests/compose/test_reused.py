"""A process composes the query of a question once, and computes its values again each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

import duckmetrics
from duckmetrics.compose.composer import Composer

if TYPE_CHECKING:
    from collections.abc import Iterator

PREDICTIONS = "CREATE OR REPLACE TABLE run AS FROM (VALUES {}) AS run(query_id, item_id, score)"
TRUTH = (
    "CREATE TABLE qrels AS FROM (VALUES (1, 2, 1), (2, 1, 1), (2, 3, 2)) AS t(query_id, item_id, relevance)"
)


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of measures of each query that is composed."""
    seen: list[int] = []
    compose = Composer.per_query

    def counted(self: Composer, measures: list[object], *args: object) -> object:
        seen.append(len(measures))
        return compose(self, measures, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Composer, "per_query", counted)
    return seen


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(PREDICTIONS.format("(1, 1, 0.9), (1, 2, 0.8), (2, 1, 0.7)"))
        connection.execute(TRUTH)
        yield connection


@pytest.mark.parametrize("metric", ["mrr", "recall@1"])
def test_the_same_question_is_composed_once_and_computed_again(
    connection: duckdb.DuckDBPyConnection, composed: list[int], metric: str
) -> None:
    """A metric with a cut-off reads a temporary table, whose name differs."""
    first = duckmetrics.evaluate("run", "qrels", metric, connection=connection)
    known = len(composed)
    assert duckmetrics.evaluate("run", "qrels", metric, connection=connection)[metric] == first[metric]
    connection.execute(PREDICTIONS.format("(1, 2, 0.9), (2, 9, 0.7)"))
    changed = duckmetrics.evaluate("run", "qrels", metric, connection=connection)
    assert len(composed) == known
    assert changed[metric] == 0.5 != first[metric]


def test_another_switch_or_metric_is_another_question(
    connection: duckdb.DuckDBPyConnection, composed: list[int]
) -> None:
    values = [
        duckmetrics.evaluate("run", "qrels", "ndcg(gain=exp2)", connection=connection),
        duckmetrics.evaluate("run", "qrels", "ndcg(gain=binary)", connection=connection),
        duckmetrics.evaluate("run", "qrels", "ndcg(gain=binary),map", connection=connection),
    ]
    assert len({tuple(row["value"] for row in value.rows) for value in values}) == 3
    assert composed == [1, 1, 2]
