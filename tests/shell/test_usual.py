"""The short query of a ranking macro without switches gives the values of the general query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duckmetrics.catalog.definition import RANKING
from duckmetrics.shell.parameters import is_listed
from support.cases import CATALOG, ROOT
from support.duckdb_shell import connected, differences, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

RANDOM = """
    CREATE TABLE many AS
    SELECT i // 12 AS query_id, (i * 7) % 13 AS item_id, (i * 31) % 5 / 4 AS score FROM range(600) AS t(i);
    CREATE TABLE judged AS
    SELECT i // 9 AS query_id, (i * 5) % 17 AS item_id, (i * i) % 4 AS relevance FROM range(540) AS t(i)
"""
METRICS = sorted(
    name for (family, name), alias in CATALOG.names.items()
    if family == RANKING and is_listed(alias.metric) and "agg" not in alias.bound
    and not any(p.required for n, p in CATALOG.params(alias.metric).items() if n not in alias.bound)
)  # fmt: skip
AT_A_CUTOFF = [name for name in METRICS if "k" in CATALOG.params(CATALOG.names[RANKING, name].metric)]
LISTS = [
    *([name] for name in METRICS), *([f"{name}@3"] for name in AT_A_CUTOFF),
    ["ndcg@10", "ndcg@3", "ndcg", "mrr@25", "map"], [f"{name}@10" for name in AT_A_CUTOFF], METRICS,
]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute((ROOT / "tests/data/ranking/sample.sql").read_text("utf-8"))
        connection.execute(RANDOM)
        yield connection


@pytest.mark.slow
@pytest.mark.parametrize("asked", LISTS, ids=lambda asked: ",".join(asked)[:40])
def test_a_usual_call_says_what_the_general_one_says(
    session: duckdb.DuckDBPyConnection, asked: list[str]
) -> None:
    """Only the general query reads a name with its family, such as ranking.ndcg."""
    for tables in ("predictions, truth", "many, judged"):
        for macro, order in (("evaluate", ""), ("evaluate_by_query", "ORDER BY query_id, metric")):
            rows = []
            for names in (asked, [f"ranking.{name}" for name in asked]):
                query = f"FROM {macro}({tables}, {names}) {order}"
                found = session.execute(query).fetchall()
                rows.append([tuple(_plain(value) for value in row) for row in found])
            assert not differences(*rows), (macro, tables)


def _plain(value: object) -> object:
    return value.removeprefix("ranking.") if isinstance(value, str) else value


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "call",
    [
        "ndcg(many, judged)",
        "ndcg('many', judged, 10)",
        "recall(many, judged, k := [5, 50])",
        "evaluate(many, judged, 'ndcg@10, map')",
        "evaluate(many, judged, ['mrr', 'recall@20'])",
        "evaluate_by_query(many, judged, ['mrr', 'recall@20'])",
    ],
)
def test_a_usual_call_is_planned_in_short(session: duckdb.DuckDBPyConnection, call: str) -> None:
    general = call[:-1] + ", ties := 'item_desc')"
    operators = []
    for query in (call, general):
        plan = "\n".join(row[1] for row in session.execute(f"EXPLAIN (FORMAT JSON) FROM {query}").fetchall())
        operators.append(plan.count('"name"'))
    assert operators[0] < operators[1]


def test_what_is_given_goes_into_the_query_as_a_value(session: duckdb.DuckDBPyConnection) -> None:
    """Quotes, braces and punctuation in a name change nothing."""
    odd = "it's {0} __told \\1 {{"
    quoted = '"' + odd + '"'
    session.execute(f"CREATE OR REPLACE TABLE odd AS SELECT query_id AS {quoted}, item_id, score FROM many")
    session.execute(
        f"CREATE OR REPLACE TABLE names AS SELECT query_id AS {quoted}, item_id, relevance FROM judged"
    )
    name = "'" + odd.replace("'", "''") + "'"
    found = session.execute(f"FROM ndcg(odd, names, k := 5, query_id := {name})").fetchall()
    assert found == session.execute("FROM ndcg(many, judged, k := 5)").fetchall()
    session.execute(f"CREATE OR REPLACE VIEW {quoted} AS FROM many")
    assert found == session.execute(f"FROM ndcg({name}, judged, k := 5)").fetchall()


@pytest.mark.parametrize("metrics", ["NULL", "''", "'ndgc@10'", "['mrr', NULL]", "'mrr, mrr'", "'mrr@'"])
def test_what_is_no_metric_is_left_to_the_general_query(
    session: duckdb.DuckDBPyConnection, metrics: str
) -> None:
    for macro in ("evaluate", "evaluate_by_query"):
        refusal(session, f"FROM {macro}(many, judged, {metrics})")


@pytest.mark.slow
def test_odd_cutoffs_are_left_to_the_general_query(session: duckdb.DuckDBPyConnection) -> None:
    for k in ("0", "-1", "1.5", "'x'", "[5, 0]", "[5, 5]"):
        refusal(session, f"FROM ndcg(many, judged, k := {k})")
    whole = session.execute("FROM ndcg(many, judged, k := 10)").fetchall()
    for k in ("'10'", "010", "10::UTINYINT"):
        assert session.execute(f"FROM ndcg(many, judged, k := {k})").fetchall() == whole, k


@pytest.mark.slow
def test_arguments_may_be_variables_and_values_of_prepared_statements(
    session: duckdb.DuckDBPyConnection,
) -> None:
    wanted = session.execute("FROM ndcg(many, judged, k := 7)").fetchall()
    session.execute("SET VARIABLE cutoff = 7; SET VARIABLE run = 'many'")
    given = session.execute("FROM ndcg(getvariable('run'), judged, k := getvariable('cutoff'))").fetchall()
    prepared = session.execute("FROM ndcg(?, ?, k := ?)", ["many", "judged", 7]).fetchall()
    assert not differences(given, wanted)
    assert not differences(prepared, wanted)
