"""Charts with axes: one alone, and several small ones of many systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from duckmetrics.charts.documents import LINE, MARGIN, Block, key_block, shortened, text_at, wrapped
from duckmetrics.charts.figures import HEIGHT, Axis, Ids, figure, frame, key
from duckmetrics.charts.marks import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# The space for the labels at the left, and for those below.
LEFT, BELOW = 50, 44
# The size of small charts, and their number in a line.
SMALL_HEIGHT, ACROSS = 150, 3


@dataclass(frozen=True)
class Plot:
    """A chart with axes.

    Attributes:
        body: its shapes, as `shapes.stretched` returns them.
        x: the axis below.
        y: the axis at the left.
        key: name of each line, and class of its swatch.
        height: of the plot in pixels.
        width: of a standalone picture in pixels.
    """

    body: str
    x: Axis
    y: Axis
    key: tuple[tuple[str, str], ...] = ()
    height: int = HEIGHT
    width: int = 640

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        names = key(self.key) if self.key else ""
        return figure(ids, title, said, self.body, self.x, self.y, names, self.height)

    def standalone(self, top: float) -> Block:
        """Return the shapes of a picture of a fixed width, from a line of text at `top` on."""
        unit = wrapped(self.y.name, top, self.width)
        names = key_block(self.key, top + unit.height + 2, self.width)
        start = unit.height + names.height + 14
        width = self.width - 2 * MARGIN - LEFT
        plot = self.inner(MARGIN + LEFT - 8, top + start, width)
        return Block(unit.shapes + names.shapes + plot, start + self.height + BELOW)

    def inner(self, left: float, top: float, width: float) -> str:
        """Return the plot alone, at a place of a standalone picture."""
        size = f'width="{width:g}" height="{self.height}"'
        return f'<svg x="{left:g}" y="{top:g}" {size}>{frame(self.x, self.y)}{self.body}</svg>'


@dataclass(frozen=True)
class Panel:
    """A small chart: the name above it, its numbers in words, and its plot."""

    name: str
    said: str
    plot: Plot


@dataclass(frozen=True)
class Panels:
    """Small charts next to each other, one for each system; all have the same axes.

    Attributes:
        key: the names of lines that all of them share.
    """

    panels: Sequence[Panel]
    key: tuple[tuple[str, str], ...] = ()
    width: int = 720

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        unit = self.panels[0].plot.y.name
        small = ""
        for panel in self.panels:
            bare = replace(panel.plot, height=SMALL_HEIGHT, key=(), y=replace(panel.plot.y, name=""))
            small += bare.html(ids, panel.name, panel.said)
        names = key(self.key) if self.key else ""
        return (
            f'<figure><figcaption><b>{text_of(title)}</b><span class="soft">{text_of(unit)}</span>{names}'
            f'</figcaption><div class="panels">{small}</div></figure>'
        )

    def standalone(self, top: float) -> Block:
        """Return the shapes of a picture of a fixed width."""
        unit = wrapped(self.panels[0].plot.y.name, top, self.width)
        names = key_block(self.key, top + unit.height + 2, self.width)
        across = min(ACROSS, len(self.panels))
        cell = (self.width - 2 * MARGIN) / across
        parts = [unit.shapes]
        start, step = unit.height + names.height + 8, SMALL_HEIGHT + BELOW + LINE + 12
        for i, panel in enumerate(self.panels):
            x, y = MARGIN + (i % across) * cell, top + start + (i // across) * step
            parts.append(text_at(x, y + 14, shortened(panel.name, int(cell / 8)), "l name"))
            plot = replace(panel.plot, height=SMALL_HEIGHT, x=replace(panel.plot.x, about=4))
            parts.append(plot.inner(x + LEFT - 8, y + LINE + 8, cell - LEFT - 8))
        lines = -(-len(self.panels) // across)
        return Block("".join(parts) + names.shapes, start + lines * step)
