"""Plan rules for aggregates over a UNION ALL whose branches differ, and for steps that are kept.

The relevant items of a query stand in one relation twice: in the ideal order, and in the ranking if they were
returned. A sum over the one reads NULL in each row of the other, but DuckDB computes it for all of them.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.compose.composer import with_directions
from duckmetrics.compose.optimizer import is_idle, selects, without_idle_steps
from duckmetrics.expressions.build import conjuncts, equal_columns, is_inner, named_step
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns, Composer


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


# Expressions that are NULL if one of their operands is.
STRICT = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Paren, exp.Cast, exp.EQ, exp.NEQ, exp.LT, exp.LTE,
    exp.GT, exp.GTE, exp.Log, exp.Pow,
)  # fmt: skip
AGGREGATES = (exp.Sum, exp.Count, exp.Min, exp.Max)


class Aggregate(NamedTuple):
    """An aggregate of a step, perhaps with a FILTER.

    Attributes:
        branches: the numbers of the branches whose rows it reads.
    """

    node: exp.Expr
    branches: tuple[int, ...]


def by_branch(query: exp.Select) -> exp.Select:
    """Aggregate the two branches of a UNION ALL apart where the columns show that this is the same."""
    query = query.copy()
    steps = {cte.alias: cte for cte in query.ctes}
    for cte in query.ctes:
        step = cte.this
        read = steps.get(_only_source(step)) if isinstance(step, exp.Select) else None
        branches = selects(read.this) if read is not None else []
        aggregates = _aggregates(step, branches) if len(branches) == 2 else []
        if aggregates and read is not None:
            _split(query, cte, read, aggregates)
    return without_idle_steps(query)


def _only_source(step: exp.Select) -> str:
    """Return the step that a GROUP BY reads and nothing else, empty if it does more."""
    clauses = {name for name, value in step.args.items() if value}
    source = step.args.get("from_")
    if (
        source is None
        or clauses != {"expressions", "from_", "group"}
        or not isinstance(source.this, exp.Table)
    ):
        return ""
    return str(source.this.name)


def _aggregates(step: exp.Select, branches: Sequence[exp.Select]) -> list[Aggregate]:
    """Return the aggregates of a step with the branches that they read; none if they cannot be split."""
    nulls = [_nulls_of(branch) for branch in branches]
    found = []
    for node in step.find_all(exp.AggFunc, exp.Anonymous):
        if not isinstance(node, AGGREGATES) or isinstance(node.this, exp.Distinct):
            return []
        whole = node.parent if isinstance(node.parent, exp.Filter) else node
        read = tuple(i for i, columns in enumerate(nulls) if not _reads_nothing(whole, columns))
        if len(read) == 2 and isinstance(node, exp.Sum):
            return []  # the sum of two sums has another last digit
        found.append(Aggregate(whole, read))
    return found


def _nulls_of(branch: exp.Select) -> set[str]:
    """Return the columns of a branch that are NULL in every row."""
    return {p.alias_or_name for p in branch.selects if _is_null(p.unalias(), set())}


def _reads_nothing(aggregate: exp.Expr, nulls: set[str]) -> bool:
    """Return whether an aggregate ignores every row in which these columns are NULL."""
    if isinstance(aggregate, exp.Filter):
        condition = aggregate.expression.this
        parts = condition.flatten() if isinstance(condition, exp.And) else [condition]
        return any(_is_null(part, nulls) for part in parts) or _reads_nothing(aggregate.this, nulls)
    return _is_null(aggregate.this, nulls)


def _is_null(value: exp.Expr, nulls: set[str]) -> bool:
    """Return whether an expression is NULL, or a CASE that is no number, if these columns are NULL."""
    if isinstance(value, exp.Column):
        return value.name in nulls
    if isinstance(value, exp.Case):
        whens = value.args["ifs"]
        chosen = all(_is_null(when.this, nulls) or _is_null(when.args["true"], nulls) for when in whens)
        return chosen and value.this is None and value.args.get("default") is None
    if isinstance(value, STRICT):
        operands = (value.args.get("this"), value.args.get("expression"))
        return any(_is_null(one, nulls) for one in operands if isinstance(one, exp.Expr))
    return isinstance(value, exp.Null)


def _split(query: exp.Select, cte: exp.CTE, read: exp.CTE, aggregates: Sequence[Aggregate]) -> None:
    """Write a step as a join of two aggregates, in place."""
    keys = [key.name for key in cte.this.args["group"].expressions]
    steps = {step.alias: step.this for step in query.ctes}
    grains = {name: grain for name, known in steps.items() if (grain := grain_of(known))}
    lookups: list[Lookup] = []
    parts: list[tuple[str, Aggregate]] = []
    names, sources = (_free(stem, set(steps)) for stem in (cte.alias, read.alias))
    for place, one in enumerate(aggregates, 1):
        if lookup := looked_up(one.node, selects(read.this), keys, steps):
            lookups.append(lookup)
            one.node.replace(lookup.column.copy())
        else:
            parts.append((f"a{place}", Aggregate(one.node.copy(), one.branches)))
            one.node.replace(_joined(one, f"a{place}", names))
    before = []
    for place, (name, source, branch) in enumerate(zip(names, sources, selects(read.this), strict=True)):
        own = [one.node.as_(column) for column, one in parts if place in one.branches]
        wanted = {*keys, *(column.name for one in own for column in one.find_all(exp.Column))}
        rows = branch.copy()
        rows.set("expressions", [p for p in rows.expressions if p.alias_or_name in wanted])
        grouped = exp.select(*keys, *own).from_(source).group_by(*keys)
        rows.set("joins", [join for join in rows.args.get("joins") or () if not is_idle(join, rows, grains)])
        before += [named_step(source, rows), named_step(name, grouped)]
    cte.set("this", _whole(cte.this, keys, names, lookups))
    with_ = cast("exp.With", query.args["with_"])
    place = with_.expressions.index(cte)
    with_.set("expressions", [*with_.expressions[:place], *before, *with_.expressions[place:]])


def _whole(
    grouped: exp.Select, keys: Sequence[str], names: Sequence[str], lookups: Sequence[Lookup]
) -> exp.Select:
    """Join the two aggregates of a step, and the steps that have a value for each group."""
    columns = {key: exp.func("coalesce", *(exp.column(key, name) for name in names)) for key in keys}
    _requalify(grouped, columns)
    whole = exp.select(*grouped.expressions).from_(names[0])
    whole = whole.join(names[1], on=equal_columns(keys, *names), join_type="full")
    for known, by in dict.fromkeys((lookup.step, lookup.keys) for lookup in lookups):
        pairs = (exp.EQ(this=exp.column(k, known.alias_or_name), expression=columns[k].copy()) for k in by)
        whole = whole.join(known.copy(), on=exp.and_(*pairs), join_type="left")
    return whole


def _free(stem: str, taken: set[str]) -> list[str]:
    """Return two names for the parts of a step that no other step has."""
    names = (f"{stem}_part_{place}" for place in range(1, len(taken) + 3))
    return [name for name in names if name not in taken][:2]


def _joined(aggregate: Aggregate, column: str, names: Sequence[str]) -> exp.Expr:
    """Return an aggregate over both branches, in terms of those over each of them."""
    node = aggregate.node.this if isinstance(aggregate.node, exp.Filter) else aggregate.node
    parts: list[exp.Expr] = [exp.column(column, names[place]) for place in aggregate.branches]
    if isinstance(node, exp.Count):
        parts = [exp.func("coalesce", part, literal(0)) for part in parts]
        return exp.paren(exp.Add(this=parts[0], expression=parts[1])) if len(parts) == 2 else parts[0]
    if len(parts) < 2:
        return parts[0] if parts else exp.null()
    # Both functions ignore NULL.
    return exp.func("least" if isinstance(node, exp.Min) else "greatest", *parts)


def _requalify(step: exp.Expr, columns: Mapping[str, exp.Expr]) -> None:
    """Write the keys as the ones of the branch that has them, in place."""
    for column in list(step.find_all(exp.Column)):
        if not column.table and column.name in columns:
            value = columns[column.name].copy()
            column.replace(value.as_(column.name) if column.parent is step else value)


# The number of queries that are remembered; the one that was composed first is forgotten first.
MOST = 32
_KNOWN: dict[Hashable, tuple[exp.Select, list[Columns]]] = {}
_LOCK = threading.Lock()


def per_query(composer: Composer, measures: Sequence[Measure], plan: str) -> tuple[exp.Select, list[Columns]]:
    """Return what `Composer.per_query` returns, and compose it only once."""
    key = (
        composer.catalog, composer.catalog.generation, plan,
        tuple((measure.metric, measure.params) for measure in measures),
        _items(composer.constants), _items(composer.facts),
        tuple((name, _text(query)) for name, query in composer.inputs.items()),
    )  # fmt: skip
    with _LOCK:
        known = _KNOWN.get(key)
    if known is not None:
        return _over(composer, known[0]), list(known[1])
    query, columns = composer.per_query(measures, plan)
    with _LOCK:
        while len(_KNOWN) >= MOST:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = query.copy(), list(columns)
    return query, columns


def _items(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))


def _text(query: exp.Query) -> str | None:
    """Return the text of an input; None for a temporary table, which has another name in each evaluation."""
    return None if _is_table(query) else query.sql(DIALECT)


def _is_table(query: exp.Query) -> bool:
    """Return whether an input is all of one table, of whose columns the composer knows nothing."""
    clauses = {name for name, value in query.args.items() if value}
    source = query.args.get("from_")
    if source is None or clauses != {"expressions", "from_"} or query.expressions != [exp.Star()]:
        return False
    return isinstance(source.this, exp.Table)


def _over(composer: Composer, known: exp.Select) -> exp.Select:
    """Return a copy of a query that reads the temporary tables of this evaluation."""
    query = known.copy()
    for cte in query.ctes:
        table = composer.inputs.get(cte.alias)
        if table is not None and _is_table(table):
            cte.set("this", with_directions(table.copy()))
    return query
