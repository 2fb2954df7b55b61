"""Explanations of rankings: contributions of items, in words, and by groups, on cases computed by hand."""

from __future__ import annotations

from functools import cache
from math import fsum, log2
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups, Explanation

# The truth judges a, b, c and d for q1. A ranks a first; B ranks it fourth, and does not return b.
A = {"q1": {"a": 4, "b": 3, "x": 2, "c": 1}, "q2": {"a": 1}}
B = {"q1": {"x": 4, "c": 3, "y": 2, "a": 1}, "q3": {"e": 1}}
TRUTH = {"q1": {"a": 3, "b": 1, "c": 2, "d": 1, "x": 0}, "q2": {"a": 1}, "q3": {"e": 1}, "q4": {"a": 0}}
ITEMS = {
    "item_id": ["a", "b", "c", "x"],
    "title": ["red", "green", None, "blue"],
    "kind": ["r", "g", "r", None],
}
IDEAL = 3 + 2 / log2(3) + 1 / 2 + 1 / log2(5)


@cache
def both(metrics: str = "ndcg", **options: Any) -> Evaluation:
    """Evaluate A and B, once for all tests."""
    return duckmetrics.evaluate({"A": A, "B": B}, TRUTH, metrics.split(" + "), **options)


def items_of(found: Explanation, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in ("item_id", *columns)) for row in found.rows]


def total(found: Explanation | ExplainedGroups, column: str) -> float:
    return fsum(row[column] or 0.0 for row in found.rows)


def test_each_item_has_its_rank_grade_gain_and_contribution() -> None:
    found = both().explain("q1", system="A")
    assert items_of(found, "rank", "relevance", "is_relevant") == [
        ("a", 1, 3.0, True), ("b", 2, 1.0, True), ("x", 3, 0.0, False), ("c", 4, 2.0, True),
        ("d", None, 1.0, True),
    ]  # fmt: skip
    gains = [3, 1 / log2(3), 0, 2 / log2(5), 0]
    assert [row["gain"] for row in found.rows] == pytest.approx(gains)
    assert [row["contribution"] for row in found.rows] == pytest.approx([gain / IDEAL for gain in gains])
    assert total(found, "contribution") == pytest.approx(found.value, abs=1e-15)
    assert (found.baseline_side, found.delta, found.place) == (None, None, None)


def test_two_systems_are_side_by_side_and_their_differences_add_up() -> None:
    found = both().explain("q1")
    assert items_of(found, "baseline_rank", "rank") == [
        ("x", 3, 1), ("c", 4, 2), ("y", None, 3), ("a", 1, 4), ("b", 2, None), ("d", None, None),
    ]  # fmt: skip
    assert total(found, "contribution") == pytest.approx(found.value, abs=1e-15)
    assert total(found, "baseline_contribution") == pytest.approx(found.baseline_value, abs=1e-15)
    assert total(found, "difference") == pytest.approx(found.delta, abs=1e-15)
    assert found.delta == pytest.approx(
        (2 / log2(3) + 3 / log2(5)) / IDEAL - (3 + 1 / log2(3) + 2 / log2(5)) / IDEAL
    )


def test_sentences_name_what_moved_the_largest_difference_first() -> None:
    found = both("ndcg@3").explain("q1")
    ideal = 3 + 2 / log2(3) + 1 / 2
    assert found.sentences[:3] == (
        f"a (grade 3) fell from rank 1 to rank 4, below the cut-off at 3: {-3 / ideal:+.4f}",
        f"c (grade 2) rose from rank 4, below the cut-off at 3, to rank 2: {2 / log2(3) / ideal:+.4f}",
        f"b (grade 1) was lost, from rank 2: {-1 / log2(3) / ideal:+.4f}",
    )
    assert "not judged among the first 3: 1 (A 0); 1 unjudged item came in" in found.sentences
    assert found.sentences[-1].startswith("relevant items that add nothing for either system: d (1")


