"""Row plots: an interval in the cell of a table, and the axis below it. The other cells hold the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.charts.marks import MARKS, mark, text_of
from duckmetrics.charts.numbers import short
from duckmetrics.charts.scales import Domain, clipped, known, place, ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    # A value, both ends of its interval, and the class of its system: s0 is hollow, s1 is filled.
    Value = tuple[float | None, float | None, float | None, str]

ROW_HEIGHT, AXIS_HEIGHT = 26, 16
# Where the mark of a value outside of the axis lies, next to the arrow at the edge.
OUTSIDE = {False: "4%", True: "96%"}
# The distance between the values of two systems in one row.
STEP = 9


def interval(
    x: float | None,
    lower: float | None,
    upper: float | None,
    verdict: str,
    domain: Domain,
    guide: float | None = None,
) -> str:
    """Draw a row of a forest plot: the zero line, the interval, and the mark of the verdict.

    An interval that leaves the axis is cut at the edge, with an arrow.

    Args:
        x: the change, right is better; None draws neither interval nor mark.
        lower: the lower end of the interval; None if there is none.
        upper: the upper end.
        verdict: a key of MARKS.
        domain: the axis, which all rows share.
        guide: the overall change, drawn as a dotted line.
    """
    return row(interval_parts(x, lower, upper, verdict, domain, guide))


def interval_parts(
    x: float | None,
    lower: float | None,
    upper: float | None,
    verdict: str,
    domain: Domain,
    guide: float | None = None,
) -> str:
    """Draw what is within a row of a forest plot; the arguments are those of `interval`."""
    parts = _vertical("zero", 0.0, domain)
    if guide is not None and known([guide]):
        parts += _vertical("guide", guide, domain)
    if not known([x]) or x is None:
        return parts
    middle = f"{ROW_HEIGHT // 2}"
    whiskers = _whiskers(lower, upper, middle, domain)
    return parts + whiskers + _centered(x, MARKS[verdict], middle, domain, bool(whiskers))


def values(rows: Sequence[Value], domain: Domain, target: float | None = None) -> str:
    """Draw the values of several systems with their intervals, one below the other.

    Args:
        rows: value, lower and upper end of its interval, and class of the system.
        domain: the axis, which all rows share.
        target: the best value, drawn as a line; None if there is none.
    """
    return row(values_parts(rows, domain, target))


def values_parts(
    rows: Sequence[Value], domain: Domain, target: float | None = None, guide: float | None = None
) -> str:
    """Draw what is within a row of values; `guide` is a dotted line, the other arguments as of `values`."""
    parts = _vertical("zero", target, domain) if target is not None else ""
    if guide is not None and known([guide]):
        parts += _vertical("guide", guide, domain)
    for i, (x, lower, upper, kind) in enumerate(rows):
        if x is None or not known([x]):
            continue
        y = f"{ROW_HEIGHT / 2 + (i - (len(rows) - 1) / 2) * STEP:g}"
        shape = "ring" if kind == "s0" else "dot"
        whiskers = _whiskers(lower, upper, y, domain)
        drawn = whiskers + _centered(x, shape, y, domain, bool(whiskers))
        parts += f'<g class="{kind}">{drawn}</g>'
    return parts


def axis(domain: Domain, text: Callable[[float], str] = short, about: int = 4) -> str:
    """Draw the labels of an axis below rows of plots.

    Args:
        domain: the axis of the rows.
        text: writes a label.
        about: about how many labels there are.
    """
    labels = axis_parts(domain, text, about)
    return f'<svg class="row axis" height="{AXIS_HEIGHT}" aria-hidden="true">{labels}</svg>'


def axis_parts(domain: Domain, text: Callable[[float], str] = short, about: int = 4) -> str:
    """Draw the labels of an axis; the arguments are those of `axis`."""
    labels: Iterable[float] = ticks(*domain, about)
    return "".join(f'<text x="{place(t, domain)}" y="12">{text_of(text(t))}</text>' for t in labels)


def row(parts: str) -> str:
    """Put shapes into the SVG of a row; a screen reader reads the cells of the table instead."""
    return f'<svg class="row" height="{ROW_HEIGHT}" aria-hidden="true">{parts}</svg>'


def _vertical(kind: str, x: float, domain: Domain) -> str:
    if clipped(x, domain) != x:
        return ""
    at = place(x, domain)
    return f'<line class="{kind}" x1="{at}" x2="{at}" y1="0" y2="100%"/>'


def _whiskers(lower: float | None, upper: float | None, y: str, domain: Domain) -> str:
    """Draw an interval; an infinite end, or one outside of the axis, becomes an arrow."""
    if lower is None or upper is None or lower != lower or upper != upper:
        return ""
    x1, x2 = (place(clipped(end, domain), domain) for end in (lower, upper))
    line = f'<line class="ci" x1="{x1}" x2="{x2}" y1="{y}" y2="{y}"/>'
    left = mark("left", "0%", y) if lower < domain[0] else ""
    right = mark("right", "100%", y) if upper > domain[1] else ""
    return line + left + right


def _centered(x: float, shape: str, y: str, domain: Domain, has_arrow: bool) -> str:
    """Draw the mark of a value; one outside of the axis lies next to the arrow at the edge."""
    if clipped(x, domain) == x:
        return mark(shape, place(x, domain), y)
    right = x > domain[1]
    arrow = "" if has_arrow else mark("right", "100%", y) if right else mark("left", "0%", y)
    return arrow + mark(shape, OUTSIDE[right], y)
