"""The names of steps in the user interface of Apache Spark."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

DESCRIPTION = "spark.job.description"


@contextmanager
def described(session: SparkSession, step: str) -> Iterator[None]:
    """Describe the jobs to come as a step of duckmetrics, then restore the description of the caller.

    Spark Connect has no descriptions, so its jobs get a tag.
    """
    text = f"duckmetrics: {step}"
    if hasattr(session, "_jsparkSession"):
        context = session.sparkContext
        before = context.getLocalProperty(DESCRIPTION)
        context.setLocalProperty(DESCRIPTION, text)
        try:
            yield
        finally:
            context.setLocalProperty(DESCRIPTION, cast("str", before))  # None removes it
        return
    tags = session.getTags()
    session.clearTags()
    for tag in (*tags, text):
        session.addTag(tag)
    try:
        yield
    finally:
        session.clearTags()
        for tag in tags:
            session.addTag(tag)
