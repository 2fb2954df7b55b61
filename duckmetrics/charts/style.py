"""The CSS of charts: light, dark and print, all below the class ``dm``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def style() -> str:
    """Return the CSS that a page with charts needs once; its root carries the class ``dm``."""
    text = files("duckmetrics.charts").joinpath("style.css").read_text("utf-8")
    _, _, rules = text.partition("*/\n")
    return rules.replace("\n", "")
