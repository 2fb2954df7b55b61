"""Rankings: the first metric at cut-offs, sorted differences, and the queries that gain and lose most."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.figures import Axis, figure, key
from duckmetrics.charts.numbers import number, percent, whole
from duckmetrics.charts.scales import span
from duckmetrics.charts.shapes import band, line, stretched
from duckmetrics.charts.words import decimals_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.charts.figures import Ids
    from duckmetrics.report.model import AtCutoff, Mover
    from duckmetrics.report.reading import Reading

# Differences are drawn with a little room above and below.
ROOM = 1.05


def ranking_figures(reading: Reading, ids: Ids) -> list[str]:
    """Return the charts that the data have numbers for."""
    return [drawn for drawn in (_at_cutoffs(reading, ids), _differences(reading, ids)) if drawn]


def lines_of(reading: Reading) -> list[tuple[str, str]]:
    """Return the systems that a chart shows with the class of their lines: the baseline and the best."""
    base = reading.data.baseline
    return [*([] if base is None else [(base, "s0")]), (reading.best, "s1")]


def key_of(reading: Reading) -> str:
    """Return the names of the lines; empty for a single line."""
    return key(lines_of(reading)) if reading.data.baseline is not None else ""


def _at_cutoffs(reading: Reading, ids: Ids) -> str:
    known = [one for one in reading.data.pictures.at_k if one.value is not None]
    shown = {kind: [one for one in known if one.system == system] for system, kind in lines_of(reading)}
    points = [one for found in shown.values() for one in found]
    if len({one.k for one in points}) < 2:
        return ""
    xd = (float(min(one.k for one in points)), float(max(one.k for one in points)))
    yd = span([end for one in points for end in (one.lower, one.upper, one.value)])
    body = "".join(_band(found, kind, xd, yd) for kind, found in shown.items())
    for kind, found in shown.items():
        body += line([(one.k, one.value or 0.0) for one in found], kind, xd, yd)
    ends = [int(end) for end in xd]
    said = "; ".join(
        f"{system}: " + ", ".join(f"{number(one.value)} at {one.k}" for one in shown[kind])
        for system, kind in lines_of(reading)
    )
    level = reading.data.level
    within = "value" if level is None else f"value with {100 * level:g}% interval"
    x = Axis(xd, "number of first places, k", _count, _cutoff_labels(ends))
    y = Axis(yd, within, decimals_of(yd))
    return figure(ids, _seen(reading, shown, ends), said, stretched(body), x, y, key_of(reading))


def _seen(reading: Reading, shown: Mapping[str, Sequence[AtCutoff]], ends: Sequence[int]) -> str:
    """Return what the chart shows: at how many of its cut-offs the best system is ahead."""
    name, base = reading.data.pictures.at_k_name, reading.data.baseline
    if base is None:
        return f"{name} at cut-offs from {ends[0]} to {ends[1]}"
    before = {one.k: one.value or 0.0 for one in shown["s0"]}
    both = [one for one in shown["s1"] if one.k in before]
    way = reading.sign(reading.primary.name) or 1
    ahead = sum(way * (one.value or 0.0) > way * before[one.k] for one in both)
    side = "above" if way > 0 else "below"
    if ahead == len(both):
        return f"{name} of {reading.best} is {side} {base} at every cut-off from {ends[0]} to {ends[1]}"
    return f"{name} of {reading.best} is {side} {base} at {ahead} of {len(both)} cut-offs"


def _band(found: Sequence[AtCutoff], kind: str, xd: tuple[float, float], yd: tuple[float, float]) -> str:
    points = [(one.k, one.lower, one.upper) for one in found]
    known = [(float(k), low, high) for k, low, high in points if low is not None and high is not None]
    return band(known, kind, xd, yd)


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _cutoff_labels(ends: Sequence[int]) -> list[float]:
    """Return the first cut-off, and round ones up to the last."""
    first, last = ends
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**6) if last / step <= 6)
    return [float(first), *(float(k) for k in range(step, last + 1, step) if k > first)]


def _differences(reading: Reading, ids: Ids) -> str:
    row, way = reading.top, reading.sign(reading.primary.name)
    steps = sorted((way or 1) * step for step in reading.data.pictures.differences)
    if reading.data.baseline is None or len(steps) < 2:
        return ""
    if row is None or row.wins is None or row.losses is None:
        return ""
    gains, losses = row.wins, row.losses
    top = max(abs(steps[0]), abs(steps[-1])) * ROOM or 1.0
    xd, yd = (0.0, 1.0), (-top, top)
    xy = [(i / (len(steps) - 1), step) for i, step in enumerate(steps)]
    body = band([(x, step, 0.0) for x, step in xy if step < 0], "worse", xd, yd)
    body += band([(x, 0.0, step) for x, step in xy if step > 0], "better", xd, yd)
    unit, total = reading.data.unit, max(1, gains + losses + (row.ties or 0))
    share = [percent(n / total, sign=False) for n in (gains, losses)]
    said = f"{gains:,} {unit} gain, {row.ties or 0:,} are equal, {losses:,} lose."
    names = key([(f"lose ({losses:,})", "down"), (f"gain ({gains:,})", "up")])
    x = Axis(xd, f"{unit}, from the largest loss to the largest gain", whole)
    turned = "" if way >= 0 else ", turned so that up is better"
    difference = f"difference in {row.metric}, {reading.best} minus {reading.data.baseline}{turned}"
    y = Axis(yd, difference, decimals_of(yd, sign=True))
    title = f"{share[0]} of the {unit} gain, {share[1]} lose"
    return figure(ids, title, said, stretched(body), x, y, names)


class MoverLine(NamedTuple):
    """A query as it is shown."""

    query: str
    before: str
    after: str
    difference: str
    kind: str


class Movers(NamedTuple):
    """Two tables: the queries that gain, and those that lose."""

    unit: str
    metric: str
    before: str
    after: str
    tables: list[tuple[str, list[MoverLine]]]


def _line(one: Mover, kind: str) -> MoverLine:
    before, after = number(one.before), number(one.after)
    return MoverLine(one.query, before, after, number(one.difference, sign=True), kind)


def movers_section(reading: Reading) -> Movers | None:
    """Return the movers of the best system; None if there are none."""
    data = reading.data
    if not data.movers or data.baseline is None:
        return None
    tables = []
    for direction, title, kind in (("gain", "Gain most", "better"), ("loss", "Lose most", "worse")):
        lines = [
            _line(one, kind)
            for one in data.movers if one.direction == direction
        ]  # fmt: skip
        tables.append((title, lines))
    unit = {"queries": "query"}.get(data.unit, data.unit.removesuffix("s"))
    return Movers(unit, reading.primary.name, data.baseline, reading.best, tables)
