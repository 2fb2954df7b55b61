"""A metric over time: two equal series, usual ranges, a title in the order of time, labels that fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.pages.chart import Chart
from duckmetrics.pages.marks import place
from duckmetrics.pages.timeline import over_time
from duckmetrics.words.times import label_of_day
from support.drawings import marks, of_class, parsed, points, texts

if TYPE_CHECKING:
    from duckmetrics.pages.curves import Picture

# The first of November 2026.
START = 20758.0
DAY, SECOND = 1.0, 1 / 86_400


def series(values: list[float | None], step: float = DAY, **usual: Any) -> list[dict[str, Any]]:
    """Return the rows of runs; the usual range is that of the last one."""
    rows: list[dict[str, Any]] = [
        {"day": START + i * step, "value": value, "lower": None, "upper": None,
         **dict.fromkeys(("usual", "usual_lower", "usual_upper"))}
        for i, value in enumerate(values)
    ]  # fmt: skip
    rows[-1].update(usual)
    return rows


BELOW = {"usual": "below", "usual_lower": 0.66, "usual_upper": 0.82}
WITHIN = {**BELOW, "usual": "within"}


def drawn(picture: Picture) -> Any:
    return parsed(Chart(picture.title, picture.said, None, picture.drawing).svg())  # type: ignore[arg-type]


def test_two_series_are_equals_with_names_at_the_ends_of_their_lines() -> None:
    picture = over_time("auc", {"new": series([0.7, 0.72]), "old": series([0.66, 0.66])})
    root = drawn(picture)
    assert not of_class(root, "path", "line", "s0")
    assert len(of_class(root, "path", "line", "s1")) == len(of_class(root, "path", "line", "s2")) == 1
    names = {text.text: text for text in of_class(root, "text", "end")}
    assert [(name, text.get("class"), text.get("x")) for name, text in sorted(names.items())] == [
        ("new", "end s1", "100%"), ("old", "end s2", "100%"),
    ]  # fmt: skip
    assert texts(root).count("new") == 1  # the key does not repeat it


def test_names_at_the_ends_do_not_overlap_and_long_ones_stand_in_the_key() -> None:
    name = "candidate_of_november"
    root = drawn(over_time("auc", {name: series([0.7, 0.72]), "old": series([0.66, 0.72])}))
    first, second = (float(text.get("y", "").rstrip("%")) for text in of_class(root, "text", "end"))
    assert second - first == pytest.approx(6)
    assert name in texts(root)
    assert "candida…vember" in texts(root)


TITLES: dict[str, dict[str | None, list[dict[str, Any]]]] = {
    "auc went from 0.700 on 1 Nov to 0.720 on 3 Nov": {None: series([0.7, 0.8, 0.72])},
    "auc of new went from 0.699 on 1 Nov to 0.722 on 3 Nov; of old from 0.660 to 0.650": {
        "new": series([0.699, 0.7, 0.722]), "old": series([0.66, 0.7, 0.65]),
    },
    "auc of new went from 0.699 on 1 Nov to 0.722 on 3 Nov; "
    "of old went from 0.660 on 1 Nov to 0.700 on 2 Nov": {
        "new": series([0.699, 0.7, 0.722]), "old": series([0.66, 0.7, None]),
    },
    "auc went from 0.700 on 1 Nov to 0.580 on 3 Nov, outside its usual range of 0.660 to 0.820": {
        None: series([0.7, 0.7, 0.58], **BELOW),
    },
    "auc of B went from 0.700 on 1 Nov to 0.580 on 3 Nov, outside its usual range of 0.660 to 0.820; "
    "1 of 2 other series is outside theirs": {
        "A": series([0.9, 0.6, 0.65], **BELOW), "B": series([0.7, 0.7, 0.58], **BELOW),
        "C": series([0.7, 0.7, 0.7], **WITHIN),
    },
    "auc of A went from 0.900 on 1 Nov to 0.650 on 3 Nov, the largest change of 3 series": {
        "A": series([0.9, 0.6, 0.65]), "B": series([0.7, 0.7, 0.58]), "C": series([0.7, 0.7, 0.7]),
    },
    "auc went from 0.700 to 0.720 on 1 Nov 00:00": {None: series([0.7, 0.72], SECOND)},
    "auc is 0.700 on 1 Nov 00:00": {None: series([0.7])},
    "auc has no value": {None: series([None])},
}  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_the_title_is_in_the_order_of_time(title: str) -> None:
    assert over_time("auc", TITLES[title]).title == title


def test_many_series_without_a_second_run_have_a_title_with_values() -> None:
    given: dict[str | None, Any] = {
        name: series([value]) for name, value in zip("ABC", (0.5, 0.7, 0.6), strict=True)
    }
    assert over_time("auc", given).title == "auc: 0.700 of B to 0.500 of A, 3 systems"


def test_the_usual_range_is_a_band_and_a_value_outside_a_ring() -> None:
    picture = over_time("auc", {None: series([0.7, 0.7, 0.58], **BELOW)})
    root = drawn(picture)
    (band,) = [path for path in of_class(root, "path", "band", "usual") if "h" not in path.get("d", "")]
    low, high = 0.58 - 0.24 * 0.06, 0.82 + 0.24 * 0.06
    ends = [pytest.approx((end - low) / (high - low), abs=2e-3) for end in (0.82, 0.82, 0.66, 0.66)]
    assert points(band) == list(zip((0.5, 1.0, 1.0, 0.5), ends, strict=True))
    (rings,) = of_class(root, "g", "diff")
    assert marks(rings) == [("ring", 100)]
    assert {"usual range", "outside the usual range"} <= set(texts(root))
    assert "0.580 on 3 Nov (outside the usual range)" in picture.said
    assert '<i class="usual"></i>' in Chart("", "", None, picture.drawing).html()  # type: ignore[arg-type]


def test_two_series_have_rings_alone_and_small_charts_have_ranges() -> None:
    low, usual = series([0.7, 0.7, 0.58], **BELOW), series([0.7, 0.7, 0.7], **WITHIN)
    root = drawn(over_time("auc", {"A": low, "B": usual}))
    assert not of_class(root, "path", "band", "usual")
    assert "outside the usual range" in texts(root)
    root = drawn(over_time("auc", {"A": low, "B": usual, "C": usual}))
    assert len(of_class(root, "path", "band", "usual")) == 3 + 1  # and the swatch
    assert "usual range" in texts(root)


def test_without_a_range_nothing_stands_in_the_key() -> None:
    shown = set(texts(drawn(over_time("auc", {None: series([0.7, 0.7])}))))
    assert not {"usual range", "outside the usual range", "another release or tag"} & shown
    changed = over_time("auc", {None: series([0.7, 0.7])}, marks=[(START + 1, "commit b")])
    assert "another release or tag" in texts(drawn(changed))


def ticks(picture: Picture) -> list[str]:
    return [text for text in texts(drawn(picture)) if re.match(r"\d+ Nov", text)]


@pytest.mark.parametrize(
    ("step", "labels"),
    [
        (9 * SECOND, ["1 Nov 00:00"]),
        (30 * SECOND, ["1 Nov 00:00", "1 Nov 00:01"]),
        (DAY / 4, ["1 Nov 00:00", "1 Nov 06:00", "1 Nov 12:00", "1 Nov 18:00"]),
        (5 * DAY, ["3 Nov", "8 Nov", "13 Nov"]),
    ],
)
def test_a_label_of_time_neither_repeats_nor_overlaps_the_one_before(step: float, labels: list[str]) -> None:
    picture = over_time("auc", {None: series([0.7, 0.71, 0.72, 0.73], step)})
    assert ticks(picture) == labels


def test_small_charts_have_room_for_few_times() -> None:
    given: dict[str | None, Any] = {name: series([0.7, 0.71, 0.72, 0.73], DAY / 4) for name in "ABC"}
    assert ticks(over_time("auc", given)) == ["1 Nov 00:00", "1 Nov 12:00"] * 3


def test_runs_within_one_minute_have_one_label_at_the_first() -> None:
    rows = [{**row, "day": row["day"] + 10 * SECOND} for row in series([0.7, 0.71, 0.72], 9 * SECOND)]
    assert ticks(over_time("auc", {None: rows})) == ["1 Nov 00:00"]
    one = drawn(over_time("auc", {None: rows[:1]}))
    (label,) = [text for text in one.iter("text") if text.text == "1 Nov 00:00"]
    assert label.get("x") == place(0.5, (0, 1))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1 Nov 00:00"), (59, "1 Nov 00:00"), (60, "1 Nov 00:01"), (86_399, "1 Nov 23:59")],
)
def test_a_minute_begins_as_in_the_table(seconds: int, text: str) -> None:
    assert label_of_day(START + seconds * SECOND, 1) == text
