"""The DuckDB engine, the only module that imports duckdb."""

from __future__ import annotations

import glob
import os
import re
import stat
import tempfile
import threading
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from duckmetrics.catalog.catalog import definition
from duckmetrics.engines import outputs
from duckmetrics.engines.engine import Engine
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs import lakes
from duckmetrics.inputs.sources import (
    FILE_SUFFIXES,
    Source,
    exact_path,
    file_format,
    is_of_spark,
    kind_of_text,
    label_of_sql,
    paths_in_sql,
    refuse_streams,
    refuse_volatile,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.inputs.sources import Role

_UNREADABLE = (duckdb.ConversionException, duckdb.IOException, duckdb.InvalidInputException)
_NUMBERED = re.compile(r"(.+)_\d+")
_READ_ONCE = ("RecordBatchReader", "RecordBatch", "Scanner")
_READERS = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}
# The file under sql/shell that reads a TREC file.
_TREC_READERS: dict[str, str] = {"predictions": "read_trec_run", "truth": "read_trec_qrels"}


# What helps where there is too little of it.
MORE_ROOM = (
    "allow more memory (--memory-limit), spill to a larger disk (--temp-directory), use fewer threads "
    "(--threads), or evaluate rankings in parts (--chunks 8)"
)
MORE_FILES = "allow more open files (ulimit -n 4096), or merge the files into fewer"
# The format that every DuckDB since 1.0 can read.
OLDEST_STORAGE = "'v1.0.0'"
# Macros that are found before a function of DuckDB of the same name.
_OTHER_FUNCTIONS = """SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE NOT internal AND (database_name = 'temp'
        OR (database_name = current_database() AND list_contains(current_schemas(TRUE), schema_name)))
    AND lower(function_name) IN (SELECT lower(function_name) FROM duckdb_functions() WHERE internal)
    ORDER BY function_name"""
# Macros of ours have a comment each.
_CONTENTS = """SELECT
    (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_sequences())
        + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)
        + (SELECT count(*) FROM duckdb_types() WHERE NOT internal),
    count(*) FILTER (comment IS NULL), count(*) FILTER (function_name = 'duckmetrics_help')
    FROM duckdb_functions() WHERE NOT internal"""


