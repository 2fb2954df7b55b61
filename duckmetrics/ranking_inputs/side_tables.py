"""The tables of rankings that know more than relevance: the history, the catalogue, and another run."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted
from duckmetrics.inputs import values
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.lists import elements, is_list, items_of, list_column, list_places
from duckmetrics.ranking_inputs.cuts import time_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.sources import Role
    from duckmetrics.ranking_inputs.tables import RankingIds, RankingTables, Table

# The inputs that come from the column of a catalogue: input -> column.
OF_COLUMNS = {"item_categories": "category", "item_vectors": "vector"}
MEANINGS: dict[Role, str] = {
    HISTORY: "the interactions that the systems were trained on",
    ITEMS: "the catalogue of all items",
    REFERENCE: "the run to compare with, such as that of the last release",
}
# All inputs of these tables.
SIDE_INPUTS = {*MEANINGS, *OF_COLUMNS}


def table_of(name: str) -> Role:
    """Return the table that holds an input."""
    return ITEMS if name in OF_COLUMNS else cast("Role", name)


def side_queries(tables: RankingTables, ids: RankingIds) -> dict[str, exp.Query]:
    """Write the canonical query of each input that these tables have."""
    queries: dict[str, exp.Query] = {}
    history = tables.extra.get(HISTORY)
    if history is not None:
        queries[HISTORY] = _history(history, tables.columns, ids)
    items = tables.extra.get(ITEMS)
    if items is not None:
        queries[ITEMS] = selected(items.source, {"item_id": ids.item_id(items)})
        queries |= dict(_of_columns(items, tables.columns, ids))
    reference = tables.extra.get(REFERENCE)
    if reference is not None:
        queries[REFERENCE] = _reference(reference, tables.columns, ids)
    return queries


def refuse_absent(
    queries: Mapping[str, exp.Query],
    needed: Mapping[str, str],
    labels: Mapping[str, str],
    columns: Sequence[str],
) -> None:
    """Refuse metrics that read a table which was not given, or a column that the catalogue lacks.

    Args:
        needed: input -> the text of a metric that reads it.
        labels: the names of the tables in messages.
        columns: those of the catalogue.

    Raises:
        InputError: names the table, its meaning, and the option.
    """
    for name, metric in needed.items():
        if name in queries:
            continue
        column = OF_COLUMNS.get(name)
        if column is not None and ITEMS in labels:
            raise InputError(
                labels[ITEMS],
                f"no column {column!r}, which {metric} reads; found {', '.join(columns)}",
                f"map it with columns={{'{ITEMS}.{column}': ...}} (--column {ITEMS}.{column}=...)",
            )
        table = ITEMS if column is not None else cast("Role", name)
        raise InputError(
            metric,
            f"needs {table}=, {MEANINGS[table]}",
            f"give {'a table with ' + column if column else 'it'} with {table}= (--{table})",
        )


def _history(table: Table, columns: ColumnMap, ids: RankingIds) -> exp.Query:
    """Write the input `history`: one row for each interaction."""
    source = table.source
    time = time_column(table, columns)
    moment = {"timestamp": exp.null() if time is None else quoted(time)}
    if table.listed is None:
        return selected(source, {"query_id": ids.query_id(table), "item_id": ids.item_id(table), **moment})
    listed = {"query_id": ids.query_id(table), "item_id": elements(source, table.listed), **moment}
    unnested = selected(source, listed).subquery("unnested")
    return exp.select("query_id", ids.unnested_item(), "timestamp").from_(unnested)


def _of_columns(table: Table, columns: ColumnMap, ids: RankingIds) -> Iterator[tuple[str, exp.Query]]:
    """Yield the categories and the vectors of the items, one row for each, if the catalogue has them.

    Raises:
        InputError: vectors are not lists of numbers.
    """
    source = table.source
    category = table.find(columns, "category")
    if category is not None:
        of_item = elements(source, category) if is_list(source, category) else quoted(category)
        found = selected(source, {"item_id": ids.item_id(table), "category": of_item}).subquery("listed")
        text = exp.cast(exp.column("category"), "VARCHAR").as_("category")
        known = exp.select("item_id", text).distinct().from_(found)
        yield "item_categories", known.where(exp.column("category").is_(exp.null()).not_())
    vector = table.find(columns, "vector")
    if vector is not None:
        if not is_list(source, vector):
            raise InputError(
                source.label,
                f"column {vector!r} is {source.columns[vector]}, not a list of numbers",
                f"give each item a vector in one column, such as CAST({vector} AS DOUBLE[])",
            )
        values.number_expression(items_of(source, vector), vector)
        found = selected(source, {
            "item_id": ids.item_id(table), "dimension": list_places(source, vector),
            "value": elements(source, vector),
        }).subquery("unnested")  # fmt: skip
        number = exp.cast(exp.column("value"), "DOUBLE").as_("value")
        yield "item_vectors", exp.select("item_id", "dimension", number).from_(found)


def _reference(table: Table, columns: ColumnMap, ids: RankingIds) -> exp.Query:
    """Write the input `reference`: one row for each item of the other run."""
    source = table.source
    if table.listed is None:
        return selected(source, {
            "query_id": ids.query_id(table),
            "item_id": ids.item_id(table),
            "score": values.score_expression(source, columns, REFERENCE),
        })  # fmt: skip
    scores = list_column(source, columns, REFERENCE, "scores")
    place = list_places(source, table.listed)
    unnested = selected(source, {
        "query_id": ids.query_id(table),
        "item_id": elements(source, table.listed),
        "score": elements(source, scores) if scores else exp.Neg(this=place),
    }).subquery("unnested")  # fmt: skip
    score = exp.cast(exp.column("score"), "DOUBLE").as_("score")
    return exp.select("query_id", ids.unnested_item(), score).from_(unnested)
