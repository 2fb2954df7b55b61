"""Does a test find the planned difference four times out of five, with the planned number of units?

The plan knows the spread: a given standard deviation, a given rate, or a pilot of 20,000 users. The data of
every repetition are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics
from benchmarks.simulations.intervals import impressions

if TYPE_CHECKING:
    from collections.abc import Iterator

SD = 0.2
# A metric, and the noise in the scores of the baseline and of the other system. The last one needs few users.
OF_USERS = (("auc", (0.6, 0.3)), ("log_loss", (0.6, 0.3)), ("log_loss", (0.6, 0.5)), ("log_loss", (2.0, 0.3)))
USERS, PILOT_USERS = 400_000, 20_000


def normal_power(repetitions: int, queries: int, difference: float, alpha: float, seed: int) -> float:
    """Return how often paired_t finds a difference of normal values with the standard deviation SD."""
    shape = (repetitions, queries)
    differences = difference + SD * np.random.default_rng(seed).standard_normal(shape)
    values = np.stack([np.zeros(shape), differences], axis=-1)
    table = pa.table({
        "system": np.tile(["A", "B"], repetitions * queries),
        "metric": np.repeat(np.arange(repetitions), 2 * queries).astype(str),
        "query_id": np.tile(np.repeat(np.arange(queries), 2), repetitions), "value": values.reshape(-1),
    })  # fmt: skip
    found = duckmetrics.run_test("paired_t", table, baseline="A").rows
    return float(np.mean([row["p"] < alpha for row in found]))


def proportion_power(repetitions: int, rate: float, other: float, units: int, seed: int) -> float:
    """Return how often the pooled z-test finds two proportions different, each with half of the units."""
    generator, n = np.random.default_rng(seed), units // 2
    one, two = (generator.binomial(n, share, repetitions) / n for share in (rate, other))
    mean = (one + two) / 2
    z = (two - one) / np.sqrt(2 * mean * (1 - mean) / n)
    return float(np.mean(np.abs(z) > 1.959963984540054))


def two_systems(repetitions: int, users: int, noise: tuple[float, float], seed: int) -> dict[str, pa.Table]:
    """Return the log of users with the scores of two systems, each with its noise."""
    log = impressions(repetitions, users, seed)
    odds = np.log(log["score"].to_numpy() / (1 - log["score"].to_numpy()))
    systems = {}
    for i, (name, own) in enumerate(zip("AB", noise, strict=True)):
        drawn = np.random.default_rng([seed, i]).standard_normal(len(odds))
        systems[name] = log.set_column(2, "score", pa.array(1 / (1 + np.exp(-odds - own * drawn))))
    return systems


def of_users(repetitions: int) -> Iterator[str]:
    """Yield the power of comparisons of classifiers, with users as clusters."""
    for metric, noise in OF_USERS:
        whole = two_systems(1, USERS, noise, seed=1)
        true = {name: duckmetrics.evaluate(table, metrics=metric)[metric] for name, table in whole.items()}
        delta = abs(true["B"] - true["A"])
        pilot = two_systems(1, PILOT_USERS, noise, seed=2)
        row = duckmetrics.plan(pilot, None, metric, difference=delta, cluster="user_id").rows[0]
        users = row["units"]
        found = duckmetrics.compare(
            two_systems(repetitions, users, noise, seed=3), None, metric, by=["repetition"],
            cluster="user_id", adjust="none",
        )  # fmt: skip
        p = [row["p"] for row in found.rows if row["slice"] and row["system"] == "B"]
        power = np.mean([one is not None and one < 0.05 for one in p])
        yield f"| {metric}, clusters of users, difference {delta:.4f} | {users:,} users | {power:.1%} |"


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: the power of tests with the planned number of units."""
    yield "| plan | units | power, planned: 80 % |\n|---|---:|---:|"
    for difference in (0.2, 0.1, 0.05, 0.02):
        units = duckmetrics.plan(sd=SD, difference=difference).rows[0]["units"]
        power = normal_power(repetitions, units, difference, 0.05, seed=units)
        yield f"| paired t, difference {difference} of sd {SD} | {units:,} | {power:.1%} |"
    for difference in (0.1, 0.05):
        row = duckmetrics.plan(sd=SD, difference=difference, comparisons=9).rows[0]
        power = normal_power(5 * repetitions, row["units"], difference, row["alpha"], seed=9)
        name = f"paired t, first step of Holm with 9 comparisons, difference {difference}"
        yield f"| {name} | {row['units']:,} | {power:.1%} |"
    for rate, difference in ((0.03, 0.01), (0.3, 0.05), (0.9, 0.03)):
        units = duckmetrics.plan(rate=rate, difference=difference).rows[0]["units"]
        power = proportion_power(10 * repetitions, rate, rate + difference, units, seed=units)
        yield f"| proportions {rate} and {rate + difference:g} | {units:,} | {power:.1%} |"
    yield from of_users(repetitions)
    yield (
        "\nWith fewer than 30 users, the test finds a difference of log loss more often than planned. A note "
        "of the plan says so."
    )
