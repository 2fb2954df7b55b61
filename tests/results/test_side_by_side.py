"""Values side by side: the width of the screen, the best values, and missing values."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.results.grid import blocks_of, footer_of

TRUTH = "SELECT * FROM (VALUES (1, 10, 1), (2, 20, 1), (3, 30, 1)) AS t (query_id, item_id, relevance)"
METRICS = ["mrr", "hit_rate@1", "mean_rank"]


def run(*ranks: int) -> str:
    """Return a system with the relevant item of each query at the given place, behind other items."""
    rows = [
        f"({query}, {query * 10 if place == rank else 100 * query + place}, {-place})"
        for query, rank in enumerate(ranks, start=1) for place in range(1, 6)
    ]  # fmt: skip
    return f"SELECT * FROM (VALUES {', '.join(rows)}) AS t (query_id, item_id, score)"


def rows_of(values: str) -> str:
    return f"SELECT * FROM (VALUES {values}) AS t (m, label, score)"


@cache
def evaluated(**options: Any) -> duckmetrics.Evaluation:
    systems = {"good": run(1, 1, 2), "bad": run(3, 3, 3), "fair": run(1, 2, 2)}
    return duckmetrics.evaluate(None, TRUTH, METRICS, system=systems, **options)


def shown(values: list[Any]) -> list[str]:
    """Return the first words of the names of slices; the text NULL has quotes."""
    return ["NULL" if v is None else repr(v) if v in ("NULL", "") else str(v).split()[0] for v in values]


def cells(result: duckmetrics.Evaluation, width: int = 80) -> list[list[str]]:
    (block,) = blocks_of(result, width)
    return [block.header, *([cell.strip() for cell in row] for row in block.cells)]


def test_a_row_is_a_metric_and_a_column_a_system() -> None:
    assert cells(evaluated()) == [
        ["metric", "bad", "fair", "good"],
        ["mrr", "0.3333", "0.6667", "0.8333*"],
        ["hit_rate@1", "0.0000", "0.3333", "0.6667*"],
        ["mean_rank ↓", "3.0000", "1.6667", "1.3333*"],
    ]


def test_systems_that_do_not_fit_stand_below_each_other_the_best_first() -> None:
    for block in blocks_of(evaluated(), 30):
        assert [row[0] for row in block.cells] == ["good", "fair", "bad"]


@pytest.mark.parametrize("width", [20, 30, 40, 60])
def test_blocks_fit_the_screen_and_hold_every_metric(width: int) -> None:
    blocks = blocks_of(evaluated(), width)
    assert all(len(line) <= width for block in blocks for line in block.lines(width))
    if blocks[0].header[0] == "system":
        shown = [name.removesuffix(" ↓") for block in blocks for name in block.header[block.keys :]]
        assert shown == METRICS


def test_equal_values_have_no_best() -> None:
    systems = {"a": run(1, 1, 2), "b": run(1, 2, 1)}
    result = duckmetrics.evaluate(None, TRUTH, "mrr", system=systems)
    assert cells(result)[1] == ["mrr", "0.8333", "0.8333"]
    assert not any(line.startswith("*") for line in footer_of(result))


def test_values_closest_to_a_target_have_no_best() -> None:
    rows = rows_of("('a', 1, 0.5), ('a', 0, 0.4), ('b', 1, 0.9), ('b', 0, 0.9)")
    result = duckmetrics.evaluate(rows, metrics=["calibration_ratio", "log_loss"], system="m")
    lines = {row[0]: row[1:] for row in cells(result)[1:]}
    assert not any("*" in cell for cell in lines["calibration_ratio"])
    assert [("*" in cell) for cell in lines["log_loss ↓"]] == [True, False]


def test_slices_are_rows_and_the_overall_row_is_named() -> None:
    queries = "SELECT * FROM (VALUES (1, 'DE'), (2, 'DE'), (3, NULL)) AS t (query_id, country)"
    result = duckmetrics.evaluate(run(1, 2, 4), TRUTH, ["mrr"], by="country", queries=queries)
    assert cells(result) == [
        ["country", "n", "mrr"],
        ["(all)", "3", "0.5833"],
        ["DE", "2", "0.7500"],
        ["NULL", "1", "0.2500"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("names", [("delta", "verdict"), ("p", "interval"), ("±", "metric"), ("n", "system")])
def test_a_system_may_be_called_like_a_column(names: tuple[str, str]) -> None:
    old, new = names
    result = duckmetrics.compare({old: run(3, 2, 3), new: run(1, 1, 2)}, TRUTH, ["mrr"])
    assert result.lines(width=80)[0] == f"{new} does not clearly differ from {old}"
    assert result.lines(width=80)[4].split()[:3] == ["mrr", "0.3889", "0.8333"]
    evaluated = duckmetrics.evaluate(None, TRUTH, ["mrr"], system={old: run(3, 2, 3), new: run(1, 1, 2)})
    assert sorted(cells(evaluated)[1]) == ["0.3889", "0.8333*", "mrr"]


@pytest.mark.slow
@pytest.mark.parametrize("write", ["polars", "pyarrow"])
def test_slices_of_awkward_values_stay_apart(write: str) -> None:
    """The slices are lists, NaN, NULL next to the text NULL, and empty text."""
    columns: dict[str, list[Any]] = {
        "query_id": [1, 2, 3], "tags": [["a", "b"], [], None], "share": [math.nan, math.inf, None],
        "country": ["NULL", None, ""],
    }  # fmt: skip
    queries = pl.DataFrame(columns) if write == "polars" else pa.table(columns)
    options: dict[str, Any] = {"by": [["tags"], ["share"], ["country"]], "queries": queries}
    systems = {"a": run(1, 2, 4), "b": run(2, 1, 5)}
    result = duckmetrics.evaluate(None, TRUTH, ["mrr", "hit_rate@1"], system=systems, **options)
    (block,) = blocks_of(result, 100)
    assert len(block.cells) == len(result.rows) / 2 == 2 * (1 + 3 * 3)
    assert all(all(row[block.keys :]) for row in block.cells)
    compared = duckmetrics.compare(systems, TRUTH, ["mrr"], **options)
    lines = compared.lines(width=200)
    for name, values in columns.items():
        if name != "query_id":
            head = lines.index(f"mrr by {name}, the worst first")
            assert sorted(line.split()[0] for line in lines[head + 4 : head + 7]) == sorted(shown(values))


def test_the_best_of_a_slice_is_marked_in_the_slice() -> None:
    queries = "SELECT * FROM (VALUES (1, 'DE'), (2, 'DE'), (3, 'FR')) AS t (query_id, country)"
    systems = {"a": run(1, 1, 5), "b": run(2, 2, 1)}
    result = duckmetrics.evaluate(None, TRUTH, "mrr", system=systems, by="country", queries=queries)
    best = [row[:2] for row in cells(result) if "*" in row[-1]]
    assert best == [["(all)", "a"], ["DE", "a"], ["FR", "b"]]


def test_why_values_are_missing_is_said_once() -> None:
    rows = rows_of("('a', 1, 0.5), ('a', 0, 0.4), ('b', 1, 0.9), ('c', 1, 0.1)")
    result = duckmetrics.evaluate(rows, metrics=["auc"], system="m")
    assert cells(result)[1] == ["auc", "1.0000", "NULL", "NULL"]
    told = [line for line in footer_of(result) if line.startswith("NULL")]
    assert told == ["NULL: one class only: no negative row (auc b, auc c)"]


@pytest.mark.slow
def test_half_an_interval_stands_beside_the_value() -> None:
    result = evaluated(interval=0.9)
    row = next(row for row in result.rows if row["system"] == "fair" and row["metric"] == "mrr")
    half = (row["upper"] - row["lower"]) / 2
    assert cells(result)[1][2] == f"0.6667 ±{half:.4f}"
    assert "± half of a 90 % interval" in footer_of(result)


def test_one_system_without_slices_has_a_line_per_metric() -> None:
    result = duckmetrics.evaluate(run(1, 2, 4), TRUTH, ["mrr", "hit_rate@1"])
    assert not result.is_wide
    assert repr(result).splitlines()[0].split() == ["metric", "value", "n"]


def test_digits_stand_below_each_other() -> None:
    (block,) = blocks_of(evaluated(), 80)
    ends = [line.rindex(".") for line in block.lines(80)[2:]]
    assert all(one == other for one, other in pairwise(ends))


def test_a_comparison_of_two_shows_both_in_a_line() -> None:
    result = duckmetrics.compare({"old": run(3, 2, 3), "new": run(1, 1, 2)}, TRUTH, ["mrr"])
    verdict, _, header, _, line, *_ = result.lines(width=90)
    assert verdict == "new does not clearly differ from old"
    assert header.split()[:4] == ["metric", "from", "to", "change"]
    assert line.split()[:3] == ["mrr", "0.3889", "0.8333"]
    assert line.endswith("○ unclear")
    assert all(len(line) <= 90 for line in result.lines(width=90))
    narrow = result.lines(width=40)
    assert "change" in narrow[2]
    assert "interval" not in narrow[2]
