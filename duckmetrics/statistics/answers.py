"""Answers: what the files under sql/answers say about rows of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.compose.functions import linked
from duckmetrics.expressions.build import call
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.engines.engine import Engine


# Files under sql/answers that are read together, each after those that it reads.
VERDICT, REASON = ("improvement", "verdict"), ("verdict_reason",)
OF_EXPERIMENT = (*VERDICT, "experiment_reason")


def answers(
    catalog: Catalog, engine: Engine, names: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what files under sql/answers say about each row, by their names.

    Args:
        names: the files. Each is computed in a query of its own: DuckDB expands a function wherever another
            one reads its value.
        rows: the parameters of the files, by their names; a missing one is NULL.
    """
    if not rows:
        return []
    declared = [p for name in names for p in catalog.functions[name].own_params.values()]
    params = {p.name: p for p in declared if p.name not in names}
    columns = [_column([row.get(name) for row in rows], p.type).as_(name) for name, p in params.items()]
    read: exp.Expr = exp.select(_column(range(len(rows)), int).as_("place"), *columns).subquery("given")
    for name in names:
        value = call(name, *map(exp.column, catalog.functions[name].own_params))
        read = exp.select(exp.Star(), value.as_(name)).from_(read).subquery(f"with_{name}")
    calling, macros = linked(catalog, exp.select("place", *names).from_(read))
    results = engine.results()
    results.define(macros)
    found = sorted(results.rows(calling), key=lambda row: row[0])
    return [dict(zip(names, values, strict=True)) for _, *values in found]


def _column(values: Sequence[Any], type_: type) -> exp.Expr:
    """Write a column of values. One text holds all numbers: many literals take long."""
    if type_ is str:
        distinct = dict.fromkeys(value for value in values if value is not None)
        texts = {text: place for place, text in enumerate(distinct, start=1)}
        known = exp.cast(exp.Array(expressions=[literal(text) for text in texts]), "VARCHAR[]")
        places = _column([texts.get(value) for value in values], int)
        return exp.Anonymous(this="list_extract", expressions=[known, places])
    shown = ", ".join("NULL" if value is None else repr(type_(value)) for value in values)
    kind = {int: "BIGINT[]", float: "DOUBLE[]", bool: "BOOLEAN[]"}[type_]
    return exp.Explode(this=exp.cast(literal(f"[{shown}]"), kind))
