"""Many rows are kept in the order of their scores; this changes no value."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.engines import plans as plan_rules
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.engine import Feature
from duckmetrics.engines.plans import PLAN, SORTED
from duckmetrics.evaluation import shared_orders as sorted_rows
from duckmetrics.inputs.classification import GROUP
from support.cases import CATALOG
from support.footers import write_with_wrong_ends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.engine

# Evaluates rows; returns the results, and whether rows were kept in their order.
Evaluated = Callable[..., tuple[tuple[dict[str, Any], ...], bool]]

# The scores of 2,000 rows; i is the number of the row, r a number from 0 to 1, about the same for some rows.
SCORES = {
    "of 52 bits": "r",
    "of 23 bits": "CAST(r AS FLOAT)",
    "logits": "(r - 0.5) * 40",
    "tied": "CAST(floor(r * 40) / 40 AS DOUBLE)",
    "equal": "0.25e0",
    "rounded": "CASE WHEN i = 7 THEN 1e0 ELSE 0.001e0 + i % 9 * 1e-19 END",
    "zero with a sign": "CASE WHEN i % 3 = 0 THEN 0e0 WHEN i % 5 = 0 THEN -0e0 ELSE (r - 0.5) * 1e-18 END",
    "below and above one": "CASE WHEN i = 7 THEN 1e9 ELSE (i % 50) * 5e-324 END",
    "without a scale": "(i % 50) * 5e-324",
    "large": "(r - 0.5) * 1.7e308",
    "of many sizes": "power(10e0, r * -300)",
}
ROWS = """
SELECT {label} AS label, {score} AS score
FROM (SELECT i, i * 7919 % 2003 / 2003e0 AS r FROM range(2000) AS rows(i))"""
LABELS = {"0 and 1": "CAST(i * i % 7 < 2 AS INT)", "-1 and 1": "if(i % 11 < 5, 1, -1)", "1": "1"}


def numbered(
    monkeypatch: pytest.MonkeyPatch, table: Any, fewest_rows: int, **options: Any
) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Evaluate rows that are all sorted; return the results, and whether they come from whole numbers."""
    monkeypatch.setattr(sorted_rows, "FEWEST_ROWS", fewest_rows)
    monkeypatch.setattr(DuckDBEngine, "features", DuckDBEngine.features | {Feature.NUMBER_SORTS})
    in_order = {"auc": {PLAN: SORTED}, "gini": {PLAN: SORTED}}
    monkeypatch.setattr(plan_rules, "plans", lambda *_: in_order)
    result = duckmetrics.evaluate(table, None, ["auc", "gini"], **options)
    return result.rows, "placed_numbers" in result.sql


