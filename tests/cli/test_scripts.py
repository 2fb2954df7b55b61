"""The output that scripts rely on: formats, keys and exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

import duckmetrics
from support.command_line import Outcome, exports, results, run
from support.little import DCG, RR, little

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

SUMMARY = ["system", "metric", "slice", "value", "lower", "upper", "reason", "n", "n_missing",
           "n_no_relevant", "n_undefined", "n_positive", "better", "target", "signature"]  # fmt: skip

SIGNATURE = "|".join(
    ["reciprocal_rank", "catalog_size:null", "duplicates:error", "labels:truth", "missing:zero",
     "negative_grade:error", "no_relevant:null", "null_relevance:error", "population:truth", "rel:null",
     "scores:double", "ties:item_asc", "unjudged:nonrelevant", "agg:mean", f"v:{duckmetrics.__version__}"]
)  # fmt: skip


# --- formats ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_json_has_every_key_and_every_digit(run: Command) -> None:
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr,dcg", "--format", "json")
    first, second = results(outcome)
    assert first == {
        "system": None, "metric": "rr", "slice": "", "value": RR, "lower": None, "upper": None,
        "reason": None, "n": 3, "n_missing": 1, "n_no_relevant": 0, "n_undefined": 0, "n_positive": None,
        "better": "higher", "target": None, "signature": SIGNATURE,
    }  # fmt: skip
    with little() as connection:
        expected = duckmetrics.evaluate("predictions", "truth", "dcg", connection=connection)["dcg"]
    assert second["value"] == expected == pytest.approx(DCG)
    (check,) = json.loads(outcome.out)["checks"]
    assert {**check, "message": ""} == {
        "check": "unanswered_query", "severity": "warning", "table": "p.parquet", "column": "query_id",
        "count": 1, "examples": [], "message": "",
        "advice": "each that has a relevant item counts as 0 (missing=zero)", "of": 3, "share": 1 / 3,
        "sentence": "1 query has no predictions",
    }  # fmt: skip
    assert outcome.err == ""


def test_json_names_systems_and_segments(run: Command) -> None:
    arguments = ["--system", "model", "--by", "country", "--queries", "users.parquet", "--format", "json"]
    found = results(run("evaluate", "models.parquet", "t.parquet", "-m", "rr", *arguments))
    assert [(r["system"], r["slice"], r["country"], r["value"], r["n"]) for r in found] == [
        ("A", "", None, RR, 3), ("B", "", None, 0.5, 3),
        ("A", "country", "DE", 0.5, 1), ("B", "country", "DE", 1.0, 1),
        ("A", "country", "FR", 1.0, 1), ("B", "country", "FR", 0.5, 1),
        ("A", "country", None, 0.0, 1), ("B", "country", None, 0.0, 1),
    ]  # fmt: skip


def test_json_has_null_with_a_reason_where_there_is_no_value(run: Command) -> None:
    (found,) = results(run("evaluate", "p.parquet", "none.parquet", "-m", "rr", "--format", "json"))
    assert (found["value"], found["reason"], found["n_no_relevant"]) == (
        None,
        "no query has a relevant item",
        1,
    )


def test_json_never_has_null_without_a_reason(run: Command) -> None:
    truth = "SELECT query_id, item_id, 2000 AS relevance FROM 't.parquet'"
    (found,) = results(run("evaluate", "p.parquet", truth, "-m", "ndcg(gain=exp2)", "--format", "json"))
    assert (found["value"] is None) == (found["reason"] is not None)


@pytest.mark.slow
def test_json_stays_valid_where_a_segment_is_not_a_number(run: Command) -> None:
    arguments = ["--by", "age", "--queries", "users.parquet", "--format", "json"]
    found = results(run("evaluate", "p.parquet", "t.parquet", "-m", "rr", *arguments))
    assert [r["value"] for r in found if r["age"] == 1.5] == [0.5]
    assert [r["value"] for r in found if r["age"] == "nan"] == [1.0]
    assert len(found) == 4


def test_csv_has_all_columns_and_every_digit(run: Command) -> None:
    outcome = run(
        "evaluate", "models.parquet", "t.parquet", "-m", "dcg", "--system", "model", "--format", "csv"
    )
    first, second = csv.DictReader(io.StringIO(outcome.out))
    assert list(first) == SUMMARY
    assert (first["system"], float(first["value"]), first["n"], first["reason"]) == (
        "A",
        pytest.approx(DCG),
        "3",
        "",
    )
    assert second["system"] == "B"
    assert outcome.err.startswith("warning: models.parquet: ")


def test_markdown_is_a_table(run: Command) -> None:
    outcome = run(
        "evaluate", "models.parquet", "t.parquet", "-m", "rr", "--system", "model", "--format", "markdown"
    )
    assert outcome.out == "| metric | A | B |\n| --- | ---: | ---: |\n| rr | 0.5000 | 0.5000 |\n\nn = 3\n"
    outcome = run(
        "evaluate", "models.parquet", "t.parquet", "-m", "rr", "--system", "model", "--format", "markdown",
        "--long",
    )  # fmt: skip
    assert outcome.out == (
        "| system | metric | value | n | n_missing |\n| --- | --- | ---: | ---: | ---: |\n"
        "| A | rr | 0.5000 | 3 | 1 |\n| B | rr | 0.5000 | 3 | 1 |\n"
    )


def test_the_default_is_a_table_to_read_with_the_warnings_beside_it(run: Command) -> None:
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "-m", "dcg")
    assert [line.split() for line in outcome.out.splitlines()] == [
        ["metric", "value", "n", "n_missing"],
        ["─" * len(outcome.out.splitlines()[0])],
        ["rr", "0.5000", "3", "1"],
        ["dcg", "0.8770", "3", "1"],
    ]
    assert outcome.err.startswith("! 1 ")
    assert outcome.err.count("\n") == 1


def test_no_name_is_printed_as_a_picture(run: Command) -> None:
    outcome = run("evaluate", "t.parquet", "--system", ":car:=p.parquet", "-m", "rr")
    assert outcome.out.splitlines()[2].startswith(":car:")


def test_parquet_needs_a_file_and_holds_the_summary(run: Command, tmp_path: Path) -> None:
    refused = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--format", "parquet")
    assert (refused.code, refused.out) == (2, "")
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "-o", tmp_path / "results.parquet")
    assert (outcome.code, outcome.out) == (0, "")
    table = pq.read_table(tmp_path / "results.parquet")
    assert table.column_names == SUMMARY
    assert table.to_pylist()[0]["value"] == RR


# --- files -----------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize("suffix", ["json", "csv", "md", "parquet", "txt"])
def test_the_suffix_of_the_output_tells_its_format(run: Command, tmp_path: Path, suffix: str) -> None:
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "-o", tmp_path / f"r.{suffix}")
    assert (outcome.code, outcome.out) == (0, "")
    start = {"json": b"{\n", "csv": b"system,", "md": b"| metric", "parquet": b"PAR1", "txt": b"metric"}[
        suffix
    ]
    assert (tmp_path / f"r.{suffix}").read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [f"r.{suffix}"]


def test_values_per_query_are_written_beside_the_results(run: Command, tmp_path: Path) -> None:
    path = tmp_path / "values.parquet"
    by = ["--by", "country", "--by", "plan", "--queries", "users.parquet", "--system", "model"]
    run("evaluate", "models.parquet", "t.parquet", "-m", "rr", "--per-query", path, *by)
    table = pq.read_table(path)
    assert table.column_names == ["system", "metric", "country", "plan", "query_id", "value", "signature"]
    assert {row["signature"].partition("|")[0] for row in table.to_pylist()} == {"reciprocal_rank"}
    rows = {tuple(row.values())[:-1] for row in table.to_pylist()}
    assert rows == {
        ("A", "rr", "DE", "x", "q1", 0.5), ("B", "rr", "DE", "x", "q1", 1.0),
        ("A", "rr", "FR", "y", "q2", 1.0), ("B", "rr", "FR", "y", "q2", 0.5),
        ("A", "rr", None, None, "q3", 0.0), ("B", "rr", None, None, "q3", 0.0),
    }  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("writer", "option"), [("cli.output.write", "-o"), ("engines.targets._keep_mode", "--per-query")]
)
def test_a_failure_leaves_no_half_written_file(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, option: str
) -> None:
    path = tmp_path / "r.parquet"
    assert run("evaluate", "p.parquet", "t.parquet", "-m", "rr", option, path).code == 0
    before = path.read_bytes()

    def break_off(*arguments: Any) -> None:
        draft = next(one for one in reversed(arguments) if isinstance(one, Path))
        draft.write_text("half")
        raise OSError("No space left on device")

    monkeypatch.setattr(f"duckmetrics.{writer}", break_off)
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", option, path)
    assert outcome.code == 2
    assert "No space left on device" in outcome.err
    assert str(path) in outcome.err
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_refused_evaluation_leaves_the_file_alone(run: Command, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "-o", path).code == 0
    before = path.read_bytes()
    assert run("evaluate", "p.parquet", "t.parquet", "-m", "ndgc", "-o", path).code == 2
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


# --- processes -------------------------------------------------------------------------------------


def python(*arguments: str, folder: Path | None = None) -> Outcome:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_the_module_runs_as_a_command(exports: Path) -> None:
    command = ["-m", "duckmetrics", "evaluate"]
    outcome = python(*command, "p.parquet", "t.parquet", "-m", "rr", "--format", "json", folder=exports)
    assert results(outcome)[0]["value"] == RR
    assert outcome.err == ""
    outcome = python(*command, "x.parquet", "-m", "rr", folder=exports)
    assert outcome == (2, "", "duckmetrics: x.parquet: no such file; check the path\n")


PROGRAM = """
import sys
from duckmetrics.cli.main import main
try:
    main({arguments})
finally:
    print([name for name in ("duckdb", "sqlglot", "pyarrow", "rich") if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.some(3)
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["evaluate", "--help"], ["sql", "--help"]])
def test_help_needs_neither_the_database_nor_the_parser(arguments: list[str]) -> None:
    code, out, err = python("-c", PROGRAM.format(arguments=arguments))
    assert (code, err) == (0, "[]\n")
    assert out


ENDED = """
import atexit, sys
from duckmetrics.cli import process
atexit.register(print, "the end", end="")
sys.argv = ["duckmetrics", {argument!r}]
process()
"""


@pytest.mark.parametrize(("argument", "code"), [("--version", 0), ("evaluate", 2), ("--nonsense", 2)])
def test_what_is_due_at_the_exit_is_done(argument: str, code: int) -> None:
    outcome = python("-c", ENDED.format(argument=argument))
    assert (outcome.code, outcome.out[-7:], bool(outcome.err)) == (code, "the end", code == 2)


def test_an_interrupt_ends_without_a_word(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("duckmetrics.engines.duckdb.DuckDBEngine.rows", interrupt)
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr")
    assert (outcome.code, outcome.out, outcome.err.strip()) == (130, "", "")
