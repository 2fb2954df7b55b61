"""A comparison on a terminal: the verdict, intervals drawn, the worst slices, reasons and footers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.pages.screens import (
    LEAST_WIDTH,
    MOST_WIDTH,
    Interval,
    ScreenColumn,
    decimals_for,
    drawings,
    ends,
    fitted,
    least_width,
    level_of,
    lines_of,
    number,
    percent,
    percent_decimals,
    short_p,
    table_lines,
    wrapped,
)
from duckmetrics.words.lists import counted, spanned
from duckmetrics.words.units import cluster_units, kind_of
from duckmetrics.words.verdict import (
    HIGHER,
    LOWER,
    TARGET,
    ComparedSystem,
    Fact,
    fact_of,
    heterogeneity_sentence,
    leading_sentence,
    place_of,
    toward,
    untested_sentences,
)
from duckmetrics.words.verdicts import (
    ADJUSTED_P_SHORT,
    DIFFERENT,
    SIGNS,
    WORSE,
    drawn_by_adjustment,
    drawn_by_test,
    false_verdicts,
    margin_sentence,
    p_heading,
    sizes_of,
    with_sign,
)
from duckmetrics.words.visible import visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.pages.screens import ScreenComparison, ScreenLine

    Row = Mapping[str, Any]

# More places than these are counted.
FEW_PLACES = 3


class Segmented(Protocol):
    """The parts of an evaluation that name the slice of a row."""

    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


def reason_lines(result: Segmented, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a line for each reason of some rows; that of a value begins with NULL."""
    told: dict[str, list[str]] = {}
    for row in rows:
        if reason := row.get("reason"):
            text = f"NULL: {reason}" if row["value"] is None else str(reason)
            told.setdefault(text, []).append(visible(" ".join(_place(result, row))))
    return [f"{text} ({_some(places)})" for text, places in told.items()]


def _place(result: Segmented, row: dict[str, Any]) -> list[str]:
    """Return the words that name a row: its metric, its system, and its slice."""
    system = [] if row["system"] is None else [str(row["system"])]
    segment = [f"{name}={visible_key(value)}" for name, value in result.segment(row).items()]
    return [row["metric"], *system, *segment]


def _some(places: Sequence[str]) -> str:
    if len(places) <= FEW_PLACES:
        return ", ".join(places)
    return f"{', '.join(places[:FEW_PLACES])} and {len(places) - FEW_PLACES} more"


UNADJUSTED = "none"
# The tests whose names say less than these words.
IN_WORDS = {
    "unpaired_t": "Welch's t-test of independent units",
    "unpaired_randomization": "randomization test of independent units",
}


def units_of(result: ScreenComparison) -> str:
    """Write the number of units behind the tests: queries or rows, or clusters with their rows."""
    tested = [row for row in result.rows if not row["slice"] and row["system"] != result.baseline]
    kind, n = kind_of(result.evaluation.rows), {row["n"] for row in tested}
    units = {row["n_units"] for row in tested if row["n_units"] is not None and row["p"] is not None}
    cluster = cluster_of(tested)
    if cluster is None or not units:
        return f"{_against(spanned(units or n), tested)} {kind}"
    return f"{_against(spanned(units), tested)} {visible(cluster_units(cluster))} with {spanned(n)} {kind}"


def _against(sizes: str, rows: Sequence[Row]) -> str:
    """Write the number of units, and that of the baseline where it has other units."""
    bases = {row["n_units_baseline"] for row in rows if row.get("n_units_baseline") is not None}
    return f"{sizes} against {spanned(bases)}" if bases else sizes


def cluster_of(rows: Iterable[Row]) -> str | None:
    """Return the column whose values are the units of the tests; None if these are queries or rows."""
    return next((str(row["cluster"]) for row in rows if row.get("cluster")), None)


def tests_of(rows: Iterable[Row], usual: str) -> str:
    """Write the test that computed p, with the number of resamples; of several, by metric.

    Args:
        usual: the test to name if no p was computed.
    """
    made: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["p"] is not None:
            number = drawn_by_test(row)
            drawn = "" if number is None else f" with {number:,} resamples"
            made.setdefault(f"{words(row['test'])}{drawn}", {})[visible(row["metric"])] = None
    if len(made) < 2:
        return next(iter(made), words(usual))
    return ", ".join(f"{test} ({', '.join(metrics)})" for test, metrics in made.items())


def words(name: str) -> str:
    """Write the name of a statistic in words."""
    return IN_WORDS.get(name) or name.replace("_", " ")


