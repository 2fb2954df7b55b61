"""The command line for classifiers: evaluate on one table, curve, and the catalogue's tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pyarrow.parquet as pq
import pytest

from support.command_line import exports, results, run

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

__all__ = ["exports", "run"]

CLICKS = """(VALUES (true, 0.9, 'DE', 'A'), (false, 0.2, 'DE', 'A'), (true, 0.4, 'DE', 'A'),
    (false, 0.4, 'FR', 'A'), (true, 0.3, 'DE', 'B'), (false, 0.7, 'DE', 'B'), (false, 0.1, 'FR', 'B'))
    AS c(clicked, pctr, country, model)"""
MAPPED = ("--column", "label=clicked", "--column", "score=pctr")


@pytest.fixture(scope="module", autouse=True)
def clicks(exports: Path) -> None:
    duckdb.execute(f"COPY (FROM {CLICKS}) TO '{exports}/clicks.parquet'")


def test_a_table_of_clicks_is_evaluated_by_segment_and_system(run: Command) -> None:
    outcome = run("evaluate", "clicks.parquet", "-m", "auc,accuracy(threshold=0.3)", *MAPPED,
                  "--system", "model", "--by", "country", "--format", "json")  # fmt: skip
    found = {(r["system"], r["metric"], r["country"]): r for r in results(outcome)}
    assert found["A", "auc", None]["value"] == 3.5 / 4
    assert found["B", "auc", None]["value"] == 1 / 2
    assert found["A", "auc", "DE"]["value"] == 1
    assert found["B", "accuracy(threshold=0.3)", None]["value"] == pytest.approx(2 / 3)
    alone = found["A", "auc", "FR"]
    assert (alone["value"], alone["reason"], alone["n"], alone["n_positive"]) == (
        None, "one class only: no positive row", 1, 0,
    )  # fmt: skip
    assert found["A", "auc", None]["signature"].startswith("auc|approx:null|undefined:null|weighted:false|v:")


def test_an_interval_that_holds_the_exact_value_is_printed(run: Command) -> None:
    found = results(run("evaluate", "clicks.parquet", "-m", "auc(approx=2),auc", *MAPPED, "--format", "json"))
    assert found[0]["lower"] <= found[1]["value"] <= found[0]["upper"]
    assert found[1]["lower"] is None
    shown = run("evaluate", "clicks.parquet", "-m", "auc(approx=2)", *MAPPED).out
    assert shown.split()[:4] == ["metric", "value", "lower", "upper"]


def test_a_curve_is_printed_with_its_end_points(run: Command) -> None:
    outcome = run("curve", "roc_curve", "clicks.parquet", *MAPPED, "--format", "json")
    assert outcome.code == 0
    points = json.loads(outcome.out)["rows"]
    assert [(p["tp"], p["fp"]) for p in points] == [(0, 0), (1, 0), (1, 1), (2, 2), (3, 2), (3, 3), (3, 4)]
    assert points[0]["threshold"] == "inf"
    assert points[-1]["area"] == pytest.approx(8.5 / 12)  # 4 + 2.5 + 2 pairs won


def test_thresholds_can_be_a_list(run: Command) -> None:
    outcome = run(
        "curve", "confusion", "clicks.parquet", *MAPPED, "--set", "threshold=0.3,0.5", "--format", "csv"
    )
    assert outcome.out.splitlines() == ["threshold,tp,fp,fn,tn", "0.3,3.0,2.0,0.0,2.0", "0.5,1.0,1.0,2.0,3.0"]


@pytest.mark.some(2)
@pytest.mark.parametrize("suffix", ["json", "csv", "md", "parquet", "txt"])
def test_a_curve_is_written_to_a_file(run: Command, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"curve.{suffix}"
    outcome = run("curve", "pr_curve", "clicks.parquet", *MAPPED, "--by", "country", "-o", path)
    assert (outcome.code, outcome.out) == (0, "")
    assert path.stat().st_size > 0
    if suffix == "parquet":
        table = pq.read_table(path)
        assert table.column_names == [
            "slice",
            "country",
            "threshold",
            "tp",
            "fp",
            "precision",
            "recall",
            "area",
        ]
        assert table.column("slice").to_pylist().count("country") == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["curve", "roc_curv", "clicks.parquet"], "unknown table 'roc_curv'; did you mean 'roc_curve'?"),
        (["curve", "auc", "clicks.parquet"], "'auc' is a metric, not a table; "),
        (
            ["curve", "roc_curve", "clicks.parquet", "--layout", "canonical"],
            "map it with columns={'label': 'clicked', 'score': 'pctr'}",
        ),
        (["curve", "roc_curve", "clicks.parquet", *MAPPED, "--set", "bins=3"], "unknown parameter 'bins'"),
        (["curve", "roc_curve(points=1)", "clicks.parquet", *MAPPED], "must satisfy points > 1"),
        (["evaluate", "clicks.parquet", "-m", "roc_curve", *MAPPED], "'roc_curve' is a table"),
        (
            ["evaluate", "clicks.parquet", "-m", "auc", *MAPPED, "--per-query", "x.parquet"],
            "no values of queries",
        ),
        (["sql", "auc,ndcg@10"], "have no query in common"),
        (["sql", "calibration_slope", "--dialect", "spark"], "not on Apache Spark 4: "),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_on_one_line(run: Command, arguments: list[str], message: str) -> None:
    outcome = run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_catalogue_lists_and_explains_tables(run: Command) -> None:
    assert "classification.roc_curve" in run("metrics").out
    assert "FROM swept" in run("metrics", "roc_curve").out
    both = run("metrics", "precision").out
    assert "classification.precision: " in both
    assert "ranking.precision: " in both


def test_the_sql_of_a_classifier_runs_on_tables_of_these_names(run: Command) -> None:
    text = run("sql", "auc", "spiegelhalter_p", "--system", "model").out
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE predictions AS SELECT model, clicked AS label, pctr AS score FROM {CLICKS}"
    )
    rows = connection.execute(text.rstrip().rstrip(";")).fetchall()
    found = {system: value for system, metric, value, *_ in rows if metric == "auc"}
    assert len(rows) == 2 * len(found)
    assert found == {"A": 3.5 / 4, "B": 0.5}
