"""The table of a leaderboard: its columns as text, with the intervals as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.results.brief import TINY, Column, cells_of, fitted, short_p, table_lines
from duckmetrics.results.markup import superscript
from duckmetrics.results.tabular import table_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]

# The width of the drawn intervals, which take the room that is left.
LEAST_WIDTH, MOST_WIDTH = 9, 30
LINE, DOT = "─", "●"
TIER, PLACE, SYSTEM, RANKS, TO_BEST, P, CHANCE = "tier", "#", "system", "ranks", "to best", "p", "chance of best"


def table_of(rows: Sequence[Row], width: int) -> list[str]:
    """Return the lines of a table that fits a width; columns that do not fit are left out."""
    drawn = Column("", _drawn(rows, LEAST_WIDTH), is_number=False, rank=3)
    kept = fitted([*_columns(rows), *([drawn] if any(map(str.strip, drawn.cells)) else [])], width)
    if kept[-1] is drawn:
        left = width - table_width(*cells_of(kept[:-1])) - 2
        kept[-1] = drawn._replace(cells=_drawn(rows, min(left, MOST_WIDTH)))
    header, _, *lines = table_lines(kept)
    return [header, LINE * max(map(len, (header, *lines))), *lines]


def page_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the columns for a page; the letters of the tiers are superscripts of the values."""
    columns = {column.name: column for column in _columns(rows)}
    del columns[TIER]
    values = columns["value"].cells
    tiers = [superscript(row["tier"] or "") for row in rows]
    columns["value"] = columns["value"]._replace(cells=[v + t for v, t in zip(values, tiers, strict=True)])
    return list(columns.values())


def _columns(rows: Sequence[Row]) -> list[Column]:
    """Return the columns that have cells; those of the lowest ranks are left out first."""
    level = f"{100 * rows[0]['interval_level']:g} % interval"
    sizes = [str(row["n"]) for row in rows] if len({row["n"] for row in rows if row["n"]}) > 1 else []
    columns = [
        Column(TIER, [row["tier"] or "" for row in rows], is_number=False),
        Column(PLACE, [_whole(row["place"]) for row in rows]),
        Column(SYSTEM, [visible(str(row["system"])) for row in rows], is_number=False),
        Column("n", sizes, rank=4),
        Column("value", [_number(row["value"]) for row in rows]),
        Column(level, [_interval(row) for row in rows], rank=2),
        Column(RANKS, [_ranks(row) for row in rows], rank=7),
        Column(TO_BEST, [_signed(row["delta"]) for row in rows], rank=6),
        Column(P, [short_p(row["p_adjusted"]) for row in rows], rank=1),
        Column(CHANCE, [_percent(row["chance"]) for row in rows], rank=5),
    ]  # fmt: skip
    return [column for column in columns if any(column.cells)]


def _drawn(rows: Sequence[Row], width: int) -> list[str]:
    """Draw the interval of every row as a line, and its value as a dot, on one scale."""
    ends = [row[name] for row in rows for name in ("lower", "value", "upper") if _is_finite(row[name])]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (width - 1)) if high > low else 0

    cells = []
    for row in rows:
        marks = [" "] * width
        if _is_finite(row["lower"]) and _is_finite(row["upper"]):
            for i in range(place(row["lower"]), place(row["upper"]) + 1):
                marks[i] = LINE
        if _is_finite(row["value"]):
            marks[place(row["value"])] = DOT
        cells.append("".join(marks).rstrip())
    return cells


def _is_finite(value: float | None) -> bool:
    return value is not None and abs(value) != float("inf")


def _whole(value: int | None) -> str:
    return "" if value is None else str(value)


def _number(value: float | None) -> str:
    return "NULL" if value is None else f"{value:.4f}".replace("-", "−")


def _interval(row: Row) -> str:
    if row["lower"] is None or row["upper"] is None:
        return ""
    return f"{_number(row['lower'])} to {_number(row['upper'])}"


def _ranks(row: Row) -> str:
    first, last = row["rank_lower"], row["rank_upper"]
    return _whole(first) if first == last else f"{first} to {last}"


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    return (f"{value:+.1e}" if 0 < abs(value) < TINY else f"{value:+.4f}").replace("-", "−", 1)


def _percent(share: float | None) -> str:
    """Write a share of resamples, which never proves that something is certain."""
    if share is None:
        return ""
    if share < 0.005:
        return "<1 %"
    return ">99 %" if share > 0.995 else f"{share:.0%}".replace("%", " %")