def test_an_item_that_is_found_says_so() -> None:
    found = both("recall").explain("q1", system="A", baseline="B")
    assert "b (grade 1) was found, at rank 2: +0.2500" in found.sentences


def test_items_that_stay_where_they_are_can_count_differently() -> None:
    found = duckmetrics.explain(
        {"A": {"q": {"x": 3, "a": 2}}, "B": {"q": {"b": 3, "a": 2}}},
        {"q": {"a": 1, "b": 1}},
        "map",
        query="q",
    )
    assert (
        "a (grade 1) stayed at rank 2, and counts differently as other items moved: +0.2500"
        in found.sentences
    )


def test_what_an_item_would_add_at_the_first_rank_comes_from_the_metric() -> None:
    found = duckmetrics.explain({"q": {"x": 2, "a": 1}}, {"q": {"a": 1, "z": 1}}, "map", query="q")
    # z, a: (1 + 2/3) / 2 instead of 1/2 / 2.
    assert found.sentences[-1] == f"relevant items that add nothing: z (1, at rank 1 {5 / 6 - 1 / 4:+.4f})"


@pytest.mark.slow
def test_equal_scores_are_reported_if_the_grades_differ() -> None:
    tied = {"q": {"a": 1, "b": 1, "x": 1}}
    truth = {"q": {"x": 1, "a": 0}}
    found = duckmetrics.explain(tied, truth, "mrr", query="q")
    assert (
        "the system has equal scores for items of other grades at ranks 1, 2, 3; ties=item_asc orders them"
        in (found.sentences)
    )
    assert not any(
        row["tied"] for row in duckmetrics.explain({"q": {"a": 1, "b": 1}}, truth, "mrr", query="q").rows
    )


def test_the_best_order_is_that_of_the_grades() -> None:
    assert both().explain("q1").ideal == [
        {"item_id": "a", "relevance": 3.0}, {"item_id": "c", "relevance": 2.0},
        {"item_id": "b", "relevance": 1.0}, {"item_id": "d", "relevance": 1.0},
    ]  # fmt: skip


@pytest.mark.slow
def test_the_place_of_a_difference_among_all_queries() -> None:
    ev = both("mrr")
    # B against A: q1 1/2 instead of 1, q2 0 instead of 1, q3 1 instead of 0.
    place = {query: ev.explain(query).place for query in ("q1", "q2", "q3")}
    assert {query: (p.place, p.is_gain, p.of) for query, p in place.items() if p} == {
        "q1": (2, False, 3), "q2": (1, False, 3), "q3": (1, True, 3),
    }  # fmt: skip
    assert "the 2nd largest loss of 3 queries" in repr(ev.explain("q1"))


# --- policies and unusual queries ---------------------------------------------------------------------


def test_a_query_without_an_answer_has_a_value_by_policy() -> None:
    found = both().explain("q3", system="A", baseline="B")
    assert (found.value, found.side.by_policy, found.side.n_items) == (0.0, "missing=zero", 0)
    assert [row["contribution"] for row in found.rows] == [None]
    assert total(found, "difference") == found.delta == -1.0
    assert found.sentences[0] == "A returned nothing for this query; its value is 0.0000 by missing=zero"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("switches", "value", "policy"),
    [({}, None, "no_relevant=null"), ({"no_relevant": "one"}, 0.0, "missing=zero"),
     ({"no_relevant": "one", "missing": "skip"}, None, "missing=skip")],
)  # fmt: skip
def test_a_query_without_a_relevant_item(switches: dict[str, str], value: float | None, policy: str) -> None:
    found = both(**switches).explain("q4", system="A")
    assert (found.value, found.side.by_policy, found.rows) == (value, policy, ())


def test_an_answered_query_without_a_relevant_item() -> None:
    found = duckmetrics.explain({"q": {"a": 1}}, {"q": {"b": 0}}, "ndcg", query="q", no_relevant="one")
    assert (found.value, found.side.by_policy) == (1.0, "no_relevant=one")
    assert [row["contribution"] for row in found.rows] == [None]


