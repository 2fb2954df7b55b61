"""Numbers and names as parts of sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.charts.numbers import number
from duckmetrics.charts.words import between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.report.model import Metric, Row

# The number of names that a sentence lists before it counts the others.
MOST_NAMES = 3
# Changes with a wider interval are shown in whole per cent.
WIDE = 0.01
WORDS = {"not distinguishable": "no clear difference"}
# The numbers of a finding: "4,645 of 4,664 " before it, ", 0.3 of all" behind it.
_NUMBERS = re.compile(r"^[\d,]+( of [\d,]+)? |, [\d.e+-]+ of all$")


def word(verdict: str) -> str:
    """Return a verdict in words."""
    return WORDS.get(verdict, verdict)


def joined(names: Sequence[str], others: str = "others") -> str:
    """Return ``A, B and C``; of many names, the first ones and the number of the others."""
    if len(names) > MOST_NAMES + 1:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES:,} {others}"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return ``1 error``, ``2 errors``."""
    return f"{n:,} {singular if n == 1 else plural or f'{singular}s'}"


def counted_units(row: Row, unit: str) -> str:
    """Return ``2,208 users``."""
    return f"{row.units:,} {unit}"


def what_of(sentence: str) -> str:
    """Return a finding without its numbers: ``queries of the population with no predictions``."""
    return _NUMBERS.sub("", sentence)


def inside(title: str) -> str:
    """Return a title as it stands within a sentence; AUC stays AUC."""
    return title if title[:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def rough(change: float, half_width: float | None, sign: bool = True) -> str:
    """Return a change in per cent with no more digits than its interval supports."""
    digits = 0 if half_width is not None and half_width >= WIDE else 1
    return f"{number(100 * change, digits, sign)}%"


def span(lower: float | None, upper: float | None, digits: int, sign: bool = False) -> str:
    """Return an interval; empty if there is none."""
    return between(lower, upper, lambda end: number(end, digits, sign))


def p_words(p: float) -> str:
    """Return an adjusted p-value in words."""
    return "p under 0.001" if p < 0.001 else f"p = {p:.2g}"


def direction(metric: Metric) -> str:
    """Return which values of a metric are better."""
    if metric.target is not None:
        return f"best at {metric.target:g}"
    return f"{metric.better} is better" if metric.better else "no direction is better"
