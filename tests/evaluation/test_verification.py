"""Numbers computed twice: both agree on correct files, and the comparison finds planted faults.

The fault is in the definition of a metric, an aggregation or a relation, like a wrong file under
sql/, so it affects everything except the reference.
"""

from __future__ import annotations

import json
import math
from hashlib import md5
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot

import duckmetrics
from duckmetrics import MetricError, Verification
from duckmetrics.catalog.definition import body
from duckmetrics.evaluation import recomputed, samples
from duckmetrics.evaluation.recomputed import difference
from duckmetrics.evaluation.samples import chunks
from support.cases import CATALOG, RANKING, REQUIRED, ROOT, SHORT, TOLERANT
from support.classification import (
    APART,
    METRICS,
    PLAIN,
    PROBABILITIES,
    UNBOUNDED,
    open_together,
    plain_spec,
    takes_any_score,
)
from support.command_line import Outcome, exports, run
from support.little import evaluation, little

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from duckmetrics import Evaluation
    from duckmetrics.catalog.definition import Definition
    from support.command_line import Command

    Plant = Callable[[Definition, str, str], None]

__all__ = ["exports", "run"]

RECOMMENDATIONS, PURCHASES, USERS, IMPRESSIONS = (
    f"{ROOT}/data/shop/{name}.parquet" for name in ("recommendations", "purchases", "users", "impressions")
)
SHOP: dict[str, Any] = {
    "columns": {"query_id": "user_id"}, "system": "model", "by": "country", "queries": USERS,
}  # fmt: skip
CLICKS: dict[str, Any] = {"columns": {"label": "clicked", "score": "pctr", "group_id": "user_id"}}
MIXED = """SELECT * FROM (VALUES ('q1', 'a', 3), ('q1', 'b', 2), ('q2', 'a', 1), ('q4', 'x', 1),
    ('q6', 'a', 1)) AS p(query_id, item_id, score)"""
