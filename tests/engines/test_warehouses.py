"""Tables in their own storage: table formats, attached databases and an object store, all real.

Skipped where an extension of DuckDB or a package is not installed; CI installs them (the extra `warehouses`).
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.cli.main import main
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.settings import Statement
from duckmetrics.errors import InputError
from support.stores import store_of
from support.warehouses import (
    METRICS,
    RUN,
    SHOP,
    TRUTH,
    attached_server,
    extensions,
    server,
    store,
    values,
    write_delta,
    write_iceberg,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["extensions", "server", "store"]

pytestmark = pytest.mark.warehouse


WANTED = values(RUN, TRUTH)


# --- table formats -------------------------------------------------------------------------------


@pytest.fixture
def delta(tmp_path: Path) -> Path:
    return write_delta(tmp_path)


def test_a_delta_table_is_its_current_version(delta: Path) -> None:
    package = pytest.importorskip("deltalake")
    assert values(delta / "run", delta / "truth") == WANTED
    assert values(package.DeltaTable(delta / "run"), package.DeltaTable(delta / "truth")) == WANTED
    package.DeltaTable(delta / "run").delete("score > 0.6")
    kept = RUN.filter(pc.less_equal(RUN["score"], 0.6))
    assert values(delta / "run", delta / "truth") == values(kept, TRUTH) != WANTED


def test_a_delta_table_without_the_extension(delta: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from duckmetrics.engines.duckdb_files import DuckDBLakes

    monkeypatch.setattr(DuckDBLakes, "_lacks", lambda self, scan, path: "INSTALL delta")
    assert values(delta / "run", delta / "truth") == WANTED
    monkeypatch.setattr(DuckDBLakes, "_opened", lambda self, *given: None)
    with pytest.raises(
        InputError, match=r"a Delta table, and neither an extension .* pip install deltalake; or INSTALL"
    ):
        values(delta / "run", delta / "truth")


@pytest.mark.parametrize("has_extension", [True, False])
def test_an_older_version_of_a_delta_table(
    delta: Path, monkeypatch: pytest.MonkeyPatch, has_extension: bool
) -> None:
    from duckmetrics.engines.duckdb_files import DuckDBLakes

    if not has_extension:
        monkeypatch.setattr(DuckDBLakes, "_lacks", lambda self, scan, path: "INSTALL delta")
    old = values(RUN.slice(0, 4000), TRUTH)
    between = datetime.now(UTC)
    pytest.importorskip("deltalake").DeltaTable(delta / "run").delete("score > 0.6")
    assert values(f"{delta}/run@v0", delta / "truth") == old != WANTED
    assert values(f"{delta}/run/@v1", delta / "truth") == WANTED
    assert values(f"{delta}/run@{between.isoformat()}", delta / "truth") == WANTED
    monkeypatch.chdir(delta)
    assert values("run@v0", "truth") == old
    where = {"predictions": "model = 'baseline'"}
    versions = {"old": "run@v0", "new": "run@v1", "now": "run"}
    together = duckmetrics.evaluate(versions, "truth", METRICS, where=where)
    for system, table in versions.items():
        alone = duckmetrics.evaluate(table, "truth", METRICS, where=where).rows
        found = [row["value"] for row in together.rows if row["system"] == system]
        assert found == [row["value"] for row in alone]
    with pytest.raises(InputError, match=r"run@v9: cannot be read: .*; choose a version from 0 to 2"):
        values(f"{delta}/run@v9", delta / "truth")
    with pytest.raises(InputError, match="run@2020-01-01: every version is newer than this time"):
        values(f"{delta}/run@2020-01-01", delta / "truth")


def test_a_damaged_delta_table_is_refused(delta: Path) -> None:
    for log in (delta / "run/_delta_log").glob("*.json"):
        log.write_text("{")
    with pytest.raises(InputError, match="run: cannot be read"):
        values(delta / "run", delta / "truth")


@pytest.fixture
def iceberg(tmp_path: Path) -> dict[str, Any]:
    return write_iceberg(tmp_path)


def test_an_iceberg_table_is_its_current_version(iceberg: dict[str, Any]) -> None:
    run, truth = (iceberg[name] for name in ("run", "truth"))
    folders = [table.location().removeprefix("file://") for table in (run, truth)]
    assert values(*folders) == WANTED
    assert values(run, truth) == WANTED
    assert values(run.scan(), truth.scan()) == WANTED
    assert values(run.metadata_location.removeprefix("file://"), folders[1]) == WANTED
    with pytest.raises(InputError, match="an Iceberg table, whose folder also holds rows of older versions"):
        values(f"{folders[0]}/data", folders[1])


@pytest.mark.parametrize("has_extension", [True, False])
def test_an_older_version_of_an_iceberg_table(
    iceberg: dict[str, Any], monkeypatch: pytest.MonkeyPatch, has_extension: bool
) -> None:
    from duckmetrics.engines.duckdb_files import DuckDBLakes

    if not has_extension:
        monkeypatch.setattr(DuckDBLakes, "_lacks", lambda self, scan, path: "INSTALL iceberg")
    run, truth = (table.location().removeprefix("file://") for table in iceberg.values())
    first, *_, last = iceberg["run"].history()
    old = values(RUN.slice(0, 4000), TRUTH)
    assert values(f"{run}@v{first.snapshot_id}", truth) == old != WANTED
    assert values(f"{run}@v{last.snapshot_id}", truth) == WANTED
    time = datetime.fromtimestamp(first.timestamp_ms / 1000, UTC)
    assert values(f"{run}@{time.isoformat()}", truth) == old
    with pytest.raises(InputError, match=rf"run@v9: cannot be read: .* snapshot, .* or {last.snapshot_id}"):
        values(f"{run}@v9", truth)
    # The extension by itself would read no rows at that time.
    with pytest.raises(InputError, match="run@2020-01-01: every version is newer than this time"):
        values(f"{run}@2020-01-01", truth)


def test_a_table_of_a_ducklake(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"LOAD ducklake; ATTACH 'ducklake:{tmp_path}/c.ducklake' AS lake (DATA_PATH '{tmp_path}/d')"
        )
        connection.register("run_frame", RUN)
        connection.register("truth_frame", TRUTH)
        connection.execute(
            "CREATE TABLE lake.run AS FROM run_frame; CREATE TABLE lake.truth AS FROM truth_frame"
        )
        connection.execute("DELETE FROM lake.run WHERE score > 0.6")
        kept = RUN.filter(pc.less_equal(RUN["score"], 0.6))
        assert values("lake.run", "lake.truth", connection=connection) == values(kept, TRUTH)


# --- attached databases --------------------------------------------------------------------------


def test_tables_of_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE run (user_id TEXT, item_id TEXT, score REAL, model TEXT)")
        rows = RUN.select(["user_id", "item_id", "score", "model"]).to_pylist()
        database.executemany("INSERT INTO run VALUES (?, ?, ?, ?)", [
            (str(r["user_id"]), str(r["item_id"]), r["score"], r["model"]) for r in rows
        ])  # fmt: skip
    truth = TRUTH.set_column(0, "user_id", TRUTH["user_id"].cast(pa.string()))
    truth = truth.set_column(1, "item_id", truth["item_id"].cast(pa.string()))
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS shop (TYPE sqlite, READ_ONLY)")
        run = connection.sql("FROM shop.run").to_arrow_table()
        assert values("shop.run", truth, connection=connection) == values(run, truth)
    pq.write_table(truth, tmp_path / "truth.parquet")
    tables = ["shop.run", f"{tmp_path}/truth.parquet", "--attach", f"shop={path}"]
    main(["evaluate", *tables, "--system", "model", "-m", "ndcg@10"])
    assert "ndcg@10" in capsys.readouterr().out


def test_a_server_copies_each_table_once(server: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(attached_server(server))
        before = len((server / "log").read_text())
        assert values("shop.run", "shop.truth", connection=connection) == WANTED
        copied = re.findall(
            r'COPY \(SELECT (.*) FROM "public"\."(\w+)"', (server / "log").read_text()[before:]
        )
        assert sorted(name for _, name in copied) == ["run", "truth"]
        # Only the columns that are needed.
        assert not any("country" in columns for columns, _ in copied)


@pytest.mark.parametrize("is_own", [False, True])
def test_tables_of_a_server_are_of_one_moment(
    server: Path, monkeypatch: pytest.MonkeyPatch, is_own: bool
) -> None:
    """The truth is deleted while the run is copied."""
    from psycopg import connect

    keep = DuckDBEngine.keep

    def copied(self: DuckDBEngine, *given: Any, **options: Any) -> None:
        keep(self, *given, **options)
        with connect(f"host={server} user=postgres", autocommit=True) as session:
            session.execute("DELETE FROM truth")

    with connect(f"host={server} user=postgres", autocommit=True) as session:
        session.execute("CREATE TABLE kept AS TABLE truth")
        monkeypatch.setattr(DuckDBEngine, "keep", copied)
        try:
            with duckdb.connect() as connection:
                connection.execute(attached_server(server))
                setup = [Statement("setup", attached_server(server))]
                engine = DuckDBEngine(setup=setup) if is_own else DuckDBEngine(connection)
                found = duckmetrics.evaluate("shop.run", "shop.truth", METRICS, system="model", engine=engine)
                assert [row["value"] for row in found.rows] == WANTED
                assert session.execute("SELECT count(*) FROM truth").fetchone() == (0,)
        finally:
            session.execute("INSERT INTO truth TABLE kept; DROP TABLE kept")


def test_a_session_that_the_server_ends_is_told_in_one_line(
    server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server ends all sessions after the run was copied; nothing is written."""
    from psycopg import connect

    keep = DuckDBEngine.keep

    def ended(self: DuckDBEngine, *given: Any, **options: Any) -> None:
        keep(self, *given, **options)
        with connect(f"host={server} user=postgres", autocommit=True) as session:
            session.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                "AND backend_type = 'client backend'"
            )

    monkeypatch.setattr(DuckDBEngine, "keep", ended)
    (tmp_path / "setup.sql").write_text("LOAD postgres_scanner")
    attached = f"wh=postgres:host={server} user=postgres dbname=postgres password=geheim"
    with pytest.raises(SystemExit) as stop:
        main([
            "evaluate", "wh.run", "wh.truth", "-m", "ndcg@10", "--system", "model", "--attach", attached,
            "--init", str(tmp_path / "setup.sql"), "-o", str(tmp_path / "out.csv"),
        ])  # fmt: skip
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out, (tmp_path / "out.csv").exists()) == (2, "", False)
    assert printed.err.count("\n") == 1
    assert "was cut; try again" in printed.err
    assert "geheim" not in printed.err


