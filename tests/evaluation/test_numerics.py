"""The digits of probability metrics where doubles round: near 0 and 1, in 32 bits, with rare classes."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics

pytestmark = pytest.mark.engine

NEAR_ZERO = [5e-324, 1e-300, 1e-17, 1e-16, 3e-16, 1e-15, 1.1e-12, 1e-12, 3e-9, 1e-5, 0.1, 1 / 3]
NEAR_ONE = [1 - 2**-53, 1 - 1e-15, 1 - 1e-12, 1 - 3e-9, 1 - 1e-5, 0.9, 2 / 3]
DIGITS = 4e-16


def ln(x: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return x.ln()


def surprise(p: float, label: int) -> float:
    """Return -ln of the label's probability to 60 digits, then rounded; the double p is exact."""
    with localcontext() as context:
        context.prec = 400
        of_label = Decimal(p) if label else 1 - Decimal(p)
        return float(-ln(of_label)) if of_label != 1 else 0.0


def by_row(rows: list[tuple[float, int]], spec: str, type_: Any = None) -> dict[int, float | None]:
    """Return the value of every row alone: row number -> value."""
    table = pa.table(
        {
            "score": pa.array([p for p, _ in rows], type_ or pa.float64()),
            "label": [label for _, label in rows],
            "row": list(range(len(rows))),
        }
    )
    result = duckmetrics.evaluate(table, None, spec, by="row")
    return {row["row"]: row["value"] for row in result.rows if row["slice"] == "row"}


def test_log_loss_keeps_its_digits() -> None:
    rows = [(p, label) for p in (*NEAR_ZERO, *NEAR_ONE) for label in (0, 1)]
    for number, value in by_row(rows, "log_loss(eps=0)").items():
        p, label = rows[number]
        assert value is not None
        # ln(1 - p) of a denormal p is -p.
        assert value == pytest.approx(surprise(p, label), rel=DIGITS, abs=0), (p, label)


def test_log_loss_of_float32_is_that_of_the_same_double() -> None:
    """A clip in 32 bits turns 1 - 1e-15 into 1, and the loss into infinity."""
    rows = [(float(np.float32(p)), label) for p in (1e-20, 1e-7, 0.1, 0.7, 1 - 2**-24) for label in (0, 1)]
    narrow, wide = (by_row(rows, "log_loss", type_) for type_ in (pa.float32(), pa.float64()))
    assert narrow == wide
    for number, value in narrow.items():
        p, label = rows[number]
        assert value == pytest.approx(surprise(min(max(p, 1e-15), 1 - 1e-15), label), rel=DIGITS, abs=0)


@pytest.mark.some(1)
@pytest.mark.parametrize("type_", [pa.float32(), pa.float64()], ids=str)
def test_log_loss_of_certainties_is_that_of_the_clip(type_: Any) -> None:
    rows = [(1.0, 0), (0.0, 1), (1.0, 1), (0.0, 0)]
    expected = [34.53957599234088, 34.538776394910684, 9.992007221626415e-16, 1.0000000000000005e-15]
    for number, value in by_row(rows, "log_loss", type_).items():
        assert value == pytest.approx(expected[number], rel=DIGITS, abs=0), rows[number]
    assert by_row(rows, "log_loss(eps=0)", type_) == {0: math.inf, 1: math.inf, 2: 0, 3: 0}


def test_log_loss_of_one_wrong_certainty_is_infinite_without_a_clip() -> None:
    rows = "SELECT i % 2 AS label, CASE WHEN i = 7 THEN 0.0 ELSE 0.5 END AS score FROM range(100) AS _(i)"
    infinite = {"log_loss(eps=0)": math.inf, "normalized_entropy(eps=0)": math.inf, "rig(eps=0)": -math.inf}
    for spec, value in infinite.items():
        (row,) = duckmetrics.evaluate(rows, None, spec).rows
        assert row["value"] == value, spec
        assert row["reason"].startswith("a wrong probability is 0 or 1, with eps=0"), spec


@pytest.mark.some(1)
@pytest.mark.parametrize("rare", [0, 1])
@pytest.mark.parametrize("weight", [1e15, 1e9, 3.0])
def test_the_entropy_of_a_rare_class_keeps_its_digits(rare: int, weight: float) -> None:
    rows = f"SELECT * FROM (VALUES ({rare}, 1e0), ({1 - rare}, {weight}::DOUBLE - 1)) AS _(label, weight)"
    table = f"SELECT label, weight, 0.5 AS score FROM ({rows})"
    result = duckmetrics.evaluate(table, None, ["base_entropy", "normalized_entropy"])
    with localcontext() as context:
        context.prec = 60
        c = 1 / Decimal(weight)
        entropy = float(-(c * ln(c) + (1 - c) * ln(1 - c)))
    assert result["base_entropy"] == pytest.approx(entropy, rel=1e-15, abs=0)
    assert result["normalized_entropy"] == pytest.approx(math.log(2) / entropy, rel=1e-15, abs=0)
    given = duckmetrics.evaluate(table, None, f"base_entropy(base_rate={1 / weight})")
    assert given.rows[0]["value"] == pytest.approx(entropy, rel=1e-15, abs=0)


@pytest.mark.slow
def test_means_of_many_rows() -> None:
    """The sums are plain, but twelve digits of hundreds of thousands of rows are right."""
    period, times = 3 * 10007, 10
    rows = f"""SELECT i % 3 = 0 AS label, (i * 7919 % 10007) / 10007e0 AS score
        FROM range({period * times}) AS _(i)"""
    result = duckmetrics.evaluate(rows, None, ["brier", "mae", "calibration_ratio"])
    pairs = [(Fraction((i * 7919 % 10007) / 10007), int(i % 3 == 0)) for i in range(period)]
    expected = {
        "brier": sum((p - y) ** 2 for p, y in pairs) / period,
        "mae": sum(abs(p - y) for p, y in pairs) / period,
        "calibration_ratio": sum(p for p, _ in pairs) / sum(y for _, y in pairs),
    }
    for spec, value in expected.items():
        assert result[spec] == pytest.approx(float(value), rel=1e-12), spec


def test_scores_of_integers_and_decimals_are_doubles() -> None:
    wide = "SELECT i % 2 AS label, 9007199254740993 + (i % 3) AS score FROM range(9) AS _(i)"
    assert duckmetrics.evaluate(wide, None, "auc").rows[0]["value"] is not None
    decimals = "SELECT i % 2 AS label, (i / 10)::DECIMAL(3, 2) AS score FROM range(9) AS _(i)"
    doubles = "SELECT i % 2 AS label, i / 10e0 AS score FROM range(9) AS _(i)"
    specs = ["auc", "log_loss", "ece"]
    found, expected = (duckmetrics.evaluate(rows, None, specs) for rows in (decimals, doubles))
    assert [found[spec] for spec in specs] == [expected[spec] for spec in specs]
