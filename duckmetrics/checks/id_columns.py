"""The columns that make up ids: whether they are there, of a type that can be an id, and of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.checks.refusals import refusal
from duckmetrics.expressions.build import cast_to
from duckmetrics.inputs.columns import ColumnMap
from duckmetrics.inputs.ids import Key, key_of, same_kind
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.lists import items_of, list_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.checks.mended_tables import MendedTables, Place
    from duckmetrics.inputs.sources import Role

QUERY_ID, ITEM_ID = "query_id", "item_id"
_WITH_QUERIES: tuple[Role, ...] = ("predictions", "truth", "queries", "population", HISTORY, REFERENCE)
_WITH_ITEMS: tuple[Role, ...] = ("predictions", "truth", HISTORY, ITEMS, REFERENCE)
# The column that lists the items of a query.
_LISTS: dict[Role, str] = {"predictions": "items", "truth": "relevant", HISTORY: "items", REFERENCE: "items"}


class IdColumns:
    """Examines and fixes the ids of the tables.

    Attributes:
        are_comparable: whether an id is made of the same number of columns in all tables.
    """

    def __init__(self, tables: MendedTables) -> None:
        self._tables = tables
        self._retyped: set[tuple[Place, str]] = set()
        self.are_comparable = True

    def examine(self) -> None:
        """Find ids that are missing, of types that cannot be ids, or of different kinds."""
        for column, roles in ((QUERY_ID, _WITH_QUERIES), (ITEM_ID, _WITH_ITEMS)):
            keys: list[tuple[Place, Key]] = []
            for place, _ in self._tables.of(*roles):
                self.examine_one(place, column)
                keys.append((place, self._key(place, column)))
            self._same_kind(column, keys)

    def examine_one(self, place: Place, column: str) -> None:
        """Examine and fix the columns that make up an id in one table."""
        tables = self._tables
        for part in self._parts(place, column):
            source = tables[place]
            if source.find(part) is None:
                if missing := refusal(self._key, place, column):
                    tables.refuse("missing_column", place, column, missing)
                tables.replace(place, part, cast_to(None, "VARCHAR"), "VARCHAR")
                continue
            is_list = self.listed(place, column) is not None
            values = items_of(source, part) if is_list else source
            error = refusal(key_of, values, ColumnMap({column: part}), place[1], column)
            if error is not None:
                tables.refuse("id_type", place, column, error, part, doubtful=False)
                self._retyped.add((place, column))
                tables.make_text(place, part, is_list)

    def listed(self, place: Place, column: str = ITEM_ID) -> str | None:
        """Return the list column that holds the items, None if a column holds one item."""
        source, role = self._tables[place], place[1]
        name = _LISTS.get(role)
        if column != ITEM_ID or name is None:
            return None
        columns = self._tables.columns
        if columns.given(role, name) is None and self._tables.find(place, column) is not None:
            return None
        return list_column(source, columns, role, name)

    def _same_kind(self, column: str, keys: Sequence[tuple[Place, Key]]) -> None:
        """Make ids text if they are of different kinds; a CAST by the user does the same."""
        doubtful = self._tables.refusals.doubtful
        sure = [
            (place, key) for place, key in keys
            if (place[1], column) not in doubtful and (place, column) not in self._retyped
        ]  # fmt: skip
        for place, key in sure[1:]:
            error = refusal(same_kind, sure[0][1], key, column)
            if error is not None:
                sides = [(at, side.parts[0]) for at, side in (sure[0], (place, key))]
                self._tables.refuse("id_kinds", place, column, error, doubtful=False, sides=sides)
                break
        self.are_comparable &= len({len(key.parts) for _, key in keys}) == 1
        if len({key.kinds for _, key in keys}) > 1:
            for place, _ in keys:
                for part in self._parts(place, column):
                    self._tables.make_text(place, part, self.listed(place, column) is not None)

    def _key(self, place: Place, column: str) -> Key:
        source, listed = self._tables[place], self.listed(place, column)
        if listed is None:
            return key_of(source, self._tables.columns, place[1], column)
        return key_of(items_of(source, listed), ColumnMap({column: listed}), place[1], column)

    def _parts(self, place: Place, column: str) -> tuple[str, ...]:
        """Return the user's columns that make up an id."""
        found = self.listed(place, column) or self._tables.find(place, column)
        mapped = self._tables.columns.given(place[1], column) or column
        return (found,) if found is not None else tuple(part.strip() for part in mapped.split("+"))
