"""Expressions over a row that callers write: slices, such as ``year(t) AS year``, and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, MetricError
from duckmetrics.expressions.build import holds_zoned, quoted
from duckmetrics.inputs.sources import volatile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.inputs.sources import Source


RESERVED = (
    "system", "metric", "slice", "value", "lower", "upper", "reason", "n", "n_missing", "n_no_relevant",
    "n_undefined", "n_positive", "better", "target", "n_units", "n_effective", "signature", "query_id",
)  # fmt: skip


# The part of a text that makes it an expression with a name, and not the name of a column.
_NAMED = re.compile(r"[\s)\]\"']AS[\s\"]", re.IGNORECASE)
_NAME_IT = "name the expression, as in date_trunc('week', day) AS week"
# The nodes that an expression over one row cannot hold.
_REFUSED: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Query, "a subquery"), (exp.Window, "a window"), (exp.AggFunc, "an aggregate"),
    (exp.UDTF, "a function that makes rows"), (exp.Lambda, "a lambda"), (exp.Placeholder, "a parameter"),
    (exp.Parameter, "a parameter"), (exp.Star, "a star"), (exp.Columns, "COLUMNS()"),
    (exp.CurrentDate, "the current time"), (exp.CurrentTime, "the current time"),
    (exp.CurrentTimestamp, "the current time"), (exp.Localtime, "the current time"),
    (exp.Localtimestamp, "the current time"),
)  # fmt: skip
_CLOCKS = (
    "now", "get_current_timestamp", "get_current_time", "transaction_timestamp", "current_localtime",
    "current_localtimestamp",
)  # fmt: skip


def read_slices(
    by: str | Sequence[str | Sequence[str]] | None,
) -> tuple[tuple[tuple[str, ...], ...], dict[str, exp.Expr]]:
    """Read `by`, as `read_groupings` does, and the expressions in it.

    Returns:
        The groupings, with names only; and the expression of each name that is not a column.

    Raises:
        MetricError: columns and lists of columns are mixed; an expression cannot be read, has no name or the
            name of another one, or needs more than the columns of one row.
    """
    computed: dict[str, exp.Expr] = {}
    names: dict[str, str] = {}
    groupings = read_groupings(by)
    for text in dict.fromkeys(text for grouping in groupings for text in grouping):
        found = _expression(text)
        names[text] = text if found is None else found.alias
        if found is not None:
            computed[found.alias] = found.this
    folded = [name.lower() for name in names.values()]
    for text, name in names.items():
        if name in computed and folded.count(name.lower()) > 1:
            raise MetricError(
                f"by {text!r}", f"another slice is called {name!r} too", "give each its own name"
            )
    read = (tuple(names[text] for text in grouping) for grouping in groupings)
    return tuple(read), computed


def _expression(text: str) -> exp.Alias | None:
    """Read an expression with a name; None if the text is the name of a column.

    Raises:
        MetricError: it cannot be read, has no name, or needs more than the columns of one row.
    """
    if not (isinstance(text, str) and _NAMED.search(text)):
        return None
    try:
        parsed = sqlglot.parse(text, dialect=DIALECT)
    except SqlglotError as error:
        message = str(error).splitlines()[0].rstrip(".")
        raise MetricError(f"by {text!r}", message, f"fix it, or {_NAME_IT}") from error
    (found, *others) = parsed
    if others or found is None:
        raise MetricError(f"by {text!r}", "several statements", "write one expression")
    if isinstance(found, exp.Query):
        raise MetricError(f"by {text!r}", "a query", "write an expression over the columns of a row")
    if not isinstance(found, exp.Alias) or not found.alias:
        raise MetricError(f"by {text!r}", "has no name", _NAME_IT)
    if what := _refused_in(found.this):
        raise MetricError(
            f"by {text!r}", f"{what} in a slice", "compute the column in the table, as SQL of yours can"
        )
    return found


def read_condition(where: str, text: str) -> exp.Expr:
    """Read one condition over the columns of a row.

    Args:
        where: its name in a message.

    Raises:
        InputError: it is not an expression, or needs more than one row.
    """
    advice = "write one condition over the columns of a row, with dates as they are"
    try:
        parsed = sqlglot.parse(text, dialect=DIALECT)
    except SqlglotError as error:
        raise InputError(where, str(error).splitlines()[0].rstrip("."), advice) from error
    found = parsed[0] if len(parsed) == 1 else None
    if not isinstance(found, exp.Condition):
        raise InputError(where, "not one condition", advice)
    if what := _refused_in(found):
        raise InputError(where, f"{what} in a condition of a row", advice)
    return found


def _refused_in(tree: exp.Expr) -> str | None:
    """Return the first refused part of an expression over one row, None if there is none."""
    return next(filter(None, map(_refused, tree.walk())), None)


def _refused(node: exp.Expr) -> str | None:
    """Return the refused parts of an expression."""
    if isinstance(node, exp.Anonymous):
        # age(t) is the time from t until now.
        if node.name.lower() in _CLOCKS or (node.name.lower() == "age" and len(node.expressions) == 1):
            return "the current time"
    elif kind := next((what for type_, what in _REFUSED if isinstance(node, type_)), None):
        return kind
    return volatile(node) if isinstance(node, exp.Rand | exp.Uuid | exp.Anonymous) else None


def attribute(source: Source, name: str, computed: Mapping[str, exp.Expr]) -> exp.Expr | None:
    """Return an attribute over a table, a column or what is computed; None if a column is missing."""
    if name not in computed:
        found = source.find(name)
        return None if found is None else quoted(found)
    if lacking(source, name, computed):
        return None

    def over(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        column, *fields = node.parts
        found = quoted(source.find(column.name) or column.name)
        return exp.Dot.build([found, *(field.copy() for field in fields)]) if fields else found

    return computed[name].copy().transform(over, copy=False)


def columns_in(expression: exp.Expr) -> list[str]:
    """Return the columns that an expression reads, once each."""
    return list(dict.fromkeys(column.parts[0].name for column in expression.find_all(exp.Column)))


def depends_on_zone(expression: exp.Expr, source: Source) -> bool:
    """Return whether an expression may read the day of a point in time, in a zone that it does not name.

    A point in time that is put into a zone at once has a day of its own.
    """
    for node in expression.walk():
        if isinstance(node, exp.AtTimeZone):
            if not _is_point_in_time(node.this, source):
                return True
        elif _is_point_in_time(node, source) and not isinstance(node.parent, exp.AtTimeZone):
            return True
    return False


def _is_point_in_time(node: exp.Expr, source: Source) -> bool:
    if isinstance(node, exp.Column):
        return holds_zoned(source.columns.get(source.find(node.parts[0].name) or "", ""))
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type("timestamptz"))
    return isinstance(node, exp.UnixToTime) or "timestamptz" in node.name.lower()


def lacking(source: Source, name: str, computed: Mapping[str, exp.Expr]) -> list[str]:
    """Return the columns of an attribute that a table does not have."""
    if name not in computed:
        return [] if source.find(name) is not None else [name]
    return [column for column in columns_in(computed[name]) if source.find(column) is None]


def advice_without(names: Sequence[str], usual: str) -> str:
    """Return advice about missing columns; the name may be an expression without a name of its own."""
    return _NAME_IT if any("(" in name or "::" in name for name in names) else usual


def read_groupings(by: str | Sequence[str | Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    """Read `by`: a column, the columns of one grouping, or a list of groupings.

    Raises:
        MetricError: columns and lists of columns are mixed.
    """
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by,),)
    if not isinstance(by, Iterable):
        raise MetricError(f"by={by!r}", "is not a column", "write a name such as by='country'")
    by = list(by)
    if all(isinstance(column, str) for column in by):
        return (tuple(dict.fromkeys(cast("Sequence[str]", by))),) if by else ()
    if any(isinstance(column, str) for column in by):
        raise MetricError("by", "mixes columns and lists", "write [['country'], ['country', 'device']]")
    groupings = (tuple(dict.fromkeys(grouping)) for grouping in by)
    return tuple(dict.fromkeys(grouping for grouping in groupings if grouping))


def taken_name(name: str, table: str) -> InputError:
    """Return the error for a slicing column that is called like a column of what is returned."""
    other = f"{exp.to_identifier(name).sql(DIALECT)} AS {exp.to_identifier(f'my_{name}').sql(DIALECT)}"
    return InputError(
        "by", f"{name!r} is also a column of {table}", f"give it another name: by={other!r} (--by {other!r})"
    )


def slicing_columns(by: Sequence[Sequence[str]]) -> list[str]:
    """Return every column of the groupings once.

    Raises:
        InputError: a column has the name of a column of the results.
    """
    wanted = list(dict.fromkeys(column for grouping in by for column in grouping))
    for name in wanted:
        if name.lower() in RESERVED:
            raise taken_name(name, "the results")
    return wanted


def slice_label(grouping: Sequence[str]) -> str:
    """Return the text of the column `slice`: the columns in force; a name with a comma is quoted."""
    return ",".join(f'"{name}"' if "," in name else name for name in grouping)
