"""The macro `explain` has the rows of Python's `explain`: items of a query, and groups of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.compose.contributions import explainable
from duckmetrics.shell.explanation_macro import GROUPINGS, in_one_order
from support.cases import CATALOG, ROOT
from support.duckdb_shell import connected, differences, refusal, rows, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

pytestmark = pytest.mark.engine

# System B lacks queries 2 and 5 and has many ties; C lacks query 3, and is alone with 9 and 10. Query 7 has
# no relevant item; 8 and 10 are not judged.
TABLES = """
    CREATE TABLE runs AS
    SELECT
        system, query_id, 'i' || item_id AS item_id,
        (item_id * 7 + query_id + ascii(system)) % (CASE system WHEN 'A' THEN 11 ELSE 4 END) AS score
    FROM (VALUES ('A'), ('B'), ('C')) AS systems(system), range(1, 11) AS q(query_id), range(12) AS i(item_id)
    WHERE NOT (system = 'B' AND query_id IN (2, 5)) AND NOT (system = 'C' AND query_id = 3)
        AND (system = 'C' OR query_id < 9) AND (query_id + item_id + ascii(system)) % 6 > 0;
    CREATE VIEW run AS SELECT * EXCLUDE (system) FROM runs WHERE system = 'B';
    CREATE TABLE qrels AS
    SELECT
        query_id, 'i' || item_id AS item_id,
        CASE WHEN query_id = 7 THEN 0 ELSE (item_id + query_id) % 4 END AS relevance
    FROM range(1, 10) AS q(query_id), range(2, 14) AS i(item_id)
    WHERE (query_id * item_id) % 3 <> 1 AND query_id <> 8
