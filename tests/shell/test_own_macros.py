"""Metrics of users as macros: the values of plain Python, the refusals of the Python API, safe names."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from catalog.test_own import HEADER, PROFIT, REVENUE, folder, write
from sqlglot import exp

import duckmetrics
from duckmetrics import DefinitionError
from duckmetrics.catalog import catalog as own
from duckmetrics.catalog.catalog import Catalog, add, catalog, catalog_with
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.shell import script, shipped
from duckmetrics.shell.aggregates import aggregate_macros
from duckmetrics.shell.explanation_macro import explain_macro
from duckmetrics.shell.macro import Macro, Overload
from duckmetrics.shell.ranking_macros import ranking_macros
from duckmetrics.shell.row_macros import classification_macros
from support.command_line import exports, run
from support.duckdb_shell import refusal, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command_line import Command

__all__ = ["exports", "folder", "run"]
pytestmark = pytest.mark.engine

# Our metrics next to those of the user: writing all takes half a minute.
OURS = {"recall", "ece", "gauc"}
# Names and columns that SQL has other uses for, and that a macro has parameters for.
AWKWARD = (
    HEADER.format(name="order", more=", limit, level")
    + """SELECT
    queries.system, queries.query_id, sum(truth."limit" + 10 * truth.level) AS value
FROM queries JOIN truth ON truth.query_id = queries.query_id GROUP BY queries.system, queries.query_id"""
)
BEST = """-- name:   best_margin
-- inputs: predictions (label, score, margin)
-- range:  (-inf, inf), higher is better
SELECT system, segment, max(margin) FILTER (WHERE label = 1) AS value
FROM predictions GROUP BY system, segment"""


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the macros of some metrics of ours and of a user."""
    made = tmp_path_factory.mktemp("metrics")
    texts = {"revenue": REVENUE, "profit": PROFIT, "order": AWKWARD, "best_margin": BEST}
    known = catalog()
    before = dict(known.files), dict(known.metrics)
    for name, definition in texts.items():
        (made / f"{name}.sql").write_text(definition, "utf-8")
    found = catalog_with(add(made))
    known.files, known.metrics = before
    known.__dict__.pop("names", None)
    return little(found)


def little(found: Catalog) -> str:
    """Return the script of a catalog with few of our metrics, and without checks and statistics."""
    found.metrics = {key: one for key, one in found.metrics.items() if one.is_own or key[1] in OURS}
    found.metrics.pop((CLASSIFICATION, "recall"))

    def some(known: Catalog) -> Iterator[Macro]:
        yield from (
            *script.scalar_macros(known), *script._functions(known), *script._function_macros(known),
            *ranking_macros(known, script.macro_names(known, RANKING)), explain_macro(known),
            *classification_macros(known, script.macro_names(known, CLASSIFICATION)),
        )  # fmt: skip

    with patch.object(script, "_every", some):
        return script.script(found)


