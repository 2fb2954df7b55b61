"""Ranges of the values of queries, so that no task of a cluster sorts all of them for a percentile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.divided_windows import Ranges
from duckmetrics.engines.engine import Feature
from duckmetrics.expressions.build import row_count
from duckmetrics.expressions.folding import literal
from duckmetrics.summaries import plans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.engines.engine import Engine
    from duckmetrics.summaries.ranking import RankingSummary


def value_ranges(engine: Engine, summary: RankingSummary) -> Mapping[str, Ranges]:
    """Return column -> the ranges of its values, for the measures whose aggregation sorts the queries.

    An engine that sorts all rows on one machine needs none, and few queries need none.
    """
    columns = summary.sorted_columns()
    if not columns or engine.supports(Feature.GLOBAL_SORTS):
        return {}
    ((n,),) = engine.rows(row_count(exp.to_table(summary.table)))
    number = min(n // plans.ROWS_OF_RANGE + 1, plans.MOST_RANGES)
    if number < 2:
        return {}
    shares = exp.Array(expressions=[literal(i / number) for i in range(1, number)])
    edges = (exp.ApproxQuantile(this=exp.column(c), quantile=shares.copy()) for c in columns)
    (found,) = engine.rows(exp.select(*edges).from_(summary.table))
    return {
        column: Ranges(column, known, "query_id")
        for column, known in zip(columns, found, strict=True)
        if known
    }
