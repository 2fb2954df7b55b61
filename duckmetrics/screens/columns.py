"""A table of text that fits a screen: less important columns are left out, and no cell is ever cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.screens.widths import padded, width_of, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = "  "
RULE = "─"
# A longer name stands above its line if the line would be too wide otherwise.
LONG_NAME = 24
# Names that share a line with numbers have at least this width.
SHORT_NAME = 8


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        rank: the columns of rank 1 are left out first where the screen is narrow; those of rank 0 never.
        is_key: whether it names the row. Names come first, and a long one stands above its line.
    """

    name: str
    cells: list[str]
    is_number: bool = True
    rank: int = 0
    is_key: bool = False

    @property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(map(width_of, (self.name, *self.cells)))


def cells_of(columns: Sequence[Column]) -> tuple[list[str], list[list[str]]]:
    """Return the header, and the cells by row."""
    return [column.name for column in columns], list(map(list, zip(*(c.cells for c in columns), strict=True)))


def width_together(columns: Sequence[Column]) -> int:
    """Return the width of columns side by side."""
    return sum(column.width for column in columns) + len(GAP) * max(len(columns) - 1, 0)


def fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns that fit a width; those of the lowest ranks are left out first."""
    kept = list(columns)
    for rank in sorted({column.rank for column in columns} - {0}):
        if least_width(kept, width) <= width:
            break
        kept = [column for column in kept if column.rank != rank]
    return kept


def least_width(columns: Sequence[Column], width: int) -> int:
    """Return the width of columns on a screen where long names stand above their lines."""
    keys, others = _split(columns)
    own = min(width_together(keys), max(LONG_NAME, width // 3))
    return own + (len(GAP) if keys and others else 0) + width_together(others)


def table_lines(columns: Sequence[Column], width: int) -> list[str]:
    """Return the lines of a table, with a rule below the header.

    Args:
        width: the columns of the screen; wider tables have several lines for a row.
    """
    keys, others = _split(columns)
    left = width - width_together(others) - (len(GAP) if keys else 0)
    if width_together(keys) <= left:
        lines = _plain_lines([*keys, *others])
    elif left >= SHORT_NAME:
        lines = _hanging_lines(keys, others, width, left)
    elif width_together(others) + len(GAP) <= width:
        lines = _hanging_lines(keys, others, width, 0)
    else:
        return list(_stacked_lines(keys, others, width))
    head = next(i for i, line in enumerate(lines) if line == RULE)
    lines[head] = RULE * max(map(width_of, lines))
    return lines


def _split(columns: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    return [c for c in columns if c.is_key], [c for c in columns if not c.is_key]


def _plain_lines(columns: Sequence[Column]) -> list[str]:
    """Return a line for every row, with a mark in place of the rule."""
    header, rows = cells_of(columns)
    places = [(column.width, column.is_number) for column in columns]

    def line(cells: Sequence[str]) -> str:
        return GAP.join(padded(cell, *place) for cell, place in zip(cells, places, strict=True)).rstrip()

    return [line(header), RULE, *map(line, rows)]


def _hanging_lines(keys: Sequence[Column], others: Sequence[Column], width: int, left: int) -> list[str]:
    """Return a line for every row, and above it a name that is too long for it.

    Args:
        left: the width of the names that share a line with numbers.
    """
    names, numbers = _names(keys), _plain_lines(others)
    own = min(left, max((width_of(name) for name in names if width_of(name) <= left), default=0))
    lines: list[str] = []
    for name, line in zip([names[0], "", *names[1:]], numbers, strict=True):
        if line == RULE:
            lines.append(line)
        elif width_of(name) <= own:
            lines.append(f"{padded(name, own)}{GAP}{line}".rstrip())
        else:
            above = [part.rstrip() for part in wrapped(name, width)]
            lines += [*above, f"{' ' * own}{GAP}{line}"]
    return lines


def _stacked_lines(keys: Sequence[Column], others: Sequence[Column], width: int) -> Iterator[str]:
    """Yield a line for every number, below the name of its row."""
    _, rows = cells_of(others)
    names = _names(keys)[1:] if keys else [""] * len(rows)
    for name, cells in zip(names, rows, strict=True):
        yield from wrapped(name, width) if name else ()
        for column, cell in zip(others, cells, strict=True):
            if cell.strip():
                yield from wrapped(f"{GAP}{column.name} {cell.strip()}".rstrip(), width, GAP * 2)


def _names(keys: Sequence[Column]) -> list[str]:
    """Return the names of the rows in one text each, that of the header first."""
    header, rows = cells_of(keys)
    return [", ".join(filter(None, map(str.strip, row))) for row in (header, *rows)]
