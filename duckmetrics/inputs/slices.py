"""Slices: attributes by which results are split."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from duckmetrics.errors import InputError, MetricError

if TYPE_CHECKING:
    from collections.abc import Sequence

RESERVED = (
    "system", "metric", "slice", "value", "lower", "upper", "reason", "n", "n_missing", "n_no_relevant",
    "n_undefined", "n_positive", "n_units", "n_effective", "signature", "query_id",
)  # fmt: skip


def read_groupings(by: str | Sequence[str | Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    """Read `by`: a column, the columns of one grouping, or a list of groupings.

    Raises:
        MetricError: columns and lists of columns are mixed.
    """
    if by is None:
        return ()
    if isinstance(by, str):
        return ((by,),)
    by = list(by)
    if all(isinstance(column, str) for column in by):
        return (tuple(dict.fromkeys(cast("Sequence[str]", by))),) if by else ()
    if any(isinstance(column, str) for column in by):
        raise MetricError("by", "mixes columns and lists", "write [['country'], ['country', 'device']]")
    groupings = (tuple(dict.fromkeys(grouping)) for grouping in by)
    return tuple(dict.fromkeys(grouping for grouping in groupings if grouping))


def slicing_columns(by: Sequence[Sequence[str]]) -> list[str]:
    """Return every column of the groupings once.

    Raises:
        InputError: a column has the name of a column of the results.
    """
    wanted = list(dict.fromkeys(column for grouping in by for column in grouping))
    for name in wanted:
        if name.lower() in RESERVED:
            raise InputError(
                "by",
                f"{name!r} is also a column of the results",
                f'rename it, as in "SELECT {name} AS my_{name}, ... FROM ..."',
            )
    return wanted


def slice_label(grouping: Sequence[str]) -> str:
    """Return the text of the column `slice`: the columns in force; a name with a comma is quoted."""
    return ",".join(f'"{name}"' if "," in name else name for name in grouping)
