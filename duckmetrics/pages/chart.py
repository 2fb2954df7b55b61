"""A chart and its parts: a title that says what is seen, figures with axes, and documents of its own."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple, Protocol
from unicodedata import combining, east_asian_width

from duckmetrics.errors import InputError
from duckmetrics.pages.marks import SYMBOLS, Domain, height, place, plain, style, style_of, text_of, ticks
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    Write = Callable[[Path, str, str], None]

# The formats of a picture, by the suffix of the file.
FORMATS = {".svg": "svg", ".html": "html"}
_PAGE = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
# The style of a page that holds one chart or one table.
_BODY = (
    "body.dm{margin:0 auto;max-width:1080px;padding:16px;background:var(--paper);color:var(--ink);"
    'font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}'
)
# The style of a table: it is as wide as its text, up to the width of a wide screen.
_TABLE = (
    ".scroll{overflow-x:auto}.scroll table{border-collapse:collapse;width:max-content;max-width:1048px;"
    "font-variant-numeric:tabular-nums}.scroll th,.scroll td{padding:5px 16px 5px 0;text-align:left;"
    "vertical-align:top;border-bottom:1px solid var(--rule)}.scroll th{font-size:13px;color:var(--soft)}"
    ".scroll p{position:sticky;left:0}.scroll table~p{margin:4px 0;color:var(--soft);font-size:13px}"
)


class Drawing(Protocol):
    """Draws the shapes of a chart, with a title and a description that it is given."""

    @property
    def width(self) -> int:
        """The width of a standalone picture."""
        ...

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        ...

    def standalone(self, top: float) -> ShapeBlock:
        """Return the shapes of a picture of a fixed width, which begin at `top`."""
        ...


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture of aggregated numbers, as SVG or HTML.

    Attributes:
        title: what is seen, with numbers.
        description: the numbers in words, for those who cannot see the picture.
        data: the numbers that are drawn, as an Arrow table; take them to draw the chart in another way.
    """

    title: str
    description: str
    data: pa.Table
    drawing: Drawing = field(repr=False)
    _write: Write | None = field(default=None, repr=False)

    def svg(self) -> str:
        """Return an SVG document of a fixed size, with its own style for light and dark screens.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.svg()[:4]  # '<svg'
        """
        width = self.drawing.width
        top = title_height(self.title, width)
        return document(self.title, self.description, width, self.drawing.standalone(top), top)

    def html(self, with_style: bool = True) -> str:
        """Return a fragment of HTML that fills any width and follows the colors of the screen.

        Several fragments can stand in one page.

        Args:
            with_style: whether the fragment brings its style along; a page needs it once.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.html()[:16]  # '<div class="dm">'
        """
        plain = self.drawing.html(Ids(), self.title, self.description)
        # Another chart on the page has other ids, and the same chart the same ids in every run.
        prefix = f"dm{sha256(plain.encode()).hexdigest()[:8]}-"
        own = self.drawing.html(Ids(prefix), self.title, self.description)
        css = f"<style>{style()}</style>" if with_style else ""
        return f'<div class="dm">{css}{own}</div>'

    def page(self) -> str:
        """Return a whole page of HTML that loads nothing."""
        return page_with(self.title, self.drawing.html(Ids(), self.title, self.description))

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: SVG or a page of HTML, as the suffix says.

        Raises:
            InputError: the suffix is another one, or the file exists and is not an output of duckmetrics.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            chart = duckmetrics.evaluate(clicks, metrics="auc").chart("roc_curve")
            chart.save(folder / "roc.svg")
        """
        file = Path(path)
        format_ = format_of_picture(file)
        text = self.page() if format_ == "html" else self.svg()
        if self._write is not None:
            self._write(file, format_, text)
            return
        try:
            with file.open("x", encoding="utf-8", newline="\n") as new:
                new.write(text)
        except FileExistsError:
            raise InputError(file, "exists already", "choose another name") from None

    def __repr__(self) -> str:
        return visible(self.title)

    def _repr_html_(self) -> str:
        return self.image()

    def image(self) -> str:
        """Return the picture as an image in HTML: an untrusted notebook removes inline SVG and styles."""
        encoded = b64encode(self.svg().encode()).decode()
        alt = text_of(f"{self.title}. {self.description}")
        return f'<img src="data:image/svg+xml;base64,{encoded}" alt="{alt}" style="max-width:100%">'


def page_with(title: str, fragment: str) -> str:
    """Return a whole page of HTML that loads nothing and follows the colors of the screen."""
    return (
        f'{WRITTEN_BY}<!doctype html><html lang="en"><head>{_PAGE}<title>{text_of(title)}</title>'
        f'<style>{style()}{_BODY}</style></head><body class="dm">{fragment}</body></html>\n'
    )


def table_page(title: str, table: str) -> str:
    """Return a whole page of HTML with a table, which scrolls where the screen is narrower.

    Args:
        table: the table in HTML, with its title and notes.
    """
    return page_with(title, f'<style>{_TABLE}</style><div class="scroll" tabindex="0">{table}</div>')


def format_of_picture(path: Path) -> str:
    """Return the format of a file that a picture goes to: ``svg`` or ``html``.

    Raises:
        InputError: the suffix is another one.
    """
    format_ = FORMATS.get(path.suffix.lower())
    if format_ is None:
        name = path.stem or "chart"
        raise InputError(
            path,
            "a chart is written as SVG or HTML",
            f"call it {name}.svg or {name}.html; a browser or Inkscape converts SVG to PNG",
        )
    return format_


# The comment in a file that shows later that it is an output of ours.
WRITTEN_BY = "<!-- written by duckmetrics -->"
# The space around a picture, and the height of a line of text.
MARGIN, LINE = 16, 19
# The mean width of a character in pixels, by the size of the font.
BOLD, NORMAL = 8.8, 6.7
# A name of more characters is shortened in the middle.
LONGEST = 21
# The size of the swatches of a key.
SWATCH = 22
# The swatches that are marks, and the class of their color.
_MARKS = {
    "ring": ("ring", "s0"), "dot": ("dot", "s1"), "up": ("up", "better"), "down": ("down", "worse"),
    "even": ("ring", "even"), "diff": ("square", "diff"), "none": ("dash", "none"), "out": ("ring", "diff"),
}  # fmt: skip


class ShapeBlock(NamedTuple):
    """Shapes of a standalone picture, and the height that they take."""

    shapes: str
    height: float


def document(title: str, said: str, width: int, block: ShapeBlock, top: float) -> str:
    """Write an SVG document.

    Args:
        title: what is seen, with numbers; drawn above the shapes.
        said: the numbers in words, for those who cannot see the picture.
        width: the width in pixels, at which text has its size.
        block: the shapes below the title.
        top: where they begin, see `title_height`.
    """
    height = round(top + block.height + MARGIN / 2)
    lines = "".join(
        f'<text class="title" x="{MARGIN}" y="{MARGIN + 13 + i * LINE}">{text_of(line)}</text>'
        for i, line in enumerate(_lines(title, width))
    )
    body = f'<rect class="paper" width="100%" height="100%"/>{lines}{block.shapes}'
    css = style_of(f'{body} class="page"')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dm page" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="t d">'
        f"{WRITTEN_BY}"
        f'<title id="t">{text_of(title)}</title><desc id="d">{text_of(said)}</desc>'
        f"<style>{css}</style>{body}</svg>\n"
    )


def title_height(title: str, width: int) -> float:
    """Return where the shapes below a title begin."""
    return MARGIN + LINE * len(_lines(title, width))


def _lines(title: str, width: int) -> list[str]:
    return wrap(visible(title), int((width - 2 * MARGIN) / BOLD)) or [""]


def wrapped(text: str, y: float, width: int) -> ShapeBlock:
    """Write a text in as many lines as it needs, from `y` on."""
    lines = wrap(visible(text), int((width - 2 * MARGIN) / NORMAL))
    shapes = "".join(text_at(MARGIN, y + 15 + i * LINE, line, "l") for i, line in enumerate(lines))
    return ShapeBlock(shapes, LINE * len(lines))


def text_at(x: float, y: float, text: str, kind: str) -> str:
    """Write a line of text; `kind` is its class: l (from the left), r (to the right) or none (centered)."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{text_of(text)}</text>'


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a name that is short enough; the middle of a long one is left out.

    Args:
        most: the number of characters; one of Chinese, Japanese or Korean counts as two.
    """
    shown = visible(text)
    if columns_of(shown) <= most:
        return shown
    tail = (most - 1) // 2
    return f"{_within(shown, most - 1 - tail)}…{_within(shown[::-1], tail)[::-1]}"


def columns_of(text: str) -> int:
    """Return the number of columns that a text takes where each letter takes one."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _within(text: str, most: int) -> str:
    """Return the first characters of a text that fit into a number of columns."""
    end, taken = 0, 0
    while end < len(text) and taken + _columns(text[end]) <= most:
        taken += _columns(text[end])
        end += 1
    return text[:end]


