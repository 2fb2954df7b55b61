"""Names and numbers of things within a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# More names than these are counted.
FEW_NAMES = 3


def joined(names: Sequence[str], word: str = "and") -> str:
    """Write names as a list: ``a, b and c``.

    Args:
        word: stands before the last name.
    """
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def named(names: Sequence[str], what: str, word: str = "and") -> str:
    """Name a few, or count many: ``a and b``, ``4 metrics``.

    Args:
        what: the names in the plural.
        word: stands before the last name.
    """
    return joined(names, word) if len(names) <= FEW_NAMES else f"{len(names):,} {what}"


def counted(n: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 error``, ``2 errors``."""
    return f"{n:,} {singular if n == 1 else plural or f'{singular}s'}"


def verb(n: int, singular: str, plural: str) -> str:
    """Return the form of a verb for a number of subjects."""
    return singular if n == 1 else plural


def chance_words(share: float | None) -> str:
    """Write a share of resamples in per cent, which never proves that something is certain."""
    if share is None:
        return ""
    if share < 0.01:
        return "<1 %"
    return ">99 %" if share > 0.99 else f"{100 * share:.0f} %"


def p_text(p: float | None) -> str:
    """Write a p-value with two digits; empty if there is none."""
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.2g}"


def ordinal(n: int) -> str:
    """Write 1st, 2nd, 3rd, 4th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def spanned(numbers: Iterable[int]) -> str:
    """Write a number, or the least and the largest of several."""
    known = sorted(set(numbers)) or [0]
    return f"{known[0]:,}" if len(known) == 1 else f"{known[0]:,} to {known[-1]:,}"


# A smaller number would be written as 0.0000.
TINY = 5e-5
MINUS = "−"


def four_decimals(value: float, sign: str = "") -> str:
    """Write a number with four decimals; a small one keeps its size.

    Args:
        sign: ``+`` for a plus before a positive number.
    """
    return f"{value:{sign}.1e}" if 0 < abs(value) < TINY else f"{value:{sign}.4f}"


def with_minus(text: str) -> str:
    """Write a hyphen before a number as a minus sign, which is as wide as a plus sign."""
    return MINUS + text[1:] if text.startswith("-") else text
