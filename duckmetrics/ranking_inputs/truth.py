"""The truth of rankings: rows of relevant items, lists of them, or the labels of the predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import cast_to, stacked
from duckmetrics.expressions.column_types import NUMBER
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs import values
from duckmetrics.inputs.columns import FIRST, looks_like_a_truth, selected, swapped
from duckmetrics.inputs.lists import judged_lists
from duckmetrics.layouts.layouts import ORDERS

if TYPE_CHECKING:
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Source
    from duckmetrics.ranking_inputs.tables import RankingIds, RankingTables, Table


# Names of grades in the tables of others. A truth that has no other grade probably means such a column.
GRADES = (
    "grade|grades|graded|rating|ratings|rel|relevant|is_relevant|relevance_score|relevance_grade|gain|judgment|"
    "judgement|qrel|stars|target|y|click|clicks|clicked|purchase|purchased|purchases|events|n|value|score"
)


def unread_grade(tables: RankingTables) -> str | None:
    """Return the column of the truth that looks like grades, if none is read: every item has grade 1 then."""
    truth = tables.truth
    if truth is None or truth.listed is not None:
        return None
    if truth.find(tables.columns, "relevance", "label") is not None:
        return None
    types, names = {**truth.source.columns, **truth.source.unread}, GRADES.split("|")
    grades = (name for name, type_ in types.items() if NUMBER.fullmatch(type_) or type_ == "BOOLEAN")
    return next((name for name in grades if name.lower() in names), None)


def refuse_swapped(tables: RankingTables) -> None:
    """Refuse a run in the place of the truth, and grades in the place of the scores.

    Raises:
        InputError: says which table comes first.
    """
    run = unread_grade(tables)
    if tables.truth is None or run is None or run.lower() not in ORDERS:
        return
    for table in tables.predictions:
        taken = table.find(tables.columns, *ORDERS)
        if taken is not None and taken.lower() not in ORDERS and taken not in tables.columns.names.values():
            raise InputError(
                tables.truth.source.label,
                f"no grades but a column {run!r}, as predictions have; {table.source.label} has {taken!r}",
                f"{FIRST}; if they are right, map the columns, as in columns={{'score': {taken!r}}} "
                f"(--column score={taken})",
            )


def truth_query(tables: RankingTables, ids: RankingIds, needed: bool, reader: str) -> exp.Query:
    """Write the input `truth`: the relevance of each judged item.

    Args:
        needed: whether there must be one; if not, it may have no relevant item.
        reader: the metric that needs it, for messages; empty if it is not known.

    Raises:
        InputError: there is neither a truth table nor a label in the predictions.
    """
    if tables.truth is None:
        return _of_logs(tables, ids, reader) if needed or has_labels(tables) else _nothing(tables, ids)
    if tables.truth.listed is not None:
        return _of_lists(tables.truth, tables.truth.listed, ids)
    return _of_rows(tables.truth, ids, tables.truth.find(tables.columns, "relevance", "label"))


def _of_rows(table: Table, ids: RankingIds, grade: str | None) -> exp.Select:
    """Write the truth of a table that has one item in each row."""
    return selected(table.source, {
        "query_id": ids.query_id(table),
        "item_id": ids.item_id(table),
        "relevance": values.grade_expression(table.source, grade),
    })  # fmt: skip


def _of_lists(table: Table, listed: str, ids: RankingIds) -> exp.Select:
    """Write the truth of a table that lists the relevant items of a query."""
    items, grade = judged_lists(table.source, listed)
    columns = {"query_id": ids.query_id(table), "item_id": items, "relevance": grade}
    unnested = selected(table.source, columns).subquery("unnested")
    return exp.select("query_id", ids.unnested_item(), "relevance").from_(unnested)


def has_labels(tables: RankingTables) -> bool:
    """Return whether the predictions carry the relevance of their items."""
    return all(
        table.listed is None and table.find(tables.columns, "label", "relevance") is not None
        for table in tables.predictions
    )


def _nothing(tables: RankingTables, ids: RankingIds) -> exp.Select:
    """Write a truth with every answered query and no relevant item, as an empty list of items is."""

    def no_item(table: Table) -> exp.Expr:
        if table.listed is not None:
            return cast_to(None, ids.item_keys[table.name].types[0])
        return exp.Case().when(exp.false(), ids.item_id(table))

    rows = stacked(
        selected(table.source, {"query_id": ids.query_id(table), "item_id": no_item(table)})
        for table in tables.predictions
    )
    grade = literal(0.0).as_("relevance")
    return exp.select("query_id", "item_id", grade).distinct().from_(rows.subquery("answered"))


def _of_logs(tables: RankingTables, ids: RankingIds, reader: str) -> exp.Query:
    """Write the labels of the predictions; the ideal list is the query's own rows."""
    parts = []
    for table in tables.predictions:
        grade = table.find(tables.columns, "label", "relevance")
        if grade is None:
            raise no_labels(table.source, reader)
        if table.listed is not None:
            raise InputError(table.source.label, "lists carry no labels", "give a truth table")
        parts.append(_of_rows(table, ids, grade))
    if tables.systems.only:
        return parts[0]
    rows = stacked(parts).subquery("labels")
    return exp.select("query_id", "item_id", "relevance").distinct().from_(rows)


def require_truth(tables: RankingTables, request: Request) -> None:
    """Refuse predictions without a truth and labels, or in its place, before their columns are looked at.

    Raises:
        InputError: a metric needs a truth; one of several systems may be it.
    """
    refuse_swapped(tables)
    if tables.truth is not None or not request.needs_truth or has_labels(tables):
        return
    without = [
        table.source for table in tables.predictions
        if table.listed is None and table.find(tables.columns, "score", "rank") is None
    ]  # fmt: skip
    for source in without:
        if looks_like_a_truth(source):
            raise swapped(source)
        if len(without) < len(tables.predictions):
            what = f"no column 'score'; found {', '.join(source.all_columns)}; there is no truth table"
            advice = "if this table is the truth, name it with --truth (truth=); else map its score"
            raise InputError(source.label, what, advice)
    raise no_labels(tables.predictions[0].source, request.truth_reader)


def no_labels(source: Source, reader: str) -> InputError:
    """Return the error for predictions that carry no labels, where there is no truth.

    Args:
        reader: the metric that needs the truth, empty if it is not known.
    """
    needed = f", which {reader} needs," if reader else ""
    return InputError(
        source.label,
        f"no truth table{needed} and no column 'label'; found {', '.join(source.all_columns)}",
        "give a truth table (--truth), or map columns={'label': ...} (--column label=...)",
    )
