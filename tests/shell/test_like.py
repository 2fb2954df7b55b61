"""``like :=`` of the macros is ``like=`` of Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.catalog.presets import NEVER, presets
from duckmetrics.shell.parameters import is_listed
from duckmetrics.shell.script import macro_names
from support.cases import CATALOG
from support.duckdb_shell import connected, refusal, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

RUN = [(q, i, s) for q, row in {
    "a": [("x", 3.0), ("y", 2.0), ("z", 2.0), ("w", 2.0), ("v", 1.0)], "b": [("y", 1.0), ("x", 1.000000001)],
    "c": [("x", 0.5)], "d": [("z", 2.0), ("y", 2.0), ("x", 1.0)], "only": [("x", 1.0)],
}.items() for i, s in row]  # fmt: skip
TRUTH = [("a", "z", 2), ("a", "x", 0), ("a", "w", 1), ("a", "u", 1), ("b", "y", 1), ("c", "y", 1),
         ("d", "x", 0), ("d", "y", 0), ("missing", "x", 1)]  # fmt: skip
ROWS = [(1, 0.9), (0, 0.9), (1, 0.0), (0, 0.3), (0, 1.0), (1, 0.5)]
RANKING = "'run', 'truth', \"position\" := 'position'"
REQUIRED = {"beta": 1, "recall": 0.5, "max_fpr": 0.5, "top": 0.1, "precision": 0.5, "fpr": 0.5}


def cases() -> Iterator[tuple[str, str, str, int | None]]:
    """Yield preset, family, metric and cut-off; rankings are slow, so they have one metric per tool.

    A macro refuses entries that depend on the rows. Metrics of several classes have no macros.
    """
    for number, tool in enumerate(presets().values()):
        for family, known in tool.families.items():
            if family == MULTICLASS:
                continue
            usable = [
                name for name, entry in known.metrics.items()
                if not (entry.requires or entry.untied) and is_listed(CATALOG.metrics[family, name])
            ]  # fmt: skip
            count = len(usable) if family == "classification" else min(1, len(usable))
            for name in [*usable[number % max(len(usable), 1) :], *usable][:count]:
                has_k = "k" in CATALOG.params(CATALOG.metrics[family, name])
                ranked = has_k and known.metrics[name].cutoff != NEVER
                yield tool.name, family, name, 3 if ranked else None


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute("SET threads = 1")
        connection.execute("CREATE TABLE run (query_id TEXT, item_id TEXT, score DOUBLE, position INT)")
        placed = [(*row, place) for place, row in enumerate(RUN)]
        connection.executemany("INSERT INTO run VALUES (?, ?, ?, ?)", placed)
        connection.execute("CREATE TABLE truth (query_id TEXT, item_id TEXT, relevance INT)")
        connection.executemany("INSERT INTO truth VALUES (?, ?, ?)", TRUTH)
        connection.execute("CREATE TABLE observed (label INT, score DOUBLE, group_id INT)")
        connection.executemany("INSERT INTO observed VALUES (?, ?, 1)", ROWS)
        yield connection


def spec(family: str, name: str, k: int | None) -> str:
    needed = [p for p in CATALOG.metrics[family, name].own_params.values() if p.required]
    arguments = ", ".join(f"{p.name}={REQUIRED[p.name]}" for p in needed)
    return f"{family}.{name}" + (f"({arguments})" if arguments else "") + (f"@{k}" if k else "")


def call(family: str, name: str, k: int | None, like: str) -> str:
    metric = CATALOG.metrics[family, name]
    data = RANKING if family == "ranking" else "'observed', label, score"
    group = ", group_id" if "group_id" in metric.inputs["predictions"] and family == "classification" else ""
    own = "".join(f", {p.name} := {REQUIRED[p.name]}" for p in metric.own_params.values() if p.required)
    cutoff = f", k := {k}" if k else ""
    return f"FROM {macro_names(CATALOG, family)[name]}({data}{group}, like := '{like}'{own}{cutoff})"


@pytest.mark.slow
@pytest.mark.parametrize(("like", "family", "name", "k"), list(cases()))
def test_a_macro_follows_a_tool_as_python_does(
    session: duckdb.DuckDBPyConnection, like: str, family: str, name: str, k: int | None
) -> None:
    data = ("run", "truth") if family == "ranking" else ("observed", None)
    asked = spec(family, name, k)
    query = call(family, name, k, like)
    if (like == "trec_eval" and family == "ranking") or like == "ranx":
        with pytest.raises(duckmetrics.InputError, match="no predictions"):
            duckmetrics.evaluate(*data, asked, like=like, connection=session)
        assert "no predictions" in refusal(session, query)
        return
    wanted = duckmetrics.evaluate(*data, asked, like=like, connection=session)
    result = session.execute(query)
    names = [column[0] for column in result.description]
    (row,) = [dict(zip(names, values, strict=True)) for values in result.fetchall()]
    assert same(row["value"], wanted[asked]), query
    assert row["n"] == wanted.rows[0]["n"]


@pytest.mark.slow
@pytest.mark.parametrize(("like", "gain"), [("catboost", "exp2"), ("lightgbm", "linear")])
def test_a_value_that_is_given_wins(session: duckdb.DuckDBPyConnection, like: str, gain: str) -> None:
    """The given value may equal the default."""
    query = f"SELECT value FROM ndcg({RANKING}, k := 3, like := '{like}', gain := '{gain}')"
    spec_ = f"ndcg(gain={gain})@3"
    wanted = duckmetrics.evaluate("run", "truth", spec_, like=like, connection=session)
    assert session.execute(query).fetchone() == (pytest.approx(wanted[spec_]),)
    assert session.execute(query.replace(gain, "binary")).fetchone() != (pytest.approx(wanted[spec_]),)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("FROM map_at('run', 'truth', k := 3, like := 'elliot')", "is not imitated: its MAP is"),
        ("FROM map_at('run', 'truth', like := 'replay')", "needs a cut-off; give it k := 10"),
        ("FROM mrr('run', 'truth', k := 3, like := 'trec_eval9')", "has no cut-off; leave k out"),
        ("FROM map_at('run', 'truth', k := 3, like := 'trek')", "like cannot be 'trek' for"),
        ("FROM map_at('run', 'truth', like := 'torchmetrics')", "which is checked in Python"),
        ("FROM auc('observed', label, score, like := 'cornac')", "auc is not imitated: it counts a tie"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_refused(
    session: duckdb.DuckDBPyConnection, query: str, problem: str
) -> None:
    assert problem in refusal(session, query)


def test_the_table_of_conventions_is_what_the_presets_say(session: duckdb.DuckDBPyConnection) -> None:
    rows = session.execute("FROM duckmetrics_conventions()").fetchall()
    found = {(like, family, metric) for like, _, family, metric, *_ in rows}
    wanted = {
        (tool.name, family, name)
        for tool in presets().values() for family, known in tool.families.items()
        for name in (*known.metrics, *known.refused) if family != MULTICLASS  # no macro has several classes
    }  # fmt: skip
    assert found == wanted
    query = "SELECT value FROM duckmetrics_conventions('replay') WHERE metric = 'average_precision'"
    assert session.execute(f"{query} AND parameter = 'norm'").fetchall() == [("min_k",)]
    told = "SELECT DISTINCT note FROM duckmetrics_conventions('rectools')"
    noted = session.execute(f"{told} WHERE metric IN ('average_precision', 'precision')").fetchall()
    assert noted == [("always with a cut-off",)]


@pytest.mark.slow
def test_a_switch_of_a_list_that_follows_a_tool_wins(session: duckdb.DuckDBPyConnection) -> None:
    found = session.execute(
        "SELECT metric, value "
        "FROM evaluate('run', 'truth', 'ndcg@3, mrr@3', like := 'lenskit', gain := 'exp2', "
        "\"position\" := 'position')"
    ).fetchall()
    wanted = duckmetrics.evaluate(
        "run", "truth", ["ndcg@3", "mrr@3"], like="lenskit", gain="exp2", connection=session
    )
    assert [row[0] for row in found] == ["ndcg@3", "mrr@3"]
    assert all(same(value, wanted[metric]) for metric, value in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("like", "specs"), [("replay", "ndcg@3, map@3"), ("lenskit", "mrr@2, ndcg@3, recall@2")]
)
def test_a_list_of_metrics_follows_a_tool_as_python_does(
    session: duckdb.DuckDBPyConnection, like: str, specs: str
) -> None:
    """The names are those of the call, in their order."""
    wanted = duckmetrics.evaluate("run", "truth", specs.split(", "), like=like, connection=session)
    query = f"FROM evaluate('run', 'truth', '{specs}', like := '{like}', \"position\" := 'position')"
    found = session.execute(f"SELECT metric, value, n, n_missing, signature {query}").fetchall()
    assert [row[0] for row in found] == specs.split(", ")
    for row, told in zip(found, wanted.rows, strict=True):
        assert same(row[1], wanted[row[0]])
        assert row[2:] == (told["n"], told["n_missing"], told["signature"])


def test_a_list_that_follows_a_tool_is_in_the_order_of_one_that_does_not(
    session: duckdb.DuckDBPyConnection,
) -> None:
    query = "SELECT *, query_id < 'c' AS is_early, 'A' AS model FROM run"
    session.execute(f"CREATE TABLE runs AS {query}")
    session.execute("INSERT INTO runs SELECT * REPLACE ('B' AS model) FROM runs")
    asked = "runs, truth, 'map@3, ndcg@2', system := 'model', by := 'is_early'"
    rows = [
        session.execute(f"SELECT metric, system, is_early, slice FROM evaluate({asked}{like})").fetchall()
        for like in ("", ", like := 'replay', \"position\" := 'position'")
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) > 4


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("'ndcg@3, nonsense', like := 'lenskit'", "'nonsense' is not a metric here"),
        ("'ndcg@3', like := 'trek'", "like cannot be 'trek' for ndcg; did you mean 'trec_eval'?"),
        ("'ndcg@3, idcg@3', like := 'lenskit'", "no tool computes idcg@3; leave it out of the list"),
    ],
)
def test_a_list_that_cannot_follow_a_tool_is_refused(
    session: duckdb.DuckDBPyConnection, arguments: str, problem: str
) -> None:
    assert problem in refusal(
        session, f"FROM evaluate('run', 'truth', {arguments}, \"position\" := 'position')"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("like", "specs"),
    [
        ("replay", "ndcg@3, map@3"), ("lenskit", "mrr@2, ndcg(gain=linear)@3, recall@2"),
        (None, "rbp(p=0.9), ndcg@2"),
    ],
)  # fmt: skip
def test_values_of_queries_follow_a_tool_as_in_python(
    session: duckdb.DuckDBPyConnection, like: str | None, specs: str
) -> None:
    """A text such as gain=linear wins, though it is the usual value."""
    asked = re.findall(r"[^,( ]+(?:\([^)]*\))?[^, ]*", specs)
    evaluation = duckmetrics.evaluate("run", "truth", asked, like=like, connection=session)
    wanted = {(row["metric"], row["query_id"]): row["value"] for row in evaluation.per_query.to_pylist()}
    named = f"like := '{like}', " if like else ""
    query = f"FROM evaluate_by_query('run', 'truth', '{specs}', {named}\"position\" := 'position')"
    rows = session.execute(f"SELECT metric, query_id, value {query}").fetchall()
    assert len(rows) == len(wanted) > 4
    assert all(same(value, wanted[metric, query]) for metric, query, value in rows)
