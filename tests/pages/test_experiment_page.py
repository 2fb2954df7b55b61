"""The chart and the report of an A/B test: they show the numbers and the sentence of the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from duckmetrics import Experiment, InputError, MetricError, ab
from duckmetrics.pages.experiment_page import as_comparison
from duckmetrics.words.verdicts import BETTER, UNCLEAR, UNTESTED, WORSE
from support.command_line import Command
from support.drawings import marks, parsed, texts
from support.made import experiment
from support.reports import HOSTILE, Page

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}
METRICS = ["revenue", "errors"]
NUMBERS = ("value", "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "p_adjusted")


def users(variants: str = "AB", n: int = 600) -> pd.DataFrame:
    """Return users: in the last variant, revenue grows except in JP, and errors grow everywhere."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"variant": np.array(list(variants))[np.arange(n) % len(variants)]})
    frame["country"] = rng.choice(["DE", "JP", "it's <b>"], n)
    moved = frame.variant == variants[-1]
    frame["before"] = rng.gamma(4, 5, n)
    frame["revenue"] = frame.before + rng.normal(0, 1, n) + 2 * moved - 9 * (moved & (frame.country == "JP"))
    frame["errors"] = rng.poisson(2 + 1.5 * moved)
    frame.loc[:3, "revenue"] = np.nan
    return frame


