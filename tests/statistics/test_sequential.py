"""Sequential tests: other implementations, the mixture itself, and what holds at every look."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.integrate
import scipy.stats

import duckmetrics
from duckmetrics.errors import MetricError
from duckmetrics.reference import statistics as reference
from support.cases import ROOT

pytestmark = pytest.mark.engine

RECORDED = json.loads((ROOT / "tests/data/recorded/sequential.json").read_text("utf-8"))
DIGITS = ("data/digits/pixels.parquet", "data/digits/qrels.parquet")


def users(seed: int = 1, n: int = 400) -> dict[str, Any]:
    source = np.random.default_rng(seed)
    before, views = source.normal(10, 3, n), source.poisson(5, n) + 1
    arm = np.arange(n) % 2
    return {
        "variant": np.where(arm == 1, "B", "A"), "before": before,
        "revenue": before + source.normal(0, 1, n) + 0.5 * arm, "views": views,
        "clicks": source.binomial(views, 0.2), "bought": source.random(n) < 0.3,
    }  # fmt: skip


def ab(table: Any, metrics: str, **given: Any) -> Any:
    return duckmetrics.ab(table, variant="variant", control="A", metrics=metrics, **given)


def test_p_is_the_ratio_of_the_likelihoods() -> None:
    """The distribution of t under a normal effect is a mixture of noncentral t distributions."""
    n, df, planned, t = 40, 39, 100, 2.9
    spread = math.sqrt(n / reference.prior_units(planned))
    mixed, _ = scipy.integrate.quad(
        lambda shift: scipy.stats.nct.pdf(t, df, shift) * scipy.stats.norm.pdf(shift, 0, spread), -12, 12
    )
    expected = scipy.stats.t.pdf(t, df) / mixed
    assert reference.always_valid_p(t, df, n, planned) == pytest.approx(expected, rel=1e-7)


def test_the_interval_is_the_tightest_at_the_planned_number_of_units() -> None:
    half = {n: reference.always_valid_critical(0.05, 1e9, n, 1000) for n in (900, 990, 1000, 1010, 1100)}
    assert min(half, key=lambda n: half[n]) == 1000


def test_large_samples_have_the_published_confidence_sequence() -> None:
    """The half width of Waudby-Smith et al. 2024, theorem 2.2, in standard errors."""
    for n in (1000, 20_000):
        rho = 1 / reference.prior_units(5000)
        published = math.sqrt(2 * (n * rho + 1) / (n * rho) * math.log(math.sqrt(n * rho + 1) / 0.05))
        assert reference.always_valid_critical(0.05, 1e12, n, 5000) == pytest.approx(published, rel=1e-9)


@pytest.mark.parametrize("case", RECORDED["ssrm_test"]["cases"], ids=lambda case: str(case["observed"]))
def test_the_sample_ratio_as_ssrm_test(case: dict[str, Any]) -> None:
    counts = {"observed": case["observed"], "expected": case["shares"]}
    row = duckmetrics.run_test("sequential_sample_ratio", counts, planned=case["planned"]).rows[0]
    assert row["statistic"] == pytest.approx(case["log_bayes_factor"], rel=1e-8, abs=1e-7)
    assert row["p"] == pytest.approx(min(1.0, math.exp(-case["log_bayes_factor"])), rel=1e-6)


@pytest.mark.slow
def test_a_comparison_takes_p_and_all_bounds_from_the_test() -> None:
    given = {"system": "system", "baseline": "blocks", "adjust": "none"}
    fixed = duckmetrics.compare(*DIGITS, "ndcg@10", **given).row("ndcg@10")
    found = duckmetrics.compare(*DIGITS, "ndcg@10", **given, test="always_valid", planned=300)
    row = found.row("ndcg@10")
    t, half = fixed["statistic"], reference.always_valid_critical(0.05, 199, 200, 300)
    assert row["p"] == pytest.approx(reference.always_valid_p(t, 199, 200, 300), rel=1e-9)
    wider = half / scipy.stats.t.isf(0.025, 199)
    for name, middle in (("delta", "delta"), ("relative", "relative_change")):
        before = fixed[f"{name}_upper"] - fixed[middle]
        assert row[f"{name}_upper"] - row[middle] == pytest.approx(before * wider, rel=1e-9)
    assert (row["mde"], row["test"]) == (None, "always_valid")
    assert any("hold at every look" in finding.message for finding in found.checks)


@pytest.mark.slow
def test_few_queries_have_no_interval_of_another_test() -> None:
    """The bounds of the paired t-test would not hold at every look."""
    table = pa.table({
        "system": ["A"] * 6 + ["B"] * 6, "query_id": [1, 1, 2, 2, 3, 3] * 2, "item_id": [1, 2] * 6,
        "score": [2, 1, 2, 1, 2, 1, 2, 1, 1, 2, 1, 2], "label": [1, 0, 0, 1, 0, 1] * 2,
    })  # fmt: skip
    given = {"metrics": "dcg", "system": "system", "baseline": "A", "test": "always_valid"}
    row = duckmetrics.compare(table, **given).row("dcg")
    assert row["delta"] > 0
    assert row["p"] > 0.9
    bounds = ("delta_lower", "delta_upper", "relative_lower", "relative_upper")
    assert [row[name] for name in bounds] == [None] * 4


@pytest.mark.slow
def test_clusters_count_as_time_and_their_effective_number_as_freedom() -> None:
    data, scores = "data/shop/impressions.parquet", {"A": "pctr_baseline", "B": "pctr"}
    given = {"columns": {"label": "clicked"}, "cluster": "user_id", "score": scores}
    row = duckmetrics.compare(data, None, "log_loss", **given, test="always_valid").row("log_loss")
    n, df, t = row["n_units"], row["df"], row["statistic"]
    assert df == pytest.approx(row["n_effective"] - 1)
    assert df < n - 2
    assert row["p"] == pytest.approx(reference.always_valid_p(t, df, n, 1000), rel=1e-9)
    half = reference.always_valid_critical(0.05, df, n, 1000) * abs(row["delta"] / t)
    assert row["delta_upper"] - row["delta"] == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize("value", [1.0, 7.5])
def test_a_small_arm_without_a_rare_value_shows_nothing(value: float) -> None:
    """Its own variance is 0, though chance alone explains the difference: Fisher's exact p is 0.25."""
    bought = [value] * 19 + [0.0] * 882 + [0.0] * 99
    table = {"variant": ["A"] * 901 + ["B"] * 99, "bought": bought, "visits": [1] * 1000}
    found = duckmetrics.ab(table, variant="variant", control="A", metrics="bought,bought/visits",
                           shares={"A": 0.9, "B": 0.1}, sequential=True)  # fmt: skip
    for row in found.rows:
        assert row["verdict"] == "unclear"
        assert row["p"] > 0.5
        assert row["delta_lower"] < 0 < row["delta_upper"]


