"""Tables that are read once: the values are the same, and the checks see the rows that are evaluated."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.snapshots import is_cheap
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

RUN = pa.table({
    "query_id": ["q1", "q1", "q1", "q2", "q2", "q3"], "item_id": ["a", "b", "c", "a", "b", "z"],
    "score": [0.3, 0.2, 0.2, 0.9, 0.1, 0.5],
})  # fmt: skip
TRUTH = pa.table({"query_id": ["q1", "q1", "q2", "q4"], "item_id": ["b", "c", "b", "x"]})
METRICS = ["ndcg@2", "map", "mrr"]
COLUMNS = ["query_id", "item_id", "score"]


@pytest.fixture
def connection(tmp_path: Path) -> Any:
    with duckdb.connect() as connection:
        connection.register("run_frame", RUN)
        connection.register("truth_frame", TRUTH)
        connection.execute("CREATE TABLE run AS FROM run_frame; CREATE TABLE qrels AS FROM truth_frame")
        connection.execute("CREATE VIEW plain AS SELECT query_id, item_id, score FROM run WHERE score > 0")
        connection.execute("CREATE VIEW joined AS SELECT run.* FROM run SEMI JOIN run AS r USING (query_id)")
        connection.execute("CREATE SCHEMA shop; CREATE TABLE shop.run AS FROM run")
        yield connection


def evaluated(table: Any, connection: Any = None, snapshot: str | None = None) -> duckmetrics.Evaluation:
    return duckmetrics.evaluate(table, TRUTH, METRICS, connection=connection, snapshot=snapshot)


def values(evaluation: duckmetrics.Evaluation) -> list[Any]:
    return [row["value"] for row in evaluation.rows]


def is_copied(evaluation: duckmetrics.Evaluation) -> bool:
    return "duckmetrics_snapshot" in evaluation.sql


@pytest.mark.some(0)
@pytest.mark.parametrize(("table", "is_dear"), [
    ("run", False), ("plain", False), ("shop.run", False), ("FROM run WHERE score > 0", False),
    ("joined", True), ("SELECT DISTINCT * FROM run", True),
    ("FROM run JOIN qrels USING (query_id, item_id)", True),
])  # fmt: skip
def test_a_table_is_copied_where_more_than_a_scan_reads_it(
    connection: Any, table: str, is_dear: bool
) -> None:
    assert is_copied(evaluated(table, connection)) is is_dear
    assert is_copied(evaluated(table, connection, "always"))
    assert not is_copied(evaluated(table, connection, "never"))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["run", "joined", "plain", "FROM run"])
def test_no_value_depends_on_it(connection: Any, table: str) -> None:
    wanted = values(evaluated(RUN))
    for snapshot in ("auto", "always", "never"):
        assert values(evaluated(table, connection, snapshot)) == wanted


@pytest.mark.slow
def test_objects_that_compute_their_rows_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(RUN, path)
    wanted = values(evaluated(path))
    for table in (pl.scan_parquet(path), ds.dataset(path)):
        found = evaluated(table)
        assert is_copied(found)
        assert values(found) == wanted
    assert not is_copied(evaluated(path))


@pytest.mark.engine
@pytest.mark.parametrize("of", ["dictionaries", "Arrow", "Polars", "a name", "a relation"])
def test_frames_that_are_joined_several_times(of: str) -> None:
    """DuckDB 1.5 hands filters of joins to frames of Arrow, which refuse them."""
    connection = None
    run: Any = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
    truth: Any = {"q1": {"b": 1}, "q2": {"b": 1}}
    if of != "dictionaries":
        run = pa.table([["q1", "q1", "q2", "q2"], ["a", "b", "a", "b"], [0.9, 0.5, 0.2, 0.8]], names=COLUMNS)
        truth = pa.table({"query_id": ["q1", "q2"], "item_id": ["b", "b"]})
    if of == "Polars":
        run, truth = pl.from_arrow(run), pl.from_arrow(truth)
    elif of in ("a name", "a relation"):
        connection = duckdb.connect()
        connection.register("run", run)
        run = "run" if of == "a name" else connection.sql("FROM run")
    found = duckmetrics.compare({"A": run, "B": run, "C": run}, truth, "rr", connection=connection)
    assert [row["value"] for row in found.rows] == [0.75] * 3


@pytest.mark.parametrize("wide", [4, 20])
def test_only_the_columns_that_are_needed_are_copied(connection: Any, wide: int) -> None:
    others = ", ".join(f"{i} AS other_{i}" for i in range(wide))
    connection.execute(f"CREATE VIEW wide AS SELECT DISTINCT *, 'de' AS country, {others} FROM run")
    found = duckmetrics.evaluate("wide", TRUTH, METRICS, by="country", connection=connection)
    assert "other_3" not in found.sql
    assert values(found)[: len(METRICS)] == values(evaluated(RUN))
    with pytest.raises(InputError, match=f"other_{wide - 1}"):
        duckmetrics.evaluate("wide", TRUTH, METRICS, connection=connection, columns={"score": "scor"})


@pytest.mark.parametrize("wide", [2, 20])
def test_a_text_is_parsed_once(connection: Any, tmp_path: Path, wide: int) -> None:
    others = ", ".join(f"{i} AS other_{i}" for i in range(wide))
    connection.execute(f"COPY (SELECT *, {others} FROM run) TO '{tmp_path}/wide.csv'")
    found = evaluated(tmp_path / "wide.csv")
    assert found.sql.count("wide.csv") == 1
    assert "other_1" not in found.sql
    assert values(found) == values(evaluated(RUN))


def test_columns_that_were_left_out_still_explain_rows_that_are_there_twice(
    connection: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run.csv"
    connection.execute(f"COPY (SELECT *, unnest(['old', 'new']) AS kind, 1 AS constant FROM run) TO '{path}'")
    with pytest.raises(InputError, match="column 'kind' distinguishes them") as raised:
        evaluated(path)
    assert "constant" not in str(raised.value)


@pytest.mark.slow
def test_a_name_of_the_database_wins_over_a_suffix(connection: Any, tmp_path: Path) -> None:
    assert values(evaluated("shop.run", connection)) == values(evaluated(RUN))
    with pytest.raises(InputError, match="no such file"):
        evaluated("shops.run", connection)


@pytest.mark.slow
def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(RUN, path)
    arrow = DuckDBEngine.rows

    def replaced(self: DuckDBEngine, query: Any) -> Any:
        found = arrow(self, query)
        pq.write_table(RUN.slice(0, 3), tmp_path / "new.parquet")
        os.replace(tmp_path / "new.parquet", path)
        return found

    monkeypatch.setattr(DuckDBEngine, "rows", replaced)
    with pytest.raises(InputError, match=r"run\.parquet: changed while it was read"):
        evaluated(path)
    monkeypatch.undo()
    assert values(evaluated(path)) == values(evaluated(RUN.slice(0, 3)))


def test_a_file_that_changed_after_the_evaluation_explains_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(RUN, path)
    found, copied = evaluated(path), evaluated(path, snapshot="always")
    assert found.explain(by="grade").value == copied.explain(by="grade").value
    pq.write_table(RUN.slice(0, 3), path)
    with pytest.raises(InputError, match=r"run\.parquet: changed after it was evaluated.*again"):
        found.explain(by="grade")
    assert "changed after it was evaluated" in found.report().html
    assert copied.explain(by="grade").value is not None


def test_a_choice_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="snapshot='once': no such choice; choose auto or always or never"):
        evaluated(RUN, snapshot="once")


@pytest.mark.slow
def test_checks_and_curves_take_it_too(connection: Any) -> None:
    """A wrong choice shows that it arrives; the others give the same rows."""
    clicks = "SELECT query_id, score > 0.5 AS label, score FROM run"
    for read in (
        lambda snapshot: (
            duckmetrics.check("run", "qrels", METRICS, connection=connection, snapshot=snapshot).rows
        ),
        lambda snapshot: duckmetrics.curve(
            clicks, "confusion", connection=connection, snapshot=snapshot
        ).to_pylist(),
    ):
        assert read("always") == read("never")
        with pytest.raises(InputError, match="snapshot='once': no such choice"):
            read("once")


def test_a_plan_that_reads_something_remote_is_dear() -> None:
    scan = '[{"name": "READ_PARQUET ", "children": [], "extra_info": {%s}}]'
    assert is_cheap(scan % "")
    assert not is_cheap(scan % '"Filename(s)": "s3://shop/run.parquet"')
    assert not is_cheap('[{"name": "POSTGRES_SCAN ", "children": [], "extra_info": {}}]')
