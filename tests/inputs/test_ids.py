"""Ids have the same kind on both sides, and different ids stay different."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from duckmetrics import InputError
from support.little import DCG, evaluation, little, overall

if TYPE_CHECKING:
    from pathlib import Path

INTEGERS = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
            "UBIGINT", "UHUGEINT", "DECIMAL(4, 0)", "DECIMAL(18, 0)", "DECIMAL(38, 0)"]  # fmt: skip
SAME = {
    "VARCHAR": ("VARCHAR", "'x'"), "ENUM": ("ENUM('x', 'y')", "'x'"), "UUID": ("UUID", f"'{'1' * 32}'"),
    "DATE": ("DATE", "'2024-01-01'"), "TIMESTAMP": ("TIMESTAMP", "'2024-01-01 10:00'"),
    "TIMESTAMP_NS": ("TIMESTAMP_NS", "'2024-01-01 10:00:00.000000001'"),
    "TIMESTAMPTZ": ("TIMESTAMPTZ", "'2024-01-01 10:00:00+02'"), "BOOLEAN": ("BOOLEAN", "true"),
}  # fmt: skip


NOON, TICK = "'2024-01-01 12:00'", "'2024-01-01 12:00:00.000000001'"


def of_type(type_: str, value: str) -> str:
    """Return one row for either side, with both ids of a type."""
    id_ = f"CAST({value} AS {type_})"
    return f"SELECT {id_} AS query_id, {id_} AS item_id, 1 AS score, 1 AS relevance"


@pytest.mark.some(1)
@pytest.mark.parametrize("truth", ["TINYINT", "BIGINT", "UHUGEINT", "DECIMAL(18, 0)"])
def test_integers_of_every_width_are_one_kind(truth: str) -> None:
    predictions = {type_: of_type(type_, "7") for type_ in INTEGERS}
    result = evaluation(predictions, of_type(truth, "7"))
    assert {row["system"]: row["value"] for row in result.rows} == dict.fromkeys(INTEGERS, 1.0)


@pytest.mark.some(1)
@pytest.mark.parametrize(("left", "right"), [("DECIMAL(18, 0)", "BIGINT"), ("UBIGINT", "HUGEINT")])
def test_neighbouring_large_integers_stay_apart(left: str, right: str) -> None:
    predictions = f"{of_type(left, '9007199254740993')} UNION ALL {of_type(left, '1')}"
    truth = f"{of_type(right, '9007199254740992')} UNION ALL {of_type(right, '1')}"
    assert overall(predictions, truth, "rr") == 0.5


@pytest.mark.some(2)
@pytest.mark.parametrize(("type_", "value"), SAME.values(), ids=SAME)
def test_ids_may_be_of_every_exact_kind(type_: str, value: str) -> None:
    assert overall(of_type(type_, value), of_type(type_, value), "rr") == 1


ONE_KIND = [("ENUM('x', 'y')", "VARCHAR"), ("ENUM('x')", "ENUM('y', 'x')"), ("TIMESTAMP_S", "TIMESTAMP"),
            ("TIMESTAMP_NS", "TIMESTAMP")]  # fmt: skip


@pytest.mark.some(0)
@pytest.mark.parametrize(("left", "right"), ONE_KIND)
def test_types_of_one_kind_join(left: str, right: str) -> None:
    value = "'x'" if "ENUM" in left else "'2024-01-01'"
    assert overall(of_type(left, value), of_type(right, value), "rr") == 1
    assert overall(of_type(right, value), of_type(left, value), "rr") == 1


def test_timestamps_that_differ_by_a_nanosecond_stay_apart() -> None:
    shared = "UNION ALL " + of_type("TIMESTAMP_NS", "'2025-01-01'")
    predictions = f"{of_type('TIMESTAMP_NS', TICK)} {shared}"
    truth = f"{of_type('TIMESTAMP', NOON)} {shared.replace('TIMESTAMP_NS', 'TIMESTAMP')}"
    assert overall(predictions, truth, "rr") == 0.5


def test_dictionaries_of_arrow_and_pandas_are_text() -> None:
    connection = little()
    table = connection.sql("FROM predictions").to_arrow_table()
    encoded = table.set_column(0, "query_id", table["query_id"].dictionary_encode())
    for frame in (encoded, table.to_pandas().astype({"query_id": "category", "item_id": "category"})):
        assert overall(frame, connection=connection) == pytest.approx(DCG)


KINDS = {"INTEGER": "7", "VARCHAR": "'7'", "BOOLEAN": "true", "DATE": "'2024-01-01'", "TIMESTAMP": NOON,
         "TIMESTAMPTZ": NOON, "UUID": f"'{'1' * 32}'"}  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize("truth", KINDS)
def test_ids_of_two_kinds_are_refused(truth: str) -> None:
    for predictions in KINDS.keys() - {truth}:
        with pytest.raises(InputError, match=r"query_id: .* make them one kind, as in "):
            overall(of_type(predictions, KINDS[predictions]), of_type(truth, KINDS[truth]))


@pytest.mark.parametrize(
    ("predictions", "truth", "advice"),
    [
        ("INTEGER", "VARCHAR", '(CAST(query_id AS VARCHAR) AS query_id) FROM ..."'),
        ("VARCHAR", "INTEGER", '(CAST(query_id AS VARCHAR) AS query_id) FROM ..."'),
        ("DATE", "TIMESTAMP", '(CAST(query_id AS TIMESTAMP) AS query_id) FROM ..."'),
        ("TIMESTAMP", "DATE", '(CAST(query_id AS TIMESTAMP) AS query_id) FROM ..."'),
        ("INTEGER", "TIMESTAMP", '(CAST(query_id AS VARCHAR) AS query_id) FROM ...", in both tables'),
    ],
)
def test_the_cast_to_one_kind_keeps_ids_apart(predictions: str, truth: str, advice: str) -> None:
    with pytest.raises(InputError) as caught:
        overall(of_type(predictions, KINDS[predictions]), of_type(truth, KINDS[truth]))
    assert str(caught.value).endswith(advice)


# --- wide integers ---------------------------------------------------------------------------------

WIDE = [0, 1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]


CONNECTION = little()


def stored(name: str, ids: list[int], folder: Path, kind: str) -> str:
    """Store a table or Parquet file; for both, the database knows the smallest and largest id."""
    numbers = pa.array(ids, pa.int64())
    rows = pa.table({"query_id": numbers, "item_id": numbers, "score": [1.0] * len(ids)})
    if kind == "parquet":
        pq.write_table(rows, folder / f"{name}.parquet")
        return f"{folder}/{name}.parquet"
    CONNECTION.execute(f"DROP TABLE IF EXISTS {name}")
    CONNECTION.from_arrow(rows).create(name)
    return name


SIDES = {
    "both": (WIDE, WIDE),
    "neither": ([1, 2, 3], [1, 2, 3]),
    "the truth": ([1, 2, 3], [1, 2, 3, 2**40]),
    "the predictions": ([1, 2, 3, 2**40], [1, 2, 3]),
    "apart": ([1, 2**32 + 2], [1, 2]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["table", "parquet"])
@pytest.mark.parametrize("side", SIDES)
def test_integers_are_exact_however_wide(tmp_path: Path, side: str, kind: str) -> None:
    predicted, judged = SIDES[side]
    run, truth = stored("run", predicted, tmp_path, kind), stored("judged", judged, tmp_path, kind)
    values = evaluation(run, truth, "recall", connection=CONNECTION).per_query
    assert values.schema.field("query_id").type == pa.int64()
    assert {row["query_id"]: row["value"] for row in values.to_pylist()} == {
        id_: float(id_ in predicted) for id_ in judged
    }


def test_wide_integers_of_the_other_tables_are_exact_too(tmp_path: Path) -> None:
    run = stored("run", [1, 2], tmp_path, "table")
    other = stored("other", [1, 2**40, -(2**40)], tmp_path, "table")
    (row,) = evaluation(run, run, population=other, connection=CONNECTION).rows
    assert (row["value"], row["n"], row["n_missing"]) == (1, 1, 2)
    users = f"SELECT query_id, query_id > 1 AS large FROM {other} UNION ALL SELECT 2, false"
    CONNECTION.execute(f"CREATE OR REPLACE TABLE users AS {users}")
    result = evaluation(run, run, by="large", queries="users", connection=CONNECTION)
    assert [(row["large"], row["n"]) for row in result.rows] == [(None, 2), (False, 2)]
