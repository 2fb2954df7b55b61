"""Intervals as lines of text, tables that fit, and signs for streams that lack some."""

from __future__ import annotations

import pytest

from duckmetrics.pages.screens import (
    Interval,
    ScreenColumn,
    decimals_for,
    drawings,
    fitted,
    number,
    padded,
    percent,
    percent_decimals,
    plain,
    table_lines,
    width_of,
    wrapped,
    writable,
)
from duckmetrics.results.tabular import cell_text
from duckmetrics.words.visible import visible_key


def test_an_interval_is_a_line_with_its_sign_and_zero() -> None:
    header, drawn = drawings(
        [Interval(-4, -2, 0, "▼"), Interval(2, 4, 6, "▲"), Interval(-2, 1, 4, "○"), None], 21
    )
    assert header == "worse   0      better"
    assert drawn == [
        "├───▼───┤            ",
        "        │   ├───▲───┤",
        "    ├───┼─○─────┤    ",
        "        │            ",
    ]


def test_a_wild_interval_is_cut_at_the_edge_with_an_arrow() -> None:
    tame = [Interval(1, 2, 3, "▲"), Interval(0, 1, 2, "○"), Interval(2, 3, 4, "▲")]
    for wild in (Interval(-90, -50, -10, "▼"), Interval(-90, 1, 90, "○"), Interval(2, 70, 99, "▲")):
        _, drawn = drawings([*tame, wild], 40)
        assert drawn[0].count("─") >= 4
        assert ("←" in drawn[3]) == (wild.low < -1)
        assert ("→" in drawn[3]) == (wild.high > 5)
        assert drawn[3].count(wild.sign) == 1


def test_right_is_better_where_lower_values_are() -> None:
    assert Interval(-3, -2, -1, "▲").turned == Interval(1, 2, 3, "▲")


@pytest.mark.parametrize(
    "rows", [[], [None], ["words"], [Interval(0, 0, 0, "○")], [Interval(0, 0, 0, "○"), None]]
)
def test_nothing_to_draw_is_no_error(rows: list[Interval | str | None]) -> None:
    header, drawn = drawings(rows, 14)
    assert len(drawn) == len(rows)
    assert {width_of(text) for text in (header, *drawn)} == {14}


def test_wide_letters_take_two_columns() -> None:
    assert [width_of(text) for text in ("ab", "東京", "e\u0301", "▲ ±")] == [2, 4, 1, 3]
    assert padded("東京", 6) == "東京  "
    assert padded("東京", 6, is_number=True) == "  東京"


def test_text_is_broken_between_words_and_long_words_within() -> None:
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("a bbbbbbbb c", 4, "  ") == ["a bb", "  bb", "  bb", "  bb", "  c"]
    assert "".join(wrapped("東京東京", 3)) == "東京東京"
    assert wrapped("", 10) == [""]


def columns() -> list[ScreenColumn]:
    return [
        ScreenColumn("metric", ["ndcg@10", "a rather long name of a metric"], is_number=False, is_key=True),
        ScreenColumn("n", ["10", "20"], rank=1),
        ScreenColumn("value", ["0.5", "0.25"]),
    ]


def test_columns_of_low_rank_leave_first() -> None:
    assert [column.name for column in fitted(columns(), 80)] == ["metric", "n", "value"]
    assert [column.name for column in fitted(columns(), 31)] == ["metric", "value"]


def test_a_long_name_stands_above_its_line() -> None:
    assert table_lines(columns(), 24) == [
        "metric    n  value",
        "───────────────────────",
        "ndcg@10  10    0.5",
        "a rather long name of a",
        "metric",
        "         20   0.25",
    ]
    stacked = ["ndcg@10", "  n 10", "  value", "    0.5", "a rather", "long name", "of a", "metric", "  n 20"]
    assert table_lines(columns(), 9) == [*stacked, "  value", "    0.25"]


def test_a_table_without_names_is_stacked_as_well() -> None:
    numbers = [ScreenColumn("value", ["0.5", "0.25"]), ScreenColumn("number", ["10", "20"])]
    stacked = ["  value", "    0.5", "  number", "    10", "  value", "    0.25", "  number", "    20"]
    assert table_lines(numbers, 10) == stacked


def test_signs_become_ascii_where_a_stream_lacks_them() -> None:
    text = "│ ├─▲┤ ▼ ○ ◆ – −1 ±2 ↓ ← →"
    assert writable([text], "utf-8") == [text]
    assert writable([text], "ascii") == [plain(text)] == ["| [-^] v o * - -1 ~2 v < >"]
    assert writable([text], "cp1252") == ["| [-^] v o * – -1 ±2 v < >"]
    assert plain(text).isascii()
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(
    ("half", "value", "text"),
    [(0.0025, 0.0452, "0.0452"), (0.16, 3.18, "3.18"), (31, 12345.6, "12,346"), (None, 0.5, "0.5000"),
     (0, 2.0, "2.0000"), (0.16, 0.0001, "0.0001"), (0.16, -0.001, "−0.001"), (0.16, 0.00002, "2.0e-05"),
     (0.16, 0.0, "0.00")],
)  # fmt: skip
def test_numbers_have_the_digits_that_their_interval_calls_for(
    half: float | None, value: float, text: str
) -> None:
    assert number(value, decimals_for(half)) == text


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [(0.18, 0.27, ["+18%", "+27%"]), (-0.0712, -0.0561, ["−7.1%", "−5.6%"]),
     (-0.0001, 0.00034, ["−0.01%", "+0.03%"]), (-0.001, 0.30, ["−0.1%", "+30.0%"]),
     (11.0, 12.5, ["+1,100%", "+1,250%"])],
)  # fmt: skip
def test_percentages_have_the_digits_that_their_interval_calls_for(
    low: float, high: float, texts: list[str]
) -> None:
    assert [percent(end, percent_decimals(low, high)) for end in (low, high)] == texts


def test_the_text_null_is_no_missing_value() -> None:
    assert [visible_key(value) for value in (None, "NULL", "", "null")] == ["NULL", "'NULL'", "''", "null"]
    assert [cell_text(value) for value in (None, "NULL", "null")] == ["NULL", "'NULL'", "null"]
