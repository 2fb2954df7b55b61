"""Diversity, calibration and exposure of a list: one function per metric, one number per query.

L: the returned rows at ranks up to k; n: their number; k: cut-off, None for all rows. categories: the
set of categories of an item; an item that is not a key has none. An item spreads the weight 1 evenly
over its categories. None: the metric is undefined, as for every list without an item.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.gains import DISCOUNTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from duckmetrics.reference.history import History
    from duckmetrics.reference.query import Id, Query

    Categories: TypeAlias = Mapping[Id, frozenset[str]]
    Vectors: TypeAlias = Mapping[Id, Sequence[float]]
    Discount: TypeAlias = Callable[[int], float]

__all__ = [
    "category_distance",
    "category_diversity",
    "category_entropy",
    "exposure",
    "intra_list_distance",
    "intra_list_similarity",
    "miscalibration",
]


def category_diversity(
    query: Query, categories: Categories, *, k: int | None = None, norm: str = "k"
) -> float | None:
    """Return the number of distinct categories of L, divided by k; without k by n.

    norm: returned = divided by n, none = not divided. CategoricalDiversity of RePlay; the undivided
    number is the one of the subtopics of Zhai, Cohen and Lafferty, SIGIR 2003,
    doi:10.1145/860435.860440.
    """
    n = len(query.top(k))
    distinct = {category for item in _items(query, k) for category in categories.get(item, ())}
    divisor = choose({"k": n if k is None else k, "returned": n, "none": 1}, norm)
    return len(distinct) / divisor if n else None


def category_entropy(
    query: Query,
    categories: Categories,
    *,
    k: int | None = None,
    discount: str = "none",
    patience: float = 0.85,
    smoothing: float = 0.0,
) -> float | None:
    """Return -sum of q log2 q over the categories, q the share of a category in the weights of L.

    An item has the weight d of `exposure`. Items without a category are left out; if none is left:
    undefined. smoothing: added to the weight of every category of the catalogue (LensKit: 1e-6), so that
    they have equal weights if no item of L has a category.
    Shannon, Bell System Technical Journal 1948, doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    weights = _weights(_discounted(query, k, discount, patience), categories)
    every = frozenset().union(*categories.values()) if smoothing else weights.keys()
    smoothed = [weights[category] + smoothing for category in every] if list(query.top(k)) else []
    shares = [weight / math.fsum(smoothed) for weight in smoothed if weight]
    return math.fsum(share * math.log2(1 / share) for share in shares) if shares else None


def category_distance(
    query: Query,
    categories: Categories,
    *,
    k: int | None = None,
    divide_by: str = "pairs",
    single: str = "null",
) -> float | None:
    """Return ILD@k = mean over the pairs of L of the number of categories that one of the two has alone.

    An item without a category has the empty set. divide_by: items = the sum over pairs is divided by n.
    single: the value of one item: undefined, or 0. Ziegler, McNee, Konstan and Lausen, WWW 2005,
    doi:10.1145/1060745.1060754; IntraListDiversity of RecTools with the Hamming distance.
    """
    sets = [categories.get(item, frozenset()) for item in _items(query, k)]
    distances = [float(len(a ^ b)) for a, b in combinations(sets, 2)]
    return _over_pairs(distances, len(sets), divide_by, single) if sets else None


def intra_list_distance(
    query: Query,
    vectors: Vectors,
    *,
    k: int | None = None,
    divide_by: str = "pairs",
    single: str = "null",
    no_vector: str = "skip",
) -> float | None:
    """Return ILD@k = mean over the pairs of L of 1 - cosine of their vectors.

    no_vector: an item without a vector, or with zeros only, is left out, also of n (skip), or has the
    cosine 0 with every other item (distant: recommenders). divide_by, single: as in `category_distance`;
    single is also the value if no item is left. Zhang and Hurley, RecSys 2008,
    doi:10.1145/1454008.1454030; divide_by='items' as in evidently.
    """
    units = _units(query, vectors, k, no_vector)
    distances = [1 - cosine for cosine in _cosines(units)]
    return _over_pairs(distances, len(units), divide_by, single) if query.top(k) else None


