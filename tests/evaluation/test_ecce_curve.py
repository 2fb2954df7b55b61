"""The cumulative calibration curve: numpy agrees, its range is ECCE, its band is the test of ECCE."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import duckmetrics
from duckmetrics.errors import MetricError
from duckmetrics.pages.marks import height, span
from duckmetrics.reference.distributions import brownian_range_sf
from support.drawings import of_class, parsed, texts

pytestmark = pytest.mark.engine


def rows(seed: int, n: int = 500, power: float = 1.0, digits: int = 2) -> dict[str, Any]:
    """Return rows with ties and weights of which some are 0; with the power 1, they are calibrated."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), digits)
    label = (rng.random(n) < p**power).astype(int)
    return {"label": label, "score": p, "weight": rng.integers(0, 4, n).astype(float)}


def sums(data: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return distinct probabilities, share and summed difference up to each, and the standard error."""
    p, y, w = data["score"], data["label"], data.get("weight", np.ones(len(data["score"])))
    distinct = np.unique(p[w > 0])
    below = p[None, :] <= distinct[:, None]
    spread = np.sqrt(np.sum(w**2 * p * (1 - p))) / w.sum()
    return distinct, below @ w / w.sum(), below @ (w * (y - p)) / w.sum(), spread


def table(data: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    return duckmetrics.curve(data, "ecce_curve", **params).to_pylist()


@pytest.mark.parametrize("seed", range(4))
def test_equals_numpy_with_ties_and_weights(seed: int) -> None:
    data = rows(seed, power=1 + seed / 4)
    distinct, share, deviation, spread = sums(data)
    first, *found = table(data)
    assert (first["share"], first["score"], first["deviation"]) == (0, None, 0)
    assert [row["score"] for row in found] == distinct.tolist()
    assert [row["share"] for row in found] == pytest.approx(share, abs=1e-14)
    assert [row["deviation"] for row in found] == pytest.approx(deviation, abs=1e-14)
    ends = [*deviation, 0]
    middle = (max(ends) + min(ends)) / 2
    for row in (first, *found):
        assert row["upper"] - row["lower"] == pytest.approx(2.49767216104865 * spread, rel=1e-12)
        assert (row["upper"] + row["lower"]) / 2 == pytest.approx(middle, abs=1e-14)


def test_the_height_of_the_band_is_the_critical_value() -> None:
    assert brownian_range_sf(2.49767216104865) == pytest.approx(0.05, abs=1e-14)


@pytest.mark.parametrize("points", [None, 1, 2, 7, 50])
def test_the_range_of_the_curve_is_ecce(points: int | None) -> None:
    """Thinning keeps the extremes, the first and the last point, and few others."""
    data = rows(9, n=3000, power=1.3, digits=4)
    (row,) = duckmetrics.evaluate(data, metrics="ecce").rows
    found = table(data, points=points)
    heights = [point["deviation"] for point in found]
    assert max(heights) - min(heights) == pytest.approx(row["value"], rel=1e-13)
    assert found[0]["share"] == 0
    assert found[-1]["share"] == pytest.approx(1, abs=1e-14)
    whole = table(data)
    assert all(point in whole for point in found)
    assert len(found) == len(whole) if points is None else len(found) <= 3 * points + 1
    assert [point["share"] for point in found] == sorted({point["share"] for point in found})


def test_the_curve_leaves_the_band_exactly_if_the_test_rejects() -> None:
    several = [rows(seed, n=200, power=1 + seed % 3 / 4, digits=3) for seed in range(60)]
    data: dict[str, Any] = {name: np.concatenate([one[name] for one in several]) for name in several[0]}
    data["name"] = np.repeat(np.arange(60), 200)
    values = duckmetrics.evaluate(data, metrics="ecce_p", by=["name"]).rows
    p = {row["name"]: row["value"] for row in values if row["slice"] == "name"}
    outside: dict[int, bool] = dict.fromkeys(p, False)
    for row in table(data, points=20, by=["name"]):
        if row["slice"] == "name":
            outside[row["name"]] |= not row["lower"] <= row["deviation"] <= row["upper"]
    assert outside == {name: value < 0.05 for name, value in p.items()}
    assert 5 < sum(outside.values()) < 55


def test_calibrated_predictions_stay_in_the_band_in_95_percent_of_samples() -> None:
    """The sum of independent rows nears a Brownian motion from below, so a little more than 95 %."""
    rng = np.random.default_rng(3)
    names = np.repeat(np.arange(400), 300)
    p = rng.random(len(names))
    data = {"label": (rng.random(len(p)) < p).astype(int), "score": p, "name": names}
    kept = duckmetrics.curve(data, "ecce_curve", by=["name"], points=1).to_pandas()
    ends = kept[kept["slice"] == "name"].groupby("name").agg({"deviation": ["max", "min"], "upper": "max"})
    inside = np.mean(ends["deviation"]["max"] <= ends["upper"]["max"])
    assert len(ends) == 400
    assert 0.93 < inside < 0.985


def test_the_order_of_rows_changes_nothing() -> None:
    data = rows(2)
    order = np.random.default_rng(0).permutation(len(data["score"]))
    assert table({name: column[order] for name, column in data.items()}) == table(data)


def test_no_rows_count_and_certain_predictions() -> None:
    certain = table({"label": [0, 1, 1], "score": [0.0, 1.0, 1.0]})
    assert [row["deviation"] for row in certain] == [0, 0, 0]
    assert {row["upper"] - row["lower"] for row in certain} == {0}
    wrong = table({"label": [1, 1, 1], "score": [0.0, 0.0, 0.0]})
    assert [row["deviation"] for row in wrong] == [0, 1]


def test_the_title_names_the_range_and_its_error() -> None:
    """From the lowest to the highest point: 2,000 rows of probability 0.4, of which 60 % are positive."""
    data = {"label": np.arange(6000) % 10 < 5, "score": np.full(6000, 0.5)}
    data["score"][:2000], data["label"][:2000] = 0.4, np.arange(2000) % 10 < 6
    chart = duckmetrics.evaluate(data, metrics="ecce").chart("ecce_curve")
    assert chart.title == "Cumulative calibration: ECCE 0.067; probabilities from 0.4 to 0.4 are 0.2 too low"
    assert chart.description == "from 0 at 0.00 to 0.067 at 0.33 of the rows."
    data["label"][:2000] = np.arange(2000) % 10 < 4
    calm = duckmetrics.evaluate(data, metrics="ecce").chart("ecce_curve")
    assert calm.title == "Cumulative calibration: ECCE 0, not more than chance explains"


def test_a_bracket_next_to_the_curve_of_the_last_system_is_as_high_as_chance_explains() -> None:
    """It stands next to the plot, because no part of it is a limit of the curve."""
    data = rows(1) | {"other": rows(1)["score"]}
    both = duckmetrics.evaluate(data, metrics="ecce", score={"a": "score", "b": "other"})
    chart = both.chart("ecce_curve")
    root = parsed(chart.svg())
    assert not of_class(root, "path", "band")
    top, bottom, side = of_class(root, "line", "bracket")
    assert [top.get("y1"), bottom.get("y1")] == [side.get("y1"), side.get("y2")]
    points = [row for row in chart.data.to_pylist() if row["system"] == "b"]
    domain = span([r[name] for r in chart.data.to_pylist() for name in ("deviation", "lower", "upper")])
    assert [side.get("y1"), side.get("y2")] == [height(points[0][end], domain) for end in ("upper", "lower")]
    said = " ".join(texts(root))
    assert "estimated cumulative calibration error (ECCE)" in said
    assert "height by chance, 95 %" in said
    page = chart.html()
    assert '<i class="bracket"></i>height by chance, 95 %' in page


def test_small_charts_have_a_bracket_each() -> None:
    data = rows(1)
    scores = dict.fromkeys("abc", "score")
    root = parsed(duckmetrics.evaluate(data, metrics="ecce", score=scores).chart("ecce_curve").svg())
    assert len(of_class(root, "line", "bracket")) == 3 * 2
    assert texts(root).count("height by chance, 95 %") == 1


def test_mistakes() -> None:
    with pytest.raises(MetricError, match="points is 0, but must satisfy points > 0"):
        table(rows(1), points=0)
    ev = duckmetrics.evaluate(rows(1), metrics="ecce")
    with pytest.raises(MetricError, match="points=100 is more than a chart shows"):
        ev.chart("ecce_curve", points=100)
