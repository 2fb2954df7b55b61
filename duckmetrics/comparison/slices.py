"""The differences of the slices next to each other: are they the same, and what are they after shrinkage?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.comparison.findings import warning
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import picked, values_table
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.many_units import ManyUnits
from duckmetrics.inference.units import of_measures, over_rows
from duckmetrics.results.differences import Sliced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.inference.units import Units
    from duckmetrics.results.findings import Finding

HETEROGENEITY, SHRINKAGE = "heterogeneity", "shrinkage"
# The standard error of a difference and its degrees of freedom, which no column of the result holds.
ERROR = "error"
OVERLAP = (
    "by {}: units are in several slices, so that p of their differences is too large, and their mean and "
    "shrinkage have no interval"
)
# The intervals over all slices.
BOUNDS = {"delta_lower", "delta_upper", "shrunk_lower", "shrunk_upper"}
COLUMNS = ("family", "slice", "estimate", "se", "df")


def compared_slices(
    catalog: Catalog,
    engine: Engine,
    rows: Sequence[Row],
    groupings: Mapping[str, Sequence[str]],
    level: float,
    parts: Iterable[FamilyEvaluation],
) -> tuple[Sliced, list[Finding]]:
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
        return Sliced(), []
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
            row |= dict.fromkeys(row.keys() & BOUNDS)
    told = [warning("overlapping_slices", OVERLAP.format(", ".join(overlapping)), "")] if overlapping else []
    return Sliced(tuple(pooled), tuple(shrunk)), told


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
