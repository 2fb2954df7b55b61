"""The part of a number that depends on the order of equal scores."""

from __future__ import annotations

import itertools
import json
import math
import operator
import random
from statistics import pvariance
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import MetricError
from duckmetrics.comparison import shuffled
from duckmetrics.reference import per_query
from support.command_line import exports, run
from support.own_metrics import folder, write

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

pytestmark = pytest.mark.engine

__all__ = ["exports", "folder", "run"]

METRICS = ["map@3", "ndcg@3", "mrr", "precision@2", "r_precision", "hit_rate@1"]
NAMES = {
    "map@3": ("average_precision", 3), "ndcg@3": ("ndcg", 3), "mrr": ("reciprocal_rank", None),
    "precision@2": ("precision", 2), "r_precision": ("r_precision", None), "hit_rate@1": ("hit_rate", 1),
}  # fmt: skip


def world(seed: int) -> tuple[list[tuple[str, str, str, float]], list[tuple[str, str, int]]]:
    rng = random.Random(seed)
    predictions, truth = [], []
    for query in "abcdef":
        items = rng.sample("stuvwxyz", 4)
        predictions += [("A", query, item, float(rng.choice([1, 1, 2, 3]))) for item in items]
        truth += [(query, item, rng.choice([0, 1, 1, 2])) for item in rng.sample("stuvwxyz", 5)]
    truth.append(("missing", "s", 1))
    return predictions, truth


def tables(predictions: Any, truth: Any) -> tuple[str, str]:
    run = ", ".join(f"('{q}', '{i}', {s})" for _, q, i, s in predictions)
    qrels = ", ".join(f"('{q}', '{i}', {g})" for q, i, g in truth)
    return (
        f"FROM (VALUES {run}) AS t(query_id, item_id, score)",
        f"FROM (VALUES {qrels}) AS t(query_id, item_id, relevance)",
    )


def orders(rows: Any) -> Any:
    """Yield every order of the rows of a query that its scores allow, as scores without ties."""
    ranked = sorted(rows, key=lambda row: -row[3])
    groups = [list(group) for _, group in itertools.groupby(ranked, key=lambda row: row[3])]
    for chosen in itertools.product(*(itertools.permutations(group) for group in groups)):
        flat = [row for group in chosen for row in group]
        yield [(*row[:3], float(-place)) for place, row in enumerate(flat)]


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spec", METRICS)
def test_the_bounds_are_those_over_all_orders(seed: int, spec: str) -> None:
    """The bounds of a query are the extreme values of the reference over all orders of equal scores."""
    predictions, truth = world(seed)
    name, k = NAMES[spec]
    params = {} if k is None else {"k": k}
    lowest, highest = [], []
    for query in dict.fromkeys(q for q, *_ in truth):
        rows = [row for row in predictions if row[1] == query]
        qrels = [row for row in truth if row[0] == query]
        found = [per_query(name, order, qrels, systems=["A"], **params)["A", query] for order in orders(rows)]
        values = [value for value in found if value is not None]
        if values:
            lowest.append(min(values))
            highest.append(max(values))
    (row,) = duckmetrics.ties(*tables(predictions, truth), spec).rows
    assert row.pessimistic == pytest.approx(sum(lowest) / len(lowest), abs=1e-12)
    assert row.optimistic == pytest.approx(sum(highest) / len(highest), abs=1e-12)
    different = sum(high - low > 1e-12 for low, high in zip(lowest, highest, strict=True))
    assert (row.n_dependent, row.n_queries) == (different, len(dict.fromkeys(q for q, *_ in truth)))
    assert row.pessimistic <= (row.value or 0) <= row.optimistic


@pytest.mark.slow
def test_without_ties_nothing_depends_on_them() -> None:
    predictions, truth = world(1)
    untied = [(*row[:3], float(place)) for place, row in enumerate(predictions)]
    for row in duckmetrics.ties(*tables(untied, truth), METRICS).rows:
        assert row.pessimistic == row.value == row.optimistic
        assert (row.sd, row.n_orders, row.n_dependent, row.share) == (0.0, 0, 0, 0.0)


