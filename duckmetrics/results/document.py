"""Results as JSON: one shape for all commands, see docs/reference/json.md."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from duckmetrics.results.findings import ERROR, NOTE, WARNING
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from duckmetrics.results.findings import Finding

# The version of the shape: it grows when a key changes its meaning or goes away, not when one is added.
VERSION = 1
# The keys of every document, which identify one as ours.
KEYS = ("version", "duckmetrics", "command", "rows", "errors", "warnings", "notes")
# No probability is 0; one that is too small for a double is written as this.
SMALLEST_P = 1e-300
# Names of the columns that hold probabilities.
P_NAME = re.compile(r"p|p_\w+|\w+_p")


def document(
    command: str,
    rows: Iterable[Mapping[str, Any]],
    checks: Iterable[Finding] | None = None,
    *,
    warnings: Iterable[str] = (),
    notes: Iterable[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the JSON document of a result: the keys that all commands share come first.

    Args:
        command: the command that prints it.
        checks: findings, whose sentences stand in errors, warnings and notes, too; None if the command has
            no such list.
        more: the keys that only this command has.
    """
    found = list(checks or ())
    own = {"errors": (), "warnings": warnings, "notes": notes}
    told = {
        name: [*(finding.message for finding in found if finding.severity == severity), *own[name]]
        for name, severity in (("errors", ERROR), ("warnings", WARNING), ("notes", NOTE))
    }
    listed = {} if checks is None else {"checks": [asdict(finding) for finding in found]}
    start = {"version": VERSION, "duckmetrics": __version__, "command": command}
    return {**start, "rows": [json_object(row) for row in rows], **told, **listed, **more}


def with_positive_p(table: pa.Table) -> pa.Table:
    """Return a table whose p-values are at least `SMALLEST_P`; missing ones stay missing."""
    import pyarrow.compute as pc

    for place, name in enumerate(table.column_names):
        if P_NAME.fullmatch(name):
            known = table[name].cast("double")
            positive = pc.if_else(pc.less(known, SMALLEST_P), SMALLEST_P, known)
            table = table.set_column(place, name, positive)
    return table


def json_text(document: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def json_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by name as JSON can hold them."""
    return {name: json_value(name, value) for name, value in values.items()}


def json_value(name: str, value: Any) -> Any:
    """Return a value as JSON can hold it: JSON has no NaN and no Infinity, and no p-value is 0."""
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list | tuple):
        return [json_value(name, one) for one in value]
    if not isinstance(value, float):
        return value if value is None or isinstance(value, str | int | dict) else str(value)
    if not math.isfinite(value):
        return str(value)
    return max(value, SMALLEST_P) if P_NAME.fullmatch(name) else value
