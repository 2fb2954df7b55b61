"""The rows of a comparison: the results of the tests for each system, metric and slice, paired or not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.checks.notes import MISSING, UNANSWERED
from duckmetrics.comparison.families import warning
from duckmetrics.comparison.pairing import (
    BOOTSTRAPPED,
    CANCELLED,
    OF_OTHER_UNITS,
    SAMPLED,
    UNPAIRED,
    Row,
    is_clustered,
    is_rounding,
    lower_is_better,
)
from duckmetrics.compose.functions import linked
from duckmetrics.errors import MetricError
from duckmetrics.expressions.build import picked, values_table
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.adjustment import NONE
from duckmetrics.inference.intervals import tested
from duckmetrics.inference.row_units import ManyUnits
from duckmetrics.inference.units import N_BASELINE, QUERIES, of_measures, over_rows
from duckmetrics.inputs.interval_options import PAIRED
from duckmetrics.inputs.request import with_switches
from duckmetrics.results.comparison import SlicedComparison
from duckmetrics.results.findings import NOTE, Finding
from duckmetrics.words.rounding import ROUNDING
from duckmetrics.words.units import CLUSTERS
from duckmetrics.words.verdicts import BASELINE
from duckmetrics.words.visible import hashable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.units import Units
    from duckmetrics.inputs.interval_options import Inference


# A query that a system did not answer belongs to another system, and has no value.
SKIP = "skip"
EACH_ITS_TRUTH = (
    "to count unanswered queries as 0, evaluate each system with its own truth and compare the results, as "
    "in compare({'A': evaluate(...), 'B': evaluate(...)}, unpaired=True)"
)
CHECK = "unpaired"
# The most units, of all metrics, systems and slices, that are exchanged at random.
MOST_EXCHANGED = 200_000
# A correlation that changes an interval by less than 5 %.
SLIGHT = 0.1


def of_own_queries(session: Session, specs: Sequence[str], measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures without the queries that a system did not answer, which are those of others.

    Raises:
        MetricError: a switch says that such queries count.
    """
    if not any(MISSING in measure.values for measure in measures):
        return list(measures)
    session.request = with_switches(
        session.catalog, session.request, {MISSING: session.request.switches.get(MISSING, SKIP)}
    )
    found = session.measures(specs)
    for measure in found:
        if measure.values.get(MISSING, SKIP) != SKIP:
            raise MetricError(
                measure.text,
                f"{MISSING}={measure.values[MISSING]} also counts the queries of the other systems",
                f"leave it out; {EACH_ITS_TRUTH}",
            )
    return found


def without_unanswered(parts: Sequence[FamilyEvaluation]) -> list[FamilyEvaluation]:
    """Return the results with one note in place of warnings that systems lack the queries of others."""
    told = []
    for part in parts:
        kept = tuple(finding for finding in part.findings if finding.check != UNANSWERED)
        if len(kept) < len(part.findings):
            message = f"each system counts the queries that it answered; {EACH_ITS_TRUTH}"
            kept = (*kept, Finding(CHECK, NOTE, "", "", 0, (), message))
        told.append(replace(part, findings=kept))
    return told


def shared_units(catalog: Catalog, engine: Engine, units: Units | None, baseline: str) -> list[Finding]:
    """Warn of systems that have units in common with the baseline, which a paired test makes use of."""
    if units is None or not units.measures:
        return []
    found: dict[str, dict[str, Any]] = {}
    for row in engine.arrow(units.shared(catalog, baseline)).to_pylist():
        if not row["slice"] and row["n"] > found.get(row["system"], {"n": 0})["n"]:
            found[row["system"]] = row
    return [
        warning(
            CHECK,
            f"{system} and {baseline} have {row['n']:,} {units.kind} in common{_effect(row['correlation'])}",
            "leave unpaired out to compare the common ones in pairs",
        )
        for system, row in found.items()
    ]  # fmt: skip


def _effect(correlation: float | None) -> str:
    """Write what the correlation of common units does to the test, which takes them as independent."""
    if correlation is None:
        return ", and the test takes them as independent"
    if abs(correlation) < SLIGHT:
        return f"; their values hardly correlate ({correlation:+.2f}), so this changes little"
    error = "too wide, and p too large" if correlation >= 0 else "too narrow, and p too small"
    return f"; their values correlate by {correlation:+.2f}, so the intervals are {error}"


