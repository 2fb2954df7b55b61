"""Two commands as whole processes in turns: the median of the ratios counts, as machines are noisy."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb


@dataclass(frozen=True)
class Command:
    """A process that prints a number, or our JSON."""

    arguments: list[str]


@dataclass(frozen=True)
class Comparison:
    """How many times as long the first command takes as the second."""

    name: str
    one: Command
    other: Command
    same_value: bool = True


def evaluate(table: str, metrics: str, *options: str, truth: str | None = None) -> Command:
    tables = [table] if truth is None else [table, truth]
    return Command([sys.executable, "-m", "duckmetrics", "evaluate", *tables, "-m", metrics,
                    "--format", "json", *options])  # fmt: skip


def python(program: str) -> Command:
    return Command([sys.executable, "-c", program])


def compare(comparison: Comparison, runs: int) -> str:
    """Run both commands in turns, after one uncounted turn, and return a line of a Markdown table.

    Raises:
        SystemExit: the two disagree on the value.
    """
    pairs = []
    for turn in range(runs + 1):
        first, second = run(comparison.one), run(comparison.other)
        if comparison.same_value and abs(first[1] - second[1]) > 1e-9:
            sys.exit(f"{comparison.name}: {first[1]} and {second[1]} differ")
        if turn:
            pairs.append((first[0], second[0], first[2], second[2]))
    ratios = [one / other for one, other, _, _ in pairs]
    seconds = [statistics.median(column) for column in list(zip(*pairs, strict=True))[:2]]
    memory = [max(column) / 1024 for column in list(zip(*pairs, strict=True))[2:]]
    return (f"| {comparison.name} | {statistics.median(ratios):.3g} | {min(ratios):.3g} | {max(ratios):.3g} "
            f"| {seconds[0]:.2f} | {seconds[1]:.2f} | {memory[0]:.0f} | {memory[1]:.0f} |")  # fmt: skip


HEADER = """| comparison | median ratio | smallest | largest | seconds | beside | peak MiB | beside |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def run(command: Command) -> tuple[float, float, int]:
    """Run a process from start to end: seconds, the value it printed, and its peak memory in KiB."""
    start = time.perf_counter()
    process = subprocess.Popen(command.arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = process.stdout.read().decode() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command.arguments)}: failed")
    return seconds, value_of(text), usage.ru_maxrss


def value_of(text: str) -> float:
    """The first value of our JSON, or the number printed."""
    found = json.loads(text)
    return float(found["results"][0]["value"] if isinstance(found, dict) else found)


def generate(folder: Path, script: str, files: tuple[str, ...]) -> None:
    """Write the files of a script, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / name).exists() for name in files):
        here = Path.cwd()
        os.chdir(folder)
        duckdb.execute(Path(__file__).with_name(script).read_text("utf-8"))
        os.chdir(here)
