"""Constant folding: the rest of a query once its ``$parameters`` have values.

``CASE 'exp2' WHEN 'linear' THEN a WHEN 'exp2' THEN b END`` becomes ``b``, ``WHERE 10 IS NULL OR
rank <= 10`` becomes ``WHERE rank <= 10``, a ``UNION ALL`` branch whose WHERE is false goes away.
Folding changes only parts that the parameters decide: the rest stays as its author wrote it.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Parameter:
    """Stands for a value that is given later, so that the ``$name`` stays as it is."""

    name: str


@dataclass(frozen=True)
class RangeOf:
    """Stands for the number of the range that a column falls into, 0 below the first edge.

    Attributes:
        edges: where the second and each further range begins, rising.
    """

    column: str
    edges: tuple[float, ...]

    def expression(self) -> exp.Expr:
        """Return the number as an expression over the column."""
        return _number_reached(exp.column(self.column), self.edges)


Value = bool | int | float | str | tuple[float, ...] | Parameter | RangeOf | None

_COMPARISONS: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
}


class Unknown:
    """Stands for a value that depends on the data."""


_UNKNOWN = Unknown()


def literal(value: Value) -> exp.Expr:
    """Write a Python value as SQL; a float becomes a DOUBLE, never a DECIMAL or NULL."""
    if value is None:
        return exp.null()
    if isinstance(value, Parameter):
        return exp.Placeholder(this=value.name)
    if isinstance(value, RangeOf):
        return value.expression()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return exp.Literal.number(value)
    if isinstance(value, float):
        if math.isfinite(value):
            text = repr(value)
            return exp.Literal.number(text if "e" in text else f"{text}e0")
        return exp.cast(exp.Literal.string(str(value)), "DOUBLE")
    if isinstance(value, tuple):
        return exp.Array(expressions=[literal(one) for one in value])
    return exp.Literal.string(value)


def _number_reached(number: exp.Expr, edges: Sequence[float]) -> exp.Expr:
    """Return how many of the edges, which rise, are at most a number.

    These are nested comparisons, as few as there are bits in the result; every engine can run them.
    """

    def between(low: int, high: int) -> exp.Expr:
        if low == high:
            return exp.Literal.number(low)
        middle = (low + high) // 2
        reached = exp.GTE(this=number.copy(), expression=literal(edges[middle]))
        return exp.Case().when(reached, between(middle + 1, high)).else_(between(low, middle))

    return between(0, len(edges))


def bind(query: exp.Expr, values: Mapping[str, Value], holder: type[exp.Expr] = exp.Placeholder) -> exp.Expr:
    """Return a copy of `query`, folded, with its values in: of every ``$name``, or every `holder`."""
    return _settled(query, values, holder, copy=True)


def fold(tree: exp.Expr) -> exp.Expr:
    """Fold `tree` in place, children first, and return it (or what it became)."""
    return _settled(tree, {}, exp.Placeholder, copy=False)


def _settled(node: exp.Expr, values: Mapping[str, Value], holder: type[exp.Expr], copy: bool) -> exp.Expr:
    """Copy, replace and fold in one pass: each alone would cost as much as all together."""
    if isinstance(node, holder) and node.name in values:
        return literal(values[node.name])
    settled = type(node)() if copy else node
    settled.comments = node.comments and [*node.comments]
    for key, value in [*node.args.items()]:
        if isinstance(value, exp.Expr):
            child = _settled(value, values, holder, copy)
            settled.set(key, _grouped(child, node) if isinstance(value, exp.Case) else child)
        elif isinstance(value, list):
            settled.set(key, [
                _settled(v, values, holder, copy) if isinstance(v, exp.Expr) else v for v in value
            ])  # fmt: skip
        else:
            settled.set(key, value)
    rule = _RULES.get(type(node))
    return rule(settled) if rule else settled


def constant(node: exp.Expr | None) -> Value | Unknown:
    """Return the value of a constant expression, or the marker for an unknown one."""
    match node:
        case exp.Null():
            return None
        case exp.Boolean():
            return bool(node.this)
        case exp.Literal():
            return str(node.this) if node.is_string else _number(str(node.this))
        case exp.Paren():
            return constant(node.this)
        case exp.Neg():
            value = constant(node.this)
            return -value if isinstance(value, int | float) else _UNKNOWN
        case exp.Array():
            values = [constant(one) for one in node.expressions]
            is_known = all(isinstance(one, int | float) for one in values)
            return cast("tuple[float, ...]", tuple(values)) if is_known else _UNKNOWN
    return _UNKNOWN


def is_false(node: exp.Expr | None) -> bool:
    """Return whether a condition holds for no row."""
    return isinstance(node, exp.Where) and constant(node.this) in (False, None)


def _number(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)


def _compare(node: exp.Expr) -> exp.Expr:
    left, right = constant(node.this), constant(node.expression)
    if left is None or right is None:
        return exp.null()
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return node
    return exp.Boolean(this=_COMPARISONS[type(node)](left, right))


def _is(node: exp.Expr) -> exp.Expr:
    value = constant(node.this)
    if isinstance(value, Unknown) or not isinstance(node.expression, exp.Null):
        return node
    return exp.Boolean(this=value is None)


def _in(node: exp.Expr) -> exp.Expr:
    value = constant(node.this)
    options = [constant(option) for option in node.expressions]
    if isinstance(value, Unknown) or not options or any(isinstance(o, Unknown) for o in options):
        return node
    return exp.null() if value is None else exp.Boolean(this=value in options)


def _not(node: exp.Expr) -> exp.Expr:
    value = constant(node.this)
    if isinstance(value, Unknown):
        return node
    return exp.null() if value is None else exp.Boolean(this=not value)


def _and(node: exp.Expr) -> exp.Expr:
    return _connect(node, neutral=True)


def _or(node: exp.Expr) -> exp.Expr:
    return _connect(node, neutral=False)


def _connect(node: exp.Expr, neutral: bool) -> exp.Expr:
    left, right = constant(node.this), constant(node.expression)
    for value, other in ((left, node.expression), (right, node.this)):
        if value is neutral:
            return _bare(other)
        if value is (not neutral):
            return exp.Boolean(this=not neutral)
    return exp.null() if left is None and right is None else node


def _bare(node: exp.Expr) -> exp.Expr:
    """Drop parentheses that no operator needs any more."""
    return node.this if isinstance(node, exp.Paren) and not node.find(exp.Or) else node


def _case(node: exp.Expr) -> exp.Expr:
    """Keep the branches that can still be taken; a decided CASE becomes its branch."""
    subject = node.this
    kept: list[exp.Expr] = []
    otherwise: exp.Expr = node.args.get("default") or exp.null()
    for branch in node.args["ifs"]:
        condition = exp.EQ(this=subject.copy(), expression=branch.this) if subject else branch.this
        taken = constant(_compare(condition) if subject else condition)
        if taken is True:
            otherwise = branch.args["true"]
            break
        if isinstance(taken, Unknown):
            kept.append(branch)
    if not kept:
        return otherwise
    node.set("ifs", kept)
    node.set("default", None if isinstance(otherwise, exp.Null) else otherwise)
    return node


def _grouped(node: exp.Expr, parent: exp.Expr) -> exp.Expr:
    """Put parentheses around an operation that becomes the operand of another."""
    inside = isinstance(parent, exp.Binary | exp.Unary) and not isinstance(parent, exp.Paren)
    return exp.paren(node) if inside and isinstance(node, exp.Binary) else node


def _coalesce(node: exp.Expr) -> exp.Expr:
    node = _without_nulls(node)
    decided = isinstance(node, exp.Coalesce) and not isinstance(constant(node.this), Unknown)
    return cast("exp.Expr", node.this) if decided else node


def _without_nulls(node: exp.Expr) -> exp.Expr:
    """Drop NULL arguments of COALESCE, LEAST and GREATEST, which ignore NULL."""
    options: list[exp.Expr] = [o for o in (node.this, *node.expressions) if not isinstance(o, exp.Null)]
    if len(options) < 2:
        return options[0] if options else exp.null()
    node.set("this", options[0])
    node.set("expressions", options[1:])
    return node


def _filter(node: exp.Expr) -> exp.Expr:
    return cast("exp.Expr", node.this) if constant(node.expression.this) is True else node


def _select(node: exp.Expr) -> exp.Expr:
    for clause in ("where", "qualify"):
        condition = node.args.get(clause)
        if condition is not None and constant(condition.this) is True:
            node.set(clause, None)
    return node


def _order(node: exp.Expr) -> exp.Expr:
    """Drop the keys that are the same for every row."""
    keys = [key for key in node.expressions if isinstance(constant(key.this), Unknown)]
    node.set("expressions", keys)
    return node


def _union(node: exp.Expr) -> exp.Expr:
    """Drop a branch that yields no row; the column names are those of the first branch."""
    left, right = node.this, node.expression
    if node.args.get("distinct") or not isinstance(right, exp.Select):
        return node
    if is_false(right.args.get("where")):
        return _beginning_as(node, left)
    if isinstance(left, exp.Select) and is_false(left.args.get("where")):
        names = [projection.alias_or_name for projection in left.expressions]
        named = [p.unalias().as_(n) for p, n in zip(right.expressions, names, strict=True)]
        right.set("expressions", [p.this if p.this.name == p.alias and isinstance(p.this, exp.Column)
                                  else p for p in named])  # fmt: skip
        return _beginning_as(node, right)
    return node


def _group(node: exp.Expr) -> exp.Expr:
    """Drop constant keys, which do not distinguish rows."""
    keys = [key for key in node.expressions if isinstance(constant(key), Unknown)]
    node.set("expressions", keys)
    return node


def _window(node: exp.Expr) -> exp.Expr:
    keys = node.args.get("partition_by") or []
    node.set("partition_by", [key for key in keys if isinstance(constant(key), Unknown)])
    order = node.args.get("order")
    if order is not None and not order.expressions:
        node.set("order", None)
    return node


def _product(node: exp.Expr) -> exp.Expr:
    """Replace ``1e0 * x`` by x."""
    for one, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(one, exp.Literal) and not one.is_string and one.this == "1e0":
            return cast("exp.Expr", other)
    return node


def _length(node: exp.Expr) -> exp.Expr:
    """Count the values of a list, or those at most p: ``length(list_filter(list, lambda x: x <= p))``."""
    known, listed = constant(node.this), node.this
    if isinstance(known, tuple):
        return literal(len(known))
    if not isinstance(listed, exp.ArrayFilter) or not isinstance(listed.expression, exp.Lambda):
        return node
    edges, test = constant(listed.this), listed.expression.this
    (name,) = listed.expression.expressions
    is_rising = isinstance(edges, tuple) and sorted(edges) == [*edges]
    if not is_rising or not isinstance(test, exp.LTE) or test.this.name != name.name:
        return node
    return _number_reached(test.expression, cast("tuple[float, ...]", edges))


def _sorted(node: exp.Expr) -> exp.Expr:
    known = constant(node.this)
    return literal(tuple(sorted(known))) if isinstance(known, tuple) else node


def _distinct(node: exp.Expr) -> exp.Expr:
    known = constant(node.this)
    return literal(tuple(dict.fromkeys(known))) if isinstance(known, tuple) else node


def _call(node: exp.Expr) -> exp.Expr:
    """Replace ``list_extract([a, b], place)`` by the value, or by a CASE of the place."""
    if node.name.lower() != "list_extract":
        return node
    listed, place = node.expressions
    known, at = constant(listed), constant(place)
    if not isinstance(known, tuple):
        return node
    if isinstance(at, int):
        there = 1 <= abs(at) <= len(known)
        return literal(known[at - 1 if at > 0 else at]) if there else exp.null()
    choice = exp.Case(this=place)
    for number, value in enumerate(known, start=1):
        choice = choice.when(literal(number), literal(value), copy=False)
    return choice


def _beginning_as(union: exp.Expr, branch: exp.Expr) -> exp.Expr:
    """Keep the CTEs of a union for the branch that is left of it."""
    if union.args.get("with_"):
        branch.set("with_", union.args["with_"])
    return branch


_RULES: dict[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    **dict.fromkeys(_COMPARISONS, _compare),
    exp.Is: _is,
    exp.In: _in,
    exp.Not: _not,
    exp.And: _and,
    exp.Or: _or,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Least: _without_nulls,
    exp.Greatest: _without_nulls,
    exp.Filter: _filter,
    exp.Group: _group,
    exp.Mul: _product,
    exp.Window: _window,
    exp.Select: _select,
    exp.Order: _order,
    exp.Union: _union,
    exp.Length: _length,
    exp.ArraySort: _sorted,
    exp.ArrayDistinct: _distinct,
    exp.Anonymous: _call,
}
