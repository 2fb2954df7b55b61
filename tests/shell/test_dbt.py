"""The models and the tests of the documentation, run by dbt on a database with the macros."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import duckmetrics
from support.cases import ROOT

pytestmark = pytest.mark.warehouse

SHOP = ROOT / "data" / "shop"
TABLES = ("recommendations", "purchases", "users")
PROJECT = "name: shop\nversion: '1.0'\nprofile: shop\n"
# How a block of a page begins that is a file of the project.
FILE = re.compile(r"^```sql\+jinja\n-- (?P<path>(?:models|tests)/\w+\.sql)\n(?P<text>.*?)^```", re.M | re.S)


def page(name: str) -> str:
    return (ROOT / "docs" / "howto" / name).read_text("utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project with the profile of the documentation, and a model for each table of the shop."""
    pytest.importorskip("dbt.adapters.duckdb")
    (profile,) = re.findall(r"^```yaml\n(shop:\n.*?)^```", page("sql-clients.md"), re.M | re.S)
    (tmp_path / "profiles.yml").write_text(profile)
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    for folder in ("models", "tests"):
        (tmp_path / folder).mkdir()
    for name in TABLES:
        text = f"{{{{ config(materialized='table') }}}} FROM '{SHOP}/{name}.parquet'"
        (tmp_path / "models" / f"{name}.sql").write_text(text)
    duckmetrics.macros_database(tmp_path / "duckmetrics.duckdb")
    return tmp_path


def build(project: Path, name: str, *instead: tuple[str, str]) -> tuple[int, str]:
    """Write the files of a page, run ``dbt build``, and return its exit code and its log.

    Args:
        instead: texts of the files, and those in their places.
    """
    for found in FILE.finditer(page(name)):
        text = found["text"]
        for one, other in instead:
            text = text.replace(one, other)
        (project / found["path"]).write_text(text)
    quiet = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DO_NOT_TRACK": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt"), "build", "--profiles-dir", "."],
        cwd=project, env={**os.environ, **quiet}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_every_run_is_kept_and_a_loss_fails(project: Path) -> None:
    code, log = build(project, "every-night.md")
    assert (code, "FAIL 1 no_country_loses" in log) == (1, True), log
    wanted = duckmetrics.compare(
        SHOP / "recommendations.parquet", SHOP / "purchases.parquet", "ndcg@10", system="model",
        baseline="baseline", by="country", queries=SHOP / "users.parquet", columns={"query_id": "user_id"},
    )  # fmt: skip
    code, log = build(project, "every-night.md", ("-0.05", "-0.1"))
    assert code == 0, log
    with duckdb.connect(project / "shop.duckdb", read_only=True) as connection:
        rows = connection.execute(
            "SELECT run_id, country, delta_lower FROM quality WHERE system = 'candidate'"
        )
        kept = rows.fetchall()
    by_run: dict[str, dict[str | None, float]] = {}
    for run, country, lower in kept:
        by_run.setdefault(run, {})[country] = lower
    expected = {row["country"]: row["delta_lower"] for row in wanted.rows if row["system"] == "candidate"}
    assert len(by_run) == 2
    for found in by_run.values():
        assert found == {country: pytest.approx(lower, abs=1e-12) for country, lower in expected.items()}
    code, log = build(project, "every-night.md", ("SELECT 'candidate'", "SELECT 'no such system'"))
    assert (code, "FAIL 1 no_country_loses" in log) == (1, True), log


def test_the_metrics_are_a_table(project: Path) -> None:
    code, log = build(project, "sql-clients.md", ("-0.05", "-0.1"))
    assert code == 0, log
    with duckdb.connect(project / "shop.duckdb", read_only=True) as connection:
        (row,) = connection.execute(
            "SELECT value FROM quality WHERE system = 'candidate' AND metric = 'ndcg@10' AND country IS NULL"
        ).fetchall()
    ev = duckmetrics.evaluate(
        SHOP / "recommendations.parquet", SHOP / "purchases.parquet", "ndcg@10", system="model",
        columns={"query_id": "user_id"},
    )  # fmt: skip
    assert row[0] == pytest.approx(ev.value("ndcg@10", "candidate"), abs=1e-12)
