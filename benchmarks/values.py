"""``python -m benchmarks.values``: the cost of a value macro, compared with handwritten SQL.

It prints a line for each metric and number of groups, for the DuckDB of this Python: the median ratio of CPU
seconds, taken in pairs, and the peak memory of a process that runs either one once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

import duckdb

import duckmetrics

GROUPS = (100, 100_000)
# Labels, probabilities without ties, probabilities of three digits, and weights.
TABLE = """
    CREATE TABLE t AS SELECT {groups}, hash(i * 3 + 5) % 5 = 0 AS y,
        hash(i * 11 + 3) % 1000000007 / 1000000007 AS p, round(p, 3) AS q, 1 + hash(i * 13) % 4 AS w
    FROM range(?) AS t(i)
"""
RANKS = """
    SELECT g, (sum(r) FILTER (y) - sum(y::INT) * (sum(y::INT) + 1) / 2)
        / nullif(sum(y::INT) * sum(1 - y::INT), 0) AS v
    FROM (SELECT {g} AS g, y, rank() OVER (PARTITION BY {g} ORDER BY {p})
        + (count(*) OVER (PARTITION BY {g}, {p}) - 1) / 2 AS r FROM t)
    GROUP BY g
"""
THRESHOLDS = """
    WITH scores AS (SELECT {{g}} AS g, p, sum({positive}) AS pos, sum({negative}) AS neg FROM t GROUP BY ALL),
    curve AS (SELECT g, pos, neg, sum(pos) OVER w AS tp, sum(neg) OVER w AS fp,
        sum(pos) OVER (PARTITION BY g) AS n_pos, sum(neg) OVER (PARTITION BY g) AS n_neg FROM scores
        WINDOW w AS (PARTITION BY g ORDER BY p DESC ROWS UNBOUNDED PRECEDING))
    SELECT g, {value} AS v FROM curve GROUP BY g
