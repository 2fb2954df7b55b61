"""The chance of each system to be the best: its share of bootstrap samples of the units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.inference.intervals import tested
from duckmetrics.inference.units import of_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.interval_options import Inference

CHANCE = "probability_best"
# A chance is shown in percent, and 2,000 samples give it to one percent.
USUAL_SAMPLES, FEWEST_SAMPLES = 2000, 200
# Values of units times samples that are drawn at most; of more units, groups are drawn together.
WORK = 100_000_000
MOST_GROUPS, FEWEST_GROUPS = 10_000, 100


def samples_of_chances(inference: Inference, results: int) -> tuple[int, int]:
    """Return the number of samples, and of groups of units, that a chance comes from.

    Args:
        results: the number of systems, times slices, times metrics.
    """
    samples = inference.resamples
    if not inference.fixed:
        samples = min(max(WORK // (max(results, 1) * FEWEST_GROUPS), FEWEST_SAMPLES), USUAL_SAMPLES)
    groups = WORK // (max(results, 1) * samples)
    return samples, min(max(groups, FEWEST_GROUPS), MOST_GROUPS)


def chances_of_best(
    catalog: Catalog, engine: Engine, units: Units, measures: Iterable[Measure], values: Mapping[str, Value]
) -> dict[tuple[Any, ...], float | None]:
    """Return the chance of every system to be the best, by the keys of `Units.row_key`.

    Args:
        measures: those whose range says which values are better; others have no best.
        values: resamples, seed and groups.
    """
    ways: dict[tuple[tuple[str, Value], ...], list[str]] = {}
    for measure in measures:
        if (way := direction(measure)) is not None:
            ways.setdefault(tuple(way.items()), []).append(measure.text)
    found: dict[tuple[Any, ...], float | None] = {}
    for known, texts in ways.items():
        given = {**values, **dict(known)}
        queries = []
        if set(texts) & set(units.measures):
            own = replace(units, query=of_measures(units.each(CHANCE), units.measures, texts))
            queries.append(engine.kept(tested(catalog, engine, own, CHANCE, given, ("n", "mean"))))
        if units.samples is not None and set(texts) & set(units.samples.units.measures):
            queries.append(units.samples.best(catalog, given, texts))
        for query in queries:
            rows = engine.arrow(query).to_pylist()
            found |= {units.row_key(row): row["probability"] for row in rows}
    return found


def direction(measure: Measure) -> dict[str, Value] | None:
    """Return the parameters that say which values are better; None if the header does not say it."""
    declared = measure.metric.range
    if declared.direction is None:
        return None
    target: dict[str, Value] = {} if declared.target is None else {"target": declared.target}
    return {"better": declared.direction, **target}
