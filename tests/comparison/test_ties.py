"""The part of a number that depends on the order of equal scores."""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import MetricError
from duckmetrics.reference import per_query
from support.command_line import exports, run

if TYPE_CHECKING:
    from support.command_line import Command

pytestmark = pytest.mark.engine

__all__ = ["exports", "run"]

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
        assert (row.n_dependent, row.share) == (0, 0.0)


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
        "queries",
        "share",
    ]
    rows = json.loads(run("ties", *given, "-m", "map@3", "--format", "json").out)["rows"]
    assert rows[0]["share"] == report.rows[0].share
    assert report.summary.num_rows == 2


def test_a_truth_that_is_missing_is_asked_for_by_the_metric() -> None:
    with pytest.raises(duckmetrics.InputError, match="no truth table, which mrr needs"):
        duckmetrics.ties({"q1": {"a": 0.5, "b": 0.5}}, None, "mrr")
