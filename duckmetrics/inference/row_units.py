"""The values of units of rows, such as users, from their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.one_scan import in_one_scan
from duckmetrics.inference.delta_method import DeltaMethod
from duckmetrics.inference.jackknife import REST, Jackknife
from duckmetrics.inference.linear import speaking
from duckmetrics.inference.many_units import ManyUnits, with_small_steps
from duckmetrics.inference.units import Units, no_units, struct
from duckmetrics.inputs.classification import UNIT
from duckmetrics.summaries.kept import collected, moved, moved_to_results, on_engine, too_many

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inference.sums import Sums


def kept_sums(catalog: Catalog, engine: Engine, sums: Sums, influences: Mapping[str, exp.Query]) -> str:
    """Keep the sums of every unit in a table of the engine of the results, and return its name.

    Args:
        influences: column -> the query of the influences that stand for a sum.
    """
    return moved(engine, _sums_of_units(catalog, engine, sums, influences))


def units_of_sums(catalog: Catalog, engine: Engine, sums: Sums, **fields: Any) -> Units:
    """Return the values of units: by the delta method for rows, by the jackknife for clusters.

    Units that are too many to move stay where they are.

    Args:
        fields: the other attributes of `Units`.
    """
    table = _sums_of_units(catalog, engine, sums, sums.influence_queries())
    fields = {**fields, "linearized": True, "clustered": not sums.independent}
    if not sums.linear:
        return Units(no_units(), **fields, members=_members(sums, moved(engine, table)))
    number = too_many(engine, engine.kept(table))
    table = moved_to_results(engine, table) if number is None and engine.results() is not engine else table
    method = DeltaMethod(sums, table) if sums.independent else Jackknife(sums, table)
    fields["members"], speakers = _members(sums, table), speaking(sums.linear, table)
    if number is None:
        return Units(on_engine(catalog, engine.results(), method.values()), **fields, speaking=speakers)
    query = with_small_steps(engine, on_engine(catalog, engine, method.values()), large=(REST,))
    speakers = None if speakers is None else collected(engine, "speaking", speakers)
    return ManyUnits(query, **fields, speaking=speakers, engine=engine, number=number)


def _sums_of_units(catalog: Catalog, engine: Engine, sums: Sums, influences: Mapping[str, exp.Query]) -> str:
    """Keep the sums of every unit in a table of the engine of the rows, and return its name."""
    kept = {}
    for column, query in influences.items():
        kept[column] = engine.name("influences")
        engine.keep(kept[column], query)
    table = engine.name("units")
    engine.keep(table, on_engine(catalog, engine, in_one_scan(sums.per_unit(kept))))
    return table


def _members(sums: Sums, table: str) -> exp.Select:
    """Return the clusters with what must be equal in all systems, such as their rows of each class."""
    unit = struct("segment", UNIT).as_("unit")
    fingerprint = struct("n", "n_positive", *sums.alike).as_("fingerprint")
    return exp.select("system", unit, fingerprint).from_(table)
