"""A condition on a table selects the rows; it is read as one expression."""

from __future__ import annotations

import re
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.cli.main import main
from duckmetrics.errors import InputError

SHOP = Path(__file__).parents[2] / "data/shop"
RUN, TRUTH = SHOP / "recommendations.parquet", SHOP / "purchases.parquet"
METRICS = ["ndcg@10", "map"]


def values(run: Any, truth: Any = TRUTH, **options: Any) -> list[float]:
    found = duckmetrics.evaluate(run, truth, METRICS, system="model", **options)
    return [row["value"] for row in found.rows]


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", ["file", "frame", "table", "query", "copied"])
def test_a_condition_is_what_a_query_would_keep(kind: str) -> None:
    wanted = values(f"SELECT * FROM '{RUN}' WHERE country = 'DE' AND score > 0.5")
    where = {"predictions": "country = 'DE' AND score > 0.5"}
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE run AS FROM '{RUN}'")
        table = {"file": RUN, "frame": pq.read_table(RUN), "copied": RUN, "query": f"FROM '{RUN}'"}.get(
            kind, "run"
        )
        snapshot = "always" if kind == "copied" else None
        assert values(table, where=where, connection=connection, snapshot=snapshot) == wanted


@pytest.mark.slow
def test_each_table_has_its_own() -> None:
    truth = pq.read_table(TRUTH)
    kept = truth.filter(pc.not_equal(truth["item_id"], truth["item_id"][0]))
    found = values(RUN, where={"truth": f"item_id <> '{truth['item_id'][0]}'"})
    assert found == values(RUN, kept) != values(RUN)


def test_partitions_that_it_rules_out_are_not_read(tmp_path: Path) -> None:
    """The file of another partition is damaged."""
    table = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [0.9, 0.1]})
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(table, tmp_path / f"day={day}/part.parquet")
    damaged = bytearray((tmp_path / "day=2/part.parquet").read_bytes())
    damaged[4:60] = b"x" * 56
    (tmp_path / "day=2/part.parquet").write_bytes(damaged)
    truth = pa.table({"query_id": [1], "item_id": [1]})
    found = duckmetrics.evaluate(tmp_path, truth, ["mrr"], where={"predictions": "day = 1"})
    assert found["mrr"] == 1.0


REFUSED = {
    "country = ": "write one condition",
    "count(*) > 1": "an aggregate",
    "row_number() OVER () = 1": "a window",
    "score > (SELECT 1)": "a subquery",
    "random() > 0.5": r"random\(\)",
    "score > 1; DROP TABLE run": "not one condition",
    "DROP TABLE run": "not one condition",
    "event_date < current_date": "the current time",
    "nothing = 1": "nothing",
    "country = 'XX'": "no row is left where country = 'XX'",
    "score": "Cannot compare|cast|BOOLEAN|no row|value",
}