@dataclass
class _Shared:
    """What all engines on one connection of a caller share.

    Attributes:
        lock: held by the thread whose call uses the connection.
        left: temporary objects that nobody needs any more. They are dropped by the next call, because a
            statement at any other time would end a result that the caller is reading.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    left: list[tuple[str, str]] = field(default_factory=list)


_SHARED: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, _Shared] = weakref.WeakKeyDictionary()
_SHARED_LOCK = threading.Lock()


def _shared(connection: duckdb.DuckDBPyConnection) -> _Shared:
    with _SHARED_LOCK:
        return _SHARED.setdefault(connection, _Shared())


class DuckDBEngine(Engine):
    """Runs queries on a DuckDB connection, the caller's or one of its own in memory.

    Args:
        connection: a connection, or the path of a database file, opened read-only.
        threads: how many threads DuckDB may use.
        memory_limit: such as "4GB"; more is spilled to disk.
        temp_directory: the folder that is spilled to.
    """

    dialect = "duckdb"
    portable = False

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
    ) -> None:
        self._own = not isinstance(connection, duckdb.DuckDBPyConnection)
        self._fresh = connection is None
        limits = self._limits(threads, memory_limit, temp_directory)
        self.connection = self._connect(connection)
        self._shared = _shared(self.connection)
        self._temporary: list[tuple[str, str]] = []
        self.ran: list[str] = []
        self._before: dict[str, Any] = {}
        self._files_read: list[str] = []
        self._wanted = limits
        if self._own:
            self._limit()
        self._finalizer = weakref.finalize(self, _leave, self._shared.left, self._temporary)

    def _connect(self, connection: Any) -> duckdb.DuckDBPyConnection:
        if isinstance(connection, duckdb.DuckDBPyConnection):
            return connection
        if connection is None:
            return duckdb.connect(config={"temp_directory": _spill_folder()})
        path = Path(os.fspath(connection))
        if not path.is_file():
            raise InputError(f"{path}: no such database file; check the path")
        try:
            return duckdb.connect(str(path), read_only=True)
        except duckdb.Error as error:
            raise InputError(f"{path}: {_first_line(error)}; give a DuckDB database file") from error

    def _limits(
        self,
        threads: int | None,
        memory_limit: str | None,
        temp_directory: str | os.PathLike[str] | None,
    ) -> dict[str, int | str]:
        """Check the limits before a statement could abort a transaction of the caller."""
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise InputError(f"threads={threads!r}: not a number of threads; write threads=4")
        if memory_limit is not None and not self._own:
            raise InputError(
                f"memory_limit={memory_limit!r}: DuckDB shows the limit of your connection rounded only, so "
                "it could not be put back; run SET memory_limit = '4GB' on the connection"
            )
        folder = None if temp_directory is None else _writable_folder(temp_directory)
        limits = {"threads": threads, "memory_limit": memory_limit, "temp_directory": folder}
        return {name: value for name, value in limits.items() if value is not None}

    def _limit(self) -> None:
        """Set the limits of this call; what the caller's connection had is kept for `release`."""
        for name, value in self._wanted.items():
            try:
                if not self._own:
                    current = exp.func("current_setting", literal(name), dialect=self.dialect)
                    before = self._beside(exp.select(current).sql(self.dialect)).fetchall()[0][0]
                    self._before.setdefault(name, before)
                self._set(name, value)
            except duckdb.Error as error:
                raise InputError(
                    f"{name}={value!r}: {_first_line(error)}; write threads=4, memory_limit='4GB'"
                ) from error

    def _set(self, name: str, value: int | str) -> None:
        assignment = exp.EQ(this=exp.to_identifier(name), expression=literal(value))
        self._beside(exp.Set(expressions=[exp.SetItem(this=assignment)]).sql(self.dialect))

    def _beside(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement that holds for the whole database, outside of a transaction of the caller."""
        return (self.connection if self._own else self.connection.cursor()).execute(text)

    @contextmanager
    def exclusive(self, keep: bool = True) -> Iterator[None]:
        """Keep other threads from the connection for one call; drop what former calls left behind."""
        with self._shared.lock:
            self._sweep()
            self._refuse_other_functions()
            before = len(self._temporary)
            try:
                if not self._own:
                    self._limit()
                yield
            except BaseException:
                keep = False  # the error may be held for long, and with it all that its frames refer to
                raise
            finally:
                if not keep and not self._own:
                    _leave(self._shared.left, self._temporary, before)
                    self._sweep()
                self.release()

    def _refuse_other_functions(self) -> None:
        """Refuse macros that stand in for functions of DuckDB, because our queries would call them.

        Raises:
            InputError: names them.
        """
        if self._fresh:
            return
        if found := self.rows(_OTHER_FUNCTIONS):
            names = ", ".join(name for (name,) in found)
            raise InputError(
                f"connection: a macro stands in for the function {names} of DuckDB, which would change our "
                "numbers; rename or drop it, or pass another connection"
            )

    def _sweep(self) -> None:
        self._shared.left[:] = _drop(self.connection, self._shared.left)

    def release(self) -> None:
        """Give a caller's connection its own settings back, and take our macros from it."""
        for name, value in self._before.items():
            self._set(name, value)
        self._before.clear()
        macros = [made for made in self._temporary if made[0] == "MACRO"]
        self._temporary[:] = [made for made in self._temporary if made not in macros]
        self._temporary += _drop(self.connection, macros)

    def rows(self, query: exp.Query | str) -> list[tuple[Any, ...]]:
        with self._shared.lock:
            return self._execute(query).fetchall()

    def arrow(self, query: exp.Query | str) -> pa.Table:
        text = query if isinstance(query, str) else query.sql(self.dialect)
        try:
            with self._shared.lock:
                relation = self.connection.sql(text)
                # DuckDB 1.4 has the older name only.
                fetch = getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table
                return fetch()
        except duckdb.Error as error:
            raise _refused(error, text) from error

    def keep(self, name: str, query: exp.Query, more: bool = False) -> None:
        """Keep the rows of a query in a temporary table.

        Args:
            more: the table is there, and gets more rows.
        """
        statement: exp.Expr
        if more:
            statement = exp.Insert(this=exp.to_table(name), expression=query)
        else:
            temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
            statement = exp.Create(
                this=exp.to_table(name), kind="TABLE", expression=query, properties=temporary
            )
            self._temporary.append(("TABLE", name))
        text = statement.sql(self.dialect, pretty=True, copy=False)
        self._execute(text)
        self.ran.append(text)

    def collect(self, name: str, query: exp.Query) -> None:
        """Keep the few rows of a result, as all others."""
        self.keep(name, query)

    def define(self, macros: Sequence[exp.Create]) -> None:
        """Create temporary macros for the queries to come, until `release`.

        Named in full when they are dropped: a macro of the database may have the same name.
        """
        for macro in macros:
            text = macro.sql(self.dialect, pretty=True)
            try:
                # Created again, because another engine may have dropped them from the same connection.
                self._execute(text)
            except EngineError as error:
                # With enable_macro_dependencies, one that others call is not replaced: it is there already.
                if text not in self.ran or not isinstance(error.__cause__, duckdb.DependencyException):
                    raise
            made = ("MACRO", f"temp.main.{macro.this.this.name}")
            if made not in self._temporary:
                self._temporary.append(made)
                self.ran.append(text)

    def kept(self, name: str) -> exp.Select:
        """Return the query of a table that was kept."""
        return exp.select(exp.Star()).from_(name)

    def copy(self, query: exp.Query, path: str | Path) -> None:
        """Write a query's rows to a Parquet file; see `outputs` for what may be replaced."""
        target = Path(os.path.expanduser(path))
        outputs.refuse(target, "parquet", self._files_read)
        with outputs.replacing(target, "parquet") as draft:
            self._execute(
                exp.Copy(
                    this=query.subquery(), kind=False, files=[literal(str(draft))],
                    params=[exp.CopyParameter(this=exp.var("FORMAT"), expression=exp.var("PARQUET"))],
                ).sql(self.dialect)
            )  # fmt: skip

    def columns(self, query: exp.Query) -> list[tuple[str, str]]:
        with self._shared.lock:
            described = self._execute(exp.Describe(this=query)).fetchall()
        return [(row[0], row[1]) for row in described]

    def watch(self) -> None:
        """Make DuckDB measure the progress of the queries to come."""
        self.connection.execute("SET enable_progress_bar = true")
        self.connection.execute("SET enable_progress_bar_print = false")

    def progress(self) -> float | None:
        """Percent of the running query that is done, when DuckDB knows."""
        done = self.connection.query_progress()
        return done if done >= 0 else None

    def attach(self, table: Any, role: Role) -> Source:
        """Find out what a table argument means and read its columns.

        Raises:
            InputError: there is no such table, or it cannot be read.
        """
        source = self._attach(table, role)
        probe = exp.select(exp.Star()).from_(source.relation.copy())
        try:
            self._bind_only(probe.sql(self.dialect))
            columns = dict(self.columns(probe))
            empty = not self.rows(exp.select(literal(1)).from_(source.relation.copy()).limit(1))
        except EngineError as error:
            if error.out_of_memory:
                raise
            raise InputError(f"{source.label}: cannot be read: {error}; check it") from error
        return replace(source, columns=columns, empty=empty, renamed=self._renamed(table, source, columns))

    def _renamed(self, table: Any, source: Source, columns: Mapping[str, str]) -> dict[str, str]:
        """The columns that DuckDB calls otherwise: of ``Score`` and ``score``, the second is ``score_1``."""
        folded = {name.lower() for name in columns}
        if not any((found := _NUMBERED.fullmatch(name)) and found[1].lower() in folded for name in columns):
            return {}
        names = _names_of(table)
        if names is None and source.statistics and isinstance(source.relation.this, exp.Anonymous):
            names = self._names_in_file(source.relation.this.expressions[0])
        if names is None or len(names) != len(columns):
            return {}
        pairs = zip(names, columns, strict=True)
        return {name: known for name, known in pairs if name not in columns and name.lower() in folded}

    def _names_in_file(self, paths: exp.Expr) -> list[str]:
        """The names of the columns in the first of some Parquet files."""
        schema = exp.Table(this=exp.Anonymous(this="parquet_schema", expressions=[paths.copy()]))
        query = exp.select("file_name", "name", "num_children").from_(schema)
        rows = self.rows(query)
        names, inside = [], [0]
        for _, name, children in (row for row in rows if row[0] == rows[0][0]):
            while inside and inside[-1] == 0:
                inside.pop()
            if len(inside) == 1:
                names.append(str(name))
            if inside:
                inside[-1] -= 1
            inside.append(children or 0)
        return names

    def _attach(self, table: Any, role: Role) -> Source:
        if isinstance(table, os.PathLike):
            return self._file(os.fspath(table), role)
        if isinstance(table, str):
            kind = kind_of_text(table)
            text = table.removeprefix(f"{kind}:")
            if kind == "sql":
                return self._sql(text)
            if kind == "file":
                return self._file(text, role)
            return self._named(text, role, table.startswith("table:"))
        if isinstance(table, list | tuple) and all(isinstance(p, str | os.PathLike) for p in table):
            for path in table:
                self._refuse_lake(os.fspath(path))
            return self._files([os.fspath(p) for p in table], role, ", ".join(map(str, table)))
        return self._frame(table, role)

    def _named(self, text: str, role: Role, forced: bool) -> Source:
        found = self._entry(text)
        exists = not forced and Path(text).exists()
        if found and exists:
            raise InputError(f"{text}: both a {found[0]} and a file; write 'table:{text}' or 'file:{text}'")
        if found:
            kind, relation = found
            if kind == "view":
                self._refuse_volatile_view(text, relation)
            return Source(text, relation, {}, rowid=kind == "table", statistics=kind == "table")
        if exists:
            return self._file(text, role)
        raise InputError(
            f"{text}: no such table, view or file; check the name, or pass connection= "
            "(on the command line --database) if it lives in a database"
        )

    def _entry(self, text: str) -> tuple[str, exp.Table] | None:
        """Find a table or view of the connection and name it in full.

        In full, because a step of the composed query may have the same name.
        """
        for name, outer in _readings(text):
            for kind in ("table", "view"):
                listing = exp.Table(
                    this=exp.Anonymous(this={"table": "duckdb_tables", "view": "duckdb_views"}[kind])
                )
                same = exp.EQ(
                    this=exp.func("lower", exp.column(f"{kind}_name")), expression=literal(name.lower())
                )
                listed = exp.select("database_name", "schema_name", f"{kind}_name").from_(listing).where(same)
                here = self.rows("SELECT current_database(), current_schema()")[0]
                for database, schema, known in sorted(self.rows(listed), key=lambda row: row[0] != "temp"):
                    near = database == "temp" or (database, schema) == here
                    if all(p.lower() in (database.lower(), schema.lower()) for p in outer) if outer else near:
                        parts = (exp.to_identifier(p, quoted=True) for p in (known, schema, database))
                        return kind, exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=True)))
        return None

    def _refuse_volatile_view(self, label: str, view: exp.Table) -> None:
        """Refuse a view that gives other rows at every reading; views that it reads are not looked at."""
        listed = exp.Table(this=exp.Anonymous(this="duckdb_views"))
        keys = zip(
            ("view_name", "schema_name", "database_name"), (view.name, view.db, view.catalog), strict=True
        )
        same = [exp.EQ(this=exp.column(key), expression=literal(value)) for key, value in keys]
        for (text,) in self.rows(exp.select(exp.column("sql")).from_(listed).where(*same)):
            refuse_volatile(label, text)

    def _sql(self, text: str) -> Source:
        label = label_of_sql(text)
        try:
            statements = self.connection.extract_statements(text)
        except duckdb.Error as error:
            raise InputError(f"{label}: {_first_line(error)}; mend the query") from error
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise InputError(f"{label}: not one SELECT; give a single query")
        refuse_streams(label, paths_in_sql(text))
        refuse_volatile(label, text)
        try:
            self._bind(text)
        except duckdb.Error as error:
            raise InputError(f"{label}: {_first_line(error)}; mend the query") from error
        name = self.name("sql")
        self._files_read.append(f"sql:{text}")
        try:
            self._view(name, text)
        except duckdb.Error as error:
            raise InputError(f"{label}: {_first_line(error)}; mend the query") from error
        return Source(label, exp.to_table(name), {})

    def _bind(self, text: str) -> None:
        """Bind a query without a statement, which would abort a transaction of the caller if it failed.

        As a subquery, because the client runs a query at once that changes data in a WITH.
        """
        whole = exp.select("*").from_(exp.Subquery(this=exp.Var(this=f"{text}\n"))).sql(self.dialect)
        try:
            statements = self.connection.extract_statements(whole)
        except duckdb.Error:
            return  # a query with a semicolon, or one that a view refuses
        if len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT:
            self.connection.sql(whole)

    def _bind_only(self, text: str) -> None:
        """Look at a table of a caller's connection first, as `_bind` does."""
        if self._own:
            return
        try:
            with self._shared.lock:
                self.connection.sql(text)
        except duckdb.Error as error:
            raise _refused(error, text) from error

    def _view(self, name: str, text: str) -> None:
        """Make the user's own SQL a temporary view, where no step of ours is in its scope."""
        view = exp.Create(
            this=exp.to_table(name), kind="VIEW", expression=exp.Var(this=text),
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )  # fmt: skip
        self.connection.execute(view.sql(self.dialect))
        self._temporary.append(("VIEW", name))

    def _file(self, path: str, role: Role) -> Source:
        expanded = path if os.path.exists(path) else os.path.expanduser(path)
        self._refuse_lake(path)
        if os.path.isdir(expanded):
            refuse_streams(path, glob.iglob(os.path.join(glob.escape(expanded), "**"), recursive=True))
            formats = {file_format(p): p for p in sorted(
                glob.glob(os.path.join(glob.escape(expanded), "**", "*.*"), recursive=True))}  # fmt: skip
            known = [f for f in ("parquet", "csv", "json", "trec") if f in formats]
            if len(known) != 1:
                raise InputError(f"{path}: a folder with {' and '.join(known) or 'no'} files; "
                                 "give a pattern such as 'folder/**/*.parquet'")  # fmt: skip
            suffix = Path(str(formats[known[0]])).suffix
            pattern = os.path.join(glob.escape(expanded), "**", f"*{suffix}")
            return self._read_files([pattern], role, path, known[0])
        return self._files([expanded], role, path)

    def _refuse_lake(self, path: str) -> None:
        """Refuse the files of a table that keeps older versions of its rows; see `lakes`."""
        expanded = os.path.expanduser(path)
        if re.match(r"[a-z0-9]+://", path) is None:
            # A name with wildcards that exists means that file.
            place = glob.escape(expanded) if os.path.exists(expanded) else expanded
            lakes.refuse(place, self.dialect, os.path.isdir(expanded), _first_match)
        else:
            lakes.refuse(path, self.dialect, not file_format(path), self._first_remote)

    def _first_remote(self, pattern: str) -> str | None:
        listed = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(pattern)]))
        try:
            found = self.rows(exp.select("file").from_(listed).limit(1))
        except EngineError:
            return None  # what cannot be listed is read, or refused, as it was named
        return str(found[0][0]) if found else None

    def _files(self, paths: Sequence[str], role: Role, label: str) -> Source:
        """Read files and patterns of one format; what exists under its literal name is no pattern."""
        exact = []
        for path in paths:
            if re.match(r"[a-z0-9]+://", path):
                exact.append(path)
                continue
            exact.append(exact_path(path if os.path.exists(path) else os.path.expanduser(path)))
            found = glob.glob(exact[-1], recursive=True)
            if not found:
                raise InputError(f"{path}: no such file; check the path")
            refuse_streams(label, found)
        return self._read_files(exact, role, label)

    def _read_files(self, paths: Sequence[str], role: Role, label: str, format_: str | None = None) -> Source:
        formats = {format_ or file_format(path) for path in paths}
        if len(formats) != 1 or None in formats:
            raise InputError(
                f"{label}: the format cannot be told from the name; use one of "
                f"{', '.join(sorted(FILE_SUFFIXES))}"
            )
        kind = formats.pop()
        self._files_read += [f"file:{path}" for path in paths]
        listed = exp.Array(expressions=[literal(path) for path in paths])
        if kind == "trec":
            return Source(label, self._trec(listed, role, label), {}, ordered=True)
        options = [exp.EQ(this=exp.to_identifier("union_by_name"), expression=exp.true())]
        reader = exp.Anonymous(this=_READERS[str(kind)], expressions=[listed, *options])
        return Source(label, exp.Table(this=reader), {}, ordered=True, statistics=kind == "parquet")

    def _trec(self, listed: exp.Expr, role: Role, label: str) -> exp.Expr:
        """Read a TREC run or qrels file: columns apart by blanks, ids as text."""
        reader = _TREC_READERS.get(role)
        if reader is None:
            raise InputError(f"{label}: a TREC file can be predictions or truth only; use Parquet")
        query = definition("shell", reader).query.copy()
        for placeholder in list(query.find_all(exp.Placeholder)):
            placeholder.replace(listed.copy())
        self._refuse_swapped(query, role, label)
        return query.subquery("trec")

    def _refuse_swapped(self, query: exp.Query, role: Role, label: str) -> None:
        """Refuse qrels in place of a run, and a run in place of qrels: a run has six columns."""
        lines = query.args["from_"].this.copy()
        try:
            found = self.rows(exp.select(exp.func("len", exp.column("fields"))).from_(lines).limit(1))
        except EngineError:
            return  # read again, and refused with what is wrong with it
        if found and found[0][0] == {"predictions": 4, "truth": 6}[role]:
            seems, wanted = ("as qrels have", "run") if role == "predictions" else ("as a run has", "qrels")
            raise InputError(
                f"{label}: {found[0][0]} columns, {seems}, in place of the {wanted}; "
                "give the run first, then the qrels"
            )

    def _frame(self, table: Any, role: Role) -> Source:
        """Take an Arrow, pandas or Polars frame, or a relation of this connection."""
        label = f"{role} ({type(table).__name__})"
        if is_of_spark(table):
            raise UnsupportedError(
                f"{label}: a DataFrame of Spark, whose rows would all pass through the driver; only evaluate "
                "and curve run on Spark, so write it to Parquet, or hand over frame.toArrow() if it is small"
            )
        name = self.name(role)
        if isinstance(table, duckdb.DuckDBPyRelation):
            return self._relation(table, name, label)
        kind = type(table).__name__
        try:
            if kind in _READ_ONCE or not _registers(table):
                table = self._streamed(table, label)
            self.connection.register(name, table)
        except TypeError as error:
            raise InputError(
                f"{label}: not a table; give a path, a table name, SQL, a relation or a frame"
            ) from error
        except duckdb.Error as error:
            raise InputError(f"{label}: {_first_line(error)}; give another kind of table") from error
        self._temporary.append(("VIEW", name))
        return Source(label, exp.to_table(name), {}, ordered=True)

    def _streamed(self, table: Any, label: str) -> pa.Table:
        """Read a stream that can be read only once into Arrow memory."""
        import pyarrow as pa

        if hasattr(table, "read_all"):
            return table.read_all()
        if hasattr(table, "to_table"):
            return table.to_table()
        if isinstance(table, pa.RecordBatch):
            return pa.Table.from_batches([table])
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
        raise TypeError(label)

    def _relation(self, relation: duckdb.DuckDBPyRelation, name: str, label: str) -> Source:
        try:
            # DuckDB refuses a relation of another database here, where its text would name our tables.
            self.connection.sql("FROM relation LIMIT 0")
            self._view(name, relation.sql_query())
        except duckdb.Error:
            # A relation over frames, or of another connection, cannot be told as text.
            self.connection.register(name, relation.to_arrow_table())
            self._temporary.append(("VIEW", name))
        return Source(label, exp.to_table(name), {})

    def _execute(self, query: exp.Expr | str) -> duckdb.DuckDBPyConnection:
        text = query if isinstance(query, str) else query.sql(self.dialect, copy=False)
        try:
            return self.connection.execute(text)
        except duckdb.Error as error:
            raise _refused(error, text) from error
        except RuntimeError as error:  # what the client makes of Ctrl-C while a query runs
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from error
            raise


