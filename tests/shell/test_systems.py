"""Systems and slices in the macros of rankings: the rows of Python's summary, conventions included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from support.duckdb_shell import connected, differences, refusal, rows, same, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

pytestmark = pytest.mark.engine

# System BB lacks queries and has ties; query 7 has no relevant item; the country of query 4 is unknown.
TABLES = """
    CREATE TABLE run AS
    SELECT system, query_id, item_id, (item_id * 7 + query_id + length(system) * 3) % 5 AS score
    FROM (VALUES ('A'), ('BB')) AS systems(system), range(1, 9) AS q(query_id), range(10) AS i(item_id)
    WHERE NOT (system = 'BB' AND query_id IN (2, 5)) AND NOT (query_id + item_id) % 6 = 0;
    CREATE TABLE qrels AS
    SELECT query_id, item_id, CASE WHEN query_id = 7 THEN 0 ELSE (item_id + query_id) % 4 END AS relevance
    FROM range(1, 9) AS q(query_id), range(2, 12) AS i(item_id) WHERE (query_id * item_id) % 3 <> 1;
    CREATE TABLE users AS
    SELECT
        query_id, query_id > 5 AS "is new",
        CASE WHEN query_id <> 4 THEN ['DE', 'US'][1 + query_id % 2] END AS country
    FROM range(1, 9) AS q(query_id);
    CREATE TABLE with_country AS SELECT run.*, country FROM run JOIN users USING (query_id)
