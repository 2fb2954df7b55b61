"""A plan rule for clusters: no window brings all rows of a system to one task.

A window without an order becomes an aggregate, which is joined. Row numbers count within ranges of the
values, and the rows of the ranges before are added. Every value stays as it is.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import RangeOf, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    rows, known = f"{name}_rows", _Rows(step)
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


class _Rows:
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
