"""Plans, parts, threads and the order of the rows never change a value, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, cast

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.compose.exact_sums import bands_of, with_exact_sums
from duckmetrics.compose.optimizer import SORTED, TOP
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.errors import EngineError
from duckmetrics.evaluation import chunks, family_evaluation, ranking
from duckmetrics.evaluation.chunks import chunks_of
from duckmetrics.inputs.inputs import Inputs
from support.cases import RANKING
from support.command_line import exports, run
from support.little import evaluation

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

pytestmark = pytest.mark.engine


__all__ = ["exports", "run"]

# Two systems, ties within and across the cut-offs, short lists, unanswered and unjudged queries.
PREDICTIONS = """
SELECT
    'run' || s AS system, q AS query_id, (q * 7 + i * 11 + s) % 97 AS item_id,
    floor(((q * 31 + i * 17 + s * 5) % 101) / if(q % 4 = 0, 20, 1)) / 7 AS score
FROM range(2) AS systems(s), range(400) AS queries(q), range(60) AS items(i)
WHERE i < 3 + (q * 13 + s) % 58 AND (q + s) % 29 > 0
"""
TRUTH = """
SELECT q AS query_id, (q * 7 + i * 11 * (1 + q % 3)) % 97 AS item_id, (q + i) % 4 AS relevance
FROM range(2, 420) AS queries(q), range(12) AS items(i)
WHERE i < 1 + q % 12
"""
SHALLOW = [
    f"{name}@{k}" for name in ("ndcg", "map", "mrr", "precision", "recall", "hit_rate") for k in (1, 5, 20)
]
AS_DECLARED = {"beta": 2, "p": 0.5, "recall": 0.5}
THIRDS = "SELECT query_id, query_id % 3 AS third FROM t GROUP BY query_id"


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE p AS {PREDICTIONS}; CREATE TABLE t AS {TRUTH}")
    connection.execute("CREATE TABLE shuffled_p AS FROM p ORDER BY hash(system, query_id, item_id, 1)")
    connection.execute("CREATE TABLE shuffled_t AS FROM t ORDER BY hash(query_id, item_id, 2)")
    return connection


def specs() -> list[str]:
    """Return every metric of rankings; required parameters have a value."""
    found = []
    for metric in RANKING:
        required = {n: v for n, v in AS_DECLARED.items() if n in metric.own_params}
        required |= {"max_grade": 3} if "max_grade" in metric.own_params else {}
        found.append(f"{metric.name}({', '.join(f'{n}={v}' for n, v in required.items())})")
    return found


def values(
    connection: duckdb.DuckDBPyConnection,
    metrics: list[str],
    tables: tuple[str, str] = ("p", "t"),
    **options: Any,
) -> tuple[dict[tuple[str, str], Any], list[tuple[Any, ...]]]:
    """Return the rows of a result and the values of every query."""
    result = duckmetrics.evaluate(*tables, metrics, system="system", connection=connection, **options)
    rows = {(row["system"], row["metric"]): (row["value"], row["n"], row["n_missing"]) for row in result.rows}
    per_query = result.per_query.sort_by([(c, "ascending") for c in ("system", "metric", "query_id")])
    return rows, [tuple(row.values()) for row in per_query.to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "switches", [{}, {"ties": "pessimistic"}, {"unjudged": "skip"}, {"population": "both"}]
)
def test_parts_change_no_value(connection: duckdb.DuckDBPyConnection, switches: dict[str, Any]) -> None:
    whole = values(connection, specs(), **switches)
    assert values(connection, specs(), chunks=7, **switches) == whole


@pytest.mark.slow
def test_a_part_without_a_system_counts_it_as_missing(connection: duckdb.DuckDBPyConnection) -> None:
    """The parts outnumber the queries, so some parts have no row of a system, and some have no row."""
    tables = "SELECT * FROM p WHERE query_id < 4", "SELECT * FROM t WHERE query_id < 6"
    whole = values(connection, ["ndcg@10", "mrr", "map(agg=p50)"], tables)
    assert values(connection, ["ndcg@10", "mrr", "map(agg=p50)"], tables, chunks=9) == whole


@pytest.mark.slow
def test_slices_are_put_together_from_the_parts(connection: duckdb.DuckDBPyConnection) -> None:
    queries = "SELECT query_id, query_id % 3 AS third FROM t GROUP BY query_id"
    options = {"connection": connection, "system": "system", "by": "third", "queries": queries}
    whole, parts = (duckmetrics.evaluate("p", "t", "map", **options, chunks=n) for n in (None, 5))
    assert whole.rows == parts.rows
    assert len(whole.rows) == 2 * 4


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"threads": 4, "chunks": 3}])
def test_threads_and_the_order_of_the_rows_change_no_bit(
    connection: duckdb.DuckDBPyConnection, options: dict[str, Any]
) -> None:
    whole = values(connection, specs())
    assert values(connection, specs(), ("shuffled_p", "shuffled_t"), **options) == whole


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["double", "float32"])
@pytest.mark.parametrize("ties", ["item_asc", "item_desc", "item_asc_text", "pessimistic", "optimistic"])
def test_both_plans_have_the_same_ranks(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, ties: str, scores: str
) -> None:
    found = {}
    for plan in (TOP, SORTED):
        monkeypatch.setattr(family_evaluation, "ranking_plan", lambda measures, plan=plan: plan)
        found[plan] = values(connection, SHALLOW, ties=ties, scores=scores)
    assert found[TOP] == found[SORTED]


@pytest.mark.slow
def test_the_shallow_plan_is_the_one_that_runs(connection: duckdb.DuckDBPyConnection) -> None:
    def sql(*metrics: str) -> str:
        return duckmetrics.evaluate("p", "t", metrics, system="system", connection=connection).sql

    assert "last_scores" in sql(*SHALLOW)
    assert "last_scores" not in sql("ndcg@10", "ndcg@21")
    assert "last_scores" not in sql("ndcg@10", "map")


BESIDE_THE_FIRST = """
    WITH behind AS (SELECT 'behind ' || lpad(q::VARCHAR, 5, '0') AS query_id FROM range(5000) AS numbers(q))
    SELECT query_id, 'a' AS item_id, 0.5 AS score FROM behind
    UNION ALL FROM predictions
    UNION ALL SELECT {query!r}, 'c', 0.1 FROM range({copies})
