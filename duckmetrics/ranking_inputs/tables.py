"""The tables of rankings, and the ids of queries and items in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.errors import InputError
from duckmetrics.expressions.build import cast_to
from duckmetrics.inputs import values
from duckmetrics.inputs.columns import ColumnMap
from duckmetrics.inputs.ids import Key, common_types, key_expression, key_of, same_kind
from duckmetrics.inputs.inputs import CLUSTER, HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.lists import items_of, list_column
from duckmetrics.inputs.slices import slicing_columns
from duckmetrics.inputs.sources import Source, no_rows
from duckmetrics.inputs.systems import Attach, Systems, refuse_unknown_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role

Extremes = Callable[[Source, str], tuple[Any, Any]]
INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1


@dataclass(frozen=True)
class Table:
    """A table in its role.

    Attributes:
        name: the role, and for predictions also the system.
        system: the name that a mapping gives to the system of the predictions.
        listed: the column that lists the items of a query, None if each row has one item.
    """

    name: str
    role: Role
    source: Source
    system: str = ""
    listed: str | None = None

    @property
    def has_items(self) -> bool:
        """Return whether rows are about items, and not about queries only."""
        return self.role not in ("queries", "population")

    @property
    def has_queries(self) -> bool:
        """Return whether rows are about queries, and not about items only."""
        return self.role != ITEMS

    def find(self, columns: ColumnMap, *names: str) -> str | None:
        """Return the user's column for the first canonical one that the table has."""
        found = (columns.find(self.source, self.role, name) for name in names)
        return next((name for name in found if name is not None), None)


class RankingTables:
    """The tables that a request names.

    Attributes:
        predictions: one table for each system, or one for all of them.
        extra: the tables of queries and of the population, the history, the catalogue and the reference run,
            if they are given.

    Raises:
        InputError: there is no such table, it has no rows, or it lacks a column that is named.
    """

    def __init__(self, request: Request, attach: Attach) -> None:
        self._request = request
        self.columns = request.columns
        self.systems = Systems(request.predictions, request.system, attach, request.scores)
        truth = None if request.truth is None else attach(request.truth, "truth")
        extra = _extra_sources(request, attach)
        judged = [truth] if truth is not None else []
        for source in (*judged, *(s for role, s in extra.items() if role != "queries")):
            if source.empty:
                raise no_rows(source)
        refuse_unknown_names(self.columns, [*self.systems.sources.values(), *extra.values(), *judged])
        self.predictions = [
            Table(f"predictions {system}", "predictions", source, system,
                  list_column(source, self.columns, "predictions", "items"))
            for system, source in self.systems
        ]  # fmt: skip
        self.truth: Table | None = None
        if truth is not None:
            listed = list_column(truth, self.columns, "truth", "relevant")
            self.truth = Table("truth", "truth", truth, listed=listed)
        self.extra = {role: self._side_table(role, source) for role, source in extra.items()}

    def _side_table(self, role: Role, source: Source) -> Table:
        has_lists = role in (HISTORY, REFERENCE)
        listed = list_column(source, self.columns, role, "items") if has_lists else None
        return Table(role, role, source, listed=listed)

    def __iter__(self) -> Iterator[Table]:
        yield from self.predictions
        if self.truth is not None:
            yield self.truth
        yield from self.extra.values()

    @property
    def cluster(self) -> str | None:
        """The attribute of the queries that intervals take as the unit, None for the query itself."""
        if self._request.inference is None:
            return None
        return self._request.inference.cluster or self.columns.names.get(CLUSTER)

    @property
    def asked(self) -> list[str]:
        """The attributes of the queries that the caller asks for: slices, then the cluster.

        Raises:
            InputError: a slice has the name of a column of the results.
        """
        cluster = [self.cluster] if self.cluster else []
        return list(dict.fromkeys([*slicing_columns(self._request.by), *cluster]))

    @property
    def labels(self) -> dict[str, str]:
        """The names of the tables in messages, by role."""
        labels = {"predictions": self.systems.label, "truth": self.systems.label}
        if self.truth is not None:
            labels["truth"] = self.truth.source.label
        return labels | {role: table.source.label for role, table in self.extra.items()}

    @property
    def words(self) -> dict[str, str]:
        """The words of advice about the tables, by role."""
        truth = self.systems.first if self.truth is None else self.truth.source
        sources = {"predictions": self.systems.first, "truth": truth}
        sources |= {role: table.source for role, table in self.extra.items()}
        return {role: source.words for role, source in sources.items()}


