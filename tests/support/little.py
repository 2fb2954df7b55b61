"""Five predictions, four judgments, and their metrics, computed by hand.

q1 has its relevant items at ranks 2 (grade 1) and 3 (grade 2), q2 has its only one at rank 1, and
nobody answered q3. The mean DCG depends on the order, the grades and the population.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any

import duckdb

import duckmetrics

if TYPE_CHECKING:
    from duckmetrics import Evaluation

PREDICTIONS = """(VALUES ('q1', 'a', 3.0), ('q1', 'b', 2.5), ('q1', 'c', 1.0),
    ('q2', 'a', 2.0), ('q2', 'd', 1.0)) AS p(query_id, item_id, score)"""
TRUTH = """(VALUES ('q1', 'b', 1), ('q1', 'c', 2), ('q2', 'a', 1), ('q3', 'z', 1))
    AS t(query_id, item_id, relevance)"""
DCG = (1 / log2(3) + 2 / log2(4) + 1 + 0) / 3
UNGRADED_DCG = (1 / log2(3) + 1 / log2(4) + 1 + 0) / 3
RR = (1 / 2 + 1 + 0) / 3

LITTLE = f"CREATE TABLE predictions AS FROM {PREDICTIONS}; CREATE TABLE truth AS FROM {TRUTH}"

Connection = duckdb.DuckDBPyConnection


def little() -> Connection:
    """Create a connection with the tables `predictions` and `truth`."""
    connection = duckdb.connect()
    connection.execute(LITTLE)
    return connection


def overall(predictions: Any, truth: Any = "truth", metric: str = "dcg", **options: Any) -> float | None:
    """Return the overall value of one metric, on a fresh connection unless one is given."""
    return evaluation(predictions, truth, metric, **options)[metric]


def evaluation(
    predictions: Any = "predictions", truth: Any = "truth", metric: str = "rr", **options: Any
) -> Evaluation:
    options.setdefault("connection", little())
    return duckmetrics.evaluate(predictions, truth, metric, **options)
