"""Every call that a preset does not imitate is refused with the reason; the presets list these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import InputError, UnsupportedError
from duckmetrics.catalog.presets import NEVER, Preset, PresetEntry, presets
from duckmetrics.catalog.specs import parse_measure
from support.cases import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = pa.table({"query_id": ["a", "a"], "item_id": ["x", "y"], "score": [2.0, 1.0]})
TRUTH = pa.table({"query_id": ["a", "a"], "item_id": ["x", "y"], "relevance": [0.5, 1.0]})


def entries() -> Iterator[tuple[Preset, str, str, PresetEntry]]:
    for tool in presets().values():
        for family, known in tool.families.items():
            for name, entry in known.metrics.items():
                yield tool, family, name, entry


def spec_of(family: str, name: str, entry: PresetEntry, **given: object) -> str:
    params = CATALOG.metrics[family, name].own_params
    needed = {p.name: 0.5 for p in params.values() if p.required} | given
    arguments = ", ".join(f"{n}={value}" for n, value in needed.items())
    ranked = "k" in params and entry.cutoff != NEVER
    return f"{family}.{name}" + (f"({arguments})" if arguments else "") + ("@2" if ranked else "")


OTHERWISE = [(*one, param) for one in entries() for param in one[3].otherwise]
WHOLE = [one for one in entries() if "floor(relevance)" in one[3].requires]


@pytest.mark.parametrize(("tool", "family", "name", "entry", "param"), OTHERWISE,
                         ids=lambda v: getattr(v, "name", v))  # fmt: skip
def test_a_parameter_that_a_tool_has_otherwise(
    tool: Preset, family: str, name: str, entry: PresetEntry, param: str
) -> None:
    for spec, switches in (
        (spec_of(family, name, entry, **{param: 2}), {}),
        (spec_of(family, name, entry), {param: 2}),
    ):
        with pytest.raises(UnsupportedError, match="is not imitated") as caught:
            parse_measure(CATALOG, spec, switches, like=tool)
        assert entry.otherwise[param] in str(caught.value)


@pytest.mark.some(1)
@pytest.mark.parametrize(("tool", "family", "name", "entry"), WHOLE, ids=lambda v: getattr(v, "name", v))
def test_fractional_grades(tool: Preset, family: str, name: str, entry: PresetEntry) -> None:
    with pytest.raises(InputError, match=r"relevance = FLOOR\(relevance\)"):
        duckmetrics.evaluate(RUN, TRUTH, spec_of(family, name, entry), like=tool.name)


def test_the_tools_of_whole_grades() -> None:
    assert {one[0].name for one in WHOLE} == {"trec_eval", "trec_eval9", "pytrec_eval", "ranx", "ir_measures"}
    assert {(one[0].name, one[2], one[4]) for one in OTHERWISE} == {
        ("ranx", "dcg", "rel"), ("ranx", "ndcg", "rel"), ("elliot", "ndcg", "rel"),
    }  # fmt: skip
