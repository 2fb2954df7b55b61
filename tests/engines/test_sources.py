"""The shop in each kind of storage, through each door: the numbers are those of the local files.

Skipped where an extension of DuckDB or a package is not installed; CI installs them (the extra `warehouses`).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

import duckmetrics
from duckmetrics.errors import InputError
from support.cases import ROOT
from support.command_line import Command
from support.duckdb_shell import rows, same, written
from support.must_run import no_case
from support.warehouses import (
    SHOP,
    attached_server,
    extensions,
    server,
    store,
    write_delta,
    write_iceberg,
    write_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["extensions", "server", "store"]

pytestmark = pytest.mark.warehouse

Rows = list[dict[str, Any]]
EXTENSIONS = {"ducklake": "ducklake", "sqlite": "sqlite_scanner", "postgres": "postgres_scanner"}


class Source(NamedTuple):
    """The shop in one kind of storage.

    Attributes:
        tables: the run and the truth, as a path or a name.
        objects: the same for Python, as objects; they belong to the connection.
        connection: the connection that has attached the storage.
        options: the options of the command line that attach it.
        is_read_by_macros: whether the macros read the tables by their path or name.
    """

    tables: tuple[str, str]
    objects: tuple[Any, Any]
    connection: duckdb.DuckDBPyConnection | None = None
    options: tuple[str, ...] = ()
    is_read_by_macros: bool = True


LOCAL = (str(SHOP / "recommendations.parquet"), str(SHOP / "purchases.parquet"))


def address_of(store: Path) -> str:
    """Return the host and port of the store, from the statements that open it."""
    (address,) = re.findall(r"ENDPOINT '([^']*)'", store.read_text())
    return str(address)


# --- the kinds of storage ------------------------------------------------------------------------


def of_delta(request: pytest.FixtureRequest, folder: Path) -> Source:
    package = pytest.importorskip("deltalake")
    write_delta(folder)
    run, truth = (str(folder / name) for name in ("run", "truth"))
    return Source((run, truth), (package.DeltaTable(run), package.DeltaTable(truth)), is_read_by_macros=False)


def of_iceberg(request: pytest.FixtureRequest, folder: Path) -> Source:
    run, truth = write_iceberg(folder).values()
    places = (run.location().removeprefix("file://"), truth.location().removeprefix("file://"))
    return Source(places, (run, truth), is_read_by_macros=False)


def of_objects(request: pytest.FixtureRequest, folder: Path) -> Source:
    setup = request.getfixturevalue("store")
    connection = duckdb.connect()
    connection.execute(setup.read_text())
    run, truth = (f"s3://shop/{name}.parquet" for name in ("recommendations", "purchases"))
    objects = (connection.read_parquet(run), connection.read_parquet(truth))
    return Source((run, truth), objects, connection, ("--init", str(setup)))


def of_delta_in_a_store(request: pytest.FixtureRequest, folder: Path) -> Source:
    """The truth is an object: the store has a Delta table of the run only."""
    given = of_objects(request, folder)
    address = address_of(request.getfixturevalue("store"))
    options = {
        "AWS_ACCESS_KEY_ID": "abcd", "AWS_SECRET_ACCESS_KEY": "geheim", "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{address}", "AWS_ALLOW_HTTP": "true",
    }  # fmt: skip
    run = "s3://shop/tables/run"
    table = pytest.importorskip("deltalake").DeltaTable(run, storage_options=options)
    return given._replace(
        tables=(run, given.tables[1]), objects=(table, given.objects[1]), is_read_by_macros=False
    )


def of_ducklake(request: pytest.FixtureRequest, folder: Path) -> Source:
    return attached(folder, "ducklake", f"ducklake:{folder}/c.ducklake", f"(DATA_PATH '{folder}/data')")


def of_sqlite(request: pytest.FixtureRequest, folder: Path) -> Source:
    return attached(folder, "sqlite", f"sqlite:{folder}/shop.sqlite", "")


def of_duckdb(request: pytest.FixtureRequest, folder: Path) -> Source:
    return attached(folder, "duckdb", f"{folder}/shop.duckdb", "")


def of_postgres(request: pytest.FixtureRequest, folder: Path) -> Source:
    place = request.getfixturevalue("server")
    connection = duckdb.connect()
    connection.execute(attached_server(place))
    target = f"postgres:host={place} user=postgres dbname=postgres"
    return named(folder, connection, "postgres", target, "public")


def attached(folder: Path, kind: str, target: str, how: str) -> Source:
    """Write the shop into a new database, and attach it again."""
    load = f"LOAD {EXTENSIONS[kind]};" if kind in EXTENSIONS else ""
    with duckdb.connect() as connection:
        connection.execute(f"{load} ATTACH '{target}' AS shop {how}")
        write_tables(connection, "shop")
    connection = duckdb.connect()
    connection.execute(f"{load} ATTACH '{target}' AS shop (READ_ONLY)")
    return named(folder, connection, kind, target, "main")


def named(folder: Path, connection: duckdb.DuckDBPyConnection, kind: str, target: str, schema: str) -> Source:
    setup = folder / "setup.sql"
    setup.write_text(f"LOAD {EXTENSIONS.get(kind, 'parquet')}")
    names = (f"shop.{schema}.run", f"shop.{schema}.truth")
    objects = (connection.table(names[0]), connection.table(names[1]))
    return Source(names, objects, connection, ("--attach", f"shop={target}", "--init", str(setup)))


SOURCES = {
    "delta": of_delta, "iceberg": of_iceberg, "objects": of_objects, "delta in a store": of_delta_in_a_store,
    "ducklake": of_ducklake, "sqlite": of_sqlite, "duckdb": of_duckdb, "postgres": of_postgres,
}  # fmt: skip


@pytest.fixture(scope="module", params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = SOURCES[request.param](request, tmp_path_factory.mktemp("source"))
    yield found
    if found.connection is not None:
        found.connection.close()


# --- Python and the command line -----------------------------------------------------------------

# The baseline is for compare only.
ASKED: dict[str, dict[str, Any]] = {"evaluate": {}, "compare": {"baseline": "baseline"}, "check": {}}
# These columns of findings name the tables, which differ.
NAMES = ("table", "message")


def by_python(command: str, tables: tuple[Any, Any], **options: Any) -> Rows:
    found = getattr(duckmetrics, command)(*tables, "ndcg@10", system="model", **ASKED[command], **options)
    return [asdict(row) for row in found] if command == "check" else list(found.rows)


def by_command(run: Command, command: str, tables: tuple[Any, Any], *options: str) -> Rows:
    given = [word for name, value in ASKED[command].items() for word in (f"--{name}", value)]
    asked = [command, *tables, "-m", "ndcg@10", "--system", "model", "--format", "json", *given, *options]
    outcome = run(*asked)
    assert outcome.code == 0, outcome.err
    found: Rows = json.loads(outcome.out)["rows"]
    return found


def without_names(found: Rows) -> Rows:
    """Return rows without the columns that name a table, and tuples as lists, as JSON has them."""
    kept = [{name: value for name, value in row.items() if name not in NAMES} for row in found]
    listed: Rows = json.loads(json.dumps(kept))
    return listed


def differences(found: Rows, wanted: Rows, exact: tuple[str, ...] = ("value", "share")) -> list[str]:
    """Return where rows differ: intervals and p in more than their last digits, the rest in anything.

    Args:
        exact: the columns of doubles that are the same to the last bit.
    """
    if len(found) != len(wanted):
        return [f"{len(found)} rows, should be {len(wanted)}"]
    return [
        f"{name} is {row.get(name)!r}, should be {other.get(name)!r}"
        for row, other in zip(found, wanted, strict=True)
        for name in sorted({*row, *other})
        if not agree(row.get(name), other.get(name), name in exact)
    ]


def agree(found: Any, wanted: Any, is_exact: bool) -> bool:
    if isinstance(wanted, float) and isinstance(found, float) and not is_exact:
        return math.isclose(found, wanted, rel_tol=1e-11)
    return bool(found == wanted)


@cache
def wanted(command: str) -> Rows:
    """Return the rows of Python for the local files."""
    return without_names(by_python(command, LOCAL))


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize("door", ["path or name", "object", "command line"])
def test_every_source_gives_the_rows_of_the_local_files(
    source: Source, door: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Values and counts are equal to the last bit; sums of intervals and p have no order in SQL."""
    if door == "command line":
        found = by_command(Command(capsys), command, source.tables, *source.options)
    else:
        tables = source.objects if door == "object" else source.tables
        found = by_python(command, tables, connection=source.connection)
    assert not differences(without_names(found), wanted(command))
    assert len(found) >= 2


