"""Files that change between two readings, so that two numbers would be of different rows."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

# The time of the last change in nanoseconds, the size in bytes, and the number of a file on its disk.
State = tuple[int, int, int]
WHILE = "changed while it was read, so that the checks and the numbers may be of different rows"
SINCE = "changed after it was evaluated, so that this would be about other rows than the values"


def states_of(pattern: str) -> dict[str, State]:
    """Return the state of each file that matches a pattern."""
    return {path: _state(path) for path in glob.glob(pattern, recursive=True)}


def refuse_changed(states: Mapping[str, State], what: str) -> None:
    """Refuse files that are not in these states any more.

    Args:
        what: what is wrong with such a file.

    Raises:
        InputError: names the first one.
    """
    for path, state in states.items():
        if _state(path) != state:
            raise InputError(path, what, "evaluate it again, or copy it first")


def _state(path: str) -> State:
    """Return the state of a file, zeros if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