def intra_list_similarity(
    query: Query,
    vectors: Vectors,
    *,
    k: int | None = None,
    single: str = "null",
    no_vector: str = "skip",
) -> float | None:
    """Return ILS@k = mean over the pairs of L of the cosine of their vectors, 1 - `intra_list_distance`.

    single: the value of fewer than two items: undefined, or 1 (one). no_vector: as there. Ziegler, McNee,
    Konstan and Lausen, WWW 2005, doi:10.1145/1060745.1060754.
    """
    of_single = choose({"null": None, "one": 1.0}, single)
    cosines = _cosines(_units(query, vectors, k, no_vector))
    if not cosines:
        return of_single if query.top(k) else None
    return math.fsum(cosines) / len(cosines)


def miscalibration(
    query: Query,
    history: History,
    categories: Categories,
    *,
    k: int | None = None,
    mixture: float = 0.01,
    discount: str = "none",
    patience: float = 0.85,
) -> float | None:
    """Return KL@k = sum over categories of p ln(p / ((1 - a) q + a p)).

    p: share of a category in the interactions of the user; q: its share in L, where an item has the
    weight d of `exposure`. Items without a category are left out; if p or q has nothing
    left: undefined. Steck, RecSys 2018, doi:10.1145/3240323.3240372.
    """
    liked = _shares(((item, 1.0) for item in history.items_of(query.query_id)), categories)
    shown = _shares(_discounted(query, k, discount, patience), categories)
    if not liked or not shown:
        return None
    return math.fsum(
        p * math.log(p / ((1 - mixture) * shown.get(category, 0.0) + mixture * p))
        for category, p in liked.items()
    )


def exposure(
    query: Query,
    categories: Categories,
    *,
    category: str,
    k: int | None = None,
    discount: str = "log2",
    patience: float = 0.85,
) -> float | None:
    """Return the sum of d over the items of L that have the category / sum of d over L.

    d: 1 / log2(rank + 1) (log2), 1 (none) or patience^(rank - 1) (geometric). An item counts in full for
    each of its categories. Singh and Joachims, KDD 2018, doi:10.1145/3219819.3220088.
    """
    shown = _discounted(query, k, discount, patience)
    of_all = math.fsum(weight for _, weight in shown)
    having = [weight for item, weight in shown if category in categories.get(item, ())]
    return math.fsum(having) / of_all if of_all else None


def _discounted(query: Query, k: int | None, discount: str, patience: float) -> list[tuple[Id, float]]:
    """Return the items of L with their discounts."""
    discounts: Mapping[str, Discount] = {
        "log2": DISCOUNTS["log2"],
        "none": lambda _: 1.0,
        "geometric": lambda rank: patience ** (rank - 1),
    }
    weight = choose(discounts, discount)
    return [(row.item, weight(rank)) for rank, row in query.top(k)]


def _items(query: Query, k: int | None) -> list[Id]:
    return [row.item for _, row in query.top(k)]


def _shares(weighted: Iterable[tuple[Id, float]], categories: Categories) -> dict[str, float]:
    """Return the share of every category in the weights; of items without a category: nothing."""
    sums = _weights(weighted, categories)
    total = math.fsum(sums.values())
    return {category: weight / total for category, weight in sums.items()}


def _weights(weighted: Iterable[tuple[Id, float]], categories: Categories) -> Counter[str]:
    sums: Counter[str] = Counter()
    for item, weight in weighted:
        own = categories.get(item, frozenset())
        for category in own:
            sums[category] += weight / len(own)  # type: ignore[assignment]
    return sums


def _units(query: Query, vectors: Vectors, k: int | None, no_vector: str) -> list[list[float]]:
    """Return the vectors of L with the length 1; an empty one where there is no direction."""
    keeps_all = choose({"skip": False, "distant": True}, no_vector)
    given = [[float(x) for x in vectors.get(item, ())] for item in _items(query, k)]
    units = [[x / math.hypot(*vector) for x in vector] if any(vector) else [] for vector in given]
    return [unit for unit in units if unit or keeps_all]


def _cosines(units: list[list[float]]) -> list[float]:
    return [math.fsum(x * y for x, y in zip_longest(a, b, fillvalue=0.0)) for a, b in combinations(units, 2)]


def _over_pairs(distances: list[float], n: int, divide_by: str, single: str) -> float | None:
    of_single = choose({"null": None, "zero": 0.0}, single)
    divisor = choose({"pairs": len(distances), "items": n}, divide_by)
    return math.fsum(distances) / divisor if distances else of_single