def correction(rows: Sequence[Row], adjust: str, alpha: float) -> str:
    """Write how p is corrected, for the number of comparisons in each family."""
    if adjust == UNADJUSTED:
        return ", not corrected further"
    sizes = sizes_of(rows)
    total = sum(sizes.values())
    families = ", ".join(_family(name, size) for name, size in sizes.items())
    made = counted(total, "comparison") if len(sizes) == 1 else families
    drawn = drawn_by_adjustment(rows, adjust)
    return f" after {corrected_by(adjust)} correction{drawn} for {made}{false_verdicts(rows, adjust, alpha)}"


def _family(name: str, size: int) -> str:
    """Write the number of comparisons of a slicing."""
    if name:
        return f"{size:,} by {visible(name)}"
    return f"{counted(size, 'comparison')} overall"


def corrected_by(adjust: str) -> str:
    """Write the name of a correction."""
    return adjust.replace("_", "-").title()


# Numbers of units that differ by less are shown as equal.
SHOWN_DIFFERENCE = 0.05
COUNTS = ("n", "n_missing", "n_no_relevant", "n_undefined", "n_positive")
# The number of units of an interval, and how many of equal weight they are worth.
SIZES = ("n_units", "n_effective")
REASON = "reason"
# A reason does not take the place of these columns: it stands below the table instead.
BEFORE_REASON = frozenset({"lower", "upper", "n"})
NUMERIC = ("value", "lower", "upper", *COUNTS, *SIZES)
# A narrow screen leaves out the columns of rank 1 first.
RANKS = {
    "n_effective": 1, "n_units": 2, "n_positive": 3, "n_undefined": 4, "n_no_relevant": 5, "n_missing": 6,
    "n": 7, "lower": 8, "upper": 8,
}  # fmt: skip


class LongEvaluation(Protocol):
    """The parts of an evaluation that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def groupings(self) -> Mapping[str, Sequence[str]]: ...
    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


def long_cells(result: LongEvaluation) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells for a reader."""
    shown = [
        column for column in ("system", *result.by, "metric", *NUMERIC, REASON)
        if column in ("metric", "value", "n", *result.by)
        or any(_says_more(row, column) for row in result.rows)
    ]  # fmt: skip
    return shown, [[_cell(result, row, column) for column in shown] for row in result.rows]


def long_lines(result: LongEvaluation, width: int) -> list[str]:
    """Return the lines for a screen; counts are less important than values.

    Reasons stand below the table if they would take the place of the interval or of n.
    """
    header, cells = long_cells(result)
    keys = ("system", *result.by, "metric")
    columns = [
        ScreenColumn(visible(name), list(column), name in NUMERIC, RANKS.get(name, 0), name in keys)
        for name, column in zip(header, zip(*cells, strict=True), strict=True)
    ]
    numbers = [column for column in columns if column.name != REASON]
    kept, without = fitted(columns, width), fitted(numbers, width)
    if _names(kept) >= _names(without) & BEFORE_REASON:
        return table_lines(kept, width)
    reasons = (wrapped(visible(line), width, "  ") for line in reason_lines(result, result.rows))
    return [*table_lines(without, width), "", *(part for parts in reasons for part in parts)]


def _names(columns: Iterable[ScreenColumn]) -> set[str]:
    return {column.name for column in columns}


def _cell(result: LongEvaluation, row: Row, column: str) -> str:
    value = row.get(column)
    if column == "value" and value is None:
        return "NULL"
    if isinstance(value, float) and column in NUMERIC:
        return f"{value:.1f}" if column in SIZES else f"{value:.4f}"
    if column in result.groupings[row["slice"]]:
        return visible_key(value)
    return "" if value is None else visible(str(value))


def _says_more(row: Row, column: str) -> bool:
    """Return whether a cell is worth a column: a number of units, where it is not that of rows or queries."""
    value = row.get(column)
    if column not in SIZES or value is None:
        return bool(value)
    return bool(row["n_units"] != row["n"] or abs(row["n_effective"] - row["n_units"]) >= SHOWN_DIFFERENCE)


LOWER_MARK = " ↓"
# Values and differences of systems have this number of decimals.
DECIMALS = 4
# More slices than these are counted.
MOST_SLICES = 20
# The drawing has this width before p, which the sign of the verdict stands for, gets a column.
AMPLE = 24
# The ranks of the columns of p and of the drawings.
OF_P, DRAWN = 1, 3


def compared_lines(result: ScreenComparison, width: int) -> list[str]:
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


def verdict_sentence(result: ScreenComparison) -> str:
    """Return the verdict of a comparison in one sentence."""
    return leading_sentence(ComparedSystem(str(result.baseline), list(map(_fact, lines_of(result)))))


def _fact(line: ScreenLine) -> Fact:
    target = line.target if line.better == TARGET else None
    return fact_of(line.row, line.base, line.better, target, place_of(line.segment))


def _table(result: ScreenComparison, lines: Sequence[ScreenLine], width: int, by_metric: bool) -> list[str]:
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


