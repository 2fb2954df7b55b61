"""Objects that are tables: a run ``{query: {item: score}}``, columns ``{name: array}``, named tuples."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping
from numbers import Number
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.layouts import likely
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.errors import InputError, MetricError
from duckmetrics.inputs.advice import COLUMNS, MADE_OF, PAIRS
from duckmetrics.inputs.columns import CANONICAL, FIRST
from duckmetrics.inputs.inputs import VALUES
from duckmetrics.inputs.sources import kind_of_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


# What a list of items is called in a table.
_LISTS = {"predictions": "items", "truth": "relevant"}
# Rows of Python, which DuckDB does not read.
_ROWS = (list, tuple, set, frozenset, Generator, map, filter, zip)
# The tables that may be several, one for each system.
_BY_SYSTEM = ("predictions", VALUES)
# The column of the numbers in a dictionary of dictionaries.
_VALUES = {
    "predictions": "score", "truth": "relevance", "history": "weight", "reference": "score", VALUES: "value",
}  # fmt: skip

# Whole numbers that are grades rather than scores.
_USUAL_GRADES = range(11)


def as_table(given: Any, role: str) -> Any:
    """Return a dictionary, or a list of named tuples, that is a table as an Arrow table; else what is given.

    In predictions by system, every table is read in this way.

    Raises:
        InputError: arrays of several lengths or dimensions, or values of several types.
    """
    if role == VALUES:
        given = getattr(given, "scores", given)  # of a run of ranx
        given = list(given) if isinstance(given, Generator) else given
    if role == VALUES and isinstance(given, Mapping) and any(map(_is_named_rows, given.values())):
        return {name: as_table(one, role) for name, one in given.items()}
    if _is_named_rows(given):
        columns = dict(zip(given[0]._fields, zip(*given, strict=True), strict=True))
        if role == VALUES and "measure" in columns:  # objects of ir_measures
            columns["measure"] = tuple(map(str, columns["measure"]))
        return _of_columns(columns, role)
    if _is_one_column(given):
        return _of_series(given, role)
    _refuse_several(given, role)
    if isinstance(given, list | tuple) and given and all(isinstance(row, dict) for row in given):
        return _of_records(given, role)
    if isinstance(given, _ROWS) and not (isinstance(given, list | tuple) and all(map(_is_path, given))):
        advice = "make a frame of them, as in pd.DataFrame(list(rows))"
        raise InputError(_label(given, role), "are rows, not a table", advice)
    if not isinstance(given, Mapping) or not given:
        return given
    if role in _VALUES and _is_nested(given, role):
        return _of_pairs(given, role)
    if _is_columns(given, role):
        return _of_columns(given, role)
    if role in _LISTS and (all(map(_is_list_of_words, given.values())) or _are_lists_of_numbers(given)):
        return _of_lists(given, role)
    _refuse_scalars(given, role)
    _refuse_others(given, role)
    return {name: as_table(one, role) for name, one in given.items()} if role in _BY_SYSTEM else given


def _refuse_several(given: Any, role: str) -> None:
    """Refuse a list of frames, or of runs, of which no row is a part.

    Raises:
        InputError: says how to name the systems.
    """
    if isinstance(given, list | tuple) and given and all(map(_is_whole, given)):
        advice = "put their rows into one"
        if role in _BY_SYSTEM:
            advice = "name the systems, as in {'A': ..., 'B': ...}"
        raise InputError(_label(given, role), "a list is one table, and these are several", advice)


def _is_whole(one: Any) -> bool:
    """Return whether this is a frame, or a dictionary of dictionaries, which is no row."""
    if isinstance(one, Mapping):
        return bool(one) and _is_pairs(one)
    return hasattr(one, "columns") or hasattr(one, "__arrow_c_stream__")


def _of_records(rows: Sequence[dict[Any, Any]], role: str) -> Any:
    """Return rows that are dictionaries as a table; a key that a row lacks is NULL."""
    names = dict.fromkeys(name for row in rows for name in row)
    return _arrow({name: [row.get(name) for row in rows] for name in names}, role, COLUMNS)


def refuse_positions(predictions: Any, truth: Any) -> None:
    """Refuse labels and scores by position, as functions of scikit-learn take them.

    Raises:
        InputError: says how to name them.
    """
    if all(map(_is_numbers, (predictions, truth))):
        raise InputError(
            "predictions",
            "are labels or scores by position, and so is the truth",
            "name them in one table: evaluate({'label': y_true, 'score': y_score}, metrics='auc')",
        )


def _is_numbers(given: Any) -> bool:
    """Return whether this is an array, a Series, or a list of numbers."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(one, Number) for one in given)
    levels = list(getattr(getattr(given, "index", None), "names", None) or [None])
    return given is not None and _is_one_column(given) and levels == [None]


