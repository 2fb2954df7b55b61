"""A comparison on a terminal: the verdict, each metric with its interval drawn, and the worst slices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duckmetrics.expressions.visible import visible
from duckmetrics.screens.axis import LEAST_WIDTH, MOST_WIDTH, Interval, drawings
from duckmetrics.screens.columns import Column, fitted, least_width, table_lines
from duckmetrics.screens.footers import UNADJUSTED, cluster_of, correction, tests_of, units_of
from duckmetrics.screens.numbers import (
    decimals_for,
    ends,
    level_of,
    number,
    percent,
    percent_decimals,
    short_p,
)
from duckmetrics.screens.rows import HIGHER, TARGET, lines_of
from duckmetrics.screens.widths import wrapped
from duckmetrics.sentences.changes import LOWER, meaning_of_difference, toward, untested_sentences
from duckmetrics.sentences.heterogeneity import heterogeneity_sentence
from duckmetrics.sentences.margins import margin_sentence
from duckmetrics.sentences.units import cluster_units
from duckmetrics.sentences.verdict import Compared, Fact, leading_sentence, place_of
from duckmetrics.verdicts import ADJUSTED_P_SHORT, DIFFERENT, SIGNS, WORSE, p_heading, with_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.screens.rows import Line, Result

LOWER_MARK = " ↓"
# Values and differences of systems have this number of decimals.
DECIMALS = 4
# More slices than these are counted.
MOST_SLICES = 20
# The drawing has this width before p, which the sign of the verdict stands for, gets a column.
AMPLE = 24
# The ranks of the columns of p and of the drawings.
OF_P, DRAWN = 1, 3


def compared_lines(result: Result, width: int) -> list[str]:
    """Return the lines of a comparison for a screen."""
    lines = lines_of(result)
    overall = [line for line in lines if not line.segment]
    first = result.evaluation.metrics[0]
    told = [*wrapped(verdict_sentence(result), width), "", *_table(result, overall, width, by_metric=True)]
    for slicing in dict.fromkeys(line.row["slice"] for line in lines if line.segment):
        own = [line for line in lines if line.row["slice"] == slicing]
        told += ["", *_sliced(result, [one for one in own if one.row["metric"] == first], slicing, width)]
        told += [
            part for text in _heterogeneity(result, first, slicing) for part in wrapped(text, width, "  ")
        ]
        told += [part for text in _also_worse(own, first) for part in wrapped(text, width, "  ")]
    return [*told, "", *(part for text in footer(result, overall) for part in wrapped(text, width))]


def verdict_sentence(result: Result) -> str:
    """Return the verdict of a comparison in one sentence."""
    return leading_sentence(Compared(str(result.baseline), list(map(_fact, lines_of(result)))))


def _fact(line: Line) -> Fact:
    target = line.target if line.better == TARGET else None
    words = "" if line.better in (HIGHER, LOWER) else (
        meaning_of_difference(target, line.base, line.row["value"])
    )  # fmt: skip
    gain = line.gain if line.better is not None and math.isfinite(line.gain) else None
    return Fact(
        str(line.row["system"]), line.row["metric"], line.row["verdict"], place_of(line.segment), words,
        line.base, line.row["value"], gain,
    )  # fmt: skip


def _table(result: Result, lines: Sequence[Line], width: int, by_metric: bool) -> list[str]:
    """Return the lines of a table whose drawings share an axis and fill the screen.

    Args:
        by_metric: whether a row is a metric, or a slice with its number of units.
    """
    columns = list(_columns(result, lines, by_metric, AMPLE))
    if least_width(columns, width) > width:
        columns = [one for one in _columns(result, lines, by_metric, LEAST_WIDTH) if one.rank != OF_P]
    kept = fitted(columns, width)
    at = next((i for i, column in enumerate(kept) if column.rank == DRAWN), None)
    if at is not None:
        room = width - least_width(kept, width) + kept[at].width
        kept[at] = _drawing(lines, max(kept[at].width, min(room, MOST_WIDTH)))
    return table_lines(kept, width)


def _columns(result: Result, lines: Sequence[Line], by_metric: bool, drawn: int) -> Iterator[Column]:
    """Yield the columns; those that a narrow screen leaves out have ranks."""
    if by_metric:
        yield Column("metric", [_named(line) for line in lines], is_number=False, is_key=True)
    else:
        for name in lines[0].segment:
            yield Column(name, [line.segment[name] for line in lines], is_number=False, is_key=True)
    if len({line.row["system"] for line in lines}) > 1:
        systems = [visible(str(line.row["system"])) for line in lines]
        yield Column("system", systems, is_number=False, is_key=True)
    if not by_metric:
        yield _sizes(lines)
    yield Column("from", [_value(line.base) for line in lines], rank=2)
    yield Column("to", [_value(line.row["value"]) for line in lines], rank=5)
    yield Column("change", [_change(line) for line in lines])
    yield Column(level_of(result.level), _intervals(lines), is_number=False, rank=6)
    heading = p_heading((line.row for line in lines), ADJUSTED_P_SHORT)
    yield Column(heading, [short_p(line.row["p_adjusted"]) for line in lines], rank=OF_P)
    yield _drawing(lines, drawn)
    yield Column("", [with_sign(line.row["verdict"]) for line in lines], is_number=False)


def _sizes(lines: Sequence[Line]) -> Column:
    """Return the number of queries or rows of each line; with clusters, that of the clusters."""
    cluster = cluster_of(line.row for line in lines)
    if cluster is None:
        return Column("n", [f"{line.row['n']:,}" for line in lines], rank=4)
    sizes = [line.row["n_units"] for line in lines]
    cells = ["" if size is None else f"{size:,}" for size in sizes]
    return Column(visible(cluster_units(cluster)), cells, rank=4)


def _named(line: Line) -> str:
    return visible(line.row["metric"]) + (LOWER_MARK if line.better == LOWER else "")


def _value(value: float | None) -> str:
    return "NULL" if value is None else number(value, DECIMALS)


def _change(line: Line) -> str:
    if not line.is_relative:
        return number(line.row["delta"], min(_decimals(line) + 1, DECIMALS), "+")
    low, high = line.row["relative_lower"], line.row["relative_upper"]
    return percent(line.row["relative_change"], percent_decimals(low, high) + 1)


def _decimals(line: Line) -> int:
    """Return the decimals of the interval of a difference: those of half of it, or more near 0."""
    low, high = line.row["delta_lower"], line.row["delta_upper"]
    if low is None or high is None:
        return DECIMALS
    decimals = min(decimals_for((high - low) / 2), DECIMALS)
    vanishes = any(0 < abs(end) < 0.5 * 10**-decimals for end in (low, high))
    return DECIMALS if vanishes else decimals


def _intervals(lines: Sequence[Line]) -> list[str]:
    """Write the intervals, the ends below each other."""
    written = []
    for line in lines:
        if line.is_relative:
            pair = (line.row["relative_lower"], line.row["relative_upper"])
            low, high = (percent(end, percent_decimals(*pair)) for end in pair)
        else:
            pair = (line.row["delta_lower"], line.row["delta_upper"])
            low, high = (number(end, _decimals(line), "+") for end in pair)
        written.append(ends(low, high))
    return written


def _drawing(lines: Sequence[Line], width: int) -> Column:
    """Return the column of drawings; metrics without a direction have words."""
    is_relative = any(line.is_relative for line in lines)
    rows = [_drawn(line, is_relative) for line in lines]
    wide = max([width, *(len(row) for row in rows if isinstance(row, str))])
    header, cells = drawings(rows, wide)
    return Column(header, cells, is_number=False, rank=DRAWN)


def _drawn(line: Line, is_relative: bool) -> Interval | str | None:
    """Return the interval to draw, words in its place, or None if there is nothing to show."""
    if line.better not in (HIGHER, LOWER):
        return _aimed(line)
    names = ("relative_lower", "relative_change", "relative_upper") if is_relative else (
        "delta_lower", "delta", "delta_upper"
    )  # fmt: skip
    low, point, high = (line.row.get(name) for name in names)
    if low is None or point is None or high is None:
        return None
    interval = Interval(low, point, high, SIGNS.get(line.row["verdict"], SIGNS[DIFFERENT]))
    return interval.turned if line.better == LOWER else interval


def _aimed(line: Line) -> str:
    """Write which value a metric aims at, and whether it is nearer now."""
    if line.better != TARGET:
        return "no direction"
    return toward(line.target, line.base, line.row["value"], line.row["verdict"])


def _sliced(result: Result, lines: Sequence[Line], slicing: str, width: int) -> list[str]:
    """Return the table of the first metric by slices, the worst first."""
    if not lines:
        return []
    worst = sorted(lines, key=lambda line: line.gain)
    title = f"{visible(lines[0].row['metric'])} by {visible(slicing)}, the worst first"
    shown = [*wrapped(title, width), "", *_table(result, worst[:MOST_SLICES], width, by_metric=False)]
    if len(worst) > MOST_SLICES:
        counted = sum(line.row["verdict"] == WORSE for line in worst[MOST_SLICES:])
        rest = f"{len(worst) - MOST_SLICES:,} more, {counted:,} of them worse; --format plain shows all"
        shown += wrapped(rest, width)
    return shown


def _heterogeneity(result: Result, metric: str, slicing: str) -> Iterator[str]:
    """Yield for every system whether its differences are the same in all slices."""
    several = len({row["system"] for row in result.sliced.heterogeneity}) > 1
    for row in result.sliced.heterogeneity:
        if (row["metric"], row["slice"]) == (metric, slicing) and row["p"] is not None:
            of = str(row["system"]) if several else ""
            yield heterogeneity_sentence(row, result.alpha, short_p(row["p"]), of)


def _also_worse(lines: Sequence[Line], first: str) -> Iterator[str]:
    """Yield a line for every slice that is worse on other metrics than the first."""
    several = len({line.row["system"] for line in lines}) > 1
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if line.row["verdict"] == WORSE:
            system = f"{visible(str(line.row['system']))}: " if several else ""
            found.setdefault((system, place_of(line.segment)), []).append(line.row["metric"])
    places = [(place, metrics) for place, metrics in found.items() if set(metrics) != {first}]
    for (system, place), metrics in places[:MOST_SLICES]:
        also = "also worse" if first in metrics else "worse"
        others = ", ".join(visible(metric) for metric in metrics if metric != first)
        yield f"{SIGNS[WORSE]} {system}{also} in {place}: {others}"
    if len(places) > MOST_SLICES:
        yield f"{len(places) - MOST_SLICES:,} more slices are worse on other metrics, see --format plain"


def footer(result: Result, lines: Sequence[Line]) -> list[str]:
    """Return what the numbers rest on: units, test, correction, and what is relative to what."""
    signs = "▲ ▼ ◆" if any(line.row["verdict"] == DIFFERENT for line in lines) else "▲ ▼"
    needed = f"{signs} need p < {result.alpha:.4g}{correction(result.rows, result.adjust, result.alpha)}"
    if any(line.is_relative for line in lines):
        what = f"change and interval relative to {visible(str(result.baseline))}, intervals not corrected"
    else:
        what = "change and interval in units of the metric, intervals not corrected"
    if any(line.better == LOWER for line in lines):
        what += f"; {LOWER_MARK.strip()} lower is better"
    told = [f"{units_of(result)}, {tests_of(result.rows, result.test)}; {needed}; {what}"]
    margin = margin_sentence(result.rows, str(result.baseline), result.alpha, result.adjust != UNADJUSTED)
    told += [] if margin is None else [margin]
    if any(line.is_relative for line in lines) and any(
        not line.is_relative and line.row["delta"] is not None for line in lines
    ):
        told.append("a change without % is the difference of the values")
    reasons = untested_sentences(
        (line.row["metric"], line.row.get("reason")) for line in lines if line.row["p"] is None
    )
    return told + [f"{SIGNS['not tested']} {reason}" for reason in reasons]
