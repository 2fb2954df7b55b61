"""Measures as functions of sums over rows: their derivatives, and the values that they give to units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.engines.plans import by_group
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.build import stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.units import KEYS, PART, SEGMENT, SIZES
from duckmetrics.inputs.classification import UNIT, WEIGHTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure


# The derivative of f(x), given x.
_CHAIN: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    "sqrt": lambda x: _div(literal(0.5), exp.Sqrt(this=x)),
    "ln": lambda x: _div(literal(1.0), x),
    "log1p": lambda x: _div(literal(1.0), _add(literal(1.0), x)),
    "abs": lambda x: exp.Sign(this=x),
}


def derivative(expression: exp.Expr, column: str) -> exp.Expr | None:
    """Return d expression / d column, None where it is 0 everywhere.

    Conditions are treated as constant: where they change, there is no derivative anyway.

    Raises:
        UnsupportedError: the expression calls something whose derivative is not known.
    """
    if not any(found.name == column for found in expression.find_all(exp.Column)):
        return None
    rule = _RULES.get(type(expression), _of_function)
    return rule(expression, column)


def _of_column(expression: exp.Expr, column: str) -> exp.Expr:
    return literal(1.0)


def _of_wrapped(expression: exp.Expr, column: str) -> exp.Expr | None:
    """Differentiate through parentheses, nullif(x, 0), coalesce(x, 0) or a cast, which keep a value."""
    return derivative(expression.this, column)


def _of_negative(expression: exp.Expr, column: str) -> exp.Expr | None:
    inner = derivative(expression.this, column)
    return None if inner is None else exp.Neg(this=_grouped(inner))


def _of_sum(expression: exp.Expr, column: str) -> exp.Expr | None:
    left, right = (derivative(side, column) for side in _sides(expression))
    if right is None:
        return left
    if isinstance(expression, exp.Sub):
        right = exp.Neg(this=_grouped(right))
    return right if left is None else _add(left, right)


def _of_product(expression: exp.Expr, column: str) -> exp.Expr | None:
    left, right = _sides(expression)
    terms = [
        _mul(slope, other)
        for slope, other in ((derivative(left, column), right), (derivative(right, column), left))
        if slope is not None
    ]
    return _total(terms)


def _of_quotient(expression: exp.Expr, column: str) -> exp.Expr | None:
    above, below = _sides(expression)
    terms = []
    if (slope := derivative(above, column)) is not None:
        terms.append(_div(slope, below))
    if (slope := derivative(below, column)) is not None:
        terms.append(exp.Neg(this=_div(_mul(_div(above, below), slope), below)))
    return _total(terms)


def _of_case(expression: exp.Expr, column: str) -> exp.Expr:
    case = expression.copy()
    for branch in case.args["ifs"]:
        branch.set("true", derivative(branch.args["true"], column) or literal(0.0))
    other = case.args.get("default")
    if other is not None:
        case.set("default", derivative(other, column) or literal(0.0))
    return case


def _of_extreme(expression: exp.Expr, column: str) -> exp.Expr:
    """Return the slope of whichever of the arguments is the least, or the greatest."""
    arguments = [expression.this, *expression.expressions]
    case = exp.Case()
    for argument in arguments:
        slope = derivative(argument, column) or literal(0.0)
        same = exp.EQ(this=_grouped(argument), expression=expression.copy())
        case = case.when(same, slope, copy=False)
    return case


def _of_function(expression: exp.Expr, column: str) -> exp.Expr | None:
    anonymous = isinstance(expression, exp.Anonymous)
    name = (expression.name if anonymous else expression.sql_name()).lower()  # type: ignore[attr-defined]
    if not isinstance(expression, exp.Func) or name not in _CHAIN:
        raise UnsupportedError(expression.sql("duckdb"), "its derivative is not known", "use a bootstrap")
    argument = expression.expressions[0] if anonymous else expression.this
    inner = derivative(argument, column)
    return None if inner is None else _mul(_CHAIN[name](argument.copy()), inner)


def denominators(expression: exp.Expr) -> list[exp.Expr]:
    """Return the sums that an expression divides by: the largest linear parts of its denominators.

    A denominator such as sqrt(a + b) * c has the parts a + b and c; nullif(x, 0) stands for x. A part in a
    branch that an open parameter may leave out is NULL where it is left out.
    """
    found: list[exp.Expr] = []
    for division in expression.find_all(exp.Div):
        for part in _linear_parts(division.args["expression"]):
            conditions, own = list(_conditions(part, expression)), _plain(part)
            if conditions:
                own = exp.Case().when(exp.and_(*conditions), own)
            if own not in found:
                found.append(own)
    return found


def _conditions(inner: exp.Expr, outer: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions on parameters under which a part of an expression is computed."""
    while inner is not outer and isinstance(inner.parent, exp.Expr):
        parent = inner.parent
        if isinstance(parent, exp.Case) and inner is not parent.this:
            for branch in parent.args["ifs"]:
                if not branch.this.find(exp.Column) and branch.this.find(exp.Placeholder):
                    condition: exp.Expr = exp.paren(branch.this.copy())
                    if parent.this is not None:
                        condition = exp.EQ(this=_grouped(parent.this), expression=condition)
                    holds = exp.func("coalesce", condition, exp.false())
                    yield holds if branch is inner else exp.not_(holds)
                if branch is inner:
                    break
        inner = parent