JUDGED = """SELECT * FROM (VALUES ('q1', 'b', 1), ('q2', 'c', 1), ('q2', 'a', 0), ('q3', 'z', 1),
    ('q5', 'y', 0), ('q6', 'a', 0)) AS t(query_id, item_id, relevance)"""


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Replace a piece of a definition by another until the end of the test."""

    def replace(definition: Definition, piece: str, other: str) -> None:
        text = body(definition.text)
        assert text.count(piece) == 1, "the fault must be planted"
        planted = sqlglot.parse_one(text.replace(piece, other), dialect="duckdb")
        assert definition.query is not planted
        monkeypatch.setitem(definition.__dict__, "query", planted)

    return replace


def told(result: Evaluation) -> dict[str, Verification]:
    """Return the verification by metric; every metric is there, in its order."""
    assert tuple(one.metric for one in result.verified) == result.metrics
    return {one.metric: one for one in result.verified}


def all_agree(result: Evaluation) -> bool:
    """Return whether something was compared for every metric, and no difference was found."""
    errors = [finding for finding in result.checks if finding.severity == "error"]
    return not errors and all(one.agrees and one.compared for one in told(result).values())


# --- on good data ----------------------------------------------------------------------------------


def plain_rankings() -> list[str]:
    params = {metric.name: [p for p in metric.own_params.values() if p.required] for metric in RANKING}
    arguments = {
        name: ", ".join(f"{p.name}={REQUIRED[p.name][0]}" for p in required)
        for name, required in params.items()
    }
    return [f"ranking.{name}" + (f"({given})" if given else "") for name, given in arguments.items()]


@pytest.mark.slow
def test_every_ranking_metric_of_the_shop() -> None:
    result = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, plain_rankings(), verify=200, **SHOP)
    assert len(told(result)) == len(RANKING)
    assert all_agree(result)
    found = {(one.recomputed, one.unit, one.compared) for one in result.verified}
    assert found == {(200, "queries", 2 * 200 + 2 * 6)}


@pytest.mark.slow
def test_every_aggregation_of_the_shop_once_all_queries_are_recomputed() -> None:
    specs = [f"ndcg(agg={name})@10" for name in CATALOG.aggregation_names]
    result = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, specs, verify=5000, **SHOP)
    assert len(specs) > 5
    assert all_agree(result)
    # Two systems, 2332 queries, five countries and the whole.
    assert {(one.recomputed, one.compared) for one in result.verified} == {(2332, 2 * 2332 + 2 * 6)}


@pytest.mark.slow
def test_every_classification_metric_of_the_shop_on_a_sample() -> None:
    result = duckmetrics.evaluate(IMPRESSIONS, metrics=PLAIN, by="country", verify=40, **CLICKS)
    assert len(told(result)) == len(METRICS)
    assert all_agree(result)
    for one in result.verified:
        assert 1700 < one.recomputed < 2300
        assert (one.unit, one.compared) == ("rows", 6)


@pytest.mark.slow
def test_every_classification_metric_of_the_shop_on_all_rows() -> None:
    quick = [plain_spec(metric) for metric in METRICS if "every pair" not in metric.header.get("note", "")]
    rows = f"SELECT * FROM '{IMPRESSIONS}' WHERE device = 'tablet'"
    result = duckmetrics.evaluate(rows, metrics=quick, by="country", verify=200, **CLICKS)
    assert len(told(result)) == len(METRICS) - 1
    assert all_agree(result)
    assert {(one.recomputed, one.compared) for one in result.verified} == {(6277, 6)}


@pytest.mark.slow
def test_both_families_at_once() -> None:
    rows = "SELECT user_id AS query_id, row_number() OVER () AS item_id, clicked AS label, pctr AS score " \
           f"FROM '{IMPRESSIONS}'"  # fmt: skip
    result = duckmetrics.evaluate(rows, metrics=["ndcg@10", "auc"], verify=20)
    assert all_agree(result)
    assert [one.unit for one in result.verified] == ["queries", "rows"]
    assert repr(result).count("verified: 20 queries, 1000 rows; ") == 1


@pytest.mark.some(0)
@pytest.mark.parametrize("switches", [{}, {"ties": "input"}], ids=str)
def test_every_case_with_every_parameter(case: duckdb.DuckDBPyConnection, switches: dict[str, str]) -> None:
    options = {**TOLERANT, **switches}
    result = duckmetrics.evaluate(
        "predictions", "truth", SHORT, system="system", connection=case, verify=100, **options
    )
    assert len(told(result)) == len(SHORT)
    assert all_agree(result)


SWITCHES: list[dict[str, Any]] = [
    {"ties": "item_desc"},
    {"ties": "item_desc_text", "scores": "float32", "missing": "skip", "no_relevant": "zero"},
    {"ties": "pessimistic", "unjudged": "skip"},
    {"ties": "optimistic", "duplicates": "first"},
    {"population": "predictions", "no_relevant": "one"},
    {"population": "both"},
    {"rel": 2},
    {"agg": "p90"},
]


@pytest.mark.some(0)
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_every_case_with_every_switch(case: duckdb.DuckDBPyConnection, switches: dict[str, Any]) -> None:
    specs = ["ndcg", "dcg@2", "map@3", "rr", "bpref", "query_auc", "precision@3", "first_rank", "r_precision"]
    options = {**TOLERANT, **switches}
    result = duckmetrics.evaluate(
        "predictions", "truth", specs, system="system", connection=case, verify=100, **options
    )
    assert all_agree(result)


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", ["cg@2", "dcg@2", "ndcg@2"])
def test_averaged_ties(case: duckdb.DuckDBPyConnection, metric: str) -> None:
    options = {**TOLERANT, "ties": "expected"}
    assert all_agree(evaluation(metric=metric, connection=case, system="system", verify=100, **options))


def test_sampled_candidates() -> None:
    """Every query has one relevant item among three candidates of a catalog of fifty."""
    predictions = """SELECT q AS query_id, i AS item_id, (q * 7 + i * 3) % 5 AS score
        FROM range(30) AS a(q), range(3) AS b(i)"""
    truth = "SELECT q AS query_id, q % 3 AS item_id FROM range(30) AS a(q)"
    result = duckmetrics.evaluate(predictions, truth, ["ndcg@10", "rr", "map"], catalog_size=50, verify=30)
    assert all_agree(result)
    plain = duckmetrics.evaluate(predictions, truth, ["ndcg@10", "rr", "map"])
    assert [row["value"] for row in result.rows] != [row["value"] for row in plain.rows]


@pytest.mark.some(1)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    "names", [PROBABILITIES, UNBOUNDED, *((name,) for name in APART)], ids=lambda n: n[0]
)
def test_every_case_of_rows(names: tuple[str, ...], weighted: bool) -> None:
    chosen = [m for m in METRICS if names != UNBOUNDED or takes_any_score(m, plain_spec(m))]
    if names == ("ratings",):
        chosen = [metric for metric in METRICS if metric.name in ("rmse", "mae", "r2")]
    with open_together(names) as connection:
        result = duckmetrics.evaluate(
            "predictions", metrics=[plain_spec(metric) for metric in chosen], by="name",
            connection=connection, verify=100, weighted=weighted,
        )  # fmt: skip
    assert all_agree(result)
    assert {one.compared for one in result.verified} == {1 + len(names)}


POPULATIONS = ["truth", "predictions", "both", "SELECT unnest(['q1', 'q3', 'q9', 'q1']) AS query_id"]


@pytest.mark.some(1)
@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize(("missing", "no_relevant"), [("zero", "null"), ("skip", "one")])
def test_every_population(population: str, missing: str, no_relevant: str) -> None:
    result = evaluation(
        MIXED, JUDGED, "rr", population=population, missing=missing, no_relevant=no_relevant, verify=10
    )
    assert all_agree(result)
    counted = {"truth": 5, "predictions": 4, "both": 3}
    assert result.verified[0].recomputed == counted.get(population, 3)


@pytest.mark.slow
def test_lists_and_labels_and_an_order_of_their_own() -> None:
    lists = """SELECT * FROM (VALUES ('q1', ['b', 'c', 'a'], [1, 1, 2]), ('q2', ['a'], [1]))
        AS l(query_id, items, scores)"""
    relevant = "SELECT * FROM (VALUES ('q1', ['a', 'z']), ('q2', []), ('q3', ['a'])) AS t(query_id, relevant)"
    specs = ["rr", "map", "bpref", "judged@2"]
    result = duckmetrics.evaluate(lists, relevant, specs, ties="input", verify=5)
    assert all_agree(result)
    logs = "SELECT *, relevance AS label FROM truth JOIN predictions USING (query_id, item_id)"
    assert all_agree(evaluation(logs, None, "ndcg", verify=5))


@pytest.mark.some(1)
@pytest.mark.parametrize("like", ["pytrec_eval", "sklearn"])
def test_the_conventions_of_a_tool(like: str) -> None:
    truth = f"SELECT * FROM '{PURCHASES}' SEMI JOIN '{RECOMMENDATIONS}' USING (user_id)"
    one = f"SELECT * FROM '{RECOMMENDATIONS}' WHERE model = 'candidate'"
    columns = {"query_id": "user_id"}
    result = duckmetrics.evaluate(one, truth, ["ndcg"], columns=columns, like=like, verify=200)
    assert all_agree(result)


# --- the sample ------------------------------------------------------------------------------------


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the items of the queries that the reference gets, in their order."""
    items: list[Any] = []
    per_query = recomputed.per_query

    def recorded(name: str, predictions: Any, truth: Any, **params: Any) -> Any:
        items.extend({row[2] for row in predictions})
        return per_query(name, predictions, truth, **params)

    monkeypatch.setattr(recomputed, "per_query", recorded)
    return items