def test_an_unknown_query_is_refused() -> None:
    with pytest.raises(InputError, match="query 'q9': no such query; a query of the truth is q"):
        both().explain("q9")


def test_a_query_outside_of_the_truth_is_refused_and_can_be_counted() -> None:
    ev = duckmetrics.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "mrr")
    with pytest.raises(InputError, match="has predictions, but is not among the queries that count"):
        ev.explain("q2")
    found = duckmetrics.explain(
        {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}, "mrr", query="q2", population="predictions"
    )
    assert (found.value, found.side.by_policy) == (None, "no_relevant=null")


@pytest.mark.some(1)
@pytest.mark.parametrize("query", [7, "7", 7.0])
def test_a_query_may_be_text_or_a_number(query: Any) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE p AS SELECT 7 AS query_id, 'a' AS item_id, 1.0 AS score")
    connection.execute("CREATE TABLE t AS SELECT 7 AS query_id, 'a' AS item_id, 1 AS relevance")
    found = duckmetrics.explain("p", "t", "mrr", query=query, connection=connection)
    assert (found.query, found.value) == (7, 1.0)


def test_a_text_that_is_no_number_names_no_query() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE p AS SELECT 7 AS query_id, 'a' AS item_id, 1.0 AS score")
    with pytest.raises(InputError, match="no such query"):
        duckmetrics.explain(
            "p", "SELECT 7 AS query_id, 'a' AS item_id, 1 AS relevance", query="x", connection=connection
        )


@pytest.mark.slow
@pytest.mark.parametrize("query", ["u+2", ("u", 2), {"user": "u", "day": 2}])
def test_a_composite_query_is_named_by_its_parts(query: Any) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE p AS FROM (VALUES ('u', 1, 'a', 1.0), ('u', 2, 'b', 1.0)) "
                       "AS p(user, day, item_id, score)")  # fmt: skip
    connection.execute("CREATE TABLE t AS SELECT user, day, item_id, 1 AS relevance FROM p")
    ev = duckmetrics.evaluate("p", "t", "mrr", columns={"query_id": "user+day"}, connection=connection)
    found = ev.explain(query)
    assert (found.query, items_of(found, "rank")) == ({"user": "u", "day": 2}, [("b", 1)])
    with pytest.raises(InputError, match=r"the id has the parts user\+day"):
        ev.explain("u")


def test_ranks_with_a_hole() -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE p AS FROM (VALUES ('q', 'a', 1), ('q', 'b', 3)) AS p(query_id, item_id, rank)"
    )
    connection.execute(
        "CREATE TABLE t AS FROM (VALUES ('q', 'b', 2), ('q', 'z', 2)) AS t(query_id, item_id, relevance)"
    )
    found = duckmetrics.explain("p", "t", "map", query="q", connection=connection)
    assert items_of(found, "rank", "contribution") == [
        ("a", 1, 0.0),
        ("b", 3, pytest.approx(1 / 6)),
        ("z", None, 0.0),
    ]
    # z at rank 1 moves b to rank 4.
    assert found.sentences[-1].endswith(f"z (2, at rank 1 {(1 + 2 / 4) / 2 - 1 / 6:+.4f})")


def test_copies_of_an_item_count_separately() -> None:
    rows = {"query_id": ["q"] * 3, "item_id": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]}
    found = duckmetrics.explain(rows, {"q": {"a": 1, "b": 1}}, "hits", query="q", duplicates="count")
    assert items_of(found, "rank", "contribution") == [("a", 1, 1.0), ("a", 2, 1.0), ("b", 3, 1.0)]


# --- arguments ----------------------------------------------------------------------------------------


def test_the_first_metric_that_is_a_sum_is_explained() -> None:
    assert both("f1@3 + map").explain("q1").metric == "map"


@pytest.mark.some(2)
@pytest.mark.parametrize("metric", ["f1@3", "query_auc", "iprec(recall=0.5)", "first_rank", "n_relevant"])
def test_other_metrics_are_refused(metric: str) -> None:
    with pytest.raises(UnsupportedError, match="these metrics can be explained: average_precision"):
        both(metric).explain("q1")


