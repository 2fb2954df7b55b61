"""Inputs of the tests on counts: from lists and tables to checked `counts` or `cells`.

`counts` (observed, expected) has one row per category, `cells` (row_value, column_value, n) one per
cell of a contingency table, or one per observation. Users call the latter row, column and n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, cast

from sqlglot import exp

from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import number_expression, selected, shown_columns
from duckmetrics.inputs.python_tables import as_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.inputs.sources import Role, Source

    Attach = Callable[[Any, Role], Source]

COUNTS: Final = "counts"
CELLS: Final = "cells"
# The name of any other table in the files under sql/checks/statistics.
ROWS: Final = "given_rows"


@dataclass(frozen=True)
class Tested:
    """A table as a statistic reads it.

    Attributes:
        table: its name in the statistic.
        label: its name in messages.
        query: the canonical columns.
        names: canonical column -> the user's.
        words: of advice about the table.
    """

    table: str
    label: str
    query: exp.Select
    names: Mapping[str, str]
    words: str

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.names)

    @property
    def is_counted(self) -> bool:
        """Whether the rows are counts, which a test adds up."""
        return self.table in (COUNTS, CELLS)

    def grouped(self) -> exp.Select:
        """Return one row per cell that is there; all other tables as they are."""
        if self.table != CELLS:
            return self.query
        keys = ("row_value", "column_value")
        total = exp.Sum(this=exp.column("n")).as_("n")
        return exp.select(*keys, total).from_(self.query.subquery(CELLS)).group_by(*keys)


def reading(query: exp.Expr, relation: exp.Expr) -> exp.Query:
    """Return a query that reads `relation` in place of counts, cells or rows."""
    read = cast("exp.Query", query.copy())
    for table in list(read.find_all(exp.Table)):
        if table.name in (COUNTS, CELLS, ROWS):
            table.replace(exp.alias_(relation.copy(), table.name, table=True))
    return read


# The advice for names where counts are needed.
COUNT_THEM = (
    "of names give one row each with its count, "
    "as in SELECT variant, count(*) AS observed ... GROUP BY variant"
)

_CANONICAL = {
    COUNTS: {"observed": "observed", "expected": "expected"},
    CELLS: {"row": "row_value", "column": "column_value", "n": "n"},
}


def read_counts(observed: Any, expected: Any, columns: Mapping[str, str], attach: Attach) -> Tested:
    """Find the counts that a caller means.

    Raises:
        InputError: they are neither a list of counts, nor rows of them, nor a table with its columns.
    """
    _known(columns)
    listed = tabled(observed, expected)
    source = attach(as_table(listed, COUNTS), COUNTS)
    if listed is not observed:
        if columns:
            raise InputError("columns", "are for tables, and a list has none", "leave them out")
        source = replace(source, label="observed")
    if source.empty:
        raise InputError(source.label, "no rows", "give the counts of two categories or more")
    return _canonical(source, columns)


def _known(columns: Mapping[str, str]) -> None:
    known = [key for keys in _CANONICAL.values() for key in keys]
    for key, name in columns.items():
        if key not in known or not isinstance(name, str):
            raise InputError(
                "columns", f"{key!r}: {name!r} maps no column of a test", suggestion(str(key), known)
            )
    if len({table for table, keys in _CANONICAL.items() if keys.keys() & columns.keys()}) > 1:
        raise InputError(
            "columns",
            "observed and expected are for one list of categories, row, column and n for a table of two",
            "map either",
        )


def tabled(observed: Any, expected: Any = None, wanted: str | None = None) -> Any:
    """Write a list of counts, or of rows of them, as a table; anything else stays as it is.

    Args:
        wanted: counts or cells, where only one of them will do.
    Raises:
        InputError: they are not counts, have the wrong shape, or expected is given with a table.
    """
    listed = _listed(observed)
    if listed is None:
        if expected is not None:
            raise InputError(
                "expected",
                "is given with a table, whose rows have no order",
                "map a column with columns={'expected': ...}",
            )
        return observed
    has_rows = any(isinstance(row, list | tuple) for row in listed)
    if wanted == CELLS and not has_rows:
        raise InputError("observed", "one list of counts", "the test compares rows of them, such as 3,7 5,5")
    if wanted == COUNTS and has_rows:
        raise InputError("observed", "rows of counts", "the test is of one list of them, such as 3 7")
    return _table(listed, expected)


def _listed(observed: Any) -> list[Any] | None:
    """Return a list, tuple or array as a list; None where it is a table, such as a list of paths."""
    for method in ("tolist", "to_list"):
        if hasattr(observed, method):
            observed = getattr(observed, method)()
    if not isinstance(observed, list | tuple) or (
        observed and all(hasattr(o, "__fspath__") for o in observed)
    ):
        return None
    return None if observed and all(isinstance(o, str) for o in observed) else list(observed)


def _table(observed: list[Any], expected: Any) -> pa.Table:
    """Write counts, or rows of counts, as a table."""
    import pyarrow as pa

    if not any(isinstance(row, list | tuple) for row in observed):
        shares = {} if expected is None else {"expected": _numbers("expected", _expected(observed, expected))}
        return pa.table({"observed": _numbers("observed", observed), **shares})
    if expected is not None:
        raise InputError(
            "expected", "is for one list of counts", "a table of rows has expectations of its own"
        )
    rows = [row if isinstance(row, list | tuple) else [row] for row in observed]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(
            "observed", f"rows of {' and '.join(map(str, sorted(lengths)))} counts", "give rows of one length"
        )
    cells = [(i, j, n) for i, row in enumerate(rows, start=1) for j, n in enumerate(row, start=1)]
    row_numbers, column_numbers, counts = zip(*cells, strict=True) if cells else ((), (), ())
    return pa.table({
        "row": pa.array(row_numbers, pa.int64()),
        "column": pa.array(column_numbers, pa.int64()),
        "n": _numbers("observed", counts),
    })  # fmt: skip


def _expected(observed: list[Any], expected: Any) -> list[Any]:
    listed = _listed(expected)
    if listed is None:
        raise InputError("expected", f"{expected!r} is not a list", "give one count or share per category")
    if len(listed) != len(observed):
        raise InputError(
            "expected", f"{len(listed)} values for {len(observed)} counts", "give one per category"
        )
    return listed


def _numbers(name: str, values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real | Decimal)):
            raise InputError(
                name, f"{value!r} is not a number", "give counts such as [3, 7], or rows of them"
            )
    try:
        numbers = [None if value is None else float(value) for value in values]
    except OverflowError as error:
        raise InputError(name, "a count is too large for a double", "give smaller ones") from error
    return pa.array(numbers, pa.float64())


def called(table: str, canonical: str) -> str:
    """Return the user's name for a column of one of these tables."""
    names = _CANONICAL.get(table, {})
    return next((key for key, name in names.items() if name == canonical), canonical)


