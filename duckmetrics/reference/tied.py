"""Means of ranking metrics over all orders of equal scores, group by group.

McSherry and Najork, "Computing information retrieval performance measures efficiently in the presence of
tied scores", ECIR 2008. A group of t equal scores with r relevant rows has the ranks from `first` on.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.reference.query import Query, is_relevant

if TYPE_CHECKING:
    from collections.abc import Iterator


class Group(NamedTuple):
    """Rows of equal scores: the first rank, their number, the relevant ones, and those ahead of the group."""

    first: int
    size: int
    relevant: int
    ahead: int

    def within(self, k: int | None) -> int:
        """Return the number of ranks of the group up to k."""
        return self.size if k is None else min(max(k - self.first + 1, 0), self.size)


def groups(query: Query, rel: float | None) -> Iterator[Group]:
    first, ahead = 1, 0
    for _, rows in groupby(query.rows, key=lambda row: row.score):
        relevant = [is_relevant(row.grade, rel) for row in rows]
        yield Group(first, len(relevant), sum(relevant), ahead)
        first, ahead = first + len(relevant), ahead + sum(relevant)


def mean_hits(query: Query, k: int | None, rel: float | None) -> float:
    """Return the mean of hypergeometric distributions: of each group, as many rows are drawn as fit."""
    return math.fsum(g.relevant * g.within(k) / g.size for g in groups(query, rel))


def chance_of_a_hit(query: Query, k: int | None, rel: float | None) -> float:
    """Return 1 - the share of the draws without a relevant row."""
    drawn = [(g.size, g.relevant, g.within(k)) for g in groups(query, rel)]
    return 1 - math.prod(math.comb(t - r, taken) / math.comb(t, taken) for t, r, taken in drawn)


def mean_reciprocal_rank(query: Query, k: int | None, rel: float | None) -> float:
    """Return the mean over the place of the first relevant row in the first group that has one."""
    for group in groups(query, rel):
        if group.relevant:
            t, r = group.size, group.relevant
            return math.fsum(
                math.comb(t - ahead - 1, r - 1) / math.comb(t, r) / (group.first + ahead)
                for ahead in range(min(t - r + 1, group.within(k)))
            )
    return 0.0


def mean_precisions(query: Query, k: int | None, rel: float | None) -> float:
    """Return the mean of the sum of the precisions at the ranks of the hits."""
    return math.fsum(
        r / t * (hits + 1 + (place * (r - 1) / (t - 1) if t > 1 else 0)) / (first + place)
        for first, t, r, hits in groups(query, rel)
        for place in range(Group(first, t, r, hits).within(k))
    )
