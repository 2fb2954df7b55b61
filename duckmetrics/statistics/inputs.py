"""Inputs of the statistics: from a user's table, or the systems in it, to the one that a statistic reads.

The header of the statistic says which columns that input has. Here they get the types that the files
count on: names of systems, metrics, arms and tests are text, numbers are DOUBLE, and columns that
identify units stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.expressions.build import quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import grade_expression, selected
from duckmetrics.statistics.counts import CELLS, COUNTS, Tested, called, count_expression, uncounted
from duckmetrics.words.lists import joined

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Source


# The table that `duckmetrics evaluate --per-query` writes.
PER_QUERY = "per_query"
# Columns that name the things compared; they may have any type that can be written.
LABELS = ("system", "metric", "arm", "test", "family", "slice")
# Columns that identify the units of a sample.
UNITS = ("query_id", "row_id")
CATEGORIES = ("row_value", "column_value", "category")
# Columns that several rows of a sample share.
SHARED = ("impression_id", "cluster_id")
# Parameters that name a value of a column: the one that the others are compared with.
CONTESTANTS = {"baseline": "system", "control": "arm"}


def input_of(definition: Definition) -> tuple[str, tuple[str, ...]]:
    """Return the table that a statistic reads, and its columns."""
    ((table, columns),) = definition.inputs.items()
    return table, columns


def is_number(name: str) -> bool:
    """Return whether a canonical column holds numbers."""
    return name not in (*LABELS, *UNITS, *CATEGORIES, *SHARED)


def called_columns(definition: Definition) -> list[str]:
    """Return the columns that a statistic reads, in the words of users; optional ones in brackets."""
    table, columns = input_of(definition)
    words = ((name, called(table, name)) for name in columns)
    return [f"[{word}]" if name in definition.optional else word for name, word in words]


def read_data(definition: Definition, source: Source, columns: Mapping[str, str]) -> Tested:
    """Find the columns that a statistic reads in a user's table.

    Raises:
        InputError: there is no row, a column is missing or mapped to nothing, or is of another type.
    """
    table, canonical = input_of(definition)
    words = {name: called(table, name) for name in canonical}
    _known(definition, words, columns)
    if source.empty:
        raise InputError(source.label, "no rows", "check how it was exported")
    written, names = {}, {}
    for name, word in words.items():
        found = _found(definition, source, columns, name, word)
        names[name] = found or word
        try:
            written[name] = _expression(source, table, name, found, definition.optional.get(name))
        except InputError as error:
            raise _of_text(definition, error) from None
    return Tested(table, source.label, selected(source, written), names, source.words)


def _known(definition: Definition, words: Mapping[str, str], columns: Mapping[str, str]) -> None:
    for key, name in columns.items():
        if key not in {*words, *words.values()} or not isinstance(name, str):
            raise InputError(
                "columns",
                f"{key!r}: {name!r} maps no column of {definition.name}",
                suggestion(str(key), words.values()),
            )


def _found(
    definition: Definition, source: Source, columns: Mapping[str, str], name: str, word: str
) -> str | None:
    """Return the user's column for a canonical one; None where it may be missing and is."""
    mapped = columns.get(word, columns.get(name))
    found = source.find(word if mapped is None else mapped)
    if found is None and mapped is None:
        found = source.find(name)
    if found is not None or (mapped is None and name in definition.optional):
        return found
    what = f"{word!r}" if mapped is None else f"{mapped!r} for {word}"
    raise InputError(
        source.label,
        f"no column {what}; found {', '.join(source.all_columns)}",
        (f"map it with columns={{'{word}': ...}} (on the command line --column {word}=...){uncounted(name)}"),
    )


def _expression(source: Source, table: str, name: str, found: str | None, otherwise: Value) -> exp.Expr:
    if found is None:
        return exp.cast(literal(otherwise), "DOUBLE")
    if name in LABELS:
        return exp.cast(quoted(found), "VARCHAR")
    if not is_number(name):
        return quoted(found)
    if table in (COUNTS, CELLS):
        return count_expression(source, name, found)
    return grade_expression(source, found)


def _of_text(definition: Definition, error: InputError) -> InputError:
    """Return an error about a column that is no number, with the statistic that compares text."""
    other = definition.header.get("categorical")
    if other is None:
        return error
    advice = f"to compare categories, use {other} and map the column as 'category'"
    return InputError(error.where, error.what, f"{advice}; for numbers, {error.advice}")


def keys_of(definition: Definition) -> list[str]:
    """Return the columns that identify the rows of the result, as the line ``grain`` names them."""
    said = set(re.findall(r"\w+", definition.header["grain"].partition(":")[0]))
    return [name for name in definition.query.named_selects if name in said]


def ordered(definition: Definition, query: exp.Query) -> exp.Query:
    """Put the rows of the result in an order, unless the file does."""
    # By the expression of the column: DuckDB 1.4 confuses its name with those of the tables.
    columns = {projection.alias_or_name: projection.unalias() for projection in query.selects}
    if query.args.get("order") is None:
        for name in keys_of(definition):
            query = query.order_by(exp.Ordered(this=columns[name].copy()), copy=False)
    return query


def over_data(catalog: Catalog, measure: Measure, data: Tested, kept: str) -> exp.Select:
    """Write the query of a statistic over the table where its data are kept."""
    rows = exp.select(*data.columns).from_(kept)
    composer = Composer(catalog, {data.table: rows})
    return composer.complete(ordered(measure.metric, composer.resolved(measure.metric, measure.values)))


# The table that a query for each value of a key reads.
KEYED = "keyed_rows"


def with_keyed_rows(query: exp.Query, data: Tested, key: str) -> exp.Query:
    """Let a query read the user's rows, each with its key, in place of `KEYED`.

    The calls of our functions are linked before, so that the same names in texts of the user stay theirs.
    """
    for table in list(query.find_all(exp.Table)):
        if table.name == KEYED:
            table.replace(data.query.select(exp.column(key)).subquery(KEYED))
    return query


# At most this number of names is listed.
LISTED = 20


def check_contestants(
    engine: Engine, measure: Measure, data: Tested, kept: str, missing: Collection[str]
) -> None:
    """Look for the baseline or control in the data.

    Args:
        missing: the parameters that nobody named.
    Raises:
        MetricError: it must be named.
        InputError: it is not there.
    """
    for key, column in CONTESTANTS.items():
        param = measure.metric.own_params.get(key)
        if param is None or (key in missing and not param.required):
            continue
        known = _names(engine, kept, column)
        if key in missing:
            choice = listed(known, "or") or f"a name that is in {data.names[column]!r}"
            raise MetricError(measure.metric.name, f"{key} is missing", f"choose {choice}")
        chosen = measure.values[key]
        is_it = exp.EQ(this=exp.column(column), expression=literal(chosen))
        if not engine.rows(exp.select(literal(1)).from_(kept).where(is_it).limit(1)):
            there = f"there {'is' if len(known) == 1 else 'are'} {listed(known, 'and') or 'none'}"
            raise InputError(data.label, f"{key} {chosen!r} is no {data.names[column]}", there)


def _names(engine: Engine, kept: str, column: str) -> list[str]:
    """Return the names in a column, at most one more than are listed."""
    query = exp.select(column).distinct().from_(kept).where(exp.column(column).is_(exp.null()).not_())
    query = query.order_by(exp.Ordered(this=exp.column(column))).limit(LISTED + 1)
    return [str(name) for (name,) in engine.rows(query)]


def listed(names: Sequence[str], word: str) -> str:
    """Return names as a list in a sentence, with a word before the last of them."""
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} ..."
    return joined(names, word)
