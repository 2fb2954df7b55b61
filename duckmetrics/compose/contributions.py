"""The contribution of each returned item, or group of items, to a metric, derived from its file.

A metric that is a sum over items has one ``sum`` or ``count`` over rows in its value. A row adds the term
of that sum, divided and multiplied by whatever the file divides and multiplies the sum by.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.compose.composer import KEYS
from duckmetrics.compose.optimizer import IDENTITY, SORTED, depth_of
from duckmetrics.errors import UnsupportedError
from duckmetrics.expressions.folding import bind, constant, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.expressions.folding import Value

    Rewrite = Callable[[exp.Expr], exp.Expr | None]

# The step of the terms, and its columns: the term of the sum alone, and the contribution to the value.
TERMS, GAIN, TERM = "terms", "gain", "term"
# The header that declares the contribution of a row, and its value if there is none.
HEADER, NONE = "contribution", "none"
# The columns that identify a returned item in the relation of all returned items.
RETURNED = ("item_id", "rank")
NOT_A_SUM = "is not a sum over items"
NO_ITEMS = "is a sum over rows without ranks; join ranked or read relevant"
OTHER_TABLES = "reads other tables than predictions and truth"


class NotASumError(Exception):
    """The value of a metric is not a sum over rows."""


def explainable(catalog: Catalog) -> list[str]:
    """Return the names of the metrics of rankings whose value is a sum over items."""
    metrics = (metric for (family, _), metric in catalog.metrics.items() if family == RANKING)
    return sorted(metric.name for metric in metrics if reason_against(catalog, metric) is None)


def reason_against(catalog: Catalog, metric: Definition) -> str | None:
    """Return why a metric has no contributions of items; None if it has."""
    declared = metric.header.get(HEADER, "")
    if declared.partition(",")[0] == NONE:
        return declared.partition(", ")[2] or NOT_A_SUM
    if metric.family != RANKING:
        return "it is not a metric of rankings"
    if metric.further_inputs:
        return OTHER_TABLES
    parts = {part.name: part for part in catalog.parts(metric)}
    reached: list[str] = []
    query = _usual(metric, {})
    try:
        value = _value_of(query)
        if not declared:
            _row_term(value, _leaf_of(parts, reached), lambda node: node.copy())
    except NotASumError:
        return NOT_A_SUM
    if parts:
        return reason_against(catalog, parts[reached[0]])
    return None if _identity(catalog, query) else NO_ITEMS


def _usual(metric: Definition, values: Mapping[str, Value]) -> exp.Select:
    """Return the query of a metric with its own switches as they are by default."""
    usual = {name: switch.default for name, switch in metric.switches.items()}
    return cast("exp.Select", bind(metric.query, {**values, **usual}))


def terms(composer: Composer, metric: Definition, values: Mapping[str, Value], name: str = TERMS) -> str:
    """Make the terms of a metric a step, and return its name.

    The step has a row for every row that the metric reads: system, query_id, item, place (the rank of the
    returned item in its list, NULL for other rows), gain (the term of the sum alone) and term. The terms of
    a query add up to its value, where the metric itself computes one.

    Args:
        values: the parameters of the metric and of the plan.

    Raises:
        UnsupportedError: the metric is not a sum over items.
    """
    reason = reason_against(composer.catalog, metric)
    if reason is not None:
        raise UnsupportedError(metric.name, reason, f"explain {', '.join(explainable(composer.catalog))}")
    parts = composer.catalog.parts(metric)
    query = _of_parts(composer, metric, parts, values) if parts else _of_rows(composer, metric, values)
    return composer.step(name, query)


def _of_rows(composer: Composer, metric: Definition, values: Mapping[str, Value]) -> exp.Query:
    """Return the terms of a metric that reads relations: its query, one row for each row that it reads."""
    known = composer.known(metric, values)
    query = cast("exp.Select", bind(metric.query, known))
    value, usual = _value_of(query), _value_of(_usual(metric, known))
    if value != usual and not isinstance(value.find(exp.Placeholder), exp.Placeholder):
        what = "is a mean over the orders of equal scores here, not a sum over items"
        raise UnsupportedError(metric.name, what, "explain it with one order of equal scores")
    declared = metric.header.get(HEADER)
    gains: list[exp.Expr] = []
    named = {p.alias_or_name: p for p in query.expressions}
    keys = [named[key] for key in KEYS[metric.family]]
    if declared is None:
        each = partial(_windowed, keys)
        term = _row_term(_value_of(query), lambda node: _kept(_term_of_aggregate(node), gains), each)
    else:
        term = bind(sqlglot.parse_one(declared, dialect=DIALECT), known)
        gains.append(term.copy())
    read = _identity(composer.catalog, query) or (exp.column(name) for name in IDENTITY)
    identity = [column.as_(name) for column, name in zip(read, IDENTITY, strict=True)]
    query.set("expressions", [*keys, *identity, gains[0].as_(GAIN), term.as_(TERM)])
    query.set("group", None)
    return composer.resolved_query(query, known)


def _kept(found: exp.Expr | None, gains: list[exp.Expr]) -> exp.Expr | None:
    if found is not None:
        gains.append(found.copy())
    return found


def _of_parts(
    composer: Composer, metric: Definition, parts: Sequence[Definition], values: Mapping[str, Value]
) -> exp.Query:
    """Return the terms of a metric of other metrics: those of one part, with the values of the others."""
    known = {part.name: part for part in parts}
    reached: list[str] = []
    query = cast("exp.Select", bind(metric.query, values))
    others: dict[str, exp.Expr] = {}

    def of_query(node: exp.Expr) -> exp.Expr:
        return node.copy().transform(lambda column: _of_other(column, others), copy=False)

    leaf = _leaf_of(known, reached)
    _row_term(_value_of(query), leaf, lambda node: node.copy())
    summed = known[reached[0]]
    of_part = terms(
        composer, summed, composer.values_of_part(metric, summed, values), f"{summed.name}_{TERMS}"
    )
    for part in parts:
        if part is not summed:
            value = composer.value(part, composer.values_of_part(metric, part, values))
            others[part.name] = exp.null() if value is None else value
    composer.settle()
    keys = KEYS[metric.family]
    term = _row_term(_value_of(query), leaf, of_query)
    for column in list(term.find_all(exp.Column)):
        if not column.table:
            column.set("table", exp.to_identifier(of_part))
    columns = [exp.column(name, of_part) for name in (*keys, *IDENTITY)]
    gain = exp.column(TERM, of_part).as_(GAIN)
    whole = exp.select(*columns, gain, term.as_(TERM)).from_(of_part)
    read = {column.table for column in term.find_all(exp.Column)}
    for block in composer.blocks:
        if block.name in read:
            same = (
                exp.EQ(this=exp.column(key, block.name), expression=exp.column(key, of_part)) for key in keys
            )
            whole = whole.join(exp.table_(block.name), on=exp.and_(*same), join_type="left", copy=False)
    return whole


def _of_other(node: exp.Expr, others: Mapping[str, exp.Expr]) -> exp.Expr:
    """Replace the value of another metric by its expression over blocks."""
    if isinstance(node, exp.Column) and node.name == "value" and node.table in others:
        return exp.paren(others[node.table].copy())
    return node


def _value_of(query: exp.Select) -> exp.Expr:
    return cast("exp.Expr", next(p.unalias() for p in query.expressions if p.alias_or_name == "value"))


def _identity(catalog: Catalog, query: exp.Select) -> tuple[exp.Expr, exp.Expr] | None:
    """Return the columns of item and place in a table that a metric reads; None if none has items."""
    steps = {cte.alias: cte.this for cte in query.ctes}
    known = {**{name: one.query for name, one in catalog.relations.items()}, **steps}
    joins = query.args.get("joins") or []
    for source in (query.args["from_"].this, *(join.this for join in joins)):
        columns = set(known[source.name].named_selects) if source.name in known else set()
        for names in (IDENTITY, RETURNED):
            if columns.issuperset(names):
                table = source.alias_or_name if joins else None
                item, place = (exp.column(name, table) for name in names)
                return item, place
    return None


def _leaf_of(parts: Mapping[str, Definition], reached: list[str]) -> Rewrite:
    """Return the function that writes a sum as the term of one row.

    Args:
        parts: the metrics that the metric is made of; one of them is the sum.
        reached: takes the name of that one.
    """

    def leaf(node: exp.Expr) -> exp.Expr | None:
        if parts:
            if isinstance(node, exp.Column) and node.table in parts and node.name == "value":
                reached.append(node.table)
                return exp.column(TERM)
            return None
        return _term_of_aggregate(node)

    return leaf


def _term_of_aggregate(node: exp.Expr) -> exp.Expr | None:
    """Return the term of one row of ``sum(t) FILTER (WHERE c)`` or ``count(*) FILTER (WHERE c)``."""
    aggregate, condition = node, None
    if isinstance(node, exp.Filter):
        aggregate, condition = node.this, node.expression.this.copy()
    if isinstance(aggregate, exp.Count):
        counted = aggregate.this
        term: exp.Expr = literal(1)
        if not isinstance(counted, exp.Star):
            there = exp.not_(exp.Is(this=counted.copy(), expression=exp.null()))
            condition = there if condition is None else exp.and_(condition, there)
    elif isinstance(aggregate, exp.Sum):
        term = aggregate.this.copy()
    else:
        return None
    own = term if condition is None else exp.Case().when(condition, term)
    return exp.Coalesce(this=own, expressions=[literal(0)])


def _row_term(node: exp.Expr, leaf: Rewrite, of_query: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Write the value of a metric as the term that one row adds to it.

    Args:
        leaf: writes the one sum as the term of a row; returns None for other expressions.
        of_query: writes an expression that is the same for all rows of a query.

    Raises:
        NotASumError: the value is not one sum, multiplied and divided.
    """
    found = leaf(node)
    if found is not None:
        return found
    match node:
        case exp.Paren() | exp.Cast():
            inner = node.copy()
            inner.set("this", _row_term(node.this, leaf, of_query))
            return inner
        case exp.Coalesce() if [constant(other) for other in node.expressions] == [0]:
            return exp.Coalesce(this=_row_term(node.this, leaf, of_query), expressions=[literal(0)])
        case exp.Case() if node.args.get("default"):
            # Only its usual branch is a sum over items.
            branches = [exp.If(this=branch.this.copy(), true=exp.null()) for branch in node.args["ifs"]]
            usual = _row_term(node.args["default"], leaf, of_query)
            switch = node.this.copy() if node.this else None
            return exp.Case(this=switch, ifs=branches, default=usual)
        case exp.Div():
            return _with_operands(node, _row_term(node.this, leaf, of_query), of_query(node.expression))
        case exp.Mul() if not _varies(node.this):
            return _with_operands(node, of_query(node.this), _row_term(node.expression, leaf, of_query))
        case exp.Mul() if not _varies(node.expression):
            return _with_operands(node, _row_term(node.this, leaf, of_query), of_query(node.expression))
    raise NotASumError


