"""Arguments of the public functions: too many without a name, and the session of Spark of their tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from duckmetrics.catalog.spec_text import ORDER
from duckmetrics.errors import MetricError
from duckmetrics.inputs.sources import is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
# The predictions, the truth and the metrics.
_POSITIONAL = 3


def ordered(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return the function with an error for tables of systems that are given one by one."""

    @wraps(function)
    def called(*given: _Given.args, **options: _Given.kwargs) -> _Result:
        if len(given) > _POSITIONAL:
            raise MetricError("arguments", f"{len(given)} without a name are too many", ORDER)
        return function(*given, **options)

    return called


def session_of(*tables: Any) -> SparkSession | None:
    """Return the session of the first DataFrame of Spark, None if no table is one."""
    for table in tables:
        for one in table.values() if isinstance(table, Mapping) else (table,):
            if is_of_spark(one):
                return cast("SparkSession", one.sparkSession)
    return None
