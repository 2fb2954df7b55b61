"""Curves of a classifier: ROC, precision against recall, gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.charts.figures import Axis
from duckmetrics.charts.numbers import number, percent
from duckmetrics.charts.plots import Panel, Panels, Plot
from duckmetrics.charts.scales import clipped
from duckmetrics.charts.shapes import line, stretched
from duckmetrics.charts.words import MOST_LINES, each, key_of, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.charts.chart import Drawing

    Rows = Sequence[Mapping[str, Any]]
    BySystem = Mapping[str | None, Rows]
    Draw = Callable[[Rows, str], str]

UNIT = (0.0, 1.0)
LABELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DIAGONAL = ((0.0, 0.0), (1.0, 1.0))
# Where a description reads a curve.
READ_AT = (0.1, 0.2, 0.5)
# A line bends if the share of the area above the straight line differs by more.
STRAIGHT = 0.01
# The share of the rows that the title of a gains curve is about.
TOP = 0.2


class Picture(NamedTuple):
    """A chart without its data: what is seen, the numbers in words, and the drawing."""

    title: str
    said: str
    drawing: Drawing


@dataclass(frozen=True)
class Curve:
    """A kind of curve.

    Attributes:
        x, y: the columns of the two axes.
        x_name, y_name: the names of the axes.
    """

    x: str
    y: str
    x_name: str
    y_name: str

    def points(self, rows: Rows) -> list[tuple[float, float]]:
        """Return the points that have both numbers."""
        return [(row[self.x], row[self.y]) for row in rows if None not in (row[self.x], row[self.y])]

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        """Return the points of the drawn line."""
        return self.points(rows)

    def at(self, rows: Rows, x: float) -> float | None:
        """Return the height of the drawn line at x."""
        before: tuple[float, float] | None = None
        for point in self.outline(rows):
            if point[0] >= x:
                if before is None or point[0] == before[0]:
                    return point[1]
                weight = (x - before[0]) / (point[0] - before[0])
                return before[1] + weight * (point[1] - before[1])
            before = point
        return None

    def said(self, by_system: BySystem) -> str:
        """Return some points of each curve in words."""
        told = []
        for system, rows in by_system.items():
            read = "; ".join(f"{number(self.at(rows, x))} at {x:g}" for x in READ_AT)
            told.append(f"{'' if system is None else f'{system}: '}{self.y} by {self.x}: {read}.")
        return " ".join(told)

    def draw(self, by_system: BySystem, guide: str) -> Drawing:
        """Draw the curves of all systems; `guide` is the line of chance."""
        x = Axis(UNIT, self.x_name, labels=LABELS)
        y = Axis(UNIT, self.y_name, labels=LABELS)
        return of_systems(
            by_system, lambda rows, kind: line(self.outline(rows), kind, UNIT, UNIT), x, y, guide, self.said
        )


class _Roc(Curve):
    """A curve of which the rows have the exact area; the drawn line has the same area.

    If rows are left out, the straight line between two points has another area than the curve. So it bends.
    """

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        drawn: list[tuple[float, float]] = []
        last = 0.0
        for row in rows:
            if None in (row["fpr"], row["tpr"], row["area"]):
                continue
            x, y = row["fpr"], row["tpr"]
            if drawn and x > drawn[-1][0] and y > drawn[-1][1]:
                x0, y0 = drawn[-1]
                above = clipped(((row["area"] - last) / (x - x0) - y0) / (y - y0), UNIT)
                if abs(above - 0.5) > STRAIGHT:
                    drawn.append((x0 + (1 - above) * (x - x0), y0 + above * (y - y0)))
            drawn.append((x, y))
            last = row["area"]
        return drawn


class _Steps(Curve):
    """Precision at each recall in steps, as average precision counts it: a step has the area of its rows."""

    def outline(self, rows: Rows) -> list[tuple[float, float]]:
        drawn: list[tuple[float, float]] = []
        reached = last = 0.0
        for row in rows:
            if row["recall"] is None or row["area"] is None or row["recall"] <= reached:
                continue
            height = (row["area"] - last) / (row["recall"] - reached)
            drawn += [(reached, height), (row["recall"], height)]
            reached, last = row["recall"], row["area"]
        return drawn


ROC = _Roc("fpr", "tpr", "false positive rate", "true positive rate; dotted: chance")
PR = _Steps("recall", "precision", "recall", "precision")
GAINS = Curve(
    "share", "gain", "share of the rows, highest scores first", "share of the positives found; dotted: chance"
)


def roc(by_system: BySystem) -> Picture:
    """Draw the true against the false positive rate.

    Args:
        by_system: rows with fpr, tpr and area.
    """
    guide = line(DIAGONAL, "ref", UNIT, UNIT)
    areas = each(_areas(by_system), number)
    return Picture(f"ROC: area {areas}", ROC.said(by_system), ROC.draw(by_system, guide))


def precision_recall(by_system: BySystem) -> Picture:
    """Draw the precision against the recall, with the base rate as the line of chance.

    Args:
        by_system: rows with recall, precision and area.
    """
    rates = [rows[-1]["precision"] for rows in by_system.values() if rows]
    guide, curve = "", PR
    if rates and rates[-1] is not None:
        guide = line([(0.0, rates[-1]), (1.0, rates[-1])], "ref", UNIT, UNIT)
        curve = _Steps(PR.x, PR.y, PR.x_name, f"precision; dotted: {percent(rates[-1], False)} positives")
    areas = each(_areas(by_system), number)
    title = f"Precision and recall: average precision {areas}"
    return Picture(title, PR.said(by_system), curve.draw(by_system, guide))


def gains(by_system: BySystem) -> Picture:
    """Draw the share of the positives among the top rows.

    Args:
        by_system: rows with share and gain.
    """
    found = {system: GAINS.at(rows, TOP) for system, rows in by_system.items()}
    guide = line(DIAGONAL, "ref", UNIT, UNIT)
    shares = each(found, lambda x: percent(x, False))
    title = (
        f"Gains: the top {percent(TOP, False).replace('.0', '')} of the rows hold {shares} of the positives"
    )
    if len(found) > 1:
        title = f"Gains: positives in the top {TOP:.0%} of the rows: {shares}"
    return Picture(title, GAINS.said(by_system), GAINS.draw(by_system, guide))


def of_systems(
    by_system: BySystem, draw: Draw, x: Axis, y: Axis, guide: str, said: Callable[[BySystem], str]
) -> Drawing:
    """Draw one or two systems in one chart; of more, each in a small chart with the first system dashed.

    Args:
        draw: draws the rows of a system as lines of a class.
        guide: shapes that each chart has.
        said: writes the numbers of systems in words.
    """
    systems = list(by_system)
    if len(systems) <= MOST_LINES:
        kinds = kinds_of(systems)
        shapes = "".join(draw(rows, kinds[system]) for system, rows in by_system.items())
        return Plot(stretched(guide + shapes), x, y, key_of(systems))
    first = systems[0]
    before = guide + draw(by_system[first], "s0")
    panels = [
        Panel(str(name), said({name: by_system[name]}),
              Plot(stretched(before + draw(by_system[name], "s1")), x, y))
        for name in systems[1:]
    ]  # fmt: skip
    return Panels(panels, ((f"{first}, in each chart", "s0"),))


def _areas(by_system: BySystem) -> dict[str | None, float | None]:
    return {system: rows[-1]["area"] if rows else None for system, rows in by_system.items()}
