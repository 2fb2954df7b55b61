"""The interval of a relative change, and the columns that say which values are better."""

from __future__ import annotations

import math
from statistics import covariance, fmean, variance
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

import duckmetrics
from duckmetrics.reference.statistics import student_t_critical


def runs(
    n: int,
) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]], list[list[float]]]:
    """Return two systems whose reciprocal ranks are known, and those."""
    systems: dict[str, dict[str, dict[str, float]]] = {"A": {}, "B": {}}
    values: list[list[float]] = [[], []]
    for i in range(n):
        for own, system, ahead in zip(values, systems.values(), ((i * 7) % 5, (i * 3) % 4), strict=True):
            system[f"q{i}"] = {"a": 1.0, **{f"x{j}": 2.0 for j in range(ahead)}}
            own.append(1 / (1 + ahead))
    return systems, {f"q{i}": {"a": 1} for i in range(n)}, values


def test_the_interval_is_that_of_the_ratio_of_two_correlated_means() -> None:
    systems, truth, (before, after) = runs(60)
    row = duckmetrics.compare(systems, truth, "mrr").row("mrr")
    a, b, n = fmean(before), fmean(after), len(before)
    # The variance of b / a to first order, from the moments of the two.
    ratio = b / a
    spread = variance(after) / b**2 + variance(before) / a**2 - 2 * covariance(before, after) / (a * b)
    half = student_t_critical(0.05, n - 1) * ratio * math.sqrt(spread / n)
    assert row["relative_change"] == pytest.approx(ratio - 1, rel=1e-12)
    assert row["relative_lower"] == pytest.approx(ratio - 1 - half, rel=1e-12)
    assert row["relative_upper"] == pytest.approx(ratio - 1 + half, rel=1e-12)


@pytest.mark.slow
def test_it_is_wider_than_that_of_the_difference_over_a_fixed_baseline() -> None:
    """A baseline is an estimate, too: where both vary independently, its spread adds to the interval."""
    systems, truth, _ = runs(60)
    row = duckmetrics.compare(systems, truth, "mrr").row("mrr")
    base = row["value"] - row["delta"]
    fixed = (row["delta_upper"] - row["delta_lower"]) / abs(base)
    assert row["relative_upper"] - row["relative_lower"] != pytest.approx(fixed, rel=1e-3)


def test_a_baseline_of_zero_has_no_relative_change() -> None:
    truth = {f"q{i}": {"a": 1} for i in range(4)}
    nothing = {q: {"x": 1.0} for q in truth}
    some = {q: {"a": 1.0} if i else {"x": 1.0} for i, q in enumerate(truth)}
    row = duckmetrics.compare({"A": nothing, "B": some}, truth, "mrr").row("mrr")
    assert row["delta"] == 0.75
    assert (row["relative_change"], row["relative_lower"], row["relative_upper"]) == (None, None, None)


@pytest.mark.slow
def test_rows_of_clusters_have_it_too() -> None:
    table = "data/shop/impressions.parquet"
    result = duckmetrics.compare(
        table, None, ["auc", "log_loss"], score={"old": "pctr_baseline", "new": "pctr"},
        columns={"label": "clicked"}, cluster="user_id", layout="canonical",
    )  # fmt: skip
    for row in result.rows:
        if row["system"] == "new":
            base = row["value"] - row["delta"]
            assert row["relative_change"] == pytest.approx(row["delta"] / abs(base))
            assert row["relative_lower"] < row["relative_change"] < row["relative_upper"]
            # No more than twice as wide or narrow as the interval of the difference over the baseline.
            width = (row["delta_upper"] - row["delta_lower"]) / abs(base)
            assert 0.5 < (row["relative_upper"] - row["relative_lower"]) / width < 2


@pytest.mark.some(0)
@pytest.mark.parametrize(
    ("metric", "aim"),
    [("auc", ("higher", None)), ("log_loss", ("lower", None)), ("calibration_ratio", ("target", 1.0)),
     ("base_rate", (None, None))],
)  # fmt: skip
def test_results_say_which_values_are_better(metric: str, aim: tuple[str | None, float | None]) -> None:
    rows = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7], "group_id": [1, 1, 2, 2]}
    (row,) = duckmetrics.evaluate(rows, metrics=metric).rows
    assert (row["better"], row["target"]) == aim
    other = {**rows, "score": [0.8, 0.3, 0.6, 0.5]}
    compared = duckmetrics.compare({"A": rows, "B": other}, metrics=metric, cluster="group_id")
    assert {(row["better"], row["target"]) for row in compared.rows} == {aim}
    assert compared.summary.schema.field("target").type == "double"


# ---- clusters of unequal size -------------------------------------------------------------------


def clicks_of_users(sizes: list[int], seed: int = 0) -> dict[str, np.ndarray]:
    """Return rows of users that have these numbers of rows, with the scores of two models."""
    source = np.random.default_rng(seed)
    user, n = np.repeat(np.arange(len(sizes)), sizes), sum(sizes)
    label = (source.random(n) < 0.3).astype(np.int64)
    old = np.clip(0.3 + 0.1 * source.standard_normal(n) + 0.02 * user / len(sizes), 0.05, 0.95)
    return {"user": user, "label": label, "old": old, "new": np.clip(0.9 * old + 0.1 * label, 0.05, 0.95)}


