"""The macros `inspect` and `inspect_classification` report the findings of `duckmetrics.check` alike."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.shell.query import in_the_shell
from support import faults
from support.cases import CATALOG
from support.duckdb_shell import call, connected, refusal, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from support.faults import Fault

pytestmark = pytest.mark.engine

COLUMNS = [
    "severity", "check", "table", "column", "count", "of", "examples", "message", "advice", "switch", "value",
]  # fmt: skip
# Findings about a whole table or column have other words, because the shell maps columns differently.
OF_SCHEMA = (
    "missing_column", "id_type", "id_kinds", "score_type", "relevance_type", "label_type", "weight_type",
    "two_orders", "unasked_column", "unread_grade",
)  # fmt: skip
OF_RANKINGS = {
    name: fault for name, fault in faults.OF_RANKINGS.items()
    if fault.truth is not None and fault.options.keys() <= {"system"} and not fault.side_tables
}  # fmt: skip
# The macro has no slices and no systems of rows.
OF_ROWS = {name: f for name, f in faults.OF_ROWS.items() if f.options.keys() <= {"metrics"}}
FAULTS = [("ranking", name) for name in OF_RANKINGS] + [("rows", name) for name in OF_ROWS]
CLEAN = {"predictions": faults.PREDICTIONS, "truth": faults.TRUTH, "observed": faults.ROWS}
# Changes to rankings and to rows, several at once; {q} and {i} are a query and an item.
SPOILED = {
    "predictions": [
        "FROM rows UNION ALL FROM rows WHERE query_id = '{q}'", "FROM rows WHERE query_id <> '{q}'",
        "SELECT * REPLACE (CASE WHEN item_id <> '{i}' THEN score END AS score) FROM rows",
        "SELECT * REPLACE (if(item_id = '{i}', 'nan', score::DOUBLE) AS score) FROM rows",
        "SELECT * REPLACE (if(query_id = '{q}', '-inf', score::DOUBLE) AS score) FROM rows",
        "SELECT * REPLACE (nullif(item_id, '{i}') AS item_id) FROM rows",
        "SELECT * REPLACE (nullif(query_id, '{q}') AS query_id) FROM rows",
        "SELECT * REPLACE (if(item_id = '{i}', '', item_id) AS item_id) FROM rows",
        "SELECT * REPLACE (if(query_id = '{q}', query_id || ' ', query_id) AS query_id) FROM rows",
        "SELECT * REPLACE (upper(item_id) AS item_id) FROM rows", "SELECT * REPLACE (1 AS score) FROM rows",
        "FROM rows QUALIFY row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) < 8",
        "SELECT * REPLACE (floor(score::DOUBLE / 4) AS score) FROM rows", "FROM rows LIMIT 0",
        "SELECT *, if(item_id < '{i}', 'A', 'B') AS model FROM rows",
        "SELECT * REPLACE (score::VARCHAR AS score) FROM rows", "SELECT * EXCLUDE (item_id) FROM rows",
        "SELECT * EXCLUDE (score) FROM rows", "SELECT *, 1 AS rank FROM rows",
        "SELECT * REPLACE (coalesce(TRY_CAST(substr(item_id, 2) AS BIGINT), 0) AS item_id) FROM rows",
    ],
    "truth": [
        "FROM rows UNION ALL FROM rows WHERE item_id = '{i}'", "FROM rows WHERE query_id <> '{q}'",
        "SELECT * REPLACE (nullif(item_id, '{i}') AS item_id) FROM rows",
        "SELECT * REPLACE (nullif(query_id, '{q}') AS query_id) FROM rows",
        "SELECT * REPLACE (CASE WHEN item_id <> '{i}' THEN relevance END AS relevance) FROM rows",
        "SELECT * REPLACE (if(item_id = '{i}', 'inf', relevance::DOUBLE) AS relevance) FROM rows",
        "SELECT * REPLACE (if(item_id = '{i}', -1, relevance) AS relevance) FROM rows",
        "SELECT * REPLACE (if(query_id > '{q}', 0, relevance) AS relevance) FROM rows",
        "SELECT * REPLACE (relevance + 2 AS relevance) FROM rows", "FROM rows WHERE item_id > 'i2'",
        "SELECT * REPLACE (relevance::VARCHAR AS relevance) FROM rows",
        "SELECT * EXCLUDE (query_id) FROM rows",
        "SELECT * EXCLUDE (relevance) FROM rows", "FROM rows LIMIT 0", "SELECT *, 1 AS other FROM rows",
    ],
    "observed": [
        "SELECT * REPLACE (CASE WHEN i % 50 <> {n} THEN label END AS label) FROM rows",
        "SELECT * REPLACE (CASE WHEN i % 50 <> {n} THEN score END AS score) FROM rows",
        "SELECT * REPLACE (if(i % 50 = {n}, 'nan', score::DOUBLE) AS score) FROM rows",
        "SELECT * REPLACE (if(i % 50 = {n}, 2, label) AS label) FROM rows",
        "SELECT * REPLACE (if(i % 50 = {n}, -1, label) AS label) FROM rows",
        "SELECT * REPLACE (if(i % 50 = {n}, -1, score) AS score) FROM rows",
        "SELECT * REPLACE (if(i % 50 = {n}, 1, score) AS score) FROM rows",
        "SELECT * REPLACE (score * 3 AS score) FROM rows", "SELECT * REPLACE (1 - score AS score) FROM rows",
        "SELECT * REPLACE (1 AS score) FROM rows", "SELECT * REPLACE (0 AS label) FROM rows",
        "SELECT * REPLACE ((i < {n})::INT AS label) FROM rows", "FROM rows LIMIT 0",
        "SELECT * REPLACE (nullif(group_id, 'g07') AS group_id) FROM rows",
        "SELECT * REPLACE (if(group_id < 'g12', 1, label) AS label) FROM rows",
        "SELECT * REPLACE (CASE WHEN i % 50 <> {n} THEN weight END AS weight) FROM rows",
        "SELECT * REPLACE (weight - 2 AS weight) FROM rows", "SELECT * EXCLUDE (label) FROM rows",
        "SELECT * REPLACE (if(label = 1, 'yes', 'no') AS label) FROM rows",
        "SELECT * REPLACE (score::VARCHAR AS score) FROM rows",
    ],
}  # fmt: skip
SEEDS = range(40)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    faults.write(folder)
    return folder


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


@pytest.fixture
def tables(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Create the clean tables, which the tests damage."""
    for name, query in (
        ("predictions", faults.PREDICTIONS),
        ("truth", faults.TRUTH),
        ("observed", faults.ROWS),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")
    return connection


def files(folder: Path, family: str, name: str) -> list[str]:
    known = (folder / f"{family}, {name}.{table}.parquet" for table in ("predictions", "truth"))
    return [str(path) for path in known if path.exists()]


def of_rows(table: str, label: str = "label", score: str = "score", **arguments: str) -> str:
    named = "".join(f", {name} := {written(value)}" for name, value in arguments.items())
    return f"FROM inspect_classification({written(table)}, {label}, {score}{named})"


def found(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    result = connection.execute(query)
    assert [column[0] for column in result.description] == COLUMNS
    return [dict(zip(COLUMNS, row, strict=True)) for row in result.fetchall()]


def assert_same(rows: list[dict[str, Any]], wanted: duckmetrics.Findings) -> None:
    """Compare all columns that both have: the order, the numbers, the examples and the words."""
    keys = ("severity", "check", "table", "column", "count", "examples")
    assert [{key: row[key] for key in keys} for row in rows] == [
        {key: list(one.examples) if key == "examples" else getattr(one, key) for key in keys}
        for one in wanted
    ]
    for row, one in zip(rows, wanted, strict=True):
        assert row["message"].endswith(f"; {row['advice']}")
        assert all(example in row["message"] for example in row["examples"])
        assert row["of"] is None or row["of"] >= row["count"]
        if one.check not in OF_SCHEMA:
            assert row["advice"] == in_the_shell(one.advice)
            # Only Python searches for a column that distinguishes copies, such as the column of a system.
            assert row["message"].removesuffix(row["advice"]) == one.message.removesuffix(one.advice)


@pytest.mark.some(1)
@pytest.mark.parametrize(("family", "name"), FAULTS, ids=[f"{family}, {name}" for family, name in FAULTS])
def test_a_planted_fault_is_found(
    connection: duckdb.DuckDBPyConnection, folder: Path, family: str, name: str
) -> None:
    named = files(folder, family, name)
    fault: Fault = {"ranking": OF_RANKINGS, "rows": OF_ROWS}[family][name]
    weight: dict[str, str] = {}
    if family == "ranking":
        query = call("inspect", *named, **fault.options)
    else:
        weight = {"weight": "weight"} if fault.predictions.endswith("AS weight FROM o") else {}
        group = {"group_id": "group_id"} if fault.options.get("metrics") == "gauc" else {}
        query = of_rows(*named, **fault.options, **weight, **group)
    assert_same(found(connection, query), duckmetrics.check(*named, **fault.options, columns=weight))


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_several_faults_of_rankings_are_found_at_once(tables: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    for name in ("predictions", "truth"):
        spoil(tables, name, chance)
    wanted = duckmetrics.check("predictions", "truth", connection=tables)
    assert_same(found(tables, call("inspect")), wanted)


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_several_faults_of_rows_are_found_at_once(tables: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = random.Random(seed)
    spoil(tables, "observed", chance)
    arguments = {"metrics": chance.choice(["auc", "log_loss", "gauc", "auc, log_loss, gauc", "rmse"])}
    observed, columns = "FROM observed", {}
    if chance.random() < 0.5:
        arguments["weight"], columns["weight"] = "weight", "weight"
    else:
        observed = "SELECT * EXCLUDE (weight) FROM observed"
    wanted = duckmetrics.check(observed, metrics=arguments["metrics"], columns=columns, connection=tables)
    rows = found(tables, of_rows(observed, group_id="group_id", **arguments))
    assert_same(rows, wanted)


def spoil(connection: duckdb.DuckDBPyConnection, table: str, chance: random.Random) -> None:
    """Make up to three changes; skip one that no longer fits the columns."""
    for change in chance.sample(SPOILED[table], chance.randint(0, 3)):
        query = change.format(
            q=f"u{chance.randint(1, 60):02d}", i=f"i{chance.randint(0, 39):02d}", n=chance.randint(0, 9)
        )
        with suppress(duckdb.BinderException, duckdb.ConversionException):
            connection.execute(f"CREATE OR REPLACE TABLE spoiled AS WITH rows AS (FROM {table}) {query}")
            connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM spoiled")


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["clean", "clean ranks", "clean rows"])
def test_clean_data_have_no_row(connection: duckdb.DuckDBPyConnection, folder: Path, name: str) -> None:
    named = [str(folder / f"{name}.{table}.parquet") for table in ("predictions", "truth")]
    metrics = {"metrics": "auc, log_loss, gauc", "group_id": "group_id"}
    query = of_rows(named[0], **metrics) if name == "clean rows" else call("inspect", *named)
    assert found(connection, query) == []


@pytest.mark.some(0)
@pytest.mark.parametrize(
    ("family", "name"),
    [(family, name) for family, name in FAULTS if family == "ranking" or name == "certain"],
)
def test_the_switch_settles_what_it_is_said_to_settle(
    connection: duckdb.DuckDBPyConnection, folder: Path, family: str, name: str
) -> None:
    named = files(folder, family, name)
    fault: Fault = {"ranking": OF_RANKINGS, "rows": OF_ROWS}[family][name]
    query = (
        call("inspect", *named, **fault.options) if family == "ranking" else of_rows(*named, **fault.options)
    )
    for row in found(connection, query):
        header = next(
            check.header for check in (*CATALOG.checks.values(), *CATALOG.inspections.values())
            if check.reported == row["check"]
        ) if row["check"] not in OF_SCHEMA and row["check"] != "no_rows" else {}  # fmt: skip
        assert (row["switch"] is not None) == ("settles" in header)
        if row["switch"] is not None:
            value: Any = {row["switch"]: float(row["value"]) if row["switch"] == "eps" else row["value"]}
            left = duckmetrics.check(*named, **fault.options, **value)
            assert row["check"] not in {one.check for one in left}


def test_every_switch_that_settles_is_one() -> None:
    known: Mapping[str, Any] = {
        name: param for metric in CATALOG.metrics.values() for name, param in CATALOG.params(metric).items()
    }
    settled = [check.header["settles"] for check in (*CATALOG.checks.values(), *CATALOG.inspections.values())
               if "settles" in check.header]  # fmt: skip
    assert len(settled) > 8
    for switch, _, value in (text.partition("=") for text in settled):
        assert value in known[switch].choices or not known[switch].choices


def test_tables_without_rows_say_so(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute("CREATE OR REPLACE VIEW nothing AS FROM predictions LIMIT 0")
    (row,) = found(tables, call("inspect", "nothing"))
    assert row["message"] == "nothing: no rows; check how it was exported"
    tables.execute("CREATE OR REPLACE VIEW nothing AS FROM observed LIMIT 0")
    (row,) = found(tables, of_rows("nothing", weight="weight"))
    assert row["message"] == "nothing: no rows; check how it was exported"


@pytest.mark.slow
def test_the_cut_off_and_the_columns_are_those_of_the_other_macros(
    connection: duckdb.DuckDBPyConnection, folder: Path
) -> None:
    named = files(folder, "ranking", "short lists")
    assert found(connection, call("inspect", *named, k=9)) == []
    (row,) = found(connection, call("inspect", *named, k=11))
    assert (row["check"], row["count"], row["of"]) == ("short_list", 6, 60)
    renamed = f"SELECT query_id AS q, item_id, score FROM '{named[0]}'"
    truth = f"SELECT query_id AS q, item_id, relevance FROM '{named[1]}'"
    (row,) = found(connection, call("inspect", renamed, truth, query_id="q"))
    assert row["examples"][0] == "q=u01, items=9, k=10"
    assert row["table"] == "sql:SELECT query_id AS q, item_id, score FRO"
    assert "k cannot be '0'" in refusal(connection, call("inspect", *named, k=0))


@pytest.mark.some(0)
@pytest.mark.parametrize("systems", ["('A'), ('B')", "('A'), ('B'), (NULL)"])
def test_a_column_tells_systems_apart(tables: duckdb.DuckDBPyConnection, systems: str) -> None:
    tables.execute(
        "CREATE OR REPLACE TABLE several AS SELECT p.*, s.model FROM predictions AS p, "
        f"(VALUES {systems}) AS s(model) WHERE model = 'A' OR query_id > 'u03'"
    )
    wanted = duckmetrics.check("several", "truth", system="model", connection=tables)
    rows = found(tables, call("inspect", "several", system="model"))
    assert_same(rows, wanted)
    (row,) = [row for row in rows if row["check"] == "unanswered_query"]
    assert row["examples"][0] == "model=B, query_id=u01"
    assert "duplicate_prediction" in {row["check"] for row in found(tables, call("inspect", "several"))}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("label", "score"),
    [("label", "score"), ("'label'", "'score'"), ("'LABEL'", "'score + 0'"), ("label", "'\"score\"'")],
)
def test_columns_of_rows_are_names_or_texts(
    tables: duckdb.DuckDBPyConnection, label: str, score: str
) -> None:
    assert found(tables, of_rows("observed", label, score, weight="weight")) == []
    tables.execute("CREATE OR REPLACE VIEW negated AS SELECT * REPLACE (-score AS score) FROM observed")
    (row,) = found(tables, of_rows("negated", label, score, weight="weight"))
    assert (row["check"], row["count"]) == ("reversed_score", 1)
    assert found(tables, of_rows("negated", label, "'-score'", weight="weight")) == []
    assert found(tables, "FROM inspect_classification(observed, label, score, weight := weight)") == []


def test_an_unknown_metric_is_refused(tables: duckdb.DuckDBPyConnection) -> None:
    message = refusal(tables, of_rows("observed", metrics="auc, log_los"))
    assert "'log_los' is not a metric here; did you mean 'log_loss'?" in message


def test_a_column_that_is_missing_is_a_finding(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = found(tables, of_rows("observed", "clicked", weight="weight"))
    assert (row["check"], row["column"]) == ("missing_column", "label")
    assert "no column 'clicked'; found " in row["message"]
    assert "label" in row["message"]
    assert ", score DOUBLE, group_id VARCHAR, " in row["message"]
    assert "_duckmetrics" not in row["message"]


@pytest.mark.slow
@pytest.mark.parametrize("queries", ["users", None])
def test_queries_without_a_slice_are_a_warning(
    connection: duckdb.DuckDBPyConnection, queries: str | None
) -> None:
    """Without a table of the queries, those that have no predictions have no country."""
    connection.execute("""
        CREATE OR REPLACE TABLE truth AS
        SELECT i % 5 AS query_id, i AS item_id, 1 AS relevance FROM range(40) AS r(i);
        CREATE OR REPLACE TABLE run AS
        SELECT query_id, item_id, item_id % 7 AS score, 'DE' AS country FROM truth WHERE query_id <> 2;
        CREATE OR REPLACE TABLE users AS
        SELECT query_id, if(query_id < 3, 'DE', NULL) AS country FROM truth GROUP BY query_id
    """)
    options = {"by": "country", **({"queries": queries} if queries else {})}
    evaluation = duckmetrics.evaluate("run", "truth", "map", connection=connection, **options)
    (wanted,) = [found for found in evaluation.checks if found.check == "null_slice"]
    named = "".join(f', "{name}" := {written(value)}' for name, value in options.items())
    query = f"""SELECT severity, "table", "column", count, message, advice FROM inspect(run, truth{named})
        WHERE "check" = 'null_slice'"""
    assert connection.execute(query).fetchall() == [(
        wanted.severity, wanted.table, wanted.column, wanted.count, in_the_shell(wanted.message),
        in_the_shell(wanted.advice),
    )]  # fmt: skip
    assert connection.execute(query.replace("country", "query_id")).fetchall() == []


def test_slices_that_no_table_has_are_refused(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "CREATE OR REPLACE TABLE rows_of_one AS SELECT 1 AS query_id, 1 AS item_id, 1 AS score"
    )
    query = "FROM inspect(rows_of_one, rows_of_one, by := 'land')"
    assert "no table has all of land" in refusal(connection, query)
