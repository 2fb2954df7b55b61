"""The sections about metrics, systems and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.report.forest import Entry, Forest, forest
from duckmetrics.report.matrix import Matrix, matrix
from duckmetrics.report.values import Values, metric_values, values_of
from duckmetrics.report.words import direction, inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.report.reading import Reading

# A longer title of a metric would break its row.
LONG_TITLE = 60


class Section(NamedTuple):
    """A heading, a sentence, and tables.

    Attributes:
        table: the changes, or the values without a baseline.
        matrices: headings with tables of marks; those after the first are folded.
        grid_title: the heading of the first one.
    """

    title: str
    text: str
    table: Forest | Values
    grid_title: str = ""
    grid: Matrix | None = None
    more: Sequence[tuple[str, Matrix]] = ()

    @property
    def is_change(self) -> bool:
        """Whether the table shows changes against a baseline."""
        return isinstance(self.table, Forest)


def metrics_section(reading: Reading) -> Section:
    """Return every metric of the system that the report is about."""
    entries = []
    for metric in reading.data.metrics:
        if (row := reading.row(reading.best, metric.name)) is not None:
            title = [inside(metric.title)] if 0 < len(metric.title) < LONG_TITLE else []
            entries.append(Entry(metric.name, "; ".join([*title, direction(metric)]), row))
    base, best = reading.data.baseline, reading.best
    if base is None:
        return Section("Every metric", _values_text(reading), metric_values(reading, entries))
    text = (
        f"{best} against {base}, change relative to {base}. To the right is better, also for metrics where "
        "lower values are better."
    )
    return Section("Every metric", text, forest(reading, "metric", [("", entries)]))


def _values_text(reading: Reading) -> str:
    of = f"{reading.best}, from" if reading.best else "From"
    n = reading.top.units if reading.top else 0
    return f"{of} {n:,} {reading.data.unit}. Metrics between 0 and 1 share one axis."


def systems_section(reading: Reading) -> Section:
    """Return a row for each system by the first metric, and all metrics of all systems."""
    name, base = reading.primary.name, reading.data.baseline
    rows = [(system, reading.row(system)) for system in reading.ranked]
    entries = [Entry(system, "", row) for system, row in rows if row is not None]
    lines = [
        (system, [reading.row(system, metric) for metric in reading.metrics]) for system in reading.ranked
    ]
    grid = matrix(reading, "system", list(reading.metrics), lines)
    if base is None:
        text = f"The best first; {direction(reading.primary)}."
        table: Forest | Values = values_of(reading, "system", [("", entries)])
        return Section(f"All systems by {name}", text, table, "All systems, all metrics", grid)
    text = f"Change relative to {base}, the best first. To the right is better."
    table = forest(reading, "system", [("", entries)])
    return Section(f"All systems by {name}", text, table, f"All systems and metrics, against {base}", grid)
