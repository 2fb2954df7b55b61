"""The public functions: docstrings name every argument, and a misspelled one is not taken for a switch."""

from __future__ import annotations

import inspect
import re

import pytest

import duckmetrics
from duckmetrics import MetricError

FUNCTIONS = [name for name in duckmetrics.__all__ if inspect.isfunction(getattr(duckmetrics, name))]
# What runs in DuckDB, and reads tables that may be large.
LIMITS = {"threads", "memory_limit", "temp_directory", "snapshot", "time_zone"}
RUN, TRUTH = {"q1": {"a": 0.5}}, {"q1": {"a": 1}}
CLICKS = {"label": [1, 0], "score": [0.9, 0.1]}
# How each function is called that takes switches or parameters by name.
CALLS = {
    "curve": (CLICKS, "roc_curve"),
    "compare": ({"A": RUN, "B": RUN}, TRUTH, "mrr"),
    "leaderboard": ({"A": RUN, "B": RUN}, TRUTH, "mrr"),
}


def parameters_of(name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(duckmetrics, name)).parameters.values())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_docstring_names_every_argument(name: str) -> None:
    arguments = (inspect.getdoc(getattr(duckmetrics, name)) or "").partition("Args:")[2].partition("\n\n")[0]
    missing = [one.name for one in parameters_of(name) if not re.search(rf"\b{one.name}\b", arguments)]
    assert missing == []


@pytest.mark.parametrize("name", [
    name for name in FUNCTIONS
    if {"columns", "like"} <= {one.name for one in parameters_of(name)} or name == "curve"
])  # fmt: skip
def test_a_misspelled_argument_is_no_switch(name: str) -> None:
    more = {"n_items": 10} if name == "sampled" else {}
    with pytest.raises(MetricError, match=rf"colums=: {name} has no such argument; did you mean 'columns'"):
        getattr(duckmetrics, name)(*CALLS.get(name, (RUN, TRUTH, "mrr")), colums={}, **more)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "threads" in str(parameters_of(name))])
def test_who_takes_a_limit_takes_all(name: str) -> None:
    assert {one.name for one in parameters_of(name)} >= LIMITS


@pytest.mark.parametrize(
    ("typed", "meant"), [("level", "interval"), ("control", "baseline"), ("seeds", "seed")]
)
def test_an_argument_of_other_tools_leads_to_ours(typed: str, meant: str) -> None:
    with pytest.raises(MetricError, match=f"{typed}=: compare has no such argument; did you mean '{meant}'"):
        duckmetrics.compare(*CALLS["compare"], **{typed: 1})  # type: ignore[arg-type, misc]


def test_a_plan_from_numbers_takes_no_switch() -> None:
    with pytest.raises(MetricError, match="level: belongs to metrics of data, and no data are given"):
        duckmetrics.plan(sd=0.2, difference=0.02, level=0.9)  # type: ignore[call-arg]
