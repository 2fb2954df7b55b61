"""The Apache Spark engine, the only module that imports pyspark.

It takes a session as it is, classic or Spark Connect, and runs the same queries, written for Spark. The
values per query and per segment that an evaluation keeps stay with the executors; only results are collected.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.connections.spark_plans import is_in_place
from duckmetrics.connections.spark_sessions import (
    cause,
    in_zone,
    is_of_spark,
    is_stopped,
    open_session,
    refuse_stopped,
    run_apart,
)
from duckmetrics.connections.spark_views import SparkViews
from duckmetrics.dialects.translation import translated
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.engine import Engine, Feature, new_name
from duckmetrics.engines.spark_small import SmallTables
from duckmetrics.engines.spark_steps import described
from duckmetrics.engines.spark_tables import SPARK, SparkTables, columns_of, told_apart, with_lists
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.build import quoted
from duckmetrics.inputs.sources import Source
from duckmetrics.outputs import spark_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.inputs.sources import Role
    from duckmetrics.inputs.versions import Version

T = TypeVar("T")

# The features that only decide how DuckDB computes.
PLANS = frozenset({
    Feature.FUNCTIONS, Feature.SHARED_STEPS, Feature.FILE_STATISTICS, Feature.EXACT_SUMS,
    Feature.GLOBAL_SORTS,
    Feature.NUMBER_SORTS,
})  # fmt: skip
# Operations that make a step worth keeping.
_WORK = (exp.Group, exp.Window, exp.Join, exp.Distinct)


class SparkEngine(Engine):
    """Runs queries on a Spark session.

    Args:
        session: the caller's; by default, the active one, or else a new one.
        master: where a session that is made runs, such as "local[2]".

    Raises:
        EngineError: pyspark or Java is missing, or no session can be opened.
    """

    dialect = SPARK
    features: frozenset[Feature] = frozenset({Feature.INTERVAL, Feature.VERIFY, Feature.TABLES})

    def __init__(self, session: SparkSession | None = None, master: str | None = None) -> None:
        self.session = open_session(master) if session is None else session
        refuse_stopped(self.session)
        self.ran: list[str] = []
        self._tables = SparkTables(self.session)
        self._views = SparkViews(self.session)
        self._results = _Results(self.ran)
        self._small = SmallTables(self.session, self._results)

    def supports(self, feature: Feature) -> bool:
        """Return whether the engine has a feature; DuckDB plans the queries of small tables."""
        return super().supports(feature) or (self._small.are_all and feature in PLANS)

    def reason_against(self, catalog: Catalog, definition: Definition) -> str | None:
        """Return why the engine cannot run a definition; DuckDB runs the checks of small tables."""
        return None if self._small.are_all else super().reason_against(catalog, definition)

    @contextmanager
    def exclusive(self, keep: bool = True) -> Iterator[None]:
        """Use the session for one call; its views are gone afterwards.

        Args:
            keep: whether results are read later; the rows that they need stay with the executors.
        """
        self._small.start()
        is_first = self._views.is_empty
        try:
            with in_zone(self.session, self.time_zone), self._views.visible(), self.step("other steps"):
                yield
        except BaseException:
            if is_first:  # else, a result was asked for more, and may be asked again
                self._views.forget_all()
            raise

    def step(self, name: str) -> AbstractContextManager[None]:
        """Describe the jobs to come in the user interface of Spark."""
        return described(self.session, name)

    def release(self) -> None:
        """Do nothing: the end of a call leaves nothing in the session."""

    def results(self) -> DuckDBEngine:
        """Return the DuckDB that has the results."""
        return self._results

    # ---- tables

    def attach(self, table: Any, role: Role, version: Version | None = None) -> Source:
        """Find out what a table argument means and read its columns.

        Raises:
            InputError: there is no such table, or it cannot be read.
        """
        with self.step(f"find {role}"):
            label, frame = self._apart(lambda: self._tables.found(table, role))
        name = self.name(role)
        try:
            frame, renamed = told_apart(with_lists(frame))
            columns = columns_of(frame)
            self._views.add(name, frame, columns)
            with self.step(f"read {role}"):
                empty = self._apart(lambda: self._is_empty(name, frame))
        except Exception as error:
            if not is_of_spark(error):
                raise
            raise InputError(label, f"cannot be read: {cause(error)}", "check it") from error
        return Source(label, exp.to_table(name), columns, empty=empty, renamed=renamed, dialect=self.dialect)

    def _is_empty(self, name: str, frame: DataFrame) -> bool:
        """Collect a table if it and all others are small; return whether it has no rows."""
        count = self._small.collect(name, frame)
        if count is None:
            return bool(frame.isEmpty())
        if not is_in_place(frame):  # a large table may follow, and be joined with the rows that are here
            rows = self._results.arrow(exp.select(exp.Star()).from_(name))
            self._views.add(name, self.session.createDataFrame(rows), self._views.columns[name])
        return not count

    def once(self, source: Source, columns: Sequence[str] | None = None) -> Source:
        """Keep the rows of a table whose plan may give others at the next reading, or does costly work.

        Checks and metrics then see the same rows.

        Args:
            columns: those that are needed, None for all.

        Raises:
            InputError: it cannot be read.
        """
        known = {n: t for n, t in source.columns.items() if columns is None or n in columns}
        query = exp.select(*map(quoted, known)).from_(source.relation.copy())
        if self._small.have(query) or self._run(query, is_in_place):
            return source
        name = self.name("snapshot")
        try:
            self.keep(name, query)
        except EngineError as error:
            raise InputError(source.label, f"cannot be read: {error.what}", "check it") from error
        unread = {name: type_ for name, type_ in source.columns.items() if name not in known}
        original = source.relation if unread else None
        return replace(source, relation=exp.to_table(name), columns=known, unread=unread, original=original)

    # ---- queries

    def rows(self, query: exp.Query | str) -> list[tuple[Any, ...]]:
        if self._small.have(query):
            return self._results.rows(query)
        return [tuple(map(_plain, row)) for row in self._run(query, lambda frame: frame.collect())]

    def arrow(self, query: exp.Query | str) -> pa.Table:
        if self._small.have(query):
            return self._results.arrow(query)
        return self._run(query, lambda frame: frame.toArrow())

    def columns(self, query: exp.Query) -> list[tuple[str, str]]:
        if self._small.have(query):
            return self._results.columns(query)
        found: dict[str, str] = self._run(query, columns_of)
        return list(found.items())

    def keep(self, name: str, query: exp.Query, more: bool = False) -> None:
        """Keep the rows of a query with the executors, in memory and on disk."""
        if more:
            raise UnsupportedError(
                "chunks", "are for DuckDB, Spark divides the work itself", "leave chunks= out"
            )
        if self._small.have(query):
            self._small.keep(name, query)
            return
        self._run(query, lambda frame: self._views.keep(name, frame, columns_of(frame)), made=True)

    def discard(self, name: str) -> None:
        """Free the rows of a table that nothing reads any more."""
        if name in self._views.columns:
            self._views.forget([name])
        else:
            self._results.discard(name)

    def collect(self, name: str, query: exp.Query) -> None:
        """Hand the few rows of a result, or the units of tests, to DuckDB, which makes what is shown."""
        if self._small.have(query):
            self._small.keep(name, query)
            return
        self._results.connection.register(name, self._run(query, lambda frame: frame.toArrow(), made=True))

    def define(self, macros: Sequence[exp.Create]) -> None:
        """Do nothing on Spark: the calls of functions are written out."""
        if self._small.are_all:
            self._results.define(macros)

    def kept(self, name: str) -> exp.Select:
        """Return the query of a table that was kept."""
        if name not in self._views.columns:
            return self._results.kept(name)
        return exp.select(*(quoted(column) for column in self._views.columns[name])).from_(name)

    def copy(
        self, query: exp.Query, path: str | Path, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Let Spark write a query's rows to a folder of Parquet files; see `spark_outputs`."""
        self._run(query, lambda frame: spark_outputs.write_folder(frame, path, mode, partition_by))

    def save(
        self, query: exp.Query, table: str, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Let Spark write a query's rows to a table of its catalog."""
        self._run(query, lambda frame: spark_outputs.write_table(frame, table, mode, partition_by))

    def frame(self, query: exp.Query) -> DataFrame:
        """Return the rows of a query as a frame, which the caller may keep longer than the result.

        On Spark Connect, a frame would be looked up by the names of views, which are gone by then.
        """
        self._views.hand_over()
        is_classic = hasattr(self.session, "_jsparkSession")
        frame: DataFrame = self._run(
            query, lambda one: one if is_classic else one.localCheckpoint(eager=True)
        )
        return frame

    def _run(self, query: exp.Query | str, read: Callable[[DataFrame], Any], made: bool = False) -> Any:
        """Run a query, and return the result of `read` on its frame.

        Args:
            made: whether it makes a table, so that it is listed among the queries that ran.
        """
        if self._small.have(query):
            return self._tried(lambda: read(self.session.createDataFrame(self._results.arrow(query))), "")
        shared: list[str] = []
        text = query if isinstance(query, str) else self._text(query, shared)
        try:
            with self._views.visible(text):
                found = self._tried(lambda: read(self.session.sql(text)), text)
        finally:
            self._views.forget(shared)
        if made:
            self.ran.append(text)
        return found

    def _apart(self, run: Callable[[], T]) -> T:
        return run_apart(self.session, new_name("run"), run)

    def _tried(self, run: Callable[[], Any], text: str) -> Any:
        """Return what a function returns.

        Raises:
            EngineError: Spark refuses it, or was stopped.
        """
        try:
            return self._apart(run)
        except Exception as error:
            if is_stopped(self.session):
                refuse_stopped(self.session)
            if not is_of_spark(error):
                raise
            raise EngineError("Spark", cause(error), sql=text) from error

    def _text(self, query: exp.Query, shared: list[str]) -> str:
        """Write a query for Spark.

        Plan rule: a step that several others read is computed once and kept; Spark would do so for each.
        A step that only picks rows and columns is not kept: reading it again costs as much as keeping it.

        Args:
            shared: gets the names of the steps kept, which are for this query only.
        """
        whole = query.copy()
        for step in list(whole.ctes):
            readers = sum(table.name == step.alias for table in whole.find_all(exp.Table))
            if readers > 1 and step.this.find(*_WORK) and not step.this.find(exp.With):
                name = self.name(step.alias)
                self.keep(name, _with_steps_before(whole, step))
                shared.append(name)
                step.set("this", self.kept(name))
        return translated(whole, self.dialect, self._views.columns)


class _Results(DuckDBEngine):
    """The results of Spark in a DuckDB of their own.

    Args:
        ran: the statements of the evaluation, to which those of this engine are added.
    """

    def __init__(self, ran: list[str]) -> None:
        super().__init__()
        self._whole = ran

    def keep(self, name: str, query: exp.Query, more: bool = False) -> None:
        super().keep(name, query, more)
        self._whole.append(f"-- by DuckDB\n{self.ran[-1]}")


def _with_steps_before(whole: exp.Query, step: exp.CTE) -> exp.Query:
    """Return a step as a separate query, with the steps that it reads."""
    query: exp.Query = step.this.copy()
    for other in whole.ctes:
        if other is step:
            break
        query = query.with_(other.alias, as_=other.this.copy(), copy=False)
    return without_idle_steps(query)


def _plain(value: Any) -> Any:
    """Return a value as DuckDB's client would return it."""
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value.asDict() if hasattr(value, "asDict") else value
