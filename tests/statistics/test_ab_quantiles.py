"""Quantiles in `ab`: as numpy, over rows that units share, in slices; and the coverage of their intervals."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from numpy.typing import NDArray

from duckmetrics import DuckmetricsError, InputError, MetricError, UnsupportedError, ab
from duckmetrics.words.verdicts import UNTESTED

OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}
NUMBERS = ("control_value", "value", "delta", "delta_lower", "delta_upper", "p", "relative_lower",
           "relative_upper")  # fmt: skip
Floats = NDArray[np.float64]


# ---- the formula in numpy, with scipy's score interval


def bounds(
    values: Floats, q: float, units: NDArray[np.int64] | None = None, level: float = 0.95
) -> tuple[float, float, float]:
    """Return a quantile and its interval; NaN for a bound beyond the values."""
    x, n = np.sort(values), len(values)
    at = float(np.quantile(x, q))
    n_effective, critical = float(n), float(scipy.stats.norm.ppf((1 + level) / 2))
    if units is not None:
        _, place, sizes = np.unique(units, return_inverse=True, return_counts=True)
        share = ((values < at).astype(float) + (values <= at)) / 2
        sums = np.bincount(place, share - share.mean())
        m = len(sizes)
        between, within = (sums**2).sum() * m / (m - 1), n * share.var(ddof=1)
        n_effective = min(n, n * within / between)
        critical = float(scipy.stats.t.ppf((1 + level) / 2, sizes.sum() ** 2 / (sizes**2).sum() - 1))
    # The ends of Wilson's interval solve (s - q)^2 = critical^2 * s * (1 - s) / n_effective.
    z = critical**2 / n_effective
    ends = np.sort(np.roots([1 + z, -2 * q - z, q * q]).real)
    low, high = np.interp(n * ends + 0.5, np.arange(1, n + 1), x, left=np.nan, right=np.nan)
    return at, float(low), float(high)


def wanted(
    control: tuple[float, float, float], treated: tuple[float, float, float], level: float = 0.95
) -> dict[str, float]:
    """Return the numbers of a row."""
    (a, a_low, a_high), (b, b_low, b_high) = control, treated
    below, above = math.hypot(b - b_low, a_high - a), math.hypot(b_high - b, a - a_low)
    z = (b - a) / (below if b > a else above) * scipy.stats.norm.ppf((1 + level) / 2)
    log_below = math.hypot(math.log(b / b_low), math.log(a_high / a))
    log_above = math.hypot(math.log(b_high / b), math.log(a / a_low))
    return {
        "control_value": a, "value": b, "delta": b - a, "delta_lower": b - a - below,
        "delta_upper": b - a + above, "p": 2 * float(scipy.stats.norm.sf(abs(z))),
        "relative_change": b / a - 1, "relative_lower": b / a * math.exp(-log_below) - 1,
        "relative_upper": b / a * math.exp(log_above) - 1,
    }  # fmt: skip


def loads(seed: int = 3, n_users: int = 80) -> pd.DataFrame:
    """Return page loads of users: latencies of one user are alike, and B is slower."""
    rng = np.random.default_rng(seed)
    sizes = rng.geometric(0.15, n_users)
    frame = pd.DataFrame({"user_id": np.repeat(np.arange(n_users), sizes)})
    frame["variant"] = np.where(frame.user_id % 2 == 0, "A", "B")
    frame["country"] = np.array(["DE", "US"])[frame.user_id // 2 % 2]
    own = rng.normal(0, 1, n_users)
    slower = 0.8 * (frame.variant == "B")
    frame["latency"] = np.exp(own[frame.user_id] + rng.normal(0, 1, len(frame)) + slower)
    frame["clicks"] = rng.poisson(2, len(frame)).astype(float)
    frame.loc[rng.random(len(frame)) < 0.05, "latency"] = np.nan
    return frame


def arm(frame: pd.DataFrame, name: str, column: str = "latency") -> pd.DataFrame:
    return frame[(frame.variant == name) & frame[column].notna()]


def expected(frame: pd.DataFrame, q: float, level: float = 0.95, column: str = "latency") -> dict[str, float]:
    own = [arm(frame, name, column) for name in "AB"]
    a, b = (bounds(one[column].to_numpy(), q, one.user_id.to_numpy(), level) for one in own)
    return wanted(a, b, level)


@pytest.mark.parametrize(
    ("metric", "q"), [("median(revenue)", 0.5), ("p90(revenue)", 0.9), ("P12.5( revenue )", 0.125)]
)
def test_one_row_per_unit_as_numpy(metric: str, q: float) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"variant": ["A", "B", "B"] * 60, "revenue": rng.gamma(2, 3, 180)})
    frame.loc[:4, "revenue"] = np.nan
    row = ab(frame, metrics=metric, **OPTIONS).row(metric.strip())
    a, b = (bounds(arm(frame, name, "revenue").revenue.to_numpy(), q) for name in "AB")
    for name, value in wanted(a, b).items():
        assert row[name] == pytest.approx(value, rel=1e-9), name
    assert row["statistic"] == "quantile_difference"
    assert row["left_out"] + row["left_out_control"] == 5


@pytest.mark.parametrize("q", [0.5, 0.9])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_rows_that_units_share_as_numpy(q: float, level: float) -> None:
    frame, metric = loads(), f"p{100 * q:g}(latency)"
    result = ab(frame, metrics=[metric, "latency"], unit="user_id", interval=level, **OPTIONS)
    row = result.row(metric)
    for name, value in expected(frame, q, level).items():
        assert row[name] == pytest.approx(value, rel=1e-9), name
    assert row["n"] + row["n_control"] == frame[frame.latency.notna()].user_id.nunique()
    assert f"all rows for {metric}; sum of latency" in result.notes[0]
    # The same rows as units of their own have a much shorter interval.
    alone = ab(frame.drop(columns="user_id"), metrics=metric, interval=level, **OPTIONS).row(metric)
    assert row["delta_upper"] - row["delta_lower"] > 1.3 * (alone["delta_upper"] - alone["delta_lower"])
    assert row["value"] == alone["value"]


def test_ties_as_numpy() -> None:
    frame = loads()
    row = ab(frame, metrics="median(clicks)", unit="user_id", **OPTIONS).row("median(clicks)")
    assert row["control_value"] == row["value"] == 2
    low, high = (expected(frame, 0.5, column="clicks")[f"delta_{end}"] for end in ("lower", "upper"))
    assert (row["delta_lower"], row["delta_upper"]) == (pytest.approx(low), pytest.approx(high))


def test_between_two_equal_values_the_quantile_is_their_value() -> None:
    """0.205 * 0.9 + 0.205 * 0.1 differs from 0.205, so that no value would equal the quantile."""
    frame = loads()
    frame["share"] = np.where(np.arange(len(frame)) % 2 == 0, 0.205, 0.41)
    row = ab(frame, metrics="p40(share)", unit="user_id", **OPTIONS).row("p40(share)")
    assert (row["control_value"], row["value"], row["delta"], row["p"]) == (0.205, 0.205, 0.0, 1.0)


def test_slices_are_the_experiments_of_their_units() -> None:
    frame = loads(n_users=160)
    result = ab(frame, metrics="p90(latency)", unit="user_id", by="country", **OPTIONS)
    sliced = [row for row in result.rows if row["slice"]]
    assert [row["country"] for row in sliced] == ["DE", "US"]
    for row in sliced:
        for name, value in expected(frame[frame.country == row["country"]], 0.9).items():
            assert row[name] == pytest.approx(value, rel=1e-9), name
    assert result.heterogeneity.num_rows == 1


def test_an_expression_slices_the_rows_too() -> None:
    frame = loads(n_users=160)
    result = ab(frame, metrics="p90(latency)", unit="user_id", by="user_id % 4 < 2 AS early", **OPTIONS)
    (row,) = (row for row in result.rows if row.get("early") == "true")
    for name, value in expected(frame[frame.user_id % 4 < 2], 0.9).items():
        assert row[name] == pytest.approx(value, rel=1e-9), name


def test_shared_units_are_left_out_of_the_rows() -> None:
    frame = loads()
    frame.loc[frame[frame.user_id == 1].index[0], "variant"] = "A"
    assert (frame.user_id == 1).sum() > 1
    result = ab(frame, metrics="median(latency)", unit="user_id", shared_units="drop", **OPTIONS)
    for name, value in expected(frame[frame.user_id != 1], 0.5).items():
        assert result.row("median(latency)")[name] == pytest.approx(value, rel=1e-9), name


@pytest.mark.parametrize("per_unit", ["mean", {"median(latency)": "mean"}])
def test_a_quantile_of_the_values_of_units(per_unit: Any) -> None:
    frame = loads()
    users = frame.groupby(["user_id", "variant"], as_index=False).latency.mean()
    row = ab(frame, metrics="median(latency)", unit="user_id", per_unit=per_unit, **OPTIONS).row(
        "median(latency)"
    )
    other = ab(users.drop(columns="user_id"), metrics="median(latency)", **OPTIONS).row("median(latency)")
    for name in NUMBERS:
        assert row[name] == pytest.approx(other[name], rel=1e-9), name


def test_p_is_below_5_per_cent_exactly_if_the_interval_excludes_0() -> None:
    seen = set()
    for seed in range(6):
        frame = loads(seed, 60)
        for metric in ("median(latency)", "p75(latency)"):
            row = ab(frame, metrics=metric, unit="user_id", **OPTIONS).row(metric)
            excluded = not row["delta_lower"] <= 0 <= row["delta_upper"]
            assert (row["p"] < 0.05) == excluded
            seen.add(excluded)
    assert seen == {True, False}


def test_too_few_units_and_equal_values_are_not_tested() -> None:
    frame = pd.DataFrame(
        {"variant": ["A", "B"] * 12, "x": np.arange(24.0), "step": [1.0, 2.0] * 12, "one": 1.0}
    )
    result = ab(frame, metrics="p99(x),median(step),median(one)", **OPTIONS)
    rows = [result.row(metric) for metric in ("p99(x)", "median(step)", "median(one)")]
    assert [(row["p"], row["verdict"] == UNTESTED) for row in rows] == [
        (None, True),
        (None, True),
        (1.0, False),
    ]
    assert rows[0]["reason"] == "too few units for this quantile: a bound is beyond the values"
    assert rows[1]["reason"] == "the values near the quantile are all equal; compare a mean or a share"
    assert (rows[1]["delta_lower"], rows[1]["delta_upper"]) == (1.0, 1.0)


def test_one_unit_has_no_interval() -> None:
    frame = pd.DataFrame(
        {"variant": ["A"] * 9 + ["B"] * 9, "x": np.arange(18.0), "user_id": [0] * 9 + [*range(1, 10)]}
    )
    row = ab(frame, metrics="median(x)", unit="user_id", **OPTIONS).row("median(x)")
    assert (row["p"], row["delta_lower"], row["reason"]) == (None, None, "only one unit of A has a value")


def test_a_column_of_this_name_is_the_column() -> None:
    frame = pd.DataFrame({"variant": ["A", "B"] * 6, "p90(x)": np.arange(12.0), "x": 1.0})
    assert ab(frame, metrics=["p90(x)"], **OPTIONS).row("p90(x)")["statistic"] == "welch_t"


def test_a_lower_latency_is_better() -> None:
    row = ab(
        loads(1, 400), metrics="p75(latency)", unit="user_id", lower_is_better="p75(latency)", **OPTIONS
    ).row("p75(latency)")
    assert row["delta"] > 0
    assert row["verdict"] == "worse"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"metrics": "p90(latncy)"},
            InputError,
            "no column 'latncy' of the metric 'p90(latncy)'; did you mean",
        ),
        (
            {"metrics": "p0(latency)"},
            MetricError,
            "p0(latency): is not a quantile; write one such as p90(latency)",
        ),
        ({"metrics": "p100(latency)"}, InputError, "no column 'p100(latency)'"),
        (
            {"pre": {"p90(latency)": "clicks"}},
            UnsupportedError,
            "there is no CUPED of a quantile; leave it out",
        ),
        ({"cap": {"p90(latency)": "99%"}}, UnsupportedError, "extreme values do not move a quantile"),
        ({"sequential": True}, UnsupportedError, "the interval of a quantile does not hold at every look"),
        ({"unit": "user_id", "per_unit": "median"}, MetricError, "unknown function 'median'"),
        (
            {"metrics": "latency", "unit": "user_id", "per_unit": "rows"},
            MetricError,
            "unknown function 'rows'",
        ),
    ],
)
def test_mistakes(options: dict[str, Any], error: type[DuckmetricsError], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        ab(loads(), **{"metrics": "p90(latency)", **OPTIONS, **options})


# ---- simulations


def sample(rng: np.random.Generator, n: int, is_clustered: bool) -> tuple[Floats, NDArray[np.int64] | None]:
    """Return n values, or the values of n users with 1 to many of them; the distribution is lognormal."""
    if not is_clustered:
        return np.exp(rng.normal(0, 1, n)), None
    units = np.repeat(np.arange(n), rng.geometric(0.3, n))
    return np.exp(rng.normal(0, 1, n)[units] + rng.normal(0, 1, len(units))), units


@pytest.mark.slow
@pytest.mark.parametrize("q", [0.5, 0.9])
@pytest.mark.parametrize(("n", "is_clustered"), [(50, False), (200, False), (30, True), (200, True)])
def test_95_of_100_intervals_contain_the_difference(n: int, is_clustered: bool, q: float) -> None:
    """The oracle above, which equals the SQL, in 2,000 experiments of unequal arms."""
    rng, found, total = np.random.default_rng(11), 0, 2000
    for _ in range(total):
        a, b = (bounds(*(lambda x: (x[0], q, x[1]))(sample(rng, m, is_clustered))) for m in (n, n * 3 // 2))
        row = wanted(a, b)
        # A bound beyond the values leaves the interval open, which happens in few samples of 30 users.
        found += not (row["delta_lower"] > 0 or row["delta_upper"] < 0)
    assert 0.94 <= found / total <= 0.965


@pytest.mark.slow
def test_the_spread_is_that_of_a_bootstrap_of_users() -> None:
    frame = loads(5, 300)
    row = ab(frame, metrics="p75(latency)", unit="user_id", **OPTIONS).row("p75(latency)")
    rng, draws = np.random.default_rng(1), []
    users = [[own.latency.to_numpy() for _, own in arm(frame, name).groupby("user_id")] for name in "AB"]
    for _ in range(1000):
        a, b = (np.quantile(np.concatenate([own[i] for i in rng.integers(0, len(own), len(own))]), 0.75)
                for own in users)  # fmt: skip
        draws.append(b - a)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert row["delta_upper"] - row["delta_lower"] == pytest.approx(high - low, rel=0.15)