@pytest.mark.slow
def test_systems_presets_and_switches() -> None:
    one, other = world(2), world(3)
    systems = {"A": tables(*one)[0], "B": tables(*other)[0]}
    truth = tables(*one)[1]
    rows = duckmetrics.ties(None, truth, ["mrr"], system=systems, like="pytrec_eval").rows
    assert [row.system for row in rows] == ["A", "B"]
    wanted = duckmetrics.evaluate(None, truth, ["mrr"], system=systems, like="pytrec_eval")
    assert [row.value for row in rows] == [wanted.value("mrr", system=name) for name in "AB"]
    (best,) = duckmetrics.ties(systems["A"], truth, "mrr", ties="optimistic").rows
    assert best.value == best.optimistic


def test_metrics_of_rows_know_no_order() -> None:
    with pytest.raises(MetricError, match="does not depend on the order of equal scores"):
        duckmetrics.ties("SELECT 1 AS label, 1 AS score", metrics="auc")


@pytest.mark.parametrize(
    ("metric", "why"),
    [("personalization@1", "has no values of queries"), ("overlap@1", "reads a table besides"),
     ("arp@1", "reads a table besides")],
)  # fmt: skip
def test_metrics_of_lists_and_of_further_tables_are_refused(metric: str, why: str) -> None:
    with pytest.raises(MetricError, match=f"{metric}: {why}"):
        duckmetrics.ties({"q": {"a": 0.5, "b": 0.5}}, {"q": {"b": 1}}, metric)


def test_composite_ids() -> None:
    run = (
        "FROM (VALUES (1, 'x', 'a', 1.0), (1, 'x', 'b', 1.0), (1, 'y', 'a', 1.0)) AS t(u, d, item_id, score)"
    )
    truth = "FROM (VALUES (1, 'x', 'a'), (1, 'y', 'a')) AS t(u, d, item_id)"
    (row,) = duckmetrics.ties(run, truth, "mrr", columns={"query_id": "u+d"}).rows
    assert (row.pessimistic, row.optimistic, row.n_dependent, row.n_queries) == (0.75, 1.0, 1, 2)


@pytest.mark.slow
def test_shown_and_written(run: Command) -> None:
    given = tables(*world(0))
    report = duckmetrics.ties(*given, ["map@3", "mrr"])
    shown = run("ties", *given, "-m", "map@3,mrr")
    assert (shown.code, shown.out) == (0, f"{report!r}\n")
    assert shown.out.splitlines()[0].split() == [
        "metric",
        "value",
        "pessimistic",
        "optimistic",
        "sd",
        "queries",
        "share",
    ]
    rows = json.loads(run("ties", *given, "-m", "map@3", "--format", "json").out)["rows"]
    assert rows[0]["share"] == report.rows[0].share
    assert report.summary.num_rows == 2


def test_a_truth_that_is_missing_is_asked_for_by_the_metric() -> None:
    with pytest.raises(duckmetrics.InputError, match="no truth table, which mrr needs"):
        duckmetrics.ties({"q1": {"a": 0.5, "b": 0.5}}, None, "mrr")


# --- in random orders --------------------------------------------------------------------------------


