"""How the numbers were computed, and the numbers themselves as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duckmetrics.charts.tables import DRAWINGS
from duckmetrics.sentences.lists import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.report.model import Curve, Key, ReportData, Row

# What is on the page as text, or in a shorter form.
ELSEWHERE = ("sql", "rows")
# The keys of a row that are places in the lists of systems, metrics and slices.
KEYS = ("system", "metric", "by", "segment")
# Significant digits: the last ones of a double depend on how threads share the work.
DIGITS = 6


def embedded(data: ReportData, slices: Collection[Key]) -> str:
    """Return the numbers of the page as strict JSON, which no name can end early.

    ``rows`` and the tables of ``curves`` have a list for each column. In it, system, metric and slice are
    places in the lists of these names, because long names would be most of the text.

    Args:
        slices: those on the page.
    """
    shown = [row for row in data.rows if not row.by or row.key in slices]
    keys = list(dict.fromkeys(row.key for row in shown))
    known = {name: value for name, value in asdict(data).items() if name not in ELSEWHERE}
    known["pictures"]["curves"] = {curve.table: _rows_of(data, curve) for curve in data.pictures.curves}
    known["slices"] = [{"by": by, "segment": segment} for by, segment in keys]
    known["rows"] = _columns(data, shown, keys)
    text = json.dumps(_strict(known), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _rows_of(data: ReportData, curve: Curve) -> dict[str, list[Any]]:
    """Return the columns of a table that is drawn."""
    columns = {name: [row[name] for row in curve.rows] for name in DRAWINGS[curve.drawing].columns}
    return {"system": [data.systems.index(row["system"]) for row in curve.rows], **columns}


def _columns(data: ReportData, shown: Sequence[Row], keys: Sequence[Key]) -> dict[str, list[Any]]:
    """Return the columns of rows that hold a value."""
    systems = {name: place for place, name in enumerate(data.systems)}
    metrics = {metric.name: place for place, metric in enumerate(data.metrics)}
    places = {key: place for place, key in enumerate(keys)}
    rows = [asdict(row) for row in shown]
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ()) if name not in KEYS}
    found = {name: values for name, values in columns.items() if any(value is not None for value in values)}
    return {
        "system": [systems[row.system] for row in shown],
        "metric": [metrics[row.metric] for row in shown],
        "slice": [places[row.key] for row in shown],
        **found,
    }


def _strict(value: Any) -> Any:
    """Write numbers that JSON does not have as text, and lone halves of characters as escapes."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {_strict(str(name)): _strict(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(one) for one in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value if value is None or isinstance(value, int) else str(value)


def sql_title(sql: str) -> str:
    """Return the summary of the folded SQL."""
    return f"The SQL that ran ({counted(len(sql), 'character')})"


def explanations(data: ReportData) -> Mapping[str, Any]:
    """Return which explanations the page needs, and the level of its intervals."""
    level = "" if data.level is None else f"{100 * data.level:g}"
    return {"changes": data.baseline is not None, "level": level}
