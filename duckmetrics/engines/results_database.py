"""Databases that are written: tables that results are appended to, and the macros."""

from __future__ import annotations

import os
import re
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import targets
from duckmetrics.engines.duckdb_errors import first_line, refused
from duckmetrics.engines.transactions import CallTransaction
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import cast_to, column_type, quoted
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa


# The format that every supported DuckDB reads; macros with typed parameters ask for it.
OLDEST_STORAGE = "v1.4.0"
# Each of our macros has a comment, or a name that only ours have.
_CONTENTS = """SELECT
    (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_sequences())
        + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)
        + (SELECT count(*) FROM duckdb_types() WHERE NOT internal),
    count(*) FILTER (comment IS NULL AND NOT starts_with(function_name, 'duckmetrics_')),
    count(*) FILTER (function_name = 'duckmetrics_help')
    FROM duckdb_functions() WHERE NOT internal"""


def write_database(path: str | os.PathLike[str], name: str, statements: Iterable[str]) -> None:
    """Make a new database file by running statements in it, all in one transaction.

    See `targets` for what may be replaced.

    Args:
        name: the name under which the database is attached, which the statements use.
        statements: create the contents; they run one by one, with the new database in use.

    Raises:
        InputError: the file cannot be written, or holds something else.
        EngineError: the database refuses a statement.
    """
    target = Path(path)
    targets.refuse(target, targets.DATABASE)
    if target.is_file() and target.stat().st_size and not holds_only_macros(target):
        raise InputError(path, "a database that holds more than our macros", "choose a new file")
    with targets.replacing(target, targets.DATABASE) as draft, duckdb.connect() as connection:
        place, version = (literal(text).sql("duckdb") for text in (str(draft), OLDEST_STORAGE))
        try:
            connection.execute(f"ATTACH {place} AS {name} (STORAGE_VERSION {version})")
            connection.execute(f"USE {name}")
            connection.execute("BEGIN")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute(f"USE memory; DETACH {name}")
        except duckdb.Error as error:
            raise refused(error, f"ATTACH {place}") from error


def refuse_name(name: str) -> None:
    """Refuse a name that no attached database can have, or that cannot stand before the name of a macro.

    Raises:
        InputError: it is a word of SQL, a database that is always there, or not a plain name.
    """
    try:
        if not name.isidentifier():
            raise ValueError(name)
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH ':memory:' AS {name}; CREATE MACRO {name}.one() AS 1")
    except (duckdb.Error, ValueError) as error:
        reason = f"{name!r} cannot be the name of a database with macros"
        raise InputError("name", reason, "choose a plain word, such as dm") from error


def statements_of(text: str) -> list[str]:
    """Return the statements of a text, one by one."""
    with duckdb.connect() as connection:
        return [statement.query for statement in connection.extract_statements(text)]


