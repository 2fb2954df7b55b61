"""Collects what a verdict reads of the rows of a comparison, and what the reason without one reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.methods import BOOTSTRAPPED, PAIRED, SAMPLED
from duckmetrics.comparison.rows import without_system
from duckmetrics.comparison.unpaired import reason_without_p
from duckmetrics.inference.units import N_BASELINE, QUERIES
from duckmetrics.statistics.adjustment import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation


def judged(rows: Sequence[Row], test: Definition, alpha: float) -> list[Row]:
    """Return the arguments of `improvement.sql` and `verdict.sql` for each row of a comparison."""
    known = {(without_system(row), row["system"]): row for row in rows}
    found = []
    for row in rows:
        base = known.get((without_system(row), row["baseline"]), {})
        found.append({
            **row, "is_baseline": row["system"] == row["baseline"], "of_means": "warning" not in test.header,
            "base": base.get("value"), "base_lower": base.get("lower"), "base_upper": base.get("upper"),
            "alpha": alpha, "level": row["interval_level"],
            "n_tests": 1 if row["adjust"] == NONE else max(row["n_tests"] or 1, 1),
        })  # fmt: skip
    return found


def told(
    row: Mapping[str, Any], other: Mapping[str, Any], found: Mapping[str, Any], part: FamilyEvaluation
) -> dict[str, Any]:
    """Return the arguments of `verdict_reason.sql` for one row.

    Args:
        other: the row of the baseline, empty if it has none.
        found: the results of the tests.
    """
    units, n = part.units, found.get("n") or 0
    return {
        **{name: found.get(name) for name in ("p", "relative_change", "n_effective")},
        "reason": row["reason"], "value": row["value"], "n_units": n, "has_base": bool(other),
        "base_value": other.get("value"), "base_reason": other.get("reason"),
        "is_constant": bool(found.get("is_constant")) and found["test"] in (PAIRED, BOOTSTRAPPED),
        "without": _without(row, found, part), "units": QUERIES if units is None else units.kind,
        "is_sum": found.get("speaking") is not None or (units is not None and units.linearized and n > 1),
    }  # fmt: skip


def _without(row: Mapping[str, Any], found: Mapping[str, Any], part: FamilyEvaluation) -> str | None:
    """Return why a metric has no test, None if it has one."""
    units = part.units
    if units is None:
        return "it has no test"
    if row["metric"] in units.without and found["test"] != SAMPLED:
        return f"it has no test: {units.without[row['metric']]}"
    return reason_without_p(found, units.kind) if N_BASELINE in found else None
