"""The range that a metric declares in its header: the ends of its values, and which way is better."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_ENDS = re.compile(r"[\[(](-?[\d.]+|-inf), (-?[\d.]+|inf)[\])]")
_BETTER = re.compile(r"(?:closest to (?P<target>[\d.]+)|(?P<way>higher|lower)) is better")


class ValueRange(NamedTuple):
    """``[0, 1], higher is better``.

    Attributes:
        low, high: infinite if the header names no number.
        better: "higher" or "lower"; None if neither is, or if there is a target.
        target: the best value, if values closest to it are better; else None.
    """

    low: float = -math.inf
    high: float = math.inf
    better: str | None = None
    target: float | None = None

    @property
    def direction(self) -> str | None:
        """The text of the column `better`: higher, lower, target, or None."""
        return self.better if self.target is None else "target"

    def middle(self) -> float | None:
        """Return the middle of the range; None if one of them is infinite."""
        middle = (self.low + self.high) / 2
        return middle if math.isfinite(middle) else None

    def gain(self, value: float, other: float) -> float | None:
        """Return how much better a value is than another; None if the header does not say which is better."""
        if self.target is not None:
            return abs(other - self.target) - abs(value - self.target)
        if self.better is None:
            return None
        return value - other if self.better == "higher" else other - value


def read_range(declared: str) -> ValueRange:
    """Read the header key ``range``; without it, the range is unknown."""
    ends, said = _ENDS.match(declared), _BETTER.search(declared)
    low, high = (float(ends[1]), float(ends[2])) if ends else (-math.inf, math.inf)
    if said is None:
        return ValueRange(low, high)
    return ValueRange(low, high, said["way"], None if said["target"] is None else float(said["target"]))