def test_of_several_classes_the_refusal_names_the_slices() -> None:
    rows = {
        "label": ["a", "b", "c"],
        "country": [*"xyx"],
        "p_a": [0.5, 0.2, 0.3],
        "p_b": [0.3, 0.5, 0.3],
        "p_c": [0.2, 0.3, 0.4],
    }
    with pytest.raises(MetricError, match=r"several classes have no parts; slice them, .* \(--by\)"):
        duckmetrics.explain(rows, metrics="accuracy", classes="p_*", by="country")


def test_classifiers_have_no_items() -> None:
    clicks = {"label": [1, 0], "score": [0.9, 0.4]}
    with pytest.raises(MetricError, match="no metric of rankings was evaluated"):
        duckmetrics.evaluate(clicks, metrics="auc").explain("q1")
    with pytest.raises(MetricError, match="auc: is not a metric of rankings"):
        duckmetrics.explain(clicks, metrics="auc", query="q1")


@pytest.mark.slow
def test_of_several_metrics_a_note_names_the_one_that_is_explained() -> None:
    note = "mrr is the first of 2 metrics that can be explained; name another with metric= (-m)"
    ev = both("mrr + f1@3 + ndcg")
    assert ev.explain("q1").to_dict()["notes"][-1] == note
    assert ev.explain(by="rank").shown().notes[-1] == note
    assert ev.explain("q1", "ndcg").n_metrics == both().explain("q1").n_metrics == 1


def test_systems_are_named() -> None:
    three = duckmetrics.evaluate({"A": A, "B": B, "C": A}, TRUTH, "mrr")
    with pytest.raises(
        MetricError, match=r"several systems; name one of A, B, C with system= \(.*of=, --of\)"
    ):
        three.explain("q1")
    assert three.explain("q1", system="C", baseline="B").side.system == "C"
    with pytest.raises(MetricError, match="system 'b': not evaluated; did you mean 'B'"):
        three.explain("q1", system="b")
    with pytest.raises(MetricError, match="B is the system and the baseline"):
        three.explain("q1", system="B", baseline="B")


def test_a_query_or_a_grouping_is_asked_for() -> None:
    for arguments in ({}, {"query": "q1", "by": "grade"}):
        with pytest.raises(MetricError, match=r"takes either query= \(--query\) or by="):
            both().explain(**arguments)  # type: ignore[call-overload]
    with pytest.raises(MetricError, match="n=0 is not a number of rows"):
        both().explain("q1", n=0)


@pytest.mark.slow
def test_results_of_evaluate_are_explained_one_by_one() -> None:
    one, other = (duckmetrics.evaluate(run, TRUTH, "mrr") for run in (A, B))
    result = duckmetrics.compare({"A": one, "B": other}, metrics="mrr")
    with pytest.raises(MetricError, match="results of evaluate: have no predictions"):
        result.explain("q1")


@pytest.mark.slow
def test_a_comparison_explains_against_its_baseline() -> None:
    result = duckmetrics.compare({"A": A, "B": B}, TRUTH, "mrr", baseline="B")
    found = result.explain("q1")
    assert (found.side.system, found.baseline_side.system) == ("A", "B")


# --- the table of items -------------------------------------------------------------------------------


def test_columns_of_items_are_shown() -> None:
    found = both("ndcg@3").explain("q1", items=ITEMS, show="title")
    assert items_of(found, "title")[:4] == [("x", "blue"), ("c", None), ("y", None), ("a", "red")]
    assert "a red (grade 3) fell" in found.sentences[0]
    assert found.summary["title"].to_pylist()[0] == "blue"


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            {"item_id": ["a", "a", "b", "c", "c"], "title": list("vwxyz")},
            r"several times: a \(2 rows\), c \(2 rows\)",
        ),
        ({"item_id": [1], "title": ["x"]}, "item_id is integer, and of the predictions text"),
        ({"item_id": ["a"], "name": ["x"]}, "no column 'title'; found item_id, name"),
        (None, "and no table of items; give it with items="),
    ],
)
def test_items_that_cannot_be_used_are_refused(items: Any, message: str) -> None:
    with pytest.raises((InputError, MetricError), match=message):
        both().explain("q1", items=items, show="title")


