"""The reasons why there is no value or no interval, each once, with the places where it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.expressions.visible import visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# More places than these are counted.
FEW_PLACES = 3


class Segmented(Protocol):
    """The parts of an evaluation that name the slice of a row."""

    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


def reason_lines(result: Segmented, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a line for each reason of some rows; that of a value begins with NULL."""
    told: dict[str, list[str]] = {}
    for row in rows:
        if reason := row.get("reason"):
            text = f"NULL: {reason}" if row["value"] is None else str(reason)
            told.setdefault(text, []).append(visible(" ".join(_place(result, row))))
    return [f"{text} ({_some(places)})" for text, places in told.items()]


def _place(result: Segmented, row: dict[str, Any]) -> list[str]:
    """Return the words that name a row: its metric, its system, and its slice."""
    system = [] if row["system"] is None else [str(row["system"])]
    segment = [f"{name}={visible_key(value)}" for name, value in result.segment(row).items()]
    return [row["metric"], *system, *segment]


def _some(places: Sequence[str]) -> str:
    if len(places) <= FEW_PLACES:
        return ", ".join(places)
    return f"{', '.join(places[:FEW_PLACES])} and {len(places) - FEW_PLACES} more"
