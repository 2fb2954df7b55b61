"""Interleaving once more: the clicks of mixed lists, as preferences for one of two rankers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.distributions import binomial_cdf, student_t_critical, student_t_p

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Row = tuple[Any, ...]


def interleaving(
    rows: Iterable[Row],
    baseline: str,
    method: str = "team_draft",
    unclicked: str = "tie",
    level: float = 0.95,
) -> list[Row]:
    """Read rows of (impression, system, clicked, rank, place, cluster)."""
    impressions: dict[Hashable, list[Row]] = defaultdict(list)
    for row in rows:
        impressions[row[0]].append(row)
    every = {row[1] for items in impressions.values() for row in items}
    found = []
    for system in sorted(every - {baseline}) if baseline in every else []:
        preferences: dict[Hashable, list[float]] = defaultdict(list)
        for key, items in impressions.items():
            credit = _credits(items, method)
            counts = unclicked == "tie" or any(clicked for _, _, clicked, *_ in items)
            if credit is None or not counts or (len(every) > 2 and system not in {row[1] for row in items}):
                continue
            unit = max((row[5] for row in items if row[5] is not None), default=None)
            wins = credit[system] - credit[baseline]
            preferences[("alone", key) if unit is None else unit].append((wins > 0) / 2 - (wins < 0) / 2)
        if preferences:
            is_clustered = any(row[5] is not None for items in impressions.values() for row in items)
            found.append((system, *_result([*preferences.values()], is_clustered, level)))
    return found


def _credits(items: Sequence[Row], method: str) -> Counter[str] | None:
    """Count the clicks of each system; None if the list has no ranks or places that balanced needs."""
    credit: Counter[str] = Counter()
    clicks = [(system, rank, place, clicked) for _, system, clicked, rank, place, _ in items if clicked]
    if method == "team_draft":
        for system, _, _, clicked in clicks:
            credit[system] += clicked
        return credit
    if all(row[3] is None for row in items) or all(row[4] is None for row in items):
        return None
    last = max((place for _, _, place, _ in clicks if place is not None), default=None)
    ranks = [rank for _, rank, place, _ in clicks if place == last and rank is not None]
    for system, rank, _, _ in clicks if ranks else []:
        credit[system] += rank is not None and rank <= min(ranks)
    return credit


def _result(units: Sequence[Sequence[float]], is_clustered: bool, level: float) -> Row:
    every = [x for unit in units for x in unit]
    n, g, total = len(every), len(units), math.fsum(every)
    wins, losses = sum(x > 0 for x in every), sum(x < 0 for x in every)
    effective = n * n / sum(len(unit) ** 2 for unit in units)
    delta, error = total / n, 0.0
    if g > 1:
        without = [(total - math.fsum(unit)) / (n - len(unit)) for unit in units]
        error = math.sqrt((g - 1) / g * math.fsum((x - fmean(without)) ** 2 for x in without))
    half = student_t_critical(1 - level, effective - 1) * error if error else None
    if not is_clustered:
        p: float | None = min(2 * binomial_cdf(min(wins, losses), wins + losses, 0.5), 1.0)
    elif wins + losses == 0:
        p = 1.0
    else:
        p = student_t_p(delta / error, effective - 1) if error else None
    bounds = (None, None) if half is None else (delta - half, delta + half)
    return n, wins, n - wins - losses, losses, delta, *bounds, p, g, effective