# Ids by their number, and as text.
KINDS: dict[str, tuple[str, Callable[[int], str]]] = {
    "integer": ("i::BIGINT", str),
    "wide integer": ("i + 9223372036854775808", lambda i: str(i + 2**63)),
    "text": ("'query ' || i", lambda i: f"query {i}"),
    "uuid": ("lpad(i::VARCHAR, 32, '0')::UUID", lambda i: f"00000000-0000-0000-0000-{i:012d}"),
    "timestamp": ("TIMESTAMP '2024-01-01' + INTERVAL (i) DAY", lambda i: f"2024-01-{1 + i:02d} 00:00:00"),
    "date": ("DATE '2024-01-01' + i::INTEGER", lambda i: f"2024-01-{1 + i:02d}"),
}  # fmt: skip


def by_md5(texts: dict[int, str], size: int) -> list[int]:
    return sorted(texts, key=lambda i: md5(texts[i].encode()).hexdigest())[:size]


@pytest.mark.some(0)
@pytest.mark.parametrize(("id_", "text"), KINDS.values(), ids=KINDS)
def test_the_sample_is_told_by_the_ids_alone(id_: str, text: Callable[[int], str], seen: list[Any]) -> None:
    rows = f"SELECT {id_} AS query_id, i AS item_id, 1 AS score, 1 AS label FROM range(30) AS r(i)"
    expected = by_md5({i: text(i) for i in range(30)}, 7)
    for order in ("i", "-i"):
        result = duckmetrics.evaluate(f"{rows} ORDER BY {order}", metrics=["rr"], verify=7)
        assert all_agree(result)
        assert result.verified[0].recomputed == 7
        assert seen == expected
        seen.clear()


