"""Plans: the number of units is that at which `compare` can detect the difference."""

from __future__ import annotations

import json
import math
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
import sqlglot
from scipy.stats import norm
from statsmodels.stats import proportion
from statsmodels.stats.power import NormalIndPower, TTestIndPower

import duckmetrics
from duckmetrics.comparison.plan import Design, effects, sizes
from duckmetrics.compose.functions import linked
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.errors import InputError, MetricError
from support.cases import CATALOG, ROOT
from support.command_line import Command

TABLES = (str(ROOT / "data/digits/pixels.parquet"), str(ROOT / "data/digits/qrels.parquet"))
SYSTEMS: dict[str, Any] = {"system": "system", "baseline": "blocks"}


def run(score: list[float], queries: int = 4) -> pa.Table:
    """Return lists of two items, of which the first is relevant."""
    return pa.table({
        "query_id": np.repeat(np.arange(queries), 2), "item_id": np.tile([1, 2], queries),
        "score": score, "label": np.tile([1, 0], queries),
    })  # fmt: skip


@pytest.mark.slow
def test_the_smallest_difference_is_that_of_compare() -> None:
    metrics = ["ndcg@10", "mrr"]
    found = duckmetrics.plan(*TABLES, metrics, difference=0.05, **SYSTEMS)
    compared = duckmetrics.compare(*TABLES, metrics, **SYSTEMS)
    for row in found.rows:
        own = compared.row(row["metric"])
        assert row["mde"] == pytest.approx(own["mde"], rel=1e-12)
        assert row["sd"] == pytest.approx(abs(own["delta"] / own["effect_size"]), rel=1e-9)
        assert (row["n_units"], row["comparisons"], row["alpha"]) == (own["n_units"], 2, 0.025)
    again = duckmetrics.plan(*TABLES, metrics, units=found.rows[0]["units"], **SYSTEMS).rows[0]
    assert 0.0499 < again["mde"] <= 0.05


@pytest.mark.slow
def test_tables_of_a_connection_are_planned() -> None:
    with duckdb.connect() as connection:
        for name, path in zip(("runs", "qrels"), TABLES, strict=True):
            connection.execute(f"CREATE VIEW {name} AS FROM '{path}'")
        found = duckmetrics.plan(
            "runs", "qrels", "mrr", difference=0.05, connection=connection, threads=1, **SYSTEMS
        )
    assert found.rows == duckmetrics.plan(*TABLES, "mrr", difference=0.05, threads=1, **SYSTEMS).rows


@pytest.mark.slow
def test_the_number_of_units_is_the_smallest_one() -> None:
    designs = [
        Design(sd, per_unit, 1.0, alpha, power)
        for sd in (0.01, 1.0, 30.0) for per_unit in (1.0, 0.3) for alpha in (0.05, 1e-4)
        for power in (0.5, 0.8)
    ]  # fmt: skip
    engine = DuckDBEngine()
    found = sizes(engine, [(design, 1.0) for design in designs])
    enough = effects(engine, list(zip(designs, map(float, found), strict=True)))
    fewer = effects(engine, [(d, n - 1.0) for d, n in zip(designs, found, strict=True)])
    for design, n, effect, before in zip(designs, found, enough, fewer, strict=True):
        assert n >= design.fewest
        assert effect is not None
        assert effect <= 1.0 or n == design.fewest
        assert before is None or before > 1.0
    engine.release()


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
@pytest.mark.parametrize("size", [0.05, 0.2, 0.5])
def test_statsmodels_needs_as_many_units_to_one(alpha: float, power: float, size: float) -> None:
    pytest.importorskip("statsmodels")
    from statsmodels.stats.power import TTestIndPower, TTestPower

    paired = duckmetrics.plan(sd=1, difference=size, alpha=alpha, power=power).rows[0]["units"]
    arms = duckmetrics.plan(sd=1, difference=size, alpha=alpha, power=power, unpaired=True).rows[0]["units"]
    assert paired == pytest.approx(TTestPower().solve_power(size, alpha=alpha, power=power), abs=1.1)
    each = TTestIndPower().solve_power(size, alpha=alpha, power=power)
    assert arms == pytest.approx(2 * each, abs=2.1)


