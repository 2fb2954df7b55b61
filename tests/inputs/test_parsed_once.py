"""Texts are parsed once, and give the same results as Parquet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

import duckmetrics
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

RUN = (
    "SELECT q AS query_id, 'd' || i AS item_id, (q * 7 + i * 5) % 11 / 4 AS score "
    "FROM range(9) t(q), range(6) u(i)"
)
TRUTH = "SELECT q AS query_id, 'd' || (q % 6) AS item_id, 1 + q % 2 AS relevance FROM range(9) t(q)"
SPECS = ["ndcg@3", "map", "mrr"]


def written(folder: Path, suffix: str) -> tuple[str, str]:
    """Write the run and its truth as files of one format."""
    run, truth = str(folder / f"run.{suffix}"), str(folder / f"truth.{suffix}")
    if suffix == "trec":
        duckdb.sql(f"COPY (SELECT query_id, 'Q0', item_id, 1, score, 'tag' FROM ({RUN})) TO '{run}' "
                   "(FORMAT csv, DELIMITER ' ', HEADER false)")  # fmt: skip
        duckdb.sql(f"COPY (SELECT query_id, 0, item_id, relevance FROM ({TRUTH})) TO '{truth}' "
                   "(FORMAT csv, DELIMITER ' ', HEADER false)")  # fmt: skip
    else:
        format_ = "json" if suffix.startswith("json") else suffix.removesuffix(".gz")
        for query, target in ((RUN, run), (TRUTH, truth)):
            duckdb.sql(f"COPY ({query}) TO '{target}' (FORMAT {format_})")
    return run, truth


def found(run: str, truth: str) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(run, truth, SPECS, ties="item_desc")


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "json", "trec"])
def test_every_text_is_read_once(tmp_path: Path, suffix: str) -> None:
    result = found(*written(tmp_path, suffix))
    assert len(re.findall(r"READ_(?:CSV|JSON)\(", result.sql)) == 2
    expected = found(*written(tmp_path, "parquet"))
    assert [row["value"] for row in result.rows] == pytest.approx(
        [row["value"] for row in expected.rows], rel=1e-13
    )


@pytest.mark.some(0)
@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_texts_of_polars_are_read_once(tmp_path: Path, suffix: str) -> None:
    names = []
    for name, query in (("run", RUN), ("truth", TRUTH)):
        names.append(str(tmp_path / f"{name}.{suffix}"))
        frame = duckdb.sql(query).pl()
        frame.write_csv(names[-1]) if suffix == "csv" else frame.write_ndjson(names[-1])
    result, expected = found(*names), found(*written(tmp_path, "parquet"))
    assert len(re.findall(r"READ_(?:CSV|JSON)\(", result.sql)) == 2
    assert [row["value"] for row in result.rows] == pytest.approx(
        [row["value"] for row in expected.rows], rel=1e-13
    )


def test_the_order_of_the_lines_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    items = [f"d{(i * 7919) % 10_007}" for i in range(10_007)]
    path.write_text("query_id,item_id,score\n" + "".join(f"q,{item},1.0\n" for item in items))
    truth = f"SELECT 'q' AS query_id, '{items[40]}' AS item_id"
    (row,) = duckmetrics.evaluate(str(path), truth, "mrr", ties="input").rows
    assert row["value"] == pytest.approx(1 / 41)


@pytest.mark.slow
def test_a_wide_text_is_not_kept_whole(tmp_path: Path) -> None:
    _, truth = written(tmp_path, "parquet")
    features = ", ".join(f"{i} AS feature_{i}" for i in range(12))
    wide = str(tmp_path / "wide.csv")
    duckdb.sql(f"COPY (SELECT *, {features} FROM ({RUN})) TO '{wide}' (FORMAT csv)")
    result = found(wide, truth)
    assert "parsed" not in result.sql
    assert [row["value"] for row in result.rows] == [
        row["value"] for row in found(written(tmp_path, "parquet")[0], truth).rows
    ]


def test_a_line_that_cannot_be_read_names_the_file(tmp_path: Path) -> None:
    run, truth = written(tmp_path, "trec")
    with open(run, "a") as file:
        file.write("3 Q0 late 7 high tag\n")
    with pytest.raises(InputError, match=r"run\.trec.*high"):
        found(run, truth)
