"""max_t: the step-down method once more in numpy, with the same signs, and cases with a known answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from duckmetrics import run_test

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.engine

SEED, RESAMPLES = 42, 999
Key = tuple[str, str]
Values = dict[Key, dict[int, float]]


def family(units: int, systems: str = "BCDE", metrics: str = "mn", seed: int = 1) -> Values:
    """Return correlated values of systems that differ from the baseline A more and more, some missing."""
    generator = np.random.default_rng(seed)
    common = generator.random((len(metrics), units))
    values: Values = {}
    for i, system in enumerate("A" + systems):
        for j, metric in enumerate(metrics):
            own = common[j] + 0.2 * generator.standard_normal(units) + 0.03 * i
            # Every comparison has another number of units.
            known = np.flatnonzero(generator.random(units) < 1 - 0.04 * (i + j))
            values[system, metric] = {int(unit): float(np.round(own[unit], 2)) for unit in known}
    return values


def table(values: Values) -> pa.Table:
    rows = [(*key, unit, value) for key, own in values.items() for unit, value in own.items()]
    names = ("system", "metric", "query_id", "value")
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def adjusted_jointly(values: Values, **params: Any) -> dict[Key, dict[str, Any]]:
    found = run_test("max_t", table(values), baseline="A", **({"resamples": RESAMPLES} | params)).rows
    return {(row["system"], row["metric"]): row for row in found}


def signs(units: list[int], resamples: int = RESAMPLES) -> np.ndarray:
    """Return the signs that the hash of each id gives, one column per draw."""
    query = """
        SELECT list(hash(hash(CAST(unit AS BIGINT), block, ?)) ORDER BY block)
        FROM unnest(?) AS units(unit) CROSS JOIN range(?) AS blocks(block)
        GROUP BY unit ORDER BY unit
    """
    with duckdb.connect() as connection:
        found = connection.execute(query, [SEED, units, (resamples + 63) // 64]).fetchall()
    bits, draws = np.array([row[0] for row in found], dtype=np.uint64), np.arange(resamples, dtype=np.uint64)
    set_ones = (bits[:, draws // np.uint64(64)] >> (draws % np.uint64(64))) & np.uint64(1)
    return np.where(set_ones == 1, -1.0, 1.0)


def scores(differences: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the normal scores of Student's t for each column of differences of the known units."""
    n = known.sum()
    t, _ = scipy.stats.ttest_1samp(differences[known], 0)
    df = n - 1
    z = (8 * df + 1) / (8 * df + 3) * np.sqrt(df * np.log1p(t**2 / df))
    largest = scipy.stats.norm.isf(2.0**-n)
    # Equal differences have the largest score, all others a smaller one.
    return np.where(np.abs(t) > 1e6, largest, np.minimum(z, largest * (1 - 1e-7)))


def stepped_down(values: Values) -> dict[Key, tuple[float, float, float]]:
    """Return p, p_adjusted and alpha_each by the algorithm of Westfall and Young."""
    units = sorted({unit for own in values.values() for unit in own})
    drawn = signs(units)
    keys = [key for key in values if key[0] != "A"]
    observed, resampled, p = {}, {}, {}
    for key in keys:
        base, own = values["A", key[1]], values[key]
        known = np.array([unit in base and unit in own for unit in units])
        difference = np.array([own.get(unit, 0.0) - base.get(unit, 0.0) for unit in units])
        observed[key] = float(scores(difference[:, None], known)[0])
        resampled[key] = scores(difference[:, None] * drawn, known)
        sums = np.abs((np.where(known, difference, 0.0)[:, None] * drawn).sum(axis=0))
        total = abs(difference[known].sum())
        p[key] = (1 + (sums >= total - 1e-10).sum()) / (1 + RESAMPLES)
    order, adjusted, highest = sorted(keys, key=lambda key: -observed[key]), {}, 0.0
    for place, key in enumerate(order):
        top = np.max([resampled[other] for other in order[place:]], axis=0)
        highest = max(highest, p[key], (1 + (top >= observed[key] - 1e-9).sum()) / (1 + RESAMPLES))
        adjusted[key] = highest
    every = np.sort(np.max([resampled[key] for key in keys], axis=0))
    each = 2 * scipy.stats.norm.sf(every[int(np.ceil(0.95 * RESAMPLES)) - 1])
    return {key: (p[key], adjusted[key], each) for key in keys}


@pytest.mark.parametrize("units", [12, 60])
def test_numpy_finds_the_same_counts_with_the_same_signs(units: int) -> None:
    values = family(units)
    found = adjusted_jointly(values)
    for key, (p, adjusted, each) in stepped_down(values).items():
        assert (found[key]["p"], found[key]["p_adjusted"]) == (p, adjusted), key
        assert found[key]["alpha_each"] == pytest.approx(each, rel=1e-9)
        n = len(values["A", key[1]].keys() & values[key].keys())
        assert found[key]["n"] == n
    assert len({row["p_adjusted"] for row in found.values()}) > 2


