"""An A/B test: shares of the variants, one statistic for every metric, doubts, adjusted p-values.

A ratio is compared by ratio_delta, a metric with a value from before the experiment by cuped, a metric that
holds only 0 and 1 by two_proportion_z, a quantile by quantile_difference, and any other by welch_t. In a
sequential test, sequential_ratio compares ratios, and sequential_mean all others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.engines.targets import NewFiles
from duckmetrics.errors import InputError, MetricError, UnsupportedError, suggestion
from duckmetrics.expressions.build import values_table
from duckmetrics.inference.adjustment import NONE, adjusted_p
from duckmetrics.inputs.interval_options import FEW_UNITS
from duckmetrics.inputs.python_tables import as_table
from duckmetrics.inputs.slices import slice_label
from duckmetrics.results.experiment import Experiment, SampleRatio
from duckmetrics.statistics.answers import OF_EXPERIMENT, answers
from duckmetrics.statistics.arms import (
    Arm,
    adjusted_source,
    find_column,
    read_arms,
    read_arms_by,
    read_doubts,
    read_outcomes,
    refuse_copies,
    unit_column,
    withhold,
)
from duckmetrics.statistics.caps import capped, read_caps
from duckmetrics.statistics.inputs import listed
from duckmetrics.statistics.per_unit import (
    ERROR,
    copied_rows,
    count_rows,
    read_covariates,
    read_functions,
    read_shared,
    read_unit,
    refuse_without_unit,
    told_units,
    united,
    with_covariates,
    with_rows,
    without_shared,
)
from duckmetrics.statistics.run import computed, computed_by, read_statistic
from duckmetrics.statistics.slices import OF_UNIT, PART, SLICE, by_part, numbered, parts_of, read_slicings
from duckmetrics.words.lists import counted
from duckmetrics.words.rounding import ROUNDING, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.arms import Doubt, Outcome
    from duckmetrics.statistics.slices import Slicings

    RatioOf = Callable[[dict[str, int], dict[str, float]], SampleRatio]


def mismatch(ratio: SampleRatio) -> list[str]:
    """Warn that the variants do not have the units that their shares call for."""
    if not ratio.mismatch:
        return []
    return [
        f"SAMPLE RATIO MISMATCH (p < {ratio.alpha:g}): the variants do not have the units that their shares "
        "call for. Do not trust any difference below; find out where the units went"
    ]


def lost(outcome: Outcome, arms: Sequence[Arm], ratio_of: RatioOf) -> list[str]:
    """Warn that the variants lack values, or values from before the experiment, in other shares."""
    tallies = {arm.name: arm.of(outcome) for arm in arms}
    known = {name: tally.known for name, tally in tallies.items()}
    units = {arm.name: arm.n for arm in arms}
    advice = "the others are no random sample; do not trust the difference, and find out why"
    warnings = _uneven(f"{outcome.name}: values are", known, units, advice, ratio_of)
    if outcome.before is None:
        return warnings
    before = {name: tally.before for name, tally in tallies.items()}
    what = f"{outcome.name}: values of {outcome.before} are"
    advice = "CUPED counts more of the variance as removed than it removes; do not trust p, and find out why"
    return warnings + _uneven(what, before, known, advice, ratio_of)


def _uneven(
    what: str, known: Mapping[str, int], units: Mapping[str, int], advice: str, ratio_of: RatioOf
) -> list[str]:
    """Return a warning if the known units are not spread over the variants as all units are."""
    total = sum(units.values())
    if sum(known.values()) in (0, total):
        return []
    ratio = ratio_of(dict(known), {name: n / total for name, n in units.items() if n})
    if not ratio.mismatch:
        return []
    each = ", ".join(f"{n - known[name]:,} of {n:,} units of {name}" for name, n in units.items())
    return [f"{what} missing more often in some variants (p < {ratio.alpha:g}): {each}; {advice}"]


def moved(outcome: Outcome, p_values: Mapping[str, float | None], alpha: float) -> list[str]:
    """Warn that a value from before the experiment differs between the variants.

    Args:
        p_values: of the difference to the control, by variant.
        alpha: a smaller p is no chance.
    """
    names = [name for name, p in p_values.items() if p is not None and p < alpha]
    if not names:
        return []
    what = f"{outcome.before} differs between the control and {', '.join(names)} (p < {alpha:g})"
    return [
        f"{outcome.name}: {what}, which chance does not explain; if the experiment changed it, CUPED removes "
        "a part of the effect: use a value from before the experiment"
    ]


def read_shares(given: Any, variants: Sequence[str]) -> dict[str, float]:
    """Return the planned share of every variant; equal shares unless some are given.

    Args:
        given: variant -> share, or None; only the proportions count, so 1 and 2 are shares as well.
        variants: those in the data.

    Raises:
        MetricError: a variant has no share, or a share is not a positive number.
    """
    if given is None:
        return dict.fromkeys(variants, 1 / len(variants))
    if not isinstance(given, Mapping) or not given:
        raise MetricError("shares", f"{given!r} maps no variant", "write {'A': 0.5, 'B': 0.5}")
    shares = {arm_named(name, variants): _share(name, share) for name, share in given.items()}
    if len(shares) < len(given):
        raise MetricError("shares", f"{given!r} names a variant twice", "give each variant one share")
    total = math.fsum(shares.values())
    lacking = [name for name in variants if name not in shares]
    for name in lacking:
        # The rest of 1 for those that have none; without a rest, as much as the others have.
        left = (1 - total) / len(lacking) if total < 1 - ROUNDING else total / len(shares)
        spare = [share for share in shares if share not in variants]
        add = f"add one: {name}={left:.4g}"
        advice = suggestion(spare[0], [name], add) if spare else add
        raise MetricError("shares", f"variant {name!r} has none; given for {', '.join(shares)}", advice)
    ordered = [*variants, *(name for name in shares if name not in variants)]
    return {name: shares[name] / total for name in ordered}


def arm_named(given: Any, variants: Sequence[str]) -> str:
    """Return the variant that a name means: a boolean as the database writes it, blanks around it aside."""
    name = str(given).lower() if isinstance(given, bool) else str(given)
    alike = [variant for variant in variants if variant.strip() == name.strip()]
    return alike[0] if name not in variants and len(alike) == 1 else name


def _share(name: object, share: Any) -> float:
    try:
        number = math.nan if isinstance(share, bool) else float(share)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise MetricError(f"shares {name}", f"{share!r} is not a positive number", "write one such as 0.5")
    return number


# The statistics of a sequential test.
SEQUENTIAL_MEAN, SEQUENTIAL_RATIO, SEQUENTIAL_CHECK = (
    "sequential_mean", "sequential_ratio", "sequential_sample_ratio",
)  # fmt: skip
# Each statistic, and its columns for the value of the control and that of the variant.
MEAN, PROPORTION, RATIO, CUPED = "welch_t", "two_proportion_z", "ratio_delta", "cuped"
QUANTILE = "quantile_difference"
VALUES = {
    MEAN: ("control_mean", "mean"),
    CUPED: ("control_mean", "mean"),
    RATIO: ("control_ratio", "ratio"),
    PROPORTION: ("control_proportion", "proportion"),
    QUANTILE: ("control_quantile", "quantile"),
    SEQUENTIAL_MEAN: ("control_mean", "mean"),
    SEQUENTIAL_RATIO: ("control_ratio", "ratio"),
}
NUMBERS = ("delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper", "p")
# The normal approximation of a proportion needs more successes and failures than this.
FEW_HITS = 5
# A value from before the experiment that differs with a smaller p did not differ by chance.
MOVED = 0.001
RATIO_CHECK = "sample_ratio"
# The standard error of a quantile has no degrees of freedom: its normal critical value.
MANY = 1e12
HETEROGENEITY, INDEPENDENCE = "heterogeneity", "chi_square_independence"
LOOKS = "p, intervals and sample ratio hold at every look; planned for {:,} units"


@dataclass(frozen=True)
class ExperimentPlan:
    """The arguments of an experiment, see `duckmetrics.ab`."""

    variant: str
    control: Any
    metrics: Any
    shares: Any
    pre: Any
    lower_is_better: Any
    adjust: str
    level: float
    alpha: float
    # In a sequential test, the number of units that it is planned for.
    planned: int | None = None
    unit: Any = None
    per_unit: Any = None
    shared_units: str = ERROR
    cap: Any = None
    by: Any = None
    # A table of the same units from before the experiment, which then has the columns of `pre`.
    before: Any = None

    @property
    def check(self) -> tuple[str, dict[str, Any]]:
        """The statistic that checks the sample ratio, and its parameters."""
        return (RATIO_CHECK, {}) if self.planned is None else (SEQUENTIAL_CHECK, {"planned": self.planned})


def read_looks(sequential: Any, planned: Any) -> int | None:
    """Return the number of units that a sequential test is planned for; None for a test that looks once.

    Raises:
        MetricError: it is not a positive whole number, or the test is not sequential.
    """
    if not isinstance(sequential, bool):
        raise MetricError(f"sequential={sequential!r}", "is not true or false", "write sequential=True")
    if planned is not None and whole_number(planned) < 1:
        raise MetricError(
            f"planned={planned!r}", "not a number of units", "write a whole number such as 5000"
        )
    if not sequential:
        if planned is not None:
            raise MetricError("planned", "belongs to a sequential test", "add sequential=True (--sequential)")
        return None
    usual = read_statistic(SEQUENTIAL_MEAN, {}).values["planned"]
    return whole_number(usual if planned is None else planned)


class ComparedOutcome(NamedTuple):
    """One metric: the rows of its statistic by variant, and the warnings."""

    statistic: str
    rows: dict[str, dict[str, Any]]
    warnings: list[str]


# Columns of the rows, which no slice can have for its name.
RESERVED = (
    "metric", "variant", "control", "system", SLICE, "control_value", "value", *NUMBERS, "p_adjusted",
    "verdict", "statistic", "adjust", "n_control", "n", "left_out_control", "left_out", "variance_reduction",
    "reason",
)  # fmt: skip


def run_experiment(engine: Engine, table: Any, plan: ExperimentPlan) -> Experiment:
    """Compare the variants of an experiment; `duckmetrics.ab` says what it raises."""
    before = len(engine.ran)
    with engine.exclusive(keep=False):
        whole = engine.attach(as_table(table, "data"), "data")
        variant = find_column(whole, plan.variant, "the variant")
        pre = plan.pre if plan.before is None else None
        outcomes = read_outcomes(whole, plan.metrics, pre, plan.lower_is_better)
        _refuse_looks(outcomes, plan)
        read = [column for outcome in outcomes for column in (*outcome.columns, outcome.before or "")]
        caps = read_caps(plan.cap, outcomes, plan.planned is not None)
        data = _units_of(engine, whole, variant, outcomes, read, plan)
        limited = capped(engine, data.source, variant, data.outcomes, caps)
        source, outcomes = limited.source, limited.outcomes
        arms = read_arms(engine, source, variant, outcomes)
        refuse_copies(outcomes, arms)
        control = _control(source.label, variant, plan.control, arms)
        arms = [control, *(arm for arm in arms if arm != control)]
        ratio = _sample_ratio(engine, source, arms, plan)
        rows, notes, warnings = _of_outcomes(engine, source, variant, outcomes, arms, plan)
        sliced, between, uneven = _of_slices(engine, source, variant, outcomes, arms, plan, data.slicings)
        if sliced:
            rows = [*(_in_slice(row, (), dict.fromkeys(data.slicings.names)) for row in rows), *sliced]
        withhold(rows, data.doubts, ratio.mismatch)
        sql = ";\n\n".join(engine.ran[before:]) + ";"
    notes = [*data.notes, *limited.notes, *notes]
    if plan.planned is not None:
        notes.append(LOOKS.format(plan.planned))
    return Experiment(
        tuple(rows), control.name, ratio, plan.adjust, plan.level, plan.alpha,
        (*mismatch(ratio), *(doubt.problem for doubt in data.doubts), *data.warnings, *warnings, *uneven),
        tuple(notes), sql, planned=plan.planned, unit=data.unit, caps=limited.caps, sliced=tuple(between),
        lower_is_better=tuple(outcome.name for outcome in outcomes if outcome.lower_is_better),
        table=source.label,
        files=NewFiles(),
    )  # fmt: skip


def _refuse_looks(outcomes: Sequence[Outcome], plan: ExperimentPlan) -> None:
    """Refuse a quantile in a sequential test.

    Raises:
        UnsupportedError: there is one.
    """
    name = next((outcome.name for outcome in outcomes if outcome.q is not None), None)
    if plan.planned is not None and name is not None:
        what = "the interval of a quantile does not hold at every look"
        raise UnsupportedError(name, what, "leave it out, or look once without sequential")


class ExperimentUnits(NamedTuple):
    """The rows that are compared, the metrics over their columns, and what is doubtful about them."""

    source: Source
    outcomes: list[Outcome]
    doubts: list[Doubt]
    warnings: list[str]
    notes: list[str]
    slicings: Slicings
    # The column whose rows were put together.
    unit: str | None = None


def _units_of(
    engine: Engine, whole: Source, variant: str, outcomes: list[Outcome], read: Sequence[str],
    plan: ExperimentPlan,
) -> ExperimentUnits:  # fmt: skip
    """Read the rows of an experiment; with a unit, put them together."""
    read_shared(plan.shared_units)
    roles = dict.fromkeys(filter(None, read), "the column of a metric") | {variant: "the variant itself"}
    if plan.unit is None:
        refuse_without_unit(plan.per_unit, plan.shared_units, plan.before)
        unit = unit_column(whole.columns, [variant, *read])
    else:
        unit = read_unit(whole, plan.unit, roles)
        functions = read_functions(plan.per_unit, outcomes)
        roles[unit] = OF_UNIT
    slicings = read_slicings(plan.by, whole, roles, RESERVED, plan.planned is not None)
    columns = dict.fromkeys([variant, *read, *slicings.columns, *([] if unit is None else [unit])])
    source = engine.once(whole, list(columns))
    if source.empty:
        raise InputError(source.label, "no rows", "check how it was exported")
    if plan.unit is None or unit is None:
        doubts = read_doubts(engine, source, variant, unit, outcomes)
        return ExperimentUnits(source, outcomes, doubts, [], [], slicings)
    n_rows = count_rows(engine, source, unit)
    copied = copied_rows(engine, source, variant, unit, outcomes, functions)
    whole_outcomes = outcomes
    units, outcomes = united(engine, source, variant, unit, outcomes, functions, slicings.texts)
    units, shared = without_shared(engine, units, variant, unit, plan.shared_units)
    outcomes = with_rows(outcomes, whole_outcomes, source, units, unit, functions, bool(shared))
    notes = [told_units(n_rows, count_rows(engine, units, unit), unit, functions)]
    if plan.before is not None:
        table = engine.attach(as_table(plan.before, "before"), "before")
        key, pre = read_covariates(table, unit, plan.pre, whole_outcomes)
        table = engine.once(table, [key, *pre.values()])
        units, outcomes, told = with_covariates(engine, units, unit, outcomes, functions, table, pre, key)
        notes += told
    return ExperimentUnits(units, outcomes, [], [*shared, *copied], notes, slicings.per_unit(), unit)


def _of_outcomes(
    engine: Engine,
    source: Source,
    variant: str,
    outcomes: Sequence[Outcome],
    arms: Sequence[Arm],
    plan: ExperimentPlan,
) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    """Return the rows of all metrics, the notes and the warnings."""
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    warnings: list[str] = []
    warned: dict[str, list[str]] = {}
    ratio_of = partial(_ratio, engine, source, plan)
    for outcome in outcomes:
        statistic = _statistic(outcome, arms)
        (compared,) = _compared(engine, source, variant, outcome, [arms], plan, statistic)
        rows += (own := _rows(outcome, compared, arms))
        notes += _notes(outcome, own, arms)
        warnings += lost(outcome, arms, ratio_of)
        warnings += moved(outcome, _before(engine, source, variant, outcome, arms), MOVED)
        for warning in compared.warnings:
            warned.setdefault(warning, []).append(outcome.name)
    _judge(engine, rows, outcomes, plan)
    return rows, notes, [*warnings, *(f"{', '.join(names)}: {told}" for told, names in warned.items())]


def _of_slices(
    engine: Engine,
    source: Source,
    variant: str,
    outcomes: Sequence[Outcome],
    arms: Sequence[Arm],
    plan: ExperimentPlan,
    slicings: Slicings,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Return the rows of all slices, the tests whether they differ, and the warnings.

    A metric has the statistic that it has overall: a mean stays a mean where a slice has only 0 and 1.
    """
    rows: list[dict[str, Any]] = []
    between: list[dict[str, Any]] = []
    warnings: list[str] = []
    for grouping in slicings.groupings:
        parts = parts_of(engine, source, slicings, grouping)
        sliced = numbered(source, slicings, parts)
        there = read_arms_by(engine, sliced, variant, outcomes, PART)
        of_parts = [there.get(part, {}) for part in range(len(parts))]
        sizes = [[counts.get(arm.name, arm.empty()) for arm in arms] for counts in of_parts]
        found = []
        for outcome in outcomes:
            own = _with_parts(outcome, slicings, parts)
            statistic = _statistic(own, arms)
            compared = _compared(engine, sliced, variant, own, sizes, plan, statistic)
            spread = _spread(engine, sliced, variant, own, compared, arms[0])
            found.append((own, compared, spread))
        of_slices: list[dict[str, Any]] = []
        errors: list[Mapping[str, Any]] = []
        for part, values in enumerate(parts):
            named = dict.fromkeys(slicings.names) | values
            for own, compared, spread in found:
                of_slices += (
                    _in_slice(row, grouping, named) for row in _rows(own, compared[part], sizes[part])
                )
                errors += (spread[part].get(arm.name, {}) for arm in arms[1:])
        _judge(engine, of_slices, outcomes, plan)
        rows += of_slices
        between += _between(engine, source, slice_label(grouping), of_slices, errors, plan)
        warnings += [*_small(grouping, of_slices), *_uneven_slices(engine, source, grouping, sizes)]
    return rows, between, warnings


