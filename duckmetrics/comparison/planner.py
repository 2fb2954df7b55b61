"""From the spread of metrics and a wanted difference to the rows of a plan."""

from __future__ import annotations

import math
import re
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.comparison.margins import NOT_WORSE_BY
from duckmetrics.comparison.plan import (
    DECREASE,
    Design,
    Plan,
    RateDesign,
    effects,
    powers,
    rate_power,
    rate_size,
    sizes,
)
from duckmetrics.comparison.rows import ERROR, tested_units
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.intervals import HINT, HINT_OF_PAIRS
from duckmetrics.inference.units import ROWS, SHARED_ROWS
from duckmetrics.inputs.columns import grade_expression, selected
from duckmetrics.inputs.interval_options import read_probability
from duckmetrics.inputs.python_tables import as_table
from duckmetrics.statistics.arms import find_column, read_doubts, read_outcomes, unit_column
from duckmetrics.statistics.per_unit import count_rows, read_functions, united
from duckmetrics.statistics.run import computed, read_statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.arms import Outcome


# The statistics whose rows have the spread of the values of one system, and that of a ratio.
ONE_SYSTEM, RATIO = "mean_interval", "ratio_interval"


class Pilot(NamedTuple):
    """A metric in data at hand.

    Attributes:
        system: the system that is compared; None if there is only one.
        value: that of the baseline, or of the only system.
        sd: the standard deviation of the differences of units, or of their values; None if unknown.
        n: the number of units.
        n_effective: how many units of equal weight they are worth.
        reason: why sd is unknown.
        better: higher, lower, or None if there is no direction.
    """

    metric: str
    system: str | None
    value: float | None
    sd: float | None
    n: int | None
    n_effective: float | None
    reason: str | None = None
    better: str | None = "higher"


def paired_pilots(
    comparer: Comparer, session: Session, parts: Sequence[FamilyEvaluation], baseline: str | None
) -> list[Pilot]:
    """Return the spread of the differences of every system from the baseline.

    Raises:
        MetricError: no such baseline.
        InputError: the systems have values of different queries or rows, or rows that nothing pairs.
    """
    rows, base, _ = comparer.judged(session, parts, baseline)
    return [_paired(row) for row in rows if row["system"] != base and not row["slice"]]


def _paired(row: Row) -> Pilot:
    delta, value = row["delta"], row["value"]
    base = None if value is None or delta is None else value - delta
    n, (error, df) = row["n_units"], row[ERROR] or (None, None)
    if not error or not df:
        reason = row["reason"] or "all differences are equal, so their spread is unknown"
        return Pilot(row["metric"], row["system"], base, None, n, None, _without_hint(reason))
    sd = error * n**0.5
    return Pilot(row["metric"], row["system"], base, sd, n, float(df) + 1, better=row["better"])


def single_pilots(
    comparer: Comparer, session: Session, parts: Sequence[FamilyEvaluation], system: str | None
) -> Iterator[Pilot]:
    """Yield the spread of the values of one system."""
    statistic = comparer.catalog.statistics[ONE_SYSTEM]
    for part in parts:
        values = comparer.inference.values()
        tested = tested_units(comparer.catalog, session.engine, part, statistic, values)
        spreads = {_key(row): row for row in tested if not row["slice"]}
        for row in part.rows:
            if row["slice"] or (system is not None and row["system"] != system):
                continue
            found = spreads.get((row["metric"], row["system"])) or spreads.get((row["metric"], None), {})
            yield _single(row, found, part)


def _key(row: Row) -> tuple[str, str | None]:
    return row["metric"], row["system"] or None


def _single(row: Row, found: Row, part: FamilyEvaluation) -> Pilot:
    sd, n = found.get("sd"), found.get("n")
    if not sd or not n or n < 2:
        reason = row["reason"] or "its units do not differ, or there is only one"
        if part.units is not None and row["metric"] in part.units.without:
            reason = part.units.without[row["metric"]]
        return Pilot(row["metric"], row["system"], row["value"], None, n, None, _without_hint(reason))
    # Without clusters, every unit weighs the same.
    effective = row.get("n_effective") if part.units is not None and part.units.clustered else None
    return Pilot(row["metric"], row["system"], row["value"], sd, n, effective, better=row["better"])


def _without_hint(reason: str) -> str:
    """Return a reason without the advice to use the bootstrap, which has no plan."""
    return reason.partition(f"; {HINT}")[0].partition(f"; {HINT_OF_PAIRS}")[0]


