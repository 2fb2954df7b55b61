"""The pictures of charts, leaderboards and A/B tests, made by the commands that the pages show.

python docs/pages/charts.py        # writes docs/_static/charts/*.svg
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from duckmetrics.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs/howto" / name for name in ("charts.md", "leaderboard.md", "ab-tests.md")]
FOLDER = ROOT / "docs/_static/charts"
COMMAND = re.compile(
    r"^duckmetrics ((?:chart|leaderboard|ab) (?:[^\n]*\\\n)*[^\n]* -o (\w+\.svg))$", re.MULTILINE
)
# The tables that commands read, made by SQL on the page.
MADE = re.compile(r"^duckdb <<'END'\n(.*?)^END$", re.MULTILINE | re.DOTALL)
TABLE = "runs.parquet"
SHOWN = re.compile(r"^!\[[^\]]+\]\(\.\./_static/charts/(\w+\.svg)\)$", re.MULTILINE)


def commands() -> dict[str, str]:
    """Return the commands of the pages whose picture they show, by the name of the file."""
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    found = {file: command.replace("\\\n", " ") for command, file in COMMAND.findall(text)}
    return {file: found[file] for file in SHOWN.findall(text)}


def write(file: str, folder: Path) -> None:
    """Run the command of a picture; the same data give the same picture."""
    words = [str(folder / file) if word == file else word for word in shlex.split(commands()[file])]
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with TemporaryDirectory() as place, contextlib.chdir(place), quiet[0], quiet[1]:
        Path("data").symlink_to(ROOT / "data")
        if TABLE in words:
            (sql,) = (sql for page in PAGES for sql in MADE.findall(page.read_text("utf-8")) if TABLE in sql)
            duckdb.connect().execute(sql)
        cli.main(words, prog_name="duckmetrics", standalone_mode=False)


if __name__ == "__main__":
    for name in commands():
        write(name, FOLDER)
