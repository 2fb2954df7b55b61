"""The tables that some metrics read in addition to predictions and truth."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.history import History
from duckmetrics.reference.query import Query
from duckmetrics.reference.tables import ranked_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from duckmetrics.reference.query import Id
    from duckmetrics.reference.switches import Switches
    from duckmetrics.reference.tables import Judgments, Lists


@dataclass(frozen=True)
class ExtraTables:
    """A table is None if the caller does not have it; without a catalogue: the items of the history.

    history: rows (query, item). categories: the categories of an item. vectors: its vector. catalog: all
    items. reference: rows (query, item, score) of another run, ranked by the switches of the predictions.
    """

    history: Iterable[tuple[Id, Id]] | None = None
    categories: Mapping[Id, Collection[str]] | None = None
    vectors: Mapping[Id, Sequence[float]] | None = None
    catalog: Collection[Id] | None = None
    reference: Iterable[tuple[Id, Id, float]] | None = None

    @classmethod
    def split(cls, params: dict[str, Any]) -> tuple[ExtraTables, dict[str, Any]]:
        """Separate the tables from the other keyword arguments."""
        names = {field.name for field in fields(cls)}
        others = {name: value for name, value in params.items() if name not in names}
        return cls(**{name: params[name] for name in params.keys() & names}), others

    def of(
        self, metric: Callable[..., Any], judged: Judgments, switches: Switches
    ) -> Callable[[Id], list[Any]]:
        """Return the function from a query to the tables that a metric asks for, in its order.

        Raises:
            TypeError: the metric asks for a table that is not given.
        """
        asked = asked_for(metric)
        tables: dict[str, Any] = {"categories": self.categories, "vectors": self.vectors}
        if self.history is not None and {"history", "catalog"} & set(asked):
            tables["history"] = History(list(self.history))
        tables["catalog"] = self.catalog
        if self.catalog is None and "history" in tables:
            tables["catalog"] = tables["history"].items
        if self.categories is not None:
            tables["categories"] = {item: frozenset(own) for item, own in self.categories.items()}
        lists: Lists = {}
        if self.reference is not None and "reference" in asked:
            tables["reference"] = lists = ranked_lists(
                [("", *row) for row in self.reference], judged, switches
            )
        missing = [name for name in asked if tables.get(name) is None]
        if missing:
            raise TypeError(f"{metric.__name__} reads {', '.join(missing)}, which is not given")

        def of_query(query_id: Id) -> list[Any]:
            reference = Query(lists.get(("", query_id), []), judged.get(query_id, {}), query_id)
            return [reference if name == "reference" else tables[name] for name in asked]

        return of_query


def asked_for(metric: Callable[..., Any]) -> list[str]:
    """Return the names of the tables in the signature of a metric: what stands between query and *."""
    parameters = inspect.signature(metric).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind == parameter.POSITIONAL_OR_KEYWORD][
        1:
    ]
