"""Sessions of Apache Spark, their jobs and views, and what their errors say."""

from __future__ import annotations

import os
import re
import threading
import weakref
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from duckmetrics.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

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


T = TypeVar("T")

INSTALL = "install it with pip install 'pyspark>=4'; it needs Java 17"
_ZONE = "spark.sql.session.timeZone"
# The seconds between two requests to cancel.
_PAUSE = 0.2
_TRACEBACK = "Traceback (most recent call last):"
_PLACE = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+)$', re.M)


def open_session(master: str | None) -> SparkSession:
    """Return the session that is there, as it is, or else a new one.

    Raises:
        EngineError: pyspark or Java is missing, or the master cannot be reached.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise EngineError("engine", "pyspark is not installed", INSTALL) from error
    builder = SparkSession.builder
    try:
        if not _is_running(SparkSession):
            # The options would also change a session that is there: its name, and its log level.
            builder = builder.appName("duckmetrics").config("spark.log.level", "ERROR")
            builder = builder if master is None else builder.master(master)
        return builder.getOrCreate()
    except Exception as error:
        raise EngineError("Spark", cause(error), "check the master, and that Java 17 is there") from error


def _is_running(sessions: type[SparkSession]) -> bool:
    """Return whether this process has a session, classic or of Spark Connect."""
    if sessions.getActiveSession() is not None:
        return True
    with suppress(ImportError):  # the client of Spark Connect has no classic session
        from pyspark.core.context import SparkContext

        return SparkContext._active_spark_context is not None
    return False


@contextmanager
def in_zone(session: SparkSession, zone: str) -> Iterator[None]:
    """Let days and hours of points in time be those of a zone, whatever the zone of the session is.

    Raises:
        InputError: Spark does not know the zone.
    """
    before = session.conf.get(_ZONE)
    try:
        session.conf.set(_ZONE, zone)
    except Exception as error:
        if not is_of_spark(error):
            raise
        advice = "write one such as Europe/Berlin"
        raise InputError(f"time_zone={zone!r}", f"Spark has no such zone: {cause(error)}", advice) from error
    try:
        yield
    finally:
        if not is_stopped(session):
            session.conf.set(_ZONE, str(before))


def refuse_stopped(session: SparkSession) -> None:
    """Refuse a session that was stopped, of which each call says something else.

    Raises:
        EngineError: it was stopped.
    """
    if is_stopped(session):
        raise EngineError("Spark", "the session was stopped", "start a new one, and evaluate again")


def is_stopped(session: SparkSession) -> bool:
    if hasattr(session, "_jsparkSession"):
        return session.sparkContext._jsc is None or session.sparkContext._jsc.sc().isStopped()
    return bool(getattr(session, "is_stopped", False))


def run_apart(session: SparkSession, tag: str, run: Callable[[], T]) -> T:
    """Return the result of a function; an interrupt cancels its jobs, which Spark would go on with otherwise.

    It runs in another thread. An interrupt of a thread that waits for Java leaves the answer unread, and the
    next request, such as the one that cancels, would wait for that answer.

    Args:
        tag: a name that no other run has.
    """
    from pyspark import InheritableThread

    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(run())
        except BaseException as error:
            outcome.set_exception(error)

    add, remove, cancel = _tags_of_jobs(session)
    add(tag)
    try:
        # The jobs of the thread have the tags and the description of this one.
        thread = InheritableThread(target=work, session=session, daemon=True)
        thread.start()
        try:
            return outcome.result()
        except KeyboardInterrupt:
            while thread.is_alive():  # a job may begin after the others are cancelled
                with suppress(Exception):
                    cancel(tag)
                thread.join(_PAUSE)
            raise
    finally:
        with suppress(Exception):  # the session may have been stopped
            remove(tag)


def _tags_of_jobs(session: SparkSession) -> tuple[Callable[[str], Any], ...]:
    """Return the functions that add a tag to the jobs to come, remove it, and cancel the jobs that have it.

    A tag of a classic session would be that of one thread.
    """
    if hasattr(session, "_jsparkSession"):
        context = session.sparkContext
        return context.addJobTag, context.removeJobTag, context.cancelJobsWithTag
    return session.addTag, session.removeTag, session.interruptTag


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


def cause(error: Exception) -> str:
    """Return the cause in Spark's message, in one line.

    The text that the bridge to Java puts before the message is left out. If a function of Python failed,
    its own error is the cause.
    """
    said = getattr(error, "java_exception", None)
    text = str(error) if said is None else str(said.getMessage() or said.toString())
    return _of_python(text) or text.strip().splitlines()[0].strip().rstrip(".")


def _of_python(text: str) -> str | None:
    """Return the error of a function of Python, and its place; None if the message has no traceback."""
    _, found, traceback = text.rpartition(_TRACEBACK)
    lines = traceback.splitlines()[1:] if found else []
    raised = next((line.strip() for line in lines if line and not line.startswith(" ")), None)
    if raised is None:
        return None
    places: list[dict[str, Any]] = [place.groupdict() for place in _PLACE.finditer(traceback)]
    where = ""
    if places:
        last = places[-1]
        where = f" (line {last['line']} of {os.path.basename(last['file'])}, in {last['name']})"
    return f"a function of Python raised {raised.rstrip('.')}{where}"
