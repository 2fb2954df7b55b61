"""Numbers as a person reads them: a true minus, no exponent, few digits."""

from __future__ import annotations

import math

# Stands for a number that does not exist.
ABSENT = "–"
LEAST_DIGITS, MOST_DIGITS = 2, 4


def number(x: float | None, digits: int = 3, sign: bool = False) -> str:
    """Write a number with a fixed number of decimals.

    Args:
        digits: the number of decimals.
        sign: whether a positive number has a plus.

    Returns:
        ``−1,234.500``; ``–`` for None and NaN; ``∞`` for infinity.
    """
    if x is None or math.isnan(x):
        return ABSENT
    if math.isinf(x):
        return "−∞" if x < 0 else "+∞" if sign else "∞"
    text = f"{x:{'+' if sign else ''},.{digits}f}"
    if not any(mark in "123456789" for mark in text):  # a rounded zero has no sign
        text = text.lstrip("+-")
    return text.replace("-", "−")


def percent(x: float | None, sign: bool = True) -> str:
    """Write a share as a percentage, with one decimal below 100%."""
    if x is None or math.isnan(x):
        return ABSENT
    return number(100 * x, 0 if abs(x) >= 0.9995 else 1, sign) + "%"


def digits_of(half_width: float | None, least: int = LEAST_DIGITS, most: int = MOST_DIGITS) -> int:
    """Return the number of decimals that keeps two significant digits of half an interval.

    Args:
        half_width: half the length of the interval; None if there is none.
        least: the fewest decimals.
        most: the most decimals, also where no interval exists.
    """
    if half_width is None or not half_width or not math.isfinite(half_width):
        return most
    return min(most, max(least, 1 - math.floor(math.log10(abs(half_width)))))


def short(x: float) -> str:
    """Label a share on an axis: ``+5%``, ``−2.5%``, and 0 without a sign."""
    return f"{100 * x:+.6g}%".replace("-", "−") if x else "0"


def plain(x: float) -> str:
    """Label a number on an axis with no more digits than it needs."""
    return f"{x:,.6g}".replace("-", "−")


def whole(x: float) -> str:
    """Label a share on an axis without a sign: ``20%``."""
    return f"{100 * x:.6g}%".replace("-", "−")