# --- the macros of the DuckDB shell --------------------------------------------------------------

FILE = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")


def by_macros(connection: duckdb.DuckDBPyConnection, tables: tuple[str, str]) -> Rows:
    connection.execute(FILE)
    given = f"{written(tables[0])}, {written(tables[1])}"
    options = "query_id := 'user_id', system := 'model'"
    values = rows(connection, f"FROM ndcg({given}, k := 10, {options})")
    return values + rows(connection, f"FROM compare({given}, 'ndcg@10', baseline := 'baseline', {options})")


@cache
def wanted_by_macros() -> Rows:
    with duckdb.connect() as connection:
        return by_macros(connection, LOCAL)


def test_the_macros_give_the_rows_of_the_local_files(source: Source) -> None:
    """Values of macros are sums of doubles, so their last digits differ even between two calls."""
    if not source.is_read_by_macros or source.connection is None:
        no_case("the macros do not read folders of table formats")
    found = by_macros(source.connection, source.tables)
    assert not differences(found, wanted_by_macros(), exact=())
    python = [(row["system"], row["value"], row["n"]) for row in wanted("evaluate")]
    assert same([(row["system"], row["value"], row["n"]) for row in found[:2]], python)


# --- a wrong key ---------------------------------------------------------------------------------


@pytest.fixture
def keys(store: Path) -> Iterator[tuple[str, str]]:
    """Let the store check signatures, and return the key of a user and its secret."""
    boto3, requests = pytest.importorskip("boto3"), pytest.importorskip("requests")
    address = f"http://{address_of(store)}"
    iam = boto3.client(
        "iam", endpoint_url=address, region_name="us-east-1", aws_access_key_id="abcd",
        aws_secret_access_key="geheim",
    )  # fmt: skip
    iam.create_user(UserName="reader")
    allowed = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=policy)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    # The number of requests before signatures count.
    assert requests.post(f"{address}/moto-api/reset-auth", data=b"0", timeout=10).ok
    yield key["AccessKeyId"], key["SecretAccessKey"]
    assert requests.post(f"{address}/moto-api/reset-auth", data=b"inf", timeout=10).ok
    iam.delete_access_key(UserName="reader", AccessKeyId=key["AccessKeyId"])
    iam.delete_user_policy(UserName="reader", PolicyName="read")
    iam.delete_user(UserName="reader")


