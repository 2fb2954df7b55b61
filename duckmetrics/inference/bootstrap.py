"""Intervals of metrics that have no derivative: the whole metric again on bootstrap samples of the units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.inference.sums import is_estimate
from duckmetrics.inference.units import DRAW, SEGMENT, WHOLE, struct
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.summaries.classification import per_slice
from duckmetrics.summaries.plans import plans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.interval_options import Inference

# The number of rows drawn in one query. More samples take more queries, but no more memory.
ROWS_AT_ONCE = 20_000_000


def bootstrapped(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure], inference: Inference
) -> str:
    """Keep the values of measures on samples, and on the rows themselves, in a table, and return its name."""
    samples = engine.name("samples")
    predictions = inputs.queries["predictions"].subquery("predictions")
    (n,) = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(predictions))[0]
    step = max(1, ROWS_AT_ONCE // max(n, 1))
    for first in range(WHOLE, inference.samples, step):
        last = min(first + step, inference.samples)
        query, macros = linked(catalog, _values(catalog, inputs, measures, first, last, inference.seed))
        engine.define(macros)
        engine.keep(samples, query, more=first > WHOLE)
    return samples


def _values(
    catalog: Catalog, inputs: Inputs, measures: Sequence[Measure], first: int, last: int, seed: int
) -> exp.Select:
    """Return the value of every measure, for every system, segment and sample."""
    drawing = Composer(catalog, {"predictions": inputs.queries["predictions"]}, inputs.constants)
    values: dict[str, Value] = {"first": first, "last": last, "seed": seed}
    step = drawing.relation("resampled", values)
    kept = ("label", "score", WEIGHT, GROUP)
    drawn = drawing.complete(exp.select("system", struct(SEGMENT, DRAW).as_(SEGMENT), *kept).from_(step))
    constants = {name: value for name, value in inputs.constants.items() if name != SEGMENT}
    composer = Composer(catalog, {"predictions": drawn}, constants)
    return per_slice(composer, measures, plans(catalog, measures, None))


def can_be_bootstrapped(catalog: Catalog, measure: Measure) -> bool:
    """Return whether a measure estimates something, and has no bounds of another kind."""
    built_on = (measure.metric, *catalog.foundations(measure.metric))
    return all(map(is_estimate, built_on)) and measure.values.get("approx") is None
