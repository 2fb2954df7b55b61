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
    time_zone: str | None = None,
) -> Engine:
    """Return the engine that a call means: DuckDB unless another one is given.

    Args:
        engine: "duckdb", "spark", a session of Spark, or an engine.
        connection: of DuckDB, the path of a database file, or an engine.
        snapshot: which tables are read once, see `DuckDBEngine`.
        time_zone: the zone in which points in time have days and hours.

    Raises:
        InputError: there is no such zone.
        MetricError: there is no such engine, or settings of DuckDB are given for another one.
    """
    limits = {"threads": threads, "memory_limit": memory_limit, "temp_directory": temp_directory}
    opened = _opened(engine, connection, snapshot, limits)
    opened.use_zone(time_zone)
    return opened


def _opened(engine: Any, connection: Any, snapshot: str | None, limits: dict[str, Any]) -> Engine:
    from duckmetrics.engines.duckdb import DuckDBEngine

    for made in (engine, connection):
        if isinstance(made, DuckDBEngine):
            return made
    if engine is None or engine == DIALECT:
        return DuckDBEngine(connection, **limits, snapshot=snapshot or AUTO)
    settings = {"connection": connection, **limits, "snapshot": snapshot}
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
