"""Input of a ranking metric for one query: the ranked rows of one system, and the judgments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Id: TypeAlias = Any  # text, integer, date, UUID, ...: hashable, and ordered within its kind


@dataclass(frozen=True)
class Row:
    """A returned item; a grade of None means that nobody judged it. `columns`: what metrics of users read."""

    item: Id
    score: float
    grade: float | None
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Judged:
    """A row of the truth as it is there, with the columns that metrics of users read."""

    item: Id
    relevance: float | None
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Query:
    """The returned rows, best first (rank 1), the grade of every judged item, and the id of the query.

    `truth`: its rows of the truth, an item once or more.
    """

    rows: Sequence[Row]
    grades: Mapping[Id, float]
    query_id: Id = None
    truth: Sequence[Judged] = ()

    def top(self, k: int | None) -> list[tuple[int, Row]]:
        """Return the first k rows with their ranks; a given rank without an item is left out."""
        return [(rank, row) for rank, row in enumerate(self.rows[:k], start=1) if row.item is not None]

    def hit_ranks(self, k: int | None, rel: float | None) -> list[int]:
        """Return the ranks, from 1, of the relevant rows among the first k."""
        top = enumerate(self.rows[:k], start=1)
        return [rank for rank, row in top if is_relevant(row.grade, rel)]

    def relevant_count(self, rel: float | None) -> int:
        """Return the number of relevant items of the truth, returned or not (m in the formulas)."""
        return sum(is_relevant(grade, rel) for grade in self.grades.values())


def is_relevant(grade: float | None, rel: float | None) -> bool:
    """Return whether grade >= rel; without rel: grade > 0. An unjudged item is never relevant."""
    if grade is None:
        return False
    return grade > 0 if rel is None else grade >= rel
