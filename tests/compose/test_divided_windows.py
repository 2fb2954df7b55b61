"""Windows over whole systems, divided for a cluster, have the values of the windows as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from duckmetrics.compose.one_scan import Ranges, divided

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACED = """
    SELECT system, slice, value,
        row_number() OVER (PARTITION BY system, slice ORDER BY value, query_id) - 1 AS place,
        (count(*) OVER (PARTITION BY system, slice) - 1) * 0.9 AS target,
        value - 2 * avg(abs(value)) OVER (PARTITION BY system, slice) AS distance
    FROM query_values
    WHERE value IS NOT NULL
"""
# A fifth of the values is 0, and a third of the rest is 1; some slices are NULL.
ROWS = """
    CREATE TABLE query_values AS
    SELECT 's' || i % 2 AS system, nullif(i % 3, 0) AS slice, i * 7919 % 10007 AS query_id,
        CASE WHEN i % 5 = 0 THEN 0 WHEN i % 3 = 0 THEN 1 WHEN i % 11 > 0 THEN i * 31 % 997 / 99e1 END AS value
    FROM range(3000) AS t(i)
"""


def written(steps: Sequence[tuple[str, exp.Query]]) -> str:
    *before, (_, last) = steps
    whole = last.copy()
    for name, step in before:
        whole = whole.with_(name, as_=step, copy=False)
    whole.set("hint", None)
    return whole.sql("duckdb")


@pytest.mark.parametrize(
    "edges", [(), (0.5,), (0.0, 0.0, 0.1, 0.3, 0.6, 0.9, 1.0, 1.0, 1.0)], ids=lambda edges: len(edges)
)
def test_values_are_the_same(edges: tuple[float, ...]) -> None:
    """Equal values may change places, so places are compared by value."""
    connection = duckdb.connect()
    connection.execute(ROWS)
    step = cast("exp.Select", sqlglot.parse_one(PLACED, dialect="duckdb"))
    text = written(divided("placed", step, Ranges("value", edges, "query_id")))
    order = "ORDER BY system, slice NULLS FIRST, place"
    found, wanted = (connection.sql(f"FROM ({query}) {order}").fetchall() for query in (text, PLACED))
    assert len(wanted) > 2500
    assert [row[:4] for row in found] == [row[:4] for row in wanted]
    assert all(own[4:] == pytest.approx(row[4:]) for own, row in zip(found, wanted, strict=True))


def test_no_window_has_the_keys_alone() -> None:
    """Parts of a frequent value are windows of their own."""
    step = cast("exp.Select", sqlglot.parse_one(PLACED, dialect="duckdb"))
    *_, (_, last) = divided("placed", step, Ranges("value", (0.0, 0.0, 0.5), "query_id"))
    (window,) = last.find_all(exp.Window)
    assert [key.name for key in window.args["partition_by"]] == [
        "system", "slice", "value_range", "range_part",
    ]  # fmt: skip