def holds_only_macros(path: Path) -> bool:
    """Return whether a database holds our macros, and nothing of anybody else."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            ((tables_and_views, others, own),) = connection.execute(_CONTENTS).fetchall()
    except duckdb.Error:
        return False
    return not tables_and_views and not others and own > 0


# The columns in front of those of the results.
RUN_TIME, RUN_ID = "run_time", "run_id"
RUN = {RUN_TIME: "TIMESTAMP WITH TIME ZONE", RUN_ID: "VARCHAR"}
# The number of digits in the name of a run, if the user gives none.
RUN_DIGITS = 16
# The columns that distinguish the results of commands: two results with different ones need two tables.
_MARKS = {"metric", "query_id", "verdict", "severity", "direction", "like", "pessimistic"}
_INTEGER = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?")
_OTHER_PROCESS = re.compile(r"Conflicting lock is held.*?(\(PID \d+\))")
_OTHER_SETTINGS = "different configuration"
_ROWS = "duckmetrics_rows"
_SCHEMA = "main"
_ANOTHER = "name another table"
_FIND = """SELECT 'table' FROM duckdb_tables() WHERE database_name = $database
        AND lower(schema_name) = lower($schema) AND lower(table_name) = lower($name)
    UNION ALL SELECT 'view' FROM duckdb_views() WHERE database_name = $database
        AND lower(schema_name) = lower($schema) AND lower(view_name) = lower($name)"""
_DATABASES = "SELECT database_name, type FROM duckdb_databases()"
_SCHEMA_NAMES = "SELECT schema_name FROM duckdb_schemas() WHERE database_name = $database"
# The schema that a database has by default, where it is not that of DuckDB.
_SCHEMAS = {"postgres": "public"}
_COLUMNS = """SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = $database
    AND lower(schema_name) = lower($schema) AND lower(table_name) = lower($name) ORDER BY column_index"""


@dataclass(frozen=True)
class Rows:
    """Rows to append to a table.

    Attributes:
        table: the table as the user writes it, such as ``metrics`` or ``evaluation.metrics``.
        source: the rows, or a Parquet file, or a folder of such files, that has them.
    """

    table: str
    source: pa.Table | Path


def append(
    database: str | os.PathLike[str] | duckdb.DuckDBPyConnection,
    rows: Sequence[Rows],
    run_id: str | None = None,
    *,
    once: Sequence[str] = (),
    replace: bool = False,
    time: datetime | None = None,
) -> str:
    """Append rows to tables of a database, all of them in one transaction.

    The database and the tables are made where they do not exist. Columns that a table lacks are added.

    Args:
        database: a file, or a connection; its tables can be those of an attached database.
        run_id: the name of the run; by default, a new one.
        once: tables of a file in which each run may be once only.
        replace: whether the rows of a run that is there are replaced in these tables.
        time: of the run, now by default.

    Returns:
        The name of the run.

    Raises:
        RunExistsError: such a table has this run, and it is not replaced.
        InputError: the file is not a DuckDB database or is in use, or a table cannot take the rows.
        EngineError: the database refuses a statement.
    """
    run = checked_run(run_id) or uuid.uuid4().hex[:RUN_DIGITS]
    stamp = {RUN_TIME: (time or datetime.now(UTC)).isoformat(sep=" "), RUN_ID: run}
    if isinstance(database, duckdb.DuckDBPyConnection):
        with _reported(rows[0].table), CallTransaction().within(database):
            for part in rows:
                _target_on(database, part.table).append(part.source, stamp)
        return run
    path = _path(database)
    refuse(path, [part.table for part in rows])
    with _created(path) as connection:
        connection.execute("BEGIN")
        for name in once:
            _Target(path, connection, _table(name)).forget(run, replace)
        for part in rows:
            _Target(path, connection, _table(part.table)).append(part.source, stamp)
        connection.execute("COMMIT")
    return run


class RunExistsError(InputError):
    """A table that has a run of this name already."""


class InUseError(InputError):
    """A database that another process uses."""


def checked_run(run_id: str | None) -> str | None:
    """Return the name of a run as it was given.

    Raises:
        InputError: it is empty, or not text.
    """
    if run_id is not None and not (isinstance(run_id, str) and run_id.strip()):
        raise InputError("run_id", f"{run_id!r} names no run", "write a text, or leave it out")
    return run_id


def refuse(database: str | os.PathLike[str], tables: Sequence[str]) -> None:
    """Refuse tables that cannot take results, before anything is computed.

    Raises:
        InputError: the file is not a DuckDB database or is in use, or a table is a view or not one of ours.
    """
    path = _path(database)
    for table in tables:
        _table(table)
    targets.refuse_places(path)
    if path.exists() and not path.is_file():
        raise InputError(path, "is not a file", "name a DuckDB database")
    if not _exists(path):
        if path.suffix.lower() in targets.SUFFIXES:
            raise InputError(path, "is not the name of a DuckDB database", f"call it {path.stem}.duckdb")
        return
    if not targets.is_database(path):
        raise InputError(path, "exists and is not a DuckDB database", "choose another name")
    with _connected(path, is_read=True) as connection:
        for table in tables:
            _Target(path, connection, _table(table)).columns()


def refuse_on(connection: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> None:
    """Refuse tables of attached databases that cannot take results.

    Raises:
        InputError: a table is a view or not one of ours, or there is no such database.
    """
    for table in tables:
        with _reported(table):
            _target_on(connection, table).columns()


def _path(database: str | os.PathLike[str]) -> Path:
    return Path(os.path.expanduser(database))


def _exists(path: Path) -> bool:
    """Return whether there is a database; an empty file, as mktemp makes it, does not count."""
    return path.exists() and path.stat().st_size > 0


# ---- connections


@contextmanager
def _created(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database to write to, or make it; a new one is removed if the rows cannot be written."""
    if _exists(path):
        with _connected(path) as connection:
            yield connection
        return
    target = Path(os.path.realpath(path))  # a link stays
    target.unlink(missing_ok=True)
    try:
        with _connected(path, is_new=True) as connection:
            yield connection
    except BaseException:
        for part in (target, target.with_name(f"{target.name}.wal")):
            part.unlink(missing_ok=True)
        raise


