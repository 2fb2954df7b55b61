"""Comparisons that are adjusted together, by the largest statistic of random signs of the same units."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.methods import PAIRED, RANDOMIZATION
from duckmetrics.errors import MetricError
from duckmetrics.inference.max_t import tested_together
from duckmetrics.sentences.families import MAX_T

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference

# The tests of the mean difference, whose order is that of the statistic.
FITTING = (PAIRED, RANDOMIZATION)
# Statistics that are computed at most, and products of signs and differences. More comparisons take fewer
# resamples, and more units share their signs in groups.
STATISTICS, PRODUCTS = 10_000_000, 2_000_000_000
FEWEST_RESAMPLES = 2000
MOST_GROUPS, FEWEST_GROUPS = 2000, 200


def refuse_unfit(test: Definition, adjust: str, pairs: bool) -> None:
    """Refuse a joint adjustment of p-values of another statistic, or of all pairs of systems.

    Raises:
        MetricError: max_t does not hold for the comparisons.
    """
    if adjust != MAX_T:
        return
    if pairs:
        raise MetricError(
            "adjust",
            "max_t compares systems with one baseline, and these are all pairs",
            "use test='tukey' (--test tukey), which looks at all pairs together, or adjust='holm'",
        )
    if test.name not in FITTING:
        raise MetricError(
            "adjust",
            f"max_t compares means by random signs, and {test.name} has another p",
            "use test='t' or 'randomization', or adjust='holm'",
        )


def joint_rows(
    catalog: Catalog,
    engine: Engine,
    parts: Sequence[FamilyEvaluation],
    baseline: str,
    inference: Inference,
) -> dict[tuple[Any, ...], Row]:
    """Return p_adjusted, alpha_each and resamples of every comparison, by the keys of `Units.row_key`.

    All comparisons of a slicing are adjusted together.

    Raises:
        MetricError: a metric is compared on samples of the whole metric, so that no unit has a value.
    """
    for part in parts:
        if part.units is not None and part.units.samples is not None:
            raise MetricError(
                part.units.samples.units.measures[0],
                "has no values of units, whose signs adjust=max_t draws",
                "leave it out, or use adjust='holm' (--adjust holm)",
            )
    every = [part.units for part in parts if part.units is not None and part.units.measures]
    compared = (row for part in parts for row in part.rows if row["system"] != baseline)
    found: dict[tuple[Any, ...], Row] = {}
    for slicing, comparisons in Counter(row["slice"] for row in compared).items() if every else ():
        values = {**_sizes(inference, comparisons), "baseline": baseline}
        found |= tested_together(catalog, engine, every, slicing, values)
    return found


def _sizes(inference: Inference, comparisons: int) -> dict[str, Value]:
    """Return the parameters that limit the work of a family of this size."""
    resamples = inference.resamples
    if not inference.fixed:
        resamples = min(max(STATISTICS // comparisons, FEWEST_RESAMPLES), resamples)
    groups = PRODUCTS // (comparisons * resamples)
    return {
        "resamples": resamples, "seed": inference.seed, "alpha": inference.alpha,
        "groups": min(max(groups, FEWEST_GROUPS), MOST_GROUPS),
    }  # fmt: skip
