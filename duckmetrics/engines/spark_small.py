"""Small tables on Apache Spark, which are collected and evaluated by the DuckDB of the results.

Plan rule: Spark plans and starts each stage of a query, which takes longer than all the work on few rows.
Spark itself collects a table of this size in the driver, to send it to all executors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.connections.spark_plans import explained

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from duckmetrics.engines.duckdb import DuckDBEngine

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


class SmallTables:
    """The small tables of Spark, and what is computed from them, in a DuckDB.

    Args:
        results: the engine that gets the tables.
    """

    def __init__(self, session: SparkSession, results: DuckDBEngine) -> None:
        self._session = session
        self._results = results
        self._names: set[str] = set()
        self._of_call: list[str] = []
        self._is_large = False

    def start(self) -> None:
        """Begin a call; the tables of former calls stay readable."""
        self._of_call = []
        self._is_large = False

    @property
    def are_all(self) -> bool:
        """Whether all tables of the call are small."""
        return bool(self._of_call) and not self._is_large

    def have(self, query: exp.Query | str) -> bool:
        """Return whether all tables that a query reads are here."""
        if isinstance(query, str):
            return False
        steps = {cte.alias for cte in query.find_all(exp.CTE)}
        read = {table.name for table in query.find_all(exp.Table) if isinstance(table.this, exp.Identifier)}
        return self.are_all if read <= steps else read - steps <= self._names

    def collect(self, name: str, frame: DataFrame) -> int | None:
        """Collect a table; return the number of its rows, None if one of the call is not small."""
        rows = None if self._is_large else _collected(self._session, frame)
        if rows is None:
            self._is_large = True
            # Other tables will be joined with this one.
            self._names -= {*self._of_call}
            return None
        self._results.connection.register(name, rows)
        self._of_call.append(name)
        self._names.add(name)
        return int(rows.num_rows)

    def keep(self, name: str, query: exp.Query) -> None:
        """Keep the rows of a query over tables that are here."""
        self._results.keep(name, query)
        self._names.add(name)


def _collected(session: SparkSession, frame: DataFrame) -> pa.Table | None:
    """Return the rows of a table, None if it is not small."""
    most = _bytes(session.conf.get(LIMIT) or "")
    if not most or not MOST_ROWS:
        return None
    plan = _PLAN.search(explained(frame, "cost"))
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
