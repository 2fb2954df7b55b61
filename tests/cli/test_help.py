"""The help lists the commands by task, and every command shows an example."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

import click
import pytest

from duckmetrics.cli.main import COMMANDS, TASKS, Task, cli
from duckmetrics.statistics.run import titles
from support.command_line import Command
from support.loops import each

if TYPE_CHECKING:
    from pathlib import Path

# The line of an example, indented as click indents the text of a help.
EXAMPLE = "  duckmetrics {} "


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


def parsed(line: str) -> list[str]:
    """Parse an example, without running it; return the names of its commands."""
    command: click.Command = cli
    context, words, names = click.Context(cli), shlex.split(line), []
    assert words.pop(0) == "duckmetrics"
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, line
        names.append(words.pop(0))
        command, context = found, click.Context(found, parent=context)
    command.make_context(names[-1], words)
    return names


def test_every_command_belongs_to_one_task() -> None:
    counted = Counter(name for task in TASKS for name in task.commands)
    assert set(counted.values()) == {1}
    assert list(counted) == list(COMMANDS) == cli.list_commands(click.Context(cli))
    modules = {
        "runs",
        "states",
        "experiments",
        "compare",
        "evaluate",
        "questions",
        "catalogue",
        "sql",
        "statistical_tests",
    }
    assert set(COMMANDS.values()) == modules


@pytest.mark.parametrize("columns", [80, 100])
def test_the_help_lists_the_commands_of_a_task_below_its_title(
    run: Command, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    blocks = dict(re.findall(r"^(\S.*):\n((?:  .*\n)+)", out, re.MULTILINE))
    assert list(blocks) == ["Options", *(task.title for task in TASKS)]
    for task in TASKS:
        *lines, example = blocks[task.title].splitlines()
        assert [line.split()[0] for line in lines] == list(task.commands)
        assert all(line.endswith(".") and not line.endswith("..") for line in lines)
        assert example == f"  Example: duckmetrics {task.example}"
    assert max(map(len, out.splitlines())) <= columns


@each("task", TASKS, lambda task: task.title)
def test_the_example_of_a_task_is_one_of_its_commands(task: Task) -> None:
    (name, *_) = parsed(f"duckmetrics {task.example}")
    assert name in task.commands


@each("name", [*COMMANDS, *(f"test {name.replace('_', '-')}" for name in titles())])
def test_the_help_of_a_command_has_examples_that_it_can_parse(name: str) -> None:
    command: click.Command = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    context = click.Context(command, info_name=name)
    said = re.sub(r" \\\n +", " ", command.get_help(context))
    examples = [line.strip() for line in said.splitlines() if f"{line} ".startswith(EXAMPLE.format(name))]
    assert examples, f"add an example to the help of {name!r}"
    for example in examples:
        assert " ".join(parsed(example)).startswith(name)
