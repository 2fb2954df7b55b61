"""Whole processes: their time, their memory, and their output."""

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
        seconds: wall time, scaled up if a peer did a part of the work.
        cpu: the seconds that all threads of the process computed.
        mib: peak resident memory.
        values: the metrics it printed.
    """

    seconds: float
    cpu: float
    mib: float
    values: dict[str, float]


class FailedError(Exception):
    """A process ended with an error; the message is the last line that it wrote."""


# Runs a command and reports its seconds, CPU seconds, KiB and status. A separate process, because the peak
# memory of a child starts at that of its parent.
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as report:
    cpu = usage.ru_utime + usage.ru_stime
    json.dump([time.perf_counter() - start, cpu, usage.ru_maxrss, status], report)
"""


def run(arguments: list[str], folder: Path) -> Run:
    """Run a process in a folder.

    Raises:
        FailedError: it ended with an error.
    """
    # As in an installation: modules are compiled once, not at every start.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.NamedTemporaryFile("r") as report:
        launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, report.name, *arguments]
        found = subprocess.run(
            launched, capture_output=True, cwd=folder, env=environment, text=True, check=True
        )
        seconds, cpu, kib, status = json.load(report)
    if status:
        lines = found.stderr.strip().splitlines()
        raise FailedError(lines[-1] if lines else f"exit code {os.waitstatus_to_exitcode(status)}")
    values = values_of(found.stdout)
    return Run(seconds + values.pop("seconds_more", 0), cpu, kib / 1024, values)


def values_of(text: str) -> dict[str, float]:
    """Return the values of our JSON or a peer's; none if the text is not JSON."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return {}
    if not isinstance(found, dict):
        return {}
    if "rows" not in found:
        return {name: float(value) for name, value in found.items()}
    return {
        row["metric"] if row["system"] is None else f"{row['metric']} of {row['system']}": row["value"]
        for row in found["rows"]
    }
