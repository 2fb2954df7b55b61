"""SQL of metrics as text, for a database that somebody else runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.presets import preset
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import is_of_table, parse_measures, parse_table
from duckmetrics.compose.composer import WITHOUT_TRUTH, needs_truth
from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from duckmetrics.switches import SqlSwitches


def sql(
    metrics: str | Sequence[str],
    dialect: str = "duckdb",
    *,
    per_query: bool = False,
    system: str | None = None,
    steps: bool = False,
    like: str | None = None,
    **switches: Unpack[SqlSwitches],
) -> str:
    """Return the SQL of metrics of one family, or of a table such as a curve.

    It reads tables named `predictions` (query_id, item_id, score) and `truth` (query_id, item_id, relevance),
    or for classifiers `predictions` (label, score). The columns weight and group_id are read if the metrics
    need them. The comments of the text name the columns that it reads. Numbers may be of any type;
    PostgreSQL and BigQuery need CAST(label AS INTEGER) for a BOOLEAN. The SQL does not check the data.

    Args:
        metrics: specs as for `evaluate`, or the spec of a table.
        dialect: a name of ``duckmetrics dialects``, such as ``"spark"``.
        per_query: return a row per query instead of one row per metric with the mean.
        system: the column of `predictions` that names the system; the result has rows for each system.
        steps: write one temporary table per step instead of one query.
        like: a tool whose conventions replace the defaults, as for `evaluate`. Comments of the text say
            what the tool needs of the rows, since nothing checks them.
        **switches: conventions, as for `evaluate`, or parameters of the table.

    Returns:
        A query, or several statements with semicolons between them. Its rows have the columns metric, value
        and n, and other counts of the summary of an `Evaluation`.

    Raises:
        MetricError: a metric, parameter, switch or tool cannot be read.
        UnsupportedError: the dialect is unknown or lacks something, or the tool has no such metric.

    Example:
        text = duckmetrics.sql(["ndcg@10", "mrr"], "spark")
        "SELECT" in text  # True
        duckmetrics.sql("roc_curve")
    """
    specs = read_specs(metrics)
    if len(specs) == 1 and is_of_table(catalog(), specs[0]):
        if like is not None:
            raise MetricError("like", f"is for metrics, and {specs[0]} is a table", "leave it out")
        measures = [parse_table(catalog(), specs[0], switches=switches)]
    else:
        tool = None if like is None else preset(like)
        measures = parse_measures(catalog(), specs, switches, lambda: RANKING, tool)
        if all(measure.family == RANKING for measure in measures) and not needs_truth(catalog(), measures):
            measures = parse_measures(catalog(), specs, {**WITHOUT_TRUTH, **switches}, lambda: RANKING, tool)
    from duckmetrics.evaluation.sql_text import composed_sql

    return composed_sql(catalog(), measures, dialect, per_query=per_query, system=system, steps=steps)
