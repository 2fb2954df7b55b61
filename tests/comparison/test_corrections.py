"""Corrections of metrics over sampled candidates: naive, rank estimate, bias-variance, EM side by side.

The result of a method for one query with rank i among the candidates is its estimate there. So one
system for each i shows the whole estimator, and the expectation for an exact rank is a sum.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from scipy.stats import binom
from sqlglot import exp

import duckmetrics
from duckmetrics import InputError, MetricError, UnsupportedError
from duckmetrics.catalog.specs import parse_measures
from duckmetrics.comparison.corrections import SamplingModel, solver
from duckmetrics.comparison.sampled import METHODS
from duckmetrics.engines.duckdb import DuckDBEngine
from support.cases import CATALOG, RANKING, ROOT, specs_of
from support.command_line import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duckmetrics import SampledEvaluation

    Array = np.ndarray[Any, np.dtype[np.float64]]

DOCUMENT = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
TOY = DOCUMENT["krichene_rendle_toy"]
N, M, RANKS = TOY["inputs"]["n_items"], TOY["inputs"]["m"], TOY["inputs"]["ranks"]
SPECS = {"AP": "map", "NDCG": "ndcg", "Recall@10": "recall@10", "NDCG@10": "ndcg@10", "MRR@10": "mrr@10"}
# The same by separate formulas, at ranks r of one relevant item.
FORMULAS: dict[str, Callable[[Array], Array]] = {
    "map": lambda r: 1 / r,
    "ndcg": lambda r: 1 / np.log2(r + 1),
    "recall@10": lambda r: (r <= 10) * 1.0,
    "ndcg@10": lambda r: (r <= 10) / np.log2(r + 1),
    "mrr@10": lambda r: (r <= 10) / r,
    "mean_rank": lambda r: r * 1.0,
}
# The ideal value does not depend on a sample.
CORRECTED = [
    metric for metric in RANKING
    if "catalog_size" in CATALOG.params(metric)
    and CATALOG.idle(metric).get("catalog_size") != exp.true()
]  # fmt: skip


# --- data ------------------------------------------------------------------------------------------


def run_of(ranks: Mapping[str, Sequence[int]], m: int, first: str = "0") -> tuple[str, str]:
    """Return predictions and truth: in query q of a system, item 0 has the q-th rank among m others."""
    rows = ", ".join(f"('{s}', {q}, {rank})" for s, of in ranks.items() for q, rank in enumerate(of))
    predictions = (
        f"SELECT system, query_id, CASE WHEN place = rank THEN {first} ELSE query_id * 10000 + place END "
        f"AS item_id, -place AS score FROM (VALUES {rows}) AS r(system, query_id, rank), "
        f"range(1, {m} + 2) AS places(place)"
    )
    queries = max(map(len, ranks.values()))
    return predictions, f"SELECT q AS query_id, 0 AS item_id FROM range({queries}) AS queries(q)"


def estimators(specs: Sequence[str], n: int, m: int, **options: Any) -> dict[tuple[str, str], list[float]]:
    """Return (spec, method) -> the estimate at each rank among the candidates."""
    options.setdefault("methods", ("naive", "rank_estimate", "bv"))
    data = run_of({f"{rank:05}": [rank] for rank in range(1, m + 2)}, m)
    result = duckmetrics.sampled(*data, list(specs), n_items=n, system="system", **options)
    found: dict[tuple[str, str], list[float]] = {}
    for row in result.rows:
        found.setdefault((row["metric"], row["method"]), []).append(row["value"])
    return found


@cache
def of_toy(gamma: float) -> dict[tuple[str, str], list[float]]:
    return estimators(tuple(SPECS.values()), N, M, gamma=gamma)


# --- an oracle that shares no code with the package ------------------------------------------------


@cache
def chances(n: int, m: int) -> Array:
    """Return P(rank i among the candidates given rank r): one row per r."""
    return binom.pmf(np.arange(m + 1)[None, :], m, (np.arange(n) / (n - 1))[:, None])  # type: ignore[no-any-return]


def bias_variance(n: int, m: int, values: Array, gamma: float) -> Array:
    a, b = chances(n, m) / math.sqrt(n), values / math.sqrt(n)
    penalty = np.diag(chances(n, m).mean(axis=0))
    return np.linalg.solve((1 - gamma) * a.T @ a + gamma * penalty, a.T @ b)  # type: ignore[no-any-return]


def likeliest(n: int, m: int, shares: Array, steps: int, tolerance: float = 0.0) -> tuple[Array, int]:
    """Return the distribution of the ranks by expectation maximization, rank by rank, and the steps taken."""
    distribution, before = np.full(n, 1 / n), -math.inf
    seen = shares > 0
    for step in range(steps):
        expected = distribution @ chances(n, m)[:, seen]
        distribution = distribution * (chances(n, m)[:, seen] @ (shares[seen] / expected))
        now = float(shares[seen] @ np.log(expected))
        if now - before < tolerance:
            return distribution, step + 1
        before = now
    return distribution, steps


def moments(estimator: Sequence[float], rank: int, n: int) -> tuple[float, float]:
    """Return mean and variance of an estimator over the samples of an item that has this rank among n."""
    weights = binom.pmf(range(len(estimator)), len(estimator) - 1, (rank - 1) / (n - 1))
    mean = math.fsum(w * e for w, e in zip(weights, estimator, strict=True))
    return mean, math.fsum(w * (e - mean) ** 2 for w, e in zip(weights, estimator, strict=True))


# --- the table of Krichene and Rendle ---------------------------------------------------------------

TABLE = [
    (name, kind, system)
    for name, kinds in TOY["expected"]["corrected"].items()
    for kind, systems in kinds.items() for system in systems if kind != "exact"
]  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize(("name", "kind", "system"), TABLE, ids=str)
def test_the_table_of_the_paper(name: str, kind: str, system: str) -> None:
    gamma = float(kind.removeprefix("BV_gamma")) if kind.startswith("BV") else 1.0
    method = "bv" if kind.startswith("BV") else kind
    means, variances = zip(
        *(moments(of_toy(gamma)[SPECS[name], method], rank, N) for rank in RANKS[system]), strict=True
    )
    mean, deviation = TOY["expected"]["corrected"][name][kind][system]
    # The document's own solution of the equations is good to about 1e-13 / gamma, relative to 1.
    assert sum(means) / len(means) == pytest.approx(mean, rel=1e-9, abs=1e-11 if method == "bv" else 0)
    assert math.sqrt(math.fsum(variances)) / len(means) == pytest.approx(deviation, rel=1e-5, abs=1e-6)


@pytest.mark.some(0)
@pytest.mark.parametrize(("gamma", "key"), [(0.1, "BV01_Mhat_first8"), (1.0, "BV1_Mhat_first8")])
def test_the_estimator_of_bias_and_variance(gamma: float, key: str) -> None:
    for name, first in TOY["expected"][key].items():
        assert of_toy(gamma)[SPECS[name], "bv"][: len(first)] == pytest.approx(first, rel=1e-9, abs=1e-13)


@pytest.mark.slow
def test_the_expectation_of_what_is_reported_over_samples_of_other_sizes() -> None:
    for m, systems in TOY["expected"]["sweep_m"].items():
        if int(m) > 200:
            continue
        found = estimators(["map", "recall@10"], N, int(m), methods="naive")
        for system, values in systems.items():
            for name, value in values.items():
                each = [moments(found[SPECS[name], "naive"], rank, N)[0] for rank in RANKS[system]]
                assert sum(each) / len(each) == pytest.approx(value, rel=1e-9), (m, system, name)


# --- bias and variance -----------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("n", "m", "gamma"),
    [(2, 1, 0.5), (3, 2, 0.1), (10, 9, 1.0), (50, 7, 0.01), (200, 19, 1e-3), (1000, 150, 0.1)],
)
def test_bias_and_variance_as_the_matrices_have_it(n: int, m: int, gamma: float) -> None:
    found = estimators(list(FORMULAS), n, m, methods="bv", gamma=gamma)
    for spec, formula in FORMULAS.items():
        expected = bias_variance(n, m, formula(np.arange(1, n + 1)), gamma)
        scale = max(abs(expected))
        assert found[spec, "bv"] == pytest.approx(expected, rel=1e-9, abs=1e-12 / gamma * scale), spec


def test_gamma_of_one_is_the_posterior_mean() -> None:
    n, m = 60, 12
    weights = chances(n, m)
    found = estimators(["ndcg"], n, m, methods="bv", gamma=1)["ndcg", "bv"]
    values = FORMULAS["ndcg"](np.arange(1, n + 1))
    assert found == pytest.approx(values @ weights / weights.sum(axis=0), rel=1e-11)


@pytest.mark.slow
def test_less_variance_is_more_bias() -> None:
    """The estimator weighs all ranks equally, and gamma trades bias for variance."""
    n, m = 300, 20
    values, weights = FORMULAS["recall@10"](np.arange(1, n + 1)), chances(n, m)
    seen = []
    for gamma in (1.0, 0.1, 0.01):
        estimator = np.array(estimators(["recall@10"], n, m, methods="bv", gamma=gamma)["recall@10", "bv"])
        means = weights @ estimator
        seen.append((np.mean((means - values) ** 2), np.mean(weights @ estimator**2 - means**2)))
    biases, variances = zip(*seen, strict=True)
    assert list(biases) == sorted(biases, reverse=True)
    assert list(variances) == sorted(variances)


# --- maximum likelihood ----------------------------------------------------------------------------


def model(n: int, m: int, specs: Sequence[str] = tuple(FORMULAS), grade: float = 1.0) -> SamplingModel:
    return SamplingModel(CATALOG, DuckDBEngine(), parse_measures(CATALOG, specs), n, m, grade)


def shares_of(ranks: Mapping[int, int], n: int, m: int) -> Array:
    """Return the average shares of sampled ranks for items that have these ranks."""
    total = sum(ranks.values())
    return sum(count * chances(n, m)[rank - 1] for rank, count in ranks.items()) / total  # type: ignore[return-value]


def by_rank(shares: Array) -> dict[int, float]:
    return {i: float(share) for i, share in enumerate(shares, start=1) if share > 0}


@pytest.mark.slow
def test_the_table_of_few_samples() -> None:
    example = DOCUMENT["sampled_rank_em"]
    n, m, expected = example["inputs"]["N"], example["inputs"]["m"], example["expected"]
    ranks = {int(rank): count for rank, count in example["inputs"]["ranks"].items()}
    shares = shares_of(ranks, n, m)
    assert sum(c for r, c in ranks.items() if r <= 10) / sum(ranks.values()) == expected["true"]
    found = estimators(["recall@10"], n, m)
    for method, key in {"naive": "naive_sampled", "rank_estimate": "rank_estimate", "bv": "BV_01"}.items():
        assert shares @ np.array(found["recall@10", method]) == pytest.approx(expected[key], rel=1e-9)
    ((value,),) = model(n, m, ["recall@10"]).maximum_likelihood({"": by_rank(shares)}, 500, 0.0).values()
    assert value == pytest.approx(expected["EM_500_iterations"], rel=1e-9)


@pytest.mark.some(2)
@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 2), (12, 11), (40, 5), (300, 20)])
@pytest.mark.parametrize("steps", [1, 2, 60])
def test_maximum_likelihood_rank_by_rank(n: int, m: int, steps: int) -> None:
    """There are so few items that each rank is its own group."""
    random = np.random.default_rng(n)
    counts = {"A": random.multinomial(50, np.full(m + 1, 1 / (m + 1))), "B": np.eye(m + 1, dtype=int)[m]}
    shares = {system: of / of.sum() for system, of in counts.items()}
    found = model(n, m).maximum_likelihood({s: by_rank(of) for s, of in shares.items()}, steps, 0.0)
    for system, of in shares.items():
        distribution, _ = likeliest(n, m, of, steps)
        expected = [distribution @ formula(np.arange(1, n + 1)) for formula in FORMULAS.values()]
        assert found[system] == pytest.approx(expected, rel=1e-9), system


@pytest.mark.slow
def test_maximum_likelihood_over_groups_of_ranks() -> None:
    """Ranks that samples barely distinguish share a probability, and the value changes little."""
    n, m = 4000, 60
    random = np.random.default_rng(7)
    ranks = np.ceil(n * random.beta(0.25, 1.5, size=400)).astype(int)
    shares = np.bincount(random.binomial(m, (ranks - 1) / (n - 1)), minlength=m + 1) / 400
    (found,) = model(n, m).maximum_likelihood({"": by_rank(shares)}).values()
    distribution, steps = likeliest(n, m, shares, 500, 1e-9)
    assert steps > 100
    expected = [distribution @ formula(np.arange(1, n + 1)) for formula in FORMULAS.values()]
    assert found == pytest.approx(expected, rel=1e-3)
    assert found != pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_it_ends_where_a_step_hardly_raises_the_likelihood() -> None:
    n, m = 50, 6
    shares = shares_of({1: 3, 20: 2, 41: 5}, n, m)
    expected, steps = likeliest(n, m, shares, 10_000, 1e-6)
    assert 5 < steps < 500
    (found,) = model(n, m, ["mean_rank"]).maximum_likelihood({"": by_rank(shares)}, 10_000, 1e-6).values()
    assert found == pytest.approx([expected @ np.arange(1, n + 1)], rel=1e-9)
    bounded = model(n, m, ["mean_rank"]).maximum_likelihood({"": by_rank(shares)}, steps - 3, 1e-6)
    other, _ = likeliest(n, m, shares, steps - 3)
    assert bounded[""] == pytest.approx([other @ np.arange(1, n + 1)], rel=1e-9)
    assert bounded[""] != pytest.approx(found, rel=1e-9)


@pytest.mark.slow
def test_systems_are_estimated_apart() -> None:
    """A system has the same estimate alone and next to another, although they share no rank."""
    data = {"A": [1, 2, 1, 3], "B": [30, 28, 31, 25]}
    both = duckmetrics.sampled(*run_of(data, 30), "ndcg,recall@10", n_items=900, system="system")
    for system, ranks in data.items():
        alone = duckmetrics.sampled(
            *run_of({system: ranks}, 30), "ndcg,recall@10", n_items=900, system="system"
        )
        for row in alone.rows:
            value = both.value(row["metric"], row["method"], system)
            assert value == pytest.approx(row["value"], rel=1e-9, abs=1e-12), row


# --- the same as evaluate --------------------------------------------------------------------------

TIED = """SELECT * FROM (VALUES
    ('A', 'q1', 5, 0.9), ('A', 'q1', 6, 0.5), ('A', 'q1', 7, 0.5), ('A', 'q1', 8, 0.1),
    ('A', 'q2', 5, 0.5), ('A', 'q2', 3, 0.5), ('A', 'q2', 9, 0.5), ('A', 'q2', 8, 0.5),
    ('B', 'q1', 7, 0.1), ('B', 'q1', 6, 0.5), ('B', 'q1', 1, 0.5), ('B', 'q1', 2, 0.5),
    ('B', 'q3', 7, 0.1), ('B', 'q3', 4, 0.5), ('B', 'q3', 1, 0.5), ('B', 'q3', 2, 0.1))
    AS t(system, query_id, item_id, score)"""
JUDGED = """SELECT * FROM (VALUES
    ('q1', 6, 1), ('q1', 7, 0), ('q2', 5, 1), ('q3', 4, 1), ('q4', 1, 0), ('q5', 3, 1))
    AS t(query_id, item_id, relevance)"""


def assert_like_evaluate(
    result: SampledEvaluation, predictions: Any, truth: Any, n: int, **switches: Any
) -> None:
    specs = list(dict.fromkeys(row["metric"] for row in result.rows))
    for method, size in (("naive", None), ("rank_estimate", n)):
        evaluated = duckmetrics.evaluate(
            predictions, truth, specs, system="system", catalog_size=size, **switches
        )
        for row in evaluated.rows:
            found = next(
                r for r in result.rows
                if (r["system"], r["metric"], r["method"]) == (row["system"], row["metric"], method)
            )  # fmt: skip
            assert found["value"] == pytest.approx(row["value"], rel=1e-12), (row, method)
            assert found["n"] == row["n"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ties", "missing", "no_relevant"),
    [
        ("item_asc", "zero", "null"),
        ("item_desc", "skip", "zero"),
        ("pessimistic", "zero", "one"),
        ("optimistic", "skip", "null"),
        ("item_asc", "zero", "zero"),
        ("item_asc", "skip", "one"),
    ],
)
def test_ties_missing_queries_and_queries_without_a_relevant_item(
    ties: str, missing: str, no_relevant: str
) -> None:
    """q1 is tied, q2 and q3 are missing in one system, q5 in both, q4 has nothing relevant."""
    switches = {"ties": ties, "missing": missing, "no_relevant": no_relevant}
    result = duckmetrics.sampled(TIED, JUDGED, "ndcg@2,mrr,f1@2", n_items=40, system="system", **switches)
    assert_like_evaluate(result, TIED, JUDGED, 40, **switches)
    (counts,) = {row["n"] for row in result.rows if row["system"] == "A"}
    # A query without predictions is skipped, whatever its judgments.
    assert counts == 2 + (missing == "zero") * (2 + (no_relevant != "null"))
    found = {(row["system"], row["method"]): row["value"] for row in result.rows if row["metric"] == "mrr"}
    for method in ("bv", "em"):
        assert found["A", method] != found["A", "naive"]


@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["bv", "em"])
def test_what_a_missing_query_counts_beside_estimates(method: str) -> None:
    """Two of three queries are answered: their estimate counts times 2 / 3, or alone."""
    predictions, _ = run_of({"A": [2, 4]}, 5)
    truth = "SELECT q AS query_id, 0 AS item_id FROM range(3) AS queries(q)"
    options: dict[str, Any] = {"n_items": 60, "system": "system", "methods": method}
    answered = duckmetrics.sampled(predictions, truth, "mrr", missing="skip", **options)
    counted = duckmetrics.sampled(predictions, truth, "mrr", **options)
    value = answered.value("mrr", method)
    assert value
    assert counted.value("mrr", method) == pytest.approx(value * 2 / 3, rel=1e-12)
    assert [row["n"] for row in (*answered.rows, *counted.rows)] == [2, 3]
    (warning,) = counted.checks
    assert (warning.check, warning.count) == ("unanswered_query", 1)


@pytest.mark.slow
def test_different_orders_of_ties_beside_each_other() -> None:
    options: dict[str, Any] = {"n_items": 40, "system": "system", "methods": ("naive", "bv")}
    orders = ("pessimistic", "optimistic")
    specs = [f"mrr(ties={ties})" for ties in orders]
    result = duckmetrics.sampled(TIED, JUDGED, specs, **options)
    for ties, spec in zip(orders, specs, strict=True):
        alone = duckmetrics.sampled(TIED, JUDGED, "mrr", ties=ties, **options)
        for row in alone.rows:
            value = result.value(spec, row["method"], row["system"])
            assert value == pytest.approx(row["value"], rel=1e-9)
    assert [row["metric"] for row in result.rows] == [spec for spec in specs for _ in range(4)]
    assert result.value(specs[0], "bv", "B") != result.value(specs[1], "bv", "B")


@pytest.mark.slow
def test_the_order_of_the_rows_breaks_ties_where_it_shall() -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE p AS {TIED}; CREATE TABLE t AS {JUDGED}")
    switches = {"ties": "input"}
    result = duckmetrics.sampled(
        "p", "t", "mrr", n_items=40, system="system", **switches, connection=connection
    )
    evaluated = duckmetrics.evaluate("p", "t", "mrr", system="system", connection=connection, **switches)
    for row in evaluated.rows:
        assert result.value("mrr", "naive", row["system"]) == pytest.approx(row["value"], rel=1e-12)


@pytest.mark.some(0)
@pytest.mark.parametrize("metric", CORRECTED, ids=lambda metric: metric.name)
def test_every_metric_of_the_rank_is_what_evaluate_has(metric: Any) -> None:
    """Each metric has each of its own parameters."""
    specs = specs_of(metric, (3,), one_at_a_time=True)
    data = run_of({"A": [1, 3, 7, 12], "B": [2, 2, 4, 1]}, 12)
    methods = ("naive", "rank_estimate", *(("bv",) if metric.name != "first_rank" else ()))
    result = duckmetrics.sampled(*data, specs, n_items=150, system="system", methods=methods)
    assert_like_evaluate(result, *data, 150)
    assert all(math.isfinite(row["value"]) for row in result.rows)


@pytest.mark.slow
def test_conventions_of_another_tool() -> None:
    """trec_eval puts the larger id first."""
    tied = f"SELECT * FROM ({TIED}) AS t WHERE query_id = 'q1'"
    judged = f"SELECT * FROM ({JUDGED}) AS t WHERE query_id = 'q1'"
    options: dict[str, Any] = {"system": "system", "like": "trec_eval"}
    result = duckmetrics.sampled(tied, judged, "ndcg", n_items=40, methods="naive", **options)
    evaluated = duckmetrics.evaluate(tied, judged, "ndcg", **options)
    usual = duckmetrics.evaluate(tied, judged, "ndcg", system="system")
    for row, signed in zip(evaluated.rows, result.rows, strict=True):
        assert result.value("ndcg", "naive", row["system"]) == pytest.approx(row["value"], rel=1e-12)
        assert row["signature"] == signed["signature"]
    assert usual.value("ndcg", system="A") != evaluated.value("ndcg", system="A")


# --- grades ----------------------------------------------------------------------------------------


def graded(*grades: float) -> tuple[str, str]:
    rows = ", ".join(f"({q}, 0, {grade})" for q, grade in enumerate(grades))
    predictions, _ = run_of({"A": [2, 5, 9][: len(grades)]}, 12)
    return predictions, f"SELECT * FROM (VALUES {rows}) AS t(query_id, item_id, relevance)"


@pytest.mark.slow
def test_the_grade_of_all_relevant_items_counts() -> None:
    data = graded(3, 3, 3)
    result = duckmetrics.sampled(*data, "dcg@9,dcg(gain=exp2),err,ndcg", n_items=80, system="system")
    assert_like_evaluate(result, *data, 80)


@pytest.mark.slow
def test_grades_that_matter_must_be_alike() -> None:
    data = graded(3, 1, 2)
    result = duckmetrics.sampled(
        *data, "ndcg,ndcg(gain=exp2)@9,mrr,dcg(gain=binary)", n_items=80, system="system"
    )
    assert_like_evaluate(result, *data, 80)
    with pytest.raises(InputError, match="column 'relevance': grades from 1 to 3, on which dcg@9 depends"):
        duckmetrics.sampled(*data, "ndcg,dcg@9", n_items=80, system="system")


# --- refusals --------------------------------------------------------------------------------------

GOOD = run_of({"A": [1, 3, 7]}, 12)


@pytest.mark.parametrize(
    ("specs", "options", "message"),
    [
        ("bpref", {}, "bpref: looks at more than the rank of the relevant item"),
        ("ndcg,judged@5", {}, "judged@5: looks at more than the rank of the relevant item"),
        ("ndcg,query_auc", {}, "query_auc: is consistent under sampling, so that nothing is to be corrected"),
        ("ndcg(agg=median)", {}, "means are corrected, agg=median is not"),
        ("ndcg(catalog_size=50)", {}, "ndcg(catalog_size=50): catalog_size is n_items here; leave it out"),
        ("ndcg", {"catalog_size": 50}, "catalog_size: is n_items here; leave it out"),
        ("ndcg(ties=expected)", {}, "catalog_size IS NULL OR ties <> 'expected'"),
        ("mrr,ndcg(ties=expected)", {}, "ndcg(ties=expected): is not corrected under ties=expected"),
        ("first_rank@5", {}, "first_rank@5: has no value at 75 of 80 ranks"),
        ("ndgc", {}, "did you mean 'ndcg'?"),
        ("ndcg", {"n_items": 1}, "n_items: is 1, but must be a whole number from 2 on"),
        ("ndcg", {"n_items": 80.0}, "n_items: is 80.0, but must be a whole number from 2 on"),
        ("ndcg", {"n_items": True}, "n_items: is True"),
        ("ndcg", {"n_negatives": 0}, "n_negatives: is 0, but must be a whole number from 1 on"),
        ("ndcg", {"methods": "em,bv"}, "unknown method 'em,bv'; known: bv, em, naive, rank_estimate"),
        ("ndcg", {"methods": ["EM"]}, "did you mean 'em'?"),
        ("ndcg", {"methods": []}, "methods: none; choose some of naive, rank_estimate, bv, em"),
        ("ndcg", {"gamma": 0}, "gamma: is 0, but must lie in (0, 1]"),
        ("ndcg", {"gamma": 1.5}, "gamma: is 1.5"),
        ("ndcg", {"gamma": math.nan}, "gamma: is nan"),
        ("ndcg", {"gamma": "0.1"}, "gamma: is '0.1'"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(specs: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError, match=re.escape(message)) as caught:
        duckmetrics.sampled(*GOOD, specs, **{"n_items": 80, "system": "system", **options})
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_weight_of_the_variance_that_doubles_cannot_compute_with() -> None:
    data = run_of({"A": [1, 30]}, 60)
    with pytest.raises(MetricError, match="gamma=1e-300: too small to be computed with"):
        duckmetrics.sampled(*data, "ndcg", n_items=4000, gamma=1e-300, system="system", methods="bv")


@pytest.mark.slow
def test_a_metric_without_a_value_at_some_ranks_is_averaged_where_it_has_one() -> None:
    result = duckmetrics.sampled(*GOOD, "first_rank@5", n_items=80, system="system", methods="naive")
    assert [(row["value"], row["n"]) for row in result.rows] == [(2.0, 2)]
    result = duckmetrics.sampled(*GOOD, "mean_rank", n_items=80, system="system")
    assert result.value("mean_rank", "naive") == pytest.approx(11 / 3)


@pytest.mark.parametrize(
    ("truth", "counts"),
    [
        ("SELECT q, 0 FROM range(3) AS t(q) UNION ALL SELECT 1, 10002", "relevant=2, found=2, candidates=13"),
        ("SELECT q, CASE WHEN q = 1 THEN 99 ELSE 0 END FROM range(3) AS t(q)", "relevant=1, found=0"),
    ],
)
def test_every_query_has_one_relevant_item_among_its_candidates(truth: str, counts: str) -> None:
    judged = f"SELECT * FROM ({truth}) AS t(query_id, item_id)"
    with pytest.raises(InputError, match="1 query without exactly one relevant item among") as caught:
        duckmetrics.sampled(GOOD[0], judged, "ndcg", n_items=80, system="system")
    assert counts in str(caught.value)


@pytest.mark.slow
def test_more_candidates_than_items() -> None:
    with pytest.raises(InputError, match="without exactly one relevant item among 2 to catalog_size"):
        duckmetrics.sampled(*GOOD, "ndcg", n_items=12, system="system")
    result = duckmetrics.sampled(*GOOD, "ndcg", n_items=13, system="system")
    assert result.value("ndcg", "rank_estimate") == result.value("ndcg", "naive")


SHORT = f"SELECT * FROM ({GOOD[0]}) AS p WHERE query_id <> 1 OR score > -11"


@pytest.mark.slow
def test_the_number_of_candidates_must_be_one() -> None:
    message = (
        "column 'query_id': the queries have 10 to 13 candidates, but one number must have been drawn for "
        "all; give it as n_negatives, or drop the queries with others"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        duckmetrics.sampled(SHORT, GOOD[1], "ndcg", n_items=80, system="system")
    given = duckmetrics.sampled(SHORT, GOOD[1], "ndcg", n_items=80, system="system", n_negatives=12)
    whole = duckmetrics.sampled(*GOOD, "ndcg", n_items=80, system="system")
    assert [row["value"] for row in given.rows] == [row["value"] for row in whole.rows]
    dropped = f"SELECT * FROM ({SHORT}) AS p WHERE query_id <> 1"
    judged = f"SELECT * FROM ({GOOD[1]}) AS t WHERE query_id <> 1"
    duckmetrics.sampled(dropped, judged, "ndcg", n_items=80, system="system")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (11, "a query has 13 candidates, more than a relevant item and n_negatives=11"),
        (80, "n_negatives=80 cannot be drawn from the other 79 items; n_items counts all items"),
    ],
)
def test_a_number_of_negatives_that_cannot_be(given: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        duckmetrics.sampled(*GOOD, "ndcg", n_items=80, system="system", n_negatives=given)


@pytest.mark.slow
def test_more_negatives_than_candidates_that_are_left() -> None:
    """Of 20 candidates the export kept the first 13, and the relevant item is among them."""
    result = duckmetrics.sampled(*GOOD, "ndcg", n_items=80, system="system", n_negatives=19)
    (m,) = {row["n_negatives"] for row in result.rows}
    assert m == 19
    expected = estimators(["ndcg"], 80, 19, methods="bv")["ndcg", "bv"]
    assert result.value("ndcg", "bv") == pytest.approx(
        (expected[0] + expected[2] + expected[6]) / 3, rel=1e-9
    )


@pytest.mark.slow
def test_nobody_answered_anything() -> None:
    truth = "SELECT 99 AS query_id, 0 AS item_id"
    with pytest.raises(InputError, match="none of them in both tables"):
        duckmetrics.sampled(GOOD[0], truth, "ndcg", n_items=80, system="system")
    irrelevant = f"SELECT *, 0 AS relevance FROM ({GOOD[1]}) AS t"
    with pytest.raises(InputError, match="no query has a relevant item among candidates; give n_negatives"):
        duckmetrics.sampled(GOOD[0], irrelevant, "ndcg", n_items=80, system="system")
    judged = f"{GOOD[1]} UNION ALL SELECT 99, 0"
    both = f"{GOOD[0]} UNION ALL SELECT 'B', 77, 1, 1"
    result = duckmetrics.sampled(both, judged, "ndcg", n_items=80, system="system")
    assert [result.value("ndcg", method, "B") for method in METHODS] == [0.0] * 4
    skipped = duckmetrics.sampled(both, judged, "ndcg", n_items=80, system="system", missing="skip")
    assert [skipped.value("ndcg", method, "B") for method in METHODS] == [None] * 4
    assert "NULL" in repr(skipped)


@pytest.mark.slow
def test_what_would_take_too_long_is_refused() -> None:
    options: dict[str, Any] = {"n_items": 1_000_001, "system": "system"}
    with pytest.raises(UnsupportedError, match="bv and em take too long over 1000001 items and 12 negatives"):
        duckmetrics.sampled(*GOOD, "ndcg", **options)
    result = duckmetrics.sampled(*GOOD, "ndcg", methods=("naive", "rank_estimate"), **options)
    assert_like_evaluate(result, *GOOD, 1_000_001)
    with pytest.raises(UnsupportedError, match="em take too long over 5000 items and 1001 negatives"):
        duckmetrics.sampled(*GOOD, "ndcg", n_items=5000, n_negatives=1001, system="system", methods="em")


# --- the model -------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize(("n", "m"), [(2, 1), (2, 3), (7, 6), (90, 40), (3000, 300)])
def test_the_chances_are_binomial(n: int, m: int) -> None:
    text = CATALOG.sampling["chances"].text.rstrip().rstrip(";")
    rows = duckdb.execute(f"FROM ({text}) ORDER BY ALL", {"n_items": n, "n_draws": m}).fetchall()
    assert [row[:2] for row in rows] == list(product(range(1, n + 1), range(1, m + 2)))
    found = np.array([row[2] for row in rows]).reshape(n, m + 1)
    assert np.allclose(found, chances(n, m), rtol=1e-11, atol=1e-300)


def test_groups_are_runs_of_ranks_that_grow_with_their_standard_deviation() -> None:
    n, m = 5000, 50
    text = CATALOG.sampling["rank_groups"].text.rstrip().rstrip(";")
    rows = duckdb.execute(f"FROM ({text}) ORDER BY rank", {"n_items": n, "n_draws": m}).fetchall()
    numbers = np.array([number for _, number in rows])
    assert set(np.diff(numbers)) == {0, 1}
    sizes = np.bincount(numbers)[1:]
    assert sizes[0] == 1
    middle = np.array([np.flatnonzero(numbers == number).mean() for number in range(1, len(sizes) + 1)])
    deviation = (n - 1) * np.sqrt(middle / (n - 1) * (1 - middle / (n - 1)) / m)
    assert np.all(sizes <= deviation / 64 + 2)


@pytest.mark.parametrize("size", [1, 2, 17])
def test_linear_equations(size: int) -> None:
    random = np.random.default_rng(size)
    root = random.normal(size=(size, size))
    matrix, right = root @ root.T + np.eye(size), random.normal(size=size)
    found = solver(lambda i, j: float(matrix[i, j]), size)(right.tolist())
    assert found == pytest.approx(np.linalg.solve(matrix, right), rel=1e-10)


@pytest.mark.parametrize("matrix", [[[0.0]], [[1.0, 2.0], [2.0, 1.0]], [[math.nan]]])
def test_equations_that_are_not_positive_definite(matrix: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"pivot \d is"):
        solver(lambda i, j: matrix[i][j], len(matrix))


# --- the result ------------------------------------------------------------------------------------


def test_the_methods_stand_side_by_side() -> None:
    result = duckmetrics.sampled(*GOOD, "recall@2,mrr", n_items=80, gamma=0.5, system="system")
    lines = repr(result).splitlines()
    assert lines[0].split() == ["system", "metric", *METHODS, "n"]
    assert lines[2].split() == [
        "A", "recall@2", *(f"{result.value('recall@2', method):.4f}" for method in METHODS), "3"
    ]  # fmt: skip
    assert lines[-1] == "one relevant item, and 12 drawn uniformly from 80 items; bv: gamma=0.5"
    alone = duckmetrics.sampled(
        f"SELECT * EXCLUDE system FROM ({GOOD[0]})", GOOD[1], "mrr", n_items=80, methods="naive"
    )
    assert repr(alone).splitlines()[0].split() == ["metric", "naive", "n"]
    assert repr(alone).splitlines()[-1] == "one relevant item, and 12 drawn uniformly from 80 items"


@pytest.mark.slow
def test_the_summary_is_a_table() -> None:
    result = duckmetrics.sampled(*GOOD, ["recall@2", "mrr"], n_items=80, system="system")
    rows = result.summary.to_pylist()
    assert rows == list(result.rows)
    assert [(row["metric"], row["method"]) for row in rows] == list(product(("recall@2", "mrr"), METHODS))
    assert {row["gamma"] for row in rows if row["method"] == "bv"} == {0.1}
    assert {row["gamma"] for row in rows if row["method"] != "bv"} == {None}
    assert {(row["n_items"], row["n_negatives"], row["n"]) for row in rows} == {(80, 12, 3)}
    assert "|catalog_size:null|" in rows[0]["signature"]
    assert len(result.to_pandas()) == len(result.to_polars()) == len(rows)
    assert "list_dot_product" in result.sql.lower()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("ndcg", "bv"), "unknown metric 'ndcg'; known: mrr"),
        (("mrr", "vb"), "unknown method 'vb'; known: bv"),
        (("mrr", "bv", "C"), "unknown system 'C'; known: A, B"),
        (("mrr", "bv"), "mrr: evaluated for 2 systems; name one with system="),
    ],
)
def test_a_value_that_is_not_there(asked: tuple[str, ...], message: str) -> None:
    result = duckmetrics.sampled(
        *run_of({"A": [1], "B": [2]}, 4), "mrr", n_items=80, system="system", methods="bv"
    )
    with pytest.raises(MetricError, match=re.escape(message)):
        result.value(*asked)


def test_nothing_is_left_on_the_connection_of_the_caller() -> None:
    connection = duckdb.connect()
    duckmetrics.sampled(*GOOD, "mrr", n_items=80, system="system", connection=connection)
    tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    assert not tables


# --- the command line ------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    predictions, truth = run_of({"A": [1, 3, 7], "B": [2, 2, 9]}, 12)
    duckdb.execute(f"COPY ({predictions}) TO 'p.parquet'")
    duckdb.execute(f"COPY ({truth}) TO 't.parquet'")
    duckdb.execute(f"COPY ({truth} UNION ALL SELECT 9, 0) TO 'more.parquet'")
    return Command(capsys)


ASK = ("sampled", "p.parquet", "t.parquet", "--system", "system", "-m", "recall@2,mrr", "--n-items", 80)


def from_python(**options: Any) -> SampledEvaluation:
    return duckmetrics.sampled(
        "p.parquet", "t.parquet", "recall@2,mrr", n_items=80, system="system", **options
    )


@pytest.mark.slow
def test_the_command_prints_the_table(run: Command) -> None:
    outcome = run(*ASK)
    assert outcome == (0, f"{from_python()!r}\n", "")
    outcome = run(*ASK, "--method", "bv,em", "--gamma", 0.5, "--n-negatives", 14)
    assert outcome.out == f"{from_python(methods=('bv', 'em'), gamma=0.5, n_negatives=14)!r}\n"


@pytest.mark.slow
def test_the_command_prints_rows(run: Command) -> None:
    expected = list(from_python().rows)
    found = json.loads(run(*ASK, "--format", "json").out)["rows"]
    assert [{**row, "value": None} for row in found] == [{**row, "value": None} for row in expected]
    assert [row["value"] for row in found] == pytest.approx([row["value"] for row in expected], rel=1e-12)
    lines = list(csv.DictReader(io.StringIO(run(*ASK, "--format", "csv").out)))
    assert [line["method"] for line in lines] == [row["method"] for row in expected]
    assert run(*ASK, "-o", "r.parquet").code == 0
    assert duckdb.sql("FROM 'r.parquet'").columns == list(expected[0])
    assert run(*ASK, "--format", "markdown").out.startswith("| system | metric | method | value |")


@pytest.mark.slow
def test_the_command_takes_conventions_and_tells_what_was_found(run: Command) -> None:
    ask = [argument if argument != "t.parquet" else "more.parquet" for argument in ASK]
    outcome = run(*ask, "--format", "csv")
    assert outcome.code == 0
    assert outcome.err.count("1 query has no predictions of system") == 2
    skipped = run(*ask, "--set", "missing=skip", "--format", "json", "--method", "naive")
    values = [row["value"] for row in json.loads(skipped.out)["rows"]]
    assert values == pytest.approx([row["value"] for row in from_python(methods="naive").rows])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--n-negatives", "11"), "a query has 13 candidates"),
        (("--gamma", "0"), "gamma: is 0.0, but must lie in (0, 1]"),
        (("--method", "naïve"), "methods: unknown method 'naïve'; did you mean 'naive'?"),
        (("--set", "catalog_size=9"), "catalog_size: is n_items here"),
        (("--n-items", "2000000"), "take too long"),
    ],
)
def test_the_command_refuses_without_a_traceback(
    run: Command, arguments: Sequence[str], message: str
) -> None:
    outcome = run(*ASK, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_the_help_says_what_is_not_covered(run: Command) -> None:
    text = " ".join(run("sampled", "--help").out.split())
    assert "None of them is valid for negatives drawn by popularity" in text
    assert "by popularity are not covered" in " ".join(str(duckmetrics.sampled.__doc__).split())
    assert "Missing option '--n-items'" in run("sampled", "p.parquet", "t.parquet", "-m", "mrr").err
