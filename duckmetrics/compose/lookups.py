"""A plan rule for values of a group that a step has once: they are joined to the groups, not to their rows.

The number of relevant items of a query stands next to each of them, so that a metric can read it. It is the
same in all rows of the query, and so is its largest value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

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
    return bool(pairs) and set(pairs) == set(_keys_of(steps.get(join.this.name)))


def _is_same(key: exp.Expr | None, joined: exp.Expr, source: exp.Select) -> bool:
    """Return whether a column that rows are grouped by has the values that a step is joined by."""
    if not isinstance(key, exp.Column):
        return False
    if key == joined:
        return True
    # Both sides of another join of the rows.
    inner = (join for join in source.args.get("joins") or () if not join.side)
    return any({key, joined} == {one.this, one.expression} for join in inner for one in join.find_all(exp.EQ))


def without_idle_lookups(rows: exp.Select, steps: Mapping[str, exp.Expr]) -> exp.Select:
    """Leave out the steps that have one row for each key and are joined for nothing, in place."""
    for join in [join for join in rows.args.get("joins") or () if _is_of_step(join, steps)]:
        read = (one for one in rows.find_all(exp.Column) if one.table == join.this.alias_or_name)
        if all(column.find_ancestor(exp.Join) is join for column in read):
            join.pop()
    return rows


def _keys_of(step: exp.Expr | None) -> list[str]:
    """Return the columns that a step groups by and returns; it has one row for each of their values."""
    if not isinstance(step, exp.Select) or (group := step.args.get("group")) is None:
        return []
    names = [key.name for key in group.expressions if isinstance(key, exp.Column)]
    returned = (
        {p.alias_or_name for p in step.selects if isinstance(p.unalias(), exp.Column)} if step else set()
    )
    return names if len(names) == len(group.expressions) and set(names) <= returned else []


def _pairs(join: exp.Join) -> dict[str, exp.Expr]:
    """Return the columns of a joined table with what they equal; none if it is joined in another way."""
    name, condition = join.this.alias_or_name, join.args.get("on")
    parts = list(condition.flatten()) if isinstance(condition, exp.And) else [condition]
    pairs: dict[str, exp.Expr] = {}
    for part in parts:
        if not isinstance(part, exp.EQ):
            return {}
        sides = [part.this, part.expression]
        own = [side for side in sides if isinstance(side, exp.Column) and side.table == name]
        if len(own) != 1:
            return {}
        pairs[own[0].name] = next(side for side in sides if side is not own[0])
    return pairs
