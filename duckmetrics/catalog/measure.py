"""A measure: a metric with a value for every parameter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import Definition, Param, required
from duckmetrics.catalog.parameters import CUTOFF, written
from duckmetrics.catalog.signature import AGGREGATION, TIME_ZONE, Signature
from duckmetrics.errors import MetricError
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.expressions.folding import Value
    from duckmetrics.presets.presets import NameSet

DEFAULT_AGGREGATION = "mean"


@dataclass(frozen=True)
class Measure:
    """The meaning of ``ndcg@10``: a metric, a value for each parameter, and an aggregation.

    Attributes:
        text: the measure as typed; results show it.
        name: the metric, with its family where the name alone is ambiguous.
        params: name and value of every parameter, the switches included, in a fixed order.
        aggregation: from per-query values to one number; None where a metric is one number already.
        needed: the condition of a preset on the rows, ``predictions (score > 0)``.
        untied: whether a preset requires that no scores of a query are equal.
        tools: the presets of the tools that use this text as a name; empty for our own names.
        member_of: the set that the text is a member of, if the set was asked for.
        given: the parameters that the text fixes, so that a switch of the call does not change them.
        without_effect: the switches of the call that change nothing, in words, which a preset allows.
        time_zone: the zone that a slice or condition depends on, empty if none does.
    """

    metric: Definition
    text: str
    name: str
    params: tuple[tuple[str, Value], ...]
    aggregation: str | None
    declared: tuple[Param, ...]
    needed: str = ""
    untied: bool = False
    tools: tuple[str, ...] = ()
    member_of: NameSet | None = None
    given: frozenset[str] = field(default=frozenset(), compare=False)
    without_effect: tuple[str, ...] = field(default=(), compare=False)
    time_zone: str = ""

    @property
    def family(self) -> str:
        return self.metric.family

    @property
    def values(self) -> dict[str, Value]:
        return dict(self.params)

    @property
    def requires(self) -> Mapping[str, exp.Expr]:
        """The condition of the metric and the preset on every row of an input: table -> condition."""
        needed, own = required(self.needed), self.metric.requires
        both = {table: exp.and_(needed[table], own[table]) for table in needed.keys() & own.keys()}
        return {**needed, **own, **both}

    @property
    def lower_is_better(self) -> bool:
        return self.metric.range.direction == "lower"

    @property
    def depth(self) -> int | None:
        """The deepest rank the measure looks at, None for all of them."""
        return self.metric.depth(self.values)

    def __str__(self) -> str:
        """Return the canonical text: the parameters that differ from the defaults, and the cut-off."""
        changed = [
            f"{param.name}={written(value)}"
            for param, (_, value) in zip(self.declared, self.params, strict=True)
            if param.name != CUTOFF and (param.required or value != param.default)
        ]
        if self.aggregation not in (None, DEFAULT_AGGREGATION):
            changed.append(f"{AGGREGATION}={self.aggregation}")
        arguments = f"({', '.join(changed)})" if changed else ""
        return f"{self.name}{arguments}{self._cutoff}"

    @property
    def signature(self) -> str:
        """Every convention behind the number: ``ndcg@10|gain:linear|...|agg:mean``.

        Two results with equal signatures on equal data are equal.
        """
        params = tuple((name, written(value)) for name, value in self.params if name != CUTOFF)
        params += ((TIME_ZONE, self.time_zone),) if self.time_zone else ()
        k = self._cutoff[1:]
        return str(Signature(self.name, int(k) if k else None, params, self.aggregation, __version__))

    @property
    def key(self) -> tuple[str, str, bool]:
        """The parts that decide about a result on given data: the signature, and what a preset requires."""
        return self.signature, self.needed, self.untied

    def differing(self, other: Measure) -> dict[str, Value]:
        """Return the parameters whose values differ from those of another measure of the same metric."""
        return {name: value for name, value in self.params if other.values[name] != value}

    def bound(self, **values: Value) -> Measure:
        """Return the measure with those of these values that it declares."""
        params = tuple((name, values.get(name, value)) for name, value in self.params)
        return replace(self, params=params)

    @property
    def _cutoff(self) -> str:
        k = self.values.get(CUTOFF)
        return "" if k is None else f"@{k}"


def refuse_several(measures: Sequence[Measure], names: Iterable[str]) -> None:
    """Refuse measures that are evaluated together, but differ in a parameter that is common to all.

    Raises:
        MetricError: names one measure of each value.
    """
    for name in names:
        found: dict[Value, Measure] = {}
        for measure in measures:
            if name in measure.values:
                found.setdefault(measure.values[name], measure)
        if len(found) > 1:
            usual = " and ".join(f"{name}={written(value)}" for value in found)
            raise MetricError(
                ", ".join(measure.text for measure in found.values()),
                f"need {usual}, but all metrics of a call have one {name}",
                f"ask for them separately, or choose one, such as {name}={written(next(iter(found)))}",
            )
