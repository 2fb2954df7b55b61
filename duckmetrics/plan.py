"""Plan rules: rewritings of the composed query that leave every value as it is.

Each rule is one function and says what it is good for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.measure import Measure

# DuckDB 1.5.2 refuses row_number() <= k from here on; such a cut-off cuts nothing in practice.
MAX_DEPTH = 999_999


def depth_of(measures: Iterable[Measure]) -> int | None:
    """Plan rule: rank no deeper than the deepest cut-off, as long as every measure has one."""
    depths = [measure.depth for measure in measures]
    known = [depth for depth in depths if depth is not None]
    deepest = max(known, default=None) if len(known) == len(depths) else None
    return deepest if deepest is not None and deepest <= MAX_DEPTH else None


def without_system(query: exp.Query) -> exp.Query:
    """Plan rule: a lone system tells no rows apart, so no window, group or join carries it.

    A constant key in PARTITION BY costs DuckDB half of the ranking time again.
    """
    query = query.copy()
    for window in query.find_all(exp.Window):
        kept = [key for key in window.args.get("partition_by") or [] if key.name != "system"]
        window.set("partition_by", kept)
    for select in query.find_all(exp.Select):
        group = select.args.get("group")
        if group is not None:
            group.set("expressions", [key for key in group.expressions if key.name != "system"])
        select.set("expressions", [exp.Literal.string("").as_("system") if _is_system(p) else p
                                   for p in select.expressions])  # fmt: skip
        for join in select.args.get("joins") or []:
            if join.args.get("on") is not None:
                conditions = [c for c in _conjuncts(join.args["on"]) if not _joins_system(c)]
                join.set("on", exp.and_(*conditions, copy=False) if conditions else None)
    return query


def prune(steps: dict[str, exp.Query], result: exp.Query, grains: Mapping[str, tuple[str, ...]]) -> None:
    """Plan rule: drop columns that nobody reads, and LEFT JOINs that only such columns needed.

    DuckDB drops unused columns by itself, but not the joins: it does not know that the joined step
    has one row per key, which its declared grain says. The query also reads better without them.
    """
    reads = {name: _column_names(step) for name, step in steps.items()}
    unions = [query for query in (*steps.values(), result) if isinstance(query, exp.Union)]
    stacked = {table.name for union in unions for table in union.find_all(exp.Table)}
    for name in reversed(list(steps)):
        step = steps[name]
        if not isinstance(step, exp.Select) or step.args.get("distinct") or name in stacked:
            continue
        clauses = [c for key in ("where", "qualify", "group", "having", "order") if (c := step.args.get(key))]
        read = _column_names(result, *clauses).union(*(r for other, r in reads.items() if other != name))
        kept = [p for p in step.expressions if p.alias_or_name in read]
        step.set("expressions", kept or step.expressions[:1])
        step.set("joins", [j for j in step.args.get("joins") or [] if not _idle(j, step, grains)])
        reads[name] = _column_names(step)


def _column_names(*trees: exp.Expr) -> set[str]:
    return {column.name for tree in trees for column in tree.find_all(exp.Column)}


def _idle(join: exp.Join, step: exp.Select, grains: Mapping[str, tuple[str, ...]]) -> bool:
    """Say whether a LEFT JOIN neither adds rows nor a column that somebody reads."""
    alias = join.alias_or_name
    condition = join.args.get("on")
    grain = grains.get(join.this.name)
    if join.side != "LEFT" or condition is None or grain is None:
        return False
    outside = [c for c in step.find_all(exp.Column) if c.table == alias and not _inside(c, join)]
    bare = [c for c in step.find_all(exp.Column) if not c.table and not _inside(c, join)]
    matched = {c.name for c in condition.find_all(exp.Column) if c.table == alias}
    return not outside and not bare and set(grain) <= matched


def _inside(node: exp.Expr, ancestor: exp.Expr) -> bool:
    return any(parent is ancestor for parent in _ancestors(node))


def _ancestors(node: exp.Expr) -> Iterable[exp.Expr]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _is_system(projection: exp.Expr) -> bool:
    return projection.alias_or_name == "system" and isinstance(projection.unalias(), exp.Column)


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _joins_system(condition: exp.Expr) -> bool:
    return isinstance(condition, exp.EQ) and condition.this.name == condition.expression.name == "system"