def past_pilots(engine: Engine, past: Any, metrics: Any, cluster: str | None) -> list[Pilot]:
    """Return the spread of the metrics of an experiment, of units from before it.

    Args:
        metrics: columns and ratios, as for `duckmetrics.ab`.
        cluster: the column of units that have several rows, which are summed.

    Raises:
        MetricError: no metrics, or a cluster that is one.
        InputError: there is no such column, no row, or rows are not units.
    """
    whole = engine.attach(as_table(past, "past"), "data")
    outcomes = read_outcomes(whole, metrics, None, ())
    read = [column for outcome in outcomes for column in outcome.columns]
    unit = unit_column(whole.columns, read) if cluster is None else find_column(whole, cluster, "clusters")
    if unit in read:
        raise MetricError(f"cluster {cluster}", "is a metric", "name the column that identifies units")
    source = engine.once(whole, list(dict.fromkeys([*read, *([] if unit is None else [unit])])))
    if source.empty:
        raise InputError(source.label, "no rows", "check how it was exported")
    if cluster is not None and unit is not None:
        count_rows(engine, source, unit)
        source, outcomes = united(engine, source, unit, unit, outcomes, read_functions(None, outcomes), {})
    # Each unit is its own variant, so that none is in several.
    doubts = [] if cluster or unit is None else read_doubts(engine, source, unit, unit, outcomes)
    for doubt in doubts:
        if doubt.is_withheld:
            advice = f"sum them with cluster={unit!r} (--cluster {unit}), or give one row per unit"
            raise InputError(source.label, f"{doubt.why}: several have the same {unit}", advice)
    return [_past(engine, source, outcome) for outcome in outcomes]


def _past(engine: Engine, source: Source, outcome: Outcome) -> Pilot:
    """Return the spread of a ratio, or of a mean, which is a ratio to the number of units."""
    columns = {"arm": literal(outcome.name), "numerator": grade_expression(source, outcome.value),
               "denominator": grade_expression(source, outcome.denominator)}  # fmt: skip
    types = {"arm": "VARCHAR", "numerator": "DOUBLE", "denominator": "DOUBLE"}
    rows = replace(source, relation=selected(source, columns).subquery("ratios"), columns=types, renamed={})
    found, _ = computed(engine, read_statistic(RATIO, {"variance": "delta"}), rows, {})
    row = next(iter(found.to_pylist()), dict.fromkeys(found.column_names))
    value, sd, n = row["ratio"], row["sd"], row["n"]
    if not sd:
        reason = "it has no value" if value is None else "its units do not differ, or there is only one"
        return Pilot(outcome.name, None, value, None, n, None, reason)
    return Pilot(outcome.name, None, value, sd, n, row["n_effective"])


def name_of_units(parts: Sequence[FamilyEvaluation]) -> str:
    """Return the name of the units as sentences have it: queries, user_id or rows."""
    kinds = dict.fromkeys(part.units.kind for part in parts if part.units is not None)
    kind = " or ".join(kinds) or "units"
    return ROWS if kind == SHARED_ROWS else kind


# The adjustments whose first step compares p with alpha divided by the number of comparisons.
ADJUSTMENTS = ("holm", "bonferroni", "max_t")
NONE = "none"
# Half the tests find a difference of the critical value itself.
LEAST_POWER = 0.5
MARGIN = "margin"
# Half of the units are in the control arm.
HALF = 0.5
# The most units that a plan counts.
MOST_UNITS = 1e15
_PERCENT = re.compile(r"\s*([0-9.eE+-]+)\s*%\s*")


@dataclass(frozen=True)
class Goal:
    """The wanted test.

    Attributes:
        difference: the difference to find, below 0 for a decrease, or the margin; None without either.
        relative: whether it is a share of the value.
        units: the number of units to judge, None for those at hand.
        one_sided: whether the test is of one side, as for a margin.
        comparisons: the number of comparisons, None for those of the data.
        adjusted: whether alpha is divided by it.
    """

    difference: float | None
    relative: bool
    units: int | None
    power: float
    alpha: float
    one_sided: bool
    comparisons: int | None
    adjusted: bool

    def error_rate(self, comparisons: int) -> float:
        """Return the two-sided error rate of one comparison; that of one side is half of it."""
        return min((1 + self.one_sided) * self.alpha / (comparisons if self.adjusted else 1), 0.999)

    def delta(self, value: float | None) -> float | None:
        """Return the difference in the unit of the metric, None if there is none."""
        if self.difference is None or not self.relative:
            return self.difference
        return None if not value else self.difference * abs(value)


