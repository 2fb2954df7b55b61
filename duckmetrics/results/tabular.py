"""Results as tables: text, HTML, Arrow, pandas, Polars."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from duckmetrics.expressions.visible import visible, visible_key
from duckmetrics.results.document import SMALLEST_P, document
from duckmetrics.results.markup import html, latex, markdown
from duckmetrics.screens.widths import padded, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa

# The text of an A/B test begins with this; a file of one is recognized by it.
SAMPLE_RATIO = "sample ratio: "


class Tabular(ABC):
    """A result that is a table: it can be read as Arrow, pandas and Polars.

    Attributes:
        command: the command that prints it.
    """

    command: ClassVar[str]

    @property
    @abstractmethod
    def summary(self) -> pa.Table:
        """The result as an Arrow table."""

    @property
    def warnings(self) -> tuple[Any, ...]:
        """The problems that can make a number wrong or misleading; none by default."""
        return ()

    @property
    def notes(self) -> tuple[Any, ...]:
        """Information that helps to read the numbers; none by default."""
        return ()

    def to_arrow(self) -> pa.Table:
        """Return the summary, which is an Arrow table.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.to_arrow()["delta"].to_pylist()  # [4.0]
        """
        return self.summary

    def to_pandas(self) -> pd.DataFrame:
        """Return the summary as a pandas data frame.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.to_pandas()["delta"].tolist()  # [4.0]
        """
        return self.summary.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the summary as a Polars data frame.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.to_polars()["delta"].to_list()  # [4.0]
        """
        return polars_frame(self.summary)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the command prints it in JSON, see docs/reference/json.md.

        A p-value is at least 1e-300, and no number is NaN or infinite.
        """
        return document(self.command, self.summary.to_pylist())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.summary.__arrow_c_stream__(requested_schema)


def polars_frame(table: pa.Table) -> pl.DataFrame:
    """Return an Arrow table as a Polars data frame."""
    import polars as pl

    frame = pl.from_arrow(table)
    return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


@dataclass(frozen=True)
class Shown:
    """A result as a reader sees it, on a terminal or in a notebook.

    Attributes:
        header: the names of the columns.
        cells: the rows.
        numeric: the columns that are aligned to the right.
        title: a line above the table; in LaTeX and Markdown, the first of the notes.
        notes: the lines below the table.
        best: the places of cells in bold, as row and column.
    """

    header: Sequence[str]
    cells: Sequence[Sequence[str]]
    numeric: Sequence[str] = ()
    title: str = ""
    notes: Sequence[str] = ()
    best: frozenset[tuple[int, int]] = frozenset()

    def text(self, width: int | None = None) -> str:
        """Return the lines for a terminal; a table that is too wide has a line for each column.

        Args:
            width: the columns of the screen, by default those of the terminal; 0 for any.
        """
        above = [self.title] if self.title else []
        columns = screen_width() if width is None else width
        is_wide = 0 < columns < table_width(self.header, self.cells)
        if is_wide and len(self.cells) < len(self.header):
            table = _turned(self.header, self.cells)
        else:
            table = aligned(self.header, self.cells, self.numeric)
        return "\n".join([*above, *table, *self.notes])

    def html(self) -> str:
        """Return the table for a notebook."""
        return html(self.header, self.cells, self.notes, self.title, self.best)

    def latex(self) -> str:
        """Return the table for a paper."""
        return latex(self.header, self.cells, self._lines(), self.numeric, self.best)

    def markdown(self) -> str:
        """Return the table for a pull request, with the notes below it."""
        return markdown(self.header, self.cells, self._lines(), self.numeric, self.best)

    def _lines(self) -> list[str]:
        return [*([self.title] if self.title else []), *self.notes]


class Printed(Tabular):
    """A result that looks the same on a terminal and in a notebook."""

    @abstractmethod
    def shown(self) -> Shown:
        """Return the table for a reader."""

    def __repr__(self) -> str:
        return self.shown().text()

    def _repr_html_(self) -> str:
        return self.shown().html()


# The text for all rows where results are sliced.
ALL = "(all)"
# The width of text that does not go to a terminal.
WIDTH = 100


def screen_width() -> int:
    """Return the columns of the terminal, or those that COLUMNS names."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def widths_of(header: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column."""
    return [max(map(width_of, column)) for column in zip(header, *cells, strict=True)]


def table_width(header: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Return the width of the lines that `aligned` makes."""
    widths = widths_of(header, cells)
    return sum(widths) + 2 * (len(widths) - 1)


def aligned(header: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[str]) -> list[str]:
    """Return the lines of a table in text, with the columns `numeric` aligned to the right."""
    header, cells = list(map(visible, header)), [list(map(visible, row)) for row in cells]
    widths = widths_of(header, cells)

    def line(cells: Sequence[str]) -> str:
        texts = (padded(c, w, name in numeric) for c, w, name in zip(cells, widths, header, strict=True))
        return "  ".join(texts).rstrip()

    return [line(header), line(["-" * width for width in widths]), *map(line, cells)]


def _turned(header: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with a line for each column, where the columns are too many for a line."""
    (first, *names), (own, *columns) = header, zip(*cells, strict=True)
    rows = [[name, *values] for name, values in zip(names, columns, strict=True)]
    return aligned([first, *own], rows, own)


def p_text(p: float) -> str:
    """Write a p-value with four digits; one that is too small for a double is shown as such, not as 0."""
    return f"<{SMALLEST_P:g}" if p <= SMALLEST_P else f"{p:.4g}"


def cell_text(value: Any) -> str:
    """Write a value as a person wants to see it, floats with six digits."""
    if value is None:
        return "NULL"
    value = listed(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return visible_key(value) if value == "NULL" else visible(str(value))


def listed(value: Any) -> Any:
    """Return a list as the text of one cell, and any other value as it is."""
    return "; ".join(map(str, value)) if isinstance(value, list) else value
