"""The columns of a table that a request may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.errors import InputError
from duckmetrics.inputs.columns import CANONICAL
from duckmetrics.inputs.slices import columns_in
from duckmetrics.inputs.values import run_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source


def needed_columns(request: Request, source: Source, role: Role) -> list[str] | None:
    """Return the columns that a request may read, None for all of them."""
    wanted = set(_wanted(request, source, role))
    return [name for name in source.columns if name in wanted] or None


def _wanted(request: Request, source: Source, role: Role) -> Iterator[str]:
    """Yield the names of columns, also of some that the table does not have."""
    names = [
        request.system or "",
        *request.scores.values(),
        *(name for names in request.by for name in names),
    ]
    if request.inference is not None:
        names.append(request.inference.cluster or "")
    for expression in request.computed.values():
        names += columns_in(expression)
    for canonical in CANONICAL:
        names += [canonical, *(request.columns.given(role, canonical) or "").split("+")]
    for name in names:
        yield from _found(source, name.strip())
    yield from run_columns(source, request.columns)


def _found(source: Source, name: str) -> list[str]:
    try:
        found = source.find(name)
    except InputError:  # two columns differ in case only, which is refused where they are read
        return [column for column in source.columns if column.lower() == name.lower()]
    return [] if found is None else [found]
