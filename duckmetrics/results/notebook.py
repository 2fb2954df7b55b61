"""Arrow tables that a notebook shows as HTML.

The tables stay those of PyArrow, because a class of our own could not be written by PyArrow, nor joined.
They carry a mark in the metadata of their schema. A formatter in IPython shows tables with this mark.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.results.markup import html
from duckmetrics.results.tabular import cell_text
from duckmetrics.sentences.lists import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

MARK = b"duckmetrics"
# The number of rows that are shown, and of characters of a cell.
ROWS, CHARACTERS = 20, 60


def readable(table: pa.Table) -> pa.Table:
    """Return a table that a notebook shows as HTML; everything else stays as before."""
    _tell_ipython()
    return table.replace_schema_metadata({**(table.schema.metadata or {}), MARK: b"table"})


def table_html(table: pa.Table) -> str | None:
    """Return the first rows of a table in HTML; None if the table is not one of ours."""
    if MARK not in (table.schema.metadata or {}):
        return None
    cells = [[_short(cell_text(value)) for value in row.values()] for row in table.slice(0, ROWS).to_pylist()]
    rows = counted(table.num_rows, "row")
    shown = f"{rows}; the first {ROWS} are shown" if table.num_rows > ROWS else rows
    return html(table.column_names, cells, [shown])


def _short(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"


@dataclass(frozen=True)
class _Printer:
    """Writes tables for a notebook.

    Attributes:
        before: the former writer of tables, which still writes other tables; None if there was none.
    """

    before: Callable[[Any], str | None] | None

    def __call__(self, table: pa.Table) -> str | None:
        shown = table_html(table)
        return self.before(table) if shown is None and self.before is not None else shown


def _tell_ipython() -> None:
    """Make a running IPython show our tables."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    import pyarrow as pa

    formatter = shell.display_formatter.formatters["text/html"]
    before = formatter.type_printers.get(pa.Table)
    if not isinstance(before, _Printer):
        formatter.for_type(pa.Table, _Printer(before))
