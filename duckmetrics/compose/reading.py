"""The tables that the value of a measure needs under its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.build import everything

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure

TRUTH = "truth"
QUERIES, LISTS = "queries", "lists"
# The switches where no table says which items are relevant, and no metric asks: the answered queries count.
WITHOUT_TRUTH = {"population": "predictions"}


def needs_truth(catalog: Catalog, measures: Iterable[Measure]) -> bool:
    """Return whether a value of a measure depends on the relevant items, under its parameters."""
    return truth_reader(catalog, measures) is not None


def truth_reader(catalog: Catalog, measures: Iterable[Measure]) -> str | None:
    """Return the text of the first measure whose value depends on the relevant items; None if none does."""
    return next((measure.text for measure in measures if TRUTH in tables_of(catalog, measure)), None)


def needed_by(catalog: Catalog, measures: Sequence[Measure]) -> dict[str, str]:
    """Map the inputs and relations that values need to the text of the first measure that reads them.

    Only measures with inputs that not every call has are looked at. The inputs in the conditions that a
    preset, or a metric, imposes on the rows are among them.
    """
    needed: dict[str, str] = {}
    for measure in measures:
        if measure.metric.further_inputs:
            read = tables_of(catalog, measure) | _required(measure)
            needed |= {name: needed.get(name, measure.text) for name in read}
    return needed


def _required(measure: Measure) -> set[str]:
    conditions = measure.requires
    return {*conditions, *(t.name for one in conditions.values() for t in one.find_all(exp.Table))}


def tables_of(catalog: Catalog, measure: Measure) -> set[str]:
    """Return the inputs and relations that the value of a measure needs under its parameters.

    The population, which decides the queries and lists that count, is not among them.
    """
    composer = Composer(catalog, {name: everything(name) for name in (QUERIES, LISTS)})
    value = composer.value(measure.metric, measure.values)
    composer.settle()
    read: set[str] = set()
    pending: list[exp.Expr] = [] if value is None else [b.query() for b in composer.blocks]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            if table.name not in read:
                read.add(table.name)
                pending += [composer.steps[table.name]] if table.name in composer.steps else []
    return read
