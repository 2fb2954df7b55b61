"""The report of docs/howto/report.md, made by the first command of that page when the site is built."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from duckmetrics.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/report.md"
COMMAND = re.compile(r"^duckmetrics (report (?:[^\n]*\\\n)*[^\n]* -o (\w+\.html))$", re.MULTILINE)


def write(target: Path) -> None:
    """Run the command; the same data give the same report."""
    found = COMMAND.search(PAGE.read_text("utf-8"))
    assert found, PAGE
    command, file = found[1].replace("\\\n", " "), found[2]
    words = [str(target) if word == file else word for word in shlex.split(command)]
    target.parent.mkdir(parents=True, exist_ok=True)
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with contextlib.chdir(ROOT), quiet[0], quiet[1]:
        cli.main(words, prog_name="duckmetrics", standalone_mode=False)
