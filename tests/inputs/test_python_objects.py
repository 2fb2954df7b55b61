"""Objects of Python that are not quite tables are read, or refused with what to write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import duckmetrics
from duckmetrics.errors import DuckmetricsError, InputError, MetricError
from support.followed import options

RUN = {"q": {"a": 1.0, "b": 2.0}}
TRUTH = {"q": {"a": 1}}
Y, P = [1, 0, 1], [0.9, 0.2, 0.7]


def test_a_series_with_named_levels_is_read() -> None:
    """A Series of scores by query and item, named or not; so is one of the truth."""
    index = pd.MultiIndex.from_tuples([("q", "a"), ("q", "b")], names=["query_id", "item_id"])
    for name in ("score", None):
        series = pd.Series([1.0, 2.0], index=index, name=name)
        assert duckmetrics.evaluate(series, TRUTH, "mrr")["mrr"] == 0.5
    judged = pd.Series([1, 0], index=index)
    assert duckmetrics.evaluate(RUN, judged, "mrr")["mrr"] == 0.5
    unnamed = pd.Series([1.0, 2.0], index=index.set_names([None, None]))
    with pytest.raises(InputError, match=r"rename_axis\(\['query_id', 'item_id'\]\)"):
        duckmetrics.evaluate(unnamed, TRUTH, "mrr")
    assert duckmetrics.evaluate(unnamed.rename_axis(["query_id", "item_id"]), TRUTH, "mrr")["mrr"] == 0.5


@pytest.mark.parametrize("one", [pd.Series(P), pl.Series(P), np.array(P)])
def test_one_column_is_not_a_table(one: Any) -> None:
    with pytest.raises(InputError, match=r"has no names of columns; .*\{'label': y, 'score': p\}"):
        duckmetrics.evaluate(one, metrics="auc")
    assert duckmetrics.evaluate({"label": np.array(Y), "score": one.to_numpy() if hasattr(one, "to_numpy")
                                 else one}, metrics="auc")["auc"] == 1.0  # fmt: skip


@pytest.mark.parametrize(
    ("call", "right"),
    [
        (duckmetrics.compare, lambda: duckmetrics.compare({"A": RUN, "B": RUN}, TRUTH, "mrr")),
        (duckmetrics.leaderboard, lambda: duckmetrics.leaderboard({"A": RUN, "B": RUN}, TRUTH, "mrr")),
    ],
)
def test_systems_are_one_argument(call: Any, right: Any) -> None:
    """Three tables, with metrics and without."""
    for given in ((RUN, RUN, TRUTH), (RUN, RUN, TRUTH, "mrr")):
        with pytest.raises(MetricError, match=r"\(\{'A': run_a, 'B': run_b\}, truth, metrics\)"):
            call(*given)
    assert right()


def test_a_value_for_every_row_is_refused_with_a_list() -> None:
    with pytest.raises(InputError, match=r"'weight' is one value; .*\[2\.0\] \* 3"):
        duckmetrics.evaluate({"label": Y, "score": P, "weight": 2.0}, metrics="auc")
    assert duckmetrics.evaluate({"label": Y, "score": P, "weight": [2.0] * 3}, metrics="auc")["auc"] == 1.0


def test_lists_of_items_are_rankings() -> None:
    """The first item is the best; the truth may be lists or sets. By hand: a is second, c is first."""
    run = {"q": ["b", "a"], "r": ["c"]}
    for truth in ({"q": ["a"], "r": ["c"]}, {"q": {"a"}, "r": {"c"}}, {"q": {"a": 1}, "r": {"c": 1}}):
        assert duckmetrics.evaluate(run, truth, "mrr")["mrr"] == 0.75
    with pytest.raises(
        InputError, match="are a set, which has no order; give a list with the best item first"
    ):
        duckmetrics.evaluate({"q": {"a", "b"}}, TRUTH, "mrr")


def test_lists_of_paths_are_files() -> None:
    with pytest.raises(InputError, match=r"a\.parquet: no such file"):
        duckmetrics.evaluate({"A": ["a.parquet", "b.parquet"]}, TRUTH, "mrr")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (({"label": y, "score": 0.5} for y in Y), r"generator.*pd\.DataFrame\(list\(rows\)\)"),
        (zip(Y, P, strict=True), r"zip.*pd\.DataFrame\(list\(rows\)\)"),
        ([(1, 0.5)], r"list.*pd\.DataFrame\(list\(rows\)\)"),
        ({"label": (y for y in Y), "score": P}, r"'label' is a generator.*'label': list"),
        ({"label": Y, "score": map(float, P)}, r"'score' is a map.*'score': list"),
    ],
)  # fmt: skip
def test_what_is_read_only_once_is_refused_with_list(given: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        duckmetrics.evaluate(given, metrics="auc")


def test_rows_as_a_frame_are_read() -> None:
    rows = ({"label": y, "score": p} for y, p in zip(Y, P, strict=True))
    assert duckmetrics.evaluate(pd.DataFrame(list(rows)), metrics="auc")["auc"] == 1.0


DAYS: dict[str, Any] = {
    "user_id": [1, 1, 2, 2], "item_id": [7, 7, 7, 7], "score": [1.0, 1.0, 1.0, 1.0], "day": [1, 2, 1, 2],
}  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("given", [{}, {"by": "day"}, {"by": "day", "duplicates": "first"}])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict])
def test_a_user_of_several_days_is_a_longer_key(given: Any, kind: Any) -> None:
    """The advice names the key; with it the call works, and every query has its own list."""
    run, truth = kind(DAYS), kind({name: DAYS[name] for name in ("user_id", "item_id", "day")})
    columns = {"query_id": "user_id"}
    with pytest.raises(InputError) as raised:
        duckmetrics.evaluate(run, truth, "mrr", columns=columns, **given)
    advised = options(str(raised.value))["columns"]
    assert advised == {"query_id": "user_id+day"}
    result = duckmetrics.evaluate(run, truth, "mrr", columns=advised, **given)
    assert result.summary.column("n")[0].as_py() == 4
    assert result.summary.column("value")[0].as_py() == 1.0


def test_a_forgotten_truth_is_named_before_columns() -> None:
    with pytest.raises(InputError, match="no truth table, which mrr needs"):
        duckmetrics.evaluate({"user_id": [1], "item_id": [2], "score": [0.5]}, metrics="mrr")


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["NDCG@10", "ndcg@10", "ranking.ndcg@10", "ndcg(gain=exp2)@5"])
def test_a_spec_is_described_by_its_name(name: str) -> None:
    assert duckmetrics.describe(name) == duckmetrics.describe("ndcg")


def test_a_name_of_another_tool_is_described_after_its_advice() -> None:
    with pytest.raises(DuckmetricsError, match=r"write ranking\.recall@10"):
        duckmetrics.describe("R@10")
    assert duckmetrics.describe("ranking.recall@10").startswith("ranking.recall")


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_labels_and_scores_by_position_are_answered_with_the_call(kind: Any) -> None:
    with pytest.raises(InputError, match=r"evaluate\(\{'label': y_true, 'score': y_score\}, metrics='auc'\)"):
        duckmetrics.evaluate(kind(Y), kind(P), "auc")
    assert duckmetrics.evaluate({"label": kind(Y), "score": kind(P)}, metrics="auc")["auc"] == 1.0


def test_two_series_with_named_levels_are_a_run_and_its_truth() -> None:
    index = pd.MultiIndex.from_tuples([("q", "a"), ("q", "b")], names=["query_id", "item_id"])
    run, judged = pd.Series([1.0, 2.0], index=index), pd.Series([1, 0], index=index)
    assert duckmetrics.evaluate(run, judged, "mrr")["mrr"] == 0.5


def test_rows_as_dictionaries_are_a_table() -> None:
    rows = [{"query_id": "q", "item_id": item, "score": score} for item, score in RUN["q"].items()]
    assert duckmetrics.evaluate(rows, TRUTH, "mrr")["mrr"] == 0.5
    assert (
        duckmetrics.evaluate([{"label": y, "score": p} for y, p in zip(Y, P, strict=True)], metrics="auc")[
            "auc"
        ]
        == 1
    )


def test_whole_numbers_may_be_items() -> None:
    found = duckmetrics.evaluate({1: [10, 20], 2: [30]}, {1: [20], 2: (30,)}, "mrr")
    assert found["mrr"] == 0.75
