"""The output of a command on the sample data fits a screen of 100 columns and 40 lines."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from support.cases import ROOT
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS, LINES = 100, 48
# The lists of all commands and of all statistics are longer.
# A dozen tools have MAP of each of two systems.
MORE_LINES = {"help": 55, "test": 61, "conventions": 64}
SHOP = (
    "data/shop/recommendations.parquet data/shop/purchases.parquet --column query_id=user_id --system model"
)
CLICKS = "data/shop/impressions.parquet --column label=clicked --column score=pctr"
SPLIT = """\"SELECT user_id, if(user_id % 2 = 0, 'A', 'B') AS variant, sum(clicked) AS clicks,
    count(*) AS views, max(clicked) AS clicked FROM 'data/shop/impressions.parquet' GROUP BY user_id\""""
COMMANDS = {
    "evaluate": f"evaluate {SHOP} -m ndcg@10,map@10,hit_rate@5,mrr --by country "
    "--queries data/shop/users.parquet",
    "evaluate, one system": "evaluate data/digits/pixels.parquet data/digits/qrels.parquet "
    "--system system -m ndcg@10,map,precision@10 --interval 0.95",
    "evaluate, classifiers": f"evaluate {CLICKS} -m auc,log_loss,ece --by-each country --by-each device "
    "--by-each country,device",
    "compare": f"compare {SHOP} --baseline baseline -m ndcg@10,map@10,hit_rate@5",
    "leaderboard": f"leaderboard {SHOP} -m ndcg@10,map@10,hit_rate@5",
    "explain": f"explain {SHOP} --baseline baseline -m ndcg@10 --query 10191",
    "explain, groups": f"explain {SHOP} --baseline baseline -m ndcg@10 --by item_id",
    "ab": f"ab {SPLIT} --variant variant --control A -m clicks,clicks/views,clicked",
    "check": f"check {SHOP} -m ndcg@10,map@10",
    "check, classifiers": f"check {CLICKS}",
    "conventions": f"conventions {SHOP} -m map@10",
    "ties": f"ties {SHOP} -m map@10,ndcg@10",
    "curve": f"curve roc_curve {CLICKS}",
    "curve, bins": f"curve calibration_curve {CLICKS}",
    "test, counts": "test chi-square 3 7",
    "test, a table": "test chi-square data/shop/impressions.parquet --column row=device "
    "--column column=clicked",
    "test, values": f"test welch-t {SPLIT} --column arm=variant --column value=clicks --set control=A",
    "test, shares": f"test two-proportion-z {SPLIT} --column arm=variant --column hits=clicks "
    "--column n=views --set control=A",
    "test": "test --help",
    "presets": "presets",
    "dialects": "dialects",
    "help": "--help",
}


@pytest.mark.some(0)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_output_fits_a_screen(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    code, out, err = Command(capsys)(*shlex.split(COMMANDS[command]))
    assert code == 0, err
    lines = out.splitlines()
    assert 0 < len(lines) <= MORE_LINES.get(command, LINES)
    assert max(map(len, lines)) <= COLUMNS


def numbers(line: str) -> list[float]:
    return [float(cell) for cell in line.split(",")]


def test_a_long_table_is_thinned_on_the_screen_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    run = Command(capsys)
    command = shlex.split(COMMANDS["curve"])
    _, whole, err = run(*command, "--format", "csv")
    assert err == ""
    rows = whole.splitlines()[1:]
    _, shown, err = run(*command)
    _, first, *_, last = shown.splitlines()
    assert [float(cell) for cell in first.split()] == pytest.approx(numbers(rows[0]), rel=1e-5)
    assert [float(cell) for cell in last.split()] == pytest.approx(numbers(rows[-1]), rel=1e-5)
    assert f"of {len(rows):,} rows, at equal distances; -o FILE or --format csv gives all" in err
    assert run(*command, "-o", tmp_path / "roc.csv").err == ""
    assert (tmp_path / "roc.csv").read_text() == whole
