"""The tests of a comparison, and pairing: a paired test needs values of the same units."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import unknown_test
from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.checks.notes import MISSING
from duckmetrics.errors import InputError, MetricError
from duckmetrics.inference.units import DIFFERENCES, QUERIES, ROWS
from duckmetrics.inputs.interval_options import PAIRED
from duckmetrics.inputs.slices import taken_name
from duckmetrics.results.comparison import COLUMNS
from duckmetrics.words.rounding import ROUNDING, whole_number
from duckmetrics.words.verdicts import MAX_T
from duckmetrics.words.visible import hashable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation


# The names of tests; the paired one computes n, effect sizes and intervals, whatever test computes p.
RANDOMIZATION = "randomization_test"
# The tests of systems that were evaluated on other units; only a caller chooses them. The first one also
# computes n and the intervals of the differences.
UNPAIRED, UNPAIRED_RANDOMIZATION = "unpaired_t", "unpaired_randomization"
OF_OTHER_UNITS = {
    PAIRED: UNPAIRED, "t": UNPAIRED, UNPAIRED: UNPAIRED, "randomization": UNPAIRED_RANDOMIZATION,
    RANDOMIZATION: UNPAIRED_RANDOMIZATION, UNPAIRED_RANDOMIZATION: UNPAIRED_RANDOMIZATION,
}  # fmt: skip
ASK_UNPAIRED = "set unpaired=True (--unpaired) if the systems have other users, weeks or countries"
BOOTSTRAPPED = "paired_bootstrap"
# The name of the test where p comes from the whole metric, computed again on samples.
SAMPLED = "bootstrap_samples"
# The parameter of tests that hold at every look at growing data: the number of units they are planned for.
PLANNED = "planned"


def find_test(catalog: Catalog, name: str, unpaired: bool = False) -> Definition:
    """Return the test that a word means, such as randomization.

    Args:
        unpaired: whether the systems have other units.

    Raises:
        MetricError: no such test, or a test that does not fit the units.
    """
    if unpaired:
        return _unpaired_test(catalog, str(name))
    wanted = str(name).lower().replace("-", "_")
    if wanted in OF_OTHER_UNITS.values():
        raise MetricError("test", f"{wanted} is for systems with other units", ASK_UNPAIRED)
    known = {n: d for n, d in catalog.statistics.items() if _is_paired(catalog, d)}
    near = [n for n in known if wanted in (n, *n.split("_"))]
    if wanted == MAX_T:
        raise MetricError("test", "max_t adjusts p, and is not a test", "use adjust='max_t' (--adjust max_t)")
    if len(near) != 1 and wanted not in known:
        raise MetricError("test", *unknown_test("test", str(name), known))
    return known[wanted if wanted in known else near[0]]


def _unpaired_test(catalog: Catalog, name: str) -> Definition:
    chosen = OF_OTHER_UNITS.get(name.lower().replace("-", "_"))
    if chosen is None:
        raise MetricError(
            "test",
            f"{name} compares the same units, and unpaired=True says that these are other units",
            "leave test out for Welch's t-test of other units, or use test='randomization'",
        )
    return catalog.statistics[chosen]


def _is_paired(catalog: Catalog, definition: Definition) -> bool:
    """Return whether a test compares systems query by query: with a baseline, or all pairs of them.

    A file that adjusts p for several comparisons is a method of adjustment.
    """
    columns = definition.query.named_selects
    if "p" not in columns or "p_adjusted" in columns:
        return False
    read = {known.name for known in catalog.foundations(definition)}
    return DIFFERENCES in {*definition.tables, *read} or of_all_pairs(definition)


def of_all_pairs(definition: Definition) -> bool:
    """Return whether a test looks at every pair of systems, so that it holds for all of them together."""
    return "other" in definition.query.named_selects


def is_always_valid(definition: Definition) -> bool:
    """Return whether a test holds at every look at growing data."""
    return PLANNED in definition.own_params


def read_planned(test: Definition, planned: Any) -> int | None:
    """Read the number of units that a test is planned for.

    Raises:
        MetricError: it is not a positive whole number, or the test has no plan.
    """
    if planned is None:
        return None
    if whole_number(planned) < 1:
        raise MetricError(
            f"planned={planned!r}", "not a number of units", "write a whole number such as 1000"
        )
    if not is_always_valid(test):
        raise MetricError(
            "planned",
            f"{test.name} looks once and has no plan",
            "use test='always_valid' (--test always_valid)",
        )
    return whole_number(planned)


def lower_is_better(part: FamilyEvaluation, row: Mapping[str, Any]) -> bool:
    return next(measure for measure in part.measures if measure.text == row["metric"]).lower_is_better


Row = dict[str, Any]

# The rounding error that remains where numbers near 1 cancel out, as in 1 minus a ratio.
CANCELLED = 1e-14
# The commands that also compare systems with other units.
WITH_UNPAIRED = ("compare", "plan")
BOTH = "compare the queries that all systems answered, with population='both' (--set population=both)"


def refuse_unpaired(part: FamilyEvaluation, command: str, unpaired: bool) -> None:
    """Refuse rows that no column pairs across systems, and slices that hide a column of the result.

    Args:
        unpaired: whether the systems have other rows.
    """
    if part.units is None:
        return
    if part.units.kind == ROWS and not unpaired:
        raise InputError(
            command,
            "no column shows which rows of the systems belong together",
            or_unpaired(
                "name the column of independent units, such as users, with cluster='user_id' "
                "(--cluster user_id)",
                command,
            ),
        )
    for name in part.units.columns:
        if name.lower() in COLUMNS:
            raise taken_name(name, "the comparison")


def of_systems(part: FamilyEvaluation, systems: Collection[str]) -> FamilyEvaluation:
    """Return the rows and units of these systems only."""
    rows = tuple(row for row in part.rows if row["system"] in systems)
    return replace(part, rows=rows, units=None if part.units is None else part.units.of_systems(systems))


def key_of_row(part: FamilyEvaluation, row: Mapping[str, Any]) -> tuple[Any, ...]:
    columns = part.units.columns if part.units is not None else {}
    return tuple(hashable(row[c]) for c in ("system", "metric", "slice", *columns))


def of_whole(
    row: Mapping[str, Any], other: Mapping[str, Any], sampled: Mapping[str, Any], part: FamilyEvaluation
) -> Row:
    """Return the columns of one row that come from bootstrap samples of the whole metric."""
    samples = None if part.units is None else part.units.samples
    found = {**sampled, "test": SAMPLED, "resamples": None if samples is None else samples.number}
    if other.get("value") is None or row["value"] is None:
        return {"test": SAMPLED}
    delta = row["value"] - other["value"]
    if is_zero(other["value"], row["value"]):
        return {**found, "delta": delta, "relative_lower": None, "relative_upper": None}
    return {**found, "delta": delta, "relative_change": delta / abs(other["value"])}


def is_zero(base: float, value: float) -> bool:
    """Return whether a value of the baseline is 0, or as far from it as sums in another order may be."""
    return abs(base) <= max(ROUNDING * abs(value), CANCELLED)


def speakers(engine: Engine, part: FamilyEvaluation) -> dict[Any, int]:
    """Return the number of units that a measure of rows depends on, by system, metric and slice."""
    units = part.units
    if units is None:
        return {}
    found = {}
    of_sums = units.speakers()
    if of_sums is not None:
        found = {units.row_key(row): row["n"] for row in engine.arrow(of_sums).to_pylist()}
    if units.samples is not None and units.members is not None:
        sizes = units.samples.units.sizes(units.members)
        found |= {units.row_key(row): row["n"] for row in engine.arrow(sizes).to_pylist()}
    return found


def is_rounding(value: float | None, found: Mapping[str, Any]) -> bool:
    """Return whether a difference is negligible next to the value, or next to the differences of units."""
    if value is None or found.get("delta") is None:
        return False
    delta, beside_units = float(found["delta"]), float(found.get("d_av") or math.inf)
    return abs(delta) <= max(ROUNDING * abs(value), CANCELLED) or abs(beside_units) <= ROUNDING


def strangers(
    catalog: Catalog, engine: Engine, part: FamilyEvaluation, rows: Iterable[Row], baseline: str
) -> Iterator[tuple[Row, int, str]]:
    """Yield the rows whose system has values of other queries, or rows, than the baseline.

    Each comes with the number of these values, and with a text that describes them.
    """
    units = part.units
    if units is None:
        return
    compared = [row for row in rows if row["system"] != baseline]
    values = {key_of_row(part, row): row["value"] for row in part.rows}
    if units.members is not None:
        unmatched = dict(engine.rows(units.unmatched(catalog, baseline)))
        for row in compared:
            if number := unmatched.pop(row["system"], 0):
                kind = f"{units.kind} have other rows, labels, weights or groups"
                yield row, number, kind if part.per_query is None else "values are of one side only"
        return
    if not units.measures:
        return
    counts = {units.row_key(row): row["n"] for row in engine.arrow(units.counts(catalog)).to_pylist()}
    for row in compared:
        key = key_of_row(part, row)
        other = (baseline, *key[1:])
        if values[key] is None or values.get(other) is None or not counts.get(key) or not counts.get(other):
            continue
        number = counts[key] + counts[other] - 2 * (row["n_units"] or 0)
        if number:
            yield row, number, f"{units.kind} have a value on one side only"


def is_clustered(part: FamilyEvaluation) -> bool:
    """Return whether units may weigh unequally, so that their values depend on all units of a system."""
    return part.units is not None and (part.units.kind != QUERIES or part.units.clustered)


def is_of_rows(part: FamilyEvaluation) -> bool:
    """Return whether the values come from rows of classifiers."""
    return part.per_query is None and all(measure.family == CLASSIFICATION for measure in part.measures)


def or_unpaired(advice: str, command: str) -> str:
    """Return an advice, with the test of other units where the command has it."""
    return f"{advice}; {ASK_UNPAIRED}" if command in WITH_UNPAIRED else advice


def way_out(part: FamilyEvaluation, command: str) -> str:
    """Return what to do about systems with values of different queries or rows."""
    return or_unpaired(_same_units(part), command)


def _same_units(part: FamilyEvaluation) -> str:
    if part.per_query is None:
        return "evaluate the same rows" if is_of_rows(part) else BOTH
    told = "set allow_different=True (--allow-different) to compare the common part"
    if is_clustered(part):
        what = "weights" if part.units is not None and part.units.kind == QUERIES else "cluster"
        told = f"leave {what} out and {told}"
    if any(measure.values.get(MISSING) == "skip" for measure in part.measures):
        return f"set missing='zero' or population='both' (--set population=both), or {told}"
    if any(measure.values.get(MISSING) == "undefined" for measure in part.measures):
        return f"{BOTH}, or {told}"
    return told
