"""Bins of probabilities with given edges, of equal width and of equal mass: pandas agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

# Many probabilities lie at these edges; the fourth bin of the second list is empty.
EDGES = (
    (0.0, 0.01, 0.05, 0.2, 1.0),
    (0.0, 0.1, 0.3, 0.701, 0.705, 1.0),
    (0.0, 0.25, 0.5, 0.75, 1.0),
    (0.0, 1.0),
)


def rows(seed: int, n: int = 400) -> pd.DataFrame:
    """Return rows with ties, weights of which some are 0, and probabilities at the edges, also 0 and 1."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n) ** 2, 2)
    p[:12] = [0, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.75, 1, 1]
    label = (rng.random(n) < 0.2 + 0.5 * p).astype(int)
    return pd.DataFrame({"label": label, "score": p, "weight": rng.integers(0, 4, n).astype(float)})


def cut(frame: pd.DataFrame, edges: Sequence[float]) -> pd.DataFrame:
    """Return the sums of each bin by pandas; the last bin includes 1, as the others their lower edge."""
    ends = [*edges[:-1], np.nextafter(1, 2)]
    kept = frame[frame["weight"] > 0]
    bins = pd.cut(kept["score"], ends, right=False, labels=False)
    columns = {"n": 1.0, "w": kept["weight"], "wp": kept["weight"] * kept["score"],
               "wy": kept["weight"] * kept["label"]}  # fmt: skip
    sums = pd.DataFrame(columns, index=kept.index).groupby(bins).sum()
    return sums.reindex(range(len(edges) - 1), fill_value=0.0)


def value(frame: Any, spec: str, **options: Any) -> float:
    (row,) = duckmetrics.evaluate(frame, metrics=[spec], **options).rows
    return float(row["value"])


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("seed", range(3))
def test_equal_pandas_with_weights_and_ties_at_the_edges(edges: tuple[float, ...], seed: int) -> None:
    frame = rows(seed)
    sums = cut(frame, edges)
    held = sums[sums["w"] > 0]
    gaps = (held["wp"] / held["w"] - held["wy"] / held["w"]).abs()
    wanted = {"ece": (held["w"] * gaps).sum() / held["w"].sum(), "mce": gaps.max(), "ace": gaps.mean()}
    for name, number in wanted.items():
        assert value(frame, name, edges=edges) == pytest.approx(number, rel=1e-12)
    table = duckmetrics.curve(frame, "calibration_curve", edges=edges).to_pandas()
    assert [*zip(table["lo"], table["hi"], strict=True)] == [*pairwise(edges)]
    assert table["n"].tolist() == sums["n"].tolist()
    assert table["mean_score"].dropna().to_numpy() == pytest.approx(held["wp"] / held["w"], rel=1e-12)
    assert table["mean_label"].dropna().to_numpy() == pytest.approx(held["wy"] / held["w"], rel=1e-12)
    parts = duckmetrics.curve(frame, "brier_decomposition", edges=edges).to_pylist()[0]
    assert parts["reliability"] == pytest.approx((held["w"] * gaps**2).sum() / held["w"].sum(), rel=1e-12)
    assert parts["brier"] == pytest.approx(
        np.average((frame["score"] - frame["label"]) ** 2, weights=frame["weight"]), rel=1e-12
    )


def test_some_bins_are_empty_and_many_rows_lie_at_the_edges() -> None:
    assert any((cut(rows(0), edges)["n"] == 0).any() for edges in EDGES)
    assert all(rows(0)["score"].isin(edges).sum() > len(edges) - 2 for edges in EDGES)


@pytest.mark.parametrize("edges", [(0, 0.1, 0.3, 0.5, 1), EDGES[2]])
def test_hosmer_lemeshow_with_given_edges_and_of_equal_width(edges: tuple[float, ...]) -> None:
    """Weights do not count, and bins without rows are left out."""
    frame = rows(5).assign(weight=1.0)
    for spec, ends in (
        (f"hosmer_lemeshow(edges={[*edges]})", edges),
        ("hosmer_lemeshow(binning=width, bins=8)", tuple(np.linspace(0, 1, 9))),
    ):
        sums = cut(frame, ends)
        held = sums[sums["n"] > 0]
        spread = held["wp"] * (1 - held["wp"] / held["n"])
        assert value(frame, spec) == pytest.approx(((held["wy"] - held["wp"]) ** 2 / spread).sum(), rel=1e-11)


def test_quantile_bins_without_ties_are_those_of_pandas() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"label": rng.integers(0, 2, 1000), "score": rng.random(1000)})
    groups = frame.groupby(pd.qcut(frame["score"], 20, labels=False))
    gaps = (groups["score"].mean() - groups["label"].mean()).abs()
    assert value(frame, "ece(bins=20, binning=mass)") == pytest.approx(gaps.mean(), rel=1e-12)


def test_edges_at_equal_distances_are_bins_of_equal_width() -> None:
    """Also where a probability is an edge that binary fractions only approximate."""
    frame = rows(6)
    for bins in (2, 4, 10, 20):
        edges = [b / bins for b in range(bins + 1)]
        for name in ("ece", "mce", "ace"):
            own, usual = value(frame, f"{name}(edges={edges})"), value(frame, f"{name}(bins={bins})")
            assert own == pytest.approx(usual, rel=1e-14)


