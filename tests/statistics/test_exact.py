"""The exact p of small samples, against scipy, and against all choices of signs where there are ties."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from duckmetrics import compare, run_test
from duckmetrics.reference.exact_tests import pairs_won_p, signed_ranks_p

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
    found = run_test("wilcoxon", table, baseline="A", **params).rows
    return {row["metric"]: row for row in found}


def test_wilcoxon_is_exact_up_to_200_differences() -> None:
    """The p of an approximation of 50 gains is 4e5 times as large as the right one."""
    generator = np.random.default_rng(2)
    given = {str(n): generator.normal(0.3, 1, n) for n in (*range(2, 20), 50, 51, 120, 200)}
    gains = {f"gains {n}": np.arange(1.0, n + 1) for n in (50, 200)}
    found = of_differences({**given, **gains, "201": generator.normal(0.3, 1, 201)})
    for name, differences in given.items():
        expected = scipy.stats.wilcoxon(differences, method="exact").pvalue
        assert found[name]["p"] == pytest.approx(expected, rel=1e-11), name
    assert [found[name]["p"] for name in gains] == [2.0**-49, 2.0**-199]
    assert [found[name]["exact"] for name in ("2", "200", "gains 200", "201")] == [True, True, True, False]


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_wilcoxon_of_many_ties_counts_whole_numbers(zeros: str) -> None:
    """The counts of the reference are whole numbers."""
    generator = np.random.default_rng(5)
    given = {name: generator.integers(low, 7, 200).astype(float) for name, low in (("near", -5), ("far", -1))}
    found = of_differences(given, zeros=zeros)
    for name, differences in given.items():
        kept = differences if zeros == "pratt" else differences[differences != 0]
        doubled = (2 * scipy.stats.rankdata(np.abs(kept))).astype(int)
        gap = abs((np.sign(kept) * doubled).sum())
        expected = signed_ranks_p([int(rank) for rank in doubled[kept != 0]], int(gap))
        assert found[name]["p"] == pytest.approx(expected, rel=1e-12), name
        assert found[name]["exact"] is True
    assert found["far"]["p"] < 1e-20


def test_wilcoxon_is_exact_up_to_500_differences_if_asked() -> None:
    generator = np.random.default_rng(2)
    given = {str(n): generator.normal(0.3, 1, n) for n in (201, 501)}
    found = of_differences(given, exact=True)
    for name, method in (("201", "exact"), ("501", "asymptotic")):
        expected = scipy.stats.wilcoxon(given[name], method=method, correction=False).pvalue
        assert found[name]["p"] == pytest.approx(expected, rel=1e-9), name
        assert found[name]["exact"] == (method == "exact")


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


def of_arms(control: np.ndarray, arm: np.ndarray, **params: object) -> dict[str, float]:
    """Return the row of mann_whitney."""
    names = ["A"] * len(control) + ["B"] * len(arm)
    table = pa.table({"arm": names, "value": np.concatenate([control, arm])})
    (row,) = run_test("mann_whitney", table, control="A", **params).rows
    return row


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "sizes", [(1, 1), (2, 3), (7, 5), (10, 10), (3, 27), (15, 15), (30, 30), (56, 4), (60, 61)], ids=str
)
def test_mann_whitney_is_exact_for_few_values(sizes: tuple[int, int]) -> None:
    generator = np.random.default_rng(sum(sizes))
    for shift in (0.0, 0.8, 9.0):
        control, arm = generator.normal(0, 1, sizes[0]), generator.normal(shift, 1, sizes[1])
        expected = scipy.stats.mannwhitneyu(arm, control, method="exact").pvalue
        row = of_arms(control, arm)
        assert (row["p"], row["exact"]) == (pytest.approx(expected, rel=1e-11), True)


@pytest.mark.parametrize("sizes", [(3, 3), (6, 5)], ids=str)
def test_mann_whitney_counts_all_choices_of_values_with_ties(sizes: tuple[int, int]) -> None:
    generator = np.random.default_rng(sum(sizes))
    for _ in range(3):
        control, arm = (generator.integers(0, 4, size).astype(float) for size in sizes)
        ranks = scipy.stats.rankdata(np.concatenate([control, arm]))
        middle = sizes[1] * (sum(sizes) + 1) / 2
        far = abs(ranks[sizes[0] :].sum() - middle) - 1e-9
        chosen = [
            abs(ranks[list(c)].sum() - middle) >= far for c in combinations(range(len(ranks)), sizes[1])
        ]
        assert of_arms(control, arm)["p"] == pytest.approx(np.mean(chosen), rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "values"),
    [((40, 45), 9), ((3, 300), 40), ((90, 1), 4), pytest.param((100, 100), 30, marks=pytest.mark.slow)],
)  # fmt: skip
def test_mann_whitney_of_many_ties_counts_whole_numbers(sizes: tuple[int, int], values: int) -> None:
    generator = np.random.default_rng(sum(sizes))
    for shift in (0, values // 2):
        control, arm = (generator.integers(0, values, size).astype(float) for size in sizes)
        doubled = (2 * scipy.stats.rankdata(np.concatenate([control, arm + shift]))).astype(int)
        gap = abs(int(doubled[sizes[0] :].sum()) - sizes[1] * (sum(sizes) + 1))
        expected = pairs_won_p([int(rank) for rank in doubled], gap, min(sizes))
        row = of_arms(control, arm + shift)
        assert (row["p"], row["exact"]) == (pytest.approx(expected, rel=1e-11), True)


@pytest.mark.slow
def test_mann_whitney_is_exact_for_200_values_per_arm_if_asked() -> None:
    generator = np.random.default_rng(4)
    control, arm = generator.normal(0, 1, 200), generator.normal(1.5, 1, 200)
    row = of_arms(control, arm, exact=True)
    assert row["p"] == pytest.approx(scipy.stats.mannwhitneyu(arm, control, method="exact").pvalue, rel=1e-10)
    assert row["exact"] is True
    assert of_arms(control, arm)["exact"] is False


def test_mann_whitney_of_many_values_says_that_it_is_not_exact() -> None:
    values = np.arange(401.0)
    asked, usual = (of_arms(values[:200], values[200:] - 180, **more) for more in ({"exact": True}, {}))
    assert asked == usual
    assert asked["exact"] is False
    expected = scipy.stats.mannwhitneyu(values[200:] - 180, values[:200], method="asymptotic").pvalue
    assert asked["p"] == pytest.approx(expected, rel=1e-9)
    table = pa.table({"arm": ["A"] * 200 + ["B"] * 201, "value": values})
    warned = run_test("mann_whitney", table, control="A", exact=True).warnings
    assert any(warning.startswith("exact=true counts only few values") for warning in warned)


def test_counts_of_choices_in_whole_numbers() -> None:
    """The reference packs counts into one whole number; every choice is written out here."""
    for doubled in ([2, 4, 6, 8], [3, 3, 6, 9, 9], [2, 5, 5, 8, 12, 12, 12]):
        sums = [np.dot(signs, doubled) for signs in product((-1, 1), repeat=len(doubled))]
        chosen = [sum(c) - (len(doubled) + 1) * 2 for c in combinations(doubled, 2)]
        for gap in range(0, sum(doubled) + 2):
            assert signed_ranks_p(doubled, gap) == np.mean(np.abs(sums) >= gap)
            assert pairs_won_p(doubled, gap, 2) == pytest.approx(np.mean(np.abs(chosen) >= gap), rel=1e-15)


def in_favor(n: int) -> pa.Table:
    """Return the values of two systems; the second one is better in all of n queries."""
    generator = np.random.default_rng(n)
    values = np.concatenate([np.zeros(n), generator.uniform(0.9, 1.1, n)])
    return pa.table({"system": ["A"] * n + ["B"] * n, "metric": ["m"] * 2 * n, "query_id": [*range(n)] * 2,
                     "value": values})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("wilcoxon", {}), ("sign_test", {}), ("mcnemar", {}), ("randomization_test", {}),
        ("randomization_test", {"resamples": 30, "seed": 1}), ("paired_bootstrap", {}),
        ("paired_bootstrap", {"method": "percentile"}), ("max_t", {}), ("max_t", {"resamples": 30}),
    ],
    ids=str,
)  # fmt: skip
def test_no_p_of_five_queries_is_smaller_than_the_smallest_exact_p(name: str, params: dict) -> None:
    """If all five queries favor one system, half of the 2 / 2^5 is the chance of each direction."""
    table = in_favor(5)
    if name == "mcnemar":
        table = table.set_column(3, "value", pa.array([0.0] * 5 + [1.0] * 5))
    (row,) = (row for row in run_test(name, table, baseline="A", **params).rows if row["system"] == "B")
    assert 2 / 2**5 <= row["p"] < 0.2


def test_no_p_of_few_values_in_several_systems_is_smaller_than_the_smallest_exact_p() -> None:
    """The order of k systems is the same in all of n queries by a chance of k! / k!^n."""
    four = in_favor(4)
    for name, params in (("friedman", {}), ("tukey_hsd", {"resamples": 30})):
        (row,) = run_test(name, four, **params).rows
        assert row["p"] >= 2 / 2**4, name
    three = in_favor(3).set_column(2, "query_id", pa.array(range(6)))
    (row,) = run_test("unpaired_randomization", three, baseline="A", resamples=19).rows
    assert row["p"] >= 2 / 20
    tost = run_test("randomization_tost", in_favor(3), baseline="A", margin=9.0, resamples=3).rows[0]
    assert tost["p_equivalent"] >= 1 / 2**3


def test_compare_of_five_queries_is_no_verdict_by_ranks() -> None:
    """All five queries favor B, and the p of an approximation is 0.0431."""
    truth = {f"q{i}": {"x": 1} for i in range(5)}
    runs = {
        "A": {query: {"n": 2.0, "x": 1.0} for query in truth},
        "B": {query: {"x": 9.0} for query in truth},
    }
    row = compare(runs, truth, "mrr", test="wilcoxon").rows[1]
    assert row["p"] == 0.0625
    assert row["verdict"] not in ("better", "worse")
