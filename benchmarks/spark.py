"""``python -m benchmarks.spark``: clicks on Spark, with and without intervals, in turns in one session.

It prints the seconds, the memory, the tasks, and the largest share of a stage's rows that one task reads.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS = ("auc", "log_loss", "gauc", "calibration_ratio")
# Scores have no ties, and the click rate grows with them; users have unequal numbers of rows.
CLICKS = """
    SELECT CAST(floor(power(abs(hash(id, 1)) % 1000003 / 1000003D, 1.2D) * {users}) AS BIGINT) AS user_id,
        score, abs(hash(id, 3)) % 1000003 / 1000003D < 0.6D * score AS label
    FROM (SELECT id, (abs(xxhash64(id)) % 1000000007 + 1) / 1000000009D AS score FROM range({rows}))
"""
PLAIN, INTERVALS = "without intervals", "with intervals"
# A stage with fewer rows than this share of all rows reads sums, not rows.
FEW = 0.01


@dataclass(frozen=True)
class Stage:
    """A stage that ran.

    Attributes:
        largest: the most rows that one of its tasks read.
        cpu: the CPU seconds of its tasks.
    """

    number: int
    tasks: int
    rows: int
    largest: int
    cpu: float


@dataclass(frozen=True)
class Run:
    """One evaluation.

    Attributes:
        cpu: the CPU seconds of the tasks and of this process.
        heap: the most MiB that the driver's Java heap held.
    """

    name: str
    seconds: float
    cpu: float
    heap: float
    stages: tuple[Stage, ...]
    result: Any

    def alone(self, rows: int) -> list[Stage]:
        """Return the stages with one task that read more than few rows."""
        return [stage for stage in self.stages if stage.tasks == 1 and stage.rows > FEW * rows]

    def share(self, rows: int) -> float:
        """Return the largest share of the rows of a stage that one task reads."""
        shares = (stage.largest / stage.rows for stage in self.stages if stage.rows > FEW * rows)
        return max(shares, default=0.0)

    def line(self, rows: int) -> str:
        """Return a line of the table."""
        cells = (
            self.name, f"{self.seconds:.1f}", f"{self.cpu:.1f}", f"{self.heap:.0f}", len(self.stages),
            sum(stage.tasks for stage in self.stages), len(self.alone(rows)), f"{self.share(rows):.0%}",
        )  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"


def session(memory: str, master: str) -> Any:
    """Open a session whose driver has little memory."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("benchmarks")
    settings = {
        "spark.driver.memory": memory,
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def stages(spark: Any, after: int) -> tuple[Stage, ...]:
    """Return the stages that ran after the one with a number."""
    context = spark.sparkContext
    store, none = context._jsc.sc().statusStore(), context._gateway.new_array(context._jvm.double, 0)
    listed = store.stageList(None, False, False, none, None)
    found = []
    for i in range(listed.size()):
        stage = listed.apply(i)
        if stage.stageId() <= after or not stage.numCompleteTasks():
            continue
        rows = stage.inputRecords() + stage.shuffleReadRecords()
        largest = _largest(store, stage) if rows else 0
        found.append(Stage(stage.stageId(), stage.numTasks(), rows, largest, stage.executorCpuTime() / 1e9))
    return tuple(found)


def _largest(store: Any, stage: Any) -> int:
    """Return the most rows that a task of a stage read."""
    listed = store.taskList(stage.stageId(), stage.attemptId(), 100_000)
    tasks = (listed.apply(i).taskMetrics() for i in range(listed.size()))
    known = (metrics.get() for metrics in tasks if metrics.isDefined())
    return max(
        metrics.inputMetrics().recordsRead() + metrics.shuffleReadMetrics().recordsRead() for metrics in known
    )


def heap(spark: Any, reset: bool = False) -> float:
    """Return the most MiB in the Java heap since the last reset."""
    pools = spark._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    used = 0
    for pool in pools:
        if pool.getType().toString() == "Heap memory":
            used += pool.getPeakUsage().getUsed()
        if reset:
            pool.resetPeakUsage()
    return used / 2**20


def evaluate(spark: Any, path: str, name: str, metrics: Sequence[str]) -> Run:
    """Evaluate the clicks once."""
    asked: dict[str, Any] = {} if name == PLAIN else {"interval": 0.95, "cluster": "user_id"}
    after = max((stage.number for stage in stages(spark, -1)), default=-1)
    heap(spark, reset=True)
    begin, cpu = time.monotonic(), time.process_time()
    result = duckmetrics.evaluate(path, None, metrics, columns={"group_id": "user_id"}, engine=spark, **asked)
    seconds, own = time.monotonic() - begin, time.process_time() - cpu
    ran = stages(spark, after)
    return Run(name, seconds, own + sum(stage.cpu for stage in ran), heap(spark), ran, result)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=3, help="pairs of evaluations")
    parser.add_argument("--memory", default="1g", help="of the driver")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--metrics", default=",".join(METRICS))
    parser.add_argument("--folder", type=Path, help="for the data; by default, a temporary folder")
    options = parser.parse_args()
    spark = session(options.memory, options.master)
    with tempfile.TemporaryDirectory() as temporary:
        path = f"{options.folder or temporary}/clicks-{options.rows}-{options.users}"
        if not Path(path).exists():
            spark.sql(CLICKS.format(rows=options.rows, users=options.users)).write.parquet(path)
        metrics = options.metrics.split(",")
        print("| evaluation | seconds | CPU seconds | heap MiB | stages | tasks | one task | largest share |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        runs: list[Run] = []
        for _ in range(options.runs):
            for name in (PLAIN, INTERVALS):
                runs.append(evaluate(spark, path, name, metrics))
                print(runs[-1].line(options.rows), flush=True)
                for stage in runs[-1].alone(options.rows):
                    print(f"one task: {stage}")
    pairs = list(zip(runs[::2], runs[1::2], strict=True))
    for unit, ratios in (
        ("seconds", [longer.seconds / shorter.seconds for shorter, longer in pairs]),
        ("CPU seconds", [longer.cpu / shorter.cpu for shorter, longer in pairs]),
    ):
        print(f"with / without intervals, {unit}: {median(ratios):.2f} (median of {len(ratios)})")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of Python: {peak:.0f} MiB")
    print(runs[-1].result)


if __name__ == "__main__":
    main()