@pytest.mark.slow
def test_one_system_is_planned_as_two_arms() -> None:
    score = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    row = duckmetrics.plan(run(score), metrics="mrr", difference="10%").rows[0]
    # The values are 1, 1/2, 1, 1/2.
    assert row["sd"] == pytest.approx(np.std([1, 0.5, 1, 0.5], ddof=1), rel=1e-12)
    assert row["difference"] == pytest.approx(0.075, rel=1e-12)
    alone = duckmetrics.plan(sd=row["sd"], difference=row["difference"], unpaired=True)
    assert row["units"] == alone.rows[0]["units"]
    given: dict[str, Any] = {"difference": row["difference"], "share": 0.9}
    uneven = duckmetrics.plan(run(score), metrics="mrr", **given)
    assert uneven.rows[0]["units"] > row["units"]
    assert uneven.rows[0]["units"] == duckmetrics.plan(sd=row["sd"], unpaired=True, **given).rows[0]["units"]


def test_a_proportion_has_the_size_of_the_z_test() -> None:
    row = duckmetrics.plan(rate=0.06, difference=0.004).rows[0]
    assert row["units"] == 2 * 57057
    assert duckmetrics.plan(rate=0.06, difference="10%", comparisons=3).rows[0]["alpha"] == 0.05 / 3


@pytest.mark.slow
def test_a_margin_is_one_sided_and_none_divides_nothing() -> None:
    margin = duckmetrics.plan(sd=0.2, margin=0.02).rows[0]
    assert margin["units"] == duckmetrics.plan(sd=0.2, difference=0.02, alpha=0.1).rows[0]["units"]
    assert margin["alpha"] == 0.05
    plain = duckmetrics.plan(sd=0.2, difference=0.02, comparisons=9, adjust="none").rows[0]
    assert plain["units"] == 787
    assert duckmetrics.plan(sd=0.2, difference=0.02, comparisons=9).rows[0]["units"] > 1200


@pytest.mark.some(1)
@pytest.mark.parametrize(("units", "margin"), [(10, 0.02), (10, 0.8), (200, 0.1)])
def test_the_power_of_a_margin_counts_one_tail(units: int, margin: float) -> None:
    row = duckmetrics.plan(sd=1, margin=margin, units=units).rows[0]
    critical = scipy.stats.t.isf(0.05, units - 1)
    exact = scipy.stats.nct.sf(critical, units - 1, margin * units**0.5)
    assert row["power_at_units"] == pytest.approx(exact, abs=0.01)


def test_a_margin_of_a_rate_has_its_power_for_equal_rates() -> None:
    plan = duckmetrics.plan(rate=0.95, margin=0.04)
    z = norm.isf(0.05) + norm.isf(0.2)
    assert plan.rows[0]["units"] == 2 * math.ceil(2 * 0.95 * 0.05 * (z / 0.04) ** 2)
    assert plan.verdict.startswith("the comparison needs 736 units to rule out a loss of 0.04 ")


