"""Plan rules: rewritings of the composed query that leave every value as it is, and unread columns.

Each rule is one function, and its docstring gives the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from sqlglot import exp

from duckmetrics.expressions.build import conjuncts
from duckmetrics.expressions.folding import Parameter, Unknown, constant, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value


ExprT = TypeVar("ExprT", bound=exp.Expr)
# DuckDB 1.5.2 refuses row_number() <= k from here on; such a cut-off cuts nothing in practice.
MAX_DEPTH = 999_999
# The clauses of a SELECT that may read its own columns.
CLAUSES = ("where", "qualify", "group", "having", "order")
# The ways to compute ranks, and the depth up to which the first way is faster.
TOP, SORTED = "top", "sorted"
# The column of the places of rows that are kept in their order; the relations that read them: the places of
# scores, the thresholds from these, and pairs that are counted from numbers.
PLACE = "place"
PLACED_SCORES, PLACED_THRESHOLDS, NUMBERED_PAIRS = "placed_scores", "placed_thresholds", "numbered_pairs"
SHALLOW = 20
# The relation of the rows that can come to a cut-off.
CONTENDERS = "contenders"
# The columns of the relations of rankings that identify a returned item, which only contributions read.
IDENTITY = ("item", "place")
# The mark of an expression that is a number of a type without NaN.
EXACT = "exact"
# The canonical columns that are DOUBLE.
NUMBERS = ("score", "relevance", "label", "weight", "observed", "expected", "n")


def depth_of(measures: Sequence[Measure]) -> int | Parameter | None:
    """Return the deepest cut-off, if every measure has one.

    Plan rule: ranks below it are not computed. If cut-offs are given later, so is the depth.
    """
    if any(isinstance(value, Parameter) for measure in measures for value in measure.values.values()):
        return Parameter("depth")
    depths = [measure.depth for measure in measures]
    known = [depth for depth in depths if depth is not None]
    deepest = max(known, default=None) if len(known) == len(depths) else None
    return deepest if deepest is not None and deepest <= MAX_DEPTH else None


def ranking_plan(measures: Sequence[Measure]) -> str:
    """Return the plan for the ranks.

    Plan rule: if all cut-offs are small, sort only the rows that reach the score of the deepest rank.
    Ties at that score are kept, so the ranks are the same. A window with two sort keys keeps DuckDB from
    doing so by itself.
    """
    depth = depth_of(measures)
    return plan_to(depth) if isinstance(depth, int) else SORTED


def plan_to(depth: int) -> str:
    """Return the plan for the ranks down to a cut-off, see `ranking_plan`."""
    return TOP if depth <= SHALLOW else SORTED


def without(query: exp.Query, constants: Mapping[str, Value]) -> exp.Query:
    """Return a query without constant columns in its windows, groups and joins.

    Plan rule: a constant key in PARTITION BY costs DuckDB half of the ranking time again.
    """
    query = query.copy()
    for select in query.find_all(exp.Select):
        drop(select, constants)
        for join in select.args.get("joins") or []:
            if join.args.get("on") is not None:
                conditions = [c for c in conjuncts(join.args["on"]) if not _joins(c, constants)]
                join.set("on", exp.and_(*conditions, copy=False) if conditions else exp.true())
    return query


def in_kept_order(query: exp.Select) -> exp.Select:
    """Let windows by the place of a row take the rows in the order in which they are kept; in place.

    Plan rule: DuckDB needs no sort then. SQL of the user is in views, so its windows stay as they are.
    """
    for window in query.find_all(exp.Window):
        order = window.args.get("order")
        if order is not None and [key.this.name for key in order.expressions] == [PLACE]:
            window.set("order", None)
    return query


def drop(select: exp.Select, constants: Mapping[str, Value]) -> None:
    """Remove constant columns from the windows and the group of one SELECT."""
    for window in select.find_all(exp.Window):
        kept = [key for key in window.args.get("partition_by") or [] if key.name not in constants]
        window.set("partition_by", kept)
    group = select.args.get("group")
    if group is not None:
        kept = [key for key in group.expressions if key.name not in constants]
        select.set("group", exp.Group(expressions=kept) if kept else None)
        if not kept:
            _as_one_group(select)
    select.set("expressions", [_constant(p, constants) for p in select.expressions])


def _as_one_group(select: exp.Select) -> None:
    """Keep the meaning of GROUP BY a constant: one row, whatever is selected, or none for no rows."""
    some = exp.GT(this=exp.Count(this=exp.Star()), expression=literal(0))
    having = select.args.get("having")
    condition = some if having is None else exp.and_(having.this, some, copy=False)
    select.set("having", exp.Having(this=condition))


def unpruned(query: exp.Query) -> exp.Query:
    """Hide the numbers of an input from the statistics of its files.

    Parquet files of pyarrow, Polars and Spark leave NaN out of their statistics, and DuckDB trusts them:
    ``WHERE isnan(score)`` finds nothing, ``max(score)`` is not NaN. TRY(score) is the score, but DuckDB
    has no statistics of it. All checks of numbers read them so. Metrics do not, because no NaN reaches them.
    """
    query = query.copy()
    for select in query.find_all(exp.Select):
        if select.parent_select is None or isinstance(select.parent, exp.Union):
            select.set("expressions", [_hidden(projection) for projection in select.expressions])
    return query


def _hidden(projection: exp.Expr) -> exp.Expr:
    name = projection.alias_or_name
    if name not in NUMBERS or not projection.find(exp.Column) or projection.unalias().meta.get(EXACT):
        return projection
    return exp.Try(this=projection.unalias()).as_(name)


def constants_of(query: exp.Query) -> dict[str, Value]:
    """Return the columns of a query that are literals, and so the same in every row, with their value."""
    if not isinstance(query, exp.Select):
        return {}
    values = {p.alias_or_name: constant(p.unalias()) for p in query.expressions}
    return {name: value for name, value in values.items() if not isinstance(value, Unknown)}


def prune(steps: dict[str, exp.Query], result: exp.Query, grains: Mapping[str, tuple[str, ...]]) -> None:
    """Drop columns that nobody reads, and LEFT JOINs that only such columns needed.

    Plan rule: DuckDB drops unused columns by itself, but not the joins: it does not know that the joined step
    has one row per key, which its declared grain says. The query also reads better without them.
    """
    reads = {name: _column_names(step) for name, step in steps.items()}
    tables = {name: {table.name for table in step.find_all(exp.Table)} for name, step in steps.items()}
    unions = [query for query in (*steps.values(), result) if isinstance(query, exp.Union)]
    starred = [select for union in unions for select in union.find_all(exp.Select) if select.is_star]
    stacked = {table.name for select in starred for table in select.find_all(exp.Table)}
    of_result = _column_names(result)
    for name in reversed(list(steps)):
        parts = selects(steps[name])
        if name in stacked or any(part.args.get("distinct") for part in parts):
            continue
        clauses = [c for part in parts for key in CLAUSES if (c := part.args.get(key))]
        own = of_result | _column_names(*clauses)
        read = own.union(*(r for other, r in reads.items() if other != name))
        # Every step hands these on, so only the steps that read this one show whether they are needed.
        readers = [reads[other] for other in reads if name in tables[other]]
        read -= {*IDENTITY} - own.union(*readers)
        names = steps[name].named_selects
        kept = [i for i, column in enumerate(names) if column in read] or [0]
        for part in parts:
            part.set("expressions", [part.expressions[i] for i in kept])
            part.set("joins", [j for j in part.args.get("joins") or [] if not is_idle(j, part, grains)])
        reads[name] = _column_names(steps[name])


def without_idle_steps(query: ExprT) -> ExprT:
    """Drop the steps that nothing reads, and then those that only these read, in place (plan rule)."""
    while True:
        read = {table.name for table in query.find_all(exp.Table)}
        idle = [cte for cte in query.find_all(exp.CTE) if cte.alias not in read]
        for cte in idle:
            with_ = cte.parent
            cte.pop()
            if with_ is not None and not with_.expressions:
                with_.pop()
        if not idle:
            return query


def selects(query: exp.Query) -> list[exp.Select]:
    """Return the SELECTs of a UNION ALL or of a plain query; none if the query may merge equal rows."""
    if isinstance(query, exp.Union) and not query.args.get("distinct"):
        left, right = selects(query.left), selects(query.right)
        return [*left, *right] if left and right else []
    return [query] if isinstance(query, exp.Select) else []


def _column_names(*trees: exp.Expr) -> set[str]:
    return {column.name for tree in trees for column in tree.find_all(exp.Column)}


def is_idle(join: exp.Join, step: exp.Select, grains: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a LEFT JOIN neither adds rows nor a column that somebody reads.

    Args:
        grains: the columns of which a step has each combination once.
    """
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


