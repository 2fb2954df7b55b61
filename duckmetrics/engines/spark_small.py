"""Small tables on Apache Spark, which are collected and evaluated by the DuckDB of the results.

Plan rule: Spark plans and starts each stage of a query, which takes longer than all the work on few rows.
Spark itself collects a table of this size in the driver, to send it to all executors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

# The setting of Spark with the most bytes of a table that the driver collects; -1 means none.
LIMIT = "spark.sql.autoBroadcastJoinThreshold"
# The estimate of the size is not reliable, so the number of rows is limited, too.
MOST_ROWS = 500_000
_BYTES = re.compile(r"([\d.]+(?:E[+-]?\d+)?) ?([bkmg]?)(?:i?b)?", re.IGNORECASE)
_POWERS = {"": 0, "b": 0, "k": 10, "m": 20, "g": 30}
# The first operator of a plan, and the size that Spark estimates for its rows.
_PLAN = re.compile(r"Logical Plan ==\s+(\w+).*?Statistics\(sizeInBytes=([\d.E+-]+ \w+)", re.DOTALL)
# The operator of a plan that only reads files.
_SCAN = "Relation"


def collected(session: SparkSession, view: str, frame: DataFrame) -> pa.Table | None:
    """Return the rows of a table, None if it is not small.

    Args:
        view: the name of the frame in the session.
    """
    most = _bytes(session.conf.get(LIMIT) or "")
    if not most or not MOST_ROWS:
        return None
    # This statement starts no job.
    plan = _PLAN.search(session.sql(f"EXPLAIN COST SELECT * FROM {view}").collect()[0][0])
    size = None if plan is None else _bytes(plan[2])
    if plan is None or size is None or size > most:
        return None
    # One task reads the files; the tasks of other plans compute their rows first.
    part = frame.coalesce(1) if plan[1] == _SCAN else frame
    rows = part.limit(MOST_ROWS + 1).toArrow()
    return rows if rows.num_rows <= MOST_ROWS else None


def _bytes(text: str) -> float | None:
    """Return the number of bytes of a text such as 10MB or 310.6 KiB, None if it is not one."""
    number = _BYTES.fullmatch(text.strip())
    return None if number is None else float(number[1]) * 2.0 ** _POWERS[number[2].lower()]
