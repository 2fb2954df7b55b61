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
    from collections.abc import Iterable, Iterator, Mapping

# A target such as postgres:dbname=shop or md:shop; the letter of a drive is none.
_SCHEME = re.compile(r"([a-z][a-z0-9_+.-]+):", re.IGNORECASE)
# The service has read-only copies of its own, and refuses the word.
_WRITABLE = ("md", "motherduck")
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_SECRET = re.compile(r"\bSECRET\b|\bATTACH\b", re.IGNORECASE)
_PASSWORD = re.compile(r"(password|pwd|secret|token|key)(\s*=\s*)('[^']*'|\S+)", re.IGNORECASE)
HIDDEN = "***"


@dataclass(frozen=True)
class Statement:
    """A statement of the user.

    Attributes:
        where: what a message calls it.
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
            advice = extension_advice(error) or "mend it, and try it in the DuckDB shell"
            # Not chained: the message of DuckDB may quote a secret.
            raise InputError(self.where, self._shown(first_line(error)), advice) from None

    def _shown(self, message: str) -> str:
        for text in sorted(self.hidden, key=len, reverse=True):
            message = message.replace(text, HIDDEN)
        return _PASSWORD.sub(rf"\1\2{HIDDEN}", message)


def read_setup(init: Iterable[str | Path], attach: Mapping[str, str]) -> list[Statement]:
    """Read files of statements, and the databases to attach by their names.

    Raises:
        InputError: a file cannot be read or is not SQL, or a database file is not there.
    """
    return [
        *(statement for path in init for statement in _of_file(Path(path))),
        *(_attached(name, target) for name, target in attach.items()),
    ]


def _of_file(path: Path) -> Iterator[Statement]:
    """Yield the statements of a file, with the line that each begins at."""
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
        hidden = tuple(filter(None, _TEXT.findall(text)))
        shown = Statement(str(path), "", hidden)._shown(first_line(error))
        raise InputError(path, shown, "mend the statement") from None
    for number, statement in enumerate(statements, start=1):
        sql = statement.query.strip()
        secrets = tuple(filter(None, _TEXT.findall(sql))) if _SECRET.search(sql) else ()
        yield Statement(f"{path}, statement {number}", sql, secrets)


def _attached(name: str, target: str) -> Statement:
    """Return the statement that attaches a database, read-only."""
    where = f"--attach {name}"
    scheme = _SCHEME.match(target)
    if scheme is None and "://" not in target:
        path = os.path.expanduser(target)
        if not os.path.isfile(path):
            raise InputError(f"{where}={target}", "no such database file", near_names.advice_for(path))
        target = path
    alias = exp.to_identifier(name, quoted=True).sql(DIALECT)
    is_writable = scheme is not None and scheme[1].lower() in _WRITABLE
    sql = f"ATTACH {literal(target).sql(DIALECT)} AS {alias}{'' if is_writable else ' (READ_ONLY)'}"
    hidden = (target, target[scheme.end() :]) if scheme is not None else ()
    return Statement(where, sql, hidden)
