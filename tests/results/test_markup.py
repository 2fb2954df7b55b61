"""Tables for a page: LaTeX and HTML, in Python and on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

TRUTH = "SELECT q AS query_id, 1 AS item_id FROM range(8) AS t(q)"
SPECIAL = r"a_b & 5% #1 {x} ~^\$<b>"

ESCAPED = r"a\_b \& 5\% \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{}\$$<$b$>$"


def run(best: int) -> str:
    """Return a run with the item at rank 1 in a given number of queries, and at rank 2 in the others."""
    return (
        f"SELECT q AS query_id, i AS item_id, CASE WHEN q < {best} THEN -i ELSE i END AS score "
        "FROM range(8) AS t(q), range(1, 3) AS u(i)"
    )


@pytest.fixture
def evaluated() -> duckmetrics.Evaluation:
    systems = {SPECIAL: run(8), "old": run(2)}
    return duckmetrics.evaluate(None, TRUTH, ["mrr", "hit_rate@1"], system=systems)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def test_latex_has_the_best_in_bold_and_nothing_that_latex_reads(evaluated: duckmetrics.Evaluation) -> None:
    lines = evaluated.to_latex().splitlines()
    assert lines[:4] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        rf"metric & {ESCAPED} & old \\",
        r"\midrule",
    ]
    assert lines[4:6] == [r"mrr & \textbf{1.0000} & 0.6250 \\", r"hit\_rate@1 & \textbf{1.0000} & 0.2500 \\"]
    assert lines[6:8] == [r"\bottomrule", r"\end{tabular}"]
    assert all(line.startswith("% ") for line in lines[8:])


@pytest.mark.slow
def test_every_row_has_as_many_cells_as_the_tabular_has_columns() -> None:
    found = duckmetrics.compare({"A": run(2), "B": run(6)}, TRUTH, ["mrr", "hit_rate@1"])
    for whole in (False, True):
        text = found.to_latex(whole=whole)
        columns = re.search(r"tabular\}\{([lr]+)\}", text)
        assert columns is not None
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len(rows) == len(found.rows) + 1 - (0 if whole else 2)
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns[1])}


@pytest.mark.slow
def test_a_negative_number_has_a_minus() -> None:
    found = duckmetrics.compare({"A": run(6), "B": run(2)}, TRUTH, "mrr")
    assert "& $-$0.2500 &" in found.to_latex()


def test_html_shows_names_as_text(evaluated: duckmetrics.Evaluation) -> None:
    page = evaluated._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", ["tex", "html"])
def test_a_page_is_written_and_replaced(command: Command, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"table.{suffix}"
    said = ["evaluate", f"sql:{run(5)}", TRUTH, "-m", "mrr", "-o", target]
    assert command(*said).code == 0
    first = target.read_text("utf-8")
    assert "written by duckmetrics" in first.splitlines()[0]
    assert "0.8125" in first
    assert command(*said).code == 0
    target.write_text("% a table of mine\n", "utf-8")
    refused = command(*said)
    assert refused.code == 2
    assert f"exists and is not a{'n' if suffix == 'html' else ''} " in refused.err
    assert target.read_text("utf-8") == "% a table of mine\n"


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["latex", "html"])
def test_other_commands_write_pages_too(command: Command, format_: str) -> None:
    found = command("conventions", f"sql:{run(5)}", TRUTH, "-m", "mrr", "--like", "ranx", "--format", format_)
    assert found.code == 0
    assert "reciprocal" in found.out
    assert ("\\toprule" if format_ == "latex" else "<table>") in found.out
