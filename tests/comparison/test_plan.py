"""Plans: the number of units is that at which `compare` can detect the difference."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from scipy.stats import norm

import duckmetrics
from duckmetrics.comparison.plan import Design, effects, sizes
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.errors import InputError, MetricError
from support.cases import ROOT
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
    with pytest.raises(MetricError, match="two arms of equal size; leave share out"):
        duckmetrics.plan(rate=0.03, difference=0.01, share=0.9, unpaired=True)


def test_the_curve_falls_and_is_drawn() -> None:
    plan = duckmetrics.plan(sd=0.2, difference=0.02)
    found = [point["mde"] for point in plan.curve()]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.02 > found[-1]
    chart = plan.chart()
    assert chart.title == plan.verdict
    assert chart.svg().count('class="line') >= 2


SAME = {"A": run([1.0, 0.0] * 4), "B": run([1.0, 0.0] * 4)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sd": 0.2}, "neither a difference nor a number of units"),
        ({"sd": 0.2, "difference": 0}, "no test finds a difference of 0"),
        ({"sd": 0.2, "difference": -0.1}, "a plan needs its size"),
        ({"sd": 0.2, "difference": "x"}, "is not a number"),
        ({"sd": 0.2, "difference": 0.1, "margin": 0.1}, "both a difference and a margin"),
        ({"sd": 0, "difference": 0.1}, "not a positive standard deviation"),
        ({"sd": 0.2, "difference": "1%"}, "sd has no value"),
        ({"sd": 0.2, "units": 1}, "not a whole number from 2 on"),
        ({"sd": 0.2, "difference": 0.1, "power": 0.04}, "is not planned"),
        ({"sd": 0.2, "difference": 0.1, "adjust": "fdr"}, "has no plan"),
        ({"sd": 1e9, "difference": 1e-9}, "needs too many units"),
        ({"rate": 0.03, "units": 1000}, "has no plan without a difference"),
        ({"rate": 0.03, "units": 1000, "difference": 0.01}, "a plan of proportions counts them"),
        ({"rate": 3, "difference": 0.1}, "not a share between 0 and 1"),
        ({"sd": 0.2, "difference": 0.1, "share": 0.9}, "unpaired"),
        ({"difference": 0.1}, "nothing to plan from"),
        ({"sd": 10, "rate": 0.1, "difference": 1}, "takes sd or rate, not both"),
        ({"predictions": SAME, "metrics": "mrr", "difference": 0.1}, "nothing to plan from"),
        ({"predictions": run([1.0, 0.0], 1), "metrics": "mrr", "difference": 0.1}, "nothing to plan from"),
    ],
)  # fmt: skip
def test_mistakes_have_one_clear_message(given: dict[str, Any], said: str) -> None:
    with pytest.raises(MetricError, match=said):
        duckmetrics.plan(**given)


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
