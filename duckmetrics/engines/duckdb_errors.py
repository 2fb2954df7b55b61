"""Errors of DuckDB, in our words and with advice."""

from __future__ import annotations

import tempfile

import duckdb

from duckmetrics.errors import EngineError

# Advice for each resource that runs out.
MORE_ROOM = (
    "allow more memory (--memory-limit), spill to a larger disk (--temp-directory), use fewer threads "
    "(--threads), or evaluate rankings in parts (--chunks 8)"
)
MORE_FILES = "allow more open files (ulimit -n 4096), or merge the files into fewer"
_UNREADABLE = (duckdb.ConversionException, duckdb.IOException, duckdb.InvalidInputException)


def refused(error: duckdb.Error, text: str) -> EngineError:
    """Return our error for a statement that DuckDB refused."""
    if tempfile.gettempdir() in str(error) and "duckmetrics" in str(error) and not _is_full(error):
        advice = "name a folder to spill to (--temp-directory)"
        return EngineError("DuckDB", first_line(error), advice, sql=text)
    if "Too many open files" in str(error):
        return EngineError("DuckDB", first_line(error), MORE_FILES, sql=text, unreadable=True)
    if _is_full(error):
        return EngineError("DuckDB", first_line(error), MORE_ROOM, sql=text, out_of_memory=True)
    return EngineError("DuckDB", first_line(error), sql=text, unreadable=isinstance(error, _UNREADABLE))


def first_line(error: Exception) -> str:
    """Return the first line of a message, and the next one where the first ends inside a quotation."""
    first, *others = [line.strip() for line in str(error).strip().splitlines()]
    if others and first.endswith((":", "'", ":'")) and first.count("'") % 2:
        first = f"{first} {others[0]}"
    if isinstance(error, duckdb.InternalException):
        first = f"{first}; a defect of DuckDB, seen with attached databases: copy the rows into a table first"
    return first.rstrip(".")


def _is_full(error: duckdb.Error) -> bool:
    """Say whether memory, or the disk that it spills to, was too small."""
    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error)
