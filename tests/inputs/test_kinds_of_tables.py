"""Every kind of table gives the same number."""

from __future__ import annotations

import gc
import gzip
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import duckmetrics
from duckmetrics.errors import InputError
from support.little import DCG, PREDICTIONS, RR, TRUTH, little, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.little import Connection

    Build = Callable[[Connection, Path], Any]

pytestmark = pytest.mark.engine

COPIES = {
    "parquet": "", "csv": "", "csv.gz": "", "csv.zst": "(COMPRESSION zstd)", "tsv": "(DELIMITER '\t')",
    "json": "", "jsonl": "", "json.gz": "",
}  # fmt: skip
RUN = ["q1 Q0 a 1 3.0 tag", "q1\tQ0\tb\t2\t2.5\ttag", "  q1   Q0  c   3 1e0 \t tag  ", "q2 Q0 a 1 2 tag",
       "q2 Q0 d 2 1 tag"]  # fmt: skip
QRELS = ["q1 0 b 1", "q1\t0\tc\t2", "q2  0   a  1 ", "q3 0 z 1"]


@pytest.fixture
def connection() -> Iterator[Connection]:
    with little() as connection:
        yield connection


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write both tables in every file format, in parts, and as a hive folder."""
    folder = tmp_path_factory.mktemp("exports")
    (folder / "parts").mkdir()
    with little() as connection:
        for table in ("predictions", "truth"):
            for suffix, options in COPIES.items():
                connection.execute(f"COPY {table} TO '{folder}/{table}.{suffix}' {options}")
        for query in ("q1", "q2"):
            part = f"SELECT * FROM predictions WHERE query_id = '{query}'"
            connection.execute(f"COPY ({part}) TO '{folder}/parts/{query}.parquet'")
        hive = f"'{folder}/hive' (FORMAT parquet, PARTITION_BY (query_id))"
        connection.execute(f"COPY predictions TO {hive}")
    return folder


# --- files -----------------------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", COPIES)
def test_a_file_of_every_format_gives_the_same_number(folder: Path, suffix: str) -> None:
    assert overall(f"{folder}/predictions.{suffix}", f"{folder}/truth.{suffix}") == pytest.approx(DCG)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "path", ["parts/*.parquet", "parts/q?.parquet", "parts", "hive", "hive/", "hive/**/*.parquet"]
)
def test_a_pattern_a_folder_and_a_hive_folder_are_one_table(folder: Path, path: str) -> None:
    assert overall(f"{folder}/{path}") == pytest.approx(DCG)


@pytest.mark.slow
def test_a_path_object_and_a_list_of_paths_are_accepted(folder: Path) -> None:
    assert overall(folder / "predictions.parquet") == pytest.approx(DCG)
    assert overall([folder / "parts/q1.parquet", f"{folder}/parts/q2.parquet"]) == pytest.approx(DCG)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"], ids=["lf", "crlf", "blank lines"])
@pytest.mark.parametrize("suffix", ["run", "trec", "txt"])
def test_trec_text_is_told_apart_by_blanks_of_any_kind(tmp_path: Path, suffix: str, ending: str) -> None:
    run, qrels = tmp_path / f"a.{suffix}", tmp_path / "a.qrels"
    run.write_bytes(ending.join([*RUN, ""]).encode())
    qrels.write_bytes(ending.join(QRELS).encode())
    assert overall(run, qrels) == pytest.approx(DCG)


def test_trec_text_may_be_compressed_and_in_parts(tmp_path: Path) -> None:
    for name, lines in (("a.run.gz", RUN[:3]), ("b.run.gz", RUN[3:]), ("t.qrels.gz", QRELS)):
        (tmp_path / name).write_bytes(gzip.compress("\n".join(lines).encode()))
    assert overall(f"{tmp_path}/?.run.gz", tmp_path / "t.qrels.gz") == pytest.approx(DCG)


def test_trec_ids_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    ids = ["007", 'a"b', "'x", "a,b", "#", "ü"]
    run.write_text("".join(f"01 Q0 {id_} 1 1 tag\n" for id_ in ids), encoding="utf-8")
    qrels.write_text("".join(f"01 0 {id_} 1\n" for id_ in [*ids, "7"]), encoding="utf-8")
    assert overall(run, qrels, "recall") == pytest.approx(6 / 7)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_whole_scores_in_the_first_file_do_not_round_those_of_the_next(tmp_path: Path, suffix: str) -> None:
    with duckdb.connect() as connection:
        for number, rows in enumerate(("('a', 1), ('b', 3)", "('c', 1.5::DOUBLE), ('d', 1.25)")):
            part = f"SELECT 'q' AS query_id, * FROM (VALUES {rows}) AS p(item_id, score)"
            connection.execute(f"COPY ({part}) TO '{tmp_path}/{number}.{suffix}'")
    truth = "SELECT 'q' AS query_id, 'a' AS item_id"
    assert overall(f"{tmp_path}/*.{suffix}", truth, "first_rank") == 4
    assert overall([tmp_path / f"0.{suffix}", tmp_path / f"1.{suffix}"], truth, "first_rank") == 4


# --- tables, views, SQL ----------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "name", ["predictions", "PREDICTIONS", "table:predictions", "main.predictions", '"predictions"', "seen"]
)
def test_a_table_or_view_is_found_by_name(connection: Connection, name: str) -> None:
    connection.execute("CREATE VIEW seen AS FROM predictions")
    assert overall(name, connection=connection) == pytest.approx(DCG)


def test_a_database_file_is_opened_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE p AS FROM {PREDICTIONS}; CREATE VIEW t AS FROM {TRUTH}")
    assert overall("p", "t", connection=path) == pytest.approx(DCG)
    assert overall("p", "t", connection=str(path)) == pytest.approx(DCG)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM predictions",
        "select\n* from predictions",
        "FROM predictions;",
        "FROM predictions -- the run of today",
        "FROM predictions -- the run of today;\n",
        "FROM predictions; -- the run of today",
        "FROM predictions /* today; */ ;\n\n",
        "  (SELECT * FROM predictions)",
        "WITH best AS (FROM predictions) FROM best",
        "SELECT *, ';' AS mark, '--' AS other FROM predictions",
        "sql:-- the run\nFROM predictions",
        "sql:TABLE predictions",
    ],
)
def test_sql_text_is_a_table(connection: Connection, sql: str) -> None:
    assert overall(sql, connection=connection) == pytest.approx(DCG)


def test_sql_text_runs_as_it_was_written(connection: Connection) -> None:
    predictions = "SELECT 'first\n  second' AS query_id, 'a' AS item_id, 1 AS score"
    truth = "SELECT 'first' || chr(10) || '  second' AS query_id, 'a' AS item_id"
    assert overall(predictions, truth, "rr", connection=connection) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["truth", "systems", "queries", "ideal", "asked", "judgments", "ranked"])
def test_a_table_may_be_called_like_a_step_of_the_query(name: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE {name} AS FROM {PREDICTIONS}; CREATE TABLE labels AS FROM {TRUTH}")
        assert overall(name, "labels", connection=connection) == pytest.approx(DCG)
        assert overall(f"SELECT * FROM {name}", "labels", connection=connection) == pytest.approx(DCG)


def test_the_tables_may_be_called_the_other_way_round() -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE truth AS FROM {PREDICTIONS}")
        connection.execute(f"CREATE TABLE predictions AS FROM {TRUTH}")
        assert overall("truth", "predictions", connection=connection) == pytest.approx(DCG)


def test_prefixes_decide_between_a_table_and_a_file_of_one_name(
    connection: Connection, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "predictions").write_bytes(b"")
    with pytest.raises(duckmetrics.InputError) as caught:
        overall("predictions", connection=connection)
    assert str(caught.value) == (
        "predictions: both a table and a file; write 'table:predictions' or 'file:predictions'"
    )
    assert overall("table:predictions", connection=connection) == pytest.approx(DCG)
    assert overall(f"file:{folder}/predictions.csv", connection=connection) == pytest.approx(DCG)


@pytest.mark.slow
def test_a_file_name_wins_where_it_cannot_be_a_plain_table_name(
    connection: Connection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    connection.execute("CREATE TABLE \"predictions.csv\" AS FROM predictions WHERE query_id = 'q2'")
    assert overall("file:predictions.csv", connection=connection) == pytest.approx(DCG)
    assert overall("table:predictions.csv", connection=connection) == pytest.approx(1 / 3)


# --- relations and frames --------------------------------------------------------------------------


def arrow(connection: Connection) -> pa.Table:
    return connection.sql("FROM predictions").to_arrow_table()


def over_a_variable(connection: Connection) -> duckdb.DuckDBPyRelation:
    frame = arrow(connection)
    relation = connection.sql("FROM frame")
    del frame
    return relation


def seen_through_the_stream(table: pa.Table, once: bool) -> Any:
    """Return an object that offers only the Arrow stream, repeatedly or once."""
    source = table.to_reader() if once else table

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return source.__arrow_c_stream__(requested_schema)

    return Stream()


OTHER = little()
FRAMES: dict[str, Build] = {
    "relation over SQL": lambda c, _: c.sql("FROM predictions"),
    "relation over a table": lambda c, _: c.table("predictions").filter("score > 0"),
    "relation over a frame": lambda c, _: c.from_arrow(arrow(c)),
    "relation over a variable": lambda c, _: over_a_variable(c),
    "relation of the default connection": lambda _, __: duckdb.sql(f"FROM {PREDICTIONS}"),
    "relation of another connection": lambda _, __: OTHER.sql("FROM predictions"),
    "pyarrow table": lambda c, _: arrow(c),
    "pyarrow batch": lambda c, _: arrow(c).to_batches()[0],
    "pyarrow reader": lambda c, _: arrow(c).to_reader(),
    "pyarrow dataset": lambda _, folder: ds.dataset(folder / "parts"),
    "pyarrow scanner": lambda _, folder: ds.dataset(folder / "parts").scanner(),
    "pandas": lambda c, _: arrow(c).to_pandas(),
    "pandas with objects": lambda c, _: arrow(c).to_pandas().astype({"query_id": object}),
    "pandas with pyarrow types": lambda c, _: arrow(c).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda c, _: pl.from_arrow(arrow(c)),
    "polars lazy": lambda c, _: pl.DataFrame(arrow(c)).lazy(),
    "arrow stream": lambda c, _: seen_through_the_stream(arrow(c), once=False),
    "arrow stream, once": lambda c, _: seen_through_the_stream(arrow(c), once=True),
}


HALF_FLOATS: dict[str, Build] = {
    "pyarrow table": lambda c, _: halved(c),
    "pyarrow batch": lambda c, _: halved(c).to_batches()[0],
    "polars": lambda c, _: pl.DataFrame(halved(c)),
    "polars lazy": lambda c, _: pl.DataFrame(halved(c)).lazy(),
}


def halved(connection: Connection) -> pa.Table:
    """Return the predictions with scores of 16 bits, as models on a graphics card write them."""
    table = arrow(connection)
    scores = pa.array(table["score"].to_numpy().astype("float16"))
    return table.set_column(table.schema.get_field_index("score"), "score", scores)


@pytest.mark.parametrize("build", HALF_FLOATS.values(), ids=HALF_FLOATS)
def test_half_floats_are_scores(connection: Connection, folder: Path, build: Build) -> None:
    assert overall(build(connection, folder), connection=connection) == pytest.approx(DCG)


@pytest.mark.some(1)
@pytest.mark.parametrize("build", FRAMES.values(), ids=FRAMES)
def test_a_relation_or_frame_gives_the_same_number(
    connection: Connection, folder: Path, build: Build
) -> None:
    assert overall(build(connection, folder), connection=connection) == pytest.approx(DCG)


def test_no_connection_is_needed_for_frames() -> None:
    with little() as connection:
        predictions, truth = arrow(connection), connection.sql("FROM truth").pl()
    assert duckmetrics.evaluate(predictions, truth, "dcg")["dcg"] == pytest.approx(DCG)


def test_a_relation_means_the_table_of_its_own_connection(connection: Connection) -> None:
    with little() as other:
        other.execute("DELETE FROM predictions WHERE query_id = 'q1'")
        assert overall(other.table("predictions"), connection=connection) == pytest.approx(1 / 3)


@pytest.mark.slow
def test_a_relation_and_a_frame_can_be_evaluated_again(connection: Connection) -> None:
    relation, frame = connection.sql("FROM predictions"), arrow(connection)
    for _ in range(2):
        assert overall(relation, connection=connection) == pytest.approx(DCG)
        assert overall(frame, connection=connection) == pytest.approx(DCG)
    assert len(relation.fetchall()) == 5


@pytest.mark.slow
def test_nothing_is_left_on_the_connection_of_the_caller(connection: Connection) -> None:
    frame = arrow(connection)
    result = duckmetrics.evaluate(frame, "truth", "rr", connection=connection)
    assert result["rr"] == pytest.approx(RR)
    del result
    gc.collect()
    with pytest.raises(duckmetrics.InputError):  # any call drops the tables of the last one
        duckmetrics.evaluate("none", "truth", "rr", connection=connection)
    found = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
    assert sorted(found) == [("predictions",), ("truth",)]


SETTINGS = ["default_order = 'desc'", "default_null_order = 'nulls_first'", "integer_division = true",
            "preserve_insertion_order = false", "default_collation = 'nocase'"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_the_callers_connection_change_no_number(connection: Connection, setting: str) -> None:
    connection.execute(f"SET {setting}")
    assert overall("predictions", connection=connection) == pytest.approx(DCG)
    assert overall("predictions", metric="rr(agg=p25)", connection=connection) == pytest.approx(0.25)
    result = duckmetrics.evaluate("predictions", "truth", ["rr", "dcg", "ap"], connection=connection)
    assert [row["metric"] for row in result.rows] == ["rr", "dcg", "ap"]


@pytest.mark.parametrize("method", ["to_arrow", "fetch_arrow_all", "fetch_arrow_table", "fetchall_arrow"])
def test_clients_of_warehouses_hand_over_arrow(method: str) -> None:
    """Stand-ins for BigQuery, Snowflake, ADBC and Databricks, by the method that each of them has."""
    run = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [0.1, 0.9]})
    client = type("Client", (), {method: lambda self: run})()
    assert duckmetrics.evaluate(client, pa.table({"query_id": [1], "item_id": [1]}), ["mrr"])["mrr"] == 0.5
    empty = type("Client", (), {method: lambda self: None})()
    with pytest.raises(InputError, match="no rows, or they were fetched already; run the query again"):
        duckmetrics.evaluate(empty, run, ["mrr"])
