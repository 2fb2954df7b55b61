"""Plan rules for aggregates over the same rows, and for windows over parts that can be divided.

Metrics read different steps of the rows, such as clipped probabilities. Each of these steps only computes
columns, but DuckDB groups all rows again for each of them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.expressions.build import conjuncts, named_step
from duckmetrics.expressions.folding import RangeOf, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


Keys = tuple[str, ...]


@dataclass
class Merged:
    """One aggregate in place of several.

    Attributes:
        name: the step that has all columns, which is the first of the steps.
        table: the rows that all of them read.
        columns: the columns that are computed from these rows.
        values: the aggregates.
        renamed: step, column -> the column of the merged step.
    """

    name: str
    table: str
    keys: Keys
    columns: dict[str, exp.Expr] = field(default_factory=dict)
    values: dict[str, exp.Expr] = field(default_factory=dict)
    renamed: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, name: str, step: exp.Select, meant: Mapping[str, exp.Expr] | None) -> None:
        """Add the aggregates of a step.

        Args:
            meant: the columns that the step reads, in terms of the rows; None if it reads the rows.
        """
        for projection in step.selects:
            value = projection.unalias().copy()
            if isinstance(value, exp.Literal) or projection.alias_or_name in self.keys:
                continue
            holder = exp.paren(value, copy=False)
            for column in list(holder.find_all(exp.Column)):
                known = column if meant is None else meant[column.name]
                column.replace(exp.column(_named(self.columns, column.name, known.copy())))
            alias = _named(self.values, projection.alias_or_name, holder.this)
            self.renamed[name, projection.alias_or_name] = alias

    def steps(self, stem: str) -> list[exp.CTE]:
        """Return the step with the columns and the step with the aggregates."""
        rows = exp.select(*self.keys, *(v.as_(n) for n, v in self.columns.items() if n not in self.keys))
        values = exp.select(*self.keys, *(v.as_(n) for n, v in self.values.items()))
        parts = {stem: rows.from_(self.table), self.name: values.from_(stem).group_by(*self.keys)}
        return [named_step(name, query) for name, query in parts.items()]


def in_one_scan(query: exp.Select) -> exp.Select:
    """Merge the aggregates that a query joins, if all of them group the same rows by the same columns."""
    query = query.copy()
    steps = {cte.alias: cte.this for cte in query.ctes}
    first = query.args["from_"].this.name
    source = _rows_of(first, steps)
    if source is None:
        return query
    merged = Merged(first, *source)
    joins = [join for join in query.args.get("joins") or [] if _is_same(join, merged, steps)]
    members = [first, *(join.this.name for join in joins)]
    read = [table.name for step in steps.values() for table in step.find_all(exp.Table)]
    if len(members) < 2 or set(members) & set(read):
        return query
    for name in members:
        merged.add(name, steps[name], _meant(steps[name], steps))
    query.set("joins", [join for join in query.args["joins"] if join not in joins])
    for column in query.find_all(exp.Column):
        if (column.table, column.name) in merged.renamed:
            column.set("this", exp.to_identifier(merged.renamed[column.table, column.name]))
        if column.table in members:
            column.set("table", exp.to_identifier(first))
    _replace(query, first, merged.steps(f"{first}_rows"))
    return without_idle_steps(query)


def _rows_of(name: str, steps: Mapping[str, exp.Expr]) -> tuple[str, Keys] | None:
    """Return the rows that a step groups and the columns by which it does; None if it does more."""
    step = steps.get(name)
    if not isinstance(step, exp.Select) or {n for n, v in step.args.items() if v} != {
        "expressions", "from_", "group",
    }:  # fmt: skip
        return None
    keys = step.args["group"].expressions
    if not isinstance(step.args["from_"].this, exp.Table) or not all(isinstance(k, exp.Column) for k in keys):
        return None
    meant = _meant(step, steps)
    read = step.args["from_"].this.name
    if meant is None:
        return read, tuple(key.name for key in keys)
    is_same = all(isinstance(meant.get(k.name), exp.Column) and meant[k.name].name == k.name for k in keys)
    return (steps[read].args["from_"].this.name, tuple(key.name for key in keys)) if is_same else None


def _meant(step: exp.Expr, steps: Mapping[str, exp.Expr]) -> dict[str, exp.Expr] | None:
    """Return the columns of the step that a step reads, if it only computes them row by row."""
    read = steps.get(step.args["from_"].this.name)
    if not isinstance(read, exp.Select) or {n for n, v in read.args.items() if v} != {"expressions", "from_"}:
        return None
    source = read.args["from_"].this
    if not isinstance(source, exp.Table) or source.name not in steps or read.find(exp.Window, exp.AggFunc):
        return None
    return {p.alias_or_name: p.unalias() for p in read.selects}


def _is_same(join: exp.Join, merged: Merged, steps: Mapping[str, exp.Expr]) -> bool:
    """Return whether a join adds an aggregate of the same rows by the same columns."""
    name = join.this.name
    condition = join.args.get("on")
    if join.side != "LEFT" or condition is None or _rows_of(name, steps) != (merged.table, merged.keys):
        return False
    wanted = {frozenset({(name, key), (merged.name, key)}) for key in merged.keys}
    return wanted == {
        frozenset((c.table, c.name) for c in part.find_all(exp.Column)) for part in conjuncts(condition)
    }


def _named(known: dict[str, exp.Expr], name: str, value: exp.Expr) -> str:
    """Return the name of an expression, which is added under this name or a free one unless it is there."""
    for other, one in known.items():
        if one == value:
            return other
    free = name if name not in known else f"{name}_{len(known) + 1}"
    known[free] = value
    return free


def _replace(query: exp.Select, name: str, steps: list[exp.CTE]) -> None:
    """Put steps in place of one, in place."""
    with_ = query.args["with_"]
    kept = [[cte] if cte.alias != name else steps for cte in with_.expressions]
    with_.set("expressions", [cte for ctes in kept for cte in ctes])


Step = tuple[str, exp.Query]
# The number of the range of a row, the number of the part within it, and the number of rows before.
RANGE, PART, BEFORE = "value_range", "range_part", "rows_before"


class Ranges:
    """Ranges of values with about the same number of rows.

    Args:
        column: the column of the values.
        edges: the values that divide the rows into shares of equal size, rising. A value that occurs twice
            has more rows than a share: it becomes a range of its own, in parts.
        order: the column that orders equal values.
    """

    def __init__(self, column: str, edges: Sequence[float], order: str) -> None:
        self._shares = {value: shares for value, shares in Counter(edges).items() if shares > 1}
        ends = (math.nextafter(value, math.inf) for value in self._shares)
        self._range = RangeOf(column, tuple(sorted({*edges, *ends})))
        self._order = order

    def columns(self) -> list[exp.Expr]:
        """Return the number of the range of a row, and the number of the part within it."""
        part: exp.Expr = literal(0)
        if self._shares:
            part = exp.Case(this=exp.column(self._range.column))
            for value, shares in self._shares.items():
                part = part.when(literal(value), _number(self._order, shares))
            part = part.else_(literal(0))
        return [self._range.expression().as_(RANGE), part.as_(PART)]


def _number(column: str, count: int) -> exp.Expr:
    """Return a number from 0 to `count` - 1 that depends on a column only.

    A hash may be negative, and the absolute value of the smallest one overflows.
    """
    hashed = exp.Anonymous(this="hash", expressions=[exp.column(column)])
    signed = exp.Add(this=exp.Mod(this=hashed, expression=literal(count)), expression=literal(count))
    return exp.Mod(this=exp.paren(signed), expression=literal(count))


def divided(name: str, step: exp.Select, ranges: Ranges | None = None) -> list[Step]:
    """Return the steps of a query whose windows read whole systems.

    The last step has the name and the columns of the query. All windows have the same keys, which are among
    the other columns.

    Args:
        ranges: of the column that row numbers are ordered by first.
    """
    rows, known = f"{name}_rows", _ScannedRows(step)
    steps: list[Step] = [(rows, known.query([] if ranges is None else ranges.columns()))]
    last = exp.select(*(known.shown(p, rows) for p in step.selects)).from_(rows)
    if known.aggregates:
        whole = f"{name}_whole"
        query = exp.select(*known.keys, *(e.as_(f"whole_{i}") for i, e in enumerate(known.aggregates)))
        steps.append((whole, query.from_(rows).group_by(*known.keys)))
        # Joined by the keys alone, all rows of a system would come to one task again.
        last = last.join(whole, on=_same(known.keys, whole, rows)).hint(
            f"BROADCAST({whole})", dialect="spark"
        )
    if ranges is not None:
        before = f"{name}_ranges"
        steps.append((before, _rows_before(rows, known.keys)))
        last = last.join(before, on=_same((*known.keys, RANGE, PART), before, rows))
    return [*steps, (name, last)]


class _ScannedRows:
    """The rows that windows read, with one column for each expression in them.

    Attributes:
        keys: the columns that identify the rows of a window.
        aggregates: those of the windows without an order, in terms of the columns.
    """

    def __init__(self, step: exp.Select) -> None:
        self._step = step
        self._names = {p.unalias(): p.alias_or_name for p in step.selects if not p.find(exp.Window)}
        windows = list(step.find_all(exp.Window))
        (keys,) = {tuple(window.args["partition_by"]) for window in windows}
        self.keys = tuple(self._names[key] for key in keys)
        self.aggregates: list[exp.Expr] = []

    def query(self, more: Iterable[exp.Expr]) -> exp.Select:
        """Return the rows: the columns without a window, and what the windows read."""
        for window in self._step.find_all(exp.Window):
            for column in self._read(window):
                self._names.setdefault(column, f"read_{len(self._names)}")
        rows = self._step.copy()
        rows.set("expressions", [*(e.copy().as_(name) for e, name in self._names.items()), *more])
        return rows

    def shown(self, projection: exp.Expr, rows: str) -> exp.Expr:
        """Return a column of the query in terms of the rows, the aggregates and the ranges."""
        if not projection.find(exp.Window):
            return exp.column(projection.alias_or_name, rows)
        found = exp.paren(projection.unalias().copy())
        for window in list(found.find_all(exp.Window)):
            window.replace(
                self._whole(window) if window.args.get("order") is None else self._place(window, rows)
            )
        shown: exp.Expr = found.this
        return shown.as_(projection.alias_or_name)

    def _read(self, window: exp.Window) -> list[exp.Expr]:
        order = window.args.get("order")
        if order is not None:
            return [key.this for key in order.expressions]
        argument = window.this.this
        return [] if argument is None or isinstance(argument, exp.Star) else [argument]

    def _whole(self, window: exp.Window) -> exp.Expr:
        aggregate = window.this.copy()
        for argument in self._read(window):
            aggregate.set("this", exp.column(self._names[argument]))
        if aggregate not in self.aggregates:
            self.aggregates.append(aggregate)
        return exp.column(f"whole_{self.aggregates.index(aggregate)}")

    def _place(self, window: exp.Window, rows: str) -> exp.Expr:
        """Return the number of a row within its range, plus the number of rows before."""
        own = window.copy()
        own.set("partition_by", [exp.column(key, rows) for key in (*self.keys, RANGE, PART)])
        for key in own.args["order"].expressions:
            key.set("this", exp.column(self._names[key.this], rows))
        return exp.paren(exp.Add(this=own, expression=exp.column(BEFORE)))


def _rows_before(rows: str, keys: Sequence[str]) -> exp.Select:
    """Return the number of rows in the ranges before each range."""
    order = exp.Order(expressions=[exp.Ordered(this=exp.column(c), desc=False) for c in (RANGE, PART)])
    frame = exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end=literal(1), end_side="PRECEDING"
    )
    total = exp.Window(
        this=exp.Sum(this=exp.column("n")),
        partition_by=[exp.column(key) for key in keys],
        order=order,
        spec=frame,
    )
    counted = exp.select(*keys, RANGE, PART, exp.Count(this=exp.Star()).as_("n")).from_(rows)
    counted = counted.group_by(*keys, RANGE, PART)
    before = exp.func("coalesce", total, literal(0)).as_(BEFORE)
    return exp.select(*keys, RANGE, PART, before).from_(counted.subquery("counted"))


def _same(keys: Iterable[str], one: str, other: str) -> exp.Expr:
    return exp.and_(*(exp.NullSafeEQ(this=exp.column(k, one), expression=exp.column(k, other)) for k in keys))
