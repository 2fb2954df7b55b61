"""Objects that are tables: a run ``{query: {item: score}}``, columns ``{name: array}``, named tuples."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError
from duckmetrics.inputs.advice import COLUMNS, MADE_OF, PAIRS
from duckmetrics.inputs.columns import CANONICAL

if TYPE_CHECKING:
    import pyarrow as pa

# The column of the numbers in a dictionary of dictionaries.
_VALUES = {"predictions": "score", "truth": "relevance", "history": "weight", "reference": "score"}


def as_table(given: Any, role: str) -> Any:
    """Return a dictionary, or a list of named tuples, that is a table as an Arrow table; else what is given.

    In predictions by system, every table is read in this way.

    Raises:
        InputError: arrays of several lengths or dimensions, or values of several types.
    """
    if isinstance(given, list | tuple) and given and hasattr(given[0], "_fields"):
        return _of_columns(dict(zip(given[0]._fields, zip(*given, strict=True), strict=True)), role)
    if not isinstance(given, Mapping) or not given:
        return given
    if role in _VALUES and _is_nested(given, role):
        return _of_pairs(given, role)
    if _is_columns(given, role):
        return _of_columns(given, role)
    _refuse_others(given, role)
    return {name: as_table(one, role) for name, one in given.items()} if role == "predictions" else given


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

    In predictions and truth, one of the lists has a name that we know. Other lists may be the files of a
    system.
    """
    if all(map(_is_array, given.values())):
        return True
    known = role not in _VALUES or any(name in CANONICAL for name in given)
    return known and all(_is_array(one) or isinstance(one, list | tuple) for one in given.values())


def _is_array(column: Any) -> bool:
    return hasattr(column, "dtype") and hasattr(column, "ndim")


def _of_pairs(given: Mapping[Any, Mapping[Any, Any]], role: str) -> pa.Table:
    columns: dict[str, list[Any]] = {"query_id": [], "item_id": [], _VALUES[role]: []}
    for query, items in given.items():
        for name, values in zip(columns, ([query] * len(items), items, items.values()), strict=True):
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