def _columns(
    result: ScreenComparison, lines: Sequence[ScreenLine], by_metric: bool, drawn: int
) -> Iterator[ScreenColumn]:
    """Yield the columns; those that a narrow screen leaves out have ranks."""
    if by_metric:
        yield ScreenColumn("metric", [_named(line) for line in lines], is_number=False, is_key=True)
    else:
        for name in lines[0].segment:
            yield ScreenColumn(name, [line.segment[name] for line in lines], is_number=False, is_key=True)
    if len({line.row["system"] for line in lines}) > 1:
        systems = [visible(str(line.row["system"])) for line in lines]
        yield ScreenColumn("system", systems, is_number=False, is_key=True)
    if not by_metric:
        yield _sizes(lines)
    yield ScreenColumn("from", [_value(line.base) for line in lines], rank=2)
    yield ScreenColumn("to", [_value(line.row["value"]) for line in lines], rank=5)
    yield ScreenColumn("change", [_change(line) for line in lines])
    yield ScreenColumn(level_of(result.level), _intervals(lines), is_number=False, rank=6)
    heading = p_heading((line.row for line in lines), ADJUSTED_P_SHORT)
    yield ScreenColumn(heading, [short_p(line.row["p_adjusted"]) for line in lines], rank=OF_P)
    yield _drawing(lines, drawn)
    yield ScreenColumn("", [with_sign(line.row["verdict"]) for line in lines], is_number=False)


def _sizes(lines: Sequence[ScreenLine]) -> ScreenColumn:
    """Return the number of queries or rows of each line; with clusters, that of the clusters."""
    cluster = cluster_of(line.row for line in lines)
    if cluster is None:
        return ScreenColumn("n", [f"{line.row['n']:,}" for line in lines], rank=4)
    sizes = [line.row["n_units"] for line in lines]
    cells = ["" if size is None else f"{size:,}" for size in sizes]
    return ScreenColumn(visible(cluster_units(cluster)), cells, rank=4)


def _named(line: ScreenLine) -> str:
    return visible(line.row["metric"]) + (LOWER_MARK if line.better == LOWER else "")


def _value(value: float | None) -> str:
    return "NULL" if value is None else number(value, DECIMALS)


def _change(line: ScreenLine) -> str:
    if not line.is_relative:
        return number(line.row["delta"], min(_decimals(line) + 1, DECIMALS), "+")
    low, high = line.row["relative_lower"], line.row["relative_upper"]
    return percent(line.row["relative_change"], percent_decimals(low, high) + 1)


def _decimals(line: ScreenLine) -> int:
    """Return the decimals of the interval of a difference: those of half of it, or more near 0."""
    low, high = line.row["delta_lower"], line.row["delta_upper"]
    if low is None or high is None:
        return DECIMALS
    decimals = min(decimals_for((high - low) / 2), DECIMALS)
    vanishes = any(0 < abs(end) < 0.5 * 10**-decimals for end in (low, high))
    return DECIMALS if vanishes else decimals


def _intervals(lines: Sequence[ScreenLine]) -> list[str]:
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


def _drawing(lines: Sequence[ScreenLine], width: int) -> ScreenColumn:
    """Return the column of drawings; metrics without a direction have words."""
    is_relative = any(line.is_relative for line in lines)
    rows = [_drawn(line, is_relative) for line in lines]
    wide = max([width, *(len(row) for row in rows if isinstance(row, str))])
    header, cells = drawings(rows, wide)
    return ScreenColumn(header, cells, is_number=False, rank=DRAWN)


def _drawn(line: ScreenLine, is_relative: bool) -> Interval | str | None:
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


def _aimed(line: ScreenLine) -> str:
    """Write which value a metric aims at, and whether it is nearer now."""
    if line.better != TARGET:
        return "no direction"
    return toward(line.target, line.base, line.row["value"], line.row["verdict"])


def _sliced(result: ScreenComparison, lines: Sequence[ScreenLine], slicing: str, width: int) -> list[str]:
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


def _heterogeneity(result: ScreenComparison, metric: str, slicing: str) -> Iterator[str]:
    """Yield for every system whether its differences are the same in all slices."""
    several = len({row["system"] for row in result.sliced.heterogeneity}) > 1
    for row in result.sliced.heterogeneity:
        if (row["metric"], row["slice"]) == (metric, slicing) and row["p"] is not None:
            of = str(row["system"]) if several else ""
            yield heterogeneity_sentence(row, result.alpha, short_p(row["p"]), of)


def _also_worse(lines: Sequence[ScreenLine], first: str) -> Iterator[str]:
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


def footer(result: ScreenComparison, lines: Sequence[ScreenLine]) -> list[str]:
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
