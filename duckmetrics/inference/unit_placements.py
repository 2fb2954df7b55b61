"""Rows sorted once, for the value of a metric of pairs and for its interval over clusters (plan rule)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.engines.engine import Feature, keep_new
from duckmetrics.expressions.build import everything
from duckmetrics.summaries.classification import ADDED_UP
from duckmetrics.summaries.plans import PLAN, SORTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.summaries.plans import Plan

# The relations of units and of segments.
OF_UNITS, OF_SEGMENTS = "unit_placements", ADDED_UP


def with_placements(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], plan: Mapping[str, Plan]
) -> Inputs:
    """Return the inputs with the sums of the placements of each unit in a table, and the pairs from them.

    Inputs without clusters are returned as they are, and those with a measure whose influence needs other
    placements: with weights, or in the groups of scores.

    Args:
        plan: how the pairs of each measure are counted.
    """
    readers = [measure for measure in measures if _reads_placements(catalog, measure)]
    if inputs.cluster is None or not readers or not engine.supports(Feature.GLOBAL_SORTS):
        return inputs
    if any(plan[measure.text].get(PLAN) != SORTED for measure in readers):
        return inputs
    queries = dict(inputs.queries)
    for name, values in ((OF_UNITS, {**readers[0].values, PLAN: SORTED}), (OF_SEGMENTS, {})):
        composer = inputs.composer(catalog, queries)
        query = composer.complete(everything(composer.relation(name, values)))
        queries[name] = engine.kept(keep_new(engine, name, query))
    return replace(inputs, queries=queries)


def _reads_placements(catalog: Catalog, measure: Measure) -> bool:
    """Return whether the influence of units on a measure comes from their placements."""
    influences = (
        catalog.relations.get(one.header.get("influence", ""))
        for one in (measure.metric, *catalog.foundations(measure.metric))
    )
    return any(
        source.name == OF_UNITS
        for one in influences
        if one is not None
        for source in catalog.foundations(one)
    )
