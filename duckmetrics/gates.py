"""Gates for the CI of models: conditions on results that make a run fail, as ``ndcg@10 < 0.35``."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError, suggestion, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_COMPARISON = re.compile(r"<=|>=|==|!=|<|>|=")
_COLUMN = re.compile(r"[a-z_]+")
# Columns that a baseline has too.
OF_EVERY_SYSTEM = ("value", "lower", "upper")
MISSING = object()
HOW = "write METRIC [COLUMN] < NUMBER, as in 'ndcg@10 < 0.35' or 'ndcg@10 delta_lower < -0.005'"


@dataclass(frozen=True)
class Gate:
    """A condition under which a run fails.

    Attributes:
        text: the condition as typed.
        metric: the metric as typed.
        column: the column of the results.
        operator: how it is compared with the bound.
    """

    text: str
    metric: str
    column: str
    operator: str
    bound: float

    def fails(self, value: float) -> bool:
        return _OPERATORS[self.operator](value, self.bound)


def read_gates(texts: str | Iterable[str]) -> list[Gate]:
    """Read conditions such as ``"ndcg@10 < 0.35"``; without a column, the value is meant.

    Raises:
        MetricError: a condition cannot be read.
    """
    return [_read(text) for text in ([texts] if isinstance(texts, str) else texts)]


def _read(text: str) -> Gate:
    outside = (m for m in _COMPARISON.finditer(text)
               if text.count("(", 0, m.start()) == text.count(")", 0, m.start()))  # fmt: skip
    found = next(outside, None)
    if found is None:
        raise MetricError(f"gate {text!r}: no comparison; {HOW}")
    before, after = text[: found.start()].split(), text[found.end() :].strip()
    try:
        bound = float(after)
    except ValueError:
        raise MetricError(f"gate {text!r}: {after!r} is no number; {HOW}") from None
    if not before:
        raise MetricError(f"gate {text!r}: no metric; {HOW}")
    named = len(before) > 1 and _COLUMN.fullmatch(before[-1]) is not None
    metric = " ".join(before[:-1] if named else before)
    return Gate(text.strip(), metric, before[-1] if named else "value", found[0], bound)


def failures(
    gates: Sequence[Gate], rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]
) -> list[str]:
    """Return a line for every gate that fails, and every system where it does.

    Gates look at the overall rows, not at slices. Where there is no value the gate fails too: nothing
    shows that it is passed.

    Args:
        rows: those of an evaluation or a comparison.
        canonical: the metrics as typed -> their canonical spelling.

    Raises:
        MetricError: a gate names a metric or a column that the results do not have.
    """
    lines = []
    for gate in gates:
        chosen = _rows_of(gate, rows, canonical)
        for row in chosen:
            value = row[gate.column]
            if value is not None and not gate.fails(value):
                continue
            system = "" if row["system"] is None else f" of {row['system']}"
            shown = "there is no value" if value is None else f"{gate.column}{system} is {value:.6g}"
            lines.append(f"gate failed: {gate.text}: {shown}")
    return lines


def _rows_of(
    gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]
) -> list[Mapping[str, Any]]:
    """The overall rows that a gate looks at; a baseline differs from nobody."""
    columns = [name for name in rows[0] if name == "value" or any(_is_number(row[name]) for row in rows)]
    if gate.column not in columns:
        raise MetricError(f"gate {gate.text!r}: {unknown('column', gate.column, columns)}")
    known = dict.fromkeys(row["metric"] for row in rows)
    names = {name for name in known if gate.metric in (name, canonical.get(name))}
    if not names:
        raise MetricError(
            f"gate {gate.text!r}: {gate.metric!r} is not evaluated; {suggestion(gate.metric, known)}"
        )
    chosen = [row for row in rows if row["metric"] in names and row["slice"] == ""]
    compared = [row for row in chosen if row["system"] != row.get("baseline", MISSING)]
    return chosen if gate.column in OF_EVERY_SYSTEM else compared


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
