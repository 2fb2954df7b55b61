"""The rows of a comparison: the results of the tests for each system, metric and slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.methods import (
    BOOTSTRAPPED,
    OF_OTHER_UNITS,
    PAIRED,
    SAMPLED,
    UNPAIRED,
    lower_is_better,
)
from duckmetrics.comparison.pairing import CANCELLED, Row, is_clustered, is_rounding
from duckmetrics.comparison.slices import ERROR
from duckmetrics.comparison.unpaired import reason_without_p
from duckmetrics.expressions.numbers import ROUNDING
from duckmetrics.expressions.visible import hashable
from duckmetrics.inference.intervals import tested
from duckmetrics.inference.units import N_BASELINE, QUERIES
from duckmetrics.sentences.units import CLUSTERS
from duckmetrics.statistics.adjustment import NONE
from duckmetrics.verdicts import BASELINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference

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
