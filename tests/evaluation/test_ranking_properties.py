"""Properties on any data: agreement with the reference and the peers, invariances, bounds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference.policies import per_query
from support.cases import CATALOG, RANKING, assert_same, ranking, reference_params, specs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

# Ties, ties of float32 only, signed zeros; few items and queries, so that they match.
SCORES = [0.0, -0.0, 0.5, 1.0, 1.000000001, 1.0000000001, -3.0, 1e-30, 16777217.0, 16777216.0]
GRADES = [0.0, 1.0, 2.0, 3.0]
TREC = {"ties": "item_desc_text", "scores": "float32", "no_relevant": "zero", "missing": "skip"}
PEERS = {
    "map": "map", "map@5": "map_cut_5", "mrr": "recip_rank", "precision@5": "P_5", "recall@5": "recall_5",
    "ndcg": "ndcg", "ndcg@5": "ndcg_cut_5", "r_precision": "Rprec", "bpref": "bpref", "infap": "infAP",
    "hit_rate@1": "success_1", "iprec(recall=0.1)": "iprec_at_recall_0.10",
    "iprec(recall=0.5)": "iprec_at_recall_0.50",
    "hits": "num_rel_ret",
}  # fmt: skip
ALL = [spec for metric in RANKING for spec in specs_of(metric, (None, 3), one_at_a_time=True)]

rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from(SCORES), min_size=1),
    min_size=1,
)
judgments = st.dictionaries(
    st.sampled_from(["q1", "q2", "q4"]),
    st.dictionaries(st.sampled_from("abcdexyz"), st.sampled_from(GRADES), min_size=1),
    min_size=1,
)


def predictions_table(rows: Sequence[tuple[str, str, float]]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(("query_id", "item_id", "score"), columns, strict=True)))


def truth_table(rows: Sequence[tuple[str, str, float]]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(("query_id", "item_id", "relevance"), columns, strict=True)))


def rows_of(tree: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, item, value) for query, items in tree.items() for item, value in items.items()]


def values(predictions: Any, truth: Any, specs: Sequence[str], **options: Any) -> dict[str, dict[str, Any]]:
    """Return metric -> query -> value."""
    found: dict[str, dict[str, Any]] = {spec: {} for spec in specs}
    for row in duckmetrics.evaluate(predictions, truth, specs, **options).per_query.to_pylist():
        found[row["metric"]][row["query_id"]] = row["value"]
    return found


def big_example(seed: int, queries: int = 60) -> tuple[list[Any], list[Any]]:
    """Return random rows with many ties, missing queries, unjudged items, queries without relevant items."""
    chance = random.Random(seed)
    predictions, truth = [], []
    for number in range(queries):
        query = f"q{number}"
        items = [f"d{i}" for i in range(40)]
        if number % 9:
            for item in chance.sample(items, chance.choice([1, 3, 20, 40])):
                score = chance.choice([0.5, 1.0, 1.000000001, 1.00000001, chance.random(), 2.0])
                predictions.append((query, item, score))
        if number % 7:
            judged = chance.sample(items, chance.choice([1, 5, 30]))
            truth += [(query, item, float(chance.choice([0, 0, 1, 2, 3]))) for item in judged]
    chance.shuffle(predictions)
    return predictions, truth


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rankings, judgments, st.data())
def test_random_data_equal_the_reference(run: Any, qrels: Any, data: st.DataObject) -> None:
    if not run.keys() & qrels.keys():
        run["q1"] = {"a": 1.0}
        qrels["q1"] = {"a": 1.0, "b": 0.0}
    switches: dict[str, Any] = {}
    for name in ("ties", "scores", "unjudged", "population", "missing", "no_relevant"):
        choices = CATALOG.params(CATALOG.find("recall", "ranking").metric)[name].choices
        usable = [choice for choice in choices if choice not in ("error", "table")]
        switches[name] = data.draw(st.sampled_from(usable), label=name)
    switches["rel"] = data.draw(st.sampled_from([None, 2.0]), label="rel")
    specs = data.draw(st.lists(st.sampled_from(ALL), min_size=1, max_size=8, unique=True), label="specs")
    if "first_rank" in {spec.partition("@")[0] for spec in specs} or "judged" in str(specs):
        specs = [*specs, "r_precision"] if "r_precision" not in specs else specs
    predictions, truth = rows_of(run), rows_of(qrels)
    if switches["rel"] is None:
        del switches["rel"]
    # The call refuses a switch that no metric takes; recall with a cut-off takes every one.
    together = [*dict.fromkeys([*specs, "recall@3"])]
    actual = values(predictions_table(predictions), truth_table(truth), together, **switches)
    for spec in specs:
        measure = parse_measure(CATALOG, spec, switches, ranking)
        expected = per_query(
            measure.metric.name, [("", *row) for row in predictions], truth, **reference_params(measure)
        )
        assert_same({("", q): v for q, v in actual[spec].items()}, expected, f"{spec} {switches}")


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", [1, 2])
def test_equals_pytrec_eval_per_query(seed: int, level: int) -> None:
    predictions, truth = big_example(seed)
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for query, item, score in predictions:
        run.setdefault(query, {})[item] = score
    for query, item, grade in truth:
        qrels.setdefault(query, {})[item] = int(grade)
    measures = {"map", "map_cut.5", "recip_rank", "P.5", "recall.5", "ndcg", "ndcg_cut.5", "Rprec", "bpref",
                "infAP", "success.1", "iprec_at_recall.0.1,0.5", "num_rel_ret"}  # fmt: skip
    expected = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    actual = values(predictions_table(predictions), truth_table(truth), list(PEERS), rel=level, **TREC)
    assert len(expected) > 40
    for spec, peer in PEERS.items():
        for query, row in expected.items():
            assert actual[spec][query] == pytest.approx(row[peer], rel=1e-12, abs=1e-12), (spec, query)


@pytest.mark.slow
def test_row_order_threads_and_the_kind_of_table_change_nothing(tmp_path: Any) -> None:
    predictions, truth = big_example(11)
    table, judged = predictions_table(predictions), truth_table(truth)
    expected = values(table, judged, ALL)
    chance = random.Random(1)
    shuffled = list(predictions)
    chance.shuffle(shuffled)
    connection = duckdb.connect()
    connection.register("frame", table)
    connection.execute(f"COPY frame TO '{tmp_path}/run.parquet'; CREATE TABLE run AS FROM frame")
    others = {
        "row order": values(predictions_table(shuffled), judged, ALL),
        "one thread": values(table, judged, ALL, threads=1),
        "two threads": values(table, judged, ALL, threads=2),
        "file": values(f"{tmp_path}/run.parquet", judged, ALL),
        "table": values("run", judged, ALL, connection=connection),
    }
    for about, other in others.items():
        for spec in ALL:
            assert_same(keyed(other[spec]), keyed(expected[spec]), f"{about}: {spec}")


@pytest.mark.slow
def test_renaming_ids_in_order_changes_nothing() -> None:
    predictions, truth = big_example(12)
    renamed = (
        [(f"x-{q}", f"item {i}", s) for q, i, s in predictions],
        [(f"x-{q}", f"item {i}", g) for q, i, g in truth],
    )
    expected = values(predictions_table(predictions), truth_table(truth), ALL)
    actual = values(predictions_table(renamed[0]), truth_table(renamed[1]), ALL)
    for spec in ALL:
        assert_same(keyed(actual[spec]), keyed({f"x-{q}": v for q, v in expected[spec].items()}), spec)


@pytest.mark.slow
@pytest.mark.parametrize("transform", [lambda s: s * 4 - 2, lambda s: s**3], ids=["linear", "cubic"])
def test_a_monotone_transform_of_the_scores_changes_nothing(transform: Any) -> None:
    predictions, truth = big_example(13)
    predictions = [(q, i, round(s * 8) / 8) for q, i, s in predictions]
    moved = [(q, i, transform(s)) for q, i, s in predictions]
    expected = values(predictions_table(predictions), truth_table(truth), ALL)
    actual = values(predictions_table(moved), truth_table(truth), ALL)
    for spec in ALL:
        assert_same(keyed(actual[spec]), keyed(expected[spec]), spec)


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_values_stay_in_the_range_of_the_header(metric: Any) -> None:
    low, high = metric.header["range"].split("]")[0].split(")")[0].lstrip("[").split(", ")
    predictions, truth = big_example(14)
    for found in values(predictions_table(predictions), truth_table(truth), specs_of(metric)).values():
        numbers = [value for value in found.values() if value is not None]
        assert numbers
        assert all(float(low) - 1e-12 <= value <= float(high) + 1e-12 for value in numbers if value != 0)


@pytest.mark.some(1)
@pytest.mark.parametrize("gain", ["linear", "exp2", "binary"])
@pytest.mark.parametrize("discount", ["log2", "log2_clip", "reciprocal"])
@pytest.mark.parametrize("ideal", ["judged", "returned"])
def test_the_truth_as_prediction_is_ideal(gain: str, discount: str, ideal: str) -> None:
    _, truth = big_example(15)
    spec = f"ndcg(gain={gain}, discount={discount}, ideal={ideal})@7"
    found = values(predictions_table(truth), truth_table(truth), [spec])[spec]
    assert {round(value, 12) for value in found.values() if value is not None} == {1.0}


@pytest.mark.slow
def test_removing_the_predictions_of_a_query_never_raises_a_mean() -> None:
    predictions, truth = big_example(16)
    before = duckmetrics.evaluate(predictions_table(predictions), truth_table(truth), ["ndcg@5", "map"])
    kept = [row for row in predictions if row[0] != "q1"]
    after = duckmetrics.evaluate(predictions_table(kept), truth_table(truth), ["ndcg@5", "map"])
    assert after["ndcg@5"] <= before["ndcg@5"]  # type: ignore[operator]
    assert after["map"] <= before["map"]  # type: ignore[operator]
    assert after.rows[0]["n"] == before.rows[0]["n"]


def keyed(found: dict[str, Any]) -> dict[tuple[str, Any], Any]:
    return {("", query): value for query, value in found.items()}
