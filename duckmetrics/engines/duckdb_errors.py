"""Errors of DuckDB as errors of ours, with advice."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING

import duckdb

from duckmetrics.errors import EngineError, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence


# Advice for each resource that runs out.
MORE_ROOM = (
    "allow more memory (--memory-limit), spill to a larger disk (--temp-directory), use fewer threads "
    "(--threads), or evaluate rankings in parts (--chunks 8)"
)
MORE_FILES = "allow more open files (ulimit -n 4096), or merge the files into fewer"
_UNREADABLE = (duckdb.ConversionException, duckdb.IOException, duckdb.InvalidInputException)

# Advice by the words of DuckDB's message.
_ADVICE = {
    "Connection already closed": "open a new one",
    "HTTP 404": "check the bucket and the name",
    "HTTP 403": "check the key, what it may read, and whether its token has expired",
    "HTTP 400": "check the key, and whether its token has expired",
    "HTTP 503": "the server is busy or down; try again later",
    "Could not resolve hostname": "check the endpoint (AWS_ENDPOINT_URL or the secret) and the region",
    "partial file": "the connection was cut; try again",
    "closed the connection unexpectedly": "the connection was cut; try again",
    "Timeout was reached": "the server does not answer; try again, or raise http_timeout with --init",
    "Could not establish connection": "check the endpoint, and whether the server can be reached",
    "Could not connect to server": "check the endpoint, and whether the server can be reached",
    "supported in PyArrow Scans": "leave out snapshot='never', so that frames are read once",
}
# DuckDB's messages about a missing extension.
_EXTENSION = re.compile(
    r"Failed to download extension \"(\w+)\"|[Ee]xtension \"?(\w+)\"? (?:is not|needs to be|was not)"
    r"|install(?:ing)? the required extension '?(\w+)|Extension \"[^\"]*?(\w+)\.duckdb_extension\" not found"
    r"|exists in the (\w+) extension"
)
# Lines below the first that name the columns, functions and tables that may be meant; not those of DuckDB.
_MEANT = re.compile(r"Candidate|Did you mean \"(?!pg_|sqlite_|duckdb_)")

# DuckDB's messages about an expression of the user that does not fit the columns.
_COLUMN = re.compile(r'(?:Referenced column|does not have a column named) "(?P<name>[^"]+)"')
_FUNCTION = re.compile(
    r'Function with name (?P<name>\S+) does not exist!(?: Did you mean "(?P<near>[^"]+)")?'
)
_ARGUMENTS = re.compile(r"argument types '(?P<name>.+?)\((?P<types>.*)\)'")
_COMPARED = re.compile(r"Cannot compare values of type (?P<one>.+?) and (?:values of )?type (?P<other>\S+)")
_CONVERTED = re.compile(
    r"Could not convert string ['\"](?P<value>.*?)['\"] to (?P<type>[\w(), ]+?)(?: when .*)?$", re.M
)
_DATE = re.compile(r'invalid (?P<type>\w+) (?:field )?format: "(?P<value>.*?)"')
_FIELD = re.compile(r'Could not find key "(?P<name>[^"]+)" in struct')
# Advice about a table that no query can name.
FRAMES = "a frame of Python is given itself, or as duckdb.sql('...')"


def unbound(error: Exception, columns: Sequence[str], otherwise: str) -> tuple[str, str]:
    """Return what is wrong with an expression of the user, and the advice, in our words.

    Args:
        columns: those that it may read.
        otherwise: the advice about anything else, such as "fix the condition".
    """
    text = str(error)
    if found := _COLUMN.search(text):
        return f"no column {found['name']!r}; found {', '.join(columns)}", suggestion(found["name"], columns)
    if found := _FUNCTION.search(text):
        near = f"did you mean {found['near']!r}?" if found["near"] else f"{otherwise}: write one of DuckDB"
        return f"no function {found['name']!r}", near
    if found := _ARGUMENTS.search(text):
        types = found["types"].replace("_LITERAL", "").replace("STRING", "VARCHAR")
        wanted = "DOUBLE" if types == "VARCHAR" else "VARCHAR"
        example = f"cast its argument, as in CAST(column AS {wanted})"
        return f"{found['name'].strip('~') or 'LIKE'} does not take ({types})", example
    if found := _COMPARED.search(text):
        one, other = found["one"], found["other"].removesuffix("_LITERAL")
        advice = f"write a value of the type {one}, or cast, as in TRY_CAST(column AS {other})"
        return f"{one} cannot be compared with {other}", advice
    if "must appear in the GROUP BY" in text:
        return "needs more than one row", otherwise
    if found := _CONVERTED.search(text) or _DATE.search(text):
        what = f"{found['value']!r} is not {found['type'].strip()}"
        return what, "write a value of the type of the column, or TRY_CAST, which gives NULL"
    if found := _FIELD.search(text):
        return f"no field {found['name']!r}", otherwise
    return text, otherwise


def refused(error: duckdb.Error, text: str) -> EngineError:
    """Return our error for a statement that DuckDB refused."""
    if tempfile.gettempdir() in str(error) and "duckmetrics" in str(error) and not _is_full(error):
        advice = "name a folder to spill to (--temp-directory)"
        return EngineError("DuckDB", first_line(error), advice, sql=text)
    if "Too many open files" in str(error):
        return EngineError("DuckDB", first_line(error), MORE_FILES, sql=text, unreadable=True)
    if _is_full(error):
        return EngineError("DuckDB", first_line(error), MORE_ROOM, sql=text, out_of_memory=True)
    # First, because a failed download also says that a server could not be reached.
    advice = extension_advice(error)
    advice = advice or next((said for words, said in _ADVICE.items() if words in str(error)), "")
    return EngineError(
        "DuckDB", first_line(error), advice, sql=text, unreadable=isinstance(error, _UNREADABLE)
    )


def extension_advice(error: Exception) -> str:
    """Return how to get an extension that DuckDB lacks, empty if none is lacking."""
    found = _EXTENSION.search(str(error))
    if found is None:
        return ""
    name = next(filter(None, found.groups()))
    return (
        f'get it once with "INSTALL {name}" in a DuckDB shell that reaches the internet; behind a firewall, '
        f"pip install duckdb-extension-{name.replace('_', '-')} for your release of DuckDB, or copy the file "
        f"there and write LOAD '/path/{name}.duckdb_extension' in a file for --init"
    )


def first_line(error: Exception) -> str:
    """Return the first line of a message, with those that say what was meant or close its quotation."""
    first, *others = [line.strip() for line in str(error).strip().splitlines()]
    first += "".join(f" {line}" for line in others if _MEANT.match(line))
    if others and first.endswith((":", "'", ":'")) and first.count("'") % 2:
        first = f"{first} {others[0]}"
    if isinstance(error, duckdb.InternalException):
        first = f"{first}; a defect of DuckDB, seen with attached databases: copy the rows into a table first"
    return first.rstrip(".")


def _is_full(error: duckdb.Error) -> bool:
    """Return whether memory, or the disk that it spills to, was too small."""
    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error)
