"""The files that aggregate the values of queries, such as a mean or a median, per system and slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.expressions.folding import bind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.compose.blocks import Columns

# The name that stands for the slice and its columns in an aggregation file.
SEGMENT = "segment"


def bound_aggregation(catalog: Catalog, name: str, column: str, bands: Sequence[int] | None) -> exp.Select:
    """Bind an aggregation file to its parameters and to the column that it aggregates.

    Args:
        name: the name or alias of the aggregation.
        bands: those of the values, see `exact_sums`; None if sums need not be exact.
    """
    alias = catalog.aggregation_names[name]
    values = {
        name: param.type(alias.bound[name]) if name in alias.bound else param.default
        for name, param in alias.metric.own_params.items()
    }
    query = cast("exp.Select", with_exact_sums(bind(alias.metric.query, values), bands))
    for found in list(query.find_all(exp.Column)):
        if found.name == "value":
            found.set("this", exp.to_identifier(column))
    return query


def by_slice(select: exp.Select, keys: Sequence[str]) -> exp.Select:
    """Write the columns of a slice for `segment`, in place.

    Args:
        keys: the columns that identify slices.
    """
    columns = [exp.column(key) for key in keys]
    for window in select.find_all(exp.Window):
        window.set("partition_by", _spread(window.args.get("partition_by") or [], columns))
    select.set("expressions", _spread(select.expressions, columns))
    return select


def grouped(select: exp.Select, keys: Sequence[str]) -> exp.Select:
    """Group a query by keys, which become its first columns, in place."""
    select.set("expressions", [*(exp.column(k) for k in keys), *select.expressions])
    return select.group_by(*keys, copy=False)


def counts(i: int, columns: Columns) -> list[exp.Expr]:
    """Return the numbers of queries that the summary of a measure shows.

    Args:
        i: the place of the measure; the first one also has the numbers that all measures share.
    """
    own = [
        exp.Count(this=exp.column(columns.value)).as_(f"n_{i}"),
        _number_with(columns.no_relevant).as_(f"n_no_relevant_{i}"),
        _number_with(columns.undefined).as_(f"n_undefined_{i}"),
    ]
    if i > 0:
        return own
    every = exp.Count(this=exp.Star()).as_("n_population")
    return [every, _number_with("missing").as_("n_missing"), *own]


def _number_with(condition: str) -> exp.Expr:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.column(condition)))


def _spread(expressions: Sequence[exp.Expr], keys: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Write keys for the name `segment` in a list of expressions."""
    spread: list[exp.Expr] = []
    for expression in expressions:
        is_segment = isinstance(expression, exp.Column) and expression.name == SEGMENT
        spread += [key.copy() for key in keys] if is_segment else [expression]
    return spread
