"""`ab` finds rows that are not units: several rows of a user, users in several variants, copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import duckmetrics
from duckmetrics.statistics.arms import unit_column
from support.command_line import Command

PEOPLE = Path(__file__).parents[1] / "data" / "people"
SESSIONS, SHARED = PEOPLE / "sessions_of_users.parquet", PEOPLE / "users_in_two_variants.parquet"
VARIANTS = {"variant": "variant", "control": "A"}


def of_users() -> float:
    """Return the p of the sum of each user, by Welch's test of scipy."""
    users = pd.read_parquet(SESSIONS).groupby("user_id").agg({"variant": "first", "revenue": "sum"})
    arms = [users.revenue[users.variant == name] for name in "AB"]
    return float(scipy.stats.ttest_ind(*arms, equal_var=False).pvalue)


def test_several_rows_of_a_user_give_no_verdict_and_the_option_that_does() -> None:
    """100 users with 20 rows each: p of the rows is below 0.0001, p of the users is 0.122."""
    result = duckmetrics.ab(str(SESSIONS), metrics="revenue", **VARIANTS)
    assert (result.row("revenue")["verdict"], result.row("revenue")["reason"]) == (
        "not tested", "rows are not units",
    )  # fmt: skip
    (warned,) = result.warnings
    assert warned.startswith("rows are not units: user_id has 20.00 rows per value (100 values)")
    assert result.verdicts == {"B": "No verdict on B: rows are not units"}
    assert warned.endswith('as in unit="user_id" (--unit "user_id"). No verdict is given')
    assert result.detectable == {}
    again = duckmetrics.ab(str(SESSIONS), metrics="revenue", unit="user_id", **VARIANTS)
    assert again.warnings == ()
    assert again.row("revenue")["p"] == pytest.approx(of_users(), rel=1e-9)
    assert again.row("revenue")["p"] == pytest.approx(0.122, abs=5e-4)


def test_users_in_several_variants_are_named_and_left_out_by_the_advice() -> None:
    result = duckmetrics.ab(str(SHARED), metrics="rev", **VARIANTS)
    frame = pd.read_parquet(SHARED)
    arms = frame.groupby("user").variant.nunique()
    (warned,) = (text for text in result.warnings if "variants" in text)
    assert warned.startswith(
        f"units are in several variants: {(arms > 1).sum()} of {len(arms)} values of user are in several"
    )
    assert result.row("rev")["verdict"] == "not tested"
    assert 'unit="user" and shared_units="drop" (--unit "user" --shared-units drop)' in warned
    again = duckmetrics.ab(str(SHARED), metrics="rev", unit="user", shared_units="drop", **VARIANTS)
    assert sum(again.sample_ratio.observed.values()) == (arms == 1).sum()


def test_rows_that_are_there_twice_are_found_with_and_without_a_column_of_units() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"variant": ["A", "B"] * 50, "revenue": rng.normal(0, 1, 100).round(3)})
    twice = pd.concat([frame, frame])
    assert duckmetrics.ab(frame, metrics="revenue", **VARIANTS).warnings == ()
    result = duckmetrics.ab(twice, metrics="revenue", **VARIANTS)
    assert result.warnings[0].startswith("rows are copies: each of 100 different rows is there an even")
    assert result.row("revenue")["verdict"] == "not tested"
    named = twice.assign(user_id=[*range(100), *range(100)])
    (warned,) = duckmetrics.ab(named, metrics="revenue", **VARIANTS).warnings
    assert warned.startswith("rows are copies: user_id has 2.00 rows per value (100 values)")


def test_few_shared_users_are_a_warning_beside_the_verdict() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"user_id": [*range(1000), 0], "variant": ["A", "B"] * 500 + ["B"],
                          "revenue": rng.normal(0, 1, 1001) + np.array([*[0, 9] * 500, 0])})  # fmt: skip
    result = duckmetrics.ab(frame, metrics="revenue", **VARIANTS)
    assert result.row("revenue")["verdict"] == "better"
    (warned,) = result.warnings
    assert "1 of 1,000 values of user_id is in several variants, such as 0" in warned
    assert "No verdict" not in warned


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("userId variant revenue", "userId"), ("session_id user_id variant", "user_id"),
        ("variant session_id", "session_id"), ("variant user_pseudo_id", "user_pseudo_id"),
        ("variant id country member", None), ("variant item_id order_id", None),
        ("variant users unit", "unit"),
    ],
)  # fmt: skip
def test_names_of_columns_that_identify_units(columns: str, found: str | None) -> None:
    assert unit_column(columns.split(), ["variant"]) == found
    assert unit_column(columns.split(), ["variant", str(found)]) in (None, "session_id")


def test_units_without_a_value_do_not_count_for_the_smallest_change() -> None:
    """The smallest change of a metric with 30 of 200 values is that of 30 units."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"variant": ["A", "B"] * 100, "all": rng.normal(0, 1, 200)})
    frame["few"] = frame["all"].where(frame.index < 30)
    shown = repr(duckmetrics.ab(frame, metrics="all,few", **VARIANTS))
    assert "Smallest change that 200 units would show (power 0.8): all 0." in " ".join(shown.split())
    assert "; 30 units: few" in " ".join(shown.split())


def test_the_command_warns(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = Command(capsys)(
        "ab", str(SESSIONS), "--variant", "variant", "--control", "A", "-m", "revenue"
    )
    assert code == 0
    assert "rows are not units: user_id has 20.00 rows per value" in " ".join(out.split()), err
