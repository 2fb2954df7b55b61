"""The check of a row of a value macro: a text that describes what is wrong with the row, or NULL.

The text is the first of the checks under sql/checks that the row fails. Nearly every row is right, and the
check stands in every call. So a condition that excludes all problems is asked first.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, substituted
from duckmetrics.checks.examination import protected
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import constant, fold, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.macro_queries.macro import Argument, Macro, Overload, given, reference
from duckmetrics.macro_queries.shell_files import concatenated, expanded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.expressions.folding import Value

# The columns whose values may be true or false.
FLAGS = ("label",)
_REQUIRED = re.compile(r"\w+\s*\(([^()]*)\)")


def problems_of(
    catalog: Catalog, definition: Definition, values: Mapping[str, Value], columns: Collection[str]
) -> Iterator[tuple[exp.Expr, str]]:
    """Yield the conditions of the checks of the rows that a metric reads, and their messages."""
    foundations = (d.name for d in catalog.foundations(definition))
    read = {CLASSIFICATION, definition.name, *chain(foundations, {WEIGHT} & set(columns))}
    for check in catalog.checks.values():
        where = check.query.args.get("where")
        concerned = check.header["severity"] == "error" and read & protected(check)
        other = {column.name for column in check.query.find_all(exp.Column)} - set(columns)
        if concerned and where and not other:
            yield substituted(where.this, values), f"{check.title}; {check.header['advice']}"
    for text in _REQUIRED.findall(definition.header.get("requires", "")):
        condition = substituted(exp.maybe_parse(text, dialect=DIALECT), values)
        shown = text
        for column, name in definition.macros.items():
            shown = re.sub(rf"\b{column}\b", name, shown)
        yield exp.not_(exp.paren(condition)), f"rows outside of what {definition.name} needs, {shown}"


def row_check(catalog: Catalog, names: Mapping[str, str], problems: Sequence[tuple[exp.Expr, str]]) -> Macro:
    """Write the macro that describes the problem of a row.

    Args:
        names: the columns that a metric reads, each with the name of the argument for it.
        problems: conditions on the columns, each with the message about a row that meets it.
    """
    types = [
        exp.Anonymous(this="wrong_type", expressions=[reference(n), literal(n), literal(c in FLAGS)])
        for c, n in names.items()
    ]  # fmt: skip
    text = exp.Case()
    for condition, said_of_it in problems:
        text = text.when(_where_weighted(condition), literal(said_of_it), copy=False)
    types_fit = (exp.Is(this=of_column.copy(), expression=exp.null()) for of_column in types)
    conditions = exp.and_(*types_fit, *_sound(names, problems))
    sound = of_arguments(conditions, {c: number(n) for c, n in names.items()})
    found = exp.func("coalesce", *types, concatenated(text, "; found", *_row(names)))
    tree = exp.Case().when(sound, exp.null()).else_(found)
    examined = {
        c: exp.Anonymous(this="examined_number", expressions=[reference(n)]) for c, n in names.items()
    }
    body = given(expanded(catalog, of_arguments(tree, examined)), {WEIGHTED: is_weighted(of_rows=True)})
    arguments = tuple(Argument(name, required=True) for name in names.values())
    return Macro("", (Overload(arguments, body),), "", is_table=False)


def _sound(names: Collection[str], problems: Sequence[tuple[exp.Expr, str]]) -> Iterator[exp.Expr]:
    """Yield conditions that together exclude every problem of a row, and are quick to compute.

    All numbers are finite, so that only the parts of a problem count that are not about NULL, NaN or
    infinity. A row that fails them, such as one with an infinite score, may still be right.
    """
    listed = set()
    for condition, _ in problems:
        left = exp.paren(condition.copy(), copy=False)
        for part in list(left.find_all(exp.IsNan, exp.IsInf, exp.Is)):
            part.replace(exp.false())
        rest = fold(left)
        if constant(rest) is not False:
            listed |= {known.this.name for known in rest.find_all(exp.In)}
            yield or_unweighted(_negated(rest)) if reads_weight(condition) else _negated(rest)
    for column in names:
        if column not in listed:  # a value that is one of some numbers is finite
            finite = exp.Anonymous(this="isfinite", expressions=[exp.column(column)])
            yield or_unweighted(finite) if column == WEIGHT else finite


def _negated(condition: exp.Expr) -> exp.Expr:
    """Negate a condition on finite numbers, without OR and IN: DuckDB computes these row by row."""
    match condition:
        case exp.Paren():
            return _negated(condition.this)
        case exp.Or():
            return exp.and_(_negated(condition.left), _negated(condition.right))
        case exp.LT():
            return exp.GTE(this=condition.this, expression=condition.expression)
        case exp.GT():
            return exp.LTE(this=condition.this, expression=condition.expression)
        case exp.Not(this=exp.Paren()):
            return cast("exp.Expr", condition.this.this)
        case exp.Not(this=exp.In() as known):
            parts: Iterator[exp.Expr] = (
                exp.paren(exp.Sub(this=known.this.copy(), expression=choice)) for choice in known.expressions
            )
            product = reduce(lambda left, right: exp.Mul(this=left, expression=right), parts)
            return exp.EQ(this=product, expression=literal(0))
    return exp.not_(exp.paren(condition))


def reads_weight(condition: exp.Expr) -> bool:
    """Return whether a condition is about the weight."""
    return any(column.name == WEIGHT for column in condition.find_all(exp.Column))


def _where_weighted(condition: exp.Expr) -> exp.Expr:
    """Restrict a condition on weights to calls that have some."""
    kept = condition.copy()
    return exp.and_(exp.Placeholder(this=WEIGHTED), kept) if reads_weight(condition) else kept


def or_unweighted(condition: exp.Expr) -> exp.Expr:
    """Ask for a condition only where a weight is given."""
    return exp.paren(exp.or_(exp.not_(exp.Placeholder(this=WEIGHTED)), condition))


def _row(names: Mapping[str, str]) -> Iterator[str | exp.Expr]:
    """Yield the parts of a text that shows a row."""
    for column, name in names.items():
        shown = concatenated(f", {name}=", _text(column))
        yield (
            exp.Case().when(exp.Placeholder(this=WEIGHTED), shown).else_(literal(""))
            if column == WEIGHT
            else shown
        )


def _text(column: str) -> exp.Expr:
    return exp.func("coalesce", exp.cast(exp.column(column), "VARCHAR"), literal("NULL"))


def is_weighted(of_rows: bool) -> exp.Expr:
    """Return whether a weight is given, which its type says before the rows are read.

    Next to aggregates, the type of a list of weights shows it. DuckDB then does not need the list.
    """
    weights = reference(WEIGHT) if of_rows else exp.ArrayAgg(this=reference(WEIGHT))
    none = '"NULL"' if of_rows else '"NULL"[]'
    kind = exp.Anonymous(this="typeof", expressions=[weights])
    return exp.paren(exp.NEQ(this=kind, expression=literal(none)))


def number(name: str) -> exp.Expr:
    """Return an argument as a number; a check refuses anything else."""
    return try_cast(reference(name), "DOUBLE")


def of_arguments(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """Write expressions over the arguments of the macro for the columns of the rows."""
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name in values and not _is_bound(column):
            column.replace(values[column.name].copy())
    return tree


def _is_bound(column: exp.Column) -> bool:
    """Return whether a name is that of a lambda's parameter."""
    parent = column.parent
    while parent is not None:
        if isinstance(parent, exp.Lambda) and column.name in {p.name for p in parent.expressions}:
            return True
        parent = parent.parent
    return False
