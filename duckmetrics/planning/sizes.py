"""Units, power and smallest differences of t-tests, from the functions under sql/functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import call, picked, quoted, values_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from duckmetrics.engines.engine import Engine

# The most numbers of units that one query tries for a test.
TRIED = 48


class Design(NamedTuple):
    """A planned t-test: n units have the standard error spread / sqrt(n), and n * per_unit - lost freedom.

    Attributes:
        alpha: the error rate of this comparison, two-sided.
    """

    spread: float
    per_unit: float
    lost: float
    alpha: float
    power: float

    @property
    def fewest(self) -> int:
        """The least number of units that leaves a degree of freedom."""
        return max(2, math.ceil((1 + self.lost) / self.per_unit - 1e-9))

    def error(self, units: float) -> float:
        """Return the standard error of a number of units."""
        return self.spread / math.sqrt(units)

    def freedom(self, units: float) -> float:
        """Return the degrees of freedom of a number of units."""
        return units * self.per_unit - self.lost


def effects(engine: Engine, asked: Sequence[tuple[Design, float]]) -> list[float | None]:
    """Return the smallest difference that each test finds with a number of units; None with too few."""
    rows = [
        (d.error(n), d.freedom(n), d.alpha, d.power) if n >= d.fewest else (-1.0, 1.0, 0.5, 0.5)
        for d, n in asked
    ]
    names = ("error", "freedom", "alpha", "power")
    return _computed(engine, names, rows, call("student_t_mde", *map(quoted, names)))


def powers(
    engine: Engine, asked: Sequence[tuple[Design, float, float]], one_sided: bool
) -> list[float | None]:
    """Return the power of each test for a number of units and a difference; None with too few units."""
    sides, too_few = 2 if one_sided else 1, (0.0, -1.0, 0.25)
    rows = [
        (abs(delta) / d.error(n), d.freedom(n), d.alpha / sides) if n >= d.fewest else too_few
        for d, n, delta in asked
    ]
    names = ("effect", "freedom", "alpha")
    function = "one_sided_t_power" if one_sided else "student_t_power"
    return _computed(engine, names, rows, call(function, *map(quoted, names)))


def sizes(engine: Engine, asked: Sequence[tuple[Design, float]]) -> list[int]:
    """Return the smallest number of units with which each test finds a difference.

    With this number, `effects` is at most the difference; with one unit less it is larger.
    """
    normal = _normal(engine, [design for design, _ in asked])
    # The quantiles of the normal distribution give too few units, and Student's for these too many.
    lows = [
        max(design.fewest, math.floor((design.spread * z / delta) ** 2))
        for (design, delta), z in zip(asked, normal, strict=True)
    ]
    found = effects(engine, [(design, low) for (design, _), low in zip(asked, lows, strict=True)])
    bounds = [
        [low, max(low, math.ceil(low * ((effect or 0.0) / delta) ** 2) + 1)]
        for (_, delta), low, effect in zip(asked, lows, found, strict=True)
    ]
    while any(high > low for low, high in bounds):
        _narrow(engine, asked, bounds)
    return [high for _, high in bounds]


def proportion_sizes(engine: Engine, rate: float, other: float, alpha: float, power: float) -> float:
    """Return the units of each of two arms at which the pooled z-test finds two proportions different."""
    names = ("rate", "other", "alpha", "power")
    function = call("two_proportion_sample_size", *map(quoted, names))
    (found,) = _computed(engine, names, [(rate, other, alpha, power)], function)
    return float(found or math.nan)


def equal_sizes(engine: Engine, sd: float, delta: float, alpha: float, power: float) -> float:
    """Return the units of each of two arms at which a z-test finds a difference of means with one spread."""
    (z,) = _normal(engine, [Design(sd, 1.0, 2.0, alpha, power)])
    return 2 * (z * sd / delta) ** 2


def _narrow(engine: Engine, asked: Sequence[tuple[Design, float]], bounds: list[list[int]]) -> None:
    """Try numbers of units between the bounds of every test, and move the bounds, in place."""
    tried: list[tuple[int, int]] = []
    for place, (low, high) in enumerate(bounds):
        step = max(1, math.ceil((high - low) / TRIED))
        tried += [(place, n) for n in range(low, high, step)]
    found = effects(engine, [(asked[place][0], n) for place, n in tried])
    for (place, n), effect in zip(tried, found, strict=True):
        if effect is not None and effect <= asked[place][1]:
            bounds[place][1] = min(bounds[place][1], n)
        else:
            bounds[place][0] = max(bounds[place][0], n + 1)


def _normal(engine: Engine, designs: Sequence[Design]) -> list[float]:
    """Return the effects of the z-tests with a standard error of 1."""
    names = ("sd", "n", "alpha", "power")
    rows = [(1.0, 1.0, design.alpha, design.power) for design in designs]
    return [float(z or 0.0) for z in _computed(engine, names, rows, call("paired_mde", *map(quoted, names)))]


def _computed(
    engine: Engine, names: Sequence[str], rows: Sequence[Sequence[float]], function: exp.Expr
) -> list[float | None]:
    """Return a function of the columns of each row, in the order of the rows."""
    table = values_table("given", ("place", *names), [(i, *map(float, row)) for i, row in enumerate(rows)])
    query, macros = linked(catalog(), picked(table, "place", function.as_("found")))
    engine.define(macros)
    return [value for _, value in sorted(engine.rows(query))]
