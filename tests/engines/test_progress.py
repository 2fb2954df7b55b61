"""The progress line: its time, its content, its end, and the switch that turns it off."""

from __future__ import annotations

import io
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import MetricError
from duckmetrics.engines import progress
from support.command_line import exports, run
from support.little import RR, evaluation, little

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command_line import Command

__all__ = ["exports", "run"]

pytestmark = pytest.mark.engine

PATIENCE = progress.PATIENCE


class Screen(io.StringIO):
    """A stream that reports whether it is a terminal."""

    is_terminal = True

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """Replace stderr by a terminal, with a line that appears at once."""
    made = Screen()
    # pytest puts its own stream into sys before every test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made, modules=sys.modules))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    yield made
    duckmetrics.progress(True)


def shown(screen: Screen, percent: float | None = 42.0) -> str:
    """Return the output on the screen of a call that takes some time."""
    with progress.line(lambda: percent):
        end = time.monotonic() + 5
        while not screen.getvalue() and time.monotonic() < end and screen.is_terminal:
            time.sleep(0.005)
    return screen.getvalue()


def test_one_line_appears_and_goes_away(screen: Screen) -> None:
    written = shown(screen)
    assert "\n" not in written
    first, *_, last, rest = written.lstrip("\r").split("\r")
    assert first == progress.text_of("duckmetrics", 42.0, 0)
    assert (last.strip(), rest) == ("", "")
    assert len(last) >= len(first)


def test_what_the_line_says() -> None:
    assert progress.text_of("duckmetrics", 50.0, 65.2) == f"duckmetrics  [{12 * '='}{12 * ' '}]  50 %  1:05"
    assert progress.text_of("duckmetrics", 100.0, 3600) == f"duckmetrics  [{24 * '='}] 100 %  60:00"
    assert progress.text_of("writing", None, 2.9) == "writing  0:02"


def test_short_calls_show_nothing(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", PATIENCE)
    with progress.line(lambda: 42.0):
        time.sleep(0.01)
    assert screen.getvalue() == ""


@pytest.mark.parametrize("why", ["off", "no terminal", "closed"])
def test_nothing_is_shown(screen: Screen, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "off":
        duckmetrics.progress(False)
    screen.is_terminal = why != "no terminal"
    if why == "closed":
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=None))
    with progress.line(lambda: 42.0):
        time.sleep(0.05)
    assert screen.getvalue() == ""


def test_it_is_turned_on_again(screen: Screen) -> None:
    duckmetrics.progress(False)
    duckmetrics.progress(True)
    assert "42 %" in shown(screen)
    with pytest.raises(MetricError, match="neither True nor False; write progress"):
        duckmetrics.progress("off")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shell", "is_seen"), [(SimpleNamespace(kernel=1), True), (SimpleNamespace(), False)]
)
def test_a_notebook_is_no_terminal_and_shows_it(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, shell: Any, is_seen: bool
) -> None:
    screen.is_terminal = False
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    with progress.line(lambda: 42.0):
        time.sleep(0.05)
    assert ("42 %" in screen.getvalue()) is is_seen


def test_there_is_one_line_at_a_time(screen: Screen) -> None:
    with progress.line(lambda: 42.0), progress.line(lambda: 17.0):
        time.sleep(0.05)
    assert "42 %" in screen.getvalue()
    assert "17 %" not in screen.getvalue()
    # The next call has a line again.
    screen.seek(0)
    screen.truncate()
    assert " 8 %" in shown(screen, 8.0)


def test_a_call_from_python_shows_it(screen: Screen) -> None:
    clicks = {"label": [0, 1], "score": [0.2, 0.7]}
    assert duckmetrics.evaluate(clicks, metrics="auc")["auc"] == 1
    assert "duckmetrics  " in screen.getvalue()


def test_the_connection_of_a_caller_is_left_as_it_is(screen: Screen) -> None:
    connection = little()
    setting = "SELECT current_setting('enable_progress_bar')"
    connection.execute("SET enable_progress_bar = false")
    assert evaluation(connection=connection)["rr"] == RR
    assert connection.execute(setting).fetchall() == [(False,)]
    assert "duckmetrics  0:00" in screen.getvalue()
    # DuckDB shows its own bar; two would overwrite each other.
    screen.seek(0)
    screen.truncate()
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    assert evaluation(connection=connection)["rr"] == RR
    assert screen.getvalue() == ""


def test_an_error_ends_the_line(screen: Screen) -> None:
    def fails() -> None:
        with progress.line(lambda: 42.0):
            time.sleep(0.05)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fails()
    assert screen.getvalue().endswith(" \r")
    assert "42 %" in shown(screen)


def test_the_command_line_shows_it(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ("evaluate", "p.parquet", "t.parquet", "-m", "rr")
    quiet = run(*ask)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    watched = run(*ask)
    assert (watched.code, watched.out) == (0, quiet.out)
    assert "\rduckmetrics  " in watched.err
    assert "\r" not in quiet.err
