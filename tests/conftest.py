"""Parts that the tests share: the catalogue, the tiny cases, and evaluation next to the reference."""

from __future__ import annotations

import gc
import os
import re
from typing import TYPE_CHECKING

import pytest

from duckmetrics.cli.main import RARELY
from duckmetrics.compose import branches as reused
from duckmetrics.engines import spark as spark_small
from support.cases import ALONE, TOGETHER, open_case
from support.parts import CASES, other_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

pytest_plugins = ["support.must_run"]
# As the command line does: trees of SQL are many small objects, and to look at them is a fifth of a run.
gc.set_threshold(RARELY)
# Tests print tables of 100 columns, whatever the width of the terminal.
os.environ["COLUMNS"] = "100"
# The marks that a default run leaves out.
ELSEWHERE = ("slow", "spark", "connect", "postgres", "warehouse", "browser", "bench")


@pytest.fixture(params=(TOGETHER, *ALONE))
def case(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """Create a connection with the tables `predictions` and `truth` of one case, or of several."""
    connection = open_case(request.param)
    yield connection
    connection.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "run only a part of the tests that take long, such as 3/56; see tests/support/parts.py"
    parser.addoption("--part", metavar="N/M", help=help_)


# What -m asks for if each test must have the mark in front.
_OF_ONE_MARK = re.compile(r"(\w+)( and (not )?(\w+|\([^()]*\)))*")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without the mark that every test must have: to collect all takes half a minute."""
    asked = _OF_ONE_MARK.fullmatch(config.option.markexpr)
    if asked is None or asked[1] not in (*ELSEWHERE, *CASES) or not collection_path.match("test_*.py"):
        return None
    marks = ("slow", "some") if asked[1] == "slow" else (asked[1],)
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
        _leave_out(config, items, other_parts(items, left_out, config.getoption("--part")))


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
