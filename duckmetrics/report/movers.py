"""The queries that gain and lose most."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.charts.numbers import number

if TYPE_CHECKING:
    from duckmetrics.report.model import Mover
    from duckmetrics.report.reading import Reading


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
        lines = [_line(one, kind) for one in data.movers if one.direction == direction]
        tables.append((title, lines))
    unit = {"queries": "query"}.get(data.counted, data.counted.removesuffix("s"))
    return Movers(unit, reading.primary.name, data.baseline, reading.best, tables)
