"""Parts that the tests share: the catalogue, the tiny cases, and evaluation next to the reference."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest

from duckmetrics.cli.main import RARELY
from duckmetrics.compose import branches as reused
from duckmetrics.engines import spark as spark_small
from support.cases import ALONE, TOGETHER, open_case

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

pytest_plugins = ["support.must_run"]
# As the command line does: trees of SQL are many small objects, and to look at them is a fifth of a run.
gc.set_threshold(RARELY)
# Tests print tables of 100 columns, whatever the width of the terminal.
os.environ["COLUMNS"] = "100"
# Of the slow tests, a part of CI runs every 16th, and of those of Spark every other one.
APART, SPARK_APART = 16, 2
# Of the cases of each test with such a mark, it runs every N-th, and at least one.
ROTATED = {"spark": 8, "postgres": 4, "browser": 4, "engine": 2}
# The marks that a default run leaves out.
ELSEWHERE = ("slow", "spark", "connect", "postgres", "warehouse", "browser", "bench")


@pytest.fixture(params=(TOGETHER, *ALONE))
def case(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """Create a connection with the tables `predictions` and `truth` of one case, or of several."""
    connection = open_case(request.param)
    yield connection
    connection.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = (
        "run only a part of the cases that some(n) leaves out, and of the slow tests of Spark: 3/14 is every "
        f"14th, from the third on; of the other slow tests every {APART}th; of the cases of each test with a "
        f"mark among {', '.join(ROTATED)} a part that is larger, and at least one; of these of Spark every "
        f"{SPARK_APART}nd"
    )
    parser.addoption("--part", metavar="N/M", help=help_)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without the mark that ``-m`` begins with: to collect all takes half a minute."""
    asked = str(config.option.markexpr).partition(" ")[0]
    marks = ("slow", "some") if asked == "slow" else (asked,)
    if asked not in (*ELSEWHERE, *ROTATED) or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    return None if any(f"mark.{mark}" in text for mark in marks) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to ``-m slow`` the cases that ``@pytest.mark.some(n)`` leaves out: all but n, evenly spaced.

    Cases that other marks leave out of a default run do not count.
    """
    left_out: list[pytest.Item] = []
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("some") and not any(map(item.get_closest_marker, ELSEWHERE)):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for alike in cases.values():
        (n,) = next(alike[0].iter_markers("some")).args
        kept = {len(alike) * (2 * i + 1) // (2 * n) for i in range(n)}
        for place, item in enumerate(alike):
            if place not in kept:
                item.add_marker(pytest.mark.slow)
                left_out.append(item)
    if config.getoption("--part") is not None:
        _leave_out(config, items, _other_parts(items, left_out, config.getoption("--part")))


def _other_parts(items: list[pytest.Item], left_out: list[pytest.Item], part: str) -> list[pytest.Item]:
    """Return the tests that other parts run.

    Args:
        left_out: the cases that some(n) leaves out.
    """
    first, parts = map(int, part.split("/"))

    def others(alike: list[pytest.Item], apart: int) -> list[pytest.Item]:
        return [item for place, item in enumerate(alike) if (place - first) % apart]

    seldom = [(item, mark.args[0]) for item in items if (mark := item.get_closest_marker("days"))]
    rarely = [*left_out, *(item for item in items if all(map(item.get_closest_marker, ("spark", "slow"))))]
    taken = set(map(id, rarely))
    slow: list[pytest.Item] = []
    cases: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        mark = next(filter(item.get_closest_marker, ROTATED), None)
        is_slow = item.get_closest_marker("slow") is not None
        if id(item) in taken:
            continue
        if mark is None or (mark == "engine" and is_slow):
            slow += [item] if is_slow else []
        else:
            cases.setdefault((mark, item.nodeid.partition("[")[0]), []).append(item)
    unwanted = others(rarely, parts) + others(slow, APART)
    of_spark: list[pytest.Item] = []
    for (mark, _), alike in cases.items():
        unwanted += (away := others(alike, min(ROTATED[mark], len(alike))))
        of_spark += [item for item in alike if mark == "spark" and item not in away]
    unwanted += others(of_spark, SPARK_APART)
    return unwanted + [item for place, (item, days) in enumerate(seldom) if (place - first) % days]


def pytest_collection_finish() -> None:
    """Let the garbage collector never look at the tests and the modules again."""
    gc.freeze()


def _leave_out(config: pytest.Config, items: list[pytest.Item], unwanted: list[pytest.Item]) -> None:
    """Run all tests but these."""
    known = set(map(id, unwanted))
    config.hook.pytest_deselected(items=unwanted)
    items[:] = [item for item in items if id(item) not in known]


@pytest.fixture(autouse=True)
def no_queries_of_earlier_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose the queries of each test anew, because some tests replace the query of a definition."""
    monkeypatch.setattr(reused, "_KNOWN", {})


@pytest.fixture(autouse=True)
def tables_stay_with_spark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the queries of tests of Spark there, because their tables are small enough for DuckDB."""
    if request.node.get_closest_marker("spark"):
        monkeypatch.setattr(spark_small, "MOST_ROWS", 0)