def test_results_go_to_a_server(server: Path, tmp_path: Path) -> None:
    asked = [str(SHOP / f"{name}.parquet") for name in ("recommendations", "purchases")]
    attached = ["--attach", f"wh=postgres:host={server} user=postgres dbname=postgres"]
    (tmp_path / "setup.sql").write_text("LOAD postgres_scanner")
    for run in ("first", "second"):
        main([
            "evaluate", *asked, "-m", "ndcg@10", "--system", "model", "-o", "wh.results", "--run-id", run,
            "--per-query", "wh.public.per_query", "--init", str(tmp_path / "setup.sql"), *attached,
        ])  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(attached_server(server))
        rows = connection.execute("SELECT run_id, value FROM shop.results ORDER BY ALL").fetchall()
        assert rows == [(run, value) for run in ("first", "second") for value in WANTED[:2]]
        assert connection.execute("SELECT count(*) FROM shop.per_query").fetchall() == [(2 * 4664,)]


# --- objects of other packages ---------------------------------------------------------------------


def test_tables_and_expressions_of_ibis() -> None:
    ibis = pytest.importorskip("ibis")
    run, truth = ibis.memtable(RUN), ibis.memtable(TRUTH)
    assert values(run, truth) == WANTED
    kept = RUN.filter(pc.less_equal(RUN["score"], 0.6))
    assert values(run.filter(run.score <= 0.6), truth) == values(kept, TRUTH)
    assert values(run.mutate(scan=1, with_format=2), truth) == WANTED
    with pytest.raises(InputError, match="give another kind of table"):
        values(ibis.table({"query_id": "int64"}, name="nowhere"), truth)


