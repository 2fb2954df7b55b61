"""The reference of the classification metrics against scikit-learn, a fixture, and hand computation."""

from __future__ import annotations

import inspect
import itertools
import json
import math
import random
import re
import warnings
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve as sk_calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from duckmetrics.reference import classification as scalar
from duckmetrics.reference import classification_tables as tables
from duckmetrics.reference.bins import mass_bins, width_bins
from duckmetrics.reference.distributions import brownian_range_sf
from duckmetrics.reference.observation import Observation, auc_bounds, present
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Rows = list[Observation]
EXACT = 1e-12
FIXTURE = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
EXAMPLE = FIXTURE["ctr_classification"]
EXPECTED = EXAMPLE["expected"]

# The parameters without a default, in the tests that visit all metrics.
REQUIRED: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2},
    "lift": {"top": 0.15},
    "partial_auc": {"max_fpr": 0.2},
    "precision_at_recall": {"recall": 0.4},
    "recall_at_precision": {"precision": 0.3},
    "tpr_at_fpr": {"fpr": 0.2},
}
WITHOUT_WEIGHTS = {"spiegelhalter_z", "spiegelhalter_p", "hosmer_lemeshow"}
RATINGS = {"rmse", "mae", "r2"}
AT_A_THRESHOLD = {"accuracy", "precision", "recall", "specificity", "fpr", "fnr", "npv", "f_beta"}
AT_A_THRESHOLD |= {"balanced_accuracy", "mcc", "cohen_kappa"}


def rows_of(labels: Iterable[float], scores: Iterable[float], weights: Iterable[float] = ()) -> Rows:
    labels, scores = list(labels), list(scores)
    weights = list(weights) or [1.0] * len(labels)
    return [Observation(*row) for row in zip(labels, scores, weights, strict=True)]


def value_of(name: str, rows: Rows) -> float | None:
    value: float | None = getattr(scalar, name)(rows, **REQUIRED.get(name, {}))
    return value


def close(value: float | None, expected: float, tolerance: float = EXACT) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)


def column(table: tables.Table, name: str) -> list[Any]:
    return [row[name] for row in table]


# --- data ----------------------------------------------------------------------------------------


def world(seed: int, n: int, score: Callable[[random.Random], float], rate: float = 0.3) -> Rows:
    """Return rows whose positives tend to higher scores; groups alternate whole, real and zero weights."""
    chance = random.Random(seed)
    rows = []
    for _ in range(n):
        s = score(chance)
        label = float(chance.random() < rate * (0.3 + 1.4 * s if 0 <= s <= 1 else 1))
        group = chance.randrange(8)
        weight = (
            float(chance.randint(1, 4)) if group % 2 else chance.choice([0.0, 0.1, 2.5 * chance.random()])
        )
        rows.append(Observation(label, s, weight, group))
    return rows


def with_one(label: float) -> Rows:
    """Return 401 rows, one of them of that label."""
    rows = [replace(row, label=1 - label) for row in world(7, 400, random.Random.random)]
    return [*rows, Observation(label, 0.6, 1.0, 3)]


WORLDS: dict[str, Rows] = {
    "no ties": world(1, 300, random.Random.random),
    "heavy ties": world(2, 300, lambda chance: chance.randint(0, 10) / 10),
    "two scores": world(3, 100, lambda chance: chance.choice([0.2, 0.7])),
    "one score": world(4, 100, lambda chance: 0.3),
    "1e-17 apart": world(5, 200, lambda chance: 0.01 + chance.randint(0, 20) * 1e-17),
    "zeros": world(6, 200, lambda chance: chance.choice([-0.0, 0.0, 5e-324, 1e-300, 0.5, 1.0])),
    "one positive": with_one(1.0),
    "one negative": with_one(0.0),
    "few": world(8, 5, lambda chance: chance.randint(0, 3) / 4, rate=0.7),
    "rare": world(9, 700, lambda chance: chance.random() ** 6, rate=0.05),
}
UNBOUNDED: dict[str, Rows] = {
    "logits": world(10, 300, lambda chance: chance.gauss(-3, 2)),
    "infinite": world(11, 200, lambda chance: chance.choice([-math.inf, -1e300, -1.0, 0.0, 1e300, math.inf])),
}


def unit(rows: Rows) -> Rows:
    return [replace(row, weight=1.0) for row in rows]


SCORED = {**WORLDS, **UNBOUNDED}
WEIGHINGS = {"weights": present, "no weights": unit}
SETS = [pytest.param(weigh(rows), id=f"{name}, {how}") for name, rows in SCORED.items()
        for how, weigh in WEIGHINGS.items()]  # fmt: skip
PROBABILITY_SETS = [pytest.param(weigh(rows), id=f"{name}, {how}") for name, rows in WORLDS.items()
                    for how, weigh in WEIGHINGS.items()]  # fmt: skip


BIG = {math.inf: 1e305, -math.inf: -1e305}