"""
LISTS = ("evaluate", "evaluate_by_query")
METRICS = ["ndcg@3", "map", "mrr@10", "judged@5", "bpref", "recall@20"]


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES)
        yield connection


def assert_agrees(
    session: duckdb.DuckDBPyConnection, metrics: Sequence[str], predictions: str = "run", **options: Any
) -> list[dict[str, Any]]:
    """Check that every row of `evaluate` equals that of Python, except for columns of classifiers."""
    given = "".join(f', "{name}" := {written(value)}' for name, value in options.items())
    found = rows(session, f"FROM evaluate({predictions}, qrels, {written(list(metrics))}{given})")
    by = options.pop("by", None)
    by = [name.strip() for name in by.split(",")] if isinstance(by, str) else by
    evaluation = duckmetrics.evaluate(
        predictions, "qrels", metrics, connection=session, by=by and [by], **options
    )
    wanted = [
        {k: v for k, v in row.items() if k not in ("lower", "upper", "n_positive")}
        for row in evaluation.summary.to_pylist()
    ]  # fmt: skip
    assert [list(row) for row in found] == [list(row) for row in wanted]
    assert differences(found, wanted) == []
    return found


def test_several_systems(session: duckdb.DuckDBPyConnection) -> None:
    found = assert_agrees(session, METRICS, system="system")
    assert [row["system"] for row in found[:2]] == ["A", "BB"]
    assert {row["n_missing"] for row in found if row["system"] == "BB"} == {2}


@pytest.mark.some(1)
@pytest.mark.parametrize("by", ["country", "country, is new", ["is new"]])
def test_slices(session: duckdb.DuckDBPyConnection, by: Any) -> None:
    found = assert_agrees(session, METRICS[:3], system="system", by=by, queries="users")
    assert len({(row["slice"], row.get("country"), row.get("is new")) for row in found}) > 2


def test_slices_of_an_attribute_of_the_predictions(session: duckdb.DuckDBPyConnection) -> None:
    assert_agrees(session, ["ndcg@3", "map"], "with_country", system="system", by="country")


@pytest.mark.some(0)
@pytest.mark.parametrize(
    "switches",
    [
        {"missing": "skip"}, {"ties": "item_desc_text", "gain": "exp2"}, {"unjudged": "skip"},
        {"population": "both", "agg": "median"}, {"agg": "p90"}, {"no_relevant": "zero", "rel": 2},
        {"population": "predictions"},
    ],
)  # fmt: skip
def test_switches_of_systems_and_slices(session: duckdb.DuckDBPyConnection, switches: dict[str, Any]) -> None:
    assert_agrees(session, ["ndcg@3", "map"], system="system", by="country", queries="users", **switches)


def test_the_macro_of_a_metric_takes_them_too(session: duckdb.DuckDBPyConnection) -> None:
    options = "system := 'system', by := 'country', queries := 'users'"
    found = rows(session, f"FROM ndcg(run, qrels, k := [3, 5], {options})")
    assert found == rows(session, f"FROM evaluate(run, qrels, 'ndcg@3, ndcg@5', {options})")


def test_values_of_queries(session: duckdb.DuckDBPyConnection) -> None:
    found = rows(
        session,
        "FROM evaluate_by_query(run, qrels, 'ndcg@3, map', system := 'system', by := 'country', "
        "queries := users) ORDER BY metric DESC, system, query_id",
    )
    evaluation = duckmetrics.evaluate(
        "run", "qrels", ["ndcg@3", "map"], connection=session, system="system", by="country", queries="users"
    )
    wanted = sorted(
        evaluation.per_query.to_pylist(), key=lambda r: (r["metric"] == "map", r["system"], r["query_id"])
    )
    assert [list(row)[:5] for row in found] == [list(row) for row in wanted]
    assert (
        differences([list(row.values())[:5] for row in found], [list(row.values()) for row in wanted]) == []
    )


def test_systems_in_one_table_are_refused_where_none_is_named(session: duckdb.DuckDBPyConnection) -> None:
    for called in (
        "ndcg(run, qrels, k := 3)",
        "evaluate(run, qrels, 'map')",
        "evaluate_by_query(run, qrels, 'map')",
    ):
        said = refusal(session, f"FROM {called}")
        assert "first_run=system=A" in said
        assert "name the column with system := ..." in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("system := 'sistem'", "no column 'sistem'; name it with system := ..."),
        ("system := 'system', by := 'land', queries := users", "no table has all of land"),
        ("system := 'system', by := 'score'", "score varies within a query"),
        ("system := 'system', by := 'value', queries := users", "results have a column 'value'"),
    ],
)
def test_mistakes(session: duckdb.DuckDBPyConnection, options: str, said: str) -> None:
    assert said in refusal(session, f"FROM evaluate(run, qrels, 'map', {options})")


def test_ids_of_queries_of_another_kind_are_refused(session: duckdb.DuckDBPyConnection) -> None:
    texts = "'SELECT ''q'' || query_id AS query_id, country FROM users'"
    for argument in (f"by := 'country', queries := {texts}", f"population := {texts}"):
        said = refusal(session, f"FROM evaluate(run, qrels, 'map', system := 'system', {argument})")
        assert "has query_id of type VARCHAR, truth has query_id of type BIGINT" in said
        assert "CAST(query_id AS VARCHAR)" in said


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["_row", "_place", "_each", "_segment", "_slice_number", "_metric"])
def test_a_slice_may_have_the_name_of_an_inner_column(session: duckdb.DuckDBPyConnection, name: str) -> None:
    session.execute(f"CREATE OR REPLACE TABLE named AS SELECT query_id, country AS {name} FROM users")
    asked = "evaluate(run, qrels, 'ndcg{}@3, map', system := 'system', by := '{}', queries := {})"
    usual = rows(session, f"FROM {asked.format('', 'country', 'users')}")
    found = rows(session, f"FROM {asked.format('', name, 'named')}")
    values = [(row["system"], row["metric"], row["value"], row["country"]) for row in usual]
    assert same([(row["system"], row["metric"], row["value"], row[name]) for row in found], values)
    followed = rows(session, f"FROM {asked.format('()', name, 'named')}")
    assert [(row["system"], row[name]) for row in followed] == [(row["system"], row[name]) for row in found]


SPECS = [
    (["ndcg(gain=exp2, discount=reciprocal)@3", "rbp(p=0.9)", "ndcg@3"], {}),
    (["ndcg(gain=exp2)@3", "map"], {"ties": "item_desc", "agg": "median"}),
    (["ndcg(agg=p90)@3", "mrr(rel=2)", "f_beta(beta=2)@3"], {"missing": "skip"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("specs", "switches"), SPECS)
def test_parameters_of_metrics_of_a_list(
    session: duckdb.DuckDBPyConnection, specs: list[str], switches: dict[str, Any]
) -> None:
    assert_agrees(session, specs, system="system", by="country", queries="users", **switches)
    assert_agrees(session, specs, system="system", **switches)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("'ndcg(gian=exp2)@3, map'", "ndcg(gian=exp2)@3: no parameter 'gian'; did you mean 'gain'?"),
        ("'ngcd(gain=exp2)@3'", "did you mean 'ndcg'?"),
        ("'ndcg(gain=exp3)@3'", "gain cannot be 'exp3' for what is asked; choose linear or exp2 or binary"),
        ("'mrr(rel=2)', gain := 'exp2'", "gain := exp2 changes nothing of what is asked"),
    ],
)
def test_wrong_parameters_of_metrics_of_a_list(
    session: duckdb.DuckDBPyConnection, asked: str, said: str
) -> None:
    assert said in refusal(session, f"FROM evaluate(run, qrels, {asked}, system := 'system')")


# No query of the truth is answered by both systems: the population `both` is empty.
APART = "SELECT * FROM run WHERE (system = 'A') = (query_id <= 4)"


@pytest.mark.some(2)
@pytest.mark.parametrize("by", [None, "country"])
@pytest.mark.parametrize("agg", ["mean", "median"])
def test_an_empty_population_has_a_row_for_each_system(
    session: duckdb.DuckDBPyConnection, agg: str, by: str | None
) -> None:
    session.execute(f"CREATE OR REPLACE TEMP TABLE apart AS {APART}")
    options: dict[str, Any] = {"agg": agg, **({"by": by, "queries": "users"} if by else {})}
    found = assert_agrees(session, ["mrr", "ndcg@3"], "apart", system="system", population="both", **options)
    assert [(row["system"], row["value"], row["n"], row["reason"]) for row in found] == [
        (system, None, 0, "no query in the population") for _ in range(2) for system in ("A", "BB")
    ]


@pytest.mark.parametrize("metric", ["mrr", "catalog_coverage"])
def test_the_macro_of_a_metric_has_a_row_for_each_system_of_an_empty_population(
    session: duckdb.DuckDBPyConnection, metric: str
) -> None:
    session.execute(f"CREATE OR REPLACE TEMP TABLE apart AS {APART}")
    session.execute("CREATE OR REPLACE TEMP TABLE items AS SELECT DISTINCT item_id FROM run")
    items: dict[str, Any] = {"items": "items"} if metric == "catalog_coverage" else {}
    given = "".join(f", {name} := {written(value)}" for name, value in items.items())
    found = rows(session, f"FROM {metric}(apart, qrels, system := system, population := 'both'{given})")
    options: dict[str, Any] = {"connection": session, "system": "system", "population": "both", **items}
    wanted = duckmetrics.evaluate("apart", "qrels", metric, **options)
    assert [(row["system"], row["n"], row["reason"]) for row in wanted.rows] == [
        ("A", 0, "no query in the population"), ("BB", 0, "no query in the population"),
    ]  # fmt: skip
    columns = ("system", "slice", "value", "n", "n_missing", "n_no_relevant", "n_undefined", "reason")
    assert [[row[c] for c in columns] for row in found] == [[row[c] for c in columns] for row in wanted.rows]


# Queries of the truth that only A answers, and a system of which no query is in the truth.
STRANGE = "SELECT * REPLACE (CASE system WHEN 'A' THEN query_id ELSE query_id + 100 END AS query_id) FROM run"


@pytest.mark.some(5)
@pytest.mark.parametrize("population", ["truth", "predictions", "both"])
@pytest.mark.parametrize("call", [
    "evaluate(strange, qrels, 'mrr', system := system, population := '{}')",
    "evaluate_by_query(strange, qrels, 'mrr', system := system, population := '{}')",
    "compare(strange, qrels, 'mrr', system := system, baseline := 'A', population := '{}')",
    "ndcg(strange, qrels, k := 3, system := system, population := '{}')",
], ids=lambda call: call.partition("(")[0])  # fmt: skip
def test_a_system_that_shares_no_query_with_the_truth_is_refused(
    session: duckdb.DuckDBPyConnection, call: str, population: str
) -> None:
    session.execute(f"CREATE OR REPLACE TEMP TABLE strange AS {STRANGE}")
    refused = refusal(session, f"FROM {call.format(population)}")
    words = ("predictions, system BB: column 'query_id': ", "queries, none of them in both tables",
             "; check that both tables use the same ids")  # fmt: skip
    assert "".join(words) in refused
    with pytest.raises(duckmetrics.InputError) as error:
        duckmetrics.evaluate("strange", "qrels", "mrr", connection=session, system="system")
    assert all(word.removeprefix("predictions") in str(error.value) for word in words)


@pytest.mark.some(1)
@pytest.mark.parametrize("options", ["missing := 'skip', allow_different := true", "population := 'listed'"])
def test_a_system_without_queries_in_the_population_is_compared(
    session: duckdb.DuckDBPyConnection, options: str
) -> None:
    """A system that lacks queries shares others with the truth."""
    session.execute("CREATE OR REPLACE TEMP TABLE half AS FROM run WHERE system = 'A' OR query_id % 2 = 0")
    session.execute(
        "CREATE OR REPLACE TEMP TABLE listed AS SELECT DISTINCT query_id FROM run WHERE query_id % 2 = 1"
    )
    found = rows(session, f"FROM compare(half, qrels, 'mrr', system := system, baseline := 'A', {options})")
    assert [row["system"] for row in found] == ["A", "BB"]


def test_a_collation_under_which_different_ids_are_one_is_refused(session: duckdb.DuckDBPyConnection) -> None:
    session.execute("SET default_collation = 'nocase'")
    try:
        refused = refusal(session, "FROM evaluate(run, qrels, 'mrr', system := system)")
    finally:
        session.execute("RESET default_collation")
    assert (
        "default_collation is 'nocase', so different texts may be one id; run RESET default_collation"
        in refused
    )
