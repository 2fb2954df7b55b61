"""``duckmetrics report``: one file, of an evaluation or of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command_line import Command, exports, run
from support.reports import Page

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["exports", "run"]


def page(exports: Path, name: str = "report.html") -> Page:
    return Page((exports / name).read_text("utf-8"))


@pytest.mark.slow
def test_one_system_is_evaluated_with_intervals(run: Command, exports: Path) -> None:
    code, out, err = run("report", "p.parquet", "t.parquet", "-m", "dcg,mrr")
    assert (code, err) == (0, "")
    assert out.startswith("report.html: dcg is 0.")
    found = page(exports)
    assert found.numbers["baseline"] is None
    assert found.numbers["level"] == 0.95
    assert found.numbers["title"] == "p.parquet"


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        ("t.parquet", "--system", "A=p.parquet", "--system", "B=reverse.parquet"),
        ("models.parquet", "t.parquet", "--system", "model", "--baseline", "A"),
    ],
)
def test_several_systems_are_compared(run: Command, exports: Path, given: tuple[str, ...]) -> None:
    code, out, err = run("report", *given, "-m", "mrr", "-o", "two.html", "--title", "Two runs")
    assert (code, err) == (0, "")
    assert out == "two.html: B does not clearly differ from A.\n"
    found = page(exports, "two.html")
    assert (found.numbers["baseline"], found.numbers["title"]) == ("A", "Two runs")


@pytest.mark.slow
def test_ids_are_left_out(run: Command, exports: Path) -> None:
    run("report", "p.parquet", "t.parquet", "-m", "mrr", "-o", "with.html")
    run("report", "p.parquet", "t.parquet", "-m", "mrr", "-o", "without.html", "--no-ids")
    assert "query_id=q3" in (exports / "with.html").read_text()
    assert "q3" not in (exports / "without.html").read_text()


@pytest.mark.slow
def test_other_conventions_are_recounted(run: Command, exports: Path) -> None:
    given = ("t.parquet", "--system", "A=p.parquet", "--system", "B=reverse.parquet", "-m", "mrr")
    code, _, err = run(
        "report", *given, "--otherwise", "missing=skip", "--otherwise", "ties=item_desc,missing=skip"
    )
    assert (code, err) == (0, "")
    names = [one["name"] for one in page(exports).numbers["otherwise"]]
    assert names == ["as it is", "missing=skip", "ties=item_desc, missing=skip"]


REFUSED = {
    "report.pdf: a report is a page of HTML; call it report.html": ("-o", "report.pdf"),
    "p.parquet: a report is a page of HTML; call it p.html": ("-o", "p.parquet"),
    "--test: is for several systems": ("--test", "sign"),
    "--otherwise: is for several systems": ("--otherwise", "missing=skip"),
    "compare: one system only": ("--baseline", "Z"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_reported_is_refused(run: Command, exports: Path, message: str) -> None:
    code, out, err = run("report", "p.parquet", "t.parquet", "-m", "mrr", "-o", "no.html", *REFUSED[message])
    assert (code, out) == (2, "")
    assert message.split(":")[0] in err
    assert "Traceback" not in err
    assert not (exports / "no.html").exists()


def test_a_column_of_systems_needs_a_baseline(run: Command) -> None:
    code, _, err = run("report", "models.parquet", "t.parquet", "--system", "model", "-m", "mrr")
    assert code == 2
    assert "baseline: not given; set baseline= (--baseline) to 'A' or 'B'" in err


def test_a_foreign_file_is_kept(run: Command, exports: Path) -> None:
    (exports / "mine.html").write_text("<p>mine</p>")
    code, _, err = run("report", "p.parquet", "t.parquet", "-m", "mrr", "-o", "mine.html")
    assert code == 2
    assert "exists and is not an html file of duckmetrics" in err
    assert (exports / "mine.html").read_text() == "<p>mine</p>"
