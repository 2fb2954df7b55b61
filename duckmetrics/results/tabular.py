"""Results as tables: text, HTML, LaTeX, Arrow, pandas, Polars, JSON, one row or one column per metric."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import sys
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from duckmetrics.pages.screens import padded, width_of
from duckmetrics.results.findings import ERROR, NOTE, WARNING
from duckmetrics.version import __version__
from duckmetrics.words.lists import counted
from duckmetrics.words.visible import hashable, visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from duckmetrics.results.findings import Finding

    Places = Collection[tuple[int, int]]
    Cells = Sequence[Sequence[str]]

# The version of the shape: it grows when a key changes its meaning or goes away, not when one is added.
VERSION = 1
# The keys of every document, which identify one as ours.
KEYS = ("version", "duckmetrics", "command", "rows", "errors", "warnings", "notes")
# No probability is 0; one that is too small for a double is written as this.
SMALLEST_P = 1e-300
# Names of the columns that hold probabilities.
P_NAME = re.compile(r"p|p_\w+|\w+_p")


def document(
    command: str,
    rows: Iterable[Mapping[str, Any]],
    checks: Iterable[Finding] | None = None,
    *,
    warnings: Iterable[str] = (),
    notes: Iterable[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the JSON document of a result: the keys that all commands share come first.

    Args:
        command: the command that prints it.
        checks: findings, whose sentences stand in errors, warnings and notes, too; None if the command has
            no such list.
        more: the keys that only this command has.
    """
    found = list(checks or ())
    own = {"errors": (), "warnings": warnings, "notes": notes}
    told = {
        name: [*(finding.message for finding in found if finding.severity == severity), *own[name]]
        for name, severity in (("errors", ERROR), ("warnings", WARNING), ("notes", NOTE))
    }
    listed = {} if checks is None else {"checks": [asdict(finding) for finding in found]}
    start = {"version": VERSION, "duckmetrics": __version__, "command": command}
    return {**start, "rows": [json_object(row) for row in rows], **told, **listed, **more}


def with_positive_p(table: pa.Table) -> pa.Table:
    """Return a table whose p-values are at least `SMALLEST_P`; missing ones stay missing."""
    import pyarrow.compute as pc

    for place, name in enumerate(table.column_names):
        if P_NAME.fullmatch(name):
            known = table[name].cast("double")
            positive = pc.if_else(pc.less(known, SMALLEST_P), SMALLEST_P, known)
            table = table.set_column(place, name, positive)
    return table


