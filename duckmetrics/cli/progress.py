"""A progress bar on stderr for queries that run longer than a moment."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from duckmetrics.engines.engine import Engine

PATIENCE = 1.0
INTERVAL = 0.2


@contextmanager
def bar(percent: Callable[[], float | None], what: str = "evaluating") -> Iterator[None]:
    """Poll `percent` in the background and draw it until the block ends."""
    done = threading.Event()
    watcher = threading.Thread(target=_draw, args=(percent, done, what), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _draw(percent: Callable[[], float | None], done: threading.Event, what: str) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=100)
        while not done.wait(INTERVAL):
            progress.update(task, completed=percent() or 0)


@contextmanager
def progress_of(engine: Engine) -> Iterator[None]:
    """Show a bar on stderr while a query runs for long, if somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    engine.watch()
    with bar(engine.progress):
        yield
