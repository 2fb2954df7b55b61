"""Values per query that were computed elsewhere, as rows of a metric or as a column for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import NUMBER, quoted, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import WEIGHT, number_expression, selected, shown_columns
from duckmetrics.inputs.inputs import VALUES, Inputs
from duckmetrics.inputs.ranking import Attributes
from duckmetrics.inputs.ranking_tables import Extremes, RankingIds, RankingTables
from duckmetrics.inputs.systems import ONE_SYSTEM, Attach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.inputs.ranking_tables import RankingTable
    from duckmetrics.inputs.request import Request

# The canonical rows: system, query_id, metric, value, signature, and the flags.
GIVEN = "given"
# Why a query has no value: NULL where nobody says, so that the values show it.
FLAGS = ("missing", "no_relevant", "undefined")
# Names of columns that number rows, or are keys of other tables.
_IS_ID = re.compile(r"id|index|\w+_id|Unnamed: \d+", re.IGNORECASE)
# Columns that are not metrics in a table with a column for each metric.
_NO_METRICS = ("query_id", "system", WEIGHT, "run_id", "run_time")


def value_inputs(catalog: Catalog, request: Request, attach: Attach, extremes: Extremes) -> Inputs:
    """Attach the tables of values and write their rows, and the attributes of their queries.

    Raises:
        InputError: a table or column is missing, or of a type that cannot be used.
    """
    tables = RankingTables(request, attach, VALUES)
    ids = RankingIds(tables, extremes)
    rows = stacked(one for table in tables.predictions for one in _rows(tables, ids, table, request.flagged))
    attributes = Attributes(catalog, request, tables, ids).found({}, has_truth=False)
    queries = {GIVEN: rows, **({} if attributes.query is None else {"attributes": attributes.query})}
    systems = tables.systems.query()
    key = "+".join(ids.query_parts)
    return Inputs(
        queries={**queries, **({} if systems is None else {"systems": systems})},
        labels=tables.labels,
        words=tables.words,
        one_system=tables.systems.only,
        systems=tables.systems.names,
        truth_lists=False,
        by=attributes.by,
        by_source=attributes.role,
        names={"predictions.query_id": key, "values.query_id": key},
        query_type=ids.query_type,
        query_parts=ids.query_parts,
        cluster=attributes.cluster,
        weight=attributes.weight,
        text_ids=ids.of_text,
        unread=tuple(
            dict.fromkeys(name for table in tables.predictions for name in _unread(tables, ids, table))
        ),
        unasked=tuple(
            ("predictions", name, False)
            for table in tables.predictions
            for name, type_ in table.source.columns.items()
            if name.lower() == WEIGHT and NUMBER.fullmatch(type_) and name not in tables.asked
        ),
    )


def _rows(tables: RankingTables, ids: RankingIds, table: RankingTable, flagged: bool) -> Iterator[exp.Select]:
    """Yield the rows of a table, those of each column of values if each metric has one.

    Args:
        flagged: whether the table has the columns `FLAGS`.

    Raises:
        InputError: the table has no values.
    """
    source, columns, systems = table.source, tables.columns, tables.systems
    system = systems.expression(source, table.system)
    if systems.column is not None:  # of one system without a name, as we write it
        system = exp.func("coalesce", system, literal(ONE_SYSTEM))
    shared = {"system": system, "query_id": ids.query_id(table)}
    metric, value = table.find(columns, "metric"), table.find(columns, "value")
    signature = table.find(columns, "signature")
    signed = exp.cast(exp.null() if signature is None else quoted(signature), "VARCHAR")
    if metric is not None:
        if value is None:
            advice = f"map it with columns={{'{VALUES}.value': ...}} (--column {VALUES}.value=...)"
            raise InputError(source.label, f"no column 'value'; {shown_columns(source)}", advice)
        yield selected(source, {
            **shared, "metric": exp.cast(quoted(metric), "VARCHAR"),
            "value": _number(table, value), "signature": signed, **_flags(flagged),
        })  # fmt: skip
        return
    names = _metrics(tables, ids, table)
    if not names:
        raise InputError(
            source.label, f"no values; {shown_columns(source)}",
            "give a column of numbers for each metric, or the columns metric and value",
        )  # fmt: skip
    for name in names:
        yield selected(source, {
            **shared, "metric": literal(name), "value": _number(table, name),
            "signature": exp.cast(exp.null(), "VARCHAR"), **_flags(False),
        })  # fmt: skip


def _flags(flagged: bool) -> dict[str, exp.Expr]:
    return {name: exp.cast(quoted(name) if flagged else exp.null(), "BOOLEAN") for name in FLAGS}


def _metrics(tables: RankingTables, ids: RankingIds, table: RankingTable) -> list[str]:
    """Return the columns that are metrics: numbers that are not used otherwise."""
    computed = tables.computed_columns
    taken = {*_NO_METRICS, *tables.asked, *computed, *ids.query_parts, tables.systems.column}
    return [
        name for name, type_ in table.source.columns.items()
        if name not in taken and name.lower() not in _NO_METRICS and not _IS_ID.fullmatch(name)
        and (NUMBER.fullmatch(type_) or type_ == "BOOLEAN")
    ]  # fmt: skip


def _unread(tables: RankingTables, ids: RankingIds, table: RankingTable) -> list[str]:
    """Return the columns that are nothing, where each metric has a column."""
    if table.find(tables.columns, "metric") is not None:
        return []
    known = {*_metrics(tables, ids, table), *tables.asked, *tables.computed_columns, *ids.query_parts}
    known |= {tables.systems.column or ""}
    return [name for name in table.source.columns if name not in known]


def _number(table: RankingTable, name: str) -> exp.Expr:
    """Write a value; TRUE is 1."""
    if table.source.columns[name] == "BOOLEAN":
        return exp.cast(exp.cast(quoted(name), "INT"), "DOUBLE")
    return number_expression(table.source, name)
