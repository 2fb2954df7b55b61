"""Lines, bands and bars in a box of 1000 by 1000."""

from __future__ import annotations

import pytest

from duckmetrics.pages.marks import band, bars, line, path, stretched
from support.drawings import parsed, points

XD, YD = (0.0, 10.0), (-1.0, 1.0)


def test_a_line_goes_through_its_points() -> None:
    drawn = parsed(line([(0, -1), (5, 0), (10, 1)], "s1", XD, YD))
    assert drawn.get("class") == "line s1"
    assert points(drawn) == [pytest.approx(point) for point in ((0, 0), (0.5, 0.5), (1, 1))]


def test_points_outside_lie_on_the_edge_and_equal_ones_are_one() -> None:
    assert path([(-5, 5), (5, 0), (5, 0), (50, -50)], XD, YD) == "M0 0 500 500 1000 1000"


def test_one_point_is_a_line_of_two_and_none_is_nothing() -> None:
    assert path([(5, 0)], XD, YD) == "M500 500 500 500"
    assert line([], "s0", XD, YD) == band([], "s0", XD, YD) == bars([], "pos", XD, YD) == ""


def test_a_band_goes_there_along_the_upper_ends_and_back_along_the_lower() -> None:
    drawn = band([(0, -0.5, 0.5), (10, 0, 1)], "s1", XD, YD)
    assert 'd="M0 250 1000 0 1000 500 0 750Z"' in drawn


def test_bars_of_a_class_are_one_path() -> None:
    assert bars([(0, 5, 0, 1)], "pos", XD, YD) == '<path class="bar pos" d="M0 500H500V0H0Z"/>'
    two = bars([(0, 5, 0, 1), (5, 10, 0, -1)], "neg", XD, YD)
    assert two == '<path class="bar neg" d="M0 500H500V0H0ZM500 500H1000V1000H500Z"/>'


def test_the_box_fills_the_plot() -> None:
    box = parsed(stretched(line([(0, 0), (10, 1)], "s1", XD, YD)))
    assert (box.get("viewBox"), box.get("width"), box.get("height")) == ("0 0 1000 1000", "100%", "100%")
    assert box.get("preserveAspectRatio") == "none"
