"""The shop and its values, and the extensions of DuckDB that tests of warehouses need."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest

import duckmetrics
from support.cases import ROOT

SHOP = ROOT / "data/shop"
RUN, TRUTH = (pq.read_table(SHOP / f"{name}.parquet") for name in ("recommendations", "purchases"))
METRICS = ["ndcg@10", "map", "recall@20"]
EXTENSIONS = ("httpfs", "delta", "iceberg", "avro", "ducklake", "postgres_scanner", "sqlite_scanner")


@pytest.fixture(scope="session", autouse=True)
def extensions() -> None:
    """Make the extensions that are installed as packages known to DuckDB."""
    package = pytest.importorskip("duckdb_extensions")
    for name in EXTENSIONS:
        package.import_extension(name)


def values(run: Any, truth: Any, **options: Any) -> list[float]:
    found = duckmetrics.evaluate(run, truth, METRICS, system="model", **options)
    return [row["value"] for row in found.rows]
