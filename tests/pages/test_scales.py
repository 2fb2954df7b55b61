"""Domains, labels and places of axes."""

from __future__ import annotations

import math

import pytest

from duckmetrics.pages.marks import focus, height, place, span, ticks


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-0.26, 0.26, [-0.2, 0.0, 0.2]),
        (1.0, 50.0, [10.0, 20.0, 30.0, 40.0, 50.0]),
        (0.2, 0.29, [0.2, 0.22, 0.24, 0.26, 0.28]),
        (3.0, 3.0, [3.0]),
        (math.nan, 1.0, []),
        (-1e-7, 1e-7, [-1e-7, -5e-8, 0.0, 5e-8, 1e-7]),
    ],
)
def test_labels_are_round_numbers(low: float, high: float, labels: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(labels, abs=1e-12)


def test_zero_has_no_sign_among_labels() -> None:
    assert all(math.copysign(1, label) > 0 for label in ticks(-0.3, 0.3) if label == 0)


def test_a_span_holds_all_numbers_and_a_margin() -> None:
    assert span([1.0, 3.0, None, math.nan, math.inf], 0.1) == pytest.approx((0.8, 3.2))
    assert span([]) == (0.0, 1.0)
    low, high = span([5.0])
    assert low < 5.0 < high
    low, high = span([0.0, 0.0])
    assert low < 0.0 < high


def test_one_wild_interval_does_not_flatten_the_others() -> None:
    usual = [-0.02, 0.1, 0.05, 0.08, 0.02, 0.1]
    low, high = focus([*usual, -5.0, 0.3])
    assert low == pytest.approx(-6 * 0.1)
    assert high == pytest.approx(0.3 + 0.9 * 0.06)
    assert focus(usual) == pytest.approx(span([0.0, *usual]))
    assert focus([]) == span([0.0])
    assert focus([0.0, 0.0, 3.0]) == span([0.0, 3.0])


def test_places_are_percentages() -> None:
    assert place(2.5, (0.0, 10.0)) == "25%"
    assert height(2.5, (0.0, 10.0)) == "75%"
    assert place(1 / 3, (0.0, 1.0)) == "33.33%"
    assert place(0.0, (0.0, 1.0)) == "0%"
