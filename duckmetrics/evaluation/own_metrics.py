"""Refusals about metrics of users: what they read, what they return, and what nobody wrote a second time."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, body
from duckmetrics.catalog.own_text import line_of
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import inlined
from duckmetrics.compose.optimizer import SORTED
from duckmetrics.engines.duckdb_errors import unbound
from duckmetrics.engines.trial import column_types, said
from duckmetrics.errors import DefinitionError, EngineError, InputError, MetricError
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Columns
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs


# What DuckDB says about a query that it does not bind, or a value that it cannot compute.
_REFUSED = re.compile(r"(?:Binder|Catalog|Conversion|Out of Range) Error: .*|.*Division by zero.*", re.DOTALL)
# The reason for a value that is not finite.
OVERFLOW = "the values overflow"
DIVISOR = "divide by nullif(divisor, 0), so that the value is NULL, or take its logarithm"
_NUMBER = re.compile(r'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|"?NULL"?')
_WORD = re.compile(r"[\"'](\w+)[\"']")


def refuse_unbound(catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]) -> None:
    """Refuse metrics of the user whose text DuckDB cannot bind, or whose value is not a number.

    The composed query may hide a mistake of the text: only the text itself has its lines.

    Raises:
        DefinitionError: names the file and the line.
    """
    own = _own(measures)
    if not own or engine.dialect != DIALECT:
        return
    tables = {name: engine.columns(query) for name, query in inputs.queries.items()}
    for measure in own:
        made = measure.metric
        values = {name: measure.values.get(name) for name in made.placeholders}
        try:
            types = column_types(
                {**tables, **_parts(catalog, measure, dict(tables["predictions"]))},
                dict(_relations(catalog, inputs, measure, tables)), body(made.text), values, made.tables,
            )  # fmt: skip
        except EngineError as error:
            where = f"{made.path}:{error.where or line_of(made, 'select')}"
            declare = "a column of your own is declared: -- inputs: predictions (..., column), truth (...)"
            advice = declare if error.advice.startswith("known: ") else error.advice
            raise DefinitionError(where, error.what, advice) from error
        kind = "DOUBLE" if types is None else types.get("value", "")
        if not _NUMBER.fullmatch(kind):
            cure = "count it, as in sum(CASE WHEN ... THEN 1 ELSE 0 END), or cast it to DOUBLE"
            where = f"{made.path}:{line_of(made, 'value')}"
            raise DefinitionError(where, f"value is {kind}, and must be a number", cure)


def _relations(
    catalog: Catalog, inputs: Inputs, measure: Measure, tables: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the relations that a metric reads, with their queries over the inputs."""
    values: dict[str, Value] = {**measure.values, "depth": None, "plan": SORTED}
    for name in sorted(measure.metric.tables & catalog.relations.keys()):
        if name not in tables:
            composer = Composer(catalog, facts=inputs.facts)
            query = composer.complete(everything(composer.relation(name, values)))
            yield name, inlined(catalog, query).sql(DIALECT)


