"""Lists of several systems in one table, when the user names no column that distinguishes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError
from duckmetrics.inputs.sources import RUN
from support.cases import CATALOG, ROOT
from support.command_line import Command
from support.duckdb_shell import refusal
from support.stacked_lists import APART, SHARED, TRUTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The file that people load; another test checks that it is fresh.
FILE = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")
NAMES = ("system", "Model", "run", "variant", "model_name", "run_id", "RunId", "tag", "model_version")
SHALLOW, DEEP = "ndcg@10,hit_rate@5", "map,ndcg@30"


@pytest.fixture(scope="module")
def shop() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create the macros, and tables that both the macros and Python read."""
    with duckdb.connect() as connection:
        connection.execute(FILE)
        connection.execute(f"CREATE TABLE t AS {TRUTH}")
        connection.execute(f"CREATE TABLE apart AS {APART.format(name='model')}")
        connection.execute(f"CREATE TABLE shared AS {SHARED.format(name='dt', n=50)}")
        yield connection


def refused(predictions: Any, metrics: str = SHALLOW, **options: Any) -> str:
    """Return the refusal of `evaluate`, and check that `check` finds errors, too."""
    with pytest.raises(InputError) as caught:
        duckmetrics.evaluate(predictions, TRUTH, metrics, **options)
    errors = duckmetrics.check(predictions, TRUTH, metrics, **options).errors
    assert errors
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [SHALLOW, DEEP])
def test_lists_that_share_items_are_refused_at_any_cutoff(metrics: str) -> None:
    said = refused(SHARED.format(name="dt", n=50), metrics)
    assert "items predicted more than once for a query" in said
    assert "column 'dt' distinguishes them (3 values); " in said
    assert "system=" in said
    assert len(said.splitlines()) == 1


@pytest.mark.slow
def test_lists_are_found_among_many_queries_and_ids_of_text() -> None:
    for id_ in ("query_id", "'u' || query_id", "DATE '2026-01-01' + query_id::INT"):
        rows = f"SELECT * REPLACE ({id_} AS query_id) FROM ({SHARED.format(name='dt', n=3000)})"
        truth = f"SELECT * REPLACE ({id_} AS query_id) FROM ({TRUTH})"
        with pytest.raises(InputError, match=r"because one table holds several systems"):
            duckmetrics.evaluate(rows, truth, "ndcg@10")
        with pytest.raises(InputError, match="predicted more than once"):
            duckmetrics.evaluate(rows, truth, "map")


def test_a_switch_still_takes_copies() -> None:
    rows = SHARED.format(name="dt", n=50)
    assert len(duckmetrics.evaluate(rows, TRUTH, SHALLOW, duplicates="first").rows) == 2
    assert len(duckmetrics.evaluate(rows, TRUTH, SHALLOW, system="dt").rows) == 6


@pytest.mark.some(0)
@pytest.mark.parametrize("name", NAMES)
def test_a_column_called_so_with_several_values_in_a_query_is_refused(name: str) -> None:
    for metrics in (SHALLOW, DEEP):
        said = refused(APART.format(name=name), metrics)
        assert f"column '{name}': 50 queries with rows of several systems" in said
        assert "first_run=A, last_run=B" in said
        assert "system=" in said
        assert "exclude the column" in said
    named = duckmetrics.evaluate(APART.format(name=name), TRUTH, "hit_rate@5", system=name)
    assert [row["value"] for row in named.rows] == [1.0, 0.0]


@pytest.mark.slow
def test_systems_of_which_one_has_no_name_are_refused() -> None:
    rows = f"SELECT * REPLACE (nullif(model, 'A') AS model) FROM ({APART.format(name='model')})"
    assert "first_run=B, last_run=NULL" in refused(rows)


def test_a_table_of_one_of_the_systems_of_a_mapping_is_looked_at_too() -> None:
    rows = APART.format(name="model")
    good = f"FROM ({rows}) WHERE model = 'A'"
    assert "system=" in refused({"one": good, "two": rows})
    assert len(duckmetrics.evaluate({"one": good, "two": good}, TRUTH, "map").rows) == 2


