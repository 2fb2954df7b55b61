"""Means as one query: one row per metric, and per system if there are several.

An evaluation keeps the values of queries, because several questions are asked about them. Here one statement
computes the values and their means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.compose.composer import LISTS, with_directions
from duckmetrics.engines.plans import has_relation
from duckmetrics.expressions.build import stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.ranking_summary import bound_aggregation, by_slice, counts, grouped, shown_value
from duckmetrics.inference.row_summary import BINARY, EXTRAS, counts_of, shown_measure
from duckmetrics.inference.system_summary import SEGMENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns, Composer


SYSTEM, PLACE = "system", "place"
# The step that the aggregations of queries read, and the step with one row per system.
VALUES, MEANS = "query_values", "summary"
ROWS, POPULATION = "metrics", "n_population"
Step = tuple[str, exp.Query]
# The columns of one metric: name -> expression over the row of a system.
Row = dict[str, exp.Expr]


def means_of_queries(
    catalog: Catalog, per_query: exp.Select, measures: Sequence[Measure], columns: Sequence[Columns]
) -> exp.Select:
    """Return one row per metric and system: the mean over the queries, or another aggregation.

    Args:
        per_query: the query of one row per system and query.
        columns: those of each measure in it.
    """
    steps = _steps(per_query, VALUES)
    aggregates: dict[exp.Expr, str] = {}
    blocks: list[int] = []
    rows: list[Row] = []
    found: dict[str, str] = {}
    for i, (measure, column) in enumerate(zip(measures, columns, strict=True)):
        query = bound_aggregation(catalog, str(measure.aggregation), column.value, None)
        value = query.expressions[-1].unalias()
        # Not the name of a column that is read here: ClickHouse would read the new one.
        mean = f"mean_{i}"
        if query.ctes:
            blocks.append(i)
            steps += _own_steps(query, value.as_(mean), f"sorted_{i}")
        else:
            mean = aggregates.setdefault(value, mean)
        for count in (one for one in counts(i, column) if one.alias != POPULATION):
            found[count.alias.removesuffix(f"_{i}")] = aggregates.setdefault(count.unalias(), count.alias)
        rows.append(_row_of_queries(catalog, measure, mean, found))
    own = grouped(exp.select(*(e.as_(name) for e, name in aggregates.items())).from_(VALUES), (SYSTEM,))
    steps.append(("unsorted" if blocks else MEANS, own))
    if blocks:
        steps.append((MEANS, _side_by_side(own, "unsorted", blocks)))
    return _whole(steps, rows)


def values_of_systems(catalog: Catalog, composer: Composer, measures: Sequence[Measure]) -> exp.Select:
    """Return one row per metric and system: the value of all lists of the system together.

    Args:
        composer: over tables of the names that the headers declare.
    """
    values = [composer.value(measure.metric, measure.values) for measure in measures]
    composer.settle()
    lists = composer.relation(LISTS, measures[0].values)
    number = exp.Count(this=exp.Star()).as_("n")
    frame = exp.select(SYSTEM, SEGMENT, number).from_(lists).group_by(SYSTEM, SEGMENT).subquery("frame")
    query = exp.select(exp.column(SYSTEM, "frame"), exp.column("n", "frame")).from_(frame)
    for block in composer.blocks:
        keys = ((exp.column(key, block.name), exp.column(key, "frame")) for key in (SYSTEM, SEGMENT))
        same = exp.and_(*(exp.EQ(this=own, expression=other) for own, other in keys))
        query = query.join(block.name, on=same, join_type="left")
    rows: list[Row] = []
    for i, (measure, value) in enumerate(zip(measures, values, strict=True)):
        query = query.select(cast("exp.Expr", value).as_(f"value_{i}"), copy=False)
        shown, _ = shown_value(catalog, exp.column(f"value_{i}"), literal(0))
        rows.append({"metric": literal(measure.text), "value": shown, "n": exp.column("n")})
    return _whole(_steps(composer.assemble(query), MEANS), rows)


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


def _row_of_queries(catalog: Catalog, measure: Measure, mean: str, found: Mapping[str, str]) -> Row:
    """Return the columns of a metric.

    Args:
        mean: the column of its mean.
        found: each count -> its column.
    """
    value, _ = shown_value(catalog, exp.column(mean), exp.column(found["n_no_relevant"]))
    numbers = {name: exp.column(found[name]) for name in ("n", "n_missing", "n_no_relevant", "n_undefined")}
    return {"metric": literal(measure.text), "value": value, **numbers}


def _row_of_rows(
    catalog: Catalog, i: int, measure: Measure, known: Sequence[str], extras: Sequence[str]
) -> Row:
    n, n_positive = map(_counted, counts_of(measure))
    others: Row = {}
    for extra in extras:
        column = f"{extra}_{i}"
        found = _counted(column) if EXTRAS[extra] == "BIGINT" else exp.column(column)
        others[extra] = found if column in known else exp.cast(exp.null(), EXTRAS[extra])
    positives = n_positive if has_relation(catalog, measure, BINARY) else exp.cast(exp.null(), "BIGINT")
    value = shown_measure(catalog, i, measure)[0]
    return {"metric": literal(measure.text), "value": value, **others, "n": n, "n_positive": positives}


def _counted(column: str) -> exp.Expr:
    """Return a count; where all weights are 0, the step that counts rows has none."""
    return exp.func("coalesce", exp.column(column), literal(0))


def _whole(steps: Sequence[Step], rows: Sequence[Row]) -> exp.Select:
    """Turn the row of a system into one row per metric, in the order asked for, after the steps.

    The row is read once: many engines compute a step as often as it is read.
    """
    columns = (_named(_by_place([row[name] for row in rows]), name) for name in rows[0])
    result = exp.select(exp.column(SYSTEM), *columns).from_(MEANS)
    if len(rows) > 1:
        places = stacked(exp.select(literal(place).as_(PLACE)) for place in range(len(rows)))
        result = result.join(places.subquery(ROWS), join_type="cross").order_by(exp.column(PLACE))
    result = result.order_by(exp.column(SYSTEM))
    for name, step in steps:
        result = result.with_(name, as_=step, copy=False)
    return cast("exp.Select", with_directions(result))


def _named(expression: exp.Expr, name: str) -> exp.Expr:
    return expression if expression.alias_or_name == name else expression.as_(name)


def _by_place(expressions: Sequence[exp.Expr]) -> exp.Expr:
    """Choose among the expressions of all metrics by the place of the metric."""
    if all(expression == expressions[0] for expression in expressions):
        return expressions[0]
    chosen = exp.Case(this=exp.column(PLACE))
    for place, expression in enumerate(expressions):
        chosen = chosen.when(literal(place), expression)
    return chosen
