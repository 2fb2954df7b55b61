"""The width of text on a terminal: Chinese letters take two columns, accents that combine take none."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
