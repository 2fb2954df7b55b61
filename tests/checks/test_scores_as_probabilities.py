"""Scores that are no probabilities: percentages, predicted classes, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

import duckmetrics
from duckmetrics.errors import InputError

CHANCE = np.random.default_rng(7)
LABELS = (CHANCE.random(200) < 0.3).astype(int)
SHARES = np.clip(LABELS * 0.3 + CHANCE.random(200) * 0.7, 0, 1)
PERCENT = {"label": LABELS, "score": SHARES * 100}
HARD = {"label": LABELS, "score": (SHARES > 0.5).astype(int)}


def test_percentages_need_a_threshold() -> None:
    with pytest.raises(InputError, match="divide percentages by 100, or set threshold"):
        duckmetrics.evaluate(PERCENT, metrics="f1,accuracy")
    # The advice: another threshold, or shares.
    expected = [f1_score(LABELS, SHARES >= 0.5), accuracy_score(LABELS, SHARES >= 0.5)]
    found = duckmetrics.evaluate(PERCENT, metrics="f1,accuracy", threshold=50)
    assert [row["value"] for row in found.rows] == pytest.approx(expected)
    found = duckmetrics.evaluate({"label": LABELS, "score": SHARES}, metrics="f1,accuracy")
    assert [row["value"] for row in found.rows] == pytest.approx(expected)
    with pytest.raises(InputError, match="set threshold"):
        duckmetrics.curve(PERCENT, "confusion")


def test_check_finds_percentages() -> None:
    assert "percent_score" in [one.check for one in duckmetrics.check(PERCENT, metrics="auc")]
    shares = {"label": LABELS, "score": SHARES}
    assert "percent_score" not in [one.check for one in duckmetrics.check(shares, metrics="auc")]


@pytest.mark.parametrize("metrics", ["auc", "average_precision"])
def test_predicted_classes_as_scores_are_warned_about(metrics: str) -> None:
    found = duckmetrics.evaluate(HARD, metrics=metrics)
    (warning,) = (one for one in found.checks if one.check == "hard_score")
    assert warning.severity == "warning"
    assert "predict_proba" in warning.message
    assert duckmetrics.evaluate(HARD, metrics="f1")["f1"] == pytest.approx(f1_score(LABELS, SHARES > 0.5))


def test_ranks_as_scores_are_warned_about_in_an_evaluation() -> None:
    run = {f"q{q}": {f"i{rank}": rank for rank in range(1, 21)} for q in range(5)}
    truth = {f"q{q}": {"i1": 1} for q in range(5)}
    found = duckmetrics.evaluate(run, truth, "mrr")
    assert found["mrr"] == pytest.approx(1 / 20)
    assert "rank_as_score" in [one.check for one in found.checks]
