"""Explanations of means: what each group of items adds, over all queries."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.contribution_queries import (
    BY_GRADE,
    BY_ITEM,
    BY_RANK,
    GROUPED,
    SEGMENT,
    groups_query,
)
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.errors import MetricError, UnsupportedError, suggestion
from duckmetrics.evaluation.chunks import KEY
from duckmetrics.evaluation.family_evaluation import plan_of
from duckmetrics.evaluation.item_tables import item_table
from duckmetrics.evaluation.ranking import bands_of_terms
from duckmetrics.explanations.facts import Side, groups_schema
from duckmetrics.expressions.build import least_by, quoted
from duckmetrics.expressions.numbers import ROUNDING
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.results.explanation import ExplainedGroups

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.explaining import Asked, Explainer
    from duckmetrics.inputs.inputs import Inputs

ITEM, QUERY = "item.", "query."
KINDS = ("group", "others", "constant", "policy")


def explained_groups(explainer: Explainer, by: str, metric: str | None, asked: Asked) -> ExplainedGroups:
    """Explain the mean of one system, or its difference to that of a baseline, by groups.

    Args:
        by: grade, rank, item_id, ``item.COLUMN`` or ``query.COLUMN``.

    Raises:
        MetricError: no such grouping, the metric is not a mean, or `show` is given.
        InputError: there is no such column, or the table of items cannot be used.
    """
    measure, n_metrics = explainer.measure(metric)
    if asked.show:
        raise MetricError("show", "needs one query", "name it with query= (--query), or leave show out")
    if measure.aggregation != DEFAULT_AGGREGATION:
        what = f"is the {measure.aggregation} of the queries, and only a mean is a sum over items"
        raise UnsupportedError(measure.text, what, "leave the aggregation out, or explain one query")
    inputs, key, grouped = _grouped(explainer, measure, by, asked)
    queries = {**inputs.queries, **({} if grouped is None else {GROUPED: grouped})}
    plan = plan_of(explainer.engine, [measure])
    names = [ONE_SYSTEM if name is None else name for name in asked.systems]
    baseline = names[1] if len(names) > 1 else None
    composer = inputs.composer(explainer.catalog, queries)
    query = groups_query(composer, measure, key, plan, names[0], baseline, asked.n)
    bands = bands_of_terms(explainer.catalog, explainer.engine, inputs, [measure])
    table = explainer.engine.arrow(cast("exp.Query", with_exact_sums(query, bands)))
    known = [name for name in asked.systems if explainer.overall[name, measure.text] is not None]
    return replace(groups_result(measure, by, asked, table, known), n_metrics=n_metrics)


def _grouped(
    explainer: Explainer, measure: Measure, by: str, asked: Asked
) -> tuple[Inputs, str, exp.Query | None]:
    """Return the inputs, the key of the groups, and the query of the group of each key."""
    if by in (BY_GRADE, BY_RANK, BY_ITEM):
        return explainer.inputs(measure), by, None
    if by.startswith(ITEM):
        if asked.items is None:
            raise MetricError(
                f"by {by!r}", "a column of the items, and no table of items", "give it with items= (--items)"
            )
        inputs = explainer.inputs(measure)
        items = item_table(
            explainer.catalog, explainer.engine, asked.items, explainer.request.columns, inputs
        )
        return inputs, BY_ITEM, items.query({SEGMENT: by.removeprefix(ITEM)})
    if by.startswith(QUERY):
        inputs = explainer.inputs(measure, by.removeprefix(QUERY))
        (column,) = inputs.by_columns
        return inputs, KEY, least_by(inputs.queries["attributes"], KEY, quoted(column), SEGMENT)
    known = (BY_GRADE, BY_RANK, BY_ITEM)
    others = f"{QUERY}{by} for an attribute of the queries, {ITEM}{by} for a column of the items"
    advice = suggestion(by, known, f"write {others}, or {BY_GRADE}, {BY_RANK} or {BY_ITEM}")
    raise MetricError(f"by {by!r}", "no such grouping", advice)


def groups_result(
    measure: Measure, by: str, asked: Asked, table: pa.Table, known: Collection[str | None]
) -> ExplainedGroups:
    """Return the groups with their differences and shares, and the values that they add up to.

    Args:
        table: the rows of sql/relations/explanations/contribution_groups.sql.
        known: the systems that have a value; if no group adds to it, it is 0.
    """
    found = table.to_pylist()
    compared = asked.baseline is not None
    totals = {
        name: math.fsum(row[name] for row in found) for name in ("contribution", "baseline_contribution")
    }
    whole = totals["contribution"] - totals["baseline_contribution"]
    if abs(whole) <= ROUNDING * max(map(abs, totals.values())):
        whole = 0.0  # no share of a rounding error
    rows = [_row(row, by, whole, compared) for row in found]
    rows.sort(key=lambda row: (KINDS.index(row["kind"]), *_order(row, by)))
    side, baseline = (
        Side(name, total if name in known else None)
        for name, total in zip((asked.system, asked.baseline), totals.values(), strict=True)
    )
    other = baseline if compared else None
    schema = groups_schema(by, table.schema.field(SEGMENT).type)
    return ExplainedGroups(
        measure.text, by, tuple(rows), side, other, schema=schema,
        lower_is_better=measure.lower_is_better, target=measure.metric.range.target,
    )  # fmt: skip


def _row(row: dict[str, Any], by: str, whole: float, compared: bool) -> dict[str, Any]:
    """Return the row of a group.

    Args:
        whole: the whole difference, or value.
    """
    difference = row["contribution"] - row["baseline_contribution"]
    return {
        "kind": row["kind"], by: row[SEGMENT], "n_groups": int(row["n_groups"]), "n": int(row["n"]),
        "baseline_n": int(row["baseline_n"]) if compared else None,
        "contribution": row["contribution"],
        "baseline_contribution": row["baseline_contribution"] if compared else None,
        "difference": difference if compared else None,
        "share": difference / whole if whole else None,
    }  # fmt: skip


def _order(row: dict[str, Any], by: str) -> tuple[float, str]:
    """Return the key by which groups are sorted: ranks in their order, others by their size."""
    if by == BY_RANK and row[by] is not None:
        return row[by], ""
    return -abs(row["contribution"] if row["difference"] is None else row["difference"]), str(row[by])