def write_database(path: str | os.PathLike[str], statements: Iterable[str]) -> None:
    """Make a new database file by running statements in it, all in one transaction.

    See `outputs` for what may be replaced.

    Args:
        statements: what creates the contents; they run one by one, with the new database in use.
    Raises:
        InputError: the file cannot be written, or holds something else.
        EngineError: the database refuses a statement.
    """
    target = Path(path)
    outputs.refuse(target, outputs.DATABASE)
    if target.is_file() and target.stat().st_size and not holds_only_macros(target):
        raise InputError(f"{path}: a database that holds more than our macros; choose a new file")
    with outputs.replacing(target, outputs.DATABASE) as draft, duckdb.connect() as connection:
        place = literal(str(draft)).sql("duckdb")
        try:
            connection.execute(f"ATTACH {place} AS written (STORAGE_VERSION {OLDEST_STORAGE})")
            connection.execute("USE written")
            connection.execute("BEGIN")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute("USE memory; DETACH written")
        except duckdb.Error as error:
            raise _refused(error, f"ATTACH {place}") from error


def holds_only_macros(path: Path) -> bool:
    """Say whether a database holds our macros, and nothing of anybody else."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            ((tables_and_views, others, own),) = connection.execute(_CONTENTS).fetchall()
    except duckdb.Error:
        return False
    return not tables_and_views and not others and own > 0


def _first_match(pattern: str) -> str | None:
    return next(glob.iglob(pattern, recursive=True), None)


def _registers(table: Any) -> bool:
    """Say whether DuckDB can scan the object itself."""
    module = type(table).__module__.partition(".")[0]
    return module in ("pandas", "pyarrow", "polars")


def _names_of(table: Any) -> list[str] | None:
    """The names of the columns of a frame; None of what is none."""
    schema = getattr(table, "schema", None)
    names = getattr(schema, "names", None) or getattr(table, "columns", None)
    is_frame = not isinstance(table, str | os.PathLike | list | tuple | duckdb.DuckDBPyRelation)
    return [str(name) for name in names] if is_frame and names is not None and not callable(names) else None


def _readings(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a name can mean: all of it the table, or the parts catalog.schema.table."""
    yield text, []
    try:
        name, *outer = [part.name for part in reversed(exp.to_table(text, dialect="duckdb").parts)]
    except (ParseError, TokenError, ValueError):
        return
    yield name, outer


