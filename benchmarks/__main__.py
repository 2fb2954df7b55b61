"""``python -m benchmarks``: duckmetrics against other tools, and against the bare work of DuckDB.

``python -m benchmarks environments`` makes the environments of peers that conflict with the others,
``python -m benchmarks page`` writes the page again from the last results, ``python -m benchmarks shapes``
runs over tables of many shapes, and ``python -m benchmarks record`` evaluates a billion rows.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.data import generate
from benchmarks.environments import versions
from benchmarks.report import Outcome, write
from benchmarks.timing import FailedError, Run, run
from benchmarks.works import SUITES, WORKS, Work, command

RESULTS = Path("benchmarks/results")
DATA = Path("benchmarks/.data")
# Commands that are modules of their own.
COMMANDS = ("environments", "record", "shapes")


def main() -> None:
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suites", nargs="*", help=f"suites to run: {', '.join(SUITES)}; all by default")
    parser.add_argument("--folder", type=Path, default=DATA, help="folder of the data")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--rows", type=int, default=10_000_000, help="number of predictions")
    parser.add_argument("--runs", type=int, default=5, help="counted turns")
    parser.add_argument("--only", default="", metavar="TEXT", help="works whose name contains this")
    options = parser.parse_args()
    if options.suites == ["page"]:
        write(options.output)
        return
    if unknown := set(options.suites) - set(SUITES):
        parser.error(f"no suite {', '.join(unknown)}; choose from {', '.join(SUITES)}")
    for work in WORKS:
        if work.suite in (options.suites or SUITES) and options.only in work.name:
            outcome = compete(work, options.folder.absolute(), options.rows, options.runs)
            print("\n".join(outcome.lines()), flush=True)
            write(options.output, outcome)


def compete(work: Work, folder: Path, rows: int, turns: int) -> Outcome:
    """Run the work with all contestants in turns, after one turn that does not count."""
    outcome = Outcome(work, rows, place())
    places = {
        name: generate(folder, work.data.get(name, work.data_set), rows * work.rows.get(name, 1))
        for name in work.contestants
    }
    for turn in range(turns + 1):
        known: dict[Path, dict[str, float]] = {}
        for name, contestant in work.contestants.items():
            if name in outcome.failures:
                continue
            try:
                found = run(command(contestant), places[name])
            except FailedError as error:
                outcome.failures[name] = str(error)
                continue
            agree(work, name, found, known.setdefault(places[name], {}), contestant.tolerance)
            if turn:
                outcome.runs[name].append(found)
    return outcome


def place() -> str:
    """Return the machine, and the versions of what runs on it."""
    peers = (contestant.peer for work in WORKS for contestant in work.contestants.values())
    return (f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
            f"{versions(dict.fromkeys(peers))}")  # fmt: skip


def agree(work: Work, name: str, found: Run, known: dict[str, float], tolerance: float) -> None:
    """Compare the values with those of earlier contestants on the same data.

    Raises:
        SystemExit: they differ.
    """
    for metric, value in found.values.items():
        if not abs(value - known.setdefault(metric, value)) <= tolerance:
            sys.exit(f"{work.name}: {metric} of {name} is {value}, not {known[metric]}")


if __name__ == "__main__":
    main()
