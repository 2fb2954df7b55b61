"""Numbers and names as parts of sentences."""

from __future__ import annotations

import re

from duckmetrics.charts.numbers import number
from duckmetrics.charts.words import between

# Changes with a wider interval are shown in whole per cent.
WIDE = 0.01
# The numbers of a finding: "4,645 of 4,664 " before it, ", 0.3 of all" behind it.
_NUMBERS = re.compile(r"^[\d,]+( of [\d,]+)? |, [\d.e+-]+ of all$")
# The beginning of a title that keeps its capital: an acronym, and the name of a person.
_CAPITAL = re.compile(r"[A-Z]{2}|\w+'s\b|\w+-[A-Z]|(Brier|Gini|Matthews)\b")


def what_of(sentence: str) -> str:
    """Return a finding without its numbers: ``queries of the population with no predictions``."""
    return _NUMBERS.sub("", sentence)


def inside(title: str) -> str:
    """Return a title as it stands within a sentence; AUC stays AUC, and Brier stays Brier."""
    return title if _CAPITAL.match(title) else f"{title[:1].lower()}{title[1:]}"


def rough(change: float, half_width: float | None, sign: bool = True) -> str:
    """Return a change in per cent with no more digits than its interval supports."""
    digits = 0 if half_width is not None and half_width >= WIDE else 1
    return f"{number(100 * change, digits, sign)}%"


def span(lower: float | None, upper: float | None, digits: int, sign: bool = False) -> str:
    """Return an interval; empty if there is none."""
    return between(lower, upper, lambda end: number(end, digits, sign))


def p_words(p: float, name: str) -> str:
    """Return a p-value in words, by its name."""
    return f"{name} under 0.001" if p < 0.001 else f"{name} = {p:.2g}"