"""


@pytest.mark.slow
def test_a_duplicate_that_comes_to_no_cutoff_changes_no_number() -> None:
    """The copy of the third item of q1 is below the second rank; q1 is not of the first queries."""
    copied, once = (BESIDE_THE_FIRST.format(query="q1", copies=n) for n in (1, 0))
    assert evaluation(copied, metric="dcg@2")["dcg@2"] == evaluation(once, metric="dcg@2")["dcg@2"]
    for metric in ("dcg@4", "dcg@2,map"):
        with pytest.raises(InputError, match="1 item predicted more than once for a query"):
            evaluation(copied, metric=metric)


def test_in_the_first_queries_it_is_refused_at_every_cutoff() -> None:
    """The check finds lists of several systems there, although the longest list hides the others."""
    with pytest.raises(InputError, match=r"1 item predicted more than once.*one table holds several systems"):
        evaluation(BESIDE_THE_FIRST.format(query="behind 00000", copies=2), metric="dcg@1")


def test_a_duplicate_of_the_truth_is_no_duplicate_of_the_predictions() -> None:
    truth = "SELECT * FROM truth UNION ALL FROM truth"
    with pytest.raises(InputError) as caught:
        evaluation(truth=truth, metric="dcg@2", ties="optimistic")
    assert "judged more than once" in str(caught.value)
    assert "predicted more than once" not in str(caught.value)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "duplicates",
    ["SELECT 7::INT, 7::INT, 0.5", "SELECT -7::INT, 2147483647::INT, 1", "SELECT 2147483647, -5, 1"],
)
def test_duplicates_of_ids_in_one_number(duplicates: str) -> None:
    """The smallest and largest ids that fit differ from their neighbors."""
    rows = """SELECT * FROM (VALUES (7, 7, .1), (7, 8, .2), (8, 7, .3), (-7, 2147483647, .4),
        (-6, -2147483648, .5), (2147483647, -5, .6), (-2147483648, -2147483648, .7))
        AS p(query_id, item_id, score)"""
    truth = "SELECT 7 AS query_id, 7 AS item_id, 1 AS relevance"
    assert evaluation(rows, truth, "mrr")["mrr"] == 0.5
    with pytest.raises(InputError, match="1 item predicted more than once"):
        evaluation(f"{rows} UNION ALL {duplicates}", truth, "mrr")


@pytest.mark.parametrize("chunks", [0, -1, 1.5, True, "many"])
def test_chunks_are_a_number(chunks: Any) -> None:
    with pytest.raises(MetricError, match=r"chunks: .* is not a number of parts"):
        evaluation(chunks=chunks)


def test_a_query_in_parts_has_each_row_once() -> None:
    """The queries of an input may come from any source."""
    texts = [
        "SELECT query_id + 1 AS query_id FROM range(9) AS r(query_id)",
        "SELECT query_id FROM range(9) AS r(query_id) UNION ALL SELECT x AS query_id FROM range(6) AS s(x)",
        "SELECT query_id FROM range(9) AS r(query_id) UNION SELECT x % 4 AS query_id FROM range(6) AS s(x)",
        "SELECT 1 AS query_id UNION ALL (SELECT 2 AS query_id UNION SELECT 2 AS query_id)",
        "SELECT DISTINCT x % 4 AS query_id FROM range(6) AS s(x)",
    ]
    for text in texts:
        query = cast("exp.Query", sqlglot.parse_one(text, dialect="duckdb"))
        for ids in ("(1), (4), (5)", "(TRUE), (FALSE)", "(1)"):
            known = cast("exp.Query", sqlglot.parse_one(f"SELECT * FROM (VALUES {ids}) AS ids(query_id)"))
            inputs = Inputs({"t": query, "predictions": known}, {}, True, None, False, (), None)
            engine = DuckDBEngine()
            parts = [part.queries["t"].sql("duckdb") for part in chunks_of(engine, inputs, 3)]
            engine.close()
            found = [row for part in parts for row in duckdb.sql(part).fetchall()]
            assert sorted(found) == sorted(duckdb.sql(text).fetchall()), text


# Query ids, and whether parts are ranges of them.
KINDS = {
    "numbers": ("q", True),
    "wide numbers": ("CAST(q AS HUGEINT) * 1000000000000000000", True),
    "negative": ("-q", True),
    "text": ("'Q' || q", True),
    "text of many kinds": ("['', 'ü', 'a''b', chr(10), '%', 'Z'][1 + q % 6] || q", True),
    "dates": ("DATE '2024-01-01' + CAST(q AS INT)", False),
    "uuids": ("CAST(md5('' || q) AS UUID)", False),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", KINDS)
def test_parts_by_ids_of_every_kind_change_no_value(
    kind: str, connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_, is_range = KINDS[kind]
    tables = [
        f"SELECT * REPLACE ({id_} AS query_id) FROM (SELECT *, query_id AS q FROM {table}) WHERE q < 90"
        for table in ("p", "t")
    ]
    seen = []
    narrow = chunks.narrowed

    def narrowed(inputs: Inputs, condition: chunks.Condition) -> Inputs:
        seen.append(condition(exp.column("id")).sql("duckdb"))
        return narrow(inputs, condition)

    monkeypatch.setattr(chunks, "narrowed", narrowed)
    whole, parts = (
        duckmetrics.evaluate(*tables, ["ndcg@10", "map"], system="system", connection=connection, chunks=n)
        for n in (None, 4)
    )
    assert whole.rows == parts.rows
    assert len(seen) == 4
    assert ("HASH(" in seen[0]) != is_range


def test_chunks_are_of_queries() -> None:
    with pytest.raises(MetricError, match="chunks: are of queries"):
        duckmetrics.evaluate("SELECT 1 AS label, 0.5 AS score", metrics="auc", chunks=2)


@pytest.mark.slow
def test_too_little_memory_is_an_error_that_says_what_helps(tmp_path: Path) -> None:
    rows = "SELECT i // 10 AS query_id, i AS item_id, hash(i) AS score FROM range(2000000) AS r(i)"
    with pytest.raises(EngineError, match=r"--memory-limit.*--temp-directory.*--chunks"):
        duckmetrics.evaluate(rows, f"SELECT *, 1 AS relevance FROM ({rows})", "map", memory_limit="10MB",
                             temp_directory=tmp_path)  # fmt: skip


def test_what_is_spilled_goes_to_the_folder_given(tmp_path: Path) -> None:
    connection = duckdb.connect()
    before = connection.execute("SELECT current_setting('temp_directory')").fetchall()
    rows = "SELECT 'q1' AS query_id, 'b' AS item_id, 1 AS score, 1 AS relevance"
    result = evaluation(rows, rows, "mrr", connection=connection, temp_directory=tmp_path / "new")
    assert result["mrr"] == 1
    assert connection.execute("SELECT current_setting('temp_directory')").fetchall() == before
    with pytest.raises(InputError, match=r"temp_directory='/no/such/folder': no folder"):
        evaluation(temp_directory="/no/such/folder")


@pytest.mark.slow
def test_the_command_line_has_the_same(run: Command, tmp_path: Path) -> None:
    for name, query in (("p", PREDICTIONS), ("t", TRUTH)):
        duckdb.sql(query).write_parquet(str(tmp_path / f"{name}.parquet"))
    paths = [str(tmp_path / f"{name}.parquet") for name in "pt"]
    asked = ("evaluate", *paths, "-m", "ndcg@10,map", "--system", "system", "--format", "json")
    whole = run(*asked)
    parts = run(*asked, "--chunks", "3", "--temp-directory", str(tmp_path / "spill"), "--memory-limit", "1GB")
    assert whole.code == parts.code == 0
    assert whole.out == parts.out
    assert run(*asked, "--chunks", "0").code == 2


def exact_sum(numbers: list[float], order: str = "1") -> float:
    """Return the sum that is computed of numbers in an order."""
    sizes = [abs(number) for number in numbers if number]
    connection = duckdb.connect()
    # As texts, because DuckDB 1.5 takes a NaN of a list from Python as NULL.
    connection.execute("CREATE TABLE v AS SELECT unnest($1)::DOUBLE AS v", [list(map(repr, numbers))])
    query = with_exact_sums(exp.select("sum(v)").from_("ordered"), bands_of(max(sizes), min(sizes)))
    rows = f"WITH ordered AS (SELECT v FROM v ORDER BY {order}) {query.sql('duckdb')}"
    return float(connection.execute(rows).fetchall()[0][0])


def test_whole_numbers_are_what_the_values_are() -> None:
    """The sum in any order is the true one, rounded once."""
    numbers = [math.sin(i) * 2.0 ** (i % 40 - 20) for i in range(5000)]
    true = float(sum(map(Fraction, numbers)))
    assert exact_sum(numbers) == pytest.approx(true, rel=3e-16)
    assert exact_sum(numbers) == exact_sum(numbers, "hash(v)")


def test_terms_of_any_size_are_summed_exactly() -> None:
    """The bands of larger and smaller terms give the true sum, too."""
    numbers = [math.sin(i) * 2.0 ** (i * 37 % 1800 - 880) for i in range(2000)]
    true = float(sum(map(Fraction, numbers)))
    assert exact_sum(numbers) == pytest.approx(true, rel=1e-15)
    small = [number for number in numbers if abs(number) < 1]
    assert exact_sum(small) == exact_sum(small, "hash(v)") == pytest.approx(float(sum(map(Fraction, small))))


def test_further_bands_change_no_sum() -> None:
    """The factor of a term is its own: more bands, for terms of other sums, leave a sum as it is."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE v AS SELECT sin(i) * 2.0 ** (i % 45 - 24) AS v FROM range(1, 999) r(i)")
    found = set()
    for largest, smallest in ((1.0, 1.0), (2.0**103, 1.0), (1e30, 1e-9), (math.inf, 5e-324), (None, None)):
        query = with_exact_sums(exp.select("sum(v)", "avg(v)").from_("v"), bands_of(largest, smallest))
        found.add(connection.execute(query.sql("duckdb")).fetchall()[0])
    assert len(found) == 1


