"""A statistic of many samples at once: every step gets a key, such as the metric, and computes all of them.

Statistics are written for one sample. Tests of several metrics would repeat the whole query for each of them;
with a key they are one query, however many metrics there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from sqlglot import exp

from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Sequence


# The columns of the results of a function that is computed for many queries at once.
SLOT, RESULT = "slot", "result"
Steps = list[tuple[str, exp.Query]]


def keyed(query: exp.Query, key: str) -> exp.Query:
    """Return a query whose rows belong to a key, if those of every table that it reads do.

    Raises:
        DefinitionError: a query within an expression would have to be keyed as well.
    """
    query = query.copy()
    for select in list(query.find_all(exp.Select)):
        parent = select.parent
        if parent is not None and not isinstance(parent, exp.SetOperation | exp.CTE):
            is_table = isinstance(parent, exp.Subquery) and isinstance(parent.parent, exp.From | exp.Join)
            if not is_table:
                raise DefinitionError(select.sql(), "a query within an expression has no key", "join it")
        _key_select(select, key)
    return query


def _key_select(select: exp.Select, key: str) -> None:
    read = select.args["from_"].this.alias_or_name
    if key in select.named_selects:
        raise DefinitionError(select.sql(), f"has a column {key!r} already", "rename it")
    for join in select.args.get("joins") or ():
        same = exp.EQ(this=exp.column(key, join.this.alias_or_name), expression=exp.column(key, read))
        if join.args.get("kind") == "CROSS":
            join.set("kind", None)
        condition = join.args.get("on")
        join.set("on", same if condition is None else exp.and_(same, condition))
    own = exp.column(key, read)
    for window in _within(select, exp.Window):
        window.append("partition_by", own.copy())
    group = select.args.get("group")
    if group is not None:
        group.append("expressions", own.copy())
    elif any(not isinstance(a.parent, exp.Window) for a in _within(select, exp.AggFunc)):
        _filter_aggregates(select)
        select.set("group", exp.Group(expressions=[own.copy()]))
    select.set("expressions", [own.as_(key), *select.expressions])


def _filter_aggregates(select: exp.Select) -> None:
    """Move WHERE into the aggregates: without rows they still give a row, so each key must."""
    where = select.args.pop("where", None)
    if where is None:
        return
    for aggregate in _within(select, exp.AggFunc):
        condition = exp.Where(this=where.this.copy())
        aggregate.replace(exp.Filter(this=aggregate.copy(), expression=condition))


def _within(select: exp.Select, kind: type[exp.Expr]) -> list[exp.Expr]:
    """Return the expressions of a kind that belong to a query, and not to one that it reads."""
    return [found for found in select.find_all(kind) if found.find_ancestor(exp.Select) is select]


class Calls(NamedTuple):
    """Steps with calls of a function taken out, and the arguments of these calls.

    Attributes:
        steps: the steps; they join the results.
        arguments: the names of the steps that have one row for each key and call.
    """

    steps: Steps
    arguments: list[str]


def without_calls(steps: Sequence[tuple[str, exp.Query]], function: str, keys: Sequence[str]) -> Calls:
    """Take the calls of a function out of steps, so that it is computed once for all of them.

    DuckDB writes out a function wherever it is called, and takes long to plan a large one.

    Args:
        keys: the columns that identify a row of every step with a call.
    """
    found: Steps = []
    arguments: list[str] = []
    for name, step in steps:
        calls = [c for c in step.find_all(exp.Anonymous) if c.name.lower() == function]
        if not calls:
            found.append((name, step))
            continue
        query = cast("exp.Select", step.copy())
        distinct = list(dict.fromkeys(calls))
        found.append((f"{name}_of_{function}", _arguments(query, distinct, name, keys)))
        arguments.append(found[-1][0])
        found.append((name, _with_results(query, distinct, name, function, keys)))
    return Calls(found, arguments)


def _arguments(
    query: exp.Select, calls: Sequence[exp.Anonymous], name: str, keys: Sequence[str]
) -> exp.Query:
    """Return a row for every row of a step and call: keys, slot and arguments."""
    selects = []
    for i, call in enumerate(calls):
        columns = [exp.column(key).as_(f"of_{key}") for key in keys]
        given = [argument.copy().as_(f"argument_{place}") for place, argument in enumerate(call.expressions)]
        selects.append(
            exp.select(*columns, _slot(name, i).as_(SLOT), *given).from_(query.args["from_"].this.copy())
        )
    union: exp.Query = selects[0]
    for other in selects[1:]:
        union = exp.union(union, other, distinct=False, copy=False)
    return union


def _with_results(
    query: exp.Select, calls: Sequence[exp.Anonymous], name: str, function: str, keys: Sequence[str]
) -> exp.Query:
    """Return a step that joins the results in place of its calls."""
    read = query.args["from_"].this.alias_or_name
    for i, call in enumerate(calls):
        alias = f"result_{i}"
        for other in [c for c in query.find_all(exp.Anonymous) if c == call]:
            other.replace(exp.column(RESULT, alias))
        same = [exp.EQ(this=exp.column(f"of_{key}", alias), expression=exp.column(key, read)) for key in keys]
        is_call = exp.EQ(this=exp.column(SLOT, alias), expression=_slot(name, i))
        table = exp.to_table(results_of(function)).as_(alias, table=True)
        query = query.join(table, on=exp.and_(*same, is_call), join_type="left", copy=False)
    return query


def results_of(function: str) -> str:
    """Return the name of the step with the results of a function."""
    return f"{function}_results"


def _slot(name: str, place: int) -> exp.Expr:
    return literal(f"{name} {place}")


def called(function: str, arguments: str, keys: Sequence[str], n_arguments: int) -> exp.Select:
    """Return the step that calls a function for every row of the table of arguments."""
    call = exp.Anonymous(
        this=function, expressions=[exp.column(f"argument_{place}") for place in range(n_arguments)]
    )
    columns = [exp.column(f"of_{key}") for key in keys]
    return exp.select(*columns, SLOT, call.as_(RESULT)).from_(arguments)
