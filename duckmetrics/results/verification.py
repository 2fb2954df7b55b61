"""The distance of the numbers of an evaluation from those of the plain-Python reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Sums of many doubles differ in their last digits; values that differ by more than this are different.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Verification:
    """One metric computed twice, by SQL and by the plain-Python reference.

    Attributes:
        metric: as typed.
        compared: how many values of queries, or of slices.
        largest: the largest difference, relative to the reference where that is above 1; infinity
            where one of the two has no value or NaN.
        at: the query or slice of the largest difference, empty when there is none.
        recomputed: how many queries, or rows of classifiers, these values are of.
        unit: "queries" or "rows".
    """

    metric: str
    compared: int
    largest: float
    at: str
    recomputed: int
    unit: str

    @property
    def agrees(self) -> bool:
        """Whether the two are the same but for rounding."""
        return self.largest <= TOLERANCE


def in_one_line(verified: Sequence[Verification]) -> str:
    """Write ``verified: 1000 queries; largest difference 2.2e-16 (ndcg@10)``."""
    sizes = dict.fromkeys((one.recomputed, one.unit) for one in verified)
    worst = max(verified, key=lambda one: one.largest)
    found = f"largest difference {worst.largest:.2g} ({worst.metric})" if worst.largest else "no difference"
    return f"verified: {', '.join(f'{n} {unit}' for n, unit in sizes)}; {found}"
