"""Values side by side in a table that fits the screen, and the same in brief.

With several systems and no slices a row is a metric and a column a system; with slices, or with more systems
than fit, a row is a slice or a system and a column a metric.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.pages.comparison_screen import MOST_SLICES, NUMERIC, long_cells, reason_lines
from duckmetrics.pages.screens import ScreenColumn, lines_of, plain, short_p, table_lines
from duckmetrics.results.tabular import ALL, aligned, table_width, widths_of
from duckmetrics.words.lists import four_decimals, spanned, with_minus
from duckmetrics.words.units import kind_of, no_relevant_of, no_relevant_sentence
from duckmetrics.words.verdicts import WORSE, p_heading
from duckmetrics.words.visible import hashable, visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.pages.screens import ScreenComparison

    Row = Mapping[str, Any]
    Rows = tuple[dict[str, Any], ...]

BEST, LOWER = "*", " ↓"
BEST_SYSTEM = "* best value; `duckmetrics compare` tests whether the difference is chance"
# The counts of which the first one that differs has a column.
SIZES = ("n", "n_positive")
# Values that differ by less are equally good.
ALIKE = 5e-5
# Where the rows are that a table leaves out; and the place of what has no value.
WHOLE = "--format plain and .summary have all"
NO_VALUE = float("inf")


class ShownEvaluation(Protocol):
    """The parts of an evaluation that are shown, see `Evaluation`."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def groupings(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def metrics(self) -> Sequence[str]: ...
    @property
    def systems(self) -> Sequence[str | None]: ...
    @property
    def level(self) -> float | None: ...
    @property
    def higher_is_better(self) -> frozenset[str]: ...
    @property
    def lower_is_better(self) -> frozenset[str]: ...
    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


@dataclass(frozen=True)
class ColumnBlock:
    """Columns that fit the screen together.

    Attributes:
        header: the names of the columns, those of the keys first.
        cells: the rows, with the mark of the best value in the text.
        keys: the number of the columns that are keys.
    """

    header: list[str]
    cells: list[list[str]]
    keys: int

    def lines(self, width: int) -> list[str]:
        """Return the lines of text for a screen."""
        columns = []
        for i, name in enumerate(self.header):
            is_key = i < self.keys
            cells = [row[i] for row in self.cells]
            columns.append(ScreenColumn(visible(name), cells, not is_key or name in SIZES, is_key=is_key))
        return table_lines(columns, width)


def blocks_of(result: ShownEvaluation, width: int) -> list[ColumnBlock]:
    """Return the values side by side, in as many blocks as the width asks for."""
    sliced = len(result.groupings) > 1
    if len(result.systems) > 1 and not sliced:
        block = _by_metric(result)
        if table_width(block.header, block.cells) <= width:
            return [block]
    return split(_by_key(result), width)


def plain_lines(result: ShownEvaluation, wide: bool = False) -> list[str]:
    """Return the values as plain text for pipes and logs, of any width and without the notes.

    Args:
        wide: whether values stand side by side, instead of a line per value with all counts.
    """
    if not wide:
        return aligned(*long_cells(result), NUMERIC)
    (block,) = blocks_of(result, sys.maxsize)
    table = aligned(block.header, block.cells, [*SIZES, *block.header[block.keys :]])
    return [plain(line) for line in (*table, "", *map(visible, footer_of(result)))]


def title_of(result: ShownEvaluation) -> list[str]:
    """Return the line above the values of several systems: their number, and that of the queries or rows."""
    if len(result.systems) < 2:
        return []
    overall = [row["n"] for row in result.rows if not result.segment(row)]
    return [f"Evaluation of {len(result.systems)} systems on {spanned(overall)} {kind_of(result.rows)}", ""]


def footer_of(
    result: ShownEvaluation, best: str = BEST_SYSTEM, has_halves: bool = True, has_title: bool = False
) -> list[str]:
    """Return the meaning of the marks, numbers that rows share, queries that do not count, and NULL.

    Args:
        best: the meaning of the mark of the best value.
        has_halves: whether half of the interval stands next to a value.
        has_title: whether a title has the number of queries or rows.
    """
    lines = []
    if len(result.systems) > 1 and best_of_slices(result):
        lines.append(best)
    if result.lower_is_better & set(result.metrics):
        lines.append("↓ lower is better")
    if result.level is not None and has_halves:
        lines.append(f"± half of a {100 * result.level:g} % interval")
    unknown = [row for row in result.rows if row["value"] is None]
    sizes = {row["n"] for row in result.rows}
    if len(sizes) == 1 and not has_title:
        lines.append(f"n = {sizes.pop():,}")
    return [*lines, *no_relevant_lines(result), *reason_lines(result, unknown)]