@pytest.fixture
def many_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw enough orders for an error of a deviation well below one percent."""
    monkeypatch.setattr(shuffled, "LIMITS", {"most_orders": 20_000, "most_rows": 10**8, "least_lists": 1})


def values_of(
    name: str, predictions: Any, truth: Any, system: str = "A", **params: Any
) -> list[list[float | None]]:
    """Return the values of the reference in each order of the scores, by query of the truth."""
    found = []
    for query in dict.fromkeys(q for q, *_ in truth):
        rows = [row for row in predictions if row[:2] == (system, query)]
        qrels = [row for row in truth if row[0] == query]
        given = (per_query(name, order, qrels, systems=[system], **params) for order in orders(rows))
        found.append([values[system, query] for values in given])
    return found


def deviation(lists: list[list[float | None]], weights: Any = None) -> float:
    """Return the standard deviation of the mean, all orders being equally likely (delta method)."""
    weights = [1.0] * len(lists) if weights is None else weights
    shares = [sum(value is not None for value in values) / len(values) for values in lists]
    n = sum(map(operator.mul, weights, shares))
    sums = [sum(value or 0 for value in values) / len(values) for values in lists]
    mean = sum(map(operator.mul, weights, sums)) / n
    spreads = [pvariance([0.0 if value is None else value - mean for value in values]) for values in lists]
    return math.sqrt(sum(w * w * spread for w, spread in zip(weights, spreads, strict=True))) / n


SPREAD = [
    *METRICS, "ndcg(gain=exp2, ideal=returned)@3", "map(norm=hits)@2", "bpref", "recall(rel=2)@2",
    "precision(norm=returned)@10", "first_rank@1", "ndcg(unjudged=skip)@2",
    "mrr(missing=skip, no_relevant=zero)",
]  # fmt: skip


def asked_of(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the name of the reference and the parameters of a spec."""
    if spec in NAMES:
        name, k = NAMES[spec]
        return name, {} if k is None else {"k": k}
    name, _, rest = spec.replace(")", "").replace("@", ", k=").partition("(")
    name, _, k = name.partition(", k=")
    given = dict(part.split("=") for part in rest.split(", ") if part) | ({"k": k} if k else {})
    names = {"map": "average_precision", "mrr": "reciprocal_rank"}
    return names.get(name, name), {n: int(v) if v.isdecimal() else v for n, v in given.items()}


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("many_orders")
def test_the_deviation_is_that_over_all_orders(seed: int) -> None:
    """Lists are short enough to try all orders; one query is missing, and ties cross cut-offs."""
    predictions, truth = world(seed)
    rows = duckmetrics.ties(*tables(predictions, truth), SPREAD).rows
    for spec, row in zip(SPREAD, rows, strict=True):
        name, params = asked_of(spec)
        expected = deviation(values_of(name, predictions, truth, **params))
        assert row.sd == pytest.approx(expected, rel=0.02, abs=1e-12), spec
        assert row.n_orders == (20_000 if row.n_orders else 0)


@pytest.mark.usefixtures("many_orders")
def test_the_deviation_of_each_system_with_weights() -> None:
    one, other = world(2), world(3)
    run = [*one[0], *(("B", *row[1:]) for row in other[0])]
    truth = [*one[1], *other[1][-1:]]
    weights = {query: float(2**place) for place, query in enumerate("abcdef")} | {"missing": 0.0}
    rows = ", ".join(f"('{m}', '{q}', '{i}', {s})" for m, q, i, s in run)
    qrels = ", ".join(f"('{q}', '{i}', {g}, {weights[q]})" for q, i, g in dict.fromkeys(truth))
    found = duckmetrics.ties(
        f"FROM (VALUES {rows}) AS t(model, query_id, item_id, score)",
        f"FROM (VALUES {qrels}) AS t(query_id, item_id, relevance, traffic)",
        ["map@3", "precision@2"], system="model", columns={"weight": "traffic"},
    ).rows  # fmt: skip
    for row in found:
        name, params = asked_of(row.metric)
        lists = values_of(name, run, dict.fromkeys(truth), str(row.system), **params)
        assert row.sd == pytest.approx(deviation(lists, list(weights.values())), rel=0.02), row
    assert [row.system for row in found] == ["A", "B", "A", "B"]


def test_values_that_some_orders_lack() -> None:
    """The order decides which queries have a value, and so also their number."""
    n, rng = 400, np.random.default_rng(5)
    run = "SELECT q, i, 1 AS score FROM range(400) AS a(q), range(4) AS b(i)"
    some, first = duckmetrics.ties(
        run, "SELECT q, 0 AS i, 1 AS relevance FROM range(400) AS a(q)", ["first_rank@2", "first_rank@1"],
        columns={"query_id": "q", "item_id": "i"},
    ).rows  # fmt: skip
    ranks = rng.integers(1, 5, (5000, n)).astype(float)
    expected = np.nanmean(np.where(ranks <= 2, ranks, np.nan), axis=1).std()
    assert some.sd == pytest.approx(expected, rel=0.04)
    assert (first.value, first.sd) == (1.0, 0.0)


