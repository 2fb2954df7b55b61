"""Slices of an experiment: its units by country or another attribute, and whether their effects differ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from duckmetrics.errors import InputError, MetricError, UnsupportedError, suggestion
from duckmetrics.expressions.build import cast_to, quoted, try_cast
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import selected
from duckmetrics.inputs.slices import (
    advice_without,
    attribute,
    columns_in,
    lacking,
    read_slices,
    slice_label,
    taken_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source


# A column with more different values does not name slices.
MOST_SLICES = 50
SLICE = "slice"
# The column with the number of the slice of a row.
PART = "duckmetrics_part"
OF_UNIT = "the unit itself"
KNOWN_BEFORE = "slice by what was known when the unit was assigned"


class Slicings(NamedTuple):
    """The groupings of a call, the text of each attribute by name, and the columns that they read.

    Attributes:
        row_texts: the texts over rows that were put together per unit; None if they were not.
    """

    groupings: tuple[tuple[str, ...], ...]
    texts: dict[str, exp.Expr]
    columns: list[str]
    row_texts: dict[str, exp.Expr] | None = None

    @property
    def names(self) -> list[str]:
        """The attributes of all groupings, once each."""
        return list(self.texts)

    def per_unit(self) -> Slicings:
        """Return the slicings of a table with one row per unit, which has each text under its name."""
        return self._replace(texts={name: quoted(name) for name in self.texts}, row_texts=self.texts)

    @property
    def per_row(self) -> Slicings:
        """The slicings of the rows of the units."""
        return self if self.row_texts is None else self._replace(texts=self.row_texts)


def read_slicings(
    by: Any, source: Source, roles: Mapping[str, str], reserved: Sequence[str], is_sequential: bool
) -> Slicings:
    """Read the slices that a call asks for.

    Args:
        roles: what other columns are for.
        reserved: the columns of the result.

    Raises:
        MetricError: it cannot be read, or reads a column with another role.
        InputError: there is no such column, or the result has another one of this name.
        UnsupportedError: slices of a sequential test.
    """
    groupings, computed = read_slices(by)
    if groupings and is_sequential:
        what = "the test whether slices differ does not hold at every look"
        raise UnsupportedError("by", what, "leave out by, or look once without sequential")
    texts: dict[str, exp.Expr] = {}
    read: list[str] = []
    for name in dict.fromkeys(name for grouping in groupings for name in grouping):
        if missing := lacking(source, name, computed):
            usual = suggestion(missing[0], [column for column in source.columns if column not in roles])
            raise InputError(
                source.label, f"no column {missing[0]!r} to slice by", advice_without(missing, usual)
            )
        own = [str(source.find(one)) for one in columns_in(computed[name])] if name in computed else []
        for column in [*own, str(source.find(name))]:
            # What depends on the id of a unit is known when the unit is assigned.
            if column in roles and not (column in own and roles[column] == OF_UNIT):
                raise MetricError(f"by {name}", f"{column} is {roles[column]}", KNOWN_BEFORE)
        read += own or [str(source.find(name))]
        if name.lower() in reserved:
            raise taken_name(name, "the results")
        found = attribute(source, name, computed)
        texts[name] = cast_to(found, "VARCHAR")
    return Slicings(groupings, texts, list(dict.fromkeys(read)))


def parts_of(
    engine: Engine, source: Source, slicings: Slicings, grouping: Sequence[str]
) -> list[dict[str, str | None]]:
    """Return the values of each slice, in their order.

    Raises:
        InputError: there are too many slices.
    """
    texts = {f"slice_{i}": slicings.texts[name] for i, name in enumerate(grouping)}
    rows = selected(source, {name: text.copy() for name, text in texts.items()}).subquery("units")
    query = exp.select(*texts).from_(rows).group_by(*texts)
    for name in texts:
        query = query.order_by(try_cast(exp.column(name), "DOUBLE"), exp.Ordered(this=exp.column(name)))
    found = engine.rows(query.limit(MOST_SLICES + 1))
    if len(found) > MOST_SLICES:
        what = f"{slice_label(grouping)!r} has more than {MOST_SLICES} slices"
        raise InputError(source.label, what, "group its values, as in by='age // 10 AS decade'")
    return [dict(zip(grouping, values, strict=True)) for values in found]


def numbered(source: Source, slicings: Slicings, parts: Sequence[Mapping[str, str | None]]) -> Source:
    """Return a table whose rows have the number of their slice."""
    case = exp.Case()
    for number, values in enumerate(parts):
        same = (
            text.is_(exp.null()) if value is None else exp.EQ(this=text, expression=literal(value))
            for text, value in ((slicings.texts[name].copy(), value) for name, value in values.items())
        )
        case = case.when(exp.and_(*same), literal(number))
    rows = exp.select(exp.Star(), cast_to(case, "BIGINT").as_(PART)).from_(source.relation.copy())
    return replace(
        source, relation=rows.subquery("sliced"), columns={**source.columns, PART: "BIGINT"}, rowid=False,
        statistics=False,
    )  # fmt: skip


def by_part(values: Sequence[float | None]) -> exp.Expr:
    """Write the number that belongs to the slice of a row; one number is that of all rows."""
    if len(values) == 1:
        return cast_to(literal(values[0]), "DOUBLE")
    case = exp.Case(this=exp.column(PART))
    for part, value in enumerate(values):
        case = case.when(literal(part), literal(value))
    return cast_to(case, "DOUBLE")
