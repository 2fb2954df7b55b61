"""Other engines that run the translated SQL in tests: load tables, run a query, read its rows."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

Row = dict[str, Any]

# The place of a server's programs on Debian, in addition to the PATH.
_SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


_POSTGRES = {
    "string": "TEXT",
    "double": "DOUBLE PRECISION",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "bool": "BOOLEAN",
    "float": "REAL",
}


class OtherEngine(Protocol):
    dialect: str

    def load(self, name: str, table: pa.Table) -> None: ...

    def rows(self, sql: str) -> list[Row]: ...

    def execute(self, statement: str) -> None: ...


class ClickHouse:
    dialect = "clickhouse"

    def __init__(self) -> None:
        session = pytest.importorskip("chdb.session", reason="ClickHouse is in the extra 'engines'")
        self.session = session.Session()
        # One query has all metrics.
        self.session.query("SET max_query_size = 8000000")
        self.folder = tempfile.TemporaryDirectory()

    def load(self, name: str, table: pa.Table) -> None:
        path = Path(self.folder.name) / f"{name}.parquet"
        pq.write_table(table, path)
        self.session.query(f"DROP TABLE IF EXISTS {name}")
        self.session.query(
            f"CREATE TABLE {name} ENGINE = Memory AS SELECT * FROM file('{path}', Parquet) "
            "SETTINGS schema_inference_make_columns_nullable = 'auto'"
        )

    def rows(self, sql: str) -> list[Row]:
        table = self.session.query(sql, "ArrowTable")
        return [
            {name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()}
            for row in table.to_pylist()
        ]

    def execute(self, statement: str) -> None:
        self.session.query(statement)


class DataFusion:
    dialect = "datafusion"

    def __init__(self) -> None:
        datafusion = pytest.importorskip("datafusion", reason="DataFusion is in the extra 'engines'")
        self.context = datafusion.SessionContext()

    def load(self, name: str, table: pa.Table) -> None:
        self.context.deregister_table(name)
        self.context.from_arrow(table, name)

    def rows(self, sql: str) -> list[Row]:
        return self.context.sql(sql).to_arrow_table().to_pylist()

    def execute(self, statement: str) -> None:
        self.context.sql(statement).collect()


class Postgres:
    dialect = "postgres"

    def __init__(self, folder: Path) -> None:
        import psycopg

        self.connection = psycopg.connect(
            host=str(folder), dbname="postgres", user="postgres", autocommit=True
        )

    def load(self, name: str, table: pa.Table) -> None:
        columns = []
        for field in table.schema:
            kind = _POSTGRES[str(field.type)]
            # A collation of languages, as tables of users have; the order in DuckDB is that of the bytes.
            columns.append(f'"{field.name}" {kind}' + (' COLLATE "und-x-icu"' if kind == "TEXT" else ""))
        with self.connection.cursor() as cursor:
            cursor.execute(
                f"DROP TABLE IF EXISTS {name}; CREATE TEMPORARY TABLE {name} ({', '.join(columns)})"
            )
            if table.num_rows:
                marks = ", ".join(["%s"] * table.num_columns)
                rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
                cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", list(rows))

    def rows(self, sql: str) -> list[Row]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql.replace("%", "%%"), ())
            names = [column.name for column in cursor.description or []]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def execute(self, statement: str) -> None:
        self.connection.execute(statement.replace("%", "%%"), ())


class Spark:
    dialect = "spark"

    def __init__(self, session: Any) -> None:
        self.session = session
        self.folder = tempfile.TemporaryDirectory()
        self.loaded = 0

    def load(self, name: str, table: pa.Table) -> None:
        self.loaded += 1
        path = Path(self.folder.name) / f"{name}_{self.loaded}.parquet"
        pq.write_table(table, path)
        self.session.read.parquet(str(path)).createOrReplaceTempView(name)

    def rows(self, sql: str) -> list[Row]:
        return self.session.sql(sql).toArrow().to_pylist()

    def execute(self, statement: str) -> None:
        self.session.sql(statement)


def spark_session(**settings: str) -> Any:
    """Start a small session on this machine; skip where there is no Java."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java")
    assert pyspark
    from pyspark.sql import SparkSession

    # The workers have the packages of the tests.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("tests")
    usual = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        # The tables are small, and every aggregate of a statement keeps a page; one statement has 60 metrics.
        "spark.buffer.pageSize": "1m",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "ERROR",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
    }
    for name, value in {**usual, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@contextlib.contextmanager
def postgres_server() -> Iterator[Path]:
    """Start a server that listens in a folder; skip where PostgreSQL is not installed."""
    pytest.importorskip("psycopg")
    initdb = shutil.which("initdb", path=os.pathsep.join([os.environ["PATH"], *map(str, _SERVERS)]))
    if initdb is None:
        pytest.skip("no PostgreSQL")
    programs = Path(initdb).resolve().parent
    # A server refuses to run as root.
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if user:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        started = [*user, str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        subprocess.run(
            [*user, str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"],
            check=True, capture_output=True,
        )  # fmt: skip
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        subprocess.run([*started, "-o", options, "start"], check=True, capture_output=True)
        try:
            yield folder
        finally:
            subprocess.run([*started, "-m", "immediate", "stop"], check=False, capture_output=True)