def large(n_queries: int = 2000, n_items: int = 30) -> tuple[Any, Any]:
    """Return scores with many ties, and grades, by query and item."""
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 8, (n_queries, n_items))
    grades = np.where(rng.random((n_queries, n_items)) < 0.3, rng.integers(0, 4, (n_queries, n_items)), 0)
    return scores, grades


def exact_variances(scores: Any, grades: Any, weights: Any) -> Any:
    """Return the variance of sum of weight(rank) * grade(item) of each query, ties in a random order.

    In a group of t items, it is Sgg Sww / (t - 1), with the sums of squares of grades and weights.
    """
    found = np.zeros(len(scores))
    for place, (own, graded) in enumerate(zip(scores, grades, strict=True)):
        order = np.argsort(-own, kind="stable")
        for score in np.unique(own):
            at = np.flatnonzero(own[order] == score)
            if len(at) > 1:
                gains, places = graded[order][at], weights[at]
                squares = np.sum((gains - gains.mean()) ** 2) * np.sum((places - places.mean()) ** 2)
                found[place] += squares / (len(at) - 1)
    return found


@pytest.mark.parametrize("most_rows", [1_000_000, 1], ids=["usual", "two_orders"])
def test_a_large_table_has_the_closed_forms(most_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties cross the cut-offs in most lists; even two orders of each list are enough for many lists."""
    monkeypatch.setattr(shuffled, "LIMITS", {**shuffled.LIMITS, "most_rows": most_rows})
    scores, grades = large()
    queries, items = (axis.ravel().tolist() for axis in np.indices(scores.shape))
    run = pa.table({"query_id": queries, "item_id": items, "score": scores.ravel().astype(float)})
    qrels = pa.table({"query_id": queries, "item_id": items, "relevance": grades.ravel()})
    dcg, precision = duckmetrics.ties(run, qrels, ["dcg@10", "precision@10"]).rows
    ranks = np.arange(1, scores.shape[1] + 1)
    discounts = np.where(ranks <= 10, 1 / np.log2(ranks + 1), 0)
    relevant = (grades > 0).any(axis=1)
    for row, gains, weights in (
        (dcg, grades, discounts), (precision, (grades > 0).astype(float), (ranks <= 10) / 10),
    ):  # fmt: skip
        variances = exact_variances(scores, gains, weights)[relevant]
        expected = math.sqrt(variances.sum()) / len(variances)
        assert row.sd == pytest.approx(expected, rel=0.04 if most_rows == 1 else 0.01)
        assert row.n_orders == (2 if most_rows == 1 else 8)


def test_the_usual_number_of_orders_and_the_same_numbers_again() -> None:
    given = tables(*world(0))
    assert duckmetrics.ties(*given, METRICS).rows == duckmetrics.ties(*given, METRICS).rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffled, "LIMITS", {"most_orders": 1000, "most_rows": 1, "least_lists": 200})
        # Five lists have ties that matter: 40 orders of each are 200 in all.
        assert duckmetrics.ties(*given, "mrr").rows[0].n_orders == 40


@pytest.mark.usefixtures("many_orders")
def test_copies_of_an_item_are_ordered_as_separate_items() -> None:
    """Two copies of a and one b tie: the place of b is 1, 2 or 3, each with the same probability."""
    run = pa.table({"query_id": [1, 1, 1], "item_id": ["a", "a", "b"], "score": [0.5, 0.5, 0.5]})
    truth = pa.table({"query_id": [1], "item_id": ["b"]})
    counted, first = (
        duckmetrics.ties(run, truth, "first_rank", duplicates=copies).rows[0] for copies in ("count", "first")
    )
    assert counted.sd == pytest.approx(math.sqrt(2 / 3), rel=0.02)
    assert first.sd == pytest.approx(0.5, rel=0.02)


def test_scores_that_tie_as_float32_and_ranks_that_never_do() -> None:
    run = {"q": {"a": 1.0, "b": 1.0 + 1e-9, "c": 0.5}}
    truth = {"q": {"a": 1}}
    (exact,) = duckmetrics.ties(run, truth, "mrr").rows
    (rounded,) = duckmetrics.ties(run, truth, "mrr", scores="float32").rows
    assert (exact.sd, exact.n_orders) == (0.0, 0)
    assert rounded.sd == pytest.approx(0.25, rel=0.05)
    assert rounded.n_orders == 1000
    ranked = pa.table({"query_id": [1, 1], "item_id": [1, 2], "rank": [1, 2]})
    (row,) = duckmetrics.ties(ranked, pa.table({"query_id": [1], "item_id": [2]}), "mrr").rows
    assert (row.value, row.sd, row.n_orders) == (0.5, 0.0, 0)


def test_lists_that_are_empty_scores_that_are_null_and_no_query_at_all() -> None:
    lists = pa.table({"query_id": [1, 2, 3], "items": [[1, 2], [], [3]], "scores": [[0.5, 0.5], [], [0.5]]})
    truth = pa.table({"query_id": [1, 2, 3], "item_id": [1, 1, 1]})
    (row,) = duckmetrics.ties(lists, truth, "mrr").rows
    assert row.sd == pytest.approx(0.25 / 3, rel=0.05)
    with pytest.raises(duckmetrics.InputError, match="NULL"):
        duckmetrics.ties("SELECT 1 AS query_id, 1 AS item_id, NULL::DOUBLE AS score", truth, "mrr")
    (row,) = duckmetrics.ties({"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 0, "b": 0}}, "mrr").rows
    assert (row.value, row.sd, row.n_orders) == (None, None, 0)


def test_metrics_of_one_table_and_of_the_answers() -> None:
    log = {"query_id": [1, 1, 1], "item_id": [1, 2, 3], "score": [0.5, 0.5, 0.1], "label": [1, 0, 0]}
    (row,) = duckmetrics.ties(pa.table(log), metrics="ranking.mrr", labels="returned").rows
    assert row.sd == pytest.approx(0.25, rel=0.05)
    (row,) = duckmetrics.ties({"q": {"a": 0.5, "b": 0.5}}, None, "n_returned").rows
    assert (row.value, row.sd) == (2.0, 0.0)


@pytest.mark.usefixtures("folder")
def test_a_file_of_the_user_may_tell_items_of_one_grade_apart() -> None:
    """The grades are equal and the prices differ, so the value depends on an order that grades do not see."""
    path = write("price_first", PRICE)
    run = pa.table({"query_id": [1, 1], "item_id": [1, 2], "score": [0.5, 0.5]})
    truth = pa.table({"query_id": [1, 1], "item_id": [1, 2], "relevance": [1, 1], "price": [10.0, 30.0]})
    (row,) = duckmetrics.ties(run, truth, path).rows
    assert (row.value, row.sd) == (10.0, pytest.approx(10, rel=0.05))


PRICE = """-- name:   price_first
-- inputs: predictions (query_id, item_id, score), truth (query_id, item_id, relevance, price)
-- range:  [0, inf), higher is better
SELECT queries.system, queries.query_id, sum(truth.price) FILTER (WHERE ranked.rank = 1) AS value
FROM queries
JOIN truth ON truth.query_id = queries.query_id
LEFT JOIN ranked
    ON ranked.system = queries.system AND ranked.query_id = truth.query_id AND ranked.item_id = truth.item_id
GROUP BY queries.system, queries.query_id;
"""


def test_a_median_has_no_deviation() -> None:
    report = duckmetrics.ties(*tables(*world(0)), ["mrr", "mrr(agg=median)"])
    assert [row.sd is None for row in report.rows] == [False, True]
    assert report.notes == (
        "mrr(agg=median): no sd, because it is the median of the queries, not their mean",
    )
    assert str(report).splitlines()[-1] == f"note: {report.notes[0]}"
    assert report.to_dict()["notes"] == list(report.notes)


def test_nothing_stays_on_the_connection() -> None:
    with duckdb.connect() as connection:
        duckmetrics.ties({"q": {"a": 0.5, "b": 0.5}}, {"q": {"a": 1}}, "mrr", connection=connection)
        assert connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]


# --- which system is best ----------------------------------------------------------------------------

TRUTH = {"q1": {"a": 1}, "q2": {"a": 1}}
# The item a is at one of the places 1 to 3, and at place 2.
TIED = {"q1": {"a": 0.5, "b": 0.5, "c": 0.5}, "q2": {"b": 0.5, "a": 0.4}}
# It is at the places 1 and 3.
SURE = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"b": 0.9, "c": 0.8, "a": 0.7}}


def test_ties_that_could_change_the_best_system_are_noted() -> None:
    """With lower and with higher values being better, and with the deviation of the difference."""
    report = duckmetrics.ties({"sure": SURE, "tied": TIED}, TRUTH, ["mrr", "first_rank"])
    sds = {
        "mrr": math.sqrt(pvariance([1, 1 / 2, 1 / 3])) / 2,
        "first_rank": math.sqrt(pvariance([1, 2, 3])) / 2,
    }
    for note, (metric, sd), lead in zip(report.notes, sds.items(), ["0.083", "0.5"], strict=True):
        start = (
            f"{metric}: ties could change which system is best: tied leads sure by {lead}, and an order "
            "against it reverses this; in random orders, the difference has a standard deviation of "
        )
        assert note.startswith(start)
        assert note.endswith("; export scores without rounding")
        told = float(note.removeprefix(start).partition(";")[0])
        assert told == pytest.approx(sd, rel=0.05)
    assert [finding.severity for finding in report.checks] == ["note", "note"]


def test_the_note_looks_at_every_system_and_may_lack_the_deviation() -> None:
    best = {"q1": {"a": 0.9}, "q2": {"a": 0.9}}
    assert duckmetrics.ties({"best": best, "sure": SURE, "tied": TIED}, TRUTH, "mrr").notes == ()
    far = {"q1": {"a": 0.9}, "q2": {"b": 0.9, "a": 0.1}}
    found = duckmetrics.ties({"far": far, "sure": SURE, "tied": TIED}, TRUTH, "mrr", ties="pessimistic")
    # The tied system is the last one, and in its best order as good as the first one, but not better.
    assert (found.rows[-1].optimistic, found.notes) == (0.75, ())
    nearer = {"q1": {"a": 0.9}, "q2": {"b": 0.9, "c": 0.8, "a": 0.1}}
    found = duckmetrics.ties(
        {"near": nearer, "sure": SURE, "tied": TIED}, TRUTH, "mrr(agg=sum)", ties="pessimistic"
    )
    without, undecided = found.notes
    assert without == "mrr(agg=sum): no sd, because it is the sum of the queries, not their mean"
    assert "near leads tied by 0.5, and an order against it reverses this; export" in undecided


def test_systems_without_ties_get_no_note() -> None:
    untied = {"q1": {"a": 0.5, "b": 0.4}, "q2": {"a": 0.5}}
    assert duckmetrics.ties({"A": untied, "B": SURE}, TRUTH, ["mrr", "n_returned"]).notes == ()
    assert duckmetrics.ties({"A": untied, "B": untied}, TRUTH, "mrr").notes == ()


@pytest.mark.slow
def test_the_command_shows_the_notes_and_writes_them(run: Command, tmp_path: Path) -> None:
    for name, lists in (("tied", TIED), ("sure", SURE)):
        rows = [{"query_id": q, "item_id": i, "score": s} for q, of in lists.items() for i, s in of.items()]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
    judged = pa.table({"query_id": list(TRUTH), "item_id": ["a", "a"]})
    pq.write_table(judged, tmp_path / "truth.parquet")
    systems = [
        part for name in ("tied", "sure") for part in ("--system", f"{name}={tmp_path / name}.parquet")
    ]
    asked = ("ties", *systems, str(tmp_path / "truth.parquet"), "-m", "mrr")
    shown = run(*asked)
    assert shown.out.splitlines()[-1].startswith(
        "note: mrr: ties could change which system is best: tied leads"
    )
    written = run(*asked, "--format", "json")
    assert json.loads(written.out)["notes"] == [shown.out.splitlines()[-1].removeprefix("note: ")]
    assert written.err.splitlines()[-1] == shown.out.splitlines()[-1]
