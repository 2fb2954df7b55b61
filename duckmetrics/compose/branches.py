"""A plan rule for aggregates over a UNION ALL whose branches have different columns.

The relevant items of a query stand in one relation twice: in the ideal order, and in the ranking if they were
returned. A sum over the one reads NULL in each row of the other, but DuckDB computes it for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from sqlglot import exp

from duckmetrics.compose.lookups import grain_of, looked_up
from duckmetrics.compose.optimizer import is_idle, selects, without_idle_steps
from duckmetrics.expressions.build import equal_columns, named_step
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.compose.lookups import Lookup

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
