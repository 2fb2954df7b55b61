"""The values of the record in closed form: from counts of pairs, sums of logarithms and ten kinds of lists.

`data/clicks.sql` and `data/recommendations.sql` describe the rows.
"""

from __future__ import annotations

import math
from statistics import NormalDist, fmean

TENTHS = range(10)
# The clicks of an even and an odd user among the 100 rows in each tenth of the scores.
CLICKS = ([5 + 9 * d for d in TENTHS], [3 + 6 * d for d in TENTHS])
ROWS, LIST = 1000, 100


def of_clicks(users: int) -> dict[str, float]:
    """Return the metrics of an even number of users."""
    rate = sum(map(sum, CLICKS)) / (2 * ROWS)
    loss = log_loss(users)
    observed = [(even + odd) / 200 for even, odd in zip(*CLICKS, strict=True)]
    return {
        "auc": auc(users), "log_loss": loss,
        "normalized_entropy": loss / -(rate * math.log(rate) + (1 - rate) * math.log(1 - rate)),
        "ece": fmean(abs((d + 0.5) / 10 - observed[d]) for d in TENTHS),
        "gauc": fmean(map(auc_of_user, (0, 1))),
    }  # fmt: skip


def auc(users: int) -> float:
    """Count the pairs of a click and a lower row without a click."""
    half = users // 2
    (even, odd), pairs, below = CLICKS, 0, 0
    for d in TENTHS:
        pairs += half * (even[d] + odd[d]) * below
        # Below user 2m of a tenth are m even and m odd users, below user 2m + 1 is one even user more.
        earlier = half * (half - 1) // 2
        rest = (100 - even[d]) + (100 - odd[d])
        pairs += (even[d] + odd[d]) * rest * earlier + half * odd[d] * (100 - even[d])
        # The clicks of an odd user are above the user's own other rows.
        pairs += half * odd[d] * (100 - odd[d])
        below += half * rest
    clicks = half * sum(map(sum, CLICKS))
    return pairs / (clicks * (users * ROWS - clicks))


def auc_of_user(kind: int) -> float:
    """Return the AUC of an even (0) or odd (1) user."""
    pairs, below = 0, 0
    for clicks in CLICKS[kind]:
        pairs += clicks * (below + kind * (100 - clicks))
        below += 100 - clicks
    return pairs / (sum(CLICKS[kind]) * below)


def gauc_bounds(users: int, level: float) -> tuple[float, float]:
    """Return the interval of GAUC: users are independent, half of them have each of two values."""
    even, odd = map(auc_of_user, (0, 1))
    value = (even + odd) / 2
    error = abs(even - odd) / 2 / math.sqrt(users - 1)
    z, df = NormalDist().inv_cdf((1 + level) / 2), users - 1
    # The quantile of Student's t, by its expansion for many degrees of freedom.
    t = z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3)
    center, width = math.log(value / (1 - value)), t * error / (value * (1 - value))
    return 1 / (1 + math.exp(width - center)), 1 / (1 + math.exp(-width - center))


def log_loss(users: int) -> float:
    """Sum the logarithms of the scores of clicks, and of the complements of the other scores."""
    half, rows = users // 2, users * ROWS
    sums = []
    for kind, clicks in enumerate(CLICKS):
        for d in TENTHS:
            for place in range(100):
                clicked = place < clicks[d] if kind == 0 else place >= 100 - clicks[d]
                first = (d * users + kind) * 100 + place + 0.5
                # Scores are first / rows, (first + 200) / rows, ...; the complements go down by as much.
                lowest = first if clicked else rows - first - 200 * (half - 1)
                sums.append(_logarithms(lowest / 200, half))
    return math.log(rows / 200) - math.fsum(sums) / rows


def _logarithms(x: float, n: int) -> float:
    """Return ln x + ln (x + 1) + ... of n terms."""
    return math.lgamma(x + n) - math.lgamma(x)


def of_user(digit: int) -> dict[str, float]:
    """Return the metrics of a list of recommendations, from the last digit of its user."""
    grades = [1 + (n + digit) % 3 for n in range(5)]
    ranks = [1 + digit, 11 + 2 * digit, 31 + 3 * digit, *([61 + 4 * digit] if digit % 2 == 0 else [])]
    gains = ((g, rank) for g, rank in zip(grades, ranks, strict=False) if rank <= 10)
    ideal = enumerate(sorted(grades, reverse=True), start=1)
    return {
        "ndcg@10": sum(g / math.log2(rank + 1) for g, rank in gains)
        / sum(g / math.log2(rank + 1) for rank, g in ideal),
        "map": sum(hits / rank for hits, rank in enumerate(ranks, start=1)) / len(grades),
        "mrr": 1 / ranks[0],
        "recall@100": len(ranks) / len(grades),
    }  # fmt: skip


def of_recommendations() -> dict[str, float]:
    """Return the metrics of users of whom each tenth has the same last digit."""
    users = [of_user(digit) for digit in range(10)]
    return {metric: fmean(user[metric] for user in users) for metric in users[0]}
