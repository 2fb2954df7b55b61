"""The wide form of results: systems and slices as rows, metrics as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duckmetrics import compare, evaluate
from support.command_line import MODELS, USERS
from support.little import evaluation, little

if TYPE_CHECKING:
    from duckmetrics import Evaluation


@pytest.fixture(scope="module")
def sliced() -> Evaluation:
    return evaluate(
        f"({MODELS})", "truth", ["rr", "dcg"], system="model", by=["plan"], queries=f"({USERS})",
        connection=little(),
    )  # fmt: skip


def test_a_row_is_a_system_and_a_slice(sliced: Evaluation) -> None:
    frame = sliced.to_pandas(wide=True)
    assert list(frame.columns) == ["system", "slice", "plan", "rr", "dcg"]
    assert len(frame) * 2 == len(sliced.rows)
    for line in frame.to_dict("records"):
        where = {"plan": None if line["plan"] != line["plan"] else line["plan"]} if line["slice"] else {}
        for metric in ("rr", "dcg"):
            assert line[metric] == sliced.value(metric, line["system"], **where)
    assert sliced.to_polars(wide=True).columns == list(frame.columns)


def test_keys_that_say_nothing_are_left_out() -> None:
    frame = evaluation(metric=["rr", "dcg"]).to_pandas(wide=True)  # type: ignore[arg-type]
    assert list(frame.columns) == ["rr", "dcg"]
    assert len(frame) == 1


def test_the_long_form_is_the_default(sliced: Evaluation) -> None:
    assert list(sliced.to_pandas().columns) == sliced.summary.column_names


def test_readable_columns_come_first_and_the_signature_last() -> None:
    tables = {"A": f"({MODELS}) WHERE model = 'A'", "B": f"({MODELS}) WHERE model = 'B'"}
    tables = {name: f"SELECT * EXCLUDE (model) FROM {text}" for name, text in tables.items()}
    found = compare(tables, "truth", ["rr", "dcg"], connection=little())
    names = found.summary.column_names
    assert names[:17] == [
        "system", "metric", "slice", "value", "lower", "upper", "baseline", "delta", "delta_lower",
        "delta_upper", "relative_change", "relative_lower", "relative_upper", "p", "p_adjusted",
        "verdict", "n",
    ]  # fmt: skip
    assert names[-1] == found.evaluation.summary.column_names[-1] == "signature"
    frame = found.to_pandas(wide=True)
    assert list(frame.columns) == [
        "system",
        *(f"{m}{rest}" for m in ("rr", "dcg") for rest in ("", " delta", " p_adjusted", " verdict")),
    ]
    assert frame["rr verdict"].tolist() == ["baseline", found.row("rr")["verdict"]]
    assert frame["dcg delta"].tolist()[1] == found.row("dcg")["delta"]