@pytest.mark.slow
def test_an_id_of_several_columns_is_told_by_all_of_them(seen: list[Any]) -> None:
    rows = """SELECT 'u' || i % 5 AS "the user", i AS day, i AS item_id, 1 AS score, 1 AS label
        FROM range(30) AS r(i)"""
    result = duckmetrics.evaluate(rows, metrics=["rr"], verify=7, columns={"query_id": "the user+day"})
    assert all_agree(result)
    assert seen == by_md5({i: f"u{i % 5},{i}" for i in range(30)}, 7)


def test_the_sample_is_the_same_for_every_system_and_metric(seen: list[Any]) -> None:
    rows = "SELECT i AS query_id, i AS item_id, 1 AS score FROM range(30) AS r(i)"
    runs = {"all": rows, "some": f"{rows} WHERE i % 2 = 0", "none": f"{rows} WHERE false"}
    result = duckmetrics.evaluate(runs, rows, ["rr", "ndcg"], verify=7)
    assert all_agree(result)
    assert {(one.recomputed, one.compared) for one in result.verified} == {(7, 21 + 3)}
    assert seen == [i for i in by_md5({i: str(i) for i in range(30)}, 7) for _ in ("rr", "ndcg")]


def test_the_settings_of_a_connection_change_nothing(seen: list[Any]) -> None:
    connection = little()
    connection.execute("SET default_order = 'DESC'; SET default_null_order = 'NULLS FIRST'")
    rows = "SELECT i AS query_id, i AS item_id, 1 AS score, 1 AS label FROM range(30) AS r(i)"
    assert all_agree(duckmetrics.evaluate(rows, metrics=["rr"], verify=7, connection=connection))
    assert seen == by_md5({i: str(i) for i in range(30)}, 7)


@pytest.mark.slow
def test_more_than_there_are_is_all_of_them() -> None:
    result = evaluation(metric="rr", verify=10**6)
    assert told(result)["rr"] == Verification("rr", 3 + 1, 0.0, "", 3, "queries")
    exactly = evaluation(metric="rr", verify=3)
    assert exactly.verified == result.verified
    assert evaluation(metric="rr", verify=2).verified[0].compared == 2 + 1


@pytest.mark.slow
def test_what_is_read_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"metrics": ["ndcg@5", "map"], "verify": 100, "threads": 1, **SHOP}
    together = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, **options)
    monkeypatch.setattr(samples, "CHUNK", 50)
    apart = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, **options)
    assert apart.verified == together.verified


def test_chunks_hold_neighbors_and_about_so_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "CHUNK", 10)
    assert list(chunks([(1, 4), (2, 6), (3, 1), (4, 99), (5, 0), (7, 1)])) == [
        (1, 2), (3, 3), (4, 4), (5, 5), (7, 7)
    ]  # fmt: skip
    assert list(chunks([])) == []


def test_a_query_of_too_many_rows_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "TOO_MANY", 4)
    result = evaluation(metric="rr", verify=10)  # q1 has three predictions and two judgments
    assert (result.verified[0].recomputed, result.verified[0].compared) == (2, 2 + 1)
    (note,) = [finding for finding in result.checks if finding.check == "verify"]
    assert (note.severity, note.count) == ("note", 1)
    assert "1 query of the sample has more than" in note.message


# --- ids without an equal in Python ----------------------------------------------------------------

ITEMS = {
    "nanoseconds": "TIMESTAMP_NS '2024-01-01' + INTERVAL (i) SECOND",
    "timestamp": "TIMESTAMP '2024-01-01' + INTERVAL (i) DAY",
    "with time zone": "TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL (i) DAY",
    "date": "DATE '0900-01-01' + i::INTEGER",
    "uuid": "md5(i::VARCHAR)::UUID",
    "boolean": "i > 10",
    "enum": "['z', 'y', 'x', 'w'][1 + i % 4]::ENUM('x', 'w', 'z', 'y')",
    "huge": "i::HUGEINT * 1000000000000000000000",
    "decimal": "i::DECIMAL(18, 0)",
}


