"""Whole processes: how long they take, how much memory, and what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
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


# Runs a command and tells its seconds, KiB and status. A process of its own, because the peak memory of a
# child begins with that of its parent.
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as report:
    json.dump([time.perf_counter() - start, usage.ru_maxrss, status], report)
"""


def run(arguments: list[str], folder: Path) -> Run:
    """Run a process in a folder.

    Raises:
        FailedError: it ended with an error.
    """
    # As wherever it is installed: modules are compiled once, not at every start.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.NamedTemporaryFile("r") as report:
        launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, report.name, *arguments]
        found = subprocess.run(
            launched, capture_output=True, cwd=folder, env=environment, text=True, check=True
        )
        seconds, kib, status = json.load(report)
    if status:
        lines = found.stderr.strip().splitlines()
        raise FailedError(lines[-1] if lines else f"exit code {os.waitstatus_to_exitcode(status)}")
    values = values_of(found.stdout)
    return Run(seconds + values.pop("seconds_more", 0), kib / 1024, values)


def values_of(text: str) -> dict[str, float]:
    """The values of our JSON, of a peer's, or none of a text that is not JSON."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return {}
    if isinstance(found, dict) and "results" not in found:
        return {name: float(value) for name, value in found.items()}
    rows = found["results"] if isinstance(found, dict) else found
    if not isinstance(rows, list):
        return {}
    return {
        row["metric"] if row["system"] is None else f"{row['metric']} of {row['system']}": row["value"]
        for row in rows
    }
