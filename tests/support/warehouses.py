"""The shop and its values in each kind of storage, and the extensions of DuckDB that tests of them need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

import duckmetrics
from support.cases import ROOT
from support.other_engines import postgres_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def write_delta(folder: Path) -> Path:
    """Write two Delta tables; the run was overwritten, so its folder holds more than its rows."""
    package = pytest.importorskip("deltalake")
    package.write_deltalake(folder / "run", RUN.slice(0, 4000))
    package.write_deltalake(folder / "run", RUN, mode="overwrite")
    package.write_deltalake(folder / "truth", TRUTH, partition_by=["relevance"])
    return folder


def write_iceberg(folder: Path) -> dict[str, Any]:
    """Write two Iceberg tables in a catalog; the run was overwritten."""
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}")
    catalog.create_namespace("shop")
    run = catalog.create_table("shop.run", schema=RUN.schema)
    run.append(RUN.slice(0, 4000))
    run.overwrite(RUN)
    truth = catalog.create_table("shop.truth", schema=TRUTH.schema)
    truth.append(TRUTH)
    return {"run": run, "truth": truth}


def write_tables(connection: duckdb.DuckDBPyConnection, database: str) -> None:
    """Write the shop into two tables of an attached database."""
    for name, table in (("run", RUN), ("truth", TRUTH)):
        connection.register("given", table)
        connection.execute(f"CREATE TABLE {database}.{name} AS FROM given")


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """Start PostgreSQL with the shop, and return its folder; it logs all statements."""
    psycopg = pytest.importorskip("psycopg")
    with postgres_server() as folder, duckdb.connect() as connection:
        with psycopg.connect(f"host={folder} user=postgres", autocommit=True) as session:
            session.execute("ALTER DATABASE postgres SET log_statement = 'all'")
        connection.execute(attached_server(folder))
        write_tables(connection, "shop")
        yield folder


def attached_server(folder: Path) -> str:
    return (
        f"LOAD postgres_scanner; ATTACH 'host={folder} user=postgres dbname=postgres' AS shop (TYPE postgres)"
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a server that speaks S3, with the shop as objects, as folders and as a Delta table."""
    moto, boto3 = pytest.importorskip("moto.server"), pytest.importorskip("boto3")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    client = boto3.client(
        "s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1",
        aws_access_key_id="abcd", aws_secret_access_key="geheim",
    )  # fmt: skip
    client.create_bucket(Bucket="shop")
    for name in ("recommendations", "purchases"):
        for key in (f"{name}.parquet", f"folders/{name}/part-0.parquet"):
            client.upload_file(str(SHOP / f"{name}.parquet"), "shop", key)
        client.put_object(Bucket="shop", Key=f"folders/{name}/_SUCCESS", Body=b"")
    folder = tmp_path_factory.mktemp("delta")
    pytest.importorskip("deltalake").write_deltalake(folder, RUN)
    for file in folder.rglob("*.*"):
        client.upload_file(str(file), "shop", f"tables/run/{file.relative_to(folder)}")
    init = tmp_path_factory.mktemp("setup") / "setup.sql"
    init.write_text(
        "LOAD httpfs; CREATE SECRET s (TYPE s3, KEY_ID 'abcd', SECRET 'geheim', REGION 'us-east-1', "
        f"ENDPOINT '{host}:{port}', USE_SSL false, URL_STYLE 'path')"
    )
    yield init
    server.stop()
