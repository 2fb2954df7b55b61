"""The statistics of several systems at once: complete blocks of per-query values, and families of tests."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from duckmetrics.reference.choice import choose
from duckmetrics.reference.distributions import chi_square_sf, f_sf, poisson_count
from duckmetrics.reference.paired import EPSILON, midrank

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from duckmetrics.reference.paired import PerQuery

    Table = list[list[float]]

Row = tuple[Any, ...]


def blocks(rows: Iterable[PerQuery]) -> Iterator[tuple[str, list[str], Table]]:
    """Yield (metric, systems, a row of values for every query that all systems have a value for)."""
    metrics: dict[str, dict[str, dict[Hashable, float]]] = defaultdict(lambda: defaultdict(dict))
    for system, metric, query, value in rows:
        if value is not None:
            metrics[metric][system][query] = value
    for metric, systems in sorted(metrics.items()):
        common = set.intersection(*(set(values) for values in systems.values()))
        names = sorted(systems)
        if common:
            yield metric, names, [[systems[name][query] for name in names] for query in common]


def squares(table: Table) -> tuple[float, float, float]:
    """Return the sums of squares of systems, of queries, and of the rest."""
    grand = fmean(value for row in table for value in row)
    columns = [fmean(column) for column in zip(*table, strict=True)]
    of_rows = [fmean(row) for row in table]
    return (
        len(table) * math.fsum((c - grand) ** 2 for c in columns),
        len(columns) * math.fsum((r - grand) ** 2 for r in of_rows),
        math.fsum(
            (value - c - r + grand) ** 2
            for row, r in zip(table, of_rows, strict=True)
            for value, c in zip(row, columns, strict=True)
        ),
    )


def anova(rows: Iterable[PerQuery]) -> list[Row]:
    found: list[Row] = []
    for metric, systems, table in blocks(rows):
        n, df = len(table), len(systems) - 1
        of_systems, of_queries, left = squares(table)
        df_error, small = df * (n - 1), 1e-24 * math.fsum(v * v for row in table for v in row)
        mse = left / df_error if df_error else None
        f = of_systems / df / mse if mse and left > small else None
        p = None if f is None else f_sf(f, df, df_error)
        if df_error and left <= small and of_systems <= small:
            p = 1.0
        found.append((metric, len(systems), n, of_systems, of_queries, left, df, df_error, mse, f, p))
    return found


def friedman(rows: Iterable[PerQuery]) -> list[Row]:
    found: list[Row] = []
    for metric, systems, table in blocks(rows):
        n, k = len(table), len(systems)
        middle = (k + 1) / 2
        ranks = [[midrank(value, row) - middle for value in row] for row in table]
        spread = sum(r * r for row in ranks for r in row)
        between = sum(sum(column) ** 2 for column in zip(*ranks, strict=True))
        statistic = (k - 1) * between / spread if n > 1 and spread else None
        p = None if statistic is None else max(chi_square_sf(statistic, k - 1), _orders(k) ** (1.0 - n))
        found.append((metric, k, n, statistic, k - 1, 1.0 if n > 1 and k > 1 and not spread else p))
    return found


def _orders(k: int) -> float:
    """Return the number of orders of k systems in a query."""
    return float(math.factorial(k))


def tukey_hsd(rows: Iterable[PerQuery], resamples: int = 10_000, seed: int = 42) -> list[Row]:
    found: list[Row] = []
    for metric, systems, table in blocks(rows):
        n, k = len(table), len(systems)
        df_error, left = (k - 1) * (n - 1), squares(table)[2]
        spreads = list(_shuffled_spreads(table, resamples, seed)) if k > 1 else []
        means = [fmean(column) for column in zip(*table, strict=True)]
        alike = EPSILON * fmean(abs(value) for row in table for value in row)
        for i, j in combinations(range(k), 2):
            delta = means[j] - means[i]
            far = sum(spread >= abs(delta) - alike for spread in spreads)
            effect = delta / math.sqrt(left / df_error) if df_error and left else None
            p = max((1 + far) / (1 + resamples), _orders(k) ** (1.0 - n)) if n > 1 else None
            found.append((metric, systems[i], systems[j], n, delta, effect, p, resamples))
    return found


def _shuffled_spreads(table: Table, resamples: int, seed: int) -> Iterator[float]:
    generator = random.Random(seed)
    for _ in range(resamples):
        dealt = [generator.sample(row, len(row)) for row in table]
        means = [fmean(column) for column in zip(*dealt, strict=True)]
        yield max(means) - min(means)


def probability_best(
    rows: Iterable[PerQuery],
    resamples: int = 10_000,
    seed: int = 42,
    better: str = "higher",
    target: float = 0.0,
    groups: int = 10_000,
) -> list[Row]:
    metrics: dict[str, dict[str, dict[Hashable, float]]] = defaultdict(lambda: defaultdict(dict))
    for system, metric, query, value in rows:
        metrics[metric][system] |= {} if value is None else {query: value}
    score = choose({"higher": float, "lower": lambda v: -v, "target": lambda v: -abs(v - target)}, better)
    found: list[Row] = []
    for metric, systems in sorted(metrics.items()):
        valued = {name: values for name, values in systems.items() if values}
        drawn = list(_drawn_means(valued, resamples, seed, groups)) if valued else []
        shares = [_shares(means, score) for means in drawn]
        for name, values in sorted(systems.items()):
            mean = fmean(values.values()) if values else None
            known = len(values) > 1 and bool(drawn)
            chance = fmean(share[name] for share in shares) if known else None
            found.append((name, metric, len(values), mean, chance, len(drawn) if values else 0))
    return found


def _drawn_means(
    systems: dict[str, dict[Hashable, float]], resamples: int, seed: int, groups: int
) -> Iterator[dict[str, float]]:
    """Yield the means of the systems in each resample in which all of them have one."""
    generator = random.Random(seed)
    queries = sorted({query for values in systems.values() for query in values}, key=str)
    places = [generator.randrange(groups) if len(queries) > groups else i for i in range(len(queries))]
    for _ in range(resamples):
        weights = [poisson_count(generator.random()) for _ in range(max(places) + 1)]
        weight = {query: weights[place] for query, place in zip(queries, places, strict=True)}
        totals = {name: sum(weight[query] for query in values) for name, values in systems.items()}
        if all(totals.values()):
            yield {
                name: sum(weight[query] * value for query, value in values.items()) / totals[name]
                for name, values in systems.items()
            }


def _shares(means: dict[str, float], score: Callable[[float], float]) -> dict[str, float]:
    """Return 1 for the best system, shared if several are equal, and 0 for the others."""
    alike = EPSILON * max(map(abs, means.values()))
    top = max(map(score, means.values()))
    best = [name for name, mean in means.items() if score(mean) >= top - alike]
    return {name: 1 / len(best) if name in best else 0.0 for name in means}


def adjusted_p(rows: Iterable[tuple[str, float | None]], method: str = "holm") -> list[Row]:
    """Adjust each p-value for all of them, by the definition: the level at which it is rejected."""
    given = [(test, p if p is None or not math.isnan(p) else None) for test, p in rows]
    ordered = sorted(p for _, p in given if p is not None)
    adjusted = dict(zip(ordered, choose(ADJUSTMENTS, method)(ordered), strict=True))
    return sorted((test, p, None if p is None else adjusted[p]) for test, p in given)


def _bonferroni(ordered: Sequence[float]) -> list[float]:
    return [min(1.0, len(ordered) * p) for p in ordered]


def _holm(ordered: Sequence[float]) -> list[float]:
    scaled = [min(1.0, (len(ordered) - i) * p) for i, p in enumerate(ordered)]
    return [max(scaled[: ordered.index(p) + ordered.count(p)]) for p in ordered]


def _hochberg(ordered: Sequence[float]) -> list[float]:
    scaled = [min(1.0, (len(ordered) - i) * p) for i, p in enumerate(ordered)]
    return [min(scaled[ordered.index(p) :]) for p in ordered]


def _benjamini_hochberg(ordered: Sequence[float], factor: float = 1.0) -> list[float]:
    scaled = [min(1.0, factor * len(ordered) / i * p) for i, p in enumerate(ordered, start=1)]
    return [min(scaled[ordered.index(p) :]) for p in ordered]


def _benjamini_yekutieli(ordered: Sequence[float]) -> list[float]:
    factor = sum((Fraction(1, i) for i in range(1, len(ordered) + 1)), Fraction(0))
    return _benjamini_hochberg(ordered, float(factor))


ADJUSTMENTS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "benjamini_hochberg": _benjamini_hochberg,
    "benjamini_yekutieli": _benjamini_yekutieli,
}
