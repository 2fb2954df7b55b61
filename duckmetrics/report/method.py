"""How the numbers were computed, and the numbers themselves as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duckmetrics.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from duckmetrics.report.model import Key, ReportData

# What is on the page as text already.
ON_THE_PAGE = ("sql", "rows")


def embedded(data: ReportData, slices: Collection[Key]) -> str:
    """Return the numbers of the page as strict JSON, which no name can end early.

    The rows are an object of columns, because their names would be half of the text.

    Args:
        slices: those on the page.
    """
    known = {name: value for name, value in asdict(data).items() if name not in ON_THE_PAGE}
    rows = [asdict(row) for row in data.rows if not row.by or row.key in slices]
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    known["rows"] = {name: values for name, values in columns.items() if any(v is not None for v in values)}
    text = json.dumps(_finite(known), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _finite(value: Any) -> Any:
    """Write numbers that JSON does not have as text, and lone halves of characters as escapes."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {_finite(str(name)): _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, int | float):
        return value
    return str(value)


def sql_title(sql: str) -> str:
    """Return the summary of the folded SQL."""
    return f"The SQL that ran ({counted(len(sql), 'character')})"


def explanations(data: ReportData) -> Mapping[str, bool]:
    """Return which explanations the page needs."""
    changes = data.baseline is not None
    return {"changes": changes, "intervals": changes or any(row.lower is not None for row in data.rows)}
