"""The DuckDB shell with the macros, as whole processes: its start, and rankings of 10,000,000 predictions."""

from __future__ import annotations

from pathlib import Path

from benchmarks.ranking import FILES, SCRIPT
from benchmarks.timing import Command, Comparison, evaluate
from duckmetrics.shell import find

__all__ = ["COMPARISONS", "FILES", "SCRIPT"]

MACROS = str(Path(__file__).resolve().parents[1] / "sql/duckmetrics.sql")
TWELVE = ("ndcg@10", "map@100", "mrr", "recall@10", "precision@10", "hit_rate@10", "f1@10", "dcg@10",
          "ndcg@100", "map", "rbp", "r_precision")  # fmt: skip


def shell(query: str, *options: str) -> Command:
    """The DuckDB shell, printing one number."""
    return Command([find(), *options, "-noheader", "-list", "-c", query])


def ranking(*metrics: str, options: str = "") -> Command:
    wanted = ", ".join(f"'{metric}'" for metric in metrics)
    call = f"evaluate('{FILES[0]}', '{FILES[1]}', [{wanted}]{options})"
    return shell(f"SELECT value FROM {call} LIMIT 1", "-init", MACROS)


NOTHING = "SELECT 1"
COMPARISONS = [
    Comparison("start with all macros loaded / bare start", shell(NOTHING, "-init", MACROS), shell(NOTHING)),
    Comparison("twelve metrics / one (ndcg@10)", ranking(*TWELVE), ranking(TWELVE[0])),
    Comparison("one metric in the shell / by 'duckmetrics evaluate'", ranking(TWELVE[0]),
               evaluate(FILES[0], TWELVE[0], truth=FILES[1])),
    Comparison("one metric, all checks / duplicates not searched", ranking(TWELVE[0]),
               ranking(TWELVE[0], options=", duplicates := 'count'")),
]  # fmt: skip
