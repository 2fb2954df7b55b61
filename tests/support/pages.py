"""The code blocks of README and docs/: they run in the order of the page, and print the text below them.

To check pages by hand: ``PYTHONPATH=tests python -m support.pages docs/howto/slices.md``. With ``--write``,
outputs that differ are replaced by what was printed, except those that leave lines out with ``...``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.shell.shipped import find
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# The folders of docs/ that hold written pages, and the generated pages among them.
WRITTEN = (".", "tutorials", "howto", "explanation", "reference")
GENERATED = ("python.md", "cli.md", "all-macros.md", "home-bars.md")
RUN = ("python", "bash", "sql")
OUTPUT = "text"
SPARK = "needs spark"
NOT_RUN = ("not run: ", "test command")
FAILS = "exit code "
FENCE = re.compile(r"```(?P<language>\{?\w+\}?)")
BETWEEN = re.compile(r"|:.*|<!--.*-->")  # lines that do not separate a block from its output
MARK = "next block"
LEFT_OUT = "..."
COLORS = re.compile(r"\x1b\[[0-9;]*m")
INSTALL = re.compile(r"python3 -m venv \S+ && \.venv/bin/pip install [^&]* && \.venv/bin/")


def generated_pages() -> dict[str, str]:
    """Return the generated pages: path below docs/ -> text; skip the test if their numbers are stale."""
    if str(ROOT / "docs") not in sys.path:
        sys.path.append(str(ROOT / "docs"))
    write = import_module("pages.write")
    try:
        return dict(write.generated())
    except write.StaleNumbersError as error:
        pytest.skip(f"test_the_numbers_of_the_pages_are_those_of_these_definitions fails: {error}")


@dataclass
class Block:
    """A fenced block: its place, language, the comment above it, and the group that an output belongs to."""

    page: str
    line: int
    language: str
    text: str
    note: str
    group: int

    @property
    def runs(self) -> bool:
        return self.language in RUN and not self.note.startswith(NOT_RUN)

    @property
    def needs_spark(self) -> bool:
        return self.note == SPARK


def pages() -> list[Path]:
    """Return the pages that people write: README, CONTRIBUTING and docs/, without generated ones."""
    written = [path for folder in WRITTEN for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(p for p in written if p.name not in GENERATED)]


def blocks(page: Path) -> list[Block]:
    """Read the fenced blocks of a page."""
    found: list[Block] = []
    note, group, inside = "", 0, False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), start=1):
        if inside:
            inside = line != "```"
            if inside:
                found[-1].text += line + "\n"
        elif fence := FENCE.fullmatch(line):
            found.append(Block(str(page), number, fence["language"], "", note, group))
            note, inside = "", True
        elif line.startswith("<!-- "):
            note = line.removeprefix("<!-- ").removesuffix(" -->")
        elif not BETWEEN.fullmatch(line):
            note, group = "", group + 1
    return found


def wrong(page: Path, spark: bool = False, write: bool = False) -> list[str]:
    """Run a page; return its faults, each with file and line.

    Args:
        page: the Markdown file.
        spark: whether to run the blocks that need Spark; otherwise only the others run.
        write: whether to replace outputs that differ.
    """
    read = blocks(page)
    chosen = [block for block in read if block.runs and block.needs_spark == spark]
    with tempfile.TemporaryDirectory() as folder, _entered(Path(folder)):
        printed = dict(_printed(chosen))
    faults: list[str] = []
    replaced: dict[int, str] = {}
    for shown in (block for block in read if block.language == OUTPUT):
        above = [b for b in chosen if b.group == shown.group and b.line < shown.line]
        matching = [b for b in above if _is_shown(shown.text, printed[b.line][0])]
        if above and not matching:
            outputs = "or\n".join(printed[b.line][0] for b in above)
            if write and LEFT_OUT not in shown.text.splitlines():
                replaced[shown.line] = printed[above[-1].line][0]
            faults.append(f"{page}:{shown.line}: the output is not\n{shown.text}but\n{outputs}")
        for block in matching:  # a page may show what SQL refuses
            if block.language == "sql":
                printed[block.line] = shown.text, ""
    if replaced:
        _replace(page, replaced)
    return [*faults, *(f"{page}:{line}: {problem}" for line, (_, problem) in printed.items() if problem)]


def _replace(page: Path, replaced: Mapping[int, str]) -> None:
    """Write outputs into a page, by the line of the fence above each."""
    lines: list[str] = []
    skipping = False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), start=1):
        skipping = skipping and line != "```"
        if not skipping:
            lines.append(line)
        if number in replaced:
            lines += [text.rstrip() for text in replaced[number].strip("\n").splitlines()]
            skipping = True
    page.write_text("\n".join(lines) + "\n", "utf-8")


def _printed(chosen: list[Block]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield line -> (output, problem) of each block; SQL runs last, in one session of the shell."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in chosen:
        if block.language == "python":
            yield block.line, _python(block, names)
        elif block.language == "bash":
            yield block.line, run_bash(block)
    sql = [block for block in chosen if block.language == "sql"]
    for block, output in zip(sql, session([block.text for block in sql]), strict=True):
        yield block.line, (output, output if "Error:" in output else "")  # a page may show an error


def _python(block: Block, names: dict[str, Any]) -> tuple[str, str]:
    """Run a block in the namespace of its page."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + block.text, block.page, "exec"), names)
    except Exception as error:
        return out.getvalue(), f"{type(error).__name__}: {error}"
    return out.getvalue(), ""