def no_relevant_lines(result: ShownEvaluation) -> list[str]:
    """Return how queries without a relevant item count; none if there are no such queries."""
    return [no_relevant_sentence(fact) for fact in no_relevant_of(result.rows)]


def few_values(result: ShownEvaluation) -> tuple[Rows, list[str]]:
    """Return the rows of at most 20 slices of each slicing, the worst; of systems, the best 20.

    Returns:
        The rows, and the lines that say what they leave out.
    """
    metric, gains = result.metrics[0], dict[tuple[Any, ...], float]()
    for row in result.rows:
        if row["metric"] == metric:
            key = slice_key(result, row)
            gains[key] = min(gains.get(key, NO_VALUE), goodness(result, row))
    rows, told = few_slices(result, result.rows, gains)
    systems = result.systems
    if len(systems) > MOST_SLICES and not result.by:
        overall = [row for row in rows if row["metric"] == metric]
        best = sorted(overall, key=lambda row: (row["value"] is None, -goodness(result, row)))[:MOST_SLICES]
        kept: dict[str, list[dict[str, Any]]] = {row["system"]: [] for row in best}
        for row in rows:
            kept.get(row["system"], []).append(row)
        rows = [row for own in kept.values() for row in own]
        told = [f"the {MOST_SLICES} best of {len(systems):,} systems by {visible(metric)}; {WHOLE}"]
    return tuple(rows), told


