"""Plan rules for a query and the steps it reads: no step only renames columns, and no constant is a key."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.optimizer import constants_of, drop
from duckmetrics.expressions.folding import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.expressions.folding import Value

# Expressions that cost nothing, however often they are written.
PLAIN = (exp.Column, exp.Literal, exp.Null)
# Expressions whose operands need parentheses.
OPERATORS = (exp.Binary, exp.Unary, exp.Is)


def step_read_by(select: exp.Select) -> str | None:
    """Return the name of the one step that a query reads; None if it joins several."""
    source = select.args.get("from_")
    if source is None or select.args.get("joins") or not isinstance(source.this, exp.Table):
        return None
    return str(source.this.name)


def inline(select: exp.Select, step: exp.Query | None) -> None:
    """Write what a step computes into the query that reads it, in place.

    An expression that is read more than once stays in the step, and so does all that a query inside reads.
    A constant never does.

    Args:
        step: the query of the one step that is read; None if it must stay as it is.
    """
    if not isinstance(step, exp.Select) or not _is_projection(step):
        return
    expressions = {p.alias_or_name: p.unalias() for p in step.expressions}
    for projection in select.expressions:
        if isinstance(projection, exp.Column):
            projection.replace(projection.as_(projection.name))
    columns, inside = _columns_of(select)
    is_read_inside = select.args["from_"].this.alias_or_name in {column.table for column in inside}
    whole = not is_read_inside and not _is_any_repeated(columns, expressions)
    if not whole:
        expressions = {n: e for n, e in expressions.items() if isinstance(e, exp.Literal | exp.Null)}
    for column in columns:
        if column.name in expressions:
            _replace(column, expressions[column.name].copy())
    if whole:
        select.set("from_", step.args["from_"].copy())
    fold(select)
    select.set("expressions", [_unaliased(p) for p in select.expressions])


def _columns_of(select: exp.Select) -> tuple[list[exp.Column], list[exp.Column]]:
    """Return the columns of a query, and those of the queries inside it."""
    own: list[exp.Column] = []
    inside: list[exp.Column] = []
    for column in select.find_all(exp.Column):
        (own if column.find_ancestor(exp.Select) is select else inside).append(column)
    return own, inside


def _is_any_repeated(columns: Sequence[exp.Column], expressions: dict[str, exp.Expr]) -> bool:
    """Return whether an expression that costs something would be written twice.

    DuckDB repeats the argument of a macro wherever its body reads it, so an argument always counts.
    """
    costly = [c for c in columns if not isinstance(expressions.get(c.name, c), PLAIN)]
    uses = Counter(c.name for c in costly)
    return max(uses.values(), default=0) > 1 or any(c.find_ancestor(exp.Anonymous) for c in costly)


def _replace(column: exp.Column, expression: exp.Expr) -> None:
    """Put an expression in place of a column, in parentheses where it is an operand."""
    if isinstance(column.parent, OPERATORS) and isinstance(expression, exp.Binary):
        expression = exp.paren(expression)
    column.replace(expression)


def _is_projection(query: exp.Select) -> bool:
    """Return whether a query only computes columns, row by row, from one table."""
    clauses = {name for name, value in query.args.items() if value}
    source = query.args.get("from_")
    return (
        clauses <= {"expressions", "from_"}
        and source is not None
        and isinstance(source.this, exp.Table)
        and isinstance(source.this.this, exp.Identifier)
        and not query.find(exp.Window, exp.AggFunc)
        # A star that leaves columns out, or replaces them, names none of those that it changes.
        and not any(value for star in query.find_all(exp.Star) for value in star.args.values())
    )


def _unaliased(projection: exp.Expr) -> exp.Expr:
    """Write ``x AS x`` as ``x``."""
    inner = projection.unalias()
    plain = isinstance(inner, exp.Column) and inner.name == projection.alias
    return inner if plain else projection


def drop_constants(select: exp.Select, steps: Mapping[str, exp.Query]) -> None:
    """Drop columns that are constants in the steps that are read from GROUP BY and PARTITION BY, in place."""
    joins = [select.args.get("from_"), *(select.args.get("joins") or [])]
    read = [steps.get(clause.this.name) for clause in joins if clause is not None]
    constants: dict[str, Value] = {}
    varying: set[str] = set()
    for step in read:
        if step is None:
            return
        found = constants_of(step)
        constants |= found
        varying |= {name for name in step.named_selects if name not in found}
    kept = {name: value for name, value in constants.items() if name not in varying}
    if kept:
        drop(select, kept)