def refuse_many_units(number: int) -> None:
    """Refuse to exchange units at random if it takes minutes.

    Raises:
        MetricError: there are too many units, for which Welch's test keeps its error rate.
    """
    if number > MOST_EXCHANGED:
        raise MetricError(
            "test",
            f"randomization exchanges units at random, and all metrics together have {number:,}",
            "leave test out: with many units, Welch's t-test keeps its error rate",
        )


def reason_without_p(found: Mapping[str, Any], kind: str) -> str:
    """Return why a comparison of other units has no p-value."""
    sizes = [found[name] for name in (N_BASELINE, "n") if found.get(name)]
    if len(sizes) < 2:
        return f"no {kind} have a value, in the system or in the baseline"
    if min(sizes) < 2:
        one = "query" if kind == QUERIES else kind.replace("clusters", "cluster", 1)
        return f"only one {one} has a value, in the system or in the baseline"
    if found.get("statistic") is None:
        return "all values of each system are equal, so their spread is unknown"
    return f"the {kind} of a system are worth fewer than two of equal weight"


HETEROGENEITY, SHRINKAGE = "heterogeneity", "shrinkage"
# The standard error of a difference and its degrees of freedom, which no column of the result holds.
ERROR = "error"
OVERLAP = (
    "by {}: units are in several slices, so that p of their differences is too large, and their mean and "
    "shrinkage have no interval"
)
# The intervals over all slices.
SLICE_BOUNDS = {"delta_lower", "delta_upper", "shrunk_lower", "shrunk_upper"}
COLUMNS = ("family", "slice", "estimate", "se", "df")


def compared_slices(
    catalog: Catalog,
    engine: Engine,
    rows: Sequence[Row],
    groupings: Mapping[str, Sequence[str]],
    level: float,
    parts: Iterable[FamilyEvaluation],
) -> tuple[SlicedComparison, list[Finding]]:
    """Compare the differences of the slices of each system, metric and slicing.

    Args:
        rows: the comparisons with one baseline, each with `ERROR`.
        groupings: the slicing columns by the name of the slicing.
        parts: the evaluations behind the rows.
    """
    families: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["slice"] and row["delta"] is not None and row[ERROR] and row[ERROR][0] is not None:
            families.setdefault((row["system"], row["metric"], row["slice"]), []).append(row)
    families = {
        key: own for key, own in families.items() if len(own) > 1 and any(row[ERROR][0] for row in own)
    }
    if not families:
        return SlicedComparison(), []
    given = [
        (family, place, float(row["delta"]), *map(_number, error))
        for family, own in enumerate(families.values())
        for place, (row, error) in enumerate(zip(own, _errors(own), strict=True))
    ]  # fmt: skip
    keys = list(families)
    pooled = [
        {
            "system": keys[row["family"]][0], "metric": keys[row["family"]][1],
            "slice": keys[row["family"]][2], "n_slices": row["n"],
            **{name: row[name] for name in ("q", "df", "p", "i2", "tau2")}, "delta": row["mean"],
            "delta_lower": row["lower"], "delta_upper": row["upper"],
        }
        for row in _found(catalog, engine, HETEROGENEITY, given, level)
    ]  # fmt: skip
    shrunk = []
    for row in _found(catalog, engine, SHRINKAGE, given, level):
        own = families[keys[row["family"]]][row["slice"]]
        kept = ("system", "metric", "slice", *groupings[own["slice"]], "delta")
        bounds = {"shrunk": row["shrunk"], "shrunk_lower": row["lower"], "shrunk_upper": row["upper"]}
        shrunk.append({**{name: own[name] for name in kept}, "se": row["se"], **bounds})
    overlapping = overlapping_slices(engine, parts)
    for row in (*pooled, *shrunk):
        if row["slice"] in overlapping:
            row |= dict.fromkeys(row.keys() & SLICE_BOUNDS)
    told = [warning("overlapping_slices", OVERLAP.format(", ".join(overlapping)), "")] if overlapping else []
    return SlicedComparison(tuple(pooled), tuple(shrunk)), told


def _errors(rows: Sequence[Row]) -> list[tuple[float, float | None]]:
    """Return the standard error of every slice, and its degrees of freedom.

    If all differences of a slice are equal, nothing shows their spread. That of the other slices takes its
    place, because a slice without any change may be the one that differs.
    """
    known = [row for row in rows if row[ERROR][0] and row["n_units"]]
    units = sum(row["n_units"] for row in known)
    variance = sum((row[ERROR][0] * row["n_units"]) ** 2 for row in known) / units if units else 0.0
    return [
        row[ERROR] if row[ERROR][0] else (math.sqrt(variance / row["n_units"]), max(row["n_units"] - 1, 1))
        for row in rows
    ]


