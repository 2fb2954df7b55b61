"""docs/reference/json.md: every example matches the output of its command; no command or key is missing."""

from __future__ import annotations

import json
import math
import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.cli.main import COMMANDS, cli
from duckmetrics.results.tabular import KEYS, VERSION, document, json_text
from support.cases import ROOT
from support.command_line import Command
from support.command_line import document as read

if TYPE_CHECKING:
    import click

PAGE = (ROOT / "docs/reference/json.md").read_text("utf-8")
EXAMPLES = re.findall(r"```bash\n(duckmetrics .*?)\n```\n\n```json\n(.*?)```", PAGE, re.DOTALL)


def near(found: Any, shown: Any) -> bool:
    """Return whether two documents are equal except for the last digits of numbers."""
    if isinstance(found, dict) and isinstance(shown, dict):
        return list(found) == list(shown) and all(near(found[key], shown[key]) for key in found)
    if isinstance(found, list) and isinstance(shown, list):
        return len(found) == len(shown) and all(map(near, found, shown))
    if isinstance(found, float) and isinstance(shown, float):
        return math.isclose(found, shown, rel_tol=1e-7, abs_tol=1e-15)
    return type(found) is type(shown) and bool(found == shown)


@pytest.mark.engine
@pytest.mark.some(1)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: " ".join(example[0].split()[1:3]))
def test_an_example_is_what_the_command_prints(
    example: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command, shown = example
    outcome = Command(capsys)(*shlex.split(command.replace("\\\n", " "))[1:])
    assert outcome.code in (0, 1), outcome.err
    assert near(read(outcome.out), json.loads(shown)), f"write this into the page:\n{outcome.out}"


def options(command: click.Command) -> set[str]:
    return {text for param in command.params for text in param.opts}


def test_every_command_that_prints_json_has_an_example() -> None:
    with cli.make_context("duckmetrics", [], resilient_parsing=True) as context:
        known = {name: cli.get_command(context, name) for name in COMMANDS}
    printing = {name for name, command in known.items() if command and "--format" in options(command)}
    shown = {command.split()[1] for command, _ in EXAMPLES}
    # A group has no options of its own.
    assert shown == printing | {"test"}
    for command, text in EXAMPLES:
        assert json.loads(text)["command"] == command.split()[1]


def test_every_key_is_explained() -> None:
    explained = [
        name
        for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    assert tuple(explained[: len(KEYS)]) == KEYS
    for _, text in EXAMPLES:
        assert set(json.loads(text)) <= set(explained)
    assert f'"version": {VERSION},' in PAGE


def test_numbers_that_json_does_not_have_are_texts() -> None:
    rows = [{"value": math.nan, "p": 0.0, "list": [math.inf, 1.5], "p_adjusted": 1e-320, "n": 3, "x": None}]
    assert read(json_text(document("evaluate", rows)))["rows"] == [
        {"value": "nan", "p": 1e-300, "list": ["inf", 1.5], "p_adjusted": 1e-300, "n": 3, "x": None}
    ]
