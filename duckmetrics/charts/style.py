"""The CSS of charts: light, dark and print, all below the class ``dm``."""

from __future__ import annotations

import re
from functools import cache

# A rule, or a block of rules for a medium.
_RULE = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\}|[^{}]+\{[^{}]*\}")
_INNER = re.compile(r"([^{}]+)\{([^{}]*)\}")
_MEDIUM = re.compile(r"(@media[^{]*)\{(.*)\}")
_CLASS = re.compile(r"\.([a-z][\w-]*)")
_USED = re.compile(r'class="([^"]*)"')
# Elements of HTML, which a file with a picture alone does not have.
_ELEMENT = re.compile(r"\b(?:figure|figcaption|table|thead|tbody|tr|th|td|i)\b")
_VARIABLE = re.compile(r"(--[a-z0-9]+):[^;}]*;?")


@cache
def style() -> str:
    """Return the CSS that a page with charts needs once; its root carries the class ``dm``."""
    from importlib.resources import files

    text = files("duckmetrics.charts").joinpath("style.css").read_text("utf-8")
    _, _, rules = text.partition("*/\n")
    return rules.replace("\n", "")


def style_of(markup: str) -> str:
    """Return the part of the CSS that a standalone SVG needs.

    Args:
        markup: the shapes of the picture.
    """
    classes = {name for names in _USED.findall(markup) for name in names.split()} | {"dm"}
    kept = [rule for found in _RULE.findall(style()) if (rule := _kept(found, classes))]
    used = "".join(kept)
    return "".join(_with_variables(rule, used) for rule in kept)


def _kept(rule: str, classes: set[str]) -> str:
    """Return the selectors of a rule that match something; of a medium, the rules that do."""
    medium = _MEDIUM.fullmatch(rule)
    if medium is not None:
        inner = "".join(_kept(f"{a}{{{b}}}", classes) for a, b in _INNER.findall(medium[2]))
        return f"{medium[1]}{{{inner}}}" if inner else ""
    selectors, body = _INNER.findall(rule)[0]
    matching = [
        selector for selector in selectors.split(",")
        if set(_CLASS.findall(selector)) <= classes and not _ELEMENT.search(selector)
    ]  # fmt: skip
    return f"{','.join(matching)}{{{body}}}" if matching else ""


def _with_variables(rule: str, used: str) -> str:
    """Leave out variables that nothing uses."""
    return _VARIABLE.sub(lambda found: found[0] if f"var({found[1]})" in used else "", rule)