def read_goal(given: Mapping[str, Any]) -> Goal:
    """Read what is wanted.

    Raises:
        MetricError: nothing is wanted, or a number cannot be read.
    """
    difference, margin, units, power, alpha, comparisons, adjust = (
        given[name] for name in ("difference", "margin", "units", "power", "alpha", "comparisons", "adjust")
    )
    if difference is not None and margin is not None:
        raise MetricError("plan", "both a difference and a margin", "give one of them")
    if difference is None and margin is None and units is None:
        raise MetricError(
            "plan", "neither a difference nor a number of units",
            "give difference=0.005 (--difference) to get the units, or units=20000 (--units) to get the "
            "smallest difference",
        )  # fmt: skip
    name = "difference" if margin is None else MARGIN
    delta, relative = _read_difference(name, difference if margin is None else margin)
    wanted, rate = read_probability("power", power, 0.8), read_probability("alpha", alpha, 0.05)
    if wanted < LEAST_POWER or wanted <= rate:
        raise MetricError(
            f"power={power!r}", "a test that finds less than every second difference is not planned",
            "write a power from 0.5 to 1, such as 0.8",
        )  # fmt: skip
    method = str(adjust or ADJUSTMENTS[0]).lower()
    if method not in (*ADJUSTMENTS, NONE):
        known = ", ".join((*ADJUSTMENTS, NONE))
        raise MetricError("adjust", f"{adjust!r} has no plan", f"write one of {known}")
    number = None if comparisons is None else _whole("comparisons", comparisons, 1, 9)
    n_units = None if units is None else _whole("units", units, 2, 20000)
    return Goal(delta, relative, n_units, wanted, rate, margin is not None, number, method != NONE)


def _read_difference(name: str, given: Any) -> tuple[float | None, bool]:
    if given is None:
        return None, False
    text = str(given)
    match = _PERCENT.fullmatch(text)
    number = read_number(name, match[1] if match else given, "0.005 or '1%'")
    if number == 0 or (number < 0 and name == MARGIN):
        what = "no test finds a difference of 0" if number == 0 else "a margin is a size"
        raise MetricError(f"{name}={given!r}", what, "write a positive number, such as 0.005 or '1%'")
    return (number / 100, True) if match else (number, False)


def read_number(name: str, given: Any, example: str) -> float:
    """Read a finite number.

    Raises:
        MetricError: it is none.
    """
    try:
        number = math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise MetricError(f"{name}={given!r}", "is not a number", f"write {example}")
    return number


def _whole(name: str, given: Any, least: int, example: int) -> int:
    number = read_number(name, given, str(example))
    if number < least or number != int(number) or number > MOST_UNITS:
        raise MetricError(
            f"{name}={given!r}", f"is not a whole number from {least} on", f"write one such as {example}"
        )
    return int(number)


def planned(engine: Engine, pilots: Sequence[Pilot], goal: Goal, kind: str, share: float | None) -> Plan:
    """Return the plan of metrics whose spread is known.

    Args:
        share: the share of the units in the control arm, if each unit is in one arm; None if each unit has
            a difference.

    Raises:
        MetricError: no metric has a known spread.
    """
    pilots = [_within(pilot, goal) for pilot in pilots]
    if all(pilot.sd is None for pilot in pilots):
        advice = "take other data" + (", or give difference= (--difference)" if goal.one_sided else "")
        raise MetricError("plan", f"nothing to plan from: {pilots[0].reason}", advice)
    comparisons = goal.comparisons or len(pilots)
    alpha = goal.error_rate(comparisons)
    designs = [_design(pilot, goal, alpha, share) for pilot in pilots]
    rows = [_row(pilot, goal, alpha, comparisons) for pilot in pilots]
    _fill(engine, rows, designs, goal.one_sided)
    arms = "Student's t of paired differences"
    if share is not None:
        arms = f"Welch's t of two arms, units of both{_uneven(share)}"
    side = "one-sided" if goal.one_sided else "two-sided"
    error = alpha / 2 if goal.one_sided else alpha
    method = f"{arms}; {side} alpha {error:.4g} for each of {comparisons} comparison{'s'[: comparisons != 1]}"
    return Plan(tuple(rows), kind, method, tuple(designs), goal.one_sided)


def _uneven(share: float) -> str:
    """Return the words for arms of unequal size."""
    return "" if share == HALF else f", {100 * share:.4g} % of them in the control"


def _within(pilot: Pilot, goal: Goal) -> Pilot:
    """Return a metric without its spread if the test needs a direction, and it has none."""
    if not goal.one_sided or pilot.sd is None or pilot.better in NOT_WORSE_BY:
        return pilot
    reason = "neither higher nor lower is better, so no one-sided test shows that a system is not worse"
    return pilot._replace(sd=None, reason=reason)


