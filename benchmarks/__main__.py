"""``python -m benchmarks``: duckmetrics beside what people use today, and beside the bare work of DuckDB."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks import classification, ranking, shell
from benchmarks.timing import HEADER, compare, generate

SUITES = {"ranking": ranking, "classification": classification, "shell": shell}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", help=f"which of {', '.join(SUITES)}; all unless said otherwise")
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/.data"), help="where the data go")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each command")
    options = parser.parse_args()
    if unknown := set(options.suites) - SUITES.keys():
        parser.error(f"no suite {', '.join(unknown)}; choose from {', '.join(SUITES)}")
    folder = options.folder.absolute()
    for name in options.suites or SUITES:
        suite = SUITES[name]
        generate(folder, suite.SCRIPT, suite.FILES)
        os.chdir(folder)
        print(f"{suite.__doc__}\n\n{HEADER}", flush=True)
        for comparison in suite.COMPARISONS:
            print(compare(comparison, options.runs), flush=True)
        print()


if __name__ == "__main__":
    main()
