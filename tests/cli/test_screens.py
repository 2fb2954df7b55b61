"""Printed results: color on a terminal only, ASCII where a stream has no more, and plain text."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from duckmetrics.cli import output
from duckmetrics.words.verdicts import BETTER, UNCLEAR, WORSE
from support.command_line import exports, run
from support.made import Change, comparison, evaluation, experiment, value

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

CODES = re.compile(r"\x1b\[[0-9;]*m")
CHANGES = [
    Change("ndcg@10", 0.2168, 0.2656, 0.0099, BETTER),
    Change("mrr", 0.31, 0.25, 0.01, WORSE),
    Change("map", 0.1, 0.1, 0.01, UNCLEAR),
]


def printed(
    monkeypatch: pytest.MonkeyPatch, lines: list[str], terminal: bool, encoding: str = "utf-8"
) -> str:
    """Return what a stream gets."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n", write_through=True)
    monkeypatch.setattr("sys.stdout", stream)
    console = Console(file=stream, force_terminal=terminal, highlight=False, markup=False, emoji=False,
                      color_system="standard" if terminal else None, width=80)  # fmt: skip
    monkeypatch.setattr(output, "_console", lambda: console)
    output.print_screen(lines)
    return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


def test_color_stands_next_to_a_sign_and_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = comparison(CHANGES).lines(width=80)
    colored = printed(monkeypatch, lines, terminal=True)
    assert CODES.sub("", colored).splitlines() == lines
    for text in re.findall(r"\x1b\[[0-9;]+m([^\x1b]+)\x1b", colored):
        assert re.search(r"▲|▼", text), text
    assert "○" not in "".join(re.findall(r"\x1b\[[0-9;]+m([^\x1b]+)\x1b", colored))


@pytest.mark.parametrize("no_color", [False, True])
def test_a_pipe_and_no_color_have_none(monkeypatch: pytest.MonkeyPatch, no_color: bool) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    lines = comparison(CHANGES).lines(width=80)
    assert "\x1b[9" not in printed(monkeypatch, lines, terminal=no_color)


def test_a_console_is_colored_by_its_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert not output._console().is_terminal


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_a_stream_without_the_signs_gets_ascii(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    for result in (
        comparison(CHANGES), evaluation([value(s, "mrr", 0.5, 0.1) for s in "AB"], level=0.95),
        experiment([("clicks", 1.0, 1.2, 0.1, 0.01, BETTER)]),
    ):  # fmt: skip
        text = printed(monkeypatch, result.lines(width=80), terminal=False, encoding=encoding)
        assert "\\u" not in text
        text.encode(encoding)
        assert repr(result).encode(encoding)
    assert "^ better" in repr(comparison(CHANGES))


SYSTEMS = ("models.parquet", "t.parquet", "-m", "rr", "--system", "model")
ARMS = "SELECT i % 2 AS v, i % 3 AS x FROM range(40) AS t(i)"
COMMANDS = {
    "evaluate": ("evaluate", *SYSTEMS, "--interval", "0.9"),
    "compare": ("compare", *SYSTEMS, "--baseline", "A"),
    "ab": ("ab", ARMS, "--variant", "v", "--control", "0", "-m", "x"),
    "curve": ("curve", "roc_curve", "SELECT i % 2 AS label, i % 5 / 5 AS score FROM range(20) AS t(i)"),
    "check": ("check", "p.parquet", "t.parquet", "-m", "rr"),
    "ties": ("ties", "p.parquet", "t.parquet", "-m", "rr"),
    "chi-square": ("test", "chi-square", "3", "7"),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_plain_text_is_ascii_and_aligned(run: Command, command: str) -> None:
    done = run(*COMMANDS[command], "--format", "plain")
    assert done.code == 0, done.err
    assert done.out.isascii()
    assert done.out.endswith("\n")
    assert "\t" not in done.out


@pytest.mark.slow
def test_plain_text_has_all_columns(run: Command) -> None:
    compared = run(*COMMANDS["compare"], "--format", "plain").out
    assert {"effect_size", "wins/ties/losses", "mde"} <= {*compared.splitlines()[0].split()}
    tested = run(*COMMANDS["ab"], "--format", "plain").out
    assert {"control_value", "p_adjusted", "n_control", "statistic"} <= {*tested.splitlines()[2].split()}
    evaluated = run(*COMMANDS["evaluate"], "--format", "plain")
    assert {"system", "value", "lower", "upper", "n_missing"} <= {*evaluated.out.splitlines()[0].split()}
    assert evaluated.err.startswith("warning: ")
    side_by_side = run(*COMMANDS["evaluate"], "--format", "plain", "--wide").out
    assert side_by_side.splitlines()[0].split() == ["metric", "A", "B"]


@pytest.mark.slow
@pytest.mark.parametrize("format_", [(), ("--format", "table"), ("--format", "plain")])
def test_a_file_of_text_is_plain_and_can_be_written_again(run: Command, format_: tuple[str, ...]) -> None:
    for name in ("evaluate", "compare", "ab", "curve"):
        for _ in range(2):
            done = run(*COMMANDS[name], "-o", f"{name}.txt", *format_)
            assert done.code == 0, done.err
        with open(f"{name}.txt", encoding="utf-8") as file:
            assert file.read().isascii()
