"""The section about slices: the worst first, and every metric in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.charts import changes, values
from duckmetrics.report.matrix import matrix
from duckmetrics.report.reading import label_of, place_of, place_of_key
from duckmetrics.report.sections import Section
from duckmetrics.sentences.lists import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.forest import Forest
    from duckmetrics.report.matrix import Matrix
    from duckmetrics.report.model import Key, Row
    from duckmetrics.report.reading import Reading

# With more slices, only the worst and the best ones are shown.
MOST_SLICES, AT_EACH_END = 200, 20


def shown_slices(reading: Reading) -> list[Row]:
    """Return the rows of the first metric in the slices that the page shows: by grouping, the worst first."""
    found = (reading.row(reading.best, None, key) for key in reading.slices)
    ordered = sorted((row for row in found if row is not None), key=reading.badness)
    if len(ordered) > MOST_SLICES:
        return [*ordered[:AT_EACH_END], *ordered[-AT_EACH_END:]]
    groups = list(dict.fromkeys(row.by for row in ordered))
    return sorted(ordered, key=lambda row: groups.index(row.by))


def slices_section(reading: Reading) -> Section | None:
    """Return the slices, the worst first, and all metrics in all of them; None if there are no slices."""
    rows = shown_slices(reading)
    if not rows:
        return None
    total = len(reading.slices)
    cut = len(rows) < total
    title, text, table = _table(reading, rows)
    if cut:
        text += (
            f" Of {counted(total, 'slice')}, the {AT_EACH_END} worst and the {AT_EACH_END} best are shown; "
            f"the {total - len(rows):,} in between are left out."
        )
    heads = [
        name for name in reading.metrics if any(reading.row(reading.best, name, row.key) for row in rows)
    ]
    grids = [_grid(reading, system, heads, [row.key for row in rows]) for system in reading.ranked]
    more = [(f"{system} in all slices", grid) for system, grid in zip(reading.ranked, grids, strict=True)]
    which = "the slices above" if cut else "all slices"
    of = f", {reading.best}" if len(reading.others) > 1 else ""
    return Section(title, text, table, f"All metrics in {which}{of}", grids[0], more[1:])


def _table(reading: Reading, rows: Sequence[Row]) -> tuple[str, str, Forest]:
    """Return the title, the sentence and the table of the slices by the first metric."""
    groups, level = _groups(reading, rows), reading.data.level
    by = f"{reading.best} by {reading.primary.name}" if reading.best else f"By {reading.primary.name}"
    text = f"{by} in each slice, the worst first"
    if reading.data.baseline is None:
        guide = None if reading.top is None else reading.top.value
        named = [(title, [reading.named(*one) for one in own]) for title, own in groups.items()]
        table = values.forest("slice", named, values.Marked(guide=guide), level)
        return "Where it is strong and weak", f"{text}. The dotted line is the value of all rows.", table
    own_changes = [(title, [reading.as_change(*one) for one in own]) for title, own in groups.items()]
    table = changes.forest("slice", own_changes, reading.change(reading.top), level)
    return "Where it is better and worse", f"{text}. The dotted line is the overall change.", table


def _groups(reading: Reading, rows: Sequence[Row]) -> dict[str, list[tuple[Row, str, str]]]:
    """Return rows, labels and notes under headings: the columns of the slice, or worst and best of many."""
    groups: dict[str, list[tuple[Row, str, str]]] = {}
    cut = len(rows) < len(reading.slices)
    for place, row in enumerate(rows):
        end = "worst" if place < AT_EACH_END else "best"
        title = f"the {AT_EACH_END} {end}" if cut else f"by {', '.join(row.by)}"
        label = place_of(row) if cut else label_of(row.key)
        groups.setdefault(title, []).append((row, label, reading.size(row)))
    return groups


def _grid(reading: Reading, system: str, heads: Sequence[str], keys: Sequence[Key]) -> Matrix:
    lines = [(place_of_key(key), [reading.row(system, name, key) for name in heads]) for key in keys]
    return matrix(reading, "slice", heads, lines)
