"""The report of a leaderboard: the words, ranks and tiers of the result, overall and in each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.words.verdicts import BY_MARGIN, ranks_of
from support.command_line import Command, exports, run
from support.leaderboards import SYSTEMS, board, values
from support.reports import Page

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics import Leaderboard

__all__ = ["board", "exports", "run"]


def test_the_report_says_what_the_result_says(board: Leaderboard, tmp_path: Path) -> None:
    report = board.report(tmp_path / "systems.html")
    assert (tmp_path / "systems.html").read_text("utf-8") == report.html
    assert report.verdict == f"{board.verdict}."
    page = Page(report.html)
    best = board.rows[0]
    assert f"rank {ranks_of(best)}" in page.shown
    assert "All systems were tested against each other." in page.shown
    for line in board.footer()[:-1]:
        assert line in page.shown
    numbers = page.numbers
    found = [
        dict(zip(numbers["places"], values, strict=True))
        for values in zip(*numbers["places"].values(), strict=True)
    ]
    assert len(found) == len(board.rows)
    for shown, row in zip(found, board.rows, strict=True):
        assert numbers["systems"][shown["system"]] == row["system"]
        for name in ("rank_lower", "rank_upper", "tier"):
            assert shown[name] == row[name]


def test_each_slice_has_its_ranks(board: Leaderboard) -> None:
    report = board.report()
    table = report.html[report.html.index("All systems in each slice") :]
    for country in ("DE", "JP"):
        assert f"country {country}" in table
    assert table.count(">far<") >= 2  # also where it has no value


def test_without_slices_or_chances_the_parts_are_left_out() -> None:
    plain = duckmetrics.from_values(values()).leaderboard(allow_different=True)
    page = Page(plain.report().html)
    assert "in each slice" not in page.shown
    assert all(row["probability_best"] is None for row in plain.rows)
    assert "chance of being the best" not in page.shown
    several = Page(duckmetrics.from_values(values(2)).leaderboard(allow_different=True).report().html)
    assert [one["name"] for one in several.numbers["metrics"]] == ["latency", "quality"]
    assert "Every metric" in several.shown


def test_a_verdict_has_a_column_where_a_margin_decides_it() -> None:
    known = duckmetrics.from_values(values())
    asked = known.leaderboard(allow_different=True, margin=100.0)
    verdicts = [row["verdict"] for row in asked.rows if row["verdict"] in BY_MARGIN]
    assert verdicts
    for verdict in verdicts:
        assert f'data-of="verdict">{verdict}</td>' in asked.report().html
    assert 'data-of="verdict"' not in known.leaderboard(allow_different=True).report().html


def test_ten_systems_are_a_small_page() -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"system": f"model {i:02}", "query_id": q, "metric": metric, "country": "JP" if q % 3 else "DE",
         "value": float(rng.normal(i / 20, 1))}
        for metric in ("one", "two", "three") for i in range(10) for q in range(90)
    ]  # fmt: skip
    ranked = duckmetrics.from_values(pa.Table.from_pylist(rows), by="country").leaderboard()
    html = ranked.report(title="Ten models").html
    assert len(html.encode()) < 120_000
    assert "<title>Ten models</title>" in html


def test_the_command_writes_it(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    import pyarrow.parquet as pq

    pq.write_table(values(), "values.parquet")
    words = ("--values", "values.parquet", "--allow-different", "-o", "systems.html")
    assert run("leaderboard", *words).code == 0
    page = Page((tmp_path / "systems.html").read_text("utf-8"))
    assert set(page.numbers["systems"]) == set(SYSTEMS)
    (tmp_path / "notes.html").write_text("mine", "utf-8")
    refused = run("leaderboard", *words[:-1], "notes.html")
    assert (refused.code, (tmp_path / "notes.html").read_text("utf-8")) == (2, "mine")


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_file_of_html_is_a_report(run: Command, tmp_path: Path, command: str) -> None:
    import pyarrow.parquet as pq

    pq.write_table(values(), tmp_path / "values.parquet")
    given = ("--values", str(tmp_path / "values.parquet"), *(("--baseline", "old", "--allow-different")
             if command == "compare" else ()))  # fmt: skip
    path = tmp_path / "x.html"
    assert run(command, *given, "-o", str(path)).code == 0
    assert Page(path.read_text("utf-8")).numbers["metrics"][0]["name"] == "quality"
    assert "<table" in run(command, *given, "--format", "html").out
