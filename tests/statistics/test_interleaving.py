"""Interleaving: the example of a textbook, lists by hand, scipy, and users."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

import duckmetrics
from duckmetrics import InputError
from support.cases import ROOT

pytestmark = pytest.mark.engine

TEXTBOOK = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))[
    "interleaving_team_draft"
]
NAMES = ("impression_id", "system", "clicked", "rank", "place", "user")


def preferred(rows: list[tuple[Any, ...]], **params: Any) -> dict[str, Any]:
    columns = zip(*rows, strict=True)
    table = pa.table({name: pa.array(column) for name, column in zip(NAMES, columns, strict=False)})
    (row,) = duckmetrics.run_test("interleaving", table, baseline="A", **params).rows
    return row


@pytest.mark.slow
def test_team_draft_of_the_textbook() -> None:
    sessions, expected = TEXTBOOK["inputs"]["clicks_A_B_per_session"], TEXTBOOK["expected"]
    rows = [(i, system, n) for i, both in enumerate(sessions) for system, n in zip("BA", both, strict=True)]
    row = preferred(rows)
    assert (row["wins"], row["losses"], row["ties"]) == (
        expected["wins_A"], expected["wins_B"], expected["ties"]
    )  # fmt: skip
    assert row["delta"] == pytest.approx(expected["delta_AB"], rel=1e-12)
    assert row["p"] == pytest.approx(expected["sign_test_p"], rel=1e-12)
    clicked = preferred(rows, unclicked="skip")
    assert clicked["delta"] == pytest.approx(expected["delta_AB_excl_no_click"], rel=1e-12)
    assert clicked["p"] == row["p"]


# The rankings (a, b, c, d) and (b, e, a, f), mixed to a, b, e, c, d, f.
RANKS = {"A": "abcd", "B": "beaf"}
SHOWN = "abecdf"


def balanced(impression: int, clicks: str) -> list[tuple[Any, ...]]:
    return [
        (impression, system, int(item in clicks), ranked.index(item) + 1, SHOWN.index(item) + 1)
        for system, ranked in RANKS.items() for item in ranked
    ]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("clicks", "winner"),
    # The last click e has rank 2 in B: the first two items of A have one click, those of B two.
    [("be", "wins"), ("a", "losses"), ("b", "wins"), ("ab", "ties"), ("", "ties"), ("c", "losses")],
)
def test_balanced_by_hand(clicks: str, winner: str) -> None:
    row = preferred(balanced(1, clicks), method="balanced")
    assert {name: row[name] for name in ("wins", "ties", "losses")} == {
        name: int(name == winner) for name in ("wins", "ties", "losses")
    }


def test_users_are_the_units() -> None:
    source = np.random.default_rng(5)
    users = np.repeat(np.arange(25), source.geometric(0.3, 25))
    values = np.sign(source.normal(0.4, 1, len(users)) + source.normal(size=25)[users])
    values[source.random(len(users)) < 0.2] = 0
    rows = [
        (i, system, int(value == sign), None, None, f"u{user}")
        for i, (user, value) in enumerate(zip(users, values, strict=True))
        for system, sign in (("A", -1), ("B", 1))
    ]
    row = preferred([(*r[:3], 1, 1, r[5]) for r in rows], columns={"cluster_id": "user"})
    sums, sizes = np.bincount(users, values / 2), np.bincount(users)
    without = (sums.sum() - sums) / (sizes.sum() - sizes)
    error = math.sqrt(24 / 25 * ((without - without.mean()) ** 2).sum())
    df = sizes.sum() ** 2 / (sizes**2).sum() - 1
    delta = sums.sum() / sizes.sum()
    low, high = scipy.stats.t.interval(0.95, df, delta, error)
    assert (row["n_units"], row["n_effective"]) == (25, pytest.approx(df + 1))
    assert (row["delta_lower"], row["delta_upper"]) == pytest.approx((low, high), rel=1e-9)
    assert row["p"] == pytest.approx(2 * scipy.stats.t.sf(abs(delta / error), df), rel=1e-9)


@pytest.mark.slow
def test_balanced_needs_ranks_and_places() -> None:
    table = pa.table({"impression_id": [1, 1], "system": ["A", "B"], "clicked": [0, 1]})
    found = duckmetrics.run_test("interleaving", table, baseline="A", method="balanced")
    assert found.rows == ()
    assert "no rows" in found.warnings[0]


@pytest.mark.slow
def test_a_baseline_must_be_one_of_the_teams() -> None:
    table = pa.table({"impression_id": [1, 1], "system": ["A", "B"], "clicked": [0, 1]})
    with pytest.raises(InputError, match="baseline 'C' is no system; there are A and B"):
        duckmetrics.run_test("interleaving", table, baseline="C")
