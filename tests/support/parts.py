"""Parts of the tests: what CI runs on one day of the tests that take long."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

# A slow test runs on one of 16 days, a test of Spark on one of three.
SLOW, SPARK = 16, 3
# Of the cases of each test with such a mark, a part has every N-th, and at least one.
CASES = {"spark": 8, "postgres": 4, "browser": 4, "engine": 2}


def other_parts(
    items: Sequence[pytest.Item], left_out: Sequence[pytest.Item], part: str
) -> list[pytest.Item]:
    """Return the tests that other parts run.

    Args:
        left_out: the cases that some(n) leaves out of a default run.
        part: "3/56": of these, and of the slow tests of Spark, those of the third of 56 days.
    """
    first, parts = map(int, part.split("/"))
    rarely = [*left_out, *(item for item in items if has(item, "spark") and has(item, "slow"))]
    taken = set(map(id, rarely))
    slow: list[pytest.Item] = []
    tests: dict[str, dict[str, list[pytest.Item]]] = {mark: {} for mark in CASES}
    for item in items:
        mark = next((mark for mark in CASES if has(item, mark)), None)
        if id(item) in taken or has(item, "days"):
            continue
        if has(item, "slow") and mark in (None, "engine"):
            slow.append(item)
        elif mark is not None:
            tests[mark].setdefault(item.nodeid.partition("[")[0], []).append(item)
    unwanted = _on_other_days(rarely, parts, first) + _on_other_days(slow, SLOW, first)
    for mark, cases in tests.items():
        apart = SPARK if mark == "spark" else 1
        for number, alike in enumerate(cases.values()):
            if (number - first) % apart:
                unwanted += alike
            else:  # whatever the days on which the test runs, each case has its turn
                unwanted += _others(alike, min(CASES[mark], len(alike)), first // apart)
    seldom = [(item, mark.args[0]) for item in items if (mark := item.get_closest_marker("days"))]
    return unwanted + [item for place, (item, days) in enumerate(seldom) if (place - first) % days]


def has(item: pytest.Item, mark: str) -> bool:
    return item.get_closest_marker(mark) is not None


def _on_other_days(items: Sequence[pytest.Item], days: int, first: int) -> list[pytest.Item]:
    """Return the tests of other days: a test keeps its day when others are added or removed."""
    return [item for item in items if (crc32(item.nodeid.encode()) - first) % days]


def _others(alike: Sequence[pytest.Item], apart: int, first: int) -> list[pytest.Item]:
    return [item for place, item in enumerate(alike) if (place - first) % apart]
