"""A parameter is refused exactly if it cannot change the metric of rows.

As in `test_idle_ranking`, every metric runs with every value of every parameter, on rows drawn at
random, in the plain-Python reference.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics import MetricError
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.reference.observation import Observation
from support.cases import CATALOG
from support.classification import METRICS, NUMBERS, REQUIRED, expected, of_any_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition

Spec = dict[str, Any]
SCORES = (0.0, 1e-18, 0.1, 0.3, 0.3, 0.5, 0.8, 1.0)
# The last of a list of bounds, or the first of a list of bins, where conventions are alike.
AT_AN_END = {("max_fpr", 1), ("bins", 1)}
# All scores of a small world: far from a threshold, on it, or certain.
NARROW = ((0.0,), (0.1, 0.2), (0.0, 1.0), (0.6, 0.9), (1.0,), SCORES)


@cache
def worlds(probabilities: bool) -> list[list[Observation]]:
    """Return rows with ties, weights and groups; a small world may lack a class or a side of a threshold."""
    chance = random.Random(21)
    spread = 0 if probabilities else 3
    found = []
    for size, scores in zip(
        [60] * 8 + [chance.randint(0, 3) for _ in range(72)], cycle(NARROW), strict=False
    ):
        any_score = [chance.uniform(-spread, 1 + spread) for _ in range(20 if size > 3 or spread else 0)]
        rows = zip(
            (float(chance.random() < 0.4) for _ in range(size)),
            chance.choices([*scores, *any_score], k=size),
            chance.choices([0.0, 1.0, 2.5], k=size),
            cycle(range(6)),
            strict=False,
        )
        found.append([Observation(*row) for row in rows])
    return found


def written(metric: Definition, said: Spec) -> str:
    return f"classification.{metric.name}({', '.join(f'{name}={value}' for name, value in said.items())})"


def outcome(metric: Definition, said: Spec) -> Any:
    """Return the values of all worlds, or the message of the refusal."""
    try:
        measure = parse_measure(CATALOG, written(metric, said))
    except MetricError as error:
        return str(error)
    return [expected(measure, rows, True) for rows in worlds(not of_any_score(metric))]


def choices(metric: Definition, name: str) -> Iterator[Any]:
    param = CATALOG.params(metric)[name]
    for value in (*param.choices, *NUMBERS.get(name, ()), *((False,) if name == "weighted" else ())):
        if value != param.default:
            yield value


def contexts(metric: Definition) -> Iterator[Spec]:
    """Yield the usual values, and every value of one parameter."""
    needed = {name: REQUIRED[name] for name, param in CATALOG.params(metric).items() if param.required}
    yield needed
    for name in CATALOG.params(metric):
        yield from ({**needed, name: value} for value in choices(metric, name))


def misjudged(metric: Definition) -> list[str]:
    """Return specs that are refused but change a value in some world, or are allowed and change none."""
    wrong = []
    for context in contexts(metric):
        usual = outcome(metric, context)
        if isinstance(usual, str):
            continue
        for name in CATALOG.params(metric):
            for value in choices(metric, name) if name not in context else ():
                found = outcome(metric, {**context, name: value})
                refused = isinstance(found, str) and f": {name}={value} changes nothing" in found
                if not (isinstance(found, str) or context.items() & AT_AN_END) and found == usual:
                    wrong.append(f"{written(metric, {**context, name: value})} changes nothing")
                if refused and expected_anyway(metric, context, name, value) != usual:
                    wrong.append(f"{written(metric, {**context, name: value})} is refused")
    return wrong


def expected_anyway(metric: Definition, context: Spec, name: str, value: Any) -> Any:
    """Return the values of all worlds for a parameter that the spec may not have."""
    measure = parse_measure(CATALOG, written(metric, context))
    measure.values[name] = value
    return [expected(measure, rows, True) for rows in worlds(not of_any_score(metric))]


@pytest.mark.some(2)
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_what_changes_nothing_is_refused_and_nothing_else(metric: Definition) -> None:
    assert misjudged(metric) == []
