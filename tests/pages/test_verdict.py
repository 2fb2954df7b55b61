"""The verdict in one sentence with its exception, for many small cases; and the four answers below it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from duckmetrics.pages.report_model import (
    EXPERIMENT,
    Checked,
    Problem,
    Reading,
    Recounted,
    ReportData,
    Row,
    inside,
)
from duckmetrics.pages.report_parts import tiles, verdict
from support.reports import LOSS, NDCG, RATIO, SIZE, compared, in_slice, row

if TYPE_CHECKING:
    from duckmetrics.pages.report_parts import Tile

MAP = replace(NDCG, name="map")
TWO = (NDCG, MAP)
ERROR = Problem("error", "2 rows are broken")
WARNING = Problem("warning", "3 rows are odd")
JP, BR, US = (in_slice(name, "worse", 0.1) for name in ("JP", "BR", "US"))
MANY = [in_slice(name, "worse", 0.1) for name in "ABCDEF"]

HEADS = {
    "better": (compared(row()), "new is better than old."),
    "worse": (compared(row(verdict="worse", value=0.1)), "new is worse than old."),
    "even": (compared(row(verdict="unclear")), "new does not clearly differ from old."),
    "untested": (compared(row(verdict="not tested")), "new was not tested against old."),
    "slice": (compared(row(), JP), "new is better than old, but worse in country JP."),
    "slices": (compared(row(), JP, BR, US),
               "new is better than old, but worse in country JP, country BR and country US."),
    "many slices": (compared(row(), *MANY),
                    "new is better than old, but worse in all 6 slices."),
    "metric": (compared(row(), row(metric=MAP, verdict="worse", value=0.1), metrics=TWO),
               "new is better than old on ndcg@10, but worse on map."),
    "both": (compared(row(), JP, row(metric=MAP, verdict="worse", value=0.1), metrics=TWO),
             "new is better than old on ndcg@10, but worse on map and in country JP."),
    "even but": (compared(row(verdict="unclear"), JP, in_slice("DE", "better", 0.3)),
                 "new does not clearly differ from old, but worse in country JP and better in country "
                 "DE."),
    "worse but": (compared(row(verdict="worse", value=0.1), in_slice("DE", "better", 0.3)),
                  "new is worse than old, but better in country DE."),
    "unclear slices": (compared(row(), in_slice("JP", "unclear", 0.1)),
                       "new is better than old."),
    "lower": (compared(row(metric=LOSS, value=0.1), metrics=(LOSS,)), "new is better than old."),
    "target": (compared(row(metric=RATIO, before=1.4, value=1.1), metrics=(RATIO,)),
               "new is better than old."),
    "no direction": (
        compared(row(metric=SIZE, verdict="different", before=9.0, value=10.0), metrics=(SIZE,)),
        "new differs from old on n_returned (no direction is better).",
    ),
    "no value": (compared(row(value=None, verdict="not tested")), "new was not tested against old."),
    "no value before": (compared(row(before=None, verdict="not tested")),
                        "new was not tested against old."),
    "several": (compared(row(), row("other", value=0.22)),
                "new and other are better than old by ndcg@10; they were not tested against each other."),
    "many": (
        compared(*(row(f"s{i}", value=0.3 + i / 100) for i in range(5)),
                 row("b", verdict="worse", value=0.1)),
        "s4 and 4 other systems are better than old by ndcg@10; they were not tested against each other; "
        "b is worse than old.",
    ),
    "several, lower": (
        compared(row(metric=LOSS, value=0.1), row("other", LOSS, value=0.05), metrics=(LOSS,)),
        "new and other are better than old by log_loss; they were not tested against each other.",
    ),
    "several, even": (
        compared(row(verdict="unclear", value=0.21), row("b", verdict="worse", value=0.1)),
        "b is worse than old by ndcg@10; new does not clearly differ from old.",
    ),
    "several, worse": (
        compared(row(verdict="worse", value=0.15), row("b", verdict="worse", value=0.1)),
        "old is the best of 3 systems by ndcg@10.",
    ),
    "several, none above": (
        compared(row(verdict="unclear", value=0.19), row("b", verdict="worse", value=0.1)),
        "No system is better than old (0.2000) by ndcg@10; the closest is new (0.1900); 1 of 2 is worse.",
    ),
    "several, one clear": (
        compared(row(verdict="unclear", value=0.3), row("b", value=0.25)),
        "b is better than old by ndcg@10; new does not clearly differ from old.",
    ),
    "several, one without a value": (
        compared(row("b", value=None, verdict="not tested"), row()),
        "new is better than old by ndcg@10; b was not tested against old.",
    ),
    "an error": (compared(row(), JP, checked=Checked((ERROR, WARNING), 5)),
                 "Do not decide yet: the data have 1 error."),
    "errors": (compared(row(), checked=Checked((ERROR, replace(ERROR, check="b")), 5)),
               "Do not decide yet: the data have 2 errors."),
    "a warning": (compared(row(), checked=Checked((WARNING,), 5)), "new is better than old."),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADS)
def test_the_headline_has_the_verdict_and_its_exception(name: str) -> None:
    data, expected = HEADS[name]
    assert verdict(Reading(data)).head == expected


def values(*rows: Row, systems: tuple[str, ...] = ("",)) -> ReportData:
    return ReportData("Report", "ranking", systems, (NDCG,), rows, "0", unit="users", level=0.95)


def valued(value: float | None, half: float | None = 0.01, system: str = "", **where: object) -> Row:
    known = value is not None and half is not None
    ends = (value - half, value + half) if known else (None, None)  # type: ignore[operator]
    return Row(system, "ndcg@10", value=value, lower=ends[0], upper=ends[1], n=50, **where)  # type: ignore[arg-type]


COUNTRY = {"by": ("country",), "segment": ("JP",)}
VALUED = {
    "value": (values(valued(0.25)), "ndcg@10 is 0.250."),
    "weak slice": (values(valued(0.25), valued(0.1, **COUNTRY)),
                   "ndcg@10 is 0.250, but only 0.100 in country JP."),
    "overlapping slice": (values(valued(0.25), valued(0.24, **COUNTRY)), "ndcg@10 is 0.250."),
    "no interval": (values(valued(0.25, None), valued(0.1, None, **COUNTRY)), "ndcg@10 is 0.2500."),
    "no value": (values(valued(None)), "ndcg@10 has no value."),
    "systems": (
        values(valued(0.25, system="a"), valued(0.3, system="b"), systems=("a", "b")),
        "b has the best ndcg@10 of 2 systems: 0.300.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUED)
def test_without_a_baseline_the_headline_is_the_value_and_the_weakest_slice(name: str) -> None:
    data, expected = VALUED[name]
    assert verdict(Reading(data)).head == expected


def calibrated(*rows: tuple[str, float, float], level: float | None = 0.95) -> ReportData:
    """Return a value of 0.25, and rows of a metric that aims at 1: slice, value, half of the interval."""
    found = [
        Row("", "calibration_ratio", ("country",) if name else (), (name,) if name else (), value,
            value - half, value + half, n=50)
        for name, value, half in rows
    ]  # fmt: skip
    return replace(values(valued(0.25), *found), metrics=(NDCG, RATIO), level=level)


OFF = {
    "overall": (calibrated(("", 1.2, 0.1), ("JP", 3, 0.1)),
                "; calibration_ratio is 1.20, and 3.00 in country JP, not 1"),
    "a slice little further off": (
        calibrated(("", 1.2, 0.1), ("JP", 1.3, 0.1)), "; calibration_ratio is 1.20, not 1"),
    "slice": (calibrated(("", 1.05, 0.1), ("JP", 0.5, 0.1), ("US", 1.2, 0.1)),
              "; calibration_ratio is 0.50 in country JP, not 1"),
    "right": (calibrated(("", 1.05, 0.1), ("JP", 0.95, 0.1)), ""),
    # The interval of one of 11 values is 2.84 / 1.96 times as wide: 0.1 becomes 0.145.
    "one of many, by chance": (calibrated(("", 1, 0.1), *[(f"c{i}", 1.13, 0.1) for i in range(10)]), ""),
    "one of many": (calibrated(("", 1, 0.1), *[(f"c{i}", 1 + i / 60, 0.1) for i in range(10)]),
                    "; calibration_ratio is 1.15 in country c9, not 1"),
    "no interval": (calibrated(("", 1.2, 0.1), level=None), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OFF)
def test_the_headline_names_a_metric_that_misses_its_target(name: str) -> None:
    data, expected = OFF[name]
    assert verdict(Reading(data)).head == f"ndcg@10 is 0.250{expected}."


def test_the_sentences_below_count_metrics_and_name_the_next_system() -> None:
    data = compared(
        row(), row(metric=MAP, verdict="unclear"), row("b", value=0.22), metrics=TWO,
    )  # fmt: skip
    lead = verdict(Reading(data)).lead
    assert "ndcg@10 (normalized discounted cumulative gain) goes from 0.200 to 0.250." in lead
    assert "new is better on 1 of 2 metrics, unclear on 1." in lead
    assert lead.endswith("Next is b with 0.220.")  # the headline says that these two were not tested
    near = compared(row(), row("b", verdict="unclear", value=0.22))
    told = compared(row(), row("b", value=0.22), sentence="new and b are better than old")
    for other in (near, told):
        assert "Next is b with 0.220; these two were not tested" in verdict(Reading(other)).lead


def test_below_a_baseline_with_the_best_value_the_page_is_about_the_closest_system() -> None:
    data = compared(row(verdict="worse", value=0.1), row("b", verdict="unclear", value=0.19))
    assert verdict(Reading(data)).lead.startswith("b comes closest to old: ndcg@10 (normalized")
    assert answers(data)["By how much?"][:2] == ("−5%, unclear", "b, by ndcg@10, relative to old")


def test_an_error_keeps_the_verdict_below_the_headline() -> None:
    found = verdict(Reading(compared(row(), JP, checked=Checked((ERROR,), 5))))
    assert found.lead.startswith("As the numbers stand: new is better than old, but worse in country JP.")


def test_slices_that_are_worse_by_other_metrics_only_stand_in_the_headline() -> None:
    bad = row(metric=MAP, verdict="worse", value=0.1, by=("country",), segment=("FR",))
    data = compared(row(), row(metric=MAP), bad, in_slice("FR", "better", 0.3), metrics=TWO)
    found = Reading(data)
    assert verdict(found).head == "new is better than old, but worse in country FR on map."
    assert answers(data)["Where is it worse?"][:2] == (
        "country FR",
        "not by ndcg@10, but by map",
    )


def test_many_slices_that_are_worse_by_other_metrics_are_counted() -> None:
    bad = (
        row(metric=MAP, verdict="worse", value=0.1, by=("country",), segment=(name,)) for name in ("FR", "JP")
    )
    good = (in_slice(name, "better", 0.3) for name in ("FR", "JP"))
    data = compared(row(), row(metric=MAP), *bad, *good, metrics=TWO)
    head = verdict(Reading(data)).head
    assert head == "new is better than old, but worse in country FR and country JP (map)."


def answers(data: ReportData) -> dict[str, tuple[str, str, str]]:
    shown: list[Tile] = tiles(Reading(data))
    return {one.question: (one.answer, one.text, one.kind) for one in shown}


def test_the_answers_of_a_comparison() -> None:
    found = answers(compared(row(), JP))
    assert found["By how much?"] == ("25% better", "by ndcg@10, relative to old", "better")
    sure = "95 % interval from 100 users; chance alone rarely makes such a difference (p under 0.001)"
    assert found["How sure?"] == ("+20% to +30%", sure, "")
    assert found["Where is it worse?"] == ("JP: −50.0%", "by ndcg@10; 100 of 100 users (100%)", "worse")
    assert found["Can the data be trusted?"] == ("Not checked", "the data could not be read again", "even")


@pytest.mark.parametrize(("alpha", "often"), [(0.05, "could make"), (0.1, "rarely makes")])
def test_what_is_rare_is_what_the_verdict_takes_for_rare(alpha: float, often: str) -> None:
    found = answers(compared(replace(row(), p=0.07, p_adjusted=0.07), alpha=alpha))
    assert f"chance alone {often} such a difference" in found["How sure?"][1]


def test_a_slice_is_weak_only_where_its_interval_shows_it() -> None:
    weak = answers(values(valued(0.25), valued(0.1, **COUNTRY)))["Where is it weakest?"]
    assert weak[0] == "JP: 0.100"
    chance = answers(values(valued(0.25), valued(0.24, **COUNTRY)))["Where is it weakest?"]
    assert chance[:2] == ("nowhere clearly", "by ndcg@10; the worst value is 0.240, in country JP")
    unknown = answers(values(valued(0.25, None), valued(0.1, None, **COUNTRY)))["Where is it weakest?"]
    assert unknown[0] == "JP: 0.1000"


def test_of_several_systems_each_answer_names_its_own() -> None:
    lost = replace(in_slice("JP", "worse", 0.1), system="other")
    data = compared(row(), in_slice("JP", "unclear", 0.2), row("other", value=0.22), lost)
    assert answers(data)["Where is it worse?"][:2] == (
        "nowhere clearly", "new, by ndcg@10, in 1 slice; but other is worse in country JP",
    )  # fmt: skip
    alone = values(valued(0.25, system="a"), valued(0.3, system="b"), systems=("a", "b"))
    assert answers(alone)["How good is it?"][1].startswith("b, ndcg@10: ")
    assert verdict(Reading(alone)).lead.startswith("b: ndcg@10 ")


def test_an_experiment_counts_the_units_of_all_variants() -> None:
    data = replace(
        compared(row(n=200)), kind=EXPERIMENT, counted="users", checked=Checked((), 5, {"users": 3000})
    )
    assert Reading(data).total == "3,000 users"


DATA = {
    "errors": (Checked((ERROR, WARNING), 5), "No", "1 error and 1 warning; see below"),
    "warnings": (Checked((WARNING,), 5), "With care", "1 warning"),
    "notes": (Checked((Problem("note", "a"),), 5), "No problem", "by 5 checks; 1 note below"),
    "nothing": (Checked((), 1), "Nothing found", "by 1 check"),
}


@pytest.mark.parametrize("name", DATA)
def test_whether_the_data_can_be_trusted(name: str) -> None:
    checked, answer, text = DATA[name]
    assert answers(compared(row(), checked=checked))["Can the data be trusted?"][:2] == (answer, text)


def test_the_gravest_warning_and_few_units_are_named() -> None:
    grave = Problem("warning", "7 of 10 returned items without a judgment", share=0.7)
    few = Problem("warning", "intervals: only 3.1 effective of 40 users for auc", "few_units")
    found = answers(compared(row(), checked=Checked((grave, few), 5)))["Can the data be trusted?"]
    assert found[1] == (
        "2 warnings, such as returned items without a judgment (70.0%); few units are behind some intervals"
    )
    assert answers(compared(row(), checked=Checked((few,), 5)))["Can the data be trusted?"][:2] == (
        "With care",
        "1 warning; few units are behind some intervals",
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Kolmogorov-Smirnov distance", "Kolmogorov-Smirnov distance"), ("Brier score", "Brier score"),
     ("Cohen's kappa", "Cohen's kappa"), ("Rank-biased precision", "rank-biased precision"),
     ("AUC", "AUC"), ("Mean rank", "mean rank")],
)  # fmt: skip
def test_a_title_within_a_sentence_keeps_the_capital_of_a_person(title: str, expected: str) -> None:
    assert inside(title) == expected


def test_other_conventions_are_counted() -> None:
    first = Recounted("as it is", 9, 0.2, "better")
    other = (
        first,
        Recounted("a", 9, 0.2, "better"),
        Recounted("b", 9, 0.1, "worse"),
        Recounted("c", error="no"),
    )
    data = compared(row(), checked=Checked((WARNING,), 5), otherwise=other)
    expected = "1 warning; the verdict is the same in 1 of 2 other ways to count"
    assert answers(data)["Can the data be trusted?"][1] == expected


UNCLEAR = {
    "even": (compared(row(verdict="unclear", value=0.21, half=0.02)), "+5%, unclear"),
    "untested": (compared(row(verdict="not tested")), "+25.0%, not tested"),
    "from 0": (compared(row(before=0.0, value=0.1)), "+0.100"),
    "target": (compared(row(metric=RATIO, before=1.4, value=1.1), metrics=(RATIO,)), "−0.300"),
    "no value": (compared(row(value=None, verdict="not tested")), "no value"),
    "lower": (compared(row(metric=LOSS, value=0.1), metrics=(LOSS,)), "50% better"),
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_a_change_that_is_no_verdict_is_called_unclear(name: str) -> None:
    data, expected = UNCLEAR[name]
    assert answers(data)["By how much?"][0] == expected
