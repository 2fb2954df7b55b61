"""``python -m benchmarks``: duckmetrics against other tools, and against the bare work of DuckDB."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.data import generate
from benchmarks.report import Outcome, write
from benchmarks.timing import FailedError, Run, run
from benchmarks.works import SUITES, WORKS, Work, command


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", help=f"suites to run: {', '.join(SUITES)}; all by default")
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/.data"), help="folder of the data")
    parser.add_argument(
        "--output", type=Path, default=Path("benchmarks/results"), help="folder of the results"
    )
    parser.add_argument("--rows", type=int, default=10_000_000, help="number of predictions")
    parser.add_argument("--runs", type=int, default=5, help="counted turns")
    parser.add_argument("--only", default="", metavar="TEXT", help="works whose name contains this")
    parser.add_argument(
        "--python", action="append", default=[], metavar="PEER=PATH",
        help="an interpreter for a peer of peers.py that conflicts with the others",
    )  # fmt: skip
    options = parser.parse_args()
    if unknown := set(options.suites) - set(SUITES):
        parser.error(f"no suite {', '.join(unknown)}; choose from {', '.join(SUITES)}")
    interpreters = dict(text.split("=", 1) for text in options.python)
    outcomes = []
    for work in WORKS:
        if work.suite in (options.suites or SUITES) and options.only in work.name:
            outcomes.append(
                compete(work, options.folder.absolute(), options.rows, options.runs, interpreters)
            )
            print("\n".join(outcomes[-1].lines()), flush=True)
            write(outcomes, options.output, options.rows, options.runs)


def compete(work: Work, folder: Path, rows: int, turns: int, interpreters: dict[str, str]) -> Outcome:
    """Run the work with all contestants in turns, after one turn that does not count."""
    outcome = Outcome(work)
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
                found = run(command(contestant, interpreters), places[name])
            except FailedError as error:
                outcome.failures[name] = str(error)
                continue
            agree(work, name, found, known.setdefault(places[name], {}), contestant.tolerance)
            if turn:
                outcome.runs[name].append(found)
    return outcome


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
