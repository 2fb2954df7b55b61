"""Sums that are the same to the last bit in any order of the rows, on any number of threads.

The sum of doubles depends on their order, which changes with the threads and with the order of a file.
Multiplied by a power of two they become whole numbers, whose sum does not; the result is rounded once.
"""

from __future__ import annotations

import math

from sqlglot import exp

from duckmetrics.expressions.folding import literal

# The bits that the sum of a HUGEINT holds, without the sign; the largest and smallest power of a DOUBLE.
BITS, MOST = 126, 1000
# The most bits of a term of one query that is not a gain, such as a rank, and of the number of terms.
TERM_BITS, COUNT_BITS = 21, 28
# The bits that the smallest gain keeps: a query may have no other one.
LEAST_BITS = 50


def scale_of_terms(largest: float | None, smallest: float | None = None) -> float | None:
    """Return the factor for the terms of the values of a query, None if the terms cannot be exact.

    Args:
        largest: the largest gain; NULL where nothing is judged.
        smallest: the smallest gain above 0; NULL where there is none.
    """
    scale = _scale(max(largest or 0.0, 2.0**TERM_BITS), COUNT_BITS)
    is_lost = scale is not None and smallest is not None and smallest * scale < 2.0**LEAST_BITS
    return None if is_lost else scale


def scale_of_values(largest: float | None, n: int) -> float | None:
    """Return the factor for n values, None if they have no finite sum."""
    return _scale(largest or 1.0, n.bit_length())


def _scale(largest: float, count_bits: int) -> float | None:
    """Return a factor with which integers keep 53 bits of a term not much smaller than the largest one."""
    if not math.isfinite(largest):
        return None
    power = BITS - count_bits - math.frexp(largest)[1]
    return None if power < TERM_BITS else 2.0 ** min(power, MOST)


def with_exact_sums(query: exp.Expr, scale: float | None) -> exp.Expr:
    """Write the sums and means of a query over whole numbers.

    Args:
        scale: the factor of all terms.
    """
    if scale is None:
        return query
    query = query.copy()
    for node in list(query.find_all(exp.Sum, exp.Avg)):
        if not isinstance(node.parent, exp.Window) and not node.find_ancestor(exp.AggFunc):
            _write(node, scale)
    return query


def _write(node: exp.Expr, scale: float) -> None:
    """Replace a sum or a mean by the sum of whole numbers.

    A FILTER becomes a CASE: a row that it leaves out may have no value, or one that is not an integer.
    """
    whole, summed = node, node.this.copy()
    if isinstance(node.parent, exp.Filter):
        whole = node.parent
        summed = exp.Case().when(whole.expression.this.copy(), summed)
    term = exp.Mul(this=exp.paren(summed), expression=literal(scale))
    total = exp.cast(exp.Sum(this=exp.cast(term, "HUGEINT")), "DOUBLE")
    value = exp.Div(this=total, expression=literal(scale))
    if isinstance(node, exp.Avg):
        value = exp.Div(this=value, expression=exp.Count(this=summed.copy()))
    whole.replace(exp.paren(value))
