"""The parts that all drawings share: the marks of verdicts, numbers, scales, shapes, words, and their CSS."""

from __future__ import annotations

import math
import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Point = tuple[float, float]

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

    text = files("duckmetrics.pages").joinpath("chart.css").read_text("utf-8")
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


# Stands for a number that does not exist.
ABSENT = "–"
LEAST_DIGITS, MOST_DIGITS = 2, 4


def number(x: float | None, digits: int = 3, sign: bool = False) -> str:
    """Write a number with a fixed number of decimals.

    Args:
        digits: the number of decimals.
        sign: whether a positive number has a plus.

    Returns:
        ``−1,234.500``; ``–`` for None and NaN; ``∞`` for infinity.
    """
    if x is None or math.isnan(x):
        return ABSENT
    if math.isinf(x):
        return "−∞" if x < 0 else "+∞" if sign else "∞"
    text = f"{x:{'+' if sign else ''},.{digits}f}"
    if not any(mark in "123456789" for mark in text):  # a rounded zero has no sign
        text = text.lstrip("+-")
    return text.replace("-", "−")


def percent(x: float | None, sign: bool = True) -> str:
    """Write a share as a percentage, with one decimal below 100%."""
    if x is None or math.isnan(x):
        return ABSENT
    return number(100 * x, 0 if abs(x) >= 0.9995 else 1, sign) + "%"


def digits_of(half_width: float | None, least: int = LEAST_DIGITS, most: int = MOST_DIGITS) -> int:
    """Return the number of decimals that keeps two significant digits of half an interval.

    Args:
        half_width: half the length of the interval; None if there is none.
        least: the fewest decimals.
        most: the most decimals, also where no interval exists.
    """
    if half_width is None or not half_width or not math.isfinite(half_width):
        return most
    return min(most, max(least, 1 - math.floor(math.log10(abs(half_width)))))


def short(x: float) -> str:
    """Label a share on an axis: ``+5%``, ``−2.5%``, and 0 without a sign."""
    return f"{100 * x:+.6g}%".replace("-", "−") if x else "0"


def plain(x: float) -> str:
    """Label a number on an axis with no more digits than it needs."""
    return f"{x:,.6g}".replace("-", "−")


def whole(x: float) -> str:
    """Label a share on an axis without a sign: ``20%``."""
    return f"{100 * x:.6g}%".replace("-", "−")


# The lowest and the highest number of an axis.
Domain = tuple[float, float]

# The steps between labels, times a power of ten.
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
# An interval is cut where it is longer than the usual one by this factor.
WILD = 6.0
# The margin on each side of an axis, as a share of its length.
MARGIN = 0.06


def known(values: Iterable[float | None]) -> list[float]:
    """Return the numbers that can be drawn: neither None, nor NaN, nor infinite."""
    return [float(value) for value in values if value is not None and math.isfinite(value)]


def span(values: Iterable[float | None], pad: float = MARGIN) -> Domain:
    """Return the domain that holds all values, and a margin.

    Args:
        values: None, NaN and infinite ones do not count.
        pad: the margin on each side as a share of the length.

    Returns:
        The lowest and the highest number, always different; (0, 1) if there is no value.
    """
    found = known(values)
    if not found:
        return (0.0, 1.0)
    low, high = min(found), max(found)
    room = (high - low or abs(high) or 1.0) * pad
    return (low - room, high + room)


