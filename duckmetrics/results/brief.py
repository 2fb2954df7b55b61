"""A comparison for a page: value, difference, interval, p and verdict."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.expressions.visible import visible, visible_key
from duckmetrics.results.grid import NO_VALUE, slice_cells, slice_key
from duckmetrics.screens.columns import Column
from duckmetrics.screens.numbers import short_p
from duckmetrics.screens.rows import lines_of
from duckmetrics.sentences.numbers import four_decimals, with_minus
from duckmetrics.verdicts import WORSE, p_heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.results.grid import Values
    from duckmetrics.screens.rows import Result

    Row = Mapping[str, Any]


class Compared(Protocol):
    """The parts of a comparison that are shown, see `Comparison`."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def evaluation(self) -> Values: ...


def gains_of(result: Result, values: Values) -> dict[tuple[Any, ...], float]:
    """Return the least gain of a system in each slice by the first metric."""
    gains: dict[tuple[Any, ...], float] = {}
    for line in lines_of(result):
        if line.row["metric"] == values.metrics[0]:
            key = slice_key(values, line.row)
            gains[key] = min(gains.get(key, NO_VALUE), line.gain)
    return gains


def brief_columns(result: Compared) -> list[Column]:
    """Return the columns; with two systems, a line shows the values of both."""
    systems = dict.fromkeys(row["system"] for row in result.rows)
    rows = [row for row in result.rows if len(systems) > 2 or row["system"] != result.baseline]
    slices = zip(*(slice_cells(result.evaluation, row) for row in rows), strict=True)
    columns = [
        Column("metric", [visible(row["metric"]) for row in rows], is_number=False),
        *(Column(name, list(cells), is_number=False)
          for name, cells in zip(result.evaluation.by, slices, strict=True)),
        *(_pair(result, rows) if len(systems) == 2 else _systems(rows)),
        Column("±", [_half(row) for row in rows]),
        Column("change", [_signed(row["delta"]) for row in rows]),
        Column("interval of change", [_interval(row) for row in rows]),
        Column(p_heading(rows), [short_p(row["p_adjusted"]) for row in rows]),
        Column("verdict", [row["verdict"] for row in rows], is_number=False),
    ]  # fmt: skip
    return [column for column in columns if any(column.cells)]


def _pair(result: Compared, rows: Sequence[Row]) -> Iterator[Column]:
    """Yield the values of the baseline, and those of the only other system."""
    bases = {
        (row["metric"], slice_key(result.evaluation, row)): row
        for row in result.rows if row["system"] == result.baseline
    }  # fmt: skip
    own = [bases.get((row["metric"], slice_key(result.evaluation, row))) for row in rows]
    yield Column(visible(str(result.baseline)), list(map(_value, own)))
    yield Column(visible(str(rows[0]["system"])), list(map(_value, rows)))


def _systems(rows: Sequence[Row]) -> Iterator[Column]:
    yield Column("system", [visible(str(row["system"])) for row in rows], is_number=False)
    yield Column("value", list(map(_value, rows)))


def _value(row: Row | None) -> str:
    return "NULL" if row is None or row["value"] is None else f"{row['value']:.4f}"


def _half(row: Row) -> str:
    """Write half of the interval of a value."""
    if row["lower"] is None or row["upper"] is None:
        return ""
    return f"±{(row['upper'] - row['lower']) / 2:.4f}"


def _interval(row: Row) -> str:
    low, high = row["delta_lower"], row["delta_upper"]
    return "" if low is None or high is None else f"[{_signed(low)}, {_signed(high)}]"


def _signed(value: float | None) -> str:
    return "" if value is None else with_minus(four_decimals(value, "+"))


def verdict_lines(result: Compared) -> Iterator[str]:
    """Yield a line for every system: the counts of its verdicts, and the slices in which it is worse."""
    for system in dict.fromkeys(row["system"] for row in result.rows):
        if system == result.baseline:
            continue
        own = [row for row in result.rows if row["system"] == system]
        told = []
        for slicing in dict.fromkeys(row["slice"] for row in own):
            counts = Counter(row["verdict"] for row in own if row["slice"] == slicing)
            every = ", ".join(f"{verdict} in {count}" for verdict, count in counts.items())
            what = f"slices by {slicing}" if slicing else "overall"
            told.append(f"{every} of {counts.total()} {what}")
        worse: dict[str, list[str]] = {}
        for row in own:
            if row["slice"] and row["verdict"] == WORSE:
                worse.setdefault(_where(result, row), []).append(row["metric"])
        told += [f"worse where {where} ({', '.join(metrics)})" for where, metrics in worse.items()]
        yield visible(f"{system}: {'; '.join(told)}")


def _where(result: Compared, row: Row) -> str:
    segment = result.evaluation.segment(dict(row))
    return ", ".join(f"{name}={visible_key(value)}" for name, value in segment.items())