@pytest.mark.parametrize("kind", ["top", "class"])
def test_several_classes(kind: str) -> None:
    rng = np.random.default_rng(8)
    scores = np.round(rng.dirichlet([1, 1, 1], 300), 1)
    label = rng.integers(0, 3, 300)
    frame = pd.DataFrame({f"p_{c}": scores[:, i] for i, c in enumerate("abc")})
    frame["label"] = np.array([*"abc"])[label]
    edges = [0, 0.1, 0.4, 0.7, 1]
    tops = scores.argmax(axis=1)
    pairs = [(scores[np.arange(300), tops], tops == label)]
    if kind == "class":
        pairs = [(scores[:, i], label == i) for i in range(3)]
    errors = []
    for p, hit in pairs:
        sums = cut(pd.DataFrame({"score": p, "label": hit.astype(int), "weight": 1.0}), edges)
        errors.append((sums["wp"] - sums["wy"]).abs().sum() / len(p))
    found = value(frame, f"multiclass.ece(edges={edges}, kind={kind})", classes="p_*")
    assert found == pytest.approx(np.mean(errors), rel=1e-12)


def test_every_spelling_is_the_same_measure() -> None:
    frame = rows(1)
    of_spec = duckmetrics.evaluate(frame, metrics="ece(edges=[0, 0.01, 0.2, 1])").rows[0]
    assert "|edges:[0, 0.01, 0.2, 1]|" in of_spec["signature"]
    for edges in ([0, 0.01, 0.2, 1], (0, 0.01, 0.2, 1.0), np.array([0, 0.01, 0.2, 1]), "[0, .01, 0.20, 1]"):
        row = duckmetrics.evaluate(frame, metrics="ece", edges=edges).rows[0]
        assert (row["value"], row["signature"]) == (of_spec["value"], of_spec["signature"])
    measure = parse_measure(catalog(), "ece( edges = [0,.01,0.2,1] )")
    assert str(measure) == "ece(edges=[0, 0.01, 0.2, 1])"
    again = parse_measure(catalog(), duckmetrics.Signature.parse(measure.signature).spec)
    assert again.params == measure.params
    both = duckmetrics.evaluate(frame, metrics="ece(edges=[0, 0.01, 0.2, 1]),mce,ece(edges=[0, 1])")
    assert both.metrics == ("ece(edges=[0, 0.01, 0.2, 1])", "mce", "ece(edges=[0, 1])")


def test_a_list_of_lists_gives_the_rows_of_each() -> None:
    table = duckmetrics.curve(rows(1), "calibration_curve", edges=[[0, 0.5, 1], [0, 1]])
    assert table["hi"].to_pylist() == [0.5, 1, 1]


def test_the_command_line_has_them(tmp_path: Any) -> None:
    path = tmp_path / "rows.parquet"
    duckdb.sql("SELECT i % 2 AS label, i / 100 AS score FROM range(101) AS t(i)").write_parquet(str(path))
    command = [sys.executable, "-m", "duckmetrics", "curve", "calibration_curve", str(path)]
    found = subprocess.run(
        [*command, "--set", "edges=[0, 0.01,0.2,1]", "--format", "json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert [row["n"] for row in json.loads(found.stdout)["rows"]] == [1, 19, 81]


def test_the_chart_draws_them() -> None:
    ev = duckmetrics.evaluate(rows(2), metrics="ece")
    chart = ev.chart("calibration_curve", edges=[0, 0.05, 0.2, 1])
    assert chart.data["lo"].to_pylist() == [0, 0.05, 0.2]
    with pytest.raises(MetricError, match="takes one value of edges; draw a chart of each"):
        ev.chart("calibration_curve", edges=[[0, 1], [0, 0.5, 1]])


CURES = {
    "ece(edges=[0, 0.5])": "edges is [0, 0.5], but must end with 1; write edges=[0, 0.5, 1]",
    "ece(edges=[0.1, 0.5])": "edges is [0.1, 0.5], but must begin with 0; write edges=[0, 0.1, 0.5, 1]",
    "ece(edges=[0, 0.7, 0.5, 1])": "but must rise without repeating a value; write edges=[0, 0.5, 0.7, 1]",
    "ece(edges=[0, 0.5, 0.5, 1])": "but must rise without repeating a value; write edges=[0, 0.5, 1]",
    "ece(edges=[0, 1, 5, 100])": "but must end with 1; write edges=[0, 0.1, 0.5, 1]",
    "ece(edges=0.5)": "edges must be a list of numbers, got '0.5'; write edges=[0, 0.1, 0.5, 1]",
    "ece(edges=[0, x, 1])": "edges must be a list of numbers, got '[0, x, 1]'; write edges=[0, 0.1, 0.5, 1]",
    "ece(edges=[])": "edges must be a list of numbers, got '[]'",
    "ece(edges=[0, inf, 1])": "edges must be a list of numbers",
    "ece(bins=[0, 0.5, 1])": "bins must be a whole number, got '[0, 0.5, 1]'; write edges=[0, 0.5, 1]",
    "ece(edges=[0, 1], bins=5)": "bins=5 changes nothing where",
    "ece(edges=[0, 1], binning=mass)": "binning=mass changes nothing where",
    "hosmer_lemeshow(edges=[0, 0.5, 1])": "but must have more than 3 values",
    "auc(edges=[0, 1])": "unknown parameter 'edges'",
}


@pytest.mark.parametrize("spec", CURES)
def test_mistakes(spec: str) -> None:
    with pytest.raises(MetricError) as caught:
        duckmetrics.evaluate(rows(1), metrics=spec)
    assert CURES[spec] in str(caught.value)


@pytest.mark.parametrize("edges", [5, {"a": 1}, True, [True, False], [0, None, 1], [[0, 1]]])
def test_what_is_no_list_of_numbers(edges: Any) -> None:
    with pytest.raises(MetricError, match="edges must be a list of numbers"):
        duckmetrics.evaluate(rows(1), metrics="ece", edges=edges)
