"""Every block of the README runs, and prints what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from duckmetrics.macros.shell import find
from support.cases import ROOT
from support.other_engines import spark_session

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = [
    (marker.strip(), language, text)
    for marker, language, text in re.findall(r"(?:<!-- (.*?) -->\n)?```(\w+)\n(.*?)```", README, re.DOTALL)
]
APART = ("test command", "spark command")
BASH = [text for marker, language, text in BLOCKS if language == "bash" and marker not in APART]


def run(command: str, folder: Path) -> str:
    """Run a block as a person would, but with the package under test and files in a scratch folder."""
    for made in ("data", "sql"):
        (folder / made).symlink_to(ROOT / made)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("COLUMNS", None)  # which pytest sets in some of its processes
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.some(1)
@pytest.mark.parametrize("block", BASH, ids=lambda block: block.split("\n")[0][:40])
def test_a_shell_block_runs(block: str, tmp_path: Path) -> None:
    command = re.sub(r"python3 -m venv .*? && \.venv/bin/pip install [^&]* && \.venv/bin/", "", block)
    out = run(command, tmp_path)
    assert out
    told = {marker: text for marker, _, text in BLOCKS if marker}
    for what, mark in (
        ("demo", "evaluate \\\n    data/digits"),
        ("conventions", "duckmetrics conventions"),
        ("compare", "--baseline blocks"),
        ("ab", "duckmetrics ab"),
    ):
        if mark not in command:
            continue
        printed = told[f"{what} output"]
        assert [line.rstrip() for line in out.splitlines()] == printed.rstrip().splitlines()


@pytest.mark.spark
def test_the_block_for_spark_runs(tmp_path: Path) -> None:
    spark_session()  # skips where there is none
    (block,) = (text for marker, _, text in BLOCKS if marker == "spark command")
    assert "0.2168" in run(block, tmp_path)
    assert (tmp_path / "values.parquet/_SUCCESS").exists()


@pytest.mark.slow
def test_the_session_in_the_shell_prints_what_it_says() -> None:
    """Through the real DuckDB shell, in the folder of the README."""
    told = {marker: text for marker, _, text in BLOCKS if marker}
    done = subprocess.run(
        [find(), "-init", "sql/duckmetrics.sql"], input=told["shell session"], cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    problem = re.sub(r".*?(?=Invalid Input)|\x1b\[[0-9;]*m", "", done.stderr, flags=re.DOTALL)
    assert done.stdout + problem.strip() + "\n" == told["shell output"]


@pytest.mark.slow
def test_the_python_block_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    for block in [text for _, language, text in BLOCKS if language == "python"]:
        exec(compile(block, "README.md", "exec"), {})
        overall, worst = map(float, capsys.readouterr().out.split())
        assert 0 < worst < overall < 1


def test_both_commands_stand_in_the_readme_and_make_their_environment() -> None:
    marked = {marker: text for marker, _, text in BLOCKS if marker}
    for name in ("demo command", "test command"):
        assert marked[name].startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert marked["test command"].rstrip().endswith("pytest")


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
