"""Sums of units in one aggregate have the values of those in several."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import sqlglot

import duckmetrics as dm
from duckmetrics.compose.one_scan import in_one_scan
from duckmetrics.inference import row_units

pytestmark = pytest.mark.engine

ROWS = """
SELECT
    number % 2 AS label, 0.05 + 0.9 * (number * 37 % 101) / 101 AS score, number % 7 AS user_id,
    1 + number % 3 AS times, CASE WHEN number % 5 = 0 THEN 'b' ELSE 'a' END AS country
FROM range(200) AS rows(number)"""
SPECS = ("log_loss", "ne", "brier", "accuracy", "calibration_ratio", "f1")


def bounds(**options: Any) -> tuple[list[dict[str, Any]], str]:
    found = dm.evaluate(ROWS, metrics=SPECS, interval=True, cluster="user_id", **options)
    return list(found.rows), found.sql


@pytest.mark.some(0)
@pytest.mark.parametrize(
    "options", [{}, {"system": "country"}, {"columns": {"weight": "times"}}, {"by": "country"}], ids=str
)
def test_bounds_are_the_same(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rows, sql = bounds(**options)
    monkeypatch.setattr(row_units, "in_one_scan", lambda query: query)
    plain, several = bounds(**options)
    assert ("segments_rows" in sql) == ("columns" not in options)
    assert "segments_rows" not in several
    assert [row | {"lower": None, "upper": None, "value": None} for row in rows] == [
        row | {"lower": None, "upper": None, "value": None} for row in plain
    ]
    for name in ("value", "lower", "upper"):
        assert [row[name] for row in rows] == pytest.approx([row[name] for row in plain], rel=1e-12)


STEPS = """
WITH rows AS (SELECT 1 AS unit, 2 AS x FROM range(3)),
{}
SELECT one.unit, one.a, two.a AS b FROM one LEFT JOIN two ON two.unit = one.unit"""


@pytest.mark.parametrize(
    ("steps", "is_merged"),
    [
        ("one AS (SELECT unit, sum(x) AS a FROM rows GROUP BY unit),"
         " doubled AS (SELECT unit, 2 * x AS x FROM rows),"
         " two AS (SELECT unit, sum(x) AS a FROM doubled GROUP BY unit)", True),
        ("one AS (SELECT unit, sum(x) AS a FROM rows GROUP BY unit),"
         " two AS (SELECT unit, sum(x) AS a FROM rows WHERE x > 2 GROUP BY unit)", False),
        ("one AS (SELECT unit, sum(x) AS a FROM rows GROUP BY unit),"
         " moved AS (SELECT unit + 1 AS unit, x FROM rows),"
         " two AS (SELECT unit, sum(x) AS a FROM moved GROUP BY unit)", False),
        ("one AS (SELECT unit, sum(x) AS a FROM rows GROUP BY unit),"
         " two AS (SELECT x AS unit, sum(unit) AS a FROM rows GROUP BY x)", False),
        ("one AS (SELECT unit, sum(x) AS a FROM rows GROUP BY unit),"
         " numbered AS (SELECT unit, row_number() OVER (ORDER BY x) AS x FROM rows),"
         " two AS (SELECT unit, sum(x) AS a FROM numbered GROUP BY unit)", False),
    ],
)  # fmt: skip
def test_only_the_same_rows_are_merged(steps: str, is_merged: bool) -> None:
    query = sqlglot.parse_one(STEPS.format(steps), dialect="duckdb")
    merged = in_one_scan(query)
    assert (merged != query) == is_merged
    with duckdb.connect() as connection:
        texts = [tree.sql("duckdb") for tree in (query, merged)]
        assert connection.execute(texts[0]).fetchall() == connection.execute(texts[1]).fetchall()