def _is_named_rows(given: Any) -> bool:
    """Return whether these are named tuples, such as those of ir_measures."""
    return isinstance(given, list | tuple) and bool(given) and hasattr(given[0], "_fields")


def _label(given: Any, role: str) -> str:
    return f"{role} ({type(given).__name__})"


def _is_path(one: Any) -> bool:
    return isinstance(one, str | os.PathLike)


def _is_one_column(given: Any) -> bool:
    """Return whether this is a Series or an array, which has values without the names of columns."""
    return _is_array(given) or (hasattr(given, "to_frame") and not hasattr(given, "columns"))


def _of_series(given: Any, role: str) -> Any:
    """Return a Series of pandas with named levels of its index as a frame.

    Raises:
        InputError: nothing names the columns.
    """
    levels = getattr(getattr(given, "index", None), "names", None) or [None]
    if role in _VALUES and None not in levels:
        return given.to_frame(given.name or _VALUES[role])
    if len(levels) > 1:
        advice = "name them, as in series.rename_axis(['query_id', 'item_id'])"
        raise InputError(_label(given, role), "has an index without names", advice)
    advice = "give a frame, or a dictionary such as {'label': y, 'score': p}"
    raise InputError(_label(given, role), "has no names of columns", advice)


def _is_list_of_words(values: Any) -> bool:
    """Return whether these are ids of items, of which none looks like a path."""
    return (
        isinstance(values, list | tuple | set | frozenset)
        and all(isinstance(one, str) for one in values)
        and not any(kind_of_text(one) == "file" or os.path.exists(one) for one in values)
    )


def _are_lists_of_numbers(given: Mapping[Any, Any]) -> bool:
    """Return whether these are queries with whole numbers as items; no name of a column is a number."""
    lists = all(isinstance(items, list | tuple | set | frozenset) for items in given.values())
    return lists and all(
        isinstance(one, int) and not isinstance(one, bool)
        for items in (given, *given.values())
        for one in items
    )


def _of_lists(given: Mapping[Any, Any], role: str) -> pa.Table:
    """Return ``{query: [item, ...]}`` as a table of lists, those of the predictions with the best item first.

    Raises:
        InputError: the items of a query have no order.
    """
    for query, items in given.items():
        if role == "predictions" and isinstance(items, set | frozenset):
            advice = f"give a list with the best item first, or {{{query!r}: {{item: score}}}}"
            raise InputError(
                f"{role} (dict)", f"the items of {query!r} are a set, which has no order", advice
            )
    columns = {
        "query_id": list(given),
        _LISTS[role]: [sorted(x) if isinstance(x, set | frozenset) else list(x) for x in given.values()],
    }
    return _arrow(columns, role, COLUMNS)


def refuse_swapped(predictions: Any, truth: Any) -> None:
    """Refuse grades as predictions and scores as the truth: ``{query: {item: number}}`` says no names.

    Raises:
        InputError: the predictions are few whole numbers, and the truth has fractions.
    """
    if not all(isinstance(one, Mapping) and _is_pairs(one) for one in (predictions, truth)):
        return
    grades, scores = (
        [value for items in one.values() for value in items.values()] for one in (predictions, truth)
    )
    fractions = {value for value in scores if isinstance(value, float) and not value.is_integer()}
    is_graded = bool(grades) and all(value in _USUAL_GRADES for value in grades)
    if is_graded and fractions and 2 * len(fractions) >= len(scores):
        raise InputError(
            "predictions (dict)",
            "look like grades, and the numbers of the truth like scores",
            f"{FIRST}; if they are right, give columns, as in {{'query_id': [...], 'score': [...], ...}}",
        )


def _is_pairs(given: Mapping[Any, Any]) -> bool:
    return all(isinstance(items, Mapping) for items in given.values())


def _is_nested(given: Mapping[Any, Any], role: str) -> bool:
    """Return whether these are queries with their items and numbers; at least one query has an item."""
    if not all(isinstance(items, Mapping) for items in given.values()):
        return False
    columns = [name for name in given if name in CANONICAL]
    if columns:
        raise InputError(
            f"{role} (dict)",
            f"{columns[0]!r} is a column, and not a query with its items",
            "give the DataFrame itself, or lists of values: frame.to_dict('list')",
        )
    values = [value for items in given.values() for value in items.values()]
    return bool(values) and all(value is None or isinstance(value, Number) for value in values)


def _is_metric(name: Any) -> bool:
    """Return whether this is the name of a metric, ours or of a tool."""
    try:
        parse_measure(catalog(), str(name))
    except MetricError:
        return False
    return True