@pytest.mark.slow
def test_an_experiment_that_is_looked_at() -> None:
    table, metrics = users(), "revenue,clicks/views,bought"
    fixed, found = ab(table, metrics), ab(table, metrics, sequential=True, planned=800)
    statistics = {
        "revenue": "sequential_mean",
        "clicks/views": "sequential_ratio",
        "bought": "sequential_mean",
    }
    for metric, statistic in statistics.items():
        row, before = found.row(metric), fixed.row(metric)
        assert (row["statistic"], row["value"]) == (statistic, pytest.approx(before["value"], rel=1e-12))
        assert row["delta_lower"] < before["delta_lower"] < before["delta_upper"] < row["delta_upper"]
        assert (row["p"] < 0.05) == (row["delta_lower"] > 0 or row["delta_upper"] < 0)
        assert row["p"] > before["p"]
    assert found.sample_ratio.p == 1.0
    assert found.detectable == {}
    assert fixed.detectable
    assert "hold at every look; planned for 800 units" in found.notes[-1]
    assert found.to_dict()["params"]["planned"] == 800


@pytest.mark.slow
def test_an_experiment_that_is_looked_at_uses_cuped() -> None:
    table = users()
    given = {"pre": {"revenue": "before"}, "sequential": True}
    row = ab(table, "revenue", **given).row("revenue")
    plain = ab(table, "revenue", pre={"revenue": "before"}).row("revenue")
    for name in ("value", "control_value", "delta", "relative_change", "variance_reduction"):
        assert row[name] == pytest.approx(plain[name], rel=1e-9), name
    assert row["variance_reduction"] > 0.8
    widths = [one["delta_upper"] - one["delta_lower"] for one in (row, plain)]
    assert 1.4 < widths[0] / widths[1] < 2.5


@pytest.mark.parametrize(
    ("given", "message"),
    [({"planned": 100}, "belongs to a sequential test"), ({"sequential": True, "planned": 0}, "not a number"),
     ({"sequential": True, "planned": 2.5}, "not a number")],
)  # fmt: skip
def test_a_plan_of_an_experiment_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        ab(users(n=20), "revenue", **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"planned": 100}, "looks once and has no plan"),
     ({"test": "always_valid", "planned": -1}, "not a number")],
)  # fmt: skip
def test_a_plan_of_a_comparison_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        duckmetrics.compare(*DIGITS, "ndcg@10", system="system", baseline="blocks", **given)


def test_a_metric_whose_p_comes_from_samples_is_refused() -> None:
    data, scores = "data/shop/impressions.parquet", {"A": "pctr_baseline", "B": "pctr"}
    given = {"columns": {"label": "clicked"}, "cluster": "user_id", "score": scores, "resamples": 100}
    with pytest.raises(MetricError, match="does not hold at every look"):
        duckmetrics.compare(data, None, "ks", **given, interval_method="bootstrap", test="always_valid")


@pytest.mark.slow
def test_ten_looks_keep_the_error_rate() -> None:
    """With fixed tests, one repetition in five has a p below 0.05 at one of ten looks."""
    source = np.random.default_rng(8)
    repetitions, looks = 500, range(50, 501, 50)
    values = source.standard_normal((repetitions, looks[-1]))
    rejected = {"always_valid": np.zeros(repetitions, bool), "paired_t": np.zeros(repetitions, bool)}
    for n in looks:
        table = pa.table({
            "system": np.repeat(["A", "B"], repetitions * n),
            "metric": np.tile(np.repeat(np.arange(repetitions), n), 2),
            "query_id": np.tile(np.arange(n), 2 * repetitions),
            "value": np.concatenate([np.zeros(repetitions * n), values[:, :n].reshape(-1)]),
        })  # fmt: skip
        for name, seen in rejected.items():
            rows = duckmetrics.run_test(name, table, baseline="A").rows
            seen |= np.array([row["p"] < 0.05 for row in sorted(rows, key=lambda row: int(row["metric"]))])
    assert np.mean(rejected["always_valid"]) <= 0.03
    assert np.mean(rejected["paired_t"]) > 0.12
