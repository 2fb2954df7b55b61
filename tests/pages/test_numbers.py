"""Numbers as a person reads them."""

from __future__ import annotations

import math

import pytest

from duckmetrics.pages.marks import digits_of, number, percent, plain, short, whole


@pytest.mark.parametrize(
    ("x", "digits", "sign", "text"),
    [
        (1234.5, 1, False, "1,234.5"),
        (-0.25, 2, False, "−0.25"),
        (0.25, 2, True, "+0.25"),
        (-0.0001, 2, True, "0.00"),
        (0.0, 1, True, "0.0"),
        (None, 3, False, "–"),
        (math.nan, 3, False, "–"),
        (math.inf, 3, False, "∞"),
        (math.inf, 3, True, "+∞"),
        (-math.inf, 3, False, "−∞"),
        (1e-9, 3, False, "0.000"),
    ],
)
def test_a_number(x: float | None, digits: int, sign: bool, text: str) -> None:
    assert number(x, digits, sign) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.1234, "+12.3%"), (-0.005, "−0.5%"), (1.0, "+100%"), (-1.38, "−138%"), (None, "–"), (0.0, "0.0%")],
)
def test_a_percentage(x: float | None, text: str) -> None:
    assert percent(x) == text


def test_a_percentage_without_a_sign() -> None:
    assert percent(0.537, False) == "53.7%"
    assert percent(math.nan) == "–"


@pytest.mark.parametrize(
    ("half", "digits"),
    [
        (0.5, 2),
        (0.05, 3),
        (0.0123, 3),
        (0.00123, 4),
        (1e-9, 4),
        (12.0, 2),
        (0.0, 4),
        (None, 4),
        (math.inf, 4),
    ],
)
def test_two_digits_of_the_half_width_are_kept(half: float | None, digits: int) -> None:
    assert digits_of(half) == digits


def test_labels_of_axes() -> None:
    assert [short(x) for x in (-0.025, 0.0, 0.05)] == ["−2.5%", "0", "+5%"]
    assert [plain(x) for x in (-0.5, 0.0, 0.25, 1234.0)] == ["−0.5", "0", "0.25", "1,234"]
    assert [whole(x) for x in (0.0, 0.2, -0.1)] == ["0%", "20%", "−10%"]
