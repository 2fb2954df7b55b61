"""Intervals of clusters: against a jackknife over the plain reference, which leaves out each user once."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import roc_auc_score

import duckmetrics
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference import classification as scalar
from duckmetrics.reference.observation import Observation
from support.cases import CATALOG
from support.classification import METRICS, PLAIN
from support.intervals import LOG, fewer, load_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duckmetrics import Evaluation
    from duckmetrics.catalog.measure import Measure

Row = dict[str, Any]
Rows = list[tuple[int, Observation]]
CUT = 0.5


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        load_log(connection)
        yield connection


# --- the jackknife in plain Python ---------------------------------------------------------------


def effective(shares: Sequence[float]) -> float:
    """Return the effective number of units of these weights."""
    return math.fsum(shares) ** 2 / math.fsum(x * x for x in shares)


def by_user(rows: Rows, counted: Callable[[Observation], float]) -> list[float]:
    return [
        math.fsum(row.weight * counted(row) for user, row in rows if user == one)
        for one in dict.fromkeys(user for user, _ in rows)
    ]


def _predicted(row: Observation) -> float:
    return float(row.score >= CUT)


def _one(row: Observation) -> float:
    return 1.0


def _label(row: Observation) -> float:
    return float(row.label)


def _other(row: Observation) -> float:
    return 1.0 - row.label


# The denominators of metrics, as sums over rows; the one that most depends on few users counts.
DENOMINATORS: Mapping[str, tuple[Callable[[Observation], float], ...]] = {
    "accuracy": (_one,),
    "auc": (_label, _other),
    "gini": (_label, _other),
    "balanced_accuracy": (_label, _other),
    "base_entropy": (_one,),
    "base_rate": (_one,),
    "brier": (_one,),
    "brier_skill": (_one, _label),
    "calibration_ratio": (_label,),
    "cohen_kappa": (_one, _label, _other, _predicted, lambda row: 1 - _predicted(row)),
    "copc": (lambda row: row.score,),
    "f_beta": (lambda row: 5 * row.label * _predicted(row) + 4 * row.label * (1 - _predicted(row))
               + (1 - row.label) * _predicted(row),),
    "fnr": (_label,),
    "fpr": (_other,),
    "log_loss": (_one,),
    "mae": (_one,),
    "mcc": (_predicted, _label, _other, lambda row: 1 - _predicted(row)),
    "normalized_entropy": (_one, _label, _other),
    "npv": (lambda row: 1 - _predicted(row),),
    "precision": (_predicted,),
    "recall": (_label,),
    "rig": (_one, _label, _other),
    "rmse": (_one,),
    "specificity": (_other,),
}  # fmt: skip


def changes(rows: Rows, value: Callable[[Sequence[Observation]], float | None]) -> list[float] | None:
    """Return the change that each user causes: the value minus the value without the user, if any."""
    whole = value([row for _, row in rows])
    assert whole is not None
    found = []
    for one in dict.fromkeys(user for user, _ in rows):
        rest = value([row for user, row in rows if user != one])
        if rest is None:
            return None
        found.append(whole - rest)
    return found


def standard_error(moved: Sequence[float]) -> float:
    m, mean = len(moved), fmean(moved)
    return math.sqrt((m - 1) / m * math.fsum((x - mean) ** 2 for x in moved))


def expected_bounds(
    value: float, moved: Sequence[float], size: float, scale: str, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    error = standard_error(moved)
    df = fewer(size - 1, moved) if scale == "logit" else size - 1
    t = float(scipy.stats.t.isf(0.025, df))
    if scale == "logit":
        center = math.log((value - low) / (high - value))
        half = t * error * (high - low) / ((value - low) * (high - value))
        lower, upper = (low + (high - low) / (1 + math.exp(-x)) for x in (center - half, center + half))
        return lower, upper
    if scale == "proportion":
        n = value * (1 - value) / error**2 if 0 < value < 1 else size
        center = (value + t * t / (2 * n)) / (1 + t * t / n)
        half = t * math.sqrt(value * (1 - value) / n + t * t / (4 * n * n)) / (1 + t * t / n)
        return center - half, center + half
    return value - t * error, value + t * error


def row_of(result: Evaluation, metric: str, **where: Any) -> Row:
    (row,) = (
        row for row in result.rows
        if row["metric"] == metric and all(row[name] == value for name, value in where.items())
    )  # fmt: skip
    return row


@pytest.mark.slow
@pytest.mark.parametrize("table", ["log", "weighted"])
def test_every_interval_of_clusters_is_that_of_the_jackknife(
    connection: duckdb.DuckDBPyConnection, table: str
) -> None:
    """The data have two systems, ties, users of one class and of one row, overall and in slices."""
    other = f"SELECT * REPLACE (abs(score - 0.25) AS score) FROM {table}"
    result = duckmetrics.evaluate(
        {"one": table, "two": other}, metrics=PLAIN, connection=connection, interval=0.95,
        cluster="user_id", by=["country"], columns={"group_id": "user_id"},
    )  # fmt: skip
    tried = set()
    for row in result.rows:
        measure = parse_measure(CATALOG, row["metric"])
        name = measure.metric.name
        if name not in DENOMINATORS or row["value"] is None:
            continue
        seen = [one for one in LOG if row["country"] in (None, one[1])]
        rows = [
            (user, Observation(y, _score(row, score), weight if table == "weighted" else 1.0))
            for user, _, y, score, weight in seen
        ]
        sums = (by_user(rows, counted) for counted in DENOMINATORS[name])
        size = min(effective(shares) for shares in sums if any(shares))
        assert row["n_effective"] == pytest.approx(size, rel=1e-9), row
        assert row["n_units"] == len({user for user, _ in rows})
        moved = _moved(measure, rows)
        scale = measure.metric.header.get("interval", "mean")
        constant = moved is not None and scale != "proportion" and max(map(abs, moved)) < 1e-12
        if moved is None or size < 2 or constant:
            assert (row["lower"], row["upper"]) == (None, None)
            assert row["reason"].startswith("no interval: ")
            continue
        low = -1.0 if name == "gini" else 0.0
        wanted = expected_bounds(row["value"], moved, size, scale, low)
        assert (row["lower"], row["upper"]) == pytest.approx(wanted, rel=1e-8, abs=1e-12), row
        tried.add(name)
    assert tried == {*DENOMINATORS}
    declared = {metric.name for metric in METRICS if "no interval" not in str(_reason(result, metric.name))}
    assert tried == declared - {"gauc"}


def _score(row: Row, score: float) -> float:
    return score if row["system"] == "one" else abs(score - 0.25)


def _moved(measure: Measure, rows: Rows) -> list[float] | None:
    """Return the changes of a value; None if it is undefined without one of the users."""
    name = measure.metric.name
    params = {key: v for key in measure.metric.own_params if (v := measure.values[key]) is not None}
    return changes(rows, lambda rows: getattr(scalar, name)(rows, **params))


def _reason(result: Evaluation, name: str) -> str | None:
    rows = (row for row in result.rows if row["system"] == "one" and not row["slice"])
    return next(r["reason"] for r in rows if parse_measure(CATALOG, r["metric"]).metric.name == name)


SHARES: Mapping[str, Callable[[Sequence[Observation]], float]] = {
    "impressions": lambda rows: math.fsum(row.weight for row in rows),
    "positives": lambda rows: math.fsum(row.weight for row in rows if row.label),
    "pairs": lambda rows: (
        math.fsum(row.weight for row in rows if row.label)
        * math.fsum(row.weight for row in rows if not row.label)
    ),
    "uniform": lambda rows: 1.0,
}


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", ["auc", "gini"])
def test_the_statistic_of_auc_is_that_of_leaving_out_each_cluster(metric: str) -> None:
    """With six large clusters, pairs within a cluster are a large part of all pairs."""
    rng = np.random.default_rng(3)
    users = rng.integers(0, 6, 300)
    labels = (rng.random(300) < 0.2 + 0.1 * (users % 3)).astype(int)
    scores = {name: np.round(rng.random(300) + gain * labels + 0.2 * (users % 2) * (name == "B"), 2)
              for name, gain in (("A", 0.3), ("B", 0.1))}  # fmt: skip
    data = {"label": labels, "user": users, **scores}
    row = duckmetrics.compare(data, metrics=metric, score={"A": "A", "B": "B"}, cluster="user").rows[1]

    def difference(kept: np.ndarray) -> float:
        one, other = (roc_auc_score(labels[kept], values[kept]) for values in scores.values())
        return float(other - one)

    rest = np.array([difference(users != user) for user in range(6)])
    error = math.sqrt(5 / 6 * ((rest - rest.mean()) ** 2).sum())
    assert row["statistic"] == pytest.approx(difference(users >= 0) / error, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("average", SHARES)
def test_auc_of_groups_by_the_jackknife_over_groups_with_pairs(
    connection: duckdb.DuckDBPyConnection, average: str
) -> None:
    spec = f"gauc(average={average})"
    result = duckmetrics.evaluate(
        "weighted", metrics=spec, connection=connection, interval=0.95, columns={"group_id": "user_id"}
    )
    groups: dict[int, list[Observation]] = {}
    for user, _, y, s, w in LOG:
        groups.setdefault(user, []).append(Observation(y, s, w))
    areas = {user: area for user, rows in groups.items() if (area := scalar.auc(rows)) is not None}
    shares = {user: SHARES[average](groups[user]) for user in areas}

    def mean(without: int | None = None) -> float:
        kept = [user for user in areas if user != without]
        return math.fsum(shares[u] * areas[u] for u in kept) / math.fsum(shares[u] for u in kept)

    (row,) = result.rows
    size = effective([*shares.values()])
    assert (row["n_units"], row["n_effective"]) == (len(areas), pytest.approx(size, rel=1e-12))
    moved = [mean() - mean(user) for user in areas]
    assert (row["lower"], row["upper"]) == pytest.approx(
        expected_bounds(mean(), moved, size, "logit"), rel=1e-9
    )


def test_the_middle_of_an_interval_is_the_value_however_many_units_there_are() -> None:
    """The values of units come from differences that are multiplied by the number of units."""
    rows = (
        "SELECT i // 2 AS user_id, i % 7 < 2 AS label, 0.1 + i % 5 / 10 AS score FROM range(200000) AS t(i)"
    )
    (row,) = duckmetrics.evaluate(rows, metrics="calibration_ratio", cluster="user_id", interval=0.95).rows
    assert (row["lower"] + row["upper"]) / 2 == pytest.approx(row["value"], rel=0, abs=1e-10)
