"""Intervals at the edges: proportions near 1, dominating users, constant values, missing intervals."""

from __future__ import annotations

import contextlib
import json
import math
import random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
import scipy.stats
from statsmodels.stats.proportion import proportion_confint

import duckmetrics
from duckmetrics import compare
from duckmetrics.cli.main import main
from support.intervals import LOG, fewer, load_log, wilson

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duckmetrics import Evaluation


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        load_log(connection)
        yield connection


def hits(n: int, missed: int, place: int = 1, users: int | None = None) -> Evaluation:
    """Evaluate n queries with the relevant item at a given place; missed queries have none."""
    items = f"range(1, 6) AS i(i), range({n}) AS q(q)"
    item = f"CASE WHEN q < {missed} THEN 99 ELSE {place} END AS item_id"
    truth = f"SELECT q AS query_id, {item} FROM range({n}) AS t(q)"
    if users:
        truth = truth.replace("AS item_id", f"AS item_id, q % {users} AS user_id")
    return duckmetrics.evaluate(
        f"SELECT q AS query_id, i AS item_id, -i AS score FROM {items}", truth, ["hit_rate@3", "mrr"],
        interval=0.95, cluster="user_id" if users else None,
    )  # fmt: skip


def bounds(result: Evaluation, metric: str) -> tuple[float, float]:
    (row,) = (row for row in result.rows if row["metric"] == metric and not row["slice"])
    return row["lower"], row["upper"]


# --- proportions ---------------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize(("n", "missed"), [(20, 0), (20, 1), (50, 50), (200, 3)])
def test_hits_and_misses_have_wilsons_interval(n: int, missed: int) -> None:
    """Twenty hits of twenty do not prove that there are no misses."""
    share = 1 - missed / n
    assert bounds(hits(n, missed), "hit_rate@3") == pytest.approx(wilson(share, n), abs=1e-12)
    counts = f"SELECT 'A' AS arm, {n - missed} AS hits, {n} AS n UNION ALL SELECT 'B', 1, 2"
    (row, _) = duckmetrics.run_test("wilson_interval", counts).rows
    assert bounds(hits(n, missed), "hit_rate@3") == pytest.approx((row["lower"], row["upper"]), abs=1e-12)


def test_proportions_of_rows_have_wilsons_interval_of_all_rows() -> None:
    """3 of 10 rows are positive; 4 are predicted so, 2 of them rightly: 7 of 10 are right."""
    labels, scores = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0.9, 0.8, 0.1, 0.7, 0.6, *[0.2] * 5]
    rows = duckmetrics.evaluate(
        {"label": labels, "score": scores},
        metrics=["base_rate", "recall", "accuracy", "precision"],
        interval=0.95,
    )
    for metric, hits, n in (("base_rate", 3, 10), ("recall", 2, 3), ("accuracy", 7, 10), ("precision", 2, 4)):
        expected = proportion_confint(hits, n, method="wilson")
        assert bounds(rows, metric) == pytest.approx(expected, rel=1e-9), metric


@pytest.mark.slow
def test_hits_of_users_have_wilsons_interval_of_fewer_trials() -> None:
    result = hits(100, 0, users=7)
    lower, upper = bounds(result, "hit_rate@3")
    assert upper == 1
    assert 0.3 < lower < wilson(1, 7)[0]
    row = result.rows[0]
    assert (row["n"], row["n_units"]) == (100, 7)
    assert row["n_effective"] == pytest.approx(100**2 / (5 * 14**2 + 2 * 15**2))
    assert "n_units" in str(result)


def test_values_that_are_all_equal_have_no_interval_and_say_why() -> None:
    """Rounding does not make them biased."""
    result = hits(40, 0, place=3)
    assert bounds(result, "mrr") == (None, None)
    (row,) = (row for row in result.rows if row["metric"] == "mrr")
    assert row["reason"] == "no interval: no unit differs from the others, so their spread is unknown"
    assert "biased" not in str(result)


@pytest.mark.slow
def test_proportions_of_a_classifier_stay_within_0_and_1() -> None:
    rows = (
        "SELECT (i % 3 = 0)::INT AS label, CASE WHEN i % 3 = 0 THEN 0.9 ELSE 0.2 END AS score, i % {} AS u "
        "FROM range(90) AS t(i)"
    )
    names = ["accuracy", "classification.precision", "classification.recall", "auc", "gini"]
    result = duckmetrics.evaluate(rows.format(10), metrics=names, interval=0.95, cluster="u")
    for row in result.rows:
        assert row["value"] == 1
        if row["metric"] in ("auc", "gini"):
            assert row["lower"] is None
            assert row["reason"].startswith("no interval: no unit differs")
        else:
            assert 0.6 < row["lower"] < 0.8
            assert row["upper"] == 1


