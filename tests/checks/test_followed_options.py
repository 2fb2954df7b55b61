"""Advice that names an option of Python or of a check is applied to the call that it is about, and works."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.errors import DuckmetricsError
from support.followed import options

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN: dict[str, Any] = {"query_id": [1, 1, 2], "item_id": [7, 8, 7], "score": [2.0, 1.0, 1.0]}
TRUTH: dict[str, Any] = {"query_id": [1, 2], "item_id": [7, 7], "relevance": [1, 1]}
USERS = {("user_id" if name == "query_id" else name): column for name, column in RUN.items()}
CLICKS: dict[str, Any] = {"label": [0, 1, 1], "score": [0.1, 0.9, 0.8]}
NONE = float("nan")


def of(table: Mapping[str, Any], **columns: Any) -> dict[str, Any]:
    return {**table, **columns}


# Tables and options of a refused call; the advice is a mapping or a value that the message writes in full.
REFUSED: dict[str, tuple[dict[str, Any], Any, Any, dict[str, Any]]] = {
    "an item with another name": (
        {"query_id": [1], "docno": [7], "score": [1.0], "extra": [1]}, TRUTH, "mrr", {}),
    "columns the wrong way round": (USERS, TRUTH, "mrr", {"columns": {"user_id": "query_id"}}),
    "a slice called as a result": (of(CLICKS, metric=[1, 1, 1]), None, "auc", {"by": "metric"}),
    "a slice called as a result, of a query": (of(RUN, value=[1, 1, 2]), TRUTH, "mrr", {"by": "value"}),
    "labels of words": (of(CLICKS, label=["no", "yes", "yes"]), None, "auc", {}),
    "labels of words with blanks": (of(CLICKS, label=["a no", "a yes", "a yes"]), None, "auc", {}),
    "duplicates": (of(RUN, item_id=[7, 7, 7]), TRUTH, "mrr", {}),
    "duplicates of the truth": (RUN, {"query_id": [1, 1, 2], "item_id": [7, 7, 7]}, "mrr", {}),
    "negative grades": (RUN, of(TRUTH, relevance=[-1, 1]), "mrr", {}),
    "missing grades": (RUN, of(TRUTH, relevance=[None, 1]), "mrr", {}),
    "missing queries": (RUN, of(TRUTH, query_id=[1, 3]), "mrr", {"missing": "error"}),
    "a percentage as a level": (CLICKS, None, "auc", {"interval": 95}),
}  # fmt: skip


def advised(message: str) -> dict[str, Any]:
    """Return the options that a message writes in full, or as the words after ``write`` and a mapping."""
    found = options(message)
    if mapping := re.search(r"write (\{.*?\})", message):
        found["columns"] = ast.literal_eval(mapping[1])
    if level := re.search(r"interval=\d+: .*write (0\.\d+)", message):
        found["interval"] = float(level[1])
    return found


@pytest.mark.some(4)
@pytest.mark.parametrize("case", REFUSED)
def test_the_option_that_is_advised_gives_a_value(case: str) -> None:
    predictions, truth, metric, given = REFUSED[case]
    with pytest.raises(DuckmetricsError) as raised:
        duckmetrics.evaluate(predictions, truth, metric, **given)
    found = advised(str(raised.value))
    assert found, str(raised.value)
    result = duckmetrics.evaluate(predictions, truth, metric, **{**given, **found})
    assert result.summary.column("value")[0].as_py() is not None


def test_every_option_in_the_advice_of_a_check_exists() -> None:
    """Words such as ``missing=skip`` in the headers are switches with these values, or arguments."""
    switches = {
        name: param for relation in catalog().relations.values() for name, param in relation.switches.items()
    }
    params = {name for metric in catalog().metrics.values() for name in metric.own_params}
    arguments = {"system", "by", "like", "group_id", "category", "rank", "labels", "catalog_size", "classes"}
    for check in [*catalog().checks.values(), *catalog().inspections.values()]:
        for name, value in re.findall(r"\b([a-z_]+)=(\w*)", check.header["advice"]):
            if name in switches and value and switches[name].choices:
                assert value in switches[name].choices, (check.name, name, value)
            assert name in switches or name in params or name in arguments, (check.name, name)
