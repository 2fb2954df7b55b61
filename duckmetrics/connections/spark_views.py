"""Frames of Apache Spark as views, which a caller's session has only while a call runs."""

from __future__ import annotations

import threading
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession


class SparkViews:
    """The frames of an engine by name: tables of the caller, and rows that the executors keep.

    Frames outlive a call, because results are read from them later. Their views do not: a query
    finds them, and the end of the call drops them.

    Args:
        session: the caller's.
    """

    def __init__(self, session: SparkSession) -> None:
        self.columns: dict[str, Mapping[str, str]] = {}
        self._session = session
        self._frames: dict[str, DataFrame] = {}
        self._kept: dict[str, Any] = {}
        self._shown: set[str] = set()
        self._calls = 0
        self._lock = threading.RLock()
        self._finalizer = weakref.finalize(self, _free, session, self._shown, self._kept)

    def add(self, name: str, frame: DataFrame, columns: Mapping[str, str]) -> None:
        """Give a frame a name that queries can read.

        Args:
            columns: with their types in DuckDB.
        """
        self._frames[name], self.columns[name] = frame, columns

    def keep(self, name: str, query: DataFrame, columns: Mapping[str, str]) -> None:
        """Compute the rows of a query now, once; they stay with the executors, in memory and on disk."""
        frame = query.localCheckpoint(eager=True)
        self._kept[name] = _rows_of(frame)
        self.add(name, frame, columns)

    @contextmanager
    def visible(self, text: str = "") -> Iterator[None]:
        """Show the frames that a query names, until the outermost call ends."""
        with self._lock:
            self._calls += 1
            for name in [one for one in self._frames if one in text and one not in self._shown]:
                self._frames[name].createOrReplaceTempView(name)
                self._shown.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                if not self._calls:
                    _hide(self._session, self._shown)

    def forget(self, names: Collection[str]) -> None:
        """Drop frames that nothing reads any more, and free the rows that were kept for them."""
        with self._lock:
            dropped = {name for name in names if name in self._shown}
            self._shown -= dropped
            _hide(self._session, dropped)
            for name in names:
                _unpersist(self._kept.pop(name, None))
                self._frames.pop(name, None)
                self.columns.pop(name, None)

    def forget_all(self) -> None:
        """Drop all frames."""
        self.forget([*self._frames])

    @property
    def is_empty(self) -> bool:
        """Whether there is no frame yet."""
        return not self._frames

    def hand_over(self) -> None:
        """Leave the kept rows to Spark, which frees them when no frame of the caller reads them any more."""
        self._kept.clear()


def _rows_of(frame: DataFrame) -> Any:
    """Return the rows of a checkpoint, which can be freed; None on Spark Connect, where the server does."""
    plan = frame._jdf.queryExecution().analyzed() if hasattr(frame, "_jdf") else None
    return plan.rdd() if plan is not None and plan.nodeName().startswith("LogicalRDD") else None


def _unpersist(rows: Any) -> None:
    if rows is not None:
        with suppress(Exception):  # the session is closed already
            rows.unpersist(False)


def _hide(session: SparkSession, shown: set[str]) -> None:
    """Drop views; those of a session that is closed are gone already."""
    while shown:
        with suppress(Exception):
            session.catalog.dropTempView(shown.pop())


def _free(session: SparkSession, shown: set[str], kept: dict[str, Any]) -> None:
    """Leave nothing behind on a caller's session."""
    _hide(session, shown)
    while kept:
        _unpersist(kept.popitem()[1])
