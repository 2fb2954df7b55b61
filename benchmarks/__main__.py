"""``python -m benchmarks``: duckmetrics beside DuckDB's bare join of the same two files.

Every contestant is a process of its own; the two of a comparison run in turns, and what counts is
the median of the ratios, because machines are noisy.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

FIVE = "ndcg@10,ndcg@100,map,mrr,precision@10"
TWENTY = (
    "ndcg@10,ndcg@100,map,mrr,precision@10,ndcg@5,ndcg(gain=exp2)@10,precision@5,precision@20,recall@5,"
    "recall@10,recall@100,f1@10,hit_rate@1,hit_rate@10,hits@10,dcg@10,map@10,r_precision,rbp"
)
JOIN = (
    "import duckdb; print(duckdb.sql('SELECT count(*), sum(score), sum(relevance) FROM {0} "
    "JOIN {1} USING (query_id, item_id)').fetchall())"
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/.data"), help="where the data go")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each command")
    options = parser.parse_args()
    generate(options.folder)
    os.chdir(options.folder)
    join = [sys.executable, "-c", JOIN.format("$$predictions.parquet$$", "$$truth.parquet$$")
            .replace("$$", '"')]  # fmt: skip
    comparisons = [
        ("five metrics, all checks / bare join", evaluate(FIVE), join),
        ("five metrics, duplicates not searched / bare join", evaluate(FIVE, "duplicates=count"), join),
        ("one metric (map), all checks / bare join", evaluate("map"), join),
        ("twenty metrics / one metric (map)", evaluate(TWENTY), evaluate("map")),
    ]
    print("10,000,000 predictions, 2,000,000 judgments, 100,000 queries; whole processes\n")
    print("| comparison | median ratio | smallest | largest | median seconds | beside |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, one, other in comparisons:
        pairs = [(seconds(one), seconds(other)) for _ in range(options.runs + 1)][1:]
        ratios = [a / b for a, b in pairs]
        medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
        print(f"| {name} | {statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} "
              f"| {medians[0]:.2f} | {medians[1]:.2f} |", flush=True)  # fmt: skip


def generate(folder: Path) -> None:
    """Write the two files, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / name).exists() for name in ("predictions.parquet", "truth.parquet")):
        text = Path(__file__).with_name("data.sql").read_text("utf-8")
        here = Path.cwd()
        os.chdir(folder)
        duckdb.execute(text)
        os.chdir(here)


def evaluate(metrics: str, *switches: str) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "duckmetrics",
        "evaluate",
        "predictions.parquet",
        "truth.parquet",
        "-m",
        metrics,
    ]
    return [*command, *(part for switch in switches for part in ("--set", switch))]


def seconds(command: list[str]) -> float:
    """Run a process from start to end and time it."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