def test_terms_that_are_no_numbers_give_no_number() -> None:
    for none, is_none in ((math.nan, math.isnan), (math.inf, math.isinf)):
        assert is_none(exact_sum([none, 1.0, 2.0]))


UNITS = {
    "a large exponent": "CASE WHEN query_id = 7 AND item_id % 2 = 0 THEN 103 ELSE relevance END",
    "a large grade": "CASE WHEN query_id = 7 THEN 1e30 ELSE relevance END",
    "a small grade": "CASE WHEN query_id = 7 THEN 1e-9 ELSE relevance END",
    "an overflow": "CASE WHEN query_id = 7 AND item_id % 2 = 0 THEN 1e300 ELSE relevance END",
}


@pytest.mark.some(1)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_value_does_not_depend_on_the_other_metrics(
    connection: duckdb.DuckDBPyConnection, unit: str
) -> None:
    """A grade that makes the terms of one metric large changes no bit of another one."""
    tables = "p", f"SELECT query_id, item_id, CAST({unit} AS DOUBLE) AS relevance FROM t WHERE query_id < 40"
    asked = ["recall@3", "ndcg@10", "cg@10", "dcg(gain=exp2)@10"]
    together = values(connection, asked, tables)
    for metric in asked[:2]:
        rows, per_query = values(connection, [metric], tables)
        assert together[0].items() >= rows.items()
        assert [row for row in together[1] if metric in row] == per_query


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(40))
def test_random_metrics_have_the_same_bits_together_and_alone(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Metrics, grades, the plan, parts, slices, intervals and the other system change no value."""
    random = Random(seed)
    grades = random.choice([(0, 1, 2, 3), (0, 1, 45, 103), (1, 5e5, 1e12, 1e30), (0, 1, 1e-3, 1e-9, 1e-30)])
    cases = " ".join(f"WHEN {i} THEN {float(grade)!r}" for i, grade in enumerate(grades))
    grade = f"CASE hash(query_id, item_id, {seed}) % {len(grades)} {cases} END::DOUBLE AS relevance"
    truth = f"SELECT query_id, item_id, {grade} FROM t WHERE query_id < 60 UNION ALL SELECT 7, 1000, 1.0"
    usual = ["recall@3", "ndcg@10", "dcg(gain=exp2)@10", "cg@10"]
    asked = [*usual, *random.sample([name for name in specs() if "max_grade" not in name], 3)]
    options: dict[str, Any] = random.choice([
        {}, {"chunks": 3}, {"interval": 0.95}, {"by": "third", "queries": THIRDS},
        {"predictions": "SELECT * FROM p WHERE system = 'run0'"},
    ])  # fmt: skip

    def bits(metrics: list[str], predictions: str = "p", **options: Any) -> dict[tuple[Any, ...], float]:
        monkeypatch.setattr(ranking, "LARGE", random.choice([0, 500_000]))
        found = duckmetrics.evaluate(
            predictions, truth, metrics, system="system", connection=connection, **options
        )
        rows = [*(row for row in found.rows if not row["slice"]), *found.per_query.to_pylist()]
        return {(row["system"], row["metric"], row.get("query_id")): row["value"] for row in rows}

    together = bits(random.sample(asked, len(asked)))
    for metric in random.sample(asked, 3):
        alone = bits([metric], **options)
        assert alone == {key: together[key] for key in alone}


@pytest.mark.some(2)
@pytest.mark.parametrize("unit", [1e-8, 1e-10, 1e-24, 1e-200])
def test_gains_that_are_too_small_for_whole_numbers_are_summed_as_they_are(unit: float) -> None:
    """NDCG does not depend on the unit of the grades."""
    ndcg = evaluation(metric="ndcg")["ndcg"]
    truth = f"SELECT query_id, item_id, relevance * {unit!r} AS relevance FROM truth"
    assert evaluation(truth=truth, metric="ndcg")["ndcg"] == pytest.approx(ndcg, rel=1e-14)


def test_gains_that_are_too_large_for_whole_numbers_are_summed_as_they_are() -> None:
    truth = "SELECT query_id, item_id, relevance * 400 AS relevance FROM truth"
    assert evaluation(truth=truth, metric="dcg(gain=exp2)")["dcg(gain=exp2)"] == pytest.approx(
        (2.0**800 / 2 + 2.0**400 / math.log2(3) + 2.0**400) / 3
    )


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_the_order_of_a_session_makes_no_other_parts(order: str) -> None:
    """With falling edges, the ranges of queries overlapped."""
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE run AS SELECT q AS query_id, i AS item_id, q * 7 * (i + 3) % 101 AS score
            FROM range(60) AS queries(q), range(8) AS places(i);
            CREATE TABLE qrels AS SELECT query_id, item_id FROM run WHERE (query_id + item_id * 5) % 3 = 0
        """)
        connection.execute(f"SET default_order = '{order}'")
        whole, parts = (
            duckmetrics.evaluate("run", "qrels", ["map"], connection=connection, chunks=chunks)
            for chunks in (None, 3)
        )
    assert parts.rows == whole.rows
