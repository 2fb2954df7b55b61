"""One line on stderr that shows the progress of a long call."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# The seconds before the line appears, and between two of its states.
PATIENCE, INTERVAL = 2.0, 0.2
# The characters of the bar.
STEPS = 24


@dataclass
class _Switch:
    is_on: bool = True


_SWITCH = _Switch()
# Held while a line is shown, because two would overwrite each other.
_ONLY = threading.Lock()


def progress(show: bool) -> None:
    """Turn the line of progress on or off, for all later calls of this process.

    A call that takes longer than two seconds shows one line on stderr, if that is a terminal or a notebook.
    The line disappears at the end of the call.

    Args:
        show: True for on, False for off.

    Raises:
        MetricError: `show` is neither True nor False.

    Example:
        duckmetrics.progress(False)
        duckmetrics.progress(True)
    """
    if not isinstance(show, bool):
        raise MetricError("progress", f"{show!r} is neither True nor False", "write progress(False)")
    _SWITCH.is_on = show


def is_watched() -> bool:
    """Return whether a line would be seen: it is turned on, and stderr is a terminal or a notebook."""
    if not _SWITCH.is_on or sys.stderr is None:
        return False
    return sys.stderr.isatty() or _is_notebook()


def _is_notebook() -> bool:
    """Return whether IPython runs with a kernel, as in Jupyter."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def line(percent: Callable[[], float | None], what: str = "duckmetrics") -> Iterator[None]:
    """Show a line until the block ends, if somebody watches and no other line is shown.

    Args:
        percent: called repeatedly in a thread of its own; returns None if the percentage is unknown.
    """
    if not is_watched() or not _ONLY.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_draw, args=(percent, done, what), daemon=True)
    try:
        watcher.start()
        yield
    finally:
        done.set()
        watcher.join()
        _ONLY.release()


def _draw(percent: Callable[[], float | None], done: threading.Event, what: str) -> None:
    start = time.monotonic()
    if done.wait(PATIENCE):
        return
    longest = 0
    while not done.wait(INTERVAL):
        text = text_of(what, percent(), time.monotonic() - start)[: shutil.get_terminal_size().columns - 1]
        longest = max(longest, len(text))
        _write(f"\r{text:<{longest}}")
    if longest:
        _write(f"\r{'':<{longest}}\r")


def text_of(what: str, percent: float | None, seconds: float) -> str:
    """Write the line: what is done, how much of it if that is known, and the time since the start."""
    elapsed = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    if percent is None:
        return f"{what}  {elapsed}"
    full = int(STEPS * min(percent, 100) / 100)
    return f"{what}  [{'=' * full:<{STEPS}}] {percent:3.0f} %  {elapsed}"


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
