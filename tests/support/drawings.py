"""Drawings, parsed: marks, intervals and lines with their places as numbers."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree

from duckmetrics.pages.marks import SYMBOLS

SVG = "{http://www.w3.org/2000/svg}"
BOX = 1000


class Mark(NamedTuple):
    """A mark and its center in percent of the width."""

    shape: str
    x: float


def parsed(markup: str) -> ElementTree.Element:
    """Parse a fragment or a document; the names of elements lose their namespace."""
    root = ElementTree.fromstring(markup)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    return root


def of_class(root: ElementTree.Element, tag: str, *names: str) -> list[ElementTree.Element]:
    """Return the elements of a tag that have all these classes."""
    return [e for e in root.iter(tag) if set(names) <= set(e.get("class", "").split())]


def marks(root: ElementTree.Element) -> list[Mark]:
    """Return the marks in a row, in the order of the drawing."""
    shapes = {(s.tag, s.get("d"), s.get("r")): name for name, text in SYMBOLS.items() for s in [parsed(text)]}
    found = []
    for svg in root.iter("svg"):
        for child in svg:
            name = shapes.get((child.tag, child.get("d"), child.get("r")))
            if name is not None:
                found.append(Mark(name, percentage(svg.get("x"))))
    return found


def percentage(text: str | None) -> float:
    """Return 42.5 for ``42.5%``."""
    assert text is not None
    assert text.endswith("%")
    return float(text[:-1])


def segment(line: ElementTree.Element) -> tuple[float, float]:
    """Return the ends of a horizontal or vertical line in percent of the width."""
    return percentage(line.get("x1")), percentage(line.get("x2"))


def points(path: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the points of a line in a stretched box as shares of the plot, y from below."""
    numbers = list(map(float, re.findall(r"-?[\d.]+", path.get("d", ""))))
    return [(x / BOX, 1 - y / BOX) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]


def texts(root: ElementTree.Element) -> list[str]:
    """Return all texts of a drawing."""
    return [text.text or "" for text in root.iter("text")]
