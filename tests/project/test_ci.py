"""CI runs every test: each has marks that a stage of ``.ci/run`` selects, and each stage is on its list."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from typing import Any, NamedTuple

import pytest
from _pytest.mark.expression import Expression

from support.cases import ROOT
from support.parts import other_parts

CI = (ROOT / ".ci/run").read_text("utf-8").replace("\\\n", " ")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
MARKS = {mark.partition(":")[0].partition("(")[0] for mark in SETTINGS["markers"]} - {
    "some",
    "days",
    "engine",
}
COLLECT = """
import json, sys, pytest
class Collected:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        self.found = [(item.nodeid, [mark.name for mark in item.iter_markers()]) for item in items]
collected = Collected()
sys.stdout = sys.stderr
pytest.main(["-n", "0", "--collect-only", "-q", "-m", ""], plugins=[collected])
json.dump(collected.found, sys.__stdout__)
"""


class Run(NamedTuple):
    """A call of pytest: which marks it selects, below which paths."""

    marks: Expression
    paths: tuple[str, ...]

    def selects(self, test: str, marks: list[str]) -> bool:
        """Return whether it runs a test."""
        return test.startswith(self.paths) and self.marks.evaluate(lambda name, **_: name in marks)


def runs() -> list[Run]:
    """Return the calls of pytest in CI with all of a part, and the command of the README."""
    (elsewhere,) = re.findall(r"^elsewhere='(.*)'$", CI, re.MULTILINE)
    (default,) = re.findall(r"-m '(.*)'$", SETTINGS["addopts"])
    found = [Run(Expression.compile(default), ("",))]
    for options in re.findall(r"^\s*\.venv[\w-]*/bin/python -m pytest (.*)$", CI, re.MULTILINE):
        marks = re.search(r"-m (?:\"(.*?)\"|(\w+))", options)
        if marks:
            text = (marks[1] or marks[2]).replace("$elsewhere", elsewhere)
            found.append(Run(Expression.compile(text), tuple(re.findall(r"tests/\S+", options)) or ("",)))
    return found


def test_each_stage_is_on_the_list() -> None:
    """A call without arguments runs the stages of the list."""
    (listed,) = re.findall(r"^all=\((.*)\)$", CI, re.MULTILINE)
    assert listed.split() == re.findall(r"^stage_(\w+)\(\)", CI, re.MULTILINE)
    assert 'export PYTEST_ADDOPTS="--all-must-run' in CI


@pytest.mark.parametrize("part", range(2))
def test_each_stage_runs_on_one_of_two_days(part: int) -> None:
    """Without arguments, the stages of a day are all but one; the next day runs that one."""
    chosen = (
        CI[CI.index("all=(") : CI.index("# The programs")]
        + CI[CI.index("(($#)) ||") : CI.index("for stage; do")]
    )
    done = subprocess.run(
        ["bash", "-c", f'day={part}\n{chosen}\necho "$@"'], capture_output=True, text=True, check=True
    )
    (listed,) = re.findall(r"^all=\((.*)\)$", CI, re.MULTILINE)
    (in_turn,) = re.findall(r"^in_turn=\((.*)\)$", CI, re.MULTILINE)
    assert done.stdout.split() == [stage for stage in listed.split() if stage != in_turn.split()[part]]


class Item(NamedTuple):
    """A test with marks."""

    nodeid: str
    marks: tuple[str, ...]

    def get_closest_marker(self, name: str) -> Any:
        return (
            pytest.mark.days(4).mark if name == "days" and name in self.marks else name in self.marks or None
        )


@pytest.mark.parametrize("marks", [
    ("slow",), ("spark",), ("spark", "slow"), ("postgres",), ("browser", "slow"), ("browser", "slow", "days"),
    ("engine",), ("engine", "slow"),
])  # fmt: skip
def test_each_case_is_in_a_part_of_56_days(marks: tuple[str, ...]) -> None:
    """Whatever the number of its cases, and of the tests before it."""
    items = [Item(f"test_{n}[{i}]", marks) for n in range(1, 21) for i in range(n)]
    seen = set(items)
    for day in range(56):
        seen &= set(other_parts(items, [], f"{day}/56"))
    assert not seen
    assert other_parts(items, [], "3/56")


def test_the_oldest_release_runs_the_cases_that_the_next_leaves_out() -> None:
    items = [Item(f"test_{n}[{i}]", ("engine",)) for n in range(1, 21) for i in range(n)]
    for day in range(56):
        assert not set(other_parts(items, [], f"{day}/56")) & set(other_parts(items, [], f"{day + 1}/56"))


def test_each_mark_is_selected_by_a_stage() -> None:
    """A default run leaves out each mark of something that a machine may lack."""
    default, *stages = runs()
    for mark in MARKS:
        assert not default.selects("tests/a", [mark]), mark
        assert any(run.selects("", [mark]) or run.selects(run.paths[0], [mark]) for run in stages), mark


@pytest.mark.slow
def test_each_test_is_selected_by_a_stage() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tests: list[tuple[str, list[str]]] = json.loads(done.stdout)
    known = runs()
    missed = [name for name, marks in tests if not any(run.selects(name, marks) for run in known)]
    assert len(tests) > 10_000
    assert not missed
