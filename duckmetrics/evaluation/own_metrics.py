"""Refusals about metrics of users: what they read, what they return, and what nobody wrote a second time."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import line_of
from duckmetrics.errors import DefinitionError, EngineError, InputError, MetricError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


# What DuckDB says about a column or function that it does not find, or about types that do not fit.
_UNBOUND = re.compile(r"(Binder|Catalog|Conversion) Error: (.*)", re.DOTALL)
_WORD = re.compile(r"[\"'](\w+)[\"']")


def refuse_nulls(engine: Engine, inputs: Inputs, columns: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse columns with NULL that metrics of the user read.

    Args:
        columns: column -> the metric that reads it, by the table.

    Raises:
        InputError: names the column and the metric.
    """
    for table, own in columns.items():
        counts = [exp.Count(this=one) for one in (exp.Star(), *map(exp.column, own))]
        ((n_rows, *present),) = engine.counted(
            exp.select(*counts).from_(inputs.queries[table].subquery(table))
        )
        for (name, metric), n_present in zip(own.items(), present, strict=True):
            if n := n_rows - n_present:
                what = f"column {name!r} is NULL in {n} {'row' if n == 1 else 'rows'}, and {metric} reads it"
                advice = f"fill it, as in COALESCE({name}, 0), or leave these rows out"
                raise InputError(inputs.labels[table], what, advice)


def refuse_copies(engine: Engine, measures: Sequence[Measure], table: str) -> None:
    """Refuse metrics of the user that return several rows for a query.

    Raises:
        DefinitionError: names the file and a query.
    """
    own = _own(measures)
    if not own:
        return
    n = exp.Count(this=exp.Star())
    copies = (
        exp.select("query_id", n.as_("n")).from_(table).group_by("system", "query_id").having(n.copy() > 1)
    )
    for query_id, number in engine.rows(copies.limit(1)):
        raise _several(own, f"query_id={query_id}", number, "system, query_id")


def refuse_copied_rows(
    measures: Sequence[Measure], rows: Sequence[Mapping[str, Any]], by: Sequence[str]
) -> None:
    """Refuse metrics of the user that return several rows for a slice.

    Raises:
        DefinitionError: names the file and a slice.
    """
    own = _own(measures)
    if not own:
        return
    keys = ("metric", "system", "slice", *by)
    for (_, system, *values), number in Counter(tuple(row[key] for key in keys) for row in rows).items():
        if number > 1:
            where = ", ".join(str(value) for value in (system, *values[1:]) if value is not None)
            raise _several(own, where or "all rows", number, "system, segment")


def _several(own: Sequence[Measure], where: str, number: int, keys: str) -> DefinitionError:
    paths = ", ".join(str(measure.metric.path) for measure in own)
    return DefinitionError(paths, f"{number} rows for {where}, where there must be one", f"GROUP BY {keys}")


def refuse_unverified(measures: Sequence[Measure]) -> None:
    """Refuse to recompute metrics of the user, which have one definition only.

    Raises:
        MetricError: names the first of them.
    """
    for measure in _own(measures):
        what = f"{measure.text} is your own metric, and has no second definition in plain Python"
        raise MetricError("verify", what, "leave verify out (--verify), or ask for it without this metric")


def blamed(error: EngineError, measures: Sequence[Measure]) -> DefinitionError | None:
    """Return the error of the file behind a query that DuckDB refuses; None if it is no file of the user."""
    own, said = _own(measures), _UNBOUND.search(str(error))
    if not own or said is None:
        return None
    message = said[2].split("\n")[0].strip()
    words = _WORD.findall(message)
    for measure in own:
        if not words or any(re.search(rf"\b{re.escape(word)}\b", measure.metric.text) for word in words):
            line = line_of(measure.metric, words[0]) if words else line_of(measure.metric, "SELECT")
            return DefinitionError(f"{measure.metric.path}:{line}", message, "fix the query")
    return None


def _own(measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.metric.is_own]
