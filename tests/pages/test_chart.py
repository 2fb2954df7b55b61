"""Whole charts from rows that are written by hand: geometry, words, escaping, size, and golden files."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from duckmetrics.errors import InputError
from duckmetrics.pages import changes, curves, values
from duckmetrics.pages.changes import Change
from duckmetrics.pages.chart import Chart, Ids, columns_of, shortened
from duckmetrics.pages.curves import at_k, calibration, differences, histogram, isotonic
from duckmetrics.pages.marks import style, style_of, text_of
from support.cases import ROOT
from support.drawings import Mark, marks, of_class, parsed, points, segment, texts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GOLDEN = ROOT / "tests/data/charts"
HOSTILE = "<b onload='x'>&\"]]>\u0007\u202e日本語\ud800"
ROC = [
    {"threshold": math.inf, "fpr": 0.0, "tpr": 0.0, "area": 0.0},
    {"threshold": 0.9, "fpr": 0.0, "tpr": 0.5, "area": 0.0},
    {"threshold": 0.4, "fpr": 0.5, "tpr": 0.5, "area": 0.25},
    {"threshold": 0.1, "fpr": 1.0, "tpr": 1.0, "area": 0.625},
]
OTHER = [
    {**row, "tpr": min(1.0, row["tpr"] + 0.25 * (row["fpr"] > 0)), "area": area}
    for row, area in zip(ROC, (0.0, 0.0, 0.3125, 0.75), strict=True)
]


def chart(picture: curves.Picture) -> Chart:
    return Chart(picture.title, picture.said, pa.table({"n": [1]}), picture.drawing)


def row(metric: str = "ndcg@10", system: str | None = None, **more: Any) -> dict[str, Any]:
    empty = {"slice": "", "value": 0.5, "lower": 0.4, "upper": 0.6, "n": 100, "n_units": None}
    changed = {"delta": 0.1, "delta_lower": 0.05, "delta_upper": 0.15, "verdict": "better"}
    made = {"metric": metric, "system": system, **empty, **changed, **more}
    for name, column in (("change", "delta"), ("lower", "delta_lower"), ("upper", "delta_upper")):
        # Of a baseline of 0.5.
        made.setdefault(f"relative_{name}", None if made[column] is None else made[column] / 0.5)
    return made


def change(label: str = "ndcg@10", before: float | None = 0.5, direction: int = 1, **more: Any) -> Change:
    return Change(label, row(label, "B", value=0.6, **more), before, direction, more.get("target"))


SUMS = [
    {"share": s, "score": p, "deviation": d, "lower": -0.11, "upper": 0.01}
    for s, p, d in ((0.0, None, 0.0), (0.25, 0.1, 0.05), (0.75, 0.3, -0.15), (1.0, 0.9, -0.05))
]


def pictures() -> dict[str, curves.Picture]:
    """Return a picture of each kind."""
    bins = [
        {"n": 10, "mean_score": 0.1, "mean_label": 0.2, "lower": 0.19, "upper": 0.21, "gap": -0.1},
        {"n": 0, "mean_score": None, "mean_label": None, "lower": None, "upper": None, "gap": None},
        {"n": 12, "mean_score": 0.8, "mean_label": 0.7, "lower": 0.4, "upper": 0.9, "gap": 0.1},
    ]
    blocks = [
        {"lo": 0.1, "hi": 0.3, "n": 10, "mean_score": 0.2, "mean_label": 0.1, "gap": 0.1},
        {"lo": 0.4, "hi": 0.4, "n": 30, "mean_score": 0.4, "mean_label": 0.7, "gap": -0.3},
    ]
    names = ("n", "lo", "hi", "positives", "negatives", "positive_share", "negative_share")
    rows = ((3, 0.0, 0.5, 1.0, 2.0, 0.25, 1.0), (3, 0.5, 1.0, 3.0, 0.0, 0.75, 0.0))
    shares = [dict(zip(names, numbers, strict=True)) for numbers in rows]
    gains = [{"share": s, "gain": g} for s, g in ((0.0, 0.0), (0.5, 0.8), (1.0, 1.0))]
    recall = [{"recall": r, "precision": p, "area": a} for r, p, a in ((0.5, 1.0, 0.5), (1.0, 0.4, 0.8))]
    at = [
        {"k": k, "value": v, "lower": v - 0.1, "upper": v + 0.1} for k, v in ((1, 0.3), (5, 0.4), (10, 0.5))
    ]
    verdicts = ("better", "worse", "different", "unclear", "not tested")
    return {
        "roc_curve": curves.roc({"old": ROC, "new": OTHER}),
        "pr_curve": curves.precision_recall({None: recall}),
        "gains_curve": curves.gains({None: gains}),
        "calibration_curve": calibration({None: bins}),
        "corp_curve": isotonic({"old": blocks, "new": blocks}),
        "ecce_curve": curves.cumulative({"old": SUMS, "new": SUMS}),
        "score_histogram": histogram({None: shares}),
        "many": curves.roc({"a": ROC, "b": OTHER, "c": ROC}),
        "histograms": histogram({"a": shares, "b": shares}),
        "at_k": at_k("ndcg", {"A": at, "B": at}),
        "differences": differences("ndcg@10", "A", {"B": [-0.5, -0.1, 0.0, 0.2]}, {"B": (1, 1, 2)}),
        "values": values.intervals([row(system="A"), row(system="B"), row("log_loss", "A", value=3.0)]),
        "slices": values.slices(
            "auc", [row(), row(slice="day", value=0.3)], lambda r: r["slice"] or "all", 1.0
        ),
        "intervals": changes.intervals("A", {v: [change(v, verdict=v)] for v in verdicts}),
        "changes": changes.slices(
            "auc", "B", {"day": [change("Mo", verdict="worse"), change("Tu")]}, change("all")
        ),
    }


PICTURES = pictures()


@pytest.mark.parametrize("name", PICTURES)
def test_a_chart_is_well_formed_and_describes_itself(name: str) -> None:
    drawn = chart(PICTURES[name])
    root = parsed(drawn.svg())
    assert root.tag == "svg"
    assert root.get("role") == "img"
    title, said = root.find("title"), root.find("desc")
    assert title is not None
    assert said is not None
    assert (title.text, said.text) == (drawn.title, drawn.description)
    assert root.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
    assert repr(drawn) == drawn.title
    assert re.search(r"\d", drawn.title)
    width, height = int(root.get("width", "")), int(root.get("height", ""))
    assert root.get("viewBox") == f"0 0 {width} {height}"
    # No shape lies below the picture, and no text begins outside.
    for text in root.iter("text"):
        if not text.get("y", "").endswith("%") and text.get("dy") is None:
            assert float(text.get("y", "0")) < height
    parsed(drawn.html(with_style=False).replace("&nbsp;", " "))


def test_the_title_of_the_curve_without_bins_is_the_gap_of_a_row() -> None:
    """Of 40 rows, 10 have a gap of 0.1 and 30 one of -0.3: 10 / 40 on average."""
    assert PICTURES["corp_curve"].title == "Calibration without bins: mean gap 0.250 of new, 0.250 of old"


@pytest.mark.parametrize("name", PICTURES)
def test_the_same_input_gives_the_same_bytes_and_few(name: str) -> None:
    again = chart(pictures()[name])
    assert chart(PICTURES[name]).svg() == again.svg()
    assert chart(PICTURES[name]).html() == again.html()
    assert 1000 < len(again.svg()) < 6000


@pytest.mark.parametrize("name", PICTURES)
def test_every_class_of_a_picture_has_a_rule_and_every_color_a_variable(name: str) -> None:
    svg = chart(PICTURES[name]).svg()
    css = re.findall(r"<style>(.*?)</style>", svg, re.DOTALL)[0]
    for variable in set(re.findall(r"var\((--\w+)\)", css + svg)):
        assert css.count(f"{variable}:") == 3, f"{variable}: light, dark and print"
    assert css.count("{") == css.count("}")
    assert not re.search(r'(fill|stroke)="(?!none|currentColor)', svg)


def test_the_page_style_is_scoped_and_has_dark_and_print() -> None:
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media[^{]*\{", "", style()))
    for rule in rules:
        assert all(part.strip("} ").startswith((".dm", ".page")) for part in rule.split(",")), rule
    assert "prefers-color-scheme:dark" in style()
    assert "@media print" in style()
    assert ".panels" not in style_of('<svg class="row"/>')


# --- where things lie -------------------------------------------------------------------------------


def lines(drawn: Chart, *kinds: str) -> list[list[tuple[float, float]]]:
    return [points(path) for path in of_class(parsed(drawn.svg()), "path", "line", *kinds) if "H" not in
            path.get("d", "") and "h" not in path.get("d", "")]  # fmt: skip


def near(expected: Iterable[tuple[float, float]]) -> list[Any]:
    """Return points that are equal to the resolution of the box."""
    return [pytest.approx(point, abs=1e-3) for point in expected]


def test_a_curve_goes_through_the_points_of_its_table() -> None:
    drawn = chart(PICTURES["roc_curve"])
    assert lines(drawn, "s0") == [near((r["fpr"], r["tpr"]) for r in ROC)]
    assert lines(drawn, "s1") == [near((r["fpr"], r["tpr"]) for r in OTHER)]
    assert lines(drawn, "ref") == [near([(0, 0), (1, 1)])]
    assert drawn.title == "ROC: area 0.750 of new, 0.625 of old"
    assert "new: tpr by fpr: 0.550 at 0.1" in drawn.description


def test_many_systems_are_small_charts_with_the_first_one_dashed() -> None:
    drawn = chart(PICTURES["many"])
    assert len(lines(drawn, "s0")) == len(lines(drawn, "s1")) == 2
    assert drawn.title == "ROC: area 0.750 of b to 0.625 of a, 3 systems"
    assert {"b", "c", "a, in each chart"} <= set(texts(parsed(drawn.svg())))


def test_gains_are_read_between_the_points() -> None:
    assert PICTURES["gains_curve"].title == "Gains: the top 20% of the rows hold 32.0% of the positives"


def test_calibration_names_the_bin_that_is_farthest_off() -> None:
    drawn = chart(PICTURES["calibration_curve"])
    assert drawn.title.endswith(
        "1 of 2 bins are off by more than chance, most: predicted 0.10, observed 0.20"
    )
    top = 0.9 * 1.05
    assert lines(drawn, "s1") == [near([(0.1 / top, 0.2 / top), (0.8 / top, 0.7 / top)])]
    assert "10 bins" not in drawn.svg()
    assert "2 bins of 10 to 12 rows" in " ".join(texts(parsed(drawn.svg())))


def test_a_histogram_has_positives_up_and_negatives_down() -> None:
    root = parsed(chart(PICTURES["score_histogram"]).svg())
    (up,), (down,) = ([p for p in of_class(root, "path", "bar", kind) if "h10" not in p.get("d", "")]
                      for kind in ("pos", "neg"))  # fmt: skip
    # The axis of y reaches from -1.14 to 0.89.
    zero = round(1000 * 0.89 / 2.03)
    assert up.get("d", "").startswith(f"M0 {zero}H500V{round(1000 * (0.89 - 0.25) / 2.03)}H0Z")
    assert down.get("d") == f"M0 {zero}H500V{round(1000 * 1.89 / 2.03)}H0Z"
    assert PICTURES["score_histogram"].title == "Scores by class: overlap 25.0%"


def test_cut_offs_lie_at_k_with_bands_around() -> None:
    drawn = chart(PICTURES["at_k"])
    low, high = 0.2 - 0.4 * 0.06, 0.6 + 0.4 * 0.06
    expected = [((k - 1) / 9, (v - low) / (high - low)) for k, v in ((1, 0.3), (5, 0.4), (10, 0.5))]
    assert lines(drawn, "s1") == [near(expected)]
    assert len(of_class(parsed(drawn.svg()), "path", "band")) == 2
    assert {"1", "5", "10"} <= set(texts(parsed(drawn.svg())))


def test_differences_are_areas_of_losses_and_gains() -> None:
    drawn = chart(PICTURES["differences"])
    root = parsed(drawn.svg())
    assert drawn.title == "B: 25.0% of the queries gain, 50.0% lose"
    (losses,), (gains,) = (of_class(root, "path", "band", kind) for kind in ("worse", "better"))
    assert (0, pytest.approx(0.5 - 0.5 / 1.05, abs=2e-3)) in points(losses)
    assert max(y for _, y in points(gains)) == pytest.approx(0.5 + 0.2 / (2 * 0.525), abs=2e-3)


def test_of_a_metric_where_lower_is_better_losses_are_at_the_left() -> None:
    picture = differences("rank", "A", {"B": [-2.0, 1.0]}, {"B": (1, 0, 1)}, lower_is_better=True)
    root = parsed(chart(picture).svg())
    (losses,), (gains,) = (of_class(root, "path", "band", kind) for kind in ("worse", "better"))
    assert points(losses)[0][0] == 0
    assert max(y for _, y in points(losses)) > 0.5
    assert min(y for _, y in points(gains)) < 0.5


def test_the_mark_of_a_row_is_its_verdict_and_the_axis_is_shared() -> None:
    root = parsed(chart(PICTURES["intervals"]).svg())
    rows = [svg for svg in root.iter("svg") if of_class(svg, "line", "zero") and svg is not root]
    assert [[m.shape for m in marks(svg)] for svg in rows] == [
        ["up"],
        ["down"],
        ["square"],
        ["ring"],
        ["dash"],
    ]
    # 0.1 of 0.5 is 20%, between 10% and 30%; the axis is from -1.8% to 31.8%.
    places = [100 * (x + 0.018) / 0.336 for x in (0.1, 0.3, 0.2, 0.0)]
    for svg in rows:
        assert segment(of_class(svg, "line", "ci")[0]) == pytest.approx(places[:2], abs=0.01)
        assert marks(svg)[0] == Mark(marks(svg)[0].shape, pytest.approx(places[2], abs=0.01))
        assert segment(of_class(svg, "line", "zero")[0])[0] == pytest.approx(places[3], abs=0.01)
    assert {"▲ better", "▼ worse", "◆ different", "○ unclear", "– not tested"} <= set(texts(root))


def test_right_is_better_where_lower_values_are() -> None:
    lower = Change(
        "log_loss", row("log_loss", "B", delta=-0.1, delta_lower=-0.15, delta_upper=-0.05), 0.5, -1
    )
    assert lower.relative == pytest.approx((0.2, 0.1, 0.3))
    given = Change("m", row(relative_change=0.1, relative_lower=0.02, relative_upper=0.3), 0.5, 1)
    assert given.relative == (0.1, 0.02, 0.3)


def test_words_have_the_sign_of_the_value_where_lower_is_better() -> None:
    rise = change("Mo", direction=-1, verdict="unclear")
    fall = change("Tu", direction=-1, delta=-0.1, delta_lower=-0.15, delta_upper=-0.05)
    picture = changes.slices("log_loss", "B", {"day": [fall, rise]}, change("all", direction=-1))
    assert picture.title == "B by log_loss: worse in none of 2 slices; the least favorable is +20.0% in Mo"
    assert "Mo +20.0%, interval +10.0% to +30.0%" in picture.said
    assert "Tu \u221220.0%, interval \u221230.0% to \u221210.0%" in picture.said


def test_slices_that_move_away_from_a_target_are_counted() -> None:
    away, nearer = (
        Change(day, row("ratio", "B", value=value, verdict=verdict), 1.1, 0, target=1.0)
        for day, value, verdict in (("Mo", 1.5, "different"), ("Tu", 1.05, "better"))
    )
    picture = changes.slices("ratio", "B", {"day": [away, nearer]}, away)
    assert picture.title == "B by ratio: clearly farther from 1 in 1 of 2 slices, most in Mo"


def test_a_metric_that_aims_at_a_number_gets_words() -> None:
    aimed = Change("ratio", row("ratio", "B", value=0.9, delta=-0.3), 1.2, 0, target=1.0)
    picture = changes.intervals("A", {"ratio": [aimed]})
    shown = " ".join(texts(parsed(chart(picture).svg())))
    assert "nearer to 1: 0.200 off, now 0.100" in shown
    assert "best at 1" in shown
    assert "worse ← 0 → better" not in shown


def test_slices_are_sorted_from_the_worst_with_the_overall_change_as_a_dotted_line() -> None:
    mo = change("Mo", delta=-0.1, delta_lower=-0.2, delta_upper=-0.01, verdict="worse")
    picture = changes.slices("auc", "B", {"day": [change("Tu"), mo]}, change("all"))
    assert picture.title == "B by auc: worse in 1 of 2 slices, most in Mo"
    root = parsed(chart(picture).svg())
    labels = [text for text in texts(root) if text in ("all", "Mo", "Tu", "by day")]
    assert labels == ["all", "by day", "Mo", "Tu"]
    guides = of_class(root, "line", "guide")
    assert len(guides) == 3
    none = changes.slices("auc", "B", {"day": [change("Tu")]}, change("all"))
    assert none.title == "B by auc: worse in none of 1 slices; the least favorable is +20.0% in Tu"


def test_metrics_outside_of_0_and_1_have_an_axis_of_their_own() -> None:
    root = parsed(chart(PICTURES["values"]).svg())
    dots = [svg for svg in root.iter("svg") if of_class(svg, "g", "s1") or of_class(svg, "g", "s0")]
    assert PICTURES["values"].title.startswith("ndcg@10 is 0.50 [0.40, 0.60] of A and 0.50 [0.40, 0.60] of B")
    assert {"ndcg@10", "log_loss", "n = 100"} <= set(texts(root))
    assert len(dots) >= 2


# --- what may be missing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "picture",
    [
        curves.roc({None: [{**r, "fpr": None, "area": None} for r in ROC]}),
        curves.roc({None: ROC[:1]}),
        curves.precision_recall({None: []}),
        curves.gains({None: [{"share": 0.0, "gain": None}]}),
        calibration({None: []}),
        histogram({None: [
            {"n": 2, "lo": 7.0, "hi": 7.0, "positives": 2.0, "negatives": 0.0, "positive_share": 1.0,
             "negative_share": None},
        ]}),
        histogram({None: []}),
        at_k("mrr", {None: [{"k": 5, "value": None, "lower": None, "upper": None}]}),
        at_k("mrr", {None: [{"k": 5, "value": 0.5, "lower": None, "upper": None}]}),
        differences("mrr", "A", {"B": [0.0, 0.0]}, {"B": (0, 2, 0)}),
        differences("mrr", "A", {"B": [0.3], "C": []}, {"B": (1, 0, 0), "C": (0, 0, 0)}),
        values.intervals([row(value=None, lower=None, upper=None)]),
        values.intervals([row(value=math.inf, lower=None, upper=None)]),
        values.slices("auc", [row(), row(slice="day", value=None)], lambda r: "x", None),
        changes.intervals("A", {"m": [change("m", None)]}),
        changes.intervals("A", {"m": [change("m", 0.0, delta=None)]}),
        changes.intervals("A", {"m": [change("m", delta_lower=None, verdict="not tested")]}),
        changes.slices("m", "B", {"d": [change("x", 0.0)]}, change("all", 0.0)),
    ],
)  # fmt: skip
def test_what_is_missing_leaves_a_chart(picture: curves.Picture) -> None:
    drawn = chart(picture)
    parsed(drawn.svg())
    parsed(drawn.html(with_style=False))
    assert "nan" not in drawn.svg().lower()
    assert "None" not in drawn.svg()


def test_one_class_has_no_area() -> None:
    picture = curves.roc({None: [{**r, "fpr": None, "area": None} for r in ROC]})
    assert picture.title == "ROC: area –"
    assert lines(chart(picture), "s1") == []


def test_infinite_thresholds_do_not_matter_to_a_curve() -> None:
    assert len(lines(chart(curves.roc({None: ROC})), "s1")[0]) == len(ROC)


# --- names of other people --------------------------------------------------------------------------


def test_hostile_names_are_text() -> None:
    for picture in (
        curves.roc({HOSTILE: ROC, f"{HOSTILE}2": OTHER}),
        at_k(HOSTILE, {HOSTILE: [{"k": 1, "value": 0.5, "lower": 0.4, "upper": 0.6}]}),
        values.intervals([row(HOSTILE, HOSTILE), row(HOSTILE, "B")]),
        changes.intervals(HOSTILE, {HOSTILE: [change(HOSTILE)]}),
        changes.slices(HOSTILE, HOSTILE, {HOSTILE: [change(HOSTILE)]}, change(HOSTILE)),
    ):
        drawn = chart(picture)
        for markup in (drawn.svg(), drawn.html(with_style=False), drawn.image().replace(">", "/>")):
            root = parsed(markup)
            assert not list(root.iter("b")) or markup.startswith("<div")
            assert all("onload" not in element.attrib for element in root.iter())
            assert "\u202e" not in markup
        assert "日本語" in drawn.svg()
        assert "\x07" not in repr(drawn)


def test_text_of_a_name() -> None:
    assert text_of("a<b>&'\"") == "a&lt;b&gt;&amp;&#x27;&quot;"
    assert text_of("x\u0000\u001b\n") == "x\\x00\\x1b\\n"
    assert text_of("\ud800") == "\\ud800"


def test_long_names_are_shortened_in_the_middle_in_pictures_and_whole_in_pages() -> None:
    name = "candidate_" + "x" * 60 + "_2026"
    drawn = chart(changes.intervals("A", {name: [change(name)]}))
    assert "candidate_…xxxxx_2026" in texts(parsed(drawn.svg()))
    assert name in drawn.html().replace("<wbr/>", "")


def test_characters_of_two_columns_count_twice() -> None:
    assert shortened("日本語の名前", 12) == "日本語の名前"
    assert shortened("日本語の名前x", 12) == "日本語…名前x"
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert columns_of("e\u0301") == 1


# --- files and notebooks ----------------------------------------------------------------------------


def test_ids_do_not_clash_in_one_page() -> None:
    one, other = chart(PICTURES["roc_curve"]).html(), chart(PICTURES["pr_curve"]).html()
    ids = re.findall(r' id="([^"]+)"', one + other)
    assert len(ids) == len(set(ids)) == 4
    for used in re.findall(r'aria-labelledby="([^"]+)"', one + other):
        assert set(used.split()) <= set(ids)
    assert [Ids("a").new(), Ids("a").new()] == ["a1", "a1"]


def test_a_notebook_shows_an_image_because_it_may_remove_svg() -> None:
    shown = chart(PICTURES["roc_curve"])._repr_html_()
    assert shown.startswith('<img src="data:image/svg+xml;base64,')
    assert 'alt="ROC: area 0.750 of new, 0.625 of old. ' in shown


def test_a_page_loads_nothing(tmp_path: Path) -> None:
    drawn = chart(PICTURES["roc_curve"])
    drawn.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"<script|https?://|url\(|@import", page)
    drawn.save(str(tmp_path / "x.SVG"))
    assert (tmp_path / "x.SVG").read_text("utf-8") == drawn.svg()


def test_other_formats_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"x\.png: a chart is written as SVG or HTML; call it x\.svg or x\.html"
    ):
        chart(PICTURES["roc_curve"]).save("x.png")


@pytest.mark.parametrize("name", ["roc_curve", "intervals"])
def test_golden_files(name: str) -> None:
    """A change of a drawing is seen; look at the new one before you replace the file."""
    found, path = chart(PICTURES[name]).svg(), GOLDEN / f"{name}.svg"
    expected = path.read_text("utf-8")
    assert [(e.tag, e.attrib) for e in parsed(found).iter()] == [
        (e.tag, e.attrib) for e in parsed(expected).iter()
    ]
    assert texts(parsed(found)) == texts(parsed(expected))
    assert found == expected
