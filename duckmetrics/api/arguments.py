"""The engine that the tables of a call belong to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.inputs.sources import is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session_of(*tables: Any) -> SparkSession | None:
    """Return the session of the first DataFrame of Spark, None if no table is one."""
    for table in tables:
        for one in table.values() if isinstance(table, Mapping) else (table,):
            if is_of_spark(one):
                return cast("SparkSession", one.sparkSession)
    return None
