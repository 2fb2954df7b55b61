"""A plan rule for aggregates that group the same rows by the same columns: they become one.

Metrics read different steps of the rows, such as clipped probabilities. Each of these steps only computes
columns, but DuckDB groups all rows again for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import without_idle_steps
from duckmetrics.expressions.build import conjuncts, named_step

if TYPE_CHECKING:
    from collections.abc import Mapping

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
