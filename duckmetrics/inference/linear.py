"""Measures as functions of sums over rows, and the values that they give to units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.inference.units import KEYS, SEGMENT, SIZES
from duckmetrics.inputs.classification import UNIT, WEIGHTED
from duckmetrics.summaries.plans import by_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure


@dataclass
class Linear:
    """A measure as a function of sums: columns s_1, s_2, ... of the table of the units.

    Attributes:
        influences: the columns that hold the influences of units on another metric, not sums over rows.
        slopes: column -> the derivative of the value.
        denominators: the sums that the value is divided by, which show how much a unit weighs.
        weighed: whether only units with a weight count, and the table has others for other measures.
    """

    measure: Measure
    value: exp.Expr
    influences: frozenset[str]
    slopes: dict[str, exp.Expr] = field(default_factory=dict)
    denominators: list[exp.Expr] = field(default_factory=list)
    weighed: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns that the value is a function of, each once."""
        return list(dict.fromkeys(column.name for column in self.value.find_all(exp.Column)))

    def takes(self, table: str | None = None) -> exp.Expr | None:
        """Select the units that count; None if all of them do.

        By group, these are the units with a pair of rows to compare. They are the same for every system.
        """
        conditions: list[exp.Expr] = []
        if by_group(self.measure):
            conditions.append(exp.or_(*(_is_not_zero(column, table) for column in self.slopes)))
        if self.weighed:
            conditions.append(exp.GT(this=exp.column(weighed("n"), table), expression=literal(0)))
        return exp.and_(*conditions) if conditions else None

    def counted(self) -> exp.Expr:
        """Return the number of the units of the measure."""
        count: exp.Expr = exp.Count(this=exp.Star())
        if (taken := self.takes()) is not None:
            count = exp.Filter(this=count, expression=exp.Where(this=taken))
        return exp.cast(count, "DOUBLE")

    def effective(self) -> exp.Expr:
        """Return the smallest effective number of units of a denominator; NULL if there is none."""
        sizes: list[exp.Expr] = [
            exp.Max(this=exp.column(f"{c}_effective")) for c in self.slopes if c in self.influences
        ]
        for own in self.denominators:
            total, squares = exp.Sum(this=own.copy()), exp.Sum(this=product(own, own))
            sizes.append(exp.Div(this=product(total, total), expression=exp.func("nullif", squares, 0)))
        if len(sizes) < 2:
            return exp.cast(sizes[0] if sizes else exp.null(), "DOUBLE")
        return exp.func("least", *sizes)

    def depends_on(self) -> exp.Expr:
        """Return the number of units that the measure depends on.

        These are the units with a sum that is not 0. If the measure is made of influences, they are the
        units with rows of the rarer class.
        """
        if self.influences:
            n, n_positive = (
                exp.column(weighed(name) if self.weighed else name) for name in ("n", "n_positive")
            )
            kinds: tuple[exp.Expr, ...] = (
                exp.GT(this=n_positive, expression=literal(0)), exp.GT(this=n, expression=n_positive.copy()),
            )  # fmt: skip
        else:
            kinds = (exp.or_(*map(_is_not_zero, self.columns)),)
        counts: list[exp.Expr] = [
            exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=kind)) for kind in kinds
        ]
        return counts[0] if len(counts) == 1 else exp.func("least", *counts)


def weighed(column: str) -> str:
    """Return the name of a number of rows that counts only those with a weight."""
    return f"{column}_{WEIGHTED}"


def speaking(measures: Sequence[Linear], table: str) -> exp.Query | None:
    """Count the units that each measure depends on; None if there is no measure.

    The variance of the other units is unknown, even if all of them have the same value.

    Args:
        table: the table of the units, with their sums.
    """
    parts: list[exp.Query] = []
    for place, linear in enumerate(measures):
        number = _number(place, len(measures))
        part = exp.select("system", number.as_("metric"), linear.depends_on().as_("n")).from_(table)
        parts.append(part.group_by("system", SEGMENT))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else cast("exp.Query", exp.union(*parts, distinct=False))


def unit_values(place: int, count: int, table: str, shown: exp.Expr, effective: exp.Expr) -> exp.Select:
    """Select the columns of `Units`: the number of the measure in its segment, the unit, and its value.

    Args:
        place: the place of the measure among `count` measures.
        table: the table that names the units.
        shown: the value of a unit.
        effective: the effective number of units.
    """
    finite = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[shown]), shown.copy())
    return exp.select(
        exp.column("system", table), _number(place, count, table).as_("metric"),
        exp.column(UNIT, table).as_("query_id"), finite.as_("value"), effective.as_("n_effective"),
        exp.cast(exp.null(), "BOOLEAN").as_("hits"),
    )  # fmt: skip


def all_units(parts: Iterable[exp.Select], steps: Mapping[str, exp.Select]) -> exp.Select:
    """Stack the values of the units of every measure, and put the steps they need in front."""
    whole: exp.Query | None = None
    for part in parts:
        whole = part if whole is None else exp.union(whole, part, distinct=False, copy=False)
    stacked = exp.select(*KEYS, *SIZES).from_(cast("exp.Query", whole).subquery("units"))
    for name, step in steps.items():
        stacked = stacked.with_(name, as_=step, copy=False)
    return stacked


def same_segment(one: str, other: str) -> exp.Expr:
    """Join two tables by system and segment."""
    same = (
        exp.EQ(this=exp.column(key, one), expression=exp.column(key, other)) for key in ("system", SEGMENT)
    )
    return exp.and_(*same)


def product(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Multiply two expressions, whatever operators they hold."""
    return exp.Mul(this=exp.paren(one.copy(), copy=False), expression=exp.paren(other.copy(), copy=False))


def _is_not_zero(column: str, table: str | None = None) -> exp.Expr:
    return exp.NEQ(this=exp.column(column, table), expression=literal(0.0))


def _number(place: int, count: int, table: str | None = None) -> exp.Expr:
    """Return the number that `Units` gives to a measure in its segment."""
    return exp.Add(
        this=exp.Mul(this=exp.column(SEGMENT, table), expression=literal(count)), expression=literal(place)
    )
