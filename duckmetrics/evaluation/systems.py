"""Metrics of all lists of a system together: from checked inputs to rows of results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.checks.notes import counted_notes, unweighted
from duckmetrics.compose.composer import LISTS
from duckmetrics.compose.optimizer import depth_of
from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.evaluation.family_evaluation import FamilyEvaluation, plan_of, with_bounds
from duckmetrics.expressions.build import everything, picked
from duckmetrics.inference.kept import kept_rows, materialized
from duckmetrics.inference.system_summary import INFLUENCE, SLOPES, VALUES, SystemSummary
from duckmetrics.results.findings import FEW_UNITS, WARNING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request


LISTED = "listed"
# The key of a metric with the relation of the systems and slices whose lists are few.
FEW, MORE = "few", "take more lists, or compare systems with equally many"


def evaluate_systems(
    catalog: Catalog, engine: Engine, request: Request, inputs: Inputs, measures: Sequence[Measure]
) -> FamilyEvaluation:
    """Compute one value per system and slice, from all lists together; the inputs were checked before."""
    notes = unweighted(inputs, measures)
    inputs = replace(inputs, weight=None)
    queries = keep_new(engine, "queries", _population(catalog, inputs, measures))
    summary = SystemSummary(catalog, inputs, measures, queries)
    segments = keep_new(engine, "segments", summary.segments())
    summary.listed = keep_new(engine, LISTS, summary.lists(segments))
    answered = picked(summary.listed, "system", "query_id", "segment").where("NOT missing")
    inputs = replace(inputs, queries={**inputs.queries, LISTS: answered})
    inputs = _with_listed(catalog, engine, inputs, measures)
    values = summary.values(inputs.composer(catalog), exact=engine.supports(Feature.EXACT_SUMS))
    table = keep_new(engine, VALUES, values)
    joined = materialized(engine, summary.joined(table, segments))
    rows, kept = kept_rows(engine.results(), summary.query(joined))
    notes += counted_notes(rows, inputs, measures[0].values)
    part = FamilyEvaluation(rows, inputs.by, tuple(notes), tuple(measures), kept)
    if request.inference is None:
        return part
    from duckmetrics.inference.unit_values import units_of_ranking

    for i, measure in enumerate(measures):
        if summary.without_units(measure) is None:
            slopes = engine.kept(keep_new(engine, SLOPES, summary.slopes(inputs.composer(catalog), i)))
            influence = summary.influence(inputs.composer(catalog), i, table, slopes)
            summary.influences[measure.text] = keep_new(engine, INFLUENCE, influence)
    units = units_of_ranking(catalog, engine, inputs, measures, summary, segments)
    bounded = with_bounds(catalog, engine, request.inference, part, units)
    return replace(bounded, findings=(*bounded.findings, *_few_lists(catalog, engine, inputs, measures)))


def _few_lists(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> Iterator[Finding]:
    """Yield a warning for each measure that chance moves, because there are few lists."""
    for measure in measures:
        name = measure.metric.header.get(FEW)
        if name is None:
            continue
        composer = inputs.composer(catalog)
        found = composer.relation(name, measure.values)
        rows = engine.rows(composer.complete(picked(found, "segment", "n_items", "n_places")))
        if rows:
            # The overall segment comes first.
            _, n_items, n_places = min(rows, key=lambda row: (row[0] > 0, row[2] / row[1]))
            where = "" if any(segment == 0 for segment, *_ in rows) else "in a slice, "
            message = (
                f"intervals: {where}{n_places / n_items:.3g} recommendations for each of {n_items} items are "
                f"few: chance moves {measure.text} by more than its interval"
            )
            yield Finding(FEW_UNITS, WARNING, "", "", 0, (), f"{message}; {MORE}", MORE)


def _with_listed(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> Inputs:
    """Keep the lists of all measures, if they are the same: several queries read them (plan rule)."""
    depth, plan = depth_of(measures), plan_of(engine, measures)
    composer = inputs.composer(catalog)
    steps = {composer.relation(LISTED, {**m.values, "depth": depth, "plan": plan}) for m in measures}
    if len(steps) > 1:
        return inputs
    table = keep_new(engine, LISTED, composer.complete(everything(steps.pop())))
    return replace(inputs, queries={**inputs.queries, LISTED: engine.kept(table)})


def _population(catalog: Catalog, inputs: Inputs, measures: Sequence[Measure]) -> exp.Query:
    """Return the queries that count, of every system, and whether they are missing."""
    composer = inputs.composer(catalog)
    step = composer.relation("queries", measures[0].values)
    return composer.complete(picked(step, "system", "query_id", "missing"))