def run_bash(block: Block) -> tuple[str, str]:
    """Run a block as a person would, but with the package under test instead of a new environment."""
    code = int(block.note.removeprefix(FAILS)) if block.note.startswith(FAILS) else 0
    folders = [str(Path(sys.executable).parent), str(Path(find()).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(folders)}
    environment.pop("COLUMNS", None)  # which pytest sets in some of its processes
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", INSTALL.sub("", block.text)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    problem = "" if done.returncode == code else f"exit code {done.returncode}: {done.stderr}"
    return done.stdout + (done.stderr if code else ""), problem


def session(texts: list[str]) -> list[str]:
    """Run blocks in one session of the real DuckDB shell; return the output of each, errors included."""
    if not texts:
        return []
    script = "".join(f".print {MARK}\n{text}" for text in texts)
    done = subprocess.run(
        [find(), "-init", "sql/duckmetrics.sql"], input=script,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return [COLORS.sub("", part) for part in done.stdout.split(f"{MARK}\n")[1:]]


def _is_shown(shown: str, output: str) -> bool:
    """Compare line by line without trailing blanks; a line ``...`` stands for any number of lines."""
    lines = [line.rstrip() for line in shown.splitlines()]
    pattern = "\n".join(r"(?:.*\n)*?.*" if line == LEFT_OUT else re.escape(line) for line in lines)
    return bool(re.fullmatch(pattern, "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")))


@contextlib.contextmanager
def _entered(folder: Path) -> Iterator[None]:
    """Work in a folder that has the sample data and the macros, as a clone has."""
    for name in ("data", "sql", "tests", "duckmetrics"):
        (folder / name).symlink_to(ROOT / name)
    columns = os.environ.pop("COLUMNS", None)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        if columns is not None:
            os.environ["COLUMNS"] = columns


def main(names: Sequence[str]) -> int:
    """Check pages by name, or all; print the faults and the number of blocks."""
    write = "--write" in names
    chosen = [Path(name).resolve() for name in names if name != "--write"] or pages()
    faults = [fault for page in chosen for fault in wrong(page, write=write)]
    ran = sum(block.runs and not block.needs_spark for page in chosen for block in blocks(page))
    print("\n".join([*faults, f"{ran} blocks ran, {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
