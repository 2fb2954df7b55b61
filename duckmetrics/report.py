"""Results as text: a terminal table, JSON, CSV, Markdown, Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from duckmetrics.api import catalog

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duckmetrics.results import Evaluation

COUNTS = ("n", "n_missing", "n_no_relevant", "n_undefined")
NUMERIC = ("value", *COUNTS)
SEVERITY_STYLE = {"warning": "yellow", "note": "dim"}


def write(result: Evaluation, format_: str, path: Path | None) -> None:
    """Write a result to a file, or to stdout; what the checks found goes to stderr beside a table."""
    if format_ == "parquet" and path is not None:
        import pyarrow.parquet as pq

        pq.write_table(result.summary, path)
    elif format_ == "table" and path is None:
        _print_table(result)
    else:
        text = _TEXTS[format_](result)
        if path is None:
            sys.stdout.write(text)
        else:
            path.write_text(text, encoding="utf-8")
    if format_ != "json":
        _print_findings(result)


def print_catalog() -> None:
    """Print the metrics by family."""
    table = _table(["metric", "also", "title", "range"])
    for (family, name), metric in sorted(catalog().metrics.items()):
        aliases = ", ".join(alias for alias, _ in metric.aliases())
        table.add_row(f"{family}.{name}", aliases, metric.title, metric.header["range"])
    console = _console()
    console.print(table)
    console.print("duckmetrics metrics NAME explains one", style="dim")


def json_text(result: Evaluation) -> str:
    """One object: {"results": [...], "checks": [...]}; every key is always there."""
    results = [
        {
            "system": row["system"],
            "metric": row["metric"],
            "value": row["value"],
            "reason": row["reason"],
            **{count: row[count] for count in COUNTS},
            "segment": {column: _valid(value) for column, value in result.segment(row).items()},
            "signature": row["signature"],
        }
        for row in result.rows
    ]
    document = {"results": results, "checks": [asdict(finding) for finding in result.checks]}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def csv_text(result: Evaluation) -> str:
    """One line per result, all columns, numbers unrounded."""
    text = io.StringIO()
    columns = list(result.rows[0])
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[column] for column in columns] for row in result.rows)
    return text.getvalue()


def markdown_text(result: Evaluation) -> str:
    """A table to paste into a pull request."""
    header, cells = result.table()
    rule = ["---:" if name in NUMERIC else "---" for name in header]
    return "".join(_markdown_line(line) for line in (header, rule, *cells))


def plain_text(result: Evaluation) -> str:
    return f"{result!r}\n"


_TEXTS = {"json": json_text, "csv": csv_text, "markdown": markdown_text, "table": plain_text}


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _valid(value: Any) -> Any:
    """JSON has no NaN and no Infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _table(header: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        right = name in NUMERIC
        table.add_column(
            name, justify="right" if right else "left", no_wrap=name in ("metric", "value"), overflow="fold"
        )
    return table


def _console() -> Console:
    """Standard output; a line is broken for a terminal only, never for a pipe."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 10_000
    return console


def _print_table(result: Evaluation) -> None:
    header, cells = result.table()
    table = _table(header)
    previous: list[str] | None = None
    by = [i for i, name in enumerate(header) if name in result.by]
    for row in cells:
        segment = [row[i] for i in by]
        if previous is not None and segment != previous:
            table.add_section()
        previous = segment
        table.add_row(*row)
    _console().print(table)


def _print_findings(result: Evaluation) -> None:
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for finding in result.checks:
        console.print(f"{finding.severity}: {finding.message}", style=SEVERITY_STYLE[finding.severity])
