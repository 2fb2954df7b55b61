"""The options of functions: one declaration for types, signatures, docstrings and the command line."""

from __future__ import annotations

import inspect
import re
from typing import Any

import click
import pytest

import duckmetrics
from duckmetrics.api import data, options
from duckmetrics.api.data import Data
from duckmetrics.cli.main import cli
from duckmetrics.switches import Switches, TableParameters

NAMES = [
    "check", "compare", "conventions", "curve", "data", "evaluate", "explain", "leaderboard", "plan",
    "sampled", "ties",
]  # fmt: skip
METHODS = [name for name in NAMES if name != "data"]
# The name of an option where it is not that of the argument.
NAMED = {
    "metrics": "--metric", "columns": "--column", "n": "--top", "methods": "--method", "table": "curve",
    "switches": "--set", "params": "--set", "connection": "--database",
}  # fmt: skip
# Arguments that the command line does not need: a second opinion of a chart, a session.
ONLY_IN_PYTHON = {"engine"}


def declared_names(function: Any) -> set[str]:
    """Return the names of the class that a type checker sees."""
    written = function.__wrapped__.__annotations__
    kept = next(text for name, text in written.items() if name in ("options", "params"))
    known = {**vars(options), "of": options, **vars(data), "TableParameters": TableParameters}
    return set(eval(re.fullmatch(r"Unpack\[(.+)\]", kept)[1], known).__annotations__)  # type: ignore[index]


@pytest.mark.parametrize("function", [
    *(getattr(duckmetrics, name) for name in NAMES), *(getattr(Data, name) for name in METHODS),
], ids=[*NAMES, *(f"Data.{name}" for name in METHODS)])  # fmt: skip
def test_type_checkers_and_signatures_know_the_same_options(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    of_switches = {*Switches.__annotations__} if "switches" in parameters else set()
    of_switches |= {*TableParameters.__annotations__} if "params" in parameters else set()
    named = {name for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY}
    assert declared_names(function) == named | of_switches


@pytest.mark.parametrize("name", METHODS)
def test_a_question_takes_what_its_function_takes_but_the_data(name: str) -> None:
    of_function = set(inspect.signature(getattr(duckmetrics, name)).parameters)
    of_method = set(inspect.signature(getattr(Data, name)).parameters) - {"self"}
    of_data = set(inspect.signature(duckmetrics.data).parameters)
    assert of_method - of_data - {"by", "items"} == of_function - of_data - {
        "sd",
        "rate",
        "past",
        "by",
        "items",
    }


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_has_an_option(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    known = {text for one in command.params for text in (one.name or "", *one.opts)}
    arguments = inspect.signature(getattr(duckmetrics, name)).parameters
    missing = [
        one for one in arguments if not {one, f"--{one.replace('_', '-')}", NAMED.get(one, one)} & known
    ]  # fmt: skip
    assert set(missing) <= ONLY_IN_PYTHON


@pytest.mark.parametrize("name", NAMES)
def test_no_placeholder_is_left_in_a_docstring(name: str) -> None:
    text = inspect.getdoc(getattr(duckmetrics, name)) or ""
    arguments = text.partition("Args:\n")[2].partition("\n\n")[0]
    named = re.findall(r"^    (?:\*\*)?(\w+):", arguments, re.MULTILINE)
    assert len(named) == len(set(named))
    assert all(len(line) <= 110 for line in text.splitlines())


def test_defaults_are_those_of_the_readers() -> None:
    parameters = inspect.signature(duckmetrics.compare).parameters
    shown = {name: parameters[name].default for name in ("test", "alpha", "power", "interval", "seed", "by")}
    assert shown == {
        "test": "paired_t", "alpha": 0.05, "power": 0.8, "interval": 0.95, "seed": 42, "by": None,
    }  # fmt: skip
    assert inspect.signature(duckmetrics.evaluate).parameters["interval"].default is None