def _design(pilot: Pilot, goal: Goal, alpha: float, share: float | None) -> Design | None:
    if pilot.sd is None:
        return None
    # Clusters of unequal size give fewer degrees of freedom.
    per_unit = 1.0 if pilot.n_effective is None or not pilot.n else pilot.n_effective / pilot.n
    if share is None:
        return Design(pilot.sd, per_unit, 1.0, alpha, goal.power)
    # Welch's degrees of freedom of two arms with the same variance.
    inverse = (1 / share, 1 / (1 - share))
    per_unit *= sum(inverse) ** 2 / (inverse[0] ** 3 + inverse[1] ** 3)
    return Design(pilot.sd * math.sqrt(sum(inverse)), per_unit, 2.0, alpha, goal.power)


def _row(pilot: Pilot, goal: Goal, alpha: float, comparisons: int) -> dict[str, Any]:
    effect = None if not pilot.n_effective or not pilot.n else pilot.n / pilot.n_effective
    delta, reason = goal.delta(pilot.value), pilot.reason
    if goal.difference is not None and delta is None and reason is None:
        reason = "a share of 0 is no difference; write the difference as a number"
    return {
        "metric": pilot.metric or None, "system": pilot.system, "baseline_value": pilot.value, "sd": pilot.sd,
        "n_units": pilot.n, "design_effect": effect, "difference": delta, "power": goal.power,
        "alpha": alpha / 2 if goal.one_sided else alpha, "comparisons": comparisons, "units": None,
        "at_units": goal.units or pilot.n, "mde": None, "power_at_units": None, "reason": reason,
    }  # fmt: skip


def _fill(
    engine: Engine, rows: Sequence[dict[str, Any]], designs: Sequence[Design | None], one_sided: bool
) -> None:
    """Fill the numbers that the tests give, in place."""
    pairs = [(row, design) for row, design in zip(rows, designs, strict=True) if design is not None]
    aimed = [(row, design) for row, design in pairs if row["difference"] is not None]
    for row, design in aimed:
        if (design.spread / row["difference"]) ** 2 * 100 > MOST_UNITS:
            raise MetricError(
                f"difference={row['difference']:g}", "needs too many units", "take a larger one"
            )
    if aimed:
        found = sizes(engine, [(design, abs(row["difference"])) for row, design in aimed])
        for (row, _), units in zip(aimed, found, strict=True):
            row["units"] = units
    judged = [(row, design) for row, design in pairs if row["at_units"] is not None]
    if judged:
        mdes = effects(engine, [(design, row["at_units"]) for row, design in judged])
        for (row, _), mde in zip(judged, mdes, strict=True):
            row["mde"] = mde
    both = [(row, design) for row, design in judged if row["difference"] is not None]
    if both:
        given = [(design, float(row["at_units"]), row["difference"]) for row, design in both]
        for (row, _), power in zip(both, powers(engine, given, one_sided), strict=True):
            row["power_at_units"] = power


def planned_rate(engine: Engine, rate: Any, goal: Goal, share: float) -> Plan:
    """Return the plan of two proportions.

    Args:
        share: the share of the units in the control arm.

    Raises:
        MetricError: no rate, or a difference that leads to no other rate.
    """
    base = read_number("rate", rate, "0.03")
    if not 0 < base < 1:
        raise MetricError(f"rate={rate!r}", "is not a share between 0 and 1", "write 0.03 for 3 %")
    delta = goal.delta(base)
    change = 0.0 if delta is None else delta if base + delta < 1 else -delta
    if not 0 < base + change < 1:
        name = MARGIN if goal.one_sided else "difference"
        raise MetricError(f"{name}={delta:g}", "leads to no share between 0 and 1", "take a smaller one")
    comparisons = goal.comparisons or 1
    alpha = goal.error_rate(comparisons)
    design = RateDesign(base, share, alpha, goal.power, change < 0, goal.one_sided)
    pilot = Pilot("", None, base, math.sqrt(base * (1 - base)), None, None)
    row: dict[str, Any] = {}
    for name, value in _row(pilot, goal, alpha, comparisons).items():
        row |= {name: value, DECREASE: None} if name == "mde" else {name: value}
    if delta is not None:
        row["units"] = _both_arms(rate_size(engine, design, change), design, delta)
    if goal.units is not None:
        row |= _at_units(engine, design, goal.units, None if delta is None else change)
        design = design._replace(falls=design.falls or (delta is None and row["mde"] is None))
    # A margin has its power if both proportions are equal.
    arms = f"both {base:.4g}" if goal.one_sided else f"{base:.4g} and {base + change:.4g}"
    arms = f"{base:.4g} in the control" if delta is None else arms
    method = f"z-test of two proportions, {arms}; units of both arms{_uneven(share)}"
    return Plan((row,), "units", method, (design,), goal.one_sided)


