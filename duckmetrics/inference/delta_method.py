"""The delta method: metrics of classifiers as means over rows that are independent of each other.

A metric is a function of sums over rows. Its derivatives show how much one row changes it. The value
plus n times the change by one of n rows is, for inference, the value of that row. The mean of these
values is the metric, and their spread is the spread of the metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.inference.linear import all_units, same_segment, unit_values
from duckmetrics.inference.units import SEGMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.inference.linear import Linear
    from duckmetrics.inference.sums import Sums


class DeltaMethod:
    """Writes the values of the units with the derivatives of the measures.

    Args:
        table: where the rows of `Sums.per_unit` are kept.
    """

    def __init__(self, sums: Sums, table: str) -> None:
        self.sums = sums
        self.linear = sums.linear
        self.table = table

    def values(self) -> exp.Select:
        """Return one row per system, measure, segment and unit, as `Units` holds them."""
        steps = {"summed": self.sums.summed(self.table), "slopes": self._slopes()}
        return all_units((self._measure(i, linear) for i, linear in enumerate(self.linear)), steps)

    def _slopes(self) -> exp.Select:
        """Return the derivatives of every measure, per system and segment."""
        places = range(len(self.linear))
        slopes = exp.select(
            "system", SEGMENT, *(f"{name}_{i}" for i in places for name in ("m", "n_effective"))
        )
        for i, linear in enumerate(self.linear):
            moved = _moved([c for c in linear.slopes if c not in linear.influences], linear.slopes)
            value = linear.value if moved is None else exp.Sub(this=exp.paren(linear.value), expression=moved)
            slopes = slopes.select(value.as_(f"value_{i}"), copy=False)
            for name, slope in linear.slopes.items():
                slopes = slopes.select(slope.as_(f"slope_{i}_{name}"), copy=False)
        return slopes.from_("summed")

    def _measure(self, place: int, linear: Linear) -> exp.Select:
        """Return the values of the units of one measure."""
        known = {name: exp.column(f"slope_{place}_{name}", "slopes") for name in linear.slopes}
        moved = _moved(linear.slopes, known, self.table)
        value = exp.column(f"value_{place}", "slopes")
        shown = exp.Add(
            this=value, expression=exp.Mul(this=exp.column(f"m_{place}", "slopes"), expression=moved)
        )
        effective = exp.column(f"n_effective_{place}", "slopes")
        query = unit_values(place, len(self.linear), self.table, shown, effective)
        query = query.from_(self.table).join("slopes", on=same_segment("slopes", self.table))
        taken = linear.takes(self.table)
        return query if taken is None else query.where(taken)


def _moved(
    columns: Iterable[str], slopes: Mapping[str, exp.Expr], table: str | None = None
) -> exp.Expr | None:
    """Return the sum of slope times column; None if there is no column."""
    moved: exp.Expr | None = None
    for name in columns:
        term = exp.Mul(this=exp.paren(slopes[name]), expression=exp.column(name, table))
        moved = term if moved is None else exp.Add(this=moved, expression=term)
    return None if moved is None else exp.paren(moved)
