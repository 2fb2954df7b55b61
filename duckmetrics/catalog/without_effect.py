"""Switches and parameters that change nothing in a call, or that a measure does not take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import substituted
from duckmetrics.catalog.parameters import CUTOFF, check_value, typed_value, written
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.catalog.spec_text import SPEC
from duckmetrics.errors import MetricError
from duckmetrics.expressions.folding import constant

if TYPE_CHECKING:
    from collections.abc import Mapping

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