@pytest.mark.slow
def test_p_is_that_of_the_randomization_test_and_so_is_the_adjusted_p_of_one_comparison() -> None:
    values = family(40)
    rows = run_test("randomization_test", table(values), baseline="A", exact=False, resamples=RESAMPLES).rows
    found = adjusted_jointly(values)
    for row in rows:
        key = row["system"], row["metric"]
        assert found[key]["p"] == row["p"] <= found[key]["p_adjusted"]
        alone = adjusted_jointly({("A", key[1]): values["A", key[1]], key: values[key]})
        assert alone[key]["p_adjusted"] == alone[key]["p"] == row["p"]


@pytest.mark.parametrize("n", [5, 12, 20])
def test_equal_differences_are_farther_than_all_other_signs(n: int) -> None:
    values: Values = {("A", "m"): dict.fromkeys(range(n), 0.0), ("B", "m"): dict.fromkeys(range(n), 1.0)}
    (row,) = adjusted_jointly(values).values()
    assert row["p_adjusted"] == row["p"]


def test_equal_comparisons_count_once() -> None:
    """Ten copies of a system need no correction, where Holm divides by ten."""
    values = family(40, "B", "m")
    copies = {(name, "m"): values["B", "m"] for name in "BCDEFGHIJK"}
    rows = adjusted_jointly({("A", "m"): values["A", "m"], **copies}).values()
    assert len(rows) == 10
    assert len({(row["p"], row["p_adjusted"]) for row in rows}) == 1
    assert all(row["p_adjusted"] == row["p"] < 1 for row in rows)


def test_few_units_do_not_hide_what_many_show() -> None:
    """With three equal differences, a quarter of all signs give an infinite t."""
    values = {("A", "m"): dict.fromkeys(range(60), 0.0), ("B", "m"): {i: 0.1 * (i % 7) for i in range(60)}}
    tiny = {("A", "few"): dict.fromkeys(range(3), 0.0), ("B", "few"): dict.fromkeys(range(3), 1.0)}
    found = adjusted_jointly({**values, **tiny})
    assert found["B", "m"]["p_adjusted"] < 0.005
    assert found["B", "few"]["p_adjusted"] > 0.2
    assert found["B", "few"]["statistic"] is None


@pytest.mark.parametrize(
    ("differences", "expected"),
    [([0.0, 0.0, 0.0], (1.0, 1.0)), ([1.0], (None, None)), ([1.0, 1.0 + 1e-16, 1.0], None)],
)
def test_edges(differences: list[float], expected: tuple[float | None, float | None] | None) -> None:
    base = dict.fromkeys(range(len(differences)), 1.0)
    values = {("A", "m"): base, ("B", "m"): {i: 1.0 + d for i, d in enumerate(differences)}}
    row = adjusted_jointly(values)["B", "m"]
    assert row["statistic"] is None
    if expected is None:
        # Equal signs for all three: one of four choices.
        assert row["p"] == row["p_adjusted"] == pytest.approx(0.25, abs=0.05)
    else:
        assert (row["p"], row["p_adjusted"]) == expected


def test_a_comparison_with_one_unit_is_not_part_of_the_family() -> None:
    values = family(30, "B")
    single = {("C", "m"): {3: 1.0}}
    found = adjusted_jointly({**values, **single})
    assert found["C", "m"] | {"delta": None} == {
        "system": "C", "metric": "m", "n": 1, "delta": None, "statistic": None, "p": None,
        "p_adjusted": None, "alpha_each": None, "resamples": RESAMPLES,
    }  # fmt: skip
    assert {key: found[key] for key in found if key[0] == "B"} == adjusted_jointly(values)


def test_groups_of_units_share_a_sign_and_keep_the_variance() -> None:
    values = family(4000, "BC", "mn", seed=5)
    for key, own in values.items():
        values[key] = {unit: value - 0.058 * (ord(key[0]) - 65) / 2 for unit, value in own.items()}
    every, grouped = (adjusted_jointly(values, groups=groups) for groups in (5000, 300))
    for key, row in every.items():
        assert grouped[key]["n"] == row["n"]
        assert grouped[key]["delta"] == pytest.approx(row["delta"], rel=1e-9)
        assert grouped[key]["statistic"] == pytest.approx(row["statistic"], rel=0.15, abs=0.2)
        assert grouped[key]["p"] == pytest.approx(row["p"], abs=0.06)
    assert grouped != every


def test_the_order_of_the_rows_changes_no_digit() -> None:
    values = family(300)
    given: Mapping[str, Any] = {"baseline": "A", "resamples": RESAMPLES, "groups": 50}
    rows = table(values)
    turned = rows.take(np.random.default_rng(0).permutation(len(rows)))
    first, again = (run_test("max_t", one, **given).rows for one in (rows, turned))
    for row, same in zip(first, again, strict=True):
        assert (row["p"], row["p_adjusted"]) == (same["p"], same["p_adjusted"])
        assert row["statistic"] == pytest.approx(same["statistic"], rel=1e-12)
