"""A statistic with a key gives for each key the result of the rows of that key alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
import sqlglot

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.compose.keyed import called, keyed, results_of, without_calls
from duckmetrics.errors import DefinitionError
from support.cases import CATALOG
from support.duckdb_shell import differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from duckmetrics.compose.keyed import Steps

pytestmark = pytest.mark.engine

# Key c has no row with both numbers, d has only one arm, and e has only NULL.
ROWS = """
    CREATE TABLE given AS SELECT * FROM (VALUES
        ('a', 'A', 1.0, 2.0), ('a', 'A', 3.0, 5.0),
        ('a', 'B', 4.0, 1.0), ('a', 'B', 9.0, 7.0), ('a', 'B', 2.0, 3.0),
        ('b', 'A', 2.0, 4.0), ('b', 'A', 2.0, 1.0),
        ('b', 'B', 7.0, 3.0), ('b', 'B', 8.0, 2.0), ('b', 'C', 1.0, 1.0),
        ('c', 'A', 1.0, NULL), ('c', 'A', NULL, 2.0), ('c', 'B', 5.0, NULL), ('c', 'B', 6.0, NULL),
        ('d', 'A', 1.0, 2.0), ('d', 'A', 4.0, 2.0), ('e', 'A', NULL, NULL), ('e', 'B', NULL, NULL)
    ) AS t(metric, arm, one, two)
"""
INPUTS = {
    "welch_t": "one AS value", "ratio_delta": "one AS numerator, two AS denominator",
    "cuped": "one AS value, two AS covariate", "two_proportion_z": "CAST(one AS INT) AS hits, 10 AS n",
}  # fmt: skip
KEYS = ("metric", "arm")


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        yield connection


def steps_of(name: str) -> Steps:
    """Return the steps of a statistic, with the statistic itself as the last one."""
    definition = CATALOG.statistics[name]
    values = {key: param.default for key, param in CATALOG.params(definition).items()} | {"control": "A"}
    composer = Composer(CATALOG)
    query = composer.resolved(definition, values)
    query.set("order", None)
    return [*composer.steps.items(), (name, query)]


def run(
    connection: duckdb.DuckDBPyConnection, steps: Steps, rows: str, columns: Sequence[str]
) -> list[tuple[object, ...]]:
    (table,) = CATALOG.statistics[steps[-1][0]].inputs
    whole: exp.Query = sqlglot.parse_one(f"SELECT {', '.join(columns)} FROM {steps[-1][0]}", dialect="duckdb")
    for name, step in [(table, sqlglot.parse_one(rows, dialect="duckdb")), *steps]:
        whole = whole.with_(name, as_=step, copy=False)
    query, macros = linked(CATALOG, whole)
    for macro in macros:
        connection.execute(macro.sql("duckdb"))
    return sorted(connection.execute(query.sql("duckdb")).fetchall(), key=str)


@pytest.mark.some(0)
@pytest.mark.parametrize("name", INPUTS)
def test_a_key_keeps_samples_apart(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    columns = CATALOG.statistics[name].query.named_selects
    wanted = []
    for key in "abcde":
        rows = f"SELECT arm, {INPUTS[name]} FROM given WHERE metric = '{key}'"
        wanted += [(key, *row) for row in run(connection, steps_of(name), rows, columns)]
    keys = {key for key, *_ in wanted}
    assert {"a", "b"} <= keys
    assert ("c" in keys) == (name != "ratio_delta")  # a ratio needs both numbers
    steps = [(step, keyed(query, "metric")) for step, query in steps_of(name)]
    rows = f"SELECT metric, arm, {INPUTS[name]} FROM given"
    assert not differences(run(connection, steps, rows, ("metric", *columns)), sorted(wanted, key=str))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["welch_t", "ratio_delta", "cuped"])
def test_a_function_is_called_once_for_all(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    columns = ("metric", *CATALOG.statistics[name].query.named_selects)
    rows = f"SELECT metric, arm, {INPUTS[name]} FROM given"
    steps = [(step, keyed(query, "metric")) for step, query in steps_of(name)]
    wanted = run(connection, steps, rows, columns)
    function = "student_t_critical"
    calls = without_calls(steps, function, KEYS)
    (arguments,) = calls.arguments
    place = [step for step, _ in calls.steps].index(arguments) + 1
    once = (results_of(function), called(function, arguments, KEYS, 2))
    found = [*calls.steps[:place], once, *calls.steps[place:]]
    texts = " ".join(query.sql("duckdb") for _, query in found).lower()
    assert texts.count(f"{function}(") == 1
    assert not differences(run(connection, found, rows, columns), wanted)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT avg(x) AS m FROM t WHERE x > 0",
         "SELECT t.k AS k, AVG(x) FILTER(WHERE x > 0) AS m FROM t GROUP BY t.k"),
        ("SELECT a.x FROM a CROSS JOIN b", "SELECT a.k AS k, a.x FROM a JOIN b ON b.k = a.k"),
        ("SELECT x FROM a LEFT JOIN b ON a.x = b.y",
         "SELECT a.k AS k, x FROM a LEFT JOIN b ON b.k = a.k AND a.x = b.y"),
        ("SELECT sum(x) OVER (ORDER BY y) AS s FROM t",
         "SELECT t.k AS k, SUM(x) OVER (PARTITION BY t.k ORDER BY y) AS s FROM t"),
        ("SELECT x FROM (SELECT y AS x FROM t) AS u",
         "SELECT u.k AS k, x FROM (SELECT t.k AS k, y AS x FROM t) AS u"),
        ("SELECT x FROM a UNION ALL SELECT y FROM b",
         "SELECT a.k AS k, x FROM a UNION ALL SELECT b.k AS k, y FROM b"),
    ],
)  # fmt: skip
def test_every_clause_gets_the_key(query: str, wanted: str) -> None:
    found = keyed(sqlglot.parse_one(query, dialect="duckdb"), "k")
    assert found == sqlglot.parse_one(wanted, dialect="duckdb"), found.sql("duckdb")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT x FROM t WHERE x > (SELECT max(y) FROM u)", "a query within an expression has no key"),
        ("SELECT x AS k FROM t", "has a column 'k' already"),
    ],
)
def test_a_query_that_cannot_have_a_key_is_refused(query: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        keyed(sqlglot.parse_one(query, dialect="duckdb"), "k")
