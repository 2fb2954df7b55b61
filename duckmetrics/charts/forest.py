"""Rows of a table with an interval in each: of metrics, slices or systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from duckmetrics.charts.documents import LINE, MARGIN, Block, key_block, shortened, text_at
from duckmetrics.charts.figures import key
from duckmetrics.charts.marks import KINDS, SIGNS, text_of
from duckmetrics.charts.numbers import short
from duckmetrics.charts.rows import AXIS_HEIGHT, ROW_HEIGHT, axis, axis_parts, row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.charts.figures import Ids
    from duckmetrics.charts.scales import Domain

# The widths of the columns of a standalone picture.
LABEL, CELL, VERDICT = 196, 92, 148
WORDS = {"not distinguishable": "no clear difference"}


@dataclass(frozen=True)
class Line:
    """A row: its name, a note below it, the texts of its cells, its plot, and its verdict.

    Attributes:
        plot: shapes, as `rows.interval_parts` returns them; or None for `words` in their place.
        verdict: a key of SIGNS, or empty.
        words: the text that stands in place of a plot.
    """

    label: str
    note: str
    cells: tuple[str, ...]
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
        return f"{SIGNS[self.verdict]} {WORDS.get(self.verdict, self.verdict)}" if self.verdict else ""


@dataclass(frozen=True)
class Group:
    """Rows below a heading, with one axis.

    Attributes:
        heading: may be empty.
        domain: the axis that is drawn below the rows; None to draw none.
        text: writes a label of the axis.
    """

    heading: str
    lines: Sequence[Line]
    domain: Domain | None = None
    text: Callable[[float], str] = short


@dataclass(frozen=True)
class Forest:
    """Groups of rows; the columns are name, cells, plot and verdict.

    Attributes:
        heads: the headings of these columns; the last one is empty if there is no verdict.
        key: names of marks, and classes of their swatches.
    """

    groups: Sequence[Group]
    heads: tuple[str, ...]
    key: tuple[tuple[str, str], ...] = ()
    width: int = 800

    def __post_init__(self) -> None:
        """Leave out axes of plots that no row has."""
        if not any(one.plot is not None for group in self.groups for one in group.lines):
            bare = [replace(group, domain=None) for group in self.groups]
            object.__setattr__(self, "groups", bare)

    @property
    def _cells(self) -> int:
        return len(self.heads) - 3

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a table in HTML; on a narrow screen each row is a card."""
        name = ids.new()
        first, *cells, plot, verdict = self.heads
        head = "".join(
            f'<th role="columnheader" scope="col" class="{kind}">{text_of(text)}</th>'
            for text, kind in ((first, ""), *((text, "n") for text in cells), (plot, "p"), (verdict, "v"))
        )
        body = "".join(self._group(group) for group in self.groups)
        names = key(self.key) if self.key else ""
        return (
            f'<figure><figcaption><b id="{name}">{text_of(title)}</b>{names}</figcaption>'
            f'<table class="forest" role="table" aria-labelledby="{name}"><thead role="rowgroup">'
            f'<tr role="row">{head}</tr></thead><tbody role="rowgroup">{body}</tbody></table></figure>'
        )

    def _group(self, group: Group) -> str:
        columns = len(self.heads)
        rows = [_html_line(one) for one in group.lines]
        if group.heading:
            heading = f'<th role="rowheader" colspan="{columns}">{text_of(group.heading)}</th>'
            rows.insert(0, f'<tr role="row" class="group">{heading}</tr>')
        if group.domain is not None:
            drawn = axis(group.domain, group.text)
            rows.append(
                f'<tr class="axis" aria-hidden="true"><td colspan="{columns - 2}"></td>'
                f'<td class="p">{drawn}</td><td></td></tr>'
            )
        return "".join(rows)

    def standalone(self, top: float) -> Block:
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
        return Block("".join(shapes), y - top)

    @property
    def _plot(self) -> tuple[int, int]:
        """The left end of the plots, and their width."""
        left = MARGIN + LABEL + CELL * self._cells + 20
        right = VERDICT if self.heads[-1] else 10
        return left, self.width - MARGIN - right - left

    def _heads(self, y: float) -> str:
        left, width = self._plot
        first, *cells, plot, verdict = self.heads
        parts = [text_at(MARGIN, y + 13, first, "l")]
        for i, text in enumerate(cells):
            parts.append(text_at(MARGIN + LABEL + CELL * (i + 1), y + 13, shortened(text, 11), "r"))
        parts += [
            text_at(left + width / 2, y + 13, plot, ""),
            text_at(left + width + 16, y + 13, verdict, "l"),
        ]
        return "".join(parts)

    def _line(self, one: Line, y: float) -> str:
        left, width = self._plot
        middle = y + ROW_HEIGHT / 2 + 4
        parts = [text_at(MARGIN, middle, shortened(one.label), "l ink")]
        if one.note:
            parts.append(text_at(MARGIN, middle + 14, shortened(one.note, 34), "l note"))
        for i, text in enumerate(one.cells):
            parts.append(text_at(MARGIN + LABEL + CELL * (i + 1), middle, text, "r ink"))
        if one.plot is None:
            parts.append(text_at(left, middle, shortened(one.words, width // 6), "l"))
        else:
            size = f'width="{width}" height="{ROW_HEIGHT}"'
            parts.append(f'<svg class="{one.kind}" x="{left}" y="{y:g}" {size}>{one.plot}</svg>')
        if one.said:
            parts.append(text_at(left + width + 16, middle, one.said, f"l fill {one.kind}"))
        return "".join(parts)


def _html_line(one: Line) -> str:
    note = f'<span class="soft">{text_of(one.note)}</span>' if one.note else ""
    cells = "".join(f'<td role="cell" class="n">{text_of(text)}</td>' for text in one.cells)
    plot = f'<span class="soft">{text_of(one.words)}</span>' if one.plot is None else row(one.plot)
    return (
        f'<tr role="row"><th role="rowheader" scope="row">{text_of(one.label)}{note}</th>{cells}'
        f'<td role="cell" class="p {one.kind}">{plot}</td>'
        f'<td role="cell" class="v {one.kind}">{text_of(one.said)}</td></tr>'
    )
