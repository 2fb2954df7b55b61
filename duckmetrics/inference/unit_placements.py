"""Rows sorted once, for the value of a metric of pairs and for its interval over clusters (plan rule)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.expressions.build import everything
from duckmetrics.summaries.plans import PLAN, SORTED, has_relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.summaries.plans import Plan

# Relations of units and of segments. The second has the rows of the third, added up from the first.
OF_UNITS, OF_SEGMENTS, PAIRS = "unit_placements", "unit_pairs", "pairs"


def with_placements(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], plan: Mapping[str, Plan]
) -> Inputs:
    """Return the inputs with the sums of the placements of each unit in a table, and the pairs from them.

    Inputs without clusters are returned as they are, and those of measures that count other pairs: in groups,
    with weights, or in bins.

    Args:
        plan: how the pairs of each measure are counted.
    """
    readers = [measure for measure in measures if has_relation(catalog, measure, PAIRS)]
    if inputs.cluster is None or not readers or not engine.supports(Feature.GLOBAL_SORTS):
        return inputs
    if not all(_is_sorted(catalog, measure, plan[measure.text]) for measure in readers):
        return inputs
    queries = dict(inputs.queries)
    for name, values in ((OF_UNITS, {**readers[0].values, PLAN: SORTED}), (OF_SEGMENTS, {})):
        composer = inputs.composer(catalog, queries)
        query = composer.complete(everything(composer.relation(name, values)))
        queries[name] = engine.kept(keep_new(engine, name, query))
    queries[PAIRS] = queries.pop(OF_SEGMENTS)
    return replace(inputs, queries=queries)


def _is_sorted(catalog: Catalog, measure: Measure, plan: Plan) -> bool:
    """Return whether the pairs of a measure, and its influence on them, come from rows in order."""
    influences = (
        catalog.relations.get(one.header.get("influence", ""))
        for one in (measure.metric, *catalog.foundations(measure.metric))
    )
    return plan.get(PLAN) == SORTED and any(
        source.name == OF_UNITS
        for one in influences
        if one is not None
        for source in catalog.foundations(one)
    )