def overlapping_slices(engine: Engine, parts: Iterable[FamilyEvaluation]) -> list[str]:
    """Return the slicings in which clusters are in several slices, or may be if there are very many."""
    found: dict[str, None] = {}
    for part in parts:
        units = part.units
        if units is None or not units.clustered or units.segments is None or not units.measures:
            continue
        known = units.segments if isinstance(units, ManyUnits) else _units_of_slices(units)
        query = exp.select("slice").from_(known.subquery("known")).where(exp.column("slice").neq(literal("")))
        if not isinstance(units, ManyUnits):
            different = exp.Count(this=exp.Distinct(expressions=[exp.column("query_id")]))
            several = exp.GT(this=exp.Count(this=exp.Star()), expression=different)
            query = query.group_by("system", "metric", "slice").having(several)
        found |= dict.fromkeys(str(name) for (name,) in engine.rows(query))
    return list(found)


def _units_of_slices(units: Units) -> exp.Select:
    """Return the units of the first measure, with the names of their slices."""
    one = of_measures(units.query, units.measures, units.measures[:1]).subquery("units")
    return units.named("one", ("query_id",)).with_("one", as_=exp.select(exp.Star()).from_(one))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _found(
    catalog: Catalog, engine: Engine, statistic: str, given: Sequence[Sequence[Any]], level: float
) -> list[Row]:
    """Return the rows of a statistic of estimates, in their order."""
    estimates = picked(values_table("given", COLUMNS, given), *COLUMNS)
    found = over_rows(catalog, statistic, estimates, {"level": level})
    query, macros = linked(catalog, found)
    engine.define(macros)
    rows: list[Row] = engine.arrow(query).to_pylist()
    return sorted(rows, key=lambda row: (row["family"], row.get("slice", 0)))


# The columns of a row after the value: the most important first, the conventions last.
ORDER = (
    "baseline", "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper",
    "p", "p_adjusted", "verdict", "n", "n_undefined", "n_units", "n_units_baseline", "effect_size", "mde",
    "wins", "ties", "losses", "statistic", "df", "n_effective", "test", "adjust", "n_tests", "alpha",
    "interval_level", "interval_method", "cluster", "resamples", "seed", "reason", "better", "target",
    "signature",
)  # fmt: skip
# Columns that depend on the number of comparisons, and are computed after all of them.
OF_FAMILIES = ("mde",)
FIELDS = (
    "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper",
    "effect_size", "wins", "ties", "losses", "statistic", "df", "p",
)  # fmt: skip
BOUNDS = ("delta_lower", "delta_upper", "relative_lower", "relative_upper")


def tested_units(
    catalog: Catalog, engine: Engine, part: FamilyEvaluation, test: Definition, values: Mapping[str, Value]
) -> list[Row]:
    """Test the units of a part, and return the rows of the test.

    Args:
        values: the parameters that a test may have.
    """
    if part.units is None or not part.units.measures:
        return []
    given = {name: value for name, value in values.items() if name in catalog.params(test)}
    table = tested(catalog, engine, part.units, test.name, given, OF_FAMILIES)
    rows: list[Row] = engine.arrow(engine.kept(table)).to_pylist()
    return rows


def by_system(part: FamilyEvaluation, tested: Iterable[Row], baseline: str) -> dict[Any, Row]:
    """Return the rows of a test against a baseline, by the other system, metric and slice.

    Args:
        tested: the rows of the test; those of a test of all pairs name two systems, in any order.
    """
    found = {}
    for row in tested:
        pair = {row["system"], row.get("other", baseline)}
        if part.units is not None and baseline in pair:
            (system,) = pair - {baseline}
            found[part.units.row_key({**row, "system": system})] = row
    return found


def tested_samples(catalog: Catalog, engine: Engine, part: FamilyEvaluation, baseline: str) -> dict[Any, Row]:
    """Return the differences on bootstrap samples, for measures that have no units."""
    if part.units is None or part.units.samples is None:
        return {}
    query = part.units.samples.differences(catalog, baseline)
    return {part.units.row_key(row): row for row in engine.arrow(query).to_pylist()}