def focus(ends: Iterable[float | None]) -> Domain:
    """Return the domain of a forest plot: 0 and all intervals, except the end of a wild one.

    One interval that is many times as long as the usual one would flatten the others.

    Args:
        ends: both ends of each interval.
    """
    found = known(ends)
    usual = sorted(abs(value) for value in found)[len(found) // 2] if found else 0.0
    limit = WILD * usual or math.inf
    low, high = span([0.0, *(clipped(value, (-limit, limit)) for value in found)], MARGIN)
    return (max(low, -limit), min(high, limit))


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers between two numbers, about as many as asked for."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / about
    base = 10.0 ** math.floor(math.log10(raw))
    step = next(base * factor for factor in STEPS if base * factor >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 2 - math.floor(math.log10(step)))
    return [round(i * step, digits) + 0.0 for i in range(first, last + 1)]


def share(x: float, domain: Domain) -> float:
    """Return where a number lies in a domain: 0 at its beginning, 1 at its end."""
    return (x - domain[0]) / (domain[1] - domain[0])


def clipped(x: float, domain: Domain) -> float:
    """Return the number of the domain that is nearest to a number."""
    return min(max(x, domain[0]), domain[1])


def place(x: float, domain: Domain) -> str:
    """Return where a number lies in a domain as a percentage of the width: ``42.5%``."""
    return f"{round(100 * share(x, domain), 2) + 0.0:g}%"


def height(y: float, domain: Domain) -> str:
    """Return where a number lies as a percentage of the height, counted from the top."""
    return f"{round(100 - 100 * share(y, domain), 2) + 0.0:g}%"


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


BOX = 1000


def stretched(shapes: str) -> str:
    """Put shapes into the box that fills the plot; strokes keep their width by CSS."""
    return (
        f'<svg viewBox="0 0 {BOX} {BOX}" preserveAspectRatio="none" width="100%" height="100%">{shapes}</svg>'
    )


def path(points: Iterable[Point], xd: Domain, yd: Domain) -> str:
    """Return the data of a path through points; points outside of the domains lie on their edge.

    Args:
        points: pairs of x and y.
        xd: the domain of x.
        yd: the domain of y.
    """
    places: list[str] = []
    for x, y in points:
        here = f"{_across(x, xd)} {_down(y, yd)}"
        if not places or here != places[-1]:
            places.append(here)
    if len(places) == 1:  # a path of no length is not drawn
        places.append(places[0])
    return "M" + " ".join(places) if places else ""


def line(points: Iterable[Point], kind: str, xd: Domain, yd: Domain) -> str:
    """Draw a line through points; `kind` is its class, such as s0, s1 or ref. No points draw nothing."""
    drawn = path(points, xd, yd)
    return f'<path class="line {kind}" d="{drawn}"/>' if drawn else ""


def band(points: Sequence[tuple[float, float, float]], kind: str, xd: Domain, yd: Domain) -> str:
    """Draw the area between (x, lower, upper)."""
    if not points:
        return ""
    there = [(x, upper) for x, _, upper in points]
    back = [(x, lower) for x, lower, _ in reversed(points)]
    return f'<path class="band {kind}" d="{path(there + back, xd, yd)}Z"/>'


def bracket(lower: float, upper: float, yd: Domain) -> str:
    """Draw a bracket at the right of a plot that has the height between two numbers."""
    top, bottom = height(upper, yd), height(lower, yd)
    ends = "".join(f'<line class="bracket" x1="4" x2="9" y1="{y}" y2="{y}"/>' for y in (top, bottom))
    side = f'<line class="bracket" x1="9" x2="9" y1="{top}" y2="{bottom}"/>'
    return f'<svg x="100%" height="100%">{ends}{side}</svg>'


def bars(rectangles: Iterable[tuple[float, float, float, float]], kind: str, xd: Domain, yd: Domain) -> str:
    """Draw rectangles of one class as one path: the ends of each in x, then those in y."""
    drawn = "".join(
        f"M{_across(x0, xd)} {_down(y0, yd)}H{_across(x1, xd)}V{_down(y1, yd)}H{_across(x0, xd)}Z"
        for x0, x1, y0, y1 in rectangles
    )
    return f'<path class="bar {kind}" d="{drawn}"/>' if drawn else ""


def _across(x: float, domain: Domain) -> int:
    return round(BOX * share(clipped(x, domain), domain))


def _down(y: float, domain: Domain) -> int:
    return BOX - round(BOX * share(clipped(y, domain), domain))


# The systems that one chart distinguishes by line; of more, each has a small chart.
MOST_LINES = 2


def each(values: Mapping[str | None, float | None], text: Callable[[float | None], str]) -> str:
    """Write a number of each system: ``0.781 of gbm, 0.731 of lr``; of many the lowest and the highest.

    Args:
        values: by system, the one to look at last.
        text: writes a number.
    """
    if len(values) == 1:
        ((system, value),) = values.items()
        return text(value) if system is None else f"{text(value)} of {system}"
    if len(values) == MOST_LINES:
        return ", ".join(f"{text(value)} of {system}" for system, value in reversed(list(values.items())))
    return f"{extremes(values, text)}, {len(values)} systems"


def extremes(values: Mapping[str | None, float | None], text: Callable[[float | None], str]) -> str:
    """Write the highest and the lowest number of many systems; the arguments are those of `each`."""
    known = sorted((value, str(system)) for system, value in values.items() if value is not None)
    if not known:
        return text(None)
    (least, lowest), (most, highest) = known[0], known[-1]
    return f"{text(most)} of {highest} to {text(least)} of {lowest}"


def kinds_of(systems: Sequence[str | None]) -> dict[str | None, str]:
    """Return the class of each of one or two systems: the last is solid, the one before it dashed."""
    return dict(zip(systems, ("s0", "s1")[-len(systems) :], strict=True))


def key_of(
    systems: Sequence[str | None], swatches: tuple[str, str] = ("s0", "s1")
) -> tuple[tuple[str, str], ...]:
    """Return the entries of the key; one system needs none."""
    if len(systems) < MOST_LINES:
        return ()
    return tuple(zip(map(str, systems), swatches, strict=True))


def with_interval(row: Mapping[str, Any]) -> str:
    """Write a value with its interval: ``0.974 [0.962, 0.987]``."""
    digits = digits_of(half_width(row))
    if row["value"] is None:
        return "without a value"
    if row.get("lower") is None:
        return number(row["value"], digits)
    return f"{number(row['value'], digits)} [{number(row['lower'], digits)}, {number(row['upper'], digits)}]"


def half_width(row: Mapping[str, Any], lower: str = "lower", upper: str = "upper") -> float | None:
    """Return half the length of the interval of a row; None if it has none."""
    if row.get(lower) is None or row.get(upper) is None:
        return None
    return abs(float(row[upper]) - float(row[lower])) / 2


def between(lower: float | None, upper: float | None, text: Callable[[float], str]) -> str:
    """Write an interval as ``+1.0% to +3.0%``; nothing if it lacks an end."""
    return "" if lower is None or upper is None else f"{text(lower)} to {text(upper)}"


def interval_name(level: float | None) -> str:
    """Return the name of intervals: ``95 % interval``, or without a number if the level is not known."""
    return "interval" if level is None else f"{100 * level:g} % interval"


def decimals_of(domain: Domain, sign: bool = False) -> Callable[[float], str]:
    """Return the writer of the labels of an axis, which gives all but 0 the same number of decimals.

    Args:
        sign: whether positive numbers have a plus.
    """
    digits = max((len(f"{t:.10g}".partition(".")[2]) for t in ticks(*domain)), default=0)
    return lambda x: number(x, digits, sign) if x else "0"
