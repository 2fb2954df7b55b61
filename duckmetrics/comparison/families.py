"""Families of p-values that are adjusted together, and what is found about them."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.pairing import PLANNED, RANDOMIZATION, SAMPLED, is_always_valid
from duckmetrics.compose.functions import linked
from duckmetrics.errors import MetricError
from duckmetrics.expressions.build import call, picked, quoted, values_table
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.adjustment import NONE, adjusted_p, tested_together
from duckmetrics.inputs.interval_options import PAIRED
from duckmetrics.results.findings import NOTE, WARNING, Finding
from duckmetrics.results.tabular import SMALLEST_P
from duckmetrics.words.rounding import ROUNDING
from duckmetrics.words.verdicts import MAX_T
from duckmetrics.words.visible import hashable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference


# The tests of the mean difference, whose order is that of the statistic.
FITTING = (PAIRED, RANDOMIZATION)
# Statistics that are computed at most, and products of signs and differences. More comparisons take fewer
# resamples, and more units share their signs in groups.
STATISTICS, PRODUCTS = 10_000_000, 2_000_000_000
FEWEST_RESAMPLES = 2000
MOST_GROUPS, FEWEST_GROUPS = 2000, 200


def refuse_unfit(test: Definition, adjust: str, pairs: bool) -> None:
    """Refuse a joint adjustment of p-values of another statistic, or of all pairs of systems.

    Raises:
        MetricError: max_t does not hold for the comparisons.
    """
    if adjust != MAX_T:
        return
    if pairs:
        raise MetricError(
            "adjust",
            "max_t compares systems with one baseline, and these are all pairs",
            "use test='tukey' (--test tukey), which looks at all pairs together, or adjust='holm'",
        )
    if test.name not in FITTING:
        raise MetricError(
            "adjust",
            f"max_t compares means by random signs, and {test.name} has another p",
            "use test='t' or 'randomization', or adjust='holm'",
        )


def joint_rows(
    catalog: Catalog,
    engine: Engine,
    parts: Sequence[FamilyEvaluation],
    baseline: str,
    inference: Inference,
) -> dict[tuple[Any, ...], Row]:
    """Return p_adjusted, alpha_each and resamples of every comparison, by the keys of `Units.row_key`.

    All comparisons of a slicing are adjusted together.

    Raises:
        MetricError: a metric is compared on samples of the whole metric, so that no unit has a value.
    """
    for part in parts:
        if part.units is not None and part.units.samples is not None:
            raise MetricError(
                part.units.samples.units.measures[0],
                "has no values of units, whose signs adjust=max_t draws",
                "leave it out, or use adjust='holm' (--adjust holm)",
            )
    every = [part.units for part in parts if part.units is not None and part.units.measures]
    compared = (row for part in parts for row in part.rows if row["system"] != baseline)
    found: dict[tuple[Any, ...], Row] = {}
    for slicing, comparisons in Counter(row["slice"] for row in compared).items() if every else ():
        values = {**_sizes(inference, comparisons), "baseline": baseline}
        found |= tested_together(catalog, engine, every, slicing, values)
    return found


def _sizes(inference: Inference, comparisons: int) -> dict[str, Value]:
    """Return the parameters that limit the work of a family of this size."""
    resamples = inference.resamples
    if not inference.fixed:
        resamples = min(max(STATISTICS // comparisons, FEWEST_RESAMPLES), resamples)
    groups = PRODUCTS // (comparisons * resamples)
    return {
        "resamples": resamples, "seed": inference.seed, "alpha": inference.alpha,
        "groups": min(max(groups, FEWEST_GROUPS), MOST_GROUPS),
    }  # fmt: skip


# The columns whose values a family has in common: by default all metrics of a slicing, or each alone.
OF_SLICING, OF_METRIC = ("slice",), ("metric", "slice")


def adjust_families(
    catalog: Catalog,
    engine: Engine,
    rows: Sequence[Row],
    adjust: str,
    inference: Inference,
    power: float,
    keys: Sequence[str] = OF_SLICING,
    joint: Mapping[tuple[Any, ...], Row] | None = None,
) -> None:
    """Adjust the p-values of every family for their number, in place.

    The column mde holds the standard error before, and the minimum detectable effect after.

    Args:
        keys: the columns whose values the rows of a family have in common.
        joint: the rows of a test of all comparisons together, by the key of a row.
    """
    powers = []
    for of_family in families_of(rows, keys).values():
        family = [row for row in of_family if row["p"] is not None]
        if joint is None:
            adjust_column(catalog, engine, family, adjust)
        else:
            _adjust_jointly(family, joint, inference.seed)
        for row in of_family:
            row["n_tests"] = len(family)
            if row["mde"] and row["df"]:
                alpha = inference.alpha / steps_of(len(family), adjust)
                alpha = alpha if joint is None else _joint(row, joint)["alpha_each"]
                powers.append((row, row["mde"], row["df"], alpha))
            row["mde"] = None
    if powers:
        effects = _mdes(catalog, engine, [p[1:] for p in powers], power)
        for (row, *_), mde in zip(powers, effects, strict=True):
            row["mde"] = mde


def families_of(rows: Iterable[Row], keys: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows of each family, also those without a p-value."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def steps_of(size: int, adjust: str) -> float:
    """Return how many times smaller than alpha the smallest p of a family must be."""
    match adjust:
        case "none" | "max_t":
            return 1.0
        case "benjamini_yekutieli":
            return size * math.fsum(1 / i for i in range(1, size + 1))
    return float(size)


def adjust_column(
    catalog: Catalog, engine: Engine, family: Sequence[Row], adjust: str, column: str = "p"
) -> None:
    """Adjust the p-values of one family, in place."""
    adjusted = [row[column] for row in family]
    if adjust != NONE and family:
        adjusted = adjusted_p(catalog, engine, adjusted, adjust)
    for row, p in zip(family, adjusted, strict=True):
        row[f"{column}_adjusted"] = max(p, SMALLEST_P)
        row[column] = max(row[column], SMALLEST_P)


def _adjust_jointly(family: Sequence[Row], joint: Mapping[tuple[Any, ...], Row], seed: int) -> None:
    """Take the adjusted p-values from a test of all comparisons together; none is below p."""
    for row in family:
        found = _joint(row, joint)
        row["p"] = max(row["p"], SMALLEST_P)
        row["p_adjusted"] = max(found["p_adjusted"], row["p"])
        row |= {"resamples": found["resamples"], "seed": seed}


def _joint(row: Row, joint: Mapping[tuple[Any, ...], Row]) -> Row:
    """Return the row of a joint test that belongs to a row: system, metric and slice are the same."""
    names = list(row)
    return joint[tuple(hashable(row[name]) for name in names[: names.index("value")])]


def _mdes(
    catalog: Catalog, engine: Engine, given: Sequence[Sequence[float]], power: float
) -> list[float | None]:
    """Return the minimum detectable effects of (se, df, alpha), in their order."""
    names = ("place", "se", "df", "alpha")
    rows = [(place, *map(float, one)) for place, one in enumerate(given)]
    mde = call("student_t_mde", *map(quoted, names[1:]), literal(float(power))).as_("mde")
    query, macros = linked(catalog, picked(values_table("given", names, rows), "place", mde))
    engine.define(macros)
    return [value for _, value in sorted(engine.rows(query))]


def warning(check: str, message: str, advice: str) -> Finding:
    """Return a warning that belongs to no particular table."""
    return Finding(check, WARNING, "", "", 0, (), message, advice)


def warning_of_test(test: Definition) -> list[Finding]:
    """Return the warning that the file of a test holds, if there is one."""
    text = test.header.get("warning")
    return [] if text is None else [warning("test", f"{test.name}: {text}", "")]


def note_on_looks(test: Definition, planned: int | None) -> list[Finding]:
    """Name what holds at every look at growing data, if the test is an always-valid one."""
    if not is_always_valid(test):
        return []
    units = test.own_params[PLANNED].default if planned is None else planned
    message = (
        f"{test.name}: p and the intervals of changes hold at every look, and are tightest at {units:,} "
        "units; the intervals of values hold at one look"
    )
    return [Finding("test", NOTE, "", "", 0, (), message)]


def note_on_samples(part: FamilyEvaluation) -> list[Finding]:
    """Name the measures whose p comes from bootstrap samples, whatever the test."""
    if part.units is None or part.units.samples is None:
        return []
    samples = part.units.samples
    names = ", ".join(samples.units.measures)
    message = f"{names}: compared on {samples.number} bootstrap samples of the whole metric"
    return [Finding("test", NOTE, "", "", 0, (), message)]


def out_of_reach(rows: Sequence[Row], adjust: str, alpha: float) -> list[Finding]:
    """Warn of p-values that are too large for a verdict because too few resamples were drawn."""
    found = {}
    for row in rows:
        if row["p"] is None or row["resamples"] is None:
            continue
        smallest = (2 if row["test"] == SAMPLED else 1) / (1 + row["resamples"])
        steps = steps_of(row["n_tests"], adjust)
        # The resamples of max_t limit the adjusted p, those of a test limit its own.
        name = "p_adjusted" if adjust == MAX_T else "p"
        if smallest * steps >= alpha and row[name] >= smallest * (1 - ROUNDING):
            needed = math.ceil(2 * steps / alpha)
            found[row["metric"], row["slice"]] = warning(
                "test",
                f"{row['metric']}: {name} cannot be below {smallest:.2g} with {row['resamples']} resamples, "
                f"and a verdict in a family of {row['n_tests']} comparisons needs p < "
                f"{alpha / steps:.2g}",
                f"set resamples={needed} (--resamples {needed}) or more, or compare fewer",
            )
    return list(found.values())