def _refused(error: duckdb.Error, text: str) -> EngineError:
    if tempfile.gettempdir() in str(error) and "duckmetrics" in str(error) and not _is_full(error):
        advice = "name a folder to spill to (--temp-directory)"
        return EngineError(f"DuckDB: {_first_line(error)}; {advice}", text)
    if "Too many open files" in str(error):
        return EngineError(f"DuckDB: {_first_line(error)}; {MORE_FILES}", text, unreadable=True)
    if _is_full(error):
        return EngineError(f"DuckDB: {_first_line(error)}; {MORE_ROOM}", text, out_of_memory=True)
    return EngineError(f"DuckDB: {_first_line(error)}", text, isinstance(error, _UNREADABLE))


def _is_full(error: duckdb.Error) -> bool:
    """Say whether memory or the disk that it is spilled to was too small."""
    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error)


def _writable_folder(path: str | os.PathLike[str]) -> str:
    """Return the folder as text; DuckDB makes it when it first needs it, its parent has to be there.

    Raises:
        InputError: nothing can be written there.
    """
    folder = Path(os.path.expanduser(os.fspath(path))).absolute()
    existing = folder if folder.exists() else folder.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(f"temp_directory={str(path)!r}: no folder that can be written to; choose another")
    return str(folder)


def _spill_folder() -> str:
    """Return a folder of this user that nobody else can read, where DuckDB writes what memory cannot hold."""
    owner = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / ("duckmetrics" if owner is None else f"duckmetrics-{owner}")
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and owner in (None, found.st_uid):
            folder.chmod(0o700)
            return str(folder)
        # Somebody else made a file, a link or a folder of this name.
        return tempfile.mkdtemp(prefix=f"{folder.name}-")
    except OSError:
        return str(folder)  # DuckDB says so if it needs the folder