# --- groups -------------------------------------------------------------------------------------------


def groups(found: ExplainedGroups) -> dict[tuple[str, Any], tuple[float | None, float | None]]:
    return {(r["kind"], r[found.by]): (r["baseline_contribution"], r["contribution"]) for r in found.rows}


def test_groups_add_up_to_the_means_and_their_difference() -> None:
    ev = both("map")
    for by in ("grade", "rank", "item_id", "item.kind"):
        found = ev.explain(by=by, items=ITEMS)
        assert total(found, "contribution") == pytest.approx(ev.value("map", system="B"), abs=1e-15)
        assert total(found, "baseline_contribution") == pytest.approx(ev.value("map", system="A"), abs=1e-15)
        assert total(found, "difference") == pytest.approx(found.delta, abs=1e-15)
        assert total(found, "share") == pytest.approx(1.0)


def test_groups_by_rank_are_the_contributions_of_all_queries() -> None:
    # Three queries count. A: q1 1 + 1/2, q2 1; mrr counts the first hit only.
    assert groups(both("mrr").explain(by="rank")) == {
        ("group", 1): (pytest.approx(2 / 3), pytest.approx(1 / 3)),
        ("group", 2): (0.0, pytest.approx(0.5 / 3)),
        ("group", 4): (0.0, 0.0),
        ("policy", None): (0.0, 0.0),
    }


def test_an_item_without_a_group_is_in_the_group_of_null() -> None:
    found = groups(both("hits").explain(by="item.kind", items=ITEMS))
    # A finds a, b, c for q1 and a for q2; B finds c and a for q1, and e, which has no kind, for q3.
    assert found["group", "r"] == (pytest.approx(1.0), pytest.approx(2 / 3))
    assert found["group", "g"] == (pytest.approx(1 / 3), 0.0)
    assert found["group", None] == (0.0, pytest.approx(1 / 3))


def test_groups_beyond_the_first_are_one_row() -> None:
    found = both("hits").explain(by="item_id", n=1)
    kinds = [(row["kind"], row["n_groups"]) for row in found.rows]
    assert kinds == [("group", 1), ("others", 3), ("policy", 1)]
    assert total(found, "difference") == pytest.approx(found.delta)


def test_values_by_policy_have_a_row_of_their_own() -> None:
    found = both("hit_rate", no_relevant="one").explain(by="grade")
    # Four queries count: B has no answer for q2, and no system has one for q4, where missing comes first.
    assert groups(found)["policy", None] == (0.0, 0.0)
    answered = {"A": {**A, "q4": {"x": 1}}, "B": {**B, "q4": {"x": 1}}}
    found = duckmetrics.explain(answered, TRUTH, "hit_rate", by="grade", no_relevant="one")
    assert groups(found)["policy", None] == (0.25, 0.25)
    assert total(found, "contribution") == pytest.approx(found.value)


