"""Checks find the same on Spark as on DuckDB: NaN in files of other programs, and stacked lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError
from support.other_engines import spark_session
from support.stacked_lists import APART, SHARED, TRUTH
from support.writers import LISTS, ROWS, WANTED, with_nan, written

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session(**{"spark.sql.shuffle.partitions": "2"})


@pytest.mark.parametrize("writer", ["pyarrow", "polars", "spark"])
def test_nan_is_refused_on_spark_and_in_its_files(spark: Any, tmp_path: Path, writer: str) -> None:
    def path(table: dict[str, list[Any]]) -> Path:
        if writer != "spark":
            return written(tmp_path, writer, table)
        folder = tmp_path / f"of spark {len(list(tmp_path.iterdir()))}"
        spark.createDataFrame([*zip(*table.values(), strict=True)], [*table]).coalesce(1).write.parquet(
            str(folder)
        )
        return folder

    scores, grades = path(LISTS), path(WANTED)
    fine = path({**LISTS, "score": [0.1, 0.2, 0.5, 0.2, 0.1]})
    for engine in (spark, None):
        options = {} if engine is None else {"engine": engine}
        with pytest.raises(InputError, match="1 row whose score is NaN"):
            duckmetrics.evaluate(scores, grades, "ndcg@10", **options)
        with pytest.raises(InputError, match="relevance is NaN"):
            duckmetrics.evaluate(fine, path(with_nan(WANTED, "relevance")), "map", **options)
        for column in ("score", "label", "weight"):
            with pytest.raises(InputError, match="NaN"):
                duckmetrics.evaluate(path(with_nan(ROWS, column)), metrics="auc,log_loss", **options)


def test_stacked_lists_are_refused_on_spark(spark: Any, tmp_path: Path) -> None:
    paths = {}
    for name, query in (
        ("t", TRUTH),
        ("apart", APART.format(name="model")),
        ("shared", SHARED.format(name="dt", n=50)),
    ):
        paths[name] = tmp_path / f"{name}.parquet"
        duckdb.sql(f"COPY ({query}) TO '{paths[name]}'")
    for metrics in ("ndcg@10", "map"):
        with pytest.raises(InputError, match=r"column 'model': 50 queries with rows of several systems"):
            duckmetrics.evaluate(paths["apart"], paths["t"], metrics, engine=spark)
        with pytest.raises(
            InputError, match=r"predicted more than once .*column 'dt' distinguishes them \(3 values\)"
        ):
            duckmetrics.evaluate(paths["shared"], paths["t"], metrics, engine=spark)
    assert (
        len(duckmetrics.evaluate(paths["apart"], paths["t"], "map", engine=spark, system="model").rows) == 2
    )
