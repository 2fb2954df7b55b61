"""Shapes of a chart with axes, in a box of 1000 by 1000 that is stretched over the plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.charts.scales import Domain, clipped, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Point = tuple[float, float]

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
