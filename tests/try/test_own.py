"""Metrics of users on the page "Try it": a file of macros brings them, with the numbers of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from catalog.test_own import PROFIT, REVENUE, folder, write
from shell.test_own_macros import made

import duckmetrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Browse = Callable[..., dict[str, Any]]

__all__ = ["folder"]
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.days(4)
def test_a_file_of_macros_brings_metrics(browse: Browse, tmp_path: Path) -> None:
    """Those of rankings and those of rows, with the columns that only they read."""
    for name, text in (("revenue", REVENUE), ("profit", PROFIT)):
        write(name, text)
    macros = tmp_path / "all.sql"
    macros.write_text(duckmetrics.macros_sql(definitions=["revenue.sql", "profit.sql"]), "utf-8")
    run, truth = (pa.table(table) for table in made(4))
    paths = []
    for system in "AB":
        rows = run.filter(pa.compute.equal(run["system"], system)).drop(["system"])
        pq.write_table(rows, path := tmp_path / f"{system.lower()}.parquet")
        paths.append(path)
    pq.write_table(truth, judged := tmp_path / "truth.parquet")
    found = browse("files", files=[macros, *paths, judged], search="?metrics=revenue@2,ndcg@2", texts=True)
    expected = duckmetrics.compare(
        {"a": paths[0], "b": paths[1]},
        judged,
        ["revenue@2", "ndcg@2"],
        baseline="a",
        definitions="revenue.sql",
    )
    values = {(row["system"], row["metric"]): row["value"] for row in expected.rows}
    assert {(row["system"], row["metric"]): row["value"] for row in found["rows"]} == pytest.approx(values)
    assert "metrics/revenue.sql@2" in found["texts"]["command"]

    clicks = {
        "label": [i % 3 % 2 for i in range(40)], "score": [i % 7 / 7 for i in range(40)],
        "margin": [float(i % 5) for i in range(40)],
    }  # fmt: skip
    pq.write_table(pa.table(clicks), path := tmp_path / "clicks.parquet")
    found = browse("files", files=[path, macros], search="?metrics=profit,auc")
    values = duckmetrics.evaluate(clicks, metrics=["profit.sql", "auc"])
    assert {row["metric"]: row["value"] for row in found["rows"]} == pytest.approx(
        {"profit": values["profit"], "auc": values["auc"]}
    )
    other = tmp_path / "other.sql"
    other.write_text("SELECT 1", "utf-8")
    refused = browse("files", files=[other])
    assert "other.sql" in refused["all"]
    assert all(text in refused["all"].lower() for text in ("no metrics of yours", "duckmetrics macros --def"))
