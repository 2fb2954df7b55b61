"""The Apache Spark engine: its queries, its plans, small results, and the steps that it shows.

It takes a session as it is, classic or Spark Connect, and runs the same queries, written for Spark. The
values per query and per segment that an evaluation keeps stay with the executors; only results are collected.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.compose.translation import translated
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.engine import Engine, Feature, new_name
from duckmetrics.engines.spark_sessions import (
    SparkViews,
    cause,
    in_zone,
    is_of_spark,
    is_stopped,
    open_session,
    refuse_stopped,
    run_apart,
)
from duckmetrics.engines.spark_tables import SPARK, SparkTables, columns_of, told_apart, with_lists
from duckmetrics.engines.stores import write_folder, write_table
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.build import quoted
from duckmetrics.inputs.sources import Source

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


# Operators that scan stored rows, and change single rows. Text is parsed, and other databases are asked, at
# every reading; rows of an RDD come from functions of Python.
_IN_PLACE = re.compile(
    r"(AdaptiveSparkPlan|Coalesce|ColumnarToRow|Filter|InMemoryTableScan|LocalTableScan|Project|Range|Union"
    r"|Scan OneRowRelation|(File|Batch)?Scan (parquet|orc|delta|iceberg|hive|spark_catalog\S*))\b",
    re.I,
)
# The drawing of a tree before the name of an operator, and the number of its code.
_BRANCH = re.compile(r"^[\s:|+-]*(\*\s?\(\d+\) )?")
# A table that the caller cached; the operators below it ran already.
_CACHED = "InMemoryRelation"
# Functions that give other values at every reading, and those whose text we cannot read.
_CHANGING = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id|spark_partition_id|UDF)\(",
    re.I,
)
_HEAD = "== Physical Plan =="


def is_in_place(frame: DataFrame) -> bool:
    """Return whether a frame can be read several times: its rows are stored, and stay the same."""
    return all(_IN_PLACE.match(one) and not _CHANGING.search(one) for one in _operators(explained(frame)))


def _operators(plan: str) -> list[str]:
    """Return the operators of a plan, one a line."""
    found, cached = [], None
    for line in plan.replace(_HEAD, "").splitlines():
        operator = _BRANCH.sub("", line)
        depth = len(line) - len(operator)
        if not operator or (cached is not None and depth > cached):
            continue
        cached = depth if operator.startswith(_CACHED) else None
        if cached is None:
            found.append(operator)
    return found


def explained(frame: Any, mode: str = "simple") -> str:
    """Return the plan of a frame, which starts no job; a classic frame only prints it."""
    if hasattr(frame, "_jdf"):
        made = frame.sparkSession._jvm.PythonSQLUtils
        return str(made.explainString(frame._jdf.queryExecution(), mode))
    return str(frame._explain_string(mode=mode))


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
        """Let Spark write a query's rows to a folder of Parquet files; see `stores.write_folder`."""
        self._run(query, lambda frame: write_folder(frame, path, mode, partition_by))

    def save(
        self, query: exp.Query, table: str, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Let Spark write a query's rows to a table of its catalog."""
        self._run(query, lambda frame: write_table(frame, table, mode, partition_by))

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
