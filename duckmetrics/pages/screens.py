"""Text for a terminal: tables that fit, signs, numbers, axes; no cell is ever cut."""

from __future__ import annotations

import math
import sys
import unicodedata
from statistics import median_low
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from duckmetrics.pages.marks import digits_of
from duckmetrics.words.lists import with_minus
from duckmetrics.words.verdict import HIGHER, LOWER, TARGET, gain_of
from duckmetrics.words.visible import hashable, visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

_WIDE, _NO_WIDTH = ("W", "F"), ("Mn", "Me", "Cf")


def width_of(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def padded(text: str, width: int, is_number: bool = False) -> str:
    """Fill a text with blanks up to a width; a number is aligned to the right."""
    blanks = " " * (width - width_of(text))
    return blanks + text if is_number else text + blanks


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text between words; a word that is wider than the screen is broken, and nothing is left out.

    Args:
        width: the columns of the screen.
        indent: stands before every line but the first.
    """
    bare = text.lstrip(" ")
    lines, line = [], " " * (len(text) - len(bare))
    for word in bare.split(" "):
        for part in _parts(word, max(width - len(indent), 2)):
            longer = f"{line} {part}" if line.strip() else line + part
            if line.strip() and width_of(longer) > width:
                lines.append(line)
                longer = indent + part
            line = longer
    return [*lines, line]


def _parts(word: str, width: int) -> Iterator[str]:
    """Yield a word in parts that fit a width."""
    part = ""
    for character in word:
        if part and width_of(part + character) > width:
            yield part
            part = ""
        part += character
    yield part


_ASCII: dict[str, str] = {
    "▲": "^", "▼": "v", "○": "o", "●": "o", "◆": "*", "≈": "=", "△": "A", "◇": "?",
    "–": "-", "−": "-", "─": "-", "│": "|", "├": "[",
    "┤": "]", "┼": "+", "←": "<", "→": ">", "↓": "v", "±": "~",
    **dict(zip("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹", "abcdefghijklmnoprstuvwxyz0123456789", strict=True)),
}  # fmt: skip


def plain(text: str) -> str:
    """Write the signs of a screen in ASCII."""
    return text.translate({ord(sign): other for sign, other in _ASCII.items()})


def writable(lines: Iterable[str], encoding: str | None = None) -> list[str]:
    """Return lines with the signs in ASCII that an encoding does not have.

    Args:
        encoding: by default that of standard output.
    """
    name = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    table = {ord(sign): other for sign, other in _ASCII.items() if not _has(name, sign)}
    return [line.translate(table) for line in lines]


def _has(encoding: str, sign: str) -> bool:
    try:
        sign.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# Without an interval, numbers have this number of decimals.
USUAL = 4
MOST_DECIMALS, MOST_OF_PERCENT = 6, 4
LEAST_P = 1e-4
# An end of an interval below 1 % is written with a decimal.
NEAR_ZERO = 0.01


def decimals_for(half: float | None) -> int:
    """Return the decimals that show two digits of half an interval."""
    if half is None or not 0 < half < math.inf:
        return USUAL
    return digits_of(half, 0, MOST_DECIMALS)


def number(value: float | None, decimals: int, sign: str = "") -> str:
    """Write a number, and nothing for None.

    One that would be written as 0 has more decimals, or an exponent where the usual ones are not enough.
    """
    if value is None:
        return ""
    while decimals < USUAL and 0 < abs(value) < 0.5 * 10**-decimals:
        decimals += 1
    if 0 < abs(value) < 0.5 * 10**-decimals:
        return with_minus(f"{value:{sign}.1e}")
    return with_minus(f"{value + 0.0:{sign},.{decimals}f}")


def percent(value: float | None, decimals: int) -> str:
    """Write a change in per cent with its sign."""
    if value is None:
        return ""
    if abs(value) >= 10:
        return with_minus(f"{100 * value:+,.0f}%")
    # Plus 0, because there is no -0 %.
    return with_minus(f"{round(value, decimals + 2) + 0.0:+.{decimals}%}")


def percent_decimals(low: float | None, high: float | None) -> int:
    """Return the decimals of the ends of an interval in per cent.

    An interval that is wider than 1 point has none, unless an end is so near to 0 that its side would not
    show.
    """
    if low is None or high is None:
        return 0
    half = 50 * (high - low)
    if not 0 < half < 1:
        return int(half > 0 and min(abs(low), abs(high)) < NEAR_ZERO)
    return min(math.ceil(-math.log10(half)) or 1, MOST_OF_PERCENT)


def ends(low: str, high: str) -> str:
    """Write an interval; none is empty."""
    return f"{low} to {high}" if low and high else ""


def short_p(p: float | None) -> str:
    """Write a p-value with four digits after the point."""
    if p is None:
        return ""
    return f"<{LEAST_P:.4f}" if p < LEAST_P else f"{p:.4f}"


def level_of(level: float) -> str:
    """Write the name of an interval of a level."""
    return f"{100 * level:g} % interval"


GAP = "  "
RULE = "─"
# A longer name stands above its line if the line would be too wide otherwise.
LONG_NAME = 24
# Names that share a line with numbers have at least this width.
SHORT_NAME = 8


class ScreenColumn(NamedTuple):
    """A column of a table.

    Attributes:
        rank: the columns of rank 1 are left out first where the screen is narrow; those of rank 0 never.
        is_key: whether it names the row. Names come first, and a long one stands above its line.
    """

    name: str
    cells: list[str]
    is_number: bool = True
    rank: int = 0
    is_key: bool = False

    @property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(map(width_of, (self.name, *self.cells)))


def cells_of(columns: Sequence[ScreenColumn]) -> tuple[list[str], list[list[str]]]:
    """Return the header, and the cells by row."""
    return [column.name for column in columns], list(map(list, zip(*(c.cells for c in columns), strict=True)))


def width_together(columns: Sequence[ScreenColumn]) -> int:
    """Return the width of columns side by side."""
    return sum(column.width for column in columns) + len(GAP) * max(len(columns) - 1, 0)


def fitted(columns: Sequence[ScreenColumn], width: int) -> list[ScreenColumn]:
    """Return the columns that fit a width; those of the lowest ranks are left out first."""
    kept = list(columns)
    for rank in sorted({column.rank for column in columns} - {0}):
        if least_width(kept, width) <= width:
            break
        kept = [column for column in kept if column.rank != rank]
    return kept


def least_width(columns: Sequence[ScreenColumn], width: int) -> int:
    """Return the width of columns on a screen where long names stand above their lines."""
    keys, others = _split(columns)
    own = min(width_together(keys), max(LONG_NAME, width // 3))
    return own + (len(GAP) if keys and others else 0) + width_together(others)


def table_lines(columns: Sequence[ScreenColumn], width: int) -> list[str]:
    """Return the lines of a table, with a rule below the header.

    Args:
        width: the columns of the screen; wider tables have several lines for a row.
    """
    keys, others = _split(columns)
    left = width - width_together(others) - (len(GAP) if keys else 0)
    if width_together(keys) <= left:
        lines = _plain_lines([*keys, *others])
    elif left >= SHORT_NAME:
        lines = _hanging_lines(keys, others, width, left)
    elif width_together(others) + len(GAP) <= width:
        lines = _hanging_lines(keys, others, width, 0)
    else:
        return list(_stacked_lines(keys, others, width))
    head = next(i for i, line in enumerate(lines) if line == RULE)
    lines[head] = RULE * max(map(width_of, lines))
    return lines


def _split(columns: Sequence[ScreenColumn]) -> tuple[list[ScreenColumn], list[ScreenColumn]]:
    return [c for c in columns if c.is_key], [c for c in columns if not c.is_key]


def _plain_lines(columns: Sequence[ScreenColumn]) -> list[str]:
    """Return a line for every row, with a mark in place of the rule."""
    header, rows = cells_of(columns)
    places = [(column.width, column.is_number) for column in columns]

    def line(cells: Sequence[str]) -> str:
        return GAP.join(padded(cell, *place) for cell, place in zip(cells, places, strict=True)).rstrip()

    return [line(header), RULE, *map(line, rows)]


def _hanging_lines(
    keys: Sequence[ScreenColumn], others: Sequence[ScreenColumn], width: int, left: int
) -> list[str]:
    """Return a line for every row, and above it a name that is too long for it.

    Args:
        left: the width of the names that share a line with numbers.
    """
    names, numbers = _names(keys), _plain_lines(others)
    own = min(left, max((width_of(name) for name in names if width_of(name) <= left), default=0))
    lines: list[str] = []
    for name, line in zip([names[0], "", *names[1:]], numbers, strict=True):
        if line == RULE:
            lines.append(line)
        elif width_of(name) <= own:
            lines.append(f"{padded(name, own)}{GAP}{line}".rstrip())
        else:
            above = [part.rstrip() for part in wrapped(name, width)]
            lines += [*above, f"{' ' * own}{GAP}{line}"]
    return lines


def _stacked_lines(keys: Sequence[ScreenColumn], others: Sequence[ScreenColumn], width: int) -> Iterator[str]:
    """Yield a line for every number, below the name of its row."""
    _, rows = cells_of(others)
    names = _names(keys)[1:] if keys else [""] * len(rows)
    for name, cells in zip(names, rows, strict=True):
        yield from wrapped(name, width) if name else ()
        for column, cell in zip(others, cells, strict=True):
            if cell.strip():
                yield from wrapped(f"{GAP}{column.name} {cell.strip()}".rstrip(), width, GAP * 2)


def _names(keys: Sequence[ScreenColumn]) -> list[str]:
    """Return the names of the rows in one text each, that of the header first."""
    header, rows = cells_of(keys)
    return [", ".join(filter(None, map(str.strip, row))) for row in (header, *rows)]


class ScreenEvaluation(Protocol):
    """The parts of an evaluation that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def metrics(self) -> Sequence[str]: ...
    @property
    def higher_is_better(self) -> frozenset[str]: ...
    @property
    def lower_is_better(self) -> frozenset[str]: ...
    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


class ScreenSlices(Protocol):
    """The results of all slices together."""

    @property
    def heterogeneity(self) -> Sequence[dict[str, Any]]: ...


class ScreenComparison(Protocol):
    """The parts of a comparison that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def adjust(self) -> str: ...
    @property
    def alpha(self) -> float: ...
    @property
    def level(self) -> float: ...
    @property
    def test(self) -> str: ...
    @property
    def evaluation(self) -> ScreenEvaluation: ...
    @property
    def sliced(self) -> ScreenSlices: ...


class ScreenLine(NamedTuple):
    """A row of the table: the value of a system, with that of the baseline.

    Attributes:
        row: the row of the comparison.
        base: the value of the baseline in the same slice.
        better: the direction of the metric: "higher", "lower", "target", or None.
        segment: the slice, as text by column.
    """

    row: Row
    base: float | None
    better: str | None
    segment: dict[str, str]

    @property
    def is_relative(self) -> bool:
        """Whether the change is shown as a share of the value of the baseline.

        A change without a better direction is the difference of the values, as one without such an interval.
        """
        if self.better not in (HIGHER, LOWER):
            return False
        return self.row.get("relative_lower") is not None and self.row.get("relative_upper") is not None

    @property
    def gain(self) -> float:
        """The change, higher for better; the place of the line where the worst comes first."""
        target = self.target if self.better == TARGET else None
        found = gain_of(self.row, self.base, self.better, target)
        return float("inf") if found is None else found

    @property
    def target(self) -> float:
        """The value that the metric aims at."""
        found = self.row.get("target")
        return 1.0 if found is None else float(found)


def lines_of(result: ScreenComparison) -> list[ScreenLine]:
    """Return the lines of all systems but the baseline."""
    values = result.evaluation
    key = _key_in(values)
    bases = {key(row): row["value"] for row in result.rows if row["system"] == result.baseline}
    return [
        ScreenLine(row, bases.get(key(row)), direction_of(values, row), _segment(values, row))
        for row in result.rows if row["system"] != result.baseline
    ]  # fmt: skip


def _key_in(values: ScreenEvaluation) -> Callable[[Row], tuple[Any, ...]]:
    return lambda row: (row["metric"], row["slice"], *(hashable(row.get(column)) for column in values.by))


def _segment(values: ScreenEvaluation, row: dict[str, Any]) -> dict[str, str]:
    return {visible(name): visible_key(value) for name, value in values.segment(row).items()}


def direction_of(values: ScreenEvaluation, row: Row) -> str | None:
    """Return the direction of a metric."""
    if row.get("better") is not None:
        return str(row["better"])
    if row["metric"] in values.lower_is_better:
        return LOWER
    return HIGHER if row["metric"] in values.higher_is_better else None


LEAST_WIDTH, MOST_WIDTH = 14, 40
WORSE_SIDE, BETTER_SIDE = "worse", "better"
# An interval that is longer than this number of usual ones is cut at the edge.
WILD = 6


class Interval(NamedTuple):
    """An interval to draw; right is better.

    Attributes:
        low, high: its ends.
        point: the place of the sign.
        sign: the sign of the verdict.
    """

    low: float
    point: float
    high: float
    sign: str

    @property
    def turned(self) -> Interval:
        """The interval where lower values are better, so that right is better."""
        return Interval(-self.high, -self.point, -self.low, self.sign)


class TextAxis(NamedTuple):
    """An axis from `low` to `high` on a number of columns."""

    low: float
    high: float
    width: int

    @classmethod
    def of(cls, intervals: Sequence[Interval], width: int) -> TextAxis:
        """Return an axis with zero, and all intervals that are not much longer than the others."""
        lengths = [one.high - one.low for one in intervals]
        usual = median_low(lengths) if lengths else 0.0
        tame = [one for one in intervals if one.high - one.low <= WILD * usual]
        low = min([0.0, *(one.low for one in tame)])
        high = max([0.0, *(one.high for one in tame)])
        margin = (high - low or 1.0) / 4
        left = margin if any(one.point < low for one in intervals) else 0.0
        right = margin if high == low or any(one.point > high for one in intervals) else 0.0
        return cls(low - left, high + right, width)

    def place(self, value: float) -> int:
        """Return the column of a value; one beyond an edge has the column of the edge."""
        share = (value - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * (self.width - 1))

    def header(self) -> str:
        """Write which side is better, and where zero is."""
        zero, ends = self.place(0.0), (len(WORSE_SIDE) + 1, self.width - len(BETTER_SIDE) - 1)
        marks = [*WORSE_SIDE.ljust(self.width - len(BETTER_SIDE)), *BETTER_SIDE]
        if zero < ends[0]:
            marks[: len(WORSE_SIDE)] = " " * len(WORSE_SIDE)
        elif zero >= ends[1]:
            marks[-len(BETTER_SIDE) :] = " " * len(BETTER_SIDE)
        marks[zero] = "0"
        return "".join(marks)

    def drawn(self, interval: Interval | None) -> str:
        """Draw an interval; none is a line that only shows zero."""
        marks = [" "] * self.width
        zero = self.place(0.0)
        marks[zero] = "│"
        if interval is None:
            return "".join(marks)
        start, end = self._ends(interval)
        for i in range(start, end + 1):
            marks[i] = "┼" if i == zero and start < i < end else "─"
        marks[start] = "←" if interval.low < self.low else "├"
        marks[end] = "→" if interval.high > self.high else "┤"
        marks[self._place_of_sign(interval, start, end)] = interval.sign
        return "".join(marks)

    def _ends(self, interval: Interval) -> tuple[int, int]:
        """Return the columns of the ends; one that is cut has room for an arrow next to the sign."""
        start, end = self.place(interval.low), self.place(interval.high)
        if interval.low < self.low:
            end = max(end, start + 1)
        if interval.high > self.high:
            start = min(start, end - 1)
        return start, end

    def _place_of_sign(self, interval: Interval, start: int, end: int) -> int:
        """Return the column of the sign, which hides no arrow."""
        place = self.place(interval.point)
        first, last = start + (interval.low < self.low), end - (interval.high > self.high)
        return min(max(place, first), last)


def drawings(rows: Sequence[Interval | str | None], width: int) -> tuple[str, list[str]]:
    """Draw intervals on one axis; return its header, and a drawing for each row.

    Args:
        rows: intervals, or words where there is no direction to draw.
        width: the columns of each drawing.
    """
    axis = TextAxis.of([row for row in rows if isinstance(row, Interval)], width)
    return axis.header(), [padded(row, width) if isinstance(row, str) else axis.drawn(row) for row in rows]