def arrays(rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, scores and weights, with infinite scores as finite ones for scikit-learn."""
    scores = [BIG.get(row.score, row.score) for row in rows]
    return np.array([row.y for row in rows]), np.array(scores), np.array([row.weight for row in rows])


def test_the_data_have_what_they_promise() -> None:
    for name, rows in SCORED.items():
        assert {row.positive for row in present(rows)} == {True, False}, name
    assert len({row.score for row in WORLDS["1e-17 apart"]}) == 21
    assert {math.copysign(1, row.score) for row in WORLDS["zeros"]} == {-1, 1}
    assert any(row.weight == 0 for row in WORLDS["heavy ties"])


# --- scikit-learn: order -------------------------------------------------------------------------


@pytest.mark.parametrize("rows", SETS)
def test_auc(rows: Rows) -> None:
    y, s, w = arrays(rows)
    expected = sk.roc_auc_score(y, s, sample_weight=w)
    assert close(scalar.auc(rows), expected)
    assert close(scalar.auc_pairwise(rows), expected)
    assert close(scalar.gini(rows), 2 * expected - 1)


@pytest.mark.some(23)
@pytest.mark.parametrize("rows", SETS)
@pytest.mark.parametrize("max_fpr", [1e-3, 0.3, 0.9999, 1.0])
def test_partial_auc(rows: Rows, max_fpr: float) -> None:
    y, s, w = arrays(rows)
    mcclish = sk.roc_auc_score(y, s, sample_weight=w, max_fpr=max_fpr)
    assert close(scalar.partial_auc(rows, max_fpr=max_fpr), mcclish)
    chance = max_fpr**2 / 2
    area = (2 * mcclish - 1) * (max_fpr - chance) + chance
    assert close(scalar.partial_auc(rows, max_fpr=max_fpr, norm="raw"), area)
    assert close(scalar.partial_auc(rows, max_fpr=max_fpr, norm="max_fpr"), area / max_fpr)


@pytest.mark.parametrize("rows", SETS)
def test_average_precision(rows: Rows) -> None:
    y, s, w = arrays(rows)
    assert close(scalar.average_precision(rows), sk.average_precision_score(y, s, sample_weight=w))
    precision, recall, _ = sk.precision_recall_curve(y, s, sample_weight=w)
    area = sk.auc(recall, precision)
    assert close(scalar.average_precision(rows, interpolation="trapezoid"), area)


@pytest.mark.some(3)
@pytest.mark.parametrize("rows", SETS)
def test_roc_curve_and_what_is_read_from_it(rows: Rows) -> None:
    y, s, w = arrays(rows)
    false, true, thresholds = sk.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    table = tables.roc_curve(rows)
    assert column(table, "fpr") == pytest.approx(false, abs=EXACT)
    assert column(table, "tpr") == pytest.approx(true, abs=EXACT)
    assert [BIG.get(t, t) for t in column(table[1:], "threshold")] == list(thresholds[1:])
    assert table[0]["threshold"] == math.inf == thresholds[0]
    areas = [sk.auc(false[:i], true[:i]) for i in range(2, len(false) + 1)] if len(false) < 500 else []
    assert column(table, "area")[1:] == pytest.approx(areas, abs=EXACT) or not areas
    assert close(scalar.ks(rows), max(abs(true - false)))
    for limit in (0.0, 0.05, 0.1, 0.5, 1.0):
        expected = max(t for t, f in zip(true, false, strict=True) if f <= limit + 1e-14)
        assert close(scalar.tpr_at_fpr(rows, fpr=limit), expected), limit


@pytest.mark.some(8)
@pytest.mark.parametrize("rows", SETS)
def test_pr_curve_and_what_is_read_from_it(rows: Rows) -> None:
    y, s, w = arrays(rows)
    precision, recall, _ = (
        values[::-1] for values in sk.precision_recall_curve(y, s, sample_weight=w)
    )  # from the highest score on; first the point that no score has
    table = tables.pr_curve(rows)
    assert column(table, "precision") == pytest.approx(precision[1:], abs=EXACT)
    assert column(table, "recall") == pytest.approx(recall[1:], abs=EXACT)
    assert close(table[-1]["area"], sk.average_precision_score(y, s, sample_weight=w))
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    assert close(scalar.max_f1(rows), max(f1[1:]))
    points = list(zip(precision[1:], recall[1:], strict=True))
    for limit in (0.0, 0.123, 0.5001, 0.9):
        reached = [r for p, r in points if p >= limit]
        found = scalar.recall_at_precision(rows, precision=limit)
        assert close(found, max(reached)) if reached else found is None
        assert close(scalar.precision_at_recall(rows, recall=limit), max(p for p, r in points if r >= limit))


@pytest.mark.some(7)
@pytest.mark.parametrize("rows", SETS)
def test_gauc_is_the_mean_of_the_groups(rows: Rows) -> None:
    values, by = [], {"impressions": [], "positives": [], "pairs": [], "uniform": []}  # type: ignore[var-annotated]
    for group in {row.group for row in rows}:
        y, s, w = arrays([row for row in rows if row.group == group])
        if len(set(y)) < 2:
            continue
        values.append(sk.roc_auc_score(y, s, sample_weight=w))
        positives, negatives = w[y == 1].sum(), w[y == 0].sum()
        by["impressions"].append(positives + negatives)
        by["positives"].append(positives)
        by["pairs"].append(positives * negatives)
        by["uniform"].append(1)
    for average, weights in by.items():
        found = scalar.gauc(rows, average=average)
        assert close(found, np.average(values, weights=weights)) if values else found is None
    defined = [row["auc"] for row in tables.group_auc(rows) if row["auc"] is not None]
    assert sorted(defined) == pytest.approx(sorted(values), abs=EXACT)
    counted = column(tables.group_auc(rows), "positives") + column(tables.group_auc(rows), "negatives")
    assert math.fsum(counted) == pytest.approx(sum(row.weight for row in rows))


# --- scikit-learn: at a threshold ----------------------------------------------------------------


@pytest.mark.some(14)
@pytest.mark.parametrize("rows", SETS)
@pytest.mark.parametrize("threshold", [-0.0, 0.3, 0.7, 2.0])
def test_at_a_threshold(rows: Rows, threshold: float) -> None:
    y, s, w = arrays(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where it divides by zero, which is None here
        found = {name: value_at(name, rows, threshold) for name in AT_A_THRESHOLD}
        assert differences(found, at_a_threshold(y, s >= threshold, w)) == []


def value_at(name: str, rows: Rows, threshold: float) -> float | None:
    value: float | None = getattr(scalar, name)(rows, threshold=threshold, **REQUIRED.get(name, {}))
    return value


def at_a_threshold(y: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    tn, fp, fn, tp = sk.confusion_matrix(y, predicted, sample_weight=w, labels=[0, 1]).ravel()
    given = {"sample_weight": w}
    expected = {
        "accuracy": sk.accuracy_score(y, predicted, **given),
        "recall": sk.recall_score(y, predicted, **given),
        "specificity": tn / (tn + fp),
        "fpr": fp / (tn + fp),
        "fnr": fn / (tp + fn),
        "f_beta": sk.fbeta_score(y, predicted, beta=2, **given),
        "balanced_accuracy": sk.balanced_accuracy_score(y, predicted, **given),
    }
    # scikit-learn gives 0 where the following are undefined.
    if tp + fp:
        expected["precision"] = sk.precision_score(y, predicted, **given)
    if tn + fn:
        expected["npv"] = sk.precision_score(1 - y, ~predicted, **given)
    if (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn):
        expected["mcc"] = sk.matthews_corrcoef(y, predicted, **given)
        expected["cohen_kappa"] = sk.cohen_kappa_score(y, predicted, **given)
    else:  # all rows on one side of the threshold
        expected["cohen_kappa"] = 0.0
    return expected


def differences(found: dict[str, float | None], expected: dict[str, float]) -> list[Any]:
    """Return where a value differs from the expected one, or exists where none is expected."""
    names = found.keys() | expected.keys()
    return [
        (name, found[name], expected.get(name))
        for name in names
        if not (close(found[name], expected[name]) if name in expected else found[name] is None)
    ]


@pytest.mark.some(13)
@pytest.mark.parametrize("rows", SETS)
def test_confusion_and_threshold_table(rows: Rows) -> None:
    y, s, w = arrays(rows)
    assert [row["threshold"] for row in tables.threshold_table(rows, points=3)] == [0.0, 0.5, 1.0]
    assert column(tables.threshold_table(rows), "threshold")[3] == 0.3
    for row in tables.threshold_table(rows, points=5):
        t = row["threshold"]
        matrix = sk.confusion_matrix(y, s >= t, sample_weight=w, labels=[0, 1]).ravel()
        assert [row["tn"], row["fp"], row["fn"], row["tp"]] == pytest.approx(matrix, abs=1e-9)
        assert tables.confusion(rows, threshold=t) == [
            {name: row[name] for name in ("threshold", "tp", "fp", "fn", "tn")}
        ]
        for name in ("precision", "recall", "specificity", "accuracy"):
            assert row[name] == value_at(name, rows, t)
        assert row["f1"] == scalar.f_beta(rows, beta=1, threshold=t)


# --- scikit-learn: probabilities and ratings -----------------------------------------------------


@pytest.mark.parametrize("rows", PROBABILITY_SETS)
def test_log_loss_and_brier(rows: Rows) -> None:
    y, p, w = arrays(rows)
    rate = np.average(y, weights=w)
    for eps in (1e-15, 1e-7):
        # scikit-learn clips at 2.2e-16, so its input is already clipped.
        loss = sk.log_loss(y, np.clip(p, eps, 1 - eps), sample_weight=w)
        assert close(scalar.log_loss(rows, eps=eps), loss)
        entropy = sk.log_loss(y, np.full(len(y), rate), sample_weight=w)
        assert close(scalar.normalized_entropy(rows, eps=eps), loss / entropy)
        assert close(scalar.rig(rows, eps=eps), 1 - loss / entropy)
        of_half = scalar.normalized_entropy(rows, eps=eps, base_rate=0.5)
        assert close(of_half, loss / math.log(2))
    score = sk.brier_score_loss(y, p, sample_weight=w)
    assert close(scalar.brier(rows), score)
    assert close(scalar.brier_skill(rows), 1 - score / (rate * (1 - rate)), 1e-11)
    given = sk.brier_score_loss(y, np.full(len(y), 0.1), sample_weight=w)
    assert close(scalar.brier_skill(rows, base_rate=0.1), 1 - score / given)
    assert close(scalar.base_rate(rows), rate)
    assert close(scalar.calibration_ratio(rows), np.average(p, weights=w) / rate)
    assert close(scalar.copc(rows), rate / np.average(p, weights=w))


@pytest.mark.parametrize("name", ["no ties", "logits", "heavy ties", "rare"])
def test_ratings(name: str) -> None:
    chance = random.Random(1)
    rows = [replace(row, label=chance.choice([-1.0, 1.0, 3.5, 5.0])) for row in present(SCORED[name])]
    y = np.array([row.label for row in rows])
    _, s, w = arrays(rows)
    assert close(scalar.rmse(rows), math.sqrt(sk.mean_squared_error(y, s, sample_weight=w)))
    assert close(scalar.mae(rows), sk.mean_absolute_error(y, s, sample_weight=w))
    assert close(scalar.r2(rows), sk.r2_score(y, s, sample_weight=w))


@pytest.mark.parametrize("bins", [1, 2, 10, 15])
@pytest.mark.parametrize("binning", ["width", "mass"])
def test_calibration_curve_without_edge_values(bins: int, binning: str) -> None:
    """No p is on an edge or tied, and parts are equal; elsewhere scikit-learn's bins differ, (lo, hi]."""
    rows = unit(world(12, 600, random.Random.random))
    y, p, _ = arrays(rows)
    strategy = {"width": "uniform", "mass": "quantile"}[binning]
    labels, scores = sk_calibration_curve(y, p, n_bins=bins, strategy=strategy)
    table = tables.calibration_curve(rows, bins=bins, binning=binning)
    assert column(table, "mean_label") == pytest.approx(labels, abs=EXACT)
    assert column(table, "mean_score") == pytest.approx(scores, abs=EXACT)
    assert column(table, "gap") == pytest.approx(scores - labels, abs=EXACT)
    n = np.array(column(table, "n"))
    given = {"bins": bins, "binning": binning}
    assert close(scalar.ece(rows, **given), np.average(abs(scores - labels), weights=n))
    assert close(scalar.mce(rows, **given), max(abs(scores - labels)))
    assert close(scalar.ace(rows, **given), np.mean(abs(scores - labels)))


@pytest.mark.some(9)
@pytest.mark.parametrize("name", ["no ties", "heavy ties", "two scores", "rare", "miscalibrated"])
@pytest.mark.parametrize("weigh", WEIGHINGS.values(), ids=WEIGHINGS)
def test_calibration_line(name: str, weigh: Callable[[Rows], Rows]) -> None:
    rows = weigh({**WORLDS, "miscalibrated": miscalibrated()}[name])
    y, p, w = arrays(rows)
    p = np.clip(p, 1e-15, 1 - 1e-15)
    x = (np.log(p) - np.log1p(-p)).reshape(-1, 1)
    fit = LogisticRegression(C=math.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    fit.fit(x, y, sample_weight=w)
    assert close(scalar.calibration_slope(rows), fit.coef_[0, 0], 1e-6)
    assert close(scalar.calibration_intercept(rows), fit.intercept_[0], 1e-6)


def miscalibrated() -> Rows:
    """Return predictions ten times too small; Newton's steps from p, not from (0, 0), overshoot."""
    chance = random.Random(3)
    scores = [10 ** chance.uniform(-4, -1.5) for _ in range(3000)]
    return rows_of([float(chance.random() < 10 * s) for s in scores], scores)


@pytest.mark.parametrize("rows", PROBABILITY_SETS)
def test_the_calibration_line_is_where_the_likelihood_is_flat(rows: Rows) -> None:
    slope, intercept = scalar.calibration_slope(rows), scalar.calibration_intercept(rows)
    if slope is None or intercept is None:
        assert slope is intercept is None
        return
    y, p, w = arrays(rows)
    p = np.clip(p, 1e-15, 1 - 1e-15)
    x = np.log(p) - np.log1p(-p)
    left = w * (y - 1 / (1 + np.exp(-intercept - slope * x)))
    assert abs(left.sum()) / w.sum() < 1e-13
    assert abs((left * x).sum()) / w.sum() < 1e-12


# --- the fixture ---------------------------------------------------------------------------------


def example(weights: bool = False) -> Rows:
    inputs = EXAMPLE["inputs"]
    given = inputs["weight"] if weights else [1.0] * len(inputs["label"])
    columns = (inputs["label"], inputs["score"], given, inputs["user"])
    return [Observation(*row) for row in zip(*columns, strict=True)]


SAME_AS_THE_FIXTURE: list[tuple[str, str, dict[str, Any]]] = [
    ("ctr", "base_rate", {}),
    ("auc", "auc", {}),
    ("auc", "auc_pairwise", {}),
    ("gini", "gini", {}),
    ("average_precision", "average_precision", {}),
    ("pr_auc_trapezoid", "average_precision", {"interpolation": "trapezoid"}),
    ("logloss", "log_loss", {}),
    ("base_entropy", "base_entropy", {}),
    ("normalized_entropy", "normalized_entropy", {}),
    ("rig", "rig", {}),
    ("brier", "brier", {}),
    ("brier_skill", "brier_skill", {}),
    ("rmse", "rmse", {}),
    ("pcoc_pctr_over_ctr", "calibration_ratio", {}),
    ("copc_ctr_over_pctr", "copc", {}),
    ("spiegelhalter_z", "spiegelhalter_z", {}),
    ("spiegelhalter_p", "spiegelhalter_p", {}),
    ("ks", "ks", {}),
    ("pauc_fpr0.3_raw", "partial_auc", {"max_fpr": 0.3, "norm": "raw"}),
    ("pauc_fpr0.3_normalised_by_0.3", "partial_auc", {"max_fpr": 0.3, "norm": "max_fpr"}),
    ("pauc_fpr0.3_mcclish", "partial_auc", {"max_fpr": 0.3}),
    ("ece_equal_width10", "ece", {}),
    ("mce_equal_width10", "mce", {}),
    ("ace_equal_width10", "ace", {}),
    ("max_f1", "max_f1", {}),
    ("recall_at_precision_0.75", "recall_at_precision", {"precision": 0.75}),
    ("precision_at_recall_0.8", "precision_at_recall", {"recall": 0.8}),
    ("tpr_at_fpr_0.1", "tpr_at_fpr", {"fpr": 0.1}),
    ("gauc_by_impressions", "gauc", {}),
    ("gauc_by_clicks", "gauc", {"average": "positives"}),
    ("gauc_mean_of_users", "gauc", {"average": "uniform"}),
    ("gauc_by_pairs", "gauc", {"average": "pairs"}),
    ("lift_at_25pct", "lift", {"top": 0.25}),
    ("calibration_slope", "calibration_slope", {}),
    ("calibration_intercept", "calibration_intercept", {}),
]


@pytest.mark.parametrize(("key", "name", "params"), SAME_AS_THE_FIXTURE)
def test_fixture(key: str, name: str, params: dict[str, Any]) -> None:
    assert close(getattr(scalar, name)(example(), **params), EXPECTED[key])


def test_fixture_with_weights() -> None:
    rows = example(weights=True)
    assert close(scalar.auc(rows), EXPECTED["auc_weighted"])
    assert close(scalar.auc_pairwise(rows), EXPECTED["auc_weighted"])
    assert close(scalar.average_precision(rows), EXPECTED["average_precision_weighted"])
    assert close(scalar.log_loss(rows), EXPECTED["logloss_weighted"])


def test_fixture_at_a_threshold() -> None:
    expected = EXPECTED["at_0.3"]
    names = {"kappa": "cohen_kappa"}
    for key in ("accuracy", "precision", "recall", "specificity", "fpr", "fnr", "npv",
                "balanced_accuracy", "mcc", "kappa"):  # fmt: skip
        value = getattr(scalar, names.get(key, key))(example(), threshold=0.3)
        assert close(value, expected[key]), key
    for key, beta in (("f1", 1), ("f2", 2), ("f05", 0.5)):
        assert close(scalar.f_beta(example(), beta=beta, threshold=0.3), expected[key])
    (counts,) = tables.confusion(example(), threshold=0.3)
    assert counts == {"threshold": 0.3, **{name: expected[name] for name in ("tp", "fp", "fn", "tn")}}


def test_fixture_tables() -> None:
    groups = {row["group_id"]: row["auc"] for row in tables.group_auc(example())}
    assert {key: value for key, value in groups.items() if value is not None} == EXPECTED["auc_per_user"]
    assert sum(value is None for value in groups.values()) == EXPECTED["gauc_users_skipped"]
    gains = tables.gains_curve(example(), bins=4)
    assert column(gains, "gain") == pytest.approx([0, *EXPECTED["gain_curve_quartiles"]], abs=EXACT)
    assert column(gains, "threshold") == [math.inf, 0.55, 0.31, 0.15, 0.03]
    curve = [row for row in tables.calibration_curve(example()) if row["n"]]
    found = [[row["bin"], row["n"], row["mean_label"], row["mean_score"]] for row in curve]
    assert found == [pytest.approx(row, abs=EXACT) for row in EXPECTED["table_equal_width10"]]
    (parts,) = tables.brier_decomposition(example())
    assert parts == pytest.approx(decomposition("equal_width10"), abs=EXACT)


def decomposition(bins: str) -> dict[str, float]:
    return {
        "brier": EXPECTED["brier"],
        "reliability": EXPECTED[f"reliability_{bins}"],
        "resolution": EXPECTED[f"resolution_{bins}"],
        "uncertainty": EXPECTED["uncertainty"],
        "within_variance": EXPECTED[f"within_bin_var_{bins}"],
        "within_covariance": EXPECTED[f"within_bin_2cov_{bins}"],
    }


def test_fixture_bins_of_equal_mass_are_those_of_ntile_which_splits_ties() -> None:
    """The two disagree: 0.4 occurs twice, as the last row of the third fifth and the first of the fourth.

    ntile separates the two, so the place of each label depends on the order of equal rows, and the
    number changes with it. Here they stay together (scikit-learn's quantiles do not split ties
    either). With the second 0.4 a hair above the first, the fixture's numbers come out.
    """
    split = example()
    second = max(i for i, row in enumerate(split) if row.score == 0.4)
    split[second] = replace(split[second], score=math.nextafter(0.4, 1))
    for name in ("ece", "mce", "ace"):
        found = getattr(scalar, name)(split, bins=5, binning="mass")
        assert close(found, EXPECTED[f"{name}_equal_mass5_ntile"]), name
    assert close(scalar.hosmer_lemeshow(split, bins=5), EXPECTED["hosmer_lemeshow_g5"])
    curve = tables.calibration_curve(split, bins=5, binning="mass")
    found = [[row["bin"], row["n"], row["mean_label"], row["mean_score"]] for row in curve]
    assert found == [pytest.approx(row, abs=EXACT) for row in EXPECTED["table_equal_mass5_ntile"]]
    (parts,) = tables.brier_decomposition(split, bins=5, binning="mass")
    assert parts == pytest.approx(decomposition("equal_mass5_ntile"), abs=EXACT)

    together = tables.calibration_curve(example(), bins=5, binning="mass")
    assert column(together, "n") == [5, 5, 6, 4, 4]
    assert close(scalar.ece(example(), bins=5, binning="mass"), 0.06625)


# --- AUC by hand and by bins ---------------------------------------------------------------------


def test_auc_by_hand() -> None:
    assert scalar.auc(rows_of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])) == 0.75
    curve = tables.roc_curve(rows_of([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    assert [(row["fpr"], row["tpr"]) for row in curve] == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert column(curve, "area") == [0, 0, 0.25, 0.25, 0.75]
    assert scalar.auc(rows_of([1, 0, 1, 0], [0.5] * 4)) == 0.5
    assert scalar.auc(rows_of([0, 0, 1, 1], [math.inf] * 4)) == 0.5
    assert scalar.auc(rows_of([1, 0], [0.01 + 1e-17, 0.01])) == 1.0
    assert scalar.auc(rows_of([1, 0], [0.0, -0.0])) == 0.5
    assert math.copysign(1, tables.roc_curve(rows_of([1], [-0.0]))[1]["threshold"]) == 1


def test_average_precision_of_one_score_is_the_base_rate() -> None:
    rows = rows_of([1] + [0] * 9999, [0.5] * 10_000)
    assert scalar.average_precision(rows) == 1e-4
    assert scalar.average_precision(rows, interpolation="trapezoid") == 0.50005


def test_weights_of_billions() -> None:
    rows = rows_of([1, 0, 1, 0], [3, 2, 2, 1], [4e9, 1e9, 1e9, 4e9])
    assert close(scalar.auc(rows), (4 * 5 + 4 + 0.5) / 25)
    assert scalar.mcc(rows, threshold=2) == pytest.approx(2 / math.sqrt(6))  # tp 5, fp 1, fn 0, tn 4


@pytest.mark.some(44)
@pytest.mark.parametrize("rows", SETS)
@pytest.mark.parametrize("bins", [1, 2, 7, 100])
def test_auc_lies_within_its_bounds(rows: Rows, bins: int) -> None:
    lower, upper = auc_bounds(rows, bins) or (math.nan, math.nan)
    exact = scalar.auc(rows)
    assert exact is not None
    assert lower - EXACT <= exact <= upper + EXACT
    assert scalar.auc(rows, approx=bins) == pytest.approx((lower + upper) / 2)
    if bins == 1:
        assert (lower, upper) == (0, 1)


def test_auc_bounds_by_hand() -> None:
    rows = rows_of([0, 1, 0, 1, 1, 0, 1], [-math.inf, 0, 4, 4, 6, 10, math.inf])
    # Two bins: {-inf, 0, 4, 4} with two of each class, {6, 10, inf} with two positives, one negative.
    assert auc_bounds(rows, 2) == (4 / 12, 10 / 12)
    assert scalar.auc(rows, approx=2) == 7 / 12
    assert auc_bounds(rows_of([0, 1, 1], [3, 3, math.inf]), 2) == (0.5, 1.0)
    assert auc_bounds(rows_of([0, 1], [-math.inf, math.inf]), 2) == (1, 1)
    assert auc_bounds(rows_of([1, 1], [1, 2]), 2) is None
    assert scalar.auc([], approx=2) is None
    assert auc_bounds(rows_of([0, 1], [-1.7e308, 1.7e308]), 2) == (1, 1)
    # In doubles 0.3 / 1 * 10 is 3, though 0.3 is a little less than 3/10: the fourth bin.
    assert auc_bounds(rows_of([0, 0, 1, 1], [0.0, 0.3, 0.35, 1.0]), 10) == (0.75, 1.0)


def test_many_bins_come_near() -> None:
    rows = WORLDS["no ties"]
    assert close(scalar.auc(rows, approx=10**6), scalar.auc(rows) or 0, 1e-4)
    for bins in (5, 50):
        wide, narrow = auc_bounds(rows, bins), auc_bounds(rows, 10 * bins)
        assert wide is not None
        assert narrow is not None
        assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


# --- the rest by hand ----------------------------------------------------------------------------


def test_partial_auc_by_hand() -> None:
    # ROC: (0, 0) -> (0, 1/2) -> (1/2, 1), one tie of a positive and a negative -> (1, 1).
    rows = rows_of([1, 1, 0, 0], [3, 2, 2, 1])
    assert scalar.partial_auc(rows, max_fpr=0.25, norm="raw") == 0.25 * (0.5 + 0.75) / 2
    assert scalar.partial_auc(rows, max_fpr=0.25, norm="max_fpr") == 0.625
    assert scalar.partial_auc(rows, max_fpr=1.0, norm="raw") == scalar.auc(rows) == 0.875
    assert scalar.partial_auc(rows, max_fpr=1.0) == 0.875
    with pytest.raises(ValueError, match="mcclish"):
        scalar.partial_auc(rows, max_fpr=0.5, norm="chance")


def test_limits_are_compared_as_they_are_written() -> None:
    """1/10 of ten is 0.1, although the double 0.1 is a little more than a tenth."""
    rows = rows_of([1, *[0] * 9, *[1] * 9, 0], range(20, 0, -1))
    assert scalar.tpr_at_fpr(rows, fpr=0.9) == 1.0  # the last positive, before the tenth negative
    assert scalar.tpr_at_fpr(rows, fpr=0.1) == 0.1
    assert scalar.precision_at_recall(rows, recall=0.1) == 1.0
    tenth = rows_of([0] * 9 + [1], [1.0] * 10)
    assert scalar.recall_at_precision(tenth, precision=0.1) == 1.0
    assert scalar.recall_at_precision(tenth, precision=0.11) is None


def test_ties_at_the_cut_of_lift_count_in_proportion() -> None:
    # The top 3 of 10 rows: the two of score 2 (one positive), and one of the four of score 1 (two positives).
    rows = rows_of([1, 0, 1, 1, 0, 0, 0, 0, 0, 1], [2, 2, 1, 1, 1, 1, 0, 0, 0, 0])
    assert scalar.lift(rows, top=0.3) == pytest.approx((1.5 / 3) / (4 / 10))
    assert scalar.lift(rows, top=1.0) == 1.0
    assert scalar.lift(rows, top=0.01) == pytest.approx(0.5 / 0.4)  # less than one row
    table = tables.gains_curve(rows, bins=5)
    assert column(table, "share") == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert column(table, "threshold") == [math.inf, 2, 1, 1, 0, 0]
    assert column(table, "gain") == [0, 0.25, 0.5, 0.75, 0.875, 1.0]
    assert column(table, "lift") == [None, *map(pytest.approx, [1.25, 1.25, 1.25, 0.875 / 0.8, 1.0])]
    # It is the mean over the orders of the tied rows.
    chance, found = random.Random(0), []
    for _ in range(4000):
        ordered = sorted(rows, key=lambda row: (-row.score, chance.random()))
        found.append(sum(row.label for row in ordered[:3]) / 3 / 0.4)
    assert np.mean(found) == pytest.approx(1.25, abs=0.02)


def test_scores_of_each_class_in_bins() -> None:
    # Between 0 and 4: [0, 1), [1, 2), [2, 3), [3, 4]; -inf and inf are in the outer bins, weight 0 in none.
    scores = [-math.inf, 0, 1, 1, 3, 4, math.inf, 9]
    rows = rows_of([0, 0, 0, 1, 1, 1, 1, 1], scores, [1, 1, 2, 1, 1, 1, 1, 0])
    table = tables.score_histogram(rows, bins=4)
    assert column(table, "lo") == [0, 1, 2, 3]
    assert column(table, "hi") == [1, 2, 3, 4]
    assert column(table, "n") == [2, 2, 0, 3]
    assert column(table, "positives") == [0, 1, 0, 3]
    assert column(table, "negatives") == [2, 2, 0, 0]
    assert column(table, "positive_share") == [0, 0.25, 0, 0.75]
    assert column(table, "negative_share") == [0.5, 0.5, 0, 0]


def test_a_histogram_of_equal_scores_and_of_one_class() -> None:
    table = tables.score_histogram(rows_of([1, 1], [7, 7]), bins=3)
    assert column(table, "positives") == [2, 0, 0]
    assert column(table, "lo") == column(table, "hi") == [7, 7, 7]
    assert column(table, "negative_share") == [None] * 3
    infinite = tables.score_histogram(rows_of([1, 0], [math.inf, -math.inf]), bins=2)
    assert column(infinite, "positives") == [0, 1]
    assert column(infinite, "lo") == [0, 0]
    assert tables.score_histogram([]) == []
    huge = tables.score_histogram(rows_of([1, 0, 1], [1e308, -1e308, 0]), bins=2)
    assert column(huge, "lo") == [-1e308, 0]
    assert column(huge, "n") == [1, 2]


def test_lift_takes_weights() -> None:
    rows = rows_of([1, 0, 1], [3, 2, 1], [1, 3, 4])  # the top half weighs 4
    assert scalar.lift(rows, top=0.5) == pytest.approx((1 / 4) / (5 / 8))


def test_log_loss_by_hand() -> None:
    clipped = [(1.0, 0, 34.53957599234088), (0.0, 1, 34.538776394910684), (1.0, 1, 9.992007221626415e-16)]
    for p, y, loss in clipped:
        assert scalar.log_loss(rows_of([y], [p])) == pytest.approx(loss, rel=1e-13), (p, y)
    assert scalar.log_loss(rows_of([1, 0], [0.0, 0.5])) == pytest.approx(17.615961787735316, rel=1e-13)
    assert scalar.log_loss(rows_of([0], [1e-15]), eps=0) == 1e-15 + 5e-31
    assert scalar.log_loss(rows_of([0, 1], [1.0, 0.5]), eps=0) == math.inf
    assert scalar.log_loss(rows_of([0, 1], [0.5, 0.0]), eps=0) == math.inf
    assert scalar.log_loss(rows_of([0, 1], [0.0, 1.0]), eps=0) == 0
    assert scalar.log_loss(rows_of([0, 1], [1.0, 0.5], [0, 1]), eps=0) == math.log(2)
    assert scalar.normalized_entropy(rows_of([0, 1], [1.0, 0.5]), eps=0) == math.inf


def test_normalized_entropy_of_a_rare_class_keeps_its_digits() -> None:
    for labels in ([1, 0], [0, 1]):
        weights = [1.0, 1e15 - 1] if labels[0] else [1e15 - 1, 1.0]
        p = [1e-15, 1e-15] if labels[0] else [0.5, 0.5]
        loss = scalar.log_loss(rows_of(labels, p, weights))
        entropy = 1e-15 * (-math.log(1e-15)) + 1e-15 - 5e-31  # c = 1e-15: -c ln c + c - c^2/2
        assert close(scalar.normalized_entropy(rows_of(labels, p, weights)), (loss or 0) / entropy)
    common = rows_of([0, 1], [0.5, 0.5], [1.0, 1e15 - 1])
    entropy = 1e-15 * (-math.log(1e-15)) + 1e-15
    assert close(scalar.normalized_entropy(common), math.log(2) / entropy)


def test_base_rate_of_one_class() -> None:
    rows = rows_of([1, 1], [0.5, 0.8])
    assert scalar.normalized_entropy(rows) is None
    assert scalar.brier_skill(rows) is None
    loss = -(math.log(0.5) + math.log(0.8)) / 2
    assert close(scalar.normalized_entropy(rows, base_rate=0.5), loss / math.log(2))
    assert close(scalar.rig(rows, base_rate=0.5), 1 - loss / math.log(2))
    assert close(scalar.brier_skill(rows, base_rate=0.5), 1 - (0.25 + 0.04) / 2 / 0.25)
    assert scalar.normalized_entropy(rows, base_rate=0.0) is None
    assert scalar.normalized_entropy(rows, base_rate=1.0) is None
    assert scalar.brier_skill(rows, base_rate=1.0) is None


def test_edges_of_bins() -> None:
    def bins_of(scores: list[float], bins: int) -> list[int]:
        members = width_bins(rows_of([0] * len(scores), scores), bins)
        return [b for p in scores for b, rows in enumerate(members) if p in [row.score for row in rows]]

    assert math.floor(0.29 * 100) == 28
    assert bins_of([0.29, 0.57, 0.58, 1.0, 0.0], 100) == [29, 57, 58, 99, 0]
    assert bins_of([b / 100 for b in range(101)], 100) == [*range(100), 99]
    assert bins_of([math.nextafter(0.3, 0), 0.3, math.nextafter(1, 0), -0.0], 10) == [2, 3, 9, 0]
    for bins in (3, 7, 10, 49, 100):  # 49 * (1 / 49) is not 1
        assert bins_of([b / bins for b in range(bins)], bins) == list(range(bins))
    table = tables.calibration_curve(rows_of([1], [0.29]), bins=100)
    assert [row["bin"] for row in table if row["n"]] == [29]
    assert (table[29]["lo"], table[29]["hi"]) == (0.29, 0.3)


def test_bins_of_equal_mass() -> None:
    def sizes(scores: list[float], bins: int) -> list[int]:
        return [len(rows) for rows in mass_bins(rows_of([0] * len(scores), scores), bins)]

    assert sizes([0.3] * 7, 3) == [7, 0, 0]
    assert sizes([0.1, 0.2], 5) == [1, 1, 0, 0, 0]
    assert sizes([0.1, 0.2, 0.2, 0.2, 0.3, 0.4, 0.5], 3) == [4, 1, 2]  # 3 2 2 where nothing is tied
    assert sizes([0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.9, 0.9], 4) == [6, 0, 0, 2]
    assert sizes([], 3) == [0, 0, 0]
    for n in (1, 2, 9, 10, 11, 24, 25):
        for bins in (1, 2, 5, 10, 30):
            ntile = duckdb.sql(f"SELECT ntile({bins}) OVER (ORDER BY i) - 1 FROM range({n}) r(i)").fetchall()
            found = sizes([i / n for i in range(n)], bins)
            assert found == [sum(b == number for (b,) in ntile) for number in range(bins)]


def test_bins_of_equal_mass_count_rows_not_weights() -> None:
    rows = rows_of([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], [100, 1, 1, 1])
    assert [len(members) for members in mass_bins(rows, 2)] == [2, 2]
    gaps = [(0.1 * 100 + 0.2) / 101, 1 - 0.35]
    assert close(scalar.ece(rows, bins=2, binning="mass"), (101 * gaps[0] + 2 * gaps[1]) / 103)
    assert close(scalar.mce(rows, bins=2, binning="mass"), 0.65)
    assert close(scalar.ace(rows, bins=2, binning="mass"), sum(gaps) / 2)


def test_calibration_errors_by_hand() -> None:
    both = rows_of([1, 0], [0.95, 1.0])  # p = 1 shares the last bin
    assert close(scalar.ece(both), 0.475)
    tied = rows_of([1, *[0] * 9], [0.3] * 10)
    for binning in ("width", "mass"):
        for name in ("ece", "mce", "ace"):
            assert close(getattr(scalar, name)(tied, binning=binning), 0.2), (name, binning)
    with pytest.raises(ValueError, match="width, mass"):
        scalar.ece(tied, binning="equal")


def test_calibration_curve_by_hand() -> None:
    rows = rows_of([1, 0, 0, 1], [0.1, 0.2, 0.2, 0.9], [1, 1, 2, 1])
    first, second, third, last = tables.calibration_curve(rows, bins=4)
    empty = dict.fromkeys(("mean_score", "mean_label", "lower", "upper", "gap"))
    assert second == {"bin": 1, "lo": 0.25, "hi": 0.5, "n": 0, **empty}
    assert third == {"bin": 2, "lo": 0.5, "hi": 0.75, "n": 0, **empty}
    assert (first["n"], first["mean_label"]) == (3, 0.25)
    assert close(first["mean_score"], 0.7 / 4)
    assert close(first["gap"], 0.7 / 4 - 0.25)
    assert last["upper"] == 1.0
    assert close(last["lower"], 1 / (1 + 1.959963984540054**2))  # Wilson of 1 of 1: 0.2065
    by_mass = tables.calibration_curve(rows, bins=3, binning="mass")
    assert [(row["n"], row["lo"], row["hi"]) for row in by_mass] == [
        (3, 0.1, 0.2),
        (0, None, None),
        (1, 0.9, 0.9),
    ]


def test_wilson_interval() -> None:
    """Newcombe, Statistics in Medicine 1998, table I has 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]
    for hits, n, lower, upper in published:
        (row,) = tables.calibration_curve(rows_of([1] * hits + [0] * (n - hits), [0.5] * n), bins=1)
        assert (row["lower"], row["upper"]) == (
            pytest.approx(lower, abs=5e-5),
            pytest.approx(upper, abs=5e-5),
        )


@pytest.mark.parametrize("rows", PROBABILITY_SETS)
@pytest.mark.parametrize("binning", ["width", "mass"])
@pytest.mark.parametrize("bins", [1, 10])
def test_the_parts_of_the_brier_score_add_up(rows: Rows, binning: str, bins: int) -> None:
    (parts,) = tables.brier_decomposition(rows, bins=bins, binning=binning)
    whole = parts["reliability"] - parts["resolution"] + parts["uncertainty"]
    whole += parts["within_variance"] - parts["within_covariance"]
    assert close(parts["brier"], whole)
    assert close(scalar.brier(rows), whole)
    if bins == 1:
        assert close(parts["resolution"], 0)


def test_brier_parts_by_hand() -> None:
    # One bin: p 0, 1/2, y 0, 1: gap 1/4, variance 1/16, covariance 1/8.
    (parts,) = tables.brier_decomposition(rows_of([0, 1], [0, 0.5]), bins=1)
    assert parts == {
        "brier": 0.125,
        "reliability": 0.0625,
        "resolution": 0,
        "uncertainty": 0.25,
        "within_variance": 0.0625,
        "within_covariance": 0.25,
    }


@pytest.mark.parametrize("rows", PROBABILITY_SETS)
def test_corp_is_the_isotonic_regression_of_scikit_learn(rows: Rows) -> None:
    y, p, w = arrays(rows)
    p = np.unique(p, return_inverse=True)[1] / len(p)  # scikit-learn takes scores 1e-15 apart as equal
    rows = rows_of(y, p, w)
    recalibrated = IsotonicRegression().fit_transform(p, y, sample_weight=w)
    (parts,) = tables.corp_decomposition(rows)
    fitted = float(np.average((recalibrated - y) ** 2, weights=w))
    rate = float(np.average(y, weights=w))
    assert close(parts["miscalibration"], sk.brier_score_loss(y, p, sample_weight=w) - fitted)
    assert close(parts["discrimination"], rate * (1 - rate) - fitted)
    assert close(parts["uncertainty"], rate * (1 - rate))
    assert close(parts["brier"], parts["miscalibration"] - parts["discrimination"] + parts["uncertainty"])
    assert min(parts.values()) > -EXACT
    blocks = tables.corp_curve(rows)
    assert all(one["mean_label"] < other["mean_label"] for one, other in itertools.pairwise(blocks))
    fit = {(s, one["mean_label"]) for one in blocks for s in p if one["lo"] <= s <= one["hi"]}
    assert [x for _, x in sorted(fit)] == pytest.approx(
        [recalibrated[p == s][0] for s in np.unique(p)], abs=EXACT
    )


def test_corp_by_hand() -> None:
    # The shares 0, 1, 0, 1/2 and 1 at five scores: the second and third violate, and then equal the fourth.
    rows = rows_of([0, 1, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.5, 0.5, 0.9])
    first, second, third = tables.corp_curve(rows)
    assert (first["lo"], first["hi"], first["n"], first["mean_label"]) == (0.1, 0.1, 1, 0)
    assert (second["lo"], second["hi"], second["n"], second["mean_label"]) == (0.2, 0.5, 4, 0.5)
    assert close(second["gap"], 1.5 / 4 - 0.5)
    assert (third["block"], third["lo"], third["n"], third["mean_label"]) == (2, 0.9, 1, 1)
    (parts,) = tables.corp_decomposition(rows)
    brier = (0.01 + 0.64 + 0.09 + 0.25 + 0.25 + 0.01) / 6
    assert parts == pytest.approx(
        {"brier": brier, "miscalibration": brier - 1 / 6, "discrimination": 0.25 - 1 / 6, "uncertainty": 0.25}
    )
    # Scores in the wrong order have one block; nothing is left to discriminate.
    (parts,) = tables.corp_decomposition(rows_of([1, 0], [0.2, 0.8]))
    assert parts == pytest.approx(
        {"brier": 0.64, "miscalibration": 0.39, "discrimination": 0, "uncertainty": 0.25}
    )
    # A weight counts as rows do.
    assert tables.corp_curve(rows_of([1, 0], [0.2, 0.8], [1, 3]))[0]["mean_label"] == 0.25


def test_calibration_line_by_hand() -> None:
    # Two values of x: the line goes through both logits, ln 3 at 0.5 and 0 at 0.8 (x = ln 4).
    rows = rows_of([1, 1, 1, 0, 1, 0], [0.5] * 4 + [0.8] * 2)
    assert close(scalar.calibration_intercept(rows), math.log(3))
    assert close(scalar.calibration_slope(rows), -math.log(3) / math.log(4))


def test_calibration_line_that_does_not_exist() -> None:
    separated = [
        rows_of([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]),
        rows_of([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4]),
        rows_of([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4]),  # except for a tie
        rows_of([0, 1], [0.0, 1.0]),
        rows_of([0] * 999 + [1], [0.001] * 999 + [0.9]),
        rows_of([0, 0, 1, 1], [0.1, 0.1, 0.1, 1.0]),  # above 0.1 positives only
    ]
    constant = rows_of([0, 1, 1], [0.3] * 3)
    one_class = rows_of([1, 1], [0.2, 0.3])
    clipped = rows_of([0, 1, 0, 1], [0.0, 1e-16, 1e-15, 0.0])  # constant after the clip
    for rows in [*separated, constant, one_class, clipped, []]:
        assert scalar.calibration_slope(rows) is None
        assert scalar.calibration_intercept(rows) is None


def test_spiegelhalter_by_hand() -> None:
    rows = rows_of([1, 0, 0], [0.2, 0.4, 0.5])
    z = (0.8 * 0.6 - 0.4 * 0.2) / math.sqrt(0.36 * 0.16 + 0.04 * 0.24)
    assert close(scalar.spiegelhalter_z(rows), z)
    assert scalar.spiegelhalter_z(rows_of([1, 0], [0.5, 0.5])) is None
    assert scalar.spiegelhalter_z(rows_of([1, 0], [1.0, 0.0])) is None


def brute_ecce(rows: Rows) -> tuple[float, float]:
    """Return ECCE and its standard error: the largest difference over any run of neighbouring scores."""
    y, p, w = arrays(rows)
    scores = np.unique(p)
    runs = [(p >= low) & (p <= high) for low in scores for high in scores if low <= high]
    largest = max(abs(float(np.sum(w[run] * (y[run] - p[run])))) for run in runs)
    return largest / float(w.sum()), math.sqrt(float(np.sum(w * w * p * (1 - p)))) / float(w.sum())


@pytest.mark.parametrize("rows", PROBABILITY_SETS)
def test_cumulative_calibration_error_is_that_of_the_worst_range(rows: Rows) -> None:
    rows = rows[:60]  # the number of ranges is quadratic
    expected, sigma = brute_ecce(rows)
    assert close(scalar.ecce(rows), expected)
    assert close(scalar.ecce_z(rows), expected / sigma) if sigma else scalar.ecce_z(rows) is None


def test_cumulative_calibration_error_by_hand() -> None:
    """The first three are those of MCGrad, tests/test_metrics.py."""
    scores = [0.6, 0.8, 0.2, 0.4]
    known = {
        "0101": (0.15, 0.67082, 0.99968),
        "1111": (0.5, 2.23607, 0.10133),
        "0100": (0.3, 1.34164, 0.66121),
    }
    for labels, numbers in known.items():
        rows = rows_of(map(int, labels), scores)
        found = scalar.ecce(rows), scalar.ecce_z(rows), scalar.ecce_p(rows)
        assert found == pytest.approx(numbers, abs=5e-6), labels
    # Rows of one score are one step: -0.5 and +0.5 are never reached one after the other.
    assert scalar.ecce(rows_of([0, 1], [0.5, 0.5])) == 0
    assert close(scalar.ecce(rows_of([0, 1], [0.5, 0.5 + 1e-9])), 0.25, 1e-8)
    # Errors of opposite sign cancel over all rows, and not over the ranges.
    assert close(scalar.ecce(rows_of([1, 0], [0.3, 0.7])), 0.35)
    # A weight of 3 is one draw that counts three times: 3 * 0.3 of 4, sigma^2 = 9 * 0.21 + 0.21.
    rows = rows_of([0, 1], [0.3, 0.3], [3, 1])
    assert close(scalar.ecce(rows), 0.2 / 4)
    assert close(scalar.ecce_z(rows), 0.2 / math.sqrt(2.1))
    assert scalar.ecce_z(rows_of([1, 0], [1.0, 0.0])) is None
    assert scalar.ecce(rows_of([1, 1], [0.0, 0.0])) == 1


def test_the_p_value_of_calibrated_rows_is_uniform() -> None:
    """Of 300 samples of 2000 calibrated rows, the share below a level is the level, up to four errors."""
    chance = np.random.default_rng(5)
    p = np.sort(chance.random((300, 2000)) ** 2, axis=1)
    walk = np.cumsum((chance.random(p.shape) < p) - p, axis=1)
    ends = np.maximum(walk.max(axis=1), 0) - np.minimum(walk.min(axis=1), 0)
    found = np.array([brownian_range_sf(z) for z in ends / np.sqrt((p * (1 - p)).sum(axis=1))])
    for level in (0.05, 0.2, 0.5, 0.8):
        assert abs((found < level).mean() - level) < 4 * math.sqrt(level * (1 - level) / 300), level


def test_hosmer_lemeshow_by_hand() -> None:
    rows = rows_of([1, 0, 1, 1], [0.2, 0.4, 0.6, 0.8])  # two bins: E 0.6 and 1.4, O 1 and 2
    assert close(scalar.hosmer_lemeshow(rows, bins=2), 0.16 / (0.6 * 0.7) + 0.36 / (1.4 * 0.3))
    assert close(scalar.hosmer_lemeshow(rows, bins=1), 1 / (2 * 0.5))
    assert scalar.hosmer_lemeshow(rows_of([0, 0, 1, 1], [0, 0, 0.6, 0.8]), bins=2) is None
    assert scalar.hosmer_lemeshow(rows_of([0, 1, 1, 1], [0.5, 0.6, 1, 1]), bins=2) is None
    tied = rows_of([0, 1, 1], [0.3] * 3)  # empty bins are left out
    assert close(scalar.hosmer_lemeshow(tied), (2 - 0.9) ** 2 / (0.9 * 0.7))


def test_metrics_of_no_bin_ignore_weights() -> None:
    for rows in WORLDS.values():
        for name in WITHOUT_WEIGHTS:
            assert value_of(name, rows) == value_of(name, unit(rows)), name


def test_gauc_by_hand() -> None:
    """In the peers' example, groups A, B, C have 1, 0 and 1; D and E have one class, None is a group."""
    members = {
        "A": ([1, 0], [2, 1]),
        "B": ([1] * 4 + [0] * 4, range(1, 9)),
        "C": ([1] + [0] * 5, range(6, 0, -1)),
        "D": ([1, 1], [1, 2]),
        "E": ([0], [1]),
    }
    rows = [replace(row, group=g) for g, (y, s) in members.items() for row in rows_of(y, s)]
    assert close(scalar.gauc(rows, average="uniform"), 2 / 3)
    assert close(scalar.gauc(rows), 0.5)
    assert close(scalar.gauc(rows, average="positives"), 1 / 3)
    assert close(scalar.gauc(rows, average="pairs"), (1 + 0 + 5) / (1 + 16 + 5))
    table = tables.group_auc([*rows, Observation(1.0, 1.0), Observation(0.0, 1.0)])
    assert column(table, "group_id") == ["A", "B", "C", "D", "E", None]
    assert column(table, "auc") == [1, 0, 1, None, None, 0.5]
    assert column(table, "positives") == [1, 4, 1, 2, 0, 1]
    assert column(table, "negatives") == [1, 4, 5, 0, 1, 1]
    assert scalar.gauc([row for row in rows if row.group in ("D", "E")]) is None
    with pytest.raises(ValueError, match="uniform"):
        scalar.gauc(rows, average="none")


def test_where_the_counts_leave_a_metric_undefined() -> None:
    rows = rows_of([1, 0, 0], [0.4, 0.3, 0.2])
    nothing, everything = {"threshold": 0.5}, {"threshold": 0.1}
    assert scalar.precision(rows, **nothing) is None
    assert scalar.npv(rows, **everything) is None
    for params in (nothing, everything):
        assert scalar.mcc(rows, **params) is None
        assert scalar.cohen_kappa(rows, **params) == 0
    assert scalar.f_beta(rows, beta=1, **nothing) == 0
    negatives = rows_of([0, 0], [0.4, 0.3])
    assert scalar.f_beta(negatives, beta=1, **nothing) is None
    assert scalar.f_beta(negatives, beta=1, **everything) == 0
    assert scalar.max_f1(negatives) == 0
    assert scalar.cohen_kappa(negatives, **nothing) is None
    assert scalar.cohen_kappa(negatives, **everything) == 0
    assert scalar.accuracy(negatives, **nothing) == 1
    assert scalar.accuracy(rows_of([1], [0.5])) == 1  # a score at the threshold is above it


def test_mcc_has_a_sign() -> None:
    assert scalar.mcc(rows_of([1, 0], [0.9, 0.1])) == 1
    assert scalar.mcc(rows_of([0, 1], [0.9, 0.1])) == -1
    assert scalar.mcc(rows_of([0, 1, 0, 1], [0.9, 0.9, 0.1, 0.1])) == 0


def test_ratings_by_hand() -> None:
    rows = rows_of([-1, 3, 5], [0, 3, 3])
    assert close(scalar.rmse(rows), math.sqrt(5 / 3))
    assert scalar.mae(rows) == 1
    mean = 7 / 3
    assert close(scalar.r2(rows), 1 - 5 / ((-1 - mean) ** 2 + (3 - mean) ** 2 + (5 - mean) ** 2))
    assert scalar.r2(rows_of([0.1, 0.1, 0.1], [0, 1, 2], [1, 3, 0.7])) is None
    assert scalar.rmse(rows_of([0.0, 1.0], [-math.inf, 1])) is None
    assert scalar.rmse(rows_of([0.0, 0.0], [1.7e308, 1.7e308])) is None
    assert scalar.mae(rows_of([0.0, 0.0], [1.7e308, 1.7e308])) is None


# --- properties of all metrics -------------------------------------------------------------------


def everything_of(rows: Rows) -> dict[str, Any]:
    """Return the value of every metric except auc_pairwise, and every table."""
    found: dict[str, Any] = {n: value_of(n, rows) for n in scalar.__all__ if n != "auc_pairwise"}
    found["auc_approx"] = scalar.auc(rows, approx=20)
    for name in ("ece", "mce", "ace"):
        found[f"{name}_mass"] = getattr(scalar, name)(rows, binning="mass")
    found |= {name: getattr(tables, name)(rows) for name in tables.__all__}
    return found


SMALL = ["no ties", "heavy ties", "two scores", "one score", "1e-17 apart", "zeros", "few"]


@pytest.mark.some(4)
@pytest.mark.parametrize("name", SMALL)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    rows = WORLDS[name][:120]
    expected = everything_of(rows)
    for seed in range(2):
        shuffled = random.Random(seed).sample(rows, len(rows))
        assert everything_of(shuffled) == expected


@pytest.mark.some(6)
@pytest.mark.parametrize("name", SMALL)
def test_a_row_of_weight_zero_is_not_there(name: str) -> None:
    rows = WORLDS[name][:120]
    there = [row for row in rows if row.weight > 0]
    ghosts = [Observation(label, s, 0.0, 77) for label in (0.0, 1.0) for s in (0.05, 0.3, 0.999)]
    expected, found = everything_of(there), everything_of(rows + ghosts)
    for metric in expected.keys() - WITHOUT_WEIGHTS:
        assert found[metric] == expected[metric], metric


@pytest.mark.some(4)
@pytest.mark.parametrize("name", SMALL)
def test_a_whole_weight_is_so_many_rows(name: str) -> None:
    """Exceptions are tests, bins of equal mass, and the n of a bin, which counts rows."""
    rows = [replace(row, weight=1.0 + i % 4) for i, row in enumerate(WORLDS[name][:120])]
    repeated = [replace(row, weight=1.0) for row in rows for _ in range(int(row.weight))]
    expected, found = everything_of(repeated), everything_of(rows)
    for table in ("calibration_curve", "corp_curve", "score_histogram"):
        for row in expected[table] + found[table]:
            del row["n"]
    # The band is that of independent rows, as the error of ecce_z.
    for row in expected["ecce_curve"] + found["ecce_curve"]:
        del row["lower"], row["upper"]
    apart = WITHOUT_WEIGHTS | {"ecce_z", "ecce_p", "ece_mass", "mce_mass", "ace_mass"}
    for metric in expected.keys() - apart:
        assert flat(found[metric]) == same(flat(expected[metric])), metric


def same(expected: dict[Any, float]) -> Any:
    return pytest.approx(expected, rel=EXACT, abs=EXACT, nan_ok=True)


def flat(value: Any) -> dict[Any, Any]:
    """Return a table, or a single value, as one dictionary of numbers for pytest.approx."""
    table = value if isinstance(value, list) else [{"value": value}]
    cells = {(i, name): cell for i, row in enumerate(table) for name, cell in row.items()}
    return {key: math.nan if cell is None else cell for key, cell in cells.items()}


def test_minus_one_is_zero_but_for_ratings() -> None:
    rows = WORLDS["heavy ties"][:120]
    minus = [replace(row, label=2 * row.label - 1) for row in rows]
    booleans = [replace(row, label=bool(row.label)) for row in rows]
    expected, found = everything_of(rows), everything_of(minus)
    for metric in expected:
        assert (found[metric] == expected[metric]) == (metric not in RATINGS), metric
    assert everything_of(booleans) == expected


@pytest.mark.parametrize("rows", [[], [Observation(1.0, 0.3, 0.0)]], ids=["none", "of weight zero"])
def test_no_rows(rows: Rows) -> None:
    for name in set(scalar.__all__) - WITHOUT_WEIGHTS:
        assert value_of(name, rows) is None, name
    for name in tables.__all__:
        assert getattr(tables, name)(rows) == [], name
    for name in WITHOUT_WEIGHTS:
        assert value_of(name, []) is None


NEEDS_BOTH = {"auc", "auc_pairwise", "gini", "partial_auc", "gauc", "ks", "tpr_at_fpr", "balanced_accuracy"}
NEEDS_BOTH |= {
    "mcc",
    "base_entropy",
    "normalized_entropy",
    "rig",
    "brier_skill",
    "calibration_slope",
    "calibration_intercept",
}
NEEDS_POSITIVES = {"recall", "fnr", "average_precision", "recall_at_precision", "precision_at_recall"}
NEEDS_POSITIVES |= {"lift", "calibration_ratio"}
NEEDS_NEGATIVES = {"specificity", "fpr"}


@pytest.mark.parametrize(("label", "also"), [(1, NEEDS_NEGATIVES), (0, NEEDS_POSITIVES)])
def test_one_class(label: float, also: set[str]) -> None:
    rows = rows_of([label] * 4, [0.1, 0.5, 0.5, 0.9])
    undefined = {name for name in scalar.__all__ if value_of(name, rows) is None}
    assert undefined == NEEDS_BOTH | also | {"r2"}
    roc, curve = tables.roc_curve(rows), tables.pr_curve(rows)
    assert column(roc, "area") == [None] * 4
    assert column(roc, "tpr" if label else "fpr") == [0, 0.25, 0.75, 1]
    assert column(roc, "fpr" if label else "tpr") == [None] * 4
    assert column(curve, "precision") == [label] * 3
    assert column(curve, "recall") == ([0.25, 0.75, 1] if label else [None] * 3)
    assert column(curve, "area") == ([0.25, 0.75, 1] if label else [None] * 3)
    assert column(tables.gains_curve(rows, bins=2), "gain") == ([0, 0.5, 1] if label else [None] * 3)


def test_thinned_curves() -> None:
    rows = WORLDS["no ties"]
    for curve in (tables.roc_curve, tables.pr_curve):
        whole = curve(rows)
        assert curve(rows, points=len(whole)) == curve(rows, points=10**6) == whole
        for points in (2, 3, 10, len(whole) - 1):
            thin = curve(rows, points=points)
            places = [whole.index(row) for row in thin]
            assert len(thin) == len(set(places)) <= points
            assert (places[0], places[-1]) == (0, len(whole) - 1)
            assert places == sorted(places)
            x, y = ("fpr", "tpr") if "fpr" in whole[0] else ("recall", "precision")
            steps = np.abs(np.diff([[row[x], row[y]] for row in whole], axis=0)).sum(axis=1)
            own = [steps[a:b].sum() for a, b in itertools.pairwise(places)]
            # A part has the length of one step of equal length more or less, and one row more at its end.
            assert max(own) <= 2 * steps.sum() / max(points - 2, 1) + steps.max() + 1e-9
        with pytest.raises(ValueError, match="first and the last"):
            curve(rows, points=1)
    with pytest.raises(ValueError, match="both 0 and 1"):
        tables.threshold_table(rows, points=1)


def test_the_columns_of_the_tables() -> None:
    expected = {
        "confusion": "threshold tp fp fn tn",
        "roc_curve": "threshold tp fp tpr fpr area",
        "pr_curve": "threshold tp fp precision recall area",
        "calibration_curve": "bin lo hi n mean_score mean_label lower upper gap",
        "corp_curve": "block lo hi n mean_score mean_label gap",
        "corp_decomposition": "brier miscalibration discrimination uncertainty",
        "ecce_curve": "share score deviation lower upper",
        "gains_curve": "share threshold gain lift",
        "score_histogram": "bin lo hi n positives negatives positive_share negative_share",
        "threshold_table": "threshold tp fp fn tn precision recall specificity f1 accuracy",
        "brier_decomposition": "brier reliability resolution uncertainty within_variance within_covariance",
        "group_auc": "group_id positives negatives auc",
    }
    assert set(expected) == set(tables.__all__)
    for name, columns in expected.items():
        for row in getattr(tables, name)(WORLDS["heavy ties"]):
            assert list(row) == columns.split(), name


@pytest.mark.parametrize("module", [scalar, tables], ids=["scalars", "tables"])
def test_every_function_takes_rows_and_names_its_source(module: Any) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        function = getattr(module, name)
        assert re.search(r"doi:10\.|\b(19|20)\d\d\b", function.__doc__), name
        first, *params = inspect.signature(function).parameters.values()
        assert first.name == "rows"
        assert all(param.kind is param.KEYWORD_ONLY for param in params), name
        required = {param.name for param in params if param.default is param.empty}
        assert required == REQUIRED.get(name, {}).keys(), name


def test_the_metrics_are_those_that_were_agreed() -> None:
    modules = [
        import_module(f"duckmetrics.reference.{name}")
        for name in ("areas", "calibration", "confusion", "probabilities", "ratings", "thresholds")
    ]
    public = {
        name
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    assert public == set(scalar.__all__)


@pytest.mark.slow
def test_many_rows() -> None:
    chance = random.Random(0)
    rows = [
        Observation(float(chance.random() < 0.03), chance.random(), chance.random()) for _ in range(20_000)
    ]
    y, s, w = arrays(rows)
    assert close(scalar.auc(rows), sk.roc_auc_score(y, s, sample_weight=w))
    assert close(tables.pr_curve(rows)[-1]["area"], sk.average_precision_score(y, s, sample_weight=w))
