"""Every value of another tool is reproduced by its preset, or listed with the reason why not."""

from __future__ import annotations

import pytest

from duckmetrics import DuckmetricsError
from duckmetrics.catalog.presets import presets
from support.peers import CALLS, DOCUMENT, NOT_IMITATED, PRESETS, Recorded, answer, equal, recorded

EVERY = list(recorded())
IMITATED = [one for one in EVERY if one.reason is None]


def name_of(one: Recorded) -> str:
    return f"{one.case['id']}-{one.library}-{one.version}-{one.call}".replace("[", "(").replace("]", ")")


def test_every_value_is_accounted_for() -> None:
    assert len(DOCUMENT["cases"]) == 30
    assert len(EVERY) == 239
    unknown = [name_of(one) for one in IMITATED if one.call not in CALLS.get(one.tool, {})]
    assert unknown == []
    assert len(IMITATED) > 180


def test_every_reason_and_every_call_is_needed() -> None:
    used = {
        (one.case["id"], tool, call) for one in EVERY for tool in (one.tool, "") for call in (one.call, "")
    }
    assert NOT_IMITATED.keys() <= used
    asked = {(one.tool, one.call) for one in IMITATED}
    assert [(t, c) for t, calls in CALLS.items() for c in calls if (t, c) not in asked] == []


def test_every_tool_has_a_preset() -> None:
    assert set(PRESETS.values()) == set(presets())


@pytest.mark.some(2)
@pytest.mark.parametrize("one", IMITATED, ids=name_of)
def test_the_value_is_that_of_the_tool(one: Recorded) -> None:
    if isinstance(one.value, str) and one.value.startswith("ERROR"):
        with pytest.raises(DuckmetricsError):
            answer(one)
        return
    found = answer(one)
    wanted = list(one.value.values()) if isinstance(one.value, dict) else [one.value]
    assert len(found) == len(wanted)
    for (metric, value), other in zip(found.items(), wanted, strict=True):
        assert equal(value, other, one.tolerance), (metric, value, other)


def test_presets_are_of_the_versions_recorded() -> None:
    versions = {one.preset: one.version for one in EVERY if one.preset}
    for name, version in versions.items():
        assert presets()[name].version.split()[0] in version, name
