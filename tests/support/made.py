"""Results that were made by hand, so that screens can be compared as text: no query runs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from duckmetrics.results.comparison import Comparison
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.results.experiment import Experiment, SampleRatio
from duckmetrics.words.verdicts import BASELINE, UNTESTED

UNREAD: Any = None


class Change(NamedTuple):
    """A system in a comparison: its metric, value, and change to the baseline with half of its interval.

    Attributes:
        base: the value of the baseline.
        half: half of the interval of the difference; None if there is no interval.
        slice: the value of the slicing column; None for all queries together.
    """

    metric: str
    base: float | None
    value: float | None
    half: float | None
    verdict: str
    slice: str | None = None
    system: str = "candidate"
    n: int = 2208
    better: str | None = "higher"
    target: float | None = None
    reason: str | None = None


def comparison(
    changes: list[Change], by: str = "country", baseline: str = "baseline", level: float = 0.95
) -> Comparison:
    """Return a comparison with a row per change, and one for the baseline where it is first needed."""
    rows: list[dict[str, Any]] = []
    for change in changes:
        if not any(_same(row, change, by, baseline) for row in rows):
            own = change._replace(system=baseline, value=change.base, verdict=BASELINE, half=None)
            rows.append(_row(own, by, len(changes)))
        rows.append(_row(change, by, len(changes)))
    return Comparison(
        tuple(rows), baseline, "paired_t", "holm", level,
        evaluation(rows, by if any(change.slice for change in changes) else None),
    )  # fmt: skip


def _same(row: dict[str, Any], change: Change, by: str, baseline: str) -> bool:
    return (row["system"], row["metric"], row[by]) == (baseline, change.metric, change.slice)


def _row(change: Change, by: str, n_tests: int) -> dict[str, Any]:
    """Return a row of a comparison; the relative interval divides by the value of the baseline."""
    is_tested = change.half is not None
    known = change.value is not None and change.base is not None and change.verdict != BASELINE
    delta = change.value - change.base if known else None  # type: ignore[operator]
    low, high = (
        (delta - change.half, delta + change.half) if is_tested and delta is not None else (None, None)
    )
    base = abs(change.base) if change.base else math.nan

    def share(number: float | None) -> float | None:
        return None if number is None or not base > 0 else number / base

    return {
        "system": change.system, "metric": change.metric, "slice": by if change.slice else "",
        by: change.slice, "value": change.value, "lower": None, "upper": None, "baseline": "baseline",
        "delta": delta, "delta_lower": low, "delta_upper": high, "relative_change": share(delta),
        "relative_lower": share(low), "relative_upper": share(high), "better": change.better,
        "target": change.target, "p": 0.0123 if is_tested else None,
        "p_adjusted": 0.0246 if is_tested else None, "verdict": change.verdict, "n": change.n,
        "n_units": change.n if is_tested else None, "n_missing": 0, "test": "paired_t",
        "n_tests": n_tests, "cluster": None, "resamples": None,
        "reason": change.reason if change.verdict == UNTESTED else None,
    }  # fmt: skip


def evaluation(
    rows: list[dict[str, Any]], by: str | None = None, lower: frozenset[str] = frozenset(),
    level: float | None = None,
) -> Evaluation:  # fmt: skip
    """Return an evaluation of rows that have at least system, metric, slice, value and n."""
    groupings: dict[str, tuple[str, ...]] = {"": ()} | ({by: (by,)} if by else {})
    metrics = frozenset(row["metric"] for row in rows)
    down = lower | {row["metric"] for row in rows if row.get("better") == "lower"}
    aimed = {row["metric"] for row in rows if row.get("better") in ("target", None) and "better" in row}
    return Evaluation(
        tuple(rows), groupings, (), (), "", {}, None, UNREAD, level, metrics - down - aimed, frozenset(down)
    )


def value(
    system: str | None, metric: str, value: float | None, half: float | None = None, n: int = 2208,
    country: str | None = None, reason: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return a row of an evaluation."""
    known = value is not None and half is not None
    return {
        "system": system, "metric": metric, "slice": "country" if country else "", "country": country,
        "value": value, "lower": value - half if known else None,  # type: ignore[operator]
        "upper": value + half if known else None, "reason": reason, "n": n, "n_missing": 3,  # type: ignore[operator]
        "n_no_relevant": 0, "n_undefined": 0, "n_positive": None,
    }  # fmt: skip


def experiment(
    rows: list[tuple[str, float | None, float | None, float | None, float | None, str]],
    variant: str = "B", control: str = "A", observed: tuple[int, int] = (50_184, 49_816),
    mismatch: bool = False, notes: tuple[str, ...] = (),
) -> Experiment:  # fmt: skip
    """Return an A/B test of (metric, value of the control, value, half of the interval, p, verdict)."""
    ratio = SampleRatio(
        dict(zip((control, variant), observed, strict=True)), {control: 0.5, variant: 0.5}, 1.35, 1,
        1e-9 if mismatch else 0.2447, 0.001, mismatch,
    )  # fmt: skip
    warned = ("SAMPLE RATIO MISMATCH (p < 0.001): find out where the units went",) if mismatch else ()
    made = [_compared(row, variant, control) for row in rows]
    return Experiment(made, control, ratio, "holm", 0.95, 0.05, warned, notes)


def _compared(row: tuple[Any, ...], variant: str, control: str) -> dict[str, Any]:
    metric, base, value, half, p, verdict = row
    delta = None if value is None or base is None else value - base
    low, high = (delta - half, delta + half) if half is not None else (None, None)
    return {
        "metric": metric, "variant": variant, "control": control, "control_value": base, "value": value,
        "delta": delta, "delta_lower": low, "delta_upper": high,
        "relative_change": delta / base if delta is not None and base else None,
        "relative_lower": None if low is None or not base else low / base,
        "relative_upper": None if high is None or not base else high / base,
        "p": p, "p_adjusted": p, "verdict": verdict, "statistic": "welch_t", "adjust": "holm",
        "n_control": 50_184, "n": 49_816, "left_out_control": 0, "left_out": 0,
        "variance_reduction": None, "reason": None,
    }  # fmt: skip
