"""The jackknife: metrics of classifiers as means over clusters of rows.

A metric is a function of sums over rows. Without one unit it is the same function of the sums of the
other units. The value plus m - 1 times the change by leaving out one of m units is, for inference, the
value of that unit. The mean of these values is the metric, and their spread is the spread of the metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.inference.linear import all_units, product, same_segment, unit_values
from duckmetrics.inference.units import SEGMENT
from duckmetrics.inputs.classification import UNIT

if TYPE_CHECKING:
    from duckmetrics.inference.sums import Sums

# The step with a row per unit.
REST = "rest"
# A sum without its only part may differ from 0 by this share of it.
REMAINDER = 1e-12


class Jackknife:
    """Writes the values of the units with the measures without one unit.

    Args:
        table: where the rows of `Sums.per_unit` are kept.
    """

    def __init__(self, sums: Sums, table: str) -> None:
        self.sums = sums
        self.linear = sums.linear
        self.table = table

    def values(self) -> exp.Select:
        """Return one row per system, measure, segment and unit, as `Units` holds them."""
        steps = {
            "summed": self.sums.summed(self.table),
            "wholes": self._wholes(),
            REST: self._rest(),
            "centers": self._centers(),
        }
        return all_units((self._measure(i) for i in range(len(self.linear))), steps)

    def _wholes(self) -> exp.Select:
        """Return the value of every measure, per system and segment."""
        names = [f"{name}_{i}" for i in range(len(self.linear)) for name in ("m", "n_effective")]
        values = (linear.value.copy().as_(f"value_{i}") for i, linear in enumerate(self.linear))
        return exp.select("system", SEGMENT, *names, *values).from_("summed")

    def _rest(self) -> exp.Select:
        """Return the value of every measure without one unit, and whether the unit counts."""
        table = self.table
        sums = exp.select(exp.column("system", table), exp.column(SEGMENT, table), exp.column(UNIT, table))
        for i, linear in enumerate(self.linear):
            said = linear.takes(table) or exp.true()
            sums = sums.select(said.as_(f"said_{i}"), copy=False)
        for name in self.sums.leaves():
            sums = sums.select(_remaining(name, table).as_(name), copy=False)
        sums = sums.from_(table).join("summed", on=same_segment("summed", table))
        rest = exp.select("system", SEGMENT, UNIT, *(f"said_{i}" for i in range(len(self.linear))))
        for i, linear in enumerate(self.linear):
            value = linear.value.copy()
            # A metric may overflow without a unit; such a value is NULL.
            finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())
            rest = rest.select(finite.as_(f"value_{i}"), copy=False)
        return rest.from_(sums.subquery("sums"))

    def _centers(self) -> exp.Select:
        """Return the mean of the values without a unit; NULL if one of them is missing."""
        keys = [exp.column(key, REST) for key in ("system", SEGMENT)]
        centers = exp.select(*keys)
        for i in range(len(self.linear)):
            value, whole = exp.column(f"value_{i}", REST), exp.column(f"value_{i}", "wholes")
            said = exp.Where(this=exp.column(f"said_{i}", REST))
            # Its error is multiplied by m - 1 later: a mean of small changes has a small error.
            change = exp.Sub(this=value, expression=whole)
            mean = exp.Anonymous(this="favg", expressions=[change])
            n, known, center = (
                exp.Filter(this=found, expression=said.copy())
                for found in (exp.Count(this=exp.Star()), exp.Count(this=value.copy()), mean)
            )
            every = exp.EQ(this=n, expression=known)
            found = exp.Add(this=exp.Max(this=whole.copy()), expression=center)
            centers = centers.select(exp.Case().when(every, found).as_(f"mean_{i}"), copy=False)
        return centers.from_(REST).join("wholes", on=same_segment("wholes", REST)).group_by(*keys)

    def _measure(self, place: int) -> exp.Select:
        """Return the values of the units of one measure."""
        others = exp.Sub(this=exp.column(f"m_{place}", "wholes"), expression=literal(1.0))
        change = exp.Sub(
            this=exp.column(f"mean_{place}", "centers"), expression=exp.column(f"value_{place}", REST)
        )
        shown = exp.Add(this=exp.column(f"value_{place}", "wholes"), expression=product(others, change))
        effective = exp.column(f"n_effective_{place}", "wholes")
        query = unit_values(place, len(self.linear), REST, shown, effective)
        query = query.from_(REST).where(exp.column(f"said_{place}", REST))
        for name in ("wholes", "centers"):
            query = query.join(name, on=same_segment(name, REST))
        return query


def _remaining(name: str, table: str) -> exp.Expr:
    """Return a sum without the sum of a unit: 0 if only rounding is left."""
    whole, own = exp.column(name, "summed"), exp.column(name, table)
    left = exp.Sub(this=whole, expression=own)
    bound = exp.Mul(this=literal(REMAINDER), expression=exp.Abs(this=whole.copy()))
    nothing = exp.LTE(this=exp.Abs(this=left.copy()), expression=bound)
    return exp.Case().when(nothing, literal(0.0)).else_(left)
