"""The choice of the engine for a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines.snapshots import AUTO
from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    import os

    from duckmetrics.engines.engine import Engine


def open_engine(
    engine: Any = None,
    connection: Any = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | os.PathLike[str] | None = None,
    snapshot: str | None = None,
) -> Engine:
    """Return the engine that a call means: DuckDB unless another one is given.

    Args:
        engine: "duckdb", "spark", a session of Spark, or an engine.
        connection: of DuckDB, the path of a database file, or an engine.
        snapshot: which tables are read once, see `DuckDBEngine`.

    Raises:
        MetricError: there is no such engine, or settings of DuckDB are given for another one.
    """
    from duckmetrics.engines.duckdb import DuckDBEngine

    for made in (engine, connection):
        if isinstance(made, DuckDBEngine):
            return made
    if engine is None or engine == DIALECT:
        return DuckDBEngine(connection, threads, memory_limit, temp_directory, snapshot or AUTO)
    settings = {
        "connection": connection, "threads": threads, "memory_limit": memory_limit,
        "temp_directory": temp_directory, "snapshot": snapshot,
    }  # fmt: skip
    for name, value in settings.items():
        if value is not None:
            raise MetricError(
                name, "is for DuckDB", "set it for the session of Spark instead, and leave it out"
            )
    from duckmetrics.engines.spark import SparkEngine

    if isinstance(engine, SparkEngine):
        return engine
    if engine == SparkEngine.dialect:
        return SparkEngine()
    if not hasattr(engine, "createDataFrame"):
        raise MetricError(
            "engine", f"{engine!r} is not an engine", "give a session of Spark, 'spark' or 'duckdb'"
        )
    return SparkEngine(engine)
