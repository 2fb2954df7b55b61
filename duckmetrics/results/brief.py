"""A comparison as people read it: value, difference, interval, p and verdict, as wide as the screen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.expressions.visible import visible, visible_key
from duckmetrics.results.gates import WORSE
from duckmetrics.results.tabular import ALL, aligned, table_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.results.grid import Values

    Row = Mapping[str, Any]

# The columns after the keys, and those that go first where the screen is narrow.
COLUMNS = ("±", "delta", "interval", "p", "verdict")
LEFT = ("verdict",)
DISPENSABLE = ("±", "p", "interval")
LEAST_P = 1e-4
# A smaller number would be written as 0.0000.
TINY = 5e-5


class Compared(Protocol):
    """What is shown of a comparison, see `Comparison`."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def evaluation(self) -> Values: ...


def brief_lines(result: Compared, width: int) -> list[str]:
    """Return the lines of a table that fits a width; columns that do not fit are left out."""
    header, cells = brief_cells(result)
    for name in DISPENSABLE:
        if table_width(header, cells) <= width:
            break
        header, cells = _without(header, cells, name)
    words = {"metric", "system", *result.evaluation.by, *LEFT}
    return aligned(header, cells, [name for name in header if name not in words])


def brief_cells(result: Compared) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells: with two systems, a line shows the values of both."""
    systems = list(dict.fromkeys(row["system"] for row in result.rows))
    if len(systems) == 2:
        (other,) = (system for system in systems if system != result.baseline)
        names, lines = [result.baseline, visible(str(other))], list(_pairs(result))
    else:
        names, lines = ["system", "value"], list(_every(result))
    cells = [[visible(row["metric"]), *_slice(result, row), *own, *_numbers(row)] for row, own in lines]
    header = ["metric", *result.evaluation.by, *names, *COLUMNS]
    for name in COLUMNS:
        if name in header and not any(row[header.index(name)] for row in cells):
            header, cells = _without(header, cells, name)
    return header, cells


def _pairs(result: Compared) -> Iterator[tuple[Row, list[str]]]:
    """Yield the rows of the only other system, each with the values of the baseline and of itself."""
    bases = {
        (row["metric"], row["slice"], *_slice(result, row)): row
        for row in result.rows if row["system"] == result.baseline
    }  # fmt: skip
    for row in result.rows:
        if row["system"] != result.baseline:
            base = bases.get((row["metric"], row["slice"], *_slice(result, row)))
            yield row, [_value(base), _value(row)]


def _every(result: Compared) -> Iterator[tuple[Row, list[str]]]:
    for row in result.rows:
        yield row, [visible(str(row["system"])), _value(row)]


def _slice(result: Compared, row: Row) -> list[str]:
    segment = result.evaluation.segment(dict(row))
    if result.evaluation.by and not segment:
        return [ALL, *("" for _ in result.evaluation.by[1:])]
    return [visible_key(segment[name]) if name in segment else "" for name in result.evaluation.by]


def _value(row: Row | None) -> str:
    return "NULL" if row is None or row["value"] is None else f"{row['value']:.4f}"


def _numbers(row: Row) -> Iterator[str]:
    yield "" if row["lower"] is None or row["upper"] is None else f"±{(row['upper'] - row['lower']) / 2:.4f}"
    yield _signed(row["delta"])
    bounds = row["delta_lower"], row["delta_upper"]
    yield "" if None in bounds else f"[{_signed(bounds[0])}, {_signed(bounds[1])}]"
    p = row["p_adjusted"]
    yield "" if p is None else f"<{LEAST_P:.4f}" if p < LEAST_P else f"{p:.4f}"
    yield row["verdict"]


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:+.1e}" if 0 < abs(value) < TINY else f"{value:+.4f}"


def _without(header: list[str], cells: Sequence[list[str]], name: str) -> tuple[list[str], list[list[str]]]:
    if name not in header:
        return header, list(cells)
    i = header.index(name)
    return header[:i] + header[i + 1 :], [row[:i] + row[i + 1 :] for row in cells]


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
