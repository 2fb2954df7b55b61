"""Calls of macros: names that may be left out, the printed help, and ambiguous arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from support.duckdb_shell import comments, connected, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROWS = """SELECT i AS id, (i * 7 % 10 < 4)::INT AS label, (i * 13 % 17 / 17e0)::DOUBLE AS score,
    i % 3 AS group_id, 1e0 + i % 2 AS w FROM range(60) AS r(i)"""
# Replacements for the words of a printed call, where a column of that name does not work.
MEANT = {
    "metrics": "['auc']", "like": "'sklearn'", "weight": "w", "control": "'a'", "baseline": "'a'",
    "margin": "0.1", "message": "'duckmetrics: no rows'",
    "max_fpr": "0.5", "recall": "0.5", "precision": "0.5", "fpr": "0.5", "top": "0.5", "beta": "2",
    "data": "every", "category": "'c1'",
}  # fmt: skip
# The tables next to predictions and truth, under the names of the parameters for them.
SIDE_TABLES = """
    CREATE TABLE history AS SELECT id % 5 AS query_id, id // 2 AS item_id FROM data;
    CREATE TABLE items AS SELECT id AS item_id, 'c' || id % 3 AS category, [id % 2, 1e0] AS vector FROM data;
    CREATE TABLE reference AS SELECT id % 6 AS query_id, id AS item_id, id % 7 AS score FROM data;
"""


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    lines = tmp_path_factory.mktemp("calls") / "lines.trec"
    lines.write_text("q1 Q0 a 1 0.5 tag\n")
    MEANT["path"] = f"'{lines}'"
    with connected() as connection:
        connection.execute(f"CREATE TABLE data AS {ROWS}")
        connection.execute("CREATE TABLE weighted AS SELECT * EXCLUDE (w), w AS weight FROM data")
        connection.execute(
            "CREATE TABLE predictions AS SELECT id % 6 AS query_id, id AS item_id, score FROM data"
        )
        connection.execute(
            "CREATE TABLE truth AS SELECT id % 6 AS query_id, id AS item_id, label AS relevance FROM data"
        )
        connection.execute(SIDE_TABLES)
        yield connection


def values(connection: duckdb.DuckDBPyConnection, query: str) -> list[float]:
    cursor = connection.execute(query)
    place = [column[0] for column in cursor.description].index("value")
    return [row[place] for row in cursor.fetchall()]


TABLES = ("log_loss", "brier", "roc_auc", "pr_auc", "ks", "roc_curve", "calibration_curve", "hosmer_lemeshow")


@pytest.mark.some(1)
@pytest.mark.parametrize("macro", TABLES)
def test_a_weight_without_its_name_does_not_slice(connection: duckdb.DuckDBPyConnection, macro: str) -> None:
    message = refusal(connection, f"FROM {macro}(data, label, score, w)")
    assert "write weight := ..., or per := ..." in message


@pytest.mark.parametrize(
    "called",
    ["gauc(data, label, score, group_id, w)", "evaluate_classification(data, label, score, ['auc'], w)"],
)
def test_neither_does_one_after_a_group(connection: duckdb.DuckDBPyConnection, called: str) -> None:
    assert "write weight := ..., or per := ..." in refusal(connection, f"FROM {called}")


@pytest.mark.parametrize("macro", ["roc_auc", "log_loss"])
def test_a_value_macro_takes_no_weight_for_a_condition(
    connection: duckdb.DuckDBPyConnection, macro: str
) -> None:
    third = "" if macro == "roc_auc" else "1e-15, "
    with pytest.raises(duckdb.BinderException, match="where_ BOOLEAN"):
        connection.execute(f"SELECT {macro}(label, score, {third}w) FROM data")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("third", "named"),
    [("3", "k := 3"), ("[1, 3]", "k := [1, 3]")],
)
def test_a_third_argument_of_rankings_is_the_cutoff(
    connection: duckdb.DuckDBPyConnection, third: str, named: str
) -> None:
    found = values(connection, f"FROM ndcg(predictions, truth, {third})")
    assert found == pytest.approx(values(connection, f"FROM ndcg(predictions, truth, {named})"), rel=1e-12)


def printed(connection: duckdb.DuckDBPyConnection, all_: bool) -> Iterator[tuple[str, str, str]]:
    """Yield printed calls: kind, call, and a tool for `like`; one or all of those with equal arguments."""
    seen = set()
    for kind, comment in sorted({(kind, comment) for _, kind, comment in comments(connection)}):
        (like,) = re.findall(r"^like: .*'(\w+)'", comment, re.MULTILINE) or [""]
        for call in re.findall(r"^call: (.*)", comment, re.MULTILINE):
            arguments = call[call.index("(") :]
            if all_ or (kind, arguments) not in seen:
                seen.add((kind, arguments))
                yield kind, call, like


@pytest.mark.slow
@pytest.mark.parametrize("all_", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_call_that_the_help_prints_binds(connection: duckdb.DuckDBPyConnection, all_: bool) -> None:
    """A call may refuse these data with our message; DuckDB itself must accept it."""
    wrong = []
    calls = list(printed(connection, all_))
    assert len(calls) > (240 if all_ else 20)
    add_words(connection, [call for _, call, _ in calls])
    for kind, call, like in calls:
        if call.startswith("FROM ab("):
            continue  # its metrics are columns of the user
        written = with_arguments(call, {**MEANT, "like": f"'{like}'"})
        try:
            connection.execute(
                written if kind == "table_macro" else f"SELECT {written} FROM every"
            ).fetchall()
        except duckdb.Error as error:
            if "duckmetrics: " not in str(error):
                wrong.append(f"{written}: {str(error)[:300]}")
    assert not wrong, chr(10).join(wrong)


def add_words(connection: duckdb.DuckDBPyConnection, calls: Iterable[str]) -> None:
    """Create the table `every`: the columns of `data`, and a column for each word of the printed calls."""
    known = {name for (name,) in connection.execute("SELECT column_name FROM (DESCRIBE data)").fetchall()}
    per_query = {"metric", "system", "query_id", "value"}  # columns that statistics over queries read by name
    others = sorted(({word for call in calls for word in words(call)} | per_query) - known - {"data"})
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE every AS SELECT *, "
        + ", ".join(f'(id % 2)::DOUBLE AS "{name}"' for name in others) + " FROM data"
    )  # fmt: skip


def words(call: str) -> list[str]:
    """Return the words of a printed call."""
    inside = call[call.index("(") + 1 : -1]
    return [word.strip().removesuffix(" := ...").strip('"') for word in inside.split(",") if word.strip()]


def with_arguments(call: str, meant: dict[str, str]) -> str:
    """Return a printed call whose words are replaced by their values."""
    given = [
        f'"{word}" := {meant.get(word, word)}'
        if f"{word} := ..." in call.replace('"', "")
        else meant.get(word, word)
        for word in words(call)
    ]
    return f"{call[: call.index('(')]}({', '.join(given)})"
