"""Following advice: the code, the query or the option in a message is taken from it and applied."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The beginning of code that changes a table, and the name that the table has in it.
_CODE = {
    "df.assign(": "df", "df.with_columns(": "df", "table.set_column(": "table",
    "relation.project(": "relation", "duckdb.sql(": "data",
    "{**data,": "data", "{str(query):": "data", "{query: {": "data",
}  # fmt: skip
_QUERY = re.compile(r"\"(SELECT .+? FROM) \.\.\.\"")
_OPTION = re.compile(r"\b([a-z_]+)=('[^']*'|\{[^{}]*\}|\w+)")
# What is typed on the command line.
_TYPED = re.compile(r"\((?:on the command line )?--[^)]*\)|, on the command line --.*")
KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: pl.DataFrame(table),
    "pyarrow": lambda table: table,
    "dictionary": lambda table: table.to_pydict(),
    "relation": duckdb.from_arrow,
}


def pieces(message: str) -> Iterator[tuple[str, str]]:
    """Yield the code that changes a table, with the name that the table has in it."""
    for beginning, name in _CODE.items():
        for found in re.finditer(re.escape(beginning), message):
            yield _balanced(message[found.start() :]), name


def changed(message: str, table: Any, n: int = 0) -> Any:
    """Return a table after the n-th change that a message advises."""
    code, name = list(pieces(message))[n]
    known = {"duckdb": duckdb, "pd": pd, "pl": pl, "pa": pa, "pc": pc, name: table}
    return eval(code, known)  # the code is that of our own message


def query(message: str, table: str, n: int = 0) -> str:
    """Return the n-th query that a message advises, over a table."""
    return f"{_QUERY.findall(message)[n]} {table}"


def options(message: str) -> dict[str, Any]:
    """Return the options of Python that the advice of a message names, with their values."""
    advice = _TYPED.sub("", message.partition("; ")[2])
    return {name: _value(text) for name, text in _OPTION.findall(advice) if "..." not in text}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _balanced(text: str) -> str:
    """Return the beginning of a text up to the bracket that closes its first one."""
    depth, quote = 0, ""
    for i, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return text[: i + 1]
    raise ValueError(text)