def json_text(document: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def json_object(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by name as JSON can hold them."""
    return {name: json_value(name, value) for name, value in values.items()}


def json_value(name: str, value: Any) -> Any:
    """Return a value as JSON can hold it: JSON has no NaN and no Infinity, and no p-value is 0."""
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list | tuple):
        return [json_value(name, one) for one in value]
    if not isinstance(value, float):
        return value if value is None or isinstance(value, str | int | dict) else str(value)
    if not math.isfinite(value):
        return str(value)
    return max(value, SMALLEST_P) if P_NAME.fullmatch(name) else value


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


def rows_csv(names: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV, with unrounded numbers."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names, *([listed(value) for value in row] for row in rows)])
    return text.getvalue()


_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": "$|$", "±": r"$\pm$", "↓": r"$\downarrow$", "*": "$*$", '"': "''", "−": "$-$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip
_NEGATIVE = re.compile(r"-\d")
# The best value of a row, as `grid` marks it.
_BEST = re.compile(r"(-?\d\S*(?: ±\S+)?)\*")
# The letters that have a superscript which fonts know: not q.
LETTERS = "abcdefghijklmnoprstuvwxyz"
_RAISED = dict(
    zip(f"{LETTERS}0123456789", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)
)  # fmt: skip
_LOWERED = {raised: plain for plain, raised in _RAISED.items()}
# A number with superscripts.
_WITH_SUPERSCRIPTS = re.compile(rf"(-?\d[\d.]*)([{''.join(_LOWERED)}]+)")


def superscript(text: str) -> str:
    """Write small letters and digits as superscripts."""
    return "".join(_RAISED[mark] for mark in text)


def letter_of(place: int) -> str:
    """Return a, b, ..., z without q, and then a2, b2, ..."""
    turn, place = divmod(place, len(LETTERS))
    return f"{LETTERS[place]}{turn + 1}" if turn else LETTERS[place]


def html(
    header: Sequence[str], cells: Cells, notes: Sequence[str], title: str = "", best: Places = ()
) -> str:
    """Write a table in HTML, with a title above and notes below.

    Args:
        best: the places of cells in bold, as row and column.
    """
    above = f"<p><b>{escape(visible(title))}</b></p>" if title else ""
    head = "".join(f"<th>{escape(visible(name))}</th>" for name in header)
    marked = _marked(cells, best, _html_cell, "<b>{}</b>", "<sup>{}</sup>".format)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in marked)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = "".join(f"<p>{escape(visible(note))}</p>" for note in notes)
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def latex(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    notes: Sequence[str],
    numeric: Collection[str],
    best: Places = (),
) -> str:
    r"""Write a table in LaTeX, the best values bold; it needs ``\usepackage{booktabs}``.

    Args:
        notes: become comments.
        numeric: the columns that are aligned to the right.
        best: the places of cells in bold, as row and column.
    """
    places = "".join("r" if name in numeric else "l" for name in header)
    lines = [
        f"\\begin{{tabular}}{{{places}}}", "\\toprule", _latex_row(map(_latex_cell, header)), "\\midrule",
        *map(_latex_row, _marked(cells, best, _latex_cell, "\\textbf{{{}}}", "$^{{{}}}$".format)),
        "\\bottomrule", "\\end{tabular}",
        *(f"% {visible(note)}" for note in notes),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def markdown(
    header: Sequence[str], cells: Cells, notes: Sequence[str], numeric: Collection[str], best: Places = ()
) -> str:
    """Write a table in Markdown, with the notes below.

    Args:
        numeric: the columns that are aligned to the right.
        best: the places of cells in bold, as row and column.
    """
    rule = ["---:" if name in numeric else "---" for name in header]
    marked = _marked(cells, best, visible, "**{}**", superscript)
    lines = "".join(markdown_line(line) for line in (header, rule, *marked))
    return lines + "".join(f"\n{visible(note)}\n" for note in notes)


def markdown_line(cells: Iterable[str]) -> str:
    """Write a row of a table in Markdown."""
    return f"| {' | '.join(visible(cell).replace('|', chr(92) + '|') for cell in cells)} |\n"


def _marked(
    cells: Cells, best: Places, write: Callable[[str], str], bold: str, raised: Callable[[str], str]
) -> Iterator[list[str]]:
    """Yield the rows in a markup language, with bold cells and superscripts.

    Args:
        write: writes a cell without either.
        bold: the markup around a bold text.
        raised: writes a superscript.
    """
    for i, row in enumerate(cells):
        line = []
        for j, cell in enumerate(row):
            found = _WITH_SUPERSCRIPTS.fullmatch(cell.strip())
            text = write(found[1] if found else cell)
            above = raised("".join(_LOWERED[mark] for mark in found[2])) if found else ""
            line.append(f"{bold.format(text) if (i, j) in best else text}{above}")
        yield line


def _html_cell(cell: str) -> str:
    return escape(visible(cell))


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: str) -> str:
    best = _BEST.fullmatch(cell.strip())
    if best:
        return f"\\textbf{{{_latex_cell(best[1])}}}"
    if _NEGATIVE.match(cell.strip()):
        return f"$-${_latex_cell(cell.strip()[1:])}"
    return "".join(_LATEX.get(mark, mark) for mark in visible(cell.strip()))


class Widened(Tabular):
    """A table with a row per metric, which has a form with a column per metric, too."""

    @abstractmethod
    def wide(self) -> pa.Table:
        """Return one row per system and slice, with a column per metric."""

    def to_arrow(self, wide: bool = False) -> pa.Table:
        """Return the result as an Arrow table.

        Args:
            wide: as for `to_pandas`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.to_arrow(wide=True).column_names  # ['slice', 'radius', 'auc']
        """
        return self.wide() if wide else self.summary

    def to_pandas(self, wide: bool = False) -> pd.DataFrame:
        """Return the result as a pandas data frame.

        Args:
            wide: systems and slices are rows, and metrics are columns; by default each metric has its own
                row with all numbers, see `summary`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            len(ev.to_pandas())  # 4
            list(ev.to_pandas(wide=True).columns)  # ['slice', 'radius', 'auc']
        """
        return (self.wide() if wide else self.summary).to_pandas()

    def to_polars(self, wide: bool = False) -> pl.DataFrame:
        """Return the result as a Polars data frame.

        Args:
            wide: as for `to_pandas`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.to_polars(wide=True).columns  # ['slice', 'radius', 'auc']
        """
        return polars_frame(self.wide() if wide else self.summary)


def widened(
    rows: Sequence[Mapping[str, Any]], schema: pa.Schema, keys: Sequence[str], columns: Sequence[str]
) -> pa.Table:
    """Return one row per combination of the keys, with columns for each metric.

    Args:
        rows: with the columns metric, `keys` and `columns`.
        schema: the types of these columns.
        columns: the first one has the name of the metric, the others names such as ``"ndcg@10 delta"``.
    """
    import pyarrow as pa

    shown = [key for key in keys if any(row[key] not in (None, "") for row in rows)]
    lines: dict[Any, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(hashable(row[key]) for key in keys), {})[row["metric"]] = row
    names, arrays = list(shown), []
    for key in shown:
        own = [next(iter(line.values()))[key] for line in lines.values()]
        arrays.append(pa.array(own, schema.field(key).type))
    for metric in dict.fromkeys(row["metric"] for row in rows):
        for column in columns:
            names.append(metric if column == columns[0] else f"{metric} {column}")
            cells = [line.get(metric, {}).get(column) for line in lines.values()]
            arrays.append(pa.array(cells, schema.field(column).type))
    return pa.Table.from_arrays(arrays, names)