def test_bounds_of_auc_stay_below_1() -> None:
    rows = (
        "SELECT i % 2 AS label, CASE WHEN i = 3 THEN 4.5 ELSE i % 2 * 8 + i * 7 % 40 / 4 END AS score "
        "FROM range(40) AS t(i)"
    )
    result = duckmetrics.evaluate(rows, metrics=["auc", "gini"], interval=0.95)
    value = result["auc"]
    assert value is not None
    assert 0.9 < value < 1
    lower, upper = bounds(result, "auc")
    assert lower < value < upper < 1
    assert bounds(result, "gini") == pytest.approx((2 * lower - 1, 2 * upper - 1), rel=1e-12)


# --- dominating users ----------------------------------------------------------------------------

HEAVY = (
    "SELECT CASE WHEN i < 300 THEN 0 ELSE i END AS u, ((i * 7919) % 97 < 30)::INT AS label, "
    "round((i * 31 % 89) / 89{}, 2) AS score FROM range(360) AS t(i)"
)


@pytest.mark.slow
def test_a_user_that_outweighs_the_others_is_named() -> None:
    result = duckmetrics.evaluate(HEAVY.format(""), metrics=["ctr", "auc"], interval=0.95, cluster="u")
    row = result.rows[0]
    assert row["n_units"] == 61
    assert row["n_effective"] == pytest.approx(360**2 / (300**2 + 60))
    assert (row["lower"], row["upper"]) == (None, None)
    assert row["reason"] == "no interval: its units are worth fewer than two of equal weight"
    assert "1.4 effective of 61 clusters of u for ctr" in " ".join(str(result).split())


def test_few_units_of_a_slice_are_told() -> None:
    table = (
        "SELECT i AS u, i % 2 AS label, (i + 1) / 90 AS score, CASE WHEN i < 5 THEN 'MT' ELSE 'DE' END "
        "AS country FROM range(80) AS t(i)"
    )
    result = duckmetrics.evaluate(table, metrics="log_loss", interval=0.95, cluster="u", by=["country"])
    (warning,) = (f.message for f in result.checks if "only" in f.message)
    assert warning == "intervals: only 5 clusters of u for log_loss where country=MT; read them with care"


