"""The page: valid, closed to the network, escaped, the same twice, small, with its numbers as JSON."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import pytest

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.pages.report import render
from duckmetrics.pages.report_model import AtCutoff, Metric, Mover, ReportData, Row
from support.reports import (
    HOSTILE,
    LOSS,
    NDCG,
    RATIO,
    SIZE,
    Page,
    compared,
    in_slice,
    large,
    row,
    with_charts,
)

HEADINGS = ("h1", "h2", "h3")
MOVERS = (Mover("gain", "q<1>", 0.1, 0.9, 0.8), Mover("loss", "q2", 0.9, 0.1, -0.8))


def ranking() -> ReportData:
    data = compared(row(), in_slice("JP", "worse", 0.1), in_slice("DE", "better", 0.3))
    return replace(
        with_charts(data), movers=MOVERS, signatures=("ndcg@10|k:10",), sql="SELECT 1 < 2\n", rule="t"
    )


def classifier() -> ReportData:
    metrics = (LOSS, RATIO)
    rows = [
        row(metric=metric, before=1.2, value=1.1, by=by, segment=segment)
        for metric in metrics for by, segment in (((), ()), (("country",), ("JP",)), (("country",), ("DE",)))
    ]  # fmt: skip
    return with_charts(compared(*rows, metrics=metrics, kind=CLASSIFICATION))


def values() -> ReportData:
    data = ranking()
    rows = tuple(one for one in data.rows if one.system == "new")
    return with_charts(replace(data, baseline=None, systems=("new",), rows=rows, movers=()))


PAGES = {
    "ranking": ranking, "classifier": classifier, "values": values, "many": lambda: large(4, 3, 2),
    "one row": lambda: compared(row()), "nothing": lambda: compared(row(value=None, verdict="not tested")),
    "from 0": lambda: compared(row(before=0.0, value=0.0, verdict="unclear")),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_the_structure_is_valid(name: str) -> None:
    page = Page(render(PAGES[name]()))
    assert page.open == []
    assert len(page.all("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if tag in HEADINGS]
    assert levels[0] == 1
    assert all(later - before <= 1 for before, later in itertools.pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]
    assert len(set(ids)) == len(ids)
    tables = re.findall(r"<table.*?</table>", page.html, re.DOTALL)
    for table in tables:
        assert 'scope="col"' in table.partition("</thead>")[0]
        assert 'scope="row"' in table
    assert page.drawings() or name in ("nothing", "from 0")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_shown_as_a_word_of_python(name: str) -> None:
    page = Page(render(PAGES[name]()))
    assert not re.search(r"\b(nan|inf|None|True|False|Undefined)\b", page.shown)


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    page = Page(render(ranking()))
    policy = next(one for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert [one["type"] for one in page.all("script")] == ["application/json"]
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "href", "onload", "onclick", "action"}
    assert "url(" not in page.html
    assert "@import" not in page.html


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped_in_texts_drawings_and_json(name: str) -> None:
    data = ranking()
    systems = {"new": name, "old": "old"}
    rows = tuple(
        replace(one, system=systems[one.system], segment=(name,) * len(one.segment)) for one in data.rows
    )
    rows = tuple({(one.system, one.key): one for one in rows}.values())
    renamed = replace(
        data, systems=("old", name), rows=rows, title=name, unit=name, sources=(name,), sql=name,
        signatures=(name,), notes=(name,),
    )  # fmt: skip
    page = Page(render(with_charts(renamed)))
    assert page.open == []
    assert len(page.all("h1")) == 1
    assert len(page.all("script")) == 1
    assert page.drawings()
    assert page.numbers["systems"][1] == name
    seen = name.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b").replace("\x00", "\\x00")
    assert seen in page.text("h1")
    hidden = re.findall(r"[\x00-\x08\x0b-\x1f\u202e]", page.html.partition("<script")[0])
    assert hidden == []


def test_the_json_has_the_rows_by_place() -> None:
    data = ranking()
    found = Page(render(data)).numbers
    rows = found["rows"]
    for i, expected in enumerate(data.rows):
        where = found["slices"][rows["slice"][i]]
        assert found["systems"][rows["system"][i]] == expected.system
        assert found["metrics"][rows["metric"][i]]["name"] == expected.metric
        assert (tuple(where["by"]), tuple(where["segment"])) == expected.key
        for name in ("value", "delta", "relative_lower", "p_adjusted"):
            value = getattr(expected, name)
            assert rows[name][i] == (value if value is None else pytest.approx(value, rel=1e-5))
        assert rows["verdict"][i] == expected.verdict


def test_the_same_data_give_the_same_bytes() -> None:
    assert render(ranking()) == render(ranking())


def test_numbers_that_json_lacks_are_text() -> None:
    data = compared(row())
    rows = tuple(replace(one, p_adjusted=float("nan"), delta_upper=float("inf")) for one in data.rows)
    found = Page(render(replace(data, rows=rows))).numbers
    assert found["rows"]["delta_upper"] == ["inf", "inf"]


def test_ten_systems_metrics_and_slices_stay_below_500_kilobytes() -> None:
    names = tuple(name[:60] for name in HOSTILE)
    assert len(render(with_charts(large(10, 10, 10, names))).encode()) < 500_000


@pytest.mark.slow
def test_of_many_slices_the_worst_and_the_best_are_shown() -> None:
    rows = [in_slice(f"s{i}", "unclear", 0.1 + i / 1e5) for i in range(10_000)]
    page = Page(render(compared(row(), *rows)))
    text = "Of 10,000 slices, the 20 worst and the 20 best are shown; the 9,960 in between are left out."
    assert text in page.shown
    assert page.html.count("country s0<") >= 1
    assert "country s5000" not in page.html
    assert "country s9999" in page.html
    assert len(page.numbers["slices"]) == 41
    assert len(page.html) < 200_000


def test_two_hundred_slices_are_all_shown() -> None:
    rows = [in_slice(f"s{i}", "unclear", 0.1 + i / 1e5) for i in range(200)]
    page = Page(render(compared(row(), *rows)))
    assert "left out" not in page.shown
    assert len(page.numbers["slices"]) == 201


def test_the_marks_of_verdicts_are_signs_words_and_shapes() -> None:
    verdicts = {"better": "▲", "worse": "▼", "unclear": "○", "different": "◆", "not tested": "–"}
    for verdict, sign in verdicts.items():
        assert f"{sign} {verdict}</td>" in render(compared(row(verdict=verdict)))


def test_right_is_better_also_where_lower_values_are() -> None:
    html = render(compared(row(metric=LOSS, before=0.5, value=0.4, half=0.01), metrics=(LOSS,)))
    assert "0.500 → 0.400" in html
    assert '<td role="cell" class="n c better">−20.0%</td>' in html
    assert "−22.0% to −18.0%" in html


def test_charts_are_drawn_from_their_numbers() -> None:
    shown = Page(render(ranking()))
    assert "ndcg of new is above old at every cut-off from 1 to 3, by 0.111" in shown.shown
    assert "60.0% of the users gain, 30.0% lose" in shown.shown
    shown = Page(render(classifier()))
    assert "ROC: area 0.800 of new, 0.800 of old" in shown.shown
    assert "Precision and recall: average precision 0.600 of new" in shown.shown
    assert "Gains: positives in the top 20% of the rows: 50.0% of new" in shown.shown
    seen = "Calibration of new: 1 of 2 bins are off by more than chance, most: predicted 0.20, observed 0.10"
    assert seen in shown.shown
    assert "Scores by class: overlap 46.7% of new" in shown.shown
    assert "calibration_ratio of new aims at 1: farthest in JP, 1.10" in shown.shown


def test_the_curve_by_cutoff_ends_where_the_lists_end() -> None:
    data, values = ranking(), {1: 0.1, 10: 0.2, 20: 0.3, 30: 0.3, 50: 0.3}
    points = tuple(AtCutoff(name, k, value + place / 9) for place, name in enumerate(data.systems)
                   for k, value in values.items())  # fmt: skip
    page = Page(render(replace(data, pictures=replace(data.pictures, at_k=points))))
    assert "ndcg of new is above old at every cut-off from 1 to 20, by 0.111" in page.shown


def test_a_chart_without_numbers_is_left_out() -> None:
    page = Page(render(compared(row())))
    assert page.all("figure") == []
    assert "How the lists differ" not in page.shown


def test_findings_have_their_share_examples_and_advice() -> None:
    page = Page(render(ranking()))
    assert "3 of 10 (30.0%) rows are <odd>." in page.shown
    assert "p.parquet, such as q=1; q=2." in page.shown
    assert "look." in page.shown
    assert "12 checks looked at 10 predictions." in page.shown


def test_queries_that_move_are_shown_with_their_unit() -> None:
    page = Page(render(replace(ranking(), counted="queries")))
    assert "q<1>" in page.shown
    assert ">query</th>" in page.html
    assert "+0.800" in page.shown


def test_a_metric_without_a_direction_gets_words() -> None:
    size = replace(NDCG, name="size", better=None)
    html = render(compared(row(metric=size, verdict="different"), metrics=(size,)))
    assert "no direction is better" in html
    assert "worse ← 0 → better" not in html


def legend_of(*rows: Row, **more: Any) -> str:
    """Return the legend of a page."""
    found = re.search(r'<p class="legend">(.*?)</p>', render(compared(*rows, **more)), re.DOTALL)
    assert found is not None
    return " ".join(re.sub("<.*?>", "", found[1]).split())


CLEAR = "larger than chance explains"
LEGENDS = [
    ([row()], NDCG, f"▲ better: {CLEAR}, after correction for the number of comparisons"),
    ([row(verdict="unclear")], NDCG, "○ unclear: chance can explain the difference"),
    ([row(metric=RATIO, before=1.54, value=0.92, verdict="different")], RATIO,
     f"◆ different: {CLEAR}, but on the other side of the target"),
    ([row(metric=SIZE, verdict="different")], SIZE, f"◆ different: {CLEAR}, but no direction is better"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "metric", "expected"), LEGENDS)
def test_the_legend_has_the_verdicts_that_occur(rows: list[Row], metric: Metric, expected: str) -> None:
    assert legend_of(*rows, metrics=(metric,)) == expected


def test_a_difference_that_was_not_tested_has_its_reason() -> None:
    untested = replace(row(verdict="not tested"), reason="too few <queries>")
    assert "– not tested: too few <queries> (ndcg@10)." in Page(render(compared(untested))).shown
    assert legend_of(untested) == ""


def test_slices_are_sorted_by_their_change_alone() -> None:
    rows = [in_slice("JP", "worse", 0.15), in_slice("US", "unclear", 0.1),
            in_slice("DE", "better", 0.3)]  # fmt: skip
    shown = render(compared(row(), *rows))
    places = [shown.index(f">country {name}<") for name in ("US", "JP", "DE")]
    assert places == sorted(places)


def test_days_are_in_order_of_time() -> None:
    names = ["2026-11-10", "2026-11-09", "2026-11-11"]
    rows = [
        replace(in_slice(name, "better", value), by=("day",))
        for name, value in zip(names, (0.3, 0.25, 0.22), strict=True)
    ]
    page = Page(render(compared(row(), *rows))).shown
    assert "new by ndcg@10 in each slice, in order of time." in page
    shown = page[page.index("in order of time") :]
    assert [shown.index(name) for name in sorted(names)] == sorted(shown.index(name) for name in names)
    both = Page(render(compared(row(), *rows, in_slice("JP", "worse", 0.1)))).shown
    assert "in each slice, the worst first, and days in order of time." in both


def test_a_table_has_p_and_a_narrow_screen_the_head_of_its_column() -> None:
    text = render(compared(replace(row(verdict="unclear"), p=0.1, p_adjusted=0.2)))
    assert '<td role="cell" class="n t" data-of="p adj.">0.2</td>' in text
    assert "data-of" not in render(compared(row(verdict="not tested"))).partition("<main")[2]


def test_a_page_says_who_wrote_it() -> None:
    assert render(compared(row())).partition("\n")[0] == "<!doctype html><!-- written by duckmetrics -->"
