"""Results as text: a terminal table, JSON, CSV, Markdown, HTML, LaTeX; and as Parquet."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from duckmetrics.api.catalogue import checks, family_of, grouped
from duckmetrics.engines.targets import HTML, SVG, WRITTEN_BY, write_text
from duckmetrics.pages.chart import table_page
from duckmetrics.pages.comparison_screen import NUMERIC
from duckmetrics.pages.screens import cells_of, writable
from duckmetrics.results.evaluation import in_one_line
from duckmetrics.results.grid import blocks_of, brief_columns, footer_of, plain_lines
from duckmetrics.results.tabular import (
    Shown,
    aligned,
    cell_text,
    document,
    json_text,
    markdown_line,
    rows_csv,
)
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from rich.console import Console
    from rich.table import Table

    from duckmetrics.comparison.leaderboard import Leaderboard
    from duckmetrics.pages.screens import ScreenColumn
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.experiment import Experiment
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.results.findings import Finding
    from duckmetrics.results.tabular import Printed, Tabular

# Formats for a page, which has any width.
PAGES = ("html", "latex")
# The rows of a table, such as a curve, that a screen shows next to its header.
MOST_ROWS = 36
SEVERITY_STYLE = {"error": "red", "warning": "yellow", "note": "dim"}
# The colors of a screen. A sign or a word stands next to each, so that nothing depends on them.
HIGHLIGHTS = {
    r"\S+( ±\S+)?\*(?=\s|$)": "bold",
    r"[├←]?[─┼]*[▲≈△][─┼]*[┤→]?|([▲^] better|[≈=] equivalent|[△A] not worse)$": "bright_blue",
    r"[├←]?[─┼]*▼[─┼]*[┤→]?|[▼v] worse$|^! .*": "dark_orange",
}


def write(result: Evaluation, format_: str, path: Path | None, wide: bool | None = None) -> None:
    """Write a result to a file, or to stdout; findings of the checks go to stderr, except with JSON.

    Args:
        wide: whether a table shows values side by side; by default if there is something to compare, but
            not in a file, whose columns show later that it is an output of ours.
    """
    if path is not None and wide is None and format_ not in PAGES:
        wide = False
    if format_ == "parquet" and path is not None:
        import pyarrow.parquet as pq

        pq.write_table(result.summary, path)
    elif format_ == "table":
        _print_evaluation(result, wide)
    elif format_ == "markdown":
        put(markdown_text(result, wide), path)
    elif format_ in PAGES:
        put_page(result, format_, path, result.shown(wide))
    elif format_ == "plain":
        notes = [] if path is None else result.lines_below()
        put("\n".join([*plain_lines(result, bool(wide)), *notes]) + "\n", path)
    elif format_ == "csv":
        put(csv_text(result), path)
    else:
        put(json_text(result.to_dict()), path)
    if format_ != "json":
        if result.verified and format_ != "table":
            print(in_one_line(result.verified), file=sys.stderr)
        print_findings(result.checks, format_)


def write_comparison(result: Comparison, format_: str, path: Path | None, whole: bool = False) -> None:
    """Write a comparison to a file, or to stdout: all columns, or for a screen or page the main ones.

    Args:
        whole: show the other columns on a screen or page as well; a file of Markdown always has them.
    """
    show_all, whole = whole, whole or path is not None
    if format_ == "table" and not whole:
        print_screen(result.lines())
    elif format_ in ("table", "plain"):
        put("\n".join(result.lines(whole=True)) + "\n", path)
    elif format_ == "markdown":
        if result.pairs:
            put(result.shown(whole).markdown(), path)
        elif whole:
            from duckmetrics.results.comparison import RIGHT

            header, cells = result.cells()
            rule = ["---:" if name in RIGHT else "---" for name in header]
            put("".join(markdown_line(line) for line in (header, rule, *cells)), path)
        else:
            put(_markdown_of(brief_columns(result)), path)
    elif format_ in PAGES:
        put_page(result, format_, path, result.shown(show_all))
    else:
        write_result(result, format_, path)


def write_leaderboard(result: Leaderboard, format_: str, path: Path | None, whole: bool = False) -> None:
    """Write a leaderboard to a file, or to stdout: all columns, or for a reader the main ones.

    Args:
        whole: show the other columns as well; a file of text always has them.
    """
    if format_ == SVG:
        put(result.chart().svg(), path)
    elif format_ == "table" and not whole:
        print_screen(result.lines())
    elif format_ in ("table", "plain"):
        put("\n".join(result.lines(whole=True)) + "\n", path)
    elif format_ == "markdown":
        put(result.shown(whole or path is not None).markdown(), path)
    elif format_ in PAGES:
        put_page(result, format_, path, result.shown(whole))
    else:
        write_result(result, format_, path)


def write_result(result: Tabular, format_: str, path: Path | None) -> None:
    """Write all rows and columns of a result to a file, or to stdout."""
    if format_ == "json":
        put(json_text(result.to_dict()), path)
    else:
        write_rows(result.summary, format_, path)


def write_printed(result: Printed, format_: str, path: Path | None) -> None:
    """Write a result to a file, or to stdout: for a reader as it is shown, otherwise all rows and columns."""
    if format_ in ("table", "plain"):
        put(f"{result}\n", path)
    elif format_ == "markdown":
        put(result.shown().markdown(), path)
    elif format_ in PAGES:
        put_table(result.shown(), format_, path)
    else:
        write_result(result, format_, path)


def write_explanation(result: Explanation | ExplainedGroups, format_: str, path: Path | None) -> None:
    """Write an explanation to a file, or to stdout: for a reader the lists, otherwise all items.

    A file of Markdown begins with a line that says who wrote it, because its columns are names of systems.
    """
    if format_ == "table":
        print_screen(result.lines())
    elif format_ == "markdown":
        put(("" if path is None else f"<!-- {WRITTEN_BY} -->\n\n") + result.shown().markdown(), path)
    elif format_ in PAGES:
        put_table(result.shown(), format_, path)
    else:
        write_result(result, format_, path)


def put_page(
    result: Evaluation | Comparison | Leaderboard | Experiment, format_: str, path: Path | None, shown: Shown
) -> None:
    """Write a result for a page: a file of HTML is the report, all else the table."""
    if format_ == HTML and path is not None:
        put(result.report().html, path)
    else:
        put_table(shown, format_, path)


def put_table(shown: Shown, format_: str, path: Path | None) -> None:
    """Write a table for a page: a file of HTML is a whole page, all else the table alone."""
    if format_ == HTML and path is not None:
        put(table_page(shown.title or "duckmetrics", shown.html()), path)
    else:
        put(page_text(format_, shown), path)


def page_text(format_: str, shown: Shown) -> str:
    """Write a table for a page, in HTML or LaTeX."""
    if format_ == HTML:
        return f"<!-- {WRITTEN_BY} -->\n{shown.html()}\n"
    return f"% {WRITTEN_BY}; \\usepackage{{booktabs}}\n{shown.latex()}"


def write_experiment(result: Experiment, format_: str, path: Path | None) -> None:
    """Write an A/B test to a file, or to stdout; CSV and Parquet hold the rows only, with all columns.

    A file of HTML is the report; without a file, HTML is the table.
    """
    if format_ == "table":
        print_screen(result.lines())
    elif format_ == "plain":
        put("\n".join(result.lines(whole=True)) + "\n", path)
    elif format_ == "markdown":
        above, below = ("".join(f"{line}\n\n" for line in lines)
                        for lines in (result.above(sys.maxsize), result.told()))  # fmt: skip
        put(f"{above}{_markdown_of(result.columns())}\n{below.rstrip()}\n", path)
    elif format_ == SVG:
        put(result.chart().svg(), path)
    elif format_ in PAGES:
        put_page(result, format_, path, result.shown())
    else:
        write_result(result, format_, path)


def _markdown_of(columns: Sequence[ScreenColumn]) -> str:
    header, cells = cells_of(columns)
    rule = ["---:" if column.is_number else "---" for column in columns]
    return "".join(markdown_line(line) for line in (header, rule, *cells))


def put(text: str, path: Path | None) -> None:
    """Write text to a file, or to stdout."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def write_rows(rows: pa.Table, format_: str, path: Path | None, command: str = "") -> None:
    """Write the rows of a table to a file, or to stdout.

    Args:
        command: what JSON names as the command.
    """
    if format_ == "json":
        put(json_text(document(command, rows.to_pylist())), path)
        return
    if format_ == "parquet" and path is not None:
        import pyarrow.parquet as pq

        pq.write_table(rows, path)
        return
    if format_ == "table":
        _print_rows(rows)
        return
    names, values = rows.column_names, [list(row.values()) for row in rows.to_pylist()]
    if format_ in PAGES:
        put_table(Shown(names, [[cell_text(value) for value in row] for row in values]), format_, path)
    else:
        put(_ROWS[format_](names, values), path)


