"""An A/B test: shares of the variants, one statistic for every metric, doubts, adjusted p-values.

A ratio is compared by ratio_delta, a metric with a value from before the experiment by cuped, a metric that
holds only 0 and 1 by two_proportion_z, and any other by welch_t. In a sequential test, sequential_ratio
compares ratios, and sequential_mean all others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.catalog.catalog import catalog
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.expressions.build import values_table
from duckmetrics.inference.adjustment import NONE, adjusted_p
from duckmetrics.inputs.python_tables import as_table
from duckmetrics.results.experiment import Experiment, SampleRatio
from duckmetrics.statistics.answers import OF_EXPERIMENT, answers
from duckmetrics.statistics.arms import (
    Arm,
    adjusted_source,
    find_column,
    read_arms,
    read_doubts,
    read_outcomes,
    unit_column,
    withhold,
)
from duckmetrics.statistics.inputs import listed
from duckmetrics.statistics.run import computed, read_statistic
from duckmetrics.words.lists import counted
from duckmetrics.words.rounding import ROUNDING, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.arms import Outcome

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
VALUES = {
    MEAN: ("control_mean", "mean"),
    CUPED: ("control_mean", "mean"),
    RATIO: ("control_ratio", "ratio"),
    PROPORTION: ("control_proportion", "proportion"),
    SEQUENTIAL_MEAN: ("control_mean", "mean"),
    SEQUENTIAL_RATIO: ("control_ratio", "ratio"),
}
NUMBERS = ("delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper", "p")
# The normal approximation of a proportion needs more successes and failures than this.
FEW_HITS = 5
# A value from before the experiment that differs with a smaller p did not differ by chance.
MOVED = 0.001
RATIO_CHECK = "sample_ratio"
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


def run_experiment(engine: Engine, table: Any, plan: ExperimentPlan) -> Experiment:
    """Compare the variants of an experiment; `duckmetrics.ab` says what it raises."""
    before = len(engine.ran)
    with engine.exclusive(keep=False):
        whole = engine.attach(as_table(table, "data"), "data")
        variant = find_column(whole, plan.variant, "the variant")
        outcomes = read_outcomes(whole, plan.metrics, plan.pre, plan.lower_is_better)
        read = [column for outcome in outcomes for column in (*outcome.columns, outcome.before or "")]
        unit = unit_column(whole.columns, [variant, *read])
        source = engine.once(whole, [variant, *read, *([] if unit is None else [unit])])
        if source.empty:
            raise InputError(source.label, "no rows", "check how it was exported")
        arms = read_arms(engine, source, variant, outcomes)
        control = _control(source.label, variant, plan.control, arms)
        arms = [control, *(arm for arm in arms if arm != control)]
        ratio = _sample_ratio(engine, source, arms, plan)
        rows, notes, warnings = _of_outcomes(engine, source, variant, outcomes, arms, plan)
        units = read_doubts(engine, source, table, variant, unit, outcomes)
        withhold(rows, units)
        for row in rows if ratio.mismatch else ():
            row["reason"] = row["reason"] or "sample ratio mismatch"
        sql = ";\n\n".join(engine.ran[before:]) + ";"
    if plan.planned is not None:
        notes.append(LOOKS.format(plan.planned))
    return Experiment(
        tuple(rows),
        control.name,
        ratio,
        plan.adjust,
        plan.level,
        plan.alpha,
        (*mismatch(ratio), *(doubt.problem for doubt in units), *warnings),
        tuple(notes),
        sql,
        planned=plan.planned,
    )


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
        compared = _compared(engine, source, variant, outcome, arms, plan)
        rows += (own := _rows(outcome, compared, arms))
        notes += _notes(outcome, own, arms)
        warnings += lost(outcome, arms, ratio_of)
        warnings += moved(outcome, _before(engine, source, variant, outcome, arms), MOVED)
        for warning in compared.warnings:
            warned.setdefault(warning, []).append(outcome.name)
    _judge(engine, rows, outcomes, plan)
    return rows, notes, [*warnings, *(f"{', '.join(names)}: {told}" for told, names in warned.items())]


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
    engine: Engine, source: Source, variant: str, outcome: Outcome, arms: Sequence[Arm], plan: ExperimentPlan
) -> ComparedOutcome:
    """Compute the statistic of one metric."""
    statistic = _statistic(outcome, arms)
    if not arms[0].of(outcome).known:
        return ComparedOutcome(statistic, {}, [])
    params = {"control": arms[0].name, "level": plan.level}
    columns = {"arm": variant, "value": outcome.value}
    if plan.planned is not None:
        return _looked_at(engine, source, variant, outcome, arms, {**params, "planned": plan.planned})
    if statistic == PROPORTION:
        return _run(engine, PROPORTION, _hits(source, outcome, arms), {}, params, _few_hits(outcome, arms))
    if outcome.denominator is not None:
        columns = {"arm": variant, "numerator": outcome.value, "denominator": outcome.denominator}
        return _run(engine, RATIO, source, columns, params)
    if outcome.before is None:
        return _run(engine, MEAN, source, columns, params)
    compared, adjusted = _adjusted_values(engine, source, variant, outcome, arms, plan.level)
    relative = _run(engine, MEAN, adjusted, {}, params)
    # cuped has no relative change; that of the values that it compares is Welch's.
    rows_of = {name: {**relative.rows[name], **row} for name, row in compared.rows.items()}
    return compared._replace(rows=rows_of)


def _before(
    engine: Engine, source: Source, variant: str, outcome: Outcome, arms: Sequence[Arm]
) -> dict[str, float | None]:
    """Test whether a value from before the experiment differs; return p by treated variant."""
    if outcome.before is None or not arms[0].of(outcome).before:
        return {}
    columns = {"arm": variant, "value": outcome.before}
    found = _run(engine, MEAN, source, columns, {"control": arms[0].name})
    return {name: row["p"] for name, row in found.rows.items()}


def _looked_at(
    engine: Engine, source: Source, variant: str, outcome: Outcome, arms: Sequence[Arm],
    params: Mapping[str, Any],
) -> ComparedOutcome:  # fmt: skip
    """Compute the statistic of one metric of a sequential test."""
    columns = {"arm": variant, "value": outcome.value}
    if outcome.denominator is not None:
        columns = {"arm": variant, "numerator": outcome.value, "denominator": outcome.denominator}
        return _run(engine, SEQUENTIAL_RATIO, source, columns, params)
    if outcome.before is None:
        return _run(engine, SEQUENTIAL_MEAN, source, columns, params)
    before, adjusted = _adjusted_values(engine, source, variant, outcome, arms, params["level"])
    compared = _run(engine, SEQUENTIAL_MEAN, adjusted, {}, params)
    return compared._replace(rows={name: {**before.rows[name], **row} for name, row in compared.rows.items()})


def _adjusted_values(
    engine: Engine, source: Source, variant: str, outcome: Outcome, arms: Sequence[Arm], level: float
) -> tuple[ComparedOutcome, Source]:
    """Return the results of CUPED, and the values that it compares."""
    columns = {"arm": variant, "value": outcome.value, "covariate": outcome.before or ""}
    compared = _run(engine, CUPED, source, columns, {"control": arms[0].name, "level": level})
    theta = next((row["theta"] for row in compared.rows.values()), 0.0)
    return compared, adjusted_source(source, variant, outcome, theta, _center(outcome, arms))


def _hits(source: Source, outcome: Outcome, arms: Sequence[Arm]) -> Source:
    """Return the table of a proportion: a row for every variant with values."""
    known = [(arm.name, arm.of(outcome)) for arm in arms if arm.of(outcome).known]
    rows = [(name, float(tally.hits), float(tally.known)) for name, tally in known]
    return _table(source, source.label, {"arm": "VARCHAR", "hits": "DOUBLE", "n": "DOUBLE"}, rows)


def _statistic(outcome: Outcome, arms: Sequence[Arm]) -> str:
    """Return the statistic that compares a metric."""
    if outcome.denominator is not None:
        return RATIO
    if outcome.before is not None:
        return CUPED
    tallies = [arm.of(outcome) for arm in arms]
    is_flag = any(tally.known for tally in tallies) and not any(tally.others for tally in tallies)
    return PROPORTION if is_flag else MEAN


def _run(
    engine: Engine, statistic: str, source: Source, columns: Mapping[str, str], params: Mapping[str, Any],
    more: Sequence[str] = (),
) -> ComparedOutcome:  # fmt: skip
    found, warnings = computed(engine, read_statistic(statistic, params), source, columns)
    rows = {row["arm"]: row for row in found.to_pylist()}
    return ComparedOutcome(statistic, rows, [*(warnings if rows else []), *more])


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
        arguments.append({**row, "better": better, "is_baseline": False, "of_means": True,
                          "alpha": plan.alpha, "denominator": outcome.denominator})  # fmt: skip
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
