"""`ab(cap=)`: values count at most as the cap; percentiles are those of numpy over all variants together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from duckmetrics import InputError, MetricError, UnsupportedError, ab
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}


@pytest.fixture(scope="module")
def users() -> pd.DataFrame:
    """Return users with heavy tails on both sides, ties and missing values."""
    rng = np.random.default_rng(8)
    n = 500
    frame = pd.DataFrame({"variant": np.where(np.arange(n) % 2 == 0, "A", "B")})
    frame["revenue"] = np.round(rng.lognormal(2, 1.5, n) * np.where(frame.variant == "B", 1.2, 1), 1)
    frame["profit"] = rng.standard_t(2, n)
    frame["before"] = frame.revenue + rng.normal(0, 3, n)
    frame["paid"] = rng.random(n) < 0.3
    frame["visits"] = rng.integers(1, 5, n)
    frame.loc[rng.random(n) < 0.05, ["revenue", "profit"]] = np.nan
    return frame


def welch(values: pd.Series, variant: pd.Series) -> float:
    control, treated = (values[variant == name].dropna() for name in "AB")
    return float(scipy.stats.ttest_ind(treated, control, equal_var=False).pvalue)


@pytest.mark.parametrize(
    ("cap", "low", "high"),
    [
        ("99%", None, 0.99), (" 97.5 % ", None, 0.975), ("5%:", 0.05, None), ("1%:95%", 0.01, 0.95),
    ],
)  # fmt: skip
def test_percentiles_are_those_of_all_units_as_numpy(
    users: pd.DataFrame, cap: str, low: float | None, high: float | None
) -> None:
    known = users.profit.dropna()
    ends = [None if q is None else float(np.quantile(known, q, method="linear")) for q in (low, high)]
    shown = ab(users, metrics="profit", cap={"profit": cap.replace(" ", "")}, **OPTIONS)
    result = ab(users, metrics="profit", cap={"profit": cap}, **OPTIONS)
    assert result.rows == shown.rows
    for end, wanted_end in zip(result.caps["profit"], ends, strict=True):
        assert end == (wanted_end if wanted_end is None else pytest.approx(wanted_end, rel=1e-12))
    wanted = welch(users.profit.clip(*ends), users.variant)
    assert result.row("profit")["p"] == pytest.approx(wanted, rel=1e-9)
    note = next(note for note in result.notes if "capped" in note)
    assert all(f"(the {100 * q:g} % quantile of all units)" in note for q in (low, high) if q is not None)
    assert result.row("profit")["n"] == known[users.variant == "B"].count()


def test_a_value_caps_and_both_are_named_in_the_result(users: pd.DataFrame) -> None:
    caps = {"revenue": 60, "profit": "-4:5.5"}
    result = ab(users, metrics="revenue,profit,paid", cap=caps, **OPTIONS)
    assert result.row("revenue")["p"] == pytest.approx(
        welch(users.revenue.clip(upper=60), users.variant), rel=1e-9
    )
    assert result.row("profit")["p"] == pytest.approx(
        welch(users.profit.clip(-4, 5.5), users.variant), rel=1e-9
    )
    assert result.row("paid") == {
        **ab(users, metrics="paid", **OPTIONS).row("paid"), "p_adjusted": result.row("paid")["p_adjusted"]
    }  # fmt: skip
    assert result.caps == {"revenue": (None, 60), "profit": (-4, 5.5)}
    over = users[users.revenue > 60].variant.value_counts()
    out = users[(users.profit > 5.5) | (users.profit < -4)].variant.value_counts()
    assert [note for note in result.notes if "capped" in note] == [
        f"revenue: values above 60 are capped: {over.sum()} units ({over['A']} of A, {over['B']} of B)",
        f"profit: values below -4 and above 5.5 are capped: {out.sum()} units "
        f"({out['A']} of A, {out['B']} of B)",
    ]
    assert result.to_dict()["params"]["cap"] == {"revenue": [None, 60], "profit": [-4, 5.5]}
    assert "are capped" in repr(result)


def test_the_percentile_is_not_that_of_each_variant(users: pd.DataFrame) -> None:
    """A cap of each variant by itself would hide a part of the effect."""
    own = users.groupby("variant").revenue.transform(lambda x: x.clip(upper=x.quantile(0.9)))
    pooled = users.revenue.clip(upper=users.revenue.quantile(0.9))
    found = ab(users, metrics="revenue", cap={"revenue": "90%"}, **OPTIONS).row("revenue")["p"]
    assert found == pytest.approx(welch(pooled, users.variant), rel=1e-9)
    assert found != pytest.approx(welch(own, users.variant), rel=0.01)


def test_caps_come_after_the_sum_of_the_unit() -> None:
    rng = np.random.default_rng(2)
    rows = pd.DataFrame({"who": rng.integers(0, 90, 800), "x": rng.lognormal(1, 1, 800)})
    rows["variant"] = np.where(rows.who % 2 == 0, "A", "B")
    users = rows.groupby("who").agg({"variant": "first", "x": "sum"})
    high = np.quantile(users.x, 0.95)
    result = ab(rows, metrics="x", unit="who", cap={"x": "95%"}, **OPTIONS)
    assert result.caps["x"][1] == pytest.approx(high, rel=1e-12)
    assert result.row("x")["p"] == pytest.approx(welch(users.x.clip(upper=high), users.variant), rel=1e-9)


def test_cuped_reads_the_capped_value_and_the_uncapped_one_from_before(users: pd.DataFrame) -> None:
    by_hand = users.assign(revenue=users.revenue.clip(upper=50))
    pre = {"revenue": "before"}
    wanted = ab(by_hand, metrics="revenue", pre=pre, **OPTIONS).row("revenue")
    found = ab(users, metrics="revenue", pre=pre, cap={"revenue": 50}, **OPTIONS).row("revenue")
    assert found["p"] == pytest.approx(wanted["p"], rel=1e-9)
    assert found["statistic"] == "cuped"


def test_a_ratio_reads_the_column_as_it_is(users: pd.DataFrame) -> None:
    """The cap is of the metric, not of the column."""
    plain = ab(users, metrics="revenue/visits", **OPTIONS).row("revenue/visits")
    both = ab(users, metrics="revenue,revenue/visits", cap={"revenue": 50}, **OPTIONS).row("revenue/visits")
    assert both["p"] == pytest.approx(plain["p"], rel=1e-12)


def test_a_cap_above_all_values_changes_nothing(users: pd.DataFrame) -> None:
    result = ab(users, metrics="revenue", cap={"revenue": 1e6}, **OPTIONS)
    assert result.rows == ab(users, metrics="revenue", **OPTIONS).rows
    assert "revenue: values above 1e+06 are capped: 0 units" in result.notes


def test_a_metric_without_values_has_no_cap(users: pd.DataFrame) -> None:
    result = ab(users.assign(none=np.nan), metrics="none", cap={"none": "99%"}, **OPTIONS)
    assert result.caps == {"none": (None, None)}
    assert result.row("none")["verdict"] == "not tested"


def test_a_value_caps_a_sequential_test(users: pd.DataFrame) -> None:
    found = ab(users, metrics="revenue", cap={"revenue": 50}, sequential=True, **OPTIONS).row("revenue")
    by_hand = users.assign(revenue=users.revenue.clip(upper=50))
    wanted = ab(by_hand, metrics="revenue", sequential=True, **OPTIONS).row("revenue")
    assert found["delta_upper"] == pytest.approx(wanted["delta_upper"], rel=1e-9)


@pytest.mark.parametrize(
    ("cap", "error", "message"),
    [
        ("99%", MetricError, "cap: '99%' maps no metric; write {'revenue': '99%'}"),
        ({}, MetricError, "cap: {} maps no metric"),
        ({"revnue": "99%"}, MetricError, "cap: unknown metric 'revnue'; did you mean 'revenue'?"),
        ({"revenue": "high"}, MetricError, "cap revenue: 'high' is not a cap; write '99%', a value such as"),
        ({"revenue": "1%:2%:3%"}, MetricError, "is not a cap"),
        ({"revenue": ":"}, MetricError, "is not a cap"),
        ({"revenue": None}, MetricError, "None is not a cap"),
        ({"revenue": True}, MetricError, "True is not a cap"),
        ({"revenue": float("nan")}, MetricError, "nan is not a cap"),
        ({"revenue": "100%"}, MetricError, "'100%' is not between 0% and 100%"),
        ({"revenue": "99%:1%"}, MetricError, "'99%:1%' begins above its end; write the lower end first"),
        ({"revenue": 0.99}, InputError, "values are above 0.99; a cap is for a few extreme"),
        ({"revenue": "1%"}, InputError, "for a percentile, write '99%'; it caps the highest 1 %"),
        ({"revenue": -5}, InputError, "all values are equal if those above -5 are capped"),
        ({"revenue": "60:10%"}, InputError, "begins at 60, and ends at 1.2; write the lower end first"),
        ({"rare": "99%"}, InputError, "cap rare 99%: all values are equal if those above 0 (the"),
        ({"bad": "99%"}, InputError, "column 'bad': 1 row with NaN or an infinite value"),
        ({"revenue/visits": "99%"}, UnsupportedError, "there is no cap of a ratio"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_capped_is_refused(users: pd.DataFrame, cap: Any, error: type, message: str) -> None:
    table = users.assign(rare=(np.arange(len(users)) == 7) * 3.0, bad=np.r_[np.inf, np.zeros(len(users) - 1)])
    with pytest.raises(error) as caught:
        ab(table, metrics=["revenue", "revenue/visits", "rare", "bad"], cap=cap, **OPTIONS)
    assert message in str(caught.value)


def test_a_percentile_of_a_sequential_test_is_refused(users: pd.DataFrame) -> None:
    with pytest.raises(UnsupportedError, match="a percentile moves with every look"):
        ab(users, metrics="revenue", cap={"revenue": "99%"}, sequential=True, **OPTIONS)


def test_the_command_caps(
    users: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    users.to_parquet(tmp_path / "users.parquet")
    monkeypatch.chdir(tmp_path)
    run = Command(capsys)
    command = ("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "revenue,profit")
    known = ab(users, metrics="revenue,profit", cap={"revenue": 60, "profit": "1%:99%"}, **OPTIONS)
    assert run(*command, "--cap", "revenue=60,profit=1%:99%").out == f"{known}\n"
    failed = run(*command, "--cap", "99%")
    assert (failed.code, failed.err.splitlines()[-1]) == (2, "Error: --cap '99%': write --cap METRIC=CAP")