def losses(rows: dict[str, np.ndarray], score: str) -> np.ndarray:
    return np.asarray(-np.log(np.where(rows["label"] == 1, rows[score], 1 - rows[score])))


def compared_by_user(rows: dict[str, np.ndarray], metrics: str | list[str], **options: Any) -> Any:
    names = [name for name in rows if name not in ("user", "label")]
    return duckmetrics.compare(
        pa.table(rows), metrics=metrics, score={name: name for name in names}, cluster="user", **options
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("sizes", [[40, 30, 20, 10, 5], [90, 60, 40, 30, 20, 10, 5, 5]], ids=str)
def test_its_interval_has_the_degrees_of_freedom_of_the_difference(sizes: list[int]) -> None:
    """Clusters of unequal size: df is the effective number of clusters minus 1, not their number minus 1."""
    rows = clicks_of_users(sizes)
    row = compared_by_user(rows, "log_loss").row("log_loss")
    n, g = sum(sizes), len(sizes)
    old, new = losses(rows, "old"), losses(rows, "new")
    base, value = old.mean(), new.mean()
    # The influence of a row on the ratio of the two means, and the jackknife over users, by hand.
    influence = (new - value / base * old) / base
    left = (influence.sum() - np.bincount(rows["user"], influence)) / (n - np.array(sizes))
    df = n**2 / np.square(sizes).sum() - 1
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt((g - 1) * left.var())
    assert row["df"] == pytest.approx(df)
    assert row["relative_lower"] == pytest.approx(value / base - 1 - half, rel=1e-9)
    assert row["relative_upper"] == pytest.approx(value / base - 1 + half, rel=1e-9)


def test_fewer_than_two_effective_clusters_have_no_interval_at_all() -> None:
    row = compared_by_user(clicks_of_users([400, *[5] * 7]), "log_loss").row("log_loss")
    assert row["n_effective"] < 2 < row["n_units"] == 8
    assert [row[name] for name in ("delta_lower", "relative_lower", "relative_upper", "p")] == [None] * 4
    assert row["reason"] == "the clusters of user are worth fewer than two of equal weight"


# ---- a baseline of 0, except for rounding -------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize("options", [{}, {"test": "always_valid"}, {"unpaired": True}], ids=str)
def test_a_baseline_of_zero_but_for_rounding_has_no_relative_change(options: dict[str, Any]) -> None:
    """A constant prediction at the base rate has a relative information gain of 0, computed as 1e-16."""
    source = np.random.default_rng(7)
    label = (source.random(300) < 0.1).astype(np.int64)
    rows = {"user": np.arange(300) // 3, "label": label, "const": np.full(300, label.mean()),
            "model": np.clip(0.2 * label + 0.1 * source.random(300), 0.01, 0.99)}  # fmt: skip
    result = compared_by_user(rows, ["rig", "brier_skill"], **options)
    for metric in ("rig", "brier_skill"):
        row = result.row(metric, "model")
        assert row["verdict"] == "better"
        assert [row[f"relative_{name}"] for name in ("change", "lower", "upper")] == [None] * 3
        assert row["reason"] == "the baseline is 0, so there is no relative change"


@pytest.mark.some(1)
@pytest.mark.parametrize("test", ["t", "randomization"])
def test_a_share_of_a_baseline_of_zero_is_no_margin(test: str) -> None:
    source = np.random.default_rng(7)
    label = (source.random(300) < 0.1).astype(np.int64)
    rows = {"user": np.arange(300) // 3, "label": label, "const": np.full(300, label.mean()),
            "model": np.clip(0.9 * source.random(300), 0.01, 0.99)}  # fmt: skip
    result = compared_by_user(rows, ["rig", "cohen_kappa"], margin="5%", test=test)
    for metric in ("rig", "cohen_kappa"):
        row = result.row(metric, "model")
        assert (row["margin"], row["p_not_worse"], row["p_equivalent"]) == (None, None, None)
        assert row["verdict"] in ("worse", "inconclusive")
        assert "the baseline is 0" in row["reason"]


@pytest.mark.parametrize(("factor", "change"), [(0.0, -1.0), (1.5, 0.5)])
def test_values_in_a_fixed_proportion_have_an_exact_relative_change(factor: float, change: float) -> None:
    """A new value of 0 everywhere is a change of -100 %, without -100.00000075 %."""
    values = np.random.default_rng(1).random(200)
    rows = {"system": ["A"] * 200 + ["B"] * 200, "metric": ["m"] * 400, "query_id": [*range(200)] * 2,
            "value": np.concatenate([values, factor * values])}  # fmt: skip
    (row,) = duckmetrics.run_test("paired_t", pa.table(rows), baseline="A").rows
    for name in ("relative_change", "relative_lower", "relative_upper"):
        assert row[name] == pytest.approx(change, rel=1e-14)
