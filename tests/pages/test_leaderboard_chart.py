"""The chart of a leaderboard: its systems in their order, with the numbers of the result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import Leaderboard, MetricError
from duckmetrics.words.verdicts import UNTESTED
from support.command_line import Command, exports, run
from support.drawings import of_class, parsed, texts
from support.leaderboards import board, values
from support.reports import HOSTILE, Page

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["board", "exports", "run"]


def test_the_chart_has_the_rows_of_the_result(board: Leaderboard) -> None:
    chart = board.chart()
    for row, drawn in zip(board.rows, chart.data.to_pylist(), strict=True):
        assert {name: row[name] for name in drawn} == drawn
    assert chart.title == (
        "By quality, new and old share the first tier of 4 systems: they do not clearly differ"
    )
    assert chart.description.startswith("overall: new: 1.0")


def test_systems_that_no_test_finds_worse_are_dots_and_the_others_rings(board: Leaderboard) -> None:
    drawing = parsed(board.chart().svg())
    first = [row["rank_lower"] == 1 for row in board.rows if row["value"] is not None]
    kinds = {kind: len(of_class(drawing, "g", kind)) for kind in ("s0", "s1")}
    assert kinds == {"s0": first.count(False), "s1": first.count(True)}
    assert sum(first) < len(first)


def test_a_system_that_was_not_tested_is_not_called_worse(board: Leaderboard) -> None:
    rows = [
        {**row, "rank_lower": None, "rank_upper": None, "tier": None, "verdict": UNTESTED}
        for row in board.rows
    ]
    drawing = parsed(replace(board, rows=tuple(rows)).chart().svg())
    assert {kind: len(of_class(drawing, "g", kind)) for kind in ("s0", "s1")} == {"s0": 0, "s1": 0}
    assert "not tested" in texts(drawing)
    assert "another is better" not in texts(drawing)
    assert "not tested" not in texts(parsed(board.chart().svg()))


def test_slices_have_headings_with_their_size_or_each_row_has_its_own(board: Leaderboard) -> None:
    said = texts(parsed(board.chart().svg()))
    assert "DE, n = 20" in said
    assert "JP, n = 40" in said  # the system without a value has none
    assert "overall" in said
    assert "n = 20" in said
    assert "n = 60" in said


def test_a_chart_without_slices_has_no_heading_but_the_size(tmp_path: Path) -> None:
    three = values().filter(pc.not_equal(values()["system"], "far")).drop_columns("country")
    chart = duckmetrics.from_values(three).leaderboard().chart()
    said = texts(parsed(chart.svg()))
    assert "n = 60" in said
    assert "overall" not in said
    chart.save(tmp_path / "systems.svg")
    chart.save(tmp_path / "systems.svg")  # an output of ours
    (tmp_path / "notes.svg").write_text("mine", "utf-8")
    with pytest.raises(duckmetrics.InputError, match=r"notes\.svg"):
        chart.save(tmp_path / "notes.svg")
    assert (tmp_path / "notes.svg").read_text("utf-8") == "mine"


def test_each_metric_has_a_chart_and_others_are_refused() -> None:
    board = duckmetrics.from_values(values(2), lower_is_better="latency").leaderboard(allow_different=True)
    latency = board.chart(metric="latency")
    assert set(latency.data["metric"].to_pylist()) == {"latency"}
    assert latency.data["system"].to_pylist()[0] == "far"
    with pytest.raises(MetricError, match="did you mean 'latency'"):
        board.chart(metric="latenci")


def test_names_are_text_and_a_notebook_shows_the_chart(board: Leaderboard) -> None:
    page = Page(board.chart().page())
    assert HOSTILE[0] in page.text("th").replace(" ", "")  # a name may break into lines
    assert "<img" in board._repr_html_()


def test_more_rows_than_a_person_looks_at_are_refused() -> None:
    rows = values().drop_columns("country").append_column("q", values()["query_id"])
    board = duckmetrics.from_values(rows, by="q").leaderboard(allow_different=True)
    with pytest.raises(MetricError, match="244 rows are more than the 200"):
        board.chart()
    assert "<img" not in board._repr_html_()


def test_the_command_writes_the_chart(run: Command, tmp_path: Path) -> None:
    pq.write_table(values(), tmp_path / "values.parquet")
    table = str(tmp_path / "values.parquet")
    run("leaderboard", "--values", table, "--allow-different", "-o", str(tmp_path / "board.svg"))
    expected = (
        duckmetrics.from_values(tmp_path / "values.parquet").leaderboard(allow_different=True).chart().svg()
    )
    assert (tmp_path / "board.svg").read_text("utf-8") == expected
