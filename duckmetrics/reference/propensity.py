"""Accuracy with weights for unpopular items: one function per metric, one number per query.

A relevant item weighs 1 / p, p its propensity: the chance that an interaction with it is observed. A
popular item has a high one, so a hit on it weighs little. Every metric is divided by weights of the
same query (self-normalized), so a constant factor of p cancels. h: weights of the relevant rows among
the first k; m: weights of all relevant items of the truth. None: nothing is relevant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duckmetrics.reference.choice import choose
from duckmetrics.reference.gains import discounted_sum
from duckmetrics.reference.query import Query, is_relevant

if TYPE_CHECKING:
    from duckmetrics.reference.history import History
    from duckmetrics.reference.query import Id

__all__ = ["propensity_ndcg", "propensity_precision", "propensity_recall"]


def propensity_precision(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    propensity: str = "power",
    exponent: float = 2,
    rel: float | None = None,
) -> float | None:
    """Return PSP@k = sum of h / largest sum of k relevant items; without k: / sum of m.

    propensity: power = c^((exponent + 1) / 2) up to a factor, with the exponent of the power law
    between the interactions and the true popularity: Yang, Cui, Xuan, Wang, Belongie and Estrin, RecSys
    2018, doi:10.1145/3240323.3240355; jain = 1 / (1 + A (u + 1.5)^-0.55), A = (ln N - 1) 2.5^0.55, at
    least 0: Jain, Prabhu and Varma, KDD 2016, doi:10.1145/2939672.2939756. An item without history
    counts as one interaction of one user.
    """
    weights = _weights(query, history, propensity, exponent, rel)
    found = math.fsum(_returned(query, k, weights))
    return _ratio(found, math.fsum(_best(weights)[:k]))


def propensity_recall(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    propensity: str = "power",
    exponent: float = 2,
    rel: float | None = None,
) -> float | None:
    """Return the sum of h / sum of m; weights as in `propensity_precision`.

    The self-normalized estimator (SNIPS) of recall: Yang, Cui, Xuan, Wang, Belongie and Estrin, RecSys
    2018, doi:10.1145/3240323.3240355, equation 9.
    """
    weights = _weights(query, history, propensity, exponent, rel)
    return _ratio(math.fsum(_returned(query, k, weights)), math.fsum(weights.values()))


def propensity_ndcg(
    query: Query,
    history: History,
    *,
    k: int | None = None,
    propensity: str = "power",
    exponent: float = 2,
    rel: float | None = None,
) -> float | None:
    """Return DCG@k / IDCG@k with the weight of a relevant item as its gain and 1 / log2(rank + 1).

    The ideal list has the largest weights of m first. PSnDCG of Jain, Prabhu and Varma, KDD 2016,
    doi:10.1145/2939672.2939756; weights as in `propensity_precision`.
    """
    weights = _weights(query, history, propensity, exponent, rel)
    reached = discounted_sum(_returned(query, k, weights), "log2")
    return _ratio(reached, discounted_sum(_best(weights)[:k], "log2"))


def _weights(
    query: Query, history: History, propensity: str, exponent: float, rel: float | None
) -> dict[Id, float]:
    """Return 1 / p of every relevant item of the truth."""
    weight = choose({"power": _power, "jain": _jain}, propensity)
    return {i: weight(i, history, exponent) for i, grade in query.grades.items() if is_relevant(grade, rel)}


def _power(item: Id, history: History, exponent: float) -> float:
    return math.pow(max(1, history.interactions(item)), -(exponent + 1) / 2)


def _jain(item: Id, history: History, _: float) -> float:
    """Return 1 / p, and 1 where fewer than e users would make it smaller."""
    factor = max(0.0, math.log(max(1, history.n_users)) - 1) * math.pow(2.5, 0.55)
    return 1 + factor * math.exp(-0.55 * math.log(max(1, history.users(item)) + 1.5))


def _returned(query: Query, k: int | None, weights: dict[Id, float]) -> list[float]:
    """Return the weight at every rank up to k, 0 for what is not relevant."""
    return [weights.get(row.item, 0.0) for row in query.rows[:k]]


def _best(weights: dict[Id, float]) -> list[float]:
    return sorted(weights.values(), reverse=True)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
