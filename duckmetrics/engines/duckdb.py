"""The DuckDB engine: it runs queries on a connection, and keeps their results."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import duckdb_csv, progress, stores, targets
from duckmetrics.engines.connection import DuckDBConnection, arrow_of
from duckmetrics.engines.duckdb_tables import DuckDBTables
from duckmetrics.engines.engine import Engine, Feature, Memory
from duckmetrics.engines.snapshots import AUTO, checked, is_copied
from duckmetrics.engines.stores import Store
from duckmetrics.engines.targets import refuse_url, replacing_folder, url_of
from duckmetrics.errors import EngineError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.settings import Statement
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.versions import Version


# What a release before 2.0 does not gain from.
_ABSENT = {Feature.NUMBER_SORTS} if duckdb.__version__.startswith(("0.", "1.")) else set()
# The units of a size, as DuckDB writes it.
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class DuckDBEngine(Engine):
    """Runs queries on a DuckDB connection, the caller's or one of its own in memory.

    Args:
        connection: a connection, or the path of a database file, opened read-only.
        threads: the number of threads that DuckDB may use.
        memory_limit: such as "4GB"; more is spilled to disk.
        temp_directory: the folder that is spilled to.
        snapshot: which tables are read once, into a temporary table: "auto" for those that are remote, or
            take more than a scan; "always"; or "never".
        setup: statements that a connection of our own runs first.
    """

    dialect = DIALECT
    features = frozenset(Feature) - {Feature.TABLES} - _ABSENT

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
        snapshot: str = AUTO,
        setup: Sequence[Statement] = (),
    ) -> None:
        self._snapshot = checked(snapshot)
        self._held = DuckDBConnection(connection, threads, memory_limit, temp_directory, setup)
        self._tables = DuckDBTables(self._held)
        self.connection = self._held.raw
        self.ran: list[str] = []
        self._own = Memory()

    @contextmanager
    def exclusive(self, keep: bool = True) -> Iterator[None]:
        """Keep other threads from the connection for one call; drop what former calls left behind."""
        with self._held.exclusive(keep), self._progress():
            yield
            self._tables.refuse_changed()

    @contextmanager
    def remembering(self, memory: Memory) -> Iterator[None]:
        """Use what former evaluations of the same tables found."""
        before, self.memory = self.memory, memory
        try:
            yield
        finally:
            self.memory = before

    @property
    def time_zone(self) -> str:
        return self._held.time_zone

    def use_zone(self, time_zone: str | None) -> None:
        self._held.use_zone(time_zone)

    def release(self) -> None:
        """Give a caller's connection its own settings back, and take our macros from it."""
        self._held.release()

    def close(self) -> None:
        """Close a connection of our own, so that its database can be opened to write."""
        if self._held.is_own:
            self.connection.close()

    def reason_against(self, catalog: Catalog, definition: Definition) -> str | None:
        """Return None: every definition is written for DuckDB."""
        return None

    def attach(self, table: Any, role: Role, version: Version | None = None) -> Source:
        """Find out what a table argument means and read its columns.

        Raises:
            InputError: there is no such table or version, or it cannot be read.
        """
        return self._tables.attach(table, role, self._snapshot, version)

    def has_versions(self, table: Any) -> bool:
        return self._tables.has_versions(table)

    def once(self, source: Source, columns: Sequence[str] | None = None) -> Source:
        """Read a table into a temporary one, unless it costs little to read it again.

        Args:
            columns: those that are needed, None for all.

        Raises:
            InputError: it cannot be read.
        """
        if not is_copied(source, self._snapshot):
            return (
                source if source.text is None else duckdb_csv.of_all_rows(self._held, source, source.columns)
            )
        known = {n: t for n, t in source.columns.items() if columns is None or n in columns}
        unread = {name: type_ for name, type_ in source.columns.items() if name not in known}
        if not source.in_place:
            self._held.without_cache()
        relation, types = duckdb_csv.copied(self._held, source, list(known), self._copied)
        known = {name: types[name] for name in known}
        return replace(
            source, relation=relation, columns=known, in_place=True, statistics=True, rowid=source.rowid,
            empty=self._tables.is_empty(relation), files={},
            unread=unread, original=source.relation if unread else None,
        )  # fmt: skip

    def _copied(self, source: Source, columns: Sequence[exp.Expr]) -> exp.Table:
        """Copy columns of a table."""
        name = self.name("snapshot")
        try:
            self.keep(name, exp.select(*(columns or [exp.Star()])).from_(source.relation))
        except EngineError as error:
            if error.out_of_memory:
                raise
            raise duckdb_csv.unreadable(source.label, error) from error
        return exp.to_table(name)

    # --- results ---------------------------------------------------------------------------------

    def rows(self, query: exp.Query | str) -> list[tuple[Any, ...]]:
        return self._held.rows(query)

    def memory_limit(self) -> float:
        ((text,),) = self.rows("SELECT current_setting('memory_limit')")
        number, unit = text.split()
        # Without a limit, DuckDB names the largest number that it has, in a unit beyond these.
        return float(number) * 1024.0 ** _UNITS.index(unit) if unit in _UNITS else math.inf

    def counted(self, query: exp.Query) -> list[tuple[Any, ...]]:
        text = self._held.text(query, copy=False)
        if self.memory is None:
            return self.rows(text)
        if text not in self.memory.counts:
            self.memory.counts[text] = self.rows(text)
        return self.memory.counts[text]

    def arrow(self, query: exp.Query | str) -> pa.Table:
        text = self._held.text(query)
        try:
            with self._held.lock, self._held.usual():
                return arrow_of(self.connection.sql(text))
        except duckdb.Error as error:
            raise self._held.refused(error, text) from error

    def few(self, query: str) -> pa.Table:
        # A relation plans its query twice, the first time for the names of its columns.
        name = self.name("few")
        with self._held.lock, self._held.usual():
            self._create(name, exp.Var(this=query))
        return self.arrow(exp.select(exp.Star()).from_(name))

    def columns(self, query: exp.Query) -> list[tuple[str, str]]:
        return self._held.columns(query)

    @property
    def store(self) -> Store:
        """Write to stores of objects that the connection reaches."""
        return Store(self._held)

    def sent(self, url: str, format_: str) -> AbstractContextManager[Path]:
        return self.store.replacing(url, format_)

    def copy(
        self, query: exp.Query, path: str | Path, partition_by: Sequence[str] = (), mode: str | None = None
    ) -> None:
        """Write a query's rows to Parquet; see `targets` for what may be replaced."""
        url = url_of(path)
        if url is not None:
            refuse_url(url, self._tables.used)
            with self._progress():
                self.store.copy(query, url, partition_by)
            return
        target = Path(os.path.expanduser(path))
        if partition_by:
            with replacing_folder(target, self._tables.used) as draft, self._progress():
                self._copied_to(draft, query, [stores.partitions(partition_by)])
            return
        targets.refuse(target, "parquet", self._tables.used)
        with targets.replacing(target, "parquet") as draft, self._progress():
            self._copied_to(draft, query)

    def _copied_to(self, draft: Path, query: exp.Query, more: Sequence[exp.CopyParameter] = ()) -> None:
        params = [exp.CopyParameter(this=exp.var("FORMAT"), expression=exp.var("PARQUET")), *more]
        copy = exp.Copy(this=query.subquery(), kind=False, files=[literal(str(draft))], params=params)
        with self._held.usual():
            self._held.execute(copy)

    # --- temporary tables and macros -------------------------------------------------------------

    def keep(self, name: str, query: exp.Query, more: bool = False) -> None:
        """Keep the rows of a query in a temporary table.

        Args:
            more: the table is there, and gets more rows.
        """
        if more:
            text = self._held.text(exp.Insert(this=exp.to_table(name), expression=query), True, copy=False)
            self._held.execute(text)
        else:
            text = self._create(name, query)
        self.ran.append(text)
        for memory in (self._own, self.memory or self._own):
            memory.tables[text.partition("\n")[2]] = name  # its first line creates the table

    def _create(self, name: str, query: exp.Expr) -> str:
        """Make a temporary table of the rows of a query, and return the statement."""
        temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
        table = exp.Create(this=exp.to_table(name), kind="TABLE", expression=query, properties=temporary)
        text = self._held.text(table, pretty=True, copy=False)
        self._held.temporary.append(("TABLE", name))
        self._held.execute(text)
        return text

    def kept_before(self, query: exp.Query) -> str | None:
        """Return the name of a table that still has the rows of a query."""
        name = (self.memory or self._own).tables.get(self._held.text(query, pretty=True), "")
        return name if ("TABLE", name) in self._held.temporary else None

    def collect(self, name: str, query: exp.Query) -> None:
        """Keep the few rows of a result, as all others."""
        self.keep(name, query)

    def kept(self, name: str) -> exp.Select:
        """Return the query of a table that was kept."""
        return exp.select(exp.Star()).from_(name)

    def discard(self, name: str) -> None:
        """Drop a table that was kept."""
        self._held.discard("TABLE", name)

    def define(self, macros: Sequence[exp.Create]) -> None:
        """Create temporary macros for the queries to come, until `release`.

        Named in full when they are dropped: a macro of the database may have the same name.
        """
        for macro in macros:
            text = self._held.text(macro, pretty=True)
            made = ("MACRO", f"temp.main.{macro.this.this.name}")
            is_alone = self._held.is_own or self._held.is_in_transaction
            if is_alone and made in self._held.temporary and text in self.ran:
                continue
            try:
                # Created again, because another engine may have dropped them from the connection of the user.
                self._held.execute(text)
            except EngineError as error:
                # With enable_macro_dependencies, one that others call is not replaced: it is there already.
                if text not in self.ran or not isinstance(error.__cause__, duckdb.DependencyException):
                    raise
            if made not in self._held.temporary:
                self._held.temporary.append(made)
                self.ran.append(text)

    # --- progress --------------------------------------------------------------------------------

    @contextmanager
    def _progress(self) -> Iterator[None]:
        """Show the progress of the queries to come, unless nobody watches or DuckDB shows it itself."""
        if not progress.is_watched():
            yield
            return
        if self._held.is_own:
            self._held.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        elif self.rows("SELECT current_setting('enable_progress_bar')") == [(True,)]:
            yield
            return
        with progress.line(self._percent):
            yield

    def _percent(self) -> float | None:
        """Return the percent of the running query that is done, None if DuckDB does not know."""
        try:
            done = self.connection.query_progress()
        except duckdb.Error:
            return None
        return done if done >= 0 else None
