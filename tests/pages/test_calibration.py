"""The chart of calibration: its intervals know clusters, and its title rarely accuses a calibrated model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import duckmetrics
from support.drawings import of_class, parsed, points

if TYPE_CHECKING:
    from numpy.typing import NDArray

Z = 1.9599639845400541
CALM = "Calibration: no bin is off by more than chance"


def calibrated(
    seed: int, alike: float, rate: float = 0.1, users: int = 400, each: int = 40
) -> dict[str, Any]:
    """Return rows whose scores are the true probabilities.

    Args:
        alike: the share of the users all of whose labels come from one draw.
        rate: about the share of positives.
    """
    draw = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-(math.log(rate / (1 - rate)) + 0.8 * draw.normal(size=(users, each)))))
    u = np.where(draw.random((users, 1)) < alike, draw.random((users, 1)), draw.random((users, each)))
    return {
        "user_id": np.repeat(np.arange(users), each), "label": (u < p).astype(int).ravel(), "score": p.ravel()
    }  # fmt: skip


def title(rows: dict[str, Any], **options: Any) -> str:
    return duckmetrics.evaluate(rows, metrics="brier", **options).chart("calibration_curve").title


CLUSTERED = {"interval": 0.95, "cluster": "user_id"}


def test_users_whose_rows_are_alike_do_not_accuse_a_calibrated_model() -> None:
    """Without the users, bins of this model seem to be off, because 40 rows of a user are one draw."""
    rows = calibrated(1, alike=0.6)
    assert title(rows) != CALM
    assert title(rows, **CLUSTERED) == CALM


@pytest.mark.slow
@pytest.mark.parametrize(("alike", "rate", "options"), [
    (0.0, 0.1, {}), (0.0, 0.003, {}), (0.6, 0.1, CLUSTERED), (0.6, 0.02, CLUSTERED),
])  # fmt: skip
def test_the_title_rarely_accuses_a_calibrated_model(alike: float, rate: float, options: Any) -> None:
    """About 5 of 100 titles may; more than 7 of 40 have a chance below 1 in 1,000."""
    named = [title(calibrated(seed, alike, rate), **options) != CALM for seed in range(40)]
    assert sum(named) <= 7


def test_a_model_that_is_off_is_named_with_its_worst_bin() -> None:
    rows = calibrated(1, alike=0.3)
    rows["score"] = rows["score"] ** 0.6
    assert "of 10 bins are off by more than chance, most: predicted" in title(rows, **CLUSTERED)


def worth(rows: dict[str, NDArray[Any]], inside: NDArray[Any]) -> float:
    """Return the number of independent rows with the variance that the share of a bin has between users."""
    y, users = rows["label"][inside], rows["user_id"][inside]
    sums = np.bincount(np.unique(users, return_inverse=True)[1], y - y.mean())
    variance = len(sums) / (len(sums) - 1) * (sums**2).sum() / len(y) ** 2
    if variance == 0 or y.mean() in (0, 1):
        return float(len(sums))
    return float(min(len(y), y.mean() * (1 - y.mean()) / variance))


@pytest.mark.parametrize("binning", ["mass", "width"])
def test_the_intervals_of_bins_are_clustered(binning: str) -> None:
    """Wilson's interval for the number of independent rows, computed with numpy."""
    rows = calibrated(2, alike=0.5, rate=0.2, users=60, each=20)
    ev = duckmetrics.evaluate(rows, metrics="brier", **CLUSTERED)
    filled = [row for row in ev.table("calibration_curve", binning=binning).to_pylist() if row["n"]]
    places = np.digitize(rows["score"], [row["lo"] for row in filled]) - 1
    for i, row in enumerate(filled):
        share, n = row["mean_label"], worth(rows, places == i)
        assert (places == i).sum() == row["n"]
        center = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n)) / (1 + Z**2 / n)
        assert (row["lower"], row["upper"]) == pytest.approx((max(center - half, 0), min(center + half, 1)))
    assert worth(rows, places == 1) < 0.8 * filled[1]["n"]


def test_the_bins_are_drawn_to_the_ends_of_the_scores() -> None:
    """Ten bins of equal mass have means up to 0.05; the scores of the last one reach 0.999."""
    score = [0.001 * (1 + i % 50) for i in range(2_000)] + [0.2, 0.999]
    rows = {"label": [int(i % 40 == 0) for i in range(2_002)], "score": score}
    chart = duckmetrics.evaluate(rows, metrics="brier").chart("calibration_curve")
    page = parsed(chart.svg())
    spans = [points(path) for path in of_class(page, "path", "span")]
    assert len(spans) == 10
    top = max(x for span in spans for x, _ in span)
    assert top == pytest.approx(0.999 / min(1.0, 1.05 * 0.999), abs=0.002)
    told = [path.find("title") for path in of_class(page, "path", "span")]
    assert all(one is not None and one.text is not None and ", n " in one.text for one in told)
