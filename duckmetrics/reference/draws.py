"""Random draws of tests in plain Python: choices of signs, and the p-value that the draws give."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def choices_of_signs(
    n: int, resamples: int, seed: int, exact: bool | None
) -> tuple[list[Sequence[int]], bool]:
    """Return choices of the signs of n differences, and whether they are all that exist."""
    every = n <= 20 and bool(exact or (exact is None and 2**n <= resamples))
    if every:
        return [*product((-1, 1), repeat=n)], True
    generator = random.Random(seed)
    return [generator.choices((-1, 1), k=n) for _ in range(resamples)], False


def signed_sums(differences: Sequence[float], draws: Iterable[Sequence[int]]) -> list[float]:
    """Return the sum of the differences for each choice of signs."""
    return [sum(s * d for s, d in zip(draw, differences, strict=True)) for draw in draws]


def drawn_p(far: Iterable[bool], every: bool = False) -> float:
    """Return the share of draws that are far from what is expected.

    Args:
        every: whether these are all possible draws. If not, the observed one also counts.
    """
    known = [*far]
    return sum(known) / len(known) if every else (1 + sum(known)) / (1 + len(known))
