"""The test plan in CONTRIBUTING.md names, for each feature and each door, a file that uses it there."""

from __future__ import annotations

import re
from inspect import isfunction

import pytest

import duckmetrics
from duckmetrics.cli.main import COMMANDS
from support.cases import ROOT

# The commands whose name is not that of the function.
NAMED = {"run_test": "test"}
# The names of macros, where they are not that of the function.
MACROS = {
    "evaluate": r"evaluate(?:_classification|_by_query)?", "compare": r"compare(?:_classification)?",
    "check": r"inspect(?:_classification)?", "run_test": r"paired_t|mean_interval|wilcoxon",
    "curve": r"roc_curve|calibration_curve", "plan": r"planned_units",
}  # fmt: skip
# Words of the tests in the browser.
PAGE = {
    "evaluate": r"duckmetrics\.evaluate\(", "compare": r"duckmetrics\.compare\(", "check": '"Checks:" in',
    "conventions": r'found\["tools"\]', "curve": r"CATALOG\.tables", "report": r'browse\("standalone"',
    "sql": r'browse\("sql"',
}  # fmt: skip
DOORS = ("Python", "command line", "macros", "Spark", "page", "report or notebook")
NOT_OFFERED, NOT_TESTED = "—", "not tested"


def table() -> dict[str, dict[str, str]]:
    """Return the cells by feature and door."""
    text = (
        (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Which door each feature is tested at")[2]
    )
    lines = re.findall(r"^\|(.*)\|$", text.partition("\n## ")[0], re.MULTILINE)
    head, _, *rows = ([cell.strip() for cell in line.split("|")] for line in lines)
    assert head == ["feature", *DOORS]
    return {row[0].strip("`"): dict(zip(DOORS, row[1:], strict=True)) for row in rows}


def features() -> set[str]:
    """Return the functions that the command line has, too, and what only the command line draws."""
    functions = {name for name in duckmetrics.__all__ if isfunction(getattr(duckmetrics, name))}
    shared = {name for name in functions if NAMED.get(name, name) in COMMANDS}
    return shared - {"metrics"} | {"chart", "report"}


def uses(text: str, feature: str, door: str) -> bool:
    """Return whether a file has a call of a feature at a door."""
    # Some tests hand the function on.
    called = re.search(rf"\b{feature}\(|duckmetrics\.{feature}\b", text) is not None
    if door == "Python":
        return called
    if door == "command line":
        command = NAMED.get(feature, feature)
        return re.search(rf"[\"'(](?:duckmetrics )?{command}[\"' ,]", text) is not None and "run" in text
    if door == "macros":
        return re.search(rf"\b(?:{MACROS.get(feature, feature)})\b", text) is not None and "duckdb" in text
    if door == "Spark":
        return "mark.spark" in text and called
    if door == "page":
        return "mark.browser" in text and re.search(PAGE[feature], text) is not None
    return re.search(r"_repr_html_|report|html", text) is not None and feature in text


def test_each_feature_is_in_the_plan() -> None:
    assert set(table()) == features()


@pytest.mark.parametrize("door", DOORS)
def test_each_file_of_the_plan_uses_the_feature_at_the_door(door: str) -> None:
    n = 0
    for feature, cells in table().items():
        if cells[door] not in (NOT_OFFERED, NOT_TESTED):
            for path in re.findall(r"`(.*?)`", cells[door]):
                n += 1
                assert uses((ROOT / "tests" / path).read_text("utf-8"), feature, door), (feature, path)
    assert n > 3
