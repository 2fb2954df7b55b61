"""Marks of verdicts: the shape shows the verdict, and the color repeats it."""

from __future__ import annotations

import re
from html import escape

from duckmetrics.expressions.visible import visible

# The shape of each verdict in a picture, and the class of its color.
MARKS = {
    "better": "up", "worse": "down", "different": "square", "unclear": "ring",
    "not tested": "dash", "equivalent": "equals", "not worse": "hollow", "inconclusive": "diamond",
}  # fmt: skip
KINDS = {
    "better": "better", "worse": "worse", "different": "diff", "unclear": "even",
    "not tested": "none", "equivalent": "better", "not worse": "better", "inconclusive": "even",
}  # fmt: skip
# The drawing of each mark around the point (0, 0), about 11 pixels wide.
SYMBOLS = {
    "up": '<path class="m" d="M0-5.5 5.5 4.5H-5.5Z"/>',
    "down": '<path class="m" d="M0 5.5 5.5-4.5H-5.5Z"/>',
    "square": '<path class="m" d="M0-5.5 5.5 0 0 5.5-5.5 0Z"/>',
    "hollow": '<path class="o" d="M0-5 5 4H-5Z"/>',
    "equals": '<path class="o" d="M-5-2.5H5M-5 2.5H5"/>',
    "diamond": '<path class="o" d="M0-5 5 0 0 5-5 0Z"/>',
    "dash": '<path class="o" d="M-5 0H5"/>',
    "ring": '<circle class="o" r="4.5"/>',
    "dot": '<circle class="m" r="4"/>',
    "left": '<path class="m" d="M-7 0 1-4.5V4.5Z"/>',
    "right": '<path class="m" d="M7 0-1-4.5V4.5Z"/>',
}
# A long name may be broken after these characters.
_BREAK = re.compile(r"[_@(,/|:]")


def mark(shape: str, x: str, y: str) -> str:
    """Draw a mark at a place.

    The drawing is complete in itself: it needs no definition elsewhere on the page, so no ids can clash.

    Args:
        shape: a key of SYMBOLS.
        x: where its center lies, such as ``42%``.
        y: the same from the top, such as ``13``.
    """
    return f'<svg x="{x}" y="{y}">{SYMBOLS[shape]}</svg>'


def text_of(text: str) -> str:
    """Write a name of other people as text of SVG or HTML: markup and control characters are escaped."""
    return escape(visible(text).encode("utf-8", "backslashreplace").decode("utf-8"))


def breakable(name: str) -> str:
    """Write a name like `text_of`, with places to break it where a person would."""
    return _BREAK.sub(r"\g<0><wbr/>", text_of(name))
