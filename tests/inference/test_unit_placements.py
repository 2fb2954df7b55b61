"""Rows sorted once for the value of AUC and its interval: the numbers are those of other plans."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.engines import plans

if TYPE_CHECKING:
    from duckmetrics import Evaluation

pytestmark = pytest.mark.engine


def rows(seed: int) -> dict[str, list[Any]]:
    """Return rows with tied scores, users of one class only, and a country with one class only."""
    source = random.Random(seed)
    found: dict[str, list[Any]] = {
        n: [] for n in ("system", "country", "user_id", "label", "score", "clicks")
    }
    for system in ("A", "B"):
        for i in range(300):
            user = min(int(source.expovariate(0.2)), 20)
            country = "none" if user == 3 else source.choice(["DE", "FR"])
            label = int(user != 3 and (user == 5 or source.random() < 0.3))
            score = round((source.random() + 0.3 * label) / 2, 2) if i % 3 else source.random()
            values = (system, country, user, label, score, source.choice([0.5, 1.0, 2.0]))
            for name, value in zip(found, values, strict=True):
                found[name].append(value)
    return found


def evaluated(metrics: str, **options: Any) -> Evaluation:
    return duckmetrics.evaluate(rows(11), metrics=metrics, system="system", **options)


def sorted_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine sort rows, as it does for many distinct scores."""
    monkeypatch.setattr(plans, "FEW_SCORES", 0)


@pytest.mark.some(0)
@pytest.mark.parametrize("by", [[], ["country"]])
@pytest.mark.parametrize("metrics", ["auc", "auc, gini, log_loss", "auc, gauc", "auc(weighted=false), auc"])
def test_numbers_are_those_of_other_plans(
    metrics: str, by: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"group_id": "user_id", **({"weight": "clicks"} if "weighted" in metrics else {})}
    options = {"cluster": "user_id", "interval": 0.95, "by": by, "columns": columns}
    wanted = evaluated(metrics, **options)
    sorted_rows(monkeypatch)
    found = evaluated(metrics, **options)
    alone = evaluated(metrics, by=by, columns=columns)
    for one, other, plain in zip(found.rows, wanted.rows, alone.rows, strict=True):
        # Sums over groups, or of logarithms, have no fixed order.
        exact = one["metric"].startswith("auc")
        assert one["value"] == (plain["value"] if exact else pytest.approx(plain["value"], abs=1e-12))
        for name, value in other.items():
            assert one[name] == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value), name


@pytest.mark.slow
def test_rows_are_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_rows(monkeypatch)
    found = evaluated("auc", cluster="user_id", interval=0.95)
    assert found.sql.count("CUME_DIST() OVER") == 1
    # Pairs within users are others than those of all rows.
    both = evaluated("auc, gauc", cluster="user_id", interval=0.95, columns={"group_id": "user_id"})
    of_groups = evaluated("gauc", cluster="user_id", interval=0.95, columns={"group_id": "user_id"})
    assert both.sql.count("CUME_DIST() OVER") == 1 + of_groups.sql.count("CUME_DIST() OVER")


@pytest.mark.slow
def test_samples_of_the_rows_do_not_read_the_pairs_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"cluster": "user_id", "interval": 0.95, "interval_method": "bootstrap", "resamples": 200}
    wanted = evaluated("auc, ks", **options)
    sorted_rows(monkeypatch)
    for one, other in zip(evaluated("auc, ks", **options).rows, wanted.rows, strict=True):
        assert (one["value"], one["lower"], one["upper"]) == pytest.approx(
            (other["value"], other["lower"], other["upper"]), abs=1e-12
        )
