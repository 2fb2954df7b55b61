"""compare(adjust="max_t"): all comparisons of a slicing are one family, whatever their units are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import Comparison, MetricError

pytestmark = pytest.mark.engine

QUERIES, ITEMS = 60, 8
RANKING, ROWS = "ndcg@5,mrr,hit_rate@1", "auc,log_loss"


def run(number: int, gain: float) -> pa.Table:
    """Return a log whose relevant items have higher scores, by the gain; systems share much of it."""
    generator = np.random.default_rng(0)
    query, item = np.repeat(np.arange(QUERIES), ITEMS), np.tile(np.arange(ITEMS), QUERIES)
    score = generator.random(len(query)) + 0.15 * np.random.default_rng(number).random(len(query))
    return pa.table({
        "query_id": query, "item_id": item, "label": (item == 0).astype(int),
        "score": np.clip(score / 1.3 + gain * (item == 0), 0, 1), "user_id": query // 2,
        "country": np.array(["DE", "FR", "IT"])[query % 3],
    })  # fmt: skip


SYSTEMS = {"base": run(1, 0.2), "same": run(2, 0.2), "near": run(3, 0.21), "good": run(4, 0.26)}


@cache
def compared(metrics: str, adjust: str = "max_t", **options: Any) -> Comparison:
    resampled = {"resamples": 1999} if adjust == "max_t" else {}
    return duckmetrics.compare(SYSTEMS, None, metrics, adjust=adjust, **resampled, **options)


def adjusted(result: Comparison) -> dict[tuple[Any, ...], float]:
    return {
        (row["system"], row["metric"], row["slice"], row.get("country")): row["p_adjusted"]
        for row in result.rows if row["p"] is not None
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "options"),
    [
        (RANKING, {}),
        pytest.param(ROWS, {"cluster": "user_id"}, marks=pytest.mark.slow),
        pytest.param(f"{RANKING},{ROWS}", {"cluster": "user_id"}, marks=pytest.mark.slow),
    ],
    ids=["rankings", "classifiers", "both"],
)
def test_correlated_comparisons_are_corrected_less_than_by_holm(
    metrics: str, options: dict[str, Any]
) -> None:
    found, holm = compared(metrics, **options), compared(metrics, "holm", **options)
    assert adjusted(found).keys() == adjusted(holm).keys()
    for row, other in zip(found.rows, holm.rows, strict=True):
        assert (row["n_tests"], row["test"]) == (other["n_tests"], other["test"])
        if row["p"] is not None:
            assert row["p"] == pytest.approx(other["p"], rel=1e-9)
            assert row["p"] <= row["p_adjusted"] <= other["p_adjusted"] + 0.02
            assert (row["resamples"], row["seed"]) == (1999, 42)
            assert row["mde"] < other["mde"]
    fewer = [key for key, p in adjusted(found).items() if p < adjusted(holm)[key] - 0.01]
    assert len(fewer) > len(metrics.split(","))
    assert found.row("ndcg@5" if "mrr" in metrics else "auc", "good")["verdict"] == "better"


@pytest.mark.slow
def test_every_slicing_is_a_family_of_its_own() -> None:
    sliced = adjusted(compared.__wrapped__(RANKING, by=[["country"], ["user_id % 2 AS parity"]]))
    for key, p in adjusted(compared(RANKING, by="country")).items():
        assert sliced[key] == pytest.approx(p, rel=1e-9)
    # The families of a slicing hold all of its segments: alone, each has a smaller correction.
    alone = duckmetrics.compare(
        SYSTEMS, None, RANKING, where={"predictions": "country = 'FR'"}, adjust="max_t", resamples=1999
    )  # fmt: skip
    raised = [sliced[row["system"], row["metric"], "country", "FR"] - row["p_adjusted"]
              for row in alone.rows if row["p"] is not None]  # fmt: skip
    assert min(raised) >= -0.03 < 0.05 < max(raised)


@pytest.mark.slow
def test_the_family_of_both_kinds_is_larger_than_each() -> None:
    both = adjusted(compared(f"{RANKING},{ROWS}", cluster="user_id"))
    for metrics in (RANKING, ROWS):
        for key, p in adjusted(compared(metrics, cluster="user_id")).items():
            assert both[key] >= p - 0.03
    assert len(set(both.values())) > 5


@pytest.mark.slow
def test_the_randomization_test_takes_max_t_too() -> None:
    found, usual = compared("mrr", test="randomization"), compared("mrr")
    drawn = {row["test"] for row in found.rows if row["p"] is not None}
    assert drawn == {"randomization_test"}
    for key, p in adjusted(found).items():
        assert p == pytest.approx(adjusted(usual)[key], abs=0.02)
    assert "randomization_test with 1999 resamples; " in found.method_line
    assert "paired_t; 3 comparisons, p adjusted by max_t with 1,999 resamples" in usual.method_line


@pytest.mark.slow
def test_too_few_resamples_are_named() -> None:
    found = duckmetrics.compare(SYSTEMS, None, "mrr", adjust="max-t", resamples=15)
    assert any("p_adjusted cannot be below 0.062 with 15 resamples" in text for text in found.warnings)
    assert all("cannot be below" not in text for text in compared("mrr").warnings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"test": "wilcoxon"}, "use test='t' or 'randomization', or adjust='holm'"),
        ({"test": "tukey", "pairs": False}, "use test='t' or 'randomization', or adjust='holm'"),
        ({"pairs": True}, "use test='tukey' (--test tukey), which looks at all pairs together"),
        ({"test": "max_t", "adjust": "holm"}, "use adjust='max_t' (--adjust max_t)"),
        ({"metrics": ["mrr", "ks"], "cluster": "user_id", "interval_method": "bootstrap", "resamples": 50},
         "ks: has no values of units, whose signs adjust=max_t draws; leave it out"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals(options: dict[str, Any], told: str) -> None:
    given = {"metrics": "mrr", "adjust": "max_t"} | options
    with pytest.raises(MetricError) as caught:
        duckmetrics.compare(SYSTEMS, None, **given)
    assert told in str(caught.value)


def test_refusals_of_other_calls() -> None:
    with pytest.raises(MetricError, match="use test='tukey'"):
        duckmetrics.leaderboard(SYSTEMS, None, "mrr", adjust="max_t")
    with pytest.raises(
        MetricError, match="max_t needs systems that are compared on the same units; use holm"
    ):
        duckmetrics.ab({"v": ["A", "B"], "x": [1, 2]}, variant="v", control="A", metrics="x", adjust="max_t")
