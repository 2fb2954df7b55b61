"""A log of several users, and intervals by their formulas."""

from __future__ import annotations

import math
import random
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

USERS = 24


def log(seed: int = 7, users: int = USERS) -> list[tuple[int, str, int, float, float]]:
    """Return impressions with ties: user, country, label, score, weight; some users have one class or row."""
    rng = random.Random(seed)
    rows = []
    for user in range(users):
        taste = rng.gauss(0, 1)
        for _ in range(1 + int(rng.expovariate(0.15))):
            p = 1 / (1 + math.exp(1 - taste - rng.gauss(0, 0.7)))
            score = round(1 / (1 + math.exp(1 - 0.8 * taste - rng.gauss(0, 0.5))), 2)
            rows.append((user, "AB"[user % 2], int(rng.random() < p), score, rng.choice([0.5, 1.0, 2.0])))
    return rows


LOG = log()


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    z = NormalDist().inv_cdf(0.5 + level / 2)
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return center - half, center + half


def fewer(df: float, values: Sequence[float]) -> float:
    """Return the degrees of freedom of the variance of values with long tails."""
    n, mean = len(values), fmean(values)
    spread = math.fsum((x - mean) ** 2 for x in values)
    fourth = math.fsum((x - mean) ** 4 for x in values)
    return min(df, max(1.0, 2 * spread**2 / (fourth - spread**2 / n)))


def load_log(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the tables weighted and log, which has no weights."""
    connection.execute(
        "CREATE TABLE weighted (user_id INT, country TEXT, label INT, score DOUBLE, weight DOUBLE)"
    )
    connection.executemany("INSERT INTO weighted VALUES (?, ?, ?, ?, ?)", LOG)
    connection.execute("CREATE TABLE log AS SELECT * EXCLUDE (weight) FROM weighted")


def drawing(method: str, resamples: int) -> dict[str, int]:
    """Return options of a test or an interval: the number of resamples, if it draws any."""
    return {"resamples": resamples} if method in ("bootstrap", "randomization", "tukey") else {}
