"""Charts of thresholds: ROC, precision and recall, and gains. All three read the points of one scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.figures import Axis, figure, key
from duckmetrics.charts.numbers import number, percent, plain, whole
from duckmetrics.charts.shapes import line, stretched
from duckmetrics.report.rankings import lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.charts.figures import Ids
    from duckmetrics.report.reading import Reading

TABLE = "roc_curve"
UNIT = (0.0, 1.0)
FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DIAGONAL = line([(0.0, 0.0), (1.0, 1.0)], "ref", UNIT, UNIT)
# The share of the rows, and of the positives, that titles name.
TOP_SHARE, HALF = 0.2, 0.5


class Point(NamedTuple):
    """Rates at one threshold.

    Attributes:
        false, true: the share of the negatives, and of the positives, above it.
        right: the share of positives above it; None if there is no row.
        share: the share of all rows above it.
    """

    false: float
    true: float
    right: float | None
    share: float


class Sweep(NamedTuple):
    """The thresholds of one system, from the highest score to the lowest.

    Attributes:
        kind: the class of its line.
        area: the area under the ROC curve.
        base: the share of the positives.
    """

    name: str
    kind: str
    points: list[Point]
    area: float | None
    base: float


Choose = Callable[[Point], tuple[float | None, float | None]]


def threshold_figures(reading: Reading, ids: Ids) -> list[str]:
    """Return the charts; none without points, or with rows of one class only."""
    sweeps = [found for system, kind in lines_of(reading) if (found := _sweep(reading, system, kind))]
    if len(sweeps) < len(lines_of(reading)):
        return []
    return [_roc(sweeps, ids), _precision(sweeps, ids), _gains(sweeps, ids)]


def _sweep(reading: Reading, system: str, kind: str) -> Sweep | None:
    """Read the points of a system: true and false positives above each threshold."""
    rows = reading.curve(TABLE, system)
    positives, negatives = (rows[-1]["tp"], rows[-1]["fp"]) if rows else (0, 0)
    if not positives or not negatives:
        return None
    points = []
    for row in rows:
        found = row["tp"] + row["fp"]
        right = row["tp"] / found if found else None
        share = found / (positives + negatives)
        points.append(Point(row["fp"] / negatives, row["tp"] / positives, right, share))
    base = positives / (positives + negatives)
    return Sweep(system or "the model", kind, points, rows[-1]["area"], base)


def _roc(sweeps: Sequence[Sweep], ids: Ids) -> str:
    title = f"ROC: area {number(sweeps[-1].area)}{_before(sweeps, [number(one.area) for one in sweeps])}"
    said = "; ".join(f"area of {one.name} {number(one.area, 4)}" for one in sweeps)
    y = "true positive rate; dotted: chance"
    return _chart(ids, title, said, sweeps, lambda p: (p.false, p.true), "false positive rate", y, DIAGONAL)


def _precision(sweeps: Sequence[Sweep], ids: Ids) -> str:
    def choose(point: Point) -> tuple[float | None, float | None]:
        return point.true, point.right

    found = [number(height(one.points, HALF, choose)) for one in sweeps]
    title = f"Precision at a recall of {HALF}: {found[-1]}{_before(sweeps, found)}"
    said = "; ".join(
        f"{one.name}: {value} at a recall of {HALF}" for one, value in zip(sweeps, found, strict=True)
    )
    base = sweeps[-1].base
    chance = line([(0.0, base), (1.0, base)], "ref", UNIT, UNIT)
    y = f"precision; dotted: {percent(base, sign=False)} positives"
    return _chart(ids, title, said, sweeps, choose, "recall", y, chance)


def _gains(sweeps: Sequence[Sweep], ids: Ids) -> str:
    def choose(point: Point) -> tuple[float | None, float | None]:
        return point.share, point.true

    found = [percent(height(one.points, TOP_SHARE, choose), sign=False) for one in sweeps]
    title = (
        f"The top {whole(TOP_SHARE)} of the rows hold {found[-1]} of the positives{_before(sweeps, found)}"
    )
    said = "; ".join(f"{one.name}: {value}" for one, value in zip(sweeps, found, strict=True))
    y = "share of the positives found; dotted: chance"
    return _chart(ids, title, said, sweeps, choose, "share of the rows, highest scores first", y, DIAGONAL)


def _before(sweeps: Sequence[Sweep], shown: Sequence[str]) -> str:
    return f", before {shown[0]}" if len(sweeps) > 1 else ""


def _chart(
    ids: Ids, title: str, said: str, sweeps: Sequence[Sweep], choose: Choose, x: str, y: str, reference: str
) -> str:
    """Draw a curve of each system between 0 and 1."""
    body = reference + "".join(line(_known(one.points, choose), one.kind, UNIT, UNIT) for one in sweeps)
    axes = Axis(UNIT, x, plain, FIFTHS), Axis(UNIT, y, plain, FIFTHS)
    names = key([(one.name, one.kind) for one in sweeps]) if len(sweeps) > 1 else ""
    return figure(ids, title, said, stretched(body), *axes, names)


def _known(points: Sequence[Point], choose: Choose) -> list[tuple[float, float]]:
    return [(x, y) for x, y in map(choose, points) if x is not None and y is not None]


def height(points: Sequence[Point], x: float, choose: Choose) -> float | None:
    """Return the height of a curve at x, on the straight line between the two points around it."""
    known = _known(points, choose)
    before = max((one for one in known if one[0] <= x), default=None)
    after = min((one for one in known if one[0] >= x), default=None)
    if before is None or after is None or after[0] == before[0]:
        return None if after is None else after[1]
    return before[1] + (after[1] - before[1]) * (x - before[0]) / (after[0] - before[0])