def _canonical(source: Source, columns: Mapping[str, str]) -> Tested:
    table = _meant(source, columns)
    found = {key: source.find(columns.get(key, key)) for key in _CANONICAL[table]}
    for key, name in columns.items():
        if found[key] is None:
            raise InputError(
                source.label, f"no column {name!r} for {key}; {shown_columns(source)}", _mapped(key)
            )
    for key in ("observed", "row", "column"):
        if key in found and found[key] is None:
            raise InputError(source.label, f"no column {key!r}; {shown_columns(source)}", _mapped(key))
    if table == CELLS and found["n"] is None and source.find("observed"):
        raise InputError(
            source.label,
            f"column 'observed' is next to {found['row']!r} and {found['column']!r}",
            "map it with columns={'n': 'observed'}, or leave it out if every row counts 1",
        )
    written = {
        canonical: _expression(source, key, found[key]) for key, canonical in _CANONICAL[table].items()
    }
    names = {canonical: found[key] or key for key, canonical in _CANONICAL[table].items()}
    return Tested(table, source.label, selected(source, written), names, source.words)


def _meant(source: Source, columns: Mapping[str, str]) -> str:
    """Return the table that the columns are for: mapped columns decide, then the columns of the table."""
    for table, keys in _CANONICAL.items():
        if keys.keys() & columns.keys():
            return table
    if source.find("row") and source.find("column"):
        return CELLS
    if source.find("observed"):
        return COUNTS
    raise InputError(
        source.label,
        f"no column 'observed', nor 'row' and 'column'; {shown_columns(source)}",
        (
            "map them with columns={'observed': ...} or columns={'row': ..., 'column': ...} (on the "
            "command line --column)"
        ),
    )


def _expression(source: Source, key: str, name: str | None) -> exp.Expr:
    if name is None:
        return literal(1.0)
    return quoted(name) if key in ("row", "column") else count_expression(source, key, name)


def count_expression(source: Source, key: str, name: str) -> exp.Expr:
    """Write a column of counts or shares as DOUBLE.

    Raises:
        InputError: it holds no numbers, maybe because nobody has counted yet.
    """
    if key == "observed" and source.columns[name] == "VARCHAR":
        raise InputError(
            source.label,
            (
                f"column {name!r} is VARCHAR, not a number; give one row per category with its count, as in "
                f'"SELECT {name}, count(*) AS observed FROM ... GROUP BY {name}"'
            ),
            "if it holds counts, cast it to DOUBLE",
        )
    return number_expression(source, name)


def uncounted(key: str) -> str:
    """Return the addition to a message about a missing column that nobody may have counted."""
    return f"; {COUNT_THEM}" if key == "observed" else ""


def _mapped(key: str) -> str:
    return f"map it with columns={{'{key}': ...}} (on the command line --column {key}=...)"