@contextmanager
def _connected(
    path: Path, is_read: bool = False, is_new: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database, and report the errors of DuckDB as ours."""
    try:
        connection = _connection(path, is_read, is_new)
    except duckdb.Error as error:
        raise refusal(path, error) from error
    try:
        with _reported(path):
            yield connection
    finally:
        connection.close()


@contextmanager
def _reported(where: str | Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise refused(error, "").within(where) from error


def _connection(path: Path, is_read: bool, is_new: bool) -> duckdb.DuckDBPyConnection:
    if is_new:
        return duckdb.connect(str(path), config={"storage_compatibility_version": OLDEST_STORAGE})
    if not is_read:
        return duckdb.connect(str(path))
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.ConnectionException:  # this process has it open to write
        return duckdb.connect(str(path))


def refusal(path: Path, error: duckdb.Error) -> InputError:
    said = " ".join(str(error).split())
    if _OTHER_SETTINGS in said:
        return InputError(
            path,
            "is open in this process with other settings, such as read-only",
            "close that connection, or evaluate on one that can write, as duckdb.connect(path) opens it",
        )
    if "Could not set lock" in said:
        found = _OTHER_PROCESS.search(said)
        where = f" {found[1]}" if found else ""
        return InUseError(
            path, f"is in use by another process{where}", "close the database there, and run again"
        )
    return InputError(path, f"cannot be opened: {first_line(error)}", "choose another database")


# ---- tables


class _Target:
    """A table of a database, which may not be there yet."""

    def __init__(
        self, path: str | Path, connection: duckdb.DuckDBPyConnection, table: exp.Table, schema: str = _SCHEMA
    ) -> None:
        self._path = path
        self._connection = connection
        self._table = table
        database = table.catalog or connection.execute("SELECT current_database()").fetchall()[0][0]
        self._keys = {"database": database, "schema": table.db or schema, "name": table.name}
        self._found_in = {"database": database}
        self._label = ".".join(part.name for part in table.parts)

    def columns(self) -> dict[str, str]:
        """Return the columns of the table with their types; empty if the table does not exist.

        Raises:
            InputError: it is a view, or a table without the columns of a run.
        """
        kinds = self._connection.execute(_FIND, self._keys).fetchall()
        if ("view",) in kinds:
            raise self._error(f"{self._label} is a view", "name a table")
        columns = dict(self._connection.execute(_COLUMNS, self._keys).fetchall())
        folded = {name.lower(): type_ for name, type_ in columns.items()}
        if columns and any(folded.get(name) != type_ for name, type_ in RUN.items()):
            needed = " and ".join(f"{name} ({type_})" for name, type_ in RUN.items())
            raise self._error(f"table {self._label} is not one of duckmetrics: it lacks {needed}", _ANOTHER)
        return columns

    def refuse_unknown_schema(self) -> None:
        """Refuse a schema that does not exist.

        Raises:
            InputError: names those that do.
        """
        known = [schema for (schema,) in self._connection.execute(_SCHEMA_NAMES, self._found_in).fetchall()]
        schema = self._keys["schema"]
        if schema.lower() not in map(str.lower, known):
            raise self._error(f"there is no schema {schema!r}", suggestion(schema, known, "create it first"))

    def forget(self, run: str, replace: bool) -> None:
        """Delete the rows of a run.

        Raises:
            RunExistsError: there are some, and they must stay.
        """
        if not self.columns():
            return
        of_run = quoted(RUN_ID).eq(literal(run))
        rows = exp.select(exp.Count(this=exp.Star())).from_(self._table.copy()).where(of_run.copy())
        ((count,),) = self._execute(rows).fetchall()
        if count and not replace:
            raise RunExistsError(self._path, f"has a run {run!r} already", "choose another run_id")
        if count:
            self._execute(exp.delete(self._table.copy(), where=of_run))

    def append(self, source: pa.Table | Path, stamp: Mapping[str, str]) -> None:
        """Make the table or add its missing columns, and insert the rows."""
        rows = self._source(source)
        wanted = self._wanted(rows)
        known = self.columns()
        if not known:
            columns = [_column(name, type_) for name, type_ in {**RUN, **wanted}.items()]
            schema = exp.Schema(this=self._table.copy(), expressions=columns)
            self._execute(exp.Create(this=schema, kind="TABLE"))
        else:
            self._refuse_other_results(known, wanted)
            folded = {name.lower(): type_ for name, type_ in known.items()}
            for name, type_ in wanted.items():
                if name.lower() not in folded:
                    added = _column(name, type_)
                    self._execute(exp.Alter(this=self._table.copy(), kind="TABLE", actions=[added]))
            wanted = {name: folded.get(name.lower(), type_) for name, type_ in wanted.items()}
        self._insert(rows, wanted, stamp)

    def _source(self, source: pa.Table | Path) -> exp.Table:
        """Return the text in FROM for the rows."""
        if not isinstance(source, Path):
            self._connection.register(_ROWS, source)
            return exp.table_(_ROWS, db="main", catalog="temp")
        pattern = str(source / "*.parquet") if source.is_dir() else str(source)
        return exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[literal(pattern)]))

    def _wanted(self, rows: exp.Table) -> dict[str, str]:
        """Return the columns of the rows, with the types that a table gets."""
        query = exp.Describe(this=exp.select(exp.Star()).from_(rows.copy()))
        wanted = {row[0]: _stored(row[1]) for row in self._execute(query).fetchall()}
        if taken := [name for name in wanted if name.lower() in RUN]:
            raise InputError(
                "by", f"{taken[0]!r} is also a column of the table {self._label}", "rename the column"
            )
        return wanted

    def _refuse_other_results(self, known: Mapping[str, str], wanted: Mapping[str, str]) -> None:
        """Refuse a table that holds other results, or has a column of another type.

        Raises:
            InputError: says which column it is.
        """
        folded = {name.lower(): type_ for name, type_ in known.items()}
        names = {name.lower() for name in wanted}
        shared = names & folded.keys()
        if names & _MARKS != folded.keys() & _MARKS or 2 * len(shared) < len(names):
            held = ", ".join(name for name in known if name.lower() not in RUN)
            raise self._error(f"table {self._label} holds other results ({held})", _ANOTHER)
        for name, type_ in wanted.items():
            there = folded.get(name.lower(), type_)
            if there != type_ and (there, type_) != ("DOUBLE", "BIGINT"):
                raise self._error(
                    f"column {name!r} of table {self._label} is {there}, and of these results {type_}",
                    f"{_ANOTHER}, or change the type of the column",
                )

    def _insert(self, rows: exp.Table, wanted: Mapping[str, str], stamp: Mapping[str, str]) -> None:
        values = [cast_to(literal(stamp[name]), type_) for name, type_ in RUN.items()]
        values += [cast_to(quoted(name), type_) for name, type_ in wanted.items()]
        names = [exp.to_identifier(name, quoted=True) for name in (*RUN, *wanted)]
        target = exp.Schema(this=self._table.copy(), expressions=names)
        self._execute(exp.Insert(this=target, expression=exp.select(*values).from_(rows.copy())))

    def _execute(self, statement: exp.Expr) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(statement.sql(DIALECT))

    def _error(self, what: str, advice: str) -> InputError:
        return InputError(self._path, what, advice)


def _target_on(connection: duckdb.DuckDBPyConnection, name: str) -> _Target:
    """Find the table that a name means on a connection: its first part can be an attached database.

    Raises:
        InputError: it is not the name of a table.
    """
    table = _table(name, {"this", "db", "catalog"})
    kinds = dict(connection.execute(_DATABASES).fetchall())
    if table.db in kinds and not table.catalog:
        schema = _SCHEMAS.get(kinds[table.db], _SCHEMA)
        table = exp.table_(table.name, db=schema, catalog=table.db, quoted=True)
    elif not table.db:
        table = exp.table_(table.name, db=_SCHEMA, quoted=True)
    target = _Target(name, connection, table)
    target.refuse_unknown_schema()
    return target


def _table(name: str, known: Collection[str] = ("this", "db")) -> exp.Table:
    """Read the name of a table, with or without a schema.

    Args:
        known: the parts that it may have.

    Raises:
        InputError: it is not one.
    """
    try:
        table = parse_one(name, into=exp.Table, dialect=DIALECT)
    except SqlglotError:
        table = None
    parts = {key: part for key, part in table.args.items() if part} if isinstance(table, exp.Table) else {}
    if not {"this"} <= parts.keys() <= {*known} or not isinstance(parts["this"], exp.Identifier):
        raise InputError(
            f"table {name!r}", "is not the name of a table", 'write metrics, evaluation.metrics or "a name"'
        )
    named = {key: exp.to_identifier(part.name, quoted=True) for key, part in parts.items()}
    return exp.Table(**named)


def _column(name: str, type_: str) -> exp.ColumnDef:
    return exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=column_type(type_))


def _stored(type_: str) -> str:
    """Return the type that values are stored with: numbers in the widest usual type of their kind."""
    if _INTEGER.fullmatch(type_) and type_ != "UBIGINT":
        return "BIGINT"
    if type_ == "FLOAT":
        return "DOUBLE"
    return "VARCHAR" if type_ == '"NULL"' or type_.startswith("ENUM(") else type_
