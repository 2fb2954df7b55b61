"""The differences of the slices next to each other: are they the same, and what are they after shrinkage?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import picked, values_table
from duckmetrics.inference.units import over_rows
from duckmetrics.results.differences import Sliced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine

HETEROGENEITY, SHRINKAGE = "heterogeneity", "shrinkage"
# The standard error of a difference and its degrees of freedom, which no column of the result holds.
ERROR = "error"
COLUMNS = ("family", "slice", "estimate", "se", "df")


def compared_slices(
    catalog: Catalog,
    engine: Engine,
    rows: Sequence[Row],
    groupings: Mapping[str, Sequence[str]],
    level: float,
) -> Sliced:
    """Compare the differences of the slices of each system, metric and slicing.

    Args:
        rows: the comparisons with one baseline, each with `ERROR`.
        groupings: the slicing columns by the name of the slicing.
    """
    families: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["slice"] and row["delta"] is not None and row[ERROR] and row[ERROR][0]:
            families.setdefault((row["system"], row["metric"], row["slice"]), []).append(row)
    families = {key: own for key, own in families.items() if len(own) > 1}
    if not families:
        return Sliced()
    given = [
        (family, place, float(row["delta"]), *map(_number, row[ERROR]))
        for family, own in enumerate(families.values()) for place, row in enumerate(own)
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
    return Sliced(tuple(pooled), tuple(shrunk))


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