def _with_operands(node: exp.Expr, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    changed = node.copy()
    changed.set("this", left)
    changed.set("expression", right)
    return changed


def _varies(node: exp.Expr) -> bool:
    """Return whether an expression depends on the query."""
    return node.find(exp.AggFunc, exp.Column) is not None


def _windowed(keys: Sequence[exp.Expr], node: exp.Expr) -> exp.Expr:
    """Write the aggregates of a query next to each of its rows; a FILTER becomes a CASE (portable).

    Args:
        keys: the columns of the system and the query.
    """

    def over(part: exp.Expr) -> exp.Expr:
        aggregate = part
        if isinstance(part, exp.Filter):
            condition, inner = part.expression.this, part.this
            counted = literal(1) if isinstance(inner.this, exp.Star) else inner.this
            case = exp.Case().when(condition.copy(), counted.copy())
            aggregate = type(inner)(this=case)
        elif not isinstance(part, exp.AggFunc):
            return part
        return exp.Window(this=aggregate.copy(), partition_by=[key.unalias().copy() for key in keys])

    return _replaced(node.copy(), over)


def _replaced(node: exp.Expr, rewrite: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Rewrite the outermost nodes that a function changes."""
    changed = rewrite(node)
    if changed is not node:
        return changed
    for child in list(node.iter_expressions()):
        replaced = _replaced(child, rewrite)
        if replaced is not child:
            child.replace(replaced)
    return node


# The values of the queries, which the relations of contributions read.
VALUED = "valued"
ITEMS = (
    "system", "query_id", "item_id", "rank", "tie_first", "tie_last", "relevance", "relevant", "gain",
    "contribution",
)  # fmt: skip
GROUPS = ("kind", "segment", "n_groups", "n", "baseline_n", "contribution", "baseline_contribution")
# The column that distinguishes groups, and the input of a group for each item or query.
SEGMENT, GROUPED = "segment", "grouped"
# Groups that need no table of the caller.
BY_RANK, BY_ITEM, BY_GRADE = "rank", "item_id", "grade"
MOST_GROUPS = "n"
# The column of the weights of queries.
WEIGHT = "weight"


def items_query(composer: Composer, measure: Measure) -> exp.Select:
    """Return one row for every system, query and item: see sql/relations/ranking/contributions.sql."""
    values: dict[str, Value] = {**measure.values, "depth": None, "plan": SORTED}
    _valued(composer, measure, SORTED, all_ranks=True)
    terms(composer, measure.metric, values)
    step = composer.relation("contributions", values)
    return composer.assemble(exp.select(*ITEMS).from_(step))


def values_query(composer: Composer, measure: Measure) -> exp.Select:
    """Return the values of the queries after the policies: system, query_id, value, policy."""
    _valued(composer, measure, SORTED)
    step = composer.relation("explained_values", measure.values)
    return composer.assemble(exp.select(*KEYS[measure.family], "value", "policy").from_(step))


def groups_query(
    composer: Composer, measure: Measure, by: str, plan: str, system: str, baseline: str | None, n: Value,
    weights: exp.Query | None = None,
) -> exp.Select:  # fmt: skip
    """Return one row for every group of items: see sql/relations/explanations/contribution_groups.sql.

    Args:
        composer: with an input `grouped` (segment, and item_id or query_id) if a table has the groups.
        by: rank, item_id or grade; with `grouped`, its key: item_id or query_id.
        plan: how the ranks are found.
        weights: query_id and weight of the queries that count by one.
    """
    values: dict[str, Value] = {**measure.values, "depth": depth_of([measure]), "plan": plan}
    _valued(composer, measure, plan, weights=weights)
    read = terms(composer, measure.metric, values)
    composer.step("keyed", _keyed(composer, read, by, values))
    found: dict[str, Value] = {**values, "system": system, "baseline": baseline, MOST_GROUPS: n}
    step = composer.relation("contribution_groups", found)
    return composer.assemble(exp.select(*GROUPS).from_(step))


def _valued(
    composer: Composer, measure: Measure, plan: str, *, all_ranks: bool = False,
    weights: exp.Query | None = None,
) -> str:  # fmt: skip
    """Make the values of the queries a step, with the weights if there are some."""
    query, (columns,) = composer.values_per_query([measure], plan, all_ranks=all_ranks)
    composer.settle()
    values = composer.step("values_of_queries", query)
    keys = (exp.column(key, values) for key in KEYS[measure.family])
    named = (exp.column(columns.no_relevant).as_("no_relevant"), exp.column(columns.value).as_("value"))
    weight = literal(1.0) if weights is None else exp.column(WEIGHT, "weights")
    query = exp.select(*keys, "missing", *named, weight.as_(WEIGHT)).from_(values)
    if weights is not None:
        same = exp.EQ(this=exp.column("query_id", "weights"), expression=exp.column("query_id", values))
        query = query.join(weights.subquery("weights"), on=same)
    return composer.step(VALUED, query)


def _keyed(composer: Composer, read: str, by: str, values: dict[str, Value]) -> exp.Select:
    """Return the terms with the group of each."""
    item, place = IDENTITY
    same: dict[str, str] = {}
    if GROUPED in composer.inputs:
        table = composer.relation(GROUPED, values)
        same = {by: item if by == BY_ITEM else by}
        segment = exp.column(SEGMENT, table)
    elif by == BY_GRADE:
        table = composer.relation("graded_items", values)
        same = {"query_id": "query_id", "item_id": item}
        segment = exp.column("relevance", table)
    else:
        table = read
        segment = exp.column(place if by == BY_RANK else item, read)
    columns = [exp.column(key, read) for key in KEYS[RANKING]]
    query = exp.select(*columns, segment.as_(SEGMENT), exp.column(TERM, read)).from_(read)
    if same:
        on = (
            exp.EQ(this=exp.column(key, table), expression=exp.column(own, read)) for key, own in same.items()
        )
        query = query.join(exp.table_(table), on=exp.and_(*on), join_type="left")
    return query.where(exp.not_(exp.Is(this=exp.column(place, read), expression=exp.null())))


def promoted_query(composer: Composer, system: str) -> exp.Select:
    """Return the lists in which one item of the input `put_first` each is put first."""
    step = composer.relation("promoted", {"system": system})
    return composer.assemble(exp.select("system", "query_id", "item_id", "score", "position").from_(step))