def _parts(catalog: Catalog, measure: Measure, types: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the columns of the metrics that a metric is made of."""
    *keys, value = (*measure.metric.grain, "value")
    columns = [*((key, types.get(key, "VARCHAR")) for key in keys), (value, "DOUBLE")]
    return {part.name: columns for part in catalog.parts(measure.metric)}


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
    for query_id, number in engine.rows(copies.order_by("query_id", "system").limit(1)):
        raise _several(own, f"query_id={query_id}", number, "system, query_id")


def refuse_copied_rows(
    measures: Sequence[Measure], rows: Sequence[Mapping[str, Any]], by: Sequence[str]
) -> None:
    """Refuse metrics of the user that return several rows for a slice, or values outside of their range.

    Raises:
        DefinitionError: names the file and a slice.
    """
    own = _own(measures)
    if not own:
        return
    by_text = {measure.text: measure for measure in own}
    for row in rows:
        if (measure := by_text.get(row["metric"])) is not None:
            low, high = _ends(measure)
            where = ", ".join(str(row[key]) for key in ("system", *by) if row[key] is not None) or "all rows"
            if (
                not low <= (0.0 if row["value"] is None else row["value"]) <= high
                or row["reason"] == OVERFLOW
            ):
                raise _beyond(measure, row["value"], where)
    keys = ("metric", "system", "slice", *by)
    for (_, system, *values), number in Counter(tuple(row[key] for key in keys) for row in rows).items():
        if number > 1:
            where = ", ".join(str(value) for value in (system, *values[1:]) if value is not None)
            raise _several(own, where or "all rows", number, "system, segment")


def refuse_beyond(
    engine: Engine, measures: Sequence[Measure], columns: Sequence[Columns], table: str
) -> None:
    """Refuse metrics of the user with values of queries that are no numbers, or outside of the range.

    Args:
        columns: which columns of the table belong to which measure.
        table: the kept values per query.

    Raises:
        DefinitionError: names the file and a query.
    """
    for measure, column in zip(measures, columns, strict=True):
        low, high = _ends(measure)
        if not measure.metric.is_own or (low, high) == (-math.inf, math.inf):
            continue
        value = exp.column(column.value)
        beyond = exp.or_(value < literal(low), value.copy() > literal(high))  # NaN is the largest number
        query = exp.select("query_id", value.copy()).from_(table).where(beyond)
        for query_id, found in engine.rows(query.order_by("query_id", "system").limit(1)):
            raise _beyond(measure, found, f"query_id={query_id}")


def _ends(measure: Measure) -> tuple[float, float]:
    """Return the range of a metric with some room for rounding, and for values that stand for others."""
    most = math.inf if "infinite" in measure.metric.header else sys.float_info.max
    low, high = (max(-most, min(most, end)) for end in measure.metric.range[:2])
    return min(low - 1e-9 * abs(low), 0.0), max(high + 1e-9 * abs(high), 1.0)


def _beyond(measure: Measure, found: float | None, where: str) -> DefinitionError:
    made = measure.metric
    if found is None or not math.isfinite(found):
        place = f"{made.path}:{line_of(made, 'value')}"
        return DefinitionError(place, f"the value of {where} is {found or 'not a finite number'}", DIVISOR)
    what = f"the value of {where} is {found:.6g}, and the range is {made.header['range']}"
    return DefinitionError(made.place("range"), what, "change the range, or the query")


def _several(own: Sequence[Measure], where: str, number: int, keys: str) -> DefinitionError:
    paths = ", ".join(f"{one.metric.path}:{line_of(one.metric, 'group')}" for one in own)
    return DefinitionError(paths, f"{number} rows for {where}, where there must be one", f"GROUP BY {keys}")


def refuse_unverified(measures: Sequence[Measure]) -> None:
    """Refuse to recompute metrics of the user that name no function.

    Raises:
        MetricError: names the first of them.
        DefinitionError: the function cannot be imported.
    """
    for measure in _own(measures):
        made, without = measure.metric, "leave verify out (--verify), or ask for it without this metric"
        if "reference" not in made.header:
            what = f"{measure.text} is your own metric, and has no second definition in plain Python"
            raise MetricError(
                "verify", what, f"name one in its header (reference: module:function), or {without}"
            )
        function_of(measure)


def function_of(measure: Measure) -> Callable[..., float | None] | None:
    """Import the function that a metric of the user names as its reference; None if it names none.

    This runs the module of the user, so it is called only to verify values.

    Raises:
        DefinitionError: it cannot be imported.
    """
    made = measure.metric
    if not made.is_own or "reference" not in made.header:
        return None
    module, _, name = made.header["reference"].partition(":")
    try:
        found: Callable[..., float | None] = getattr(import_module(module), name)
    except Exception as error:  # a module of the user may raise anything
        what = f"{made.header['reference']!r} cannot be imported: {error}"
        advice = "write module:function, of a module that Python finds (PYTHONPATH)"
        raise DefinitionError(made.place("reference"), what, advice) from error
    return found


def blamed(error: EngineError, measures: Sequence[Measure]) -> DefinitionError | None:
    """Return the error of the file behind a query that DuckDB refuses; None if it is no file of the user."""
    own, refused = _own(measures), _REFUSED.search(str(error))
    if not own or refused is None:
        return None
    what, advice = unbound(error, (), "fix the query")
    if "Division by zero" in refused[0]:
        what, advice = "a division by zero", DIVISOR
    what = said(what)
    words = _WORD.findall(what)
    for measure in own:
        if not words or any(re.search(rf"\b{re.escape(word)}\b", measure.metric.text) for word in words):
            line = line_of(measure.metric, words[0] if words else "value")
            return DefinitionError(f"{measure.metric.path}:{line}", what, advice)
    return None


def _own(measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.metric.is_own]
