"""The variants of an experiment: how many units each has, and how many have a value of each metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import cast_to, quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.values import grade_expression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.outcomes import Outcome

# A column with more different values does not name variants.
MOST_ARMS = 50


class Tally(NamedTuple):
    """The counts of one metric in one variant.

    Attributes:
        known: units with a value; of a ratio, with both.
        hits: units whose value is 1.
        others: units whose value is neither 0 nor 1.
        before: units with a value, and with one from before the experiment.
        sum_before: the sum of the latter.
    """

    known: int
    hits: int
    others: int
    before: int
    sum_before: float


@dataclass(frozen=True)
class Arm:
    """A variant: its name, the number of its units, and a tally by name of the metric."""

    name: str
    n: int
    tallies: dict[str, Tally]

    def of(self, outcome: Outcome) -> Tally:
        """Return the tally of a metric."""
        return self.tallies[outcome.name]


def read_arms(engine: Engine, source: Source, variant: str, outcomes: Sequence[Outcome]) -> list[Arm]:
    """Count the units of every variant in one scan.

    Raises:
        InputError: a unit has no variant, there are too many of them, a column holds no numbers, or the
            table cannot be read.
    """
    query = _counts(source, variant, outcomes).sql(engine.dialect, pretty=True)
    try:
        found = engine.rows(query)
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(source.label, f"cannot be read: {error}", "check it") from error
    engine.ran.append(query)
    if len(found) > MOST_ARMS:
        what = f"column {variant!r} has more than {MOST_ARMS} different values"
        raise InputError(source.label, what, "name the column of the variant")
    for name, n, *_ in found:
        if name is None:
            what = f"column {variant!r}: {n:,} unit{'s have' if n > 1 else ' has'} no variant"
            raise InputError(source.label, what, "name the variant of every unit, or leave these units out")
    width = len(Tally._fields)
    return [
        Arm(name, n, {outcome.name: Tally(*counts[i * width : (i + 1) * width])
                      for i, outcome in enumerate(outcomes)})
        for name, n, *counts in found
    ]  # fmt: skip


def _counts(source: Source, variant: str, outcomes: Sequence[Outcome]) -> exp.Select:
    """Write the query: a row for every variant, and in it a tally for every metric."""
    columns: dict[str, exp.Expr] = {"arm": cast_to(quoted(variant), "VARCHAR")}
    counted: list[exp.Expr] = []
    for i, outcome in enumerate(outcomes):
        value, other = f"value_{i}", f"other_{i}"
        columns[value] = grade_expression(source, outcome.value)
        second = outcome.denominator or outcome.before
        columns[other] = cast_to(None, "DOUBLE") if second is None else grade_expression(source, second)
        counted += _tally(value, other, is_ratio=outcome.denominator is not None)
    units = selected(source, columns).subquery("units")
    query = exp.select("arm", exp.Count(this=exp.Star()).as_("n"), *counted).from_(units).group_by("arm")
    return query.order_by(exp.Ordered(this=exp.column("arm"))).limit(MOST_ARMS + 1)


def _tally(value: str, other: str, is_ratio: bool) -> list[exp.Expr]:
    """Return the columns of a `Tally`."""
    has_value, has_other = (exp.column(name).is_(exp.null()).not_() for name in (value, other))
    both = exp.and_(has_value, has_other)
    known = both if is_ratio else has_value
    one = exp.EQ(this=exp.column(value), expression=literal(1))
    neither = exp.column(value).isin(literal(0), literal(1)).not_()
    columns = [_count(condition) for condition in (known, one, neither, both)]
    summed = exp.Sum(this=exp.Case().when(has_value.copy(), exp.column(other)))
    return [column.as_(f"{value}_{i}") for i, column in enumerate([*columns, summed])]


def _count(condition: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.Case().when(condition.copy(), literal(1)))


def adjusted_source(
    source: Source, variant: str, outcome: Outcome, theta: float, center: float | None
) -> Source:
    """Return the table of the values that CUPED compares: (arm, value)."""
    value = grade_expression(source, outcome.value)
    if outcome.before is not None and center is not None:
        known = exp.Sub(this=grade_expression(source, outcome.before), expression=literal(center))
        shift = exp.Mul(this=literal(theta), expression=exp.func("coalesce", known, literal(0.0)))
        value = exp.Sub(this=value, expression=exp.paren(shift))
    rows = selected(source, {"arm": cast_to(quoted(variant), "VARCHAR"), "value": value})
    columns = {"arm": "VARCHAR", "value": "DOUBLE"}
    return replace(source, relation=rows.subquery("adjusted_values"), columns=columns, renamed={})


def over_unit_rows(
    query: exp.Query, source: Source, variant: str, unit: str | None, outcomes: Sequence[Outcome]
) -> exp.Select:
    """Let a query read `unit_rows`: variant and unit of every row, and a hash of what is read of it."""
    read = dict.fromkeys(name for o in outcomes for name in (*o.columns, o.before) if name is not None)
    numbers = exp.Array(expressions=[grade_expression(source, name) for name in read])
    rows = selected(source, {
        "arm": cast_to(quoted(variant), "VARCHAR"),
        "unit": cast_to(None if unit is None else quoted(unit), "VARCHAR"),
        "unit_name": cast_to(None if unit is None else literal(unit), "VARCHAR"),
        "fingerprint": exp.Anonymous(this="hash", expressions=[numbers]),
    })  # fmt: skip
    return exp.select("*").from_(query.subquery("doubts")).with_("unit_rows", as_=rows)
