"""The switches and parameters that metrics take, each once by its name, and those without effect."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING, Param, substituted
from duckmetrics.catalog.measure import (
    AGGREGATION,
    CUTOFF,
    DEFAULT_AGGREGATION,
    check_value,
    typed_value,
    written,
)
from duckmetrics.catalog.spec_text import SPEC
from duckmetrics.errors import MetricError
from duckmetrics.expressions.folding import constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value


def is_idle(catalog: Catalog, metric: Definition, name: str, values: Mapping[str, Value]) -> bool:
    """Return whether a parameter changes nothing under the values of the others."""
    condition = catalog.idle(metric).get(name)
    return condition is not None and constant(substituted(condition, values)) is True


def changes_nothing(catalog: Catalog, metric: Definition, name: str, value: Value) -> tuple[str, str]:
    condition = catalog.idle(metric)[name]
    where = "" if isinstance(condition, exp.Boolean) else f" where {condition.sql(dialect='duckdb')}"
    advice = "leave it out" if not where else "change that, or leave it out"
    return f"{name}={written(value)} changes nothing{where}", advice


def refusal(catalog: Catalog, measure: Measure, name: str, value: object) -> MetricError | None:
    """Return why a measure does not take a switch; None when it does."""
    if name == AGGREGATION and measure.aggregation is not None:
        return None if measure.aggregation == value else _fixed(measure, name)
    declared = catalog.params(measure.metric)
    if name not in declared:
        return MetricError("", f"{measure.metric.name} has no parameter {name!r}", "leave it out")
    changed = {**measure.values, name: typed_value(f"switch {name}", declared[name], value)}
    try:
        check_value(str(measure.text), declared[name], changed)
    except MetricError as error:
        return error
    if is_without_effect(catalog, measure, name, value):
        return MetricError(measure.text, *changes_nothing(catalog, measure.metric, name, changed[name]))
    if measure.values[name] == changed[name] or name not in measure.given:
        return None
    if name in _bound(catalog, measure):
        return MetricError("", f"{measure.text} fixes {name} already", f"write {measure.metric.name}(...)")
    return _fixed(measure, name)


def _fixed(measure: Measure, name: str) -> MetricError:
    return MetricError("", f"{measure.text} has a {name} of its own, which wins", "leave one of them out")


def is_without_effect(catalog: Catalog, measure: Measure, name: str, value: object) -> bool:
    """Return whether a measure declares a switch, and its value changes nothing."""
    declared = catalog.params(measure.metric)
    if name not in declared:
        return False
    changed = {**measure.values, name: typed_value(f"switch {name}", declared[name], value)}
    return changed[name] != declared[name].default and is_idle(catalog, measure.metric, name, changed)


def named_after_cutoff(measure: Measure) -> Measure:
    """Write the cut-off of the call behind a name that has none, so that the row says it."""
    cutoff = measure.values.get(CUTOFF)
    if cutoff is None or CUTOFF in measure.given:
        return measure
    return replace(measure, text=f"{measure.text}@{cutoff}")


def _bound(catalog: Catalog, measure: Measure) -> Mapping[str, Value]:
    """Return the parameters that the name of a measure fixes, such as beta of f1."""
    match = SPEC.fullmatch(measure.text)
    alias = match and catalog.names.get((measure.family, match["name"].replace("-", "_").lower()))
    return alias.bound if alias else {}


# The choice that means: a table, which the caller gives in place of a word.
A_TABLE = "table"
FEW = 4


@dataclass(frozen=True)
class Switch:
    """One name, and what the files that declare it say about it.

    Attributes:
        owners: the definitions that take it, such as metrics.
        everybody: the families in words, if all of their definitions take it; else empty.
    """

    name: str
    params: tuple[Param, ...]
    owners: tuple[Definition, ...]
    everybody: str = ""

    @property
    def choices(self) -> tuple[Value, ...]:
        """The words that any of the files allows; empty if there are none to choose from."""
        every = dict.fromkeys(choice for param in self.params for choice in param.choices)
        return tuple(choice for choice in every if choice != A_TABLE)

    @property
    def takes_table(self) -> bool:
        """Whether a table may stand in place of a word."""
        return any(A_TABLE in param.choices for param in self.params)

    @property
    def takes_none(self) -> bool:
        """Whether a file has NULL as the default."""
        return any(param.default is None and not param.required for param in self.params)

    @property
    def meaning(self) -> str:
        """The definitions that take it, and its default if there is only one."""
        names = list(dict.fromkeys(owner.name for owner in self.owners))
        few = names if len(names) <= FEW else [*names[: FEW - 1], "and others"]
        who = f"Taken by {self.everybody or ', '.join(few)}."
        defaults = {repr(param.default) for param in self.params if not param.required}
        return f"{who} Default: {defaults.pop()}." if len(defaults) == 1 else who


def switches_of(catalog: Catalog, takers: Iterable[Definition], required: bool = True) -> list[Switch]:
    """Return the switches and parameters that some metrics, tables or statistics take, by name.

    Args:
        required: include parameters without a default; for a metric, only a spec can set them.
    """
    params: dict[str, list[Param]] = defaultdict(list)
    owners: dict[str, list[Definition]] = defaultdict(list)
    every = sorted(takers, key=lambda taker: (taker.family, taker.name))
    for taker in every:
        for name, param in catalog.params(taker).items():
            if required or not param.required:
                params[name].append(param)
                owners[name].append(taker)
    return [
        Switch(name, _widest_first(params[name]), tuple(owners[name]), _everybody(owners[name], every))
        for name in sorted(params)
    ]  # fmt: skip


def _widest_first(params: Iterable[Param]) -> tuple[Param, ...]:
    """Sort declarations so that the choices stand in the order of the longest list."""
    return tuple(sorted(params, key=lambda param: -len(param.choices)))


def _everybody(owners: list[Definition], every: list[Definition]) -> str:
    """Return in words the families that take a switch as a whole; empty if an owner is of another family."""
    members: Mapping[str, list[Definition]] = {
        family: [taker for taker in every if taker.family == family] for family in {o.family for o in owners}
    }
    if sum(map(len, members.values())) > len(owners) or len(owners) <= FEW:
        return ""
    return " and ".join(f"all of {family}" for family in sorted(members))


def aggregation_switch(catalog: Catalog) -> Switch:
    """Return the switch that decides how values of queries become one number."""
    names = [exp.Literal.string(name) for name in catalog.aggregation_names]
    choices = exp.In(this=exp.column(AGGREGATION), expressions=names)
    param = Param(AGGREGATION, str, DEFAULT_AGGREGATION, required=False, checks=(choices,))
    return Switch(AGGREGATION, (param,), (), f"all of {RANKING}")