def _print_rows(rows: pa.Table) -> None:
    """Print the rows of a table; if a screen cannot hold all, print some at equal distances."""
    table = _table(rows.column_names, rows.column_names)
    for cells in _few_cells(rows):
        table.add_row(*cells)
    _console().print(table)
    if rows.num_rows > MOST_ROWS:
        told = f"{MOST_ROWS} of {rows.num_rows:,} rows, at equal distances; -o FILE or --format csv gives all"
        print(told, file=sys.stderr)


def _few_cells(rows: pa.Table) -> Iterator[list[str]]:
    count = min(rows.num_rows, MOST_ROWS)
    places = [i * (rows.num_rows - 1) // max(count - 1, 1) for i in range(count)]
    for row in rows.take(places).to_pylist():
        yield [cell_text(value) for value in row.values()]


def _rows_markdown(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    cells = [[cell_text(value) for value in row] for row in rows]
    return "".join(markdown_line(line) for line in (names, ["---:"] * len(names), *cells))


def _rows_plain(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Write aligned columns, with numbers to the right."""
    numeric = [name for name, column in zip(names, zip(*rows, strict=True), strict=False)
               if all(value is None or isinstance(value, int | float) for value in column)]  # fmt: skip
    cells = [[cell_text(value) for value in row] for row in rows]
    return "".join(f"{line}\n" for line in aligned(names, cells, numeric))


def shown_rows(rows: pa.Table) -> Shown:
    """Return the rows of a table, such as a curve, for a page."""
    return Shown(rows.column_names, list(_few_cells(rows)), rows.column_names)


_ROWS = {"csv": rows_csv, "markdown": _rows_markdown, "plain": _rows_plain}


def print_catalog() -> None:
    """Print the metrics by family and group."""
    table = _table(["metric", "also", "title", "range"])
    for (family, group), found in grouped().items():
        table.add_row()
        table.add_row(f"{family}: {group}" if group else family, style="bold")
        for metric in found:
            aliases = ", ".join(alias for alias, _ in metric.aliases())
            bounds = metric.header.get("range", "rows")
            table.add_row(f"{family}.{metric.name}", aliases, metric.title, bounds)
    console = _console()
    console.print(table)
    console.print("duckmetrics metrics NAME explains one", style="dim")


def print_checks() -> None:
    """Print the checks of data by family."""
    table = _table(["check", "family", "severity", "title"])
    for check in checks():
        table.add_row(check.reported, family_of(check), check.header["severity"], check.title)
    console = _console()
    console.print(table)
    console.print("duckmetrics checks NAME explains one", style="dim")


def csv_text(result: Evaluation) -> str:
    """Return one line per result, with all columns and unrounded numbers."""
    columns = list(result.rows[0])
    return rows_csv(columns, [[row[column] for column in columns] for row in result.rows])


def markdown_text(result: Evaluation, wide: bool | None = None) -> str:
    """Return a table to paste into a pull request."""
    if not (result.is_wide if wide is None else wide):
        header, cells = result.cells()
        rule = ["---:" if name in NUMERIC else "---" for name in header]
        return "".join(markdown_line(line) for line in (header, rule, *cells))
    (block,) = blocks_of(result, sys.maxsize)
    rule = ["---" if i < block.keys else "---:" for i in range(len(block.header))]
    cells = [[cell.strip() for cell in row] for row in block.cells]
    table = "".join(markdown_line(line) for line in (block.header, rule, *cells))
    return table + "".join(f"\n{visible(line)}\n" for line in footer_of(result))


def _table(header: Sequence[str], numeric: Sequence[str] = NUMERIC) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        right = name in numeric
        table.add_column(
            name, justify="right" if right else "left", no_wrap=name in ("metric", "value"), overflow="fold"
        )
    return table


def _console() -> Console:
    """Return standard output; a line is broken for a terminal only, never for a pipe."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 10_000
    return console


def _print_evaluation(result: Evaluation, wide: bool | None) -> None:
    """Print the values for a screen, the notes below them dimmed."""
    verified = [in_one_line(result.verified)] if result.verified else []
    is_wide = result.is_wide if wide is None else wide
    print_screen([*result.lines(wide=wide), *verified], footer_of(result) if is_wide else ())


def print_screen(lines: Iterable[str], below: Collection[str] = ()) -> None:
    """Print lines with color on a terminal: verdicts, the best values, and what needs attention.

    Args:
        below: the lines that are dimmed.
    """
    given = [*lines]
    shown, dimmed = writable(given), [line in below for line in given]
    if not any(dimmed) and not any(re.search(pattern, line) for line in shown for pattern in HIGHLIGHTS):
        # To import the printer of colors takes a twentieth of a short command.
        sys.stdout.writelines(f"{line}\n" for line in shown)
        return
    from rich.text import Text

    console = _console()
    for line, is_dimmed in zip(shown, dimmed, strict=True):
        text = Text(line, style="dim" if is_dimmed else "")
        for pattern, style in HIGHLIGHTS.items():
            text.highlight_regex(pattern, style)
        console.print(text, soft_wrap=True)


def print_findings(findings: Collection[Finding], format_: str) -> None:
    """Print findings to stderr: for a person with a mark, next to other formats as lines of a log."""
    if not findings:
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for finding in findings:
        lines = finding.marked(sys.maxsize) if format_ == "table" else [finding.line]
        for line in writable(lines, getattr(sys.stderr, "encoding", None)):
            console.print(line, style=SEVERITY_STYLE[finding.severity])
