"""The training interactions, and the popularity of items in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.reference.query import Id

__all__ = ["History"]


@dataclass(frozen=True)
class History:
    """One row (query, item) per interaction; the same row may stand there more than once.

    The popularity of an item is c, its number of interactions, or u, its number of users (queries).
    """

    rows: Sequence[tuple[Id, Id]]

    @cached_property
    def items(self) -> Sequence[Id]:
        """Return the items that have an interaction, each once."""
        return list(dict.fromkeys(item for _, item in self.rows))

    @property
    def n_interactions(self) -> int:
        """Return C, the number of all interactions."""
        return len(self.rows)

    @cached_property
    def n_users(self) -> int:
        """Return N, the number of users that have an interaction."""
        return len({query for query, _ in self.rows})

    def interactions(self, item: Id) -> int:
        """Return c, the number of interactions of an item."""
        return self._counts["interactions"][item]

    def users(self, item: Id) -> int:
        """Return u, the number of users of an item."""
        return self._counts["users"][item]

    def count(self, item: Id, popularity: str) -> int:
        """Return c or u, as popularity says; 0 for a cold item."""
        return choose(self._counts, popularity)[item]

    def largest(self, popularity: str) -> int:
        """Return the c or u of the most popular item."""
        return max(choose(self._counts, popularity).values(), default=0)

    def total(self, popularity: str) -> int:
        """Return what a popularity is a share of: C of interactions, N of users."""
        return choose({"interactions": self.n_interactions, "users": self.n_users}, popularity)

    def items_of(self, query: Id) -> Sequence[Id]:
        """Return the item of every interaction of a user."""
        return self._of_users.get(query, [])

    @cached_property
    def _counts(self) -> Mapping[str, Counter[Id]]:
        return {
            "interactions": Counter(item for _, item in self.rows),
            "users": Counter(item for _, item in set(self.rows)),
        }

    @cached_property
    def _of_users(self) -> Mapping[Id, list[Id]]:
        items = defaultdict(list)
        for query, item in self.rows:
            items[query].append(item)
        return items