@pytest.fixture(scope="module")
def session(text: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(text)
        yield connection


def made(seed: int) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return random lists with ties, and a truth with a query that has no list."""
    random.seed(seed)
    run: dict[str, list[Any]] = {"system": [], "query_id": [], "item_id": [], "score": []}
    truth: dict[str, list[Any]] = {"query_id": [], "item_id": [], "relevance": [], "price": [], "country": []}
    for query in range(1, 8):
        for system in "AB":
            for item in random.sample(range(9), k=0 if query == 7 else random.randint(1, 6)):
                for name, value in zip(run, (system, query, item, random.randint(0, 3)), strict=True):
                    run[name].append(value)
        for item in random.sample(range(9), k=random.randint(1, 4)):
            price, country = random.randint(0, 20) / 2, "ab"[query % 2]
            for name, value in zip(truth, (query, item, random.randint(0, 2), price, country), strict=True):
                truth[name].append(value)
    return run, truth


def revenue(
    run: dict[str, list[Any]], truth: dict[str, list[Any]], k: int
) -> dict[tuple[str, int], float | None]:
    """Return the metric of each system and query, as one counts it by hand."""
    lists: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    for system, query, item, score in zip(*run.values(), strict=True):
        lists[system, query].append((-score, item))
    prices: dict[int, dict[int, float]] = defaultdict(dict)
    relevant = set()
    for query, item, grade, price, _ in zip(*truth.values(), strict=True):
        prices[query][item] = price
        relevant |= {query} if grade else set()
    found: dict[tuple[str, int], float | None] = {}
    for system in "AB":
        for query, known in prices.items():
            top = [item for _, item in sorted(lists[system, query])[:k]]
            whole = sum(known.values())
            value = sum(known.get(item, 0) for item in top) / whole if whole else None
            # The policies: without a list 0, without a relevant item no value.
            found[system, query] = None if query not in relevant else value if lists[system, query] else 0
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "k"), [(0, 1), (1, 3)])
def test_a_macro_of_rankings_has_the_values_of_plain_python(
    session: duckdb.DuckDBPyConnection, seed: int, k: int
) -> None:
    run, truth = made(seed)
    session.register("run", pa.table(run))
    session.register("truth", pa.table(truth))
    wanted = revenue(run, truth, k)
    query = f"FROM evaluate_by_query('run', 'truth', ['revenue@{k}', 'recall@2'], system := 'system')"
    found = {(row["system"], row["query_id"]): row["value"] for row in rows(session, query)
             if row["metric"] == f"revenue@{k}"}  # fmt: skip
    assert {key: v for key, v in found.items() if v is not None} == pytest.approx(
        {key: value for key, value in wanted.items() if value is not None}
    )
    means = {s: fmean(v for (of, _), v in wanted.items() if of == s and v is not None) for s in "AB"}
    sliced = rows(session, f"FROM revenue('run', 'truth', k := {k}, system := 'system', \"by\" := 'country')")
    assert {row["system"]: row["value"] for row in sliced if not row["slice"]} == pytest.approx(means)
    write("revenue", REVENUE)
    python = duckmetrics.evaluate(
        pa.table(run), pa.table(truth), f"revenue.sql@{k}", system="system", by="country"
    )
    columns = ("system", "metric", "slice", "country", "value", "n", "n_missing", "signature")
    assert [[row[c] for c in columns] for row in sliced] == [
        [pytest.approx(row[c]) if c == "value" else row[c] for c in columns] for row in python.rows
    ]
    versus = "system := 'system', baseline := 'A'"
    query = f"SELECT delta, p FROM compare('run', 'truth', 'revenue@{k}', {versus}) WHERE system = 'B'"
    compared = rows(session, query)
    same = duckmetrics.compare(pa.table(run), pa.table(truth), f"revenue@{k}", system="system", baseline="A")
    row = same.row(f"revenue@{k}", "B")
    assert compared == [{"delta": pytest.approx(row["delta"]), "p": pytest.approx(row["p"])}]


def test_each_item_adds_its_share(session: duckdb.DuckDBPyConnection) -> None:
    run, truth = made(1)
    session.register("run", pa.table(run))
    session.register("truth", pa.table(truth))
    explained = "FROM explain('run', 'truth', 'revenue@3', query := 2, system := 'system', compared := 'A')"
    found = rows(session, f"SELECT item_id, rank, contribution {explained}")
    assert sum(row["contribution"] for row in found) == pytest.approx(revenue(run, truth, 3)["A", 2])
    returned = [row for row in found if row["rank"] is not None]
    assert len(returned) == [*zip(run["system"], run["query_id"], strict=True)].count(("A", 2))


def test_columns_are_mapped_and_missing_ones_are_refused(session: duckdb.DuckDBPyConnection) -> None:
    session.execute("CREATE OR REPLACE TABLE one AS SELECT 1 AS query_id, 2 AS item_id, 0.5 AS score")
    columns = '1 AS query_id, 2 AS item_id, 3.0 AS price, 1 AS "limit", 2 AS level'
    session.execute(f"CREATE OR REPLACE TABLE judged AS SELECT {columns}")
    session.execute("CREATE OR REPLACE TABLE mapped AS SELECT * RENAME (price AS eur) FROM judged")
    session.execute(
        "CREATE OR REPLACE TABLE unpriced AS SELECT * REPLACE (CAST(NULL AS DOUBLE) AS price) FROM judged"
    )
    for call in (
        "revenue('one', 'mapped', price := 'eur')",
        "evaluate('one', 'mapped', 'revenue', price := 'eur')",
        "evaluate('one', 'mapped', 'recall')",
        "evaluate('one', 'unpriced', 'recall')",
    ):
        assert rows(session, f"SELECT value FROM {call}") == [{"value": 1.0}]
    assert rows(session, "SELECT value FROM \"order\"('one', 'judged')") == [{"value": 21.0}]
    named = "SELECT value FROM \"order\"('one', 'mapped', \"limit\" := 'item_id', level_column := 'eur')"
    assert rows(session, named) == [{"value": 32.0}]
    for call, message in {
        "revenue('one', 'mapped')": "truth: no column 'price'; name it with price := ...",
        "revenue('one', 'mapped', price := 'usd')": "truth: no column 'usd'; name it with price := ...",
        "evaluate('one', 'unpriced', ['recall', 'revenue@3'])": (
            "truth: column 'price' is NULL in 1 row, and revenue reads it; fill it, as in "
            "COALESCE(price, 0), or leave these rows out"
        ),
        "explain('one', 'unpriced', 'revenue', query := 1)": "truth: column 'price' is NULL in 1 row",
        "explain('one', 'judged', 'order', query := 1)": "is a sum over rows without ranks",
        "revenue('one', 'judged', k := 0)": "the cut-off must be a positive whole number",
    }.items():
        assert message in refusal(session, f"FROM {call}"), call


def test_macros_of_rows_read_columns_and_expressions(session: duckdb.DuckDBPyConnection) -> None:
    random.seed(2)
    n = 40
    table = {
        "model": [*"A" * n, *"B" * n], "label": [random.randint(0, 1) for _ in range(n)] * 2,
        "score": [random.randint(0, 10) / 10 for _ in range(2 * n)],
        "margin": [float(random.randint(1, 5)) for _ in range(n)] * 2,
        "user_id": [i // 6 for i in range(n)] * 2, "country": [random.choice("xy") for _ in range(n)] * 2,
    }  # fmt: skip
    session.register("clicks", pa.table(table))
    lists = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]

    def value(factor: float = 1, **where: str) -> float:
        kept = [row for row in lists if all(row[name] == wanted for name, wanted in where.items())]
        won = (row["label"] * factor * row["margin"] - 0.1 for row in kept if row["score"] >= 0.5)
        return sum(won) / len(kept)

    for call, wanted in {
        "profit('clicks', label, score)": value(),
        "profit('clicks', label, score, margin := 2 * margin)": value(2),
        "evaluate_classification('clicks', label, score, 'profit')": value(),
    }.items():
        assert rows(session, f"SELECT value FROM {call}") == [{"value": pytest.approx(wanted)}], call
    given = "'clicks', label, score, ['ece', 'profit'], system := 'model', \"by\" := 'country'"
    found = rows(session, f"FROM evaluate_classification({given})")
    mine = {(row["system"], row["country"]): row["value"] for row in found if row["metric"] == "profit"}
    assert mine == pytest.approx({
        (model, country): value(model=model, **({"country": country} if country else {}))
        for model in "AB" for country in (None, "x", "y")
    })  # fmt: skip
    given = "'clicks', label, score, 'profit', system := 'model', baseline := 'A', cluster := 'user_id'"
    query = f"SELECT delta, delta_lower, p FROM compare_classification({given}) WHERE system = 'B'"
    compared = rows(session, query)
    write("profit", PROFIT)
    same = duckmetrics.compare(
        pa.table(table), metrics="profit.sql", system="model", baseline="A", cluster="user_id"
    )
    row = same.row("profit", "B")
    assert compared == [{name: pytest.approx(row[name]) for name in ("delta", "delta_lower", "p")}]
    assert compared[0]["delta"] == pytest.approx(value(model="B") - value(model="A"))


QUALIFIED = """-- name:   kept
-- inputs: predictions (label, score, threshold, limit)
-- params: threshold DOUBLE DEFAULT 0.5
-- range:  (-inf, inf), higher is better
SELECT
    p.system, p.segment,
    max(p.Threshold * P."limit") FILTER (WHERE p.Score >= $threshold) AS value
FROM predictions AS p GROUP BY p.system, p.segment"""


def test_a_select_list_takes_the_columns_of_a_metric(folder: Path) -> None:
    found = catalog_with(add([write("profit", PROFIT), write("kept", QUALIFIED)]))
    with duckdb.connect() as connection:
        for macro in (*script.scalar_macros(found), *script._functions(found), *aggregate_macros(found)):
            connection.execute(macro.create())
        values = "(1, .9, 2, 'a'), (0, .4, 1, 'a'), (1, .6, 3, 'b'), (0, .7, NULL, 'b')"
        columns = "label, score, margin, country"
        connection.execute(f"CREATE TABLE clicks AS FROM (VALUES {values}) AS t({columns})")
        for call, wanted in {
            "profit(label, score, coalesce(margin, 1))": (2 - 0.1 + 3 - 0.1 + 0 - 0.1) / 4,
            "profit(label, score, margin, where_ := country = 'a')": (2 - 0.1) / 2,
            "profit(label, score, 2 * margin, threshold := 0.95, where_ := country = 'a')": 0.0,
            "profit(label, score, margin, where_ := FALSE)": None,
            "kept(label, score, 10, length(country), threshold := 0.65)": 10.0,
        }.items():
            assert rows(connection, f"SELECT {call} AS value FROM clicks") == [
                {"value": pytest.approx(wanted)}
            ]
        nulls = "data: column 'margin' is NULL in 1 row, and profit reads it; fill it"
        assert nulls in refusal(connection, "SELECT profit(label, score, margin) FROM clicks")
        no_score = "SELECT profit(label, nullif(score, 0.4), 1) FROM clicks"
        assert "rows whose score is NULL" in refusal(connection, no_score)


def test_macros_of_rows_refuse_what_python_refuses(session: duckdb.DuckDBPyConnection) -> None:
    columns = "i % 2 AS label, i / 10 AS score, i % 3 AS \"user\", 'x' AS country, 'AB'[1 + i % 2] AS model"
    session.execute(f"CREATE OR REPLACE TABLE plain AS SELECT {columns} FROM range(10) AS t(i)")
    session.execute("CREATE OR REPLACE TABLE holes AS SELECT *, nullif(label, 0) AS margin FROM plain")
    assert rows(session, "SELECT value FROM evaluate_classification('plain', label, score, 'ece')")
    assert rows(session, "SELECT value FROM profit('holes', label, score, margin := 1)")
    nulls = (
        "data: column 'margin' is NULL in 5 rows, and profit reads it; fill it, as in COALESCE(margin, 0), "
        "or leave these rows out"
    )
    versus = "system := 'model', baseline := 'A', cluster := 'user'"
    for call, message in {
        "profit('plain', label, score)": "data: no column 'margin'; name it with margin := ...",
        "profit('holes', label, score)": nulls,
        "profit('holes', label, score, \"by\" := 'country')": nulls,
        f"compare_classification('holes', label, score, 'profit', {versus}, \"by\" := 'country')": nulls,
        f"compare_classification('holes', label, score, 'best_margin', {versus})": "interval_method=",
    }.items():
        assert message in refusal(session, f"FROM {call}"), call


# --- the file ----------------------------------------------------------------------------------------


def test_every_door_asks_for_the_metrics_that_are_named(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without some, the file that ships with the package is copied."""
    write("revenue", REVENUE)
    Path("everywhere").mkdir()

    Path("everywhere/profit.sql").write_text(PROFIT, "utf-8")
    monkeypatch.setattr(shipped, "written_macros", lambda names=(): f"-- {' '.join(names)}\n")
    assert shipped.macros_sql() == shipped.macros_file().read_text("utf-8")
    assert run("macros", "--definitions", "revenue.sql").out == "-- revenue\n"
    monkeypatch.setenv(own.VARIABLE, "everywhere")
    own.known_everywhere.cache_clear()
    assert run("macros", "--definitions", "revenue.sql", "-o", "all.sql").code == 0
    assert Path("all.sql").read_text("utf-8") == "-- profit revenue\n"
    refused = run("macros", "--definitions", "revenu.sql")
    assert (refused.code, "did you mean 'revenue.sql'?" in refused.err) == (2, True)


@pytest.mark.slow
def test_the_command_writes_all_macros(tmp_path: Path) -> None:
    """Everything that knows our metrics by name knows those of the user."""
    write("revenue", REVENUE)
    write("profit", PROFIT)
    write("order", AWKWARD)
    path = tmp_path / "own.duckdb"
    duckmetrics.macros_database(path, definitions=".")
    run, truth = made(3)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS dm (READ_ONLY)")
        connection.register("run", pa.table(run))
        truth |= {"limit": truth["price"], "level": truth["price"]}
        connection.register("truth", pa.table(truth))
        for call in (
            "\"order\"('run', 'truth', system := 'system')",
            "revenue('run', 'truth', k := 2, system := 'system')",
            "evaluate('run', 'truth', ['ndcg@3', 'revenue@2'], system := 'system')",
            "compare('run', 'truth', 'revenue@2', system := 'system', baseline := 'A')",
            "duckmetrics_help('revenue')",
        ):
            assert connection.execute(f"FROM dm.{call}").fetchall()
        clicks = "SELECT relevance > 0 AS label, price / 20 AS score, price AS margin FROM truth"
        connection.execute(f"CREATE OR REPLACE TABLE clicks AS {clicks}")
        assert connection.execute("FROM dm.profit('clicks', label, score)").fetchall()
        assert connection.execute(
            "FROM dm.inspect_classification('clicks', 'label', 'score', metrics := 'profit')"
        )
    assert "MACRO revenue(" not in shipped.macros_sql()


@pytest.mark.parametrize(("name", "message"), [
    ("evaluate", "two macros 'evaluate'; say 'macro: other for evaluate' in one of them"),
    ("query", "the macros call a function 'query'; say 'macro: other for query' in it"),
])  # fmt: skip
def test_names_that_break_macros_are_refused(name: str, message: str) -> None:
    """A macro of the user would be called in the place of the other one."""
    query = "SELECT system, query_id, max(m) AS value FROM relevant GROUP BY system, query_id"
    path = write(name, HEADER.format(name=name, more="") + query)
    (metric,) = (one for one in catalog_with(add(path)).files.values() if one.is_own)
    body = exp.select("*").from_("query('SELECT 1')")
    ours, own = (
        Macro(of, (Overload((), body),), "title", m) for of, m in (("evaluate", None), (name, metric))
    )
    with (
        patch.object(script, "_every", lambda known: [ours, own]),
        pytest.raises(DefinitionError, match=re.escape(message)),
    ):
        script.script(Catalog([]))
