"""Facts about metrics; the files under sql/ say under which values of a parameter they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import substituted
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import constant

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

POSITIONS, EXPONENTIAL, CORRECTED, WEIGHED = "positions", "exponential", "corrected", "weighed"
FACTS = {
    POSITIONS: "the order of the rows in the input decides about equal scores",
    EXPONENTIAL: "the gain of an item is two to the power of its grade",
    WEIGHED: "an item weighs as much as a power of the popularity of the most popular item over its own",
    CORRECTED: "ranks among all items are estimated from ranks among sampled candidates",
}


def holds(catalog: Catalog, fact: str, measure: Measure) -> bool:
    """Return whether the file of a measure, or a relation that it reads, says that a fact holds."""
    every = (measure.metric, *catalog.foundations(measure.metric))
    conditions = [definition.facts[fact] for definition in every if fact in definition.facts]
    return any(constant(substituted(condition, measure.values)) is True for condition in conditions)


def parameter_of(catalog: Catalog, fact: str) -> str:
    """Return the name of the parameter that decides whether a fact holds.

    Raises:
        DefinitionError: no file declares the fact, or it depends on several parameters.
    """
    names = {
        column.name for one in declaring(catalog, fact) for column in one.facts[fact].find_all(exp.Column)
    }
    if len(names) != 1:
        raise DefinitionError(
            "facts", f"{fact} depends on {len(names)} parameters", "declare it with exactly one parameter"
        )
    return names.pop()


def declaring(catalog: Catalog, fact: str) -> list[Definition]:
    """Return the definitions that declare a fact."""
    every = (*catalog.metrics.values(), *catalog.relations.values())
    return [definition for definition in every if fact in definition.facts]
