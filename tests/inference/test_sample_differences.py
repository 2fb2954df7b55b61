"""Differences over bootstrap samples, computed by the file itself."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

FILE = Path(__file__).parents[2] / "sql/relations/inference/sample_differences.sql"


@pytest.mark.parametrize(
    ("deltas", "p"),
    [
        ([1, 2, 3], 2 * 1 / 4),
        ([-1, -2, -3], 2 * 1 / 4),
        ([-1, 2, 3, 4], 2 * 2 / 5),
        ([-1, 1], 1),  # 4 / 3 is larger than any probability
        ([0, 0, 5, 5, 5], 2 * 3 / 6),
    ],
)
def test_p_counts_the_samples_on_the_smaller_side(deltas: list[float], p: float) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE samples(system VARCHAR, metric VARCHAR, draw INT, value DOUBLE)")
    for draw, delta in enumerate(deltas):
        connection.execute(
            "INSERT INTO samples VALUES ('A', 'ks', $1, 0.5), ('B', 'ks', $1, 0.5 + $2)", [draw, delta]
        )
    query = FILE.read_text("utf-8").replace("$baseline", "'A'").replace("$level", "0.5e0")
    ((system, metric, lower, upper, relative_lower, relative_upper, found),) = connection.execute(
        query
    ).fetchall()
    assert (system, metric) == ("B", "ks")
    assert found == pytest.approx(p)
    ordered = sorted(deltas)
    place = 0.25 * (len(ordered) - 1)
    below = ordered[int(place)] + (place % 1) * (ordered[int(place) + 1] - ordered[int(place)])
    assert lower == pytest.approx(below)
    assert upper >= lower
    # The baseline is 0.5 in every sample.
    assert (relative_lower, relative_upper) == pytest.approx((lower / 0.5, upper / 0.5))
