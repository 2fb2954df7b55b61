"""``duckmetrics state`` and ``merge`` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.command_line import Command, exports, run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["exports", "run"]

ROWS = "SELECT * FROM (VALUES ({0}, 1, 0.9), ({0}, 0, 0.4)) AS t(day, label, score)"


def test_days_are_merged(run: Command, exports: Path, tmp_path: Path) -> None:
    for day, is_day in (("1", "= 'q1'"), ("2", "<> 'q1'")):
        tables = [f"SELECT * FROM '{name}' WHERE query_id {is_day}" for name in ("p.parquet", "t.parquet")]
        state = ("state", *tables, "-m", "rr,dcg", "--by", "country", "--queries", "users.parquet")
        outcome = run(*state, "-o", tmp_path / f"{day}.state.parquet")
        assert (outcome.code, outcome.out) == (0, f"{tmp_path / day}.state.parquet: rr, dcg\n"), outcome.err
    whole = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--format", "json")
    gate = ("--fail-if", "rr < 2", "--log", tmp_path / "runs.duckdb", "--by", "country", "-m", "rr")
    merged = run("merge", tmp_path / "*.parquet", *gate, "--format", "json")
    assert merged.code == 1
    assert "gate failed: rr < 2" in merged.err
    rows = json.loads(merged.out)["rows"]
    assert rows[0]["value"] == json.loads(whole.out)["rows"][0]["value"]
    assert {row["country"] for row in rows[1:]} == {"DE", "FR", None}
    assert "rr" in run("runs", tmp_path / "runs.duckdb").out


def test_clicks_with_a_grid(run: Command, tmp_path: Path) -> None:
    for day in (1, 2):
        path = tmp_path / f"{day}.state.parquet"
        assert run("state", ROWS.format(day), "-m", "auc", "--by", "day", "--grid", 10, "-o", path).code == 0
    outcome = run("merge", tmp_path, "--by", "day")
    assert (outcome.code, "multiples of 1/10" in outcome.err) == (0, True)
    assert "1.0000" in outcome.out


def test_wrong_uses_have_an_answer(run: Command, tmp_path: Path) -> None:
    path = tmp_path / "1.parquet"
    cases = {
        ("state", ROWS.format(1), "-m", "auc"): "Missing option '-o'",
        ("state", ROWS.format(1), "-m", "auc", "-o", tmp_path / "s.csv"): "the suffix says csv",
        ("state", "-m", "auc", "-o", path): "Missing argument 'PREDICTIONS'",
        ("state", ROWS.format(1), "-m", "auc", "--grid", "0", "-o", path): "0 is not in the range",
        ("merge",): "Missing argument 'STATES...'",
        ("merge", path): "no such file; write it with 'duckmetrics state'",
        ("merge", path, "--interval-method", "bootstrap"): "add interval=0.95",
    }
    for words, message in cases.items():
        outcome = run(*words)
        assert (outcome.code, message in outcome.err) == (2, True), (words, outcome.err)