def _refuse_scalars(given: Mapping[Any, Any], role: str) -> None:
    """Refuse columns next to something that is not one.

    Raises:
        InputError: a value stands for a whole column, or is read only once.
    """
    columns = [len(one) for one in given.values() if _is_array(one) or isinstance(one, list | tuple)]
    if not columns or not any(name in CANONICAL for name in given):
        return
    for name, one in given.items():
        if isinstance(one, Number | str | None):
            what, advice = f"{name!r} is one value", f"give one for each row, as in [{one!r}] * {columns[0]}"
            raise InputError(f"{role} (dict)", what, advice)
        if isinstance(one, Iterable) and not isinstance(one, Mapping | list | tuple) and not _is_array(one):
            what = f"{name!r} is a {type(one).__name__}, not a list"
            raise InputError(f"{role} (dict)", what, f"give {{{name!r}: list(...)}}")


def _refuse_others(given: Mapping[Any, Any], role: str) -> None:
    """Refuse dictionaries that are nearly tables, before they are taken for systems.

    Raises:
        InputError: a score is text, or lists of numbers have names that we do not know.
    """
    for query, items in given.items():
        for item, value in items.items() if isinstance(items, Mapping) else ():
            if role in _VALUES and isinstance(value, str) and item not in CANONICAL:
                raise InputError(
                    f"{role} (dict)",
                    f"the {_VALUES[role]} of {item!r} in {query!r} is the text {value!r}",
                    f"give numbers, as in {{{query!r}: {{{item!r}: 0.5}}}}",
                )
    if all(isinstance(column, list | tuple) and column and isinstance(column[0], Number)
           for column in given.values()):  # fmt: skip
        names = ", ".join(map(repr, given))
        raise InputError(
            f"{role} (dict)",
            f"no known column among {names}",
            "name columns as in {'label': y, 'score': p}; rankings are {query: {item: score}}",
        )


def _is_columns(given: Mapping[Any, Any], role: str) -> bool:
    """Return whether these are columns: arrays, or lists.

    In predictions and truth, one of the lists has a name that we or a tool knows. Other lists may be the
    files of a system, or the items of a query.
    """
    if all(map(_is_array, given.values())):
        return True
    names = {str(name): "" for name in given}
    known = (
        role not in _VALUES
        or _are_columns_of_values(given, role)
        or any(name in CANONICAL for name in names)
        or bool(likely(role, names))
    )
    return known and all(_is_array(one) or isinstance(one, list | tuple) for one in given.values())


def _are_columns_of_values(given: Mapping[Any, Any], role: str) -> bool:
    """Return whether lists of values are no lists of files."""
    lists = [one for one in given.values() if isinstance(one, list | tuple)]
    return role == VALUES and not any(
        all(isinstance(x, str) and os.path.exists(x) for x in one) for one in lists
    )


def _is_array(column: Any) -> bool:
    return hasattr(column, "dtype") and hasattr(column, "ndim")


def _of_pairs(given: Mapping[Any, Mapping[Any, Any]], role: str) -> pa.Table:
    """Return ``{query: {item: number}}`` as a table; of values, items are metrics, which may come first."""
    keys = ["query_id", "metric" if role == VALUES else "item_id"]
    if role == VALUES:
        inner = dict.fromkeys(name for one in given.values() for name in one)
        if any(map(_is_metric, given)) and not any(map(_is_metric, inner)):
            keys.reverse()
        elif len(inner) > len(given) and not any(map(_is_metric, inner)):
            what = f"{next(iter(given))!r} may be a query or a metric"
            advice = f"give columns, as in {{'query_id': [...], {str(next(iter(given)))!r}: [...]}}"
            raise InputError(f"{role} (dict)", what, advice)
    columns: dict[str, list[Any]] = {key: [] for key in (*keys, _VALUES[role])}
    for first, others in given.items():
        for name, values in zip(columns, ([first] * len(others), others, others.values()), strict=True):
            columns[name].extend(values)
    return _arrow(columns, role, PAIRS)


def _of_columns(given: Mapping[Any, Any], role: str) -> pa.Table:
    for name, column in given.items():
        if getattr(column, "ndim", 1) != 1:
            raise InputError(
                f"{role} (dict)",
                f"column {name!r} has {column.ndim} dimensions",
                f"take one of its columns, as in {name}[:, 1]",
            )
    sizes = {name: len(column) for name, column in given.items()}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(
            f"{role} (dict)", f"columns of several lengths: {found}", "give arrays of one length"
        )
    return _arrow(given, role, COLUMNS)


def _arrow(columns: Mapping[Any, Any], role: str, kind: str) -> pa.Table:
    import pyarrow as pa

    found = {}
    for name, column in columns.items():
        try:
            found[str(name)] = pa.array(column)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
            raise InputError(
                f"{role} (dict)",
                f"{name} cannot be read: {str(error).splitlines()[0]}",
                "give values of one type",
            ) from error
    return pa.table(found, metadata={MADE_OF: kind.encode()})
