"""Mistakes on the command line: the message names the place, the mistake and the fix, and the fix works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from duckmetrics.cli.exit_codes import BAD_INPUT
from support.command_line import run
from support.mistaken import CALLS, DATA, NDCG, WORDS, Mistake, write_all

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

__all__ = ["run"]

MISTAKES = [*WORDS, *DATA, *CALLS]
# Our own messages are `where: what; what next`, on one line unless there are several; click has its own form.
OURS = re.compile(r"duckmetrics: .+(; .+|did you mean .+)\n(  .+; .+\n)*")
CLICKS = re.compile(r"Usage: duckmetrics .*\nTry 'duckmetrics .*\n\nError: .+\n", re.DOTALL)


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistaken")
    write_all(folder)
    return folder


@pytest.mark.some(20)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.call)
def test_a_mistake_is_named_with_what_to_do(run: Command, mistake: Mistake) -> None:
    code, out, err = run(*shlex.split(mistake.call))
    assert (code, out) == (BAD_INPUT, "")
    assert "Traceback" not in err
    assert "internal error" not in err
    assert OURS.fullmatch(err) or CLICKS.fullmatch(err), err
    assert mistake.wrong.strip() in err
    assert mistake.right.strip() in err
    if mistake.right in (meant := re.findall(r"did you mean '(.+)'\?", err)):
        assert meant == [mistake.right]


@pytest.mark.some(2)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.call)
def test_what_is_advised_works(run: Command, mistake: Mistake) -> None:
    code, _, err = run(*mistake.mended)
    assert code == 0, err


def test_there_are_more_than_fifty() -> None:
    assert len({mistake.call for mistake in MISTAKES}) == len(MISTAKES) > 50


@pytest.mark.slow
def test_a_comma_too_many_is_no_mistake(run: Command) -> None:
    assert run(*shlex.split(f"{NDCG},")) == run(*shlex.split(NDCG))


def test_one_class_only_has_no_auc_and_a_reason(run: Command) -> None:
    code, out, _ = run("evaluate", "ones.csv", "-m", "auc")
    assert code == 0
    assert "one class only: no negative row" in out


@pytest.mark.slow
def test_a_database_that_another_program_writes_to(run: Command, exports: Path) -> None:
    writer = "import duckdb, sys; c = duckdb.connect('busy.duckdb'); print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", writer], cwd=exports, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        code, out, err = run("evaluate", "recs", "truth", "-m", "mrr", "--database", "busy.duckdb")
        other.communicate()
    assert (code, out) == (BAD_INPUT, "")
    assert "busy.duckdb: " in err
    assert err.endswith("; close the program that writes to it, or copy the file\n")
    assert run(*shlex.split("evaluate run.parquet truth.parquet -m mrr --database busy.duckdb")).code == 0
