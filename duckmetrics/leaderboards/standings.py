"""The table of a leaderboard: its columns as text, with the intervals as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible
from duckmetrics.results.markup import superscript
from duckmetrics.results.tabular import table_width
from duckmetrics.screens.columns import Column, cells_of, fitted, table_lines
from duckmetrics.screens.numbers import short_p
from duckmetrics.sentences.margins import has_margin
from duckmetrics.sentences.numbers import four_decimals, with_minus
from duckmetrics.verdicts import ADJUSTED_P, ADJUSTED_P_SHORT, p_heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

# The width of the drawn intervals, which take the room that is left.
LEAST_WIDTH, MOST_WIDTH = 9, 30
LINE, DOT = "─", "●"
# The names of the columns.
TIER, PLACE, VALUE, RANKS, TO_BEST, CHANCE, VERDICT, DRAWN = (
    "tier", "#", "value", "ranks", "to best", "P(best)", "verdict", "",
)  # fmt: skip
# The marks after a metric, by the values that are better.
MARKS = {"higher": "", "lower": " ↓", "target": " →"}


def tables_of(groups: Sequence[Sequence[Row]], width: int) -> list[list[str]]:
    """Return the lines of tables that fit a width; columns that do not fit are left out of all of them."""
    tables = [list(_drawable(rows)) for rows in groups]
    dropped = 0
    for columns in tables:
        ranks = {column.rank for column in columns} - {column.rank for column in fitted(columns, width)}
        dropped = max(dropped, *ranks, 0)
    return [
        _table([column for column in columns if not 0 < column.rank <= dropped], rows, width)
        for columns, rows in zip(tables, groups, strict=True)
    ]


def _drawable(rows: Sequence[Row]) -> Iterator[Column]:
    """Yield the columns for a screen, the drawn intervals last."""
    for column in _columns(rows):
        yield column._replace(name=heading(rows[0])) if column.name == VALUE else column
    drawn = _drawn(rows, LEAST_WIDTH)
    if any(drawn):
        yield Column(DRAWN, drawn, is_number=False, rank=4)


def _table(columns: Sequence[Column], rows: Sequence[Row], width: int) -> list[str]:
    """Return the lines of a table; the drawn intervals take the room that is left."""
    kept = list(columns)
    if kept[-1].name == DRAWN:
        # Long names stand above their lines, and leave no room.
        left = max(width - table_width(*cells_of(kept[:-1])) - 2, LEAST_WIDTH)
        kept[-1] = kept[-1]._replace(cells=_drawn(rows, min(left, MOST_WIDTH)))
    return table_lines(kept, width)


def heading(row: Row) -> str:
    """Return the name of a metric with a mark of the values that are better."""
    target = f"{row['target']:g}" if row["target"] is not None else ""
    return f"{visible(row['metric'])}{MARKS[row['better']]}{target}"


def page_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the columns for a page; the letters of the tiers are superscripts of the values."""
    tiers = [superscript(row["tier"] or "") for row in rows]
    columns = []
    # A verdict with a margin does not follow from the letters.
    hidden = (TIER,) if any(map(has_margin, rows)) else (TIER, VERDICT)
    for column in _columns(rows, ADJUSTED_P):
        if column.name == VALUE:
            cells = [value + tier for value, tier in zip(column.cells, tiers, strict=True)]
            name = heading(rows[0]) if len({row["metric"] for row in rows}) == 1 else VALUE
            columns.append(column._replace(name=name, cells=cells))
        elif column.name not in hidden:
            columns.append(column)
    return columns


def _columns(rows: Sequence[Row], adjusted_p: str = ADJUSTED_P_SHORT) -> list[Column]:
    """Return the columns that have cells; those of the lowest ranks are left out first."""
    level = f"{100 * rows[0]['interval_level']:g} % interval"
    near = any(map(has_margin, rows))
    sizes = [str(row["n"]) for row in rows] if len({row["n"] for row in rows if row["n"]}) > 1 else []
    columns = [
        Column(TIER, [row["tier"] or "" for row in rows], is_number=False, is_key=True),
        Column(PLACE, [_whole(row["place"]) for row in rows], is_key=True),
        Column("system", [visible(str(row["system"])) for row in rows], is_number=False, is_key=True),
        Column(VALUE, [_number(row["value"]) for row in rows]),
        Column("n", sizes, rank=5),
        Column(level, [_interval(row) for row in rows], rank=3),
        Column(RANKS, [_ranks(row) for row in rows], rank=8),
        Column(TO_BEST, [_signed(row["delta"]) for row in rows], rank=7),
        Column(p_heading(rows, adjusted_p), [short_p(row["p_adjusted"]) for row in rows], rank=2),
        Column(CHANCE, [_percent(row["probability_best"]) for row in rows], rank=6),
        # A verdict with a margin does not follow from the letters, so it stays on a narrow screen.
        Column(VERDICT, [row["verdict"] for row in rows], is_number=False, rank=9 if near else 1),
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
    return "NULL" if value is None else with_minus(f"{value:.4f}")


def _interval(row: Row) -> str:
    if row["lower"] is None or row["upper"] is None:
        return ""
    return f"{_number(row['lower'])} to {_number(row['upper'])}"


def _ranks(row: Row) -> str:
    first, last = row["rank_lower"], row["rank_upper"]
    if first is None:
        return ""
    return _whole(first) if first == last else f"{first} to {last}"


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    if value == 0:
        return "0.0000"
    return with_minus(four_decimals(value, "+"))


def _percent(share: float | None) -> str:
    """Write a share of resamples, which never proves that something is certain."""
    if share is None:
        return ""
    if share < 0.01:
        return "<1 %"
    return ">99 %" if share > 0.99 else f"{share:.0%}".replace("%", " %")
