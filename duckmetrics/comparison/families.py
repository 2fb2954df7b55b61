"""Families of p-values: they are adjusted for their number, and so is what a test can detect."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import call, picked, quoted, values_table
from duckmetrics.expressions.folding import literal
from duckmetrics.expressions.visible import hashable
from duckmetrics.results.document import SMALLEST_P
from duckmetrics.statistics.adjustment import NONE, adjusted_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.interval_options import Inference


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
