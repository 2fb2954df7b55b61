"""Scores whose last digits a DOUBLE may lose: different scores must not tie silently."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError
from duckmetrics.expressions.build import is_wide
from support.command_line import Command
from support.duckdb_shell import connected, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRUTH = "SELECT 1 AS query_id, 2 AS item_id"
# The time of a click in nanoseconds, and others that differ by one; the last of them is the best.
WIDE = [
    ("BIGINT", 1700000000000000000), ("BIGINT", -1700000000000000003), ("UBIGINT", 18446744073709551610),
    ("HUGEINT", 2**100), ("UHUGEINT", 2**127), ("DECIMAL(18,0)", 10**17), ("DECIMAL(38,2)", 17 * 10**17),
    ("BIGINT", 2**53 - 1), ("DECIMAL(16,0)", 2**53 - 1),
]  # fmt: skip
KEPT = [
    ("BIGINT", 5), ("BIGINT", 2**53 - 3), ("BIGINT", -(2**53) + 1), ("UBIGINT", 2**40), ("HUGEINT", 7),
    ("DECIMAL(18,3)", 5), ("DECIMAL(38,20)", 12), ("INTEGER", 2**31 - 5), ("DOUBLE", 2**53 - 3), ("FLOAT", 3),
]  # fmt: skip


def lists(type_: str, base: int, score: str = "score") -> str:
    numbers = ", ".join(f"({i}, CAST('{base + i}' AS {type_}))" for i in (1, 2))
    return f"SELECT 1 AS query_id, * FROM (VALUES {numbers}) AS _(item_id, {score})"


def rows(type_: str, base: int) -> str:
    return f"SELECT query_id AS user_id, item_id - 1 AS label, score FROM ({lists(type_, base)})"


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


@pytest.mark.some(1)
@pytest.mark.parametrize(("type_", "base"), WIDE)
def test_scores_that_would_tie_are_refused(type_: str, base: int) -> None:
    with pytest.raises(InputError, match=r"1 group of different scores of a query .* tie \(query_id=1, one"):
        duckmetrics.evaluate(lists(type_, base), TRUTH, "mrr")
    assert [e.check for e in duckmetrics.check(lists(type_, base), TRUTH, "mrr").errors] == ["rounded_score"]
    with pytest.raises(InputError, match="column 'score': 1 group of different scores that become the same"):
        duckmetrics.evaluate(rows(type_, base), metrics="auc")
    assert [e.check for e in duckmetrics.check(rows(type_, base), metrics="auc").errors] == [
        "row_rounded_score"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("type_", "base"), KEPT)
def test_scores_that_a_double_keeps_are_not(type_: str, base: int) -> None:
    assert duckmetrics.evaluate(lists(type_, base), TRUTH, "mrr").rows[0]["value"] == 1
    assert duckmetrics.evaluate(rows(type_, base), metrics="auc").rows[0]["value"] == 1


@pytest.mark.some(1)
@pytest.mark.parametrize(("type_", "base"), WIDE)
def test_what_the_advice_says_helps(type_: str, base: int) -> None:
    for change, mrr in (("score - min(score) OVER ()", 1.0), ("CAST(score AS DOUBLE)", 0.5)):
        moved = f"SELECT * REPLACE ({change} AS score) FROM ({lists(type_, base)})"
        assert duckmetrics.evaluate(moved, TRUTH, "mrr").rows[0]["value"] == mrr


@pytest.mark.slow
def test_equal_scores_may_tie_and_so_may_those_of_other_queries_and_systems() -> None:
    wide = lists(*WIDE[0])
    for change in ("1700000000000000001 AS score", "item_id AS query_id"):
        duckmetrics.evaluate(f"SELECT * REPLACE ({change}) FROM ({wide})", TRUTH, "mrr")
    duckmetrics.evaluate(f"SELECT *, item_id AS system FROM ({wide})", TRUTH, "mrr", system="system")


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("predictions", "options"),
    [
        (f"SELECT 1 AS query_id, list(item_id) AS items, list(score) AS scores FROM ({lists(*WIDE[0])})", {}),
        ({"a": lists("DOUBLE", 1), "b": lists(*WIDE[0])}, {}),
        ({"a": lists(*WIDE[5]), "b": lists("INTEGER", 1)}, {}),
        (lists(*WIDE[0], "clicked_at"), {"columns": {"score": "clicked_at"}}),
        (f"SELECT *, 'DE' AS country FROM ({lists(*WIDE[0])})", {"by": "country"}),
        (f"SELECT *, 'm' AS model FROM ({lists(*WIDE[0])})", {"system": "model"}),
    ],
)  # fmt: skip
def test_so_it_is_in_every_form_of_the_predictions(predictions: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"group of different scores of a query"):
        duckmetrics.evaluate(predictions, TRUTH, "mrr", **options)


def test_so_it_is_for_rows_of_slices_systems_and_a_comparison() -> None:
    wide, narrow = rows(*WIDE[0]), rows("BIGINT", 1)
    said = r"group of different scores that become"
    with pytest.raises(InputError, match=said):
        duckmetrics.evaluate(wide, metrics="auc", by="user_id")
    with pytest.raises(InputError, match=said):
        duckmetrics.evaluate({"a": narrow, "b": wide}, metrics="auc")
    with pytest.raises(InputError, match=said):
        duckmetrics.compare({"a": narrow, "b": wide}, metrics="auc")
    assert duckmetrics.evaluate({"a": narrow, "b": rows("DOUBLE", 1)}, metrics="auc").rows[0]["value"] == 1


@pytest.mark.slow
def test_the_command_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, query in (("p", lists(*WIDE[0])), ("t", TRUTH)):
        duckdb.execute(f"COPY ({query}) TO '{tmp_path / name}.parquet'")
    files = (tmp_path / "p.parquet", tmp_path / "t.parquet")
    for command in ("evaluate", "check"):
        done = Command(capsys)(command, *files, "-m", "mrr")
        assert done.code
        assert re.search(r"different scores of a query", done.out + done.err)


@pytest.mark.some(1)
@pytest.mark.parametrize(("type_", "base"), WIDE)
def test_the_shell_refuses_them(session: duckdb.DuckDBPyConnection, type_: str, base: int) -> None:
    session.execute(f"CREATE OR REPLACE TABLE predictions AS {lists(type_, base)}")
    session.execute(f"CREATE OR REPLACE TABLE truth AS {TRUTH}")
    session.execute(f"CREATE OR REPLACE TABLE data AS {rows(type_, base)}")
    assert "different scores of a query" in refusal(session, "FROM mrr('predictions', 'truth')")
    assert "different scores that become" in refusal(session, "FROM auc('data', label, score)")
    found = session.execute("SELECT \"check\" FROM inspect('predictions', 'truth')").fetchall()
    assert found[0] == ("rounded_score",)


@pytest.mark.some(1)
@pytest.mark.parametrize(("type_", "base"), KEPT)
def test_the_shell_takes_the_others(session: duckdb.DuckDBPyConnection, type_: str, base: int) -> None:
    session.execute(f"CREATE OR REPLACE TABLE predictions AS {lists(type_, base)}")
    session.execute(f"CREATE OR REPLACE TABLE truth AS {TRUTH}")
    session.execute(f"CREATE OR REPLACE TABLE data AS {rows(type_, base)}")
    assert session.execute("SELECT value FROM mrr('predictions', 'truth')").fetchall() == [(1.0,)]
    assert session.execute("SELECT value FROM auc('data', label, score)").fetchall() == [(1.0,)]


@pytest.mark.some(2)
@pytest.mark.parametrize("type_", ["DOUBLE", "FLOAT", "INTEGER", "DECIMAL(9,2)", "DECIMAL(15,3)"])
def test_usual_types_cost_nothing(session: duckdb.DuckDBPyConnection, type_: str) -> None:
    """Python makes no check for them, and the optimizer removes the check of the shell."""
    assert not is_wide(type_)
    found = duckmetrics.check(lists(type_, 1), TRUTH, "mrr")
    assert "rounded_score" not in found.performed
    query = f"SELECT duckmetrics_fn_exact_number(CAST(i AS {type_})) AS s FROM range(3) AS _(i)"
    ((_, plan),) = session.execute(f"EXPLAIN SELECT count(*) FROM ({query}) WHERE s IS NOT NULL").fetchall()
    assert re.search(r"empty.result", plan, re.IGNORECASE)