def _both_arms(units: float, design: RateDesign, delta: float) -> int:
    """Return the units of both arms, each rounded up."""
    if not units <= MOST_UNITS:
        raise MetricError(f"difference={delta:g}", "needs too many units", "take a larger one")
    return sum(math.ceil(units * share - 1e-9) for share in (design.share, 1 - design.share))


def _at_units(engine: Engine, design: RateDesign, units: int, change: float | None) -> dict[str, Any]:
    """Return what the z-test of two proportions finds with a number of units."""
    grows, falls = effects(engine, [(design._replace(falls=falls), units) for falls in (False, True)])
    found: dict[str, Any] = {"mde": grows, DECREASE: None if falls is None or design.equal else -falls}
    if change is not None:
        found["power_at_units"] = rate_power(engine, design, units, change)
    if grows is None and falls is None:
        found["reason"] = "no other share is far enough from the rate; take more units"
    return found


def planned_from(
    engine: Engine,
    pilots: Sequence[Pilot],
    goal: Goal,
    parts: Sequence[FamilyEvaluation],
    share: float | None,
    is_paired: bool,
) -> Plan:
    """Return the plan of comparisons of the systems that were evaluated.

    Raises:
        MetricError: a share of arms, and every unit has a difference.
    """
    return planned(engine, pilots, goal, name_of_units(parts), _control_arm(share, is_paired))


def pilots_of(
    comparer: Comparer,
    session: Session,
    parts: Sequence[FamilyEvaluation],
    baseline: str | None,
    unpaired: bool,
) -> tuple[list[Pilot], bool]:
    """Return the spread of every metric, and whether it is that of paired differences."""
    known = list(dict.fromkeys(row["system"] for part in parts for row in part.rows))
    if baseline is not None and baseline not in known:
        raise MetricError(f"baseline {baseline!r}", "no such system", suggestion(baseline, known))
    if len(known) > 1 and not unpaired:
        if baseline is None and isinstance(session.request.system, str):
            names = " or ".join(map(repr, known))
            raise MetricError("baseline", "not given", f"set baseline= (--baseline) to {names}")
        return paired_pilots(comparer, session, parts, baseline), True
    chosen = known[0] if baseline is None else baseline
    return list(single_pilots(comparer, session, parts, chosen)), False


def planned_from_past(
    engine: Engine, goal: Goal, past: Any, metrics: Any, cluster: str | None, share: float | None
) -> Plan:
    """Return the plan of an experiment, from units before it; `past_pilots` says what it raises."""
    with engine.exclusive(keep=False):
        pilots = past_pilots(engine, past, metrics, cluster)
        return planned(engine, pilots, goal, cluster or "units", share or HALF)


def planned_from_numbers(goal: Goal, sd: Any, rate: Any, unpaired: bool, share: float | None) -> Plan:
    """Return the plan of one comparison whose spread is a number.

    Raises:
        MetricError: no spread, or two.
    """
    if sd is not None and rate is not None:
        raise MetricError("plan", "takes sd or rate, not both", "give sd for a mean, rate for a share")
    if sd is None and rate is None:
        advice = "give predictions, or one of sd=0.2, rate=0.03 and past='users.parquet'"
        raise MetricError("plan", "nothing to plan from", advice)
    with closing(open_engine()) as engine:
        if rate is not None:
            return planned_rate(engine, rate, goal, share or HALF)
        spread = read_number("sd", sd, "0.2")
        if spread <= 0:
            raise MetricError(f"sd={sd!r}", "is not a positive standard deviation", "write one such as 0.2")
        if goal.relative:
            raise MetricError("difference", "a share, and sd has no value", "write it as a number")
        pilot = Pilot("", None, None, spread, None, None)
        return planned(engine, [pilot], goal, "units", _control_arm(share, not unpaired))


def read_share(share: Any) -> float | None:
    """Read the share of the control arm; None if nobody gave one."""
    if share is None:
        return None
    read = read_number("share", share, "0.5")
    if not 0 < read < 1:
        raise MetricError(f"share={share!r}", "is not between 0 and 1", "write 0.9 for nine of ten units")
    return read


def _control_arm(share: float | None, is_paired: bool) -> float | None:
    """Return the share of the units in the control arm; None if each unit has a difference."""
    if not is_paired:
        return share or HALF
    if share is not None:
        raise MetricError("share", "is for unpaired arms", "add unpaired=True (--unpaired)")
    return None
