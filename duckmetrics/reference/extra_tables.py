"""The tables that some metrics read in addition to predictions and truth."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
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
    reference_by_rank: whether its scores are negative ranks, which are taken as they are given.
    """

    history: Iterable[tuple[Id, Id]] | None = None
    categories: Mapping[Id, Collection[str]] | None = None
    vectors: Mapping[Id, Sequence[float]] | None = None
    catalog: Collection[Id] | None = None
    reference: Iterable[tuple[Id, Id, float]] | None = None
    reference_by_rank: bool = False

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
        history = None if self.history is None else History(list(self.history))
        known = history.items if self.catalog is None and history is not None else self.catalog
        tables: dict[str, Any] = {"history": history, "vectors": self.vectors, "catalog": known}
        if self.categories is not None:
            tables["categories"] = {item: frozenset(own) for item, own in self.categories.items()}
        if self.reference is not None:
            tables["reference"] = self._reference_lists(judged, switches)
        missing = [name for name in asked if tables.get(name) is None]
        if missing:
            raise TypeError(f"{metric.__name__} reads {', '.join(missing)}, which is not given")

        def of_query(query_id: Id) -> list[Any]:
            of_name = dict(tables)
            if self.reference is not None:
                rows = tables["reference"].get(("", query_id), [])
                of_name["reference"] = Query(rows, judged.get(query_id, {}), query_id)
            return [of_name[name] for name in asked]

        return of_query

    def _reference_lists(self, judged: Judgments, switches: Switches) -> Lists:
        rows = [("", *row) for row in self.reference or ()]
        return ranked_lists(rows, judged, replace(switches, by_rank=self.reference_by_rank))


def asked_for(metric: Callable[..., Any]) -> list[str]:
    """Return the names of the tables in the signature of a metric: what stands between query and *."""
    _, *others = inspect.signature(metric).parameters.values()
    return [other.name for other in others if other.kind == other.POSITIONAL_OR_KEYWORD]
