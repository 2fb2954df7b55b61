"""The choice of tables that are read once, into a temporary table, before any check or metric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.inputs.sources import Source

AUTO, ALWAYS, NEVER = CHOICES = ("auto", "always", "never")
# Operators of a plan that cost little to run again: scans of local data, and changes of single rows.
_SCANS = {
    "SEQ_SCAN", "READ_PARQUET", "PARQUET_SCAN", "ARROW_SCAN", "PYTHON_ARROW_SCAN", "PANDAS_SCAN",
    "PYTHON_PANDAS_SCAN", "COLUMN_DATA_SCAN", "DUMMY_SCAN", "EMPTY_RESULT", "RANGE",
}  # fmt: skip
# The joins of a release hand Bloom filters to scans of Arrow, which refuse them: duckdb/duckdb-python#463.
_RELEASE, _REFUSING = "1.5.", {"ARROW_SCAN", "PYTHON_ARROW_SCAN"}
_BY_ROW = {"PROJECTION", "FILTER", "UNION", "STREAMING_LIMIT"}


def checked(snapshot: str) -> str:
    """Return when tables are copied.

    Raises:
        InputError: there is no such choice.
    """
    if snapshot not in CHOICES:
        raise InputError(f"snapshot={snapshot!r}", "no such choice", f"choose {' or '.join(CHOICES)}")
    return snapshot


def is_copied(source: Source, snapshot: str) -> bool:
    """Return whether a table is read once."""
    return snapshot == ALWAYS or (snapshot == AUTO and not source.in_place)


def is_cheap(plan: str) -> bool:
    """Return whether a plan, in JSON, only scans what is here and changes single rows."""
    import duckdb

    cheap = (_SCANS | _BY_ROW) - (_REFUSING if duckdb.__version__.startswith(_RELEASE) else set())
    names = (str(node["name"]).strip() for root in json.loads(plan) for node in _nodes(root))
    return "://" not in plan and all(name in cheap for name in names)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from _nodes(child)
