"""CI runs every test: each has marks that a stage of ``.ci/run`` selects, and each stage is on its list."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from typing import NamedTuple

import pytest
from _pytest.mark.expression import Expression

from support.cases import ROOT

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