@pytest.mark.parametrize("text", [t for t in REFUSED if t != "score"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=REFUSED[text]):
        values(RUN, where={"predictions": text})


def test_only_tables_of_an_evaluation_have_conditions() -> None:
    with pytest.raises(
        InputError, match="'prediction' is not a table of an evaluation; did you mean 'predictions'"
    ):
        values(RUN, where={"prediction": "score > 1"})
    with pytest.raises(InputError, match="names no table"):
        values(RUN, where="score > 1")


ABSENT = {
    "truth": "--truth", "queries": "--queries", "history": "--history", "items": "--items",
    "reference": "--reference", "population": "--set population=TABLE",
}  # fmt: skip


@pytest.mark.parametrize("table", ABSENT)
def test_a_condition_on_a_table_that_is_not_given_is_refused_and_a_column_of_it_too(table: str) -> None:
    message = (
        f"where {table}: this table is not given; give it with {table}= ({ABSENT[table]}), or leave the "
        "condition out"
    )
    truth = None if table == "truth" else TRUTH
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        values(RUN, truth, where={table: "nonsense < 5"})
    message = message.replace(f"where {table}", f"columns: {table}.item_id").replace("condition", "column")
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        values(RUN, truth, columns={"query_id": "user_id", f"{table}.item_id": "sku"})


def test_a_condition_on_attributes_that_nothing_reads_is_refused() -> None:
    """It looks as if it restricted the queries."""
    users = "SELECT user_id AS query_id, country FROM 'data/shop/users.parquet'"
    with pytest.raises(
        InputError, match=r"where queries: only slices, clusters and weights .*population='SELECT"
    ):
        values(RUN, where={"queries": "country = 'JP'"}, queries=users)
    assert values(RUN, where={"queries": "country <> 'XX'"}, queries=users, by="country")


def test_where_there_are_conditions_there_are_versions() -> None:
    functions = [getattr(duckmetrics, name) for name in duckmetrics.__all__]
    known = [set(signature(one).parameters) for one in functions if isfunction(one)]
    with_conditions = [names for names in known if "where" in names]
    assert len(with_conditions) >= 8
    assert all({"version", "as_of"} <= names for names in with_conditions)


@pytest.mark.slow
def test_the_other_doors_take_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    where = {"predictions": "country = 'DE'"}
    found = values(RUN, where=where)
    compared = duckmetrics.compare(RUN, TRUTH, METRICS, system="model", baseline="baseline", where=where)
    assert [row["value"] for row in compared.rows if row["system"] == "candidate"] == found[1::2]
    assert duckmetrics.check(RUN, TRUTH, METRICS, system="model", where=where).errors == ()
    main(["evaluate", str(RUN), str(TRUTH), "--system", "model", "-m", "ndcg@10", "--format", "json",
          "--where", "predictions=country = 'DE'"])  # fmt: skip
    assert str(found[0]) in capsys.readouterr().out


RATED = "SELECT 'q' AS query_id, 'a' AS item_id, 1.0::DOUBLE AS score, '5' AS grade, DATE '2026-11-01' AS day"
# A condition that DuckDB does not bind, what the message names and advises, and the mended condition.
UNBOUND = {
    "scor > 0": ("no column 'scor'; found query_id, item_id, score", "did you mean 'score'?", "score > 0"),
    "flor(score) > 0": ("no function 'flor'", "did you mean 'floor'?", "floor(score) > 0"),
    "lower(score) = '1.0'": ("lower does not take (DOUBLE)", "CAST(column AS VARCHAR)",
                             "lower(CAST(score AS VARCHAR)) = '1.0'"),
    "grade > 4": ("VARCHAR cannot be compared with INTEGER", "TRY_CAST(column AS INTEGER)",
                  "TRY_CAST(grade AS INTEGER) > 4"),
    "day > 5": ("DATE cannot be compared with INTEGER", "write a value of the type DATE",
                "day > DATE '2026-01-01'"),
    "day > 'soon'": ("'soon' is not ", "write a value of the type of the column", "day > '2026-01-01'"),
    "CAST(query_id AS INTEGER) > 1": ("'q' is not INT32", "TRY_CAST, which gives NULL",
                                      "TRY_CAST(query_id AS INTEGER) > 1 OR TRUE"),
}  # fmt: skip


@pytest.mark.engine
@pytest.mark.some(3)
@pytest.mark.parametrize("condition", UNBOUND)
def test_a_condition_that_does_not_bind_is_refused_in_our_words(condition: str) -> None:
    """The words of DuckDB are about a query that the user never wrote."""
    names, advice, mended = UNBOUND[condition]
    truth = {"q": {"a": 1}}
    with pytest.raises(InputError) as raised:
        duckmetrics.evaluate(RATED, truth, "mrr", where={"predictions": condition})
    message = str(raised.value)
    assert message.startswith(f"where predictions: {names}")
    assert advice in message
    assert "DuckDB: " not in message
    assert "Error" not in message
    assert duckmetrics.evaluate(RATED, truth, "mrr", where={"predictions": mended})["mrr"] == 1.0


@pytest.mark.engine
@pytest.mark.parametrize(("by", "words"), [
    ("flor(score) AS x", "by 'x': no function 'flor'; did you mean 'floor'?"),
    ("lower(score) AS x", "by 'x': lower does not take (DOUBLE); cast its argument"),
])  # fmt: skip
def test_a_slice_that_does_not_bind_is_refused_in_our_words(by: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        duckmetrics.evaluate(RATED, {"q": {"a": 1}}, "mrr", by=by)


def test_a_frame_in_a_query_is_given_itself() -> None:
    """Its name means nothing to our connection; the relation of a query over it is read."""
    df = pd.DataFrame({"label": [1, 0], "score": [0.9, 0.1]})
    with pytest.raises(InputError, match=r"Table with name df .*given itself, or as duckdb\.sql\('\.\.\.'\)"):
        duckmetrics.evaluate("FROM df", metrics="auc")
    assert duckmetrics.evaluate(df, metrics="auc")["auc"] == 1.0
    assert duckmetrics.evaluate(duckdb.sql("FROM df"), metrics="auc")["auc"] == 1.0