def result_of_row(
    row: Mapping[str, Any],
    part: FamilyEvaluation,
    test: Definition,
    paired: Mapping[str, Any],
    special: Mapping[str, Any],
) -> Row:
    """Return the results for one row: p and bounds from the test, the others from the t-test.

    Args:
        paired: the results of the paired t-test; for other units, those of Welch's test.
        special: the results of the test.
    """
    found = {**paired, "test": test.name, ERROR: (paired.get("se"), paired.get("df"))}
    # All differences are equal: tests whose p comes from their spread fall back on the sign test.
    found["is_constant"] = paired.get("se") == 0 and bool(paired.get("delta"))
    if test.name in OF_OTHER_UNITS.values():
        found["is_constant"] = False
    if test.name not in (PAIRED, UNPAIRED):
        found |= {name: special.get(name) for name in ("statistic", "df", "p", "resamples")}
        if special.get("exact"):
            # All ways to choose the signs were tried, and none was drawn.
            found["resamples"] = None
        found["n"] = special.get("n", found.get("n"))
        # An interval of the test replaces that of the paired t-test, also if it has no bounds.
        found |= {name: special.get(name) for name in BOUNDS if name in test.query.named_selects}
        # The power is that of the paired t-test, and does not hold for another test.
        found["se"] = None
    of_sums = part.units is not None and (part.units.linearized or is_clustered(part))
    if of_sums and is_rounding(row["value"], found):
        found["is_constant"] = False
    return found


def difference(row: Mapping[str, Any], other: Mapping[str, Any]) -> float | None:
    """Return the value minus that of the baseline; None if one of them has no value."""
    own, base = row["value"], other.get("value")
    return None if own is None or base is None else float(own) - float(base)


def raise_to_sign_test(found: Row, speaking: int | None) -> None:
    """Raise p to that of the sign test on the units that a measure depends on, in place."""
    n = found.get("n") if speaking is None else speaking
    if found.get("p") is None or n is None:
        return
    if found["test"] == SAMPLED:
        found["n"] = n
    if found.get("is_constant") or found["test"] == SAMPLED:
        found["p"] = None if n < 2 else max(found["p"], 2.0 ** max(1 - n, -1000))
        found["speaking"] = n


def comparison_row(
    row: Mapping[str, Any],
    part: FamilyEvaluation,
    found: Mapping[str, Any],
    reason: str | None,
    baseline: str,
    adjust: str,
    inference: Inference,
) -> Row:
    """Return one row of the comparison, the columns in their order, and `ERROR`.

    Args:
        row: the row of the evaluation.
        found: the results for it.
        reason: what to know about its p-value, or why it has none.
    """
    columns = part.units.columns if part.units is not None else {}
    kept = {name: row[name] for name in ("system", "metric", "slice", *columns, "value", "lower", "upper")}
    drawn = found.get("resamples")
    others = {
        "baseline": baseline, **_fields(row, part, found), "p_adjusted": None, "mde": found.get("se"),
        "verdict": BASELINE, "better": row["better"], "target": row["target"], "n": row["n"],
        "n_undefined": row["n_undefined"], "n_units": found.get("n"),
        "n_effective": found.get("n_effective", found.get("n")), "test": found["test"],
        "adjust": adjust, "n_tests": None, "alpha": inference.alpha,
        "interval_level": inference.level, "interval_method": inference.method,
        "cluster": _cluster(part), "resamples": drawn,
        "seed": None if drawn is None else inference.seed,
        "reason": row["reason"] if row["system"] == baseline else reason,
        "signature": row["signature"],
    }  # fmt: skip
    if N_BASELINE in found:
        others["n_units_baseline"] = found[N_BASELINE]
    return {**kept, **{name: others[name] for name in ORDER if name in others}, ERROR: found.get(ERROR)}


def _fields(row: Mapping[str, Any], part: FamilyEvaluation, found: Mapping[str, Any]) -> Row:
    """Return the columns that the tests fill."""
    fields: Row = {name: found.get(name) for name in FIELDS}
    if part.per_query is None:
        fields |= dict.fromkeys(("wins", "ties", "losses"))
    elif lower_is_better(part, row):
        fields |= {"wins": fields["losses"], "losses": fields["wins"]}
    linearized = part.per_query is None or is_clustered(part)
    if linearized and fields["p"] is not None and is_rounding(row["value"], found):
        # The same rows in another order have sums that differ in the last digit.
        is_relative = fields["relative_change"] is not None
        fields |= {"delta": 0.0, "effect_size": None, "statistic": None, "p": 1.0}
        fields["relative_change"] = 0.0 if is_relative else None
        for bound in BOUNDS if is_relative else BOUNDS[:2]:
            size = abs(row["value"] or 0.0) if bound.startswith("delta") else 1.0
            is_zero = abs(fields[bound] or 0.0) <= max(ROUNDING * size, CANCELLED)
            fields[bound] = 0.0 if is_zero else fields[bound]
    return fields