@pytest.mark.slow
def test_a_margin_needs_a_direction() -> None:
    rows = pa.table({"user": np.arange(40) // 2, "label": np.arange(40) % 2, "score": np.arange(40) / 40})
    given: dict[str, Any] = {"metrics": ["log_loss", "calibration_ratio"], "cluster": "user"}
    directed, other = duckmetrics.plan(rows, margin=0.1, **given).rows
    assert directed["units"] is not None
    assert (other["units"], other["reason"][:31]) == (None, "neither higher nor lower is bet")
    assert duckmetrics.plan(rows, difference=0.1, **given).rows[1]["units"] is not None


def test_two_arms_of_unequal_clusters_need_more_of_them() -> None:
    """Few users have most of the rows, so that Welch's test has fewer degrees of freedom than users."""
    random = np.random.default_rng(3)
    user = np.repeat(np.arange(600), np.where(np.arange(600) % 6 == 0, 100, 2))
    score = np.clip(0.5 + random.uniform(-0.3, 0.3, 600)[user], 0, 1)
    rows = pa.table({"user": user, "label": random.integers(0, 2, len(user)), "score": score})
    (row,) = duckmetrics.plan(rows, metrics="mae", cluster="user", difference=0.1).rows
    assert row["design_effect"] > 3
    equal = duckmetrics.plan(sd=row["sd"], difference=0.1, unpaired=True).rows[0]["units"]
    assert row["units"] > equal


@pytest.mark.slow
def test_rows_without_a_cluster_are_refused_in_the_name_of_the_plan() -> None:
    rows = pa.table({
        "label": [0, 1, 1, 0] * 2, "score": [0.1, 0.9, 0.4, 0.2, 0.3, 0.2, 0.8, 0.1], "model": [*"AAAABBBB"],
    })  # fmt: skip
    with pytest.raises(InputError, match=r"^plan: no column shows .*set unpaired=True") as refused:
        duckmetrics.plan(rows, None, "auc", system="model", baseline="A", difference=0.1)
    assert "compare" not in str(refused.value)
    assert duckmetrics.plan(
        rows, None, "log_loss", system="model", baseline="A", difference=0.1, unpaired=True
    ).rows[0]["units"]


def test_other_units_are_those_that_the_baseline_answered() -> None:
    """The queries of another week do not count as 0, as in `compare(..., unpaired=True)`."""
    run = """SELECT i // 10 AS query_id, i % 10 AS item_id, sin(i) AS score, if(i < 1500, 'w1', 'w2') AS week
        FROM range(3000) AS rows(i)"""
    truth = f"SELECT query_id, item_id FROM ({run}) WHERE (query_id * 7 + item_id) % 4 = 0"
    given: dict[str, Any] = {"metrics": "ndcg@10", "difference": "1%"}
    (row,) = duckmetrics.plan(run, truth, system="week", baseline="w1", unpaired=True, **given).rows
    first = (f"SELECT * FROM ({table}) WHERE query_id < 150" for table in (run, truth))
    (alone,) = duckmetrics.plan(*first, **given).rows
    assert row["n_units"] == 150
    assert all(row[name] == alone[name] for name in ("baseline_value", "units"))


@pytest.mark.slow
def test_no_advice_is_one_that_a_plan_cannot_follow() -> None:
    place = np.arange(40)
    rows = pa.table({"user": place // 2, "label": place % 3 % 2, "score": place * 7 % 40 / 40})
    found = duckmetrics.plan(rows, metrics=["auc", "ks"], cluster="user", difference=0.1).rows
    assert "interval_method" not in found[1]["reason"]


def test_the_curve_falls_and_is_drawn() -> None:
    plan = duckmetrics.plan(sd=0.2, difference=0.02)
    found = [point["mde"] for point in plan.curve()]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.02 > found[-1]
    chart = plan.chart()
    assert chart.title == plan.verdict
    assert chart.svg().count('class="line') >= 2


USERS = {"id": [1, 2, 3], "y": [2.0, 4.0, 9.0], "x": [1, 1, 2], "none": [0, 0, 0]}
SAME = {"A": run([1.0, 0.0] * 4), "B": run([1.0, 0.0] * 4)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sd": 0.2}, "neither a difference nor a number of units"),
        ({"sd": 0.2, "difference": 0}, "no test finds a difference of 0"),
        ({"sd": 0.2, "margin": -0.1}, "a margin is a size"),
        ({"sd": 0.2, "difference": "x"}, "is not a number"),
        ({"sd": 0.2, "difference": 0.1, "margin": 0.1}, "both a difference and a margin"),
        ({"sd": 0, "difference": 0.1}, "not a positive standard deviation"),
        ({"sd": 0.2, "difference": "1%"}, "sd has no value"),
        ({"sd": 0.2, "units": 1}, "not a whole number from 2 on"),
        ({"sd": 0.2, "difference": 0.1, "power": 0.04}, "is not planned"),
        ({"sd": 0.2, "difference": 0.1, "adjust": "fdr"}, "has no plan"),
        ({"sd": 1e9, "difference": 1e-9}, "needs too many units"),
        ({"rate": 0.03}, "neither a difference nor a number of units"),
        ({"rate": 0.03, "difference": -0.03}, "difference=-0.03: leads to no share between 0 and 1"),
        ({"rate": 0.03, "difference": "-100%"}, "leads to no share between 0 and 1"),
        ({"rate": 0.03, "difference": 1e-9}, "needs too many units"),
        ({"rate": 0.03, "difference": 0.01, "share": 1}, "not between 0 and 1"),
        ({"rate": 3, "difference": 0.1}, "not a share between 0 and 1"),
        ({"sd": 0.2, "difference": 0.1, "share": 0.9}, "unpaired"),
        ({"difference": 0.1}, "nothing to plan from"),
        ({"sd": 10, "rate": 0.1, "difference": 1}, "takes sd or rate, not both"),
        ({"past": USERS, "sd": 1, "difference": 1}, "takes past or a number, not both"),
        ({"past": USERS, "difference": 1}, "metrics: none given"),
        ({"past": USERS, "metrics": "y", "cluster": "y", "difference": 1}, "cluster y: is a metric"),
        ({"past": USERS, "metrics": "none", "difference": 1}, "its units do not differ"),
        ({"past": USERS, "metrics": "y/none", "difference": 1}, "it has no value"),
        ({"predictions": SAME, "past": USERS, "difference": 1}, "predictions together with sd, rate or past"),
        ({"predictions": SAME, "metrics": "mrr", "difference": 0.1}, "nothing to plan from"),
        ({"predictions": run([1.0, 0.0], 1), "metrics": "mrr", "difference": 0.1}, "nothing to plan from"),
    ],
)  # fmt: skip
def test_mistakes_have_one_clear_message(given: dict[str, Any], said: str) -> None:
    with pytest.raises(MetricError, match=said):
        duckmetrics.plan(**given)


# ---- arms of unequal size, decreases, and what a number of units finds ---------------------------

SHARES = (0.5, 0.9, 0.02)


def other_arm(share: float) -> float:
    """Return the units of the treated arm for each unit of the control."""
    return (1 - share) / share


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("rate", "difference"), [(0.03, 0.002), (0.03, "-10%"), (0.6, -0.2), (0.97, 0.02)])
def test_proportions_are_planned_as_by_statsmodels(rate: float, difference: Any, share: float) -> None:
    delta = -0.1 * rate if difference == "-10%" else difference
    given: dict[str, Any] = {"rate": rate, "difference": difference, "share": share, "alpha": 0.01}
    row = duckmetrics.plan(units=5000, **given, power=0.9).rows[0]
    shape: dict[str, Any] = {"ratio": other_arm(share), "alpha": 0.01}
    of_control = proportion.samplesize_proportions_2indep_onetail(-delta, rate + delta, 0.9, **shape)
    sizes_ = of_control, of_control * other_arm(share)
    assert row["units"] == sum(math.ceil(n - 1e-9) for n in sizes_)
    assert row["difference"] == pytest.approx(delta, rel=1e-12)
    power = proportion.power_proportions_2indep(
        -delta, rate + delta, 5000 * share, **shape, return_results=False
    )
    assert row["power_at_units"] == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("rate", [0.03, 0.4, 0.97])
def test_the_smallest_changes_of_a_rate_need_these_units(rate: float, share: float) -> None:
    """By statsmodels, a change of that size needs the number of units that was given, to 1e-9."""
    row = duckmetrics.plan(rate=rate, units=60_000, share=share).rows[0]
    for change in (row["mde"], row["mde_decrease"]):
        needed = proportion.samplesize_proportions_2indep_onetail(
            -change, rate + change, 0.8, ratio=other_arm(share), alpha=0.05
        )
        assert needed / share == pytest.approx(60_000, rel=1e-9)
    assert row["mde"] > 0 > row["mde_decrease"]
    assert row["mde"] != pytest.approx(-row["mde_decrease"], rel=1e-3)
    assert (row["units"], row["power_at_units"]) == (None, None)


def test_a_decrease_of_a_rate_has_an_answer_of_its_own() -> None:
    up, down = (duckmetrics.plan(rate=0.03, difference=d).rows[0]["units"] for d in ("2%", "-2%"))
    assert up > down
    # A decrease of a rate is an increase of its misses.
    assert down == duckmetrics.plan(rate=0.97, difference=0.0006).rows[0]["units"]
    few = duckmetrics.plan(rate=0.97, units=100)
    assert few.rows[0]["mde"] is None
    assert few.verdict.startswith("the comparison: 100 units show a difference of -0.1799 four times")
    assert few.curve()[-1]["mde"] == pytest.approx(
        -duckmetrics.plan(rate=0.97, units=400).rows[0]["mde_decrease"], rel=1e-12
    )
    none = duckmetrics.plan(rate=0.5, units=2)
    assert none.verdict == "nothing to plan from: no other share is far enough from the rate; take more units"
    with pytest.raises(MetricError, match="nothing to plan from"):
        none.chart()


def test_the_margin_of_a_rate_has_a_power_for_units() -> None:
    z = norm.isf(0.05)
    for share in SHARES:
        row = duckmetrics.plan(rate=0.95, margin=0.04, units=500, share=share).rows[0]
        error = math.sqrt(0.95 * 0.05 / (500 * share * (1 - share)))
        assert row["mde"] == pytest.approx((z + norm.isf(0.2)) * error, rel=1e-12)
        assert row["power_at_units"] == pytest.approx(norm.sf(z - 0.04 / error), abs=1e-12)
        assert row["mde_decrease"] is None


@pytest.mark.parametrize("share", [0.5, 0.9, 0.1, 0.02])
def test_means_in_unequal_arms_need_about_the_units_of_statsmodels(share: float) -> None:
    """statsmodels pools the variances; Welch's test has fewer degrees of freedom if an arm is small."""
    given: dict[str, Any] = {"sd": 2, "unpaired": True, "share": share}
    row = duckmetrics.plan(difference=-0.1, units=9000, **given).rows[0]
    shape: dict[str, Any] = {"alpha": 0.05, "ratio": other_arm(share)}
    each = TTestIndPower().solve_power(0.05, power=0.8, **shape)
    assert row["units"] == pytest.approx(each / share, rel=2e-3)
    assert row["units"] >= NormalIndPower().solve_power(0.05, power=0.8, **shape) / share
    mde = TTestIndPower().solve_power(nobs1=9000 * share, power=0.8, **shape)
    assert row["mde"] == pytest.approx(2 * mde, rel=1e-2)
    # The power by the noncentral distribution, with Welch's degrees of freedom.
    n, m = row["units"] * share, row["units"] * (1 - share)
    df = (1 / n + 1 / m) ** 2 / (1 / n**2 / (n - 1) + 1 / m**2 / (m - 1))
    effect = 0.05 / math.sqrt(1 / n + 1 / m)
    assert scipy.stats.nct.sf(scipy.stats.t.isf(0.025, df), df, effect) == pytest.approx(0.8, abs=2e-3)


def test_the_sign_of_a_difference_of_means_changes_no_number() -> None:
    up, down = (duckmetrics.plan(sd=0.2, difference=d, units=300) for d in (0.02, -0.02))
    assert [row | {"difference": 0.02} for row in down.rows] == list(up.rows)
    assert "to show a difference of -0.02 four times out of five" in down.verdict
    assert down.curve() == up.curve()
    assert down.chart().svg()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "difference", "share"), [(0.2, -0.06, 0.8), (0.2, 0.06, 0.8), (0.5, -0.1, 0.5)]
)
def test_the_planned_power_of_a_rate_is_that_of_a_simulation(
    rate: float, difference: float, share: float
) -> None:
    units = duckmetrics.plan(rate=rate, difference=difference, share=share).rows[0]["units"]
    random = np.random.default_rng(8)
    n, m = round(units * share), round(units * (1 - share))
    x, y = random.binomial(n, rate, 2000), random.binomial(m, rate + difference, 2000)
    pooled = (x + y) / (n + m)
    z = (y / m - x / n) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    assert 0.78 <= np.mean(np.abs(z) > norm.isf(0.025)) <= 0.82