def _first_line(error: Exception) -> str:
    """What DuckDB says; where it cites another message between quotes, the line may end before that."""
    first, *others = [line.strip() for line in str(error).strip().splitlines()]
    if others and first.endswith((":", "'", ":'")) and first.count("'") % 2:
        first = f"{first} {others[0]}"
    if isinstance(error, duckdb.InternalException):
        first = f"{first}; a defect of DuckDB, seen with attached databases: copy the rows into a table first"
    return first.rstrip(".")


def _leave(left: list[tuple[str, str]], temporary: list[tuple[str, str]], start: int = 0) -> None:
    """Note what is to be dropped by the next call."""
    left += temporary[start:]
    del temporary[start:]


def _drop(connection: duckdb.DuckDBPyConnection, temporary: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop temporary objects, and return those that an aborted transaction still keeps."""
    kept: list[tuple[str, str]] = []
    for kind, name in reversed(temporary):
        try:
            # Before 30.30 or so, sqlglot writes `this`, and later the first of `tables`.
            parts = {"this": exp.to_table(name), "tables": [exp.to_table(name)]}
            connection.execute(exp.Drop(**parts, kind=kind, exists=True).sql("duckdb"))
        except duckdb.TransactionException:
            kept.insert(0, (kind, name))
        except duckdb.Error:
            continue
    return kept
