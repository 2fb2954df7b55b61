"""Tables whose missing or mistyped columns are replaced by columns that can be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import quoted, try_cast
from duckmetrics.inputs.sources import Role, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.checks.refusals import Refusals
    from duckmetrics.inputs.columns import ColumnMap

# The identity of a table argument, and its role.
Place = tuple[int, Role]
EVERY = "*"
FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")


class MendedTables:
    """The tables of a request, and the columns that were fixed in them.

    Attributes:
        columns: the user's names for the canonical columns, without those that make no sense.
        refusals: the problems of the tables.
    """

    def __init__(self, columns: ColumnMap, refusals: Refusals) -> None:
        self.columns = columns
        self.refusals = refusals
        self._sources: dict[Place, Source] = {}

    def __getitem__(self, place: Place) -> Source:
        return self._sources[place]

    def __setitem__(self, place: Place, source: Source) -> None:
        self._sources[place] = source

    def mended(self, table: Any, role: Role) -> Source:
        """Return a table with its fixed columns."""
        return self._sources[id(table), role]

    def of(self, *roles: Role) -> list[tuple[Place, Source]]:
        """Return the tables of some roles."""
        return [(place, source) for place, source in self._sources.items() if place[1] in roles]

    def all(self) -> list[Source]:
        """Return the tables of all roles."""
        return list(self._sources.values())

    def find(self, place: Place, column: str) -> str | None:
        """Return the user's column for a canonical one, None if the table lacks it."""
        try:
            return self.columns.find(self._sources[place], place[1], column)
        except InputError:
            return None

    def refuse(
        self,
        check: str,
        place: Place,
        column: str,
        error: InputError,
        name: str | None = None,
        doubtful: bool = True,
        sides: Sequence[tuple[Place, str]] = (),
    ) -> None:
        """Report an error of a column; see `Refusals.add_column`."""
        values = [(self._sources[at], of) for at, of in sides]
        source, role = self._sources[place], place[1]
        self.refusals.add_column(check, source, role, column, error, name, doubtful, values)

    def add_missing(self, place: Place, column: str, error: InputError) -> None:
        """Report that a table lacks a column of numbers, and add one."""
        self.refuse("missing_column", place, column, error)
        name = self.columns.given(place[1], column) or column
        self.replace(place, name, exp.cast(exp.null(), "DOUBLE"), "DOUBLE")

    def make_text(self, place: Place, part: str, is_list: bool) -> None:
        """Convert an id to text: equal ids stay equal, and whole numbers have the same text in all types."""
        source = self._sources[place]
        name = source.find(part) or part
        type_, value = source.columns[name], quoted(name)
        if is_list:
            self.replace(place, name, exp.cast(value, "VARCHAR[]", dialect=DIALECT), "VARCHAR[]")
            return
        text: exp.Expr = exp.cast(value, "VARCHAR")
        if type_.startswith(FRACTIONS):
            whole = try_cast(value.copy(), exp.DataType.build("HUGEINT", dialect=DIALECT))
            same = exp.EQ(this=whole, expression=value.copy())
            text = exp.Case().when(same, exp.cast(whole.copy(), "VARCHAR")).else_(text)
        self.replace(place, name, text, "VARCHAR")

    def replace(self, place: Place, name: str, value: exp.Expr, type_: str) -> None:
        """Replace a column of a table, or add it."""
        source = self._sources[place]
        known = source.find(name)
        others = [quoted(column) for column in source.columns if column != known]
        mended = exp.select(*others, value.as_(known or name, quoted=True)).from_(source.relation.copy())
        self._sources[place] = replace(
            source, relation=mended.subquery("mended"), columns={**source.columns, known or name: type_},
            statistics=False, rowid=False, ordered=source.ordered or source.rowid,
        )  # fmt: skip
