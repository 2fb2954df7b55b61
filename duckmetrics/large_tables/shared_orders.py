"""A plan rule for rows that many groups have in the same order: one group of each kind is sorted.

The ideal order of a query depends only on how many items have each grade. There are few grades, and many
queries have the same number of items of each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.expressions.build import equal_columns, is_inner, named_step, picked
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.engines.engine import Engine

# With more different values, few groups are alike.
MOST_VALUES = 8
# The further steps: the rows of each group with each value, one group of each kind, and its aggregates.
PARTS = ("counts", "alike", "once")


@dataclass(frozen=True)
class Shared:
    """An aggregate of sorted rows that other tables do not change.

    Attributes:
        aggregated: the step that aggregates the rows of each group.
        joined: the step that joins the rows to the groups that are asked for.
        ordered: the step that sorts the rows of each group by a value.
        key, value: the columns of that step.
    """

    aggregated: exp.CTE
    joined: exp.CTE
    ordered: exp.CTE
    key: str
    value: str

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(f"{self.ordered.alias}_{part}" for part in PARTS)


def with_shared_orders(engine: Engine, query: exp.Select) -> exp.Select:
    """Return a query that sorts the rows of groups with equal values once."""
    query = query.copy()
    steps = {cte.alias: cte for cte in query.ctes}
    for cte in query.ctes:
        found = _shared(cte, steps)
        if found is None or any(_times_read(query, one) > 1 for one in (found.joined, found.ordered)):
            continue
        if not steps.keys().isdisjoint(found.parts):
            continue
        if values := _values(engine, query, found):
            _share(query, found, values)
    return query


def _times_read(query: exp.Select, step: exp.CTE) -> int:
    return sum(table.name == step.alias for table in query.find_all(exp.Table))


def _shared(cte: exp.CTE, steps: Mapping[str, exp.CTE]) -> Shared | None:
    """Return the steps behind an aggregate; None if it needs more than the values of a group."""
    joined = steps.get(_source(cte.this, {"expressions", "from_", "group"}))
    ordered = steps.get(_source(joined.this, {"expressions", "from_", "joins"})) if joined else None
    if joined is None or ordered is None or not isinstance(ordered.this, exp.Select):
        return None
    columns = {p.alias_or_name: p.unalias() for p in ordered.this.selects}
    windows = {name: value for name, value in columns.items() if isinstance(value, exp.Window)}
    window = next(iter(windows.values())) if len(windows) == 1 else None
    if window is None or not window.args.get("order"):
        return None
    keys, order = window.args["partition_by"], window.args["order"].expressions
    plain = [name for name, value in columns.items() if isinstance(value, exp.Column) and name == value.name]
    names = {keys[0].name, order[0].this.name} if len(keys) == len(order) == 1 else set()
    if set(plain) != names or len(columns) != 3 or not isinstance(window.this, exp.RowNumber):
        return None
    found = Shared(cte, joined, ordered, keys[0].name, order[0].this.name)
    return found if _is_joined_by_key(found) and _reads_only(found, {*windows, found.value}) else None


def _source(step: exp.Expr, clauses: set[str]) -> str:
    """Return the table that a step reads; empty if it has other clauses than these."""
    if not isinstance(step, exp.Select) or {name for name, value in step.args.items() if value} != clauses:
        return ""
    table = step.args["from_"].this
    return str(table.name) if isinstance(table, exp.Table) and table.alias_or_name == table.name else ""


def _is_joined_by_key(found: Shared) -> bool:
    """Return whether the rows are joined to one other table, by their key."""
    (join, *others) = found.joined.this.args["joins"]
    condition, name = join.args.get("on"), found.ordered.alias
    is_plain = not others and is_inner(join) and isinstance(join.this, exp.Table)
    if not is_plain or not isinstance(condition, exp.EQ):
        return False
    return {condition.this, condition.expression} == {
        exp.column(found.key, table) for table in (name, join.this.alias_or_name)
    }


def _reads_only(found: Shared, columns: set[str]) -> bool:
    """Return whether the aggregates read these columns of the sorted rows only, and groups have no others."""
    named = {p.alias_or_name: p.unalias() for p in found.joined.this.selects}
    groups = found.joined.this.args["joins"][0].this.alias_or_name
    keys = {key.name for key in found.aggregated.this.args["group"].expressions}
    aggregates = [one for one in found.aggregated.this.selects if one.alias_or_name not in keys]
    read = {column.name for one in aggregates for column in one.find_all(exp.Column)}
    are_keys = all(named.get(key) == exp.column(key, groups) for key in keys)
    are_read = all(named.get(name) == exp.column(name, found.ordered.alias) for name in read)
    return found.key in keys and are_keys and are_read and read <= columns


def _values(engine: Engine, query: exp.Select, found: Shared) -> list[float]:
    """Return the different values of the sorted rows; none if they are many, or are no numbers."""
    rows = _unsorted(found)
    rows.set("with_", query.args["with_"].copy())
    rows = rows.select(exp.column(found.value)).distinct().limit(MOST_VALUES + 1)
    values = [value for (value,) in engine.rows(without_idle_steps(rows))]
    are_numbers = all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    return sorted(values) if are_numbers and len(values) <= MOST_VALUES else []


def _share(query: exp.Select, found: Shared, values: Sequence[float]) -> None:
    """Aggregate one group of each kind, and join it to the others, in place."""
    name, key = found.ordered.alias, found.key
    counts, alike, once = found.parts
    numbers = [f"n_{place}" for place in range(1, len(values) + 1)]
    first = picked(counts, *numbers, exp.Min(this=exp.column(key)).as_("same_as")).group_by(*numbers)
    before = [named_step(counts, _counted(found, numbers, values)), named_step(alike, first)]
    is_first = exp.In(this=exp.column(key), query=picked(alike, "same_as").subquery())
    found.ordered.set("this", found.ordered.this.where(is_first))
    keys = [one.name for one in found.aggregated.this.args["group"].expressions]
    own = [one for one in found.aggregated.this.selects if one.alias_or_name not in keys]
    aggregated = picked(name, key, *(one.copy() for one in own)).group_by(key)
    groups = found.joined.this.args["joins"][0].this
    selected = (exp.column(one, groups.alias_or_name) for one in keys)
    whole = picked(groups.copy(), *selected, *(exp.column(one.alias_or_name, once) for one in own))
    whole = whole.join(counts, on=equal_columns([key], counts, groups.alias_or_name))
    whole = whole.join(alike, on=equal_columns(numbers, alike, counts))
    is_same = exp.EQ(this=exp.column(key, once), expression=exp.column("same_as", alike))
    found.aggregated.set("this", whole.join(once, on=is_same))
    with_ = cast("exp.With", query.args["with_"])
    steps = list(with_.expressions)
    steps.insert(steps.index(found.aggregated), named_step(once, aggregated))
    place = steps.index(found.ordered)
    with_.set("expressions", [*steps[:place], *before, *steps[place:]])


def _counted(found: Shared, numbers: Sequence[str], values: Sequence[float]) -> exp.Select:
    """Count the rows of each group with each value."""
    counters = []
    for number, value in zip(numbers, values, strict=True):
        is_value = exp.EQ(this=exp.column(found.value), expression=literal(float(value)))
        of_value = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=is_value))
        counters.append(of_value.as_(number))
    return _unsorted(found).select(found.key, *counters).group_by(found.key)


def _unsorted(found: Shared) -> exp.Select:
    """Return the query of the rows without columns and order."""
    rows = cast("exp.Select", found.ordered.this.copy())
    for clause in ("qualify", "expressions"):
        rows.set(clause, None)
    return rows
