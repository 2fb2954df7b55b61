"""``python -m benchmarks.shell``: the cost of a macro call, compared with the query of Python.

It prints lines for the DuckDB of this Python; `--file` names another file of macros, such as an older one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.optimizer import ranking_plan
from duckmetrics.inputs.systems import ONE_SYSTEM

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = 100
# The tables of the user, and the views that the composed query reads.
TABLES = f"""
    CREATE TABLE run AS
    SELECT i // {ITEMS} AS query_id, i % {ITEMS} * 7 AS item_id, hash(i) % 100000 / 1e5 AS score
    FROM range(?) AS t(i);
    CREATE TABLE qrels AS
    SELECT query_id, item_id, hash(query_id + item_id) % 4 AS relevance
    FROM run
    WHERE hash(item_id * 31 + query_id) % 10 = 0;
    CREATE VIEW predictions AS SELECT '' AS system, *, NULL::INT AS position FROM run;
    CREATE VIEW truth AS FROM qrels
"""
CALLS = {
    "ndcg, k := 10": ("FROM ndcg('run', 'qrels', k := 10)", ["ndcg@10"]),
    "evaluate, three metrics": (
        "FROM evaluate('run', 'qrels', 'ndcg@10, mrr@10, recall@50')", ["ndcg@10", "mrr@10", "recall@50"],
    ),
    "evaluate, map": ("FROM evaluate('run', 'qrels', 'map')", ["map"]),
}  # fmt: skip


def composed(specs: Sequence[str]) -> str:
    """Write the query of the means as Python composes it, without checks."""
    measures = [parse_measure(catalog(), spec) for spec in specs]
    composer = Composer(catalog(), {}, {"system": ONE_SYSTEM}, {"by_rank": False})
    query, columns = composer.per_query(measures, ranking_plan(measures))
    means = (exp.Avg(this=exp.column(column.value)) for column in columns)
    return exp.select(*means).from_(query.subquery("per_query")).sql("duckdb")


def connected(macros: str, rows: int) -> duckdb.DuckDBPyConnection:
    """Open a session with the macros and the tables."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(macros)
    for statement in TABLES.split(";"):
        connection.execute(statement, [rows] if "?" in statement else [])
    return connection


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> float:
    """Return the CPU seconds of a query."""
    start = process_time()
    connection.execute(query).fetchall()
    return process_time() - start


def ratio(connection: duckdb.DuckDBPyConnection, call: str, query: str, runs: int) -> float:
    """Return the median ratio of the seconds of both."""
    for text in (call, query):
        connection.execute(text).fetchall()
    return median(seconds(connection, call) / seconds(connection, query) for _ in range(runs))


def operators(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """Count the operators of a plan."""
    (_, plan), *_ = connection.execute(f"EXPLAIN (FORMAT JSON) {query}").fetchall()
    return str(plan).count('"name"')


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shell", description=__doc__)
    parser.add_argument("--file", type=Path, help="a file of macros instead of the installed one")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    macros = options.file.read_text("utf-8") if options.file else duckmetrics.macros_sql()
    little, small, large = (connected(macros, rows) for rows in (ITEMS, 100_000, 2_000_000))
    for name, (call, specs) in CALLS.items():
        planning = median(seconds(little, call) for _ in range(3 * options.runs))
        ratios = [ratio(c, call, composed(specs), options.runs) for c in (small, large)]
        cells = (
            duckdb.__version__,
            name,
            f"{planning:.3f}",
            operators(little, call),
            *(f"{r:.1f}" for r in ratios),
        )
        print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