def _extra_sources(request: Request, attach: Attach) -> dict[Role, Source]:
    """Attach the tables next to predictions and truth."""
    extra: dict[Role, Source] = {}
    if request.queries is not None:
        extra["queries"] = attach(request.queries, "queries")
    if request.population is not None:
        try:
            extra["population"] = attach(request.population, "population")
        except InputError as error:
            raise InputError("population", error, "or choose truth, predictions or both") from error
    for role in (HISTORY, ITEMS, REFERENCE):
        if request.side_tables[role] is not None:
            extra[role] = attach(request.side_tables[role], role)
    return extra


class RankingIds:
    """The ids of queries and items, in the types that all tables have in common.

    Attributes:
        query_keys: the columns of the query id, by name of the table.
        item_keys: the columns of the item id, by name of the table.
        query_type: the type in which query ids are shown.

    Raises:
        InputError: a table lacks an id, or the ids of two tables are of different kinds.
    """

    def __init__(self, tables: RankingTables, extremes: Extremes) -> None:
        self._tables = tables
        self._extremes = extremes
        self.query_keys: dict[str, Key] = {}
        self.item_keys: dict[str, Key] = {}
        for table in tables:
            if table.has_queries:
                self.query_keys[table.name] = key_of(table.source, tables.columns, table.role, "query_id")
            if table.has_items:
                self.item_keys[table.name] = self._item_key(table)
        for column, keys in (("query_id", self.query_keys), ("item_id", self.item_keys)):
            first, *others = keys.values()
            for other in others:
                same_kind(first, other, column)
        self.query_type = _shown_type(self.query_keys)
        self._query_types = self._narrowed(self.query_keys)
        self._item_types = self._narrowed(self.item_keys)
        self.query_parts = next(iter(self.query_keys.values())).parts
        self._item_parts = next(iter(self.item_keys.values())).parts
        self.item_kinds = next(iter(self.item_keys.values())).kinds

    def query_id(self, table: Table) -> exp.Expr:
        """Write the query id of a row."""
        return key_expression(self.query_keys[table.name], self._query_types, self.query_parts)

    def item_id(self, table: Table) -> exp.Expr:
        """Write the item id of a row."""
        return key_expression(self.item_keys[table.name], self._item_types, self._item_parts)

    def unnested_item(self) -> exp.Expr:
        """Write the id of an item that was taken out of a list."""
        item, type_ = exp.column("item_id"), self._item_types[0]
        return cast_to(item, type_).as_("item_id") if type_ else item

    @property
    def of_text(self) -> frozenset[str]:
        """The ids that are text, or have a part that is text."""
        both = (("query_id", self.query_keys), ("item_id", self.item_keys))
        return frozenset(name for name, keys in both if any("text" in key.kinds for key in keys.values()))

    def _item_key(self, table: Table) -> Key:
        if table.listed is None:
            return key_of(table.source, self._tables.columns, table.role, "item_id")
        elements = items_of(table.source, table.listed)
        return key_of(elements, ColumnMap({"item_id": table.listed}), table.role, "item_id")

    def _narrowed(self, keys: Mapping[str, Key]) -> tuple[str | None, ...]:
        """Sort and join ids of 64 bits whose values fit into 32 bits as such (plan rule).

        The values stay the same, so nothing else changes. The extremes come from the statistics of Parquet
        files and tables; without statistics, nothing is narrowed.
        """
        types = common_types(list(keys.values()))
        if _shown_type(keys) not in ("BIGINT", "UBIGINT", "HUGEINT", "UINTEGER"):
            return types
        sources = {table.name: table.source for table in self._tables}
        is_narrow = all(self._is_narrow(key, sources[name]) for name, key in keys.items())
        return ("INTEGER",) if is_narrow else types

    def _is_narrow(self, key: Key, source: Source) -> bool:
        """Return whether the statistics of a table show that its ids fit into 32 bits."""
        if not values.narrow(key, source) or source.columns.get(key.parts[0]) != key.types[0]:
            return False
        low, high = self._extremes(source, key.parts[0])
        return bool(low is not None and low >= INTEGER_MIN and high <= INTEGER_MAX)


def _shown_type(keys: Mapping[str, Key]) -> str | None:
    """Return the type in which a simple id is shown, None for a composite one."""
    first = next(iter(keys.values()))
    types = common_types(list(keys.values()))
    return (types[0] or first.types[0]) if len(first.parts) == 1 else None
