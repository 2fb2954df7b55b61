"""The macro `inspect` finds in rankings what `duckmetrics check` finds, and raises what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import duckmetrics
from support import faults
from support.duckdb_shell import call, connected

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from support.faults import Fault

pytestmark = pytest.mark.engine

# What the macros raise when they read the tables, in words of their own.
UNREADABLE = {
    "ids of two types": "item_id: predictions have VARCHAR, the truth has BIGINT",
    "ids of two types, one with zeros in front": "item_id: predictions have VARCHAR, the truth has BIGINT",
    "ids of fractions": "'item_id' is DOUBLE, not an id",
    "scores that are text": "'score' is VARCHAR, not a number",
    "grades that are text": "'relevance' is VARCHAR, not a number",
    "no item": "item_id",
    "no score and no rank": "no column 'score'",
    "score and rank": "score and rank could both order the items",
    "an empty truth": "truth: no rows",
}
# Without a row there is no query in common, which is all that it says.
EMPTY = "no predictions at all"
READABLE = {
    name: fault for name, fault in faults.OF_RANKINGS.items()
    if fault.truth is not None and not fault.options and name not in (*UNREADABLE, EMPTY)
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    faults.write(folder)
    return folder


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


def tables(folder: Path, name: str) -> tuple[str, str]:
    return str(folder / f"{name}.predictions.parquet"), str(folder / f"{name}.truth.parquet")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), READABLE.items(), ids=READABLE)
def test_it_finds_what_the_check_finds(
    connection: duckdb.DuckDBPyConnection, folder: Path, name: str, fault: Fault
) -> None:
    named = tables(folder, f"ranking, {name}")
    ranks = {"rank": "rank"} if fault.column == "rank" else {}
    result = connection.execute(call("inspect", *named, **ranks))
    columns = [column[0] for column in result.description]
    assert columns == ["severity", "check", "column", "finding", "count", "example", "advice"]
    rows = result.fetchall()
    wanted = duckmetrics.check(*named)
    assert sorted(row[:2] + row[4:5] for row in rows) == sorted(
        (w.severity, w.check, w.count) for w in wanted
    )
    assert [row[0] for row in rows] == [finding.severity for finding in wanted]
    for row in rows:
        assert row[5].split("=")[0] in {"query_id", "item_id", "in_predictions", "lowest"}
        assert " := " in row[6] or "=" not in row[6].replace(":=", "")


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "problem"), UNREADABLE.items(), ids=UNREADABLE)
def test_what_cannot_be_read_is_raised(
    connection: duckdb.DuckDBPyConnection, folder: Path, name: str, problem: str
) -> None:
    with pytest.raises(Exception, match=problem):
        connection.execute(call("inspect", *tables(folder, f"ranking, {name}")))


def test_clean_data_have_no_row(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    assert connection.execute(call("inspect", *tables(folder, "clean"))).fetchall() == []
    ranks = call("inspect", *tables(folder, "clean ranks"), rank="rank")
    assert connection.execute(ranks).fetchall() == []


def test_the_cut_off_and_the_columns_are_those_of_the_other_macros(
    connection: duckdb.DuckDBPyConnection, folder: Path
) -> None:
    named = tables(folder, "ranking, short lists")
    assert connection.execute(call("inspect", *named, k=9)).fetchall() == []
    ((_, check, _, _, count, *_),) = connection.execute(call("inspect", *named, k=11)).fetchall()
    assert (check, count) == ("short_list", 6)
    renamed = f"SELECT query_id AS q, item_id, score FROM '{named[0]}'"
    truth = f"SELECT query_id AS q, item_id, relevance FROM '{named[1]}'"
    assert len(connection.execute(call("inspect", renamed, truth, query_id="q")).fetchall()) == 1
