"""Metrics as the page "Try it" offers them: names, words, bounds, switches.

docs/try/data.py writes those of ours; a file of macros holds those of users.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import TABLES
from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.meanings import explanation, meanings
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.shell.own_columns import read_by
from duckmetrics.shell.row_comparison import not_compared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition, Param

# Begins the line of a file of macros that describes the metrics of users.
LINE = "-- metrics: "


def own_line(catalog: Catalog, macros: Mapping[str, Mapping[str, str]]) -> str:
    """Return the line that describes the metrics of users, with the columns that only they read.

    Args:
        macros: family -> name of a metric -> the name of its macro.
    """
    refused = not_compared(catalog)
    own = [
        {
            **described(catalog, one, macros[one.family], refused),
            "columns": [column for table in TABLES for column in read_by(catalog, one, table)],
        }
        for one in catalog.metrics.values() if one.is_own
    ]  # fmt: skip
    return f"{LINE}{json.dumps(own)}"


def described(
    catalog: Catalog, definition: Definition, macros: Mapping[str, str], refused: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the page shows of a metric or table.

    Args:
        macros: name of a metric -> the name of its macro.
        refused: name of a metric of rows that is not compared -> the reason.
    """
    words, bounds = explanation(definition), definition.range
    usual = definition.header.get("usual", definition.name)
    depth = usual.rpartition("@")[2] if "@" in usual else None
    return {
        "name": definition.name,
        "family": definition.family,
        "macro": macros.get(definition.name, definition.macros.get(definition.name, definition.name)),
        "aliases": [name for name, bound in definition.aliases() if not bound],
        "title": definition.title,
        "group": definition.group or None,
        "meaning": words.meaning,
        "use": words.use,
        "beware": words.beware,
        "reading": words.reading,
        "is_table": definition.is_table,
        "is_listed": not definition.further_inputs and not definition.is_of_systems,
        "inputs": {table: list(columns) for table, columns in definition.inputs.items()},
        "direction": bounds.direction,
        "target": bounds.target,
        "low": _finite(bounds.low),
        "high": _finite(bounds.high),
        "usual": usual,
        "default_k": int(depth) if depth else None,
        "is_weighted": _is_weighted(catalog, definition),
        "has_cutoff": "k" in definition.own_params,
        "not_compared": refused.get(definition.name) if definition.family == CLASSIFICATION else None,
        "accepts_any_score": _accepts_any_score(catalog, definition),
        "switches": [
            _switch(catalog, definition, param)
            for name, param in catalog.params(definition).items()
            if name != "k"
        ],
    }


def _is_weighted(catalog: Catalog, definition: Definition) -> bool:
    """Return whether weights of rows change a metric."""
    switch = catalog.params(definition).get(WEIGHTED)
    return switch is not None and switch.default is not False


def _accepts_any_score(catalog: Catalog, definition: Definition) -> bool:
    """Return whether no check requires that the scores of a metric are probabilities."""
    read = {definition.name, *(source.name for source in catalog.foundations(definition))}
    return not read & catalog.checks[CLASSIFICATION, "not_a_probability"].subjects


def _finite(bound: float) -> float | None:
    return bound if abs(bound) != float("inf") else None


def _switch(catalog: Catalog, definition: Definition, param: Param) -> dict[str, Any]:
    """Return a parameter with the meaning of each choice; a parameter without choices has one meaning."""
    said = meanings(catalog, definition, param)
    return {
        "name": param.name,
        "type": "list" if param.type is tuple else param.type.__name__,
        "default": param.default,
        "is_required": param.required,
        "is_own": param.name in definition.own_params,
        "meaning": said.get("", ""),
        "choices": [{"value": value, "meaning": said.get(str(value), "")} for value in param.choices],
    }
