"""``python -m benchmarks.mutations``: do the tests detect changes of one token?

A mutant is the project with one token of one file under sql/ or duckmetrics/compose/ changed. A seed draws
the same mutants again, so that two sets of tests can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]
IN_SQL = {
    r"<=": "<", r"(?<![<>=-])>=": ">", r" < ": " <= ", r" > ": " >= ", r" \+ ": " - ", r" - ": " + ",
    r" \* ": " + ",
    r"\bLEFT JOIN\b": "JOIN", r"\bDISTINCT ": "", r"\bAND\b": "OR", r"\bOR\b": "AND", r"\bDESC\b": "ASC",
    r"\bIS NULL\b": "IS NOT NULL", r"\bIS NOT NULL\b": "IS NULL", r"\bmin\(": "max(", r"\bmax\(": "min(",
    r"\bsum\(": "max(", r"\bgreatest\(": "least(", r"\bleast\(": "greatest(", r"\b0\b": "1", r"\b1\b": "2",
    r"\bcount\(\*\)": "1", r"\bUNION ALL\b": "UNION", r"\bceil\(": "floor(", r"\bfloor\(": "ceil(",
}  # fmt: skip
IN_PYTHON = {
    r" == ": " != ", r" != ": " == ", r" <= ": " < ", r" < ": " <= ", r" > ": " >= ", r" >= ": " > ",
    r" and ": " or ", r" or ": " and ", r"\bnot in\b": "in", r"\bTrue\b": "False", r"\bFalse\b": "True",
    r"\bis not None\b": "is None", r"\bis None\b": "is not None", r"\bany\(": "all(", r"\ball\(": "any(",
    r" \+ ": " - ", r"\[0\]": "[-1]", r"\b1\b": "2",
}  # fmt: skip
MACROS = "sql/duckmetrics.sql"
# After this number of seconds, a mutant that does not end counts as noticed.
PATIENCE = 1800
# They compare a text with one generated from the files, and so notice every change.
TEXTS = ("fresh", "golden", "text_of_every_dialect")


class Mutant(NamedTuple):
    """One changed token."""

    path: str
    start: int
    end: int
    new: str

    def applied(self, text: str) -> str:
        """Return the text of the file with the change."""
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self) -> str:
        text = (ROOT / self.path).read_text("utf-8")
        line = text.count("\n", 0, self.start) + 1
        return f"{self.path}:{line}: {text[self.start : self.end]!r} -> {self.new!r}"


def mutants(count: int, seed: int) -> list[Mutant]:
    """Draw mutants: two of three in sql/, and no file again before all others."""
    chance = random.Random(seed)
    sql = [path for path in sorted((ROOT / "sql").glob("*/**/*.sql")) if "macros" not in path.parts]
    python = sorted((ROOT / "duckmetrics/compose").glob("*.py"))
    return _drawn(sql, IN_SQL, chance, count - count // 3) + _drawn(python, IN_PYTHON, chance, count // 3)


def _drawn(paths: Sequence[Path], rules: dict[str, str], chance: random.Random, count: int) -> list[Mutant]:
    found: list[Mutant] = []
    while len(found) < count:
        for path in chance.sample(paths, len(paths)):
            if (known := list(_of_file(path, rules))) and len(found) < count:
                found.append(chance.choice(known))
    return found


def _of_file(path: Path, rules: dict[str, str]) -> Iterator[Mutant]:
    """Yield every change of a file, except in headers, comments and docstrings."""
    text = path.read_text("utf-8")
    spared = r"--[^\n]*" if path.suffix == ".sql" else r'"""[\s\S]*?"""|#[^\n]*|^(?:from|import) [^\n]*'
    quiet = [match.span() for match in re.finditer(spared, text, re.MULTILINE)]
    name = str(path.relative_to(ROOT))
    for pattern, new in rules.items():
        for match in re.finditer(pattern, text):
            if not any(start <= match.start() < end for start, end in quiet):
                yield Mutant(name, match.start(), match.end(), new)


def noticed(folder: Path, batch: Sequence[Mutant], arguments: Sequence[str]) -> dict[str, bool]:
    """Run the tests on several mutants at once; on a failure, run the failed tests on each mutant.

    Mutants of different files seldom hide each other, and a test that none of them fails need not run again.
    """
    with changed(folder, batch):
        passed = _passes(folder, ["--cache-clear", "--tb=no", *arguments])
    if passed or len(batch) == 1:
        return {str(mutant): not passed for mutant in batch}
    failures = folder / ".pytest_cache/v/cache/lastfailed"
    # The file is missing if the tests could not be collected, or did not end.
    failed = failures.read_bytes() if failures.exists() else None
    found = {}
    for mutant in batch:
        again = ["-x", "--cache-clear"]
        if failed is not None:
            failures.write_bytes(failed)
            again = ["-x", "--lf", "-n", "0"]
        with changed(folder, [mutant]):
            found[str(mutant)] = not _passes(folder, [*again, *arguments])
    return found


@contextmanager
def changed(folder: Path, mutants: Sequence[Mutant]) -> Iterator[None]:
    """Apply mutants of different files, also to the macros, and revert them at the end."""
    paths = [*(mutant.path for mutant in mutants), MACROS]
    whole = {path: (folder / path).read_text("utf-8") for path in paths}
    try:
        for mutant in mutants:
            (folder / mutant.path).write_text(mutant.applied(whole[mutant.path]), "utf-8")
        _run(folder, ["duckmetrics", "macros", "-o", MACROS])
        yield
    finally:
        for path, text in whole.items():
            (folder / path).write_text(text, "utf-8")


def _passes(folder: Path, arguments: Sequence[str]) -> bool:
    """Run the tests of a copy of the project, including the commands that they start."""
    left_out = " and ".join(f"not {text}" for text in TEXTS)
    return _run(folder, ["pytest", "-q", "-k", left_out, *arguments])


def _run(folder: Path, arguments: Sequence[str]) -> bool:
    """Run a module of Python in a copy of the project; return whether it succeeded."""
    command = [sys.executable, "-m", *arguments]
    ours = {**os.environ, "PYTHONPATH": str(folder)}
    quiet = subprocess.DEVNULL
    run = subprocess.Popen(command, cwd=folder, env=ours, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return run.wait(PATIENCE) == 0
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        return False


def batches(mutants: Sequence[Mutant], size: int) -> Iterator[list[Mutant]]:
    """Put mutants of different files together."""
    pending = list(mutants)
    while pending:
        batch: dict[str, Mutant] = {}
        for mutant in pending:
            if len(batch) < size:
                batch.setdefault(mutant.path, mutant)
        pending = [mutant for mutant in pending if mutant not in batch.values()]
        yield list(batch.values())


def main() -> None:
    """Print every mutant and whether the tests notice it, and write the answers as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--together", type=int, default=8, help="the number of mutants per test run")
    parser.add_argument("--output", type=Path, help="file of the answers, by mutant")
    parser.add_argument(
        "--only",
        type=Path,
        action="append",
        default=[],
        help="answers of another run: try only mutants not noticed there; may be repeated",
    )
    parser.add_argument("tests", nargs="*", help="arguments of pytest")
    options = parser.parse_args()
    earlier = [json.loads(path.read_text()) for path in options.only]
    known = {mutant for answer in earlier for mutant, noticed in answer.items() if noticed}
    answers: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "project"
        shutil.copytree(
            ROOT, folder, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache")
        )
        if not _passes(folder, ["--tb=no", *options.tests]):
            sys.exit("the tests fail without a mutant; fix them first")
        pending = [m for m in mutants(options.count, options.seed) if str(m) not in known]
        for batch in batches(pending, options.together):
            found = noticed(folder, batch, options.tests)
            answers |= found
            for mutant, is_noticed in found.items():
                print("noticed" if is_noticed else "MISSED ", mutant, flush=True)
            if options.output:
                options.output.write_text(json.dumps(answers, indent=2))
    print(f"{sum(answers.values())} of {len(answers)} are noticed")


if __name__ == "__main__":
    main()
