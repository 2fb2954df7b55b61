"""Differences over bootstrap samples, computed by the file itself."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import duckmetrics

FOLDER = Path(__file__).parents[2] / "sql/relations/inference"


# The largest shift of the samples in units of their bias: their own, and twice that of a value of pure noise.
MOST = 1 + 2 * (1 + 2**0.5)


def result_of(deltas: list[float], observed: float) -> tuple[float, ...]:
    """Return the bounds of half of the samples, the same relative to a baseline of 0.5, and p."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE samples(system VARCHAR, metric VARCHAR, draw INT, value DOUBLE)")
    connection.execute("CREATE TABLE observed(system VARCHAR, metric VARCHAR, value DOUBLE)")
    connection.execute("INSERT INTO observed VALUES ('A', 'ks', 0.5), ('B', 'ks', 0.5 + $1)", [observed])
    for draw, delta in enumerate(deltas):
        connection.execute(
            "INSERT INTO samples VALUES ('A', 'ks', $1, 0.5), ('B', 'ks', $1, 0.5 + $2)", [draw, delta]
        )
    pairs, query = (
        (FOLDER / f"{name}.sql").read_text("utf-8").replace("$baseline", "'A'").replace("$level", "0.5e0")
        for name in ("sample_pairs", "sample_differences")
    )
    connection.execute(f"CREATE VIEW sample_pairs AS {pairs}")
    ((system, metric, *numbers),) = connection.execute(query).fetchall()
    assert (system, metric) == ("B", "ks")
    return tuple(numbers)


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
    """The mean of the samples is the difference itself, so that there is no bias."""
    lower, upper, relative_lower, relative_upper, found = result_of(deltas, sum(deltas) / len(deltas))
    assert found == pytest.approx(p)
    assert (lower, upper) == pytest.approx(tuple(np.quantile(deltas, [0.25, 0.75])))
    assert (relative_lower, relative_upper) == pytest.approx((lower / 0.5, upper / 0.5))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_bias_of_the_samples_moves_them(sign: int) -> None:
    """Samples from 2 to 6 of a difference of 3.5, so that they are half too high."""
    deltas = [sign * (4 + 0.1 * i) for i in range(-20, 21)]
    lower, upper, *_, p = result_of(deltas, sign * 3.5)
    ends = sorted(sign * end for end in (3 - 0.5 * MOST, 5 - 0.5))
    assert (lower, upper) == pytest.approx(tuple(ends))
    # Moved by 2.91, the samples from 2.0 to 2.9 are at or beyond 0.
    assert p == pytest.approx(2 * (1 + 10) / 42)


@pytest.mark.slow
def test_pure_noise_is_no_difference() -> None:
    """Two calibrated models: the one with more bins has the higher ECE, by noise alone."""
    random = np.random.default_rng(2)
    verdicts = []
    for _ in range(10):
        wide = random.uniform(0.05, 0.95, 1000)
        label = (random.random(1000) < wide).astype(int)
        narrow = np.where(wide < 0.5, 0.275, 0.725)
        rows = pa.table({"label": label, "narrow": narrow, "wide": wide, "user": np.arange(1000) // 2})
        found = duckmetrics.compare(
            rows, metrics="ece", score={"narrow": "narrow", "wide": "wide"}, cluster="user",
            interval_method="bootstrap", resamples=400,
        )  # fmt: skip
        verdicts.append(found.row("ece")["verdict"])
        assert found.row("ece")["delta"] > 0
    assert verdicts.count("unclear") >= 8  # 3 without the correction