@pytest.fixture(scope="module")
def result() -> Experiment:
    return ab(
        users(), metrics=METRICS, by="country", pre={"revenue": "before"}, cap={"revenue": "99%"},
        lower_is_better="errors", **OPTIONS,
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(result: Experiment) -> Page:
    return Page(result.report().html)


@pytest.fixture(scope="module")
def three() -> Experiment:
    return ab(users("ABC"), metrics=METRICS, by="country", lower_is_better=["errors"], **OPTIONS)


def mismatched() -> Experiment:
    """Return an experiment whose variants do not have the planned units."""
    return experiment([("revenue", 21.4321, 22.9876, 0.5, 1e-6, UNTESTED)], mismatch=True)


# ---- the chart


def test_the_chart_has_every_metric_and_slice_with_the_numbers_of_the_result(result: Experiment) -> None:
    data = [row for row in result.chart().data.to_pylist() if row["variant"] == "B"]
    found = {(row["metric"], row["slice"], row["country"]): row for row in data}
    assert len(found) == len(result.rows) == 8
    for row in result.rows:
        shown = found[row["metric"], row["slice"], row["country"]]
        assert [shown[name] for name in NUMBERS] == [row[name] for name in NUMBERS]
        assert shown["verdict"] == row["verdict"]


def test_right_is_better_also_where_lower_is_better(result: Experiment) -> None:
    """B has more revenue and more errors: one mark lies right of zero, the other one left of it."""
    root = parsed(result.chart("intervals").svg())
    assert [result.row(name)["relative_change"] > 0 for name in METRICS] == [False, True]
    assert [row["verdict"] for row in result.overall] == [WORSE, WORSE]
    zero = float(next(e for e in root.iter("line") if e.get("class") == "zero").get("x1", "").strip("%"))
    drawn = marks(root)
    assert [one.shape for one in drawn] == ["down", "down"]
    assert all(one.x < zero for one in drawn)


def test_a_metric_that_grows_lies_at_the_other_side_if_higher_is_better() -> None:
    rows = [("errors", 10.0, 12.0, 0.5, 1e-6, BETTER)]
    at: list[bool] = []
    for verdict, lower in ((BETTER, ()), (WORSE, ("errors",))):
        made = experiment([(*rows[0][:5], verdict)])
        object.__setattr__(made, "lower_is_better", lower)
        root = parsed(made.chart().svg())
        zero = float(next(e for e in root.iter("line") if e.get("class") == "zero").get("x1", "").strip("%"))
        at.append(marks(root)[0].x > zero)
    assert at == [True, False]


def test_slices_stand_below_the_metrics_the_worst_first(result: Experiment) -> None:
    chart = result.chart()
    shown = texts(parsed(chart.svg()))
    headings = [shown.index(f"{name} by country") for name in METRICS]
    assert headings == sorted(headings)
    own = [row for row in result.rows if row["slice"] and row["metric"] == "revenue"]
    order = [row["country"] for row in sorted(own, key=lambda row: row["relative_change"])]
    places = [shown.index(name, headings[0]) for name in order]
    assert places == sorted(places)
    assert order[0] == "JP"
    worse = [row for row in result.rows if row["slice"] and row["verdict"] == WORSE]
    assert f"worse in {len(worse)} of 6 slices of the metrics" in chart.title
    assert "revenue by country, JP" in chart.description
    assert chart.title.startswith(result.chart("intervals").title)


def test_one_metric_in_slices(result: Experiment) -> None:
    chart = result.chart("slices", metric="errors")
    assert chart.title.startswith("B by errors: worse in ")
    assert set(chart.data["metric"].to_pylist()) == {"errors"}
    assert set(result.chart(metric="errors").data["metric"].to_pylist()) == {"errors"}


def test_several_variants(three: Experiment) -> None:
    assert three.chart("intervals").title.startswith("Against A, B: ")
    assert "; C: " in three.chart("intervals").title
    assert set(three.chart().data["variant"].to_pylist()) == {"A", "B", "C"}
    assert "revenue of C by country" in texts(parsed(three.chart().svg()))
    assert three.chart("slices", variant="C").title.startswith("C by revenue: worse in 1 of 3 slices")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "interval"}, "chart 'interval': no such chart; did you mean 'intervals'"),
        ({"name": "slices"}, "chart: several variants; name one of B, C with variant="),
        ({"name": "slices", "variant": "D"}, "variant 'D': not compared"),
        ({"metric": "revenu"}, "revenu: not evaluated; did you mean 'revenue'"),
        ({"variant": "B"}, "chart 'intervals': takes no variant; leave it out, or draw 'slices'"),
    ],
)
def test_mistakes(three: Experiment, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(MetricError, match=re.escape(message)):
        three.chart(**arguments)


def test_without_slices_no_slices_are_drawn() -> None:
    made = experiment([("revenue", 10.0, 12.0, 0.5, 1e-6, BETTER)])
    assert made.chart().data.num_rows == 2
    with pytest.raises(MetricError, match="the result has no slices; ask for them with by="):
        made.chart("slices")


def test_slices_of_the_last_metrics_are_left_out_if_there_are_too_many() -> None:
    made = experiment([(name, 10.0, 12.0, 0.5, 1e-6, BETTER) for name in ("one", "two", "three")])
    rows = [{**row, "slice": "", "day": None} for row in made.rows]
    rows += [{**row, "slice": "day", "day": str(day)} for row in made.rows for day in range(45)]
    object.__setattr__(made, "rows", tuple(rows))
    shown = [row["metric"] for row in made.chart().data.to_pylist() if row["slice"]]
    # 45 slices of the control and of the variant are 90 rows of a metric; a chart has 200 rows.
    assert shown == ["one"] * 90 + ["two"] * 90


# ---- the report


def test_the_headline_is_the_verdict_of_the_result(result: Experiment, three: Experiment, page: Page) -> None:
    assert page.text("h1") == f"{result.verdict}."
    assert result.report().verdict == f"{result.verdict}."
    assert Page(three.report().html).text("h1") == f"{three.verdict}."


def test_the_parts_are_those_of_a_comparison_in_its_order(page: Page) -> None:
    order = [
        "Every metric",
        "Where it is better and worse",
        "Can the data be trusted?",
        "How this was computed",
    ]
    assert page.texts["h2"] == order
    questions = ["By how much?", "How sure?", "Where is it worse?", "Can the data be trusted?"]
    assert page.texts["dt"] == questions
    assert page.open == []


def test_the_json_has_the_rows_of_the_result(result: Experiment, page: Page) -> None:
    numbers = page.numbers
    columns = numbers["rows"]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    known = {
        (numbers["systems"][row["system"]], numbers["metrics"][row["metric"]]["name"],
         *numbers["slices"][row["slice"]]["segment"]): row
        for row in rows
    }  # fmt: skip
    assert len(known) == 2 * len(result.rows)
    for row in result.rows:
        place = [row["country"]] if row["slice"] else []
        shown = known["B", row["metric"], *place]
        for name in NUMBERS:
            assert shown[name] == pytest.approx(row[name], rel=1e-5), name
        assert shown["n_units"] == row["n"] + row["n_control"]
        assert known["A", row["metric"], *place]["value"] == pytest.approx(row["control_value"], rel=1e-5)


def test_the_worst_slice_stands_first_and_in_its_tile(result: Experiment, page: Page) -> None:
    heads = page.texts["th"]
    assert heads.index("JP") < heads.index("DE")
    tile = next(text for text in page.texts["dd"] if text.startswith("JP: "))
    worst = next(row for row in result.rows if row["metric"] == "revenue" and row["country"] == "JP")
    assert tile == f"JP: {100 * worst['relative_change']:.1f}%".replace("-", "−")


def test_findings_name_the_sample_ratio_the_caps_and_the_covariates(result: Experiment, page: Page) -> None:
    told = page.text("p")
    assert f"{result.sample_ratio}." in told
    assert len(result.notes) == 3
    for note in result.notes:
        assert f"{note}." in told
    assert {"are capped", "without a value left out", "CUPED with before removes"} == {
        words for words in ("are capped", "without a value left out", "CUPED with before removes")
        if any(words in note for note in result.notes)
    }  # fmt: skip
    assert "5 checks looked at 600 units." in told
    assert f"Each variant is compared with A by {result.rule}." in told
    assert "differences by country differ by more than chance explains" in told


def test_a_doubt_is_a_warning_and_no_verdict() -> None:
    frame = users(n=300)
    frame["user_id"] = np.arange(300) // 2
    result = ab(frame, metrics="errors", **OPTIONS)
    page = Page(result.report().html)
    assert page.text("h1") == f"{result.verdict}."
    assert page.text("h1").startswith("No verdict on B: ")
    assert page.texts["dd"].count("With care") == 1
    reason = result.row("errors")["reason"]
    assert f"not tested: {reason}" in " ".join(page.texts["dd"])
    assert "chance alone" not in page.html
    assert [one.shape for one in marks(parsed(result.chart().svg()))] == ["dash"]


def test_a_named_unit_is_counted_by_its_name() -> None:
    frame = users(n=300)
    frame["user_id"] = [f"{variant}{i // 4}" for i, variant in enumerate(frame.variant)]
    page = Page(ab(frame, metrics="errors", unit="user_id", **OPTIONS).report().html)
    assert "checks looked at 150 users." in page.text("p")
    assert "interval from 150 users" in " ".join(page.texts["dd"])


def test_after_a_mismatch_nothing_shows_a_difference() -> None:
    made = mismatched()
    page, chart = Page(made.report().html), made.chart()
    start = "Do not decide yet: the variants do not have the units that their shares call for"
    assert page.text("h1") == f"{start}."
    assert made.lines()[0] == start
    assert "SAMPLE RATIO MISMATCH (p < 0.001)" in page.text("p")
    assert page.texts["h2"] == ["Can the data be trusted?", "How this was computed"]
    assert chart.title == "Against A, B: not tested on 1 metric"
    for text in (page.html, chart.svg(), chart.page(), made._repr_html_().replace(made.shown().html(), "")):
        for number in ("21.4", "22.98", "1.55", "7.2", "7.3"):
            assert number not in re.sub(r"<style>.*?</style>|<path[^>]*>", "", text), number
    assert set(chart.data.column_names) == {"variant", "metric", "verdict", "n"}


def test_the_title_and_the_same_bytes() -> None:
    made = experiment([("revenue", 10.0, 12.0, 0.5, 1e-6, BETTER), ("n", 5.0, 5.0, 0.5, 1.0, UNCLEAR)])
    page = Page(made.report(title="Checkout").html)
    assert page.texts["title"] == ["Checkout"]
    assert Page(made.report().html).texts["title"] == ["B against A"]
    assert made.report().html == made.report().html


def test_the_same_call_gives_the_same_report() -> None:
    first, second = (ab(users(n=60), metrics="errors", **OPTIONS).report().html for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", HOSTILE)
def test_names_cannot_break_the_page(name: str) -> None:
    made = experiment([(name, 10.0, 12.0, 0.5, 1e-6, BETTER)], variant=name, control=f"{name}2")
    page = Page(made.report().html)
    assert page.open == []
    assert [one["type"] for one in page.all("script")] == ["application/json"]
    assert page.numbers["baseline"].startswith(name[:3])
    parsed(made.chart().svg())


def test_a_value_that_is_missing_has_its_reason() -> None:
    made = experiment([("revenue", 10.0, None, None, None, UNTESTED)])
    made.rows[0]["reason"] = "no unit has a value"
    page = Page(made.report().html)
    assert "no unit has a value" in page.shown
    assert not re.search(r"\b(nan|None)\b", page.shown)


def test_a_notebook_shows_the_chart_next_to_the_table(result: Experiment) -> None:
    shown = result._repr_html_()
    assert "<table" in shown
    assert 'src="data:image/svg+xml' in shown
    assert "data:image" not in mismatched()._repr_html_()


def test_the_comparison_has_one_row_of_the_control_for_each_metric_and_slice(three: Experiment) -> None:
    compared = as_comparison(three)
    of_control = [row for row in compared.rows if row["system"] == "A"]
    assert len(of_control) == len(three.rows) / 2
    assert compared.variants == ("A", "B", "C")


# ---- files


def test_files_are_written_and_others_are_not_replaced(result: Experiment, tmp_path: Path) -> None:
    report, picture = tmp_path / "ab.html", tmp_path / "ab.svg"
    for _ in range(2):  # an output of ours is replaced
        result.report(report)
        result.chart().save(picture)
    assert report.read_text("utf-8") == result.report().html
    assert picture.read_text("utf-8") == result.chart().svg()
    report.write_text("<p>mine")
    with pytest.raises(InputError, match=r"ab\.html: exists and is not an html file of duckmetrics"):
        result.report(report)
    with pytest.raises(InputError, match=r"a report is a page of HTML; call it ab\.html"):
        result.report(tmp_path / "ab.pdf")
    assert report.read_text() == "<p>mine"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    users(n=80).to_parquet("users.parquet")
    return Command(capsys)


CALL = ("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "errors")


def test_the_command_writes_the_report_and_the_chart(run: Command, tmp_path: Path) -> None:
    wanted = ab(str(tmp_path / "users.parquet"), metrics="errors", lower_is_better="errors", **OPTIONS)
    for suffix in ("html", "svg"):
        assert run(*CALL, "--lower-is-better", "errors", "-o", f"ab.{suffix}").code == 0
    page = Page((tmp_path / "ab.html").read_text("utf-8"))
    assert page.text("h1") == f"{wanted.verdict}."
    assert (tmp_path / "ab.svg").read_text("utf-8") == wanted.chart().svg()


def test_html_on_the_screen_is_the_table(run: Command) -> None:
    code, out, _ = run(*CALL, "--format", "html")
    assert code == 0
    assert out.startswith("<!-- written by duckmetrics -->")
    assert "<!doctype" not in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("-o", "ab.svg", "--format", "json"), "ab.svg: the suffix says svg, --format says json"),
        (
            ("-o", "ab.png"),
            "ab.png: the suffix names no format; call it ab.json|.csv|.md|.parquet|.html|.tex|.txt|.svg",
        ),
        (("-o", "mine.svg"), "mine.svg: exists and is not an svg file of duckmetrics"),
        (("-o", "missing/ab.svg"), "missing/ab.svg: cannot be written"),
    ],
)
def test_mistakes_of_the_command(run: Command, tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    (tmp_path / "mine.svg").write_text("<svg/>")
    code, _, err = run(*CALL, *more)
    assert code == 2
    assert message in err


def test_other_commands_write_no_picture(run: Command) -> None:
    code, _, err = run("test", "sample-ratio", "50", "60", "-o", "x.svg")
    assert code == 2
    assert "x.svg: the suffix names no format" in err
