"""The distance of the values of one metric from those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.inputs.slices import slice_label
from duckmetrics.results.findings import ERROR, EXAMPLES, Finding
from duckmetrics.results.verification import TOLERANCE, Verification

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.inputs.inputs import Inputs

    Where = Callable[[], str]
    Row = Mapping[str, Any]

QUERIES, ROWS = "queries", "rows"
CHECK = "verify"
# In place of a value that one side lacks altogether: it equals nothing.
ABSENT = math.nan


def difference(found: float | None, expected: float | None) -> float:
    """Return the distance of two values, relative to the expected one if that is above 1.

    NULL equals NULL. NULL is infinitely far from any number, and NaN from everything, also from NaN.
    """
    if found is None or expected is None:
        return 0.0 if found is expected else math.inf
    if found == expected:
        return 0.0
    far = abs(found - expected) / max(1.0, abs(expected))
    return math.inf if math.isnan(far) else far


@dataclass(frozen=True)
class Outcome:
    """Results of verifying the measures of one family."""

    verified: tuple[Verification, ...]
    findings: tuple[Finding, ...]


class Segment(NamedTuple):
    """Key of a row of a summary; a cell is NULL or the text of a value."""

    system: str | None
    columns: tuple[str, ...] = ()
    cells: tuple[str | None, ...] = ()

    def __str__(self) -> str:
        system = [] if self.system is None else [f"system={self.system}"]
        cells = ("NULL" if cell is None else cell for cell in self.cells)
        parts = [*system, *(f"{name}={cell}" for name, cell in zip(self.columns, cells, strict=True))]
        return ", ".join(parts) if self.columns else ", ".join([*parts, "overall"])


@dataclass
class Tally:
    """The comparison of one measure so far."""

    measure: Measure
    compared: int = 0
    exceeding: int = 0
    largest: float = 0.0
    at: Where = str
    examples: list[tuple[Where, float | None, float | None]] = field(default_factory=list)

    def compare(self, found: float | None, expected: float | None, where: Where) -> None:
        far = difference(found, expected)
        self.compared += 1
        if far > self.largest:
            self.largest, self.at = far, where
        if far > TOLERANCE:
            self.exceeding += 1
            if len(self.examples) < EXAMPLES:
                self.examples.append((where, found, expected))

    def compare_summary(
        self, inputs: Inputs, rows: Iterable[Row], expected: Mapping[Segment, float | None]
    ) -> None:
        """Compare the values of all slices; both sides must have the same ones."""
        found = summarized(inputs, rows, self.measure)
        may_be = "infinite" in self.measure.metric.header
        for segment in {**found, **expected}:
            value = expected.get(segment, ABSENT)
            # A summary shows NULL with a reason, unless infinity is a value of the metric.
            overflows = value is not None and math.isinf(value) and not may_be
            self.compare(found.get(segment, ABSENT), None if overflows else value, segment.__str__)

    def verification(self, recomputed: int, unit: str) -> Verification:
        return Verification(self.measure.text, self.compared, self.largest, self.at(), recomputed, unit)

    def finding(self, label: str) -> Finding:
        examples = tuple(
            f"{where()}: {shown(found)} instead of {shown(expected)}"
            for where, found, expected in self.examples
        )
        advice = (
            "please report it with the rows behind these values, the versions of duckmetrics and DuckDB, and "
            f"the signature {self.measure.signature}"
        )
        message = (
            f"{label}: {self.measure.text}: {self.exceeding} of {self.compared} values differ from the "
            f"plain-Python reference, by up to {self.largest:.2g} ({'; '.join(examples)}); {advice}"
        )
        return Finding(CHECK, ERROR, label, "", self.exceeding, examples, message, advice)


def summarized(inputs: Inputs, rows: Iterable[Row], measure: Measure) -> dict[Segment, float | None]:
    """Return the values of a measure in a summary."""
    groupings = {slice_label(grouping): grouping for grouping in ((), *inputs.by)}
    return {
        segment_of(inputs, row["system"], groupings[row["slice"]], row): row["value"]
        for row in rows if row["metric"] == measure.text
    }  # fmt: skip


def shown(value: float | None) -> str:
    if value is None:
        return "NULL"
    return "none" if math.isnan(value) else repr(value)


def cell(value: Any) -> str | None:
    """Return the text of a value, so that NaN equals NaN and -0.0 equals 0.0."""
    if value is None:
        return None
    return str(value + 0.0 if isinstance(value, float) else value)


def segment_of(
    inputs: Inputs, system: str | None, grouping: tuple[str, ...], values: Mapping[str, Any]
) -> Segment:
    named = None if inputs.one_system else system
    return Segment(named, grouping, tuple(cell(values.get(column)) for column in grouping))