@pytest.mark.some(1)
@pytest.mark.parametrize("ties", ["item_asc", "item_desc", "item_asc_text", "item_desc_text"])
@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_ties_of_items_of_every_kind(item: str, ties: str) -> None:
    predictions = (
        f"SELECT DISTINCT i % 2 AS query_id, {item} AS item_id, 1 AS score FROM range(8, 14) AS r(i)"
    )
    truth = f"SELECT DISTINCT i % 2 AS query_id, {item} AS item_id, 1 AS relevance FROM range(9, 11) AS r(i)"
    result = duckmetrics.evaluate(predictions, truth, ["rr", "ndcg@2"], ties=ties, verify=5)
    assert all_agree(result)


@pytest.mark.some(1)
@pytest.mark.parametrize("ties", ["item_asc", "item_desc", "item_asc_text", "item_desc_text"])
def test_ties_of_items_of_several_columns(ties: str) -> None:
    """By number 9 comes before 10; as text it comes after."""
    predictions = "SELECT 1 AS query_id, i AS shelf, 'x' AS place, 1 AS score FROM range(8, 12) AS r(i)"
    truth = "SELECT 1 AS query_id, 10 AS shelf, 'x' AS place"
    columns = {"item_id": "shelf+place"}
    result = duckmetrics.evaluate(predictions, truth, ["first_rank"], columns=columns, ties=ties, verify=5)
    ranks = {"item_asc": 3, "item_desc": 2, "item_asc_text": 1, "item_desc_text": 4}
    assert result["first_rank"] == ranks[ties]
    assert all_agree(result)


def test_items_a_nanosecond_apart_are_two() -> None:
    ids = (
        "(TIMESTAMP_NS '2024-01-01 00:00:00.000000001', 1), (TIMESTAMP_NS '2024-01-01 00:00:00.000000002', 2)"
    )
    predictions = f"SELECT 1 AS query_id, * FROM (VALUES {ids}) AS r(item_id, score)"
    truth = f"SELECT query_id, item_id FROM ({predictions}) WHERE score = 1"
    result = duckmetrics.evaluate(predictions, truth, ["rr"], verify=1)
    assert result["rr"] == 1 / 2
    assert all_agree(result)


# --- slices ----------------------------------------------------------------------------------------

PEOPLE = """SELECT * FROM (VALUES ('q1', 'DE', 'nan'::DOUBLE, NULL), ('q2', 'None', 0.0, 'x'),
    ('q3', NULL, 'nan', NULL)) AS u(query_id, country, age, number)"""


@pytest.mark.slow
def test_slices_of_any_value_are_compared_too() -> None:
    by = [["country"], ["age", "number"]]
    result = evaluation(metric="rr", queries=PEOPLE, by=by, verify=5)
    assert all_agree(result)
    # Three queries, the whole, DE, None and NULL, and two of age and number.
    assert result.verified[0].compared == 3 + 1 + 3 + 2


def test_slices_of_rows_of_any_value() -> None:
    rows = """SELECT i % 3 = 0 AS label, i AS score, ['DE', 'None', NULL][1 + i % 3] AS country,
        ['nan', '0', '-0'][1 + i % 3]::DOUBLE AS age, 'a' AS model FROM range(60) AS r(i)"""
    by = [["country"], ["country", "age"]]
    result = duckmetrics.evaluate(rows, metrics=["auc", "rmse"], by=by, verify=5, system="model")
    assert all_agree(result)
    assert {one.compared for one in result.verified} == {7}
    assert {one.recomputed for one in result.verified} == {60}


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_and_groups_of_several_columns(weighted: bool) -> None:
    rows = """SELECT i % 4 = 0 AS label, i * 37 % 101 / 101 AS score, i % 3 AS weight, i % 7 AS person,
        'd' || i % 2 AS day FROM range(400) AS r(i)"""
    specs = ["gauc", "auc", "log_loss", "auc_pairwise", "auc(approx=7)"]
    for size in (3, 100):
        result = duckmetrics.evaluate(
            rows, metrics=specs, columns={"group_id": "person+day"}, verify=size, weighted=weighted
        )
        assert all_agree(result)
        assert {one.recomputed for one in result.verified} == {min(400, 50 * size)}


