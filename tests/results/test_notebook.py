"""Tables in a notebook: HTML for our tables, which remain tables of PyArrow everywhere else."""

from __future__ import annotations

import re
import sys
from html import unescape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import compare, evaluate, run_test
from duckmetrics.results.tabular import readable, table_html
from support.little import LITTLE, PREDICTIONS, little

if TYPE_CHECKING:
    from pathlib import Path


class Formatter:
    """The parts of IPython's HTML formatter that duckmetrics uses."""

    def __init__(self) -> None:
        self.type_printers: dict[type, Any] = {}

    def for_type(self, type_: type, printer: Any) -> None:
        self.type_printers[type_] = printer


@pytest.fixture
def formatter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the formatter of a running IPython, the real one where it is installed."""
    try:
        from IPython.core.formatters import HTMLFormatter

        made = HTMLFormatter()
    except ImportError:
        made = Formatter()
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": made}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    return made


REVERSE = f"SELECT * REPLACE (-score AS score) FROM {PREDICTIONS}"


def is_shown(table: pa.Table) -> bool:
    shown = table_html(table)
    return shown is not None and all(f"<th>{column}</th>" in shown for column in table.column_names)


@pytest.mark.slow
def test_the_tables_of_a_comparison_are_shown() -> None:
    found = compare({"A": "predictions", "B": REVERSE}, "truth", "rr", connection=little())
    tables = (found.summary, found.per_query, found.movers(), found.evaluation.summary)
    assert all(map(is_shown, tables))


@pytest.mark.slow
def test_every_table_of_a_python_function_is_shown() -> None:
    connection = little()
    clicks = pa.table({"label": [0, 1, 1, 0], "score": [0.1, 0.8, 0.6, 0.4]})
    units = pa.table({"v": ["A", "B"] * 8, "x": list(range(16))})
    asked: tuple[Any, ...] = ("predictions", "truth", "rr")
    results = {
        "pairs": compare({"A": "predictions", "B": REVERSE}, *asked[1:], pairs=True, connection=connection),
        "test": run_test("sample_ratio", [5, 7]),
        "ties": duckmetrics.ties(*asked, connection=connection),
        "conventions": duckmetrics.conventions(*asked, like="ranx", connection=connection),
        "check": duckmetrics.check(*asked, connection=connection),
        "ab": duckmetrics.ab(units, variant="v", control="A", metrics="x"),
    }
    tables = {
        **{name: result.summary for name, result in results.items()},
        "curve": duckmetrics.curve(clicks, "roc_curve"),
        "table": evaluate(clicks, metrics="auc").table("roc_curve"),
    }
    assert [name for name, table in tables.items() if not is_shown(table)] == []


def test_the_html_is_short_and_safe() -> None:
    shown = str(table_html(duckmetrics.metrics()))
    assert shown.count("<tr>") == 1 + 20
    assert "rows; the first 20 are shown" in shown
    cells = re.findall(r"<td>(.*?)</td>", shown)
    assert max(len(unescape(cell)) for cell in cells) == 60
    assert "1 row<" in str(table_html(duckmetrics.metrics().slice(0, 1)))
    named = readable(pa.table({"<i>": ["<b>"], "list": [["x", "y"]], "number": [1 / 3]}))
    assert "<th>&lt;i&gt;</th>" in str(table_html(named))
    assert "<td>&lt;b&gt;</td><td>x; y</td><td>0.333333</td>" in str(table_html(named))


def test_ipython_shows_them(formatter: Any) -> None:
    ours = duckmetrics.metrics()
    printer = formatter.type_printers[pa.Table]
    assert printer(ours).startswith("<table>")
    assert printer(ours.slice(3).select(["name"])).startswith("<table>")
    # Tables of others look as before, and our formatter runs once.
    assert printer(pa.table({"a": [1]})) is None
    duckmetrics.metrics()
    assert formatter.type_printers[pa.Table] is printer


def test_what_somebody_else_shows_stays(formatter: Any) -> None:
    formatter.for_type(pa.Table, lambda table: "mine")
    ours = duckmetrics.metrics()
    printer = formatter.type_printers[pa.Table]
    assert (printer(pa.table({"a": [1]})), printer(ours)[:7]) == ("mine", "<table>")


def test_nothing_happens_without_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert type(duckmetrics.metrics()) is pa.Table


def test_they_are_tables_of_pyarrow(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(LITTLE)
        values = evaluate("predictions", "truth", "rr", connection=connection).per_query
    assert type(values) is pa.Table
    rows = values.to_pylist()
    assert duckdb.sql("SELECT count(*) FROM values").fetchall() == [(len(rows),)]
    pq.write_table(values, tmp_path / "v.parquet")
    assert pq.read_table(tmp_path / "v.parquet").to_pylist() == rows
    plain = pa.Table.from_pylist(rows, pa.schema([(field.name, field.type) for field in values.schema]))
    assert values == plain
    assert pa.concat_tables([values, plain]).num_rows == 2 * len(rows)
    assert pa.table(values).to_pylist() == rows
    assert isinstance(values.to_pandas(), pd.DataFrame)
    assert pl.DataFrame(values).height == len(rows)
    assert values.column("value").to_pylist() == [row["value"] for row in rows]