"""
ONES = {"positive": "y::INT", "negative": "1 - y::INT"}
WEIGHTS = {"positive": "w * y::INT", "negative": "w * (1 - y::INT)"}
CLIPPED = "greatest(least(p, 1 - 1e-15), 1e-15)"
# The macro, and the same metric written by hand.
WORKS = {
    "roc_auc": ("roc_auc(y, p)", RANKS.replace("{p}", "p")),
    "roc_auc, ties": ("roc_auc(y, q)", RANKS.replace("{p}", "q")),
    "roc_auc, weights": ("roc_auc(y, p, weight := w)", THRESHOLDS.format(
        **WEIGHTS, value="sum(pos * (n_neg - fp + neg / 2)) / nullif(any_value(n_pos * n_neg), 0)")),
    "average_precision": ("average_precision(y, p)", THRESHOLDS.format(
        **ONES, value="sum(pos * tp / (tp + fp)) / nullif(any_value(n_pos), 0)")),
    "ks": ("ks(y, p)", THRESHOLDS.format(
        **ONES, value="max(abs(tp / nullif(n_pos, 0) - fp / nullif(n_neg, 0)))")),
    "log_loss": ("log_loss(y, p)", f"""SELECT {{g}} AS g,
        -avg(CASE WHEN y THEN ln({CLIPPED}) ELSE ln(1 - {CLIPPED}) END) AS v FROM t GROUP BY g"""),
    "brier": ("brier(y, p)", "SELECT {g} AS g, avg((p - y::INT) * (p - y::INT)) AS v FROM t GROUP BY g"),
    "ece": ("ece(y, p)", """SELECT g, sum(abs(d)) / sum(n) AS v FROM (SELECT {g} AS g,
        least(floor(p * 10), 9) AS b, sum(p - y::INT) AS d, count(*) AS n FROM t GROUP BY g, b)
        GROUP BY g"""),
    "ndcg, k := 10": ("ndcg(y::INT, p, k := 10)", """SELECT g, sum(y::INT / log2(i + 1)) FILTER (i <= 10)
            / nullif(sum(y::INT / log2(j + 1)) FILTER (j <= 10), 0) AS v
        FROM (SELECT {g} AS g, y, row_number() OVER (PARTITION BY {g} ORDER BY p DESC, y) AS i,
            row_number() OVER (PARTITION BY {g} ORDER BY y DESC) AS j FROM t) GROUP BY g"""),
    "recall_at, k := 10": ("recall_at(y, p, k := 10)", """SELECT g,
        count(*) FILTER (y AND i <= 10) / nullif(count(*) FILTER (y), 0) AS v
        FROM (SELECT {g} AS g, y, row_number() OVER (PARTITION BY {g} ORDER BY p DESC, y) AS i FROM t)
        GROUP BY g"""),
}  # fmt: skip
PROBE = "--probe"


def queries(name: str, groups: int) -> tuple[str, str]:
    """Return the call of the macro and the query by hand, for one number of groups."""
    macro, hand = WORKS[name]
    grouped = f"SELECT {{g}} AS g, {macro} AS v FROM t GROUP BY g"
    ours, theirs = (query.replace("{g}", f"g{groups}") for query in (grouped, hand))
    return f"SELECT count(v), avg(v) FROM ({ours})", f"SELECT count(v), avg(v) FROM ({theirs})"


def connected(file: Path, macros: str, threads: int) -> duckdb.DuckDBPyConnection:
    """Open the table read-only, with the macros."""
    connection = duckdb.connect(str(file), read_only=True)
    connection.execute(f"SET threads = {threads}")
    connection.execute(macros)
    return connection


def seconds(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[float, tuple[float, ...]]:
    """Return the CPU seconds of a query, and its row."""
    start = process_time()
    (row,) = connection.execute(query).fetchall()
    return process_time() - start, row


def mib(file: Path, macros: Path | None, query: str) -> float:
    """Return the peak memory of a process that runs a query."""
    source = [] if macros is None else ["--file", str(macros)]
    command = [sys.executable, "-m", "benchmarks.values", *source, PROBE, str(file), query]
    return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def probe(file: Path, macros: str, query: str) -> None:
    """Run one query and print the peak memory of this process."""
    connected(file, macros, threads=2).execute(query).fetchall()
    status = Path("/proc/self/status").read_text("utf-8")
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024)


def compared(file: Path, options: argparse.Namespace, macros: str, name: str, groups: int) -> str:
    """Compare the values of a metric, and return its line."""
    connection = connected(file, macros, threads=1)
    pair = queries(name, groups)
    ratios = []
    for _ in range(options.runs):
        (ours, mine), (theirs, other) = (seconds(connection, query) for query in pair)
        if mine[0] != other[0] or abs(mine[1] - other[1]) > 1e-9:
            sys.exit(f"{name}, {groups} groups: {mine}, by hand {other}")
        ratios.append((ours / theirs, ours, theirs))
    connection.close()
    ratio, ours, theirs = median(ratios)
    memory = [mib(file, options.file, query) for query in pair]
    cells = (duckdb.__version__, name, f"{groups:,}", f"{ours:.2f}", f"{theirs:.2f}", f"{ratio:.1f}",
             *(f"{m:.0f}" for m in memory), f"{memory[0] / memory[1]:.1f}")  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.values", description=__doc__)
    parser.add_argument("--file", type=Path, help="a file of macros instead of the installed one")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="metrics whose name contains this")
    parser.add_argument(PROBE, nargs=2, metavar=("FILE", "QUERY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    macros = options.file.read_text("utf-8") if options.file else duckmetrics.macros_sql()
    if options.probe:
        return probe(Path(options.probe[0]), macros, options.probe[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.duckdb"
        with duckdb.connect(str(file)) as connection:
            columns = ", ".join(f"hash(i * {n} + 1) % {n} AS g{n}" for n in GROUPS)
            connection.execute(TABLE.format(groups=columns), [options.rows])
        for name in (name for name in WORKS if options.only in name):
            for groups in GROUPS:
                print(compared(file, options, macros, name, groups), flush=True)
    return None


if __name__ == "__main__":
    main()
