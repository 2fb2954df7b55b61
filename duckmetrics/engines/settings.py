"""Settings of a session of DuckDB: those that decide about numbers, limits, stores, statements of setup."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import near_names
from duckmetrics.engines.duckdb_errors import extension_advice, first_line, refused
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from duckmetrics.expressions.folding import Value


SCHEMES = ("s3://", "s3a://", "s3n://")
# Option of a secret of DuckDB -> the variables that hold it; the first that is set counts.
VARIABLES = {
    "KEY_ID": ("AWS_ACCESS_KEY_ID",),
    "SECRET": ("AWS_SECRET_ACCESS_KEY",),
    "SESSION_TOKEN": ("AWS_SESSION_TOKEN",),
    "REGION": ("AWS_REGION", "AWS_DEFAULT_REGION"),
}
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def has_variables(variables: Mapping[str, str]) -> bool:
    """Return whether one of the environment variables is set."""
    names = (*ENDPOINTS, *(name for names in VARIABLES.values() for name in names))
    return any(variables.get(name) for name in names)


def has_extension(connection: duckdb.DuckDBPyConnection) -> bool:
    """Load the extension for object stores, which DuckDB may install."""
    cursor = connection.cursor()
    for statement in ("LOAD httpfs", "INSTALL httpfs; LOAD httpfs"):
        try:
            cursor.execute(statement)
        except duckdb.Error:
            if not cursor.execute("SELECT current_setting('autoinstall_known_extensions')").fetchall()[0][0]:
                return False
        else:
            return True
    return False


def secret_options(variables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the options of the secret that the environment variables describe.

    Raises:
        InputError: the endpoint is not a URL.
    """
    found: dict[str, str | int] = {}
    for option, names in VARIABLES.items():
        value = next((variables[name] for name in names if variables.get(name)), None)
        if value is not None:
            found[option] = value
    name = next((name for name in ENDPOINTS if variables.get(name)), None)
    return found if name is None else found | _endpoint(name, variables[name])


def _endpoint(name: str, url: str) -> dict[str, str | int]:
    """Return the options for a server other than Amazon's, which has no host name for each bucket."""
    try:
        address = urlsplit(url)
        is_address = address.scheme in ("http", "https") and bool(address.hostname)
    except ValueError:
        is_address = False
    if not is_address or address.username is not None:
        # Not shown: it may hold a password.
        advice = "write one such as https://minio.example.org:9000, without a user or password"
        raise InputError(name, "is not the URL of a server", advice)
    place = f"{address.netloc}{address.path.rstrip('/')}"
    return {"ENDPOINT": place, "USE_SSL": address.scheme == "https", "URL_STYLE": "path"}


def writable_folder(path: str | os.PathLike[str]) -> str:
    """Return the folder as text; DuckDB makes it when it first needs it, but its parent must exist.

    Raises:
        InputError: nothing can be written there.
    """
    folder = Path(os.path.expanduser(os.fspath(path))).absolute()
    existing = folder if folder.exists() else folder.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(
            f"temp_directory={str(path)!r}", "no folder that can be written to", "choose another"
        )
    return str(folder)


def private_folder() -> str:
    """Return a folder of this user that nobody else can read."""
    owner = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / ("duckmetrics" if owner is None else f"duckmetrics-{owner}")
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and owner in (None, found.st_uid):
            folder.chmod(0o700)
            return str(folder)
        # Another user made a file, a link or a folder of this name.
        return tempfile.mkdtemp(prefix=f"{folder.name}-")
    except OSError:
        return str(folder)  # DuckDB reports it if it needs the folder