def few_slices(
    values: ShownEvaluation, rows: Sequence[dict[str, Any]], gains: Mapping[tuple[Any, ...], float]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of all slices together and of the worst slices, and a line for each long slicing.

    Args:
        gains: the key of a slice -> how good its first metric is.
    """
    slicings: dict[str, dict[tuple[Any, ...], list[dict[str, Any]]]] = {}
    for row in rows:
        slicings.setdefault(row["slice"], {}).setdefault(slice_key(values, row), []).append(row)
    kept, told = [], []
    for slicing, slices in slicings.items():
        shown = list(slices)
        if slicing and len(shown) > MOST_SLICES:
            shown = sorted(shown, key=lambda key: gains.get(key, NO_VALUE))[:MOST_SLICES]
            what = f"the {MOST_SLICES} worst of {len(slices):,} by {visible(values.metrics[0])}"
            told.append(f"{visible(slicing)}: {what}; {WHOLE}")
        kept += [row for key in shown for row in slices[key]]
    return kept, told


def goodness(result: ShownEvaluation, row: Row) -> float:
    """Return a number that is higher for a better value; slices without a value come last."""
    value, target = row["value"], row.get("target")
    if value is None:
        return NO_VALUE
    if target is not None:
        return -abs(float(value) - float(target))
    return -float(value) if row["metric"] in result.lower_is_better else float(value)


def _by_metric(result: ShownEvaluation) -> ColumnBlock:
    """Return a row per metric, with a column per system."""
    found = {(row["metric"], row["system"]): row for row in result.rows}
    cells = []
    for metric in result.metrics:
        rows = [found[metric, system] for system in result.systems]
        best = _best(result, rows)
        cells.append([named(result, metric), *(_cell(row, row in best) for row in rows)])
    return ColumnBlock(["metric", *map(visible, map(str, result.systems))], _padded(cells, 1), 1)


def _by_key(result: ShownEvaluation) -> ColumnBlock:
    """Return a row per slice and system, with a column per metric."""
    several, metrics = len(result.systems) > 1, result.metrics
    found = {(_key(result, row), row["metric"]): row for row in result.rows}
    keys = list(dict.fromkeys(key for key, _ in found))
    if several and not result.by:
        keys = _leaders_first(result, keys, found)
    # Slices by the class have the same rows, and differ in those whose right class it is.
    size = next((name for name in SIZES if any(_differs(found, keys, m, name) for m in metrics)), None)
    best = {id(row) for row in best_of_slices(result)} if several else set()
    cells = []
    for key in keys:
        rows = [found.get((key, metric)) for metric in metrics]
        own = [row for row in rows if row is not None]
        system = [visible(str(key[-1]))] if several else []
        n = [str(max((row[size] for row in own if row[size] is not None), default=""))] if size else []
        values = ["" if row is None else _cell(row, id(row) in best) for row in rows]
        cells.append([*slice_cells(result, own[0]), *system, *n, *values])
    header = [*result.by, *(["system"] if several else []), *([size] if size else [])]
    names = [named(result, metric) for metric in metrics]
    return ColumnBlock([*header, *names], _padded(cells, len(header)), len(header))


def _differs(found: Mapping[Any, Row], keys: Sequence[Any], metric: str, size: str) -> bool:
    known = {found[key, metric].get(size) for key in keys if (key, metric) in found}
    return len(known - {None}) > 1


def _key(result: ShownEvaluation, row: Row) -> tuple[Any, ...]:
    return (*slice_key(result, row), row["system"])


def slice_key(result: ShownEvaluation, row: Row) -> tuple[Any, ...]:
    """Return the values that identify the slice of a row."""
    return (row["slice"], *(hashable(row.get(column)) for column in result.by))


def slice_cells(result: ShownEvaluation, row: Row) -> list[str]:
    """Write the values of the slicing columns; no column is in force for all rows together."""
    segment = result.segment(dict(row))
    if result.by and not segment:
        return [ALL, *("" for _ in result.by[1:])]
    return [visible_key(segment[column]) if column in segment else "" for column in result.by]


def _leaders_first(
    result: ShownEvaluation, keys: Sequence[tuple[Any, ...]], found: Mapping[Any, Row]
) -> list[tuple[Any, ...]]:
    """Sort the systems by the first metric, the best first; those without a value come last."""
    metric = result.metrics[0]
    sign = 1 if metric in result.lower_is_better else -1

    def place(key: tuple[Any, ...]) -> tuple[bool, float]:
        value = found[key, metric]["value"]
        return value is None, 0.0 if value is None else sign * value

    return sorted(keys, key=place)


def best_of_slices(result: ShownEvaluation) -> list[Row]:
    """Return the best system of each metric in each slice."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in result.rows:
        groups.setdefault((row["metric"], *_key(result, row)[:-1]), []).append(row)
    return [row for rows in groups.values() for row in _best(result, rows)]


def _best(result: ShownEvaluation, rows: Sequence[Row]) -> list[Row]:
    """Return the one best row; none if several are equal, or if the metric has no better direction."""
    values = [row["value"] for row in rows if row["value"] is not None]
    metric = rows[0]["metric"]
    if len(values) < 2 or metric not in result.lower_is_better | result.higher_is_better:
        return []
    top = min(values) if metric in result.lower_is_better else max(values)
    near = [row for row in rows if row["value"] is not None and abs(row["value"] - top) < ALIKE]
    return near if len(near) == 1 else []


def named(result: ShownEvaluation, metric: str) -> str:
    """Write a metric with the mark of those where lower is better."""
    return visible(metric) + (LOWER if metric in result.lower_is_better else "")


def _cell(row: Row, is_best: bool) -> str:
    if row["value"] is None:
        return "NULL"
    text = f"{row['value']:.4f}"
    if row.get("lower") is not None and row.get("upper") is not None:
        text += f" ±{(row['upper'] - row['lower']) / 2:.4f}"
    return text + (BEST if is_best else "")


def _padded(cells: list[list[str]], keys: int) -> list[list[str]]:
    """Keep the digits of a column below each other where one of its values has a mark."""
    for i in range(keys, len(cells[0])):
        if any(row[i].endswith(BEST) for row in cells):
            for row in cells:
                row[i] = row[i] if row[i].endswith(BEST) else f"{row[i]} "
    return cells


def split(block: ColumnBlock, width: int) -> list[ColumnBlock]:
    """Put as many columns into each block as fit; the keys stand in all of them."""
    widths = widths_of(block.header, block.cells)
    keys = list(range(block.keys))
    room = width - sum(widths[i] + 2 for i in keys)
    groups: list[list[int]] = [[]]
    used = 0
    for i in range(block.keys, len(block.header)):
        if groups[-1] and used + widths[i] > room:
            groups.append([])
            used = 0
        groups[-1].append(i)
        used += widths[i] + 2
    return [
        ColumnBlock([block.header[i] for i in (*keys, *group)],
              [[row[i] for i in (*keys, *group)] for row in block.cells], block.keys)
        for group in groups
    ]  # fmt: skip


class ShownComparison(Protocol):
    """The parts of a comparison that are shown, see `Comparison`."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def evaluation(self) -> ShownEvaluation: ...


def gains_of(result: ScreenComparison, values: ShownEvaluation) -> dict[tuple[Any, ...], float]:
    """Return the least gain of a system in each slice by the first metric."""
    gains: dict[tuple[Any, ...], float] = {}
    for line in lines_of(result):
        if line.row["metric"] == values.metrics[0]:
            key = slice_key(values, line.row)
            gains[key] = min(gains.get(key, NO_VALUE), line.gain)
    return gains


def brief_columns(result: ShownComparison) -> list[ScreenColumn]:
    """Return the columns; with two systems, a line shows the values of both."""
    systems = dict.fromkeys(row["system"] for row in result.rows)
    rows = [row for row in result.rows if len(systems) > 2 or row["system"] != result.baseline]
    slices = zip(*(slice_cells(result.evaluation, row) for row in rows), strict=True)
    columns = [
        ScreenColumn("metric", [visible(row["metric"]) for row in rows], is_number=False),
        *(ScreenColumn(name, list(cells), is_number=False)
          for name, cells in zip(result.evaluation.by, slices, strict=True)),
        *(_pair(result, rows) if len(systems) == 2 else _systems(rows)),
        ScreenColumn("±", [_half(row) for row in rows]),
        ScreenColumn("change", [_signed(row["delta"]) for row in rows]),
        ScreenColumn("interval of change", [_interval(row) for row in rows]),
        ScreenColumn(p_heading(rows), [short_p(row["p_adjusted"]) for row in rows]),
        ScreenColumn("verdict", [row["verdict"] for row in rows], is_number=False),
    ]  # fmt: skip
    return [column for column in columns if any(column.cells)]


def _pair(result: ShownComparison, rows: Sequence[Row]) -> Iterator[ScreenColumn]:
    """Yield the values of the baseline, and those of the only other system."""
    bases = {
        (row["metric"], slice_key(result.evaluation, row)): row
        for row in result.rows if row["system"] == result.baseline
    }  # fmt: skip
    own = [bases.get((row["metric"], slice_key(result.evaluation, row))) for row in rows]
    yield ScreenColumn(visible(str(result.baseline)), list(map(_value, own)))
    yield ScreenColumn(visible(str(rows[0]["system"])), list(map(_value, rows)))


def _systems(rows: Sequence[Row]) -> Iterator[ScreenColumn]:
    yield ScreenColumn("system", [visible(str(row["system"])) for row in rows], is_number=False)
    yield ScreenColumn("value", list(map(_value, rows)))


def _value(row: Row | None) -> str:
    return "NULL" if row is None or row["value"] is None else f"{row['value']:.4f}"


def _half(row: Row) -> str:
    """Write half of the interval of a value."""
    if row["lower"] is None or row["upper"] is None:
        return ""
    return f"±{(row['upper'] - row['lower']) / 2:.4f}"


def _interval(row: Row) -> str:
    low, high = row["delta_lower"], row["delta_upper"]
    return "" if low is None or high is None else f"[{_signed(low)}, {_signed(high)}]"


def _signed(value: float | None) -> str:
    return "" if value is None else with_minus(four_decimals(value, "+"))


def verdict_lines(result: ShownComparison) -> Iterator[str]:
    """Yield a line for every system: the counts of its verdicts, and the slices in which it is worse."""
    for system in dict.fromkeys(row["system"] for row in result.rows):
        if system == result.baseline:
            continue
        own = [row for row in result.rows if row["system"] == system]
        told = []
        for slicing in dict.fromkeys(row["slice"] for row in own):
            counts = Counter(row["verdict"] for row in own if row["slice"] == slicing)
            every = ", ".join(f"{verdict} in {count}" for verdict, count in counts.items())
            what = f"slices by {slicing}" if slicing else "overall"
            told.append(f"{every} of {counts.total()} {what}")
        worse: dict[str, list[str]] = {}
        for row in own:
            if row["slice"] and row["verdict"] == WORSE:
                worse.setdefault(_where(result, row), []).append(row["metric"])
        told += [f"worse where {where} ({', '.join(metrics)})" for where, metrics in worse.items()]
        yield visible(f"{system}: {'; '.join(told)}")


def _where(result: ShownComparison, row: Row) -> str:
    segment = result.evaluation.segment(dict(row))
    return ", ".join(f"{name}={visible_key(value)}" for name, value in segment.items())
