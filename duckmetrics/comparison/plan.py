"""A plan: the number of units that a comparison needs, the differences that it finds, and its chart."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.functions import linked
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError
from duckmetrics.expressions.build import call, picked, quoted, values_table
from duckmetrics.pages.chart import Chart, ChartAxis, Plot
from duckmetrics.pages.marks import line, stretched
from duckmetrics.results.tabular import Printed, Shown, document, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

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

    def question(self, units: float) -> tuple[str, tuple[float, ...]]:
        """Return the function that computes the smallest difference, with its arguments."""
        enough = units >= self.fewest
        at = self.error(units), self.freedom(units), self.alpha, self.power
        return "student_t_mde", at if enough else (-1.0, 1.0, 0.5, 0.5)


class RateDesign(NamedTuple):
    """A planned z-test of two proportions.

    Attributes:
        rate: the proportion of the control.
        share: the share of the units in the control.
        alpha: the error rate of this comparison, two-sided.
        falls: whether a decrease is to be found.
        equal: whether both proportions are the same, as for a margin.
    """

    rate: float
    share: float
    alpha: float
    power: float
    falls: bool = False
    equal: bool = False
    fewest: int = 2

    @property
    def spread(self) -> float:
        """The standard error of the difference of equal proportions, times the root of the units."""
        return math.sqrt(self.rate * (1 - self.rate) / (self.share * (1 - self.share)))

    def question(self, units: float) -> tuple[str, tuple[float, ...]]:
        """Return the function that computes the smallest difference, with its arguments."""
        if self.equal:
            return "paired_mde", (self.spread, units, self.alpha, self.power)
        # A decrease is an increase of the share of misses.
        rate = 1 - self.rate if self.falls else self.rate
        return "two_proportion_mde", (rate, units, self.alpha, self.power, self.share)


def effects(engine: Engine, asked: Sequence[tuple[Design | RateDesign, float]]) -> list[float | None]:
    """Return the smallest difference that each test finds with a number of units; None with too few.

    All tests are of one kind.
    """
    questions = [design.question(units) for design, units in asked]
    function = questions[0][0]
    found = _computed(engine, function, [arguments for _, arguments in questions])
    return [None if value is None or math.isinf(value) else value for value in found]


def powers(
    engine: Engine, asked: Sequence[tuple[Design, float, float]], one_sided: bool
) -> list[float | None]:
    """Return the power of each test for a number of units and a difference; None with too few units."""
    sides, too_few = 2 if one_sided else 1, (0.0, -1.0, 0.25)
    rows = [
        (abs(delta) / d.error(n), d.freedom(n), d.alpha / sides) if n >= d.fewest else too_few
        for d, n, delta in asked
    ]
    return _computed(engine, "one_sided_t_power" if one_sided else "student_t_power", rows)


def sizes(engine: Engine, asked: Sequence[tuple[Design, float]]) -> list[int]:
    """Return the smallest number of units with which each test finds a difference above 0.

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


def rate_size(engine: Engine, design: RateDesign, delta: float) -> float:
    """Return the units of both arms with which the z-test finds a difference of proportions."""
    rate, share, alpha, power, *_ = design
    if design.equal:
        (z,) = _normal(engine, [design])
        return (z * design.spread / delta) ** 2
    (found,) = _computed(engine, "two_proportion_units", [(rate, rate + delta, alpha, power, share)])
    return math.inf if found is None else found


def rate_power(engine: Engine, design: RateDesign, units: float, delta: float) -> float | None:
    """Return the power of the z-test for a number of units of both arms and a difference."""
    rate, share, alpha, *_ = design
    if not design.equal:
        (found,) = _computed(engine, "two_proportion_power", [(rate, rate + delta, units, alpha, share)])
        return found
    # With a power of one half, the effect is the critical value.
    (critical,) = _normal(engine, [design._replace(power=0.5)])
    (found,) = _computed(engine, "normal_cdf", [(abs(delta) * math.sqrt(units) / design.spread - critical,)])
    return found


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


def _normal(engine: Engine, designs: Sequence[Design | RateDesign]) -> list[float]:
    """Return the effects of the z-tests with a standard error of 1."""
    rows = [(1.0, 1.0, design.alpha, design.power) for design in designs]
    return [float(z or 0.0) for z in _computed(engine, "paired_mde", rows)]