ZONE, UTC = "TimeZone", "UTC"
# The usual values, as `duckdb_settings` writes them. Others give other rows, another order, another value
# of the same expression, or an error.
USUAL = {
    ZONE: UTC, "Calendar": "gregorian", "disable_timestamptz_casts": "false", "default_collation": "",
    "default_order": "ASCENDING", "default_null_order": "NULLS_LAST", "preserve_insertion_order": "true",
    "integer_division": "false", "ieee_floating_point_ops": "true", "old_implicit_casting": "false",
    "scalar_subquery_error_on_multiple_rows": "true", "dialect_compatibility_mode": "NONE",
    "errors_as_json": "false",
}  # fmt: skip
# Other names of the usual values.
_SAME = {"Etc/UTC": UTC, "ASC": "ASCENDING"}
SESSION, _LOCAL = "SESSION", "LOCAL"
# Those of the settings that this release has, found once.
_PRESENT: list[str] = []
# Aborts a transaction, as an error did before.
_ABORT = "SELECT error(text) FROM (VALUES ('')) AS aborted (text)"


def read_zone(connection: duckdb.DuckDBPyConnection, text: object) -> str:
    """Return the name of a time zone as the database of zones spells it.

    Raises:
        InputError: there is no such zone.
    """
    listed = exp.select("name").from_(exp.Table(this=exp.Anonymous(this="pg_timezone_names")))
    names = [name for (name,) in _rows(connection, listed)]
    found = {name.lower(): name for name in names}.get(str(text).lower())
    if found is None:
        advice = suggestion(str(text), names, "write one such as Europe/Berlin (--time-zone Europe/Berlin)")
        raise InputError(f"time_zone={text!r}", "no such time zone", advice)
    return found


@dataclass
class SessionSettings:
    """The settings of one connection, which calls on it change and put back; a call may be part of another.

    Attributes:
        depth: the number of calls that have begun and not ended.
        before: name, value and scope of the settings that are changed.
    """

    depth: int = 0
    before: list[tuple[str, str, str]] = field(default_factory=list)

    @contextmanager
    def usual(self, connection: duckdb.DuckDBPyConnection, zone: str) -> Iterator[None]:
        """Give a session the usual settings, and those of the caller at the end.

        Raises:
            InputError: the configuration is locked, and a setting is not the usual one.
        """
        self.depth += 1
        try:
            if self.depth == 1:
                self._set(connection, zone)
            yield
        finally:
            self.depth -= 1
            if not self.depth:
                self._restore(connection)

    def _set(self, connection: duckdb.DuckDBPyConnection, zone: str) -> None:
        unusual = _unusual(connection, zone)
        scopes = _scopes(connection) if unusual else {}
        for name, wanted, value in unusual:
            _assign(connection, name, wanted, value)
            self.before.append((name, value, scopes[name]))

    def _restore(self, connection: duckdb.DuckDBPyConnection) -> None:
        if not self.before:
            return
        before, self.before = self.before, []
        try:
            _give_back(connection, before)
        except duckdb.TransactionException:
            # An error aborted a transaction of the caller. It can only be rolled back, so that a new one that
            # is aborted, too, makes no difference to the caller.
            connection.execute("ROLLBACK")
            _give_back(connection, before)
            connection.execute("BEGIN TRANSACTION")
            try:
                connection.execute(_ABORT).fetchall()
            except duckdb.Error:
                return
        except duckdb.ConnectionException:  # the connection was closed
            return


def set_usual(connection: duckdb.DuckDBPyConnection, zone: str) -> None:
    """Give a session of our own the usual settings."""
    for name, wanted, value in _unusual(connection, zone):
        _assign(connection, name, wanted, value)


def _unusual(connection: duckdb.DuckDBPyConnection, zone: str) -> list[tuple[str, str, str]]:
    """Return each setting that is not as usual: its name, the value that it should have, and its value."""
    if not _PRESENT:
        _PRESENT.extend(_scopes(connection))
    (values,) = _rows(connection, exp.select(*map(_current, _PRESENT)))
    wanted = {**USUAL, ZONE: zone}
    return [
        (name, wanted[name], value)
        for name, value in zip(_PRESENT, values, strict=True)
        if _SAME.get(value, value) != _SAME.get(wanted[name], wanted[name])
    ]