def test_rows_that_are_alike_are_not_all_in_a_sample_or_all_out_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 10,000 rows of four kinds, a sample of 50 that takes whole kinds would have one kind."""
    sampled: list[samples.SampledRow] = []
    rows_of = recomputed.rows_of
    monkeypatch.setattr(
        recomputed, "rows_of", lambda *given: sampled.extend(rows_of(*given)) or list(sampled)
    )
    rows = "SELECT i % 2 AS label, i % 4 >= 2 AS score FROM range(10000) AS r(i)".replace(
        "i % 4 >= 2", "CASE WHEN i % 4 >= 2 THEN 0.5 ELSE 0.25 END"
    )
    assert all_agree(duckmetrics.evaluate(rows, metrics=["auc"], verify=1))
    counts = [sum((row.label, row.score) == kind for row in sampled)
              for kind in ((0, 0.25), (0, 0.5), (1, 0.25), (1, 0.5))]  # fmt: skip
    assert sum(counts) == 50
    assert min(counts) >= 4
    first = list(sampled)
    sampled.clear()
    duckmetrics.evaluate(f"{rows} ORDER BY -i", metrics=["auc"], verify=1)
    assert sorted(sampled, key=str) == sorted(first, key=str)


# --- faults ----------------------------------------------------------------------------------------

RR = CATALOG.metrics["ranking", "reciprocal_rank"]
VALUE = "AS value"


def wrong_at(definition: Definition, condition: str, change: str) -> tuple[Definition, str, str]:
    """Return a definition with another value where a condition holds."""
    text = body(definition.text)
    start = text.rindex("query_id,", 0, text.index(VALUE)) + len("query_id,")
    value = text[start : text.index(VALUE)].strip()
    changed = change.replace("value", f"({value})")
    return definition, value, f"CASE WHEN {condition} THEN {changed} ELSE {value} END"


def faults(result: Evaluation) -> list[Any]:
    return [finding for finding in result.checks if finding.severity == "error"]


def test_a_fault_is_found_with_its_metric_and_query(plant: Plant) -> None:
    plant(*wrong_at(RR, "query_id = 'q2'", "value - 0.25"))
    result = duckmetrics.evaluate(
        "predictions", "truth", ["ndcg", "rr", "map"], connection=little(), verify=5
    )
    verified = told(result)
    assert [verified[metric].agrees for metric in ("ndcg", "rr", "map")] == [True, False, True]
    assert (verified["rr"].largest, verified["rr"].at) == (0.25, "query_id=q2")
    (found,) = faults(result)
    # The query, and the mean over all three.
    assert (found.check, found.table, found.count) == ("verify", "predictions", 2)
    assert found.examples[0] == "query_id=q2: 0.75 instead of 1.0"
    assert found.examples[1].startswith("overall: ")
    assert found.message.startswith("predictions: rr: 2 of 4 values differ from the plain-Python reference")
    assert "; please report it with " in found.message
    assert "reciprocal_rank|" in found.message


@pytest.mark.some(1)
@pytest.mark.parametrize("change", ["NULL", "value + 'nan'::DOUBLE", "value / 0e0"])
def test_no_number_where_there_is_one_is_infinitely_far(plant: Plant, change: str) -> None:
    plant(*wrong_at(RR, "query_id = 'q2'", change))
    result = evaluation(metric="rr", verify=5)
    assert (result.verified[0].largest, result.verified[0].at) == (math.inf, "query_id=q2")
    assert faults(result)
    assert "largest difference inf (rr)" in repr(result)


def test_a_number_where_there_is_none_is_infinitely_far(plant: Plant) -> None:
    plant(*wrong_at(CATALOG.metrics["ranking", "first_rank"], "query_id = 'q2'", "coalesce(value, 0)"))
    result = evaluation(MIXED, JUDGED, "first_rank", verify=10)
    assert (result.verified[0].largest, result.verified[0].at) == (math.inf, "query_id=q2")


LOST, INVENTED, DOUBLED = (
    ("AND query_id <> 'q3'", "q3"),
    ("UNION ALL SELECT 'q8' AS query_id", "q8"),
    ("UNION ALL SELECT 'q3' AS query_id", "q3"),
)


@pytest.mark.some(1)
@pytest.mark.parametrize(("fault", "query"), [LOST, INVENTED, DOUBLED])
def test_a_query_too_few_or_too_many_is_found(plant: Plant, fault: str, query: str) -> None:
    truth = "SELECT DISTINCT query_id FROM truth WHERE $population = 'truth'"
    plant(CATALOG.relations["queries"], truth, f"{truth} {fault}")
    (one,) = evaluation(metric="rr", verify=10).verified
    assert (one.largest, one.at) == (math.inf, f"query_id={query}")


@pytest.mark.slow
def test_a_fault_of_one_system_is_told_with_its_name(plant: Plant) -> None:
    plant(*wrong_at(RR, "query_id = 'q1' AND system = 'B'", "value + 0.5"))
    runs = {"A": "predictions", "B": "predictions"}
    result = evaluation(runs, metric="rr", verify=5)
    assert told(result)["rr"].at == "system=B, query_id=q1"
    assert faults(result)[0].examples[1].startswith("system=B, overall: ")


def test_a_fault_at_an_id_of_several_columns_is_told_with_all_of_them(plant: Plant) -> None:
    plant(*wrong_at(RR, "true", "value / 2"))
    rows = "SELECT 'u' AS person, 7 AS day, 'a' AS item_id, 1 AS score, 1 AS label"
    result = duckmetrics.evaluate(rows, metrics=["rr"], verify=1, columns={"query_id": "person+day"})
    assert told(result)["rr"].at == "person+day={'person': u, 'day': 7}"


@pytest.mark.slow
def test_a_fault_of_an_aggregation_is_found(plant: Plant) -> None:
    plant(CATALOG.aggregations["mean"], "avg(value)", "avg(value) + 1e-8")
    users = "SELECT * FROM (VALUES ('q1', 'DE'), ('q2', 'FR'), ('q3', 'DE')) AS u(query_id, country)"
    options: dict[str, Any] = {"metric": "rr", "queries": users, "by": "country"}
    result = evaluation(verify=3, **options)
    assert told(result)["rr"].largest == pytest.approx(1e-8)
    assert [example.partition(":")[0] for example in faults(result)[0].examples] == [
        "overall", "country=DE", "country=FR"
    ]  # fmt: skip
    # All values take part in the recomputed aggregates, even if few queries are sampled.
    assert not all_agree(evaluation(verify=2, **options))


def test_what_rounding_does_is_no_fault(plant: Plant) -> None:
    plant(*wrong_at(RR, "true", "value + 0.9e-9"))
    result = evaluation(metric="rr", verify=3)
    assert 0.8e-9 < result.verified[0].largest < 1e-9
    assert all_agree(result)


@pytest.mark.parametrize(("size", "at"), [(100, "overall"), (1, "overall")])
def test_a_fault_of_a_classification_metric_is_found_on_all_rows_and_on_a_sample(
    plant: Plant, size: int, at: str
) -> None:
    metric = CATALOG.metrics["classification", "accuracy"]
    text = body(metric.text)
    value = text[text.index("segment,") + len("segment,") : text.index(VALUE)].strip()
    plant(metric, value, f"({value}) + CASE WHEN segment = 0 THEN 0.125 ELSE 0 END")
    rows = "SELECT i % 3 = 0 AS label, i % 10 / 10 AS score, i % 2 AS kind FROM range(500) AS r(i)"
    result = duckmetrics.evaluate(rows, metrics=["accuracy", "auc"], by="kind", verify=size)
    verified = told(result)
    assert verified["auc"].agrees
    assert verified["accuracy"].largest == pytest.approx(0.125)
    assert verified["accuracy"].at == at
    assert [finding.count for finding in faults(result)] == [1]


def test_a_fault_of_the_reference_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two differ, whichever of them is wrong."""
    monkeypatch.setattr(recomputed.classification, "brier", lambda rows: 0.5)
    rows = "SELECT i % 3 = 0 AS label, i % 10 / 10 AS score, 'a' AS model FROM range(50) AS r(i)"
    result = duckmetrics.evaluate(rows, metrics=["brier"], verify=100, system="model")
    assert told(result)["brier"].at == "system=a, overall"
    assert not told(result)["brier"].agrees


