"""The macro `compare` gives the rows of `duckmetrics.compare`: values, intervals, tests and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from shell.test_systems import TABLES, rows

import duckmetrics
from support.cases import ROOT
from support.duckdb_shell import connected, refusal, same, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

SHOP = """
    CREATE TABLE recommendations AS
    SELECT * RENAME (user_id AS query_id) FROM '{0}/data/shop/recommendations.parquet';
    CREATE TABLE purchases AS
    SELECT * RENAME (user_id AS query_id) FROM '{0}/data/shop/purchases.parquet'
"""
# Column of Python -> argument of the macro, where the names differ.
NAMED = {"interval": "level"}
METRICS = ["ndcg@3", "map", "mrr@10", "judged@5", "n_returned"]


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES)
        connection.execute(SHOP.format(ROOT))
        connection.execute(
            "CREATE TABLE three AS FROM run UNION ALL "
            "SELECT 'C', query_id, item_id, 9 - score FROM run WHERE system = 'A'"
        )
        connection.execute("DELETE FROM three WHERE system = 'C' AND (query_id < 8 AND item_id % 2 = 0)")
        connection.execute("CREATE TABLE alike AS FROM run WHERE system = 'A' UNION ALL BY NAME "
                           "SELECT * REPLACE ('D' AS system) FROM run WHERE system = 'A'")  # fmt: skip
        connection.execute("CREATE TABLE one_query AS FROM qrels WHERE query_id = 1")
        yield connection


def assert_agrees(
    session: duckdb.DuckDBPyConnection,
    metrics: list[str],
    predictions: str,
    truth: str = "qrels",
    **options: Any,
) -> list[dict[str, Any]]:
    """Check that every column of the macro has the value of Python, in the order of Python."""
    given = "".join(f', "{NAMED.get(n, n)}" := {written(value)}' for n, value in options.items())
    found = rows(session, f"FROM compare({predictions}, {truth}, {written(metrics)}{given})")
    by = options.pop("by", None)
    comparison = duckmetrics.compare(
        predictions, truth, metrics, connection=session, by=by and [by.split(", ")], **options
    )
    names = [name for name in comparison.summary.column_names if name in found[0]]
    assert names == list(found[0])
    assert len(found) == comparison.summary.num_rows
    for row, wanted in zip(found, comparison.summary.to_pylist(), strict=True):
        wrong = {n: (row[n], wanted[n]) for n in names if not _close(row[n], wanted[n])}
        assert not wrong, (row["system"], row["metric"], row["slice"], wrong)
    return found


def _close(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and found is not None:
        return bool(found == pytest.approx(wanted, rel=1e-9, abs=1e-13))
    return same(found, wanted)


@pytest.mark.slow
def test_the_shop(session: duckdb.DuckDBPyConnection) -> None:
    found = assert_agrees(
        session, ["ndcg@10", "map@10"], "recommendations", "purchases", system="model", baseline="baseline"
    )
    assert [row["verdict"] for row in found] == ["baseline", "better"] * 2


@pytest.mark.slow
def test_three_systems(session: duckdb.DuckDBPyConnection) -> None:
    found = assert_agrees(session, METRICS, "three", system="system", baseline="BB")
    assert {row["n_tests"] for row in found} == {2 * len(METRICS)}
    assert {"baseline", "unclear"} <= {row["verdict"] for row in found}


@pytest.mark.slow
def test_slices(session: duckdb.DuckDBPyConnection) -> None:
    options = {"system": "system", "baseline": "A", "by": "country", "queries": "users"}
    found = assert_agrees(session, ["ndcg@3", "map"], "three", **options)
    assert {row["country"] for row in found} == {"DE", "US", None}


@pytest.mark.slow
def test_slices_of_the_shop(session: duckdb.DuckDBPyConnection) -> None:
    options = {"system": "model", "baseline": "baseline", "by": "country"}
    found = assert_agrees(session, ["ndcg@10"], "recommendations", "purchases", **options)
    assert {"better", "worse", "unclear"} <= {row["verdict"] for row in found}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"adjust": "benjamini_yekutieli", "interval": 0.9}, {"adjust": "none", "alpha": 0.2, "power": 0.5},
        {"adjust": "bonferroni"}, {"population": "both"}, {"ties": "pessimistic", "missing": "zero"},
        {"missing": "skip", "allow_different": True},
        {"test": "always_valid", "planned": 30, "interval": 0.8, "by": "country", "queries": "users"},
        {"test": "always-valid", "missing": "skip", "allow_different": True},
    ],
)  # fmt: skip
def test_options(session: duckdb.DuckDBPyConnection, options: dict[str, Any]) -> None:
    metrics = ["mean_rank" if "allow_different" in options else "ndcg@3", "recall@5"]
    assert_agrees(session, metrics, "three", system="system", baseline="A", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "options"),
    [
        (["ndcg(gain=exp2)@3", "ndcg@3", "rbp(p=0.9)", "map"], {}),
        (["ndcg(gain=exp2, ties=pessimistic)@3", "map"], {"by": "country", "queries": "users"}),
        (["rbp(p=0.9)", "map@5"], {"ties": "pessimistic", "adjust": "none", "interval": 0.9, "alpha": 0.2}),
        (["ndcg@3", "map", "recall@5", "mrr"], {"like": "trec_eval9", "allow_different": True}),
        (["f1@2", "ndcg(gain=exp2)@3", "recall@5"], {"like": "cornac", "ties": "pessimistic"}),
    ],
)  # fmt: skip
def test_parameters_of_one_metric_and_conventions_of_a_tool(
    session: duckdb.DuckDBPyConnection, metrics: list[str], options: dict[str, Any]
) -> None:
    """The p-values of all metrics are adjusted together."""
    found = assert_agrees(session, metrics, "three", system="system", baseline="A", **options)
    assert list(dict.fromkeys(row["metric"] for row in found)) == metrics
    assert {row["n_tests"] for row in found if row["slice"] == ""} == {2 * len(metrics)}


@pytest.mark.slow
def test_systems_that_are_alike(session: duckdb.DuckDBPyConnection) -> None:
    found = assert_agrees(session, ["ndcg@3"], "alike", system="system", baseline="A")
    assert [(row["p"], row["verdict"]) for row in found] == [(None, "baseline"), (1.0, "unclear")]


@pytest.mark.slow
def test_one_query(session: duckdb.DuckDBPyConnection) -> None:
    one = assert_agrees(session, ["ndcg@3"], "three", "one_query", system="system", baseline="A")
    assert {row["reason"] for row in one[1:]} == {"only one query has a value in both"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "options", "said"),
    [
        ("rbp(p=0.9)", "", "baseline is missing; choose A, BB"),
        ("rbp(p=0.9)", "baseline := 'B'", "baseline 'B' is no system; there are A, BB"),
        ("rbp(p=0.9)", "baseline := 'A', alpha := 2", "alpha cannot be '2' for what is asked"),
        ("rbp(q=0.9)", "baseline := 'A'", "rbp(q=0.9): no parameter 'q'"),
        ("rbp(p=1.9)", "baseline := 'A'", "p cannot be '1.9'"),
        ("rbp(p=0.9), rbp(p=0.9)", "baseline := 'A'", "asked for twice"),
        ("rbp(p=0.9), rpb", "baseline := 'A'", "'rpb' is not a metric here"),
        ("ndcg(agg=median)", "baseline := 'A'", "agg is for evaluate"),
        ("ndcg(gian=exp2)", "baseline := 'A'", "no parameter 'gian'; did you mean 'gain'?"),
        ("map", "baseline := 'A', like := 'trek'", "like cannot be 'trek' for average_precision"),
        ("rbp", "baseline := 'A', like := 'trec_eval'", "rbp is not imitated: it divides by"),
        ("mrr@3", "baseline := 'A', like := 'trec_eval9'", "has no cut-off; leave k out"),
        ("ndcg@3", "baseline := 'A', like := 'elliot', rel := 2", "rel is not imitated of nDCG"),
        ("map", "baseline := 'A', like := 'torchmetrics'", "which is checked in Python"),
        ("map", "baseline := 'A', like := 'xgboost', ties := 'pessimistic'", "it needs truth (relevance <="),
    ],
)  # fmt: skip
def test_mistakes_in_calls_of_several_macros(
    session: duckdb.DuckDBPyConnection, metrics: str, options: str, said: str
) -> None:
    assert said in refusal(
        session, f"FROM compare(run, qrels, '{metrics}', system := 'system'{options and ', '}{options})"
    )


@pytest.mark.slow
def test_every_look_with_several_macros(session: duckdb.DuckDBPyConnection) -> None:
    metrics = ["ndcg(gain=exp2)@3", "map"]
    options = {"system": "system", "baseline": "A", "test": "always_valid", "planned": 500}
    found = assert_agrees(session, metrics, "three", **options)
    assert {row["test"] for row in found} == {"always_valid"}
    assert {row["mde"] for row in found} == {None}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("system := 'system'", "baseline is missing; choose A, BB"),
        ("baseline := 'A'", "name the column with system := ..."),
        ("system := 'system', baseline := 'B'", "baseline 'B' is no system; there are A, BB"),
        ("system := 'system', baseline := 'A', adjust := 'holms'", "adjust cannot be 'holms'; choose"),
        ("system := 'system', baseline := 'A', by := 'Delta'", "results have a column 'Delta' of their own"),
        ("system := 'system', baseline := 'A', level := 95", "level cannot be '95' for what is asked"),
        ("system := 'system', baseline := 'A', missing := 'skip'", "of different queries: 2 queries"),
        ("system := 'system', baseline := 'A', test := 'wilcoxon'", "'wilcoxon'; choose paired_t or always_"),
        ("system := 'system', baseline := 'A', test := 'unpaired-t'", "rows of evaluate_by_query and call"),
        ("system := 'system', baseline := 'A', planned := 30", "paired_t looks once and has no plan"),
        ("system := 'system', baseline := 'A', test := 'always_valid', planned := 0", "planned cannot be"),
    ],
)  # fmt: skip
def test_mistakes(session: duckdb.DuckDBPyConnection, options: str, said: str) -> None:
    assert said in refusal(session, f"FROM compare(run, qrels, 'map', {options})")


def test_one_system_is_no_comparison(session: duckdb.DuckDBPyConnection) -> None:
    """A gate over the results would pass, because it finds no row of the candidate."""
    alone = "(SELECT * FROM run WHERE system = ''A'')"
    query = f"FROM compare('{alone}', qrels, 'map', system := 'system', baseline := 'A')"
    assert "A is the only system; give a second one" in refusal(session, query)