# ---- past units ---------------------------------------------------------------------------------


def past_sessions(n_users: int, seed: int) -> tuple[Any, Any]:
    """Return the revenue and the sessions of users; users with many sessions spend less in each."""
    random = np.random.default_rng(seed)
    sessions = 1 + random.poisson(random.gamma(2, 1.5, n_users))
    revenue = sessions * random.gamma(2, 3, n_users) / np.sqrt(sessions)
    return revenue, sessions


def test_the_variance_of_past_ratios_is_that_of_the_delta_method() -> None:
    revenue, sessions = past_sessions(400, 3)
    user = np.arange(400)
    # Two rows for each user, of which one may have no revenue: it has no value.
    rows = pa.table({
        "user_id": np.concatenate([user, user]),
        "revenue": pa.array([*(revenue * 0.25), *(revenue * 0.75)]),
        "sessions": np.concatenate([sessions, 0 * sessions]),
    })  # fmt: skip
    given: dict[str, Any] = {"metrics": ["revenue/sessions", "revenue"], "difference": "-5%", "share": 0.7}
    found = duckmetrics.plan(past=rows, cluster="user_id", **given)
    ratio, mean = found.rows
    r = revenue.sum() / sessions.sum()
    sd = np.std(revenue - r * sessions, ddof=1) / sessions.mean()
    covariance = np.cov(revenue, sessions)
    by_moments = np.sqrt(covariance[0, 0] - 2 * r * covariance[0, 1] + r * r * covariance[1, 1]) / np.mean(
        sessions
    )
    assert (ratio["baseline_value"], ratio["sd"]) == pytest.approx((r, sd), rel=1e-12)
    assert ratio["sd"] == pytest.approx(by_moments, rel=1e-9)
    assert ratio["difference"] == pytest.approx(-0.05 * r, rel=1e-12)
    assert ratio["design_effect"] == pytest.approx(400 * (sessions**2).sum() / sessions.sum() ** 2, rel=1e-12)
    assert (mean["baseline_value"], mean["sd"]) == pytest.approx(
        (revenue.mean(), np.std(revenue, ddof=1)), rel=1e-12
    )
    assert (mean["n_units"], mean["design_effect"], found.kind) == (400, 1, "user_id")
    alone = duckmetrics.plan(
        sd=mean["sd"], difference=mean["difference"], share=0.7, unpaired=True, comparisons=2
    ).rows[0]
    assert mean["units"] == alone["units"]
    # As many users are in a table with a row for each.
    by_user = {"user_id": user, "revenue": revenue, "sessions": sessions}
    for one, other in zip(duckmetrics.plan(past=by_user, **given).rows, found.rows, strict=True):
        assert one["units"] == other["units"]


