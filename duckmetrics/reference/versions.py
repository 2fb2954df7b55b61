"""A list next to that of another run: one function per metric, one number per query.

L: the items of the query at ranks up to k; B: those of the reference run at ranks up to k; n: the
number of rows of L; k: cut-off, None for all rows. An item that is returned twice has its first rank.
None: the metric is undefined, as for every query that either run has no item for.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose

if TYPE_CHECKING:
    from duckmetrics.reference.query import Id, Query

__all__ = [
    "kendall_tau",
    "least_promoted",
    "overlap",
    "rbo",
    "tau_ap",
    "top_changed",
    "unexpectedness",
]


def overlap(
    query: Query,
    reference: Query,
    *,
    k: int | None = None,
    norm: str = "k",
    reference_k: int | None = None,
    absent: str = "null",
) -> float | None:
    """Return the number of items in both L and B, divided by k; without k by n.

    norm: returned = divided by n, jaccard = divided by the number of items in L or B. reference_k: the
    cut-off of B, if it is not k. absent: the value of a query that the reference lacks. Intersection of
    RecTools (returned, zero), 1 - Unexpectedness of RePlay (k); Jaccard, New Phytologist 1912.
    """
    own, other = _ranks(query, k), _ranks(reference, reference_k or k)
    if own and not other:
        return choose({"null": None, "zero": 0.0}, absent)
    n = len(query.top(k))
    divisors = {"k": n if k is None else k, "returned": n, "jaccard": len(own.keys() | other.keys())}
    divisor = choose(divisors, norm)
    return len(own.keys() & other.keys()) / divisor if own else None


def unexpectedness(
    query: Query,
    reference: Query,
    *,
    k: int | None = None,
    norm: str = "k",
    reference_k: int | None = None,
    absent: str = "null",
) -> float | None:
    """Return 1 - `overlap`, with the norm k or returned.

    absent: the value of a query that the reference lacks: undefined, or 0 as in RePlay.
    Adamopoulos and Tuzhilin, TIST 2014, doi:10.1145/2559952, against the list that is expected;
    Unexpectedness of RePlay.
    """
    choose({"k": None, "returned": None}, norm)
    if query.top(k) and not reference.top(None):
        return choose({"null": None, "zero": 0.0}, absent)
    shared = overlap(query, reference, k=k, norm=norm, reference_k=reference_k)
    return None if shared is None else 1 - shared


def rbo(
    query: Query,
    reference: Query,
    *,
    k: int | None = None,
    p: float = 0.9,
    rest: str = "extrapolated",
) -> float | None:
    """Return RBO@k = (1 - p) * sum over depths d of p^(d - 1) X(d) / d, X(d) the items of both up to d.

    rest: what follows the last rank. truncated = nothing. normalized = the sum goes on to k, if k is
    given, and is divided by 1 - p^depth, so that two equal lists of k items have 1 (LensKit).
    extrapolated = the agreement goes on as it was, for lists of s and l >= s ranks:
    (1 - p) / p * (sum up to l of X(d) / d p^d + sum from s + 1 to l of X(s) (d - s) / (s d) p^d)
    + ((X(l) - X(s)) / l + X(s) / s) p^l. Webber, Moffat and Zobel, TOIS 2010,
    doi:10.1145/1852102.1852106, equation 32.
    """
    own, other = _ranks(query, k), _ranks(reference, k)
    if not own or not other:
        return None
    short, long = sorted([_last(query, k), _last(reference, k)])
    deepest = [max(own[item], other[item]) for item in own.keys() & other.keys()]
    common = {d: sum(depth <= d for depth in deepest) for d in range(1, max(long, k or 0) + 1)}

    def up_to(depth: int) -> float:
        return (1 - p) * math.fsum(common[d] / d * p ** (d - 1) for d in range(1, depth + 1))

    beyond = common[short] / short
    unseen = (1 - p) * math.fsum(beyond * (d - short) / d * p ** (d - 1) for d in range(short + 1, long + 1))
    depth = long if k is None else k
    values = {
        "extrapolated": up_to(long) + unseen + ((common[long] - common[short]) / long + beyond) * p**long,
        "truncated": up_to(long),
        "normalized": up_to(depth) / (1 - p**depth),
    }
    return choose(values, rest)


def kendall_tau(query: Query, reference: Query, *, k: int | None = None) -> float | None:
    """Return tau-a = (concordant - discordant pairs) / pairs, of the items in both L and B.

    Fewer than two such items: undefined. Kendall, Biometrika 1938, doi:10.1093/biomet/30.1-2.81.
    """
    own, other = _ranks(query, k), _ranks(reference, k)
    signs = [
        math.copysign(1, (own[a] - own[b]) * (other[a] - other[b]))
        for a, b in combinations(own.keys() & other.keys(), 2)
    ]
    return math.fsum(signs) / len(signs) if signs else None


def tau_ap(query: Query, reference: Query, *, k: int | None = None) -> float | None:
    """Return 2 / (m - 1) * sum over i = 2 to m of a(i) / (i - 1), minus 1, of the m items in both.

    The items are in the order of L; a(i): those above the i-th that are above it in the reference too.
    So an exchange at the top costs more. Fewer than two such items: undefined. Yilmaz, Aslam and
    Robertson, SIGIR 2008, doi:10.1145/1390334.1390435.
    """
    own, other = _ranks(query, k), _ranks(reference, k)
    places = [other[item] for item in sorted(own.keys() & other.keys(), key=own.__getitem__)]
    if len(places) < 2:
        return None
    right = [sum(above < place for above in places[:i]) / i for i, place in enumerate(places) if i]
    return 2 / (len(places) - 1) * math.fsum(right) - 1


def top_changed(query: Query, reference: Query) -> float | None:
    """Return 1 if the first item is not that of the reference, else 0.

    Undefined if there is no item at rank 1.
    1 - `overlap` of the lists of one item: Fagin, Kumar and Sivakumar, SIAM Journal on Discrete
    Mathematics 2003, doi:10.1137/S0895480102412856.
    """
    own, other = query.top(1), reference.top(None)
    return float(own[0][1].item != other[0][1].item) if own and other else None


def least_promoted(
    query: Query, reference: Query, *, k: int | None = None, start: str = "rank"
) -> float | None:
    """Return the largest rise: the rank in the whole reference minus the rank, over the items of L.

    An item that the reference lacks counts there as its last rank + 1. start: cutoff = the number of
    ranks between k and the deepest reference rank of an item in L, at least 0, without the items that
    the reference lacks (without k: from the last rank of L). Least item promoted (LIP) of LensKit
    2025 (cutoff).
    """
    own, other = _ranks(query, k), _ranks(reference, None)
    if not own or not other:
        return None
    absent = _last(reference, None) + 1
    cut = _last(query, k) if k is None else k
    deepest = max((other[item] for item in own if item in other), default=0)
    jumps = {
        "rank": max(other.get(item, absent) - rank for item, rank in own.items()),
        "cutoff": max(0, deepest - 1 - cut),
    }
    return float(choose(jumps, start))


def _ranks(query: Query, k: int | None) -> dict[Id, int]:
    """Return the first rank of every item up to k."""
    return {row.item: rank for rank, row in reversed(query.top(k))}


def _last(query: Query, k: int | None) -> int:
    """Return the last rank up to k."""
    return len(query.rows[:k])
