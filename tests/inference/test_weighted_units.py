"""Units of rows with weights: each measure has its own, whatever it is asked for together with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import duckmetrics
from duckmetrics import InputError

N = 400
UNWEIGHTED = ["log_loss(weighted=false)", "auc(weighted=false)", "ctr(weighted=false)"]
WEIGHTED = ["log_loss", "auc", "brier"]


def rows(**more: Any) -> pa.Table:
    """Return clicks of 50 users, where half of the rows weigh nothing, and so do all rows of some users."""
    random = np.random.default_rng(3)
    score = random.random(N)
    user = np.arange(N) % 50
    weight = np.where((score > 0.5) | (user < 5), 0.0, 1.0 + user % 3)
    label = (random.random(N) < score).astype(int)
    return pa.table({"label": label, "score": score, "user_id": user, "weight": weight, **more})


def numbers(evaluation: duckmetrics.Evaluation) -> dict[str, list[float | None]]:
    names = ("value", "lower", "upper", "n_units")
    return {row["metric"]: [row[name] for name in names] for row in evaluation.rows}


@pytest.mark.some(1)
@pytest.mark.parametrize("options", [
    {}, {"cluster": "user_id"}, {"cluster": "user_id", "interval_method": "bootstrap"},
], ids=str)  # fmt: skip
def test_units_without_a_weight_count_for_unweighted_measures(options: dict[str, Any]) -> None:
    given: dict[str, Any] = {"interval": 0.95, **options}
    together = numbers(duckmetrics.evaluate(rows(), metrics=[*UNWEIGHTED, *WEIGHTED], **given))
    apart: dict[str, list[float | None]] = {}
    for metrics in (UNWEIGHTED, WEIGHTED):
        apart |= numbers(duckmetrics.evaluate(rows(), metrics=metrics, **given))
    assert together.keys() == apart.keys()
    for metric, found in together.items():
        assert found == pytest.approx(apart[metric], rel=1e-12), metric
    weighs = rows().filter(pc.greater(rows()["weight"], 0))
    sizes = (50, len(weighs["user_id"].unique())) if options else (N, len(weighs))
    assert (together[UNWEIGHTED[0]][3], together[WEIGHTED[0]][3]) == sizes


def test_the_interval_is_that_of_the_mean() -> None:
    """Student's t over the rows, by hand."""
    table = rows()
    score, label = table["score"].to_numpy(), table["label"].to_numpy()
    losses = -np.log(np.where(label == 1, score, 1 - score))
    found = numbers(duckmetrics.evaluate(table, metrics=[*UNWEIGHTED, "log_loss"], interval=0.95))
    half = 1.9659273 * losses.std(ddof=1) / np.sqrt(N)
    wanted = [losses.mean(), losses.mean() - half, losses.mean() + half, N]
    assert found[UNWEIGHTED[0]] == pytest.approx(wanted, rel=1e-7)


@pytest.mark.slow
def test_a_difference_where_no_weight_is_counts_for_unweighted_measures_only() -> None:
    table = rows()
    changed = np.where(table["weight"].to_numpy() == 0, table["score"].to_numpy() ** 2, table["score"])
    result = duckmetrics.compare(
        table.append_column("b", pa.array(changed)), metrics=["log_loss(weighted=false)", "log_loss"],
        score={"A": "score", "B": "b"}, cluster="user_id",
    )  # fmt: skip
    alone = duckmetrics.compare(
        table.append_column("b", pa.array(changed)), metrics="log_loss(weighted=false)",
        score={"A": "score", "B": "b"}, cluster="user_id",
    )  # fmt: skip
    row, weighted = result.row("log_loss(weighted=false)"), result.row("log_loss")
    assert row["delta"] == pytest.approx(alone.row("log_loss(weighted=false)")["delta"], rel=1e-12)
    assert abs(row["delta"]) > 0.01
    assert (weighted["delta"], weighted["verdict"]) == (0, "unclear")


@pytest.mark.some(1)
@pytest.mark.parametrize(("column", "metric"), [("weight", "auc"), ("group_id", "gauc")])
def test_systems_of_other_weights_or_groups_are_not_compared(column: str, metric: str) -> None:
    """The scores are the same, so that every difference would be one of the data."""
    one = rows(group_id=np.arange(N) % 100)
    place = one.column_names.index(column)
    moved = pa.array(np.roll(one[column].to_numpy(), 50 if column == "group_id" else 1))
    other = one.set_column(place, column, moved)
    with pytest.raises(InputError, match="clusters of user_id have other rows, labels, weights or groups"):
        duckmetrics.compare({"A": one, "B": other}, metrics=metric, cluster="user_id")
    same = duckmetrics.compare({"A": one, "B": one}, metrics=metric, cluster="user_id")
    assert same.row(metric)["delta"] == 0


def test_a_bootstrap_stays_within_the_range_of_the_metric() -> None:
    """One user has nearly all rows, so that the values of the users lie far outside of [0, 1]."""
    random = np.random.default_rng(8)
    label, score = random.integers(0, 2, N), random.random(N)
    user = np.maximum(np.arange(N) - 397, 0)
    given: dict[str, Any] = {"cluster": "user", "interval": 0.95, "interval_method": "bootstrap"}
    for scores, end, bound in ((score, "lower", 0), (1 - score, "upper", 1)):
        table = pa.table({"label": label, "score": scores, "user": user})
        (row,) = duckmetrics.evaluate(table, metrics="auc", **given).rows
        assert 0 <= row["lower"] < row["value"] < row["upper"] <= 1
        assert row[end] == bound
