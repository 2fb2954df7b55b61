"""The oracle of a header confirms the metric: scikit-learn itself, on rows where tools may differ.

The rows have ties everywhere, weights, one positive among thousands, and columns of 32 bits.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import ks_2samp
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import duckmetrics
from support.classification import METRICS, REQUIRED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duckmetrics import Evaluation
    from duckmetrics.catalog.definition import Definition

EXACT = 1e-12
LIMITS = (1e-3, 0.05, 0.9999)
PARTIAL = [f"partial_auc(max_fpr={limit})" for limit in LIMITS]
ORACLES = [metric for metric in METRICS if metric.header["oracle"] != "reference"]
ORACLE = re.compile(r"(?P<library>sklearn|scipy) (?P<name>\w+)(?:\((?P<argument>\w+)(?:=(?P<value>\w+))?\))?")


# --- data ------------------------------------------------------------------------------------------


def rows(seed: int, n: int, score: Callable[[np.random.Generator], Any], rate: float) -> dict[str, Any]:
    """Return rows whose positives tend to higher scores."""
    chance = np.random.default_rng(seed)
    scores = score(chance)
    labels = chance.random(n) < rate * (0.3 + 1.4 * scores.astype(float))
    labels[0], labels[1] = True, False
    weights = chance.choice([0.1, 0.5, 1.0, 2.5, 1e-3, 40.0], n)
    return {"label": labels.astype(int), "score": scores, "weight": weights}


def few_positives(n: int = 20_000) -> dict[str, Any]:
    chance = np.random.default_rng(4)
    labels = np.zeros(n, int)
    labels[17] = 1
    return {"label": labels, "score": np.round(chance.random(n), 3), "weight": chance.random(n) + 0.5}


DATA: dict[str, dict[str, Any]] = {
    "ties": rows(1, 3000, lambda chance: chance.integers(0, 21, 3000) / 20, 0.4),
    "two scores": rows(2, 500, lambda chance: chance.choice([0.2, 0.7], 500), 0.4),
    "no ties": rows(3, 3000, lambda chance: chance.random(3000), 0.3),
    "one positive": few_positives(),
    "mostly positive": rows(5, 2000, lambda chance: chance.integers(0, 101, 2000) / 100, 1.0),
    "float32": rows(6, 2000, lambda chance: (chance.random(2000) ** 3).astype(np.float32), 0.4),
    "small floats": rows(7, 2000, lambda chance: np.float32(10.0) ** chance.integers(-30, 1, 2000), 0.3),
}
NARROW = {"label": pa.int8(), "score": pa.float32(), "weight": pa.float32()}


def is_narrow(name: str) -> bool:
    return bool(DATA[name]["score"].dtype == np.float32)


@cache
def table(narrow: bool, weighted: bool) -> pa.Table:
    """Return the rows of all names of one width, as slices of one table."""
    parts = []
    for name, columns in DATA.items():
        if is_narrow(name) == narrow:
            arrays = {
                key: pa.array(column, NARROW[key] if narrow else None)
                for key, column in columns.items() if weighted or key != "weight"
            }  # fmt: skip
            parts.append(pa.table({**arrays, "name": [name] * len(columns["label"])}))
    return pa.concat_tables(parts)


def arrays(name: str, weighted: bool) -> tuple[Any, Any, Any]:
    """Return labels, scores and weights as doubles, equal to the columns of the table."""
    data = table(is_narrow(name), True)
    data = data.filter(pc.equal(data["name"], name))
    y, s, w = (data[column].to_numpy().astype(float) for column in ("label", "score", "weight"))
    return y, s, w if weighted else np.ones(len(y))


SETS = pytest.mark.parametrize(
    ("name", "weighted"),
    [(name, weighted) for name in DATA for weighted in (True, False)],
    ids=lambda value: value if isinstance(value, str) else ("weights" if value else "no weights"),
)


# --- the metrics -----------------------------------------------------------------------------------


def spec_of(metric: Definition) -> str:
    given = {p.name: REQUIRED[p.name] for p in metric.own_params.values() if p.required}
    if "threshold" in metric.own_params:
        given["threshold"] = 0.3
    if "eps" in metric.own_params:
        given["eps"] = 1e-7  # scikit-learn clips at 2.2e-16, so its input is already clipped
    arguments = ", ".join(f"{key}={value}" for key, value in given.items())
    return f"classification.{metric.name}" + (f"({arguments})" if arguments else "")


@cache
def evaluated(narrow: bool, weighted: bool) -> Evaluation:
    specs = [spec_of(metric) for metric in ORACLES if metric not in SLOW]
    return duckmetrics.evaluate(table(narrow, weighted), None, [*specs, *PARTIAL], by="name")


@cache
def curve(spec: str, narrow: bool, weighted: bool) -> dict[str, pa.Table]:
    """Return the rows of a table by name."""
    found = evaluated(narrow, weighted).table(spec)
    return {name: found.filter(pc.equal(found["name"], name)) for name in DATA}


def oracle(metric: Definition, name: str, weighted: bool) -> float | None:
    """Return the value of the function that the header names; None where it does not apply."""
    match = ORACLE.fullmatch(metric.header["oracle"])
    assert match is not None, metric.header["oracle"]
    y, s, w = arrays(name, weighted)
    if match["name"] == "ks_2samp":
        return None if weighted else float(ks_2samp(s[y == 1], s[y == 0]).statistic)
    if match["name"] == "LogisticRegression":
        return calibration_line(y, s, w)[metric.name]
    function = getattr(sk, match["name"])
    if match["name"].endswith(("_error", "r2_score")):
        return float(function(y, s, sample_weight=w))
    predicted: Any = s
    given: dict[str, Any] = {"sample_weight": w}
    if "threshold" in metric.own_params:
        predicted = s >= 0.3
    if "eps" in metric.own_params:
        predicted = np.clip(s, 1e-7, 1 - 1e-7)
    if "beta" in metric.own_params:
        given["beta"] = REQUIRED["beta"]
    if match["argument"]:
        given[match["argument"]] = int(match["value"]) if match["value"] else REQUIRED[match["argument"]]
    return float(function(y, predicted, **given))


def calibration_line(y: Any, p: Any, w: Any) -> Mapping[str, float]:
    """Fit the calibration line; its optimizer stops early, so the tests of the line are less strict."""
    p = np.clip(p, 1e-7, 1 - 1e-7)
    x = (np.log(p) - np.log1p(-p)).reshape(-1, 1)
    fit = LogisticRegression(C=math.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    fit.fit(x, y, sample_weight=w)
    return {"calibration_slope": fit.coef_[0, 0], "calibration_intercept": fit.intercept_[0]}


# This function visits every pair.
SLOW = [metric for metric in ORACLES if metric.name == "auc_pairwise"]


@pytest.mark.some(1)
@SETS
def test_the_oracle_of_the_header_agrees(name: str, weighted: bool) -> None:
    result = evaluated(is_narrow(name), weighted)
    compared = 0
    for metric in ORACLES:
        if metric in SLOW:
            continue
        expected = oracle(metric, name, weighted)
        if expected is None:
            continue
        found = result.value(spec_of(metric), name=name)
        # The tolerance of scikit-learn's optimizer of the line.
        tolerance = 1e-6 if "LogisticRegression" in metric.header["oracle"] else EXACT
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), metric.name
        compared += 1
    assert compared >= 18

    for limit, spec in zip(LIMITS, PARTIAL, strict=True):
        y, s, w = arrays(name, weighted)
        expected = sk.roc_auc_score(y, s, sample_weight=w, max_fpr=limit)
        assert result.value(spec, name=name) == pytest.approx(expected, abs=EXACT), spec


@pytest.mark.parametrize("weighted", [True, False])
def test_pairs_one_by_one(weighted: bool) -> None:
    y, s, w = arrays("two scores", weighted)
    rows = table(False, weighted)
    rows = rows.filter(pc.equal(rows["name"], "two scores"))
    result = duckmetrics.evaluate(rows, None, "auc_pairwise")
    assert result["auc_pairwise"] == pytest.approx(sk.roc_auc_score(y, s, sample_weight=w), abs=EXACT)


# --- the curves ------------------------------------------------------------------------------------


@pytest.mark.some(1)
@SETS
def test_roc_and_precision_recall_curves(name: str, weighted: bool) -> None:
    y, s, w = arrays(name, weighted)
    roc = curve("roc_curve", is_narrow(name), weighted)[name]
    fpr, tpr, thresholds = sk.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    assert np.array_equal(roc["threshold"].to_numpy(), thresholds)
    assert roc["tpr"].to_numpy() == pytest.approx(tpr, abs=EXACT)
    assert roc["fpr"].to_numpy() == pytest.approx(fpr, abs=EXACT)
    assert roc["area"][-1].as_py() == pytest.approx(sk.roc_auc_score(y, s, sample_weight=w), abs=EXACT)
    points = curve("pr_curve", is_narrow(name), weighted)[name]
    precision, recall, thresholds = sk.precision_recall_curve(y, s, sample_weight=w)
    assert np.array_equal(points["threshold"].to_numpy()[::-1], thresholds)
    assert points["precision"].to_numpy()[::-1] == pytest.approx(precision[:-1], abs=EXACT)
    assert points["recall"].to_numpy()[::-1] == pytest.approx(recall[:-1], abs=EXACT)
    expected = sk.average_precision_score(y, s, sample_weight=w)
    assert points["area"][-1].as_py() == pytest.approx(expected, abs=EXACT)


@pytest.mark.some(2)
@SETS
def test_confusion(name: str, weighted: bool) -> None:
    y, s, w = arrays(name, weighted)
    for row in curve("threshold_table(points=4)", is_narrow(name), weighted)[name].to_pylist():
        matrix = sk.confusion_matrix(y, s >= row["threshold"], sample_weight=w, labels=[0, 1]).ravel()
        found = [row["tn"], row["fp"], row["fn"], row["tp"]]
        assert found == pytest.approx(matrix, rel=EXACT, abs=1e-9)


@pytest.mark.some(2)
@pytest.mark.parametrize(("binning", "strategy"), [("width", "uniform"), ("mass", "quantile")])
@pytest.mark.parametrize("bins", [1, 10, 15])
def test_calibration_curve(bins: int, binning: str, strategy: str) -> None:
    """No probability is on an edge and bins have equal mass; elsewhere the edges differ."""
    y, p, _ = arrays("no ties", False)
    labels, scores = calibration_curve(y, p, n_bins=bins, strategy=strategy)
    found = curve(f"calibration_curve(bins={bins}, binning={binning})", False, False)["no ties"]
    assert found["mean_label"].to_numpy() == pytest.approx(labels, abs=EXACT)
    assert found["mean_score"].to_numpy() == pytest.approx(scores, abs=EXACT)


@pytest.mark.some(4)
@SETS
def test_corp(name: str, weighted: bool) -> None:
    y, p, w = arrays(name, weighted)
    parts = curve("corp_decomposition", is_narrow(name), weighted)[name].to_pylist()[0]
    assert_corp(parts, y, p, w)


def assert_corp(parts: Mapping[str, float], y: Any, p: Any, w: Any) -> None:
    """Compare with scikit-learn, which takes scores 1e-15 apart as equal: it gets their ranks."""
    ranks = np.unique(p, return_inverse=True)[1]
    fitted = IsotonicRegression().fit_transform(ranks, y, sample_weight=w)
    recalibrated, rate = np.average((fitted - y) ** 2, weights=w), np.average(y, weights=w)
    brier = np.average((p - y) ** 2, weights=w)
    assert [parts[part] for part in ("brier", "miscalibration", "discrimination", "uncertainty")] == (
        pytest.approx([brier, brier - recalibrated, rate - rate**2 - recalibrated, rate - rate**2], abs=EXACT)
    )


def test_corp_where_pooling_takes_many_rounds() -> None:
    """The slices need from 1 to hundreds of rounds, and each goes on until its own end."""
    chance = np.random.default_rng(3)
    shares = sorted({a / b: (a, b - a) for b in range(1, 40) for a in range(1, b)}.items())
    rising = np.concatenate([[1] * a + [0] * b for _, (a, b) in shares])
    random = (chance.random(3000) < np.linspace(0, 1, 3000)).astype(int)
    sets = {
        "negatives at the top": np.concatenate([rising, np.zeros(len(rising) // 4, int)]),
        "positives at the bottom": np.concatenate([np.ones(1500, int), random]),
        "negatives after a random rise": np.concatenate([random, np.zeros(1500, int)]),
        "in order": np.repeat([0, 1], 500),
        "reversed": np.repeat([1, 0], 500),
        "one row": np.ones(1, int),
    }
    columns = [
        {"label": y, "score": np.arange(1, len(y) + 1) / (len(y) + 1), "name": [name] * len(y)}
        for name, y in sets.items()
    ]
    rows = pa.concat_tables([pa.table(each) for each in columns])
    rows = rows.take(chance.permutation(len(rows)))
    found = duckmetrics.curve(rows, "corp_decomposition", by="name").to_pylist()
    own = {row["name"]: row for row in found if row["slice"] == "name"}
    assert own.keys() == sets.keys()
    for each in columns:
        assert_corp(own[each["name"][0]], each["label"], each["score"], np.ones(len(each["label"])))


def test_scores_that_differ_by_rounding_have_no_slope_in_any_order() -> None:
    """Of scores a few units in the last place apart, the order of a sum made a slope or none."""
    rng = np.random.default_rng(1)
    near = 0.3 * (1 + 2.0**-52 * rng.integers(0, 4, 400))
    labels = (rng.random(400) < 0.3).astype(int)
    found = set()
    for _ in range(3):
        order = rng.permutation(400)
        ev = duckmetrics.evaluate({"label": labels[order], "score": near[order]}, metrics="calibration_slope")
        found.add((ev["calibration_slope"], ev.rows[0]["reason"] is None))
    assert found == {(None, False)}


def test_the_slope_of_near_scores_is_that_of_the_same_scores_apart() -> None:
    """Scores of which all logits are moved and scaled have the slope divided by the scale."""
    rng = np.random.default_rng(2)
    z, labels = rng.normal(0, 1, 400), (rng.random(400) < 0.3).astype(int)
    apart, near = (1 / (1 + np.exp(-(z * scale - 2))) for scale in (1.0, 1e-7))
    metric = "calibration_slope"
    slopes = [
        duckmetrics.evaluate({"label": labels, "score": score}, metrics=metric)[metric]
        for score in (apart, near)
    ]
    assert slopes[1] == pytest.approx(slopes[0] * 1e7, rel=1e-6)


def test_every_oracle_is_asked() -> None:
    named = {metric.header["oracle"].partition(" ")[0] for metric in METRICS}
    assert named == {"reference", "sklearn", "scipy"}
    assert all(ORACLE.fullmatch(metric.header["oracle"]) for metric in ORACLES)
    assert len(ORACLES) >= 20