@pytest.mark.parametrize(("place", "advice"), [
    ("s3://shop/recommendations.parquet", "check the key"),
    ("s3://shop/folders/recommendations/", "check the address, the key"),
    ("s3://shop/tables/run", "check the address, the key"),
])  # fmt: skip
def test_a_wrong_key_is_told_in_one_line_and_not_shown(
    store: Path, keys: tuple[str, str], place: str, advice: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The key is in a statement of the setup or in the variables of AWS; the right one reads the table."""
    run, (key, secret), setup = Command(capsys), keys, tmp_path / "setup.sql"
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{address_of(store)}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
    wrong = "falsch" + secret[6:]
    tables = (place, LOCAL[1])
    for options in ((), ("--init", str(setup))):
        for tried in (secret, wrong):
            monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", tried)
            statement = store.read_text().replace("'abcd'", f"'{key}'").replace("'geheim'", f"'{tried}'")
            setup.write_text(statement)
            if tried == secret:
                found = by_command(run, "evaluate", tables, *options)
                assert not differences(without_names(found), wanted("evaluate"))
                continue
            asked = [*tables, "-m", "ndcg@10", "--system", "model", *options]
            outcome = run("evaluate", *asked)
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
            checked = run("check", *asked, "--format", "plain")
            assert checked.code in (1, 2)
            for printed in (outcome.err, checked.out + checked.err):
                assert f"{place}: " in printed
                assert advice in printed
                assert tried not in printed
    with duckdb.connect() as connection:
        connection.execute(setup.read_text())
        with pytest.raises(InputError, match=advice) as raised:
            by_python("evaluate", tables, connection=connection)
    assert wrong not in str(raised.value)