@pytest.mark.slow
def test_a_reference_that_refuses_the_rows_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("no")

    monkeypatch.setattr(recomputed, "per_query", refuse)
    assert evaluation(metric="rr", verify=5).verified[0].largest == math.inf
    monkeypatch.setattr(recomputed.classification, "brier", refuse)
    result = duckmetrics.evaluate("SELECT 1 AS label, 0.5 AS score", metrics=["brier"], verify=5)
    assert result.verified[0].largest == math.inf


def test_numbers_that_no_double_holds_are_left_out() -> None:
    """No double holds the gain 2^2000 - 1; the other query is compared."""
    truth = "SELECT * FROM (VALUES ('q1', 'b', 2000), ('q2', 'a', 1)) AS t(query_id, item_id, relevance)"
    result = evaluation(truth=truth, metric="ndcg(gain=exp2)", verify=5)
    assert (result.rows[0]["value"], result.rows[0]["reason"]) == (None, "the values overflow")
    assert result.verified == (Verification("ndcg(gain=exp2)", 1, 0.0, "", 1, "queries"),)


# --- messages --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "expected", "far"),
    [
        (None, None, 0), (1.0, 1.0, 0), (math.inf, math.inf, 0), (0.5, 0.25, 0.25), (-0.5, 0.5, 1.0),
        (None, 0.0, math.inf), (0.0, None, math.inf), (math.nan, math.nan, math.inf),
        (math.nan, 1.0, math.inf), (None, math.nan, math.inf), (math.inf, 1.0, math.inf),
        (1.0, math.inf, math.inf),
        (1e9 + 1, 1e9, 1e-9), (200.0, 100.0, 1.0), (0.0, -2.0, 1.0),
    ],
)  # fmt: skip
def test_how_far_two_values_are_apart(found: float | None, expected: float | None, far: float) -> None:
    assert difference(found, expected) == far