def test_datasets_of_hugging_face() -> None:
    """A selection of another dataset is read, too."""
    datasets = pytest.importorskip("datasets")
    run, truth = datasets.Dataset(RUN), datasets.Dataset(TRUTH)
    assert values(run, truth) == WANTED
    assert values(run.shuffle(seed=1), truth) == WANTED
    assert values(run.select(range(4000)), truth) == values(RUN.slice(0, 4000), TRUTH) != WANTED
    assert values(run.with_format("numpy"), truth) == WANTED
    with pytest.raises(InputError, match=r"has the splits test; give one of them, as in data\['test'\]"):
        values(run, datasets.DatasetDict({"test": truth}))
    with pytest.raises(
        InputError, match="is a stream, which is read only once; load it with streaming=False"
    ):
        values(run, truth.to_iterable_dataset())


# --- an object store -----------------------------------------------------------------------------


@pytest.fixture
def connected(store: Path) -> Any:
    with duckdb.connect() as connection:
        connection.execute(store.read_text())
        yield connection


@pytest.mark.parametrize("place", ["s3://shop/{}.parquet", "s3://shop/folders/{}/", "s3://shop/folders/{}"])
def test_objects_and_folders_of_a_store(connected: Any, place: str) -> None:
    tables = [place.format(name) for name in ("recommendations", "purchases")]
    assert values(*tables, connection=connected) == WANTED


