"""Whole processes: how long they take, how much memory, and what they print."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One process from start to end.

    Attributes:
        seconds: wall time; of a peer that did a part of the work, with the rest scaled up.
        mib: the most memory that was resident.
        values: the metrics it printed.
    """

    seconds: float
    mib: float
    values: dict[str, float]


class FailedError(Exception):
    """A process ended with an error; the message is the last line that it wrote."""


def run(arguments: list[str], folder: Path) -> Run:
    """Run a process in a folder.

    Raises:
        FailedError: it ended with an error.
    """
    start = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=errors, cwd=folder)
        text = process.stdout.read().decode() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            errors.seek(0)
            lines = errors.read().decode().strip().splitlines()
            raise FailedError(lines[-1] if lines else f"exit code {process.returncode}")
    values = values_of(text)
    return Run(seconds + values.pop("seconds_more", 0), usage.ru_maxrss / 1024, values)


def values_of(text: str) -> dict[str, float]:
    """The values of our JSON, of a peer's, or none of a text that is not JSON."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return {}
    if not isinstance(found, dict):
        return {}
    if "results" not in found:
        return {name: float(value) for name, value in found.items()}
    return {row["metric"]: row["value"] for row in found["results"] if row["system"] is None}
