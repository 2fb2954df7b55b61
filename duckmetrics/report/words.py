"""Numbers and names as parts of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.charts import number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

# The names that a sentence lists before it counts the others.
MOST_NAMES = 3
SIGNS = {
    "better": "▲", "worse": "▼", "different": "◆", "not distinguishable": "○", "not tested": "–",
    "baseline": "·",
}  # fmt: skip
# The class of a verdict in the style sheet.
KINDS = {
    "better": "better", "worse": "worse", "different": "diff", "not distinguishable": "even",
    "not tested": "none", "baseline": "none",
}  # fmt: skip
WORDS = {"not distinguishable": "no clear difference"}


def word(verdict: str) -> str:
    """Return a verdict in words."""
    return WORDS.get(verdict, verdict)


def joined(names: Sequence[str], last: str = "and", others: str = "others") -> str:
    """Return ``A, B and C``; of many names, the first ones and the number of the others."""
    if len(names) > MOST_NAMES + 1:
        rest = len(names) - MOST_NAMES
        return f"{', '.join(names[:MOST_NAMES])} {last} {rest:,} {others}"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return ``1 error``, ``2 errors``."""
    return f"{n:,} {singular if n == 1 else plural or f'{singular}s'}"


def inside(title: str) -> str:
    """Return a title as it stands within a sentence; AUC stays AUC."""
    return title if title[:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def rough(change: float, half_width: float | None, sign: bool = True) -> str:
    """Return a change in per cent with no more digits than its interval supports."""
    digits = 0 if half_width is not None and half_width >= 0.01 else 1
    return f"{number(100 * change, digits, sign)}%"


def span(lower: float | None, upper: float | None, digits: int, sign: bool = False) -> str:
    """Return an interval; empty if there is none."""
    if lower is None or upper is None:
        return ""
    return f"{number(lower, digits, sign)} to {number(upper, digits, sign)}"


def percent_span(lower: float | None, upper: float | None) -> str:
    """Return an interval in per cent; empty if there is none."""
    if lower is None or upper is None:
        return ""
    return f"{percent(lower)} to {percent(upper)}"


def chance(p: float) -> str:
    """Return a probability in words."""
    return "p under 0.001" if p < 0.001 else f"p = {p:.3f}"
