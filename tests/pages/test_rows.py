"""Rows of a forest plot: where the interval, the mark and the lines lie."""

from __future__ import annotations

import math

import pytest

from duckmetrics.pages.forest import axis, interval, values
from duckmetrics.pages.marks import MARKS
from duckmetrics.words.verdicts import SIGNS
from support.drawings import Mark, marks, of_class, parsed, percentage, segment

DOMAIN = (-0.1, 0.3)


def at(x: float) -> float:
    """Return the place of a number in percent of the width."""
    return 100 * (x - DOMAIN[0]) / (DOMAIN[1] - DOMAIN[0])


@pytest.mark.parametrize("verdict", MARKS)
def test_an_interval_lies_where_its_numbers_are(verdict: str) -> None:
    row = parsed(interval(0.1, 0.05, 0.2, verdict, DOMAIN, guide=0.15))
    assert row.get("aria-hidden") == "true"
    (zero,), (guide,), (ci,) = (of_class(row, "line", kind) for kind in ("zero", "guide", "ci"))
    assert segment(zero) == pytest.approx((at(0), at(0)))
    assert segment(guide) == pytest.approx((at(0.15), at(0.15)))
    assert segment(ci) == pytest.approx((at(0.05), at(0.2)))
    assert marks(row) == [Mark(MARKS[verdict], pytest.approx(at(0.1)))]


def test_the_marks_of_verdicts_differ_in_shape() -> None:
    assert len(set(MARKS.values())) == len(MARKS)
    assert set(SIGNS) == {*MARKS, "baseline"}
    assert len(set(SIGNS.values())) == len(SIGNS)


def test_an_interval_that_leaves_the_axis_is_cut_with_an_arrow() -> None:
    row = parsed(interval(0.2, -0.5, 0.9, "better", DOMAIN))
    assert segment(of_class(row, "line", "ci")[0]) == (0, 100)
    assert [m.shape for m in marks(row)] == ["left", "right", "up"]
    assert [m.x for m in marks(row)][:2] == [0, 100]


@pytest.mark.parametrize(("x", "arrow", "edge", "inside"), [(-2.0, "left", 0, 4), (2.0, "right", 100, 96)])
def test_a_value_outside_of_the_axis_is_next_to_an_arrow(
    x: float, arrow: str, edge: float, inside: float
) -> None:
    for ends in ((x - 1, x + 1), (None, None)):
        found = marks(parsed(interval(x, *ends, "worse", DOMAIN)))
        assert Mark("down", inside) in found
        assert Mark(arrow, edge) in found


def test_infinite_ends_are_arrows_and_nan_is_no_interval() -> None:
    row = parsed(interval(0.1, -math.inf, math.inf, "better", DOMAIN))
    assert [m.shape for m in marks(row)] == ["left", "right", "up"]
    assert of_class(parsed(interval(0.1, math.nan, 0.2, "better", DOMAIN)), "line", "ci") == []


def test_without_a_value_only_the_lines_are_drawn() -> None:
    row = parsed(interval(None, None, None, "not tested", DOMAIN, guide=0.1))
    assert marks(row) == []
    assert len(list(row.iter("line"))) == 2
    assert marks(parsed(interval(math.nan, 0.0, 0.1, "better", DOMAIN))) == []


def test_a_zero_line_outside_of_the_axis_is_not_drawn() -> None:
    assert of_class(parsed(interval(0.5, 0.4, 0.6, "better", (0.3, 0.7))), "line", "zero") == []


def test_values_of_two_systems_are_below_each_other_around_the_target() -> None:
    row = parsed(
        values([(0.1, 0.0, 0.2, "s0"), (0.2, None, None, "s1"), (None, None, None, "s1")], DOMAIN, 0.05)
    )
    assert segment(of_class(row, "line", "zero")[0]) == pytest.approx((at(0.05), at(0.05)))
    before, after = of_class(row, "g", "s0")[0], of_class(row, "g", "s1")[0]
    assert marks(before) == [Mark("ring", pytest.approx(at(0.1)))]
    assert marks(after) == [Mark("dot", pytest.approx(at(0.2)))]
    assert len(of_class(row, "line", "ci")) == 1
    heights = [float(g.find("svg").get("y", "")) for g in (before, after)]  # type: ignore[union-attr]
    assert heights[0] < heights[1]


def test_labels_stand_at_their_numbers() -> None:
    labels = {label.text: percentage(label.get("x")) for label in parsed(axis(DOMAIN)).iter("text")}
    assert labels == {
        "−10%": 0,
        "0": pytest.approx(at(0)),
        "+10%": 50,
        "+20%": pytest.approx(at(0.2)),
        "+30%": 100,
    }
