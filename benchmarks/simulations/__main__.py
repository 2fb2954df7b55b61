"""``python -m benchmarks.simulations [TOPIC …]``: do intervals and tests keep what they promise?

Every module of this folder is a topic, and has a function ``lines(repetitions)`` that yields its page.
"""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from pathlib import Path

import benchmarks.simulations


def main() -> None:
    topics = [module.name for module in pkgutil.iter_modules(benchmarks.simulations.__path__)]
    topics.remove("__main__")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"{', '.join(topics)}; all by default")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/simulations"))
    options = parser.parse_args()
    for topic in options.topics or topics:
        if topic not in topics:
            parser.error(f"{topic}: no such topic; choose from {', '.join(topics)}")
        page = [
            f"# Simulations: {topic.replace('_', ' ')}\n",
            f"{options.repetitions:,} repetitions; intervals of 95 %, tests at 5 %.\n",
        ]
        print(*page, sep="\n")
        for line in import_module(f"benchmarks.simulations.{topic}").lines(options.repetitions):
            page.append(line)
            print(line, flush=True)
        (options.output / f"{topic}.md").write_text("\n".join(page) + "\n", "utf-8")


if __name__ == "__main__":
    main()
