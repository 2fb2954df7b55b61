"""Values of four systems, and their leaderboard."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import Leaderboard
from support.reports import HOSTILE

N = 60
# What is added to the values of each system; the last one has none in Japan.
SYSTEMS = {"old": 0.0, "new": 0.02, HOSTILE[0]: -0.6, "far": -1.4}


def values(metrics: int = 1) -> pa.Table:
    """Return values of each query in two countries; those of `latency` are better if they are low."""
    rng = np.random.default_rng(4)
    rows = [
        {"system": system, "query_id": q, "metric": metric, "country": "JP" if q % 3 else "DE",
         "value": None if system == "far" and q % 3 else float(shift + rng.normal(1, 0.2))}
        for metric in ("quality", "latency")[:metrics] for system, shift in SYSTEMS.items() for q in range(N)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows)


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    return duckmetrics.from_values(values(), by="country").leaderboard(allow_different=True)