def _linear_parts(expression: exp.Expr) -> list[exp.Expr]:
    if not expression.find(exp.Column):
        return []
    if _is_linear(expression):
        return [expression]
    parts: list[exp.Expr] = []
    for inner in expression.iter_expressions():
        # A condition divides by nothing.
        branch = inner.args["true"] if isinstance(inner, exp.If) else inner
        parts += _linear_parts(branch)
    return parts


def _is_linear(expression: exp.Expr) -> bool:
    """Return whether an expression is a sum of multiples of columns, without a constant."""
    if isinstance(expression, exp.Column):
        return True
    if isinstance(expression, exp.Paren | exp.Nullif | exp.Coalesce | exp.Cast | exp.Neg):
        return _is_linear(expression.this)
    if isinstance(expression, exp.Add | exp.Sub):
        return all(map(_is_linear, _sides(expression)))
    if isinstance(expression, exp.Mul | exp.Div):
        factor, other = _sides(expression)
        if isinstance(expression, exp.Mul) and not factor.find(exp.Column):
            factor, other = other, factor
        return _is_linear(factor) and not other.find(exp.Column)
    return False


def _plain(expression: exp.Expr) -> exp.Expr:
    """Leave out nullif: a unit may have nothing of a sum."""
    whole = exp.paren(expression.copy(), copy=False)
    for found in list(whole.find_all(exp.Nullif)):
        found.replace(exp.paren(found.this.copy(), copy=False))
    return whole.this if isinstance(whole.this, exp.Expr) else whole


_RULES: dict[type[exp.Expr], Callable[[exp.Expr, str], exp.Expr | None]] = {
    exp.Column: _of_column,
    exp.Paren: _of_wrapped,
    exp.Nullif: _of_wrapped,
    exp.Coalesce: _of_wrapped,
    exp.Cast: _of_wrapped,
    exp.Neg: _of_negative,
    exp.Add: _of_sum,
    exp.Sub: _of_sum,
    exp.Mul: _of_product,
    exp.Div: _of_quotient,
    exp.Case: _of_case,
    exp.Least: _of_extreme,
    exp.Greatest: _of_extreme,
}


def _sides(expression: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    return expression.this, expression.args["expression"]


def _total(terms: Sequence[exp.Expr]) -> exp.Expr | None:
    total: exp.Expr | None = None
    for term in terms:
        total = term if total is None else _add(total, term)
    return total


def _add(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Add(this=_grouped(left), expression=_grouped(right))


def _mul(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Mul(this=_grouped(left), expression=_grouped(right))


def _div(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Div(this=_grouped(left), expression=_grouped(right))


def _grouped(operand: exp.Expr) -> exp.Expr:
    operand = operand.copy()
    return exp.paren(operand, copy=False) if isinstance(operand, exp.Binary | exp.Unary) else operand


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
        exp.cast(exp.null(), "BOOLEAN").as_("hits"), exp.cast(exp.null(), "DOUBLE").as_(PART),
    )  # fmt: skip


def all_units(parts: Iterable[exp.Select], steps: Mapping[str, exp.Select]) -> exp.Select:
    """Stack the values of the units of every measure, and put the steps they need in front."""
    whole = exp.select(*KEYS, *SIZES).from_(stacked(parts).subquery("units"))
    for name, step in steps.items():
        whole = whole.with_(name, as_=step, copy=False)
    return whole


def same_segment(one: str, other: str) -> exp.Expr:
    """Join two tables by system and segment."""
    same = (
        exp.EQ(this=exp.column(key, one), expression=exp.column(key, other)) for key in ("system", SEGMENT)
    )
    return exp.and_(*same)


# A sum without its only part may differ from 0 by this share of it.
REMAINDER = 1e-12


def remaining(name: str, table: str, summed: str = "summed") -> exp.Expr:
    """Return a sum without the sum of a unit: 0 if only rounding is left."""
    whole, own = exp.column(name, summed), exp.column(name, table)
    left = exp.Sub(this=whole, expression=own)
    bound = exp.Mul(this=literal(REMAINDER), expression=exp.Abs(this=whole.copy()))
    nothing = exp.LTE(this=exp.Abs(this=left.copy()), expression=bound)
    return exp.Case().when(nothing, literal(0.0)).else_(left)


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
