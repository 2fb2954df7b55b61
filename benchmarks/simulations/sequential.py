"""Does a test keep its error rate if a person looks ten times, and stops at the first verdict?

The statistics are those of `compare` and `ab`. Repetitions are keys of one table, so one query computes many.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from duckmetrics.catalog.catalog import catalog
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.compose.keyed import keyed
from duckmetrics.engines.duckdb import DuckDBEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Numbers = np.ndarray[Any, Any]
    # Draws the values of many repetitions: (repetitions, units), with further columns of a unit.
    Drawn = Callable[[np.random.Generator, int, int], Numbers]

# Ten looks each.
LATE, EARLY = tuple(range(100, 1001, 100)), tuple(range(50, 501, 50))
KEY = "repetition"
ALPHA = 0.05
CHECKS = ("sequential_sample_ratio", "sample_ratio")


@cache
def _engine() -> DuckDBEngine:
    return DuckDBEngine()


def computed(statistic: str, columns: dict[str, Numbers], **params: Any) -> dict[str, Numbers]:
    """Compute a statistic for every repetition, and return the columns of its rows in order."""
    definition = catalog().statistics[statistic]
    ((table, _),) = definition.inputs.items()
    composer = Composer(catalog())
    defaults = {name: param.default for name, param in definition.own_params.items()}
    query = keyed(composer.complete(composer.resolved(definition, {**defaults, **params})), KEY)
    query, macros = linked(catalog(), query)
    query.set("order", None)
    engine = _engine()
    engine.connection.register(table, pa.table(columns))
    engine.define(macros)
    found = engine.arrow(query.order_by(KEY))
    return {name: found[name].to_numpy(zero_copy_only=False) for name in found.column_names}


def of_pairs(values: Numbers, statistic: str, **params: Any) -> dict[str, Numbers]:
    """Compare paired differences with a baseline of zeros."""
    repetitions, n = values.shape
    return computed(
        statistic,
        {
            KEY: np.tile(np.repeat(np.arange(repetitions), n), 2),
            "system": np.repeat(np.arange(2), repetitions * n), "metric": np.zeros(2 * repetitions * n, int),
            "query_id": np.tile(np.arange(n), 2 * repetitions),
            "value": np.concatenate([np.zeros(repetitions * n), values.reshape(-1)]),
        },
        baseline="0", **params,
    )  # fmt: skip


def of_arms(a: Numbers, b: Numbers, statistic: str, **params: Any) -> dict[str, Numbers]:
    """Compare two arms of units with a value each, or with a numerator and a denominator."""
    repetitions, n = a.shape[:2]
    both = np.concatenate([a.reshape(repetitions * n, -1), b.reshape(repetitions * n, -1)]).T
    names = ("value",) if len(both) == 1 else ("numerator", "denominator")
    return computed(
        statistic,
        {
            KEY: np.tile(np.repeat(np.arange(repetitions), n), 2),
            "arm": np.repeat(np.arange(2), repetitions * n), **dict(zip(names, both, strict=True)),
        },
        control="0", **params,
    )  # fmt: skip


class Looks:
    """Counts the repetitions with a verdict, and those whose interval misses the truth, at any look."""

    def __init__(self, truth: float = 0.0) -> None:
        self.truth = truth
        self.rejected: Numbers = np.array(False)
        self.missed: Numbers = np.array(False)

    def add(self, found: dict[str, Numbers]) -> None:
        """Add a look; a p or a bound that is missing rejects nothing and misses nothing."""
        p, low, high = (found[name].astype(float) for name in ("p", "delta_lower", "delta_upper"))
        self.rejected = self.rejected | (p < ALPHA)
        self.missed = self.missed | (low > self.truth) | (high < self.truth)

    def __str__(self) -> str:
        return f"{np.mean(self.rejected):.1%} | {1 - np.mean(self.missed):.1%}"


def pairs_looked_at(
    values: Numbers, looks: Sequence[int], statistic: str, truth: float = 0.0, **params: Any
) -> Looks:
    seen = Looks(truth)
    for n in looks:
        seen.add(of_pairs(values[:, :n], statistic, **params))
    return seen


def arms_looked_at(
    a: Numbers, b: Numbers, looks: Sequence[int], statistic: str, truth: float = 0.0, **params: Any
) -> Looks:
    """Look at two arms; `looks` are the units of each."""
    seen = Looks(truth)
    for n in looks:
        seen.add(of_arms(a[:, :n], b[:, :n], statistic, **params))
    return seen


def normal(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    return generator.standard_normal((repetitions, n))


def lognormal(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    """Draw skewed values, such as revenue per user."""
    return generator.lognormal(0, 1.5, (repetitions, n))


def sparse(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    """Draw differences that are 0 but for one query in twenty, such as those of a hit rate."""
    return generator.choice([-1.0, 0.0, 1.0], (repetitions, n), p=[0.025, 0.95, 0.025])


def skewed(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    """Draw skewed differences with the mean 0."""
    return generator.lognormal(0, 1, (repetitions, n)) - np.exp(0.5)


def balanced(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    """Draw differences that are small and equal but for one query in twenty, which balances them."""
    return np.where(generator.random((repetitions, n)) < 0.05, -0.95, 0.05)


def hits(share: float) -> Drawn:
    return lambda generator, repetitions, n: (generator.random((repetitions, n)) < share).astype(float)


def heavy(generator: np.random.Generator, repetitions: int, n: int) -> Numbers:
    """Draw clicks and views of users: Pareto sizes up to 400 views, and different tastes."""
    views = np.minimum(400, np.ceil(generator.random((repetitions, n)) ** (-1 / 1.5))).astype(int)
    share = 1 / (1 + np.exp(1.5 - 1.2 * generator.standard_normal(views.shape)))
    return np.stack([generator.binomial(views, share), views], axis=-1).astype(float)


def of_equal_systems(repetitions: int) -> Iterator[str]:
    drawn: dict[str, Drawn] = {"normal": normal, "sparse": sparse, "skewed": skewed, "balanced": balanced}
    for looks in (LATE, EARLY):
        for name, draw in drawn.items():
            values = draw(np.random.default_rng(looks[0]), repetitions, looks[-1])
            where = f"{name} differences | {looks[0]} to {looks[-1]} queries"
            yield f"| always_valid | {where} | {pairs_looked_at(values, looks, 'always_valid')} |"
            if looks is LATE and draw is normal:
                yield f"| paired_t | {where} | {pairs_looked_at(values, looks, 'paired_t')} |"


def of_equal_arms(repetitions: int) -> Iterator[str]:
    drawn: dict[str, tuple[Drawn, str, str]] = {
        "normal values": (normal, "sequential_mean", "welch_t"),
        "lognormal values": (lognormal, "sequential_mean", ""),
        "a share of 0.3": (hits(0.3), "sequential_mean", ""),
        "a share of 0.02": (hits(0.02), "sequential_mean", ""),
        "clicks per view of heavy users": (heavy, "sequential_ratio", "ratio_delta"),
    }
    for looks in (LATE, EARLY):
        for name, (draw, sequential, fixed) in drawn.items():
            generator = np.random.default_rng(looks[0])
            a, b = (draw(generator, repetitions, looks[-1]) for _ in "AB")
            where = f"{name} | {2 * looks[0]} to {2 * looks[-1]} units"
            seen = arms_looked_at(a, b, looks, sequential, planned=looks[-1])
            yield f"| {sequential} | {where} | {seen} |"
            if fixed and looks is LATE:
                yield f"| {fixed} | {where} | {arms_looked_at(a, b, looks, fixed)} |"


def of_shares(repetitions: int) -> Iterator[str]:
    looks = tuple(range(1000, 10_001, 1000))
    for shares in ((0.5, 0.5), (0.9, 0.1), (0.25, 0.25, 0.25, 0.25)):
        more = np.random.default_rng(len(shares)).multinomial(1000, shares, (repetitions, len(looks)))
        seen: dict[str, Numbers] = dict.fromkeys(CHECKS, np.array(False))
        for counts in np.cumsum(more, axis=1).transpose(1, 0, 2):
            columns = {
                KEY: np.repeat(np.arange(repetitions), len(shares)),
                "observed": counts.reshape(-1).astype(float), "expected": np.tile(shares, repetitions),
            }  # fmt: skip
            for name in seen:
                seen[name] = seen[name] | (computed(name, columns)["p"] < ALPHA)
        planned = ", ".join(f"{share:g}" for share in shares)
        for name, rejected in seen.items():
            where = f"planned {planned} | {looks[0]:,} to {looks[-1]:,} units"
            yield f"| {name}, p < {ALPHA} | {where} | {np.mean(rejected):.1%} |"


def of_real_differences(repetitions: int) -> Iterator[str]:
    """Yield how often a difference is found that one look at 1,000 queries finds with a power of 80 %."""
    n = LATE[-1]
    effect = float((NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)) / np.sqrt(n))
    values = normal(np.random.default_rng(1), repetitions, 2 * n) + effect
    for statistic in ("paired_t", "always_valid"):
        seen = pairs_looked_at(values, (n,), statistic, effect)
        yield f"| {statistic} | one look | {n:,} queries | {seen} |"
    seen, used = Looks(effect), np.full(repetitions, 2 * n)
    for look in range(100, 2 * n + 1, 100):
        before = seen.rejected
        seen.add(of_pairs(values[:, :look], "always_valid"))
        used[seen.rejected & ~before] = look
        if look in (n, 2 * n):
            yield f"| always_valid | a look at every 100 queries | up to {look:,} queries | {seen} |"
    yield (
        f"\nWith a look at every 100 queries, the always-valid test stopped after {np.mean(used):,.0f} "
        f"queries on average, and after {np.median(used):,.0f} in the median."
    )


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: verdicts about equal systems at any of ten looks, and the power."""
    head = "looks | any verdict | all intervals contain the difference |\n|---|---|---|---:|---:|"
    yield f"## Equal systems, ten looks\n\n| test | data | {head}"
    yield from of_equal_systems(repetitions)
    yield f"\n## Equal arms, ten looks\n\n| test | data | {head}"
    yield from of_equal_arms(repetitions)
    yield "\n## Sample ratio, ten looks\n\n| test | shares | looks | any mismatch |\n|---|---|---|---:|"
    yield from of_shares(repetitions)
    yield (
        "\n## A difference that one look at 1,000 queries finds with a power of 80 %\n\n"
        "| test | looks | data | verdict | all intervals contain the difference |\n|---|---|---|---:|---:|"
    )
    yield from of_real_differences(repetitions)
