"""Each metric of the catalogue as a question to the macros, with the rows of the Python API."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
from shell.test_classification import MACROS, called, given, options, table_rows
from shell.test_ranking import grouped

import duckmetrics
from duckmetrics.catalog.specs import parse_measure, parse_table
from support.cases import CATALOG, EVERY_RANKING, ROOT, open_tables, side_tables, specs_of
from support.classification import CASES as CASES_OF_ROWS
from support.classification import METRICS, TABLES, plain_spec
from support.duckdb_shell import call, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition

Row = dict[str, Any]
SAMPLE = ROOT / "tests/data/ranking/sample.sql"
ROWS = "observed"
READ = ("predictions", "truth", "history", "items", "reference", ROWS)
BY_SYSTEM = {"system": "system"}
CLOSE = 1e-12


class Question(NamedTuple):
    """A metric or table, the call of its macro, and the expected columns of the result."""

    name: str
    sql: str
    wanted: list[Row]


@cache
def tables() -> duckdb.DuckDBPyConnection:
    """Return a session with the tables that the questions read."""
    connection = duckdb.connect()
    connection.execute(CASES_OF_ROWS["sample"].read_text("utf-8"))
    connection.execute(f"ALTER TABLE predictions RENAME TO {ROWS}")
    connection.execute(SAMPLE.read_text("utf-8"))
    connection.execute("UPDATE predictions SET system = 'A'")
    connection.execute("INSERT INTO predictions SELECT 'B', query_id, item_id, -score FROM predictions")
    # The specs of the tests ask for a category called d.
    connection.execute("UPDATE items SET category = list_transform(category, lambda name: name[1])")
    open_tables(connection)
    return connection


def dumped() -> str:
    """Return statements that create the same tables anywhere."""
    return "".join(_dumped(name) for name in READ)


def _dumped(name: str) -> str:
    described = tables().execute(f"SELECT column_name, column_type FROM (DESCRIBE {name})").fetchall()
    columns = ", ".join(f'"{column}" {type_}' for column, type_ in described)
    rows = tables().execute(f"FROM {name}").fetchall()
    values = ", ".join(f"({', '.join(map(written, row))})" for row in rows)
    return f"CREATE OR REPLACE TABLE {name} ({columns}); INSERT INTO {name} VALUES {values};\n"


def questions() -> Iterator[Question]:
    """Yield a question for each metric and each table of the catalogue."""
    for metric in EVERY_RANKING:
        yield _of_ranking(metric)
    for definition in METRICS:
        yield _of_rows(definition)
    for definition in TABLES:
        yield _of_table(definition)


def _of_ranking(metric: Definition) -> Question:
    spec = specs_of(metric, (2,), one_at_a_time=True)[0]
    (group,) = grouped([f"ranking.{spec}"])
    side = side_tables(metric)
    found = duckmetrics.evaluate(
        "predictions", "truth", group.specs, connection=tables(), **BY_SYSTEM, **side
    )
    macro = metric.macros.get(metric.name, metric.name)
    wanted = [{"system": row["system"], "value": row["value"], "n": row["n"]} for row in found.rows]
    return Question(f"ranking.{metric.name}", call(macro, **group.named, **side, **BY_SYSTEM), wanted)


def _of_rows(metric: Definition) -> Question:
    measure = parse_measure(CATALOG, plain_spec(metric))
    found = duckmetrics.evaluate(ROWS, None, [measure.text], connection=tables(), weighted=False)
    sql = called(MACROS[metric.name], given(measure), ROWS, **options(measure, None, None))
    wanted = [{"value": row["value"], "n": row["n"]} for row in found.rows]
    return Question(f"classification.{metric.name}", sql, wanted)


def _of_table(table: Definition) -> Question:
    measure = parse_table(CATALOG, plain_spec(table))
    found = duckmetrics.evaluate(ROWS, None, ["auc"], connection=tables(), weighted=False)
    sql = called(table.name, given(measure), ROWS, **options(measure, None, None))
    wanted = [{k: v for k, v in row.items() if k != "segment"} for row in table_rows(found, measure.text)]
    return Question(f"classification.{table.name}", sql, wanted)


def differences(question: Question, rows: list[Row]) -> list[str]:
    """Return where the rows of a door differ from the expected ones."""
    if len(rows) != len(question.wanted) or not rows:
        return [f"{question.name}: {len(rows)} rows, should be {len(question.wanted)}"]
    return [
        f"{question.name}: {name} is {row[name]!r}, should be {value!r}"
        for row, wanted in zip(rows, question.wanted, strict=True) for name, value in wanted.items()
        if not _close(row[name], value)
    ]  # fmt: skip


def _close(found: Any, wanted: Any) -> bool:
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return math.isclose(found, wanted, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(found == wanted)
