"""The macro `conventions` gives the rows, words and numbers of `duckmetrics.conventions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.macro_queries.checks import in_the_shell
from duckmetrics.sensitivity.tool_comparison import COLUMNS
from support import faults
from support.duckdb_shell import call, connected, refusal, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

# Queries, so the order of the rows is unknown; each with the options of the macro and of Python.
PREDICTIONS = {
    "clean": faults.PREDICTIONS,
    "missing queries": f"SELECT * FROM ({faults.PREDICTIONS}) WHERE query_id > 'u05'",
    "ties": f"SELECT * REPLACE (floor(score / 3) AS score) FROM ({faults.PREDICTIONS})",
    "scores of 0": f"SELECT * REPLACE (if(item_id > 'i30', 0, score) AS score) FROM ({faults.PREDICTIONS})",
    "ranks": faults.RANKS,
}
TRUTH = {
    "clean": faults.TRUTH,
    "binary": f"SELECT * REPLACE ((relevance > 1)::INT AS relevance) FROM ({faults.TRUTH})",
    "halves": f"SELECT * REPLACE (relevance / 2 AS relevance) FROM ({faults.TRUTH})",
    "nothing relevant": "SELECT * REPLACE (if(query_id < 'u20', 0, relevance) AS relevance) "
                        f"FROM ({faults.TRUTH})",
}  # fmt: skip
DATA = [
    ("clean", "clean"), ("clean", "binary"), ("missing queries", "nothing relevant"), ("ties", "halves"),
    ("scores of 0", "binary"), ("ranks", "clean"), ("ties", "binary"), ("clean", "halves"),
]  # fmt: skip
METRICS = ["ndcg@5", "ndcg", "map@10", "ap", "hr@3", "p@5", "recall@7", "mrr@4"]
FEW = ["pytrec_eval", "ranx", "recbole", "sklearn"]
CASES = [(METRICS[(i + j) % len(METRICS)], *data) for i, data in enumerate(DATA) for j in range(3)]


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


def found(connection: duckdb.DuckDBPyConnection, *tables: str, **arguments: Any) -> list[dict[str, Any]]:
    result = connection.execute(call("conventions", *tables, **arguments))
    names = [column[0] for column in result.description]
    assert names == list(COLUMNS)
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def assert_same(rows: list[dict[str, Any]], wanted: duckmetrics.ToolComparison) -> None:
    assert [row["like"] for row in rows] == [one.like for one in wanted.rows]
    for row, one in zip(rows, wanted.rows, strict=True):
        told = dict(one.row)
        for name in ("value", "difference"):
            expected = told.pop(name)
            assert row.pop(name) == (None if expected is None else pytest.approx(expected, abs=1e-12, rel=0))
        # The advice at the end of a reason has the form of macro arguments.
        reason, expected = row.pop("reason"), told.pop("reason")
        if expected is not None and "; " in expected:
            what, _, advice = expected.rpartition("; ")
            expected = expected if reason == expected else f"{what}; {in_the_shell(advice)}"
        assert reason == expected
        assert row == told


# All tools take ten seconds a case.
ASKED = [
    *(pytest.param({"like": FEW}, *case) for case in CASES),
    *(pytest.param({}, *case, marks=pytest.mark.slow) for case in CASES[::3]),
]


@pytest.mark.some(0)
@pytest.mark.parametrize(("options", "metric", "predictions", "truth"), ASKED)
def test_it_says_what_python_says(
    session: duckdb.DuckDBPyConnection, options: dict[str, Any], metric: str, predictions: str, truth: str
) -> None:
    """Python evaluates once for each tool, and needs several seconds for all of them."""
    tables = PREDICTIONS[predictions], TRUTH[truth]
    wanted = duckmetrics.conventions(*tables, metric, connection=session, **options)
    assert_same(found(session, *tables, metric=metric, **options), wanted)


@pytest.mark.slow
def test_an_order_of_rows_decides_ties(session: duckdb.DuckDBPyConnection) -> None:
    placed = f"SELECT *, hash(item_id) AS place FROM ({PREDICTIONS['ties']})"
    predictions = f"SELECT * REPLACE (row_number() OVER (ORDER BY place) AS place) FROM ({placed})"
    wanted = duckmetrics.conventions(
        predictions, faults.TRUTH, "ndcg@3", columns={"position": "place"}, connection=session
    )
    rows = found(session, predictions, faults.TRUTH, metric="ndcg@3", position="place")
    assert_same(rows, wanted)
    assert "ties=input" in " ".join(row["because"] for row in rows)


@pytest.mark.slow
def test_tools_can_be_chosen(session: duckdb.DuckDBPyConnection) -> None:
    tables = faults.PREDICTIONS, TRUTH["binary"]
    chosen = found(session, *tables, metric="map@10", like="ranx, RecBole")
    assert sorted(row["like"] for row in chosen) == ["duckmetrics", "ranx", "recbole"]
    assert same(found(session, *tables, metric="map@10", like=["recbole", "ranx"]), chosen)
    assert "did you mean 'ranx'?" in refusal(session, call("conventions", *tables, like="ranks"))


@pytest.mark.parametrize(
    ("metric", "problem"),
    [("ndgc@10", "did you mean 'ndcg'?"), ("ndcg@0", "cannot be compared"), ("bpref", "is not a metric here"),
     ("ndcg@10, map", "cannot be compared")],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(
    session: duckdb.DuckDBPyConnection, metric: str, problem: str
) -> None:
    message = refusal(session, call("conventions", faults.PREDICTIONS, faults.TRUTH, metric=metric))
    assert problem in message


@pytest.mark.slow
def test_bad_data_are_refused_as_by_the_other_macros(session: duckdb.DuckDBPyConnection) -> None:
    twice = f"{faults.PREDICTIONS} UNION ALL {faults.PREDICTIONS}"
    assert "items predicted more than once" in refusal(session, call("conventions", twice, faults.TRUTH))


def test_an_unknown_pattern_of_the_presets_suggests_names(session: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT \"like\", tool, note FROM duckmetrics_conventions('{}')"
    (row,) = session.execute(query.format("trek_eval")).fetchall()
    assert row[:2] == ("trek_eval", None)
    assert row[2].startswith("unknown: no tool and no metric has this name; did you mean trec_eval, ")
    (row,) = session.execute(query.format("zzzz")).fetchall()
    assert row[2].endswith("FROM duckmetrics_conventions() lists them all")
    assert len(session.execute(query.format("RANX")).fetchall()) > 20
