"""Rows with an interval in each, of metrics, slices or systems, drawn as a forest plot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.pages.chart import LINE, MARGIN, ShapeBlock, key, key_block, shortened, text_at
from duckmetrics.pages.marks import (
    KINDS,
    MARKS,
    Domain,
    breakable,
    clipped,
    known,
    mark,
    place,
    short,
    text_of,
    ticks,
)
from duckmetrics.words.verdicts import SIGNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duckmetrics.pages.chart import Ids

    Value = tuple[float | None, float | None, float | None, str]

ROW_HEIGHT, AXIS_HEIGHT = 26, 16
# Where the mark of a value outside of the axis lies, next to the arrow at the edge.
OUTSIDE = {False: "4%", True: "96%"}
# The distance between the values of two systems in one row.
STEP = 9
# The marks of values, by the class of their color; others are dots.
SHAPES = {"s0": "ring", "none": "dash"}


def interval(
    x: float | None,
    lower: float | None,
    upper: float | None,
    verdict: str,
    domain: Domain,
    guide: float | None = None,
) -> str:
    """Draw a row of a forest plot: the zero line, the interval, and the mark of the verdict.

    An interval that leaves the axis is cut at the edge, with an arrow.

    Args:
        x: the change, right is better; None draws neither interval nor mark.
        lower: the lower end of the interval; None if there is none.
        upper: the upper end.
        verdict: a key of MARKS.
        domain: the axis, which all rows share.
        guide: the overall change, drawn as a dotted line.
    """
    return row(interval_parts(x, lower, upper, verdict, domain, guide))


def interval_parts(
    x: float | None,
    lower: float | None,
    upper: float | None,
    verdict: str,
    domain: Domain,
    guide: float | None = None,
) -> str:
    """Draw what is within a row of a forest plot; the arguments are those of `interval`."""
    parts = _vertical("zero", 0.0, domain)
    if guide is not None and known([guide]):
        parts += _vertical("guide", guide, domain)
    if not known([x]) or x is None:
        return parts
    middle = f"{ROW_HEIGHT // 2}"
    whiskers = _whiskers(lower, upper, middle, domain)
    return parts + whiskers + _centered(x, MARKS[verdict], middle, domain, bool(whiskers))


def values(rows: Sequence[Value], domain: Domain, target: float | None = None) -> str:
    """Draw the values of several systems with their intervals, one below the other.

    Args:
        rows: value, lower and upper end of its interval, and class of the system.
        domain: the axis, which all rows share.
        target: the best value, drawn as a line; None if there is none.
    """
    return row(values_parts(rows, domain, target))


def values_parts(
    rows: Sequence[Value], domain: Domain, target: float | None = None, guide: float | None = None
) -> str:
    """Draw what is within a row of values; `guide` is a dotted line, the other arguments as of `values`."""
    parts = _vertical("zero", target, domain) if target is not None else ""
    if guide is not None and known([guide]):
        parts += _vertical("guide", guide, domain)
    for i, (x, lower, upper, kind) in enumerate(rows):
        if x is None or not known([x]):
            continue
        y = f"{ROW_HEIGHT / 2 + (i - (len(rows) - 1) / 2) * STEP:g}"
        shape = SHAPES.get(kind, "dot")
        whiskers = _whiskers(lower, upper, y, domain)
        drawn = whiskers + _centered(x, shape, y, domain, bool(whiskers))
        parts += f'<g class="{kind}">{drawn}</g>'
    return parts


def axis(domain: Domain, text: Callable[[float], str] = short, about: int = 4) -> str:
    """Draw the labels of an axis below rows of plots.

    Args:
        domain: the axis of the rows.
        text: writes a label.
        about: about how many labels there are.
    """
    labels = axis_parts(domain, text, about)
    return f'<svg class="row axis" height="{AXIS_HEIGHT}" aria-hidden="true">{labels}</svg>'


def axis_parts(domain: Domain, text: Callable[[float], str] = short, about: int = 4) -> str:
    """Draw the labels of an axis; the arguments are those of `axis`."""
    labels: Iterable[float] = ticks(*domain, about)
    return "".join(f'<text x="{place(t, domain)}" y="12">{text_of(text(t))}</text>' for t in labels)


def row(parts: str) -> str:
    """Put shapes into the SVG of a row; a screen reader reads the cells of the table instead."""
    return f'<svg class="row" height="{ROW_HEIGHT}" aria-hidden="true">{parts}</svg>'


def _vertical(kind: str, x: float, domain: Domain) -> str:
    if clipped(x, domain) != x:
        return ""
    at = place(x, domain)
    return f'<line class="{kind}" x1="{at}" x2="{at}" y1="0" y2="100%"/>'


def _whiskers(lower: float | None, upper: float | None, y: str, domain: Domain) -> str:
    """Draw an interval; an infinite end, or one outside of the axis, becomes an arrow."""
    if lower is None or upper is None or lower != lower or upper != upper:
        return ""
    x1, x2 = (place(clipped(end, domain), domain) for end in (lower, upper))
    line = f'<line class="ci" x1="{x1}" x2="{x2}" y1="{y}" y2="{y}"/>'
    left = mark("left", "0%", y) if lower < domain[0] else ""
    right = mark("right", "100%", y) if upper > domain[1] else ""
    return line + left + right


def _centered(x: float, shape: str, y: str, domain: Domain, has_arrow: bool) -> str:
    """Draw the mark of a value; one outside of the axis lies next to the arrow at the edge."""
    if clipped(x, domain) == x:
        return mark(shape, place(x, domain), y)
    right = x > domain[1]
    arrow = "" if has_arrow else mark("right", "100%", y) if right else mark("left", "0%", y)
    return arrow + mark(shape, OUTSIDE[right], y)


# The widths of the columns of a standalone picture.
LABEL, CELL, VERDICT = 196, 92, 148


@dataclass(frozen=True)
class ForestLine:
    """A row: its name, a note below it, the texts of its cells, its plot, and its verdict.

    Attributes:
        plot: shapes, as `rows.interval_parts` returns them; or None for `words` in their place.
        verdict: a key of SIGNS, or empty.
        words: the text that stands in place of a plot.
    """

    label: str
    note: str
    cells: Sequence[str]
    plot: str | None
    verdict: str = ""
    words: str = ""

    @property
    def kind(self) -> str:
        """The class of the color."""
        return KINDS.get(self.verdict, "diff")

    @property
    def said(self) -> str:
        """The verdict as a sign and a word."""
        return f"{SIGNS[self.verdict]} {self.verdict}" if self.verdict else ""


@dataclass(frozen=True)
class Group:
    """Rows below a heading, with one axis.

    Attributes:
        heading: may be empty.
        domain: the axis that is drawn below the rows; None to draw none.
        text: writes a label of the axis.
    """

    heading: str
    lines: Sequence[ForestLine]
    domain: Domain | None = None
    text: Callable[[float], str] = short


# The class of the cells of a column of short texts.
SHORT = "n t"


class ForestColumn(NamedTuple):
    """A column of texts between the names and the plots.

    Attributes:
        head: its heading.
        kind: the class of its cells: n (numbers), n b (bold ones), n c (bold ones in the color of the
            verdict), n s0 and n s1 (numbers of a system), ci (an interval), or `SHORT`.
        in_pictures: whether a picture of a fixed width has room for it.
    """

    head: str
    kind: str = "n"
    in_pictures: bool = True


@dataclass(frozen=True)
class Forest:
    """Groups of rows; the columns are name, texts, plot and verdict.

    Attributes:
        first: the heading of the names.
        columns: the columns of texts; one without a text is left out.
        plot: the heading of the plots.
        last: the heading of the verdicts; empty if there are none.
        key: names of marks, and classes of their swatches.
    """

    groups: Sequence[Group]
    first: str
    columns: tuple[ForestColumn, ...]
    plot: str
    last: str = ""
    key: tuple[tuple[str, str], ...] = ()
    width: int = 800

    def __post_init__(self) -> None:
        """Leave out columns without a text, and axes and headings of plots that no row has."""
        lines = [one for group in self.groups for one in group.lines]
        kept = [i for i in range(len(self.columns)) if any(one.cells[i] for one in lines)]
        groups = [
            replace(group, lines=[replace(one, cells=[one.cells[i] for i in kept]) for one in group.lines])
            for group in self.groups
        ]
        if not any(one.plot is not None for one in lines):
            groups = [replace(group, domain=None) for group in groups]
            object.__setattr__(self, "plot", "")
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "columns", tuple(self.columns[i] for i in kept))

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a table in HTML with its title; on a narrow screen each row is a card."""
        name = ids.new()
        names = key(self.key) if self.key else ""
        caption = f'<figcaption><b id="{name}">{text_of(title)}</b>{names}</figcaption>'
        return f"<figure>{caption}{self.table(name)}</figure>"

    def table(self, name: str) -> str:
        """Return the table alone; `name` is the id of its heading."""
        last = ((self.last, "v"),) if self.last else ()
        shown = (
            (self.first, ""), *((one.head, one.kind) for one in self.columns), (self.plot, "p"), *last,
        )  # fmt: skip
        head = "".join(
            f'<th role="columnheader" scope="col"{_class(kind)}>{breakable(text)}</th>'
            for text, kind in shown
        )
        body = "".join(self._group(group) for group in self.groups)
        kind = "forest verdicts" if self.last else "forest"
        return (
            f'<table class="{kind}" role="table" aria-labelledby="{name}"><thead role="rowgroup">'
            f'<tr role="row">{head}</tr></thead><tbody role="rowgroup">{body}</tbody></table>'
        )

    def _group(self, group: Group) -> str:
        before, after = len(self.columns) + 1, bool(self.last)
        rows = [self._row(one) for one in group.lines]
        if group.heading:
            span = f'scope="rowgroup" colspan="{before + 1 + after}"'
            heading = f'<th role="rowheader" {span}>{breakable(group.heading)}</th>'
            rows.insert(0, f'<tr role="row" class="group">{heading}</tr>')
        if group.domain is not None:
            drawn = axis(group.domain, group.text)
            rows.append(
                f'<tr class="axis" aria-hidden="true"><td colspan="{before}"></td>'
                f'<td class="p">{drawn}</td>{"<td></td>" * after}</tr>'
            )
        return "".join(rows)

    def _row(self, one: ForestLine) -> str:
        note = f'<span class="soft">{text_of(one.note)}</span>' if one.note else ""
        kinds = (
            f"{column.kind} {one.kind}" if column.kind == "n c" else column.kind for column in self.columns
        )
        # On a narrow screen, which has no heads, a short text stands after that of its column.
        heads = (
            f' data-of="{text_of(column.head)}"' if column.kind == SHORT else "" for column in self.columns
        )
        cells = "".join(
            f'<td role="cell" class="{kind}"{head}>{text_of(text)}</td>'
            for kind, head, text in zip(kinds, heads, one.cells, strict=True)
        )
        plot = f'<span class="soft">{text_of(one.words)}</span>' if one.plot is None else row(one.plot)
        said = f'<td role="cell" class="v {one.kind}">{text_of(one.said)}</td>' if self.last else ""
        return (
            f'<tr role="row"><th role="rowheader" scope="row">{breakable(one.label)}{note}</th>{cells}'
            f'<td role="cell" class="p {one.kind}">{plot}</td>{said}</tr>'
        )

    def standalone(self, top: float) -> ShapeBlock:
        """Return the shapes of a picture of a fixed width."""
        names = key_block(self.key, top + 2, self.width)
        y = top + names.height + 6
        shapes = [names.shapes, self._heads(y)]
        y += LINE + 4
        for group in self.groups:
            if group.heading:
                shapes.append(text_at(MARGIN, y + 17, shortened(group.heading, 80), "l name"))
                y += LINE + 4
            for one in group.lines:
                shapes.append(self._line(one, y))
                y += ROW_HEIGHT + (8 if one.note else 0)
            if group.domain is not None:
                left, width = self._plot
                labels = axis_parts(group.domain, group.text)
                shapes.append(
                    f'<svg x="{left}" y="{y:g}" width="{width}" height="{AXIS_HEIGHT}">{labels}</svg>'
                )
                y += AXIS_HEIGHT + 6
        return ShapeBlock("".join(shapes), y - top)

    @property
    def _pictured(self) -> list[int]:
        """The places of the columns that a picture has room for."""
        return [i for i, column in enumerate(self.columns) if column.in_pictures]

    @property
    def _plot(self) -> tuple[int, int]:
        """The left end of the plots, and their width."""
        left = MARGIN + LABEL + CELL * len(self._pictured) + 20
        right = VERDICT if self.last else 10
        return left, self.width - MARGIN - right - left

    def _heads(self, y: float) -> str:
        left, width = self._plot
        parts = [text_at(MARGIN, y + 13, self.first, "l")]
        for column, i in enumerate(self._pictured, start=1):
            head = shortened(self.columns[i].head, 11)
            parts.append(text_at(MARGIN + LABEL + CELL * column, y + 13, head, "r"))
        parts += [
            text_at(left + width / 2, y + 13, self.plot, ""),
            text_at(left + width + 16, y + 13, self.last, "l"),
        ]
        return "".join(parts)

    def _line(self, one: ForestLine, y: float) -> str:
        left, width = self._plot
        middle = y + ROW_HEIGHT / 2 + 4
        parts = [text_at(MARGIN, middle, shortened(one.label), "l ink")]
        if one.note:
            parts.append(text_at(MARGIN, middle + 14, shortened(one.note, 34), "l note"))
        for column, i in enumerate(self._pictured, start=1):
            parts.append(text_at(MARGIN + LABEL + CELL * column, middle, one.cells[i], "r ink"))
        if one.plot is None:
            parts.append(text_at(left, middle, shortened(one.words, width // 6), "l"))
        else:
            size = f'width="{width}" height="{ROW_HEIGHT}"'
            parts.append(f'<svg class="{one.kind}" x="{left}" y="{y:g}" {size}>{one.plot}</svg>')
        if one.said:
            parts.append(text_at(left + width + 16, middle, one.said, f"l fill {one.kind}"))
        return "".join(parts)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
