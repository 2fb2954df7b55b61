"""Kolmogorov-Smirnov and the population stability index: against scipy, numpy, and the metric of scores."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.spatial.distance
import scipy.special
import scipy.stats

import duckmetrics
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.engine

TEXTBOOK = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))["ks_two_sample"]


def drift(name: str, control: Sequence[float], treated: Sequence[float], **params: Any) -> dict[str, Any]:
    arm = ["old"] * len(control) + ["new"] * len(treated)
    table = pa.table({"arm": arm, "value": pa.array([*control, *treated], pa.float64())})
    (row,) = duckmetrics.run_test(name, table, control="old", **params).rows
    return row


def test_the_example_of_the_textbook() -> None:
    inputs, expected = TEXTBOOK["inputs"], TEXTBOOK["expected"]
    row = drift("kolmogorov_smirnov", *(inputs[name] for name in inputs))
    assert row["statistic"] == pytest.approx(expected["D"], rel=1e-12)


@pytest.mark.parametrize(
    ("m", "n", "digits"),
    [(12, 9, 9), pytest.param(40, 55, 1, marks=pytest.mark.slow),
     pytest.param(300, 200, 9, marks=pytest.mark.slow)],
)  # fmt: skip
def test_distributions_as_scipy(m: int, n: int, digits: int) -> None:
    """Rounded values are equal in both samples; scipy counts the same orders."""
    source = np.random.default_rng(m)
    old, new = np.round(source.normal(size=m), digits), np.round(source.normal(0.4, 1, n), digits)
    expected = scipy.stats.ks_2samp(new, old, method="exact")
    row = drift("kolmogorov_smirnov", old, new)
    assert (row["n_control"], row["n"], row["exact"]) == (m, n, True)
    assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-14)
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    limit = drift("kolmogorov_smirnov", old, new, exact=False)
    scaled = expected.statistic * math.sqrt(m * n / (m + n))
    assert limit["p"] == pytest.approx(scipy.special.kolmogorov(scaled), rel=1e-12)


def test_samples_that_do_not_overlap_or_do_not_differ() -> None:
    apart = drift("kolmogorov_smirnov", [1, 2, 3], [4, 5, 6, 7])
    assert (apart["statistic"], apart["largest_at"]) == (1, 3)
    assert apart["p"] == pytest.approx(2 / math.comb(7, 3), rel=1e-14)
    same = drift("kolmogorov_smirnov", [1, 2, 2], [2, 1, 2])
    assert (same["statistic"], same["p"]) == (0, 1)
    none = drift("population_stability", [1, 2, 3, 4], [4, 3, 2, 1], bins=2)
    assert (none["psi"], none["p"]) == (0, None)
    enough = drift("population_stability", range(200), range(200), bins=2)
    assert (enough["psi"], enough["p"]) == (0, 1)
    constant = drift("population_stability", [1, 1, 1], [1, 1])
    assert (constant["psi"], constant["df"], constant["p"]) == (0, 0, None)


def test_stability_as_numpy() -> None:
    source = np.random.default_rng(3)
    old, new = source.normal(size=3000), source.normal(0.1, 1.05, 1200)
    edges = np.quantile(old, np.arange(1, 10) / 10, method="inverted_cdf")
    a, b = (np.bincount(np.searchsorted(edges, x), minlength=10) / len(x) for x in (new, old))
    value = float(((a - b) * np.log(a / b)).sum())
    row = drift("population_stability", old, new)
    assert row["psi"] == pytest.approx(value, rel=1e-12)
    statistic = value / (1 / 3000 + 1 / 1200)
    assert row["statistic"] == pytest.approx(statistic, rel=1e-12)
    assert row["p"] == pytest.approx(scipy.stats.chi2.sf(statistic, 9), rel=1e-9)


@pytest.mark.slow
def test_stability_is_that_of_the_metric_of_scores() -> None:
    """The formula is in two files, because a metric reads rankings and a test reads arms."""
    source = np.random.default_rng(4)
    runs = []
    for shift in (0.0, 0.5):
        runs.append(pa.table({
            "query_id": np.repeat(np.arange(60), 5), "item_id": np.tile(np.arange(5), 60),
            "score": np.round(source.normal(shift, 1, 300), 1),
        }))  # fmt: skip
    old, new = runs
    found = duckmetrics.evaluate(new, None, "score_psi(bins=7)", reference=old)
    row = drift("population_stability", old["score"].to_pylist(), new["score"].to_pylist(), bins=7)
    assert row["psi"] == pytest.approx(found["score_psi(bins=7)"], rel=1e-12)


@pytest.mark.slow
def test_an_empty_bin_has_the_smallest_share() -> None:
    row = drift("population_stability", [1, 2, 3, 4], [1, 1, 2, 2], bins=2, smallest=0.01)
    expected = (1 - 0.5) * math.log(1 / 0.5) + (0.01 - 0.5) * math.log(0.01 / 0.5)
    assert row["psi"] == pytest.approx(expected, rel=1e-12)


def test_jensen_shannon_as_scipy() -> None:
    source = np.random.default_rng(5)
    old, new = source.normal(size=900), source.normal(0.3, 1.2, 400)
    edges = np.quantile(old, np.arange(1, 10) / 10, method="inverted_cdf")
    a, b = (np.bincount(np.searchsorted(edges, x), minlength=10) / len(x) for x in (new, old))
    row = drift("jensen_shannon", old, new)
    expected = scipy.spatial.distance.jensenshannon(a, b, base=2)
    assert row == {
        "arm": "new",
        "n_control": 900,
        "n": 400,
        "jensen_shannon": pytest.approx(expected, rel=1e-10),
    }
    assert scipy.spatial.distance.jensenshannon(a, b) == pytest.approx(
        expected * math.log(2) ** 0.5, rel=1e-12
    )
    assert drift("jensen_shannon", old, old)["jensen_shannon"] == 0
    apart = drift("jensen_shannon", [1, 1, 2, 2], [1, 1], bins=2)["jensen_shannon"]
    assert apart == pytest.approx(scipy.spatial.distance.jensenshannon([1, 0], [0.5, 0.5], base=2), rel=1e-12)


def categories(control: Sequence[object], treated: Sequence[object], **params: Any) -> duckmetrics.TestResult:
    arm = ["old"] * len(control) + ["new"] * len(treated)
    table = pa.table({"day": arm, "country": pa.array([*control, *treated])})
    mapped = {"arm": "day", "category": "country"}
    return duckmetrics.run_test("category_drift", table, columns=mapped, control="old", **params)


def test_categories_as_numpy_and_scipy() -> None:
    """Counts of DE, FR, IT, NULL and US; IT vanishes, and US and NULL are new."""
    old = ["DE"] * 500 + ["FR"] * 300 + ["IT"] * 200
    new = ["DE"] * 300 + ["FR"] * 60 + [None] * 30 + ["US"] * 10
    (row,) = categories(old, new).rows
    a, b = np.array([300, 60, 0, 30, 10]) / 400, np.array([500, 300, 200, 0, 0]) / 1000
    assert row["jensen_shannon"] == pytest.approx(
        scipy.spatial.distance.jensenshannon(a, b, base=2), rel=1e-12
    )
    a, b = np.maximum(a, 0.0001), np.maximum(b, 0.0001)
    assert row["psi"] == pytest.approx(float(((a - b) * np.log(a / b)).sum()), rel=1e-12)
    assert row["statistic"] == pytest.approx(row["psi"] / (1 / 400 + 1 / 1000), rel=1e-12)
    assert (row["p"], row["df"], row["categories"], row["grouped"]) == (None, 4, 5, 0)
    assert (row["new_names"], row["new_share"]) == ("NULL, US", pytest.approx(0.1))
    assert (row["vanished_names"], row["vanished_share"]) == ("IT", 0.2)


def test_p_of_categories_is_that_of_the_chi_square_distribution() -> None:
    (row,) = categories([*"a" * 500, *"b" * 300, *"c" * 300], [*"a" * 420, *"b" * 330, *"c" * 250]).rows
    assert row["p"] == pytest.approx(scipy.stats.chi2.sf(row["statistic"], 2), rel=1e-9)
    assert (row["new_names"], row["vanished_names"], row["new_share"]) == (None, None, 0)


def test_rare_categories_are_one_group_but_keep_their_names() -> None:
    """With most=1, all categories but the largest one are counted together, also those of one sample."""
    (row,) = categories([*"aaab", "c"], [*"aa", "d", "e"], most=1).rows
    a, b = [2 / 4, 2 / 4], [3 / 5, 2 / 5]
    assert row["jensen_shannon"] == pytest.approx(
        scipy.spatial.distance.jensenshannon(a, b, base=2), rel=1e-9
    )
    assert (row["df"], row["categories"], row["grouped"]) == (1, 5, 4)
    assert (row["new_names"], row["vanished_names"]) == ("d, e", "b, c")
    many = categories([0] * 9, [0, *range(100, 130)]).rows[0]
    assert many["new_names"] == ", ".join([*map(str, range(100, 120)), "..."])


def test_categories_of_equal_and_of_disjoint_samples() -> None:
    same = categories([True, False, None], [None, True, False]).rows[0]
    assert (same["psi"], same["jensen_shannon"], same["new_names"]) == (0, 0, None)
    assert categories(["a", "b"], ["c", "d", "e"]).rows[0]["jensen_shannon"] == 1


@pytest.mark.parametrize("name", ["kolmogorov_smirnov", "population_stability", "jensen_shannon"])
def test_text_is_refused_with_the_test_of_categories(name: str) -> None:
    table = pa.table({"arm": ["a", "b"], "value": ["x", "y"]})
    with pytest.raises(
        duckmetrics.InputError, match="not a number; to compare categories, use category_drift"
    ):
        duckmetrics.run_test(name, table, control="a")
