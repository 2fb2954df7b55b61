"""The worst habits of our English stay out: they are easy to find, and hard to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HABITS = {
    r'"""(What|Where|Say|Tell|Tells|Says)\b': "begin a docstring with a verb, such as Return",
    r"\bso many\b": "write: the number of",
    r"\b(is|are|was) told\b": "write: is reported, is given",
    r"\btells? (of|what|how|whether|which|us|you)\b": "write: shows, reports",
    r"\bof which (less|more|fewer)\b": "write: lower is better",
    r"\bbeside\b": "write: next to, in addition to",
    r"\bnothing is known of\b": "write: is unknown",
    r"\bno guide\b": "write: is unreliable",
}
SKIPPED = (
    "sql/duckmetrics.sql",
    "tests/project/test_english.py",
    "tests/data",
    "docs/_build",
    "docs/try/node_modules",
    "docs/numbers.json",
)
FOLDERS = {
    "duckmetrics": ("py", "md", "toml"),
    "sql": ("sql",),
    "tests": ("py",),
    "docs": ("md", "py"),
    ".": ("md",),
}


def files() -> list[Path]:
    found: list[Path] = []
    for folder, endings in FOLDERS.items():
        for ending in endings:
            pattern = f"*.{ending}" if folder == "." else f"**/*.{ending}"
            found += (ROOT / folder).glob(pattern)
    return [path for path in found if not str(path.relative_to(ROOT)).startswith(SKIPPED)]


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_is_gone(habit: str) -> None:
    pattern = re.compile(habit)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == [], HABITS[habit]