@pytest.mark.some(0)
@pytest.mark.parametrize(
    ("change", "options"),
    [
        ("'A' AS model", {}),
        ("query_id % 3 AS model", {}),
        ("NULL AS model", {}),
        ("query_id % 3 AS country, item_id % 7 AS category, hash(item_id) % 5 AS shelf", {}),
        ("item_id % 7 AS models", {}),
        ("query_id AS run", {"columns": {"query_id": "run"}}),
        ("item_id AS model", {"columns": {"predictions.item_id": "model"}}),
        ("query_id % 3 AS model", {"by": "model"}),
    ],
)
def test_what_is_no_system_is_not_refused(change: str, options: dict[str, Any]) -> None:
    """A constant, an attribute of the query, item or row, and a column with another meaning are accepted."""
    rows = f"SELECT query_id, item_id, score, {change} FROM ({APART.format(name='m')}) WHERE m = 'A'"
    if options.get("columns", {}).get("query_id"):
        rows = rows.replace("query_id, ", "", 1)
    for metrics in (SHALLOW, DEEP):
        assert not duckmetrics.check(rows, TRUTH, metrics, **options).errors
        assert duckmetrics.evaluate(rows, TRUTH, metrics, **options).rows


def test_the_rows_of_a_classifier_may_come_from_several_models() -> None:
    rows = "SELECT i % 2 AS label, i / 10 AS score, i % 3 AS model FROM range(10) AS _(i)"
    assert not duckmetrics.check(rows).errors


@pytest.mark.slow
def test_the_command_line_refuses_and_check_says_so(
    shop: duckdb.DuckDBPyConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Command(capsys)
    paths = {name: tmp_path / f"{name}.parquet" for name in ("t", "apart", "shared")}
    for name, path in paths.items():
        shop.execute(f"COPY {name} TO '{path}'")
    for name, system in (("apart", "model"), ("shared", "dt")):
        asked = (paths[name], paths["t"], "-m", "ndcg@10")
        outcome = run("evaluate", *asked)
        assert (outcome.code, f"'{system}'" in outcome.err) == (2, True), outcome
        assert run("check", *asked).code == 1
        assert run("evaluate", *asked, "--system", system).code == 0
        assert run("check", *asked, "--system", system).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", ["FROM ndcg('{}', 't', k := 10)", "FROM evaluate('{}', 't', ['ndcg@10', 'map'])"]
)
def test_the_macros_refuse_them(shop: duckdb.DuckDBPyConnection, call: str) -> None:
    said = refusal(shop, call.format("apart"))
    assert "rows of several systems" in said
    assert "evaluate one of the systems" in said
    assert "predicted more than once" in refusal(shop, call.format("shared"))
    one = "FROM apart WHERE model = ''A''"
    assert shop.execute(call.format(one)).fetchall()
    two_names = "SELECT * REPLACE (query_id % 3 AS model), ''x'' AS run_id FROM apart WHERE model = ''A''"
    assert shop.execute(call.format(two_names)).fetchall()
    (found,) = [row for row in shop.execute("FROM inspect('apart', 't')").fetchall() if row[0] == "error"]
    assert found[1] == "combined_systems"


@pytest.mark.slow
def test_a_macro_does_not_look_at_a_column_that_stands_for_something_else(
    shop: duckdb.DuckDBPyConnection,
) -> None:
    one = "SELECT query_id, item_id AS model, score FROM apart WHERE model = ''A''"
    truth = "SELECT query_id, item_id AS model FROM t"
    assert shop.execute(f"FROM ndcg('{one}', '{truth}', k := 10, item_id := 'model')").fetchall()


def test_the_doors_know_the_same_names() -> None:
    text = CATALOG.shell["run_columns"].path.read_text("utf-8")
    assert len(re.findall(re.escape(RUN.pattern), text)) == 2
    for name in NAMES:
        assert RUN.fullmatch(name)


@pytest.mark.slow
def test_every_door_searches_the_rows_that_can_reach_the_cutoff(shop: duckdb.DuckDBPyConnection) -> None:
    """All rows of the first queries are searched; of the others, those that can change a value."""
    lists = "SELECT q AS query_id, 1000 * q + i AS item_id, -i AS score FROM range(700) _(q), range(15) __(i)"
    for query, rank, is_refused in ((699, 14, False), (699, 5, True), (3, 14, True)):
        copy = f"SELECT {query}, 1000 * {query}, {-rank}.5"
        rows = f"{lists} UNION ALL {copy}"
        shop.execute(f"CREATE OR REPLACE TABLE copied AS {rows}")
        if is_refused:
            assert "predicted more than once" in refusal(shop, "FROM ndcg('copied', 't', k := 10)")
            assert "predicted more than once" in refused(rows, "ndcg@10")
        else:
            value = shop.execute("SELECT value FROM ndcg('copied', 't', k := 10)").fetchone()
            assert value == (duckmetrics.evaluate(rows, TRUTH, "ndcg@10").rows[0]["value"],)
        assert "predicted more than once" in refusal(shop, "FROM ndcg('copied', 't', k := 100)")
