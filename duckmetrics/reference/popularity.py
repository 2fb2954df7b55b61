"""Popularity, novelty and serendipity of a list: one function per metric, one number per query.

L: the returned rows at ranks up to k; n: their number; c, u: interactions and users of an item in the
history; C, N: all interactions and all users; k: cut-off, None for all rows. A cold item has no
history. norm: the sum is divided by n ('returned'; cold='skip': by the number of the others) or by k
('k'; without k: by n). None: the metric is undefined, as for every list without an item, or with none
that is left.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.gains import DISCOUNTS
from duckmetrics.reference.query import Query, is_relevant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from duckmetrics.reference.history import History
    from duckmetrics.reference.query import Id

__all__ = [
    "average_popularity",
    "efd",
    "epc",
    "long_tail_count",
    "long_tail_share",
    "popularity_percentile",
    "repeated_share",
    "self_information",
    "serendipity",
    "unseen_share",
]


def average_popularity(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    scale: str = "count",
    cold: str = "zero",
    norm: str = "returned",
) -> float | None:
    """Return ARP@k = mean over L of the popularity c or u.

    scale: share = c / C or u / N, max = divided by the popularity of the most popular item. cold: zero
    = popularity 0, skip = left out of the mean. Yin, Cui, Li, Yao and Chen, VLDB 2012, arXiv:1205.6700;
    the scales as in RecTools (share) and evidently (max, skip).
    """
    scales = {"count": 1, "share": history.total(popularity), "max": history.largest(popularity)}
    whole = choose(scales, scale)
    counts = [history.count(item, popularity) for item in _known(query, history, k, cold, "zero")]
    return _mean(query, [count / whole for count in counts], k, norm) if whole else None


def long_tail_share(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    tail: str = "interactions",
    boundary: float = 0.8,
    cold: str = "tail",
    norm: str = "returned",
) -> float | None:
    """Return APLT@k = number of items of L in the long tail / n.

    tail: interactions = all but the head, which is the shortest run of the most popular items with the
    share `boundary` of all interactions (equal ones: lowest item first); items = the floor((1 - boundary)
    I) least popular of the I items, at least one (equal ones: lowest item first); count = items with
    c <= boundary. popularity: users = u in place of c, and the sum of u in place of C. cold: a cold item is
    in the tail, or in the head. Abdollahpouri, Burke and Mobasher, FLAIRS 2019, arXiv:1901.07555; the tails
    as in Elliot (interactions, users) and RecBole.
    """
    in_tail = _in_tail(query, history, k, popularity, tail, boundary, cold)
    return _mean(query, [float(yes) for yes in in_tail], k, norm)


def long_tail_count(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    tail: str = "interactions",
    boundary: float = 0.8,
    cold: str = "tail",
) -> float | None:
    """Return ACLT@k = number of items of L in the long tail, as in `long_tail_share`.

    Abdollahpouri, Burke and Mobasher, FLAIRS 2019, arXiv:1901.07555.
    """
    in_tail = _in_tail(query, history, k, popularity, tail, boundary, cold)
    return float(sum(in_tail)) if in_tail else None


def self_information(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "users",
    cold: str = "one",
    scale: str = "bits",
    norm: str = "returned",
) -> float | None:
    """Return MIUF@k = mean over L of -log2 p with p = u / N (users) or c / C (interactions).

    cold: one = as one user or interaction, skip = left out of the mean. scale: max = divided by log2 N
    or log2 C, the most that an item can have. Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang, PNAS 2010,
    doi:10.1073/pnas.1000488107; MIUF of RecTools, Surprisal of RePlay (max), novelty of evidently (skip).
    """
    total = history.total(popularity)
    if not total:
        return None
    items = _known(query, history, k, cold, "one")
    bits = [math.log2(total / max(1, history.count(item, popularity))) for item in items]
    unit = choose({"bits": 1.0, "max": math.log2(total)}, scale)
    return _mean(query, [value / unit for value in bits], k, norm) if unit else None


def popularity_percentile(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "users",
    cold: str = "zero",
    norm: str = "returned",
) -> float | None:
    """Return the mean over L of r / I, r the rank of the popularity among the I items of the history.

    r is 1 for the least popular item; items of the same popularity have the mean of their ranks. cold:
    zero = quantile 0, skip = left out of the mean. Ekstrand and Mahant, FLAIRS 2017; MeanPopRank of
    LensKit.
    """
    counts = [history.count(item, popularity) for item in history.items]
    quantiles = []
    for item in _known(query, history, k, cold, "zero"):
        own = history.count(item, popularity)
        below, equal = sum(c < own for c in counts), sum(c == own for c in counts)
        quantiles.append((below + (equal + 1) / 2) / len(counts) if own else 0.0)
    return _mean(query, quantiles, k, norm)


def epc(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    relevance: str = "truth",
    popularity: str = "users",
    rel: float | None = None,
) -> float | None:
    """Return EPC@k = sum over L of d rel (1 - p) / sum over L of d, with d = 1 / log2(rank + 1).

    p = u / N (users) or c / C (interactions), 0 for a cold item; rel: 1 if the item is relevant, else 0;
    relevance='none': 1. Vargas and Castells, RecSys 2011, doi:10.1145/2043932.2043955, normalized as in
    Elliot.
    """
    total = history.total(popularity)
    if not total:
        return None
    novelty = {row.item: 1 - history.count(row.item, popularity) / total for _, row in query.top(k)}
    return _discounted_mean(query, k, novelty, relevance, rel)


def efd(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    relevance: str = "truth",
    popularity: str = "interactions",
    cold: str = "one",
    rel: float | None = None,
) -> float | None:
    """Return EFD@k = sum over L of d rel (-log2 p) / sum over L of d; letters as in `epc`.

    cold: one = as one user or interaction, least = as the least popular item of the history (Elliot),
    skip = left out of both sums. Vargas and Castells, RecSys 2011, doi:10.1145/2043932.2043955.
    """
    total = history.total(popularity)
    least = min((history.count(item, popularity) for item in history.items), default=1)
    unknown = choose({"one": 1, "least": least, "skip": None}, cold)
    counts = {row.item: history.count(row.item, popularity) or unknown for _, row in query.top(k)}
    novelty = {item: math.log2(total / count) for item, count in counts.items() if count and total}
    return _discounted_mean(query, k, novelty, relevance, rel)


def unseen_share(
    query: Query, history: History, *, k: int | None = None, norm: str = "returned"
) -> float | None:
    """Return the number of items of L that are not in the user's own history, divided by n.

    A user without history has seen nothing: 1. Castells, Vargas and Wang, DDR at ECIR 2011; Novelty of
    RePlay.
    """
    seen = set(history.items_of(query.query_id))
    return _mean(query, [float(row.item not in seen) for _, row in query.top(k)], k, norm)


def repeated_share(
    query: Query, history: History, *, k: int | None = None, norm: str = "returned"
) -> float | None:
    """Return the number of items of L that are in the user's own history, divided by n.

    The rest of `unseen_share` where the sum is divided by n. Castells, Vargas and Wang, DDR at ECIR 2011.
    """
    seen = set(history.items_of(query.query_id))
    return _mean(query, [float(row.item in seen) for _, row in query.top(k)], k, norm)


def serendipity(
    query: Query,
    history: History,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    norm: str = "returned",
    rel: float | None = None,
) -> float | None:
    """Return the mean over L of max(p_rank - p_popular, 0) rel, rel: 1 if the item is relevant, else 0.

    With M items in the catalogue, p_rank = (M + 1 - rank) / M and p_popular = (M + 1 - r) / M; r is the
    dense rank of c, 1 for the largest; p_popular = 0 for a cold item. Serendipity of RecTools, after
    Lab41, "Recommender Systems: It's Not All About the Accuracy", 2016.
    """
    size = len(set(catalog))
    counts = {history.interactions(item) for item in history.items}
    terms = []
    for rank, row in query.top(k):
        own = history.interactions(row.item)
        popular = size + 1 - sum(count >= own for count in counts) if own else 0
        ahead = max(size + 1 - rank - popular, 0) / size
        terms.append(ahead * is_relevant(row.grade, rel))
    return _mean(query, terms, k, norm)


def _known(query: Query, history: History, k: int | None, cold: str, kept: str) -> list[Id]:
    """Return the items of L; cold='skip': those with a history, and `kept` is the other word."""
    keeps_cold = choose({kept: True, "skip": False}, cold)
    return [row.item for _, row in query.top(k) if keeps_cold or history.interactions(row.item)]


def _mean(query: Query, values: Sequence[float], k: int | None, norm: str) -> float | None:
    """Return the mean over the items that have a value; norm='k': over k, without k over n."""
    slots = choose({"returned": len(values), "k": len(query.top(None)) if k is None else k}, norm)
    return math.fsum(values) / slots if values else None


def _discounted_mean(
    query: Query, k: int | None, novelty: dict[Id, float], relevance: str, rel: float | None
) -> float | None:
    counts_all = choose({"truth": False, "none": True}, relevance)
    discounts, gains = [], []
    for rank, row in query.top(k):
        if row.item in novelty:
            discounts.append(DISCOUNTS["log2"](rank))
            gains.append(discounts[-1] * novelty[row.item] * (counts_all or is_relevant(row.grade, rel)))
    return math.fsum(gains) / math.fsum(discounts) if discounts else None


def _in_tail(
    query: Query, history: History, k: int | None, popularity: str, tail: str, boundary: float, cold: str
) -> list[bool]:
    long_tail, known = tail_of(history, popularity, tail, boundary), set(history.items)
    unknown = choose({"tail": True, "head": False}, cold)
    return [row.item in long_tail if row.item in known else unknown for _, row in query.top(k)]


def tail_of(history: History, popularity: str, tail: str, boundary: float) -> set[Id]:
    """Return the items of the long tail, see `long_tail_share`."""
    counts = {item: history.count(item, popularity) for item in history.items}
    items = choose({"interactions": _beyond_the_head, "items": _least, "count": _rare}, tail)
    return set(items(counts, boundary))


def _beyond_the_head(counts: Mapping[Id, int], boundary: float) -> Iterable[Id]:
    """Return the items below a head that already has its share of interactions.

    The share is divided out before it is compared: 11 of 20 are 0.55, but 0.55 * 20 is above 11.
    """
    above, total = 0, sum(counts.values())
    for item in sorted(counts, key=lambda item: (-counts[item], item)):
        if above / total >= boundary:
            yield item
        above += counts[item]


def _least(counts: Mapping[Id, int], boundary: float) -> Iterable[Id]:
    """Return the items with the share `boundary` of all items above them, and the least popular one."""
    ascending = sorted(counts, key=lambda item: (counts[item], item))
    for place, item in enumerate(ascending, start=1):
        if place == 1 or (len(ascending) - place) / len(ascending) >= boundary:
            yield item


def _rare(counts: Mapping[Id, int], boundary: float) -> Iterable[Id]:
    return (item for item, count in counts.items() if count <= boundary)