def _scopes(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return those of the settings that this release has, and whether each was set for the session alone."""
    listed = exp.Table(this=exp.Anonymous(this="duckdb_settings"))
    query = exp.select("name", exp.column("scope")).from_(listed).where(exp.column("name").isin(*USUAL))
    return {row[0]: row[1] for row in _rows(connection, query)}


def _current(name: str) -> exp.Expr:
    return exp.cast(exp.func("current_setting", literal(name), dialect=DIALECT), "VARCHAR")


def _rows(connection: duckdb.DuckDBPyConnection, query: exp.Query) -> list[tuple[str, ...]]:
    text = query.sql(DIALECT)
    try:
        return connection.execute(text).fetchall()
    except duckdb.Error as error:
        raise refused(error, text) from error


def _assign(connection: duckdb.DuckDBPyConnection, name: str, wanted: str, value: str) -> None:
    try:
        connection.execute(assignment(name, wanted, SESSION))
    except duckdb.Error as error:
        advice = f"run SET {name} = '{wanted}' before its configuration is locked"
        if name == ZONE:
            advice = f"write time_zone={value!r} (--time-zone {value}), or {advice}"
        what = f"{name} is {value!r}, and results need {wanted!r}: {first_line(error)}"
        raise InputError("connection", what, advice) from error


def _give_back(connection: duckdb.DuckDBPyConnection, before: list[tuple[str, str, str]]) -> None:
    for name, value, scope in before:
        if scope != _LOCAL:
            connection.execute(f"RESET SESSION {name}")
            if _rows(connection, exp.select(_current(name))) == [(value,)]:
                continue
        connection.execute(assignment(name, value, SESSION))


def assignment(name: str, value: Value, scope: str | None = None) -> str:
    """Return the statement that sets an option of DuckDB."""
    equality = exp.EQ(this=exp.to_identifier(name), expression=literal(value))
    return exp.Set(expressions=[exp.SetItem(this=equality, kind=scope)]).sql(DIALECT)


# Examples of the limits of a call.
_EXAMPLES = {"threads": 4, "memory_limit": "4GB", "temp_directory": "/tmp"}


def checked_limits(
    threads: int | None,
    memory_limit: str | None,
    temp_directory: str | os.PathLike[str] | None,
    is_own: bool,
) -> dict[str, int | str]:
    """Check the limits before a statement could abort a transaction of the caller.

    Raises:
        InputError: names the first that cannot be set.
    """
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise InputError(f"threads={threads!r}", "not a number of threads", "write threads=4")
    if memory_limit is not None and not is_own:
        raise InputError(
            f"memory_limit={memory_limit!r}",
            "DuckDB shows the limit of your connection rounded only, so it could not be put back",
            "run SET memory_limit = '4GB' on the connection",
        )
    folder = None if temp_directory is None else writable_folder(temp_directory)
    limits = {"threads": threads, "memory_limit": memory_limit, "temp_directory": folder}
    return {name: value for name, value in limits.items() if value is not None}


class Limits:
    """The limits of the calls on one connection, and those of a caller's connection before."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, is_own: bool, limits: dict[str, int | str]
    ) -> None:
        self._connection = connection
        self._is_own = is_own
        self._limits = limits
        self._before: dict[str, Any] = {}

    def set(self) -> None:
        """Set the limits; keep those of a caller's connection for `restore`.

        Raises:
            InputError: DuckDB refuses one.
        """
        for name, value in self._limits.items():
            try:
                if not self._is_own:
                    current = exp.func("current_setting", literal(name), dialect=DIALECT)
                    before = self._beside(exp.select(current).sql(DIALECT)).fetchall()[0][0]
                    self._before.setdefault(name, before)
                self._beside(assignment(name, value))
            except duckdb.Error as error:
                advice = f"write {name}={_EXAMPLES[name]!r} (--{name.replace('_', '-')} {_EXAMPLES[name]})"
                raise InputError(f"{name}={value!r}", first_line(error), advice) from error

    def restore(self) -> None:
        for name, value in self._before.items():
            self._beside(assignment(name, value))
        self._before.clear()

    def _beside(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement that holds for the whole database, outside of a transaction of the caller."""
        return (self._connection if self._is_own else self._connection.cursor()).execute(text)


# A target such as postgres:dbname=shop or md:shop; the letter of a drive is not a target.
_SCHEME = re.compile(r"([a-z][a-z0-9_+.-]+):", re.IGNORECASE)
# The service has read-only copies of its own, and refuses the word.
_WRITABLE = ("md", "motherduck")
# Texts between quotes or dollars, long enough to be a secret.
_TEXT = re.compile(r"'((?:[^']|''){3,})'|\$(\w*)\$(.{3,}?)\$\2\$", re.DOTALL)
_NAME = re.compile(r"\w+")
_SECRET = re.compile(r"\bSECRET\b|\bATTACH\b", re.IGNORECASE)
_PASSWORD = re.compile(r"(password|pwd|secret|token|key)(\s*=\s*)('[^']*'|\S+)", re.IGNORECASE)
HIDDEN = "***"


@dataclass(frozen=True)
class Statement:
    """A statement of the user.

    Attributes:
        where: its name in messages.
        hidden: texts that no message may show.
    """

    where: str
    sql: str
    hidden: tuple[str, ...] = ()

    def run(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Run it.

        Raises:
            InputError: DuckDB refuses it; the message shows no secret.
        """
        try:
            connection.execute(self.sql)
        except duckdb.Error as error:
            advice = extension_advice(error) or "fix it, and try it in the DuckDB shell"
            # Not chained: the message of DuckDB may quote a secret.
            raise InputError(self.where, self._shown(first_line(error)), advice) from None

    def _shown(self, message: str) -> str:
        for text in sorted(self.hidden, key=len, reverse=True):
            message = message.replace(text, HIDDEN)
        return _PASSWORD.sub(rf"\1\2{HIDDEN}", message)


def read_setup(
    init: Iterable[str | Path], attach: Mapping[str, str], written: Collection[str] = ()
) -> list[Statement]:
    """Read files of statements, and the databases to attach by their names.

    Args:
        written: the names of databases that results go to; the others are attached read-only.

    Raises:
        InputError: a file cannot be read or is not SQL, or a database file is not there.
    """
    return [
        *(statement for path in init for statement in _of_file(Path(path))),
        *(_attached(name, target, name in written) for name, target in attach.items()),
    ]


def _of_file(path: Path) -> Iterator[Statement]:
    """Yield the statements of a file."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(
            path, f"cannot be read: {error.strerror}", near_names.advice_for(str(path))
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not text in UTF-8: {error}", "give a file of SQL") from error
    try:
        with duckdb.connect() as parser:
            statements = parser.extract_statements(text)
    except duckdb.Error as error:
        shown = Statement(str(path), "", _texts(text))._shown(first_line(error))
        raise InputError(path, shown, "fix the statement") from None
    for number, statement in enumerate(statements, start=1):
        sql = statement.query.strip()
        hidden = _texts(sql) if _SECRET.search(sql) else ()
        yield Statement(f"{path}, statement {number}", sql, hidden)


def _texts(sql: str) -> tuple[str, ...]:
    return tuple(found[1] or found[3] for found in _TEXT.finditer(sql))


def _attached(name: str, target: str, is_written: bool) -> Statement:
    """Return the statement that attaches a database, read-only unless results go to it."""
    if not _NAME.fullmatch(name):
        # Not shown: a user who forgets the name writes the target here, with its password.
        raise InputError(
            "--attach", "no name before the =", "write NAME=TARGET, such as wh=postgres:dbname=shop"
        )
    where = f"--attach {name}"
    scheme = _SCHEME.match(target)
    if scheme is None and "://" not in target:
        path = os.path.expanduser(target)
        if not os.path.isfile(path):
            raise InputError(f"{where}={target}", "no such database file", near_names.advice_for(path))
        target = path
    is_writable = is_written or (scheme is not None and scheme[1].lower() in _WRITABLE)
    options = [] if is_writable else [exp.AttachOption(this=exp.var("READ_ONLY"))]
    sql = exp.Attach(this=exp.alias_(literal(target), name, quoted=True), expressions=options).sql(DIALECT)
    rest = target[scheme.end() :] if scheme is not None else ""
    hidden = (target, rest) if rest else ()
    return Statement(where, sql, hidden)
