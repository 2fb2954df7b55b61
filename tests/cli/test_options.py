"""The options of the command line, the commands metrics and sql, and the effects of a wrong call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.catalog.definition import body
from support.cases import CATALOG, RANKING
from support.command_line import exports, results, run
from support.little import DCG, PREDICTIONS, RR, little

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

EVALUATE = ["evaluate", "p.parquet", "t.parquet", "-m", "rr"]
SYSTEMS = ["evaluate", "t.parquet", "-m", "rr", "--system", "A=p.parquet"]
NUMBERS = "SELECT 1 AS query_id, 'a' AS item_id, 1 AS score"


def value(run: Command, *arguments: str) -> Any:
    (found,) = results(run("evaluate", *arguments, "--format", "json"))
    return found["value"]


# --- options ---------------------------------------------------------------------------------------


def test_the_truth_is_an_argument_or_an_option(run: Command) -> None:
    assert value(run, "p.parquet", "t.parquet", "-m", "dcg") == pytest.approx(DCG)
    assert value(run, "p.parquet", "--truth", "t.parquet", "-m", "dcg") == pytest.approx(DCG)


@pytest.mark.parametrize("truth", [["t.parquet"], ["--truth", "t.parquet"]])
def test_systems_are_named_one_by_one(run: Command, truth: list[str]) -> None:
    systems = ["--system", "A=p.parquet", "--system", "B=reverse.parquet"]
    found = results(run("evaluate", *truth, *systems, "-m", "rr", "--format", "json"))
    assert [(r["system"], r["value"]) for r in found] == [("A", RR), ("B", 0.5)]


def test_a_system_may_be_sql_with_an_equals_sign(run: Command) -> None:
    system = "only q1=SELECT * FROM 'p.parquet' WHERE query_id = 'q1'"
    found = results(run("evaluate", "t.parquet", "--system", system, "-m", "rr", "--format", "json"))
    assert [(r["system"], r["value"]) for r in found] == [("only q1", 1 / 6)]


def test_columns_are_mapped(run: Command) -> None:
    columns = ["--column", "query_id=user", "--column", "item_id=sku", "--column", "score=estimate"]
    assert value(run, "renamed.parquet", "t.parquet", "-m", "dcg", *columns) == pytest.approx(DCG)


def test_several_columns_stand_in_one_option(run: Command) -> None:
    columns = ["--column", "query_id=user, item_id=sku", "--column", "score=estimate"]
    assert value(run, "renamed.parquet", "t.parquet", "-m", "dcg", *columns) == pytest.approx(DCG)


ODD = {
    "a comma": ("user,id", 'query_id="user,id",item_id=sku'),
    "an equals sign": ("user=id", 'query_id="user=id",item_id=sku'),
    "an equals sign without quotes": ("user=id", "item_id=sku,query_id=user=id"),
    "a quote": ('user"id', 'query_id="user""id",item_id=sku'),
    "quotes and a comma": ('"user","id"', 'query_id="""user"",""id""",item_id=sku'),
    "a call": ("min(user, id)", "query_id=min(user, id),item_id=sku"),
    "two columns": ("user,id", 'query_id="user,id"+day,item_id=sku'),
}


@pytest.mark.some(3)
@pytest.mark.parametrize(("name", "columns"), ODD.values(), ids=ODD)
def test_the_name_of_a_column_may_hold_anything(run: Command, name: str, columns: str) -> None:
    quoted = name.replace('"', '""')
    days = f'SELECT query_id AS "{quoted}", 1 AS day, item_id AS sku'
    predictions, truth = f"{days}, score FROM 'p.parquet'", f"{days}, relevance FROM 't.parquet'"
    assert value(run, predictions, truth, "-m", "dcg", "--column", columns) == pytest.approx(DCG)


def test_a_comma_without_quotes_is_named(run: Command) -> None:
    code, out, err = run(*EVALUATE, "--column", "query_id=user,id")
    assert (code, out) == (2, "")
    assert "--column 'id': write --column NAME=YOURS" in err
    assert """as in --column 'query_id="user,id"'""" in err


@pytest.mark.slow
def test_a_slice_in_quotes_is_one_column(run: Command) -> None:
    users = """SELECT query_id, country AS "a,b" FROM 'users.parquet'"""
    for by in (["--by", '"a,b"'], ["--by-each", '"a,b"']):
        found = results(run(*EVALUATE, *by, "--queries", users, "--format", "json"))
        assert [r["slice"] for r in found] == ["", *3 * ['"a,b"']]
        assert [r["a,b"] is None for r in found[:2]] == [True, False]


@pytest.mark.slow
def test_switches_are_set(run: Command) -> None:
    assert value(run, *EVALUATE[1:], "--set", "missing=skip") == 3 / 4
    assert value(run, *EVALUATE[1:], "--set", "rel=2", "--set", "agg=median") == pytest.approx(1 / 3)
    assert value(run, *EVALUATE[1:], "--set", "population=p.parquet") == 3 / 4


def test_slices_are_combinations_or_each_of_several(run: Command) -> None:
    queries = ["--queries", "users.parquet", "--format", "json"]
    found = results(run(*EVALUATE, "--by", "country", "--by", "plan", *queries))
    assert [(r["slice"], r["country"], r["plan"]) for r in found] == [
        ("", None, None),
        ("country,plan", "DE", "x"),
        ("country,plan", "FR", "y"),
        ("country,plan", None, None),
    ]
    assert results(run(*EVALUATE, "--by", "country,plan", *queries)) == found
    found = results(run(*EVALUATE, "--by-each", "country", "--by-each", "country,plan", *queries))
    assert [r["slice"] for r in found] == ["", *3 * ["country"], *3 * ["country,plan"]]


def test_threads_and_memory_are_limited_and_a_database_opened(run: Command) -> None:
    options = ["--threads", "1", "--memory-limit", "200MB", "--database", "shop.duckdb"]
    assert value(run, "p", "t", "-m", "dcg", *options) == pytest.approx(DCG)


def test_metrics_may_be_listed_with_commas_inside_their_parentheses(run: Command) -> None:
    spec = "ndcg(gain=exp2, ideal=returned)@10,map"
    found = results(run("evaluate", "p.parquet", "t.parquet", "-m", spec, "-m", "rr", "--format", "json"))
    assert [r["metric"] for r in found] == ["ndcg(gain=exp2, ideal=returned)@10", "map", "rr"]


# --- wrong calls -----------------------------------------------------------------------------------

WRONG = {
    "no command": ["nope"],
    "no arguments": ["evaluate"],
    "no predictions": ["evaluate", "-m", "rr"],
    "no label": ["evaluate", "p.parquet", "-m", "rr"],
    "a third table": ["evaluate", "p.parquet", "t.parquet", "x", "-m", "rr"],
    "an unknown option": [*EVALUATE, "--nope"],
    "an empty metric": ["evaluate", "p.parquet", "t.parquet", "-m", ""],
    "an unknown metric": ["evaluate", "p.parquet", "t.parquet", "-m", "ndgc"],
    "half a metric": ["evaluate", "p.parquet", "t.parquet", "-m", "ndcg("],
    "half a switch": [*EVALUATE, "--set", "ties"],
    "an unknown switch": [*EVALUATE, "--set", "tie=item_asc"],
    "a switch that nobody takes": [*EVALUATE, "--set", "gain=exp2"],
    "a switch twice": [*EVALUATE, "--set", "ties=input", "--set", "ties=item_asc"],
    "an argument as a switch": [*EVALUATE, "--set", "columns=x"],
    "another argument as a switch": [*EVALUATE, "--set", "threads=2"],
    "metrics as a switch": [*EVALUATE, "--set", "metrics=x"],
    "an unknown format": [*EVALUATE, "--format", "xml"],
    "no threads": [*EVALUATE, "--threads", "0"],
    "an odd memory limit": [*EVALUATE, "--memory-limit", "much"],
    "no database": [*EVALUATE, "--database", "none.duckdb"],
    "no folder": [*EVALUATE, "-o", "none/results.json"],
    "a folder as a file": [*EVALUATE, "-o", "."],
    "no folder for values": [*EVALUATE, "--per-query", "none/values.parquet"],
    "two columns of systems": [*EVALUATE, "--system", "a", "--system", "b"],
    "predictions twice": [*EVALUATE, "--system", "A=p.parquet"],
    "the truth twice": [*EVALUATE, "--truth", "t.parquet"],
    "a system twice": [*SYSTEMS, "--system", "A=p.parquet"],
    "a system of nothing": ["evaluate", "t.parquet", "-m", "rr", "--system", "A="],
    "a column and a mapping": [*SYSTEMS, "--system", "m"],
    "half a column": [*EVALUATE, "--column", "query_id"],
    "an unknown column": [*EVALUATE, "--column", "querid=x"],
    "no such slice": [*EVALUATE, "--by", "country"],
    "no such file": ["evaluate", "x.parquet", "t.parquet", "-m", "rr"],
    "two kinds of ids": ["evaluate", NUMBERS, "t.parquet", "-m", "rr"],
    "an unknown metric to explain": ["metrics", "ndgc"],
    "no spec": ["sql"],
    "an unknown dialect": ["sql", "rr", "--dialect", "latin"],
    "a bad spec": ["sql", "ndcg@0"],
    "a bad switch": ["sql", "rr", "--set", "ties=random"],
}  # fmt: skip


@pytest.mark.some(30)
@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_one_message_and_exit_code_2(run: Command, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert "internal error" not in err
    assert err.startswith(("duckmetrics: ", "Usage: "))


def test_a_query_that_fails_on_the_way_is_told(run: Command) -> None:
    tired = f"SELECT * REPLACE (error('tired')::DOUBLE AS score) FROM {PREDICTIONS}"
    code, out, err = run("evaluate", tired, "t.parquet", "-m", "rr")
    assert (code in (2, 3), out) == (True, "")
    assert "tired" in err


def test_a_bug_ends_in_a_message_too(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("duckmetrics.api.functions.evaluate", fail)
    code, out, err = run(*EVALUATE)
    assert (code, out) == (3, "")
    assert err == "duckmetrics: internal error: KeyError: 'oops'; please report it\n"


def test_engine_errors_are_exit_code_3(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise duckmetrics.EngineError("DuckDB", "out of memory")

    monkeypatch.setattr("duckmetrics.api.functions.evaluate", fail)
    assert run(*EVALUATE) == (3, "", "duckmetrics: DuckDB: out of memory\n")


# --- metrics, sql, version -------------------------------------------------------------------------


def test_the_version_is_printed(run: Command) -> None:
    assert run("--version") == (0, f"duckmetrics {duckmetrics.__version__}\n", "")


def test_every_metric_is_listed_on_a_line_of_its_own(run: Command) -> None:
    code, out, err = run("metrics")
    assert (code, err) == (0, "")
    listed = {line.split()[0] for line in out.splitlines() if line.strip()}
    assert {f"ranking.{metric.name}" for metric in RANKING} <= listed
    assert all(alias in out for _, alias in CATALOG.names)


@pytest.mark.parametrize("name", ["ndcg", "NDCG", "ranking.ndcg", "map"])
def test_a_metric_is_explained(run: Command, name: str) -> None:
    code, out, _ = run("metrics", name)
    metric = CATALOG.find(name.removeprefix("ranking.")).metric
    assert code == 0
    for part in (
        metric.title,
        metric.header["formula"],
        metric.header["source"],
        metric.header["range"],
        metric.header["meaning"],
        metric.header["use"],
        metric.header["beware"],
        body(metric.text),
    ):
        assert " ".join(part.split()) in " ".join(out.split())
    assert all(f"\n  {param}" in out for param in CATALOG.params(metric))


SPECS = ["reciprocal_rank", "ndcg(gain=exp2)@2", "average_precision(norm=min_k)@3", "bpref", "first_rank"]


@pytest.mark.some(1)
@pytest.mark.parametrize("steps", [False, True], ids=["one query", "steps"])
@pytest.mark.parametrize("switches", [[], ["--set", "missing=skip", "--set", "ties=pessimistic"]], ids=str)
def test_the_printed_sql_gives_the_same_values(run: Command, steps: bool, switches: list[str]) -> None:
    code, out, err = run("sql", *SPECS, "--per-query", *switches, *["--steps"] * steps)
    assert (code, err) == (0, "")
    options = dict(pair.split("=") for pair in switches if pair != "--set")
    with little() as connection:
        result = duckmetrics.evaluate("predictions", "truth", SPECS, connection=connection, **options)
        per_query = result.per_query.to_pylist()
        rows = connection.execute(out).fetchall()
        names = [column[0] for column in connection.description or []]
    printed = [dict(zip(names, row, strict=True)) for row in rows]
    assert {(row["query_id"], row["metric"]): row["value"] for row in per_query} == {
        (row["query_id"], spec): row[spec] for row in printed for spec in SPECS
    }


def test_the_printed_sql_says_which_column_is_whose(run: Command) -> None:
    out = run("sql", "rr@3", "ndcg(gain=exp2)", "--per-query").out
    assert '"rr@3"' in out
    assert '"ndcg(gain=exp2)"' in out


@pytest.mark.some(2)
@pytest.mark.parametrize("dialect", ["spark", "databricks", "postgres", "snowflake", "trino"])
def test_sql_is_written_for_other_engines(run: Command, dialect: str) -> None:
    code, out, err = run("sql", *SPECS, "--dialect", dialect)
    assert (code, err) == (0, "")
    assert out.rstrip().endswith(";")
    assert "QUALIFY" not in out or dialect in ("databricks", "snowflake")
