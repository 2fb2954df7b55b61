"""Are the differences the same in every slice?"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from statsmodels.stats.oneway import anova_oneway

import duckmetrics


def lists(n: int, skill: dict[str, float]) -> tuple[pa.Table, pa.Table]:
    """Return lists of two systems for queries of three countries; the gain of one depends on the country."""
    generator = np.random.default_rng(7)
    query, item = np.repeat(np.arange(n), 10), np.tile(np.arange(10), n)
    country = np.array(["BR", "DE", "US"])[np.arange(n) % 3]
    label = (item == 0).astype(int)
    score = generator.random(10 * n)
    gain = np.array([skill[name] for name in country])[query] * label + 0.2 * generator.random(10 * n)
    both = {"query_id": np.tile(query, 2), "item_id": np.tile(item, 2), "label": np.tile(label, 2)}
    both["system"] = np.repeat(["old", "new"], 10 * n)
    return pa.table({**both, "score": np.concatenate([score, score + gain])}), pa.table(
        {"query_id": np.arange(n), "country": country}
    )


def compared(skill: dict[str, float], **options: object) -> duckmetrics.Comparison:
    log, queries = lists(180, skill)
    return duckmetrics.compare(
        log, metrics="mrr", system="system", baseline="old", by="country", queries=queries, **options
    )


@pytest.mark.slow
def test_q_compares_the_slices_as_welch_does() -> None:
    """One slice is one group of differences of queries."""
    result = compared({"BR": 0.0, "DE": 0.1, "US": 0.6})
    (row,) = result.heterogeneity.to_pylist()
    values = result.per_query
    differences = {}
    for country in ("BR", "DE", "US"):
        own = values.filter(pc.equal(values["country"], country)).sort_by("query_id")
        new, old = (own.filter(pc.equal(own["system"], name))["value"].to_numpy() for name in ("new", "old"))
        differences[country] = new - old
    known = anova_oneway(list(differences.values()), use_var="unequal", welch_correction=True)
    assert row["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert (row["system"], row["metric"], row["slice"], row["n_slices"]) == ("new", "mrr", "country", 3)
    assert f"the differences by country differ by more than chance explains: Q = {row['q']:.1f}" in repr(
        result
    )
    assert json.loads(json.dumps(result.to_dict()))["heterogeneity"][0]["p"] == row["p"]
    # The slices keep their order under shrinkage, and none leaves the range of the differences.
    shrunk = result.shrunk().to_pylist()
    assert [one["country"] for one in shrunk] == ["BR", "DE", "US"]
    deltas = [one["delta"] for one in shrunk]
    assert deltas == [pytest.approx(result.row("mrr", country=one["country"])["delta"]) for one in shrunk]
    assert deltas == pytest.approx([one.mean() for one in differences.values()])
    assert all(min(deltas) <= one["shrunk"] <= max(deltas) for one in shrunk)
    assert all(one["shrunk_lower"] < one["shrunk"] < one["shrunk_upper"] for one in shrunk)


@pytest.mark.slow
def test_equal_slices_another_test_and_pairs() -> None:
    result = compared(dict.fromkeys(("BR", "DE", "US"), 0.2), test="randomization", pairs=True)
    (row,) = result.heterogeneity.to_pylist()
    assert row["p"] > 0.05
    usual = compared(dict.fromkeys(("BR", "DE", "US"), 0.2))
    (again,) = usual.heterogeneity.to_pylist()
    for name, value in row.items():
        assert again[name] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), name
    assert "the differences by country differ no more than chance explains" in repr(usual)


@pytest.mark.slow
def test_without_slices_nothing_is_said() -> None:
    log, _ = lists(30, dict.fromkeys(("BR", "DE", "US"), 0.2))
    result = duckmetrics.compare(log, metrics="mrr", system="system", baseline="old")
    assert (result.heterogeneity.num_rows, result.shrunk().num_rows) == (0, 0)
    assert "heterogeneity" not in result.to_dict()
    assert "error" not in result.rows[0]


@pytest.mark.slow
def test_a_slice_without_any_change_is_one_of_the_slices() -> None:
    """All of its differences are 0, as after a release to the other countries only."""
    log, queries = lists(180, {"BR": 0.3, "DE": 0.3, "US": 0.0})
    old = log.filter(pc.equal(log["system"], "old"))
    new = log.filter(pc.equal(log["system"], "new"))
    same = pc.is_in(new["query_id"], value_set=queries.filter(pc.equal(queries["country"], "US"))["query_id"])
    scores = pc.if_else(same, old["score"].combine_chunks(), new["score"].combine_chunks())
    changed = new.set_column(new.column_names.index("score"), "score", scores)
    result = duckmetrics.compare(
        pa.concat_tables([old, changed]), metrics="mrr", system="system", baseline="old", by="country",
        queries=queries,
    )  # fmt: skip
    (row,) = result.heterogeneity.to_pylist()
    assert result.row("mrr", country="US")["delta"] == 0
    assert (row["n_slices"], row["p"] < 0.001) == (3, True)
    assert "differ by more than chance explains" in repr(result)
    us = result.shrunk().to_pylist()[2]
    assert (us["country"], us["delta"]) == ("US", 0.0)
    assert us["se"] > 0
    assert abs(us["shrunk"]) < 0.05


@pytest.mark.slow
def test_users_in_several_slices_leave_the_mean_of_the_slices_without_an_interval() -> None:
    random = np.random.default_rng(4)
    n = 600
    rows = {
        "user": np.arange(n) % 40, "device": np.arange(n) % 3, "country": np.arange(n) % 40 % 2,
        "label": random.integers(0, 2, n), "a": random.random(n), "b": random.random(n),
    }  # fmt: skip
    result = duckmetrics.compare(
        pa.table(rows),
        metrics="brier",
        score={"A": "a", "B": "b"},
        cluster="user",
        by=[["device"], ["country"]],
    )
    known = {row["slice"]: row for row in result.heterogeneity.to_pylist()}
    assert (known["device"]["delta_lower"], known["device"]["delta_upper"]) == (None, None)
    assert known["country"]["delta_lower"] < known["country"]["delta"] < known["country"]["delta_upper"]
    assert {row["slice"] for row in result.shrunk().to_pylist() if row["shrunk_lower"] is None} == {"device"}
    (told,) = [one.message for one in result.checks if one.check == "overlapping_slices"]
    assert told.startswith(
        "by device: units are in several slices, so that p of their differences is too large"
    )
