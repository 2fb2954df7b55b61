"""The sections about metrics and systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts import changes, values
from duckmetrics.report.matrix import Matrix, matrix
from duckmetrics.report.words import inside
from duckmetrics.sentences.changes import direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.forest import Forest
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
    table: Forest
    grid_title: str = ""
    grid: Matrix | None = None
    more: Sequence[tuple[str, Matrix]] = ()


def metrics_section(reading: Reading) -> Section:
    """Return every metric of the system that the report is about."""
    rows, n = [], reading.top.units if reading.top else 0
    for metric in reading.data.metrics:
        if (row := reading.row(reading.best, metric.name)) is not None:
            title = [inside(metric.title)] if 0 < len(metric.title) < LONG_TITLE else []
            size = [] if row.units == n else [reading.size(row)]
            way = direction(metric.better, metric.target)
            rows.append((row, metric.name, "; ".join([*title, way, *size])))
    base, best, level = reading.data.baseline, reading.best, reading.data.level
    if base is None:
        table = values.metrics_forest([reading.named(*one) for one in rows], level)
        return Section("Every metric", _values_text(reading), table)
    text = (
        f"{best} against {base}, change relative to {base}. To the right is better, also for metrics where "
        "lower values are better."
    )
    table = changes.forest("metric", [("", [reading.as_change(*one) for one in rows])], level=level)
    return Section("Every metric", text, table)


def _values_text(reading: Reading) -> str:
    of = f"{reading.best}, from" if reading.best else "From"
    return f"{of} {reading.total}. Metrics between 0 and 1 share one axis."


def systems_section(reading: Reading) -> Section:
    """Return a row for each system by the first metric, and all metrics of all systems."""
    first, base, level = reading.primary, reading.data.baseline, reading.data.level
    name = first.name
    rows = [(system, reading.row(system)) for system in reading.ranked]
    known = [(system, row) for system, row in rows if row is not None]
    lines = [
        (system, [reading.row(system, metric) for metric in reading.metrics]) for system in reading.ranked
    ]
    grid = matrix(reading, "system", list(reading.metrics), lines)
    if base is None:
        text = f"The best first; {direction(first.better, first.target)}."
        named = [reading.named(row, system, reading.size(row)) for system, row in known]
        table = values.forest("system", [("", named)], level=level)
        return Section(f"All systems by {name}", text, table, "All systems, all metrics", grid)
    text = f"Change relative to {base}, the best first. To the right is better."
    own = [reading.as_change(row, system) for system, row in known]
    table = changes.forest("system", [("", own)], level=level)
    return Section(f"All systems by {name}", text, table, f"All systems and metrics, against {base}", grid)
