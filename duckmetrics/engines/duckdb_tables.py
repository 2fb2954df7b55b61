"""Tables as people name them, found in a DuckDB connection: tables, views, SQL, files and frames."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import near_names
from duckmetrics.engines.duckdb_csv import unreadable
from duckmetrics.engines.duckdb_errors import FRAMES, first_line
from duckmetrics.engines.duckdb_files import DuckDBFiles
from duckmetrics.engines.engine import new_name
from duckmetrics.engines.snapshots import is_cheap, is_copied
from duckmetrics.errors import EngineError, InputError, UnsupportedError
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.advice import COLUMNS, PAIRS, words_of
from duckmetrics.inputs.sources import (
    Source,
    is_of_spark,
    kind_of_text,
    label_of_sql,
    paths_in_sql,
    refuse_streams,
    refuse_volatile,
)
from duckmetrics.inputs.versions import versioned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from duckmetrics.engines.connection import DuckDBConnection
    from duckmetrics.inputs.sources import Role
    from duckmetrics.inputs.versions import Version


# Objects that compute, or fetch, their rows whenever they are read.
_DEAR = ("LazyFrame", "FileSystemDataset", "Dataset", "UnionDataset")
# Methods that return all rows as Arrow: of BigQuery and Iceberg, and of cursors of Snowflake and others.
_FETCHES = ("to_arrow", "fetch_arrow_all", "fetch_arrow_table", "fetchall_arrow")
_READ_ONCE = ("RecordBatchReader", "RecordBatch", "Scanner")


def frame_source(connection: DuckDBConnection, table: Any, role: Role) -> Source:
    """Take an Arrow, pandas or Polars frame, or a relation of this connection.

    Raises:
        InputError: it is not a table.
        UnsupportedError: it is a DataFrame of Spark.
    """
    kind, words = type(table).__name__, words_of(table)
    label = f"{role} ({'dict' if words in (COLUMNS, PAIRS) else kind})"
    if is_of_spark(table):
        raise UnsupportedError(
            label,
            "a DataFrame of Spark, whose rows would all pass through the driver",
            (
                "write it to Parquet, or hand over frame.toArrow() if it is small; check, evaluate, compare, "
                "leaderboard, explain and curve run on Spark"
            ),
        )
    name = new_name(role)
    table = _with_index(table)
    if isinstance(table, duckdb.DuckDBPyRelation):
        return replace(_relation(connection, table, name, label), frame=words)
    try:
        if kind in _READ_ONCE or not _registers(table):
            table = _streamed(table, label)
        connection.register(name, _with_wide_floats(table))
    except TypeError as error:
        raise InputError(
            label, "not a table", "give a path, a table name, SQL, a relation or a frame"
        ) from error
    except InputError:
        raise
    except Exception as error:  # each package has classes of its own
        raise InputError(label, first_line(error), "give another kind of table") from error
    return Source(label, exp.to_table(name), {}, ordered=True, in_place=kind not in _DEAR, frame=words)


def frame_columns(table: Any) -> list[str] | None:
    """Return the names of the columns of a frame, None if the object is not a frame."""
    schema = getattr(table, "schema", None)
    names = getattr(schema, "names", None) or getattr(table, "columns", None)
    is_frame = not isinstance(table, str | os.PathLike | list | tuple | duckdb.DuckDBPyRelation)
    return [str(name) for name in names] if is_frame and names is not None and not callable(names) else None


def _with_index(table: Any) -> Any:
    """Return a frame of pandas with its named index as columns, which DuckDB ignores; columns win."""
    names = getattr(getattr(table, "index", None), "names", None)
    if type(table).__module__.partition(".")[0] != "pandas" or names is None:
        return table
    new = [name for name in names if name is not None and name not in table.columns]
    return table.reset_index(level=new) if new else table


def _with_wide_floats(table: Any) -> Any:
    """Return a table of Arrow or Polars with its half floats as floats, because DuckDB has no half floats."""
    package = type(table).__module__.partition(".")[0]
    if package == "pyarrow" and hasattr(table, "cast"):
        import pyarrow as pa

        wide = {f.name: f.with_type(pa.float32()) for f in table.schema if pa.types.is_float16(f.type)}
        return table.cast(pa.schema([wide.get(f.name, f) for f in table.schema])) if wide else table
    if hasattr(table, "collect_schema") and "Float16" in map(str, table.collect_schema().dtypes()):
        from polars import Float16, Float32

        return table.cast({Float16: Float32})
    return table


def _registers(table: Any) -> bool:
    """Return whether DuckDB can scan the object itself."""
    module = type(table).__module__.partition(".")[0]
    return module in ("pandas", "pyarrow", "polars")


def _streamed(table: Any, label: str) -> pa.Table:
    """Read a stream that can be read only once into Arrow memory."""
    import pyarrow as pa

    if hasattr(table, "to_pyarrow_dataset"):  # of Delta
        return table.to_pyarrow_dataset().to_table()
    if type(table).__module__.partition(".")[0] == "datasets":
        return _of_hugging_face(table, label)
    if hasattr(type(table), "scan"):  # of Iceberg
        table = table.scan()
    fetch = next((name for name in _FETCHES if hasattr(table, name)), None)
    if fetch is not None and not hasattr(table, "__arrow_c_stream__"):
        table = getattr(table, fetch)()
        if table is None:  # as of Snowflake, whose cursor has no Arrow table without rows
            raise InputError(label, "no rows, or they were fetched already", "run the query again")
    if hasattr(table, "read_all"):
        return table.read_all()
    if hasattr(table, "to_table"):
        return table.to_table()
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    raise TypeError(label)


def _of_hugging_face(table: Any, label: str) -> pa.Table:
    """Read a dataset of Hugging Face, whose rows may be a selection of others, in another order."""
    if hasattr(table, "keys"):
        advice = f"give one of them, as in data[{next(iter(table), 'test')!r}]"
        raise InputError(label, f"has the splits {', '.join(map(str, table))}", advice)
    if not hasattr(table, "num_rows"):
        raise InputError(label, "is a stream, which is read only once", "load it with streaming=False")
    return table.with_format("arrow")[:]


def _relation(
    connection: DuckDBConnection, relation: duckdb.DuckDBPyRelation, name: str, label: str
) -> Source:
    try:
        # DuckDB refuses a relation of another database here, where its text would name our tables.
        connection.raw.sql("FROM relation LIMIT 0")
        connection.raw.sql(relation.sql_query())  # binds, because a failed statement aborts a transaction
        connection.see_one_moment()
        connection.create_view(name, relation.sql_query())
    except duckdb.Error as error:
        # A relation over frames, or of another connection, cannot be written as text.
        rows = relation.to_arrow_table()
        try:
            connection.register(name, rows)
        except duckdb.TransactionException:  # an older DuckDB, where the call has a transaction open
            advice = "hand over its rows, as in relation.to_arrow_table()"
            raise InputError(label, "is a relation of another connection", advice) from error
    return Source(label, exp.to_table(name), {})


_NUMBERED = re.compile(r"(.+)_\d+")
# Types whose values FLOAT may round.
_LONGER = r"^U?(INTEGER|BIGINT|HUGEINT)$|^DECIMAL"
_VERSIONS_OF_FOLDERS = "give the folder of a Delta or Iceberg table"
_LISTINGS = {"table": "duckdb_tables", "view": "duckdb_views"}


class DuckDBTables:
    """Finds out what a table argument means."""

    def __init__(self, connection: DuckDBConnection) -> None:
        self._connection = connection
        self._files = DuckDBFiles(connection)

    @property
    def used(self) -> list[str]:
        """The files and queries that tables were read from, such as "file:a.parquet"."""
        return self._files.used

    def refuse_changed(self) -> None:
        """Refuse results of files that changed while they were read; see `DuckDBFiles`."""
        self._files.refuse_changed()

    def attach(self, table: Any, role: Role, snapshot: str, version: Version | None = None) -> Source:
        """Find a table and read its columns.

        Args:
            snapshot: when tables are copied, see `snapshots`.

        Raises:
            InputError: there is no such table or version, or it cannot be read.
        """
        source = self._found(table, role, version)
        probe = exp.select(exp.Star()).from_(source.relation.copy())
        try:
            self._bind_only(probe.sql(DIALECT))
            columns = dict(self._connection.columns(probe))
            source = replace(source, columns=columns, in_place=source.in_place and self._is_in_place(source))
            empty = not is_copied(source, snapshot) and self.is_empty(source.relation)
        except EngineError as error:
            if error.out_of_memory:
                raise
            raise unreadable(source.label, error) from error
        _refuse_rounded(self._connection, source, columns)
        return replace(source, empty=empty, renamed=self._renamed(table, source, columns))

    def is_empty(self, relation: exp.Expr) -> bool:
        """Return whether a table has no row."""
        return not self._connection.rows(exp.select(literal(1)).from_(relation.copy()).limit(1))

    def _is_in_place(self, source: Source) -> bool:
        """Return whether it costs little to read a table again; for a view or query, the plan decides."""
        if source.statistics or not isinstance(source.relation, exp.Table):
            return True
        plan = exp.select(exp.Star()).from_(source.relation.copy()).sql(DIALECT)
        return is_cheap(self._connection.rows(f"EXPLAIN (FORMAT JSON) {plan}")[0][1])

    def has_versions(self, table: Any) -> bool:
        """Return whether a table argument is the path of a table that keeps older versions."""
        path = self._path(table)
        return path is not None and self._files.has_versions(path)

    def _path(self, table: Any) -> str | None:
        """Return the path that a table argument means, None if it means something else."""
        if isinstance(table, os.PathLike):
            return str(os.fspath(table))
        if not isinstance(table, str):
            return None
        kind = kind_of_text(table)
        text = table.removeprefix(f"{kind}:")
        if kind == "file":
            return text if text != table or not self._is_entry(text) else None
        if kind == "sql" or text != table:
            return None
        folder, version = versioned(text)
        is_path = os.path.exists(text) or (version is not None and os.path.exists(folder))
        return text if is_path and self._entry(text) is None else None

    def _found(self, table: Any, role: Role, version: Version | None) -> Source:
        path = self._path(table)
        if path is not None:
            return self._files.named(path, role, version)
        if version is not None:
            raise _without_versions(table, role)
        if isinstance(table, str):
            kind = kind_of_text(table)
            text = table.removeprefix(f"{kind}:")
            return self._sql(text) if kind == "sql" else self._named(text, table.startswith("table:"))
        if isinstance(table, list | tuple) and all(isinstance(p, str | os.PathLike) for p in table):
            return self._files.listed([os.fspath(p) for p in table], role)
        return frame_source(self._connection, table, role)

    # --- names -----------------------------------------------------------------------------------

    def _is_entry(self, text: str) -> bool:
        """Return whether a name with the ending of a file is one of the connection, such as ``shop.run``."""
        return not any(mark in text for mark in "/\\*?") and self._entry(text) is not None

    def _named(self, text: str, forced: bool) -> Source:
        """Find a table or view of a name.

        Args:
            forced: the caller says that it is a table.
        """
        found = self._entry(text)
        if found and not forced and os.path.exists(text):
            raise InputError(text, f"both a {found[0]} and a file", f"write 'table:{text}' or 'file:{text}'")
        if found:
            self._connection.see_one_moment()
            kind, relation = found
            if kind == "view":
                self._refuse_volatile_view(text, relation)
            is_ours = kind == "table" and not self._is_foreign(relation)
            return Source(
                text, relation, {}, rowid=is_ours, statistics=is_ours, in_place=kind == "view" or is_ours
            )
        known = {name for kind in _LISTINGS for _, _, name in self._entries(kind)}
        advice = (
            "check the name, or pass connection= (on the command line --database) if it lives in a database"
        )
        raise InputError(text, "no such table, view or file", near_names.advice_for(text, known, advice))

    def _is_foreign(self, table: exp.Table) -> bool:
        """Return whether a table lives in a database of another kind, such as PostgreSQL."""
        databases = exp.Table(this=exp.Anonymous(this="duckdb_databases"))
        kinds = exp.select("type").from_(databases).where(exp.column("database_name").eq(table.catalog))
        return self._connection.rows(kinds) != [("duckdb",)]

    def _entry(self, text: str) -> tuple[str, exp.Table] | None:
        """Find a table or view of the connection and name it in full.

        In full, because a step of the composed query may have the same name.
        """
        if self._connection.is_new:
            return None
        for name, outer in _readings(text):
            for kind in _LISTINGS:
                here = self._connection.rows("SELECT current_database(), current_schema()")[0]
                for database, schema, known in self._entries(kind, name):
                    near = database == "temp" or (database, schema) == here
                    if all(p.lower() in (database.lower(), schema.lower()) for p in outer) if outer else near:
                        parts = (exp.to_identifier(p, quoted=True) for p in (known, schema, database))
                        return kind, exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=True)))
        return None

    def _entries(self, kind: str, name: str | None = None) -> list[tuple[str, str, str]]:
        """List database, schema and name of the user's tables or views, temporary ones first.

        Args:
            name: list only those of that name.
        """
        listing = exp.Table(this=exp.Anonymous(this=_LISTINGS[kind]))
        called = exp.func("lower", exp.column(f"{kind}_name"))
        same = exp.column("internal").not_() if name is None else called.eq(name.lower())
        listed = exp.select("database_name", "schema_name", f"{kind}_name").from_(listing).where(same)
        found = [(str(row[0]), str(row[1]), str(row[2])) for row in self._connection.rows(listed)]
        return sorted(found, key=lambda row: row[0] != "temp")

    def _refuse_volatile_view(self, label: str, view: exp.Table) -> None:
        """Refuse a view that gives other rows at every reading; views that it reads are not looked at."""
        listed = exp.Table(this=exp.Anonymous(this="duckdb_views"))
        keys = zip(
            ("view_name", "schema_name", "database_name"), (view.name, view.db, view.catalog), strict=True
        )
        same = [exp.EQ(this=exp.column(key), expression=literal(value)) for key, value in keys]
        for (text,) in self._connection.rows(exp.select(exp.column("sql")).from_(listed).where(*same)):
            refuse_volatile(label, text)

    # --- SQL -------------------------------------------------------------------------------------

    def _sql(self, text: str) -> Source:
        """Make a query of the user a view.

        Raises:
            InputError: it is not one SELECT, DuckDB refuses it, or its rows change between readings.
        """
        label = label_of_sql(text)
        try:
            statements = self._connection.raw.extract_statements(text)
        except duckdb.Error as error:
            raise InputError(label, first_line(error), "fix the query") from error
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise InputError(label, "not one SELECT", "give a single query")
        paths = list(paths_in_sql(text))
        refuse_streams(label, paths)
        for path in paths:
            self._connection.reach(path)
        refuse_volatile(label, text)
        self._connection.see_one_moment()
        try:
            self._bind(text)
        except duckdb.CatalogException as error:
            what = first_line(error)
            near = "Did you mean" in what
            raise InputError(label, what, "fix the query" if near else f"fix the query; {FRAMES}") from error
        except duckdb.Error as error:
            raise InputError(label, first_line(error), "fix the query") from error
        name = new_name("sql")
        self.used.append(f"sql:{text}")
        whole = self._files.texts.read_whole(text, self._is_entry)
        try:
            self._connection.create_view(name, whole)
        except duckdb.Error as error:
            raise InputError(label, first_line(error), "fix the query") from error
        return Source(label, exp.to_table(name), {})

    def _bind(self, text: str) -> None:
        """Bind a query without a statement, which would abort a transaction of the caller if it failed.

        As a subquery, because the client runs a query at once that changes data in a WITH.
        """
        whole = exp.select("*").from_(exp.Subquery(this=exp.Var(this=f"{text}\n"))).sql(DIALECT)
        try:
            statements = self._connection.raw.extract_statements(whole)
        except duckdb.Error:
            return  # a query with a semicolon, or one that a view refuses
        if len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT:
            self._connection.raw.sql(whole)

    def _bind_only(self, text: str) -> None:
        """Look at a table of a caller's connection first, as `_bind` does."""
        if self._connection.is_own:
            return
        try:
            with self._connection.lock:
                self._connection.raw.sql(text)
        except duckdb.Error as error:
            raise self._connection.refused(error, text) from error

    # --- columns ---------------------------------------------------------------------------------

    def _renamed(self, table: Any, source: Source, columns: Mapping[str, str]) -> dict[str, str]:
        """Return the columns that DuckDB renames: of ``Score`` and ``score``, the second is ``score_1``."""
        folded = {name.lower() for name in columns}
        if not any((found := _NUMBERED.fullmatch(name)) and found[1].lower() in folded for name in columns):
            return {}
        names = frame_columns(table)
        if names is None and source.statistics and isinstance(source.relation.this, exp.Anonymous):
            names = self._names_in_file(source.relation.this.expressions[0])
        if names is None or len(names) != len(columns):
            return {}
        pairs = zip(names, columns, strict=True)
        return {name: known for name, known in pairs if name not in columns and name.lower() in folded}

    def _names_in_file(self, paths: exp.Expr) -> list[str]:
        """Return the names of the columns in the first of some Parquet files."""
        schema = exp.Table(this=exp.Anonymous(this="parquet_schema", expressions=[paths.copy()]))
        query = exp.select("file_name", "name", "num_children").from_(schema)
        rows = self._connection.rows(query)
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


