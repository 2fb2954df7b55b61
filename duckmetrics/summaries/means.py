"""Means as one query: one row per metric, and per system if there are several.

An evaluation keeps the values of queries, because several questions are asked about them. Here one statement
computes the values and their means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.composer import with_directions
from duckmetrics.expressions.build import stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.summaries.aggregations import bound_aggregation, by_slice, counts, grouped
from duckmetrics.summaries.classification import BINARY, EXTRAS, counts_of, shown_measure
from duckmetrics.summaries.plans import has_relation
from duckmetrics.summaries.ranking import shown_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.blocks import Columns

SYSTEM, PLACE = "system", "place"
# The step that the aggregations of queries read, and the step with one row per system.
VALUES, MEANS = "query_values", "summary"
ROWS = "metrics"
Step = tuple[str, exp.Query]


def means_of_queries(
    catalog: Catalog, per_query: exp.Select, measures: Sequence[Measure], columns: Sequence[Columns]
) -> exp.Select:
    """Return one row per metric and system: the mean over the queries, or another aggregation.

    Args:
        per_query: the query of one row per system and query.
        columns: those of each measure in it.
    """
    steps = _steps(per_query, VALUES)
    aggregates: list[exp.Expr] = []
    blocks: list[int] = []
    for i, (measure, column) in enumerate(zip(measures, columns, strict=True)):
        query = bound_aggregation(catalog, str(measure.aggregation), column.value, None)
        # Not the name of a column that is read here: ClickHouse would read the new one.
        value = query.expressions[-1].unalias().as_(f"mean_{i}")
        if query.ctes:
            blocks.append(i)
            steps += _own_steps(query, value, f"sorted_{i}")
        else:
            aggregates.append(value)
        aggregates += [count for count in counts(i, column) if count.alias != "n_population"]
    own = grouped(exp.select(*aggregates).from_(VALUES), (SYSTEM,))
    steps.append(("unsorted" if blocks else MEANS, own))
    if blocks:
        steps.append((MEANS, _side_by_side(own, "unsorted", blocks)))
    return _whole(steps, [_row_of_queries(catalog, i, measure) for i, measure in enumerate(measures)])


def means_of_rows(catalog: Catalog, per_system: exp.Select, measures: Sequence[Measure]) -> exp.Select:
    """Return one row per metric and system: the value over all rows of a classifier.

    Args:
        per_system: the query of one row per system, of all rows.
    """
    known = per_system.named_selects
    extras = [extra for extra in EXTRAS if any(f"{extra}_{i}" in known for i in range(len(measures)))]
    parts = [_row_of_rows(catalog, i, measure, known, extras) for i, measure in enumerate(measures)]
    return _whole(_steps(per_system, MEANS), parts)


def _steps(query: exp.Select, name: str) -> list[Step]:
    """Return the steps of a query, and the query without them under a name as the last one."""
    query = query.copy()
    ctes = [(cte.alias, cast("exp.Query", cte.this)) for cte in query.ctes]
    query.set("with_", None)
    return [*ctes, (name, query)]


def _own_steps(query: exp.Select, value: exp.Expr, block: str) -> list[Step]:
    """Return the steps of an aggregation that sorts the queries first; the last one is called `block`."""
    steps: list[Step] = []
    for cte in query.ctes:
        name = f"{block}_{cte.alias}"
        steps.append((name, by_slice(cast("exp.Select", cte.this), ())))
        query.args["from_"].this.set("this", exp.to_identifier(name))
    final = exp.select(value).from_(query.args["from_"].this)
    return [*steps, (block, grouped(final, (SYSTEM,)))]


def _side_by_side(own: exp.Select, first: str, blocks: Sequence[int]) -> exp.Select:
    """Join the aggregations that have steps of their own to the others."""
    joined = exp.select(*(exp.column(name, first) for name in own.named_selects)).from_(first)
    for i in blocks:
        block = f"sorted_{i}"
        same = exp.EQ(this=exp.column(SYSTEM, block), expression=exp.column(SYSTEM, first))
        joined = joined.select(exp.column(f"mean_{i}", block)).join(block, on=same, join_type="left")
    return joined


def _row_of_queries(catalog: Catalog, i: int, measure: Measure) -> exp.Select:
    value, _ = shown_value(catalog, exp.column(f"mean_{i}"), exp.column(f"n_no_relevant_{i}"))
    return exp.select(
        exp.column(SYSTEM), literal(measure.text).as_("metric"), value.as_("value"),
        exp.column(f"n_{i}").as_("n"), exp.column("n_missing"),
        exp.column(f"n_no_relevant_{i}").as_("n_no_relevant"),
        exp.column(f"n_undefined_{i}").as_("n_undefined"),
        literal(i).as_(PLACE),
    ).from_(MEANS)  # fmt: skip


def _row_of_rows(
    catalog: Catalog, i: int, measure: Measure, known: Sequence[str], extras: Sequence[str]
) -> exp.Select:
    n, n_positive = (exp.column(name) for name in counts_of(measure))
    positives = n_positive if has_relation(catalog, measure, BINARY) else exp.cast(exp.null(), "BIGINT")
    others = (
        exp.column(f"{e}_{i}") if f"{e}_{i}" in known else exp.cast(exp.null(), EXTRAS[e]) for e in extras
    )
    return exp.select(
        exp.column(SYSTEM), literal(measure.text).as_("metric"),
        shown_measure(catalog, i, measure)[0].as_("value"),
        *(other.as_(extra) for other, extra in zip(others, extras, strict=True)),
        n.as_("n"), positives.as_("n_positive"), literal(i).as_(PLACE),
    ).from_(MEANS)  # fmt: skip


def _whole(steps: Sequence[Step], rows: Sequence[exp.Select]) -> exp.Select:
    """Put the rows of all metrics behind one another, in the order asked for, after the steps."""
    names = [name for name in rows[0].named_selects if name != PLACE]
    if len(rows) == 1:
        (result,) = rows
        result.set("expressions", [p for p in result.expressions if p.alias_or_name != PLACE])
    else:
        result = exp.select(*names).from_(stacked(rows).subquery(ROWS)).order_by(exp.column(PLACE))
    result = result.order_by(exp.column(SYSTEM))
    for name, step in steps:
        result = result.with_(name, as_=step, copy=False)
    return cast("exp.Select", with_directions(result))