def key_block(entries: Iterable[tuple[str, str]], y: float, width: int) -> ShapeBlock:
    """Draw the names of lines, bars or marks, each after its swatch, in as many lines as they need.

    Args:
        entries: name and class of the swatch, as for `figures.key`.
        y: where the first line begins.
        width: the width of the picture.
    """
    x, top, parts = float(MARGIN), y, list[str]()
    for name, kind in entries:
        shown = shortened(name, 60)
        room = SWATCH + 6 + columns_of(shown) * NORMAL + 14
        if x > MARGIN and x + room > width - MARGIN:
            x, top = float(MARGIN), top + LINE
        parts += [_swatch(kind, x, top + 9), text_at(x + SWATCH + 6, top + 13, shown, "l")]
        x += room
    return ShapeBlock("".join(parts), top + LINE - y if parts else 0.0)


def _swatch(kind: str, x: float, y: float) -> str:
    if kind in _MARKS:
        shape, color = _MARKS[kind]
        return f'<svg class="{color}" x="{x + SWATCH / 2:g}" y="{y:g}">{SYMBOLS[shape]}</svg>'
    if kind == "usual":
        return f'<path class="band {kind}" d="M{x:g} {y - 5:g}h{SWATCH}v10h-{SWATCH}Z"/>'
    if kind == "bracket":
        return f'<path class="{kind}" d="M{x + 8:g} {y - 6:g}h5v12h-5"/>'
    if kind in ("pos", "neg"):
        return f'<path class="bar {kind}" d="M{x + 6:g} {y - 5:g}h10v10h-10Z"/>'
    return f'<path class="line {kind}" d="M{x:g} {y:g}h{SWATCH}"/>'