@pytest.mark.parametrize("size", [0, -1, 1.5, 1000.0, True, "1000", [5]])
def test_a_sample_is_a_positive_whole_number(size: object) -> None:
    with pytest.raises(MetricError, match=r"verify: .* is not a number of queries; write a whole number"):
        evaluation(verify=size)


def test_nothing_is_verified_unless_somebody_asks() -> None:
    for result in (evaluation(), evaluation(verify=None)):
        assert result.verified == ()
        assert "verified" not in repr(result) + result._repr_html_()


def test_one_line_tells_it_wherever_a_result_is_shown() -> None:
    result = evaluation(metric="rr", verify=2)
    assert repr(result).splitlines()[3] == "verified: 2 queries; no difference"
    assert "<p>verified: 2 queries; no difference</p>" in result._repr_html_()


@pytest.mark.slow
def test_the_verification_leaves_the_result_as_it_is() -> None:
    options: dict[str, Any] = {"metrics": ["ndcg@10", "map"], "threads": 1, **SHOP}
    plain = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, **options)
    verified = duckmetrics.evaluate(RECOMMENDATIONS, PURCHASES, **options, verify=50)
    assert verified.rows == plain.rows
    assert verified.checks == plain.checks
    clicks = [
        duckmetrics.evaluate(IMPRESSIONS, metrics=["auc"], verify=size, threads=1, **CLICKS)
        for size in (None, 5)
    ]
    assert clicks[0].rows == clicks[1].rows


# --- the command line ------------------------------------------------------------------------------


def document(outcome: Outcome) -> dict[str, Any]:
    return json.loads(outcome.out, parse_constant=lambda name: pytest.fail(name))  # type: ignore[no-any-return]


@pytest.mark.slow
def test_the_command_line_verifies(run: Command) -> None:
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--verify", 2)
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1] == "verified: 2 queries; no difference"
    as_json = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--verify", 2, "--format", "json")
    assert document(as_json)["verified"] == [
        {"metric": "rr", "compared": 3, "largest": 0.0, "at": "", "recomputed": 2, "unit": "queries"}
    ]
    for format_ in ("csv", "markdown"):
        other = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--verify", 2, "--format", format_)
        assert "verified" not in other.out
        assert other.err.splitlines()[0] == "verified: 2 queries; no difference"


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["table", "json", "csv"])
def test_a_fault_ends_the_command_with_1(run: Command, plant: Plant, format_: str) -> None:
    plant(*wrong_at(RR, "query_id = 'q2'", "NULL"))
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--verify", 3, "--format", format_)
    assert outcome.code == 1
    if format_ == "json":
        (check,) = [check for check in document(outcome)["checks"] if check["check"] == "verify"]
        assert check["severity"] == "error"
        assert document(outcome)["verified"][0]["largest"] == "inf"
    else:
        assert "rr: 2 of 4 values differ" in outcome.err
    assert run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--format", format_).code == 0


@pytest.mark.parametrize("size", ["0", "-1", "1.5", "many"])
def test_a_sample_of_nothing_is_bad_usage(run: Command, size: str) -> None:
    outcome = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--verify", size)
    assert outcome.code == 2
    assert "--verify" in outcome.err