def test_past_rows_that_are_not_units_are_refused() -> None:
    rows = {"user_id": [1, 1, 2, 2, 3, 3], "y": [1.0, 2, 3, 4, 5, 6]}
    with pytest.raises(InputError, match=r"rows are not units: .* cluster='user_id' \(--cluster user_id\)"):
        duckmetrics.plan(past=rows, metrics="y", difference=1)
    for given, said in (
        ({"past": {"y": [1.0, math.nan]}}, "NaN"),
        ({"past": {"y": ["a", "b"]}}, "y"),
        ({"past": {"y": [1.0], "user": [None]}, "cluster": "user"}, "no unit"),
        ({"past": rows, "cluster": "users"}, "did you mean 'user_id'"),
        ({"past": "SELECT 1.0 AS y WHERE FALSE"}, "no rows"),
    ):
        with pytest.raises(InputError, match=said):
            duckmetrics.plan(metrics="y", difference=1, **given)
    missing = {"y": [1.0, None, 3.0, 8.0], "x": [1, 1, None, 2]}
    found = duckmetrics.plan(past=missing, metrics="y,y/x", difference=1).rows
    assert [row["n_units"] for row in found] == [3, 2]


@pytest.mark.slow
def test_the_planned_power_of_a_ratio_is_that_of_a_simulation() -> None:
    revenue, sessions = past_sessions(100_000, 1)
    plan = duckmetrics.plan(
        past={"revenue": revenue, "sessions": sessions}, metrics="revenue/sessions", difference=0.3, share=0.7
    )
    units = plan.rows[0]["units"]
    random = np.random.default_rng(5)
    found = 0
    for _ in range(2000):
        arms = []
        for share, shift in ((0.7, 0.0), (0.3, 0.3)):
            place = random.integers(0, len(revenue), round(units * share))
            x = sessions[place]
            y = revenue[place] + shift * x
            ratio, n = y.sum() / x.sum(), len(x)
            without = (y.sum() - y) / (x.sum() - x)
            variance = (n - 1) ** 2 / n * np.var(without, ddof=1)
            arms.append((ratio, variance, x.sum() ** 2 / (x**2).sum() - 1))
        (before, v, df), (after, w, other_df) = arms
        freedom = (v + w) ** 2 / (v**2 / df + w**2 / other_df)
        found += abs(after - before) / math.sqrt(v + w) > scipy.stats.t.isf(0.025, freedom)
    assert 0.78 <= found / 2000 <= 0.82


