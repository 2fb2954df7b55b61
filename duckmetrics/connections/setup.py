"""Statements that a new connection runs first: extensions, secrets, attached databases, settings."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.connections import near_names
from duckmetrics.connections.duckdb_errors import extension_advice, first_line
from duckmetrics.errors import InputError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

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