def test_the_variables_of_aws_open_a_store(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables count on our own connection; the connection of a caller does not change."""
    (address,) = re.findall(r"ENDPOINT '([^']*)'", store.read_text())
    for name, value in {
        "ACCESS_KEY_ID": "abcd", "SECRET_ACCESS_KEY": "geheim", "REGION": "us-east-1",
        "ENDPOINT_URL": f"http://{address}",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"AWS_{name}", value)
    tables = [f"s3://shop/{name}.parquet" for name in ("recommendations", "purchases")]
    assert values(*tables) == WANTED
    assert values([tables[0]], tables[1]) == WANTED
    assert values(f"FROM '{tables[0]}'", TRUTH) == WANTED
    assert values("s3://shop/tables/run@v0", TRUTH) == WANTED
    assert values(f"s3://shop/tables/run@{datetime.now(UTC).isoformat()}", TRUTH) == WANTED
    with duckdb.connect() as connection:
        connection.execute("LOAD httpfs; SET s3_endpoint = '127.0.0.1:1'; SET s3_use_ssl = FALSE")
        with pytest.raises(InputError, match="cannot be read"):
            values(*tables, connection=connection)
    for wrong in ("nowhere", "http://[::1", "https://user:geheim@host"):
        monkeypatch.setenv("AWS_ENDPOINT_URL", wrong)
        with pytest.raises(InputError, match="AWS_ENDPOINT_URL: is not the URL of a server") as raised:
            values(*tables)
        assert wrong not in str(raised.value)
        values(RUN, TRUTH)


def test_a_secret_or_an_endpoint_of_the_user_counts_more(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A secret of another bucket does not count."""
    (address,) = re.findall(r"ENDPOINT '([^']*)'", store.read_text())
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{name}", "abcd")
    settings = f"SET s3_endpoint = '{address}'; SET s3_use_ssl = FALSE; SET s3_url_style = 'path'"
    other = "CREATE SECRET o (TYPE s3, KEY_ID 'x', SECRET 'y', SCOPE 's3://other')"
    for setup, endpoint in (
        (store.read_text(), "127.0.0.1:1"), (f"LOAD httpfs; {settings}", "127.0.0.1:1"),
        (f"LOAD httpfs; {other}", address),
    ):  # fmt: skip
        (tmp_path / "setup.sql").write_text(setup)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{endpoint}")
        asked = ["s3://shop/recommendations.parquet", str(SHOP / "purchases.parquet"), "-m", "ndcg@10"]
        main(["evaluate", *asked, "--system", "model", "--init", str(tmp_path / "setup.sql")])
        assert "ndcg@10" in capsys.readouterr().out


def test_an_object_is_opened_to_look_at_it_and_to_read_it(
    connected: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="werkzeug")
    values("s3://shop/recommendations.parquet", "s3://shop/purchases.parquet", connection=connected)
    opened = [
        r.getMessage() for r in caplog.records if re.search(r'"HEAD /shop/\w+\.parquet', r.getMessage())
    ]
    assert 0 < len(opened) <= 4


def test_the_files_of_a_table_in_a_store_are_not_read_by_themselves(connected: Any) -> None:
    for place in ("s3://shop/tables/run/*.parquet", "s3://shop/tables/run/**/*.parquet"):
        with pytest.raises(
            InputError, match=r"a Delta table, .* give the folder of the table, s3://shop/tables/run"
        ):
            values(place, TRUTH, connection=connected)


def test_results_go_to_a_store(store: Path, connected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """They replace only results, and an input is not one."""
    tables = ["s3://shop/recommendations.parquet", str(SHOP / "purchases.parquet")]
    asked = ["evaluate", *tables, "-m", "ndcg@10", "--system", "model", "--init", str(store)]
    values_of = ["--per-query", "s3://shop/out/values.parquet", "--baseline", "baseline"]
    for suffix in ("csv", "json", "html", "parquet", "csv"):
        main(
            [
                *asked,
                "-o",
                f"s3://shop/out/results.{suffix}",
                *values_of,
                "--movers",
                "s3://shop/out/movers.csv",
            ]
        )
    capsys.readouterr()
    for name in ("results.csv", "results.parquet", "values.parquet"):
        systems = connected.execute(
            f"SELECT DISTINCT system FROM 's3://shop/out/{name}' ORDER BY 1"
        ).fetchall()
        assert systems == [("baseline",), ("candidate",)]
    assert connected.execute("SELECT count(*) FROM 's3://shop/out/movers.csv'").fetchall() == [(40,)]
    parts = ["--partition-by", "system", "--per-query", "s3://shop/parts"]
    main([*asked, *parts])
    read = "SELECT count(*) FROM 's3://shop/parts/**/*.parquet' WHERE system = 'baseline'"
    assert connected.execute(read).fetchall() == [(2332,)]
    connected.execute("COPY (SELECT 1 AS price) TO 's3://shop/out/prices.csv'")
    connected.execute("COPY (SELECT 1 AS price) TO 's3://shop/out/prices.parquet'")
    capsys.readouterr()
    for wrong, words in (
        (["-o", "s3://shop/out/prices.csv"], "exists and is not a csv file of duckmetrics"),
        (["-o", "s3://shop/out/prices.parquet"], "exists and is not a parquet file of duckmetrics"),
        (["--per-query", "s3://shop/out/prices.parquet"], "exists and is not a parquet file"),
        (["--per-query", "s3://shop/recommendations.parquet"], "is an input"),
        (["-o", "s3://shop/*.csv"], "is a pattern"), (parts, "is not empty"),
        (["-o", "s3://nobody/results.csv"], "404"),
    ):  # fmt: skip
        with pytest.raises(SystemExit) as stop:
            main([*asked, *wrong])
        assert stop.value.code == 2
        printed = capsys.readouterr().err
        assert words in printed
        assert "geheim" not in printed
    assert connected.execute("FROM 's3://shop/out/prices.csv'").fetchall() == [(1,)]


def test_an_object_that_cannot_be_sent_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The store refuses to take it."""
    with store_of(SHOP, monkeypatch, status=404):
        tables = [str(SHOP / f"{name}.parquet") for name in ("recommendations", "purchases")]
        with pytest.raises(SystemExit) as stop:
            main(["evaluate", *tables, "-m", "ndcg@10", "--system", "model", "-o", "s3://shop/out.csv"])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert "s3://shop/out.csv: cannot be written" in printed.err
    assert "geheim" not in printed.err


@pytest.mark.parametrize(("place", "words"), [
    ("s3://shop/nothing.parquet", "404 Not Found); check the bucket"),
    ("s3://nobody/run.parquet", "404 Not Found); check the bucket"), ("s3://shop/nothing/", "no files"),
    ("FROM read_parquet(['s3://shop/run.parquet', 's3://shop/nothing.parquet'])", "404"),
])  # fmt: skip
def test_what_is_not_there_is_told_and_no_secret(
    store: Path, place: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", place, str(SHOP / "purchases.parquet"), "--init", str(store), "-m", "ndcg@10"])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert words in printed.err
    assert "geheim" not in printed.err


@pytest.mark.parametrize("is_local", [False, True])
def test_a_list_of_files_with_one_that_is_not_there(connected: Any, tmp_path: Path, is_local: bool) -> None:
    place = tmp_path if is_local else "s3://shop"
    shutil.copy(SHOP / "recommendations.parquet", tmp_path)
    with pytest.raises(InputError, match=r"no such file|404") as raised:
        values([f"{place}/recommendations.parquet", f"{place}/nothing.parquet"], TRUTH, connection=connected)
    assert "nothing.parquet" in str(raised.value)


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "whether its token has expired"), (503, "busy or down; try again"), (200, "was cut; try again")],
)
def test_a_store_that_fails_is_told_in_one_line(
    status: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The command writes nothing and shows no secret."""
    with store_of(SHOP, monkeypatch, status=status, is_cut=True):
        asked = ["s3://shop/recommendations.parquet", str(SHOP / "purchases.parquet"), "-m", "ndcg@10"]
        with pytest.raises(SystemExit) as stop:
            main(["evaluate", *asked, "-o", str(tmp_path / "out.csv")])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out, list(tmp_path.iterdir())) == (2, "", [])
    assert words in printed.err
    assert printed.err.count("\n") == 1
    assert "geheim" not in printed.err


def test_only_the_needed_columns_are_read_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server counts; the footers of the files say how many bytes the columns have."""
    rows = 600_000
    numbers = pa.array(range(rows))
    run = {
        "query_id": pc.divide(numbers, 100), "context": pc.cast(pc.multiply(numbers, 7919), pa.string()),
        "item_id": pc.cast(pc.bit_wise_and(pc.multiply(numbers, 31), 65535), pa.string()),
        "score": pc.sin(pc.cast(numbers, pa.float64())), "other": pc.cos(pc.cast(numbers, pa.float64())),
    }  # fmt: skip
    pq.write_table(pa.table(run), tmp_path / "run.parquet", row_group_size=100_000)
    truth = pa.table({name: run[name].slice(0, rows // 3) for name in ("query_id", "item_id", "other")})
    pq.write_table(truth.append_column("relevance", pa.repeat(1, rows // 3)), tmp_path / "truth.parquet")
    with store_of(tmp_path, monkeypatch) as server:
        duckmetrics.evaluate("s3://b/run.parquet", "s3://b/truth.parquet", METRICS, duplicates="first")
        for name, needed in (("run", ("query_id", "item_id", "score")), ("truth", ("query_id", "item_id"))):
            wanted = (*needed, "relevance")
            footer = pq.ParquetFile(tmp_path / f"{name}.parquet").metadata
            groups = [footer.row_group(place) for place in range(footer.num_row_groups)]
            chunks = [group.column(place) for group in groups for place in range(footer.num_columns)]
            size = sum(one.total_compressed_size for one in chunks if one.path_in_schema in wanted)
            reads = [(method, count) for method, key, count in server.reads if key == f"{name}.parquet"]
            sizes = [count for method, count in reads if method == "GET"]
            assert size <= sum(sizes) <= 1.05 * size
            # Twice its footer, to look at it and to read it; each part of a group of rows once.
            assert len(sizes) <= 2 * 2 + 2 * len(groups)
            assert len(reads) - len(sizes) <= 2


def test_a_folder_that_spark_is_writing_to(tmp_path: Path) -> None:
    """Uncommitted rows are not read."""
    folder = tmp_path / "run"
    (folder / "_temporary/0").mkdir(parents=True)
    shutil.copy(SHOP / "recommendations.parquet", folder / "part-0.parquet")
    shutil.copy(SHOP / "recommendations.parquet", folder / "_temporary/0/part-1.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_bytes(b"crc")
    assert values(folder, TRUTH) == WANTED
