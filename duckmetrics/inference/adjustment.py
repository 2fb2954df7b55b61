"""p-values adjusted for their number, from all of them or by the largest statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.functions import linked
from duckmetrics.errors import MetricError, unknown
from duckmetrics.expressions.build import picked, values_table
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.units import over_rows
from duckmetrics.words.verdicts import MAX_T

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inference.units import Units


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


FOUND = ("p_adjusted", "alpha_each", "resamples")


def tested_together(
    catalog: Catalog, engine: Engine, every: Sequence[Units], slicing: str, values: Mapping[str, Value]
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the rows of the joint test of all comparisons of a slicing, by the keys of `Units.row_key`.

    Args:
        every: the units of each kind, such as queries and users; the same id has the same sign.
        slicing: the name of the slicing, as in the results.
        values: the parameters of the test.
    """
    parts = [_of_slicing(units, slicing) for units in every]
    query, macros = linked(catalog, over_rows(catalog, MAX_T, _united(parts), values))
    engine.define(macros)
    table = engine.name(MAX_T)
    engine.keep(table, query)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for place, units in enumerate(every):
        named = _of_part(units, table, place, len(every))
        found |= {units.row_key(row): row for row in engine.arrow(named).to_pylist()}
    return found


def _of_slicing(units: Units, slicing: str) -> exp.Query:
    """Return the units of the segments of a slicing; all if there is only one segment."""
    known = units.parts().each(MAX_T).subquery("units")
    rows = exp.select("system", "metric", "query_id", "value").from_(known)
    if units.segments is None:
        return rows
    segments = exp.select("segment").from_(units.segments.subquery("segments"))
    segments = segments.where(exp.column("slice").eq(slicing))
    number = exp.IntDiv(this=_number(), expression=literal(len(units.measures)))
    return rows.where(exp.In(this=number, query=segments.subquery()))


def _united(parts: Sequence[exp.Query]) -> exp.Query:
    """Return the rows of all parts.

    The number of a metric is that in its part, times the number of parts, plus the place of the part.
    """
    if len(parts) == 1:
        return parts[0]
    each = []
    for place, part in enumerate(parts):
        scaled = exp.Mul(this=_number(), expression=literal(len(parts)))
        number = exp.Add(this=scaled, expression=literal(place)).as_("metric")
        # Ids of several parts may have different types.
        unit = exp.func("hash", exp.column("query_id")).as_("query_id")
        each.append(exp.select("system", number, unit, "value").from_(part.subquery("units")))
    return exp.union(*each, distinct=False)


def _of_part(units: Units, table: str, place: int, count: int) -> exp.Select:
    """Return the rows of one part of the joint test, with the names of metrics and slices."""
    number = exp.IntDiv(this=_number(), expression=literal(count)).as_("metric")
    own = exp.select("system", number, *FOUND).from_(table)
    own = own.where(exp.Mod(this=_number(), expression=literal(count)).eq(place))
    return units.named("joint", FOUND).with_("joint", as_=own, copy=False)


def _number() -> exp.Expr:
    return exp.cast(exp.column("metric"), "BIGINT")
