"""A plan rule for values of a group that a step has once: they are joined to the groups, not to their rows.

The number of relevant items of a query stands next to each of them, so that a metric can read it. It is the
same in all rows of the query, and so is its largest value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from duckmetrics.expressions.build import conjuncts, is_inner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Lookup(NamedTuple):
    """The column of a step that has one value in each group.

    Attributes:
        step: the step, under the name that the column refers to.
        keys: the columns of the step that are keys of the groups.
    """

    column: exp.Column
    step: exp.Table
    keys: tuple[str, ...]


def looked_up(
    aggregate: exp.Expr, sources: Sequence[exp.Select], keys: Sequence[str], steps: Mapping[str, exp.Expr]
) -> Lookup | None:
    """Return the column of a step that is the value of a MIN or MAX in each group; None if none is.

    Args:
        sources: the queries of the rows; their union is grouped.
        keys: the names of the columns that rows are grouped by.
        steps: the steps of the whole query, by name.
    """
    if not isinstance(aggregate, exp.Min | exp.Max) or not isinstance(aggregate.this, exp.Column):
        return None
    found = {_lookup(source, aggregate.this.name, keys, steps) for source in sources}
    return found.pop() if len(found) == 1 else None


def _lookup(
    source: exp.Select, name: str, keys: Sequence[str], steps: Mapping[str, exp.Expr]
) -> Lookup | None:
    """Return the column of a step that has a name in the rows; None if keys of the groups do not join it."""
    columns = {p.alias_or_name: p.unalias() for p in source.selects}
    value = columns.get(name)
    if not isinstance(value, exp.Column):
        return None
    joins = (join for join in source.args.get("joins") or () if join.this.alias_or_name == value.table)
    join = next(joins, None)
    if join is None or not _is_of_step(join, steps):
        return None
    pairs = _pairs(join)
    if not all(key in keys and _is_same(columns.get(key), other, source) for key, other in pairs.items()):
        return None
    return Lookup(value, join.this, tuple(pairs))


def _is_of_step(join: exp.Join, steps: Mapping[str, exp.Expr]) -> bool:
    """Return whether a LEFT JOIN finds one row of a step, or none."""
    is_left = join.side == "LEFT" and isinstance(join.this, exp.Table)
    pairs = _pairs(join) if is_left else {}
    return bool(pairs) and set(pairs) == set(grain_of(steps.get(join.this.name)))


def _is_same(key: exp.Expr | None, joined: exp.Expr, source: exp.Select) -> bool:
    """Return whether a column that rows are grouped by has the values that a step is joined by."""
    if not isinstance(key, exp.Column):
        return False
    if key == joined:
        return True
    inner = (join for join in source.args.get("joins") or () if is_inner(join) and join.args.get("on"))
    required = (one for join in inner for one in conjuncts(join.args["on"]) if isinstance(one, exp.EQ))
    return any({key, joined} == {one.this, one.expression} for one in required)


def grain_of(step: exp.Expr | None) -> list[str]:
    """Return the columns that a step groups by and returns; it has one row for each of their values."""
    if not isinstance(step, exp.Select) or (group := step.args.get("group")) is None:
        return []
    names = [key.name for key in group.expressions if isinstance(key, exp.Column)]
    returned = {p.name for p in step.selects if isinstance(p, exp.Column)}
    return names if len(names) == len(group.expressions) and set(names) <= returned else []


def _pairs(join: exp.Join) -> dict[str, exp.Expr]:
    """Return the columns of a joined table with what they equal; none if it is joined in another way."""
    name, condition = join.this.alias_or_name, join.args.get("on")
    pairs: dict[str, exp.Expr] = {}
    for part in conjuncts(condition) if condition else ():
        if not isinstance(part, exp.EQ):
            return {}
        sides = [part.this, part.expression]
        own = [side for side in sides if isinstance(side, exp.Column) and side.table == name]
        if len(own) != 1:
            return {}
        pairs[own[0].name] = next(side for side in sides if side is not own[0])
    return pairs
