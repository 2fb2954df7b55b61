"""Systems of linear equations whose matrix is symmetric and positive definite."""

from __future__ import annotations

import math
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def solver(entry: Callable[[int, int], float], size: int) -> Callable[[Sequence[float]], list[float]]:
    """Factor a symmetric positive definite matrix into L L', which needs no pivoting to be stable.

    Args:
        entry: row, column -> the entry; asked where row >= column.

    Returns:
        A function from the right side of an equation to its solution.

    Raises:
        ValueError: the matrix is not positive definite in double precision.

    Source:
        Golub and Van Loan, Matrix Computations, 4.2.
    """
    rows: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j, above in enumerate(rows):
            row.append((entry(i, j) - sum(map(mul, row, above))) / above[j])
        pivot = entry(i, i) - sum(map(mul, row, row))
        if not pivot > 0:
            raise ValueError(f"pivot {i} is {pivot}")
        rows.append([*row, math.sqrt(pivot)])
    columns = [[row[j] for row in rows[j:]] for j in range(size)]

    def solve(right: Sequence[float]) -> list[float]:
        forward: list[float] = []
        for row, value in zip(rows, right, strict=True):
            forward.append((value - sum(map(mul, row, forward))) / row[-1])
        backward: list[float] = []
        for column, value in zip(reversed(columns), reversed(forward), strict=True):
            backward.insert(0, (value - sum(map(mul, column[1:], backward))) / column[0])
        return backward

    return solve
