"""Sums that are the same to the last bit in any order of the rows, on any number of threads.

The sum of doubles depends on their order, which changes with the threads and with the order of a file.
Multiplied by a power of two they become whole numbers, whose sum does not; the result is rounded once.

The factor of a term depends on the size of this term alone. So a value is the same to the last bit whatever
the call computes with it: other metrics, other systems, queries with larger grades.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Sequence


# The bits that the sum of a HUGEINT holds, without the sign, and the bits of the number of its terms.
BITS, COUNT_BITS = 126, 28
# The terms of one band are below a power of two; they have one factor, and keep the 53 bits of a DOUBLE.
WIDTH = BITS - COUNT_BITS - 52
# The band of usual terms: ranks, grades, values of queries. The ends of the powers that a factor exists for.
USUAL, LEAST, MOST = 22, -900, 1024
# Bands: the power of two that the terms of each are below. Enough unless a term is very large or small.
ONE_BAND = (USUAL,)


def bands_of(largest: float | None, smallest: float | None) -> Sequence[int]:
    """Return the bands of terms, those of the smallest terms first.

    A band without terms changes no sum.

    Args:
        largest: the largest term or gain; NULL if no term is judged.
        smallest: the smallest one above 0; NULL if there is none.
    """
    above = range(USUAL + WIDTH, MOST, WIDTH)
    below = range(USUAL - WIDTH, LEAST, -WIDTH)
    larger = [power for power in above if largest is not None and not largest < 2.0 ** (power - WIDTH)]
    smaller = [power for power in below if smallest is not None and smallest < 2.0**power]
    return (*reversed(smaller), *ONE_BAND, *larger)


def with_exact_sums(query: exp.Expr, bands: Sequence[int] | None) -> exp.Expr:
    """Write the sums and means of a query over whole numbers.

    Args:
        bands: see `bands_of`; None where sums need not be exact.
    """
    if bands is None:
        return query
    query = query.copy()
    for node in list(query.find_all(exp.Sum, exp.Avg)):
        if not isinstance(node.parent, exp.Window) and not node.find_ancestor(exp.AggFunc):
            _write(node, bands)
    return query


def _write(node: exp.Expr, bands: Sequence[int]) -> None:
    """Replace a sum or a mean by the sum of whole numbers.

    A FILTER becomes a CASE: a row that it leaves out may have no value, or one that is not an integer.
    """
    whole, summed = node, node.this.copy()
    if isinstance(node.parent, exp.Filter):
        whole = node.parent
        summed = exp.Case().when(whole.expression.this.copy(), summed)
    value = _sum_of_band(summed, bands[0])
    if len(bands) > 1:
        value = _sum_of_band(_within(summed, None, bands[0]), bands[0])
        for low, band in pairwise(bands):
            value = exp.Add(this=value, expression=_sum_of_band(_within(summed, low, band), band))
        # The largest terms are no whole numbers: their sum is one of doubles.
        value = exp.paren(exp.Add(this=value, expression=exp.Sum(this=_within(summed, bands[-1], None))))
    if isinstance(node, exp.Avg):
        value = exp.Div(this=value, expression=exp.Count(this=summed.copy()))
    whole.replace(exp.paren(value))


def _sum_of_band(term: exp.Expr, band: int) -> exp.Expr:
    """Return the sum of terms that are below a power of two."""
    factor = literal(math.ldexp(1.0, BITS - COUNT_BITS - band))
    number = exp.cast(exp.Mul(this=exp.paren(term.copy()), expression=factor), "HUGEINT")
    total = exp.cast(exp.Sum(this=number), "DOUBLE")
    return exp.Div(this=total, expression=factor.copy())


def _within(term: exp.Expr, low: int | None, high: int | None) -> exp.Expr:
    """Return a term, or 0 if its size is not between two powers of two."""
    size = exp.Abs(this=term)
    outside: list[exp.Expr] = [] if low is None else [exp.LT(this=size.copy(), expression=literal(2.0**low))]
    outside += [] if high is None else [exp.GTE(this=size.copy(), expression=literal(2.0**high))]
    case = exp.Case().when(exp.or_(*outside), literal(0))
    return case.else_(term.copy())
