"""Sessions of Apache Spark, and what their errors say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INSTALL = "install it with pip install 'pyspark>=4'; it needs Java 17"


def open_session(master: str | None) -> SparkSession:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise EngineError("engine", "pyspark is not installed", INSTALL) from error
    builder = SparkSession.builder.appName("duckmetrics").config("spark.log.level", "ERROR")
    if master is not None:
        builder = builder.master(master)
    try:
        return builder.getOrCreate()
    except Exception as error:
        raise EngineError(
            "Spark", first_line(error), "check the master, and that Java 17 is there"
        ) from error


def of_session(frame: DataFrame, session: SparkSession) -> bool:
    """Return whether a session knows the frame; two objects of Python may stand for one session."""
    ids = [
        str(of._jsparkSession.sessionUUID())
        if hasattr(of, "_jsparkSession")
        else str(getattr(of, "session_id", ""))
        for of in (frame.sparkSession, session)
    ]
    return ids[0] == ids[1]


def is_of_spark(error: Exception) -> bool:
    """Return whether Spark raised the error, and not a mistake of ours."""
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j", "grpc")


def first_line(error: Exception) -> str:
    """Return the first line of Spark's message, without the text that the bridge to Java puts before it."""
    said = getattr(error, "java_exception", None)
    text = str(error) if said is None else str(said.getMessage() or said.toString())
    return text.strip().splitlines()[0].strip().rstrip(".")
