"""A task of Spark that fails and runs again changes no number."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from support.cases import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.slow]

# A session of its own, whose master lets a task run again, up to 4 times. No table is taken for a small one.
SCRIPT = """
import json, sys
import duckmetrics
from pyspark import TaskContext
from pyspark.sql import functions as F
from support.other_engines import spark_session

spark = spark_session(**{
    "spark.master": "local[2,4]",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
})

@F.udf("double")
def fails_once(value):
    if TaskContext.get().attemptNumber() == 0:
        raise RuntimeError("a planted fault")
    return value

def results(change):
    folder = sys.argv[1]
    clicks = spark.read.parquet(f"{folder}/impressions.parquet").repartition(4)
    clicks = clicks.withColumn("pctr", change(clicks.pctr))
    lists = spark.read.parquet(f"{folder}/recommendations.parquet").repartition(4)
    lists = lists.withColumn("score", change(lists.score))
    truth = spark.read.parquet(f"{folder}/purchases.parquet")
    rows = duckmetrics.evaluate(
        clicks, metrics=["auc", "log_loss", "gauc", "ece"], interval=0.95, cluster="user_id",
        columns={"label": "clicked", "score": "pctr", "group_id": "user_id"},
    ).rows
    pairs = duckmetrics.compare(
        lists, truth, ["ndcg@10", "map"], columns={"query_id": "user_id"}, system="model",
        baseline="baseline",
    ).rows
    return [*rows, *pairs]

def failed():
    store = spark.sparkContext._jsc.sc().statusStore()
    none = spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0)
    listed = store.stageList(None, False, False, none, None)
    return sum(listed.apply(i).numFailedTasks() for i in range(listed.size()))

wanted = results(lambda column: column.cast("double"))
without = failed()
print(json.dumps({"wanted": wanted, "found": results(fails_once), "failed": [without, failed()]}))
"""


def test_tasks_that_fail_once_change_no_number() -> None:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java")
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "data/shop")]
    # The workers that run the fault need the packages of this process.
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    without, failed = told["failed"]
    assert without == 0
    # Each of the four tasks that read a table, of two tables.
    assert failed >= 8
    assert len(told["found"]) == len(told["wanted"]) == 8
    for own, row in zip(told["found"], told["wanted"], strict=True):
        for name, value in row.items():
            expected = pytest.approx(value, rel=1e-12, abs=1e-15) if isinstance(value, float) else value
            assert own[name] == expected, (row["metric"], name)
