"""The macro `duckmetrics_problem` splits the message of an error into the parts that `inspect` reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from shell.test_inspect import OF_RANKINGS, OF_ROWS, OF_SCHEMA, call, files, of_rows

from duckmetrics.catalog.definition import CLASSIFICATION
from support import faults
from support.cases import CATALOG
from support.duckdb_shell import connected, refusal, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engine

REFUSED = [
    (family, name)
    for family, known in (("ranking", OF_RANKINGS), ("rows", OF_ROWS)) for name, fault in known.items()
    if fault.severity == "error" and not fault.predictions.endswith("AS weight FROM o")
    and fault.options.get("metrics") != "gauc" and fault.check not in OF_SCHEMA
]  # fmt: skip
# Findings about a table as a whole.
WHOLE = ("no_rows",)
CALLS = {
    "FROM evaluate(run, qrels, 'ndcg', rel := 'x')": (
        "rel cannot be 'x' for what is asked",
        "it must be a number",
    ),
    "FROM evaluate(run, qrels, 'ndgc@10')": ("'ndgc@10' is not a metric here", "did you mean 'ndcg'?"),
    "FROM evaluate(run, qrels, 'ndcg', system := 's')": ("no column 's'", "name it with system := ..."),
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


def parts(connection: duckdb.DuckDBPyConnection, message: str) -> dict[str, str | None]:
    """Return the parts of a message; together they are the message."""
    connection.execute("SET VARIABLE message = $1", [message])
    (row,) = rows(connection, "FROM duckmetrics_problem(getvariable('message'))")
    return row


@pytest.mark.some(1)
@pytest.mark.parametrize(("family", "name"), REFUSED, ids=[f"{family}, {name}" for family, name in REFUSED])
def test_an_error_has_the_code_of_its_finding(
    connection: duckdb.DuckDBPyConnection, folder: Path, family: str, name: str
) -> None:
    named = files(folder, family, name)
    if family == "ranking":
        options = OF_RANKINGS[name].options
        inspected, asked = call("inspect", *named, **options), call("ndcg", *named, k=10, **options)
    else:
        inspected = of_rows(*named, **OF_ROWS[name].options)
        metric = OF_ROWS[name].options.get("metrics", "log_loss")
        macro = CATALOG.names[CLASSIFICATION, metric].metric.macros.get(metric, metric)
        asked = f"FROM {macro}('{named[0]}', label, score)"
    errors = {row["check"]: row for row in rows(connection, inspected) if row["severity"] == "error"}
    with pytest.raises(duckdb.Error) as raised:
        connection.execute(asked).fetchall()
    found = parts(connection, str(raised.value))
    assert found["code"] in {*errors, "call"}
    if found["code"] == "call":  # the words about a whole column are those of the place that reads it
        assert {*errors} & {*OF_SCHEMA, *WHOLE}, f"{errors}: {raised.value}"
        return
    row = errors[str(found["code"])]
    assert (found["advice"], found["switch"], found["value"]) == (row["advice"], row["switch"], row["value"])
    example = f" ({found['example']})" if found["example"] else ""
    assert f"duckmetrics: {found['place']}: {found['what']}{example}; {found['advice']}" in str(raised.value)


@pytest.mark.parametrize("query", CALLS)
def test_an_error_about_the_call_has_what_and_advice(
    connection: duckdb.DuckDBPyConnection, query: str
) -> None:
    connection.execute("CREATE OR REPLACE TABLE run AS SELECT 'q' AS query_id, 'i' AS item_id, 1 AS score")
    connection.execute("CREATE OR REPLACE TABLE qrels AS SELECT query_id, item_id FROM run")
    found = parts(connection, refusal(connection, query))
    assert found["code"] == "call"
    assert (found["what"], found["advice"]) == CALLS[query]


def test_a_value_macro_shows_the_row(connection: duckdb.DuckDBPyConnection) -> None:
    message = refusal(connection, "SELECT roc_auc(i, 'nan'::DOUBLE) FROM range(2) AS t(i)")
    found = parts(connection, message)
    assert (found["code"], found["place"]) == ("row_nan_score", "predictions.score")
    assert found["example"] == "label=0.0, score=nan"


def test_other_messages_have_no_parts(connection: duckdb.DuckDBPyConnection) -> None:
    for message in ("", "Catalog Error: Table with name x does not exist!", "duckmetrics"):
        connection.execute("SET VARIABLE message = $1", [message])
        assert rows(connection, "FROM duckmetrics_problem(getvariable('message'))") == []
