"""Metrics whose values per query were computed elsewhere: by a judge, a person, or another tool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import RANKING, Definition, Param
from duckmetrics.catalog.measure import (
    AGGREGATION,
    DEFAULT_AGGREGATION,
    GIVEN_VALUES,
    TIME_ZONE,
    WEIGHTS,
    Measure,
    Signature,
)
from duckmetrics.catalog.spec_text import arguments
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.errors import MetricError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.catalog.catalog import Catalog

# The value of the part of a signature that says so.
GIVEN = "given"
HIGHER, LOWER = "higher", "lower"
BETTER = "better"
_DECLARED = (
    Param(GIVEN_VALUES, str, GIVEN, required=False, checks=()),
    Param(BETTER, str, HIGHER, required=False, checks=()),
)


@dataclass(frozen=True)
class GivenMetric(Definition):
    """A metric without a file.

    Attributes:
        called: its name, as the table of the values has it.
        better: which values are better, ``"higher"`` or ``"lower"``.
        is_binary: whether all values are 0 or 1.
    """

    called: str = ""
    better: str = HIGHER
    is_binary: bool = False

    @property
    def name(self) -> str:
        return self.called

    @cached_property
    def header(self) -> Mapping[str, str]:
        ends = "[0, 1]" if self.is_binary else "(-inf, inf)"
        return {**self._usual, "title": self.called, "range": f"{ends}, {self.better} is better"}

    @cached_property
    def text(self) -> str:
        """A file that reads the values as they are."""
        return "SELECT system, query_id, value FROM given;"


def given_measure(catalog: Catalog, name: str, better: str | None, is_binary: bool = False) -> Measure:
    """Return the mean of values per query.

    Args:
        better: which values are better; None for what a metric of this name, ours or of a tool, says, else
            the higher ones.

    Raises:
        MetricError: the name cannot stand in a signature.
    """
    if "|" in name or not name.strip():
        raise MetricError(f"metric {name!r}", "is not a name", "write one without |, such as 'judge'")
    way = better or _usual_direction(catalog, name)
    metric = GivenMetric(Path(GIVEN), RANKING, called=name, better=way, is_binary=is_binary)
    params = ((GIVEN_VALUES, GIVEN), (BETTER, way))
    return Measure(metric, name, name, params, DEFAULT_AGGREGATION, _DECLARED)


def _usual_direction(catalog: Catalog, name: str) -> str:
    """Return which values are better if a metric of this name is known, else the higher ones."""
    try:
        direction = parse_measure(catalog, name).metric.range.direction
    except MetricError:
        return HIGHER
    return LOWER if direction == LOWER else HIGHER


def signed_measure(catalog: Catalog, signature: str, text: str, is_binary: bool = False) -> Measure:
    """Return the measure of a signature.

    Args:
        text: its name in results.
        is_binary: whether all values are 0 or 1, of values that were given.

    Raises:
        MetricError: the text is no signature, or of a metric that this release does not have.
    """
    read = Signature.parse(signature)
    params = dict(read.params)
    if params.get(GIVEN_VALUES) != GIVEN:
        measure = parse_measure(catalog, read.spec).bound(**read.of_call)
        zone, weighted = read.of_call.get(TIME_ZONE, ""), WEIGHTS in read.of_call
        return replace(measure, text=text, time_zone=zone, weighted=weighted)
    found = given_measure(catalog, read.metric, params.get(BETTER), is_binary)
    return replace(found, text=text, aggregation=read.aggregation, weighted=WEIGHTS in read.of_call)


def refuse_ambiguous(catalog: Catalog, specs: Iterable[str]) -> None:
    """Refuse names of given values that are names of metrics, too, where there are predictions.

    Raises:
        MetricError: names the first of them.
    """
    for spec in specs:
        try:
            parse_measure(catalog, spec)
        except MetricError:
            continue
        what = "is among the values, and can be computed from the predictions"
        raise MetricError(spec, what, "give it another name in the values, or leave the predictions out")


def measure_of_values(
    catalog: Catalog, known: Mapping[str, Measure], spec: str, switches: Mapping[str, object]
) -> Measure | None:
    """Return the measure of a spec that names given values, such as ``latency(agg=p95)``; None for others.

    Args:
        known: name -> the mean of the values.
        switches: those of the call.

    Raises:
        MetricError: an argument other than the aggregation, or no such aggregation.
    """
    name, _, rest = (spec, "", ")") if spec in known else spec.partition("(")
    if name.strip() not in known or not rest.rstrip().endswith(")"):
        return None
    asked: dict[str, object] = dict(arguments(spec, rest.rstrip()[:-1]))
    usual = known[name.strip()].aggregation
    aggregation = str(asked.pop(AGGREGATION, switches.get(AGGREGATION, usual)))
    for argument in asked:
        raise MetricError(spec, *unknown("parameter", argument, [AGGREGATION]))
    if aggregation not in catalog.aggregation_names:
        raise MetricError(spec, *unknown(AGGREGATION, aggregation, catalog.aggregation_names))
    return replace(known[name.strip()], text=spec, aggregation=aggregation)