def test_the_command_line_takes_past_units_decreases_and_shares(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    revenue, sessions = past_sessions(50, 3)
    table = pa.table({"user": np.arange(50), "revenue": revenue, "sessions": sessions})
    path = str(tmp_path / "users.parquet")
    pq.write_table(table, path)
    run_ = Command(capsys)
    code, out, err = run_("plan", "--past", path, "-m", "revenue/sessions", "--cluster", "user",
                          "--difference", "-5%", "--share", "0.7", "--format", "json")  # fmt: skip
    assert (code, err) == (0, "")
    (row,) = json.loads(out)["rows"]
    given: dict[str, Any] = {"cluster": "user", "difference": "-5%", "share": 0.7}
    # Sums over the clusters are in any order.
    same = duckmetrics.plan(past=table, metrics="revenue/sessions", **given).rows[0]
    assert row.keys() == same.keys()
    for name, value in same.items():
        assert row[name] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value)
    code, out, err = run_("plan", "--rate", "0.03", "--difference", "-0.002", "--share", "0.9")
    assert (code, err) == (0, "")
    assert "to show a difference of -0.002" in out
    assert "90 % of them in the control" in out


@pytest.mark.parametrize("share", [0.5, 0.9, 0.02])
def test_the_functions_of_the_shell_have_the_units_of_a_plan(share: float) -> None:
    engine = DuckDBEngine()
    calls = (
        f"planned_arm_units(0.2, -0.01, 0.05, 0.8, {share})",
        f"two_proportion_units(0.03, 0.028, 0.05, 0.8, {share})",
    )
    query, macros = linked(CATALOG, sqlglot.parse_one(f"SELECT {', '.join(calls)}", dialect="duckdb"))
    engine.define(macros)
    ((means, rates),) = engine.rows(query)
    engine.release()
    assert means == duckmetrics.plan(sd=0.2, difference=-0.01, unpaired=True, share=share).rows[0]["units"]
    row = duckmetrics.plan(rate=0.03, difference=-0.002, share=share).rows[0]
    assert row["units"] == math.ceil(rates * share - 1e-9) + math.ceil(rates * (1 - share) - 1e-9)


def test_a_page_shows_the_columns_that_have_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = Command(capsys)("plan", "--sd", "0.2", "--difference", "0.02", "--format", "markdown")
    assert (code, err) == (0, "")
    assert out.startswith("| sd | difference | power | alpha | comparisons | units |")
    assert duckmetrics.plan(sd=0.2, difference=0.02).verdict in out


def test_few_units_are_a_note() -> None:
    few, many = (duckmetrics.plan(sd=0.2, difference=difference) for difference in (0.2, 0.1))
    assert (few.rows[0]["units"], many.rows[0]["units"]) == (10, 34)
    (note,) = few.to_dict()["notes"]
    assert note.startswith("with fewer than 30 units")
    assert f"note: {note}" in str(few)
    assert many.to_dict()["notes"] == []
