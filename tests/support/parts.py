"""Parts of the tests: what CI runs on one day of the tests that take long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

# Of the slow tests, a part has every 16th; of the tests of Spark every third.
SLOW, SPARK = 16, 3
# Of the cases of each test with such a mark, a part has every N-th, and at least one.
CASES = {"spark": 8, "postgres": 4, "browser": 4, "engine": 2}


def other_parts(
    items: Sequence[pytest.Item], left_out: Sequence[pytest.Item], part: str
) -> list[pytest.Item]:
    """Return the tests that other parts run.

    Args:
        left_out: the cases that some(n) leaves out of a default run.
        part: "3/56": of these, and of the slow tests of Spark, every 56th from the third on.
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
    unwanted = _others(rarely, parts, first) + _others(slow, SLOW, first)
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


def _others(alike: Sequence[pytest.Item], apart: int, first: int) -> list[pytest.Item]:
    return [item for place, item in enumerate(alike) if (place - first) % apart]
