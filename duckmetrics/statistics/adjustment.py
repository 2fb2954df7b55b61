"""p-values of several tests, adjusted for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.compose.functions import linked
from duckmetrics.errors import MetricError, unknown
from duckmetrics.expressions.build import picked, values_table
from duckmetrics.inference.units import over_rows
from duckmetrics.sentences.families import MAX_T

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine

ADJUSTED = "adjusted_p"
NONE, HOLM = "none", "holm"
# Other spellings of methods.
SHORT = {"bh": "benjamini_hochberg", "fdr": "benjamini_hochberg"}


def find_adjustment(catalog: Catalog, name: str, of_units: bool = False) -> str:
    """Return the method of adjustment that a word means.

    Args:
        of_units: whether the comparisons have values of units, which max_t needs.

    Raises:
        MetricError: no such method, or max_t without values of units.
    """
    if name == NONE:
        return NONE
    choices = [str(choice) for choice in catalog.statistics[ADJUSTED].own_params["method"].choices]
    wanted = str(name).lower().replace("-", "_")
    wanted = SHORT.get(wanted, wanted)
    if of_units:
        choices.append(MAX_T)
    elif wanted == MAX_T:
        raise MetricError(
            "adjust",
            "max_t needs systems that are compared on the same units",
            "use holm, or compare the systems with compare(..., adjust='max_t')",
        )
    if wanted not in choices:
        raise MetricError("adjust", *unknown("method", str(name), (*choices, NONE)))
    return wanted


def adjusted_p(catalog: Catalog, engine: Engine, p_values: Sequence[float], method: str) -> list[float]:
    """Return the adjusted p-values, in the order of the p-values given."""
    numbered = values_table("numbered", ("test", "p"), enumerate(map(float, p_values)))
    given = picked(numbered, "test", "p")
    adjusted = over_rows(catalog, ADJUSTED, given, {"method": method}).subquery("adjusted")
    query, macros = linked(catalog, picked(adjusted, "test", "p_adjusted"))
    engine.define(macros)
    return [p for _, p in sorted(engine.rows(query))]