def _with_parts(outcome: Outcome, slicings: Slicings, parts: Sequence[Mapping[str, str | None]]) -> Outcome:
    """Return a metric whose rows of units have the numbers of their slices."""
    if outcome.rows is None:
        return outcome
    rows = outcome.rows._replace(source=numbered(outcome.rows.source, slicings.per_row, parts))
    return replace(outcome, rows=rows)


def _in_slice(
    row: Mapping[str, Any], grouping: Sequence[str], values: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return a row with its slice before the numbers."""
    place = list(row).index("control_value")
    items = list(row.items())
    return {**dict(items[:place]), SLICE: slice_label(grouping), **values, **dict(items[place:])}


def _spread(
    engine: Engine, source: Source, variant: str, outcome: Outcome, compared: Sequence[ComparedOutcome],
    control: Arm,
) -> list[Mapping[str, Mapping[str, Any]]]:  # fmt: skip
    """Return rows by slice with the standard error of each difference; of proportions it is Welch's."""
    statistic = compared[0].statistic
    if statistic == QUANTILE:
        return [{name: {**row, "df": MANY} for name, row in one.rows.items()} for one in compared]
    if statistic == PROPORTION:
        columns = {"arm": variant, "value": outcome.value}
        compared = _run(engine, MEAN, source, columns, {"control": control.name}, len(compared))
    return [one.rows for one in compared]


def _between(
    engine: Engine, source: Source, label: str, rows: Sequence[Mapping[str, Any]],
    errors: Sequence[Mapping[str, Any]], plan: ExperimentPlan,
) -> list[dict[str, Any]]:  # fmt: skip
    """Test for each metric and variant whether the differences of the slices differ from each other."""
    compared = [(row["metric"], row["variant"]) for row in rows]
    families = list(dict.fromkeys(compared))
    given = [
        (str(families.index(compared[place])), str(place), row["delta"], error["se"], error["df"])
        for place, (row, error) in enumerate(zip(rows, errors, strict=True))
        if row["delta"] is not None and error.get("se") and error.get("df")
    ]  # fmt: skip
    if not given:
        return []
    columns = {"family": "VARCHAR", "slice": "VARCHAR", **dict.fromkeys(("estimate", "se", "df"), "DOUBLE")}
    table = _table(source, "slices", columns, given)
    found, _ = computed(engine, read_statistic(HETEROGENEITY, {"level": plan.level}), table, {})
    return [
        {
            "metric": families[int(row["family"])][0], "variant": families[int(row["family"])][1],
            SLICE: label, "n_slices": row["n"],
            **{name: row[name] for name in ("q", "df", "p", "i2", "tau2")},
            "delta": row["mean"], "delta_lower": row["lower"], "delta_upper": row["upper"],
        }
        for row in sorted(found.to_pylist(), key=lambda row: int(row["family"]))
        if row["p"] is not None
    ]  # fmt: skip


def _small(grouping: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Warn of slices with few units."""
    slices = {tuple(row[name] for name in grouping): row for row in rows}
    small = {
        tuple(row[name] for name in grouping) for row in rows if min(row["n"], row["n_control"]) < FEW_UNITS
    }
    if not small:
        return []
    return [
        f"by {slice_label(grouping)}: in {len(small)} of {counted(len(slices), 'slice')}, a variant has "
        f"fewer than {FEW_UNITS} units with a value: its tests depend on the distribution of the values"
    ]


def _uneven_slices(
    engine: Engine, source: Source, grouping: Sequence[str], sizes: Sequence[Sequence[Arm]]
) -> list[str]:
    """Warn that the variants have other shares in some slices, which chance does not explain."""
    cells = [(arm.name, str(i), float(arm.n)) for i, arms in enumerate(sizes) for arm in arms]
    if len(sizes) < 2:
        return []
    columns = {"row_value": "VARCHAR", "column_value": "VARCHAR", "n": "DOUBLE"}
    table = _table(source, "slices", columns, cells)
    found, _ = computed(engine, read_statistic(INDEPENDENCE, {}), table, {})
    (row,) = found.to_pylist()
    if row["p"] >= MOVED:
        return []
    return [
        f"by {slice_label(grouping)}: the variants have other shares in some slices (p < {MOVED:g}), which "
        "chance does not explain; if the experiment changed the slice of a unit, do not trust its slices"
    ]


def _control(label: str, variant: str, control: Any, arms: Sequence[Arm]) -> Arm:
    """Return the control among the variants.

    Raises:
        MetricError: it is not named.
        InputError: it is not there, or there is nothing to compare it with.
    """
    names = [arm.name for arm in arms]
    if control is None:
        raise MetricError("control", "is missing", f"choose {listed(names, 'or')}")
    name = arm_named(control, names)
    if name not in names:
        what = f"column {variant!r} has no control {name!r}; there {'is' if len(names) == 1 else 'are'}"
        raise InputError(label, f"{what} {listed(names, 'and')}", "name one of the variants")
    if len(names) < 2:
        raise InputError(label, f"column {variant!r} has only the variant {name!r}", "compare two or more")
    return next(arm for arm in arms if arm.name == name)


def _table(source: Source, label: str, columns: Mapping[str, str], rows: Sequence[Sequence[Value]]) -> Source:
    """Return a few numbers as a table that a statistic can read."""
    relation = values_table("few_numbers", list(columns), rows)
    return replace(source, label=label, relation=relation, columns=columns, renamed={}, empty=False)


def _sample_ratio(engine: Engine, source: Source, arms: Sequence[Arm], plan: ExperimentPlan) -> SampleRatio:
    """Test whether the variants have the units that their shares call for."""
    observed = {arm.name: arm.n for arm in arms}
    shares = read_shares(plan.shares, list(observed))
    return _ratio(engine, source, plan, {name: observed.get(name, 0) for name in shares}, shares)


def _ratio(
    engine: Engine, source: Source, plan: ExperimentPlan, observed: dict[str, int], shares: dict[str, float]
) -> SampleRatio:
    rows = [(float(observed[name]), share) for name, share in shares.items()]
    table = _table(source, "sample ratio", {"observed": "DOUBLE", "expected": "DOUBLE"}, rows)
    measure = read_statistic(*plan.check)
    found, _ = computed(engine, measure, table, {})
    (row,) = found.to_pylist()
    alpha = float(str(measure.values["alpha"]))
    return SampleRatio(observed, shares, row["statistic"], row["df"], row["p"], alpha, row["mismatch"])


def _compared(
    engine: Engine, source: Source, variant: str, outcome: Outcome, parts: Sequence[Sequence[Arm]],
    plan: ExperimentPlan, statistic: str,
) -> list[ComparedOutcome]:  # fmt: skip
    """Compute the statistic of one metric, for each slice whose number the rows have.

    Args:
        parts: the variants of each slice, or those of all units, which have no number.
    """
    if not any(arms[0].of(outcome).known for arms in parts):
        return [ComparedOutcome(statistic, {}, []) for _ in parts]
    n = len(parts) if PART in source.columns else None
    params = {"control": parts[0][0].name, "level": plan.level}
    columns = {"arm": variant, "value": outcome.value}
    if outcome.q is not None:
        rows = outcome.rows
        if rows is not None:
            source, columns = rows.source, {"arm": variant, "value": rows.value, "cluster_id": rows.unit}
        return _run(engine, QUANTILE, source, columns, {**params, "q": outcome.q}, n)
    if plan.planned is not None:
        return [_looked_at(engine, source, variant, outcome, parts, {**params, "planned": plan.planned})]
    if statistic == PROPORTION:
        few = _few_hits(outcome, parts[0]) if n is None else []
        return _run(engine, PROPORTION, _hits(source, outcome, parts), {}, params, n, few)
    if outcome.denominator is not None:
        columns = {"arm": variant, "numerator": outcome.value, "denominator": outcome.denominator}
        return _run(engine, RATIO, source, columns, params, n)
    if outcome.before is None:
        return _run(engine, MEAN, source, columns, params, n)
    compared, adjusted = _adjusted_values(engine, source, variant, outcome, parts, plan.level)
    relative = _run(engine, MEAN, adjusted, {}, params, n)
    # cuped has no relative change; that of the values that it compares is Welch's.
    return [
        one._replace(rows={name: {**other.rows[name], **row} for name, row in one.rows.items()})
        for one, other in zip(compared, relative, strict=True)
    ]


def _before(
    engine: Engine, source: Source, variant: str, outcome: Outcome, arms: Sequence[Arm]
) -> dict[str, float | None]:
    """Test whether a value from before the experiment differs; return p by treated variant."""
    if outcome.before is None or not arms[0].of(outcome).before:
        return {}
    columns = {"arm": variant, "value": outcome.before}
    (found,) = _run(engine, MEAN, source, columns, {"control": arms[0].name})
    return {name: row["p"] for name, row in found.rows.items()}


def _looked_at(
    engine: Engine, source: Source, variant: str, outcome: Outcome, parts: Sequence[Sequence[Arm]],
    params: Mapping[str, Any],
) -> ComparedOutcome:  # fmt: skip
    """Compute the statistic of one metric of a sequential test."""
    columns = {"arm": variant, "value": outcome.value}
    if outcome.denominator is not None:
        columns = {"arm": variant, "numerator": outcome.value, "denominator": outcome.denominator}
        return _run(engine, SEQUENTIAL_RATIO, source, columns, params)[0]
    if outcome.before is None:
        return _run(engine, SEQUENTIAL_MEAN, source, columns, params)[0]
    (before,), adjusted = _adjusted_values(engine, source, variant, outcome, parts, params["level"])
    (compared,) = _run(engine, SEQUENTIAL_MEAN, adjusted, {}, params)
    return compared._replace(rows={name: {**before.rows[name], **row} for name, row in compared.rows.items()})


def _adjusted_values(
    engine: Engine, source: Source, variant: str, outcome: Outcome, parts: Sequence[Sequence[Arm]],
    level: float,
) -> tuple[list[ComparedOutcome], Source]:  # fmt: skip
    """Return the results of CUPED, and the values that it compares."""
    columns = {"arm": variant, "value": outcome.value, "covariate": outcome.before or ""}
    keep = [PART] if PART in source.columns else []
    params = {"control": parts[0][0].name, "level": level}
    compared = _run(engine, CUPED, source, columns, params, len(parts) if keep else None)
    thetas = [next((row["theta"] for row in one.rows.values()), 0.0) for one in compared]
    centers = [_center(outcome, arms) for arms in parts]
    return compared, adjusted_source(source, variant, outcome, by_part(thetas), by_part(centers), keep)


def _hits(source: Source, outcome: Outcome, parts: Sequence[Sequence[Arm]]) -> Source:
    """Return the table of a proportion: a row for every slice and variant with values."""
    known = [(part, arm.name, arm.of(outcome)) for part, arms in enumerate(parts) for arm in arms]
    rows = [(part, name, float(tally.hits), float(tally.known)) for part, name, tally in known if tally.known]
    columns = {PART: "BIGINT", "arm": "VARCHAR", "hits": "DOUBLE", "n": "DOUBLE"}
    return _table(source, source.label, columns, rows)


def _statistic(outcome: Outcome, arms: Sequence[Arm]) -> str:
    """Return the statistic that compares a metric."""
    if outcome.q is not None:
        return QUANTILE
    if outcome.denominator is not None:
        return RATIO
    if outcome.before is not None:
        return CUPED
    tallies = [arm.of(outcome) for arm in arms]
    is_flag = any(tally.known for tally in tallies) and not any(tally.others for tally in tallies)
    return PROPORTION if is_flag else MEAN


def _run(
    engine: Engine, statistic: str, source: Source, columns: Mapping[str, str], params: Mapping[str, Any],
    n_parts: int | None = None, more: Sequence[str] = (),
) -> list[ComparedOutcome]:  # fmt: skip
    """Compute a statistic of all rows, or of each slice whose number they have."""
    measure = read_statistic(statistic, params)
    if n_parts is None:
        found, warnings = computed(engine, measure, source, columns)
        rows = {row["arm"]: row for row in found.to_pylist()}
        return [ComparedOutcome(statistic, rows, [*(warnings if rows else []), *more])]
    of_parts = [ComparedOutcome(statistic, {}, []) for _ in range(n_parts)]
    for row in computed_by(engine, measure, source, columns, PART):
        of_parts[row.pop(PART)].rows[row["arm"]] = row
    return of_parts


def _center(outcome: Outcome, arms: Sequence[Arm]) -> float | None:
    """Return the mean from before the experiment over all variants."""
    tallies = [arm.of(outcome) for arm in arms if arm.of(outcome).before]
    n = sum(tally.before for tally in tallies)
    return sum(tally.sum_before for tally in tallies) / n if n else None


def _few_hits(outcome: Outcome, arms: Sequence[Arm]) -> list[str]:
    tallies = [arm.of(outcome) for arm in arms if arm.of(outcome).known]
    least = min(min(tally.hits, tally.known - tally.hits) for tally in tallies)
    if least >= FEW_HITS:
        return []
    return [f"a variant has only {least} successes or failures; below {FEW_HITS} the p-value is rough, "
            "see 'duckmetrics test fisher-exact'"]  # fmt: skip


def _rows(outcome: Outcome, compared: ComparedOutcome, arms: Sequence[Arm]) -> list[dict[str, Any]]:
    """Return a row for every treated variant; that of a variant without values has none."""
    control, rows = arms[0], []
    for arm in arms[1:]:
        found = compared.rows.get(arm.name, {})
        of_control, of_arm = VALUES[compared.statistic]
        known, known_control = arm.of(outcome).known, control.of(outcome).known
        rows.append({
            "metric": outcome.name, "variant": arm.name, "control": control.name,
            "control_value": found.get(of_control), "value": found.get(of_arm),
            **{name: found.get(name) for name in NUMBERS},
            "p_adjusted": None, "verdict": None, "statistic": compared.statistic, "adjust": "",
            "n_control": known_control, "n": known,
            "left_out_control": control.n - known_control, "left_out": arm.n - known,
            "variance_reduction": found.get("variance_reduction"),
            "reason": None,
        })  # fmt: skip
    return rows


def _judge(
    engine: Engine, rows: list[dict[str, Any]], outcomes: Sequence[Outcome], plan: ExperimentPlan
) -> None:
    """Add the adjusted p-values, the verdicts and the reasons for missing ones."""
    for row, p in zip(rows, _adjusted(engine, [row["p"] for row in rows], plan.adjust), strict=True):
        row |= {"p_adjusted": p, "adjust": plan.adjust}
    known = {outcome.name: outcome for outcome in outcomes}
    arguments = []
    for row in rows:
        outcome = known[row["metric"]]
        better = "lower" if outcome.lower_is_better else "higher"
        known_of = {"alpha": plan.alpha, "denominator": outcome.denominator, "q": outcome.q}
        arguments.append({**row, "better": better, "is_baseline": False, "of_means": True, **known_of})
    for row, found in zip(rows, answers(catalog(), engine, OF_EXPERIMENT, arguments), strict=True):
        row |= {"verdict": found["verdict"], "reason": found["experiment_reason"]}


def _adjusted(engine: Engine, p_values: Sequence[float | None], method: str) -> list[float | None]:
    """Return the adjusted p-values; missing ones stay missing and do not count."""
    known = [p for p in p_values if p is not None]
    if method == NONE or not known:
        return list(p_values)
    adjusted = iter(adjusted_p(catalog(), engine, known, method))
    return [None if p is None else next(adjusted) for p in p_values]


def _notes(outcome: Outcome, rows: Sequence[Mapping[str, Any]], arms: Sequence[Arm]) -> list[str]:
    """Return notes on the units that are left out, and on the effect of CUPED."""
    tallies = [(arm, arm.of(outcome)) for arm in arms]
    notes = _told(outcome.name, "without a value left out", {arm.name: arm.n - t.known for arm, t in tallies})
    if outcome.before is None:
        return notes
    without = {arm.name: tally.known - tally.before for arm, tally in tallies}
    notes += _told(outcome.name, f"without {outcome.before} taken as the mean of the others", without)
    known = [(row["variant"], row["variance_reduction"]) for row in rows]
    shares = ", ".join(f"{share:.1%} ({name})" for name, share in known if share is not None)
    removed = f" removes {shares} of the variance of the difference" if shares else ""
    return [*notes, f"{outcome.name}: CUPED with {outcome.before}{removed}"]


def _told(name: str, what: str, counts: Mapping[str, int]) -> list[str]:
    total = sum(counts.values())
    if not total:
        return []
    each = ", ".join(f"{n:,} of {arm}" for arm, n in counts.items() if n)
    return [f"{name}: {counted(total, 'unit')} {what} ({each})"]