def _computed(engine: Engine, function: str, rows: Sequence[Sequence[float]]) -> list[float | None]:
    """Return a function of the arguments in each row, in the order of the rows."""
    names = list(catalog().functions[function].own_params)
    table = values_table("given", ("place", *names), [(i, *map(float, row)) for i, row in enumerate(rows)])
    found = call(function, *map(quoted, names)).as_("found")
    query, macros = linked(catalog(), picked(table, "place", found))
    engine.define(macros)
    return [value for _, value in sorted(engine.rows(query))]


# The classes of the lines: the last is solid.
KINDS = ("s1", "s0")


def picture(title: str, points: Sequence[dict[str, Any]], kind: str, wanted: Sequence[float | None]) -> Chart:
    """Draw the curves of a plan; of more than two, those of the first two rows.

    Raises:
        MetricError: there are no points.
    """
    import pyarrow as pa

    curves: dict[tuple[Any, Any], list[tuple[float, float]]] = {}
    for point in points:
        if point["mde"] is not None:
            curves.setdefault((point["metric"], point["system"]), []).append((point["units"], point["mde"]))
    if not curves:
        raise MetricError("chart", "there is nothing to plan from", "read the column reason")
    drawn = dict(list(curves.items())[: len(KINDS)])
    xs = [x for curve in drawn.values() for x, _ in curve]
    # The steep beginning of a curve would flatten the part that matters.
    top = max(sorted(y for _, y in curve)[len(curve) * 3 // 4] for curve in drawn.values())
    x, y = (0.0, float(max(xs))), (0.0, 1.1 * max([top, *(abs(d) for d in wanted if d is not None)]))
    shapes = "".join(
        line([(x, abs(d)), (x_, abs(d))], "ref", (0.0, x_), y)
        for d in dict.fromkeys(wanted) if d is not None
        for x, x_ in [(0.0, float(max(xs)))]
    )  # fmt: skip
    names = []
    for shape, ((metric, system), curve) in zip(KINDS, drawn.items(), strict=False):
        shapes += line([point for point in curve if point[1] <= y[1]], shape, x, y)
        names.append((" of ".join(filter(None, (metric, system))), shape))
    said = " ".join(f"{int(n):,} {kind}: {mde:.4g}." for n, mde in next(iter(drawn.values()))[::8])
    plot = Plot(
        stretched(shapes), ChartAxis(x, f"number of {kind}"),
        ChartAxis(y, "smallest difference that the test finds"),
        tuple(names) if len(names) > 1 else (),
    )  # fmt: skip
    return Chart(title, said, pa.Table.from_pylist(list(points)), plot)


# The column of the smallest decrease, which only the plan of a rate has.
DECREASE = "mde_decrease"
WORDS, COUNTS = ("metric", "system", "reason"), ("n_units", "comparisons", "units", "at_units")
# The points of a curve, from a quarter to four times the numbers of units that matter.
POINTS, AROUND = 33, 4.0
# With fewer units, the shape of their values decides how far the power is from the planned one.
FEW = 30


@dataclass(frozen=True, repr=False)
class Plan(Printed):
    """The units that a comparison needs.

    Attributes:
        rows: one dictionary per metric and compared system. baseline_value: of the baseline, or of the only
            system; sd: the standard deviation of the differences per unit, or of the values if the arms are
            unpaired; n_units: the units at hand; design_effect: how many times more units are needed because
            clusters differ in size; difference: the one to find; power: the wanted power; alpha: the error
            rate of this comparison; comparisons: their number; units: how many are needed, those of both arms
            if unpaired; at_units: the units that the last columns are about; mde: the smallest difference
            that they find with the wanted power, of a rate the smallest increase; mde_decrease: of a rate,
            the smallest decrease, below 0; power_at_units: their power for the difference; reason: why there
            is no plan.
        kind: what the units are.
        method: the sentence about the test.
        of_margin: whether the difference is a margin, and the test shows that a system is not worse by it.
    """

    command = "plan"

    rows: tuple[dict[str, Any], ...]
    kind: str
    method: str
    _designs: tuple[Design | RateDesign | None, ...] = field(default=(), repr=False)
    of_margin: bool = False

    @property
    def summary(self) -> pa.Table:
        """One row per metric and compared system."""
        import pyarrow as pa

        types = dict.fromkeys(WORDS, pa.string()) | dict.fromkeys(COUNTS, pa.int64())
        schema = pa.schema([(name, types.get(name, pa.float64())) for name in self.rows[0]])
        return readable(pa.Table.from_pylist(list(self.rows), schema))

    @property
    def verdict(self) -> str:
        """The answer for the row that needs the most units.

        Example:
            duckmetrics.plan(sd=0.2, difference=0.02).rows[0]["units"]  # 787
        """
        needed = [row for row in self.rows if row["units"] is not None]
        if needed:
            return self._needed(max(needed, key=lambda row: row["units"]))
        found = {place: _found(row) for place, row in enumerate(self.rows) if _found(row)}
        if not found:
            return f"nothing to plan from: {self.rows[0]['reason']}"
        place = max(found, key=lambda place: found[place][0])
        row, size = self.rows[place], " or ".join(f"{effect:.4g}" for effect in found[place])
        return f"{_name(row)}: {row['at_units']:,} {self.kind} {self._shown} {size} {_often(row['power'])}"

    def _needed(self, row: dict[str, Any]) -> str:
        have = "" if row["n_units"] is None else f" (you have {row['n_units']:,})"
        return (
            f"{_name(row)} needs {row['units']:,} {self.kind} to {self._shown} "
            f"{row['difference']:.4g} {_often(row['power'])}{have}"
        )

    @property
    def _shown(self) -> str:
        return "rule out a loss of" if self.of_margin else "show a difference of"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics plan`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.rows, verdict=self.verdict, method=self.method, notes=self.notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The limits of the plan; empty if it has none."""
        if all(row["units"] is None or row["units"] >= FEW for row in self.rows):
            return ()
        return (f"with fewer than {FEW} {self.kind}, the power is only approximate",)

    def shown(self) -> Shown:
        """Return the table, with the sentence above and the method below."""
        names = [name for name in self.rows[0] if any(row[name] is not None for row in self.rows)]
        cells = [[_cell(row[name]) for name in names] for row in self.rows]
        numeric = [name for name in names if name not in WORDS]
        notes = [f"note: {note}" for note in self.notes]
        return Shown(names, cells, numeric, self.verdict, [self.method, *notes])

    def curve(self) -> list[dict[str, Any]]:
        """Return the smallest difference that is found, by the number of units.

        Returns:
            metric, system, units and mde, for about thirty numbers of units of each row.

        Example:
            points = duckmetrics.plan(sd=0.2, difference=0.02).curve()
            points[0]["mde"] > points[-1]["mde"]  # True
        """
        asked, rows = [], []
        for row, design in zip(self.rows, self._designs, strict=True):
            if design is None:
                continue
            for n in _grid([row["units"], row["at_units"]], design.fewest):
                asked.append((design, float(n)))
                rows.append({"metric": row["metric"], "system": row["system"], "units": n})
        if not asked:
            return []
        with closing(open_engine()) as engine:
            found = effects(engine, asked)
        return [{**row, "mde": mde} for row, mde in zip(rows, found, strict=True)]

    def chart(self) -> Chart:
        """Draw the smallest difference that is found, by the number of units.

        Raises:
            MetricError: there is nothing to plan from.

        Example:
            duckmetrics.plan(sd=0.2, difference=0.02).chart().svg()[:4]  # '<svg'
        """
        return picture(self.verdict, self.curve(), self.kind, [row["difference"] for row in self.rows])


def _grid(numbers: Sequence[int | None], fewest: int) -> list[int]:
    """Return numbers of units around those that matter, in equal ratios."""
    known = [n for n in numbers if n is not None]
    low, high = max(min(known) / AROUND, fewest), max(known) * AROUND
    ratio = (high / low) ** (1 / (POINTS - 1))
    return sorted({round(low * ratio**i) for i in range(POINTS)})


def _name(row: dict[str, Any]) -> str:
    metric = row["metric"] or "the comparison"
    return metric if row["system"] is None else f"{metric} of {row['system']}"


def _found(row: dict[str, Any]) -> list[float]:
    """Return the smallest differences that the test finds: of a rate, an increase and a decrease."""
    return [row[name] for name in ("mde", DECREASE) if row.get(name) is not None]


def _often(power: float) -> str:
    return "four times out of five" if abs(power - 0.8) < 1e-12 else f"with a power of {power:.4g}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
