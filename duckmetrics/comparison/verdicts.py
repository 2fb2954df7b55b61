"""The texts of a comparison: its verdict, and the reason for a missing p-value."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.methods import BOOTSTRAPPED, PAIRED, SAMPLED
from duckmetrics.comparison.unpaired import reason_without_p
from duckmetrics.inference.units import N_BASELINE, QUERIES
from duckmetrics.statistics.adjustment import NONE
from duckmetrics.verdicts import BASELINE, BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation

NO_SHARE = "the baseline is 0, so there is no relative change"


def verdict(
    row: Mapping[str, Any], base: Mapping[str, Any], measure: Measure, test: Definition, alpha: float
) -> str:
    """Return the verdict of one row of a comparison.

    Args:
        base: the row of the system that it is compared with.
    """
    # A test that does not compare means may find more wins where the mean is lower.
    of_means = "warning" not in test.header
    if row["system"] == row["baseline"]:
        return BASELINE
    if row["p_adjusted"] is None:
        return UNTESTED
    if row["p_adjusted"] >= alpha or (of_means and not row["delta"]):
        return UNCLEAR
    gained = _gained(row, base, measure, alpha)
    if gained is None:
        return DIFFERENT
    if not of_means and row["wins"] is not None and gained * (row["wins"] - row["losses"]) <= 0:
        return DIFFERENT
    return BETTER if gained > 0 else WORSE


def _gained(row: Mapping[str, Any], base: Mapping[str, Any], measure: Measure, alpha: float) -> float | None:
    """Return how much better the value is than that of the baseline; None if nothing says which is better.

    If the middle of two values is below a target, the higher value is nearer to the target. If it is above,
    the lower value is nearer. So the data must show the difference, and on which side the middle is.
    """
    declared, delta = measure.metric.range, float(row["delta"])
    if declared.target is None:
        return declared.gain(delta, 0.0)
    tests = 1 if row["adjust"] == NONE else max(row["n_tests"] or 1, 1)
    if not _is_off_middle(row, base, declared.target, alpha / tests):
        return None
    return declared.gain(row["value"], row["value"] - delta)


def _is_off_middle(row: Mapping[str, Any], base: Mapping[str, Any], target: float, alpha: float) -> bool:
    """Return whether a target differs from the middle of two values.

    Half the sum of two intervals contains their middle at least as often as each one contains its value,
    whatever the correlation of the values is. The intervals are as wide as this alpha asks for.
    """
    twice_off = row["value"] + base["value"] - 2 * target
    end = "lower" if twice_off > 0 else "upper"
    if row[end] is None or base[end] is None:
        return False
    normal = NormalDist()
    wider = -normal.inv_cdf(alpha / 2) / normal.inv_cdf((1 + row["interval_level"]) / 2)
    return bool(abs(twice_off) > wider * sum(abs(one["value"] - one[end]) for one in (row, base)))


def reason(
    row: Mapping[str, Any], other: Mapping[str, Any], found: Mapping[str, Any], part: FamilyEvaluation
) -> str | None:
    """Return why there is no p-value, or why it does not come from the test."""
    if found.get("p") is not None:
        equal = found.get("is_constant") and found["test"] in (PAIRED, BOOTSTRAPPED)
        sign_test = "all differences are equal; p is that of the sign test" if equal else None
        known = (row["reason"], sign_test, NO_SHARE if found.get("relative_change") is None else None)
        return "; ".join(filter(None, known)) or None
    if row["value"] is None:
        return str(row["reason"] or "it has no value")
    if not other:
        return "the baseline has no row in this slice"
    if other.get("value") is None:
        why = f": {other['reason']}" if other.get("reason") else ""
        return f"the baseline has no value{why}"
    units = part.units
    if units is None or (row["metric"] in units.without and found["test"] != SAMPLED):
        return "it has no test" if units is None else f"it has no test: {units.without[row['metric']]}"
    if N_BASELINE in found:
        return reason_without_p(found, units.kind)
    effective = found.get("n_effective")
    if (found.get("n") or 0) > 1 and effective is not None and effective < 2:
        return f"the {units.kind} are worth fewer than two of equal weight"
    if found.get("speaking") is not None or (units.linearized and (found.get("n") or 0) > 1):
        return f"no more than one unit of the {units.kind} has rows that it depends on"
    one = {QUERIES: "query"}.get(units.kind, units.kind.replace("clusters", "cluster", 1))
    return (
        f"only one {one} has a value in both" if found.get("n") else f"no {units.kind} have a value in both"
    )