HEIGHT = 250
# The space for the labels at the left, and for those below.
LEFT, BELOW = 50, 44
# The size of small charts, and their number in a line.
SMALL_HEIGHT, ACROSS = 150, 3


@dataclass
class Ids:
    """The ids of one page: each is unique, and the same page has the same ids.

    Attributes:
        prefix: what all ids begin with; give each fragment of one page another prefix.
        last: the number of ids that were given.
    """

    prefix: str = "c"
    last: int = 0

    def new(self) -> str:
        """Return the next id: ``c1``, ``c2``."""
        self.last += 1
        return f"{self.prefix}{self.last}"


@dataclass(frozen=True)
class ChartAxis:
    """An axis of a chart.

    Attributes:
        domain: the lowest and the highest number.
        name: the name below the axis, or above the chart.
        text: writes a label.
        labels: where labels stand; None for round numbers.
        about: about how many labels there are.
        grid: whether each label of the axis at the left has a line.
    """

    domain: Domain
    name: str
    text: Callable[[float], str] = plain
    labels: Sequence[float] | None = None
    about: int = 5
    grid: bool = True

    @property
    def ticks(self) -> Sequence[float]:
        """The numbers with a label."""
        return ticks(*self.domain, self.about) if self.labels is None else self.labels


def figure(
    ids: Ids,
    title: str,
    said: str,
    body: str,
    x: ChartAxis,
    y: ChartAxis,
    key: str = "",
    height: int = HEIGHT,
    left: int = LEFT,
    right: int = 0,
) -> str:
    """Draw the frame of a chart with axes around its shapes, as a fragment of HTML.

    Args:
        ids: gives the ids of the title and the description.
        title: what is seen, with numbers, as plain text.
        said: the numbers in words, for those who cannot see the chart.
        body: shapes, such as `stretched` returns.
        x: the axis below.
        y: the axis at the left; its name stands below the title.
        key: the names of the lines, such as `key` returns.
        height: the height of the plot in pixels.
        left: the space for the labels at the left.
        right: the space for the names at the ends of lines.
    """
    name = ids.new()
    unit = f'<span class="soft">{text_of(y.name)}</span>' if y.name else ""
    room = ""
    if (left, right) != (LEFT, 0):
        margins = f"margin-left:{left - 2}px;margin-right:{right + 14}px"
        room = f' style="{margins};width:calc(100% - {left + right + 12}px)"'
    return (
        f"<figure><figcaption><b>{text_of(title)}</b>{unit}{key}"
        f'</figcaption><svg class="plot"{room} height="{height}" role="img" aria-labelledby="{name} {name}d">'
        f'<title id="{name}">{text_of(title)}</title><desc id="{name}d">{text_of(said)}</desc>'
        f"{frame(x, y)}{body}</svg></figure>"
    )


