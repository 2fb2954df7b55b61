"""From the values of the queries to one number."""

from __future__ import annotations

import math
import re
from operator import mul
from statistics import fmean, median
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

AGGREGATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "median": median,
    "sum": math.fsum,
    "gmean": lambda values: math.exp(fmean(math.log(max(value, 1e-5)) for value in values)),
}
WEIGHTED_AGGREGATIONS: Mapping[str, Callable[[list[float], list[float]], float]] = {
    "mean": lambda values, weights: _weighted_mean(values, weights),
    "sum": lambda values, weights: math.fsum(map(mul, values, weights)),
    "gmean": lambda values, weights: math.exp(
        _weighted_mean([math.log(max(value, 1e-5)) for value in values], weights)
    ),
}


def aggregate(
    values: Iterable[float | None], how: str, weights: Iterable[float] | None = None
) -> float | None:
    """Return the mean, median, sum, gmean or pNN of the defined values; of none: None.

    gmean = exp(mean(ln(max(value, 0.00001)))), the floor of trec_eval's gm_map.
    pNN: the percentile, linear between order statistics (`percentile`).

    Args:
        weights: how much each value counts; a value of weight 0 is left out.
    """
    if weights is not None:
        pairs = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None and w > 0]
        known, own = [v for v, _ in pairs], [w for _, w in pairs]
        return choose(WEIGHTED_AGGREGATIONS, how)(known, own) if pairs else None
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    if percent := re.fullmatch(r"p(\d\d?|100)", how):
        return percentile(defined, int(percent[1]))
    return choose(AGGREGATIONS, how)(defined)


def _weighted_mean(values: list[float], weights: list[float]) -> float:
    return math.fsum(map(mul, values, weights)) / math.fsum(weights)


def percentile(values: list[float], percent: float) -> float:
    """Return the value at position (n - 1) * percent / 100 of the sorted values, from 0.

    Between two order statistics it is linear: type 7 of Hyndman and Fan, The American
    Statistician 1996, doi:10.1080/00031305.1996.10473566.
    """
    ordered = sorted(values)
    position = (len(ordered) - 1) * percent / 100
    below = math.floor(position)
    above = math.ceil(position)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