def _constant(projection: exp.Expr, constants: Mapping[str, Value]) -> exp.Expr:
    name = projection.alias_or_name
    is_one = name in constants and isinstance(projection.unalias(), exp.Column)
    return literal(constants[name]).as_(name) if is_one else projection


def _joins(condition: exp.Expr, names: Mapping[str, Value]) -> bool:
    return (
        isinstance(condition, exp.EQ)
        and condition.this.name == condition.expression.name
        and condition.this.name in names
    )


def dropped(query: exp.Query, constants: Mapping[str, Value]) -> exp.Select:
    """Return a query without the columns that are the same in every row.

    A SELECT without other columns keeps them. A step of one row is not joined if no column of it is read.
    """
    if not constants:
        return cast("exp.Select", query.copy())
    query = without(query, constants)
    for select in query.find_all(exp.Select):
        kept = [p for p in select.expressions if not _is_one_of(p, constants)]
        select.set("expressions", kept or select.expressions)
        order = select.args.get("order")
        if order is not None:
            keys = [key for key in order.expressions if not _reads(key, constants)]
            select.set("order", exp.Order(expressions=keys) if keys else None)
    _drop_idle_joins(query)
    return cast("exp.Select", without_idle_steps(query))


def _is_one_of(projection: exp.Expr, constants: Mapping[str, Value]) -> bool:
    return projection.alias_or_name in constants and isinstance(projection.unalias(), exp.Literal)


def _reads(key: exp.Expr, constants: Mapping[str, Value]) -> bool:
    column = key.find(exp.Column)
    return column is not None and column.name in constants


def _drop_idle_joins(query: exp.Query) -> None:
    """Remove the cross joins with a step of one row if no column of it is read, in place."""
    single = {cte.alias for cte in query.ctes if _has_one_row(cast("exp.Query", cte.this))}
    for select in query.find_all(exp.Select):
        read = {column.table for column in select.find_all(exp.Column)}
        joins = select.args.get("joins") or []
        idle = [j for j in joins if j.kind == "CROSS" and j.this.name in single - read]
        select.set("joins", [join for join in joins if join not in idle])


def _has_one_row(query: exp.Query) -> bool:
    """Return whether a query is a SELECT of literals without a table."""
    return query.args.get("from_") is None and len(constants_of(query)) == len(query.selects)
