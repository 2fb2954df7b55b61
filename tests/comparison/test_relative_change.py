"""The interval of a relative change, and the columns that say which values are better."""

from __future__ import annotations

import math
from statistics import covariance, fmean, variance

import pytest

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
