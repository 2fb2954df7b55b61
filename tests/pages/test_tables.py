"""Tables of changes and values, titles, and the drawings that the headers of tables name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duckmetrics.pages import changes, tables, values
from duckmetrics.pages.changes import Change
from duckmetrics.pages.chart import Ids
from duckmetrics.pages.curves import at_k
from support.cases import CATALOG

ROC = [{"fpr": 0.0, "tpr": 0.5, "area": 0.0}, {"fpr": 1.0, "tpr": 1.0, "area": 0.75}]


def row(metric: str = "ndcg@10", **more: Any) -> dict[str, Any]:
    """Return a row of a comparison with a baseline of 0.5."""
    usual = {
        "metric": metric, "system": None, "slice": "", "value": 0.6, "lower": 0.5, "upper": 0.7, "n": 100,
        "n_units": None, "delta": 0.1, "delta_lower": 0.05, "delta_upper": 0.15, "verdict": "better",
    }  # fmt: skip
    made = {**usual, **more}
    relative = {f"relative_{end}": made[f"delta_{end}"] / 0.5 for end in ("lower", "upper")}
    return {"relative_change": made["delta"] / 0.5, **relative, **made}


def change() -> Change:
    return Change("ndcg@10", row(), 0.5, 1)


def test_of_two_systems_the_title_says_which_one_is_above_and_by_how_much() -> None:
    def title(*new: float) -> str:
        at = [[{"k": k, "value": v} for k, v in zip((1, 5, 10), vs, strict=True)] for vs in ((1, 2, 3), new)]
        rows = [[{**row, "lower": None, "upper": None} for row in own] for own in at]
        return at_k("rank", {"A": rows[0], "B": rows[1]}).title

    assert title(2, 2.5, 4) == "rank of B is above A at every cut-off from 1 to 10, by 0.500 to 1.000"
    assert title(0.5, 1.5, 2.5) == "rank of B is below A at every cut-off from 1 to 10, by 0.500"
    assert title(1, 2, 4) == "rank of B is above A at 1 of 3 cut-offs from 1 to 10"
    assert title(0, 1, 4) == "rank of B is below A at 2 of 3 cut-offs from 1 to 10"


def test_a_page_has_the_intervals_as_numbers_and_a_picture_has_room_for_the_marks_only() -> None:
    own = replace(change(), row=row(system="B"))
    picture = changes.intervals("A", {"ndcg@10": [own]}, 0.9)
    shown = picture.drawing.html(Ids(), "", "")
    assert "90 % interval</th>" in shown
    assert "+10.0% to +30.0%</td>" in shown
    assert "interval" not in picture.drawing.standalone(0).shapes
    lower = replace(change(), direction=-1, row=row(delta=-0.1, delta_lower=-0.15, delta_upper=-0.05))
    assert "−30.0% to −10.0%</td>" in changes.forest("metric", [("", [lower])]).table("t")
    assert 'class="ci"' not in values.intervals([row(lower=None, upper=None)]).drawing.html(Ids(), "", "")


def test_a_change_without_a_relative_interval_has_that_of_the_difference() -> None:
    bare = Change("m", row(relative_change=None, relative_lower=None, relative_upper=None), 0.5, 1)
    assert bare.relative == pytest.approx((0.2, 0.1, 0.3))
    assert Change("m", bare.row, 0.0, 1).relative == (None, None, None)


def test_a_target_is_missed_most_where_the_axis_shows_it() -> None:
    rows = [row("ratio"), *(row("ratio", slice="day", value=value, day=value) for value in (0.5, 1.6))]
    picture = values.slices("ratio", rows, lambda r: f"day {r.get('day')}", 1.0)
    assert picture.title == "ratio aims at 1: farthest in day 1.6, 1.60"


def test_every_drawing_of_tables_is_named_by_a_header() -> None:
    assert sorted(drawing for drawing, _ in CATALOG.charts.values()) == sorted(tables.DRAWINGS)
    in_order = [t for several in (False, True) for t in tables.in_order(CATALOG.charts, of_classes=several)]
    assert [CATALOG.charts[name][0] for name in in_order] == list(tables.DRAWINGS)
    for name, (drawing, params) in CATALOG.charts.items():
        table = CATALOG.find_table(name)
        assert set(params) <= set(CATALOG.params(table))
        assert set(tables.DRAWINGS[drawing].columns) <= set(table.query.named_selects)


def test_a_table_of_one_class_has_no_numbers_to_draw() -> None:
    assert tables.has_numbers("roc", [ROC, ROC])
    assert not tables.has_numbers("roc", [ROC, [{**one, "tpr": None} for one in ROC]])
    assert not tables.has_numbers("roc", [ROC, []])
