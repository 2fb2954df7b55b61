"""How often do paired tests call systems different whose means are equal, if the differences are skewed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import duckmetrics
from benchmarks.simulations.sequential import ALPHA

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = ("paired_t", "wilcoxon", "sign_test")
QUERIES = (100, 1000, 10_000)
# The values of all repetitions of a line, so that each line takes as long.
VALUES = 5_000_000
# The shape of the gamma distribution of the differences; its skewness is 1.
SHAPE = 4.0


def differences(repetitions: int, queries: int) -> pa.Table:
    """Return systems with skewed differences to a baseline of zeros; each system is a repetition."""
    values = np.random.default_rng(queries).gamma(SHAPE, size=(repetitions, queries)) - SHAPE
    values = np.vstack([np.zeros(queries), values])
    return pa.table(
        {
            "system": np.repeat(np.arange(repetitions + 1), queries).astype(str),
            "metric": np.full(values.size, "m"),
            "query_id": np.tile(np.arange(queries), repetitions + 1),
            "value": values.reshape(-1),
        }
    )


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a page: the share of false differences of each test."""
    yield f"The differences have a gamma distribution of shape {SHAPE:g}, and the mean 0: skewness 1.\n"
    yield f"| queries | repetitions | {' | '.join(TESTS)} |\n|---:|---:|---:|---:|---:|"
    for queries in QUERIES:
        drawn = min(repetitions, VALUES // queries)
        data = differences(drawn, queries)
        found = [duckmetrics.run_test(test, data, baseline="0").rows for test in TESTS]
        shares = [np.mean([row["p"] < ALPHA for row in rows]) for rows in found]
        yield f"| {queries:,} | {drawn:,} | {' | '.join(f'{share:.1%}' for share in shares)} |"
