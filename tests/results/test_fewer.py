"""Results with many slices or systems: a reader sees the worst 20, files and frames have all."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from support.command_line import exports, run

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation
    from support.command_line import Command

__all__ = ["exports", "run"]

# Part i of 50 has i correct rows of 50; so accuracy is i / 50, and log loss falls with i.
ROWS = """
SELECT part, 1 AS label, CASE WHEN i < part THEN 0.9 ELSE 0.2 END AS score,
    CASE WHEN i <= part THEN 0.9 ELSE 0.2 END AS other
FROM range(50) AS parts(part), range(50) AS numbers(i)
"""
METRICS = ["accuracy(threshold=0.5)", "log_loss"]


@pytest.fixture(scope="module")
def sliced() -> Evaluation:
    return duckmetrics.evaluate(ROWS, None, METRICS, by="part")


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return duckmetrics.compare(ROWS, None, METRICS, score={"A": "score", "B": "other"}, by="part")


def shown_slices(text: str) -> list[int]:
    """Return the slices of the lines of a table."""
    return [int(line.split()[0]) for line in text.splitlines() if line[:1].isdigit()]


def test_of_many_slices_the_worst_are_printed_and_the_others_counted(sliced: Evaluation) -> None:
    text = repr(sliced)
    assert shown_slices(text) == list(range(20))
    assert "(all)" in text
    assert "part: the 20 worst of 50 by accuracy(threshold=0.5)" in text
    page = sliced._repr_html_()
    assert page.count("<tr>") == 22
    assert "the 20 worst of 50" in page


def test_the_worst_of_a_metric_where_lower_is_better_are_the_highest() -> None:
    losses = duckmetrics.evaluate(ROWS, None, ["log_loss"], by="part")
    assert shown_slices(repr(losses)) == list(range(20))


def test_long_tables_are_cut_as_well(sliced: Evaluation) -> None:
    text = "\n".join(sliced.lines(wide=False))
    assert len(set(shown_slices(text))) == 20
    assert "the 20 worst of 50" in text


def test_what_is_no_screen_has_all_slices(sliced: Evaluation) -> None:
    assert sliced.summary.num_rows == 2 * 51
    assert len(sliced.to_dict()["rows"]) == 2 * 51
    assert sliced.to_latex().count(r"\\") == 52
    assert sliced.shown().html().count("<tr>") == 52


def test_few_slices_stay_in_their_order() -> None:
    rows = f"SELECT * FROM ({ROWS}) WHERE part BETWEEN 3 AND 22"
    text = repr(duckmetrics.evaluate(rows, None, METRICS, by="part"))
    assert shown_slices(text) == list(range(3, 23))
    assert "worst" not in text


def test_of_many_systems_the_best_are_printed() -> None:
    runs = {f"s{i}": {"q1": {"a": 30 - i, "b": 30, "x": 15}} for i in range(30)}
    result = duckmetrics.evaluate(runs, {"q1": {"a": 1, "x": 2}}, ["ndcg@10", "mrr"])
    text = repr(result)
    assert sum(line[:1] == "s" and line[1:2].isdigit() for line in text.splitlines()) == 20
    assert "the 20 best of 30 systems by ndcg@10" in text
    assert "Evaluation of 30 systems" in text


def test_a_comparison_shows_the_worst_slices(compared: Comparison) -> None:
    page = compared._repr_html_()
    # The table has all rows together and 20 slices of both metrics, and a header.
    assert page.count("<tr>") == 2 * 21 + 1
    assert "part: the 20 worst of 50 by" in page
    assert compared.summary.num_rows == 2 * 2 * 51
    assert compared.to_latex().count(r"\\") == 2 * 51 + 1


@pytest.mark.slow
def test_a_table_of_pairs_shows_the_worst_slices() -> None:
    scores = {"A": "score", "B": "other"}
    result = duckmetrics.compare(ROWS, None, METRICS, score=scores, by="part", pairs=True)
    assert len(set(shown_slices(repr(result)))) == 20
    assert "the 20 worst of 50" in repr(result)


@pytest.mark.slow
def test_a_leaderboard_shows_the_best_systems_and_the_worst_slices() -> None:
    runs = {f"s{i}": {"q1": {"a": 30 - i, "b": 30, "x": 15}, "q2": {"a": i}} for i in range(30)}
    board = duckmetrics.leaderboard(runs, {"q1": {"a": 1, "x": 2}, "q2": {"a": 1}}, "ndcg@10")
    assert "the 20 best of 30 systems" in repr(board)
    assert board._repr_html_().count("<tr>") == 21
    assert board.summary.num_rows == 30
    sliced = duckmetrics.leaderboard(ROWS, None, METRICS[0], score={"A": "score", "B": "other"}, by="part")
    assert repr(sliced).count(" where part=") == 20
    assert sliced.summary.num_rows == 2 * 51


def test_the_command_prints_few_slices_and_writes_all(run: Command, tmp_path: Path) -> None:
    command = ["evaluate", f"sql:{ROWS}", "-m", ",".join(METRICS), "--by", "part"]
    assert len(shown_slices(run(*command).out)) == 20
    assert len(shown_slices(run(*command, "--format", "plain").out)) == 2 * 50
    assert len(json.loads(run(*command, "--format", "json").out)["rows"]) == 2 * 51


def test_40_000_slices_are_printed_in_seconds(sliced: Evaluation) -> None:
    """The time grows with the number of slices, not with its square."""
    first = [row for row in sliced.rows if row["slice"]]
    many = [{**first[i % 2], "part": i // 2, "value": (i % 977) / 977} for i in range(80_000)]
    result = replace(sliced, rows=(*sliced.rows[:2], *many))
    start = time.process_time()
    assert "worst of" in repr(result)
    assert result._repr_html_()
    result.lines(wide=False)
    assert time.process_time() - start < 20
