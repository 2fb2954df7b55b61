"""A call sees one state of a database, also while another connection changes it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.engines.connection import DuckDBConnection
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.errors import DuckmetricsError, InputError

if TYPE_CHECKING:
    from pathlib import Path

# The relevant items are on the first or the second place, and of a mixture there are none. In the last
# version, an item is there twice, which is refused.
FIRST = (
    "SELECT q AS query_id, {0} + least(i, 1) AS item_id, {1} * i AS score FROM range(3) _(q), range({2}) t(i)"
)
VERSIONS = {1.0: (0, -1, 2), 0.5: (10, 1, 2), 0.0: (0, 1, 3)}
TRUTH = "SELECT q AS query_id, {0} AS item_id FROM range(3) _(q)"


def change(connection: duckdb.DuckDBPyConnection, value: float, database: str = "") -> None:
    """Replace the rows of both tables in one transaction."""
    run, truth = FIRST.format(*VERSIONS[value]), TRUTH.format(VERSIONS[value][0])
    connection.execute(f"BEGIN; DELETE FROM {database}run; DELETE FROM {database}truth")
    connection.execute(f"INSERT INTO {database}run {run}; INSERT INTO {database}truth {truth}; COMMIT")


@pytest.fixture
def connection(tmp_path: Path) -> Any:
    with duckdb.connect(tmp_path / "shop.duckdb") as connection:
        connection.execute(f"ATTACH '{tmp_path}/other.duckdb' AS other")
        for database in ("", "other."):
            connection.execute(f"CREATE TABLE {database}run AS {FIRST.format(*VERSIONS[1.0])}")
            connection.execute(f"CREATE TABLE {database}truth AS {TRUTH.format(0)}")
        connection.execute("CREATE VIEW runs AS FROM run ORDER BY score")
        yield connection


class Changes:
    """Counts the statements of a call, and changes the tables after one of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, database: str) -> None:
        self.other, self.database = connection.cursor(), database
        self.seen, self.after, self.into = 0, -1, 0.5

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        execute = DuckDBConnection.execute

        def counted(held: DuckDBConnection, query: Any) -> Any:
            found = execute(held, query)
            if self.seen == self.after:
                change(self.other, self.into, self.database)
            self.seen += 1
            return found

        monkeypatch.setattr(DuckDBConnection, "execute", counted)


@pytest.mark.some(0)
@pytest.mark.parametrize("into", [0.0, 0.5])
@pytest.mark.parametrize(
    ("run", "truth", "database"),
    [
        ("runs", "FROM truth", ""),
        ("run", "truth", ""),
        ("other.run", "other.truth", "other."),
        ("FROM other.run WHERE score < 99", "FROM other.truth", "other."),
        ("relation", "relation", ""),
    ],
)
def test_numbers_are_of_one_version(
    connection: Any, monkeypatch: pytest.MonkeyPatch, run: str, truth: str, database: str, into: float
) -> None:
    changes = Changes(connection, database)
    changes.patch(monkeypatch)
    changes.into = into
    tables = [
        connection.sql(f"FROM {n}") if t == "relation" else t for n, t in (("run", run), ("truth", truth))
    ]

    def measured() -> set[float]:
        found = duckmetrics.evaluate(*tables, ["mrr"], connection=connection)
        return {found["mrr"], *found.per_query["value"].to_pylist()}

    assert measured() == {1.0}
    for after in range(0, changes.seen, 3):
        change(changes.other, 1.0, database)
        changes.seen, changes.after = 0, after
        with suppress(InputError):
            assert measured() in ({1.0}, {0.5})
        assert changes.seen > after


def test_the_next_call_sees_the_next_moment_and_nothing_stays_open(connection: Any) -> None:
    for value in (1.0, 0.5):
        change(connection.cursor(), value)
        assert duckmetrics.evaluate("run", "truth", ["mrr"], connection=connection)["mrr"] == value
    connection.execute("BEGIN; ROLLBACK")


@pytest.mark.parametrize("query", [
    "SELECT * REPLACE (error('broken') AS score) FROM run", "SELECT 1 AS query_id FROM run", "FROM nothing",
])  # fmt: skip
def test_an_error_leaves_no_transaction_and_no_tables(connection: Any, query: str) -> None:
    kept = duckmetrics.evaluate("run", "truth", ["mrr"], connection=connection)
    before = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
    with pytest.raises(DuckmetricsError) as raised:
        duckmetrics.evaluate(query, "truth", ["mrr"], connection=connection)
    assert "aborted" not in str(raised.value)
    connection.execute("BEGIN; ROLLBACK")
    assert connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == before
    assert kept.per_query.num_rows == 3


def test_an_interrupt_leaves_no_transaction_and_no_tables(
    connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = DuckDBEngine.keep

    def interrupted(self: DuckDBEngine, *given: Any, **options: Any) -> None:
        keep(self, *given, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(DuckDBEngine, "keep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        duckmetrics.evaluate("runs", "truth", ["mrr"], connection=connection)
    connection.execute("BEGIN; ROLLBACK")
    assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall() == [(0,)]


def test_a_file_that_is_looked_at_in_vain_does_not_end_the_call(connection: Any, tmp_path: Path) -> None:
    """The first look at this truth fails, because the file is one large object."""
    pairs = ", ".join(f'"{q}": {{"{"x" * 6_000_000}": 1, "0": 1}}' for q in range(3))
    (tmp_path / "truth.json").write_text(f"{{{pairs}}}")
    run = "SELECT query_id::VARCHAR AS query_id, item_id::VARCHAR AS item_id, score FROM run"
    found = duckmetrics.evaluate(run, tmp_path / "truth.json", ["mrr"], connection=connection)
    assert found["mrr"] == 1.0


def test_the_transaction_of_the_caller_stays_open(connection: Any) -> None:
    connection.execute("BEGIN")
    assert duckmetrics.evaluate("run", "truth", ["mrr"], connection=connection)["mrr"] == 1.0
    change(connection.cursor(), 0.5)
    assert duckmetrics.evaluate("run", "truth", ["mrr"], connection=connection)["mrr"] == 1.0
    connection.execute("ROLLBACK")
    assert duckmetrics.evaluate("run", "truth", ["mrr"], connection=connection)["mrr"] == 0.5


def test_frames_and_files_need_no_transaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDBConnection, "see_one_moment", lambda self: pytest.fail("not needed"))
    frames = [duckdb.sql(text.format(*VERSIONS[1.0])).to_arrow_table() for text in (FIRST, TRUTH)]
    for name, frame in zip(("run", "truth"), frames, strict=True):
        pq.write_table(frame, tmp_path / f"{name}.parquet")
    found = duckmetrics.evaluate(tmp_path / "run.parquet", frames[1], ["mrr"])
    assert found["mrr"] == 1.0
