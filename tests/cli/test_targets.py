"""Results go to tables of attached databases, and to folders with a part for each value of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.cli.main import main
from duckmetrics.engines.targets import refuse_url, url_of
from duckmetrics.errors import InputError, MetricError

if TYPE_CHECKING:
    from pathlib import Path

RUN = pa.table({
    "model": ["a", "a", "b", "b"], "query_id": [1, 1, 1, 1], "item_id": [1, 2, 1, 2],
    "score": [0.9, 0.1, 0.1, 0.9],
})  # fmt: skip
TRUTH = pa.table({"query_id": [1], "item_id": [1], "day": ["mon"]})


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    for name, table in (("run", RUN), ("truth", TRUTH)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with duckdb.connect(tmp_path / "wh.duckdb") as connection:
        connection.execute("CREATE TABLE prices AS SELECT 1 AS price; CREATE VIEW seen AS FROM prices")
    tables = [f"{tmp_path}/{name}.parquet" for name in ("run", "truth")]
    return ["evaluate", *tables, "-m", "mrr", "--system", "model", "--attach", f"wh={tmp_path}/wh.duckdb"]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_all_results_are_appended_to_an_attached_database(asked: list[str], tmp_path: Path) -> None:
    targets = ["-o", "wh.results", "--per-query", "wh.main.per_query", "--movers", "wh.movers"]
    for run in ("first", "second"):
        main([*asked, *targets, "--baseline", "a", "--run-id", run])
    with duckdb.connect(tmp_path / "wh.duckdb") as connection:
        rows = "SELECT run_id, system, value FROM {} ORDER BY ALL"
        wanted = [
            (run, system, value)
            for run in ("first", "second")
            for system, value in zip("ab", (1.0, 0.5), strict=True)
        ]
        assert connection.execute(rows.format("results")).fetchall() == wanted
        assert connection.execute(rows.format("per_query")).fetchall() == wanted
        assert connection.execute("SELECT difference FROM movers").fetchall() == [(-0.5,)] * 2


def test_what_others_made_is_not_touched(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target, words in (
        ("wh.prices", "table wh.main.prices is not one of duckmetrics"), ("wh.seen", "is a view"),
        ("wh.none.results", "there is no schema 'none'"),
    ):  # fmt: skip
        assert words in refused([*asked, "-o", target], capsys)
    assert "two results would go" in refused([*asked, "-o", "wh.x", "--per-query", "wh.x"], capsys)
    assert "drop it" in refused([*asked, "-o", "wh.x", "--format", "csv"], capsys)
    with duckdb.connect(tmp_path / "wh.duckdb") as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("prices",)]


def test_a_result_is_appended_on_a_connection(tmp_path: Path) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, ["mrr"], system="model")
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{tmp_path}/wh.duckdb' AS wh")
        connection.execute("BEGIN")
        duckmetrics.append(found, connection, "wh.results", run_id="lost")
        connection.execute("ROLLBACK")
        for table in ("wh.results", "mine", "memory.main.mine"):
            duckmetrics.append(found, connection, table, run_id="kept")
        counted = "SELECT count(*), min(run_id) FROM {}"
        assert connection.execute(counted.format("wh.results")).fetchall() == [(2, "kept")]
        assert connection.execute(counted.format("memory.mine")).fetchall() == [(4, "kept")]


def test_a_folder_has_a_part_for_each_value(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [*asked, "--by", "day", "--partition-by", "day", "--partition-by", "system", "--per-query"]
    main([*parts, f"{tmp_path}/parts"])
    found = duckdb.sql(
        f"SELECT day, system, query_id, value FROM '{tmp_path}/parts/**/*.parquet' ORDER BY ALL"
    )
    assert found.fetchall() == [("mon", "a", 1, 1.0), ("mon", "b", 1, 0.5)]
    assert (tmp_path / "parts/day=mon/system=a").is_dir()
    assert "exists already" in refused([*parts, f"{tmp_path}/parts"], capsys)
    inside = [*parts[:-1], "--queries", str(tmp_path), "--per-query", f"{tmp_path}/new"]
    assert "is an input" in refused(inside, capsys)
    assert "--partition-by: is for --per-query" in refused([*asked, "--partition-by", "day"], capsys)
    assert not list(tmp_path.glob(".duckmetrics*"))


def test_a_column_that_is_not_there_names_no_folders(tmp_path: Path) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, ["mrr"], system="model")
    with pytest.raises(MetricError, match="unknown column 'day'; known: metric, system"):
        found.write_per_query(tmp_path / "parts", partition_by="day")
    assert not list(tmp_path.iterdir())


def test_urls_are_told_from_paths() -> None:
    assert url_of("s3:/b/x.csv") == url_of("s3://b/x.csv") == "s3://b/x.csv"
    assert url_of("out/x.csv") is url_of(None) is url_of("C:/x.csv") is None
    for given in ("s3://b/x.csv", "s3://b", "s3://b/*.csv", "FROM 's3://b/x.csv'"):
        with pytest.raises(InputError, match="is an input"):
            refuse_url("s3://b/x.csv", [given])
    with pytest.raises(InputError, match="is a pattern"):
        refuse_url("s3://b/*.csv")
    refuse_url("s3://b/x.csv", ["s3://b/xx.csv", "x.csv"])
