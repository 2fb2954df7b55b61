"""Rows of classifiers: from checked inputs to rows of results, or a table such as a curve."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from duckmetrics.checks.examination import check, check_values
from duckmetrics.checks.notes import unweighted
from duckmetrics.engines.engine import keep_readable
from duckmetrics.engines.plans import (
    are_many,
    distinct_scores,
    has_relation,
    plans_on,
    reads_thresholds,
    sorts_rows,
)
from duckmetrics.evaluation.family_evaluation import FamilyEvaluation, refuse_unsupported, with_bounds
from duckmetrics.evaluation.own_metrics import refuse_copied_rows, refuse_nulls, refuse_unbound
from duckmetrics.evaluation.shared_orders import with_pairs, with_places
from duckmetrics.inference.kept import on_engine
from duckmetrics.inference.row_summary import ADDED_UP, ClassificationSummary, slice_values
from duckmetrics.inputs.classification import classification_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.engines.plans import Plan
    from duckmetrics.inference.kept import SharedRelations
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.systems import Attach


# The bins of a calibration curve, and what stands for them where rows of one unit are correlated.
SIZED_BINS, CLUSTERED_BINS = "sized_bins", "clustered_bins"


def evaluate_classification(
    catalog: Catalog, engine: Engine, request: Request, measures: Sequence[Measure], attach: Attach
) -> list[FamilyEvaluation]:
    """Compute one value per segment of the rows."""
    refuse_unsupported(catalog, engine, request, measures)
    inputs, measures = classification_inputs(request, measures, attach, partial(keep_readable, engine))
    refuse_nulls(engine, inputs, request.own_columns)
    refuse_unbound(catalog, engine, inputs, measures)
    findings = [*check(catalog, engine, inputs, measures), *unweighted(inputs, measures)]
    with engine.step("ranges of scores"):
        plan = plans_on(catalog, engine, inputs, measures)
    sorted_once = inputs
    if request.inference is not None:
        from duckmetrics.inference.units import with_placements

        with engine.step("units of the intervals"):
            sorted_once = with_placements(catalog, engine, inputs, measures, plan)
    with engine.step("order of scores"):
        in_order, tables = _in_order(catalog, engine, sorted_once, measures, plan)
    rows, kept = slice_values(catalog, engine, in_order, measures, plan)
    refuse_copied_rows(measures, rows, inputs.by_columns)
    for table in tables:
        engine.discard(table)
    findings += check_values(catalog, engine, inputs, measures, rows, kept)
    part = FamilyEvaluation(rows, inputs.by, tuple(findings), tuple(measures), kept)
    if request.inference is not None:
        from duckmetrics.inference.unit_values import units_of_classification

        with engine.step("units of the intervals"):
            units = units_of_classification(
                catalog, engine, inputs, sorted_once, measures, request.inference, plan
            )
        part = with_bounds(catalog, engine, request.inference, part, units)
    if request.verify is None:
        return [part]
    from duckmetrics.evaluation.recomputed import verify_classification

    def again(other: Inputs) -> tuple[dict[str, Any], ...]:
        return slice_values(catalog, engine, other, measures, plan)[0]

    with engine.step("verify a sample"):
        outcome = verify_classification(engine, inputs, measures, rows, request, again)
    return [replace(part, findings=(*part.findings, *outcome.findings), verified=outcome.verified)]


def _in_order(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], plan: Mapping[str, Plan]
) -> tuple[Inputs, list[str]]:
    """Return the inputs, with the pairs or the places of the scores if a sort of all rows finds them faster.

    Returns: the names of the tables that they are read from, too.
    """
    if ADDED_UP not in inputs.queries and any(sorts_rows(m, plan[m.text]) for m in measures):
        return with_pairs(catalog, engine, inputs), []
    if any(reads_thresholds(catalog, m, plan[m.text]) for m in measures):
        ((distinct, n_rows),) = engine.rows(distinct_scores(inputs.composer(catalog)))
        if are_many(distinct, n_rows):
            return with_places(catalog, engine, inputs, n_rows)
    return inputs, []


def table_query(
    catalog: Catalog, engine: Engine, request: Request, measure: Measure, attach: Attach,
    shared: SharedRelations | None = None,
) -> exp.Query:  # fmt: skip
    """Check the inputs and write the query of a table such as a curve.

    Args:
        shared: the relations that other tables read, too.
    """
    refuse_unsupported(catalog, engine, request, [measure])
    inputs, (measure,) = classification_inputs(request, [measure], attach, partial(keep_readable, engine))
    check(catalog, engine, inputs, [measure])
    plan = plans_on(catalog, engine, inputs, [measure])[measure.text]
    kept = {} if shared is None else shared.queries(inputs, measure, plan)
    composer = inputs.composer(catalog, {**inputs.queries, **kept})
    if inputs.cluster is not None and has_relation(catalog, measure, SIZED_BINS):
        composer.stand_in(SIZED_BINS, {**measure.values, **plan}, CLUSTERED_BINS)
    query = ClassificationSummary(catalog, inputs, [measure], "").table_query(composer, measure, plan)
    return on_engine(catalog, engine, query)