def test_groups_by_an_attribute_of_the_query() -> None:
    queries = {"query_id": ["q1", "q2"], "land": ["DE", "FR"]}
    found = duckmetrics.explain({"A": A, "B": B}, TRUTH, "hits", by="query.land", queries=queries)
    assert groups(found) == {
        ("group", "DE"): (pytest.approx(1.0), pytest.approx(2 / 3)),
        ("group", "FR"): (pytest.approx(1 / 3), 0.0),
        ("group", None): (0.0, pytest.approx(1 / 3)), ("policy", None): (0.0, 0.0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("by", "message"),
    [("grades", "did you mean 'grade'"), ("land", r"write query\.land .*, item\.land .*, or grade"),
     ("item.kind", "no table of items; give it with items="), ("query.land", "no table has a column 'land'")],
)  # fmt: skip
def test_groupings_that_do_not_exist_are_refused(by: str, message: str) -> None:
    with pytest.raises((MetricError, InputError), match=message):
        both().explain(by=by)


def test_only_means_have_groups() -> None:
    with pytest.raises(UnsupportedError, match="is the median of the queries, and only a mean is a sum"):
        both("map(agg=median)").explain(by="grade")


# --- what a reader sees -------------------------------------------------------------------------------

SCREEN = """\
query q1, hits: B 2.0000, A 3.0000 (-1.0000)

rank  A    grade    adds  B    grade    adds
----  ---  -----  ------  ---  ------  ------
   1  a        3  1.0000  x         0       0
   2  b        1  1.0000  c         2  1.0000
   3  x        0       0  y         ?       0
   4  c        2  1.0000  a         3  1.0000
      sum         3.0000  sum          2.0000

hits = h, the number of relevant items at ranks <= k
best order: a (3), c (2), b (1), d (1)
the largest loss of 3 queries
b (grade 1) was lost, from rank 2: -1.0000
not judged among the first 10: 1 (A 0); 1 unjudged item came in
relevant items that add nothing for either system: d (1, at rank 1 +1.0000)"""


def test_the_screen() -> None:
    found = both("hits").explain("q1")
    assert "\n".join(found.lines(80)) == SCREEN
    assert repr(found) == SCREEN


@pytest.mark.slow
def test_long_lists_say_what_lower_ranks_add() -> None:
    run = {"q": {f"i{n:02}": -n for n in range(1, 31)}}
    truth = {"q": {f"i{n:02}": 1 for n in range(1, 31)}}
    found = duckmetrics.explain(run, truth, "recall", query="q")
    assert "ranks after 10         0.6667" in repr(found)
    assert "ranks after" not in repr(duckmetrics.explain(run, truth, "recall@10", query="q"))


HOSTILE = "[red]<b>&\n\x1b[31m|x"


def test_hostile_names_stay_on_their_line() -> None:
    run = {"q": {HOSTILE: 1.0}}
    items = {"item_id": [HOSTILE], "title": [HOSTILE]}
    ev = duckmetrics.evaluate({HOSTILE: run, "B": {"q": {"a": 1.0}}}, {"q": {HOSTILE: 1, "a": 1}}, "mrr")
    found = ev.explain("q", items=items, show="title")
    for text in (repr(found), "\n".join(found.sentences), found.shown().markdown()):
        assert "\x1b" not in text
        assert "<b>&\n" not in text
    assert "<b>&" not in found._repr_html_()
    assert found.rows[-1]["item_id"] == HOSTILE
    grouped = ev.explain(by="item.title", items=items)
    assert "\x1b" not in repr(grouped)
    assert "<b>&" not in grouped._repr_html_()


def test_a_narrow_screen_has_one_list_below_the_other() -> None:
    found = both("hits").explain("q1", items={"item_id": ["a"], "title": ["long " * 12]}, show="title")
    lines = found.lines(80)
    assert [line.split()[1] for line in lines if line.startswith("rank ")] == ["A", "B"]
    assert max(map(len, lines)) <= 85  # a title is never cut


def test_the_document_has_the_sums() -> None:
    document = both().explain("q1").to_dict()
    assert document["command"] == "explain"
    assert fsum(row["difference"] for row in document["rows"]) == pytest.approx(document["delta"], abs=1e-15)
    assert document["value"] - document["baseline_value"] == document["delta"]
    assert document["notes"] == list(both().explain("q1").sentences)


SHOP = ("data/shop/recommendations.parquet", "data/shop/purchases.parquet")
METRICS = ["ndcg@5", "map@10", "mrr", "recall@5", "rbp@10", "err", "bpref", "judged@10", "hit_rate@3"]


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_contributions_of_the_shop_add_up_to_all_means(metric: str) -> None:
    ev = duckmetrics.evaluate(*SHOP, metric, system="model", columns={"query_id": "user_id"})
    for by in ("rank", "grade", "item_id", "query.country"):
        found = ev.explain(by=by, baseline="baseline")
        assert total(found, "contribution") == pytest.approx(ev.value(metric, "candidate"), abs=1e-12)
        assert total(found, "difference") == pytest.approx(found.delta, abs=1e-12)
    for query in (10191, 11794, 10219):
        one = ev.explain(query, baseline="baseline")
        assert total(one, "difference") == pytest.approx(one.delta, abs=1e-12)


def test_a_csv_is_read_again_for_the_column_of_an_explanation(tmp_path: Path) -> None:
    """An evaluation reads the columns that it needs; an explanation may need others."""
    csv = {name: tmp_path / f"{name}.csv" for name in ("run", "truth", "impressions")}
    for path, (name, rows) in zip(csv.values(), (
        ("recommendations", "user_id < 10300"), ("purchases", "user_id < 10300"), ("impressions", "true"),
    ), strict=True):  # fmt: skip
        duckdb.sql(f"COPY (FROM 'data/shop/{name}.parquet' WHERE {rows}) TO '{path}'")
    rankings: dict[str, Any] = {"metrics": "ndcg@5", "system": "model", "columns": {"query_id": "user_id"}}
    clicks: dict[str, Any] = {"metrics": "log_loss", "columns": {"label": "clicked", "score": "pctr"}}
    for tables, options, by, shown in (
        ((csv["run"], csv["truth"]), rankings, "query.country", {"baseline": "baseline"}),
        ((csv["impressions"],), clicks, "country", {}),
    ):
        whole = duckmetrics.evaluate(*tables, by=by.removeprefix("query."), **options).explain(by=by, **shown)
        found = duckmetrics.evaluate(*tables, **options).explain(by=by, **shown)
        assert len(found.rows) > 3
        assert found.rows == whole.rows
    rows = duckmetrics.evaluate(csv["impressions"], **clicks).explain(by="row", show=["country"], n=3).rows
    assert [bool(row["country"]) for row in rows] == [True, True, True, False]  # the others


@pytest.mark.slow
def test_nothing_stays_on_the_callers_connection() -> None:
    run, other = {"q1": {"a": 2, "b": 1}}, {"q1": {"b": 2, "a": 1}}
    with duckdb.connect() as connection:
        result = duckmetrics.compare({"A": run, "B": other}, {"q1": {"a": 1}}, "mrr", connection=connection)
        before = connection.sql("SHOW ALL TABLES").fetchall()
        result.explain("q1")
        result.explain(by="rank")
        result.report()
        assert connection.sql("SHOW ALL TABLES").fetchall() == before


def test_groups_without_a_contribution_explain_a_value_of_0() -> None:
    """No item adds anything at rank 1, so both values are 0, as `evaluate` says, and not unknown."""
    runs = {"A": {"q1": {"n": 2, "x": 1}}, "B": {"q1": {"m": 2, "x": 1}}}
    found = duckmetrics.explain(runs, {"q1": {"x": 1}}, "hit_rate@1", by="rank")
    assert (found.value, found.baseline_value, found.delta, found.rows) == (0, 0, 0, ())
    one = duckmetrics.explain(runs["A"], {"q1": {"x": 1}}, "hit_rate@1", by="item_id")
    assert (one.value, one.baseline_value, one.rows) == (0, None, ())


def test_groups_of_a_system_without_a_value_explain_none() -> None:
    """A system that answered no query that counts has no value, whatever the other one adds."""
    runs = {"A": {"q1": {"x": 1}}, "B": {"q3": {"x": 1}}}
    qrels = {"q1": {"x": 1}, "q3": {"x": 0}}
    found = duckmetrics.explain(runs, qrels, "mrr", by="rank", missing="skip")
    sides = {found.side.system: found.value, found.baseline_side.system: found.baseline_value}
    assert sides == {"A": 1, "B": None}
    assert found.delta is None
