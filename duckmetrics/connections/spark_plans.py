"""The plan of a table of Apache Spark: whether every reading gives the same rows, at little cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Operators that scan stored rows, and change single rows. Text is parsed, and other databases are asked, at
# every reading; rows of an RDD come from functions of Python.
_IN_PLACE = re.compile(
    r"(AdaptiveSparkPlan|Coalesce|ColumnarToRow|Filter|InMemoryTableScan|LocalTableScan|Project|Range|Union"
    r"|Scan OneRowRelation|(File|Batch)?Scan (parquet|orc|delta|iceberg|hive|spark_catalog\S*))\b",
    re.I,
)
# The drawing of a tree before the name of an operator, and the number of its code.
_BRANCH = re.compile(r"^[\s:|+-]*(\*\s?\(\d+\) )?")
# A table that the caller cached; the operators below it ran already.
_CACHED = "InMemoryRelation"
# Functions that give other values at every reading, and those whose text we cannot read.
_CHANGING = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id|spark_partition_id|UDF)\(",
    re.I,
)
_HEAD = "== Physical Plan =="


def is_in_place(frame: DataFrame) -> bool:
    """Return whether a frame can be read several times: its rows are stored, and stay the same."""
    return all(_IN_PLACE.match(one) and not _CHANGING.search(one) for one in _operators(explained(frame)))


def _operators(plan: str) -> list[str]:
    """Return the operators of a plan, one a line."""
    found, cached = [], None
    for line in plan.replace(_HEAD, "").splitlines():
        operator = _BRANCH.sub("", line)
        depth = len(line) - len(operator)
        if not operator or (cached is not None and depth > cached):
            continue
        cached = depth if operator.startswith(_CACHED) else None
        if cached is None:
            found.append(operator)
    return found


def explained(frame: Any, mode: str = "simple") -> str:
    """Return the plan of a frame, which starts no job; a classic frame only prints it."""
    if hasattr(frame, "_jdf"):
        made = frame.sparkSession._jvm.PythonSQLUtils
        return str(made.explainString(frame._jdf.queryExecution(), mode))
    return str(frame._explain_string(mode=mode))
