"""A picture as a file of its own: title, shapes and style in one SVG document of a fixed size."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining, east_asian_width

from duckmetrics.charts.marks import SYMBOLS, text_of
from duckmetrics.charts.style import style_of
from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    "even": ("ring", "even"), "diff": ("square", "diff"), "none": ("dash", "none"),
}  # fmt: skip


class Block(NamedTuple):
    """Shapes of a standalone picture, and the height that they take."""

    shapes: str
    height: float


def document(title: str, said: str, width: int, block: Block, top: float) -> str:
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


def wrapped(text: str, y: float, width: int) -> Block:
    """Write a text in as many lines as it needs, from `y` on."""
    lines = wrap(visible(text), int((width - 2 * MARGIN) / NORMAL))
    shapes = "".join(text_at(MARGIN, y + 15 + i * LINE, line, "l") for i, line in enumerate(lines))
    return Block(shapes, LINE * len(lines))


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


def key_block(entries: Iterable[tuple[str, str]], y: float, width: int) -> Block:
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
    return Block("".join(parts), top + LINE - y if parts else 0.0)


def _swatch(kind: str, x: float, y: float) -> str:
    if kind in _MARKS:
        shape, color = _MARKS[kind]
        return f'<svg class="{color}" x="{x + SWATCH / 2:g}" y="{y:g}">{SYMBOLS[shape]}</svg>'
    if kind in ("pos", "neg"):
        return f'<path class="bar {kind}" d="M{x + 6:g} {y - 5:g}h10v10h-10Z"/>'
    return f'<path class="line {kind}" d="M{x:g} {y:g}h{SWATCH}"/>'