def _refuse_rounded(connection: DuckDBConnection, source: Source, columns: Mapping[str, str]) -> None:
    """Refuse Parquet files of which some have whole numbers where others have FLOAT, which rounds them.

    Raises:
        InputError: names a file and its column.
    """
    single = [literal(name) for name, type_ in columns.items() if type_ == "FLOAT"]
    reader = source.relation.this
    if not source.statistics or not single or not isinstance(reader, exp.Anonymous):
        return
    schema = exp.Table(this=exp.Anonymous(this="parquet_schema", expressions=[reader.expressions[0].copy()]))
    longer = exp.RegexpLike(this=exp.column("duckdb_type"), expression=literal(_LONGER))
    query = exp.select("file_name", "name", "duckdb_type").from_(schema)
    query = query.where(longer, exp.column("name").isin(*single)).order_by("file_name", "name").limit(1)
    for file, name, type_ in connection.rows(query):
        raise InputError(
            source.label,
            f"{file} has {name!r} as {type_}, and other files as FLOAT, which would round it",
            f'write the files with one type, as in "SELECT * REPLACE (CAST({name} AS DOUBLE) AS {name})"',
        )


def _without_versions(table: Any, role: Role) -> InputError:
    """Return the error for a table that keeps no older versions that could be named."""
    if not isinstance(table, str):
        label = f"{role} ({type(table).__name__})"
        return InputError(label, "is not a path, so it has no versions here", _VERSIONS_OF_FOLDERS)
    label = label_of_sql(table) if kind_of_text(table) == "sql" else table
    advice = f"{_VERSIONS_OF_FOLDERS}; SQL names a version with FROM lake.run AT (VERSION => 3)"
    return InputError(label, "is not a path, so it has no versions here", advice)


def _readings(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a name can mean: all of it the table, or the parts catalog.schema.table."""
    yield text, []
    try:
        name, *outer = [part.name for part in reversed(exp.to_table(text, dialect="duckdb").parts)]
    except (ParseError, TokenError, ValueError):
        return
    yield name, outer
