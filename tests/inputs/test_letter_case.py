"""Columns that differ in case only: the exact name wins; otherwise an error names both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import InputError

if TYPE_CHECKING:
    from pathlib import Path

TRUTH = pa.table({"query_id": [1], "item_id": [1]})
# By `score` the relevant item comes first, by the other it comes second.
RUN = {"query_id": [1, 1], "item_id": [1, 2], "Score": [1.0, 2.0], "score": [2.0, 1.0],
       "extra": [{"Score": 1, "score": 2}] * 2}  # fmt: skip


def sources(table: pa.Table, folder: Path) -> list[Any]:
    path = folder / "run.parquet"
    pq.write_table(table, path)
    return [table, path, str(path), f"{folder}/*.parquet", table.to_pandas()]


@pytest.mark.slow
@pytest.mark.parametrize("order", [[*RUN], [*reversed(RUN)]], ids=["first", "last"])
def test_the_exact_name_wins(tmp_path: Path, order: list[str]) -> None:
    for source in sources(pa.table({name: RUN[name] for name in order}), tmp_path):
        assert duckmetrics.evaluate(source, TRUTH, "mrr")["mrr"] == 1
        for name, value in (("score", 1), ("Score", 0.5)):
            found = duckmetrics.evaluate(source, TRUTH, "mrr", columns={"score": name})
            assert found["mrr"] == value


@pytest.mark.slow
def test_where_none_is_exact_both_are_named(tmp_path: Path) -> None:
    table = pa.table(RUN).rename_columns(["query_id", "item_id", "Score", "SCORE", "extra"])
    for source in sources(table, tmp_path):
        with pytest.raises(InputError, match=r"columns 'Score' and 'SCORE' differ in case only"):
            duckmetrics.evaluate(source, TRUTH, "mrr")
        assert duckmetrics.evaluate(source, TRUTH, "mrr", columns={"score": "Score"})["mrr"] == 0.5
        assert duckmetrics.evaluate(source, TRUTH, "mrr", columns={"score": "SCORE"})["mrr"] == 1


@pytest.mark.slow
def test_a_column_that_is_called_like_a_renamed_one_is_itself(tmp_path: Path) -> None:
    table = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [2.0, 1.0], "score_1": [1.0, 2.0]})
    for source in sources(table, tmp_path):
        assert duckmetrics.evaluate(source, TRUTH, "mrr")["mrr"] == 1
        assert duckmetrics.evaluate(source, TRUTH, "mrr", columns={"score": "score_1"})["mrr"] == 0.5
