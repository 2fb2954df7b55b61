"""Numbers as a person reads them: as many digits as their interval calls for."""

from __future__ import annotations

import math

from duckmetrics.charts.numbers import digits_of
from duckmetrics.sentences.numbers import with_minus

# Without an interval, numbers have this number of decimals.
USUAL = 4
MOST_DECIMALS, MOST_OF_PERCENT = 6, 4
LEAST_P = 1e-4
# An end of an interval below 1 % is written with a decimal.
NEAR_ZERO = 0.01


def decimals_for(half: float | None) -> int:
    """Return the decimals that show two digits of half an interval."""
    if half is None or not 0 < half < math.inf:
        return USUAL
    return digits_of(half, 0, MOST_DECIMALS)


def number(value: float | None, decimals: int, sign: str = "") -> str:
    """Write a number; one that would be written as 0 has an exponent, and none is empty."""
    if value is None:
        return ""
    if 0 < abs(value) < 0.5 * 10**-decimals:
        return with_minus(f"{value:{sign}.1e}")
    return with_minus(f"{value + 0.0:{sign},.{decimals}f}")


def percent(value: float | None, decimals: int) -> str:
    """Write a change in per cent with its sign."""
    if value is None:
        return ""
    if abs(value) >= 10:
        return with_minus(f"{100 * value:+,.0f}%")
    # Plus 0, because there is no -0 %.
    return with_minus(f"{round(value, decimals + 2) + 0.0:+.{decimals}%}")


def percent_decimals(low: float | None, high: float | None) -> int:
    """Return the decimals of the ends of an interval in per cent.

    An interval that is wider than 1 point has none, unless an end is so near to 0 that its side would not
    show.
    """
    if low is None or high is None:
        return 0
    half = 50 * (high - low)
    if not 0 < half < 1:
        return int(half > 0 and min(abs(low), abs(high)) < NEAR_ZERO)
    return min(math.ceil(-math.log10(half)) or 1, MOST_OF_PERCENT)


def ends(low: str, high: str) -> str:
    """Write an interval; none is empty."""
    return f"{low} to {high}" if low and high else ""


def short_p(p: float | None) -> str:
    """Write a p-value with four digits after the point."""
    if p is None:
        return ""
    return f"<{LEAST_P:.4f}" if p < LEAST_P else f"{p:.4f}"


def level_of(level: float) -> str:
    """Write the name of an interval of a level."""
    return f"{100 * level:g} % interval"