@pytest.mark.slow
def test_comparisons_have_as_many_degrees_of_freedom_as_the_users_are_worth(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    systems = {"A": "log", "B": "SELECT * REPLACE (score * 0.9 AS score) FROM log"}
    found = compare(systems, None, ["log_loss", "auc"], connection=connection, cluster="user_id")
    for row in found.rows:
        if row["system"] == "B" and row["metric"] == "log_loss":
            sizes: dict[int, int] = {}
            for user, *_ in LOG:
                sizes[user] = sizes.get(user, 0) + 1
            worth = len(LOG) ** 2 / sum(n * n for n in sizes.values())
            assert (row["n_units"], row["n_effective"], row["df"]) == (
                24, pytest.approx(worth), pytest.approx(worth - 1)
            )  # fmt: skip
    heavy = compare(
        {"A": HEAVY.format(""), "B": HEAVY.format(" * 0.9")}, None, "log_loss", cluster="u", adjust="none"
    )
    assert heavy.rows[1]["verdict"] == "not tested"
    assert heavy.rows[1]["delta_lower"] is None


# --- no interval ---------------------------------------------------------------------------------

WITHOUT = (
    "ks", "ece", "mce", "ace", "r2", "classification.average_precision", "hosmer_lemeshow", "spiegelhalter_z",
    "spiegelhalter_p", "ecce", "ecce_z", "ecce_p",
)  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize("metric", WITHOUT)
def test_a_metric_without_intervals_alone(connection: duckdb.DuckDBPyConnection, metric: str) -> None:
    (row,) = duckmetrics.evaluate("log", metrics=metric, connection=connection, interval=0.95).rows
    assert row["value"] is not None
    assert (row["lower"], row["upper"]) == (None, None)
    assert row["reason"].startswith("no interval: it ")
    assert "order of all rows" not in row["reason"]


@pytest.mark.some(1)
@pytest.mark.parametrize("spec", ["ndcg(agg=sum)@10", "mrr(agg=sum)"])
def test_an_aggregation_without_intervals_alone(spec: str) -> None:
    predictions = "SELECT q AS query_id, i AS item_id, -i AS score FROM range(9) AS q(q), range(5) AS i(i)"
    truth = "SELECT q AS query_id, q % 5 AS item_id FROM range(9) AS q(q)"
    (row,) = duckmetrics.evaluate(predictions, truth, spec, interval=0.95).rows
    assert (row["lower"], row["upper"]) == (None, None)
    assert "of the queries, not their mean" in row["reason"]


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", ["ece", "ece(binning=mass)", "mce", "ace", "ks", "ecce"])
def test_a_biased_metric_has_no_percentile_interval(
    connection: duckdb.DuckDBPyConnection, metric: str
) -> None:
    """No hint suggests one; the difference of two systems has one."""
    options: dict[str, Any] = {"interval_method": "bootstrap", "cluster": "user_id", "resamples": 40}
    one = duckmetrics.evaluate("log", metrics=metric, connection=connection, interval=0.95, **options)
    assert (one.rows[0]["lower"], one.rows[0]["upper"]) == (None, None)
    assert "above the true value" in one.rows[0]["reason"]
    usual = duckmetrics.evaluate("log", metrics=metric, connection=connection, interval=0.95)
    assert "bootstrap" not in str(usual)
    systems = {"A": "log", "B": "SELECT * REPLACE (score / 3 AS score) FROM log"}
    first, second = compare(systems, None, metric, connection=connection, **options).rows
    assert first["lower"] is second["lower"] is None
    assert second["delta_lower"] is not None


@pytest.mark.slow
def test_bounds_of_an_approximation_are_not_those_of_an_interval(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    specs = ["auc(approx=20)", "auc"]
    plain = duckmetrics.evaluate("log", metrics=specs, connection=connection)
    assert plain.rows[0]["lower"] is not None
    approximate, exact = duckmetrics.evaluate("log", metrics=specs, connection=connection, interval=0.95).rows
    assert (approximate["lower"], approximate["upper"]) == (None, None)
    assert "it is approximate" in approximate["reason"]
    assert exact["lower"] is not None


@pytest.mark.slow
def test_json_has_the_units_of_an_interval(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = f"{tmp_path}/log.parquet"
    rows = "SELECT i % 40 AS u, i % 3 = 0 AS label, i / 200 AS score FROM range(200) AS t(i)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{table}'")
    options = ["--interval", "0.95", "--cluster", "u", "--format", "json"]
    with contextlib.suppress(SystemExit):
        main(["evaluate", table, "-m", "ks,auc", *options])
    ks, auc = json.loads(capsys.readouterr().out)["rows"]
    assert ks["n_units"] is None
    assert auc["n_units"] == 40
    assert 20 < auc["n_effective"] <= 40


def test_auc_near_one_has_the_degrees_of_freedom_of_its_long_tails() -> None:
    """DeLong's components by hand: most positives are above all negatives, and a few are far below."""
    chance = random.Random(3)
    positives = [chance.gauss(2.9, 1) for _ in range(40)]
    negatives = [chance.gauss(0, 1) for _ in range(200)]
    won = [fmean(x > y for y in negatives) for x in positives]
    lost = [fmean(x > y for x in positives) for y in negatives]
    area = fmean(won)
    variance = stdev(won) ** 2 / 40 + stdev(lost) ** 2 / 200
    moved = [math.sqrt(40 / 39) * (x - area) / 40 for x in won]
    moved += [math.sqrt(200 / 199) * (y - area) / 200 for y in lost]
    df = fewer(239, moved)
    assert 2 < df < 20
    half = float(scipy.stats.t.isf(0.025, df)) * math.sqrt(variance) / (area * (1 - area))
    log_odds = math.log(area / (1 - area))
    expected = [1 / (1 + math.exp(-log_odds + side * half)) for side in (1, -1)]
    rows = pa.table({"label": [1] * 40 + [0] * 200, "score": positives + negatives})
    (row,) = duckmetrics.evaluate(rows, metrics="auc", interval=0.95).rows
    assert [row["lower"], row["upper"]] == pytest.approx(expected, rel=1e-12)
