"""Metrics of all lists of a system together: one function per metric, one number per system.

lists: query -> its list, with at least one returned row; k: cut-off, None for all rows; x: the number of
lists with an item among the first k; X: the sum of all x. None: the metric is undefined, as where no list
has an item.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.popularity import tail_of
from duckmetrics.reference.query import Query, is_relevant

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from duckmetrics.reference.history import History
    from duckmetrics.reference.query import Id

    Lists = Mapping[Id, Query]

__all__ = [
    "coverage",
    "effective_catalog_size",
    "evenness",
    "gini",
    "item_novelty",
    "personalization",
    "pop_reo",
    "pop_rsp",
    "score_psi",
    "shannon_entropy",
]


def coverage(
    lists: Lists,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    over: str = "catalog",
    scale: str = "share",
    padding: int = 0,
) -> float | None:
    """Return the share of the catalogue that is in a list, or the number of items.

    over: items of the catalogue, or all recommended items. padding: further items of the catalogue. Ge,
    Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761.
    """
    exposed = _exposures(lists, k, "none", 1)
    counted = choose({"catalog": exposed.keys() & set(catalog), "recommended": exposed.keys()}, over)
    whole = choose({"share": len(set(catalog)) + padding, "count": 1}, scale)
    return len(counted) / whole if exposed and whole else None


def gini(
    lists: Lists,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    over: str = "catalog",
    denominator: str = "n",
    padding: int = 0,
    discount: str = "none",
    patience: float = 0.85,
) -> float | None:
    """Return the mean absolute difference of two exposures over twice their mean.

    That is sum (2i - n - 1) e_i / (n sum e_i), the exposures e ascending. over: items of the catalogue, or
    all recommended items. padding: further items without exposure. Fleder and Hosanagar, Management
    Science 2009, doi:10.1287/mnsc.1080.0974; the exposures of ranks as in LensKit.
    """
    exposed = _exposures(lists, k, discount, patience)
    items = choose({"catalog": set(catalog), "recommended": exposed.keys()}, over)
    found = sorted([exposed.get(item, 0.0) for item in items] + [0.0] * padding)
    n = len(found)
    weighted = math.fsum((2 * i - n - 1) * e for i, e in enumerate(found, start=1))
    divisor = choose({"n": n, "n_minus_1": n - 1}, denominator) * math.fsum(found)
    return weighted / divisor if divisor else None


def evenness(
    lists: Lists,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    over: str = "catalog",
    denominator: str = "n",
    padding: int = 0,
    discount: str = "none",
    patience: float = 0.85,
) -> float | None:
    """Return 1 - the Gini index. Vargas and Castells, RecSys 2014, doi:10.1145/2645710.2645744."""
    value = gini(
        lists, catalog, k=k, over=over, denominator=denominator, padding=padding,
        discount=discount, patience=patience,
    )  # fmt: skip
    return None if value is None else 1 - value


def shannon_entropy(
    lists: Lists,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    unit: str = "bits",
    scale: str = "none",
    weights: str = "items",
) -> float | None:
    """Return the mean of -log(x / X) over all recommendations: the entropy of the items.

    weights: lists = the mean over lists of the means over their items, as in Elliot. scale: items = divided
    by the number of recommended items, as in RecBole, max = by the logarithm of the size of the catalogue.
    """
    counts = _exposures(lists, k, "none", 1)
    log = choose({"bits": math.log2, "nats": math.log}, unit)
    places = math.fsum(counts.values())
    terms = [[-log(counts[row.item] / places) for _, row in query.top(k)] for query in lists.values()]
    means = [math.fsum(own) / len(own) for own in terms if own]
    if not means:
        return None
    everything = [term for own in terms for term in own]
    values = choose({"items": everything, "lists": means}, weights)
    divisor = choose({"none": 1.0, "items": len(counts), "max": log(len(set(catalog)) or 1)}, scale)
    return math.fsum(values) / len(values) / divisor if divisor else None


def effective_catalog_size(
    lists: Lists,
    catalog: Collection[Id],
    *,
    k: int | None = None,
    kind: str = "rank",
    over: str = "recommended",
) -> float | None:
    """Return 2 sum i p_i - 1, with the shares p of the items descending; kind='entropy': e to the entropy.

    Gomez-Uribe and Hunt, ACM TMIS 2015, doi:10.1145/2843948.
    """
    exposed = _exposures(lists, k, "none", 1)
    items = choose({"catalog": exposed.keys() & set(catalog), "recommended": exposed.keys()}, over)
    found = sorted((exposed[item] for item in items), reverse=True)
    if not found:
        return None
    shares = [e / math.fsum(found) for e in found]
    by_rank = 2 * math.fsum(i * p for i, p in enumerate(shares, start=1)) - 1
    return choose({"rank": by_rank, "entropy": math.exp(-math.fsum(p * math.log(p) for p in shares))}, kind)


def personalization(lists: Lists, *, k: int | None = None, norm: str = "returned") -> float | None:
    """Return 1 - the items that two lists have in common, over all pairs, as a share of the lists.

    norm: returned = the items in common over the mean length of the two lists, both summed over all pairs;
    k = the mean over pairs of the items in common / k; full_k = as evidently, which takes n k for the items
    that the n lists have in common with themselves.
    """
    items = [Counter(row.item for _, row in query.top(k)) for query in lists.values()]
    items = [own for own in items if own]
    pairs = list(combinations(items, 2))
    if not pairs:
        return None
    shared = sum(one[item] * other[item] for one, other in pairs for item in one)
    repeated = sum(count * (count - 1) for own in items for count in own.values()) / 2
    if norm == "returned":
        return 1 - (shared + repeated) / (sum(own.total() + other.total() for own, other in pairs) / 2)
    if k is None:
        raise ValueError(f"norm={norm!r} needs a cut-off k")
    places = sum(own.total() for own in items)
    excess = choose({"k": 0.0, "full_k": (len(items) * k - places) / 2}, norm)
    return 1 - (shared + repeated - excess) / (k * len(pairs))


def item_novelty(
    lists: Lists,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    cold: str = "zero",
) -> float | None:
    """Return the mean over all recommendations of -log2(c / C), or of -log2(u / N).

    cold: zero = novelty 0, one = as one interaction, skip = left out. recommenders, novelty.
    """
    novelties = []
    for query in lists.values():
        for _, row in query.top(k):
            count = history.count(row.item, popularity)
            if count or cold != "skip":
                absent = choose({"zero": history.total(popularity), "one": 1, "skip": 0}, cold)
                novelties.append(math.log2(history.total(popularity) / (count or absent)))
    return math.fsum(novelties) / len(novelties) if novelties else None


def pop_rsp(
    lists: Lists,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    tail: str = "interactions",
    boundary: float = 0.8,
) -> float | None:
    """Return the difference of head and tail in how often a user's unknown item is recommended.

    Zhu, Wang and Caverlee, SIGIR 2020, doi:10.1145/3397271.3401177.
    """
    known = set(history.items)
    wanted = dict.fromkeys(lists, known)
    return _disparity(lists, history, wanted, k, tail_of(history, popularity, tail, boundary))


def pop_reo(
    lists: Lists,
    history: History,
    *,
    k: int | None = None,
    popularity: str = "interactions",
    tail: str = "interactions",
    boundary: float = 0.8,
    rel: float | None = None,
) -> float | None:
    """Return the difference of head and tail in how often a relevant item is recommended.

    Zhu, Wang and Caverlee, SIGIR 2020, doi:10.1145/3397271.3401177.
    """
    known = set(history.items)
    wanted = {
        query_id: {item for item, grade in query.grades.items() if is_relevant(grade, rel)} & known
        for query_id, query in lists.items()
    }
    return _disparity(lists, history, wanted, k, tail_of(history, popularity, tail, boundary))


def score_psi(
    lists: Lists, reference: Lists, *, k: int | None = None, bins: int = 10, smallest: float = 0.0001
) -> float | None:
    """Return sum over bins of (a - b) ln(a / b), a the shares of the scores, b those of the reference run.

    The bins end at the 1/bins, 2/bins, ... quantiles of the reference's scores. smallest: the least share of
    a bin. Siddiqi, Credit Risk Scorecards, Wiley 2006.
    """
    new = [row.score for query in lists.values() for _, row in query.top(k)]
    old = sorted(row.score for query_id in lists if query_id in reference
                 for _, row in reference[query_id].top(k))  # fmt: skip
    if not new or not old:
        return None
    edges = sorted({old[-(-b * len(old) // bins) - 1] for b in range(1, bins)})
    counts = [Counter(bisect_left(edges, score) for score in scores) for scores in (new, old)]
    total = 0.0
    for place in range(len(edges) + 1):
        a, b = (max(found[place] / found.total(), smallest) for found in counts)
        total += (a - b) * math.log(a / b)
    return total


def _exposures(lists: Lists, k: int | None, discount: str, patience: float) -> dict[Id, float]:
    """Return the exposure of every recommended item: x, or a sum of weights of ranks."""
    found: dict[Id, list[float]] = defaultdict(list)
    for query in lists.values():
        for rank, row in query.top(k):
            weights = {"none": 1.0, "log2": 1 / math.log2(rank + 1), "geometric": patience ** (rank - 1)}
            found[row.item].append(choose(weights, discount))
    return {item: math.fsum(weights) for item, weights in found.items()}


def _disparity(
    lists: Lists,
    history: History,
    wanted: Mapping[Id, Collection[Id]],
    k: int | None,
    tail: Collection[Id],
) -> float | None:
    """Return the population standard deviation over the mean of two shares: those of head and tail.

    wanted: the items of the history that a user can get; the own ones are taken out here.
    """
    found, possible = [0, 0], [0, 0]
    for query_id, query in lists.items():
        returned = {row.item for _, row in query.top(k)}
        for item in set(wanted[query_id]) - set(history.items_of(query_id)):
            possible[item in tail] += 1
            found[item in tail] += item in returned
    if not all(possible) or not any(found):
        return None
    head, rest = (n / of for n, of in zip(found, possible, strict=True))
    return abs(head - rest) / (head + rest)