@pytest.mark.some(3)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("parts", [1, 7])
def test_numbers_in_place_of_scores_change_nothing(
    parts: int, scores: str, labels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ROWS.format(score=SCORES[scores], label=LABELS[labels])
    monkeypatch.setattr(DuckDBEngine, "memory_limit", lambda _: 2000 * 8 * 5 / parts)
    (rows, by_numbers), (same, by_ranks) = (numbered(monkeypatch, table, n) for n in (1, 10**9))
    assert (by_numbers, by_ranks) == (scores != "without a scale", False)
    assert rows == same
    observations = duckdb.sql(table).fetchall()
    positives, negatives = ([s for label, s in observations if (label > 0) == one] for one in (True, False))
    if negatives:
        negatives.sort()
        won = sum(bisect_left(negatives, score) + bisect_right(negatives, score) for score in positives)
        assert rows[0]["value"] == won / 2 / (len(positives) * len(negatives))
    else:
        assert rows[0]["value"] is None


@pytest.mark.parametrize(
    ("most", "least"), [(2.0, 1.0), (1.5, 1.0), (0.001, 0.0005), (8.0, -16.0), (1e300, -1.0)]
)
def test_wrong_statistics_of_a_file_change_no_auc(
    most: float, least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = [1 + i * 7919 % 2003 / 2002 for i in range(2003)]
    table = pa.table({"label": [i * i % 7 < 2 for i in range(2003)], "score": scores})
    write_with_wrong_ends(table, tmp_path / "rows.parquet", {2.0: most, 1.0: least})
    found, by_numbers = numbered(monkeypatch, tmp_path / "rows.parquet", 1)
    assert by_numbers
    assert found == numbered(monkeypatch, table, 10**9)[0]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "options",
    [
        {"by": "part", "weighted": False},
        {"system": "part", "weighted": False},
        {"cluster": "part", "interval": 0.9, "weighted": False},
    ],
    ids=str,
)
def test_rows_that_have_no_numbers(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "i % 2 AS label, i * 7 % 31 / 7e0 AS score, i % 3 AS part, 1 + i % 4 AS weight"
    table = f"SELECT {columns} FROM range(90) rows(i)"
    (rows, by_numbers), (same, _) = (numbered(monkeypatch, table, n, **options) for n in (1, 10**9))
    assert not by_numbers
    assert rows == same


def test_places_that_do_not_fit_into_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ROWS.format(score="r", label=LABELS["0 and 1"])
    for n_bytes, is_kept in ((2001 * 9 * 5, True), (2000 * 9 * 5 - 1, False)):
        monkeypatch.setattr(DuckDBEngine, "memory_limit", lambda _, n_bytes=n_bytes: n_bytes)
        assert of_thresholds(monkeypatch, table, 1)[1] == is_kept
        monkeypatch.undo()


@pytest.mark.parametrize("limit", ["500MB", "2GiB", "3.5TB"])
def test_the_memory_limit_is_in_bytes(limit: str) -> None:
    engine = DuckDBEngine(memory_limit=limit)
    number, unit = re.fullmatch(r"([\d.]+)(.*)", limit).groups()  # type: ignore[union-attr]
    expected = float(number) * {"MB": 1e6, "GiB": 1024**3, "TB": 1e12}[unit]
    assert engine.memory_limit() == pytest.approx(expected, rel=0.05)
    engine.close()


@pytest.mark.parametrize("limit", ["-1", "none"])
def test_no_limit_is_no_error(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB calls it 16383.9 PiB."""
    table = ROWS.format(score="r", label=LABELS["0 and 1"])
    found, is_kept = of_thresholds(monkeypatch, table, 1, memory_limit=limit)
    assert is_kept
    assert_alike(found, of_thresholds(monkeypatch, table, 10**9)[0])
    assert numbered(monkeypatch, table, 1, memory_limit=limit)[1]


# --- thresholds -------------------------------------------------------------------------------------


METRICS = [
    f"{metric.name}({', '.join(f'{n}=0.3' for n, param in metric.own_params.items() if param.required)})"
    for metric in CATALOG.metrics.values()
    if metric.family == CLASSIFICATION
    and GROUP not in metric.inputs["predictions"]
    and any(source.name == "thresholds" for source in CATALOG.foundations(metric))
]


def of_thresholds(
    monkeypatch: pytest.MonkeyPatch,
    table: str,
    fewest_rows: int,
    specs: Sequence[str] = METRICS,
    **options: Any,
) -> tuple[tuple[dict[str, Any], ...], bool]:
    """Evaluate rows with many scores; return the results, and whether they come from kept places."""
    monkeypatch.setattr(sorted_rows, "FEWEST_ROWS", fewest_rows)
    monkeypatch.setattr(plan_rules, "FEW_SCORES", 0)
    monkeypatch.setattr(plan_rules, "ROWS_PER_SCORE", 10**9)
    result = duckmetrics.evaluate(table, None, specs, **options)
    return result.rows, "placed_thresholds" in result.sql


def assert_alike(rows: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> None:
    """Compare results; sums in another order may differ in their last digits."""
    for row, other in zip(rows, others, strict=True):
        value = other["value"]
        assert row == {**other, "value": value if value is None else pytest.approx(value, rel=1e-12)}


@pytest.mark.some(2)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", [*SCORES, "infinite"])
def test_places_change_no_threshold(scores: str, labels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    infinite = "CASE WHEN i % 50 = 0 THEN CAST(if(i % 3 = 0, 'inf', '-inf') AS DOUBLE) ELSE r END"
    table = ROWS.format(score={**SCORES, "infinite": infinite}[scores], label=LABELS[labels])
    (rows, by_places), (same, by_groups) = (of_thresholds(monkeypatch, table, n) for n in (1, 10**9))
    assert (by_places, by_groups) == (True, False)
    assert len({row["value"] for row in rows}) > 5 or scores == "equal" or labels == "1"
    assert_alike(rows, same)


@pytest.mark.some(1)
@pytest.mark.parametrize("options", [{"by": "part"}, {"system": "part"}, {"weighted": True}], ids=str)
def test_rows_without_places(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "i % 2 AS label, i * 7 % 31 / 7e0 AS score, i % 3 AS part, 1 + i % 4 AS weight"
    table = f"SELECT {columns} FROM range(90) rows(i)"
    (rows, by_places), (same, _) = (
        of_thresholds(monkeypatch, table, n, **{"weighted": False, **options}) for n in (1, 10**9)
    )
    assert not by_places
    assert rows == same


def test_bins_beside_places(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ROWS.format(score="r", label=LABELS["0 and 1"])
    specs = ["auc(approx=10)", "ks", "auc", "average_precision"]
    (rows, by_places), (same, _) = (of_thresholds(monkeypatch, table, n, specs) for n in (1, 10**9))
    assert by_places
    assert rows[0]["value"] != rows[2]["value"]
    assert_alike(rows, same)


# --- both -------------------------------------------------------------------------------------------


@pytest.mark.some(3)
@pytest.mark.parametrize("setting", [
    "default_order = 'desc'", "default_null_order = 'nulls_first'", "null_order = 'postgres'",
])  # fmt: skip
@pytest.mark.parametrize("evaluated", [numbered, of_thresholds])
def test_other_orders_of_a_session_change_nothing(
    evaluated: Evaluated, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last row has no score, and a session may sort it first; AUC was 2 then."""
    found = []
    for settings in (setting, ""):
        with duckdb.connect() as connection:
            table = ROWS.format(score="greatest(r - 0.6, 0e0)", label=LABELS["0 and 1"])
            connection.execute(f"CREATE TABLE clicks AS {table}")
            connection.execute(f"SET {settings}" if settings else "SELECT 1")
            found.append(evaluated(monkeypatch, "clicks", 1, connection=connection))
    assert [is_kept for _, is_kept in found] == [True, True]
    assert_alike(found[0][0], found[1][0])


@pytest.mark.slow
@pytest.mark.parametrize("evaluated", [numbered, of_thresholds])
@pytest.mark.parametrize("digits", [2, 4, 15])
def test_many_threads_keep_the_order(
    evaluated: Evaluated, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = f"SELECT i % 13 < 3 AS label, round(sin(i * i), {digits}) AS score FROM range(700_000) rows(i)"
    found = []
    for fewest_rows in (1, 10**9):
        with duckdb.connect() as connection:
            connection.execute("SET threads = 8; SET preserve_insertion_order = false")
            connection.execute(f"CREATE TABLE clicks AS {rows}")
            found.append(evaluated(monkeypatch, "clicks", fewest_rows, connection=connection))
    assert [is_kept for _, is_kept in found] == [True, False]
    assert_alike(found[0][0], found[1][0])
