"""Axes: which part of the numbers a chart shows, its round labels, and the place of a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# The lowest and the highest number of an axis.
Domain = tuple[float, float]

# The steps between labels, times a power of ten.
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# An interval is cut where it is longer than the usual one by this factor.
WILD = 6.0
# The margin on each side of an axis, as a share of its length.
MARGIN = 0.06


def known(values: Iterable[float | None]) -> list[float]:
    """Return the numbers that can be drawn: neither None, nor NaN, nor infinite."""
    return [float(value) for value in values if value is not None and math.isfinite(value)]


def span(values: Iterable[float | None], pad: float = MARGIN) -> Domain:
    """Return the domain that holds all values, and a margin.

    Args:
        values: None, NaN and infinite ones do not count.
        pad: the margin on each side as a share of the length.

    Returns:
        The lowest and the highest number, always different; (0, 1) if there is no value.
    """
    found = known(values)
    if not found:
        return (0.0, 1.0)
    low, high = min(found), max(found)
    room = (high - low or abs(high) or 1.0) * pad
    return (low - room, high + room)


def focus(ends: Iterable[float | None]) -> Domain:
    """Return the domain of a forest plot: 0 and all intervals, except the end of a wild one.

    One interval that is many times as long as the usual one would flatten the others.

    Args:
        ends: both ends of each interval.
    """
    found = known(ends)
    usual = sorted(abs(value) for value in found)[len(found) // 2] if found else 0.0
    limit = WILD * usual or math.inf
    low, high = span([0.0, *(clipped(value, (-limit, limit)) for value in found)], MARGIN)
    return (max(low, -limit), min(high, limit))


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers between two numbers, about as many as asked for."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / about
    base = 10.0 ** math.floor(math.log10(raw))
    step = next(base * factor for factor in STEPS if base * factor >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) + 0.0 for i in range(first, last + 1)]


def share(x: float, domain: Domain) -> float:
    """Return where a number lies in a domain: 0 at its beginning, 1 at its end."""
    return (x - domain[0]) / (domain[1] - domain[0])


def clipped(x: float, domain: Domain) -> float:
    """Return the number of the domain that is nearest to a number."""
    return min(max(x, domain[0]), domain[1])


def place(x: float, domain: Domain) -> str:
    """Return where a number lies in a domain as a percentage of the width: ``42.5%``."""
    return f"{round(100 * share(x, domain), 2) + 0.0:g}%"


def height(y: float, domain: Domain) -> str:
    """Return where a number lies as a percentage of the height, counted from the top."""
    return f"{round(100 - 100 * share(y, domain), 2) + 0.0:g}%"
