"""The chart of a plan: the smallest difference by the number of units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.charts.chart import Chart
from duckmetrics.charts.figures import Axis
from duckmetrics.charts.plots import Plot
from duckmetrics.charts.shapes import line, stretched
from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Sequence

# The classes of the lines: the last is solid.
KINDS = ("s1", "s0")


def picture(title: str, points: Sequence[dict[str, Any]], kind: str, wanted: Sequence[float | None]) -> Chart:
    """Draw the curves of a plan; of more than two, those of the first two rows.

    Raises:
        MetricError: there are no points.
    """
    import pyarrow as pa

    if not points:
        raise MetricError("chart", "there is nothing to plan from", "read the column reason")
    curves: dict[tuple[Any, Any], list[tuple[float, float]]] = {}
    for point in points:
        if point["mde"] is not None:
            curves.setdefault((point["metric"], point["system"]), []).append((point["units"], point["mde"]))
    drawn = dict(list(curves.items())[: len(KINDS)])
    xs = [x for curve in drawn.values() for x, _ in curve]
    # The steep beginning of a curve would flatten the part that matters.
    top = max(sorted(y for _, y in curve)[len(curve) * 3 // 4] for curve in drawn.values())
    x, y = (0.0, float(max(xs))), (0.0, 1.1 * max([top, *(d for d in wanted if d is not None)]))
    shapes = "".join(
        line([(x, d), (x_, d)], "ref", (0.0, x_), y)
        for d in dict.fromkeys(wanted) if d is not None
        for x, x_ in [(0.0, float(max(xs)))]
    )  # fmt: skip
    names = []
    for shape, ((metric, system), curve) in zip(KINDS, drawn.items(), strict=False):
        shapes += line([point for point in curve if point[1] <= y[1]], shape, x, y)
        names.append((" of ".join(filter(None, (metric, system))), shape))
    said = " ".join(f"{int(n):,} {kind}: {mde:.4g}." for n, mde in next(iter(drawn.values()))[::8])
    plot = Plot(
        stretched(shapes), Axis(x, f"number of {kind}"), Axis(y, "smallest difference that the test finds"),
        tuple(names) if len(names) > 1 else (),
    )  # fmt: skip
    return Chart(title, said, pa.Table.from_pylist(list(points)), plot)