def _cluster(part: FamilyEvaluation) -> str | None:
    """Return the column whose values are the units; None if the units are queries or rows."""
    kind = "" if part.units is None else part.units.kind
    return kind.removeprefix(CLUSTERS) if kind.startswith(CLUSTERS) else None


def sort_rows(rows: list[Row], order: Sequence[Any]) -> None:
    """Put the systems of every slice and metric in order, the baseline first.

    Pairs of systems follow the order of the baselines.
    """
    groups: dict[Any, int] = {}
    for row in rows:
        groups.setdefault(without_system(row), len(groups))
    places = {system: place for place, system in enumerate(dict.fromkeys(order))}
    rows.sort(key=lambda row: (groups[without_system(row)], places[row["baseline"]], places[row["system"]]))


def pair_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield a row for every pair: ``system``, the one that it is ``against``, and the values of both.

    Args:
        rows: the comparisons with every baseline, and a row with the value of the first baseline.
    """
    values = {(without_system(row), row["system"]): row["value"] for row in rows}
    for row in rows:
        system, other = row["system"], row["baseline"]
        if system != other:
            pair = {"system": system, "against": other, **row}
            del pair["baseline"]
            yield placed_after(pair, "value", {"against_value": values.get((without_system(row), other))})


def placed_after(row: Row, column: str, others: Mapping[str, Any]) -> Row:
    """Return a row with other columns after one of its own."""
    placed: Row = {}
    for known, own in row.items():
        placed[known] = own
        if known == column:
            placed.update(others)
    return placed


def without_system(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the metric and the slice of a row: all columns before the value but the system."""
    names = list(row)
    return tuple(hashable(row[name]) for name in names[1 : names.index("value")])


def verdict_arguments(rows: Sequence[Row], test: Definition, alpha: float) -> list[Row]:
    """Return the arguments of `improvement.sql` and `verdict.sql` for each row of a comparison."""
    known = {(without_system(row), row["system"]): row for row in rows}
    found = []
    for row in rows:
        base = known.get((without_system(row), row["baseline"]), {})
        found.append({
            **row, "is_baseline": row["system"] == row["baseline"], "of_means": "warning" not in test.header,
            "base": base.get("value"), "base_lower": base.get("lower"), "base_upper": base.get("upper"),
            "alpha": alpha, "level": row["interval_level"],
            "n_tests": 1 if row["adjust"] == NONE else max(row["n_tests"] or 1, 1),
        })  # fmt: skip
    return found


def reason_arguments(
    row: Mapping[str, Any], other: Mapping[str, Any], found: Mapping[str, Any], part: FamilyEvaluation
) -> dict[str, Any]:
    """Return the arguments of `verdict_reason.sql` for one row.

    Args:
        other: the row of the baseline, empty if it has none.
        found: the results of the tests.
    """
    units, n = part.units, found.get("n") or 0
    return {
        **{name: found.get(name) for name in ("p", "relative_change", "n_effective")},
        "reason": row["reason"], "value": row["value"], "n_units": n, "has_base": bool(other),
        "base_value": other.get("value"), "base_reason": other.get("reason"),
        "is_constant": bool(found.get("is_constant")) and found["test"] in (PAIRED, BOOTSTRAPPED),
        "without": _without(row, found, part), "units": QUERIES if units is None else units.kind,
        "is_sum": found.get("speaking") is not None or (units is not None and units.linearized and n > 1),
    }  # fmt: skip


def _without(row: Mapping[str, Any], found: Mapping[str, Any], part: FamilyEvaluation) -> str | None:
    """Return why a metric has no test, None if it has one."""
    units = part.units
    if units is None:
        return "it has no test"
    if row["metric"] in units.without and found["test"] != SAMPLED:
        return f"it has no test: {units.without[row['metric']]}"
    return reason_without_p(found, units.kind) if N_BASELINE in found else None
