"""The benchmarks: a page that keeps the results of other works, and a record with known values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from benchmarks import record
from benchmarks.report import Outcome, write
from benchmarks.timing import Run, values_of
from benchmarks.works import WORKS

if TYPE_CHECKING:
    from pathlib import Path

TWENTY = next(work for work in WORKS if work.name == "twenty metrics next to one")
START = next(work for work in WORKS if work.suite == "start")
ROWS = 100_000


def outcome(work_seconds: float, turns: int = 3) -> Outcome:
    made = Outcome(TWENTY, 10, "this machine")
    made.runs["one (map)"] = [Run(1.0, 1.5, 100.0, {})] * turns
    made.runs["twenty"] = [Run(work_seconds, 2.0, 120.0, {})] * turns
    return made


def test_a_page_keeps_the_results_of_other_works(tmp_path: Path) -> None:
    started = Outcome(START, 10, "another machine")
    started.runs["--help"] = [Run(0.1, 0.05, 20.0, {})]
    for made in (outcome(1.5), started, outcome(1.25)):
        write(tmp_path, made)
    page = (tmp_path / "results.md").read_text("utf-8")
    assert "| twenty / one (map) | 1.25 | 1.25 | 1.25 | <= 1.3 | yes |" in page
    assert "| CPU seconds of --help | 0.05 | 0.05 | 0.05 | <= 0.1 | yes |" in page
    assert page.count("###") == 2
    assert "1.5 | 1.5" not in page
    write(tmp_path)
    assert (tmp_path / "results.md").read_text("utf-8") == page


def test_a_page_says_which_target_is_missed_and_why_a_process_is_not_there(tmp_path: Path) -> None:
    made = outcome(2.0)
    made.failures["one (map)"] = "no such package"
    write(tmp_path, outcome(2.0))
    assert "| <= 1.3 | **no** |" in (tmp_path / "results.md").read_text("utf-8")
    write(tmp_path, made)
    assert "| one (map) | not run: no such package | | |" in (tmp_path / "results.md").read_text("utf-8")


def test_values_of_our_json_have_the_name_of_their_system() -> None:
    first, second = (
        '{"metric": "mrr", "system": "A", "value": 0.5}',
        '{"metric": "map", "system": null, "value": 1}',
    )
    assert values_of(f'{{"rows": [{first}, {second}]}}') == {"mrr of A": 0.5, "map": 1}
    assert values_of('{"auc": 0.75}') == {"auc": 0.75}
    assert values_of("12") == values_of("no JSON") == {}


@pytest.mark.slow
def test_the_record_of_few_rows_agrees_with_its_closed_form(tmp_path: Path) -> None:
    folder, results = tmp_path / "data", tmp_path / "results"
    record.main(["--rows", str(ROWS), "--folder", str(folder), "--output", str(results)])
    page = "".join((results / f"record_{name}.md").read_text("utf-8") for name in record.SETS)
    assert f"| clicks | {ROWS:,} |" in page
    assert "| recall@100 | 0.700000000000 | 0.700000000000 |" in page
    file = folder / str(ROWS) / "recommendations" / "per_query.parquet"
    changed = tmp_path / "changed.parquet"
    rows = f"SELECT * REPLACE (value + CAST(query_id = 7 AS INTEGER) / 1e6 AS value) FROM '{file}'"
    duckdb.sql(f"COPY ({rows}) TO '{changed}'")
    with pytest.raises(SystemExit, match=r"3,996 right values of 4,000 .*, not 4,000"):
        record.compare_users(changed, ROWS // 100)
    wrong = {"rows": [{"metric": metric, "value": 0.5} for metric in ("ndcg@10", "map", "mrr", "recall@100")]}
    with pytest.raises(SystemExit, match=r"ndcg@10 is 0\.5, not 0\.1228"):
        record.compare(folder / str(ROWS), "recommendations", ROWS, wrong)
