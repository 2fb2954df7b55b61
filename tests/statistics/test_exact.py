"""The exact p of small samples, against scipy, and against all choices of signs where there are ties."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from duckmetrics import run_test

pytestmark = pytest.mark.engine


def of_differences(differences: dict[str, np.ndarray], **params: object) -> dict[str, dict[str, float]]:
    """Return the rows of wilcoxon by metric, each of its own differences."""
    rows = [
        (system, metric, unit, float(value))
        for metric, own in differences.items()
        for system, values in (("A", np.zeros(len(own))), ("B", own))
        for unit, value in enumerate(values)
    ]
    names = ("system", "metric", "query_id", "value")
    table = pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
    found = run_test("wilcoxon", table, baseline="A", exact=True, **params).rows
    return {row["metric"]: row for row in found}


def test_wilcoxon_is_exact_up_to_25_differences() -> None:
    generator = np.random.default_rng(2)
    given = {str(n): generator.normal(0.3, 1, n) for n in range(2, 26)}
    found = of_differences(given)
    for name, differences in given.items():
        expected = scipy.stats.wilcoxon(differences, method="exact").pvalue
        assert found[name]["p"] == pytest.approx(expected, abs=1e-12, rel=1e-12), name
    many = generator.normal(0.3, 1, 26)
    expected = scipy.stats.wilcoxon(many, method="asymptotic", correction=False).pvalue
    assert of_differences({"26": many})["26"]["p"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_ties_and_zeros_keep_their_midranks(zeros: str) -> None:
    generator = np.random.default_rng(3)
    given = {str(i): generator.integers(-2, 4, 12).astype(float) for i in range(6)}
    found = of_differences(given, zeros=zeros)
    for name, differences in given.items():
        kept = differences if zeros == "pratt" else differences[differences != 0]
        ranks = scipy.stats.rankdata(np.abs(kept))[kept != 0]
        signs = np.array(list(product((-1, 1), repeat=len(ranks))))
        gap = abs((np.sign(kept[kept != 0]) * ranks).sum())
        assert found[name]["p"] == np.mean(np.abs(signs @ ranks) >= gap - 1e-9), name


def test_wilcoxon_of_equal_systems_and_of_one_unit() -> None:
    found = of_differences({"equal": np.zeros(4), "one": np.ones(1), "two": np.array([1.0, 2.0])})
    assert [found[name]["p"] for name in ("equal", "one", "two")] == [1.0, None, 0.5]


@pytest.mark.some(2)
@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (7, 5), (10, 10), (3, 27), (15, 15)], ids=str)
def test_mann_whitney_is_exact_up_to_30_values(sizes: tuple[int, int]) -> None:
    generator = np.random.default_rng(sum(sizes))
    for shift in (0.0, 0.8, 9.0):
        control, arm = generator.normal(0, 1, sizes[0]), generator.normal(shift, 1, sizes[1])
        names = ["A"] * sizes[0] + ["B"] * sizes[1]
        table = pa.table({"arm": names, "value": np.concatenate([control, arm])})
        (row,) = run_test("mann_whitney", table, control="A", exact=True).rows
        expected = scipy.stats.mannwhitneyu(arm, control, method="exact").pvalue
        assert row["p"] == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 2.0, 3.0], [float(i) for i in range(31)]], ids=["ties", "many"]
)
def test_mann_whitney_is_approximate_with_ties_and_many_values(values: list[float]) -> None:
    table = pa.table({"arm": ["A", "B"] * (len(values) // 2) + ["B"] * (len(values) % 2), "value": values})
    exact, usual = (run_test("mann_whitney", table, control="A", exact=flag).rows for flag in (True, False))
    assert exact == usual
