"""Systems with other units, and slices next to each other: false positives and coverage.

The repetitions are slices of one table, so one call compares many of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics
from benchmarks.simulations.intervals import heavy_impressions, impressions, rankings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from duckmetrics import Comparison

METRICS_OF_ROWS = ("auc", "ctr", "log_loss", "normalized_entropy")
OTHER_UNITS = 100_000_000
# Exchanges at random take long: few of them, for few queries of both systems, and some repetitions at a time.
EXCHANGES, MOST_EXCHANGED, AT_A_TIME = 500, 220, 200


def lines(repetitions: int) -> Iterator[str]:
    yield "## Rankings: two systems with other queries"
    yield ""
    yield (
        "Both rank at random, so their difference is 0. `relative` is the interval of the relative change. "
        f"`randomization`: the false positives of `--test randomization` with {EXCHANGES:,} resamples."
    )
    yield ""
    yield "| queries | metric | false positives | coverage | relative | randomization |"
    yield "|---|---|---|---|---|---|"
    yield from _of_rankings(repetitions)
    yield ""
    chance = 100 * math.sqrt(0.05 * 0.95 / repetitions)
    yield (
        "With 20 queries against 200, Welch's test finds too many differences. The randomization test finds "
        f"fewer. Chance alone moves a share of 5 % by {chance:.1f} points in {repetitions:,} repetitions."
    )
    yield ""
    yield "## Classifiers: the same model on other users"
    yield ""
    yield "| users | metric | false positives | coverage | relative |"
    yield "|---|---|---|---|---|"
    yield from _of_rows(repetitions)
    yield ""
    yield "## Heterogeneity: slices with the same difference"
    yield ""
    yield "| slices | queries in each | false positives of Q | of Q by chi-square |"
    yield "|---|---|---|---|"
    yield from _of_slices(repetitions)


def _of_rankings(repetitions: int) -> Iterator[str]:
    for sizes in ((20, 20), (20, 50), (20, 200), (50, 50), (50, 200), (200, 200)):
        arms = _arms(rankings, repetitions, sizes)
        metrics = ["mrr", "ndcg@10", "hit_rate@3"]
        found = _compared(arms, "query_id", metrics)
        exchanged = _exchanged(found, sizes, repetitions) if sum(sizes) <= MOST_EXCHANGED else {}
        for metric in metrics:
            rates = f"{_rates(found, metric)} | {exchanged.get(metric, '')}"
            yield f"| {sizes[0]} against {sizes[1]} | {metric} | {rates} |"


def _of_rows(repetitions: int) -> Iterator[str]:
    logs: dict[str, Callable[[int, int, int], pa.Table]] = {
        "": impressions, " heavy": heavy_impressions,
    }  # fmt: skip
    for kind, log in logs.items():
        for sizes in ((100, 100), (100, 500), (500, 500)):
            arms = _arms(log, repetitions, sizes)
            found = _compared(arms, "user_id", list(METRICS_OF_ROWS), cluster="user_id")
            for metric in METRICS_OF_ROWS:
                yield f"| {sizes[0]} against {sizes[1]}{kind} users | {metric} | {_rates(found, metric)} |"


def _arms(
    log: Callable[[int, int, int], pa.Table], repetitions: int, sizes: tuple[int, int]
) -> dict[str, pa.Table]:
    """Return two logs of as many units in each repetition, drawn independently."""
    return {
        name: log(repetitions, n, 10 * n + place)
        for place, (name, n) in enumerate(zip("AB", sizes, strict=True))
    }


def _exchanged(found: Comparison, sizes: tuple[int, int], repetitions: int) -> dict[str, str]:
    """Return how often the randomization test of other queries is below 0.05, by metric."""
    values = found.per_query.select(["system", "metric", "query_id", "value"])
    query = values["query_id"].to_numpy()
    repetition = np.where(query < OTHER_UNITS, query // sizes[0], (query - OTHER_UNITS) // sizes[1])
    metrics = values["metric"].to_pylist()
    named = [f"{metric} {place}" for metric, place in zip(metrics, repetition, strict=True)]
    values = values.set_column(1, "metric", pa.array(named))
    false: dict[str, list[bool]] = {}
    for first in range(0, repetitions, AT_A_TIME):
        some = values.filter((repetition >= first) & (repetition < first + AT_A_TIME))
        tested = duckmetrics.run_test(
            "unpaired_randomization", some, baseline="A", resamples=EXCHANGES, exact=False
        )
        for row in tested.rows:
            false.setdefault(row["metric"].rpartition(" ")[0], []).append(row["p"] < 0.05)
    return {metric: f"{np.mean(own):.1%}" for metric, own in false.items()}


def _compared(
    arms: dict[str, pa.Table], unit: str, metrics: list[str], cluster: str | None = None
) -> Comparison:
    """Compare two logs whose units are other ones."""
    first, second = arms
    place = arms[second].column_names.index(unit)
    moved = arms[second].set_column(place, unit, pa.array(arms[second][unit].to_numpy() + OTHER_UNITS))
    return duckmetrics.compare(
        {first: arms[first], second: moved}, None, metrics, by=["repetition"], cluster=cluster,
        adjust="none", unpaired=True,
    )  # fmt: skip


def _rates(found: Comparison, metric: str) -> str:
    """Return how often p is below 0.05, and how often the intervals contain the true difference, 0."""
    rows = [row for row in found.rows if row["slice"] and row["metric"] == metric and row["system"] == "B"]
    tested = [row for row in rows if row["p"] is not None]
    false = np.mean([row["p"] < 0.05 for row in tested])
    covered = np.mean([row["delta_lower"] <= 0 <= row["delta_upper"] for row in tested])
    relative = [row for row in tested if row["relative_lower"] is not None]
    of_ratio = np.mean([row["relative_lower"] <= 0 <= row["relative_upper"] for row in relative])
    return f"{false:.1%} | {covered:.1%} | {of_ratio:.1%}"


def _of_slices(repetitions: int) -> Iterator[str]:
    """Yield how often the slices of equal effects are called different."""
    for slices in (3, 8):
        for n in (20, 50, 200):
            queries = _two_systems(repetitions, slices, n)
            rows = duckmetrics.run_test("heterogeneity", queries).rows
            known = duckmetrics.run_test("heterogeneity", queries.drop_columns(["df"])).rows
            rates = (np.mean([row["p"] < 0.05 for row in found]) for found in (rows, known))
            yield f"| {slices} | {n} | {' | '.join(f'{rate:.1%}' for rate in rates)} |"


def _two_systems(repetitions: int, slices: int, n: int) -> pa.Table:
    """Return the difference of the reciprocal ranks of two random rankings in every slice."""
    generator = np.random.default_rng([slices, n])
    ranks = generator.integers(1, 11, (2, repetitions, slices, n))
    difference = 1 / ranks[1] - 1 / ranks[0]
    cells = repetitions * slices
    return pa.table({
        "family": np.repeat(np.arange(repetitions), slices), "slice": np.tile(np.arange(slices), repetitions),
        "estimate": difference.mean(axis=2).ravel(),
        "se": (difference.std(axis=2, ddof=1) / n**0.5).ravel(), "df": np.full(cells, n - 1.0),
    })  # fmt: skip
