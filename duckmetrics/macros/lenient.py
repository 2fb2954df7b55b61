"""Tables of the user as a check sees them: what other macros refuse is NULL, and a finding of its own."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macros.macro import FUNCTIONS, reference

IDS = ("query_id", "item_id")
# What the files under sql/macros refuse, with what takes its place; the first argument is kept.
REFUSING = {"identifier": None, "number": "seen_number", "grade": "seen_number"}


def lenient(query: exp.Query) -> exp.Query:
    """Return the query of a file under sql/macros that refuses nothing, also no column that is missing."""
    query = query.copy()
    for found in reversed(list(query.find_all(exp.Anonymous))):  # the calls within a call first
        name = found.name.lower().removeprefix(FUNCTIONS)
        if name == "error":
            found.replace(exp.null())
        elif name in REFUSING:
            kept, other = found.expressions[0], REFUSING[name]
            found.replace(
                exp.Anonymous(this=f"{FUNCTIONS}{other}", expressions=[kept.copy()]) if other else kept.copy()
            )
    for columns in list(query.find_all(exp.Columns)):
        escaped = columns.find(exp.Anonymous)
        if escaped is not None and escaped.name.lower() == "regexp_escape":
            columns.replace(column_or_null(*escaped.expressions))
    return query


def column_or_null(*names: exp.Expr) -> exp.Expr:
    """Return a column by its name; NULL if there is none, of the type "NULL"."""
    pattern = exp.Anonymous(this=f"{FUNCTIONS}one_of", expressions=[name.copy() for name in names])
    return exp.Coalesce(this=exp.Columns(this=pattern, unpack=True), expressions=[])


def with_system(query: exp.Query) -> exp.Query:
    """Read the system from the column that is called so, where a file says that there is one system.

    What else may distinguish systems is then not looked for.
    """
    query = query.copy()
    (named,) = query.ctes
    name = exp.func("coalesce", reference("system"), literal(""))
    cast("exp.Select", named.this).select(column_or_null(name).as_("system"), copy=False)
    for projection in query.selects:
        if projection.alias_or_name == "system":
            projection.replace(exp.cast(exp.column("system"), "VARCHAR").as_("system"))
        elif projection.alias_or_name == "run":
            projection.replace(exp.cast(exp.null(), "VARCHAR").as_("run"))
    return query


def with_common_ids(query: exp.Query, step: str, *others: str) -> exp.Select:
    """Read a step, with ids of the type that all steps have in common.

    UNION ALL finds this type before the rows are read: that of the ids if they are of one kind, else text.
    """
    names = query.named_selects
    rows: exp.Query = exp.select(*names).from_(step)
    for other in others:
        none = [exp.column(name) if name in IDS else exp.null().as_(name) for name in names]
        rows = exp.union(rows, exp.select(*none).from_(other).where(exp.false()), distinct=False, copy=False)
    return exp.select(*names).from_(rows.subquery("known"))
