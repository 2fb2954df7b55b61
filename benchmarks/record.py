"""``python -m benchmarks record``: a billion clicks and a billion recommendations, with little memory.

The rows are written by SQL, and their metrics are known in closed form (`known.py`). Every value is compared,
for recommendations the value of every user, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks import known
from benchmarks.timing import LAUNCHER

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPTS = Path(__file__).with_name("data")
# Rows of a file, and of a user, of each of the two sets.
PART = 10_000_000
# Recommendations that are evaluated at once.
CHUNK = 100_000_000
SETS = {"clicks": known.ROWS, "recommendations": known.LIST}
# The limit of DuckDB with which the process stays below 4 GiB: it needs memory that DuckDB does not count.
LIMITS = {"clicks": "1900MB", "recommendations": "3400MB"}
LEVEL = 0.95
# The largest differences from the closed form: relative for a value; as a share of its width for an interval;
# absolute for a user.
OVERALL, OF_WIDTH, OF_USER = 1e-9, 1e-4, 1e-12
# Seconds between two lines of progress.
PAUSE = 10


@dataclass
class Measured:
    """A process that ended.

    Attributes:
        mib: its peak resident memory.
        spilled: the most bytes that it had on disk at a time.
        result: its JSON.
    """

    seconds: float
    cpu: float
    mib: float
    spilled: int
    result: dict[str, Any]

    def line(self, name: str, rows: int) -> str:
        """Return a line of the page."""
        return (f"| {name} | {rows:,} | {self.seconds:.0f} | {self.cpu:.0f} | {self.mib:.0f} "
                f"| {self.spilled / 1e9:.1f} |")  # fmt: skip


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks record", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/.data/record"), help="for the data")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"), help="for the pages")
    parser.add_argument("--rows", type=int, default=1_000_000_000, help="of each of the two sets")
    limits = ", ".join(f"{limit} for {name}" for name, limit in LIMITS.items())
    parser.add_argument("--memory-limit", help=f"the limit of DuckDB; by default {limits}")
    parser.add_argument("--only", choices=SETS, help="one of the two sets")
    options = parser.parse_args(arguments)
    if options.rows < 1 or options.rows % 10_000:
        parser.error(f"--rows {options.rows}: not a multiple of 10,000, which the closed form needs")
    folder = options.folder.absolute() / str(options.rows)
    options.output.mkdir(parents=True, exist_ok=True)
    for name in [options.only] if options.only else SETS:
        limit = options.memory_limit or LIMITS[name]
        generate(folder, name, options.rows, limit)
        measured = evaluate(folder, name, options.rows, limit)
        page = "\n".join([
            f"# A record of {name}", "",
            f"Written by `python -m benchmarks record`; DuckDB's memory limit is {limit}.", "",
            "| set | rows | seconds | CPU seconds | peak MiB | spilled GB |",
            "|---|---:|---:|---:|---:|---:|", measured.line(name, options.rows), "",
            "| value | computed | closed form |", "|---|---:|---:|",
            *compare(folder, name, options.rows, measured.result), "",
        ])  # fmt: skip
        print(page)
        (options.output / f"record_{name}.md").write_text(page, "utf-8")


# --- the rows ------------------------------------------------------------------------------------


def generate(folder: Path, name: str, rows: int, memory_limit: str) -> None:
    """Write a set in parts that are not there yet; every part is a folder with its files."""
    users, of_part = rows // SETS[name], PART // SETS[name]
    starts = range(0, users, of_part)
    begin, written = time.monotonic(), 0
    for number, first in enumerate(starts):
        place = folder / name / f"part-{number:03}"
        if place.exists():
            continue
        _write(
            place, name, {"first": first, "last": min(first + of_part, users), "users": users}, memory_limit
        )
        written += 1
        left = (time.monotonic() - begin) / written * (len(starts) - number - 1)
        _tell(f"{name}: part {number + 1} of {len(starts)} written, {_clock(left)} left")


def _write(place: Path, name: str, values: dict[str, int], memory_limit: str) -> None:
    """Write the files of a part, under another name until they are complete."""
    draft = place.with_name("draft")
    draft.mkdir(parents=True, exist_ok=True)
    with chdir(draft), duckdb.connect(config={"memory_limit": memory_limit}) as connection:
        for statement in connection.extract_statements((SCRIPTS / f"{name}.sql").read_text("utf-8")):
            wanted = {n: value for n, value in values.items() if n in statement.named_parameters}
            connection.execute(statement, wanted)
    draft.rename(place)


# --- the evaluation ------------------------------------------------------------------------------


def evaluate(folder: Path, name: str, rows: int, memory_limit: str) -> Measured:
    """Evaluate a set; the time of its first part shows about how long all parts take."""
    expected = None
    if rows > PART:
        first = _run(_command(name, "part-000", PART, memory_limit), folder / name, f"{name}: the first part")
        expected = first.seconds * rows / PART
    return _run(_command(name, "part-*", rows, memory_limit), folder / name, f"{name}: all parts", expected)


def _command(name: str, parts: str, rows: int, memory_limit: str) -> list[str]:
    """Return the command that evaluates some parts of a set."""
    if name == "clicks":
        tables = [f"{parts}/clicks.parquet"]
        metrics = [*known.of_clicks(2)]
        options = ["--column", "group_id=user_id", "--cluster", "user_id", "--interval", str(LEVEL)]
    else:
        tables = [f"{parts}/predictions.parquet", f"{parts}/truth.parquet"]
        metrics = [*known.of_recommendations()]
        options = ["--per-query", "per_query.parquet", "--chunks", str(max(rows // CHUNK, 1))]
    return [
        sys.executable, "-m", "duckmetrics", "evaluate", *tables, "-m", ",".join(metrics), *options,
        "--format", "json", "--memory-limit", memory_limit,
    ]  # fmt: skip


def _run(command: Sequence[str], place: Path, what: str, expected: float | None = None) -> Measured:
    """Run a command in a folder, and show how long it has run, how long it may take, and what it spills."""
    begin, spilled = time.monotonic(), 0
    told = begin
    with tempfile.TemporaryDirectory(dir=place) as spill, tempfile.NamedTemporaryFile("r") as report:
        launched = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            LAUNCHER,
            report.name,
            *command,
            "--temp-directory",
            spill,
        ]
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(launched, stdout=output, stderr=subprocess.PIPE, cwd=place, text=True)
            while process.poll() is None:
                time.sleep(0.2)
                spilled = max(spilled, _bytes_in(spill))
                if time.monotonic() - told >= PAUSE:
                    told = time.monotonic()
                    _tell(_progress(what, told - begin, expected, spilled))
            seconds, cpu, kib, status = json.load(report)
            if status:
                sys.exit(f"{what}: {process.stderr.read().strip() if process.stderr else ''}")
            output.seek(0)
            return Measured(seconds, cpu, kib / 1024, spilled, json.load(output))


def _progress(what: str, elapsed: float, expected: float | None, spilled: int) -> str:
    left = "" if expected is None else f", about {_clock(max(expected - elapsed, 0))} left"
    return f"{what}: {_clock(elapsed)}{left}, {spilled / 1e9:.1f} GB spilled"


def _bytes_in(folder: str) -> int:
    """Return the bytes that the files of a folder take on the disk."""
    found = 0
    for path in Path(folder).rglob("*"):
        try:
            found += path.stat().st_blocks * 512
        except OSError:  # DuckDB has deleted it
            continue
    return found


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- the closed form -----------------------------------------------------------------------------


def compare(folder: Path, name: str, rows: int, result: dict[str, Any]) -> list[str]:
    """Compare values with the closed form, and return the lines of the page.

    Raises:
        SystemExit: a value differs.
    """
    rows_of = {row["metric"]: row for row in result["rows"]}
    found = {metric: row["value"] for metric, row in rows_of.items()}
    users = rows // SETS[name]
    if name == "clicks":
        right = known.of_clicks(users)
        allowed = {metric: OVERALL * value for metric, value in right.items()}
        bounds = known.gauc_bounds(users, LEVEL)
        for bound, value in zip(("lower", "upper"), bounds, strict=True):
            metric = f"{bound} bound of gauc"
            found[metric], right[metric] = rows_of["gauc"][bound], value
            allowed[metric] = OF_WIDTH * (bounds[1] - bounds[0])
    else:
        right = known.of_recommendations()
        allowed = {metric: OVERALL * value for metric, value in right.items()}
        compare_users(folder / name / "per_query.parquet", users)
    for metric, value in right.items():
        if not abs(found[metric] - value) <= allowed[metric]:
            sys.exit(f"{name}: {metric} is {found[metric]}, not {value}")
    return [f"| {metric} | {found[metric]:.12f} | {value:.12f} |" for metric, value in right.items()]


def compare_users(file: Path, users: int) -> None:
    """Compare the value of every user.

    Raises:
        SystemExit: a value is missing, or differs.
    """
    rows = [(d, m, value) for d in range(10) for m, value in known.of_user(d).items()]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE known (digit INTEGER, metric VARCHAR, value DOUBLE)")
        connection.executemany("INSERT INTO known VALUES (?, ?, ?)", rows)
        query = """
            SELECT count(*) FROM read_parquet(?) AS computed
            JOIN known ON known.metric = computed.metric AND known.digit = computed.query_id % 10
            WHERE abs(computed.value - known.value) <= ?"""
        ((right,),) = connection.execute(query, [str(file), OF_USER]).fetchall()
        ((n,),) = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(file)]).fetchall()
    wanted = users * len(known.of_recommendations())
    if not right == n == wanted:
        sys.exit(f"recommendations: {right:,} right values of {n:,} in {os.fspath(file)}, not {wanted:,}")
