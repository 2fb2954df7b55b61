"""Files as other tools write them: the page reads columns that a layout computes, and text by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from support import dropped as made
from support.copied import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Browse = Callable[..., dict[str, Any]]

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COMPUTED = {
    "Kaggle": made.of_kaggle, "Spark ALS": made.of_spark_als, "wide table": made.wide,
    "Spark ML": made.of_spark_ml, "BigQuery ML": made.of_bigquery,
}  # fmt: skip


@pytest.mark.parametrize("tool", COMPUTED)
def test_columns_that_a_layout_computes_are_read(browse: Browse, tmp_path: Path, tool: str) -> None:
    files = COMPUTED[tool](tmp_path)
    found = browse("files", files=files, texts=True)
    assert f"columns as in {tool}" in found["cards"]
    rows = found["rows"]
    run, truth = (*files, None)[:2]
    positive = {"positive": "yes"} if tool == "BigQuery ML" else {}
    expected = duckmetrics.evaluate(run, truth, [row["metric"] for row in rows], **positive).rows
    assert [row["value"] for row in rows] == pytest.approx([row["value"] for row in expected], abs=1e-12)
    for name, run_text in ELSEWHERE.items():
        values = [row["value"] for row in run_text(found["texts"][name], tmp_path)]
        assert values == pytest.approx([row["value"] for row in rows], abs=1e-12), name


TEXTS = {
    "MovieLens": ("u.data", "\t", ""), "MovieLens 1M": ("ratings.dat", "::", ""),
    "RecBole": ("a.inter", "\t", "user_id:token\titem_id:token\trating:float\ttimestamp:float"),
}  # fmt: skip


@pytest.mark.parametrize("tool", TEXTS)
def test_text_that_is_known_by_its_name_is_read(browse: Browse, tmp_path: Path, tool: str) -> None:
    files = made.of_movielens(tmp_path, *TEXTS[tool])
    found = browse("files", files=files)
    assert f"columns as in {tool}" in found["cards"]
    expected = duckmetrics.evaluate(*files, [row["metric"] for row in found["rows"]]).rows
    values = [row["value"] for row in expected]
    assert [row["value"] for row in found["rows"]] == pytest.approx(values, abs=1e-12)