def frame(x: ChartAxis, y: ChartAxis) -> str:
    """Draw the grid, the labels and the name of the axis below."""
    parts = []
    for t in y.ticks:
        at = height(t, y.domain)
        line = f'<line class="grid" x1="0" x2="100%" y1="{at}" y2="{at}"/>' if y.grid else ""
        parts.append(f'{line}<text class="y" x="-7" y="{at}" dy=".32em">{text_of(y.text(t))}</text>')
    for t in x.ticks:
        parts.append(f'<text x="{place(t, x.domain)}" y="100%" dy="17">{text_of(x.text(t))}</text>')
    parts.append(f'<text x="50%" y="100%" dy="34">{text_of(x.name)}</text>')
    return "".join(parts)


def key(entries: Iterable[tuple[str, str]]) -> str:
    """Write the names of lines, bars or marks, each after its swatch.

    Args:
        entries: name, and class of the swatch: s0, s1, ref, pos, neg, ring, dot, up or down.
    """
    names = "".join(f'<span><i class="{kind}"></i>{text_of(name)}</span>' for name, kind in entries)
    return f'<span class="key">{names}</span>'


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
        left: the space for the labels at the left.
        right: the space for the names at the ends of lines.
    """

    body: str
    x: ChartAxis
    y: ChartAxis
    key: tuple[tuple[str, str], ...] = ()
    height: int = HEIGHT
    width: int = 640
    left: int = LEFT
    right: int = 0

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        names = key(self.key) if self.key else ""
        return figure(ids, title, said, self.body, self.x, self.y, names, self.height, self.left, self.right)

    def standalone(self, top: float) -> ShapeBlock:
        """Return the shapes of a picture of a fixed width, from a line of text at `top` on."""
        unit = wrapped(self.y.name, top, self.width)
        names = key_block(self.key, top + unit.height + 2, self.width)
        start = unit.height + names.height + 14
        width = self.width - 2 * MARGIN - self.left - self.right
        plot = self.inner(MARGIN + self.left - 8, top + start, width)
        return ShapeBlock(unit.shapes + names.shapes + plot, start + self.height + BELOW)

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
        small: the height of a plot.
    """

    panels: Sequence[Panel]
    key: tuple[tuple[str, str], ...] = ()
    width: int = 720
    small: int = SMALL_HEIGHT

    def html(self, ids: Ids, title: str, said: str) -> str:
        """Return a fragment of HTML that fills any width."""
        unit = self.panels[0].plot.y.name
        small = ""
        for panel in self.panels:
            bare = replace(panel.plot, height=self.small, key=(), y=replace(panel.plot.y, name=""))
            small += bare.html(ids, panel.name, panel.said)
        names = key(self.key) if self.key else ""
        return (
            f'<figure><figcaption><b>{text_of(title)}</b><span class="soft">{text_of(unit)}</span>{names}'
            f'</figcaption><div class="panels">{small}</div></figure>'
        )

    def standalone(self, top: float) -> ShapeBlock:
        """Return the shapes of a picture of a fixed width."""
        unit = wrapped(self.panels[0].plot.y.name, top, self.width)
        names = key_block(self.key, top + unit.height + 2, self.width)
        across = min(ACROSS, len(self.panels))
        cell = (self.width - 2 * MARGIN) / across
        parts = [unit.shapes]
        start, step = unit.height + names.height + 8, self.small + BELOW + LINE + 12
        for i, panel in enumerate(self.panels):
            x, y = MARGIN + (i % across) * cell, top + start + (i // across) * step
            parts.append(text_at(x, y + 14, shortened(panel.name, int(cell / 8)), "l name"))
            plot = replace(panel.plot, height=self.small, x=replace(panel.plot.x, about=4))
            parts.append(plot.inner(x + plot.left - 8, y + LINE + 8, cell - plot.left - 8))
        lines = -(-len(self.panels) // across)
        return ShapeBlock("".join(parts) + names.shapes, start + lines * step)
