"""``duckmetrics chart``: a picture of a result from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from duckmetrics.cli.completion import charts
from duckmetrics.cli.main import cli
from support.cases import ROOT
from support.command_line import Command
from support.drawings import parsed

if TYPE_CHECKING:
    from pathlib import Path

CANCER = str(ROOT / "data/breast_cancer/predictions.parquet")
DIGITS = (
    str(ROOT / "data/digits/pixels.parquet"),
    str(ROOT / "data/digits/qrels.parquet"),
    "--system",
    "system",
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


def test_it_writes_a_picture_and_prints_its_title(run: Command, tmp_path: Path) -> None:
    code, out, err = run("chart", "roc_curve", CANCER, "-o", "roc.svg")
    assert (code, out, err) == (0, "ROC: area 0.995\n", "")
    root = parsed((tmp_path / "roc.svg").read_text("utf-8"))
    title = root.find("title")
    assert title is not None
    assert title.text == "ROC: area 0.995"
    assert run("chart", "roc_curve", CANCER, "-o", "roc.svg").code == 0  # our own file is replaced


def test_it_writes_a_page(run: Command, tmp_path: Path) -> None:
    assert run("chart", "gains_curve", CANCER, "-o", "gains.html", "--param", "bins=5").code == 0
    assert (
        (tmp_path / "gains.html")
        .read_text("utf-8")
        .startswith("<!-- written by duckmetrics --><!doctype html>")
    )


@pytest.mark.slow
def test_with_a_baseline_it_draws_changes(run: Command) -> None:
    code, out, _ = run(
        "chart", "intervals", *DIGITS, "-m", "ndcg@10,mrr", "--baseline", "blocks", "-o", "x.svg"
    )
    assert (code, out) == (0, "Against blocks, pixels: better on 2 metrics\n")
    code, out, _ = run("chart", "intervals", *DIGITS, "-m", "mrr", "-o", "x.svg")
    assert (code, out) == (0, "mrr is 0.882 [0.846, 0.919] of blocks and 0.9975 [0.9926, 1.0024] of pixels\n")


def test_names_of_charts_complete() -> None:
    assert [item.value for item in charts(click.Context(cli), click.Argument(["chart"]), "cal")] == [
        "calibration_by_slice", "calibration_curve",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--interval", "0.9"), "takes no --interval"), (("--cluster", "day"), "takes no --cluster"),
        (("-m", "auc"), "takes no -m"), (("--by", "day"), "takes no slices; draw the rows of a slice with"),
    ],
)  # fmt: skip
def test_a_curve_refuses_what_it_does_not_read(run: Command, options: tuple[str, ...], message: str) -> None:
    code, _, err = run("chart", "roc_curve", CANCER, "-o", "roc.svg", *options)
    assert code == 2
    assert message in err


def test_cut_offs(run: Command) -> None:
    code, out, _ = run("chart", "at_k", *DIGITS, "-m", "ndcg", "--k", "1,5", "-o", "k.svg")
    assert (code, out) == (
        0,
        "ndcg of pixels is above blocks at every cut-off from 1 to 5, by 0.175 to 0.185\n",
    )
    assert (
        "--k 'a': write cut-offs, such as --k 1,5,10"
        in run("chart", "at_k", *DIGITS, "--k", "a", "-o", "k.svg").err
    )


def test_it_refuses_before_it_computes(run: Command, tmp_path: Path) -> None:
    def refused(*arguments: str) -> str:
        code, out, err = run("chart", *arguments)
        assert (code, out) == (2, "")
        return err

    said = refused("roc_curve", "nowhere.parquet", "-o", "x.png")
    assert said.startswith("duckmetrics: x.png: a chart is written as SVG or HTML; call it x.svg or x.html")
    assert "no such chart; did you mean 'roc_curve'?" in refused("roc_curv", "nowhere.parquet", "-o", "x.svg")
    assert "add --baseline SYSTEM" in refused("differences", *DIGITS, "-o", "x.svg")
    assert "add --baseline SYSTEM" in refused("slices", *DIGITS, "--of", "pixels", "-o", "x.svg")
    assert "Missing option '-o'" in refused("roc_curve", CANCER)
    assert "is of rankings, and this is a classifier" in refused("at_k", CANCER, "-o", "x.svg")
    (tmp_path / "mine.svg").write_text("<svg/>")
    assert "exists and is not an svg file of duckmetrics" in refused(
        "roc_curve", "nowhere.parquet", "-o", "mine.svg"
    )
    assert not (tmp_path / "x.svg").exists()