"""
METRICS = explainable(CATALOG)
WITH_CUTOFF = [name for name in METRICS if "k" in CATALOG.params(CATALOG.names["ranking", name].metric)]
ASKED = [*METRICS, *(f"{name}@3" for name in WITH_CUTOFF), "mrr", "gmap"]
TWO = {"baseline": "A", "compared": "B"}


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES)
        yield connection


def explained(
    session: duckdb.DuckDBPyConnection, metric: str, predictions: str = "runs", **arguments: Any
) -> list[dict[str, Any]]:
    given = "".join(f', "{name}" := {written(value)}' for name, value in arguments.items())
    return rows(session, f"FROM explain({predictions}, qrels, {written(metric)}{given})")


def assert_agrees(
    session: duckdb.DuckDBPyConnection, metric: str, predictions: str = "runs", *, asked: list[Any],
    baseline: str | None = None, compared: str | None = None, **switches: Any,
) -> list[list[dict[str, Any]]]:  # fmt: skip
    """Check explanations of queries, and groupings, against those of Python.

    Args:
        asked: numbers of queries, and names of groupings.
    """
    column = {"system": "system"} if predictions == "runs" else {}
    result = duckmetrics.evaluate(predictions, "qrels", metric, connection=session, **column, **switches)
    systems = {"baseline": baseline, "compared": compared}
    found = []
    for one in asked:
        own = {"by": one} if isinstance(one, str) else {"query": one}
        found.append(explained(session, metric, predictions, **own, **column, **systems, **switches))
        wanted = result.explain(**own, system=compared, baseline=baseline).summary
        assert [*found[-1][0]] == wanted.column_names
        both = found[-1], wanted.to_pylist()
        if one in ("grade", "item_id"):  # groups of the same size have no order up to the last digits
            both = tuple(sorted(rows, key=lambda row: (row["kind"], str(row[one]))) for rows in both)
        assert differences(*both) == [], one
    return found


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", ASKED)
def test_explanations_are_those_of_python(session: duckdb.DuckDBPyConnection, metric: str) -> None:
    groups = [] if metric == "gmap" else [*GROUPINGS]
    found = assert_agrees(session, metric, asked=[1, 2, *groups], **TWO)
    both, one = found[:2]
    assert any(row["contribution"] for row in both)
    assert any(row["baseline_contribution"] for row in both)
    assert any(row["baseline_contribution"] for row in one)
    assert {row["rank"] for row in one} == {None}


@pytest.mark.slow
@pytest.mark.parametrize("metric", ASKED)
def test_contributions_add_up_to_the_value_of_the_query(
    session: duckdb.DuckDBPyConnection, metric: str
) -> None:
    values = rows(session, f"FROM evaluate_by_query(run, qrels, '{metric}')")
    assert len(values) > 5
    for row in values:
        found = explained(session, metric, "run", query=row["query_id"])
        added = [one["contribution"] for one in found if one["contribution"] is not None]
        if added:
            assert sum(added) == pytest.approx(row["value"], abs=1e-14)
        else:
            assert row["missing"] or row["no_relevant"] or row["value"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "switches",
    [
        {"ties": "expected"}, {"gain": "exp2"}, {"unjudged": "skip"},
        {"missing": "skip", "no_relevant": "one"}, {"rel": 2, "gain": "binary", "ideal": "returned"},
    ],
)  # fmt: skip
def test_switches(session: duckdb.DuckDBPyConnection, switches: dict[str, Any]) -> None:
    assert_agrees(session, "ndcg@4", asked=[1, 3, "rank", "grade"], **TWO, **switches)


@pytest.mark.slow
def test_other_systems_say_which_queries_count(session: duckdb.DuckDBPyConnection) -> None:
    (ranks, _, _) = assert_agrees(session, "judged", asked=["rank", 1, "grade"], **TWO, population="both")
    assert {row["kind"] for row in ranks} == {"group"}
    said = refusal(
        session,
        "FROM explain(runs, qrels, 'map', query := 3, system := 'system', baseline := 'A', compared := 'B', "
        "population := 'both')",
    )
    assert "query '3' has predictions, but is not among the queries that count" in said
    assert_agrees(session, "map", asked=["grade"], compared="B", population="both")


@pytest.mark.slow
def test_the_queries_of_the_predictions_can_be_explained(session: duckdb.DuckDBPyConnection) -> None:
    assert_agrees(session, "judged", asked=[8, "grade", "rank"], **TWO, population="predictions")
    session.execute("CREATE TABLE listed AS SELECT query_id FROM range(3, 6) AS q(query_id)")
    found = explained(session, "map", query=3, system="system", **TWO, population="listed")
    assert found == explained(session, "map", query=3, system="system", **TWO)
    said = refusal(session, "FROM explain(run, qrels, 'map', query := 1, population := listed)")
    assert "query '1' has predictions, but is not among the queries that count" in said


@pytest.mark.slow
def test_one_system(session: duckdb.DuckDBPyConnection) -> None:
    (items,) = assert_agrees(session, "ndcg@3", "run", asked=[3])
    assert {row["tied"] for row in items} == {True, False}
    assert explained(session, "ndcg@3", query=3, system="system", compared="B") == items


@pytest.mark.slow
def test_the_other_one_of_two_systems_is_explained(session: duckdb.DuckDBPyConnection) -> None:
    two = "(SELECT * FROM runs WHERE system <> 'C')"
    asked = f"'{two.replace(chr(39), chr(39) * 2)}', qrels, 'map', query := 1, system := 'system'"
    wanted = explained(session, "map", query=1, system="system", **TWO)
    assert rows(session, f"FROM explain({asked}, baseline := 'A')") == wanted


@pytest.mark.slow
def test_few_groups_and_the_others(session: duckdb.DuckDBPyConnection) -> None:
    found = explained(session, "map", by="item_id", n=3, system="system", **TWO)
    result = duckmetrics.evaluate("runs", "qrels", "map", connection=session, system="system")
    wanted = result.explain(by="item_id", n=3, system="B", baseline="A").summary.to_pylist()
    assert differences(found, wanted) == []
    assert [row["kind"] for row in found] == ["group"] * 3 + ["others", "policy"]
    sizes = [abs(row["difference"]) for row in found[:3]]
    assert sizes == sorted({*sizes}, reverse=True)


@pytest.mark.slow
def test_the_data_of_the_shop(session: duckdb.DuckDBPyConnection) -> None:
    folder = ROOT / "data/shop"
    tables = [str(folder / f"{name}.parquet") for name in ("recommendations", "purchases")]
    session.execute("SET threads = 1")
    result = duckmetrics.evaluate(
        *tables, "ndcg@5", connection=session, system="model", columns={"query_id": "user_id"}
    )
    head = f"FROM explain({', '.join(map(written, tables))}, 'ndcg@5'"
    named = "query_id := user_id, system := 'model', baseline := 'baseline'"
    for own, asked in (("query := 10191", {"query": 10191}), ("by := 'rank'", {"by": "rank"})):
        found = rows(session, f"{head}, {own}, {named})")
        assert differences(found, result.explain(**asked, baseline="baseline").summary.to_pylist()) == []
    session.execute("RESET threads")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("'ndgc@5', query := 1", "'ndgc@5' is not a metric here; did you mean 'ndcg'?"),
        ("'f1@5', query := 1", "f1@5: is not a sum over items; these metrics can be explained: average_prec"),
        ("'idcg', query := 1", "idcg: it is a sum over the ideal order, not over returned items; these"),
        ("'ndcg, map', query := 1", "explain takes one metric, not 2; call it once for each"),
        ("'gmap', by := 'rank'", "gmap: is the gmean of the queries, and only a mean is a sum over items"),
        ("'map', query := 99", "query '99': no such query; a query of the truth is 1"),
        ("'map'", "explain takes either query := or by :=; give one, such as by := 'grade'"),
        ("'map', query := 1, by := 'rank'", "explain takes either query := or by :="),
        ("'map', by := 'color'", "by cannot be 'color'; choose rank or grade or item_id"),
        ("'map', by := 'rank', n := 0", "n cannot be '0' for what is asked; it must be a whole number"),
        ("'map', by := 'rank', n := 'x'", "n cannot be 'x' for what is asked; it must be a whole number"),
        ("'map', query := 1, gain := 'exp2'", "gain: no metric asked for takes it"),
        ("'map', query := 1, baseline := 'A'", "system is missing; name the column with system := ..."),
        ("'map', query := 1, relevance := 'x'", "truth: no column 'x'; name it with relevance := ..."),
    ],
)
def test_mistakes(session: duckdb.DuckDBPyConnection, call: str, said: str) -> None:
    assert said in refusal(session, f"FROM explain(run, qrels, {call})")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "first_run=system=A"),
        ("system := 'sistem'", "predictions: no column 'sistem'; name it with system := ..."),
        ("system := 'system'", "several systems; name one of A, B, C with compared := ..."),
        ("system := 'system', baseline := 'A'", "several systems; name one of B, C with compared := ..."),
        ("system := 'system', baseline := 'X'", "baseline 'X' is no system; there are A, B, C"),
        ("system := 'system', compared := 'X'", "compared 'X' is no system; there are A, B, C"),
        ("system := 'system', compared := 'A', baseline := 'A'", "A is the system and the baseline"),
    ],
)
def test_mistakes_about_systems(session: duckdb.DuckDBPyConnection, options: str, said: str) -> None:
    given = f", {options}" if options else ""
    assert said in refusal(session, f"FROM explain(runs, qrels, 'map', query := 1{given})")


def test_lists_are_put_in_one_that_keeps_the_order_of_each() -> None:
    lists = [["a", "b", "d"], ["a", "c", "d"], ["b", "a", "d"], ["e"]]
    found = in_one_order(lists)
    assert [[text for text, has in found if has[place]] for place in range(4)] == lists
    assert len(found) == 6  # one of a and b is there twice, because their order differs
