"""The words of a change: its verdict, the direction of its metric, and how far it is from a best value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.verdicts import BETTER, WORSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LOWER = "lower"
NO_DIRECTION = "no direction is better"


def direction(better: str | None, target: float | None) -> str:
    """Return which values of a metric are better."""
    if target is not None:
        return f"best at {target:g}"
    return f"{better} is better" if better else NO_DIRECTION


def toward(target: float, before: float | None, after: float | None, verdict: str) -> str:
    """Return whether a value is nearer to the best value now, if the difference is clear."""
    if verdict not in (BETTER, WORSE) or before is None or after is None:
        return f"aims at {target:g}"
    old, new = abs(before - target), abs(after - target)
    return f"{'nearer to' if new < old else 'farther from'} {target:g}"


def toward_with_distances(
    target: float, before: float, after: float, verdict: str, text: Callable[[float], str]
) -> str:
    """Return `toward` with the distances of both values from the best value.

    Args:
        text: writes a distance.
    """
    distances = [text(abs(value - target)) for value in (before, after)]
    return f"{toward(target, before, after, verdict)}: {distances[0]} off, now {distances[1]}"


def gain_of(
    row: Mapping[str, Any], before: float | None, better: str | None, target: float | None
) -> float | None:
    """Return the change of a row, higher for better: the lowest is the worst; None if there is no change.

    Args:
        row: value, delta and relative_change.
        before: the value of the baseline.
        better: the direction of the metric.
    """
    change = row["delta"] if row["relative_change"] is None else row["relative_change"]
    if change is None:
        return None
    if target is not None and before is not None:
        return abs(before - target) - abs(float(row["value"]) - target)
    return -float(change) if better == LOWER else float(change)


def meaning_of_difference(target: float | None, before: float | None, after: float | None) -> str:
    """Return the meaning of a clear difference that is neither better nor worse."""
    if target is None:
        return NO_DIRECTION
    if before is not None and after is not None and (before - target) * (after - target) < 0:
        return f"on the other side of {target:g}"
    return f"no test shows which value is nearer to {target:g}"


def untested_sentences(found: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return each reason why a difference was not tested once, with the metrics.

    Args:
        found: metrics with their reasons.
    """
    told: dict[str, dict[str, None]] = {}
    for metric, reason in found:
        if reason:
            told.setdefault(reason, {})[visible(metric)] = None
    return [f"not tested: {visible(reason)} ({', '.join(names)})" for reason, names in told.items()]
